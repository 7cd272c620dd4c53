#include "tools/cli/log_formats.h"

#include <string.h>

#include "base/exit.h"
#include "base/source.h"
#include "compiler/eval/eval.h"
#include "compiler/eval/files.h"
#include "compiler/eval/stdlib_embed.h"

typedef struct format_reader {
  ts_session *s;
  ts_module *module;
  const char *path;
} format_reader;

/* Of a record of a declared type, all of whose fields are there. */
static const ts_value *log_formats_member(const ts_value *record, const char *name)
{
  return ts_record_find(record->u.record, name);
}

static const ts_list *list_in(const ts_value *record, const char *name)
{
  return log_formats_member(record, name)->u.list;
}

static const char *text_in(const ts_value *record, const char *name)
{
  return log_formats_member(record, name)->u.string;
}

static bool format_wrong(format_reader *r, const ts_value *at, const char *help,
                         const char *message, const char *word)
{
  ts_diag *d = ts_diag_add(r->s->diags, TS_E0525, at->span, message, word);
  ts_diag_help(d, "%s", help);
  return false;
}

static const char *const *texts_of(format_reader *r, const ts_list *list)
{
  const char **texts = TS_NEW_ARRAY(r->s->arena, const char *, list->count + 1);
  for (uint32_t i = 0; i < list->count; i++)
    texts[i] = list->at[i].u.string;
  return texts;
}

static bool take_reading(format_reader *r, const ts_value *v, ts_log_reading *reading)
{
  const char *name = text_in(v, "figure");
  int figure = ts_log_figure_named(name);
  if (figure < 0)
    return format_wrong(r, v, "std.import.logs says which there are",
                        "a line of a log has no figure `%s`", name);
  *reading = (ts_log_reading){(ts_log_figure)figure, text_in(v, "after"), text_in(v, "before"),
                              log_formats_member(v, "times")->u.real};
  if (!*reading->after == !*reading->before)
    return format_wrong(r, v, "state `after`, the text before the number, or `before`, that behind",
                        "it is not said where `%s` stands in the line", name);
  return true;
}

static const ts_log_reading *readings_of(format_reader *r, const ts_list *list, uint32_t *count)
{
  ts_log_reading *reads = TS_NEW_ARRAY(r->s->arena, ts_log_reading, list->count);
  *count = list->count;
  for (uint32_t i = 0; i < list->count; i++)
    if (!take_reading(r, &list->at[i], &reads[i]))
      return NULL;
  return reads;
}

static bool take_line(format_reader *r, const ts_value *v, ts_log_line *line)
{
  const char *kind = text_in(v, "kind");
  int k = ts_log_line_kind_named(kind);
  if (k < 0)
    return format_wrong(r, v, "std.import.logs says which there are",
                        "there are no lines of the kind `%s` in logs", kind);
  if (!list_in(v, "has")->count)
    return format_wrong(r, v, "`has` lists texts that all stand in such a line",
                        "nothing tells lines of the kind `%s` from others", kind);
  *line = (ts_log_line){.kind = (ts_log_line_kind)k,
                        .has = texts_of(r, list_in(v, "has")),
                        .sum = log_formats_member(v, "sum")->u.truth};
  line->reads = readings_of(r, list_in(v, "reads"), &line->count);
  return line->reads != NULL;
}

static bool take_format(format_reader *r, const ts_value *v, ts_log_format *format)
{
  const ts_list *lines = list_in(v, "lines");
  ts_log_line *at = TS_NEW_ARRAY(r->s->arena, ts_log_line, lines->count);
  for (uint32_t i = 0; i < lines->count; i++)
    if (!take_line(r, &lines->at[i], &at[i]))
      return false;
  *format = (ts_log_format){text_in(v, "name"), at, lines->count};
  return true;
}

/* A list of texts, or of records of a type that std.import.logs declares; then their fields are of
 * its types, too. */
static const ts_list *look_up(format_reader *r, const char *name, const char *type)
{
  ts_value value;
  bool good = ts_module_lookup(r->s, r->module, ts_lang_intern(r->s->lang, name, strlen(name)),
                               TS_NO_SPAN, &value) &&
              value.type == TS_T_LIST;
  for (uint32_t i = 0; good && i < value.u.list->count; i++) {
    const ts_value *v = &value.u.list->at[i];
    good = type ?
             v->type == TS_T_RECORD && v->u.record->type && !strcmp(v->u.record->type->name, type) :
             v->type == TS_T_STRING;
  }
  if (!good && !ts_diags_errors(r->s->diags)) {
    ts_diag *d = ts_diag_add(r->s->diags, TS_E0525, TS_NO_SPAN, "`%s` declares no `%s: List[%s]`",
                             r->path, name, type ? type : "String");
    ts_diag_help(d, "begin with `import std.import.logs (LogFormat, LogReading)`");
  }
  return good ? value.u.list : NULL;
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
  if (!r.module || ts_diags_errors(s->diags))
    return false;
  const ts_list *lines = look_up(&r, "log_formats", "LogFormat"),
                *columns = lines ? look_up(&r, "log_columns", "LogReading") : NULL,
                *lists = columns ? look_up(&r, "log_lists", NULL) : NULL;
  if (!lists)
    return false;
  ts_log_format *at = TS_NEW_ARRAY(s->arena, ts_log_format, lines->count);
  for (uint32_t i = 0; i < lines->count; i++)
    if (!take_format(&r, &lines->at[i], &at[i]))
      return false;
  *formats = (ts_log_formats){.at = at, .count = lines->count, .lists = texts_of(&r, lists)};
  formats->columns = readings_of(&r, columns, &formats->column_count);
  return formats->columns != NULL;
}

static int log_refuse(ts_session *s, const char *path, const ts_error *why)
{
  ts_diag *d = ts_diag_add_error(s->diags, TS_E0525, why, "cannot read the log `%s`", path);
  ts_diag_help(d, "a profiler's recording is for `trainspec trace`");
  return TS_EXIT_REJECTED;
}

int ts_log_open(ts_session *s, const char *path, const char *formats, ts_log *log,
                ts_log_steady *steady)
{
  ts_log_formats known;
  ts_error why = {0};
  size_t size;
  int error;
  char *text = ts_read_file(s->arena, path, &size, &error);
  if (!text) {
    ts_diag_add(s->diags, TS_E0701, TS_NO_SPAN, "cannot read `%s`: %s", path, strerror(error));
    return TS_EXIT_ENVIRONMENT;
  }
  if (!ts_log_formats_load(s, formats, &known))
    return TS_EXIT_REJECTED;
  if (!ts_log_read(s->arena, &known, text, size, log, &why))
    return log_refuse(s, path, &why);
  if (ts_log_find_steady(s->arena, log, steady))
    return TS_EXIT_DONE;
  ts_fail(&why, "two lines with clocks, or one with the time of a step, are needed",
          "no step of it has a time: %s, %u steps", log->format, log->count);
  return log_refuse(s, path, &why);
}
