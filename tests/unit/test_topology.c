/* Folded clusters: every device and link is in one part and one bundle, and exceptions are told. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "runtime/report/topology.h"

/* Four nodes of two devices under a switch each, and a leaf. */
static ts_ir_builder *cluster_of(const char *slow, bool failed, ts_ir *ir)
{
  char text[4096], *at = text;
  ts_error error = {0};
  at += sprintf(at, "axis x 8\nstream compute\ndevice_class d 1 TB/s\ndevices gpu[4,2] of d\n"
                    "switches near[4]\nswitches leaf[1]\nlink_class in 100 GB/s latency 500 ns\n"
                    "link_class nic 10 GB/s latency 1 us tier 1\n"
                    "link_class slow 5 GB/s latency 1 us tier 1\n");
  for (int n = 0; n < 4; n++)
    for (int g = 0; g < 2; g++) {
      at += sprintf(at, "link gpu[%d,%d] -- near[%d] in\n", n, g, n);
      if (!failed || n != 1 || g != 1)
        at += sprintf(at, "link gpu[%d,%d] -- leaf[0] %s\n", n, g, n == 2 && g == 1 ? slow : "nic");
    }
  sprintf(at, "fragment F {\n}\nprogram { F 0\n}\n");
  ts_ir_builder *b = ts_ir_parse(text, strlen(text), &error);
  cr_assert(b, "line %u: %s", error.line, error.message);
  ts_ir_builder_view(b, ir);
  return b;
}

static const ts_cluster_fold *folded(ts_arena *arena, const ts_ir *ir)
{
  const ts_cluster_fold *f = ts_cluster_fold_new(arena, ir, NULL);
  uint32_t members = 0, links = 0;
  for (uint32_t p = 0; p < f->part_count; p++) {
    members += f->parts[p].count;
    for (uint32_t i = 0; i < f->parts[p].shown_count; i++)
      cr_assert_eq(f->part_of[f->parts[p].shown[i]], p);
  }
  for (uint32_t b = 0; b < f->bundle_count; b++)
    links += f->bundles[b].count;
  cr_assert_eq(members, ir->devices_count);
  cr_assert_eq(links, ir->links_count);
  return f;
}

static const ts_bundle *between(const ts_cluster_fold *f, const char *from, const char *to)
{
  for (uint32_t b = 0; b < f->bundle_count; b++) {
    const ts_ir *ir = f->ir;
    const char *x = ir->strings + ir->arrays[f->parts[f->bundles[b].from].array].name,
               *y = ir->strings + ir->arrays[f->parts[f->bundles[b].to].array].name;
    if (!strcmp(x, from) && !strcmp(y, to))
      return &f->bundles[b];
  }
  cr_assert(false, "no links from %s to %s", from, to);
  return NULL;
}

Test(topology, alike_islands_are_one)
{
  ts_ir ir;
  ts_ir_builder *b = cluster_of("nic", false, &ir);
  ts_arena *arena = ts_arena_new("test");
  const ts_cluster_fold *f = folded(arena, &ir);
  cr_assert_eq(f->kind_count, 1);
  cr_assert_eq(f->kinds[0].count, 4);
  cr_assert_eq(f->part_count, 3);
  cr_assert_eq(f->bundle_count, 2);
  const ts_bundle *up = between(f, "gpu", "leaf"), *in = between(f, "gpu", "near");
  cr_assert_eq(up->count, 8);
  cr_assert_eq(ts_bundle_each(f, up), 2);
  cr_assert(!up->slower && !up->fewer && !in->slower && !in->fewer);
  cr_assert_eq(f->parts[up->to].kind, TS_IR_NONE);
  cr_assert_eq(f->parts[in->to].level, 1);
  ts_arena_free(arena);
  ts_ir_builder_free(b);
}

