#include "compiler/value.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static const ts_dtype dtypes[] = {
#define DTYPE(name, bits) {#name, bits},
#include "compiler/dtypes.def"
#undef DTYPE
};

enum { DTYPES = sizeof dtypes / sizeof dtypes[0], PRINTED_ELEMENTS = 16 };

const ts_dtype *ts_dtype_at(size_t i) { return i < DTYPES ? &dtypes[i] : NULL; }

const ts_dtype *ts_dtype_find(const char *name)
{
  for (size_t i = 0; i < DTYPES; i++)
    if (!strcmp(dtypes[i].name, name))
      return &dtypes[i];
  return NULL;
}

ts_value ts_error_value(void) { return (ts_value){.type = TS_T_ERROR}; }

ts_value ts_none_value(void) { return (ts_value){.type = TS_T_NONE}; }

ts_value ts_int_value(int64_t i, ts_span span) { return (ts_value){.type = TS_T_INT, .span = span, .u.integer = i}; }

ts_value ts_real_value(double r, ts_span span) { return (ts_value){.type = TS_T_REAL, .span = span, .u.real = r}; }

ts_value ts_quantity_value(double base_units, ts_dimension dimension, ts_span span)
{
  ts_type type = ts_dimension_equal(dimension, TS_DIM_NONE) ? TS_T_REAL : TS_T_QUANTITY;
  return (ts_value){.type = type, .dimension = dimension, .span = span, .u.real = base_units};
}

ts_value ts_bool_value(bool b, ts_span span) { return (ts_value){.type = TS_T_BOOL, .span = span, .u.truth = b}; }

ts_value ts_string_value(const char *interned, ts_span span)
{
  return (ts_value){.type = TS_T_STRING, .span = span, .u.string = interned};
}

ts_value ts_dtype_value(const ts_dtype *dtype, ts_span span)
{
  return (ts_value){.type = TS_T_DTYPE, .span = span, .u.dtype = dtype};
}

int64_t ts_sequence_count(ts_value v)
{
  return v.type == TS_T_LIST ? (int64_t)v.u.list->count : v.type == TS_T_RANGE && v.u.range.end > v.u.range.begin ? v.u.range.end - v.u.range.begin : 0;
}

ts_value ts_sequence_at(ts_value v, int64_t i) { return v.type == TS_T_LIST ? v.u.list->at[i] : ts_int_value(v.u.range.begin + i, v.span); }

ts_value ts_list_value(ts_arena *arena, const ts_value *at, uint32_t count, ts_span span)
{
  ts_list *list = TS_NEW(arena, ts_list);
  *list = (ts_list){.count = count, .at = at};
  return (ts_value){.type = TS_T_LIST, .span = span, .u.list = list};
}

ts_value ts_shape_value(ts_arena *arena, ts_shape shape, ts_span span)
{
  ts_value *at = TS_NEW_ARRAY(arena, ts_value, shape.rank);
  for (uint32_t i = 0; i < shape.rank; i++)
    at[i] = ts_int_value(shape.dim[i], span);
  return ts_list_value(arena, at, shape.rank, span);
}

const ts_value *ts_record_get(const ts_record *record, const char *interned_name)
{
  for (uint32_t i = 0; i < record->count; i++)
    if (record->at[i].name == interned_name)
      return record->at[i].value;
  return NULL;
}

const ts_value *ts_record_find(const ts_record *record, const char *name)
{
  for (uint32_t i = 0; i < record->count; i++)
    if (!strcmp(record->at[i].name, name))
      return record->at[i].value;
  return NULL;
}

static const char *decl_describe(ts_arena *arena, const ts_ast *decl)
{
  const char *word = ts_kind_name(decl->kind);
  const char *article = strchr("aeiou", word[0]) ? "an" : "a";
  return ts_arena_printf(arena, "%s %s", article, word);
}

