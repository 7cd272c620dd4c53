/* The common table of all formats of traces: what ran, when, on which stream, launched by what, and
 * what waits for what. Readers append, ts_events_link joins. Events lie in blocks, so that a table
 * of millions grows without being copied. Times are nanoseconds as the file has them. */
#ifndef TS_TRACE_READ_EVENTS_H
#define TS_TRACE_READ_EVENTS_H

#include "base/intern.h"
#include "base/progress.h"
#include "base/arena.h"
#include "ir/ir.h"
#include "trace/read/feed.h"

#define TS_EVENT_NONE UINT32_MAX

typedef enum ts_event_class {
  TS_EVENT_DEVICE, /* a kernel, a copy or a fill on a stream */
  TS_EVENT_CALL,   /* of the host into the device's runtime */
  TS_EVENT_OPERATOR, /* on the host */
  TS_EVENT_MARK    /* a span that the user named */
} ts_event_class;

typedef enum ts_event_kind {
  TS_KERNEL_OTHER,
  TS_KERNEL_MATMUL,
  TS_KERNEL_CONVOLUTION,
  TS_KERNEL_ATTENTION,
  TS_KERNEL_NORM,
  TS_KERNEL_SOFTMAX,
  TS_KERNEL_EMBEDDING,
  TS_KERNEL_OPTIMIZER,
  TS_KERNEL_REDUCTION,
  TS_KERNEL_INDEXING,
  TS_KERNEL_ELEMENTWISE,
  TS_KERNEL_COPY,
  TS_KERNEL_FILL,
  TS_KERNEL_COMMUNICATION,
  TS_KERNEL_KINDS,
  TS_CALL_LAUNCH = TS_KERNEL_KINDS, /* brings work to a stream */
  TS_CALL_WAIT,                     /* a stream waits for an event */
  TS_CALL_RECORD,
  TS_CALL_SYNC_DEVICE, /* the host waits for all streams */
  TS_CALL_SYNC_STREAM,
  TS_CALL_SYNC_EVENT,
  TS_CALL_OTHER,
  TS_MARK_STEP,
  TS_MARK_OTHER,
  TS_OPERATOR_PLAIN,
  TS_OPERATOR_COMMUNICATION,
  TS_MARK_MODULE /* "nn.Module: Conv2d_0" */
} ts_event_kind;

typedef struct ts_event {
  int64_t start;     /* ns; graphs without times: order of the file */
  int64_t duration;  /* ns; -1: not known */
  /* correlation of calls and device work; of a graph: number of the node; of a profile's operators:
   * sequence number of the backward they make or are, + 1, 0: none */
  uint64_t id;
  uint64_t external; /* operators and what they launch */
  uint32_t name, track;
  /* device work and communication operators: collective; operators: shapes; waits: ts_event_wait;
   * or NONE */
  uint32_t detail;
  uint32_t op;       /* innermost operator that it runs in, or NONE */
  /* device work: the call that launched it; operators: their number in PyTorch's record of
   * functions; or NONE */
  uint32_t call;
  uint8_t class, kind;
  uint8_t flags;
  /* device work: share of the processors that its blocks fill, in 255ths; 0: not known */
  uint8_t fill;
} ts_event;

enum { TS_EVENT_BACKWARD = 1 }; /* an operator of the backward pass, or what it launched */

typedef struct ts_event_track { /* a stream of a device, or a thread of the host */
  uint32_t process_name, thread_name; /* strings: as the file gives ids */
  int64_t process, thread;
  uint32_t label;        /* string, 0: none */
  bool device;
  bool unshared; /* graphs: as streams of an IR; so is the next */
  uint16_t priority;
  uint32_t count;        /* events on it */
} ts_event_track;

typedef enum ts_comm_kind {
  TS_COMM_UNKNOWN,
  TS_COMM_ALL_REDUCE,
  TS_COMM_ALL_GATHER,
  TS_COMM_REDUCE_SCATTER,
  TS_COMM_BROADCAST,
  TS_COMM_REDUCE,
  TS_COMM_ALL_TO_ALL,
  TS_COMM_GATHER,
  TS_COMM_SCATTER,
  TS_COMM_BARRIER,
  TS_COMM_SEND,
  TS_COMM_RECV,
  TS_COMM_SEND_RECV,
  TS_COMM_KINDS
} ts_comm_kind;

/* What it is in an IR; messages have a form of their own there. */
ts_ir_collective_kind ts_comm_in_ir(uint32_t kind);

