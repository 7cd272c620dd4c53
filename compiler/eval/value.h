/* Values of the language. Immutable once made; they live in the session's arena. Small values are
 * passed by value. */
#ifndef TS_COMPILER_EVAL_VALUE_H
#define TS_COMPILER_EVAL_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lang/ast.h"
#include "lang/units.h"

typedef enum ts_type {
  TS_T_ERROR,    /* a failed expression: whatever meets it keeps quiet */
  TS_T_NONE,
  TS_T_INT, TS_T_REAL, TS_T_BOOL, TS_T_STRING,
  TS_T_QUANTITY, /* Time, Size (bits inside), Rate, Work, ...: see dimension */
  TS_T_DTYPE, TS_T_LIST, TS_T_RANGE, TS_T_RECORD,
  TS_T_TENSOR,   /* an edge of the model graph */
  TS_T_AXIS,     /* mesh axes as a bit mask; their size is the mesh's: ts_axes_size */
  TS_T_LABEL,    /* a label pattern */
  TS_T_WORD,     /* one of the words of an enumeration: `ring` of Overlap */
  TS_T_FUNCTION, /* fn, builtin, extern fn */
  /* op, block, model, strategy, schedule, cluster, plan: a declaration not yet applied */
  TS_T_DECL,
  /* the same with its arguments bound: model(...), strategy(...), schedule(...), cost source calls
   * */
  TS_T_APPLIED,
  TS_T_GPU,      /* a record with a name, made by `gpu` */
  TS_T_CLUSTER   /* an elaborated cluster graph */
} ts_type;

typedef enum ts_dtype_class { TS_DTYPE_FLOAT, TS_DTYPE_INTEGER, TS_DTYPE_MASK } ts_dtype_class;
/* rate: see dtypes.def */
typedef struct ts_dtype {
  const char *name;
  double bits;
  ts_dtype_class class;
  const char *rate;
} ts_dtype;
static inline bool ts_dtype_is_float(const ts_dtype *dtype)
{
  return dtype && dtype->class == TS_DTYPE_FLOAT;
}
static inline bool ts_dtype_is_integer(const ts_dtype *dtype)
{
  return dtype && dtype->class == TS_DTYPE_INTEGER;
}

typedef struct ts_value ts_value;
typedef struct ts_env ts_env;
typedef struct ts_shape { uint32_t rank; const int64_t *dim; } ts_shape;

typedef struct ts_tensor { /* what expressions see of a tensor; the graph has more under `id` */
  ts_shape shape;          /* in the evaluation at hand: global, or local to a rank */
  const ts_dtype *dtype;
  uint32_t id;             /* of the graph tensor; UINT32_MAX if none */
  const char *name;        /* in the op: "x", "w", "y", "dy" */
} ts_tensor;

typedef struct ts_list { uint32_t count; const ts_value *at; } ts_list;
typedef struct ts_field { const char *name; const ts_value *value; ts_span span; } ts_field;
typedef struct ts_record {
  uint32_t count;
  const ts_field *at;
  const char *name;   /* of a gpu, else NULL */
  const ts_ast *type; /* RECORD_TYPE, once it is a value of a declared type: all of its fields */
} ts_record;
typedef struct ts_axes { uint32_t mask; const char *text; } ts_axes;
/* `zero1(d) with { rule ... }` */
typedef struct ts_changes {
  const ts_ast *with;
  const ts_env *env;
  const struct ts_changes *before;
} ts_changes;
/* args: all parameters by name; decl NULL for a builtin maker (table, fit, roofline ...) */
typedef struct ts_applied {
  const ts_ast *decl;
  const ts_env *env;
  const char *name;
  ts_span span;
  ts_record args;
  const ts_changes *changes;
} ts_applied;
typedef struct ts_cluster ts_cluster; /* compiler/machine/cluster.h; it begins with its name: */
typedef struct ts_named { const char *name; } ts_named;
typedef struct ts_function ts_function;

struct ts_value {
  ts_type type;
  ts_dimension dimension; /* QUANTITY */
  ts_span span;           /* where it was written: for provenance in diagnostics */
  union {
    int64_t integer;      /* INT */
    double real;          /* REAL, QUANTITY in base units */
    bool truth;
    const char *string;   /* STRING, LABEL, WORD; interned */
    struct { int64_t begin, end; } range;
    const ts_dtype *dtype;
    const ts_list *list;
    const ts_record *record; /* RECORD, GPU */
    const ts_tensor *tensor;
    ts_axes axes;
    const ts_function *function;
    const ts_ast *decl;
    const ts_applied *applied;
    const ts_cluster *cluster;
  } u;
};

/* Constructors and views (compiler/eval/value.c). */
ts_value ts_error_value(void);
ts_value ts_int_value(int64_t i, ts_span span);
ts_value ts_real_value(double r, ts_span span);
ts_value ts_quantity_value(double base_units, ts_dimension dimension, ts_span span);
ts_value ts_bool_value(bool b, ts_span span);
ts_value ts_string_value(const char *interned, ts_span span);
ts_value ts_none_value(void);
ts_value ts_dtype_value(const ts_dtype *dtype, ts_span span);
ts_value ts_list_value(ts_arena *arena, const ts_value *at, uint32_t count, ts_span span);
int64_t ts_sequence_count(ts_value v); /* of a list or a range */
ts_value ts_sequence_at(ts_value v, int64_t i);
ts_value ts_shape_value(ts_arena *arena, ts_shape shape, ts_span span); /* a list of Int */
/* NULL if absent */
const ts_value *ts_record_get(const ts_record *record, const char *interned_name);
/* the same, by text */
const ts_value *ts_record_find(const ts_record *record, const char *name);
const char *ts_record_text(const ts_record *record, const char *name); /* "": it is no String */
/* of an Int or a Real */
double ts_record_number(const ts_record *record, const char *name, double otherwise);
bool ts_value_is_number(ts_value value);                                           /* Int or Real */
const char *ts_function_name(const ts_function *function);
/* "a Host", "an Optimizer" */
const char *ts_with_article(ts_arena *arena, const char *name);
/* "a time", "an Int", "a list of 3": for messages. */
const char *ts_value_describe(ts_arena *arena, ts_value value);
/* As it would be written in the language, shortened: for messages. */
const char *ts_value_print(ts_arena *arena, ts_value value);
/* A count in prose: "1,024". */
const char *ts_count_print(ts_arena *arena, int64_t count);

/* What a walk over a value may cost: an element and a byte of text are 1 each. Once nothing is
 * left, or the value is nested deeper than TS_MAX_NESTED, the walk ends and its result means
 * nothing. */
typedef struct ts_budget { uint64_t left; uint32_t depth; bool too_deep; } ts_budget;
enum { TS_MAX_NESTED = 600 };
bool ts_value_equal(ts_value a, ts_value b, ts_budget *budget);
/* whole lists of up to 16; NULL: nothing is left */
const char *ts_value_text(ts_arena *arena, ts_value value, ts_budget *budget, size_t *length);
bool ts_value_walk(ts_value value, ts_budget *budget); /* over all it holds */
const ts_dtype *ts_dtype_find(const char *name); /* NULL if unknown */
/* The format that others call so, "bfloat16"; NULL: none. */
const char *ts_dtype_elsewhere(const char *name);
/* The peak rate of a format in the record `peak` of a gpu: its own, or that of its `rate`; NULL:
 * the record has neither. */
const ts_value *ts_dtype_peak(const ts_record *peak, const char *dtype);
const ts_dtype *ts_dtype_at(size_t i);           /* in the order of dtypes.def, NULL at the end */

#endif
