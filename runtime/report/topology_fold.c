#include "runtime/report/topology_fold.h"

#include <string.h>

#include "base/format.h"
#include "ir/names.h"
#include "runtime/collective/graph.h"
#include "runtime/report/runs.h"

/* ---- Texts ---- */

const char *ts_array_shape(ts_arena *arena, const ts_ir *ir, const ts_ir_array *a)
{
  char text[80];
  int used = 0;
  text[0] = 0;
  for (uint32_t d = 0; d < a->dims; d++)
    used += snprintf(text + used, sizeof text - (size_t)used, "%s%u", d ? ", " : "[", a->dim[d]);
  return ts_arena_printf(arena, "%s%s%s", ir->strings + a->name, text, a->dims ? "]" : "");
}

const char *ts_rate_text(ts_arena *arena, double rate)
{
  return rate >= 1e15 ? ts_arena_printf(arena, "%.4g PB/s", rate * 1e-15) :
         rate >= 1e12 ? ts_arena_printf(arena, "%.4g TB/s", rate * 1e-12) :
         rate >= 1e9  ? ts_arena_printf(arena, "%.4g GB/s", rate * 1e-9) :
                        ts_arena_printf(arena, "%.4g MB/s", rate * 1e-6);
}

const char *ts_link_text(ts_arena *arena, const ts_ir *ir, uint32_t link)
{
  return ts_arena_printf(arena, "%s - %s", ts_report_vertex(arena, ir, ir->links[link].from),
                         ts_report_vertex(arena, ir, ir->links[link].to));
}

/* ---- Islands and parts ---- */

enum { FEW = 10 }; /* one of so many is an exception */

typedef struct folder {
  ts_arena *arena, *scratch;
  ts_cluster_fold *f;
  uint32_t *island;          /* [vertices] its lowest vertex; TS_IR_NONE: in none */
  uint32_t *kind_of;         /* [vertices] of the island with this lowest vertex */
  uint32_t *first, *members; /* of islands, then of parts: [count + 1], [vertices] */
} folder;

/* Members of each owner, in their order: first[o]..first[o + 1]. */
static void list_members(folder *c, const uint32_t *owner, uint32_t owners)
{
  uint32_t vertices = c->f->ir->devices_count;
  c->first = TS_NEW_ARRAY(c->scratch, uint32_t, (size_t)owners + 2);
  c->members = TS_NEW_ARRAY(c->scratch, uint32_t, vertices);
  for (uint32_t v = 0; v < vertices; v++)
    if (owner[v] != TS_IR_NONE)
      c->first[owner[v] + 2]++;
  for (uint32_t o = 0; o < owners; o++)
    c->first[o + 2] += c->first[o + 1];
  for (uint32_t v = 0; v < vertices; v++)
    if (owner[v] != TS_IR_NONE)
      c->members[c->first[owner[v] + 1]++] = v;
}

/* The kind of an island is how many it has of each array and class. */
static uint32_t kind_number(folder *c, ts_tuples *kinds, uint32_t island)
{
  const ts_ir *ir = c->f->ir;
  TS_VEC(int64_t) counts = {0};
  for (uint32_t i = c->first[island]; i < c->first[island + 1]; i++) {
    const ts_ir_device *d = &ir->devices[c->members[i]];
    size_t n = counts.count;
    if (n && counts.at[n - 3] == d->array && counts.at[n - 2] == d->device_class) {
      counts.at[n - 1]++;
      continue;
    }
    TS_PUSH(c->scratch, &counts, d->array);
    TS_PUSH(c->scratch, &counts, d->device_class);
    TS_PUSH(c->scratch, &counts, 1);
  }
  return ts_tuples_number(c->scratch, kinds, counts.at, counts.count);
}

