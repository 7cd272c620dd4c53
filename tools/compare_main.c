/* trainspec compare: what a plan predicts beside what was measured, and why they differ. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/format.h"
#include "base/json_writer.h"
#include "base/diag_record.h"
#include "base/options.h"
#include "base/table.h"
#include "compiler/eval/eval.h"
#include "runtime/account/memory.h"
#include "runtime/report/confidence.h"
#include "runtime/report/report.h"
#include "runtime/report/summary.h"
#include "tools/cli/causes.h"
#include "tools/cli/compare_page.h"
#include "tools/cli/interrupt.h"
#include "tools/cli/log_formats.h"
#include "tools/cli/plan_options.h"
#include "tools/cli/play_warnings.h"
#include "tools/cli/programs.h"
#include "tools/cli/progress.h"
#include "tools/cli/recorded.h"

enum { FORMAT = 1, OUTPUT, FORMATS, STEP, MEMORY, MEASURED, MOST };
enum { TEXT, JSON, HTML };

static const ts_option options[] = {
  {FORMAT, 0, "format", "FORM", "text, json or html (text)", "Report"},
  {MOST, 0, "causes", "N", "list N causes at most (5)", NULL},
  {OUTPUT, 'o', "output", "FILE", "write to FILE instead of standard output", NULL},
  {STEP, 0, "step", "TIME", "a step took TIME, such as 10s", "Measured"},
  {MEMORY, 0, "memory", "SIZE", "a device held SIZE at most, such as '60 GiB'", NULL},
  {MEASURED, 'm', "measured", "NAME=VALUE",
   "step, memory; forward, backward, update (times of a step); tokens_per_second, tflops (of a "
   "device), samples_per_second",
   NULL},
  {FORMATS, 0, "formats", "FILE", "read the formats of logs from FILE, as std.import.logs has them",
   NULL},
  PLAN_OPTIONS,
  {0},
};
static const char *const usage[] = {"[OPTION]... PLAN [LOG]", NULL};
static const char *const notes[] = {
  "LOG is what a training program printed (trainspec log); its steady steps count.",
  "It may be a recording (trainspec trace), whose median step is laid beside the plan's.",
  "Values given by hand go before those of the log. Causes are those of",
  "std.tools.causes; each is simulated, and what comes near is listed.",
  "",
  "Examples:",
  "$ plan.ts train.log",
  "$ plan.ts rank0.json.gz",
  "$ --step 10s --memory '60 GiB' plan.ts",
  "$ -m tokens_per_second=1747 plan.ts",
  "",
  "Exit codes: 0 as predicted, 1 input rejected, 2 wrong usage, 3 outside of the",
  "interval, 4 cannot read or write.",
  NULL,
};
static const ts_program program = TS_COMMAND("compares a plan with a run, and says why they differ.");

/* What may be measured; of a rate, what it makes of a step. */
typedef struct compare_name {
  const char *name;
  ts_observed_part part;
  ts_dimension dimension;
  enum { AS_IT_IS, TOKENS, FLOPS, SAMPLES } rate;
} compare_name;
static const compare_name names[] = {
  {"step", TS_OBSERVED_STEP, TS_DIM_TIME, AS_IT_IS},
  {"memory", TS_OBSERVED_MEMORY, TS_DIM_SIZE, AS_IT_IS},
  {"forward", TS_OBSERVED_FORWARD, TS_DIM_TIME, AS_IT_IS},
  {"backward", TS_OBSERVED_BACKWARD, TS_DIM_TIME, AS_IT_IS},
  {"update", TS_OBSERVED_UPDATE, TS_DIM_TIME, AS_IT_IS},
  {"tokens_per_second", TS_OBSERVED_STEP, {0}, TOKENS},
  {"tflops", TS_OBSERVED_STEP, {0}, FLOPS},
  {"samples_per_second", TS_OBSERVED_STEP, {0}, SAMPLES},
};
enum { NAMES = sizeof names / sizeof *names };
static const char *const titles[] = {"step time", "peak memory", "forward", "backward", "update"};
TS_TABLE(titles, TS_OBSERVED_SHOWN);

typedef struct compare_given {
  const compare_name *name;
  const char *text;
} compare_given;

