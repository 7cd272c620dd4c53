#include "base/escape.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "base/text.h"

enum { MOST_SHOWN = 24 }; /* bytes that one character becomes at most, with its NUL */

/* The next character of `text` for a place: writes it and its columns, returns how many bytes it
 * was. */
typedef size_t escape(const char *text, size_t size, char shown[MOST_SHOWN], unsigned *columns);

/* ---- Characters ---- */

static size_t for_terminal(const char *text, size_t size, char shown[MOST_SHOWN], unsigned *columns)
{
  return ts_text_show(text, size, shown, columns);
}

static size_t for_lines(const char *text, size_t size, char shown[MOST_SHOWN], unsigned *columns)
{
  if (*text != '\n')
    return ts_text_show(text, size, shown, columns);
  strcpy(shown, "\n");
  *columns = 0;
  return 1;
}

static size_t for_xml(const char *text, size_t size, char shown[MOST_SHOWN], unsigned *columns)
{
  static const struct {
    char character, entity[7];
  } entities[] = {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}};
  size_t used = ts_text_show(text, size, shown, columns);
  for (size_t i = 0; i < sizeof entities / sizeof *entities; i++)
    if (shown[0] == entities[i].character)
      strcpy(shown, entities[i].entity);
  return used;
}

static size_t for_xml_lines(const char *text, size_t size, char shown[MOST_SHOWN],
                            unsigned *columns)
{
  return *text == '\n' ? for_lines(text, size, shown, columns) :
                         for_xml(text, size, shown, columns);
}

static size_t for_dot(const char *text, size_t size, char shown[MOST_SHOWN], unsigned *columns)
{
  size_t used = ts_text_show(text, size, shown, columns);
  if (shown[0] == '"' || shown[0] == '\\') { /* also that of \x1b */
    memmove(shown + 1, shown, strlen(shown) + 1);
    shown[0] = '\\';
  }
  return used;
}

static size_t for_quoted_field(const char *text, size_t size, char shown[MOST_SHOWN],
                               unsigned *columns)
{
  size_t used = ts_text_show(text, size, shown, columns);
  if (shown[0] == '"')
    strcpy(shown, "\"\"");
  return used;
}

/* A cell ends at a bar, unless a backslash is before it; one that the text has there would itself
 * be what is escaped. A code span ends at a backtick. */
static size_t for_code(const char *text, size_t size, char shown[MOST_SHOWN], unsigned *columns)
{
  size_t used = ts_text_show(text, size, shown, columns);
  if (*text == '\\' && size > 1 && text[1] == '|') {
    strcpy(shown, "\\\\x7c");
    *columns = 5;
    return 2;
  }
  if (shown[0] == '|')
    strcpy(shown, "\\|");
  else if (shown[0] == '`')
    strcpy(shown, "'");
  return used;
}

static size_t for_json(const char *text, size_t size, char shown[MOST_SHOWN], unsigned *columns)
{
  uint32_t c = 0xfffd;
  size_t used = ts_utf8_decode(text, size, &c);
  *columns = 1;
  if (c == '"' || c == '\\')
    sprintf(shown, "\\%c", (int)c);
  else if (c == '\n')
    strcpy(shown, "\\n");
  else if (!used || ts_char_steers(c))
    sprintf(shown, "\\u%04x", (unsigned)(c & 0xffff));
  else {
    memcpy(shown, text, used);
    shown[used] = '\0';
  }
  return used ? used : 1;
}

/* A string of JSON in a page's <script>: nothing ends it, and what is shown is as elsewhere. */
static size_t for_script(const char *text, size_t size, char shown[MOST_SHOWN], unsigned *columns)
{
  size_t used = ts_text_show(text, size, shown, columns);
  if (shown[0] == '"' || shown[0] == '\\') { /* also that of \x1b */
    memmove(shown + 1, shown, strlen(shown) + 1);
    shown[0] = '\\';
  } else if (shown[0] == '<' || shown[0] == '>' || shown[0] == '&') {
    sprintf(shown, "\\u%04x", (unsigned)shown[0]);
  }
  return used;
}

/* Of JSON that is there already: its quotes and line breaks stay. */
static size_t for_made_json(const char *text, size_t size, char shown[MOST_SHOWN],
                            unsigned *columns)
{
  if ((unsigned char)*text >= 0x7f)
    return for_json(text, size, shown, columns);
  *columns = 1;
  shown[0] = *text;
  shown[1] = '\0';
  return 1;
}

/* ---- Strings ---- */

/* Most of a text is letters, which are what they are everywhere. */
static bool is_plain(unsigned char c)
{
  return c >= ' ' && c < 0x7f && c != '&' && c != '<' && c != '>' && c != '"' && c != '\\' &&
         c != '`' && c != '|';
}

static size_t plain(const char *text, size_t size)
{
  size_t n = 0;
  while (n < size && is_plain((unsigned char)text[n])) n++;
  return n;
}

