#include "compiler/lower/fragment.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash_table.h"
#include "compiler/eval/files.h"
#include "compiler/eval/report.h"

/* -- names of the IR -- */

uint32_t ts_stream(ts_lowering *l, const char *name, ts_ir_stream_kind kind)
{
  for (uint32_t i = 0; i < l->stream_count; i++)
    if (!strcmp(l->streams[i], name))
      return i;
  if (l->stream_count == TS_MAX_STREAMS) {
    if (!l->failed) {
      ts_diag *d = ts_diag_add(l->s->diags, TS_E0320, l->plan->decl->name_span,
                               "the plan uses more than %d streams", TS_MAX_STREAMS);
      ts_diag_here(d, "`%s` is one too many", name);
    }
    l->failed = true;
    return 0;
  }
  void *record;
  ts_ir_append(l->b, TS_IR_STREAMS, 1, &record);
  *(ts_ir_stream *)record =
    (ts_ir_stream){.name = ts_ir_add_string(l->b, name), .kind = (uint8_t)kind};
  l->streams[l->stream_count] = name;
  return l->stream_count++;
}

const char *ts_axes_text(ts_lowering *l, uint32_t axes)
{
  for (size_t i = 0; i < l->axes_texts.count; i++)
    if (l->axes_texts.at[i].mask == axes)
      return l->axes_texts.at[i].text;
  const char *text = ts_axes_name(l->s, axes);
  TS_PUSH(l->s->arena, &l->axes_texts, (ts_axes){axes, text});
  return text;
}

uint32_t ts_comm_stream(ts_lowering *l, const ts_comm *comm)
{
  return ts_stream(l, comm->stream ? comm->stream : ts_axes_text(l, comm->axes),
                   TS_IR_STREAM_COMM);
}

uint32_t ts_ir_group_of(ts_lowering *l, uint32_t axes)
{
  ts_ir_group group = {.name = ts_ir_add_string(l->b, ts_axes_text(l, axes)), .axes = axes};
  return ts_ir_intern(l->b, TS_IR_GROUPS, &group);
}

uint32_t ts_ir_source_of(ts_lowering *l, uint32_t file)
{
  return ts_session_dependency_of(l->s, file); /* TS_IR_NONE: none */
}

/* Many nodes come from one line, so places are looked up by their span. */
uint32_t ts_ir_loc_of(ts_lowering *l, ts_span span)
{
  uint32_t source = span.file ? ts_ir_source_of(l, span.file) : TS_IR_NONE;
  if (source == TS_IR_NONE)
    return TS_IR_NONE;
  ts_seen_loc *seen =
    &l->seen[ts_hash_number((uint64_t)span.begin << 32 | (span.end ^ span.file << 24)) %
             TS_SEEN_LOCS];
  if (seen->span.file == span.file && seen->span.begin == span.begin && seen->span.end == span.end)
    return seen->loc;
  ts_position begin = ts_sources_position(l->s->sources, span.file, span.begin),
              end = ts_sources_position(l->s->sources, span.file, span.end);
  ts_ir_loc loc = {source, begin.line, begin.column,
                   end.line == begin.line ? end.column : begin.column + 1};
  *seen = (ts_seen_loc){span, ts_ir_intern(l->b, TS_IR_LOCS, &loc)};
  return seen->loc;
}

static uint32_t cost_source(ts_lowering *l, uint32_t source, bool extrapolated)
{
  if (source == TS_NO_INDEX)
    return TS_IR_NONE;
  const ts_source_name *name = &l->costing->sources.at[source];
  ts_ir_cost_source record = {ts_ir_add_string(l->b, name->name),
                              ts_ir_add_string(l->b, extrapolated ? TS_IR_EXTRAPOLATED :
                                                                    name->kind),
                              ts_ir_loc_of(l, name->span),
                              ts_ir_add_string(l->b, name->device ? name->device : "")};
  return ts_ir_intern(l->b, TS_IR_COST_SOURCES, &record);
}

uint32_t ts_ir_cost_source_of(ts_lowering *l, uint32_t source)
{
  return cost_source(l, source, false);
}

/* One is said: they are of one wrong unit or rate. */
static uint64_t refuse_long(ts_lowering *l, const ts_priced *p)
{
  if (!l->too_long) {
    ts_diag *d = ts_report(l->s, TS_E0226, p->span,
                           "a kernel of family `%s` takes more than 100,000 s (28 hours)",
                           p->family);
    if (p->source != TS_NO_INDEX)
      ts_diag_fact(d, "source", "%s", l->costing->sources.at[p->source].name);
    ts_diag_help(d, "check the units of its time, and the rates of the gpu and its sizes");
  }
  l->too_long = true;
  return 0;
}

