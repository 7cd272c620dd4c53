/* Second half of the verifier: what the programs do together. Every message has one sender and one
 * receiver, collectives that span stages come in one order, and no total overflows. Programs may
 * share their items, which are then summed once. */
#include <stdio.h>
#include <stdlib.h>

#include "base/heap.h"
#include "ir/layout.h"
#include "ir/loops.h"
#include "ir/spelling.h"

static const double total_limit = 4611686018427387904.0; /* 2^62 ps or bytes in a program */

static uint32_t port_axis(const ts_ir *ir, const ts_ir_port *p)
{
  return (uint32_t)__builtin_ctz(ir->groups[p->group].axes);
}

/* How many ends of messages one play of the port makes in the program of a stage. */
static uint32_t ends_of_port(const ts_ir *ir, const ts_ir_port *p)
{
  uint32_t axis = port_axis(ir, p);
  return axis == ir->meta->pipeline_axis ? 1 : ir->axes[axis].size;
}

/* ---- totals ---- */

/* Bytes of each category: what is left in the end, and the least on the way, at most 0. */
typedef struct changes {
  double left[TS_IR_CATEGORIES], lowest[TS_IR_CATEGORIES];
} changes;

typedef struct totals { /* of a fragment, or of a run of items */
  double time, bytes;
  /* of the collectives that span stages: hash, and factor for what came before */
  uint64_t order, order_scale;
  uint64_t ends;               /* of messages */
  changes memory;
} totals;

/* The worst that the parts of the machine can do to a call of the network. */
typedef struct worst {
  double slowest_device;     /* speed */
  double fixed;              /* ps a call */
  double per_byte, half;     /* ps; bytes of a ramp */
  const double *mems;        /* bytes of memory effects before each */
} worst;

static double verify_programs_larger(double a, double b) { return a > b ? a : b; }
static double smaller(double a, double b) { return a < b ? a : b; }

/* Upper bounds that hold for every model: see ts_ir_net_model. A path has at most 64 links here. */
static worst worst_of(const ts_ir *ir, const double *mems)
{
  worst w = {.slowest_device = 1, .mems = mems};
  double bandwidth = 1e21, latency = 0, efficiency = 1, base = 0, hop = 0, setup = 0;
  for (uint32_t i = 0; i < ir->devices_count; i++)
    w.slowest_device = smaller(w.slowest_device, ir->devices[i].speed);
  for (uint32_t i = 0; i < ir->link_classes_count; i++) {
    bandwidth = smaller(bandwidth, ir->link_classes[i].bandwidth);
    latency = verify_programs_larger(latency, (double)ir->link_classes[i].latency);
    setup = verify_programs_larger(setup, (double)ir->link_classes[i].setup);
  }
  for (uint32_t i = 0; i < ir->net_models_count; i++) {
    const ts_ir_net_model *m = &ir->net_models[i];
    efficiency = smaller(efficiency, m->efficiency);
    base = verify_programs_larger(base, (double)m->base);
    hop = verify_programs_larger(hop, verify_programs_larger((double)m->hop, (double)m->inter_hop));
    w.half = verify_programs_larger(w.half, m->half_bytes);
  }
  for (uint32_t i = 0; i < ir->net_points_count; i++)
    base = verify_programs_larger(base, (double)ir->net_points[i].time);
  w.fixed = base + 2 * hop * ir->meta->world + 64 * latency + 2 * setup * ir->meta->world;
  w.per_byte = 2e12 / (bandwidth * efficiency);
  return w;
}

static double call_time(const worst *w, uint64_t bytes)
{
  return w->fixed + ((double)bytes + w->half) * w->per_byte;
}

static bool spans_stages(const ts_ir *ir, const ts_ir_node *n)
{
  uint32_t axis = ir->meta->pipeline_axis;
  return n->op == TS_IR_COLLECTIVE && axis != TS_IR_NONE &&
         ir->groups[ir->collectives[n->arg].group].axes >> axis & 1;
}

static void verify_programs_add_node(totals *t, const ts_ir *ir, const worst *w,
                                     const ts_ir_node *n)
{
  const uint64_t base = 0x9e3779b97f4a7c15u;
  t->time += (double)n->host_ps;
  if (n->op == TS_IR_COMPUTE)
    t->time += (double)ir->kernels[n->arg].time / w->slowest_device;
  if (n->op == TS_IR_COLLECTIVE) {
    t->bytes += (double)ir->collectives[n->arg].bytes;
    t->time += call_time(w, ir->collectives[n->arg].bytes);
  }
  if (n->mem_count)
    t->bytes += w->mems[n->first_mem + n->mem_count] - w->mems[n->first_mem];
  if (spans_stages(ir, n)) {
    t->order = t->order * base + n->arg + 1;
    t->order_scale *= base;
  }
}