static void find_kinds(folder *c)
{
  const ts_ir *ir = c->f->ir;
  uint32_t vertices = ir->devices_count;
  ts_link_graph *graph = ts_graph_new(c->scratch, ir);
  ts_tuples kinds = {0};
  c->island = TS_NEW_ARRAY(c->scratch, uint32_t, vertices);
  c->kind_of = TS_NEW_ARRAY(c->scratch, uint32_t, vertices);
  for (uint32_t v = 0; v < vertices; v++)
    c->island[v] = ts_graph_island(graph, v);
  list_members(c, c->island, vertices);
  c->f->kinds = TS_NEW_ARRAY(c->arena, ts_island_kind, vertices);
  for (uint32_t v = 0; v < vertices; v++) {
    c->kind_of[v] = TS_IR_NONE;
    if (c->first[v + 1] - c->first[v] < 2)
      continue;
    uint32_t kind = kind_number(c, &kinds, v);
    c->kind_of[v] = kind;
    if (!c->f->kinds[kind].count++)
      c->f->kinds[kind].shown = v;
  }
  c->f->kind_count = (uint32_t)kinds.all.count;
  for (uint32_t v = 0; v < vertices; v++)
    if (c->kind_of[c->island[v]] == TS_IR_NONE)
      c->island[v] = TS_IR_NONE;
}

static void find_parts(folder *c)
{
  ts_cluster_fold *f = c->f;
  const ts_ir *ir = f->ir;
  ts_tuples numbers = {0};
  TS_VEC(ts_part) parts = {0};
  f->part_of = TS_NEW_ARRAY(c->arena, uint32_t, ir->devices_count);
  for (uint32_t v = 0; v < ir->devices_count; v++) {
    const ts_ir_device *d = &ir->devices[v];
    uint32_t kind = c->island[v] == TS_IR_NONE ? TS_IR_NONE : c->kind_of[c->island[v]];
    int64_t key[] = {d->array, d->device_class, kind};
    uint32_t part = ts_tuples_number(c->scratch, &numbers, key, 3);
    if (part == parts.count)
      TS_PUSH(c->arena, &parts,
              ((ts_part){.array = d->array, .device_class = d->device_class, .kind = kind}));
    parts.at[part].count++;
    f->part_of[v] = part;
  }
  f->parts = TS_ITEMS(c->arena, &parts);
  f->part_count = (uint32_t)parts.count;
}

static void find_speeds(folder *c)
{
  const ts_ir *ir = c->f->ir;
  double *most = TS_NEW_ARRAY(c->scratch, double, c->f->part_count + 1);
  for (uint32_t v = 0; v < ir->devices_count; v++) {
    double speed = ir->devices[v].speed, *highest = &most[c->f->part_of[v]];
    *highest = speed > *highest ? speed : *highest;
  }
  for (uint32_t v = 0; v < ir->devices_count; v++) {
    ts_part *p = &c->f->parts[c->f->part_of[v]];
    double speed = ir->devices[v].speed;
    if (!ts_part_is_device(p) || speed >= most[c->f->part_of[v]])
      continue;
    p->speed = !p->slower || speed < p->speed ? speed : p->speed;
    p->slower++;
  }
}

/* ---- Levels ---- */

static bool in_row_zero(const ts_cluster_fold *f, uint32_t part, bool inside)
{
  const ts_part *p = &f->parts[part];
  return inside ? ts_part_is_device(p) : p->kind != TS_IR_NONE || ts_part_is_device(p);
}

/* Breadth first: inside islands from the devices, outside of them from the islands. Reads bundles
 * whose ends are not ordered yet. */
static void find_levels(folder *c, bool inside)
{
  ts_cluster_fold *f = c->f;
  uint32_t *level = TS_NEW_ARRAY(c->scratch, uint32_t, f->part_count + 1);
  for (uint32_t p = 0; p < f->part_count; p++)
    level[p] = in_row_zero(f, p, inside) ? 0 : UINT32_MAX;
  bool more = true;
  for (uint32_t at = 0; more; at++) {
    more = false;
    for (uint32_t b = 0; b < f->bundle_count; b++) {
      uint32_t ends[] = {f->bundles[b].from, f->bundles[b].to};
      for (int k = 0; k < 2; k++) {
        bool here = !inside || f->parts[ends[0]].kind == f->parts[ends[1]].kind;
        if (here && level[ends[k]] == at && level[ends[1 - k]] == UINT32_MAX) {
          level[ends[1 - k]] = at + 1;
          more = true;
        }
      }
    }
  }
  for (uint32_t p = 0; p < f->part_count; p++)
    if ((f->parts[p].kind != TS_IR_NONE) == inside)
      f->parts[p].level = level[p] == UINT32_MAX ? 1 : level[p];
}

