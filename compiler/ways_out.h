/* Where in a plan changes apply that a list of the standard library has: ways out of a shortage of
 * memory (std.tools.ways_out), causes of another step (std.tools.causes). A WAY is a set of edits
 * of the plan's text and of values for its parameters; nothing is played here. */
#ifndef TS_COMPILER_WAYS_OUT_H
#define TS_COMPILER_WAYS_OUT_H

#include "compiler/compile.h"

/* bytes of the plan's text */
typedef struct ts_way_edit { uint32_t begin, end; const char *text; } ts_way_edit;

typedef struct ts_way {
  uint32_t edit_count, define_count;
  const ts_way_edit *edits;  /* by place; they do not overlap */
  const ts_define *defines;  /* besides the caller's */
  const struct ts_record *row; /* of the list, that asks for it */
  const char *replaced; /* what stands there now: "pp=2, tp=2", "data_parallel"; empty: nothing */
} ts_way;

typedef struct ts_ways { uint32_t count; const ts_way *at; } ts_ways;

/* All ways of one row each of `list`, of the module of that name: "ways_out". `labels` hold
 * activations at the peak, largest first: "layer[*].attn.core". The plan has been compiled before,
 * so that mistakes are not reported again; none are listed if it cannot be. */
ts_ways ts_ways_list(ts_arena *arena, const char *list, const char *path, const char *text,
                     size_t size, const ts_compile_options *o, const char *const *labels,
                     uint32_t label_count);
typedef struct ts_way_plan {
  const char *path, *text;
  size_t size;
} ts_way_plan;
/* Of the plan `from` a way for each field of its framework that is otherwise in `to`, which takes
 * the value there; `replaced` says so: "tensor: "ring" -> "none"". None where one of them has no
 * framework of a declared type. */
ts_ways ts_ways_towards(ts_arena *arena, const ts_way_plan *from, const ts_way_plan *to,
                        const ts_compile_options *o);
/* Both changes in one. False if they change the same. */
bool ts_way_join(ts_arena *arena, const ts_way *a, const ts_way *b, ts_way *out);
/* The plan's text as the way has it. */
const char *ts_way_apply(ts_arena *arena, const ts_way *way, const char *text, size_t size,
                         size_t *new_size);
/* Compiles the plan as the way has it, for a session of its own, which ts_shared_leave ends once
 * the input is closed. NULL: it is refused. `common`: of all that are compiled, or NULL. */
ts_session *ts_way_compile(ts_arena *scratch, struct ts_common *common, const char *path,
                           const char *text, size_t size, const ts_compile_options *o,
                           const ts_way *way, ts_input *input);
/* What a person writes for it: "-D tp=16 -D dp=1", then each line of the plan as it becomes. */
const char *ts_way_lines(ts_arena *arena, const ts_way *way, const char *text, size_t size);

#endif
