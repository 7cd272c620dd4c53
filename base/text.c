#include "base/text.h"

#include <stdio.h>
#include <string.h>

size_t ts_utf8_decode(const char *text, size_t size, uint32_t *character)
{
  /* shorter forms must be used where they do */
  static const uint32_t min[] = {0, 0, 0x80, 0x800, 0x10000};
  const unsigned char *bytes = (const unsigned char *)text;
  size_t length = bytes[0] < 0x80     ? 1 :
                  bytes[0] >> 5 == 6  ? 2 :
                  bytes[0] >> 4 == 14 ? 3 :
                  bytes[0] >> 3 == 30 ? 4 :
                                        0;
  if (length == 0 || length > size)
    return 0;
  uint32_t c = length == 1 ? bytes[0] : bytes[0] & (0x7fu >> length);
  for (size_t i = 1; i < length; i++) {
    if ((bytes[i] & 0xc0) != 0x80)
      return 0;
    c = c << 6 | (bytes[i] & 0x3f);
  }
  if (c < min[length] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
    return 0;
  *character = c;
  return length;
}

size_t ts_utf8_valid(const char *text, size_t size)
{
  uint32_t character;
  size_t at = 0;
  for (size_t length = 1; at < size && length; at += length)
    length = (unsigned char)text[at] < 0x80 ? 1 : ts_utf8_decode(text + at, size - at, &character);
  return at;
}

size_t ts_utf8_encode(uint32_t c, char out[4])
{
  static const unsigned char lead[] = {0, 0, 0xc0, 0xe0, 0xf0};
  size_t length = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
  for (size_t i = length; --i > 0; c >>= 6) out[i] = (char)(0x80 | (c & 0x3f));
  out[0] = (char)(lead[length] | c);
  return length;
}

/* The ranges that matter in practice, from Unicode's EastAsianWidth.txt (W, F) and the combining
 * marks. */
unsigned ts_char_columns(uint32_t c)
{
  static const struct { uint32_t first, last; unsigned columns;
  } ranges[] = {
    {0x300, 0x36f, 0},     {0x483, 0x489, 0},     {0x591, 0x5bd, 0},     {0x64b, 0x65f, 0},
    {0x1100, 0x115f, 2},   {0x1ab0, 0x1aff, 0},   {0x1dc0, 0x1dff, 0},   {0x200b, 0x200f, 0},
    {0x202a, 0x202e, 0},   {0x2060, 0x2064, 0},   {0x20d0, 0x20ff, 0},   {0x2e80, 0x303e, 2},
    {0x3041, 0xa4cf, 2},   {0xa960, 0xa97f, 2},   {0xac00, 0xd7a3, 2},   {0xf900, 0xfaff, 2},
    {0xfe00, 0xfe0f, 0},   {0xfe20, 0xfe2f, 0},   {0xfe30, 0xfe6f, 2},   {0xfeff, 0xfeff, 0},
    {0xff00, 0xff60, 2},   {0xffe0, 0xffe6, 2},   {0x1f300, 0x1f64f, 2}, {0x1f680, 0x1f6ff, 2},
    {0x1f900, 0x1f9ff, 2}, {0x20000, 0x3fffd, 2},
  };
  for (size_t i = 0; i < sizeof ranges / sizeof *ranges && c >= ranges[i].first; i++) {
    if (c <= ranges[i].last)
      return ranges[i].columns;
  }
  return 1;
}

/* C0 and C1; marks, embeddings, overrides and isolates of direction (Unicode's UAX #9), separators
 * of lines; what is no character, which XML forbids. */
bool ts_char_steers(uint32_t c)
{
  return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x61c || c == 0x200e || c == 0x200f ||
         (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069) || c == 0xfffe || c == 0xffff;
}

size_t ts_text_show(const char *text, size_t size, char shown[9], unsigned *columns)
{
  uint32_t c = 0;
  size_t length = ts_utf8_decode(text, size, &c);
  if (length == 1 && c == '\t') {
    strcpy(shown, "    ");
  } else if (length == 0 || (length == 1 && ts_char_steers(c))) {
    snprintf(shown, 9, "\\x%02x", (unsigned char)text[0]);
    length = 1;
  } else if (ts_char_steers(c)) {
    snprintf(shown, 9, "\\u%04x", (unsigned)(c & 0xffff));
  } else {
    memcpy(shown, text, length);
    shown[length] = '\0';
    *columns = ts_char_columns(c);
    return length;
  }
  *columns = (unsigned)strlen(shown);
  return length;
}

/* `*` stands for any text. */
static bool fits(const char *pattern, size_t length, const char *name)
{
  size_t i = 0, star = length, resume = 0, k = 0;
  while (name[k]) {
    if (i < length && pattern[i] == '*') {
      star = i++;
      resume = k;
    } else if (i < length && pattern[i] == name[k]) {
      i++;
      k++;
    } else if (star < length) {
      i = star + 1;
      k = ++resume;
    } else {
      return false;
    }
  }
  while (i < length && pattern[i] == '*')
    i++;
  return i == length;
}

bool ts_text_among(const char *list, const char *name)
{
  for (const char *at = list; *at;) {
    size_t length = strcspn(at, " ");
    if (length && fits(at, length, name))
      return true;
    at += length + (at[length] != 0);
  }
  return false;
}
