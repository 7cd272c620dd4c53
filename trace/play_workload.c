#include "trace/play_workload.h"

#include <inttypes.h>
#include <string.h>

#include "base/source.h"

/* FORWARD and BACKWARD: receives of activations and of their gradients, or of the stage before and
 * the one behind. */
enum { COMPUTE, CALLS, WEIGHTS, SENDS, SENDS_BACK, FORWARD, BACKWARD, STREAMS };
enum {
  EP = TS_WORKLOAD_EP_BIT,
  PP = TS_WORKLOAD_PP_BIT,
  ENDS = TS_WORKLOAD_ENDS
};

/* What several items of a pipeline do alike. */
typedef struct part_key {
  uint32_t first_line, end_line; /* of the micro-batch that is like it */
  bool forward, input, weight, receives, sends;
} part_key;
typedef struct play_workload_part {
  part_key key;
  uint32_t chunk, items, fragment;
} play_workload_part;

typedef struct play_workload_maker {
  const ts_events *e;
  const ts_workload *w;
  const ts_workload_mesh *mesh;
  const ts_workload_pipeline *pipeline;
  const ts_rank_prices *prices;
  ts_workload_facts *facts;
  ts_arena *work;
  ts_ir_builder *b;
  ts_program_maker p;
  uint32_t group[1 << TS_WORKLOAD_AXES]; /* of the IR, by axes; TS_IR_NONE: not yet there */
  uint32_t *part;                        /* by section: of the step */
  uint32_t *before;                      /* by event: what it waits for, in a pipeline */
  TS_VEC(play_workload_part) parts;
  ts_error *error;
} play_workload_maker;

/* ---- Groups ---- */

/* Axes of one rank name nothing: networks may hold for one axis alone. */
static uint32_t group_of(play_workload_maker *m, uint32_t axes)
{
  for (uint32_t a = 0; a < TS_WORKLOAD_AXES; a++)
    if (m->mesh->size[a] < 2)
      axes &= ~(1u << a);
  if (m->group[axes] != TS_IR_NONE)
    return m->group[axes];
  char name[32] = "";
  for (uint32_t a = 0; a < TS_WORKLOAD_AXES; a++)
    if (axes >> a & 1) {
      strcat(name, *name ? "*" : "");
      strcat(name, ts_workload_axis_names[a]);
    }
  ts_ir_group group = {.name = ts_ir_add_string(m->b, name), .axes = axes};
  return m->group[axes] = ts_ir_intern(m->b, TS_IR_GROUPS, &group);
}

/* ---- Fragments ---- */

typedef struct play_workload_program {
  uint32_t stage, first;      /* event that `node_of` begins with */
  uint32_t *node_of;          /* by event, from `first` */
  uint32_t *sent, *received;  /* [pp] messages to and from each stage so far */
  TS_VEC(ts_ir_binding) bindings;
} play_workload_program;

static bool begins(const char *text, const char *with)
{
  return strncmp(text, with, strlen(with)) == 0;
}

static uint32_t phase_of(const ts_event *v, const char *name)
{
  const char *what = strrchr(name, '.');
  what = what ? what + 1 : name;
  return v->kind == TS_KERNEL_COMMUNICATION                   ? TS_IR_PHASE_COMMUNICATION :
         begins(name, "forward") || begins(what, "forward")   ? TS_IR_PHASE_FORWARD :
         begins(what, "backward_weight")                      ? TS_IR_PHASE_BACKWARD_WEIGHT :
         begins(name, "backward") || begins(what, "backward") ? TS_IR_PHASE_BACKWARD_INPUT :
         begins(name, "step") || begins(what, "update")       ? TS_IR_PHASE_OPTIMIZER :
                                                                TS_IR_PHASE_OTHER;
}

static uint32_t put_message(play_workload_maker *m, ts_ir_node n, bool send, uint32_t stream,
                            int64_t bytes)
{
  n.stream = (uint8_t)stream;
  return ts_program_message(&m->p, n, send, group_of(m, PP), bytes);
}

