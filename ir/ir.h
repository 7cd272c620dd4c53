/* The TrainSpec IR, format version 7. This header is the specification.
 *
 * A plan.ir file is a header, a table of sections and the sections themselves: arrays of the
 * fixed-size records below, little-endian, each section aligned to 8 bytes, in the order of
 * ir/records.def, zero bytes between them. A file is read by mapping it: after ts_ir_verify()
 * accepted it every index and offset in it is in range, and it can be used as it lies. Equal
 * content gives equal bytes: no time, no path of a machine, no padding that is not zero.
 *
 * What it says: a training step is a few FRAGMENTS (short lists of nodes: the forward of one stage,
 * say) played many times. A PROGRAM is the order in which one pipeline stage plays them. All ranks
 * whose coordinate on the pipeline axis is c play program c. Nodes name KERNELS (distinct operator
 * costs) and COLLECTIVES (distinct collective calls), each stored once.
 *
 * A file says once what items a program repeats (LOOPS, ir/loops.h). They are unrolled as it is
 * read.
 *
 * Times are unsigned picoseconds. Rates are bytes or FLOP per second as IEEE doubles. Sizes are
 * bytes. A run is a range of another table's records: first index and count (any first when the
 * count is 0). Runs of one table are equal or disjoint; nodes and ports belong to one fragment
 * alone. Strings are offsets into the string section (NUL-terminated UTF-8, offset 0 is "");
 * TS_IR_NONE marks an absent index. */
#ifndef TS_IR_IR_H
#define TS_IR_IR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/known.h"

#define TS_IR_MAGIC "TSIR\r\n\x1a\n" /* 8 bytes; CR LF and ^Z catch text-mode copies, as in PNG */
#define TS_IR_VERSION 7u
#define TS_IR_NONE 0xffffffffu
#define TS_JOULES_OF_KWH 3.6e6
#define TS_IR_TIME_MOST (UINT64_C(1) << 60) /* ps that one thing may take: 13 days */
#define TS_IR_BYTES_MOST (UINT64_C(1) << 56) /* of one thing: 64 PiB */

typedef uint32_t ts_ir_str; /* offset into TS_IR_STRINGS */

/* Enumerations whose values have words: ts_ir_collective_kind and so on. */
#define WORDS(type, names) typedef enum ts_ir_##type {
#define WORD(name, word) TS_IR_##name,
#define LAST(type, count) TS_IR_##count } ts_ir_##type;
#include "ir/records.def"

typedef enum ts_ir_section_kind { /* from 1 */
  TS_IR_NO_SECTION,
#define TABLE(kind, record, name, bytes) TS_IR_##kind,
#include "ir/records.def"
  TS_IR_SECTION_KINDS
} ts_ir_section_kind;

typedef struct ts_ir_header {
  char magic[8];
  uint32_t version;
  uint32_t section_count; /* every kind is present, count may be 0 */
  uint64_t file_size;
  uint8_t digest[32]; /* SHA-256 of everything after the header */
} ts_ir_header;

typedef struct ts_ir_section {
  uint32_t kind;
  uint32_t record_size;
  uint64_t offset; /* from the start of the file, multiple of 8 */
  uint64_t count;
} ts_ir_section;

typedef enum ts_ir_run_flag { TS_IR_RUN_EXPERTS = 1, TS_IR_RUN_NODES = 2 } ts_ir_run_flag;

