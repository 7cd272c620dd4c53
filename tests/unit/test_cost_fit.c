/* Fit files: evaluation, errors, and that training finds what made the times. */
#include "cost/fit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "base/source.h"
#include "calibrate/fit_file.h"
#include "calibrate/operator_fit.h"
#include "calibrate/operator_update.h"
#include "compiler/eval/stdlib_embed.h"

static ts_arena *arena;

static void set_up(void) { arena = ts_arena_new("test"); }
static void tear_down(void) { ts_arena_free(arena); }

TestSuite(cost_fit, .init = set_up, .fini = tear_down);

#define HEAD                                                                                       \
  "{\"trainspec-fit\": 1, \"device\": \"d\", \"data\": [{\"file\": \"a.csv\", \"sha256\": "        \
  "\"0123456789abcdef\"}], \"models\": ["
#define STREAM                                                                                     \
  "{\"family\": \"elementwise\", \"dtype\": \"bf16\", \"also\": \"fp16\", \"model\": \"stream\", " \
  "\"parameters\": "                                                                               \
  "{\"units\": 1, \"floor_us\": 2, \"tflops\": 1, \"terabytes_per_s\": 2, \"norm\": 3, "           \
  "\"cache_terabytes_per_s\": 2, \"cache_megabytes\": 1}"

static ts_cost_source *fit(const char *text)
{
  ts_error error = {0};
  ts_cost_source *source = ts_cost_fit(arena, text, strlen(text), &error);
  cr_assert(source, "%s", error.message);
  return source;
}

static const char *error_of(const char *text)
{
  ts_error error = {0};
  cr_assert_null(ts_cost_fit(arena, text, strlen(text), &error));
  return ts_arena_string(arena, error.message, strlen(error.message));
}

Test(cost_fit, bytes_over_a_bandwidth_that_saturates)
{
  ts_cost_source *source = fit(HEAD STREAM "}]}");
  ts_cost_query q = {.family = "elementwise", .dtype = "fp16", .bytes = 4e6};
  ts_cost_answer a;
  cr_assert(ts_cost_ask(source, &q, &a));
  cr_assert_eq(a.basis, TS_COST_FITTED);
  cr_assert_float_eq(a.seconds, 2e-6 * cbrt(2), 1e-14, "floor and memory alike");
  q.bytes = 4e12;
  cr_assert(ts_cost_ask(source, &q, &a));
  cr_assert_float_eq(a.seconds, 2, 1e-6);
  q.dtype = "fp32";
  cr_assert(ts_cost_ask(source, &q, &a), "bytes are bytes");
  q.family = "gemm";
  cr_assert_not(ts_cost_ask(source, &q, &a));
  cr_assert_str_eq(ts_cost_provenance(source), "d; a.csv sha256 0123456789ab");
}

Test(cost_fit, residual_is_a_gaussian_process)
{
  const char *rows = ", \"residual\": {\"shift\": 0.01, \"inputs\": [\"bytes\"], \"kernels\": "
                     "[{\"smoothness\": %.1f, \"deviation\": 0.5, \"scale\": [2]}],"
                     " \"rows\": [[1024, 7, 0.3, 0], [65536, 9, -0.2, 0]]}}]}";
  for (double smoothness = 0.5; smoothness <= 1.5; smoothness++) {
    char text[1024];
    size_t at = (size_t)snprintf(text, sizeof text, "%s", HEAD STREAM);
    snprintf(text + at, sizeof text - at, rows, smoothness);
    ts_cost_source *source = fit(text);
    ts_cost_query q = {.family = "elementwise", .dtype = "bf16", .bytes = 4096};
    ts_cost_answer a;
    cr_assert(ts_cost_ask(source, &q, &a));
    double root = smoothness > 1 ? sqrt(3) : 1, r[2] = {root * 1, root * 2}, k[2];
    for (int i = 0; i < 2; i++) k[i] = (smoothness > 1 ? 1 + r[i] : 1) * exp(-r[i]);
    double us = cbrt(8 + pow(4096 / 2e6, 3)) * exp(0.01 + 0.25 * (0.3 * k[0] - 0.2 * k[1]));
    cr_assert_float_eq(a.seconds * 1e6 / us, 1, 1e-5, "%g of %g", a.seconds * 1e6, us);
    q.bytes = 1024;
    cr_assert(ts_cost_ask(source, &q, &a));
    cr_assert_eq(a.basis, TS_COST_MEASURED, "a row of the kept table");
    cr_assert_float_eq(a.seconds, 7e-6, 1e-15);
  }
}

