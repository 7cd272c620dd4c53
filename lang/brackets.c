/* Brackets that do not match. Where a bracket was probably meant to close is guessed from line
 * breaks and indentation, so that one missing bracket is one error. */
#include <string.h>

#include "lang/grammar.h"
#include "lang/parser.h"

typedef struct repair {
  ts_parser *parser;
  bool *dropped;
  uint32_t *closed;
  TS_VEC(uint32_t) open; /* tokens */
} repair;

static bool is_opener(int kind)
{
  return kind == TS_T_LPAREN || kind == TS_T_LBRACKET || kind == TS_T_LBRACE;
}
static bool is_closer(int kind)
{
  return kind == TS_T_RPAREN || kind == TS_T_RBRACKET || kind == TS_T_RBRACE;
}

static bool matches(int opener, int closer)
{
  return opener == TS_T_LPAREN   ? closer == TS_T_RPAREN :
         opener == TS_T_LBRACKET ? closer == TS_T_RBRACKET :
                                   closer == TS_T_RBRACE;
}

static const char *closing_text(int opener)
{
  return opener == TS_T_LPAREN ? ")" : opener == TS_T_LBRACKET ? "]" : "}";
}

static bool balanced(const ts_parser *parser, repair *r)
{
  for (uint32_t i = 0; i < parser->tokens.count; i++) {
    int kind = parser->tokens.at[i].kind;
    if (is_opener(kind)) {
      TS_PUSH(parser->lang->arena, &r->open, i);
    } else if (is_closer(kind)) {
      if (!r->open.count || !matches(parser->tokens.at[r->open.at[r->open.count - 1]].kind, kind))
        return false;
      r->open.count--;
    }
  }
  return r->open.count == 0;
}

static bool brackets_is_word(const ts_parser *parser, uint32_t i)
{
  return parser->tokens.at[i].kind == TS_T_ID || ts_word_text(parser->tokens.at[i].kind);
}

static uint32_t indentation(const ts_parser *parser, uint32_t token)
{
  uint32_t begin = parser->tokens.at[token].span.begin, blanks = 0;
  while (begin > 0 && parser->text[begin - 1] != '\n')
    begin--;
  while (parser->text[begin + blanks] == ' ' || parser->text[begin + blanks] == '\t')
    blanks++;
  return blanks;
}

bool ts_begins_declaration(const ts_parser *parser, uint32_t i)
{
  const ts_token *token = &parser->tokens.at[i];
  if (!token->newlines || !brackets_is_word(parser, i) || !brackets_is_word(parser, i + 1) ||
      indentation(parser, i) > 0)
    return false;
  switch (token->kind) {
  case TS_T_IMPORT:
  case TS_T_LET:
  case TS_T_PARAM:
  case TS_T_FN:
  case TS_T_EXTERN:
  case TS_T_OP:
  case TS_T_BLOCK:
  case TS_T_MODEL:
  case TS_T_STRATEGY:
  case TS_T_SCHEDULE:
  case TS_T_PROTOCOL:
  case TS_T_RECORD:
  case TS_T_GPU:
  case TS_T_CLUSTER:
  case TS_T_PLAN:
  case TS_T_SEARCH: return true;
  default:
    return false;
  }
}

static int top_kind(const repair *r)
{
  return r->open.count ? r->parser->tokens.at[r->open.at[r->open.count - 1]].kind : 0;
}

/* The name before a bracket: what it belongs to. */
static ts_span owner(const repair *r, uint32_t opener)
{
  const ts_token *tokens = r->parser->tokens.at;
  uint32_t i = opener;
  if (i > 0 && (tokens[i - 1].kind == TS_T_ASSIGN || tokens[i - 1].kind == TS_T_COLON))
    i--;
  /* `plan p(...) {`: what the parentheses belong to */
  uint32_t depth = 0;
  if (i > 1 && tokens[opener].kind == TS_T_LBRACE && tokens[i - 1].kind == TS_T_RPAREN)
    for (i--; i > 0; i--) {
      depth += tokens[i].kind == TS_T_RPAREN;
      if (tokens[i].kind == TS_T_LPAREN && --depth == 0)
        break;
    }
  bool named = i > 0 && !tokens[i].newlines &&
               (tokens[i - 1].kind == TS_T_ID || ts_word_text(tokens[i - 1].kind));
  return named ? tokens[i - 1].span : TS_NO_SPAN;
}

