#include "runtime/account/rounds.h"

#include "runtime/account/queued.h"

#define MOST (UINT64_C(1) << (TS_CLOCK_BITS - 1)) /* ps of a step */

/* of a player */
typedef struct rounds_part {
  uint32_t from, cut, to; /* items: [from, to) are those a round before, moved by a time */
  uint32_t round;         /* items of a round */
  uint64_t time;          /* ps of a round */
  uint64_t host;          /* ps that the host needs for one */
} rounds_part;

static bool follows(const ts_player *w, uint32_t item, const rounds_part *p)
{
  return w->alike[item] == w->alike[item - p->round] &&
         w->begun[item] - w->begun[item - p->round] == p->time &&
         w->program->items[item].segment == w->program->items[item - p->round].segment;
}

/* A round holds in the end what it held in the beginning. */
static bool holds_as_before(const ts_ir *ir, uint32_t program)
{
  const ts_ir_round *r = &ir->left_out->of[program];
  int64_t sum = 0;
  for (uint32_t i = r->first; i < r->first + r->count; i++) {
    const ts_ir_item *item = &ir->items[ir->programs[program].first_item + i];
    const ts_ir_fragment *f = &ir->fragments[item->fragment];
    for (uint32_t n = f->first_node; n < f->first_node + f->node_count; n++)
      for (uint32_t m = 0; m < ir->nodes[n].mem_count; m++)
        sum += ir->mems[ir->nodes[n].first_mem + m].bytes;
  }
  return !sum;
}

static bool host_holds(const ts_ir *ir)
{
  for (uint32_t n = 0; n < ir->nodes_count; n++)
    if (ts_is_host(&ir->nodes[n]) && ir->nodes[n].mem_count)
      return true;
  return false;
}

/* At least one round on both sides of the cut. */
static bool find_part(const ts_facts *f, const ts_player *w, rounds_part *p)
{
  const ts_ir *ir = f->tables->ir;
  const ts_ir_round *r = &ir->left_out->of[w->role->program];
  uint32_t items = ir->programs[w->role->program].item_count;
  *p = (rounds_part){.cut = r->first + r->count, .round = r->count};
  if (!w->alike || !w->entries || !holds_as_before(ir, w->role->program) || w->role->queue_count ||
      p->round > r->first || !p->round)
    return false;
  p->time = w->begun[p->cut - 1] - w->begun[p->cut - 1 - p->round];
  p->host = w->program->items[p->cut - 1].offset - w->program->items[p->cut - 1 - p->round].offset;
  for (p->from = p->cut; p->from > p->round && follows(w, p->from - 1, p); p->from--)
    ;
  for (p->to = p->cut; p->to < items && follows(w, p->to, p); p->to++)
    ;
  return p->from <= r->first && p->to >= p->cut + p->round && p->host <= p->time;
}

static bool within(const rounds_part *p, uint32_t item) { return p->from <= item && item < p->to; }

static bool beside_cut(const rounds_part *p, uint32_t item)
{
  return item + p->round >= p->cut && item < p->cut + p->round;
}

/* What the player receives. */
static bool messages_cross_well(const ts_facts *f, const rounds_part *parts, uint32_t player)
{
  const ts_player *w = &f->players[player];
  const rounds_part *p = &parts[player];
  for (uint32_t i = 0; i < w->program->port_count; i++) {
    const ts_route *route = &w->program->routes[i];
    if (route->slot == TS_IR_NONE || route->call != TS_IR_NONE)
      continue;
    const ts_message *m = &w->program->messages[route->slot];
    const rounds_part *q = &parts[w->peers[route->peer]];
    bool near = beside_cut(p, m->item) || beside_cut(q, m->send_item) ||
                (m->item < p->cut) != (m->send_item < q->cut);
    if (near && (!within(p, m->item) || !within(q, m->send_item)))
      return false;
  }
  return true;
}