static unsigned escape_put(FILE *out, escape *next, const char *text, size_t size)
{
  char shown[MOST_SHOWN];
  unsigned total = 0, columns;
  for (size_t used; size; text += used, size -= used) {
    if ((used = plain(text, size))) {
      fwrite(text, 1, used, out);
      total += (unsigned)used;
      continue;
    }
    used = next(text, size, shown, &columns);
    fputs(shown, out);
    total += columns;
  }
  return total;
}

static unsigned columns_of(escape *next, const char *text, size_t size)
{
  char shown[MOST_SHOWN];
  unsigned total = 0, columns;
  for (size_t used; size; text += used, size -= used, total += columns)
    used = next(text, size, shown, &columns);
  return total;
}

/* Spreadsheets compute what begins with one of these, also behind blanks (OWASP, CSV injection). */
static bool is_formula(const char *text, size_t size)
{
  enum { LONGEST = 64 }; /* of numbers */
  char number[LONGEST] = {0}, *end;
  while (size && strchr(" \t\r\n", *text)) text++, size--;
  if (!size || !strchr("=+-@", *text))
    return false;
  memcpy(number, text, size < LONGEST ? size : LONGEST - 1);
  strtod(number, &end);
  return size >= LONGEST || end == number || *end;
}

static unsigned put_field(FILE *out, const char *text, size_t size)
{
  bool formula = is_formula(text, size),
       quoted = formula || memchr(text, ',', size) || memchr(text, '"', size);
  if (!quoted)
    return escape_put(out, for_terminal, text, size);
  fputs(formula ? "\"'" : "\"", out);
  unsigned columns = escape_put(out, for_quoted_field, text, size);
  fputc('"', out);
  return columns + 2 + formula;
}

static unsigned put_code_span(FILE *out, const char *text, size_t size)
{
  fputc('`', out);
  unsigned columns = size ? escape_put(out, for_code, text, size) : (unsigned)fprintf(out, " ");
  fputc('`', out);
  return columns + 2;
}

static unsigned pad(FILE *out, int width, unsigned columns)
{
  unsigned blanks = width > 0 && (unsigned)width > columns ? (unsigned)width - columns : 0;
  fprintf(out, "%*s", (int)blanks, "");
  return blanks;
}

/* ---- Formats ---- */

/* size: of integers, L for ll */
typedef struct conversion { char flags[8]; int width, precision; char size, kind; } conversion;

static int number_at(const char **at, va_list *args)
{
  int number = 0;
  for (; **at >= '0' && **at <= '9'; ++*at) number = 10 * number + (**at - '0');
  if (**at != '*')
    return number;
  ++*at;
  return va_arg(*args, int);
}

/* What stands behind a `%`. */
static const char *read_conversion(const char *at, conversion *c, va_list *args)
{
  *c = (conversion){.precision = -1};
  if (*at == 's' || *at == 'u') /* mostly */
    return c->kind = *at, at + 1;
  for (size_t n = 0; *at && strchr("-+ #0", *at) && n + 1 < sizeof c->flags; at++)
    c->flags[n++] = *at;
  c->width = number_at(&at, args);
  if (*at == '.') {
    at++;
    c->precision = number_at(&at, args);
  }
  for (; *at && strchr("lhz", *at); at++) c->size = c->size == 'l' ? 'L' : *at;
  c->kind = *at ? *at++ : '%';
  return at;
}

static unsigned put_string(FILE *out, escape *next, const conversion *c, const char *text)
{
  size_t size = c->precision < 0 ? strlen(text) : strnlen(text, (size_t)c->precision);
  bool left = strchr(c->flags, '-') || c->width < 0;
  unsigned width = (unsigned)abs(c->width), wide;
  if (!next)
    return put_field(out, text, size);
  if (next == for_code)
    return put_code_span(out, text, size);
  unsigned before = left || !width ? 0 : pad(out, (int)width, columns_of(next, text, size));
  wide = escape_put(out, next, text, size);
  return before + wide + (left ? pad(out, (int)width, wide) : 0);
}

static unsigned long long unsigned_at(const conversion *c, va_list *args)
{
  return c->size == 'L' ? va_arg(*args, unsigned long long) :
         c->size == 'l' ? va_arg(*args, unsigned long) :
         c->size == 'z' ? va_arg(*args, size_t) :
                          va_arg(*args, unsigned);
}

static long long signed_at(const conversion *c, va_list *args)
{
  return c->size == 'L' ? va_arg(*args, long long) :
         c->size == 'l' ? va_arg(*args, long) :
         c->size == 'z' ? va_arg(*args, ssize_t) :
                          va_arg(*args, int);
}

/* Timelines are mostly these. */
static int put_digits(FILE *out, unsigned long long value)
{
  char digits[24], *at = digits + sizeof digits;
  do
    *--at = (char)('0' + value % 10);
  while (value /= 10);
  return (int)fwrite(at, 1, (size_t)(digits + sizeof digits - at), out);
}

