/* Files that plans name: where they are searched, who may read them, and which ones were read. */
#ifndef TS_COMPILER_EVAL_FILES_H
#define TS_COMPILER_EVAL_FILES_H

#include "compiler/eval/file_store.h"
#include "compiler/eval/names.h"
#include "compiler/eval/session.h"

typedef struct ts_dependency { /* every file that decided the output: provenance and -MD */
  const char *path;            /* to open it; NULL for embedded ones */
  /* as in the IR: from the plan's folder, or from that of -I; never absolute */
  const char *name;
  const char *role;
  uint8_t sha256[32];
  uint32_t file; /* in the source map; 0 for data files */
} ts_dependency;

typedef struct ts_session_files {
  const char *home; /* the plan's folder; NULL until a plan is named */
  /* files whose text is here already: that of the command line, or those open in an editor */
  const struct ts_embedded_file *given;
  uint32_t given_count;
  TS_VEC(ts_dependency) dependencies;
  ts_names named;          /* role and path -> its index + 1 */
  ts_names loaded_named;   /* likewise, of the first `loaded` */
  TS_VEC(uint32_t) mapped; /* file in the source map -> its index + 1 */
  size_t loaded;           /* dependencies of the files of the language; 0: not all are */
  bool said_loading;       /* something, when these were loaded */
  uint64_t reads;          /* how often a file was named as one that decides the output */
  ts_names fits;           /* path -> ts_cost_source: compiler/lower/cost_sources.c */
  ts_file_store *store;    /* data files of several sessions, or NULL */
} ts_session_files;

/* A file that a name in a file of the language stands for. */
typedef struct ts_found {
  const char *path;  /* to open it; NULL when embedded */
  const char *name;  /* in the IR: from the plan's folder, or from that of -I; never absolute */
  const char *shown; /* to people */
  const struct ts_embedded_file *embedded;
  const char *root;  /* resolved folder below which it lies and may be read; NULL: in none */
  const char *below; /* its resolved path behind that */
} ts_found;

/* A file of the embedded stdlib by its name, "std/networks/x.json"; NULL: there is none. */
struct ts_embedded_file;
const struct ts_embedded_file *ts_session_embedded(const char *name);

/* What the session below read as this file; NULL: nothing, or another text. */
const ts_dependency *ts_session_read_below(const ts_session *s, const ts_found *found,
                                           const char *role, const char *text, size_t size);

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
/* Adds the file of that folder whose name is near, if there is one. */
void ts_session_near(ts_session *s, ts_diag *d, const char *path);
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

/* After the last plan: files of the language stay read, data files and -D are named anew. */
void ts_session_forget_files(ts_session *s);
/* A dependency's text is that file in the source map. */
void ts_session_mapped_as(ts_session *s, uint32_t file, size_t number);

/* Files of the language in a folder of the standard library, "std/frameworks/", without what they
 * end in. */
const char *const *ts_session_std_files(ts_session *s, const char *folder, size_t *count);
/* All files of the language in the standard library, sorted: "std/models/x.ts". */
const char *const *ts_session_std_modules(ts_session *s, size_t *count);
/* Which file of the embedded stdlib declares the name at its outermost level: "std.models.x", or
 * NULL. */
const char *ts_session_declared_in(ts_session *s, const char *name);

#endif