typedef struct compare_task {
  ts_options options;
  ts_arena *arena;
  ts_session *session;
  ts_plan_options plan;
  const char *paths[2], *output, *formats;
  int path_count, form;
  long long most;
  TS_VEC(compare_given) given;
  ts_log log;
  ts_log_steady steady;
  ts_recorded *recorded; /* or NULL: LOG is none */
  ts_observed measured, predicted;
  ts_summary *summary;
  const ts_causes *causes;
  bool inside;
  double batch; /* samples a step that the log states, if the plan has another number; or 0 */
  ts_progress_bar bar;
  ts_progress progress;
} compare_task;

/* ---- Options ---- */

static bool take_given(compare_task *t, const char *name, size_t length, const char *text)
{
  for (size_t i = 0; i < NAMES; i++)
    if (strlen(names[i].name) == length && !strncmp(names[i].name, name, length)) {
      TS_PUSH(t->arena, &t->given, ((compare_given){&names[i], text}));
      return true;
    }
  const char *words[NAMES + 1] = {0};
  for (size_t i = 0; i < NAMES; i++)
    words[i] = names[i].name;
  ts_options_not_among(&t->options, "measured value", ts_arena_string(t->arena, name, length),
                       words);
  return false;
}

static void compare_take(void *task, int id)
{
  compare_task *t = task;
  static const char *const forms[] = {"text", "json", "html", NULL};
  const char *argument = t->options.argument, *equals;
  switch (id) {
  case TS_OPERAND:
    ts_options_operand(&t->options, t->paths, &t->path_count, "one plan and one log at a time");
    break;
  case FORMAT: t->form = ts_options_choice(&t->options, forms); break;
  case OUTPUT: t->output = argument; break;
  case FORMATS: t->formats = argument; break;
  case STEP: take_given(t, "step", strlen("step"), argument); break;
  case MEMORY: take_given(t, "memory", strlen("memory"), argument); break;
  case MEASURED:
    equals = strchr(argument, '=');
    if (equals)
      take_given(t, argument, (size_t)(equals - argument), equals + 1);
    else
      ts_options_wrong(&t->options, "`%s` takes NAME=VALUE, not `%s`", t->options.spelled,
                       argument);
    break;
  case MOST: ts_options_number(&t->options, 0, 1000, &t->most); break;
  default: ts_plan_option(&t->plan, t->arena, &t->options, id);
  }
}

static bool compare_read_options(compare_task *t, int argc, char **argv)
{
  t->options = ts_options_start(&program, argc, argv);
  if (!ts_options_read(&t->options, t, compare_take))
    return false;
  if (t->path_count == 2 || (t->path_count == 1 && t->given.count))
    return true;
  ts_options_wrong(&t->options, "a plan and a log are needed, or what was measured: `--step TIME`");
  return false;
}

/* ---- What was measured ---- */

/* A step from a rate of it; 0: the plan does not say how much a step is. */
static double step_of_rate(const ts_summary *s, const compare_name *name, double rate)
{
  const ts_ir_meta *meta = s->ir->meta;
  double amount = name->rate == TOKENS  ? (double)meta->tokens_per_step / (double)meta->world :
                  name->rate == SAMPLES ? (double)meta->samples_per_step :
                                          s->flops_per_device * s->seconds * 1e-12;
  return amount > 0 && rate > 0 ? amount / rate : 0;
}

static bool read_given(compare_task *t, const compare_given *g)
{
  ts_session *s = t->session;
  const char *what = ts_arena_printf(t->arena, "`%s`", g->name->name);
  uint32_t file =
    ts_sources_add(s->sources, g->name->name, "command line", g->text, strlen(g->text));
  const ts_ast *expr = ts_parse_expr(s->lang, file);
  ts_env *env = ts_env_new(s, NULL);
  double value = 0;
  if (!expr || !(g->name->rate ? ts_eval_real(s, env, expr, what, &value) :
                                 ts_eval_quantity(s, env, expr, g->name->dimension, what, &value)))
    return false;
  if (g->name->part == TS_OBSERVED_MEMORY)
    value /= 8; /* sizes of the language are in bits */
  if (g->name->rate)
    value = step_of_rate(t->summary, g->name, value);
  if (value > 0)
    return t->measured.of[g->name->part] = value, true;
  ts_diag *d = ts_diag_add(s->diags, TS_E0225, expr->span, "%s is no step of this plan", what);
  ts_diag_here(d, "above 0, of a plan that states its tokens");
  return false;
}

static double measured_memory(const ts_log *log)
{
  return log->memory > 0 ? log->memory : log->reserved;
}