/* In the order of issue, in which nothing is freed before it is allocated. */
static void verify_programs_change(changes *c, const ts_ir *ir, const ts_ir_node *n)
{
  for (int frees = 0; frees < 2; frees++)
    for (uint32_t m = n->first_mem; m < n->first_mem + n->mem_count; m++) {
      const ts_ir_mem *mem = &ir->mems[m];
      if ((mem->bytes < 0) != frees)
        continue;
      c->left[mem->category] += (double)mem->bytes;
      c->lowest[mem->category] = smaller(c->lowest[mem->category], c->left[mem->category]);
    }
}

/* One item after the other. */
static void change_by_item(changes *c, const changes *item)
{
  for (int k = 0; k < TS_IR_CATEGORIES; k++) {
    c->lowest[k] = smaller(c->lowest[k], c->left[k] + item->lowest[k]);
    c->left[k] += item->left[k];
  }
}

/* An upper bound of what one play of a fragment adds: its work as if nothing overlapped. */
static totals fragment_totals(const ts_ir *ir, const ts_ir_fragment *f, const worst *w)
{
  totals t = {.order_scale = 1};
  for (uint32_t i = 0; i < f->node_count; i++) {
    verify_programs_add_node(&t, ir, w, &ir->nodes[f->first_node + i]);
    verify_programs_change(&t.memory, ir, &ir->nodes[f->first_node + i]);
  }
  for (uint32_t i = 0; i < f->port_count; i++) {
    const ts_ir_port *p = &ir->ports[f->first_port + i];
    t.bytes += (double)p->bytes;
    t.time += call_time(w, p->bytes);
    t.ends += ends_of_port(ir, p);
  }
  return t;
}

static totals item_totals(const ts_ir *ir, const totals *of, const ts_ir_program *p)
{
  totals t = {.order_scale = 1};
  for (uint32_t i = 0; i < p->item_count; i++) {
    const totals *played = &of[ir->items[p->first_item + i].fragment];
    t.time += played->time;
    t.bytes += played->bytes;
    t.ends += played->ends;
    t.order = t.order * played->order_scale + played->order;
    change_by_item(&t.memory, &played->memory);
  }
  return t;
}

static int too_much(ts_error *error, int failed)
{
  if (error)
    error->kind = TS_ERROR_TOO_MUCH;
  return failed;
}

/* `throughout`: nothing that is held throughout is freed. A recording may free what it began with.
 */
static int check_program(const ts_ir *ir, const totals *t, const ts_ir_program *p, bool throughout,
                         ts_error *error)
{
  double bytes = t->bytes, held[TS_IR_CATEGORIES] = {0};
  for (uint32_t h = 0; h < p->holding_count; h++) {
    const ts_ir_holding *holding = &ir->holdings[p->first_holding + h];
    bytes += (double)holding->bytes;
    held[holding->category] += (double)holding->bytes;
  }
  for (int k = 0; k < TS_IR_CATEGORIES; k++)
    if (t->memory.lowest[k] + (throughout ? 0 : held[k]) < 0)
      return ts_ir_fail(error, "program `%.100s` frees %.0f bytes of %s more than it has",
                        ir->strings + p->name, -t->memory.lowest[k] - (throughout ? 0 : held[k]),
                        ts_ir_category_names[k]);
  if (t->time >= total_limit)
    return too_much(error,
                    ts_ir_fail(error, "program `%.100s` can take more than 2^62 ps (53 days)",
                               ir->strings + p->name));
  if (bytes >= total_limit)
    return too_much(error,
                    ts_ir_fail(error, "program `%.100s` moves or allocates more than 2^62 bytes",
                               ir->strings + p->name));
  return 0;
}

/* `summed`: [items] a program plus 1 whose run begins there and was added up. */
static int check_each_program(const ts_ir *ir, const totals *of, totals *all, uint32_t *summed,
                              uint64_t *ends, bool throughout, ts_error *error)
{
  const totals none = {.order_scale = 1};
  uint64_t first_order = 0, plays = 0;
  for (uint32_t i = 0; i < ir->programs_count; i++) {
    const ts_ir_program *p = &ir->programs[i];
    if (p->item_count && !summed[p->first_item]) {
      summed[p->first_item] = i + 1;
      all[i] = item_totals(ir, of, p);
    }
    const totals *t = p->item_count ? &all[summed[p->first_item] - 1] : &none;
    if (check_program(ir, t, p, throughout, error))
      return -1;
    if (!i)
      first_order = t->order;
    else if (t->order != first_order)
      return ts_ir_fail(error,
                        "programs `%.100s` and `%.100s` play different collectives, or in another "
                        "order, over groups that span both",
                        ir->strings + ir->programs[0].name, ir->strings + p->name);
    plays += p->item_count;
    *ends += t->ends;
    if (plays > TS_IR_PLAYS_MOST)
      return too_much(error, ts_ir_fail(error, "the programs play more than %llu fragments",
                                        (unsigned long long)TS_IR_PLAYS_MOST));
    if (*ends > TS_IR_MESSAGES_MOST)
      return too_much(error,
                      ts_ir_fail(error, "the programs send and receive more than %llu messages",
                                 (unsigned long long)TS_IR_MESSAGES_MOST));
  }
  return 0;
}