/* Of a row: the n-th one between two stages is the n-th one there. */
static uint32_t put_row_message(play_workload_program *p, play_workload_maker *m, ts_ir_node n,
                                bool send, uint32_t peer, int64_t bytes)
{
  TS_PUSH(m->work, &p->bindings,
          ((ts_ir_binding){peer, send ? p->sent[peer]++ : p->received[peer]++}));
  return put_message(m, n, send, send ? SENDS : peer < p->stage ? FORWARD : BACKWARD, bytes);
}

/* The stage that a message goes to or comes from: the neighbour that its row names, or that of the
 * rank. */
static int64_t peer_of(const play_workload_maker *m, const play_workload_program *p,
                       const ts_event_comm *c)
{
  const char *label = ts_events_text(m->e, c->group_label);
  return strstr(label, "next") ? (int64_t)p->stage + 1 :
         strstr(label, "prev") ? (int64_t)p->stage - 1 :
         c->peer < 0           ? -1 :
                                 c->peer / m->mesh->stride[TS_WORKLOAD_PP];
}

static bool put_comm(play_workload_program *p, play_workload_maker *m, ts_ir_node n,
                     const ts_event *v, uint32_t *node)
{
  const ts_event_comm *c = &m->e->comms.at[v->detail];
  uint32_t axes = ts_workload_axes_of(ts_events_text(m->e, c->group)),
           stages = m->mesh->size[TS_WORKLOAD_PP];
  bool send = c->kind == TS_COMM_SEND;
  if (send || c->kind == TS_COMM_RECV) {
    int64_t peer = peer_of(m, p, c);
    if (m->w->sections.count < 2 || peer < 0 || peer >= stages || peer == p->stage)
      return ts_fail(m->error,
                     "a section for each stage of the pipeline, rows with `send_next`, "
                     "`recv_prev` and so on as `additional`",
                     "stage %u, `%.60s`: a message to or from no other stage", p->stage,
                     ts_events_text(m->e, v->name));
    *node = put_row_message(p, m, n, send, (uint32_t)peer, c->bytes);
    return true;
  }
  n.stream = CALLS;
  if (axes == ENDS && stages > 1) { /* two buffers are summed by sending each to the other end */
    uint32_t other = p->stage ? 0 : stages - 1;
    if (p->stage && p->stage + 1 < stages)
      return ts_fail(m->error, NULL, "stage %u of %u is in no embedding group", p->stage, stages);
    ts_ir_node first = n;
    ts_program_waits(&m->p, &first); /* both wait for the same */
    uint32_t sent = put_row_message(p, m, first, true, other, c->bytes);
    ts_program_wait(&m->p, put_row_message(p, m, first, false, other, c->bytes));
    ts_program_wait(&m->p, sent);
    n.op = TS_IR_RECORD;
    *node = ts_program_node(&m->p, n);
    return true;
  }
  bool alone = axes == ENDS || ts_workload_members(m->mesh, axes) < 2;
  m->facts->alone += alone && axes != ENDS && c->bytes > 0;
  if (!alone && *ts_events_text(m->e, m->e->tracks.at[v->track].thread_name))
    n.stream = WEIGHTS;
  *node = ts_program_call(&m->p, n, alone ? TS_IR_NONE : group_of(m, axes), ts_comm_in_ir(c->kind),
                          c->bytes);
  return true;
}

static bool is_beside(const play_workload_maker *m, const ts_event *v)
{
  return *ts_events_text(m->e, m->e->tracks.at[v->track].thread_name) != 0 &&
         m->e->format == TS_TRACE_WORKLOAD;
}

