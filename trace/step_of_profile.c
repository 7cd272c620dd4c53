/* A recorded step of a profile, which has the times, and the execution trace of the same step,
 * which has the tensors. Operators are taken where autograd sees them: convolution, not conv2d
 * around it nor cudnn_convolution in it. */
#include <stdlib.h>
#include <string.h>

#include "base/hash_table.h"
#include "base/source.h"
#include "trace/join.h"
#include "trace/layers.h"
#include "trace/read/tensor_flow.h"
#include "trace/recorded_step.h"

/* Where a node of the execution trace is. */
typedef enum place { FORWARD, BACKWARD, ACCUMULATE, UPDATE, ELSEWHERE } place;

/* by node: flow: what it takes and gives, or NULL; time: ns of itself, then of all in it; ran: how
 * often the profile has it; operators: how many autograd sees in it */
typedef struct step_of_profile_node {
  const ts_flow_node *flow;
  double time;
  uint32_t ran, operators, event;
  place place;
  const char *layer;
} step_of_profile_node;

/* what a backward with a sequence number belongs to: a call, or a view */
typedef struct forward { uint64_t sequence; uint32_t call, tensor; } forward;
/* a tensor under its number in the trace, now: index of the step */
typedef struct step_of_profile_known {
  uint64_t id;
  uint32_t tensor;
  bool made;
} step_of_profile_known;

typedef struct step_of_profile_reader {
  ts_arena *arena;
  ts_events *profile;
  const ts_events *trace;
  ts_step *step;
  step_of_profile_node *nodes;
  TS_VEC(step_of_profile_known) known;
  ts_hash_table numbers;
  TS_VEC(forward) forwards;
  double other;
} step_of_profile_reader;

static const ts_event *at(const step_of_profile_reader *r, uint32_t i)
{
  return ts_event_at(r->trace, i);
}

static const char *step_of_profile_name(const step_of_profile_reader *r, uint32_t i)
{
  return ts_events_text(r->trace, at(r, i)->name);
}

static bool begins(const char *text, const char *with)
{
  return strncmp(text, with, strlen(with)) == 0;
}

static uint32_t parent(const step_of_profile_reader *r, uint32_t i) { return at(r, i)->op; }

/* ---- Times ---- */

/* Device work goes to the innermost operator around it that the trace has too. */
static void take_times(step_of_profile_reader *r, const uint32_t *node_of)
{
  const ts_events *e = r->profile;
  for (uint32_t i = 0; i < e->count; i++)
    if (node_of[i] != TS_EVENT_NONE) {
      r->nodes[node_of[i]].ran++;
      r->nodes[node_of[i]].event = i;
    }
  for (uint32_t i = 0; i < e->device_count; i++) {
    const ts_event *v = ts_event_at(e, e->device[i]);
    uint32_t op = v->op;
    for (int up = 0; up < 256 && op != TS_EVENT_NONE && node_of[op] == TS_EVENT_NONE; up++)
      op = ts_event_at(e, op)->op;
    bool found = op != TS_EVENT_NONE && node_of[op] != TS_EVENT_NONE;
    *(found ? &r->nodes[node_of[op]].time : &r->other) += v->duration > 0 ? (double)v->duration : 0;
  }
}

typedef struct ordered {
  const step_of_profile_reader *r;
  uint32_t *at;
  uint32_t count;
} ordered;
typedef struct numbered { uint64_t id; uint32_t node; } numbered;

static int step_of_profile_by_id(const void *a, const void *b)
{
  const numbered *x = a, *y = b;
  return x->id != y->id ? (x->id < y->id ? -1 : 1) : (x->node > y->node) - (x->node < y->node);
}

/* Nodes in the order in which they began: one around others before them. */
static ordered order_of(const step_of_profile_reader *r)
{
  numbered *all = TS_NEW_ARRAY(r->arena, numbered, r->trace->count + 1);
  ordered o = {r, TS_NEW_ARRAY(r->arena, uint32_t, r->trace->count + 1), r->trace->count};
  for (uint32_t i = 0; i < o.count; i++) all[i] = (numbered){at(r, i)->id, i};
  qsort(all, o.count, sizeof *all, step_of_profile_by_id);
  for (uint32_t i = 0; i < o.count; i++) o.at[i] = all[i].node;
  return o;
}