/* The model has 2 us of floor and 2 TB/s, a norm of 3; with another floor times are the model's. */
Test(cost_fit, another_floor_is_followed)
{
  ts_cost_source *source = fit(HEAD STREAM ", \"residual\": {\"shift\": 0, \"rows\": [[1024, 7, "
                                           "0, 0], [65536, 9, 0, 1]]}}]}");
  const ts_cost_source *slower = ts_cost_with_floor(arena, source, 4e-6);
  ts_cost_query q = {.family = "elementwise", .dtype = "bf16", .bytes = 8e6};
  ts_cost_answer a;
  cr_assert(ts_cost_ask(slower, &q, &a));
  cr_assert_float_eq(a.seconds, 4e-6 * cbrt(2), 1e-12);
  q.bytes = 1024;
  cr_assert(ts_cost_ask(source, &q, &a));
  cr_assert_eq(a.basis, TS_COST_MEASURED);
  cr_assert(ts_cost_ask(slower, &q, &a));
  cr_assert_eq(a.basis, TS_COST_FITTED, "nothing of this floor was measured");
  cr_assert_float_eq(a.seconds, 14e-6, 1e-10);
  q.bytes = 65536; /* a row of another device's table */
  cr_assert(ts_cost_ask(source, &q, &a));
  cr_assert_eq(a.basis, TS_COST_FITTED);
}

/* Of sizes, not of bytes: the type matters, and one more may be answered for. */
Test(cost_fit, a_fit_answers_for_the_types_it_names)
{
  ts_cost_source *source =
    fit(HEAD "{\"family\": \"gemm\", \"dtype\": \"bf16\", \"also\": \"fp16\", \"model\": \"gemm\", "
             "\"parameters\": {\"units\": 1, \"floor_us\": 2, \"tflops\": 1, "
             "\"terabytes_per_s\": 2, \"norm\": 3, \"prologue_us\": 1, \"later_prologue\": 1, "
             "\"split_us\": 1, \"partial_terabytes_per_s\": 1, \"edge\": 0.1}}]}");
  ts_feature f[] = {{"m", 16}, {"n", 16}, {"k", 16}};
  const struct { const char *dtype; bool answers; } types[] = {
    {"bf16", true}, {"fp16", true}, {"fp32", false}};
  for (int i = 0; i < 3; i++) {
    ts_cost_query q = {
      .family = "gemm", .dtype = types[i].dtype, .feature = f, .feature_count = 3};
    ts_cost_answer a;
    cr_assert_eq(ts_cost_ask(source, &q, &a), types[i].answers, "%s", types[i].dtype);
  }
}

