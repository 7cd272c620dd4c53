/* Profiles of JAX and TensorFlow, `NAME.xplane.pb`: one protobuf message of planes (devices, the
 * host), planes of lines (streams, threads), lines of events. Field numbers are those of
 * xplane.proto (openxla/xla, tsl/profiler/protobuf). Lines that XLA derives from others (scopes,
 * sources) are left out, and so are Python's functions and copies under way (`Async XLA Ops`): an
 * HLO waits for each. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/read/format.h"
#include "trace/read/readers.h"
#include "trace/read/wire.h"

enum { SPACE_PLANE = 1 };
enum { PLANE_NAME = 2, PLANE_LINE, PLANE_EVENT_METADATA, PLANE_STAT_METADATA, PLANE_STAT };
enum { LINE_ID = 1, LINE_NAME, LINE_TIMESTAMP /* ns */, LINE_EVENT, LINE_DISPLAY_NAME = 11 };
enum { EVENT_METADATA = 1, EVENT_OFFSET /* ps */, EVENT_DURATION /* ps */, EVENT_STAT };
enum { METADATA_ID = 1, METADATA_NAME, METADATA_DISPLAY_NAME = 4, METADATA_STAT };
enum { STAT_METADATA = 1, STAT_DOUBLE, STAT_UNSIGNED, STAT_SIGNED, STAT_TEXT, STAT_REFERENCE = 7 };
enum { ENTRY_KEY = 1, ENTRY_VALUE };

/* Metadata of events and of stats, by number. */
typedef struct xplane_named {
  uint64_t id;
  ts_wire name, shown, category; /* shown: for people; category: of an HLO */
} xplane_named;
typedef TS_VEC(xplane_named) names;

typedef struct plane {
  ts_wire name;
  names events, stats;
  TS_VEC(ts_wire) lines;
  TS_VEC(ts_wire) details; /* stats of the plane */
} plane;

typedef struct xplane_span {
  int64_t start, end; /* ns */
  const xplane_named *of;
  uint64_t correlation;
  bool step, holds; /* step: the host says so; holds: others of its line, as loops do */
} xplane_span;
typedef TS_VEC(xplane_span) spans;

typedef struct xplane_line {
  ts_wire name;
  int64_t id, begin; /* ns */
  spans spans;
} xplane_line;

typedef struct xplane_reader {
  ts_events *e;
  const ts_events_options *options;
  ts_arena *work; /* what lives as long as a plane */
  bool wrong, full, steps; /* steps: those of a device are known */
} xplane_reader;

static size_t xplane_length_of(ts_wire w) { return (size_t)(w.end - w.at); }

static bool begins(ts_wire w, const char *with)
{
  size_t n = strlen(with);
  return xplane_length_of(w) >= n && memcmp(w.at, with, n) == 0;
}

static bool is(ts_wire w, const char *text)
{
  return xplane_length_of(w) == strlen(text) && begins(w, text);
}

static uint32_t xplane_text_of(xplane_reader *r,
                               ts_wire w) /* 0, which is "", of a text that is not there */
{
  return w.at ? ts_events_string(r->e, (const char *)w.at, xplane_length_of(w)) : 0;
}

/* ---- Metadata ---- */

static int xplane_by_id(const void *a, const void *b)
{
  uint64_t x = ((const xplane_named *)a)->id, y = ((const xplane_named *)b)->id;
  return (x > y) - (x < y);
}

static const xplane_named *xplane_find(const names *all, uint64_t id)
{
  xplane_named requested = {.id = id};
  return all->count ? bsearch(&requested, all->at, all->count, sizeof *all->at, xplane_by_id) :
                      NULL;
}

static bool stat_is(const plane *p, uint64_t id, const char *name)
{
  const xplane_named *stat = xplane_find(&p->stats, id);
  return stat && is(stat->name, name);
}

/* A stat's number or text; texts may be names of other stats. */
typedef struct stat { uint64_t id, number; ts_wire text; } stat;

