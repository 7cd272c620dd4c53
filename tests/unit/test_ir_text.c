/* The text form: what it means, what it leaves out, what it refuses, and that it reads back to the
 * same bytes. */
#include <criterion/criterion.h>

#include "tests/unit/ir_text.h"
#include "tests/unit/random_ir.h"

static ts_ir_builder *read_text(const char *text, ts_ir *view)
{
  ts_error error;
  ts_ir_builder *b = ir_text_read(text, &error);
  cr_assert(b, "line %u: %s", error.line, error.message);
  ts_ir_builder_view(b, view);
  return b;
}

static char *print(const ts_ir *ir)
{
  ir_text text = {0};
  cr_assert_eq(ts_ir_print(ir, ir_text_put, &text), 0);
  return text.at;
}

static void expect_same_bytes(const ts_ir *a, const ts_ir *b, const char *text)
{
  size_t a_size, b_size;
  uint8_t *a_bytes = ts_ir_encode(a, &a_size), *b_bytes = ts_ir_encode(b, &b_size);
  cr_assert(a_bytes && b_bytes && a_size == b_size && !memcmp(a_bytes, b_bytes, a_size),
            "other bytes from:\n%s", text);
  free(a_bytes);
  free(b_bytes);
}

static void expect_round_trip(const ts_ir *ir)
{
  ts_ir again;
  char *text = print(ir);
  ts_ir_builder *b = read_text(text, &again);
  expect_same_bytes(ir, &again, text);
  char *twice = print(&again);
  cr_assert_str_eq(text, twice);
  ts_ir_builder_free(b);
  free(text);
  free(twice);
}

Test(ir_text, random_plans_read_back_to_the_same_bytes)
{
  for (uint64_t seed = 0; seed < 400; seed++) {
    ts_ir ir;
    ts_error error;
    ts_ir_builder *b = random_ir_new(seed);
    ts_ir_builder_view(b, &ir);
    cr_assert_eq(ts_ir_verify(&ir, &error), 0, "seed %d: %s", (int)seed, error.message);
    expect_round_trip(&ir);
    ts_ir_builder_free(b);
  }
}

Test(ir_text, example_reads_back)
{
  ts_ir ir;
  ts_ir_builder *b = read_text(ir_text_example, &ir);
  expect_round_trip(&ir);
  ts_ir_builder_free(b);
}

Test(ir_text, print_refuses_what_the_verifier_refuses)
{
  ts_ir ir;
  ir_text text = {0};
  ts_ir_builder *b = read_text(ir_text_example, &ir);
  ts_ir_builder_meta(b)->world = 3;
  cr_assert_eq(ts_ir_print(&ir, ir_text_put, &text), -1);
  cr_assert_null(text.at);
  ts_ir_builder_free(b);
}

/* ---- defaults ---- */

Test(ir_text, the_least_text)
{
  ts_ir ir;
  ts_ir_builder *b = read_text("stream s\nfragment F { compute 10 us }\nprogram { F 0; F 1 }", &ir);
  cr_assert_eq(ir.meta->world, 1);
  cr_assert_eq(ir.meta->micro_batches, 2);
  cr_assert_eq(ir.meta->pipeline_axis, TS_IR_NONE);
  cr_assert_eq(ir.devices_count, 0);
  cr_assert_eq(ir.kernels[0].time, 10000000);
  cr_assert_eq(ir.nodes[0].phase, TS_IR_PHASE_FORWARD);
  cr_assert_eq(ir.nodes[0].loc, TS_IR_NONE);
  cr_assert_str_eq(ir.strings + ir.fragments[0].work, "F");
  cr_assert_str_eq(ir.strings + ir.programs[0].name, "stage 0");
  cr_assert_eq(ir.items[1].micro_batch, 1);
  expect_round_trip(&ir);
  ts_ir_builder_free(b);
}

