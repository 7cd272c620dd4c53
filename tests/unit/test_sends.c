/* The messages of collectives: their bytes against closed forms, against white boxes and against
 * what models of flows play, and that every rank ends with what the collective promises. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "runtime/collective/plain_cluster.h"
#include "runtime/collective/sends.h"
#include "runtime/collective/white_box.h"

typedef struct call {
  ts_arena *arena;
  ts_ir_builder *b;
  ts_ir *ir;
  ts_link_graph *graph;
  uint32_t *vertex, ranks, islands;
  ts_sends *sends;
} call;

static call begin(uint32_t ranks, uint32_t islands)
{
  call c = {.arena = ts_arena_new("test"), .ranks = ranks, .islands = islands};
  c.b = ts_plain_cluster(ranks, islands, 450e9, 50e9);
  c.ir = TS_NEW(c.arena, ts_ir);
  ts_ir_builder_view(c.b, c.ir);
  c.graph = ts_graph_new(c.arena, c.ir);
  c.vertex = TS_NEW_ARRAY(c.arena, uint32_t, ranks);
  for (uint32_t r = 0; r < ranks; r++) c.vertex[r] = r;
  return c;
}

static void make(call *c, uint32_t kind, uint32_t algorithm, uint32_t channels, uint64_t bytes,
                 bool alike)
{
  ts_call_way way = {.kind = kind,
                     .bytes = bytes,
                     .algorithm = algorithm,
                     .channels = channels,
                     .routing = TS_IR_ROUTE_RAIL};
  c->sends = ts_sends_new(c->arena, c->ir, c->graph, c->vertex, c->ranks, &way, alike);
  cr_assert_null(c->sends->why, "%s", c->sends->why);
}

static void end(call *c)
{
  ts_arena_free(c->arena);
  ts_ir_builder_free(c->b);
}

static uint64_t sent_by(const call *c, uint32_t place, bool received)
{
  const ts_sends *s = c->sends;
  uint64_t bytes = 0;
  for (uint32_t k = s->first[place]; k < s->first[place + 1]; k++) {
    const ts_pass *p = &s->passes.at[s->touching[k]];
    bytes += (received ? p->to : p->from) == place ? ts_pass_total(p) : 0;
  }
  return bytes;
}

static void expect_each(const call *c, double bytes)
{
  for (uint32_t r = 0; r < c->ranks; r++) {
    cr_assert_eq(sent_by(c, r, false), (uint64_t)bytes, "rank %u of %u in %u sends %.0f, not %.0f",
                 r, c->ranks, c->islands, (double)sent_by(c, r, false), bytes);
    cr_assert_eq(sent_by(c, r, true), (uint64_t)bytes);
  }
}

static const uint32_t sizes[][2] = {{2, 1},  {3, 1},  {8, 1},  {4, 2},
                                    {16, 2}, {12, 3}, {32, 8}, {8, 8}};
enum { SIZES = sizeof sizes / sizeof *sizes, PART = 48 };

Test(sends, rings_by_their_closed_form)
{
  for (int i = 0; i < SIZES; i++)
    for (uint32_t channels = 1; channels <= 24; channels = channels == 1 ? 2 : 3 * channels)
      for (int alike = 0; alike < 2; alike++) {
        call c = begin(sizes[i][0], sizes[i][1]);
        uint64_t n = c.ranks, bytes = n * 54 * PART; /* every block is whole */
        make(&c, TS_IR_ALL_REDUCE, TS_IR_NET_RING, channels, bytes, alike);
        expect_each(&c, 2. * (double)((n - 1) * (bytes / n)));
        cr_assert_eq(c.sends->steps, 2 * (n - 1));
        cr_assert_leq(c.sends->channels, channels);
        make(&c, TS_IR_ALL_GATHER, TS_IR_NET_RING, channels, bytes, alike);
        expect_each(&c, (double)((n - 1) * (bytes / n)));
        make(&c, TS_IR_REDUCE_SCATTER, TS_IR_NET_RING, channels, bytes, alike);
        expect_each(&c, (double)((n - 1) * (bytes / n)));
        make(&c, TS_IR_ALL_TO_ALL, TS_IR_NET_PAIRS, channels, bytes, alike);
        expect_each(&c, (double)((n - 1) * (bytes / n)));
        end(&c);
      }
}

