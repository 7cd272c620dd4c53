/* What a report is worth: what was warned of, and what it was made from, so that it can be made
 * again. */
#include <string.h>

#include "base/diag_record.h"
#include "base/digest.h"
#include "base/escape.h"
#include "base/format.h"
#include "ir/names.h"
#include "runtime/report/members.h"
#include "runtime/report/picture.h"
#include "runtime/report/report.h"

enum {
  WIDTH = TS_REPORT_WIDTH,
  CODE = 9,
  SHORT_DIGEST = 8 /* hexadecimal digits: enough to distinguish the versions of a file */
};

static const char *string(const ts_summary *s, ts_ir_str text) { return s->ir->strings + text; }

/* ---- Warnings ---- */

void ts_report_tells(const ts_summary *s, ts_diags *diags)
{
  for (size_t i = 0; i < diags->all.count; i++) {
    ts_diag *d = diags->all.at[i];
    for (size_t k = 0; k < s->warnings.at.count && d->severity == TS_WARNING; k++)
      d->off |= !strcmp(s->warnings.at.at[k].code, ts_code_name(d->code)) &&
                !strcmp(s->warnings.at.at[k].message, d->message);
  }
}

void ts_report_silence(ts_summary *s, const ts_diags *diags)
{
  ts_warnings visible = {0};
  for (size_t i = 0; i < s->warnings.at.count; i++) {
    ts_code code;
    if (!ts_code_named(s->warnings.at.at[i].code, &code) || !ts_diags_silenced(diags, code))
      TS_PUSH(s->arena, &visible.at, s->warnings.at.at[i]);
  }
  s->warnings = visible;
}

void ts_report_wrapped(ts_arena *arena, const char *text, unsigned indent, unsigned used, FILE *out)
{
  for (const char *word = text; *word;) {
    size_t length = strcspn(word, " \n");
    if (!strncmp(word + length, " %", 2)) /* stays with its number */
      length += 2 + strcspn(word + length + 2, " \n");
    const char *shown =
      ts_report_fit(arena, ts_arena_printf(arena, "%.*s", (int)length, word), WIDTH - indent);
    unsigned columns = ts_report_columns(shown);
    bool first = word == text, breaks = used > indent && used + !first + columns > WIDTH;
    if (breaks)
      ts_put_text(out, "\n%*s", (int)indent, "");
    ts_put_text(out, "%s%s", first || breaks ? "" : " ", shown);
    used = breaks ? indent + columns : used + !first + columns;
    word += length;
    word += strspn(word, " \n");
  }
  fputc('\n', out);
}

/* The sentence, with its place and how many more are like it. */
static const char *sentence(ts_arena *arena, const ts_summary *s, const ts_warning *w)
{
  const char *place = ts_report_place(arena, s->ir, w->loc);
  const char *more = w->more ? ts_arena_printf(arena, ", and %u more like it", w->more) : "";
  return ts_arena_printf(arena, "%s%s%s%s%s", w->message, more, *place ? " (" : "", place,
                         *place ? ")" : "");
}

void ts_report_warnings_text(const ts_summary *s, ts_arena *arena, FILE *out)
{
  if (s->warnings.at.count)
    fputs("\nWarnings\n", out);
  for (size_t i = 0; i < s->warnings.at.count; i++) {
    const ts_warning *w = &s->warnings.at.at[i];
    ts_put_text(out, "  %-*s", CODE - 2, ts_report_fit(arena, w->code, CODE - 3));
    ts_report_wrapped(arena, sentence(arena, s, w), CODE, CODE, out);
    for (size_t n = 0; n < w->notes.count; n++)
      if (w->notes.at[n].kind == TS_IR_REMARK_HELP) {
        ts_put_text(out, "%*shelp: ", CODE, "");
        ts_report_wrapped(arena, w->notes.at[n].text, CODE, CODE + 6, out);
      }
  }
}

void ts_report_warnings_html(const ts_summary *s, FILE *out)
{
  if (!s->warnings.at.count)
    return;
  fputs("<div class=\"warnings\">\n", out);
  for (size_t i = 0; i < s->warnings.at.count; i++) {
    const ts_warning *w = &s->warnings.at.at[i];
    fputs("<p><b>", out);
    ts_put_xml(out, "%s", w->code);
    fputs("</b> ", out);
    ts_put_xml(out, "%s", sentence(s->arena, s, w));
    for (size_t n = 0; n < w->notes.count; n++) {
      if (w->notes.at[n].kind == TS_IR_REMARK_LABEL)
        continue;
      fputs("<br><small>", out);
      ts_put_xml(out, "%s",
                 ts_arena_printf(s->arena, "%s%s%s", w->notes.at[n].name,
                                 *w->notes.at[n].name ? ": " : "", w->notes.at[n].text));
      fputs("</small>", out);
    }
    fputs("</p>\n", out);
  }
  fputs("</div>\n", out);
}

