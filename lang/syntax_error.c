/* What the grammar did not expect, in human words. */
#include <inttypes.h>
#include <string.h>

#include "lang/grammar.h"
#include "lang/parser.h"

enum { MOST = 128, LISTED = 4 };

typedef struct mistake {
  ts_parser *parser;
  const ts_element *found;
  const ts_token *before;     /* the token before it, or NULL */
  const int *expected;
  int count;
  ts_span span;
  bool line_ends;
} mistake;

void ts_suppress_line(ts_parser *parser, uint32_t from)
{
  const char *end = strchr(parser->text + from, '\n');
  uint32_t to = end ? (uint32_t)(end - parser->text) : parser->size;
  TS_PUSH(parser->lang->arena, &parser->repaired, (ts_span){parser->file, from, to});
}

bool ts_is_suppressed(const ts_parser *parser, uint32_t offset)
{
  for (size_t i = 0; i < parser->repaired.count; i++) {
    if (offset >= parser->repaired.at[i].begin && offset <= parser->repaired.at[i].end)
      return true;
  }
  return false;
}

void ts_too_deep(ts_parser *parser, ts_span span)
{
  if (parser->given_up)
    return;
  parser->given_up = true;
  ts_diag *d = ts_syntax_diag(parser, TS_E0108, span, "this is nested too deeply");
  ts_diag_help(d, "give parts of it names with `let`");
}

static bool expects(const mistake *m, int kind)
{
  for (int i = 0; i < m->count; i++) {
    if (m->expected[i] == kind)
      return true;
  }
  return false;
}

static const char *source(const mistake *m, ts_span span)
{
  return ts_arena_string(m->parser->lang->arena, m->parser->text + span.begin,
                         span.end - span.begin);
}

static const char *found_text(const mistake *m)
{
  if (m->line_ends)
    return m->parser->text[m->found->span.begin] == ';' ? "`;`" :
           m->parser->expression                        ? "the end of the text" :
                                                          "the end of the line";
  switch (m->found->kind) {
  case TS_T_END: return m->parser->expression ? "the end of the text" : "the end of the file";
  default: return ts_arena_printf(m->parser->lang->arena, "`%s`", source(m, m->found->span));
  }
}

/* Words and signs of a kind that are named together, or not at all. */
static bool begins_expression(int kind)
{
  static const int kinds[] = {TS_T_NUMBER,   TS_T_STRING, TS_T_TRUE,   TS_T_FALSE,
                              TS_T_LBRACKET, TS_T_LBRACE, TS_T_LPAREN, TS_T_MINUS,
                              TS_T_NOT,      TS_T_IF,     TS_T_MATCH,  TS_T_ID};
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
    if (kinds[i] == kind)
      return true;
  }
  return false;
}

static bool continues_expression(int kind)
{
  static const int kinds[] = {TS_T_OR,       TS_T_AND,  TS_T_EQ,         TS_T_NE,      TS_T_LT,
                              TS_T_LE,       TS_T_GT,   TS_T_GE,         TS_T_RANGE,   TS_T_PLUS,
                              TS_T_MINUS,    TS_T_STAR, TS_T_SLASH,      TS_T_PERCENT, TS_T_LPAREN,
                              TS_T_LBRACKET, TS_T_DOT,  TS_T_WITH_BRACE, TS_T_STRING,  TS_T_SOURCE};
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
    if (kinds[i] == kind)
      return true;
  }
  return false;
}

static const char *kind_text(const mistake *m, int kind)
{
  static const struct { int kind; const char *text;
  } signs[] = {
    {TS_T_ID, "a name"},       {TS_T_STRING, "a string"},
    {TS_T_NUMBER, "a number"}, {TS_T_NEWLINE, "the end of the line"},
    {TS_T_END, "the end"},     {TS_T_LPAREN, "`(`"},
    {TS_T_RPAREN, "`)`"},      {TS_T_LBRACKET, "`[`"},
    {TS_T_RBRACKET, "`]`"},    {TS_T_LBRACE, "`{`"},
    {TS_T_RBRACE, "`}`"},      {TS_T_COMMA, "`,`"},
    {TS_T_DOT, "`.`"},         {TS_T_COLON, "`:`"},
    {TS_T_ASSIGN, "`=`"},      {TS_T_ARROW, "`->`"},
    {TS_T_BOTH_WAYS, "`<->`"}, {TS_T_BAR, "`|`"},
    {TS_T_STAR, "`*`"},        {TS_T_WITH_BRACE, "`with`"},
    {TS_T_MINUS, "`-`"},       {TS_T_PLUS, "`+`"},
  };
  for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++) {
    if (kind == TS_T_NEWLINE && m->parser->expression)
      return "the end of the text";
    if (signs[i].kind == kind)
      return signs[i].text;
  }
  const char *word = ts_word_text(kind);
  return word ? ts_arena_printf(m->parser->lang->arena, "`%s`", word) : NULL;
}

