/* Tables of measured kernels: what is read, how it is answered, and what is said of bad ones. */
#include "cost/cost.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include <criterion/criterion.h>

static ts_arena *arena;
static void set_up(void) { arena = ts_arena_new("test"); }
static void tear_down(void) { ts_arena_free(arena); }
TestSuite(cost_table, .init = set_up, .fini = tear_down);

static ts_cost_source *table(const char *text, const ts_table_options *options)
{
  ts_error error = {0};
  ts_cost_source *source = ts_cost_table(arena, text, strlen(text), options, &error);
  cr_assert(source, "%u:%u: %s", error.line, error.column, error.message);
  return source;
}

/* "line:column text" of the error. */
static const char *error_of(const char *text)
{
  ts_error error = {0};
  cr_assert_null(ts_cost_table(arena, text, strlen(text), NULL, &error));
  return ts_arena_printf(arena, "%u:%u %s", error.line, error.column, error.message);
}

static bool ask_gemm(const ts_cost_source *source, const char *dtype, double m, double n, double k,
                     ts_cost_answer *answer)
{
  ts_feature f[] = {{"m", m}, {"n", n}, {"k", k}, {"count", 1}};
  ts_cost_query q = {
    .family = "gemm", .dtype = dtype, .flops = 2 * m * n * k, .feature = f, .feature_count = 4};
  return ts_cost_ask(source, &q, answer);
}

static const char cube[] =
  "# source: measured by hand\n"
  "dtype,m,n,k,time_us\n"
  "bfloat16,1,1,1,1\nbfloat16,16,1,1,16\nbfloat16,1,16,1,16\nbfloat16,1,1,16,16\n"
  "bfloat16,16,16,1,256\nbfloat16,16,1,16,256\nbfloat16,1,16,16,256\nbfloat16,16,16,16,4096\n";

Test(cost_table, answers_a_row_exactly)
{
  ts_cost_answer a;
  cr_assert(ask_gemm(table(cube, NULL), "bf16", 16, 1, 16, &a));
  cr_assert_eq(a.basis, TS_COST_MEASURED);
  cr_assert_eq(a.row, 8);
  cr_assert_float_eq(a.seconds, 256e-6, 1e-15);
  cr_assert_str_eq(ts_cost_provenance(table(cube, NULL)), "measured by hand");
}

/* As SimuMax writes its tables: the stage in words, experts' backwards under the forward's sizes. */
static const char foreign[] =
  "op,stage,groups,m,n,k,layout,efficiency,time_us\n"
  "matmul,fwd,1,8,4,2,TN,0.5,10\n"
  "matmul,wgrad,1,8,4,2,NT,0.5,30\n"
  "group_matmul,dgrad,3,8,4,2,NN,0.5,50\n";

Test(cost_table, takes_the_rows_and_columns_that_are_named)
{
  static const ts_table_pair forward[] = {{"op", "matmul"}, {"stage", "fwd"}},
                             experts[] = {{"op", "group_matmul"}, {"stage", "dgrad"}},
                             sizes[] = {{"m", "m"}, {"n", "n"}, {"k", "k"}},
                             turned[] = {{"count", "groups"}, {"m", "m"}, {"n", "k"}, {"k", "n"}};
  ts_table_options f = {.family = "gemm", .where = forward, .where_count = 2, .columns = sizes,
                        .column_count = 3},
                   e = {.family = "grouped_gemm", .where = experts, .where_count = 2,
                        .columns = turned, .column_count = 4};
  ts_cost_answer a;
  cr_assert(ask_gemm(table(foreign, &f), "bf16", 8, 4, 2, &a));
  cr_assert_eq(a.basis, TS_COST_MEASURED);
  cr_assert_float_eq(a.seconds, 10e-6, 1e-12, "neither the median of all three nor wgrad's");
  ts_feature requested[] = {{"m", 8}, {"n", 2}, {"k", 4}, {"count", 3}};
  ts_cost_query q = {
    .family = "grouped_gemm", .dtype = "bf16", .feature = requested, .feature_count = 4};
  cr_assert(ts_cost_ask(table(foreign, &e), &q, &a));
  cr_assert_float_eq(a.seconds, 50e-6, 1e-12);
}

