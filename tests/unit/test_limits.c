/* Every evaluation ends: what runs over elements and text is charged for them, and memory has a
 * ceiling. And sizes just below and just above what doc/limits.md allows, where reaching that would
 * take long: then a session with lower limits. The others are in tests/cli/limits.cmd. */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/heap.h"
#include "base/source.h"
#include "compiler/compile.h"
#include "compiler/eval/function.h"
#include "compiler/eval/module.h"
#include "compiler/eval/running.h"
#include "compiler/search.h"
#include "cost/cost.h"
#include "tests/unit/test_eval.h"
#include "tools/lsp/rpc.h"

static const char too_many[] = "E0226 the evaluation takes too many steps";

/* What `text` gives or reports when only `left` steps are left. */
static const char *with_steps(ts_desk *desk, const char *text, uint64_t left)
{
  desk->s->running->steps = TS_MAX_STEPS - left;
  return ts_desk_print(desk, text);
}

static void ends(const char *text)
{
  ts_desk desk = ts_desk_open();
  const char *got = with_steps(&desk, text, 100000);
  cr_expect(strstr(got, too_many), "%.100s\n  gives %s", text, got);
  cr_expect_lt(ts_arena_used(desk.arena), 200 << 20, "%.100s takes %zu bytes", text,
               ts_arena_used(desk.arena));
  ts_desk_close(&desk);
}

/* `a` holds 2^60 elements in 61 lists, and so does `b`. */
static const char *doubled(ts_arena *arena, const char *x)
{
  const char *text = "let a0 = [1]\nlet b0 = [1]\n";
  for (int i = 1; i <= 60; i++)
    text = ts_arena_printf(arena, "%slet a%d = [a%d, a%d]\nlet b%d = [b%d, b%d]\n", text, i, i - 1,
                           i - 1, i, i - 1, i - 1);
  return ts_arena_printf(arena, "%slet x = %s\n", text, x);
}

Test(limits, walks_over_doubled_values_end)
{
  static const char *const walks[] = {"str(a60)", "a60 == b60", "{ f: a60 } == { f: b60 }",
                                      "str({ f: a60 })"};
  ts_arena *arena = ts_arena_new("test");
  for (size_t i = 0; i < sizeof walks / sizeof *walks; i++)
    ends(doubled(arena, walks[i]));
  ts_arena_free(arena);
}

Test(limits, a_message_about_a_doubled_value_ends)
{
  ts_desk desk = ts_desk_open();
  const char *got = ts_desk_print(&desk, doubled(desk.arena, "a60 + 1"));
  cr_expect(strstr(got, "E0220"), "%s", got);
  cr_expect_lt(ts_arena_used(desk.arena), 100 << 20);
  ts_desk_close(&desk);
}

Test(limits, elements_and_bytes_are_steps)
{
  static const char *const long_runs[] = {"let x = sum(range(0, 200000))",
                                          "let x = max(0..200000)",
                                          "let l = 0..200000\nlet x = zip(l, l)",
                                          "let x = enumerate(0..200000)",
                                          "let x = range(0, 400000, 2)",
                                          "let l = [false for i in 0..90000]\nlet x = any(l)",
                                          "let l = [1 for i in 0..40000]\nlet x = l + l + l",
                                          "fn f(l: List) -> Int = 1\nlet x = f(0..200000)"};
  for (size_t i = 0; i < sizeof long_runs / sizeof *long_runs; i++)
    ends(long_runs[i]);
  ts_arena *arena = ts_arena_new("test");
  const char *text = "let s0 = \"0123456789\"\n";
  for (int i = 1; i <= 14; i++)
    text = ts_arena_printf(arena, "%slet s%d = s%d + s%d\n", text, i, i - 1, i - 1);
  ends(ts_arena_printf(arena, "%slet x = s14\n", text)); /* 163,840 bytes, and as many on the way */
  ends(ts_arena_printf(arena, "%slet x = draw(s13, 1) + draw(s13, 2)\n", text));
  ts_arena_free(arena);
}

