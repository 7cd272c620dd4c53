/* Any bytes are read as a shell script: it is followed without running it, ends, and says words,
 * variables and files that are there. The bytes before a first line that is `--` are NAME=VALUE that
 * the environment holds. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/launch_script.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void there(const char *text)
{
  if (text)
    return;
  fprintf(stderr, "no text\n");
  abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
  ts_arena *arena = ts_arena_new("fuzz");
  const char *text = ts_arena_string(arena, (const char *)bytes, size);
  const char *given[] = {text}, *script = text;
  const char *mark = strstr(text, "\n--\n");
  uint32_t count = mark ? 1 : 0;
  if (mark) {
    given[0] = ts_arena_string(arena, text, (size_t)(mark - text));
    script = mark + 4;
  }
  ts_launch_script all = ts_launch_script_read(arena, script, strlen(script), given, count);
  for (uint32_t i = 0; i < all.word_count; i++) {
    there(all.word[i]);
    there(ts_launch_expanded(arena, all.word[i], given, count, i % 2));
    ts_launch_line(script, all.word[i]);
  }
  for (const ts_launch_variable *v = all.variable; v; v = v->next) {
    there(v->name);
    there(v->value);
  }
  for (const ts_launch_file *f = all.file; f; f = f->next) {
    there(f->name);
    there(f->text);
  }
  ts_arena_free(arena);
  return 0;
}
