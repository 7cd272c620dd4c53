/* The values in a plan's `costs` as sources that can be asked: tables, fits, rooflines, functions,
 * and sources changed by others. */
#include <math.h>
#include <string.h>

#include "compiler/eval/file_store.h"
#include "compiler/eval/files.h"
#include "compiler/eval/report.h"
#include "compiler/eval/stdlib_embed.h"
#include "compiler/lower/costing.h"
#include "compiler/lower/device.h"
#include "compiler/lower/stdlib_fits.h"
#include "cost/database.h"

typedef enum ts_chain_kind {
  ASK_SOURCE,
  ASK_FUNCTIONS,
  ASK_SLOWER,
  ASK_SCALED,
  ASK_LIKE,
  ASK_DURING,
  ASK_ON
} ts_chain_kind;

struct ts_cost_chain {
  ts_chain_kind kind;
  const ts_cost_source *source;   /* SOURCE */
  double beyond;                  /* SOURCE: no answers further beyond its data; 0: all */
  const ts_record *functions;     /* FUNCTIONS: family -> function */
  const ts_cost_chain *inner;          /* SLOWER, SCALED, LIKE, DURING, ON */
  const ts_value *gpu;            /* ON: it answers for this one alone */
  double factor;                  /* SLOWER, LIKE */
  bool assumed;                   /* SLOWER: the factor was not measured */
  const ts_list *families;        /* SLOWER: those it holds for, or NULL */
  const char *family;             /* SLOWER, LIKE: of the kernel */
  const char *as;                 /* LIKE: the family asked for in its place */
  const ts_record *where;         /* LIKE: of kernels with these features alone, or NULL */
  uint32_t pass;                  /* DURING: as in ts_kernel */
  const ts_cost_source *from, *to; /* SCALED: rooflines */
};

static ts_cost_chain *cost_sources_wrong(ts_session *s, ts_span span, const char *title,
                                         ts_value found)
{
  if (found.type != TS_T_ERROR) {
    ts_diag *d = ts_report(s, TS_E0503, span, "%s", title);
    ts_diag_here(d, "found %s", ts_value_describe(s->arena, found));
  }
  return NULL;
}

static const ts_value *arg(const ts_applied *a, const char *name)
{
  const ts_value *v = ts_record_find(&a->args, name);
  return v && v->type != TS_T_NONE ? v : NULL;
}

static double cost_sources_number(const ts_value *v, double otherwise)
{
  if (!v)
    return otherwise;
  return v->type == TS_T_INT ? (double)v->u.integer : v->u.real;
}

/* -- files -- */

static ts_cost_chain *bad_file(ts_session *s, const char *name, const char *role, const char *text,
                               size_t size, const ts_error *e, ts_span span)
{
  ts_span at = span;
  if (text && e->line) {
    uint32_t file = ts_sources_add(s->sources, name, role, text, size);
    at = (ts_span){file, (uint32_t)e->begin, (uint32_t)e->end};
  }
  ts_diag *d = ts_report(s, TS_E0502, at, "%s `%s` cannot be used", role, name);
  ts_diag_here(d, "%s", e->message);
  if (at.file != span.file)
    ts_diag_note_at(d, span, "named here");
  if (e->help[0])
    ts_diag_help(d, "%s", e->help);
  return NULL;
}

/* A table or a fit of `device` is used as one of `gpu`. */
static void check_device(ts_session *s, const ts_source_name *name, const ts_value *gpu,
                         ts_span span, const char *what, const char *means)
{
  if (!name->device || ts_gpu_called(s, gpu, name->device))
    return;
  ts_diag *d = ts_report(s, TS_W0531, span, "`%s` is %s `%s`, but was measured on `%s`", name->name,
                         what, gpu->u.record->name, name->device);
  ts_diag_here(d, "%s", means);
  ts_diag_help(d,
               "name the gpu that was measured; if it is this one, declare so: `called = [\"%s\"]`",
               name->device);
}

static ts_cost_chain *of_source(ts_session *s, const ts_cost_source *source)
{
  ts_cost_chain *a = TS_NEW(s->arena, ts_cost_chain);
  a->source = source;
  return a;
}

/* The device is what the file says; else what the plan says of it. Both must not differ. */
static bool take_device(ts_session *s, const ts_cost_source *source, const ts_value *stated,
                        ts_source_name *name)
{
  const char *own = ts_cost_device(source);
  name->device = *own ? own : stated ? stated->u.string : NULL;
  if (!*own || !stated || !strcmp(own, stated->u.string))
    return true;
  ts_diag *d = ts_report(s, TS_E0503, stated->span, "`%s` was not measured on `%s`", name->name,
                         stated->u.string);
  ts_diag_here(d, "it names its device, `%s`", own);
  ts_diag_help(d, "leave `device` out, or correct the line `# device:` of the file");
  return false;
}

