/* Parsing: reads a source's tokens, gives their stream to the grammar, and resumes after errors. */
#include <string.h>

#include "base/csv.h"
#include "base/text.h"
#include "lang/grammar.h"
#include "lang/parser.h"

ts_diag *ts_syntax_diag(ts_parser *parser, ts_code code, ts_span span, const char *format, ...)
{
  const char *text;
  TS_FORMATTED(parser->lang->arena, format, text);
  if (++parser->errors >= TS_MOST_SYNTAX_ERRORS)
    parser->given_up = true;
  return ts_diag_add(parser->lang->diags, code, span, "%s", text);
}

ts_parser *ts_parser_new(ts_lang *lang, uint32_t file)
{
  const ts_source *source = ts_sources_get(lang->sources, file);
  ts_parser *parser = TS_NEW(lang->arena, ts_parser);
  *parser =
    (ts_parser){.lang = lang, .file = file, .text = source->text, .size = (uint32_t)source->size};
  return parser;
}

static bool is_text(ts_parser *parser)
{
  const char *nul = memchr(parser->text, 0, parser->size);
  uint32_t size = nul ? (uint32_t)(nul - parser->text) : parser->size,
           at = (uint32_t)ts_utf8_valid(parser->text, size);
  if (at == parser->size)
    return true;
  unsigned char byte = (unsigned char)parser->text[at];
  ts_diag *d = ts_syntax_diag(parser, TS_E0103, (ts_span){parser->file, at, at + 1},
                              "the file is not UTF-8 text: byte 0x%02X at offset %u", byte, at);
  ts_diag_here(d, byte ? "not part of a UTF-8 character" : "a NUL byte");
  return false;
}

/* `[match, n]`: a `match` with a value behind it is the word. */
static bool begins_operand(int kind)
{
  switch (kind) {
  case TS_T_NUMBER:
  case TS_T_STRING:
  case TS_T_TRUE:
  case TS_T_FALSE:
  case TS_T_LPAREN:
  case TS_T_LBRACKET:
  case TS_T_LBRACE:
  case TS_T_NOT:
  case TS_T_IF: return true;
  default: return kind == TS_T_ID || (ts_word_text(kind) && !ts_token_is_reserved(kind));
  }
}

/* A word is what the grammar expects; where it expects none, a name. `word =`, `word:` and `.word`
 * are names. *count: how many tokens it is, more than 1 only for words of earlier versions. */
static int parse_kind_of(ts_parser *parser, ts_grammar_pstate *state, const ts_element *element,
                         uint32_t *count)
{
  int kind = element->kind;
  if (element->token == TS_NONE || (kind != TS_T_ID && !ts_word_text(kind)))
    return kind;
  const ts_token *tokens = parser->tokens.at;
  int next = tokens[element->token + 1].kind;
  if (element->token > 0 && tokens[element->token - 1].kind == TS_T_DOT)
    return TS_T_ID;
  /* `after step: ...` */
  bool when =
    kind == TS_T_FORWARD || kind == TS_T_BACKWARD || kind == TS_T_GRADIENTS || kind == TS_T_STEP;
  if (ts_token_is_reserved(kind))
    return next == TS_T_COLON ? TS_T_ID : kind;
  if (next == TS_T_ASSIGN || (next == TS_T_COLON && !when))
    return TS_T_ID;
  if (kind == TS_T_MATCH && ts_grammar_expects(state, TS_T_ID) && !begins_operand(next))
    return TS_T_ID;
  return kind != TS_T_ID && ts_grammar_expects(state, kind) ?
           kind :
           ts_renamed_word(parser, state, element->token, count);
}

static TS_GRAMMAR_STYPE parse_value_of(const ts_parser *parser, const ts_element *element, int kind)
{
  TS_GRAMMAR_STYPE value;
  memset(&value, 0, sizeof value);
  if (element->token == TS_NONE)
    return value;
  const ts_token *token = &parser->tokens.at[element->token];
  if (kind == TS_T_NUMBER)
    value.TS_T_NUMBER = token->number;
  else
    value.TS_T_ID = (ts_word){token->text, token->span};
  return value;
}

/* Where to go on after an error: the end of the statement that is being read, in the innermost list
 * of statements. */
static uint32_t next_statement(const ts_parser *parser)
{
  uint32_t list = parser->stream.at[parser->at].inside;
  while (list != TS_NONE && !parser->stream.at[list].body)
    list = parser->stream.at[list].inside;
  for (uint32_t i = parser->at;; i++) {
    const ts_element *element = &parser->stream.at[i];
    if (element->kind == TS_T_END || (element->kind == TS_T_NEWLINE && element->inside == list))
      return i;
    bool closes = element->kind == TS_T_RBRACE && list != TS_NONE &&
                  element->inside == parser->stream.at[list].inside && i > list;
    if (closes)
      return i;
  }
}

