/* GOAL text (LogGOPSim). Labels are n<node> for the last operation of a node; further ones of a
 * collective are n<node>_<step>. Collectives are the textbook rings (Thakur, Rabenseifner and Gropp
 * 2005): 2(n-1) steps for an all-reduce, n-1 for the halves of it. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "trace/write/export_form.h"

enum { MESSAGE_TAGS = 1 << 24 }; /* tags of sends and receives are above those of collectives */

typedef struct ring { uint32_t next, previous, size, self, *members; } ring;
typedef struct known_ring { uint32_t ranks; ring ring; } known_ring;
/* of a rank: few, and each is used often */
typedef struct rings { TS_VEC(known_ring) known; } rings;

static bool take_ring(ts_form_writer *w, uint32_t ranks, ring *r)
{
  const char *at = ts_events_text(w->e, ranks);
  TS_VEC(uint32_t) members = {0};
  while (*at) {
    char *end;
    unsigned long long rank = strtoull(at, &end, 10);
    if (end == at || rank >= w->world)
      break;
    TS_PUSH(w->work, &members, (uint32_t)rank);
    at = *end == ',' ? end + 1 : end;
  }
  *r = (ring){.size = (uint32_t)members.count, .members = members.at};
  for (r->self = 0; r->self < r->size && members.at[r->self] != (uint32_t)w->e->rank; r->self++)
    continue;
  if (*at || r->self == r->size)
    return ts_fail(w->error, "give the traces of all ranks",
                   "rank %" PRId64 ": the ranks of a collective are not known, or not all there",
                   w->e->rank);
  r->next = r->members[(r->self + 1) % r->size];
  r->previous = r->members[(r->self + r->size - 1) % r->size];
  return true;
}

static const ring *ring_of(ts_form_writer *w, uint32_t ranks)
{
  rings *all = w->state ? w->state : (w->state = TS_NEW(w->work, rings));
  known_ring new = {.ranks = ranks};
  for (size_t i = 0; i < all->known.count; i++)
    if (all->known.at[i].ranks == ranks)
      return &all->known.at[i].ring;
  if (!take_ring(w, ranks, &new.ring))
    return NULL;
  TS_PUSH(w->work, &all->known, new);
  return &all->known.at[all->known.count - 1].ring;
}

/* Both begin when `after` (a label, or the node's own dependencies) is done; the step is done when
 * both are. */
static void put_step(ts_form_writer *w, uint32_t node, uint32_t step, uint32_t cpu, const ring *r,
                     uint64_t bytes, uint32_t tag, bool chained)
{
  fprintf(w->out, "n%u_s%u: send %" PRIu64 "b to %u tag %u cpu %u nic %u\n", node, step, bytes,
          r->next, tag, cpu, cpu);
  fprintf(w->out, "n%u_r%u: recv %" PRIu64 "b from %u tag %u cpu %u nic %u\n", node, step, bytes,
          r->previous, tag, cpu, cpu);
  if (chained)
    fprintf(w->out, "n%u_s%u requires n%u_r%u\nn%u_r%u requires n%u_r%u\n", node, step, node,
            step - 1, node, step, node, step - 1);
  else
    fprintf(w->out, "n%u_s%u requires n%u_b\nn%u_r%u requires n%u_b\n", node, step, node, node,
            step, node);
}

static void put_each_to_each(ts_form_writer *w, uint32_t node, uint32_t cpu, const ring *r,
                             uint64_t bytes, uint32_t tag)
{
  for (uint32_t k = 1; k < r->size; k++) {
    ring pair = {.next = r->members[(r->self + k) % r->size],
                 .previous = r->members[(r->self + r->size - k) % r->size]};
    put_step(w, node, k - 1, cpu, &pair, bytes, tag, false);
  }
}

/* From the first rank along the ring to the last, or, for a reduction, to the first. */
static void put_chain(ts_form_writer *w, uint32_t node, uint32_t cpu, const ring *r, uint64_t bytes,
                      uint32_t tag, bool reduce)
{
  uint32_t place = reduce ? r->size - 1 - r->self : r->self;
  if (place > 0)
    fprintf(w->out,
            "n%u_r0: recv %" PRIu64 "b from %u tag %u cpu %u nic %u\nn%u_r0 requires n%u_b\n", node,
            bytes, reduce ? r->next : r->previous, tag, cpu, cpu, node, node);
  if (place + 1 < r->size)
    ts_put_text(w->out,
                "n%u_s0: send %" PRIu64 "b to %u tag %u cpu %u nic %u\nn%u_s0 requires n%u_%s\n",
                node, bytes, reduce ? r->previous : r->next, tag, cpu, cpu, node, node,
                place > 0 ? "r0" : "b");
  fprintf(w->out, "n%u: calc 0 cpu %u\nn%u requires n%u_b\n", node, cpu, node, node);
  if (place > 0)
    fprintf(w->out, "n%u requires n%u_r0\n", node, node);
  if (place + 1 < r->size)
    fprintf(w->out, "n%u requires n%u_s0\n", node, node);
}

