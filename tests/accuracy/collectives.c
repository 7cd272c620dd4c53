/* White boxes of collective libraries against measured calls: calibrated on a half of a table's
 * sizes and asked for the others, and from the hardware's constants alone. */

#include <ctype.h>
#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/source.h"
#include "calibrate/network_fit.h"
#include "compiler/machine/network_table.h"
#include "cost/cost.h"
#include "ir/ir.h"
#include "tests/accuracy/accuracy.h"

/* The machine that a table was measured on: constants of the library for it, a GPU's links and a
 * node's NICs in one direction, bytes/s. Where GPUs are on PCIe their path is not in a table, so
 * constants are not tried. */
typedef struct machine {
  const char *gpu, *hardware;
  double intra, inter;
  const double *lanes; /* by ranks: links that rings over so many can use, where that is not all */
} machine;

/* The mesh of eight V100 (DGX-1V): rings that two to eight of them find, each over links of 25 GB/s
 * (NVIDIA DGX-1 whitepaper, 2017). */
static const double mesh[] = {0, 0, 1, 2, 4, 2, 2, 4, 6};

static const machine machines[] = {
  {"a100_pcie", "nccl_ampere", 0, 0, NULL},        {"h100_pcie", "nccl_hopper", 0, 0, NULL},
  {"h100_nvl", "nccl_hopper", 0, 0, NULL},         {"v100_pcie", "nccl_ampere", 0, 0, NULL},
  {"v100", "nccl_ampere", 25e9, 50e9, mesh},       {"a100", "nccl_ampere", 300e9, 200e9, NULL},
  {"h100", "nccl_hopper", 450e9, 400e9, NULL},     {"h800", "nccl_hopper", 200e9, 400e9, NULL},
  {"h200", "nccl_hopper", 450e9, 400e9, NULL},     {"gb200", "nccl_blackwell", 900e9, 200e9, NULL},
  {"gb300", "nccl_blackwell", 900e9, 400e9, NULL}, {"b200", "nccl_blackwell", 900e9, 400e9, NULL},
  {"b300", "nccl_blackwell", 900e9, 800e9, NULL},  {"l40s", "nccl_ampere", 0, 0, NULL},
  {"rtx_pro", "nccl_blackwell", 0, 0, NULL},
};

static const machine unknown = {NULL, "nccl_hopper", 0, 0, NULL}; /* fitted by latency alone */

/* Rows that belong together: of one file, GPU, version and data type. */
typedef struct table {
  const char *file, *gpu, *version, *dtype;
  const machine *machine;
  TS_VEC(ts_ir_net_point) points;
  TS_VEC(double) low;
  TS_VEC(double) high;
} table;

typedef struct errors {
  double *at;
  size_t count;
  double sum, worst;
} errors;

enum { WHITE, STATISTICAL, CONSTANTS, WAYS };
typedef struct tally {
  acc_points inside[WAYS], across[WAYS];
  uint32_t beyond;
} tally;

typedef struct report {
  const acc_context *c;
  bool thin;
  TS_VEC(table) tables;
  size_t other_rows;
  tally all;
  acc_part *parts[WAYS];
  errors means; /* of tables, within a node */
} report;

/* -- what is there -- */

static const machine *machine_of(const char *name)
{
  char lower[128];
  size_t n = 0;
  for (; name && name[n] && n + 1 < sizeof lower; n++)
    lower[n] = name[n] == ' ' ? '_' : (char)tolower((unsigned char)name[n]);
  lower[n] = 0;
  for (size_t i = 0; i < sizeof machines / sizeof *machines; i++)
    if (strstr(lower, machines[i].gpu))
      return &machines[i];
  return NULL;
}

