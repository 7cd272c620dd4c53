#include "compiler/launch_script.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

typedef TS_VEC(char) text;
typedef TS_VEC(const char *) strings;

/* A word as it is written, or what ends one: `;`, a line end, `)`, ... */
typedef struct token {
  const char *text;
  const char *here; /* of `<<`: the document */
  bool ends;
} token;
typedef TS_VEC(token) tokens;

typedef struct variable {
  const char *name;
  strings value; /* an array; or one word */
} variable;

typedef struct frame { /* if, case, a loop */
  bool outer, taken, is_case;
  const char *word; /* of a case */
} frame;

enum { DEEPEST = 32, LARGEST = 1 << 20 };

typedef struct shell {
  ts_arena *arena;
  TS_VEC(variable) variables;
  strings order; /* names of variables that begin with an argument, in order */
  frame frame[DEEPEST];
  uint32_t depth, nested;
  bool live, status, defaults;
  strings best;
  uint32_t most;
  size_t bytes; /* expanded so far */
  ts_launch_file *file;
} shell;

/* -- variables -- */

static variable *variable_of(shell *s, const char *name, size_t length)
{
  for (size_t i = 0; i < s->variables.count; i++)
    if (strncmp(s->variables.at[i].name, name, length) == 0 && !s->variables.at[i].name[length])
      return &s->variables.at[i];
  return NULL;
}

static variable *launch_made(shell *s, const char *name, size_t length)
{
  if (!variable_of(s, name, length))
    TS_PUSH(s->arena, &s->variables, (variable){.name = ts_arena_string(s->arena, name, length)});
  return variable_of(s, name, length);
}

static void launch_set(shell *s, const char *name, size_t length, const char *value)
{
  variable *v = launch_made(s, name, length);
  v->value.count = 0;
  TS_PUSH(s->arena, &v->value, value);
}

static size_t name_length(const char *c)
{
  size_t n = 0;
  while (isalnum((unsigned char)c[n]) || c[n] == '_')
    n++;
  return n && isdigit((unsigned char)*c) ? 1 : n;
}

static bool is_unset(const char *value) { return !*value || strncmp(value, "${", 2) == 0; }

/* -- words: what stands between blanks, with its quotes -- */

/* The end of "...", '...', $(...), ${...} or `...` that begins at `c`. */
static const char *past(const char *c)
{
  const char open = *c == '$' ? c[1] : *c, shut = open == '(' ? ')' : open == '{' ? '}' : open;
  uint32_t depth = 1;
  for (c += *c == '$' ? 2 : 1; *c; c++) {
    if (*c == '\\' && c[1] && open != '\'') {
      c++;
    } else if (*c == shut && --depth == 0) {
      return c + 1;
    } else if (*c == open && open != shut) {
      depth++;
    }
  }
  return c;
}

static bool opens(const char *c)
{
  return strchr("\"'`", *c) || (*c == '$' && (c[1] == '(' || c[1] == '{'));
}

static const char *word_end(const char *c)
{
  while (*c && !strchr(" \t\r\n;|&<>()", *c)) {
    if (*c == '\\' && c[1])
      c += 2;
    else if (opens(c))
      c = past(c);
    else
      c++;
    if (*c == '(' && c[-1] == '=')
      c = past(c); /* an array */
  }
  return c;
}

/* Documents of `<<WORD` that begin on the next line; what follows them. */
static const char *take_documents(shell *s, tokens *all, size_t from, const char *c)
{
  for (size_t i = from; i + 1 < all->count; i++) {
    if (strcmp(all->at[i].text, "<<") != 0)
      continue;
    const char *mark = all->at[i + 1].text, *begin = c;
    size_t length = strcspn(mark + strspn(mark, "-'\""), "'\"");
    mark += strspn(mark, "-'\"");
    while (*c && (strncmp(c + strspn(c, "\t"), mark, length) != 0 ||
                  !strchr("\r\n", (c + strspn(c, "\t"))[length]))) {
      c += strcspn(c, "\n");
      c += *c == '\n';
    }
    all->at[i].here = ts_arena_string(s->arena, begin, (size_t)(c - begin));
    c += strcspn(c, "\n");
  }
  return c;
}

