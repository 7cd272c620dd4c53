/* Second half of the verifier: what the programs do together. Every message has one sender and one receiver, collectives
 * that span stages come in one order, and no total overflows. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "ir/layout.h"

static const double total_limit = 4611686018427387904.0; /* 2^62 ps or bytes in a program */
static const uint64_t play_limit = 1u << 26, message_limit = 1u << 24;

static void *zeroed(size_t count, size_t size)
{
  void *memory = calloc(count + 1, size);
  if (!memory)
    abort();
  return memory;
}

/* ---- totals ---- */

typedef struct totals {
  double time, bytes;
  uint64_t order, order_scale; /* of the collectives that span stages: hash, and factor for what came before */
} totals;

static bool spans_stages(const ts_ir *ir, const ts_ir_node *n)
{
  uint32_t axis = ir->meta->pipeline_axis;
  return n->op == TS_IR_COLLECTIVE && axis != TS_IR_NONE && ir->groups[ir->collectives[n->arg].group].axes >> axis & 1;
}

/* An upper bound of what one play of a fragment adds: its work as if nothing overlapped on the slowest device. */
static totals fragment_totals(const ts_ir *ir, const ts_ir_fragment *f, double slowest)
{
  totals t = {.order_scale = 1};
  const uint64_t base = 0x9e3779b97f4a7c15u;
  for (const ts_ir_node *n = ir->nodes + f->first_node, *end = n + f->node_count; n < end; n++) {
    t.time += (double)n->host_ps;
    if (n->op == TS_IR_COMPUTE)
      t.time += (double)ir->kernels[n->arg].time / slowest;
    if (n->op == TS_IR_COLLECTIVE)
      t.bytes += (double)ir->collectives[n->arg].bytes;
    for (uint32_t m = 0; m < n->mem_count; m++) {
      int64_t bytes = ir->mems[n->first_mem + m].bytes;
      t.bytes += (double)(bytes < 0 ? -bytes : bytes);
    }
    if (spans_stages(ir, n)) {
      t.order = t.order * base + n->arg + 1;
      t.order_scale *= base;
    }
  }
  for (uint32_t p = 0; p < f->port_count; p++)
    t.bytes += (double)ir->ports[f->first_port + p].bytes;
  return t;
}

static int check_program_totals(const ts_ir *ir, const totals *of, const ts_ir_program *p, uint64_t *order, ts_ir_error *error)
{
  double time = 0, bytes = 0;
  *order = 0;
  for (uint32_t i = 0; i < p->item_count; i++) {
    const totals *t = &of[ir->items[p->first_item + i].fragment];
    time += t->time;
    bytes += t->bytes;
    *order = *order * t->order_scale + t->order;
  }
  for (uint32_t h = 0; h < p->holding_count; h++)
    bytes += (double)ir->holdings[p->first_holding + h].bytes;
  const char *name = ir->strings + p->name;
  if (time >= total_limit)
    return ts_ir_fail(error, "program `%s` takes more than 2^62 ps (53 days)", name);
  if (bytes >= total_limit)
    return ts_ir_fail(error, "program `%s` moves or allocates more than 2^62 bytes", name);
  return 0;
}

static int check_all_totals(const ts_ir *ir, const totals *of, ts_ir_error *error)
{
  uint64_t first_order = 0, order;
  for (uint32_t i = 0; i < ir->programs_count; i++) {
    if (check_program_totals(ir, of, &ir->programs[i], &order, error))
      return -1;
    if (!i)
      first_order = order;
    else if (order != first_order)
      return ts_ir_fail(error, "programs `%s` and `%s` play different collectives, or in another order, over groups that span both",
                        ir->strings + ir->programs[0].name, ir->strings + ir->programs[i].name);
  }
  return 0;
}

