/* Traces: what readers take from each format, what they say of bad ones, and the way through
 * tables, replays and other tools' formats and back. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include <criterion/criterion.h>

#include "cost/cost.h"
#include "tests/unit/amount.h"
#include "tests/unit/engine_plan.h"
#include "trace/match.h"
#include "trace/optable.h"
#include "tests/play_ranks.h"
#include "trace/read/rank_graph.h"
#include "trace/read/goal.h"
#include "trace/read/json.h"
#include "trace/read/readers.h"
#include "trace/replay.h"
#include "trace/write/export.h"

static ts_arena *arena;
static void set_up(void) { arena = ts_arena_new("test"); }
static void tear_down(void) { ts_arena_free(arena); }
TestSuite(import, .init = set_up, .fini = tear_down);

static ts_events *parse_bytes(const void *bytes, size_t size)
{
  ts_error error = {0};
  ts_events *e = ts_events_parse(arena, "trace.json", bytes, size, NULL, &error);
  cr_assert(e, "%s at %llu", error.message, (unsigned long long)error.begin);
  return e;
}

static ts_events *parse(const char *text) { return parse_bytes(text, strlen(text)); }

static const char *error_of_bytes(const void *bytes, size_t size)
{
  ts_error error = {0};
  cr_assert_null(ts_events_parse(arena, "trace.json", bytes, size, NULL, &error));
  return ts_arena_printf(arena, "%llu:%llu %s", (unsigned long long)error.line,
                         (unsigned long long)error.begin, error.message);
}

static const char *error_of(const char *text) { return error_of_bytes(text, strlen(text)); }

/* ---- Numbers and texts ---- */

static int64_t thousandths(const char *text)
{
  int64_t value;
  return ts_json_thousandths(text, strlen(text), &value) ? value : INT64_MIN;
}

Test(import, microseconds_are_exact_nanoseconds)
{
  cr_expect_eq(thousandths("1712195495519689.123"), 1712195495519689123);
  cr_expect_eq(thousandths("0.0005"), 1);
  cr_expect_eq(thousandths("0.0004"), 0);
  cr_expect_eq(thousandths("7"), 7000);
  cr_expect_eq(thousandths("-3.5"), -3500);
  cr_expect_eq(thousandths("1e3"), 1000000);
  cr_expect_eq(thousandths("1.5.2"), INT64_MIN);
  cr_expect_eq(thousandths(""), INT64_MIN);
  cr_expect_eq(thousandths("99999999999999999999"), INT64_MIN);
}

Test(import, escapes)
{
  char out[64];
  static const char text[] = "a\\n\\u00e9\\\"\\\\b\\u20ac";
  size_t length = ts_json_unescape(text, sizeof text - 1, out);
  cr_expect_eq(length, strlen("a\n\xc3\xa9\"\\b\xe2\x82\xac"));
  cr_expect(memcmp(out, "a\n\xc3\xa9\"\\b\xe2\x82\xac", length) == 0);
}

/* ---- The profiler's traces ---- */

#define HEAD                                                                                       \
  "{\"schemaVersion\":1,\"deviceProperties\":[{\"id\":0,\"name\":\"Toy\",\"totalGlobalMem\":1024," \
  "\"numSms\":20}],\n"                                                                             \
  "\"distributedInfo\":{\"backend\":\"nccl\",\"rank\":%d,\"world_size\":2},\"traceEvents\":[\n"
#define TAIL "],\"traceName\":\"t\"}"
#define LAUNCH(id, at, shift)                                                                      \
  "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":5,\"tid\":5,"      \
  "\"ts\":" at ",\"dur\":2,\"args\":{\"correlation\":" id "}},\n"
#define KERNEL(id, stream, at, dur)                                                                \
  "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"toy_gemm\",\"pid\":0,\"tid\":" stream ",\"ts\":" at \
  ",\"dur\":" dur ",\"args\":{\"stream\":" stream ",\"correlation\":" id "}},\n"

