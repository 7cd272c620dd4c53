#include "tests/accuracy/collectives.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/network.h"
#include "compiler/network_fit.h"

/* A table, the rows of it that belong together, and the machine they were measured on: a GPU's links in one direction, in bytes/s. */
typedef struct table { const char *file, *gpu, *version, *of; const char *hardware; double intra; const double *lanes; /* by ranks: links that rings over so many can use, where that is not all */ } table;

/* The mesh of eight V100 (DGX-1V): rings that two to eight of them find, each over links of 25 GB/s (NVIDIA DGX-1 whitepaper, 2017). */
static const double mesh[] = {0, 0, 1, 2, 4, 2, 2, 4, 6};

static const table tables[] = {
    {"ops/nccl_intra.csv.gz", "a100_sxm", "2.27.3", NULL, "nccl_ampere", 300e9, NULL},
    {"ops/nccl_intra.csv.gz", "h100_sxm", "2.23", NULL, "nccl_hopper", 450e9, NULL},
    {"ops/nccl_intra.csv.gz", "h100_sxm", "2.27.3", NULL, "nccl_hopper", 450e9, NULL},
    {"ops/nccl_intra.csv.gz", "h100_sxm", "2.29.2", NULL, "nccl_hopper", 450e9, NULL},
    {"ops/nccl_intra.csv.gz", "h200_sxm", "2.26.2", NULL, "nccl_hopper", 450e9, NULL},
    {"ops/nccl_intra.csv.gz", "h200_sxm", "2.29.2", NULL, "nccl_hopper", 450e9, NULL},
    {"ops/nccl_intra.csv.gz", "b200_sxm", "2.29.2", NULL, "nccl_blackwell", 900e9, NULL},
    {"ops/nccl_intra.csv.gz", "gb200", "2.29.2", NULL, "nccl_blackwell", 900e9, NULL},
    {"vtrain/allreduce_a100.csv", NULL, NULL, "all_reduce", "nccl_ampere", 300e9, NULL},
    {"vtrain/allreduce_v100.csv", NULL, NULL, "all_reduce", "nccl_ampere", 25e9, mesh},
};

typedef struct errors { double *at; size_t count; double sum, worst, baseline; } errors;

