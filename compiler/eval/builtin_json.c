/* `json("config.json")`: a file of JSON as a value: objects are records, arrays lists, null none.
 * And what takes records and texts apart whose fields only the file knows. */
#include <cjson/cJSON.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/eval/files.h"
#include "compiler/eval/function.h"
#include "base/json_tree.h"
#include "compiler/eval/names.h"
#include "compiler/eval/report.h"

enum { MOST_NESTED = 64 };

typedef struct builtin_json_reader {
  const ts_builtin_call *c;
  const char *wrong; /* why the file cannot be used */
} builtin_json_reader;

static ts_value builtin_json_value_of(builtin_json_reader *r, const cJSON *item, uint32_t depth);

/* Whole numbers that a double holds exactly are Ints. A file of Python's may have Infinity: it is
 * the largest number. */
static ts_value builtin_json_number_of(const builtin_json_reader *r, double n)
{
  if (!isfinite(n))
    n = n < 0 ? -DBL_MAX : DBL_MAX;
  if (fabs(n) < 0x1p53 && n == (double)(int64_t)n)
    return ts_int_value((int64_t)n, r->c->span);
  return ts_real_value(n, r->c->span);
}

static ts_value list_of(builtin_json_reader *r, const cJSON *array, uint32_t depth)
{
  ts_arena *arena = r->c->s->arena;
  TS_VEC(ts_value) all = {0};
  for (const cJSON *item = array->child; item && !r->wrong; item = item->next)
    TS_PUSH(arena, &all, builtin_json_value_of(r, item, depth));
  return ts_list_value(arena, all.at, (uint32_t)all.count, r->c->span);
}

static ts_value record_of(builtin_json_reader *r, const cJSON *object, uint32_t depth)
{
  ts_session *s = r->c->s;
  TS_VEC(ts_field) all = {0};
  ts_names seen = {0};
  for (const cJSON *item = object->child; item && !r->wrong; item = item->next) {
    const char *name = ts_lang_intern(s->lang, item->string, strlen(item->string));
    if (ts_names_get(&seen, name))
      r->wrong = ts_arena_printf(s->arena, "`%.60s` stands twice in one object", name);
    ts_value *value = TS_NEW(s->arena, ts_value);
    *value = builtin_json_value_of(r, item, depth);
    ts_names_put(s->arena, &seen, name, value);
    TS_PUSH(s->arena, &all, (ts_field){name, value, r->c->span});
  }
  ts_record *record = TS_NEW(s->arena, ts_record);
  *record = (ts_record){.count = (uint32_t)all.count, .at = all.at};
  return (ts_value){.type = TS_T_RECORD, .span = r->c->span, .u.record = record};
}

static ts_value builtin_json_value_of(builtin_json_reader *r, const cJSON *item, uint32_t depth)
{
  if (depth == MOST_NESTED)
    r->wrong = ts_arena_printf(r->c->s->arena, "it is nested deeper than %d levels", MOST_NESTED);
  if (r->wrong)
    return ts_none_value();
  if (cJSON_IsObject(item))
    return record_of(r, item, depth + 1);
  if (cJSON_IsArray(item))
    return list_of(r, item, depth + 1);
  if (cJSON_IsString(item))
    return ts_string_value(
      ts_lang_intern(r->c->s->lang, item->valuestring, strlen(item->valuestring)), r->c->span);
  if (cJSON_IsNumber(item))
    return builtin_json_number_of(r, item->valuedouble);
  return cJSON_IsBool(item) ? ts_bool_value(cJSON_IsTrue(item), r->c->span) : ts_none_value();
}

/* Infinity, which Python writes and JSON has not, as a number beyond all. */
static void spell_infinity(char *text, size_t size)
{
  static const char python[] = "Infinity", number[] = "1e99999 ";
  const size_t length = sizeof python - 1;
  bool quoted = false;
  for (size_t i = 0; i < size; i++) {
    if (text[i] == '"')
      quoted = !quoted;
    else if (quoted && text[i] == '\\')
      i++;
    else if (!quoted && size - i >= length && !memcmp(text + i, python, length))
      memcpy(text + i, number, length);
  }
}

static uint32_t line_of(const char *text, const char *at)
{
  uint32_t line = 1;
  for (; text < at; text++)
    line += *text == '\n';
  return line;
}

static bool is_blank(const char *at, const char *end)
{
  while (at < end && strchr(" \t\r\n", *at))
    at++;
  return at >= end;
}

ts_value ts_builtin_json(const ts_builtin_call *c)
{
  const char *file = c->arg[0].u.string, *end = NULL;
  ts_found found;
  size_t size;
  builtin_json_reader r = {.c = c};
  ts_value value = ts_error_value();
  ts_span span = c->arg[0].span;
  char *read = ts_session_read(c->s, span.file, file, "json", span, &size, &found);
  if (!read || !ts_charge(c->s, size, c->span))
    return value;
  char *text = ts_arena_string(c->s->arena, read, size);
  spell_infinity(text, size);
  cJSON *root = ts_json_tree(text, size, &end);
  bool is_json = root && is_blank(end, text + size);
  if (!is_json)
    r.wrong = ts_arena_printf(c->s->arena, "line %u is not JSON", line_of(text, end ? end : text));
  else
    value = builtin_json_value_of(&r, root, 0);
  cJSON_Delete(root);
  if (!r.wrong)
    return value;
  ts_diag *d = ts_report(c->s, TS_E0502, span, "`%s` cannot be used as a file of JSON", file);
  ts_diag_here(d, "%s", r.wrong);
  if (!is_json)
    ts_diag_help(d, "a file has one value; JSON knows no comment, no comma behind the last item, and "
                    "no `NaN`: null is what is not known");
  return ts_error_value();
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

static ts_value texts(const ts_builtin_call *c, bool letters)
{
  const char *text = c->arg[0].u.string;
  TS_VEC(ts_value) all = {0};
  if (!ts_charge(c->s, strlen(text), c->span))
    return ts_error_value();
  for (size_t length; *text; text += length) {
    size_t blanks = letters ? 0 : strspn(text, " ");
    length = letters ? 1 : blanks + strcspn(text + blanks, " ");
    while (letters && (text[length] & 0xC0) == 0x80) /* the rest of a character in UTF-8 */
      length++;
    if (length > blanks)
      TS_PUSH(
        c->s->arena, &all,
        ts_string_value(ts_lang_intern(c->s->lang, text + blanks, length - blanks), c->span));
  }
  return ts_list_value(c->s->arena, all.at, (uint32_t)all.count, c->span);
}

ts_value ts_builtin_letters(const ts_builtin_call *c) { return texts(c, true); }
ts_value ts_builtin_words(const ts_builtin_call *c) { return texts(c, false); }
