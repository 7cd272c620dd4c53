/* What can be called, and types by name. For the evaluator's own files. */
#ifndef TS_COMPILER_EVAL_FUNCTION_H
#define TS_COMPILER_EVAL_FUNCTION_H

#include "compiler/eval/env.h"

typedef struct ts_type_info {
  const char *name;
  ts_type type;
  ts_dimension dimension;
  const char *text, *example;
  const ts_ast *record; /* of a declared type of records; else NULL */
} ts_type_info;

/* One call of a built-in function: values, and places for messages. */
typedef struct ts_builtin_call {
  ts_session *s;
  const char *name;
  const ts_ast *call;
  const ts_value *arg;
  uint32_t count;
  ts_span span;
} ts_builtin_call;

typedef struct ts_builtin {
  const char *name;
  ts_value (*run)(const ts_builtin_call *c);
  const char *parameters;
  uint32_t min_count, max_count;
} ts_builtin;

ts_value ts_builtin_column(const ts_builtin_call *c); /* compiler/eval/builtin_column.c */
/* compiler/eval/builtin_settings.c; their arguments are of the types they take */
ts_value ts_builtin_json(const ts_builtin_call *c);
ts_value ts_builtin_toml(const ts_builtin_call *c);
ts_value ts_builtin_yaml(const ts_builtin_call *c);
ts_value ts_builtin_csv(const ts_builtin_call *c);
ts_value ts_builtin_xml(const ts_builtin_call *c);
ts_value ts_builtin_lines(const ts_builtin_call *c);
ts_value ts_builtin_number(const ts_builtin_call *c);
ts_value ts_builtin_places(const ts_builtin_call *c);
ts_value ts_builtin_groups(const ts_builtin_call *c);
ts_value ts_builtin_fields(const ts_builtin_call *c);
ts_value ts_builtin_field(const ts_builtin_call *c);
ts_value ts_builtin_letters(const ts_builtin_call *c);
ts_value ts_builtin_words(const ts_builtin_call *c);

typedef struct ts_maker_formal { const char *name, *type; bool optional; } ts_maker_formal;
typedef struct ts_native ts_native; /* compiler/eval/extern.c */

typedef enum ts_function_kind {
  TS_FUNCTION_DECL,
  TS_FUNCTION_NATIVE,
  TS_FUNCTION_BUILTIN,
  TS_FUNCTION_MAKER
} ts_function_kind;

struct ts_function {
  ts_function_kind kind;
  const char *name;
  const ts_ast *decl;          /* DECL, NATIVE */
  const ts_env *module;        /* DECL, NATIVE */
  const ts_native *native;     /* NATIVE */
  const ts_builtin *builtin;   /* BUILTIN */
  uint32_t formal_count;       /* BUILTIN, MAKER */
  const ts_maker_formal *formals;
};

/* Fills the session's tables of built-in names and types (compiler/eval/builtin.c). */
void ts_builtins_install(ts_session *s);
ts_value ts_function_value(const ts_function *function, ts_span span);
const ts_type_info *ts_type_find(const ts_session *s, const char *interned_name);
const ts_type_info *ts_type_at(size_t i); /* NULL at the end */

/* PARAMS of a declaration that has some, else NULL; the i-th FORMAL. */
const ts_ast *ts_decl_params(const ts_ast *decl);

/* Opens the library of an EXTERN declaration and finds its symbol; NULL after a diagnostic. */
const ts_native *ts_native_open(ts_session *s, const ts_ast *decl);
ts_value ts_native_call(ts_session *s, const ts_native *native, const ts_value *args, ts_span span);

/* compiler/eval/convert.c: does the value fit the type, once converted? As ts_convert, with the
 * place of the value and, if it has a file, that where the type was asked for. */
bool ts_type_fits(ts_session *s, const ts_type_info *info, ts_value *v);
bool ts_convert_at(ts_session *s, const ts_ast *type, ts_value *v, const char *what, ts_span at,
                   ts_span note);

/* Devices (compiler/eval/gpu.c): a GPU or GPU_IS declaration, and a GPU value with changes. */
ts_value ts_gpu_value(ts_session *s, const ts_env *env, const ts_ast *decl);
ts_value ts_gpu_changed(ts_session *s, const ts_env *env, ts_value gpu, const ts_ast *with);

/* A record with changes, whose type, if it has one, still holds (compiler/eval/record.c). */
ts_value ts_record_changed(ts_session *s, const ts_env *env, ts_value record, const ts_ast *with);

/* Fields of types of records (compiler/eval/record_type.c). */
/* The FORMAL of a field of a RECORD_TYPE, NULL if it has none of this name. */
const ts_ast *ts_record_type_field(const ts_ast *decl, const char *interned_name);
/* The message about such a name, at `at`. */
void ts_record_type_no_field(ts_session *s, const ts_ast *decl, ts_code code, ts_span at,
                             const char *name);

/* Calls (compiler/eval/call.c). */
ts_value ts_eval_call(ts_session *s, const ts_env *env, const ts_ast *call);

/* ---- Steps of an evaluation, and what else ends one ---- */
/* before they are taken; false after an error: too many, or too much memory */
bool ts_charge(ts_session *s, uint64_t steps, ts_span at);
/* all that is left, for a walk over a value; then what it took is charged: */
ts_budget ts_budget_begin(const ts_session *s);
bool ts_budget_end(ts_session *s, const ts_budget *budget, ts_span at);
/* One level deeper, until `s->depth` is counted down; false after an error: too deep. */
bool ts_deeper(ts_session *s, ts_span at);
void ts_list_too_long(ts_session *s, ts_span at);
/* counts an iteration of a loop; false after an error: there were too many */
bool ts_count_iteration(ts_session *s, ts_span loop);
/* begin..end, empty if it ends first */
ts_value ts_range_value(ts_session *s, int64_t begin, int64_t end, ts_span span);
/* Adds to a diagnostic where the values of the names in `expr` come from. */
void ts_note_values(ts_session *s, const ts_env *env, ts_diag *d, const ts_ast *expr);

#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION /* an input is to end in a moment (llvm.org/docs/LibFuzzer.html, "Fuzzer-friendly build mode") */
enum { TS_MAX_LIST = 1 << 12, TS_MAX_DEPTH = 600 };
#define TS_MAX_STEPS UINT64_C(300000)
#else
enum { TS_MAX_LIST = 1 << 20, TS_MAX_DEPTH = 600 };
#define TS_MAX_STEPS UINT64_C(200000000)
#endif

#endif
