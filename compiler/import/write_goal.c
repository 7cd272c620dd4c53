/* GOAL text (LogGOPSim). Labels are n<node> for the last operation of a node; further ones of a collective are n<node>_<step>. Collectives are the textbook
 * rings (Thakur, Rabenseifner and Gropp 2005): 2(n-1) steps for an all-reduce, n-1 for the halves of it. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/import/export.h"

enum { MESSAGE_TAGS = 1 << 24 }; /* tags of sends and receives are above those of collectives */

typedef struct ring { uint32_t next, previous, size, self, *members; } ring;
typedef struct writer { const ts_events *e; FILE *out; ts_arena *work; uint32_t count; ts_import_error *error; } writer;

static bool take_ring(writer *w, const ts_event_comm *c, ring *r)
{
  const char *at = ts_events_text(w->e, c->ranks);
  TS_VEC(uint32_t) members = {0};
  while (*at) {
    char *end;
    unsigned long long rank = strtoull(at, &end, 10);
    if (end == at || rank >= w->count)
      break;
    TS_PUSH(w->work, &members, (uint32_t)rank);
    at = *end == ',' ? end + 1 : end;
  }
  *r = (ring){.size = (uint32_t)members.count, .members = members.at};
  for (r->self = 0; r->self < r->size && members.at[r->self] != (uint32_t)w->e->rank; r->self++) continue;
  if (*at || r->self == r->size)
    return ts_import_fail(w->error, "give the traces of all ranks", "rank %" PRId64 ": the ranks of a collective are not known, or not all there", w->e->rank);
  r->next = r->members[(r->self + 1) % r->size];
  r->previous = r->members[(r->self + r->size - 1) % r->size];
  return true;
}

/* Both begin when `after` (a label, or the node's own dependencies) is done; the step is done when both are. */
static void put_step(writer *w, uint32_t node, uint32_t step, uint32_t cpu, const ring *r, uint64_t bytes, uint32_t tag, bool chained)
{
  fprintf(w->out, "n%u_s%u: send %" PRIu64 "b to %u tag %u cpu %u\n", node, step, bytes, r->next, tag, cpu);
  fprintf(w->out, "n%u_r%u: recv %" PRIu64 "b from %u tag %u cpu %u\n", node, step, bytes, r->previous, tag, cpu);
  if (chained)
    fprintf(w->out, "n%u_s%u requires n%u_r%u\nn%u_r%u requires n%u_r%u\n", node, step, node, step - 1, node, step, node, step - 1);
  else
    fprintf(w->out, "n%u_s%u requires n%u_b\nn%u_r%u requires n%u_b\n", node, step, node, node, step, node);
}

static void put_each_to_each(writer *w, uint32_t node, uint32_t cpu, const ring *r, uint64_t bytes, uint32_t tag)
{
  for (uint32_t k = 1; k < r->size; k++) {
    ring pair = {.next = r->members[(r->self + k) % r->size], .previous = r->members[(r->self + r->size - k) % r->size]};
    put_step(w, node, k - 1, cpu, &pair, bytes, tag, false);
  }
}

/* From the first rank along the ring to the last, or, for a reduction, to the first. */
static void put_chain(writer *w, uint32_t node, uint32_t cpu, const ring *r, uint64_t bytes, uint32_t tag, bool reduce)
{
  uint32_t place = reduce ? r->size - 1 - r->self : r->self;
  if (place > 0)
    fprintf(w->out, "n%u_r0: recv %" PRIu64 "b from %u tag %u cpu %u\nn%u_r0 requires n%u_b\n", node, bytes, reduce ? r->next : r->previous, tag, cpu, node, node);
  if (place + 1 < r->size)
    fprintf(w->out, "n%u_s0: send %" PRIu64 "b to %u tag %u cpu %u\nn%u_s0 requires n%u_%s\n", node, bytes, reduce ? r->previous : r->next, tag, cpu, node, node,
            place > 0 ? "r0" : "b");
  fprintf(w->out, "n%u: calc 0 cpu %u\nn%u requires n%u_b\n", node, cpu, node, node);
  if (place > 0)
    fprintf(w->out, "n%u requires n%u_r0\n", node, node);
  if (place + 1 < r->size)
    fprintf(w->out, "n%u requires n%u_s0\n", node, node);
}

