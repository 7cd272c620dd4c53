/* Reads the sweeps between nodes; a cluster is known by its columns alone. */
#include "tests/accuracy/between_rows.h"

#include <ctype.h>
#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/source.h"
#include "calibrate/network_fit.h"
#include "compiler/machine/network_table.h"

/* A GPU's links inside its node in one direction, bytes/s (data sheets), and whether a switch joins
 * them that can reduce. The first name that is part of a table's is taken. */
typedef struct machine { const char *gpu, *hardware; double intra; bool switches; } machine;
static const machine machines[] = {
  {"gb200", "nccl_blackwell", 900e9, true}, {"gb300", "nccl_blackwell", 900e9, true},
  {"gh200", "nccl_hopper", 450e9, false},   {"a100", "nccl_ampere", 300e9, true},
  {"a800", "nccl_ampere", 200e9, true},     {"h100", "nccl_hopper", 450e9, true},
  {"h200", "nccl_hopper", 450e9, true},     {"h800", "nccl_hopper", 200e9, true},
  {"h20", "nccl_hopper", 450e9, true},      {"b200", "nccl_blackwell", 900e9, true},
  {"b300", "nccl_blackwell", 900e9, true},  {"mi300", "nccl_hopper", 448e9, false},
  {"mi325", "nccl_hopper", 448e9, false},   {"mi350", "nccl_hopper", 538e9, false},
  {"mi355", "nccl_hopper", 538e9, false},
};
enum { MACHINES = sizeof machines / sizeof *machines };

static void lower(char *to, size_t room, const char *text)
{
  size_t n = 0;
  for (; text[n] && n + 1 < room; n++)
    to[n] = (char)tolower((unsigned char)text[n]);
  to[n] = 0;
}

/* -- rows -- */

typedef struct line { /* of the file */
  uint32_t cluster, setting;
  ts_fabric_row call;
  bool slow;
} line;
typedef struct reader {
  const acc_context *c;
  btw_table *out;
  TS_VEC(line) lines;
  TS_VEC(const char *) settings; /* library's version and note, of a cluster and collective */
  ts_network_file *hardware; /* of each machine, as it is read */
} reader;

static uint32_t cluster_of(reader *r, const char *name, const char *gpu, const char *text,
                           ts_fabric_kind fabric)
{
  for (size_t i = 0; i < r->out->clusters.count; i++)
    if (!strcmp(r->out->clusters.at[i].name, name))
      return (uint32_t)i;
  TS_PUSH(r->c->arena, &r->out->clusters,
          (btw_cluster){.name = name, .gpu = gpu, .fabric_text = text, .fabric = fabric});
  return (uint32_t)r->out->clusters.count - 1;
}

static uint32_t setting_of(reader *r, const char *text)
{
  for (size_t i = 0; i < r->settings.count; i++)
    if (!strcmp(r->settings.at[i], text))
      return (uint32_t)i;
  TS_PUSH(r->c->arena, &r->settings, text);
  return (uint32_t)r->settings.count - 1;
}

static const ts_network_file *hardware_of(reader *r, const machine *m)
{
  ts_network_file *file = &r->hardware[m - machines];
  ts_error error = {0};
  size_t size = 0;
  int failed = 0;
  if (file->method_count)
    return file;
  const char *path =
    ts_arena_printf(r->c->arena, "%s/stdlib/networks/%s.json", r->c->source, m->hardware);
  char *text = ts_read_file(r->c->arena, path, &size, &failed);
  const ts_network_file *read =
    text ? ts_network_file_read(r->c->arena, text, size, &error) : NULL;
  bool changed;
  if (!read)
    return NULL;
  *file = *read;
  if (!m->switches)
    ts_network_variable(r->c->arena, "NCCL_NVLS_ENABLE", "0", file, &changed);
  return file;
}

static const machine *machine_of(const char *gpu)
{
  char text[128];
  lower(text, sizeof text, gpu);
  for (size_t i = 0; i < MACHINES; i++)
    if (strstr(text, machines[i].gpu))
      return &machines[i];
  return NULL;
}

static uint32_t islands_of(const ts_fabric_text *l, uint32_t nodes, uint32_t ranks)
{
  if (l->racks)
    return l->racks;
  if (l->rack_nodes)
    return (nodes + l->rack_nodes - 1) / l->rack_nodes;
  return l->fabric == TS_FABRIC_NVL72 ? (ranks + 71) / 72 : nodes;
}

