/* Ranks of a schedule, one after the other, into tables that grow in place. */
#include "trace/read/goal_job.h"

#include <stdlib.h>
#include <string.h>

#include "base/heap.h"
#include "trace/read/goal_ranks.h"

typedef struct filler {
  ts_goal_job *s;
  uint32_t *place; /* [world] 1 + in which turn a rank came; 0: not at all */
  uint32_t turns;
  uint32_t room;
  uint64_t edge_room;
} filler;

static bool take_head(void *closure, uint32_t world)
{
  filler *f = closure;
  f->s->world = world;
  f->s->first = ts_heap_new(world + 1, sizeof *f->s->first);
  f->s->next = ts_heap_new(world + 1, sizeof *f->s->next);
  f->place = ts_heap_new(world, sizeof *f->place);
  return true;
}

static void goal_job_make_room(filler *f, uint64_t ops, uint64_t edges)
{
  ts_goal_job *s = f->s;
  uint64_t room = f->room, all = s->count + ops, most = UINT32_MAX - s->world;
  if (all > room || !s->offset) {
    room = all + all / 4 + 1 > most ? most : all + all / 4 + 1;
    s->size = ts_heap_resize(s->size, room, sizeof *s->size);
    s->peer = ts_heap_resize(s->peer, room, sizeof *s->peer);
    s->tag = ts_heap_resize(s->tag, room, sizeof *s->tag);
    s->how = ts_heap_resize(s->how, room, sizeof *s->how);
    s->before = ts_heap_resize(s->before, room, sizeof *s->before);
    s->offset = ts_heap_resize(s->offset, room + s->world, sizeof *s->offset);
    f->room = (uint32_t)room;
  }
  if (s->edges + edges > f->edge_room || !s->waiting) {
    f->edge_room = (s->edges + edges) / 4 * 5 + 4;
    s->waiting = ts_heap_resize(s->waiting, f->edge_room, sizeof *s->waiting);
  }
}

/* Ranks come in any order; they are kept in that of their coming, which is put right in the end. */
static bool take_rank(void *closure, const ts_goal_rank *rank, ts_error *error)
{
  filler *f = closure;
  ts_goal_job *s = f->s;
  uint32_t count = (uint32_t)rank->ops.count, turn = f->turns++;
  if (rank->ops.count >= TS_GOAL_STARTED || rank->requirements.count > UINT32_MAX ||
      s->count + rank->ops.count > UINT32_MAX - s->world)
    return ts_fail(error, NULL, "more than %u operations", UINT32_MAX - s->world);
  goal_job_make_room(f, count, rank->requirements.count);
  f->place[rank->rank] = turn + 1;
  uint32_t *offset = s->offset + s->count + turn, *before = s->before + s->count;
  for (uint32_t i = 0; i < count; i++) {
    const ts_goal_op *op = &rank->ops.at[i];
    uint32_t at = s->count + i;
    s->size[at] = (uint64_t)op->size;
    s->peer[at] = op->peer < 0 ? UINT32_MAX : (uint32_t)op->peer;
    s->tag[at] = op->tag < 0 ? UINT32_MAX : (uint32_t)op->tag;
    s->how[at] = (uint32_t)op->kind | (uint32_t)op->cpu << 8 | (uint32_t)op->nic << 16;
    s->cpus = op->cpu >= s->cpus ? op->cpu + 1u : s->cpus;
    s->nics = op->nic >= s->nics ? op->nic + 1u : s->nics;
  }
  memset(before, 0, count * sizeof *before);
  memset(offset, 0, (count + 1) * sizeof *offset);
  for (size_t i = 0; i < rank->requirements.count; i++) {
    before[rank->requirements.at[i].op]++;
    offset[rank->requirements.at[i].before]++;
  }
  for (uint32_t i = 0, sum = 0; i <= count; i++) { /* to the end of each; filled from behind */
    sum += offset[i];
    offset[i] = sum;
  }
  uint32_t *waiting = s->waiting + s->edges;
  for (size_t i = rank->requirements.count; i-- > 0;) {
    ts_goal_requirement q = rank->requirements.at[i];
    waiting[--offset[q.before]] = q.op | (q.started ? TS_GOAL_STARTED : 0);
  }
  s->first[turn] = s->count;
  s->next[turn] = s->edges;
  s->count += count;
  s->edges += rank->requirements.count;
  return true;
}

