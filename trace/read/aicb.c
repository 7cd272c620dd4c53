/* Workloads of AICB as CSV: one row a communication or computation of a rank, in the order in which
 * it issues them; columns go by name. A line as `[rank0 ~ rank127]` or `[ pp_stage0: [rank0, rank1]
 * ]` begins a section: which ranks do what follows. A row `epoch_end` ends a step; what comes
 * before the first one prepares the job. `_elapsed_time` is milliseconds for communication (AICB's
 * timer of events; `algbw` is the bytes over it) and steps, nanoseconds for computation (AICB
 * sleeps so long). */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "trace/read/format.h"
#include "trace/read/readers.h"
#include "trace/read/rows.h"
#include "trace/read/workload.h"

enum { COLUMNS = 32 };
enum { TYPE, GROUP, BYTES, STAGE, DESTINATION, SOURCE, GROUP_SIZE, ADDITIONAL, ELAPSED, KNOWN };
/* younger columns last: files may lack them */
static const char *const known[KNOWN] = {"comm_type", "comm_group", "msg_size",
                                         "stage",     "dst",        "src",
                                         "comm_group_size", "additional", "_elapsed_time"};

typedef struct aicb_reader {
  ts_events *e;
  ts_feed *feed;
  uint64_t line;
  int column[KNOWN]; /* of the header; -1: not there */
  size_t columns;
  /* What comes next waits for the events from `first` to `last`: one, or messages in a row, which
   * are issued together and wait for `before`. */
  uint32_t first, last, before;
  bool messages;
  uint32_t step;     /* of the section */
} aicb_reader;

static bool aicb_wrong(aicb_reader *r, const char *what, ts_csv_cell c)
{
  ts_feed_fail(
    r->feed, "rows are communications: a type such as CommType.all_reduce, a group and bytes",
    "line %" PRIu64 ": `%.*s` is %s", r->line, (int)(c.length > 40 ? 40 : c.length), c.at, what);
  r->feed->error->line = (uint32_t)r->line;
  return false;
}

/* "CommType.all_reduce", "CommGroup.tp_group": what is behind the dot. */
static ts_csv_cell aicb_member(ts_csv_cell c)
{
  const char *dot = memchr(c.at, '.', c.length);
  return dot ? (ts_csv_cell){.at = dot + 1, .length = (size_t)(c.at + c.length - dot - 1)} : c;
}

/* Not below 0, with or without a point; -1 for `None` and empty cells. */
static bool aicb_take_number(ts_csv_cell c, int64_t *value)
{
  int64_t thousandths;
  *value = -1;
  if (!c.length || ts_is(c.at, c.length, "None"))
    return true;
  if (!ts_json_thousandths(c.at, c.length, &thousandths) || thousandths < 0)
    return false;
  *value = thousandths / 1000;
  return true;
}

/* A time of `unit` ns; -1 for `None` and empty cells. */
static bool take_time(ts_csv_cell c, double unit, int64_t *ns)
{
  char text[40];
  double value;
  *ns = -1;
  if (!c.length || ts_is(c.at, c.length, "None"))
    return true;
  if (c.length >= sizeof text)
    return false;
  memcpy(text, c.at, c.length);
  text[c.length] = 0;
  char *end;
  value = strtod(text, &end);
  if (*end || !(value >= 0) || value * unit >= 9e15)
    return false;
  *ns = llround(value * unit);
  return true;
}

/* Of "((2048, 512), (512, 1024))": the two matrices, and what their product takes. They have two
 * bytes an element, as AICB's messages do. */
