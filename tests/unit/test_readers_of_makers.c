/* Profiles of AMD's and Meta's devices, memory timelines and counters: small samples in the form of
 * their writers, and damaged ones. */
#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

#include "trace/summary.h"
#include "tests/unit/amount.h"

static ts_arena *arena;

static void set_up(void) { arena = ts_arena_new("test"); }
static void tear_down(void) { ts_arena_free(arena); }
TestSuite(readers_of_makers, .init = set_up, .fini = tear_down);

static const ts_events *read(const char *text, ts_error *error)
{
  *error = (ts_error){0};
  return ts_events_parse(arena, "x.json", text, strlen(text), NULL, error);
}

static const char *name_of(const ts_events *e, uint32_t i)
{
  return ts_events_text(e, ts_event_at(e, i)->name);
}

/* ROCm/rocprofiler-sdk, generateJSON.cpp: names of kernels and calls stand apart. */
static const char rocprofv3[] =
  "{\"rocprofiler-sdk-tool\":[{\"metadata\":{\"pid\":7,\"init_time\":1},"
  "\"agents\":[{\"size\":232,\"id\":{\"handle\":1},\"type\":1,\"name\":\"EPYC\"},"
  "{\"id\":{\"handle\":2},\"type\":2,\"name\":\"gfx942\",\"cu_count\":304,"
  "\"product_name\":\"AMD Instinct MI300X\"}],"
  "\"strings\":{\"callback_records\":[],\"buffer_records\":[{\"kind\":\"NONE\",\"operations\":[]},"
  "{\"kind\":\"HIP_RUNTIME_API\",\"operations\":[\"hipInit\",\"hipLaunchKernel\"]},"
  "{\"kind\":\"MEMORY_COPY\",\"operations\":[\"NONE\",\"MEMORY_COPY_HOST_TO_DEVICE\"]}]},"
  "\"buffer_records\":{\"kernel_dispatch\":[{\"size\":1,\"kind\":9,\"operation\":0,"
  "\"thread_id\":3,\"correlation_id\":{\"internal\":11,\"external\":0},"
  "\"start_timestamp\":5000,\"end_timestamp\":6500,\"dispatch_info\":{\"agent_id\":{\"handle\":2},"
  "\"queue_id\":{\"handle\":4},\"kernel_id\":1,\"dispatch_id\":1}}],"
  "\"hip_api\":[{\"kind\":1,\"operation\":1,\"correlation_id\":{\"internal\":11},"
  "\"start_timestamp\":4000,\"end_timestamp\":4100,\"thread_id\":3}],"
  "\"memory_copy\":[{\"kind\":2,\"operation\":1,\"correlation_id\":{\"internal\":12},"
  "\"start_timestamp\":7000,\"end_timestamp\":8000,\"thread_id\":3,"
  "\"dst_agent_id\":{\"handle\":2},\"src_agent_id\":{\"handle\":1},\"bytes\":2000}]},"
  "\"kernel_symbols\":[{\"kernel_id\":0,\"kernel_name\":\"\"},{\"kernel_id\":1,"
  "\"kernel_name\":\"_Z4gemm.kd\",\"formatted_kernel_name\":\"Cijk_gemm\"}]}]}";

Test(readers_of_makers, rocprofv3)
{
  ts_error error;
  const ts_events *e = read(rocprofv3, &error);
  cr_assert(e, "%s", error.message);
  cr_expect_eq(e->format, TS_TRACE_ROCPROF);
  cr_assert_eq(e->count, 3);
  cr_assert_eq(e->device_count, 2);
  const ts_event *kernel = ts_event_at(e, e->device[0]), *copy = ts_event_at(e, e->device[1]);
  cr_expect_str_eq(ts_events_text(e, kernel->name), "Cijk_gemm");
  cr_expect_eq(kernel->duration, 1500);
  cr_assert_neq(kernel->call, TS_EVENT_NONE);
  cr_expect_str_eq(name_of(e, kernel->call), "hipLaunchKernel");
  cr_expect_str_eq(ts_events_text(e, copy->name), "MEMORY_COPY_HOST_TO_DEVICE");
  cr_expect_eq(copy->kind, TS_KERNEL_COPY);
  cr_assert_eq(e->devices.count, 1);
  cr_expect_eq(e->devices.at[0].processors, 304);
  const ts_trace_summary *s = ts_trace_summary_new(arena, e);
  cr_assert_eq(s->series.at.count, 2);
  cr_expect_eq(s->series.at.at[0].kind, TS_SERIES_QUEUE);
  cr_expect_float_eq(s->series.at.at[0].mean, 1, 1e-12);
  cr_expect_float_eq(s->series.at.at[1].most, 2e9, 1, "2000 bytes in 1 us");
}