typedef struct goal_job_block {
  void *at;
  size_t size;
} goal_job_block;

/* Files that list ranks from 0 up need nothing. */
static bool in_order(const filler *f)
{
  for (uint32_t r = 0; r < f->s->world; r++)
    if (f->place[r] != r + 1)
      return false;
  return true;
}

static uint32_t *sorted32(const filler *f, const uint32_t *from, uint32_t more)
{
  const ts_goal_job *s = f->s;
  uint32_t *to = ts_heap_new((size_t)s->count + s->world + 1, sizeof *to);
  size_t at = 0;
  for (uint32_t r = 0; r < s->world; r++) {
    uint32_t turn = f->place[r] - 1, count = f->place[r] ? s->first[turn + 1] - s->first[turn] : 0;
    if (count)
      memcpy(to + at, from + s->first[turn] + (more ? turn : 0), (count + more) * sizeof *to);
    at += count + more;
  }
  return to;
}

static void put_in_order(filler *f)
{
  ts_goal_job *s = f->s, old = *s;
  s->peer = sorted32(f, old.peer, 0);
  s->tag = sorted32(f, old.tag, 0);
  s->how = sorted32(f, old.how, 0);
  s->before = sorted32(f, old.before, 0);
  s->offset = sorted32(f, old.offset, 1);
  s->size = ts_heap_new((size_t)s->count + 1, sizeof *s->size);
  s->waiting = ts_heap_new(s->edges + 1, sizeof *s->waiting);
  s->first = ts_heap_new(s->world + 1, sizeof *s->first);
  s->next = ts_heap_new(s->world + 1, sizeof *s->next);
  for (uint32_t r = 0; r < s->world; r++) {
    uint32_t turn = f->place[r] - 1, count = 0;
    uint64_t edges = 0;
    if (f->place[r]) {
      count = old.first[turn + 1] - old.first[turn];
      edges = old.next[turn + 1] - old.next[turn];
    }
    if (count)
      memcpy(s->size + s->first[r], old.size + old.first[turn], count * sizeof *s->size);
    if (edges)
      memcpy(s->waiting + s->next[r], old.waiting + old.next[turn], edges * sizeof *s->waiting);
    s->first[r + 1] = s->first[r] + count;
    s->next[r + 1] = s->next[r] + edges;
  }
  free(old.peer), free(old.tag), free(old.how), free(old.before), free(old.offset);
  free(old.size), free(old.waiting), free(old.first), free(old.next);
}

static ts_goal_job *goal_job_fill(ts_feed *feed, ts_error *error)
{
  ts_feed_need(feed, 512);
  if (error->message[0] || !ts_is_goal(feed)) {
    ts_feed_close(feed);
    return NULL;
  }
  ts_goal_job *s = ts_heap_new(1, sizeof *s);
  filler f = {.s = s};
  bool good = ts_goal_read(feed, &(ts_goal_sink){take_head, take_rank, &f}, &s->cut);
  ts_feed_close(feed);
  if (good && !s->count)
    good = ts_fail(error, "operations are lines as `a: calc 1200 cpu 0`",
                   "the schedule has no operations");
  if (good) {
    s->first[f.turns] = s->count;
    s->next[f.turns] = s->edges;
    if (!in_order(&f))
      put_in_order(&f);
  }
  free(f.place);
  if (good)
    return s;
  ts_goal_job_free(s);
  return NULL;
}

ts_goal_job *ts_goal_job_read(const char *path, ts_error *error)
{
  ts_feed feed;
  *error = (ts_error){0};
  if (ts_feed_open(&feed, path, error))
    return goal_job_fill(&feed, error);
  ts_feed_close(&feed);
  return NULL;
}

ts_goal_job *ts_goal_job_parse(const void *bytes, size_t size, ts_error *error)
{
  ts_feed feed;
  *error = (ts_error){0};
  ts_feed_memory(&feed, bytes, size, error);
  return goal_job_fill(&feed, error);
}

void ts_goal_job_free(ts_goal_job *s)
{
  if (!s)
    return;
  free(s->peer), free(s->tag), free(s->how), free(s->before), free(s->offset);
  free(s->size), free(s->waiting), free(s->first), free(s->next);
  free(s);
}
