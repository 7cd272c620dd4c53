/* Workloads of AICB as CSV: one row a communication or computation of a rank, in the order in which
 * it issues them; columns go by name. */
#include <inttypes.h>
#include <string.h>

#include "trace/read/readers.h"
#include "trace/read/rows.h"

enum { COLUMNS = 32 };
enum { TYPE, GROUP, GROUP_SIZE, BYTES, STAGE, DESTINATION, SOURCE, KNOWN };
static const char *const known[KNOWN] = {
  "comm_type", "comm_group", "comm_group_size", "msg_size", "stage", "dst", "src"};

typedef struct reader {
  ts_events *e;
  ts_feed *feed;
  uint64_t line;
  int column[KNOWN]; /* of the header; -1: not there */
  size_t columns;
  uint32_t last;     /* event */
} reader;

static bool wrong(reader *r, const char *what, ts_csv_cell c)
{
  ts_feed_fail(
    r->feed, "rows are communications: a type such as CommType.all_reduce, a group and bytes",
    "line %" PRIu64 ": `%.*s` is %s", r->line, (int)(c.length > 40 ? 40 : c.length), c.at, what);
  r->feed->error->line = (uint32_t)r->line;
  return false;
}

/* "CommType.all_reduce", "CommGroup.tp_group": what is behind the dot. */
static ts_csv_cell member(ts_csv_cell c)
{
  const char *dot = memchr(c.at, '.', c.length);
  return dot ? (ts_csv_cell){.at = dot + 1, .length = (size_t)(c.at + c.length - dot - 1)} : c;
}

/* Not below 0, with or without a point; -1 for `None` and empty cells. */
static bool take_number(ts_csv_cell c, int64_t *value)
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

static uint32_t take_group(ts_events *e, ts_csv_cell name, int64_t size)
{
  if (!name.length || ts_is(name.at, name.length, "None"))
    return 0;
  uint32_t string = ts_events_string(e, name.at, name.length);
  for (size_t i = 0; i < e->groups.count; i++)
    if (e->groups.at[i].name == string)
      return string;
  if (e->groups.count < TS_TRACKS_MOST)
    TS_PUSH(e->arena, &e->groups, ((ts_group_info){.name = string, .size = size}));
  return string;
}

static void add(reader *r, ts_csv_cell name, uint32_t comm)
{
  ts_events *e = r->e;
  uint32_t event = e->count, string = ts_events_string(e, name.at, name.length);
  ts_event *v = ts_events_add(e, TS_EVENT_DEVICE,
                              comm == TS_EVENT_NONE ? TS_KERNEL_OTHER : TS_KERNEL_COMMUNICATION);
  v->name = string;
  v->id = event + 1;
  v->start = event;
  v->duration = -1;
  v->detail = comm;
  v->flags = name.length >= 8 && memcmp(name.at, "backward", 8) == 0 ? TS_EVENT_BACKWARD : 0;
  v->track = ts_events_track(e, 0, 0, true);
  if (r->last != TS_EVENT_NONE)
    TS_PUSH(e->arena, &e->edges, ((ts_event_edge){r->last, event, false}));
  r->last = event;
}

static bool take_row(reader *r, const ts_csv_cell *cells, size_t count)
{
  static const ts_csv_cell none = {.at = ""};
  ts_events *e = r->e;
  ts_csv_cell at[KNOWN];
  int64_t bytes, size, source, destination;
  for (int c = 0; c < KNOWN; c++)
    at[c] = r->column[c] >= 0 && (size_t)r->column[c] < count ? cells[r->column[c]] : none;
  ts_csv_cell type = member(at[TYPE]), stage = at[STAGE].length ? at[STAGE] : type;
  bool computes = ts_is(type.at, type.length, "computation");
  if (computes)
    bytes = -1; /* what a computation has there are the shapes of its inputs */
  else if (!take_number(at[BYTES], &bytes))
    return wrong(r, "not a number of bytes", at[BYTES]);
  if (!take_number(at[GROUP_SIZE], &size) || size == 0)
    return wrong(r, "not a size of a group", at[GROUP_SIZE]);
  if (!take_number(at[SOURCE], &source))
    return wrong(r, "not a rank", at[SOURCE]);
  if (!take_number(at[DESTINATION], &destination))
    return wrong(r, "not a rank", at[DESTINATION]);
  if (ts_is(type.at, type.length, "epoch_end"))
    return true;
  if (computes) {
    add(r, stage, TS_EVENT_NONE);
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
  c.group = take_group(e, member(at[GROUP]), size);
  c.peer = c.kind == TS_COMM_RECV ? source : c.kind == TS_COMM_SEND ? destination : -1;
  TS_PUSH(e->arena, &e->comms, c);
  add(r, stage, (uint32_t)e->comms.count - 1);
  return true;
}

bool ts_is_aicb(const ts_feed *feed)
{
  static const char begins[] = "comm_type,";
  return feed->end - feed->at >= sizeof begins - 1 &&
         memcmp(feed->buffer + feed->at, begins, sizeof begins - 1) == 0;
}

bool ts_read_aicb(ts_events *e, ts_feed *feed)
{
  reader r = {.e = e, .feed = feed, .last = TS_EVENT_NONE};
  ts_csv_cell cells[COLUMNS];
  size_t count = ts_feed_row(e->arena, feed, &r.line, cells, COLUMNS);
  r.columns = count;
  for (int c = 0; c < KNOWN; c++) {
    r.column[c] = -1;
    for (size_t i = 0; i < count; i++)
      if (ts_is(cells[i].at, cells[i].length, known[c]))
        r.column[c] = (int)i;
    if (r.column[c] < 0 && c != GROUP_SIZE) /* younger than the others */
      return ts_feed_fail(feed, NULL, "a workload of AICB without the column `%s`", known[c]);
  }
  e->format = TS_TRACE_AICB;
  while ((count = ts_feed_row(e->arena, feed, &r.line, cells, COLUMNS))) {
    e->seen++;
    if (e->count >= TS_EVENTS_MOST)
      return ts_feed_fail(feed, NULL, "more than %u rows", TS_EVENTS_MOST);
    if (count < r.columns && !ts_feed_need(feed, 1)) {
      e->cut = true;
      break;
    }
    if (count < r.columns)
      return wrong(&r, "the start of a row with too few cells", cells[0]);
    if (!take_row(&r, cells, count))
      return false;
  }
  if (feed->error->message[0])
    return false;
  return e->count ||
         ts_fail(feed->error, NULL, "the workload has no communication and no computation");
}
