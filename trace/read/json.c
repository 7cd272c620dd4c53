/* JSON as a stream of values. Hot: a trace is a gigabyte of it. */
#include "trace/read/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

static const char truncated_help[] = "the file is not the JSON text of a trace, or is damaged";

/* The next character that is no blank, left in place; 0 at the end. */
static int peek(ts_json *j)
{
  ts_feed *f = j->feed;
  for (;;) {
    while (f->at < f->end) {
      char c = f->buffer[f->at];
      if (c != ' ' && c != '\n' && c != '\r' && c != '\t')
        return (unsigned char)c ? (unsigned char)c : -1;
      f->at++;
    }
    if (!ts_feed_more(f)) {
      j->cut = !f->error->message[0];
      return 0;
    }
  }
}

static ts_json_kind unexpected(ts_json *j, const char *wanted)
{
  if (ts_json_ok(j)) {
    unsigned char c = (unsigned char)j->feed->buffer[j->feed->at];
    if (c > ' ' && c < 127)
      ts_feed_fail(j->feed, truncated_help, "found `%c`, expected %s", c, wanted);
    else
      ts_feed_fail(j->feed, truncated_help, "found the byte 0x%02x, expected %s", c, wanted);
  }
  return TS_JSON_NONE;
}

/* Length of the string behind the quote at `at + begin`, without its closing quote. */
static bool string_end(ts_json *j, size_t begin, size_t *end)
{
  ts_feed *f = j->feed;
  size_t scan = begin;
  for (;;) {
    const char *base = f->buffer + f->at;
    size_t have = f->end - f->at;
    const char *quote = scan < have ? memchr(base + scan, '"', have - scan) : NULL;
    if (!quote) {
      scan = have > begin ? have : begin;
      if (!ts_feed_more(f)) {
        j->cut = !f->error->message[0];
        return false;
      }
      continue;
    }
    size_t slashes = 0;
    while (quote - slashes > base + begin && quote[-1 - (ptrdiff_t)slashes] == '\\')
      slashes++;
    scan = (size_t)(quote - base) + 1;
    if (slashes % 2 == 0) {
      *end = scan - 1;
      return true;
    }
  }
}

static bool take_string(ts_json *j)
{
  size_t end;
  if (!string_end(j, 1, &end))
    return false;
  j->text = j->feed->buffer + j->feed->at + 1;
  j->length = end - 1;
  j->feed->at += end + 1;
  return true;
}

/* Passes a comma. Is what comes then the end of the object or list? It is passed, too. */
static bool passes_end(ts_json *j, char close, int *next)
{
  *next = peek(j);
  if (*next == ',') {
    j->feed->at++;
    *next = peek(j);
  }
  if (*next != close)
    return false;
  j->feed->at++;
  return true;
}

bool ts_json_member(ts_json *j)
{
  int c;
  if (!ts_json_ok(j) || passes_end(j, '}', &c))
    return false;
  if (c != '"')
    return unexpected(j, "a key or `}`"), false;
  if (!take_string(j))
    return false;
  /* The key must survive the search for the colon: usually it follows at once. */
  ts_feed *f = j->feed;
  if (f->at < f->end && f->buffer[f->at] == ':') {
    f->at++;
    return true;
  }
  size_t length = j->length, back = (size_t)(f->buffer + f->at - j->text);
  size_t ahead = 0;
  f->at -= back;
  for (ahead = back;; ahead++) {
    if (f->at + ahead >= f->end && !ts_feed_more(f)) {
      j->cut = !f->error->message[0];
      return false;
    }
    char ch = f->buffer[f->at + ahead];
    if (ch == ':')
      break;
    if (ch != ' ' && ch != '\n' && ch != '\r' && ch != '\t') {
      f->at += ahead;
      return unexpected(j, "`:`"), false;
    }
  }
  j->text = f->buffer + f->at;
  j->length = length;
  f->at += ahead + 1;
  return true;
}

