/* trainspec fit network: calibrates the white box of a collective library to measured calls. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "base/escape.h"
#include "base/options.h"
#include "base/output.h"
#include "base/source.h"
#include "calibrate/fabric_fit.h"
#include "calibrate/network_curves.h"
#include "calibrate/network_fit.h"
#include "calibrate/network_npkit.h"
#include "compiler/eval/files.h"
#include "compiler/eval/session.h"
#include "compiler/eval/stdlib_embed.h"
#include "compiler/machine/network_table.h"
#include "cost/cost.h"
#include "ir/spelling.h"
#include "runtime/collective/statistical.h"
#include "tools/cli/programs.h"
#include "tools/cli/progress.h"

enum {
  MODEL = 1,
  HARDWARE,
  BETWEEN,
  WHERE,
  OF,
  INTRA,
  INTER,
  DEVICE,
  LIBRARY,
  EXTRAPOLATE,
  UPDATE,
  RATE,
  OUTPUT,
  MAX_WHERE = 8
};

static const ts_option options[] = {
  {MODEL, 0, "model", "MODEL",
   "whitebox: the library's methods; statistical: curves of bandwidth (whitebox)", "What to fit"},
  {HARDWARE, 0, "hardware", "FILE",
   "for a white box: network file with the library's constants; std/... names one of the standard "
   "library",
   NULL},
  {BETWEEN, 0, "between", "FILE",
   "for rows of several nodes: file of the fabric whose constants the fit begins with, "
   "std/networks/infiniband.json",
   NULL},
  {DEVICE, 0, "device", "NAME", "the measured device, for reports; logs name it themselves",
   "What was measured"},
  {LIBRARY, 0, "library", "NAME", "the library and its version, for reports", NULL},
  {INTRA, 0, "intra", "GB/S",
   "bandwidth of a device inside its island, one direction; distinguishes algorithms", NULL},
  {INTER, 0, "inter", "GB/S", "bandwidth of an island to all others, one direction", NULL},
  {WHERE, 0, "where", "COLUMN=TEXT", "only rows of tables with this text in this column", "Rows"},
  {OF, 0, "of", "COLLECTIVE",
   "the collective, for tables without a column for it and logs that do not name it", NULL},
  {EXTRAPOLATE, 0, "extrapolate", NULL, "also predict left-out rows beyond the fitted sizes", NULL},
  {UPDATE, 0, "update", "FILE",
   "for curves: what --model statistical made of another cluster learns from these calls, one "
   "after the other",
   "Updates"},
  {RATE, 0, "rate", "ETA",
   "share by which a call moves them, up to 0.25 (0.125: the most that never overshoots)", NULL},
  {OUTPUT, 'o', "output", "FILE",
   "the network file, `-` for standard output; without it only residuals are printed", "Output"},
  {0},
};
static const char *const usage[] = {"--hardware FILE [OPTION]... FILE...",
                                    "--model statistical [OPTION]... FILE...",
                                    "--model statistical --update FILE [OPTION]... FILE...", NULL};
static const char *const notes[] = {
  "A FILE is the raw output of nccl-tests, a table (CSV, plain or gzip) with the",
  "columns collective, gpus (or ranks), nodes (or islands), bytes, time_us, or a",
  "trace of NPKit, which gives steps, chunks and the reduction their times. Each",
  "collective at each number of ranks and nodes is a group with methods of its own;",
  "statistical curves are one for each collective.",
  "",
  "The errors printed are those on sizes that a fit to every second size has not",
  "seen, beside those of one latency and one bandwidth fitted to the same sizes.",
  "The file is fitted to all rows.",
  "",
  "Examples:",
  "$ --hardware std/networks/nccl_hopper.json --intra 450 all_reduce.log -o net.json",
  "$ --model statistical --where gpu=h100_sxm nccl.csv -o curves.json",
  "$ --model statistical --update curves.json training.csv -o here.json",
  "",
  "Exit codes: 0 done, 1 a file cannot be used, 2 wrong usage, 4 cannot read or",
  "write.",
  NULL,
};
static const ts_program program = TS_COMMAND("calibrates a network to measured collectives.");

typedef struct fit_network_source {
  const char *name;
  char sha256[2 * TS_DIGEST_SIZE + 1];
  uint32_t rows;
} fit_network_source;

typedef struct fit_network_job {
  ts_options options;
  ts_arena *arena;
  TS_VEC(const char *) files;
  TS_VEC(fit_network_source) sources;
  TS_VEC(ts_ir_net_point) points;
  TS_VEC(ts_npkit) traces;
  ts_condition where[MAX_WHERE];
  uint32_t where_count;
  ts_fit_links links;
  const char *hardware, *between, *device, *library, *output, *update;
  double rate;
  int of;
  bool extrapolate, statistical;
  FILE *talk;   /* figures: standard output, unless the file goes there */
  const ts_network_file *file;
  ts_progress_bar bar;
  ts_progress progress;
} fit_network_job;