static void report_unclosed(repair *r, uint32_t opener, uint32_t i, ts_span end)
{
  ts_arena *arena = r->parser->lang->arena;
  const ts_token *found = &r->parser->tokens.at[i];
  const ts_token *token = &r->parser->tokens.at[opener];
  const char *closing = closing_text(token->kind);
  ts_span name = owner(r, opener);
  const char *what = !name.file ? "" :
                                  ts_arena_printf(arena, " of `%.*s`", (int)(name.end - name.begin),
                                                  r->parser->text + name.begin);
  if (!found->kind) {
    ts_diag *d = ts_syntax_diag(r->parser, TS_E0104, token->span, "the `%c`%s is never closed",
                                r->parser->text[token->span.begin], what);
    ts_diag_here(d, "opened here; the file ends without its `%s`", closing);
    bool lines = token->kind == TS_T_LBRACE && r->parser->tokens.at[opener + 1].newlines;
    if (lines) /* behind a comment, too */
      end.begin = end.end = end.end + (uint32_t)strcspn(r->parser->text + end.end, "\r\n");
    ts_diag_edit(d, end, lines ? ts_arena_printf(arena, "\n%s", closing) : closing,
                 lines ? "close it behind its last line" : "close it here");
    return;
  }
  ts_diag *d = ts_syntax_diag(
    r->parser, TS_E0104, found->span, "expected `%s` to close the `%c`%s, found `%.*s`", closing,
    r->parser->text[token->span.begin], what, (int)(found->span.end - found->span.begin),
    r->parser->text + found->span.begin);
  ts_diag_label(d, token->span, "opened here");
  if (token->kind != TS_T_LBRACE || !r->parser->tokens.at[opener + 1].newlines)
    ts_diag_edit(d, end, token->kind == TS_T_LBRACE ? " }" : closing, "close it here");
}

/* Closes the innermost bracket before token `i`. */
static void close_top(repair *r, uint32_t i)
{
  const ts_token *tokens = r->parser->tokens.at;
  uint32_t opener = r->open.at[--r->open.count];
  r->closed[i]++;
  ts_span end = {r->parser->file, i ? tokens[i - 1].span.end : 0, i ? tokens[i - 1].span.end : 0};
  if (!ts_is_suppressed(r->parser, end.end))
    report_unclosed(r, opener, i, end);
  ts_span touched = {r->parser->file,
                     tokens[opener].kind == TS_T_LBRACE ? end.end : tokens[opener].span.begin,
                     end.end};
  TS_PUSH(r->parser->lang->arena, &r->parser->repaired, touched);
}

/* Tokens that begin a line begin a statement there, unless the line before asks for more. */
static bool begins_statement(const repair *r, uint32_t i)
{
  const ts_token *token = &r->parser->tokens.at[i];
  if (i == 0 || !token->newlines)
    return false;
  if (brackets_is_word(r->parser, i) && token[1].kind == TS_T_ASSIGN)
    return true;
  switch (token->kind) {
  case TS_T_IF:
  case TS_T_FOR:
    return r->parser->tokens.at[i - 1].kind != TS_T_COMMA && top_kind(r) != TS_T_LBRACKET;
  case TS_T_MINUS: case TS_T_STRING: case TS_T_NUMBER: return false;
  default: break;
  }
  return !is_opener(token->kind) && ts_breaks_after(r->parser, i - 1) &&
         ts_breaks_before(r->parser, i);
}

/* A `}` that begins its line belongs to the brace whose line is indented like it. */
static void close_by_indentation(repair *r, uint32_t i)
{
  uint32_t column = indentation(r->parser, i);
  size_t keep = r->open.count;
  while (keep > 0 && indentation(r->parser, r->open.at[keep - 1]) > column)
    keep--;
  if (keep == 0 || indentation(r->parser, r->open.at[keep - 1]) != column)
    return;
  while (r->open.count > keep)
    close_top(r, i);
}

static bool top_is_body(const repair *r)
{
  return top_kind(r) == TS_T_LBRACE && !ts_opens_record(r->parser, r->open.at[r->open.count - 1]);
}

static void close_for_statement(repair *r, uint32_t i)
{
  while (r->open.count && (!top_is_body(r) || ts_begins_declaration(r->parser, i)))
    close_top(r, i);
}

static void stray(repair *r, uint32_t i)
{
  const ts_token *token = &r->parser->tokens.at[i];
  r->dropped[i] = true;
  if (ts_is_suppressed(r->parser, token->span.begin))
    return;
  ts_diag *d = ts_syntax_diag(r->parser, TS_E0106, token->span, "this `%c` has no opening bracket",
                              r->parser->text[token->span.begin]);
  if (r->open.count) {
    const ts_token *open = &r->parser->tokens.at[r->open.at[r->open.count - 1]];
    ts_diag_here(d, "the open bracket here is a `%c`", r->parser->text[open->span.begin]);
    ts_diag_label(d, open->span, "opened here");
  } else {
    ts_diag_here(d, "no bracket is open here");
  }
  ts_suppress_line(r->parser, token->span.begin);
}

