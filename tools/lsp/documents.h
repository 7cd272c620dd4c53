/* Documents that an editor has open, and what the compiler makes of each: one analysis a plan of
 * the file (one without, where it has none). */
#ifndef TS_TOOLS_LSP_DOCUMENTS_H
#define TS_TOOLS_LSP_DOCUMENTS_H

#include "compiler/compile.h"
#include "compiler/lookup.h"
#include "tools/lsp/text.h"

enum { LSP_MOST_PLANS = 8 };

typedef struct lsp_analysis { /* of a file and one of its plans; dies with its arena */
  ts_arena *arena;
  ts_session *session;
  ts_module *module;     /* NULL: the file cannot be read */
  const ts_plan *plan;   /* NULL: there is none, or it has errors */
  const char *answer;    /* "21.84 s a step": of a plan that was played; else NULL */
  const char *memory;    /* "34.88 GiB of 79.25 GiB": likewise; "" where none is stated */
} lsp_analysis;

typedef struct lsp_document {
  char *uri, *path, *text;
  size_t size;
  int version;
  bool stale;            /* its analyses are of another text */
  bool whole;            /* asked for: also what takes long, since it was opened or saved */
  bool slow;             /* lowering it takes long: not at each key */
  uint32_t count;
  lsp_analysis plan[LSP_MOST_PLANS];
  char **reported; /* URIs of files that have messages of this document */
  size_t reported_count;
} lsp_document;

typedef struct lsp_documents {
  ts_compile_options compile;
  /* play: plans are played when they are opened or saved; lenses: so is what they hold */
  bool utf8, play, lenses;
  size_t count;
  lsp_document **at;
} lsp_documents;

lsp_document *lsp_document_of(const lsp_documents *all, const char *uri); /* NULL: it is not open */
/* Opens it, or gives it another text. NULL if it is no file's URI. The text is copied. */
lsp_document *lsp_document_put(lsp_documents *all, const char *uri, const char *text, int version);
void lsp_document_forget(lsp_document *d); /* its analyses */
void lsp_document_drop(lsp_documents *all, lsp_document *d);
/* Compiles it if it is stale; false: it is not. */
bool lsp_document_analyze(const lsp_documents *all, lsp_document *d);

lsp_text lsp_text_of(const lsp_documents *all, const lsp_document *d);
/* A place in any file that an analysis read, as a Location. Files of the library inside the program
 * are written to the user's cache first. NULL: it has no place. */
cJSON *lsp_location(const lsp_documents *all, const lsp_analysis *a, ts_span span);

#endif