static bool put_event(play_workload_program *p, play_workload_maker *m, uint32_t event)
{
  const ts_event *v = ts_event_at(m->e, event);
  const char *name = ts_events_text(m->e, v->name);
  uint32_t *node = &p->node_of[event - p->first];
  ts_ir_node n = {.op = TS_IR_COMPUTE,
                  .phase = (uint8_t)phase_of(v, name),
                  .label = ts_ir_add_string(m->b, *name ? name : "work")};
  if (v->detail != TS_EVENT_NONE)
    return put_comm(p, m, n, v, node);
  if (!ts_event_fits(v->duration))
    return ts_fail(m->error, NULL, "`%.60s` takes %" PRId64 " ns: longer than the clock", name,
                   v->duration);
  n.stream = is_beside(m, v) ? WEIGHTS : COMPUTE;
  return ts_program_kernels(&m->p, n, m->e, event, node, m->error);
}

static void count_events(play_workload_maker *m, uint32_t first, uint32_t end)
{
  ts_workload_facts *f = m->facts;
  f->events += end - first;
  for (uint32_t i = first; i < end; i++) {
    const ts_event *v = ts_event_at(m->e, i);
    bool computes = v->detail == TS_EVENT_NONE;
    f->measured_comm += !computes && v->duration > 0 ? v->duration : 0;
    f->computations += computes;
    f->untimed += computes && v->duration < 0;
    f->placeholders += computes && v->duration == TS_WORKLOAD_PLACEHOLDER;
  }
}

/* ---- Sections: a program each, of one item ---- */

/* Edges lie in the order of what waits; those from other steps have been kept. */
static bool put_events(play_workload_program *p, play_workload_maker *m, uint32_t end, size_t *edge)
{
  const ts_events *e = m->e;
  while (*edge < e->edges.count && e->edges.at[*edge].to < p->first)
    ++*edge;
  for (uint32_t i = p->first; i < end; i++) {
    for (; *edge < e->edges.count && e->edges.at[*edge].to == i; ++*edge)
      if (e->edges.at[*edge].from >= p->first)
        ts_program_wait(&m->p, p->node_of[e->edges.at[*edge].from - p->first]);
    if (m->p.waits.count > UINT16_MAX)
      return ts_fail(m->error, NULL, "`%.60s` waits for more than %d others",
                     ts_events_text(e, ts_event_at(e, i)->name), UINT16_MAX);
    if (!put_event(p, m, i))
      return false;
  }
  return true;
}

static bool put_section(play_workload_maker *m, uint32_t stage, size_t *edge)
{
  uint32_t part = m->part[stage], stages = m->mesh->size[TS_WORKLOAD_PP],
           end = part + 1 < m->w->parts.count ? m->w->parts.at[part + 1].first : m->e->count;
  play_workload_program p = {.stage = stage, .first = m->w->parts.at[part].first};
  p.node_of = TS_NEW_ARRAY(m->work, uint32_t, end - p.first + 1);
  p.sent = TS_NEW_ARRAY(m->work, uint32_t, stages);
  p.received = TS_NEW_ARRAY(m->work, uint32_t, stages);
  count_events(m, p.first, end);
  m->prices->alike(m->prices->closure, m->mesh->world / (uint32_t)m->w->sections.count);
  ts_program_step(&m->p);
  if (!put_events(&p, m, end, edge))
    return false;
  const char *name = ts_arena_printf(m->work, "stage %u", stage);
  ts_ir_item item = ts_program_item(m->b, ts_program_fragment(&m->p, name, "S"), TS_IR_NONE,
                                    p.bindings.at, p.bindings.count);
  ts_program_end(m->b, name, (ts_ir_program){0}, &item, 1);
  return true;
}

/* ---- A pipeline of one list: SimAI ---- */

/* SimAI's texts begin each micro-batch so, and end the step so (aicb,
 * SimAI_training_workload_generator.py). */
static const char first_of_micro_batch[] = "embedding_layer",
                  *const ends_of_step[] = {"cross_entropy", "optimizer"};

static bool ends_step(const char *name)
{
  for (size_t i = 0; i < sizeof ends_of_step / sizeof ends_of_step[0]; i++)
    if (begins(name, ends_of_step[i]))
      return true;
  return false;
}