/* `from` is the gpu that ran the table; a file that names its device must mean it. */
static bool take_gpu(ts_session *s, const ts_value *gpu, ts_source_name *name)
{
  if (!gpu)
    return true;
  if (!name->device)
    name->device = gpu->u.record->name;
  if (!name->device || ts_gpu_called(s, gpu, name->device))
    return true;
  ts_diag *d = ts_report(s, TS_E0503, gpu->span, "`%s` was not measured on `%s`", name->name,
                         gpu->u.record->name);
  ts_diag_here(d, "its device is `%s`", name->device);
  ts_diag_help(d,
               "name the gpu that ran it; if it is this one, declare so: `called = [\"%s\"]`",
               name->device);
  return false;
}

/* A record of texts: `{ stage: "fwd" }`. False: a field is something else. */
static bool pairs(ts_session *s, const ts_value *record, const char *what,
                  const ts_table_pair **pair, uint32_t *count)
{
  if (!record)
    return true;
  const ts_record *r = record->u.record;
  ts_table_pair *all = TS_NEW_ARRAY(s->arena, ts_table_pair, r->count);
  for (uint32_t i = 0; i < r->count; i++) {
    const ts_value *v = r->at[i].value;
    if (v->type != TS_T_STRING)
      return cost_sources_wrong(s, r->at[i].span, what, *v) != NULL;
    all[i] = (ts_table_pair){r->at[i].name, v->u.string};
  }
  *pair = all, *count = r->count;
  return true;
}

/* A cell as files have it: `time` in seconds, sizes in bytes. NULL: it is none. */
static const char *cell_of(ts_arena *arena, const char *name, const ts_value *v)
{
  bool quantity = v->type == TS_T_QUANTITY;
  if ((strcmp(name, "time") == 0) != (quantity && ts_dimension_equal(v->dimension, TS_DIM_TIME)))
    return NULL;
  double unit = quantity && ts_dimension_equal(v->dimension, TS_DIM_SIZE) ? 8 : 1;
  switch (v->type) {
  case TS_T_INT: return ts_arena_printf(arena, "%lld", (long long)v->u.integer);
  case TS_T_REAL:
  case TS_T_QUANTITY: return ts_arena_printf(arena, "%.17g", v->u.real / unit);
  case TS_T_DTYPE: return v->u.dtype->name;
  case TS_T_STRING: return strpbrk(v->u.string, ",\"\r\n") ? NULL : v->u.string;
  default: return NULL;
  }
}

typedef TS_VEC(const char *) name_list;
typedef TS_VEC(char) char_list;

static void add_cell(ts_arena *arena, char_list *text, char before, const char *cell)
{
  if (before)
    TS_PUSH(arena, text, before);
  for (; *cell; cell++)
    TS_PUSH(arena, text, *cell);
}

static name_list columns_of(ts_arena *arena, ts_value rows)
{
  name_list names = {0};
  for (int64_t i = 0; i < ts_sequence_count(rows); i++) {
    ts_value row = ts_sequence_at(rows, i);
    for (uint32_t f = 0; row.type == TS_T_RECORD && f < row.u.record->count; f++) {
      size_t k = 0;
      while (k < names.count && strcmp(names.at[k], row.u.record->at[f].name) != 0)
        k++;
      if (k == names.count)
        TS_PUSH(arena, &names, row.u.record->at[f].name);
    }
  }
  return names;
}

static bool add_row(ts_arena *arena, char_list *text, const name_list *names, ts_value row)
{
  if (row.type != TS_T_RECORD)
    return false;
  for (size_t k = 0; k < names->count; k++) {
    const ts_value *v = ts_record_find(row.u.record, names->at[k]);
    const char *cell = v ? cell_of(arena, names->at[k], v) : "";
    if (!cell)
      return false;
    add_cell(arena, text, k ? ',' : '\n', cell);
  }
  return true;
}

/* Rows of the plan as the text of a table, so that one reader serves both. NULL after a
 * diagnostic. */