static int complain(const fit_network_job *j, int status, const char *path, uint32_t line,
                    const char *what)
{
  if (line)
    ts_put_text(stderr, "%s: %s:%u: %s\n", j->options.called, path, line, what);
  else
    ts_put_text(stderr, "%s: %s: %s\n", j->options.called, path, what);
  return status;
}

static int fit_network_refuse(const fit_network_job *j, const char *path, const ts_error *error)
{
  return complain(j, TS_EXIT_REJECTED, path, error->line, error->message);
}

static void take_where(fit_network_job *j)
{
  char *text = ts_arena_string(j->arena, j->options.argument, strlen(j->options.argument)),
       *equals = strchr(text, '=');
  if (!equals || equals == text || j->where_count == MAX_WHERE) {
    ts_options_wrong(&j->options, "`--where` takes COLUMN=TEXT, at most %d times", MAX_WHERE);
    return;
  }
  *equals = 0;
  j->where[j->where_count++] = (ts_condition){text, equals + 1};
}

static void take_rate(fit_network_job *j)
{
  char *end;
  j->rate = strtod(j->options.argument, &end);
  if (*end || !(j->rate > 0 && j->rate <= 2 * TS_NETWORK_RATE))
    ts_options_wrong(&j->options, "`--rate` takes a number above 0, up to %g", 2 * TS_NETWORK_RATE);
}

static void fit_network_take(void *task, int id)
{
  fit_network_job *j = task;
  static const char *const models[] = {"whitebox", "statistical", NULL};
  switch (id) {
  case TS_OPERAND: TS_PUSH(j->arena, &j->files, j->options.argument); break;
  case MODEL: j->statistical = ts_options_choice(&j->options, models) == 1; break;
  case HARDWARE: j->hardware = j->options.argument; break;
  case BETWEEN: j->between = j->options.argument; break;
  case DEVICE: j->device = j->options.argument; break;
  case LIBRARY: j->library = j->options.argument; break;
  case OUTPUT:
    j->output = j->options.argument;
    j->talk = strcmp(j->output, "-") ? stdout : stderr;
    break;
  case UPDATE: j->update = j->options.argument; break;
  case RATE: take_rate(j); break;
  case EXTRAPOLATE: j->extrapolate = true; break;
  case INTRA: ts_options_rate(&j->options, &j->links.intra); break;
  case INTER: ts_options_rate(&j->options, &j->links.inter); break;
  case WHERE: take_where(j); break;
  case OF:
    j->of = ts_collective_named(j->options.argument);
    if (j->of < 0)
      ts_options_wrong(&j->options, "no collective is named `%s`", j->options.argument);
    break;
  }
}

static bool fit_network_read_options(fit_network_job *j, int argc, char **argv)
{
  j->options = ts_options_start(&program, argc, argv);
  if (!ts_options_read(&j->options, j, fit_network_take))
    return false;
  bool hardware = j->hardware || j->statistical;
  if (!hardware)
    ts_options_wrong(&j->options,
                     "`--hardware` is needed: std/networks/NAME.json or a file of your own");
  else if (j->update && !j->statistical)
    ts_options_wrong(&j->options, "`--update` is for `--model statistical`");
  else if (j->rate > 0 && !j->update)
    ts_options_wrong(&j->options, "`--rate` is for `--update`");
  else if (!j->files.count)
    ts_options_wrong(&j->options, "no FILE given");
  else
    return true;
  return false;
}

