/* The inside of the parser: tokens, the stream the grammar reads, and the constructors of the tree. Private to lang/. */
#ifndef TS_LANG_PARSER_H
#define TS_LANG_PARSER_H

#include "lang/ast.h"

typedef struct ts_word { const char *text; ts_span span; } ts_word; /* text is interned; NULL: none */
typedef struct ts_nodes { ts_ast **at; uint32_t count, room; } ts_nodes;

/* A token as it stands in the file. */
typedef struct ts_token {
  int kind; /* of enum ts_grammar_tokentype */
  ts_span span;
  const char *text;  /* of words and strings */
  ts_ast *number;
  uint32_t newlines; /* line breaks since the token before */
  bool is_name;      /* a word of the language that the grammar took as a name */
} ts_token;

typedef struct ts_comment {
  ts_span span;
  uint32_t before;   /* index of the token that follows */
  uint32_t newlines; /* line breaks since the token or comment before */
} ts_comment;

/* An element of the stream: a token, a line break that ends a statement, or a bracket put in for one that is missing. */
typedef struct ts_element {
  int kind;
  ts_span span;
  uint32_t token;  /* index in tokens; UINT32_MAX for elements that are not in the file */
  uint32_t inside; /* index of the bracket around it, itself included for a closing one; UINT32_MAX: none */
  uint32_t match;  /* of a bracket: its partner */
  bool body;       /* an opening brace that holds statements or fields, not a record */
} ts_element;

#define TS_NONE UINT32_MAX

typedef struct ts_parser {
  ts_lang *lang;
  uint32_t file;
  const char *text;
  uint32_t size;
  TS_VEC(ts_token) tokens;
  TS_VEC(ts_comment) comments;
  TS_VEC(ts_element) stream;
  uint32_t next;      /* element read next */
  uint32_t last_sync; /* element at which recovery last resumed */
  bool expression;    /* parse one expression */
  bool started, recovering, too_deep;
  uint32_t errors;
  ts_ast *expr;       /* result of an expression */
  ts_nodes declarations;
} ts_parser;

struct ts_lang {
  ts_arena *arena;
  ts_sources *sources;
  ts_diags *diags;
  struct ts_names *names;
};

/* lexer.l: fills tokens and comments. */
void ts_lex(ts_parser *parser);
/* tokens.c */
int ts_word_token(const char *text, size_t length); /* token of a word of the language, or that of identifiers */
bool ts_word_reserved(const char *text);
void ts_repair_brackets(ts_parser *parser, bool *dropped, TS_VEC(ts_element) *inserted);
void ts_make_stream(ts_parser *parser);
bool ts_starts_declaration(const ts_parser *parser, size_t token);
/* parse.c */
ts_parser *ts_parser_new(ts_lang *lang, uint32_t file);
bool ts_parser_run(ts_parser *parser); /* false: the text could not be read at all */
ts_diag *ts_syntax_diag(ts_parser *parser, ts_code code, ts_span span, const char *format, ...) __attribute__((format(printf, 4, 5)));
/* syntax_error.c: `expected` holds the names of the tokens that could stand at element `at`. */
void ts_syntax_error(ts_parser *parser, uint32_t at, const char **expected, size_t count);
/* The grammar (grammar.y). */
int ts_grammar_parse(ts_parser *parser);

/* Constructors. */
ts_ast *ts_ast_make(ts_parser *parser, ts_kind kind, ts_span span, ts_word name, uint32_t flags, const ts_nodes *children);
ts_nodes *ts_nodes_of(ts_parser *parser, uint32_t count, ts_ast *const *nodes);
ts_nodes *ts_nodes_push(ts_parser *parser, ts_nodes *list, ts_ast *node);
ts_nodes *ts_nodes_join(ts_parser *parser, ts_nodes *list, const ts_nodes *more);
ts_ast *ts_ast_operator(ts_parser *parser, ts_operator op, ts_span span, ts_ast *left, ts_ast *right); /* unary: right NULL */
ts_ast *ts_ast_string(ts_parser *parser, ts_word text);
ts_ast *ts_ast_truth(ts_parser *parser, ts_span span, bool truth);
ts_word ts_word_dotted(ts_parser *parser, ts_word left, ts_word right);
/* FOR nodes of `for a in x, b in y` as a nest around `body`; the condition belongs to the innermost. */
ts_ast *ts_ast_nest(ts_parser *parser, ts_span span, const ts_nodes *loops, ts_ast *condition, const ts_nodes *body);
void ts_mark_name(ts_parser *parser, ts_span span);

#endif
