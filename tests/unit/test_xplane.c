/* Profiles of JAX: what is read of devices and of the host, and that damaged ones are refused. */
#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

#include "tests/unit/wire_put.h"
#include "trace/read/events.h"

static ts_arena *arena;

static void set_up(void) { arena = ts_arena_new("test"); }
static void tear_down(void) { ts_arena_free(arena); }
TestSuite(xplane, .init = set_up, .fini = tear_down);

/* An entry of a map: what a number means. `shown` and `category` (stat 1) of events alone. */
static void put_named(bytes *plane, uint32_t map, uint64_t id, const char *name, const char *shown,
                      const char *category)
{
  bytes entry = {0}, value = {0}, stat = {0};
  put_number(&value, 1, id);
  put_text(&value, 2, name);
  if (shown)
    put_text(&value, 4, shown);
  if (category) {
    put_number(&stat, 1, 1);
    put_text(&stat, 5, category);
    put_message(&value, 5, &stat);
  }
  put_number(&entry, 1, id);
  put_message(&entry, 2, &value);
  put_message(plane, map, &entry);
}

/* ps */
static void put_span(bytes *line, uint64_t of, uint64_t offset, uint64_t duration,
                     uint64_t stat, uint64_t number)
{
  bytes span = {0}, s = {0};
  put_number(&span, 1, of);
  put_number(&span, 2, offset);
  put_number(&span, 3, duration);
  if (stat) {
    put_number(&s, 1, stat);
    put_number(&s, 3, number);
    put_message(&span, 4, &s);
  }
  put_message(line, 4, &span);
}

static void begin_line(bytes *line, uint64_t id, const char *name)
{
  put_number(line, 1, id);
  put_text(line, 2, name);
  put_number(line, 3, 1000); /* ns */
}

static bytes tpu(void)
{
  bytes space = {0}, plane = {0}, steps = {0}, ops = {0}, flights = {0}, detail = {0};
  put_text(&plane, 2, "/device:TPU:3");
  begin_line(&steps, 1, "Steps");
  put_span(&steps, 5, 0, 9000000, 0, 0);
  put_message(&plane, 3, &steps);
  begin_line(&ops, 2, "XLA Ops");
  put_span(&ops, 2, 1000000, 6000000, 0, 0); /* the loop, around the next two */
  put_span(&ops, 3, 1000000, 2000000, 0, 0);
  put_span(&ops, 4, 3000000, 4000000, 0, 0);
  put_message(&plane, 3, &ops);
  begin_line(&flights, 3, "Async XLA Ops");
  put_span(&flights, 3, 0, 9000000, 0, 0);
  put_message(&plane, 3, &flights);
  put_named(&plane, 4, 2, "%while.1 = (s32[]) while((s32[]) %t)", "while.1", "while");
  put_named(&plane, 4, 3, "%fusion.7 = bf16[8,8]{1,0} fusion(bf16[8,8]{1,0} %a)", "fusion.7",
            "convolution fusion");
  put_named(&plane, 4, 4,
            "%all-gather.1 = bf16[64,8]{1,0:T(8,128)} all-gather(bf16[8,8]{1,0:T(8,128)} %x), "
            "replica_groups={{0,1,2,3,4,5,6,7}}",
            NULL, "all-gather");
  put_named(&plane, 4, 5, "17", NULL, NULL);
  put_named(&plane, 5, 1, "hlo_category", NULL, NULL);
  put_named(&plane, 5, 2, "device_type_string", NULL, NULL);
  put_number(&detail, 1, 2);
  put_text(&detail, 5, "TPU v6 Lite");
  put_message(&plane, 6, &detail);
  put_message(&space, 1, &plane);
  return space;
}

static const ts_events *read(const bytes *b, ts_error *error)
{
  *error = (ts_error){0};
  return ts_events_parse(arena, "x.xplane.pb", b->at, b->count, NULL, error);
}