/* Bytes that do not divide are all there: what is sent is what is received. */
Test(sends, odd_bytes_are_kept)
{
  for (int i = 0; i < SIZES; i++) {
    call c = begin(sizes[i][0], sizes[i][1]);
    uint64_t sent = 0, n = c.ranks;
    make(&c, TS_IR_ALL_REDUCE, TS_IR_NET_RING, 5, 1000003, false);
    for (uint32_t r = 0; r < n; r++) sent += sent_by(&c, r, false);
    cr_assert_eq(sent, 2 * (n - 1) * 1000003);
    make(&c, TS_IR_ALL_GATHER, TS_IR_NET_AGGREGATED_TREES, 3, 1000003, false);
    sent = 0;
    for (uint32_t r = 0; r < n; r++) sent += sent_by(&c, r, false);
    cr_assert_eq(sent, (n - 1) * 1000003);
    end(&c);
  }
}

/* What a rank and an island send inside and out, on average, is what a white box has them carry. */
static void expect_volumes(const call *c, uint32_t kind, uint32_t algorithm, uint64_t bytes)
{
  double inside = 0, out = 0, near, far;
  ts_ir_net_method method = {.collective = kind, .algorithm = algorithm, .channels = 1};
  uint32_t size = c->ranks / c->islands;
  ts_profile profile = {.ranks = c->ranks, .islands = c->islands, .per_island = size};
  for (size_t i = 0; i < c->sends->passes.count; i++) {
    const ts_pass *p = &c->sends->passes.at[i];
    bool leaves = p->to == TS_SEND_FABRIC || (p->from < c->ranks && p->to < c->ranks &&
                                             p->from / size != p->to / size);
    if (p->from < c->ranks)
      *(leaves ? &out : &inside) += (double)ts_pass_total(p);
  }
  ts_method_volumes(&method, &profile, &near, &far);
  if (algorithm == TS_IR_NET_RING && c->islands > 1) /* one of its ranks sends out of the island */
    near *= (size - 1.0) / size;
  if (algorithm == TS_IR_NET_TREE || algorithm == TS_IR_NET_SWITCH_TREE) /* white boxes: the most */
    far = 2 * (c->islands - 1.0) / c->islands;
  cr_assert_float_eq(inside / c->ranks / (double)bytes, near, 1e-6, "%u in %u by %u: %g inside, %g",
                     c->ranks, c->islands, algorithm, inside / c->ranks / (double)bytes, near);
  cr_assert_float_eq(out / c->islands / (double)bytes, far, 1e-6, "%u in %u by %u: %g out, %g",
                     c->ranks, c->islands, algorithm, out / c->islands / (double)bytes, far);
}

Test(sends, volumes_are_those_of_white_boxes)
{
  static const uint32_t algorithms[] = {TS_IR_NET_RING,         TS_IR_NET_TREE,
                                        TS_IR_NET_HIERARCHICAL, TS_IR_NET_SWITCH_TREE,
                                        TS_IR_NET_FABRIC_CHAIN, TS_IR_NET_FABRIC_DIRECT};
  enum { BYTES = 96 * 1024 * 9 };
  for (int i = 0; i < SIZES; i++)
    for (int a = 0; a < 6; a++) {
      call c = begin(sizes[i][0], sizes[i][1]);
      bool many = c.islands > 1 && c.ranks > c.islands;
      if (algorithms[a] == TS_IR_NET_RING || many) {
        make(&c, TS_IR_ALL_REDUCE, algorithms[a], 4, BYTES, false);
        expect_volumes(&c, TS_IR_ALL_REDUCE, algorithms[a], BYTES);
      }
      if (c.islands == 1) {
        make(&c, TS_IR_ALL_REDUCE, TS_IR_NET_SWITCH, 4, BYTES, false);
        expect_volumes(&c, TS_IR_ALL_REDUCE, TS_IR_NET_SWITCH, BYTES);
      }
      end(&c);
    }
}

