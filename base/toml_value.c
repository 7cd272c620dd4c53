/* Values of TOML: numbers, times, texts. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/toml.h"

ts_setting *ts_toml_number(ts_toml_reader *t, const char *text, bool real)
{
  ts_setting *s = ts_setting_new(t->r, real ? TS_SETTING_REAL : TS_SETTING_WHOLE, t->line);
  char *plain = ts_arena_string(t->r->arena, text, strlen(text)), *to = plain;
  for (const char *c = text; *c; c++)
    if (*c != '_')
      *to++ = *c;
  *to = 0;
  const char *digits = plain + strspn(plain, "+-");
  if (real) {
    s->u.real = !strcmp(digits, "nan") ? NAN :
                !strcmp(digits, "inf") ? INFINITY :
                                         strtod(digits, NULL);
    s->u.real = *plain == '-' ? -s->u.real : s->u.real;
    return s;
  }
  bool marked = digits[0] == '0' && digits[1];
  int base = !marked ? 10 : digits[1] == 'x' ? 16 : digits[1] == 'o' ? 8 : 2;
  errno = 0;
  unsigned long long value = strtoull(digits + (marked ? 2 : 0), NULL, base);
  if (errno || value > (unsigned long long)INT64_MAX + (*plain == '-'))
    ts_settings_refuse(t->r, t->line, "`%.40s` is no number of 64 bits", text);
  s->u.whole = *plain == '-' ? (int64_t)(0 - value) : (int64_t)value;
  return s;
}

static int two(const char *at) { return 10 * (at[0] - '0') + at[1] - '0'; }

static bool is_date(const char *at)
{
  int year = 100 * two(at) + two(at + 2), month = two(at + 5), day = two(at + 8);
  bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  int last = month == 2                                            ? 28 + leap :
             month == 4 || month == 6 || month == 9 || month == 11 ? 30 :
                                                                     31;
  return month >= 1 && month <= 12 && day >= 1 && day <= last;
}

/* A time may end in Z, in an offset or in neither; the scanner has seen to its form. */
static bool is_clock(const char *at)
{
  const char *offset = strpbrk(at, "+-");
  return two(at) <= 23 && two(at + 3) <= 59 && two(at + 6) <= 60 &&
         (!offset || (two(offset + 1) <= 23 && two(offset + 4) <= 59));
}

ts_setting *ts_toml_time(ts_toml_reader *t, const char *text, size_t length)
{
  ts_setting *s = ts_setting_new(t->r, TS_SETTING_TIME, t->line);
  bool dated = text[4] == '-';
  s->u.text = ts_arena_string(t->r->arena, text, length);
  if ((dated && !is_date(text)) || ((!dated || length > 10) && !is_clock(text + (dated ? 11 : 0))))
    ts_settings_refuse(t->r, t->line, "there is no time `%.40s`", s->u.text);
  return s;
}

/* -- texts -- */

static bool hexadecimal(const char *at, const char *end, size_t digits, uint32_t *value)
{
  *value = 0;
  for (size_t i = 0; i < digits; i++) {
    static const char all[] = "0123456789abcdefABCDEF";
    const char *digit = at + i < end && at[i] ? strchr(all, at[i]) : NULL;
    if (!digit)
      return false;
    *value = 16 * *value + (uint32_t)(digit - all < 16 ? digit - all : digit - all - 6);
  }
  return true;
}

/* What stands behind a backslash, onto *to. Returns how many bytes it is; 0: nothing known. */
static size_t escape(const char *at, const char *end, char **to)
{
  static const char letters[] = "btnfr\"\\", bytes[] = "\b\t\n\f\r\"\\";
  const char *letter = at < end && *at ? strchr(letters, *at) : NULL;
  uint32_t character;
  if (letter) {
    *(*to)++ = bytes[letter - letters];
    return 1;
  }
  size_t digits = at < end && *at == 'u' ? 4 : at < end && *at == 'U' ? 8 : 0;
  if (!digits || !hexadecimal(at + 1, end, digits, &character) || !character ||
      character > 0x10FFFF || (character >= 0xD800 && character < 0xE000))
    return 0;
  *to += ts_utf8_encode(character, *to);
  return digits + 1;
}

/* A backslash at the end of a line takes the line break and all blanks behind it. */
static size_t joined(const char *at, const char *end)
{
  const char *c = at;
  while (c < end && (*c == ' ' || *c == '\t' || *c == '\r'))
    c++;
  if (c >= end || *c != '\n')
    return 0;
  while (c < end && strchr(" \t\r\n", *c))
    c++;
  return (size_t)(c - at);
}

static bool is_control(char c, char behind, bool lines)
{
  if (lines && (c == '\n' || (c == '\r' && behind == '\n')))
    return false;
  return ((unsigned char)c < ' ' && c != '\t') || c == 0x7F;
}

const char *ts_toml_text(ts_toml_reader *t, const char *text, size_t length, bool escapes,
                         bool lines)
{
  const char *end = text + length;
  char *read = ts_arena_string(t->r->arena, text, length), *to = read;
  if (lines) /* the line break behind the first quotes is none of the text's */
    text += length > 1 && text[0] == '\r' && text[1] == '\n' ? 2 :
            length && text[0] == '\n'                        ? 1 :
                                                               0;
  while (text < end) {
    if (*text == '\\' && escapes) {
      size_t used = lines ? joined(text + 1, end) : 0;
      used = used ? used : escape(text + 1, end, &to);
      if (!used)
        ts_settings_refuse(t->r, t->line,
                           "an escape is none of TOML's, or no character (0 is none here)");
      text += 1 + used;
      continue;
    }
    if (is_control(*text, text + 1 < end ? text[1] : 0, lines))
      ts_settings_refuse(t->r, t->line, "a text has a control character");
    *to++ = *text++;
  }
  *to = 0;
  return read;
}
