/* The standard library as shipped inside libtrainspec; `--stdlib=DIR` reads a folder instead.
 * Sorted by path. */
#ifndef TS_COMPILER_EVAL_STDLIB_EMBED_H
#define TS_COMPILER_EVAL_STDLIB_EMBED_H

#include <stddef.h>

#include "lang/stored.h"

typedef struct ts_embedded_file {
  const char *path;           /* below stdlib/: "models/x.ts" */
  const unsigned char *bytes; /* a NUL follows the last one */
  size_t size;
} ts_embedded_file;

extern const ts_embedded_file ts_stdlib_files[];
extern const size_t ts_stdlib_file_count;
/* Their syntax trees, by the same numbers. */
extern const ts_stored_trees ts_stdlib_trees;

#endif