static ts_event_work aicb_work_of(ts_events *e, ts_csv_cell shapes)
{
  static const char types[] = "[\"bf16\",\"bf16\"]";
  double elements = 1, last = 0;
  int tuples = 0;
  char text[200];
  size_t length = 0;
  for (size_t i = 0; i < shapes.length; i++) {
    char c = shapes.at[i];
    if (c >= '0' && c <= '9') {
      double n = 0;
      for (size_t k = i; k < shapes.length && shapes.at[k] >= '0' && shapes.at[k] <= '9'; k++)
        n = n * 10 + (shapes.at[k] - '0');
      bool begins = !i || shapes.at[i - 1] < '0' || shapes.at[i - 1] > '9';
      elements *= begins && !tuples ? n : 1;
      last = begins ? n : last;
    }
    tuples += c == ')' && last > 0;
    if (c != ' ' && c != '"' && length < sizeof text)
      text[length++] = c == '(' ? '[' : c == ')' ? ']' : c;
  }
  ts_event_work work = {.flops = 2 * elements * last};
  if (tuples < 2 || !(work.flops < 1e24))
    return (ts_event_work){0};
  if (length < sizeof text)
    work.in = (ts_shapes){.dims = ts_events_string(e, text, length),
                          .types = ts_events_string(e, types, sizeof types - 1)};
  return work;
}

/* A group's size is that of its largest call: messages name the pair, not the group. */
static uint32_t take_group(ts_events *e, ts_csv_cell name, int64_t size)
{
  if (!name.length || ts_is(name.at, name.length, "None"))
    return 0;
  uint32_t string = ts_events_string(e, name.at, name.length);
  for (size_t i = 0; i < e->groups.count; i++)
    if (e->groups.at[i].name == string) {
      if (size > e->groups.at[i].size)
        e->groups.at[i].size = size;
      return string;
    }
  if (e->groups.count < TS_TRACKS_MOST)
    TS_PUSH(e->arena, &e->groups, ((ts_group_info){.name = string, .size = size}));
  return string;
}

static void begin_part(aicb_reader *r)
{
  ts_workload *w = r->e->workload;
  TS_PUSH(r->e->arena, &w->parts,
          ((ts_workload_part){(uint32_t)w->sections.count - 1, r->step, r->e->count, -1}));
}

static void begin_section(aicb_reader *r, uint32_t name, int64_t first, int64_t last)
{
  TS_PUSH(r->e->arena, &r->e->workload->sections, ((ts_workload_section){name, first, last}));
  r->first = r->before = TS_EVENT_NONE;
  r->messages = false;
  r->step = 0;
  begin_part(r);
}

static void aicb_add(aicb_reader *r, ts_csv_cell name, uint32_t comm, int64_t duration,
                     ts_event_work work)
{
  ts_events *e = r->e;
  uint32_t event = e->count, string = ts_events_string(e, name.at, name.length);
  ts_event *v = ts_events_add(e, TS_EVENT_DEVICE,
                              comm == TS_EVENT_NONE ? TS_KERNEL_OTHER : TS_KERNEL_COMMUNICATION);
  v->name = string;
  v->id = event + 1;
  v->start = event;
  v->duration = duration;
  v->detail = comm;
  ts_events_put_work(e, event, work);
  v->flags = name.length >= 8 && memcmp(name.at, "backward", 8) == 0 ? TS_EVENT_BACKWARD : 0;
  v->track = ts_events_track(e, e->workload->sections.at[e->workload->sections.count - 1].name, 0,
                             true);
  bool message = comm != TS_EVENT_NONE &&
                 (e->comms.at[comm].kind == TS_COMM_SEND || e->comms.at[comm].kind == TS_COMM_RECV);
  if (!message || !r->messages) {
    r->before = r->messages || r->first == TS_EVENT_NONE ? TS_EVENT_NONE : r->first;
    for (uint32_t i = r->first; r->messages && i <= r->last; i++)
      TS_PUSH(e->arena, &e->edges, ((ts_event_edge){i, event, false}));
    r->first = event;
  }
  if (r->before != TS_EVENT_NONE)
    TS_PUSH(e->arena, &e->edges, ((ts_event_edge){r->before, event, false}));
  r->last = event;
  r->messages = message;
}