Test(cost_fit, errors_name_the_place)
{
  cr_expect_str_eq(error_of("{\"trainspec-fit\": 1, "), "not JSON from here on");
  cr_expect_str_eq(error_of("[]"), "fit file: `trainspec-fit` is missing or not a number");
  cr_expect_str_eq(error_of("{\"trainspec-fit\": 2}"),
                   "fit file: `trainspec-fit` is 2, not within 1 and 1");
  cr_expect_str_eq(error_of(HEAD "]}"), "the fit has no models");
  cr_expect_str_eq(error_of(HEAD "{\"family\": \"a\"}]}"),
                   "model 1: `dtype` is missing or not a string");
  cr_expect_str_eq(error_of(HEAD "{\"family\": \"a\", \"dtype\": \"b\", \"model\": \"c\"}]}"),
                   "model of a b: there is no model `c`");
  cr_expect_str_eq(error_of(HEAD "{\"family\": \"a\", \"dtype\": \"b\", \"model\": \"stream\", "
                                 "\"parameters\": {\"units\": 0}}]}"),
                   "model of a b: `units` is 0, not within 1e-09 and 1e+09");
  cr_expect_str_eq(error_of(HEAD STREAM ", \"residual\": {\"shift\": 0, \"inputs\": [\"m\"]}}]}"),
    "model of elementwise bf16: model `stream` has no input \"m\"");
  cr_expect_str_eq(error_of(HEAD STREAM ", \"residual\": {\"shift\": 0, \"rows\": [[1, 2]]}}]}"),
    "model of elementwise bf16: `rows` is not a list of 4 numbers");
  cr_expect_str_eq(
    error_of(HEAD STREAM
             ", \"residual\": {\"shift\": 0, \"rows\": [[2, 1, 1, 0], [1, 1, 1, 0]]}}]}"),
    "model of elementwise bf16: row 2 is not in order");
}

/* The fit file of a table, of a device of so many processors. */
static char *fit_of(const char *csv, size_t csv_size, double units, double keep, const char *model,
                    size_t *size)
{
  ts_fit_work w = {
    .arena = arena, .diags = ts_diags_new(arena, ts_sources_new(arena)), .out = tmpfile()};
  ts_error why = {0};
  char *text = NULL;
  cr_assert(w.out);
  w.choice.model = model ? ts_kernel_model_find(model) : NULL;
  cr_assert(ts_fit_tables_add(arena, &w.tables, "table.csv", csv, csv_size, csv, csv_size,
                              &w.choice, 0, &why),
            "%s", why.message);
  cr_assert(ts_op_fit_tables(&w, units, keep, false));
  fclose(w.out);
  FILE *out = open_memstream(&text, size);
  cr_assert(out);
  ts_fit_file_write(&(ts_fit_file){arena, "made up", keep, &w.tables, &w.fits}, out);
  fclose(out);
  char *kept = ts_arena_string(arena, text, *size);
  free(text);
  return kept;
}

/* Times of a made-up device with waves of 10 tiles of 128 x 128. */
static void put_waves(FILE *out)
{
  fputs("dtype,m,n,k,time_us\n", out);
  for (int i = 0; i < 400; i++) {
    int m = 128 + i * 37 % 1900, n = 64 * (1 + i * 11 % 31), k = 128 * (1 + i * 7 % 29);
    double waves = ceil(ceil(m / 128.0) * ceil(n / 128.0) / 10);
    fprintf(out, "bf16,%d,%d,%d,%.6g\n", m, n, k, 3 + waves * (1 + 2e-3 * k));
  }
}

static void put_saturating(FILE *out)
{
  fputs("family,dtype,bytes,time_us\n", out);
  for (int i = 0; i < 200; i++) {
    double bytes = 1000 * exp2(i * 0.1);
    fprintf(out, "elementwise,bf16,%.0f,%.6g\n", bytes,
            4 * pow(1 + pow(bytes / 2e6 / 4, 2.5), 1 / 2.5));
  }
}

static char *table_of(void put(FILE *), size_t *size)
{
  char *text = NULL;
  FILE *out = open_memstream(&text, size);
  cr_assert(out);
  put(out);
  fclose(out);
  char *kept = ts_arena_string(arena, text, *size);
  free(text);
  return kept;
}

