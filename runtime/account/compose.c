#include "runtime/account/compose.h"

#include <string.h>

#include "base/hash_table.h"

typedef struct usual { /* what ranks of a kind do however they wait */
  uint64_t phase[TS_IR_PHASES], basis[TS_IR_BASES], host_busy;
  const ts_comm_share *shares; /* [accounts] calls and bytes */
} usual;

struct ts_composer {
  const ts_facts *facts;
  uint32_t accounts;    /* of traffic: as ts_play_op.comm */
  const usual *roles;
};

typedef struct compose_sums { /* of an item that is explained by itself */
  uint64_t equal_item;        /* ts_player.equal_items */
  ts_class_result result;
  const ts_comm_share *shares; /* [accounts] */
} compose_sums;

struct ts_compose_memo {
  ts_arena *arena;
  TS_VEC(compose_sums) items;
  ts_hash_table table; /* of items */
};

typedef struct taken { /* as ts_attribution has it */
  const ts_ir_node *node;
  ts_share_kind kind;
  uint64_t time;
} taken;

typedef struct composer {
  const ts_facts *facts;
  ts_compose_memo *memo;
  const ts_track *track;
  ts_class_result *out;
  ts_comm_share *shares; /* [accounts] */
  const ts_attribution *each; /* or NULL */
  TS_VEC(taken) taken;        /* to be told of once it is known how often */
  ts_arena *scratch;
  uint64_t floor;        /* what lies before is accounted for */
  uint32_t before;       /* item of the step in front of which a gap is */
  bool beyond;           /* a gap was explained by another item, or by the host */
} composer;

static const ts_ir *ir_of(const composer *c) { return c->facts->tables->ir; }

static uint64_t compose_later(uint64_t a, uint64_t b) { return a > b ? a : b; }

/* How much of [from, to) lies after the floor. */
static uint64_t open_part(const composer *c, uint64_t from, uint64_t to)
{
  from = compose_later(from, c->floor);
  return to > from ? to - from : 0;
}

static uint32_t slot_of(const composer *c, const ts_played_op *s)
{
  return ts_player_of(c->track)
    ->program->routes[ts_item_of(c->track, s)->port_base + s->op->arg]
    .slot;
}

/* When the message of a receive was on its way: from then on its wait is for the transfer. */
static uint64_t transfer_begin(const composer *c, const ts_played_op *s)
{
  uint64_t begin = compose_later(s->ready, ts_player_of(c->track)->sent[slot_of(c, s)]);
  return begin < s->end ? begin : s->end;
}

static void attribute(composer *c, const ts_ir_node *node, ts_share_kind kind, uint64_t time)
{
  if (c->each && c->each->take && time)
    TS_PUSH(c->scratch, &c->taken, (taken){node, kind, time});
}

static void tell(composer *c, uint64_t times)
{
  for (size_t i = 0; i < c->taken.count; i++)
    c->each->take(c->each->closure, c->taken.at[i].node, c->taken.at[i].kind,
                  times * c->taken.at[i].time);
  c->taken.count = 0;
}

/* Tells of the part of [from, to) that lies after the floor, and returns its length. `s`: what was
 * waited for, NULL: the host. */
static uint64_t add_idle(const composer *c, ts_idle_kind kind, const ts_played_op *s, uint64_t from,
                         uint64_t to)
{
  uint64_t open = open_part(c, from, to);
  if (open && c->each && c->each->idle)
    c->each->idle(c->each->closure,
                  &(ts_idle){.kind = kind,
                             .before = c->before,
                             .item = s ? s->item : TS_IR_NONE,
                             .node = s ? ts_node_of(c->track, s, s->op->first) : NULL,
                             .from = to - open,
                             .to = to});
  return open;
}

static void add_work(composer *c, const ts_ir_node *node, uint64_t time)
{
  if (node->op != TS_IR_COMPUTE)
    return;
  attribute(c, node, TS_SHARE_COMPUTE, time);
  c->out->phase[node->phase] += time;
  c->out->basis[ir_of(c)->kernels[node->arg].basis] += time;
}

