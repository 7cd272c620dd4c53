/* Memory over the step, against a plain sum over sorted changes. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/account/changes.h"
#include "runtime/account/memory.h"
#include "runtime/play/slowdown.h"
#include "tests/unit/random_ir.h"

typedef struct plain { uint64_t time; int64_t bytes; } plain;
typedef struct plain_list { const ts_ir *ir; ts_arena *arena; TS_VEC(plain) all; } plain_list;

static void list_changes(void *closure, const ts_span_event *e)
{
  plain_list *l = closure;
  for (uint32_t m = 0; m < e->node->mem_count; m++) {
    int64_t bytes = l->ir->mems[e->node->first_mem + m].bytes;
    TS_PUSH(l->arena, &l->all, (plain){bytes > 0 ? e->start : e->end, bytes});
  }
}

static int releases_first(const void *x, const void *y)
{
  const plain *a = x, *b = y;
  return a->time != b->time  ? (a->time < b->time ? -1 : 1) :
         a->bytes < b->bytes ? -1 :
                               a->bytes > b->bytes;
}

static int allocations_first(const void *x, const void *y)
{
  const plain *a = x, *b = y;
  return a->time != b->time  ? (a->time < b->time ? -1 : 1) :
         a->bytes > b->bytes ? -1 :
                               a->bytes < b->bytes;
}

static int64_t highest(const plain_list *l, int64_t held)
{
  int64_t peak = held;
  for (size_t i = 0; i < l->all.count; i++) {
    held += l->all.at[i].bytes;
    peak = held > peak ? held : peak;
  }
  return peak;
}

typedef struct curve { int64_t highest, last; uint64_t time; bool ordered; } curve;

static void follow(void *closure, uint64_t time, const int64_t category[TS_IR_CATEGORIES])
{
  curve *c = closure;
  c->last = 0;
  for (int i = 0; i < TS_IR_CATEGORIES; i++)
    c->last += category[i];
  c->highest = c->last > c->highest ? c->last : c->highest;
  c->ordered &= time >= c->time;
  c->time = time;
}

static void check_class(ts_arena *arena, const ts_ir *ir, const ts_run *run,
                        const ts_memory *memory, uint32_t class)
{
  const ts_class_result *r = &ts_run_result(run)->classes[class];
  const ts_memory_class *m = &memory->classes[class];
  plain_list l = {.ir = ir, .arena = arena};
  ts_run_timeline(run, r->rank, list_changes, &l);
  int64_t base = 0;
  for (uint32_t h = 0; h < ir->programs[r->program].holding_count; h++)
    base += (int64_t)ir->holdings[ir->programs[r->program].first_holding + h].bytes;
  TS_SORT(&l.all, releases_first);
  int64_t least = highest(&l, base);
  TS_SORT(&l.all, allocations_first);
  int64_t most = highest(&l, base);
  cr_assert_leq(least, (int64_t)m->peak);
  cr_assert_geq(most, (int64_t)m->peak);
  cr_assert_eq((int64_t)m->base, base);
  uint64_t categories = 0, holders = 0;
  for (uint32_t i = 0; i < TS_IR_CATEGORIES; i++)
    categories += m->category[i];
  for (uint32_t i = 0; i < m->holder_count; i++)
    holders += m->holders[i].bytes;
  cr_assert_eq(categories, m->peak);
  cr_assert_eq(holders, m->peak);

  curve c = {.ordered = true};
  ts_memory_curve(ir, run, r->rank, follow, &c);
  cr_assert(c.ordered);
  cr_assert_leq(c.highest, (int64_t)m->peak);
}

Test(memory, agrees_with_a_plain_sum_on_random_plans)
{
  for (uint32_t seed = 0; seed < 150; seed++) {
    ts_arena *arena = ts_arena_new("test");
    ts_ir ir;
    ts_ir_builder *b = random_ir_new(seed);
    ts_ir_builder_view(b, &ir);
    ts_stop stop = {.arena = arena};
    ts_run *run = ts_run_new(&ir, &(ts_run_options){0}, &stop);
    cr_assert(run, "seed %u: %s", seed, stop.title);
    const ts_memory *memory = ts_memory_new(arena, &ir, run);
    cr_assert_eq(memory->class_count, ts_run_result(run)->class_count);
    for (uint32_t c = 0; c < memory->class_count; c++)
      check_class(arena, &ir, run, memory, c);
    ts_run_free(run);
    ts_ir_builder_free(b);
    ts_arena_free(arena);
  }
}

/* Random plans free what they allocate with the same node. Here anything goes, often alike. */
static void change_effects(ts_arena *arena, ts_ir *ir, uint32_t seed)
{
  random_ir g = {.state = seed};
  ts_ir_mem *mems = ts_arena_copy(arena, ir->mems, ir->mems_count * sizeof *mems);
  for (uint32_t i = 0; i < ir->mems_count; i++) {
    int64_t bytes = random_between(&g, 1, 8);
    mems[i].bytes = random_chance(&g, 50) ? bytes : -bytes;
  }
  ir->mems = mems;
}

