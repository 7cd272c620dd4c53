#include "compiler/eval/value.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static const ts_dtype dtypes[] = {
#define DTYPE(name, bits, class, rate) {#name, bits, TS_DTYPE_##class, #rate},
#include "compiler/eval/dtypes.def"
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

const char *ts_dtype_elsewhere(const char *name)
{
  static const char *const names[][2] = {
    {"float32", "fp32"}, {"float", "fp32"}, {"float64", "fp64"},  {"double", "fp64"},
    {"float16", "fp16"}, {"half", "fp16"},  {"bfloat16", "bf16"}, {"bool", "bool8"},
    {"long", "int64"},   {"uint8", "int8"}};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (!strcmp(name, names[i][0]))
      return names[i][1];
  return NULL;
}

const ts_value *ts_dtype_peak(const ts_record *peak, const char *dtype)
{
  const ts_value *own = ts_record_find(peak, dtype);
  const ts_dtype *format = own ? NULL : ts_dtype_find(dtype);
  return format ? ts_record_find(peak, format->rate) : own;
}

ts_value ts_error_value(void) { return (ts_value){.type = TS_T_ERROR}; }

ts_value ts_none_value(void) { return (ts_value){.type = TS_T_NONE}; }

ts_value ts_int_value(int64_t i, ts_span span)
{
  return (ts_value){.type = TS_T_INT, .span = span, .u.integer = i};
}

ts_value ts_real_value(double r, ts_span span)
{
  return (ts_value){.type = TS_T_REAL, .span = span, .u.real = r};
}

ts_value ts_quantity_value(double base_units, ts_dimension dimension, ts_span span)
{
  ts_type type = ts_dimension_equal(dimension, TS_DIM_NONE) ? TS_T_REAL : TS_T_QUANTITY;
  return (ts_value){.type = type, .dimension = dimension, .span = span, .u.real = base_units};
}

ts_value ts_bool_value(bool b, ts_span span)
{
  return (ts_value){.type = TS_T_BOOL, .span = span, .u.truth = b};
}

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
  return v.type == TS_T_LIST                                     ? (int64_t)v.u.list->count :
         v.type == TS_T_RANGE && v.u.range.end > v.u.range.begin ? v.u.range.end - v.u.range.begin :
                                                                   0;
}

ts_value ts_sequence_at(ts_value v, int64_t i)
{
  return v.type == TS_T_LIST ? v.u.list->at[i] : ts_int_value(v.u.range.begin + i, v.span);
}

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

const char *ts_record_text(const ts_record *record, const char *name)
{
  const ts_value *v = ts_record_find(record, name);
  return v && v->type == TS_T_STRING ? v->u.string : "";
}

double ts_record_number(const ts_record *record, const char *name, double otherwise)
{
  const ts_value *v = ts_record_find(record, name);
  return v && v->type == TS_T_INT  ? (double)v->u.integer :
         v && v->type == TS_T_REAL ? v->u.real :
                                     otherwise;
}

const char *ts_with_article(ts_arena *arena, const char *name)
{
  return ts_arena_printf(arena, "%s %s", strchr("aeiouAEIOU", name[0]) ? "an" : "a", name);
}

static const char *decl_describe(ts_arena *arena, const ts_ast *decl)
{
  return ts_with_article(arena, ts_kind_name(decl->kind));
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
  case TS_T_RECORD:
    return v.u.record->type ? ts_with_article(arena, v.u.record->type->name) : "a record";
  case TS_T_TENSOR: return "a Tensor";
  case TS_T_AXIS: return "an Axis";
  case TS_T_LABEL: return "a Label";
  case TS_T_WORD: return ts_arena_printf(arena, "the word `%s`", v.u.string);
  case TS_T_FUNCTION: return "a function";
  case TS_T_DECL:
    return v.u.decl->kind == TS_AST_RECORD_TYPE ?
             ts_arena_printf(arena, "the type `%s`", v.u.decl->name) :
             ts_arena_printf(arena, "%s without its arguments", decl_describe(arena, v.u.decl));
  case TS_T_APPLIED:
    return v.u.applied->decl ? decl_describe(arena, v.u.applied->decl) :
                               ts_arena_printf(arena, "a `%s(...)`", v.u.applied->name);
  case TS_T_GPU: return "a Gpu";
  case TS_T_CLUSTER: return "a Cluster";
  }
  return "a value";
}

/* ---- Walking over values ---- */

/* A value may hold another twice, which holds another twice: small in memory, and without end to
 * who walks over it. */
static bool spend(ts_budget *budget, uint64_t cost)
{
  budget->left = budget->left > cost ? budget->left - cost : 0;
  return budget->left;
}