Test(cost_table, a_column_may_stand_for_two_features)
{
  static const ts_table_pair both[] = {{"seq", "seq"}, {"keys", "seq"}};
  ts_table_options o = {.family = "attention", .columns = both, .column_count = 2};
  ts_feature requested[] = {{"seq", 64}, {"keys", 64}};
  ts_cost_query q = {
    .family = "attention", .dtype = "bf16", .feature = requested, .feature_count = 2};
  ts_cost_answer a;
  cr_assert(ts_cost_ask(table("seq,other,time_us\n64,9,7\n", &o), &q, &a));
  cr_assert_float_eq(a.seconds, 7e-6, 1e-12);
}

Test(cost_table, says_which_named_column_or_row_is_missing)
{
  static const ts_table_pair where[] = {{"phase", "fwd"}}, none[] = {{"op", "conv"}},
                             columns[] = {{"m", "rows"}};
  ts_table_options options[] = {{.family = "gemm", .where = where, .where_count = 1},
                                {.family = "gemm", .columns = columns, .column_count = 1},
                                {.family = "gemm", .where = none, .where_count = 1,
                                 .columns = (ts_table_pair[]){{"m", "m"}}, .column_count = 1}};
  static const char *const said[] = {"there is no column `phase`, which `where` names",
                                     "there is no column `rows`, which `columns` names",
                                     "no row matches `where`"};
  for (int i = 0; i < 3; i++) {
    ts_error error = {0};
    cr_assert_null(ts_cost_table(arena, foreign, strlen(foreign), &options[i], &error));
    cr_assert_str_eq(error.message, said[i]);
  }
}

Test(cost_table, interpolates_powers_exactly_and_never_extrapolates)
{
  ts_cost_source *t = table(cube, NULL);
  ts_cost_answer a;
  cr_assert(ask_gemm(t, "bf16", 3, 5, 7, &a));
  cr_assert_eq(a.basis, TS_COST_INTERPOLATED);
  cr_assert_float_eq(a.seconds, 105e-6, 1e-12);
  cr_assert(ask_gemm(t, "bf16", 16, 5, 16, &a), "on a face of the range");
  cr_assert_float_eq(a.seconds, 1280e-6, 1e-11);
  cr_assert_not(ask_gemm(t, "bf16", 17, 5, 7, &a));
  cr_assert_not(ask_gemm(t, "bf16", 0.5, 5, 7, &a));
  cr_assert_not(ask_gemm(t, "bf16", 0, 5, 7, &a));
  cr_assert_not(ask_gemm(t, "fp32", 3, 5, 7, &a));
}

Test(cost_table, range_is_convex_not_a_box)
{
  ts_cost_source *t =
    table("dtype,m,n,k,time_us\nbf16,1,1,1,1\nbf16,16,1,1,2\nbf16,1,16,1,3\n", NULL);
  ts_cost_answer a;
  cr_assert(ask_gemm(t, "bf16", 2, 2, 1, &a));
  cr_assert_not(ask_gemm(t, "bf16", 8, 8, 1, &a), "outside of the triangle");
  cr_assert_not(ask_gemm(t, "bf16", 2, 2, 2, &a), "k was never varied");
}

Test(cost_table, features_left_out_are_at_their_default)
{
  ts_cost_source *t = table("family,dtype,m,n,k,time_us\ngemm,bf16,8,8,8,1\n", NULL);
  ts_feature f[] = {{"m", 8}, {"n", 8}, {"k", 8}, {"count", 2}};
  ts_cost_query q = {.family = "gemm", .dtype = "bf16", .feature = f, .feature_count = 4};
  ts_cost_answer a;
  cr_assert_not(ts_cost_ask(t, &q, &a), "two products are not one");
  f[3] = (ts_feature){"stride", 1};
  cr_assert_not(ts_cost_ask(t, &q, &a), "a feature the table knows nothing of");
}

