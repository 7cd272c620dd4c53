/* First half of the verifier: every index, range, size and number on its own. It must hold for any
 * bytes at all, in time linear in their number: what runs share is checked once. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/heap.h"
#include "base/text.h"
#include "ir/layout.h"
#include "ir/packets.h"
#include "ir/verify_runs.h"

/* Bounds that no machine comes near (more: ir/records.def). */
static const uint32_t world_limit = 1u << 24, vertex_limit = 1u << 25;
static const uint64_t time_limit = TS_IR_TIME_MOST, bytes_limit = TS_IR_BYTES_MOST;
static const double speed_least = 1e-6, speed_most = 1e6;

typedef struct check {
  const ts_ir *ir;
  ts_error *error;
  ts_ir_runs_seen seen[TS_IR_SECTION_KINDS]; /* of tables that others own runs of */
  uint32_t *latest;               /* of a run of dependencies, by its first */
} check;

static const char *text(const check *c, ts_ir_str s) { return c->ir->strings + s; }

static bool amount(double x) { return isfinite(x) && !signbit(x); }

static int check_strings(check *c)
{
  const char *s = c->ir->strings;
  uint32_t size = c->ir->strings_count;
  if (!size || s[0] || s[size - 1])
    return ts_ir_fail(c->error, "the strings do not begin with the empty one or do not end");
  size_t valid = ts_utf8_valid(s, size);
  if (valid < size)
    return ts_ir_fail(c->error, "the strings are not UTF-8 at offset %zu", valid);
  return 0;
}

static int check_refs(check *c) { return ts_ir_verify_refs(c->ir, c->error); }

static int check_fields(check *c) { return ts_ir_verify_fields(c->ir, c->error); }

static int check_mesh(check *c)
{
  const ts_ir *ir = c->ir;
  uint64_t world = 1;
  if (ir->axes_count > 32)
    return ts_ir_fail(c->error, "%u axes; a group can name 32", ir->axes_count);
  for (uint32_t i = 0; i < ir->axes_count; i++) {
    const ts_ir_axis *a = &ir->axes[i];
    if (!a->size || a->stride != world || a->reserved)
      return ts_ir_fail(c->error,
                        "axis `%s`: size %u and stride %u, after %llu ranks of the axes before it",
                        text(c, a->name), a->size, a->stride, (unsigned long long)world);
    world *= a->size;
    if (world > world_limit)
      return ts_ir_fail(c->error, "the axes span more than %u ranks", world_limit);
    for (uint32_t k = 0; k < i; k++)
      if (!strcmp(text(c, a->name), text(c, ir->axes[k].name)))
        return ts_ir_fail(c->error, "two axes are named `%s`", text(c, a->name));
  }
  if (world != ir->meta->world)
    return ts_ir_fail(c->error, "the axes span %llu ranks, the job has %u",
                      (unsigned long long)world, ir->meta->world);
  return 0;
}

static int check_meta(check *c)
{
  const ts_ir_meta *m = c->ir->meta;
  if (*text(c, m->release) && !*text(c, m->framework))
    return ts_ir_fail(c->error, "a release of no framework: `%s`", text(c, m->release));
  return 0;
}

static int check_validations(check *c)
{
  const ts_ir_validation *v = c->ir->validations;
  for (uint32_t i = 0; i < c->ir->validations_count; i++)
    for (uint32_t k = 0; k < i; k++)
      if (v[k].quantity == v[i].quantity)
        return ts_ir_fail(c->error, "validations %u and %u are of the same quantity", k, i);
  return 0;
}

/* Warnings begin with their own record; what is assumed stands by itself. */
static int check_remarks(check *c)
{
  for (uint32_t i = 0; i < c->ir->remarks_count; i++) {
    const ts_ir_remark *r = &c->ir->remarks[i];
    bool warning = r->kind == TS_IR_REMARK_WARNING, named = warning || r->kind == TS_IR_REMARK_FACT;
    bool alone = warning || r->kind == TS_IR_REMARK_ASSUMED,
         behind = i && r[-1].kind != TS_IR_REMARK_ASSUMED;
    if (r->kind >= TS_IR_REMARK_KINDS || (!alone && !behind))
      return ts_ir_fail(c->error, "remark %u: kind %u, which is not allowed there", i, r->kind);
    if (named != (*text(c, r->name) != 0) || !*text(c, r->text) ||
        (!warning && (*text(c, r->here) || r->more)))
      return ts_ir_fail(c->error,
                        "remark %u lacks its name or its text, or has fields of a warning", i);
  }
  return 0;
}

