/* Diagnostics as one log of SARIF 2.1.0 (OASIS standard), which code review tools show beside the
 * lines. Columns count from 1 in characters of UTF-16, the default of the standard. GitHub takes no
 * result without a file: what the command line got wrong stands at the plan's first line, and what
 * is about no file at all is a notification of the tool. */
#include <ctype.h>
#include <string.h>

#include "base/diag_record.h"
#include "base/escape.h"
#include "base/json_writer.h"
#include "base/output.h"
#include "base/text.h"
#include "base/version.h"

static uint32_t diag_sarif_column_of(const ts_source *source, uint32_t offset)
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

static void diag_sarif_put_text(ts_json_writer *w, const char *name, const char *text)
{
  ts_json_begin(w, name, '{');
  ts_json_put_text(w, "text", text ? text : "");
  ts_json_end(w, '}');
}

/* Where it is shown: text of the command line is no file, and some of it has no place. File 0:
 * nowhere, as no plan was read. */
static ts_span placed(const ts_sources *sources, ts_span span)
{
  const ts_source *source = ts_sources_get(sources, span.file);
  if (source && strcmp(source->role, "command line") && strcmp(source->role, "options"))
    return span;
  for (uint32_t f = 1; f <= ts_sources_count(sources); f++)
    if (!strcmp(ts_sources_get(sources, f)->role, "plan"))
      return (ts_span){f, 0, 0};
  return TS_NO_SPAN;
}

static void put_region(ts_json_writer *w, const char *name, const ts_sources *sources, ts_span span)
{
  const ts_source *source = ts_sources_get(sources, span.file);
  ts_position begin = ts_sources_position(sources, span.file, span.begin),
              end = ts_sources_position(sources, span.file, span.end);
  ts_json_begin(w, name, '{');
  ts_json_put_count(w, "startLine", begin.line);
  ts_json_put_count(w, "startColumn", diag_sarif_column_of(source, span.begin));
  ts_json_put_count(w, "endLine", end.line);
  ts_json_put_count(w, "endColumn", diag_sarif_column_of(source, span.end));
  ts_json_end(w, '}');
}

/* A relative reference (RFC 3986): a blank or a colon in a name is escaped. A path from the root
 * is one of a file (RFC 8089). */
static void put_file(ts_json_writer *w, const ts_sources *sources, ts_span span)
{
  ts_json_begin(w, "artifactLocation", '{');
  ts_json_key(w, "uri");
  fputs(*ts_sources_get(sources, span.file)->name == '/' ? "\"file://" : "\"", w->out);
  for (const char *c = ts_sources_get(sources, span.file)->name; *c; c++)
    fprintf(w->out, isalnum((unsigned char)*c) || strchr("/-_.~", *c) ? "%c" : "%%%02X",
            (unsigned char)*c);
  putc('"', w->out);
  ts_json_end(w, '}');
}

/* `text` may be NULL. */
static void put_location(ts_json_writer *w, const ts_sources *sources, ts_span span,
                         const char *text)
{
  ts_json_begin(w, NULL, '{');
  ts_json_begin(w, "physicalLocation", '{');
  put_file(w, sources, span);
  put_region(w, "region", sources, ts_span_shown(sources, span));
  ts_json_end(w, '}');
  if (text)
    diag_sarif_put_text(w, "message", text);
  ts_json_end(w, '}');
}

static const char *const levels[] = {
  [TS_NOTE] = "note", [TS_WARNING] = "warning", [TS_ERROR] = "error"};

typedef struct sarif { const ts_diags *diags; ts_diag **at; size_t count; } sarif;

static void put_rules(ts_json_writer *w, const sarif *s)
{
  bool reported[TS_CODE_COUNT] = {false};
  ts_json_begin(w, "rules", '[');
  for (size_t i = 0; i < s->count; i++) {
    ts_code code = s->at[i]->code;
    if (reported[code])
      continue;
    ts_json_begin(w, NULL, '{');
    ts_json_put_text(w, "id", ts_code_name(code));
    ts_json_put_text(w, "name", ts_code_short_name(code));
    diag_sarif_put_text(w, "shortDescription", ts_code_title(code));
    diag_sarif_put_text(w, "fullDescription", ts_code_title(code));
    ts_json_begin(w, "help", '{');
    ts_json_key(w, "text");
    ts_put_json(w->out, "\"`trainspec help %s` says more\"", ts_code_name(code));
    ts_json_end(w, '}');
    ts_json_begin(w, "defaultConfiguration", '{');
    ts_json_put_text(w, "level", levels[s->at[i]->severity]);
    ts_json_end(w, '}');
    ts_json_end(w, '}');
    reported[code] = true;
  }
  ts_json_end(w, ']');
}

/* The headline, and what has no place of its own. */
static void put_message(ts_json_writer *w, const ts_diag *d)
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
  diag_sarif_put_text(w, "message", text);
  ts_arena_free(scratch);
}