/* By members: what lies between them is not set. */
static bool same_moment(const ts_memory_moment *a, const ts_memory_moment *b)
{
  return a->time == b->time && a->node == b->node && a->item == b->item &&
         a->requested == b->requested && a->held == b->held;
}

typedef struct ordered {
  uint64_t
    key; /* twice the time, one more for allocations; never less than one of the stream before */
  uint32_t stream, number;
  ts_memory_change change;
} ordered;
typedef struct ordered_list {
  const ts_memory_effect *effects;
  const ts_ir *ir;
  ts_arena *arena;
  uint64_t *last; /* [streams + 1] key so far; the host's is the last */
  bool issued;
  uint64_t now; /* of the compute stream */
  TS_VEC(ordered) all;
} ordered_list;

static void add_ordered(ordered_list *l, const ts_span_event *e, bool frees)
{
  const ts_memory_effect *effect = &l->effects[e->node - l->ir->nodes];
  uint32_t stream = l->issued ? 0 : e->stream == TS_IR_NONE ? l->ir->streams_count : e->stream;
  uint64_t time = l->issued && e->stream != 0 ? l->now : frees ? e->end : e->start;
  uint64_t key = 2 * time + !frees;
  int64_t bytes = frees ? effect->frees : effect->allocates;
  if (!bytes)
    return;
  l->last[stream] = key > l->last[stream] && !l->issued ? key : l->last[stream];
  TS_PUSH(
    l->arena, &l->all,
    ((ordered){
      l->last[stream], stream, (uint32_t)l->all.count, {time, e->node, bytes, e->item, frees}}));
}

static void list_ordered(void *closure, const ts_span_event *e)
{
  ordered_list *l = closure;
  l->now = e->stream == 0 ? e->end : l->now;
  add_ordered(l, e, false);
  add_ordered(l, e, true);
}

static int by_key(const void *x, const void *y)
{
  const ordered *a = x, *b = y;
  return a->key != b->key       ? (a->key < b->key ? -1 : 1) :
         a->stream != b->stream ? (a->stream < b->stream ? -1 : 1) :
                                  (a->number > b->number) - (a->number < b->number);
}

/* The peak of a class, found node by node: what ts_run_timeline says, sorted. */
static void walk(ts_arena *arena, const ts_ir *ir, const ts_run *run, uint32_t class,
                 const ts_memory_class *m)
{
  ordered_list l = {.effects = ts_memory_effects(arena, ir),
                    .ir = ir,
                    .arena = arena,
                    .last = TS_NEW_ARRAY(arena, uint64_t, ir->streams_count + 1),
                    .issued = ts_memory_issued(run, class)};
  int64_t held = (int64_t)m->base, peak = held;
  int64_t room = m->limit ? (int64_t)(m->limit - m->reserved) : INT64_MAX;
  ts_memory_moment at = {.item = TS_IR_NONE, .requested = m->base}, over = at;
  bool full = held > room;
  uint64_t over_by = full ? (uint64_t)(held - room) : 0;
  int64_t held_of[TS_IR_CATEGORIES] = {0}, of[TS_IR_CATEGORIES] = {0};
  uint32_t program = ts_run_result(run)->classes[class].program;
  for (uint32_t h = 0; h < ir->programs[program].holding_count; h++) {
    const ts_ir_holding *holding = &ir->holdings[ir->programs[program].first_holding + h];
    held_of[holding->category] += (int64_t)holding->bytes;
  }
  memcpy(of, held_of, sizeof of);
  ts_run_timeline(run, ts_run_result(run)->classes[class].rank, list_ordered, &l);
  TS_SORT(&l.all, by_key);
  for (size_t k = 0; k < l.all.count; k++) {
    ts_memory_change c = l.all.at[k].change;
    int64_t bytes = c.bytes, before = held;
    held += bytes;
    for (uint32_t i = 0; i < c.node->mem_count; i++) {
      const ts_ir_mem *mem = &ir->mems[c.node->first_mem + i];
      if ((mem->bytes < 0) == c.frees)
        held_of[mem->category] += mem->bytes;
    }
    if (held <= peak)
      continue;
    peak = held;
    at = (ts_memory_moment){c.time, c.node, c.item, (uint64_t)bytes,
                            before > 0 ? (uint64_t)before : 0};
    memcpy(of, held_of, sizeof of);
    over = !full && held > room ? at : over;
    full |= held > room;
    over_by = full ? (uint64_t)(peak - room) : 0;
  }
  cr_assert_eq((int64_t)m->peak, peak > 0 ? peak : 0);
  cr_assert(same_moment(&m->at_peak, &at), "class %u", class);
  cr_assert_eq(m->over, over_by);
  cr_assert(!full || same_moment(&m->first_over, &over));
  for (uint32_t i = 0; i < TS_IR_CATEGORIES; i++)
    cr_assert_eq((int64_t)m->category[i], of[i] > 0 ? of[i] : 0);
}

