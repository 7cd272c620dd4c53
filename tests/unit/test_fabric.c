/* White boxes of fabrics between nodes: closed forms of trees, what links can carry, and fits that
 * find the constants again. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/source.h"
#include "calibrate/fabric_fit.h"
#include "calibrate/network_fit.h"

static const char *const fabrics[] = {"infiniband", "roce",        "efa_p4",
                                      "efa",        "tcpx",        "slingshot11",
                                      "nvl72",      "slingshot11_shared"};
enum { FABRICS = sizeof fabrics / sizeof *fabrics };

static ts_network_file *standard(ts_arena *arena, const char *name)
{
  size_t size = 0;
  int failed = 0;
  ts_error error;
  char *text = ts_read_file(
    arena, ts_arena_printf(arena, "%s/stdlib/networks/%s.json", getenv("top_srcdir"), name), &size,
    &failed);
  cr_assert(text, "%s", name);
  ts_network_file *file = ts_network_file_read(arena, text, size, &error);
  cr_assert(file, "%s: %s", name, error.message);
  return file;
}

static const char *wrong_in(const char *between)
{
  static ts_error error;
  ts_arena *arena = ts_arena_new("test");
  const char *text =
    ts_arena_printf(arena, "{\"trainspec-network\": 1, \"between\": %s}", between);
  bool read = ts_network_file_read(arena, text, strlen(text), &error);
  ts_arena_free(arena);
  return read ? "" : error.message;
}

/* All fields as they start, but for one. */
static const char *wrong_with(ts_arena *arena, const char *name, const char *value)
{
  const char *text = "{";
  for (const ts_network_field *f = ts_fabric_fields; f->name; f++)
    text = ts_arena_printf(arena, "%s%s\"%s\": %s", text, text[1] ? ", " : "", f->name,
                           strcmp(f->name, name) != 0 ?
                             ts_arena_printf(arena, "%g", ts_network_field_get(f, &ts_fabric_start)) :
                             value);
  return wrong_in(ts_arena_printf(arena, "%s}", text));
}

Test(fabric, files_say_what_is_wrong)
{
  ts_arena *arena = ts_arena_new("test");
  cr_assert_str_eq(wrong_with(arena, "hop_us", "7"), "");
  cr_assert(strstr(wrong_in("{\"hop_us\": 7, \"share\": 0.9}"), "needs `chunks`, `pairs_share`"));
  cr_assert(strstr(wrong_with(arena, "share", "1.5"), "a share is from 0.001 to 1"));
  cr_assert(strstr(wrong_with(arena, "ring_hop_us", "90000"), "a step of more than 50 ms"));
  cr_assert(strstr(wrong_with(arena, "chunks", "0"), "is above 0"));
  cr_assert(strstr(wrong_with(arena, "nvls", "2"), "`ll`, `ll128` and `nvls` are 0 or 1"));
  cr_assert(strstr(wrong_with(arena, "trees_from", "1"), "`trees_from` is a number of islands"));
  cr_assert(strstr(wrong_with(arena, "deal", "0.5"), "`deal` is a number of bytes"));
  cr_assert(strstr(wrong_with(arena, "word_gb_s", "0"), "`word_gb_s` is from"));
  cr_assert(strstr(wrong_in("{\"hops_us\": 7}"), "no field is named `hops_us`"));
  cr_assert(strstr(wrong_in("[7]"), "must be an object"));
  ts_arena_free(arena);
}

/* 1 GB/s each way between nodes; nothing inside takes time. */
Test(fabric, trees_pass_on_first_chunks_whole_and_two_islands_once)
{
  ts_ir_net_method m = {.collective = TS_IR_ALL_REDUCE,
                        .algorithm = TS_IR_NET_TREE,
                        .protocol = TS_IR_NET_SIMPLE,
                        .channels = 10,
                        .threads = 512,
                        .chunk = 1e6,
                        .connection = 3000000,
                        .inter_hop = 1000000,
                        .inter_share = 1};
  double intra, inter;
  for (uint32_t islands = 2; islands <= 64; islands *= 2) {
    ts_profile p = {.ranks = islands, .islands = islands, .per_island = 1, .inter = 1e9};
    double steps = 2 * log2(islands), bytes = 1e9, volume = islands == 2 ? 1 : 2;
    ts_method_volumes(&m, &p, &intra, &inter);
    cr_assert_float_eq(inter, volume, 1e-12);
    ts_white_box box = ts_white_box_method(&m, (uint64_t)bytes, &p);
    /* the first 10 MB are halves in two trees, and take each step's time once more */
    double expected = 3e-6 + steps * 1e-6 + 0.5 * steps * 10e6 / 1e9 + volume * bytes / 1e9;
    cr_assert_float_eq((box.connection + box.intra + box.inter + box.reduction) * 1e-12, expected,
                       1e-9);
    box = ts_white_box_method(&m, 1000000, &p); /* all of it is first */
    expected = 3e-6 + steps * 1e-6 + (0.5 * steps + volume) * 1e6 / 1e9;
    cr_assert_float_eq((box.connection + box.intra + box.inter + box.reduction) * 1e-12, expected,
                       1e-9);
  }
}

