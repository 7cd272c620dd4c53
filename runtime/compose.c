#include "runtime/compose.h"

typedef struct composer {
  const ts_facts *facts;
  const ts_track *track;
  ts_class_result *out;
  ts_comm_share *shares; /* [2 * groups]: of group g collectives at 2 g, messages at 2 g + 1 */
  uint64_t floor;        /* what lies before is accounted for */
} composer;

static const ts_ir *ir_of(const composer *c) { return c->facts->tables->ir; }

static uint64_t later(uint64_t a, uint64_t b) { return a > b ? a : b; }

/* How much of [from, to) lies after the floor. */
static uint64_t open_part(const composer *c, uint64_t from, uint64_t to)
{
  from = later(from, c->floor);
  return to > from ? to - from : 0;
}

static ts_comm_share *share_of(const composer *c, const ts_step *s)
{
  if (s->op->kind == TS_OP_COLLECTIVE)
    return &c->shares[2 * ir_of(c)->collectives[s->op->arg].group];
  const ts_ir_fragment *f = &ir_of(c)->fragments[ts_visit_of(c->track, s)->fragment];
  return &c->shares[2 * ir_of(c)->ports[f->first_port + s->op->arg].group + 1];
}

/* When the message of a receive was on its way: from then on its wait is for the transfer. */
static uint64_t transfer_begin(const composer *c, const ts_step *s)
{
  const ts_player *w = ts_player_of(c->track);
  uint32_t slot = w->program->routes[ts_visit_of(c->track, s)->port_base + s->op->arg].slot;
  uint64_t begin = later(s->ready, w->sent[slot]);
  return begin < s->end ? begin : s->end;
}

static void add_work(composer *c, const ts_ir_node *node, uint64_t time)
{
  if (node->op != TS_IR_COMPUTE)
    return;
  c->out->phase[node->phase] += time;
  c->out->basis[ir_of(c)->kernels[node->arg].basis] += time;
}

/* The part of a step that lies in [its ready time, to), by what was done in it. Not for runs. */
static void add_wait(composer *c, const ts_step *s, uint64_t to)
{
  uint64_t begin = s->ready;
  if (s->op->kind == TS_OP_SEGMENT || s->op->kind == TS_OP_CHOICE)
    return;
  if (s->op->kind == TS_OP_RECV) {
    begin = transfer_begin(c, s);
    c->out->bubble += open_part(c, s->ready, begin);
  }
  share_of(c, s)->exposed += open_part(c, begin, to);
}

/* [floor, to): the compute stream waited for `place`, reached at `to`. Walks back through what that waited for. */
static void explain_gap(composer *c, ts_place place, uint64_t to)
{
  const ts_player *w = ts_player_of(c->track);
  while (to > c->floor && place.kind != TS_AT_BEGIN) {
    if (place.kind == TS_AT_HOST) {
      c->out->host += open_part(c, w->segments[place.segment], to);
      to = w->segments[place.segment];
      place = ts_cause_of_segment(c->track, place.segment);
      continue;
    }
    const ts_step *s = &c->track->steps[place.step];
    uint64_t start = s->ready, issued;
    if (s->op->kind == TS_OP_RUN && ts_first_host_wait(c->track, place.step, &issued)) {
      start = issued;
      add_work(c, ts_node_of(c->track, s, s->op->first), open_part(c, start, to));
      place = ts_host_at(c->track, place.step, s->op->first);
    } else {
      if (s->op->kind == TS_OP_RUN)
        add_work(c, ts_node_of(c->track, s, s->op->first), open_part(c, start, to));
      else
        add_wait(c, s, to);
      place = ts_cause_of_ready(c->track, place.step);
    }
    to = start;
  }
}

/* A step of the compute stream; its kernels are counted elsewhere, fragment by fragment. */
static void compose_step(composer *c, uint32_t step)
{
  const ts_step *s = &c->track->steps[step];
  uint64_t start = s->ready;
  bool late = s->op->kind == TS_OP_RUN && s->end != s->ready + s->time && ts_first_host_wait(c->track, step, &start);
  if (!late)
    start = s->ready;
  if (start > c->floor)
    explain_gap(c, late ? ts_host_at(c->track, step, s->op->first) : ts_cause_of_ready(c->track, step), start);
  c->floor = start;
  if (s->op->kind == TS_OP_RUN)
    c->out->host += s->end - start - s->time;
  else
    add_wait(c, s, s->end);
  c->floor = s->end;
}

