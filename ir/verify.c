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
#include "ir/verify_check.h"

static int check_strings(ts_ir_check *c)
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

static int check_refs(ts_ir_check *c) { return ts_ir_verify_refs(c->ir, c->error); }

static int check_fields(ts_ir_check *c) { return ts_ir_verify_fields(c->ir, c->error); }

static int check_mesh(ts_ir_check *c)
{
  const ts_ir *ir = c->ir;
  uint64_t world = 1;
  if (ir->axes_count > 32)
    return ts_ir_fail(c->error, "%u axes; a group can name 32", ir->axes_count);
  for (uint32_t i = 0; i < ir->axes_count; i++) {
    const ts_ir_axis *a = &ir->axes[i];
    if (!a->size || a->stride != world || a->reserved)
      return ts_ir_fail(
        c->error, "axis `%s`: size %u and stride %u, after %llu ranks of the axes before it",
        ts_ir_check_text(c, a->name), a->size, a->stride, (unsigned long long)world);
    world *= a->size;
    if (world > TS_IR_WORLD_MOST)
      return ts_ir_fail(c->error, "the axes span more than %u ranks", TS_IR_WORLD_MOST);
    for (uint32_t k = 0; k < i; k++)
      if (!strcmp(ts_ir_check_text(c, a->name), ts_ir_check_text(c, ir->axes[k].name)))
        return ts_ir_fail(c->error, "two axes are named `%s`", ts_ir_check_text(c, a->name));
  }
  if (world != ir->meta->world)
    return ts_ir_fail(c->error, "the axes span %llu ranks, the job has %u",
                      (unsigned long long)world, ir->meta->world);
  return 0;
}

static int check_meta(ts_ir_check *c)
{
  const ts_ir_meta *m = c->ir->meta;
  if (*ts_ir_check_text(c, m->release) && !*ts_ir_check_text(c, m->framework))
    return ts_ir_fail(c->error, "a release of no framework: `%s`", ts_ir_check_text(c, m->release));
  return 0;
}

static int check_validations(ts_ir_check *c)
{
  const ts_ir_validation *v = c->ir->validations;
  for (uint32_t i = 0; i < c->ir->validations_count; i++)
    for (uint32_t k = 0; k < i; k++)
      if (v[k].quantity == v[i].quantity)
        return ts_ir_fail(c->error, "validations %u and %u are of the same quantity", k, i);
  return 0;
}

