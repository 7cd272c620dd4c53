/* Data about slowdowns: tables, recordings, what is learned from them. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "calibrate/slowdown_fit.h"
#include "runtime/account/run.h"
#include "trace/pairs.h"

Test(slowdown, missing_cells_are_not_known)
{
  ts_arena *arena = ts_arena_new("test");
  ts_slowdown_samples rows = {0};
  cr_assert_null(ts_slowdown_samples_read(
    arena, "# pairs\nslowdown,family,time,bytes\n1.5,norm,1e-5,\n1.1,matmul,,0\n", "file", &rows));
  cr_assert_eq(rows.count, 2);
  cr_assert(isnan(rows.at[0].pair.bytes) && isnan(rows.at[0].pair.sms) &&
            isnan(rows.at[1].pair.time));
  cr_assert_eq(rows.at[1].pair.bytes, 0);
  cr_assert_str_eq(rows.at[0].source, "file");
  ts_arena_free(arena);
}

Test(slowdown, tables_that_cannot_be_used)
{
  static const char *const cases[][2] = {
    {"", "the table is empty"},
    {"family\nx\n", "there is no column `slowdown`"},
    {"slowdown,colour\n1,red\n", "line 1: no column is named `colour`"},
    {"slowdown\n0\n", "line 2: the slowdown is not between 0 and 100"},
    {"slowdown\n", NULL},
    {"slowdown,time\n1,fast\n", "line 2: a number is missing or negative"},
    {"slowdown,time\n1,-3\n", "line 2: a number is missing or negative"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    ts_arena *arena = ts_arena_new("test");
    ts_slowdown_samples rows = {0};
    const char *wrong = ts_slowdown_samples_read(arena, cases[i][0], "file", &rows);
    cr_assert(cases[i][1] ? wrong && strcmp(wrong, cases[i][1]) == 0 : !wrong, "%zu: %s", i,
              wrong ? wrong : "accepted");
    ts_arena_free(arena);
  }
}

static void put(FILE *out, const char *name, int stream, int start, int duration)
{
  fprintf(out,
          ",{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"%s\",\"pid\":0,\"tid\":%d,\"ts\":%d,"
          "\"dur\":%d,\"args\":{\"stream\":%d,\"blocks per SM\":0.5}}",
          name, stream, start, duration, stream);
}

/* Layers that repeat, the second of them beside a collective: the norm is slowed, the product is
 * not; one kernel is of another size. */
Test(slowdown, kernels_alone_and_beside)
{
  char *text;
  size_t size;
  FILE *out = open_memstream(&text, &size);
  fputs("{\"traceEvents\":[{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":0,\"args\":{\"name\":"
        "\"x\"}}",
        out);
  for (int layer = 0; layer < 6; layer++) {
    int at = 1000 * layer, beside = layer == 2 || layer == 4;
    put(out, "gemm", 7, at, 100);
    put(out, "layer_norm", 7, at + 100, beside ? 80 : 50);
    put(out, "softmax_kernel", 7, at + 300, beside ? 400 : 20);
    put(out, "embedding_kernel", 7, at + 800, 5);
    if (beside)
      put(out, "ncclDevKernel_AllReduce_Sum_f32", 20, at, 990);
  }
  fputs("]}", out);
  fclose(out);
  ts_arena *arena = ts_arena_new("test");
  ts_error error;
  ts_events *e = ts_events_parse(arena, "trace.json", text, size, NULL, &error);
  cr_assert(e, "%s", error.message);
  ts_event_pairs pairs = {0};
  ts_event_overlap overlap = {0};
  ts_event_pairs_add(arena, e, &pairs, &overlap);
  cr_assert(overlap.compared >= 4);
  cr_assert(overlap.beside > 0 && overlap.beside < overlap.instances);
  cr_assert(overlap.time_beside > 0 && overlap.time_beside < overlap.time);
  cr_assert_eq(pairs.count, 2, "%zu", pairs.count);
  for (size_t i = 0; i < pairs.count; i++) {
    const ts_event_pair *p = &pairs.at[i];
    cr_assert_eq(p->comm, TS_COMM_ALL_REDUCE);
    cr_assert(!strcmp(p->family, "elementwise") || !strcmp(p->family, "gemm"));
    cr_assert_float_eq(p->fill, 0.5, 0.01);
    cr_assert_float_eq(p->beside / p->alone, !strcmp(p->family, "elementwise") ? 1.6 : 1, 1e-9);
  }
  ts_arena_free(arena);
  free(text);
}

