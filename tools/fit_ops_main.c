/* trainspec fit ops: fits the kernels of a device to tables of measured times. A part of the rows
 * is kept in the fit; the others only show how good it is. */
#include <errno.h>
#include <gsl/gsl_errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/options.h"
#include "base/source.h"
#include "calibrate/device_sheets.h"
#include "calibrate/fit_file.h"
#include "calibrate/operator_fit.h"
#include "calibrate/operator_update.h"
#include "tools/cli/programs.h"
#include "tools/cli/progress.h"

enum { MAX_TABLES = 32, LEAST_ROWS = 8 };
enum { DEVICE = 1, SHEETS, UNITS, KEEP, FAMILY, DTYPE, TREES, ALSO, MODEL, UPDATE, WEIGH, OUTPUT };

static const ts_option option_list[] = {
  {DEVICE, 0, "device", "NAME",
   "the measured device, for reports; in the second form: a row of SHEETS", "Devices"},
  {SHEETS, 0, "devices", "SHEETS",
   "CSV: device,tflops,terabytes_per_s,watts,units,gigahertz[,l2_megabytes] (peaks for the number "
   "format of the tables; watts may be empty)",
   NULL},
  {UNITS, 0, "units", "N", "parallel processors of the device (sms of its `gpu`)", NULL},
  {KEEP, 0, "keep", "SHARE", "share of the rows kept in the fit; the rest validates it (0.1)",
   "Rows"},
  {UPDATE, 0, "update", "FIT", "third form: the fit file that takes the rows of the tables", NULL},
  {WEIGH, 0, "weigh", "SHARE",
   "third form: what a new row counts at sizes that the fit has (0.5); the rest is the earlier one",
   NULL},
  {FAMILY, 0, "family", "NAME",
   "only kernels of this family; also the family of tables that name none (every family with "
   "sizes)",
   NULL},
  {DTYPE, 0, "dtype", "NAME", "only kernels of this number format, likewise", NULL},
  {MODEL, 0, "model", "NAME",
   "physical model: gemm, attention, attention_apart or stream (the one with the family's name, "
   "else powers of the sizes)",
   "Fit"},
  {TREES, 0, "trees", NULL,
   "use boosted trees or a forest (needs the XGBoost library) where they predict left-out rows, or "
   "left-out devices, better than the physical model alone and the Gaussian process",
   NULL},
  {ALSO, 0, "also", "NAME", "another number format with the same rate and the same answers", NULL},
  {OUTPUT, 'o', NULL, "FILE", "the fit file", NULL},
  {0},
};
static const char *const usage[] = {
  "TABLE... --device NAME --units N [OPTION]... -o FILE",
  "DEVICE=TABLE... --devices SHEETS --device NAME [OPTION]... -o FILE",
  "--update FIT TABLE... [OPTION]... -o FILE", NULL};
static const char *const notes[] = {
  "Fits physical models of kernels to tables of measured times (doc/costs.md) and",
  "writes a fit file. The first table that has a kind of kernel is the one that is",
  "predicted; further tables of it, of the same device but measured otherwise, only",
  "help.",
  "",
  "The second form fits devices together, by shares of their data sheets, and writes",
  "what is expected of the device NAME, which nobody need have measured; each device",
  "is also left out once and predicted from the others.",
  "",
  "The third form adds rows to a fit as they are measured: all of them are kept, and",
  "answer as a fit of all rows with the same physics and covariances does.",
  "",
  "Examples:",
  "$ gemms.csv --device mine --units 132 -o mine.fit.json",
  "",
  "Exit codes: 0 done, 1 a table cannot be used, or too few rows, 2 wrong usage, 4 files",
  "or system.",
  NULL};
static const ts_program program = {
  .summary = "TrainSpec: fits the kernels of a device to tables of measured times.",
  .usage = usage,
  .options = option_list,
  .notes = notes,
  .manual = "trainspec(1)"};

typedef struct options {
  const char *table[MAX_TABLES], *device, *family, *dtype, *also, *model, *out, *devices, *update;
  uint32_t table_count;
  double keep, units, weigh;
  bool trees;
} options;

static void fit_ops_take_number(ts_options *line, double most, double *value)
{
  char *end;
  *value = strtod(line->argument, &end);
  if (*line->argument && !*end && *value > 0 && isfinite(*value) && *value <= most)
    return;
  if (isinf(most))
    ts_options_wrong(line, "`%s` takes a number above 0, not `%s`", line->spelled, line->argument);
  else
    ts_options_wrong(line, "`%s` takes a share, above 0 and at most %g, not `%s`", line->spelled,
                     most, line->argument);
}