uint32_t ts_ir_kernel_of(ts_lowering *l, uint32_t cost, double slowed)
{
  while (l->ir_kernels.count <= cost)
    TS_PUSH(l->s->arena, &l->ir_kernels, 0);
  if (l->ir_kernels.at[cost] && slowed == 1)
    return l->ir_kernels.at[cost] - 1;
  const ts_priced *p = &l->costing->kernels.at[cost];
  uint64_t alone = ts_costing_time(l->costing, cost);
  double time = round((double)alone * slowed);
  bool too_long = time > (double)TS_KERNEL_MOST;
  ts_ir_kernel kernel = {.time = too_long    ? refuse_long(l, p) :
                                 slowed == 1 ? alone :
                                               (uint64_t)time,
                         .flops = p->flops,
                         .bytes = p->bytes,
                         .family = ts_ir_add_string(l->b, p->family),
                         .dtype = ts_ir_add_string(l->b, p->dtype),
                         .basis = p->basis,
                         .source = cost_source(l, p->source, p->extrapolated)};
  uint32_t index = ts_ir_intern(l->b, TS_IR_KERNELS, &kernel);
  if (slowed == 1)
    l->ir_kernels.at[cost] = index + 1;
  return index;
}

const ts_class *ts_class_of(const ts_lowering *l, uint32_t op)
{
  return &l->sh->classes.at[l->sh->class_of[op]];
}

/* Stages that share a fragment count their repeats from their own first: `layer[+2].mlp`. */
static const char *shared_label(const ts_fragment *f, const char *label)
{
  const ts_lowering *l = f->l;
  const char *unit = l->g->unit_name;
  size_t length = unit ? strlen(unit) : 0;
  if (!unit || !f->stage || l->stages->kind_size[f->stage->kind] < 2 ||
      strncmp(label, unit, length) || label[length] != '[')
    return label;
  const char *close = strchr(label, ']'), *first = l->g->ops.at[f->stage->first_op].label;
  unsigned long number = strtoul(label + length + 1, NULL, 10),
                base = !strncmp(first, unit, length) ? strtoul(first + length + 1, NULL, 10) : 0;
  return close ? ts_arena_printf(l->s->arena, "%s[+%lu]%s", unit, number - base, close + 1) : label;
}

ts_origin ts_origin_of(const ts_fragment *f, uint32_t op)
{
  const ts_op *o = &f->l->g->ops.at[op];
  ts_shared_label *known = &f->l->shared_labels[op];
  if (!f->stage || known->stage != f->stage)
    *known = (ts_shared_label){f->stage, shared_label(f, o->label)};
  return (ts_origin){known->text, o->span, TS_NO_SPAN};
}

ts_kernel ts_moving_kernel(ts_lowering *l, const char *family, const ts_dtype *dtype, double bytes,
                           double flops, ts_span span)
{
  ts_kernel k = {.family = ts_lang_intern(l->s->lang, family, strlen(family)),
                 .dtype = dtype,
                 .bytes = bytes,
                 .flops = flops,
                 .host = -1,
                 .span = span};
  k.cost = ts_costing_kernel(l->costing, &k, family);
  if (k.cost == TS_NO_INDEX) {
    l->failed = true;
    k.cost = 0;
  }
  return k;
}

/* -- nodes -- */

ts_fragment *ts_fragment_new(ts_lowering *l, uint32_t stage)
{
  ts_arena *scratch = ts_arena_new("fragment");
  ts_fragment *f = TS_NEW(scratch, ts_fragment);
  f->l = l;
  f->scratch = scratch;
  f->slowed = 1;
  f->stage_index = stage;
  f->stage = stage == TS_NO_INDEX ? NULL : &l->stages->at[stage];
  f->devices = stage == TS_NO_INDEX ? 0 : ts_devices_of_stage(l, stage);
  f->tensors = TS_NEW_ARRAY(scratch, ts_tensor_state, l->g->tensors.count + 1);
  f->waited = TS_NEW_ARRAY(scratch, uint32_t, TS_MAX_STREAMS * TS_MAX_STREAMS);
  memset(f->last, 0xff, sizeof f->last);
  f->last_host = TS_NO_INDEX;
  return f;
}

void ts_fragment_free(ts_fragment *f) { ts_arena_free(f->scratch); }

void ts_need(ts_fragment *f, uint32_t node)
{
  if (node != TS_NO_INDEX)
    TS_PUSH(f->scratch, &f->needs, node);
}

