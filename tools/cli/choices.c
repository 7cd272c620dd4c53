#include "tools/cli/choices.h"

#include <math.h>
#include <string.h>

#include "base/escape.h"
#include "base/format.h"
#include "compiler/eval/value.h"
#include "tools/cli/trials.h"

/* Of a step: what changes it by less is not mentioned. */
static const double min_change = 0.001;

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

/* The steps of the plan with each way; NULL: interrupted. */
static const uint64_t *steps_with(ts_arena *arena, const char *path, const ts_input *input,
                                  const ts_compile_options *compile, const ts_run_options *options,
                                  const ts_ways *ways)
{
  uint64_t *steps = TS_NEW_ARRAY(arena, uint64_t, ways->count + 1);
  ts_trials trials = ts_trials_begin(path, input, compile, options);
  bool done = ts_trials_play(&trials, &(ts_trials_job){.ways = ways->at,
                                                       .stride = sizeof *ways->at,
                                                       .count = ways->count,
                                                       .play = choices_play,
                                                       .closure = steps,
                                                       .what = "choices",
                                                       .share = 1});
  ts_trials_end(&trials);
  return done ? steps : NULL;
}

static const char *signed_time(ts_arena *arena, double ps)
{
  return ts_arena_printf(arena, "%s%s", ps < 0 ? "-" : "+",
                         ts_format_time((uint64_t)fabs(ps)).text);
}

bool ts_choices_between(ts_arena *arena, const char *const paths[2],
                        const ts_input *const inputs[2], const ts_compile_options *compile,
                        const uint64_t steps[2], FILE *out)
{
  if (!inputs[0]->text || !inputs[1]->text)
    return false;
  ts_way_plan from = {paths[0], inputs[0]->text, inputs[0]->size},
              to = {paths[1], inputs[1]->text, inputs[1]->size};
  ts_run_options how = {0};
  ts_ways ways = ts_ways_towards(arena, &from, &to, compile);
  const uint64_t *with = steps_with(arena, paths[0], inputs[0], compile, &how, &ways);
  double sum = 0, step = (double)steps[0];
  uint32_t nothing = 0;
  if (!ways.count || !with)
    return false;
  ts_put_text(out, "\nchoices of the framework that differ, each alone in the first plan:\n");
  for (uint32_t i = 0; i < ways.count; i++) {
    double more = (double)with[i] - step;
    sum += with[i] ? more : 0;
    nothing += with[i] && !(fabs(more) > 0);
    if (!with[i] || fabs(more) > 0)
      ts_put_text(out, "  %12s  %s\n", with[i] ? signed_time(arena, more) : "not simulated",
                  ways.at[i].replaced);
  }
  if (nothing)
    ts_put_text(out, "  %12s  %u more\n", "+0 s", nothing);
  ts_put_text(out, "  %12s  their sum; all that differs between the plans: %s\n",
              signed_time(arena, sum), signed_time(arena, (double)steps[1] - step));
  return true;
}

void ts_choices_find(ts_arena *arena, const char *path, const ts_input *input,
                     const ts_compile_options *compile, const ts_run_options *options,
                     ts_summary *summary)
{
  if (!input->text)
    return;
  ts_ways ways = ts_ways_list(arena, "choices", path, input->text, input->size, compile, NULL, 0);
  const uint64_t *steps = steps_with(arena, path, input, compile, options, &ways);
  if (!steps)
    return;
  ts_choice *at = TS_NEW_ARRAY(arena, ts_choice, ways.count + 1);
  double step = (double)summary->result->step;
  uint32_t count = 0;
  for (uint32_t i = 0; i < ways.count; i++)
    if (!steps[i] || fabs((double)steps[i] - step) >= min_change * step)
      at[count++] = (ts_choice){ts_record_text(ways.at[i].row, "name"), steps[i]};
  summary->extras.choices = at;
  summary->extras.choice_count = count;
  summary->extras.choices_tried = ways.count;
}
