#include "runtime/account/memory.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/load/workers.h"
#include "runtime/account/peak.h"
#include "runtime/account/run.h"

/* Adds the allocations or the releases of a node. */
static void memory_apply(const ts_ir *ir, const ts_memory_change *c,
                         int64_t category[TS_IR_CATEGORIES])
{
  for (uint32_t m = 0; m < c->node->mem_count; m++) {
    const ts_ir_mem *mem = &ir->mems[c->node->first_mem + m];
    if ((mem->bytes < 0) == c->frees)
      category[mem->category] += mem->bytes;
  }
}

static int64_t memory_hold(const ts_ir *ir, uint32_t program, int64_t category[TS_IR_CATEGORIES])
{
  const ts_ir_program *p = &ir->programs[program];
  int64_t sum = 0;
  memset(category, 0, TS_IR_CATEGORIES * sizeof *category);
  for (uint32_t h = 0; h < p->holding_count; h++) {
    const ts_ir_holding *holding = &ir->holdings[p->first_holding + h];
    category[holding->category] += (int64_t)holding->bytes;
    sum += (int64_t)holding->bytes;
  }
  return sum;
}

/* of a label */
typedef struct memory_sums {
  int64_t bytes[TS_IR_CATEGORIES], count[TS_IR_CATEGORIES];
} memory_sums;

typedef struct workspace {
  ts_arena *scratch, *walk;
  ts_peak_memo *memo;
  ts_labels *labels;
  TS_VEC(memory_sums) by_label; /* by number of the label's module */
} workspace;

static void add_to_label(workspace *w, ts_ir_str label, uint32_t category, int64_t bytes,
                         int64_t count)
{
  uint32_t l = ts_labels_number(w->labels, label);
  while (w->by_label.count <= l)
    TS_PUSH(w->scratch, &w->by_label, (memory_sums){{0}, {0}});
  w->by_label.at[l].bytes[category] += bytes;
  w->by_label.at[l].count[category] += count;
}

static int memory_larger(const void *x, const void *y)
{
  const ts_memory_holder *a = x, *b = y;
  if (a->bytes != b->bytes)
    return a->bytes < b->bytes ? 1 : -1;
  int order = strcmp(a->label, b->label);
  return order ? order : a->category < b->category ? -1 : a->category > b->category;
}

static uint64_t not_negative(int64_t bytes) { return bytes > 0 ? (uint64_t)bytes : 0; }

static void memory_add_node(workspace *w, const ts_ir *ir, const ts_ir_node *node, bool frees,
                            int64_t count)
{
  for (uint32_t k = 0; count && k < node->mem_count; k++) {
    const ts_ir_mem *mem = &ir->mems[node->first_mem + k];
    if ((mem->bytes < 0) == frees)
      add_to_label(w, mem->label, mem->category, mem->bytes * count, frees ? -count : count);
  }
}

/* Sums by category and label what was held after the changes up to the peak. */
static void find_holders(workspace *w, ts_arena *arena, const ts_ir *ir, uint32_t program,
                         const uint32_t *times, ts_memory_class *m)
{
  w->by_label.count = 0;
  const ts_ir_program *p = &ir->programs[program];
  for (uint32_t h = 0; h < p->holding_count; h++) {
    const ts_ir_holding *holding = &ir->holdings[p->first_holding + h];
    add_to_label(w, holding->label, holding->category, (int64_t)holding->bytes, 1);
  }
  for (uint32_t n = 0; times && n < ir->nodes_count; n++) {
    uint64_t both;
    memcpy(&both, &times[2 * (size_t)n], sizeof both);
    for (uint32_t frees = 0; both && frees < 2; frees++)
      memory_add_node(w, ir, &ir->nodes[n], frees, times[2 * (size_t)n + frees]);
  }
  ts_memory_holder *holders =
    TS_NEW_ARRAY(arena, ts_memory_holder, w->by_label.count * TS_IR_CATEGORIES + 1);
  int64_t category[TS_IR_CATEGORIES] = {0};
  for (uint32_t l = 0; l < w->by_label.count; l++) {
    for (uint32_t c = 0; c < TS_IR_CATEGORIES; c++) {
      const memory_sums *s = &w->by_label.at[l];
      category[c] += s->bytes[c];
      if (s->bytes[c] > 0)
        holders[m->holder_count++] =
          (ts_memory_holder){c, ts_labels_name(w->labels, l), (uint64_t)s->bytes[c],
                             s->count[c] > 0 ? (uint32_t)s->count[c] : 1};
    }
  }
  for (uint32_t c = 0; c < TS_IR_CATEGORIES; c++)
    m->category[c] = not_negative(category[c]);
  qsort(holders, m->holder_count, sizeof *holders, memory_larger);
  m->holders = holders;
}