static table *table_of(report *r, const char *file, const char *gpu, const char *version,
                       const char *dtype)
{
  for (size_t i = 0; i < r->tables.count; i++) {
    table *t = &r->tables.at[i];
    if (!strcmp(t->gpu, gpu) && !strcmp(t->version, version) && !strcmp(t->dtype, dtype))
      return !strcmp(t->file, file) ? t : NULL; /* the same rows in another file: once is enough */
  }
  const machine *m = machine_of(gpu);
  TS_PUSH(
    r->c->arena, &r->tables,
    (table){
      .file = file, .gpu = gpu, .version = version, .dtype = dtype, .machine = m ? m : &unknown});
  return &r->tables.at[r->tables.count - 1];
}

static const char *first_cell(const csv *t, size_t i, const char *const *columns)
{
  for (; *columns; columns++)
    if (*csv_cell(t, i, *columns))
      return csv_cell(t, i, *columns);
  return "";
}

static double first_number(const csv *t, size_t i, const char *const *columns, double otherwise)
{
  const char *text = first_cell(t, i, columns);
  char *end;
  double x = strtod(text, &end);
  return end != text && !*end && isfinite(x) ? x : otherwise;
}

#define COLUMNS(...)                                                                               \
  (const char *const[]) { __VA_ARGS__, NULL }

static int collective_in(const char *text) /* "AllReduce", "allreduce_a100.csv" */
{
  static const char *const names[] = {"allreduce", "allgather", "reducescatter",
                                      "broadcast", "alltoall",  "reduce"};
  char plain[128];
  size_t n = 0;
  for (; *text && n + 1 < sizeof plain; text++)
    if (isalnum((unsigned char)*text))
      plain[n++] = (char)tolower((unsigned char)*text);
  plain[n] = 0;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strstr(plain, names[i]))
      return ts_collective_named(names[i]);
  return -1;
}

/* A row's time in us: stated, or from the bus bandwidth. */
static double time_of(const csv *t, size_t i, uint32_t kind, uint32_t ranks, double bytes,
                      const char *const *bandwidths)
{
  double us = first_number(t, i, COLUMNS("time_us"), 0) +
              1e3 * first_number(t, i, COLUMNS("time_ms"), 0) +
              1e6 * first_number(t, i, COLUMNS("seconds"), 0);
  double rate = first_number(t, i, bandwidths, 0);
  return us > 0 || rate <= 0 ? us : ts_ring_volume(kind, ranks) * bytes / rate / 1e3;
}

/* A third of all calls, by FNV-1a. */
static bool in_third(const ts_ir_net_point *p, const char *dtype)
{
  const uint64_t parts[] = {p->collective, p->ranks, p->islands, p->bytes, (unsigned char)*dtype};
  uint64_t h = 14695981039346656037u;
  for (size_t i = 0; i < 8 * sizeof parts / sizeof *parts; i++)
    h = (h ^ (parts[i / 8] >> i % 8 * 8 & 255)) * 1099511628211u;
  return (h >> 32) % 3 == 0;
}