/* Just below and just above: the elements and a few steps for the expression itself. */
Test(limits, the_last_step_is_taken)
{
  bool done = false;
  for (uint64_t left = 1000; left <= 1040; left++) {
    ts_desk desk = ts_desk_open();
    const char *got = with_steps(&desk, "let x = sum(range(0, 1000))", left);
    cr_expect(strstr(got, done         ? "499500" :
                          left == 1000 ? too_many :
                                         ""),
              "with %d left: %s", (int)left, got);
    done = !strcmp(got, "499500");
    ts_desk_close(&desk);
  }
  cr_expect(done);
}

Test(limits, nested_deeper_than_levels_is_reported)
{
  ts_desk desk = ts_desk_open();
  const char *text = "let a0 = [1]\n", *list = "a0";
  for (int i = 1; i <= 700; i++) {
    text = ts_arena_printf(desk.arena, "%slet a%d = [a%d]\n", text, i, i - 1);
    /* each in turn, so that none is evaluated through many others */
    list = i % 100 ? list : ts_arena_printf(desk.arena, "%s, a%d", list, i);
  }
  const char *got = ts_desk_print(
    &desk, ts_arena_printf(desk.arena, "%slet all = [%s]\nlet x = str(all)\n", text, list));
  cr_expect(strstr(got, "E0226 this is nested too deeply"), "%s", got);
  ts_desk_close(&desk);
}

Test(limits, memory_has_a_ceiling)
{
  ts_desk desk = ts_desk_open();
  ts_heap_set_ceiling(UINT64_C(400) << 20);
  const char *got = ts_desk_print(&desk, "let x = len([[j for j in 0..1000] for i in 0..1000000])");
  cr_expect(strstr(got, "E0226 the evaluation takes too much memory"), "%s", got);
  cr_expect_lt(ts_arena_used(desk.arena), 400 << 20);
  ts_desk_close(&desk);
}

/* ---- Sizes ---- */

/* As doc/limits.md has them. */
Test(limits, the_usual_ones)
{
  const ts_limits *l = &ts_limits_usual;
  cr_expect_eq(l->ranks, 8388608);
  cr_expect_eq(l->vertices, 33554432);
  cr_expect_eq(l->links, 134217728);
  cr_expect_eq(l->ops, 1048576);
  cr_expect_eq(l->blocks, 64);
  cr_expect_eq(l->stages, 16384);
  cr_expect_eq(l->items, 16777216);
  cr_expect_eq(ts_most_micro_batches(l), 4194304);
  cr_expect_eq(l->importing, 2000);
  cr_expect_eq(l->plans, 1000000);
  cr_expect_eq(l->unpacked, 1 << 30);
  cr_expect_eq(TS_COST_MOST_UNPACKED, 256 << 20);
  cr_expect_eq(TS_MAX_LIST, 1048576);
  cr_expect_eq(TS_MAX_STEPS, 200000000);
}

#define PLAN                                                                                       \
  "gpu g { memory = 1 GiB, bandwidth = 1 TB/s, peak = { fp32: 1 TFLOP/s } }\n"                     \
  "op id(x: Tensor) { output y: x.shape }\n"                                                       \
  "model net(layers: Int) {\n  x = input([batch, 8])\n  repeat layers as layer { x = id(x) as b "  \
  "}\n  x = id(x) as last\n}\n"                                                                    \
  "schedule exact(p: Axis, m: Int) {\n  stages p\n  at r in 0..p { for i in 0..m { F(i) B(i) } "   \
  "}\n}\n"                                                                                         \
  "schedule free(p: Axis, m: Int) {\n  stages p\n  policy m { prefer B, F }\n}\n"                  \
  "cluster c(n: Int, k: Int) {\n  device d[n]: g\n  switch s[k]\n  link d[*] <-> s[*] { "          \
  "bandwidth = 1 GB/s }\n}\n"                                                                      \
  "plan p(layers: Int = 2, m: Int = 1, n: Int = 1, k: Int = 1) {\n  model = net(layers)\n  "       \
  "cluster = c(n, k)\n  mesh = { pp: 1 }\n  costs = roofline(g)\n"

