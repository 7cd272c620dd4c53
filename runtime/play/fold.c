#include "runtime/play/fold.h"

#include <stdlib.h>
#include <string.h>

#include "base/intern.h"

typedef struct folder {
  const ts_tables *t;
  ts_arena *scratch;
  uint32_t *of, *key;  /* [world] */
  uint32_t count;
  uint32_t most_peers;
  bool *plays;         /* [programs * groups] collectives over the group, with others */
  ts_fold_links *links; /* NULL: none are shared */
  ts_splits splits;
} folder;

static void note_plays(folder *f)
{
  const ts_tables *t = f->t;
  f->plays = TS_NEW_ARRAY(f->scratch, bool, (size_t)t->ir->programs_count * t->ranks->group_count);
  for (uint32_t p = 0; p < t->ir->programs_count; p++) {
    for (uint32_t c = 0; c < t->comm_count; c++)
      if (ts_calls_of(t, p, c) && t->ranks->groups[t->comms[c].group].size > 1)
        f->plays[p * t->ranks->group_count + t->comms[c].group] = true;
    if (t->programs[p].peer_count > f->most_peers)
      f->most_peers = t->programs[p].peer_count;
  }
}

static int ascending(const void *a, const void *b)
{
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return x < y ? -1 : x > y;
}

typedef struct gatherer { /* the distinct classes among the members of an instance */
  uint32_t *seen; /* [classes] instance + 1 that saw the class last */
  uint32_t *list;
  uint32_t count;
} gatherer;

static void fold_gather(const ts_rank_group *group, uint32_t instance, const uint32_t *of,
                        gatherer *g)
{
  bool sorted = true;
  g->count = 0;
  for (uint32_t j = 0; j < group->size; j++) {
    uint32_t class = of[ts_instance_ranks(group, instance)[j]];
    if (g->seen[class] == instance + 1)
      continue;
    g->seen[class] = instance + 1;
    sorted = sorted && (!g->count || g->list[g->count - 1] < class);
    g->list[g->count++] = class;
  }
  if (!sorted)
    qsort(g->list, g->count, sizeof *g->list, ascending);
}

/* Key: the set of classes of the instance. */
static void key_by_group(folder *f, uint32_t group)
{
  const ts_rank_group *g = &f->t->ranks->groups[group];
  ts_arena *scratch = ts_arena_new("classes of instances");
  ts_intern sets = {.arena = scratch};
  gatherer at = {TS_NEW_ARRAY(scratch, uint32_t, f->count),
                 TS_NEW_ARRAY(scratch, uint32_t, g->size), 0};
  memset(f->key, 0xff, f->t->ranks->world * sizeof *f->key);
  for (uint32_t i = 0; i < g->instances; i++) {
    fold_gather(g, i, f->of, &at);
    uint32_t set = ts_intern_run(&sets, at.list, at.count);
    for (uint32_t j = 0; j < g->size; j++) {
      uint32_t rank = ts_instance_ranks(g, i)[j];
      f->key[rank] =
        f->plays[f->t->ranks->program[rank] * f->t->ranks->group_count + group] ? set : TS_IR_NONE;
    }
  }
  ts_arena_free(scratch);
}

static void key_by_peer(folder *f, uint32_t peer)
{
  const ts_ranks *ranks = f->t->ranks;
  for (uint32_t r = 0; r < ranks->world; r++) {
    const ts_program_info *program = &f->t->programs[ranks->program[r]];
    f->key[r] = peer < program->peer_count ?
                  f->of[ts_peer_rank(ranks, r, program->peers[peer].coordinate)] :
                  TS_IR_NONE;
  }
}

static void fold_split(folder *f, ts_split_by by, uint32_t group)
{
  uint32_t before = f->count;
  f->count = ts_refine(f->of, f->count, f->key, f->t->ranks->world);
  ts_note_split(f->t->arena, &f->splits, by, group, before, f->count);
}

static void split_by_links(folder *f)
{
  uint32_t group;
  ts_fold_links_color(f->links, f->of);
  for (uint32_t k = 0; ts_fold_links_key(f->links, k, f->key, &group); k++)
    fold_split(f, group == TS_IR_NONE ? TS_SPLIT_PATHS : TS_SPLIT_LINKS, group);
}

static void refine(folder *f)
{
  const ts_ranks *ranks = f->t->ranks;
  note_plays(f);
  for (uint32_t before = 0; before != f->count;) {
    before = f->count;
    for (uint32_t g = 0; g < ranks->group_count; g++) {
      if (!ranks->groups[g].used || ranks->groups[g].size == 1)
        continue;
      key_by_group(f, g);
      fold_split(f, TS_SPLIT_MEMBERS, g);
    }
    for (uint32_t p = 0; p < f->most_peers; p++) {
      key_by_peer(f, p);
      fold_split(f, TS_SPLIT_PEERS, TS_IR_NONE);
    }
    if (f->links && before == f->count)
      split_by_links(f);
  }
}

