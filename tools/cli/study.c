#include "tools/cli/study.h"

#include <stdlib.h>
#include <string.h>

/* "90", "90s", "15min", "6h", "2d": seconds. */
static bool duration(const char *text, double *seconds)
{
  static const struct unit {
    const char *name;
    double seconds;
  } units[] = {{"", 1}, {"s", 1}, {"min", 60}, {"h", 3600}, {"d", 86400}};
  char *end;
  *seconds = strtod(text, &end);
  for (int i = 0; end != text && i < 5; i++) {
    if (strcmp(end, units[i].name) == 0) {
      *seconds *= units[i].seconds;
      return *seconds >= 0 && *seconds < 1e12;
    }
  }
  return false;
}

static int take_duration(ts_options *o, double *seconds)
{
  return duration(o->argument, seconds) ?
           TS_EXIT_DONE :
           ts_options_wrong(o, "`%s` takes a time such as 90s, 15min, 6h or 2d, not `%s`",
                            o->spelled, o->argument);
}

static int study_take_number(ts_options *o, long long most, uint64_t *value)
{
  long long number;
  if (!ts_options_number(o, 1, most, &number))
    return TS_EXIT_USAGE;
  *value = (uint64_t)number;
  return TS_EXIT_DONE;
}

/* Times in any order, joined by commas. */
static int take_failures(study *s, ts_arena *arena, ts_options *o)
{
  for (const char *at = o->argument;; at++) {
    size_t length = strcspn(at, ",");
    double time;
    if (s->failures == STUDY_MOST_FAILURES || !duration(ts_arena_string(arena, at, length), &time))
      return ts_options_wrong(o, "`%s` takes up to %d times of a day such as 3h,17h, not `%s`",
                              o->spelled, STUDY_MOST_FAILURES, o->argument);
    uint32_t i = s->failures++;
    for (; i && s->fail_at[i - 1] > time; i--)
      s->fail_at[i] = s->fail_at[i - 1];
    s->fail_at[i] = time;
    at += length;
    if (!*at)
      return TS_EXIT_DONE;
  }
}

int ts_study_option(study *s, ts_arena *arena, ts_options *o, int id)
{
  const char *wrong = NULL;
  uint64_t number;
  int status;
  switch (id) {
  case STUDY_BLAME: s->blame = true; break;
  case STUDY_BY: {
    static const char *const views[] = {"module", "layer", NULL};
    int view = ts_options_choice(o, views);
    s->by_module = true;
    s->view.repeats = view > 0;
    return view < 0 ? TS_EXIT_USAGE : TS_EXIT_DONE;
  }
  case STUDY_DEPTH:
    if ((status = study_take_number(o, 1000, &number)) == TS_EXIT_DONE)
      s->view.depth = (uint32_t)number, s->depth_stated = true;
    return status;
  case STUDY_ALLOCATOR:
    wrong = ts_allocator_parse(o->argument, &s->allocator);
    s->allocate = true;
    break;
  case STUDY_OVERLAP: wrong = ts_slowdown_open(arena, o->argument, &s->overlap); break;
  case STUDY_JITTER:
    wrong = ts_jitter_parse(o->argument, &s->jitter);
    s->jittery = true;
    break;
  case STUDY_SEED: s->seed = o->argument; break;
  case STUDY_REPEAT:
    if ((status = study_take_number(o, 1000000, &number)) == TS_EXIT_DONE)
      s->repetitions = (uint32_t)number;
    return status;
  case STUDY_STEPS:
    if ((status = study_take_number(o, TS_MOST_STEPS, &number)) == TS_EXIT_DONE)
      s->steps = (uint32_t)number;
    return status;
  case STUDY_FAIL_AT: return take_failures(s, arena, o);
  case STUDY_WHAT_IF:
    s->what_if =
      s->what_if ? ts_arena_printf(arena, "%s,%s", s->what_if, o->argument) : o->argument;
    break;
  case STUDY_SENSITIVITY: s->sensitivity = true; break;
  case STUDY_DIFF: s->diff = o->argument; break;
  case STUDY_EVERY: return study_take_number(o, 1000000000, &s->faults.every);
  case STUDY_MTBF: return take_duration(o, &s->faults.between_failures);
  case STUDY_RESTART: s->restart_stated = true; return take_duration(o, &s->faults.restart);
  case STUDY_CHECKPOINT:
    s->checkpoint_stated = true;
    return take_duration(o, &s->faults.checkpoint);
  }
  return wrong ?
           ts_options_wrong(o, "`%s` does not take `%s`: %s", o->spelled, o->argument, wrong) :
           TS_EXIT_DONE;
}