static int check_totals(const ts_ir *ir, uint64_t *ends, bool throughout, ts_error *error)
{
  double *mems = ts_heap_new((size_t)ir->mems_count + 1, sizeof *mems);
  for (uint32_t i = 0; i < ir->mems_count; i++)
    mems[i + 1] =
      mems[i] + (double)(ir->mems[i].bytes < 0 ? -ir->mems[i].bytes : ir->mems[i].bytes);
  worst w = worst_of(ir, mems);
  totals *of = ts_heap_new((size_t)ir->fragments_count + 1, sizeof *of),
         *all = ts_heap_new((size_t)ir->programs_count + 1, sizeof *all);
  uint32_t *summed = ts_heap_new((size_t)ir->items_count + 1, sizeof *summed);
  for (uint32_t i = 0; i < ir->fragments_count; i++)
    of[i] = fragment_totals(ir, &ir->fragments[i], &w);
  *ends = 0;
  int failed = check_each_program(ir, of, all, summed, ends, throughout, error);
  free(mems);
  free(of);
  free(all);
  free(summed);
  return failed;
}

bool ts_ir_totals_hold(const ts_ir *ir)
{
  uint64_t ends;
  return check_totals(ir, &ends, false, NULL) == 0;
}

/* ---- messages ---- */

/* One end of a message. Peers differ on one axis: over the pipeline axis the sender plays another
 * program than the receiver; over any other axis every rank of the program is a sender and a
 * receiver of its own, `place` telling apart the programs. */
typedef struct message_end {
  uint64_t route;   /* axis, coordinate of the sender, of the receiver */
  uint64_t message; /* place, tag, and 0 for the send, 1 for the receive */
  uint32_t program, item, port; /* item and port: absolute */
  bool is_send, matched;
} message_end;

typedef struct matching {
  const ts_ir *ir;
  ts_error *error;
  message_end *ends;
  size_t end_count;
} matching;

static int add_ends(matching *m, uint32_t program, uint32_t item, uint32_t port,
                    const ts_ir_binding *b)
{
  const ts_ir *ir = m->ir;
  const ts_ir_port *p = &ir->ports[port];
  uint32_t axis = port_axis(ir, p), size = ir->axes[axis].size;
  bool pipeline = axis == ir->meta->pipeline_axis;
  const char *name = ir->strings + ir->programs[program].name;
  if (b->peer >= size)
    return ts_ir_fail(m->error,
                      "program `%s`: a message %s coordinate %u of axis `%s`, which has %u", name,
                      p->is_send ? "to" : "from", b->peer, ir->strings + ir->axes[axis].name, size);
  if (pipeline && b->peer == program)
    return ts_ir_fail(m->error, "program `%s`: a message between the rank and itself", name);
  for (uint32_t x = pipeline ? program : 0; x < (pipeline ? program + 1 : size); x++) {
    uint64_t sender = p->is_send ? x : b->peer, receiver = p->is_send ? b->peer : x;
    m->ends[m->end_count++] =
      (message_end){(uint64_t)axis << 48 | sender << 24 | receiver,
                    (uint64_t)(pipeline ? 0 : program) << 33 | (uint64_t)b->tag << 1 | !p->is_send,
                    program,
                    item,
                    port,
                    p->is_send,
                    false};
  }
  return 0;
}

static int collect_ends(matching *m)
{
  const ts_ir *ir = m->ir;
  for (uint32_t i = 0; i < ir->programs_count; i++)
    for (uint32_t k = 0; k < ir->programs[i].item_count; k++) {
      uint32_t item = ir->programs[i].first_item + k;
      const ts_ir_fragment *f = &ir->fragments[ir->items[item].fragment];
      for (uint32_t p = 0; p < f->port_count; p++)
        if (add_ends(m, i, item, f->first_port + p,
                     &ir->bindings[ir->items[item].first_binding + p]))
          return -1;
    }
  return 0;
}

