/* Lock files: what an answer rests on, and the answer, so that it can be had again or its change
 * explained. JSON with a line for each input, sorted, for version control: doc/locks.md. */
#ifndef TS_RUNTIME_REPORT_LOCK_H
#define TS_RUNTIME_REPORT_LOCK_H

#include <stdio.h>

#include "base/digest.h"
#include "base/error.h"
#include "ir/ir.h"
#include "runtime/account/memory.h"
#include "runtime/account/result.h"

typedef struct ts_locked_input {
  const char *name, *role;
  const char *text; /* of -D, as typed; "" of files */
  uint8_t sha256[TS_DIGEST_SIZE];
  char blob[2 * 20 + 1]; /* the file's name in a repository of git; "": not known */
  /* digest of a file of the language without comments and blank space, as text; "": not known */
  char code[2 * TS_DIGEST_SIZE + 1];
} ts_locked_input;

typedef struct ts_lock {
  const char *plan;
  const char *version;            /* of TrainSpec */
  uint32_t option_count;
  const char *const *options;     /* of the play: "--network=flow" */
  uint64_t step, peak;            /* ps, bytes of the fullest device */
  /* digests, as text, of what is played: times of kernels and network models, and all the rest;
   * "": not known */
  char times[2 * TS_DIGEST_SIZE + 1], graph[2 * TS_DIGEST_SIZE + 1];
  uint32_t input_count;
  const ts_locked_input *inputs;  /* by name, then role */
} ts_lock;

/* What an IR was made from; no answer yet. `file`: the IR, which stands for itself if it names no
 * sources. */
ts_lock ts_lock_of_ir(ts_arena *arena, const ts_ir *ir, const char *file,
                      const uint8_t sha256[TS_DIGEST_SIZE]);
void ts_lock_answer(ts_lock *lock, const ts_run *run, const ts_memory *memory);

void ts_lock_write(const ts_lock *lock, FILE *out);
/* NULL after filling *error. */
ts_lock *ts_lock_read(ts_arena *arena, const char *text, size_t size, ts_error *error);

typedef struct ts_lock_change {
  const ts_locked_input *before, *now; /* NULL: there is none */
} ts_lock_change;
typedef TS_VEC(ts_lock_change) ts_lock_changes;

/* Inputs that differ, by name; those that differ in comments alone do not. */
ts_lock_changes ts_lock_compare(ts_arena *arena, const ts_lock *before, const ts_lock *now);
bool ts_lock_same_options(const ts_lock *before, const ts_lock *now);

#endif