typedef struct ts_ir_meta {
  ts_ir_str plan;          /* name of the plan */
  ts_ir_str tool;          /* "trainspec 0.1.0" */
  uint32_t plan_loc;
  /* axis whose coordinate selects the program, or TS_IR_NONE: one program for all */
  uint32_t pipeline_axis;
  uint32_t world;          /* ranks = product of the axis sizes, 1..2^24 */
  uint32_t micro_batches;  /* per pipeline and step */
  uint32_t memory_loc;     /* what to blame when memory does not suffice, or TS_IR_NONE */
  uint32_t steps;          /* optimizer steps of a rank, if there are several; else 0 */
  uint64_t tokens_per_step;   /* of the whole job; 0 when the model has no tokens */
  uint64_t samples_per_step;  /* of the whole job */
  /* whole job, of the tokens trained: the MFU numerator (doc/reports.md) */
  double model_flops_per_step;
  /* of one device, FLOP/s, the harmonic mean of its formats by model FLOPs: the MFU denominator */
  double peak_flops;
  uint64_t parameters;     /* of the whole model */
  ts_ir_str cluster;       /* as the plan has it; "": none */
  uint32_t mesh_loc;       /* of the mesh, or TS_IR_NONE */
  ts_ir_str framework;     /* what runs the plan, "": not stated */
  ts_ir_str release;       /* of the framework, "": not stated */
  /* the rest of the kind of run that validated ones are compared by: bits of the number format that
   * most model FLOPs are in, 0: not known; ts_ir_run_flag */
  uint32_t run_bits, run_flags;
  double carbon;           /* g of CO2 a kWh; NaN: not stated */
} ts_ir_meta;

typedef struct ts_ir_source { /* provenance */
  ts_ir_str name;          /* as imported or named in the plan, never absolute */
  ts_ir_str role;          /* "plan", "import", "stdlib", "table", "fit", "trace", "library" */
  uint8_t sha256[32];
  ts_ir_str text;          /* of a parameter set on the command line, as typed; else "" */
  uint32_t reserved;       /* 0 */
} ts_ir_source;

typedef struct ts_ir_loc { uint32_t source, line, column, end_column; } ts_ir_loc; /* from 1 */

typedef struct ts_ir_axis {
  ts_ir_str name;
  uint32_t size;   /* >= 1 */
  /* product of the sizes of the axes before it: coordinate = rank / stride % size */
  uint32_t stride;
  uint32_t reserved;
} ts_ir_axis;

/* Ranks that differ only on these axes, ordered by rank; or lists of ranks, where no product of
 * axes says who belongs together: instance after instance, each of `size`, no rank twice. Ranks on
 * no list take no part. */
typedef struct ts_ir_group {
  ts_ir_str name;
  uint32_t axes; /* bit i: axis i belongs to it; 0 of lists */
  uint32_t size; /* of an instance; 0: not listed */
  uint32_t first_rank, rank_count; /* into TS_IR_GROUP_RANKS */
} ts_ir_group;

typedef enum ts_ir_vertex_kind { TS_IR_DEVICE = 0, TS_IR_SWITCH = 1 } ts_ir_vertex_kind;

typedef struct ts_ir_array { /* gpu[nodes, 8]: vertices first..first+count, last index fastest */
  ts_ir_str name;
  uint32_t kind; /* ts_ir_vertex_kind */
  uint32_t first, count;
  uint32_t dims;     /* 0..4 */
  uint32_t dim[4];
  uint32_t loc;
} ts_ir_array;

typedef struct ts_ir_device_class {
  ts_ir_str name;
  uint32_t loc;
  uint64_t memory;   /* usable by the framework, bytes; 0: no limit known */
  double bandwidth;  /* of its memory, bytes/s */
  uint64_t reserved_memory; /* driver context and libraries, taken from `memory` */
  /* W of one device at work, when idle, and of what serves it: host, fans, NICs. 0: not stated */
  double watts, idle_watts, host_watts;
  double price;      /* $ an hour; NaN: not stated */
} ts_ir_device_class;

typedef struct ts_ir_device { /* one for each vertex; a switch has class TS_IR_NONE */
  uint32_t array;
  uint32_t device_class;
  double speed; /* factor on compute rate: kernel time / speed. 1 unless overridden; 0 < speed */
} ts_ir_device;

typedef struct ts_ir_link_class {
  ts_ir_str name;
  uint32_t tier;     /* 0: inside an island (node, NVLink domain); 1: between islands; ... */
  double bandwidth;  /* one direction, bytes/s; of a circuit where it has ports */
  uint64_t latency;  /* ps */
  uint32_t loc;
  /* circuits that an end can hold at a time; 0: no circuits, the link is always there */
  uint32_t ports;
  uint64_t setup;    /* ps to set up a circuit */
  double loss;       /* share of packets that get lost on it */
  uint64_t down;     /* ps from which on packets do not get over it; 0: never */
} ts_ir_link_class;

