#include "base/diag.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag_record.h"
#include "base/exit.h"

enum { error = TS_ERROR, warning = TS_WARNING, note = TS_NOTE }; /* the words of the table */

static const struct code_row {
  const char *code, *name, *title;
  ts_severity severity;
} codes[] = {
#define DIAG(code, severity, name, title) {#code, name, title, (ts_severity)severity},
#include "base/diag_codes.def"
#undef DIAG
};

const char *ts_code_name(ts_code code) { return codes[code].code; }
const char *ts_code_title(ts_code code) { return codes[code].title; }
const char *ts_code_short_name(ts_code code) { return codes[code].name; }

bool ts_code_named(const char *name, ts_code *code)
{
  for (unsigned c = 0; name && c < TS_CODE_COUNT; c++)
    if (strcmp(codes[c].code, name) == 0)
      return *code = (ts_code)c, true;
  return false;
}

const char *ts_severity_word(ts_severity severity)
{
  static const char *const words[] = {
    [TS_NOTE] = "note", [TS_WARNING] = "warning", [TS_ERROR] = "error"};
  return words[severity];
}

ts_diags *ts_diags_new(ts_arena *arena, const ts_sources *sources)
{
  ts_diags *diags = TS_NEW(arena, ts_diags);
  diags->arena = arena;
  diags->sources = sources;
  return diags;
}

ts_diag *ts_diag_add(ts_diags *diags, ts_code code, ts_span primary, const char *format, ...)
{
  ts_diag *d = TS_NEW(diags->arena, ts_diag);
  d->arena = diags->arena;
  d->code = code;
  d->severity = codes[code].severity;
  d->primary = primary;
  TS_FORMATTED(d->arena, format, d->message);
  if (d->severity == TS_WARNING) {
    d->off = diags->off[code];
    if (diags->promoted[code] || diags->warnings_are_errors)
      d->severity = TS_ERROR;
  }
  TS_PUSH(diags->arena, &diags->all, d);
  return d;
}

ts_diag *ts_diag_add_error(ts_diags *diags, ts_code code, const ts_error *e, const char *format,
                           ...)
{
  char *what;
  TS_FORMATTED(diags->arena, format, what);
  ts_diag *d = ts_diag_add(diags, code, TS_NO_SPAN, "%s: %s", what, e->message);
  if (e->column)
    ts_diag_fact(d, "where", "line %u, column %u", e->line, e->column);
  else if (e->line)
    ts_diag_fact(d, "where", "line %u, byte %" PRIu64 " of the text", e->line, e->begin);
  else if (e->begin)
    ts_diag_fact(d, "where", "byte %" PRIu64, e->begin);
  if (e->help[0])
    ts_diag_help(d, "%s", e->help);
  return d;
}

void ts_diag_here(ts_diag *d, const char *format, ...) { TS_FORMATTED(d->arena, format, d->here); }

void ts_diag_label(ts_diag *d, ts_span span, const char *format, ...)
{
  ts_diag_text label = {.span = span};
  TS_FORMATTED(d->arena, format, label.text);
  if (span.file)
    TS_PUSH(d->arena, &d->labels, label);
}

void ts_diag_note_at(ts_diag *d, ts_span span, const char *format, ...)
{
  ts_diag_child child = {.kind = TS_CHILD_NOTE, .span = span};
  TS_FORMATTED(d->arena, format, child.text);
  TS_PUSH(d->arena, &d->children, child);
}

void ts_diag_note(ts_diag *d, const char *format, ...)
{
  ts_diag_child child = {.kind = TS_CHILD_NOTE};
  TS_FORMATTED(d->arena, format, child.text);
  TS_PUSH(d->arena, &d->children, child);
}

void ts_diag_fact(ts_diag *d, const char *name, const char *format, ...)
{
  ts_diag_child fact = {.kind = TS_CHILD_FACT,
                        .name = ts_arena_string(d->arena, name, strlen(name))};
  TS_FORMATTED(d->arena, format, fact.text);
  TS_PUSH(d->arena, &d->children, fact);
}

void ts_diag_help(ts_diag *d, const char *format, ...)
{
  ts_diag_child help = {.kind = TS_CHILD_HELP};
  TS_FORMATTED(d->arena, format, help.text);
  TS_PUSH(d->arena, &d->children, help);
}

void ts_diag_edit(ts_diag *d, ts_span span, const char *text, const char *format, ...)
{
  ts_diag_child edit = {.kind = TS_CHILD_EDIT,
                        .span = span,
                        .replacement = ts_arena_string(d->arena, text, strlen(text))};
  TS_FORMATTED(d->arena, format, edit.text);
  TS_PUSH(d->arena, &d->children, edit);
}