static const char small[] =
  "{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"ProfilerStep#3\",\"pid\":5,\"tid\":5,"
  "\"ts\":1,\"dur\":400},\n"
  "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::mm\",\"pid\":5,\"tid\":5,\"ts\":10,\"dur\":9."
  "5,\"args\":{\"Input Dims\":[[64, 32], [32, 16]],\"Input "
  "type\":[\"c10::BFloat16\",\"c10::BFloat16\"]}},\n" LAUNCH("90", "14", 0)
    KERNEL("90", "7", "30.250",
           "12.125") "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":"
                     "5,\"tid\":5,\"ts\":21,\"dur\":2,\"args\":{\"correlation\":95}},\n"
                     "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"ncclDevKernel_AllReduce_Sum_bf16_"
                     "RING_LL(toy)\",\"pid\":0,\"tid\":20,\"ts\":40,\"dur\":18,\"args\":{"
                     "\"stream\":20,\"correlation\":95,"
                     "\"Collective name\":\"allreduce\",\"In msg nelems\":1024,\"Out msg "
                     "nelems\":1024,\"Group size\":2,\"dtype\":\"BFloat16\",\"Process Group "
                     "Name\":\"0\",\"Process Group Ranks\":\"[0, 1]\",\"Seq\":7}},\n"
                     "{\"ph\":\"i\",\"cat\":\"cpu_instant_event\",\"s\":\"t\",\"name\":\"[memory]"
                     "\",\"pid\":5,\"tid\":5,\"ts\":11,\"args\":{\"Device "
                     "Type\":1,\"Bytes\":512,\"Total Allocated\":2048,\"Total Reserved\":4096}},\n"
                     "{\"ph\":\"X\",\"cat\":\"python_function\",\"name\":\"f\",\"pid\":5,\"tid\":5,"
                     "\"ts\":1,\"dur\":2,\"args\":{\"Python id\":1}}\n";

static ts_events *small_trace(void)
{
  return parse(ts_arena_printf(arena, HEAD "%s" TAIL, 0, small));
}

Test(import, profiler_trace)
{
  ts_events *e = small_trace();
  cr_expect_eq(e->format, TS_TRACE_KINETO);
  cr_expect_eq(e->rank, 0);
  cr_expect_eq(e->world, 2);
  cr_expect_eq(e->seen, 8);
  cr_expect_eq(e->device_count, 2);
  cr_expect_eq(e->linked_calls, 2);
  cr_expect_eq(e->linked_ops, 1);
  cr_expect_eq(e->step_count, 1);
  const ts_event *gemm = ts_event_at(e, e->device[0]), *comm = ts_event_at(e, e->device[1]);
  cr_expect_eq(gemm->start, 30250);
  cr_expect_eq(gemm->duration, 12125);
  cr_expect_eq(gemm->kind, TS_KERNEL_MATMUL);
  cr_expect_str_eq(ts_events_text(e, ts_event_at(e, gemm->op)->name), "aten::mm");
  const ts_event_comm *c = &e->comms.at[comm->detail];
  cr_expect_eq(c->kind, TS_COMM_ALL_REDUCE);
  cr_expect_eq(c->bytes, 2048);
  cr_expect_eq(c->sequence, 7);
  cr_expect_str_eq(ts_events_text(e, c->ranks), "0,1");
  ts_trace_summary *s = ts_trace_summary_new(arena, e);
  cr_expect_eq(s->shares.span, 27750);
  cr_expect_eq(s->shares.compute, 12125);
  cr_expect_eq(s->shares.comm, 18000);
  cr_expect_eq(s->shares.overlap, 2375);
  cr_expect_eq(s->shares.idle, 0);
  cr_expect_eq(s->memory_peak, 2048);
  cr_expect_eq(s->memory_start, 1536);
}

Test(import, long_lists_of_ranks_are_written_out_or_not_made_up)
{
  static const char kernel[] =
    HEAD "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"ncclKernel_x\",\"pid\":0,\"tid\":1,\"ts\":1,"
         "\"dur\":1,\"args\":{\"Collective name\":\"allgather\",\"Group size\":4,"
         "\"Process Group Ranks\":\"[0, 2, ..., ...]\"%s}}" TAIL;
  ts_events *e =
    parse(ts_arena_printf(arena, kernel, 0, ",\"Global rank start\":0,\"Global rank stride\":2"));
  cr_expect_str_eq(ts_events_text(e, e->comms.at[0].ranks), "0,2,4,6");
  e = parse(ts_arena_printf(arena, kernel, 0, ""));
  cr_expect_eq(e->comms.at[0].ranks, 0);
}

Test(import, ranks_are_whole_numbers)
{
  static const struct { const char *given, *taken;
  } lists[] = {
    {"[0,1]", "0,1"}, {" [ 12 , 3,] ", "12,3"}, {"[]", ""},      {"[ ]", ""},
    {"[1.5]", NULL},  {"[-1]", NULL},           {"[1 2]", NULL}, {"[,1]", NULL},
    {"[1,,2]", NULL}, {"[[1]]", NULL},          {"[1e3]", NULL}, {"[99999999999999999999]", NULL},
    {"[1", NULL},     {"[1]2", NULL},           {"1", NULL},     {"", NULL},
  };
  ts_events *e = small_trace();
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
    uint32_t ranks;
    bool good = ts_take_ranks(e, lists[i].given, strlen(lists[i].given), &ranks);
    cr_expect_eq(good, lists[i].taken != NULL, "%s", lists[i].given);
    cr_expect_str_eq(ts_events_text(e, ranks), good ? lists[i].taken : "", "%s", lists[i].given);
  }
}