/* bytes/s over a link in one direction, by all of its circuits together */
static inline double ts_ir_link_rate(const ts_ir_link_class *c)
{
  return c->bandwidth * (c->ports ? c->ports : 1);
}

/* duplex 1: both directions */
typedef struct ts_ir_link { uint32_t from, to, link_class, duplex; } ts_ir_link;

static inline bool ts_ir_is_collective(uint32_t kind)
{
  return kind != TS_IR_MESSAGE && kind < TS_IR_COLLECTIVE_KINDS;
}

/* how data travel as packets (ir/packets.c); of other models all 0 */
typedef struct ts_ir_net_packets {
  uint64_t mtu;         /* bytes of data in a packet */
  uint64_t header;      /* bytes around them on a link */
  /* bytes that may wait for a link between islands; what comes when it is full is lost */
  uint64_t queue;
  uint64_t buffer;      /* bytes that a connection may be ahead of the last one of its channel */
  /* ps of waiting in a switch from which packets are marked; at which mark_share of them are, and
   * beyond which all */
  uint64_t mark_from, mark_to;
  double mark_share;
  double gain;          /* of a sender's estimate of congestion, for each report: g of DCQCN */
  /* by which a sender's target grows at a time, as a share of its link's rate */
  double step;
  uint64_t timer;       /* ps between two such steps */
  uint64_t report;      /* ps between two reports of marks to a sender, at least */
  /* bytes from one link that wait in a switch, from which on it pauses who sends over that link
   * (PFC); 0: it never does */
  uint64_t pause;
  double eta;           /* of HPCC: use of the busiest link that senders keep to */
  uint64_t additive;    /* bytes by which a window grows at a time: W_AI of HPCC */
  /* TIMELY and Swift: delays in ps. Below `low` a rate grows, above `high` it is cut whatever its
   * trend; `target` is Swift's without hops, `per_hop` is added for each, and up to `scaling` for
   * small windows */
  uint64_t low, high, target, per_hop, scaling;
  double cut;      /* weight of a cut by delay, beta of both */
  double most_cut; /* of Swift: the largest share that a cut takes, max_mdf */
  /* by which share rates may change over a window and are skipped as steady; 0: all is played */
  double steady;
  /* packets that are played of a call at most, each counted on every link it crosses */
  uint32_t limit;
  uint32_t stages;      /* of HPCC: additive steps before a multiplicative one, maxStage */
  uint32_t control;     /* ts_ir_control */
  uint32_t reserved;    /* 0 */
} ts_ir_net_packets;

/* The links that a model's figures hold for: those it was measured on, of each member of a group;
 * 0: not known. Rates in proportion to theirs, and latency beyond theirs at each step, are what it
 * makes of others. */
typedef struct ts_ir_net_links {
  double intra_links, inter_links;       /* bytes/s inside islands, between them */
  uint64_t intra_latency, inter_latency; /* ps of a path */
} ts_ir_net_links;