Test(cost_fit, training_is_exact_enough_and_repeatable)
{
  size_t table_size, size[2];
  const char *table = table_of(put_waves, &table_size), *text[2];
  for (int i = 0; i < 2; i++) text[i] = fit_of(table, table_size, 10, 0.25, NULL, &size[i]);
  cr_assert_eq(size[0], size[1]);
  cr_assert_arr_eq(text[0], text[1], size[0]);
  const char *mean = strstr(text[0], "\"mean\": ");
  cr_assert(mean && strstr(text[0], "\"rows\": 300,"), "%s", text[0]);
  cr_assert_lt(strtod(mean + 8, NULL), 0.1, "a roofline is off by 0.36");
  ts_cost_source *source = fit(text[0]);
  ts_feature f[] = {{"m", 1000}, {"n", 1000}, {"k", 1000}};
  ts_cost_query q = {.family = "gemm", .dtype = "bf16", .feature = f, .feature_count = 3};
  ts_cost_answer a;
  cr_assert(ts_cost_ask(source, &q, &a));
  cr_assert_float_eq(a.seconds * 1e6, 3 + 7 * 3.0, 3.0);
}

Test(cost_fit, training_finds_floor_and_bandwidth)
{
  size_t table_size, size;
  const char *table = table_of(put_saturating, &table_size);
  ts_cost_source *source = fit(fit_of(table, table_size, 1, 0.2, "stream", &size));
  ts_cost_answer a;
  cr_assert(ts_cost_ask(
    source, &(ts_cost_query){.family = "elementwise", .dtype = "bf16", .bytes = 1}, &a));
  cr_assert_float_eq(a.seconds, 4e-6, 4e-8);
  cr_assert(ts_cost_ask(
    source, &(ts_cost_query){.family = "elementwise", .dtype = "bf16", .bytes = 2e12}, &a));
  cr_assert_float_eq(a.seconds, 1, 1e-2);
}

/* Products of 8 bits that were timed with the cast of their input, at 2 TB/s: a plan asks for the
 * product alone, since it has the cast as a kernel of its own. */
static void put_casts(FILE *out)
{
  fputs("dtype,m,n,k,time_us\n", out);
  for (int i = 0; i < 300; i++) {
    double m = 128 * (1 + i * 37 % 61), n = 128 * (1 + i * 11 % 31), k = 128 * (1 + i * 7 % 59);
    fprintf(out, "fp8,%.0f,%.0f,%.0f,%.6g\n", m, n, k,
            2 + 2 * m * n * k / 1e9 + 3 * m * k / 2e6);
  }
}

Test(cost_fit, products_come_without_the_cast_they_were_timed_with)
{
  size_t table_size, size;
  const char *table = table_of(put_casts, &table_size);
  ts_cost_source *source = fit(fit_of(table, table_size, 1, 0.3, "gemm_cast", &size));
  ts_feature f[] = {{"m", 4096}, {"n", 512}, {"k", 4096}};
  ts_cost_query q = {.family = "gemm", .dtype = "fp8", .feature = f, .feature_count = 3};
  ts_cost_answer a;
  cr_assert(ts_cost_ask(source, &q, &a));
  cr_assert_float_eq(a.seconds * 1e6, 2 + 17.18, 3, "%g us; with its cast 44.3", a.seconds * 1e6);
  /* a row that is kept is no exact answer: it holds the cast, too */
  f[0].value = f[1].value = f[2].value = 128;
  cr_assert(ts_cost_ask(source, &q, &a));
  cr_assert_eq(a.basis, TS_COST_FITTED);
}

/* Rates that no GPU of std passes, and below which none stays with a large product. */
static const struct { const char *dtype; double most, least; } formats[] = {
  {"bf16", 3e15, 5e13}, {"fp8", 1.5e16, 5e13}, {"fp8_block", 1.5e16, 5e13},
  {"nvfp4", 1.5e16, 5e13}, {"fp32", 1e14, 5e12},
};

