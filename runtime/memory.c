#include "runtime/memory.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/crew.h"
#include "runtime/play.h"

/* Streams work one node after the other, so the changes each of them makes are already in the order of time: collected stream by
 * stream they need no sorting, only merging. */
typedef struct change { uint64_t time; const ts_ir_node *node; uint32_t item; bool frees; } change;
typedef TS_VEC(change) change_list;

typedef struct effect { int64_t allocates, frees; } effect; /* of a node: sums, frees negative */

typedef struct collector {
  ts_arena *arena;
  const ts_ir *ir;
  const effect *effects; /* [nodes] */
  change_list *lists; /* [streams + 1]; the host last */
  uint32_t count;
} collector;

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

static collector collector_new(ts_arena *arena, const ts_ir *ir, const effect *effects)
{
  uint32_t count = ir->streams_count + 1;
  return (collector){arena, ir, effects, TS_NEW_ARRAY(arena, change_list, count), count};
}

static void collect(void *closure, const ts_span_event *e)
{
  collector *c = closure;
  if (!e->node->mem_count)
    return;
  const effect *effect = &c->effects[e->node - c->ir->nodes];
  change_list *list = &c->lists[e->stream == TS_IR_NONE ? c->count - 1 : e->stream];
  if (effect->allocates)
    TS_PUSH(c->arena, list, (change){e->start, e->node, e->item, false});
  if (effect->frees)
    TS_PUSH(c->arena, list, (change){e->end, e->node, e->item, true});
}

static void collect_rank(collector *c, const ts_run *run, uint32_t rank)
{
  for (uint32_t s = 0; s < c->count; s++)
    c->lists[s].count = 0;
  ts_run_timeline(run, rank, collect, c);
}

