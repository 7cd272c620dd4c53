/* Network files, the calibration of white boxes and the variables of the library's environment. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "calibrate/network_fit.h"
#include "compiler/machine/network_table.h"

static const char hardware_text[] =
  "{\"trainspec-network\": 1, \"device\": \"d\", \"library\": \"l 1\", \"methods\": [\n"
  " {\"collective\": [\"all_reduce\", \"all_gather\"], \"algorithm\": \"ring\", \"protocol\": "
  "\"ll\", \"channels\": 8, \"threads\": 512, \"connection_us\": 6, \"intra_hop_us\": 0.5, "
  "\"inter_hop_us\": 3,"
  "  \"intra_share\": 0.4, \"inter_share\": 0.4},\n"
  " {\"collective\": [\"all_reduce\", \"all_gather\"], \"algorithm\": \"ring\", \"protocol\": "
  "\"simple\", \"channels\": 8, \"threads\": 512, \"connection_us\": 20, \"believed_us\": 8, "
  "\"intra_hop_us\": 3,"
  "  \"inter_hop_us\": 14, \"intra_share\": 0.8, \"inter_share\": 0.9, \"local\": 0.5},\n"
  " {\"collective\": \"all_reduce\", \"algorithm\": \"tree\", \"protocol\": \"ll\", \"channels\": "
  "8, \"threads\": 512, \"connection_us\": 7, \"intra_hop_us\": 0.5, \"inter_hop_us\": 5,"
  "  \"intra_share\": 0.2, \"inter_share\": 0.2}]}\n";

static ts_network_file *read(ts_arena *arena, const char *text)
{
  ts_error error;
  ts_network_file *file = ts_network_file_read(arena, text, strlen(text), &error);
  cr_assert(file, "%s", error.message);
  return file;
}

/* Two lines: 10 us + bytes / 10 GB/s and 40 us + bytes / 200 GB/s, whichever is less. */
static double truth(uint64_t bytes)
{
  return fmin(10 + (double)bytes / 10e3, 40 + (double)bytes / 200e3);
}

static uint32_t synthetic(ts_ir_net_point *points, uint32_t ranks, uint32_t islands)
{
  uint32_t n = 0;
  for (uint64_t bytes = 1024; bytes <= UINT64_C(1) << 28; bytes *= 2, n++)
    points[n] = (ts_ir_net_point){
      TS_IR_ALL_REDUCE, ranks, islands, 0, bytes, (uint64_t)llround(truth(bytes) * 1e6)};
  return n;
}

Test(network_fit, finds_the_lines_that_made_the_data)
{
  ts_arena *arena = ts_arena_new("test");
  const ts_network_file *hardware = read(arena, hardware_text);
  ts_ir_net_point points[32];
  uint32_t n = synthetic(points, 8, 1);
  ts_network_score *scores;
  for (int odd = 0; odd < 2; odd++) {
    cr_assert_eq(
      ts_network_hold_out(arena, hardware, (ts_fit_links){450e9, 0}, points, n, odd, true, &scores, NULL),
      1u);
    cr_assert_lt(scores->mean, 0.02);
    cr_assert_gt(scores->baseline, 0.1);
    cr_assert_eq(scores->rows, odd ? n - n / 2 : n / 2);
  }
  cr_assert_eq(scores->beyond, 2u); /* the smallest and the largest */
  ts_network_hold_out(arena, hardware, (ts_fit_links){450e9, 0}, points, n, true, false, &scores, NULL);
  cr_assert_eq(scores->rows, n - n / 2 - 2); /* not predicted unless asked for */
  ts_arena_free(arena);
}

