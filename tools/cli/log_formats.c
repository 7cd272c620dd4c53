#include "tools/cli/log_formats.h"

#include <string.h>

#include "compiler/eval/eval.h"
#include "compiler/eval/files.h"
#include "compiler/eval/stdlib_embed.h"

typedef struct format_reader {
  ts_session *s;
  ts_module *module;
  const char *path;
} format_reader;

static const ts_list *list_of(const ts_value *v)
{
  static const ts_list none = {0, NULL};
  return v && v->type == TS_T_LIST ? v->u.list : &none;
}

static const char *log_formats_text_of(const ts_value *v)
{
  return v && v->type == TS_T_STRING ? v->u.string : "";
}

static double log_formats_number_of(const ts_value *v)
{
  return v && v->type == TS_T_INT  ? (double)v->u.integer :
         v && v->type == TS_T_REAL ? v->u.real :
                                     1;
}

static const ts_value *log_formats_member(const ts_value *record, const char *name)
{
  return record->type == TS_T_RECORD ? ts_record_find(record->u.record, name) : NULL;
}

static bool format_wrong(format_reader *r, const ts_value *at, const char *what, const char *word)
{
  ts_diag *d = ts_diag_add(r->s->diags, TS_E0525, at ? at->span : TS_NO_SPAN,
                           "%s of a format of logs is not known: `%s`", what, word);
  ts_diag_help(d, "std.import.logs says which there are");
  return false;
}

static const char *const *texts_of(format_reader *r, const ts_value *v)
{
  const ts_list *list = list_of(v);
  const char **texts = TS_NEW_ARRAY(r->s->arena, const char *, list->count + 1);
  for (uint32_t i = 0; i < list->count; i++)
    texts[i] = log_formats_text_of(&list->at[i]);
  return texts;
}

static const ts_log_reading *readings_of(format_reader *r, const ts_value *v, uint32_t *count)
{
  const ts_list *list = list_of(v);
  ts_log_reading *reads = TS_NEW_ARRAY(r->s->arena, ts_log_reading, list->count);
  *count = list->count;
  for (uint32_t i = 0; i < list->count; i++) {
    const ts_value *at = &list->at[i];
    const char *name = log_formats_text_of(log_formats_member(at, "figure"));
    int figure = ts_log_figure_named(name);
    if (figure < 0) {
      format_wrong(r, at, "a figure", name);
      return NULL;
    }
    reads[i] =
      (ts_log_reading){(ts_log_figure)figure, log_formats_text_of(log_formats_member(at, "after")),
                       log_formats_text_of(log_formats_member(at, "before")),
                       log_formats_number_of(log_formats_member(at, "times"))};
  }
  return reads;
}

static bool take_line(format_reader *r, const ts_value *v, ts_log_line *line)
{
  static const char *const kinds[] = {"step", "beside", "paused", "setting", "whole", NULL};
  const char *kind = log_formats_text_of(log_formats_member(v, "kind"));
  int k = 0;
  while (kinds[k] && strcmp(kinds[k], kind) != 0)
    k++;
  if (!kinds[k])
    return format_wrong(r, v, "a kind of lines", kind);
  const ts_value *sum = log_formats_member(v, "sum");
  *line = (ts_log_line){.kind = (ts_log_line_kind)k,
                        .has = texts_of(r, log_formats_member(v, "has")),
                        .sum = sum && sum->type == TS_T_BOOL && sum->u.truth};
  line->reads = readings_of(r, log_formats_member(v, "reads"), &line->count);
  return line->reads != NULL;
}

static bool take_format(format_reader *r, const ts_value *v, ts_log_format *format)
{
  const ts_list *lines = list_of(log_formats_member(v, "lines"));
  ts_log_line *at = TS_NEW_ARRAY(r->s->arena, ts_log_line, lines->count);
  for (uint32_t i = 0; i < lines->count; i++)
    if (!take_line(r, &lines->at[i], &at[i]))
      return false;
  *format = (ts_log_format){log_formats_text_of(log_formats_member(v, "name")), at, lines->count};
  return true;
}

static bool look_up(format_reader *r, const char *name, ts_value *value)
{
  if (ts_module_lookup(r->s, r->module, ts_lang_intern(r->s->lang, name, strlen(name)), TS_NO_SPAN,
                       value) &&
      value->type == TS_T_LIST)
    return true;
  if (!ts_diags_errors(r->s->diags))
    ts_diag_add(r->s->diags, TS_E0525, TS_NO_SPAN, "`%s` declares no list `%s`", r->path, name);
  return false;
}

bool ts_log_formats_load(ts_session *s, const char *path, ts_log_formats *formats)
{
  static const char standard[] = "import std.import.logs\n";
  static const ts_embedded_file given = {
    .path = "<formats>", .bytes = (const unsigned char *)standard, .size = sizeof standard - 1};
  if (!path) {
    s->files->given = &given;
    s->files->given_count = 1;
  }
  format_reader r = {s, ts_module_load(s, path ? path : given.path),
                     path ? path : "std.import.logs"};
  ts_value lines, columns, lists;
  if (!r.module || ts_diags_errors(s->diags) || !look_up(&r, "log_formats", &lines) ||
      !look_up(&r, "log_columns", &columns) || !look_up(&r, "log_lists", &lists))
    return false;
  ts_log_format *at = TS_NEW_ARRAY(s->arena, ts_log_format, lines.u.list->count);
  for (uint32_t i = 0; i < lines.u.list->count; i++)
    if (!take_format(&r, &lines.u.list->at[i], &at[i]))
      return false;
  *formats =
    (ts_log_formats){.at = at, .count = lines.u.list->count, .lists = texts_of(&r, &lists)};
  formats->columns = readings_of(&r, &columns, &formats->column_count);
  return formats->columns != NULL;
}
