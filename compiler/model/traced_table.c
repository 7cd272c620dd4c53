/* Reads traced tables: CSV with quoted cells, lines of `#` are comments. */
#include "compiler/model/traced_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv.h"
#include "base/hash_table.h"
#include "compiler/eval/files.h"
#include "compiler/eval/names.h"
#include "compiler/model/traced_graph.h"

enum { MAX_COLUMNS = 64, MAX_ROWS = 1 << 17, MAX_INPUTS = 1 << 14, MAX_RANK = 8 };

typedef struct file {
  ts_session *s;
  const ts_table_source *source;
  const char *name;
  ts_csv csv;
  uint32_t number; /* in the source map, once a message needs it */
  uint32_t column_count;
  const char *column[MAX_COLUMNS];
  const char *cell[MAX_COLUMNS];
  uint32_t cell_count;
  const char *device, *batch_dim; /* of comments; NULL: none */
  bool untimed;                   /* `# times: none` */
  double update, buckets;         /* `# update: N B`, `# buckets: N B` */
  bool damaged;    /* a row or comment was wrong, and said so */
} file;

/* -- messages -- */

static ts_span here(file *f)
{
  if (!f->number)
    f->number = ts_sources_add(f->s->sources, f->name, "trace", f->csv.text, f->csv.size);
  size_t end = f->csv.end - f->csv.begin > 100 ? f->csv.begin + 100 : f->csv.end;
  return (ts_span){f->number, (uint32_t)f->csv.begin, (uint32_t)end};
}

static bool traced_table_fail(file *f, const char *label, const char *format, ...)
  __attribute__((format(printf, 3, 4)));
static bool traced_table_fail(file *f, const char *label, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  ts_diag *d =
    ts_diag_add(f->s->diags, TS_E0521, here(f), "%s", ts_arena_vprintf(f->s->arena, format, args));
  va_end(args);
  ts_diag_here(d, "%s", label);
  ts_diag_note_at(d, f->source->span, "the trace is read here");
  return false;
}

/* -- CSV -- */

static bool traced_table_begin(ts_session *s, const ts_table_source *source, ts_table_text table,
                               file *f)
{
  *f = (file){.s = s, .source = source, .name = table.name};
  f->csv = (ts_csv){.arena = s->arena, .text = table.text, .size = table.size, .comment = '#'};
  if (f->csv.size > UINT32_MAX / 2) {
    f->csv.size = 0;
    return traced_table_fail(f, "too large", "the table is larger than 2 GiB");
  }
  return true;
}

/* `# word: text`: the text, or NULL. */
static const char *traced_table_stated(file *f, const char *word)
{
  const char *at = f->csv.text + f->csv.begin + 1, *stop = f->csv.text + f->csv.end;
  size_t length = strlen(word);
  while (at < stop && *at == ' ')
    at++;
  if ((size_t)(stop - at) < length || memcmp(at, word, length))
    return NULL;
  for (at += length; at < stop && *at == ' ';)
    at++;
  while (stop > at && strchr(" \r,", stop[-1]))
    stop--;
  return stop > at ? ts_lang_intern(f->s->lang, at, (size_t)(stop - at)) : NULL;
}

static bool take_bytes(file *f, const char *word, double *bytes)
{
  const char *text = traced_table_stated(f, word);
  char *end;
  if (!text)
    return true;
  *bytes = strtod(text, &end);
  return (end != text && strcmp(end, " B") == 0 && *bytes >= 0 && *bytes < 1e18) ||
         traced_table_fail(f, ts_arena_printf(f->s->arena, "bytes: `# %s 4096 B`", word),
                           "`%.40s` is no size", text);
}

