/* Layers of experts: what they cost the host, how their tokens travel, what goes on beside it;
 * against closed forms. */
#include <math.h>

#include "runtime/account/run.h"
#include "tests/unit/plan_text.h"

static double seconds(const char *text)
{
  plan_text p = plan_open(text);
  ts_stop stop = {.arena = p.arena};
  ts_run *run = ts_run_new(&p.input.ir, &(ts_run_options){0}, &stop);
  cr_assert(run, "%s", stop.title);
  double step = (double)ts_run_result(run)->step * 1e-12;
  ts_run_free(run);
  plan_close(&p);
  return step;
}

/* Four products, of 100 us each way and each gradient, on one of eight ranks; none is sent
 * anything. */
#define HOSTED(rules, host)                                                                        \
  "import std.ops.nn, std.clusters.dgx\n"                                                          \
  "model m() { x = input([batch, 1024], bf16)\n"                                                   \
  "  repeat 4 as layer { x = linear(x, out: 1024) as fc } }\n"                                     \
  "strategy issue() { rule r { match linear as \"layer[*]\"\n" rules " } }\n"                      \
  "fn k(flops: Work) -> Time = 100 us\n"                                                           \
  "plan p() { model = m()\n cluster = dgx_h100(nodes: 1)\n mesh = { dp: 8 }\n apply = [issue()]\n" \
  "  batch = { micro: 8, global: 64 }\n"                                                           \
  "  precision = { compute: bf16, weights: bf16, gradients: bf16 }\n"                              \
  "  optimizer = { state: 0 B, master: 0 B, temp: 0 B, kernels: [], fused: true }\n"               \
  "  costs = [{ gemm: k }]\n"                                                                      \
  "  host = { launch: " host ", collective: 0 us, message: 0 us, item: 0 us, step: 0 us } }\n"

/* The input wants no gradient: 4 forwards, 7 products backward. A host that waits for a forward
 * issues the next one after it. */
Test(host, rules_say_what_issuing_costs)
{
  cr_expect_float_eq(seconds(HOSTED("", "7 us")), 7e-6 + 11 * 100e-6, 1e-12);
  cr_expect_float_eq(seconds(HOSTED("set host = 30 us", "7 us")), 30e-6 + 11 * 100e-6, 1e-12);
  cr_expect_float_eq(seconds(HOSTED("set host = 200 us", "7 us")), 11 * 200e-6 + 100e-6, 1e-12);
  cr_expect_float_eq(seconds(HOSTED("set sync = true", "30 us")),
                     4 * (30e-6 + 100e-6) + 30e-6 + 7 * 100e-6, 1e-12);
  cr_expect_float_eq(seconds(HOSTED("set sync = false", "30 us")), 30e-6 + 11 * 100e-6, 1e-12);
}

/* A token of 14,336 bytes, 4,096 of them a rank, eight experts of as many as there are: DeepEP
 * sends it once to each of the other nodes that want it. */
#define SENT(library, ranks, nodes)                                                                \
  "import std.exchange, std.clusters.dgx, std.precision\n"                                         \
  "op copies() { output y: [" ranks ", 32768, 7168] dtype bf16\n"                                  \
  "  forward { kernel none_at_all { bytes = 1 B } } }\n"                                           \
  "model m() { y = copies() as copies }\n"                                                         \
  "strategy sent(e: Axis, share: Real) { rule r { match copies\n split y dim 1 over e\n"           \
  "  after forward: all_to_all(y, dim: 0, over: e, share: share) } }\n"                            \
  "fn k(bytes: Size) -> Time = 0 us\n"                                                             \
  "let x = exchange_of(\"" library "\") with { base = 10 us, nics = 0.5, nvlink = 0.5, "           \
  "sm = 100 GB/s, row = 0 us }\n"                                                                  \
  "plan p() { model = m()\n cluster = dgx_h100(nodes: " nodes ")\n mesh = { e: " ranks " }\n"      \
  "  apply = [sent(e, exchange_share(x, " ranks ", " nodes ", 8))]\n batch = { micro: 1 }\n"       \
  "  precision = mixed(bf16)\n"                                                                    \
  "  optimizer = { state: 0 B, master: 0 B, temp: 0 B, kernels: [], fused: true }\n"               \
  "  costs = [{ none_at_all: k }]\n"                                                               \
  "  network = exchange_network(x, e, " ranks ", " nodes ", 8, 450 GB/s, called: false) }\n"

