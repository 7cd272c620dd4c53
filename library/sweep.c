/* Sweeps: each plan of the family is compiled in a session of its own, so that thousands take no
 * more memory than one. */
#include <string.h>

#include "compiler/search.h"
#include "library/workspace.h"

struct trainspec_sweep {
  trainspec *ts;
  ts_session *session; /* of the search */
  ts_search *search;
  const char *path;
  ts_compile_options options;
  ts_common *common;
};

static trainspec_sweep *open_sweep(trainspec *ts, const char *path, const char *name,
                                   const char *items)
{
  trainspec_sweep *sweep = TS_NEW(ts->arena, trainspec_sweep);
  *sweep = (trainspec_sweep){.ts = ts,
                             .session = ts_library_session(ts),
                             .path = ts_arena_string(ts->arena, path, strlen(path)),
                             .options = ts_library_options(ts, NULL)};
  const char *text = items ? ts_arena_string(ts->arena, items, strlen(items)) : NULL;
  sweep->search = ts_search_load(sweep->session, sweep->path, &sweep->options, name, text, false);
  if (!sweep->search)
    return NULL;
  sweep->common = ts_common_new(sweep->path, &sweep->options);
  TS_PUSH(ts->arena, &ts->commons, sweep->common);
  return sweep;
}

trainspec_sweep *trainspec_sweep_open(trainspec *ts, const char *path, const char *name,
                                      const char *items)
{
  trainspec_sweep *volatile sweep = NULL;
  TS_LIBRARY_CALL(ts, sweep = open_sweep(ts, path, name, items));
  return sweep;
}

size_t trainspec_sweep_plans(const trainspec_sweep *sweep) { return sweep->search->point_count; }
bool trainspec_sweep_maximizes(const trainspec_sweep *sweep) { return sweep->search->maximize; }
const char *trainspec_sweep_column(const trainspec_sweep *sweep, size_t column)
{
  return column < sweep->search->column_count ? sweep->search->columns[column] : NULL;
}
const char *trainspec_sweep_value(const trainspec_sweep *sweep, size_t plan, size_t column)
{
  const char *volatile text = NULL;
  TS_LIBRARY_CALL(sweep->ts, text = ts_search_text_at(sweep->search, plan, (uint32_t)column));
  return text;
}

static void sweep_refuse(trainspec_sweep *sweep, trainspec_outcome *out, const char *why)
{
  out->state = TRAINSPEC_REFUSED;
  out->why = ts_arena_string(sweep->ts->arena, why ? why : "", why ? strlen(why) : 0);
}

/* False after an error of the search. */
static bool sweep_judge(trainspec_sweep *sweep, size_t plan, const ts_figures *figures,
                        trainspec_outcome *out)
{
  unsigned errors = ts_diags_errors(sweep->session->diags);
  bool too_large = out->result.limit && out->result.peak + out->result.reserved > out->result.limit;
  if (too_large)
    out->state = TRAINSPEC_TOO_LARGE;
  else
    out->state = ts_search_judge(sweep->search, plan, figures, &out->objective) ?
                   TRAINSPEC_RANKED :
                   TRAINSPEC_LEFT_OUT;
  return ts_diags_errors(sweep->session->diags) == errors;
}

/* `listed`: 0 where it was to be played with all of its rounds (ts_compile_options.listed). */
static bool sweep_play(trainspec_sweep *sweep, size_t plan, uint32_t listed, trainspec_outcome *out)
{
  ts_arena *arena = ts_arena_new("plan of a sweep");
  ts_session *session = ts_session_with(arena, sweep->common);
  ts_compile_options o = sweep->options;
  ts_input input = {0};
  bool good = true, again = false;
  *out = (trainspec_outcome){0};
  o.listed = listed;
  o.orderless = true;
  o.plan_name = sweep->search->plan;
  o.defines = ts_search_defines_at(sweep->search, plan, arena, &o.define_count);
  if (ts_input_open(session, sweep->path, &o, &input)) {
    ts_stop stop = {.arena = arena};
    ts_run_options how = {.threads = 1}; /* plans are played at once instead */
    ts_run *run = ts_run_new(&input.ir, &how, &stop);
    if (run) {
      const ts_summary *s =
        ts_summary_new(arena, &input.ir, run, ts_memory_new(arena, &input.ir, run), NULL);
      const ts_figures figures = ts_figures_of(s),
                       *copy = ts_arena_copy(sweep->ts->arena, &figures, sizeof figures);
      out->result = ts_library_result(s, copy);
      good = sweep_judge(sweep, plan, copy, out);
      ts_run_free(run);
    } else if (!(again = input.ir.left_out)) {
      sweep_refuse(sweep, out, stop.title);
    }
    ts_input_close(&input);
  } else if (!(again = session->options->listed)) {
    sweep_refuse(sweep, out, ts_diags_first_error(session->diags));
  }
  ts_arena_free(arena);
  return again ? sweep_play(sweep, plan, 0, out) : good;
}

bool trainspec_sweep_play(trainspec_sweep *sweep, size_t plan, trainspec_outcome *outcome)
{
  volatile bool good = false;
  TS_LIBRARY_CALL(sweep->ts, good = sweep_play(sweep, plan, TS_LISTED, outcome));
  return good;
}
