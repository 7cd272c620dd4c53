#include "runtime/account/memory.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/load/workers.h"
#include "runtime/account/run.h"
#include "runtime/account/timeline.h"

/* Streams work one node after the other, so the changes each of them makes are already in the order
 * of time: taken stream by stream they need no sorting, only merging. None is kept: a step of a
 * million micro-batches makes billions. */
typedef struct change { uint64_t time; const ts_ir_node *node; uint32_t item; bool frees; } change;

typedef struct effect { int64_t allocates, frees; } effect; /* of a node: sums, frees negative */

typedef struct source { /* of changes: a stream that makes some */
  ts_lane *lane;
  change at[2];         /* of the node at hand: what it allocates, what it frees */
  uint32_t left;        /* of those, the last */
} source;

typedef struct changes { /* of a rank, in the order of time */
  const ts_ir *ir;
  const effect *effects; /* [nodes] */
  source *sources;
  uint32_t count;
} changes;

static const effect *sum_effects(ts_arena *arena, const ts_ir *ir)
{
  effect *effects = TS_NEW_ARRAY(arena, effect, ir->nodes_count);
  for (uint32_t n = 0; n < ir->nodes_count; n++)
    for (uint32_t m = 0; m < ir->nodes[n].mem_count; m++) {
      int64_t bytes = ir->mems[ir->nodes[n].first_mem + m].bytes;
      *(bytes > 0 ? &effects[n].allocates : &effects[n].frees) += bytes;
    }
  return effects;
}

/* Streams whose nodes allocate or free something, [streams + 1]; the host last. */
static const bool *find_sources(ts_arena *arena, const ts_ir *ir)
{
  bool *found = TS_NEW_ARRAY(arena, bool, ir->streams_count + 1);
  for (uint32_t n = 0; n < ir->nodes_count; n++)
    if (ir->nodes[n].mem_count)
      found[ts_is_host(&ir->nodes[n]) ? ir->streams_count : ir->nodes[n].stream] = true;
  return found;
}

/* Goes on to the next node of the stream that changes something. */
static void refill(const changes *c, source *s)
{
  ts_span_event e;
  while (!s->left && ts_lane_next(s->lane, &e)) {
    if (!e.node->mem_count)
      continue;
    const effect *effect = &c->effects[e.node - c->ir->nodes];
    if (effect->frees)
      s->at[1 - s->left++] = (change){e.end, e.node, e.item, true};
    if (effect->allocates)
      s->at[1 - s->left++] = (change){e.start, e.node, e.item, false};
  }
}

static changes changes_new(ts_arena *arena, const ts_ir *ir, const ts_run *run, uint32_t rank,
                           const effect *effects, const bool *found)
{
  changes c = {ir, effects, TS_NEW_ARRAY(arena, source, ir->streams_count + 1), 0};
  for (uint32_t s = 0; s <= ir->streams_count; s++) {
    if (!found[s])
      continue;
    c.sources[c.count].lane = ts_lane_new(arena, run, rank, s < ir->streams_count ? s : TS_IR_NONE);
    refill(&c, &c.sources[c.count++]);
  }
  return c;
}

/* The earliest change not yet taken, releases before allocations. False at the end. */
static bool next_change(changes *c, change *out)
{
  source *from = NULL;
  for (uint32_t s = 0; s < c->count; s++) {
    source *at = &c->sources[s];
    if (!at->left)
      continue;
    const change *head = &at->at[2 - at->left];
    if (!from || head->time < out->time ||
        (head->time == out->time && head->frees && !out->frees)) {
      *out = *head;
      from = at;
    }
  }
  if (!from)
    return false;
  from->left--;
  refill(c, from);
  return true;
}

/* Adds the allocations or the releases of a node. */
static void apply(const ts_ir *ir, const change *c, int64_t category[TS_IR_CATEGORIES])
{
  for (uint32_t m = 0; m < c->node->mem_count; m++) {
    const ts_ir_mem *mem = &ir->mems[c->node->first_mem + m];
    if ((mem->bytes < 0) == c->frees)
      category[mem->category] += mem->bytes;
  }
}

static int64_t hold(const ts_ir *ir, uint32_t program, int64_t category[TS_IR_CATEGORIES])
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
typedef struct sums { int64_t bytes[TS_IR_CATEGORIES], count[TS_IR_CATEGORIES]; } sums;

