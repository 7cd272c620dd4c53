/* What is done with a trace that was read: all that programs do. For the fuzz targets of its
 * formats. */
#ifndef TS_TESTS_FUZZ_EVENTS_USE_H
#define TS_TESTS_FUZZ_EVENTS_USE_H

#include <stdio.h>
#include <stdlib.h>

#include "runtime/account/result.h"
#include "tests/play_ranks.h"
#include "trace/optable.h"
#include "trace/replay.h"
#include "trace/summary.h"
#include "trace/trace_diff.h"

static inline void play_made(ts_arena *arena, ts_ir_builder *b)
{
  ts_ir ir;
  ts_error wrong;
  ts_ir_builder_view(b, &ir);
  if (ts_ir_verify(&ir, &wrong) == 0) {
    ts_stop stop = {.arena = arena};
    ts_run *run = ts_run_new(&ir, &(ts_run_options){0}, &stop);
    if (!run && !stop.exit_code)
      abort();
    ts_run_free(run);
  }
  ts_ir_builder_free(b);
}

/* Small: a mesh of millions is no harm, but slow. */
static inline void play_workload(const ts_events *e)
{
  ts_workload_choice choice = {0};
  if (e->world > 4096)
    choice = (ts_workload_choice){.size = {2, 2, 4, (uint32_t)e->workload->sections.count}};
  play_or_refuse_workload(e, &choice);
}

static inline void play_trace(ts_arena *arena, const ts_events *e)
{
  ts_error error = {0};
  if (e->workload) {
    play_workload(e);
    return;
  }
  ts_replay *r = ts_replay_new(arena, e, NULL, &error);
  if (r)
    play_made(arena, r->ir);
  else if (!error.message[0])
    abort();
}

/* NULL: it was refused, for a reason that must be reported. */
static inline void use_events(ts_arena *arena, const ts_events *e, const ts_error *error)
{
  if (!e && !error->message[0])
    abort();
  FILE *out = e ? fopen("/dev/null", "w") : NULL;
  if (out) {
    ts_trace_summary *s = ts_trace_summary_new(arena, e);
    ts_trace_summary_text(s, out);
    ts_trace_diff_text(ts_trace_diff_new(arena, s, s), out);
    ts_trace_summary_json(s, &(ts_json_writer){.out = out, .spaced = true}, 0);
    const ts_events *const traces[] = {e};
    ts_op_table_write(ts_op_table_new(arena, traces, 1), traces, 1, out);
    fclose(out);
    play_trace(arena, e);
  }
}

static inline void use_trace(const void *bytes, size_t size)
{
  ts_arena *arena = ts_arena_new("fuzz");
  ts_error error = {0};
  use_events(arena, ts_events_parse(arena, "fuzz", bytes, size, NULL, &error), &error);
  ts_arena_free(arena);
}

#endif
