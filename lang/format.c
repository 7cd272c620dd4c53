/* tsfmt: the canonical layout. Works on tokens, so that nothing but white space, separators between
 * statements and trailing commas can change.
 *
 * What fits is written on one line, unless its author broke the line after the opening bracket; a
 * bracket that does not fit is broken into one entry a line, outermost first. Lines between
 * statements are kept, blank ones up to one. Comments go with the token they precede, or end the
 * line they ended before. */
#include <string.h>

#include "base/order.h"
#include "lang/grammar.h"
#include "lang/parser.h"

enum { LINE = 140, STEP = 2, CONTINUED = 2 };

/* How a bracket may be broken. */
typedef enum layout {
  PLAIN,      /* not a bracket, or one whose inside belongs to the line: `(a + b)`, `x[1]` */
  ENTRIES,    /* one entry a line, with a trailing comma */
  GENERATOR,  /* a comprehension: a single entry without comma */
  STATEMENTS, /* one statement a line */
} layout;

typedef struct format_mark {
  layout layout;
  bool forced;        /* a bracket that must be broken */
  bool dropped;       /* separators that the layout replaces */
  bool begins;        /* the first token of a statement in a brace */
  bool names;         /* opens the names of an import */
  uint32_t comments;  /* how many comments stand before this token's own */
  bool needs_break;   /* the statement that begins here ends with a line break or a separator */
  ts_body body;
  uint32_t match;     /* of a bracket */
  const char *before; /* what stands before the token when both are on one line */
  const char *text;
  uint32_t width;     /* of all tokens before this one, on one line */
  uint32_t breaks;    /* how many of the brackets before this token are forced */
} format_mark;

typedef struct formatter {
  ts_parser *parser;
  ts_arena *arena;
  const ts_token *token;
  format_mark *mark; /* of each token, and one for the end */
  uint32_t count;
  TS_VEC(char) out;
  TS_VEC(char) late; /* comments that end the line */
  uint32_t indent, column, comment;
  bool line_start;
} formatter;

static int kind(const formatter *f, uint32_t i) { return f->token[i].kind; }
static bool format_is_open(int kind)
{
  return kind == TS_T_LPAREN || kind == TS_T_LBRACKET || kind == TS_T_LBRACE;
}
static bool is_close(int kind)
{
  return kind == TS_T_RPAREN || kind == TS_T_RBRACKET || kind == TS_T_RBRACE;
}

static uint32_t columns(const char *text)
{
  uint32_t count = 0;
  for (; *text; text++)
    count += ((unsigned char)*text & 0xc0) != 0x80;
  return count;
}

/* ---- What stands between two tokens on one line. ---- */

static bool ends_operand(const formatter *f, uint32_t i)
{
  switch (kind(f, i)) {
  case TS_T_ID:
  case TS_T_NUMBER:
  case TS_T_STRING:
  case TS_T_TRUE:
  case TS_T_FALSE:
  case TS_T_RPAREN:
  case TS_T_RBRACKET:
  case TS_T_RBRACE: return true;
  default: return false;
  }
}

static bool is_sign(const formatter *f, uint32_t i)
{
  return kind(f, i) == TS_T_MINUS && (i == 0 || !ends_operand(f, i - 1));
}

static bool is_postfix(const formatter *f, uint32_t i)
{
  switch (i ? kind(f, i - 1) : 0) {
  case TS_T_ID:
  case TS_T_RPAREN:
  case TS_T_RBRACKET:
  case TS_T_SHARD:
  case TS_T_OFFLOAD:
  case TS_T_RECOMPUTE: return true;
  default: return false;
  }
}

static bool spaced(const formatter *f, uint32_t before, uint32_t i)
{
  switch (kind(f, i)) {
  case TS_T_COMMA:
  case TS_T_RPAREN:
  case TS_T_RBRACKET:
  case TS_T_COLON:
  case TS_T_DOT:
  case TS_T_RANGE:
  case TS_T_SEMICOLON: return false;
  case TS_T_LPAREN: case TS_T_LBRACKET:
    if (!f->mark[i].names && (is_postfix(f, i) || kind(f, before) == TS_T_BACKWARD))
      return false;
    break;
  default: break;
  }
  switch (kind(f, before)) {
  case TS_T_LPAREN: case TS_T_LBRACKET: case TS_T_DOT: case TS_T_RANGE: return false;
  case TS_T_MINUS: return !is_sign(f, before);
  case TS_T_LBRACE: return kind(f, i) != TS_T_RBRACE;
  default: return true;
  }
}