/* Calls before the cut are as many for all who meet. */
static bool calls_meet_well(const ts_facts *f, const rounds_part *parts, uint32_t player)
{
  const ts_player *w = &f->players[player];
  for (uint32_t c = 0; c < f->tables->comm_count; c++) {
    if (w->rendezvous[c] == TS_IR_NONE)
      continue;
    const ts_rendezvous *r = &f->fold->rendezvous[w->rendezvous[c]];
    const ts_player *first = &f->players[f->fold->members[r->first]];
    uint32_t cut = parts[f->fold->members[r->first]].cut, comms = f->tables->comm_count;
    if (w->program->call_base[(size_t)parts[player].cut * comms + c] !=
        first->program->call_base[(size_t)cut * comms + c])
      return false;
  }
  return true;
}

/* It moves as far as all behind the cut. */
static bool moves(const ts_track *track, const rounds_part *p, ts_place place)
{
  if (place.kind == TS_AT_STEP)
    return ts_step_at(track, place.step)->item >= p->from;
  return place.kind == TS_AT_HOST &&
         (p->host == p->time ||
          place.segment > ts_player_of(track)->program->items[p->cut].segment);
}

static bool step_moves(const ts_track *track, const rounds_part *p, uint32_t step)
{
  const ts_played_op *s = ts_step_at(track, step);
  uint64_t posted, start;
  uint32_t place = s->op->first;
  ts_place cause;
  if (s->op->kind == TS_OP_SEGMENT)
    return true;
  if (s->op->kind == TS_OP_CHOICE || !moves(track, p, ts_cause_of_ready(track, step)))
    return false;
  if (s->op->kind == TS_OP_RUN && ts_run_host_wait(track, step, &place, &start))
    return moves(track, p, ts_host_at(track, step, place));
  if (s->op->kind != TS_OP_SEND)
    return true;
  ts_transit_at(track, s, &posted);
  return !ts_cause_of_posting(track, step, posted, &cause) || moves(track, p, cause);
}

/* All behind the steady rounds waits for what moves with it. Items that were played alike wait for
 * the same, and a later one for later work of its streams and its host: the first is looked at. */
static bool rest_moves(ts_arena *arena, const ts_facts *f, const rounds_part *p, uint32_t player)
{
  const ts_track *track = ts_track_as_requested(arena, f, player);
  const ts_player *w = ts_player_of(track);
  uint32_t items = f->tables->ir->programs[w->role->program].item_count,
           streams = f->tables->streams;
  bool *seen = TS_NEW_ARRAY(arena, bool, items);
  uint64_t end;
  bool good = moves(track, p, ts_track_end(track, &end));
  for (uint32_t i = p->to; i < items && good; i++) {
    if (seen[w->alike[i]])
      continue;
    seen[w->alike[i]] = true;
    for (uint32_t s = 0; s < streams; s++) {
      uint32_t count = w->role->code[w->program->items[i].fragment].stream[s].count;
      for (uint32_t k = 0; k < count; k++)
        good = good && step_moves(track, p, track->item_first[(size_t)i * streams + s] + k);
    }
  }
  for (uint32_t s = w->program->items[p->cut].segment + 1; s < w->program->segment_count; s++)
    good = good && moves(track, p, ts_cause_of_segment(track, s));
  return good;
}

bool ts_rounds_find(const ts_facts *facts, ts_rounds *of)
{
  const ts_ir_left_out *left = facts->tables->ir->left_out;
  *of = (ts_rounds){0};
  if (!left)
    return true;
  ts_arena *arena = ts_arena_new("rounds"), *scratch = ts_arena_inside(arena, "track");
  uint32_t players = facts->fold->count;
  rounds_part *parts = TS_NEW_ARRAY(arena, rounds_part, players);
  bool good = !host_holds(facts->tables->ir);
  for (uint32_t p = 0; p < players && good; p++)
    good = find_part(facts, &facts->players[p], &parts[p]) && parts[p].time == parts[0].time;
  for (uint32_t p = 0; p < players && good; p++, ts_arena_reset(scratch))
    good = messages_cross_well(facts, parts, p) && calls_meet_well(facts, parts, p) &&
           rest_moves(scratch, facts, &parts[p], p);
  if (good)
    *of = (ts_rounds){left->rounds, parts[0].time};
  ts_arena_free(arena);
  return good && facts->end < MOST && of->time < (MOST - facts->end) / of->count;
}
