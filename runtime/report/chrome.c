/* The timeline in the trace event format that Perfetto and chrome://tracing open: a process for each rank, a track for each stream, flows
 * from sends to receives, counters of memory. Written as it is made; nothing is kept but the end of each track.
 *
 * `ts` and `dur` are in microseconds; viewers round below a nanosecond, so both ends are rounded to it (neighbours stay neighbours) and
 * the exact picoseconds are in `args`. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/text.h"
#include "runtime/report/names.h"
#include "runtime/report/report.h"

enum { TRACK_HOST = 1, TRACK_WORK = 2, TRACK_STREAMS = 3 };

typedef struct work { uint32_t item; uint64_t begin, end; } work; /* of the item that the compute stream is at */

typedef struct writer {
  gzFile out;
  const ts_summary *s;
  ts_arena *arena;
  const uint8_t *shown; /* [world] ranks in the trace */
  uint32_t rank;
  bool first, failed;
  work at;
} writer;

static void put(writer *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put(writer *w, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  char small[512];
  va_list again;
  va_copy(again, args);
  int length = vsnprintf(small, sizeof small, format, args);
  va_end(args);
  if (length < (int)sizeof small) {
    w->failed |= length > 0 && gzwrite(w->out, small, (unsigned)length) != length;
  } else {
    const char *text = ts_arena_vprintf(w->arena, format, again);
    w->failed |= gzwrite(w->out, text, (unsigned)strlen(text)) <= 0;
  }
  va_end(again);
}

static void put_string(writer *w, const char *text)
{
  char out[256];
  unsigned n = 0;
  out[n++] = '"';
  for (size_t at = 0, size = strlen(text); at < size;) {
    uint32_t character;
    size_t length = ts_utf8_decode(text + at, size - at, &character);
    if (n + 16 > sizeof out) {
      w->failed |= gzwrite(w->out, out, n) != (int)n;
      n = 0;
    }
    if (!length || character < 0x20) {
      n += (unsigned)sprintf(out + n, "\\u%04x", length ? (unsigned)character : 0xfffdu);
    } else {
      if (character == '"' || character == '\\')
        out[n++] = '\\';
      memcpy(out + n, text + at, length);
      n += (unsigned)length;
    }
    at += length ? length : 1;
  }
  out[n++] = '"';
  w->failed |= gzwrite(w->out, out, n) != (int)n;
}

static uint64_t nanoseconds(uint64_t ps) { return ps / 1000 + (ps % 1000 >= 500); }

/* Begins an event: {"ph":"X","pid":0,"tid":3,"ts":1.000 */
static void begin(writer *w, const char *phase, uint32_t track, uint64_t time)
{
  uint64_t ns = nanoseconds(time);
  put(w, "%s{\"ph\":\"%s\",\"pid\":%" PRIu32 ",\"tid\":%" PRIu32 ",\"ts\":%" PRIu64 ".%03u", w->first ? "\n" : ",\n", phase, w->rank, track,
      ns / 1000, (unsigned)(ns % 1000));
  w->first = false;
}

static void put_name(writer *w, const char *name, const char *category)
{
  put(w, ",\"cat\":\"%s\",\"name\":", category);
  put_string(w, name);
}

static void put_duration(writer *w, uint64_t start, uint64_t end)
{
  uint64_t ns = nanoseconds(end) - nanoseconds(start);
  put(w, ",\"dur\":%" PRIu64 ".%03u", ns / 1000, (unsigned)(ns % 1000));
}

static void slice(writer *w, uint32_t track, const char *name, const char *category, uint64_t start, uint64_t end)
{
  begin(w, "X", track, start);
  put_duration(w, start, end);
  put_name(w, name, category);
}

static void metadata(writer *w, const char *what, uint32_t track, const char *name)
{
  put(w, "%s{\"ph\":\"M\",\"pid\":%" PRIu32 ",\"tid\":%" PRIu32 ",\"name\":\"%s_name\",\"args\":{\"name\":", w->first ? "\n" : ",\n", w->rank, track,
      what);
  w->first = false;
  put_string(w, name);
  put(w, "}},\n{\"ph\":\"M\",\"pid\":%" PRIu32 ",\"tid\":%" PRIu32 ",\"name\":\"%s_sort_index\",\"args\":{\"sort_index\":%" PRIu32 "}}", w->rank,
      track, what, strcmp(what, "process") == 0 ? w->rank : track);
}

static void describe_rank(writer *w, uint32_t count)
{
  const ts_ir *ir = w->s->ir;
  const ts_class_result *class = &w->s->result->classes[w->s->result->class_of[w->rank]];
  const char *at = ts_report_coordinates(w->arena, ir, w->rank);
  const char *name = ts_arena_printf(w->arena, "rank %u %s %s", w->rank, ir->strings + ir->programs[class->program].name, at);
  if (count > 1)
    name = ts_arena_printf(w->arena, "%s, stands for %u", name, count);
  metadata(w, "process", 0, name);
  metadata(w, "thread", TRACK_HOST, "host");
  metadata(w, "thread", TRACK_WORK, "work");
  for (uint32_t s = 0; s < ir->streams_count; s++)
    metadata(w, "thread", TRACK_STREAMS + s, ir->strings + ir->streams[s].name);
}

/* ---- Nodes ---- */

static const char *op_category(const ts_ir_node *node)
{
  static const char *const names[TS_IR_OPS] = {
    [TS_IR_COMPUTE] = "compute", [TS_IR_COLLECTIVE] = "collective", [TS_IR_SEND] = "send", [TS_IR_RECV] = "recv",
    [TS_IR_RECORD] = "event", [TS_IR_HOST_WORK] = "host", [TS_IR_HOST_SYNC] = "host"};
  return names[node->op];
}

static void put_arguments(writer *w, const ts_span_event *e)
{
  const ts_ir *ir = w->s->ir;
  const ts_ir_node *node = e->node;
  put(w, ",\"args\":{\"start_ps\":%" PRIu64 ",\"end_ps\":%" PRIu64 ",\"phase\":\"%s\",\"work\":", e->start, e->end, ts_phase_name(node->phase));
  const ts_ir_item *item = &ir->items[e->item];
  put_string(w, ir->strings + ir->fragments[item->fragment].name);
  if (item->micro_batch != TS_IR_NONE)
    put(w, ",\"micro_batch\":%" PRIu32, item->micro_batch);
  if (node->op == TS_IR_COMPUTE) {
    const ts_ir_kernel *kernel = &ir->kernels[node->arg];
    put(w, ",\"kernel\":");
    put_string(w, ir->strings + kernel->family);
    put(w, ",\"flop\":%.17g,\"bytes\":%.17g,\"basis\":\"%s\"", kernel->flops, kernel->bytes, ts_basis_name(kernel->basis));
  } else if (node->op == TS_IR_COLLECTIVE) {
    const ts_ir_collective *c = &ir->collectives[node->arg];
    put(w, ",\"group\":");
    put_string(w, ir->strings + ir->groups[c->group].name);
    put(w, ",\"bytes\":%" PRIu64 ",\"waited_ps\":%" PRIu64, c->bytes, e->start - e->ready);
  } else if (node->op == TS_IR_SEND || node->op == TS_IR_RECV) {
    const ts_ir_port *port = &ir->ports[ir->fragments[item->fragment].first_port + node->arg];
    put(w, ",\"bytes\":%" PRIu64 ",\"peer\":%" PRIu32 ",\"tag\":%" PRIu32, port->bytes, e->peer, e->tag);
  }
  put(w, "}}");
}

/* A message: from the slice of the send to the last nanosecond of that of the receive, as viewers look for the slice that is open at the
 * time of a flow's end. Only where both ranks are shown. */
static void put_flow(writer *w, const ts_span_event *e, uint32_t track)
{
  bool send = e->node->op == TS_IR_SEND;
  if (e->peer >= w->s->ir->meta->world || !w->shown[e->peer])
    return;
  uint64_t end = e->end - e->start >= 1000 ? e->end - 1000 : e->start;
  begin(w, send ? "s" : "f", track, send ? e->start : end);
  put(w, "%s,\"cat\":\"message\",\"name\":\"message\",\"id\":\"%" PRIu32 ".%" PRIu32 ".%" PRIu32 "\"}", send ? "" : ",\"bp\":\"e\"",
      send ? w->rank : e->peer, send ? e->peer : w->rank, e->tag);
}

/* The schedule as a picture: one slice for each item, from the first to the last node that the compute stream has of it. */
static void end_work(writer *w)
{
  if (w->at.item == TS_IR_NONE)
    return;
  slice(w, TRACK_WORK, ts_report_item(w->arena, w->s->ir, w->at.item), "work", w->at.begin, w->at.end);
  put(w, "}");
  w->at.item = TS_IR_NONE;
}

static void follow_work(writer *w, const ts_span_event *e)
{
  if (w->at.item != e->item) {
    end_work(w);
    w->at = (work){e->item, e->start, e->end};
  }
  w->at.end = e->end;
}

/* Until its sender begins to send, a receive only waits. */
static uint64_t begun_at(const ts_span_event *e)
{
  if (e->node->op != TS_IR_RECV || e->sent <= e->start)
    return e->start;
  return e->sent < e->end ? e->sent : e->end;
}

static void put_node(void *closure, const ts_span_event *e)
{
  writer *w = closure;
  const ts_ir_node *node = e->node;
  const char *label = w->s->ir->strings + node->label;
  bool host = e->stream == TS_IR_NONE;
  if (!host && node->host_ps) {
    slice(w, TRACK_HOST, label, "issue", e->issued - (node->host_ps < e->issued ? node->host_ps : e->issued), e->issued);
    put(w, "}");
  }
  if (node->op == TS_IR_RECORD)
    return;
  uint32_t track = host ? TRACK_HOST : TRACK_STREAMS + e->stream;
  if (e->stream == 0)
    follow_work(w, e);
  uint64_t begun = begun_at(e);
  if (e->ready < begun) {
    slice(w, track, "wait", "wait", e->ready, begun);
    put(w, "}");
  }
  slice(w, track, *label ? label : op_category(node), op_category(node), begun, e->end);
  put_arguments(w, e);
  if (node->op == TS_IR_SEND || node->op == TS_IR_RECV)
    put_flow(w, e, track);
}

static void put_memory(void *closure, uint64_t time, const int64_t category[TS_IR_CATEGORIES])
{
  writer *w = closure;
  begin(w, "C", 0, time);
  put(w, ",\"name\":\"memory\",\"args\":{");
  for (uint32_t c = 0; c < TS_IR_CATEGORIES; c++)
    put(w, "%s\"%s\":%" PRId64, c ? "," : "", ts_category_name(c), category[c]);
  put(w, "}}");
}

static void put_rank(writer *w, uint32_t rank, uint32_t stands_for, bool memory)
{
  w->rank = rank;
  w->arena = ts_arena_new("trace of a rank");
  w->at.item = TS_IR_NONE;
  describe_rank(w, stands_for);
  ts_run_timeline(w->s->run, rank, put_node, w);
  end_work(w);
  if (memory)
    ts_memory_curve(w->s->ir, w->s->run, rank, put_memory, w);
  ts_arena_free(w->arena);
}

static void put_trace(writer *w, const ts_trace_options *options)
{
  const ts_result *r = w->s->result;
  put(w, "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"tool\":");
  put_string(w, w->s->ir->strings + w->s->ir->meta->tool);
  put(w, ",\"plan\":");
  put_string(w, w->s->ir->strings + w->s->ir->meta->plan);
  put(w, ",\"step_ps\":\"%" PRIu64 "\"},\"traceEvents\":[", r->step);
  w->first = true;
  if (options->ranks) {
    for (uint32_t i = 0; i < options->rank_count; i++)
      put_rank(w, options->ranks[i], 1, options->memory);
  } else {
    for (uint32_t c = 0; c < r->class_count; c++)
      put_rank(w, r->classes[c].rank, r->classes[c].count, options->memory);
  }
  put(w, "\n]}\n");
}

static const uint8_t *shown_ranks(const ts_summary *s, const ts_trace_options *options, ts_arena *arena)
{
  uint8_t *shown = TS_NEW_ARRAY(arena, uint8_t, s->ir->meta->world);
  for (uint32_t i = 0; options->ranks && i < options->rank_count; i++)
    shown[options->ranks[i]] = 1;
  for (uint32_t c = 0; !options->ranks && c < s->result->class_count; c++)
    shown[s->result->classes[c].rank] = 1;
  return shown;
}

static int cannot_write(ts_stop *stop, const char *path, int error)
{
  return ts_stop_set(stop, TS_EXIT_ENVIRONMENT, NULL, NULL, "cannot write %s: %s", path, strerror(error));
}

int ts_report_trace(const ts_summary *s, const ts_trace_options *options, const char *path, ts_stop *stop)
{
  ts_arena *arena = ts_arena_new("trace");
  char *beside = ts_arena_printf(arena, "%s.XXXXXX", path);
  int result = -1, file = mkstemp(beside), copy;
  if (file < 0) {
    cannot_write(stop, path, errno);
    ts_arena_free(arena);
    return -1;
  }
  size_t length = strlen(path);
  bool packed = length > 3 && strcmp(path + length - 3, ".gz") == 0;
  mode_t mask = umask(0);
  umask(mask);
  copy = fchmod(file, 0666 & ~mask) < 0 ? -1 : dup(file); /* closing the stream leaves this one, to sync */
  writer w = {.out = copy < 0 ? NULL : gzdopen(copy, packed ? "wb3" : "wbT"), .s = s, .shown = shown_ranks(s, options, arena)};
  if (w.out) {
    gzbuffer(w.out, 1 << 18);
    put_trace(&w, options);
    w.failed |= gzclose(w.out) != Z_OK;
  }
  if (w.out && !w.failed && fsync(file) == 0 && rename(beside, path) == 0)
    result = 0;
  if (result) {
    cannot_write(stop, path, errno ? errno : EIO);
    unlink(beside);
  }
  close(file);
  ts_arena_free(arena);
  return result;
}