typedef struct ts_ir_net_model {
  ts_ir_str name;
  uint32_t kind;        /* ts_ir_net_kind */
  uint32_t collectives; /* bit k: answers for ts_ir_collective_kind k */
  /* answers for groups whose slowest link has this tier, from 1 on also for those above up to the
   * next tier that a model for such calls names; TS_IR_NONE: any */
  uint32_t tier;
  double efficiency;    /* reachable share of the link bandwidth, 0..1 */
  uint64_t base;        /* ps per call */
  /* ps per step of the algorithm inside an island, besides the links' own latency */
  uint64_t hop;
  double half_bytes;    /* bandwidth is bw * x/(x+half_bytes), x = bytes per call; 0: no ramp */
  uint32_t first_point, point_count;
  uint32_t first_method, method_count; /* of a white box */
  uint32_t first_curve, curve_count;   /* of a statistical model */
  uint32_t source;      /* cost source it rests on, or TS_IR_NONE */
  uint32_t loc;
  /* bit i: answers for groups over axis i, and over just the axes set (messages: the pipeline
   * axis); 0: for all */
  uint32_t axes;
  uint32_t routing;     /* of flows and packets: ts_ir_routing */
  /* of flows and packets: rings or trees side by side; 0: one for each member of an island, at
   * least 2 */
  uint32_t channels;
  /* of flows, packets and alpha-beta, as algorithms.def says; TS_IR_NONE: for an all-reduce the
   * faster of ring and tree */
  uint32_t algorithm;
  /* of flows, packets and alpha-beta: ps per step between islands; inside, `hop` */
  uint64_t inter_hop;
  ts_ir_net_packets packets; /* of packets */
  ts_ir_net_links links;
  uint32_t assumed;     /* 1: its figures rest on nothing measured or published */
  /* of flows and packets; 1: senders send themselves. 0: what leaves an island leaves it by the
   * device that is on the receiver's rail (PXN) */
  uint32_t unrelayed;
} ts_ir_net_model;

enum { TS_IR_NET_SIZES = 24 }; /* 64 B and its powers of two, that a belief is by */

/* One way to do a collective. Its time is
 *   connection + rounds * (intra steps * intra_hop + inter steps * inter_hop) + transfer +
 *   reduction * bytes
 * with the transfer at the slower of a rank's rate inside an island and an island's rate to the
 * next, each min(rate, share * rate of the links) where stated. Steps, volume and rounds follow
 * from algorithm, ranks, channels and chunk (doc/networks.md). Of those for the ranks and islands
 * in question, or else those for any, the one whose time with `believed` for `connection` is least
 * is taken. */
typedef struct ts_ir_net_method {
  uint32_t collective;
  uint32_t algorithm;      /* ts_ir_net_algorithm */
  uint32_t protocol;       /* ts_ir_net_protocol */
  uint32_t channels, threads; /* >= 1; threads of a channel */
  uint32_t ranks, islands; /* only for these; both 0: any */
  /* 1: of pairs, what leaves the island goes by the rank whose rail the receiver is on */
  uint32_t relay;
  uint32_t least_islands;  /* the library knows this way over so many islands and more; 0: any */
  uint32_t reserved;
  uint64_t connection;     /* ps per call */
  uint64_t believed;       /* what the library's own choice takes for it, ps */
  uint64_t intra_hop, inter_hop; /* ps per step */
  /* between islands, what the library's own choice takes for a step, the share of the links' rate
   * and the most that is reached; `believed_share` 0: it takes what is */
  uint64_t believed_intra_hop, believed_inter_hop;
  double believed_share, believed_rate;
  /* tenths of that rate for 64 B, 128 B and so on, the last for all larger sizes; 0: whole */
  uint8_t believed_tenths[TS_IR_NET_SIZES];
  /* Between islands: channels for each rank of an island, up to `channels` (0: those); bytes of
   * traffic that a channel has before another is used (0: all are), and bytes/s that a rank's
   * processor passes on (0: as fast as the links). */
  double lanes, deal, lane_rate;
  /* of the rate between islands, what trees reach over three islands and more, whose inner ones
   * have two children; 0: all of it */
  double branching;
  double intra_rate, inter_rate;   /* most that is reached, bytes/s; 0: no bound */
  double intra_share, inter_share; /* of the links' rate; 0: whatever the links are */
  /* parts of bytes/ranks that each rank copies or reduces by itself, at its rate inside the island
   * */
  double local;
  double reduction;        /* ps per byte */
  double chunk;            /* bytes of a channel that go through the steps at once; 0: all */
  /* the rate between islands falls as (islands/2)^-spread: contention and stragglers */
  double spread;
  uint64_t least, most;    /* bytes between which it was measured; 0, 0: not measured */
} ts_ir_net_method;