static int check_array(check *c, const ts_ir_array *a, uint64_t first)
{
  uint64_t product = 1;
  if (a->kind > TS_IR_SWITCH || a->dims > 4)
    return ts_ir_fail(c->error, "array `%s`: kind %u with %u dimensions", text(c, a->name), a->kind,
                      a->dims);
  for (uint32_t d = 0; d < 4; d++) {
    if (d < a->dims ? !a->dim[d] : a->dim[d] != 0)
      return ts_ir_fail(c->error, "array `%s`: dimension %u is %u", text(c, a->name), d, a->dim[d]);
    product *= d < a->dims ? a->dim[d] : 1;
    if (product > TS_IR_NONE)
      return ts_ir_fail(c->error, "array `%s` has too many vertices", text(c, a->name));
  }
  if (a->first != first || a->count != product)
    return ts_ir_fail(c->error, "array `%s` should hold vertices %llu to %llu", text(c, a->name),
                      (unsigned long long)first, (unsigned long long)(first + product));
  return 0;
}

static int check_devices(check *c)
{
  const ts_ir *ir = c->ir;
  uint64_t first = 0, devices = 0;
  for (uint32_t i = 0; i < ir->arrays_count; i++) {
    const ts_ir_array *a = &ir->arrays[i];
    if (check_array(c, a, first))
      return -1;
    first += a->count;
    devices += a->kind == TS_IR_DEVICE ? a->count : 0;
    if (first > ir->devices_count)
      break;
    for (uint32_t v = a->first; v < first; v++) {
      const ts_ir_device *d = &ir->devices[v];
      if (d->array != i || (d->device_class == TS_IR_NONE) != (a->kind == TS_IR_SWITCH))
        return ts_ir_fail(
          c->error, "vertex %u of array `%s` names another array or a class that does not suit it",
          v - a->first, text(c, a->name));
      if (!(d->speed >= speed_least && d->speed <= speed_most))
        return ts_ir_fail(c->error, "vertex %u of array `%s`: speed %g", v - a->first,
                          text(c, a->name), d->speed);
    }
  }
  if (first != ir->devices_count)
    return ts_ir_fail(c->error, "the arrays hold %s than the %u vertices of the cluster",
                      first < ir->devices_count ? "less" : "more", ir->devices_count);
  if (ir->devices_count && !ir->placement_count && devices < ir->meta->world)
    return ts_ir_fail(c->error, "%u ranks on %llu devices", ir->meta->world,
                      (unsigned long long)devices);
  return 0;
}

static int check_placement(check *c)
{
  const ts_ir *ir = c->ir;
  if (!ir->placement_count)
    return 0;
  if (ir->placement_count != ir->meta->world)
    return ts_ir_fail(c->error, "%u ranks are placed, the job has %u", ir->placement_count,
                      ir->meta->world);
  uint8_t *taken = ts_heap_new(ir->devices_count / 8 + 1, 1);
  uint32_t rank = 0;
  for (; rank < ir->placement_count; rank++) {
    uint32_t v = ir->placement[rank];
    if (v >= ir->devices_count || ir->devices[v].device_class == TS_IR_NONE ||
        taken[v / 8] & (1 << v % 8))
      break;
    taken[v / 8] |= (uint8_t)(1 << v % 8);
  }
  free(taken);
  if (rank < ir->placement_count)
    return ts_ir_fail(c->error, "rank %u is placed on vertex %u, which is not a device or is taken",
                      rank, ir->placement[rank]);
  return 0;
}

/* ---- runs ---- */

static bool has_owners(uint32_t kind)
{
  bool has = kind == TS_IR_BINDINGS;
  for (uint32_t r = 0; r < ts_ir_run_count; r++)
    has |= ts_ir_runs[r].table == kind;
  return has;
}

static void runs_begin(check *c)
{
  for (uint32_t kind = TS_IR_STRINGS; kind < TS_IR_SECTION_KINDS; kind++) {
    if (has_owners(kind))
      c->seen[kind] = ts_ir_runs_new(ts_ir_count(c->ir, kind));
  }
  c->latest = ts_heap_new((size_t)c->ir->deps_count + 1, sizeof(uint32_t));
}