/* How often a node has allocated, or freed: now, and at the last peak if it has been counted since
 * then. */
typedef struct tally { uint64_t peak; uint32_t count, at_peak; } tally;

typedef struct workspace {
  ts_arena *scratch, *streams;
  const effect *effects;
  const bool *found;
  tally *tallies;           /* [2 * nodes] what a node allocates, what it frees */
  TS_VEC(uint32_t) counted; /* of those, the ones that are not 0 */
  uint64_t peaks;           /* so far */
  ts_labels *labels;
  TS_VEC(sums) by_label;    /* by number of the label's module */
} workspace;

static void count_change(workspace *w, const ts_ir *ir, const change *c)
{
  uint32_t i = 2 * (uint32_t)(c->node - ir->nodes) + c->frees;
  tally *t = &w->tallies[i];
  if (!t->count)
    TS_PUSH(w->scratch, &w->counted, i);
  if (t->peak != w->peaks)
    *t = (tally){w->peaks, t->count, t->count};
  t->count++;
}

static uint32_t count_at_peak(const workspace *w, uint32_t i)
{
  const tally *t = &w->tallies[i];
  return t->peak == w->peaks ? t->at_peak : t->count;
}

static void forget_changes(workspace *w)
{
  for (size_t i = 0; i < w->counted.count; i++)
    w->tallies[w->counted.at[i]] = (tally){0, 0, 0};
  w->counted.count = 0;
  w->peaks = 0;
  ts_arena_reset(w->streams);
}

static void add_to_label(workspace *w, ts_ir_str label, uint32_t category, int64_t bytes,
                         int64_t count)
{
  uint32_t l = ts_labels_number(w->labels, label);
  while (w->by_label.count <= l)
    TS_PUSH(w->scratch, &w->by_label, (sums){{0}, {0}});
  w->by_label.at[l].bytes[category] += bytes;
  w->by_label.at[l].count[category] += count;
}

static int larger(const void *x, const void *y)
{
  const ts_memory_holder *a = x, *b = y;
  if (a->bytes != b->bytes)
    return a->bytes < b->bytes ? 1 : -1;
  int order = strcmp(a->label, b->label);
  return order ? order : a->category < b->category ? -1 : a->category > b->category;
}

static uint64_t not_negative(int64_t bytes) { return bytes > 0 ? (uint64_t)bytes : 0; }

/* Sums by category and label what was held after the changes up to the peak. */
static void find_holders(workspace *w, ts_arena *arena, const ts_ir *ir, uint32_t program,
                         ts_memory_class *m)
{
  w->by_label.count = 0;
  const ts_ir_program *p = &ir->programs[program];
  for (uint32_t h = 0; h < p->holding_count; h++) {
    const ts_ir_holding *holding = &ir->holdings[p->first_holding + h];
    add_to_label(w, holding->label, holding->category, (int64_t)holding->bytes, 1);
  }
  for (size_t i = 0; i < w->counted.count; i++) {
    const ts_ir_node *node = &ir->nodes[w->counted.at[i] / 2];
    bool frees = w->counted.at[i] % 2;
    int64_t times = count_at_peak(w, w->counted.at[i]);
    for (uint32_t k = 0; k < node->mem_count; k++) {
      const ts_ir_mem *mem = &ir->mems[node->first_mem + k];
      if ((mem->bytes < 0) == frees)
        add_to_label(w, mem->label, mem->category, mem->bytes * times, frees ? -times : times);
    }
  }
  ts_memory_holder *holders =
    TS_NEW_ARRAY(arena, ts_memory_holder, w->by_label.count * TS_IR_CATEGORIES + 1);
  int64_t category[TS_IR_CATEGORIES] = {0};
  for (uint32_t l = 0; l < w->by_label.count; l++) {
    for (uint32_t c = 0; c < TS_IR_CATEGORIES; c++) {
      const sums *s = &w->by_label.at[l];
      category[c] += s->bytes[c];
      if (s->bytes[c] > 0)
        holders[m->holder_count++] =
          (ts_memory_holder){c, ts_labels_name(w->labels, l), (uint64_t)s->bytes[c],
                             s->count[c] > 0 ? (uint32_t)s->count[c] : 1};
    }
  }
  for (uint32_t c = 0; c < TS_IR_CATEGORIES; c++)
    m->category[c] = not_negative(category[c]);
  qsort(holders, m->holder_count, sizeof *holders, larger);
  m->holders = holders;
}

