/* Types of records: what a `record` declares, in a file or in the session's own text. */
#ifndef TS_COMPILER_EVAL_RECORD_TYPE_H
#define TS_COMPILER_EVAL_RECORD_TYPE_H

#include "compiler/eval/function.h"

/* Declares the types in `text`, which all files see; their own and imported ones hide them. */
void ts_record_types_install(ts_session *s, const char *text);

/* What the name in a TYPE node stands for, in its file; NULL: nothing. */
const ts_type_info *ts_type_of(ts_session *s, const ts_ast *type);
/* Of the built-in type of this name. */
const ts_type_info *ts_record_type_built_in(ts_session *s, const char *name);
/* The names of all built-in types, those of records last. */
void ts_type_names(ts_session *s, ts_name_list *names);

/* Those without a default that a literal leaves out: the message, or none. */
bool ts_record_type_complete(ts_session *s, const ts_ast *decl, const ts_name_list *given,
                             ts_span at);

/* A RECORD that fits becomes one of the type: every field in the order of the declaration, checked
 * or with its default. False after a diagnostic. */
bool ts_record_type_convert(ts_session *s, const ts_ast *decl, ts_value *v, const char *what,
                            ts_span at);

#endif
