/* Raw logs of nccl-tests: lines of `#` list the devices, rows are
 *   size count type redop root | time algbw busbw #wrong | time algbw busbw #wrong   (out of place,
 *   in place)
 * with fewer columns in some versions and collectives. Times of both are averaged, as the tables
 * that come from it do. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "calibrate/network_fit.h"
#include "compiler/machine/network_table.h"

enum { MAX_FIELDS = 24 };

typedef struct log_reader {
  ts_arena *arena;
  ts_error *error;
  uint32_t line, ranks, islands;
  int collective;
  bool titled;          /* the head of the table was there */
  uint32_t time[2], times; /* columns of times */
  uint32_t columns;
  TS_VEC(const char *) hosts;
  const char *device;
  ts_network_table passed; /* counts of it */
  TS_VEC(ts_ir_net_point) points;
} log_reader;

static bool bad(log_reader *r, const char *text)
{
  if (!r->error->message[0])
    r->error->line = r->line;
  return ts_fail(r->error, NULL, "%s", text);
}

static uint32_t network_log_split(ts_arena *arena, const char *begin, const char *end,
                                  const char **field)
{
  uint32_t n = 0;
  while (begin < end && n < MAX_FIELDS) {
    while (begin < end && isspace((unsigned char)*begin))
      begin++;
    const char *stop = begin;
    while (stop < end && !isspace((unsigned char)*stop))
      stop++;
    if (stop > begin)
      field[n++] = ts_arena_string(arena, begin, (size_t)(stop - begin));
    begin = stop;
  }
  return n;
}

/* "#  Rank  3 Group  0 Pid 4242 on host-1 device  3 [0x19] Some GPU" */
static void device_line(log_reader *r, const char **field, uint32_t n)
{
  bool hosted = false; /* a device is on one host, whatever else the line holds */
  r->ranks++;
  for (uint32_t i = 0; i + 1 < n; i++)
    if (!strcmp(field[i], "on") && !hosted) {
      size_t k = 0;
      hosted = true;
      while (k < r->hosts.count && strcmp(r->hosts.at[k], field[i + 1]) != 0)
        k++;
      if (k == r->hosts.count)
        TS_PUSH(r->arena, &r->hosts, field[i + 1]);
    } else if (*field[i] == '[') {
      r->device = field[n - 1];
      for (uint32_t w = n - 1; w-- > i + 1;)
        r->device = ts_arena_printf(r->arena, "%s %s", field[w], r->device);
      return;
    }
}

/* The name before "_perf" says which collective it is, wherever it stands: in the title or a
 * command line above. */
static bool name_line(log_reader *r, const char *begin, const char *end)
{
  for (const char *at = begin; at + 5 <= end; at++) {
    if (strncmp(at, "_perf", 5) != 0)
      continue;
    const char *name = at;
    while (name > begin && (isalpha((unsigned char)name[-1]) || name[-1] == '_'))
      name--;
    int kind = ts_collective_named(ts_arena_string(r->arena, name, (size_t)(at - name)));
    if (kind < 0)
      kind = !strncmp(name, "sendrecv", 8) ? TS_IR_MESSAGE : -1;
    if (kind >= 0 && r->collective >= 0 && kind != r->collective)
      return bad(r, "a log of another collective");
    if (kind >= 0)
      r->collective = kind;
  }
  return true;
}

/* "# size count type redop root time algbw busbw #wrong time algbw busbw #wrong": where the times
 * are. */
static void head_line(log_reader *r, const char **field, uint32_t n)
{
  uint32_t first = field[0][0] == '#' && !field[0][1] ? 1 : 0;
  r->titled = true;
  r->times = 0;
  r->columns = n - first;
  for (uint32_t i = first; i < n && r->times < 2; i++)
    if (!strcmp(field[i], "time"))
      r->time[r->times++] = i - first;
}

static bool amount(const char *text, double *x)
{
  char *end;
  *x = strtod(text, &end);
  return end != text && !*end && *x >= 0 && isfinite(*x);
}

