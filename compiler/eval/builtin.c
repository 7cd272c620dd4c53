/* Built-in functions, makers, types and number formats. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/digest.h"
#include "compiler/eval/domain.h"
#include "compiler/eval/label.h"
#include "compiler/eval/mesh.h"
#include "compiler/eval/record_type.h"
#include "compiler/eval/report.h"
#include "compiler/eval/running.h"
#include "compiler/eval/vocabulary.h"

/* ---- Arguments ---- */

static ts_span place(const ts_builtin_call *c, uint32_t i)
{
  ts_ast_list args = c->call ? ts_ast_args(c->call) : (ts_ast_list){0};
  if (i < args.count && !args.at[i]->name)
    return ts_ast_value(args.at[i])->span;
  return c->call || !c->arg[i].span.file ? c->span : c->arg[i].span;
}

static ts_value wrong(const ts_builtin_call *c, uint32_t i, const char *wanted)
{
  const char *found = ts_value_describe(c->s->arena, c->arg[i]);
  ts_diag *d =
    ts_report(c->s, TS_E0220, place(c, i), "`%s` takes %s, not %s", c->name, wanted, found);
  ts_diag_here(d, "found %s", found);
  if (c->arg[i].type == TS_T_QUANTITY && strstr(wanted, "number"))
    ts_diag_help(d, "divide by a unit to get a number, as in `x / (1 us)`");
  return ts_error_value();
}

static ts_value too_large(const ts_builtin_call *c)
{
  ts_report(c->s, TS_E0222, c->span, "the result of `%s` does not fit a 64-bit whole number",
            c->name);
  return ts_error_value();
}

static bool is_numeric(ts_value v)
{
  return v.type == TS_T_INT || v.type == TS_T_REAL || v.type == TS_T_QUANTITY;
}

static double real_of(ts_value v) { return v.type == TS_T_INT ? (double)v.u.integer : v.u.real; }

static ts_value real_result(const ts_builtin_call *c, double r, ts_dimension dimension)
{
  if (isfinite(r))
    return ts_quantity_value(r, dimension, c->span);
  ts_report(c->s, TS_E0232, c->span, "the result of `%s` is not a finite number", c->name);
  return ts_error_value();
}

static bool is_sequence(ts_value v) { return v.type == TS_T_LIST || v.type == TS_T_RANGE; }

static int64_t count_of(ts_value v)
{
  return v.type == TS_T_LIST ? (int64_t)v.u.list->count : v.u.range.end - v.u.range.begin;
}

static ts_value element(ts_value v, int64_t i)
{
  return v.type == TS_T_LIST ? v.u.list->at[i] : ts_int_value(v.u.range.begin + i, v.span);
}

static ts_value too_long(const ts_builtin_call *c)
{
  ts_list_too_long(c->s, c->span);
  return ts_error_value();
}

/* Before running over `count` elements or bytes. */
static bool charged(const ts_builtin_call *c, int64_t count)
{
  return ts_charge(c->s, (uint64_t)count, c->span);
}

static bool both_int(const ts_builtin_call *c, ts_value *bad)
{
  for (uint32_t i = 0; i < 2; i++)
    if (c->arg[i].type != TS_T_INT) {
      *bad = wrong(c, i, "Ints");
      return false;
    }
  return true;
}

/* ---- Numbers ---- */

/* The operands of min and max: the arguments, or the elements of a single list. */
static ts_value extreme(const ts_builtin_call *c, bool greatest)
{
  bool list = c->count == 1 && is_sequence(c->arg[0]);
  int64_t count = list ? count_of(c->arg[0]) : c->count;
  if (!count) {
    ts_report(c->s, TS_E0225, place(c, 0), "`%s` of an empty list", c->name);
    return ts_error_value();
  }
  if (count > TS_MAX_LIST)
    return too_long(c);
  if (!charged(c, count))
    return ts_error_value();
  ts_value best = list ? element(c->arg[0], 0) : c->arg[0];
  bool real = false;
  for (int64_t i = 0; i < count; i++) {
    ts_value v = list ? element(c->arg[0], i) : c->arg[i];
    if (!is_numeric(v))
      return wrong(c, list ? 0 : (uint32_t)i, "numbers or quantities");
    if (!ts_dimension_equal(v.dimension, best.dimension)) {
      ts_span at = list ? place(c, 0) : place(c, (uint32_t)i);
      ts_diag *d =
        ts_report(c->s, TS_E0221, at, "`%s` cannot compare %s and %s", c->name,
                  ts_value_describe(c->s->arena, best), ts_value_describe(c->s->arena, v));
      ts_diag_here(d, "found %s", ts_value_describe(c->s->arena, v));
      if (!list)
        ts_diag_label(d, place(c, 0), "%s", ts_value_describe(c->s->arena, c->arg[0]));
      return ts_error_value();
    }
    real |= v.type == TS_T_REAL;
    bool less = v.type == TS_T_INT && best.type == TS_T_INT ? v.u.integer < best.u.integer :
                                                              real_of(v) < real_of(best);
    bool equal = v.type == TS_T_INT && best.type == TS_T_INT ? v.u.integer == best.u.integer :
                                                               real_of(v) == real_of(best);
    if (greatest ? !less && !equal : less)
      best = v;
  }
  best = real && best.type == TS_T_INT ? ts_real_value((double)best.u.integer, c->span) : best;
  best.span = c->span;
  return best;
}