/* Closed forms of all-reduces and halves; of six ranks, four go through the steps, and two hand over.
 */
Test(sends, halving_doubling_and_one_shot)
{
  for (int i = 0; i < SIZES; i++) {
    call c = begin(sizes[i][0], sizes[i][1]);
    bool power = (c.ranks & (c.ranks - 1)) == 0;
    uint64_t bytes = c.ranks * PART;
    if (power) {
      make(&c, TS_IR_ALL_REDUCE, TS_IR_NET_HALVING_DOUBLING, 4, 4 * bytes, false);
      expect_volumes(&c, TS_IR_ALL_REDUCE, TS_IR_NET_HALVING_DOUBLING, 4 * bytes);
      expect_each(&c, 8.0 * PART * (c.ranks - 1));
      make(&c, TS_IR_ALL_GATHER, TS_IR_NET_HALVING_DOUBLING, 1, bytes, false);
      expect_volumes(&c, TS_IR_ALL_GATHER, TS_IR_NET_HALVING_DOUBLING, bytes);
    }
    if (c.islands == 1) {
      make(&c, TS_IR_ALL_REDUCE, TS_IR_NET_ONE_SHOT, 1, bytes, false);
      expect_volumes(&c, TS_IR_ALL_REDUCE, TS_IR_NET_ONE_SHOT, bytes);
    }
    end(&c);
  }
  call c = begin(6, 1);
  make(&c, TS_IR_ALL_REDUCE, TS_IR_NET_HALVING_DOUBLING, 1, 4 * PART, false);
  cr_assert_eq(c.sends->steps, 6u);
  for (uint32_t r = 0; r < 6; r++)
    cr_assert_eq(sent_by(&c, r, false), (r >= 4 ? 6u : r % 2 ? 10u : 4u) * PART, "%u", r);
  end(&c);
}

/* ---- What every rank knows ---- */

enum { RANKS = 32, BLOCKS = 32, CHANNELS = 4 };
typedef struct known { uint32_t of[CHANNELS][BLOCKS]; } known; /* bit r: rank r's part is in it */

/* All messages of a step go at once. */
static void play(const call *c, known *has)
{
  static known before[RANKS];
  for (uint32_t s = 0; s < c->sends->steps; s++) {
    memcpy(before, has, sizeof before);
    for (size_t i = 0; i < c->sends->passes.count; i++) {
      const ts_pass *p = &c->sends->passes.at[i];
      if (s < p->first || s >= p->first + p->steps)
        continue;
      uint32_t b = ts_pass_block(p, s - p->first);
      has[p->to].of[p->channel][b] |= before[p->from].of[p->channel][b];
    }
  }
}

static void fill(const call *c, known *has)
{
  for (uint32_t r = 0; r < c->ranks; r++)
    for (int i = 0; i < CHANNELS * BLOCKS; i++) has[r].of[i / BLOCKS][i % BLOCKS] = 1u << r;
}

static uint32_t everyone(const call *c)
{
  return c->ranks == 32 ? UINT32_MAX : (1u << c->ranks) - 1;
}

Test(sends, all_have_the_sum)
{
  static known has[RANKS];
  static const uint32_t algorithms[] = {TS_IR_NET_RING, TS_IR_NET_TREE};
  for (int i = 0; i < SIZES; i++)
    for (int a = 0; a < 2; a++) {
      call c = begin(sizes[i][0], sizes[i][1]);
      make(&c, TS_IR_ALL_REDUCE, algorithms[a], CHANNELS, 1 << 20, false);
      fill(&c, has);
      play(&c, has);
      for (uint32_t r = 0; r < c.ranks; r++)
        for (uint32_t k = 0; k < CHANNELS; k++)
          for (uint32_t b = 0; b < (a ? 1 : c.ranks); b++)
            cr_assert_eq(has[r].of[k][b], everyone(&c));
      end(&c);
    }
}