/* False after an error: another device than in a comment before. */
static bool take_comment(file *f)
{
  const char *device = traced_table_stated(f, "device:");
  if (device && f->device && device != f->device)
    return traced_table_fail(f, "a table is of one device", "the table is of `%s` already",
                             f->device);
  f->device = device ? device : f->device;
  const char *times = traced_table_stated(f, "times:");
  f->untimed |= times && strncmp(times, "none", 4) == 0;
  if (!take_bytes(f, "update:", &f->update) || !take_bytes(f, "buckets:", &f->buckets))
    return false;
  const char *batch = traced_table_stated(f, "batch_dim:");
  if (batch && (strlen(batch) != 1 || *batch < '0' || *batch >= '0' + MAX_RANK))
    return traced_table_fail(f, "a number from 0: `# batch_dim: 1`", "`%.40s` is not a dimension",
                             batch);
  f->batch_dim = batch ? batch : f->batch_dim;
  return true;
}

static bool next_record(file *f)
{
  ts_csv_cell cells[MAX_COLUMNS];
  size_t count;
  ts_csv_kind kind;
  while ((kind = ts_csv_next(&f->csv, cells, MAX_COLUMNS, &count)) == TS_CSV_COMMENT)
    if (!take_comment(f)) {
      f->damaged = true;
      return false;
    }
  if (kind == TS_CSV_ROW && f->csv.wrong) {
    f->damaged = true;
    return traced_table_fail(f, "here", "%s", f->csv.wrong);
  }
  f->cell_count = count < MAX_COLUMNS ? (uint32_t)count : MAX_COLUMNS;
  for (uint32_t i = 0; i < f->cell_count; i++)
    f->cell[i] = ts_csv_string(f->s->arena, cells[i]);
  return kind == TS_CSV_ROW;
}

static bool read_header(file *f)
{
  if (!next_record(f)) {
    if (f->damaged)
      return false;
    f->csv.begin = f->csv.end = 0;
    return traced_table_fail(f, "nothing but comments", "the table `%s` is empty", f->name);
  }
  f->column_count = f->cell_count;
  memcpy(f->column, f->cell, f->cell_count * sizeof *f->cell);
  return true;
}

static uint32_t column(const file *f, const char *name)
{
  for (uint32_t i = 0; i < f->column_count; i++)
    if (!strcmp(f->column[i], name))
      return i;
  return TS_ROW_NONE;
}

static bool need(file *f, const char *name, uint32_t *index)
{
  *index = column(f, name);
  if (*index != TS_ROW_NONE)
    return true;
  static const char *const known[] = {"name",          "kind",       "inputs",      "output_shape",
                                      "dtype",         "forward_us", "backward_us", "parameters",
                                      "accumulate_us", "again"};
  const char *best[3];
  TS_VEC(const char *) others = {0}; /* what is there under its own name is not meant */
  for (uint32_t i = 0; i < f->column_count; i++) {
    size_t k = 0;
    while (k < sizeof known / sizeof *known && strcmp(known[k], f->column[i]) != 0)
      k++;
    if (k == sizeof known / sizeof *known)
      TS_PUSH(f->s->arena, &others, f->column[i]);
  }
  size_t count = ts_suggest(name, others.at, others.count, best);
  ts_diag *d = ts_diag_add(f->s->diags, TS_E0521, here(f), "the table has no column `%s`", name);
  ts_diag_here(d, "its columns");
  ts_diag_note_at(d, f->source->span, "the trace is read here");
  if (count)
    ts_diag_help(d, "did you mean `%s`?", best[0]);
  return false;
}

static const char *cell(const file *f, uint32_t index)
{
  return index < f->cell_count ? f->cell[index] : "";
}

/* -- cells -- */

/* A time in microseconds. A column that the table does not have is 0 in every row; a cell that is
 * empty says nothing, and is refused. */
