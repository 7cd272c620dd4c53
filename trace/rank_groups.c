#include "trace/rank_groups.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash_table.h"
#include "base/sets.h"
#include "base/source.h"

enum { STREAMS_MOST = 255 };

/* A list is known by its ranks and by how the job calls it: two communicators may have the same
 * ranks. */
typedef struct name { const char *group, *ranks; } name;

typedef struct stream { uint32_t rank, track; } stream;

typedef struct rank_groups_finder {
  ts_arena *arena, *work;
  const ts_events *const *ranks;
  uint32_t world;
  ts_rank_groups *out;
  ts_hash_table known;
  TS_VEC(name) names;            /* of lists */
  TS_VEC(stream) callers;        /* of lists: the stream of a member's first call */
  TS_VEC(uint32_t) seen;         /* of lists: members that called so far */
  uint32_t **list_of;
  uint32_t *first_stream, *class; /* by rank, then track; a forest of equal streams */
  TS_VEC(uint8_t *) taken;       /* of streams of the IR: by rank */
  ts_error *error;
} rank_groups_finder;

/* ---- Lists ---- */

typedef struct rank_groups_wanted {
  const rank_groups_finder *f;
  name is;
} rank_groups_wanted;

static bool same_list(const void *closure, uint32_t number)
{
  const rank_groups_wanted *w = closure;
  const name *n = &w->f->names.at[number];
  return strcmp(n->group, w->is.group) == 0 && strcmp(n->ranks, w->is.ranks) == 0;
}

static bool not_a_group(const rank_groups_finder *f, const ts_events *e, const char *ranks,
                        const char *why)
{
  (void)f;
  return ts_fail(f->error, "list the ranks of each group, each once, from 0 to the world's last",
                 "`%s`: a group of %s: `%.60s`", ts_base_name(e->file), why, ranks);
}

static bool read_ranks(rank_groups_finder *f, const ts_events *e, const char *text,
                       ts_rank_list *out)
{
  TS_VEC(uint32_t) ranks = {0};
  bool *there = TS_NEW_ARRAY(f->work, bool, f->world);
  char *end;
  for (const char *at = text; *at; at = *end == ',' ? end + 1 : end) {
    unsigned long rank = strtoul(at, &end, 10);
    if (end == at || rank >= f->world)
      return not_a_group(f, e, text, "no ranks, or of some beyond the world");
    if (there[rank])
      return not_a_group(f, e, text, "ranks that are there twice");
    there[rank] = true;
    TS_PUSH(f->arena, &ranks, (uint32_t)rank);
  }
  if (!ranks.count)
    return not_a_group(f, e, text, "unknown ranks");
  *out = (ts_rank_list){.size = (uint32_t)ranks.count, .ranks = ranks.at, .group = TS_EVENT_NONE};
  return true;
}

static bool find_list(rank_groups_finder *f, const ts_events *e, const ts_event_comm *c,
                      uint32_t *list)
{
  name is = {ts_events_text(e, c->group), ts_events_text(e, c->ranks)};
  uint32_t hash = ts_hash_bytes(is.ranks, strlen(is.ranks)) * 31 +
                  ts_hash_bytes(is.group, strlen(is.group));
  ts_rank_list made;
  *list = ts_hash_find(&f->known, hash, same_list, &(rank_groups_wanted){f, is});
  if (*list != TS_HASH_NONE)
    return true;
  if (!read_ranks(f, e, is.ranks, &made))
    return false;
  *list = (uint32_t)f->out->lists.count;
  ts_hash_add(f->work, &f->known, hash, *list);
  TS_PUSH(f->work, &f->names, is);
  TS_PUSH(f->work, &f->seen, 0);
  TS_PUSH(f->work, &f->callers, (stream){TS_EVENT_NONE, 0});
  TS_PUSH(f->arena, &f->out->lists, made);
  return true;
}

/* ---- Calls ---- */

