#include "trace/log/log.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/csv.h"
#include "base/json_tree.h"
#include "trace/log/event_file.h"

typedef TS_VEC(ts_log_row) row_list;

typedef struct log_state { /* of one format */
  row_list rows;
  double setting[TS_LOG_FIGURE_COUNT];
  double pauses; /* seconds */
  bool whole;    /* the rows are the mean of the run */
  double memory, reserved;
  bool paused;
} log_state;

typedef struct log_reader {
  ts_arena *arena;
  const ts_log_formats *formats;
  log_state *states; /* [formats->count] */
} log_reader;

static int log_place_of(const char *name, const char *const *names)
{
  for (int i = 0; names[i]; i++)
    if (!strcmp(names[i], name))
      return i;
  return -1;
}

int ts_log_figure_named(const char *name)
{
  static const char *const names[] = {
#define FIGURE(id, text) text,
    TS_LOG_FIGURES(FIGURE)
#undef FIGURE
      NULL};
  return log_place_of(name, names);
}

int ts_log_line_kind_named(const char *name)
{
  static const char *const names[] = {
#define KIND(id, text) text,
    TS_LOG_LINE_KINDS(KIND)
#undef KIND
      NULL};
  return log_place_of(name, names);
}

/* ---- Numbers ---- */

static const char *find_text(const char *at, const char *end, const char *text)
{
  size_t length = strlen(text);
  if (!length)
    return NULL;
  for (; (size_t)(end - at) >= length; at++) {
    at = memchr(at, *text, (size_t)(end - at) - length + 1);
    if (!at || !memcmp(at, text, length))
      return at;
  }
  return NULL;
}

/* "1,024.5", "1e-3". Returns what is behind it; NULL: there is none. */
static const char *log_take_number(const char *at, const char *end, double *value)
{
  char digits[64];
  size_t count = 0;
  const char *from = at;
  for (; at < end && count + 1 < sizeof digits; at++) {
    bool sign = (*at == '-' || *at == '+') && (at == from || at[-1] == 'e' || at[-1] == 'E');
    bool comma = *at == ',' && at > from && end - at > 3 && isdigit((unsigned char)at[1]) &&
                 isdigit((unsigned char)at[2]) && isdigit((unsigned char)at[3]);
    if (isdigit((unsigned char)*at) || *at == '.' || sign ||
        ((*at == 'e' || *at == 'E') && at > from && end - at > 1 &&
         (isdigit((unsigned char)at[1]) || at[1] == '-' || at[1] == '+')))
      digits[count++] = *at;
    else if (!comma)
      break;
  }
  digits[count] = 0;
  char *behind;
  *value = strtod(digits, &behind);
  if (behind == digits || !isfinite(*value))
    return NULL;
  return at;
}

/* ---- Units, right behind a number: they stand in the place of a reading's factor ---- */

typedef struct log_unit {
  const char *name;
  double value;
} log_unit;
/* GB is 2^30 bytes, as frameworks print memory. */
static const log_unit of_memory[] = {{"KiB", 0x1p10}, {"KB", 0x1p10},  {"MiB", 0x1p20},
                                     {"MB", 0x1p20},  {"GiB", 0x1p30}, {"GB", 0x1p30},
                                     {"TiB", 0x1p40}, {"TB", 0x1p40},  {"B", 1},
                                     {NULL, 1}},
                      of_time[] = {{"s", 1},    {"sec", 1}, {"ms", 1e-3}, {"us", 1e-6},
                                   {"min", 60}, {"m", 60},  {"h", 3600},  {NULL, 1}},
                      of_counts[] = {{"K", 1e3}, {"k", 1e3},  {"M", 1e6}, {"B", 1e9},
                                     {"G", 1e9}, {"T", 1e12}, {NULL, 1}};

static const log_unit *units_of(ts_log_figure figure)
{
  switch (figure) {
  case TS_LOG_MEMORY:
  case TS_LOG_RESERVED: return of_memory;
  case TS_LOG_SECONDS:
  case TS_LOG_CLOCK:
  case TS_LOG_RUN:
  case TS_LOG_PAUSE: return of_time;
  default: return of_counts;
  }
}