/* Sorted by (collective, ranks, islands, bytes). `bytes` as nccl-tests counts: all-reduce,
 * broadcast, reduce: the buffer; all-gather: the gathered whole; reduce-scatter: the whole input;
 * all-to-all: a rank's whole buffer. */
typedef struct ts_ir_net_point {
  uint32_t collective, ranks, islands, reserved;
  uint64_t bytes, time;
} ts_ir_net_point;

/* A collective by bandwidth curves, one inside islands and one between them:
 *   bandwidth(bytes) = limit / (1 + (bytes / middle)^-slope) + floor     (a sigmoid of log bytes)
 * then a regression of the time over its own terms, then a linear model of the stragglers
 * (doc/networks.md). */
enum { TS_IR_CURVE_WEIGHTS = 8, TS_IR_CURVE_LATE = 4 };
typedef struct ts_ir_net_curve {
  uint32_t collective;
  uint32_t least_ranks, most_ranks, reserved; /* measured between these */
  uint64_t least, most;                       /* bytes likewise */
  uint64_t intra_latency, inter_latency;      /* ps per step */
  double intra_limit, intra_floor, inter_limit, inter_floor; /* bytes/s; limit 0: not measured */
  double intra_slope, intra_middle, inter_slope, inter_middle; /* middle: bytes */
  /* of 1, time, latency, ranks, bytes, time * bytes, time * ranks and latency * bytes, in seconds;
   * all 0: no regression. most_factor: it changes no time by more; 0: a thousand */
  double weights[TS_IR_CURVE_WEIGHTS], most_factor;
  /* upper quartile over fastest: of 1, ranks, log bytes, ranks * log bytes; and the most of it */
  double late[TS_IR_CURVE_LATE], most_late;
} ts_ir_net_curve;

typedef struct ts_ir_cost_source {
  ts_ir_str name, kind;
  uint32_t loc;
  ts_ir_str device; /* what its times were measured on, or are worked out for; "": not stated */
} ts_ir_cost_source;

enum { TS_IR_MOST_CALIBRATED = 12 };

/* What measured steps said about a physical quantity (doc/calibration.md). Times of kernels and of
 * the host, and reserved memory, have it in them; times of calls are multiplied by it when they are
 * played. */
typedef struct ts_ir_calibration {
  ts_ir_str name;             /* "matrix products" */
  uint32_t kind;              /* ts_ir_calibrated */
  ts_ir_str families, formats; /* KERNELS: see ts_text_among */
  uint32_t source;            /* the file, a cost source */
  uint32_t rows;              /* measured steps */
  double value;               /* a factor on times; MEMORY: bytes; STEP: 1 */
  /* of its logarithm before anything was measured; MEMORY: bytes; STEP: of a measured step */
  double prior;
  /* of logarithms, with each record of the table, in their order; MEMORY: bytes squared */
  double covariance[TS_IR_MOST_CALIBRATED];
} ts_ir_calibration;

/* A number format in which the model or its kernels multiply. Without any, `peak_flops` of the meta
 * data holds for all. */
typedef struct ts_ir_format {
  ts_ir_str dtype;
  uint32_t reserved;
  double model_flops; /* of the step's model FLOPs those in this format */
  /* of one device, FLOP/s, the mean over ranks; 0: a device does not state it */
  double peak;
} ts_ir_format;

/* The kind of a cost source that was asked beyond what it learned from. */
#define TS_IR_EXTRAPOLATED "extrapolated"

typedef struct ts_ir_kernel {
  uint64_t time;   /* ps on a device of speed 1, alone */
  double flops;
  double bytes;    /* read and written */
  ts_ir_str family;
  ts_ir_str dtype;
  uint32_t basis;  /* ts_ir_basis */
  uint32_t source; /* cost source, or TS_IR_NONE when stated */
} ts_ir_kernel;

typedef struct ts_ir_collective {
  uint32_t kind;  /* ts_ir_collective_kind, not MESSAGE: ts_ir_is_collective */
  uint32_t group;
  uint64_t bytes; /* counted as in ts_ir_net_point */
} ts_ir_collective;

