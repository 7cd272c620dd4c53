#include "ir/spelling.h"

#include <stddef.h>

#include "base/table.h"

const char *const ts_ir_collective_names[] = {
  "all_reduce", "all_gather", "reduce_scatter", "broadcast", "reduce",
  "all_to_all", "barrier",    "message",        "shift",     NULL};
const char *const ts_ir_phase_names[] = {
  "forward",   "backward_input", "backward_weight", "recompute",
  "optimizer", "communication",  "other",           NULL};
const char *const ts_ir_category_names[] = {"parameters",  "gradients", "optimizer", "activations",
                                            "temporaries", "buffers",   NULL};
const char *const ts_ir_basis_names[] = {"stated", "measured", "interpolated", "fitted", "roofline",
                                         "extern", "held", NULL};
const char *const ts_ir_stream_names[] = {"compute", "comm", "copy", NULL};
const char *const ts_ir_net_names[] = {"alpha_beta", "table",  "white_box", "statistical",
                                       "flow",       "packet", NULL};
const char *const ts_ir_algorithm_names[] = {
  "ring",         "tree",          "switch",           "switch_tree", "pairs",
  "fabric_chain", "fabric_direct", "aggregated_trees",
  "hierarchical", NULL};
const char *const ts_ir_routing_names[] = {"rail", "shortest", "ecmp", "adaptive", "spray", NULL};
const char *const ts_ir_control_names[] = {"dcqcn", "hpcc", NULL};
const char *const ts_ir_protocol_names[] = {"ll", "ll128", "simple", NULL};
const char *const ts_ir_remark_names[] = {"warning", "label", "note", "fact", "help", "assumed", NULL};
const char *const ts_ir_calibrated_names[] = {"kernels", "host", "inside", "between",
                                              "memory", "step", NULL};

const char *const ts_ir_origin_names[] = {"kernels", "network", "links", "host", "run", NULL};
const char *const ts_ir_quantity_names[] = {"step_time", "peak_memory", NULL};

/* NULL at the end. */
TS_TABLE(ts_ir_collective_names, TS_IR_COLLECTIVE_KINDS + 1);
TS_TABLE(ts_ir_phase_names, TS_IR_PHASES + 1);
TS_TABLE(ts_ir_category_names, TS_IR_CATEGORIES + 1);
TS_TABLE(ts_ir_basis_names, TS_IR_BASES + 1);
TS_TABLE(ts_ir_stream_names, TS_IR_STREAM_KINDS + 1);
TS_TABLE(ts_ir_net_names, TS_IR_NET_KINDS + 1);
TS_TABLE(ts_ir_algorithm_names, TS_IR_NET_ALGORITHMS + 1);
TS_TABLE(ts_ir_routing_names, TS_IR_ROUTINGS + 1);
TS_TABLE(ts_ir_control_names, TS_IR_CONTROLS + 1);
TS_TABLE(ts_ir_protocol_names, TS_IR_NET_PROTOCOLS + 1);
TS_TABLE(ts_ir_remark_names, TS_IR_REMARK_KINDS + 1);
TS_TABLE(ts_ir_calibrated_names, TS_IR_CALIBRATED_KINDS + 1);
TS_TABLE(ts_ir_origin_names, TS_IR_ORIGINS + 1);
TS_TABLE(ts_ir_quantity_names, TS_IR_QUANTITIES + 1);

const char *const ts_ir_dimension_names[] = {
  "a time such as `10 us`",   "a size such as `4 MiB`",       "a bandwidth such as `300 GB/s`",
  "work such as `2.5 TFLOP`", "a rate such as `312 TFLOP/s`", "a number"};
TS_TABLE(ts_ir_dimension_names, TS_IR_DIMENSIONS + 1);

#define KILO UINT64_C(1000)
#define KIBI UINT64_C(1024)
const ts_ir_unit ts_ir_units[] = {
    {TS_IR_TIME, "s", KILO * KILO * KILO * KILO},
    {TS_IR_TIME, "ms", KILO * KILO * KILO},
    {TS_IR_TIME, "us", KILO * KILO},
    {TS_IR_TIME, "ns", KILO},
    {TS_IR_TIME, "ps", 1},
    {TS_IR_BYTES, "PiB", KIBI * KIBI * KIBI * KIBI * KIBI},
    {TS_IR_BYTES, "PB", KILO * KILO * KILO * KILO * KILO},
    {TS_IR_BYTES, "TiB", KIBI * KIBI * KIBI * KIBI},
    {TS_IR_BYTES, "TB", KILO * KILO * KILO * KILO},
    {TS_IR_BYTES, "GiB", KIBI * KIBI * KIBI},
    {TS_IR_BYTES, "GB", KILO * KILO * KILO},
    {TS_IR_BYTES, "MiB", KIBI * KIBI},
    {TS_IR_BYTES, "MB", KILO * KILO},
    {TS_IR_BYTES, "KiB", KIBI},
    {TS_IR_BYTES, "kB", KILO},
    {TS_IR_BYTES, "B", 1},
    {TS_IR_RATE, "TB/s", KILO * KILO * KILO * KILO},
    {TS_IR_RATE, "GB/s", KILO * KILO * KILO},
    {TS_IR_RATE, "Gbit/s", KILO * KILO * KILO / 8},
    {TS_IR_RATE, "MB/s", KILO * KILO},
    {TS_IR_RATE, "kB/s", KILO},
    {TS_IR_RATE, "B/s", 1},
    {TS_IR_FLOP, "EFLOP", KILO * KILO * KILO * KILO * KILO * KILO},
    {TS_IR_FLOP, "PFLOP", KILO * KILO * KILO * KILO * KILO},
    {TS_IR_FLOP, "TFLOP", KILO * KILO * KILO * KILO},
    {TS_IR_FLOP, "GFLOP", KILO * KILO * KILO},
    {TS_IR_FLOP, "MFLOP", KILO * KILO},
    {TS_IR_FLOP, "FLOP", 1},
    {TS_IR_FLOP_RATE, "PFLOP/s", KILO * KILO * KILO * KILO * KILO},
    {TS_IR_FLOP_RATE, "TFLOP/s", KILO * KILO * KILO * KILO},
    {TS_IR_FLOP_RATE, "GFLOP/s", KILO * KILO * KILO},
    {TS_IR_FLOP_RATE, "MFLOP/s", KILO * KILO},
    {TS_IR_FLOP_RATE, "FLOP/s", 1},
    {TS_IR_DIMENSIONS, NULL, 0},
};
