/* YAML by libyaml, with what a scalar means as PyYAML has it, which training frameworks read their
 * files with: YAML 1.1, and 1e-5 without a dot as a number, too. */
#include "base/settings.h"

#ifdef TS_HAVE_YAML

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "base/heap.h"

typedef struct anchor {
  const char *name;
  const ts_setting *value; /* NULL: it is not complete */
} anchor;

typedef struct yaml_reading {
  ts_settings_reader *r;
  yaml_parser_t parser;
  yaml_event_t event; /* the one at hand, if `any` */
  bool any;
  TS_VEC(anchor) anchors;
} yaml_reading;

static uint32_t line_of(const yaml_mark_t *mark) { return (uint32_t)mark->line + 1; }

/* The next event; false: something is wrong. */
static bool next(yaml_reading *y)
{
  if (y->any)
    yaml_event_delete(&y->event);
  y->any = yaml_parser_parse(&y->parser, &y->event) != 0;
  if (!y->any && y->parser.error == YAML_MEMORY_ERROR)
    ts_heap_or_file();
  if (!y->any) {
    const char *problem = y->parser.problem ? y->parser.problem : "it cannot be read";
    ts_settings_refuse(y->r, line_of(&y->parser.problem_mark), "%s", problem);
    y->r->wrong->syntax = true;
  }
  return y->any && !y->r->wrong->why;
}

/* -- scalars -- */

static bool is_one_of(const char *text, const char *const *words)
{
  for (; *words; words++)
    if (strcmp(text, *words) == 0)
      return true;
  return false;
}

/* The text without `_`, which may stand between digits; NULL: it is too long for a number. */
static const char *digits_of(const char *text, char plain[64])
{
  size_t length = 0;
  for (; *text; text++)
    if (*text != '_') {
      if (length == 63)
        return NULL;
      plain[length++] = *text;
    }
  plain[length] = 0;
  return plain;
}

static bool whole_of(const char *text, int64_t *whole)
{
  const char *digits = text + (*text == '-' || *text == '+');
  int base = 10;
  if (digits[0] == '0' && digits[1])
    base = digits[1] == 'x' ? 16 : digits[1] == 'b' ? 2 : digits[1] == 'o' ? 8 : 8;
  if (base != 10)
    digits += strchr("xbo", digits[1]) ? 2 : 1;
  size_t length = strlen(digits);
  if (!length || strspn(digits, "0123456789abcdefABCDEF") != length)
    return false;
  char *end;
  errno = 0;
  unsigned long long value = strtoull(digits, &end, base);
  if (*end || errno || value > INT64_MAX)
    return false;
  *whole = *text == '-' ? -(int64_t)value : (int64_t)value;
  return true;
}

static bool real_of(const char *text, double *real)
{
  static const char *const infinite[] = {".inf", ".Inf", ".INF", NULL};
  static const char *const no_number[] = {".nan", ".NaN", ".NAN", NULL};
  const char *plain = text + (*text == '-' || *text == '+');
  char *end;
  if (is_one_of(plain, infinite) || is_one_of(text, no_number)) {
    *real = is_one_of(text, no_number) ? NAN : *text == '-' ? -INFINITY : INFINITY;
    return true;
  }
  size_t length = strspn(plain, "0123456789.");
  if (!length || !strpbrk(plain, "0123456789") || strspn(plain, "0123456789.eE+-") != strlen(plain))
    return false;
  *real = strtod(text, &end);
  return !*end;
}

static void plain_scalar(ts_setting *s, const char *text)
{
  static const char *const none[] = {"", "~", "null", "Null", "NULL", NULL};
  static const char *const yes[] = {"true", "True", "TRUE", "yes", "Yes",
                                    "YES",  "on",   "On",   "ON",  NULL};
  static const char *const no[] = {"false", "False", "FALSE", "no",  "No",
                                   "NO",    "off",   "Off",   "OFF", NULL};
  char plain[64];
  const char *digits = digits_of(text, plain);
  bool truth = is_one_of(text, yes);
  if (is_one_of(text, none)) {
    s->kind = TS_SETTING_NONE;
  } else if (truth || is_one_of(text, no)) {
    s->kind = TS_SETTING_BOOL;
    s->u.truth = truth;
  } else if (digits && *text != '_' && whole_of(digits, &s->u.whole)) {
    s->kind = TS_SETTING_WHOLE;
  } else if (digits && *text != '_' && real_of(digits, &s->u.real)) {
    s->kind = TS_SETTING_REAL;
  } else {
    s->u.text = text;
  }
}