static place step_of_profile_place_of(const step_of_profile_reader *r, uint32_t i)
{
  static const char evaluated[] = "autograd::engine::evaluate_function";
  const char *text = step_of_profile_name(r, i);
  if (begins(text, evaluated) || begins(text, "torch::autograd::AccumulateGrad"))
    return strstr(text, "AccumulateGrad") ? ACCUMULATE : BACKWARD;
  if (begins(text, "Optimizer.step#"))
    return UPDATE;
  if (begins(text, "Optimizer.zero_grad#"))
    return ELSEWHERE;
  if (at(r, i)->flags & TS_EVENT_BACKWARD)
    return BACKWARD;
  return parent(r, i) == TS_EVENT_NONE ? FORWARD : r->nodes[parent(r, i)].place;
}

static bool is_operator(const step_of_profile_reader *r, uint32_t i)
{
  return strstr(step_of_profile_name(r, i), "::") && r->nodes[i].flow && r->nodes[i].flow->gives;
}

/* Places downwards; times and operators upwards. Several steps of the profile: their mean. */
static void step_of_profile_sum_up(step_of_profile_reader *r, ordered o)
{
  for (uint32_t k = 0; k < o.count; k++) {
    step_of_profile_node *n = &r->nodes[o.at[k]];
    n->place = step_of_profile_place_of(r, o.at[k]);
    n->time /= n->ran ? n->ran : 1;
  }
  for (uint32_t k = o.count; k-- > 0;) {
    uint32_t i = o.at[k], up = parent(r, i);
    step_of_profile_node *n = &r->nodes[i];
    if (up == TS_EVENT_NONE || up == i)
      continue;
    r->nodes[up].time += n->time;
    r->nodes[up].operators += n->operators + (is_operator(r, i) && at(r, i)->external > 0);
  }
}

/* ---- Tensors ---- */

static ts_step_tensor tensor_of(step_of_profile_reader *r, const ts_flow_tensor *t)
{
  const char *type = ts_events_text(r->trace, r->trace->shapes.at[t->shapes].types),
             *dims = ts_events_text(r->trace, r->trace->shapes.at[t->shapes].dims);
  return (ts_step_tensor){.dtype = ts_scalar_name(type) ? ts_scalar_name(type) : type,
                          .dims = *dims ? dims : "[]",
                          .of = TS_STEP_NONE,
                          .view = "",
                          .module = ""};
}

/* The tensor of the step under this number. What an operator gives under the number of another
 * shape, whose place was used again, is a new one. */
static uint32_t step_of_profile_number_of(step_of_profile_reader *r, const ts_flow_tensor *t,
                                          bool made)
{
  uint32_t k = ts_hash_find_key(&r->numbers, t->id, r->known.at, sizeof *r->known.at);
  ts_step_tensor new = tensor_of(r, t);
  if (k == TS_HASH_NONE) {
    k = (uint32_t)r->known.count;
    TS_PUSH(r->arena, &r->known, ((step_of_profile_known){t->id, TS_STEP_NONE, false}));
    ts_hash_add(r->arena, &r->numbers, ts_hash_number(t->id), k);
  }
  step_of_profile_known *now = &r->known.at[k];
  if (now->tensor == TS_STEP_NONE || strcmp(r->step->tensors.at[now->tensor].dims, new.dims) != 0) {
    now->tensor = (uint32_t)r->step->tensors.count;
    now->made = false;
    TS_PUSH(r->arena, &r->step->tensors, new);
  }
  now->made |= made;
  return now->tensor;
}

static const ts_flow_tensor *flow_tensor(const step_of_profile_reader *r, const ts_flow_node *f,
                                         uint32_t i)
{
  return &r->trace->flow->tensors.at[r->trace->flow->numbers.at[f->first + i]];
}

/* ---- Calls ---- */

static void remember(step_of_profile_reader *r, uint64_t sequence, uint32_t call, uint32_t tensor)
{
  if (sequence)
    TS_PUSH(r->arena, &r->forwards, ((forward){sequence, call, tensor}));
}