/* A list of statements is named as such: its words are many. */
static const char *construct(const mistake *m)
{
  static const struct { int kind; const char *text; } constructs[] = {
    {TS_T_GPU, "a declaration such as `plan`, `model` or `let`"},
    {TS_T_VARY, "a line of a search such as `vary`, `set`, `require` or `minimize`"},
    {TS_T_SAVES, "an item of an op such as `output`, `forward` or `let`"},
    {TS_T_KERNEL, "a kernel or a field"},
    {TS_T_YIELD, "a statement such as `x = f(y) as label`, `repeat` or `let`"},
    {TS_T_RECOMPUTE, "an action of a rule such as `split`, `before` or `after`"},
    {TS_T_CHUNKS, "an item of a schedule such as `stages`, `at` or `let`"},
    {TS_T_PREFER, "a line of a policy such as `limit` or `prefer`"},
    {TS_T_PAIR, "work such as `F(i)`, `for` or `if`"},
    {TS_T_DEVICE, "an item of a cluster such as `device`, `link` or `for`"},
  };
  if (expects(m, TS_T_OVER))
    return NULL;
  for (size_t i = 0; i < sizeof constructs / sizeof constructs[0]; i++) {
    if (expects(m, constructs[i].kind))
      return constructs[i].text;
  }
  return NULL;
}

static const char *syntax_error_join(ts_arena *arena, const char **names, int count)
{
  const char *text = names[0];
  for (int i = 1; i < count; i++)
    text = ts_arena_printf(arena, "%s%s%s", text, i + 1 == count ? " or " : ", ", names[i]);
  return text;
}

/* Between the bracket around it and what was found there is no line break. */
static bool on_one_line(const mistake *m)
{
  if (m->found->inside == TS_NONE || !expects(m, TS_T_COMMA))
    return false;
  uint32_t begin = m->parser->stream.at[m->found->inside].span.begin;
  return memchr(m->parser->text + begin, '\n', m->found->span.begin - begin) == NULL;
}

/* A line break stands for all that may follow a statement, and is not worth reporting where a
 * statement would begin. */
static bool follows_statement(const mistake *m, int kind)
{
  bool begins =
    m->parser->at == 0 || m->found[-1].kind == TS_T_NEWLINE || m->found[-1].kind == TS_T_LBRACE;
  if (!expects(m, TS_T_NEWLINE))
    return false;
  if (on_one_line(m)) /* fields: the comma is what one would write here */
    return kind == TS_T_NEWLINE;
  return kind == TS_T_NEWLINE ? begins :
                                kind == TS_T_RBRACE || kind == TS_T_COMMA || kind == TS_T_END;
}

static const char *expected_text(const mistake *m)
{
  const char *names[MOST + 1];
  int count = 0;
  bool expression = expects(m, TS_T_NUMBER) && expects(m, TS_T_LBRACE) && expects(m, TS_T_TRUE);
  bool continued = expects(m, TS_T_PLUS) && expects(m, TS_T_SLASH);
  const char *whole = construct(m);
  if (whole)
    return whole;
  if (expression)
    names[count++] = "an expression";
  for (int i = 0; i < m->count && count < MOST; i++) {
    int kind = m->expected[i];
    bool named =
      (expression && begins_expression(kind)) || (continued && continues_expression(kind));
    /* a type, `gpu[2]` */
    bool rare = (kind == TS_T_COLON || kind == TS_T_LBRACKET) && expects(m, TS_T_ASSIGN);
    const char *text = named || rare || follows_statement(m, kind) ? NULL : kind_text(m, kind);
    if (text)
      names[count++] = text;
  }
  if (count == 0)
    return continued ? "an operator" : NULL;
  return count <= LISTED ? syntax_error_join(m->parser->lang->arena, names, count) : NULL;
}

