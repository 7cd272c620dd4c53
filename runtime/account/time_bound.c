/* What an item does to the clocks of its rank (when each stream is free, how far the host has come)
 * and to its messages is a max-plus linear map (Baccelli et al., "Synchronization and Linearity",
 * 1992). Here it has no more than what every play has (fragment_map.h): kernels on the
 * fastest device, collectives over the fastest of their groups as if all members came at once,
 * messages that take no time, and records that choose among messages as if these had come.
 *
 * Only the first items of each program and the last ones are walked, in the order of messages: the
 * fill of the pipeline and its drain. Between them a stream takes at least what its items take one
 * after the other. A message that comes from between them, or goes there, is not waited for. */
#include "runtime/account/time_bound.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/intern.h"
#include "runtime/account/lower_bounds.h"
#include "runtime/collective/network.h"
#include "runtime/play/fragment_map.h"

enum { WALKED = 40000, WINDOW = 32 }; /* items: of all programs, and of each, at either end */

typedef struct term {
  uint32_t in;
  int64_t time;
} term; /* in: of the map's `ins` */
/* out: a clock, from `clocks` on a port of the fragment, or TS_IR_NONE: the end of the step. Its
 * value: the largest of in + time */
typedef struct time_bound_row {
  uint32_t out, first, count;
} time_bound_row;

typedef struct map {   /* clocks that are in no row stay as they are */
  const uint32_t *ins; /* clocks and ports, as above */
  const term *terms;
  const time_bound_row *rows;
  uint32_t in_count, row_count;
} map;

/* between two programs; value: when it arrives, or how long after that the step ends */
typedef struct time_bound_message {
  uint32_t to, from, tag;
  bool known;
  int64_t value;
} time_bound_message;
enum { MESSAGE_KEY = offsetof(time_bound_message, known) };

typedef struct time_bound_walk {
  ts_arena *arena;
  const ts_ir *ir;
  uint32_t clocks;                 /* streams, and the host */
  const uint64_t *kernels, *calls; /* [kernels], [collectives] ps */
  const map *maps;                 /* [fragments] */
  uint32_t window;                 /* items of a program */
  uint32_t *next;                  /* [programs] items that are done */
  int64_t *at;                     /* [programs * clocks] */
  int64_t most;                    /* end of a step */
  ts_intern known;                 /* ends and tags of messages */
  TS_VEC(time_bound_message) messages;
} time_bound_walk;

static bool is_known(int64_t value) { return TS_IS_TIME(value); }
static int64_t limited(int64_t time) { return time < TS_AFTER_ALL ? time : TS_AFTER_ALL; }

/* ---- Maps ---- */

/* Plays round the times of kernels. */
static const uint64_t *kernels_of(ts_arena *arena, const ts_ir *ir)
{
  uint64_t *times = TS_NEW_ARRAY(arena, uint64_t, ir->kernels_count + 1);
  double speed = ts_fastest_speed(ir);
  for (uint32_t k = 0; k < ir->kernels_count; k++) {
    double time = (double)ir->kernels[k].time / speed * (1 - 1e-12) - 0.5;
    times[k] = time > 0 ? (uint64_t)fmin(time, (double)TS_AFTER_ALL) : 0;
  }
  return times;
}

static int64_t *never(ts_arena *arena, size_t count)
{
  int64_t *all = ts_arena_alloc_raw(arena, (count + 1) * sizeof *all);
  for (size_t i = 0; i < count; i++)
    all[i] = TS_BEFORE_ALL;
  return all;
}

/* Inputs of the fragment, or its results: clocks that it moves, and ports that are played. */
static uint32_t places_of(const time_bound_walk *w, ts_arena *scratch, const ts_ir_fragment *f,
                          ts_ir_op port, uint32_t *places)
{
  const ts_ir_node *nodes = &w->ir->nodes[f->first_node];
  uint32_t size = w->clocks + f->port_count, count = 0;
  bool *used = TS_NEW_ARRAY(scratch, bool, size + 1);
  used[w->clocks - 1] = f->node_count > 0;
  for (uint32_t i = 0; i < f->node_count; i++) {
    used[nodes[i].stream] |= !ts_is_host(&nodes[i]);
    if (nodes[i].op == port)
      used[w->clocks + nodes[i].arg] = true;
  }
  for (uint32_t i = 0; i < size; i++)
    if (used[i])
      places[count++] = i;
  return count;
}