static bool disagree(rank_groups_finder *f, uint32_t rank, uint32_t list, const char *what,
                     const char *other)
{
  uint32_t first = f->callers.at[list].rank;
  return ts_fail(f->error, "trace all ranks in one run of the same script",
                 "ranks %u and %u do not agree in their calls over the ranks `%.40s`: %s%s", first,
                 rank, f->names.at[list].ranks, what, other);
}

static bool is_member(const ts_rank_list *list, uint32_t rank)
{
  for (uint32_t i = 0; i < list->size; i++)
    if (list->ranks[i] == rank)
      return true;
  return false;
}

/* The n-th call of this rank over a list; the first caller says what it is. */
static bool rank_groups_take_call(rank_groups_finder *f, uint32_t rank, uint32_t number,
                                  uint32_t nth, const ts_event *v)
{
  const ts_events *e = f->ranks[rank];
  const ts_event_comm *c = &e->comms.at[v->detail];
  ts_rank_list *list = &f->out->lists.at[number];
  stream *caller = &f->callers.at[number];
  uint64_t bytes = c->bytes > 0 ? (uint64_t)c->bytes : 0;
  if (caller->rank == TS_EVENT_NONE)
    *caller = (stream){rank, v->track};
  if (!nth && !is_member(list, rank))
    return ts_fail(f->error, "a rank calls over groups that it belongs to",
                   "rank %u calls over the ranks `%.60s`", rank, f->names.at[number].ranks);
  ts_sets_join(f->class, f->first_stream[caller->rank] + caller->track,
               f->first_stream[rank] + v->track);
  if (caller->rank == rank) {
    TS_PUSH(f->arena, &list->calls, (ts_rank_call){c->kind, bytes});
    return true;
  }
  if (nth >= list->calls.count)
    return disagree(f, rank, number, "the second makes more of them", "");
  ts_rank_call *call = &list->calls.at[nth];
  if (call->kind != c->kind)
    return disagree(f, rank, number, ts_comm_kind_name((ts_comm_kind)call->kind),
                    ts_arena_printf(f->work, " and %s at place %u",
                                    ts_comm_kind_name((ts_comm_kind)c->kind), nth));
  call->bytes = bytes > call->bytes ? bytes : call->bytes;
  return true;
}

static bool take_rank(rank_groups_finder *f, uint32_t rank)
{
  const ts_events *e = f->ranks[rank];
  TS_VEC(uint32_t) made = {0}; /* by list */
  f->list_of[rank] = TS_NEW_ARRAY(f->arena, uint32_t, e->comms.count + 1);
  memset(f->list_of[rank], 0xff, (e->comms.count + 1) * sizeof(uint32_t));
  for (uint32_t i = 0; i < e->count; i++) {
    const ts_event *v = ts_event_at(e, i);
    uint32_t list;
    if (!ts_is_group_call(e, v))
      continue;
    if (!find_list(f, e, &e->comms.at[v->detail], &list))
      return false;
    while (made.count <= list) TS_PUSH(f->work, &made, 0);
    f->seen.at[list] += !made.at[list];
    if (!rank_groups_take_call(f, rank, list, made.at[list]++, v))
      return false;
    if (f->out->lists.at[list].size > 1)
      f->list_of[rank][v->detail] = list;
  }
  for (uint32_t l = 0; l < made.count; l++)
    if (made.at[l] && made.at[l] < f->out->lists.at[l].calls.count)
      return disagree(f, rank, l, "the second makes fewer of them", "");
  return true;
}

static bool all_called(rank_groups_finder *f)
{
  for (uint32_t l = 0; l < f->out->lists.count; l++)
    if (f->seen.at[l] < f->out->lists.at[l].size)
      return ts_fail(f->error, "trace all ranks in one run of the same script",
                     "rank %u calls over the ranks `%.60s`, and %u of them do not",
                     f->callers.at[l].rank, f->names.at[l].ranks,
                     f->out->lists.at[l].size - f->seen.at[l]);
  return true;
}