static void add_place(cJSON *object, const ts_ir *ir, uint32_t loc)
{
  const ts_ir_loc *l = loc < ir->locs_count ? &ir->locs[loc] : NULL;
  if (l) {
    cJSON_AddStringToObject(object, "file", ir->strings + ir->sources[l->source].name);
    cJSON_AddNumberToObject(object, "line", l->line);
    cJSON_AddNumberToObject(object, "column", l->column);
  } else {
    cJSON_AddNullToObject(object, "file");
    cJSON_AddNullToObject(object, "line");
    cJSON_AddNullToObject(object, "column");
  }
}

static cJSON *warning_object(const ts_summary *s, const ts_warning *w)
{
  cJSON *object = cJSON_CreateObject(), *notes;
  ts_code code;
  const char *help = NULL;
  cJSON_AddStringToObject(object, "code", w->code);
  cJSON_AddStringToObject(object, "name",
                          ts_code_named(w->code, &code) ? ts_code_short_name(code) : "");
  cJSON_AddStringToObject(object, "message", w->message);
  cJSON_AddStringToObject(object, "label", w->here);
  add_place(object, s->ir, w->loc);
  cJSON_AddNumberToObject(object, "more", w->more);
  notes = cJSON_AddArrayToObject(object, "notes");
  for (size_t i = 0; i < w->notes.count; i++) {
    const ts_warning_note *n = &w->notes.at[i];
    if (n->kind == TS_IR_REMARK_HELP) {
      help = help ? ts_arena_printf(s->arena, "%s\n%s", help, n->text) : n->text;
      continue;
    }
    cJSON *note = ts_add_element(notes);
    cJSON_AddStringToObject(note, "name", n->name);
    cJSON_AddStringToObject(note, "message", n->text);
    add_place(note, s->ir, n->loc);
  }
  if (help)
    cJSON_AddStringToObject(object, "help", help);
  else
    cJSON_AddNullToObject(object, "help");
  return object;
}

cJSON *ts_report_warnings_json(const ts_summary *s)
{
  cJSON *list = cJSON_CreateArray();
  for (size_t i = 0; i < s->warnings.at.count; i++)
    cJSON_AddItemToArray(list, warning_object(s, &s->warnings.at.at[i]));
  return list;
}

/* ---- What it was made from ---- */

static uint32_t devices_of(const ts_ir *ir, uint32_t device_class)
{
  uint32_t count = 0;
  for (uint32_t v = 0; v < ir->devices_count; v++)
    count += ir->devices[v].device_class == device_class;
  return count;
}

static void line(ts_arena *arena, const char *name, const char *text, FILE *out)
{
  enum { NAME = 14 };
  const char *shown = ts_report_fit(arena, name, WIDTH / 2);
  unsigned used = 2 + ts_report_columns(shown);
  unsigned gap = used < NAME ? NAME - used : 1;
  ts_put_text(out, "  %s%*s", shown, (int)gap, "");
  ts_report_wrapped(arena, text, NAME, used + gap, out);
}

/* Parameters in the order of the command line are as they were first asked for: a plan asks for its
 * own in the order of their declaration. */
static void parameters(const ts_summary *s, ts_arena *arena, FILE *out)
{
  const char *all = "";
  for (uint32_t i = 0; i < s->ir->sources_count; i++) {
    const ts_ir_source *d = &s->ir->sources[i];
    if (*string(s, d->text))
      all = ts_arena_printf(arena, "%s%s%s=%s", all, *all ? " " : "", string(s, d->name),
                            string(s, d->text));
  }
  if (*all)
    line(arena, "parameters", all, out);
}

static const char *short_digest(ts_arena *arena, const uint8_t digest[TS_DIGEST_SIZE])
{
  char hex[2 * TS_DIGEST_SIZE + 1];
  ts_digest_hex(digest, hex);
  return ts_arena_printf(arena, "%.*s", SHORT_DIGEST, hex);
}

static void requested(const ts_summary *s, ts_arena *arena, FILE *out)
{
  const char *all = "";
  for (uint32_t i = 0; i < s->requested_count; i++) {
    const ts_given_option *a = &s->requested[i];
    if (!a->text) {
      line(arena, "IR", ts_arena_printf(arena, "%s %s", a->file, short_digest(arena, a->sha256)),
           out);
      continue;
    }
    const char *digest =
      a->file ? ts_arena_printf(arena, " (%s %s)", a->file, short_digest(arena, a->sha256)) : "";
    all = ts_arena_printf(arena, "%s%s%s%s", all, *all ? " " : "", a->text, digest);
  }
  if (*all)
    line(arena, "options", all, out);
}

static bool is_library(const char *name) { return strncmp(name, "std/", 4) == 0; }