/* Of the last micro-batch, which no other one follows. */
static uint32_t end_of_micro_batch(const ts_events *e, uint32_t first)
{
  const ts_workload *w = e->workload;
  while (first < w->lines.count && !ends_step(ts_events_text(e, w->lines.at[first].name))) first++;
  return first;
}

bool ts_workload_pipeline_of(const ts_events *e, const ts_workload_mesh *mesh,
                             ts_workload_pipeline *p)
{
  const ts_workload *w = e->workload;
  uint32_t count = 0, second = 0, lines = (uint32_t)w->lines.count;
  *p = (ts_workload_pipeline){.chunks = 1};
  if (mesh->size[TS_WORKLOAD_PP] < 2 || w->micro_batches < 1 || w->stage_bytes < 0)
    return false;
  for (uint32_t i = 0; i < lines; i++) {
    if (strcmp(ts_events_text(e, w->lines.at[i].name), first_of_micro_batch) != 0)
      continue;
    p->first = count ? p->first : i;
    second = count == 1 ? i : second;
    count++;
  }
  if (!count || count != w->micro_batches)
    return false;
  p->lines = (count > 1 ? second : end_of_micro_batch(e, p->first)) - p->first;
  p->micro_batches = count;
  if (p->first + (uint64_t)p->lines * count > lines)
    return false;
  for (uint32_t i = p->first + p->lines; i < p->first + p->lines * count; i++)
    if (w->lines.at[i].name != w->lines.at[i - p->lines].name)
      return false;
  bool several = w->virtual_stages > 1 && w->virtual_stages <= p->lines;
  p->chunks = several ? (uint32_t)w->virtual_stages : 1;
  return true;
}

/* Lines of a chunk in a micro-batch, as even as can be; what is left is at the ends, where
 * embedding and head are. */
static uint32_t chunk_begin(const ts_workload_pipeline *p, uint32_t chunk)
{
  uint32_t more = p->lines % p->chunks, ahead = (more + 1) / 2;
  return chunk == 0         ? 0 :
         chunk == p->chunks ? p->lines :
                              chunk * (p->lines / p->chunks) + ahead;
}

static bool add_times(ts_ir_builder *b, const ts_events *e, const ts_workload_line *line,
                      const ts_rank_prices *prices, ts_arena *work, ts_workload_times *part,
                      ts_error *error)
{
  ts_ir ir;
  for (int pass = 0; pass < TS_LINE_PASSES; pass++)
    for (uint32_t i = line->first[pass]; i < line->end[pass]; i++) {
      ts_kernel_list kernels = {0};
      if (ts_event_at(e, i)->detail != TS_EVENT_NONE)
        continue;
      if (!prices->kernels(prices->closure, e, i, work, &kernels, error))
        return false;
      ts_ir_builder_view(b, &ir);
      for (size_t k = 0; k < kernels.count; k++)
        part->pass[pass] += ir.kernels[kernels.at[k]].time;
    }
  return true;
}

bool ts_workload_part_times(ts_ir_builder *b, const ts_events *e, const ts_workload_pipeline *p,
                            const ts_rank_prices *prices, ts_workload_times *parts,
                            ts_error *error)
{
  ts_arena *work = ts_arena_new("times of parts");
  bool good = true;
  prices->alike(prices->closure, 0); /* they run later */
  for (uint32_t c = 0; c < p->chunks && good; c++) {
    parts[c] = (ts_workload_times){0};
    for (uint32_t i = chunk_begin(p, c); i < chunk_begin(p, c + 1) && good; i++)
      good = add_times(b, e, &e->workload->lines.at[p->first + i], prices, work, &parts[c], error);
  }
  ts_arena_free(work);
  return good;
}