/* A quantity has one space before its unit. */
static const char *quantity_text(const formatter *f, const char *text)
{
  size_t length = strlen(text), unit = length;
  while (unit > 0 && (text[unit - 1] == '/' || (text[unit - 1] >= 'A' && text[unit - 1] <= 'Z') ||
                      (text[unit - 1] >= 'a' && text[unit - 1] <= 'z')))
    unit--;
  size_t digits = unit;
  while (digits > 0 && (text[digits - 1] == ' ' || text[digits - 1] == '\t'))
    digits--;
  return ts_arena_printf(f->arena, "%.*s %s", (int)digits, text, text + unit);
}

static const char *token_text(const formatter *f, uint32_t i)
{
  const ts_token *token = &f->token[i];
  const char *text = ts_arena_string(f->arena, f->parser->text + token->span.begin,
                                     token->span.end - token->span.begin);
  return token->number && token->number->kind == TS_AST_QUANTITY && text[0] != '$' ?
           quantity_text(f, text) :
           text;
}

/* ---- Marking: brackets, statements, forced breaks. ---- */

static void match_brackets(formatter *f)
{
  const ts_parser *parser = f->parser;
  for (uint32_t e = 0; e < parser->stream.count; e++) {
    const ts_element *element = &parser->stream.at[e];
    if (format_is_open(element->kind))
      f->mark[element->token].body = element->body;
  }
  TS_VEC(uint32_t) open = {0};
  for (uint32_t i = 0; i < f->count; i++) {
    if (format_is_open(kind(f, i))) {
      TS_PUSH(f->arena, &open, i);
    } else if (is_close(kind(f, i))) {
      uint32_t opener = open.at[--open.count];
      f->mark[opener].match = i;
      f->mark[i].match = opener;
    }
  }
}

static bool has_generator(const formatter *f, uint32_t opener)
{
  for (uint32_t i = opener + 1; i < f->mark[opener].match; i++) {
    if (kind(f, i) == TS_T_FOR)
      return true;
    if (format_is_open(kind(f, i)))
      i = f->mark[i].match;
  }
  return false;
}

static layout layout_of(const formatter *f, uint32_t i)
{
  switch (kind(f, i)) {
  case TS_T_LBRACE: return f->mark[i].body ? STATEMENTS : ENTRIES;
  case TS_T_LPAREN: return is_postfix(f, i) || f->mark[i].names ? ENTRIES : PLAIN;
  case TS_T_LBRACKET: return is_postfix(f, i) ? PLAIN : has_generator(f, i) ? GENERATOR : ENTRIES;
  default: return PLAIN;
  }
}

/* Index of the token that begins at `offset`. */
static uint32_t token_at(const formatter *f, uint32_t offset)
{
  uint32_t low;
  TS_SEARCH(low, 0, f->count - 1, f->token[low].span.begin < offset);
  return low;
}

/* Children from this one on are statements; UINT32_MAX: none are. */
static uint32_t first_statement(const ts_ast *node)
{
  switch (node->kind) {
  case TS_AST_FILE:
  case TS_AST_PROTOCOL:
  case TS_AST_RECORD_TYPE:
  case TS_AST_PHASE:
  case TS_AST_RULE:
  case TS_AST_THEN:
  case TS_AST_ELSE: return 0;
  case TS_AST_OP:
  case TS_AST_BLOCK:
  case TS_AST_MODEL:
  case TS_AST_STRATEGY:
  case TS_AST_SCHEDULE:
  case TS_AST_CLUSTER:
  case TS_AST_GPU:
  case TS_AST_PLAN:
  case TS_AST_SEARCH:
  case TS_AST_MATCH:
  case TS_AST_KERNEL: case TS_AST_AT: case TS_AST_WITH: case TS_AST_OVERRIDE: return 1;
  case TS_AST_REPEAT: case TS_AST_FOR: case TS_AST_LINK: case TS_AST_POLICY: return 2;
  default: return UINT32_MAX;
  }
}

/* Statements that end in a closing brace or parenthesis need nothing after them. */
static bool needs_break(ts_kind kind)
{
  switch (kind) {
  case TS_AST_ITEM:
  case TS_AST_PAIR:
  case TS_AST_FOR:
  case TS_AST_IF_STMT:
  case TS_AST_AT:
  case TS_AST_POLICY:
  case TS_AST_REPEAT:
  case TS_AST_PHASE:
  case TS_AST_RULE:
  case TS_AST_KERNEL: case TS_AST_LINK: case TS_AST_OVERRIDE: return false;
  default: return true;
  }
}