/* The part of a step that lies in [its ready time, to), by what was done in it. Not for runs. */
static void add_wait(composer *c, const ts_played_op *s, uint64_t to)
{
  uint64_t begin = s->ready, exposed;
  if (s->op->kind == TS_OP_SEGMENT || s->op->kind == TS_OP_CHOICE)
    return;
  if (s->op->kind == TS_OP_RECV) {
    begin = transfer_begin(c, s);
    c->out->bubble += add_idle(c, TS_IDLE_BUBBLE, s, s->ready, begin);
  }
  exposed = add_idle(c, TS_IDLE_EXPOSED, s, begin, to);
  c->shares[s->op->comm].exposed += exposed;
  attribute(c, ts_node_of(c->track, s, s->op->first), TS_SHARE_EXPOSED, exposed);
}

/* [floor, to): the compute stream waited for `place`, reached at `to`. Walks back through what that
 * waited for. */
static void explain_gap(composer *c, ts_place place, uint64_t to)
{
  const ts_player *w = ts_player_of(c->track);
  while (to > c->floor && place.kind != TS_AT_BEGIN) {
    if (place.kind == TS_AT_HOST) {
      c->beyond |= w->segments[place.segment] > c->floor;
      uint64_t begin = w->segments[place.segment];
      c->out->host += add_idle(c, TS_IDLE_HOST, NULL, begin, to);
      to = begin;
      if (to > c->floor)
        place = ts_cause_of_segment(c->track, place.segment);
      continue;
    }
    uint32_t step = place.step;
    const ts_played_op *s = ts_step_at(c->track, step);
    uint64_t start = s->ready, issued;
    c->beyond |= s->item != c->before;
    bool late = s->op->kind == TS_OP_RUN && ts_first_host_wait(c->track, step, &issued);
    if (late)
      start = issued;
    if (s->op->kind == TS_OP_RUN)
      add_work(c, ts_node_of(c->track, s, s->op->first),
               add_idle(c, TS_IDLE_WORK, s, start, to));
    else
      add_wait(c, s, to);
    to = start;
    if (to > c->floor) /* most gaps end here */
      place = late ? ts_host_at(c->track, step, s->op->first) : ts_cause_of_ready(c->track, step);
  }
}

/* A step of the compute stream; its kernels are counted elsewhere, fragment by fragment. */
static void compose_step(composer *c, uint32_t step)
{
  const ts_played_op *s = ts_step_at(c->track, step);
  uint64_t start = s->ready;
  bool late = s->op->kind == TS_OP_RUN && s->end != s->ready + s->time &&
              ts_first_host_wait(c->track, step, &start);
  if (!late)
    start = s->ready;
  c->before = s->item;
  if (start > c->floor)
    explain_gap(c,
                late ? ts_host_at(c->track, step, s->op->first) : ts_cause_of_ready(c->track, step),
                start);
  c->floor = start;
  if (s->op->kind == TS_OP_RUN)
    c->out->host += s->end - start - s->time;
  else
    add_wait(c, s, s->end);
  c->floor = s->end;
}

static void count_wait(composer *c, const ts_played_op *s)
{
  ts_comm_share *share = &c->shares[s->op->comm];
  const ts_player *w = ts_player_of(c->track);
  uint64_t transfer;
  switch (s->op->kind) {
  case TS_OP_COLLECTIVE: transfer = s->time; break;
  case TS_OP_SEND: transfer = s->end - s->ready; break;
  case TS_OP_RECV: transfer = w->arrived[slot_of(c, s)] - w->sent[slot_of(c, s)]; break;
  default: return;
  }
  share->transfer += transfer;
  share->busy += s->end - s->ready;
  attribute(c, ts_node_of(c->track, s, s->op->first), TS_SHARE_TRANSFER, transfer);
}

/* Kernels of the compute stream, where they did not always take as long or somebody is to be told
 * of them: one by one, or those of all plays of a fragment with its first. */
static void add_kernels(composer *c)
{
  const ts_tables *t = c->facts->tables;
  const ts_player *w = ts_player_of(c->track);
  uint32_t items = t->ir->programs[w->role->program].item_count,
           *plays = TS_NEW_ARRAY(c->scratch, uint32_t, t->ir->fragments_count);
  for (uint32_t i = 0; i < items; i++)
    plays[w->program->items[i].fragment]++;
  for (uint32_t i = 0; i < items; i++) {
    uint32_t fragment = w->program->items[i].fragment,
             times = w->kernels_vary ? 1 : plays[fragment];
    const ts_ir_node *nodes = ts_fragment_nodes(t->ir, fragment);
    for (uint32_t n = 0; times && n < t->ir->fragments[fragment].node_count; n++)
      if (nodes[n].stream == 0)
        add_work(c, &nodes[n], times * ts_took(w, t, i, n, ts_kernel_time(w->role, &nodes[n])));
    plays[fragment] = 0;
    tell(c, 1);
  }
}

