/* Words that the language has replaced: an error that shows the new word, read as if it stood
 * there, and files rewritten with the new words. */
#include <string.h>

#include "lang/grammar.h"
#include "lang/parser.h"

/* Where the grammar expects `token`, what was written before: one word, or two. */
static const struct renamed { const char *word, *second; int token; } words[] = {
  {"by", "cost", TS_T_BALANCED},  {"by", NULL, TS_T_KEY},       {"by", NULL, TS_T_SENDING},
  {"match", NULL, TS_T_PARTNER},  {"overlap", NULL, TS_T_PAIR}, {"param", NULL, TS_T_WEIGHT},
  {"part", NULL, TS_T_SLICE},     {"place", NULL, TS_T_SLOT},   {"rules", NULL, TS_T_PROTOCOL},
};

static const struct renamed_field { const char *name, *now; } fields[] = {
  {"place", "placement"},
  {"rules", "protocols"},
};

static void renamed_report(ts_parser *parser, ts_span span, const char *now)
{
  ts_arena *arena = parser->lang->arena;
  const char *before = ts_arena_string(arena, parser->text + span.begin, span.end - span.begin);
  ts_diag *d = ts_syntax_diag(parser, TS_E0114, span, "`%s` is now written `%s`", before, now);
  ts_diag_edit(d, span, now, "write `%s`", now);
  if (!parser->renamed.count)
    ts_diag_help(d, "`tsfmt --upgrade` replaces all old words of a file");
  TS_PUSH(arena, &parser->renamed, ((ts_word){now, span}));
  ts_word *at = &parser->renamed.at[parser->renamed.count - 1];
  for (; at > parser->renamed.at && at[-1].span.begin > span.begin; at--)
    *at = at[-1]; /* a plan's fields are known at its end, after the words in their values */
  *at = (ts_word){now, span};
}

int ts_renamed_word(ts_parser *parser, struct ts_grammar_pstate *state, uint32_t token,
                    uint32_t *count)
{
  const ts_token *found = &parser->tokens.at[token];
  for (size_t i = 0; found->text && i < sizeof words / sizeof *words; i++) {
    const char *second = words[i].second;
    bool follows = second && found[1].kind == TS_T_ID && !found[1].newlines &&
                   !strcmp(second, found[1].text);
    if (strcmp(words[i].word, found->text) || (second && !follows) ||
        !ts_grammar_expects(state, words[i].token))
      continue;
    *count = second ? 2 : 1;
    renamed_report(parser, ts_span_join(found->span, found[*count - 1].span),
                   ts_word_text(words[i].token));
    return words[i].token;
  }
  return TS_T_ID;
}

ts_nodes *ts_renamed_fields(ts_parser *parser, ts_nodes *nodes)
{
  for (uint32_t i = 0; i < nodes->count; i++) {
    ts_ast *field = nodes->at[i];
    for (size_t k = 0; k < sizeof fields / sizeof *fields; k++) {
      if (!field->name || strcmp(fields[k].name, field->name))
        continue;
      field->name = ts_lang_intern(parser->lang, fields[k].now, strlen(fields[k].now));
      renamed_report(parser, field->name_span, fields[k].now);
    }
  }
  return nodes;
}

static char *replaced(const ts_parser *parser)
{
  size_t size = parser->size + 1, used = 0;
  for (size_t i = 0; i < parser->renamed.count; i++)
    size += strlen(parser->renamed.at[i].text);
  char *text = ts_arena_alloc(parser->lang->arena, size);
  uint32_t at = 0;
  for (size_t i = 0; i < parser->renamed.count; i++) {
    ts_word now = parser->renamed.at[i];
    memcpy(text + used, parser->text + at, now.span.begin - at);
    used += now.span.begin - at;
    memcpy(text + used, now.text, strlen(now.text));
    used += strlen(now.text);
    at = now.span.end;
  }
  memcpy(text + used, parser->text + at, parser->size - at + 1);
  return text;
}

/* Several times: a file is read up to a number of errors. */
char *ts_upgrade(ts_lang *lang, uint32_t file, size_t *size)
{
  ts_lang quiet = *lang;
  quiet.diags = ts_diags_new(lang->arena, lang->sources);
  for (;;) {
    ts_parser *parser = ts_parser_new(&quiet, file);
    ts_parser_run(parser);
    *size = parser->size;
    if (!parser->renamed.count)
      return (char *)parser->text;
    char *text = replaced(parser);
    file = ts_sources_add(lang->sources, "upgraded", "plan", text, strlen(text));
  }
}