void ts_diag_instead(ts_diag *d, const char *found, const char *replacement)
{
  ts_diag_child *help = &d->children.at[d->children.count - 1];
  help->name = ts_arena_string(d->arena, found, strlen(found));
  help->replacement = ts_arena_string(d->arena, replacement, strlen(replacement));
}

ts_span ts_diag_edited(const ts_diag *d, const ts_diag_child *child, const ts_sources *sources)
{
  if (child->kind == TS_CHILD_EDIT)
    return child->span;
  const ts_source *source = child->kind == TS_CHILD_HELP && child->replacement ?
                              ts_sources_get(sources, d->primary.file) :
                              NULL;
  size_t length = source ? strlen(child->name) : 0;
  if (!source || source->size - d->primary.begin < length ||
      memcmp(source->text + d->primary.begin, child->name, length) != 0)
    return TS_NO_SPAN;
  return (ts_span){d->primary.file, d->primary.begin, d->primary.begin + (uint32_t)length};
}

void ts_diag_value(ts_diag *d, const char *name, const char *value)
{
  ts_diag_pair pair = {ts_arena_string(d->arena, name, strlen(name)),
                       ts_arena_string(d->arena, value, strlen(value))};
  TS_PUSH(d->arena, &d->values, pair);
}

void ts_diag_more(ts_diag *d, unsigned count) { d->more += count; }

/* ---- From one queue to another ---- */

static uint32_t file_in(ts_sources *sources, const ts_source *file)
{
  for (uint32_t i = 1; file && i <= ts_sources_count(sources); i++) {
    const ts_source *known = ts_sources_get(sources, i);
    if (known->size == file->size && strcmp(known->name, file->name) == 0 &&
        memcmp(known->text, file->text, file->size) == 0)
      return i;
  }
  return file ? ts_sources_add(sources, file->name, file->role, file->text, file->size) : 0;
}

static ts_span span_in(ts_sources *sources, const ts_diags *from, ts_span span)
{
  span.file = file_in(sources, ts_sources_get(from->sources, span.file));
  return span.file ? span : TS_NO_SPAN;
}

static const char *text_in(ts_arena *arena, const char *text)
{
  return text ? ts_arena_string(arena, text, strlen(text)) : NULL;
}

static ts_diag *copy_of(ts_arena *arena, ts_sources *sources, const ts_diags *from,
                        const ts_diag *d)
{
  ts_diag *copy = TS_NEW(arena, ts_diag);
  *copy = (ts_diag){.arena = arena,
                    .code = d->code,
                    .severity = d->severity,
                    .off = d->off,
                    .more = d->more,
                    .primary = span_in(sources, from, d->primary),
                    .message = text_in(arena, d->message),
                    .here = text_in(arena, d->here)};
  for (size_t i = 0; i < d->labels.count; i++)
    TS_PUSH(arena, &copy->labels,
            ((ts_diag_text){span_in(sources, from, d->labels.at[i].span),
                            text_in(arena, d->labels.at[i].text)}));
  for (size_t i = 0; i < d->children.count; i++) {
    const ts_diag_child *c = &d->children.at[i];
    TS_PUSH(arena, &copy->children,
            ((ts_diag_child){c->kind, span_in(sources, from, c->span), text_in(arena, c->name),
                             text_in(arena, c->text), text_in(arena, c->replacement)}));
  }
  for (size_t i = 0; i < d->values.count; i++)
    TS_PUSH(arena, &copy->values,
            ((ts_diag_pair){text_in(arena, d->values.at[i].name),
                            text_in(arena, d->values.at[i].value)}));
  return copy;
}

void ts_diags_copy(ts_diags *to, ts_sources *sources, const ts_diags *from)
{
  for (size_t i = 0; i < from->all.count; i++)
    TS_PUSH(to->arena, &to->all, copy_of(to->arena, sources, from, from->all.at[i]));
}

/* ---- What is in a queue ---- */

static unsigned count_severity(const ts_diags *diags, ts_severity severity)
{
  unsigned count = 0;
  for (size_t i = 0; i < diags->all.count; i++)
    count += diags->all.at[i]->severity == severity && !diags->all.at[i]->off;
  return count;
}

unsigned ts_diags_errors(const ts_diags *diags) { return count_severity(diags, TS_ERROR); }
unsigned ts_diags_warnings(const ts_diags *diags) { return count_severity(diags, TS_WARNING); }

const char *ts_diags_first_error(const ts_diags *diags)
{
  for (size_t i = 0; i < diags->all.count; i++)
    if (diags->all.at[i]->severity == TS_ERROR)
      return diags->all.at[i]->message;
  return NULL;
}