static void runs_end(check *c)
{
  for (uint32_t kind = TS_IR_STRINGS; kind < TS_IR_SECTION_KINDS; kind++)
    ts_ir_runs_free(&c->seen[kind]);
  free(c->latest);
}

static ts_runs_verdict runs_add(check *c, uint32_t kind, uint32_t first, uint32_t count)
{
  return ts_ir_runs_add(&c->seen[kind], first, count);
}

/* Every record must be in some run: those in none are checked by nobody, and yet are met by whoever
 * goes through a table. */
static int check_owned(check *c, uint32_t kind)
{
  uint32_t gap = ts_ir_runs_gap(&c->seen[kind]);
  if (gap != TS_IR_NONE)
    return ts_ir_fail(c->error, "record %u of table %s belongs to nothing", gap,
                      ts_ir_tables[kind].name);
  return 0;
}

/* From the last: owners are named before what they own. */
static int check_owners(check *c)
{
  for (uint32_t r = ts_ir_run_count; r-- > 0;)
    if (check_owned(c, ts_ir_runs[r].table))
      return -1;
  return check_owned(c, TS_IR_BINDINGS);
}

static int compare_points(const ts_ir_net_point *a, const ts_ir_net_point *b)
{
  uint64_t left[] = {a->collective, a->ranks, a->islands, a->bytes},
           right[] = {b->collective, b->ranks, b->islands, b->bytes};
  for (int i = 0; i < 4; i++)
    if (left[i] != right[i])
      return left[i] < right[i] ? -1 : 1;
  return 0;
}

/* Of the points, methods or curves of a model. */
static int check_block(const check *c, const ts_ir_net_model *m, uint32_t form, uint32_t first,
                       uint32_t count)
{
  char owner[sizeof c->error->message];
  snprintf(owner, sizeof owner, "net model `%s`: ", text(c, m->name));
  return ts_ir_verify_records(c->ir, form, first, count, owner, c->error);
}

static int check_points(check *c, const ts_ir_net_model *m)
{
  const ts_ir_net_point *p = c->ir->net_points + m->first_point;
  if (check_block(c, m, TS_IR_FORM_point, m->first_point, m->point_count))
    return -1;
  for (uint32_t i = 1; i < m->point_count; i++)
    if (compare_points(&p[i - 1], &p[i]) >= 0)
      return ts_ir_fail(c->error, "net model `%s`: point %u is not in order or there twice",
                        text(c, m->name), i);
  return 0;
}

static int check_curves(check *c, const ts_ir_net_model *m)
{
  int run = runs_add(c, TS_IR_NET_CURVES, m->first_curve, m->curve_count);
  if ((m->kind == TS_IR_NET_STATISTICAL) != (m->curve_count > 0) || run == TS_RUNS_BAD)
    return ts_ir_fail(c->error, "net model `%s`: a statistical model has curves, others none",
                      text(c, m->name));
  return run != TS_RUNS_NEW ? 0 :
           check_block(c, m, TS_IR_FORM_curve, m->first_curve, m->curve_count);
}

const char *ts_ir_net_model_wrong(const ts_ir_net_model *m)
{
  if (!(m->efficiency >= 1e-6 && m->efficiency <= 1))
    return "`efficiency` is above 0, 0.000001 at least, and at most 1";
  if (!amount(m->half_bytes) || m->half_bytes > (double)bytes_limit)
    return "`half_bytes` is out of range";
  if (m->base > time_limit || m->hop > time_limit)
    return "`base` and `hop` are 0 or more, and 13 days at most";
  return m->inter_hop > time_limit / world_limit ? "`inter_hop` is 0 or more, and 69 ms at most" :
                                                   NULL;
}

static bool connections_fit(const ts_ir_net_model *m)
{
  bool plays = m->kind == TS_IR_NET_FLOW || m->kind == TS_IR_NET_PACKET,
       steps = !ts_ir_net_has_block(m->kind);
  return (plays ? m->routing < TS_IR_ROUTINGS && m->channels <= 4096 && m->unrelayed <= 1 :
                  !m->routing && !m->channels && !m->unrelayed) &&
         (steps ? ts_ir_algorithm_of_links(m->algorithm, m->kind) : !m->inter_hop && !m->algorithm);
}