static bool same_event(const ts_events *e, uint32_t a, uint32_t b)
{
  const ts_event *x = ts_event_at(e, a), *y = ts_event_at(e, b);
  if (x->name != y->name || x->duration != y->duration ||
      (x->detail == TS_EVENT_NONE) != (y->detail == TS_EVENT_NONE))
    return false;
  const ts_event_comm *c = x->detail == TS_EVENT_NONE ? NULL : &e->comms.at[x->detail],
                      *d = c ? &e->comms.at[y->detail] : NULL;
  return !c || (c->kind == d->kind && c->bytes == d->bytes && c->group == d->group);
}

static bool same_lines(const play_workload_maker *m, uint32_t a, uint32_t b, uint32_t count)
{
  for (uint32_t i = 0; i < count; i++)
    for (int pass = 0; pass < TS_LINE_PASSES; pass++) {
      const ts_workload_line *x = &m->w->lines.at[a + i], *y = &m->w->lines.at[b + i];
      if (x->end[pass] - x->first[pass] != y->end[pass] - y->first[pass])
        return false;
      for (uint32_t k = 0; k < x->end[pass] - x->first[pass]; k++)
        if (!same_event(m->e, x->first[pass] + k, y->first[pass] + k))
          return false;
    }
  return true;
}

/* Behind what comes before it in the item; else behind `entry`, a node or NONE. */
static bool put_pass(play_workload_program *p, play_workload_maker *m, const ts_workload_line *line,
                     int pass, uint32_t entry, uint32_t *last)
{
  for (uint32_t i = line->first[pass]; i < line->end[pass]; i++) {
    uint32_t from = m->before[i];
    while (from != TS_EVENT_NONE && p->node_of[from] == TS_IR_NONE) from = m->before[from];
    ts_program_wait(&m->p, from == TS_EVENT_NONE ? entry : p->node_of[from]);
    if (!put_event(p, m, i))
      return false;
    if (!is_beside(m, ts_event_at(m->e, i)))
      *last = p->node_of[i];
  }
  return true;
}

/* Forwards run downwards, backwards upwards. */
static bool play_workload_put_lines(play_workload_program *p, play_workload_maker *m,
                                    const part_key *k, uint32_t entry, uint32_t *last)
{
  for (uint32_t i = k->first_line; i < k->end_line && k->forward; i++)
    if (!put_pass(p, m, &m->w->lines.at[i], TS_LINE_FORWARD, entry, last))
      return false;
  for (uint32_t i = k->end_line; i-- > k->first_line;) {
    const ts_workload_line *line = &m->w->lines.at[i];
    bool weights_first = line->first[TS_LINE_WEIGHT] < line->first[TS_LINE_INPUT];
    for (int n = 0; n < 2; n++) {
      int pass = (n == 0) == weights_first ? TS_LINE_WEIGHT : TS_LINE_INPUT;
      if ((pass == TS_LINE_INPUT ? k->input : k->weight) &&
          !put_pass(p, m, line, pass, entry, last))
        return false;
    }
  }
  return true;
}

/* What computes next waits for the item's last call, as in SimAI. */
static void put_end(play_workload_maker *m, uint32_t last)
{
  if (last == TS_IR_NONE || m->p.nodes.at[last].stream == COMPUTE)
    return;
  ts_program_wait(&m->p, last);
  ts_program_node(&m->p, (ts_ir_node){.op = TS_IR_RECORD,
                                      .stream = COMPUTE,
                                      .phase = TS_IR_PHASE_OTHER,
                                      .label = ts_ir_add_string(m->b, "item")});
}

static play_workload_program empty_program(const play_workload_maker *m)
{
  play_workload_program p = {.node_of = TS_NEW_ARRAY(m->work, uint32_t, m->e->count + 1)};
  memset(p.node_of, 0xff, sizeof(uint32_t) * m->e->count);
  return p;
}