/* Slowdowns that follow from one feature are learned, of rows that lack it something else is said
 * than of rows where it is 0, and the file says what was learned. */
Test(slowdown, learned)
{
  if (!ts_learned_available())
    cr_skip_test("no XGBoost here");
  ts_arena *arena = ts_arena_new("test");
  ts_slowdown_samples rows = {0};
  for (int i = 0; i < 90; i++) {
    ts_slowdown_sample s = {.pair = TS_PAIR_UNKNOWN,
                            .source = i % 2 ? "a" : "b",
                            .slowdown = i % 3 == 0 ? 1.2 :
                                        i % 3 == 1 ? 1.5 :
                                                     1.9};
    s.pair.family = "norm";
    s.pair.time = 1e-5 * (1 + i % 7);
    s.pair.sms = i % 3 == 0 ? 0 : i % 3 == 1 ? 1 : NAN;
    TS_PUSH(arena, &rows, s);
  }
  char folder[] = "/tmp/ts-learned-XXXXXX";
  cr_assert(mkdtemp(folder));
  const char *path = ts_arena_printf(arena, "%s/model.ubj", folder);
  ts_slowdown_report r;
  const char *wrong = ts_slowdown_fit(arena, &rows, path, &r, NULL);
  cr_assert_null(wrong, "%s", wrong);
  cr_assert_eq(r.family_count, 1u);
  cr_assert_str_eq(r.families[0].name, "norm");
  cr_assert_eq(r.families[0].rows, 90u);
  cr_assert_float_eq(r.families[0].mean, r.mean, 1e-12);
  cr_assert_float_eq(r.families[0].score.rmse, r.left_out[r.best].rmse, 1e-12);
  for (int q = 1; q < TS_SLOWDOWN_QUANTILES; q++)
    cr_assert(r.error[q] >= r.error[q - 1]);
  cr_assert_eq(r.sources, 2);
  cr_assert(r.left_out[r.best].rmse < 0.02 && r.left_out[TS_BY_CONSTANT].rmse > 0.2);
  const ts_slowdown *model;
  cr_assert_null(ts_slowdown_open(arena, path, &model));
  ts_pair pairs[3] = {rows.at[0].pair, rows.at[1].pair, rows.at[2].pair};
  ts_slowdowns slow[3];
  cr_assert_null(ts_slowdown_predict(arena, model, pairs, 3, slow));
  for (int i = 0; i < 3; i++)
    cr_assert_float_eq(slow[i].compute, rows.at[i].slowdown, 0.02);
  unlink(path);
  rmdir(folder);
  ts_arena_free(arena);
}

/* Factors learned from kernels of three families, whose names begin so. */
static void learn_of_families(ts_arena *arena, const char *prefix, double *out)
{
  enum { ROWS = 60 };
  static const double factors[] = {1.6, 1.1, 1.3};
  ts_pair pairs[ROWS];
  double factor[ROWS];
  bool hold[ROWS];
  for (int i = 0; i < ROWS; i++) {
    pairs[i] = TS_PAIR_UNKNOWN;
    pairs[i].family = ts_arena_printf(arena, "%s%c", prefix, "abc"[i % 3]);
    pairs[i].transfer = i % 2 ? "all_reduce" : "All_Gather";
    pairs[i].time = 1e-5 * (1 + i % 7);
    factor[i] = factors[i % 3] + (i % 2) * 0.1 + (i % 5) * 0.02;
    hold[i] = i % 4 == 0;
  }
  const char *wrong = ts_learned_train(arena, TS_LEARNED_OVER_PHYSICAL, pairs, factor, hold, ROWS,
                                       out, NULL, NULL);
  cr_assert_null(wrong, "%s", wrong);
}

/* What is learned of names does not hang on how they are spelt. */
Test(slowdown, names_are_categories)
{
  if (!ts_learned_available())
    cr_skip_test("no XGBoost here");
  ts_arena *arena = ts_arena_new("test");
  double plain[60] = {0}, renamed[60] = {0};
  learn_of_families(arena, "", plain);
  for (int n = 0; n < 8; n++) {
    learn_of_families(arena, ts_arena_printf(arena, "family_%d_", n), renamed);
    for (int i = 0; i < 60; i += 4)
      cr_assert_eq(plain[i], renamed[i], "row %d: %g, %g", i, plain[i], renamed[i]);
  }
  ts_arena_free(arena);
}