/* ---- Groups of the IR ---- */

/* Equal distances between members. */
static bool rank_groups_alike(const ts_rank_list *a, const ts_rank_list *b)
{
  for (uint32_t i = 1; a->size == b->size && i < a->size; i++)
    if (a->ranks[i] - a->ranks[0] != b->ranks[i] - b->ranks[0])
      return false;
  return a->size == b->size;
}

static uint32_t apart(const ts_rank_list *l)
{
  uint32_t step = l->ranks[1] - l->ranks[0];
  for (uint32_t i = 1; i < l->size; i++)
    if (l->ranks[i] - l->ranks[i - 1] != step)
      return 0;
  return step;
}

/* Lists join the first group of their shape that has none of their ranks. */
static void group_lists(rank_groups_finder *f)
{
  TS_VEC(uint8_t *) taken = {0};
  for (uint32_t l = 0; l < f->out->lists.count; l++) {
    ts_rank_list *list = &f->out->lists.at[l];
    uint32_t g = 0;
    if (list->size < 2)
      continue;
    for (bool fits = false; g < f->out->groups.count && !fits; g += !fits) {
      fits = rank_groups_alike(&f->out->lists.at[*f->out->groups.at[g].lists.at], list);
      for (uint32_t i = 0; i < list->size && fits; i++) fits = !taken.at[g][list->ranks[i]];
    }
    if (g == f->out->groups.count) {
      TS_PUSH(f->arena, &f->out->groups, (ts_rank_group_lists){list->size, apart(list), {0}});
      TS_PUSH(f->work, &taken, TS_NEW_ARRAY(f->work, uint8_t, f->world));
    }
    TS_PUSH(f->arena, &f->out->groups.at[g].lists, l);
    for (uint32_t i = 0; i < list->size; i++) taken.at[g][list->ranks[i]] = 1;
    list->group = g;
  }
}

/* ---- Streams of the IR ---- */

static const char *rank_groups_kind_of(const ts_events *e, uint32_t track)
{
  const char *kind = ts_events_text(e, e->tracks.at[track].label);
  return *kind ? kind : "stream";
}

/* The group that a stream's collectives are over: that of the first; *used: it has work. */
static uint32_t *groups_of_tracks(const rank_groups_finder *f, uint32_t rank, bool **used)
{
  const ts_events *e = f->ranks[rank];
  uint32_t *group = TS_NEW_ARRAY(f->work, uint32_t, e->tracks.count + 1);
  memset(group, 0xff, (e->tracks.count + 1) * sizeof *group);
  *used = TS_NEW_ARRAY(f->work, bool, e->tracks.count + 1);
  for (uint32_t i = 0; i < e->count; i++) {
    const ts_event *v = ts_event_at(e, i);
    (*used)[v->track] |= v->class == TS_EVENT_DEVICE;
    uint32_t list = ts_is_group_call(e, v) ? f->list_of[rank][v->detail] : TS_EVENT_NONE;
    if (list != TS_EVENT_NONE && group[v->track] == TS_EVENT_NONE)
      group[v->track] = f->out->lists.at[list].group;
  }
  return group;
}

/* The first stream like this that no rank of the class has yet. */
static bool place_class(rank_groups_finder *f, ts_rank_stream like, const uint32_t *members,
                        size_t count, uint8_t *number)
{
  uint32_t s = 0;
  for (bool fits = false; s < f->out->streams.count && !fits; s += !fits) {
    const ts_rank_stream *at = &f->out->streams.at[s];
    fits =
      at->group == like.group && at->priority == like.priority && strcmp(at->kind, like.kind) == 0;
    for (size_t i = 0; i < count && fits; i++) fits = !f->taken.at[s][members[i]];
  }
  if (s == STREAMS_MOST)
    return ts_fail(f->error, "put work that never overlaps on one stream",
                   "the ranks have more than %d streams", STREAMS_MOST);
  if (s == f->out->streams.count) {
    TS_PUSH(f->arena, &f->out->streams, like);
    TS_PUSH(f->work, &f->taken, TS_NEW_ARRAY(f->work, uint8_t, f->world));
  }
  for (size_t i = 0; i < count; i++) f->taken.at[s][members[i]] = 1;
  *number = (uint8_t)s;
  return true;
}