/* A moment behind rounds that are left out is later than it was played, and more was done before
 * it. `times`: may be NULL. */
static void put_off(const ts_memory_input *input, uint32_t program, ts_memory_moment *at,
                    uint32_t *times)
{
  const ts_facts *facts = ts_run_facts(input->run);
  const ts_ir *ir = facts->tables->ir;
  const ts_ir_round *round = facts->rounds.count ? &ir->left_out->of[program] : NULL;
  const ts_ir_item *items = ir->items + ir->programs[program].first_item;
  if (!round || !at->node || &ir->items[at->item] - items < round->first + round->count)
    return;
  at->time += ts_left_out_time(facts);
  for (uint32_t i = round->first; times && i < round->first + round->count; i++) {
    const ts_ir_fragment *f = &ir->fragments[items[i].fragment];
    for (uint32_t n = f->first_node; n < f->first_node + f->node_count; n++) {
      times[2 * (size_t)n] += input->effects[n].allocates ? ir->left_out->rounds : 0;
      times[2 * (size_t)n + 1] += input->effects[n].frees ? ir->left_out->rounds : 0;
    }
  }
}

static void memory_measure(workspace *w, ts_arena *arena, const ts_ir *ir,
                           const ts_memory_input *input, uint32_t class, ts_memory_class *m)
{
  uint32_t program = ts_run_result(input->run)->classes[class].program;
  int64_t held = memory_hold(ir, program, (int64_t[TS_IR_CATEGORIES]){0});
  int64_t room =
    m->limit ? (int64_t)(m->limit > m->reserved ? m->limit - m->reserved : 0) : INT64_MAX;
  ts_arena_reset(w->walk);
  ts_memory_peak peak = ts_memory_peak_find(w->walk, w->memo, input, class, held, room);
  put_off(input, program, &peak.at, (uint32_t *)(uintptr_t)peak.times);
  put_off(input, program, &peak.first_over, NULL);
  m->base = (uint64_t)held;
  m->peak = not_negative(peak.bytes);
  m->at_peak = peak.at;
  m->first_over = peak.first_over;
  m->over = peak.over ? (uint64_t)(peak.bytes - room) : 0;
  find_holders(w, arena, ir, program, peak.times, m);
}

static const ts_ir_device_class *device_class_at(const ts_ir *ir, uint32_t vertex)
{
  uint32_t c = ir->devices[vertex].device_class;
  return c == TS_IR_NONE ? NULL : &ir->device_classes[c];
}

static uint64_t usable(const ts_ir_device_class *d)
{
  if (!d || !d->memory)
    return UINT64_MAX;
  return d->memory > d->reserved_memory ? d->memory - d->reserved_memory : 0;
}

/* Gives each class the device with the least memory among its ranks'. Without a placement rank r is
 * on the r-th device. */
static void find_devices(const ts_ir *ir, const ts_result *result, ts_memory_class *classes)
{
  for (uint32_t c = 0; c < result->class_count; c++) {
    classes[c].rank = result->classes[c].rank;
    classes[c].vertex = TS_IR_NONE;
  }
  for (uint32_t rank = 0, next = 0; rank < ir->meta->world; rank++) {
    uint32_t vertex;
    if (ir->placement_count) {
      vertex = ir->placement[rank];
    } else {
      while (next < ir->devices_count && ir->devices[next].device_class == TS_IR_NONE)
        next++;
      if (next == ir->devices_count)
        return;
      vertex = next++;
    }
    ts_memory_class *m = &classes[result->class_of[rank]];
    const ts_ir_device_class *device = device_class_at(ir, vertex);
    if (m->vertex != TS_IR_NONE && usable(device) >= usable(device_class_at(ir, m->vertex)))
      continue;
    m->rank = rank;
    m->vertex = vertex;
    m->limit = device ? device->memory : 0;
    m->reserved = device ? device->reserved_memory : 0;
  }
}

