/* Keywords, and the stream of elements: which line breaks end a statement. */
#include <string.h>

#include "lang/grammar.h"
#include "lang/parser.h"

static const struct keyword { const char *text; int token; } keywords[] = {
#define RESERVED(token, text) {text, TS_T_##token},
#define CONTEXTUAL(token, text) {text, TS_T_##token},
#include "lang/keywords.def"
#undef RESERVED
#undef CONTEXTUAL
};

enum { KEYWORDS = sizeof keywords / sizeof keywords[0] };

enum {
  RESERVED_WORDS = 0
#define RESERVED(token, text) + 1
#define CONTEXTUAL(token, text)
#include "lang/keywords.def"
#undef RESERVED
#undef CONTEXTUAL
};

/* By token, from that of a name on. */
static const struct word { const char *text; bool reserved; } words[] = {
#define RESERVED(token, text) [TS_T_##token - TS_T_ID] = {text, true},
#define CONTEXTUAL(token, text) [TS_T_##token - TS_T_ID] = {text, false},
#include "lang/keywords.def"
#undef RESERVED
#undef CONTEXTUAL
};

static struct word word_of(int kind)
{
  size_t i = (size_t)kind - TS_T_ID;
  return kind > TS_T_ID && i < sizeof words / sizeof *words ? words[i] : (struct word){0};
}

/* Of keywords in order. */
static int token_among(size_t low, size_t high, const char *text, size_t length)
{
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    int order = strncmp(text, keywords[middle].text, length);
    if (!order && !keywords[middle].text[length])
      return keywords[middle].token;
    if (order > 0)
      low = middle + 1;
    else
      high = middle;
  }
  return TS_T_ID;
}

int ts_keyword_token(const char *text, size_t length)
{
  int reserved = token_among(0, RESERVED_WORDS, text, length);
  return reserved != TS_T_ID ? reserved : token_among(RESERVED_WORDS, KEYWORDS, text, length);
}

const char *ts_word_text(int kind) { return word_of(kind).text; }

const char *ts_word_name(size_t i) { return i < KEYWORDS ? keywords[i].text : NULL; }

bool ts_token_is_reserved(int kind) { return word_of(kind).reserved; }

/* `x.in`, `{ in: 3 }`: a name even if the word is reserved. */
static bool tokens_is_name(const ts_parser *parser, uint32_t token)
{
  const ts_token *tokens = parser->tokens.at;
  return (token > 0 && tokens[token - 1].kind == TS_T_DOT) ||
         (ts_word_text(tokens[token].kind) && tokens[token + 1].kind == TS_T_COLON);
}

/* Between two operands or elements: a line may end before it and behind it. */
static bool joins(int kind)
{
  switch (kind) {
  case TS_T_COMMA:
  case TS_T_DOT:
  case TS_T_RANGE:
  case TS_T_COLON:
  case TS_T_ASSIGN:
  case TS_T_EQ:
  case TS_T_NE:
  case TS_T_LT:
  case TS_T_LE:
  case TS_T_GT:
  case TS_T_GE:
  case TS_T_PLUS:
  case TS_T_SLASH:
  case TS_T_PERCENT:
  case TS_T_BAR:
  case TS_T_ARROW:
  case TS_T_BOTH_WAYS:
  case TS_T_AND:
  case TS_T_OR:
  case TS_T_IN:
  case TS_T_THEN:
  case TS_T_ELSE: return true;
  default: return false;
  }
}

bool ts_breaks_after(const ts_parser *parser, uint32_t token)
{
  if (tokens_is_name(parser, token))
    return true;
  switch (parser->tokens.at[token].kind) {
  case TS_T_STAR: /* `match *` is complete */
    return token > 0 && parser->tokens.at[token - 1].kind == TS_T_MATCH;
  case TS_T_LPAREN:
  case TS_T_LBRACKET:
  case TS_T_LBRACE:
  case TS_T_MINUS:
  case TS_T_NOT: return false;
  default: return !joins(parser->tokens.at[token].kind);
  }
}

bool ts_breaks_before(const ts_parser *parser, uint32_t token)
{
  if (tokens_is_name(parser, token))
    return true;
  switch (parser->tokens.at[token].kind) {
  case TS_T_WITH:
    return parser->tokens.at[token + 1].kind == TS_T_ASSIGN; /* a field of that name */
  case TS_T_SOURCE: return parser->tokens.at[token + 1].kind != TS_T_STRING;
  case TS_T_RPAREN:
  case TS_T_RBRACKET:
  case TS_T_LBRACE:
  case TS_T_RBRACE:
  case TS_T_STAR: return false;
  default: return !joins(parser->tokens.at[token].kind);
  }
}