/* Files of the plan that are not of the library, each with its digest. */
static const char *own_files(const ts_summary *s, ts_arena *arena)
{
  const char *all = "";
  for (uint32_t i = 0; i < s->ir->sources_count; i++) {
    const ts_ir_source *d = &s->ir->sources[i];
    if (!is_library(string(s, d->name)) && !*string(s, d->text))
      all = ts_arena_printf(arena, "%s%s%s %s", all, *all ? ", " : "", string(s, d->name),
                            short_digest(arena, d->sha256));
  }
  return all;
}

const char *ts_report_made_from(const ts_summary *s, ts_arena *arena)
{
  const char *const parts[] = {string(s, s->ir->meta->cluster), own_files(s, arena),
                               string(s, s->ir->meta->tool)};
  const char *all = "";
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    if (*parts[i])
      all = ts_arena_printf(arena, "%s%s%s", all, *all ? "; " : "", parts[i]);
  return all;
}

static void inputs(const ts_summary *s, ts_arena *arena, FILE *out)
{
  uint32_t library = 0;
  TS_VEC(uint8_t) digests = {0};
  for (uint32_t i = 0; i < s->ir->sources_count; i++) {
    const ts_ir_source *d = &s->ir->sources[i];
    bool of_library = is_library(string(s, d->name));
    library += of_library;
    for (int b = 0; of_library && b < TS_DIGEST_SIZE; b++)
      TS_PUSH(arena, &digests, d->sha256[b]);
  }
  const char *own = own_files(s, arena);
  if (*own)
    line(arena, "inputs", own, out);
  if (!library)
    return;
  uint8_t whole[TS_DIGEST_SIZE];
  ts_digest_bytes(digests.at, digests.count, whole);
  line(arena, "library",
       ts_arena_printf(arena, "%u file%s of std, together %s", library, library == 1 ? "" : "s",
                       short_digest(arena, whole)),
       out);
}

void ts_report_provenance_text(const ts_summary *s, ts_arena *arena, FILE *out)
{
  const ts_ir *ir = s->ir;
  if (!ir->sources_count && !s->requested_count)
    return;
  fputs("\nMade from\n", out);
  if (*string(s, ir->meta->cluster))
    line(arena, "cluster", string(s, ir->meta->cluster), out);
  const char *gpus = "";
  for (uint32_t c = 0; c < ir->device_classes_count; c++)
    gpus = ts_arena_printf(arena, "%s%s%s x %s", gpus, *gpus ? ", " : "",
                           ts_format_count(devices_of(ir, c)).text,
                           string(s, ir->device_classes[c].name));
  if (*gpus)
    line(arena, "devices", gpus, out);
  parameters(s, arena, out);
  requested(s, arena, out);
  inputs(s, arena, out);
  if (*string(s, ir->meta->tool))
    line(arena, "made by", string(s, ir->meta->tool), out);
}

static void options_json(const ts_summary *s, cJSON *root)
{
  cJSON *options = cJSON_AddArrayToObject(root, "options");
  char hex[2 * TS_DIGEST_SIZE + 1];
  for (uint32_t i = 0; i < s->requested_count; i++) {
    const ts_given_option *a = &s->requested[i];
    cJSON *object = a->text ? cJSON_CreateObject() : cJSON_AddObjectToObject(root, "ir");
    if (a->text) {
      cJSON_AddItemToArray(options, object);
      cJSON_AddStringToObject(object, "text", a->text);
    }
    if (!a->file)
      continue;
    ts_digest_hex(a->sha256, hex);
    cJSON_AddStringToObject(object, a->text ? "file" : "name", a->file);
    cJSON_AddStringToObject(object, "sha256", hex);
  }
}

void ts_report_provenance_json(const ts_summary *s, cJSON *root)
{
  options_json(s, root);
  const ts_ir *ir = s->ir;
  cJSON *cluster = cJSON_AddObjectToObject(root, "cluster");
  cJSON_AddStringToObject(cluster, "name", string(s, ir->meta->cluster));
  cJSON *devices = cJSON_AddArrayToObject(cluster, "devices");
  for (uint32_t c = 0; c < ir->device_classes_count; c++) {
    cJSON *device = ts_add_element(devices);
    cJSON_AddStringToObject(device, "name", string(s, ir->device_classes[c].name));
    cJSON_AddNumberToObject(device, "count", devices_of(ir, c));
  }
  cJSON *list = cJSON_AddArrayToObject(root, "inputs");
  for (uint32_t i = 0; i < ir->sources_count; i++) {
    cJSON *input = cJSON_CreateObject();
    char hex[2 * TS_DIGEST_SIZE + 1];
    cJSON_AddItemToArray(list, input);
    ts_digest_hex(ir->sources[i].sha256, hex);
    cJSON_AddStringToObject(input, "name", string(s, ir->sources[i].name));
    cJSON_AddStringToObject(input, "role", string(s, ir->sources[i].role));
    cJSON_AddStringToObject(input, "sha256", hex);
    if (*string(s, ir->sources[i].text))
      cJSON_AddStringToObject(input, "text", string(s, ir->sources[i].text));
  }
}
