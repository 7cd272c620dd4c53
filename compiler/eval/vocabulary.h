/* Names that every file knows without an import. The evaluator fills the tables:
 * compiler/eval/builtin.c, compiler/eval/record_type.c. */
#ifndef TS_COMPILER_EVAL_VOCABULARY_H
#define TS_COMPILER_EVAL_VOCABULARY_H

#include "compiler/eval/names.h"
#include "compiler/eval/session.h"

typedef struct ts_vocabulary {
  ts_names builtins; /* name -> ts_value: functions, cost sources, number formats */
  TS_VEC(const char *) builtin_names;
  ts_names types;        /* name -> ts_type_info */
  ts_names record_types; /* name -> RECORD_TYPE: compiler/eval/record_type.h */
  TS_VEC(const char *) record_names;
  ts_names record_infos; /* RECORD_TYPE -> ts_type_info */
} ts_vocabulary;

#endif