Test(sends, halves_of_it)
{
  static known has[RANKS];
  for (int i = 0; i < SIZES; i++) {
    call c = begin(sizes[i][0], sizes[i][1]);
    make(&c, TS_IR_REDUCE_SCATTER, TS_IR_NET_RING, CHANNELS, 1 << 20, false);
    fill(&c, has);
    play(&c, has);
    for (uint32_t r = 0; r < c.ranks; r++)
      for (uint32_t k = 0; k < CHANNELS; k++) {
        uint32_t sums = 0;
        for (uint32_t b = 0; b < c.ranks; b++) sums += has[r].of[k][b] == everyone(&c);
        cr_assert_eq(sums, 1);
      }
    make(&c, TS_IR_ALL_GATHER, TS_IR_NET_RING, CHANNELS, 1 << 20, false);
    memset(has, 0, sizeof has);
    for (size_t p = 0; p < c.sends->passes.count; p++) {
      const ts_pass *pass = &c.sends->passes.at[p];
      has[pass->from].of[pass->channel][ts_pass_block(pass, 0)] = 1u << pass->from;
    }
    play(&c, has);
    for (uint32_t r = 0; r < c.ranks; r++)
      for (uint32_t k = 0; k < CHANNELS; k++)
        for (uint32_t b = 0; b < c.ranks; b++)
          cr_assert_eq(__builtin_popcount(has[r].of[k][b]), 1);
    end(&c);
  }
}

Test(sends, from_the_root_and_to_it)
{
  static known has[RANKS];
  for (int i = 0; i < SIZES; i++) {
    call c = begin(sizes[i][0], sizes[i][1]);
    make(&c, TS_IR_BROADCAST, TS_IR_NET_RING, CHANNELS, 1 << 20, false);
    fill(&c, has);
    play(&c, has);
    for (uint32_t r = 0; r < c.ranks; r++) cr_assert(has[r].of[1][0] & 1);
    make(&c, TS_IR_REDUCE, TS_IR_NET_RING, CHANNELS, 1 << 20, false);
    fill(&c, has);
    play(&c, has);
    for (uint32_t k = 0; k < CHANNELS; k++) cr_assert_eq(has[0].of[k][0], everyone(&c));
    end(&c);
  }
}

/* A reduce-scatter leaves each rank the block of its place, from where an all-gather begins. */
Test(sends, blocks_end_where_gathering_begins)
{
  static known has[RANKS];
  call c = begin(8, 1);
  make(&c, TS_IR_REDUCE_SCATTER, TS_IR_NET_RING, 1, 1 << 20, false);
  fill(&c, has);
  play(&c, has);
  for (uint32_t r = 0; r < c.ranks; r++) cr_assert_eq(has[r].of[0][r], everyone(&c));
  end(&c);
}

/* An all-gather: outer rings first, whose blocks are larger inside. */
Test(sends, gathering_begins_with_the_outer_dimension)
{
  call c = begin(16, 4);
  make(&c, TS_IR_ALL_GATHER, TS_IR_NET_HIERARCHICAL, 0, 16 * PART, false);
  for (size_t i = 0; i < c.sends->passes.count; i++) {
    const ts_pass *p = &c.sends->passes.at[i];
    cr_assert_eq(p->first, p->from / 4 == p->to / 4 ? 3u : 0u);
  }
  end(&c);
}

/* What a rank has not, comes; the part that it sends its island is its own. */
Test(sends, a_fabric_gathers_what_is_not_there)
{
  call c = begin(16, 4);
  make(&c, TS_IR_ALL_GATHER, TS_IR_NET_FABRIC_DIRECT, 1, 16 * PART, false);
  for (uint32_t r = 0; r < c.ranks; r++) cr_assert_eq(sent_by(&c, r, true), 15u * PART);
  make(&c, TS_IR_ALL_GATHER, TS_IR_NET_FABRIC_DIRECT, 1, 7, false);
  for (size_t i = 0; i < c.sends->passes.count; i++) {
    const ts_pass *p = &c.sends->passes.at[i];
    if (p->from < c.ranks && p->to < c.ranks)
      cr_assert_eq(ts_pass_total(p), p->from % 4 ? 2u : 1u, "%u to %u", p->from, p->to);
  }
  end(&c);
}