static bool fuller(const ts_memory_class *a, const ts_memory_class *b)
{
  if (a->limit && b->limit)
    return a->peak + a->reserved + b->limit > b->peak + b->reserved + a->limit;
  return a->limit != b->limit ? a->limit > b->limit : a->peak > b->peak;
}

typedef struct measuring {
  const ts_ir *ir;
  ts_memory_input input;
  ts_memory_class *classes;
  const uint32_t *pieces; /* classes to look at */
  ts_arena **results;     /* [workers] */
  workspace *spaces;
} measuring;

static void measure_class(void *closure, uint32_t piece, uint32_t worker)
{
  measuring *m = closure;
  uint32_t class = m->pieces[piece];
  memory_measure(&m->spaces[worker], m->results[worker], m->ir, &m->input, class,
                 &m->classes[class]);
}

/* Classes to whom the same happened hold the same; on devices of equal memory it also runs out at
 * the same time. */
static bool holds_as(const ts_memory_class *a, const ts_memory_class *b)
{
  return a->limit == b->limit && a->reserved == b->reserved;
}

static void measure_all(ts_arena *arena, const ts_ir *ir, const ts_run *run, ts_label_view view,
                        ts_memory_class *classes)
{
  ts_arena *scratch = ts_arena_new("memory");
  const uint32_t *representative = ts_run_representatives(run);
  uint32_t *pieces = TS_NEW_ARRAY(scratch, uint32_t, ts_run_result(run)->class_count), count = 0;
  for (uint32_t c = 0; c < ts_run_result(run)->class_count; c++)
    if (representative[c] == c || !holds_as(&classes[c], &classes[representative[c]]))
      pieces[count++] = c;
  uint32_t workers = ts_workers_size(ts_run_threads(run), count);
  measuring m = {ir,
                 ts_memory_input_of(scratch, ir, run),
                 classes,
                 pieces,
                 TS_NEW_ARRAY(scratch, ts_arena *, workers),
                 TS_NEW_ARRAY(scratch, workspace, workers)};
  for (uint32_t i = 0; i < workers; i++) {
    ts_arena *own = ts_arena_new("memory");
    m.results[i] = ts_arena_new("holders");
    m.spaces[i] = (workspace){.scratch = own,
                              .memo = ts_peak_memo_new(own),
                              .walk = ts_arena_new("peak"),
                              .labels = ts_labels_new(own, m.results[i], ir, view)};
  }
  ts_workers_run(workers,
                 &(ts_workers_job){count, measure_class, &m, ts_run_facts(run)->tables->progress,
                                   "adding up memory"});
  for (uint32_t c = 0; c < ts_run_result(run)->class_count; c++) {
    ts_memory_class own = classes[c];
    if (representative[c] == c || !holds_as(&own, &classes[representative[c]]))
      continue;
    classes[c] = classes[representative[c]];
    classes[c].rank = own.rank;
    classes[c].vertex = own.vertex;
  }
  for (uint32_t i = 0; i < workers; i++) {
    ts_arena_adopt(arena, m.results[i]);
    ts_arena_free(m.spaces[i].walk);
    ts_arena_free(m.spaces[i].scratch);
  }
  ts_arena_free(scratch);
}

const ts_memory *ts_memory_new(ts_arena *arena, const ts_ir *ir, const ts_run *run)
{
  return ts_memory_by(arena, ir, run, (ts_label_view){.depth = 0, .repeats = false});
}

const ts_memory *ts_memory_by(ts_arena *arena, const ts_ir *ir, const ts_run *run,
                              ts_label_view view)
{
  const ts_result *result = ts_run_result(run);
  ts_memory *memory = TS_NEW(arena, ts_memory);
  ts_memory_class *classes = TS_NEW_ARRAY(arena, ts_memory_class, result->class_count);
  find_devices(ir, result, classes);

  measure_all(arena, ir, run, view, classes);
  for (uint32_t c = 0; c < result->class_count; c++)
    if (fuller(&classes[c], &classes[memory->fullest]))
      memory->fullest = c;
  memory->class_count = result->class_count;
  memory->classes = classes;
  memory->stated = ir->mems_count || ir->holdings_count;
  return memory;
}

