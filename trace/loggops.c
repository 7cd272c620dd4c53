/* Discrete events: a heap of what happens when, queues of what waits for a cpu or an interface, and
 * tables of receives and messages that wait for each other. */
#include "trace/loggops.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash_table.h"
#include "base/heap.h"
#include "base/order.h"

#define NONE UINT32_MAX
#define PS 1000.0

/* ENDS: an operation; FREE: what waits for a resource is tried again; ARRIVES: a message, by its
 * send, at the receiver. */
typedef enum what { ENDS, FREE, ARRIVES } what;

/* Of equal times the one goes first whose cause began first, as in LogGOPSim: a message since it
 * was sent, what waits for an operation since that began. `order` is that place in the order of all
 * beginnings, which what waits for a resource keeps. */
typedef struct event { uint64_t time, order; uint32_t id, what; } event;

/* Waits for a resource: an operation to begin, or a send whose message `arrives`, which may be at
 * the sender itself. */
typedef struct waiting { uint32_t next, id; uint64_t order; bool arrives; } waiting;
typedef struct queue {
  uint32_t head, tail;
  bool announced;
} queue; /* announced: a FREE is to come */

/* A posted receive, or a message that came before one; in a chain with those of equal hash. */
typedef struct unmatched { uint32_t next, op, rank, pad; uint64_t time; } unmatched;
typedef struct table { uint32_t *head, *tail; } table;

typedef struct player {
  ts_goal_job *s;
  const ts_loggops *m;
  ts_loggops_result *r;
  ts_error *error;
  event *heap;
  size_t count, room;
  uint64_t begun;     /* so far */
  uint64_t order;     /* of what is tried at the moment */
  uint32_t per_rank;  /* resources: cpus, then interfaces sending, then interfaces receiving */
  uint64_t *until;    /* [world * per_rank] when each is free */
  queue *queues;
  waiting *waits;
  uint32_t wait_count, wait_room, wait_free;
  bool *any;          /* [world] the rank has receives from any rank or with any tag */
  table posted, early; /* by hash */
  uint32_t mask;
  unmatched *open;
  uint32_t open_count, open_room, open_free;
  struct { uint32_t op; uint64_t order; } *ready; /* operations to begin, a stack */
  size_t ready_count, ready_room;
  uint64_t done;      /* operations */
} player;

bool ts_loggops_read(const char *text, ts_loggops *model)
{
  static const char names[] = "LogGOS";
  double value[6] = {0};
  bool given[6] = {false};
  *model = (ts_loggops){.eager = UINT64_MAX};
  for (;;) {
    const char *name = *text ? strchr(names, *text) : NULL;
    char *end;
    if (!name || text[1] != '=' || given[name - names] || !text[2] ||
        !strchr(".0123456789", text[2]))
      return false;
    given[name - names] = true;
    value[name - names] = strtod(text + 2, &end);
    if (end == text + 2 || !(value[name - names] < 1e15))
      return false;
    if (*end && *end != ',')
      return false;
    text = end + 1;
    if (!*end)
      break;
  }
  /* "LogGOS": L, o, g, G, O, S */
  *model = (ts_loggops){value[0], value[1], value[2], value[3], value[4],
                        given[5] ? (uint64_t)value[5] : UINT64_MAX};
  return true;
}

/* ---- What happens when ---- */

static bool loggops_before(const event *a, const event *b)
{
  return a->time != b->time   ? a->time < b->time :
         a->order != b->order ? a->order < b->order :
                                a->what < b->what;
}

static void announce(player *p, uint64_t time, uint64_t order, what kind, uint32_t id)
{
  if (p->count == p->room) {
    p->room = p->room * 2 + 64;
    p->heap = ts_heap_resize(p->heap, p->room, sizeof *p->heap);
  }
  event e = {time, order, id, kind};
  size_t at = p->count++;
  for (; at && loggops_before(&e, &p->heap[(at - 1) / 4]); at = (at - 1) / 4)
    p->heap[at] = p->heap[(at - 1) / 4];
  p->heap[at] = e;
}