static double met(double places)
{
  return places * (1 - pow(1 - 1 / places, 8));
}

Test(exchange, a_token_travels_once_to_each_node_that_wants_it)
{
  const double token = 4096 * 14336.0, latency = 20e-6; /* of the links, at most */
  double inside = token * met(8) * 7 / 8 / (0.5 * 450e9),
         between = token * met(4) * 3 / 4 / (0.5 * 50e9);
  cr_expect_float_eq(seconds(SENT("deep_ep", "8", "1")), 10e-6 + inside, latency);
  cr_expect_float_eq(seconds(SENT("deep_ep", "32", "4")), 10e-6 + between, latency);
  cr_expect_float_eq(seconds(SENT("hybrid_ep", "32", "4")), 10e-6 + between, latency);
}

/* Every copy goes straight to its expert's rank; those that leave the node go over the NIC. */
Test(exchange, low_latency_kernels_send_every_copy)
{
  const double copies = 8 * 4096 * 14336.0, latency = 20e-6, far = 14e-6;
  cr_expect_float_eq(seconds(SENT("deep_ep_low_latency", "8", "1")),
                     10e-6 + copies * 7 / 8 / (0.5 * 450e9), latency);
  cr_expect_float_eq(seconds(SENT("deep_ep_low_latency", "32", "4")),
                     10e-6 + far + copies * 3 / 4 / (0.5 * 50e9), latency);
}

/* Experts on eight ranks, whose all-to-alls take half of the time that their products do: alone
 * they come on top, beside another micro-batch they are hidden but for the first and the last. */
#define BESIDE(schedule)                                                                           \
  "import std.ops.nn, std.ops.moe, std.clusters.dgx, std.strategies.experts, "                     \
  "std.schedules.one_f_one_b, std.schedules.beside, std.precision\n"                               \
  "model m() { ids = input([batch, 512], int64)\n x = embedding(ids, 1024, 1024) as embed\n"       \
  "  repeat 2 as layer { x = experts(x, experts: 8, top: 2, ffn: 1024) as moe }\n"                 \
  "  l = linear(x, out: 1024) as head\n loss = cross_entropy(l) as loss }\n"                       \
  "fn fast(bytes: Size) -> Time = 0 us\nfn none_of(flops: Work) -> Time = 0 us\n"                  \
  "fn slow(count: Int) -> Time = 100 us\n"                                                         \
  "plan p(one: Int = 1) { model = m()\n cluster = dgx_h100(nodes: 1)\n mesh = { e: 8, pp: 1 }\n"   \
  "  apply = [expert_parallel(e)]\n schedule = " schedule "\n"                                     \
  "  batch = { micro: 8 }\n precision = mixed(bf16)\n"                                             \
  "  optimizer = { state: 0 B, master: 0 B, temp: 0 B, kernels: [], fused: true }\n"               \
  "  costs = [{ grouped_gemm: slow, gemm: none_of, elementwise: fast, embedding: fast, "           \
  "cross_entropy: fast }, roofline(h100_sxm)]\n"                                                   \
  "  network = alpha_beta(base: 100 us, hop: 0 us, efficiency: 1, of: \"all_to_all\") }\n"

Test(exchange, communication_hides_beside_another_micro_batch)
{
  /* a layer: 2 products forward, 4 backward; 2 all-to-alls forward, 2 backward */
  double alone = seconds(BESIDE("one_f_one_b(p: pp, m: 16)")),
         beside = seconds(BESIDE("one_f_one_b_beside(p: pp, m: 16)")),
         products = 16 * 2 * 6 * 100e-6, sent = 16 * 2 * 4 * 100e-6;
  cr_expect_gt(alone, products + 0.7 * sent);
  cr_expect_geq(beside, products);
  /* the first forward and the last backward have nothing beside them, and runs are not equal */
  cr_expect_lt(beside, products + 0.35 * sent, "%g, %g alone", beside, alone);
}
