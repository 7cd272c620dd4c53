/* The library as its header promises it: what adds up adds up, errors are messages, and everything
 * is freed. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "library/trainspec.h"

static const char text[] =
  "import std.models.gpt, std.clusters.dgx, std.strategies.megatron, std.schedules.one_f_one_b, "
  "std.optimizers.adam, std.precision, std.costs\n"
  "plan small(tp: Int = 2, m: Int = 4) {\n"
  "  model = gpt(layers: 4, hidden: 512, heads: 8, vocab: 1024, seq: 256)\n"
  "  cluster = dgx_a100(nodes: 1)\n"
  "  mesh = { tp, pp: 4 }\n"
  "  batch = { micro: 1, global: m }\n"
  "  tokens = 256\n"
  "  apply = [tensor_sequence_parallel(tp)]\n"
  "  schedule = one_f_one_b(p: pp, m: m)\n"
  "  precision = mixed(bf16)\n"
  "  optimizer = adam()\n"
  "  costs = training_a100\n"
  "}\n";

static trainspec_plan *compile(trainspec *ts)
{
  trainspec_plan *plan = trainspec_compile(ts, "small.ts", text, sizeof text - 1, NULL);
  if (!plan)
    trainspec_print_messages(ts, stderr, TRAINSPEC_TEXT);
  cr_assert(plan);
  return plan;
}

typedef struct seen {
  uint64_t count, last, compute, first;
} seen;

static void look(void *closure, const trainspec_event *e)
{
  seen *s = closure;
  s->count++;
  s->last = e->end_ps > s->last ? e->end_ps : s->last;
  if (e->kind == TRAINSPEC_COMPUTE && e->start_ps < s->first)
    s->first = e->start_ps;
  s->compute += e->kind == TRAINSPEC_COMPUTE ? e->end_ps - e->start_ps : 0;
  cr_expect(e->label && e->what && e->stream);
  cr_expect_leq(e->start_ps, e->end_ps);
}

/* The most at once. */
static void look_at_memory(void *closure, uint64_t time, const int64_t *held)
{
  int64_t *most = closure, sum = 0;
  (void)time;
  for (size_t c = 0; trainspec_category(c); c++)
    sum += held[c];
  *most = sum > *most ? sum : *most;
}

static void sums_up(const char *micro_batches)
{
  trainspec *ts = trainspec_new();
  trainspec_define(ts, "m", micro_batches);
  trainspec_plan *plan = compile(ts);
  trainspec_run *run = trainspec_play(plan, NULL);
  cr_assert(run);
  cr_expect_eq(trainspec_ranks(plan), 8);
  cr_expect_str_eq(trainspec_plan_name(plan), "small");
  trainspec_result r = trainspec_result_of(run);
  cr_expect_gt(r.step_ps, 0);
  cr_expect_float_eq(r.time.compute + r.time.exposed_communication + r.time.bubble + r.time.host +
                       r.time.tail,
                     (double)r.step_ps, 1);
  uint64_t nodes = 0, critical = 0;
  for (uint32_t rank = 0; rank < 8; rank++) {
    trainspec_rank at = trainspec_rank_of(run, rank);
    cr_expect_eq(at.compute_ps + at.exposed_ps + at.bubble_ps + at.host_ps + at.tail_ps, r.step_ps,
                 "rank %u", rank);
    cr_expect_leq(at.like, rank);
    seen s = {.first = UINT64_MAX};
    trainspec_timeline(run, rank, look, &s);
    cr_expect_eq(s.first, trainspec_start_of(run, rank));
    cr_expect_eq(s.last, at.end_ps);
    cr_expect_eq(s.compute, at.compute_ps);
    nodes += s.count;
    uint64_t held = 0;
    for (size_t c = 0; trainspec_category(c); c++)
      held += trainspec_held_at_peak(run, rank, c);
    cr_expect_eq(held, at.peak);
    int64_t most = 0;
    trainspec_memory(run, rank, look_at_memory, &most);
    cr_expect_eq((uint64_t)most, at.peak);
  }
  cr_expect_eq(nodes, r.nodes);
  trainspec_critical part;
  for (size_t i = 0; trainspec_critical_at(run, i, &part); i++)
    critical += part.time_ps;
  cr_expect_eq(critical, r.step_ps);
  trainspec_free(ts);
}

Test(library, parts_sum_up_to_the_step) { sums_up("4"); }