/* Gives what it took, or shows its memory, and launches nothing. */
static bool is_view(const step_of_profile_reader *r, const step_of_profile_node *n)
{
  const ts_flow_node *f = n->flow;
  if (n->time > 0 || !f->takes)
    return false;
  uint64_t storage = flow_tensor(r, f, 0)->storage;
  for (uint32_t i = 0; i < f->gives; i++)
    if (!storage || flow_tensor(r, f, f->takes + i)->storage != storage)
      return false;
  return true;
}

static void take_view(step_of_profile_reader *r, uint32_t i, const step_of_profile_node *n)
{
  const ts_flow_node *f = n->flow;
  uint32_t from = step_of_profile_number_of(r, flow_tensor(r, f, 0), false);
  for (uint32_t k = 0; k < f->gives; k++) {
    const ts_flow_tensor *given = flow_tensor(r, f, f->takes + k);
    if (given->id == flow_tensor(r, f, 0)->id)
      continue;
    uint32_t to = step_of_profile_number_of(r, given, true);
    if (to <= from) /* there already: numbers of views are behind those they show */
      continue;
    r->step->tensors.at[to].of = from;
    r->step->tensors.at[to].view = step_of_profile_name(r, i);
    if (!k)
      remember(r, at(r, i)->external, TS_STEP_NONE, to);
  }
}

static void step_of_profile_take_call(step_of_profile_reader *r, uint32_t i,
                                      const step_of_profile_node *n)
{
  const ts_flow_node *f = n->flow;
  uint32_t *list = TS_NEW_ARRAY(r->arena, uint32_t, f->takes + f->gives + 1);
  for (uint32_t k = 0; k < f->takes; k++)
    list[k] = step_of_profile_number_of(r, flow_tensor(r, f, k), false);
  for (uint32_t k = 0; k < f->gives; k++)
    list[f->takes + k] = step_of_profile_number_of(r, flow_tensor(r, f, f->takes + k), true);
  remember(r, at(r, i)->external, (uint32_t)r->step->calls.count, TS_STEP_NONE);
  ts_step_call call = {.op = step_of_profile_name(r, i),
                       .module = n->layer && !strchr(n->layer, '#') ? n->layer : "",
                       .in = list,
                       .out = list + f->takes,
                       .in_count = f->takes,
                       .out_count = f->gives,
                       .forward = (int64_t)(n->time + 0.5)};
  TS_PUSH(r->arena, &r->step->calls, call);
}

/* The last operator with that number made the node of autograd. */
static const forward *forward_of(const step_of_profile_reader *r, uint64_t sequence)
{
  for (size_t k = r->forwards.count; sequence && k-- > 0;)
    if (r->forwards.at[k].sequence == sequence)
      return &r->forwards.at[k];
  return NULL;
}

/* The sequence number of a node of autograd stands at the node or right in it. */
static uint64_t sequence_in(const step_of_profile_reader *r, ordered o, uint32_t from)
{
  uint32_t i = o.at[from];
  if (at(r, i)->external)
    return at(r, i)->external;
  for (uint32_t k = from + 1; k < o.count && parent(r, o.at[k]) != TS_EVENT_NONE; k++) {
    if (parent(r, o.at[k]) == i && at(r, o.at[k])->external)
      return at(r, o.at[k])->external;
    if (begins(step_of_profile_name(r, o.at[k]), "autograd::engine"))
      break;
  }
  return 0;
}

static bool is_outermost(const step_of_profile_reader *r, uint32_t i)
{
  uint32_t up = parent(r, i);
  return up == TS_EVENT_NONE || r->nodes[up].place != r->nodes[i].place;
}

/* An operator that autograd sees, and none in it; without gradients the outermost. */
static bool is_call(const step_of_profile_reader *r, uint32_t i)
{
  const step_of_profile_node *n = &r->nodes[i];
  if (n->place != FORWARD || !is_operator(r, i) || n->operators)
    return false;
  uint32_t up = parent(r, i); /* nesting may be a circle in a damaged file */
  for (int hops = 0; hops < 256 && up != TS_EVENT_NONE; hops++, up = parent(r, up))
    if (is_operator(r, up) && !r->nodes[up].operators)
      return false;
  return true;
}