/* Every second one with other effects. */
static ts_ir_builder *random_plan(ts_arena *arena, uint32_t seed, ts_ir *ir)
{
  ts_ir_builder *b = random_ir_new(seed);
  ts_ir_builder_view(b, ir);
  if (seed % 2)
    change_effects(arena, ir, seed);
  return b;
}

Test(memory, peaks_are_those_of_the_walk_node_by_node)
{
  for (uint32_t seed = 0; seed < 400; seed++) {
    ts_arena *arena = ts_arena_new("test");
    ts_ir ir;
    ts_ir_builder *b = random_plan(arena, seed, &ir);
    ts_stop stop = {.arena = arena};
    const ts_slowdown *slow = NULL;
    ts_run_options options = {.contention = seed % 4 == 1};
    if (seed % 4 == 2)
      cr_assert_null(ts_slowdown_open(arena, "physical", &slow));
    options.overlap = slow;
    ts_run *run = ts_run_new(&ir, &options, &stop);
    if (run) {
      const ts_memory *memory = ts_memory_new(arena, &ir, run);
      for (uint32_t c = 0; c < memory->class_count; c++)
        walk(arena, &ir, run, c, &memory->classes[c]);
    } else {
      cr_assert(seed % 4 == 1, "seed %u: %s", seed, stop.title);
    }
    ts_run_free(run);
    ts_ir_builder_free(b);
    ts_arena_free(arena);
  }
}

typedef struct issued { const ts_ir *ir; int64_t held, peak; } issued;

static void issue(void *closure, const ts_span_event *e)
{
  issued *i = closure;
  for (int frees = 0; frees < 2; frees++)
    for (uint32_t m = 0; m < e->node->mem_count; m++) {
      int64_t bytes = i->ir->mems[e->node->first_mem + m].bytes;
      i->held += (bytes < 0) == frees ? bytes : 0;
      i->peak = i->held > i->peak ? i->held : i->peak;
    }
}

/* Whatever plays beside what: an allocator of the host's sees the order of issue alone. */
Test(memory, what_is_issued_is_held_in_the_order_of_issue)
{
  for (uint32_t seed = 0; seed < 200; seed++) {
    ts_arena *arena = ts_arena_new("test");
    ts_ir ir;
    ts_ir_builder *b = random_plan(arena, seed, &ir);
    ts_ir_program *programs =
      ts_arena_copy(arena, ir.programs, ir.programs_count * sizeof *programs);
    for (uint32_t p = 0; p < ir.programs_count; p++)
      programs[p].memory_order = TS_IR_MEMORY_ISSUED;
    ir.programs = programs;
    ts_stop stop = {.arena = arena};
    ts_run *run = ts_run_new(&ir, &(ts_run_options){0}, &stop);
    cr_assert(run, "seed %u: %s", seed, stop.title);
    const ts_memory *memory = ts_memory_new(arena, &ir, run);
    for (uint32_t c = 0; c < memory->class_count; c++) {
      const ts_memory_class *m = &memory->classes[c];
      issued i = {&ir, (int64_t)m->base, (int64_t)m->base};
      ts_run_timeline(run, ts_run_result(run)->classes[c].rank, issue, &i);
      cr_assert_eq((int64_t)m->peak, i.peak > 0 ? i.peak : 0, "seed %u", seed);
      walk(arena, &ir, run, c, m);
      curve drawn = {.ordered = true};
      ts_memory_curve(&ir, run, ts_run_result(run)->classes[c].rank, follow, &drawn);
      cr_assert(drawn.ordered && drawn.highest <= i.peak);
    }
    ts_run_free(run);
    ts_ir_builder_free(b);
    ts_arena_free(arena);
  }
}

