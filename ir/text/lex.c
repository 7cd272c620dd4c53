/* Tokens of the text form, and the values that they spell. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/text.h"
#include "ir/layout.h"
#include "ir/text/text.h"

void ts_ir_syntax(ts_ir_lexer *l, const char *format, ...)
{
  if (l->failed)
    return;
  va_list args;
  va_start(args, format);
  ts_fail_va(l->error, NULL, format, args);
  l->error->line = l->line;
  va_end(args);
  l->failed = true;
  l->token = TS_IR_END_OF_FILE;
}

void ts_ir_expected(ts_ir_lexer *l, const char *what)
{
  if (l->token == TS_IR_END_OF_FILE)
    ts_ir_syntax(l, "expected %s, found the end of the text", what);
  else if (l->token == TS_IR_END_OF_LINE)
    ts_ir_syntax(l, "expected %s, found the end of the line", what);
  else
    ts_ir_syntax(l, "expected %s, found `%.60s`", what, l->text);
}

static char *text_room(ts_ir_lexer *l, size_t size)
{
  if (size + 1 > l->room) {
    size_t room = 2 * size + 64;
    l->text = ts_arena_alloc(l->arena, room);
    l->room = room;
  }
  return l->text;
}

static void take_text(ts_ir_lexer *l, ts_ir_token token, size_t length)
{
  memcpy(text_room(l, length), l->at, length);
  l->text[length] = 0;
  l->at += length;
  l->token = token;
}

static int hex_digit(char c)
{
  return c >= '0' && c <= '9' ? c - '0' :
         c >= 'a' && c <= 'f' ? c - 'a' + 10 :
         c >= 'A' && c <= 'F' ? c - 'A' + 10 :
                                -1;
}

/* The number of `count` hexadecimal digits behind p, 0 if they are not there. */
static uint32_t hex_behind(const char *p, const char *end, size_t count)
{
  uint32_t value = 0;
  for (size_t i = 1; i <= count; i++) {
    int digit = p + i < end ? hex_digit(p[i]) : -1;
    if (digit < 0)
      return 0;
    value = 16 * value + (uint32_t)digit;
  }
  return value;
}

/* The character that an escape at p (behind the backslash) stands for, 0 if it is none. */
static uint32_t escaped(const char *p, const char *end, size_t *length)
{
  uint32_t c;
  *length = 1;
  switch (*p) {
  case '"':
  case '\\': return (unsigned char)*p;
  case 'n': return '\n';
  case 't': return '\t';
  case 'x':
    *length = 3;
    c = hex_behind(p, end, 2);
    return c < 0x80 ? c : 0;
  case 'u':
    *length = 5;
    c = hex_behind(p, end, 4);
    return c >= 0xd800 && c < 0xe000 ? 0 : c; /* halves of characters are none */
  default: return 0;
  }
}

static void take_quoted(ts_ir_lexer *l)
{
  const char *p = l->at + 1, *close = p;
  while (close < l->end && *close != '"' && *close != '\n')
    close += *close == '\\' && close + 1 < l->end && close[1] != '\n' ? 2 : 1;
  if (close >= l->end || *close != '"') {
    ts_ir_syntax(l, "a string does not end on its line");
    return;
  }
  size_t valid = ts_utf8_valid(p, (size_t)(close - p));
  if (p + valid < close) {
    ts_ir_syntax(l, "a string holds a byte (0x%02x) that is no UTF-8", (unsigned char)p[valid]);
    return;
  }
  char *out = text_room(l, (size_t)(close - p));
  while (p < close) {
    size_t length = 1;
    bool escape = *p == '\\';
    uint32_t c = escape ? escaped(++p, close, &length) : (unsigned char)*p;
    if (!c) {
      ts_ir_syntax(l, "a string holds an escape other than \\\" \\\\ \\n \\t, \\x01 to \\x7f and "
                      "\\u0001 to \\uffff, or a zero byte");
      return;
    }
    if (escape)
      out += ts_utf8_encode(c, out);
    else
      *out++ = *p; /* one byte of its own UTF-8 */
    p += length;
  }
  *out = 0;
  l->at = close + 1;
  l->token = TS_IR_QUOTED;
}

static size_t digits(const char *p, const char *end)
{
  size_t n = 0;
  while (p + n < end && p[n] >= '0' && p[n] <= '9')
    n++;
  return n;
}

