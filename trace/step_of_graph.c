/* A recorded step of an execution graph of the tracer. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash_table.h"
#include "base/source.h"
#include "trace/read/rank_graph.h"
#include "trace/read/tensor_flow.h"
#include "trace/recorded_step.h"

/* ids: of tensors, by number; maker: the call that made each */
typedef struct step_of_graph_reader {
  ts_arena *arena;
  const ts_events *e;
  ts_step *step;
  ts_hash_table numbers;
  const uint64_t *ids;
  uint32_t *maker;
} step_of_graph_reader;
static uint32_t step_of_graph_number_of(const step_of_graph_reader *r, uint64_t id)
{
  return ts_hash_find_key(&r->numbers, id, r->ids, sizeof *r->ids);
}

/* The text between the outer brackets of "[[4,8]]", or the quotes of ["float32"]. */
static const char *inner(ts_arena *arena, const char *text)
{
  size_t length = strlen(text);
  return length < 4 ? text : ts_arena_string(arena, text + 1, length - 2);
}

static bool take_tensors(step_of_graph_reader *r, ts_error *error)
{
  const ts_events *e = r->e;
  size_t count = e->flow->tensors.count;
  uint64_t *ids = TS_NEW_ARRAY(r->arena, uint64_t, count + 1);
  r->ids = ids;
  r->maker = TS_NEW_ARRAY(r->arena, uint32_t, count + 1);
  memset(r->maker, 0xff, sizeof *r->maker * (count + 1));
  for (size_t i = 0; i < count; i++) {
    const ts_flow_tensor *t = &e->flow->tensors.at[i];
    if (step_of_graph_number_of(r, t->id) != TS_HASH_NONE)
      return ts_fail(error, NULL, "two tensors have the number %" PRIu64, t->id);
    ids[i] = t->id;
    ts_hash_add(r->arena, &r->numbers, ts_hash_number(t->id), (uint32_t)i);
  }
  for (size_t i = 0; i < count; i++) {
    const ts_flow_tensor *t = &e->flow->tensors.at[i];
    const char *kind = ts_events_text(e, t->kind),
               *type = ts_events_text(e, e->shapes.at[t->shapes].types);
    type = inner(r->arena, inner(r->arena, type));
    uint32_t of = t->of == TS_TENSOR_NONE ? TS_STEP_NONE : step_of_graph_number_of(r, t->of);
    if (t->of != TS_TENSOR_NONE && (of == TS_HASH_NONE || of >= i))
      return ts_fail(error, NULL, "tensor %" PRIu64 " is a view of no tensor listed before it",
                     t->id);
    ts_step_tensor made = {.dtype = ts_scalar_name(type) ? ts_scalar_name(type) : type,
                           .dims = inner(r->arena, ts_events_text(e, e->shapes.at[t->shapes].dims)),
                           .held = !strcmp(kind, "parameter") ? TS_HELD_PARAMETER :
                                   !strcmp(kind, "buffer")    ? TS_HELD_BUFFER :
                                                                TS_HELD_NOT,
                           .of = of,
                           .view = ts_events_text(e, t->op),
                           .module = ts_events_text(e, t->name)};
    TS_PUSH(r->arena, &r->step->tensors, made);
  }
  return true;
}

static bool is(const ts_events *e, const ts_graph_facts *f, const char *phase)
{
  return strcmp(ts_events_text(e, f->phase), phase) == 0;
}

/* Forwards of the step: one ends where a backward begins. The last with a backward is taken, whose
 * gradients are added to those there. */
static void count_passes(step_of_graph_reader *r)
{
  bool back = false;
  r->step->passes = 0;
  for (uint32_t i = 0; i < r->e->count; i++) {
    const ts_graph_facts *f = ts_graph_facts_of(r->e, i);
    bool backward = f && is(r->e, f, "backward");
    if (!f || !(backward || is(r->e, f, "forward")))
      continue;
    r->step->passes += backward && !back;
    back = backward;
  }
  r->step->pass = r->step->passes;
}

static bool take_list(const step_of_graph_reader *r, const uint64_t *ids, uint32_t count,
                      uint32_t *out, uint64_t node, ts_error *error)
{
  for (uint32_t i = 0; i < count; i++) {
    out[i] = step_of_graph_number_of(r, ids[i]);
    if (out[i] == TS_HASH_NONE)
      return ts_fail(error, NULL, "node %" PRIu64 ": there is no tensor %" PRIu64, node, ids[i]);
  }
  return true;
}

static bool step_of_graph_take_call(step_of_graph_reader *r, const ts_event *v, int64_t took,
                                    const ts_flow_node *flow, const ts_graph_facts *f,
                                    ts_error *error)
{
  const uint64_t *ids = r->e->flow->numbers.at + flow->first;
  uint32_t *list = TS_NEW_ARRAY(r->arena, uint32_t, flow->takes + flow->gives + 1);
  if (!take_list(r, ids, flow->takes + flow->gives, list, v->id, error))
    return false;
  for (uint32_t i = 0; i < flow->gives; i++)
    r->maker[list[flow->takes + i]] = (uint32_t)r->step->calls.count;
  ts_step_call call = {.op = ts_events_text(r->e, v->name),
                       .module = ts_events_text(r->e, f->module),
                       .in = list,
                       .out = list + flow->takes,
                       .in_count = flow->takes,
                       .out_count = flow->gives,
                       .forward = took};
  TS_PUSH(r->arena, &r->step->calls, call);
  return true;
}