static stat take_stat(xplane_reader *r, const plane *p, ts_wire w)
{
  stat s = {0};
  ts_wire_field f;
  while (ts_wire_next(&w, &f))
    switch (f.number) {
    case STAT_METADATA: s.id = f.value; break;
    case STAT_UNSIGNED: case STAT_SIGNED: s.number = f.value; break;
    case STAT_TEXT: s.text = f.bytes; break;
    case STAT_REFERENCE: {
      const xplane_named *other = xplane_find(&p->stats, f.value);
      s.text = other ? other->name : s.text;
      break;
    }
    }
  r->wrong |= w.wrong;
  return s;
}

static void take_named(xplane_reader *r, plane *p, ts_wire entry, names *into)
{
  xplane_named n = {0};
  ts_wire_field f;
  ts_wire value = {0};
  while (ts_wire_next(&entry, &f))
    if (f.number == ENTRY_KEY)
      n.id = f.value;
    else if (f.number == ENTRY_VALUE && f.type == TS_WIRE_BYTES)
      value = f.bytes;
  while (ts_wire_next(&value, &f))
    if (f.number == METADATA_ID && f.type == TS_WIRE_VARINT)
      n.id = f.value;
    else if (f.number == METADATA_NAME && f.type == TS_WIRE_BYTES)
      n.name = f.bytes;
    else if (into == &p->events && f.number == METADATA_DISPLAY_NAME && f.type == TS_WIRE_BYTES)
      n.shown = f.bytes;
    else if (into == &p->events && f.number == METADATA_STAT && f.type == TS_WIRE_BYTES) {
      stat s = take_stat(r, p, f.bytes);
      if (stat_is(p, s.id, "hlo_category"))
        n.category = s.text;
    }
  r->wrong |= entry.wrong || value.wrong;
  TS_PUSH(r->work, into, n);
}

static void take_map(xplane_reader *r, plane *p, ts_wire message, uint32_t number, names *into)
{
  ts_wire_field f;
  while (ts_wire_next(&message, &f))
    if (f.number == number && f.type == TS_WIRE_BYTES)
      take_named(r, p, f.bytes, into);
  if (into->count)
    qsort(into->at, into->count, sizeof *into->at, xplane_by_id);
}

/* Lines come before the metadata that they name, and events' before those of stats. */
static plane take_plane(xplane_reader *r, ts_wire message)
{
  plane p = {0};
  ts_wire rest = message;
  ts_wire_field f;
  while (ts_wire_next(&rest, &f))
    if (f.number == PLANE_NAME && f.type == TS_WIRE_BYTES)
      p.name = f.bytes;
    else if (f.number == PLANE_LINE && f.type == TS_WIRE_BYTES)
      TS_PUSH(r->work, &p.lines, f.bytes);
    else if (f.number == PLANE_STAT && f.type == TS_WIRE_BYTES)
      TS_PUSH(r->work, &p.details, f.bytes);
  r->wrong |= rest.wrong;
  take_map(r, &p, message, PLANE_STAT_METADATA, &p.stats);
  take_map(r, &p, message, PLANE_EVENT_METADATA, &p.events);
  return p;
}

/* ---- Lines ---- */

static void take_span(xplane_reader *r, const plane *p, xplane_line *l, ts_wire w)
{
  static const xplane_named nothing = {0};
  xplane_span s = {.of = &nothing};
  uint64_t offset = 0, duration = 0; /* ps */
  ts_wire_field f;
  while (ts_wire_next(&w, &f))
    switch (f.number) {
    case EVENT_METADATA: {
      const xplane_named *of = xplane_find(&p->events, f.value);
      s.of = of ? of : s.of;
      break;
    }
    case EVENT_OFFSET: offset = f.value; break;
    case EVENT_DURATION: duration = f.value; break;
    case EVENT_STAT:
      if (f.type == TS_WIRE_BYTES) {
        stat t = take_stat(r, p, f.bytes);
        if (stat_is(p, t.id, "correlation_id"))
          s.correlation = t.number;
        s.step |= stat_is(p, t.id, "step_num");
      }
      break;
    }
  if (offset > INT64_MAX / 4 || duration > INT64_MAX / 4)
    w.wrong = true;
  r->wrong |= w.wrong;
  if (r->wrong)
    return;
  /* both ends are rounded, so that what followed each other still does */
  s.start = l->begin + (int64_t)((offset + 500) / 1000);
  s.end = l->begin + (int64_t)((offset + duration + 500) / 1000);
  TS_PUSH(r->work, &l->spans, s);
}

