/* White boxes of fabrics between nodes against published sweeps: as they ship, from fits without a
 * cluster or its fabric, and from one sweep of its own. */

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/source.h"
#include "calibrate/network_fit.h"
#include "ir/ir.h"
#include "tests/accuracy/between_rows.h"

static const char *const classes[TS_FABRIC_CLASSES] = {">= 16 MiB", "1-16 MiB", "< 1 MiB"};

typedef struct scores {
  acc_points of[TS_FABRIC_CLASSES];
} scores;

static void note(ts_arena *arena, scores *s, const btw_row *row, double seconds)
{
  const char *name = ts_arena_printf(
    arena, "%s of %llu B on %u ranks of %u nodes", ts_collective_name(row->call.kind),
    (unsigned long long)row->call.bytes, row->call.profile.ranks, row->call.profile.islands);
  TS_PUSH(arena, &s->of[ts_fabric_class(row->call.bytes)],
          (acc_point){.name = name, .predicted = seconds, .measured = row->call.seconds});
}

/* Where the lines of a way to ask go: a part for each class of sizes, and means of clusters. */
typedef struct way {
  ts_arena *arena;
  acc_part *part[TS_FABRIC_CLASSES];
  scores all;
  double sum[TS_FABRIC_CLASSES];
  uint32_t clusters[TS_FABRIC_CLASSES];
} way;

static way new_way(const acc_context *c, acc_result *result, const char *title)
{
  way w = {.arena = c->arena};
  for (int k = 0; k < TS_FABRIC_CLASSES; k++)
    w.part[k] =
      acc_part_new(c->arena, result, ts_arena_printf(c->arena, "%s, %s", title, classes[k]));
  return w;
}

static void add(way *to, const char *name, const scores *s)
{
  for (int k = 0; k < TS_FABRIC_CLASSES; k++) {
    const acc_points *from = &s->of[k];
    if (!from->count)
      continue;
    acc_line_add(to->arena, to->part[k], name, from);
    to->sum[k] += acc_mean_error(from);
    to->clusters[k]++;
    for (size_t i = 0; i < from->count; i++)
      TS_PUSH(to->arena, &to->all.of[k], from->at[i]);
  }
}

/* The last line, and the mean of the clusters' means. */
static void finish_way(acc_result *result, way *w)
{
  for (int k = 0; k < TS_FABRIC_CLASSES; k++) {
    acc_line_add(w->arena, w->part[k], "all", &w->all.of[k]);
    if (w->clusters[k] > 1)
      acc_note_add(w->arena, result, "each cluster alike",
                   ts_arena_printf(w->arena, "%s: mean %.1f %% of %u clusters", w->part[k]->title,
                                   w->sum[k] / w->clusters[k], w->clusters[k]));
  }
}

/* -- constants that ship -- */

typedef struct shipped {
  bool there[BTW_FABRICS];
  ts_fabric of[BTW_FABRICS];
  const char *text[BTW_FABRICS]; /* of the file, which names the clusters it was fitted to */
} shipped;

static void read_shipped(const acc_context *c, shipped *s)
{
  *s = (shipped){0};
  for (int f = 0; f < BTW_FABRICS; f++) {
    size_t size = 0;
    int failed = 0;
    ts_error error = {0};
    char *text = ts_read_file(
      c->arena,
      ts_arena_printf(c->arena, "%s/stdlib/networks/%s.json", c->source, btw_fabric_names[f]),
      &size, &failed);
    const ts_network_file *file = text ? ts_network_file_read(c->arena, text, size, &error) : NULL;
    s->text[f] = text ? ts_arena_string(c->arena, text, size) : "";
    s->there[f] = file && file->between;
    if (s->there[f])
      s->of[f] = *file->between;
    else
      printf("  %s.json: %s\n", btw_fabric_names[f],
             file ? "has no `between`" :
             text ? ts_error_words(c->arena, &error) :
                    "cannot be read");
  }
}

static bool was_fitted(const acc_context *c, const shipped *s, const btw_cluster *x)
{
  const char *quoted = ts_arena_printf(c->arena, "\"%s\"", x->name);
  return x->fabric < BTW_FABRICS && strstr(s->text[x->fabric], quoted);
}

/* Clouds' own transports, whose steps processors have a part in; the other fabrics' NICs do them by
 * themselves. */