static map map_of(const time_bound_walk *w, ts_arena *scratch, const ts_ir_fragment *f)
{
  uint32_t size = w->clocks + f->port_count, terms_count = 0,
           *ins = TS_NEW_ARRAY(w->arena, uint32_t, size + 1),
           *outs = TS_NEW_ARRAY(scratch, uint32_t, size + 1);
  map m = {.ins = ins, .in_count = places_of(w, scratch, f, TS_IR_RECV, ins)};
  uint32_t results = places_of(w, scratch, f, TS_IR_SEND, outs);
  outs[results++] = TS_IR_NONE;
  ts_fragment_play play = {.ir = w->ir,
                           .fragment = f,
                           .kernels = w->kernels,
                           .calls = w->calls,
                           .clocks = {.host = w->clocks - 1, .count = w->clocks},
                           .clock = TS_NEW_ARRAY(scratch, int64_t, w->clocks + 1),
                           .end = TS_NEW_ARRAY(scratch, int64_t, f->node_count + 1),
                           .in = TS_NEW_ARRAY(scratch, int64_t, f->port_count + 1),
                           .out = TS_NEW_ARRAY(scratch, int64_t, f->port_count + 1)};
  int64_t *value = TS_NEW_ARRAY(scratch, int64_t, (size_t)m.in_count * results + 1);
  ts_fragment_map(&play, ins, m.in_count, outs, results, value);
  time_bound_row *rows = TS_NEW_ARRAY(w->arena, time_bound_row, results + 1);
  term *terms = TS_NEW_ARRAY(w->arena, term, (size_t)m.in_count * results + 1);
  m.rows = rows;
  m.terms = terms;
  for (uint32_t j = 0; j < results; j++) {
    time_bound_row r = {outs[j], terms_count, 0};
    for (uint32_t k = 0; k < m.in_count; k++)
      if (is_known(value[(size_t)k * results + j]))
        terms[terms_count++] = (term){k, value[(size_t)k * results + j]};
    if ((r.count = terms_count - r.first))
      rows[m.row_count++] = r;
  }
  return m;
}

/* What a clock takes over the item at least, if only it holds the item up. */
static int64_t fixed_by(const map *m, uint32_t clock)
{
  for (uint32_t i = 0; i < m->row_count; i++)
    for (uint32_t k = 0; m->rows[i].out == clock && k < m->rows[i].count; k++)
      if (m->ins[m->terms[m->rows[i].first + k].in] == clock)
        return m->terms[m->rows[i].first + k].time;
  return 0;
}

/* ---- Messages ---- */

static const ts_ir_item *time_bound_item_of(const time_bound_walk *w, uint32_t program, uint32_t i)
{
  return &w->ir->items[w->ir->programs[program].first_item + i];
}

/* False: it does not go along the pipeline. */
static bool message_of(const time_bound_walk *w, uint32_t program, const ts_ir_item *item,
                       uint32_t port, time_bound_message *m)
{
  const ts_ir *ir = w->ir;
  const ts_ir_port *p = &ir->ports[ir->fragments[item->fragment].first_port + port];
  const ts_ir_binding *b = &ir->bindings[item->first_binding + port];
  if (b->peer >= ir->programs_count || ir->meta->pipeline_axis == TS_IR_NONE ||
      ir->groups[p->group].axes != 1u << ir->meta->pipeline_axis)
    return false;
  *m = p->is_send ? (time_bound_message){.to = b->peer, .from = program, .tag = b->tag} :
                    (time_bound_message){.to = program, .from = b->peer, .tag = b->tag};
  return true;
}

/* Of a port: NULL, no item of the window is at its other end. */
static time_bound_message *time_bound_find(time_bound_walk *w, uint32_t program,
                                           const ts_ir_item *item, uint32_t port)
{
  time_bound_message m;
  if (!message_of(w, program, item, port, &m))
    return NULL;
  uint32_t found = ts_intern_find(&w->known, &m, MESSAGE_KEY);
  return found == TS_HASH_NONE ? NULL : &w->messages.at[found];
}