Test(network_fit, passes_through_what_was_measured_and_leaves_the_rest_to_the_hardware)
{
  ts_arena *arena = ts_arena_new("test");
  const ts_network_file *hardware = read(arena, hardware_text);
  ts_ir_net_point points[32];
  uint32_t n = synthetic(points, 8, 1);
  const ts_fit_links links = {450e9, 0};
  const ts_network_file *file = ts_network_fit(arena, hardware, links, points, n, NULL);
  ts_profile eight = ts_fit_profile(links, 8, 1), four = ts_fit_profile(links, 4, 1);
  for (uint32_t i = 0; i < n; i++)
    cr_assert_float_eq(ts_network_file_time(file, TS_IR_ALL_REDUCE, points[i].bytes, &eight) * 1e12,
                       (double)points[i].time, 2);
  cr_assert_float_eq(ts_network_file_time(file, TS_IR_ALL_REDUCE, 1 << 20, &four),
                     ts_network_file_time(hardware, TS_IR_ALL_REDUCE, 1 << 20, &four), 1e-15);
  cr_assert_eq(ts_network_file_time(file, TS_IR_ALL_TO_ALL, 1 << 20, &eight), 0); /* no method */
  /* half as fast links: large messages take twice as long, anchors or not */
  ts_profile slow = eight;
  slow.intra /= 2;
  double whole = ts_network_file_time(file, TS_IR_ALL_REDUCE, 1 << 28, &eight) - 40e-6,
         half = ts_network_file_time(file, TS_IR_ALL_REDUCE, 1 << 28, &slow) - 40e-6;
  cr_assert_float_eq(half / whole, 2, 0.01);
  ts_arena_free(arena);
}

Test(network_fit, node_counts_that_were_not_measured_follow_those_that_were)
{
  ts_arena *arena = ts_arena_new("test");
  const ts_network_file *hardware = read(arena, hardware_text);
  ts_ir_net_point points[3];
  const uint32_t islands[] = {2, 4, 16};
  const ts_fit_links links = {450e9, 400e9};
  /* 300 GB/s on two nodes, falling with the square root of their number */
  for (int i = 0; i < 3; i++) {
    double ranks = 8 * islands[i], rate = 300e9 * pow(islands[i] / 2.0, -0.5);
    points[i] = (ts_ir_net_point){
      TS_IR_ALL_REDUCE, 8 * islands[i],
      islands[i],       0,
      1 << 30,          (uint64_t)llround(2 * (ranks - 1) / ranks * (1 << 30) / rate * 1e12)};
  }
  const ts_network_file *file = ts_network_fit(arena, hardware, links, points, 3, NULL);
  ts_profile eight = ts_fit_profile(links, 64, 8);
  double expected = 2 * 63 / 64.0 * (1 << 30) / (300e9 / 2);
  cr_assert_float_eq(ts_network_file_time(file, TS_IR_ALL_REDUCE, 1 << 30, &eight) / expected, 1,
                     0.1);
  ts_arena_free(arena);
}

/* A machine of its own: the hardware's methods, slower by a hump over some sizes that all ranks and
 * collectives share. */
static uint64_t humped(const ts_network_file *hardware, const ts_ir_net_point *p)
{
  ts_profile profile = ts_fit_profile((ts_fit_links){450e9, 0}, p->ranks, 1);
  double off = (log2((double)p->bytes) - 18) / 2;
  return (uint64_t)llround(ts_network_file_time(hardware, p->collective, p->bytes, &profile) *
                           (1 + 1.5 * exp(-off * off)) * 1e12);
}

/* Worst error over all sizes of all groups, of a calibration to the points. */
static double worst_of(ts_arena *arena, const ts_network_file *hardware,
                       const ts_ir_net_point *points, uint32_t count)
{
  const ts_network_file *file =
    ts_network_fit(arena, hardware, (ts_fit_links){450e9, 0}, points, count, NULL);
  double worst = 0;
  for (uint32_t g = 0; g < 6; g++)
    for (uint64_t bytes = 1024; bytes <= UINT64_C(1) << 28; bytes *= 2) {
      ts_ir_net_point p = {
        g < 3 ? TS_IR_ALL_REDUCE : TS_IR_ALL_GATHER, 2u << g % 3, 1, 0, bytes, 0};
      ts_profile profile = ts_fit_profile((ts_fit_links){450e9, 0}, p.ranks, 1);
      worst = fmax(worst, fabs(ts_network_file_time(file, p.collective, bytes, &profile) * 1e12 /
                                 (double)humped(hardware, &p) -
                               1));
    }
  return worst;
}