static ts_value smallest(const ts_builtin_call *c) { return extreme(c, false); }
static ts_value greatest(const ts_builtin_call *c) { return extreme(c, true); }

static ts_value absolute(const ts_builtin_call *c)
{
  ts_value v = c->arg[0];
  if (!is_numeric(v))
    return wrong(c, 0, "a number or a quantity");
  if (v.type != TS_T_INT)
    return ts_quantity_value(fabs(v.u.real), v.dimension, c->span);
  return v.u.integer == INT64_MIN ?
           too_large(c) :
           ts_int_value(v.u.integer < 0 ? -v.u.integer : v.u.integer, c->span);
}

static ts_value real_of_number(const ts_builtin_call *c)
{
  ts_value v = c->arg[0];
  if (!ts_value_is_number(v))
    return wrong(c, 0, "a number");
  return ts_real_value(v.type == TS_T_INT ? (double)v.u.integer : v.u.real, c->span);
}

static ts_value sum_of(const ts_builtin_call *c)
{
  ts_value list = c->arg[0];
  if (!is_sequence(list))
    return wrong(c, 0, "a list");
  int64_t whole = 0;
  double real = 0;
  ts_dimension dimension = TS_DIM_NONE;
  bool all_int = true;
  if (count_of(list) > TS_MAX_LIST)
    return too_long(c);
  if (!charged(c, count_of(list)))
    return ts_error_value();
  for (int64_t i = 0; i < count_of(list); i++) {
    ts_value v = element(list, i);
    if (!is_numeric(v))
      return wrong(c, 0, "a list of numbers or quantities");
    if (i && !ts_dimension_equal(v.dimension, dimension)) {
      ts_diag *d = ts_report(c->s, TS_E0221, place(c, 0), "`sum` cannot add %s to %s",
                             ts_value_describe(c->s->arena, v), ts_dimension_describe(dimension));
      ts_diag_here(d, "element %" PRId64 " is %s", i, ts_value_print(c->s->arena, v));
      return ts_error_value();
    }
    dimension = v.dimension;
    all_int &= v.type == TS_T_INT;
    if (all_int && __builtin_add_overflow(whole, v.u.integer, &whole))
      return too_large(c);
    real += real_of(v);
  }
  return all_int ? ts_int_value(whole, c->span) : real_result(c, real, dimension);
}

static ts_value divide(const ts_builtin_call *c, bool up)
{
  ts_value bad;
  if (!both_int(c, &bad))
    return bad;
  int64_t a = c->arg[0].u.integer, b = c->arg[1].u.integer;
  if (!b) {
    ts_report(c->s, TS_E0224, place(c, 1), "`%s` divides by zero", c->name);
    return ts_error_value();
  }
  if (a == INT64_MIN && b == -1)
    return too_large(c);
  int64_t q = a / b, r = a % b;
  bool negative = r && (r < 0) != (b < 0);
  return ts_int_value(up ? q + (r && !negative) : q - negative, c->span);
}

/* A number from [0, 1) that depends on nothing but a name and whole numbers: the first 53 bits of
 * their SHA-256. */
