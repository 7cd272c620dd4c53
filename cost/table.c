/* Reads tables of measured kernels: comma-separated, one header line. Format: doc/costs.md. */
#include "cost/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv.h"
#include "cost/source.h"

typedef enum column_kind {
  COLUMN_FEATURE,
  COLUMN_FAMILY,
  COLUMN_DTYPE,
  COLUMN_KV_DTYPE,
  COLUMN_LABEL,
  COLUMN_TIME,
  COLUMN_FLOPS,
  COLUMN_BYTES,
  COLUMN_LOW,
  COLUMN_HIGH,
  COLUMN_REPEATS
} column_kind;
typedef struct column {
  const char *name;
  column_kind kind;
  double unit;
  uint32_t cell; /* in which of a row's cells it stands */
} column;

/* Words in a header that are not features. A label says how a row was measured and is not part of
 * its key. */
static const struct { const char *name; column_kind kind; double unit;
} known_columns[] = {
  {"family", COLUMN_FAMILY, 0},     {"dtype", COLUMN_DTYPE, 0},     {"flops", COLUMN_FLOPS, 0},
  {"bytes", COLUMN_BYTES, 0},       {"time_us", COLUMN_TIME, 1e-6}, {"time_ms", COLUMN_TIME, 1e-3},
  {"time_ns", COLUMN_TIME, 1e-9},   {"time_s", COLUMN_TIME, 1},     {"seconds", COLUMN_TIME, 1},
  {"kv_dtype", COLUMN_KV_DTYPE, 0}, {"phase", COLUMN_LABEL, 0},     {"kernel", COLUMN_LABEL, 0},
  {"set", COLUMN_LABEL, 0},         {"note", COLUMN_LABEL, 0},      {"operator", COLUMN_LABEL, 0},
  {"repeats", COLUMN_REPEATS, 0},   {"low_us", COLUMN_LOW, 0},      {"high_us", COLUMN_HIGH, 0},
  {"layer", COLUMN_LABEL, 0},
};
/* Tables of one kind of kernel do not name it in every row; their columns do. */
static const struct { const char *family, *column[5]; } known_families[] = {
  {"gemm", {"m", "n", "k"}},
  {"attention", {"batch", "seq", "heads", "head_dim"}},
};
/* A feature that a row or a query leaves out has this value. */
static const ts_feature defaults[] = {{"count", 1}, {"causal", 1}};
static const char *const dtype_names[][2] = {
  {"bfloat16", "bf16"}, {"float16", "fp16"}, {"half", "fp16"},   {"float32", "fp32"},
  {"float", "fp32"},    {"float64", "fp64"}, {"double", "fp64"}, {"float8", "fp8"},
};

typedef struct table_row {
  const char *family, *dtype;
  uint32_t mask; /* columns that are features of this row */
  uint32_t width, line;
  double *value, seconds;
  ts_table_spread spread;
} table_row;

typedef struct table_reader {
  ts_arena *arena;
  ts_csv csv;
  const char *text;
  const ts_table_options *options;
  ts_error *error;
  const char *family; /* of a table without that column */
  uint32_t cell_count; /* of the header */
  uint32_t column_count;
  column column[TS_TABLE_MAX_COLUMNS];
  const char *wanted[TS_TABLE_MAX_COLUMNS]; /* of a cell: the only text that counts, or NULL */
  TS_VEC(const char *) words;
  TS_VEC(table_row) rows;
  TS_VEC(char) provenance;
  const char *device; /* NULL: not stated */
  bool failed;        /* a comment is wrong, or what should be CSV */
} table_reader;

const char *ts_dtype_canonical(const char *name)
{
  for (size_t i = 0; i < sizeof dtype_names / sizeof *dtype_names; i++)
    if (strcmp(dtype_names[i][0], name) == 0)
      return dtype_names[i][1];
  return name;
}

static const double *feature_default(const char *name)
{
  for (size_t i = 0; i < sizeof defaults / sizeof *defaults; i++)
    if (strcmp(defaults[i].name, name) == 0)
      return &defaults[i].value;
  return NULL;
}

#define CELL(where) (int)((where).length > 40 ? 40 : (where).length), (where).at