static tokens tokens_of(shell *s, const char *c)
{
  tokens all = {0};
  size_t line = 0;
  while (*c) {
    if (*c == ' ' || *c == '\t' || *c == '\r' || (*c == '\\' && c[1] == '\n')) {
      c += *c == '\\' ? 2 : 1;
    } else if (*c == '#') {
      c += strcspn(c, "\n");
    } else if (*c == '\n') {
      TS_PUSH(s->arena, &all, (token){.text = ";", .ends = true});
      c = take_documents(s, &all, line, c + 1);
      line = all.count;
    } else if (strchr(";|&<>()", *c)) {
      size_t length = c[1] == *c ? 2 : 1;
      TS_PUSH(s->arena, &all, (token){.text = ts_arena_string(s->arena, c, length), .ends = true});
      c += length;
    } else {
      const char *end = word_end(c);
      TS_PUSH(s->arena, &all, (token){.text = ts_arena_string(s->arena, c, (size_t)(end - c))});
      c = end;
    }
  }
  TS_PUSH(s->arena, &all, (token){.text = ";", .ends = true});
  return all;
}

/* -- expansion -- */

typedef struct fields {
  shell *s;
  strings out;
  text now;
  bool any;
} fields;

static void put_char(fields *f, char c)
{
  f->any = true;
  if (f->s->bytes++ < LARGEST)
    TS_PUSH(f->s->arena, &f->now, c);
}

static void field_ends(fields *f)
{
  if (!f->any)
    return;
  TS_PUSH(f->s->arena, &f->out, ts_arena_string(f->s->arena, f->now.at, f->now.count));
  f->now = (text){0};
  f->any = false;
}

static void put_value(fields *f, const char *value, bool quoted)
{
  f->any |= quoted;
  for (; *value; value++) {
    if (!quoted && isspace((unsigned char)*value))
      field_ends(f);
    else
      put_char(f, *value);
  }
}

static void put_variable(fields *f, const variable *v, bool quoted, bool apart)
{
  for (size_t i = 0; i < v->value.count; i++) {
    if (i && quoted && !apart)
      put_char(f, ' ');
    else if (i)
      field_ends(f);
    put_value(f, v->value.at[i], quoted);
  }
}

static void launch_expand(fields *f, const char *c, bool quoted);

static const char *launch_joined(shell *s, const char *raw, bool quoted)
{
  fields f = {.s = s};
  if (s->nested++ < DEEPEST)
    launch_expand(&f, raw, quoted);
  s->nested--;
  field_ends(&f);
  text all = {0};
  for (size_t i = 0; i < f.out.count; i++) {
    if (i)
      TS_PUSH(s->arena, &all, ' ');
    for (const char *c = f.out.at[i]; *c; c++)
      TS_PUSH(s->arena, &all, *c);
  }
  return ts_arena_string(s->arena, all.count ? all.at : "", all.count);
}

/* Whole numbers with + - * / % and `depth` levels of parentheses. */
static int64_t sum(const char **c, uint32_t depth);
static int64_t factor(const char **c, uint32_t depth)
{
  *c += strspn(*c, " \t\n");
  if (**c == '(' && depth) {
    ++*c;
    int64_t inner = sum(c, depth - 1);
    *c += strcspn(*c, ")");
    *c += **c == ')';
    return inner;
  }
  char *end;
  int64_t value = strtoll(*c, &end, 10);
  *c = end;
  return value;
}
static int64_t product(const char **c, uint32_t depth)
{
  int64_t value = factor(c, depth);
  for (;;) {
    *c += strspn(*c, " \t\n");
    char op = **c;
    if (!op || !strchr("*/%", op))
      return value;
    ++*c;
    int64_t other = factor(c, depth);
    if (op == '*' ? __builtin_mul_overflow(value, other, &value) : other <= 0)
      return 0;
    value = op == '/' ? value / other : op == '%' ? value % other : value;
  }
}
static int64_t sum(const char **c, uint32_t depth)
{
  int64_t value = product(c, depth);
  for (;;) {
    *c += strspn(*c, " \t\n");
    char op = **c;
    if (op != '+' && op != '-')
      return value;
    ++*c;
    int64_t other = product(c, depth);
    if (op == '+' ? __builtin_add_overflow(value, other, &value) :
                    __builtin_sub_overflow(value, other, &value))
      return 0;
  }
}