/* 10 GB/s a processor in two channels of each rank of four; links of no weight. */
Test(fabric, words_go_at_the_pace_of_processors)
{
  ts_ir_net_method m = {.collective = TS_IR_ALL_REDUCE,
                        .algorithm = TS_IR_NET_TREE,
                        .protocol = TS_IR_NET_LL,
                        .channels = 24,
                        .threads = 512,
                        .chunk = 32768,
                        .inter_hop = 1000000,
                        .inter_share = 1,
                        .lanes = 2,
                        .deal = 32768,
                        .lane_rate = 10e9};
  ts_profile p = {.ranks = 32, .islands = 8, .per_island = 4, .inter = 1e18};
  /* 8 KiB in one channel: 6 steps of them whole */
  cr_assert_float_eq(ts_white_box_method(&m, 8192, &p).inter, 6 * (1e6 + 8192 * 100.), 1);
  /* 64 KiB: four channels have 16 KiB each, traffic of 32 KiB */
  cr_assert_float_eq(ts_white_box_method(&m, 65536, &p).inter, 6 * (1e6 + 16384 * 100.), 1);
  cr_assert_eq(ts_white_box_method(&m, 65536, &p).channels, 4);
  /* 1 MiB: eight channels (not 24) have a chunk each; the rest goes up and down by four processors */
  cr_assert_float_eq(ts_white_box_method(&m, 1048576, &p).inter,
                     6 * (1e6 + 32768 * 100.) + 2 * (1048576 - 8 * 32768) * 100. / 4, 1);
  /* a ring: 31/32 of the bytes twice, by as many processors as there are channels in use */
  m.algorithm = TS_IR_NET_RING;
  cr_assert_float_eq(ts_white_box_method(&m, 1048576, &p).inter,
                     14e6 + 2 * 31 / 32. * 1048576 * 100. / 4, 1);
  /* each thread has 8 B of each rank's part */
  cr_assert_eq(ts_white_box_method(&m, 2 * 512 * 8 * 32, &p).channels, 2);
}

Test(fabric, trees_of_three_islands_branch)
{
  ts_ir_net_method m = {.collective = TS_IR_ALL_REDUCE,
                        .algorithm = TS_IR_NET_TREE,
                        .protocol = TS_IR_NET_SIMPLE,
                        .channels = 1,
                        .threads = 512,
                        .inter_share = 1,
                        .branching = 0.8};
  for (uint32_t islands = 2; islands <= 8; islands++) {
    ts_profile p = {.ranks = islands, .islands = islands, .per_island = 1, .inter = 1e9};
    double volume = islands == 2 ? 1 : 2 / 0.8;
    cr_assert_float_eq(ts_white_box_method(&m, 1000000, &p).inter, volume * 1e9, 1);
  }
}

static ts_ir_net_method choice(uint32_t algorithm, double share, double believed)
{
  return (ts_ir_net_method){.collective = TS_IR_ALL_REDUCE,
                            .algorithm = algorithm,
                            .protocol = TS_IR_NET_SIMPLE,
                            .channels = 1,
                            .threads = 512,
                            .inter_share = share,
                            .believed_share = believed};
}