/* ---- Kinds that differ in their programs alone ---- */

typedef struct fold_words {
  ts_arena *arena;
  TS_VEC(uint32_t) at;
} fold_words;

static void add_words(fold_words *w, const void *bytes, size_t size)
{
  for (size_t i = 0; i < size / sizeof(uint32_t); i++) {
    uint32_t word;
    memcpy(&word, (const char *)bytes + i * sizeof word, sizeof word);
    TS_PUSH(w->arena, &w->at, word);
  }
}

/* What is played, what is held, and where messages go: all but with whom. */
static void add_program(fold_words *w, const ts_tables *t, uint32_t number)
{
  const ts_ir_program *p = &t->ir->programs[number];
  const ts_program_info *info = &t->programs[number];
  const uint32_t counts[] = {p->item_count, p->holding_count, info->port_count, info->peer_count,
                             info->slot_count};
  add_words(w, counts, sizeof counts);
  for (uint32_t i = 0; i < p->item_count; i++) {
    const ts_ir_item *item = &t->ir->items[p->first_item + i];
    add_words(w, (uint32_t[]){item->fragment, item->micro_batch, item->chunk}, 12);
  }
  for (uint32_t i = 0; i < p->holding_count; i++)
    add_words(w, &t->ir->holdings[p->first_holding + i], sizeof(ts_ir_holding));
  for (uint32_t i = 0; i < info->port_count; i++)
    add_words(w, &info->routes[i], sizeof(ts_route));
  for (uint32_t i = 0; i < info->slot_count; i++)
    add_words(w, (uint32_t[]){info->messages[i].send_item, info->messages[i].send_node}, 8);
  for (uint32_t i = 0; i < info->peer_count; i++)
    add_words(w, (uint32_t[]){info->peers[i].sends}, 4);
}

static void add_kind(fold_words *w, const ts_tables *t, const ts_role *role)
{
  const ts_program_info *info = &t->programs[role->program];
  add_words(w, &role->speed, sizeof role->speed);
  add_words(w, role->group_profile, t->ranks->group_count * sizeof(uint32_t));
  add_words(w, role->peer_profile, info->peer_count * sizeof(uint32_t));
  for (uint32_t i = 0; i < info->call_count; i++) {
    ts_transit m = role->transits[i];
    add_words(w, role->queue_times + m.first_queue_time,
              m.queue_time_count * sizeof(ts_queue_time));
    m.first_queue_time = 0; /* where they are tells nothing */
    add_words(w, &m, sizeof m);
  }
}

/* Of what is played when: programs that do the same have the same, and most others do not. */
static uint64_t print_of(const ts_tables *t, uint32_t number)
{
  const ts_ir_program *p = &t->ir->programs[number];
  const ts_ir_item *items = t->ir->items + p->first_item;
  uint64_t print = p->item_count;
  for (uint32_t i = 0; i < p->item_count; i++)
    print = (print ^ ((uint64_t)items[i].fragment << 32 | items[i].micro_batch)) *
            UINT64_C(0x9e3779b97f4a7c15);
  return print;
}

/* [roles] whether a kind has the print of another one. */
static const bool *find_doubles(const folder *f, const ts_roles *roles)
{
  ts_intern prints = {.arena = f->scratch};
  bool *doubles = TS_NEW_ARRAY(f->scratch, bool, roles->count);
  uint32_t *first = TS_NEW_ARRAY(f->scratch, uint32_t, roles->count);
  for (uint32_t k = 0; k < roles->count; k++) {
    uint64_t print = print_of(f->t, roles->at[k].program);
    uint32_t words[] = {(uint32_t)print, (uint32_t)(print >> 32)},
             known = (uint32_t)prints.all.count, number = ts_intern_run(&prints, words, 2);
    if (number == known)
      first[number] = k;
    else
      doubles[k] = doubles[first[number]] = true;
  }
  return doubles;
}

/* Kinds whose programs do the same, as fast, begin in one class. Programs that play fragments of
 * their own cannot: without more programs than fragments nobody is asked. */
static void join_kinds(folder *f, const ts_roles *roles)
{
  const ts_tables *t = f->t;
  if (t->ir->fragments_count >= t->ir->programs_count)
    return;
  ts_intern kinds = {.arena = f->scratch};
  uint32_t *class = TS_NEW_ARRAY(f->scratch, uint32_t, roles->count);
  const bool *doubles = find_doubles(f, roles);
  for (uint32_t k = 0; k < roles->count; k++) {
    if (!doubles[k]) {
      class[k] = ts_intern_run(&kinds, &k, 1); /* shorter than any kind that is written out */
      continue;
    }
    ts_arena *scratch = ts_arena_new("kind");
    fold_words w = {.arena = scratch};
    add_program(&w, t, roles->at[k].program);
    add_kind(&w, t, &roles->at[k]);
    class[k] = ts_intern_run(&kinds, w.at.at, (uint32_t)w.at.count);
    ts_arena_free(scratch);
  }
  for (uint32_t r = 0; r < t->ranks->world; r++)
    f->of[r] = class[f->of[r]];
  f->count = (uint32_t)kinds.all.count;
}