static void add_row(report *r, const char *file, const char *name, const csv *t, size_t i)
{
  const char *impl = csv_cell(t, i, "impl"),
             *what = first_cell(t, i, COLUMNS("collective", "operation", "op")),
             *gpu = csv_cell(t, i, "gpu");
  int kind = collective_in(*what ? what : name);
  double ranks = first_number(t, i, COLUMNS("gpus", "ranks"), 0),
         islands = first_number(t, i, COLUMNS("nodes", "islands"), 1);
  double bytes =
    first_number(t, i, COLUMNS("bytes", "size"), 1e6 * first_number(t, i, COLUMNS("size_mb"), 0));
  if (kind < 0 || (*impl && strcmp(impl, "nccl") != 0) || ranks < 2 || islands < 1 ||
      islands > ranks || !(bytes >= 1 && bytes < 1e16)) {
    r->other_rows++;
    return;
  }
  double us =
    time_of(t, i, (uint32_t)kind, (uint32_t)ranks, bytes, COLUMNS("busbw_gb_s_mid", "busbw_gb_s"));
  table *into = table_of(r, file,
                         *gpu                     ? gpu :
                         machine_of(name)         ? machine_of(name)->gpu :
                         strstr(name, "nanotron") ? "h100" :
                                                    name,
                         first_cell(t, i, COLUMNS("nccl", "version")), csv_cell(t, i, "dtype"));
  if (!into)
    return;
  if (!(us > 0 && us < 1e11)) {
    r->other_rows++;
    return;
  }
  ts_ir_net_point p = {(uint32_t)kind,    (uint32_t)ranks,
                       (uint32_t)islands, 0,
                       (uint64_t)bytes,   (uint64_t)llround(us * 1e6)};
  if (r->thin && !in_third(&p, csv_cell(t, i, "dtype")))
    return;
  TS_PUSH(r->c->arena, &into->points, p);
  TS_PUSH(r->c->arena, &into->low,
          time_of(t, i, p.collective, p.ranks, bytes, COLUMNS("busbw_gb_s_p95")));
  TS_PUSH(r->c->arena, &into->high,
          time_of(t, i, p.collective, p.ranks, bytes, COLUMNS("busbw_gb_s_p5")));
}

static void read_log(report *r, const char *path, const char *name)
{
  size_t size = 0;
  int error = 0;
  ts_error wrong = {0};
  ts_error gzip = {0};
  char *bytes = ts_read_file(r->c->arena, path, &size, &error);
  const char *text = bytes ? ts_cost_text(r->c->arena, bytes, size, &size, &gzip) : NULL;
  const ts_network_table *log =
    text ? ts_network_log_read(r->c->arena, text, size, collective_in(name), &wrong) : NULL;
  if (!log) {
    printf("  %s, line %u: %s\n", name, wrong.line, wrong.message);
    return;
  }
  table *into = table_of(r, "logs", log->device, "", "");
  for (uint32_t i = 0; into && i < log->count; i++)
    TS_PUSH(r->c->arena, &into->points, log->points[i]);
}

static void read_path(report *r, const char *path)
{
  const char *slash = strrchr(path, '/'),
             *name = ts_arena_string(r->c->arena, slash + 1, strlen(slash + 1));
  if (!strstr(name, ".csv")) {
    if (!strstr(name, "README"))
      read_log(r, path, name);
    return;
  }
  const csv *t = csv_read(r->c->arena, path);
  if (!t)
    printf("  %s cannot be read\n", name);
  for (size_t i = 0; t && i < t->rows; i++)
    add_row(r, name, name, t, i);
}

static void read_all(report *r)
{
  static const char *const patterns[] = {"ops/nccl_intra*.csv*", "ops/nccl_aic*.csv*",
                                         "vtrain/allreduce_*.csv*", "e2e/nccl_*.csv*", "nccl/*"};
  for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
    glob_t found = {0};
    if (!glob(ts_arena_printf(r->c->arena, "%s/%s", r->c->data, patterns[i]), 0, NULL, &found))
      for (size_t k = 0; k < found.gl_pathc; k++)
        read_path(r, found.gl_pathv[k]);
    globfree(&found);
  }
}

/* -- errors -- */

