/* What playing a plan found: filled by runtime/account/run.c, read by report/ and by anyone who
 * embeds the library.
 *
 * Ranks that behave alike form a CLASS and are played once. For each class the step is split
 * without rest:
 *   step = sum(phase) + sum(comms[].exposed) + bubble + host + tail
 * by what the compute stream did, and where it did nothing, by what the next node on it was waiting
 * for. */
#ifndef TS_RUNTIME_ACCOUNT_RESULT_H
#define TS_RUNTIME_ACCOUNT_RESULT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "ir/ir.h"
#include "runtime/collective/bound.h"
#include "runtime/collective/network.h"
#include "runtime/load/stop.h"
#include "runtime/play/options.h"

/* traffic of a class over one group of the mesh; messages: the group of their ports */
typedef struct ts_comm_share {
  uint32_t group;
  bool messages;
  uint64_t calls, bytes;        /* of a step; bytes as in ts_ir_net_point */
  uint64_t busy;                /* ps that its streams spend on it, waiting for members included */
  uint64_t exposed;             /* ps during which the compute stream waits for it */
  /* ps of its calls alone, as the network model gives them: busy - transfer is waiting for others.
   * Of sends what they hold their stream for, of receives from when the message could leave until
   * it is there: latency and waiting for links behind earlier messages count there, once */
  uint64_t transfer;
} ts_comm_share;

typedef struct ts_class_result {
  uint32_t rank;       /* the lowest of its ranks: stands for all */
  uint32_t count;
  uint32_t program;
  /* ps, when its last node has ended, but for receives that records choose among and did not wait
   * for */
  uint64_t end;
  uint64_t phase[TS_IR_PHASES]; /* compute stream busy */
  uint64_t basis[TS_IR_BASES];  /* the same, by what the times rest on */
  /* compute stream waits for a message that its sender has not begun to send, or for what waits for
   * such */
  uint64_t bubble;
  uint64_t host;       /* ... to be issued by the host */
  uint64_t tail;       /* from its own end to the end of the step */
  uint32_t comm_count;
  const ts_comm_share *comms; /* by group, collectives before messages */
  uint64_t host_busy;  /* host thread at work */
} ts_class_result;

typedef enum ts_critical_kind {
  TS_CRITICAL_COMPUTE,
  TS_CRITICAL_COLLECTIVE,
  TS_CRITICAL_MESSAGE,
  TS_CRITICAL_HOST,
  TS_CRITICAL_KINDS
} ts_critical_kind;

/* the critical path, summed by what it runs through; largest first */
typedef struct ts_critical_part {
  ts_critical_kind kind;
  const char *name;    /* kernel family, group, "host" */
  uint64_t time;       /* ps */
  uint64_t count;      /* of nodes */
  ts_ir_str label;     /* of the node that contributes most, with numbers as they are */
} ts_critical_part;

/* calls of a step that a network model answered, of all ranks; a message counts at its sender */
typedef struct ts_network_use {
  uint64_t calls;
  double bytes;        /* as in ts_ir_net_point */
  double time;         /* ps, of each call by itself */
  double beyond;       /* the part of it that lies beyond what the model was measured on */
  /* of the links under them, summed over calls: as they are, and as the model sees them */
  ts_link_figures are, seen;
} ts_network_use;

typedef struct ts_result {
  uint64_t step;       /* ps */
  uint32_t class_count;
  const ts_class_result *classes; /* by lowest rank */
  const uint32_t *class_of;       /* [world] */
  uint32_t critical_rank; /* where the critical path ends: ts_critical_path_of */
  /* calls whose time lies beyond what their model was measured on */
  const ts_extrapolation *extrapolations;
  uint32_t extrapolation_count;
  const ts_path_use *path_uses; /* [net models] equal paths that models of flows use and leave */
  ts_link_load fullest;         /* the links that calls and messages of a step need longest */
  /* [2 * (net models + 1)] inside islands and between them; the last two: answered by the links
   * alone. NULL: no cluster */
  const ts_network_use *network_uses;
  bool contention;     /* as asked for */
  bool overlap;        /* what is under way on a device slows each other down */
  bool turns;          /* kernels of several streams took turns */
  const char *supposed; /* those that it takes as kernels of a family usually have them, or NULL */
  const char *unfelt;  /* features that a learned slowdown splits by and no play knows, or NULL */
  const char *unseen;    /* of a learned one, as ts_overlap_unseen has it, or NULL */
  const char *idle_rows; /* of a slowdown model, as ts_overlap_idle_rows has them, or NULL */
  uint64_t nodes;      /* of all ranks played */
  uint64_t nodes_played;
} ts_result;