/* What items [first, end) of the program send, or receive. */
static void expect(time_bound_walk *w, uint32_t program, uint32_t first, uint32_t end, bool sends)
{
  const ts_ir *ir = w->ir;
  time_bound_message m;
  for (uint32_t i = first; i < end; i++) {
    const ts_ir_item *item = time_bound_item_of(w, program, i);
    const ts_ir_fragment *f = &ir->fragments[item->fragment];
    for (uint32_t k = 0; k < f->port_count; k++)
      if (!!ir->ports[f->first_port + k].is_send == sends && message_of(w, program, item, k, &m) &&
          ts_intern_bytes(&w->known, &m, MESSAGE_KEY) == w->messages.count)
        TS_PUSH(w->arena, &w->messages, m);
  }
}

/* Whether all is known of what comes in from items of the window, or goes out to them. */
static bool time_bound_is_open(time_bound_walk *w, uint32_t program, const ts_ir_item *item,
                               bool sends)
{
  const ts_ir_fragment *f = &w->ir->fragments[item->fragment];
  for (uint32_t k = 0; k < f->port_count; k++)
    if (!!w->ir->ports[f->first_port + k].is_send == sends) {
      const time_bound_message *m = time_bound_find(w, program, item, k);
      if (m && !m->known)
        return false;
    }
  return true;
}

/* The value of a clock or of a port's message; TS_BEFORE_ALL: no matter. */
static int64_t time_bound_value_of(time_bound_walk *w, uint32_t program, const ts_ir_item *item,
                                   uint32_t of)
{
  if (of < w->clocks)
    return w->at[(size_t)program * w->clocks + of];
  const time_bound_message *m = time_bound_find(w, program, item, of - w->clocks);
  return m && m->known ? m->value : TS_BEFORE_ALL;
}

static void set_value(time_bound_walk *w, uint32_t program, const ts_ir_item *item, uint32_t of,
                      int64_t value)
{
  if (of < w->clocks) {
    w->at[(size_t)program * w->clocks + of] = value;
    return;
  }
  time_bound_message *m = time_bound_find(w, program, item, of - w->clocks);
  if (m)
    m->value = value, m->known = true;
}

/* ---- The two ends ---- */

/* From when the item may begin to when it has ended. */
static void time_bound_fill(time_bound_walk *w, uint32_t program, const ts_ir_item *item,
                            int64_t *value)
{
  const map *m = &w->maps[item->fragment];
  int64_t *in = value, *out = value + m->in_count;
  for (uint32_t k = 0; k < m->in_count; k++)
    in[k] = time_bound_value_of(w, program, item, m->ins[k]);
  for (uint32_t i = 0; i < m->row_count; i++) {
    out[i] = TS_BEFORE_ALL;
    for (uint32_t k = 0; k < m->rows[i].count; k++) {
      const term *t = &m->terms[m->rows[i].first + k];
      out[i] = ts_later(out[i], limited(in[t->in] + t->time));
    }
  }
  for (uint32_t i = 0; i < m->row_count; i++)
    if (m->rows[i].out == TS_IR_NONE)
      w->most = ts_later(w->most, out[i]);
    else
      set_value(w, program, item, m->rows[i].out, out[i]);
}

/* From what must follow the item to what must follow its beginning. */
static void drain(time_bound_walk *w, uint32_t program, const ts_ir_item *item, int64_t *value)
{
  const map *m = &w->maps[item->fragment];
  for (uint32_t k = 0; k < m->in_count; k++)
    value[k] = TS_BEFORE_ALL;
  for (uint32_t i = 0; i < m->row_count; i++) {
    int64_t after =
      m->rows[i].out == TS_IR_NONE ? 0 : time_bound_value_of(w, program, item, m->rows[i].out);
    for (uint32_t k = 0; is_known(after) && k < m->rows[i].count; k++) {
      const term *t = &m->terms[m->rows[i].first + k];
      value[t->in] = ts_later(value[t->in], limited(t->time + after));
    }
  }
  for (uint32_t k = 0; k < m->in_count; k++)
    set_value(w, program, item, m->ins[k], value[k]);
}

