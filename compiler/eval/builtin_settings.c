/* `json("config.json")`, `yaml(...)`, `csv(...)`: a file of settings as a value: tables are records,
 * null is none. And what takes records and texts apart whose fields only the file knows. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/settings.h"
#include "compiler/eval/files.h"
#include "compiler/eval/function.h"
#include "compiler/eval/names.h"
#include "compiler/eval/report.h"

typedef struct builtin_settings_reader {
  const ts_builtin_call *c;
  ts_settings_wrong wrong; /* why the file cannot be used */
} builtin_settings_reader;

static ts_value builtin_settings_value_of(builtin_settings_reader *r, const ts_setting *s);

static ts_value list_of(builtin_settings_reader *r, const ts_setting *list)
{
  ts_arena *arena = r->c->s->arena;
  TS_VEC(ts_value) all = {0};
  for (const ts_setting *item = list->child; item && !r->wrong.why; item = item->next)
    TS_PUSH(arena, &all, builtin_settings_value_of(r, item));
  return ts_list_value(arena, all.at, (uint32_t)all.count, r->c->span);
}

static ts_value record_of(builtin_settings_reader *r, const ts_setting *table)
{
  ts_session *s = r->c->s;
  TS_VEC(ts_field) all = {0};
  ts_names seen = {0};
  for (const ts_setting *item = table->child; item && !r->wrong.why; item = item->next) {
    const char *name = ts_lang_intern(s->lang, item->name, strlen(item->name));
    if (ts_names_get(&seen, name))
      r->wrong.why = ts_arena_printf(s->arena, "`%.60s` stands twice in one object", name);
    ts_value *value = TS_NEW(s->arena, ts_value);
    *value = builtin_settings_value_of(r, item);
    ts_names_put(s->arena, &seen, name, value);
    TS_PUSH(s->arena, &all, (ts_field){name, value, r->c->span});
  }
  ts_record *record = TS_NEW(s->arena, ts_record);
  *record = (ts_record){.count = (uint32_t)all.count, .at = all.at};
  return (ts_value){.type = TS_T_RECORD, .span = r->c->span, .u.record = record};
}

/* A file may have infinity: it is the largest number. */
static ts_value real_of(builtin_settings_reader *r, const ts_setting *s)
{
  double n = s->u.real;
  if (isnan(n))
    r->wrong = (ts_settings_wrong){s->line, "it has no number there (`nan`)", false};
  if (!isfinite(n))
    n = n < 0 ? -DBL_MAX : DBL_MAX;
  return ts_real_value(n, r->c->span);
}

static ts_value builtin_settings_value_of(builtin_settings_reader *r, const ts_setting *s)
{
  switch (s->kind) {
  case TS_SETTING_BOOL: return ts_bool_value(s->u.truth, r->c->span);
  case TS_SETTING_WHOLE: return ts_int_value(s->u.whole, r->c->span);
  case TS_SETTING_REAL: return real_of(r, s);
  case TS_SETTING_TEXT:
  case TS_SETTING_TIME:
    return ts_string_value(ts_lang_intern(r->c->s->lang, s->u.text, strlen(s->u.text)), r->c->span);
  case TS_SETTING_LIST: return list_of(r, s);
  case TS_SETTING_TABLE: return record_of(r, s);
  default: return ts_none_value();
  }
}

static ts_value builtin_settings_file(const ts_builtin_call *c, ts_settings_format format,
                                      const char *role, const char *name, const char *help)
{
  const char *file = c->arg[0].u.string;
  ts_found found;
  size_t size;
  builtin_settings_reader r = {.c = c};
  ts_value value = ts_error_value();
  ts_span span = c->arg[0].span;
  char *read = ts_session_read(c->s, span.file, file, role, span, &size, &found);
  if (!read || !ts_charge(c->s, size, c->span))
    return value;
  const ts_setting *root = ts_settings_read(c->s->arena, format, read, size, &r.wrong);
  if (root && ts_charge(c->s, root->count, c->span))
    value = builtin_settings_value_of(&r, root);
  if (!r.wrong.why)
    return value;
  ts_diag *d = ts_report(c->s, TS_E0502, span, "`%s` cannot be used as a file of %s", file, name);
  if (r.wrong.line)
    ts_diag_here(d, "line %u: %s", r.wrong.line, r.wrong.why);
  else
    ts_diag_here(d, "%s", r.wrong.why);
  if (r.wrong.syntax && help)
    ts_diag_help(d, "%s", help);
  return ts_error_value();
}

ts_value ts_builtin_json(const ts_builtin_call *c)
{
  return builtin_settings_file(c, TS_SETTINGS_JSON, "json", "JSON",
                               "a file has one value; JSON knows no comment, no comma behind the "
                               "last item, and no `NaN`: null "
                               "is what is not known");
}

ts_value ts_builtin_toml(const ts_builtin_call *c)
{
  return builtin_settings_file(c, TS_SETTINGS_TOML, "toml", "TOML", NULL);
}

ts_value ts_builtin_yaml(const ts_builtin_call *c)
{
  return builtin_settings_file(c, TS_SETTINGS_YAML, "yaml", "YAML", NULL);
}

ts_value ts_builtin_csv(const ts_builtin_call *c)
{
  return builtin_settings_file(c, TS_SETTINGS_CSV, "table", "CSV", NULL);
}