static bool enter(ts_budget *budget)
{
  if (++budget->depth > TS_MAX_NESTED)
    budget->too_deep = true;
  budget->left = budget->too_deep ? 0 : budget->left;
  return budget->left;
}

static bool value_walk(ts_value v, ts_budget *budget);

static bool walk_record(const ts_record *record, ts_budget *budget)
{
  for (uint32_t i = 0; i < record->count; i++)
    if (!value_walk(*record->at[i].value, budget))
      return false;
  return true;
}

static bool value_walk(ts_value v, ts_budget *budget)
{
  if (!spend(budget, 1) || !enter(budget))
    return false;
  bool whole = true;
  for (uint32_t i = 0; v.type == TS_T_LIST && whole && i < v.u.list->count; i++)
    whole = value_walk(v.u.list->at[i], budget);
  if (v.type == TS_T_RECORD || v.type == TS_T_GPU)
    whole = walk_record(v.u.record, budget);
  else if (v.type == TS_T_APPLIED)
    whole = walk_record(&v.u.applied->args, budget);
  budget->depth--;
  return whole;
}

bool ts_value_walk(ts_value v, ts_budget *budget) { return value_walk(v, budget); }

/* ---- Printing ---- */

typedef struct printer { ts_arena *arena; ts_budget *budget; TS_VEC(char) text; } printer;

static void value_put(printer *p, const char *text)
{
  size_t length = strnlen(text, p->budget->left);
  if (!length || !spend(p->budget, length))
    return;
  while (p->text.room - p->text.count < length) {
    size_t room = p->text.room ? 2 * p->text.room : 64;
    p->text.at = ts_arena_grow(p->arena, p->text.at, p->text.room, room);
    p->text.room = room;
  }
  memcpy(p->text.at + p->text.count, text, length);
  p->text.count += length;
}

static void print(printer *p, ts_value v);

static const char *real_text(ts_arena *arena, double r)
{
  if (fabs(r) < 1e15 && r == trunc(r))
    return ts_arena_printf(arena, "%.1f", r);
  return ts_arena_printf(arena, "%.6g", r);
}

static void print_list(printer *p, const ts_list *list)
{
  value_put(p, "[");
  for (uint32_t i = 0; i < list->count && p->budget->left; i++) {
    if (i == PRINTED_ELEMENTS) {
      value_put(p, ts_arena_printf(p->arena, ", ... %" PRIu32 " in all", list->count));
      break;
    }
    value_put(p, i ? ", " : "");
    print(p, list->at[i]);
  }
  value_put(p, "]");
}

/* The fields of a record, or the arguments of what was applied. */
static void print_fields(printer *p, const ts_record *record, uint32_t most)
{
  for (uint32_t i = 0; i < record->count && p->budget->left; i++) {
    value_put(p, i ? ", " : "");
    if (i == most) {
      value_put(p, "...");
      break;
    }
    value_put(p, record->at[i].name);
    value_put(p, ": ");
    print(p, *record->at[i].value);
  }
}

static void print_record(printer *p, const ts_record *record)
{
  value_put(p, "{ ");
  print_fields(p, record, PRINTED_ELEMENTS);
  value_put(p, " }");
}

static void print_applied(printer *p, const ts_applied *applied)
{
  value_put(p, applied->name);
  value_put(p, "(");
  print_fields(p, &applied->args, UINT32_MAX);
  value_put(p, ")");
}

static void print_string(printer *p, const char *text)
{
  value_put(p, "\"");
  value_put(p, text);
  value_put(p, "\"");
}

static const char *tensor_text(ts_arena *arena, const ts_tensor *t)
{
  const char *text = t->name ? t->name : "tensor";
  for (uint32_t i = 0; i < t->shape.rank; i++)
    text = ts_arena_printf(arena, "%s%s%" PRId64, text, i ? ", " : "[", t->shape.dim[i]);
  return t->shape.rank ? ts_arena_printf(arena, "%s]", text) : text;
}

static const char *quantity_text(ts_arena *arena, ts_value v)
{
  char buffer[64];
  ts_quantity_print(buffer, sizeof buffer, v.u.real, v.dimension);
  return ts_arena_printf(arena, "%s", buffer);
}