static bool put_collective(writer *w, uint32_t node, uint32_t cpu, const ts_event_comm *c)
{
  ring r;
  if (!take_ring(w, c, &r))
    return false;
  uint32_t tag = (uint32_t)(strtoull(ts_events_text(w->e, c->group), NULL, 10) % MESSAGE_TAGS);
  uint64_t whole = c->bytes > 0 ? (uint64_t)c->bytes : 1, part = (whole + r.size - 1) / r.size;
  fprintf(w->out, "n%u_b: calc 0 cpu %u\n", node, cpu);
  if (c->kind == TS_COMM_BROADCAST || c->kind == TS_COMM_REDUCE || c->kind == TS_COMM_GATHER || c->kind == TS_COMM_SCATTER) {
    put_chain(w, node, cpu, &r, whole, tag, c->kind == TS_COMM_REDUCE || c->kind == TS_COMM_GATHER);
    return true;
  }
  uint32_t steps = r.size - 1;
  if (c->kind == TS_COMM_ALL_TO_ALL || c->kind == TS_COMM_SEND_RECV) {
    put_each_to_each(w, node, cpu, &r, part, tag);
  } else {
    steps *= c->kind == TS_COMM_ALL_REDUCE || c->kind == TS_COMM_BARRIER ? 2 : 1;
    for (uint32_t s = 0; s < steps; s++) put_step(w, node, s, cpu, &r, part, tag, s > 0);
  }
  fprintf(w->out, "n%u: calc 0 cpu %u\nn%u requires n%u_b\n", node, cpu, node, node);
  for (uint32_t s = 0; s < steps; s++) fprintf(w->out, "n%u requires n%u_s%u\nn%u requires n%u_r%u\n", node, node, s, node, node, s);
  return true;
}

static bool put_node(writer *w, uint32_t i, bool *split)
{
  const ts_event *v = ts_event_at(w->e, i);
  uint32_t cpu = v->track & 0xff;
  const ts_event_comm *c = v->kind == TS_KERNEL_COMMUNICATION && v->detail != TS_EVENT_NONE ? &w->e->comms.at[v->detail] : NULL;
  *split = false;
  if (!c) {
    fprintf(w->out, "n%u: calc %" PRId64 " cpu %u\n", i, v->duration > 0 ? v->duration : 0, cpu);
  } else if (c->kind == TS_COMM_SEND || c->kind == TS_COMM_RECV) {
    if (c->peer < 0 || c->peer >= w->count)
      return ts_import_fail(w->error, "give the traces of all ranks", "rank %" PRId64 ": the peer of a message is not known, or not there", w->e->rank);
    fprintf(w->out, "n%u: %s %" PRId64 "b %s %" PRId64 " tag %" PRId64 " cpu %u\n", i, c->kind == TS_COMM_SEND ? "send" : "recv", c->bytes > 0 ? c->bytes : 1,
            c->kind == TS_COMM_SEND ? "to" : "from", c->peer, MESSAGE_TAGS + c->tag % MESSAGE_TAGS, cpu);
  } else {
    *split = true;
    return put_collective(w, i, cpu, c);
  }
  return true;
}

static bool put_rank(writer *w)
{
  const ts_events *e = w->e;
  uint32_t *first = TS_NEW_ARRAY(w->work, uint32_t, e->count + 2), *at, *from = TS_NEW_ARRAY(w->work, uint32_t, e->edges.count + 1);
  for (size_t i = 0; i < e->edges.count; i++) first[e->edges.at[i].to + 1]++;
  for (uint32_t i = 0; i < e->count; i++) first[i + 1] += first[i];
  at = ts_arena_copy(w->work, first, sizeof *first * (e->count + 1));
  for (size_t i = 0; i < e->edges.count; i++) from[at[e->edges.at[i].to]++] = e->edges.at[i].from;
  for (uint32_t i = 0; i < e->count; i++) {
    bool split;
    if (!put_node(w, i, &split))
      return false;
    for (uint32_t k = first[i]; k < first[i + 1]; k++) {
      if (from[k] > i) /* labels are defined before they are used */
        return ts_import_fail(w->error, NULL, "rank %" PRId64 ": a node depends on a later one", e->rank);
      fprintf(w->out, "n%u%s requires n%u\n", i, split ? "_b" : "", from[k]);
    }
  }
  return true;
}

bool ts_goal_write(const ts_events *const *ranks, uint32_t count, FILE *out, ts_import_error *error)
{
  fprintf(out, "num_ranks %u\n", count);
  for (uint32_t r = 0; r < count; r++) {
    writer w = {.e = ranks[r], .out = out, .work = ts_arena_new("goal"), .count = count, .error = error};
    fprintf(out, "\nrank %u {\n", r);
    bool good = put_rank(&w);
    ts_arena_free(w.work);
    if (!good)
      return false;
    fputs("}\n", out);
  }
  return true;
}