Test(import, gzip_and_gzip_cut_off)
{
  const char *text = ts_arena_printf(arena, HEAD "%s" TAIL, 0, small);
  uint8_t packed[8192];
  z_stream z = {.next_in = (Bytef *)(uintptr_t)text,
                .avail_in = (uInt)strlen(text),
                .next_out = packed,
                .avail_out = sizeof packed};
  deflateInit2(&z, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  cr_assert_eq(deflate(&z, Z_FINISH), Z_STREAM_END);
  size_t size = z.total_out;
  deflateEnd(&z);
  cr_expect_eq(parse_bytes(packed, size)->device_count, 2);
  ts_events *cut = parse_bytes(packed, size / 2);
  cr_expect(cut->cut);
  cr_expect_lt(cut->seen, 8);
  packed[size / 2] ^= 0x55;
  ts_error error = {0};
  ts_events *e = ts_events_parse(arena, "x", packed, size, NULL, &error);
  cr_expect(!e || e->cut ||
            (e->seen == 8 && e->device_count == 2)); /* reported, or nothing was lost */
}

Test(import, every_cut_is_read_or_refused)
{
  const char *text = ts_arena_printf(arena, HEAD "%s" TAIL, 0, small);
  size_t size = strlen(text);
  for (size_t n = 0; n < size; n += amount(7, 1)) {
    ts_error error = {0};
    ts_events *e = ts_events_parse(arena, "x", text, n, NULL, &error);
    cr_expect(e ? e->cut : error.message[0] != 0, "%zu bytes", n);
  }
}

Test(import, what_is_odd_is_counted)
{
  ts_events *e = parse(ts_arena_printf(
    arena,
    HEAD
    "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"a\",\"pid\":0,\"tid\":1,\"ts\":NaN,\"dur\":1},\n"
    "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"a\",\"pid\":0,\"tid\":1,\"ts\":5,\"dur\":-1},\n"
    "{\"ph\":\"X\",\"cat\":\"new_thing\",\"name\":\"a\",\"pid\":0,\"tid\":1,\"ts\":5,\"dur\":1},"
    "\n" LAUNCH("9", "100", 0) KERNEL("9", "1", "7", "2") TAIL,
    0));
  cr_expect_eq(e->untimed, 1);
  cr_expect_eq(e->negative, 1);
  cr_expect_eq(e->unknown_category, 1);
  cr_expect_eq(e->backward_clock, 1);
  cr_expect_eq(e->device_count, 2);
}

Test(import, errors_say_where)
{
  cr_expect_str_eq(error_of(""), "0:0 the file is empty");
  cr_expect_str_eq(error_of("{\"a\": 1}"), "1:8 this JSON holds no events of a trace");
  cr_expect_str_eq(error_of("{\"traceEvents\":\n[{\"ph\": oops}]}"),
                   "2:24 found `o`, expected a value");
  cr_expect_str_eq(error_of("{\"traceEvents\": 4}"), "1:17 `traceEvents` is not a list");
  cr_expect_str_eq(error_of("hello world"), "0:0 not a trace of a known format");
  cr_expect_str_eq(error_of("a,b,c\n1,2,3\n"), "0:0 a table of operators is not a trace");
}

/* ---- Graphs ---- */

static const char execution[] =
  "{\"schema\":\"1.0.2-chakra.0.0.4\",\"nodes\":["
  "{\"id\":2,\"name\":\"[pytorch|profiler|execution_trace|thread]\",\"ctrl_deps\":1,\"inputs\":{"
  "\"values\":[]},\"outputs\":{\"values\":[]},\"attrs\":[]},"
  "{\"id\":5,\"name\":\"aten::mm\",\"ctrl_deps\":2,\"inputs\":{\"values\":[[6,7,0,2048,2,\"cuda:"
  "0\"]],\"shapes\":[[64,32]],\"types\":[\"Tensor(float)\"]},"
  "\"outputs\":{\"values\":[[10,11,0,1024,2,\"cuda:0\"]]},\"attrs\":[]},"
  "{\"id\":12,\"name\":\"record_param_comms\",\"ctrl_deps\":2,\"inputs\":{\"values\":[[[10,11,0,"
  "1024,2,\"cuda:0\"]],3,7,0,\"allreduce\",[],[],2]},\"outputs\":{\"values\":[]},\"attrs\":[]},"
  "{\"id\":1,\"name\":\"[pytorch|profiler|execution_trace|process]\",\"ctrl_deps\":1}]}";

Test(import, execution_trace)
{
  ts_events *e = parse(execution);
  cr_expect_eq(e->format, TS_TRACE_EXECUTION);
  cr_expect_eq(e->count, 4);
  cr_expect_eq(e->tensors.count, 3);
  cr_assert_eq(e->comms.count, 1);
  cr_expect_eq(e->comms.at[0].kind, TS_COMM_ALL_REDUCE);
  cr_expect_eq(e->comms.at[0].bytes, 2048);
  cr_expect_eq(e->comms.at[0].sequence, 3);
  cr_expect_eq(e->comms.at[0].size, 2);
  bool joined = false;
  for (size_t i = 0; i < e->edges.count; i++)
    joined |= !e->edges.at[i].control && e->edges.at[i].from == 1 && e->edges.at[i].to == 2;
  cr_expect(joined, "the collective waits for the product");
}

/* The example of 110 bytes that the format's description works out. */
static const uint8_t chakra[] = {
  0x07, 0x0a, 0x05, 0x30, 0x2e, 0x30, 0x2e, 0x34, 0x1b, 0x08, 0x01, 0x12, 0x02, 0x6d, 0x6d, 0x18,
  0x04, 0x38, 0xfa, 0x01, 0x52, 0x0e, 0x0a, 0x09, 0x69, 0x73, 0x5f, 0x63, 0x70, 0x75, 0x5f, 0x6f,
  0x70, 0xd8, 0x01, 0x00, 0x49, 0x08, 0x02, 0x12, 0x02, 0x61, 0x72, 0x18, 0x07, 0x2a, 0x01, 0x01,
  0x52, 0x0e, 0x0a, 0x09, 0x69, 0x73, 0x5f, 0x63, 0x70, 0x75, 0x5f, 0x6f, 0x70, 0xd8, 0x01, 0x00,
  0x52, 0x0d, 0x0a, 0x09, 0x63, 0x6f, 0x6d, 0x6d, 0x5f, 0x74, 0x79, 0x70, 0x65, 0x48, 0x00, 0x52,
  0x0e, 0x0a, 0x09, 0x63, 0x6f, 0x6d, 0x6d, 0x5f, 0x73, 0x69, 0x7a, 0x65, 0x48, 0x80, 0x20, 0x52,
  0x0d, 0x0a, 0x07, 0x70, 0x67, 0x5f, 0x6e, 0x61, 0x6d, 0x65, 0xea, 0x01, 0x01, 0x30};

Test(import, chakra_trace)
{
  cr_assert_eq(sizeof chakra, 110);
  ts_events *e = parse_bytes(chakra, sizeof chakra);
  cr_expect_str_eq(e->version, "0.0.4");
  cr_assert_eq(e->count, 2);
  cr_expect_eq(ts_event_at(e, 0)->duration, 250000);
  cr_assert_eq(e->edges.count, 1);
  cr_expect_eq(e->edges.at[0].from, 0);
  cr_expect_eq(e->comms.at[0].bytes, 4096);
  cr_expect_eq(e->comms.at[0].kind, TS_COMM_ALL_REDUCE);
  cr_expect_str_eq(ts_events_text(e, e->comms.at[0].group), "0");
  for (size_t n = 9; n < sizeof chakra; n++) {
    ts_error error = {0};
    ts_events *cut = ts_events_parse(arena, "x", chakra, n, NULL, &error);
    cr_expect(cut ? cut->cut || n == 36 : error.message[0] != 0, "%zu bytes", n);
  }
}

Test(import, cycles_and_numbers_twice_are_refused)
{
  cr_expect(strstr(error_of("{\"workload_graph\":[{\"Id\":1,\"Name\":\"a\",\"data_deps\":[2]},{"
                            "\"Id\":2,\"Name\":\"b\",\"data_deps\":[1]}]}"),
                   "form a cycle through node"));
  cr_expect(
    strstr(error_of("{\"workload_graph\":[{\"Id\":1,\"Name\":\"a\"},{\"Id\":1,\"Name\":\"b\"}]}"),
           "two nodes have the number 1: `a` and `b`"));
  ts_events *e = parse("{\"workload_graph\":[{\"Id\":1,\"Name\":\"a\",\"data_deps\":[7]}]}");
  cr_expect_eq(e->missing_nodes, 1);
}

Test(import, workload)
{
  ts_events *e = parse("HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 2 ep: 1 pp: 2 "
                       "vpp: 1 ga: 4 all_gpus: 8\n2\n"
                       "embed -1 12000 ALLREDUCE 65536 1 NONE 0 9000 NONE 0 100\nattn -1 54000 "
                       "NONE 0 60000 ALLREDUCE 64 51000 REDUCESCATTER_DP_EP 4096 100\n");
  cr_expect_eq(e->world, 8);
  cr_expect_eq(e->count, 11);
  cr_expect_str_eq(ts_events_text(e, ts_event_at(e, 0)->name), "embed.forward");
  cr_expect_eq(ts_event_at(e, 0)->duration, 12000);
  cr_expect_eq(e->comms.at[0].size, 2);
  cr_expect_str_eq(error_of("MICRO\n1\na -1 5 NONE 0 5 NONE 0 x NONE 0 1\n"),
                   "3:42 line 3: `x` is not a time");
  cr_expect_str_eq(error_of("MICRO\n1\na -1 5 SHOUT 0 5 NONE 0 5 NONE 0 1\n"),
                   "3:43 line 3: `SHOUT` is not a collective");
  cr_expect_str_eq(error_of("MICRO\nmany\n"), "2:11 line 2: `many` is not the number of layers");
}

/* ---- Tables ---- */

Test(import, a_table_answers_as_a_cost_source)
{
  const ts_events *const traces[] = {small_trace()};
  ts_op_table *t = ts_op_table_new(arena, traces, 1);
  cr_assert_eq(t->rows.count, 1);
  cr_expect_eq(t->covered, 12125);
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  ts_op_table_write(t, traces, 1, out);
  fclose(out);
  ts_error error = {0};
  ts_cost_source *source = ts_cost_table(arena, text, size, NULL, &error);
  cr_assert(source, "%u: %s", error.line, error.message);
  ts_feature f[] = {{"m", 64}, {"n", 16}, {"k", 32}, {"count", 1}};
  ts_cost_query q = {.family = "gemm", .dtype = "bf16", .feature = f, .feature_count = 4};
  ts_cost_answer answer;
  cr_assert(ts_cost_ask(source, &q, &answer));
  cr_expect_float_eq(answer.seconds, 12.125e-6, 1e-12);
  free(text);
}

/* ---- Replay ---- */

static uint64_t play_ns(const ts_replay *r)
{
  ts_ir ir;
  ts_error wrong;
  ts_ir_builder_view(r->ir, &ir);
  cr_assert_eq(ts_ir_verify(&ir, &wrong), 0, "%s", wrong.message);
  ts_stop stop = {.arena = arena};
  ts_run *run = ts_run_new(&ir, &(ts_run_options){0}, &stop);
  cr_assert(run);
  uint64_t step = ts_run_result(run)->step / 1000;
  ts_run_free(run);
  return step;
}

/* Launches every 10 us of kernels of 30 us: the device is behind, kernel to kernel. */
Test(import, replay_of_a_busy_stream)
{
  ts_events *e = parse(ts_arena_printf(
    arena,
    HEAD LAUNCH("1", "0", 0) LAUNCH("2", "10", 0) LAUNCH("3", "20", 0) KERNEL("1", "7", "5", "30")
      KERNEL("2", "7", "36", "30") KERNEL("3", "7", "67", "30") TAIL,
    0));
  ts_error error = {0};
  ts_replay *r = ts_replay_new(arena, e, NULL, &error);
  cr_assert(r);
  cr_expect_eq(r->measured.span, 92000);
  cr_expect_eq(r->gap, 1000);
  cr_expect_eq(r->latency, 5000);
  cr_expect_eq(play_ns(r), 97000); /* from the first launch */
  cr_expect_eq(r->unexplained, 0);
  ts_ir_builder_free(r->ir);
}

/* The second launch comes late, and the third after the host waited for the device. */
Test(import, replay_of_a_late_host_and_of_a_host_that_waits)
{
  ts_events *e = parse(ts_arena_printf(
    arena,
    HEAD LAUNCH("1", "0", 0) KERNEL("1", "7", "5", "10") LAUNCH("2", "100", 0) KERNEL(
      "2", "7", "105",
      "50") "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaDeviceSynchronize\",\"pid\":5,"
            "\"tid\":5,\"ts\":110,\"dur\":50,\"args\":{\"correlation\":8}},\n" LAUNCH("3", "170", 0)
              KERNEL("3", "7", "175", "10") TAIL,
    0));
  ts_error error = {0};
  ts_replay *r = ts_replay_new(arena, e, NULL, &error);
  cr_assert(r);
  cr_expect_eq(r->syncs, 1);
  cr_expect_eq(play_ns(r), 185000);
  ts_ir_builder_free(r->ir);
}

/* A stream that waits for another, as the profiler records it. */
Test(import, replay_follows_recorded_waits)
{
  ts_events *e = parse(ts_arena_printf(
    arena,
    HEAD LAUNCH("1", "0", 0) KERNEL(
      "1", "7", "5",
      "100") "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaEventRecord\",\"pid\":5,"
             "\"tid\":5,\"ts\":3,\"dur\":1,\"args\":{\"correlation\":2}},\n"
             "{\"ph\":\"X\",\"cat\":\"cuda_sync\",\"name\":\"Stream Wait "
             "Event\",\"pid\":0,\"tid\":20,\"ts\":5,\"dur\":1,\"args\":{\"stream\":20,\"wait_on_"
             "stream\":7,"
             "\"wait_on_cuda_event_record_corr_id\":2,\"correlation\":3}},\n" LAUNCH("4", "7", 0)
               KERNEL("4", "20", "105", "40") TAIL,
    0));
  ts_error error = {0};
  ts_replay *r = ts_replay_new(arena, e, NULL, &error);
  cr_assert(r);
  cr_expect_eq(r->waits_exact, 1);
  cr_expect_eq(r->streams, 2);
  cr_expect_leq(llabs((long long)play_ns(r) - 145000), 2000);
  ts_ir_builder_free(r->ir);
}

Test(import, replay_says_what_it_needs)
{
  ts_error error = {0};
  cr_expect_null(ts_replay_new(arena, parse(execution), NULL, &error));
  cr_expect_str_eq(error.message, "the trace has no times");
}

/* ---- Other tools' formats, and back ---- */

static void expect_same(const ts_events *a, const ts_events *b)
{
  cr_assert_eq(a->count, b->count);
  cr_assert_eq(a->edges.count, b->edges.count);
  for (uint32_t i = 0; i < a->count; i++) {
    const ts_event *x = ts_event_at(a, i), *y = ts_event_at(b, i);
    cr_expect_eq(x->id, y->id);
    cr_expect_eq(x->class, y->class);
    cr_expect_eq(x->duration < 0 ? 0 : x->duration, y->duration < 0 ? 0 : y->duration);
    cr_expect_str_eq(ts_events_text(a, x->name), ts_events_text(b, y->name));
    cr_assert_eq(x->detail == TS_EVENT_NONE, y->detail == TS_EVENT_NONE);
    if (x->detail == TS_EVENT_NONE)
      continue;
    const ts_event_comm *c = &a->comms.at[x->detail], *d = &b->comms.at[y->detail];
    cr_expect_eq(c->kind, d->kind);
    cr_expect_eq(c->bytes, d->bytes);
    cr_expect_eq(c->peer, d->peer);
    cr_expect_eq(c->tag, d->tag);
    cr_expect_str_eq(ts_events_text(a, c->group), ts_events_text(b, d->group));
  }
  for (size_t i = 0; i < a->edges.count; i++)
    cr_expect(a->edges.at[i].from == b->edges.at[i].from && a->edges.at[i].to == b->edges.at[i].to);
}

/* All ranks of an IR in a form, as one text; where each begins in at[]. Ranks of a program share
 * tables and text. */
static char *write_ranks(const ts_ir *ir, ts_export_form form, size_t *at)
{
  char *text = NULL;
  size_t size = 0;
  ts_error error = {0};
  FILE *out = open_memstream(&text, &size);
  ts_ir_ranks *ranks = ts_ir_ranks_new(arena, ir);
  ts_export **of_program = TS_NEW_ARRAY(arena, ts_export *, ir->programs_count);
  if (form == TS_EXPORT_GOAL)
    ts_goal_write_head(ir->meta->world, out);
  for (uint32_t r = 0; r < ir->meta->world; r++) {
    const ts_events *e = ts_ir_ranks_at(ranks, r);
    ts_export **x = &of_program[ts_ir_ranks_program(ranks, r)];
    at[r] = (size_t)ftell(out);
    *x = *x ? *x : ts_export_new(arena, form, e, ir->meta->world, 0);
    cr_assert(ts_export_write(*x, out, &error), "%s", error.message);
  }
  at[ir->meta->world] = (size_t)ftell(out);
  fclose(out);
  return text;
}

Test(import, chakra_written_is_chakra_read)
{
  for (uint32_t seed = 1; seed <= 12; seed++) {
    plan p = plan_random(seed);
    ts_ir ir;
    plan_view(&p, &ir);
    size_t *at = TS_NEW_ARRAY(arena, size_t, ir.meta->world + 1);
    char *text = write_ranks(&ir, TS_EXPORT_CHAKRA, at);
    for (uint32_t r = 0; r < ir.meta->world; r++)
      expect_same(ts_events_of_ir(arena, &ir, r), parse_bytes(text + at[r], at[r + 1] - at[r]));
    free(text);
    plan_free(&p);
  }
}

/* Whether a label is defined in the rank, before the line at hand. */
static bool goal_defined(const char *rank, const char *line, const char *label)
{
  const char *at = strstr(rank, ts_arena_printf(arena, "\n%s:", label));
  return at && at < line;
}

/* A line of GOAL by its grammar: op, or `a requires b` of labels defined before. Counts bytes sent
 * less those received, and time. */
static bool goal_line(const char *line, int64_t *balance, int64_t *total)
{
  char a[64], b[64];
  unsigned long long size, rank, tag, cpu, nic, time;
  int end = 0;
  if (sscanf(line, "%63[a-z0-9_] requires %63[a-z0-9_]%n", a, b, &end) == 2 && !line[end])
    return isalpha((unsigned char)a[0]) && isalpha((unsigned char)b[0]);
  if (sscanf(line, "%63[a-z0-9_]: calc %llu cpu %llu%n", a, &time, &cpu, &end) == 3 && !line[end]) {
    *total += (int64_t)time;
    return cpu < 256;
  }
  if (sscanf(line, "%63[a-z0-9_]: send %llub to %llu tag %llu cpu %llu nic %llu%n", a, &size,
             &rank, &tag, &cpu, &nic, &end) == 6 &&
      !line[end]) {
    *balance += (int64_t)size;
    return cpu < 256 && nic == cpu;
  }
  if (sscanf(line, "%63[a-z0-9_]: recv %llub from %llu tag %llu cpu %llu nic %llu%n", a, &size,
             &rank, &tag, &cpu, &nic, &end) == 6 &&
      !line[end]) {
    *balance -= (int64_t)size;
    return cpu < 256 && nic == cpu;
  }
  return !*line || strcmp(line, "}") == 0 ||
         (sscanf(line, "num_ranks %llu%n", &rank, &end) == 1 && !line[end]) ||
         sscanf(line, "rank %llu {%n", &rank, &end) == 1;
}

Test(import, goal_follows_its_grammar_and_every_byte_arrives)
{
  for (uint32_t seed = 1; seed <= 12; seed++) {
    plan p = plan_random(seed);
    ts_ir ir;
    plan_view(&p, &ir);
    const ts_events **ranks = TS_NEW_ARRAY(arena, const ts_events *, ir.meta->world);
    for (uint32_t r = 0; r < ir.meta->world; r++) ranks[r] = ts_events_of_ir(arena, &ir, r);
    size_t *at = TS_NEW_ARRAY(arena, size_t, ir.meta->world + 1);
    char *text = write_ranks(&ir, TS_EXPORT_GOAL, at);
    int64_t balance = 0, total = 0, expected = 0;
    const char *whole = ts_arena_copy(arena, text, at[ir.meta->world] + 1), *rank = whole;
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
      char a[64], b[64];
      const char *here = whole + (line - text);
      rank = strncmp(line, "rank ", 5) == 0 ? here : rank;
      cr_assert(goal_line(line, &balance, &total), "%s", line);
      if (sscanf(line, "%63[a-z0-9_] requires %63[a-z0-9_]", a, b) == 2)
        cr_assert(goal_defined(rank, here, a) && goal_defined(rank, here, b), "%s", line);
    }
    for (uint32_t r = 0; r < ir.meta->world; r++)
      for (uint32_t i = 0; i < ranks[r]->count; i++) {
        const ts_event *v = ts_event_at(ranks[r], i);
        expected +=
          (v->kind == TS_KERNEL_COMMUNICATION && v->detail != TS_EVENT_NONE) || v->duration < 0 ?
            0 :
            v->duration;
      }
    cr_expect_eq(balance, 0);
    cr_expect_eq(total, expected);
    free(text);
    plan_free(&p);
  }
}