static bool read_time(file *f, uint32_t index, double *seconds)
{
  const char *p = cell(f, index);
  double value = 0, scale = 1;
  int exponent = 0, digits = 0;
  bool down = false;
  *seconds = 0;
  if (index == TS_ROW_NONE)
    return true;
  if (!*p) {
    ts_diag *d =
      ts_diag_add(f->s->diags, TS_E0521, here(f), "the row states no `%s`", f->column[index]);
    ts_diag_here(d, "this cell is empty");
    ts_diag_note_at(d, f->source->span, "the trace is read here");
    ts_diag_help(d, "measure it; write 0 where the row has no kernel");
    return false;
  }
  for (; *p >= '0' && *p <= '9'; p++, digits++)
    value = value * 10 + (*p - '0');
  if (*p == '.')
    for (p++; *p >= '0' && *p <= '9'; p++, digits++, scale *= 10)
      value = value * 10 + (*p - '0');
  if (digits && (*p == 'e' || *p == 'E')) {
    down = p[1] == '-';
    p += p[1] == '-' || p[1] == '+' ? 2 : 1;
    for (digits = 0; *p >= '0' && *p <= '9' && digits < 4; p++, digits++)
      exponent = exponent * 10 + (*p - '0');
  }
  *seconds = value / scale * pow(10, down ? -exponent : exponent) * 1e-6;
  if (digits && !*p && isfinite(*seconds) && *seconds < 1e6)
    return true;
  return traced_table_fail(f, f->column[index], "`%s` is not a time in microseconds",
                           cell(f, index));
}

/* The next list of whole numbers in brackets of either kind. *cursor moves behind it. */
static bool read_shape(ts_arena *arena, const char **cursor, ts_shape *shape)
{
  int64_t dim[MAX_RANK];
  uint32_t rank = 0;
  const char *p = *cursor + strspn(*cursor, " ,;");
  if (*p != '[' && *p != '(')
    return false;
  for (p++; *p != ']' && *p != ')';) {
    int64_t value = 0;
    p += strspn(p, " ,;");
    if (*p == ']' || *p == ')')
      break;
    if (*p < '0' || *p > '9' || rank == MAX_RANK)
      return false;
    for (; *p >= '0' && *p <= '9'; p++)
      if ((value = value * 10 + (*p - '0')) > INT64_C(1) << 40)
        return false;
    dim[rank++] = value;
  }
  *cursor = p + 1;
  *shape = (ts_shape){rank, ts_arena_copy(arena, dim, (rank ? rank : 1) * sizeof *dim)};
  return true;
}

static bool one_shape(file *f, const char *text, ts_shape *shape)
{
  const char *p = text;
  if (!*p) {
    static const int64_t none = 1;
    *shape = (ts_shape){0, &none};
    return true;
  }
  if (read_shape(f->s->arena, &p, shape) && !*p)
    return true;
  return traced_table_fail(f, "a shape is a list of at most 8 whole numbers, as `(1, 1024)`",
                           "`%.60s` is not a shape", text);
}

typedef TS_VEC(ts_shape) shape_list;

static bool shapes(file *f, const char *text, shape_list *list)
{
  const char *p = text + strspn(text, " ");
  if (*p == '[') {
    for (p++; *p && *p != ']';) {
      ts_shape shape;
      if (!read_shape(f->s->arena, &p, &shape))
        break;
      TS_PUSH(f->s->arena, list, shape);
      p += strspn(p, " ,;");
    }
    if (*p == ']' && !p[1])
      return true;
  } else if (!*p) {
    return true;
  }
  return traced_table_fail(f, "a list of shapes reads `[[1, 1024], [1]]`",
                           "`%.60s` is not a list of shapes", text);
}

static const ts_dtype *dtype_of(const char *name)
{
  const char *here = ts_dtype_elsewhere(name);
  return ts_dtype_find(here ? here : name);
}

/* -- operator tables -- */

typedef TS_VEC(ts_row) row_list;

static uint32_t row_named(const ts_names *names, ts_session *s, const char *name, size_t length)
{
  const void *found = ts_names_get(names, ts_lang_intern(s->lang, name, length));
  return found ? (uint32_t)((uintptr_t)found - 1) : TS_ROW_NONE;
}

