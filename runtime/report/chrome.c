/* The timeline in the trace event format that Perfetto and chrome://tracing open: a process for
 * each rank, a track for each stream, flows from sends to receives, counters of memory. Written as
 * it is made; nothing is kept but the end of each track.
 *
 * `ts` and `dur` are in microseconds; viewers round below a nanosecond, so both ends are rounded to
 * it (neighbours stay neighbours) and the exact picoseconds are in `args`. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_writer.h"
#include "base/output.h"
#include "base/table.h"
#include "ir/names.h"
#include "ir/spelling.h"
#include "runtime/account/timeline.h"
#include "runtime/report/gzip.h"
#include "runtime/report/report.h"

enum { TRACK_HOST = 1, TRACK_WORK = 2, TRACK_STREAMS = 3 };
enum { TICK_EVERY = 1 << 13 };

/* of the item that the compute stream is at */
typedef struct chrome_work { /* of an item on the compute stream, and the waits in it */
  uint32_t item;
  uint64_t begin, end, waited;
} chrome_work;

typedef struct chrome_writer {
  const ts_summary *s;
  const ts_trace_options *options;
  ts_arena *arena;
  const uint8_t *shown; /* [world] ranks in the trace */
  ts_window window;
  const ts_progress *progress;
  uint32_t written, ranks; /* whole ones, of all */
  uint64_t seen;           /* events */
  uint32_t rank;
  ts_json_writer json;
  chrome_work at;
} chrome_writer;

static bool shows(const chrome_writer *w, ts_level level)
{
  return w->window.level == TS_LEVEL_USUAL || w->window.level >= level;
}

static uint64_t nanoseconds(uint64_t ps) { return ps / 1000 + (ps % 1000 >= 500); }

/* Microseconds, of which the format counts in decimals. */
static void put_time(chrome_writer *w, const char *key, uint64_t ns)
{
  ts_json_put_thousandths(&w->json, key, ns);
}

static void begin_record(chrome_writer *w, const char *phase, uint32_t track)
{
  ts_json_line(&w->json, 0);
  ts_json_begin(&w->json, NULL, '{');
  ts_json_put_text(&w->json, "ph", phase);
  ts_json_put_count(&w->json, "pid", w->rank);
  ts_json_put_count(&w->json, "tid", track);
}

/* Begins an event: {"ph":"X","pid":0,"tid":3,"ts":1.000 */
static void chrome_begin(chrome_writer *w, const char *phase, uint32_t track, uint64_t time)
{
  begin_record(w, phase, track);
  put_time(w, "ts", nanoseconds(time));
}

static void end_object(chrome_writer *w) { ts_json_end(&w->json, '}'); }

static void slice(chrome_writer *w, uint32_t track, const char *name, const char *category,
                  uint64_t start, uint64_t end)
{
  chrome_begin(w, "X", track, start);
  put_time(w, "dur", nanoseconds(end) - nanoseconds(start));
  ts_json_put_text(&w->json, "cat", category);
  ts_json_put_text(&w->json, "name", name);
}

static void metadata(chrome_writer *w, bool process, uint32_t track, const char *name)
{
  begin_record(w, "M", track);
  ts_json_put_text(&w->json, "name", process ? "process_name" : "thread_name");
  ts_json_begin(&w->json, "args", '{');
  ts_json_put_text(&w->json, "name", name);
  end_object(w);
  end_object(w);
  begin_record(w, "M", track);
  ts_json_put_text(&w->json, "name", process ? "process_sort_index" : "thread_sort_index");
  ts_json_begin(&w->json, "args", '{');
  ts_json_put_count(&w->json, "sort_index", process ? w->rank : track);
  end_object(w);
  end_object(w);
}