static ts_run *play_ranks(const ts_events *const *ranks, uint32_t world)
{
  const char *why;
  ts_input input;
  cr_assert(compile_ranks(arena, ranks, world, &input, &why), "%s", why);
  ts_stop stop = {.arena = arena};
  ts_run *run = ts_run_new(&input.ir, &(ts_run_options){0}, &stop);
  cr_assert(run, "a schedule stands still");
  ts_input_close(&input);
  return run;
}

static char *write_tables(const ts_events *const *ranks, uint32_t world)
{
  char *text = NULL;
  size_t size = 0;
  ts_error error = {0};
  FILE *out = open_memstream(&text, &size);
  ts_goal_write_head(world, out);
  for (uint32_t r = 0; r < world; r++)
    cr_assert(ts_export_write(ts_export_new(arena, TS_EXPORT_GOAL, ranks[r], world, 0), out, &error),
              "%s", error.message);
  fclose(out);
  return text;
}

/* What is written is read to ranks that play for as long, and writing those again and again gives
 * the same text. */
Test(import, goal_written_is_goal_read)
{
  for (uint32_t seed = 1; seed <= 12; seed++) {
    plan p = plan_random(seed);
    ts_ir ir;
    ts_error error = {0};
    plan_view(&p, &ir);
    uint32_t world = ir.meta->world;
    char *text = write_ranks(&ir, TS_EXPORT_GOAL, TS_NEW_ARRAY(arena, size_t, world + 1));
    uint64_t step = 0;
    for (int round = 0; round < 3; round++) {
      const ts_events **ranks = ts_goal_ranks(arena, parse(text), &error);
      cr_assert(ranks, "%s", error.message);
      ts_run *run = play_ranks(ranks, world);
      const ts_result *result = ts_run_result(run);
      cr_expect(!round || result->step == step, "seed %u, round %d: %llu ps, not %llu", seed, round,
                (unsigned long long)result->step, (unsigned long long)step);
      step = result->step;
      ts_run_free(run);
      char *again = write_tables(ranks, world);
      if (round)
        cr_expect_str_eq(again, text);
      free(text);
      text = again;
    }
    free(text);
    plan_free(&p);
  }
}