static void mark_statement(formatter *f, const ts_ast *node)
{
  uint32_t i = token_at(f, node->span.begin);
  if (node->kind == TS_AST_ARRAY && i > 0) /* `device` stands before the first array */
    i--;
  bool inner = node->kind == TS_AST_FOR && kind(f, i) != TS_T_FOR; /* of several variables */
  bool chained = i > 0 && kind(f, i - 1) == TS_T_ELSE;
  if (inner || chained ||
      (node->kind == TS_AST_ARRAY && kind(f, i) != TS_T_DEVICE && kind(f, i) != TS_T_SWITCH))
    return;
  f->mark[i].begins = true;
  f->mark[i].needs_break = needs_break(node->kind);
}

/* `a with { memory = 141 GiB, sms = 132 }`: fields, as in a declaration. */
static void mark_changes(formatter *f, const ts_ast *with)
{
  ts_ast_list changes = ts_ast_changes(with);
  if (!changes.count || changes.at[0]->kind != TS_AST_FIELD)
    return;
  uint32_t i = token_at(f, changes.at[0]->span.begin);
  while (kind(f, i) != TS_T_LBRACE)
    i--;
  f->mark[i].body = TS_BODY_FIELDS;
}

static void mark_statements(formatter *f, const ts_ast *node)
{
  uint32_t first = first_statement(node);
  if (node->kind == TS_AST_WITH)
    mark_changes(f, node);
  if (node->kind == TS_AST_PATH && node->count)
    f->mark[token_at(f, node->name_span.end)].names = true;
  for (uint32_t i = 0; i < node->count; i++) {
    if (node->child[i] && i >= first)
      mark_statement(f, node->child[i]);
    if (node->child[i])
      mark_statements(f, node->child[i]);
  }
}

/* Separators between statements, and commas before a closing bracket: the layout sets its own. */
static void drop_separators(formatter *f)
{
  TS_VEC(uint32_t) open = {0};
  for (uint32_t i = 0; i < f->count; i++) {
    if (format_is_open(kind(f, i)))
      TS_PUSH(f->arena, &open, i);
    else if (is_close(kind(f, i)))
      open.count--;
    else if (kind(f, i) == TS_T_SEMICOLON)
      f->mark[i].dropped = true;
    else if (kind(f, i) == TS_T_COMMA)
      f->mark[i].dropped = is_close(kind(f, i + 1)) ||
                           (open.count && f->mark[open.at[open.count - 1]].layout == STATEMENTS &&
                            f->mark[i + 1].begins);
  }
}

/* Nothing is in the bracket, or only separators, which are not written. */
static bool is_empty(const formatter *f, uint32_t opener)
{
  uint32_t i = opener + 1;
  while (i < f->mark[opener].match && f->mark[i].dropped) i++;
  return i == f->mark[opener].match;
}

/* Comments, and line breaks after an opening bracket, break it. */
static void force_breaks(formatter *f)
{
  TS_VEC(uint32_t) open = {0};
  uint32_t comment = 0;
  for (uint32_t i = 0; i < f->count; i++) {
    bool commented = false;
    f->mark[i].comments = comment;
    for (; comment < f->parser->comments.count && f->parser->comments.at[comment].before <= i;
         comment++)
      commented = true;
    /* statements on lines of their own */
    bool separate = f->mark[i].begins && f->token[i].newlines;
    if ((commented || separate) && open.count)
      f->mark[open.at[open.count - 1]].forced = true;
    if (format_is_open(kind(f, i))) {
      f->mark[i].forced = f->mark[i].layout != PLAIN && !is_empty(f, i) && f->token[i + 1].newlines;
      TS_PUSH(f->arena, &open, i);
    } else if (is_close(kind(f, i))) {
      open.count--;
    }
  }
  f->mark[f->count].comments = comment;
}

static const char *separator(const formatter *f, uint32_t opener, uint32_t previous, uint32_t i)
{
  if (previous == opener || !f->mark[previous].needs_break)
    return " ";
  return f->mark[opener].body == TS_BODY_FIELDS && kind(f, i) != TS_T_KERNEL ? ", " : "; ";
}