/* Three or four sizes of each group miss the hump; those of all groups together show it. */
Test(network_fit, groups_of_few_sizes_learn_from_each_other)
{
  ts_arena *arena = ts_arena_new("test");
  const ts_network_file *hardware = read(arena, hardware_text);
  ts_ir_net_point points[64];
  double alone = 0;
  uint32_t n = 0;
  for (uint32_t g = 0; g < 6; g++) {
    uint32_t first = n;
    for (uint32_t power = 10 + g; power <= 28; power += 6, n++) {
      points[n] = (ts_ir_net_point){
        g < 3 ? TS_IR_ALL_REDUCE : TS_IR_ALL_GATHER, 2u << g % 3, 1, 0, UINT64_C(1) << power, 0};
      points[n].time = humped(hardware, &points[n]);
    }
    alone = fmax(alone, worst_of(arena, hardware, points + first, n - first));
  }
  ts_network_sort_points(points, n);
  double together = worst_of(arena, hardware, points, n);
  cr_assert_lt(together, 0.4, "%f", together);
  cr_assert_gt(alone, 0.5, "%f", alone);
  const ts_network_file *file =
    ts_network_fit(arena, hardware, (ts_fit_links){450e9, 0}, points, n, NULL);
  for (uint32_t i = 0; i < n; i++) { /* what was measured stays */
    ts_profile profile = ts_fit_profile((ts_fit_links){450e9, 0}, points[i].ranks, 1);
    cr_assert_float_eq(ts_network_file_time(file, points[i].collective, points[i].bytes, &profile) *
                         1e12 / (double)points[i].time,
                       1, 1e-6);
  }
  ts_arena_free(arena);
}

/* A size measured several times is kept or left out with all its rows. */
Test(network_fit, repeats_are_held_out_together)
{
  ts_arena *arena = ts_arena_new("test");
  const ts_network_file *hardware = read(arena, hardware_text);
  ts_ir_net_point points[64];
  ts_network_score *scores;
  uint32_t n = synthetic(points, 8, 1);
  for (uint32_t i = 0; i < n; i++) {
    points[n + i] = points[i];
    points[n + i].time += points[i].time / 100;
  }
  ts_network_sort_points(points, 2 * n);
  cr_assert_eq(ts_network_hold_out(arena, hardware, (ts_fit_links){450e9, 0}, points, 2 * n, false,
                                   true, &scores, NULL),
               1u);
  cr_assert_eq(scores->rows, n / 2 * 2);
  cr_assert_lt(scores->mean, 0.03);
  ts_arena_free(arena);
}

Test(network_fit, files_come_back_as_written)
{
  ts_arena *arena = ts_arena_new("test");
  const ts_network_file *hardware = read(arena, hardware_text);
  ts_ir_net_point points[32];
  uint32_t n = synthetic(points, 8, 1);
  const ts_network_file *file =
    ts_network_fit(arena, hardware, (ts_fit_links){450e9, 0}, points, n, NULL);
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  ts_network_file_write(out, file, NULL, NULL);
  fclose(out);
  const ts_network_file *back = read(arena, text);
  cr_assert_eq(back->method_count, file->method_count);
  cr_assert_eq(back->point_count, n);
  ts_profile eight = ts_fit_profile((ts_fit_links){450e9, 0}, 8, 1);
  for (uint64_t bytes = 1000; bytes < 1000000000; bytes *= 3)
    cr_assert_float_eq(ts_network_file_time(back, TS_IR_ALL_REDUCE, bytes, &eight) /
                         ts_network_file_time(file, TS_IR_ALL_REDUCE, bytes, &eight),
                       1, 1e-3);
  free(text);
  ts_arena_free(arena);
}