static bool is_cloud(uint32_t f) { return f == BTW_EFA || f == BTW_EFA_P4 || f == BTW_TCPX; }

/* A fabric not seen: the mean of the others of its sort. Racks are not like nodes. */
static ts_fabric mean_without(const ts_fabric *of, const bool *there, uint32_t without)
{
  const ts_fabric *others[BTW_FABRICS];
  uint32_t n = 0;
  for (uint32_t f = 0; f < BTW_FABRICS; f++)
    if (there[f] && f != without && f != BTW_NVL72 && is_cloud(f) == is_cloud(without))
      others[n++] = &of[f];
  return ts_fabric_mean(others, n);
}

/* -- fits -- */

/* Every second size, without a cluster and without a fabric (none: UINT32_MAX). */
static uint32_t rows_for_fit(ts_arena *arena, const btw_table *t, uint32_t without_cluster,
                             uint32_t without_fabric, ts_fabric_row **rows, bool *there)
{
  uint32_t n = 0;
  *rows = TS_NEW_ARRAY(arena, ts_fabric_row, t->rows.count + 1);
  for (int f = 0; f < BTW_FABRICS; f++)
    there[f] = false;
  for (size_t i = 0; i < t->rows.count; i++) {
    const btw_row *row = &t->rows.at[i];
    if (row->odd || row->call.fabric >= BTW_FABRICS || row->cluster == without_cluster ||
        row->call.fabric == without_fabric)
      continue;
    there[row->call.fabric] = true;
    (*rows)[n++] = row->call;
  }
  return n;
}

/* What is known of a fabric or its plug-in, and not fitted. */
static void known(ts_fabric *of)
{
  for (int f = 0; f < BTW_FABRICS; f++)
    of[f] = ts_fabric_start;
  /* What the plug-ins of these fabrics, or the settings that their owners ask for, leave out: EFA's
   * flagged lines, all but whole chunks on p4 and with TCPX, whose NVLS is off. */
  of[BTW_EFA].lines = of[BTW_EFA_P4].lines = of[BTW_TCPX].lines = 0;
  of[BTW_EFA_P4].words = of[BTW_TCPX].words = of[BTW_TCPX].switches = 0;
  of[BTW_EFA_P4].lanes = of[BTW_SLINGSHOT_SHARED].lanes = 1; /* two GPUs at a NIC */
  /* Polaris has NCCL 2.18 and 2.21, which deal by threads alone. Over two nodes its large
   * all-reduces move what rings do (36 of 50 GB/s on the NICs; trees would need half of that). */
  of[BTW_SLINGSHOT_SHARED].deal = 0;
  of[BTW_SLINGSHOT_SHARED].trees_from = 3;
  /* where the search begins */
  of[BTW_NVL72].inside_hop = 2, of[BTW_NVL72].switch_hop = 5;
}

static void fit(ts_arena *arena, const btw_table *t, uint32_t without_cluster,
                uint32_t without_fabric, ts_fabric *of, bool *there)
{
  ts_fabric_row *rows;
  uint32_t n = rows_for_fit(arena, t, without_cluster, without_fabric, &rows, there);
  known(of);
  ts_fabric_fit(of, BTW_FABRICS, rows, n, true, NULL);
}

static bool write_fabric(const acc_context *c, const btw_table *t, const char *directory, int f,
                         const ts_fabric *fabric)
{
  const char *path = ts_arena_printf(c->arena, "%s/%s.json", directory, btw_fabric_names[f]);
  uint32_t rows = 0;
  for (size_t i = 0; i < t->rows.count; i++)
    rows += (int)t->rows.at[i].call.fabric == f && !t->rows.at[i].odd;
  FILE *out = fopen(path, "w");
  if (!out) {
    fprintf(stderr, "accuracy: %s: %s\n", path, strerror(errno));
    return false;
  }
  fprintf(out,
          "{\"trainspec-network\": 1, \"fabric\": \"%s\",\n \"data\": [\n  {\"file\": "
          "\"nccl_inter.csv.gz\", \"rows\": %u, \"of\": \"every second size\", \"clusters\": [",
          btw_fabric_names[f], rows);
  const char *before = "";
  for (size_t i = 0; i < t->clusters.count; i++)
    if ((int)t->clusters.at[i].fabric == f) {
      fprintf(out, "%s\"%s\"", before, t->clusters.at[i].name);
      before = ", ";
    }
  fprintf(out, "]}],\n \"between\": {");
  before = "";
  for (const ts_network_field *field = ts_fabric_fields; field->name; field++) {
    fprintf(out, "%s\"%s\": %.5g", before, field->name, ts_network_field_get(field, fabric));
    before = ", ";
  }
  fprintf(out, "}}\n");
  return !fclose(out);
}

