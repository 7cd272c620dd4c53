#include "tools/cli/choices.h"

#include <math.h>
#include <string.h>

#include "compiler/eval/value.h"
#include "tools/cli/trials.h"

/* Of a step: what changes it by less is not mentioned. */
static const double least_change = 0.001;

/* `closure`: the step of each, 0: it was refused. */
static void choices_play(void *closure, size_t i, ts_arena *scratch, const ts_ir *ir,
                         const ts_run_options *options)
{
  uint64_t *steps = closure;
  ts_stop stop = {.arena = scratch};
  ts_run *run = ir ? ts_run_new(ir, options, &stop) : NULL;
  steps[i] = run ? ts_run_result(run)->step : 0;
  ts_run_free(run);
}

void ts_choices_find(ts_arena *arena, const char *path, const ts_input *input,
                     const ts_compile_options *compile, const ts_run_options *options,
                     ts_summary *summary)
{
  if (!input->text)
    return;
  ts_ways ways = ts_ways_list(arena, "choices", path, input->text, input->size, compile, NULL, 0);
  uint64_t *steps = TS_NEW_ARRAY(arena, uint64_t, ways.count + 1);
  ts_trials trials = ts_trials_begin(path, input, compile, options);
  bool done = ts_trials_play(&trials, &(ts_trials_job){.ways = ways.at,
                                                       .stride = sizeof *ways.at,
                                                       .count = ways.count,
                                                       .play = choices_play,
                                                       .closure = steps,
                                                       .what = "choices",
                                                       .share = 1});
  ts_trials_end(&trials);
  if (!done)
    return;
  ts_choice *at = TS_NEW_ARRAY(arena, ts_choice, ways.count + 1);
  double step = (double)summary->result->step;
  uint32_t count = 0;
  for (uint32_t i = 0; i < ways.count; i++)
    if (!steps[i] || fabs((double)steps[i] - step) >= least_change * step)
      at[count++] = (ts_choice){ts_record_text(ways.at[i].row, "name"), steps[i]};
  summary->extras.choices = at;
  summary->extras.choice_count = count;
  summary->extras.choices_tried = ways.count;
}