/* $((...)) and `expr`: names stand for what they hold, `\*` for `*`. */
static const char *arithmetic(shell *s, const char *begin, size_t length)
{
  text t = {0};
  const char *raw = ts_arena_string(s->arena, begin, length);
  for (const char *c = raw; *c;) {
    c += *c == '\\' && c[1];
    size_t name = isalpha((unsigned char)*c) || *c == '_' ? name_length(c) : 0;
    const char *add = ts_arena_string(s->arena, c, name ? name : 1);
    if (name && variable_of(s, c, name))
      add = ts_arena_printf(s->arena, "${%s}", add);
    for (const char *a = add; *a; a++)
      TS_PUSH(s->arena, &t, *a);
    if (*c == '$') { /* a name with its mark stays as it is */
      const char *end = c[1] == '{' ? past(c) : c + 1 + name_length(c + 1);
      for (c++; c < end; c++)
        TS_PUSH(s->arena, &t, *c);
    } else {
      c += name ? name : 1;
    }
  }
  const char *expanded = launch_joined(s, ts_arena_string(s->arena, t.at, t.count), true);
  if (strstr(expanded, "${"))
    return expanded;
  return ts_arena_printf(s->arena, "%lld", (long long)sum(&expanded, DEEPEST));
}

/* ${...}, which ends before `end`. */
static void put_braced(fields *f, const char *c, const char *end, bool quoted)
{
  shell *s = f->s;
  const char *begin = c;
  bool count = *c == '#';
  c += count;
  size_t length = name_length(c);
  const variable *v = variable_of(s, c, length);
  const char *rest = c + length;
  bool apart = strncmp(rest, "[@]", 3) == 0;
  if (apart || strncmp(rest, "[*]", 3) == 0)
    rest += 3;
  bool empty = !v || !v->value.count || (*rest == ':' && is_unset(v->value.at[0]));
  const char *op = rest + (*rest == ':');
  const char *other =
    *op && op < end ? ts_arena_string(s->arena, op + 1, (size_t)(end - op - 1)) : "";
  if (count)
    put_value(f, ts_arena_printf(s->arena, "%zu", v ? v->value.count : 0), quoted);
  else if ((*op == '-' || *op == '=') && empty)
    put_value(f, launch_joined(s, other, quoted), quoted);
  else if (*op == '+')
    put_value(f, empty ? "" : launch_joined(s, other, quoted), quoted);
  else if (v)
    put_variable(f, v, quoted, apart);
  else if (s->defaults && *rest == ':')
    put_value(f, ts_arena_string(s->arena, op, (size_t)(end - op)), quoted);
  else if (!apart)
    put_value(f, ts_arena_printf(s->arena, "${%s}", ts_arena_string(s->arena, begin, length)),
              true);
}

/* What `$` begins; past it. */
static const char *put_dollar(fields *f, const char *c, bool quoted)
{
  shell *s = f->s;
  if (strncmp(c, "$((", 3) == 0) {
    const char *end = past(c);
    put_value(f, arithmetic(s, c + 3, (size_t)(end - c) < 5 ? 0 : (size_t)(end - c) - 5), quoted);
    return end;
  }
  if (c[1] == '(') { /* of commands only what `expr` would say is known */
    const char *end = past(c);
    if (strncmp(c, "$(expr ", 7) == 0)
      put_value(f, arithmetic(s, c + 7, (size_t)(end - c) < 8 ? 0 : (size_t)(end - c) - 8), quoted);
    return end;
  }
  if (c[1] == '{') {
    const char *end = past(c);
    put_braced(f, c + 2, end - (end[-1] == '}'), quoted);
    return end;
  }
  size_t length = name_length(c + 1);
  if (length) {
    put_braced(f, c + 1, c + 1 + length, quoted);
    return c + 1 + length;
  }
  if (c[1] && strchr("@*#?!$-", c[1]))
    return c + 2;
  put_char(f, '$');
  return c + 1;
}

