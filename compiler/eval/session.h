/* A session: everything one compilation shares. No global state: two sessions may run in one
 * process at once. */
#ifndef TS_COMPILER_EVAL_SESSION_H
#define TS_COMPILER_EVAL_SESSION_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/source.h"
#include "compiler/eval/limits.h"
#include "compiler/eval/names.h"
#include "lang/ast.h"

typedef struct ts_session ts_session;
typedef struct ts_value ts_value;
typedef struct ts_env ts_env;
typedef struct ts_found ts_found;

/* A call being evaluated: errors inside it also show where it stands. */
typedef struct ts_frame { const char *name; ts_span span; const struct ts_frame *outer; } ts_frame;

typedef struct ts_define { const char *name; const char *expression; } ts_define; /* -D NAME=EXPR */

typedef struct ts_dependency { /* every file that decided the output: provenance and -MD */
  const char *path;            /* to open it; NULL for embedded ones */
  /* as in the IR: from the plan's folder, or from that of -I; never absolute */
  const char *name;
  const char *role;
  uint8_t sha256[32];
  uint32_t file;               /* in the source map; 0 for data files */
} ts_dependency;

/* The mesh, once the plan has been evaluated: what Axis parameters and `ts_axes` refer to. Open:
 * the plan states none, so a number of ranks given for an Axis makes one. */
typedef struct ts_mesh {
  bool open;
  uint32_t count;
  struct {
    const char *name;
    int64_t size;
    int64_t stride;
    ts_span span;
  } axis[32];
} ts_mesh;

/* Ranks along axes of the mesh (bits). Both note that it was looked at: compiler/eval/kept.h. */
int64_t ts_axes_size(ts_session *s, uint32_t axes);
uint32_t ts_axes_effective(ts_session *s, uint32_t axes); /* without those that have one */

/* For who need not have an IR of each plan. Memory that the fullest rank holds throughout, and the
 * device with the most room. */
struct ts_ir;
/* Before there is a fragment: s that a step takes at least, bytes of the fullest rank, and what the
 * whole job is about. */
typedef struct ts_held_early { double seconds, tokens, devices; uint64_t bytes; } ts_held_early;
typedef struct ts_held {
  uint64_t bytes;
  uint64_t reserved, limit; /* by drivers and libraries, and in all */
  bool over;                /* bytes exceed the room of every device: there is no IR */
  /* asked for: it ends, too, as soon as an order shows which micro-batches are in flight; bytes are
   * then less than an IR would show */
  bool early;
  /* or NULL; asked once the IR has fragments, programs and all of the machine, and their messages
   * have no ends yet. True: that will do, and there is no IR. */
  bool (*enough)(void *closure, const struct ts_ir *ir);
  /* likewise, or NULL; asked once there is an order, and ops have costs */
  bool (*enough_early)(void *closure, const ts_held_early *known);
  void *closure;
  bool had;                 /* it was enough */
} ts_held;

/* What declarations of the domain mean, which the evaluator only carries: installed from above
 * (compiler/domain.c). */
struct ts_applied;
struct ts_builtin_call;
typedef struct ts_domain {
  /* a cluster is called */
  ts_value (*cluster)(ts_session *s, const ts_env *env, const ts_ast *decl, ts_span span);
  /* `v with { ... }` */
  ts_value (*changed)(ts_session *s, const ts_env *env, ts_value v, const ts_ast *with);
  /* parts that a schedule cuts the model into */
  bool (*stages)(ts_session *s, const struct ts_applied *schedule, uint32_t *parts);
  /* declarations of record types, in the language */
  const char *record_types;
  /* topology("system.xml") */
  ts_value (*topology)(const struct ts_builtin_call *c);
} ts_domain;

/* What differs between plans and was looked at. Bits of `parameters` are those of the plan by their
 * places in its environment; the last one is all from there on, and all else that differs. */
typedef struct ts_touched {
  uint64_t parameters;
  bool mesh;             /* names of its axes */
  uint32_t sizes, ones;  /* sizes of these axes; whether these have one rank */
} ts_touched;
#define TS_TOUCHED_OTHER (UINT64_C(1) << 63)

static inline void ts_touch(ts_touched *all, ts_touched more)
{
  all->parameters |= more.parameters;
  all->mesh |= more.mesh;
  all->sizes |= more.sizes;
  all->ones |= more.ones;
}

static inline bool ts_touched_any(ts_touched t) { return t.parameters || t.mesh; }

/* What stood when a piece of work began. */
typedef struct ts_noting { ts_touched touched; uint64_t reads; size_t said; } ts_noting;