/* Warnings begin with their own record; what is assumed stands by itself. */
static int check_remarks(ts_ir_check *c)
{
  for (uint32_t i = 0; i < c->ir->remarks_count; i++) {
    const ts_ir_remark *r = &c->ir->remarks[i];
    bool warning = r->kind == TS_IR_REMARK_WARNING, named = warning || r->kind == TS_IR_REMARK_FACT;
    bool alone = warning || r->kind == TS_IR_REMARK_ASSUMED,
         behind = i && r[-1].kind != TS_IR_REMARK_ASSUMED;
    if (r->kind >= TS_IR_REMARK_KINDS || (!alone && !behind))
      return ts_ir_fail(c->error, "remark %u: kind %u, which is not allowed there", i, r->kind);
    if (named != (*ts_ir_check_text(c, r->name) != 0) || !*ts_ir_check_text(c, r->text) ||
        (!warning && (*ts_ir_check_text(c, r->here) || r->more)))
      return ts_ir_fail(c->error,
                        "remark %u lacks its name or its text, or has fields of a warning", i);
  }
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

static void runs_begin(ts_ir_check *c)
{
  for (uint32_t kind = TS_IR_STRINGS; kind < TS_IR_SECTION_KINDS; kind++) {
    if (has_owners(kind))
      c->seen[kind] = ts_ir_runs_new(ts_ir_count(c->ir, kind));
  }
  c->latest = ts_heap_new((size_t)c->ir->deps_count + 1, sizeof(uint32_t));
}

static void runs_end(ts_ir_check *c)
{
  for (uint32_t kind = TS_IR_STRINGS; kind < TS_IR_SECTION_KINDS; kind++)
    ts_ir_runs_free(&c->seen[kind]);
  free(c->latest);
}

/* Every record must be in some run: those in none are checked by nobody, and yet are met by whoever
 * goes through a table. */
static int check_owned(ts_ir_check *c, uint32_t kind)
{
  uint32_t gap = ts_ir_runs_gap(&c->seen[kind]);
  if (gap != TS_IR_NONE)
    return ts_ir_fail(c->error, "record %u of table %s belongs to nothing", gap,
                      ts_ir_tables[kind].name);
  return 0;
}

/* From the last: owners are named before what they own. */
static int check_owners(ts_ir_check *c)
{
  for (uint32_t r = ts_ir_run_count; r-- > 0;)
    if (check_owned(c, ts_ir_runs[r].table))
      return -1;
  return check_owned(c, TS_IR_BINDINGS);
}

static int check_streams(ts_ir_check *c)
{
  const ts_ir *ir = c->ir;
  if (ir->streams_count > 256 || (ir->nodes_count && !ir->streams_count))
    return ts_ir_fail(c->error, "%u streams for %u nodes; there are 1 to 256", ir->streams_count,
                      ir->nodes_count);
  for (uint32_t i = 0; i < ir->streams_count; i++)
    if (ir->streams[i].kind > TS_IR_STREAM_COPY ||
        ir->streams[i].unshared > (ir->streams[i].kind == TS_IR_STREAM_COMPUTE) ||
        (!i && ir->streams[i].kind != TS_IR_STREAM_COMPUTE))
      return ts_ir_fail(c->error, "stream %u (`%s`): kind %u%s", i,
                        ts_ir_check_text(c, ir->streams[i].name), ir->streams[i].kind,
                        ir->streams[i].unshared ? ", unshared" : "");
  return 0;
}

/* Nodes and ports belong to one fragment alone. */
static bool owns(ts_ir_check *c, uint32_t kind, uint32_t first, uint32_t count)
{
  return !count || ts_ir_check_run(c, kind, first, count) == TS_RUNS_NEW;
}

static int check_list(ts_ir_check *c, const ts_ir_group *g, uint8_t *seen)
{
  const char *name = ts_ir_check_text(c, g->name);
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

static int check_groups(ts_ir_check *c)
{
  const ts_ir *ir = c->ir;
  uint8_t *seen = ts_heap_new((size_t)ir->meta->world + 1, 1);
  int failed = 0;
  for (uint32_t i = 0; i < ir->groups_count && !failed; i++)
    if ((uint64_t)ir->groups[i].axes >> ir->axes_count)
      failed = ts_ir_fail(c->error, "group `%s` names an axis that is not there",
                          ts_ir_check_text(c, ir->groups[i].name));
    else
      failed = check_list(c, &ir->groups[i], seen);
  free(seen);
  return failed;
}

/* Number of things a node's argument can name. */
static uint32_t arg_limit(const ts_ir_check *c, const ts_ir_fragment *f, uint32_t op)
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

static int check_deps(ts_ir_check *c, const ts_ir_fragment *f, uint32_t i)
{
  const ts_ir_node *n = &c->ir->nodes[f->first_node + i];
  int run = ts_ir_check_run(c, TS_IR_DEPS, n->first_dep, n->dep_count);
  if (run == TS_RUNS_BAD)
    return ts_ir_fail(c->error, "fragment `%s`, node %u: its dependencies are not there",
                      ts_ir_check_text(c, f->name), i);
  if (!n->dep_count)
    return 0;
  uint32_t *latest = &c->latest[n->first_dep];
  for (uint32_t d = 0; run == TS_RUNS_NEW && d < n->dep_count; d++)
    if (*latest < c->ir->deps[n->first_dep + d])
      *latest = c->ir->deps[n->first_dep + d];
  if (*latest >= i)
    return ts_ir_fail(c->error,
                      "fragment `%s`, node %u: it depends on node %u, which is not earlier",
                      ts_ir_check_text(c, f->name), i, *latest);
  return 0;
}

/* Of the dependencies that a record chooses among each is a node of a stream of its own, other than
 * the record's: what went before on one stream ends before. */
static int check_choice(ts_ir_check *c, const ts_ir_fragment *f, uint32_t i)
{
  const ts_ir_node *n = &c->ir->nodes[f->first_node + i];
  if (n->op != TS_IR_RECORD || !n->arg)
    return 0;
  if (n->arg > n->dep_count)
    return ts_ir_fail(c->error, "fragment `%s`, node %u: it waits for %u of %u dependencies",
                      ts_ir_check_text(c, f->name), i, n->arg, n->dep_count);
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
                        ts_ir_check_text(c, f->name), i);
    streams[before->stream / 64] |= bit;
  }
  return 0;
}

static int check_node(ts_ir_check *c, const ts_ir_fragment *f, uint32_t i)
{
  const ts_ir *ir = c->ir;
  const ts_ir_node *n = &ir->nodes[f->first_node + i];
  const char *name = ts_ir_check_text(c, f->name);
  if (n->op >= TS_IR_OPS || n->phase >= TS_IR_PHASES || n->flags || n->host_ps > TS_IR_TIME_MOST)
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
  if (ts_ir_check_run(c, TS_IR_MEMS, n->first_mem, n->mem_count) == TS_RUNS_BAD)
    return ts_ir_fail(c->error, "fragment `%s`, node %u: its memory effects are not there", name,
                      i);
  return check_deps(c, f, i) || check_choice(c, f, i) ? -1 : 0;
}