/* Parameters are what the optimizer takes and the forward did not make. */
static bool find_parameters(step_of_profile_reader *r, ts_error *error)
{
  uint32_t found = 0, steps = 0;
  for (uint32_t i = 0; i < r->trace->count; i++) {
    const step_of_profile_node *n = &r->nodes[i];
    steps += n->place == UPDATE;
    for (uint32_t k = 0; n->place == UPDATE && n->flow && k < n->flow->takes; k++) {
      const ts_flow_tensor *t = flow_tensor(r, n->flow, k);
      uint32_t number = ts_hash_find_key(&r->numbers, t->id, r->known.at, sizeof *r->known.at);
      if (number == TS_HASH_NONE)
        continue;
      const step_of_profile_known *now = &r->known.at[number];
      ts_step_tensor *held = &r->step->tensors.at[now->tensor];
      bool is = !now->made && now->tensor != TS_STEP_NONE && held->of == TS_STEP_NONE;
      found += is && held->held != TS_HELD_PARAMETER;
      held->held = is ? TS_HELD_PARAMETER : held->held;
    }
  }
  if (found)
    return true;
  return ts_fail(error, "record the step with its optimizer: it tells which tensors are parameters",
                 steps ? "its optimizer takes none of the tensors of the forward" :
                         "the execution trace has no optimizer step");
}

static bool is_real(const ts_step_tensor *t)
{
  return begins(t->dtype, "fp") || begins(t->dtype, "bf") || begins(t->dtype, "bool");
}

/* Tensors that no operator made and the optimizer does not take are inputs or buffers (running
 * means, masks). A call's first is an input where nothing else comes in; the others are buffers.
 * Whole numbers are inputs. */
static void find_buffers(step_of_profile_reader *r)
{
  ts_step *step = r->step;
  bool *made = TS_NEW_ARRAY(r->arena, bool, step->tensors.count + 1),
       *input = TS_NEW_ARRAY(r->arena, bool, step->tensors.count + 1);
  for (size_t i = 0; i < step->calls.count; i++) {
    const ts_step_call *c = &step->calls.at[i];
    bool comes = false;
    for (uint32_t pass = 0; pass < 2; pass++)
      for (uint32_t k = 0; k < c->in_count; k++) {
        uint32_t from = c->in[k];
        while (step->tensors.at[from].of != TS_STEP_NONE) from = step->tensors.at[from].of;
        ts_step_tensor *t = &step->tensors.at[from];
        if (t->held != TS_HELD_NOT)
          continue;
        if (!pass) {
          comes |= made[from] || input[from];
        } else if (!made[from] && !input[from] && is_real(t)) {
          t->held = comes ? TS_HELD_BUFFER : TS_HELD_NOT;
          input[from] = !comes;
          comes = true;
        }
      }
    for (uint32_t k = 0; k < c->out_count; k++) made[c->out[k]] = true;
  }
}

/* Adds work of the backward to what it is the backward of. */
static void take_backward(step_of_profile_reader *r, ordered o, uint32_t k, uint32_t *last)
{
  const step_of_profile_node *n = &r->nodes[o.at[k]];
  ts_step *step = r->step;
  int64_t time = (int64_t)(n->time + 0.5);
  const forward *f = n->place == BACKWARD ? forward_of(r, sequence_in(r, o, k)) : NULL;
  if (f && f->call != TS_STEP_NONE) {
    *last = f->call;
    step->calls.at[f->call].backward += time;
  } else if (f) {
    step->tensors.at[f->tensor].backward += time;
  } else if (n->place == ACCUMULATE && *last != TS_STEP_NONE)
    step->calls.at[*last].accumulate += time;
  else
    r->other += (double)time;
}

/* Of several forwards with a backward the last is taken: nodes from `begin`. */
static uint32_t last_pass(step_of_profile_reader *r, ordered o)
{
  uint32_t begin = 0, next = 0;
  bool back = true;
  r->step->passes = 0;
  for (uint32_t k = 0; k < o.count; k++) {
    place p = r->nodes[o.at[k]].place;
    if (p == FORWARD && back && is_call(r, o.at[k])) {
      next = k;
      back = false;
    } else if (p == BACKWARD && !back) {
      begin = next;
      r->step->passes++;
      back = true;
    }
  }
  r->step->pass = r->step->passes;
  return begin;
}