Test(cost_table, families_without_features_are_keyed_by_work)
{
  ts_cost_source *t =
    table("family,dtype,bytes,time_us\nelementwise,fp16,1000,1\nelementwise,fp16,4000,4\n", NULL);
  ts_cost_query q = {.family = "elementwise", .dtype = "fp16", .bytes = 2000};
  ts_cost_answer a;
  cr_assert(ts_cost_ask(t, &q, &a));
  cr_assert_float_eq(a.seconds, 2e-6, 1e-15);
}

Test(cost_table, ops_have_families_of_their_own)
{
  const ts_cost_source *source = table("family,dtype,bytes,time_us\n"
                                       "elementwise,bf16,1000,10\n"
                                       "softmax,bf16,1000,20\n"
                                       "softmax_backward,bf16,1000,30\n",
                                       NULL);
  ts_cost_query q = {.family = "elementwise", .dtype = "bf16", .bytes = 1000};
  ts_cost_answer a;
  cr_assert(ts_cost_ask(source, &q, &a));
  cr_assert_float_eq(a.seconds, 10e-6, 1e-15);
  q.op = "softmax";
  cr_assert(ts_cost_ask(source, &q, &a));
  cr_assert_float_eq(a.seconds, 20e-6, 1e-15);
  q.backward = true;
  cr_assert(ts_cost_ask(source, &q, &a));
  cr_assert_float_eq(a.seconds, 30e-6, 1e-15);
  q.op = "gelu";
  cr_assert(ts_cost_ask(source, &q, &a), "those without one are of the family");
  cr_assert_float_eq(a.seconds, 10e-6, 1e-15);
  cr_assert(ts_cost_knows(source, "softmax_backward"));
  cr_assert_not(ts_cost_knows(source, "gelu"));
}

Test(cost_table, equal_keys_give_their_median_and_units_are_honoured)
{
  ts_cost_source *t =
    table("dtype,m,n,k,time_ms\nbf16,8,8,8,9\nbf16,8,8,8,1\nbf16,8,8,8,2\n", NULL);
  ts_cost_answer a;
  cr_assert(ask_gemm(t, "bf16", 8, 8, 8, &a));
  cr_assert_float_eq(a.seconds, 2e-3, 1e-15);
}

Test(cost_table, keys_and_values_of_other_types_are_another_type)
{
  ts_cost_source *t = table("dtype,kv_dtype,batch,seq,heads,kv_heads,head_dim,time_us\n"
                            "bfloat16,fp8,1,128,8,8,64,5\nbfloat16,bfloat16,1,128,8,8,64,7\n",
                            NULL);
  ts_feature f[] = {{"batch", 1}, {"seq", 128}, {"heads", 8}, {"kv_heads", 8}, {"head_dim", 64}};
  ts_cost_query q = {.family = "attention", .dtype = "bf16", .feature = f, .feature_count = 5};
  ts_cost_answer a;
  cr_assert(ts_cost_ask(t, &q, &a));
  cr_assert_float_eq(a.seconds, 7e-6, 1e-15);
}

Test(cost_table, features_that_can_be_zero_are_not_interpolated)
{
  ts_cost_source *t = table("family,dtype,seq,causal,time_us\nattention,bf16,128,0,2\nattention,"
                            "bf16,512,0,8\nattention,bf16,128,1,1\n",
                            NULL);
  ts_feature f[] = {{"seq", 256}, {"causal", 0}};
  ts_cost_query q = {.family = "attention", .dtype = "bf16", .feature = f, .feature_count = 2};
  ts_cost_answer a;
  cr_assert(ts_cost_ask(t, &q, &a));
  cr_assert_float_eq(a.seconds, 4e-6, 1e-15);
  f[1].value = 1;
  cr_assert_not(ts_cost_ask(t, &q, &a));
}