static bool put_collective(ts_form_writer *w, uint32_t node, uint32_t cpu, const ts_event_comm *c)
{
  const ring *r = ring_of(w, c->ranks);
  if (!r)
    return false;
  uint32_t tag = (uint32_t)(strtoull(ts_events_text(w->e, c->group), NULL, 10) % MESSAGE_TAGS);
  uint64_t whole = c->bytes > 0 ? (uint64_t)c->bytes : 1, part = (whole + r->size - 1) / r->size;
  fprintf(w->out, "n%u_b: calc 0 cpu %u\n", node, cpu);
  if (c->kind == TS_COMM_BROADCAST || c->kind == TS_COMM_REDUCE || c->kind == TS_COMM_GATHER ||
      c->kind == TS_COMM_SCATTER) {
    put_chain(w, node, cpu, r, whole, tag, c->kind == TS_COMM_REDUCE || c->kind == TS_COMM_GATHER);
    return true;
  }
  uint32_t steps = r->size - 1;
  if (c->kind == TS_COMM_ALL_TO_ALL || c->kind == TS_COMM_SEND_RECV) {
    put_each_to_each(w, node, cpu, r, part, tag);
  } else {
    steps *= c->kind == TS_COMM_ALL_REDUCE || c->kind == TS_COMM_BARRIER ? 2 : 1;
    for (uint32_t s = 0; s < steps; s++) put_step(w, node, s, cpu, r, part, tag, s > 0);
  }
  fprintf(w->out, "n%u: calc 0 cpu %u\nn%u requires n%u_b\n", node, cpu, node, node);
  for (uint32_t s = 0; s < steps; s++)
    fprintf(w->out, "n%u requires n%u_s%u\nn%u requires n%u_r%u\n", node, node, s, node, node, s);
  return true;
}

static bool put_operation(ts_form_writer *w, uint32_t i, bool *split)
{
  const ts_event *v = ts_event_at(w->e, i);
  uint32_t cpu = v->track & 0xff;
  const ts_event_comm *c = v->kind == TS_KERNEL_COMMUNICATION && v->detail != TS_EVENT_NONE ?
                             &w->e->comms.at[v->detail] :
                             NULL;
  *split = false;
  if (!c) {
    fprintf(w->out, "n%u: calc %" PRId64 " cpu %u\n", i, v->duration > 0 ? v->duration : 0, cpu);
  } else if (c->kind == TS_COMM_SEND || c->kind == TS_COMM_RECV) {
    if (c->peer < 0 || c->peer >= w->world)
      return ts_fail(w->error, "give the traces of all ranks",
                     "rank %" PRId64 ": the peer of a message is not known, or not there",
                     w->e->rank);
    ts_put_text(w->out, "n%u: %s %" PRId64 "b %s %" PRId64 " tag %" PRId64 " cpu %u nic %u\n", i,
                c->kind == TS_COMM_SEND ? "send" : "recv", c->bytes > 0 ? c->bytes : 1,
                c->kind == TS_COMM_SEND ? "to" : "from", c->peer,
                MESSAGE_TAGS + c->tag % MESSAGE_TAGS, cpu, cpu);
  } else {
    *split = true;
    return put_collective(w, i, cpu, c);
  }
  return true;
}

static bool put_node(ts_form_writer *w, uint32_t i)
{
  bool split;
  if (!put_operation(w, i, &split))
    return false;
  for (uint32_t k = w->in.first[i]; k < w->in.first[i + 1]; k++) {
    uint32_t from = w->in.edge[k].from;
    if (from > i) /* labels are defined before they are used */
      return ts_fail(w->error, "list nodes after those that they depend on",
                     "rank %" PRId64 ": node %u depends on a later one", w->e->rank, i);
    ts_put_text(w->out, "n%u%s requires n%u\n", i, split ? "_b" : "", from);
  }
  return true;
}

static void put_head(ts_form_writer *w) { fprintf(w->out, "\nrank %" PRId64 " {\n", w->e->rank); }
static void put_tail(ts_form_writer *w) { fputs("}\n", w->out); }

const ts_form ts_form_goal = {put_head, put_node, put_tail};

void ts_goal_write_head(uint32_t world, FILE *out) { fprintf(out, "num_ranks %u\n", world); }