static void name_layers(step_of_profile_reader *r, ordered o)
{
  TS_VEC(uint32_t) ops = {0};
  TS_VEC(uint32_t) of = {0};
  for (uint32_t k = 0; k < o.count; k++)
    if (r->nodes[o.at[k]].ran && is_call(r, o.at[k])) {
      TS_PUSH(r->arena, &ops, r->nodes[o.at[k]].event);
      TS_PUSH(r->arena, &of, o.at[k]);
    }
  const char **layers = TS_NEW_ARRAY(r->arena, const char *, ops.count + 1);
  ts_layers_name(r->arena, r->profile, ops.at, (uint32_t)ops.count, false, layers);
  for (size_t k = 0; k < ops.count; k++) r->nodes[of.at[k]].layer = layers[k];
}

/* A call that the profile lacks would seem to take no time. */
static bool all_ran(const step_of_profile_reader *r, ordered o, uint32_t begin, ts_error *error)
{
  uint32_t calls = 0, lacking = 0, first = 0;
  for (uint32_t k = begin; k < o.count; k++) {
    if (!is_call(r, o.at[k]))
      continue;
    calls++;
    if (!r->nodes[o.at[k]].ran && !lacking++)
      first = o.at[k];
  }
  return !lacking ||
         ts_fail(error, "record both in the same steps",
                 "it lacks %u of the %u operators of the execution trace's forward, first `%.60s`",
                 lacking, calls, step_of_profile_name(r, first));
}

static bool step_of_profile_walk(step_of_profile_reader *r, ordered o, ts_error *error)
{
  uint32_t begin = last_pass(r, o), last = TS_STEP_NONE;
  double update = 0;
  if (!all_ran(r, o, begin, error))
    return false;
  for (uint32_t k = begin; k < o.count; k++) {
    uint32_t i = o.at[k];
    const step_of_profile_node *n = &r->nodes[i];
    if (!is_call(r, i))
      continue;
    if (is_view(r, n))
      take_view(r, i, n);
    else
      step_of_profile_take_call(r, i, n);
  }
  if (!find_parameters(r, error))
    return false;
  find_buffers(r);
  for (uint32_t k = 0; k < o.count; k++) {
    const step_of_profile_node *n = &r->nodes[o.at[k]];
    if (!is_outermost(r, o.at[k]))
      continue;
    if (n->place == UPDATE)
      update += n->time;
    else if (n->place == ELSEWHERE)
      r->other += n->time;
    else if (n->place != FORWARD && k >= begin)
      take_backward(r, o, k, &last);
  }
  r->step->optimizer = (int64_t)(update + 0.5);
  r->step->other = (int64_t)(r->other + 0.5);
  return true;
}

ts_step *ts_step_of_profile(ts_arena *arena, ts_events *profile, const ts_events *trace,
                            ts_error *error)
{
  step_of_profile_reader r = {
    .arena = arena, .profile = profile, .trace = trace, .step = TS_NEW(arena, ts_step)};
  uint32_t *node_of = TS_NEW_ARRAY(arena, uint32_t, profile->count + 1);
  memset(node_of, 0xff, sizeof *node_of * (profile->count + 1));
  ts_events_join(profile, trace, node_of);
  r.nodes = TS_NEW_ARRAY(arena, step_of_profile_node, trace->count + 1);
  for (size_t i = 0; i < trace->flow->nodes.count; i++)
    r.nodes[trace->flow->nodes.at[i].event].flow = &trace->flow->nodes.at[i];
  take_times(&r, node_of);
  ordered o = order_of(&r);
  step_of_profile_sum_up(&r, o);
  name_layers(&r, o);
  r.step->device =
    profile->devices.count ? ts_events_text(profile, profile->devices.at[0].name) : NULL;
  r.step->source = ts_arena_printf(arena, "%s, joined by %s with %s", ts_base_name(profile->file),
                                   profile->shapes_by_number ? "record function id" :
                                                               "name and order",
                                   ts_base_name(trace->file));
  return step_of_profile_walk(&r, o, error) ? r.step : NULL;
}
