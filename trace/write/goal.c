/* GOAL text (LogGOPSim). Labels are n<node> for the last operation of a node; further ones of a
 * collective are n<node>_s<send> and n<node>_r<receive>, between n<node>_b and n<node>. Collectives
 * are written as they are played (ts_call_plan), or as textbook rings (Thakur, Rabenseifner and
 * Gropp 2005): 2(n-1) steps for an all-reduce, n-1 for the halves of it. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "trace/write/export_form.h"

/* tags of sends and receives are above those of collectives, which differ by group and channel */
enum { MESSAGE_TAGS = 1 << 24, MOST_CHANNELS = 256 };

typedef struct ring { uint32_t size, self, *members; } ring;
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

/* ---- Collectives ---- */

/* As textbook rings have it, where nobody knows better. */
static ts_call_messages textbook(ts_arena *arena, const ring *r, const ts_event_comm *c)
{
  TS_VEC(ts_call_message) all = {0};
  bool back = c->kind == TS_COMM_REDUCE || c->kind == TS_COMM_GATHER,
       chain = back || c->kind == TS_COMM_BROADCAST || c->kind == TS_COMM_SCATTER,
       pairs = c->kind == TS_COMM_ALL_TO_ALL || c->kind == TS_COMM_SEND_RECV,
       twice = c->kind == TS_COMM_ALL_REDUCE || c->kind == TS_COMM_BARRIER;
  uint64_t whole = c->bytes > 0 ? (uint64_t)c->bytes : 1, part = (whole + r->size - 1) / r->size;
  uint32_t n = r->size, steps = chain ? 1 : (twice ? 2 : 1) * (n - 1),
           place = back ? n - 1 - r->self : r->self;
  for (uint32_t s = 0; s < steps; s++)
    for (int half = 0; half < 2; half++) {
      bool receives = half != chain; /* in a chain, what is received is sent on */
      uint32_t far = pairs ? s + 1 : 1, other = receives != back ? n - far : far;
      if (!chain || (receives ? place > 0 : place + 1 < n))
        TS_PUSH(arena, &all,
                ((ts_call_message){.peer = r->members[(r->self + other) % n],
                                   .step = !chain ? s : receives ? place - 1 : place,
                                   .bytes = chain ? whole : part,
                                   .receives = receives}));
    }
  return (ts_call_messages){all.at, (uint32_t)all.count, pairs};
}

/* What was received last on a channel, in one step: what comes later waits for it. */
typedef struct channel { TS_VEC(uint32_t) latest; uint32_t step; } channel;

static void put_label(ts_form_writer *w, uint32_t node, const ts_call_message *message,
                      uint32_t number)
{
  fprintf(w->out, "n%u_%c%u", node, message->receives ? 'r' : 's', number);
}

static void put_messages(ts_form_writer *w, uint32_t node, uint32_t cpu, uint32_t group,
                         const ts_call_messages *all)
{
  uint32_t *number = TS_NEW_ARRAY(w->work, uint32_t, all->count), counts[2] = {0, 0},
           channels = 1;
  for (uint32_t i = 0; i < all->count; i++)
    channels = all->at[i].channel >= channels ? all->at[i].channel + 1 : channels;
  channel *channel_of = TS_NEW_ARRAY(w->work, channel, channels);
  /* those of a step wait for earlier ones alone: they join their channel when the step is over */
  for (uint32_t i = 0, settled = 0; i < all->count; i++) {
    const ts_call_message *v = &all->at[i];
    uint32_t tag = (group + v->channel * (MESSAGE_TAGS / MOST_CHANNELS)) % MESSAGE_TAGS;
    for (; settled < i && all->at[settled].step < v->step; settled++) {
      channel *c = &channel_of[all->at[settled].channel];
      if (!all->at[settled].receives)
        continue;
      if (c->latest.count && c->step != all->at[settled].step)
        c->latest.count = 0;
      c->step = all->at[settled].step;
      TS_PUSH(w->work, &c->latest, settled);
    }
    number[i] = counts[v->receives]++;
    put_label(w, node, v, number[i]);
    ts_put_text(w->out, ": %s %" PRIu64 "b %s %u tag %u cpu %u nic %u\n",
                v->receives ? "recv" : "send", v->bytes ? v->bytes : 1, v->receives ? "from" : "to",
                v->peer, tag, cpu, cpu);
    const channel *c = &channel_of[v->channel];
    size_t waits = all->apart ? v->after > 0 : c->latest.count;
    for (size_t k = 0; k < waits; k++) {
      uint32_t for_it = all->apart ? v->after - 1 : c->latest.at[k];
      put_label(w, node, v, number[i]);
      fputs(" requires ", w->out);
      put_label(w, node, &all->at[for_it], number[for_it]);
      fputc('\n', w->out);
    }
    if (!waits) {
      put_label(w, node, v, number[i]);
      fprintf(w->out, " requires n%u_b\n", node);
    }
  }
  fprintf(w->out, "n%u: calc 0 cpu %u\nn%u requires n%u_b\n", node, cpu, node, node);
  for (uint32_t i = 0; i < all->count; i++) {
    fprintf(w->out, "n%u requires ", node);
    put_label(w, node, &all->at[i], number[i]);
    fputc('\n', w->out);
  }
}

static bool put_collective(ts_form_writer *w, uint32_t node, uint32_t cpu, const ts_event_comm *c)
{
  const ring *r = ring_of(w, c->ranks);
  if (!r)
    return false;
  uint32_t group = (uint32_t)(strtoull(ts_events_text(w->e, c->group), NULL, 10) % MESSAGE_TAGS);
  ts_call_messages all = {0};
  ts_arena *work = ts_arena_new("call"), *rank = w->work;
  if (!w->calls || !w->calls->messages(w->calls->closure, work, w->e, c, &all))
    all = textbook(work, r, c);
  fprintf(w->out, "n%u_b: calc 0 cpu %u\n", node, cpu);
  w->work = work;
  put_messages(w, node, cpu, group, &all);
  w->work = rank;
  ts_arena_free(work);
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

static bool goal_put_node(ts_form_writer *w, uint32_t i)
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

static void goal_put_head(ts_form_writer *w)
{
  fprintf(w->out, "\nrank %" PRId64 " {\n", w->e->rank);
}
static void put_tail(ts_form_writer *w) { fputs("}\n", w->out); }

const ts_form ts_form_goal = {goal_put_head, goal_put_node, put_tail};

void ts_goal_write_head(uint32_t world, FILE *out) { fprintf(out, "num_ranks %u\n", world); }