/* A recording, or -1: the file is none. `why`: what is wrong with it then. */
static int read_recording(compare_task *t, ts_trace_task *traces, ts_error *why)
{
  const ts_summary *s = t->summary;
  ts_events *e =
    ts_events_read(t->arena, t->paths[1], &(ts_events_options){.progress = &t->progress}, why);
  if (!e)
    return -1;
  t->recorded = TS_NEW(t->arena, ts_recorded);
  if (!ts_recorded_beside(t->arena, e, s->ir, s->run, t->recorded, why))
    return ts_trace_task_refuse(traces, "lay the plan beside", t->paths[1], why);
  ts_recorded_observe(t->arena, t->recorded, &t->measured);
  return TS_EXIT_DONE;
}

static int read_log(compare_task *t)
{
  ts_trace_task traces = {.arena = t->arena, .diags = t->session->diags};
  ts_error why = {0};
  int status = ts_may_be_recorded(t->paths[1]) ? read_recording(t, &traces, &why) : -1;
  if (status >= 0)
    return status;
  status = ts_log_open(t->session, t->paths[1], t->formats, &t->log, &t->steady);
  if (status == TS_EXIT_REJECTED && why.message[0])
    ts_trace_task_refuse(&traces, "read the trace", t->paths[1], &why);
  return status;
}

static int read_measured(compare_task *t)
{
  for (int i = 0; i < TS_OBSERVED_PARTS; i++)
    t->measured.of[i] = NAN;
  int status = t->path_count == 2 ? read_log(t) : TS_EXIT_DONE;
  if (status)
    return status;
  if (t->steady.level_count) {
    t->measured.of[TS_OBSERVED_STEP] = t->steady.levels[t->steady.level_count - 1].median;
    t->measured.of[TS_OBSERVED_MEMORY] = measured_memory(&t->log);
    double batch = ts_log_typical(t->arena, &t->log, &t->steady, TS_LOG_BATCH),
           planned = (double)t->summary->ir->meta->samples_per_step;
    t->batch = batch > 0 && planned > 0 && batch != planned ? batch : 0;
  }
  for (size_t i = 0; i < t->given.count; i++)
    if (!read_given(t, &t->given.at[i]))
      return TS_EXIT_REJECTED;
  return TS_EXIT_DONE;
}

/* ---- Text ---- */

static const char *compare_value(ts_arena *arena, int part, double value)
{
  if (!(value > 0))
    return "";
  return ts_arena_printf(arena, "%s",
                         part == TS_OBSERVED_MEMORY ?
                           ts_format_bytes(value).text :
                           ts_format_time((uint64_t)fmin(value * 1e12, 9e18)).text);
}

static const ts_interval *interval_of(const compare_task *t, int part)
{
  const ts_confidence *c = &t->summary->confidence;
  const ts_interval *i = part == TS_OBSERVED_STEP   ? &c->step :
                         part == TS_OBSERVED_MEMORY ? &c->memory :
                                                      NULL;
  return i && i->on ? i : NULL;
}

static bool is_inside(const compare_task *t, int part)
{
  const ts_interval *i = interval_of(t, part);
  double value = t->measured.of[part];
  return !(value > 0) || (i ? value >= i->low && value <= i->high :
                              fabs(log(value / t->predicted.of[part])) <= 0.2);
}

static void put_table(const compare_task *t, FILE *out)
{
  ts_put_text(out, "  %-14s %12s %24s %12s\n", "", "predicted", "80 %", "measured");
  for (int i = 0; i < TS_OBSERVED_SHOWN; i++) {
    const ts_interval *interval = interval_of(t, i);
    double is = t->measured.of[i], was = t->predicted.of[i];
    if (!(is > 0) && i > TS_OBSERVED_MEMORY)
      continue;
    const char *range =
      interval ? ts_arena_printf(t->arena, "%s to %s", compare_value(t->arena, i, interval->low),
                                 compare_value(t->arena, i, interval->high)) :
                 "";
    ts_put_text(out, is > 0 || *range ? "  %-14s %12s %24s" : "  %-14s %12s", titles[i],
                compare_value(t->arena, i, was), range);
    if (is > 0 && was > 0)
      ts_put_text(out, " %12s %+9.1f %%  %s", compare_value(t->arena, i, is), 100 * (is / was - 1),
                  is_inside(t, i) ? "inside" : "outside");
    fputc('\n', out);
  }
}