static char *text_of_rows(ts_session *s, const ts_value *rows, size_t *size)
{
  int64_t count = ts_sequence_count(*rows), row = 0;
  name_list names = columns_of(s->arena, *rows);
  char_list text = {0};
  for (size_t k = 0; k < names.count; k++)
    add_cell(s->arena, &text, k ? ',' : 0, strcmp(names.at[k], "time") ? names.at[k] : "seconds");
  while (row < count && add_row(s->arena, &text, &names, ts_sequence_at(*rows, row)))
    row++;
  *size = text.count;
  if (count && row == count)
    return text.at;
  ts_diag *d = ts_report(s, TS_E0503, rows->span, "rows of `table` that are no measurements");
  if (count)
    ts_diag_here(d, "row %lld", (long long)row + 1);
  else
    ts_diag_here(d, "there are none");
  ts_diag_help(d, "a row is a record of texts and numbers with a time: { family: \"gemm\", dtype: "
                  "bf16, m: 64, n: 64, k: 64, time: 4 us }");
  return NULL;
}

static ts_cost_chain *table(ts_session *s, const ts_applied *t, ts_source_name *name)
{
  const ts_value *file = arg(t, "file"), *dtype = arg(t, "dtype"), *family = arg(t, "family"),
                 *between = arg(t, "between");
  ts_table_options options = {.family = family ? family->u.string : NULL,
                              .dtype = dtype ? dtype->u.dtype->name : NULL,
                              .exact = between && !between->u.truth};
  if (!pairs(s, arg(t, "where"), "`where` compares columns with text", &options.where,
             &options.where_count) ||
      !pairs(s, arg(t, "columns"), "`columns` names the column of each feature, as text",
             &options.columns, &options.column_count))
    return NULL;
  ts_error error = {0};
  size_t size = 0, text_size = 0;
  ts_found found;
  bool rows = file && file->type == TS_T_LIST;
  if (!rows && (!file || file->type != TS_T_STRING))
    return cost_sources_wrong(s, t->span, "`table` needs the name of a file, or rows",
                              file ? *file : ts_none_value());
  const char *called = rows ? "rows" : file->u.string;
  char *bytes = rows ?
                  text_of_rows(s, file, &size) :
                  ts_session_read(s, file->span.file, called, "table", file->span, &size, &found);
  if (!bytes)
    return NULL;
  name->name = rows ? "rows of the plan" : ts_session_written(called);
  const char *text = ts_cost_text(s->arena, bytes, size, &text_size, &error);
  const ts_cost_source *source =
    text ? ts_cost_table(s->arena, text, text_size, &options, &error) : NULL;
  if (!source)
    return bad_file(s, called, "table", text, text_size, &error, file->span);
  return take_device(s, source, arg(t, "device"), name) && take_gpu(s, arg(t, "from"), name) ?
           of_source(s, source) :
           NULL;
}

/* Trained here and now. */
static ts_cost_chain *fit_of_table(ts_session *s, const ts_applied *f, const ts_value *of,
                                   ts_source_name *name)
{
  const ts_value *gpu = arg(f, "gpu"), *sms = gpu ? ts_record_find(gpu->u.record, "sms") : NULL;
  ts_error error = {0};
  if (!sms || sms->type != TS_T_INT || sms->u.integer < 1) {
    ts_diag *d = ts_report(s, TS_E0503, sms ? sms->span : f->span,
                           "a fit of a table needs the number of processors of the device");
    ts_diag_here(d, gpu ? "this gpu has no usable `sms`" : "add `gpu: ...`, one with `sms`");
    return NULL;
  }
  const ts_cost_chain *rows = table(s, of->u.applied, name);
  if (!rows)
    return NULL;
  const ts_cost_source *source =
    ts_cost_fit_table(s->arena, rows->source, (double)sms->u.integer, &error);
  check_device(s, name, gpu, f->span, "fitted as one of",
               "the fit counts waves over the processors of this gpu");
  name->device = name->device ? name->device : gpu->u.record->name;
  return source ? of_source(s, source) :
                  bad_file(s, name->name, "table", NULL, 0, &error, of->span);
}

/* -- fits -- */

static const ts_cost_source *make_fit(ts_arena *arena, const char *bytes, size_t size,
                                      const char **text, size_t *text_size, ts_error *error)
{
  *text = ts_cost_text(arena, bytes, size, text_size, error);
  return *text ? ts_cost_fit(arena, *text, *text_size, error) : NULL;
}

static const void *stored_fit(ts_arena *arena, const char *bytes, size_t size)
{
  const char *text;
  size_t text_size = 0;
  return make_fit(arena, bytes, size, &text, &text_size, &(ts_error){0});
}