/* ROCm/rocprofiler, bin/sqlitedb.py: no categories, times as texts, exact ones in the args. */
Test(readers_of_makers, rocprof)
{
  ts_error error;
  const ts_events *e = read(
    "{ \"traceEvents\":[{}\n"
    ",{\"args\":{\"name\":\"CPU HIP API\"},\"ph\":\"M\",\"pid\":2,\"name\":\"process_name\","
    "\"sort_index\":1}\n"
    ",{\"args\":{\"name\":\"GPU0\"},\"ph\":\"M\",\"pid\":6,\"name\":\"process_name\"}\n"
    ",{\"args\":{\"name\":\"GPU Barriers0\"},\"ph\":\"M\",\"pid\":518,\"name\":\"process_name\"}\n"
    ",{\"ph\":\"X\",\"name\":\"hipLaunchKernel\",\"pid\":2,\"tid\":9,\"ts\":\"10\",\"dur\":\"2\","
    "\"args\":{\"BeginNs\":\"10100\",\"EndNs\":\"12200\",\"pid\":\"9\",\"tid\":\"9\"}}\n"
    ",{\"ph\":\"X\",\"name\":\"Cijk_gemm\",\"pid\":6,\"tid\":0,\"ts\":\"15\",\"dur\":\"3\","
    "\"args\":{\"BeginNs\":\"15250\",\"EndNs\":\"18500\",\"dev-id\":\"0\",\"queue-id\":\"0\"}}\n"
    ",{\"ph\":\"X\",\"name\":\"barrier\",\"pid\":518,\"tid\":0,\"ts\":\"1\",\"dur\":\"1\"}\n"
    ",{\"ts\":10,\"ph\":\"s\",\"cat\":\"DataFlow\",\"id\":1,\"pid\":2,\"tid\":9,\"name\":\"dep\"}\n"
    "],\n\"otherData\": {\n  }\n}",
    &error);
  cr_assert(e, "%s", error.message);
  cr_assert_eq(e->device_count, 1);
  const ts_event *kernel = ts_event_at(e, e->device[0]);
  cr_expect_eq(kernel->start, 15250);
  cr_expect_eq(kernel->duration, 3250);
  cr_expect_eq(e->unknown_category, 0);
}

/* ROCm/rocprofiler, plugin/json/json.cpp. */
Test(readers_of_makers, rocprofv2)
{
  ts_error error;
  const ts_events *e = read(
    "{\"traceEvents\":[{\"args\":{\"cid\":3},\"cat\":\"CPU\",\"dur\":\"1\","
    "\"name\":\"hipLaunchKernel\",\"ph\":\"X\",\"pid\":1,\"tid\":5,\"ts\":\"10\"},"
    "{\"args\":{\"cid\":3},\"cat\":\"GPU\",\"dur\":\"7\",\"name\":\"gemm\",\"ph\":\"X\",\"pid\":2,"
    "\"tid\":1,\"ts\":\"12\"},{\"args\":{\"cid\":4},\"cat\":\"COPY\",\"dur\":\"2\","
    "\"name\":\"CopyHostToDevice\",\"ph\":\"X\",\"pid\":3,\"tid\":0,\"ts\":\"20\"}]}",
    &error);
  cr_assert(e, "%s", error.message);
  cr_assert_eq(e->device_count, 2);
  cr_expect_eq(ts_event_at(e, e->device[0])->duration, 7000);
  cr_expect_eq(e->linked_calls, 1);
}

/* pytorch/kineto, ActivityType.h and output_json.cpp: work of MTIA, and counters. */
Test(readers_of_makers, mtia)
{
  ts_error error;
  const ts_events *e = read(
    "{\"traceEvents\":[{\"ph\":\"X\",\"cat\":\"mtia_runtime\",\"name\":\"launch\",\"pid\":1,"
    "\"tid\":1,\"ts\":1,\"dur\":1,\"args\":{\"correlation\":5}},"
    "{\"ph\":\"X\",\"cat\":\"mtia_ccp_events\",\"name\":\"matmul\",\"pid\":0,\"tid\":7,\"ts\":3,"
    "\"dur\":4,\"args\":{\"correlation\":5}},"
    "{\"ph\":\"C\",\"cat\":\"mtia_counters\",\"name\":\"DRAM\",\"pid\":0,\"tid\":0,\"ts\":1,"
    "\"args\":{\"read GB/s\":100,\"write GB/s\":10}},"
    "{\"ph\":\"C\",\"cat\":\"mtia_counters\",\"name\":\"DRAM\",\"pid\":0,\"tid\":0,\"ts\":5,"
    "\"args\":{\"read GB/s\":300,\"write GB/s\":10.5}},"
    "{\"ph\":\"C\",\"cat\":\"mtia_counters\",\"name\":\"DRAM\",\"pid\":0,\"tid\":0,\"ts\":9,"
    "\"args\":{\"read GB/s\":0}}]}",
    &error);
  cr_assert(e, "%s", error.message);
  cr_assert_eq(e->device_count, 1);
  cr_expect_eq(e->linked_calls, 1);
  cr_expect_eq(e->unknown_category, 0);
  const ts_trace_summary *s = ts_trace_summary_new(arena, e);
  cr_assert_eq(s->series.at.count, 3);
  cr_expect_str_eq(s->series.at.at[1].name, "DRAM, read GB/s of 0");
  cr_expect_float_eq(s->series.at.at[1].mean, 200, 1e-9);
  cr_expect_float_eq(s->series.at.at[1].most, 300, 1e-9);
  cr_expect_float_eq(s->series.at.at[2].most, 10.5, 1e-9);
}