static void launch_expand(fields *f, const char *c, bool quoted)
{
  while (*c) {
    if (*c == '\\' && c[1]) {
      if (c[1] != '\n' && quoted && !strchr("$`\"\\", c[1]))
        put_char(f, '\\');
      if (c[1] != '\n')
        put_char(f, c[1]);
      c += 2;
    } else if (*c == '\'' && !quoted) {
      const char *end = past(c);
      f->any = true;
      for (c++; c < end - 1; c++)
        put_char(f, *c);
      c = end;
    } else if (*c == '"' && !quoted) {
      const char *end = past(c);
      f->any = true;
      if (f->s->nested++ < DEEPEST && end - c >= 2)
        launch_expand(f, ts_arena_string(f->s->arena, c + 1, (size_t)(end - c) - 2), true);
      f->s->nested--;
      c = end;
    } else if (*c == '`') {
      c = past(c);
    } else if (*c == '$') {
      c = put_dollar(f, c, quoted);
    } else {
      put_char(f, *c++);
    }
  }
}

static strings launch_words(shell *s, const char *const *raw, size_t count)
{
  fields f = {.s = s};
  for (size_t i = 0; i < count; i++) {
    launch_expand(&f, raw[i], false);
    field_ends(&f);
  }
  return f.out;
}

/* -- commands -- */

/* Words that are no operators, as a shell would part them. */
static strings plain_words(shell *s, const char *script)
{
  tokens inner = tokens_of(s, script);
  strings raw = {0};
  for (size_t i = 0; i < inner.count; i++)
    if (!inner.at[i].ends)
      TS_PUSH(s->arena, &raw, inner.at[i].text);
  return launch_words(s, raw.at, raw.count);
}

/* NAME=VALUE, NAME+=VALUE, NAME=(...), as it is written. */
static bool assign(shell *s, const char *raw)
{
  size_t length = name_length(raw);
  bool more = raw[length] == '+';
  if (!length || raw[length + more] != '=' || isdigit((unsigned char)*raw))
    return false;
  const char *value = raw + length + more + 1;
  variable *v = launch_made(s, raw, length);
  strings words = {0};
  if (*value == '(') {
    words =
      plain_words(s, ts_arena_string(s->arena, value + 1, strlen(value + 1) - (value[1] != 0)));
  } else {
    const char *old = more && v->value.count ? v->value.at[0] : "";
    TS_PUSH(s->arena, &words,
            ts_arena_printf(s->arena, "%s%s", old, launch_joined(s, value, false)));
    more = false;
  }
  v = variable_of(s, raw, length);
  if (!more)
    v->value.count = 0;
  for (size_t i = 0; i < words.count; i++)
    TS_PUSH(s->arena, &v->value, words.at[i]);
  bool holds = false;
  for (size_t i = 0; i < words.count; i++)
    holds |= strncmp(words.at[i], "--", 2) == 0 || strstr(words.at[i], " --");
  if (holds)
    TS_PUSH(s->arena, &s->order, v->name);
  return true;
}

static bool compared(const char *a, const char *op, const char *b)
{
  long long x = strtoll(a, NULL, 10), y = strtoll(b, NULL, 10);
  static const char *const ops[] = {"-eq", "-ne", "-gt", "-ge", "-lt", "-le"};
  const bool is[] = {x == y, x != y, x > y, x >= y, x < y, x <= y};
  for (size_t i = 0; i < sizeof is / sizeof *is; i++)
    if (strcmp(op, ops[i]) == 0)
      return is[i];
  return (fnmatch(b, a, 0) == 0) == (strcmp(op, "!=") != 0);
}