static size_t number_length(const char *p, const char *end)
{
  const char *q = p + digits(p, end);
  if (q == p)
    return 0;
  if (end - q > 1 && *q == '.' && digits(q + 1, end))
    q += 1 + digits(q + 1, end);
  if (end - q > 1 && (*q == 'e' || *q == 'E')) {
    const char *exponent = q + 1 + (q[1] == '-' || q[1] == '+');
    if (digits(exponent, end))
      q = exponent + digits(exponent, end);
  }
  return (size_t)(q - p);
}

void ts_ir_next(ts_ir_lexer *l)
{
  if (l->failed)
    return;
  if (l->token == TS_IR_END_OF_LINE && l->at[-1] == '\n')
    l->line++;
  while (l->at < l->end && (*l->at == ' ' || *l->at == '\t' || *l->at == '\r'))
    l->at++;
  if (l->at < l->end && *l->at == '#')
    while (l->at < l->end && *l->at != '\n')
      l->at++;
  if (l->at == l->end) {
    l->token = TS_IR_END_OF_FILE;
    return;
  }
  size_t left = (size_t)(l->end - l->at), length;
  if (*l->at == '\n' || *l->at == ';')
    take_text(l, TS_IR_END_OF_LINE, 1);
  else if (*l->at == '"')
    take_quoted(l);
  else if ((length = ts_ir_word_length(l->at, left)))
    take_text(l, TS_IR_WORD, length);
  else if ((length = number_length(l->at, l->end)))
    take_text(l, TS_IR_NUMBER, length);
  else if (left > 1 && !memcmp(l->at, "->", 2))
    take_text(l, TS_IR_ARROW, 2);
  else if (left > 1 && !memcmp(l->at, "--", 2))
    take_text(l, TS_IR_DUPLEX, 2);
  else if (left > 1 && !memcmp(l->at, "..", 2))
    take_text(l, TS_IR_RANGE, 2);
  else if (*l->at > ' ' && *l->at < 127)
    take_text(l, TS_IR_MARK, 1);
  else
    ts_ir_syntax(l, "a byte (0x%02x) that stands only in strings and comments",
                 (unsigned char)*l->at);
}

bool ts_ir_is(const ts_ir_lexer *l, const char *word)
{
  return (l->token == TS_IR_WORD || l->token == TS_IR_MARK) && !strcmp(l->text, word);
}

bool ts_ir_take(ts_ir_lexer *l, const char *word)
{
  bool is = ts_ir_is(l, word);
  if (is)
    ts_ir_next(l);
  return is;
}

void ts_ir_need(ts_ir_lexer *l, const char *word)
{
  char quoted[32];
  if (ts_ir_take(l, word))
    return;
  snprintf(quoted, sizeof quoted, "`%s`", word);
  ts_ir_expected(l, quoted);
}

bool ts_ir_at_line_end(const ts_ir_lexer *l)
{
  return l->token == TS_IR_END_OF_LINE || l->token == TS_IR_END_OF_FILE || ts_ir_is(l, "}");
}

bool ts_ir_at_name(const ts_ir_lexer *l)
{
  return l->token == TS_IR_WORD || l->token == TS_IR_QUOTED;
}

char *ts_ir_take_name(ts_ir_lexer *l, const char *what)
{
  if (!ts_ir_at_name(l)) {
    ts_ir_expected(l, what);
    return ts_arena_string(l->arena, "", 0);
  }
  char *name = ts_arena_string(l->arena, l->text, strlen(l->text));
  ts_ir_next(l);
  return name;
}

uint32_t ts_ir_take_choice(ts_ir_lexer *l, const char *what, const char *const *words)
{
  size_t count = 0;
  for (; words[count]; count++)
    if (ts_ir_take(l, words[count]))
      return (uint32_t)count;
  const char *best[3];
  if (l->token == TS_IR_WORD && ts_suggest(l->text, words, count, best))
    ts_ir_syntax(l, "expected %s, found `%.60s`; did you mean `%s`?", what, l->text, best[0]);
  else
    ts_ir_expected(l, what);
  return 0;
}

/* ---- numbers ---- */

/* A decimal number as mantissa * 10^exponent; false if its digits do not fit. */
static bool decimal(const char *p, uint64_t *mantissa, long *exponent)
{
  bool point = false;
  *mantissa = 0;
  *exponent = 0;
  long zeros = 0; /* pending: trailing zeros change nothing but the exponent */
  for (; *p && *p != 'e' && *p != 'E'; p++) {
    if (*p == '.') {
      point = true;
      continue;
    }
    *exponent -= point;
    if (*p == '0') {
      zeros += *mantissa != 0;
      continue;
    }
    for (; zeros >= 0; zeros--) {
      uint64_t digit = zeros ? 0 : (uint64_t)(*p - '0');
      if (*mantissa > (UINT64_MAX - digit) / 10)
        return false;
      *mantissa = *mantissa * 10 + digit;
    }
    zeros = 0;
  }
  *exponent += zeros;
  if (*p) {
    char *end;
    long power = strtol(p + 1, &end, 10);
    if (power > 1000 || power < -1000)
      return !*mantissa;
    *exponent += power;
  }
  if (!*mantissa)
    *exponent = 0;
  return true;
}

