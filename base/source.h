/* Source map: texts of all files read in a session, and spans in them. Spans are byte offsets; line
 * and column are worked out only when something is printed. */
#ifndef TS_BASE_SOURCE_H
#define TS_BASE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

/* file 0: no place; bytes from 0, end exclusive */
typedef struct ts_span { uint32_t file, begin, end; } ts_span;
#define TS_NO_SPAN ((ts_span){0, 0, 0})

typedef struct ts_source { /* file number = index in the map, from 1 */
  /* as shown to people: as given on the command line, or "std/models/x.ts", or "<command line>" */
  const char *name;
  const char *role; /* "plan", "import", "stdlib", "table", ... for provenance */
  const char *text; /* NUL-terminated */
  size_t size;
} ts_source;

typedef struct ts_sources ts_sources;
ts_sources *ts_sources_new(ts_arena *arena);
/* Begins with the files of another map, which must stay and no longer change: several maps may be
 * over one, each of a thread. */
ts_sources *ts_sources_over(ts_arena *arena, const ts_sources *below);
uint32_t ts_sources_add(ts_sources *map, const char *name, const char *role, const char *text,
                        size_t size);
/* NULL for 0 or out of range */
const ts_source *ts_sources_get(const ts_sources *map, uint32_t file);
uint32_t ts_sources_count(const ts_sources *map);

/* from 1; column counts characters */
typedef struct ts_position { uint32_t line, column; } ts_position;
ts_position ts_sources_position(const ts_sources *map, uint32_t file, uint32_t offset);

/* Reads a whole file. NULL with *error set to an errno value when it cannot. Buffer is in the arena
 * and NUL-terminated. */
char *ts_read_file(ts_arena *arena, const char *path, size_t *size, int *error);
/* The same of a file below a folder: no link leads out of it, and only a regular file is read, of 1
 * GiB at most (EFBIG). `name` goes through no links and not up (EACCES, ELOOP): a resolved path
 * behind the folder. */
char *ts_read_beneath(ts_arena *arena, const char *folder, const char *name, size_t *size,
                      int *error);
/* 0 if that function would read the file, else an errno value: for a file that another library
 * opens by its path. */
int ts_check_beneath(const char *folder, const char *name);

/* `path` without folders. */
const char *ts_base_name(const char *path);

ts_span ts_span_join(ts_span a, ts_span b);

#endif