static bool read_inputs(file *f, const ts_names *names, const char *text, ts_row *row)
{
  TS_VEC(uint32_t) list = {0};
  for (const char *p = text; *p;) {
    size_t length = strcspn(p, ";");
    uint32_t index = row_named(names, f->s, p, length);
    if (index == TS_ROW_NONE)
      return traced_table_fail(f, "inputs are names of earlier rows",
                               "no earlier row is named `%.*s`", (int)(length > 60 ? 60 : length),
                               p);
    if (list.count == MAX_INPUTS)
      return traced_table_fail(f, "too many inputs", "the row has more than %d inputs", MAX_INPUTS);
    TS_PUSH(f->s->arena, &list, index);
    p += length;
    p += *p == ';';
  }
  row->input = list.at;
  row->input_count = (uint32_t)list.count;
  return true;
}

typedef struct operator_columns {
  uint32_t name, kind, inputs, input_shapes, output, dtype, forward, backward, accumulate,
    parameters, again;
} operator_columns;

/* Empty: 0. */
static bool read_number(file *f, const char *text, uint32_t *number)
{
  char *end = NULL;
  unsigned long n = *text ? strtoul(text, &end, 10) : 0;
  *number = (uint32_t)n;
  return (!*text || (!*end && *text >= '0' && *text <= '9' && n < TS_ROW_NONE)) ||
         traced_table_fail(f, "a number from 1 that rows which are run again together share",
                           "`%.40s` is no such number", text);
}

static bool read_operator(file *f, const operator_columns *c, const ts_names *names,
                          const row_list *rows, ts_row *row)
{
  shape_list given = {0}, parameters = {0};
  *row = (ts_row){.name = cell(f, c->name), .kind = cell(f, c->kind), .line = f->csv.line};
  if (f->cell_count != f->column_count)
    return traced_table_fail(f, "the cells of a row follow the columns of the first line",
                             "the row has %u cells, the table %u columns", f->cell_count,
                             f->column_count);
  if (!*row->name || !*row->kind)
    return traced_table_fail(f, "a row without name or kind", "the row has no %s",
                             *row->name ? "kind" : "name");
  if (!read_inputs(f, names, cell(f, c->inputs), row) ||
      !shapes(f, cell(f, c->input_shapes), &given) ||
      !shapes(f, cell(f, c->parameters), &parameters) ||
      !read_number(f, cell(f, c->again), &row->again) ||
      !one_shape(f, cell(f, c->output), &row->output) || !read_time(f, c->forward, &row->forward) ||
      !read_time(f, c->backward, &row->backward) || !read_time(f, c->accumulate, &row->accumulate))
    return false;
  const char *type = cell(f, c->dtype);
  row->dtype = dtype_of(type);
  if (*type && !row->dtype)
    return traced_table_fail(f, "dtype", "`%.40s` is not a number format", type);
  if (row->dtype && !*cell(f, c->output))
    return traced_table_fail(f, "the shape of a number is `()`",
                             "the row outputs a tensor but states no `output_shape`");
  if (given.count && given.count != row->input_count)
    return traced_table_fail(f, "one shape for each input",
                             "the row has %u inputs and %zu input shapes", row->input_count,
                             given.count);
  ts_shape *stated = TS_NEW_ARRAY(f->s->arena, ts_shape, row->input_count + 1);
  for (uint32_t i = 0; i < row->input_count; i++)
    stated[i] = given.count ? given.at[i] : rows->at[row->input[i]].output;
  row->input_shape = stated;
  row->parameter = parameters.at;
  row->parameter_count = (uint32_t)parameters.count;
  return true;
}

static bool remember(file *f, ts_names *names, row_list *rows, ts_row *row)
{
  const char *name = ts_lang_intern(f->s->lang, row->name, strlen(row->name));
  if (ts_names_get(names, name))
    return traced_table_fail(f, "a second row of this name", "two rows are named `%s`", row->name);
  if (rows->count == MAX_ROWS)
    return traced_table_fail(f, "one too many", "the table has more than %d rows", MAX_ROWS);
  row->name = name;
  row->kind = ts_lang_intern(f->s->lang, row->kind, strlen(row->kind));
  row->span = (ts_span){f->number, (uint32_t)f->csv.begin, (uint32_t)f->csv.end};
  TS_PUSH(f->s->arena, rows, *row);
  ts_names_put(f->s->arena, names, name, (void *)(uintptr_t)rows->count);
  return true;
}

