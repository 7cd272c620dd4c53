/* A session: everything one compilation shares. No global state: two sessions may run in one process at once. */
#ifndef TS_COMPILER_SESSION_H
#define TS_COMPILER_SESSION_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/source.h"
#include "compiler/names.h"
#include "lang/ast.h"

typedef struct ts_session ts_session;
typedef struct ts_value ts_value;
typedef struct ts_env ts_env;

/* A call being evaluated: errors inside of it also tell where it stands. */
typedef struct ts_frame { const char *name; ts_span span; const struct ts_frame *outer; } ts_frame;

typedef struct ts_define { const char *name; const char *expression; } ts_define; /* -D NAME=EXPR */

typedef struct ts_dependency { /* every file that decided the output: provenance and -MD */
  const char *path;            /* to open it; NULL for embedded ones */
  const char *name;            /* as in the IR: never absolute */
  const char *role;
  uint8_t sha256[32];
  uint32_t file;               /* in the source map; 0 for data files */
} ts_dependency;

/* The mesh, once the plan has been evaluated: what Axis parameters and `ts_axes` refer to. Open: the plan states none, so a number
 * of ranks given for an Axis makes one. */
typedef struct ts_mesh { bool open; uint32_t count; struct { const char *name; int64_t size; int64_t stride; ts_span span; } axis[32]; } ts_mesh;

struct ts_session {
  ts_arena *arena;
  ts_sources *sources;
  ts_diags *diags;
  ts_lang *lang;
  const char *stdlib_dir;           /* or NULL: the embedded stdlib */
  const char *const *import_dirs;   /* -I */
  uint32_t import_dir_count;
  const struct ts_embedded_file *given; /* files whose text is here already: that of the command line, or those open in an editor */
  uint32_t given_count;
  const ts_define *defines;
  uint32_t define_count;
  TS_VEC(ts_dependency) dependencies;
  ts_mesh mesh;
  const char *explain;              /* a label to explain, and what there is to say about it */
  const char *explained;
  struct ts_modules *modules;       /* compiler/module.c */
  void *apply_closure;              /* see ts_apply_hook in eval.h */
  ts_value (*apply)(void *closure, const ts_env *env, const ts_ast *decl, const ts_env *module, const ts_ast *call);
  /* The evaluator's own. */
  ts_names builtins;                /* name -> ts_value: functions, cost sources, number formats */
  TS_VEC(const char *) builtin_names;
  ts_names types;                   /* name -> ts_type_info */
  struct ts_reported *reported;     /* errors already told: compiler/session.c */
  const ts_frame *frame;            /* innermost call, or NULL */
  struct ts_uses *uses;             /* NULL, or where the check puts what names mean: compiler/check.h */
  bool checking;                    /* the static pass: what evaluation finds again is not counted again */
  uint32_t depth;                   /* of evaluation */
  uint64_t steps;
  const ts_ast **define_ast;        /* parsed defines; NULL: not asked for, or not understood */
  uint32_t *define_file;            /* their text in the source map; 0: not asked for */
};

/* Makes a session in the arena, with empty source map and queue of diagnostics. The caller then sets stdlib_dir, import_dirs, defines. */
ts_session *ts_session_new(ts_arena *arena);

/* Reads a data file named in a file of the language, relative to that file, then to -I dirs; names that begin with `std/` are the
 * stdlib's. Records the dependency. NULL after a diagnostic at `span`. */
char *ts_session_read(ts_session *s, uint32_t from_file, const char *name, const char *role, ts_span span, size_t *size, const char **path);

/* Finds such a file without reading it: the path to open, or NULL after a diagnostic. For native libraries. Not for the stdlib. */
const char *ts_session_find(ts_session *s, uint32_t from_file, const char *name, ts_span span);

/* A file of the embedded stdlib by its name, "std/networks/x.json"; NULL: there is none. */
struct ts_embedded_file;
const struct ts_embedded_file *ts_session_embedded(const char *name);

/* A file that a name in a file of the language stands for. */
typedef struct ts_found {
  const char *path;  /* to open it; NULL when embedded */
  const char *name;  /* in the IR: never absolute */
  const char *shown; /* to people */
  const struct ts_embedded_file *embedded;
} ts_found;

/* The two steps of ts_session_read, and the message when the first fails. */
bool ts_session_resolve(ts_session *s, uint32_t from_file, const char *name, ts_found *found);
char *ts_session_load(ts_session *s, const ts_found *found, const char *role, ts_span span, size_t *size);
void ts_session_missing(ts_session *s, ts_code code, uint32_t from_file, const char *name, ts_span span);
/* What a path of the command line stands for. */
ts_found ts_session_given(ts_session *s, const char *path);
void ts_session_depends(ts_session *s, ts_dependency dependency); /* once for each name */

/* Which file of the embedded stdlib declares the name at its outermost level: "std.models.x", or NULL. */
const char *ts_session_declared_in(ts_session *s, const char *name);

/* The expression of the define of this name, NULL if there is none or it has a syntax error; *index is its number. Marks it as used. */
const ts_ast *ts_session_define(ts_session *s, const char *name, uint32_t *index);

/* An error found in evaluation. The same one (code and place) found again is only counted: "and 95 more like it". Never NULL. */
ts_diag *ts_report(ts_session *s, ts_code code, ts_span span, const char *format, ...) __attribute__((format(printf, 4, 5)));

#endif
