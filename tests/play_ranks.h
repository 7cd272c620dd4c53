/* Graphs of ranks as the IR that `trainspec replay --machine` plays: for unit tests and fuzz
 * targets. */
#ifndef TS_TESTS_PLAY_RANKS_H
#define TS_TESTS_PLAY_RANKS_H

#include <stdlib.h>
#include <string.h>

#include "base/diag_record.h"
#include "compiler/compile.h"
#include "compiler/replay/numbers.h"
#include "runtime/account/result.h"
#include "tests/fuzz/no_bug.h"
#include "trace/workload_mesh.h"

/* False: they were refused; the first message is *why. Else the caller closes the input. */
static inline bool compile_ranks(ts_arena *arena, const struct ts_events *const *ranks,
                                 uint32_t count, ts_input *input, const char **why)
{
  const ts_graph_machine machine = {1e15, 1e12, 1e11, 1e-6};
  const char *text = ts_plan_of_numbers(arena, &machine, count);
  ts_session *s = ts_session_new(arena);
  ts_compile_options options = {.ranks = ranks, .rank_count = count};
  bool good = ts_input_compile(s, "replay.ts", text, strlen(text), &options, input);
  no_bug(s->diags);
  *why = good || !s->diags->all.count ? "" : s->diags->all.at[0]->message;
  return good;
}

/* The same of a workload, on as many devices as it has ranks; at most so many are played. */
enum { WORKLOAD_RANKS = 4096 };
static inline bool compile_workload(ts_arena *arena, const ts_events *e,
                                    const ts_workload_choice *choice, ts_input *input,
                                    const char **why)
{
  const ts_graph_machine machine = {1e14, 1e12, 1e11, 1e-6};
  ts_workload_mesh mesh;
  ts_error error = {0};
  *why = "";
  if (!ts_workload_mesh_of(e, choice, 0, &mesh, &error) || mesh.world > WORKLOAD_RANKS) {
    *why = error.message[0] ? ts_arena_string(arena, error.message, strlen(error.message)) :
                              "more ranks than are tried";
    return false;
  }
  const char *text = ts_plan_of_numbers(arena, &machine, mesh.world);
  ts_session *s = ts_session_new(arena);
  ts_compile_options options = {.ranks = &e, .rank_count = 1, .workload = choice};
  bool good = ts_input_compile(s, "replay.ts", text, strlen(text), &options, input);
  no_bug(s->diags);
  *why = good || !s->diags->all.count ? "" : s->diags->all.at[0]->message;
  return good;
}

static inline void play_input(ts_arena *arena, bool compiled, ts_input *input, const char *why)
{
  if (compiled) {
    ts_stop stop = {.arena = arena};
    ts_run *run = ts_run_new(&input->ir, &(ts_run_options){0}, &stop);
    if (!run && !stop.exit_code)
      abort();
    ts_run_free(run);
    ts_input_close(input);
  } else if (!*why) {
    abort();
  }
}

static inline void play_or_refuse_workload(const ts_events *e, const ts_workload_choice *choice)
{
  ts_arena *arena = ts_arena_new("play");
  ts_input input;
  const char *why;
  bool compiled = compile_workload(arena, e, choice, &input, &why);
  play_input(arena, compiled, &input, why);
  ts_arena_free(arena);
}

/* Played, or refused with a reason. */
static inline void play_or_refuse_ranks(const struct ts_events *const *ranks, uint32_t count)
{
  ts_arena *arena = ts_arena_new("play");
  ts_input input;
  const char *why;
  bool compiled = compile_ranks(arena, ranks, count, &input, &why);
  play_input(arena, compiled, &input, why);
  ts_arena_free(arena);
}

#endif