/* One pass of a radix sort. */
static void sort_by_digit(matching *m, message_end **spare, size_t word, unsigned shift)
{
  size_t place[257] = {0};
  for (size_t i = 0; i < m->end_count; i++)
    place[1 + ((word ? m->ends[i].route : m->ends[i].message) >> shift & 0xff)]++;
  for (size_t d = 0; d < 256; d++)
    place[d + 1] += place[d];
  for (size_t i = 0; i < m->end_count; i++)
    (*spare)[place[(word ? m->ends[i].route : m->ends[i].message) >> shift & 0xff]++] = m->ends[i];
  message_end *sorted = *spare;
  *spare = m->ends;
  m->ends = sorted;
}

/* By message, the send before the receive, those that occur twice in the order of the programs:
 * linear, whatever the tags. */
static void sort_ends(matching *m)
{
  message_end *spare = ts_heap_new((size_t)m->end_count + 1, sizeof *spare);
  uint64_t differ[2] = {0};
  for (size_t i = 1; i < m->end_count; i++) {
    differ[0] |= m->ends[i].message ^ m->ends[0].message;
    differ[1] |= m->ends[i].route ^ m->ends[0].route;
  }
  for (size_t word = 0; word < 2; word++)
    for (unsigned shift = 0; shift < 64; shift += 8)
      if (differ[word] >> shift & 0xff) /* a digit that all have in common needs no pass */
        sort_by_digit(m, &spare, word, shift);
  free(spare);
}

static bool same_message(const message_end *a, const message_end *b)
{
  return a->route == b->route && a->message >> 1 == b->message >> 1;
}

/* "program `stage 0` (`F`, micro-batch 3): send to 1, tag 17" */
static void describe(const matching *m, const message_end *e, char *out, size_t size)
{
  const ts_ir *ir = m->ir;
  const ts_ir_item *item = &ir->items[e->item];
  char micro_batch[32] = "";
  if (item->micro_batch != TS_IR_NONE)
    snprintf(micro_batch, sizeof micro_batch, ", micro-batch %u", item->micro_batch);
  uint32_t peer = (uint32_t)(e->is_send ? e->route : e->route >> 24) & 0xffffff;
  snprintf(out, size, "program `%.40s` (`%.40s`%s): %s %u, tag %u",
           ir->strings + ir->programs[e->program].name,
           ir->strings + ir->fragments[item->fragment].name, micro_batch,
           e->is_send ? "send to" : "receive from", peer, (uint32_t)(e->message >> 1));
}

static int fail_about(const matching *m, const message_end *e, const char *what)
{
  char text[200];
  describe(m, e, text, sizeof text);
  return ts_ir_fail(m->error, "%s: %s", text, what);
}

static int match_ends(matching *m)
{
  sort_ends(m);
  for (size_t i = 1; i < m->end_count; i++) {
    message_end *a = &m->ends[i - 1], *b = &m->ends[i];
    if (!same_message(a, b))
      continue;
    if (a->is_send == b->is_send)
      return fail_about(m, b, "it occurs twice");
    if (m->ir->ports[a->port].bytes != m->ir->ports[b->port].bytes)
      return fail_about(m, b, "the bytes differ from those of its send");
    a->matched = b->matched = true;
  }
  return 0;
}

static int list_orphans(const matching *m)
{
  char list[sizeof m->error->message] = "", one[200];
  size_t used = 0;
  uint32_t orphans = 0, shown = 0;
  for (size_t i = 0; i < m->end_count; i++) {
    if (m->ends[i].matched)
      continue;
    orphans++;
    if (shown + 1 < orphans)
      continue;
    describe(m, &m->ends[i], one, sizeof one);
    if (used + strlen(one) + 2 > sizeof list - 80)
      continue;
    used += (size_t)snprintf(list + used, sizeof list - used, "; %s", one);
    shown++;
  }
  if (!orphans)
    return 0;
  if (shown < orphans)
    snprintf(list + used, sizeof list - used, "; and %u more", orphans - shown);
  if (orphans == 1)
    return ts_ir_fail(m->error, "a message has no counterpart: %.330s", list + 2);
  return ts_ir_fail(m->error, "%u messages have no counterpart: %.330s", orphans, list + 2);
}

static int check_messages(const ts_ir *ir, uint64_t ends, ts_error *error)
{
  matching m = {.ir = ir, .error = error, .ends = ts_heap_new((size_t)ends + 1, sizeof *m.ends)};
  int failed = collect_ends(&m) || match_ends(&m) || list_orphans(&m) ? -1 : 0;
  free(m.ends);
  return failed;
}

int ts_ir_verify_programs(const ts_ir *ir, bool messages, bool throughout, ts_error *error)
{
  uint64_t ends;
  int failed = check_totals(ir, &ends, throughout, error);
  return failed || (messages && check_messages(ir, ends, error)) ? -1 : 0;
}
