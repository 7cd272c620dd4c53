/* Text: UTF-8, the columns it takes on a terminal, lists of names. Independent of the locale. */
#ifndef TS_BASE_TEXT_H
#define TS_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Decodes the character at `text`, of at most `size` > 0 bytes. Returns its length, or 0 if the
 * bytes there are not UTF-8 (RFC 3629: the shortest form, no surrogates, up to U+10FFFF). */
size_t ts_utf8_decode(const char *text, size_t size, uint32_t *character);
/* how many bytes from the first on are UTF-8; `size`: all of them */
size_t ts_utf8_valid(const char *text, size_t size);
size_t ts_utf8_encode(uint32_t character, char out[4]); /* its length */
/* Columns of a character on a terminal: 0 for combining marks, 2 for wide ones. */
unsigned ts_char_columns(uint32_t character);
/* Characters that would steer a terminal, turn the direction of text or break its lines. */
bool ts_char_steers(uint32_t character);
/* The next character of `text` as it may be shown: itself, a tab as four spaces, control characters
 * and stray bytes as \xNN. Writes at most 8 bytes and a NUL into `shown`, its columns into
 * *columns, and returns how many bytes of `text` it stands for. */
size_t ts_text_show(const char *text, size_t size, char shown[9], unsigned *columns);

/* Whether `name` is one of the names in `list`, with blanks between them; one that ends in `*`
 * stands for all that begin so. */
bool ts_text_among(const char *list, const char *name);

#endif
