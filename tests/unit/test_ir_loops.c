/* Loops of items: found and unrolled again they are the same items, and what is periodic is short. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "base/heap.h"
#include "ir/loops.h"
#include "tests/unit/amount.h"

enum { MOST = 4096, PORTS = 2 };

/* Fragments 0 to 2 have so many ports. */
static const ts_ir_fragment fragments[] = {{.port_count = 0}, {.port_count = 1}, {.port_count = 2}};

typedef struct list {
  ts_ir_item items[MOST];
  ts_ir_binding bindings[PORTS * MOST];
  uint32_t count;
  uint64_t random;
} list;

static uint32_t below(list *l, uint32_t limit)
{
  l->random = l->random * 6364136223846793005u + 1442695040888963407u; /* Knuth's MMIX */
  return (uint32_t)(l->random >> 33) % limit;
}

static void play(list *l, uint32_t fragment, uint32_t micro_batch, uint32_t chunk)
{
  if (l->count == MOST)
    return;
  uint32_t at = PORTS * l->count;
  bool counted = micro_batch != TS_IR_NONE;
  for (uint32_t p = 0; p < PORTS; p++)
    l->bindings[at + p] = (ts_ir_binding){fragment + p, counted ? micro_batch + 100 * p : 7};
  l->items[l->count++] = (ts_ir_item){fragment, micro_batch, chunk, at};
}

/* Items by chance, loops of such lists, and loops in loops. */
static void play_some(list *l, uint32_t from, uint32_t depth)
{
  for (uint32_t left = 1 + below(l, 5); left; left--) {
    uint32_t begin = l->count, step = below(l, 4), rounds = 1 + below(l, 9);
    if (!depth || below(l, 3)) {
      bool counted = below(l, 5);
      play(l, below(l, 3), counted ? from + below(l, 6) : TS_IR_NONE, below(l, 2));
      continue;
    }
    play_some(l, from, depth - 1);
    uint32_t end = l->count;
    for (uint32_t round = 1; round < rounds; round++)
      for (uint32_t i = begin; i < end; i++) {
        const ts_ir_item t = l->items[i];
        bool counted = t.micro_batch != TS_IR_NONE;
        play(l, t.fragment, counted ? t.micro_batch + round * step : TS_IR_NONE, t.chunk);
      }
  }
}

typedef struct again {
  const list *l;
  uint32_t at;
} again;

static void expect_item(void *closure, const ts_ir_item *item, uint32_t moved)
{
  again *a = closure;
  const ts_ir_item *is = &a->l->items[a->at++];
  bool counted = is->micro_batch != TS_IR_NONE;
  cr_assert(a->at <= a->l->count && item->fragment == is->fragment && item->chunk == is->chunk);
  cr_assert_eq(is->micro_batch, counted ? item->micro_batch + moved : item->micro_batch);
  for (uint32_t p = 0; p < fragments[is->fragment].port_count; p++) {
    const ts_ir_binding *one = &a->l->bindings[item->first_binding + p],
                        *other = &a->l->bindings[is->first_binding + p];
    cr_assert(one->peer == other->peer && one->tag + (counted ? moved : 0) == other->tag);
  }
}

/* How many items are listed. */
static uint32_t expect_same(const list *l)
{
  const ts_ir ir = {.fragments = fragments,
                    .fragments_count = 3,
                    .items = l->items,
                    .items_count = l->count,
                    .bindings = l->bindings,
                    .bindings_count = PORTS * l->count};
  ts_arena *arena = ts_arena_new("loops");
  ts_ir_packed p = ts_ir_find_loops(arena, &ir, 0, l->count);
  ts_ir_item *listed = TS_NEW_ARRAY(arena, ts_ir_item, p.items.count + 1);
  for (size_t i = 0; i < p.items.count; i++)
    listed[i] = l->items[p.items.at[i]];
  const ts_ir_looped in = {listed, (uint32_t)p.items.count, p.loops.at, (uint32_t)p.loops.count};
  uint32_t loop = 0, count = in.item_count;
  ts_ir_unrolled sum = {0};
  const char *wrong = ts_ir_loops_wrong(&ir, &in, 0, in.item_count, &loop, &sum);
  cr_assert_null(wrong, "%s", wrong);
  cr_assert(sum.items == l->count && loop == in.loop_count);
  again a = {l, 0};
  ts_ir_unroll(&in, expect_item, &a);
  cr_assert_eq(a.at, l->count);
  ts_arena_free(arena);
  return count;
}

