/* Diagnostics as JSON: one object a line, a summary last. Lines and columns count from 1, bytes
 * from 0, ends are exclusive. Fields may be added, never changed. */
#include <stdlib.h>
#include <string.h>

#include "base/diag_record.h"
#include "base/escape.h"
#include "base/output.h"

static void put_field(FILE *out, const char *name, const char *text)
{
  ts_put_json(out, ",\"%s\":", name);
  ts_put_json_string(out, text);
}

static void put_span_fields(FILE *out, const ts_sources *sources, ts_span span)
{
  ts_position begin = ts_sources_position(sources, span.file, span.begin),
              end = ts_sources_position(sources, span.file, span.end);
  fputs("\"file\":", out);
  ts_put_json_string(out, ts_sources_get(sources, span.file)->name);
  fprintf(out,
          ",\"byte_start\":%u,\"byte_end\":%u,\"line\":%u,\"column\":%u,\"end_line\":%u,\"end_"
          "column\":%u",
          span.begin, span.end, begin.line, begin.column, end.line, end.column);
}

static void put_span(FILE *out, const ts_sources *sources, ts_span span, bool primary,
                     const char *label)
{
  putc('{', out);
  put_span_fields(out, sources, span);
  ts_put_json(out, ",\"primary\":%s", primary ? "true" : "false");
  put_field(out, "label", label ? label : "");
  putc('}', out);
}

static void put_spans(FILE *out, const ts_diag *d, const ts_sources *sources)
{
  fputs(",\"spans\":[", out);
  bool any = ts_sources_get(sources, d->primary.file);
  if (any)
    put_span(out, sources, d->primary, true, d->here);
  for (size_t i = 0; i < d->labels.count; i++) {
    if (!ts_sources_get(sources, d->labels.at[i].span.file))
      continue;
    fputs(any ? "," : "", out);
    put_span(out, sources, d->labels.at[i].span, false, d->labels.at[i].text);
    any = true;
  }
  putc(']', out);
}

static void put_child(FILE *out, const ts_diag *d, const ts_diag_child *child,
                      const ts_sources *sources)
{
  static const char *const words[] = {[TS_CHILD_NOTE] = "note",
                                      [TS_CHILD_FACT] = "fact",
                                      [TS_CHILD_HELP] = "help",
                                      [TS_CHILD_EDIT] = "help"};
  bool placed = ts_sources_get(sources, child->span.file);
  ts_span edited = ts_diag_edited(d, child, sources);
  ts_put_json(out, "{\"severity\":\"%s\"", words[child->kind]);
  if (child->kind == TS_CHILD_FACT)
    put_field(out, "name", child->name);
  put_field(out, "message", child->text);
  fputs(",\"spans\":[", out);
  if (placed && child->kind == TS_CHILD_NOTE)
    put_span(out, sources, child->span, true, NULL);
  fputs("],\"edits\":[", out);
  /* a suggestion to look at, never to be applied unseen */
  if (ts_sources_get(sources, edited.file)) {
    putc('{', out);
    put_span_fields(out, sources, edited);
    put_field(out, "replacement", child->replacement);
    put_field(out, "applicability", "guess");
    putc('}', out);
  }
  fputs("]}", out);
}

typedef struct rendered { const ts_diag *diag; const ts_sources *sources; } rendered;

static void print_rendered(void *closure, FILE *out)
{
  const rendered *r = closure;
  ts_diag_render(r->diag, r->sources, TS_COLOR_NEVER, out);
}

static void put_rendered(FILE *out, const ts_diag *d, const ts_sources *sources)
{
  char *text = ts_printed(print_rendered, &(rendered){d, sources}, NULL);
  put_field(out, "rendered", text);
  free(text);
}

static void put_record(FILE *out, const ts_diag *d, const ts_sources *sources)
{
  ts_put_json(out, "{\"type\":\"diagnostic\",\"format\":1,\"severity\":\"%s\",\"code\":\"%s\"",
              ts_severity_word(d->severity), ts_code_name(d->code));
  put_field(out, "name", ts_code_short_name(d->code));
  put_field(out, "message", d->message);
  put_spans(out, d, sources);
  fputs(",\"values\":[", out);
  for (size_t i = 0; i < d->values.count; i++) {
    fputs(i ? ",{\"name\":" : "{\"name\":", out);
    ts_put_json_string(out, d->values.at[i].name);
    put_field(out, "value", d->values.at[i].value);
    putc('}', out);
  }
  fputs("],\"children\":[", out);
  for (size_t i = 0; i < d->children.count; i++) {
    fputs(i ? "," : "", out);
    put_child(out, d, &d->children.at[i], sources);
  }
  fprintf(out, "],\"more\":%u", d->more);
  put_rendered(out, d, sources);
  fputs("}\n", out);
}

void ts_diags_print_json(const ts_diags *diags, FILE *out)
{
  ts_arena *scratch = ts_arena_new("diagnostics");
  size_t count;
  ts_diag **sorted = ts_diags_sorted(diags, scratch, &count);
  unsigned found[TS_ERROR + 1] = {0};
  for (size_t i = 0; i < count; i++) {
    found[sorted[i]->severity]++;
    put_record(out, sorted[i], diags->sources);
  }
  fprintf(out, "{\"type\":\"summary\",\"errors\":%u,\"warnings\":%u}\n", found[TS_ERROR],
          found[TS_WARNING]);
  ts_arena_free(scratch);
}