/* The first call that takes a parameter. */
static ts_step_call *taker_of(ts_step *step, uint32_t tensor)
{
  for (size_t i = 0; i < step->calls.count; i++)
    for (uint32_t k = 0; k < step->calls.at[i].in_count; k++) {
      uint32_t from = step->calls.at[i].in[k];
      while (from != tensor && step->tensors.at[from].of != TS_STEP_NONE)
        from = step->tensors.at[from].of;
      if (from == tensor)
        return &step->calls.at[i];
    }
  return NULL;
}

/* Autograd adds the gradients of a tensor that is used twice. */
static bool is_sum(const step_of_graph_reader *r, uint32_t event)
{
  const char *name = ts_events_text(r->e, ts_event_at(r->e, event)->name);
  return r->step->untimed && strcmp(name, "aten::add") == 0;
}

/* The bytes of all tensors of a list: [["float32",[4,8]],...] */
static double listed_bytes(const ts_events *e, uint32_t shapes)
{
  if (shapes == TS_EVENT_NONE)
    return 0;
  const char *types = ts_events_text(e, e->shapes.at[shapes].types),
             *dims = ts_events_text(e, e->shapes.at[shapes].dims);
  double all = 0;
  dims += *dims == '[';
  while ((dims = strchr(dims, '[')) && (types = strchr(types, '"'))) {
    char type[32];
    size_t length = strcspn(++types, "\"");
    snprintf(type, sizeof type, "%.*s", (int)(length < 31 ? length : 31), types);
    int64_t each = ts_scalar_bytes(type);
    double bytes = each > 0 ? (double)each : 4;
    char *end;
    for (dims++; *dims && *dims != ']'; dims = *end == ',' ? end + 1 : end) {
      bytes *= (double)strtoll(dims, &end, 10);
      if (end == dims)
        break;
    }
    all += bytes;
    types += length + (types[length] == '"');
  }
  return all;
}

static void add_update(step_of_graph_reader *r, const ts_graph_facts *f, int64_t took, bool bucket)
{
  r->step->optimizer += took;
  if (r->step->untimed)
    *(bucket ? &r->step->bucket_bytes : &r->step->update_bytes) +=
      listed_bytes(r->e, f->in) + listed_bytes(r->e, f->out);
}

static void add_backward(step_of_graph_reader *r, uint32_t event, uint64_t id, int64_t time)
{
  uint32_t tensor = id == TS_TENSOR_NONE ? TS_HASH_NONE : step_of_graph_number_of(r, id);
  ts_step *step = r->step;
  if (tensor == TS_HASH_NONE || is_sum(r, event)) {
    step->other += time;
  } else if (step->tensors.at[tensor].held == TS_HELD_PARAMETER) {
    ts_step_call *taker = taker_of(step, tensor);
    *(taker ? &taker->accumulate : &step->other) += time;
  } else if (step->tensors.at[tensor].of != TS_STEP_NONE)
    step->tensors.at[tensor].backward += time;
  else if (r->maker[tensor] != TS_STEP_NONE)
    step->calls.at[r->maker[tensor]].backward += time;
  else
    step->other += time;
}

static bool is_work(const ts_events *e, uint32_t event)
{
  const ts_event *v = ts_event_at(e, event);
  return ts_graph_facts_of(e, event) && v->class == TS_EVENT_DEVICE &&
         v->kind != TS_KERNEL_COMMUNICATION;
}

static bool is_untimed(const ts_events *e)
{
  for (uint32_t i = 0; i < e->count; i++)
    if (is_work(e, i) && ts_event_at(e, i)->duration >= 0)
      return false;
  return true;
}

/* Copies of gradients into buckets and out of them, by DistributedDataParallel: not sums. */
static bool is_bucket_copy(const step_of_graph_reader *r, uint32_t event, uint64_t id)
{
  const char *name = ts_events_text(r->e, ts_event_at(r->e, event)->name);
  uint32_t tensor = id == TS_TENSOR_NONE ? TS_HASH_NONE : step_of_graph_number_of(r, id);
  return tensor == TS_HASH_NONE ?
           !strcmp(name, "aten::copy_") :
           r->step->tensors.at[tensor].held == TS_HELD_PARAMETER && !strcmp(name, "aten::mul");
}

/* Nodes from `begin` to `end` did calls before *until again, in their order: each is the last call
 * of its name and module before the one of the node behind it. */