bool ts_opens_record(const ts_parser *parser, uint32_t token)
{
  return token > 0 && parser->tokens.at[token - 1].kind != TS_T_ELSE &&
         !ts_breaks_after(parser, token - 1) && parser->tokens.at[token - 1].kind != TS_T_LBRACE;
}

typedef struct stream {
  ts_parser *parser;
  TS_VEC(uint32_t) open; /* elements of the brackets around */
  TS_VEC(bool) flat;     /* of each: line breaks mean nothing */
} stream;

static int closer_of(int opener)
{
  return opener == TS_T_LPAREN   ? TS_T_RPAREN :
         opener == TS_T_LBRACKET ? TS_T_RBRACKET :
                                   TS_T_RBRACE;
}

static void tokens_add(stream *s, int kind, ts_span span, uint32_t token)
{
  uint32_t inside = s->open.count ? s->open.at[s->open.count - 1] : TS_NONE;
  TS_PUSH(s->parser->lang->arena, &s->parser->stream,
          (ts_element){.kind = kind, .span = span, .token = token, .inside = inside});
}

static void close_bracket(stream *s, ts_span span, uint32_t token)
{
  int kind = closer_of(s->parser->stream.at[s->open.at[s->open.count - 1]].kind);
  s->open.count--;
  s->flat.count--;
  tokens_add(s, kind, span, token);
}

static void end_statement(stream *s, ts_span span)
{
  size_t count = s->parser->stream.count;
  bool flat = s->flat.count && s->flat.at[s->flat.count - 1];
  if (!flat && count && s->parser->stream.at[count - 1].kind != TS_T_NEWLINE)
    tokens_add(s, TS_T_NEWLINE, span, TS_NONE);
}

static void open_bracket(stream *s, uint32_t i)
{
  ts_arena *arena = s->parser->lang->arena;
  ts_token *token = &s->parser->tokens.at[i];
  tokens_add(s, token->kind, token->span, i);
  TS_PUSH(arena, &s->open, (uint32_t)s->parser->stream.count - 1);
  TS_PUSH(arena, &s->flat, token->kind != TS_T_LBRACE || ts_opens_record(s->parser, i));
  if (s->open.count == TS_DEEPEST_BRACKET)
    ts_too_deep(s->parser, token->span);
}

static void add_token(stream *s, uint32_t i)
{
  ts_token *token = &s->parser->tokens.at[i];
  switch (token->kind) {
  case TS_T_LPAREN: case TS_T_LBRACKET: case TS_T_LBRACE: open_bracket(s, i); break;
  case TS_T_RPAREN: case TS_T_RBRACKET: case TS_T_RBRACE: close_bracket(s, token->span, i); break;
  case TS_T_SEMICOLON: end_statement(s, token->span); break;
  case TS_T_WITH:
    tokens_add(s, (token + 1)->kind == TS_T_LBRACE ? TS_T_WITH_BRACE : TS_T_WITH, token->span, i);
    break;
  default: tokens_add(s, token->kind, token->span, i);
  }
}

/* Does a statement end before token `i`? Where the line before asks for more, only if this one
 * cannot be its continuation: `name =`, or a declaration. */
static bool ends_before(const stream *s, uint32_t i)
{
  const ts_token *token = &s->parser->tokens.at[i];
  if (i == 0 || !token->newlines)
    return false;
  bool assigns =
    (token->kind == TS_T_ID || ts_word_text(token->kind)) && token[1].kind == TS_T_ASSIGN;
  bool declares = s->open.count == 0 && ts_begins_declaration(s->parser, i);
  return assigns || declares ||
         (ts_breaks_after(s->parser, i - 1) && ts_breaks_before(s->parser, i));
}

void ts_make_stream(ts_parser *parser)
{
  ts_arena *arena = parser->lang->arena;
  uint32_t count = (uint32_t)parser->tokens.count;
  bool *dropped = TS_NEW_ARRAY(arena, bool, count);
  uint32_t *closed = TS_NEW_ARRAY(arena, uint32_t, count);
  stream s = {.parser = parser};
  ts_repair_brackets(parser, dropped, closed);
  ts_span end = {parser->file, 0, 0}; /* of the token before */
  for (uint32_t i = 0; i < count && !parser->given_up; i++) {
    for (; closed[i]; closed[i]--)
      close_bracket(&s, end, TS_NONE);
    if (i + 1 == count || ends_before(&s, i))
      end_statement(&s, end);
    if (!dropped[i])
      add_token(&s, i);
    end.begin = end.end = parser->tokens.at[i].span.end;
  }
}
