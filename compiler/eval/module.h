/* Modules: files of the language, their imports and their top names. Each file is read once; values of top names are worked out when
 * first asked for. */
#ifndef TS_COMPILER_EVAL_MODULE_H
#define TS_COMPILER_EVAL_MODULE_H

#include "compiler/eval/env.h"
#include "compiler/eval/names.h"

typedef struct ts_module ts_module;

typedef enum ts_entry_state { TS_ENTRY_NEW, TS_ENTRY_BUSY, TS_ENTRY_DONE } ts_entry_state;

typedef struct ts_entry { /* a top name */
  const char *name;
  const ts_ast *decl;
  ts_module *module; /* that declares it */
  ts_entry_state state;
  ts_value value;
} ts_entry;

typedef struct ts_visible { ts_entry *entry; ts_span import; bool direct; ts_entry *rival; } ts_visible; /* rival: another, equally near, of the same name */

struct ts_module {
  uint32_t file;          /* in the source map */
  const char *path;       /* to open it; NULL when embedded */
  const char *key;        /* what makes it the same file again */
  const char *name;       /* in messages and in the IR: "std/ops/nn.ts", "plan.ts", never absolute */
  ts_ast *ast;
  ts_env *env;
  bool loading;
  TS_VEC(ts_entry *) own; /* in source order */
  TS_VEC(struct ts_import { ts_module *module; ts_span span; }) imports; /* no span: the prelude, which every file sees */
  ts_names imported;      /* the same modules, by their addresses */
  ts_names near;          /* of ts_visible: its own names, and those of the files that it imports itself */
  ts_names far;           /* the same of names that were asked for and come from further away */
  bool listed;            /* by the walk under way */
};

/* Reads a file and what it imports. NULL if it cannot be read; syntax errors are in the queue. */
ts_module *ts_module_load(ts_session *s, const char *path);
bool ts_module_lookup(ts_session *s, ts_module *module, const char *name, ts_value *value);
void ts_module_names(ts_session *s, const ts_module *module, ts_name_list *list);
const ts_visible *ts_module_find(const ts_module *module, const char *name); /* without evaluating it */
/* What is visible in a file: its own names first, each import's then. The list may hold a name twice. */
typedef struct ts_entry_list { TS_VEC(ts_entry *) entries; } ts_entry_list;
void ts_module_entries(ts_session *s, const ts_module *module, ts_entry_list *list);
ts_value ts_entry_value(ts_session *s, ts_entry *entry);
ts_module *ts_module_of(ts_session *s, uint32_t file);
/* Of a file's own declarations of a kind the one of this name, or the only one where no name is given; else NULL. Adds the names of all of them to `names`. */
const ts_ast *ts_module_choose(ts_session *s, const ts_module *module, ts_kind kind, const char *name, ts_name_list *names);
/* Value of a parameter that -D may replace: of a file (PARAM) or of a plan (FORMAL). */
ts_value ts_param_value(ts_session *s, const ts_env *env, const ts_ast *param, const ts_ast *type, const ts_ast *expr);
/* The environment of the file in which a declaration stands. */
const ts_env *ts_decl_env(ts_session *s, const ts_ast *decl);

/* All modules in the order of loading. */
size_t ts_module_count(const ts_session *s);
ts_module *ts_module_at(const ts_session *s, size_t i);

#endif