static bool row_line(log_reader *r, const char **field, uint32_t n)
{
  double bytes, time, sum = 0;
  if (!r->times)
    return bad(r, "a row of a table without a column `time`");
  if (n < r->columns)
    return bad(r, "the row is truncated: it has fewer columns than the header");
  if (n > r->columns)
    return bad(r, "more columns than the head has");
  if (!amount(field[0], &bytes) || bytes > (double)TS_IR_BYTES_MOST || bytes != floor(bytes))
    return bad(r, "the size is not a whole number of bytes");
  for (uint32_t i = 0; i < r->times; i++) {
    if (!amount(field[r->time[i]], &time) || time > 1e11)
      return bad(r, "the time is not a number of microseconds, or more than a day");
    sum += time;
    uint32_t wrong = r->time[i] + 3;
    if (wrong < n && strcmp(field[wrong], "N/A") != 0 && strtod(field[wrong], NULL) != 0)
      return bad(r, "the test found wrong results: times of a broken run");
  }
  ts_ir_net_point p = {.bytes = (uint64_t)bytes, .time = (uint64_t)llround(sum / r->times * 1e6)};
  if (ts_network_measures(&p, r->line, &r->passed))
    TS_PUSH(r->arena, &r->points, p);
  return true;
}

static bool one_line(log_reader *r, const char *begin, const char *end)
{
  const char *field[MAX_FIELDS];
  uint32_t n = network_log_split(r->arena, begin, end, field);
  if (!n)
    return true;
  if (*field[0] != '#') /* launchers and the library itself write between the rows */
    return isdigit((unsigned char)*field[0]) && n > 4 && r->titled ? row_line(r, field, n) :
                                                                     name_line(r, begin, end);
  if (n > 2 && !strcmp(field[1], "Rank") && isdigit((unsigned char)*field[2]))
    device_line(r, field, n);
  else if (n > 3 && (!strcmp(field[1], "size") || !strcmp(field[0], "#size")))
    head_line(r, field, n);
  return name_line(r, begin, end);
}

bool ts_network_is_log(const char *text, size_t size)
{
  static const char *const marks[] = {"nThread",      "#  Rank", "# size",
                                      "#       size", "algbw",   "_perf"};
  size_t head = size < 65536 ? size : 65536;
  for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
    for (size_t at = 0, length = strlen(marks[i]); at + length <= head; at++)
      if (!memcmp(text + at, marks[i], length))
        return true;
  return false;
}

const ts_network_table *ts_network_log_read(ts_arena *arena, const char *text, size_t size,
                                            int collective, ts_error *error)
{
  log_reader r = {.arena = arena, .error = error, .collective = collective};
  bool good = true;
  *error = (ts_error){0};
  for (const char *at = text, *end = text + size; good && at < end;) {
    const char *newline = memchr(at, '\n', (size_t)(end - at));
    r.line++;
    good = one_line(&r, at, newline ? newline : end);
    if (good && !newline && r.points.count)
      good = bad(&r, "the log is truncated: it ends within a line");
    at = newline ? newline + 1 : end;
  }
  if (good && !r.points.count)
    good = bad(&r, r.passed.passed_over ? "all rows are of 0 bytes or 0 us" :
                   r.titled             ? "no rows: is the log truncated?" :
                                          "no table of nccl-tests: no line `# size count type ...`");
  if (good && r.collective < 0)
    good = bad(&r, "the log does not say which collective it is of: --of");
  if (good && r.ranks < 2)
    good = bad(&r, "the log does not list two devices or more: `#  Rank 0 ...`");
  if (!good)
    return NULL;
  for (size_t i = 0; i < r.points.count; i++) {
    r.points.at[i].collective = (uint32_t)r.collective;
    r.points.at[i].ranks = r.ranks;
    r.points.at[i].islands = r.hosts.count ? (uint32_t)r.hosts.count : 1;
  }
  ts_network_table *t = ts_arena_copy(arena, &r.passed, sizeof r.passed);
  t->name = "";
  t->device = r.device ? r.device : "";
  t->count = (uint32_t)r.points.count;
  t->points = r.points.at;
  return t;
}