static int by_start(const void *a, const void *b)
{
  const xplane_span *x = a, *y = b;
  return x->start != y->start ? (x->start > y->start) - (x->start < y->start) :
                                (x->end < y->end) - (x->end > y->end);
}

/* On a line of HLOs a loop lies around the HLOs of its body, whose time would count twice. */
static void mark_holders(spans *all)
{
  for (size_t i = 0; i + 1 < all->count; i++) {
    const xplane_span *next = &all->at[i + 1];
    all->at[i].holds = next->end <= all->at[i].end && next->end > next->start &&
                       next->start < all->at[i].end;
  }
}

static xplane_line take_line(xplane_reader *r, const plane *p, ts_wire message)
{
  xplane_line l = {0};
  ts_wire_field f;
  ts_wire rest = message, shown = {0};
  while (ts_wire_next(&rest, &f))
    switch (f.number) {
    case LINE_ID: l.id = (int64_t)f.value; break;
    case LINE_NAME: l.name = f.bytes; break;
    case LINE_DISPLAY_NAME: shown = f.bytes; break;
    case LINE_TIMESTAMP: l.begin = (int64_t)f.value; break;
    }
  if (!l.name.at)
    l.name = shown;
  r->wrong |= rest.wrong || l.begin < 0 || l.begin > INT64_MAX / 4;
  while (!r->wrong && ts_wire_next(&message, &f))
    if (f.number == LINE_EVENT && f.type == TS_WIRE_BYTES)
      take_span(r, p, &l, f.bytes);
  if (l.spans.count)
    qsort(l.spans.at, l.spans.count, sizeof *l.spans.at, by_start);
  return l;
}

/* ---- What HLOs are ---- */

/* XLA for TPUs writes matrix products as convolutions. */
static ts_event_kind kind_of_category(ts_wire category, const char *name)
{
  static const struct { const char *part; ts_event_kind kind;
  } kinds[] = {
    {"all-", TS_KERNEL_COMMUNICATION},
    {"collective", TS_KERNEL_COMMUNICATION},
    {"reduce-scatter", TS_KERNEL_COMMUNICATION},
    {"send", TS_KERNEL_COMMUNICATION},
    {"recv", TS_KERNEL_COMMUNICATION},
    {"convolution", TS_KERNEL_MATMUL},
    {"copy", TS_KERNEL_COPY},
    {"data formatting", TS_KERNEL_COPY},
    {"dynamic", TS_KERNEL_INDEXING},
    {"gather", TS_KERNEL_INDEXING},
    {"scatter", TS_KERNEL_INDEXING},
    {"reduce", TS_KERNEL_REDUCTION},
    {"loop fusion", TS_KERNEL_ELEMENTWISE},
    {"non-fusion elementwise", TS_KERNEL_ELEMENTWISE},
    {"broadcast", TS_KERNEL_ELEMENTWISE},
  };
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds && category.at; i++)
    if (begins(category, kinds[i].part))
      return kinds[i].kind;
  return ts_kernel_kind(name);
}

/* Elements and type of the array that "f32[5,1024]{1,0:T(8,128)}..." begins with. False: it begins
 * with none, or with several. */
static bool take_array(const char **at, const char *end, int64_t *elements, const char **type)
{
  static const char *const types[][2] = {
    {"f32", "float32"}, {"bf16", "bfloat16"}, {"f16", "float16"}, {"f64", "float64"},
    {"s32", "int32"},   {"s8", "int8"},       {"u8", "uint8"},    {"pred", "bool"},
    {"s64", "int64"},   {"u32", "uint32"},    {"f8e4m3fn", "float8"}, {"f8e5m2", "float8"}};
  const char *open = memchr(*at, '[', (size_t)(end - *at));
  *type = NULL;
  for (size_t i = 0; open && i < sizeof types / sizeof *types; i++)
    if (ts_is(*at, (size_t)(open - *at), types[i][0]))
      *type = types[i][1];
  if (!*type)
    return false;
  *elements = 1;
  for (*at = open + 1; *at < end && **at != ']'; *at += **at == ',') {
    int64_t size = 0;
    const char *digits = *at;
    while (*at < end && **at >= '0' && **at <= '9' && size < INT64_MAX / 16)
      size = size * 10 + *(*at)++ - '0';
    if (*at == digits || size < 0 || (size && *elements > INT64_MAX / 16 / size))
      return false;
    *elements *= size;
  }
  return *at < end;
}

