/* What stands at a place of a file, and what may be written there: for editors. The file has been
 * loaded and checked (ts_check) with the session's `uses` set. Offsets are bytes of its text.
 * Nothing here adds to what the plan means; values are worked out where nobody asked for them yet.
 * */
#ifndef TS_COMPILER_LOOKUP_H
#define TS_COMPILER_LOOKUP_H

#include "compiler/eval/check.h"
#include "compiler/plan/plan.h"

/* The name that `offset` is in or right after; NULL: none that means something. */
const ts_use *ts_lookup_use(const ts_session *s, uint32_t file, uint32_t offset);

/* Signature, comment and value of what a name means, in Markdown. `plan`: whose parameters have
 * values; may be NULL. */
const char *ts_lookup_describe(ts_session *s, const ts_plan *plan, const ts_use *use);
/* How a declaration begins, in one line: "model gpt(layers: Int, hidden: Int)". */
const char *ts_lookup_signature(const ts_session *s, const ts_ast *node);

/* The lines of comment right above a declaration; of a parameter or field that has a line of its
 * own, also the comment behind it; "": none. */
const char *ts_lookup_comment(const ts_session *s, const ts_ast *node);

/* What is said of the parts of a declaration, its parameters and fields. source: NULL: none. */
typedef struct ts_note {
  const char *name, *comment, *source;
} ts_note;
typedef struct ts_notes {
  const char *source;
  TS_VEC(ts_note) all;
} ts_notes;
void ts_lookup_notes(ts_session *s, const ts_ast *decl, ts_notes *notes);

typedef struct ts_spans { TS_VEC(ts_span) all; } ts_spans;
/* The dotted text around `offset`, "attn.core"; NULL where there is none. */
const char *ts_lookup_dotted(ts_session *s, uint32_t file, uint32_t offset);
/* The ops and repeats that are labelled so, in all files read. */
void ts_lookup_labels(ts_session *s, const char *label, ts_spans *places);
/* The file that an `import` at this place names; NULL: none. */
const ts_module *ts_lookup_import(ts_session *s, const ts_module *m, uint32_t offset);

/* The call whose parentheses are open at `offset`, whether or not it can be parsed. */
typedef struct ts_open_call {
  const char *name;
  const ts_ast *params;     /* of what is called; NULL: it is built in */
  const ts_function *maker; /* built in; NULL: it is declared */
  uint32_t begin;           /* of its arguments */
  uint32_t argument;        /* that is being written: commas before it */
  const char *named;        /* `name:` before the value; NULL: none */
} ts_open_call;
bool ts_lookup_call(ts_session *s, const ts_module *m, uint32_t offset, ts_open_call *call);

typedef enum ts_proposal_kind {
  TS_PROPOSE_FUNCTION,
  TS_PROPOSE_VALUE,
  TS_PROPOSE_TYPE,
  TS_PROPOSE_PARAMETER,
  TS_PROPOSE_FIELD,
  TS_PROPOSE_FILE,
  TS_PROPOSE_UNIT,
  TS_PROPOSE_KEYWORD
} ts_proposal_kind;
/* detail may be NULL */
typedef struct ts_proposal { ts_proposal_kind kind; const char *text, *detail; } ts_proposal;
/* begin: of the word they complete */
typedef struct ts_proposals { TS_VEC(ts_proposal) all; uint32_t begin; } ts_proposals;
void ts_lookup_propose(ts_session *s, const ts_module *m, uint32_t offset, ts_proposals *list);

#endif