struct ts_session {
  const ts_domain *domain;
  /* one that has read files of the plan, and does nothing any more; or NULL */
  const ts_session *below;
  /* what is made goes here: `lasting`, or, once the plan at hand is lowered, `scratch` */
  ts_arena *arena;
  ts_arena *lasting;                /* as long as the session */
  ts_arena *scratch;                /* as long as the plan; NULL: there is one plan */
  ts_sources *sources;
  ts_diags *diags;
  ts_lang *lang;
  ts_limits limits;
  const char *stdlib_dir;           /* or NULL: the embedded stdlib */
  const char *const *import_dirs;   /* -I */
  uint32_t import_dir_count;
  /* --allow-read: besides the plan's folder, -I and the standard library */
  const char *const *read_dirs;
  uint32_t read_dir_count;
  const char *home;                 /* the plan's folder; NULL until a plan is named */
  /* files whose text is here already: that of the command line, or those open in an editor */
  const struct ts_embedded_file *given;
  uint32_t given_count;
  /* what ranks play in the stead of a plan's own model: a table each; NULL: that model */
  const struct ts_events *const *ranks;
  uint32_t rank_count;
  /* of a workload among them: trace/play_workload.h; NULL: as the file says, and nobody asks */
  const struct ts_workload_choice *workload;
  struct ts_workload_facts *workload_facts;
  bool priced; /* times that they have are not taken: `costs` price all work */
  /* in the stead of the plan's: see compiler/compile.h */
  const char *schedule;
  const struct ts_given_order *order;
  const ts_define *defines;
  uint32_t define_count;
  const char *const *natives;       /* libraries of native code that may be loaded and called */
  uint32_t native_count;
  TS_VEC(ts_dependency) dependencies;
  ts_names dependency_named;        /* role and path -> its index + 1 */
  ts_names loaded_named;            /* likewise, of the first `loaded` */
  TS_VEC(uint32_t) dependency_mapped; /* file in the source map -> its index + 1 */
  size_t diags_before;              /* messages of plans compiled before this one */
  ts_mesh mesh;
  ts_held *held;                    /* asked for: see ts_compile_options */
  const char *explain;              /* a label to explain, and what there is to say about it */
  const char *explained;
  bool uncalibrated;                /* a plan's `calibration` is left out */
  struct ts_module_table *modules;       /* compiler/eval/module.c */
  void *apply_closure;              /* see ts_apply_hook in eval.h */
  ts_value (*apply)(void *closure, const ts_env *env, const ts_ast *decl, const ts_env *module,
                    const ts_ast *call);
  /* The evaluator's own. */
  ts_names builtins;                /* name -> ts_value: functions, cost sources, number formats */
  TS_VEC(const char *) builtin_names;
  ts_names types;                   /* name -> ts_type_info */
  ts_names record_types;            /* name -> RECORD_TYPE: compiler/eval/record_type.h */
  TS_VEC(const char *) record_names;
  ts_names record_infos;            /* RECORD_TYPE -> ts_type_info */
  ts_names fits;                    /* path -> ts_cost_source: compiler/lower/cost_sources.c */
  struct ts_file_store *files;      /* data files of several sessions, or NULL */
  /* parameters of the plan, and whatever else differs between plans, that were looked at */
  ts_touched touched;
  uint64_t reads;                   /* how often a file was named as one that decides the output */
  struct ts_kept *kept;             /* for the next plan; NULL: there is none */
  /* for the plans of other threads, or NULL; what of it the plan at hand uses */
  struct ts_shared *shared;
  TS_VEC(struct ts_shared_item *) using;
  size_t loaded;                    /* dependencies of the files of the language; 0: not all are */
  bool said_loading;                /* something, when these were loaded */
  size_t checked;                   /* so many modules, of which there was nothing to say */
  struct ts_reported *reported;     /* errors already reported: compiler/eval/session.c */
  struct ts_aside { ts_diags *diags; struct ts_reported *reported; } aside; /* for trials */
  const ts_frame *frame;            /* innermost call, or NULL */
  /* NULL, or where the check puts what names mean: compiler/eval/check.h */
  struct ts_uses *uses;
  /* the static pass: what evaluation finds again is not counted again */
  bool checking;
  uint32_t depth;                   /* of evaluation */
  uint64_t steps, next_look;        /* at how many steps the limits are looked at again */
  bool starved;                     /* memory was one that was reached */
  /* if set, whole numbers that do not divide are counted here and are no error: a search leaves the
   * plan out */
  uint64_t *uneven;
  const ts_ast **define_ast;        /* parsed defines; NULL: not asked for, or not understood */
  uint32_t *define_file;            /* their text in the source map; 0: not asked for */
  TS_VEC(struct ts_read_define {
    ts_dependency dependency;
    const ts_ast *ast;
  }) read_defines;
};

/* Makes a session in the arena, with an empty queue of diagnostics and a source map: `sources`, or
 * an empty one (NULL). ts_session_new in compiler/compile.h gives it the domain. */