/* The earliest change not yet taken, releases before allocations; NULL at the end. */
static const change *next_change(const collector *c, size_t *taken)
{
  const change *first = NULL;
  uint32_t from = 0;
  for (uint32_t s = 0; s < c->count; s++) {
    if (taken[s] == c->lists[s].count)
      continue;
    const change *head = &c->lists[s].at[taken[s]];
    if (!first || head->time < first->time || (head->time == first->time && head->frees && !first->frees)) {
      first = head;
      from = s;
    }
  }
  if (first)
    taken[from]++;
  return first;
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

/* Labels without their numbers, each worked out once. Buckets of the hash hold label + 1. */
typedef struct label_table {
  ts_arena *arena;
  const char *strings;
  uint32_t *of; /* [strings_count] label + 1 of a string */
  TS_VEC(const char *) labels;
  uint32_t *buckets, bucket_count;
} label_table;

static char *without_numbers(ts_arena *arena, const char *label)
{
  char *text = ts_arena_string(arena, label, strlen(label) + 1), *out = text; /* "[3]" is as long as "[*]" */
  for (const char *in = label; *in;) {
    size_t digits = *in == '[' ? strspn(in + 1, "0123456789") : 0;
    if (digits && in[1 + digits] == ']') {
      memcpy(out, "[*]", 3);
      out += 3;
      in += digits + 2;
    } else {
      *out++ = *in++;
    }
  }
  *out = 0;
  return text;
}

static uint32_t *label_bucket(label_table *t, const char *text)
{
  uint32_t h = 2166136261u; /* FNV-1a */
  for (const char *c = text; *c; c++)
    h = (h ^ (unsigned char)*c) * 16777619u;
  uint32_t i = h & (t->bucket_count - 1);
  while (t->buckets[i] && strcmp(t->labels.at[t->buckets[i] - 1], text) != 0)
    i = (i + 1) & (t->bucket_count - 1);
  return &t->buckets[i];
}

static uint32_t label_of(label_table *t, ts_ir_str string)
{
  if (t->of[string])
    return t->of[string] - 1;
  if (2 * t->labels.count >= t->bucket_count) {
    t->bucket_count = t->bucket_count ? 2 * t->bucket_count : 256;
    t->buckets = TS_NEW_ARRAY(t->arena, uint32_t, t->bucket_count);
    for (size_t i = 0; i < t->labels.count; i++)
      *label_bucket(t, t->labels.at[i]) = (uint32_t)i + 1;
  }
  const char *text = without_numbers(t->arena, t->strings + string);
  uint32_t *bucket = label_bucket(t, text);
  if (!*bucket) {
    TS_PUSH(t->arena, &t->labels, text);
    *bucket = (uint32_t)t->labels.count;
  }
  t->of[string] = *bucket;
  return *bucket - 1;
}

typedef struct sums { int64_t bytes[TS_IR_CATEGORIES]; int32_t count[TS_IR_CATEGORIES]; } sums; /* of a label */

typedef struct workspace {
  ts_arena *scratch;
  collector changes;
  size_t *taken, *taken_at_peak; /* [lists] */
  label_table labels;
  TS_VEC(sums) by_label;
} workspace;

static void add_to_label(workspace *w, ts_ir_str label, uint32_t category, int64_t bytes)
{
  uint32_t l = label_of(&w->labels, label);
  while (w->by_label.count <= l)
    TS_PUSH(w->scratch, &w->by_label, (sums){{0}, {0}});
  w->by_label.at[l].bytes[category] += bytes;
  w->by_label.at[l].count[category] += bytes > 0 ? 1 : -1;
}

static int larger(const void *x, const void *y)
{
  const ts_memory_holder *a = x, *b = y;
  if (a->bytes != b->bytes)
    return a->bytes < b->bytes ? 1 : -1;
  int order = strcmp(a->label, b->label);
  return order ? order : a->category < b->category ? -1 : a->category > b->category;
}

/* Sums by label what was held after the changes taken up to the peak. */
static void find_holders(workspace *w, ts_arena *arena, const ts_ir *ir, uint32_t program, ts_memory_class *m)
{
  w->by_label.count = 0;
  const ts_ir_program *p = &ir->programs[program];
  for (uint32_t h = 0; h < p->holding_count; h++) {
    const ts_ir_holding *holding = &ir->holdings[p->first_holding + h];
    add_to_label(w, holding->label, holding->category, (int64_t)holding->bytes);
  }
  for (uint32_t s = 0; s < w->changes.count; s++) {
    for (size_t i = 0; i < w->taken_at_peak[s]; i++) {
      const change *c = &w->changes.lists[s].at[i];
      for (uint32_t k = 0; k < c->node->mem_count; k++) {
        const ts_ir_mem *mem = &ir->mems[c->node->first_mem + k];
        if ((mem->bytes < 0) == c->frees)
          add_to_label(w, mem->label, mem->category, mem->bytes);
      }
    }
  }
  ts_memory_holder *holders = TS_NEW_ARRAY(arena, ts_memory_holder, w->by_label.count * TS_IR_CATEGORIES + 1);
  for (uint32_t l = 0; l < w->by_label.count; l++) {
    for (uint32_t c = 0; c < TS_IR_CATEGORIES; c++) {
      const sums *s = &w->by_label.at[l];
      if (s->bytes[c] > 0)
        holders[m->holder_count++] = (ts_memory_holder){c, w->labels.labels.at[l], (uint64_t)s->bytes[c],
                                                        s->count[c] > 0 ? (uint32_t)s->count[c] : 1};
    }
  }
  qsort(holders, m->holder_count, sizeof *holders, larger);
  m->holders = holders;
}

static uint64_t not_negative(int64_t bytes) { return bytes > 0 ? (uint64_t)bytes : 0; }

static void measure(workspace *w, ts_arena *arena, const ts_ir *ir, const ts_run *run, const ts_class_result *class, ts_memory_class *m)
{
  int64_t category[TS_IR_CATEGORIES];
  int64_t held = hold(ir, class->program, category), peak = held;
  int64_t room = m->limit ? (int64_t)(m->limit > m->reserved ? m->limit - m->reserved : 0) : INT64_MAX;
  bool over = held > room;
  m->base = (uint64_t)held;
  m->at_peak = m->first_over = (ts_memory_moment){.item = TS_IR_NONE, .asked = (uint64_t)held};

  collect_rank(&w->changes, run, class->rank);
  memset(w->taken, 0, w->changes.count * sizeof *w->taken);
  memset(w->taken_at_peak, 0, w->changes.count * sizeof *w->taken);
  for (const change *c; (c = next_change(&w->changes, w->taken));) {
    const effect *effect = &w->changes.effects[c->node - ir->nodes];
    int64_t before = held, asked = c->frees ? effect->frees : effect->allocates;
    held += asked;
    if (held <= peak)
      continue;
    ts_memory_moment moment = {c->time, c->node, c->item, (uint64_t)asked, not_negative(before)};
    peak = held;
    m->at_peak = moment;
    memcpy(w->taken_at_peak, w->taken, w->changes.count * sizeof *w->taken);
    if (!over && held > room) {
      over = true;
      m->first_over = moment;
    }
  }
  m->peak = not_negative(peak);
  m->over = over ? (uint64_t)(peak - room) : 0;
  for (uint32_t s = 0; s < w->changes.count; s++)
    for (size_t i = 0; i < w->taken_at_peak[s]; i++)
      apply(ir, &w->changes.lists[s].at[i], category);
  for (uint32_t c = 0; c < TS_IR_CATEGORIES; c++)
    m->category[c] = not_negative(category[c]);
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

/* Gives each class the device with the least memory among its ranks'. Without a placement rank r is on the r-th device. */
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
  measure(&m->spaces[worker], m->kept[worker], m->ir, m->run, &ts_run_result(m->run)->classes[class], &m->classes[class]);
}

/* Classes to whom the same happened hold the same; on devices of equal memory it also runs out at the same time. */
static bool holds_as(const ts_memory_class *a, const ts_memory_class *b) { return a->limit == b->limit && a->reserved == b->reserved; }

static void measure_all(ts_arena *arena, const ts_ir *ir, const ts_run *run, ts_memory_class *classes)
{
  ts_arena *scratch = ts_arena_new("memory");
  const effect *effects = sum_effects(scratch, ir);
  const uint32_t *alike = ts_run_alike(run);
  uint32_t *pieces = TS_NEW_ARRAY(scratch, uint32_t, ts_run_result(run)->class_count), count = 0;
  for (uint32_t c = 0; c < ts_run_result(run)->class_count; c++)
    if (alike[c] == c || !holds_as(&classes[c], &classes[alike[c]]))
      pieces[count++] = c;
  uint32_t workers = ts_crew_size(ts_run_threads(run), count);
  measuring m = {ir, run, classes, pieces, TS_NEW_ARRAY(scratch, ts_arena *, workers), TS_NEW_ARRAY(scratch, workspace, workers)};
  for (uint32_t i = 0; i < workers; i++) {
    ts_arena *own = ts_arena_new("memory");
    m.kept[i] = ts_arena_new("holders");
    m.spaces[i] = (workspace){.scratch = own, .changes = collector_new(own, ir, effects),
                              .labels = {.arena = m.kept[i], .strings = ir->strings, .of = TS_NEW_ARRAY(own, uint32_t, ir->strings_count + 1)}};
    m.spaces[i].taken = TS_NEW_ARRAY(own, size_t, m.spaces[i].changes.count);
    m.spaces[i].taken_at_peak = TS_NEW_ARRAY(own, size_t, m.spaces[i].changes.count);
  }
  ts_crew_run(workers, &(ts_crew_job){count, measure_class, &m, ts_run_facts(run)->tables->progress, "adding up memory"});
  for (uint32_t c = 0; c < ts_run_result(run)->class_count; c++) {
    ts_memory_class own = classes[c];
    if (alike[c] == c || !holds_as(&own, &classes[alike[c]]))
      continue;
    classes[c] = classes[alike[c]];
    classes[c].rank = own.rank;
    classes[c].vertex = own.vertex;
  }
  for (uint32_t i = 0; i < workers; i++) {
    ts_arena_adopt(arena, m.kept[i]);
    ts_arena_free(m.spaces[i].scratch);
  }
  ts_arena_free(scratch);
}

const ts_memory *ts_memory_new(ts_arena *arena, const ts_ir *ir, const ts_run *run)
{
  const ts_result *result = ts_run_result(run);
  ts_memory *memory = TS_NEW(arena, ts_memory);
  ts_memory_class *classes = TS_NEW_ARRAY(arena, ts_memory_class, result->class_count);
  find_devices(ir, result, classes);

  measure_all(arena, ir, run, classes);
  for (uint32_t c = 0; c < result->class_count; c++)
    if (fuller(&classes[c], &classes[memory->fullest]))
      memory->fullest = c;
  memory->class_count = result->class_count;
  memory->classes = classes;
  memory->stated = ir->mems_count || ir->holdings_count;
  return memory;
}

void ts_memory_curve(const ts_ir *ir, const ts_run *run, uint32_t rank,
                     void (*visit)(void *closure, uint64_t time, const int64_t category[TS_IR_CATEGORIES]), void *closure)
{
  const ts_result *result = ts_run_result(run);
  ts_arena *scratch = ts_arena_new("memory curve");
  collector changes = collector_new(scratch, ir, sum_effects(scratch, ir));
  size_t *taken = TS_NEW_ARRAY(scratch, size_t, changes.count);
  int64_t category[TS_IR_CATEGORIES];
  uint64_t now = 0;
  hold(ir, result->classes[result->class_of[rank]].program, category);
  collect_rank(&changes, run, rank);
  for (const change *c; (c = next_change(&changes, taken));) {
    if (c->time != now) /* what held from `now` on is complete */
      visit(closure, now, category);
    now = c->time;
    apply(ir, c, category);
  }
  visit(closure, now, category);
  ts_arena_free(scratch);
}