static void describe_rank(chrome_writer *w, uint32_t count)
{
  const ts_ir *ir = w->s->ir;
  const ts_class_result *class = &w->s->result->classes[w->s->result->class_of[w->rank]];
  const char *at = ts_report_coordinates(w->arena, ir, w->rank);
  const char *name = ts_arena_printf(w->arena, "rank %u %s %s", w->rank,
                                     ir->strings + ir->programs[class->program].name, at);
  if (count > 1)
    name = ts_arena_printf(w->arena, "%s, stands for %u", name, count);
  metadata(w, true, 0, name);
  if (shows(w, TS_LEVEL_ALL))
    metadata(w, false, TRACK_HOST, "host");
  metadata(w, false, TRACK_WORK, "work");
  for (uint32_t s = 0; shows(w, TS_LEVEL_KERNELS) && s < ir->streams_count; s++)
    metadata(w, false, TRACK_STREAMS + s, ir->strings + ir->streams[s].name);
}

/* ---- Nodes ---- */

static const char *op_category(const ts_ir_node *node)
{
  static const char *const names[] = {
    [TS_IR_COMPUTE] = "compute", [TS_IR_COLLECTIVE] = "collective", [TS_IR_SEND] = "send",
    [TS_IR_RECV] = "recv",       [TS_IR_RECORD] = "event",          [TS_IR_HOST_WORK] = "host",
    [TS_IR_HOST_SYNC] = "host"};
  TS_TABLE(names, TS_IR_OPS);
  return names[node->op];
}

static void put_arguments(chrome_writer *w, const ts_span_event *e)
{
  ts_json_writer *json = &w->json;
  const ts_ir *ir = w->s->ir;
  const ts_ir_node *node = e->node;
  const ts_ir_item *item = &ir->items[e->item];
  ts_json_begin(json, "args", '{');
  ts_json_put_count(json, "start_ps", e->start);
  ts_json_put_count(json, "end_ps", e->end);
  ts_json_put_text(json, "phase", ts_phase_name(node->phase));
  ts_json_put_text(json, "work", ir->strings + ir->fragments[item->fragment].name);
  if (item->micro_batch != TS_IR_NONE)
    ts_json_put_count(json, "micro_batch", item->micro_batch);
  if (node->op == TS_IR_COMPUTE) {
    const ts_ir_kernel *kernel = &ir->kernels[node->arg];
    ts_json_put_text(json, "kernel", ir->strings + kernel->family);
    ts_json_put_number(json, "flop", "%.17g", kernel->flops);
    ts_json_put_number(json, "bytes", "%.17g", kernel->bytes);
    ts_json_put_text(json, "basis", ts_basis_name(kernel->basis));
  } else if (node->op == TS_IR_COLLECTIVE) {
    const ts_ir_collective *c = &ir->collectives[node->arg];
    ts_json_put_text(json, "collective", ts_ir_collective_names[c->kind]);
    ts_json_put_text(json, "group", ir->strings + ir->groups[c->group].name);
    ts_json_put_count(json, "bytes", c->bytes);
    ts_json_put_count(json, "waited_ps", e->start - e->ready);
  } else if (node->op == TS_IR_SEND || node->op == TS_IR_RECV) {
    const ts_ir_port *port = &ir->ports[ir->fragments[item->fragment].first_port + node->arg];
    ts_json_put_count(json, "bytes", port->bytes);
    ts_json_put_count(json, "peer", e->peer);
    ts_json_put_count(json, "tag", e->tag);
  }
  end_object(w);
}

/* A message: from the slice of the send to the last nanosecond of that of the receive, as viewers
 * look for the slice that is open at the time of a flow's end. Only where both ranks are shown. */
static void put_flow(chrome_writer *w, const ts_span_event *e, uint32_t track)
{
  bool send = e->node->op == TS_IR_SEND;
  if (e->peer >= w->s->ir->meta->world || !w->shown[e->peer])
    return;
  uint64_t end = e->end - e->start >= 1000 ? e->end - 1000 : e->start;
  chrome_begin(w, send ? "s" : "f", track, send ? e->start : end);
  if (!send)
    ts_json_put_text(&w->json, "bp", "e");
  ts_json_put_text(&w->json, "cat", "message");
  ts_json_put_text(&w->json, "name", "message");
  ts_json_put_number(&w->json, "id", "\"%" PRIu32 ".%" PRIu32 ".%" PRIu32 "\"",
                     send ? w->rank : e->peer, send ? e->peer : w->rank, e->tag);
  end_object(w);
}