/* A fit of the program's own library is stored; NULL: this is another file. */
static const ts_cost_source *own_fit(ts_session *s, const ts_found *found)
{
  const ts_embedded_file *own = ts_session_embedded(found->name);
  return own && found->embedded == own ?
           ts_cost_stored_fit(s->arena, &ts_stdlib_fits, (size_t)(own - ts_stdlib_files)) :
           NULL;
}

/* A fit file, read once however often plans name it. NULL after a diagnostic. */
static const ts_cost_source *read_fit(ts_session *s, const ts_value *file)
{
  ts_error error = {0};
  size_t size = 0, text_size = 0;
  ts_found found;
  const char *key = NULL;
  if (ts_session_resolve(s, file->span.file, file->u.string, &found)) {
    key = found.path ? found.path : found.name;
    key = ts_lang_intern(s->lang, key, strlen(key));
    const ts_cost_source *known = ts_names_get(&s->files->fits, key);
    if (known)
      return known;
  }
  char *bytes =
    ts_session_read(s, file->span.file, file->u.string, "fit", file->span, &size, &found);
  if (!bytes)
    return NULL;
  const char *text = NULL;
  const ts_cost_source *source = own_fit(s, &found);
  if (!source)
    source =
      ts_file_store_get(s->files->store, ts_session_file_text(&found, bytes, size), stored_fit);
  if (!source)
    source = make_fit(s->arena, bytes, size, &text, &text_size, &error);
  if (source)
    ts_names_put(s->arena, &s->files->fits, key, source);
  else
    bad_file(s, file->u.string, "fit", text, text_size, &error, file->span);
  return source;
}

/* The fit as `floor` and `beyond` want it. */
static ts_cost_chain *bounded(ts_session *s, const ts_applied *f, ts_cost_chain *fit)
{
  const ts_value *floor = arg(f, "floor"), *beyond = arg(f, "beyond");
  if (!fit)
    return NULL;
  if (floor && !(floor->u.real > 0))
    return cost_sources_wrong(s, floor->span, "the floor of a fit must be a positive time", *floor);
  if (floor)
    fit->source = ts_cost_with_floor(s->arena, fit->source, floor->u.real);
  fit->beyond = cost_sources_number(beyond, 0);
  if (beyond && !(fit->beyond >= 1))
    return cost_sources_wrong(
      s, beyond->span, "how far beyond its data a fit answers is a factor, 1 or more", *beyond);
  return fit;
}

static ts_cost_chain *cost_sources_fit(ts_session *s, const ts_applied *f, ts_source_name *name)
{
  const ts_value *file = arg(f, "source");
  if (file && file->type == TS_T_APPLIED && !file->u.applied->decl &&
      !strcmp(file->u.applied->name, "table"))
    return bounded(s, f, fit_of_table(s, f, file, name));
  if (!file || file->type != TS_T_STRING)
    return cost_sources_wrong(s, f->span, "`fit` needs the name of a fit file, or a `table`",
                              file ? *file : ts_none_value());
  const ts_cost_source *source = read_fit(s, file);
  if (!source)
    return NULL;
  const char *learners = ts_cost_learners(source, s->arena);
  name->name = ts_session_written(file->u.string);
  if (*learners)
    name->name = ts_arena_printf(s->arena, "%s (%s)", name->name, learners);
  return take_device(s, source, NULL, name) ? bounded(s, f, of_source(s, source)) : NULL;
}

/* The rows asked for as a table; NULL with the error filled. The whole database is an input of the
 * plan. */
static const char *rows_of_database(ts_session *s, const ts_found *found, const char *path,
                                    const ts_applied *d, size_t *size, ts_error *why)
{
  const ts_value *device = arg(d, "device"), *software = arg(d, "software");
  ts_dependency dependency = {.path = found->path, .name = found->name, .role = "database"};
  const char *text = NULL;
  ts_db *db = ts_db_open(s->arena, path, false, why);
  if (!db)
    return NULL;
  if (ts_db_digest(db, dependency.sha256, why)) {
    ts_session_depends(s, dependency);
    text = ts_db_table(s->arena, db, device ? device->u.string : NULL,
                       software ? software->u.string : NULL, size, why);
  }
  ts_db_close(db);
  return text;
}

