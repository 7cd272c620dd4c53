/* Files that the plans of a sweep read, each once, with their digests. The standard library inside
 * the program is none of them. */
#ifndef TS_TOOLS_SWEEP_INPUTS_H
#define TS_TOOLS_SWEEP_INPUTS_H

#include "base/digest.h"
#include "base/error.h"
#include "compiler/compile.h"

/* name: as the plan writes it, never absolute; path: where it was opened */
typedef struct ts_sweep_input {
  const char *name, *path, *role;
  uint8_t sha256[TS_DIGEST_SIZE];
} ts_sweep_input;

typedef struct ts_inputs {
  ts_arena *arena;
  TS_VEC(ts_sweep_input) all;
  const char *changed; /* a file of which two versions were read; NULL: none */
} ts_inputs;

ts_inputs *ts_inputs_new(ts_arena *arena);
/* What a session read. */
void ts_inputs_take(ts_inputs *inputs, const ts_session *s);
/* Of these only the files of the language. */
void ts_inputs_take_language(ts_inputs *inputs, const ts_session *s);
void ts_inputs_add(ts_inputs *inputs, const ts_sweep_input *input);
/* Of names and contents. */
void ts_inputs_digest(const ts_inputs *inputs, ts_arena *arena, uint8_t digest[TS_DIGEST_SIZE]);

/* The file still has this content: where it was, or below the folder of the plan or of an -I. */
bool ts_input_same(const ts_sweep_input *input, const char *plan, const ts_compile_options *o,
                   ts_arena *arena);

#endif