static void keep_shares(ts_arena *arena, ts_arena *scratch, composer *c, uint32_t accounts)
{
  const ts_tables *t = c->facts->tables;
  ts_comm_share *by_group = TS_NEW_ARRAY(scratch, ts_comm_share, 2 * t->ir->groups_count);
  TS_VEC(ts_comm_share) chosen = {0};
  for (uint32_t a = 0; a < accounts; a++) {
    const ts_comm_share *from = &c->shares[a];
    ts_comm_share *to =
      &by_group[a < t->comm_count ? 2 * t->comms[a].group : 2 * (a - t->comm_count) + 1];
    to->calls += from->calls;
    to->bytes += from->bytes;
    to->busy += from->busy;
    to->exposed += from->exposed;
    to->transfer += from->transfer;
  }
  for (uint32_t i = 0; i < 2 * t->ir->groups_count; i++) {
    by_group[i].group = i / 2;
    by_group[i].messages = i % 2;
    if (by_group[i].calls)
      TS_PUSH(arena, &chosen, by_group[i]);
  }
  c->out->comms = TS_ITEMS(arena, &chosen);
  c->out->comm_count = (uint32_t)chosen.count;
}

/* ---- What hangs on the kind alone: fragments, by how often each is played ---- */

static void count_calls(const ts_tables *t, const ts_role *role, uint32_t fragment, uint64_t plays,
                        ts_comm_share *shares)
{
  for (uint32_t s = 0; s < t->streams; s++) {
    ts_range code = role->code[fragment].stream[s];
    for (const ts_play_op *op = role->ops + code.first; op < role->ops + code.first + code.count;
         op++) {
      if (op->kind != TS_OP_COLLECTIVE && op->kind != TS_OP_SEND && op->kind != TS_OP_RECV)
        continue;
      shares[op->comm].calls += plays;
      shares[op->comm].bytes +=
        plays * (op->kind == TS_OP_COLLECTIVE ?
                   t->ir->collectives[op->arg].bytes :
                   t->ir->ports[t->ir->fragments[fragment].first_port + op->arg].bytes);
    }
  }
}

static void add_fragment(const ts_tables *t, const ts_role *role, uint32_t fragment, uint64_t plays,
                         usual *u)
{
  const ts_ir_node *nodes = ts_fragment_nodes(t->ir, fragment);
  for (uint32_t n = 0; n < t->ir->fragments[fragment].node_count; n++) {
    u->host_busy += plays * nodes[n].host_ps;
    if (nodes[n].op != TS_IR_COMPUTE || nodes[n].stream)
      continue;
    uint64_t time = plays * ts_kernel_time(role, &nodes[n]);
    u->phase[nodes[n].phase] += time;
    u->basis[t->ir->kernels[nodes[n].arg].basis] += time;
  }
}

ts_composer *ts_composer_new(ts_arena *arena, const ts_facts *facts)
{
  const ts_tables *t = facts->tables;
  ts_composer *c = TS_NEW(arena, ts_composer);
  usual *roles = TS_NEW_ARRAY(arena, usual, facts->roles->count);
  uint64_t *plays = TS_NEW_ARRAY(arena, uint64_t, t->ir->fragments_count);
  *c = (ts_composer){facts, t->comm_count + t->ir->groups_count, roles};
  for (uint32_t k = 0; k < facts->roles->count; k++) {
    const ts_role *role = &facts->roles->at[k];
    ts_comm_share *shares = TS_NEW_ARRAY(arena, ts_comm_share, c->accounts);
    memset(plays, 0, t->ir->fragments_count * sizeof *plays);
    for (uint32_t i = 0; i < t->ir->programs[role->program].item_count; i++)
      plays[t->programs[role->program].items[i].fragment] += ts_ir_plays(t->ir, role->program, i);
    for (uint32_t f = 0; f < t->ir->fragments_count; f++) {
      if (!plays[f])
        continue;
      add_fragment(t, role, f, plays[f], &roles[k]);
      count_calls(t, role, f, plays[f], shares);
    }
    roles[k].shares = shares;
  }
  return c;
}