/* A file that the plan names wrongly is the plan's mistake; one given on the command line is not
 * there. */
static bool is_of_environment(const ts_diag *d)
{
  return d->code == TS_E0229 || ((d->code == TS_E0701 || d->code == TS_E0702) && !d->primary.file);
}

int ts_diags_exit(const ts_diags *diags)
{
  unsigned errors = 0, environment = 0;
  for (size_t i = 0; i < diags->all.count; i++) {
    const ts_diag *d = diags->all.at[i];
    errors += d->severity == TS_ERROR && !d->off;
    environment += d->severity == TS_ERROR && !d->off && is_of_environment(d);
    if (d->code == TS_E0799)
      return TS_EXIT_BUG;
  }
  return !errors ? TS_EXIT_DONE : errors == environment ? TS_EXIT_ENVIRONMENT : TS_EXIT_REJECTED;
}

const char *ts_warning_name(size_t i)
{
  for (size_t k = 0; k < TS_CODE_COUNT; k++) {
    if (codes[k].severity == TS_WARNING && i-- == 0)
      return codes[k].name;
  }
  return NULL;
}

static bool set_warning(uint8_t *flags, const char *name, uint8_t value)
{
  for (size_t i = 0; i < TS_CODE_COUNT; i++) {
    if (codes[i].severity == TS_WARNING &&
        (strcmp(codes[i].name, name) == 0 || strcmp(codes[i].code, name) == 0)) {
      flags[i] = value;
      return true;
    }
  }
  return false;
}

bool ts_diags_warning_option(ts_diags *diags, const char *option)
{
  if (strcmp(option, "error") == 0)
    return diags->warnings_are_errors = true;
  if (strncmp(option, "error=", 6) == 0)
    return set_warning(diags->promoted, option + 6, 1);
  if (strncmp(option, "no-error=", 9) == 0)
    return set_warning(diags->promoted, option + 9, 0);
  if (strncmp(option, "no-", 3) == 0)
    return set_warning(diags->off, option + 3, 1);
  return set_warning(diags->off, option, 0);
}

bool ts_diags_silenced(const ts_diags *diags, ts_code code) { return diags->off[code]; }

/* A diagnostic and when it came. */
typedef struct arrived { ts_diag *diag; size_t number; } arrived;

static int by_place(const ts_diag *a, const ts_diag *b)
{
  uint32_t fa = a->primary.file ? a->primary.file : UINT32_MAX,
           fb = b->primary.file ? b->primary.file : UINT32_MAX;
  if (fa != fb)
    return fa < fb ? -1 : 1;
  return (a->primary.begin > b->primary.begin) - (a->primary.begin < b->primary.begin);
}

static int by_arrival(const arrived *a, const arrived *b)
{
  return (a->number > b->number) - (a->number < b->number);
}

static int by_content(const ts_diag *a, const ts_diag *b)
{
  int order = by_place(a, b);
  if (!order)
    order = (a->code > b->code) - (a->code < b->code);
  return order ? order : strcmp(a->message, b->message);
}

static int compare_content(const void *x, const void *y)
{
  const arrived *a = x, *b = y;
  int order = by_content(a->diag, b->diag);
  return order ? order : by_arrival(a, b);
}

static int compare_place(const void *x, const void *y)
{
  const arrived *a = x, *b = y;
  int order = by_place(a->diag, b->diag);
  return order ? order : by_arrival(a, b);
}

ts_diag **ts_diags_sorted(const ts_diags *diags, ts_arena *scratch, size_t *count)
{
  return ts_diags_sorted_from(diags, 0, scratch, count);
}

/* In the order of places, equal places in that of arrival; of equal messages the first. */
ts_diag **ts_diags_sorted_from(const ts_diags *diags, size_t first, ts_arena *scratch,
                               size_t *count)
{
  ts_diag **sorted = TS_NEW_ARRAY(scratch, ts_diag *, diags->all.count + 1);
  arrived *all = TS_NEW_ARRAY(scratch, arrived, diags->all.count + 1);
  size_t n = 0, distinct = 0;
  for (size_t i = first; i < diags->all.count; i++)
    if (!diags->all.at[i]->off)
      all[n++] = (arrived){diags->all.at[i], i};
  qsort(all, n, sizeof *all, compare_content);
  for (size_t i = 0; i < n; i++)
    if (!distinct || by_content(all[distinct - 1].diag, all[i].diag))
      all[distinct++] = all[i];
  qsort(all, distinct, sizeof *all, compare_place);
  for (size_t i = 0; i < distinct; i++)
    sorted[i] = all[i].diag;
  *count = distinct;
  return sorted;
}