static event take_next(player *p)
{
  event first = p->heap[0], last = p->heap[--p->count];
  size_t at = 0;
  for (;;) {
    size_t child = at * 4 + 1, smallest = child;
    if (child >= p->count)
      break;
    for (size_t c = child + 1; c < child + 4 && c < p->count; c++)
      if (loggops_before(&p->heap[c], &p->heap[smallest]))
        smallest = c;
    if (!loggops_before(&p->heap[smallest], &last))
      break;
    p->heap[at] = p->heap[smallest];
    at = smallest;
  }
  p->heap[at] = last;
  return first;
}

/* ---- Resources ---- */

static uint32_t rank_of(const ts_goal_job *s, uint32_t op)
{
  uint32_t at;
  TS_SEARCH(at, 1, s->world, s->first[at] <= op);
  return at - 1;
}

static uint32_t cpu_of(const player *p, uint32_t rank, uint32_t op)
{
  return rank * p->per_rank + (p->s->how[op] >> 8 & 0xff);
}
static uint32_t nic_of(const player *p, uint32_t rank, uint32_t op, bool receives)
{
  return rank * p->per_rank + p->s->cpus + (receives ? p->s->nics : 0) + (p->s->how[op] >> 16);
}

/* Puts it behind those that wait for a resource that is taken. */
static void wait_for(player *p, uint32_t resource, uint32_t id, bool arrives)
{
  uint32_t w = p->wait_free;
  if (w != NONE) {
    p->wait_free = p->waits[w].next;
  } else {
    if (p->wait_count == p->wait_room) {
      p->wait_room = p->wait_room * 2 + 64;
      p->waits = ts_heap_resize(p->waits, p->wait_room, sizeof *p->waits);
    }
    w = p->wait_count++;
  }
  queue *q = &p->queues[resource];
  uint32_t after = q->head == NONE || p->waits[q->tail].order <= p->order ? q->tail : NONE;
  if (q->head == NONE)
    after = NONE;
  else if (after == NONE) /* seldom: most come in order */
    for (uint32_t at = q->head; p->waits[at].order <= p->order; at = p->waits[at].next) after = at;
  p->waits[w] = (waiting){after == NONE ? q->head : p->waits[after].next, id, p->order, arrives};
  if (p->waits[w].next == NONE)
    q->tail = w;
  if (after == NONE)
    q->head = w;
  else
    p->waits[after].next = w;
  if (!q->announced)
    announce(p, p->until[resource], p->waits[q->head].order, FREE, resource);
  q->announced = true;
}

static uint64_t ps(double ns) { return (uint64_t)llround(ns * PS); }
static uint64_t bytes_at(double ns, uint64_t size)
{
  return size > 1 ? ps((double)(size - 1) * ns) : 0;
}

/* Both free now? Else the message or operation waits for the one that is free last. */
static bool both_free(player *p, uint64_t now, uint32_t cpu, uint32_t nic, uint32_t id,
                      bool arrives)
{
  uint32_t later = p->until[nic] > p->until[cpu] ? nic : cpu;
  if (p->until[later] <= now)
    return true;
  wait_for(p, later, id, arrives);
  return false;
}

/* ---- Requirements ---- */

static void make_ready(player *p, uint32_t op)
{
  if (p->ready_count == p->ready_room) {
    p->ready_room = p->ready_room * 2 + 64;
    p->ready = ts_heap_resize(p->ready, p->ready_room, sizeof *p->ready);
  }
  p->ready[p->ready_count].op = op;
  p->ready[p->ready_count++].order = p->order;
}

/* Those that wait for its start, or for its end, in the order of the file. */
static void release(player *p, uint32_t rank, uint32_t op, bool started)
{
  const ts_goal_job *s = p->s;
  const uint32_t *offset = s->offset + op + rank, *list = s->waiting + s->next[rank];
  for (uint32_t k = offset[1]; k-- > offset[0];) /* a stack: the last first */
    if (!(list[k] & TS_GOAL_STARTED) == !started) {
      uint32_t to = s->first[rank] + (list[k] & ~TS_GOAL_STARTED);
      if (!--s->before[to])
        make_ready(p, to);
    }
}

static void loggops_end(player *p, uint64_t now, uint32_t rank, uint32_t op)
{
  p->done++;
  if (now > p->r->ranks[rank].end)
    p->r->ranks[rank].end = now;
  release(p, rank, op, false);
}

/* ---- Messages ---- */