/* Each port is used by one node, so that a played fragment sends or receives on it once. */
static int check_port_use(ts_ir_check *c, const ts_ir_fragment *f)
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
    return ts_ir_fail(c->error, "fragment `%s`: a port is used %s", ts_ir_check_text(c, f->name),
                      i < f->node_count ? "twice" : "by no node");
  return 0;
}

static int check_fragments(ts_ir_check *c)
{
  for (uint32_t i = 0; i < c->ir->fragments_count; i++) {
    const ts_ir_fragment *f = &c->ir->fragments[i];
    if (!owns(c, TS_IR_PORTS, f->first_port, f->port_count) ||
        !owns(c, TS_IR_NODES, f->first_node, f->node_count))
      return ts_ir_fail(c->error,
                        "fragment `%s`: its nodes or ports are not there or another fragment's",
                        ts_ir_check_text(c, f->name));
    for (uint32_t n = 0; n < f->node_count; n++)
      if (check_node(c, f, n))
        return -1;
    if (check_port_use(c, f))
      return -1;
  }
  return 0;
}

/* Runs of a program; a program may share the items and holdings of another. */
static int check_programs(ts_ir_check *c)
{
  const ts_ir *ir = c->ir;
  uint32_t axis = ir->meta->pipeline_axis, expected = axis == TS_IR_NONE ? 1 : ir->axes[axis].size;
  if (ir->programs_count != expected)
    return ts_ir_fail(c->error, "%u programs for %u stages", ir->programs_count, expected);
  for (uint32_t i = 0; i < ir->programs_count; i++) {
    const ts_ir_program *p = &ir->programs[i];
    if (ts_ir_check_run(c, TS_IR_ITEMS, p->first_item, p->item_count) == TS_RUNS_BAD ||
        ts_ir_check_run(c, TS_IR_HOLDINGS, p->first_holding, p->holding_count) == TS_RUNS_BAD)
      return ts_ir_fail(c->error,
                        "program `%s`: its items or holdings are not there or partly another's",
                        ts_ir_check_text(c, p->name));
    if (p->first_loop || p->loop_count)
      return ts_ir_fail(c->error, "program `%s`: its loops are not unrolled",
                        ts_ir_check_text(c, p->name));
  }
  return 0;
}

static int check_item(ts_ir_check *c, uint32_t i)
{
  const ts_ir_item *t = &c->ir->items[i];
  const ts_ir_fragment *f = &c->ir->fragments[t->fragment];
  if (t->micro_batch != TS_IR_NONE && t->micro_batch >= c->ir->meta->micro_batches)
    return ts_ir_fail(c->error, "item %u (`%s`): micro-batch %u of %u", i,
                      ts_ir_check_text(c, f->name), t->micro_batch, c->ir->meta->micro_batches);
  if (ts_ir_check_run(c, TS_IR_BINDINGS, t->first_binding, f->port_count) == TS_RUNS_BAD)
    return ts_ir_fail(c->error, "item %u (`%s`): its bindings are not there or partly another's", i,
                      ts_ir_check_text(c, f->name));
  return 0;
}

static int check_items(ts_ir_check *c)
{
  for (uint32_t i = 0; i < c->ir->items_count; i++)
    if (check_item(c, i))
      return -1;
  return 0;
}

/* Counts that a file cannot exceed; a view filled by hand could. */
static int check_counts(ts_ir_check *c)
{
  if (!c->ir->meta)
    return ts_ir_fail(c->error, "there is no meta record");
  for (uint32_t kind = TS_IR_STRINGS; kind < TS_IR_SECTION_KINDS; kind++)
    if (ts_ir_count(c->ir, kind) && !ts_ir_records(c->ir, kind))
      return ts_ir_fail(c->error, "table %s has records but no address", ts_ir_tables[kind].name);
  if (c->ir->devices_count > TS_IR_VERTICES_MOST)
    return ts_ir_fail(c->error, "the cluster has more than %u vertices", TS_IR_VERTICES_MOST);
  return 0;
}

static int verify(const ts_ir *ir, bool messages, bool throughout, ts_error *error)
{
  if (error)
    *error = (ts_error){0};
  /* In this order: each check relies on those before it. */
  static int (*const checks[])(ts_ir_check *) = {check_strings,
                                                 check_refs,
                                                 check_mesh,
                                                 check_groups,
                                                 check_fields,
                                                 check_meta,
                                                 ts_ir_verify_devices,
                                                 ts_ir_verify_placement,
                                                 ts_ir_verify_network,
                                                 check_streams,
                                                 check_fragments,
                                                 check_programs,
                                                 check_items,
                                                 check_owners,
                                                 ts_ir_verify_calibrations,
                                                 check_validations,
                                                 check_remarks};
  ts_ir_check c = {.ir = ir, .error = error};
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
