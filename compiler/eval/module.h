/* Modules: files of the language, their imports and their top names. Each file is read once; values
 * of top names are worked out when first asked for. */
#ifndef TS_COMPILER_EVAL_MODULE_H
#define TS_COMPILER_EVAL_MODULE_H

#include "compiler/eval/env.h"
#include "compiler/eval/files.h"
#include "compiler/eval/names.h"
#include "compiler/eval/reuse.h"

typedef struct ts_module ts_module;

typedef enum ts_entry_state { TS_ENTRY_NEW, TS_ENTRY_BUSY, TS_ENTRY_DONE } ts_entry_state;

typedef struct ts_entry { /* a top name */
  const char *name;
  const ts_ast *decl;
  ts_module *module; /* that declares it */
  ts_entry_state state;
  ts_value value;
  ts_touched touched; /* by its evaluation: compiler/eval/plan_cache.h */
  bool steady;       /* the same for every plan of the session */
} ts_entry;

/* Where a name of a file comes from: the smaller counts. */
/* PLAN: is added, as a plan is no value and hides none */
typedef enum ts_rank {
  TS_RANK_OWN,
  TS_RANK_LISTED,
  TS_RANK_IMPORTED,
  TS_RANK_STD,
  TS_RANK_PRELUDE,
  TS_RANK_PLAN
} ts_rank;

typedef struct ts_visible { /* a name in a file */
  ts_entry *entry;
  ts_span import;       /* the import that brings it; file 0: none does */
  ts_span alias;        /* where it got another name; file 0: it did not */
  uint32_t rank;
  bool direct;          /* it is declared here, or in a file that is imported here */
  bool exported;        /* by a list */
  ts_entry *other;      /* another one of this name, and what brings that; NULL: none */
  ts_span other_import;
} ts_visible;

struct ts_module {
  uint32_t file;          /* in the source map */
  const char *path;       /* to open it; NULL when embedded */
  const char *key;        /* what makes it the same file again */
  /* in messages and in the IR: "std/ops/nn.ts", "plan.ts", never absolute */
  const char *name;
  ts_ast *ast;
  ts_env *env;
  ts_dependency dependency;
  bool loading;
  TS_VEC(ts_entry *) own; /* in source order */
  /* no span: the prelude, which every file sees; list: PATH with names, or NULL */
  TS_VEC(struct ts_import {
    ts_module *module;
    ts_span span;
    const ts_ast *list;
    bool exported;
  }) imports;
  bool exports;           /* some of them are exported */
  bool looks_far;         /* what it imports exports imports, or there is a prelude */
  /* modules whose names are all imported, by their addresses: place in `imports` + 1 */
  ts_names imported;
  /* entries that got another name in a list, by their addresses: they come under that alone */
  ts_names renamed;
  /* of ts_visible: its own names, those of lists, and those of the files that it imports itself */
  ts_names near;
  /* of ts_visible: names that were asked for and may come from further away */
  ts_names far;
  ts_names handed_on;     /* of ts_visible: names that importing files asked for */
  bool listed;            /* by the walk under way */
};

/* Reads a file and what it imports. NULL if it cannot be read; syntax errors are in the queue. */
ts_module *ts_module_load(ts_session *s, const char *path);
/* A file of the standard library that nothing need import, "std/accuracy/errors.ts"; NULL if there is none.
 */
ts_module *ts_module_of_library(ts_session *s, const char *name);
/* `requested`: the name in the text. TS_NO_SPAN: says nothing of a name that two imports bring, and
 * it is not found. */
bool ts_module_lookup(ts_session *s, ts_module *module, const char *name, ts_span requested,
                      ts_value *value);
void ts_module_names(ts_session *s, const ts_module *module, ts_name_list *list);
/* without evaluating it */
const ts_visible *ts_module_find(const ts_module *module, const char *name);
/* Of two imports that bring the name, neither counts: an error at its use, true. A file of one's
 * own hides the standard library: a warning. */
bool ts_module_clashes(ts_session *s, const ts_visible *v, const char *name, ts_span requested);
/* What is visible in a file: its own names first, each import's then. The list may hold a name
 * twice. */
typedef struct ts_seen { const char *name; ts_entry *entry; } ts_seen;
typedef struct ts_seen_list { TS_VEC(ts_seen) all; } ts_seen_list;
void ts_module_entries(ts_session *s, const ts_module *module, ts_seen_list *list);
/* What other files can import of one: its own names and what it exports, without private ones. */
void ts_module_exports(ts_session *s, const ts_module *module, ts_seen_list *list);
/* Of the standard library, whatever is imported; NULL: it has none of this name. */
const ts_visible *ts_module_of_std(ts_session *s, const char *name);
/* Values of a command line import nothing: their names may be any of the standard library. */
bool ts_module_typed(ts_session *s, const ts_ast *e, ts_value *out);
/* For the message about a name that is not in scope: where it is declared. False if nobody knows.
 * */
bool ts_module_elsewhere(ts_session *s, ts_diag *d, const char *name);
ts_value ts_entry_value(ts_session *s, ts_entry *entry);
ts_module *ts_module_of(ts_session *s, uint32_t file);
/* Of a file's own declarations of a kind the one of this name, or the only one where no name is
 * given; else NULL. Adds the names of all of them to `names`. */
const ts_ast *ts_module_choose(ts_session *s, const ts_module *module, ts_kind kind,
                               const char *name, ts_name_list *names);
/* Value of a parameter that -D may replace: of a file (PARAM) or of a plan (FORMAL). */
ts_value ts_param_value(ts_session *s, const ts_env *env, const ts_ast *param, const ts_ast *type,
                        const ts_ast *expr);
/* A bare word of a command line: a String where one is asked for, since shells take quotes away, or
 * a name without that of its type. False: it is an expression like others. */
bool ts_bare_word(ts_session *s, const ts_env *env, const ts_ast *type, const ts_ast *given,
                  ts_value *v);
/* The environment of the file in which a declaration stands. */
const ts_env *ts_decl_env(ts_session *s, const ts_ast *decl);

/* Values that may be others for the next plan of the session are to be worked out again. */
void ts_modules_forget(ts_session *s);
/* All modules in the order of loading. */
size_t ts_module_count(const ts_session *s);
ts_module *ts_module_at(const ts_session *s, size_t i);

#endif