static void fit_ops_take(options *o, ts_options *line, int id)
{
  const char **text[] = {
    [DEVICE] = &o->device, [SHEETS] = &o->devices, [FAMILY] = &o->family, [DTYPE] = &o->dtype,
    [ALSO] = &o->also,     [MODEL] = &o->model,    [OUTPUT] = &o->out,
    [UPDATE] = &o->update};
  switch (id) {
  case UNITS: fit_ops_take_number(line, INFINITY, &o->units); break;
  case KEEP: fit_ops_take_number(line, 1, &o->keep); break;
  case WEIGH: fit_ops_take_number(line, 1, &o->weigh); break;
  case TREES: o->trees = true; break;
  case TS_OPERAND:
    if (o->table_count == MAX_TABLES)
      ts_options_wrong(line, "more than %d tables: `%s`", MAX_TABLES, line->argument);
    else
      o->table[o->table_count++] = line->argument;
    break;
  default: *text[id] = line->argument;
  }
}

/* False when main is to return line->status. */
static bool parse(ts_options *line, options *o)
{
  *o = (options){0};
  for (int id; (id = ts_options_next(line)) != TS_OPTIONS_END;) {
    if (id == TS_OPTIONS_EXIT)
      return false;
    fit_ops_take(o, line, id);
    if (line->status)
      return false;
  }
  const char *wrong =
    !o->table_count ? "no table given" :
    o->update && (o->device || o->devices || o->units || o->trees || o->model || o->also) ?
                      "`--update` takes device and models from its fit" :
    o->update && o->keep ? "`--update` keeps all rows" :
    !o->update && o->weigh ? "`--weigh` needs `--update`" :
    o->update && !o->out ? "`-o` is needed" :
    !o->update && (!o->device || !(o->units || o->devices) || !o->out) ?
                      "`--device`, `--units` (or `--devices`) and `-o` are needed" :
    !strcmp(o->out, "-") ? "`-o` takes a file: the figures go to standard output" :
                           NULL;
  for (uint32_t i = 0; o->devices && i < o->table_count && !wrong; i++)
    wrong = strchr(o->table[i], '=') ? NULL : "with `--devices` tables are DEVICE=TABLE";
  o->keep = o->keep ? o->keep : 0.1;
  o->weigh = o->weigh ? o->weigh : 0.5;
  if (wrong)
    ts_options_wrong(line, "%s", wrong);
  else if (o->model && !ts_kernel_model_find(o->model))
    ts_options_wrong(line, "there is no model `%s`", o->model);
  return !line->status;
}

typedef struct fit_ops_job {
  const options *o;
  const char *device;
  ts_arena *arena;
  ts_sources *sources;
  ts_diags *diags;
  ts_fit_work work;
} fit_ops_job;

/* Both return false: what is wrong is in the queue. */
static bool cannot_read(fit_ops_job *j, const char *path, int error)
{
  ts_diag_add(j->diags, TS_E0701, TS_NO_SPAN, "cannot read `%s`: %s", path, strerror(error));
  return false;
}

static bool fit_ops_refuse(fit_ops_job *j, const char *why, const char *help)
{
  ts_diag *d = ts_diag_add(j->diags, TS_E0502, TS_NO_SPAN, "%s", why);
  if (help)
    ts_diag_help(d, "%s", help);
  return false;
}

static bool bad_table(fit_ops_job *j, const char *path, const char *text, size_t size,
                      const ts_error *why)
{
  if (!text || !why->line)
    return ts_diag_add_error(j->diags, TS_E0502, why, "table `%s` cannot be used", path), false;
  ts_span at = {ts_sources_add(j->sources, path, "table", text, size), (uint32_t)why->begin,
                (uint32_t)why->end};
  ts_diag *d = ts_diag_add(j->diags, TS_E0502, at, "table `%s` cannot be used", path);
  ts_diag_here(d, "%s", why->message);
  if (why->help[0])
    ts_diag_help(d, "%s", why->help);
  return false;
}

static bool read_table(fit_ops_job *j, const char *path, uint32_t device)
{
  size_t size, text_size = 0;
  int error;
  char *bytes = ts_read_file(j->arena, path, &size, &error);
  if (!bytes)
    return cannot_read(j, path, error);
  ts_error why = {0};
  const char *text = ts_cost_text(j->arena, bytes, size, &text_size, &why);
  if (text && ts_fit_tables_add(j->arena, &j->work.tables, ts_base_name(path), bytes, size, text,
                                text_size, &j->work.choice, device, &why))
    return true;
  return bad_table(j, path, text, text_size, &why);
}

static bool read_sheets(fit_ops_job *j, ts_device_sheets *s)
{
  size_t size;
  int error;
  ts_error why;
  const char *text = ts_read_file(j->arena, j->o->devices, &size, &error);
  if (!text)
    return cannot_read(j, j->o->devices, error);
  return ts_device_sheets_read(j->arena, text, size, s, &why) ||
         fit_ops_refuse(
           j, ts_arena_printf(j->arena, "%s:%u: %s", j->o->devices, why.line, why.message), NULL);
}