static ts_value draw_of(const ts_builtin_call *c)
{
  if (c->arg[0].type != TS_T_STRING)
    return wrong(c, 0, "the name of a seed, and Ints");
  size_t length = strlen(c->arg[0].u.string);
  if (!charged(c, (int64_t)length))
    return ts_error_value();
  uint8_t digest[TS_DIGEST_SIZE],
    *text = TS_NEW_ARRAY(c->s->arena, uint8_t, length + 8 * (size_t)c->count);
  memcpy(text, c->arg[0].u.string, length);
  for (uint32_t i = 1; i < c->count; i++) {
    if (c->arg[i].type != TS_T_INT)
      return wrong(c, i, "Ints after the name of a seed");
    for (int b = 0; b < 8; b++)
      text[length++] = (uint8_t)((uint64_t)c->arg[i].u.integer >> 8 * b);
  }
  ts_digest_bytes(text, length, digest);
  uint64_t bits = 0;
  for (int b = 0; b < 7; b++)
    bits = bits << 8 | digest[b];
  return ts_real_value((double)(bits >> 3) / 9007199254740992.0, c->span);
}

static ts_value divide_down(const ts_builtin_call *c) { return divide(c, false); }
static ts_value divide_up(const ts_builtin_call *c) { return divide(c, true); }