/* Events are of all rounds, whatever was played for the figures. */
Test(library, rounds_that_are_left_out_are_there_for_who_asks) { sums_up("400"); }

Test(library, settings_hold_for_what_is_opened_next)
{
  trainspec *ts = trainspec_new();
  trainspec_plan *two = compile(ts);
  trainspec_define(ts, "tp", "1");
  trainspec_plan *one = compile(ts);
  cr_expect_eq(trainspec_ranks(two), 8);
  cr_expect_eq(trainspec_ranks(one), 4);
  trainspec_define(ts, "tp", "3"); /* 8 heads over 3 ranks, and 12 ranks on 8 devices */
  cr_expect_not(trainspec_compile(ts, "small.ts", text, sizeof text - 1, NULL));
  cr_assert_gt(trainspec_message_count(ts), 0);
  trainspec_message m = trainspec_message_at(ts, trainspec_message_count(ts) - 1);
  cr_expect_eq(m.severity, TRAINSPEC_ERROR);
  cr_expect(m.code && m.name && m.text && m.file && m.line && m.column);
  cr_expect(trainspec_play(one, NULL), "what was opened before stays");
  trainspec_free(ts);
}

Test(library, what_fails_leaves_a_message)
{
  trainspec *ts = trainspec_new();
  cr_expect_not(trainspec_open(ts, "/nowhere/plan.ts", NULL));
  cr_assert_eq(trainspec_message_count(ts), 1);
  cr_expect_str_eq(trainspec_message_at(ts, 0).code, "E0701");
  cr_expect_not(trainspec_message_at(ts, 0).file);
  trainspec_plan *plan = compile(ts);
  size_t before = trainspec_message_count(ts);
  cr_expect_not(trainspec_play(plan, &(trainspec_options){.overlap = "no such model"}));
  cr_expect_eq(trainspec_message_count(ts), before + 1);
  cr_expect_not(trainspec_write(plan, "/nowhere/plan.ir"));
  cr_expect_eq(trainspec_message_count(ts), before + 2);
  cr_expect_not(trainspec_warning(ts, "no-such-warning-at-all"));
  trainspec_free(ts);
  trainspec_free(NULL);
}

static bool stop(void *closure, const char *what, double share)
{
  (void)what, (void)share;
  *(bool *)closure = true;
  return false;
}

Test(library, a_play_can_be_stopped)
{
  trainspec *ts = trainspec_new();
  bool requested = false;
  trainspec_define(ts, "m", "100000");
  trainspec_run *run = trainspec_play(
    compile(ts), &(trainspec_options){.progress = stop, .closure = &requested, .threads = 1});
  cr_expect(!run || !requested, "a play that was stopped has no result");
  trainspec_free(ts);
}

Test(library, an_ir_plays_like_its_plan)
{
  char path[] = "/tmp/trainspec-library-XXXXXX";
  int file = mkstemp(path);
  cr_assert_geq(file, 0);
  close(file);
  trainspec *ts = trainspec_new();
  trainspec_define(ts, "m", "400"); /* and all of its rounds */
  trainspec_plan *plan = compile(ts);
  cr_assert(trainspec_write(plan, path));
  trainspec *other = trainspec_new(); /* without the parameter, which an IR has not */
  trainspec_plan *ir = trainspec_open(other, path, NULL);
  cr_assert(ir);
  uint64_t step = trainspec_result_of(trainspec_play(plan, NULL)).step_ps;
  cr_expect_eq(trainspec_result_of(trainspec_play(ir, NULL)).step_ps, step);
  trainspec_close(plan);
  trainspec_close(plan); /* once is enough, twice does no harm */
  unlink(path);
  trainspec_free(other);
  trainspec_free(ts);
}

Test(library, reports_are_those_of_the_program)
{
  trainspec *ts = trainspec_new();
  trainspec_run *run = trainspec_play(compile(ts), NULL);
  static const char *const begin[] = {[TRAINSPEC_TEXT] = "",
                                      [TRAINSPEC_JSON] = "{",
                                      [TRAINSPEC_CSV] = "",
                                      [TRAINSPEC_HTML] = "<!DOCTYPE html",
                                      [TRAINSPEC_SVG] = "<svg"};
  for (int format = TRAINSPEC_TEXT; format <= TRAINSPEC_SVG; format++) {
    char *got = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&got, &size);
    cr_assert(out);
    cr_expect(trainspec_report(run, out, (trainspec_format)format));
    fclose(out);
    cr_expect_gt(size, 100);
    cr_expect_eq(strncmp(got, begin[format], strlen(begin[format])), 0,
                 "format %d begins with %.20s", format, got);
    size_t length = 0;
    const char *same = trainspec_report_text(run, (trainspec_format)format, &length);
    cr_expect(length == size && !memcmp(same, got, size), "format %d is the same as text", format);
    free(got);
  }
  trainspec_free(ts);
}

