#include "base/json_tree.h"

#include <string.h>

#include "base/text.h"

cJSON *ts_json_tree(const char *text, size_t size, const char **end)
{
  size_t valid = ts_utf8_valid(text, size);
  const char *zero = memchr(text, 0, valid);
  *end = zero ? zero : text + valid;
  return *end < text + size ? NULL : cJSON_ParseWithLengthOpts(text, size, end, false);
}