enum { COLUMNS = 3 };

typedef struct columns {
  uint64_t step, held, most[COLUMNS];
  uint32_t done;
} columns;

static void hold(columns *c, uint32_t column)
{
  for (; c->done <= column; c->done++)
    c->most[c->done] = c->held > c->most[c->done] ? c->held : c->most[c->done];
  c->done = column;
}

static void draw(void *closure, uint64_t time, const int64_t category[TS_IR_CATEGORIES])
{
  columns *c = closure;
  double x = c->step ? (double)time / (double)c->step * COLUMNS : 0;
  int64_t sum = 0;
  for (uint32_t i = 0; i < TS_IR_CATEGORIES; i++)
    sum += category[i];
  hold(c, x < COLUMNS ? (uint32_t)x : COLUMNS - 1);
  c->held = sum > 0 ? (uint64_t)sum : 0;
  hold(c, c->done);
}

/* Rounds that columns pass over are those of the whole curve. */
static void check_columns(const ts_ir *ir, const ts_run *run, uint32_t class)
{
  uint32_t rank = ts_run_result(run)->classes[class].rank;
  columns c = {.step = ts_run_result(run)->step};
  uint64_t most[COLUMNS];
  ts_memory_curve(ir, run, rank, draw, &c);
  hold(&c, COLUMNS - 1);
  ts_memory_columns(ir, run, rank, COLUMNS, most);
  for (uint32_t i = 0; i < COLUMNS; i++)
    cr_assert_eq(most[i], c.most[i], "class %u, column %u", class, i);
}

static void check_walk(ts_arena *arena, const ts_ir *ir, uint64_t *peak)
{
  ts_stop stop = {.arena = arena};
  ts_run *run = ts_run_new(ir, &(ts_run_options){0}, &stop);
  cr_assert(run, "%s", stop.title);
  const ts_memory *memory = ts_memory_new(arena, ir, run);
  *peak = 0;
  for (uint32_t c = 0; c < memory->class_count; c++) {
    walk(arena, ir, run, c, &memory->classes[c]);
    check_columns(ir, run, c);
    *peak = memory->classes[c].peak > *peak ? memory->classes[c].peak : *peak;
  }
  ts_run_free(run);
}

/* In the steady state periods are skipped, in which more, less or as much is held as in the one
 * before; and devices run out of memory somewhere in the middle. */
Test(memory, periods_that_are_skipped_change_nothing)
{
  for (uint32_t seed = 0; seed < 400; seed++) {
    ts_arena *arena = ts_arena_new("test");
    ts_ir ir;
    ts_ir_builder *b = random_ir_of(seed, 8 + seed % 120);
    ts_ir_builder_view(b, &ir);
    if (seed % 4)
      change_effects(arena, &ir, seed);
    uint64_t peak, unused;
    check_walk(arena, &ir, &peak);
    ts_ir_device_class *classes =
      ts_arena_copy(arena, ir.device_classes, ir.device_classes_count * sizeof *classes);
    for (uint32_t i = 0; i < ir.device_classes_count; i++) {
      classes[i].memory = peak / 8 * (1 + seed % 9) + 1;
      classes[i].reserved_memory = 0;
    }
    ir.device_classes = classes;
    check_walk(arena, &ir, &unused);
    ts_ir_builder_free(b);
    ts_arena_free(arena);
  }
}

typedef struct fixture {
  ts_arena *arena;
  ts_ir_builder *builder;
  ts_ir *ir;
  ts_run *run;
  const ts_memory *memory;
} fixture;