/* The word that was meant, among those that could stand here. */
static const char *meant_word(const mistake *m, const char *found)
{
  const char *candidates[MOST], *best[3];
  size_t count = 0;
  for (int i = 0; i < m->count && count < MOST; i++) {
    const char *word =
      m->expected[i] == TS_T_OR || m->expected[i] == TS_T_AND ? NULL : ts_word_text(m->expected[i]);
    if (word)
      candidates[count++] = word;
  }
  return ts_suggest(found, candidates, count, best) ? best[0] : NULL;
}

/* `repaet 3 as x {`: the name that begins the statement was taken for the start of an expression.
 * */
static const char *meant_statement(const mistake *m)
{
  const char *candidates[MOST], *best[3];
  size_t count = 0;
  if (!m->before || m->before->kind != TS_T_ID || m->parser->at < 2)
    return NULL;
  int first = m->found[-2].kind;
  if (first != TS_T_NEWLINE && first != TS_T_LBRACE && first != TS_T_RBRACE)
    return NULL;
  for (size_t i = 0; count < MOST && ts_word_name(i); i++) {
    if (ts_word_name(i)[0] == m->before->text[0])
      candidates[count++] = ts_word_name(i);
  }
  return ts_suggest(m->before->text, candidates, count, best) ? best[0] : NULL;
}

/* Units are often written as elsewhere: Gbps, GBps, TFLOPS, sec. */
static const char *meant_unit(const mistake *m, const char *found)
{
  static const struct { const char *found, *meant;
  } aliases[] = {
    {"sec", "s"},   {"secs", "s"}, {"second", "s"}, {"seconds", "s"},  {"hour", "h"},
    {"hours", "h"}, {"hr", "h"},   {"day", "d"},    {"days", "d"},     {"byte", "B"},
    {"bytes", "B"}, {"bit", "b"},  {"bits", "b"},   {"FLOPs", "FLOP"}, {"FLOPS", "FLOP/s"},
  };
  ts_arena *arena = m->parser->lang->arena;
  const char *candidates[MOST], *best[3];
  double factor;
  ts_dimension dimension;
  size_t count = 0, length = strlen(found);
  for (size_t i = 0; i < sizeof aliases / sizeof aliases[0]; i++) {
    if (strcmp(found, aliases[i].found) == 0)
      return aliases[i].meant;
  }
  if (length > 2 && strcmp(found + length - 2, "ps") == 0 &&
      ts_unit_lookup(found, length - 2, &factor, &dimension))
    return ts_arena_printf(arena, "%.*s/s", (int)length - 2, found);
  if (length > 1 && (found[length - 1] == 'S' || found[length - 1] == 's') &&
      ts_unit_lookup(found, length - 1, &factor, &dimension))
    return ts_arena_printf(arena, found[length - 1] == 'S' ? "%.*s/s" : "%.*s", (int)length - 1,
                           found);
  for (; count < MOST && ts_unit_name(count); count++)
    candidates[count] = ts_unit_name(count);
  return ts_suggest(found, candidates, count, best) ? best[0] : NULL;
}

/* `8K`, `4M`: a count in thousands, as people say it. */
static bool shortened_count(mistake *m, const ts_token *unit)
{
  static const struct { const char *letter; int64_t thousands, powers; } letters[] = {
    {"K", 1000, 1 << 10},       {"k", 1000, 1 << 10},       {"Ki", 1 << 10, 1 << 10},
    {"M", 1000000, 1 << 20},    {"Mi", 1 << 20, 1 << 20},   {"G", 1000000000, 1 << 30},
    {"Gi", 1 << 30, 1 << 30}};
  const ts_ast *number = unit[-1].number;
  if (!number || number->kind != TS_AST_INT || unit[1].kind == TS_T_SLASH)
    return false;
  for (size_t i = 0; i < sizeof letters / sizeof *letters; i++) {
    int64_t n = number->u.integer;
    if (strcmp(unit->text, letters[i].letter) != 0 || n > INT32_MAX)
      continue;
    ts_span whole = {unit->span.file, unit[-1].span.begin, unit->span.end};
    ts_arena *arena = m->parser->lang->arena;
    const char *meant = ts_arena_printf(arena, "%" PRId64, n * letters[i].powers);
    ts_diag *d = ts_syntax_diag(m->parser, TS_E0105, whole, "`%s` is no number: counts have no unit",
                                source(m, whole));
    ts_diag_here(d, "`%s` is not a unit", unit->text);
    const char *size = ts_arena_printf(arena, "%" PRId64 " %sB", n,
                                       *unit->text == 'K' && !unit->text[1] ? "k" : unit->text);
    if (letters[i].thousands == letters[i].powers) { /* letters of sizes alone */
      ts_diag_edit(d, whole, size, "write the size: `%s`", size);
      ts_diag_edit(d, whole, meant, "or the count, %s", meant);
      return true;
    }
    ts_diag_edit(d, whole, meant,
                 "write the count: %s, or %" PRId64 " if `%s` is meant as %" PRId64, meant,
                 n * letters[i].thousands, unit->text, letters[i].thousands);
    ts_diag_edit(d, whole, size, "or a size: `%s`", size);
    return true;
  }
  return false;
}