Test(cost_table, nearest_rows)
{
  ts_table_near near[2];
  ts_feature f[] = {{"m", 17}, {"n", 15}, {"k", 1}};
  ts_cost_query q = {.family = "gemm", .dtype = "bf16", .feature = f, .feature_count = 3};
  cr_assert_eq(ts_table_nearest(table(cube, NULL), &q, near, 2), 2);
  cr_assert_eq(near[0].line, 7);
  cr_assert_eq(near[0].feature_count, 3);
  cr_assert_str_eq(near[0].name[0], "m");
  cr_assert_float_eq(near[0].value[0], 16, 0);
  cr_assert_str_eq(near[0].dtype, "bf16");
}

/* Another type is farther than any size; another family is none, if this one has rows. */
Test(cost_table, near_rows_are_of_the_type_and_the_family)
{
  ts_table_near near[4];
  ts_feature f[] = {{"m", 16}, {"n", 16}, {"k", 16}};
  ts_cost_query q = {.family = "gemm", .dtype = "bf16", .feature = f, .feature_count = 3};
  ts_cost_source *t = table("family,dtype,m,n,k,time_us\ngemm,fp32,16,16,16,1\ngemm,bf16,64,64,"
                            "16,2\nconv,bf16,16,16,16,3\n",
                            NULL);
  cr_assert_eq(ts_table_nearest(t, &q, near, 4), 2);
  cr_assert_eq(near[0].line, 3);
  q.family = "other";
  cr_assert_eq(ts_table_nearest(t, &q, near, 4), 3);
  cr_assert_eq(near[0].line, 4);
}

Test(cost_table, options_name_what_the_columns_do_not)
{
  ts_table_options o = {.family = "copy", .dtype = "fp32"};
  ts_cost_source *t = table("bytes,time_us\n8,3\n", &o);
  const char *family[2];
  cr_assert_eq(ts_cost_families(t, family, 2), 1);
  cr_assert_str_eq(family[0], "copy");
}