/* "1.23K" milliseconds: a reading whose factor is its unit may have a thousand of it. */
static double scale_of(const ts_log_reading *r, const char *at, const char *end)
{
  size_t length = 0;
  while (at + length < end && isalpha((unsigned char)at[length]))
    length++;
  for (const log_unit *u = units_of(r->figure); u->name; u++)
    if (strlen(u->name) == length && !memcmp(u->name, at, length))
      return units_of(r->figure) == of_counts ? r->times * u->value : u->value;
  for (const log_unit *u = of_counts; u->name; u++)
    if (length == 1 && *at == *u->name)
      return r->times * u->value;
  return r->times;
}

static bool take_after(const ts_log_reading *r, const char *at, const char *end, double *value)
{
  for (const char *key; (key = find_text(at, end, r->after)); at = key + 1) {
    const char *from = key + strlen(r->after);
    while (from < end && strchr(" \t:='\"[", *from) && *from)
      from++;
    const char *behind = from < end ? log_take_number(from, end, value) : NULL;
    if (behind) {
      *value *= scale_of(r, behind, end);
      return true;
    }
  }
  return false;
}

static bool take_before(const ts_log_reading *r, const char *at, const char *end, double *value)
{
  for (const char *key; (key = find_text(at, end, r->before)); at = key + 1) {
    const char *from = key;
    while (from > at && strchr("0123456789.", from[-1]))
      from--;
    if (from < key && log_take_number(from, key, value)) {
      *value *= r->times;
      return true;
    }
  }
  return false;
}

/* What the line says of each figure; NAN where nothing. */
static void take_figures(const ts_log_line *l, const char *at, const char *end,
                         double of[TS_LOG_FIGURE_COUNT])
{
  for (int f = 0; f < TS_LOG_FIGURE_COUNT; f++)
    of[f] = NAN;
  for (uint32_t i = 0; i < l->count; i++) {
    const ts_log_reading *r = &l->reads[i];
    double value;
    if (!isnan(of[r->figure]) && !l->sum)
      continue;
    if (!(*r->after ? take_after(r, at, end, &value) : take_before(r, at, end, &value)))
      continue;
    of[r->figure] = isnan(of[r->figure]) ? value : of[r->figure] + value;
  }
}

/* ---- Clocks: "2025-07-21 15:57:42,774", "20251202 06:56:28", "2025-07-21T15:57:42.774" ---- */

static bool is_like(const char *at, const char *end, const char *pattern)
{
  for (; *pattern; pattern++, at++)
    if (at >= end || (*pattern == '0' ? !isdigit((unsigned char)*at) :
                      *pattern == ' ' ? *at != ' ' && *at != 'T' :
                                        *at != *pattern))
      return false;
  return true;
}

static int two(const char *at) { return 10 * (at[0] - '0') + at[1] - '0'; }

/* Days from 1970 (the proleptic Gregorian calendar). */
static double days(int year, int month, int day)
{
  year -= month <= 2;
  int era = year / 400, of_era = year - 400 * era;
  int of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  return 146097.0 * era + 365.0 * of_era + of_era / 4 - of_era / 100 + of_year - 719468;
}

static double clock_of(const char *at, const char *end)
{
  for (; end - at >= 17; at++) {
    bool dashes = is_like(at, end, "0000-00-00 00:00:00");
    if (!dashes && !is_like(at, end, "00000000 00:00:00"))
      continue;
    const char *month = at + (dashes ? 5 : 4), *day = at + (dashes ? 8 : 6);
    const char *time = day + 3, *rest = time + 8;
    double seconds = 3600 * two(time) + 60 * two(time + 3) + two(time + 6), part = 0.1;
    if (rest < end && (*rest == ',' || *rest == '.'))
      for (rest++; rest < end && isdigit((unsigned char)*rest); rest++, part /= 10)
        seconds += part * (*rest - '0');
    return 86400 * days(100 * two(at) + two(at + 2), two(month), two(day)) + seconds;
  }
  return NAN;
}

/* ---- Lines ---- */

static double larger_known(double a, double b) { return isnan(a) || b > a ? b : a; }