/* JSON has no number that is infinite or none. */
static int put_real(FILE *out, escape *next, const conversion *c, const char *format, double value)
{
  return next == for_json && !isfinite(value) ? fprintf(out, "null") :
                                                fprintf(out, format, c->width, c->precision, value);
}

static int escape_put_number(FILE *out, escape *next, const conversion *c, va_list *args)
{
  if (c->kind == 'u' && !c->width && c->precision < 0)
    return put_digits(out, unsigned_at(c, args));
  char format[sizeof c->flags + 12];
  bool whole = strchr("dioxXu", c->kind);
  snprintf(format, sizeof format, "%%%s*.*%s%c", c->flags, whole ? "ll" : "", c->kind);
  if (!whole)
    return put_real(out, next, c, format, va_arg(*args, double));
  if (c->kind == 'd' || c->kind == 'i')
    return fprintf(out, format, c->width, c->precision, signed_at(c, args));
  return fprintf(out, format, c->width, c->precision, unsigned_at(c, args));
}

static unsigned put_conversion(FILE *out, escape *next, const conversion *c, va_list *args)
{
  if (c->kind == 's')
    return put_string(out, next, c, va_arg(*args, const char *));
  if (c->kind == 'c') {
    char text[] = {(char)va_arg(*args, int), '\0'};
    return put_string(out, next, c, text);
  }
  if (c->kind == '%')
    return fputc('%', out), 1;
  return (unsigned)escape_put_number(out, next, c, args);
}

/* next: NULL for fields of CSV. */
static int print(FILE *out, escape *next, const char *format, va_list list)
{
  unsigned columns = 0;
  va_list args;
  va_copy(args, list);
  for (size_t literal; *format;) {
    conversion c;
    literal = strcspn(format, "%");
    fwrite(format, 1, literal, out);
    columns += (unsigned)literal;
    format += literal;
    if (*format) {
      format = read_conversion(format + 1, &c, &args);
      columns += put_conversion(out, next, &c, &args);
    }
  }
  va_end(args);
  return (int)columns;
}

#define PRINTER(name, next) \
  int name(FILE *out, const char *format, ...) \
  { \
    va_list args; \
    va_start(args, format); \
    int columns = print(out, next, format, args); \
    va_end(args); \
    return columns; \
  }
PRINTER(ts_put_text, for_terminal)
PRINTER(ts_put_xml, for_xml)
PRINTER(ts_put_code, for_code)
PRINTER(ts_put_dot, for_dot)
PRINTER(ts_put_script, for_script)
PRINTER(ts_put_csv, NULL)
PRINTER(ts_put_json, for_json)

int ts_vput_text(FILE *out, const char *format, va_list args)
{
  return print(out, for_terminal, format, args);
}
int ts_vput_json(FILE *out, const char *format, va_list args)
{
  return print(out, for_json, format, args);
}

/* Most texts need no escapes. */
void ts_put_json_string(FILE *out, const char *text)
{
  const char *end = text;
  while (*end >= ' ' && *end < 0x7f && *end != '"' && *end != '\\')
    end++;
  putc('"', out);
  fwrite(text, 1, (size_t)(end - text), out);
  if (*end)
    escape_put(out, for_json, end, strlen(end));
  putc('"', out);
}

enum { SHORT_KEY = 40, MOST_DIGITS = 20 };

/* Of a short key without escapes, as most are; else 0. */
static size_t plain_length(const char *key)
{
  size_t n = 0;
  while (n < SHORT_KEY && key[n] > '"' && key[n] != '\\' && key[n] < 0x7f)
    n++;
  return key[n] ? 0 : n;
}

void ts_put_json_key(FILE *out, bool comma, const char *key, bool spaced)
{
  char text[SHORT_KEY + 8] = "";
  size_t n = 0, length = key ? plain_length(key) : 0;
  if (comma)
    text[n++] = ',';
  if (comma && spaced)
    text[n++] = ' ';
  if (length) {
    text[n++] = '"';
    memcpy(text + n, key, length);
    n += length;
    text[n++] = '"';
    text[n++] = ':';
    text[n] = ' ';
    n += spaced;
  }
  fwrite(text, 1, n, out);
  if (!key || length)
    return;
  ts_put_json_string(out, key);
  fputs(spaced ? ": " : ":", out);
}

void ts_put_digits(FILE *out, uint64_t value, unsigned min)
{
  char digits[MOST_DIGITS], *end = digits + MOST_DIGITS, *at = end;
  for (; value || min; value /= 10, min -= min > 0)
    *--at = (char)('0' + value % 10);
  fwrite(at, 1, (size_t)(end - at), out);
}

void ts_put_json_made(FILE *out, const char *text)
{
  escape_put(out, for_made_json, text, strlen(text));
}
void ts_put_lines(FILE *out, const char *text) { escape_put(out, for_lines, text, strlen(text)); }
void ts_put_xml_lines(FILE *out, const char *text)
{
  escape_put(out, for_xml_lines, text, strlen(text));
}
void ts_put_raw(FILE *out, const char *text) { fputs(text, out); }