/* A ring is twice as fast and not known to be: the library takes trees, which it believes in. */
Test(fabric, the_library_chooses_by_what_it_believes_of_links)
{
  ts_ir_net_method of[] = {choice(TS_IR_NET_RING, 1, 0.25), choice(TS_IR_NET_TREE, 0.5, 0.5)};
  ts_network_file file = {.device = "", .library = "", .methods = of, .method_count = 2};
  ts_profile p = {.ranks = 1024, .islands = 1024, .per_island = 1, .inter = 1e9};
  cr_assert_float_eq(ts_network_file_time(&file, TS_IR_ALL_REDUCE, 1000000, &p), 4e-3, 1e-9);
  /* of trees it halves its belief up to 512 KiB, and less so above: both are then alike, or not */
  for (size_t i = 0; i < 14; i++)
    of[1].believed_tenths[i] = i < 13 ? 4 : 6;
  cr_assert_float_eq(ts_network_file_time(&file, TS_IR_ALL_REDUCE, 500000, &p),
                     2 * 1023 / 1024. * 0.5e-3, 1e-9);
  cr_assert_float_eq(ts_network_file_time(&file, TS_IR_ALL_REDUCE, 1000000, &p), 4e-3, 1e-9);
  /* and below so many islands it has none */
  of[1].least_islands = 1025;
  cr_assert_float_eq(ts_network_file_time(&file, TS_IR_ALL_REDUCE, 1000000, &p),
                     2 * 1023 / 1024. * 1e-3, 1e-9);
}

Test(fabric, a_switch_needs_several_ranks_to_reduce_for)
{
  ts_ir_net_method m = {.algorithm = TS_IR_NET_SWITCH_TREE};
  cr_assert_not(
    ts_method_possible(&m, &(ts_profile){.ranks = 4, .islands = 4, .per_island = 1}));
  cr_assert(ts_method_possible(&m, &(ts_profile){.ranks = 8, .islands = 4, .per_island = 2}));
}

static const uint32_t kinds[] = {TS_IR_ALL_REDUCE, TS_IR_ALL_GATHER, TS_IR_REDUCE_SCATTER,
                                 TS_IR_BROADCAST,  TS_IR_ALL_TO_ALL, TS_IR_MESSAGE};

/* Bytes that must leave an island, of those of the call: runtime/collective/bound.c. */
static double leaving(uint32_t kind, uint32_t islands, uint32_t ranks)
{
  double k = ranks / (double)islands, n = ranks;
  return kind == TS_IR_ALL_REDUCE || kind == TS_IR_BROADCAST || kind == TS_IR_MESSAGE ? 1 :
         kind == TS_IR_ALL_TO_ALL ? k * (n - k) / n :
                                    k / n;
}

/* Not faster than the links of an island. By one method over as many channels, more bytes never take
 * less; when the library turns to others, they may. */
static void keeps_to_links(const ts_network_file *file, uint32_t kind, uint32_t nodes,
                           uint32_t a_node)
{
  ts_profile p = ts_fit_profile((ts_fit_links){450e9, 400e9}, nodes * a_node, nodes);
  for (uint32_t i = 0; i < file->method_count; i++) {
    const ts_ir_net_method *m = &file->methods[i];
    double before = 0;
    uint32_t channels = 0;
    if (m->collective != kind || !ts_method_possible(m, &p))
      continue;
    for (uint64_t bytes = 8; bytes <= UINT64_C(1) << 34; bytes *= 4) {
      ts_white_box box = ts_white_box_method(m, bytes, &p);
      double seconds = (box.connection + box.intra + box.inter + box.reduction) * 1e-12;
      cr_assert_gt(seconds, 0);
      cr_assert_geq(seconds, leaving(kind, nodes, nodes * a_node) * (double)bytes / 400e9);
      cr_assert(box.channels > channels || seconds >= before * (1 - 1e-9),
                "kind %u, %u nodes of %u, %g bytes: %g after %g", kind, nodes, a_node,
                (double)bytes, seconds, before);
      before = seconds, channels = box.channels;
    }
  }
}

Test(fabric, none_of_the_library_is_faster_than_its_links)
{
  static const char *const generations[] = {"nccl_ampere", "nccl_hopper", "nccl_blackwell"};
  for (size_t f = 0; f < FABRICS; f++)
    for (size_t g = 0; g < 3; g++) {
      ts_arena *arena = ts_arena_new("test");
      ts_network_file *file = standard(arena, generations[g]);
      const ts_network_file *fabric = standard(arena, fabrics[f]);
      cr_assert(fabric->between, "%s", fabrics[f]);
      ts_fabric_apply(arena, fabric->between, file);
      for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (uint32_t nodes = 2; nodes <= 128; nodes *= 8)
          for (uint32_t a_node = 1; a_node <= 8; a_node *= 8)
            keeps_to_links(file, kinds[k], nodes, a_node);
      ts_arena_free(arena);
    }
}

