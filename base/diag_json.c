/* Diagnostics as JSON: one object a line, a summary last. Lines and columns count from 1, bytes
 * from 0, ends are exclusive. Fields may be added, never changed. */
#include <stdlib.h>

#include "base/diag_record.h"
#include "base/json_writer.h"
#include "base/output.h"

static void put_span_members(ts_json_writer *w, const ts_sources *sources, ts_span span)
{
  ts_position begin = ts_sources_position(sources, span.file, span.begin),
              end = ts_sources_position(sources, span.file, span.end);
  ts_json_put_text(w, "file", ts_sources_get(sources, span.file)->name);
  ts_json_put_count(w, "byte_start", span.begin);
  ts_json_put_count(w, "byte_end", span.end);
  ts_json_put_count(w, "line", begin.line);
  ts_json_put_count(w, "column", begin.column);
  ts_json_put_count(w, "end_line", end.line);
  ts_json_put_count(w, "end_column", end.column);
}

static void put_span(ts_json_writer *w, const ts_sources *sources, ts_span span, bool primary,
                     const char *label)
{
  ts_json_begin(w, NULL, '{');
  put_span_members(w, sources, span);
  ts_json_put_bool(w, "primary", primary);
  ts_json_put_text(w, "label", label ? label : "");
  ts_json_end(w, '}');
}

static void put_spans(ts_json_writer *w, const ts_diag *d, const ts_sources *sources)
{
  ts_json_begin(w, "spans", '[');
  if (ts_sources_get(sources, d->primary.file))
    put_span(w, sources, d->primary, true, d->here);
  for (size_t i = 0; i < d->labels.count; i++)
    if (ts_sources_get(sources, d->labels.at[i].span.file))
      put_span(w, sources, d->labels.at[i].span, false, d->labels.at[i].text);
  ts_json_end(w, ']');
}

static void put_child(ts_json_writer *w, const ts_diag *d, const ts_diag_child *child,
                      const ts_sources *sources)
{
  static const char *const words[] = {[TS_CHILD_NOTE] = "note",
                                      [TS_CHILD_FACT] = "fact",
                                      [TS_CHILD_HELP] = "help",
                                      [TS_CHILD_EDIT] = "help"};
  bool placed = ts_sources_get(sources, child->span.file);
  ts_span edited = ts_diag_edited(d, child, sources);
  ts_json_begin(w, NULL, '{');
  ts_json_put_text(w, "severity", words[child->kind]);
  if (child->kind == TS_CHILD_FACT)
    ts_json_put_text(w, "name", child->name);
  ts_json_put_text(w, "message", child->text);
  ts_json_begin(w, "spans", '[');
  if (placed && child->kind == TS_CHILD_NOTE)
    put_span(w, sources, child->span, true, NULL);
  ts_json_end(w, ']');
  ts_json_begin(w, "edits", '[');
  /* a suggestion to look at, never to be applied unseen */
  if (ts_sources_get(sources, edited.file)) {
    ts_json_begin(w, NULL, '{');
    put_span_members(w, sources, edited);
    ts_json_put_text(w, "replacement", child->replacement);
    ts_json_put_text(w, "applicability", "guess");
    ts_json_end(w, '}');
  }
  ts_json_end(w, ']');
  ts_json_end(w, '}');
}

typedef struct rendered { const ts_diag *diag; const ts_sources *sources; } rendered;

static void print_rendered(void *closure, FILE *out)
{
  const rendered *r = closure;
  ts_diag_render(r->diag, r->sources, TS_COLOR_NEVER, out);
}

static void put_rendered(ts_json_writer *w, const ts_diag *d, const ts_sources *sources)
{
  char *text = ts_printed(print_rendered, &(rendered){d, sources}, NULL);
  ts_json_put_text(w, "rendered", text);
  free(text);
}

static void put_record(ts_json_writer *w, const ts_diag *d, const ts_sources *sources)
{
  ts_json_begin(w, NULL, '{');
  ts_json_put_text(w, "type", "diagnostic");
  ts_json_put_count(w, "format", 1);
  ts_json_put_text(w, "severity", ts_severity_word(d->severity));
  ts_json_put_text(w, "code", ts_code_name(d->code));
  ts_json_put_text(w, "name", ts_code_short_name(d->code));
  ts_json_put_text(w, "message", d->message);
  put_spans(w, d, sources);
  ts_json_begin(w, "values", '[');
  for (size_t i = 0; i < d->values.count; i++) {
    ts_json_begin(w, NULL, '{');
    ts_json_put_text(w, "name", d->values.at[i].name);
    ts_json_put_text(w, "value", d->values.at[i].value);
    ts_json_end(w, '}');
  }
  ts_json_end(w, ']');
  ts_json_begin(w, "children", '[');
  for (size_t i = 0; i < d->children.count; i++)
    put_child(w, d, &d->children.at[i], sources);
  ts_json_end(w, ']');
  ts_json_put_count(w, "more", d->more);
  put_rendered(w, d, sources);
  ts_json_end(w, '}');
  ts_json_end_document(w);
}

void ts_diags_print_json(const ts_diags *diags, FILE *out)
{
  ts_arena *scratch = ts_arena_new("diagnostics");
  ts_json_writer writer = {.out = out}, *w = &writer;
  size_t count;
  ts_diag **sorted = ts_diags_sorted(diags, scratch, &count);
  unsigned found[TS_ERROR + 1] = {0};
  for (size_t i = 0; i < count; i++) {
    found[sorted[i]->severity]++;
    put_record(w, sorted[i], diags->sources);
  }
  ts_json_begin(w, NULL, '{');
  ts_json_put_text(w, "type", "summary");
  ts_json_put_count(w, "errors", found[TS_ERROR]);
  ts_json_put_count(w, "warnings", found[TS_WARNING]);
  ts_json_end(w, '}');
  ts_json_end_document(w);
  ts_arena_free(scratch);
}