/* `80 GIB`, `3 GB/sec`: a name right after a number. The span covers the whole unit. */
static bool unknown_unit(mistake *m)
{
  const ts_token *tokens = m->parser->tokens.at, *unit = &tokens[m->found->token];
  if (m->found->kind != TS_T_ID || !m->before || m->before->kind != TS_T_NUMBER || unit->newlines ||
      unit->span.begin - m->before->span.end > 1 ||
      /* a call or a field, after a missing comma */
      unit[1].kind == TS_T_LPAREN || unit[1].kind == TS_T_COLON || unit[1].kind == TS_T_ASSIGN)
    return false;
  if (shortened_count(m, unit))
    return true;
  ts_arena *arena = m->parser->lang->arena;
  double factor;
  ts_dimension dimension;
  ts_span span = unit->span;
  const ts_token *under = NULL;
  if (unit[1].kind == TS_T_SLASH && unit[2].kind == TS_T_ID && unit[1].span.begin == span.end &&
      unit[2].span.begin == unit[1].span.end) {
    under = &unit[2];
    span.end = under->span.end;
  }
  bool first = ts_unit_lookup(unit->text, strlen(unit->text), &factor, &dimension);
  bool second = !under || ts_unit_lookup(under->text, strlen(under->text), &factor, &dimension);
  const char *over_meant = first ? unit->text : meant_unit(m, unit->text);
  const char *under_meant = !under ? NULL : second ? under->text : meant_unit(m, under->text);
  if (!over_meant && meant_word(m, unit->text))
    return false;
  ts_diag *d = ts_syntax_diag(m->parser, TS_E0105, span, "unknown unit `%s`", source(m, span));
  if (over_meant && (!under || under_meant)) {
    bool rate = strchr(over_meant, '/'); /* TFLOPS/s */
    const char *meant =
      under && !rate ? ts_arena_printf(arena, "%s/%s", over_meant, under_meant) : over_meant;
    ts_diag_edit(d, span, meant, "did you mean `%s`?", meant);
  } else {
    ts_diag_help(d, "units of time are `ps` to `d`, of size `B`, `kB`, `KiB` ..., `b`, `kb` ..., "
                    "of work `FLOP`, `kFLOP` ...; or a quotient such as `Gb/s`");
  }
  return true;
}

/* A file of the other language whose compiler has the same name. */
static bool typescript(mistake *m)
{
  static const char *const words[] = {"const", "function",  "interface", "default",
                                      "class", "type",      "var",       "async",
                                      "enum",  "namespace", "declare",   "module"};
  const ts_token *token =
    m->found->token == TS_NONE ? NULL : &m->parser->tokens.at[m->found->token];
  bool exported = m->before && m->before->kind == TS_T_EXPORT;
  bool import = m->before && (exported || m->before->kind == TS_T_IMPORT) &&
                (m->found->kind == TS_T_LBRACE || m->found->kind == TS_T_STAR);
  bool word = false;
  for (size_t i = 0; token && token->text && (exported || expects(m, TS_T_GPU)) &&
                     i < sizeof words / sizeof words[0];
       i++)
    word |= strcmp(token->text, words[i]) == 0 && token[1].kind != TS_T_END && !token[1].newlines;
  if (!import && !word)
    return false;
  ts_diag *d = ts_syntax_diag(m->parser, TS_E0111, m->found->span,
                              "this looks like TypeScript; this `tsc` is TrainSpec's compiler");
  ts_diag_help(d, "TypeScript's compiler has the same name: call it as `npx tsc`, or this one as "
                  "`trainspec compile`");
  m->parser->given_up = true; /* nothing else here is worth reporting */
  return true;
}