static void parse_stream(ts_parser *parser)
{
  ts_grammar_pstate *state = ts_grammar_pstate_new();
  ts_span start = {parser->file, 0, 0};
  TS_GRAMMAR_STYPE none;
  memset(&none, 0, sizeof none);
  int status = ts_grammar_push_parse(
    state, parser->expression ? TS_T_START_EXPRESSION : TS_T_START_FILE, &none, &start, parser);
  for (uint32_t i = 0; status == YYPUSH_MORE && i < parser->stream.count && !parser->given_up;
       i++) {
    const ts_element *element = &parser->stream.at[i];
    ts_span span = element->span;
    parser->at = i;
    parser->failed = false;
    uint32_t count = 1;
    int kind = parse_kind_of(parser, state, element, &count);
    if (kind == TS_T_ID)
      parser->tokens.at[element->token].kind = kind;
    TS_GRAMMAR_STYPE value = parse_value_of(parser, element, kind);
    status = ts_grammar_push_parse(state, kind, &value, &span, parser);
    i += count - 1;
    if (parser->failed) {
      uint32_t resume = next_statement(parser);
      i = resume > i ? resume - 1 : i;
    }
  }
  ts_grammar_pstate_delete(state);
}

/* `language 2`, first of all: what follows may be read only by another program. */
bool ts_other_language(ts_parser *parser)
{
  const ts_token *tokens = parser->tokens.at;
  if (parser->expression || tokens[0].kind != TS_T_LANGUAGE || tokens[1].kind != TS_T_NUMBER ||
      tokens[1].newlines)
    return false;
  const ts_ast *version = tokens[1].number;
  if (version->kind == TS_AST_INT && version->u.integer == TS_LANGUAGE_VERSION)
    return false;
  ts_diag *d = ts_syntax_diag(parser, TS_E0115, ts_span_join(tokens[0].span, tokens[1].span),
                              "this file is written in language %s", version->literal);
  ts_diag_here(d, "this program reads language %d", TS_LANGUAGE_VERSION);
  ts_diag_help(d, "take a version of TrainSpec that reads it, or rewrite the file in language %d",
               TS_LANGUAGE_VERSION);
  parser->other_language = true;
  return true;
}

/* Further down it would come too late. */
static void language_first(ts_parser *parser, const ts_ast *file)
{
  for (uint32_t i = 1; i < file->count; i++)
    if (file->child[i] && file->child[i]->kind == TS_AST_LANGUAGE) {
      ts_diag *d = ts_syntax_diag(parser, TS_E0116, file->child[i]->span,
                                  "`language` stands before everything else in a file");
      ts_diag_here(d, "move it to the first line");
    }
}

/* `{ "traceEvents": ...`, `[{`: not one error for each line of it. */
static bool is_json(ts_parser *parser)
{
  const ts_token *tokens = parser->tokens.at;
  int first = tokens[0].kind, second = first == TS_T_END ? first : tokens[1].kind;
  if (parser->expression || !((first == TS_T_LBRACE && second == TS_T_STRING) ||
                              (first == TS_T_LBRACKET && second == TS_T_LBRACE)))
    return false;
  ts_diag *d = ts_syntax_diag(parser, TS_E0110, tokens[0].span, "this is JSON, not a plan");
  ts_diag_help(d, "a trace of a run is summed up by `trainspec trace` and played again by "
                  "`trainspec replay`; of a model's config.json `trainspec init --model FILE` "
                  "makes a plan, of a framework's settings `trainspec import`");
  return true;
}

static bool is_table(ts_parser *parser)
{
  if (parser->expression || !ts_csv_is_table(parser->text, parser->size))
    return false;
  ts_diag *d =
    ts_syntax_diag(parser, TS_E0110, (ts_span){parser->file, 0, 1}, "this is a table, not a plan");
  ts_diag_help(d, "a table of operators is a model: `trainspec init --model FILE.csv` makes a plan "
                  "of it; of kernels' times it is a source, `costs = [table(\"FILE.csv\")]`; steps "
                  "of a run go to `trainspec log`");
  return true;
}

bool ts_parser_run(ts_parser *parser)
{
  if (!is_text(parser) || is_table(parser))
    return false;
  ts_lex(parser);
  if (parser->other_language || is_json(parser))
    return false;
  ts_make_stream(parser);
  if (!parser->given_up)
    parse_stream(parser);
  if (parser->result && !parser->expression)
    language_first(parser, parser->result);
  return parser->errors == 0;
}

ts_ast *ts_parse_file(ts_lang *lang, uint32_t file)
{
  ts_parser *parser = ts_parser_new(lang, file);
  ts_parser_run(parser);
  if (parser->result)
    return parser->result;
  return ts_ast_make(parser, TS_AST_FILE, (ts_span){file, 0, parser->size}, (ts_word){0}, 0, NULL);
}

ts_ast *ts_parse_expr(ts_lang *lang, uint32_t file)
{
  ts_parser *parser = ts_parser_new(lang, file);
  parser->expression = true;
  return ts_parser_run(parser) ? parser->result : NULL;
}