static const char *intern_bytes(table_reader *r, const char *bytes, size_t length)
{
  for (size_t i = 0; i < r->words.count; i++)
    if (strlen(r->words.at[i]) == length && memcmp(r->words.at[i], bytes, length) == 0)
      return r->words.at[i];
  TS_PUSH(r->arena, &r->words, ts_arena_string(r->arena, bytes, length));
  return r->words.at[r->words.count - 1];
}

static const char *table_intern(table_reader *r, ts_csv_cell c)
{
  return intern_bytes(r, c.at, c.length);
}
static const char *intern_text(table_reader *r, const char *text)
{
  return intern_bytes(r, text, strlen(text));
}

typedef struct table_place {
  size_t begin, end;
} table_place; /* in the text */

/* What stands behind `# word:` in a comment; empty if it is another comment. */
static table_place table_stated(const table_reader *r, const char *word)
{
  size_t length = strlen(word), begin = r->csv.begin + length, end = r->csv.end;
  if (begin > end || memcmp(r->text + r->csv.begin, word, length) != 0)
    return (table_place){end, end};
  while (begin < end && (r->text[begin] == ' ' || r->text[begin] == '\t')) begin++;
  return (table_place){begin, end};
}

/* False: another device than in a comment before. */
static bool take_comment(table_reader *r)
{
  table_place source = table_stated(r, "# source:"), device = table_stated(r, "# device:");
  if (source.begin < source.end && r->provenance.count)
    TS_PUSH(r->arena, &r->provenance, '\n');
  for (size_t i = source.begin; i < source.end; i++)
    TS_PUSH(r->arena, &r->provenance, r->text[i]);
  if (device.begin == device.end)
    return true;
  const char *name = intern_bytes(r, r->text + device.begin, device.end - device.begin);
  if (r->device && strcmp(r->device, name) != 0) {
    return ts_fail_at(r->error, r->text, device.begin, device.end,
                      "a table is of one device: make one table of each",
                      "the table is of `%s` already", r->device);
  }
  r->device = name;
  return true;
}

/* Cells of the next row, at most TS_TABLE_MAX_COLUMNS, but all are counted; comments are kept when
 * they name a source or the device. False at the end, and after an error. */
static bool next_row(table_reader *r, ts_csv_cell *cells, uint32_t *count)
{
  size_t found = 0;
  ts_csv_kind kind;
  while ((kind = ts_csv_next(&r->csv, cells, TS_TABLE_MAX_COLUMNS, &found)) == TS_CSV_COMMENT)
    if (!take_comment(r))
      return r->failed = true, false;
  *count = found > UINT32_MAX ? UINT32_MAX : (uint32_t)found;
  if (r->csv.wrong)
    r->failed =
      !ts_fail_at(r->error, r->text, r->csv.wrong_at, r->csv.end, NULL, "%s", r->csv.wrong);
  return kind == TS_CSV_ROW && !r->failed;
}

static table_place this_row(const table_reader *r)
{
  return (table_place){r->csv.begin, r->csv.end};
}

/* Decimal number; independent of the locale, and exact where Clinger's fast path is (15 digits,
 * powers of ten up to 22). */