/* The words of [ ... ] or test. Files are taken as there. */
static bool test_of(const strings *w, size_t from, size_t to)
{
  if (to > from && strcmp(w->at[to - 1], "]") == 0)
    to--;
  else if (to > from && strcmp(w->at[to - 1], "]]") == 0)
    to--;
  if (from < to && strcmp(w->at[from], "!") == 0)
    return !test_of(w, from + 1, to);
  if (to - from == 3)
    return compared(is_unset(w->at[from]) ? "" : w->at[from], w->at[from + 1], w->at[from + 2]);
  if (to - from == 2 && strcmp(w->at[from], "-z") == 0)
    return is_unset(w->at[from + 1]);
  if (to - from == 2 && strcmp(w->at[from], "-n") == 0)
    return !is_unset(w->at[from + 1]);
  return to - from == 2 || (to - from == 1 && !is_unset(w->at[from]));
}

static uint32_t arguments(const strings *w)
{
  uint32_t count = 0;
  for (size_t i = 0; i < w->count; i++)
    count += strncmp(w->at[i], "--", 2) == 0;
  return count;
}

/* sh -c "..." starts what stands in its word. */
static strings within(shell *s, const strings *w)
{
  strings all = {0};
  for (size_t i = 0; i < w->count; i++) {
    const char *before = i ? w->at[i - 1] : "";
    if (before[0] != '-' || before[1] == '-' || !strchr(before, 'c') || !strchr(w->at[i], ' ')) {
      TS_PUSH(s->arena, &all, w->at[i]);
      continue;
    }
    strings inner = plain_words(s, w->at[i]);
    for (size_t k = 0; k < inner.count; k++)
      TS_PUSH(s->arena, &all, inner.at[k]);
  }
  return all;
}

static void command(shell *s, const char *const *raw, size_t count, const token *here,
                    const char *to)
{
  size_t first = 0;
  static const char *const sets[] = {"export", "declare", "local", "readonly", "typeset"};
  strings before = {0};
  for (size_t i = 0; count && i < sizeof sets / sizeof *sets; i++)
    first += strcmp(raw[0], sets[i]) == 0;
  bool prefixed = first > 0;
  while (first < count && (assign(s, raw[first]) || (prefixed && raw[first][0] == '-'))) {
    size_t length = name_length(raw[first]);
    const variable *v = variable_of(s, raw[first], length);
    if (v && v->value.count)
      TS_PUSH(s->arena, &before, ts_arena_printf(s->arena, "%s=%s", v->name, v->value.at[0]));
    first++;
  }
  if (first == count || prefixed) {
    s->status = true;
    return;
  }
  strings words = launch_words(s, raw + first, count - first);
  if (here && to && here->here) {
    ts_launch_file *f = TS_NEW(s->arena, ts_launch_file);
    *f = (ts_launch_file){launch_joined(s, to, false), launch_joined(s, here->here, true), s->file};
    s->file = f;
  }
  s->status = true;
  if (!words.count)
    return;
  if (strcmp(words.at[0], "[") == 0 || strcmp(words.at[0], "[[") == 0 ||
      strcmp(words.at[0], "test") == 0) {
    strings test = {0}; /* a quoted word may be empty: words of a test are not split */
    for (size_t i = first + 1; i < count; i++)
      TS_PUSH(s->arena, &test, launch_joined(s, raw[i], false));
    s->status = test_of(&test, 0, test.count);
    return;
  }
  if (strcmp(words.at[0], "echo") == 0 || strcmp(words.at[0], "false") == 0) {
    s->status = words.at[0][0] == 'e';
    return;
  }
  strings all = within(s, &words);
  uint32_t found = arguments(&all);
  if (!found || found < s->most)
    return;
  s->most = found;
  s->best = before;
  for (size_t i = 0; i < all.count; i++)
    TS_PUSH(s->arena, &s->best, all.at[i]);
}

/* -- what holds commands -- */

static void push(shell *s, frame f)
{
  if (s->depth < DEEPEST)
    s->frame[s->depth] = f;
  s->depth++;
}