static const char *read_text(fit_network_job *j, const char *path, size_t *size, int *status)
{
  const ts_embedded_file *file = ts_session_embedded(path);
  if (file) {
    *size = file->size;
    return (const char *)file->bytes;
  }
  int error = 0;
  char *bytes = ts_read_file(j->arena, path, size, &error);
  if (!bytes) {
    *status = complain(j, TS_EXIT_ENVIRONMENT, path, 0, strerror(error ? error : EIO));
    return NULL;
  }
  ts_error wrong = {0};
  const char *text = ts_cost_text(j->arena, bytes, *size, size, &wrong);
  if (!text)
    *status = fit_network_refuse(j, path, &wrong);
  return text;
}

static void add_points(fit_network_job *j, const char *path, const char *text, size_t size,
                       const ts_ir_net_point *points, uint32_t count)
{
  uint8_t digest[TS_DIGEST_SIZE];
  fit_network_source s = {.name = ts_base_name(path), .rows = count};
  ts_digest_bytes(text, size, digest);
  ts_digest_hex(digest, s.sha256);
  TS_PUSH(j->arena, &j->sources, s);
  for (uint32_t i = 0; i < count; i++)
    TS_PUSH(j->arena, &j->points, points[i]);
}

static int read_measured(fit_network_job *j, const char *path)
{
  int status = 0;
  size_t size = 0;
  ts_error error;
  const char *text = read_text(j, path, &size, &status);
  if (!text)
    return status;
  if (ts_npkit_is(text, size)) {
    ts_npkit trace;
    if (!ts_npkit_read(j->arena, text, size, &trace, &error))
      return fit_network_refuse(j, path, &error);
    TS_PUSH(j->arena, &j->traces, trace);
    add_points(j, path, text, size, NULL, 0);
    return 0;
  }
  ts_network_options o = {.collective = j->of,
                          .where = j->where,
                          .where_count = j->where_count,
                          .repeats = j->statistical};
  bool log = ts_network_is_log(text, size);
  const ts_network_table *table =
    log ? ts_network_log_read(j->arena, text, size, j->of, &error) :
          ts_network_table_read(j->arena, text, size, &o, &error);
  if (!table)
    return fit_network_refuse(j, path, &error);
  if (log && !j->device)
    j->device = table->device;
  if (table->passed_over)
    complain(j, 0, path, table->first_passed, ts_network_passed_over(j->arena, table));
  add_points(j, path, text, size, table->points, table->count);
  return 0;
}

/* What the file rests on, as a member of its object. */
static void put_sources(void *closure, ts_json_writer *w)
{
  const fit_network_job *j = closure;
  ts_json_begin(w, "data", '[');
  for (size_t i = 0; i < j->sources.count; i++) {
    const fit_network_source *s = &j->sources.at[i];
    ts_json_line(w, 2);
    ts_json_begin(w, NULL, '{');
    ts_json_put_text(w, "file", s->name);
    ts_json_put_text(w, "sha256", s->sha256);
    ts_json_put_count(w, "rows", s->rows);
    if (j->where_count)
      ts_json_begin(w, "where", '{');
    for (uint32_t c = 0; c < j->where_count; c++)
      ts_json_put_text(w, j->where[c].column, j->where[c].text);
    if (j->where_count)
      ts_json_end(w, '}');
    ts_json_end(w, '}');
  }
  ts_json_end(w, ']');
}

static void put_file(void *closure, FILE *out)
{
  const fit_network_job *j = closure;
  ts_network_file_write(out, j->file, put_sources, closure);
}