/* ---- Item by item ---- */

static ts_range steps_of(const ts_track *track, uint32_t item, uint32_t stream)
{
  const ts_player *w = ts_player_of(track);
  uint32_t count = w->role->code[w->program->items[item].fragment].stream[stream].count,
           streams = track->facts->tables->streams;
  return (ts_range){count ? track->item_first[(size_t)item * streams + stream] : 0, count};
}

/* Waits stream by stream, each with all that were played alike: it is so that somebody is told of
 * them. */
static void count_all_waits(composer *c, uint32_t items, ts_arena *scratch)
{
  const uint32_t *alike = ts_player_of(c->track)->alike;
  uint32_t *times = TS_NEW_ARRAY(scratch, uint32_t, items);
  for (uint32_t i = 0; i < items; i++)
    times[alike[i]]++;
  for (uint32_t s = 0; s < c->facts->tables->streams; s++)
    for (uint32_t i = 0; i < items; i++) {
      ts_range steps = times[i] ? steps_of(c->track, i, s) : (ts_range){0, 0};
      for (uint32_t k = steps.first; k < steps.first + steps.count; k++)
        count_wait(c, ts_step_at(c->track, k));
      tell(c, times[i]);
    }
}

static void compose_item(composer *c, uint32_t item)
{
  for (uint32_t s = 0; s < c->facts->tables->streams && !c->each; s++) {
    ts_range steps = steps_of(c->track, item, s);
    for (uint32_t i = steps.first; i < steps.first + steps.count; i++)
      count_wait(c, ts_step_at(c->track, i));
  }
  ts_range steps = steps_of(c->track, item, 0);
  for (uint32_t i = steps.first; i < steps.first + steps.count; i++)
    compose_step(c, i);
}

ts_compose_memo *ts_compose_memo_new(ts_arena *arena)
{
  ts_compose_memo *memo = TS_NEW(arena, ts_compose_memo);
  memo->arena = arena;
  return memo;
}

static const compose_sums *find_equal_item(const composer *c, uint32_t item)
{
  uint64_t equal_item = ts_player_of(c->track)->equal_items[item];
  uint32_t found =
    ts_hash_find_key(&c->memo->table, equal_item, c->memo->items.at, sizeof *c->memo->items.at);
  return found == TS_HASH_NONE ? NULL : &c->memo->items.at[found];
}

static void keep_sums(const composer *c, uint32_t accounts, uint32_t item, const compose_sums *s)
{
  enum { MOST = 1 << 14 };
  ts_compose_memo *memo = c->memo;
  uint64_t equal_item = ts_player_of(c->track)->equal_items[item];
  if (memo->items.count == MOST)
    return;
  ts_hash_add(memo->arena, &memo->table, ts_hash_number(equal_item), (uint32_t)memo->items.count);
  TS_PUSH(memo->arena, &memo->items,
          ((compose_sums){equal_item, s->result,
                          ts_arena_copy(memo->arena, s->shares, accounts * sizeof *s->shares)}));
}

/* What the item comes to; the floor lies in front of it. */
static compose_sums sum_item(composer *c, uint32_t accounts, ts_comm_share *own, uint32_t item)
{
  compose_sums s = {.shares = own};
  ts_class_result *out = c->out;
  ts_comm_share *shares = c->shares;
  memset(own, 0, accounts * sizeof *own);
  c->out = &s.result;
  c->shares = own;
  compose_item(c, item);
  c->out = out;
  c->shares = shares;
  return s;
}

/* Adds `times` what the item comes to; if that hangs on others, as often as it is played itself.
 * `equal_items`: it may equal another player's. */
static void add_item(composer *c, uint32_t accounts, ts_comm_share *own, uint32_t item,
                     uint64_t times, uint64_t plays, bool equal_items)
{
  ts_class_result *out = c->out;
  const compose_sums *known = equal_items ? find_equal_item(c, item) : NULL;
  c->beyond = false;
  compose_sums s = known ? *known : sum_item(c, accounts, own, item);
  times = c->beyond ? plays : times;
  tell(c, times);
  if (equal_items && !known && !c->beyond)
    keep_sums(c, accounts, item, &s);
  for (uint32_t i = 0; i < TS_IR_PHASES; i++)
    out->phase[i] += times * s.result.phase[i];
  for (uint32_t i = 0; i < TS_IR_BASES; i++)
    out->basis[i] += times * s.result.basis[i];
  out->bubble += times * s.result.bubble;
  out->host += times * s.result.host;
  for (uint32_t a = 0; a < accounts; a++) {
    c->shares[a].busy += times * s.shares[a].busy;
    c->shares[a].exposed += times * s.shares[a].exposed;
    c->shares[a].transfer += times * s.shares[a].transfer;
  }
}

