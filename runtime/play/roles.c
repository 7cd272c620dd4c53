#include "runtime/play/roles.h"

#include <math.h>
#include <string.h>

#include "runtime/collective/white_box.h"
#include "base/hash_table.h"
#include "base/intern.h"
#include "runtime/play/at_once.h"
#include "runtime/play/fan_out.h"

static const uint64_t time_limit = UINT64_C(1) << TS_TIME_BITS;

/* What is too long for the clock becomes so long that the engine stops at it. */
static uint64_t limited(uint64_t time)
{
  return time < time_limit ? time : UINT64_C(1) << TS_CLOCK_BITS;
}

static double speed_of(const ts_tables *t, uint32_t rank)
{
  double speed = t->ranks->vertex ? t->ir->devices[t->ranks->vertex[rank]].speed : 1;
  return t->ranks->slower ? speed / t->ranks->slower[rank] : speed;
}

static uint64_t kernel_time(const ts_ir_kernel *kernel, double speed)
{
  if (speed == 1)
    return limited(kernel->time);
  double time = (double)kernel->time / speed;
  return time < (double)time_limit ? (uint64_t)llround(time) : UINT64_C(1) << TS_CLOCK_BITS;
}

/* --- compiling a kind --- */

typedef struct roles_writer {
  const ts_tables *t;
  const ts_role *role;
  TS_VEC(ts_play_op) ops;
  const ts_fragment_layout *layout;
  const ts_ir_node *nodes;
  const ts_ir_port *ports;
  bool open; /* the last op is a run that may grow */
} roles_writer;

static void roles_push(roles_writer *w, ts_play_op op, const ts_node_info *info)
{
  op.waits = info->wait_count;
  op.wait = info->wait_count == 1 ? w->t->waits[info->first_wait] : info->first_wait;
  op.event = info->event;
  TS_PUSH(w->t->arena, &w->ops, op);
}

/* Off the compute stream every kernel is a run of its own: what waits for it may want to know which
 * it was. */
static void write_run(roles_writer *w, const ts_ir_node *node, const ts_node_info *info,
                      uint32_t place)
{
  uint64_t time = ts_kernel_time(w->role, node);
  ts_play_op *run = w->open ? &w->ops.at[w->ops.count - 1] : NULL;
  if (!run || info->wait_count) {
    roles_push(
      w,
      (ts_play_op){
        .kind = TS_OP_RUN, .first = place, .count = 1, .time = time, .issued = info->issue},
      info);
  } else {
    run->issued =
      (uint64_t)ts_later((int64_t)(run->issued + run->time), (int64_t)info->issue) - run->time;
    run->time = limited(run->time + time);
    run->count++;
    run->event = info->event;
  }
  w->open = node->stream == 0 && info->event == TS_IR_NONE && !w->t->apart;
}

/* Before the node at `place`. */
static void write_segment(roles_writer *w, uint32_t segment, uint32_t place)
{
  TS_PUSH(w->t->arena, &w->ops,
          (ts_play_op){.kind = TS_OP_SEGMENT, .arg = segment, .first = place, .event = TS_IR_NONE});
  w->open = false;
}

static void write_node(roles_writer *w, uint32_t place)
{
  uint32_t n = w->layout->order[place];
  const ts_ir_node *node = &w->nodes[n];
  const ts_node_info *info = &w->layout->nodes[n];
  ts_play_op op = {.first = place, .count = 1, .issued = info->issue, .arg = node->arg};
  bool alone = node->op == TS_IR_COLLECTIVE &&
               w->t->ranks->groups[w->t->ir->collectives[node->arg].group].size == 1;
  if (node->op == TS_IR_COLLECTIVE && !alone) {
    op.kind = TS_OP_COLLECTIVE;
    op.comm = ts_comm_of(w->t, node);
    op.time = w->role->collective_time[node->arg];
  } else if (node->op == TS_IR_SEND || node->op == TS_IR_RECV) {
    op.kind = node->op == TS_IR_SEND ? TS_OP_SEND : TS_OP_RECV;
    op.comm = w->t->comm_count + w->ports[node->arg].group;
  } else if (ts_node_chooses(node)) {
    op.kind = TS_OP_CHOICE;
  } else {
    write_run(w, node, info, place);
    return;
  }
  roles_push(w, op, info);
  w->open = false;
}

