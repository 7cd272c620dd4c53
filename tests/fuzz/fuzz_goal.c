/* Any bytes behind `num_ranks` are read as a GOAL schedule, taken apart into ranks, written, read
 * again and played, without harm. */
#include <stdint.h>
#include <string.h>

#include "tests/fuzz/events_use.h"
#include "tests/play_ranks.h"
#include "trace/read/rank_graph.h"
#include "trace/loggops.h"
#include "trace/read/goal.h"
#include "trace/write/export.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void write_schedule(const ts_events *const *ranks, uint32_t world, uint32_t count)
{
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  ts_arena *arena = ts_arena_new("again");
  ts_error error = {0};
  if (!out)
    abort();
  ts_goal_write_head(world, out);
  for (uint32_t r = 0; r < world; r++)
    if (!ts_export_write(ts_export_new(arena, TS_EXPORT_GOAL, ranks[r], world, 0), out, &error))
      abort();
  fclose(out);
  ts_events *again = ts_events_parse(arena, "again", text, size, NULL, &error);
  /* what we write we read; ranks without work got some */
  if (!again || again->count < count || again->cut)
    abort();
  ts_arena_free(arena);
  free(text);
}

static void play_flat(const void *bytes, size_t size)
{
  ts_error error = {0};
  ts_loggops model = {1000, 10, 5, 0.5, 0.1, 4096};
  ts_loggops_result result;
  ts_goal_job *s = ts_goal_job_parse(bytes, size, &error);
  if (!s)
    return;
  ts_arena *arena = ts_arena_new("flat");
  FILE *out = fopen("/dev/null", "w");
  if (out) {
    ts_goal_binary_write(s, out);
    fclose(out);
  }
  if (!ts_loggops_play(arena, s, &model, &result, &error) && !error.message[0])
    abort();
  ts_arena_free(arena);
  ts_goal_job_free(s);
}

/* The binary form: a mark and two ranks. */
static void play_binary(const uint8_t *bytes, size_t size)
{
  static const uint8_t head[14 + 32] = {4223 & 0xff, 4223 >> 8, 0, 0, 0, 0, 0, 0, 2};
  uint8_t *whole = malloc(sizeof head + size);
  if (!whole)
    return;
  memcpy(whole, head, sizeof head);
  if (size)
    memcpy(whole + sizeof head, bytes, size);
  play_flat(whole, sizeof head + size);
  free(whole);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
  enum { MOST_RANKS = 64 };
  static const char lead[] = "num_ranks ";
  ts_arena *arena = ts_arena_new("fuzz");
  ts_error error = {0};
  char *text = ts_arena_alloc(arena, size + sizeof lead);
  memcpy(text, lead, sizeof lead - 1);
  if (size)
    memcpy(text + sizeof lead - 1, bytes, size);
  ts_events *e = ts_events_parse(arena, "fuzz", text, size + sizeof lead - 1, NULL, &error);
  if (!e && !error.message[0])
    abort();
  if (e && e->format == TS_TRACE_GOAL && e->world <= MOST_RANKS) {
    const ts_events **ranks = ts_goal_ranks(arena, e, &error);
    if (!ranks && !error.message[0])
      abort();
    if (ranks) {
      write_schedule(ranks, (uint32_t)e->world, e->count);
      play_or_refuse_ranks(ranks, (uint32_t)e->world);
    }
  }
  use_trace(text, size + sizeof lead - 1);
  play_flat(text, size + sizeof lead - 1);
  play_binary(bytes, size);
  ts_arena_free(arena);
  return 0;
}