/* "%all-gather.1 = bf16[64,8]{...} all-gather(bf16[8,8]{...} %x), replica_groups={{0,1,2,3}}" */
static ts_event_comm comm_of(xplane_reader *r, const xplane_named *of, const char *name)
{
  char plain[64];
  size_t n = 0;
  for (; name[n] && n < sizeof plain - 1; n++) plain[n] = name[n] == '-' ? '_' : name[n];
  ts_event_comm c = {.kind = ts_comm_kind_of(plain, n),
                     .name = ts_events_string(r->e, name, strlen(name)),
                     .in = -1,
                     .out = -1,
                     .bytes = -1,
                     .size = -1,
                     .sequence = -1,
                     .peer = -1};
  if (strncmp(name, "collective-permute", 18) == 0)
    c.kind = TS_COMM_SEND_RECV;
  const char *at = (const char *)of->name.at, *end = (const char *)of->name.end, *type;
  const char *equals = at ? memchr(at, '=', (size_t)(end - at)) : NULL;
  if (!equals || end - equals < 3)
    return c;
  at = equals + 2;
  if (take_array(&at, end, &c.out, &type))
    c.dtype = ts_events_string(r->e, type, strlen(type));
  const char *operand = memchr(at, '(', (size_t)(end - at));
  while (operand && (operand[-1] == 'T' || operand[-1] == 'S')) /* tiles and memories of layouts */
    operand = memchr(operand + 1, '(', (size_t)(end - operand - 1));
  at = operand ? operand + 1 : end;
  if (c.dtype && !take_array(&at, end, &c.in, &type))
    c.in = -1;
  ts_comm_finish(r->e, &c);
  return c;
}

/* ---- Events ---- */

static const char *shown_name(xplane_reader *r, const xplane_named *of)
{
  if (xplane_length_of(of->shown))
    return ts_events_text(r->e, xplane_text_of(r, of->shown));
  const char *whole = ts_events_text(r->e, xplane_text_of(r, of->name)),
             *equals = strstr(whole, " = ");
  return *whole == '%' && equals ?
           ts_events_text(r->e, ts_events_string(r->e, whole + 1, (size_t)(equals - whole - 1))) :
           whole;
}

static ts_event *xplane_add(xplane_reader *r, uint32_t track, const xplane_span *s,
                            ts_event_class class, ts_event_kind kind, const char *name)
{
  if (r->e->count >= TS_EVENTS_MOST) {
    r->full = true;
    return NULL;
  }
  ts_event *v = ts_events_add(r->e, class, kind);
  v->name = ts_events_string(r->e, name, strlen(name));
  v->track = track;
  v->start = s->start;
  v->duration = s->end - s->start;
  v->id = s->correlation;
  return v;
}

/* A stream of a GPU, or the HLOs of a TPU. */
static void add_device_line(xplane_reader *r, uint32_t track, xplane_line *l, bool hlos)
{
  if (hlos)
    mark_holders(&l->spans);
  for (size_t i = 0; i < l->spans.count; i++) {
    const xplane_span *s = &l->spans.at[i];
    const char *name = shown_name(r, s->of);
    ts_event_kind kind = strncmp(name, "Memcpy", 6) == 0 ? TS_KERNEL_COPY :
                         strncmp(name, "Memset", 6) == 0 ? TS_KERNEL_FILL :
                                                           kind_of_category(s->of->category, name);
    ts_event *v = s->holds ? xplane_add(r, track, s, TS_EVENT_MARK, TS_MARK_OTHER, name) :
                             xplane_add(r, track, s, TS_EVENT_DEVICE, kind, name);
    if (v && !s->holds && kind == TS_KERNEL_COMMUNICATION) {
      v->detail = (uint32_t)r->e->comms.count;
      ts_event_comm c = comm_of(r, s->of, name);
      TS_PUSH(r->e->arena, &r->e->comms, c);
    }
  }
}