static ts_range write_stream(roles_writer *w, uint32_t stream, ts_producer *producers)
{
  ts_range range = {(uint32_t)w->ops.count, 0};
  uint32_t segment = 0;
  w->open = false;
  for (uint32_t i = w->layout->stream_first[stream]; i < w->layout->stream_first[stream + 1]; i++) {
    const ts_node_info *info = &w->layout->nodes[w->layout->order[i]];
    if (info->segment != segment)
      write_segment(w, segment = info->segment, i);
    write_node(w, i);
    if (info->event != TS_IR_NONE)
      producers[info->event] = (ts_producer){stream, (uint32_t)w->ops.count - 1 - range.first};
  }
  range.count = (uint32_t)w->ops.count - range.first;
  return range;
}

static ts_compiled write_fragment(roles_writer *w, uint32_t fragment)
{
  ts_range *stream = TS_NEW_ARRAY(w->t->arena, ts_range, w->t->streams);
  w->layout = &w->t->layouts[fragment];
  w->nodes = ts_fragment_nodes(w->t->ir, fragment);
  w->ports =
    w->t->ir->ports_count ? w->t->ir->ports + w->t->ir->fragments[fragment].first_port : NULL;
  ts_producer *producers = TS_NEW_ARRAY(w->t->arena, ts_producer, w->layout->event_count);
  for (uint32_t s = 0; s < w->t->streams; s++)
    stream[s] = write_stream(w, s, producers);
  return (ts_compiled){stream, producers};
}

/* The distinct fragments of a program, in the order in which it plays them. */
typedef struct fragment_list { const uint32_t *at; uint32_t count; } fragment_list;

static void write_code(const ts_tables *t, const fragment_list *fragments, ts_role *role)
{
  ts_compiled *code = TS_NEW_ARRAY(t->arena, ts_compiled, t->ir->fragments_count);
  roles_writer w = {.t = t, .role = role};
  for (uint32_t i = 0; i < fragments->count; i++)
    code[fragments->at[i]] = write_fragment(&w, fragments->at[i]);
  role->ops = TS_ITEMS(t->arena, &w.ops);
  role->code = code;
}

/* --- finding the kinds --- */

typedef struct sorter {
  const ts_tables *t;
  ts_network *network;
  ts_arena *scratch;
  uint32_t *of, *key; /* [world] */
  uint32_t count;
  const uint32_t **group_profile; /* [groups] of each instance, NULL: group not used */
  const uint32_t **peer_profile;  /* [most peers] of each rank */
  uint32_t most_peers;
  const ts_fan_out_list *fan_outs; /* [programs] */
  ts_fan_out_finder *finder;
  uint32_t *link_shares;          /* [world] number in `finder` */
  fragment_list *fragments;       /* [programs] */
  bool *plays;                    /* [programs * groups] */
  ts_splits splits;
  const ts_role *kinds;           /* those that are filled */
  ts_hash_table codes;            /* of kinds that were compiled, by what that hangs on */
} sorter;

void ts_note_split(ts_arena *arena, ts_splits *splits, ts_split_by by, uint32_t group,
                   uint32_t before, uint32_t after)
{
  for (size_t i = 0; i < splits->count; i++)
    if (splits->at[i].by == by && splits->at[i].group == group) {
      splits->at[i].more += after - before;
      return;
    }
  if (after > before)
    TS_PUSH(arena, splits, (ts_split){by, group, after - before});
}

static void roles_split(sorter *s, ts_split_by by, uint32_t group)
{
  uint32_t before = s->count;
  s->count = ts_refine(s->of, s->count, s->key, s->t->ranks->world);
  ts_note_split(s->t->arena, &s->splits, by, group, before, s->count);
}