static const char *set(ts_arena *arena, ts_network_file *file, const char *name, const char *value)
{
  bool changed = false;
  return ts_network_variable(arena, name, value, file, &changed);
}

Test(network_fit, variables_of_the_environment)
{
  ts_arena *arena = ts_arena_new("test");
  ts_network_file *file = read(arena, hardware_text);
  cr_assert_null(set(arena, file, "NCCL_ALGO", "allreduce:tree,ring;allgather:ring"));
  cr_assert_eq(file->method_count, 5u);
  cr_assert_null(set(arena, file, "NCCL_ALGO", "^tree"));
  cr_assert_eq(file->method_count, 4u);
  cr_assert_null(set(arena, file, "NCCL_PROTO", "Simple"));
  cr_assert_eq(file->method_count, 2u);
  cr_assert_null(set(arena, file, "NCCL_MAX_NCHANNELS", "2"));
  cr_assert_eq(file->methods[0].channels, 2u);
  /* a quarter of the channels carries a quarter */
  cr_assert_float_eq(file->methods[0].intra_share, 0.2, 1e-12);
  cr_assert_str_eq(set(arena, file, "NCCL_ALGO", "star"),
                   "NCCL_ALGO: `star` is not known; known: `ring`, `tree`, `nvls`, `nvlstree`, "
                   "`collnetchain`, `collnetdirect`, `pat`");
  cr_assert_str_eq(set(arena, file, "NCCL_PROTO", "LL128"),
                   "NCCL_PROTO=LL128 leaves no algorithm for all_reduce");
  file = read(arena, hardware_text);
  cr_assert_str_eq(set(arena, file, "NCCL_NTHREADS", "many"),
                   "NCCL_NTHREADS: `many` is not a whole number from 64 to 512");
  cr_assert_str_eq(set(arena, file, "NCCL_ALG", "ring"),
                   "no variable `NCCL_ALG`; did you mean NCCL_ALGO?");
  cr_assert(
    strstr(set(arena, file, "OMP_NUM_THREADS", "1"), "no variable `OMP_NUM_THREADS`; known: "));
  ts_arena_free(arena);
}

static const ts_ir_net_method *method_of(const ts_network_file *file, uint32_t algorithm,
                                         uint32_t protocol)
{
  for (uint32_t i = 0; i < file->method_count; i++)
    if (file->methods[i].algorithm == algorithm && file->methods[i].protocol == protocol)
      return &file->methods[i];
  cr_assert(false, "no such method");
  return NULL;
}

