/* When parameters are gathered under `prefetch`, `live` and `reuse`: DeepSpeed's stage 3 plays the
 * forward and the backward in the order that an earlier step has shown it (deepspeed/runtime/zero/
 * partitioned_param_coordinator.py: fetch_sub_module, release_sub_module). Each op that has work
 * first gathers what it lacks; then one more call gathers what comes next, until that is `prefetch`
 * or until `live` is gathered. What was gathered for the forward stays for the backward where the
 * prefetch has come to it there already, or where less than `reuse` is used in between. */
#include "compiler/lower/fragment_parameters.h"

enum { NONE = TS_NO_INDEX };

/* a use of a group's parameters: in the forward, then in the backward */
typedef struct prefetch_use {
  ts_gather *gather;
  double before;    /* bytes of all uses before it */
  uint32_t counterpart; /* the same parameters in the other phase, or NONE */
  bool gathered, over, retained;
} prefetch_use;

typedef struct run {
  const ts_fragment *f;
  const ts_comm *comm;
  TS_VEC(prefetch_use) uses;
  size_t turn;      /* the first use in the backward */
  size_t next;      /* that the prefetch has not come to */
  double gathered;  /* bytes, at this moment */
  uint32_t calls;
} run;

static double size(const prefetch_use *u) { return (double)u->gather->memory; }

static bool shares(const ts_gather *a, const ts_gather *b)
{
  /* in the order of its phase: the backward's ends where the forward's begins */
  return a->first <= b->first && b->last <= a->last;
}

static void add_uses(run *r, ts_gather_list *list)
{
  for (size_t k = 0; k < list->count; k++) {
    ts_gather *g = &list->at[k];
    if (g->comm->rule != r->comm->rule || g->rate > 0 || g->keep)
      continue;
    size_t n = r->uses.count;
    double before = n ? r->uses.at[n - 1].before + size(&r->uses.at[n - 1]) : 0;
    TS_PUSH(r->f->scratch, &r->uses,
            (prefetch_use){.gather = g, .before = before, .counterpart = NONE});
  }
}

/* Both lists are in order: the backward's last use is of what the forward uses first. */
static void pair(run *r)
{
  size_t b = r->uses.count;
  for (size_t a = 0; a < r->turn; a++) {
    while (b > r->turn && r->uses.at[b - 1].gather->last < r->uses.at[a].gather->first)
      b--;
    if (b > r->turn && shares(r->uses.at[a].gather, r->uses.at[b - 1].gather)) {
      r->uses.at[a].counterpart = (uint32_t)(b - 1);
      r->uses.at[b - 1].counterpart = (uint32_t)a;
    }
  }
}

static bool has_work(const run *r, uint32_t op, bool backward)
{
  const ts_class *class = ts_class_of(r->f->l, op);
  const ts_op *is = &r->f->l->g->ops.at[op];
  if (backward && !is->needs_gradient)
    return false;
  const ts_kernels *phase = class->work.phase;
  return ts_local_elements(r->f->l, is, class, TS_ALL_PARAMETERS) > 0 ||
         (backward ? phase[TS_PHASE_INPUT].count || phase[TS_PHASE_WEIGHT].count :
                     phase[TS_PHASE_FORWARD].count);
}

static void get(run *r, prefetch_use *u)
{
  u->gathered = true;
  r->gathered += size(u);
}

/* One call, where the phase comes to `op`. */
static void look_ahead(run *r, uint32_t op, bool backward)
{
  double got = 0, most = r->comm->live - r->gathered;
  most = most < r->comm->prefetch ? most : r->comm->prefetch;
  r->calls++;
  for (; r->next < r->uses.count && got < most; r->next++) {
    prefetch_use *u = &r->uses.at[r->next];
    prefetch_use *before =
      r->next >= r->turn && u->counterpart != NONE ? &r->uses.at[u->counterpart] : NULL;
    if (before && before->gathered && !before->over) {
      before->retained = u->retained = true;
    } else if (!u->gathered && !u->retained) {
      get(r, u);
      got += size(u);
      u->gather->call = r->calls;
      u->gather->at = backward || r->next < r->turn ? op : TS_NO_INDEX;
    }
  }
}

static void prefetch_end(run *r, size_t at)
{
  prefetch_use *u = &r->uses.at[at];
  u->over = true;
  if (at < r->turn && u->counterpart != NONE) {
    prefetch_use *again = &r->uses.at[u->counterpart];
    double between = again->before - u->before - size(u);
    u->retained = again->retained = u->retained || between < r->comm->reuse;
    if (u->retained)
      return;
  }
  r->gathered -= size(u);
}

/* A gather's ops are in the order of its phase. */
static bool covers(const ts_gather *g, uint32_t op)
{
  return (g->first <= op && op <= g->last) || (g->last <= op && op <= g->first);
}

/* `at`: the phase's next use. */
static void come_to(run *r, uint32_t op, bool backward, size_t *at)
{
  size_t stop = backward ? r->uses.count : r->turn;
  bool own = *at < stop && covers(r->uses.at[*at].gather, op);
  if (own) {
    prefetch_use *u = &r->uses.at[*at];
    if (!u->gathered && !u->retained)
      get(r, u);
    if (r->next <= *at)
      r->next = *at + 1;
  }
  if (r->comm->prefetch > 0 && has_work(r, op, backward))
    look_ahead(r, op, backward);
  if (own && r->uses.at[*at].gather->last == op)
    prefetch_end(r, (*at)++);
}

static void prefetch_play(run *r)
{
  uint32_t first = r->f->stage->first_op, count = r->f->stage->op_count;
  size_t at = 0;
  for (uint32_t k = 0; k < count; k++)
    come_to(r, first + k, false, &at);
  at = r->turn;
  for (uint32_t k = count; k-- > 0;)
    come_to(r, first + k, true, &at);
}

/* What stays is freed as it was allocated. */
static void note_retained(run *r)
{
  for (size_t k = r->turn; k < r->uses.count; k++) {
    ts_gather *g = r->uses.at[k].gather;
    g->found = r->uses.at[k].retained;
    if (!g->found)
      continue;
    ts_gather *before = r->uses.at[r->uses.at[k].counterpart].gather;
    before->found = true;
    g->memory = before->memory;
  }
}

static bool done(const ts_gather_list *list, size_t end, uint32_t rule)
{
  for (size_t k = 0; k < end; k++)
    if (list->at[k].comm->rule == rule)
      return true;
  return false;
}

void ts_prefetch_plan(const ts_fragment *f, ts_gather_list *forward, ts_gather_list *backward)
{
  for (size_t k = 0; k < forward->count; k++) {
    const ts_comm *comm = forward->at[k].comm;
    if (!(comm->prefetch > 0 || comm->reuse > 0) || done(forward, k, comm->rule))
      continue;
    run r = {.f = f, .comm = comm};
    add_uses(&r, forward);
    r.turn = r.uses.count;
    add_uses(&r, backward);
    pair(&r);
    prefetch_play(&r);
    note_retained(&r);
  }
}