static void list_fragments(sorter *s)
{
  const ts_ir *ir = s->t->ir;
  uint32_t *seen = TS_NEW_ARRAY(s->scratch, uint32_t, ir->fragments_count); /* program + 1 */
  s->fragments = TS_NEW_ARRAY(s->scratch, fragment_list, ir->programs_count);
  for (uint32_t p = 0; p < ir->programs_count; p++) {
    TS_VEC(uint32_t) list = {0};
    for (uint32_t i = 0; i < ir->programs[p].item_count; i++) {
      uint32_t f = ir->items[ir->programs[p].first_item + i].fragment;
      if (seen[f] == p + 1)
        continue;
      seen[f] = p + 1;
      TS_PUSH(s->scratch, &list, f);
    }
    s->fragments[p] = (fragment_list){list.at, (uint32_t)list.count};
  }
}

static void note_groups(sorter *s)
{
  const ts_ir *ir = s->t->ir;
  s->plays = TS_NEW_ARRAY(s->scratch, bool, (size_t)ir->programs_count * ir->groups_count);
  for (uint32_t p = 0; p < ir->programs_count; p++)
    for (uint32_t i = 0; i < s->fragments[p].count; i++) {
      uint32_t f = s->fragments[p].at[i];
      const ts_ir_node *nodes = ts_fragment_nodes(ir, f);
      for (uint32_t n = 0; n < ir->fragments[f].node_count; n++)
        if (nodes[n].op == TS_IR_COLLECTIVE)
          s->plays[p * ir->groups_count + ir->collectives[nodes[n].arg].group] = true;
    }
}

static void split_by_speed(sorter *s)
{
  ts_intern speeds = {.arena = s->scratch};
  double last = 0;
  uint32_t number = TS_IR_NONE;
  for (uint32_t r = 0; r < s->t->ranks->world; r++) {
    double speed = speed_of(s->t, r);
    if (number == TS_IR_NONE || speed != last) {
      uint32_t words[2];
      memcpy(words, &speed, sizeof words);
      number = ts_intern_run(&speeds, words, 2);
      last = speed;
    }
    s->key[r] = number;
  }
  roles_split(s, TS_SPLIT_SPEED, TS_IR_NONE);
}

static int split_by_group(sorter *s, uint32_t group, ts_stop *stop)
{
  const ts_ranks *ranks = s->t->ranks;
  if (!ranks->groups[group].used)
    return 0;
  const uint32_t *profile = s->group_profile[group] = ts_network_group(s->network, group, stop);
  if (!profile)
    return -1;
  const uint32_t *instance_of = ranks->groups[group].instance_of;
  for (uint32_t r = 0; r < ranks->world; r++)
    s->key[r] = s->plays[ranks->program[r] * ranks->group_count + group] ? profile[instance_of[r]] :
                                                                           TS_IR_NONE;
  roles_split(s, TS_SPLIT_LINKS, group);
  return 0;
}

/* What ranks send to their peers, set by set. */
typedef struct sent {
  uint32_t count;
  ts_network_message *messages;
  uint32_t *peer; /* [count] of the sender's program */
} sent;