/* Outside of islands is above them. */
static uint64_t height_of(const ts_part *p)
{
  return p->level + (p->kind == TS_IR_NONE ? UINT32_MAX : UINT64_C(0));
}

static void order_ends(ts_cluster_fold *f)
{
  for (uint32_t b = 0; b < f->bundle_count; b++) {
    ts_bundle *x = &f->bundles[b];
    if (height_of(&f->parts[x->from]) <= height_of(&f->parts[x->to]))
      continue;
    uint32_t to = x->to;
    x->to = x->from;
    x->from = to;
  }
}

/* ---- Bundles ---- */

static void take_link(folder *c, ts_bundle *b, uint32_t link)
{
  const ts_ir_link *l = &c->f->ir->links[link];
  const ts_ir_link_class *class = &c->f->ir->link_classes[l->link_class];
  if (!b->count++) {
    b->low = b->high = class->bandwidth;
    b->latency = b->latency_high = class->latency;
    b->slowest = link;
  }
  if (class->bandwidth < b->low) {
    b->low = class->bandwidth;
    b->slowest = link;
  }
  b->high = class->bandwidth > b->high ? class->bandwidth : b->high;
  b->latency = class->latency < b->latency ? class->latency : b->latency;
  b->latency_high = class->latency > b->latency_high ? class->latency : b->latency_high;
  b->one_way |= !l->duplex;
  for (uint32_t way = 0; c->f->use && way < 1 + l->duplex; way++) {
    double use = c->f->use[2 * link + way];
    b->use += use;
    if (use > b->most_use) {
      b->most_use = use;
      b->busiest = 2 * link + way;
    }
  }
}

/* The rate of most links, and how many have less. */
static void find_rates(folder *c)
{
  ts_cluster_fold *f = c->f;
  ts_tuples rates = {0};
  uint32_t *count = TS_NEW_ARRAY(c->scratch, uint32_t, (size_t)f->ir->links_count + 1),
           *most = TS_NEW_ARRAY(c->scratch, uint32_t, (size_t)f->bundle_count + 1);
  for (uint32_t l = 0; l < f->ir->links_count; l++) {
    double rate = f->ir->link_classes[f->ir->links[l].link_class].bandwidth;
    int64_t key[2] = {f->bundle_of[l], 0};
    memcpy(&key[1], &rate, sizeof rate);
    uint32_t n = ++count[ts_tuples_number(c->scratch, &rates, key, 2)];
    ts_bundle *b = &f->bundles[f->bundle_of[l]];
    if (n > most[f->bundle_of[l]] || (n == most[f->bundle_of[l]] && rate > b->rate)) {
      most[f->bundle_of[l]] = n;
      b->rate = rate;
    }
  }
  for (uint32_t l = 0; l < f->ir->links_count; l++) {
    ts_bundle *b = &f->bundles[f->bundle_of[l]];
    b->slower += f->ir->link_classes[f->ir->links[l].link_class].bandwidth < b->rate;
  }
  for (uint32_t i = 0; i < f->bundle_count; i++) {
    ts_bundle *b = &f->bundles[i];
    b->unequal = b->slower && b->slower * FEW <= b->count;
  }
}

static void find_bundles(folder *c)
{
  ts_cluster_fold *f = c->f;
  ts_tuples numbers = {0};
  TS_VEC(ts_bundle) bundles = {0};
  f->bundle_of = TS_NEW_ARRAY(c->arena, uint32_t, f->ir->links_count);
  for (uint32_t l = 0; l < f->ir->links_count; l++) {
    const ts_ir_link *link = &f->ir->links[l];
    const ts_ir_link_class *class = &f->ir->link_classes[link->link_class];
    uint32_t a = f->part_of[link->from], b = f->part_of[link->to];
    int64_t key[] = {a < b ? a : b, a < b ? b : a, class->tier, class->ports};
    uint32_t n = ts_tuples_number(c->scratch, &numbers, key, 4);
    if (n == bundles.count)
      TS_PUSH(c->arena, &bundles,
              ((ts_bundle){.from = a, .to = b, .tier = class->tier, .ports = class->ports}));
    take_link(c, &bundles.at[n], l);
    f->bundle_of[l] = n;
  }
  f->bundles = TS_ITEMS(c->arena, &bundles);
  f->bundle_count = (uint32_t)bundles.count;
  for (uint32_t b = 0; b < f->bundle_count; b++)
    f->bundles[b].use /= (f->bundles[b].one_way ? 1 : 2) * (double)f->bundles[b].count;
  find_rates(c);
}

