/* Tables of TOML 1.0. A table may be made by a header, by a header of one below it, by a key with
 * dots, or in braces; which of these may add to it later is all that differs. */
#include "base/toml.h"

/* ts_setting.made */
enum { PASSING, HEADED, DOTTED, BRACED, MANY };

static const ts_toml_part *first_of(const ts_toml_part *key, const ts_toml_part *until)
{
  while (key != until && key->before != until)
    key = key->before;
  return key;
}

static ts_setting *add(ts_toml_reader *t, ts_setting *table, const char *name, ts_setting_kind kind,
                       uint8_t made)
{
  ts_setting *s = ts_setting_new(t->r, kind, t->line);
  s->made = made;
  ts_setting_put(t->r, table, name, s);
  return s;
}

static void again(ts_toml_reader *t, const ts_setting *s, const char *name)
{
  ts_settings_refuse(t->r, t->line, "`%.60s` is in line %u already, and takes no more", name,
                     s->line);
}

/* The table that a part of a header leads to. */
static ts_setting *through(ts_toml_reader *t, ts_setting *table, const char *name)
{
  ts_setting *s = ts_setting_find(table, name);
  if (!s)
    return add(t, table, name, TS_SETTING_TABLE, PASSING);
  if (s->kind == TS_SETTING_LIST && s->made == MANY)
    return s->last;
  if (s->kind == TS_SETTING_TABLE && s->made != BRACED)
    return s;
  again(t, s, name);
  return table;
}

static ts_setting *one(ts_toml_reader *t, ts_setting *table, const char *name)
{
  ts_setting *s = ts_setting_find(table, name);
  if (!s)
    return add(t, table, name, TS_SETTING_TABLE, HEADED);
  if (s->kind != TS_SETTING_TABLE || s->made != PASSING) {
    again(t, s, name);
    return table;
  }
  s->made = HEADED;
  return s;
}

static ts_setting *another(ts_toml_reader *t, ts_setting *table, const char *name)
{
  ts_setting *s = ts_setting_find(table, name);
  if (!s)
    s = add(t, table, name, TS_SETTING_LIST, MANY);
  if (s->made != MANY) {
    again(t, s, name);
    return table;
  }
  ts_setting *item = ts_setting_new(t->r, TS_SETTING_TABLE, t->line);
  item->made = HEADED;
  ts_setting_push(t->r, s, item);
  return item;
}

/* Parts of a key that are too many would nest what they lead to too deep. */
static bool too_deep(ts_toml_reader *t, const ts_toml_part *key)
{
  uint32_t depth = t->depth;
  for (; key; key = key->before)
    depth++;
  if (depth > TS_SETTINGS_DEEPEST)
    ts_settings_refuse(t->r, t->line, "it is nested deeper than %d levels", TS_SETTINGS_DEEPEST);
  return depth > TS_SETTINGS_DEEPEST;
}

void ts_toml_header(ts_toml_reader *t, const ts_toml_part *key, bool many)
{
  const ts_toml_part *done = NULL;
  ts_setting *table = t->root;
  if (too_deep(t, key))
    return;
  while (first_of(key, done) != key) {
    done = first_of(key, done);
    table = through(t, table, done->name);
  }
  t->at = many ? another(t, table, key->name) : one(t, table, key->name);
}

void ts_toml_put(ts_toml_reader *t, ts_setting *table, const ts_toml_part *key, ts_setting *value)
{
  const ts_toml_part *done = NULL;
  if (too_deep(t, key))
    return;
  while (first_of(key, done) != key) {
    done = first_of(key, done);
    ts_setting *s = ts_setting_find(table, done->name);
    if (s && (s->kind != TS_SETTING_TABLE || s->made == HEADED || s->made == BRACED)) {
      again(t, s, done->name);
      return;
    }
    table = s ? s : add(t, table, done->name, TS_SETTING_TABLE, DOTTED);
    table->made = DOTTED;
  }
  ts_setting_put(t->r, table, key->name, value);
}

void ts_toml_close(ts_setting *table)
{
  table->made = BRACED;
  for (ts_setting *s = table->child; s; s = s->next)
    if (s->kind == TS_SETTING_TABLE)
      ts_toml_close(s);
}