static int check_totals(const ts_ir *ir, ts_ir_error *error)
{
  double slowest = 1;
  for (uint32_t i = 0; i < ir->devices_count; i++)
    if (ir->devices[i].speed < slowest)
      slowest = ir->devices[i].speed;
  totals *of = zeroed(ir->fragments_count, sizeof *of);
  for (uint32_t i = 0; i < ir->fragments_count; i++)
    of[i] = fragment_totals(ir, &ir->fragments[i], slowest);
  int failed = check_all_totals(ir, of, error);
  free(of);
  return failed;
}

/* ---- messages ---- */

/* One end of a message. Peers differ on one axis: over the pipeline axis the sender plays another program than the receiver; over
 * any other axis every rank of the program is a sender and a receiver of its own, `place` telling apart the programs. */
typedef struct message_end {
  uint64_t route; /* axis, coordinate of the sender, of the receiver */
  uint32_t place, tag;
  uint32_t program, item, port; /* item and port: absolute */
  bool is_send, matched;
} message_end;

typedef struct matching {
  const ts_ir *ir;
  ts_ir_error *error;
  message_end *ends;
  uint32_t end_count;
  uint32_t *slots; /* of sends: 1 + index into ends, by hash; a power of two of them */
  uint32_t slot_count;
} matching;

static uint32_t port_axis(const ts_ir *ir, const ts_ir_port *p) { return (uint32_t)__builtin_ctz(ir->groups[p->group].axes); }

/* How many ends one play of the port makes in the program of a stage. */
static uint32_t ends_of_port(const ts_ir *ir, const ts_ir_port *p)
{
  uint32_t axis = port_axis(ir, p);
  return axis == ir->meta->pipeline_axis ? 1 : ir->axes[axis].size;
}

static int count_ends(const ts_ir *ir, uint64_t *total, ts_ir_error *error)
{
  uint64_t *of = zeroed(ir->fragments_count, sizeof *of), plays = 0;
  for (uint32_t i = 0; i < ir->fragments_count; i++)
    for (uint32_t p = 0; p < ir->fragments[i].port_count; p++)
      of[i] += ends_of_port(ir, &ir->ports[ir->fragments[i].first_port + p]);
  *total = 0;
  for (uint32_t i = 0; i < ir->programs_count; i++) {
    const ts_ir_program *p = &ir->programs[i];
    plays += p->item_count;
    for (uint32_t k = 0; k < p->item_count && plays <= play_limit && *total <= message_limit; k++)
      *total += of[ir->items[p->first_item + k].fragment];
  }
  free(of);
  if (plays > play_limit)
    return ts_ir_fail(error, "the programs play more than %llu fragments", (unsigned long long)play_limit);
  if (*total > message_limit)
    return ts_ir_fail(error, "the programs send and receive more than %llu messages", (unsigned long long)message_limit);
  return 0;
}

static int add_ends(matching *m, uint32_t program, uint32_t item, uint32_t port, const ts_ir_binding *b)
{
  const ts_ir *ir = m->ir;
  const ts_ir_port *p = &ir->ports[port];
  uint32_t axis = port_axis(ir, p), size = ir->axes[axis].size;
  bool pipeline = axis == ir->meta->pipeline_axis;
  const char *name = ir->strings + ir->programs[program].name;
  if (b->peer >= size)
    return ts_ir_fail(m->error, "program `%s`: a message %s coordinate %u of axis `%s`, which has %u", name,
                      p->is_send ? "to" : "from", b->peer, ir->strings + ir->axes[axis].name, size);
  if (pipeline && b->peer == program)
    return ts_ir_fail(m->error, "program `%s`: a message between the rank and itself", name);
  for (uint32_t x = pipeline ? program : 0; x < (pipeline ? program + 1 : size); x++) {
    uint64_t sender = p->is_send ? x : b->peer, receiver = p->is_send ? b->peer : x;
    m->ends[m->end_count++] = (message_end){(uint64_t)axis << 48 | sender << 24 | receiver, pipeline ? 0 : program, b->tag,
                                            program, item, port, p->is_send, false};
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
        if (add_ends(m, i, item, f->first_port + p, &ir->bindings[ir->items[item].first_binding + p]))
          return -1;
    }
  return 0;
}