static void find_again(step_of_graph_reader *r, uint32_t begin, uint32_t end, size_t *until,
                       uint32_t number)
{
  const ts_events *e = r->e;
  for (uint32_t i = end; i-- > begin;) {
    if (!is_work(e, i))
      continue;
    const char *op = ts_events_text(e, ts_event_at(e, i)->name),
               *module = ts_events_text(e, ts_graph_facts_of(e, i)->module);
    size_t c = *until;
    while (c && (r->step->calls.at[c - 1].op != op || r->step->calls.at[c - 1].module != module))
      c--;
    if (!c)
      continue;
    *until = c - 1;
    r->step->calls.at[c - 1].again = number;
  }
}

static bool take_nodes(step_of_graph_reader *r, ts_error *error)
{
  const ts_events *e = r->e;
  uint32_t pass = 1, again = TS_EVENT_NONE; /* the first node of those that are done again */
  uint32_t number = 0;                      /* of them */
  size_t until = SIZE_MAX;
  bool back = false;
  for (uint32_t i = 0, k = 0; i < e->count; i++) {
    const ts_event *v = ts_event_at(e, i);
    const ts_graph_facts *f = ts_graph_facts_of(e, i);
    const ts_flow_node *flow = NULL;
    for (; k < e->flow->nodes.count && e->flow->nodes.at[k].event <= i; k++)
      flow = e->flow->nodes.at[k].event == i ? &e->flow->nodes.at[k] : flow;
    if (!is_work(e, i))
      continue;
    if (again != TS_EVENT_NONE && !is(e, f, "recompute")) {
      until = until < r->step->calls.count ? until : r->step->calls.count;
      find_again(r, again, i, &until, ++number);
      again = TS_EVENT_NONE;
    }
    int64_t took = r->step->untimed ? 1 : v->duration;
    if (took < 0)
      return ts_fail(error, "trace with --timed", "node %" PRIu64 ", `%.40s`, has no time", v->id,
                     ts_events_text(e, v->name));
    bool forward = is(e, f, "forward"), backward = is(e, f, "backward");
    pass += forward && back;
    back = backward || (back && !forward);
    uint64_t of = flow ? flow->gradient_of : TS_TENSOR_NONE;
    bool bucket = pass == r->step->pass && backward && is_bucket_copy(r, i, of);
    if (is(e, f, "optimizer") || pass > r->step->pass || bucket)
      add_update(r, f, took, bucket);
    else if (pass != r->step->pass)
      continue; /* the passes before are like it */
    else if (forward && flow) {
      if (!step_of_graph_take_call(r, v, took, flow, f, error))
        return false;
    } else if (backward)
      add_backward(r, i, of, took);
    else if (is(e, f, "recompute")) {
      r->step->again += took;
      again = again == TS_EVENT_NONE ? i : again;
    } else
      r->step->other += took;
  }
  return true;
}

/* Tensors made of tensors (DTensor) hide from autograd's nodes what they work for; then a model
 * would lack most of its backward. Copies into the buckets of DDP are for no operator. */
static bool knows_backward(const ts_events *e, ts_error *error)
{
  uint32_t all = 0, lost = 0;
  for (uint32_t i = 0, k = 0; i < e->count; i++) {
    const ts_graph_facts *f = ts_graph_facts_of(e, i);
    const ts_flow_node *flow = NULL;
    for (; k < e->flow->nodes.count && e->flow->nodes.at[k].event <= i; k++)
      flow = e->flow->nodes.at[k].event == i ? &e->flow->nodes.at[k] : flow;
    if (!is_work(e, i) || !is(e, f, "backward") ||
        !strcmp(ts_events_text(e, ts_event_at(e, i)->name), "aten::copy_"))
      continue;
    all++;
    lost += !flow || flow->gradient_of == TS_TENSOR_NONE;
  }
  return (double)lost <= 0.05 * all ||
         ts_fail(error,
                 "tensors made of tensors (DTensor) hide it: trace the script without them, as "
                 "parallelize_module and fully_shard make them; plans divide it",
                 "of %u operators of the backward %u say of no operator whose backward they are",
                 all, lost);
}

static bool is_alone(const ts_events *e, ts_error *error)
{
  for (size_t i = 0; i < e->comms.count; i++)
    if (e->comms.at[i].size > 1 || e->comms.at[i].peer >= 0)
      return ts_fail(error, "record the whole model on one device; plans split it",
                     "the rank talks to others: its shapes are parts");
  return true;
}

ts_step *ts_step_of_graph(ts_arena *arena, const ts_events *graph, ts_error *error)
{
  step_of_graph_reader r = {.arena = arena, .e = graph, .step = TS_NEW(arena, ts_step)};
  if (!graph->flow->tensors.count || !graph->flow->nodes.count) {
    ts_fail(error, "trace one rank alone, `trainspec-trace --world 1`, or with --timed",
            "the graph does not say which tensors operators take");
    return NULL;
  }
  if (!is_alone(graph, error) || !take_tensors(&r, error))
    return NULL;
  r.step->source = ts_base_name(graph->file);
  r.step->device = graph->devices.count ? ts_events_text(graph, graph->devices.at[0].name) : NULL;
  r.step->untimed = is_untimed(graph);
  count_passes(&r);
  if ((r.step->untimed && !knows_backward(graph, error)) || !take_nodes(&r, error))
    return NULL;
  return r.step;
}