/* Errors on the sizes left out, both halves in turn. */
static void print_residuals(fit_network_job *j, const ts_network_file *hardware,
                            const ts_network_table *table)
{
  ts_network_score *score, all;
  uint32_t groups = ts_network_residuals(j->arena, hardware, j->links, table->points, table->count,
                                         j->extrapolate, &score, &all, &j->progress);
  ts_progress_end(&j->bar);
  ts_put_text(j->talk, "%-16s %5s %7s %5s   %-8s %-8s %-8s %s\n", "errors on", "ranks", "islands",
              "rows", "mean", "median", "worst", "alpha-beta");
  for (uint32_t g = 0; g < groups; g++) {
    const ts_network_score *s = &score[g];
    ts_put_text(j->talk, "%-16s %5u %7u %5u   %6.1f %% %6.1f %% %6.1f %% %6.1f %%\n",
                ts_collective_name(s->collective), s->ranks, s->islands, s->rows, 100 * s->mean,
                100 * s->median, 100 * s->worst, 100 * s->baseline);
  }
  if (all.rows)
    ts_put_text(j->talk, "%-16s %5s %7s %5u   %6.1f %% %19s %6.1f %%\n", "all", "", "", all.rows,
                100 * all.mean, "", 100 * all.baseline);
  if (all.beyond && !j->extrapolate)
    fprintf(
      j->talk,
      "not predicted: %u sizes beyond those that their half has; --extrapolate predicts them too\n",
      all.beyond);
}

static void print_methods(const fit_network_job *j, const ts_network_file *f)
{
  ts_put_text(j->talk, "\n%-16s %5s %7s  %-11s %-7s %12s %12s\n", "methods", "ranks", "islands",
              "algorithm", "by", "latency us", "rate GB/s");
  for (uint32_t i = 0; i < f->method_count; i++) {
    const ts_ir_net_method *m = &f->methods[i];
    double rate = m->islands > 1 ? m->inter_rate : m->intra_rate;
    if (!m->ranks)
      continue;
    ts_profile p = ts_fit_profile((ts_fit_links){0, 0}, m->ranks, m->islands);
    double latency = ts_network_method_latency(m, &p);
    ts_put_text(j->talk, "%-16s %5u %7u  %-11s %-7s %12.2f ", ts_collective_name(m->collective),
                m->ranks, m->islands, ts_ir_algorithm_names[m->algorithm],
                ts_ir_protocol_names[m->protocol], latency * 1e6);
    if (rate > 0)
      fprintf(j->talk, "%12.2f\n", rate * 1e-9);
    else
      ts_put_text(j->talk, "%12s\n", "-");
  }
}

static int fit_network_finish(fit_network_job *j, ts_network_file *f)
{
  f->device = j->device ? j->device : "";
  f->library = j->library ? j->library : f->library;
  j->file = f;
  return j->output ? ts_options_write(&j->options, j->output, put_file, j) :
                     ts_options_finish(&j->options, stdout, TS_EXIT_DONE);
}

static void print_curves(const fit_network_job *j, const ts_network_file *f)
{
  ts_put_text(j->talk, "\n%-16s %5s  %-8s %12s %12s %12s %8s\n", "curves", "ranks", "",
              "latency us", "rate GB/s", "half at", "slope");
  for (uint32_t i = 0; i < f->curve_count; i++) {
    const ts_ir_net_curve *c = &f->curves[i];
    const char *name = ts_collective_name(c->collective);
    if (c->intra_limit > 0)
      ts_put_text(j->talk, "%-16s %2u-%-3u  %-8s %12.2f %12.2f %12.0f %8.2f\n", name,
                  c->least_ranks, c->most_ranks, "inside", (double)c->intra_latency * 1e-6,
                  (c->intra_limit + c->intra_floor) * 1e-9, c->intra_middle, c->intra_slope);
    if (c->inter_limit > 0)
      ts_put_text(j->talk, "%-16s %2u-%-3u  %-8s %12.2f %12.2f %12.0f %8.2f\n", name,
                  c->least_ranks, c->most_ranks, "between", (double)c->inter_latency * 1e-6,
                  (c->inter_limit + c->inter_floor) * 1e-9, c->inter_middle, c->inter_slope);
    if (c->most_late > 1)
      ts_put_text(j->talk,
                  "%-16s stragglers: upper quartile over fastest %.3f (%u ranks, %.4g B) to %.3f "
                  "(%u, %.4g)\n",
                  name, ts_curve_stragglers(c, (double)c->least, c->least_ranks), c->least_ranks,
                  (double)c->least, ts_curve_stragglers(c, (double)c->most, c->most_ranks),
                  c->most_ranks, (double)c->most);
  }
}

