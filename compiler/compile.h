/* From a file to an IR in memory: what tsc and tsrun share. */
#ifndef TS_COMPILER_COMPILE_H
#define TS_COMPILER_COMPILE_H

#include "base/digest.h"
#include "compiler/eval/options.h"
#include "ir/ir.h"

/* A session in the arena, with empty source map and queue of diagnostics. The caller then sets
 * stdlib_dir, import_dirs, defines. */
ts_session *ts_session_new(ts_arena *arena);
/* The same with the source map of others, so that their messages can be shown together. */
ts_session *ts_session_beside(ts_arena *arena, ts_sources *sources);

/* What compilations of a plan for several values of its parameters share: texts and syntax trees of
 * its files, and fits, each read once. Sessions of several threads may be over one. It must outlive
 * them. NULL: there is something to say about the files, which a session of its own does. */
typedef struct ts_common ts_common;
ts_common *ts_common_new(const char *path, const ts_compile_options *o);
void ts_common_free(ts_common *common);
/* Files that have changed since are read again. NULL: an ordinary session. */
ts_session *ts_session_with(ts_arena *arena, const ts_common *common);
/* A session for the next plan of the same file, in the arena, which holds nothing else. It may be
 * the one before, which has read files of the language and keeps what holds for this plan too
 * (compiler/eval/plan_cache.h); after an error, and when it holds much, it is a new one. What the
 * one before gave is no more. before NULL: there is none. */
ts_session *ts_session_next(ts_session *before, ts_arena *arena, const ts_common *common);

/* Takes over what the options say about files and parameters; the functions below do it by
 * themselves. A session may compile several plans, also with other options, whose arrays must then
 * be others too. */
void ts_compile_settings(ts_session *s, const ts_compile_options *o);

/* Compiles a plan. NULL after errors, which are in the session's queue. */
ts_ir_builder *ts_compile(ts_session *s, const char *path, const ts_compile_options *o);

typedef enum ts_input_kind { TS_INPUT_PLAN, TS_INPUT_IR, TS_INPUT_IR_TEXT } ts_input_kind;

typedef struct ts_input { /* an IR in memory, whatever it was made from */
  ts_input_kind kind;
  ts_pass_status status;  /* DONE: all that follows is there */
  ts_ir ir;               /* verified */
  ts_ir_builder *builder; /* NULL when the file was an IR */
  /* of the plan: compiler/schedule/schedule.h; NULL when the file was an IR */
  const struct ts_schedule *schedule;
  const char *text;       /* of the plan, `size` bytes; NULL when the file was an IR */
  size_t size;
  const void *read;       /* the file, `read_size` bytes; with the session */
  size_t read_size;
} ts_input;

/* Of the file as it was read: large IRs take as long as all else, and few ask. */
void ts_input_digest(const ts_input *input, uint8_t sha256[TS_DIGEST_SIZE]);

/* Reads a plan, an IR or the text of an IR, recognized by its content; `-` is standard input. A
 * plan that the options give is not read. False after errors, which are in the queue. The IR lives
 * until the input is closed and the session's arena freed. */
bool ts_input_open(ts_session *s, const char *path, const ts_compile_options *o, ts_input *input);
/* The same for a plan whose text is here already; `path` is where it would stand. What failed is
 * closed. */
bool ts_input_compile(ts_session *s, const char *path, const char *text, size_t size,
                      const ts_compile_options *o, ts_input *input);
void ts_input_close(ts_input *input);

/* What -D may set: parameters of plans, and of files (plan NULL), as they are written; value: the
 * default, NULL if there is none. A plan stands before its own with no name. */
typedef struct ts_parameter {
  const char *plan, *name, *type, *value;
} ts_parameter;
typedef TS_VEC(ts_parameter) ts_parameters;
/* Of the files that the session has read; plan_name NULL: of all plans. */
ts_parameters ts_parameters_of(ts_session *s, const char *plan_name);

/* Names the parameters that -D may set in a plan, a line each: "tp: Int = 8". NULL after errors. */
const char *ts_list_params(ts_session *s, const char *path, const ts_compile_options *o);

/* Names the ops of a plan's model, a line for each label and kind, with how many there are:
 * "layer[*].attn.qkv  linear  96". */
const char *ts_list_ops(ts_session *s, const char *path, const ts_compile_options *o);

/* A makefile rule: `target` depends on every file that was read. Text in the session's arena. */
const char *ts_depfile(const ts_session *s, const char *target);

#endif