/* Each variable changes the methods that it is for, and no others. */
Test(network_fit, variables_of_chunks_channels_and_threads)
{
  static const char text[] =
    "{\"trainspec-network\": 1, \"methods\": [\n"
    " {\"collective\": \"all_to_all\", \"algorithm\": \"pairs\", \"protocol\": \"simple\", "
    "\"channels\": 8, \"threads\": 512, \"chunk\": 524288, \"inter_share\": 0.8},\n"
    " {\"collective\": \"all_reduce\", \"algorithm\": \"switch_tree\", \"protocol\": \"simple\", "
    "\"channels\": 8, \"threads\": 512, \"chunk\": 131072, \"inter_share\": 0.8},\n"
    " {\"collective\": \"all_reduce\", \"algorithm\": \"ring\", \"protocol\": \"ll\", "
    "\"channels\": 8, \"threads\": 512, \"chunk\": 32768, \"inter_share\": 0.8},\n"
    " {\"collective\": \"all_reduce\", \"algorithm\": \"ring\", \"protocol\": \"ll128\", "
    "\"channels\": 8, \"threads\": 640, \"chunk\": 576000, \"inter_share\": 0.8}]}\n";
  ts_arena *arena = ts_arena_new("test");
  ts_network_file *file = read(arena, text);
  const ts_ir_net_method *pairs = method_of(file, TS_IR_NET_PAIRS, TS_IR_NET_SIMPLE),
                         *tree = method_of(file, TS_IR_NET_SWITCH_TREE, TS_IR_NET_SIMPLE),
                         *words = method_of(file, TS_IR_NET_RING, TS_IR_NET_LL),
                         *lines = method_of(file, TS_IR_NET_RING, TS_IR_NET_LL128);
  cr_assert_null(set(arena, file, "NCCL_LL_BUFFSIZE", "1048576"));
  cr_assert_null(set(arena, file, "NCCL_LL128_BUFFSIZE", "2457600"));
  cr_assert_null(set(arena, file, "NCCL_NVLS_CHUNKSIZE", "262144"));
  cr_assert_null(set(arena, file, "NCCL_MAX_P2P_NCHANNELS", "2"));
  cr_assert_null(set(arena, file, "NCCL_LL128_NTHREADS", "320"));
  cr_assert(words->chunk == 65536 && lines->chunk == 288000);
  cr_assert(tree->chunk == 262144 && pairs->chunk == 524288);
  cr_assert(pairs->channels == 2 && words->channels == 8 && tree->channels == 8);
  cr_assert_float_eq(pairs->inter_share, 0.2, 1e-12);
  cr_assert(lines->threads == 320 && words->threads == 512);
  cr_assert_float_eq(lines->inter_share, 0.4, 1e-12);
  cr_assert_float_eq(words->inter_share, 0.8, 1e-12);
  cr_assert_null(set(arena, file, "NCCL_MIN_P2P_NCHANNELS", "16"));
  cr_assert(pairs->channels == 16 && words->channels == 8);
  ts_arena_free(arena);
}

Test(network_fit, variables_that_ask_for_methods)
{
  ts_arena *arena = ts_arena_new("test");
  ts_network_file *file = read(
    arena,
    "{\"trainspec-network\": 1, \"methods\": [\n"
    " {\"collective\": \"all_to_all\", \"algorithm\": \"pairs\", \"protocol\": \"simple\", "
    "\"relay\": 1, \"channels\": 8, \"threads\": 512, \"inter_hop_us\": 2, \"inter_share\": 0.9},\n"
    " {\"collective\": \"all_reduce\", \"algorithm\": \"switch_tree\", \"protocol\": \"simple\", "
    "\"channels\": 8, \"threads\": 512, \"inter_share\": 0.9},\n"
    " {\"collective\": \"all_reduce\", \"algorithm\": \"ring\", \"protocol\": \"simple\", "
    "\"channels\": 8, \"threads\": 512, \"inter_share\": 0.9}],\n"
    " \"optional\": [{\"variable\": \"NCCL_COLLNET_ENABLE\", \"methods\": [\n"
    "  {\"collective\": \"all_reduce\", \"algorithm\": \"fabric_chain\", \"protocol\": \"simple\", "
    "\"channels\": 8, \"threads\": 512, \"inter_share\": 0.9}]}]}\n");
  const ts_fit_links links = {450e9, 400e9};
  ts_profile profile = ts_fit_profile(links, 64, 8);
  double relayed = ts_network_file_time(file, TS_IR_ALL_TO_ALL, 1, &profile),
         usual = ts_network_file_time(file, TS_IR_ALL_REDUCE, 1 << 30, &profile);
  cr_assert_null(set(arena, file, "NCCL_P2P_PXN_LEVEL", "0"));
  /* a message to each other rank, not to each island */
  cr_assert_float_eq(ts_network_file_time(file, TS_IR_ALL_TO_ALL, 1, &profile) - relayed,
                     (56 - 7) * 2e-6, 1e-8);
  cr_assert_eq(file->method_count, 3u);
  cr_assert_null(set(arena, file, "NCCL_COLLNET_ENABLE", "0"));
  cr_assert_eq(file->method_count, 3u);
  cr_assert_null(set(arena, file, "NCCL_COLLNET_ENABLE", "1"));
  cr_assert_eq(file->method_count, 4u);
  /* the fabric has each island's bytes sent once */
  cr_assert_float_eq(usual / ts_network_file_time(file, TS_IR_ALL_REDUCE, 1 << 30, &profile),
                     2 * 63 / 64.0, 0.01);
  cr_assert_null(set(arena, file, "NCCL_NVLS_ENABLE", "0"));
  cr_assert_eq(file->method_count, 3u);
  uint32_t before = file->method_count;
  cr_assert_null(set(arena, file, "NCCL_DEBUG", "INFO"));
  cr_assert_null(set(arena, file, "NCCL_IB_HCA", "mlx5"));
  cr_assert_eq(file->method_count, before);
  cr_assert_eq(ts_network_variable_left("NCCL_DEBUG", "INFO"), TS_NETWORK_HARMLESS);
  cr_assert_eq(ts_network_variable_left("NCCL_IB_HCA", "mlx5"), TS_NETWORK_NOT_MODELLED);
  cr_assert_eq(ts_network_variable_left("NCCL_P2P_DISABLE", "1"), TS_NETWORK_NOT_MODELLED);
  cr_assert_eq(ts_network_variable_left("NCCL_P2P_DISABLE", "0"), TS_NETWORK_HARMLESS);
  cr_assert_eq(ts_network_variable_left("NCCL_ALGO", "ring"), TS_NETWORK_FOLLOWED);
  cr_assert(strstr(set(arena, file, "NCCL_DEBUGS", "INFO"), "did you mean NCCL_DEBUG?"));
  cr_assert_lt(ts_network_variable_rank("NCCL_COLLNET_ENABLE"),
               ts_network_variable_rank("NCCL_ALGO"));
  ts_arena_free(arena);
}