static bool read_operators(file *f, row_list *rows)
{
  operator_columns c;
  if (!need(f, "name", &c.name) || !need(f, "kind", &c.kind) || !need(f, "inputs", &c.inputs) ||
      !need(f, "output_shape", &c.output) || !need(f, "dtype", &c.dtype) ||
      !need(f, "forward_us", &c.forward) || !need(f, "backward_us", &c.backward))
    return false;
  c.accumulate = column(f, "accumulate_us");
  c.input_shapes = column(f, "input_shapes");
  c.parameters = column(f, "parameters");
  c.again = column(f, "again");
  ts_names names = {0};
  for (ts_row row; next_record(f);)
    if (!read_operator(f, &c, &names, rows, &row) || !remember(f, &names, rows, &row))
      return false;
  return !f->damaged;
}

/* -- stage tables -- */

typedef struct tensor {
  uint64_t id, storage;
  ts_shape shape;
  const ts_dtype *dtype;
  const char *type;
  uint32_t row;
} tensor;
typedef struct tensors {
  TS_VEC(tensor) list;
  ts_hash_table table;
} tensors; /* by id */
static tensor *tensor_of(tensors *t, uint64_t id)
{
  uint32_t found = ts_hash_find_key(&t->table, id, t->list.at, sizeof *t->list.at);
  return found == TS_HASH_NONE ? NULL : &t->list.at[found];
}

static void insert(ts_arena *arena, tensors *t, tensor new)
{
  if (tensor_of(t, new.id))
    return; /* a tensor is listed once for each use */
  ts_hash_add(arena, &t->table, ts_hash_number(new.id), (uint32_t)t->list.count);
  TS_PUSH(arena, &t->list, new);
}

static bool read_id(file *f, const char *text, uint64_t *id)
{
  const char *p = text;
  for (*id = 0; *p >= '0' && *p <= '9' && *id < UINT64_C(1) << 58; p++)
    *id = *id * 10 + (uint64_t)(*p - '0');
  if (p > text && !*p)
    return true;
  return traced_table_fail(f, "ids are whole numbers", "`%.40s` is not the id of a tensor", text);
}

/* Bytes of an element give the number format as far as a trace needs it. */
static const ts_dtype *dtype_of_bytes(const char *bytes, const char *type)
{
  const char *name = !strcmp(bytes, "4") ? "fp32" :
                     !strcmp(bytes, "2") ? "fp16" :
                     !strcmp(bytes, "8") ? "int64" :
                     !strcmp(bytes, "1") ? "int8" :
                                           NULL;
  return name && *type ? ts_dtype_find(name) : NULL;
}

static bool read_tensors(file *f, tensors *t)
{
  uint32_t id, shape, bytes, type, storage;
  if (!read_header(f) || !need(f, "TensorID", &id) || !need(f, "TensorShape", &shape) ||
      !need(f, "TensorEachByte", &bytes) || !need(f, "TensorType", &type) ||
      !need(f, "TensorStorgeid", &storage))
    return false;
  while (next_record(f)) {
    tensor new = {.type = cell(f, type), .row = TS_ROW_NONE};
    if (!read_id(f, cell(f, id), &new.id))
      return false;
    if (!*new.type)
      continue; /* what an operator of the optimizer lists */
    new.dtype = dtype_of_bytes(cell(f, bytes), new.type);
    if (!read_id(f, cell(f, storage), &new.storage) || !one_shape(f, cell(f, shape), &new.shape))
      return false;
    insert(f->s->arena, t, new);
  }
  return !f->damaged;
}

static bool read_ids(file *f, const char *text, uint64_t *id, uint32_t *count)
{
  const char *p = text + (*text == '[');
  for (*count = 0; *p && *p != ']'; p += strspn(p, "; ")) {
    size_t length = strspn(p, "0123456789");
    if (!length || length > 17 || *count == MAX_INPUTS)
      break;
    for (id[*count] = 0; length--; p++)
      id[*count] = id[*count] * 10 + (uint64_t)(*p - '0');
    ++*count;
  }
  if (*text == '[' && *p == ']')
    return true;
  return traced_table_fail(f, "ids read `[4; 6]`", "`%.40s` is not a list of tensor ids", text);
}