static bool make_part(play_workload_maker *m, const part_key *k, const char *name, const char *work,
                      uint32_t *fragment)
{
  play_workload_program p = empty_program(m);
  uint32_t entry = TS_IR_NONE, last = TS_IR_NONE;
  ts_ir_node message = {.phase = TS_IR_PHASE_COMMUNICATION,
                        .label = ts_ir_add_string(m->b, k->forward ? "activations" : "gradients")};
  if (k->receives)
    last = entry =
      put_message(m, message, false, k->forward ? FORWARD : BACKWARD, m->w->stage_bytes);
  if (!play_workload_put_lines(&p, m, k, entry, &last))
    return false;
  put_end(m, last);
  if (k->sends) {
    ts_program_wait(&m->p, last);
    put_message(m, message, true, k->forward ? SENDS : SENDS_BACK, m->w->stage_bytes);
  }
  *fragment = ts_program_fragment(&m->p, name, work);
  return true;
}

static uint32_t play_workload_part_of(play_workload_maker *m, const part_key *key, uint32_t chunk)
{
  uint32_t i = 0;
  while (i < m->parts.count && memcmp(&m->parts.at[i].key, key, sizeof *key) != 0) i++;
  if (i == m->parts.count)
    TS_PUSH(m->work, &m->parts, ((play_workload_part){.key = *key, .chunk = chunk}));
  return i;
}

static bool make_parts(play_workload_maker *m)
{
  for (uint32_t i = 0; i < m->parts.count; i++) {
    play_workload_part *p = &m->parts.at[i];
    const part_key *k = &p->key;
    const char *work = k->forward ? "F" : k->input && k->weight ? "B" : k->input ? "I" : "W",
               *name = ts_arena_printf(m->work, "%s of part %u%s%s", work, p->chunk,
                                       k->receives || !strcmp(work, "W") ? "" : ", first",
                                       k->sends || !strcmp(work, "W") ? "" : ", last");
    m->prices->alike(m->prices->closure, p->items * m->mesh->stride[TS_WORKLOAD_PP]);
    if (!make_part(m, k, name, work, &p->fragment))
      return false;
  }
  return true;
}

typedef struct placed { /* an item of a stage, and where its messages come from and go to */
  uint32_t part, from, to, stage_to; /* stage_to: virtual */
} placed;

static placed play_workload_place(play_workload_maker *m, const ts_workload_order *order,
                                  const uint32_t *alike, const ts_workload_item *item)
{
  const ts_workload_pipeline *p = m->pipeline;
  uint32_t first = p->first + alike[item->micro_batch] * p->lines, at = item->stage,
           last = order->stages - 1, rank = order->rank_of[at];
  bool ahead = item->forward, passes = item->forward || item->input;
  uint32_t behind = ahead ? at - 1 : at + 1, next = ahead ? at + 1 : at - 1;
  bool begins = ahead ? at == 0 : at == last, ends = ahead ? at == last : at == 0;
  placed out = {.from = begins ? rank : order->rank_of[behind],
                .to = ends ? rank : order->rank_of[next],
                .stage_to = ends ? at : next};
  part_key key;
  memset(&key, 0, sizeof key);
  key.first_line = first + chunk_begin(p, item->chunk);
  key.end_line = first + chunk_begin(p, item->chunk + 1);
  key.forward = item->forward;
  key.input = item->input;
  key.weight = item->weight;
  key.receives = passes && out.from != rank;
  key.sends = passes && out.to != rank;
  out.part = play_workload_part_of(m, &key, item->chunk);
  return out;
}

/* Both ends agree: by micro-batch, stage that receives, and direction. */
static uint32_t tag_of(const ts_workload_order *order, const ts_workload_item *item, uint32_t to)
{
  return 2 * (order->stages * item->micro_batch + to) + (item->forward ? 0 : 1);
}

static ts_ir_item play_workload_item_of(play_workload_maker *m, const ts_workload_order *order,
                                        const ts_workload_item *item, const placed *at)
{
  const play_workload_part *p = &m->parts.at[at->part];
  ts_ir_binding bindings[2];
  uint32_t count = 0;
  if (p->key.receives)
    bindings[count++] = (ts_ir_binding){at->from, tag_of(order, item, item->stage)};
  if (p->key.sends)
    bindings[count++] = (ts_ir_binding){at->to, tag_of(order, item, at->stage_to)};
  return ts_program_item(m->b, p->fragment, item->micro_batch, bindings, count);
}