const char *ts_value_describe(ts_arena *arena, ts_value v)
{
  switch (v.type) {
  case TS_T_ERROR: return "an error";
  case TS_T_NONE: return "nothing";
  case TS_T_INT: return "an Int";
  case TS_T_REAL: return "a Real";
  case TS_T_BOOL: return "a Bool";
  case TS_T_STRING: return "a String";
  case TS_T_QUANTITY: return ts_dimension_describe(v.dimension);
  case TS_T_DTYPE: return "a DType";
  case TS_T_LIST: return ts_arena_printf(arena, "a list of %" PRIu32, v.u.list->count);
  case TS_T_RANGE: return "a range";
  case TS_T_RECORD: return "a record";
  case TS_T_TENSOR: return "a Tensor";
  case TS_T_AXIS: return "an Axis";
  case TS_T_LABEL: return "a Label";
  case TS_T_FUNCTION: return "a function";
  case TS_T_DECL: return ts_arena_printf(arena, "%s without its arguments", decl_describe(arena, v.u.decl));
  case TS_T_APPLIED: return v.u.applied->decl ? decl_describe(arena, v.u.applied->decl) : ts_arena_printf(arena, "a `%s(...)`", v.u.applied->name);
  case TS_T_GPU: return "a Gpu";
  case TS_T_CLUSTER: return "a Cluster";
  }
  return "a value";
}

static const char *print_real(ts_arena *arena, double r)
{
  if (fabs(r) < 1e15 && r == trunc(r))
    return ts_arena_printf(arena, "%.1f", r);
  return ts_arena_printf(arena, "%.6g", r);
}

static const char *print_list(ts_arena *arena, const ts_list *list)
{
  const char *text = "[";
  for (uint32_t i = 0; i < list->count; i++) {
    const char *comma = i ? ", " : "";
    if (i == PRINTED_ELEMENTS)
      return ts_arena_printf(arena, "%s, ... %" PRIu32 " in all]", text, list->count);
    text = ts_arena_printf(arena, "%s%s%s", text, comma, ts_value_print(arena, list->at[i]));
  }
  return ts_arena_printf(arena, "%s]", text);
}

static const char *print_record(ts_arena *arena, const ts_record *record)
{
  const char *text = "{ ";
  for (uint32_t i = 0; i < record->count; i++) {
    const char *comma = i ? ", " : "";
    if (i == PRINTED_ELEMENTS)
      return ts_arena_printf(arena, "%s, ... }", text);
    text = ts_arena_printf(arena, "%s%s%s: %s", text, comma, record->at[i].name, ts_value_print(arena, *record->at[i].value));
  }
  return ts_arena_printf(arena, "%s }", text);
}

static const char *print_tensor(ts_arena *arena, const ts_tensor *t)
{
  const char *text = t->name ? t->name : "tensor";
  for (uint32_t i = 0; i < t->shape.rank; i++)
    text = ts_arena_printf(arena, "%s%s%" PRId64, text, i ? ", " : "[", t->shape.dim[i]);
  return t->shape.rank ? ts_arena_printf(arena, "%s]", text) : text;
}

static const char *print_quantity(ts_arena *arena, ts_value v)
{
  char buffer[64];
  ts_quantity_print(buffer, sizeof buffer, v.u.real, v.dimension);
  return ts_arena_printf(arena, "%s", buffer);
}

static const char *print_applied(ts_arena *arena, const ts_applied *applied)
{
  const char *text = ts_arena_printf(arena, "%s(", applied->name);
  for (uint32_t i = 0; i < applied->args.count; i++)
    text = ts_arena_printf(arena, "%s%s%s: %s", text, i ? ", " : "", applied->args.at[i].name, ts_value_print(arena, *applied->args.at[i].value));
  return ts_arena_printf(arena, "%s)", text);
}