static bool reserved_name(mistake *m)
{
  if (!ts_token_is_reserved(m->found->kind) || !expects(m, TS_T_ID) || expects(m, TS_T_NUMBER) ||
      m->count > 3)
    return false;
  const char *word = ts_word_text(m->found->kind);
  bool named = m->found->kind == TS_T_LET && m->found->token != TS_NONE &&
               m->parser->tokens.at[m->found->token + 1].kind == TS_T_ID;
  ts_diag *d = ts_syntax_diag(m->parser, TS_E0113, m->found->span,
                              named ? "`%s` has no place among fields" :
                                      "`%s` is a keyword and cannot be a name",
                              word);
  if (named) {
    ts_diag_help(d, "what several fields need is a parameter with a default, or a `let` outside");
    return true;
  }
  ts_diag_edit(d, m->found->span, ts_arena_printf(m->parser->lang->arena, "%s_", word),
               "take another name, such as `%s_`", word);
  return true;
}

/* Inside a bracket that could close here: point at where it opened. */
static void point_at_opener(const mistake *m, ts_diag *d)
{
  if (m->found->inside == TS_NONE || (!expects(m, TS_T_RPAREN) && !expects(m, TS_T_RBRACKET)))
    return;
  const ts_element *opener = &m->parser->stream.at[m->found->inside];
  ts_diag_label(d, opener->span, "in the bracket opened here");
}

static bool begins_entry(int kind)
{
  return kind == TS_T_ID || kind == TS_T_NUMBER || kind == TS_T_STRING || kind == TS_T_LBRACE;
}

/* What actions of rules take stands in their parentheses. */
static bool propose_arguments(const mistake *m, ts_diag *d)
{
  static const struct { int before; const char *found, *form;
  } actions[] = {
    {TS_T_RPAREN, "over", "all_reduce(gradients, over: d, bucket: 25 MiB)"},
    {TS_T_SHARD, "", "shard(optimizer, over: d)"},
    {TS_T_OFFLOAD, "", "offload(activations, at: 50 GB/s)"},
    {TS_T_RECOMPUTE, "group", "recompute(group: \"layer[*]\")"},
  };
  const char *text = m->found->token != TS_NONE ? m->parser->tokens.at[m->found->token].text : NULL;
  for (size_t i = 0; text && i < sizeof actions / sizeof *actions; i++)
    if (actions[i].before == m->before->kind &&
        (!*actions[i].found || !strcmp(actions[i].found, text))) {
      ts_diag_help(d, "its arguments are named in parentheses, as in `%s`", actions[i].form);
      return true;
    }
  return false;
}

/* `memory: 80 GiB`, `apply[zero1(dp)]` in a declaration. */
static bool propose_field(const mistake *m, ts_diag *d)
{
  bool in_fields =
    m->found->inside != TS_NONE && m->parser->stream.at[m->found->inside].body == TS_BODY_FIELDS;
  if (!in_fields || !expects(m, TS_T_ASSIGN))
    return false;
  ts_span gap = {m->span.file, m->before->span.end, m->before->span.end};
  if (m->found->kind == TS_T_COLON)
    ts_diag_edit(
      d, (ts_span){gap.file, gap.begin, m->span.end}, " =",
      "fields of a declaration are written `name = value`, arguments and records `name: value`");
  else if (m->found->kind == TS_T_LBRACKET)
    ts_diag_edit(d, gap, m->span.begin > gap.begin ? " =" : " = ",
                 "fields of a declaration, lists included, are written `name = value`");
  return m->found->kind == TS_T_COLON || m->found->kind == TS_T_LBRACKET;
}

/* `match * as attn.core`, `tie w with embed.tokens`; `match attn.core` and `match "attn.core"`, where
 * names of ops stand. */