static void put_related(ts_json_writer *w, const ts_diag *d, const ts_sources *sources)
{
  bool any = false;
  for (size_t i = 0; i < d->labels.count + d->children.count; i++) {
    const ts_diag_child *child = i < d->labels.count ? NULL : &d->children.at[i - d->labels.count];
    ts_span span = child ? child->span : d->labels.at[i].span;
    if ((child && child->kind != TS_CHILD_NOTE) || !span.file)
      continue;
    if (!any)
      ts_json_begin(w, "relatedLocations", '[');
    put_location(w, sources, placed(sources, span), child ? child->text : d->labels.at[i].text);
    any = true;
  }
  if (any)
    ts_json_end(w, ']');
}

static void put_fixes(ts_json_writer *w, const ts_diag *d, const ts_sources *sources)
{
  bool any = false;
  for (size_t i = 0; i < d->children.count; i++) {
    const ts_diag_child *child = &d->children.at[i];
    ts_span edited = ts_diag_edited(d, child, sources);
    if (placed(sources, edited).file != edited.file || !edited.file)
      continue;
    if (!any)
      ts_json_begin(w, "fixes", '[');
    ts_json_begin(w, NULL, '{');
    diag_sarif_put_text(w, "description", child->text);
    ts_json_begin(w, "artifactChanges", '[');
    ts_json_begin(w, NULL, '{');
    put_file(w, sources, edited);
    ts_json_begin(w, "replacements", '[');
    ts_json_begin(w, NULL, '{');
    put_region(w, "deletedRegion", sources, edited);
    diag_sarif_put_text(w, "insertedContent", child->replacement);
    for (const char *c = "}]}]}"; *c; c++) ts_json_end(w, *c);
    any = true;
  }
  if (any)
    ts_json_end(w, ']');
}

static void put_result(ts_json_writer *w, const ts_diag *d, const ts_sources *sources)
{
  ts_json_begin(w, NULL, '{');
  ts_json_put_text(w, "ruleId", ts_code_name(d->code));
  ts_json_put_text(w, "level", levels[d->severity]);
  put_message(w, d);
  ts_json_begin(w, "locations", '[');
  put_location(w, sources, placed(sources, d->primary), d->here);
  ts_json_end(w, ']');
  put_related(w, d, sources);
  put_fixes(w, d, sources);
  ts_json_end(w, '}');
}

static void put_notification(ts_json_writer *w, const ts_diag *d)
{
  ts_json_begin(w, NULL, '{');
  ts_json_begin(w, "descriptor", '{');
  ts_json_put_text(w, "id", ts_code_name(d->code));
  ts_json_end(w, '}');
  ts_json_put_text(w, "level", levels[d->severity]);
  put_message(w, d);
  ts_json_end(w, '}');
}

static bool is_placed(const ts_diags *diags, const ts_diag *d)
{
  return placed(diags->sources, d->primary).file;
}

static void put_invocation(ts_json_writer *w, const sarif *s)
{
  ts_json_begin(w, "invocations", '[');
  ts_json_begin(w, NULL, '{');
  ts_json_put_bool(w, "executionSuccessful", !ts_diags_errors(s->diags));
  ts_json_begin(w, "toolExecutionNotifications", '[');
  for (size_t i = 0; i < s->count; i++)
    if (!is_placed(s->diags, s->at[i]))
      put_notification(w, s->at[i]);
  for (const char *c = "]}]"; *c; c++) ts_json_end(w, *c);
}

void ts_diags_print_sarif(const ts_diags *diags, FILE *out)
{
  ts_arena *scratch = ts_arena_new("diagnostics");
  ts_json_writer w = {.out = out};
  sarif s = {.diags = diags};
  s.at = ts_diags_sorted(diags, scratch, &s.count);
  ts_json_begin(&w, NULL, '{');
  ts_json_put_text(&w, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
  ts_json_put_text(&w, "version", "2.1.0");
  ts_json_begin(&w, "runs", '[');
  ts_json_begin(&w, NULL, '{');
  ts_json_begin(&w, "tool", '{');
  ts_json_begin(&w, "driver", '{');
  ts_json_put_text(&w, "name", "TrainSpec");
  ts_json_put_text(&w, "version", ts_version());
  put_rules(&w, &s);
  ts_json_end(&w, '}');
  ts_json_end(&w, '}');
  put_invocation(&w, &s);
  ts_json_begin(&w, "results", '[');
  for (size_t i = 0; i < s.count; i++) {
    if (!is_placed(diags, s.at[i]))
      continue;
    ts_json_line(&w, 0);
    put_result(&w, s.at[i], diags->sources);
  }
  for (const char *c = "]}]}"; *c; c++) ts_json_end(&w, *c);
  ts_json_end_document(&w);
  ts_arena_free(scratch);
}
