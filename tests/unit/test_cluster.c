/* Elaboration of clusters and the changes of `with`. */
#include <criterion/criterion.h>
#include <string.h>
#include <time.h>

#include "compiler/machine/cluster.h"
#include "tests/unit/test_eval.h"

#define GPU "gpu g { memory = 1 GiB, bandwidth = 1 TB/s }\n"

static const ts_cluster *built(ts_desk *desk, const char *text)
{
  ts_value v = ts_desk_value(desk, ts_arena_printf(desk->arena, GPU "%s", text));
  cr_assert_eq(v.type, TS_T_CLUSTER, "%s\n%s", text, ts_desk_errors(desk));
  return v.u.cluster;
}

static void fails(const char *text, const char *errors)
{
  ts_desk desk = ts_desk_open();
  const char *got = ts_desk_print(&desk, ts_arena_printf(desk.arena, GPU "%s", text));
  cr_expect_str_eq(got, errors, "%s\n  says     %s\n  expected %s", text, got, errors);
  ts_desk_close(&desk);
}

Test(cluster, arrays_and_links)
{
  ts_desk desk = ts_desk_open();
  const ts_cluster *c =
    built(&desk, "cluster c(n: Int) {\n  device d[n, 2]: g\n  switch s[n], t[1]\n  for i in 0..n, "
                 "k in 0..2 { link d[i, k] <-> s[i] { bandwidth = 8 Gb/s, latency = 1 us } }\n"
                 "  link s[*] -> t[0] { bandwidth = n * 1 GB/s, tier = 1 }\n  link t -> s[*] { "
                 "bandwidth = 1 GB/s, tier = 1 }\n}\nlet x = c(3)");
  cr_expect_eq(c->array_count, 3);
  cr_expect_eq(c->device_count, 6);
  cr_expect_eq(c->vertex_count, 10);
  cr_expect_eq(c->link_count, 12);
  cr_expect_eq(c->class_count, 3);
  cr_expect_eq(c->links[3].from, 3); /* d[1, 1] to s[1] */
  cr_expect_eq(c->links[3].to, 7);
  cr_expect(c->links[3].duplex);
  cr_expect(!c->links[6].duplex);
  cr_expect_float_eq(c->classes[0].bandwidth, 8e9, 1);
  cr_expect_float_eq(c->classes[1].bandwidth, 24e9, 1);
  cr_expect_eq(c->classes[1].tier, 1);
  ts_desk_close(&desk);
}

Test(cluster, star_on_both_sides_joins_each_pair_once)
{
  ts_desk desk = ts_desk_open();
  const ts_cluster *c = built(
    &desk,
    "cluster c() {\n  device d[4]: g\n  link d[*] <-> d[*] { bandwidth = 1 GB/s }\n}\nlet x = c()");
  cr_expect_eq(c->link_count, 6);
  ts_desk_close(&desk);
}

Test(cluster, overrides)
{
  ts_desk desk = ts_desk_open();
  const ts_cluster *c =
    built(&desk, "cluster c() {\n  device d[2, 2]: g\n  switch s[1]\n  link d[*, *] <-> s[0] { "
                 "bandwidth = 1 GB/s, latency = 3 us }\n}\n"
                 "let x = c() with { d[1, *] { speed = 0.5 }\n  link s[0] <-> d[0, 0] { bandwidth "
                 "= 2 GB/s }\n  link d[1, 1] -> s[0] { latency = 9 us } }");
  cr_expect_float_eq(c->vertices[1].speed, 1, 0);
  cr_expect_float_eq(c->vertices[3].speed, 0.5, 0);
  cr_expect_eq(c->link_count, 5); /* one direction of d[1, 1] has become a link of its own */
  unsigned faster = 0, slower = 0;
  for (uint32_t i = 0; i < c->link_count; i++) {
    faster += c->classes[c->links[i].link_class].bandwidth == 16e9;
    slower += c->classes[c->links[i].link_class].latency == 9e-6;
  }
  cr_expect_eq(faster, 1);
  cr_expect_eq(slower, 1);
  ts_desk_close(&desk);
}

Test(cluster, mistakes)
{
  fails(
    "cluster c() {\n  device d[2]: g\n  link d[0] <-> d[2] { bandwidth = 1 GB/s }\n}\nlet x = c()",
    "E0602 index 2 is outside `d[2]`");
  fails(
    "cluster c() {\n  device d[2]: g\n  link d[0] <-> d[0] { bandwidth = 1 GB/s }\n}\nlet x = c()",
    "E0605 this links `d[0]` to itself");
  fails("cluster c() {\n  device d[2]: g\n  link d[0] <-> d[1] { latency = 1 us }\n}\nlet x = c()",
        "E0216 a link needs a `bandwidth`");
  fails(
    "cluster c() {\n  device d[2]: g\n  link d[0] <-> d[1] { bandwidth = 1 GB }\n}\nlet x = c()",
    "E0221 `bandwidth` is a size (bytes), not a rate (bits or bytes per time)");
  fails(
    "cluster c() {\n  device d[3]: g\n  link d[0] <-> d[1] { bandwidth = 1 GB/s }\n}\nlet x = c()",
    "E0609 no path of links connects `d[2]` with the other devices");
  fails("cluster c() {\n  device d[2]: g\n  link d[0] <-> d[1] { bandwidth = 1 GB/s }\n  link d[1] "
        "-> d[0] { bandwidth = 1 GB/s }\n}\nlet x = c()",
        "E0603 `d[1]` and `d[0]` are linked twice");
  fails("cluster c() { switch s[2] }\nlet x = c()", "E0608 cluster `c` has no devices");
  fails("cluster c() { device d[0]: g }\nlet x = c()",
        "E0225 a dimension of `d` must be at least 1");
  fails("cluster c() { device d[1]: g }\nlet x = c() with { d[1] { speed = 2 } }",
        "E0602 index 1 is outside `d[1]`");
  fails("cluster c() { device d[1]: g }\nlet x = c() with { d[0] { speed = 0 } }",
        "E0604 `speed` must be more than 0");
}

Test(cluster, thousands_of_devices_take_milliseconds)
{
  ts_desk desk = ts_desk_open();
  struct timespec begin, end;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  ts_value v = ts_desk_value(&desk, "import std.clusters.dgx\nlet x = dgx_h100(nodes: 1024)");
  clock_gettime(CLOCK_MONOTONIC, &end);
  double seconds =
    (double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec);
  cr_assert_eq(v.type, TS_T_CLUSTER);
  cr_expect_eq(v.u.cluster->device_count, 8192);
  cr_expect_lt(seconds, 1.0); /* a few ms; far off only when elaboration is no longer linear */
  ts_desk_close(&desk);
}