/* Stream 0 of an IR computes. */
static bool number_streams(rank_groups_finder *f)
{
  uint32_t total = f->first_stream[f->world];
  uint32_t *head = TS_NEW_ARRAY(f->work, uint32_t, total + 1),
           *next = TS_NEW_ARRAY(f->work, uint32_t, total + 1),
           *rank_of = TS_NEW_ARRAY(f->work, uint32_t, total + 1);
  uint8_t *number = TS_NEW_ARRAY(f->arena, uint8_t, total + 1);
  const uint8_t **of = TS_NEW_ARRAY(f->arena, const uint8_t *, f->world);
  TS_PUSH(f->arena, &f->out->streams, (ts_rank_stream){"compute", TS_EVENT_NONE, 0});
  TS_PUSH(f->work, &f->taken, TS_NEW_ARRAY(f->work, uint8_t, f->world));
  memset(head, 0xff, (total + 1) * sizeof *head);
  for (uint32_t r = f->world; r-- > 0;)
    for (uint32_t s = f->first_stream[r + 1]; s-- > f->first_stream[r];) {
      uint32_t root = ts_set_of(f->class, s);
      rank_of[s] = r;
      next[s] = head[root];
      head[root] = s;
    }
  for (uint32_t r = 0; r < f->world; r++) {
    const ts_events *e = f->ranks[r];
    bool *used;
    const uint32_t *group = groups_of_tracks(f, r, &used);
    of[r] = number + f->first_stream[r];
    for (uint32_t t = 0; t < e->tracks.count; t++) {
      uint32_t s = f->first_stream[r] + t;
      TS_VEC(uint32_t) members = {0};
      if (!used[t] || ts_set_of(f->class, s) != s)
        continue;
      for (uint32_t m = s; m != UINT32_MAX; m = next[m]) TS_PUSH(f->work, &members, rank_of[m]);
      ts_rank_stream like = {rank_groups_kind_of(e, t), group[t], e->tracks.at[t].priority};
      if (!place_class(f, like, members.at, members.count, &number[s]))
        return false;
    }
  }
  for (uint32_t s = 0; s < total; s++)
    number[s] = number[ts_set_of(f->class, s)];
  f->out->stream_of = of;
  return true;
}

static bool rank_groups_find(rank_groups_finder *f)
{
  f->first_stream = TS_NEW_ARRAY(f->work, uint32_t, f->world + 1);
  for (uint32_t r = 0; r < f->world; r++)
    f->first_stream[r + 1] = f->first_stream[r] + (uint32_t)f->ranks[r]->tracks.count;
  f->class = ts_sets_new(f->work, f->first_stream[f->world]); /* ranks decide in their order */
  f->list_of = TS_NEW_ARRAY(f->arena, uint32_t *, f->world);
  f->out->list_of = (const uint32_t *const *)f->list_of;
  for (uint32_t r = 0; r < f->world; r++)
    if (!take_rank(f, r))
      return false;
  if (!all_called(f))
    return false;
  group_lists(f);
  return number_streams(f);
}

const ts_rank_groups *ts_rank_groups_new(ts_arena *arena, const ts_events *const *ranks,
                                         uint32_t count, ts_error *error)
{
  ts_rank_groups *out = TS_NEW(arena, ts_rank_groups);
  rank_groups_finder f = {.arena = arena,
                          .work = ts_arena_new("groups of ranks"),
                          .ranks = ranks,
                          .world = count,
                          .out = out,
                          .error = error};
  bool good = rank_groups_find(&f);
  ts_arena_free(f.work);
  return good ? out : NULL;
}
