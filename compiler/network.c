#include "compiler/network.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/cost/cost.h"

static const char *const kinds[TS_IR_COLLECTIVE_KINDS] = {"all_reduce", "all_gather", "reduce_scatter", "broadcast", "reduce", "all_to_all", "barrier", "message"};

int ts_collective_named(const char *name)
{
  for (int k = 0; k < TS_IR_COLLECTIVE_KINDS; k++)
    if (!strcmp(kinds[k], name))
      return k;
  return -1;
}

/* -- CSV -- */

enum { COLLECTIVE, RANKS, ISLANDS, BYTES, TIME, COLUMNS };

typedef struct reader {
  ts_arena *arena;
  const char *at, *end, *error;
  uint32_t line;
  uint32_t column[16]; /* what each column is; COLUMNS: nothing we need */
  uint32_t columns;
  double unit;         /* seconds */
  TS_VEC(ts_ir_net_point) points;
} reader;

static bool bad(reader *r, const char *error)
{
  r->error = error;
  return false;
}

/* The next field of the line, trimmed, in the arena. False at the end of the line. */
static bool field(reader *r, const char **text, bool *more)
{
  const char *begin = r->at;
  while (r->at < r->end && *r->at != ',' && *r->at != '\n')
    r->at++;
  const char *stop = r->at;
  while (begin < stop && (*begin == ' ' || *begin == '\t'))
    begin++;
  while (stop > begin && (stop[-1] == ' ' || stop[-1] == '\t' || stop[-1] == '\r'))
    stop--;
  *text = ts_arena_string(r->arena, begin, (size_t)(stop - begin));
  *more = r->at < r->end && *r->at == ',';
  if (r->at < r->end)
    r->at++;
  return *more;
}

static bool header_name(reader *r, const char *name)
{
  static const char *const names[COLUMNS] = {"collective", "ranks", "islands", "bytes", "time"};
  static const struct { const char *name; double unit; } times[] = {{"time_us", 1e-6}, {"time_ms", 1e-3}, {"seconds", 1}, {"time_s", 1}};
  if (r->columns == 16)
    return bad(r, "more than 16 columns");
  uint32_t what = COLUMNS;
  for (uint32_t i = 0; i < TIME; i++)
    if (!strcmp(name, names[i]))
      what = i;
  for (size_t i = 0; i < sizeof times / sizeof *times; i++)
    if (!strcmp(name, times[i].name)) {
      what = TIME;
      r->unit = times[i].unit;
    }
  r->column[r->columns++] = what;
  return true;
}

static bool header(reader *r)
{
  const char *text;
  bool more = true;
  uint32_t seen = 0;
  while (more) {
    field(r, &text, &more);
    if (!header_name(r, text))
      return false;
  }
  for (uint32_t i = 0; i < r->columns; i++)
    seen |= 1u << r->column[i];
  if ((seen & 0x1f) != 0x1f)
    return bad(r, "the first line must name the columns collective, ranks, islands, bytes and time_us (or time_ms, seconds)");
  return true;
}

static bool value(reader *r, uint32_t what, const char *text, ts_ir_net_point *p)
{
  char *end;
  if (what == COLLECTIVE) {
    int kind = ts_collective_named(text);
    p->collective = (uint32_t)kind;
    return kind >= 0 || bad(r, ts_arena_printf(r->arena, "`%s` is no collective", text));
  }
  double x = strtod(text, &end);
  if (end == text || *end || !isfinite(x) || x < 0 || (what != TIME && x != floor(x)) || (what != TIME && what != BYTES && (x < 1 || x > 1e7)) || x > 1e18)
    return bad(r, ts_arena_printf(r->arena, "`%s` is not what this column holds", text));
  if (what == RANKS)
    p->ranks = (uint32_t)x;
  else if (what == ISLANDS)
    p->islands = (uint32_t)x;
  else if (what == BYTES)
    p->bytes = (uint64_t)x;
  else if (x * r->unit > 1e5)
    return bad(r, "a collective of more than a day");
  else
    p->time = (uint64_t)llround(x * r->unit * 1e12);
  return true;
}