static bool same_message(const message_end *a, const message_end *b)
{
  return a->route == b->route && a->place == b->place && a->tag == b->tag;
}

/* The slot of the send of this message, or the free one where it belongs. */
static uint32_t *find_slot(const matching *m, const message_end *e)
{
  uint64_t h = (e->route ^ (uint64_t)e->place << 32 ^ (uint64_t)e->tag * 0x9e3779b97f4a7c15u) * 0xff51afd7ed558ccdu;
  uint32_t mask = m->slot_count - 1, at = (uint32_t)(h >> 32) & mask;
  while (m->slots[at] && !same_message(&m->ends[m->slots[at] - 1], e))
    at = (at + 1) & mask;
  return &m->slots[at];
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
  snprintf(out, size, "program `%.40s` (`%.40s`%s): %s %u, tag %u", ir->strings + ir->programs[e->program].name,
           ir->strings + ir->fragments[item->fragment].name, micro_batch, e->is_send ? "send to" : "receive from", peer, e->tag);
}

static int fail_about(const matching *m, const message_end *e, const char *what)
{
  char text[200];
  describe(m, e, text, sizeof text);
  return ts_ir_fail(m->error, "%s: %s", text, what);
}

static int match_ends(matching *m)
{
  for (uint32_t i = 0; i < m->end_count; i++) {
    if (!m->ends[i].is_send)
      continue;
    uint32_t *slot = find_slot(m, &m->ends[i]);
    if (*slot)
      return fail_about(m, &m->ends[i], "it occurs twice");
    *slot = i + 1;
  }
  for (uint32_t i = 0; i < m->end_count; i++) {
    message_end *e = &m->ends[i];
    uint32_t slot = e->is_send ? 0 : *find_slot(m, e);
    if (!slot)
      continue;
    message_end *send = &m->ends[slot - 1];
    if (send->matched)
      return fail_about(m, e, "it occurs twice");
    if (m->ir->ports[send->port].bytes != m->ir->ports[e->port].bytes)
      return fail_about(m, e, "the bytes differ from those of its send");
    send->matched = e->matched = true;
  }
  return 0;
}

static int list_orphans(const matching *m)
{
  char list[sizeof m->error->message] = "", one[200];
  size_t used = 0;
  uint32_t orphans = 0, shown = 0;
  for (uint32_t i = 0; i < m->end_count; i++) {
    if (m->ends[i].matched)
      continue;
    orphans++;
    describe(m, &m->ends[i], one, sizeof one);
    size_t length = strlen(one) + 2;
    if (shown + 1 < orphans || used + length > sizeof list - 80)
      continue;
    used += (size_t)snprintf(list + used, sizeof list - used, "; %s", one);
    shown++;
  }
  if (!orphans)
    return 0;
  if (shown < orphans)
    snprintf(list + used, sizeof list - used, "; and %u more", orphans - shown);
  return ts_ir_fail(m->error, "%u send%s or receive%s without counterpart: %.330s", orphans, orphans == 1 ? "" : "s", orphans == 1 ? "" : "s",
                    list + 2);
}

static int check_messages(const ts_ir *ir, ts_ir_error *error)
{
  uint64_t total;
  if (count_ends(ir, &total, error))
    return -1;
  matching m = {.ir = ir, .error = error, .slot_count = 16};
  while (m.slot_count < 2 * total)
    m.slot_count *= 2;
  m.ends = zeroed(total, sizeof *m.ends);
  m.slots = zeroed(m.slot_count, sizeof *m.slots);
  int failed = collect_ends(&m) || match_ends(&m) || list_orphans(&m) ? -1 : 0;
  free(m.ends);
  free(m.slots);
  return failed;
}

int ts_ir_verify_programs(const ts_ir *ir, ts_ir_error *error)
{
  return check_messages(ir, error) || check_totals(ir, error) ? -1 : 0;
}