/* A word that begins a command and is none of it; false: it is one. */
static bool keyword(shell *s, const char *word)
{
  frame none = {.outer = s->live};
  frame *f = s->depth && s->depth <= DEEPEST ? &s->frame[s->depth - 1] : &none;
  if (strcmp(word, "if") == 0) {
    push(s, (frame){.outer = s->live});
  } else if (strcmp(word, "then") == 0) {
    s->live = f->outer && !f->taken && s->status;
    f->taken |= s->live;
  } else if (strcmp(word, "elif") == 0 || strcmp(word, "else") == 0) {
    s->live = f->outer && !f->taken;
  } else if (strcmp(word, "fi") == 0 || strcmp(word, "done") == 0 || strcmp(word, "esac") == 0) {
    s->live = f->outer;
    s->depth -= s->depth > 0;
  } else if (strcmp(word, "while") == 0 || strcmp(word, "until") == 0) {
    push(s, (frame){.outer = s->live});
    s->live = false;
  } else {
    return strcmp(word, "do") == 0 || strcmp(word, "{") == 0 || strcmp(word, "}") == 0 ||
           strcmp(word, "!") == 0 || strcmp(word, "function") == 0;
  }
  return true;
}

/* for NAME in WORD...: with the first word. */
static void loop(shell *s, const char *const *raw, size_t count)
{
  push(s, (frame){.outer = s->live});
  if (!s->live || count < 3)
    return;
  strings all = launch_words(s, raw + 2, count - 2);
  s->live = all.count > 0;
  if (s->live)
    launch_set(s, raw[0], strlen(raw[0]), all.at[0]);
}

static bool matches(shell *s, const char *const *raw, size_t count, const char *word)
{
  bool any = false;
  for (size_t i = 0; i < count; i++)
    any |= fnmatch(launch_joined(s, raw[i], false), word, 0) == 0;
  return any;
}

/* A pattern of a case, up to its `)`; the index behind it. */
static size_t take_pattern(shell *s, const tokens *all, size_t i, frame *f)
{
  strings words = {0};
  for (; i < all->count && strcmp(all->at[i].text, ")") != 0; i++) {
    if (!all->at[i].ends && strcmp(all->at[i].text, "esac") == 0)
      return i;
    if (!all->at[i].ends)
      TS_PUSH(s->arena, &words, all->at[i].text);
  }
  s->live = f->outer && !f->taken && matches(s, words.at, words.count, f->word);
  f->taken |= s->live;
  return i + 1;
}

static void run_tokens(shell *s, const tokens *all)
{
  strings words = {0};
  bool skip = false, negated = false, looping = false, redirected = false;
  const token *here = NULL;
  const char *to = NULL;
  for (size_t i = 0; i < all->count; i++) {
    const token *t = &all->at[i];
    if (!t->ends) {
      if (redirected) {
        to = to ? to : t->text;
        redirected = false;
      } else if (!words.count && !looping && strcmp(t->text, "for") == 0) {
        looping = true;
      } else if (!words.count && !looping && strcmp(t->text, "case") == 0 && i + 2 < all->count) {
        push(s, (frame){.outer = s->live,
                        .is_case = true,
                        .word = launch_joined(s, all->at[i + 1].text, false)});
        if (s->depth <= DEEPEST)
          i = take_pattern(s, all, i + 3, &s->frame[s->depth - 1]) - 1;
      } else if (words.count || looping || !keyword(s, t->text)) {
        TS_PUSH(s->arena, &words, t->text);
      } else if (strcmp(t->text, "!") == 0) {
        negated = !negated;
      }
      continue;
    }
    if (*t->text == '>' || *t->text == '<') {
      if (strcmp(t->text, "<<") == 0) {
        here = t;
        i++;
      } else {
        redirected = *t->text == '>';
        if (words.count &&
            strspn(words.at[words.count - 1], "0123456789") == strlen(words.at[words.count - 1]))
          words.count--;
        if (!redirected)
          i++;
      }
      continue;
    }
    if (*t->text == '&' && !t->text[1] && redirected)
      continue; /* >&1 */
    if (looping) {
      loop(s, words.at, words.count);
    } else if (words.count && s->live && !skip) {
      command(s, words.at, words.count, here, to);
      s->status = s->status != negated;
    }
    if (strcmp(t->text, "&&") == 0 || strcmp(t->text, "||") == 0)
      skip = s->status == (*t->text == '|');
    else
      skip = false;
    if (words.count || looping) {
      negated = looping = redirected = false;
      here = NULL;
      to = NULL;
    }
    words.count = 0;
    if (strcmp(t->text, ";;") == 0 && s->depth && s->depth <= DEEPEST &&
        s->frame[s->depth - 1].is_case)
      i = take_pattern(s, all, i + 1, &s->frame[s->depth - 1]) - 1;
  }
}