static ts_cost_chain *database(ts_session *s, const ts_applied *d, ts_source_name *name)
{
  const ts_value *file = arg(d, "file");
  ts_error error = {0};
  ts_found found;
  size_t size = 0;
  const char *path = ts_session_locate(s, file->span.file, file->u.string, file->span, &found);
  if (!path)
    return NULL;
  name->name = ts_session_written(file->u.string);
  const char *text = rows_of_database(s, &found, path, d, &size, &error);
  if (!text)
    return bad_file(s, file->u.string, "database", NULL, 0, &error, file->span);
  const ts_cost_source *source = ts_cost_table(s->arena, text, size, NULL, &error);
  error.line = 0; /* of a text that nobody has seen */
  return source && take_device(s, source, NULL, name) ?
           of_source(s, source) :
           bad_file(s, file->u.string, "database", NULL, 0, &error, file->span);
}

/* -- rooflines -- */

static bool gpu_quantity(ts_session *s, const ts_value *gpu, const char *field,
                         ts_dimension dimension, double *value)
{
  const ts_value *v = ts_record_find(gpu->u.record, field);
  if (v && v->type == TS_T_QUANTITY && ts_dimension_equal(v->dimension, dimension) &&
      v->u.real > 0) {
    *value = v->u.real;
    return true;
  }
  ts_diag *d = ts_report(s, TS_E0503, v ? v->span : gpu->span, "gpu `%s` has no usable `%s`",
                         gpu->u.record->name ? gpu->u.record->name : "", field);
  ts_diag_here(d, v ? "found %s" : "needed for a roofline",
               v ? ts_value_describe(s->arena, *v) : "");
  return false;
}

static const ts_cost_source *gpu_roofline(ts_session *s, const ts_value *gpu, double flops,
                                          double bytes, double floor)
{
  ts_roofline r = {.flops_efficiency = flops, .bytes_efficiency = bytes, .floor = floor};
  const ts_value *peak = ts_record_find(gpu->u.record, "peak");
  if (!gpu_quantity(s, gpu, "bandwidth", TS_DIM_RATE, &r.bandwidth))
    return NULL;
  r.bandwidth /= 8;
  if (!peak || peak->type != TS_T_RECORD) {
    cost_sources_wrong(s, peak ? peak->span : gpu->span,
                       "a gpu needs `peak`, a record of rates by type",
                       peak ? *peak : ts_none_value());
    return NULL;
  }
  uint32_t formats = 0;
  while (ts_dtype_at(formats)) formats++;
  ts_peak *rates = TS_NEW_ARRAY(s->arena, ts_peak, peak->u.record->count + formats);
  for (uint32_t i = 0; i < peak->u.record->count; i++) {
    const ts_field *f = &peak->u.record->at[i];
    if (f->value->type != TS_T_QUANTITY ||
        !ts_dimension_equal(f->value->dimension, TS_DIM_WORKRATE) || !(f->value->u.real > 0)) {
      cost_sources_wrong(
        s, f->span, "a peak rate must be positive work by time, such as `312 TFLOP/s`", *f->value);
      return NULL;
    }
    rates[r.peak_count++] = (ts_peak){f->name, f->value->u.real};
  }
  const ts_dtype *dtype;
  for (size_t i = 0; (dtype = ts_dtype_at(i)) != NULL; i++) {
    const ts_value *rate = ts_dtype_peak(peak->u.record, dtype->name);
    if (rate && !ts_record_find(peak->u.record, dtype->name))
      rates[r.peak_count++] = (ts_peak){dtype->name, rate->u.real};
  }
  r.peak = rates;
  return ts_cost_roofline(s->arena, &r);
}

static bool cost_sources_share(ts_session *s, const ts_value *v, const char *what, double *number_)
{
  *number_ = cost_sources_number(v, 1);
  if (*number_ > 0 && *number_ <= 1)
    return true;
  ts_diag *d =
    ts_report(s, TS_E0503, v->span,
              "`%s` of a roofline is the share of the peak that large kernels reach", what);
  ts_diag_here(d, "must be above 0 and at most 1");
  return false;
}

static ts_cost_chain *roofline(ts_session *s, const ts_applied *r, ts_source_name *name)
{
  const ts_value *gpu = arg(r, "gpu");
  double flops, bytes;
  if (!gpu || gpu->type != TS_T_GPU)
    return cost_sources_wrong(s, r->span, "`roofline` needs a gpu", gpu ? *gpu : ts_none_value());
  if (!cost_sources_share(s, arg(r, "flops"), "flops", &flops) ||
      !cost_sources_share(s, arg(r, "bytes"), "bytes", &bytes))
    return NULL;
  name->name = gpu->u.record->name ? gpu->u.record->name : "gpu";
  name->device = gpu->u.record->name;
  const ts_cost_source *source =
    gpu_roofline(s, gpu, flops, bytes, cost_sources_number(arg(r, "floor"), 0));
  return source ? of_source(s, source) : NULL;
}