static double positive(const csv *t, size_t i, const char *column)
{
  double x = csv_number(t, i, column);
  return x > 0 && x < 1e18 ? x : 0;
}

static const char *kind_word(const char *text)
{
  return !strcmp(text, "alltoall") ? "all_to_all" : text;
}

static void add_line(reader *r, const csv *t, size_t i)
{
  const machine *m = machine_of(csv_cell(t, i, "gpu"));
  uint32_t ranks = (uint32_t)fmin(positive(t, i, "gpus"), 1e6),
           nodes = (uint32_t)fmin(positive(t, i, "nodes"), 1e6);
  uint32_t a_node = (uint32_t)fmin(positive(t, i, "gpus_per_node"), 1e3);
  int kind = ts_collective_named(kind_word(csv_cell(t, i, "collective")));
  double bytes = positive(t, i, "bytes"), us = positive(t, i, "out_of_place_us");
  if (!(us > 0))
    us = positive(t, i, "in_place_us");
  if (!nodes && a_node)
    nodes = (ranks + a_node - 1) / a_node;
  if (kind < 0 || ranks < 2 || !nodes || nodes > ranks || !(bytes >= 1) || !(us > 0)) {
    r->out->other++;
    return;
  }
  ts_fabric_text l = ts_fabric_text_read(csv_cell(t, i, "fabric"), a_node ? a_node : ranks / nodes);
  uint32_t islands = islands_of(&l, nodes, ranks);
  const ts_network_file *hardware = m ? hardware_of(r, m) : NULL;
  if (islands < 2) {
    r->out->inside++;
  } else if (!hardware) {
    r->out->unknown_gpu++;
  } else if (!(l.node > 0)) {
    r->out->unknown_links++;
  } else {
    const char *cluster = csv_cell(t, i, "cluster"), *collective = csv_cell(t, i, "collective");
    const char *setting =
      ts_arena_printf(r->c->arena, "%s, %s, %s, %s", cluster, collective, csv_cell(t, i, "nccl"),
                      csv_cell(t, i, "note"));
    ts_fit_links links = {m->intra, l.node * nodes / islands};
    line x = {.cluster = cluster_of(r, cluster, csv_cell(t, i, "gpu"), csv_cell(t, i, "fabric"),
                                    l.fabric),
              .setting = setting_of(r, setting),
              .call = {.fabric = l.fabric,
                       .kind = (uint32_t)kind,
                       .hardware = hardware,
                       .profile = ts_fit_profile(links, ranks, islands),
                       .bytes = (uint64_t)bytes,
                       .seconds = us * 1e-6}};
    TS_PUSH(r->c->arena, &r->lines, x);
  }
}

static int by_call(const void *left, const void *right)
{
  const line *a = left, *b = right;
#define BY(x) if (a->x != b->x) return a->x < b->x ? -1 : 1;
  BY(cluster) BY(call.kind) BY(call.profile.ranks) BY(call.profile.islands) BY(call.bytes)
  BY(setting) BY(call.seconds)
#undef BY
  return 0;
}

static bool same_call(const line *a, const line *b)
{
  return a->cluster == b->cluster && a->call.kind == b->call.kind &&
         a->call.profile.ranks == b->call.profile.ranks &&
         a->call.profile.islands == b->call.profile.islands && a->call.bytes == b->call.bytes;
}

static size_t call_end(const reader *r, size_t from)
{
  size_t end = from + 1;
  while (end < r->lines.count && same_call(&r->lines.at[from], &r->lines.at[end]))
    end++;
  return end;
}

