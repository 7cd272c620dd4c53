#include "tools/cli/choices.h"

#include <math.h>
#include <string.h>

#include "compiler/eval/shared.h"
#include "compiler/eval/value.h"
#include "compiler/ways_out.h"
#include "runtime/load/workers.h"

/* Of a step: what changes it by less is not mentioned. */
static const double least_change = 0.001;

typedef struct choices_search {
  const char *path, *text;
  size_t size;
  const ts_compile_options *compile;
  ts_run_options run;
  ts_common *common;
  const ts_way *ways;
  uint64_t *steps; /* of each way; 0: it was refused */
} choices_search;

static void play_without(void *closure, uint32_t piece, uint32_t worker)
{
  const choices_search *x = closure;
  ts_arena *scratch = ts_arena_new("a choice");
  ts_stop stop = {.arena = scratch};
  ts_input input;
  ts_session *s = ts_way_compile(scratch, x->common, x->path, x->text, x->size, x->compile,
                                 &x->ways[piece], &input);
  (void)worker;
  if (s) {
    ts_run *run = ts_run_new(&input.ir, &x->run, &stop);
    x->steps[piece] = run ? ts_run_result(run)->step : 0;
    ts_run_free(run);
    ts_input_close(&input);
    ts_shared_leave(s);
  }
  ts_arena_free(scratch);
}

void ts_choices_find(ts_arena *arena, const char *path, const ts_input *input,
                     const ts_compile_options *compile, const ts_run_options *options,
                     ts_summary *summary)
{
  if (!input->text)
    return;
  ts_ways ways = ts_ways_list(arena, "choices", path, input->text, input->size, compile, NULL, 0);
  choices_search x = {.path = path,
                      .text = input->text,
                      .size = input->size,
                      .compile = compile,
                      .run = *options,
                      .ways = ways.at,
                      .steps = TS_NEW_ARRAY(arena, uint64_t, ways.count + 1)};
  x.run.threads = 1; /* several are played at once instead */
  x.run.packets = NULL;
  x.common = strcmp(path, "-") != 0 ? ts_common_new(path, compile) : NULL;
  ts_workers_job job = {ways.count, play_without, &x, options->progress, "choices"};
  bool done = ts_workers_run(ts_workers_size(0, ways.count), &job);
  ts_common_free(x.common);
  if (!done)
    return;
  ts_choice *at = TS_NEW_ARRAY(arena, ts_choice, ways.count + 1);
  double step = (double)summary->result->step;
  uint32_t count = 0;
  for (uint32_t i = 0; i < ways.count; i++)
    if (!x.steps[i] || fabs((double)x.steps[i] - step) >= least_change * step)
      at[count++] = (ts_choice){ts_record_text(ways.at[i].row, "name"), x.steps[i]};
  summary->extras.choices = at;
  summary->extras.choice_count = count;
  summary->extras.choices_tried = ways.count;
}