static bool links_fit(const ts_ir_net_model *m)
{
  static const ts_ir_net_links any;
  return ts_ir_net_has_block(m->kind) || !memcmp(&m->links, &any, sizeof any);
}

static int check_net_model(check *c, const ts_ir_net_model *m)
{
  const char *out = ts_ir_net_model_wrong(m), *name = text(c, m->name);
  if (out)
    return ts_ir_fail(c->error, "net model `%s`: %s", name, out);
  if ((uint64_t)m->axes >> c->ir->axes_count)
    return ts_ir_fail(c->error, "net model `%s`: axes 0x%x of a mesh of %u", name, m->axes,
                      c->ir->axes_count);
  if (!connections_fit(m))
    return ts_ir_fail(
      c->error, "net model `%s`: routing, channels, algorithm or step between islands out of range",
      name);
  const ts_ir_packet_field *wrong =
    m->kind == TS_IR_NET_PACKET ? ts_ir_packets_wrong(&m->packets) : NULL;
  if (wrong)
    return ts_ir_fail(c->error, "net model `%s`: `%s` of its packets is out of range", name,
                      wrong->clause.name);
  if (!links_fit(m))
    return ts_ir_fail(c->error, "net model `%s`: only a measured model applies to some links",
                      name);
  if (m->kind != TS_IR_NET_WHITE_BOX && (m->kind == TS_IR_NET_TABLE) != (m->point_count > 0))
    return ts_ir_fail(c->error, "net model `%s`: a table has points, alpha-beta none", name);
  if ((m->kind == TS_IR_NET_WHITE_BOX) != (m->method_count > 0))
    return ts_ir_fail(c->error, "net model `%s`: a white box has methods, others none", name);
  if (check_curves(c, m))
    return -1;
  int ways = runs_add(c, TS_IR_NET_METHODS, m->first_method, m->method_count);
  if (ways == TS_RUNS_BAD)
    return ts_ir_fail(c->error, "net model `%s`: its methods are not there", name);
  if (ways == TS_RUNS_NEW && check_block(c, m, TS_IR_FORM_method, m->first_method,
                                         m->method_count))
    return -1;
  int run = runs_add(c, TS_IR_NET_POINTS, m->first_point, m->point_count);
  if (run == TS_RUNS_BAD)
    return ts_ir_fail(c->error, "net model `%s`: its points are not there", name);
  return run == TS_RUNS_NEW ? check_points(c, m) : 0;
}

static int check_network(check *c)
{
  for (uint32_t i = 0; i < c->ir->net_models_count; i++)
    if (check_net_model(c, &c->ir->net_models[i]))
      return -1;
  return 0;
}

/* Within a million of what a source says, and sane as a covariance. */
static int check_calibrations(check *c)
{
  uint32_t count = c->ir->calibrations_count;
  if (count > TS_IR_MOST_CALIBRATED)
    return ts_ir_fail(c->error, "%u calibrated quantities; there are %u at most", count,
                      TS_IR_MOST_CALIBRATED);
  for (uint32_t i = 0; i < count; i++) {
    const ts_ir_calibration *k = &c->ir->calibrations[i];
    bool memory = k->kind == TS_IR_CALIBRATED_MEMORY,
         good = k->kind < TS_IR_CALIBRATED_KINDS && amount(k->prior) && isfinite(k->value) &&
                fabs(k->value) <= (memory ? (double)bytes_limit : speed_most) &&
                (memory || k->value >= speed_least) && amount(k->covariance[i]);
    for (uint32_t j = 0; j < TS_IR_MOST_CALIBRATED; j++)
      good &= j < count ? fabs(k->covariance[j]) <= 1e36 &&
                            k->covariance[j] == c->ir->calibrations[j].covariance[i] :
                          k->covariance[j] == 0 && !signbit(k->covariance[j]);
    if (!good)
      return ts_ir_fail(c->error,
                        "calibration %u (`%s`): kind, value, prior or covariance out of range", i,
                        text(c, k->name));
  }
  return 0;
}

