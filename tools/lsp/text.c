#include "tools/lsp/text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/heap.h"
#include "base/text.h"

/* Bytes of the character at `at`, and the columns it takes. */
static size_t step(const lsp_text *t, size_t at, uint32_t *columns)
{
  uint32_t character = 0;
  size_t length = ts_utf8_decode(t->text + at, t->size - at, &character);
  length = length ? length : 1;
  *columns = t->utf8 ? (uint32_t)length : character > 0xffff ? 2 : 1;
  return length;
}

uint32_t lsp_offset(const lsp_text *t, const cJSON *position)
{
  double line = cJSON_GetNumberValue(cJSON_GetObjectItem(position, "line")),
         column = cJSON_GetNumberValue(cJSON_GetObjectItem(position, "character"));
  size_t at = 0;
  for (double n = 0; n < line; n++) { /* NaN: the beginning */
    const char *end = memchr(t->text + at, '\n', t->size - at);
    if (!end)
      return (uint32_t)t->size;
    at = (size_t)(end - t->text) + 1;
  }
  uint32_t columns;
  for (double n = 0; n < column && at < t->size && t->text[at] != '\n'; n += columns)
    at += step(t, at, &columns);
  return (uint32_t)at;
}

static cJSON *position_of(const lsp_text *t, uint32_t offset)
{
  uint32_t line = 0, column = 0, columns;
  size_t begin = 0;
  offset = offset > t->size ? (uint32_t)t->size : offset;
  for (size_t i = 0; i < offset; i++)
    if (t->text[i] == '\n') {
      line++;
      begin = i + 1;
    }
  for (size_t at = begin; at < offset; column += columns)
    at += step(t, at, &columns);
  cJSON *position = cJSON_CreateObject();
  cJSON_AddNumberToObject(position, "line", line);
  cJSON_AddNumberToObject(position, "character", column);
  return position;
}

cJSON *lsp_range(const lsp_text *t, uint32_t begin, uint32_t end)
{
  cJSON *range = cJSON_CreateObject();
  cJSON_AddItemToObject(range, "start", position_of(t, begin));
  cJSON_AddItemToObject(range, "end", position_of(t, end));
  return range;
}

static int digit(char c)
{
  return isdigit((unsigned char)c)  ? c - '0' :
         isxdigit((unsigned char)c) ? tolower((unsigned char)c) - 'a' + 10 :
                                      -1;
}

char *lsp_path_of_uri(const char *uri)
{
  if (!uri || strncmp(uri, "file://", 7) != 0)
    return NULL;
  const char *from = strchr(uri + 7, '/'); /* a host may stand before it */
  char *path = from ? ts_heap_new(strlen(from) + 1, 1) : NULL, *to = path;
  while (path && *from) {
    bool escaped = *from == '%' && digit(from[1]) >= 0 && digit(from[2]) >= 0;
    *to++ = escaped ? (char)(16 * digit(from[1]) + digit(from[2])) : *from;
    from += escaped ? 3 : 1;
  }
  if (path)
    *to = '\0';
  return path;
}

char *lsp_uri_of_path(const char *path)
{
  static const char hex[] = "0123456789ABCDEF";
  char *uri = ts_heap_new(3 * strlen(path) + 8, 1), *to = uri;
  if (!uri)
    return NULL;
  to += strlen(strcpy(to, "file://"));
  for (; *path; path++) {
    if (isalnum((unsigned char)*path) || strchr("/-_.~", *path)) {
      *to++ = *path;
    } else {
      *to++ = '%';
      *to++ = hex[(unsigned char)*path >> 4];
      *to++ = hex[(unsigned char)*path & 15];
    }
  }
  *to = '\0';
  return uri;
}