/* Members of a part that have fewer links of a bundle than most: a failed link is simply not there.
 * Where many have fewer, as at the border of a mesh, that is how the cluster is. */
static void find_fewer(folder *c, ts_bundle *b, uint32_t part, const uint32_t *degree)
{
  uint32_t usual = 0, votes = 0, fewer = 0, one = 0, count = c->first[part + 1] - c->first[part];
  const uint32_t *members = c->members + c->first[part];
  for (uint32_t i = 0; i < count; i++) { /* the majority's (Boyer and Moore, 1981) */
    usual = votes ? usual : degree[members[i]];
    votes += degree[members[i]] == usual ? 1 : UINT32_MAX;
  }
  for (uint32_t i = 0; i < count; i++)
    if (degree[members[i]] < usual) {
      one = fewer ? one : members[i];
      fewer++;
    }
  if (!fewer || fewer * FEW > count)
    return;
  b->fewer_vertex = one;
  b->fewer = fewer;
}

static void find_missing(folder *c)
{
  ts_cluster_fold *f = c->f;
  uint32_t links = f->ir->links_count,
           *degree = TS_NEW_ARRAY(c->scratch, uint32_t, f->ir->devices_count),
           *first = TS_NEW_ARRAY(c->scratch, uint32_t, (size_t)f->bundle_count + 2),
           *of = TS_NEW_ARRAY(c->scratch, uint32_t, links);
  for (uint32_t l = 0; l < links; l++)
    first[f->bundle_of[l] + 2]++;
  for (uint32_t b = 0; b < f->bundle_count; b++)
    first[b + 2] += first[b + 1];
  for (uint32_t l = 0; l < links; l++)
    of[first[f->bundle_of[l] + 1]++] = l;
  for (uint32_t b = 0; b < f->bundle_count; b++) {
    ts_bundle *x = &f->bundles[b];
    for (int step = 1; step >= 0; step--) {
      for (uint32_t i = first[b]; i < first[b + 1]; i++) {
        const ts_ir_link *l = &f->ir->links[of[i]];
        degree[l->from] = step ? degree[l->from] + 1 : 0;
        degree[l->to] = step ? degree[l->to] + 1 : 0;
      }
      if (step) {
        find_fewer(c, x, x->from, degree);
        if (!x->fewer) /* else the other end lacks the same links */
          find_fewer(c, x, x->to, degree);
      }
    }
  }
}

/* What a switch gets from below for what it can send up: its oversubscription. */
static void find_narrowing(folder *c)
{
  ts_cluster_fold *f = c->f;
  double *down = TS_NEW_ARRAY(c->scratch, double, f->part_count + 1),
         *up = TS_NEW_ARRAY(c->scratch, double, f->part_count + 1);
  for (uint32_t b = 0; b < f->bundle_count; b++) {
    const ts_bundle *x = &f->bundles[b];
    if (height_of(&f->parts[x->from]) == height_of(&f->parts[x->to]))
      continue;
    double rate = x->count * x->rate * (x->ports ? x->ports : 1);
    up[x->from] += rate;
    down[x->to] += rate;
  }
  for (uint32_t p = 0; p < f->part_count; p++)
    if (!ts_part_is_device(&f->parts[p]) && up[p] > 0 && down[p] > 1.001 * up[p])
      f->parts[p].narrowing = down[p] / up[p];
}

/* ---- What is shown ---- */

