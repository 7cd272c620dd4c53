#include "runtime/account/peak.h"

#include "runtime/account/peak_items.h"
#include "runtime/account/run.h"

/* Goes through `until` changes, or all of them, and counts those of each node if `times`. */
static ts_memory_peak walk(ts_arena *arena, const ts_memory_input *input, uint32_t class,
                           const ts_op_marks *ops, int64_t held, int64_t room, uint64_t *until,
                           uint32_t *times)
{
  const ts_ir_node *nodes = ts_run_facts(input->run)->tables->ir->nodes;
  ts_memory_changes *changes = ts_memory_changes_new(arena, input, class, ops);
  const ts_memory_moment begin = {.item = TS_IR_NONE, .requested = (uint64_t)held};
  ts_memory_peak peak = {.bytes = held, .over = held > room, .at = begin, .first_over = begin};
  uint64_t highest = 0, end = *until, taken = 0;
  for (ts_memory_change c; taken < end && ts_memory_changes_next(changes, &c); taken++) {
    if (times)
      times[2 * (c.node - nodes) + c.frees]++;
    if ((held += c.bytes) <= peak.bytes)
      continue;
    peak.bytes = held;
    peak.at = (ts_memory_moment){c.time, c.node, c.item, (uint64_t)c.bytes,
                                 held > c.bytes ? (uint64_t)(held - c.bytes) : 0};
    highest = taken + 1;
    if (!peak.over && held > room) {
      peak.over = true;
      peak.first_over = peak.at;
    }
  }
  *until = highest;
  return peak;
}

ts_memory_peak ts_memory_peak_find(ts_arena *arena, ts_peak_memo *memo,
                                   const ts_memory_input *input, uint32_t class, int64_t held,
                                   int64_t room)
{
  const ts_facts *facts = ts_run_facts(input->run);
  ts_memory_peak peak;
  uint64_t until = UINT64_MAX;
  if (!ts_memory_issued(input->run, class) &&
      ts_memory_peak_by_items(arena, memo, input, class, held, room, &peak))
    return peak;
  ts_op_marks ops = ts_peak_ops(memo, input, facts->players[class].role);
  peak = walk(arena, input, class, &ops, held, room, &until, NULL);
  if (peak.at.node) {
    uint32_t nodes = facts->tables->ir->nodes_count,
             *times = TS_NEW_ARRAY(arena, uint32_t, 2 * (size_t)nodes);
    walk(arena, input, class, &ops, held, room, &until, times);
    peak.times = times;
  }
  return peak;
}
