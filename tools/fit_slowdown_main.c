/* trainspec fit slowdown: how much kernels suffer beside communication, learned from tables and
 * recordings. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/escape.h"
#include "calibrate/slowdown_fit.h"
#include "tools/cli/programs.h"
#include "tools/cli/progress.h"
#include "tools/cli/trace_open.h"
#include "trace/pairs.h"

enum { TRACE = 1, PAIRS, OUTPUT };

static const ts_option options[] = {
  {TRACE, 0, "from-trace", "FILE",
   "take rows from a recording of kernels that ran alone and beside communication", "Rows"},
  {PAIRS, 0, "pairs", "FILE", "write all rows as a table", "Output"},
  {OUTPUT, 'o', "output", "FILE",
   "the model (.ubj or .json), for `tsrun --overlap FILE`; without it only figures are printed",
   NULL},
  {0},
};
static const char *const usage[] = {"[OPTION]... [FILE]...", NULL};
static const char *const notes[] = {
  "A FILE is a table (CSV) with the columns slowdown (time beside a transfer over time",
  "alone) and any of source, kernel, family, time, flops, bytes, sms, dram, l2,",
  "bandwidth, transfer, algorithm, protocol, channels, transfer_bytes, transfer_time,",
  "occupancy, compute, memory, l1, gpu, cuda, in seconds, bytes and shares; empty: not",
  "known. `trainspec-trace metrics` adds those of Nsight Compute.",
  "Formats of recordings: "
#define FORMAT(id, record, name, file, remedy, table, plays, slows) TS_FORMAT_##slows(name ", ")
#include "trace/read/formats.def"
#undef FORMAT
  "plain or gzip.",
  "",
  "The errors printed are those of five-fold cross-validation and, as a test on",
  "unseen sources, of each source predicted from all others: for no slowdown, one",
  "factor, the physical model (doc/overlap.md) and two ways to grow trees. The",
  "better way is kept.",
  "",
  "Examples:",
  "$ data.csv -o model.ubj",
  "$ --from-trace rank0.json.gz --from-trace rank1.json.gz --pairs pairs.csv",
  "",
  "Exit codes: 0 done, 1 a file cannot be used, or too few rows, 2 wrong usage, 4 files",
  "or system.",
  NULL};
static const ts_program program =
  TS_COMMAND("learns how much communication slows concurrent kernels.");

typedef struct fit_slowdown_job {
  ts_trace_task task;
  TS_VEC(const char *) traces;
  ts_slowdown_samples samples;
  const char *pairs, *model;
} fit_slowdown_job;

static bool fit_slowdown_refuse(fit_slowdown_job *j, const char *path, const char *wrong)
{
  ts_diag_add(j->task.diags, TS_E0525, TS_NO_SPAN, "cannot use `%s`: %s", path, wrong);
  return false;
}

static bool read_table(fit_slowdown_job *j, const char *path)
{
  size_t size;
  int error = 0;
  const char *text = ts_read_file(j->task.arena, path, &size, &error);
  if (!text) {
    ts_diag_add(j->task.diags, TS_E0701, TS_NO_SPAN, "cannot read `%s`: %s", path, strerror(error));
    return false;
  }
  const char *wrong =
    ts_slowdown_samples_read(j->task.arena, text, ts_base_name(path), &j->samples);
  return wrong ? fit_slowdown_refuse(j, path, wrong) : true;
}

static bool read_trace(fit_slowdown_job *j, const char *path)
{
  ts_events *e = ts_trace_task_read(&j->task, path, &(ts_events_options){.no_memory = true});
  ts_event_pairs pairs = {0};
  ts_event_overlap overlap = {0};
  if (!e)
    return false;
  ts_event_pairs_add(j->task.arena, e, &pairs, &overlap);
  for (size_t i = 0; i < pairs.count; i++) {
    const ts_event_pair *p = &pairs.at[i];
    ts_slowdown_sample s = {
      .pair = TS_PAIR_UNKNOWN, .source = ts_base_name(path), .slowdown = p->beside / p->alone};
    s.kernel = p->name;
    s.pair.family = p->family;
    s.pair.time = p->alone * 1e-9;
    s.pair.sms = p->fill;
    s.pair.transfer = ts_comm_transfer(p->comm);
    s.pair.transfer_bytes = p->comm_bytes;
    s.pair.transfer_time = p->comm_time * 1e-9;
    TS_PUSH(j->task.arena, &j->samples, s);
  }
  ts_put_text(j->pairs && strcmp(j->pairs, "-") == 0 ? stderr : stdout,
              "%-48s %4zu rows of %" PRIu32
              " kernels that ran both alone and beside communication; %.1f %% of %" PRIu64
              " ran beside it, %.1f %% of their time\n",
              ts_base_name(path), pairs.count, overlap.compared,
              100 * (double)overlap.beside / fmax(1, (double)overlap.instances), overlap.instances,
              100 * overlap.time_beside / fmax(1, overlap.time));
  return true;
}

static void print_scores(const char *title, const ts_slowdown_score *scores)
{
  ts_put_text(stdout, "\n%-40s within 5 %%   10 %%   15 %%     RMSE\n", title);
  for (int w = 0; w < TS_SLOWDOWN_WAYS; w++)
    ts_put_text(stdout, "  %-38s %8.1f %6.1f %6.1f %8.3f\n",
                ts_slowdown_way_name((ts_slowdown_way)w), 100 * scores[w].within[0],
                100 * scores[w].within[1], 100 * scores[w].within[2], scores[w].rmse);
}

static void print_report(const fit_slowdown_job *j, const ts_slowdown_report *r)
{
  ts_put_text(stdout,
              "%" PRIu32 " rows of %" PRIu32 " source%s; slowdown %.2f to %.2f, mean %.3f\n",
              r->rows, r->sources, r->sources == 1 ? "" : "s", r->min, r->max, r->mean);
  print_scores("five-fold cross-validation", r->folds);
  if (r->sources > 1)
    print_scores("each source from all others", r->left_out);
  else
    printf("\nThere is only one source: nothing is known about others.\n");
  ts_put_text(stdout, "\nkept: %s (%s). Share of the squared error that each feature removes:\n",
              ts_slowdown_way_name(r->best),
              r->sources > 1 ? "less error on sources not seen" : "less error in the folds");
  for (uint32_t f = 0; f < TS_LEARNED_FEATURES; f++)
    if (r->gain[f] > 0)
      ts_put_text(stdout, "  %-38s %8.1f %%\n", ts_learned_feature(f), 100 * r->gain[f]);
  ts_put_text(stdout, "\n%-22s %6s slowdown within 5 %%   10 %%   15 %%     RMSE\n", "by family",
              "rows");
  for (uint32_t f = 0; f < r->family_count; f++) {
    const ts_slowdown_family *of = &r->families[f];
    ts_put_text(stdout, "  %-20s %6" PRIu32 " %6.1f %% %10.1f %6.1f %6.1f %8.3f\n", of->name,
                of->rows, 100 * (of->mean - 1), 100 * of->score.within[0],
                100 * of->score.within[1], 100 * of->score.within[2], of->score.rmse);
  }
  ts_put_text(stdout, "errors up to");
  for (int q = 0; q < TS_SLOWDOWN_QUANTILES; q++)
    ts_put_text(stdout, "%s %.1f %% in %.0f %%", q ? "," : "", 100 * r->error[q],
                100 * ts_slowdown_quantile[q]);
  ts_put_text(stdout, " of rows\n");
  const ts_slowdown_score *by = r->sources > 1 ? r->left_out : r->folds;
  if (by[r->best].rmse > by[TS_BY_CONSTANT].rmse)
    ts_put_text(stdout,
                "\nThese rows are too few to learn from for other %s: there one factor "
                "(constant:%.3f) errs less.\n",
                r->sources > 1 ? "sources" : "kernels", r->mean);
  if (j->model)
    ts_put_text(stdout, "written: %s\n", j->model);
}

static void put_pairs(void *closure, FILE *out)
{
  ts_slowdown_samples_write(&((fit_slowdown_job *)closure)->samples, out);
}

static int fit_slowdown_fit(fit_slowdown_job *j)
{
  ts_slowdown_report report;
  for (size_t i = 0; i < j->task.paths.count; i++)
    if (!read_table(j, j->task.paths.at[i]))
      return TS_EXIT_REJECTED;
  for (size_t i = 0; i < j->traces.count; i++)
    if (!read_trace(j, j->traces.at[i]))
      return TS_EXIT_REJECTED;
  if (j->pairs) {
    j->task.output = j->pairs;
    int status = ts_trace_task_write(&j->task, put_pairs, j);
    if (status != TS_EXIT_DONE || (strcmp(j->pairs, "-") == 0 && !j->model))
      return status;
  }
  ts_progress_bar bar;
  ts_progress progress = ts_progress_shown(&bar);
  const char *wrong =
    ts_slowdown_fit(j->task.arena, &j->samples, j->model, &report, &progress);
  ts_progress_end(&bar);
  if (wrong) {
    ts_diag_add(j->task.diags, TS_E0525, TS_NO_SPAN, "no model: %s", wrong);
    return TS_EXIT_REJECTED;
  }
  print_report(j, &report);
  return ts_options_finish(&j->task.options, stdout, TS_EXIT_DONE);
}

int ts_fit_slowdown_main(int argc, char **argv)
{
  fit_slowdown_job j = {.task = ts_trace_task_start(&program, argc, argv)};
  int status = -1;
  for (int id; status < 0 && (id = ts_options_next(&j.task.options)) != TS_OPTIONS_END;)
    switch (id) {
    case TS_OPTIONS_EXIT: status = j.task.options.status; break;
    case TS_OPERAND: TS_PUSH(j.task.arena, &j.task.paths, j.task.options.argument); break;
    case TRACE: TS_PUSH(j.task.arena, &j.traces, j.task.options.argument); break;
    case PAIRS: j.pairs = j.task.options.argument; break;
    case OUTPUT: j.model = j.task.options.argument; break;
    }
  if (status < 0 && j.model && !strcmp(j.model, "-"))
    status =
      ts_options_wrong(&j.task.options, "`-o` takes a file: the figures go to standard output");
  if (status < 0 && !j.task.paths.count && !j.traces.count)
    status = ts_options_wrong(&j.task.options, "no file given");
  return ts_trace_task_end(&j.task, status < 0 ? fit_slowdown_fit(&j) : status);
}