static bool on_stream(const ts_ir_node *n)
{
  return n->op != TS_IR_HOST_WORK && n->op != TS_IR_HOST_SYNC;
}

/* Moves the collected needs to the node's dependencies: of each other stream only the last node,
 * and that only if new. */
static void take_needs(ts_fragment *f, ts_ir_node *node)
{
  bool host = !on_stream(node);
  uint32_t last[TS_MAX_STREAMS];
  memset(last, 0, sizeof last);
  for (size_t i = 0; i < f->needs.count; i++) {
    const ts_ir_node *other = &f->nodes.at[f->needs.at[i]];
    if (on_stream(other) && (host || other->stream != node->stream) &&
        last[other->stream] < f->needs.at[i] + 1)
      last[other->stream] = f->needs.at[i] + 1;
  }
  f->needs.count = 0;
  node->first_dep = (uint32_t)f->deps.count;
  for (uint32_t s = 0; s < f->l->stream_count; s++) {
    uint32_t *waited = host ? NULL : &f->waited[node->stream * TS_MAX_STREAMS + s];
    if (!last[s] || (waited && *waited >= last[s]))
      continue;
    if (waited)
      *waited = last[s];
    TS_PUSH(f->scratch, &f->deps, last[s] - 1);
    node->dep_count++;
  }
}

static uint32_t emit(ts_fragment *f, ts_ir_node node, ts_origin origin)
{
  ts_lowering *l = f->l;
  uint32_t index = (uint32_t)f->nodes.count;
  if (node.stream == 0 && node.op == TS_IR_COMPUTE) {
    for (size_t i = 0; i < f->barrier.count; i++)
      ts_need(f, f->barrier.at[i]);
    f->barrier.count = 0;
  }
  take_needs(f, &node);
  if (l->calibration.is && node.host_ps)
    node.host_ps = ts_calibrated_time(l->calibration.is, l->calibrated_host, node.host_ps);
  node.label = ts_ir_add_string(l->b, origin.label ? origin.label : "");
  node.loc = ts_ir_loc_of(l, origin.span);
  node.rule_loc = ts_ir_loc_of(l, origin.rule);
  TS_PUSH(f->scratch, &f->nodes, node);
  if (on_stream(&node))
    f->last[node.stream] = index;
  return index;
}

void ts_note_memory(ts_fragment *f, uint32_t node, int64_t bytes, ts_ir_category category,
                    const char *label)
{
  if (!bytes || node == TS_NO_INDEX)
    return;
  ts_noted_label *known = &f->noted[ts_hash_number((uintptr_t)label) % TS_NOTED_LABELS];
  if (known->label != label)
    *known =
      (ts_noted_label){label, ts_ir_add_string(f->l->b, ts_label_pattern(f->scratch, label))};
  ts_ir_mem mem = {bytes, category, known->pattern};
  TS_PUSH(f->scratch, &f->mems, (ts_mem_note){node, mem});
}

uint32_t ts_emit_host(ts_fragment *f, uint64_t time, const char *label)
{
  return emit(f, (ts_ir_node){.op = TS_IR_HOST_WORK, .phase = TS_IR_PHASE_OTHER, .host_ps = time},
              (ts_origin){label, TS_NO_SPAN, TS_NO_SPAN});
}

uint32_t ts_emit_record(ts_fragment *f, uint32_t stream)
{
  return emit(
    f, (ts_ir_node){.op = TS_IR_RECORD, .stream = (uint8_t)stream, .phase = TS_IR_PHASE_OTHER},
    (ts_origin){"", TS_NO_SPAN, TS_NO_SPAN});
}

void ts_emit_sync(ts_fragment *f, uint32_t node, const char *label)
{
  ts_need(f, node);
  emit(f, (ts_ir_node){.op = TS_IR_HOST_SYNC, .phase = TS_IR_PHASE_OTHER},
       (ts_origin){label, TS_NO_SPAN, TS_NO_SPAN});
}

uint32_t ts_emit_choice(ts_fragment *f, const uint32_t *nodes, uint32_t count, uint32_t enough,
                        ts_origin origin)
{
  ts_ir_node node = {.op = TS_IR_RECORD,
                     .phase = TS_IR_PHASE_OTHER,
                     .arg = enough,
                     .loc = TS_IR_NONE,
                     .dep_count = (uint16_t)count};
  if (f->needs.count)
    ts_emit_record(f, 0);
  node.first_dep = (uint32_t)f->deps.count;
  node.label = ts_ir_add_string(f->l->b, origin.label);
  node.rule_loc = ts_ir_loc_of(f->l, origin.rule);
  for (uint32_t i = 0; i < count; i++)
    TS_PUSH(f->scratch, &f->deps, nodes[i]);
  TS_PUSH(f->scratch, &f->nodes, node);
  f->last[0] = (uint32_t)f->nodes.count - 1;
  if (f->l->plan->host.sync)
    ts_emit_sync(f, f->last[0], origin.label);
  return f->last[0];
}