typedef struct ts_event_comm {
  uint32_t kind;         /* ts_comm_kind */
  uint32_t name, dtype;  /* strings */
  uint32_t group;        /* string: name of the process group, 0: not known */
  uint32_t group_label;  /* string */
  uint32_t ranks;        /* string: "0,1,2"; 0: not known */
  int64_t in, out;       /* elements; -1: not known */
  int64_t bytes;         /* of a rank's buffer, as ts_ir_net_point counts; -1: not known */
  int64_t size;          /* ranks of the group; -1: not known */
  int64_t sequence;      /* in the group; -1: not known */
  int64_t peer;          /* of sends and receives; -1: not known */
  int64_t tag;
  uint32_t interface;    /* of GOAL: the `nic`, else 0 */
} ts_event_comm;

/* Strings without blanks: "[[64,32],[32]]", "["float","float"]"; arguments, of convolutions alone:
 * "["","","[1,1]"]". */
typedef struct ts_shapes { uint32_t dims, types, arguments; } ts_shapes;
/* What an event states of its work; 0: not stated. Of a product, `in` are its two matrices. */
typedef struct ts_event_work { double flops, bytes; ts_shapes in; } ts_event_work;
/* record: correlation of the call that recorded the event, 0: not known */
typedef struct ts_event_wait { int64_t stream, on_stream; uint64_t record; } ts_event_wait;
typedef struct ts_memory_event {
  int64_t time, bytes, allocated, reserved;
  uint64_t address;
  uint32_t category; /* string; 0: not known */
  int32_t device;
  bool on_device;
} ts_memory_event;
/* A copy or fill: bytes, and bytes/s; 0: not stated. */
typedef struct ts_event_copy { uint32_t event; int64_t bytes, rate; } ts_event_copy;
/* A value of a series from this time on: strings; value in thousandths. */
typedef struct ts_event_counter {
  int64_t time, value;
  uint32_t name, series, process;
} ts_event_counter;
typedef struct ts_device_info { uint32_t name; int64_t id, memory, processors; } ts_device_info;
typedef struct ts_group_info { uint32_t name, label, ranks; int64_t size; } ts_group_info;
/* A tensor of a graph. Tensors of equal storage share memory. */
/* device: string */
typedef struct ts_event_tensor {
  uint64_t id, storage;
  int64_t elements, bytes_each;
  uint32_t device;
} ts_event_tensor;
/* Memory of an IR: an event allocates a tensor, and one frees it. */
typedef struct ts_event_use { uint32_t event, tensor; int64_t bytes; bool writes; } ts_event_use;
/* `to` waits for `from`; numbers of events. */
typedef struct ts_event_edge { uint32_t from, to; bool control; } ts_event_edge;

typedef enum ts_trace_format {
  TS_TRACE_NO_FORMAT,
#define FORMAT(id, ...) TS_TRACE_##id,
#include "trace/read/formats.def"
#undef FORMAT
  TS_TRACE_FORMATS
} ts_trace_format;

/* A text where a column of formats.def says yes. */
#define TS_FORMAT_yes(text) text
#define TS_FORMAT_no(text)

enum { TS_EVENT_BLOCK = 1 << 14 };

typedef struct ts_events {
  ts_arena *arena;
  const char *file;      /* as given */
  ts_trace_format format;
  const char *version;   /* of the schema, or "" */
  TS_VEC(ts_event *) blocks;
  uint32_t count;
  TS_VEC(ts_event_track) tracks;
  TS_VEC(ts_event_comm) comms;
  TS_VEC(ts_shapes) shapes;
  TS_VEC(ts_event_work) work; /* by event; those behind its end state nothing */
  TS_VEC(ts_event_wait) waits;
  TS_VEC(ts_memory_event) memory;
  TS_VEC(ts_event_copy) copies;     /* in the order of events */
  TS_VEC(ts_event_counter) counters; /* in the order of the file */
  TS_VEC(ts_device_info) devices;
  TS_VEC(ts_group_info) groups;
  TS_VEC(ts_event_tensor) tensors;
  TS_VEC(ts_event_edge) edges;
  TS_VEC(ts_event_use) uses; /* in the order of events */
  int64_t rank, world;   /* -1: not known */
  uint32_t backend;      /* string */
  int64_t base;          /* ns to add for absolute time */
  uint64_t bytes;        /* of text read */
  uint64_t seen;         /* events in the file, kept or not */
  bool cut;              /* the file ends early */
  bool packed;
  bool timed;            /* events have starts; else their order is that of the file */
  /* control dependencies are no order, but nesting: with data dependencies they form cycles */
  bool nested;
  bool has_shapes, has_syncs;
  /* the execution trace that shapes are of, or NULL; then how many operators have some, and whether
   * by numbers, not names */
  const char *shapes_from;
  uint32_t shapes_taken;
  bool shapes_by_number;
  /* What did not fit: counted, and reported. */
  uint64_t untimed, negative, unknown_category, backward_clock, duplicate_ids, too_many,
    missing_nodes;
  uint32_t unknown_name; /* string: the first unknown category */
  struct ts_rank_graph *graph; /* rank_graph.h: what an execution graph says beside; else NULL */
  struct ts_tensor_flow *flow;  /* tensor_flow.h: what nodes take and give; else NULL */
  struct ts_workload *workload; /* workload.h: which ranks do what; else NULL */
  /* After ts_events_link. */
  uint32_t *device;      /* device work by start, then track */
  uint32_t device_count;
  uint32_t *host;        /* calls by start */
  uint32_t host_count;
  uint32_t *steps;       /* marks of steps by start */
  uint32_t step_count;
  uint32_t linked_calls, linked_ops;
  int64_t launch_min, launch_max; /* ns from a call to the start of what it launched; 0 within */
  ts_intern strings;
} ts_events;

