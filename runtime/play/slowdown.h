/* How much slower a kernel and a transfer become while both are under way on a device. A model is a
 * small text file (doc/overlap.md), or named on the command line. */
#ifndef TS_RUNTIME_PLAY_SLOWDOWN_H
#define TS_RUNTIME_PLAY_SLOWDOWN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/digest.h"

typedef struct ts_pair { /* a kernel and a transfer; NAN and "": not known */
  const char *family;    /* of the kernel */
  double time;           /* s, alone */
  double flops, bytes;
  double sms;            /* share of the processors that it fills, 0..1 */
  /* share of the memory's bandwidth that it uses; share of its reads that the second-level cache
   * serves */
  double dram, l2;
  double bandwidth;      /* of the device's memory, bytes/s */
  const char *transfer;  /* "all_reduce", ..., "message" */
  const char *algorithm, *protocol;
  double channels;
  double transfer_bytes;
  double transfer_time;  /* s, alone */
  /* of the kernel, as profilers measure it: share of the warps that an SM can hold, throughputs of
   * processors and of memory as shares of their peaks, share of reads served by the first cache */
  double occupancy, compute, memory, l1;
  const char *gpu, *cuda; /* that both ran on, and the version of CUDA */
} ts_pair;

/* Every field: names and numbers of a kernel, then of a transfer. Of data files the columns, of
 * learned models the features. */
#define TS_PAIR_FIELDS(NAME, NUMBER)                                                               \
  NAME(family)                                                                                     \
  NUMBER(time)                                                                                     \
  NUMBER(flops)                                                                                    \
  NUMBER(bytes) NUMBER(sms) NUMBER(dram) NUMBER(l2) NUMBER(bandwidth) NAME(transfer)               \
    NAME(algorithm) NAME(protocol) NUMBER(channels) NUMBER(transfer_bytes) NUMBER(transfer_time)   \
      NUMBER(occupancy) NUMBER(compute) NUMBER(memory) NUMBER(l1) NAME(gpu) NAME(cuda)
#define TS_PAIR_UNKNOWN                                                                            \
  ((ts_pair){"", NAN, NAN, NAN, NAN, NAN, NAN, NAN, "", "",                                        \
             "", NAN, NAN, NAN, NAN, NAN, NAN, NAN, "", ""})

typedef struct ts_slowdowns { double compute, transfer; } ts_slowdowns; /* factors on time, >= 1 */

typedef enum ts_slowdown_kind {
  TS_SLOWDOWN_CONSTANT,
  TS_SLOWDOWN_TABLE,
  TS_SLOWDOWN_PHYSICAL,
  TS_SLOWDOWN_LEARNED,
  TS_SLOWDOWN_KINDS
} ts_slowdown_kind;

/* The names that a learned model's rows have, of each field that is one, in order; and of each that
 * is a number what kernels of a family usually have (NaN: some row does not say), by family. */
enum { TS_LEARNED_FEATURES = 20 };
typedef struct ts_categories {
  uint32_t count[TS_LEARNED_FEATURES];
  const char **name[TS_LEARNED_FEATURES];
  double *usual[TS_LEARNED_FEATURES];
} ts_categories;

/* "*": any */
typedef struct ts_slowdown_row {
  const char *family, *transfer;
  ts_slowdowns slow;
} ts_slowdown_row;

typedef struct ts_slowdown {
  ts_slowdown_kind kind;
  ts_slowdowns slow;            /* constant; table: of pairs that no row is about, */
  bool turns;                   /* kernels of several streams take turns on a device */
  bool slow_stated;             /* if it says so; else these are as the physical model has them */
  uint32_t row_count;
  const ts_slowdown_row *rows;  /* the first that fits counts */
  /* Physical. Of a kernel the share m = bytes / (time * bandwidth), at most 1, of the time is bound
   * by memory. Transfers keep the share `sms` of the processors to themselves, which the rest of
   * the time feels if the kernel fills more than what is left (f: the share it fills, 1 if not
   * known), and move `traffic` bytes of memory for each of theirs:
   *   compute = (1 - m) max(1, f / (1 - sms)) + m max(1, m + c),  c = traffic * transfer_bytes /
   *   (transfer_time * bandwidth)
   *   transfer = max(1, m + c) where c is what bounds it: 1 + c * (max(1, m + c) - 1) */
  double sms, traffic;
  /* paths of the models for compute and for transfers (NULL: physical) */
  const char *const *learned;
  /* features that they split by and no play knows: "`sms`, `l2`"; NULL: none */
  const char *unknown;
  const char *supposed; /* those that it takes as usual in a kernel's family, in the same way */
  const ts_categories *categories; /* [2] of these models; NULL: nobody looked into them */
  const char *file;             /* that it was opened from, or NULL; */
  uint8_t sha256[TS_DIGEST_SIZE]; /* of what was read there */
} ts_slowdown;

/* "none" (then *out is NULL), "turns", "constant:1.1" or "constant:1.1:1.05", "physical",
 * "physical:SMS:TRAFFIC", or a file: of a model, or a learned one (.ubj, .json) by itself. NULL, or
 * what is wrong. */
const char *ts_slowdown_open(ts_arena *arena, const char *text, const ts_slowdown **out);
/* what a file holds */
const char *ts_slowdown_read(ts_arena *arena, const char *text, size_t size, ts_slowdown *out);

extern const ts_slowdown ts_slowdown_physical; /* where there is no data */
extern const ts_slowdown ts_slowdown_nothing;  /* factors of 1 */

ts_slowdowns ts_slowdown_of(const ts_slowdown *model, const ts_pair *pair);
/* All at once. NULL, or what is wrong. */
const char *ts_slowdown_predict(ts_arena *arena, const ts_slowdown *model, const ts_pair *pairs,
                                uint32_t count, ts_slowdowns *out);

const char *ts_slowdown_kind_name(ts_slowdown_kind kind);

#endif