uint32_t ts_emit_kernel(ts_fragment *f, const ts_kernel *k, ts_ir_phase phase, ts_origin origin)
{
  uint64_t host = k->host >= 0 ? (uint64_t)k->host : k->host_only ? 0 : f->l->plan->host.launch;
  if (k->host_only)
    return ts_emit_host(f, host, origin.label);
  uint32_t cost = ts_costing_on(f->l->costing, k->cost, f->devices),
           kernel = ts_ir_kernel_of(f->l, cost, f->slowed);
  TS_PUSH(f->scratch, &f->kernels, cost);
  uint32_t node = emit(
    f, (ts_ir_node){.op = TS_IR_COMPUTE, .phase = (uint8_t)phase, .arg = kernel, .host_ps = host},
    origin);
  uint32_t pieces = k->pieces ? k->pieces : 1;
  for (uint32_t n = 0; n < pieces && k->temp > 0; n++)
    ts_note_memory(f, node, (int64_t)(k->temp / pieces), TS_IR_TEMPORARIES, origin.label);
  for (uint32_t n = 0; n < pieces && k->temp > 0; n++)
    ts_note_memory(f, node, -(int64_t)(k->temp / pieces), TS_IR_TEMPORARIES, origin.label);
  return node;
}

uint32_t ts_emit_collective(ts_fragment *f, const ts_comm *comm, uint64_t bytes, ts_origin origin)
{
  ts_lowering *l = f->l;
  ts_ir_collective record = {comm->kind, ts_ir_group_of(l, comm->axes), bytes};
  ts_ir_node node = {.op = TS_IR_COLLECTIVE,
                     .stream = (uint8_t)ts_comm_stream(l, comm),
                     .phase = TS_IR_PHASE_COMMUNICATION,
                     .arg = ts_ir_intern(l->b, TS_IR_COLLECTIVES, &record),
                     .host_ps = l->plan->host.collective};
  origin.rule = comm->span;
  uint32_t index = emit(f, node, origin);
  if (!comm->overlap)
    TS_PUSH(f->scratch, &f->barrier, index);
  return index;
}

/* Bytes at a stated rate, on a stream beside the device's. */
static uint32_t emit_paced(ts_fragment *f, double bytes, double rate, const char *family,
                           const char *stream, ts_ir_phase phase, ts_origin origin)
{
  ts_lowering *l = f->l;
  ts_ir_kernel kernel = {.time = (uint64_t)(bytes / rate * 1e12 + 0.5),
                         .bytes = bytes,
                         .family = ts_ir_add_string(l->b, family),
                         .dtype = ts_ir_add_string(l->b, "int8"),
                         .basis = TS_IR_STATED,
                         .source = TS_IR_NONE};
  ts_ir_node node = {.op = TS_IR_COMPUTE,
                     .stream = (uint8_t)ts_stream(l, stream, TS_IR_STREAM_COPY),
                     .phase = phase,
                     .arg = ts_ir_intern(l->b, TS_IR_KERNELS, &kernel),
                     .host_ps = l->plan->host.launch};
  return emit(f, node, origin);
}

static const char *const copies[] = {"to the host", "from the host"};

uint32_t ts_copy_stream(ts_lowering *l, bool back)
{
  return ts_stream(l, copies[back], TS_IR_STREAM_COPY);
}

static uint32_t place_stream(ts_fragment *f, const ts_placed *item)
{
  return ts_stream(f->l, ts_arena_printf(f->l->s->arena, "on the host %u", item->place),
                   TS_IR_STREAM_COPY);
}

void ts_copies_sent(ts_fragment *f, const ts_placed *item)
{
  uint32_t last = f->copies_sent ? f->last[ts_copy_stream(f->l, false)] : TS_NO_INDEX;
  if (last == TS_NO_INDEX)
    return;
  ts_need(f, last);
  ts_emit_record(f, place_stream(f, item));
}

void ts_copies_await(ts_fragment *f, const ts_placed *item)
{
  ts_need(f, ts_emit_record(f, place_stream(f, item)));
}