Test(xplane, ops_of_a_tpu)
{
  ts_error error;
  bytes file = tpu();
  const ts_events *e = read(&file, &error);
  cr_assert(e, "%s", error.message);
  cr_expect_eq(e->format, TS_TRACE_XPLANE);
  cr_assert_eq(e->device_count, 2, "the loop's time is that of its body");
  const ts_event *product = ts_event_at(e, e->device[0]), *gather = ts_event_at(e, e->device[1]);
  cr_expect_str_eq(ts_events_text(e, product->name), "fusion.7");
  cr_expect_eq(product->kind, TS_KERNEL_MATMUL);
  cr_expect_eq(product->start, 2000);
  cr_expect_eq(product->duration, 2000);
  cr_expect_str_eq(ts_events_text(e, gather->name), "all-gather.1");
  cr_assert_eq(gather->kind, TS_KERNEL_COMMUNICATION);
  const ts_event_comm *c = &e->comms.at[gather->detail];
  cr_expect_eq(c->kind, TS_COMM_ALL_GATHER);
  cr_expect_eq(c->in, 64);
  cr_expect_eq(c->out, 512);
  cr_expect_eq(c->bytes, 1024);
  cr_assert_eq(e->step_count, 1);
  cr_assert_eq(e->devices.count, 1);
  cr_expect_eq(e->devices.at[0].id, 3);
  cr_expect_str_eq(ts_events_text(e, e->devices.at[0].name), "TPU v6 Lite");
}

/* Kernels of streams join their launches by correlation; the lines that XLA derives stay out. */
Test(xplane, streams_of_a_gpu)
{
  ts_error error;
  bytes space = {0}, host = {0}, thread = {0}, gpu = {0}, stream = {0}, scope = {0};
  put_text(&host, 2, "/host:CPU");
  begin_line(&thread, 1, "python3");
  put_span(&thread, 1, 0, 4000000, 2, 9);
  put_span(&thread, 2, 500000, 300000, 1, 42);
  put_span(&thread, 3, 600000, 100000, 0, 0);
  put_message(&host, 3, &thread);
  put_named(&host, 4, 1, "train", NULL, NULL);
  put_named(&host, 4, 2, "cuLaunchKernel", NULL, NULL);
  put_named(&host, 4, 3, "$train.py:7 f", NULL, NULL);
  put_named(&host, 5, 1, "correlation_id", NULL, NULL);
  put_named(&host, 5, 2, "step_num", NULL, NULL);
  put_message(&space, 1, &host);
  put_number(&gpu, 1, 4);
  put_text(&gpu, 2, "/device:GPU:0");
  begin_line(&stream, 7, "Stream #7(Compute)");
  put_span(&stream, 1, 1000000, 2000000, 1, 42);
  put_message(&gpu, 3, &stream);
  begin_line(&scope, 8, "XLA Modules");
  put_span(&scope, 1, 1000000, 2000000, 0, 0);
  put_message(&gpu, 3, &scope);
  put_named(&gpu, 4, 1, "sm90_gemm", NULL, NULL);
  put_named(&gpu, 5, 1, "correlation_id", NULL, NULL);
  put_message(&space, 1, &gpu);
  const ts_events *e = read(&space, &error);
  cr_assert(e, "%s", error.message);
  cr_assert_eq(e->device_count, 1);
  const ts_event *kernel = ts_event_at(e, e->device[0]);
  cr_expect_eq(kernel->kind, TS_KERNEL_MATMUL);
  cr_assert_neq(kernel->call, TS_EVENT_NONE);
  cr_expect_str_eq(ts_events_text(e, ts_event_at(e, kernel->call)->name), "cuLaunchKernel");
  cr_expect_eq(e->step_count, 1);
  for (uint32_t i = 0; i < e->count; i++)
    cr_expect_neq(*ts_events_text(e, ts_event_at(e, i)->name), '$');
}

/* What is read goes with its arena: thousands of files would fill the memory of a checked build. */
static bool is_read(const bytes *b, bool *cut, ts_error *error)
{
  ts_arena *own = ts_arena_new("damaged");
  *error = (ts_error){0};
  const ts_events *e = ts_events_parse(own, "x.xplane.pb", b->at, b->count, NULL, error);
  *cut = e && e->cut;
  ts_arena_free(own);
  return e;
}

Test(xplane, damaged)
{
  ts_error error;
  bool is_cut;
  bytes file = tpu();
  for (size_t n = 20; n < file.count; n++) {
    bytes cut = file;
    cut.count = n;
    cr_expect(is_read(&cut, &is_cut, &error) ? is_cut : error.message[0] != 0, "%zu bytes", n);
  }
  for (size_t i = 0; i < file.count; i++)
    for (int bit = 0; bit < 8; bit += 3) {
      bytes changed = file;
      changed.at[i] ^= (uint8_t)(1 << bit);
      cr_expect(is_read(&changed, &is_cut, &error) || error.message[0], "byte %zu, bit %d", i, bit);
    }
}
