/* TrioSim's trace.csv: one line an operator in the order of execution, with the ids of the tensors
 * it takes and makes, and what it took in microseconds (`Operator_cudatimenooverlap`: its kernels
 * alone). An operator waits for those that made its tensors. */
#include <inttypes.h>
#include <string.h>

#include "trace/read/format.h"
#include "trace/read/readers.h"
#include "trace/read/rows.h"

enum { MOST_TENSORS = 1 << 22, COLUMNS = 32 };
enum { NAME, INPUTS, OUTPUTS, TIME, OUTPUT_SIZES, STAGE, KNOWN };
static const char *const known[KNOWN] = {"OperatorName",    "Operator_input",
                                         "Operator_output", "Operator_cudatimenooverlap",
                                         "OutputSize",      "stage"};

typedef ts_csv_cell cell;
typedef struct triosim_reader {
  ts_events *e;
  ts_feed *feed;
  uint64_t line;
  int64_t clock; /* ns; where the next operator begins */
  int column[KNOWN]; /* of the header; -1: not there */
  TS_VEC(uint32_t) maker; /* of each tensor: the event that made it last, + 1 */
} triosim_reader;

static bool triosim_wrong(triosim_reader *r, const char *what, cell c)
{
  ts_feed_fail(r->feed, "an operator has tensors such as [4; 6] and a time in microseconds",
               "line %" PRIu64 ": `%.*s` is %s", r->line, (int)(c.length > 40 ? 40 : c.length),
               c.at, what);
  r->feed->error->line = (uint32_t)r->line;
  return false;
}

/* The next number of "[4; 6; 8]"; false at its end. *good: whether what there is are numbers. */
static bool next_number(cell *list, int64_t *value, bool *good)
{
  while (list->length && strchr(" ;[]", *list->at)) list->at++, list->length--;
  size_t digits = 0;
  while (digits < list->length && !strchr(" ;[]", list->at[digits])) digits++;
  if (!digits)
    return false;
  *good = ts_json_integer(list->at, digits, value) && *value >= 0;
  list->at += digits, list->length -= digits;
  return *good;
}

/* Edges from those who made the tensors of the list to the event, or notes that it makes them. */
static bool take_tensors(triosim_reader *r, cell list, cell sizes, uint32_t event, bool makes)
{
  bool good = true, sized = true;
  int64_t id, elements = -1;
  for (cell rest = list; next_number(&rest, &id, &good);) {
    if (id >= MOST_TENSORS)
      return triosim_wrong(r, "a list with the id of a tensor that is too large", list);
    while (r->maker.count <= (size_t)id) TS_PUSH(r->e->arena, &r->maker, 0);
    if (makes) {
      if (!next_number(&sizes, &elements, &sized))
        elements = -1;
      if (!r->maker.at[id])
        TS_PUSH(
          r->e->arena, &r->e->tensors,
          ((ts_event_tensor){
            .id = (uint64_t)id, .storage = (uint64_t)id, .elements = elements, .bytes_each = -1}));
      r->maker.at[id] = event + 1;
    } else if (r->maker.at[id] && r->maker.at[id] - 1 != event)
      TS_PUSH(r->e->arena, &r->e->edges, ((ts_event_edge){r->maker.at[id] - 1, event, false}));
  }
  return good || triosim_wrong(r, "not a list of ids", list);
}

static bool take_operator(triosim_reader *r, const cell *cells, size_t count)
{
  static const cell none = {.at = ""};
  cell at[KNOWN];
  int64_t ns;
  for (int c = 0; c < KNOWN; c++)
    at[c] = r->column[c] >= 0 && (size_t)r->column[c] < count ? cells[r->column[c]] : none;
  if (!ts_json_thousandths(at[TIME].at, at[TIME].length, &ns) || ns < 0)
    return triosim_wrong(r, "not a time", at[TIME]);
  if (ns > INT64_MAX / 4 - r->clock)
    return triosim_wrong(r, "a time that is too long", at[TIME]);
  ts_events *e = r->e;
  uint32_t event = e->count, name = ts_events_string(e, at[NAME].at, at[NAME].length);
  bool optimizer = ts_is(at[STAGE].at, at[STAGE].length, "optimizer");
  ts_event *v = ts_events_add(
    e, TS_EVENT_DEVICE, optimizer ? TS_KERNEL_OPTIMIZER : ts_kernel_kind(ts_events_text(e, name)));
  v->name = name;
  v->id = event + 1;
  v->start = r->clock;
  v->duration = ns;
  r->clock += ns;
  v->flags = ts_is(at[STAGE].at, at[STAGE].length, "backward") ? TS_EVENT_BACKWARD : 0;
  v->track = ts_events_track(e, 0, 0, true);
  return take_tensors(r, at[INPUTS], none, event, false) &&
         take_tensors(r, at[OUTPUTS], at[OUTPUT_SIZES], event, true);
}

static bool is_triosim(ts_feed *feed)
{
  static const char begins[] = "OperatorID,";
  return feed->end - feed->at >= sizeof begins - 1 &&
         memcmp(feed->buffer + feed->at, begins, sizeof begins - 1) == 0;
}

static bool read_triosim(ts_events *e, ts_feed *feed, const ts_events_options *options)
{
  (void)options;
  triosim_reader r = {.e = e, .feed = feed};
  cell cells[COLUMNS];
  size_t count = ts_feed_row(e->arena, feed, &r.line, cells, COLUMNS), columns = count;
  for (int c = 0; c < KNOWN; c++) {
    r.column[c] = -1;
    for (size_t i = 0; i < count; i++)
      if (ts_is(cells[i].at, cells[i].length, known[c]))
        r.column[c] = (int)i;
    if (r.column[c] < 0 && c <= TIME)
      return ts_feed_fail(feed, NULL, "a table of TrioSim without the column `%s`", known[c]);
  }
  e->format = TS_TRACE_TRIOSIM;
  e->timed = true;
  while ((count = ts_feed_row(e->arena, feed, &r.line, cells, COLUMNS)))
    if (e->count >= TS_EVENTS_MOST)
      return ts_feed_fail(feed, NULL, "more than %u operators", TS_EVENTS_MOST);
    /* the last line is not whole */
    else if (count < columns && e->count && feed->done && feed->at == feed->end)
      e->cut = true;
    else if (!take_operator(&r, cells, count))
      return false;
  e->seen = e->count;
  if (feed->error->message[0])
    return false;
  return e->count || ts_fail(feed->error, NULL, "the table has no operators");
}

const ts_trace_reader ts_trace_reader_triosim = {.begins = is_triosim, .read = read_triosim};