uint32_t ts_emit_copy(ts_fragment *f, double bytes, double rate, bool back, ts_origin origin)
{
  f->copies_sent |= !back;
  return emit_paced(f, bytes, rate, "copy", copies[back], TS_IR_PHASE_COMMUNICATION, origin);
}

uint32_t ts_emit_host_update(ts_fragment *f, double bytes, double rate, ts_origin origin)
{
  return emit_paced(f, bytes, rate, "host update", "host", TS_IR_PHASE_OPTIMIZER, origin);
}

uint32_t ts_emit_message(ts_fragment *f, bool send, int64_t bytes, ts_port_ref role,
                         const char *stream, ts_origin origin)
{
  ts_lowering *l = f->l;
  uint32_t ready = f->needs.count ? f->needs.at[f->needs.count - 1] : TS_NO_INDEX,
           port = (uint32_t)f->ports.count;
  if (send && l->plan->host.sync && ready != TS_NO_INDEX) {
    f->needs.count = 0;
    ts_emit_sync(f, ready, origin.label);
    ts_need(f, ready);
  }
  TS_PUSH(f->scratch, &f->ports, (ts_ir_port){(uint64_t)bytes, l->pipeline_group, send});
  TS_PUSH(f->scratch, &f->roles, role);
  ts_ir_node node = {.op = send ? TS_IR_SEND : TS_IR_RECV,
                     .stream = (uint8_t)ts_stream(l, stream, TS_IR_STREAM_COMM),
                     .phase = TS_IR_PHASE_COMMUNICATION,
                     .arg = port,
                     .host_ps = l->plan->host.message};
  uint32_t index = emit(f, node, origin);
  if (!send && l->plan->host.sync && role.role != TS_PORT_CHOICE)
    ts_emit_sync(f, index, origin.label);
  return index;
}

/* -- to the IR -- */

static int by_node(const ts_mem_note *a, const ts_mem_note *b)
{
  return a->node < b->node ? -1 : a->node > b->node;
}

/* Stable: notes of a node keep their order. Nearly sorted, so insertion is cheap. */
static void sort_notes(ts_fragment *f)
{
  for (size_t i = 1; i < f->mems.count; i++) {
    ts_mem_note note = f->mems.at[i];
    size_t k = i;
    for (; k > 0 && by_node(&f->mems.at[k - 1], &note) > 0; k--)
      f->mems.at[k] = f->mems.at[k - 1];
    f->mems.at[k] = note;
  }
}

static void place_memory(ts_fragment *f)
{
  sort_notes(f);
  ts_ir_mem *run = TS_NEW_ARRAY(f->scratch, ts_ir_mem, f->mems.count + 1);
  for (size_t i = 0; i < f->mems.count;) {
    uint32_t count = 0, first = f->mems.at[i].node;
    for (; i < f->mems.count && f->mems.at[i].node == first; i++)
      run[count++] = f->mems.at[i].mem;
    f->nodes.at[first].first_mem = ts_ir_intern_run(f->l->b, TS_IR_MEMS, run, count);
    f->nodes.at[first].mem_count = (uint16_t)count;
  }
}

uint32_t ts_fragment_finish(ts_fragment *f, const char *name, const char *work)
{
  ts_lowering *l = f->l;
  void *records;
  place_memory(f);
  for (size_t i = 0; i < f->nodes.count; i++)
    if (f->nodes.at[i].dep_count)
      f->nodes.at[i].first_dep = ts_ir_intern_run(
        l->b, TS_IR_DEPS, f->deps.at + f->nodes.at[i].first_dep, f->nodes.at[i].dep_count);
    else
      f->nodes.at[i].first_dep = 0;
  ts_ir_fragment fragment = {.name = ts_ir_add_string(l->b, name),
                             .work = ts_ir_add_string(l->b, work),
                             .node_count = (uint32_t)f->nodes.count,
                             .port_count = (uint32_t)f->ports.count};
  fragment.first_node = ts_ir_append(l->b, TS_IR_NODES, fragment.node_count, &records);
  if (fragment.node_count)
    memcpy(records, f->nodes.at, fragment.node_count * sizeof(ts_ir_node));
  fragment.first_port = ts_ir_append(l->b, TS_IR_PORTS, fragment.port_count, &records);
  if (fragment.port_count)
    memcpy(records, f->ports.at, fragment.port_count * sizeof(ts_ir_port));
  uint32_t index = ts_ir_append(l->b, TS_IR_FRAGMENTS, 1, &records);
  *(ts_ir_fragment *)records = fragment;
  return index;
}