static void mark_texts(formatter *f)
{
  TS_VEC(uint32_t) open = {0};
  /* the last one of each open bracket; the bracket itself before the first */
  TS_VEC(uint32_t) statement = {0};
  uint32_t before = 0;
  for (uint32_t i = 0; i < f->count; i++) {
    format_mark *m = &f->mark[i];
    m->text = m->dropped ? "" : token_text(f, i);
    m->before = m->dropped || i == 0 || !spaced(f, before, i) ? "" : " ";
    if (m->begins && open.count) {
      m->before = separator(f, open.at[open.count - 1], statement.at[statement.count - 1], i);
      statement.at[statement.count - 1] = i;
    }
    if (format_is_open(kind(f, i))) {
      TS_PUSH(f->arena, &open, i);
      TS_PUSH(f->arena, &statement, i);
    } else if (is_close(kind(f, i))) {
      open.count--;
      statement.count--;
    }
    if (!m->dropped)
      before = i;
  }
}

static void format_measure(formatter *f)
{
  uint32_t width = 0, breaks = 0;
  for (uint32_t i = 0; i < f->count; i++) {
    f->mark[i].width = width;
    f->mark[i].breaks = breaks;
    width += columns(f->mark[i].before) + columns(f->mark[i].text);
    breaks += f->mark[i].forced;
  }
}

/* ---- Writing. ---- */

static void add_text(formatter *f, const char *text)
{
  for (; *text; text++)
    TS_PUSH(f->arena, &f->out, *text);
}

static void new_line(formatter *f)
{
  for (size_t i = 0; i < f->late.count; i++)
    TS_PUSH(f->arena, &f->out, f->late.at[i]);
  f->late.count = 0;
  if (f->out.count)
    TS_PUSH(f->arena, &f->out, '\n');
  f->line_start = true;
  f->column = 0;
}

static void write_text(formatter *f, const char *text)
{
  if (!*text)
    return;
  for (; f->line_start && f->column < f->indent; f->column++)
    TS_PUSH(f->arena, &f->out, ' ');
  f->line_start = false;
  add_text(f, text);
  f->column += columns(text);
}

static const ts_comment *next_comment(const formatter *f, uint32_t i)
{
  const ts_comment *comment =
    f->comment < f->parser->comments.count ? &f->parser->comments.at[f->comment] : NULL;
  return comment && comment->before <= i ? comment : NULL;
}

static const char *comment_text(const formatter *f, const ts_comment *comment)
{
  return ts_arena_string(f->arena, f->parser->text + comment->span.begin,
                         comment->span.end - comment->span.begin);
}

static void comment_late(formatter *f, const ts_comment *comment)
{
  TS_PUSH(f->arena, &f->late, ' ');
  for (const char *text = comment_text(f, comment); *text; text++)
    TS_PUSH(f->arena, &f->late, *text);
  f->comment++;
}

static void format_put(formatter *f, uint32_t i)
{
  for (const ts_comment *c; (c = next_comment(f, i));)
    comment_late(f, c);
  if (!f->line_start)
    write_text(f, f->mark[i].before);
  write_text(f, f->mark[i].text);
}

static uint32_t own_newlines(const formatter *f, uint32_t i)
{
  uint32_t newlines = f->token[i].newlines;
  for (uint32_t c = f->mark[i].comments; c < f->mark[i + 1].comments; c++)
    newlines -= f->parser->comments.at[c].newlines;
  return newlines;
}

/* A new line for token `i`, with the comments and the blank line before it. */
static void line_for(formatter *f, uint32_t i, bool blank, uint32_t comment_indent)
{
  uint32_t indent = f->indent;
  f->indent = comment_indent;
  for (const ts_comment *c;
       (c = next_comment(f, i)) && c->before > 0 && (c->before < i || c->newlines == 0);)
    comment_late(f, c);
  new_line(f);
  for (const ts_comment *c; (c = next_comment(f, i)); blank = true) {
    if (blank && c->newlines > 1)
      new_line(f);
    write_text(f, comment_text(f, c));
    f->comment++;
    new_line(f);
  }
  if (blank && own_newlines(f, i) > 1 && !is_close(kind(f, i)))
    new_line(f);
  f->indent = indent;
}

/* ---- Layout. ---- */

static uint32_t width_of(const formatter *f, uint32_t from, uint32_t to)
{
  uint32_t width = f->mark[to].width - f->mark[from].width;
  uint32_t indent = f->column < f->indent ? f->indent - f->column : 0;
  return f->line_start ? width - columns(f->mark[from].before) + indent : width;
}