/* Tags make objects of Python's, which is more than a file says. */
static void check_tag(yaml_reading *y, const yaml_char_t *tag, const yaml_mark_t *mark)
{
  static const char core[] = "tag:yaml.org,2002:";
  static const char *const plain[] = {"str", "int", "float", "bool", "null", "map", "seq", NULL};
  const char *name = (const char *)tag;
  if (name && (strncmp(name, core, sizeof core - 1) || !is_one_of(name + sizeof core - 1, plain)))
    ts_settings_refuse(y->r, line_of(mark), "`%.60s` makes an object: only plain values are read",
                       name);
}

/* What a scalar says, as it is written. */
static const char *written(yaml_reading *y)
{
  const char *text = ts_arena_string(y->r->arena, (const char *)y->event.data.scalar.value,
                                     y->event.data.scalar.length);
  check_tag(y, y->event.data.scalar.tag, &y->event.start_mark);
  if (strlen(text) != y->event.data.scalar.length)
    ts_settings_refuse(y->r, line_of(&y->event.start_mark), "there is a byte 0");
  return text;
}

static ts_setting *scalar(yaml_reading *y)
{
  ts_setting *s = ts_setting_new(y->r, TS_SETTING_TEXT, line_of(&y->event.start_mark));
  const char *text = written(y), *tag = (const char *)y->event.data.scalar.tag;
  s->u.text = text;
  if (tag ? !strstr(tag, ":str") : y->event.data.scalar.plain_implicit)
    plain_scalar(s, text);
  return s;
}

/* -- the tree -- */

static const yaml_char_t *anchor_of(const yaml_event_t *e)
{
  switch (e->type) {
  case YAML_SCALAR_EVENT: return e->data.scalar.anchor;
  case YAML_SEQUENCE_START_EVENT: return e->data.sequence_start.anchor;
  case YAML_MAPPING_START_EVENT: return e->data.mapping_start.anchor;
  default: return NULL;
  }
}

/* A copy of its head: what is below it is the same. */
static ts_setting *alias(yaml_reading *y)
{
  const char *name = (const char *)y->event.data.alias.anchor;
  uint32_t line = line_of(&y->event.start_mark);
  ts_setting *s = ts_setting_new(y->r, TS_SETTING_NONE, line);
  for (size_t i = y->anchors.count; i-- > 0;)
    if (strcmp(y->anchors.at[i].name, name) == 0) {
      if (!y->anchors.at[i].value)
        ts_settings_refuse(y->r, line, "`*%.60s` stands inside of itself", name);
      else
        *s = *y->anchors.at[i].value;
      s->line = line;
      s->next = NULL;
      return s;
    }
  ts_settings_refuse(y->r, line, "`*%.60s` has no anchor before it", name);
  return s;
}

static ts_setting *value_of(yaml_reading *y, uint32_t depth);

static void list_of(yaml_reading *y, ts_setting *list, uint32_t depth)
{
  while (next(y) && y->event.type != YAML_SEQUENCE_END_EVENT)
    ts_setting_push(y->r, list, value_of(y, depth));
}

/* `<<: *other`: what the table does not say itself. */
static void merge(yaml_reading *y, ts_setting *table, const ts_setting *from, uint32_t line)
{
  if (from->kind == TS_SETTING_LIST) {
    for (const ts_setting *s = from->child; s; s = s->next)
      merge(y, table, s, line);
    return;
  }
  if (from->kind != TS_SETTING_TABLE)
    ts_settings_refuse(y->r, line, "`<<` takes a table, or a list of them");
  for (const ts_setting *s = from->kind == TS_SETTING_TABLE ? from->child : NULL;
       s && !y->r->wrong->why; s = s->next)
    if (!ts_setting_find(table, s->name)) {
      ts_setting *copy = ts_setting_new(y->r, s->kind, s->line);
      *copy = *s;
      copy->next = NULL;
      ts_setting_put(y->r, table, s->name, copy);
    }
}