static int check_streams(check *c)
{
  const ts_ir *ir = c->ir;
  if (ir->streams_count > 256 || (ir->nodes_count && !ir->streams_count))
    return ts_ir_fail(c->error, "%u streams for %u nodes; there are 1 to 256", ir->streams_count,
                      ir->nodes_count);
  for (uint32_t i = 0; i < ir->streams_count; i++)
    if (ir->streams[i].kind > TS_IR_STREAM_COPY ||
        ir->streams[i].unshared > (ir->streams[i].kind == TS_IR_STREAM_COMPUTE) ||
        (!i && ir->streams[i].kind != TS_IR_STREAM_COMPUTE))
      return ts_ir_fail(c->error, "stream %u (`%s`): kind %u%s", i, text(c, ir->streams[i].name),
                        ir->streams[i].kind, ir->streams[i].unshared ? ", unshared" : "");
  return 0;
}

/* Nodes and ports belong to one fragment alone. */
static bool owns(check *c, uint32_t kind, uint32_t first, uint32_t count)
{
  return !count || runs_add(c, kind, first, count) == TS_RUNS_NEW;
}

static int check_list(check *c, const ts_ir_group *g, uint8_t *seen)
{
  const char *name = text(c, g->name);
  const uint32_t *rank = c->ir->group_ranks + g->first_rank;
  if (!g->size != !g->rank_count || (g->size && (g->axes || g->rank_count % g->size)))
    return ts_ir_fail(c->error, "group `%s` lists %u ranks in instances of %u", name, g->rank_count,
                      g->size);
  if (!owns(c, TS_IR_GROUP_RANKS, g->first_rank, g->rank_count))
    return ts_ir_fail(c->error, "group `%s`: its ranks are not there or another's", name);
  for (uint32_t i = 0; i < g->rank_count; i++) {
    if (rank[i] >= c->ir->meta->world || seen[rank[i]])
      return ts_ir_fail(c->error, "group `%s`: rank %u is %s", name, rank[i],
                        rank[i] < c->ir->meta->world ? "listed twice" : "beyond the world");
    seen[rank[i]] = 1;
  }
  for (uint32_t i = 0; i < g->rank_count; i++)
    seen[rank[i]] = 0;
  return 0;
}

static int check_groups(check *c)
{
  const ts_ir *ir = c->ir;
  uint8_t *seen = ts_heap_new((size_t)ir->meta->world + 1, 1);
  int failed = 0;
  for (uint32_t i = 0; i < ir->groups_count && !failed; i++)
    if ((uint64_t)ir->groups[i].axes >> ir->axes_count)
      failed = ts_ir_fail(c->error, "group `%s` names an axis that is not there",
                          text(c, ir->groups[i].name));
    else
      failed = check_list(c, &ir->groups[i], seen);
  free(seen);
  return failed;
}

/* Number of things a node's argument can name. */
static uint32_t arg_limit(const check *c, const ts_ir_fragment *f, uint32_t op)
{
  switch (op) {
  case TS_IR_COMPUTE: return c->ir->kernels_count;
  case TS_IR_COLLECTIVE: return c->ir->collectives_count;
  case TS_IR_SEND:
  case TS_IR_RECV: return f->port_count;
  case TS_IR_RECORD: return UINT32_MAX; /* see check_choice */
  default: return 1;
  }
}

static int check_deps(check *c, const ts_ir_fragment *f, uint32_t i)
{
  const ts_ir_node *n = &c->ir->nodes[f->first_node + i];
  int run = runs_add(c, TS_IR_DEPS, n->first_dep, n->dep_count);
  if (run == TS_RUNS_BAD)
    return ts_ir_fail(c->error, "fragment `%s`, node %u: its dependencies are not there",
                      text(c, f->name), i);
  if (!n->dep_count)
    return 0;
  uint32_t *latest = &c->latest[n->first_dep];
  for (uint32_t d = 0; run == TS_RUNS_NEW && d < n->dep_count; d++)
    if (*latest < c->ir->deps[n->first_dep + d])
      *latest = c->ir->deps[n->first_dep + d];
  if (*latest >= i)
    return ts_ir_fail(c->error,
                      "fragment `%s`, node %u: it depends on node %u, which is not earlier",
                      text(c, f->name), i, *latest);
  return 0;
}

/* Of the dependencies that a record chooses among each is a node of a stream of its own, other than
 * the record's: what went before on one stream ends before. */