/* Of each kind the island with most links that are slower, else with the busiest one. */
static void choose_islands(folder *c)
{
  ts_cluster_fold *f = c->f;
  double *worth = TS_NEW_ARRAY(c->scratch, double, f->ir->devices_count + 1);
  for (uint32_t l = 0; l < f->ir->links_count; l++) {
    const ts_ir_link *link = &f->ir->links[l];
    const double *ways = f->use ? &f->use[2 * (size_t)l] : NULL;
    double rate = f->ir->link_classes[link->link_class].bandwidth, use = !ways ? 0 :
                                                                         ways[0] > ways[1] ?
                                                                                 ways[0] :
                                                                                 ways[1];
    bool slower = rate < f->bundles[f->bundle_of[l]].rate;
    uint32_t ends[] = {link->from, link->to};
    for (int k = 0; k < 2; k++)
      if (c->island[ends[k]] != TS_IR_NONE) {
        double *w = &worth[c->island[ends[k]]], min = slower ? *w + 1000 : use;
        *w = min > *w ? min : *w;
      }
  }
  for (uint32_t v = 0; v < f->ir->devices_count; v++) {
    uint32_t kind = c->kind_of[v];
    if (kind != TS_IR_NONE && worth[v] > worth[f->kinds[kind].shown] + 1e-9)
      f->kinds[kind].shown = v;
  }
}

static void list_shown(folder *c)
{
  ts_cluster_fold *f = c->f;
  for (uint32_t p = 0; p < f->part_count; p++) {
    ts_part *part = &f->parts[p];
    TS_VEC(uint32_t) shown = {0};
    for (uint32_t i = c->first[p]; i < c->first[p + 1]; i++)
      if (part->kind == TS_IR_NONE || c->island[c->members[i]] == f->kinds[part->kind].shown)
        TS_PUSH(c->arena, &shown, c->members[i]);
    part->shown = TS_ITEMS(c->arena, &shown);
    part->shown_count = (uint32_t)shown.count;
  }
}

/* How parts stand: see the fields. */
static void find_places(ts_cluster_fold *f)
{
  enum { MANY = 24 };
  for (uint32_t p = 0; p < f->part_count; p++) {
    const ts_part *x = &f->parts[p];
    uint32_t *top = x->kind == TS_IR_NONE ? &f->top : &f->kinds[x->kind].top;
    *top = x->level > *top ? x->level : *top;
  }
  for (uint32_t k = 0; k < f->kind_count; k++)
    f->kinds[k].turned = f->top > 0;
  for (uint32_t b = 0; b < f->bundle_count; b++) {
    ts_bundle *x = &f->bundles[b];
    const ts_part *from = &f->parts[x->from], *to = &f->parts[x->to];
    f->parts[x->from].own_links |= x->from == x->to;
    x->pairing = x->from != x->to && x->count == from->count && x->count == to->count &&
                 from->shown_count > MANY;
    if (from->kind == to->kind)
      continue;
    if (from->kind != TS_IR_NONE && from->level > 0)
      f->kinds[from->kind].turned = false;
    if (to->kind != TS_IR_NONE && to->level > 0)
      f->kinds[to->kind].turned = false;
  }
  for (uint32_t b = 0; b < f->bundle_count; b++) {
    const ts_part *from = &f->parts[f->bundles[b].from];
    f->bundles[b].rises = from->kind != TS_IR_NONE &&
                          from->kind != f->parts[f->bundles[b].to].kind &&
                          !f->kinds[from->kind].turned && from->level < f->kinds[from->kind].top;
  }
}

uint32_t ts_bundle_each(const ts_cluster_fold *f, const ts_bundle *b)
{
  uint32_t kind = f->parts[b->from].kind, other = f->parts[b->to].kind;
  bool one = kind != TS_IR_NONE && (other == kind || other == TS_IR_NONE);
  uint32_t islands = one ? f->kinds[kind].count : 1;
  return b->fewer           ? (b->count + islands - 1) / islands :
         b->count % islands ? b->count :
                              b->count / islands;
}