/* Of a name that stands twice the last one counts, as PyYAML has it. */
static void put_last(yaml_reading *y, ts_setting *table, const char *name, ts_setting *value)
{
  for (ts_setting *s = table->child; s; s = s->next)
    if (strcmp(s->name, name) == 0) {
      value->name = name;
      value->next = s->next;
      *s = *value;
      return;
    }
  ts_setting_put(y->r, table, name, value);
}

static void table_of(yaml_reading *y, ts_setting *table, uint32_t depth)
{
  ts_setting *merged = ts_setting_new(y->r, TS_SETTING_LIST, table->line);
  while (next(y) && y->event.type != YAML_MAPPING_END_EVENT) {
    if (y->event.type != YAML_SCALAR_EVENT) {
      ts_settings_refuse(y->r, line_of(&y->event.start_mark), "a name is one word here");
      return;
    }
    const char *name = written(y);
    bool plain = y->event.data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    if (!next(y))
      return;
    ts_setting *value = value_of(y, depth);
    if (plain && strcmp(name, "<<") == 0)
      ts_setting_push(y->r, merged, value);
    else
      put_last(y, table, name, value);
  }
  for (const ts_setting *s = merged->child; s && !y->r->wrong->why; s = s->next)
    merge(y, table, s, s->line);
}

/* Of the event at hand, up to its end. */
static ts_setting *value_of(yaml_reading *y, uint32_t depth)
{
  uint32_t line = line_of(&y->event.start_mark);
  const yaml_char_t *name = anchor_of(&y->event);
  size_t anchored = y->anchors.count;
  ts_setting *s;
  if (name)
    TS_PUSH(
      y->r->arena, &y->anchors,
      (anchor){ts_arena_string(y->r->arena, (const char *)name, strlen((const char *)name)), NULL});
  if (depth == TS_SETTINGS_DEEPEST) {
    ts_settings_refuse(y->r, line, "it is nested deeper than %d levels", TS_SETTINGS_DEEPEST);
    return ts_setting_new(y->r, TS_SETTING_NONE, line);
  }
  switch (y->event.type) {
  case YAML_SCALAR_EVENT: s = scalar(y); break;
  case YAML_SEQUENCE_START_EVENT:
    s = ts_setting_new(y->r, TS_SETTING_LIST, line);
    check_tag(y, y->event.data.sequence_start.tag, &y->event.start_mark);
    list_of(y, s, depth + 1);
    break;
  case YAML_MAPPING_START_EVENT:
    s = ts_setting_new(y->r, TS_SETTING_TABLE, line);
    check_tag(y, y->event.data.mapping_start.tag, &y->event.start_mark);
    table_of(y, s, depth + 1);
    break;
  default: s = alias(y); break;
  }
  if (name)
    y->anchors.at[anchored].value = s;
  return s;
}

static const ts_setting *document(yaml_reading *y)
{
  ts_setting *root = ts_setting_new(y->r, TS_SETTING_NONE, 1);
  if (!next(y) || !next(y)) /* the stream, the document or the end of the stream */
    return NULL;
  if (y->event.type == YAML_STREAM_END_EVENT)
    return root;
  if (!next(y))
    return NULL;
  root = value_of(y, 0);
  if (!y->r->wrong->why && next(y) && next(y) && y->event.type != YAML_STREAM_END_EVENT)
    ts_settings_refuse(y->r, line_of(&y->event.start_mark),
                       "a second document begins: a file has one");
  return root;
}

const ts_setting *ts_settings_yaml(ts_settings_reader *r, const char *text, size_t size)
{
  yaml_reading y = {.r = r};
  if (!yaml_parser_initialize(&y.parser))
    ts_heap_none(0);
  yaml_parser_set_input_string(&y.parser, (const unsigned char *)text, size);
  yaml_parser_set_encoding(&y.parser, YAML_UTF8_ENCODING);
  const ts_setting *root = document(&y);
  if (y.any)
    yaml_event_delete(&y.event);
  yaml_parser_delete(&y.parser);
  return root;
}

#else

const ts_setting *ts_settings_yaml(ts_settings_reader *r, const char *text, size_t size)
{
  (void)text, (void)size;
  ts_settings_refuse(r, 0,
                     "this program reads no YAML: install libyaml-dev, configure and build again");
  return NULL;
}

#endif