Test(cost_fit, shipped_fits_are_small_and_answer_what_they_say)
{
  uint32_t fits = 0;
  for (size_t i = 0; i < ts_stdlib_file_count; i++) {
    const ts_embedded_file *f = &ts_stdlib_files[i];
    if (strncmp(f->path, "fits/", 5) != 0)
      continue;
    ts_error error = {0};
    ts_cost_source *source = ts_cost_fit(arena, f->bytes, f->size, &error);
    cr_assert(source, "%s: %s", f->path, error.message);
    cr_assert_lt(f->size, 200000, "%s", f->path);
    const char *family[8];
    uint32_t count = ts_cost_families(source, family, 8);
    cr_assert(count > 0 && count <= 8, "%s", f->path);
    ts_feature product[] = {{"m", 4096}, {"n", 5000}, {"k", 4096}, {"count", 2}};
    ts_feature core[] = {
      {"batch", 3}, {"seq", 4096}, {"heads", 32}, {"kv_heads", 8}, {"head_dim", 128}};
    ts_feature latent[] = {{"batch", 3},     {"seq", 4096},     {"keys", 4096}, {"heads", 32},
                           {"kv_heads", 32}, {"head_dim", 192}, {"v_dim", 128}};
    const struct {
      const char *family;
      ts_feature *feature;
      uint32_t count;
      double flops;
    } requested[] = {{"gemm", product, 3, 2 * 4096. * 5000 * 4096},
                     {"grouped_gemm", product, 4, 4 * 4096. * 5000 * 4096},
                     {"conv", product, 3, 2 * 4096. * 5000 * 4096},
                     {"attention", core, 5, 2 * 3 * 32 * 4096. * 4096 * 128},
                     {"attention", latent, 7, 3 * 32 * 4096. * 4096 * 320},
                     {NULL, core, 0, 0}};
    for (uint32_t k = 0; k < count; k++) {
      uint32_t answered = 0;
      for (size_t n = 0; n < sizeof requested / sizeof *requested; n++) {
        if (requested[n].family ? strcmp(family[k], requested[n].family) != 0 :
                                  strstr(family[k], "gemm") || strstr(family[k], "attention") ||
                                    strstr(family[k], "conv"))
          continue;
        ts_cost_query q = {.family = family[k],
                           .bytes = 1e9,
                           .feature = requested[n].feature,
                           .feature_count = requested[n].count};
        ts_cost_answer a = {0};
        double most = 0, least = 0;
        for (size_t d = 0; d < sizeof formats / sizeof *formats && !(a.seconds > 0); d++) {
          q.dtype = formats[d].dtype;
          most = formats[d].most;
          least = formats[d].least;
          ts_cost_ask(source, &q, &a);
        }
        if (!(a.seconds > 0))
          continue; /* attention with and without keys of its own */
        answered++;
        cr_assert(a.seconds > requested[n].flops / most &&
                    a.seconds < 1e-5 + requested[n].flops / least + 1e9 / 1e11,
                  "%s %s: %g s", f->path, family[k], a.seconds);
      }
      cr_assert_eq(answered, 1, "%s %s", f->path, family[k]);
    }
    fits++;
  }
  cr_assert_gt(fits, 0);
}

/* But for what a cache loses that no longer holds them. From the edge of its rows on, at sizes that lie `at` of the way through the ranges of the others. */
static void grows_no_faster_than_its_work(const char *path, const ts_fit_model *m, double at)
{
  for (uint32_t f = 0; f < m->model->feature_count; f++) {
    double x[TS_MODEL_MAX_FEATURES], before = 0, flops = 0, bytes = 0;
    for (uint32_t i = 0; i < m->model->feature_count; i++)
      x[i] = ceil(m->low[i] * pow(m->high[i] / m->low[i], at));
    x[f] = m->high[f];
    for (int doubled = 0; doubled < 8; doubled++, x[f] *= 2) {
      double time = ts_fit_evaluate(m, x), now_flops, now_bytes;
      m->model->work(x, &now_flops, &now_bytes);
      double work = fmax(flops > 0 ? now_flops / flops : 0, bytes > 0 ? now_bytes / bytes : 0);
      cr_assert(!doubled || time <= before * work * 1.005,
                "%s %s %s: %s %g takes %.3f times the time of a half of it, for %.3f times the work",
                path, m->family, m->dtype, m->model->feature[f], x[f], time / before, work);
      before = time, flops = now_flops, bytes = now_bytes;
    }
  }
}