Test(ir_loops, lists_are_the_same_when_unrolled)
{
  list *l = ts_heap_new(1, sizeof *l);
  for (uint64_t seed = 0; seed < amount(300, 2000); seed++) {
    l->count = 0;
    l->random = seed;
    play_some(l, 100, 3);
    cr_assert(expect_same(l) <= l->count);
  }
  free(l);
}

/* Warm up, alternate, drain, step: as many items are listed whatever the micro-batches. */
Test(ir_loops, an_order_of_any_length_is_as_short)
{
  list *l = ts_heap_new(1, sizeof *l);
  for (uint32_t count = 20; count < 2000; count *= 3) {
    l->count = 0;
    for (uint32_t i = 0; i < count + 7; i++) {
      if (i < count)
        play(l, 1, i, 0);
      if (i >= 7)
        play(l, 2, i - 7, 0);
    }
    play(l, 0, TS_IR_NONE, 0);
    cr_assert_eq(expect_same(l), 5);
  }
  free(l);
}

/* One forward and one backward of each micro-batch of a group, chunk after chunk: loops in a loop. */
Test(ir_loops, loops_of_loops)
{
  list *l = ts_heap_new(1, sizeof *l);
  for (uint32_t group = 0; group < 20; group++)
    for (uint32_t chunk = 0; chunk < 3; chunk++)
      for (uint32_t i = 0; i < 8; i++) {
        play(l, 1, 8 * group + i, chunk);
        play(l, 2, 8 * group + i, 2 - chunk);
      }
  cr_assert_eq(expect_same(l), 6);
  free(l);
}

static const char *wrong_with(ts_ir_loop a, ts_ir_loop b)
{
  static const ts_ir_item items[] = {{0, 0, 0, 0}, {0, 1, 0, 0}};
  const ts_ir ir = {.fragments = fragments, .fragments_count = 3};
  const ts_ir_loop loops[] = {a, b};
  uint32_t loop = 0;
  ts_ir_unrolled sum = {0};
  const char *wrong =
    ts_ir_loops_wrong(&ir, &(ts_ir_looped){items, 2, loops, 2}, 0, 2, &loop, &sum);
  return wrong ? wrong : "";
}

Test(ir_loops, wrong_loops)
{
  const ts_ir_loop whole = {0, 2, 3, 1};
  cr_assert_str_eq(wrong_with(whole, (ts_ir_loop){1, 1, 2, 1}), "");
  cr_assert_str_eq(wrong_with(whole, (ts_ir_loop){0, 1, 0, 1}), "a loop of 0 rounds");
  cr_assert_str_eq(wrong_with(whole, (ts_ir_loop){1, 0, 2, 1}), "a loop without an item");
  cr_assert_str_eq(wrong_with(whole, (ts_ir_loop){1, 2, 2, 1}),
                   "a loop ends behind the items around it");
  cr_assert_str_eq(wrong_with((ts_ir_loop){1, 1, 2, 1}, (ts_ir_loop){0, 1, 2, 1}),
                   "loops are not in the order of their items");
  cr_assert_str_eq(wrong_with(whole, (ts_ir_loop){1, 1, TS_IR_NONE, TS_IR_NONE}),
                   "the items of loops are played more than 67108864 times");
  cr_assert_str_eq(wrong_with(whole, (ts_ir_loop){1, 1, 2, TS_IR_NONE}),
                   "the last round of a loop has a micro-batch or a tag beyond 2^32 - 2");
}