static uint32_t chain_of(const player *p, uint32_t rank, uint32_t source, uint32_t tag)
{
  if (p->any[rank]) /* all of the rank in one chain, by the order in which they came */
    return ts_hash_number(rank) & p->mask;
  return ts_hash_number(((uint64_t)rank << 32 | source) ^ (uint64_t)tag * 0x9e3779b97f4a7c15u) &
         p->mask;
}

static void loggops_keep(player *p, table *t, uint32_t chain, uint32_t rank, uint32_t op,
                         uint64_t time)
{
  uint32_t u = p->open_free;
  if (u != NONE) {
    p->open_free = p->open[u].next;
  } else {
    if (p->open_count == p->open_room) {
      p->open_room = p->open_room * 2 + 64;
      p->open = ts_heap_resize(p->open, p->open_room, sizeof *p->open);
    }
    u = p->open_count++;
  }
  p->open[u] = (unmatched){.next = NONE, .op = op, .rank = rank, .time = time};
  if (t->head[chain] == NONE)
    t->head[chain] = u;
  else
    p->open[t->tail[chain]].next = u;
  t->tail[chain] = u;
}

static bool loggops_fits(const ts_goal_job *s, uint32_t receive, uint32_t source, uint32_t tag)
{
  return (s->peer[receive] == NONE || s->peer[receive] == source) &&
         (s->tag[receive] == NONE || s->tag[receive] == tag);
}

/* Takes the first of `rank` that fits out of the chain. `op`: a receive, if the table is of
 * messages, else a send from `source`. False: there is none. */
static bool match(player *p, table *t, uint32_t chain, uint32_t rank, uint32_t op, uint32_t source,
                  unmatched *found)
{
  const ts_goal_job *s = p->s;
  bool receives = ts_goal_job_kind(s, op) == TS_GOAL_RECV;
  for (uint32_t u = t->head[chain], last = NONE; u != NONE; last = u, u = p->open[u].next) {
    unmatched *o = &p->open[u];
    if (o->rank != rank)
      continue;
    if (!(receives ? loggops_fits(s, op, rank_of(s, o->op), s->tag[o->op]) :
                     loggops_fits(s, o->op, source, s->tag[op])))
      continue;
    *found = *o;
    if (last == NONE)
      t->head[chain] = o->next;
    else
      p->open[last].next = o->next;
    if (t->tail[chain] == u)
      t->tail[chain] = last;
    o->next = p->open_free;
    p->open_free = u;
    return true;
  }
  return false;
}

/* A send of more than S bytes ends now: its receive has found it. */
static void end_rendezvous(player *p, uint64_t now, uint32_t send)
{
  if (p->s->size[send] > p->m->eager)
    announce(p, now, p->begun++, ENDS, send);
}

static void receive(player *p, uint64_t now, uint32_t send)
{
  const ts_goal_job *s = p->s;
  uint32_t rank = s->peer[send], cpu = cpu_of(p, rank, send), nic = nic_of(p, rank, send, true);
  if (!both_free(p, now, cpu, nic, send, true))
    return;
  double slower = p->m->overhead > p->m->gap ? p->m->overhead : p->m->gap;
  uint64_t busy = ps(p->m->o) + bytes_at(slower, s->size[send]);
  p->until[cpu] = now + busy;
  p->until[nic] = now + ps(p->m->g) + bytes_at(p->m->gap, s->size[send]);
  p->r->ranks[rank].cpu += busy;
  p->r->ranks[rank].received++;
  uint32_t source = rank_of(s, send), chain = chain_of(p, rank, source, s->tag[send]);
  unmatched found;
  if (match(p, &p->posted, chain, rank, send, source, &found)) {
    end_rendezvous(p, now, send);
    announce(p, now + busy, p->begun++, ENDS, found.op);
  } else {
    p->r->unexpected++;
    loggops_keep(p, &p->early, chain, rank, send, now + busy);
  }
}

static void post(player *p, uint64_t now, uint32_t rank, uint32_t op)
{
  const ts_goal_job *s = p->s;
  uint32_t chain = chain_of(p, rank, s->peer[op], s->tag[op]);
  unmatched found;
  release(p, rank, op, true);
  if (!match(p, &p->early, chain, rank, op, NONE, &found)) {
    loggops_keep(p, &p->posted, chain, rank, op, now);
    return;
  }
  end_rendezvous(p, now, found.op);
  announce(p, found.time > now ? found.time : now, p->begun++, ENDS, op);
}

