/* Diagnostics as one log of SARIF 2.1.0 (OASIS standard), which code review tools show beside the
 * lines. Columns count from 1 in characters of UTF-16, the default of the standard. */
#include <ctype.h>
#include <string.h>

#include "base/diag_record.h"
#include "base/escape.h"
#include "base/output.h"
#include "base/text.h"
#include "base/version.h"

static uint32_t column_of(const ts_source *source, uint32_t offset)
{
  uint32_t begin = offset, column = 1, character;
  while (begin > 0 && source->text[begin - 1] != '\n')
    begin--;
  while (begin < offset) {
    size_t length = ts_utf8_decode(source->text + begin, source->size - begin, &character);
    begin += length ? (uint32_t)length : 1;
    column += length && character > 0xffff ? 2 : 1;
  }
  return column;
}

static void put_text(FILE *out, const char *name, const char *text)
{
  ts_put_json(out, "\"%s\":{\"text\":", name);
  ts_put_json_string(out, text ? text : "");
  putc('}', out);
}

static void put_region(FILE *out, const char *name, const ts_sources *sources, ts_span span)
{
  const ts_source *source = ts_sources_get(sources, span.file);
  ts_position begin = ts_sources_position(sources, span.file, span.begin),
              end = ts_sources_position(sources, span.file, span.end);
  ts_put_json(out, "\"%s\":{\"startLine\":%u,\"startColumn\":%u,\"endLine\":%u,\"endColumn\":%u}",
              name, begin.line, column_of(source, span.begin), end.line,
              column_of(source, span.end));
}

/* A relative reference (RFC 3986): a blank or a colon in a name is escaped. */
static void put_file(FILE *out, const ts_sources *sources, ts_span span)
{
  fputs("\"artifactLocation\":{\"uri\":\"", out);
  for (const char *c = ts_sources_get(sources, span.file)->name; *c; c++)
    fprintf(out, isalnum((unsigned char)*c) || strchr("/-_.~", *c) ? "%c" : "%%%02X",
            (unsigned char)*c);
  fputs("\"}", out);
}

/* `text` may be NULL. */
static void put_location(FILE *out, const ts_sources *sources, ts_span span, const char *text)
{
  fputs("{\"physicalLocation\":{", out);
  put_file(out, sources, span);
  putc(',', out);
  put_region(out, "region", sources, ts_span_shown(sources, span));
  putc('}', out);
  if (text) {
    putc(',', out);
    put_text(out, "message", text);
  }
  putc('}', out);
}

typedef struct sarif { const ts_diags *diags; ts_diag **at; size_t count; } sarif;

static void put_rules(FILE *out, const sarif *s)
{
  bool reported[TS_CODE_COUNT] = {false}, any = false;
  for (size_t i = 0; i < s->count; i++) {
    ts_code code = s->at[i]->code;
    if (reported[code])
      continue;
    ts_put_json(out, "%s{\"id\":\"%s\",\"name\":\"%s\",", any ? "," : "", ts_code_name(code),
                ts_code_short_name(code));
    put_text(out, "shortDescription", ts_code_title(code));
    putc('}', out);
    reported[code] = any = true;
  }
}

/* The headline, and what has no place of its own. */
static void put_message(FILE *out, const ts_diag *d)
{
  ts_arena *scratch = ts_arena_new("message");
  const char *text = d->message;
  for (size_t i = 0; i < d->children.count; i++) {
    const ts_diag_child *child = &d->children.at[i];
    if (child->kind == TS_CHILD_FACT)
      text = ts_arena_printf(scratch, "%s\n%s: %s", text, child->name, child->text);
    else if (child->kind != TS_CHILD_NOTE || !child->span.file)
      text = ts_arena_printf(scratch, "%s\n%s: %s", text,
                             child->kind == TS_CHILD_NOTE ? "note" : "help", child->text);
  }
  if (d->more)
    text = ts_arena_printf(scratch, "%s\nand %u more like it", text, d->more);
  put_text(out, "message", text);
  ts_arena_free(scratch);
}

static void put_related(FILE *out, const ts_diag *d, const ts_sources *sources)
{
  bool any = false;
  for (size_t i = 0; i < d->labels.count + d->children.count; i++) {
    const ts_diag_child *child = i < d->labels.count ? NULL : &d->children.at[i - d->labels.count];
    ts_span span = child ? child->span : d->labels.at[i].span;
    if ((child && child->kind != TS_CHILD_NOTE) || !ts_sources_get(sources, span.file))
      continue;
    fputs(any ? "," : ",\"relatedLocations\":[", out);
    put_location(out, sources, span, child ? child->text : d->labels.at[i].text);
    any = true;
  }
  fputs(any ? "]" : "", out);
}

static void put_fixes(FILE *out, const ts_diag *d, const ts_sources *sources)
{
  bool any = false;
  for (size_t i = 0; i < d->children.count; i++) {
    const ts_diag_child *child = &d->children.at[i];
    ts_span edited = ts_diag_edited(d, child, sources);
    if (!ts_sources_get(sources, edited.file))
      continue;
    fputs(any ? ",{" : ",\"fixes\":[{", out);
    put_text(out, "description", child->text);
    fputs(",\"artifactChanges\":[{", out);
    put_file(out, sources, edited);
    fputs(",\"replacements\":[{", out);
    put_region(out, "deletedRegion", sources, edited);
    putc(',', out);
    put_text(out, "insertedContent", child->replacement);
    fputs("}]}]}", out);
    any = true;
  }
  fputs(any ? "]" : "", out);
}

static void put_result(FILE *out, const ts_diag *d, const ts_sources *sources)
{
  static const char *const levels[] = {
    [TS_NOTE] = "note", [TS_WARNING] = "warning", [TS_ERROR] = "error"};
  ts_put_json(out, "{\"ruleId\":\"%s\",\"level\":\"%s\",", ts_code_name(d->code),
              levels[d->severity]);
  put_message(out, d);
  fputs(",\"locations\":[", out);
  if (ts_sources_get(sources, d->primary.file))
    put_location(out, sources, d->primary, d->here);
  putc(']', out);
  put_related(out, d, sources);
  put_fixes(out, d, sources);
  putc('}', out);
}

void ts_diags_print_sarif(const ts_diags *diags, FILE *out)
{
  ts_arena *scratch = ts_arena_new("diagnostics");
  sarif s = {.diags = diags};
  s.at = ts_diags_sorted(diags, scratch, &s.count);
  ts_put_json(out,
              "{\"$schema\":\"https://json.schemastore.org/"
              "sarif-2.1.0.json\",\"version\":\"2.1.0\",\"runs\":[{\"tool\":{\"driver\":{\"name\":"
              "\"TrainSpec\",\"version\":\"%s\",\"rules\":[",
              ts_version());
  put_rules(out, &s);
  fputs("]}},\"results\":[", out);
  for (size_t i = 0; i < s.count; i++) {
    fputs(i ? ",\n" : "\n", out);
    put_result(out, s.at[i], diags->sources);
  }
  fputs("]}]}\n", out);
  ts_arena_free(scratch);
}