static void log_add_row(log_reader *r, log_state *s, const double of[TS_LOG_FIGURE_COUNT],
                        uint32_t line)
{
  ts_log_row *last = s->rows.count ? &s->rows.at[s->rows.count - 1] : NULL;
  ts_log_row row = {.steps = 1, .line = line, .paused = s->paused, .run = last ? last->run : 0};
  memcpy(row.of, of, sizeof row.of);
  if (isnan(row.of[TS_LOG_STEP])) /* nothing counts them: one after the other */
    row.of[TS_LOG_STEP] = last ? last->of[TS_LOG_STEP] + 1 : 1;
  if (last && row.of[TS_LOG_STEP] == last->of[TS_LOG_STEP]) { /* of another rank */
    last->of[TS_LOG_SECONDS] = larger_known(last->of[TS_LOG_SECONDS], row.of[TS_LOG_SECONDS]);
    return;
  }
  if (last && row.of[TS_LOG_STEP] > last->of[TS_LOG_STEP])
    row.steps = row.of[TS_LOG_STEP] - last->of[TS_LOG_STEP];
  else if (last)
    row.run++;
  for (int f = 0; f < TS_LOG_FIGURE_COUNT; f++)
    if (isnan(row.of[f]))
      row.of[f] = s->setting[f];
  s->paused = false;
  TS_PUSH(r->arena, &s->rows, row);
}

/* The mean of a whole run, without its pauses, where no step has a time of its own. */
static void add_whole(log_reader *r, log_state *s, double of[TS_LOG_FIGURE_COUNT], uint32_t line)
{
  double steps = of[TS_LOG_STEP], run = of[TS_LOG_RUN] - s->pauses;
  for (size_t i = 0; i < s->rows.count; i++)
    if (!isnan(s->rows.at[i].of[TS_LOG_SECONDS]) || !isnan(s->rows.at[i].of[TS_LOG_CLOCK]))
      return;
  if (!(steps >= 1 && run > 0))
    return;
  s->rows.count = 0;
  of[TS_LOG_SECONDS] = run / steps;
  s->whole = true;
  log_add_row(r, s, of, line);
  s->rows.at[0].steps = steps;
}

static void use_line(log_reader *r, log_state *s, const ts_log_line *l, const char *at,
                     const char *end, uint32_t line)
{
  double of[TS_LOG_FIGURE_COUNT];
  take_figures(l, at, end, of);
  if (isnan(of[TS_LOG_CLOCK]))
    of[TS_LOG_CLOCK] = clock_of(at, end);
  s->memory = larger_known(s->memory, of[TS_LOG_MEMORY]);
  s->reserved = larger_known(s->reserved, of[TS_LOG_RESERVED]);
  switch (l->kind) {
  case TS_LOG_DONE: log_add_row(r, s, of, line); break;
  case TS_LOG_BESIDE: break;
  case TS_LOG_PAUSED:
    s->paused = true;
    s->pauses += isnan(of[TS_LOG_PAUSE]) ? 0 : of[TS_LOG_PAUSE];
    break;
  case TS_LOG_SETTING:
    for (int f = 0; f < TS_LOG_FIGURE_COUNT; f++)
      if (!isnan(of[f]) && f != TS_LOG_CLOCK)
        s->setting[f] = of[f];
    break;
  case TS_LOG_WHOLE: add_whole(r, s, of, line); break;
  }
}

static void read_line(log_reader *r, const char *at, const char *end, uint32_t line)
{
  for (uint32_t f = 0; f < r->formats->count; f++)
    for (uint32_t k = 0; k < r->formats->at[f].count; k++) {
      const ts_log_line *l = &r->formats->at[f].lines[k];
      const char *const *has = l->has;
      while (*has && find_text(at, end, *has))
        has++;
      if (*has)
        continue;
      use_line(r, &r->states[f], l, at, end, line);
      break;
    }
}

static void read_lines(log_reader *r, const char *text, size_t size)
{
  uint32_t line = 1;
  for (const char *at = text, *all = text + size; at < all; line++) {
    const char *end = memchr(at, '\n', (size_t)(all - at));
    end = end ? end : all;
    for (const char *part = at; part < end;) { /* bars of progress are overwritten */
      const char *stop = memchr(part, '\r', (size_t)(end - part));
      stop = stop ? stop : end;
      read_line(r, part, stop, line);
      part = stop + 1;
    }
    at = end + 1;
  }
}

