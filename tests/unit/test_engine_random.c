/* Properties of a play, on random jobs. */
#include <criterion/criterion.h>
#include <string.h>

#include "runtime/account/representatives.h"
#include "runtime/account/run.h"
#include "runtime/account/timeline.h"
#include "tests/unit/amount.h"
#include "tests/unit/engine_plan.h"
#include "tests/unit/random_ir.h"

#define JOBS amount(200, 600)

static const ts_run_options folded = {0}, unfolded = {.no_fold = true};

static ts_run *must_play(const ts_ir *ir, const ts_run_options *options, uint32_t order,
                         uint32_t seed)
{
  ts_stop stop = {.arena = ts_arena_new("stop")};
  ts_run *run = ts_run_ordered(ir, options, order, &stop);
  cr_assert(run, "seed %u: %s", seed, stop.title);
  ts_arena_free(stop.arena);
  return run;
}

typedef struct events { ts_span_event *at; uint32_t count, room; } events;

static void keep(void *closure, const ts_span_event *e)
{
  events *list = closure;
  if (list->count == list->room)
    list->at = realloc(list->at, (list->room = 2 * list->room + 64) * sizeof *list->at);
  list->at[list->count++] = *e;
}

static events timeline(const ts_run *run, uint32_t rank)
{
  events list = {0};
  ts_run_timeline(run, rank, keep, &list);
  return list;
}

static bool same_event(const ts_span_event *a, const ts_span_event *b)
{
  return a->node == b->node && a->item == b->item && a->stream == b->stream &&
         a->issued == b->issued && a->ready == b->ready && a->start == b->start &&
         a->end == b->end && a->peer == b->peer && a->tag == b->tag && a->sent == b->sent;
}

static void check_same(const ts_run *a, const ts_run *b, uint32_t world, uint32_t seed)
{
  cr_assert_eq(ts_run_result(a)->step, ts_run_result(b)->step, "seed %u", seed);
  cr_assert_eq(ts_run_result(a)->nodes, ts_run_result(b)->nodes, "seed %u", seed);
  for (uint32_t r = 0; r < world; r++) {
    events x = timeline(a, r), y = timeline(b, r);
    cr_assert_eq(x.count, y.count);
    for (uint32_t i = 0; i < x.count; i++)
      cr_assert(same_event(&x.at[i], &y.at[i]), "seed %u: rank %u, event %u", seed, r, i);
    free(x.at);
    free(y.at);
  }
}

static bool same_shares(const ts_class_result *a, const ts_class_result *b)
{
  if (a->comm_count != b->comm_count)
    return false;
  for (uint32_t i = 0; i < a->comm_count; i++) {
    const ts_comm_share *x = &a->comms[i], *y = &b->comms[i];
    if (x->group != y->group || x->messages != y->messages || x->calls != y->calls ||
        x->bytes != y->bytes || x->busy != y->busy || x->exposed != y->exposed ||
        x->transfer != y->transfer)
      return false;
  }
  return true;
}

static void check_same_classes(const ts_result *a, const ts_result *b, uint32_t world,
                               uint32_t seed)
{
  for (uint32_t r = 0; r < world; r++) {
    const ts_class_result *x = &a->classes[a->class_of[r]], *y = &b->classes[b->class_of[r]];
    cr_assert(x->end == y->end && x->bubble == y->bubble && x->host == y->host &&
                x->tail == y->tail,
              "seed %u: rank %u", seed, r);
    cr_assert(!memcmp(x->phase, y->phase, sizeof x->phase) &&
                !memcmp(x->basis, y->basis, sizeof x->basis),
              "seed %u: rank %u", seed, r);
    cr_assert(same_shares(x, y), "seed %u: rank %u", seed, r);
  }
}

static uint64_t sum(const ts_class_result *c)
{
  uint64_t total = c->bubble + c->host + c->tail;
  for (uint32_t i = 0; i < TS_IR_PHASES; i++)
    total += c->phase[i];
  for (uint32_t i = 0; i < c->comm_count; i++)
    total += c->comms[i].exposed;
  return total;
}

static void check_parts(const ts_run *run, uint32_t seed)
{
  const ts_result *result = ts_run_result(run);
  uint64_t path = 0;
  for (uint32_t c = 0; c < result->class_count; c++) {
    uint64_t phases = 0, bases = 0;
    for (uint32_t i = 0; i < TS_IR_PHASES; i++)
      phases += result->classes[c].phase[i];
    for (uint32_t i = 0; i < TS_IR_BASES; i++)
      bases += result->classes[c].basis[i];
    cr_assert_eq(sum(&result->classes[c]), result->step, "seed %u: class %u", seed, c);
    cr_assert_eq(phases, bases, "seed %u: class %u", seed, c);
  }
  ts_critical_parts parts = ts_run_critical(run);
  for (uint32_t i = 0; i < parts.count; i++)
    path += parts.at[i].time;
  cr_assert_eq(path, result->step, "seed %u: critical path", seed);
}

