#include "compiler/argument_value.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

typedef TS_VEC(char) text;

static void argument_value_put(ts_arena *arena, text *to, const char *bytes)
{
  for (; *bytes; bytes++)
    TS_PUSH(arena, to, *bytes);
}

static const char *ended(ts_arena *arena, text *t)
{
  TS_PUSH(arena, t, 0);
  return t->at;
}

const char *ts_argument_quoted(ts_arena *arena, const char *word)
{
  text t = {0};
  argument_value_put(arena, &t, "\"");
  for (; *word; word++) {
    if (*word == '"' || *word == '\\')
      TS_PUSH(arena, &t, '\\');
    if ((unsigned char)*word >= ' ')
      TS_PUSH(arena, &t, *word);
  }
  argument_value_put(arena, &t, "\"");
  return ended(arena, &t);
}

/* -- numbers -- */

static bool is_integer(const char *word)
{
  char *end;
  errno = 0;
  strtoll(word, &end, 10);
  return *word && !*end && !errno && !isspace((unsigned char)*word) && *word != '+';
}

static bool is_number(const char *word)
{
  char *end;
  strtod(word, &end);
  return *word && !*end && strspn(word, "+-0123456789.eE") == strlen(word);
}

/* 1e-4, 1. and .5 as the language writes them. */
static const char *argument_value_number(ts_arena *arena, const char *word)
{
  double value = strtod(word, NULL);
  return is_integer(word) ? word : ts_arena_printf(arena, "%.15g", value);
}

/* Whole numbers of a word, whatever stands between them: ":4096:8". */
static void numbers_in(ts_arena *arena, text *t, const char *word, bool *more)
{
  for (const char *c = word; *c;) {
    if (!isdigit((unsigned char)*c)) {
      c++;
      continue;
    }
    size_t digits = strspn(c, "0123456789");
    argument_value_put(arena, t, *more ? ", " : "");
    argument_value_put(arena, t, ts_arena_string(arena, c, digits));
    *more = true;
    c += digits;
  }
}

/* -- what is repeated: parts, or groups of them in parentheses, each with `*N` behind it -- */

enum { LONGEST = 100000, DEEPEST = 50 }; /* a list that is written out */
typedef TS_VEC(int64_t) elements;

typedef struct repeats {
  ts_arena *arena;
  const char *at;
  elements out;
  bool (*part)(struct repeats *r); /* one part onto `out`; false: there is none */
  char joins;                      /* between two; 0: nothing */
  uint32_t depth;
} repeats;

static bool times(repeats *r, size_t from)
{
  char *end;
  long long count = strtoll(r->at, &end, 10);
  size_t once = r->out.count - from;
  if (end == r->at || count < 0 || count > LONGEST || (uint64_t)count * once > LONGEST)
    return false;
  r->at = end;
  r->out.count = count ? r->out.count : from;
  for (long long k = 1; k < count; k++)
    for (size_t i = 0; i < once; i++) {
      int64_t again = r->out.at[from + i];
      TS_PUSH(r->arena, &r->out, again);
    }
  return true;
}

static bool parts(repeats *r);

static bool group(repeats *r)
{
  if (*r->at != '(')
    return r->part(r);
  r->at++;
  if (++r->depth > DEEPEST || !parts(r) || *r->at != ')')
    return false;
  r->depth--;
  r->at++;
  return true;
}

static bool parts(repeats *r)
{
  for (;;) {
    size_t from = r->out.count;
    if (!group(r))
      return false;
    while (*r->at == '*') {
      r->at++;
      if (!times(r, from))
        return false;
    }
    if (r->out.count > LONGEST)
      return false;
    if (r->joins ? *r->at != r->joins : !*r->at || *r->at == ')')
      return true;
    r->at += r->joins != 0;
  }
}

static bool argument_value_whole(repeats *r) { return parts(r) && !*r->at; }

/* [0, 1] */
static bool integers(repeats *r)
{
  if (*r->at != '[')
    return false;
  do {
    char *end;
    int64_t value = strtoll(++r->at, &end, 10);
    if (end == r->at)
      return false;
    TS_PUSH(r->arena, &r->out, value);
    r->at = end;
  } while (*r->at == ',');
  return *r->at++ == ']';
}

/* A list as Python writes it: ([0]*3+[1]*12). NULL: it is none. */
static const char *python_list(ts_arena *arena, const char *word)
{
  repeats r = {.arena = arena, .at = word, .part = integers, .joins = '+'};
  text t = {0};
  if (!argument_value_whole(&r))
    return NULL;
  argument_value_put(arena, &t, "[");
  for (size_t i = 0; i < r.out.count; i++)
    argument_value_put(arena, &t, ts_arena_printf(arena, "%s%" PRId64, i ? ", " : "", r.out.at[i]));
  argument_value_put(arena, &t, "]");
  return ended(arena, &t);
}