static sent messages_of(const sorter *s)
{
  const ts_ranks *ranks = s->t->ranks;
  ts_send_sets sets = ts_send_sets_of(s->scratch, s->t);
  uint32_t *first = TS_NEW_ARRAY(s->scratch, uint32_t, (size_t)sets.count + 1);
  for (uint32_t r = 0; r < ranks->world; r++)
    for (uint32_t k = 0; k < s->t->programs[ranks->program[r]].peer_count; k++)
      if (sets.of[ranks->program[r]][k] != TS_IR_NONE)
        first[sets.of[ranks->program[r]][k] + 1]++;
  for (uint32_t i = 0; i < sets.count; i++)
    first[i + 1] += first[i];
  sent out = {.count = first[sets.count]};
  out.messages = TS_NEW_ARRAY(s->scratch, ts_network_message, out.count);
  out.peer = TS_NEW_ARRAY(s->scratch, uint32_t, out.count);
  for (uint32_t r = 0; r < ranks->world; r++) {
    const ts_program_info *program = &s->t->programs[ranks->program[r]];
    for (uint32_t k = 0; k < program->peer_count; k++) {
      uint32_t set = sets.of[ranks->program[r]][k];
      if (set == TS_IR_NONE)
        continue;
      out.messages[first[set]] =
        (ts_network_message){r, ts_peer_rank(ranks, r, program->peers[k].coordinate), set};
      out.peer[first[set]++] = k;
    }
  }
  return out;
}

static int split_by_peers(sorter *s, ts_stop *stop)
{
  sent all = messages_of(s);
  uint32_t *found = TS_NEW_ARRAY(s->scratch, uint32_t, all.count), world = s->t->ranks->world;
  if (ts_network_messages(s->network, all.messages, all.count, found, stop))
    return -1;
  uint32_t **profile = TS_NEW_ARRAY(s->scratch, uint32_t *, s->most_peers);
  for (uint32_t k = 0; k < s->most_peers; k++) {
    profile[k] = TS_NEW_ARRAY(s->scratch, uint32_t, world);
    memset(profile[k], 0xff, world * sizeof **profile); /* TS_IR_NONE: sends none */
  }
  for (uint32_t i = 0; i < all.count; i++)
    profile[all.peer[i]][all.messages[i].from] = found[i];
  for (uint32_t k = 0; k < s->most_peers; k++) {
    s->peer_profile[k] = profile[k];
    memcpy(s->key, profile[k], world * sizeof *s->key);
    roles_split(s, TS_SPLIT_PATHS, TS_IR_NONE);
  }
  return 0;
}

/* By which messages of a stream share links. */
static void split_by_link_shares(sorter *s)
{
  uint32_t world = s->t->ranks->world, peers = 0;
  for (uint32_t p = 0; p < s->t->ir->programs_count; p++)
    peers += s->fan_outs[p].count;
  if (!peers)
    return;
  s->link_shares = TS_NEW_ARRAY(s->scratch, uint32_t, world);
  for (uint32_t r = 0; r < world; r++)
    s->key[r] = s->link_shares[r] = ts_fan_out_find(s->finder, r);
  roles_split(s, TS_SPLIT_PATHS, TS_IR_NONE);
}

static int split_all(sorter *s, ts_stop *stop)
{
  const ts_ranks *ranks = s->t->ranks;
  for (uint32_t p = 0; p < s->t->ir->programs_count; p++)
    if (s->t->programs[p].peer_count > s->most_peers)
      s->most_peers = s->t->programs[p].peer_count;
  s->group_profile = TS_NEW_ARRAY(s->scratch, const uint32_t *, ranks->group_count);
  s->peer_profile = TS_NEW_ARRAY(s->scratch, const uint32_t *, s->most_peers);
  memcpy(s->of, ranks->program, ranks->world * sizeof *s->of);
  s->count = ranks->pipeline_size;
  ts_note_split(s->t->arena, &s->splits, TS_SPLIT_PROGRAM, TS_IR_NONE, 1, s->count);
  split_by_speed(s);
  list_fragments(s);
  note_groups(s);
  for (uint32_t g = 0; g < ranks->group_count; g++)
    if (split_by_group(s, g, stop))
      return -1;
  if (split_by_peers(s, stop))
    return -1;
  split_by_link_shares(s);
  return 0;
}

static uint64_t transfer_time(const sorter *s, uint32_t call, uint64_t time)
{
  return limited(
    s->t->transfer ? (uint64_t)llround(fmin((double)time * s->t->transfer[call], 0x1p62)) : time);
}

static const ts_link_share *next_peer(const ts_link_share *link_share)
{
  while (!link_share->last)
    link_share++;
  return link_share + 1;
}