/* -- sources made of others -- */

static bool positive(ts_session *s, const ts_applied *m, double factor)
{
  if (factor > 0 && isfinite(factor))
    return true;
  ts_diag *d =
    ts_report(s, TS_E0503, arg(m, "by")->span, "a source cannot be slower by this factor");
  ts_diag_here(d, "must be positive");
  return false;
}

/* The source that another one is made of. */
static ts_cost_chain *inner(ts_session *s, const ts_plan *plan, const ts_applied *m,
                            ts_source_name *name)
{
  const ts_value *source = arg(m, "source");
  if (source)
    return ts_cost_chain_new(s, plan, *source, name);
  return cost_sources_wrong(s, m->span, "this needs a source of costs to be made of",
                            ts_none_value());
}

static ts_cost_chain *slower(ts_session *s, const ts_plan *plan, const ts_applied *m,
                             ts_source_name *name)
{
  ts_cost_chain *a = TS_NEW(s->arena, ts_cost_chain);
  const ts_value *family = arg(m, "family"), *assumed = arg(m, "assumed");
  *a = (ts_cost_chain){.kind = ASK_SLOWER,
                       .inner = inner(s, plan, m, name),
                       .factor = cost_sources_number(arg(m, "by"), 1),
                       .assumed = assumed && assumed->u.truth};
  if (family && family->type == TS_T_STRING)
    a->family = family->u.string;
  else if (family && family->type == TS_T_LIST)
    a->families = family->u.list;
  return a->inner && positive(s, m, a->factor) ? a : NULL;
}

/* A source of kernels of one pass alone: a table of weight gradients, say, whose sizes mean another
 * layout in memory than the forward's. */
static ts_cost_chain *during(ts_session *s, const ts_plan *plan, const ts_applied *m,
                             ts_source_name *name)
{
  static const char *const passes[] = {"forward", "input", "weight"};
  const ts_value *pass = arg(m, "pass");
  ts_cost_chain *a = TS_NEW(s->arena, ts_cost_chain);
  a->kind = ASK_DURING;
  for (uint32_t k = 0; k < sizeof passes / sizeof *passes; k++)
    if (pass && !strcmp(pass->u.string, passes[k]))
      a->pass = k + 1;
  if (!a->pass)
    return cost_sources_wrong(s, pass ? pass->span : m->span,
                              "a pass is \"forward\", \"input\" or \"weight\"",
                              pass ? *pass : ts_none_value());
  a->inner = ts_cost_chain_new(s, plan, *arg(m, "source"), name);
  return a->inner ? a : NULL;
}

/* A source for ranks on one gpu alone. */
static ts_cost_chain *on_gpu(ts_session *s, const ts_plan *plan, const ts_applied *m,
                             ts_source_name *name)
{
  ts_cost_chain *a = TS_NEW(s->arena, ts_cost_chain);
  *a = (ts_cost_chain){.kind = ASK_ON, .inner = inner(s, plan, m, name), .gpu = arg(m, "gpu")};
  if (!name->device)
    name->device = a->gpu->u.record->name;
  return a->inner ? a : NULL;
}

/* A family nobody measured takes `by` times as long as another one at the same features. */
static ts_cost_chain *like(ts_session *s, const ts_plan *plan, const ts_applied *m,
                           ts_source_name *name)
{
  ts_cost_chain *a = TS_NEW(s->arena, ts_cost_chain);
  *a = (ts_cost_chain){.kind = ASK_LIKE,
                       .inner = inner(s, plan, m, name),
                       .factor = cost_sources_number(arg(m, "by"), 1),
                       .family = arg(m, "family")->u.string,
                       .as = arg(m, "as")->u.string,
                       .where = arg(m, "where") ? arg(m, "where")->u.record : NULL};
  for (uint32_t i = 0; a->where && i < a->where->count; i++)
    if (a->where->at[i].value->type != TS_T_INT && a->where->at[i].value->type != TS_T_REAL)
      return cost_sources_wrong(s, a->where->at[i].span,
                                "`where` compares features of kernels with numbers",
                                *a->where->at[i].value);
  return a->inner && positive(s, m, a->factor) ? a : NULL;
}

/* Kernels bound by compute scale with the peak rates, those bound by memory with the bandwidths:
 * the ratio of the two rooflines. */