static void find_before(play_workload_maker *m)
{
  m->before = TS_NEW_ARRAY(m->work, uint32_t, m->e->count + 1);
  memset(m->before, 0xff, sizeof(uint32_t) * m->e->count);
  for (size_t i = 0; i < m->e->edges.count; i++)
    m->before[m->e->edges.at[i].to] = m->e->edges.at[i].from;
}

/* What is done once a step: before the micro-batches, and behind them. */
static bool put_ends(play_workload_maker *m, uint32_t *first, uint32_t *last)
{
  const ts_workload_pipeline *p = m->pipeline;
  uint32_t lines = (uint32_t)m->w->lines.count, behind = p->first + p->micro_batches * p->lines;
  part_key head = {.end_line = p->first, .forward = true},
           tail = {.first_line = behind, .end_line = lines, .forward = true, .input = true,
                   .weight = true},
           rest = {.end_line = p->first, .input = true, .weight = true};
  play_workload_program end = empty_program(m);
  uint32_t at = TS_IR_NONE;
  ts_program_step(&m->p);
  if (!make_part(m, &head, "begin", "S", first) ||
      !play_workload_put_lines(&end, m, &tail, TS_IR_NONE, &at) ||
      !play_workload_put_lines(&end, m, &rest, at, &at))
    return false;
  *last = ts_program_fragment(&m->p, "end", "S");
  return true;
}

static void find_alike(const play_workload_maker *m, uint32_t *alike)
{
  const ts_workload_pipeline *p = m->pipeline;
  for (uint32_t k = 1; k < p->micro_batches; k++)
    alike[k] =
      same_lines(m, p->first + alike[k - 1] * p->lines, p->first + k * p->lines, p->lines) ?
        alike[k - 1] :
        k;
}

static bool put_pipeline(play_workload_maker *m, const ts_workload_order *order)
{
  uint32_t begin, end, ranks = m->mesh->size[TS_WORKLOAD_PP], count = order->first[ranks],
           *alike = TS_NEW_ARRAY(m->work, uint32_t, m->pipeline->micro_batches);
  placed *at = TS_NEW_ARRAY(m->work, placed, count + 1);
  ts_ir_item *items = TS_NEW_ARRAY(m->work, ts_ir_item, count + 2);
  count_events(m, 0, m->e->count);
  find_before(m);
  find_alike(m, alike);
  for (uint32_t i = 0; i < count; i++) {
    at[i] = play_workload_place(m, order, alike, &order->items[i]);
    m->parts.at[at[i].part].items++;
  }
  m->prices->alike(m->prices->closure, m->mesh->world);
  if (!put_ends(m, &begin, &end) || !make_parts(m))
    return false;
  for (uint32_t r = 0; r < ranks; r++) {
    uint32_t n = 0;
    items[n++] = ts_program_item(m->b, begin, TS_IR_NONE, NULL, 0);
    for (uint32_t i = order->first[r]; i < order->first[r + 1]; i++)
      items[n++] = play_workload_item_of(m, order, &order->items[i], &at[i]);
    items[n++] = ts_program_item(m->b, end, TS_IR_NONE, NULL, 0);
    ts_program_end(m->b, ts_arena_printf(m->work, "stage %u", r), (ts_ir_program){0}, items, n);
  }
  return true;
}

/* ---- The whole ---- */