/* Milliseconds of a kernel of 4 ms beside a collective of 2 ms, done by a protocol. */
static double beside(ts_arena *arena, const ts_slowdown *model, const char *protocol)
{
  const char *text = ts_arena_printf(
    arena,
    "axis x 2\ngroup all = x\nstream compute\nstream comm\ndevice_class d 1 TB/s\n"
    "devices gpu[2] of d\nlink_class in 10 GB/s\nlink gpu[0] -- gpu[1] in\n"
    "net_model m white_box for all_reduce {\n method all_reduce ring %s ranks 2 islands 1 "
    "channels 4 threads 512 connection 0 us intra_rate 10 GB/s intra_share 1\n}\n"
    "fragment F {\n a: compute 4 ms\n r: all_reduce 20 MB over all\n}\nprogram { F 0 }\n",
    protocol);
  ts_error error = {0};
  ts_stop stop = {.arena = arena};
  ts_ir ir;
  ts_ir_builder *b = ts_ir_parse(text, strlen(text), &error);
  cr_assert(b, "line %u: %s", error.line, error.message);
  ts_ir_builder_view(b, &ir);
  ts_run *run = ts_run_new(&ir, &(ts_run_options){.overlap = model}, &stop);
  cr_assert(run, "%s", stop.title);
  double step = 1e-9 * (double)ts_run_result(run)->step;
  ts_run_free(run);
  ts_ir_builder_free(b);
  return step;
}

/* A model that was trained on the protocol, and on what no play knows: the first reaches it from the
 * white box, the second is named. */
Test(slowdown, what_a_model_learned_from_reaches_it)
{
  if (!ts_learned_available())
    cr_skip_test("no XGBoost here");
  ts_arena *arena = ts_arena_new("test");
  ts_slowdown_samples rows = {0};
  for (int i = 0; i < 120; i++) {
    ts_slowdown_sample s = {.pair = TS_PAIR_UNKNOWN, .source = "a"};
    s.pair.protocol = i % 2 ? "Simple" : "LL128";
    s.pair.sms = i % 4 < 2 ? NAN : 1;
    s.slowdown = i % 4 >= 2 ? 3 : i % 2 ? 2 : 1;
    TS_PUSH(arena, &rows, s);
  }
  char folder[] = "/tmp/ts-reaches-XXXXXX";
  cr_assert(mkdtemp(folder));
  const char *path = ts_arena_printf(arena, "%s/model.ubj", folder);
  ts_slowdown_report r;
  const char *wrong = ts_slowdown_fit(arena, &rows, path, &r, NULL);
  cr_assert_null(wrong, "%s", wrong);
  const ts_slowdown *model;
  cr_assert_null(ts_slowdown_open(arena, path, &model));
  cr_expect_str_eq(model->unknown, "`sms`");
  /* 2 ms of the collective, in which a kernel twice as slow does 1 ms of its work */
  cr_expect_float_eq(beside(arena, model, "simple"), 5, 0.01, "%g", beside(arena, model, "simple"));
  cr_expect_float_eq(beside(arena, model, "ll128"), 4, 0.01, "%g", beside(arena, model, "ll128"));
  unlink(path);
  rmdir(folder);
  ts_arena_free(arena);
}

Test(slowdown, too_few_rows)
{
  ts_arena *arena = ts_arena_new("test");
  ts_slowdown_samples rows = {0};
  ts_slowdown_report r;
  TS_PUSH(arena, &rows,
          (ts_slowdown_sample){.pair = TS_PAIR_UNKNOWN, .source = "a", .slowdown = 1});
  cr_assert_str_eq(ts_slowdown_fit(arena, &rows, NULL, &r, NULL), "1 rows are too few: 10 are needed");
  ts_arena_free(arena);
}

/* A kernel that leaves room for the transfer's processors is not squeezed; one bound by memory
 * shares it. */
Test(slowdown, physical)
{
  ts_pair p = TS_PAIR_UNKNOWN;
  p.flops = 1e9, p.time = 1e-4, p.bytes = 0, p.bandwidth = 1e12;
  p.sms = 112.0 / 132;
  cr_assert_eq(ts_slowdown_of(&ts_slowdown_physical, &p).compute, 1);
  p.sms = 1;
  cr_assert_float_eq(ts_slowdown_of(&ts_slowdown_physical, &p).compute, 132.0 / 112, 1e-12);
  p.bytes = 1e8, p.transfer_bytes = 1e7, p.transfer_time = 1e-4;
  cr_assert_float_eq(ts_slowdown_of(&ts_slowdown_physical, &p).compute, 1.2, 1e-12);
}