static int by_value(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void add(errors *e, double error, double baseline)
{
  e->at[e->count++] = error;
  e->sum += error;
  e->baseline += baseline;
  e->worst = fmax(e->worst, error);
}

static void print(const char *name, errors *e, const char *more)
{
  if (!e->count)
    return;
  qsort(e->at, e->count, sizeof *e->at, by_value);
  printf("  %-34s %5zu rows   mean %5.2f %%   median %5.2f %%   worst %6.1f %%", name, e->count, 100 * e->sum / (double)e->count, 100 * e->at[e->count / 2], 100 * e->worst);
  if (e->baseline > 0)
    printf("   alpha-beta %5.2f %%", 100 * e->baseline / (double)e->count);
  printf("%s\n", more);
}

static const ts_network_file *hardware_of(const acc_context *c, const char *name)
{
  size_t size = 0;
  int error = 0;
  ts_network_error wrong = {0};
  char *text = ts_read_file(c->arena, ts_arena_printf(c->arena, "%s/stdlib/networks/%s.json", c->source, name), &size, &error);
  const ts_network_file *file = text ? ts_network_file_read(c->arena, text, size, &wrong) : NULL;
  if (!file)
    printf("  %s.json: %s\n", name, wrong.text ? wrong.text : "cannot be read");
  return file;
}

static const ts_network_table *rows_of(const acc_context *c, const csv *t, const table *k, const char *dtype)
{
  TS_VEC(ts_ir_net_point) points = {0};
  for (size_t i = 0; i < t->rows; i++) {
    if (k->gpu && (!csv_is(t, i, "gpu", k->gpu) || !csv_is(t, i, "nccl", k->version) || !csv_is(t, i, "dtype", dtype)))
      continue;
    int kind = ts_collective_named(k->of ? k->of : csv_cell(t, i, "collective"));
    ts_ir_net_point p = {(uint32_t)kind, (uint32_t)csv_number(t, i, "gpus"), 1, 0, (uint64_t)csv_number(t, i, "bytes"), (uint64_t)llround(csv_number(t, i, "time_us") * 1e6)};
    if (kind >= 0)
      TS_PUSH(c->arena, &points, p);
  }
  return ts_network_table_of_points(c->arena, points.at, (uint32_t)points.count);
}



static errors errors_new(ts_arena *arena, size_t room) { return (errors){.at = TS_NEW_ARRAY(arena, double, room + 1)}; }

/* Both halves in turn; a row outside of the sizes kept is predicted too, and counted. */
static uint32_t halves(const acc_context *c, const ts_network_file *hardware, const table *k, const ts_network_table *rows, errors *e)
{
  uint32_t beyond = 0;
  for (int odd = 0; odd < 2; odd++) {
    ts_network_score *scores;
    uint32_t n = ts_network_hold_out(c->arena, hardware, (ts_fit_links){k->intra, 0}, rows->points, rows->count, odd, true, &scores);
    for (uint32_t g = 0; g < n; g++) {
      beyond += scores[g].beyond;
      for (uint32_t i = 0; i < scores[g].rows; i++)
        add(e, scores[g].error[i], scores[g].base_error[i]);
      if (c->verbose)
        printf("    %-16s %2u ranks %s half  %3u rows  mean %5.1f %%  worst %6.1f %%  alpha-beta %5.1f %%\n", ts_collective_name(scores[g].collective), scores[g].ranks,
               odd ? "odd " : "even", scores[g].rows, 100 * scores[g].mean, 100 * scores[g].worst, 100 * scores[g].baseline);
    }
  }
  return beyond;
}

static void constants_alone(const ts_network_file *hardware, const table *k, const ts_network_table *rows, errors *e)
{
  for (uint32_t i = 0; i < rows->count; i++) {
    const ts_ir_net_point *p = &rows->points[i];
    ts_profile profile = ts_fit_profile((ts_fit_links){k->intra * (k->lanes ? k->lanes[p->ranks] : 1), 0}, p->ranks, 1);
    double time = ts_network_file_time(hardware, p->collective, p->bytes, &profile);
    if (p->bytes >= 1048576 && time > 0)
      add(e, fabs(time * 1e12 / (double)p->time - 1), 0);
  }
}

static void one_table(const acc_context *c, const table *k, errors *all_half, errors *all_constants)
{
  const csv *t = csv_read(c->arena, ts_arena_printf(c->arena, "%s/%s", c->data, k->file));
  const ts_network_file *hardware = hardware_of(c, k->hardware);
  if (!t || !hardware)
    return;
  errors half = errors_new(c->arena, 2 * t->rows), constants = errors_new(c->arena, t->rows);
  uint32_t beyond = 0;
  for (int d = 0; d < (k->gpu ? 2 : 1); d++) {
    const ts_network_table *rows = rows_of(c, t, k, d ? "int8" : "half");
    beyond += halves(c, hardware, k, rows, &half);
    constants_alone(hardware, k, rows, &constants);
  }
  const char *name = k->gpu ? ts_arena_printf(c->arena, "%s, version %s", k->gpu, k->version) : k->file;
  for (size_t i = 0; i < half.count; i++)
    add(all_half, half.at[i], 0);
  for (size_t i = 0; i < constants.count; i++)
    add(all_constants, constants.at[i], 0);
  print(name, &half, ts_arena_printf(c->arena, "   (%u beyond the half's sizes)", beyond));
  print("    constants alone, 1 MB and more", &constants, "");
}

/* -- across nodes: one size, several node counts -- */

static const ts_network_table *bus_rows(const acc_context *c, const csv *t, const char *op, int kind, uint32_t without)
{
  TS_VEC(ts_ir_net_point) points = {0};
  for (size_t i = 0; i < t->rows; i++) {
    double gpus = csv_number(t, i, "gpus"), bytes = csv_number(t, i, "size_mb") * 1e6, rate = csv_number(t, i, "busbw_gb_s_mid") * 1e9;
    if (!csv_is(t, i, "op", op) || csv_number(t, i, "nodes") == without)
      continue;
    ts_ir_net_point p = {(uint32_t)kind, (uint32_t)gpus, (uint32_t)csv_number(t, i, "nodes"), 0, (uint64_t)bytes, (uint64_t)llround(ts_ring_volume((uint32_t)kind, (uint32_t)gpus) * bytes / rate * 1e12)};
    TS_PUSH(c->arena, &points, p);
  }
  return ts_network_table_of_points(c->arena, points.at, (uint32_t)points.count);
}

/* Each node count in turn is left out and asked for. */
static void node_counts(const acc_context *c)
{
  static const struct { const char *op, *name; } ops[] = {{"AllReduce", "all_reduce"}, {"AllGather", "all_gather"}, {"ReduceScatter", "reduce_scatter"}};
  const ts_fit_links links = {450e9, 400e9};
  const csv *t = csv_read(c->arena, ts_arena_printf(c->arena, "%s/e2e/nccl_nanotron.csv", c->data));
  const ts_network_file *hardware = hardware_of(c, "nccl_hopper");
  for (size_t o = 0; t && hardware && o < 3; o++) {
    int kind = ts_collective_named(ops[o].name);
    const ts_network_table *all = bus_rows(c, t, ops[o].op, kind, 0);
    errors e = errors_new(c->arena, all->count), ends = errors_new(c->arena, all->count);
    for (uint32_t i = 0; i < all->count; i++) {
      const ts_ir_net_point *p = &all->points[i];
      if (p->islands < 2)
        continue;
      const ts_network_table *rest = bus_rows(c, t, ops[o].op, kind, p->islands);
      const ts_network_file *file = ts_network_fit(c->arena, hardware, links, rest->points, rest->count);
      ts_profile profile = ts_fit_profile(links, p->ranks, p->islands);
      double time = ts_network_file_time(file, p->collective, p->bytes, &profile), bare = ts_network_file_time(hardware, p->collective, p->bytes, &profile);
      bool end = i + 1 == all->count || !i || all->points[i - 1].islands < 2;
      add(end ? &ends : &e, fabs(time * 1e12 / (double)p->time - 1), 0);
      printf("    %-15s %3u nodes   %8.2f ms   predicted from the others %8.2f (%+.0f %%)   from constants %8.2f\n", ops[o].name, p->islands, (double)p->time * 1e-9, time * 1e3,
             100 * (time * 1e12 / (double)p->time - 1), bare * 1e3);
    }
    print(ts_arena_printf(c->arena, "%s, counts in between", ops[o].name), &e, "");
    print(ts_arena_printf(c->arena, "%s, ends: extrapolated", ops[o].name), &ends, "");
  }
}

void acc_collectives_report(const acc_context *c)
{
  errors half = errors_new(c->arena, 40000), constants = errors_new(c->arena, 40000);
  printf("collectives: white box calibrated on every second size of each group, asked for the others; both halves in turn\n");
  for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
    one_table(c, &tables[i], &half, &constants);
  print("all", &half, "");
  print("all, constants alone", &constants, "");
  printf("    asked for    mean 8 %% within a node; 25 %% from the hardware's constants alone for 1 MB and more\n");
  printf("\n  other node counts of a cluster (256 MB, means of noisy runs: their 5 to 95 %% band spans a factor of 2 to 14)\n");
  node_counts(c);
  printf("    asked for    15 %%\n\n");
}