void ts_memory_curve(const ts_ir *ir, const ts_run *run, uint32_t rank,
                     void (*each)(void *closure, uint64_t time,
                                  const int64_t category[TS_IR_CATEGORIES]),
                     void *closure)
{
  const ts_result *result = ts_run_result(run);
  ts_arena *scratch = ts_arena_new("memory curve");
  ts_memory_input input = ts_memory_input_of(scratch, ir, run);
  ts_memory_changes *changes = ts_memory_changes_new(scratch, &input, result->class_of[rank], NULL);
  int64_t category[TS_IR_CATEGORIES];
  uint64_t now = 0;
  memory_hold(ir, result->classes[result->class_of[rank]].program, category);
  for (ts_memory_change c; ts_memory_changes_next(changes, &c);) {
    if (c.time != now) /* what held from `now` on is complete */
      each(closure, now, category);
    now = c.time;
    memory_apply(ir, &c, category);
  }
  each(closure, now, category);
  ts_arena_free(scratch);
}

typedef struct columns {
  uint64_t step, *most;
  uint32_t count, done; /* columns before it are complete */
  uint64_t held;
} columns;

static uint32_t column_of(const columns *c, uint64_t time)
{
  double x = c->step ? (double)time / (double)c->step * c->count : 0;
  return x >= c->count ? c->count - 1 : (uint32_t)x;
}

static void hold_until(columns *c, uint32_t column, uint64_t held)
{
  for (; c->done <= column; c->done++)
    c->most[c->done] = held > c->most[c->done] ? held : c->most[c->done];
  c->done = column;
}

static void hold_from(columns *c, uint64_t time, int64_t held)
{
  hold_until(c, column_of(c, time), c->held);
  c->held = not_negative(held);
  hold_until(c, c->done, c->held);
}

/* From a moment of the steady state on in one column, and the most held since. After two rounds
 * each column that others like them reach over has a whole one, and the same most. */
typedef struct columns_round {
  uint64_t from, most;
} columns_round;

/* All that was held before `now` is in its column. Returns the moment after the rounds that are
 * passed over. */
static uint64_t pass_rounds(columns *c, columns_round *r, ts_memory_changes *changes, uint64_t now)
{
  uint64_t time, rounds = ts_memory_changes_steady(changes, &time);
  if (!rounds || r->from == UINT64_MAX || column_of(c, r->from) != column_of(c, now))
    *r = (columns_round){rounds ? now : UINT64_MAX, 0};
  else
    r->most = c->held > r->most ? c->held : r->most;
  if (!rounds || now - r->from < 2 * time)
    return now;
  /* the last column, too, has a whole one */
  rounds -= column_of(c, now + (rounds - 1) * time) != column_of(c, now + rounds * time);
  uint64_t to = now + rounds * time;
  if (!rounds || column_of(c, to - time) != column_of(c, to))
    return now;
  hold_until(c, column_of(c, to), r->most);
  ts_memory_changes_pass(changes, rounds);
  return to;
}

void ts_memory_columns(const ts_ir *ir, const ts_run *run, uint32_t rank, uint32_t count,
                       uint64_t *most)
{
  const ts_result *result = ts_run_result(run);
  ts_arena *scratch = ts_arena_new("memory columns");
  ts_memory_input input = ts_memory_input_of(scratch, ir, run);
  ts_memory_changes *changes = ts_memory_changes_new(scratch, &input, result->class_of[rank], NULL);
  int64_t held = memory_hold(ir, result->classes[result->class_of[rank]].program,
                             (int64_t[TS_IR_CATEGORIES]){0});
  columns c = {.step = result->step, .most = most, .count = count};
  columns_round round = {UINT64_MAX, 0};
  uint64_t now = 0;
  memset(most, 0, count * sizeof *most);
  for (ts_memory_change change; ts_memory_changes_next(changes, &change);) {
    bool later = change.time != now;
    if (later) /* what held from `now` on is complete */
      hold_from(&c, now, held);
    now = change.time;
    held += change.bytes;
    if (later)
      now = pass_rounds(&c, &round, changes, now);
  }
  hold_from(&c, now, held);
  hold_until(&c, count - 1, c.held);
  ts_arena_free(scratch);
}