ts_value ts_builtin_xml(const ts_builtin_call *c)
{
  return builtin_settings_file(c, TS_SETTINGS_XML, "xml", "XML", NULL);
}

ts_value ts_builtin_lines(const ts_builtin_call *c)
{
  return builtin_settings_file(c, TS_SETTINGS_LINES, "text", "text", NULL);
}

/* `number("400Gbps", otherwise)`: the number that the text begins with. */
ts_value ts_builtin_number(const ts_builtin_call *c)
{
  const char *text = c->arg[0].u.string;
  size_t length = strspn(text, "+-.0123456789eE");
  char digits[64], *end;
  if (!length || length >= sizeof digits || strchr("eE", *text))
    return c->arg[1];
  memcpy(digits, text, length);
  digits[length] = 0;
  double value = strtod(digits, &end);
  if (end == digits || fabs(value) > 1e300)
    return c->arg[1];
  bool whole = fabs(value) < 9e15 && value == (double)(int64_t)value;
  return whole ? ts_int_value((int64_t)value, c->span) : ts_real_value(value, c->span);
}

/* `places(items, list)`: where in the list each item stands first, -1 for one that does not. */
ts_value ts_builtin_places(const ts_builtin_call *c)
{
  const ts_list *items = c->arg[0].u.list, *list = c->arg[1].u.list;
  ts_names seen = {0};
  if (!ts_charge(c->s, (uint64_t)items->count + list->count, c->span))
    return ts_error_value();
  ts_value *at = TS_NEW_ARRAY(c->s->arena, ts_value, items->count);
  for (uint32_t i = list->count; i-- > 0;)
    ts_names_put(c->s->arena, &seen, list->at[i].u.string, &list->at[i]);
  for (uint32_t i = 0; i < items->count; i++) {
    const ts_value *found = ts_names_get(&seen, items->at[i].u.string);
    at[i] = ts_int_value(found ? found - list->at : -1, c->span);
  }
  return ts_list_value(c->s->arena, at, items->count, c->span);
}

/* `groups(list)`: the places of texts that are equal, a list for each. */
ts_value ts_builtin_groups(const ts_builtin_call *c)
{
  typedef struct group {
    TS_VEC(ts_value) places;
  } group;
  const ts_list *list = c->arg[0].u.list;
  ts_names seen = {0};
  TS_VEC(ts_value) all = {0};
  TS_VEC(group *) groups = {0};
  if (!ts_charge(c->s, list->count, c->span))
    return ts_error_value();
  for (uint32_t i = 0; i < list->count; i++) {
    group *g = (group *)ts_names_get(&seen, list->at[i].u.string);
    if (!g) {
      g = TS_NEW(c->s->arena, group);
      *g = (group){0};
      ts_names_put(c->s->arena, &seen, list->at[i].u.string, g);
      TS_PUSH(c->s->arena, &groups, g);
    }
    TS_PUSH(c->s->arena, &g->places, ts_int_value(i, c->span));
  }
  for (size_t g = 0; g < groups.count; g++)
    TS_PUSH(c->s->arena, &all,
            ts_list_value(c->s->arena, groups.at[g]->places.at,
                          (uint32_t)groups.at[g]->places.count, c->span));
  return ts_list_value(c->s->arena, all.at, (uint32_t)all.count, c->span);
}

ts_value ts_builtin_fields(const ts_builtin_call *c)
{
  const ts_record *record = c->arg[0].u.record;
  if (!ts_charge(c->s, record->count, c->span))
    return ts_error_value();
  ts_value *at = TS_NEW_ARRAY(c->s->arena, ts_value, record->count);
  for (uint32_t i = 0; i < record->count; i++)
    at[i] = ts_string_value(record->at[i].name, c->span);
  return ts_list_value(c->s->arena, at, record->count, c->span);
}

/* `field(r, "name", otherwise)`: what stands there; `otherwise` where nothing does. */
ts_value ts_builtin_field(const ts_builtin_call *c)
{
  const ts_record *record = c->arg[0].u.record;
  if (!ts_charge(c->s, record->count, c->span))
    return ts_error_value();
  const ts_value *found = ts_record_find(record, c->arg[1].u.string);
  return found ? *found : c->arg[2];
}

/* What stands between these characters; each letter where there are none. */
static ts_value texts(const ts_builtin_call *c, const char *between)
{
  const char *text = c->arg[0].u.string;
  TS_VEC(ts_value) all = {0};
  if (!ts_charge(c->s, strlen(text), c->span))
    return ts_error_value();
  for (size_t length; *text; text += length) {
    size_t blanks = strspn(text, between);
    length = *between ? blanks + strcspn(text + blanks, between) : 1;
    while (!*between && (text[length] & 0xC0) == 0x80) /* the rest of a character in UTF-8 */
      length++;
    if (length > blanks)
      TS_PUSH(c->s->arena, &all,
              ts_string_value(ts_lang_intern(c->s->lang, text + blanks, length - blanks), c->span));
  }
  return ts_list_value(c->s->arena, all.at, (uint32_t)all.count, c->span);
}

ts_value ts_builtin_letters(const ts_builtin_call *c) { return texts(c, ""); }
ts_value ts_builtin_words(const ts_builtin_call *c)
{
  return texts(c, c->count > 1 && *c->arg[1].u.string ? c->arg[1].u.string : " ");
}