static inline ts_event *ts_event_at(const ts_events *e, uint32_t i)
{
  return &e->blocks.at[i / TS_EVENT_BLOCK][i % TS_EVENT_BLOCK];
}
static inline ts_event_work ts_event_work_of(const ts_events *e, uint32_t i)
{
  return i < e->work.count ? e->work.at[i] : (ts_event_work){0};
}
static inline bool ts_states_work(ts_event_work w)
{
  return w.flops > 0 || w.bytes > 0 || w.in.dims;
}
static inline int64_t ts_event_end(const ts_event *v)
{
  return v->start + (v->duration > 0 ? v->duration : 0);
}

typedef struct ts_events_options {
  bool no_operators; /* leave out operators of the host, */
  bool no_memory;    /* and events of memory */
  const ts_progress *progress; /* of reading, or NULL */
  bool modules;      /* keep where modules of PyTorch ran, if the profiler was asked for stacks */
} ts_events_options;

ts_events *ts_events_new(ts_arena *arena, const char *file);
/* A zeroed event with no links. */
ts_event *ts_events_add(ts_events *e, ts_event_class class, ts_event_kind kind);
/* Of an event that was added last, or before. */
void ts_events_put_work(ts_events *e, uint32_t event, ts_event_work work);
uint32_t ts_events_string(ts_events *e, const char *text, size_t length); /* interned; 0 is "" */
const char *ts_events_text(const ts_events *e, uint32_t string);
uint32_t ts_events_strings(const ts_events *e); /* how many there are */
uint32_t ts_events_track(ts_events *e, uint32_t process, uint32_t thread, bool device);
/* Edges by the event that waits: of event i those from first[i] to first[i + 1], in their order. */
typedef struct ts_in_edges {
  const uint32_t *first;
  const ts_event_edge *edge;
} ts_in_edges;
ts_in_edges ts_events_in_edges(ts_arena *arena, const ts_events *e);
/* Sorts; ts_events_link also joins device work to calls and operators by their times. */
void ts_events_sort(ts_events *e);
void ts_events_link(ts_events *e);

/* Reads a trace of any format. NULL with the error filled; a file that is cut off is read as far as
 * it goes (->cut). */
ts_events *ts_events_read(ts_arena *arena, const char *path, const ts_events_options *options,
                          ts_error *error);
ts_events *ts_events_parse(ts_arena *arena, const char *name, const void *bytes, size_t size,
                           const ts_events_options *options, ts_error *error);

ts_event_kind ts_kernel_kind(const char *name);
/* Whether a node of an IR may take so long, ns. */
static inline bool ts_event_fits(int64_t duration)
{
  return duration <= (int64_t)(TS_IR_TIME_MOST / 1000);
}

const char *ts_event_kind_name(ts_event_kind kind); /* "matmul" */
/* The family that a kernel of this kind and name has in plans ("gemm"): what plays of recordings,
 * models of slowdown and plans call it. */
const char *ts_kernel_family(ts_event_kind kind, const char *name);
const char *ts_comm_transfer(ts_comm_kind kind); /* likewise: "message"; "": not known */
/* of a collective's or a kernel's name */
ts_comm_kind ts_comm_kind_of(const char *name, size_t length);
const char *ts_comm_kind_name(ts_comm_kind kind);   /* "all_reduce" */
/* "Float", "c10::BFloat16", "int64"; -1: not known */
int64_t ts_scalar_bytes(const char *dtype);
/* "fp32", as tables and plans have it; NULL: not known */
const char *ts_scalar_name(const char *dtype);
const char *ts_trace_format_name(ts_trace_format format);
/* Number of ranks and bytes of a collective, from elements and type. */
void ts_comm_finish(ts_events *e, ts_event_comm *comm);

/* Times of work on several streams that compute hold what ran beside it: it was recorded so, or
 * each stream has processors of its own. Graphs and tables of IRs say it of a stream. */
bool ts_events_unshared(const ts_events *e);

#endif