Test(engine, folding_changes_nothing)
{
  uint32_t saved = 0;
  for (uint32_t seed = 0; seed < JOBS; seed++) {
    plan p = plan_random(seed);
    ts_ir ir;
    plan_view(&p, &ir);
    ts_run *a = must_play(&ir, &folded, 0, seed), *b = must_play(&ir, &unfolded, 0, seed);
    check_same(a, b, p.world, seed);
    check_same_classes(ts_run_result(a), ts_run_result(b), p.world, seed);
    cr_assert_eq(ts_run_result(b)->class_count, p.world);
    saved += p.world - ts_run_result(a)->class_count;
    ts_run_free(a);
    ts_run_free(b);
    plan_free(&p);
  }
  cr_assert_gt(saved, JOBS);
}

/* The same on plans that another hand made: 1F1B orders, measured networks, placements. */
Test(engine, folding_changes_nothing_in_other_plans)
{
  for (uint32_t seed = 0; seed < JOBS; seed++) {
    ts_ir_builder *b = random_ir_new(seed);
    ts_ir ir;
    ts_ir_builder_view(b, &ir);
    ts_run *a = must_play(&ir, &folded, 0, seed), *c = must_play(&ir, &unfolded, seed, seed);
    check_same(a, c, ir.meta->world, seed);
    check_same_classes(ts_run_result(a), ts_run_result(c), ir.meta->world, seed);
    check_parts(a, seed);
    check_parts(c, seed);
    ts_run_free(a);
    ts_run_free(c);
    ts_ir_builder_free(b);
  }
}

Test(engine, order_of_processes_changes_nothing)
{
  for (uint32_t seed = 0; seed < JOBS; seed++) {
    plan p = plan_random(seed);
    ts_ir ir;
    plan_view(&p, &ir);
    ts_run *a = must_play(&ir, &unfolded, 0, seed), *b = must_play(&ir, &unfolded, seed + 1, seed);
    check_same(a, b, p.world, seed);
    check_same_classes(ts_run_result(a), ts_run_result(b), p.world, seed);
    ts_run_free(a);
    ts_run_free(b);
    plan_free(&p);
  }
}

Test(engine, parts_make_up_the_step)
{
  for (uint32_t seed = 0; seed < JOBS; seed++) {
    plan p = plan_random(seed);
    ts_ir ir;
    plan_view(&p, &ir);
    ts_run *run = must_play(&ir, &folded, 0, seed);
    check_parts(run, seed);
    ts_run_free(run);
    plan_free(&p);
  }
}

/* --- the semantics of ir.h, checked on every node of every timeline --- */

static uint64_t later(uint64_t a, uint64_t b) { return a > b ? a : b; }

static void check_rank(const ts_ir *ir, const events *list, uint32_t seed)
{
  uint64_t free_at[3] = {0}, host = 0, end[256] = {0};
  uint32_t item = TS_IR_NONE, at = 0;
  for (uint32_t i = 0; i < list->count; i++, at++) {
    const ts_span_event *e = &list->at[i];
    const ts_ir_node *n = e->node;
    if (e->item != item)
      item = e->item, at = 0;
    uint64_t deps = 0;
    for (uint32_t d = 0; d < n->dep_count; d++)
      deps = later(deps, end[ir->deps[n->first_dep + d]]);
    if (n->op == TS_IR_HOST_SYNC)
      host = later(host + n->host_ps, deps);
    else if (n->op == TS_IR_HOST_WORK)
      host = later(host, deps) + n->host_ps;
    else
      host += n->host_ps;
    cr_assert_eq(e->issued, host, "seed %u: event %u", seed, i);
    end[at] = e->end;
    if (e->stream == TS_IR_NONE)
      continue;
    uint64_t ready = later(later(host, deps), free_at[n->stream]);
    cr_assert_eq(e->ready, ready, "seed %u: event %u", seed, i);
    cr_assert_geq(e->start, ready);
    cr_assert_geq(e->end, e->start);
    if (n->op != TS_IR_COLLECTIVE)
      cr_assert_eq(e->start, ready);
    free_at[n->stream] = e->end;
  }
}