/* #SBATCH --nodes=N: the batch system sets what scripts read. */
static void batch_lines(shell *s, const char *c)
{
  for (; (c = strstr(c, "#SBATCH")); c++) {
    const char *at = c + 7 + strspn(c + 7, " \t");
    bool nodes = strncmp(at, "--nodes", 7) == 0;
    at += nodes ? 7 : strncmp(at, "-N", 2) == 0 ? 2 : 0;
    at += strspn(at, " =");
    size_t digits = strspn(at, "0123456789");
    if (!digits || (!nodes && at[-1] != 'N' && at[-1] != ' '))
      continue;
    const char *value = ts_arena_string(s->arena, at, digits);
    launch_set(s, "SLURM_NNODES", 12, value);
    launch_set(s, "SLURM_JOB_NUM_NODES", 19, value);
  }
}

static shell shell_with(ts_arena *arena, const char *const *given, uint32_t count)
{
  shell s = {.arena = arena, .live = true, .status = true};
  for (uint32_t i = 0; i < count; i++)
    launch_set(&s, given[i], strcspn(given[i], "="), strchr(given[i], '=') + 1);
  return s;
}

static ts_launch_variable *listed(shell *s)
{
  ts_launch_variable *all = NULL;
  for (size_t i = 0; i < s->variables.count; i++) {
    ts_launch_variable *v = TS_NEW(s->arena, ts_launch_variable);
    const strings *words = &s->variables.at[i].value;
    *v = (ts_launch_variable){s->variables.at[i].name, words->count ? words->at[0] : "", all};
    all = v;
  }
  return all;
}

ts_launch_script ts_launch_script_read(ts_arena *arena, const char *script, size_t size,
                                       const char *const *given, uint32_t count)
{
  shell s = shell_with(arena, NULL, 0);
  const char *text = ts_arena_string(arena, script, size);
  batch_lines(&s, text);
  for (uint32_t i = 0; i < count; i++)
    launch_set(&s, given[i], strcspn(given[i], "="), strchr(given[i], '=') + 1);
  tokens all = tokens_of(&s, text);
  run_tokens(&s, &all);
  if (s.most < 2) {
    strings raw = {0};
    for (size_t i = 0; i < s.order.count; i++)
      TS_PUSH(arena, &raw, ts_arena_printf(arena, "${%s[@]}", s.order.at[i]));
    strings words = launch_words(&s, raw.at, raw.count);
    if (arguments(&words) > s.most)
      s.best = words;
  }
  return (ts_launch_script){s.best.at, (uint32_t)s.best.count, listed(&s), s.file};
}

const char *ts_launch_expanded(ts_arena *arena, const char *word, const char *const *given,
                               uint32_t count, bool defaults)
{
  shell s = shell_with(arena, given, count);
  s.defaults = defaults;
  return strchr(word, '$') ? launch_joined(&s, word, true) : word;
}

uint32_t ts_launch_line(const char *text, const char *word)
{
  uint32_t line = 1;
  size_t length = strlen(word);
  for (const char *c = text; *c; c++) {
    if (*c == '\n')
      line++;
    if (*c == '#' && (c == text || isspace((unsigned char)c[-1])))
      c += strcspn(c, "\n") - (strchr(c, '\n') != NULL);
    else if (strncmp(c, word, length) == 0 && !isalnum((unsigned char)c[length]) &&
             !strchr("-_", c[length] ? c[length] : ' ') &&
             (c == text || strchr(" \t\n\"'=(", c[-1])))
      return line;
  }
  return 0;
}