static uint64_t roles_part_of(double share, uint64_t time)
{
  return share == 1 ? time : (uint64_t)llround(share * (double)time);
}

typedef TS_VEC(ts_queue_time) queue_time_list;

/* `bytes`: what the message takes of the slowest link of its path. */
static void pay(ts_arena *arena, ts_role *role, queue_time_list *queue_times, ts_transit *m,
                const ts_link_share *link_share, uint64_t bytes)
{
  m->first_queue_time = (uint32_t)queue_times->count;
  for (; link_share->queue != TS_IR_NONE; link_share++, m->queue_time_count++) {
    TS_PUSH(arena, queue_times,
            (ts_queue_time){roles_part_of(link_share->share, bytes), link_share->queue});
    role->queue_count =
      link_share->queue >= role->queue_count ? link_share->queue + 1 : role->queue_count;
  }
  m->hold = m->overhead + roles_part_of(link_share->share, bytes);
}

static void fill_transits(const sorter *s, ts_role *role)
{
  const ts_ir *ir = s->t->ir;
  ts_arena *arena = s->t->arena;
  const ts_program_info *program = &s->t->programs[role->program];
  const ts_fan_out_list *fan_outs = &s->fan_outs[role->program];
  ts_transit *transits = TS_NEW_ARRAY(arena, ts_transit, program->call_count);
  const ts_link_share **by_peer = TS_NEW_ARRAY(s->scratch, const ts_link_share *, fan_outs->count);
  queue_time_list queue_times = {0};
  uint32_t count;
  const ts_link_share *link_shares =
    fan_outs->count ?
      ts_fan_out_link_shares(s->finder, s->scratch, s->link_shares[role->rank], &count) :
      NULL;
  for (uint32_t b = 0; b < fan_outs->count; b++, link_shares = next_peer(link_shares))
    by_peer[b] = link_shares;
  for (uint32_t c = 0; c < program->call_count; c++) {
    const ts_port_call *call = &program->calls[c];
    uint32_t column = ir->collectives_count + call->port;
    ts_estimate e = ts_network_estimate(s->network, TS_IR_MESSAGE, ir->ports[call->port].bytes,
                                        role->peer_profile[call->peer]);
    uint64_t hold = transfer_time(s, column, e.time - e.latency),
             overhead = transfer_time(s, column, e.base);
    overhead = overhead < hold ? overhead : hold;
    transits[c] = (ts_transit){.hold = hold,
                               .overhead = overhead,
                               .latency = transfer_time(s, column, e.latency),
                               .lane = fan_outs->fan_out_peer_of[c]};
    transits[c].flight = limited(hold + transits[c].latency);
    if (transits[c].lane != TS_IR_NONE)
      pay(arena, role, &queue_times, &transits[c], by_peer[transits[c].lane], hold - overhead);
  }
  role->transits = transits;
  role->queue_times = TS_ITEMS(arena, &queue_times);
  role->lane_count = fan_outs->count;
}

/* Whether programs call over the same groups. */
static bool same_groups(const sorter *s, uint32_t a, uint32_t b)
{
  uint32_t groups = s->t->ir->groups_count;
  return !groups || !memcmp(s->plays + (size_t)a * groups, s->plays + (size_t)b * groups, groups);
}

static const uint64_t *collective_times(const sorter *s, const ts_role *before,
                                        const ts_role *role)
{
  const ts_ir *ir = s->t->ir;
  if (before && same_groups(s, before->program, role->program) &&
      (!ir->groups_count || !memcmp(before->group_profile, role->group_profile,
                                    ir->groups_count * sizeof *role->group_profile)))
    return before->collective_time;
  uint64_t *time = TS_NEW_ARRAY(s->t->arena, uint64_t, ir->collectives_count);
  for (uint32_t c = 0; c < ir->collectives_count; c++)
    if (s->plays[role->program * ir->groups_count + ir->collectives[c].group])
      time[c] = transfer_time(s, c,
                              ts_network_estimate(s->network, ir->collectives[c].kind,
                                                  ir->collectives[c].bytes,
                                                  role->group_profile[ir->collectives[c].group])
                                .time);
  return time;
}