ts_session *ts_session_of(ts_arena *arena, ts_sources *sources, const ts_domain *domain);
/* A session that need not read again what another one has read, which must stay as it is: names,
 * texts and syntax trees are shared, values are not. */
ts_session *ts_session_over(ts_arena *arena, const ts_session *below);
/* What the session below read as this file; NULL: nothing, or another text. */
const ts_dependency *ts_session_read_below(const ts_session *s, const ts_found *found,
                                           const char *role, const char *text, size_t size);


/* A file of the embedded stdlib by its name, "std/networks/x.json"; NULL: there is none. */
struct ts_embedded_file;
const struct ts_embedded_file *ts_session_embedded(const char *name);

/* A file that a name in a file of the language stands for. */
struct ts_found {
  const char *path;  /* to open it; NULL when embedded */
  const char *name;  /* in the IR: from the plan's folder, or from that of -I; never absolute */
  const char *shown; /* to people */
  const struct ts_embedded_file *embedded;
  const char *root;  /* resolved folder below which it lies and may be read; NULL: in none */
  const char *below; /* its resolved path behind that */
};

/* Reads a data file named in a file of the language, relative to that file, then to -I dirs; names
 * that begin with `std/` are the stdlib's. Records the dependency. NULL after a diagnostic at
 * `span`. */
char *ts_session_read(ts_session *s, uint32_t from_file, const char *name, const char *role,
                      ts_span span, size_t *size, ts_found *found);

/* What was read of a file, for the store of files. */
struct ts_file_text ts_session_file_text(const ts_found *found, const char *text, size_t size);

/* A file's name as a plan writes it, without the folders of a machine. */
const char *ts_session_written(const char *name);

/* The two steps of ts_session_read, and the message when the first fails. */
bool ts_session_resolve(ts_session *s, uint32_t from_file, const char *name, ts_found *found);
char *ts_session_load(ts_session *s, const ts_found *found, const char *role, ts_span span,
                      size_t *size);
void ts_session_missing(ts_session *s, ts_code code, uint32_t from_file, const char *name,
                        ts_span span);
/* Finds such a file, which another library opens: its path. Regular and where it may be read, else
 * NULL after a diagnostic. */
const char *ts_session_locate(ts_session *s, uint32_t from_file, const char *name, ts_span span,
                              ts_found *found);
/* What a path of the command line stands for. */
ts_found ts_session_given(ts_session *s, const char *path);
void ts_session_depends(ts_session *s, ts_dependency dependency); /* once for each file and role */
/* that one's text stands in the source map */
void ts_session_mapped(ts_session *s, const ts_found *found, const char *role, uint32_t file);
/* its index; UINT32_MAX: none is in the source map as that */
uint32_t ts_session_dependency_of(const ts_session *s, uint32_t file);

/* The text of a file by its name in the IR, the one read last; NULL: none of that name was read. */
const char *ts_session_text(const ts_session *s, const char *name, size_t *size);

/* Which file of the embedded stdlib declares the name at its outermost level: "std.models.x", or
 * NULL. */
/* Files of the language in a folder of the standard library, "std/frameworks/", without what they
 * end in. */
const char *const *ts_session_std_files(ts_session *s, const char *folder, size_t *count);
/* All files of the language in the standard library, sorted: "std/models/x.ts". */
const char *const *ts_session_std_modules(ts_session *s, size_t *count);
const char *ts_session_declared_in(ts_session *s, const char *name);

/* The expression of the define of this name, NULL if there is none or it has a syntax error; *index
 * is its number. Marks it as used. */
/* Made ready for another plan of the same files, which may use what is kept. False: it cannot be.
 */
bool ts_session_go_on(ts_session *s);
/* What is made from now on, for the plan at hand, need not outlive it. */
void ts_session_scratch(ts_session *s);
/* Around a piece of work; `touched`: by what it starts from. What it touched; whether something was
 * said since it began. */
ts_noting ts_noting_begin(ts_session *s, ts_touched touched);
ts_touched ts_noting_end(ts_session *s, const ts_noting *before);
bool ts_noting_said(const ts_session *s, const ts_noting *before);

const ts_ast *ts_session_define(ts_session *s, const char *name, uint32_t *index);

/* An error found in evaluation. The same one (code and place) found again is only counted: "and 95
 * more like it". Never NULL. */
ts_diag *ts_report(ts_session *s, ts_code code, ts_span span, const char *format, ...)
  __attribute__((format(printf, 4, 5)));

/* Between these two nothing is reported: what goes wrong in trials is nobody's mistake, and is told
 * when it is met again. The code of the first error of the trial; TS_CODE_COUNT: there was none. */
struct ts_aside ts_session_set_aside(ts_session *s);
ts_code ts_session_take_up(ts_session *s, struct ts_aside before);

#endif
