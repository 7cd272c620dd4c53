/* JSON as a tree of settings, without lines. Names may stand in an object twice. */
#include <math.h>
#include <string.h>

#include "base/json_tree.h"
#include "base/settings.h"

static ts_setting *value_of(ts_settings_reader *r, const cJSON *item, uint32_t depth);

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

static void fill(ts_settings_reader *r, ts_setting *to, const cJSON *of, uint32_t depth)
{
  for (const cJSON *item = of->child; item && !r->wrong->why; item = item->next) {
    ts_setting *value = value_of(r, item, depth);
    if (item->string)
      value->name = ts_arena_string(r->arena, item->string, strlen(item->string));
    ts_setting_push(r, to, value);
  }
}

/* Whole numbers that a double holds exactly are whole. */
static void put_number(ts_setting *s, double n)
{
  bool whole = fabs(n) < 0x1p53 && n == (double)(int64_t)n;
  s->kind = whole ? TS_SETTING_WHOLE : TS_SETTING_REAL;
  if (whole)
    s->u.whole = (int64_t)n;
  else
    s->u.real = n;
}

static ts_setting *value_of(ts_settings_reader *r, const cJSON *item, uint32_t depth)
{
  ts_setting *s = ts_setting_new(r, TS_SETTING_NONE, 0);
  if (depth == TS_SETTINGS_DEEPEST)
    ts_settings_refuse(r, 0, "it is nested deeper than %d levels", TS_SETTINGS_DEEPEST);
  if (r->wrong->why)
    return s;
  if (cJSON_IsObject(item) || cJSON_IsArray(item)) {
    s->kind = cJSON_IsObject(item) ? TS_SETTING_TABLE : TS_SETTING_LIST;
    fill(r, s, item, depth + 1);
  } else if (cJSON_IsString(item)) {
    s->kind = TS_SETTING_TEXT;
    s->u.text = ts_arena_string(r->arena, item->valuestring, strlen(item->valuestring));
  } else if (cJSON_IsNumber(item)) {
    put_number(s, item->valuedouble);
  } else if (cJSON_IsBool(item)) {
    s->kind = TS_SETTING_BOOL;
    s->u.truth = cJSON_IsTrue(item);
  }
  return s;
}

const ts_setting *ts_settings_json(ts_settings_reader *r, const char *read, size_t size)
{
  const char *end = NULL;
  char *text = ts_arena_string(r->arena, read, size);
  spell_infinity(text, size);
  cJSON *root = ts_json_tree(text, size, &end);
  const ts_setting *s = NULL;
  if (root) {
    s = value_of(r, root, 0);
  } else {
    ts_settings_refuse(r, 0, "line %u is not JSON", line_of(text, end ? end : text));
    r->wrong->syntax = true;
  }
  cJSON_Delete(root);
  return s;
}