/* ---- Operations ---- */

static void loggops_send(player *p, uint64_t now, uint32_t rank, uint32_t op)
{
  const ts_goal_job *s = p->s;
  uint32_t cpu = cpu_of(p, rank, op), nic = nic_of(p, rank, op, false);
  if (!both_free(p, now, cpu, nic, op, false))
    return;
  uint64_t busy = ps(p->m->o) + bytes_at(p->m->overhead, s->size[op]);
  p->until[cpu] = now + busy;
  p->until[nic] = now + ps(p->m->g) + bytes_at(p->m->gap, s->size[op]);
  ts_loggops_rank *r = &p->r->ranks[rank];
  r->cpu += busy;
  r->sent++;
  r->bytes += s->size[op];
  p->r->messages++;
  release(p, rank, op, true);
  announce(p, now + ps(p->m->o) + ps(p->m->l), p->begun++, ARRIVES, op);
  if (s->size[op] <= p->m->eager)
    announce(p, now + busy, p->begun++, ENDS, op);
}

static void compute(player *p, uint64_t now, uint32_t rank, uint32_t op)
{
  uint32_t cpu = cpu_of(p, rank, op);
  uint64_t time = p->s->size[op] * 1000;
  if (p->until[cpu] > now) {
    wait_for(p, cpu, op, false);
    return;
  }
  p->until[cpu] = now + time;
  p->r->ranks[rank].compute += time;
  p->order = p->begun++;
  release(p, rank, op, true);
  if (time)
    announce(p, now + time, p->order, ENDS, op);
  else
    loggops_end(p, now, rank, op);
}

static void loggops_begin(player *p, uint64_t now, uint32_t rank, uint32_t op)
{
  ts_goal_kind kind = ts_goal_job_kind(p->s, op);
  if (kind == TS_GOAL_CALC)
    compute(p, now, rank, op);
  else if (kind == TS_GOAL_SEND)
    loggops_send(p, now, rank, op);
  else
    post(p, now, rank, op);
}

/* Everything that became ready, of one rank, and what becomes ready by that. */
static void begin_ready(player *p, uint64_t now, uint32_t rank)
{
  while (p->ready_count) {
    uint32_t op = p->ready[--p->ready_count].op;
    p->order = p->ready[p->ready_count].order;
    loggops_begin(p, now, rank, op);
  }
}

/* The first of a queue is tried again; more are, as long as the resource stays free. */
static void try_again(player *p, uint64_t now, uint32_t resource)
{
  queue *q = &p->queues[resource];
  uint32_t rank = resource / p->per_rank;
  q->announced = false;
  while (q->head != NONE && p->until[resource] <= now) {
    uint32_t w = q->head, id = p->waits[w].id;
    bool arrives = p->waits[w].arrives;
    p->order = p->waits[w].order;
    q->head = p->waits[w].next;
    p->waits[w].next = p->wait_free;
    p->wait_free = w;
    if (arrives)
      receive(p, now, id);
    else
      loggops_begin(p, now, rank, id);
    begin_ready(p, now, rank);
    q = &p->queues[resource];
  }
  if (q->head != NONE && !q->announced) {
    announce(p, p->until[resource], p->waits[q->head].order, FREE, resource);
    q->announced = true;
  }
}

/* ---- The whole ---- */

static bool too_long(const player *p)
{
  const ts_goal_job *s = p->s;
  double sum = 0, each = p->m->l + p->m->o + p->m->g, byte = p->m->overhead + p->m->gap;
  for (uint32_t i = 0; i < s->count; i++)
    sum += ts_goal_job_kind(s, i) == TS_GOAL_CALC ? (double)s->size[i] :
                                                    2 * (each + (double)s->size[i] * byte);
  return !(sum < 9e15);
}