static uint32_t sheet_of(fit_ops_job *j, const ts_device_sheets *s, const char *name, size_t length)
{
  uint32_t d = ts_device_sheet_of(s, name, length);
  if (d == UINT32_MAX)
    fit_ops_refuse(j,
                   ts_arena_printf(j->arena, "`%s` has no data sheet of `%.*s`", j->o->devices,
                                   (int)length, name),
                   "add a line for it");
  return d;
}

static bool fit_tables(fit_ops_job *j)
{
  for (uint32_t i = 0; i < j->o->table_count; i++)
    if (!read_table(j, j->o->table[i], 0))
      return false;
  return ts_op_fit_tables(&j->work, j->o->units, j->o->keep, j->o->trees);
}

static bool fit_devices(fit_ops_job *j)
{
  ts_device_sheets s = {0};
  if (!read_sheets(j, &s))
    return false;
  for (uint32_t i = 0; i < j->o->table_count; i++) {
    const char *equals = strchr(j->o->table[i], '=');
    uint32_t device = sheet_of(j, &s, j->o->table[i], (size_t)(equals - j->o->table[i]));
    if (device == UINT32_MAX || !read_table(j, equals + 1, device))
      return false;
  }
  uint32_t target = sheet_of(j, &s, j->o->device, strlen(j->o->device));
  return target != UINT32_MAX && ts_op_fit_devices(&j->work, &s, target, j->o->trees);
}

static bool update_fit(fit_ops_job *j)
{
  size_t size, text_size = 0;
  int error;
  ts_error why = {0};
  char *bytes = ts_read_file(j->arena, j->o->update, &size, &error);
  if (!bytes)
    return cannot_read(j, j->o->update, error);
  const char *text = ts_cost_text(j->arena, bytes, size, &text_size, &why);
  const ts_fit *old = text ? ts_fit_read(j->arena, text, text_size, &why) : NULL;
  if (!old)
    return ts_diag_add_error(j->diags, TS_E0502, &why, "fit `%s` cannot be used", j->o->update),
           false;
  j->device = old->device;
  for (uint32_t i = 0; i < j->o->table_count; i++)
    if (!read_table(j, j->o->table[i], 0))
      return false;
  return ts_op_update(&j->work, old, j->o->weigh);
}

/* Told before the work, not after. */
static bool can_write(fit_ops_job *j)
{
  const char *slash = strrchr(j->o->out, '/');
  struct stat info;
  bool stream = stat(j->o->out, &info) == 0 && !S_ISREG(info.st_mode);
  if (stream ||
      access(slash ? ts_arena_string(j->arena, j->o->out, (size_t)(slash - j->o->out) + 1) : ".",
             W_OK) == 0)
    return true;
  ts_diag_add(j->diags, TS_E0702, TS_NO_SPAN, "cannot write `%s`: %s", j->o->out, strerror(errno));
  return false;
}

static void put_fit(void *closure, FILE *out)
{
  const fit_ops_job *j = closure;
  ts_fit_file_write(&(ts_fit_file){j->arena, j->device,
                                   j->o->devices || j->o->update ? 0 : j->o->keep,
                                   &j->work.tables, &j->work.fits},
                    out);
}

int ts_fit_ops_main(int argc, char **argv)
{
  options o;
  ts_options line = ts_options_start(&program, argc, argv);
  if (!parse(&line, &o))
    return line.status;
  fit_ops_job j = {.o = &o, .device = o.device, .arena = ts_arena_new("fit ops")};
  j.sources = ts_sources_new(j.arena);
  j.diags = ts_diags_new(j.arena, j.sources);
  j.work = (ts_fit_work){.arena = j.arena, .diags = j.diags, .out = stdout, .also = o.also,
    .choice = {.family = o.family,
               .dtype = o.dtype,
               .model = o.model ? ts_kernel_model_find(o.model) : NULL}};
  ts_progress_bar bar;
  ts_progress progress = ts_progress_shown(&bar);
  if (!isatty(STDOUT_FILENO)) /* there the figures come as they are found */
    j.work.progress = &progress;
  gsl_error_handler_t *handler = gsl_set_error_handler_off();
  bool good = can_write(&j) && (o.update  ? update_fit(&j) :
                              o.devices ? fit_devices(&j) :
                                          fit_tables(&j));
  gsl_set_error_handler(handler);
  ts_progress_end(&bar);
  int status = ts_options_report(&line, j.diags);
  if (good && !status)
    status = ts_options_finish(&line, stdout, ts_options_write(&line, o.out, put_fit, &j));
  ts_arena_free(j.arena);
  return status;
}