Test(network_fit, logs)
{
  static const char log[] =
    "# Collective test starting: all_gather_perf\n#  Rank  0 Group  0 Pid 1 on one device  0 "
    "[0x1b] Some GPU\n"
    "#  Rank  1 Group  0 Pid 2 on two device  0 [0x1b] Some GPU\n#   size  count  type  redop  "
    "root  time  algbw  busbw #wrong  time  algbw  busbw #wrong\n"
    "     0    0  float  none  -1  0.05  0.0  0.0  0  0.04  0.0  0.0  N/A\n"
    "     4    1  float  none  -1  0.00  0.0  0.0  0  0.00  0.0  0.0  N/A\n"
    "  1024  256  float  none  -1  10.0  0.1  0.1  0  12.0  0.1  0.1  N/A\nsome noise\n  2048  512 "
    " float  none  -1  20.0  0.1  0.1  0  20.0  0.1  0.1  0\n";
  ts_arena *arena = ts_arena_new("test");
  ts_error error;
  const ts_network_table *t = ts_network_log_read(arena, log, strlen(log), -1, &error);
  cr_assert(t, "%s", error.message);
  const ts_ir_net_point *p = t->points;
  cr_assert_eq(t->count, 2u);
  cr_assert_eq(t->passed_over, 2u); /* of no bytes, and of no time */
  cr_assert_eq(t->first_passed, 5u);
  cr_assert_eq(p[0].collective, (uint32_t)TS_IR_ALL_GATHER);
  cr_assert_eq(p[0].ranks, 2u);
  cr_assert_eq(p[0].islands, 2u);
  cr_assert_eq(p[0].bytes, 1024u);
  cr_assert_eq(p[0].time, 11000000u); /* the mean of both */
  cr_assert_str_eq(t->device, "Some GPU");
  cr_assert_null(ts_network_log_read(arena, log, strlen(log) - 9, -1, &error));
  cr_assert_eq(error.line, 9u);
  cr_assert_null(ts_network_log_read(arena, "hello\n", 6, -1, &error));
  cr_assert(error.message[0]);
  ts_arena_free(arena);
}