static bool times(uint64_t *value, uint64_t factor)
{
  if (factor && *value > UINT64_MAX / factor)
    return false;
  *value *= factor;
  return true;
}

/* mantissa * 10^exponent * scale: 1, 0 when it is too large, -1 when it is not whole. */
static int lex_whole(uint64_t mantissa, long exponent, uint64_t scale, uint64_t *value)
{
  static const uint64_t primes[] = {2, 5};
  for (; exponent < 0 && mantissa; exponent++)
    for (int i = 0; i < 2; i++) {
      if (mantissa % primes[i] == 0)
        mantissa /= primes[i];
      else if (scale % primes[i] == 0)
        scale /= primes[i];
      else
        return -1;
    }
  for (; exponent > 0 && mantissa; exponent--)
    if (!times(&mantissa, 10))
      return 0;
  *value = mantissa;
  return times(value, scale);
}

uint64_t ts_ir_take_count(ts_ir_lexer *l, const char *what, uint64_t most)
{
  uint64_t mantissa, value;
  long exponent;
  if (l->token != TS_IR_NUMBER) {
    ts_ir_expected(l, what);
    return 0;
  }
  if (!decimal(l->text, &mantissa, &exponent) || lex_whole(mantissa, exponent, 1, &value) != 1 ||
      value > most) {
    ts_ir_syntax(l, "expected %s, a whole number up to %llu, found `%.60s`", what,
                 (unsigned long long)most, l->text);
    return 0;
  }
  ts_ir_next(l);
  return value;
}

/* The unit behind a number; 0 needs none. */
static const ts_ir_unit *take_unit(ts_ir_lexer *l, ts_ir_dimension dimension, bool zero)
{
  const char *names[32], *best[3];
  size_t count = 0;
  const ts_ir_unit *base = NULL;
  for (const ts_ir_unit *u = ts_ir_units; u->name; u++) {
    if (u->dimension != dimension)
      continue;
    if (ts_ir_take(l, u->name))
      return u;
    names[count++] = u->name;
    base = u;
  }
  if (zero)
    return base;
  if (l->token == TS_IR_WORD && ts_suggest(l->text, names, count, best))
    ts_ir_syntax(l, "`%.60s` is not a unit here; did you mean `%s`?", l->text, best[0]);
  else if (l->token == TS_IR_WORD)
    ts_ir_syntax(l, "`%.60s` is not a unit here: expected %s", l->text,
                 ts_ir_dimension_names[dimension]);
  else
    ts_ir_syntax(l, "a number without its unit: expected %s", ts_ir_dimension_names[dimension]);
  return NULL;
}

uint64_t ts_ir_take_whole(ts_ir_lexer *l, ts_ir_dimension dimension)
{
  uint64_t mantissa, value = 0;
  long exponent;
  if (l->token != TS_IR_NUMBER) {
    ts_ir_expected(l, ts_ir_dimension_names[dimension]);
    return 0;
  }
  bool fits = decimal(l->text, &mantissa, &exponent);
  char *number = ts_arena_string(l->arena, l->text, strlen(l->text));
  ts_ir_next(l);
  const ts_ir_unit *unit = take_unit(l, dimension, fits && !mantissa);
  if (!unit)
    return 0;
  int outcome = fits ? lex_whole(mantissa, exponent, unit->scale, &value) : 0;
  if (outcome < 1)
    ts_ir_syntax(l,
                 outcome ? "%.60s %s is not a whole number of %s" :
                           "%.60s %s is more than 64 bits of %s hold",
                 number, unit->name, dimension == TS_IR_TIME ? "picoseconds" : "bytes");
  return outcome < 1 ? 0 : value;
}

double ts_ir_take_real(ts_ir_lexer *l, ts_ir_dimension dimension)
{
  if (l->token != TS_IR_NUMBER) {
    ts_ir_expected(l, ts_ir_dimension_names[dimension]);
    return 0;
  }
  double value = strtod(l->text, NULL);
  ts_ir_next(l);
  if (dimension == TS_IR_DIMENSIONS)
    return value;
  const ts_ir_unit *unit = take_unit(l, dimension, value == 0);
  return unit ? value * (double)unit->scale : 0;
}