static bool take_row(aicb_reader *r, const ts_csv_cell *cells, size_t count)
{
  static const ts_csv_cell none = {.at = ""};
  ts_events *e = r->e;
  ts_csv_cell at[KNOWN];
  int64_t bytes, size, source, destination, elapsed;
  for (int c = 0; c < KNOWN; c++)
    at[c] = r->column[c] >= 0 && (size_t)r->column[c] < count ? cells[r->column[c]] : none;
  ts_csv_cell type = aicb_member(at[TYPE]), stage = at[STAGE].length ? at[STAGE] : type;
  bool computes = ts_is(type.at, type.length, "computation");
  if (computes)
    bytes = -1; /* what a computation has there are the shapes of its inputs */
  else if (!aicb_take_number(at[BYTES], &bytes))
    return aicb_wrong(r, "not a number of bytes", at[BYTES]);
  if (!aicb_take_number(at[GROUP_SIZE], &size) || size == 0)
    return aicb_wrong(r, "not a size of a group", at[GROUP_SIZE]);
  if (!aicb_take_number(at[SOURCE], &source))
    return aicb_wrong(r, "not a rank", at[SOURCE]);
  if (!aicb_take_number(at[DESTINATION], &destination))
    return aicb_wrong(r, "not a rank", at[DESTINATION]);
  if (!take_time(at[ELAPSED], computes ? 1 : 1e6, &elapsed))
    return aicb_wrong(r, "not a time", at[ELAPSED]);
  if (ts_is(type.at, type.length, "epoch_end")) {
    e->workload->parts.at[e->workload->parts.count - 1].measured = elapsed;
    r->step++;
    begin_part(r);
    return true;
  }
  if (computes) {
    aicb_add(r, stage, TS_EVENT_NONE, elapsed, aicb_work_of(e, at[BYTES]));
    return true;
  }
  ts_event_comm c = {.kind = ts_comm_kind_of(type.at, type.length),
                     .in = -1,
                     .out = -1,
                     .bytes = bytes,
                     .size = size,
                     .sequence = -1,
                     .peer = -1};
  if (!c.kind) {
    if (!e->unknown_category++)
      e->unknown_name = ts_events_string(e, type.at, type.length);
    return true;
  }
  c.name = ts_events_string(e, type.at, type.length);
  c.group = take_group(e, aicb_member(at[GROUP]), size);
  c.peer = c.kind == TS_COMM_RECV ? source : c.kind == TS_COMM_SEND ? destination : -1;
  c.group_label = ts_events_string(e, at[ADDITIONAL].at, at[ADDITIONAL].length);
  TS_PUSH(e->arena, &e->comms, c);
  aicb_add(r, stage, (uint32_t)e->comms.count - 1, elapsed, (ts_event_work){0});
  return true;
}

/* The byte `ahead` of the place; -1 at the end. */
static int peek(ts_feed *f, size_t ahead)
{
  return f->end - f->at > ahead || ts_feed_need(f, ahead + 1) ?
           (unsigned char)f->buffer[f->at + ahead] :
           -1;
}

static bool is_section(ts_feed *feed)
{
  size_t i = 0;
  while (strchr("[ \t", peek(feed, i)) && peek(feed, i) > 0)
    i++;
  return i && (peek(feed, i) == 'r' || peek(feed, i) == 'p') &&
         ((peek(feed, i + 1) == 'a' && peek(feed, i + 2) == 'n' && peek(feed, i + 3) == 'k') ||
          (peek(feed, i + 1) == 'p' && peek(feed, i + 2) == '_'));
}