static bool together(const ts_ir *ir, uint32_t axes, uint32_t a, uint32_t b)
{
  for (uint32_t i = 0; i < ir->axes_count; i++)
    if (!(axes >> i & 1) &&
        a / ir->axes[i].stride % ir->axes[i].size != b / ir->axes[i].stride % ir->axes[i].size)
      return false;
  return true;
}

static uint32_t group_of(const ts_ir *ir, const ts_ir_node *n)
{
  return ir->collectives[n->arg].group;
}

/* The collective of a rank over a group and stream with this number. */
static const ts_span_event *nth(const ts_ir *ir, const events *list, uint32_t group,
                                uint32_t stream, uint32_t call)
{
  for (uint32_t i = 0; i < list->count; i++) {
    const ts_ir_node *n = list->at[i].node;
    if (n->op == TS_IR_COLLECTIVE && group_of(ir, n) == group && n->stream == stream && call-- == 0)
      return &list->at[i];
  }
  return NULL;
}

static void check_collective(const ts_ir *ir, const events *all, uint32_t rank,
                             const ts_span_event *e, uint32_t call, uint32_t seed)
{
  uint64_t latest = 0;
  uint32_t group = group_of(ir, e->node);
  for (uint32_t q = 0; q < ir->meta->world; q++) {
    if (!together(ir, ir->groups[group].axes, rank, q))
      continue;
    const ts_span_event *other = nth(ir, &all[q], group, e->node->stream, call);
    cr_assert(other && other->start == e->start && other->end == e->end,
              "seed %u: rank %u, rank %u", seed, rank, q);
    latest = later(latest, other->ready);
  }
  cr_assert_eq(e->start, latest, "seed %u: rank %u", seed, rank);
}

/* all messages of the stream go to one peer */
static bool of_its_own(const ts_ir *ir, const events *list, const ts_span_event *send)
{
  for (uint32_t i = 0; i < list->count; i++)
    if (list->at[i].node->op == TS_IR_SEND && list->at[i].stream == send->stream &&
        list->at[i].peer != send->peer)
      return false;
  return ir;
}

static void check_receive(const ts_ir *ir, ts_network *network, const events *all, uint32_t rank,
                          const ts_span_event *e, uint32_t seed)
{
  const events *list = &all[e->peer];
  ts_stop stop = {.arena = ts_arena_new("stop")};
  uint64_t bytes =
    ir->ports[ir->fragments[ir->items[e->item].fragment].first_port + e->node->arg].bytes;
  ts_estimate alone = ts_network_estimate(network, TS_IR_MESSAGE, bytes,
                                          ts_network_path(network, e->peer, rank, &stop));
  ts_arena_free(stop.arena);
  for (uint32_t i = 0; i < list->count; i++) {
    const ts_span_event *s = &list->at[i];
    if (s->node->op != TS_IR_SEND || s->peer != rank || s->tag != e->tag)
      continue;
    if (of_its_own(ir, list, s)) {
      cr_assert_eq(e->sent, s->start, "seed %u: rank %u", seed, rank);
      cr_assert_eq(s->end - s->start, alone.time - alone.latency, "seed %u: rank %u", seed, rank);
      cr_assert_eq(e->end, later(e->ready, s->end + alone.latency), "seed %u: rank %u", seed, rank);
    } else { /* bytes may leave beside those of the message before */
      cr_assert_leq(e->sent, s->start, "seed %u: rank %u", seed, rank);
      cr_assert_leq(s->end - s->start, alone.time - alone.latency, "seed %u: rank %u", seed, rank);
      cr_assert_geq(e->end, s->end + alone.latency, "seed %u: rank %u", seed, rank);
    }
    return;
  }
  cr_assert_fail("seed %u: rank %u: nobody sent", seed, rank);
}

static void check_rendezvous(const ts_ir *ir, ts_network *network, const events *all, uint32_t rank,
                             uint32_t seed)
{
  uint32_t calls[16][3] = {{0}};
  for (uint32_t i = 0; i < all[rank].count; i++) {
    const ts_span_event *e = &all[rank].at[i];
    if (e->node->op == TS_IR_COLLECTIVE)
      check_collective(ir, all, rank, e, calls[group_of(ir, e->node)][e->node->stream]++, seed);
    else if (e->node->op == TS_IR_RECV)
      check_receive(ir, network, all, rank, e, seed);
  }
}