/* ---- JSON: elements of a list as lines ---- */

static void read_elements(log_reader *r, const cJSON *list)
{
  uint32_t number = 1;
  for (const cJSON *item = list->child; item; item = item->next, number++) {
    char *printed = cJSON_PrintUnformatted(item);
    if (printed)
      read_line(r, printed, printed + strlen(printed), number);
    cJSON_free(printed);
  }
}

static bool read_json(log_reader *r, const char *text, size_t size)
{
  const char *end;
  cJSON *tree = ts_json_tree(text, size, &end);
  const cJSON *list = cJSON_IsArray(tree) ? tree : NULL;
  for (const char *const *name = r->formats->lists; tree && !list && *name; name++)
    list = cJSON_GetObjectItemCaseSensitive(tree, *name);
  bool whole = cJSON_IsArray(list);
  if (whole)
    read_elements(r, list);
  cJSON_Delete(tree);
  return whole;
}

/* ---- CSV ---- */

enum { LOG_COLUMNS = 512 };

/* "Step", and "run - perf/step_time" of exports that name the run before. */
static bool is_column(ts_csv_cell cell, const char *name)
{
  size_t length = strlen(name);
  return cell.length >= length && !strncasecmp(cell.at + cell.length - length, name, length) &&
         (cell.length == length ||
          (cell.length > length + 3 && !memcmp(cell.at + cell.length - length - 3, " - ", 3)));
}

static bool read_csv(log_reader *r, const char *text, size_t size, log_state *s)
{
  ts_csv csv = {.arena = r->arena, .text = text, .size = size, .comment = '#', .trim = true};
  ts_csv_cell cell[LOG_COLUMNS];
  int figure[LOG_COLUMNS];
  double times[LOG_COLUMNS];
  size_t count, columns;
  bool steps = false, any = false, taken[TS_LOG_FIGURE_COUNT] = {0};
  ts_csv_kind kind;
  while ((kind = ts_csv_next(&csv, cell, LOG_COLUMNS, &count)) == TS_CSV_COMMENT) {}
  if (kind != TS_CSV_ROW || count < 2)
    return false;
  columns = count < LOG_COLUMNS ? count : LOG_COLUMNS;
  for (size_t c = 0; c < columns; c++) {
    figure[c] = -1;
    for (uint32_t k = 0; k < r->formats->column_count && figure[c] < 0; k++) {
      const ts_log_reading *name = &r->formats->columns[k];
      if (taken[name->figure] || !is_column(cell[c], name->after))
        continue;
      figure[c] = (int)name->figure;
      times[c] = name->times;
      taken[name->figure] = true;
    }
    steps = steps || figure[c] == TS_LOG_STEP;
    any = any || figure[c] == TS_LOG_SECONDS || figure[c] == TS_LOG_CLOCK ||
          figure[c] == TS_LOG_STEP_RATE;
  }
  if (!steps || !any)
    return false;
  while ((kind = ts_csv_next(&csv, cell, LOG_COLUMNS, &count)) != TS_CSV_END) {
    double of[TS_LOG_FIGURE_COUNT];
    for (int f = 0; f < TS_LOG_FIGURE_COUNT; f++)
      of[f] = NAN;
    for (size_t c = 0; kind == TS_CSV_ROW && c < count && c < columns; c++)
      if (figure[c] >= 0 && cell[c].length &&
          log_take_number(cell[c].at, cell[c].at + cell[c].length, &of[figure[c]]))
        of[figure[c]] *= times[c];
    if (isnan(of[TS_LOG_STEP]))
      continue;
    s->memory = larger_known(s->memory, of[TS_LOG_MEMORY]);
    s->reserved = larger_known(s->reserved, of[TS_LOG_RESERVED]);
    log_add_row(r, s, of, csv.line);
  }
  return true;
}

/* ---- Times that are not stated ---- */