static int by_value(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void add(ts_arena *arena, errors *e, double error)
{
  if (!(e->count & (e->count - 1))) /* room doubles */
    e->at = ts_arena_grow(arena, e->at, e->count * sizeof *e->at,
                          (e->count ? 2 * e->count : 1) * sizeof *e->at);
  e->at[e->count++] = error;
  e->sum += error;
  e->worst = fmax(e->worst, error);
}

static void note(const report *r, tally *t, uint32_t islands, int way, acc_point point)
{
  TS_PUSH(r->c->arena, islands > 1 ? &t->across[way] : &t->inside[way], point);
}

static void append(const report *r, acc_points *to, const acc_points *from)
{
  for (size_t i = 0; i < from->count; i++)
    TS_PUSH(r->c->arena, to, from->at[i]);
}

static void merge(const report *r, tally *into, const tally *t)
{
  for (int w = 0; w < WAYS; w++) {
    append(r, &into->inside[w], &t->inside[w]);
    append(r, &into->across[w], &t->across[w]);
  }
  into->beyond += t->beyond;
}

static double mean(const errors *e) { return e->count ? 100 * e->sum / (double)e->count : 0; }

/* One way's line in its part. */
static void add_lines(report *r, const char *name, const acc_points *ways)
{
  for (int w = 0; w < WAYS; w++)
    acc_line_add(r->c->arena, r->parts[w], name, &ways[w]);
}

/* -- halves of the sizes -- */

static const ts_network_file *hardware_of(const acc_context *c, const char *name)
{
  size_t size = 0;
  int error = 0;
  ts_error wrong = {0};
  char *text =
    ts_read_file(c->arena, ts_arena_printf(c->arena, "%s/stdlib/networks/%s.json", c->source, name),
                 &size, &error);
  const ts_network_file *file = text ? ts_network_file_read(c->arena, text, size, &wrong) : NULL;
  if (!file)
    printf("  %s.json: %s\n", name, wrong.message);
  return file;
}

static bool same_group(const ts_ir_net_point *a, const ts_ir_net_point *b)
{
  return a->collective == b->collective && a->ranks == b->ranks && a->islands == b->islands;
}

static const char *call_name(const report *r, const ts_network_score *s)
{
  return ts_arena_printf(r->c->arena, "%s of %u ranks on %u", ts_collective_name(s->collective),
                         s->ranks, s->islands);
}

static const char *title(const report *r, const table *k)
{
  const char *version = *k->version ? ts_arena_printf(r->c->arena, ", version %s", k->version) : "";
  return *k->dtype ? ts_arena_printf(r->c->arena, "%s%s", k->gpu, version) :
                     ts_arena_printf(r->c->arena, "%s%s (%s)", k->gpu, version, k->file);
}

/* What std.errors has of calls by curves and by the methods of a library, sizes of their own left
 * out. */
static void cover(const report *r, const table *k, uint32_t model, const ts_network_score *score)
{
  for (uint32_t i = 0; i < score->rows && !r->thin; i++)
    acc_seen_add(
      r->c->arena, r->c->result,
      (acc_seen){
        .of = {.origin = TS_IR_ORIGIN_NETWORK, .basis = model, .between = score->islands > 1},
        .group = title(r, k),
        .predicted = score->predicted[i],
        .measured = score->measured[i]});
}

/* Both halves in turn; a row outside of the sizes kept is predicted too, and counted. */
static void halves(const report *r, const ts_network_file *hardware, const table *k,
                   const ts_ir_net_point *rows, uint32_t count, tally *t)
{
  for (int odd = 0; odd < 2; odd++) {
    ts_network_score *scores;
    uint32_t n = ts_network_hold_out(r->c->arena, hardware,
                                     (ts_fit_links){k->machine->intra, k->machine->inter}, rows,
                                     count, odd, true, &scores, NULL);
    for (uint32_t g = 0; g < n; g++) {
      t->beyond += scores[g].beyond;
      cover(r, k, TS_IR_NET_WHITE_BOX, &scores[g]);
      for (uint32_t i = 0; i < scores[g].rows; i++)
        note(r, t, scores[g].islands, WHITE,
             (acc_point){.name = call_name(r, &scores[g]),
                         .predicted = scores[g].predicted[i],
                         .measured = scores[g].measured[i],
                         .baseline = scores[g].measured[i] * (1 + scores[g].base_error[i])});
      if (r->c->verbose)
        printf("    %-16s %3u ranks %2u islands %s half  %3u rows  mean %5.1f %%  worst %6.1f %%  "
               "alpha-beta %5.1f %%\n",
               ts_collective_name(scores[g].collective), scores[g].ranks, scores[g].islands,
               odd ? "odd " : "even", scores[g].rows, 100 * scores[g].mean, 100 * scores[g].worst,
               100 * scores[g].baseline);
    }
    n = ts_network_hold_out_curves(r->c->arena, rows, count, odd, true, &scores);
    for (uint32_t g = 0; g < n; g++) {
      cover(r, k, TS_IR_NET_STATISTICAL, &scores[g]);
      for (uint32_t i = 0; i < scores[g].rows; i++)
        note(r, t, scores[g].islands, STATISTICAL,
             (acc_point){.name = call_name(r, &scores[g]),
                         .predicted = scores[g].predicted[i],
                         .measured = scores[g].measured[i]});
    }
  }
}

static void constants_alone(const report *r, const ts_network_file *hardware, const machine *m,
                            const ts_ir_net_point *rows, uint32_t count, tally *t)
{
  for (uint32_t i = 0; m->intra > 0 && i < count; i++) {
    const ts_ir_net_point *p = &rows[i];
    double lanes = m->lanes && p->ranks <= 8 ? m->lanes[p->ranks] : 1;
    ts_profile profile =
      ts_fit_profile((ts_fit_links){m->intra * lanes, m->inter}, p->ranks, p->islands);
    double time =
      p->bytes >= 1000000 ? ts_network_file_time(hardware, p->collective, p->bytes, &profile) : 0;
    if (time > 0 && p->islands == 1)
      note(r, t, 1, CONSTANTS, (acc_point){.predicted = time, .measured = (double)p->time * 1e-12});
  }
}

/* -- other node counts -- */

static uint32_t node_counts_of(const ts_network_table *rows, const ts_ir_net_point *p)
{
  uint32_t n = 0;
  for (uint32_t i = 0; i < rows->count; i++)
    n += rows->points[i].collective == p->collective && rows->points[i].bytes == p->bytes &&
         rows->points[i].islands > 1;
  return n;
}

static bool at_an_end(const ts_network_table *rows, const ts_ir_net_point *p)
{
  bool less = false, more = false;
  for (uint32_t i = 0; i < rows->count; i++) {
    const ts_ir_net_point *q = &rows->points[i];
    bool same = q->collective == p->collective && q->islands > 1;
    less |= same && q->islands < p->islands;
    more |= same && q->islands > p->islands;
  }
  return !less || !more;
}

static const ts_network_table *without(ts_arena *arena, const ts_network_table *rows,
                                       const ts_ir_net_point *p)
{
  ts_ir_net_point *rest = TS_NEW_ARRAY(arena, ts_ir_net_point, rows->count);
  uint32_t n = 0;
  for (uint32_t i = 0; i < rows->count; i++)
    if (!same_group(&rows->points[i], p))
      rest[n++] = rows->points[i];
  return ts_network_table_of_points(arena, rest, n);
}

/* What the repeats of a row spanned from 5 to 95 %, us. False: the table does not say. */
static bool band_of(const table *t, const ts_ir_net_point *p, double *low, double *high)
{
  for (size_t i = 0; i < t->low.count; i++)
    if (same_group(&t->points.at[i], p) && t->points.at[i].bytes == p->bytes && t->low.at[i] > 0 &&
        t->high.at[i] > t->low.at[i]) {
      *low = t->low.at[i], *high = t->high.at[i];
      return true;
    }
  return false;
}

/* A run whose time is log-normal with this band is off the median of all by so much on average:
 * E|exp(s z) - 1|, where 95 % of a normal z lie below 1.645. */
static double spread_of(double low, double high)
{
  double s = log(high / low) / (2 * 1.645);
  return exp(s * s / 2) * erf(s / sqrt(2));
}

typedef struct node_tally {
  acc_points between, ends;
  errors spread;
  uint32_t inside, requested;
} node_tally;

/* A group of calls on several nodes, asked for from all other groups. */
static void one_count(const report *r, const ts_network_file *hardware, const table *k,
                      const ts_network_table *rows, const ts_ir_net_point *p, uint32_t n,
                      node_tally *t)
{
  const ts_fit_links links = {k->machine->intra, k->machine->inter};
  const ts_network_table *rest = without(r->c->arena, rows, p);
  const ts_network_file *file =
    ts_network_fit(r->c->arena, hardware, links, rest->points, rest->count, NULL);
  ts_profile profile = ts_fit_profile(links, p->ranks, p->islands);
  for (; n--; p++) {
    if (node_counts_of(rows, p) < 3)
      continue;
    double us = (double)p->time * 1e-6,
           time = ts_network_file_time(file, p->collective, p->bytes, &profile) * 1e6,
           bare = ts_network_file_time(hardware, p->collective, p->bytes, &profile), low, high;
    bool banded = band_of(k, p, &low, &high), in = banded && time >= low && time <= high;
    TS_PUSH(r->c->arena, at_an_end(rows, p) ? &t->ends : &t->between,
            (acc_point){.name = ts_arena_printf(r->c->arena, "%s of %llu B on %u nodes",
                                                ts_collective_name(p->collective),
                                                (unsigned long long)p->bytes, p->islands),
                        .predicted = time * 1e-6,
                        .measured = us * 1e-6,
                        .baseline = bare});
    if (banded)
      add(r->c->arena, &t->spread, spread_of(low, high));
    t->inside += in;
  }
}

/* Each collective's node count in turn is left out, with all its sizes, and asked for. */
static void node_counts(const report *r, const ts_network_file *hardware, const table *k,
                        const ts_network_table *rows)
{
  node_tally t = {0};
  for (uint32_t i = 0; i < rows->count; i++)
    t.requested += rows->points[i].islands > 1 && node_counts_of(rows, &rows->points[i]) >= 3;
  for (uint32_t i = 0, n; t.requested && i < rows->count; i += n) {
    for (n = 1; i + n < rows->count && same_group(&rows->points[i + n], &rows->points[i]);)
      n++;
    if (rows->points[i].islands > 1)
      one_count(r, hardware, k, rows, &rows->points[i], n, &t);
  }
  if (!(t.between.count + t.ends.count))
    return;
  acc_part *part = acc_part_new(r->c->arena, r->c->result, "other node counts");
  acc_line_add(r->c->arena, part, ts_arena_printf(r->c->arena, "%s, in between", k->file),
               &t.between);
  acc_line_add(r->c->arena, part, ts_arena_printf(r->c->arena, "%s, extrapolated", k->file),
               &t.ends);
  if (t.spread.count)
    acc_note_add(r->c->arena, r->c->result, "floor",
                 ts_arena_printf(r->c->arena,
                                 "%s: %u of %zu inside the band of their repeats; a single run of "
                                 "such a row is %.1f %% off the middle of its own runs on average",
                                 k->file, t.inside, t.spread.count, mean(&t.spread)));
}

static bool same_machine(const table *a, const table *b)
{
  return !strcmp(a->file, b->file) && !strcmp(a->gpu, b->gpu) && !strcmp(a->version, b->version);
}

/* All rows of a machine, sorted. */
static uint32_t gather(const report *r, const table *k, ts_ir_net_point **points)
{
  TS_VEC(ts_ir_net_point) all = {0};
  for (size_t i = 0; i < r->tables.count; i++)
    for (size_t n = 0; same_machine(k, &r->tables.at[i]) && n < r->tables.at[i].points.count; n++)
      TS_PUSH(r->c->arena, &all, r->tables.at[i].points.at[n]);
  ts_network_sort_points(all.at, (uint32_t)all.count);
  *points = all.at;
  return (uint32_t)all.count;
}

/* The same calls in two types of data: how far their times are apart. */
static void note_types(const report *r)
{
  errors apart = {0};
  for (size_t a = 0; a < r->tables.count; a++)
    for (size_t b = a + 1; b < r->tables.count; b++) {
      const table *x = &r->tables.at[a], *y = &r->tables.at[b];
      if (!same_machine(x, y))
        continue;
      for (size_t i = 0; i < x->points.count; i++)
        for (size_t k = 0; k < y->points.count; k++)
          if (same_group(&x->points.at[i], &y->points.at[k]) &&
              x->points.at[i].bytes == y->points.at[k].bytes)
            add(r->c->arena, &apart,
                fabs(log((double)x->points.at[i].time / (double)y->points.at[k].time)));
    }
  if (!apart.count)
    return;
  qsort(apart.at, apart.count, sizeof *apart.at, by_value);
  acc_note_add(r->c->arena, r->c->result, "floor",
               ts_arena_printf(r->c->arena,
                               "%zu calls were measured in two types of data: their times are "
                               "%.1f %% apart in the median, %.1f %% in the mean",
                               apart.count, 100 * apart.at[apart.count / 2], mean(&apart)));
}

/* Types of data do not change what the library does with the bytes, so rows of several are one
 * table, calls that were repeated. */
static void one_machine(report *r, size_t first)
{
  tally t = {0};
  const table *k = &r->tables.at[first];
  const ts_network_file *hardware = hardware_of(r->c, k->machine->hardware);
  ts_ir_net_point *points;
  uint32_t count = gather(r, k, &points);
  if (!hardware || !count)
    return;
  halves(r, hardware, k, points, count, &t);
  constants_alone(r, hardware, k->machine, points, count, &t);
  node_counts(r, hardware, k, ts_network_table_of_points(r->c->arena, points, count));
  const char *name = title(r, k);
  add_lines(r, name, t.inside);
  add_lines(r, ts_arena_printf(r->c->arena, "%s, across nodes", name), t.across);
  merge(r, &r->all, &t);
  if (t.inside[WHITE].count)
    add(r->c->arena, &r->means, acc_mean_error(&t.inside[WHITE]) / 100);
}

static bool collectives(const acc_context *c, bool thin)
{
  report r = {.c = c, .thin = thin};
  r.parts[WHITE] = acc_part_new(c->arena, c->result, "white box");
  r.parts[STATISTICAL] = acc_part_new(c->arena, c->result, "statistical model");
  r.parts[CONSTANTS] = acc_part_new(c->arena, c->result, "constants alone, 1 MB and more");
  r.parts[WHITE]->drawn = true;
  read_all(&r);
  if (!r.tables.count)
    acc_note_add(c->arena, c->result, "skipped",
                 "there is none of ops/nccl_*.csv*, vtrain/allreduce_*.csv*, e2e/nccl_*.csv*");
  for (size_t i = 0; i < r.tables.count; i++) {
    bool seen = false;
    for (size_t k = 0; k < i; k++)
      seen |= same_machine(&r.tables.at[k], &r.tables.at[i]);
    if (!seen)
      one_machine(&r, i);
    fflush(stdout);
  }
  add_lines(&r, "all within a node", r.all.inside);
  add_lines(&r, "all across nodes", r.all.across);
  acc_note_add(c->arena, c->result, "baseline", "one latency and one bandwidth a group");
  acc_note_add(c->arena, c->result, "each table alike",
               ts_arena_printf(c->arena,
                               "the mean of the means of %zu tables is %.2f %%, the worst "
                               "%.2f %%",
                               r.means.count, mean(&r.means), 100 * r.means.worst));
  note_types(&r);
  if (r.other_rows)
    acc_note_add(
      c->arena, c->result, "left out",
      ts_arena_printf(c->arena,
                      "%zu rows of other libraries, other operations or not "
                      "complete; %u of the rows above lie beyond the sizes of their half",
                      r.other_rows, r.all.beyond));
  return true;
}

bool acc_collectives(const acc_context *c) { return collectives(c, false); }
bool acc_collectives_thin(const acc_context *c) { return collectives(c, true); }
