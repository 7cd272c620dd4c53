/* The inside of the parser: tokens, the stream the grammar reads, and the constructors of the tree.
 * Private to lang/.
 *
 * Text becomes tokens (lexer.l); tokens become a stream of elements in which brackets match and the
 * line breaks that end statements are tokens of their own (tokens.c); parse.c pushes the stream
 * into the grammar (grammar.y), asking it at each word whether it expects the word or a name. */
#ifndef TS_LANG_PARSER_H
#define TS_LANG_PARSER_H

#include "base/intern.h"
#include "lang/ast.h"

struct ts_grammar_pstate;

/* text is interned; NULL: none */
typedef struct ts_word { const char *text; ts_span span; } ts_word;
typedef struct ts_nodes { ts_ast **at; uint32_t count, room; } ts_nodes;

/* A token as it stands in the file. */
typedef struct ts_token {
  int kind;          /* of enum ts_grammar_tokentype */
  ts_span span;
  const char *text;  /* of words and strings */
  ts_ast *number;
  uint32_t newlines; /* line breaks since the token before */
} ts_token;

typedef struct ts_comment {
  ts_span span;
  uint32_t before;   /* index of the token that follows */
  uint32_t newlines; /* line breaks since the token or comment before */
} ts_comment;

/* What the grammar reads in a brace. */
typedef enum ts_body { TS_BODY_NONE, TS_BODY_STATEMENTS, TS_BODY_FIELDS } ts_body;

/* An element of the stream: a token, a line break that ends a statement, or a bracket put in for
 * one that is missing. */
typedef struct ts_element {
  int kind;
  ts_span span;
  uint32_t token;  /* index in tokens; TS_NONE for elements that are not in the file */
  /* index of the opening bracket around it; TS_NONE: none. A bracket is not inside itself. */
  uint32_t inside;
  ts_body body;    /* of an opening brace: where recovery can resume */
} ts_element;

#define TS_NONE UINT32_MAX

/* Limits that keep recursion over the tree within the stack. */
enum { TS_DEEPEST_BRACKET = 200, TS_DEEPEST_NODE = 1000 };
/* After so many errors a file is not read further: most likely it is another language. */
enum { TS_MOST_SYNTAX_ERRORS = 200 };

typedef struct ts_parser {
  ts_lang *lang;
  uint32_t file;
  const char *text;
  uint32_t size;
  TS_VEC(ts_token) tokens;
  TS_VEC(ts_comment) comments;
  TS_VEC(ts_element) stream;
  /* where brackets were put in or left out: errors there are consequences */
  TS_VEC(ts_span) repaired;
  TS_VEC(ts_word) renamed;  /* what to write in the place of words of earlier versions, in order */
  uint32_t at;              /* element given to the grammar last */
  bool expression;          /* parse one expression */
  bool failed;              /* the last element was not expected */
  bool other_language;      /* `language` says another one than this */
  bool given_up;            /* what is wrong makes the rest not worth reading */
  uint32_t errors;
  ts_ast *result;
} ts_parser;

struct ts_lang {
  ts_arena *arena;
  const ts_lang *below;           /* whose names it has too; NULL: none */
  ts_sources *sources;
  ts_diags *diags;
  ts_intern *spellings;
};

/* lexer.l: fills tokens and comments. */
void ts_lex(ts_parser *parser);
/* tokens.c */
/* token of a word of the language, or that of identifiers */
int ts_keyword_token(const char *text, size_t length);
/* spelling of a word of the language, reserved or not; NULL: not one */
const char *ts_word_text(int kind);
const char *ts_word_name(size_t i);                 /* the i-th of them, NULL at the end */
bool ts_token_is_reserved(int kind);
/* may a line break after this token end a statement? */
bool ts_breaks_after(const ts_parser *parser, uint32_t token);
bool ts_breaks_before(const ts_parser *parser, uint32_t token);
/* a brace that can only open a record: line breaks mean nothing in it */
bool ts_opens_record(const ts_parser *parser, uint32_t token);
void ts_make_stream(ts_parser *parser);
/* brackets.c: which tokens to leave out, and how many brackets to close before each. False:
 * brackets match as they are. */
bool ts_repair_brackets(ts_parser *parser, bool *dropped, uint32_t *closed);
/* `op name(`, `let name =` at the left margin: only between declarations, whatever was left open
 * before. */
bool ts_begins_declaration(const ts_parser *parser, uint32_t token);
/* parse.c */
ts_parser *ts_parser_new(ts_lang *lang, uint32_t file);
bool ts_parser_run(ts_parser *parser); /* false: there were errors */
/* Of the first two tokens: the rest need not be read. */
bool ts_other_language(ts_parser *parser);
ts_diag *ts_syntax_diag(ts_parser *parser, ts_code code, ts_span span, const char *format, ...)
  __attribute__((format(printf, 4, 5)));
/* syntax_error.c: `expected` are the tokens that could stand in the place of the last element. */
void ts_syntax_error(ts_parser *parser, const int *expected, int count);
/* Errors from here to the end of the line are consequences of one that is reported. */
void ts_suppress_line(ts_parser *parser, uint32_t from);
bool ts_is_suppressed(const ts_parser *parser, uint32_t offset);
void ts_too_deep(ts_parser *parser, ts_span span);
/* renamed.c: the word that the grammar expects where `token` is the one it replaced, with an error;
 * *count tokens are read as it. Else that of identifiers. */
int ts_renamed_word(ts_parser *parser, struct ts_grammar_pstate *state, uint32_t token,
                    uint32_t *count);
ts_nodes *ts_renamed_fields(ts_parser *parser, ts_nodes *fields); /* the same for a plan's fields */

/* Constructors (ast.c). */
ts_ast *ts_ast_make(ts_parser *parser, ts_kind kind, ts_span span, ts_word name, uint32_t flags,
                    const ts_nodes *children);
ts_nodes *ts_nodes_of(ts_parser *parser, uint32_t count, ts_ast *const *nodes);
ts_nodes *ts_nodes_push(ts_parser *parser, ts_nodes *list, ts_ast *node);
ts_nodes *ts_nodes_join(ts_parser *parser, ts_nodes *list, const ts_nodes *more);
/* unary: right NULL */
ts_ast *ts_ast_operator(ts_parser *parser, ts_operator op, ts_span span, ts_ast *left,
                        ts_ast *right);
ts_ast *ts_ast_string(ts_parser *parser, ts_word text);
/* With the text that says where the last of the children, a value, was found; NULL: none does. */
ts_nodes *ts_ast_sourced(ts_parser *parser, ts_nodes *children, ts_ast *source);
bool ts_ast_is_any(const ts_ast *pattern); /* `_` */
ts_ast *ts_ast_truth(ts_parser *parser, ts_span span, bool truth);
/* The arrays of one statement, with the class they share put before their dimensions. */
ts_nodes *ts_ast_arrays(ts_parser *parser, const ts_nodes *arrays, ts_ast *class_, uint32_t flags);
ts_word ts_word_dotted(ts_parser *parser, ts_word left, ts_word right);
/* `for a in x, b in y { body }` as a nest; `loops` holds ID and list in turn; the condition belongs
 * to the innermost. */
ts_ast *ts_ast_nest(ts_parser *parser, ts_span span, const ts_nodes *loops, ts_ast *condition,
                    const ts_nodes *body);

#endif