/* `{ tp: 2 ]`: the innermost bracket was opened on this line, and nothing after this closes it
 * there. */
static bool is_mistyped(const repair *r, uint32_t i)
{
  const ts_token *tokens = r->parser->tokens.at;
  uint32_t top = r->open.count ? r->open.at[r->open.count - 1] : i;
  for (uint32_t k = top + 1; k <= i; k++) {
    if (tokens[k].newlines)
      return false;
  }
  for (uint32_t k = i + 1; tokens[k].kind && !tokens[k].newlines; k++) {
    if (matches(tokens[top].kind, tokens[k].kind))
      return false;
  }
  return top < i;
}

/* `= (a, b]`: what follows no name calls nothing, so a list was meant. */
static bool is_list(const repair *r, uint32_t opener, uint32_t i)
{
  const ts_token *tokens = r->parser->tokens.at;
  if (tokens[opener].kind != TS_T_LPAREN || tokens[i].kind != TS_T_RBRACKET || !opener)
    return false;
  int before = tokens[opener - 1].kind;
  return before == TS_T_ASSIGN || before == TS_T_COLON || before == TS_T_COMMA ||
         before == TS_T_LBRACKET;
}

static void take_list(repair *r, uint32_t i)
{
  ts_token *tokens = r->parser->tokens.at;
  uint32_t opener = r->open.at[--r->open.count];
  tokens[opener].kind = TS_T_LBRACKET;
  if (!ts_is_suppressed(r->parser, tokens[opener].span.begin)) {
    ts_diag *d = ts_syntax_diag(r->parser, TS_E0106, tokens[opener].span,
                                "expected `[` before a list that `]` closes, found `(`");
    ts_diag_label(d, tokens[i].span, "closed here");
    ts_diag_edit(d, tokens[opener].span, "[", "write `[`");
  }
  ts_suppress_line(r->parser, tokens[i].span.begin);
}

static void take_mistyped(repair *r, uint32_t i)
{
  const ts_token *token = &r->parser->tokens.at[i];
  const ts_token *opener = &r->parser->tokens.at[r->open.at[--r->open.count]];
  r->closed[i]++;
  r->dropped[i] = true;
  if (!ts_is_suppressed(r->parser, token->span.begin)) {
    const char *closing = closing_text(opener->kind), *text = r->parser->text;
    ts_diag *d = ts_syntax_diag(r->parser, TS_E0106, token->span,
                                "expected `%s` to close the `%c`, found `%c`", closing,
                                text[opener->span.begin], text[token->span.begin]);
    ts_diag_label(d, opener->span, "opened here");
    ts_diag_edit(d, token->span, closing, "write `%s`", closing);
  }
  ts_suppress_line(r->parser, token->span.begin);
}

static void take_closer(repair *r, uint32_t i)
{
  int kind = r->parser->tokens.at[i].kind;
  size_t keep = r->open.count;
  while (keep > 0 && !matches(r->parser->tokens.at[r->open.at[keep - 1]].kind, kind))
    keep--;
  if (keep == 0) {
    if (is_mistyped(r, i) && is_list(r, r->open.at[r->open.count - 1], i))
      take_list(r, i);
    else if (is_mistyped(r, i))
      take_mistyped(r, i);
    else
      stray(r, i);
    return;
  }
  while (r->open.count > keep)
    close_top(r, i);
  r->open.count--;
}

bool ts_repair_brackets(ts_parser *parser, bool *dropped, uint32_t *closed)
{
  repair r = {.parser = parser, .dropped = dropped, .closed = closed};
  if (balanced(parser, &r))
    return true;
  r.open.count = 0;
  for (uint32_t i = 0; i < parser->tokens.count && !parser->given_up; i++) {
    const ts_token *token = &parser->tokens.at[i];
    if (token->kind == TS_T_RBRACE && token->newlines)
      close_by_indentation(&r, i);
    else if (begins_statement(&r, i))
      close_for_statement(&r, i);
    if (is_opener(token->kind))
      TS_PUSH(parser->lang->arena, &r.open, i);
    else if (is_closer(token->kind))
      take_closer(&r, i);
  }
  while (r.open.count && !parser->given_up)
    close_top(&r, (uint32_t)parser->tokens.count - 1);
  return false;
}