Test(ir_text, what_may_be_left_out_equals_what_is_stated)
{
  ts_ir brief, full;
  ts_ir_builder *a = read_text("axis pp 2 pipeline\nstream c\nstream m\nstream n\nkernel k 1 us\n"
                               "fragment F { compute k; send 1 KiB over pp after k }\nfragment G "
                               "work B { recv 1 KiB over pp; compute k after recv }\n"
                               "program { F 3 to 1 }\nprogram { G 3 from 0 }",
                               &brief);
  ts_ir_builder *b =
    read_text("version 3\nmicro_batches 4\naxis pp 2 pipeline\ngroup pp = pp\nstream c "
              "compute\nstream m comm\nstream n comm\n"
              "kernel k 1000 ns named k flops 0 bytes 0 B basis stated\n"
              "fragment F named F work F {\nk: compute k on c phase forward launch 0\n"
              "\"send\": send 1024 B over pp port 0 on m after @0 phase communication\n}\n"
              "fragment G work B {\nrecv: recv 1 KiB over pp port 0 on m\nk: compute k after @0 "
              "phase backward_input # same\n}\n"
              "program \"stage 0\" {\n  F 3 chunk 0 to 1 tag 3\n}\nprogram \"stage 1\" { G 3 from "
              "0 tag 3 }\n",
              &full);
  expect_same_bytes(&brief, &full, "two texts");
  ts_ir_builder_free(a);
  ts_ir_builder_free(b);
}

Test(ir_text, labels_name_the_last_node_above)
{
  ts_ir ir;
  ts_ir_builder *b = read_text("stream s\nkernel k 1 us\nfragment F { compute k; compute k after "
                               "k; x: compute k after k, @0 }\nprogram { F }",
                               &ir);
  cr_assert_eq(ir.deps[ir.nodes[1].first_dep], 0);
  cr_assert_eq(ir.nodes[2].dep_count, 2);
  cr_assert_eq(ir.deps[ir.nodes[2].first_dep], 1);
  cr_assert_eq(ir.deps[ir.nodes[2].first_dep + 1], 0);
  expect_round_trip(&ir);
  ts_ir_builder_free(b);
}

Test(ir_text, ports_keep_their_numbers)
{
  ts_ir ir;
  ts_ir_builder *b = read_text("axis pp 2 pipeline\nstream s\nfragment F {\n send 2 B over pp port "
                               "1\n send 1 B over pp port 0\n}\n"
                               "fragment G {\n recv 1 B over pp\n recv 2 B over pp\n}\nprogram { F "
                               "to 1 tag 5 to 1 tag 6 }\nprogram { G from 0 tag 5 from 0 tag 6 }",
                               &ir);
  cr_assert_eq(ir.ports[0].bytes, 1);
  cr_assert_eq(ir.ports[1].bytes, 2);
  cr_assert_eq(ir.nodes[0].arg, 1);
  expect_round_trip(&ir);
  ts_ir_builder_free(b);
}

Test(ir_text, clusters)
{
  ts_ir ir;
  ts_ir_builder *b = read_text(
    "axis dp 4\ndevice_class h 1 TB/s\ndevice_class slow 100 GB/s\ndevices gpu[2,4] of h\ndevices "
    "one of slow\nswitches sw[2]\n"
    "vertex gpu[1,2] of slow speed 0.5\nvertex gpu[7] speed 2\nlink_class l 400 Gbit/s\nlink "
    "gpu[1,3] -> sw[1] l\nlink one -- sw[0] l\n"
    "place 2..3, gpu[1,0] .. gpu[1,1]\nstream s\nfragment F { compute 1 us }\nprogram { F }",
    &ir);
  cr_assert_eq(ir.devices_count, 11);
  cr_assert_eq(ir.devices[6].device_class, 1);
  cr_assert_eq(ir.devices[6].speed, 0.5);
  cr_assert_eq(ir.devices[7].speed, 2);
  cr_assert_eq(ir.devices[9].device_class, TS_IR_NONE);
  cr_assert_eq(ir.links[0].from, 7);
  cr_assert_eq(ir.links[0].to, 10);
  cr_assert_eq(ir.links[0].duplex, 0);
  cr_assert_eq(ir.links[1].from, 8);
  cr_assert_eq(ir.link_classes[0].bandwidth, 50e9);
  const uint32_t place[] = {2, 3, 4, 5};
  cr_assert_arr_eq(ir.placement, place, sizeof place);
  expect_round_trip(&ir);
  ts_ir_builder_free(b);
}

Test(ir_text, clauses_come_in_any_order)
{
  ts_ir one, other;
  static const char rest[] = "axis dp 4\nstream s\nkernel k 1 us dtype b flops 1 FLOP bytes 2 B named n\n"
                             "fragment F { compute k }\nprogram { F }\n";
  char text[600];
  snprintf(text, sizeof text, "%s%s", rest,
           "net_model p packet for all_reduce over dp tier 1 efficiency 0.5 base 1 us hop 2 us half 3 B "
           "routing ecmp unrelayed channels 4 by ring inter_hop 5 us control hpcc mtu 1 KiB eta 0.5 "
           "assumed\n");
  ts_ir_builder *a = read_text(text, &one);
  snprintf(text, sizeof text, "%s%s", rest,
           "net_model p packet assumed eta 0.5 mtu 1 KiB control hpcc inter_hop 5 us by ring channels 4 "
           "unrelayed routing ecmp half 3 B hop 2 us base 1 us efficiency 0.5 tier 1 over dp for "
           "all_reduce\n");
  ts_ir_builder *b = read_text(text, &other);
  expect_same_bytes(&one, &other, text);
  ts_ir_builder_free(a);
  ts_ir_builder_free(b);
}