typedef struct ts_ir_stream { /* stream 0 is the compute stream */
  ts_ir_str name;
  uint8_t kind;      /* ts_ir_stream_kind */
  /* 1: of a compute stream whose kernels take their times whatever others compute beside them, as
   * they were measured so, or have processors of their own; 0: they share the device */
  uint8_t unshared;
  /* of compute streams whose kernels compete for the processors of a device: larger goes first */
  uint16_t priority;
} ts_ir_stream;

/* Semantics. The host thread of a rank issues nodes in the order of the program, spending host_ps
 * on each. A node starts when it has been issued, when the previous node of its stream has ended,
 * and when all its dependencies have ended. */
typedef struct ts_ir_node {
  uint8_t op;      /* ts_ir_op */
  uint8_t stream;  /* index into TS_IR_STREAMS; 0 for host nodes */
  uint8_t phase;   /* ts_ir_phase */
  uint8_t flags;   /* 0 */
  uint32_t arg;
  uint64_t host_ps;
  uint32_t first_dep;  /* into TS_IR_DEPS */
  uint16_t dep_count;  /* dependencies name earlier nodes of the same fragment */
  uint16_t mem_count;
  uint32_t first_mem;  /* into TS_IR_MEMS */
  ts_ir_str label;     /* "layer[3].attn.qkv" */
  uint32_t loc;        /* into TS_IR_LOCS or TS_IR_NONE */
  uint32_t rule_loc;   /* rule that put it there, or TS_IR_NONE */
} ts_ir_node;

/* bytes > 0: allocated when the node starts; bytes < 0: freed when it ends (ts_ir_memory_order) */
typedef struct ts_ir_mem {
  int64_t bytes;
  uint32_t category;
  ts_ir_str label;
} ts_ir_mem;

typedef struct ts_ir_port { /* peers have equal coordinates but for the one axis of `group` */
  uint64_t bytes;
  uint32_t group;
  uint32_t is_send;
} ts_ir_port;

typedef struct ts_ir_fragment {
  ts_ir_str name;   /* "F", "B", "S", with the stage class where there are several */
  ts_ir_str work;   /* the schedule's letter: "F", "I", "W", "B", "S" */
  uint32_t first_node, node_count;
  uint32_t first_port, port_count;
} ts_ir_fragment;

/* A message goes from the rank that plays a send with (peer, tag) to the peer; the receive there
 * names the sender's coordinate and the same tag. Each (sender, receiver, tag) occurs once on
 * either side: the verifier lists the orphans. */
/* peer: coordinate on the port group's axis */
typedef struct ts_ir_binding { uint32_t peer; uint32_t tag; } ts_ir_binding;

typedef struct ts_ir_item {
  uint32_t fragment;
  uint32_t micro_batch; /* or TS_IR_NONE */
  uint32_t chunk;
  uint32_t first_binding; /* as many as the fragment has ports */
} ts_ir_item;

/* Items that are played round after round. Micro-batches, and the tags of items that have one, are
 * `step` larger each time. In files alone: an IR that is used lists the items of all rounds. */
typedef struct ts_ir_loop {
  uint32_t first_item, item_count; /* of the program's; loops in it are listed behind it */
  uint32_t rounds, step;
} ts_ir_loop;

typedef struct ts_ir_holding { uint64_t bytes; uint32_t category; ts_ir_str label; } ts_ir_holding;

typedef struct ts_ir_program {
  ts_ir_str name; /* "stage 3" */
  uint32_t first_item, item_count;
  uint32_t first_holding, holding_count;
  uint32_t memory_order; /* ts_ir_memory_order */
  uint32_t first_loop, loop_count; /* of a file; else none */
} ts_ir_program;

/* The spread of log(measured / predicted) of figures of one origin, from std.errors: a standard
 * deviation. Of several records that hold for a part of the step, the one that names most of it
 * counts (ir/spread.h). */