/* The schedule as a picture: a slice for each item, from the first to the last node that the
 * compute stream has of it, cut at waits that a picture of the step shows. Arguments tell work from
 * the other waits. */
static void end_work(chrome_writer *w)
{
  const chrome_work *at = &w->at;
  if (at->item == TS_IR_NONE)
    return;
  if (ts_window_has(&w->window, at->begin, at->end)) {
    slice(w, TRACK_WORK, ts_report_item(w->arena, w->s->ir, at->item), "work", at->begin, at->end);
    ts_json_begin(&w->json, "args", '{');
    ts_json_put_count(&w->json, "work_ps", at->end - at->begin - at->waited);
    ts_json_put_count(&w->json, "waited_ps", at->waited);
    end_object(w);
    end_object(w);
  }
  w->at.item = TS_IR_NONE;
}

/* A hundredth of the step. */
static bool is_long(const chrome_writer *w, uint64_t wait)
{
  return wait > w->s->result->step / 100;
}

static void put_wait(chrome_writer *w, uint64_t from, uint64_t to)
{
  if (!ts_window_has(&w->window, from, to))
    return;
  slice(w, TRACK_WORK, "wait", "wait", from, to);
  end_object(w);
}

static void follow_work(chrome_writer *w, const ts_span_event *e)
{
  uint64_t begun = ts_event_begun(e);
  bool same = w->at.item == e->item;
  uint64_t wait = same && begun > w->at.end ? begun - w->at.end : 0, from = w->at.end;
  if (!same || is_long(w, wait)) {
    end_work(w);
    if (wait)
      put_wait(w, from, begun);
    w->at = (chrome_work){e->item, begun, e->end, 0};
    wait = 0;
  }
  w->at.waited += wait;
  w->at.end = e->end;
}

static void say_progress(const chrome_writer *w, const ts_span_event *e)
{
  const ts_result *r = w->s->result;
  const ts_ir_program *p = &w->s->ir->programs[r->classes[r->class_of[w->rank]].program];
  double here = (double)(e->item - p->first_item) / p->item_count;
  ts_tick_counted(w->progress, "writing the trace", (w->written + here) / w->ranks, "events",
                  (double)w->seen);
}

static void chrome_put_node(void *closure, const ts_span_event *e)
{
  chrome_writer *w = closure;
  const ts_ir_node *node = e->node;
  const char *label = w->s->ir->strings + node->label;
  bool host = e->stream == TS_IR_NONE;
  if (++w->seen % TICK_EVERY == 0)
    say_progress(w, e);
  bool seen = shows(w, host ? TS_LEVEL_ALL : TS_LEVEL_KERNELS) &&
              ts_window_has(&w->window, e->ready < e->start ? e->ready : e->start, e->end);
  if (seen && !host && node->host_ps && shows(w, TS_LEVEL_ALL)) {
    slice(w, TRACK_HOST, label, "issue",
          e->issued - (node->host_ps < e->issued ? node->host_ps : e->issued), e->issued);
    end_object(w);
  }
  if (ts_event_works(e))
    follow_work(w, e);
  if (!seen || node->op == TS_IR_RECORD)
    return;
  uint32_t track = host ? TRACK_HOST : TRACK_STREAMS + e->stream;
  uint64_t begun = ts_event_begun(e);
  if (e->ready < begun && shows(w, TS_LEVEL_ALL)) {
    slice(w, track, "wait", "wait", e->ready, begun);
    end_object(w);
  }
  slice(w, track, *label ? label : op_category(node), op_category(node), begun, e->end);
  put_arguments(w, e);
  end_object(w);
  if (shows(w, TS_LEVEL_ALL) && (node->op == TS_IR_SEND || node->op == TS_IR_RECV))
    put_flow(w, e, track);
}

static void chrome_put_memory(void *closure, uint64_t time,
                              const int64_t category[TS_IR_CATEGORIES])
{
  chrome_writer *w = closure;
  if (!ts_window_has(&w->window, time, time))
    return;
  chrome_begin(w, "C", 0, time);
  ts_json_put_text(&w->json, "name", "memory");
  ts_json_begin(&w->json, "args", '{');
  for (uint32_t c = 0; c < TS_IR_CATEGORIES; c++)
    ts_json_put_signed(&w->json, ts_category_name(c), category[c]);
  end_object(w);
  end_object(w);
}