Test(cost_fit, no_shipped_fit_is_superlinear_beyond_its_data)
{
  uint32_t models = 0;
  for (size_t i = 0; i < ts_stdlib_file_count; i++) {
    const ts_embedded_file *file = &ts_stdlib_files[i];
    ts_error error = {0};
    ts_cost_source *source = strncmp(file->path, "fits/", 5) != 0 ?
                               NULL :
                               ts_cost_fit(arena, file->bytes, file->size, &error);
    for (uint32_t n = 0; source && n < source->u.fit->model_count; n++) {
      const ts_fit_model *m = &source->u.fit->model[n];
      if (ts_kernel_model_is_powers(m->model) || !(m->high[0] > 0))
        continue;
      for (int at = 0; at <= 4; at++) grows_no_faster_than_its_work(file->path, m, at / 4.);
      models++;
    }
  }
  cr_assert_gt(models, 40);
}

/* What the cache holds comes at its own rate, so a small board with a large cache is not as slow as
 * its memory; without a stated cache all comes from memory. */
Test(cost_fit, caches_move_what_they_hold)
{
  const ts_kernel_model *m = ts_kernel_model_find("cached");
  /* units, floor, rate, bandwidth, norm, from, slope, rate and size of the cache */
  double parameter[] = {1, 5, 1, 0.3, 3, 1, 1, 3, 24}, small = 12e6, large = 240e6;
  cr_assert_float_eq(m->time(parameter, &small).us, 12 / 3.0 + (12 / 0.3 - 4) / 17, 1e-9);
  cr_assert_float_eq(m->time(parameter, &large).us, 240 / 0.3, 1);
  parameter[8] = 0;
  cr_assert_float_eq(m->time(parameter, &small).us, 12 / 0.3, 1e-9);
  parameter[8] = 24, parameter[7] = 0.1;
  cr_assert_float_eq(m->time(parameter, &small).us, 12 / 0.3, 1e-9, "no slower than memory");
}

/* Times of a kernel by two sizes, with a step and a wave that powers do not have. */
static double made_us(double rows, double width)
{
  return (5 + 3e-4 * pow(rows, 0.9) * pow(width, 0.8)) * (width > 300 ? 1.2 : 1) *
         (1 + 0.05 * sin(log2(rows)));
}

enum { SIZES = 2, MADE = 48 };

static ts_fit_rows made_rows(uint32_t from, uint32_t to, uint32_t step)
{
  ts_op_row_list list = {0};
  for (uint32_t i = from; i < to; i += step) {
    double x[SIZES] = {16 << (i % 8), 40 + 97 * (i / 8) + i % 8};
    ts_op_row_list_add(arena, &list, x, SIZES, made_us(x[0], x[1]), 0);
  }
  return ts_op_row_list_sorted(&list, SIZES);
}

static ts_fit_model powers(void)
{
  const char **name = TS_NEW_ARRAY(arena, const char *, SIZES);
  name[0] = "rows", name[1] = "width";
  return (ts_fit_model){.family = "reduction", .dtype = "fp32",
                        .model = ts_kernel_model_powers(arena, name, SIZES)};
}

Test(cost_fit, powers_of_sizes_are_found)
{
  ts_op_row_list list = {0};
  for (uint32_t i = 0; i < MADE; i++) {
    double x[SIZES] = {16 << (i % 8), 40 + 97 * (i / 8)};
    ts_op_row_list_add(arena, &list, x, SIZES, 2 + 1e-3 * pow(x[0], 0.9) * pow(x[1], 0.7), 0);
  }
  ts_fit_rows rows = ts_op_row_list_sorted(&list, SIZES);
  ts_fit_model m = powers();
  double noise, left_out, weight[MADE];
  cr_assert(ts_fit_train(arena, &m, &rows, &noise, weight, &left_out));
  cr_assert_float_eq(m.parameter[TS_POWERS_EXPONENT], 0.9, 0.02);
  cr_assert_float_eq(m.parameter[TS_POWERS_EXPONENT + 1], 0.7, 0.02);
  cr_assert(left_out < 0.01, "%g", left_out);
}