bool ts_study_any(const study *s)
{
  return s->blame || s->by_module || s->allocate || s->jittery || s->repetitions || s->failures ||
         s->faults.between_failures > 0 || s->steps || s->what_if || s->sensitivity || s->diff;
}

const char *ts_study_wrong(const study *s)
{
  if (s->depth_stated && !s->by_module)
    return "`--depth` needs `--by module` or `--by layer`";
  if (s->jittery && !s->repetitions)
    return "`--jitter` needs `--repeat N`";
  if (s->repetitions && !s->jittery)
    return "`--repeat` needs `--jitter DIST`";
  if (s->seed && !s->repetitions)
    return "`--seed` needs `--repeat N`";
  bool fails = s->faults.between_failures > 0 || s->failures;
  if (s->restart_stated && !fails)
    return "`--restart` needs `--mtbf TIME` or `--fail-at TIME`";
  if ((s->checkpoint_stated || s->faults.every) && !fails && !s->steps)
    return "`--checkpoint` needs `--mtbf TIME`, `--fail-at TIME` or `--steps N`";
  if (s->faults.every && !fails && !s->checkpoint_stated)
    return "`--checkpoint-every` needs `--checkpoint TIME`, the time of one; 0s if it takes none";
  if (s->failures && !s->faults.every)
    return "`--fail-at` needs `--checkpoint-every STEPS`";
  if (fails && (!s->restart_stated || !s->checkpoint_stated))
    return "failures need `--restart TIME` and `--checkpoint TIME`; 0s if it takes no time";
  return NULL;
}

static int add_what_if(const study *s, const ts_run_options *options, ts_summary *summary,
                       ts_stop *stop)
{
  summary->extras.what_if = s->what_if;
  if (ts_what_if_energy(summary->arena, summary->ir, options, s->what_if,
                        &summary->extras.what_if_step, &summary->extras.what_if_energy, stop)) {
    summary->extras.not_followed_count =
      ts_what_if_not_followed(summary->arena, summary->ir, options, s->what_if, summary->result,
                              &summary->extras.not_followed, &summary->extras.what_if_stays);
    return 0;
  }
  return stop->exit_code != TS_EXIT_USAGE ?
           -1 :
           ts_stop_set(stop, TS_EXIT_USAGE, NULL, NULL, "`--what-if`: %s", stop->title);
}

int ts_study_add(const study *s, const ts_run *other, const ts_run_options *options,
                 ts_summary *summary, ts_stop *stop)
{
  ts_extras *e = &summary->extras;
  ts_arena *arena = summary->arena;
  e->overlap = s->overlap;
  if (s->blame)
    e->blames = ts_blames_new(arena, summary->run);
  if (s->by_module) {
    ts_label_view view = s->view;
    if (!s->depth_stated)
      view.depth = view.repeats ? 1 : 2;
    e->modules = ts_modules_new(arena, summary->ir, summary->run, view);
  }
  if (s->allocate && summary->memory->stated)
    e->reserved = ts_reserved_new(arena, summary->ir, summary->run, summary->memory, &s->allocator);
  if (s->repetitions &&
      !(e->spread = ts_spread_new(arena, summary->ir, options, &s->jitter,
                                  s->seed ? s->seed : "trainspec", s->repetitions, stop)))
    return -1;
  ts_checkpoint checkpoint = {
    s->steps && s->faults.checkpoint > 0 ? s->faults.every ? s->faults.every : 1 : 0,
    (uint64_t)(s->faults.checkpoint * 1e12)};
  if (s->steps &&
      !(e->steps = ts_steps_new(arena, summary->ir, options, s->steps, &checkpoint, stop)))
    return -1;
  if (s->what_if && add_what_if(s, options, summary, stop) < 0)
    return -1;
  if (s->sensitivity &&
      !(e->sensitivities = ts_sensitivities_new(arena, summary->ir, summary->run, options, stop)))
    return -1;
  if (other) {
    e->difference = ts_difference_new(arena, other, summary->run);
    e->difference_from = s->diff;
  }
  double step = e->steps  ? (double)e->steps->steady * 1e-12 :
                e->spread ? e->spread->mean * 1e-12 :
                            summary->seconds;
  if (s->faults.between_failures > 0 && step > 0) {
    ts_goodput g = ts_goodput_of(step, summary->ir->meta->world, &s->faults);
    e->goodput = ts_arena_copy(arena, &g, sizeof g);
  }
  if (s->failures && step > 0) {
    ts_day d = ts_day_of(step, &s->faults, s->fail_at, s->failures);
    e->day = ts_arena_copy(arena, &d, sizeof d);
  }
  return 0;
}