Test(cost_table, reads_gzip_of_several_members_and_refuses_damage)
{
  unsigned char packed[2048];
  size_t size = 0;
  for (int half = 0; half < 2; half++) {
    z_stream z = {.next_in = (Bytef *)cube + half * 60,
                  .avail_in = half ? sizeof cube - 1 - 60 : 60,
                  .next_out = packed + size,
                  .avail_out = 1000};
    cr_assert_eq(deflateInit2(&z, 9, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
    cr_assert_eq(deflate(&z, Z_FINISH), Z_STREAM_END);
    size += z.total_out;
    deflateEnd(&z);
  }
  ts_error error;
  ts_cost_answer a;
  ts_cost_source *t = ts_cost_table(arena, packed, size, NULL, &error);
  cr_assert(t && ask_gemm(t, "bf16", 16, 16, 16, &a));
  cr_assert_null(ts_cost_table(arena, packed, size - 9, NULL, &error));
  cr_assert_str_eq(error.message, "the gzip file ends too early");
  packed[size - 20] ^= 0x55;
  cr_assert_null(ts_cost_table(arena, packed, size, NULL, &error));
}

Test(cost_table, errors_point_at_the_cell)
{
  cr_expect_str_eq(error_of(""), "1:1 the table is empty: no header line");
  cr_expect_str_eq(error_of("m,n,k\n1,2,3\n"), "1:1 the table has no column of times");
  cr_expect_str_eq(error_of("m,n,k,time_us,seconds\n"), "1:1 the table has 2 columns of times");
  cr_expect_str_eq(error_of("m,n,k,time_hours\n"), "1:7 unknown column `time_hours`");
  cr_expect_str_eq(error_of("m,n,2k,time_us\n"), "1:5 column 3 has no usable name: \"2k\"");
  cr_expect_str_eq(error_of("m,n,m,time_us\n"), "1:5 column `m` appears twice");
  cr_expect_str_eq(error_of("size,time_us\n1,2\n"),
                   "1:1 the table does not say which family its rows belong to");
  cr_expect_str_eq(error_of("m,n,k,time_us\n"), "2:1 the table has a header but no rows");
  cr_expect_str_eq(error_of("m,n,k,time_us\n1,2,3\n"),
                   "2:1 3 cells where the header has 4 columns");
  cr_expect_str_eq(error_of("m,n,k,time_us\n# no row\n1,2,3,4,5\n"),
                   "3:9 5 cells where the header has 4 columns");
  cr_expect_str_eq(error_of("m,n,k,time_us\n1,2,x3,4\n"), "2:5 `k` is not a number: \"x3\"");
  cr_expect_str_eq(error_of("m,n,k,time_us\n1,2,3,\n"), "2:7 `time_us` is not a number: \"\"");
  cr_expect_str_eq(error_of("m,n,k,time_us\n1,2,3,nan\n"),
                   "2:7 `time_us` is not a number: \"nan\"");
  cr_expect_str_eq(error_of("m,n,k,time_us\n1,2,3,-4\n"), "2:7 `time_us` must be positive: -4");
  cr_expect_str_eq(error_of("m,n,k,bytes,time_us\n1,2,3,-4,5\n"), "2:7 `bytes` is negative: -4");
  cr_expect_str_eq(error_of("family,dtype,m,time_us\n,bf16,3,4\n"), "2:1 no family: \"\"");
  cr_expect_str_eq(error_of("m,n,k,note,time_us\n1,2,3,\"a, b\",4\n1,2,3,\"a,4\n"),
                   "3:7 a quote is not closed");
  cr_expect_str_eq(error_of("m,n,k,time_us\n1,\"2\"3,4,5\n"), "2:6 text follows a closing quote");
}

Test(cost_table, numbers_are_read_to_the_last_digit)
{
  static const char *const digits[] = {
    "0.1", "5.00267", "1e-6", "123456789012345", "2.5E+3", "1.7976931348623157", ".5", "7."};
  for (size_t i = 0; i < sizeof digits / sizeof *digits; i++) {
    double value;
    cr_assert_eq(sscanf(digits[i], "%lf", &value), 1);
    ts_cost_source *t = table(ts_arena_printf(arena, "m,n,k,seconds\n1,2,3,%s\n", digits[i]), NULL);
    ts_cost_answer a;
    cr_assert(ask_gemm(t, "bf16", 1, 2, 3, &a));
    cr_expect_leq(fabs(a.seconds / value - 1), 3e-16, "%s", digits[i]);
  }
}

Test(cost_table, roofline)
{
  ts_peak peak[] = {{"bf16", 1e15}};
  ts_roofline r = {peak, 1, 1e12, 0.5, 0.8, 0, 0, 2e-6};
  ts_cost_source *source = ts_cost_roofline(arena, &r);
  ts_cost_query q = {.family = "any", .dtype = "bf16", .flops = 1e12, .bytes = 8e8};
  ts_cost_answer a;
  cr_assert(ts_cost_ask(source, &q, &a));
  cr_assert_eq(a.basis, TS_COST_ROOFLINE);
  cr_assert_float_eq(a.seconds, 2e-3 + 2e-6, 1e-12);
  q.flops = 0;
  cr_assert(ts_cost_ask(source, &q, &a));
  cr_assert_float_eq(a.seconds, 1e-3 + 2e-6, 1e-12);
  q.flops = 1, q.dtype = "fp64";
  cr_assert_not(ts_cost_ask(source, &q, &a), "no peak for this type");
  r.bytes_half = 8e8;
  q = (ts_cost_query){.family = "any", .dtype = "bf16", .bytes = 8e8};
  cr_assert(ts_cost_ask(ts_cost_roofline(arena, &r), &q, &a));
  cr_assert_float_eq(a.seconds, 2e-3 + 2e-6, 1e-12, "half the efficiency at bytes_half");
}