/* storages: by that id, the row that wrote it */
typedef struct stage_reader {
  file *f;
  tensors tensors, storages;
  row_list *rows;
  uint64_t *ids;
} stage_reader;

/* The row that made a tensor: by its id; else the last that wrote the same storage, of which it is
 * a view. An input of the model gets a row. */
static uint32_t producer(stage_reader *r, tensor *x)
{
  file *f = r->f;
  row_list *rows = r->rows;
  const tensor *same = tensor_of(&r->storages, x->storage);
  if (x->row != TS_ROW_NONE)
    return x->row;
  if (same)
    return same->row;
  const char *name = ts_arena_printf(f->s->arena, "input_%llu", (unsigned long long)x->id);
  name = ts_lang_intern(f->s->lang, name, strlen(name));
  TS_PUSH(
    f->s->arena, rows,
    (ts_row){.name = name, .kind = "input", .output = x->shape, .dtype = x->dtype, .given = true});
  return x->row = (uint32_t)rows->count - 1;
}

static bool begins(const char *text, const char *with)
{
  return !strncmp(text, with, strlen(with));
}

static void join_inputs(stage_reader *r, const uint64_t *id, uint32_t count, ts_row *row)
{
  file *f = r->f;
  uint32_t *input = TS_NEW_ARRAY(f->s->arena, uint32_t, count + 1);
  ts_shape *shape = TS_NEW_ARRAY(f->s->arena, ts_shape, count + 1),
           *parameter = TS_NEW_ARRAY(f->s->arena, ts_shape, count + 1);
  for (uint32_t i = 0; i < count; i++) {
    tensor *x = tensor_of(&r->tensors, id[i]);
    if (!x || !x->dtype || !x->shape.rank || begins(x->type, "running"))
      continue;
    if (begins(x->type, "weight") || begins(x->type, "bias")) {
      parameter[row->parameter_count++] = x->shape;
      continue;
    }
    input[row->input_count] = producer(r, x);
    shape[row->input_count++] = x->shape;
  }
  row->input = input;
  row->input_shape = shape;
  row->parameter = parameter;
}

typedef struct stage_columns { uint32_t name, input, output, time, stage; } stage_columns;

static bool read_stage(file *f, const char *text, ts_row_stage *stage)
{
  static const char *const names[] = {"forward", "backward", "optimizer"};
  for (uint32_t i = 0; i < 3; i++)
    if (!strcmp(text, names[i])) {
      *stage = (ts_row_stage)i;
      return true;
    }
  return traced_table_fail(f, "stage", "`%.40s` is neither `forward`, `backward` nor `optimizer`",
                           text);
}

static bool read_stage_row(stage_reader *r, const stage_columns *c)
{
  file *f = r->f;
  uint64_t *ids = r->ids;
  ts_row row = {.line = f->csv.line};
  uint32_t count = 0;
  double time;
  row.kind = ts_lang_intern(f->s->lang, cell(f, c->name), strlen(cell(f, c->name)));
  if (!*row.kind)
    return traced_table_fail(f, "OperatorName", "the row has no name");
  if (!read_stage(f, cell(f, c->stage), &row.stage) || !read_time(f, c->time, &time) ||
      !read_ids(f, cell(f, c->input), ids, &count))
    return false;
  if (row.stage == TS_ROW_FORWARD)
    join_inputs(r, ids, count, &row);
  if (!read_ids(f, cell(f, c->output), ids, &count))
    return false;
  *(row.stage == TS_ROW_FORWARD ? &row.forward : &row.backward) = time;
  const char *colon = strrchr(row.kind, ':'),
             *short_kind = colon ? colon + 1 + strspn(colon + 1, " ") : row.kind;
  const char *name = ts_arena_printf(f->s->arena, "%s_%u", short_kind, f->csv.line);
  row.name = ts_lang_intern(f->s->lang, name, strlen(name));
  tensor *y = count && row.stage == TS_ROW_FORWARD ? tensor_of(&r->tensors, ids[0]) : NULL;
  if (y) {
    row.output = y->shape;
    row.dtype = y->dtype;
  }
  if (r->rows->count >= MAX_ROWS)
    return traced_table_fail(f, "one too many", "the table has more than %d rows", MAX_ROWS);
  row.span = (ts_span){0, (uint32_t)f->csv.begin, (uint32_t)f->csv.end};
  TS_PUSH(f->s->arena, r->rows, row);
  if (!y)
    return true;
  y->row = (uint32_t)r->rows->count - 1;
  tensor *same = tensor_of(&r->storages, y->storage);
  if (same)
    same->row = y->row;
  else
    insert(f->s->arena, &r->storages, (tensor){.id = y->storage, .row = y->row});
  return true;
}