Test(library, a_failed_write_spoils_no_report)
{
  trainspec *ts = trainspec_new();
  trainspec_run *run = trainspec_play(compile(ts), NULL);
  cr_expect_not(trainspec_trace(run, "/nowhere/step.json"));
  cr_expect(trainspec_report_text(run, TRAINSPEC_JSON, NULL));
  trainspec_free(ts);
}

Test(library, messages_are_text_too)
{
  trainspec *ts = trainspec_new();
  cr_expect_str_eq(trainspec_messages_text(ts, TRAINSPEC_TEXT, NULL), "");
  trainspec_open(ts, "/nowhere/plan.ts", NULL);
  size_t size = 0;
  const char *text = trainspec_messages_text(ts, TRAINSPEC_TEXT, &size);
  cr_expect_eq(strlen(text), size);
  cr_expect(strstr(text, "error[E0701]"));
  cr_expect_eq(
    strncmp(trainspec_messages_text(ts, TRAINSPEC_JSON, NULL), "{\"type\":\"diagnostic\"", 20), 0);
  trainspec_free(ts);
}

/* What is not known is NaN, and each figure has a name. */
Test(library, figures_have_names)
{
  trainspec *ts = trainspec_new();
  trainspec_run *run = trainspec_play(compile(ts), NULL);
  trainspec_result r = trainspec_result_of(run);
  trainspec_figure figure;
  size_t count = 0;
  for (; trainspec_figure_at(count, &figure); count++) {
    double value = r.figures[count];
    cr_expect(figure.better == 1 || figure.better == -1, "%s", figure.name);
    if (!strcmp(figure.name, "step_time"))
      cr_expect_float_eq(value, (double)r.step_ps * 1e-12, 1e-15);
    else if (!strcmp(figure.name, "peak_memory"))
      cr_expect_eq(value, 8 * (double)(r.peak + r.reserved));
    else if (!strcmp(figure.name, "cost"))
      cr_expect(isnan(value), "no device has a price");
    else
      cr_expect(isnan(value) || value > 0, "%s", figure.name);
  }
  cr_expect_gt(count, 5);
  trainspec_free(ts);
}

Test(library, sweeps_play_the_family)
{
  char path[] = "/tmp/trainspec-sweep-XXXXXX";
  int file = mkstemp(path);
  cr_assert_eq(write(file, text, sizeof text - 1), (ssize_t)(sizeof text - 1));
  close(file);
  trainspec *ts = trainspec_new();
  trainspec_sweep *sweep =
    trainspec_sweep_open(ts, path, NULL,
                         "vary tp in [1, 2, 3]\nvary m in [4, 8]\nrequire tokens_per_second > 0, "
                         "\"some tokens\"\nminimize step_time\n");
  if (!sweep)
    trainspec_print_messages(ts, stderr, TRAINSPEC_TEXT);
  cr_assert(sweep);
  cr_assert_eq(trainspec_sweep_plans(sweep), 6);
  cr_expect_not(trainspec_sweep_maximizes(sweep));
  cr_expect_str_eq(trainspec_sweep_column(sweep, 0), "tp");
  cr_expect_str_eq(trainspec_sweep_value(sweep, 5, 0), "3");
  cr_expect_not(trainspec_sweep_column(sweep, 2));
  for (size_t i = 0; i < 6; i++) {
    trainspec_outcome out;
    cr_assert(trainspec_sweep_play(sweep, i, &out));
    if (!strcmp(trainspec_sweep_value(sweep, i, 0), "3")) {
      cr_expect_eq(out.state, TRAINSPEC_REFUSED);
      cr_expect(out.why && *out.why);
    } else {
      cr_expect_eq(out.state, TRAINSPEC_RANKED, "plan %zu", i);
      cr_expect_float_eq(out.objective, (double)out.result.step_ps * 1e-12, 1e-15);
    }
  }
  unlink(path);
  trainspec_free(ts);
}