/* What an item comes to hangs on nothing but its play, where the host's stretch began before it,
 * unless it has to be explained by another item: so items that were played alike are counted with
 * the first of them. */
static void compose_items(composer *c, uint32_t accounts, ts_arena *scratch)
{
  const ts_tables *t = c->facts->tables;
  const ts_player *w = ts_player_of(c->track);
  uint32_t items = t->ir->programs[w->role->program].item_count;
  uint64_t *times = TS_NEW_ARRAY(scratch, uint64_t, items);
  bool *single = TS_NEW_ARRAY(scratch, bool, items); /* is composed by itself */
  uint64_t *floors = ts_arena_alloc_raw(scratch, items * sizeof *floors);
  ts_comm_share *own = TS_NEW_ARRAY(scratch, ts_comm_share, accounts);
  for (uint32_t i = 0, k = 0; i < items; i++) {
    bool computes = k < w->program->stream[0].count && w->program->stream_items[k] == i;
    floors[i] = computes ? w->entries[k++] : 0;
    single[i] = computes && w->segments[w->program->items[i].segment] > floors[i];
    times[single[i] ? i : w->alike[i]] += ts_ir_plays(t->ir, w->role->program, i);
  }
  for (uint32_t i = 0; i < items; i++) {
    bool first = w->alike[i] == i;
    if (!first && !single[i] && !single[w->alike[i]]) {
      if (c->each && c->each->idle)
        c->each->again(c->each->closure, i, w->alike[i], w->begun[i] - w->begun[w->alike[i]]);
      continue;
    }
    c->floor = floors[i];
    bool alone = !first || single[i];
    uint64_t plays = ts_ir_plays(t->ir, w->role->program, i);
    add_item(c, accounts, own, i, alone ? plays : times[i], plays, !alone && !c->each);
    single[i] |= first && c->beyond;
  }
}

void ts_compose(const ts_composer *shared, ts_compose_memo *memo, ts_arena *arena,
                ts_arena *scratch, uint32_t player, const ts_attribution *each,
                ts_class_result *out)
{
  const ts_facts *facts = shared->facts;
  const ts_player *w = &facts->players[player];
  const usual *u = &shared->roles[w->role - facts->roles->at];
  composer c = {.facts = facts,
                .memo = memo,
                .out = out,
                .each = each,
                .scratch = scratch,
                .track = ts_track_as_requested(scratch, facts, player)};
  const ts_track *track = c.track;
  uint32_t streams = facts->tables->streams;
  c.shares = ts_arena_copy(scratch, u->shares, shared->accounts * sizeof *c.shares);
  *out = (ts_class_result){.rank = facts->fold->rank[player],
                           .count = facts->fold->size[player],
                           .program = w->role->program,
                           .host_busy = u->host_busy};
  if (w->kernels_vary || (each && each->take)) {
    add_kernels(&c);
  } else {
    memcpy(out->phase, u->phase, sizeof out->phase);
    memcpy(out->basis, u->basis, sizeof out->basis);
  }
  if (w->alike && streams && !(each && each->idle && !each->again)) {
    if (each && each->take)
      count_all_waits(&c, facts->tables->ir->programs[w->role->program].item_count, scratch);
    compose_items(&c, shared->accounts, scratch);
    c.floor = track->stream[1] ? ts_step_at(track, track->stream[1] - 1)->end : 0;
  } else {
    for (uint32_t i = 0; i < track->stream[streams]; i++, tell(&c, 1))
      count_wait(&c, ts_step_at(track, i));
    for (uint32_t i = 0; streams && i < track->stream[1]; i++, tell(&c, 1))
      compose_step(&c, i);
  }
  ts_place place = ts_track_end(track, &out->end);
  c.before = TS_IR_NONE;
  explain_gap(&c, place, out->end);
  tell(&c, 1);
  out->end += ts_left_out_time(facts);
  keep_shares(arena, scratch, &c, shared->accounts);
}