static ts_transfer_way way_of(const sorter *s, uint32_t kind, uint64_t bytes, uint32_t profile)
{
  ts_white_box box;
  if (!ts_network_way(s->network, kind, bytes, profile, &box))
    return (ts_transfer_way){0};
  return (ts_transfer_way){box.method->algorithm, box.method->protocol, box.channels};
}

/* Learned slowdowns ask for them. Of messages through a port the way of the first. */
static const ts_transfer_way *transfer_ways(const sorter *s, const ts_role *role)
{
  const ts_ir *ir = s->t->ir;
  const ts_program_info *program = &s->t->programs[role->program];
  if (!s->t->apart)
    return NULL;
  ts_transfer_way *way =
    TS_NEW_ARRAY(s->t->arena, ts_transfer_way, ir->collectives_count + ir->ports_count);
  for (uint32_t c = 0; c < ir->collectives_count; c++)
    if (s->plays[role->program * ir->groups_count + ir->collectives[c].group])
      way[c] = way_of(s, ir->collectives[c].kind, ir->collectives[c].bytes,
                      role->group_profile[ir->collectives[c].group]);
  for (uint32_t i = program->call_count; i-- > 0;) {
    const ts_port_call *call = &program->calls[i];
    way[ir->collectives_count + call->port] =
      way_of(s, TS_IR_MESSAGE, ir->ports[call->port].bytes, role->peer_profile[call->peer]);
  }
  return way;
}

static const uint64_t *kernel_times(const ts_tables *t, double speed)
{
  uint64_t *time = TS_NEW_ARRAY(t->arena, uint64_t, t->ir->kernels_count);
  for (uint32_t k = 0; k < t->ir->kernels_count; k++)
    time[k] = kernel_time(&t->ir->kernels[k], speed);
  return time;
}

typedef struct coded { const sorter *s; const ts_role *role; } coded;

/* What is compiled hangs on the fragments and on how long kernels and collectives take. */
static bool same_code(const void *closure, uint32_t number)
{
  const coded *c = closure;
  const ts_role *a = &c->s->kinds[number], *b = c->role;
  const fragment_list *x = &c->s->fragments[a->program], *y = &c->s->fragments[b->program];
  uint32_t collectives = c->s->t->ir->collectives_count;
  return a->speed == b->speed && x->count == y->count &&
         (!x->count || !memcmp(x->at, y->at, x->count * sizeof *x->at)) &&
         (!collectives || a->collective_time == b->collective_time ||
          !memcmp(a->collective_time, b->collective_time,
                  collectives * sizeof *a->collective_time));
}

static void roles_compile(sorter *s, ts_role *role)
{
  const fragment_list *fragments = &s->fragments[role->program];
  uint32_t hash =
    ts_hash_bytes(fragments->at, fragments->count * sizeof *fragments->at) * 31 +
    ts_hash_bytes(role->collective_time,
                  s->t->ir->collectives_count * sizeof *role->collective_time);
  uint32_t known = ts_hash_find(&s->codes, hash, same_code, &(coded){s, role});
  if (known != TS_HASH_NONE) {
    role->ops = s->kinds[known].ops;
    role->code = s->kinds[known].code;
    return;
  }
  write_code(s->t, fragments, role);
  ts_hash_add(s->scratch, &s->codes, hash, (uint32_t)(role - s->kinds));
}