static ts_value common_divisor(const ts_builtin_call *c)
{
  ts_value bad;
  if (!both_int(c, &bad))
    return bad;
  int64_t signed_a = c->arg[0].u.integer, signed_b = c->arg[1].u.integer;
  uint64_t a = signed_a < 0 ? 0 - (uint64_t)signed_a : (uint64_t)signed_a,
           b = signed_b < 0 ? 0 - (uint64_t)signed_b : (uint64_t)signed_b;
  while (b) {
    uint64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a > INT64_MAX ? too_large(c) : ts_int_value((int64_t)a, c->span);
}

static ts_value to_int(const ts_builtin_call *c, double (*rounding)(double))
{
  ts_value v = c->arg[0];
  if (v.type == TS_T_INT)
    return ts_int_value(v.u.integer, c->span);
  if (v.type != TS_T_REAL)
    return wrong(c, 0, "a number");
  double r = rounding(v.u.real);
  return fabs(r) < 0x1p63 ? ts_int_value((int64_t)r, c->span) : too_large(c);
}

static ts_value round_to(const ts_builtin_call *c) { return to_int(c, round); }
static ts_value floor_of(const ts_builtin_call *c) { return to_int(c, floor); }
static ts_value ceil_of(const ts_builtin_call *c) { return to_int(c, ceil); }

static ts_value real_function(const ts_builtin_call *c, double (*function)(double))
{
  if (!ts_value_is_number(c->arg[0]))
    return wrong(c, 0, "a number");
  return real_result(c, function(real_of(c->arg[0])), TS_DIM_NONE);
}

static ts_value root(const ts_builtin_call *c) { return real_function(c, sqrt); }
static ts_value logarithm(const ts_builtin_call *c) { return real_function(c, log2); }
static ts_value exponential(const ts_builtin_call *c) { return real_function(c, exp); }

static ts_value whole_power(const ts_builtin_call *c, int64_t base, int64_t exponent)
{
  int64_t result = 1;
  while (exponent) {
    if (exponent & 1 && __builtin_mul_overflow(result, base, &result))
      return too_large(c);
    exponent >>= 1;
    if (exponent && __builtin_mul_overflow(base, base, &base))
      return too_large(c);
  }
  return ts_int_value(result, c->span);
}

static ts_value power(const ts_builtin_call *c)
{
  ts_value base = c->arg[0], exponent = c->arg[1];
  if (!is_numeric(base))
    return wrong(c, 0, "a number or a quantity");
  if (!ts_value_is_number(exponent))
    return wrong(c, 1, "a number as the exponent");
  if (base.type == TS_T_INT && exponent.type == TS_T_INT && exponent.u.integer >= 0)
    return whole_power(c, base.u.integer, exponent.u.integer);
  ts_dimension dimension = TS_DIM_NONE;
  if (base.type == TS_T_QUANTITY) {
    if (exponent.type != TS_T_INT)
      return wrong(c, 1, "an Int as the exponent of a quantity");
    int64_t n = exponent.u.integer;
    for (int64_t i = 0; i < (n < 0 ? -n : n) && i < 16; i++)
      if (!ts_dimension_multiply(dimension, base.dimension, n < 0 ? -1 : 1, &dimension)) {
        ts_report(c->s, TS_E0221, c->span, "the exponents of this unit become too large");
        return ts_error_value();
      }
  }
  return real_result(c, pow(real_of(base), real_of(exponent)), dimension);
}

/* ---- Lists and text ---- */

static ts_value length_of(const ts_builtin_call *c)
{
  ts_value v = c->arg[0];
  if (is_sequence(v))
    return ts_int_value(count_of(v), c->span);
  return v.type == TS_T_RECORD ? ts_int_value(v.u.record->count, c->span) : wrong(c, 0, "a list");
}

static ts_value stepped(const ts_builtin_call *c, int64_t begin, int64_t end, int64_t step)
{
  if (!step) {
    ts_report(c->s, TS_E0225, place(c, 2), "a range cannot advance by 0");
    return ts_error_value();
  }
  uint64_t distance = step > 0 ? (uint64_t)end - (uint64_t)begin : (uint64_t)begin - (uint64_t)end;
  uint64_t stride = step > 0 ? (uint64_t)step : 0 - (uint64_t)step;
  uint64_t count = (step > 0 ? end > begin : end < begin) ? (distance - 1) / stride + 1 : 0;
  if (count > TS_MAX_LIST)
    return too_long(c);
  if (!charged(c, (int64_t)count))
    return ts_error_value();
  ts_value *at = TS_NEW_ARRAY(c->s->arena, ts_value, count);
  for (uint64_t i = 0; i < count; i++)
    at[i] = ts_int_value((int64_t)((uint64_t)begin + i * (uint64_t)step), c->span);
  return ts_list_value(c->s->arena, at, (uint32_t)count, c->span);
}

static ts_value range_of(const ts_builtin_call *c)
{
  for (uint32_t i = 0; i < c->count; i++)
    if (c->arg[i].type != TS_T_INT)
      return wrong(c, i, "Ints");
  int64_t begin = c->count == 1 ? 0 : c->arg[0].u.integer,
          end = c->arg[c->count == 1 ? 0 : 1].u.integer;
  if (c->count == 3)
    return stepped(c, begin, end, c->arg[2].u.integer);
  return ts_range_value(c->s, begin, end, c->span);
}

static ts_value truths(const ts_builtin_call *c, bool wanted)
{
  if (!is_sequence(c->arg[0]))
    return wrong(c, 0, "a list of Bools");
  for (int64_t i = 0; i < count_of(c->arg[0]); i++) {
    ts_value v = element(c->arg[0], i);
    if (v.type != TS_T_BOOL)
      return wrong(c, 0, "a list of Bools");
    if (!charged(c, 1))
      return ts_error_value();
    if (v.u.truth == wanted)
      return ts_bool_value(wanted, c->span);
  }
  return ts_bool_value(!wanted, c->span);
}

static ts_value any_of(const ts_builtin_call *c) { return truths(c, true); }
static ts_value all_of(const ts_builtin_call *c) { return truths(c, false); }

enum { PAIR_STEPS = 10 }; /* a list of two takes memory as well */

static ts_value pair(ts_arena *arena, ts_value a, ts_value b, ts_span span)
{
  ts_value *at = TS_NEW_ARRAY(arena, ts_value, 2);
  at[0] = a;
  at[1] = b;
  return ts_list_value(arena, at, 2, span);
}

static ts_value zip_of(const ts_builtin_call *c)
{
  for (uint32_t i = 0; i < 2; i++)
    if (!is_sequence(c->arg[i]))
      return wrong(c, i, "two lists");
  int64_t count = count_of(c->arg[0]), other = count_of(c->arg[1]);
  if (count != other) {
    ts_diag *d =
      ts_report(c->s, TS_E0225, place(c, 1),
                "`zip` needs lists of equal length, not of %" PRId64 " and %" PRId64, count, other);
    ts_diag_here(d, "%" PRId64 " elements", other);
    ts_diag_label(d, place(c, 0), "%" PRId64 " elements", count);
    return ts_error_value();
  }
  if (count > TS_MAX_LIST)
    return too_long(c);
  if (!charged(c, PAIR_STEPS * count))
    return ts_error_value();
  ts_value *at = TS_NEW_ARRAY(c->s->arena, ts_value, count);
  for (int64_t i = 0; i < count; i++)
    at[i] = pair(c->s->arena, element(c->arg[0], i), element(c->arg[1], i), c->span);
  return ts_list_value(c->s->arena, at, (uint32_t)count, c->span);
}

static ts_value enumerate_of(const ts_builtin_call *c)
{
  if (!is_sequence(c->arg[0]))
    return wrong(c, 0, "a list");
  int64_t count = count_of(c->arg[0]);
  if (count > TS_MAX_LIST)
    return too_long(c);
  if (!charged(c, PAIR_STEPS * count))
    return ts_error_value();
  ts_value *at = TS_NEW_ARRAY(c->s->arena, ts_value, count);
  for (int64_t i = 0; i < count; i++)
    at[i] = pair(c->s->arena, ts_int_value(i, c->span), element(c->arg[0], i), c->span);
  return ts_list_value(c->s->arena, at, (uint32_t)count, c->span);
}

static ts_value is_list(const ts_builtin_call *c)
{
  return ts_bool_value(is_sequence(c->arg[0]), c->span);
}

static bool is_label(ts_value v) { return v.type == TS_T_LABEL || v.type == TS_T_STRING; }

static bool are_labels(ts_value v)
{
  bool labels = v.type == TS_T_LIST;
  for (uint32_t i = 0; labels && i < v.u.list->count; i++)
    labels = is_label(v.u.list->at[i]);
  return labels || is_label(v);
}

static bool has_digits(ts_value labels)
{
  if (is_label(labels))
    return labels.u.string[strcspn(labels.u.string, "0123456789")] != 0;
  for (uint32_t i = 0; i < labels.u.list->count; i++)
    if (has_digits(labels.u.list->at[i]))
      return true;
  return false;
}

static ts_value within(const ts_builtin_call *c)
{
  if (c->arg[0].type != TS_T_STRING)
    return wrong(c, 0, "the label of an op");
  if (!are_labels(c->arg[1]))
    return wrong(c, 1, "a label, or a list of labels");
  c->s->running->numbered |= has_digits(c->arg[1]);
  return ts_bool_value(ts_label_group(c->arg[1], c->arg[0].u.string) > 0, c->span);
}

static ts_value text_of(const ts_builtin_call *c)
{
  if (c->arg[0].type == TS_T_STRING)
    return c->arg[0];
  size_t length;
  ts_budget budget = ts_budget_begin(c->s);
  const char *text = ts_value_text(c->s->arena, c->arg[0], &budget, &length);
  return ts_budget_end(c->s, &budget, c->span) ?
           ts_string_value(ts_lang_intern(c->s->lang, text, length), c->span) :
           ts_error_value();
}

static bool is_users(const ts_session *s, ts_span span)
{
  const ts_source *source = span.file ? ts_sources_get(s->sources, span.file) : NULL;
  return source && strncmp(source->name, "std/", 4) != 0;
}

/* The innermost call that a file of the user's makes: what stands there can be changed. Else, the
 * innermost of all. */
static const ts_frame *requested_by(const ts_session *s)
{
  const ts_frame *frame = s->running->frame;
  while (frame && !is_users(s, frame->span))
    frame = frame->outer;
  return frame ? frame : s->running->frame;
}

/* A function of the language that cannot work with what it was given: the place is where it was
 * called. */
static ts_value refuse_call(const ts_builtin_call *c)
{
  if (c->arg[0].type != TS_T_STRING)
    return wrong(c, 0, "a String");
  const ts_frame *frame = requested_by(c->s), *innermost = c->s->running->frame;
  c->s->running->frame =
    frame ? frame->outer : NULL; /* calls in between say nothing of what to change */
  ts_diag *d = frame ? ts_report(c->s, TS_E0237, frame->span,
                                 "`%s` cannot be called with these arguments", frame->name) :
                       ts_report(c->s, TS_E0237, c->span, "the plan refuses this");
  c->s->running->frame = innermost;
  ts_diag_here(d, "%s", c->arg[0].u.string);
  if (frame)
    ts_diag_note_at(d, c->span, "it refuses this");
  return ts_error_value();
}

/* ---- Tensors and shapes ---- */

/* Dimensions of a tensor, or the elements of a list of Ints. */
static bool shape_of(const ts_builtin_call *c, const int64_t **dims, uint32_t *rank, ts_value *bad)
{
  ts_value v = c->arg[0];
  if (v.type == TS_T_TENSOR) {
    *dims = v.u.tensor->shape.dim;
    *rank = v.u.tensor->shape.rank;
    return true;
  }
  if (v.type != TS_T_LIST) {
    *bad = wrong(c, 0, "a Tensor or a shape");
    return false;
  }
  *bad = ts_error_value();
  if (!charged(c, v.u.list->count))
    return false;
  int64_t *at = TS_NEW_ARRAY(c->s->arena, int64_t, v.u.list->count);
  for (uint32_t i = 0; i < v.u.list->count; i++) {
    if (v.u.list->at[i].type != TS_T_INT) {
      *bad = wrong(c, 0, "a shape, which is a list of Ints");
      return false;
    }
    at[i] = v.u.list->at[i].u.integer;
  }
  *dims = at;
  *rank = v.u.list->count;
  return true;
}

static ts_value product(const ts_builtin_call *c, const int64_t *dims, uint32_t count)
{
  int64_t n = 1;
  for (uint32_t i = 0; i < count; i++)
    if (__builtin_mul_overflow(n, dims[i], &n))
      return too_large(c);
  return ts_int_value(n, c->span);
}

static ts_value elements_of(const ts_builtin_call *c)
{
  const int64_t *dims;
  uint32_t rank;
  ts_value bad;
  return shape_of(c, &dims, &rank, &bad) ? product(c, dims, rank) : bad;
}

static ts_value rows_of(const ts_builtin_call *c)
{
  const int64_t *dims;
  uint32_t rank;
  ts_value bad;
  return shape_of(c, &dims, &rank, &bad) ? product(c, dims, rank ? rank - 1 : 0) : bad;
}

static ts_value last_of(const ts_builtin_call *c)
{
  ts_value v = c->arg[0];
  if (!is_sequence(v))
    return wrong(
      c, 0, v.type == TS_T_TENSOR ? "a list; `last(x.shape)` is the last dimension" : "a list");
  if (count_of(v))
    return element(v, count_of(v) - 1);
  ts_report(c->s, TS_E0225, place(c, 0), "`last` of an empty list");
  return ts_error_value();
}

static ts_value with_last_of(const ts_builtin_call *c)
{
  ts_value v = c->arg[0];
  if (v.type != TS_T_LIST)
    return wrong(c, 0, v.type == TS_T_TENSOR ? "a shape: write `x.shape`" : "a list");
  if (!v.u.list->count) {
    ts_report(c->s, TS_E0225, place(c, 0), "`with_last` of an empty list");
    return ts_error_value();
  }
  if (!charged(c, v.u.list->count))
    return ts_error_value();
  ts_value *at = ts_arena_copy(c->s->arena, v.u.list->at, v.u.list->count * sizeof *at);
  at[v.u.list->count - 1] = c->arg[1];
  return ts_list_value(c->s->arena, at, v.u.list->count, c->span);
}

static bool given_shape(const ts_builtin_call *c, uint32_t i, ts_shape *shape)
{
  ts_value v = c->arg[i];
  bool good = v.type == TS_T_LIST && charged(c, v.u.list->count);
  int64_t *dim = TS_NEW_ARRAY(c->s->arena, int64_t, good ? v.u.list->count + 1 : 1);
  for (uint32_t d = 0; good && d < v.u.list->count; d++) {
    good = v.u.list->at[d].type == TS_T_INT || v.u.list->at[d].type == TS_T_AXIS;
    dim[d] = v.u.list->at[d].type == TS_T_AXIS ?
               ts_axes_size(c->s, v.u.list->at[d].u.axes.mask) :
               v.u.list->at[d].u.integer;
    good &= dim[d] >= 0;
  }
  if (good)
    *shape = (ts_shape){v.u.list->count, dim};
  return good;
}

static ts_value tensor_result(const ts_builtin_call *c, ts_tensor tensor)
{
  ts_tensor *t = TS_NEW(c->s->arena, ts_tensor);
  *t = tensor;
  return (ts_value){.type = TS_T_TENSOR, .span = c->span, .u.tensor = t};
}

/* A tensor that comes from outside of the model. */
static ts_value input_of(const ts_builtin_call *c)
{
  ts_tensor t = {.dtype = ts_dtype_find("fp32"), .id = UINT32_MAX, .name = "input"};
  if (!given_shape(c, 0, &t.shape))
    return wrong(c, 0, "a shape: a list of Ints from 0 up");
  if (c->count > 1 && c->arg[1].type != TS_T_DTYPE)
    return wrong(c, 1, "a DType");
  if (c->count > 1)
    t.dtype = c->arg[1].u.dtype;
  return tensor_result(c, t);
}

/* The same elements under another shape: costs nothing. */
static ts_value reshape_of(const ts_builtin_call *c)
{
  if (c->arg[0].type != TS_T_TENSOR)
    return wrong(c, 0, "a Tensor");
  ts_tensor t = *c->arg[0].u.tensor;
  double before = 1, after = 1;
  for (uint32_t d = 0; d < t.shape.rank; d++)
    before *= (double)t.shape.dim[d];
  if (!given_shape(c, 1, &t.shape))
    return wrong(c, 1, "a shape: a list of Ints from 0 up");
  for (uint32_t d = 0; d < t.shape.rank; d++)
    after *= (double)t.shape.dim[d];
  if (before != after) {
    ts_diag *d = ts_report(c->s, TS_E0225, place(c, 1), "%.0f elements cannot be reshaped to %.0f",
                           before, after);
    ts_diag_here(d, "another number of elements");
    return ts_error_value();
  }
  return tensor_result(c, t);
}

static ts_value bytes_of(const ts_builtin_call *c)
{
  ts_value v = c->arg[0];
  if (v.type == TS_T_DTYPE)
    return ts_quantity_value(v.u.dtype->bits, TS_DIM_SIZE, c->span);
  if (v.type != TS_T_TENSOR)
    return wrong(c, 0, "a Tensor or a DType");
  double bits = v.u.tensor->dtype ? v.u.tensor->dtype->bits : 32;
  for (uint32_t i = 0; i < v.u.tensor->shape.rank; i++)
    bits *= (double)v.u.tensor->shape.dim[i];
  return real_result(c, bits, TS_DIM_SIZE);
}

/* ---- Tables ---- */

/* Into how many parts a schedule cuts the model: its ranks times its chunks, of one copy. */
static ts_value stages_of(const ts_builtin_call *c)
{
  uint32_t parts = 0;
  ts_value v = ts_settle(c->s, c->arg[0]);
  if (v.type != TS_T_APPLIED || !v.u.applied->decl || v.u.applied->decl->kind != TS_AST_SCHEDULE)
    return wrong(c, 0, "a schedule");
  return c->s->domain->stages(c->s, v.u.applied, &parts) ? ts_int_value(parts, c->span) :
                                                           ts_error_value();
}

static ts_value column_of(const ts_builtin_call *c)
{
  for (uint32_t i = 0; i < 2; i++)
    if (c->arg[i].type != TS_T_STRING)
      return wrong(c, i, "a String");
  return ts_builtin_column(c);
}

/* Of the file that the argument names. */
static ts_value file_of(const ts_builtin_call *c, ts_value (*read)(const ts_builtin_call *c))
{
  return c->arg[0].type == TS_T_STRING ? read(c) : wrong(c, 0, "a String");
}
static ts_value json_of(const ts_builtin_call *c) { return file_of(c, ts_builtin_json); }
static ts_value toml_of(const ts_builtin_call *c) { return file_of(c, ts_builtin_toml); }
static ts_value yaml_of(const ts_builtin_call *c) { return file_of(c, ts_builtin_yaml); }
static ts_value csv_of(const ts_builtin_call *c) { return file_of(c, ts_builtin_csv); }
static ts_value xml_of(const ts_builtin_call *c) { return file_of(c, ts_builtin_xml); }
static ts_value lines_of(const ts_builtin_call *c) { return file_of(c, ts_builtin_lines); }

static ts_value number_of(const ts_builtin_call *c)
{
  return c->arg[0].type == TS_T_STRING ? ts_builtin_number(c) : wrong(c, 0, "a String");
}

static bool is_texts(ts_value v)
{
  bool texts = v.type == TS_T_LIST;
  for (uint32_t i = 0; texts && i < v.u.list->count; i++)
    texts = v.u.list->at[i].type == TS_T_STRING;
  return texts;
}

static ts_value groups_of(const ts_builtin_call *c)
{
  return is_texts(c->arg[0]) ? ts_builtin_groups(c) : wrong(c, 0, "a list of Strings");
}

static ts_value places_of(const ts_builtin_call *c)
{
  for (uint32_t i = 0; i < 2; i++)
    if (!is_texts(c->arg[i]))
      return wrong(c, i, "a list of Strings");
  return ts_builtin_places(c);
}

static ts_value fields_of(const ts_builtin_call *c)
{
  return c->arg[0].type == TS_T_RECORD ? ts_builtin_fields(c) : wrong(c, 0, "a Record");
}

static ts_value field_of(const ts_builtin_call *c)
{
  if (c->arg[0].type != TS_T_RECORD)
    return wrong(c, 0, "a Record");
  return c->arg[1].type == TS_T_STRING ? ts_builtin_field(c) : wrong(c, 1, "the name of a field");
}

static ts_value letters_of(const ts_builtin_call *c)
{
  return c->arg[0].type == TS_T_STRING ? ts_builtin_letters(c) : wrong(c, 0, "a String");
}

static ts_value words_of(const ts_builtin_call *c)
{
  for (uint32_t i = 0; i < c->count; i++)
    if (c->arg[i].type != TS_T_STRING)
      return wrong(c, i, "a String");
  return ts_builtin_words(c);
}

static const ts_builtin builtins[] = {
#define BUILTIN(name, run, parameters, min, max) {#name, run, parameters, min, max},
#include "compiler/eval/builtins.def"
#undef BUILTIN
};

static const struct { const char *name, *parameters; } makers[] = {
#define MAKER(name, parameters) {#name, parameters},
#include "compiler/eval/makers.def"
#undef MAKER
};

static const ts_type_info types[] = {
#define TYPE(name, type, dimension, text, example) {#name, type, dimension, text, example, NULL},
#include "compiler/eval/types.def"
#undef TYPE
};

enum { TYPES = sizeof types / sizeof types[0] };

const ts_type_info *ts_type_at(size_t i) { return i < TYPES ? &types[i] : NULL; }

const ts_type_info *ts_type_find(const ts_session *s, const char *name)
{
  return ts_names_get(&s->vocabulary->types, name);
}

ts_value ts_function_value(const ts_function *function, ts_span span)
{
  return (ts_value){.type = TS_T_FUNCTION, .span = span, .u.function = function};
}

static const char *intern(ts_session *s, const char *text, size_t length)
{
  return ts_lang_intern(s->lang, text, length);
}

static void install(ts_session *s, const char *text, ts_value v)
{
  const char *name = intern(s, text, strlen(text));
  ts_value *copy = TS_NEW(s->arena, ts_value);
  *copy = v;
  ts_names_put(s->arena, &s->vocabulary->builtins, name, copy);
  TS_PUSH(s->arena, &s->vocabulary->builtin_names, name);
}

/* Formals from their text: "a, b" or "base: Time?, hop: Time?". */
static void read_formals(ts_session *s, ts_function *f, const char *text)
{
  uint32_t room = 1;
  for (const char *c = text; *c; c++)
    room += *c == ',';
  ts_maker_formal *formals = TS_NEW_ARRAY(s->arena, ts_maker_formal, room);
  while (*text) {
    size_t length = strcspn(text, ",");
    size_t name = strcspn(text, ":,");
    bool optional = text[length - 1] == '?';
    ts_maker_formal *formal = &formals[f->formal_count++];
    formal->name = intern(s, text, name);
    formal->optional = optional;
    if (name < length)
      formal->type = intern(s, text + name + 2, length - name - 2 - optional);
    text += length + strspn(text + length, ", ");
  }
  f->formals = formals;
}

void ts_builtins_install(ts_session *s)
{
  for (size_t i = 0; i < sizeof builtins / sizeof builtins[0]; i++) {
    ts_function *f = TS_NEW(s->arena, ts_function);
    *f =
      (ts_function){.kind = TS_FUNCTION_BUILTIN, .name = builtins[i].name, .builtin = &builtins[i]};
    read_formals(s, f, builtins[i].parameters);
    install(s, f->name, ts_function_value(f, TS_NO_SPAN));
  }
  for (size_t i = 0; i < sizeof makers / sizeof makers[0]; i++) {
    ts_function *f = TS_NEW(s->arena, ts_function);
    *f = (ts_function){.kind = TS_FUNCTION_MAKER,
                       .name = intern(s, makers[i].name, strlen(makers[i].name))};
    read_formals(s, f, makers[i].parameters);
    install(s, f->name, ts_function_value(f, TS_NO_SPAN));
  }
  for (size_t i = 0; ts_dtype_at(i); i++)
    install(s, ts_dtype_at(i)->name, ts_dtype_value(ts_dtype_at(i), TS_NO_SPAN));
  install(s, "none", ts_none_value());
  for (size_t i = 0; i < TYPES; i++)
    ts_names_put(s->arena, &s->vocabulary->types, intern(s, types[i].name, strlen(types[i].name)),
                 &types[i]);
  ts_record_types_install(s, s->domain->record_types);
}