static void add_steps(xplane_reader *r, uint32_t track, const xplane_line *l)
{
  for (size_t i = 0; i < l->spans.count; i++)
    xplane_add(r, track, &l->spans.at[i], TS_EVENT_MARK, TS_MARK_STEP,
               shown_name(r, l->spans.at[i].of));
  r->steps |= l->spans.count > 0;
}

/* A thread: calls into the driver, spans that the program or the runtime named, and steps. */
static void add_host_line(xplane_reader *r, uint32_t track, const xplane_line *l)
{
  for (size_t i = 0; i < l->spans.count; i++) {
    const xplane_span *s = &l->spans.at[i];
    const char *name = shown_name(r, s->of);
    bool call = s->correlation && strncmp(name, "cu", 2) == 0;
    if (s->step && !r->steps)
      xplane_add(r, track, s, TS_EVENT_MARK, TS_MARK_STEP, name);
    else if (call)
      xplane_add(r, track, s, TS_EVENT_CALL, ts_call_kind(name), name);
    else if (*name != '$' && !r->options->no_operators) /* "$file.py:12 f" */
      xplane_add(r, track, s, TS_EVENT_OPERATOR, TS_OPERATOR_PLAIN, name);
  }
}

static void add_device(xplane_reader *r, const plane *p, uint32_t process)
{
  ts_device_info device = {.id = strtoll(ts_events_text(r->e, process), NULL, 10),
                           .memory = -1,
                           .processors = -1};
  for (size_t i = 0; i < p->details.count; i++) {
    stat s = take_stat(r, p, p->details.at[i]);
    if (stat_is(p, s.id, "device_type_string"))
      device.name = xplane_text_of(r, s.text);
    else if (stat_is(p, s.id, "core_count") && s.number <= 1 << 20)
      device.processors = (int64_t)s.number;
    else if (stat_is(p, s.id, "memory_size") && s.number <= INT64_MAX)
      device.memory = (int64_t)s.number;
  }
  TS_PUSH(r->e->arena, &r->e->devices, device);
}

static uint32_t xplane_track_of(xplane_reader *r, uint32_t process, const xplane_line *l,
                                bool device)
{
  char id[24];
  if (r->e->tracks.count >= TS_TRACKS_MOST) {
    r->full = true;
    return 0;
  }
  uint32_t thread = ts_events_string(r->e, id, (size_t)snprintf(id, sizeof id, "%" PRId64, l->id));
  uint32_t track = ts_events_track(r->e, process, thread, device);
  r->e->tracks.at[track].label = xplane_text_of(r, l->name);
  return track;
}

static void add_plane(xplane_reader *r, const plane *p)
{
  bool device = begins(p->name, "/device:") && !begins(p->name, "/device:CUSTOM");
  bool gpu = begins(p->name, "/device:GPU");
  if (!device && !begins(p->name, "/host:CPU") && !begins(p->name, "/host:CUPTI"))
    return;
  const uint8_t *number = p->name.end; /* "/device:TPU:3" */
  while (device && number > p->name.at && number[-1] >= '0' && number[-1] <= '9') number--;
  uint32_t process = device && number < p->name.end ?
                       xplane_text_of(r, (ts_wire){number, p->name.end, false}) :
                       xplane_text_of(r, p->name);
  if (device)
    add_device(r, p, process);
  bool steps = r->steps;
  for (size_t i = 0; i < p->lines.count && !r->wrong && !r->full; i++) {
    xplane_line l = take_line(r, p, p->lines.at[i]);
    r->e->seen += l.spans.count;
    if (r->wrong || !l.spans.count)
      continue;
    if (!device)
      add_host_line(r, xplane_track_of(r, process, &l, false), &l);
    else if (is(l.name, "Steps") && !steps)
      add_steps(r, xplane_track_of(r, process, &l, false), &l);
    else if (gpu ? begins(l.name, "Stream") : is(l.name, "XLA Ops"))
      add_device_line(r, xplane_track_of(r, process, &l, true), &l, !gpu);
  }
}

