#include "tools/cli/play_warnings.h"

#include <string.h>

#include "compiler/eval/files.h"
#include "compiler/eval/stdlib_embed.h"

/* Whether it is the text that was meant, its digest says. */
static const char *read_source(void *closure, ts_arena *arena, const char *name, size_t *size)
{
  (void)arena;
  const char *text = ts_session_text(closure, name, size);
  const ts_embedded_file *file = text ? NULL : ts_session_embedded(name);
  if (!file)
    return text;
  *size = file->size;
  return (const char *)file->bytes;
}

ts_source_reader ts_session_source_reader(const ts_session *s)
{
  return (ts_source_reader){read_source, (void *)(uintptr_t)s};
}

void ts_report_play_warnings(ts_session *s, const ts_warnings *warnings, const ts_ir *ir,
                             bool compiled, ts_source_reader reader)
{
  ts_warnings_diagnose(warnings, ir, compiled, reader, s->arena, s->sources, s->diags);
}

void ts_label_play_warnings(ts_arena *arena, ts_warnings *warnings, size_t first, const char *name,
                            const char *text)
{
  for (size_t i = first; i < warnings->at.count; i++) {
    ts_warning *w = &warnings->at.at[i];
    TS_PUSH(arena, &w->notes, ((ts_warning_note){TS_IR_REMARK_FACT, TS_IR_NONE, name, text}));
    for (size_t n = w->notes.count - 1; n > 0; n--) {
      ts_warning_note swapped = w->notes.at[n];
      w->notes.at[n] = w->notes.at[n - 1];
      w->notes.at[n - 1] = swapped;
    }
  }
}