typedef struct ts_ir_spread {
  uint32_t origin;  /* ts_ir_origin */
  uint32_t basis;   /* of kernels: ts_ir_basis; of networks: ts_ir_net_kind; else 0 */
  ts_ir_str name;   /* of kernels: the family; of networks: the file they rest on; "": of any */
  ts_ir_str dtype;  /* of kernels; "": of any */
  uint32_t between; /* of networks and links: 1 between islands, 0 inside them */
  /* of networks: rests on nothing measured; of kernels: beyond what was */
  uint32_t assumed;
  uint32_t rows;    /* measured ones that it comes from; 0: chosen */
  uint32_t least_kib; /* of networks: for calls of so many KiB and more */
  double spread;
} ts_ir_spread;

/* By how many spreads log(measured / predicted) of validated runs lay below and above 0, so that
 * 80 % of them lie between: runs of the plan's kind, or of the nearest kind that has some
 * (std.errors). Of memory the spread is 1. */
typedef struct ts_ir_validation {
  uint32_t quantity;     /* ts_ir_quantity, each at most once */
  ts_ir_str runs;        /* of which kind they are, in words */
  uint32_t rows, groups; /* runs, and the configurations that they are of */
  uint32_t same_kind;    /* 1: of the plan's own kind */
  uint32_t reserved;
  double below, above;   /* >= 0 */
  double
    apart; /* >= 0: as they are on the mean of both sides without what their kind has in common */
} ts_ir_validation;

typedef struct ts_ir_remark { /* so that an IR is reported as the plan that it was made from */
  uint32_t kind;
  uint32_t loc;         /* or TS_IR_NONE */
  ts_ir_str name;       /* of a warning: its code, "W0201"; of a fact: its name; else "" */
  ts_ir_str text;
  ts_ir_str here;       /* of a warning: what stands at its place; else "" */
  uint32_t more;        /* of a warning: how many more are like it; else 0 */
} ts_ir_remark;

/* Rounds that no program lists, of IRs in memory alone: behind the items `first` to `first + count`
 * of program p, of[p], it plays them `rounds` times more, each for the next micro-batch.
 * Micro-batches are as in the whole step, tags as if there were no other rounds. */
typedef struct ts_ir_round {
  uint32_t first, count;
} ts_ir_round;
typedef struct ts_ir_left_out {
  uint32_t rounds;
  const ts_ir_round *of;
} ts_ir_left_out;

/* A view of an IR: pointers to its records. Filled by the loader (pointing into the mapped file) or
 * by hand (pointing anywhere) for the writer. Counts are numbers of records. */
typedef struct ts_ir {
#define TABLE(kind, record, name, bytes) const record *name; uint32_t name##_count;
#define SINGLE(kind, record, name, bytes) const record *name;
#include "ir/records.def"
  const ts_ir_left_out *left_out; /* NULL: all rounds are listed */
} ts_ir;

/* How often a program plays one of its items. */
static inline uint64_t ts_ir_plays(const ts_ir *ir, uint32_t program, uint32_t item)
{
  const ts_ir_round *r = ir->left_out ? &ir->left_out->of[program] : NULL;
  return r && item - r->first < r->count ? ir->left_out->rounds + UINT64_C(1) : 1;
}
/* Adds to plays[f] how often ranks that play the program, `ranks` of them, play fragment f. */
static inline void ts_ir_count_plays(const ts_ir *ir, uint32_t program, double ranks, double *plays)
{
  const ts_ir_program *p = &ir->programs[program];
  for (uint32_t i = 0; i < p->item_count; i++)
    plays[ir->items[p->first_item + i].fragment] += ranks * (double)ts_ir_plays(ir, program, i);
}

/* Builder (ir/build.c): append records, intern strings and records, then view or write. */
typedef struct ts_ir_builder ts_ir_builder;
ts_ir_builder *ts_ir_builder_new(void);
void ts_ir_builder_free(ts_ir_builder *b);
/* Interned: equal text, equal offset. Bytes that are no UTF-8 become \xNN: every string of an IR is
 * UTF-8, whoever gives it. */
