#include <string.h>

#include "base/digest.h"
#include "base/text.h"
#include "runtime/report/names.h"
#include "runtime/report/report.h"

static bool code_of(const char *name, ts_code *code)
{
  for (unsigned c = 0; name && c < TS_CODE_COUNT; c++) {
    if (strcmp(ts_code_name((ts_code)c), name) == 0) {
      *code = (ts_code)c;
      return true;
    }
  }
  return false;
}

/* Byte offset of a line and column, both from 1; columns count characters. */
static size_t offset_of(const char *text, size_t size, uint32_t line, uint32_t column)
{
  size_t at = 0;
  for (; line > 1 && at < size; line--) {
    const char *end = memchr(text + at, '\n', size - at);
    at = end ? (size_t)(end - text) + 1 : size;
  }
  for (uint32_t character; column > 1 && at < size && text[at] != '\n'; column--) {
    size_t length = ts_utf8_decode(text + at, size - at, &character);
    at += length ? length : 1;
  }
  return at;
}

/* The place in the text of its source, if that is at hand and what the plan was compiled from. */
static ts_span span_of(const ts_ir *ir, const ts_ir_loc *loc, ts_source_reader reader, ts_arena *arena, ts_sources *sources)
{
  const ts_ir_source *source = &ir->sources[loc->source];
  const char *name = ir->strings + source->name;
  size_t size = 0;
  const char *text = reader.read ? reader.read(reader.closure, arena, name, &size) : NULL;
  if (!text)
    return TS_NO_SPAN;
  uint8_t digest[TS_DIGEST_SIZE];
  ts_digest_bytes(text, size, digest);
  if (memcmp(digest, source->sha256, sizeof digest) != 0)
    return TS_NO_SPAN;
  uint32_t file = ts_sources_add(sources, name, ir->strings + source->role, text, size);
  size_t begin = offset_of(text, size, loc->line, loc->column);
  size_t end = loc->end_column > loc->column ? offset_of(text, size, loc->line, loc->end_column) : begin + 1;
  return (ts_span){file, (uint32_t)begin, (uint32_t)(end < size ? end : size)};
}

bool ts_stop_diagnose(const ts_stop *stop, const ts_ir *ir, ts_source_reader reader, ts_arena *arena, ts_sources *sources, ts_diags *diags)
{
  ts_code code;
  if (!code_of(stop->code, &code))
    return false;
  const ts_ir_loc *loc = stop->loc < ir->locs_count ? &ir->locs[stop->loc] : NULL;
  ts_span span = loc ? span_of(ir, loc, reader, arena, sources) : TS_NO_SPAN;
  ts_diag *d = ts_diag_add(diags, code, span, "%s", stop->title);
  if (span.file && stop->label)
    ts_diag_here(d, "%s", stop->label);
  if (loc && !span.file)
    ts_diag_fact(d, "in", "%s:%u:%u", ir->strings + ir->sources[loc->source].name, loc->line, loc->column);
  for (uint32_t f = 0; f < stop->fact_count; f++)
    ts_diag_fact(d, stop->facts[f].name, "%s", stop->facts[f].text);
  if (stop->help)
    ts_diag_help(d, "%s", stop->help);
  return true;
}

void ts_stop_print(const ts_stop *stop, const char *program, FILE *out)
{
  enum { LONGEST = 1000 };
  ts_arena *arena = ts_arena_new("stop");
  fprintf(out, "%s: %s\n", program, ts_report_fit(arena, stop->title, LONGEST));
  for (uint32_t f = 0; f < stop->fact_count; f++)
    fprintf(out, "  %-10s %s\n", stop->facts[f].name, ts_report_fit(arena, stop->facts[f].text, LONGEST));
  if (stop->help)
    fprintf(out, "  %s\n", ts_report_fit(arena, stop->help, LONGEST));
  ts_arena_free(arena);
}