int acc_between_fit(const acc_context *c, const char *directory)
{
  btw_table t;
  ts_fabric of[BTW_FABRICS];
  bool there[BTW_FABRICS], written = true;
  if (!btw_read(c, &t))
    return 1;
  fit(c->arena, &t, UINT32_MAX, UINT32_MAX, of, there);
  for (int f = 0; f < BTW_FABRICS; f++)
    if (there[f])
      written &= write_fabric(c, &t, directory, f, &of[f]);
  return !written;
}

/* -- what is asked -- */

static scores score_cluster(const acc_context *c, const btw_table *t, uint32_t cluster,
                            const ts_fabric *fabric, bool all)
{
  scores s = {0};
  for (size_t i = 0; i < t->rows.count; i++) {
    const btw_row *row = &t->rows.at[i];
    if (row->cluster != cluster || (!all && !row->odd))
      continue;
    double seconds = ts_fabric_time(fabric, &row->call);
    note(c->arena, &s, row, seconds);
    if (c->verbose)
      printf("      %-12s %5u ranks %4u islands %12llu B  %10.1f us  model %10.1f us  %+4.0f %%\n",
             ts_collective_name(row->call.kind), row->call.profile.ranks, row->call.profile.islands,
             (unsigned long long)row->call.bytes, 1e6 * row->call.seconds, 1e6 * seconds,
             100 * (seconds / row->call.seconds - 1));
  }
  return s;
}

/* What std.errors has of calls between islands, by size. */
static void cover(const acc_context *c, const btw_table *t, uint32_t cluster,
                  const ts_fabric *fabric, bool all)
{
  for (size_t i = 0; i < t->rows.count; i++) {
    const btw_row *row = &t->rows.at[i];
    if (row->cluster != cluster || (!all && !row->odd))
      continue;
    acc_seen_add(c->arena, c->result,
                 (acc_seen){.of = {.origin = TS_IR_ORIGIN_NETWORK,
                                   .basis = TS_IR_NET_WHITE_BOX,
                                   .between = true,
                                   .least_kib = row->call.bytes >= 16 << 20 ? 16384 :
                                                row->call.bytes >= 1 << 20  ? 1024 :
                                                                              0},
                            .group = t->clusters.at[cluster].name,
                            .predicted = ts_fabric_time(fabric, &row->call),
                            .measured = row->call.seconds});
  }
}

/* Constants as they ship: rows that their fit did not have. */
static void other_rows(const acc_context *c, acc_result *result, const btw_table *t,
                       const shipped *s)
{
  way ships = new_way(c, result, "as they ship"),
      fresh = new_way(c, result, "as they ship, clusters that no fit had");
  for (uint32_t i = 0; i < t->clusters.count; i++) {
    const btw_cluster *x = &t->clusters.at[i];
    if (x->fabric >= BTW_FABRICS || !s->there[x->fabric])
      continue;
    bool fitted = was_fitted(c, s, x);
    scores one = score_cluster(c, t, i, &s->of[x->fabric], !fitted);
    cover(c, t, i, &s->of[x->fabric], !fitted);
    const char *name = ts_arena_printf(c->arena, "%s (%s)", x->name, btw_fabric_names[x->fabric]);
    add(&ships, name, &one);
    if (!fitted)
      add(&fresh, name, &one);
  }
  finish_way(result, &ships);
  finish_way(result, &fresh);
}

static uint32_t clusters_of(const btw_table *t, uint32_t fabric)
{
  uint32_t n = 0;
  for (size_t i = 0; i < t->clusters.count; i++)
    n += t->clusters.at[i].fabric == fabric;
  return n;
}

/* -- one sweep of the cluster's own -- */

typedef struct sweeps {
  scores sizes, counts;
} sweeps;
typedef struct sweep_ways {
  way sizes, counts;
} sweep_ways;

static bool same_count(const btw_row *a, const btw_row *b)
{
  return a->call.set == b->call.set && a->call.profile.ranks == b->call.profile.ranks &&
         a->call.profile.islands == b->call.profile.islands;
}