bool ts_json_element(ts_json *j)
{
  int c;
  if (!ts_json_ok(j) || passes_end(j, ']', &c))
    return false;
  return c != 0 && ts_json_ok(j);
}

static bool ends_scalar(char c)
{
  return c == ',' || c == '}' || c == ']' || c == ' ' || c == '\n' || c == '\r' || c == '\t' ||
         c == ':';
}

/* Length of the number or word at `at`. */
static size_t scalar_length(ts_json *j)
{
  ts_feed *f = j->feed;
  for (size_t n = 0;; n++) {
    if (f->at + n >= f->end && !ts_feed_more(f))
      return n;
    if (ends_scalar(f->buffer[f->at + n]))
      return n;
    if (n == 4096)
      return 0;
  }
}

static ts_json_kind scalar(ts_json *j)
{
  static const struct { const char *word; ts_json_kind kind;
  } words[] = {
    {"true", TS_JSON_TRUE},      {"false", TS_JSON_FALSE}, {"null", TS_JSON_NULL},
    {"NaN", TS_JSON_NULL},       {"nan", TS_JSON_NULL},    {"Infinity", TS_JSON_NULL},
    {"-Infinity", TS_JSON_NULL}, {"inf", TS_JSON_NULL},    {"-inf", TS_JSON_NULL},
    {"-nan", TS_JSON_NULL},
  };
  size_t length = scalar_length(j);
  const char *text = j->feed->buffer + j->feed->at;
  ts_json_kind kind = TS_JSON_NONE;
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (strlen(words[i].word) == length && memcmp(words[i].word, text, length) == 0)
      kind = words[i].kind;
  if (!kind && length && (*text == '-' || (*text >= '0' && *text <= '9')))
    kind = TS_JSON_NUMBER;
  if (j->feed->error->message[0])
    return TS_JSON_NONE;
  /* a number may go on behind the end */
  if (j->feed->done && j->feed->at + length == j->feed->end) {
    j->cut = true;
    return TS_JSON_NONE;
  }
  if (!kind)
    return unexpected(j, "a value");
  j->text = text;
  j->length = length;
  j->feed->at += length;
  return kind;
}

ts_json_kind ts_json_value(ts_json *j)
{
  j->kind = TS_JSON_NONE;
  if (!ts_json_ok(j))
    return TS_JSON_NONE;
  switch (peek(j)) {
  case 0: break;
  case '{': j->feed->at++; j->kind = TS_JSON_OBJECT; break;
  case '[': j->feed->at++; j->kind = TS_JSON_ARRAY; break;
  case '"':
    if (take_string(j))
      j->kind = TS_JSON_STRING;
    break;
  default: j->kind = scalar(j);
  }
  return j->kind;
}

/* Finds the end of the object or array at `at`; with `hold` the text stays in the buffer. Brackets
 * are counted, not matched. */
static bool pass_nested(ts_json *j, bool hold, size_t *length)
{
  ts_feed *f = j->feed;
  size_t n = 0, depth = 0, end;
  for (;;) {
    while (f->at + n < f->end) {
      switch (f->buffer[f->at + n++]) {
      case '{': case '[': depth++; break;
      case '}': case ']':
        if (!--depth) {
          *length = n;
          return true;
        }
        break;
      case '"':
        if (!string_end(j, n, &end))
          return false;
        n = end + 1;
        break;
      default: break;
      }
    }
    if (!hold) {
      f->at = f->at + n < f->end ? f->at + n : f->end;
      n = 0;
    }
    if (!ts_feed_more(f)) {
      j->cut = !f->error->message[0];
      return false;
    }
  }
}

static bool pass(ts_json *j, bool hold)
{
  if (!ts_json_ok(j))
    return false;
  int c = peek(j);
  if (c != '{' && c != '[')
    return ts_json_value(j) != TS_JSON_NONE;
  size_t length;
  if (!pass_nested(j, hold, &length))
    return false;
  j->text = j->feed->buffer + j->feed->at;
  j->length = length;
  j->feed->at += length;
  j->kind = c == '{' ? TS_JSON_OBJECT : TS_JSON_ARRAY;
  return true;
}