ts_ir_str ts_ir_add_string(ts_ir_builder *b, const char *text);
ts_ir_meta *ts_ir_builder_meta(ts_ir_builder *b);
/* Appends `count` zeroed records and returns the index of the first; *records points at them until
 * the next append of that kind. */
uint32_t ts_ir_append(ts_ir_builder *b, ts_ir_section_kind kind, uint32_t count, void **records);
/* The same with copies of `records`. */
uint32_t ts_ir_append_copies(ts_ir_builder *b, ts_ir_section_kind kind, const void *records,
                             uint32_t count);
/* Returns the index of an equal record that was interned before, appending it if there is none
 * (kernels, collectives, groups, locs ...). */
uint32_t ts_ir_intern(ts_ir_builder *b, ts_ir_section_kind kind, const void *record);
/* The same for a run of records: [index, index + count) equals the run (fragment dedup, deps,
 * mems). */
uint32_t ts_ir_intern_run(ts_ir_builder *b, ts_ir_section_kind kind, const void *records,
                          uint32_t count);
void ts_ir_builder_view(ts_ir_builder *b, ts_ir *view); /* valid until the next change */
/* Once; the view has them. */
void ts_ir_builder_leave_out(ts_ir_builder *b, ts_ir_left_out of, uint32_t programs);
/* The records of a kind, to complete them; until the next append of that kind. */
void *ts_ir_builder_records(ts_ir_builder *b, ts_ir_section_kind kind);

/* Writer (ir/write.c): the canonical bytes. Strings, places, dependencies, memory effects,
 * bindings, items and points are stored once, in the order of their first use; what nothing uses is
 * left out. Returns a malloc'd buffer, NULL when ts_ir_verify rejects `ir`. */
uint8_t *ts_ir_encode(const ts_ir *ir, size_t *size);
/* Writes beside `path`, syncs and renames; leaves an equal file alone. 0, or -1 with `error`
 * filled. */
int ts_ir_write_file(const ts_ir *ir, const char *path, ts_error *error);

/* Loader (ir/load.c). ts_ir_open maps and verifies; the view lives until ts_ir_close. */
typedef struct ts_ir_file ts_ir_file;
ts_ir_file *ts_ir_open(const char *path, ts_error *error);
const ts_ir *ts_ir_of(const ts_ir_file *file);
void ts_ir_close(ts_ir_file *file);
/* The same on bytes in memory (fuzzing, in-process use); the view points into `bytes`, which must
 * be 8-byte aligned. */
int ts_ir_view_bytes(const void *bytes, size_t size, ts_ir *view, ts_error *error);

/* What is wrong with a number of a net model that no IR may hold, or NULL: for the verifier and for
 * who makes one. */
const char *ts_ir_net_model_wrong(const ts_ir_net_model *model);

/* Verifier (ir/verify.c): every index in range, dependencies backward, groups and strides
 * consistent, messages matched one to one (orphans listed), counts sane, no overflow of totals, no
 * more memory freed than there is. 0, or -1 with `error` filled. */
int ts_ir_verify(const ts_ir *ir, ts_error *error);
/* The same of what the compiler has just made: that its messages match is left to who plays or
 * writes it. Builds for finding faults look at these, too. A rank of a `plan` frees nothing of what
 * it holds throughout; in a recording it may free what it has held before. */
int ts_ir_verify_compiled(const ts_ir *ir, bool plan, ts_error *error);
/* Of that no more than the totals of programs, which need no bindings. */
bool ts_ir_totals_hold(const ts_ir *ir);

/* Text form (ir/text/write.c, ir/text/read.c): readable, complete; reads back to the same bytes. */
int ts_ir_print(const ts_ir *ir, void (*put)(void *closure, const char *bytes, size_t size),
                void *closure);
ts_ir_builder *ts_ir_parse(const char *text, size_t size, ts_error *error);
/* recognized by how it begins */
bool ts_ir_is_text(const char *text, size_t size);

#endif