/* One of eight is no exception: where one of ten and more differs, it is told as one. */
Test(topology, slow_links_are_told)
{
  ts_ir ir;
  ts_ir_builder *b = cluster_of("slow", false, &ir);
  ts_arena *arena = ts_arena_new("test");
  const ts_cluster_fold *f = folded(arena, &ir);
  const ts_bundle *up = between(f, "gpu", "leaf");
  cr_assert_eq(up->slower, 1);
  cr_assert(!up->unequal);
  cr_assert_float_eq(up->rate, 10e9, 1);
  cr_assert_float_eq(up->low, 5e9, 1);
  cr_assert_str_eq(ts_link_text(arena, &ir, up->slowest), "gpu[2, 1] - leaf[0]");
  cr_assert_eq(f->kinds[0].shown, 4, "the island with the slow link is shown, not that of %u",
               f->kinds[0].shown);
  ts_arena_free(arena);
  ts_ir_builder_free(b);
}

/* Names are escaped. */
Test(topology, missing_links_leave_a_picture)
{
  ts_ir ir;
  ts_ir_builder *b = cluster_of("nic", true, &ir);
  ts_arena *arena = ts_arena_new("test");
  const ts_cluster_fold *f = folded(arena, &ir);
  cr_assert_eq(between(f, "gpu", "leaf")->count, 7);
  char text[60000] = {0};
  FILE *out = fmemopen(text, sizeof text, "w");
  ts_topology_svg(out, f, "a & b");
  fclose(out);
  cr_assert(strstr(text, "<title>a &amp; b</title>"));
  cr_assert(strstr(text, "</svg>\n"));
  ts_arena_free(arena);
  ts_ir_builder_free(b);
}

/* Closed forms: a full tree carries what its devices send, a narrow one half of it, a ring 2 links. */
Test(topology, bisections)
{
  ts_ir ir;
  ts_ir_builder *b = cluster_of("nic", false, &ir);
  ts_bisection half = ts_bisection_of(&ir);
  cr_assert_float_eq(half.rate, 40e9, 1);
  cr_assert_float_eq(half.leaving, 40e9, 1);
  ts_ir_builder_free(b);
  ts_error error = {0};
  const char *narrow = "axis x 4\nstream compute\ndevice_class d 1 TB/s\ndevices gpu[4] of d\n"
                       "switches leaf[2]\nswitches spine[1]\nlink_class nic 10 GB/s latency 1 us\n"
                       "link gpu[0] -- leaf[0] nic\nlink gpu[1] -- leaf[0] nic\n"
                       "link gpu[2] -- leaf[1] nic\nlink gpu[3] -- leaf[1] nic\n"
                       "link leaf[0] -- spine[0] nic\nlink leaf[1] -- spine[0] nic\n"
                       "fragment F {\n}\nprogram { F 0\n}\n",
             *ring = "axis x 6\nstream compute\ndevice_class d 1 TB/s\ndevices gpu[6] of d\n"
                     "link_class nic 10 GB/s latency 1 us\n"
                     "link gpu[0] -- gpu[1] nic\nlink gpu[1] -- gpu[2] nic\n"
                     "link gpu[2] -- gpu[3] nic\nlink gpu[3] -- gpu[4] nic\n"
                     "link gpu[4] -- gpu[5] nic\nlink gpu[5] -- gpu[0] nic\n"
                     "fragment F {\n}\nprogram { F 0\n}\n";
  b = ts_ir_parse(narrow, strlen(narrow), &error);
  cr_assert(b, "line %u: %s", error.line, error.message);
  ts_ir_builder_view(b, &ir);
  half = ts_bisection_of(&ir);
  cr_assert_float_eq(half.rate, 10e9, 1);
  cr_assert_float_eq(half.leaving, 20e9, 1);
  ts_ir_builder_free(b);
  b = ts_ir_parse(ring, strlen(ring), &error);
  cr_assert(b, "line %u: %s", error.line, error.message);
  ts_ir_builder_view(b, &ir);
  half = ts_bisection_of(&ir);
  cr_assert_float_eq(half.rate, 20e9, 1);
  cr_assert_float_eq(half.leaving, 60e9, 1);
  ts_ir_builder_free(b);
}