static bool format_fits(const formatter *f, uint32_t from, uint32_t to, uint32_t tail)
{
  return f->mark[to].breaks == f->mark[from].breaks &&
         f->column + width_of(f, from, to) + tail <= LINE;
}

static void put_all(formatter *f, uint32_t from, uint32_t to)
{
  for (uint32_t i = from; i < to; i++)
    format_put(f, i);
}

/* Is there a bracket to break in the rest of the statement? */
static bool has_breakable(const formatter *f, uint32_t i)
{
  for (; i < f->count && !is_close(kind(f, i)) && kind(f, i) != TS_T_COMMA && !f->mark[i].begins;
       i++) {
    if (format_is_open(kind(f, i)) && f->mark[i].layout != PLAIN)
      return true;
    if (format_is_open(kind(f, i)))
      i = f->mark[i].match;
  }
  return false;
}

/* May a line be broken before token `i`, in the middle of a statement? */
static bool is_soft(const formatter *f, uint32_t i)
{
  switch (kind(f, i)) {
  case TS_T_THEN:
  case TS_T_ELSE:
  case TS_T_FOR:
  case TS_T_SOURCE: return true;
  default: break;
  }
  switch (kind(f, i - 1)) {
  case TS_T_COMMA:
  case TS_T_OR:
  case TS_T_AND:
  case TS_T_EQ:
  case TS_T_NE:
  case TS_T_LT:
  case TS_T_LE:
  case TS_T_GT:
  case TS_T_GE:
  case TS_T_PLUS:
  case TS_T_SLASH: case TS_T_PERCENT: case TS_T_BAR: return true;
  case TS_T_STAR: return i > 1 && ends_operand(f, i - 2);
  case TS_T_MINUS: return !is_sign(f, i - 1);
  case TS_T_ASSIGN: return !has_breakable(f, i);
  default: return false;
  }
}

/* The next place where the line may be broken: such a token, or the first one of a list of
 * statements. */
static uint32_t next_soft(const formatter *f, uint32_t i, uint32_t to)
{
  for (uint32_t k = i; k < to; k++) {
    if (k > i && is_soft(f, k))
      return k;
    if (f->mark[k].layout == STATEMENTS && !is_empty(f, k))
      return k + 1;
    if (format_is_open(kind(f, k)))
      k = f->mark[k].match;
  }
  return to;
}

/* Width of what must stay on the line after token `i`: up to the next place where the line may be
 * broken. */
static uint32_t tail_after(const formatter *f, uint32_t i, uint32_t to, uint32_t tail)
{
  uint32_t k = i + 1;
  for (; k < to && !(k > i + 1 && is_soft(f, k)); k++) {
    if (format_is_open(kind(f, k)) && f->mark[k].layout != PLAIN && !is_empty(f, k))
      return f->mark[k + 1].width - f->mark[i + 1].width;
    if (format_is_open(kind(f, k)))
      k = f->mark[k].match;
  }
  return f->mark[k].width - f->mark[i + 1].width + (k == to ? tail : 0);
}

static void sequence(formatter *f, uint32_t from, uint32_t to, uint32_t tail);

/* End of the entry that begins at `i`: its comma, or the closing bracket. */
static uint32_t entry_end(const formatter *f, uint32_t i, uint32_t close)
{
  for (; i < close && kind(f, i) != TS_T_COMMA; i++) {
    if (format_is_open(kind(f, i)))
      i = f->mark[i].match;
  }
  return i;
}

static void entries(formatter *f, uint32_t opener)
{
  uint32_t close = f->mark[opener].match;
  bool commas = f->mark[opener].layout == ENTRIES;
  for (uint32_t i = opener + 1; i < close;) {
    uint32_t end = commas ? entry_end(f, i, close) : close;
    line_for(f, i, i > opener + 1, f->indent);
    sequence(f, i, end, commas);
    if (commas)
      write_text(f, ",");
    i = end + 1;
  }
}

static uint32_t statement_end(const formatter *f, uint32_t i, uint32_t close)
{
  for (bool first = true; i < close && (first || !f->mark[i].begins); first = false, i++) {
    if (format_is_open(kind(f, i)))
      i = f->mark[i].match;
  }
  return i;
}