/* What a model answered inside islands and between them together; model: or the number of models,
 * for the links. */
static inline ts_network_use ts_network_use_of(const ts_result *r, uint32_t model)
{
  ts_network_use sum = {0};
  for (uint32_t i = 2 * model; r->network_uses && i < 2 * model + 2; i++) {
    sum.calls += r->network_uses[i].calls;
    sum.bytes += r->network_uses[i].bytes;
    sum.time += r->network_uses[i].time;
    sum.beyond += r->network_uses[i].beyond;
  }
  return sum;
}

typedef struct ts_run ts_run;

/* Plays a verified IR. NULL after filling *stop (its arena must be set). The IR must outlive the
 * run. */
ts_run *ts_run_new(const ts_ir *ir, const ts_run_options *options, ts_stop *stop);
void ts_run_free(ts_run *run);
const ts_result *ts_run_result(const ts_run *run);

/* The critical path, largest part first; sums up to `step`. It is found when it is first asked for,
 * so one thread at a time may ask. */
typedef struct ts_critical_parts { uint32_t count; const ts_critical_part *at; } ts_critical_parts;
ts_critical_parts ts_run_critical(const ts_run *run);

/* What distinguishes ranks, so that they are in classes of their own: "device speed", "whom they
 * meet in dp", with how many classes more it made. */
typedef struct ts_class_split { const char *by; uint32_t more; } ts_class_split;
uint32_t ts_run_splits(const ts_run *run, ts_arena *arena, const ts_class_split **splits);

/* Which node each part of a class's step is put down to: kernels of the compute stream and those of
 * others that it waited for, exposed communication, and transfers. Sums
 * over all nodes are those of the class: its phases, `exposed` and `transfer` of its groups. */
typedef enum ts_share_kind { TS_SHARE_COMPUTE, TS_SHARE_EXPOSED, TS_SHARE_TRANSFER } ts_share_kind;

/* What the compute stream waited for: a message that its sender had not begun to send, a transfer
 * or the members of a collective, the host, or a kernel of another compute stream. */
typedef enum ts_idle_kind {
  TS_IDLE_BUBBLE,
  TS_IDLE_EXPOSED,
  TS_IDLE_HOST,
  TS_IDLE_WORK
} ts_idle_kind;
typedef struct ts_idle { /* a stretch of that, in ps */
  ts_idle_kind kind;
  uint32_t before;        /* item of the program whose node came next; TS_IR_NONE: the end */
  uint32_t item;          /* of the program, whose node was waited for; of the host TS_IR_NONE */
  const ts_ir_node *node;
  uint64_t from, to;
} ts_idle;

typedef struct ts_attribution { /* each may be NULL */
  void (*take)(void *closure, const ts_ir_node *node, ts_share_kind kind, uint64_t time);
  void *closure;
  /* gap by gap in the order of time, a gap from its end back; waits of the host inside of a run of
   * kernels are left out */
  void (*idle)(void *closure, const ts_idle *idle);
  /* the item of the program waited as `like`, an earlier one that was reported: its stretches and
   * their items are those, moved, and lie `by` later. NULL: `idle` gets all of them */
  void (*again)(void *closure, uint32_t item, uint32_t like, uint64_t by);
} ts_attribution;
void ts_run_attribute(const ts_run *run, uint32_t class, const ts_attribution *each);

/* A node of a rank's timeline. Host work has stream TS_IR_NONE. */
typedef struct ts_span_event {
  const ts_ir_node *node;
  uint32_t item;        /* into the IR's items */
  uint32_t stream;
  uint64_t issued;      /* ps, when the host had issued it */
  /* when its stream and its dependencies allowed it to start; collectives wait from here to `start`
   * */
  uint64_t ready;
  uint64_t start, end;
  uint32_t peer, tag;   /* rank and tag of messages, else TS_IR_NONE */
  uint64_t sent;        /* receive: when the message could leave; not later than the send's start */
} ts_span_event;

/* Calls `each` for every node of a rank, in the order in which the host issued them; equal for all
 * ranks of a class but for peers. */
void ts_run_timeline(const ts_run *run, uint32_t rank,
                     void (*each)(void *closure, const ts_span_event *event), void *closure);

#endif
