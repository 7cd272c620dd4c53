#include "runtime/account/lower_bounds.h"

#include <stdbool.h>

#include "runtime/load/tables.h"

enum { COMPUTE = 0 }; /* the stream */

/* A stream takes one node after the other, in the order in which the host issues them. So its
 * kernels take at least the sum of their times.
 *
 * When the compute stream starts a node, all that its earlier nodes allocated is held, less what
 * they freed. Of a node of another stream one knows that it has ended if the compute stream waited
 * for it, or for one behind it; that it has not begun if it waits itself for what the compute
 * stream has yet to do; and else nothing: it then counts as done if it gives back more than it
 * takes, and as not begun if it takes more. */
typedef struct fragment {
  int64_t net, top;        /* bytes: after the fragment, and the most in it */
  int64_t early;           /* <= 0: of nodes that may have ended before the fragment begins */
  const uint64_t *time;    /* [streams], ps */
  const uint64_t *kernels; /* [streams] */
} fragment;

typedef struct bound_reader {
  const ts_ir *ir;
  double speed; /* of the fastest device */
  const ts_ir_node *nodes;
  uint32_t count;
  uint32_t *before; /* [nodes] the one before it on its stream, or TS_IR_NONE */
  uint32_t *after;  /* [nodes] the last node of the compute stream that it waits for; TS_IR_NONE */
  bool *done;       /* [nodes] of other streams */
  uint32_t *stack;
  int64_t *surely; /* [nodes] bytes of nodes that may end as soon as this one of compute has */
  int64_t early;
} bound_reader;

static bool is_compute(const ts_ir_node *n) { return !n->stream && !ts_is_host(n); }

static int64_t bound_sum_of(const ts_ir *ir, const ts_ir_node *n, bool freed)
{
  int64_t sum = 0;
  for (uint32_t m = 0; m < n->mem_count; m++) {
    int64_t bytes = ir->mems[n->first_mem + m].bytes;
    sum += (bytes < 0) == freed ? bytes : 0;
  }
  return sum;
}

static int64_t net_of(const ts_ir *ir, const ts_ir_node *n)
{
  return bound_sum_of(ir, n, false) + bound_sum_of(ir, n, true);
}

static int64_t bound_unknown(int64_t net) { return net < 0 ? net : 0; }

static uint32_t bound_later(uint32_t a, uint32_t b)
{
  return a == TS_IR_NONE ? b : b == TS_IR_NONE ? a : a > b ? a : b;
}

/* What each node of another stream waits for on the compute stream. */
static void find_order(bound_reader *r, uint32_t *last)
{
  for (uint32_t i = 0; i < r->count; i++) {
    const ts_ir_node *n = &r->nodes[i];
    r->before[i] = r->after[i] = TS_IR_NONE;
    if (is_compute(n))
      continue;
    int64_t unsure = bound_unknown(net_of(r->ir, n));
    if (!ts_is_host(n)) {
      r->before[i] = last[n->stream];
      last[n->stream] = i;
      r->after[i] = r->before[i] == TS_IR_NONE ? TS_IR_NONE : r->after[r->before[i]];
      for (uint32_t d = 0; d < n->dep_count && !ts_node_chooses(n); d++) {
        uint32_t dep = r->ir->deps[n->first_dep + d];
        r->after[i] = bound_later(r->after[i], is_compute(&r->nodes[dep]) ? dep : r->after[dep]);
      }
    }
    *(r->after[i] == TS_IR_NONE ? &r->early : &r->surely[r->after[i]]) += unsure;
  }
}

/* The node has ended, and all that it waited for. What that adds to what was counted. */
static int64_t least_end(bound_reader *r, uint32_t node)
{
  int64_t more = 0;
  uint32_t waiting = 0;
  r->stack[waiting++] = node;
  while (waiting) {
    uint32_t i = r->stack[--waiting];
    if (i == TS_IR_NONE || r->done[i] || is_compute(&r->nodes[i]) || ts_is_host(&r->nodes[i]))
      continue;
    const ts_ir_node *n = &r->nodes[i];
    int64_t net = net_of(r->ir, n);
    r->done[i] = true;
    more += net - bound_unknown(net);
    r->stack[waiting++] = r->before[i];
    for (uint32_t d = 0; d < n->dep_count && !ts_node_chooses(n); d++)
      r->stack[waiting++] = r->ir->deps[n->first_dep + d];
  }
  return more;
}