static void put_cause(const compare_task *t, const ts_cause *c, uint32_t number, FILE *out)
{
  ts_put_text(out, "%3u. %s\n", number, c->name);
  ts_put_text(out, "  simulated  ");
  for (int i = 0, n = 0; i < TS_OBSERVED_SHOWN; i++)
    if (t->measured.of[i] > 0)
      ts_put_text(out, "%s%s %s", n++ ? ", " : "", titles[i],
                  compare_value(t->arena, i, c->seen.of[i]));
  fputc('\n', out);
  for (const char *at = c->change; *at;) {
    size_t length = strcspn(at, "\n");
    ts_put_text(out, "     %s  %.*s\n", at == c->change ? "with  " : "      ", (int)length, at);
    at += length + (at[length] == '\n');
  }
  ts_put_text(out, "     tell by %s\n", c->tell);
}

static void compare_put_text(const compare_task *t, FILE *out)
{
  ts_put_text(out, "%s beside %s\n", ts_base_name(t->paths[0]),
              t->path_count == 2 ? ts_base_name(t->paths[1]) : "what was measured");
  if (t->recorded)
    ts_recorded_text(t->arena, t->recorded, out);
  if (t->batch > 0)
    ts_put_text(out,
                "  the log has %.0f samples a step, the plan %llu: one of them is another job\n",
                t->batch, (unsigned long long)t->summary->ir->meta->samples_per_step);
  if (t->steady.level_count > 1)
    ts_put_text(out, "  the step time of the log changes: its last level counts (trainspec log)\n");
  if (t->log.runs > 1)
    ts_put_text(out, "  the log has %u runs: the last one counts\n", t->log.runs);
  put_table(t, out);
  if (t->inside)
    ts_put_text(out, "\nAs predicted: what was measured lies inside the interval.\n");
  uint32_t count = t->causes ? t->causes->count : 0;
  if (!count || !t->most) {
    if (!t->inside && t->most)
      ts_put_text(out, t->causes ? "\nNo cause that is known comes near it.\n" :
                                   "\nCauses are changes of a plan: an IR has none.\n");
    return;
  }
  ts_put_text(out, t->inside ? "\nWere it not chance, likeliest first:\n" :
                               "\nWhat would explain it, likeliest first:\n");
  for (uint32_t i = 0; i < count && i < t->most; i++)
    put_cause(t, &t->causes->at[i], i + 1, out);
  if (t->causes->pair_count)
    fputs("\nNone comes near all that was measured; two at once do:\n", out);
  for (uint32_t i = 0; i < t->causes->pair_count && i < t->most; i++)
    put_cause(t, &t->causes->pairs[i], i + 1, out);
}

/* ---- JSON ---- */

static void put_seen(ts_json_writer *w, const char *key, const ts_observed *s)
{
  static const char *const members[] = {"step_s", "memory_bytes", "forward_s", "backward_s",
                                        "update_s"};
  TS_TABLE(members, TS_OBSERVED_SHOWN);
  ts_json_begin(w, key, '{');
  for (int i = 0; i < TS_OBSERVED_SHOWN; i++)
    if (s->of[i] > 0)
      ts_json_put_number(w, members[i], "%.9g", s->of[i]);
  ts_json_end(w, '}');
}

static void put_causes(ts_json_writer *w, const char *key, const ts_cause *at, uint32_t count,
                       long long most)
{
  ts_json_begin(w, key, '[');
  for (uint32_t i = 0; i < count && i < most; i++) {
    ts_json_begin(w, NULL, '{');
    ts_json_put_text(w, "name", at[i].name);
    ts_json_put_number(w, "score", "%.4g", at[i].score);
    ts_json_put_text(w, "change", at[i].change);
    put_seen(w, "predicted", &at[i].seen);
    ts_json_put_text(w, "tell_by", at[i].tell);
    ts_json_end(w, '}');
  }
  ts_json_end(w, ']');
}