static void measure(workspace *w, ts_arena *arena, const ts_ir *ir, const ts_run *run,
                    const ts_class_result *class, ts_memory_class *m)
{
  int64_t held = hold(ir, class->program, (int64_t[TS_IR_CATEGORIES]){0}), peak = held;
  int64_t room =
    m->limit ? (int64_t)(m->limit > m->reserved ? m->limit - m->reserved : 0) : INT64_MAX;
  bool over = held > room;
  m->base = (uint64_t)held;
  m->at_peak = m->first_over = (ts_memory_moment){.item = TS_IR_NONE, .asked = (uint64_t)held};

  forget_changes(w);
  changes changes = changes_new(w->streams, ir, run, class->rank, w->effects, w->found);
  for (change c; next_change(&changes, &c);) {
    const effect *effect = &w->effects[c.node - ir->nodes];
    int64_t before = held, asked = c.frees ? effect->frees : effect->allocates;
    count_change(w, ir, &c);
    held += asked;
    if (held <= peak)
      continue;
    ts_memory_moment moment = {c.time, c.node, c.item, (uint64_t)asked, not_negative(before)};
    peak = held;
    m->at_peak = moment;
    w->peaks++;
    if (!over && held > room) {
      over = true;
      m->first_over = moment;
    }
  }
  m->peak = not_negative(peak);
  m->over = over ? (uint64_t)(peak - room) : 0;
  find_holders(w, arena, ir, class->program, m);
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
  const ts_run *run;
  ts_memory_class *classes;
  const uint32_t *pieces; /* classes to look at */
  ts_arena **kept;        /* [workers] */
  workspace *spaces;
} measuring;

static void measure_class(void *closure, uint32_t piece, uint32_t worker)
{
  measuring *m = closure;
  uint32_t class = m->pieces[piece];
  measure(&m->spaces[worker], m->kept[worker], m->ir, m->run,
          &ts_run_result(m->run)->classes[class], &m->classes[class]);
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
  const effect *effects = sum_effects(scratch, ir);
  const bool *found = find_sources(scratch, ir);
  const uint32_t *representative = ts_run_representatives(run);
  uint32_t *pieces = TS_NEW_ARRAY(scratch, uint32_t, ts_run_result(run)->class_count), count = 0;
  for (uint32_t c = 0; c < ts_run_result(run)->class_count; c++)
    if (representative[c] == c || !holds_as(&classes[c], &classes[representative[c]]))
      pieces[count++] = c;
  uint32_t workers = ts_workers_size(ts_run_threads(run), count);
  measuring m = {ir,
                 run,
                 classes,
                 pieces,
                 TS_NEW_ARRAY(scratch, ts_arena *, workers),
                 TS_NEW_ARRAY(scratch, workspace, workers)};
  for (uint32_t i = 0; i < workers; i++) {
    ts_arena *own = ts_arena_new("memory");
    m.kept[i] = ts_arena_new("holders");
    m.spaces[i] = (workspace){
      .scratch = own,
      .streams = ts_arena_new("streams"),
      .effects = effects,
      .found = found,
      .tallies = TS_NEW_ARRAY(own, tally, ir->mems_count ? 2 * (size_t)ir->nodes_count : 0),
      .labels = ts_labels_new(own, m.kept[i], ir, view)};
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
    ts_arena_adopt(arena, m.kept[i]);
    ts_arena_free(m.spaces[i].streams);
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
  changes changes =
    changes_new(scratch, ir, run, rank, sum_effects(scratch, ir), find_sources(scratch, ir));
  int64_t category[TS_IR_CATEGORIES];
  uint64_t now = 0;
  hold(ir, result->classes[result->class_of[rank]].program, category);
  for (change c; next_change(&changes, &c);) {
    if (c.time != now) /* what held from `now` on is complete */
      each(closure, now, category);
    now = c.time;
    apply(ir, &c, category);
  }
  each(closure, now, category);
  ts_arena_free(scratch);
}
