#include "compiler/eval/label.h"

#include <ctype.h>
#include <string.h>

bool ts_glob(const char *pattern, const char *text, size_t length)
{
  const char *star = NULL;
  size_t at = 0, retry = 0;
  while (at < length) {
    if (*pattern == '*') {
      star = ++pattern;
      retry = at;
    } else if (*pattern == text[at]) {
      pattern++;
      at++;
    } else if (star) {
      pattern = star;
      at = ++retry;
    } else {
      return false;
    }
  }
  while (*pattern == '*')
    pattern++;
  return !*pattern;
}

const char *ts_label_pattern(ts_arena *arena, const char *label)
{
  char *pattern = ts_arena_string(arena, label, strlen(label)), *to = pattern;
  for (const char *from = label; *from; from++) {
    *to++ = *from;
    if (*from == '[' && isdigit((unsigned char)from[1])) { /* else it is a pattern already */
      *to++ = '*';
      while (isdigit((unsigned char)from[1]))
        from++;
    }
  }
  *to = 0;
  return pattern;
}

bool ts_label_match(const char *pattern, const char *label, size_t *length)
{
  bool anywhere = !strchr(pattern, '*');
  for (size_t end = 1; label[end - 1]; end++) {
    if (label[end] && label[end] != '.')
      continue;
    *length = end;
    if (ts_glob(pattern, label, end))
      return true;
    size_t size = strlen(pattern);
    if (anywhere && end > size && label[end - size - 1] == '.' &&
        !memcmp(label + end - size, pattern, size))
      return true;
  }
  return false;
}

size_t ts_label_group(ts_value v, const char *label)
{
  size_t length = 0;
  if (v.type == TS_T_LABEL || v.type == TS_T_STRING)
    return ts_label_match(v.u.string, label, &length) ? length : 0;
  if (v.type == TS_T_LIST)
    for (uint32_t i = 0; i < v.u.list->count && !length; i++)
      length = ts_label_group(v.u.list->at[i], label);
  return length;
}