const char *ts_value_print(ts_arena *arena, ts_value v)
{
  switch (v.type) {
  case TS_T_ERROR: return "error";
  case TS_T_NONE: return "none";
  case TS_T_INT: return ts_arena_printf(arena, "%" PRId64, v.u.integer);
  case TS_T_REAL: return print_real(arena, v.u.real);
  case TS_T_BOOL: return v.u.truth ? "true" : "false";
  case TS_T_STRING: return ts_arena_printf(arena, "\"%s\"", v.u.string);
  case TS_T_QUANTITY: return print_quantity(arena, v);
  case TS_T_DTYPE: return v.u.dtype->name;
  case TS_T_LIST: return print_list(arena, v.u.list);
  case TS_T_RANGE: return ts_arena_printf(arena, "%" PRId64 "..%" PRId64, v.u.range.begin, v.u.range.end);
  case TS_T_RECORD: return print_record(arena, v.u.record);
  case TS_T_TENSOR: return print_tensor(arena, v.u.tensor);
  case TS_T_AXIS: return v.u.axes.text;
  case TS_T_LABEL: return v.u.string;
  case TS_T_FUNCTION: return ts_function_name(v.u.function);
  case TS_T_DECL: return v.u.decl->name;
  case TS_T_APPLIED: return print_applied(arena, v.u.applied);
  case TS_T_GPU: return v.u.record->name;
  case TS_T_CLUSTER: return ts_cluster_name(v.u.cluster);
  }
  return "?";
}

const char *ts_count_print(ts_arena *arena, int64_t count)
{
  const char *plain = ts_arena_printf(arena, "%" PRId64, count);
  size_t digits = strlen(plain), used = 0, sign = plain[0] == '-';
  char *text = ts_arena_alloc(arena, digits + digits / 3 + 1);
  for (size_t i = 0; i < digits; i++) {
    if (i > sign && (digits - i) % 3 == 0)
      text[used++] = ',';
    text[used++] = plain[i];
  }
  return text;
}

bool ts_value_is_number(ts_value v) { return v.type == TS_T_INT || v.type == TS_T_REAL; }

static bool list_equal(const ts_list *a, const ts_list *b)
{
  if (a->count != b->count)
    return false;
  for (uint32_t i = 0; i < a->count; i++)
    if (!ts_value_equal(a->at[i], b->at[i]))
      return false;
  return true;
}

static bool record_equal(const ts_record *a, const ts_record *b)
{
  if (a->count != b->count || a->name != b->name)
    return false;
  for (uint32_t i = 0; i < a->count; i++) {
    const ts_value *other = ts_record_get(b, a->at[i].name);
    if (!other || !ts_value_equal(*a->at[i].value, *other))
      return false;
  }
  return true;
}

bool ts_value_equal(ts_value a, ts_value b)
{
  if (ts_value_is_number(a) && ts_value_is_number(b) && a.type != b.type)
    return (a.type == TS_T_INT ? (double)a.u.integer : a.u.real) == (b.type == TS_T_INT ? (double)b.u.integer : b.u.real);
  if (a.type != b.type)
    return false;
  switch (a.type) {
  case TS_T_INT: return a.u.integer == b.u.integer;
  case TS_T_REAL: return a.u.real == b.u.real;
  case TS_T_QUANTITY: return ts_dimension_equal(a.dimension, b.dimension) && a.u.real == b.u.real;
  case TS_T_BOOL: return a.u.truth == b.u.truth;
  case TS_T_STRING:
  case TS_T_LABEL: return !strcmp(a.u.string, b.u.string);
  case TS_T_DTYPE: return a.u.dtype == b.u.dtype;
  case TS_T_LIST: return list_equal(a.u.list, b.u.list);
  case TS_T_RANGE: return a.u.range.begin == b.u.range.begin && a.u.range.end == b.u.range.end;
  case TS_T_RECORD:
  case TS_T_GPU: return a.u.record == b.u.record || record_equal(a.u.record, b.u.record);
  case TS_T_AXIS: return a.u.axes.mask == b.u.axes.mask;
  case TS_T_TENSOR: return a.u.tensor == b.u.tensor;
  case TS_T_FUNCTION: return a.u.function == b.u.function;
  case TS_T_DECL: return a.u.decl == b.u.decl;
  case TS_T_APPLIED: return a.u.applied == b.u.applied;
  case TS_T_CLUSTER: return a.u.cluster == b.u.cluster;
  case TS_T_NONE: return true;
  case TS_T_ERROR: return false;
  }
  return false;
}