Test(fabric, protocols_that_are_not_in_use_are_gone_but_for_collectives_without_another)
{
  ts_arena *arena = ts_arena_new("test");
  ts_network_file *file = standard(arena, "nccl_hopper");
  ts_fabric fabric = ts_fabric_start;
  fabric.words = fabric.lines = fabric.switches = 0;
  ts_fabric_apply(arena, &fabric, file);
  bool barrier = false;
  for (uint32_t i = 0; i < file->method_count; i++) {
    const ts_ir_net_method *m = &file->methods[i];
    barrier |= m->collective == TS_IR_BARRIER;
    cr_assert(m->protocol == TS_IR_NET_SIMPLE || m->collective == TS_IR_BARRIER);
    cr_assert_neq(m->algorithm, (uint32_t)TS_IR_NET_SWITCH_TREE);
  }
  cr_assert(barrier);
  ts_arena_free(arena);
}

/* Rows that a fabric would give, of two clusters. */
static uint32_t made(const ts_network_file *hardware, const ts_fabric *truth, ts_fabric_row *rows)
{
  uint32_t n = 0;
  for (uint32_t set = 0; set < 2; set++)
    for (uint32_t nodes = 2; nodes <= 32; nodes *= 4)
      for (uint64_t bytes = 64; bytes <= UINT64_C(1) << 32; bytes *= 4) {
        ts_fabric_row *row = &rows[n++];
        *row = (ts_fabric_row){
          .set = set,
          .kind = set ? TS_IR_ALL_GATHER : TS_IR_ALL_REDUCE,
          .hardware = hardware,
          .profile = ts_fit_profile((ts_fit_links){450e9, 400e9}, 8 * nodes, nodes),
          .bytes = bytes};
        row->seconds = ts_fabric_time(truth, row);
      }
  return n;
}

Test(fabric, a_fit_finds_the_constants_that_made_the_rows)
{
  ts_arena *arena = ts_arena_new("test");
  const ts_network_file *hardware = standard(arena, "nccl_hopper");
  ts_fabric truth = ts_fabric_start, found = ts_fabric_start;
  ts_fabric_row rows[128];
  truth.hop = 24, truth.share = 0.86, truth.chunks = 2;
  uint32_t n = made(hardware, &truth, rows);
  ts_fabric_fit(&found, 1, rows, n, false, NULL);
  cr_assert_float_eq(found.hop, 24, 1);
  cr_assert_float_eq(found.share, 0.86, 0.01);
  double worst = 0;
  for (uint32_t i = 0; i < n; i++)
    worst = fmax(worst, fabs(ts_fabric_time(&found, &rows[i]) / rows[i].seconds - 1));
  cr_assert_lt(worst, 0.05);
  cr_assert_float_eq(found.line_share, ts_fabric_start.line_share, 1e-12); /* the library's own */
  ts_arena_free(arena);
}

Test(fabric, a_fabric_not_seen_is_the_mean_of_the_others)
{
  ts_fabric a = ts_fabric_start, b = ts_fabric_start;
  a.hop = 4, b.hop = 25, b.words = 0;
  ts_fabric mean = ts_fabric_mean((const ts_fabric *const[]){&a, &b}, 2);
  cr_assert_float_eq(mean.hop, 10, 1e-9);
  cr_assert_float_eq(mean.share, ts_fabric_start.share, 1e-12);
  cr_assert_eq(mean.words, 1);
  cr_assert_float_eq(ts_fabric_mean(NULL, 0).hop, ts_fabric_start.hop, 1e-12);
}

/* Anchors of one number of nodes lead the model there, and less so at others. */
Test(fabric, one_sweep_serves_other_numbers_of_nodes)
{
  ts_arena *arena = ts_arena_new("test");
  ts_network_file *file = standard(arena, "nccl_hopper");
  ts_fabric_apply(arena, &ts_fabric_start, file);
  const ts_fit_links links = {450e9, 400e9};
  ts_profile of[3];
  double plain[3];
  uint64_t bytes = UINT64_C(1) << 28;
  for (uint32_t i = 0; i < 3; i++) {
    of[i] = ts_fit_profile(links, 8 * (4u << i), 4u << i);
    plain[i] = ts_network_file_time(file, TS_IR_ALL_REDUCE, bytes, &of[i]);
  }
  ts_ir_net_point measured = {TS_IR_ALL_REDUCE, 32, 4, 0, bytes,
                              (uint64_t)llround(1.5 * plain[0] * 1e12)};
  file->points = &measured;
  file->point_count = 1;
  for (uint32_t i = 0; i < 3; i++)
    cr_assert_float_eq(ts_network_file_time(file, TS_IR_ALL_REDUCE, bytes, &of[i]) / plain[i],
                       pow(1.5, 1.0 / (1u << i)), 1e-6);
  ts_arena_free(arena);
}