/* ---- Several ranks ---- */

#define COMM(name, seq, at, dur)                                                                   \
  "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"ncclKernel_x\",\"pid\":0,\"tid\":20,\"ts\":" at     \
  ",\"dur\":" dur ",\"args\":{\"stream\":20,\"Collective name\":\"" name                           \
  "\",\"dtype\":\"Float\",\"In msg nelems\":4,\"Out msg nelems\":4,\"Group size\":2,\"Process "    \
  "Group Name\":\"0\",\"Process Group Ranks\":\"[0, 1]\",\"Seq\":" seq "}},\n"

Test(import, ranks_are_matched_and_their_clocks_aligned)
{
  const ts_events *const traces[] = {
    parse(ts_arena_printf(arena,
                          HEAD COMM("allreduce", "1", "100", "50") COMM(
                            "allreduce", "2", "200", "10") COMM("broadcast", "3", "300", "10") TAIL,
                          0)),
    parse(ts_arena_printf(arena,
                          HEAD COMM("allreduce", "1", "620", "30")
                            COMM("allreduce", "2", "690", "20") COMM("allgather", "3", "800", "10")
                              COMM("allreduce", "9", "900", "10") TAIL,
                          1)),
  };
  ts_match *m = ts_match_new(arena, traces, 2);
  cr_expect_eq(m->collectives, 3);
  cr_expect_eq(m->disagreeing, 1);
  cr_expect_eq(m->ranks[1].offset, 500000);
  cr_expect_eq(m->ranks[0].waiting, 20000);  /* of the first, which began on rank 1 at 120 */
  cr_expect_eq(m->ranks[1].waiting, 10000);  /* of the second */
  cr_expect_eq(m->orphans.count, 3);
  cr_expect_str_eq(m->orphans.at[m->orphans.count - 1].why, "no other rank takes part");
}

#define MESSAGE(name, from, to, at)                                                                \
  "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"ncclKernel_SendRecv\",\"pid\":0,\"tid\":20,"        \
  "\"ts\":" at ",\"dur\":5,\"args\":{\"stream\":20,\"Collective name\":\"" name                    \
  "\",\"dtype\":\"Float\",\"In msg nelems\":4,\"Out msg nelems\":4,\"Group size\":2,\"Src "        \
  "Rank\":" from ",\"Dst Rank\":" to "}},\n"

Test(import, sends_meet_receives_and_orphans_are_listed)
{
  const ts_events *const traces[] = {
    parse(ts_arena_printf(
      arena, HEAD MESSAGE("send", "0", "1", "10") MESSAGE("send", "0", "1", "20") TAIL, 0)),
    parse(ts_arena_printf(arena, HEAD MESSAGE("recv", "0", "1", "12") TAIL, 1)),
  };
  ts_match *m = ts_match_new(arena, traces, 2);
  cr_expect_eq(m->messages, 1);
  cr_assert_eq(m->orphans.count, 1);
  cr_expect_str_eq(m->orphans.at[0].why, "no rank receives it");
}