/* The first operation that waits for ever: a receive that nobody sends to, if there is one. */
static bool stuck(const player *p)
{
  const ts_goal_job *s = p->s;
  static const char help[] = "each receive needs a send with its rank and tag, and no operation "
                             "may require itself by way of others";
  for (uint32_t c = 0; c <= p->mask; c++)
    if (p->posted.head[c] != NONE) {
      const unmatched *u = &p->open[p->posted.head[c]];
      return ts_fail(p->error, help,
                     "%" PRIu64 " operations never end; operation %u of rank %u waits for a "
                     "message from rank %d with tag %d, which nobody sends",
                     s->count - p->done, u->op - s->first[u->rank], u->rank, (int)s->peer[u->op],
                     (int)s->tag[u->op]);
    }
  return ts_fail(p->error, help, "%" PRIu64 " operations never end", s->count - p->done);
}

static void loggops_prepare(player *p)
{
  ts_goal_job *s = p->s;
  size_t resources;
  p->per_rank = s->cpus + 2 * s->nics;
  resources = (size_t)s->world * p->per_rank;
  p->until = ts_heap_new(resources, sizeof *p->until);
  p->queues = ts_heap_new(resources, sizeof *p->queues);
  for (size_t i = 0; i < resources; i++) p->queues[i].head = NONE;
  p->any = ts_heap_new(s->world, sizeof *p->any);
  for (uint32_t r = 0; r < s->world; r++)
    for (uint32_t i = s->first[r]; i < s->first[r + 1] && !p->any[r]; i++)
      p->any[r] = ts_goal_job_kind(s, i) == TS_GOAL_RECV &&
                  (s->peer[i] == NONE || s->tag[i] == NONE);
  for (p->mask = 1023; p->mask < s->world * 16u && p->mask < 1u << 22;) p->mask = p->mask * 2 + 1;
  table *const tables[] = {&p->posted, &p->early};
  for (int t = 0; t < 2; t++) {
    tables[t]->head = ts_heap_new((size_t)p->mask + 1, sizeof(uint32_t));
    tables[t]->tail = ts_heap_new((size_t)p->mask + 1, sizeof(uint32_t));
    memset(tables[t]->head, 0xff, ((size_t)p->mask + 1) * sizeof(uint32_t));
  }
  p->wait_free = p->open_free = NONE;
}

static void drop(player *p)
{
  free(p->heap), free(p->until), free(p->queues), free(p->waits), free(p->any), free(p->open);
  free(p->posted.head), free(p->posted.tail), free(p->early.head), free(p->early.tail);
  free(p->ready);
}

static uint64_t bytes_held(const player *p)
{
  const ts_goal_job *s = p->s;
  return (uint64_t)s->count * 28 + s->edges * 4 + p->room * sizeof *p->heap +
         (uint64_t)p->wait_room * sizeof *p->waits + (uint64_t)p->open_room * sizeof *p->open +
         (uint64_t)s->world * p->per_rank * (sizeof *p->until + sizeof *p->queues);
}

bool ts_loggops_play(ts_arena *arena, ts_goal_job *s, const ts_loggops *model,
                     ts_loggops_result *result, ts_error *error)
{
  player p = {.s = s, .m = model, .r = result, .error = error};
  *result = (ts_loggops_result){.ranks = TS_NEW_ARRAY(arena, ts_loggops_rank, s->world)};
  if (s->cut)
    return ts_fail(error, "copy the file again", "the file ends early");
  if (too_long(&p))
    return ts_fail(error, "times are nanoseconds", "the schedule lasts longer than the clock");
  loggops_prepare(&p);
  for (uint32_t r = 0; r < s->world; r++) {
    for (uint32_t i = s->first[r + 1]; i-- > s->first[r];)
      if (!s->before[i])
        make_ready(&p, i);
    begin_ready(&p, 0, r);
  }
  while (p.count) {
    event e = take_next(&p);
    p.order = e.order;
    if (e.what == FREE) {
      try_again(&p, e.time, e.id);
      continue;
    }
    uint32_t rank = e.what == ENDS ? rank_of(s, e.id) : s->peer[e.id];
    if (e.what == ENDS)
      loggops_end(&p, e.time, rank, e.id);
    else
      receive(&p, e.time, e.id);
    begin_ready(&p, e.time, rank);
  }
  bool good = p.done == s->count || stuck(&p);
  for (uint32_t r = 0; r < s->world; r++)
    if (result->ranks[r].end > result->step)
      result->step = result->ranks[r].end;
  result->held = bytes_held(&p);
  drop(&p);
  return good;
}