static bool propose_quotes(const mistake *m, ts_diag *d)
{
  bool quoted = m->found->kind == TS_T_STRING,
       path = (m->found->kind == TS_T_DOT || m->found->kind == TS_T_LBRACKET) &&
              m->before->kind == TS_T_ID && m->parser->at > 2;
  const ts_token *ahead = quoted ? m->before : path ? &m->before[-1] : NULL;
  bool op = ahead && ahead->kind == TS_T_MATCH;
  if (quoted ? !op : !ahead || (!expects(m, TS_T_BAR) && ahead->kind != TS_T_WITH))
    return false;
  ts_span label = quoted ? m->span : m->before->span;
  if (!quoted)
    label.end +=
      (uint32_t)strspn(m->parser->text + label.end,
                       "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.[]*");
  const char *text =
    ts_arena_printf(m->parser->lang->arena, quoted ? "%s" : "\"%s\"", source(m, label));
  if (op) {
    text = ts_arena_printf(m->parser->lang->arena, "* as %s", text);
    ts_diag_edit(d, label, text, "`match` names kinds of ops; by their label: `match %s`", text);
  } else {
    ts_diag_edit(d, label, text, "labels are written in quotes: `%s`", text);
  }
  return true;
}

/* `match x { "a" => 1, "b": 2, "c", "d" -> 3, else -> 4 }` */
static bool propose_arm(const mistake *m, ts_diag *d)
{
  const ts_token *next =
    m->found->token != TS_NONE ? &m->parser->tokens.at[m->found->token + 1] : NULL;
  int found = m->found->kind;
  if (next && found == TS_T_ELSE && next->kind == TS_T_ARROW) {
    ts_diag_edit(d, m->span, "_", "all other values are `_`");
    return true;
  }
  if (!next || !expects(m, TS_T_BAR) || !expects(m, TS_T_ARROW))
    return false;
  ts_span sign = {m->span.file, m->before->span.end,
                  found == TS_T_ASSIGN && next->kind == TS_T_GT ? next->span.end : m->span.end};
  if (found == TS_T_ASSIGN || found == TS_T_COLON)
    ts_diag_edit(d, sign, " ->", "an arm of `match` is written `pattern -> value`");
  else if (found == TS_T_COMMA)
    ts_diag_edit(d, sign, " |", "patterns of one arm are separated by `|`");
  return found == TS_T_ASSIGN || found == TS_T_COLON || found == TS_T_COMMA;
}

static void propose_sign(const mistake *m, ts_diag *d)
{
  int found = m->found->kind, before = m->before->kind;
  ts_span gap = {m->span.file, m->before->span.end, m->before->span.end},
          both = ts_span_join(m->before->span, m->span);
  if (m->count == 1 && expects(m, TS_T_COLON) && before == TS_T_ID && found != TS_T_ID)
    ts_diag_help(d, "a parameter has a type: `%s: Int`", m->before->text);
  else if (before == TS_T_PERCENT)
    ts_diag_help(d, "a share is a number from 0 to 1: 50 percent is 0.5");
  else if (found == TS_T_EQ && expects(m, TS_T_ASSIGN))
    ts_diag_edit(d, m->span, "=", "to give a value, write `=`");
  else if (found == TS_T_STRING && expects(m, TS_T_ID) && expects(m, TS_T_RBRACE))
    ts_diag_edit(d, m->span, m->parser->tokens.at[m->found->token].text,
                 "names of a record have no quotes");
  else if (found == TS_T_ASSIGN && expects(m, TS_T_COLON))
    ts_diag_edit(d, (ts_span){gap.file, gap.begin, m->span.end}, ":",
                 "arguments and fields of a record are written `name: value`");
  else if (found == TS_T_ASSIGN && before == TS_T_RANGE)
    ts_diag_help(d, "a range excludes its end: to include it, write one more");
  else if (found == TS_T_ASSIGN && expects(m, TS_T_EQ))
    ts_diag_edit(d, m->span, "==", "to compare, write `==`");
  else if (found == TS_T_DOT && before == TS_T_RANGE)
    ts_diag_edit(d, both, "..", "ranges have two dots");
  else if (found == TS_T_SEMICOLON)
    ts_diag_help(d, "inside brackets, parts are separated by `,`");
  else if (expects(m, TS_T_COMMA) && m->found->inside != TS_NONE && begins_entry(found) &&
           !m->line_ends && (!expects(m, TS_T_NEWLINE) || on_one_line(m)))
    ts_diag_edit(d, gap, ",", "separate them with `,`");
  else if (found == TS_T_COMMA && expects(m, TS_T_RPAREN))
    ts_diag_help(d, "a list is written `[a, b]`");
  else if (found == TS_T_LBRACE && expects(m, TS_T_ASSIGN))
    ts_diag_edit(d, gap, " =", "give the field its value");
  else if (found == TS_T_LBRACE && m->count == 1 && expects(m, TS_T_LPAREN))
    ts_diag_edit(d, gap, "()", "a parameter list comes first, even an empty one");
  else if (found == TS_T_FN && expects(m, TS_T_NUMBER))
    ts_diag_help(
      d, "declare the function between the declarations of the file, and give its name here");
  else if (expects(m, TS_T_ELSE) && !expects(m, TS_T_NEWLINE))
    ts_diag_help(d, "the `if` of an expression always has an `else`");
  else if (before == TS_T_BACKWARD && expects(m, TS_T_LPAREN))
    ts_diag_help(d, "say which half: `backward(input)` or `backward(weight)`");
}

