#include "ir/spelling.h"

#include <stddef.h>

#include "base/table.h"

#define WORDS(type, names) const char *const ts_ir_##names##_names[] = {
#define WORD(name, word) word,
#define LAST(type, count) NULL};
#include "ir/records.def"

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

bool ts_ir_algorithm_of_links(uint32_t algorithm, uint32_t model)
{
  enum { NONE, STEPS, LINKS, FLOWS };
  static const uint8_t taken[] = {
#define ALGORITHM(id, name, nccl, links) links,
#include "ir/algorithms.def"
#undef ALGORITHM
  };
  if (algorithm == TS_IR_NONE || algorithm >= TS_IR_NET_ALGORITHMS)
    return algorithm == TS_IR_NONE;
  return taken[algorithm] == LINKS || taken[algorithm] == (model == TS_IR_NET_ALPHA_BETA ? STEPS :
                                                           model == TS_IR_NET_FLOW       ? FLOWS :
                                                                                           LINKS);
}