static bool letter(repeats *r)
{
  if (!*r->at || strchr(")*", *r->at))
    return false;
  TS_PUSH(r->arena, &r->out, *r->at);
  r->at++;
  return true;
}

/* [["E", "t"], ["t", "L"]] */
const char *ts_argument_layout(ts_arena *arena, const char *word)
{
  text plain = {0}, t = {0};
  for (; *word; word++) /* a shell's backslashes, and commas, which only please the eye */
    if (*word != '\\' && *word != ',' && *word != ' ')
      TS_PUSH(arena, &plain, *word);
  repeats r = {.arena = arena, .at = ended(arena, &plain), .part = letter};
  if (!argument_value_whole(&r))
    return NULL;
  argument_value_put(arena, &t, "[[");
  for (size_t i = 0; i < r.out.count; i++) {
    if (r.out.at[i] == '|') {
      argument_value_put(arena, &t, "], [");
      continue;
    }
    argument_value_put(arena, &t, i && r.out.at[i - 1] != '|' ? ", " : "");
    argument_value_put(arena, &t, ts_argument_quoted(arena, (const char[]){(char)r.out.at[i], 0}));
  }
  argument_value_put(arena, &t, "]]");
  return ended(arena, &t);
}

/* -- values -- */

static const char *list_value(ts_arena *arena, const ts_ast *type, const char *const *word,
                              uint32_t count)
{
  text t = {0};
  const ts_ast *element = ts_ast_element(type);
  bool more = false, numbers = element && strcmp(element->name, "Int") == 0;
  argument_value_put(arena, &t, "[");
  for (uint32_t i = 0; i < count; i++) {
    if (numbers) {
      numbers_in(arena, &t, word[i], &more);
      continue;
    }
    argument_value_put(arena, &t, more ? ", " : "");
    argument_value_put(arena, &t, ts_argument_quoted(arena, word[i]));
    more = true;
  }
  argument_value_put(arena, &t, "]");
  return ended(arena, &t);
}

const char *ts_argument_value(ts_arena *arena, const ts_ast *type, const char *const *word,
                              uint32_t count)
{
  if (strcmp(type->name, "Bool") == 0) {
    if (!count || strcmp(word[0], "true") == 0 || strcmp(word[0], "True") == 0)
      return count > 1 ? NULL : "true";
    return count == 1 && (!strcmp(word[0], "false") || !strcmp(word[0], "False")) ? "false" : NULL;
  }
  if (!count)
    return NULL;
  if (strcmp(type->name, "List") == 0)
    return list_value(arena, type, word, count);
  if (count > 1)
    return NULL;
  if (strcmp(type->name, "Int") == 0)
    return is_integer(word[0]) ? word[0] : NULL;
  if (strcmp(type->name, "Real") == 0)
    return is_number(word[0]) ? argument_value_number(arena, word[0]) : NULL;
  if (strcmp(type->name, "String") == 0)
    return ts_argument_quoted(arena, word[0]);
  if (is_integer(word[0]))
    return word[0];
  const char *bare = word[0];
  size_t length = strlen(bare);
  if (length > 1 && *bare == '\'' && bare[length - 1] == '\'') /* of a shell's word in a file */
    bare = ts_arena_string(arena, bare + 1, length - 2);
  return *bare == '(' || *bare == '[' ? python_list(arena, bare) : ts_argument_quoted(arena, bare);
}

const char *const *ts_argument_words(ts_arena *arena, const char *all, uint32_t *count)
{
  TS_VEC(const char *) words = {0};
  for (const char *c = all; *c;) {
    TS_VEC(char) word = {0};
    bool any = false;
    char quote = 0;
    for (; *c && (quote || !isspace((unsigned char)*c)); c++) {
      if (!quote && !any && *c == '#') {
        c += strcspn(c, "\n");
        break;
      }
      if (*c == '\\' && quote != '\'' && c[1]) {
        c++;
        if (*c != '\n') {
          any = true;
          TS_PUSH(arena, &word, *c);
        }
      } else if (*c == quote || (!quote && (*c == '"' || *c == '\''))) {
        quote = quote ? 0 : *c;
        any = true;
      } else {
        any = true;
        TS_PUSH(arena, &word, *c);
      }
    }
    if (any)
      TS_PUSH(arena, &words, ts_arena_string(arena, word.at, word.count));
    while (isspace((unsigned char)*c))
      c++;
  }
  *count = (uint32_t)words.count;
  return words.at;
}
