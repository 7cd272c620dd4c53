/* Any bytes are read as a log of a training run, under formats of all kinds of lines: refused with a
 * reason, or rows whose levels hold together. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "trace/log/steady.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static const char *const steps[] = {"step:", NULL}, *const memory[] = {"mem:", NULL},
                         *const pauses[] = {"eval", NULL}, *const batches[] = {"batch:", NULL},
                         *const wholes[] = {"run:", NULL}, *const lists[] = {"history", NULL};
static const ts_log_reading reads[] = {
  {TS_LOG_STEP, "step:", "", 1},       {TS_LOG_SECONDS, "time:", "", 1e-3},
  {TS_LOG_SECONDS, "", "s/it", 1},     {TS_LOG_SAMPLE_RATE, "rate:", "", 1},
  {TS_LOG_BATCH, "batch:", "", 1},     {TS_LOG_MEMORY, "mem:", "", 1},
  {TS_LOG_RUN, "run:", "", 1},         {TS_LOG_PAUSE, "eval:", "", 1},
  {TS_LOG_STEP_RATE, "speed:", "", 1}, {TS_LOG_CLOCK, "at:", "", 1},
};
enum { READS = sizeof reads / sizeof *reads };
static const ts_log_line lines[] = {
  {TS_LOG_WHOLE, wholes, reads, READS, false},    {TS_LOG_PAUSED, pauses, reads, READS, false},
  {TS_LOG_DONE, steps, reads, READS, true},       {TS_LOG_BESIDE, memory, reads, READS, false},
  {TS_LOG_SETTING, batches, reads, READS, false},
};
static const ts_log_format formats[] = {{"fuzz", lines, 5}};

static void fail(const char *why)
{
  fprintf(stderr, "%s\n", why);
  abort();
}

static void check(const ts_log *log, const ts_log_steady *s)
{
  uint32_t counted = 0, in_levels = 0;
  for (uint32_t i = 0; i < log->count; i++)
    counted += s->use[i] == TS_LOG_COUNTED;
  for (uint32_t i = 0; i < s->level_count; i++) {
    const ts_log_level *l = &s->levels[i];
    in_levels += l->count;
    if (!(l->low <= l->median && l->median <= l->high && l->low > 0) || l->first > l->last)
      fail("a level out of order");
  }
  if (counted != in_levels)
    fail("steps that are counted are in no level");
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
  const ts_log_formats all = {formats, 1, reads, READS, lists};
  ts_arena *arena = ts_arena_new("fuzz");
  const char *text = ts_arena_string(arena, (const char *)bytes, size);
  ts_error error;
  ts_log log;
  ts_log_steady steady;
  if (!ts_log_read(arena, &all, text, size, &log, &error)) {
    if (!error.message[0])
      fail("a log is refused without a reason");
  } else if (ts_log_find_steady(arena, &log, &steady)) {
    check(&log, &steady);
  }
  ts_arena_free(arena);
  return 0;
}
