#include "base/settings.h"

#include <stdarg.h>
#include <string.h>

#include "base/text.h"

void ts_settings_refuse(ts_settings_reader *r, uint32_t line, const char *format, ...)
{
  if (r->wrong->why)
    return;
  va_list args;
  va_start(args, format);
  *r->wrong = (ts_settings_wrong){line, ts_arena_vprintf(r->arena, format, args), false};
  va_end(args);
}

ts_setting *ts_setting_new(ts_settings_reader *r, ts_setting_kind kind, uint32_t line)
{
  ts_setting *s = TS_NEW(r->arena, ts_setting);
  *s = (ts_setting){.kind = kind, .line = line, .count = 1};
  if (++r->made > TS_SETTINGS_MOST && line)
    ts_settings_refuse(r, line, "there are more than %d values", TS_SETTINGS_MOST);
  return s;
}

ts_setting *ts_setting_find(const ts_setting *table, const char *name)
{
  for (ts_setting *s = table->child; s; s = s->next)
    if (strcmp(s->name, name) == 0)
      return s;
  return NULL;
}

void ts_setting_push(ts_settings_reader *r, ts_setting *list, ts_setting *value)
{
  uint64_t count = (uint64_t)list->count + value->count;
  if (count > TS_SETTINGS_MOST && value->line)
    ts_settings_refuse(r, value->line, "there are more than %d values", TS_SETTINGS_MOST);
  list->count = count < UINT32_MAX ? (uint32_t)count : UINT32_MAX;
  if (list->last)
    list->last->next = value;
  else
    list->child = value;
  list->last = value;
}

void ts_setting_put(ts_settings_reader *r, ts_setting *table, const char *name, ts_setting *value)
{
  uint32_t names = 0;
  value->name = name;
  for (const ts_setting *s = table->child; s; s = s->next, names++)
    if (strcmp(s->name, name) == 0) {
      ts_settings_refuse(r, value->line, "`%.60s` stands twice in one table, in line %u first",
                         name, s->line);
      return;
    }
  if (names >= TS_SETTINGS_MOST_OF_TABLE)
    ts_settings_refuse(r, value->line, "a table has more than %d names", TS_SETTINGS_MOST_OF_TABLE);
  ts_setting_push(r, table, value);
}

/* A text, whatever reads it: UTF-8 without a 0. */
static bool is_text(ts_settings_reader *r, const char *text, size_t size)
{
  const char *zero = memchr(text, 0, size);
  size_t valid = ts_utf8_valid(text, size), until = zero ? (size_t)(zero - text) : size;
  uint32_t line = 1;
  if (valid == size && !zero)
    return true;
  until = valid < until ? valid : until;
  for (size_t i = 0; i < until; i++)
    line += text[i] == '\n';
  ts_settings_refuse(r, line, valid == until ? "a byte is not UTF-8" : "there is a byte 0");
  return false;
}

const ts_setting *ts_settings_read(ts_arena *arena, ts_settings_format format, const char *text,
                                   size_t size, ts_settings_wrong *wrong)
{
  static const char mark[] =
    "\xEF\xBB\xBF"; /* of byte order: UTF-8 has none, some editors write it */
  static const struct {
    const ts_setting *(*read)(ts_settings_reader *r, const char *text, size_t size);
  } readers[] = {{ts_settings_json},  {ts_settings_toml}, {ts_settings_yaml},
                 {ts_settings_lines}, {ts_settings_csv},  {ts_settings_xml}};
  ts_settings_reader r = {.arena = arena, .wrong = wrong};
  const ts_setting *read = NULL;
  size_t marked =
    format != TS_SETTINGS_JSON && format != TS_SETTINGS_YAML && size > 2 && !memcmp(text, mark, 3) ?
      3 :
      0;
  *wrong = (ts_settings_wrong){0};
  if (format != TS_SETTINGS_JSON && size > TS_SETTINGS_LARGEST)
    ts_settings_refuse(&r, 0, "it is larger than %d MiB", TS_SETTINGS_LARGEST >> 20);
  else if (format == TS_SETTINGS_JSON || is_text(&r, text, size))
    read = readers[format].read(&r, text + marked, size - marked);
  return wrong->why ? NULL : read;
}

bool ts_settings_format_of(const char *file, ts_settings_format *format)
{
  static const struct {
    const char *end;
    ts_settings_format format;
  } all[] = {{".toml", TS_SETTINGS_TOML},
             {".yaml", TS_SETTINGS_YAML},
             {".yml", TS_SETTINGS_YAML},
             {".json", TS_SETTINGS_JSON}};
  size_t length = strlen(file);
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    if (length > strlen(all[i].end) &&
        strcmp(file + length - strlen(all[i].end), all[i].end) == 0) {
      *format = all[i].format;
      return true;
    }
  return false;
}

bool ts_settings_reads(ts_settings_format format)
{
#ifdef TS_HAVE_YAML
  (void)format;
  return true;
#else
  return format != TS_SETTINGS_YAML;
#endif
}

const char *ts_settings_text(const ts_setting *s, const char *key)
{
  for (; s && *key; key += strspn(key, ".")) {
    size_t length = strcspn(key, ".");
    const ts_setting *c = s->kind == TS_SETTING_TABLE ? s->child : NULL;
    while (c && (strncmp(c->name, key, length) != 0 || c->name[length]))
      c = c->next;
    s = c;
    key += length;
  }
  return s && s->kind == TS_SETTING_TEXT ? s->u.text : NULL;
}