/* Times by one figure divided by another; 1: by nothing. How many rows have one then. */
static uint32_t derive_from(const ts_log *log, ts_log_row *rows, ts_log_figure above,
                            ts_log_figure below)
{
  uint32_t known = 0;
  for (uint32_t i = 0; i < log->count; i++) {
    double *of = rows[i].of, batch = above == TS_LOG_STEP_RATE ? 1 : of[above];
    if (above != TS_LOG_SECONDS)
      of[TS_LOG_SECONDS] = batch / of[below];
    if (!(of[TS_LOG_SECONDS] > 0 && isfinite(of[TS_LOG_SECONDS])))
      of[TS_LOG_SECONDS] = NAN;
    known += !isnan(of[TS_LOG_SECONDS]);
  }
  return known;
}

/* A log that states times is read by them alone: its rates may be those of other spans. */
static void derive(ts_log *log, ts_log_row *rows)
{
  bool stated = derive_from(log, rows, TS_LOG_SECONDS, TS_LOG_SECONDS) ||
                derive_from(log, rows, TS_LOG_STEP_RATE, TS_LOG_STEP_RATE) ||
                derive_from(log, rows, TS_LOG_BATCH, TS_LOG_SAMPLE_RATE);
  log->by_clock = !stated;
  for (uint32_t i = 1; i < log->count && !stated; i++) {
    double passed = rows[i].of[TS_LOG_CLOCK] - rows[i - 1].of[TS_LOG_CLOCK];
    log->jumps += passed < 0;
    if (passed > 0 && !rows[i].paused && rows[i].run == rows[i - 1].run)
      rows[i].of[TS_LOG_SECONDS] = passed / rows[i].steps;
  }
}

static uint32_t known_times(const row_list *rows)
{
  uint32_t known = 0;
  for (size_t i = 0; i < rows->count; i++) {
    const double *of = rows->at[i].of;
    known += !isnan(of[TS_LOG_SECONDS]) || !isnan(of[TS_LOG_STEP_RATE]) ||
             !isnan(of[TS_LOG_CLOCK]) ||
             (!isnan(of[TS_LOG_BATCH]) && !isnan(of[TS_LOG_SAMPLE_RATE]));
  }
  return known;
}

static void take_state(log_state *s, const char *format, ts_log *log)
{
  *log = (ts_log){.format = format,
                  .rows = s->rows.at,
                  .count = (uint32_t)s->rows.count,
                  .runs = s->rows.count ? s->rows.at[s->rows.count - 1].run + 1 : 0,
                  .whole = s->whole,
                  .pauses = s->pauses,
                  .memory = s->memory,
                  .reserved = s->reserved};
  derive(log, s->rows.at);
}

static log_state *new_states(ts_arena *arena, uint32_t count)
{
  log_state *states = TS_NEW_ARRAY(arena, log_state, count);
  for (uint32_t i = 0; i < count; i++) {
    states[i].memory = states[i].reserved = NAN;
    for (int f = 0; f < TS_LOG_FIGURE_COUNT; f++)
      states[i].setting[f] = NAN;
  }
  return states;
}

bool ts_log_read(ts_arena *arena, const ts_log_formats *formats, const char *text, size_t size,
                 ts_log *log, ts_error *error)
{
  log_reader r = {arena, formats, new_states(arena, formats->count + 1)};
  log_state *table = &r.states[formats->count];
  *error = (ts_error){0};
  const char *events = ts_event_file_of(text, size);
  if (events)
    text = ts_event_file_csv(arena, text, size, &size);
  if (size && (*text == '{' || *text == '[') && read_json(&r, text, size)) {
    /* its elements were read as lines */
  } else if (read_csv(&r, text, size, table)) {
    take_state(table, events ? events : "CSV", log);
    return true;
  } else {
    read_lines(&r, text, size);
  }
  uint32_t best = 0, most = 0;
  for (uint32_t f = 0; f < formats->count; f++) {
    uint32_t known = known_times(&r.states[f].rows);
    if (known > most)
      best = f, most = known;
  }
  if (!most)
    return ts_fail(error, "formats are records of std.import.logs: `--formats FILE` reads your own",
                   "no line of it tells of a training step");
  take_state(&r.states[best], formats->at[best].name, log);
  return true;
}