/* The ranks of a section are all from its first to its last. */
static bool take_section(aicb_reader *r)
{
  ts_feed *f = r->feed;
  int64_t first = -1, last = -1, count = 0;
  char name[32];
  size_t length = 0;
  bool range = false, named = false;
  r->line++;
  for (int c; (c = peek(f, 0)) >= 0 && c != '\n'; f->at++) {
    static const char word[] = "rank";
    named |= c == ':';
    range |= c == '~';
    if (c > ' ' && c < 127 && c != '[' && !named && length < sizeof name - 1)
      name[length++] = (char)c;
    size_t k = 0;
    while (k < 4 && peek(f, k) == word[k])
      k++;
    if (k < 4)
      continue;
    int64_t rank = 0;
    for (f->at += 4; (c = peek(f, 0)) >= '0' && c <= '9' && rank < 1 << 24; f->at++)
      rank = rank * 10 + (c - '0');
    f->at--;
    if (rank >= 1 << 24 || (last >= 0 && !range && rank != last + 1) || rank <= last)
      return ts_feed_fail(f, "a section begins as `[rank0 ~ rank7]` or `[ pp_stage0: [rank0, rank1] "
                             "]`, ranks one after the other",
                          "line %" PRIu64 ": rank %" PRId64 " follows rank %" PRId64, r->line, rank,
                          last);
    first = first < 0 ? rank : first;
    last = rank;
    count++;
  }
  f->at += peek(f, 0) == '\n';
  if (!count)
    return ts_feed_fail(f, "a section begins as `[rank0 ~ rank7]`",
                        "line %" PRIu64 ": a section without ranks", r->line);
  begin_section(r, named ? ts_events_string(r->e, name, length) : 0, first, last);
  return true;
}

static bool is_aicb(ts_feed *feed)
{
  static const char header[] = "comm_type,";
  return is_section(feed) || (feed->end - feed->at >= sizeof header - 1 &&
                              memcmp(feed->buffer + feed->at, header, sizeof header - 1) == 0);
}

static bool take_header(aicb_reader *r)
{
  ts_csv_cell cells[COLUMNS];
  size_t count = r->columns = ts_feed_row(r->e->arena, r->feed, &r->line, cells, COLUMNS);
  for (int c = 0; c < KNOWN; c++) {
    r->column[c] = -1;
    for (size_t i = 0; i < count; i++)
      if (ts_is(cells[i].at, cells[i].length, known[c]))
        r->column[c] = (int)i;
    if (r->column[c] < 0 && c < GROUP_SIZE)
      return ts_feed_fail(r->feed, NULL, "a workload of AICB without the column `%s`", known[c]);
  }
  return true;
}

/* False at the end of a section or the file, or with the error filled. */
static bool take_rows(aicb_reader *r)
{
  ts_csv_cell cells[COLUMNS];
  size_t count;
  while (!is_section(r->feed) &&
         (count = ts_feed_row(r->e->arena, r->feed, &r->line, cells, COLUMNS))) {
    r->e->seen++;
    if (r->e->count >= TS_EVENTS_MOST)
      return ts_feed_fail(r->feed, NULL, "more than %u rows", TS_EVENTS_MOST);
    if (count < r->columns && !ts_feed_need(r->feed, 1)) {
      r->e->cut = true;
      return true;
    }
    if (count < r->columns)
      return aicb_wrong(r, "the start of a row with too few cells", cells[0]);
    if (!take_row(r, cells, count))
      return false;
  }
  return !r->feed->error->message[0];
}

static bool read_aicb(ts_events *e, ts_feed *feed, const ts_events_options *options)
{
  (void)options;
  aicb_reader r = {.e = e, .feed = feed, .first = TS_EVENT_NONE, .before = TS_EVENT_NONE};
  bool good = true;
  e->format = TS_TRACE_AICB;
  e->workload = TS_NEW(e->arena, ts_workload);
  if (!is_section(feed))
    begin_section(&r, 0, -1, -1);
  do
    good = (!is_section(feed) || take_section(&r)) && take_header(&r) && take_rows(&r);
  while (good && is_section(feed));
  return good && !feed->error->message[0] &&
         (e->count ||
          ts_fail(feed->error, NULL, "the workload has no communication and no computation"));
}

const ts_trace_reader ts_trace_reader_aicb = {
  .begins = is_aicb, .after_blanks = true, .read = read_aicb};