static void step(time_bound_walk *w, uint32_t program, bool back, int64_t *value)
{
  uint32_t last = w->ir->programs[program].item_count - 1, done = w->next[program]++;
  (back ? drain : time_bound_fill)(
    w, program, time_bound_item_of(w, program, back ? last - done : done), value);
}

/* The program that has come the least far. */
static uint32_t last_of(const time_bound_walk *w, const uint32_t *size)
{
  uint32_t last = TS_IR_NONE;
  for (uint32_t p = 0; p < w->ir->programs_count; p++)
    if (w->next[p] < size[p] && (last == TS_IR_NONE || w->next[p] < w->next[last]))
      last = p;
  return last;
}

/* Walks windows of all programs from their beginnings, or back from their ends, as messages allow.
 * Items that are two pieces of work at once may wait for each other: then one goes on as if it did
 * not wait. */
static void go(time_bound_walk *w, const uint32_t *size, bool back)
{
  uint32_t most = 0;
  for (uint32_t f = 0; f < w->ir->fragments_count; f++) {
    uint32_t values = w->maps[f].in_count + w->maps[f].row_count;
    most = values > most ? values : most;
  }
  int64_t *value = TS_NEW_ARRAY(w->arena, int64_t, most + 1);
  for (uint32_t left; (left = last_of(w, size)) != TS_IR_NONE;) {
    bool moved = false;
    for (uint32_t p = 0; p < w->ir->programs_count; p++) {
      uint32_t last = w->ir->programs[p].item_count - 1;
      for (; w->next[p] < size[p] &&
             time_bound_is_open(
               w, p, time_bound_item_of(w, p, back ? last - w->next[p] : w->next[p]), back);
           moved = true)
        step(w, p, back, value);
    }
    if (!moved)
      step(w, left, back, value);
  }
}

static void fill_all(time_bound_walk *w, const uint32_t *size)
{
  for (uint32_t p = 0; p < w->ir->programs_count; p++)
    expect(w, p, 0, size[p], true);
  go(w, size, false);
}

static void drain_all(time_bound_walk *w, const uint32_t *size)
{
  size_t clocks = (size_t)w->ir->programs_count * w->clocks;
  w->known = (ts_intern){.arena = w->arena};
  w->messages.count = 0;
  w->at = never(w->arena, clocks);
  w->next = TS_NEW_ARRAY(w->arena, uint32_t, w->ir->programs_count + 1);
  for (uint32_t p = 0; p < w->ir->programs_count; p++)
    expect(w, p, w->ir->programs[p].item_count - size[p], w->ir->programs[p].item_count, false);
  go(w, size, true);
}

static int64_t times(uint64_t count, int64_t time)
{
  return time <= TS_AFTER_ALL / (int64_t)count ? (int64_t)count * time : TS_AFTER_ALL;
}

/* [programs * clocks] what items between the two windows take. */
static int64_t *between(const time_bound_walk *w, const uint32_t *first, const uint32_t *last)
{
  const ts_ir *ir = w->ir;
  int64_t *sum = TS_NEW_ARRAY(w->arena, int64_t, (size_t)ir->programs_count * w->clocks + 1),
          *fixed = TS_NEW_ARRAY(w->arena, int64_t, (size_t)ir->fragments_count * w->clocks + 1);
  for (uint32_t f = 0; f < ir->fragments_count; f++)
    for (uint32_t c = 0; c < w->clocks; c++)
      fixed[f * w->clocks + c] = fixed_by(&w->maps[f], c);
  uint64_t *count = TS_NEW_ARRAY(w->arena, uint64_t, ir->fragments_count + 1);
  for (uint32_t p = 0; p < ir->programs_count; p++) {
    memset(count, 0, ir->fragments_count * sizeof *count);
    for (uint32_t i = first[p]; i < ir->programs[p].item_count - last[p]; i++)
      count[time_bound_item_of(w, p, i)->fragment] += ts_ir_plays(ir, p, i);
    for (uint32_t f = 0; f < ir->fragments_count; f++)
      for (uint32_t c = 0; count[f] && c < w->clocks; c++)
        sum[p * w->clocks + c] =
          limited(sum[p * w->clocks + c] + times(count[f], fixed[f * w->clocks + c]));
  }
  return sum;
}