static const char *wrong_rows(const ts_ir_net_point *points, uint32_t count)
{
  for (uint32_t i = 0; i < count; i++)
    if (points[i].ranks < 2 || points[i].islands > points[i].ranks)
      return "a row has fewer than two ranks, or more islands than ranks";
  return NULL;
}

/* The curves of a file, which learn from the calls. Its digest stands among what the new one rests
 * on. */
static int update_statistical(fit_network_job *j, const ts_network_file *old)
{
  ts_network_file f = *old;
  f.curves = ts_arena_copy(j->arena, f.curves, f.curve_count * sizeof *f.curves);
  ts_network_sort_points(j->points.at, (uint32_t)j->points.count);
  uint32_t count;
  const ts_network_learnt *learnt = ts_network_update_curves(
    j->arena, f.curves, f.curve_count, j->points.at, (uint32_t)j->points.count,
    j->rate > 0 ? j->rate : TS_NETWORK_RATE, &count);
  ts_put_text(j->talk, "%-16s %5s   %-10s %-10s %s\n", "mean errors", "calls", "the file",
              "as it came", "after");
  uint32_t rows = 0;
  for (const ts_network_learnt *l = learnt; l < learnt + count; l++) {
    rows += l->rows;
    if (l->rows)
      ts_put_text(j->talk, "%-16s %5u   %6.1f %%   %6.1f %%   %6.1f %%\n",
                  ts_collective_name(l->collective), l->rows, 100 * l->file, 100 * l->coming,
                  100 * l->after);
    if (l->passed_over)
      ts_put_text(j->talk, "passed over: %u calls of %s on links that the file has no curve of\n",
                  l->passed_over, ts_collective_name(l->collective));
  }
  if (!rows)
    return complain(j, TS_EXIT_REJECTED, j->update, 0, "has no curve for any of these calls");
  return fit_network_finish(j, &f);
}

/* Repeats are kept for the stragglers; errors are on their medians. */
static int fit_statistical(fit_network_job *j)
{
  ts_network_file f = {.device = "",
                       .library = "",
                       .links = {.intra_links = j->links.intra, .inter_links = j->links.inter}};
  uint32_t count = (uint32_t)j->points.count;
  ts_network_sort_points(j->points.at, count);
  ts_ir_net_point *medians = ts_arena_copy(j->arena, j->points.at, count * sizeof *medians);
  print_residuals(j, NULL, ts_network_table_of_points(j->arena, medians, count));
  f.curves = ts_network_fit_curves(j->arena, j->points.at, count, &f.curve_count);
  if (!f.curve_count)
    return complain(j, TS_EXIT_REJECTED, j->files.at[0], 0,
                    "no collective has three sizes or more");
  print_curves(j, &f);
  return fit_network_finish(j, &f);
}

/* What traces show of steps goes into the hardware's methods before these are calibrated. */
static int apply_traces(fit_network_job *j, ts_network_file *hardware)
{
  if (j->traces.count)
    ts_put_text(j->talk, "%-16s %5s  %-11s %-7s %8s %8s %12s %12s %14s\n", "traces of steps",
                "ranks", "algorithm", "by", "channels", "chunk", "a step us", "network us",
                "reduction ps/B");
  for (size_t i = 0; i < j->traces.count; i++) {
    const ts_npkit *n = &j->traces.at[i];
    ts_put_text(j->talk, "%-16s %5u  %-11s %-7s %8u %8.0f %12.2f %12.2f %14.3f\n",
                ts_collective_name(n->collective), n->ranks,
                ts_ir_algorithm_names[n->algorithm], ts_ir_protocol_names[n->protocol],
                n->channels, n->chunk, n->intra_hop, n->inter_hop, n->reduction);
    if (!ts_npkit_apply(n, hardware))
      return complain(j, TS_EXIT_REJECTED, j->hardware, 0,
                      "has no method of the collective, algorithm and protocol of a trace");
  }
  if (j->traces.count)
    fprintf(j->talk, "\n");
  return 0;
}