static int check_choice(check *c, const ts_ir_fragment *f, uint32_t i)
{
  const ts_ir_node *n = &c->ir->nodes[f->first_node + i];
  if (n->op != TS_IR_RECORD || !n->arg)
    return 0;
  if (n->arg > n->dep_count)
    return ts_ir_fail(c->error, "fragment `%s`, node %u: it waits for %u of %u dependencies",
                      text(c, f->name), i, n->arg, n->dep_count);
  uint64_t streams[4] = {0}; /* a set: streams are numbered in a byte */
  streams[n->stream / 64] |= UINT64_C(1) << n->stream % 64;
  for (uint32_t d = 0; d < n->dep_count; d++) {
    const ts_ir_node *before = &c->ir->nodes[f->first_node + c->ir->deps[n->first_dep + d]];
    uint64_t bit = UINT64_C(1) << before->stream % 64;
    if (before->op == TS_IR_HOST_WORK || before->op == TS_IR_HOST_SYNC ||
        (streams[before->stream / 64] & bit))
      return ts_ir_fail(c->error,
                        "fragment `%s`, node %u: the messages that it chooses from are not each on "
                        "a stream of their own",
                        text(c, f->name), i);
    streams[before->stream / 64] |= bit;
  }
  return 0;
}

static int check_node(check *c, const ts_ir_fragment *f, uint32_t i)
{
  const ts_ir *ir = c->ir;
  const ts_ir_node *n = &ir->nodes[f->first_node + i];
  const char *name = text(c, f->name);
  if (n->op >= TS_IR_OPS || n->phase >= TS_IR_PHASES || n->flags || n->host_ps > time_limit)
    return ts_ir_fail(c->error,
                      "fragment `%s`, node %u: operation, phase, flags or host time out of range",
                      name, i);
  bool host = n->op == TS_IR_HOST_WORK || n->op == TS_IR_HOST_SYNC;
  if (n->stream >= (host ? 1u : ir->streams_count))
    return ts_ir_fail(c->error, "fragment `%s`, node %u: stream %u of %u", name, i, n->stream,
                      ir->streams_count);
  uint32_t limit = arg_limit(c, f, n->op);
  if (n->arg >= limit)
    return ts_ir_fail(c->error, "fragment `%s`, node %u: it names number %u of %u", name, i, n->arg,
                      limit);
  if ((n->op == TS_IR_SEND || n->op == TS_IR_RECV) &&
      ir->ports[f->first_port + n->arg].is_send != (n->op == TS_IR_SEND))
    return ts_ir_fail(c->error, "fragment `%s`, node %u: port %u is of the other direction", name,
                      i, n->arg);
  if (runs_add(c, TS_IR_MEMS, n->first_mem, n->mem_count) == TS_RUNS_BAD)
    return ts_ir_fail(c->error, "fragment `%s`, node %u: its memory effects are not there", name,
                      i);
  return check_deps(c, f, i) || check_choice(c, f, i) ? -1 : 0;
}

/* Each port is used by one node, so that a played fragment sends or receives on it once. */
static int check_port_use(check *c, const ts_ir_fragment *f)
{
  uint8_t *used = ts_heap_new(f->port_count / 8 + 1, 1);
  uint32_t uses = 0, i = 0;
  for (; i < f->node_count; i++) {
    const ts_ir_node *n = &c->ir->nodes[f->first_node + i];
    if (n->op != TS_IR_SEND && n->op != TS_IR_RECV)
      continue;
    if (used[n->arg / 8] & (1 << n->arg % 8))
      break;
    used[n->arg / 8] |= (uint8_t)(1 << n->arg % 8);
    uses++;
  }
  free(used);
  if (i < f->node_count || uses < f->port_count)
    return ts_ir_fail(c->error, "fragment `%s`: a port is used %s", text(c, f->name),
                      i < f->node_count ? "twice" : "by no node");
  return 0;
}

static int check_fragments(check *c)
{
  for (uint32_t i = 0; i < c->ir->fragments_count; i++) {
    const ts_ir_fragment *f = &c->ir->fragments[i];
    if (!owns(c, TS_IR_PORTS, f->first_port, f->port_count) ||
        !owns(c, TS_IR_NODES, f->first_node, f->node_count))
      return ts_ir_fail(c->error,
                        "fragment `%s`: its nodes or ports are not there or another fragment's",
                        text(c, f->name));
    for (uint32_t n = 0; n < f->node_count; n++)
      if (check_node(c, f, n))
        return -1;
    if (check_port_use(c, f))
      return -1;
  }
  return 0;
}