/* The errors of a plan with that line and those limits; "" for none. */
static const char *compiled(ts_desk *desk, ts_limits limits, const char *line)
{
  *desk = ts_desk_open();
  desk->s->limits = limits;
  ts_input input;
  const char *path =
    ts_desk_file(desk, "plan.ts", ts_arena_printf(desk->arena, PLAN "  %s\n}\n", line));
  if (ts_input_open(desk->s, path, &(ts_compile_options){0}, &input))
    ts_input_close(&input);
  return ts_diags_errors(desk->s->diags) ? ts_desk_errors(desk) : "";
}

static void fits(ts_limits limits, const char *line, const char *wrong)
{
  ts_desk desk;
  const char *got = compiled(&desk, limits, line);
  cr_expect(wrong ? strstr(got, wrong) != NULL : !*got, "%s: %s", line, got);
  ts_desk_close(&desk);
}

Test(limits, ops_of_a_model)
{
  ts_limits limits = ts_limits_usual;
  limits.ops = 3;
  fits(limits, "schedule = exact(pp, m)", NULL);
  limits.ops = 2;
  fits(limits, "schedule = exact(pp, m)", "E0302 the model has more than 2 ops");
  limits.ops = 1;
  fits(limits, "schedule = exact(pp, m)", "E0302 cannot repeat 2 times");
}

Test(limits, work_items_of_a_schedule)
{
  ts_limits limits = ts_limits_usual;
  limits.items = 10;
  fits(limits, "schedule = exact(pp, 5)", NULL);
  limits.items = 9;
  fits(limits, "schedule = exact(pp, 5)", "E0403 the schedule places more than 9 items");
  limits.items = 20;
  fits(limits, "schedule = free(pp, 5)", NULL);
  limits.items = 19;
  fits(limits, "schedule = free(pp, 5)", "E0403 5 micro-batches on 1 stages");
}

Test(limits, micro_batches_of_a_step)
{
  ts_limits limits = ts_limits_usual;
  limits.items = 20;
  fits(limits, "batch = { micro: 1, global: 5 }", NULL);
  fits(limits, "batch = { micro: 1, global: 6 }", "E0316 a step of 6 micro-batches is too long");
}

Test(limits, devices_and_links_of_a_cluster)
{
  ts_limits limits = ts_limits_usual;
  limits.vertices = 2;
  limits.links = 1;
  fits(limits, "schedule = exact(pp, m)", NULL);
  limits.vertices = 1;
  fits(limits, "schedule = exact(pp, m)", "E0606 the cluster has more than 1 devices and switches");
  limits.vertices = 2;
  limits.links = 0;
  fits(limits, "schedule = exact(pp, m)", "E0606 the cluster has more than 0 links");
}

Test(limits, plans_of_a_search)
{
  for (uint32_t most = 5; most <= 6; most++) {
    ts_desk desk = ts_desk_open();
    desk.s->limits.plans = most;
    const char *path = ts_desk_file(
      &desk, "plan.ts",
      PLAN
      "}\nsearch s of p {\n  vary layers in 1..4\n  vary m in [1, 2]\n  minimize step_time\n}\n");
    ts_search *search = ts_search_load(desk.s, path, &(ts_compile_options){0}, NULL, NULL, false);
    cr_expect_eq(search != NULL, most == 6, "%s", ts_desk_errors(&desk));
    cr_expect(search || strstr(ts_desk_errors(&desk), "E0234 the search has more than 5 plans"),
              "%s", ts_desk_errors(&desk));
    ts_desk_close(&desk);
  }
}