/* What is taken and given back at one moment is not held. */
static bool takes_time(const bound_reader *r, const ts_ir_node *n)
{
  return n->op == TS_IR_COMPUTE && (double)r->ir->kernels[n->arg].time >= r->speed;
}

static fragment read(ts_arena *arena, const ts_ir *ir, double speed, const ts_ir_fragment *f)
{
  uint64_t *time = TS_NEW_ARRAY(arena, uint64_t, ir->streams_count + 1),
           *kernels = TS_NEW_ARRAY(arena, uint64_t, ir->streams_count + 1);
  uint32_t *last = TS_NEW_ARRAY(arena, uint32_t, ir->streams_count + 1), deps = 0;
  const ts_ir_node *nodes = &ir->nodes[f->first_node];
  fragment out = {.time = time, .kernels = kernels};
  for (uint32_t i = 0; i < f->node_count; i++) {
    deps += nodes[i].dep_count;
    if (nodes[i].op == TS_IR_COMPUTE) {
      time[nodes[i].stream] += ir->kernels[nodes[i].arg].time;
      kernels[nodes[i].stream]++;
    }
  }
  for (uint32_t i = 0; i < ir->streams_count; i++)
    last[i] = TS_IR_NONE;
  bound_reader r = {.ir = ir,
                    .speed = speed,
                    .nodes = nodes,
                    .count = f->node_count,
                    .before = TS_NEW_ARRAY(arena, uint32_t, f->node_count + 1),
                    .after = TS_NEW_ARRAY(arena, uint32_t, f->node_count + 1),
                    .done = TS_NEW_ARRAY(arena, bool, f->node_count + 1),
                    .stack = TS_NEW_ARRAY(arena, uint32_t, f->node_count + (size_t)deps + 2),
                    .surely = TS_NEW_ARRAY(arena, int64_t, f->node_count + 1)};
  find_order(&r, last);
  for (uint32_t i = 0; i < f->node_count; i++) {
    const ts_ir_node *n = &nodes[i];
    if (!is_compute(n))
      continue;
    for (uint32_t d = 0; d < n->dep_count && !ts_node_chooses(n); d++)
      out.net += least_end(&r, ir->deps[n->first_dep + d]);
    out.net += bound_sum_of(ir, n, false);
    out.top = takes_time(&r, n) && out.net > out.top ? out.net : out.top;
    out.net += bound_sum_of(ir, n, true) + r.surely[i];
  }
  out.early = r.early;
  return out;
}

double ts_fastest_speed(const ts_ir *ir)
{
  double speed = 0;
  for (uint32_t i = 0; i < ir->devices_count; i++)
    if (ir->devices[i].device_class != TS_IR_NONE && ir->devices[i].speed > speed)
      speed = ir->devices[i].speed;
  return speed > 0 ? speed : 1;
}

/* Which fragments a program plays, and how often. */
typedef struct plays {
  uint64_t *count;
  uint32_t *fragments, size;
} plays;

static void count_plays(const ts_ir *ir, uint32_t program, plays *of)
{
  const ts_ir_program *p = &ir->programs[program];
  for (uint32_t k = 0; k < of->size; k++)
    of->count[of->fragments[k]] = 0;
  of->size = 0;
  for (uint32_t i = 0; i < p->item_count; i++) {
    uint32_t f = ir->items[p->first_item + i].fragment;
    if (!of->count[f])
      of->fragments[of->size++] = f;
    of->count[f] += ts_ir_plays(ir, program, i);
  }
}

/* ps of a stream; each kernel's time is rounded to whole ones, by half of one at most. */
static double time_on(double speed, const plays *of, const fragment *fragments, uint32_t stream)
{
  uint64_t sum = 0, kernels = 0;
  for (uint32_t k = 0; k < of->size; k++) {
    const fragment *f = &fragments[of->fragments[k]];
    sum += of->count[of->fragments[k]] * f->time[stream];
    kernels += of->count[of->fragments[k]] * f->kernels[stream];
  }
  double least = (double)sum / speed * (1 - 1e-12) - 0.5 * (double)kernels;
  return least > 0 ? least : 0;
}