static void chrome_put_rank(chrome_writer *w, uint32_t rank, uint32_t stands_for, bool memory)
{
  w->rank = rank;
  w->arena = ts_arena_new("trace of a rank");
  w->at.item = TS_IR_NONE;
  describe_rank(w, stands_for);
  ts_run_timeline(w->s->run, rank, chrome_put_node, w);
  end_work(w);
  w->written++;
  if (memory)
    ts_memory_curve(w->s->ir, w->s->run, rank, chrome_put_memory, w);
  ts_arena_free(w->arena);
}

static void put_trace(void *closure, FILE *out)
{
  chrome_writer *w = closure;
  const ts_trace_options *options = w->options;
  const ts_result *r = w->s->result;
  ts_json_writer *json = &w->json;
  *json = (ts_json_writer){.out = out};
  ts_json_begin(json, NULL, '{');
  ts_json_put_text(json, "displayTimeUnit", "ns");
  ts_json_begin(json, "otherData", '{');
  ts_json_put_text(json, "tool", w->s->ir->strings + w->s->ir->meta->tool);
  ts_json_put_text(json, "plan", w->s->ir->strings + w->s->ir->meta->plan);
  ts_json_put_number(json, "step_ps", "\"%" PRIu64 "\"", r->step);
  ts_json_end(json, '}');
  ts_json_begin(json, "traceEvents", '[');
  if (options->window.ranks) {
    for (uint32_t i = 0; i < options->window.rank_count; i++)
      chrome_put_rank(w, options->window.ranks[i], 1, options->memory);
  } else {
    for (uint32_t c = 0; c < r->class_count; c++)
      chrome_put_rank(w, r->classes[c].rank, r->classes[c].count, options->memory);
  }
  ts_json_last_line(json, 0);
  ts_json_end(json, ']');
  ts_json_end(json, '}');
  ts_json_end_document(json);
}

static const uint8_t *shown_ranks(const ts_summary *s, const ts_trace_options *options,
                                  ts_arena *arena)
{
  uint8_t *shown = TS_NEW_ARRAY(arena, uint8_t, s->ir->meta->world);
  for (uint32_t i = 0; options->window.ranks && i < options->window.rank_count; i++)
    shown[options->window.ranks[i]] = 1;
  for (uint32_t c = 0; !options->window.ranks && c < s->result->class_count; c++)
    shown[s->result->classes[c].rank] = 1;
  return shown;
}

static int cannot_write(ts_stop *stop, const char *path, int error)
{
  return ts_stop_set(stop, TS_EXIT_ENVIRONMENT, NULL, NULL, "cannot write %s: %s", path,
                     strerror(error));
}

static bool is_packed(const char *path)
{
  size_t length = strlen(path);
  return length > 3 && strcmp(path + length - 3, ".gz") == 0;
}

/* ---- The file ---- */

/* Into an open file. 0 or an errno value. */
static int write_trace(chrome_writer *w, bool packed, FILE *file)
{
  if (packed)
    return ts_print_gzip(file, put_trace, w);
  errno = 0;
  put_trace(w, file);
  return fflush(file) == 0 && !ferror(file) ? 0 : errno ? errno : EIO;
}

int ts_report_trace(const ts_summary *s, const ts_trace_options *options, const char *path,
                    ts_stop *stop)
{
  ts_arena *arena = ts_arena_new("trace");
  ts_output file;
  int error = ts_output_open(&file, path);
  if (!error) {
    chrome_writer w = {.s = s,
                       .options = options,
                       .window = options->window,
                       .progress = options->progress,
                       .shown = shown_ranks(s, options, arena),
                       .ranks = options->window.ranks ? options->window.rank_count :
                                                        s->result->class_count};
    int wrong = write_trace(&w, is_packed(path), file.out);
    error = ts_output_close(&file, !wrong);
    error = wrong ? wrong : error;
  }
  ts_arena_free(arena);
  return error ? cannot_write(stop, path, error) : 0;
}