/* ---- quantities ---- */

static const struct quantity { const char *text; uint64_t ps;
} times[] = {
  {"10 us", 10000000},
  {"10us", 10000000},
  {"1.5 us", 1500000},
  {"0.000001 us", 1},
  {"0", 0},
  {"0 ps", 0},
  {"0.0", 0},
  {"1e3 ns", 1000000},
  {"2.50e-1 ms", 250000000},
  {"1000 s", UINT64_C(1000000000000000)},
  {"0.001000 ns", 1},
  {"100000000000000000000e-20 ps", 1},
  {"123.456789 us", 123456789},
};

Test(ir_text, times_are_exact)
{
  for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
    char text[160];
    ts_ir ir;
    snprintf(text, sizeof text, "stream s\nkernel k %s\nfragment F { compute k }\nprogram { F }",
             times[i].text);
    ts_ir_builder *b = read_text(text, &ir);
    cr_assert_eq(ir.kernels[0].time, times[i].ps, "%s: %llu ps", times[i].text,
                 (unsigned long long)ir.kernels[0].time);
    ts_ir_builder_free(b);
  }
}

static void expect_printed(const char *statement, const char *printed)
{
  char text[256];
  ts_ir ir;
  snprintf(text, sizeof text, "stream s\n%s\nfragment F { compute 1 us }\nprogram { F }",
           statement);
  ts_ir_builder *b = read_text(text, &ir);
  char *out = print(&ir);
  cr_assert(strstr(out, printed), "%s: not in\n%s", printed, out);
  free(out);
  ts_ir_builder_free(b);
}

Test(ir_text, quantities_print_in_their_largest_exact_unit)
{
  expect_printed("kernel k 1500000 ps", "kernel k 1.5 us\n");
  expect_printed("kernel k 1000 ms", "kernel k 1 s\n");
  expect_printed("kernel k 999 ps", "kernel k 999 ps\n");
  expect_printed("kernel k 0", "kernel k 0 ps\n");
  expect_printed("kernel k 1 us flops 20e9 FLOP bytes 12 MB", "flops 20 GFLOP bytes 12 MB\n");
  expect_printed("kernel k 1 us flops 0.1 FLOP", "flops 0.1 FLOP\n");
  expect_printed("model_flops 1234567890123456789 FLOP", "model_flops 1.2345678901234567 EFLOP\n");
  expect_printed("peak 312 TFLOP/s", "peak 312 TFLOP/s\n");
  expect_printed("axis a 1\ncollective c all_reduce 4096 KiB over a",
                 "collective all_reduce.a all_reduce 4 MiB over a\n");
  expect_printed("axis a 1\ncollective c all_gather 1000000 B over a",
                 "all_gather.a all_gather 1 MB over a\n");
  expect_printed("axis a 1\ncollective c barrier over a", "collective barrier.a barrier over a\n");
}

Test(ir_text, strings_keep_every_character)
{
  ts_ir ir;
  ts_ir_builder *b = read_text("plan \"say \\\"x\\\" \\\\ \\n \\t \\x01 \\x7f \xc3\xa9\"\nstream "
                               "s\nfragment F { compute 1 us }\nprogram { F }",
                               &ir);
  cr_assert_str_eq(ir.strings + ir.meta->plan, "say \"x\" \\ \n \t \x01 \x7f \xc3\xa9");
  expect_round_trip(&ir);
  ts_ir_builder_free(b);
}

/* ---- errors ---- */