static void count_calls(composer *c, const ts_step *s)
{
  if (s->op->kind == TS_OP_RUN || s->op->kind == TS_OP_SEGMENT || s->op->kind == TS_OP_CHOICE)
    return;
  ts_comm_share *share = share_of(c, s);
  share->calls++;
  share->busy += s->end - s->ready;
  if (s->op->kind == TS_OP_COLLECTIVE) {
    share->bytes += ir_of(c)->collectives[s->op->arg].bytes;
    share->transfer += s->time;
    return;
  }
  const ts_player *w = ts_player_of(c->track);
  const ts_visit *v = ts_visit_of(c->track, s);
  uint32_t slot = w->program->routes[v->port_base + s->op->arg].slot;
  share->bytes += ir_of(c)->ports[ir_of(c)->fragments[v->fragment].first_port + s->op->arg].bytes;
  share->transfer += s->op->kind == TS_OP_SEND ? s->end - s->ready : w->arrived[slot] - w->sent[slot];
}

/* Kernels of the compute stream and the host's own time, from how often each fragment is played. */
static void add_fragments(composer *c, ts_arena *scratch)
{
  const ts_tables *t = c->facts->tables;
  const ts_player *w = ts_player_of(c->track);
  const ts_ir_program *program = &t->ir->programs[w->kind->program];
  uint64_t *plays = TS_NEW_ARRAY(scratch, uint64_t, t->ir->fragments_count);
  for (uint32_t i = 0; i < program->item_count; i++)
    plays[w->program->items[i].fragment]++;
  for (uint32_t f = 0; f < t->ir->fragments_count; f++) {
    const ts_ir_node *nodes = ts_nodes_of(t->ir, f);
    for (uint32_t n = 0; plays[f] && n < t->ir->fragments[f].node_count; n++) {
      c->out->host_busy += plays[f] * nodes[n].host_ps;
      if (nodes[n].op == TS_IR_COMPUTE && nodes[n].stream == 0 && !w->took)
        add_work(c, &nodes[n], plays[f] * ts_kernel_time(w->kind, &nodes[n]));
    }
  }
}

/* Kernels of the compute stream that did not always take as long. */
static void add_kernels(composer *c)
{
  const ts_tables *t = c->facts->tables;
  const ts_player *w = ts_player_of(c->track);
  for (uint32_t i = 0; w->took && i < t->ir->programs[w->kind->program].item_count; i++) {
    uint32_t fragment = w->program->items[i].fragment;
    const ts_ir_node *nodes = ts_nodes_of(t->ir, fragment);
    for (uint32_t n = 0; n < t->ir->fragments[fragment].node_count; n++)
      if (nodes[n].op == TS_IR_COMPUTE && nodes[n].stream == 0)
        add_work(c, &nodes[n], ts_took(w, i, n, ts_kernel_time(w->kind, &nodes[n])));
  }
}

static void keep_shares(ts_arena *arena, composer *c)
{
  TS_VEC(ts_comm_share) kept = {0};
  for (uint32_t i = 0; i < 2 * ir_of(c)->groups_count; i++) {
    c->shares[i].group = i / 2;
    c->shares[i].messages = i % 2;
    if (c->shares[i].calls)
      TS_PUSH(arena, &kept, c->shares[i]);
  }
  c->out->comms = kept.at;
  c->out->comm_count = (uint32_t)kept.count;
}

void ts_compose(ts_arena *arena, ts_arena *scratch, const ts_facts *facts, uint32_t player, ts_class_result *out)
{
  composer c = {.facts = facts, .out = out, .track = ts_track_new(scratch, facts, player)};
  c.shares = TS_NEW_ARRAY(scratch, ts_comm_share, 2 * ir_of(&c)->groups_count);
  *out = (ts_class_result){.rank = facts->cast->rank[player], .count = facts->cast->size[player], .program = ts_player_of(c.track)->kind->program};
  add_fragments(&c, scratch);
  add_kernels(&c);
  for (uint32_t i = 0; i < c.track->stream[facts->tables->streams]; i++)
    count_calls(&c, &c.track->steps[i]);
  for (uint32_t i = 0; facts->tables->streams && i < c.track->stream[1]; i++)
    compose_step(&c, i);
  ts_place place = ts_track_end(c.track, &out->end);
  explain_gap(&c, place, out->end);
  keep_shares(arena, &c);
}