/* The rows from `first` to `end` are one collective over one number of nodes: every second size of
 * them is what the user measured. */
static void one_sweep(ts_arena *arena, const btw_table *t, size_t first, size_t end,
                      const ts_fabric *start, sweeps *s)
{
  enum { TELLING = 4 };
  const btw_row *rows = t->rows.at;
  ts_fabric_row *kept = TS_NEW_ARRAY(arena, ts_fabric_row, end - first);
  ts_ir_net_point *points = TS_NEW_ARRAY(arena, ts_ir_net_point, end - first);
  ts_fabric fabric = *start;
  uint32_t n = 0;
  for (size_t i = first; i < end; i++) {
    if (rows[i].odd)
      continue;
    kept[n] = rows[i].call;
    kept[n].fabric = 0;
    points[n++] = (ts_ir_net_point){rows[i].call.kind,
                                    rows[i].call.profile.ranks,
                                    rows[i].call.profile.islands,
                                    0,
                                    rows[i].call.bytes,
                                    (uint64_t)llround(rows[i].call.seconds * 1e12)};
  }
  if (n < TELLING)
    return;
  ts_fabric_fit(&fabric, 1, kept, n, false, NULL);
  ts_network_file file = *kept->hardware;
  ts_fabric_apply(arena, &fabric, &file);
  file.points = points;
  file.point_count = n;
  for (size_t i = 0; i < t->rows.count; i++) {
    bool here = same_count(&rows[i], &rows[first]);
    if (rows[i].call.set != rows[first].call.set || (here && !rows[i].odd))
      continue;
    double seconds =
      ts_network_file_time(&file, rows[i].call.kind, rows[i].call.bytes, &rows[i].call.profile);
    note(arena, here ? &s->sizes : &s->counts, &rows[i], seconds);
  }
}

/* Each number of nodes of each collective in turn. */
static void sweeps_of(const acc_context *c, const btw_table *t, uint32_t cluster,
                      const ts_fabric *start, sweep_ways *all)
{
  sweeps s = {0};
  for (size_t i = 0, end; i < t->rows.count; i = end) {
    for (end = i + 1; end < t->rows.count && same_count(&t->rows.at[i], &t->rows.at[end]);)
      end++;
    if (t->rows.at[i].cluster == cluster)
      one_sweep(c->arena, t, i, end, start, &s);
  }
  add(&all->sizes, t->clusters.at[cluster].name, &s.sizes);
  add(&all->counts, t->clusters.at[cluster].name, &s.counts);
}

/* Each cluster, from fits without it: of its fabric if others have it, and without its fabric. */
static void left_out(const acc_context *c, acc_result *result, const btw_table *t, const shipped *s)
{
  way seen = new_way(c, result, "fabric seen"), unseen = new_way(c, result, "fabric not seen");
  sweep_ways own = {new_way(c, result, "one sweep, other sizes"),
                    new_way(c, result, "one sweep, other nodes")};
  for (uint32_t i = 0; i < t->clusters.count; i++) {
    const btw_cluster *x = &t->clusters.at[i];
    ts_fabric of[BTW_FABRICS], mean;
    bool there[BTW_FABRICS], known = x->fabric < BTW_FABRICS, fitted = was_fitted(c, s, x);
    if (fitted && clusters_of(t, x->fabric) > 1) {
      fit(c->arena, t, i, UINT32_MAX, of, there);
      scores one = score_cluster(c, t, i, &of[x->fabric], true);
      add(&seen, x->name, &one);
    }
    if (fitted) {
      fit(c->arena, t, UINT32_MAX, x->fabric, of, there);
      mean = mean_without(of, there, x->fabric);
    } else {
      mean = mean_without(s->of, s->there, known ? x->fabric : UINT32_MAX);
    }
    scores one = score_cluster(c, t, i, &mean, true);
    add(&unseen, x->name, &one);
    sweeps_of(c, t, i, &mean, &own);
    fflush(stdout);
  }
  finish_way(result, &seen);
  finish_way(result, &unseen);
  finish_way(result, &own.sizes);
  finish_way(result, &own.counts);
}

bool acc_between(const acc_context *c)
{
  btw_table t;
  shipped s;
  if (!btw_read(c, &t))
    return false;
  read_shipped(c, &s);
  other_rows(c, c->result, &t, &s);
  left_out(c, c->result, &t, &s);
  c->result->parts.at[0]->drawn = true;
  return true;
}