/* A declaration as other languages write it. */
static bool propose_declaration(const mistake *m, ts_diag *d)
{
  const char *found = source(m, m->found->span);
  static const struct { const char *found, *help; } words[] = {
    {"from", "names of a file are imported by `import std.folder.file`, some of them by `import "
             "std.folder.file (name)`"},
    {"def", "a function is written `fn name(x: Int) -> Int = x + 1`"},
    {"func", "a function is written `fn name(x: Int) -> Int = x + 1`"},
    {"const", "a value is named by `let name = 4`, what -D may set by `param name: Int = 4`"},
    {"include", "files are named by `import std.folder.file` or `import \"own.trainspec\"`"},
  };
  for (size_t i = 0; expects(m, TS_T_GPU) && i < sizeof words / sizeof *words; i++)
    if (!strcmp(found, words[i].found)) {
      ts_diag_help(d, "%s", words[i].help);
      return true;
    }
  bool loop = m->found->kind == TS_T_FOR && expects(m, TS_T_CHUNKS);
  if (loop)
    ts_diag_help(d, "work is placed on stages by `at s in 0..p { ... }`; `for` stands inside");
  return loop;
}

static void propose(const mistake *m, ts_diag *d)
{
  bool is_name = m->found->kind == TS_T_ID && m->found->token != TS_NONE;
  const char *found = is_name ? m->parser->tokens.at[m->found->token].text : NULL;
  if ((m->before && propose_field(m, d)) || propose_declaration(m, d))
    return;
  const char *word = found ? meant_word(m, found) : NULL,
             *statement = word ? NULL : meant_statement(m);
  if (word)
    ts_diag_edit(d, m->found->span, word, "did you mean `%s`?", word);
  else if (statement)
    ts_diag_edit(d, m->before->span, statement, "did you mean `%s`?", statement);
  else if (m->before && !propose_arguments(m, d) && !propose_quotes(m, d) && !propose_arm(m, d))
    propose_sign(m, d);
}

void ts_syntax_error(ts_parser *parser, const int *expected, int count)
{
  const ts_element *found = &parser->stream.at[parser->at];
  mistake m = {
    .parser = parser, .found = found, .expected = expected, .count = count, .span = found->span};
  parser->failed = true;
  if (parser->given_up || ts_is_suppressed(parser, found->span.begin))
    return;
  if (parser->at > 0 && found[-1].token != TS_NONE)
    m.before = &parser->tokens.at[found[-1].token];
  m.line_ends =
    found->kind == TS_T_NEWLINE || (found->kind == TS_T_RBRACE && found->token != TS_NONE &&
                                    parser->tokens.at[found->token].newlines);
  if (m.line_ends && m.before && parser->text[found->span.begin] != ';')
    m.span.begin = m.span.end = m.before->span.end;
  if (unknown_unit(&m) || typescript(&m) || reserved_name(&m))
    return;
  const char *wanted = expected_text(&m);
  ts_diag *d = wanted ? ts_syntax_diag(parser, TS_E0110, m.span, "expected %s, found %s", wanted,
                                       found_text(&m)) :
                        ts_syntax_diag(parser, TS_E0110, m.span, "unexpected %s", found_text(&m));
  point_at_opener(&m, d);
  propose(&m, d);
}
