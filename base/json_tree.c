#include "base/json_tree.h"

#include <string.h>

#include "base/text.h"

/* Where the first 0 is, as a byte or as an escape (of strings alone, which is where a backslash may
 * be), or the end. */
static const char *find_zero(const char *text, const char *end)
{
  static const char escape[] = "\\u0000";
  const char *zero = memchr(text, 0, (size_t)(end - text));
  const char *last = zero ? zero : end;
  for (const char *at = text; (at = memchr(at, '\\', (size_t)(last - at))); at += 2) {
    if ((size_t)(last - at) >= strlen(escape) && memcmp(at, escape, strlen(escape)) == 0)
      return at;
    if (last - at < 2)
      break;
  }
  return last;
}

static size_t blanks(const char *text, const char *end)
{
  const char *at = text;
  while (at < end && strchr(" \t\r\n", *at))
    at++;
  return (size_t)(at - text);
}

cJSON *ts_json_tree(const char *text, size_t size, const char **end)
{
  *end = find_zero(text, text + ts_utf8_valid(text, size));
  cJSON *root = *end < text + size ? NULL : cJSON_ParseWithLengthOpts(text, size, end, false);
  if (!root)
    return NULL;
  *end += blanks(*end, text + size);
  if (*end == text + size)
    return root;
  cJSON_Delete(root);
  return NULL;
}