static bool read_stages(file *f, ts_table_text tensors, row_list *rows)
{
  stage_columns c;
  stage_reader r = {.f = f, .rows = rows};
  file g;
  if (!need(f, "OperatorName", &c.name) || !need(f, "Operator_input", &c.input) ||
      !need(f, "Operator_output", &c.output) || !need(f, "stage", &c.stage) ||
      !need(f, f->source->column ? f->source->column : "Operator_cudatimenooverlap", &c.time))
    return false;
  if (!tensors.text) {
    ts_diag *d = ts_diag_add(f->s->diags, TS_E0521, f->source->span,
                             "the trace `%s` needs the table of its tensors", f->name);
    ts_diag_here(d, "its rows name tensors by number");
    ts_diag_help(d, "name it: `tensors: \"....csv.gz\"`");
    return false;
  }
  if (!traced_table_begin(f->s, f->source, tensors, &g) || !read_tensors(&g, &r.tensors))
    return false;
  r.ids = TS_NEW_ARRAY(f->s->arena, uint64_t, MAX_INPUTS);
  while (next_record(f))
    if (!read_stage_row(&r, &c))
      return false;
  return !f->damaged;
}

/* -- both -- */

bool ts_rows_parse(ts_session *s, const ts_table_source *source, ts_table_text table,
                   ts_table_text tensors, ts_rows *rows)
{
  file f;
  row_list list = {0};
  if (!traced_table_begin(s, source, table, &f) || !read_header(&f))
    return false;
  bool stages = column(&f, "OperatorName") != TS_ROW_NONE;
  if (!(stages ? read_stages(&f, tensors, &list) : read_operators(&f, &list)))
    return false;
  if (!list.count)
    return traced_table_fail(&f, "only a header", "the table `%s` has no rows", f.name);
  if (!f.number)
    f.number = ts_sources_add(s->sources, f.name, "trace", f.csv.text, f.csv.size);
  for (size_t i = 0; i < list.count; i++)
    list.at[i].span.file = list.at[i].given ? 0 : f.number;
  *rows = (ts_rows){(uint32_t)list.count,
                    list.at,
                    f.name,
                    table.listed,
                    f.device,
                    f.batch_dim ? *f.batch_dim - '0' : -1,
                    f.untimed,
                    f.update,
                    f.buckets};
  return true;
}

static bool read_text(ts_session *s, const ts_table_source *source, const char *file,
                      ts_table_text *read)
{
  ts_found found;
  read->text =
    ts_session_read(s, source->from_file, file, "trace", source->span, &read->size, &found);
  if (!read->text)
    return false;
  read->name = found.shown;
  read->listed = found.name;
  return true;
}

bool ts_rows_read(ts_session *s, const ts_table_source *source, ts_rows *rows)
{
  ts_table_text table = {0}, tensors = {0};
  if (read_text(s, source, source->file, &table) && source->tensors)
    read_text(s, source, source->tensors, &tensors);
  return table.text && ts_rows_of_graph(s, source, &table) && (tensors.text || !source->tensors) &&
         ts_rows_parse(s, source, table, tensors, rows);
}