Test(cost_fit, rows_added_one_by_one_give_what_all_at_once_give)
{
  ts_fit_rows first = made_rows(0, MADE, 2), all = made_rows(0, MADE, 1);
  ts_fit_model m = powers();
  double weight[MADE], left_out;
  ts_error wrong;
  uint32_t replaced;
  cr_assert(ts_fit_train(arena, &m, &first, &m.noise, weight, &left_out));
  ts_fit_model start = m;
  ts_fit_prepare(arena, &start, weight);
  ts_op_fit step = {.model = start};
  for (uint32_t i = 1; i < MADE; i += 2) {
    ts_fit_rows one = made_rows(i, i + 1, 1);
    ts_fit_model before = step.model;
    cr_assert(ts_op_update_model(arena, &before, &one, 0.5, &step, &replaced, &wrong));
    cr_assert_eq(replaced, 0);
  }
  /* a fit of all rows with the same physics and covariances */
  ts_fit_model whole = step.model;
  double at_once[MADE];
  cr_assert(ts_fit_solve(arena, &whole, &all, m.noise, at_once, &left_out));
  cr_assert_eq(step.model.row_count, all.count);
  for (uint32_t i = 0; i < all.count; i++)
    cr_assert_float_eq(step.weight[i], at_once[i], 1e-5 * (1 + fabs(at_once[i])), "row %u: %g, %g",
                       i, step.weight[i], at_once[i]);
  cr_assert_float_eq(step.model.shift, whole.shift, 1e-12);
  ts_fit_rows again = made_rows(3, 4, 1);
  double changed = 4 * again.us[0];
  again.us = &changed;
  ts_fit_model before = step.model;
  cr_assert(ts_op_update_model(arena, &before, &again, 0.25, &step, &replaced, &wrong));
  cr_assert_eq(replaced, 1);
  cr_assert_eq(step.model.row_count, all.count);
  for (uint32_t i = 0; i < all.count; i++)
    if (!memcmp(step.model.row + SIZES * i, again.feature, SIZES * sizeof(double)))
      cr_assert_float_eq(step.model.row_us[i], changed / pow(4, 0.75), 1e-9,
                         "a quarter of the logarithm is the new row's");
}

Test(cost_fit, powers_of_one_size_ask_for_it)
{
  ts_cost_source *source =
    fit(HEAD "{\"family\": \"scan\", \"dtype\": \"bf16\", \"model\": \"powers\", \"features\": "
             "[\"rows\"], \"learner\": \"forest\", \"parameters\": {\"units\": 1, \"floor_us\": 1, "
             "\"scale_us\": 2, \"power_1\": 0.5}}]}");
  ts_feature rows = {"rows", 64};
  ts_cost_query q = {.family = "scan", .dtype = "bf16", .feature = &rows, .feature_count = 1};
  ts_cost_answer a;
  cr_assert(ts_cost_ask(source, &q, &a));
  cr_assert_float_eq(a.seconds, 17e-6, 1e-12);
  cr_assert_str_eq(ts_cost_learners(source, arena), "scan by forest");
  q.dtype = "fp32";
  cr_assert_not(ts_cost_ask(source, &q, &a), "another type");
  q.dtype = "bf16", q.feature_count = 0, q.bytes = 64;
  cr_assert_not(ts_cost_ask(source, &q, &a), "no rows");
  cr_assert(strstr(error_of(HEAD "{\"family\": \"x\", \"dtype\": \"bf16\", \"model\": \"powers\", "
                                 "\"features\": []}]}"),
                   "no model `powers`"));
}