static ts_cost_chain *cost_sources_scaled(ts_session *s, const ts_plan *plan, const ts_applied *m,
                                          ts_source_name *name)
{
  ts_cost_chain *a = TS_NEW(s->arena, ts_cost_chain);
  *a = (ts_cost_chain){.kind = ASK_SCALED,
                       .inner = inner(s, plan, m, name),
                       .from = gpu_roofline(s, arg(m, "from"), 1, 1, 0),
                       .to = gpu_roofline(s, arg(m, "to"), 1, 1, 0)};
  check_device(s, name, arg(m, "from"), m->span, "scaled from",
               "its times are multiplied by the ratio of `to` and this gpu");
  name->device = arg(m, "to")->u.record->name;
  if (name->device)
    name->name = ts_arena_printf(s->arena, "%s scaled to %s", name->name, name->device);
  return a->inner && a->from && a->to ? a : NULL;
}

ts_cost_chain *ts_cost_chain_new(ts_session *s, const ts_plan *plan, ts_value value,
                                 ts_source_name *name)
{
  name->span = value.span;
  if (value.type == TS_T_RECORD) {
    ts_cost_chain *a = TS_NEW(s->arena, ts_cost_chain);
    *a = (ts_cost_chain){.kind = ASK_FUNCTIONS, .functions = value.u.record};
    *name = (ts_source_name){"functions", "function", value.span, NULL};
    for (uint32_t i = 0; i < value.u.record->count; i++)
      if (value.u.record->at[i].value->type != TS_T_FUNCTION)
        return cost_sources_wrong(s, value.u.record->at[i].span,
                                  "a record of costs names a function for each family of kernels",
                                  *value.u.record->at[i].value);
    if (value.u.record->count == 1)
      name->name = ts_function_name(value.u.record->at[0].value->u.function);
    return a;
  }
  if (value.type == TS_T_APPLIED && !value.u.applied->decl) {
    const ts_applied *made = value.u.applied;
    name->kind = made->name;
    name->name = made->name;
    if (!strcmp(made->name, "table"))
      return table(s, made, name);
    if (!strcmp(made->name, "fit"))
      return cost_sources_fit(s, made, name);
    if (!strcmp(made->name, "db"))
      return database(s, made, name);
    if (!strcmp(made->name, "roofline"))
      return roofline(s, made, name);
    if (!strcmp(made->name, "during"))
      return during(s, plan, made, name);
    if (!strcmp(made->name, "slower"))
      return slower(s, plan, made, name);
    if (!strcmp(made->name, "like"))
      return like(s, plan, made, name);
    if (!strcmp(made->name, "on_gpu"))
      return on_gpu(s, plan, made, name);
    if (!strcmp(made->name, "scale"))
      return cost_sources_scaled(s, plan, made, name);
  }
  return cost_sources_wrong(
    s, value.span,
    "not a source of costs: must be `table`, `fit`, `db`, `roofline`, `slower`, `like`, "
    "`during`, `on_gpu`, `scale`, or a record of functions",
    value);
}

/* -- asking -- */

static bool argument(const ts_cost_query *q, const char *name, ts_span span, ts_value *v)
{
  if (!strcmp(name, "flops"))
    *v = ts_quantity_value(q->flops, TS_DIM_WORK, span);
  else if (!strcmp(name, "bytes"))
    *v = ts_quantity_value(q->bytes * 8, TS_DIM_SIZE, span);
  else {
    uint32_t i = 0;
    while (i < q->feature_count && strcmp(q->feature[i].name, name))
      i++;
    if (i == q->feature_count)
      return false;
    double x = q->feature[i].value;
    *v = x == floor(x) && fabs(x) < 9e15 ? ts_int_value((int64_t)x, span) : ts_real_value(x, span);
  }
  return true;
}