static int by_value(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double best_of(const reader *r, size_t from, size_t end)
{
  double best = INFINITY;
  for (size_t i = from; i < end; i++)
    best = fmin(best, r->lines.at[i].call.seconds);
  return best;
}

/* One setting alone says nothing of how slow it is. */
static bool has_rival(const reader *r, size_t from, size_t end, uint32_t setting)
{
  for (size_t i = from; i < end; i++)
    if (r->lines.at[i].setting != setting)
      return true;
  return false;
}

/* Marks a setting's rows of a class of sizes, if they take more than twice the best time in the
 * median: a slow path (TCP instead of RDMA, a search for routes) is no measure of the fabric. */
static bool mark_slow(reader *r, uint32_t setting, uint32_t class, double *over)
{
  size_t n = 0;
  for (size_t i = 0, end; i < r->lines.count; i = end) {
    end = call_end(r, i);
    if (ts_fabric_class(r->lines.at[i].call.bytes) != class || !has_rival(r, i, end, setting))
      continue;
    double best = best_of(r, i, end);
    for (size_t k = i; k < end; k++)
      if (r->lines.at[k].setting == setting)
        over[n++] = r->lines.at[k].call.seconds / best;
  }
  if (n)
    qsort(over, n, sizeof *over, by_value);
  if (!n || over[n / 2] <= 2)
    return false;
  for (size_t i = 0; i < r->lines.count; i++) {
    line *x = &r->lines.at[i];
    x->slow |= x->setting == setting && ts_fabric_class(x->call.bytes) == class;
  }
  return true;
}

/* Calls that only settings were tried for which are slow in one class or another: what they take at
 * these sizes and nodes may be the setting's time as well as the fabric's. */
static void mark_alone(reader *r, const bool *doubtful)
{
  for (size_t i = 0, end; i < r->lines.count; i = end) {
    bool sound = false;
    end = call_end(r, i);
    for (size_t k = i; k < end; k++)
      sound |= !doubtful[r->lines.at[k].setting];
    for (size_t k = i; k < end && !sound; k++)
      r->lines.at[k].slow = true;
  }
}

static void find_slow(reader *r)
{
  double *over = TS_NEW_ARRAY(r->c->arena, double, r->lines.count + 1);
  bool *doubtful = TS_NEW_ARRAY(r->c->arena, bool, r->settings.count + 1);
  for (uint32_t s = 0; s < r->settings.count; s++)
    for (uint32_t class = 0; class < TS_FABRIC_CLASSES; class++)
      doubtful[s] |= mark_slow(r, s, class, over);
  mark_alone(r, doubtful);
  for (size_t i = 0; i < r->lines.count; i++)
    r->out->slow += r->lines.at[i].slow;
}

/* The settings of one call: the best counts, and how far the others are off is kept. */
static void take_best(reader *r, size_t from, size_t end)
{
  const line *best = NULL, *first = NULL;
  double worst = 0;
  uint32_t settings = 0;
  for (size_t i = from; i < end; i++) {
    const line *x = &r->lines.at[i];
    if (x->slow)
      continue;
    first = first ? first : x;
    best = !best || x->call.seconds < best->call.seconds ? x : best;
    worst = fmax(worst, x->call.seconds);
    settings += i == from || x->setting != x[-1].setting;
  }
  if (!best)
    return;
  btw_cluster *c = &r->out->clusters.at[best->cluster];
  c->settings = settings > c->settings ? settings : c->settings;
  if (settings > 1) {
    c->first_over += first->call.seconds / best->call.seconds - 1;
    c->worst_over += worst / best->call.seconds - 1;
    c->repeated++;
  }
  btw_row row = {.cluster = best->cluster, .call = best->call};
  size_t n = r->out->rows.count;
  const btw_row *last = n ? &r->out->rows.at[n - 1] : NULL;
  bool same_set = last && last->cluster == row.cluster && last->call.kind == row.call.kind;
  row.call.set = last ? last->call.set + !same_set : 0;
  row.odd = same_set && last->call.profile.ranks == row.call.profile.ranks && !last->odd;
  TS_PUSH(r->c->arena, &r->out->rows, row);
}

bool btw_read(const acc_context *c, btw_table *out)
{
  reader r = {
    .c = c, .out = out, .hardware = TS_NEW_ARRAY(c->arena, ts_network_file, MACHINES)};
  glob_t found = {0};
  *out = (btw_table){0};
  if (glob(ts_arena_printf(c->arena, "%s/runs/nccl_inter*.csv*", c->data), 0, NULL, &found)) {
    printf("  no runs/nccl_inter*.csv* in %s\n", c->data);
    globfree(&found);
    return false;
  }
  for (size_t i = 0; i < found.gl_pathc; i++) {
    const csv *t = csv_read(c->arena, found.gl_pathv[i]);
    if (!t)
      printf("  %s cannot be read\n", found.gl_pathv[i]);
    for (size_t k = 0; t && k < t->rows; k++)
      add_line(&r, t, k);
  }
  globfree(&found);
  TS_SORT(&r.lines, by_call);
  find_slow(&r);
  for (size_t i = 0, end; i < r.lines.count; i = end) {
    end = call_end(&r, i);
    take_best(&r, i, end);
  }
  return true;
}