bool ts_json_skip(ts_json *j) { return pass(j, false); }
bool ts_json_raw(ts_json *j) { return pass(j, true); }

bool ts_json_integer(const char *text, size_t length, int64_t *value)
{
  int64_t thousandths;
  size_t i = 0;
  bool negative = length && text[0] == '-';
  uint64_t sum = 0;
  for (i = negative; i < length && text[i] >= '0' && text[i] <= '9'; i++) {
    if (sum > (UINT64_MAX - 9) / 10)
      return false;
    sum = sum * 10 + (uint64_t)(text[i] - '0');
  }
  if (i == (size_t)negative)
    return false;
  if (i < length) { /* 12.0, 1e6 */
    if (!ts_json_thousandths(text, length, &thousandths) || thousandths % 1000)
      return false;
    *value = thousandths / 1000;
    return true;
  }
  /* Addresses and hashes may use all 64 bits. */
  *value = negative ? (int64_t)(0 - sum) : (int64_t)sum;
  return true;
}

bool ts_json_thousandths(const char *text, size_t length, int64_t *value)
{
  bool negative = length && text[0] == '-';
  size_t i = negative, digits = 0;
  uint64_t sum = 0;
  const uint64_t most = INT64_MAX / 1000 - 1;
  for (; i < length && text[i] >= '0' && text[i] <= '9'; i++, digits++) {
    if (sum > most)
      return false;
    sum = sum * 10 + (uint64_t)(text[i] - '0');
  }
  uint64_t scaled = sum * 1000;
  if (sum > most)
    return false;
  if (i < length && text[i] == '.') {
    uint64_t place = 100;
    for (i++; i < length && text[i] >= '0' && text[i] <= '9'; i++, digits++) {
      if (place)
        scaled += place * (uint64_t)(text[i] - '0');
      else if (text[i - 4] == '.' && text[i] >= '5') /* the fourth digit rounds */
        scaled++;
      place /= 10;
    }
  }
  if (!digits)
    return false;
  if (i < length) { /* an exponent: rare, and only where exactness is lost already */
    char copy[64];
    if ((text[i] != 'e' && text[i] != 'E') || length >= sizeof copy)
      return false;
    memcpy(copy, text, length);
    copy[length] = 0;
    char *end;
    double number = strtod(copy, &end) * 1000;
    if (*end || !(fabs(number) < 9e18))
      return false;
    *value = llround(number);
    return true;
  }
  *value = negative ? -(int64_t)scaled : (int64_t)scaled;
  return true;
}

static int hex(char c)
{
  return c >= '0' && c <= '9' ? c - '0' :
         c >= 'a' && c <= 'f' ? c - 'a' + 10 :
         c >= 'A' && c <= 'F' ? c - 'A' + 10 :
                                -1;
}

/* \uXXXX as UTF-8; a half of a surrogate pair becomes "?", names are not worth more. */
static size_t unescape_unit(const char *text, char *into)
{
  int unit = 0;
  for (int i = 0; i < 4; i++) {
    int digit = hex(text[i]);
    if (digit < 0)
      return 0;
    unit = unit * 16 + digit;
  }
  if (unit >= 0xd800 && unit < 0xe000) {
    into[0] = '?';
    return 1;
  }
  return ts_utf8_encode((uint32_t)unit, into);
}

size_t ts_json_unescape(const char *text, size_t length, char *into)
{
  static const char from[] = "bfnrt", to[] = "\b\f\n\r\t";
  size_t n = 0;
  for (size_t i = 0; i < length; i++) {
    if (text[i] != '\\' || i + 1 >= length) {
      into[n++] = text[i];
      continue;
    }
    char c = text[++i];
    const char *found = memchr(from, c, sizeof from - 1);
    size_t unit = c == 'u' && i + 4 < length ? unescape_unit(text + i + 1, into + n) : 0;
    if (unit) {
      n += unit;
      i += 4;
    } else {
      into[n++] = found ? to[found - from] : c;
    }
  }
  return n;
}