static void statements(formatter *f, uint32_t from, uint32_t to, bool blank)
{
  for (uint32_t i = from, end; i < to; i = end) {
    end = statement_end(f, i, to);
    uint32_t last = end;
    while (last > i && f->mark[last - 1].dropped)
      last--;
    if (last == i) /* only separators */
      continue;
    line_for(f, i, blank, f->indent);
    sequence(f, i, last, 0);
    blank = true;
  }
}

/* `[{ ... }]`, `f([ ... ])`: a bracket whose only entry is a bracket breaks with it, on the same
 * lines. */
static bool hugs(const formatter *f, uint32_t opener)
{
  uint32_t inner = opener + 1, close = f->mark[opener].match;
  if (f->mark[opener].layout != ENTRIES || !format_is_open(kind(f, inner)) ||
      f->mark[inner].layout == PLAIN || f->token[inner].newlines)
    return false;
  uint32_t after = f->mark[inner].match + 1;
  if (f->mark[inner].comments != f->mark[inner + 1].comments ||
      f->mark[after].comments != f->mark[close + 1].comments)
    return false;
  return after == close || (after + 1 == close && f->mark[after].dropped);
}

static void bracket(formatter *f, uint32_t opener, uint32_t tail)
{
  uint32_t close = f->mark[opener].match;
  if (format_fits(f, opener, close + 1, tail)) {
    put_all(f, opener, close + 1);
    return;
  }
  format_put(f, opener);
  if (f->mark[opener].layout == PLAIN || hugs(f, opener)) {
    sequence(f, opener + 1, close, tail + 1);
    format_put(f, close);
    return;
  }
  uint32_t outside = f->indent;
  f->indent += STEP;
  if (f->mark[opener].layout == STATEMENTS)
    statements(f, opener + 1, close, false);
  else
    entries(f, opener);
  f->indent = outside;
  line_for(f, close, !is_empty(f, opener), outside + STEP);
  format_put(f, close);
}

static void break_softly(formatter *f, uint32_t i, uint32_t to, uint32_t tail)
{
  uint32_t end = next_soft(f, i, to), until = kind(f, i - 1) == TS_T_ASSIGN ? to : end;
  uint32_t width = width_of(f, i, end) + (end == to ? tail : 0);
  bool fits_here = f->column + width_of(f, i, until) + (until == to ? tail : 0) <= LINE;
  if (f->line_start || fits_here || f->mark[end].breaks != f->mark[i].breaks ||
      f->indent + CONTINUED + width > LINE)
    return;
  line_for(f, i, false, f->indent);
  for (; f->column < f->indent + CONTINUED; f->column++)
    TS_PUSH(f->arena, &f->out, ' ');
}

/* Tokens of a statement or an entry; `tail` columns follow on its last line. */
static void sequence(formatter *f, uint32_t from, uint32_t to, uint32_t tail)
{
  if (format_fits(f, from, to, tail)) {
    put_all(f, from, to);
    return;
  }
  for (uint32_t i = from; i < to; i++) {
    if (i > from && is_soft(f, i))
      break_softly(f, i, to, tail);
    if (format_is_open(kind(f, i))) {
      bracket(f, i, tail_after(f, f->mark[i].match, to, tail));
      i = f->mark[i].match;
    } else {
      format_put(f, i);
    }
  }
}

char *ts_format(ts_lang *lang, uint32_t file, size_t *size)
{
  ts_parser *parser = ts_parser_new(lang, file);
  if (!ts_parser_run(parser))
    return NULL;
  formatter f = {.parser = parser,
                 .arena = lang->arena,
                 .token = parser->tokens.at,
                 .count = (uint32_t)parser->tokens.count,
                 .line_start = true};
  f.mark = TS_NEW_ARRAY(f.arena, format_mark, f.count + 1);
  match_brackets(&f);
  mark_statements(&f, parser->result);
  for (uint32_t i = 0; i < f.count; i++)
    f.mark[i].layout = layout_of(&f, i);
  drop_separators(&f);
  force_breaks(&f);
  mark_texts(&f);
  format_measure(&f);
  statements(&f, 0, f.count - 1, true);
  line_for(&f, f.count - 1, true, 0);
  while (f.out.count > 1 && f.out.at[f.out.count - 1] == '\n' && f.out.at[f.out.count - 2] == '\n')
    f.out.count--;
  *size = f.out.count;
  TS_PUSH(f.arena, &f.out, '\0');
  return f.out.at;
}