static void begin_kind(sorter *s, uint32_t rank, ts_role *role)
{
  const ts_ranks *ranks = s->t->ranks;
  *role = (ts_role){.program = ranks->program[rank], .rank = rank, .speed = speed_of(s->t, rank)};
  uint32_t *group = TS_NEW_ARRAY(s->t->arena, uint32_t, ranks->group_count),
           peers = s->t->programs[role->program].peer_count;
  uint32_t *peer = TS_NEW_ARRAY(s->t->arena, uint32_t, peers);
  for (uint32_t g = 0; g < ranks->group_count; g++) {
    uint32_t instance = s->group_profile[g] ? ranks->groups[g].instance_of[rank] : TS_IR_NONE;
    group[g] = instance == TS_IR_NONE ? TS_IR_NONE : s->group_profile[g][instance];
  }
  for (uint32_t k = 0; k < peers; k++)
    peer[k] = s->peer_profile[k][rank];
  role->group_profile = group;
  role->peer_profile = peer;
}

/* What `fill_kind` asks the network for. */
static void ask_for_kind(const sorter *s, const ts_role *role)
{
  const ts_ir *ir = s->t->ir;
  const ts_program_info *program = &s->t->programs[role->program];
  for (uint32_t c = 0; c < program->call_count; c++) {
    const ts_port_call *call = &program->calls[c];
    ts_network_ask(s->network, TS_IR_MESSAGE, ir->ports[call->port].bytes,
                   role->peer_profile[call->peer]);
  }
  for (uint32_t c = 0; c < ir->collectives_count; c++)
    if (s->plays[role->program * ir->groups_count + ir->collectives[c].group])
      ts_network_ask(s->network, ir->collectives[c].kind, ir->collectives[c].bytes,
                     role->group_profile[ir->collectives[c].group]);
}

/* `before`: the kind filled last, or NULL. */
static void fill_kind(sorter *s, const ts_role *before, ts_role *role)
{
  fill_transits(s, role);
  role->collective_time = collective_times(s, before, role);
  role->ways = transfer_ways(s, role);
  role->kernel_time =
    before && before->speed == role->speed ? before->kernel_time : kernel_times(s->t, role->speed);
  roles_compile(s, role);
}

static const ts_path_use *path_uses(ts_arena *arena, const ts_ir *ir, const ts_network *network)
{
  ts_path_use *uses = TS_NEW_ARRAY(arena, ts_path_use, ir->net_models_count);
  for (uint32_t m = 0; ir->devices_count && m < ir->net_models_count; m++)
    uses[m] = ts_network_paths(network, m);
  return uses;
}

const ts_roles *ts_roles_new(ts_arena *arena, const ts_tables *t, ts_network *network,
                             ts_stop *stop)
{
  uint32_t world = t->ranks->world;
  sorter s = {.t = t, .network = network, .scratch = ts_arena_new("kinds")};
  s.of = TS_NEW_ARRAY(arena, uint32_t, world);
  s.key = TS_NEW_ARRAY(s.scratch, uint32_t, world);
  s.fan_outs = ts_fan_outs_new(s.scratch, t);
  s.finder = ts_fan_out_finder_new(s.scratch, network, t, s.fan_outs);
  ts_roles *roles = NULL;
  if (!split_all(&s, stop)) {
    ts_role *at = TS_NEW_ARRAY(arena, ts_role, s.count);
    s.kinds = at;
    roles = TS_NEW(arena, ts_roles);
    *roles = (ts_roles){.at = at, .count = s.count, .of = s.of, .splits = s.splits};
    for (uint32_t r = 0, next = 0; next < s.count; r++)
      if (s.of[r] == next)
        begin_kind(&s, r, &at[next++]);
    for (uint32_t k = 0; ts_network_plays_packets(network) && k < s.count; k++)
      ask_for_kind(&s, &at[k]);
    ts_network_play_requested(network);
    for (uint32_t k = 0; k < s.count; k++)
      fill_kind(&s, k ? &at[k - 1] : NULL, &at[k]);
    roles->path_uses = path_uses(arena, t->ir, network);
    roles->extrapolations = ts_network_extrapolations(network, arena, &roles->extrapolation_count);
    if (ts_network_failed(network, stop))
      roles = NULL;
  }
  ts_arena_free(s.scratch);
  return roles;
}