Test(engine, members_start_together_and_messages_arrive_as_sent)
{
  for (uint32_t seed = 0; seed < JOBS; seed++) {
    plan p = plan_random(seed);
    ts_ir ir;
    plan_view(&p, &ir);
    events all[64];
    ts_run *run = must_play(&ir, &folded, 0, seed);
    for (uint32_t r = 0; r < p.world; r++)
      all[r] = timeline(run, r);
    ts_stop stop = {.arena = ts_arena_new("network")};
    ts_network *network =
      ts_network_new(stop.arena, &ir, ts_ranks_new(stop.arena, &ir), NULL, &stop);
    for (uint32_t r = 0; r < p.world; r++)
      check_rendezvous(&ir, network, all, r, seed);
    ts_arena_free(stop.arena);
    for (uint32_t r = 0; r < p.world; r++)
      free(all[r].at);
    ts_run_free(run);
    plan_free(&p);
  }
}

Test(engine, every_start_is_the_latest_of_what_it_waits_for)
{
  for (uint32_t seed = 0; seed < JOBS; seed++) {
    plan p = plan_random(seed);
    ts_ir ir;
    plan_view(&p, &ir);
    ts_run *run = must_play(&ir, &folded, 0, seed);
    for (uint32_t r = 0; r < p.world; r++) {
      events list = timeline(run, r);
      check_rank(&ir, &list, seed);
      uint64_t last = 0;
      for (uint32_t i = 0; i < list.count; i++)
        last = later(last, list.at[i].end);
      const ts_result *result = ts_run_result(run);
      cr_assert_eq(last, result->classes[result->class_of[r]].end, "seed %u: rank %u", seed, r);
      free(list.at);
    }
    ts_run_free(run);
    plan_free(&p);
  }
}

/* Slow devices, slow links and ranks that draw factors: folded and unfolded plays are the same, to
 * the picosecond. */
Test(engine, folding_changes_nothing_with_overrides)
{
  for (uint32_t seed = 1; seed <= JOBS / 2; seed++) {
    plan p = plan_random(seed);
    ts_ir ir;
    ts_arena *arena = ts_arena_new("test");
    plan_view(&p, &ir);
    uint32_t world = ir.meta->world, number = seed;
    double *slower = TS_NEW_ARRAY(arena, double, world);
    for (uint32_t r = 0; r < world; r++) {
      number = number * 1664525u + 1013904223u;
      slower[r] = number >> 28 ? 1 : 1 + (number >> 20 & 3) / 8.0;
    }
    for (uint32_t k = 0; k < seed % 4; k++) {
      number = number * 1664525u + 1013904223u;
      plan_slow_link(&p, (number >> 8) % world);
      if (k == 1)
        plan_slow_device(&p, (number >> 16) % world, 0.7);
    }
    plan_view(&p, &ir);
    ts_run_options fold = {.slower = slower}, all = {.slower = slower, .no_fold = true};
    ts_run *a = must_play(&ir, &fold, 0, seed), *b = must_play(&ir, &all, 0, seed);
    check_same(a, b, world, seed);
    check_same_classes(ts_run_result(a), ts_run_result(b), world, seed);
    ts_run_free(a);
    ts_run_free(b);
    ts_arena_free(arena);
    plan_free(&p);
  }
}

/* Ranks that are found alike after a play had the same times throughout, and all that folding joins
 * before one are found alike after it. */
Test(engine, alike_are_those_to_whom_the_same_happened)
{
  uint32_t found = 0;
  for (uint32_t seed = 0; seed < JOBS / 2; seed++) {
    plan p = plan_random(seed);
    ts_ir ir;
    plan_view(&p, &ir);
    if (seed % 3 == 1)
      plan_slow_device(&p, seed % p.world, 0.9);
    ts_run *all = must_play(&ir, &unfolded, 0, seed), *few = must_play(&ir, &folded, 0, seed);
    const uint32_t *representative = ts_run_representatives(all),
                   *class_of = ts_run_result(few)->class_of;
    for (uint32_t r = 0; r < p.world; r++) {
      cr_assert(representative[r] <= r && representative[representative[r]] == representative[r]);
      cr_assert_leq(representative[r], ts_run_result(few)->classes[class_of[r]].rank,
                    "seed %u: rank %u", seed, r);
      events x = timeline(all, r), y = timeline(all, representative[r]);
      cr_assert_eq(x.count, y.count);
      for (uint32_t i = 0; i < x.count; i++)
        cr_assert(x.at[i].node == y.at[i].node && x.at[i].start == y.at[i].start &&
                    x.at[i].end == y.at[i].end && x.at[i].sent == y.at[i].sent,
                  "seed %u: rank %u, event %u", seed, r, i);
      free(x.at);
      free(y.at);
      found += representative[r] != r;
    }
    ts_run_free(all);
    ts_run_free(few);
    plan_free(&p);
  }
  cr_assert_gt(found, JOBS);
}