const ts_cluster_fold *ts_cluster_fold_new(ts_arena *arena, const ts_ir *ir,
                                           const ts_link_loads *loads)
{
  folder c = {.arena = arena, .scratch = ts_arena_new("fold"), .f = TS_NEW(arena, ts_cluster_fold)};
  *c.f = (ts_cluster_fold){
    .ir = ir, .use = loads ? loads->share : NULL, .assumed = loads ? loads->assumed : 0,
    .bisection = ts_bisection_of(ir)};
  find_kinds(&c);
  find_parts(&c);
  find_speeds(&c);
  find_bundles(&c);
  find_levels(&c, true);
  find_levels(&c, false);
  order_ends(c.f);
  list_members(&c, c.f->part_of, c.f->part_count);
  find_missing(&c);
  find_narrowing(&c);
  choose_islands(&c);
  list_shown(&c);
  find_places(c.f);
  ts_arena_free(c.scratch);
  return c.f;
}

/* ---- What parts and bundles are, in words ---- */

const char *ts_part_text(ts_arena *arena, const ts_cluster_fold *f, uint32_t part)
{
  const ts_part *x = &f->parts[part];
  const ts_ir_array *a = &f->ir->arrays[x->array];
  const char *text = ts_arena_printf(
    arena, "%s: %s %s%s%s", ts_array_shape(arena, f->ir, a), ts_format_count(x->count).text,
    ts_part_is_device(x) ? x->count == 1 ? "device" : "devices" :
    x->count == 1        ? "switch" :
                           "switches",
    ts_part_is_device(x) ? " of " : "",
    ts_part_is_device(x) ? f->ir->strings + f->ir->device_classes[x->device_class].name : "");
  if (x->kind != TS_IR_NONE && f->kinds[x->kind].count > 1)
    text = ts_arena_printf(arena, "%s, %s in each of %s islands", text,
                           ts_format_count(x->shown_count).text,
                           ts_format_count(f->kinds[x->kind].count).text);
  if (x->slower)
    text = ts_arena_printf(arena, "%s; %s slower than the others, the slowest by a factor of %.4g",
                           text, ts_format_count(x->slower).text, x->speed);
  if (x->narrowing > 0)
    text = ts_arena_printf(arena, "%s; links from below carry %.4g times what those upwards do",
                           text, x->narrowing);
  return text;
}

const char *ts_bundle_text(ts_arena *arena, const ts_cluster_fold *f, uint32_t bundle)
{
  const ts_bundle *b = &f->bundles[bundle];
  const char *from = f->ir->strings + f->ir->arrays[f->parts[b->from].array].name,
             *to = f->ir->strings + f->ir->arrays[f->parts[b->to].array].name;
  const char *text = ts_arena_printf(
    arena, "%s - %s: %s link%s of %s%s, %s%s%s, tier %u", from, to, ts_format_count(b->count).text,
    b->count == 1 ? "" : "s", ts_rate_text(arena, b->rate), b->one_way ? " one way" : " each way",
    ts_format_time(b->latency).text, b->latency_high > b->latency ? " to " : "",
    b->latency_high > b->latency ? ts_format_time(b->latency_high).text : "", b->tier);
  if (b->ports)
    text = ts_arena_printf(arena, "%s, circuits: %u an end", text, b->ports);
  if (b->slower)
    text = ts_arena_printf(arena, "%s; %s slower, the slowest %s with %s", text,
                           ts_format_count(b->slower).text, ts_link_text(arena, f->ir, b->slowest),
                           ts_rate_text(arena, b->low));
  if (b->high > b->rate)
    text = ts_arena_printf(arena, "%s; the fastest with %s", text, ts_rate_text(arena, b->high));
  if (b->fewer)
    text = ts_arena_printf(arena, "%s; %s with fewer links than the others, such as %s", text,
                           ts_format_count(b->fewer).text,
                           ts_report_vertex(arena, f->ir, b->fewer_vertex));
  if (f->use && b->most_use > 0) {
    const ts_ir_link *l = &f->ir->links[b->busiest / 2];
    bool back = b->busiest % 2;
    text = ts_arena_printf(
      arena, "%s; used %s in the mean, the busiest is %s to %s with %s", text,
      ts_format_share(b->use).text, ts_report_vertex(arena, f->ir, back ? l->to : l->from),
      ts_report_vertex(arena, f->ir, back ? l->from : l->to), ts_format_share(b->most_use).text);
  }
  return text;
}
