/* Any bytes are read as a file of settings, the first one says of which format: refused with a reason
 * and a line that is there, or a tree whose names differ and that unfolds to a bounded size. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/settings.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void fail(const char *why)
{
  fprintf(stderr, "%s\n", why);
  abort();
}

static void use(const ts_setting *s, uint32_t lines, uint32_t depth, bool named)
{
  if (s->line > lines || depth > TS_SETTINGS_DEEPEST + 1)
    fail("a line that is not there, or too many levels");
  if ((s->kind == TS_SETTING_TEXT || s->kind == TS_SETTING_TIME) && !s->u.text)
    fail("no text");
  for (const ts_setting *item = s->child; item; item = item->next) {
    if (s->kind == TS_SETTING_TABLE &&
        (!item->name || (named && ts_setting_find(s, item->name) != item)))
      fail("a name stands twice");
    use(item, lines, depth + 1, named);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
  static const char letters[] = "jtylcx";
  if (!size || !strchr(letters, bytes[0]) || !bytes[0])
    return 0;
  ts_settings_format format = (ts_settings_format)(strchr(letters, bytes[0]) - letters);
  ts_arena *arena = ts_arena_new("fuzz");
  const char *text = ts_arena_string(arena, (const char *)bytes + 1, size - 1);
  uint32_t lines = 2; /* what is missing may be missed behind the last line */
  ts_settings_wrong wrong;
  for (size_t i = 1; i < size; i++)
    lines += bytes[i] == '\n';
  const ts_setting *root = ts_settings_read(arena, format, text, size - 1, &wrong);
  if (!root && (!wrong.why || !wrong.why[0] || wrong.line > lines))
    fail("refused without a reason");
  if (root && format != TS_SETTINGS_JSON && root->count > TS_SETTINGS_MOST)
    fail("too many values");
  if (root)
    use(root, lines, 0, format != TS_SETTINGS_JSON);
  ts_arena_free(arena);
  return 0;
}