static bool ask_function(ts_session *s, const ts_cost_chain *a, const ts_cost_query *q,
                         ts_span span, ts_cost_answer *answer, bool *failed)
{
  const ts_value *f = ts_record_find(a->functions, q->family);
  ts_value args[16];
  uint32_t n = 0;
  if (!f)
    return false;
  for (const char *name; n < 16 && (name = ts_function_formal(f->u.function, n)); n++)
    if (!argument(q, name, f->span, &args[n])) {
      ts_diag *d = ts_report(s, TS_E0504, f->span,
                             "`%s` asks for `%s`, which a kernel of family `%s` does not have",
                             ts_function_name(f->u.function), name, q->family);
      const char *text = "flops, bytes";
      for (uint32_t i = 0; i < q->feature_count; i++)
        text = ts_arena_printf(s->arena, "%s, %s", text, q->feature[i].name);
      ts_diag_here(d, "there are %s", text);
      ts_diag_note_at(d, span, "the kernel");
      *failed = true;
      return false;
    }
  ts_value v = ts_call(s, *f, args, NULL, n, f->span);
  if (v.type == TS_T_ERROR) {
    *failed = true;
    return false;
  }
  if (v.type != TS_T_QUANTITY || !ts_dimension_equal(v.dimension, TS_DIM_TIME) ||
      !isfinite(v.u.real) || v.u.real < 0) {
    ts_diag *d = ts_report(s, TS_E0504, f->span, "`%s` must return a time that is not negative",
                           ts_function_name(f->u.function));
    ts_diag_here(d, "gave %s", ts_value_print(s->arena, v));
    *failed = true;
    return false;
  }
  *answer = (ts_cost_answer){.seconds = v.u.real, .basis = TS_COST_EXTERN};
  return true;
}

static bool holds_for(const ts_cost_chain *a, const char *family)
{
  if (a->families) {
    for (uint32_t i = 0; i < a->families->count; i++)
      if (a->families->at[i].type == TS_T_STRING && !strcmp(a->families->at[i].u.string, family))
        return true;
    return false;
  }
  return !a->family || !strcmp(a->family, family);
}

static bool has_features(const ts_record *where, const ts_cost_query *q)
{
  for (uint32_t i = 0; where && i < where->count; i++) {
    uint32_t f = 0;
    while (f < q->feature_count && strcmp(q->feature[f].name, where->at[i].name))
      f++;
    if (f == q->feature_count || q->feature[f].value != cost_sources_number(where->at[i].value, 0))
      return false;
  }
  return true;
}

bool ts_cost_chain_ask(ts_session *s, const ts_cost_chain *a, const ts_cost_query *q,
                       uint32_t pass, ts_span span, ts_cost_answer *answer, bool *failed)
{
  ts_cost_answer from, to;
  switch (a->kind) {
  case ASK_SOURCE:
    return ts_cost_ask(a->source, q, answer) &&
           !(a->beyond > 0 && answer->beyond && answer->far > a->beyond);
  case ASK_FUNCTIONS: return ask_function(s, a, q, span, answer, failed);
  case ASK_ON: return ts_cost_chain_ask(s, a->inner, q, pass, span, answer, failed);
  case ASK_SLOWER:
    if (!ts_cost_chain_ask(s, a->inner, q, pass, span, answer, failed))
      return false;
    if (!holds_for(a, q->family))
      return true;
    answer->seconds *= a->factor;
    if (a->assumed && (answer->basis == TS_COST_MEASURED || answer->basis == TS_COST_INTERPOLATED))
      answer->basis = TS_COST_FITTED;
    answer->assumed = answer->assumed || a->assumed;
    return true;
  case ASK_DURING:
    return pass == a->pass && ts_cost_chain_ask(s, a->inner, q, pass, span, answer, failed);
  case ASK_LIKE: {
    ts_cost_query other = *q;
    other.family = a->as;
    if (strcmp(q->family, a->family) || !has_features(a->where, q) ||
        !ts_cost_chain_ask(s, a->inner, &other, pass, span, answer, failed))
      return false;
    answer->seconds *= a->factor;
    answer->basis = answer->basis == TS_COST_MEASURED ? TS_COST_INTERPOLATED : answer->basis;
    return true;
  }
  case ASK_SCALED:
    if (!ts_cost_chain_ask(s, a->inner, q, pass, span, answer, failed) ||
        !ts_cost_ask(a->from, q, &from) || !ts_cost_ask(a->to, q, &to) || !(from.seconds > 0))
      return false;
    answer->seconds *= to.seconds / from.seconds;
    if (answer->basis == TS_COST_MEASURED)
      answer->basis = TS_COST_INTERPOLATED;
    return true;
  }
  return false;
}

bool ts_cost_chain_minds_pass(const ts_cost_chain *a)
{
  for (; a; a = a->inner)
    if (a->kind == ASK_DURING)
      return true;
  return false;
}

const ts_value *ts_cost_chain_gpu(const ts_cost_chain *a)
{
  while (a && !a->gpu)
    a = a->inner;
  return a ? a->gpu : NULL;
}

const ts_cost_source *ts_cost_chain_table(const ts_cost_chain *a)
{
  while (a->inner)
    a = a->inner;
  return a->source;
}