static bool in_one_island(const ts_network_table *rows)
{
  for (uint32_t i = 0; i < rows->count; i++)
    if (rows->points[i].islands < 2)
      return true;
  return false;
}

/* The fabric's own constants are fitted to the rows, and go into the hardware's methods before
 * these are calibrated: so they serve other numbers of nodes. */
static int apply_fabric(fit_network_job *j, ts_network_file *hardware, const ts_network_table *rows)
{
  int status = 0;
  size_t size = 0;
  ts_error error;
  const char *text = j->between ? read_text(j, j->between, &size, &status) : NULL;
  if (!text)
    return status;
  const ts_network_file *file = ts_network_file_read(j->arena, text, size, &error);
  if (!file)
    return fit_network_refuse(j, j->between, &error);
  if (!file->between)
    return complain(j, TS_EXIT_REJECTED, j->between, 0, "is no file of a fabric: no `between`");
  if (!(j->links.intra > 0 && j->links.inter > 0))
    return complain(j, TS_EXIT_USAGE, j->between, 0, "`--between` needs `--intra` and `--inter`");
  if (in_one_island(rows))
    return complain(j, TS_EXIT_REJECTED, j->files.at[0], 0,
                    "has rows inside one island: with `--between` all are of several");
  ts_fabric fabric = *file->between;
  ts_fabric_fit_points(j->arena, &fabric, hardware, j->links, rows->points, rows->count,
                       &j->progress);
  ts_progress_end(&j->bar);
  ts_fabric_apply(j->arena, &fabric, hardware);
  ts_put_text(j->talk,
              "fabric: steps of %.1f us (LL), %.1f (LL128), %.1f (Simple, trees), %.1f (rings); "
              "%.1f %% of the links' rate, first chunks x %.2f\n\n",
              fabric.hop, fabric.line_hop, fabric.tree_hop, fabric.ring_hop, 100 * fabric.share,
              fabric.chunks);
  return 0;
}

static int fit_network_fit(fit_network_job *j)
{
  int status = 0;
  size_t size = 0;
  ts_error error;
  const char *begin = j->statistical ? j->update : j->hardware,
             *text = begin ? read_text(j, begin, &size, &status) : NULL;
  ts_network_file *hardware = text ? ts_network_file_read(j->arena, text, size, &error) : NULL;
  if (status)
    return status;
  if (begin && !hardware)
    return fit_network_refuse(j, begin, &error);
  if (j->update)
    add_points(j, begin, text, size, NULL, 0);
  for (size_t i = 0; i < j->files.count && !status; i++)
    status = read_measured(j, j->files.at[i]);
  if (status)
    return status;
  if (j->statistical) {
    const char *wrong = wrong_rows(j->points.at, (uint32_t)j->points.count);
    return wrong     ? complain(j, TS_EXIT_REJECTED, j->files.at[0], 0, wrong) :
           j->update ? update_statistical(j, hardware) :
                       fit_statistical(j);
  }
  if ((status = apply_traces(j, hardware)))
    return status;
  const ts_network_table *all =
    ts_network_table_of_points(j->arena, j->points.at, (uint32_t)j->points.count);
  const char *wrong = wrong_rows(all->points, all->count);
  if (wrong)
    return complain(j, TS_EXIT_REJECTED, j->files.at[0], 0, wrong);
  if ((status = apply_fabric(j, hardware, all)))
    return status;
  if (all->count)
    print_residuals(j, hardware, all);
  ts_network_file *f = ts_network_fit(j->arena, hardware, j->links, all->points, all->count,
                                      &j->progress);
  ts_progress_end(&j->bar);
  if (all->count)
    print_methods(j, f);
  return fit_network_finish(j, f);
}

int ts_fit_network_main(int argc, char **argv)
{
  fit_network_job j = {.arena = ts_arena_new("fit network"), .of = -1, .talk = stdout};
  j.progress = ts_progress_shown(&j.bar);
  int status = fit_network_read_options(&j, argc, argv) ? fit_network_fit(&j) : j.options.status;
  ts_progress_end(&j.bar);
  ts_arena_free(j.arena);
  return status;
}