/* From the far end of the chain to the NIC, the fabric, and back. */
Test(sends, a_chain_begins_at_its_far_end)
{
  call c = begin(16, 4);
  make(&c, TS_IR_ALL_REDUCE, TS_IR_NET_FABRIC_CHAIN, 1, 16 * PART, false);
  for (size_t i = 0; i < c.sends->passes.count; i++) {
    const ts_pass *p = &c.sends->passes.at[i];
    if (p->from >= c.ranks || p->to >= c.ranks)
      cr_assert_eq(p->first, p->from < c.ranks ? 3u : 4u);
    else
      cr_assert_eq(p->first, p->from > p->to ? 3 - p->from % 4 : 4 + p->to % 4);
  }
  end(&c);
}

/* The whole of an all-reduce by dimensions passes each ring twice. */
Test(sends, dimensions_in_order)
{
  call c = begin(16, 4);
  make(&c, TS_IR_ALL_REDUCE, TS_IR_NET_HIERARCHICAL, 0, 16 * PART, false);
  cr_assert_eq(c.sends->steps, 2 * (3 + 3));
  for (size_t i = 0; i < c.sends->passes.count; i++) {
    const ts_pass *p = &c.sends->passes.at[i];
    bool inside = p->from / 4 == p->to / 4;
    cr_assert(inside ? p->first == 0 || p->first == 9 : p->first == 3 || p->first == 6);
  }
  end(&c);
}

/* Each connection has the bytes that the model of flows plays on it. */
Test(sends, bytes_are_those_that_flows_play)
{
  static const struct { uint32_t kind, algorithm; ts_flow_shape shape; } calls[] = {
    {TS_IR_ALL_REDUCE, TS_IR_NET_RING, TS_FLOW_LOOP},
    {TS_IR_ALL_REDUCE, TS_IR_NET_TREE, TS_FLOW_TREE},
    {TS_IR_ALL_REDUCE, TS_IR_NET_HIERARCHICAL, TS_FLOW_DIMENSIONS},
    {TS_IR_ALL_GATHER, TS_IR_NET_HIERARCHICAL, TS_FLOW_DIMENSIONS},
    {TS_IR_BROADCAST, TS_IR_NET_RING, TS_FLOW_CHAIN},
    {TS_IR_ALL_TO_ALL, TS_IR_NET_PAIRS, TS_FLOW_PAIRS}};
  enum { BYTES = 1 << 22 };
  for (int i = 0; i < SIZES; i++)
    for (int k = 0; k < 6; k++) {
      call c = begin(sizes[i][0], sizes[i][1]);
      ts_ir_net_model model = {.kind = TS_IR_NET_FLOW, .channels = 4, .algorithm = TS_IR_NONE};
      ts_flow_pattern pattern;
      uint32_t unroutable[2], links = 2 * c.ir->links_count;
      double *played = TS_NEW_ARRAY(c.arena, double, links),
             *listed = TS_NEW_ARRAY(c.arena, double, links);
      ts_flow_maker *maker = ts_flow_maker_new(c.arena, c.ir, c.graph, &model);
      cr_assert(ts_flow_pattern_make(maker, c.arena, calls[k].shape, c.vertex, c.ranks, &pattern,
                                     unroutable));
      double bytes = pattern.share * ts_flow_volume(calls[k].shape, calls[k].kind, c.ranks) * BYTES;
      for (uint32_t p = 0; p < pattern.count; p++)
        for (uint32_t u = 0; u < pattern.parts[p].count; u++)
          played[pattern.parts[p].uses[u].link] += pattern.parts[p].uses[u].connections * bytes;
      make(&c, calls[k].kind, calls[k].algorithm, 4, BYTES, false);
      for (size_t p = 0; p < c.sends->passes.count; p++)
        for (uint32_t h = 0; h < c.sends->passes.at[p].hops; h++)
          listed[c.sends->passes.at[p].path[h]] += (double)ts_pass_total(&c.sends->passes.at[p]);
      for (uint32_t l = 0; l < links; l++)
        cr_assert(fabs(played[l] - listed[l]) < 1000, "%u in %u, call %d, link %u: %g, listed %g",
                  c.ranks, c.islands, k, l, played[l], listed[l]);
      end(&c);
    }
}
