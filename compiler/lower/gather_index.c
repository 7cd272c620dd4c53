/* Gathers by the op that takes them, so that a fragment asks each op for its own. Those of one rule
 * cover ops of their own, so an op has as many as it has rules. */
#include "compiler/lower/fragment_parameters.h"

/* keys of a gather; none where they are empty */
typedef struct keys { uint32_t first, end; } keys;
typedef keys keys_fn(const ts_gather *g, uint32_t first_op);

static keys covered(const ts_gather *g, uint32_t first_op)
{
  bool falls = g->last < g->first; /* in the order of a backward */
  return (keys){(falls ? g->last : g->first) - first_op,
                (falls ? g->first : g->last) - first_op + 1};
}

static keys at_op(uint32_t op, uint32_t first_op)
{
  return op == TS_NO_INDEX ? (keys){0, 0} : (keys){op - first_op, op - first_op + 1};
}

static keys leaving(const ts_gather *g, uint32_t first_op) { return at_op(g->leaves, first_op); }

static keys early(const ts_gather *g, uint32_t first_op)
{
  return at_op(g->call ? g->at : TS_NO_INDEX, first_op);
}

static keys called(const ts_gather *g, uint32_t first_op)
{
  (void)first_op;
  return g->call ? (keys){g->call, g->call + 1} : (keys){0, 0};
}

static ts_gathers_by list_by(ts_fragment *f, uint32_t count, keys_fn *keys_of)
{
  const ts_gather_list *all = &f->gathers;
  uint32_t first_op = f->stage->first_op, *ends = TS_NEW_ARRAY(f->scratch, uint32_t, count + 2);
  for (size_t k = 0; k < all->count; k++)
    for (keys of = keys_of(&all->at[k], first_op); of.first < of.end; of.first++)
      ends[of.first + 2]++;
  for (uint32_t key = 2; key < count + 2; key++)
    ends[key] += ends[key - 1];
  uint32_t *listed = TS_NEW_ARRAY(f->scratch, uint32_t, ends[count + 1] + 1);
  for (uint32_t k = 0; k < all->count; k++) /* each start becomes the end, the next one's start */
    for (keys of = keys_of(&all->at[k], first_op); of.first < of.end; of.first++)
      listed[ends[of.first + 1]++] = k;
  return (ts_gathers_by){count, ends, listed};
}

/* Each rule's, by those that are not yet there. */
static void link_chains(ts_fragment *f)
{
  ts_gather *all = f->gathers.at;
  uint32_t count = (uint32_t)f->gathers.count, chains = 0, *waiting;
  waiting = TS_NEW_ARRAY(f->scratch, uint32_t, count);
  for (uint32_t k = 0; k < count; k++) {
    bool begins = all[k].after == TS_NO_INDEX;
    all[k].chain = begins ? chains++ : all[all[k].after].chain;
    all[k].place = begins ? 0 : all[all[k].after].place + 1;
    waiting[all[k].chain] = TS_NO_INDEX;
    f->index.ahead = f->index.ahead > all[k].comm->ahead ? f->index.ahead : all[k].comm->ahead;
  }
  for (uint32_t k = count; k-- > 0;) {
    all[k].next = waiting[all[k].chain];
    waiting[all[k].chain] = k;
  }
  f->index.waiting = waiting;
}

void ts_gathers_index(ts_fragment *f)
{
  uint32_t ops = f->stage->op_count, calls = 0;
  f->index = (ts_gather_index){0};
  if (!f->gathers.count)
    return;
  for (size_t k = 0; k < f->gathers.count; k++)
    calls = calls > f->gathers.at[k].call ? calls : f->gathers.at[k].call;
  f->index.covers = list_by(f, ops, covered);
  f->index.leaves = list_by(f, ops, leaving);
  f->index.early = list_by(f, ops, early);
  f->index.call = list_by(f, calls + 1, called);
  link_chains(f);
}

ts_gathers_at ts_gathers_under(const ts_gathers_by *by, uint32_t key)
{
  if (key >= by->keys)
    return (ts_gathers_at){0};
  return (ts_gathers_at){by->listed + by->first[key], by->first[key + 1] - by->first[key]};
}