/* pytorch, torch/profiler/_memory_profiler.py: [ns, action, bytes, category]. */
static const char timeline[] = "[[-1, 0, 1000, 0], [5000, 1, 400, 4], [6000, 2, -400, 4],"
                               " [6000, 2, 400, 7], [7000, 1, 50, 3], [8000, 3, -400, 7]]";

Test(readers_of_makers, memory_timeline)
{
  ts_error error;
  const ts_events *e = read(timeline, &error);
  cr_assert(e, "%s", error.message);
  cr_expect_eq(e->format, TS_TRACE_MEMORY_TIMELINE);
  cr_assert_eq(e->memory.count, 6);
  cr_expect_eq(e->memory.at[0].time, 5000, "before: from the first moment on");
  const ts_trace_summary *s = ts_trace_summary_new(arena, e);
  cr_expect_eq(s->memory_peak, 1450);
  cr_expect_eq(s->memory_start, 0);
  cr_assert_eq(s->memory_by.count, 3);
  cr_expect_str_eq(ts_events_text(e, s->memory_by.at[0].category), "parameters");
  cr_expect_eq(s->memory_by.at[1].bytes, 400);
  cr_expect_str_eq(ts_events_text(e, s->memory_by.at[1].category), "unknown");
}

/* The other form: times in us, and bytes by category behind a column of its own. */
Test(readers_of_makers, memory_timeline_by_time)
{
  ts_error error;
  const ts_events *e = read("[[10, 20, 30], [[0, 8, 0, 0, 0, 0, 0, 0, 0],"
                            " [0, 8, 0, 0, 0, 64, 0, 0, 0], [0, 8, 0, 0, 0, 0, 4, 0, 0]]]",
                            &error);
  cr_assert(e, "%s", error.message);
  const ts_trace_summary *s = ts_trace_summary_new(arena, e);
  cr_expect_eq(s->memory_peak, 72);
  cr_expect_eq(e->memory.at[0].time, 10000);
  cr_assert_eq(s->memory_by.count, 2);
  cr_expect_str_eq(ts_events_text(e, s->memory_by.at[0].category), "activations");
}

Test(readers_of_makers, refused)
{
  static const struct { const char *text, *why; } cases[] = {
    {"[[1, 9, 5, 0]]", "entry 1 is not [time, action, bytes, category]"},
    {"[[1, 1, 5, 0], [2, 1, 5]]", "entry 2 is not [time, action, bytes, category]"},
    {"[[1, 1, 5, 0], {}]", "entry 1 is not"},
    {"[[1, 2], [[0, 1]]]", "entry 2 of the times has no sizes"},
    {"[[1], [[0, 1], [0, 2]]]", "entry 2 of the sizes has no time"},
    {"[[1], [[0, \"x\"]]]", "entry 1 of the sizes is not a list of bytes"},
    {"[[\"x\"]]", "entry 1 is not a list of numbers"},
    {"{\"rocprofiler-sdk-tool\":[{\"buffer_records\":{\"hip_api\":[{\"kind\":1 2}]}}]}", ""}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    ts_error error;
    cr_expect_null(read(cases[i].text, &error), "%s", cases[i].text);
    cr_expect(error.message[0] && strstr(error.message, cases[i].why), "%s: %s", cases[i].text,
              error.message);
    cr_expect(error.help[0], "%s has no help", cases[i].text);
  }
}

/* Every cut of a file and every changed byte is read or refused. */
Test(readers_of_makers, damaged)
{
  const char *const texts[] = {rocprofv3, timeline};
  for (size_t t = 0; t < 2; t++) {
    size_t size = strlen(texts[t]);
    char *copy = ts_arena_copy(arena, texts[t], size + 1);
    ts_error error;
    for (size_t i = 0; i < size; i += amount(5, 1)) {
      error = (ts_error){0};
      const ts_events *e = ts_events_parse(arena, "x", texts[t], i, NULL, &error);
      cr_expect(e || error.message[0], "cut at %zu", i);
      char was = copy[i];
      copy[i] = "[]{}\",9-"[i % 8];
      e = ts_events_parse(arena, "x", copy, size, NULL, &error);
      cr_expect(e || error.message[0], "byte %zu", i);
      copy[i] = was;
    }
  }
}