static bool row(reader *r)
{
  ts_ir_net_point p = {0};
  bool more = true;
  uint32_t c = 0;
  for (; more; c++) {
    const char *text;
    field(r, &text, &more);
    if (c >= r->columns)
      return bad(r, "more fields than columns");
    if (r->column[c] != COLUMNS && !value(r, r->column[c], text, &p))
      return false;
  }
  if (c < r->columns)
    return bad(r, "fewer fields than columns");
  TS_PUSH(r->arena, &r->points, p);
  return true;
}

static int by_key(const void *left, const void *right)
{
  const ts_ir_net_point *a = left, *b = right;
#define BY(x) if (a->x != b->x) return a->x < b->x ? -1 : 1;
  BY(collective) BY(ranks) BY(islands) BY(bytes) BY(time)
#undef BY
  return 0;
}

/* Repeated measurements become their median. */
static uint32_t merge(ts_ir_net_point *p, uint32_t count)
{
  uint32_t kept = 0;
  for (uint32_t i = 0, k; i < count; i = k) {
    for (k = i + 1; k < count && p[k].collective == p[i].collective && p[k].ranks == p[i].ranks && p[k].islands == p[i].islands && p[k].bytes == p[i].bytes;)
      k++;
    p[kept++] = p[i + (k - i - 1) / 2];
  }
  return kept;
}

const ts_network_table *ts_network_table_read(ts_arena *arena, const char *text, size_t size, const char **error, uint32_t *line)
{
  reader r = {.arena = arena, .at = text, .end = text + size};
  bool good = true;
  for (r.line = 1; good && r.at < r.end; r.line++) {
    if (*r.at == '#' || *r.at == '\n' || *r.at == '\r') {
      const char *newline = memchr(r.at, '\n', (size_t)(r.end - r.at));
      r.at = newline ? newline + 1 : r.end;
    } else {
      good = r.columns ? row(&r) : header(&r);
    }
  }
  if (good && !r.points.count)
    good = bad(&r, "no rows");
  *error = r.error;
  *line = r.line ? r.line - 1 : 0;
  if (!good)
    return NULL;
  qsort(r.points.at, r.points.count, sizeof *r.points.at, by_key);
  ts_network_table *t = TS_NEW(arena, ts_network_table);
  t->name = "";
  t->count = merge(r.points.at, (uint32_t)r.points.count);
  t->points = r.points.at;
  return t;
}

const ts_network_table *ts_network_table_of(ts_session *s, const ts_value *source)
{
  const ts_applied *a = source && source->type == TS_T_APPLIED && !source->u.applied->decl ? source->u.applied : NULL;
  const ts_value *file = a && !strcmp(a->name, "table") ? ts_record_find(&a->args, "file") : source && source->type == TS_T_STRING ? source : NULL;
  size_t size = 0, text_size = 0;
  const char *path, *error = "";
  uint32_t line = 0;
  ts_cost_error gzip = {0};
  if (!file) {
    ts_diag *d = ts_report(s, TS_E0505, source ? source->span : TS_NO_SPAN, "`measured` needs a table");
    ts_diag_here(d, "such as `table \"nccl.csv\"`");
    return NULL;
  }
  char *bytes = ts_session_read(s, file->span.file, file->u.string, "table", file->span, &size, &path);
  if (!bytes)
    return NULL;
  const char *text = ts_cost_text(s->arena, bytes, size, &text_size, &gzip);
  const ts_network_table *t = text ? ts_network_table_read(s->arena, text, text_size, &error, &line) : NULL;
  if (!t) {
    ts_diag *d = ts_report(s, TS_E0502, file->span, "table `%s` cannot be used for collectives", file->u.string);
    ts_diag_here(d, "%s", text ? ts_arena_printf(s->arena, "line %u: %s", line, error) : gzip.text);
    return NULL;
  }
  ts_network_table *named = TS_NEW(s->arena, ts_network_table);
  *named = (ts_network_table){file->u.string, t->count, t->points};
  return named;
}