static void count_players(ts_arena *arena, const folder *f, ts_fold *fold)
{
  uint32_t *rank = TS_NEW_ARRAY(arena, uint32_t, f->count),
           *size = TS_NEW_ARRAY(arena, uint32_t, f->count);
  for (uint32_t r = 0; r < f->t->ranks->world; r++)
    if (!size[f->of[r]]++)
      rank[f->of[r]] = r;
  *fold = (ts_fold){.count = f->count, .rank = rank, .size = size, .of = f->of};
}

typedef TS_VEC(ts_rendezvous) rendezvous_list;
typedef TS_VEC(uint32_t) member_list;

/* The rendezvous of player `p` on the communicator: the one of the instance that its rank belongs
 * to. */
static void add_rendezvous(ts_arena *arena, const folder *f, uint32_t comm, const gatherer *at,
                           uint32_t *rendezvous_of, rendezvous_list *rendezvous,
                           member_list *members, ts_fold *fold)
{
  ts_rendezvous m = {.comm = comm,
                     .first = (uint32_t)members->count,
                     .count = at->count,
                     .call_base = fold->call_count};
  for (uint32_t j = 0; j < at->count; j++) {
    uint32_t player = at->list[j],
             calls = ts_calls_of(f->t, f->t->ranks->program[fold->rank[player]], comm);
    m.calls = calls > m.calls ? calls : m.calls;
    rendezvous_of[(size_t)player * f->t->comm_count + comm] = (uint32_t)rendezvous->count;
    TS_PUSH(arena, members, player);
  }
  m.calls = m.count > 1 ? m.calls : 0;
  fold->call_count += m.calls;
  TS_PUSH(arena, rendezvous, m);
}

static void find_rendezvous(ts_arena *arena, const folder *f, ts_fold *fold)
{
  const ts_tables *t = f->t;
  uint32_t *rendezvous_of = TS_NEW_ARRAY(arena, uint32_t, (size_t)fold->count * t->comm_count);
  rendezvous_list rendezvous = {0};
  member_list members = {0};
  gatherer at = {TS_NEW_ARRAY(f->scratch, uint32_t, fold->count),
                 TS_NEW_ARRAY(f->scratch, uint32_t, fold->count), 0};
  memset(rendezvous_of, 0xff, (size_t)fold->count * t->comm_count * sizeof *rendezvous_of);
  for (uint32_t c = 0; c < t->comm_count; c++) {
    const ts_rank_group *g = &t->ranks->groups[t->comms[c].group];
    memset(at.seen, 0, fold->count * sizeof *at.seen);
    for (uint32_t p = 0; g->size > 1 && p < fold->count; p++) {
      if (rendezvous_of[(size_t)p * t->comm_count + c] != TS_IR_NONE ||
          !ts_calls_of(t, t->ranks->program[fold->rank[p]], c))
        continue;
      fold_gather(g, g->instance_of[fold->rank[p]], fold->of, &at);
      add_rendezvous(arena, f, c, &at, rendezvous_of, &rendezvous, &members, fold);
    }
  }
  fold->rendezvous_of = rendezvous_of;
  fold->rendezvous = TS_ITEMS(arena, &rendezvous);
  fold->rendezvous_count = (uint32_t)rendezvous.count;
  fold->members = TS_ITEMS(arena, &members);
}

const ts_fold *ts_fold_new(ts_arena *arena, const ts_tables *t, const ts_roles *roles,
                           ts_fold_links *links, bool merge)
{
  uint32_t world = t->ranks->world;
  folder f = {.t = t, .scratch = ts_arena_new("folding"), .links = links};
  merge = merge && (!links || ts_fold_links_begin(links));
  f.count = merge ? roles->count : world;
  f.of = TS_NEW_ARRAY(arena, uint32_t, world);
  f.key = TS_NEW_ARRAY(f.scratch, uint32_t, world);
  for (uint32_t r = 0; r < world; r++)
    f.of[r] = merge ? roles->of[r] : r;
  if (merge) {
    join_kinds(&f, roles);
    refine(&f);
    if (links)
      ts_fold_links_join(links);
  }
  ts_fold *fold = TS_NEW(arena, ts_fold);
  count_players(arena, &f, fold);
  find_rendezvous(arena, &f, fold);
  fold->splits = f.splits;
  ts_arena_free(f.scratch);
  return fold;
}