/* Files that are packed: 3,000 bytes of them. */
static size_t pack(unsigned char *packed, size_t room)
{
  unsigned char text[3000];
  memset(text, '1', sizeof text);
  z_stream z = {
    .next_in = text, .avail_in = sizeof text, .next_out = packed, .avail_out = (uInt)room};
  cr_assert_eq(deflateInit2(&z, 9, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
  cr_assert_eq(deflate(&z, Z_FINISH), Z_STREAM_END);
  deflateEnd(&z);
  return room - z.avail_out;
}

Test(limits, what_packed_files_open_to)
{
  unsigned char packed[200];
  size_t packed_size = pack(packed, sizeof packed), size;
  for (size_t most = 2999; most <= 3000; most++) {
    ts_desk desk = ts_desk_open();
    desk.s->limits.unpacked = most;
    ts_module *m = ts_module_load(desk.s, ts_desk_file(&desk, "plan.ts", "let x = 1"));
    gzFile file = gzopen(ts_arena_printf(desk.arena, "%s/ops.csv.gz", desk.folder), "wb");
    for (int i = 0; i < 300; i++)
      gzputs(file, "1111111111");
    gzclose(file);
    ts_found found;
    bool read = ts_session_read(desk.s, m->file, "ops.csv", "table", TS_NO_SPAN, &size, &found);
    cr_expect_eq(read, most == 3000 && size == 3000, "%zu bytes: %s", size, ts_desk_errors(&desk));
    cr_expect(read || strstr(ts_desk_errors(&desk), "it unpacks to more than 2,999 bytes"), "%s",
              ts_desk_errors(&desk));
    ts_error error;
    const char *text = ts_cost_unpack(desk.arena, packed, packed_size, most, &size, &error);
    cr_expect_eq(text && size == 3000, most == 3000);
    cr_expect(text || !strcmp(error.message,
                              "the gzip file unpacks to more than 0 MiB: keep only the rows "
                              "that are needed, or unpack it"),
              "%s", error.message);
    ts_desk_close(&desk);
  }
}

/* Files with a hole, which take no room: a size is looked at before anything is read. */
Test(limits, files_that_a_plan_reads)
{
  ts_desk desk = ts_desk_open();
  const char *path = ts_desk_file(&desk, "large", "");
  cr_assert_eq(truncate(path, 1 << 30), 0);
  cr_expect_eq(ts_check_beneath(desk.folder, "large"), 0);
  cr_assert_eq(truncate(path, (1 << 30) + 1), 0);
  cr_expect_eq(ts_check_beneath(desk.folder, "large"), EFBIG);
  ts_desk_close(&desk);
}

/* A text of 64 MiB with its quotes is a message, though not one that any method knows. */
Test(limits, messages_to_the_language_server)
{
  enum { MOST = 64 << 20, HEAD = 64 };
  char path[] = "message-XXXXXX";
  int file = mkstemp(path);
  char *text = ts_heap_new(HEAD + MOST, 1);
  int head = snprintf(text, HEAD, "Content-Length: %d\r\n\r\n", MOST);
  memset(text + head, 'a', MOST);
  text[head] = text[head + MOST - 1] = '"';
  cr_assert_eq(write(file, text, (size_t)head + MOST), head + MOST);
  lseek(file, 0, SEEK_SET);
  bool broken;
  lsp_wire wire = {.in = file};
  cJSON *message = lsp_receive(&wire, &broken);
  cr_expect(message && !broken);
  cJSON_Delete(message);
  lsp_wire_close(&wire);
  cr_assert_eq(ftruncate(file, 0), 0);
  lseek(file, 0, SEEK_SET);
  dprintf(file, "Content-Length: %d\r\n\r\n", MOST + 1);
  lseek(file, 0, SEEK_SET);
  wire = (lsp_wire){.in = file};
  message = lsp_receive(&wire, &broken);
  cr_expect(!message && broken);
  lsp_wire_close(&wire);
  close(file);
  unlink(path);
  free(text);
}