static void play_workload_put_head(play_workload_maker *m)
{
  static const struct {
    const char *name;
    ts_ir_stream_kind kind;
  } streams[STREAMS] = {{"compute", TS_IR_STREAM_COMPUTE},    {"collectives", TS_IR_STREAM_COMM},
                        {"weights", TS_IR_STREAM_COMM},       {"sends", TS_IR_STREAM_COMM},
                        {"sends back", TS_IR_STREAM_COMM},    {"from previous", TS_IR_STREAM_COMM},
                        {"from next", TS_IR_STREAM_COMM}};
  for (uint32_t a = 0; a < TS_WORKLOAD_AXES; a++)
    ts_program_axis(m->b, ts_workload_axis_names[a], m->mesh->size[a], m->mesh->stride[a]);
  for (uint32_t s = 0; s < STREAMS; s++)
    ts_program_stream(m->b, streams[s].name, streams[s].kind, false, 0);
}

static uint32_t last_step(const play_workload_maker *m)
{
  uint32_t last = 0;
  for (size_t i = 0; i < m->w->parts.count; i++) {
    uint32_t end = i + 1 < m->w->parts.count ? m->w->parts.at[i + 1].first : m->e->count;
    if (end > m->w->parts.at[i].first && m->w->parts.at[i].step > last)
      last = m->w->parts.at[i].step;
  }
  return last;
}

/* The part of each section that is the step. */
static bool play_workload_choose(play_workload_maker *m, int64_t wanted)
{
  ts_workload_facts *f = m->facts;
  f->steps = last_step(m);
  if (wanted > f->steps)
    return ts_fail(
      m->error, f->steps ? "without --step the last one is played" : "rows `epoch_end` end steps",
      "the workload has %u step%s, not %" PRId64, f->steps, f->steps == 1 ? "" : "s", wanted);
  f->step = wanted ? (uint32_t)wanted : f->steps;
  m->part = TS_NEW_ARRAY(m->work, uint32_t, m->w->sections.count);
  memset(m->part, 0xff, sizeof *m->part * m->w->sections.count);
  for (size_t i = 0; i < m->w->parts.count; i++)
    if (m->w->parts.at[i].step == f->step) {
      m->part[m->w->parts.at[i].section] = (uint32_t)i;
      if (m->w->parts.at[i].measured > f->measured)
        f->measured = m->w->parts.at[i].measured;
    }
  for (uint32_t s = 0; s < m->w->sections.count; s++)
    if (m->part[s] == TS_EVENT_NONE)
      return ts_fail(m->error, "copy the file again", "stage %u has no step %u", s, f->step);
  return true;
}

static bool play_workload_play(play_workload_maker *m, int64_t step, const ts_workload_order *order)
{
  size_t edge = 0;
  if (!play_workload_choose(m, step))
    return false;
  play_workload_put_head(m);
  if (m->pipeline)
    return put_pipeline(m, order);
  for (uint32_t s = 0; s < m->w->sections.count; s++)
    if (!put_section(m, s, &edge))
      return false;
  return true;
}

bool ts_workload_play(ts_ir_builder *b, const ts_events *e, const ts_workload_mesh *mesh,
                      int64_t step, const ts_workload_pipeline *pipeline,
                      const ts_workload_order *order, const ts_rank_prices *prices,
                      ts_workload_facts *facts, ts_error *error)
{
  *facts = (ts_workload_facts){.mesh = *mesh,
                               .measured = -1,
                               .micro_batches = e->workload->micro_batches,
                               .virtual_stages = e->workload->virtual_stages,
                               .stage_bytes = e->workload->stage_bytes,
                               .pipelined = pipeline != NULL};
  play_workload_maker m = {.e = e,
                           .w = e->workload,
                           .mesh = mesh,
                           .pipeline = pipeline,
                           .prices = prices,
                           .facts = facts,
                           .b = b,
                           .error = error,
                           .work = ts_arena_new("workload")};
  m.p = (ts_program_maker){.b = b, .arena = m.work, .prices = prices};
  memset(m.group, 0xff, sizeof m.group);
  bool good = play_workload_play(&m, step, order);
  facts->stages_alike = mesh->size[TS_WORKLOAD_PP] > 1 && e->workload->sections.count == 1;
  facts->left_out = e->count - facts->events;
  ts_arena_free(m.work);
  return good;
}