static fixture play(const char *text)
{
  fixture f = {.arena = ts_arena_new("test")};
  ts_error error = {0};
  f.builder = ts_ir_parse(text, strlen(text), &error);
  cr_assert(f.builder, "line %u: %s", error.line, error.message);
  f.ir = TS_NEW(f.arena, ts_ir);
  ts_ir_builder_view(f.builder, f.ir);
  ts_stop stop = {.arena = f.arena};
  f.run = ts_run_new(f.ir, &(ts_run_options){0}, &stop);
  cr_assert(f.run);
  f.memory = ts_memory_new(f.arena, f.ir, f.run);
  return f;
}

static void end(fixture *f)
{
  ts_run_free(f->run);
  ts_ir_builder_free(f->builder);
  ts_arena_free(f->arena);
}

/* Two streams: the second allocates while the first holds; what is freed at the moment of an
 * allocation makes room for it. */
static const char two_streams[] =
  "stream compute\nstream side\n"
  "fragment F {\n"
  "  a: compute 10 us alloc 100 B activations \"layer[0].x\"\n"
  "  b: compute 10 us on side alloc 30 B temporaries \"t\" free 30 B temporaries \"t\"\n"
  "  c: compute 10 us after b alloc 200 B activations \"layer[1].x\" free 100 B activations "
  "\"layer[0].x\"\n"
  "  d: compute 10 us alloc 50 B buffers \"y\" free 200 B activations \"layer[1].x\" free 50 B "
  "buffers \"y\"\n"
  "}\n"
  "program { hold 1000 B parameters \"w\"; F 0; F 1 }\n";

Test(memory, peak_holders_and_moment)
{
  fixture f = play(two_streams);
  const ts_memory_class *m = &f.memory->classes[0];
  /* At 10 us c allocates before it frees what a left, and b of the next micro-batch begins on the
   * other stream. */
  cr_assert_eq(m->base, 1000);
  cr_assert_eq(m->peak, 1330);
  cr_assert_eq(m->at_peak.time, UINT64_C(10000000));
  cr_assert_eq(m->at_peak.requested, 30);
  cr_assert_eq(m->at_peak.held, 1300);
  cr_assert_eq(m->category[TS_IR_ACTIVATIONS], 300);
  cr_assert_eq(m->category[TS_IR_TEMPORARIES], 30);
  cr_assert_eq(m->category[TS_IR_PARAMETERS], 1000);
  cr_assert_eq(m->holder_count, 3);
  cr_assert_str_eq(m->holders[0].label, "w");
  cr_assert_str_eq(m->holders[1].label, "layer[*].x");
  cr_assert_eq(m->holders[1].bytes, 300);
  cr_assert_eq(m->holders[1].count, 2);
  cr_assert_eq(m->limit, 0);
  cr_assert_eq(m->over, 0);
  end(&f);
}

/* Nobody waits between a, b and c: they are one run. */
Test(memory, what_another_stream_frees_makes_room_inside_a_run)
{
  fixture f = play("stream compute\nstream side\n"
                   "fragment F {\n"
                   "  a: compute 5 us\n"
                   "  b: compute 5 us alloc 1 B activations \"b\"\n"
                   "  c: compute 10 us alloc 100 B activations \"c\"\n"
                   "  d: compute 10 us on side alloc 50 B temporaries \"d\" free 50 B temporaries "
                   "\"d\"\n"
                   "}\n"
                   "program { F 0 }\n");
  cr_assert_eq(f.memory->classes[0].peak, 101);
  cr_assert_eq(f.memory->classes[0].holder_count, 2);
  end(&f);
}

Test(memory, the_smallest_device_of_a_class_decides)
{
  fixture f = play("axis dp 2\n"
                   "device_class large 1 TB/s memory 4000 B\ndevice_class small 1 TB/s memory 1100 "
                   "B reserved 50 B\n"
                   "devices big[1] of large\ndevices little[1] of small\n"
                   "stream compute\nfragment F { compute 10 us alloc 100 B activations }\n"
                   "program { hold 1000 B parameters; F 0 }\n");
  const ts_memory_class *m = &f.memory->classes[f.memory->fullest];
  cr_assert_eq(m->rank, 1);
  cr_assert_eq(m->limit, 1100);
  cr_assert_eq(m->over, 50);
  cr_assert_eq(m->first_over.requested, 100);
  cr_assert_eq(m->first_over.held, 1000);
  end(&f);
}