static void compare_put_json(const compare_task *t, FILE *out)
{
  ts_json_writer w = {.out = out, .spaced = true};
  ts_json_begin(&w, NULL, '{');
  ts_json_put_text(&w, "type", "trainspec-compare");
  ts_json_put_count(&w, "format", 1);
  put_seen(&w, "measured", &t->measured);
  put_seen(&w, "predicted", &t->predicted);
  ts_json_begin(&w, "interval_80", '{');
  for (int i = 0; i <= TS_OBSERVED_MEMORY; i++) {
    const ts_interval *interval = interval_of(t, i);
    if (!interval)
      continue;
    ts_json_begin(&w, i ? "memory_bytes" : "step_s", '[');
    ts_json_put_number(&w, NULL, "%.9g", interval->low);
    ts_json_put_number(&w, NULL, "%.9g", interval->high);
    ts_json_end(&w, ']');
  }
  ts_json_end(&w, '}');
  ts_json_put_bool(&w, "as_predicted", t->inside);
  if (t->recorded)
    ts_recorded_json(t->recorded, &w, "recorded");
  put_causes(&w, "causes", t->causes ? t->causes->at : NULL, t->causes ? t->causes->count : 0,
             t->most);
  if (t->causes && t->causes->pair_count)
    put_causes(&w, "together", t->causes->pairs, t->causes->pair_count, t->most);
  ts_json_end(&w, '}');
  ts_json_end_document(&w);
}

/* ---- HTML ---- */

static void compare_print_text(void *closure, FILE *out) { compare_put_text(closure, out); }

static void compare_put_html(compare_task *t, FILE *out)
{
  ts_compare_page p = {
    .title = ts_arena_printf(t->arena, "%s beside %s", ts_base_name(t->paths[0]),
                             t->path_count == 2 ? ts_base_name(t->paths[1]) : "what was measured"),
    .parts = titles,
    .predicted = &t->predicted,
    .measured = &t->measured,
    .as_predicted = t->inside,
    .causes = t->causes,
    .most = t->most,
    .log = t->log.count ? &t->log : NULL,
    .steady = &t->steady,
    .text = compare_print_text,
    .closure = t};
  for (int i = 0; i < TS_OBSERVED_SHOWN; i++) {
    p.interval[i] = interval_of(t, i);
    p.inside[i] = is_inside(t, i);
  }
  ts_compare_put_html(&p, out);
}

static void compare_put(void *closure, FILE *out)
{
  compare_task *t = closure;
  if (t->form == HTML)
    compare_put_html(t, out);
  else if (t->form == JSON)
    compare_put_json(t, out);
  else
    compare_put_text(t, out);
}

/* ---- The command ---- */

static int compare_played(compare_task *t, const ts_input *input, const ts_run_options *how)
{
  int status = read_measured(t);
  if (status)
    return status;
  t->inside = true;
  for (int i = 0; i < TS_OBSERVED_SHOWN; i++)
    t->inside &= is_inside(t, i);
  if (t->most)
    t->causes =
      ts_causes_find(t->arena, t->paths[0], input, &t->plan.compile, t->summary, how, &t->measured);
  ts_progress_end(&t->bar);
  if (ts_progress_interrupted())
    return TS_EXIT_ENVIRONMENT;
  status = ts_options_write(&t->options, t->output, compare_put, t);
  return status ? status : t->inside ? TS_EXIT_DONE : TS_EXIT_NO;
}

static int compare(compare_task *t)
{
  ts_stop stop = {.arena = t->arena};
  ts_run_options how = {.progress = &t->progress};
  ts_input input;
  if (!ts_input_open(t->session, t->paths[0], &t->plan.compile, &input))
    return TS_EXIT_REJECTED;
  ts_run *run = ts_run_new(&input.ir, &how, &stop);
  int status = TS_EXIT_REJECTED;
  if (run) {
    const ts_memory *memory = ts_memory_new(t->arena, &input.ir, run);
    t->summary = ts_arena_copy(t->arena, ts_summary_new(t->arena, &input.ir, run, memory, NULL),
                               sizeof *t->summary);
    t->predicted = ts_observed_of(run, memory);
    status = compare_played(t, &input, &how);
  } else if (!ts_stop_diagnose(&stop, &input.ir, ts_session_source_reader(t->session), t->arena,
                               t->session->sources, t->session->diags)) {
    ts_stop_print(&stop, t->options.called, stderr);
  }
  ts_run_free(run);
  ts_input_close(&input);
  return status;
}

int ts_compare_main(int argc, char **argv)
{
  compare_task t = {.arena = ts_arena_new("compare"), .most = 5};
  if (!compare_read_options(&t, argc, argv)) {
    ts_arena_free(t.arena);
    return t.options.status;
  }
  t.session = ts_session_new(t.arena);
  t.progress = ts_progress_shown(&t.bar);
  int status = compare(&t);
  ts_progress_end(&t.bar);
  int rejected = ts_options_report(&t.options, t.session->diags);
  ts_arena_free(t.arena);
  return status && status != TS_EXIT_REJECTED ? status : rejected ? rejected : status;
}