static bool parse_number(const char *s, size_t length, double *value)
{
  size_t i = 0, digits = 0;
  static const double ten[] = {1,    1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                               1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                               1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  bool negative = false;
  uint64_t mantissa = 0;
  int scale = 0, exponent = 0;
  if (i < length && (s[i] == '-' || s[i] == '+'))
    negative = s[i++] == '-';
  for (bool point = false; i < length && ((s[i] >= '0' && s[i] <= '9') || (s[i] == '.' && !point));
       i++) {
    if (s[i] == '.') {
      point = true;
      continue;
    }
    digits++;
    if (mantissa < UINT64_MAX / 10 - 1)
      mantissa = mantissa * 10 + (uint64_t)(s[i] - '0'), scale -= point;
    else
      scale += !point;
  }
  if (!digits)
    return false;
  if (i + 1 < length && (s[i] == 'e' || s[i] == 'E')) {
    bool minus = s[++i] == '-';
    if (s[i] == '-' || s[i] == '+') i++;
    size_t first = i;
    for (; i < length && s[i] >= '0' && s[i] <= '9'; i++)
      exponent = exponent < 1000 ? exponent * 10 + (s[i] - '0') : exponent;
    if (i == first)
      return false;
    scale += minus ? -exponent : exponent;
  }
  if (i != length)
    return false;
  double magnitude = (double)mantissa;
  for (; scale > 0 && magnitude > 0 && magnitude < 1e300; scale -= scale > 22 ? 22 : scale)
    magnitude *= ten[scale > 22 ? 22 : scale];
  for (; scale < 0 && magnitude > 0; scale += scale < -22 ? 22 : -scale)
    magnitude /= ten[scale < -22 ? 22 : -scale];
  *value = negative ? -magnitude : magnitude;
  return isfinite(*value) && magnitude < 1e300;
}

static bool table_is_name(const char *s)
{
  if (!((*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z') || *s == '_'))
    return false;
  for (; *s; s++)
    if (!((*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z') || (*s >= '0' && *s <= '9') ||
          *s == '_'))
      return false;
  return true;
}

static column table_known(const char *name, uint32_t cell)
{
  for (size_t i = 0; i < sizeof known_columns / sizeof *known_columns; i++)
    if (strcmp(known_columns[i].name, name) == 0)
      return (column){name, known_columns[i].kind, known_columns[i].unit, cell};
  return (column){.name = name, .kind = COLUMN_FEATURE, .cell = cell};
}

static bool table_too_many(table_reader *r, size_t begin, size_t end, uint32_t count)
{
  return ts_fail_at(r->error, r->text, begin, end, NULL,
                    "the table has %u columns; at most %d are possible", count,
                    TS_TABLE_MAX_COLUMNS);
}

/* A column of a table that says which of them are features: it may stand for several. */
static bool read_renamed(table_reader *r, ts_csv_cell c, column found)
{
  const ts_table_options *o = r->options;
  if (found.kind == COLUMN_FEATURE)
    found.kind = COLUMN_LABEL;
  for (uint32_t i = 0; i < o->column_count; i++) {
    if (strcmp(o->columns[i].text, found.name) != 0)
      continue;
    if (r->column_count == TS_TABLE_MAX_COLUMNS)
      return table_too_many(r, c.begin, c.end, r->column_count + 1);
    r->column[r->column_count++] =
      (column){.name = o->columns[i].name, .kind = COLUMN_FEATURE, .cell = found.cell};
  }
  if (r->column_count == TS_TABLE_MAX_COLUMNS)
    return found.kind == COLUMN_LABEL || table_too_many(r, c.begin, c.end, r->column_count + 1);
  r->column[r->column_count++] = found;
  return true;
}

static bool read_column(table_reader *r, ts_csv_cell c, uint32_t at)
{
  column found = table_known(table_intern(r, c), at), *column = &found;
  if (!table_is_name(column->name))
    return ts_fail_at(r->error, r->text, c.begin, c.end, NULL,
                      "column %u has no usable name: \"%.*s\"", at + 1, CELL(c));
  for (uint32_t i = 0; r->options && i < r->options->where_count; i++)
    if (strcmp(r->options->where[i].name, column->name) == 0) {
      r->wanted[at] = r->options->where[i].text;
      column->kind = column->kind == COLUMN_FEATURE ? COLUMN_LABEL : column->kind;
    }
  for (uint32_t i = 0; i < r->column_count; i++)
    if (r->column[i].name == column->name && r->column[i].cell != at)
      return ts_fail_at(r->error, r->text, c.begin, c.end, NULL, "column `%s` appears twice",
                        column->name);
  if (r->options && r->options->column_count)
    return read_renamed(r, c, found);
  if (column->kind == COLUMN_FEATURE && strncmp(column->name, "time", 4) == 0) {
    return ts_fail_at(r->error, r->text, c.begin, c.end,
                      "times are in a column `time_us`, `time_ms`, `time_ns` or `seconds`",
                      "unknown column `%s`", column->name);
  }
  r->column[r->column_count++] = found;
  return true;
}

static bool has_column(const table_reader *r, const char *name)
{
  for (uint32_t i = 0; i < r->column_count; i++)
    if (r->column[i].kind != COLUMN_LABEL && strcmp(r->column[i].name, name) == 0)
      return true;
  return false;
}

static const char *family_by_columns(const table_reader *r)
{
  for (size_t f = 0; f < sizeof known_families / sizeof *known_families; f++) {
    bool all = true;
    for (const char *const *name = known_families[f].column; *name; name++)
      all = all && has_column(r, *name);
    if (all)
      return known_families[f].family;
  }
  return NULL;
}

static bool in_header(const table_reader *r, const ts_csv_cell *cells, const char *name)
{
  for (uint32_t i = 0; i < r->cell_count; i++)
    if (ts_csv_is(cells[i], name))
      return true;
  return false;
}

/* Columns that `where` and `columns` name. */
static bool named_columns_exist(table_reader *r, const ts_csv_cell *cells, table_place line)
{
  const ts_table_options *o = r->options;
  const char *missing = NULL, *who = "where";
  for (uint32_t i = 0; o && i < o->where_count && !missing; i++)
    if (!in_header(r, cells, o->where[i].name))
      missing = o->where[i].name;
  for (uint32_t i = 0; o && i < o->column_count && !missing; i++)
    if (!in_header(r, cells, o->columns[i].text))
      missing = o->columns[i].text, who = "columns";
  return !missing || ts_fail_at(r->error, r->text, line.begin, line.end, NULL,
                                "there is no column `%s`, which `%s` names", missing, who);
}

static bool read_header(table_reader *r)
{
  ts_csv_cell cells[TS_TABLE_MAX_COLUMNS];
  uint32_t count, times = 0;
  if (!next_row(r, cells, &count))
    return !r->failed &&
           ts_fail_at(r->error, r->text, 0, 0, NULL, "the table is empty: no header line");
  table_place line = this_row(r);
  if (count > TS_TABLE_MAX_COLUMNS)
    return table_too_many(r, line.begin, line.end, count);
  r->cell_count = count;
  for (uint32_t i = 0; i < count; i++)
    if (!read_column(r, cells[i], i))
      return false;
  for (uint32_t i = 0; i < r->column_count; i++)
    times += r->column[i].kind == COLUMN_TIME;
  if (!named_columns_exist(r, cells, line))
    return false;
  if (times != 1) {
    return ts_fail_at(
      r->error, r->text, line.begin, line.end,
      "one column `time_us`, `time_ms`, `time_ns` or `seconds` is needed",
      times ? "the table has %u columns of times" : "the table has no column of times", times);
  }
  r->family = r->options && r->options->family ? r->options->family : family_by_columns(r);
  if (!has_column(r, "family") && !r->family) {
    return ts_fail_at(
      r->error, r->text, line.begin, line.end,
      "add a column `family`, or name it: table(\"...\", family: \"gemm\") in a plan, "
      "--family gemm on a command line",
      "the table does not say which family its rows belong to");
  }
  return true;
}

static bool read_number(table_reader *r, const column *column, ts_csv_cell c, double *value)
{
  if (!parse_number(c.at, c.length, value)) {
    const char *help = "columns of text: family, dtype, kv_dtype, phase, kernel, set, note; every "
                       "other column is a feature, a number";
    return ts_fail_at(r->error, r->text, c.begin, c.end,
                      column->kind == COLUMN_FEATURE ? help : NULL,
                      "`%s` is not a number: \"%.*s\"", column->name, CELL(c));
  }
  if (column->kind == COLUMN_TIME && *value <= 0)
    return ts_fail_at(r->error, r->text, c.begin, c.end, NULL, "`%s` must be positive: %.*s",
                      column->name, CELL(c));
  if (column->kind != COLUMN_FEATURE && *value < 0)
    return ts_fail_at(r->error, r->text, c.begin, c.end, NULL, "`%s` is negative: %.*s",
                      column->name, CELL(c));
  return true;
}

static bool is_wanted(const table_reader *r, const ts_csv_cell *cells)
{
  for (uint32_t i = 0; i < r->cell_count; i++)
    if (r->wanted[i] && !ts_csv_is(cells[i], r->wanted[i]))
      return false;
  return true;
}

static bool read_row(table_reader *r, const ts_csv_cell *cells, uint32_t count)
{
  table_place line = this_row(r);
  if (count != r->cell_count) {
    table_place where = count > r->cell_count && count <= TS_TABLE_MAX_COLUMNS ?
                          (table_place){cells[r->cell_count].begin, line.end} :
                          line;
    return ts_fail_at(r->error, r->text, where.begin, where.end, NULL,
                      "%u cells where the header has %u columns", count, r->cell_count);
  }
  if (!is_wanted(r, cells))
    return true;
  table_row row = {
    .family = r->family, .dtype = r->options ? r->options->dtype : NULL, .line = r->csv.line};
  double value[TS_TABLE_MAX_COLUMNS], work[TS_TABLE_MAX_COLUMNS] = {0};
  const char *kv_dtype = NULL;
  uint32_t work_mask = 0, work_count = 0;
  for (uint32_t i = 0; i < r->column_count; i++) {
    const column *column = &r->column[i];
    ts_csv_cell cell = cells[column->cell];
    bool empty = !cell.length;
    double number = 0;
    switch (column->kind) {
    case COLUMN_FAMILY:
      if (empty || !table_is_name(table_intern(r, cell)))
        return ts_fail_at(r->error, r->text, cell.begin, cell.end, NULL,
                          "no family: \"%.*s\"", CELL(cell));
      row.family = table_intern(r, cell);
      break;
    case COLUMN_DTYPE:
      if (!empty)
        row.dtype = ts_dtype_canonical(table_intern(r, cell));
      break;
    case COLUMN_KV_DTYPE:
      kv_dtype = empty ? NULL : ts_dtype_canonical(table_intern(r, cell));
      break;
    case COLUMN_LABEL: break;
    case COLUMN_LOW:
    case COLUMN_HIGH:
    case COLUMN_REPEATS:
      if (!empty && !read_number(r, column, cell,
                                 column->kind == COLUMN_LOW  ? &row.spread.low_us :
                                 column->kind == COLUMN_HIGH ? &row.spread.high_us :
                                                               &row.spread.repeats))
        return false;
      break;
    case COLUMN_TIME:
    case COLUMN_FLOPS:
    case COLUMN_BYTES:
    case COLUMN_FEATURE:
      if (empty && column->kind != COLUMN_TIME)
        break; /* not a feature of this row */
      if (!read_number(r, column, cell, &number))
        return false;
      if (column->kind == COLUMN_TIME)
        row.seconds = number * column->unit;
      else if (column->kind == COLUMN_FEATURE)
        row.mask |= UINT32_C(1) << i, value[row.width++] = number;
      else
        work_mask |= UINT32_C(1) << i, work[work_count++] = number;
    }
  }
  /* attention with keys and values of another type is another type */
  if (kv_dtype && row.dtype && strcmp(kv_dtype, row.dtype) != 0)
    row.dtype = intern_text(r, ts_arena_printf(r->arena, "%s_kv_%s", row.dtype, kv_dtype));
  if (!row.width) { /* work is the key of kernels that have no features */
    row.mask = work_mask, row.width = work_count;
    memcpy(value, work, sizeof value);
  }
  if (!row.width)
    return ts_fail_at(r->error, r->text, line.begin, line.end, NULL,
                      "a row without features, flops or bytes");
  row.value = ts_arena_copy(r->arena, value, row.width * sizeof *value);
  TS_PUSH(r->arena, &r->rows, row);
  return true;
}

static int compare_words(const char *a, const char *b)
{
  return !a || !b ? (a != NULL) - (b != NULL) : strcmp(a, b);
}

static int compare_group(const table_row *a, const table_row *b)
{
  int c = compare_words(a->family, b->family);
  if (!c)
    c = compare_words(a->dtype, b->dtype);
  return c ? c : (a->mask > b->mask) - (a->mask < b->mask);
}

static int compare_point(const table_row *a, const table_row *b)
{
  int c = compare_group(a, b);
  for (uint32_t i = 0; !c && i < a->width; i++)
    c = (a->value[i] > b->value[i]) - (a->value[i] < b->value[i]);
  return c;
}

static int compare_rows(const void *x, const void *y)
{
  const table_row *a = x, *b = y;
  int c = compare_point(a, b);
  if (!c)
    c = (a->seconds > b->seconds) - (a->seconds < b->seconds);
  return c ? c : (a->line > b->line) - (a->line < b->line);
}

/* Rows [first, end) are sorted and of one group; of rows with one key the (lower) median is kept.
 * */
static ts_table_group make_group(table_reader *r, const table_row *rows, size_t count)
{
  uint32_t width = rows[0].width, n = 0;
  const char **name = TS_NEW_ARRAY(r->arena, const char *, width);
  for (uint32_t i = 0, f = 0; i < r->column_count; i++)
    if (rows[0].mask >> i & 1)
      name[f++] = r->column[i].name;
  bool *exact = TS_NEW_ARRAY(r->arena, bool, width);
  double *value = TS_NEW_ARRAY(r->arena, double, count *width),
         *seconds = TS_NEW_ARRAY(r->arena, double, count);
  uint32_t *line = TS_NEW_ARRAY(r->arena, uint32_t, count);
  ts_table_spread *spread = TS_NEW_ARRAY(r->arena, ts_table_spread, count);
  for (size_t i = 0, next; i < count; i = next) {
    for (next = i + 1; next < count && compare_point(&rows[i], &rows[next]) == 0;) next++;
    const table_row *median = &rows[i + (next - i - 1) / 2];
    memcpy(value + (size_t)n * width, median->value, width * sizeof *value);
    for (uint32_t f = 0; f < width; f++)
      exact[f] = exact[f] || median->value[f] <= 0;
    seconds[n] = median->seconds, spread[n] = median->spread, line[n] = median->line, n++;
  }
  double *log_value = TS_NEW_ARRAY(r->arena, double, (size_t)n * width);
  for (size_t i = 0; i < (size_t)n * width; i++)
    log_value[i] = exact[i % width] ? 0 : log(value[i]);
  return (ts_table_group){rows[0].family, rows[0].dtype, width,   n,      name, exact,
                          value,          log_value,     seconds, spread, line};
}

static ts_table *make_table(table_reader *r)
{
  TS_VEC(ts_table_group) groups = {0};
  TS_SORT(&r->rows, compare_rows);
  for (size_t i = 0, next; i < r->rows.count; i = next) {
    for (next = i + 1;
         next < r->rows.count && compare_group(&r->rows.at[i], &r->rows.at[next]) == 0;)
      next++;
    TS_PUSH(r->arena, &groups, make_group(r, &r->rows.at[i], next - i));
  }
  ts_table *table = TS_NEW(r->arena, ts_table);
  table->provenance =
    ts_arena_string(r->arena, r->provenance.at ? r->provenance.at : "", r->provenance.count);
  table->device = r->device ? r->device : "";
  table->group_count = (uint32_t)groups.count;
  table->group = groups.at;
  table->exact = r->options && r->options->exact;
  return table;
}

ts_table *ts_table_read(ts_arena *arena, const char *text, size_t size,
                        const ts_table_options *options, ts_error *error)
{
  table_reader r = {
    .arena = arena,
    .csv = {.arena = arena, .text = text, .size = size, .comment = '#', .trim = true},
    .text = text,
    .options = options,
    .error = error};
  const char *nul = size ? memchr(text, 0, size) : NULL;
  if (nul) {
    size_t at = (size_t)(nul - text);
    return ts_fail_at(error, text, at, at + 1, NULL, "not a text file: it has a zero byte"), NULL;
  }
  if (!read_header(&r))
    return NULL;
  ts_csv_cell cells[TS_TABLE_MAX_COLUMNS];
  for (uint32_t count; next_row(&r, cells, &count);)
    if (!read_row(&r, cells, count))
      return NULL;
  if (r.failed)
    return NULL;
  if (!r.rows.count)
    return ts_fail_at(error, text, size, size, NULL,
                      options && options->where_count ? "no row matches `where`" :
                                                        "the table has a header but no rows"),
           NULL;
  return make_table(&r);
}

bool ts_query_values(const ts_cost_query *query, uint32_t width, const char *const *name,
                     double *value)
{
  uint32_t used = 0;
  for (uint32_t f = 0; f < width; f++) {
    const double *found = strcmp(name[f], "bytes") == 0 ? &query->bytes :
                          strcmp(name[f], "flops") == 0 ? &query->flops :
                                                          NULL;
    for (uint32_t i = 0; !found && i < query->feature_count; i++)
      if (strcmp(query->feature[i].name, name[f]) == 0)
        found = &query->feature[i].value, used++;
    for (uint32_t i = 0; !found && i < query->size_count; i++)
      if (strcmp(query->size[i].name, name[f]) == 0)
        found = &query->size[i].value;
    if (!found)
      found = feature_default(name[f]);
    if (!found)
      return false;
    value[f] = *found;
  }
  if (used == query->feature_count)
    return true;
  for (uint32_t i = 0; i < query->feature_count; i++) {
    bool known = false;
    for (uint32_t f = 0; f < width && !known; f++)
      known = strcmp(query->feature[i].name, name[f]) == 0;
    const double *usual = known ? NULL : feature_default(query->feature[i].name);
    if (!known && !(usual && *usual == query->feature[i].value))
      return false;
  }
  return true;
}