/* Runs of a program; a program may share the items and holdings of another. */
static int check_programs(check *c)
{
  const ts_ir *ir = c->ir;
  uint32_t axis = ir->meta->pipeline_axis, expected = axis == TS_IR_NONE ? 1 : ir->axes[axis].size;
  if (ir->programs_count != expected)
    return ts_ir_fail(c->error, "%u programs for %u stages", ir->programs_count, expected);
  for (uint32_t i = 0; i < ir->programs_count; i++) {
    const ts_ir_program *p = &ir->programs[i];
    if (runs_add(c, TS_IR_ITEMS, p->first_item, p->item_count) == TS_RUNS_BAD ||
        runs_add(c, TS_IR_HOLDINGS, p->first_holding, p->holding_count) == TS_RUNS_BAD)
      return ts_ir_fail(c->error,
                        "program `%s`: its items or holdings are not there or partly another's",
                        text(c, p->name));
    if (p->first_loop || p->loop_count)
      return ts_ir_fail(c->error, "program `%s`: its loops are not unrolled", text(c, p->name));
  }
  return 0;
}

static int check_item(check *c, uint32_t i)
{
  const ts_ir_item *t = &c->ir->items[i];
  const ts_ir_fragment *f = &c->ir->fragments[t->fragment];
  if (t->micro_batch != TS_IR_NONE && t->micro_batch >= c->ir->meta->micro_batches)
    return ts_ir_fail(c->error, "item %u (`%s`): micro-batch %u of %u", i, text(c, f->name),
                      t->micro_batch, c->ir->meta->micro_batches);
  if (runs_add(c, TS_IR_BINDINGS, t->first_binding, f->port_count) == TS_RUNS_BAD)
    return ts_ir_fail(c->error, "item %u (`%s`): its bindings are not there or partly another's", i,
                      text(c, f->name));
  return 0;
}

static int check_items(check *c)
{
  for (uint32_t i = 0; i < c->ir->items_count; i++)
    if (check_item(c, i))
      return -1;
  return 0;
}

/* Counts that a file cannot exceed; a view filled by hand could. */
static int check_counts(check *c)
{
  if (!c->ir->meta)
    return ts_ir_fail(c->error, "there is no meta record");
  for (uint32_t kind = TS_IR_STRINGS; kind < TS_IR_SECTION_KINDS; kind++)
    if (ts_ir_count(c->ir, kind) && !ts_ir_records(c->ir, kind))
      return ts_ir_fail(c->error, "table %s has records but no address", ts_ir_tables[kind].name);
  if (c->ir->devices_count > vertex_limit)
    return ts_ir_fail(c->error, "the cluster has more than %u vertices", vertex_limit);
  return 0;
}

static int verify(const ts_ir *ir, bool messages, bool throughout, ts_error *error)
{
  if (error)
    *error = (ts_error){0};
  /* In this order: each check relies on those before it. */
  static int (*const checks[])(check *) = {
    check_strings, check_refs,      check_mesh,      check_groups,      check_fields,
    check_meta,    check_devices,   check_placement, check_network,     check_streams,
    check_fragments, check_programs, check_items,    check_owners,      check_calibrations,
    check_validations, check_remarks};
  check c = {.ir = ir, .error = error};
  int failed = check_counts(&c);
  if (failed)
    return failed;
  runs_begin(&c);
  for (size_t i = 0; i < sizeof checks / sizeof *checks && !failed; i++)
    failed = checks[i](&c);
  runs_end(&c);
  return failed || ts_ir_verify_programs(ir, messages, throughout, error) ||
             ts_ir_verify_groups(ir, error) ?
           -1 :
           0;
}

int ts_ir_verify(const ts_ir *ir, ts_error *error) { return verify(ir, true, false, error); }

int ts_ir_verify_compiled(const ts_ir *ir, bool plan, ts_error *error)
{
  bool messages = false;
#if defined(__SANITIZE_ADDRESS__) || defined(FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION)
  messages = true;
#endif
  return verify(ir, messages, plan, error);
}