/* ---- The whole ---- */

static double walked(time_bound_walk *w)
{
  const ts_ir *ir = w->ir;
  uint32_t *first = TS_NEW_ARRAY(w->arena, uint32_t, ir->programs_count + 1),
           *last = TS_NEW_ARRAY(w->arena, uint32_t, ir->programs_count + 1);
  for (uint32_t p = 0; p < ir->programs_count; p++) {
    uint32_t count = ir->programs[p].item_count;
    first[p] = count < w->window ? count : w->window;
    last[p] = count - first[p] < w->window ? count - first[p] : w->window;
  }
  fill_all(w, first);
  const int64_t *head = w->at, *sum = between(w, first, last);
  drain_all(w, last);
  for (size_t i = 0; i < (size_t)ir->programs_count * w->clocks; i++)
    if (is_known(head[i]) && is_known(w->at[i]))
      w->most = ts_later(w->most, head[i] + sum[i] + w->at[i]);
  return (double)w->most;
}

/* Flows and packets are not played for a bound. */
static bool is_formula(const ts_ir *ir)
{
  for (uint32_t i = 0; i < ir->net_models_count; i++)
    if (ir->net_models[i].kind == TS_IR_NET_FLOW || ir->net_models[i].kind == TS_IR_NET_PACKET)
      return false;
  return true;
}

/* Of all instances of its group the least; 0: nothing is known. */
static const uint64_t *calls_of(ts_arena *arena, const ts_ir *ir, ts_links_cache *cache)
{
  uint64_t *times = TS_NEW_ARRAY(arena, uint64_t, ir->collectives_count + 1);
  ts_stop stop = {.arena = arena};
  if (!ir->collectives_count || !is_formula(ir))
    return times;
  const ts_ranks *ranks = ts_ranks_new(arena, ir);
  ts_network *network = ts_network_over(
    arena, ir, ranks, cache ? ts_links_cache_of(cache, ir) : ts_links_new(arena, ir), NULL, &stop);
  for (uint32_t g = 0; network && g < ir->groups_count; g++) {
    const uint32_t *profile = ranks->groups[g].used ? ts_network_group(network, g, &stop) : NULL;
    for (uint32_t c = 0; profile && c < ir->collectives_count; c++)
      for (uint32_t i = 0; ir->collectives[c].group == g && i < ranks->groups[g].instances; i++) {
        if (i && profile[i] == profile[i - 1])
          continue;
        uint64_t time = ts_network_estimate(network, ir->collectives[c].kind,
                                            ir->collectives[c].bytes, profile[i])
                          .time;
        uint64_t least = time < TS_AFTER_ALL ? time : TS_AFTER_ALL;
        times[c] = !i || least < times[c] ? least : times[c];
      }
  }
  return times;
}

double ts_time_bound(const ts_ir *ir, ts_links_cache *links)
{
  ts_arena *arena = ts_arena_new("least time"), *scratch = ts_arena_inside(arena, "maps");
  if (!ir->programs_count || ir->programs_count > WALKED) {
    ts_arena_free(arena);
    return 0;
  }
  map *maps = TS_NEW_ARRAY(arena, map, ir->fragments_count + 1);
  time_bound_walk w = {
    .arena = arena,
    .known.arena = arena,
    .ir = ir,
    .clocks = ir->streams_count + 1,
    .kernels = kernels_of(arena, ir),
    .calls = calls_of(arena, ir, links),
    .maps = maps,
    .window = WALKED / ir->programs_count < WINDOW ? WALKED / ir->programs_count : WINDOW,
    .next = TS_NEW_ARRAY(arena, uint32_t, ir->programs_count + 1)};
  w.at = TS_NEW_ARRAY(arena, int64_t, (size_t)ir->programs_count * w.clocks + 1);
  for (uint32_t f = 0; f < ir->fragments_count; f++) {
    maps[f] = map_of(&w, scratch, &ir->fragments[f]);
    ts_arena_reset(scratch);
  }
  double least = walked(&w) * 1e-12;
  ts_arena_free(arena);
  return least;
}
