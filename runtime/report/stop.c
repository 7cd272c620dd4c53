/* Why there is no result, as text and JSON. */
#include <string.h>

#include "base/digest.h"
#include "base/escape.h"
#include "base/text.h"
#include "ir/names.h"
#include "runtime/report/report.h"

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

/* The map knows a file by the path that was given, the IR from the plan's folder: what they share
 * is the end, and the text. */
static uint32_t known_source(const ts_sources *sources, const char *name, const char *text,
                             size_t size)
{
  for (uint32_t f = 1; f <= ts_sources_count(sources); f++) {
    const ts_source *s = ts_sources_get(sources, f);
    if (s->size == size && strcmp(ts_base_name(s->name), ts_base_name(name)) == 0 &&
        memcmp(s->text, text, size) == 0)
      return f;
  }
  return 0;
}

/* The place in the text of its source, if that is at hand and what the plan was compiled from. */
static ts_span span_of(const ts_ir *ir, const ts_ir_loc *loc, ts_source_reader reader,
                       ts_arena *arena, ts_sources *sources)
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
  uint32_t file = known_source(sources, name, text, size);
  if (!file)
    file = ts_sources_add(sources, name, ir->strings + source->role, text, size);
  size_t begin = offset_of(text, size, loc->line, loc->column);
  size_t end =
    loc->end_column > loc->column ? offset_of(text, size, loc->line, loc->end_column) : begin + 1;
  return (ts_span){file, (uint32_t)begin, (uint32_t)(end < size ? end : size)};
}

bool ts_stop_diagnose(const ts_stop *stop, const ts_ir *ir, ts_source_reader reader,
                      ts_arena *arena, ts_sources *sources, ts_diags *diags)
{
  ts_code code;
  if (!ts_code_named(stop->code, &code))
    return false;
  const ts_ir_loc *loc = stop->loc < ir->locs_count ? &ir->locs[stop->loc] : NULL;
  ts_span span = loc ? span_of(ir, loc, reader, arena, sources) : TS_NO_SPAN;
  ts_diag *d = ts_diag_add(diags, code, span, "%s", stop->title);
  if (span.file && stop->label)
    ts_diag_here(d, "%s", stop->label);
  if (loc && !span.file)
    ts_diag_fact(d, "in", "%s", ts_report_place(arena, ir, stop->loc));
  for (uint32_t f = 0; f < stop->fact_count; f++)
    ts_diag_fact(d, stop->facts[f].name, "%s", stop->facts[f].text);
  if (stop->help)
    ts_diag_help(d, "%s", stop->help);
  return true;
}

static void add_note(ts_diag *d, const ts_warning_note *n, const ts_ir *ir, ts_source_reader reader,
                     ts_arena *arena, ts_sources *sources)
{
  ts_span span =
    n->loc < ir->locs_count ? span_of(ir, &ir->locs[n->loc], reader, arena, sources) : TS_NO_SPAN;
  const char *place = n->loc < ir->locs_count && !span.file ?
                        ts_arena_printf(arena, " (%s)", ts_report_place(arena, ir, n->loc)) :
                        "";
  switch (n->kind) {
  case TS_IR_REMARK_LABEL: ts_diag_label(d, span, "%s", n->text); break;
  case TS_IR_REMARK_NOTE:
    if (span.file)
      ts_diag_note_at(d, span, "%s", n->text);
    else
      ts_diag_note(d, "%s%s", n->text, place);
    break;
  case TS_IR_REMARK_FACT: ts_diag_fact(d, n->name, "%s", n->text); break;
  case TS_IR_REMARK_HELP: ts_diag_help(d, "%s", n->text); break;
  }
}

static void diagnose(const ts_warning *w, const ts_ir *ir, ts_source_reader reader, ts_arena *arena,
                     ts_sources *sources, ts_diags *diags)
{
  ts_code code;
  if (!ts_code_named(w->code, &code))
    return; /* of a later compiler: the report lists it */
  bool placed = w->loc < ir->locs_count;
  ts_span span = placed ? span_of(ir, &ir->locs[w->loc], reader, arena, sources) : TS_NO_SPAN;
  ts_diag *d = ts_diag_add(diags, code, span, "%s", w->message);
  if (span.file && *w->here)
    ts_diag_here(d, "%s", w->here);
  if (placed && !span.file)
    ts_diag_fact(d, "in", "%s", ts_report_place(arena, ir, w->loc));
  for (size_t i = 0; i < w->notes.count; i++)
    add_note(d, &w->notes.at[i], ir, reader, arena, sources);
  ts_diag_more(d, w->more);
}

void ts_warnings_diagnose(const ts_warnings *warnings, const ts_ir *ir, bool compiled,
                          ts_source_reader reader, ts_arena *arena, ts_sources *sources,
                          ts_diags *diags)
{
  for (size_t i = 0; i < warnings->at.count; i++)
    if (!warnings->at.at[i].compiled || !compiled)
      diagnose(&warnings->at.at[i], ir, reader, arena, sources, diags);
}

void ts_stop_print(const ts_stop *stop, const char *program, FILE *out)
{
  enum { LONGEST = 1000 };
  ts_arena *arena = ts_arena_new("stop");
  ts_put_text(out, "%s: %s\n", program, ts_report_fit(arena, stop->title, LONGEST));
  for (uint32_t f = 0; f < stop->fact_count; f++)
    ts_put_text(out, "  %-10s %s\n", stop->facts[f].name,
                ts_report_fit(arena, stop->facts[f].text, LONGEST));
  if (stop->help)
    ts_put_text(out, "  %s\n", ts_report_fit(arena, stop->help, LONGEST));
  ts_arena_free(arena);
}