/* ps of the busiest stream */
static double bound_time_of(const ts_ir *ir, double speed, const plays *of,
                            const fragment *fragments)
{
  double most = 0;
  for (uint32_t s = 0; s < ir->streams_count; s++) {
    double least = time_on(speed, of, fragments, s);
    most = least > most ? least : most;
  }
  return most;
}

static uint64_t bound_bytes_of(const ts_ir *ir, uint32_t program, const fragment *fragments)
{
  const ts_ir_program *p = &ir->programs[program];
  int64_t held = 0, most = 0, more = 0; /* by rounds that are left out */
  for (uint32_t i = 0; i < p->item_count; i++)
    held +=
      fragments[ir->items[p->first_item + i].fragment].early * (int64_t)ts_ir_plays(ir, program, i);
  for (uint32_t i = 0; i < p->item_count; i++) {
    const fragment *f = &fragments[ir->items[p->first_item + i].fragment];
    int64_t again = (int64_t)ts_ir_plays(ir, program, i) - 1;
    held += again ? 0 : more;
    more = again ? more + again * f->net : 0;
    most = held + f->top > most ? held + f->top : most;
    held += f->net;
  }
  for (uint32_t h = 0; h < p->holding_count; h++)
    most += (int64_t)ir->holdings[p->first_holding + h].bytes;
  return (uint64_t)most;
}

/* Programs may be on any of the devices. */
static void find_room(const ts_ir *ir, ts_lower_bounds *l)
{
  uint64_t most = 0;
  for (uint32_t i = 0; i < ir->device_classes_count; i++) {
    const ts_ir_device_class *d = &ir->device_classes[i];
    uint64_t room = d->memory > d->reserved_memory ? d->memory - d->reserved_memory : 0;
    if (!d->memory) {
      l->limit = 0;
      return;
    }
    if (!i || room > most)
      most = room, l->limit = d->memory, l->reserved = d->reserved_memory;
  }
  l->over = l->limit && l->bytes > most;
}

/* Sums of a play and of a bound are rounded in other orders. */
static const double rounding = 1 - 1e-9;

double ts_bound_joules(const ts_lower_bounds *l, double seconds, double work)
{
  return (l->rates.watts * seconds + l->rates.more * work) * rounding;
}

double ts_bound_dollars(const ts_lower_bounds *l, double seconds)
{
  return l->rates.price * seconds * rounding;
}

ts_lower_bounds ts_lower_bounds_of(ts_arena *arena, const ts_ir *ir)
{
  ts_lower_bounds l = {0};
  double most = 0, sum = 0, speed = ts_fastest_speed(ir);
  fragment *fragments = TS_NEW_ARRAY(arena, fragment, ir->fragments_count + 1);
  for (uint32_t i = 0; i < ir->fragments_count; i++)
    fragments[i] = read(arena, ir, speed, &ir->fragments[i]);
  plays of = {TS_NEW_ARRAY(arena, uint64_t, ir->fragments_count + 1),
              TS_NEW_ARRAY(arena, uint32_t, ir->fragments_count + 1), 0};
  for (uint32_t i = 0; i < ir->programs_count; i++) {
    count_plays(ir, i, &of);
    double time = bound_time_of(ir, speed, &of, fragments);
    uint64_t bytes = bound_bytes_of(ir, i, fragments);
    most = time > most ? time : most;
    sum += ir->streams_count ? time_on(speed, &of, fragments, COMPUTE) : 0;
    l.bytes = bytes > l.bytes ? bytes : l.bytes;
  }
  l.seconds = most * 1e-12;
  l.floor = ir->meta->peak_flops > 0 ?
              ir->meta->model_flops_per_step / (ir->meta->peak_flops * ir->meta->world) :
              0;
  l.tokens = (double)ir->meta->tokens_per_step;
  l.devices = ir->meta->world;
  l.work = sum * 1e-12 * (ir->meta->world / ir->programs_count); /* each is that of as many ranks */
  l.rates = ts_rates_of(ir);
  find_room(ir, &l);
  return l;
}