/* Of a value that holds no others. */
static const char *plain_text(ts_arena *arena, ts_value v)
{
  switch (v.type) {
  case TS_T_ERROR: return "error";
  case TS_T_NONE: return "none";
  case TS_T_INT: return ts_arena_printf(arena, "%" PRId64, v.u.integer);
  case TS_T_REAL: return real_text(arena, v.u.real);
  case TS_T_BOOL: return v.u.truth ? "true" : "false";
  case TS_T_QUANTITY: return quantity_text(arena, v);
  case TS_T_DTYPE: return v.u.dtype->name;
  case TS_T_RANGE:
    return ts_arena_printf(arena, "%" PRId64 "..%" PRId64, v.u.range.begin, v.u.range.end);
  case TS_T_TENSOR: return tensor_text(arena, v.u.tensor);
  case TS_T_AXIS: return v.u.axes.text;
  case TS_T_WORD: return v.u.string;
  case TS_T_FUNCTION: return ts_function_name(v.u.function);
  case TS_T_DECL: return v.u.decl->name;
  case TS_T_GPU: return v.u.record->name;
  case TS_T_CLUSTER: return ((const ts_named *)v.u.cluster)->name;
  default: return "?";
  }
}

static void print(printer *p, ts_value v)
{
  if (!enter(p->budget))
    return;
  switch (v.type) {
  case TS_T_LIST: print_list(p, v.u.list); break;
  case TS_T_RECORD: print_record(p, v.u.record); break;
  case TS_T_APPLIED: print_applied(p, v.u.applied); break;
  case TS_T_STRING:
  case TS_T_LABEL: print_string(p, v.u.string); break;
  default: value_put(p, plain_text(p->arena, v)); break;
  }
  p->budget->depth--;
}

const char *ts_value_text(ts_arena *arena, ts_value v, ts_budget *budget, size_t *length)
{
  printer p = {.arena = arena, .budget = budget};
  print(&p, v);
  *length = p.text.count;
  TS_PUSH(arena, &p.text, '\0');
  return budget->left ? p.text.at : NULL;
}

const char *ts_value_print(ts_arena *arena, ts_value v)
{
  enum { SHOWN = 4000 }; /* bytes of a value in a message */
  ts_budget budget = {.left = SHOWN};
  printer p = {.arena = arena, .budget = &budget};
  print(&p, v);
  if (!budget.left) {
    budget = (ts_budget){.left = SHOWN};
    value_put(&p, "...");
  }
  TS_PUSH(arena, &p.text, '\0');
  return p.text.at;
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

/* ---- Equality ---- */

static bool equal(ts_value a, ts_value b, ts_budget *budget);

static bool text_equal(const char *a, const char *b, ts_budget *budget)
{
  size_t same = 0;
  if (a == b)
    return true;
  while (a[same] && a[same] == b[same])
    same++;
  return spend(budget, same) && a[same] == b[same];
}

static bool list_equal(const ts_list *a, const ts_list *b, ts_budget *budget)
{
  if (a->count != b->count)
    return false;
  for (uint32_t i = 0; i < a->count; i++)
    if (!equal(a->at[i], b->at[i], budget))
      return false;
  return true;
}

static bool record_equal(const ts_record *a, const ts_record *b, ts_budget *budget)
{
  if (a->count != b->count || a->name != b->name)
    return false;
  for (uint32_t i = 0; i < a->count; i++) {
    const ts_value *other = ts_record_get(b, a->at[i].name);
    if (!spend(budget, b->count) || !other || !equal(*a->at[i].value, *other, budget))
      return false;
  }
  return true;
}

static bool value_same(ts_value a, ts_value b, ts_budget *budget)
{
  if (ts_value_is_number(a) && ts_value_is_number(b) && a.type != b.type)
    return (a.type == TS_T_INT ? (double)a.u.integer : a.u.real) ==
           (b.type == TS_T_INT ? (double)b.u.integer : b.u.real);
  if (a.type != b.type)
    return false;
  switch (a.type) {
  case TS_T_INT: return a.u.integer == b.u.integer;
  case TS_T_REAL: return a.u.real == b.u.real;
  case TS_T_QUANTITY: return ts_dimension_equal(a.dimension, b.dimension) && a.u.real == b.u.real;
  case TS_T_BOOL: return a.u.truth == b.u.truth;
  case TS_T_STRING:
  case TS_T_LABEL:
  case TS_T_WORD: return text_equal(a.u.string, b.u.string, budget);
  case TS_T_DTYPE: return a.u.dtype == b.u.dtype;
  case TS_T_LIST: return list_equal(a.u.list, b.u.list, budget);
  case TS_T_RANGE: return a.u.range.begin == b.u.range.begin && a.u.range.end == b.u.range.end;
  case TS_T_RECORD:
  case TS_T_GPU: return a.u.record == b.u.record || record_equal(a.u.record, b.u.record, budget);
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

static bool equal(ts_value a, ts_value b, ts_budget *budget)
{
  bool result = spend(budget, 1) && enter(budget) && value_same(a, b, budget);
  budget->depth--;
  return result;
}

bool ts_value_equal(ts_value a, ts_value b, ts_budget *budget) { return equal(a, b, budget); }
