#include "runtime/account/blame.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/account/run.h"
#include "runtime/play/track.h"

/* of one class for another, in one kind of traffic */
typedef struct wait { uint64_t time, count; } wait;

typedef struct judge {
  ts_arena *scratch;
  const ts_facts *facts;
  const ts_track *track;
  uint32_t rows;   /* 2 * groups: collectives, messages */
  wait *waits;     /* [players * rows] of the class at hand */
  TS_VEC(uint32_t) touched;
  ts_blame *sums;  /* [players * rows] */
} judge;

static void blame_add(judge *j, uint32_t player, uint32_t row, uint64_t time)
{
  uint32_t at = player * j->rows + row;
  if (!j->waits[at].count)
    TS_PUSH(j->scratch, &j->touched, at);
  j->waits[at].time += time;
  j->waits[at].count++;
}

static void judge_step(judge *j, uint32_t step)
{
  const ts_track *track = j->track;
  const ts_played_op *s = &track->steps[step];
  const ts_ir *ir = j->facts->tables->ir;
  const ts_player *w = ts_player_of(track);
  if (s->op->kind == TS_OP_COLLECTIVE && s->end - s->time > s->ready) {
    const ts_rendezvous *m = &j->facts->fold->rendezvous[w->rendezvous[s->op->comm]];
    uint32_t who = j->facts->latest[m->call_base + ts_call_of(track, step)];
    blame_add(j, who, 2 * ir->collectives[s->op->arg].group, s->end - s->time - s->ready);
  } else if (s->op->kind == TS_OP_RECV) {
    const ts_play_item *v = ts_item_of(track, s);
    const ts_route *route = &w->program->routes[v->port_base + s->op->arg];
    uint32_t group = ir->ports[ir->fragments[v->fragment].first_port + s->op->arg].group;
    if (w->sent[route->slot] > s->ready)
      blame_add(j, w->peers[route->peer], 2 * group + 1, w->sent[route->slot] - s->ready);
  }
}

static void judge_class(judge *j, uint32_t player)
{
  ts_arena *scratch = ts_arena_new("waits of a class");
  uint32_t ranks = j->facts->fold->size[player];
  j->track = ts_track_new(scratch, j->facts, player);
  j->touched.count = 0;
  for (uint32_t i = 0; i < j->track->stream[j->facts->tables->streams]; i++)
    judge_step(j, i);
  for (size_t i = 0; i < j->touched.count; i++) {
    uint32_t at = j->touched.at[i];
    ts_blame *b = &j->sums[at];
    b->time += (double)j->waits[at].time * ranks;
    b->waits += j->waits[at].count * ranks;
    b->ranks += ranks;
    if (j->waits[at].time > b->most) {
      b->most = j->waits[at].time;
      b->most_class = player;
    }
    j->waits[at] = (wait){0};
  }
  ts_arena_free(scratch);
}

static int longer(const void *x, const void *y)
{
  const ts_blame *a = x, *b = y;
  if (a->time != b->time)
    return a->time < b->time ? 1 : -1;
  if (a->class != b->class)
    return a->class < b->class ? -1 : 1;
  return a->group != b->group ? (a->group < b->group ? -1 : 1) :
                                (int)a->messages - (int)b->messages;
}

const ts_blames *ts_blames_new(ts_arena *arena, const ts_run *run)
{
  const ts_facts *facts = ts_run_facts(run);
  judge j = {
    .scratch = ts_arena_new("blame"), .facts = facts, .rows = 2 * facts->tables->ir->groups_count};
  size_t cells = (size_t)facts->fold->count * j.rows;
  j.waits = TS_NEW_ARRAY(j.scratch, wait, cells);
  j.sums = TS_NEW_ARRAY(j.scratch, ts_blame, cells);
  for (uint32_t p = 0; p < facts->fold->count; p++)
    judge_class(&j, p);
  TS_VEC(ts_blame) chosen = {0};
  ts_blames *blames = TS_NEW(arena, ts_blames);
  for (uint32_t i = 0; i < cells; i++) {
    ts_blame *b = &j.sums[i];
    if (!b->waits)
      continue;
    b->class = i / j.rows;
    b->group = i % j.rows / 2;
    b->messages = i % 2;
    blames->time += b->time;
    TS_PUSH(arena, &chosen, *b);
  }
  TS_SORT(&chosen, longer);
  blames->at = TS_ITEMS(arena, &chosen);
  blames->count = (uint32_t)chosen.count;
  ts_arena_free(j.scratch);
  return blames;
}