/* ---- The file ---- */

/* The first plane's bytes and the name in them: "/host:CPU". */
static bool is_xplane(ts_feed *feed)
{
  ts_wire w = {(const uint8_t *)feed->buffer + feed->at, (const uint8_t *)feed->buffer + feed->end,
               false};
  if (w.at == w.end || *w.at++ != (SPACE_PLANE << 3 | TS_WIRE_BYTES))
    return false;
  uint64_t size = ts_wire_varint(&w);
  if (w.wrong || !size)
    return false;
  if (size < (uint64_t)(w.end - w.at))
    w.end = w.at + size;
  if (w.at < w.end && *w.at == (1 << 3 | TS_WIRE_VARINT)) { /* the plane's number */
    w.at++;
    ts_wire_varint(&w);
  }
  return !w.wrong && w.end - w.at > 2 && w.at[0] == (PLANE_NAME << 3 | TS_WIRE_BYTES) &&
         (w.at[2] == '/' || (w.end - w.at > 6 && memcmp(w.at + 2, "Task", 4) == 0));
}

static bool take_message(xplane_reader *r, const ts_wire_field *f)
{
  if (f->number != SPACE_PLANE || f->type != TS_WIRE_BYTES)
    return true;
  r->work = ts_arena_new("plane of a profile");
  plane p = take_plane(r, f->bytes);
  if (!r->wrong)
    add_plane(r, &p);
  ts_arena_free(r->work);
  return !r->wrong && !r->full;
}

/* The key and the length of the next field of the whole, and where its bytes begin; *size 0 at the
 * end of the file. */
static bool next_field(ts_feed *feed, ts_wire_field *f, size_t *lead)
{
  if (!ts_feed_need(feed, 1))
    return false;
  ts_feed_need(feed, 20);
  const uint8_t *at = (const uint8_t *)feed->buffer + feed->at;
  ts_wire w = {at, (const uint8_t *)feed->buffer + feed->end, false};
  uint64_t key = ts_wire_varint(&w);
  *f = (ts_wire_field){.number = (uint32_t)(key >> 3), .type = key & 7};
  f->value = f->type == TS_WIRE_BYTES ? ts_wire_varint(&w) : 0;
  *lead = (size_t)(w.at - at);
  if (w.wrong || f->type != TS_WIRE_BYTES || key >> 3 > 1000)
    return ts_feed_fail(feed, NULL, "a field of the profile is malformed");
  return true;
}

static bool read_xplane(ts_events *e, ts_feed *feed, const ts_events_options *options)
{
  xplane_reader r = {.e = e, .options = options};
  ts_wire_field f;
  size_t lead;
  e->format = TS_TRACE_XPLANE;
  e->timed = true;
  while (next_field(feed, &f, &lead)) {
    if (f.value > TS_FEED_LARGEST)
      return ts_feed_fail(feed, "record fewer steps", "a plane of the profile has %llu bytes, the "
                          "most is %d MiB", (unsigned long long)f.value, TS_FEED_LARGEST >> 20);
    if (!ts_feed_need(feed, lead + f.value)) {
      e->cut = true;
      break;
    }
    const uint8_t *at = (const uint8_t *)feed->buffer + feed->at + lead;
    f.bytes = (ts_wire){at, at + f.value, false};
    if (!take_message(&r, &f))
      return ts_feed_fail(feed, r.full ? "record fewer steps" : NULL,
                          r.full ? "more than %u events or %d lines" : "a plane is malformed",
                          TS_EVENTS_MOST, TS_TRACKS_MOST);
    feed->at += lead + f.value;
  }
  if (feed->error->message[0])
    return false;
  return e->count || ts_fail(feed->error, "was a device in use while it was recorded?",
                             "the profile has no events of devices or of the host");
}

const ts_trace_reader ts_trace_reader_xplane = {
  .begins = is_xplane, .read = read_xplane, .linked = true};