static const struct wrong { const char *text; uint32_t line; const char *message;
} wrong[] = {
  {"\n\nstrem s", 3, "no statement begins with `strem`; did you mean `stream`?"},
  {"42", 1, "expected a statement such as `kernel`, `fragment` or `program`, found `42`"},
  {"stream s }", 1, "expected the end of the line, found `}`"},
  {"stream", 1, "expected a name, found the end of the text"},
  {"stream s comp", 1, "expected `compute`, `comm` or `copy`, found `comp`; did you mean `comm`?"},
  {"stream s\nstream s", 2, "there is a stream `s` already"},
  {"plan \"a\nstream s", 1, "a string does not end on its line"},
  {"plan \"a\\q\"", 1, "a string holds an escape other than"},
  {"plan \"\\x00\"", 1, "a string holds an escape other than"},
  {"\nplan \"a\xff\"", 2, "a string holds a byte (0xff) that is no UTF-8"},
  {"\xc3\xa9", 1, "a byte (0xc3) that stands only in strings and comments"},
  {"version 8", 1, "version 8 of the text form; this program reads 1 to 7"},
  {"kernel k", 1, "expected a time such as `10 us`, found the end of the text"},
  {"kernel k 10", 1, "a number without its unit: expected a time such as `10 us`"},
  {"kernel k 10 usec", 1, "`usec` is not a unit here; did you mean `us`?"},
  {"kernel k 10 bananas", 1, "`bananas` is not a unit here: expected a time such as `10 us`"},
  {"kernel k 1.5 ps", 1, "1.5 ps is not a whole number of picoseconds"},
  {"kernel k 1e30 s", 1, "1e30 s is more than 64 bits of picoseconds hold"},
  {"kernel k 99999999999999999999 ps", 1,
   "99999999999999999999 ps is more than 64 bits of picoseconds hold"},
  {"kernel k 9999999 s", 0, "kernel 0 (`k`): time, flops, bytes or basis out of range"},
  {"kernel k 1 us flops 3 MiB", 1, "`MiB` is not a unit here"},
  {"kernel k 1 us source t", 1, "there is no cost source `t` above"},
  {"kernel k 1 us basis mesured", 1, "expected a basis, found `mesured`; did you mean `measured`?"},
  {"axis a 0", 1, "an axis of size 0"},
  {"axis a 2\naxis b 16777216", 2, "the axes span more than 2^24 ranks"},
  {"axis a 2 pipeline\naxis b 2 pipeline", 2, "a second pipeline axis"},
  {"axis a 1.5", 1, "expected the size of the axis, a whole number up to 16777216, found `1.5`"},
  {"axis a 2\ngroup g = b", 2, "there is no axis `b` above"},
  {"source p sha256 \"12\"", 1, "expected a SHA-256, 64 of 0-9 and a-f in quotes, found `12`"},
  {"plan p at q 1:2", 1, "there is no source `q` above"},
  {"device_class h 1 TB/s\ndevices g[0] of h", 2, "array `g`: a size of 0"},
  {"device_class h 1 TB/s\ndevices g[9999,9999] of h", 2, "array `g`: too many vertices"},
  {"device_class h 1 TB/s\ndevices \"g[x]\" of h", 2, "expected one to four sizes"},
  {"device_class h 1 TB/s\ndevices g[2] of h\nvertex g[2] speed 2", 3,
   "array `g` has no such vertex"},
  {"device_class h 1 TB/s\ndevices g[2,2] of h\nvertex g[0,2] speed 2", 3,
   "array `g` has no such vertex"},
  {"vertex g[2] speed 2", 1, "there is no array `g` above"},
  {"place 3..1", 1, "vertices 3 to 1 are not in order"},
  {"place 0..99999999", 1, "are not in order, or too many"},
  {"switches s[2]\nlink_class l 1 GB/s\nlink s[0] s[1] l", 3,
   "expected `--` (both directions) or `->`, found `s[1]`"},
  {"fragment F {", 1, "there is no stream above: begin with `stream compute`"},
  {"stream s\nfragment F", 2, "expected `{`, found the end of the text"},
  {"stream s\nfragment F {\n record", 3, "expected `}`, found the end of the text"},
  {"stream s\nfragment F {\n copmute 1 us\n}", 3, "`copmute` is not an operation"},
  {"stream s\nfragment F {\n a: b: record\n}", 3, "`b` is not an operation"},
  {"stream s\nfragment F {\n \"a\" record\n}", 3, "expected `:` after a label, found `record`"},
  {"stream s\nkernel fwd 1 us\nfragment F {\n compute fwb\n}", 4,
   "there is no kernel `fwb` above; did you mean `fwd`?"},
  {"stream s\nfragment F {\n record after record\n}", 3, "no node above has the label `record`"},
  {"stream s\nfragment F {\n record\n record after @1\n}", 4, "node @1 is not above"},
  {"stream s\nfragment F {\n record on t\n}", 3, "there is no stream `t` above"},
  {"stream s\nfragment F {\n record afer x\n}", 3,
   "expected `on`, `after`, `launch`, `alloc`, `free`, `phase` or the end of the line, found "
   "`afer`"},
  {"stream s\nfragment F {\n record alloc 1 KiB\n}", 3,
   "expected what the memory is for, such as `activations`, found the end of the line"},
  {"stream s\nfragment F {\n send 1 B over pp\n}", 3, "there is no group `pp` above"},
  {"axis pp 2 pipeline\nstream s\nfragment F {\n send 1 B over pp port 1\n}", 5,
   "the ports of the fragment are not numbered 0 to 0"},
  {"program { F }", 1, "there is no fragment `F` above"},
  {"stream s\nfragment F { record }\nprogram {\n F 0 to 1\n}", 4,
   "the fragment has only 0 sends and receives"},
  {"axis pp 2 pipeline\nstream s\nfragment F { send 1 B over pp }\nprogram {\n F 0\n}", 5,
   "the fragment has 1 sends and receives, 0 have a peer here: expected `to`"},
  {"axis pp 2 pipeline\nstream s\nfragment F { send 1 B over pp }\nprogram {\n F 0 from 1\n}", 5,
   "port 0 of the fragment is a send: expected `to`"},
  {"program {\n repeat {\n", 2, "expected a number of rounds, found `{`"},
  {"stream s\nfragment F { record }\nprogram {\n repeat 0 { F 0 }\n}", 4, "a loop of 0 rounds"},
  {"program {\n repeat 3 {\n }\n}", 3, "a loop without an item"},
  {"stream s\nfragment F { record }\nprogram {\n repeat 3 { F 0\n", 5,
   "expected `}`, found the end of the text"},
  {"stream s\nfragment F { record }\nprogram {\n repeat 3 { F 0 } F 1\n", 4,
   "expected the end of the line, found `F`"},
  {"stream s\nfragment F { record }\nprogram {\n repeat 1000000000 { F 0 }\n}", 4,
   "the items of loops are played more than 67108864 times"},
  {"stream s\nfragment F { record }\nprogram {\n repeat 9000 { repeat 9000 { F 0 }\n }\n}", 5,
   "the items of loops are played more than 67108864 times"},
  {"stream s\nfragment F { record }\nprogram {\n repeat 3 by 2147483647 { F 1 }\n}", 4,
   "the last round of a loop has a micro-batch or a tag beyond 2^32 - 2"},
  {"axis pp 2 pipeline\nstream s\nfragment F { send 1 B over pp }\nprogram {\n"
   " repeat 2 { F 0 to 1 tag 4294967294 }\n}",
   5, "the last round of a loop has a micro-batch or a tag beyond 2^32 - 2"},
  {"axis pp 2 pipeline\nstream s\nfragment F { send 1 B over pp }\nprogram {\n"
   " repeat 60000000 { F 0 to 1 }\n}",
   5, "the items of loops send and receive more than 33554432 messages"},
  {"stream s\nfragment F { record }\nprogram {\n repeat 2 { repeat 2 { repeat 2 { repeat 2 {\n"
   " repeat 2 { repeat 2 { repeat 2 { repeat 2 { repeat 2 { F 0 } } } } } } } } }\n}",
   5, "loops are nested more than 8 deep"},
  {"axis pp 2 pipeline\nstream s\nfragment F { send 1 B over pp }\nprogram {\n"
   " repeat 2 { F 0 }\n}",
   5, "the fragment has 1 sends and receives, 0 have a peer here: expected `to`"},
  {"stream s\nfragment F { record }", 0, "0 programs for 1 stages"},
  {"", 0, "0 programs for 1 stages"},
};

Test(ir_text, errors_name_their_line)
{
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    ts_error error;
    cr_assert_null(ts_ir_parse(wrong[i].text, strlen(wrong[i].text), &error), "accepted:\n%s",
                   wrong[i].text);
    cr_assert(strstr(error.message, wrong[i].message), "said: %s; expected: %s; for\n%s",
              error.message, wrong[i].message, wrong[i].text);
    cr_assert_eq(error.line, wrong[i].line, "line %u, expected %u, for\n%s", error.line,
                 wrong[i].line, wrong[i].text);
    cr_assert_null(ts_ir_parse(wrong[i].text, strlen(wrong[i].text), NULL));
  }
}

/* Cut anywhere, the example is refused or, where only whole programs are missing, still refused by
 * the verifier. */
Test(ir_text, every_beginning_is_handled)
{
  size_t size = strlen(ir_text_example);
  for (size_t n = 0; n + 2 < size; n++) {
    char *part = malloc(n + 1);
    memcpy(part, ir_text_example, n);
    cr_assert_null(ts_ir_parse(part, n, NULL));
    free(part);
  }
}
