/* Settings of files that have no types of their own: lines of a text, rows of CSV under the names
 * of the first one, elements of XML. All of their values are texts. */
#include <expat.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv.h"
#include "base/heap.h"
#include "base/settings.h"

static ts_setting *text_of(ts_settings_reader *r, const char *text, size_t length, uint32_t line)
{
  ts_setting *s = ts_setting_new(r, TS_SETTING_TEXT, line);
  s->u.text = ts_arena_string(r->arena, text, length);
  return s;
}

const ts_setting *ts_settings_lines(ts_settings_reader *r, const char *text, size_t size)
{
  ts_setting *all = ts_setting_new(r, TS_SETTING_LIST, 1);
  const char *end = text + size;
  for (uint32_t line = 1; text < end && !r->wrong->why; line++) {
    const char *stop = memchr(text, '\n', (size_t)(end - text));
    size_t length = (size_t)((stop ? stop : end) - text);
    ts_setting_push(r, all, text_of(r, text, length - (length && text[length - 1] == '\r'), line));
    text += length + (stop != NULL);
  }
  return all;
}

const ts_setting *ts_settings_csv(ts_settings_reader *r, const char *text, size_t size)
{
  ts_setting *all = ts_setting_new(r, TS_SETTING_LIST, 1);
  ts_csv csv = {.arena = r->arena, .text = text, .size = size, .comment = '#', .trim = true};
  size_t columns = 0, count;
  ts_csv_kind kind = TS_CSV_COMMENT;
  for (ts_csv first = csv; kind == TS_CSV_COMMENT; csv.at = first.begin)
    kind = ts_csv_next(&first, NULL, 0, &columns);
  ts_csv_cell *head = TS_NEW_ARRAY(r->arena, ts_csv_cell, columns + 1),
              *cell = TS_NEW_ARRAY(r->arena, ts_csv_cell, columns + 1);
  csv.line = 0;
  kind = ts_csv_next(&csv, head, columns, &count);
  while (kind != TS_CSV_END && !r->wrong->why) {
    if (csv.wrong)
      ts_settings_refuse(r, csv.line, "%s", csv.wrong);
    kind = ts_csv_next(&csv, cell, columns, &count);
    if (kind != TS_CSV_ROW)
      continue;
    if (count != columns)
      ts_settings_refuse(r, csv.line, "it has %zu cells, the first line %zu", count, columns);
    ts_setting *row = ts_setting_new(r, TS_SETTING_TABLE, csv.line);
    for (size_t c = 0; c < columns && !r->wrong->why; c++)
      ts_setting_put(r, row, ts_csv_string(r->arena, head[c]),
                     text_of(r, cell[c].at, cell[c].length, csv.line));
    ts_setting_push(r, all, row);
  }
  return all;
}

/* ---- XML ---- */

/* An element is two levels of the tree: a table, and the list of those inside it. */
enum { MOST_DEPTH = TS_SETTINGS_DEEPEST / 2 - 2 };

typedef struct xml_element {
  ts_setting *table, *inside;
  TS_VEC(char) text;
} xml_element;

typedef struct xml_reader {
  ts_settings_reader *r;
  XML_Parser parser;
  xml_element at[MOST_DEPTH]; /* those that are open */
  uint32_t depth;
  const ts_setting *root;
} xml_reader;

static uint32_t line_of(const xml_reader *x)
{
  return (uint32_t)XML_GetCurrentLineNumber(x->parser);
}

static void XMLCALL on_open(void *closure, const char *name, const char **attributes)
{
  xml_reader *x = closure;
  ts_settings_reader *r = x->r;
  uint32_t line = line_of(x);
  if (x->depth == MOST_DEPTH)
    ts_settings_refuse(r, line, "elements are nested more than %d deep", MOST_DEPTH);
  if (r->wrong->why) {
    XML_StopParser(x->parser, XML_FALSE);
    return;
  }
  xml_element *e = &x->at[x->depth++];
  *e = (xml_element){.table = ts_setting_new(r, TS_SETTING_TABLE, line),
                     .inside = ts_setting_new(r, TS_SETTING_LIST, line)};
  ts_setting *of = ts_setting_new(r, TS_SETTING_TABLE, line),
             *number = ts_setting_new(r, TS_SETTING_WHOLE, line);
  for (; *attributes; attributes += 2)
    ts_setting_put(r, of, ts_arena_string(r->arena, attributes[0], strlen(attributes[0])),
                   text_of(r, attributes[1], strlen(attributes[1]), line));
  number->u.whole = line;
  ts_setting_put(r, e->table, "name", text_of(r, name, strlen(name), line));
  ts_setting_put(r, e->table, "line", number);
  ts_setting_put(r, e->table, "attributes", of);
}

static void XMLCALL on_text(void *closure, const char *text, int length)
{
  xml_reader *x = closure;
  for (int i = 0; x->depth && i < length; i++)
    TS_PUSH(x->r->arena, &x->at[x->depth - 1].text, text[i]);
}

/* What is inside an element is counted only now. */
static void XMLCALL on_close(void *closure, const char *name)
{
  xml_reader *x = closure;
  (void)name;
  if (x->r->wrong->why)
    return;
  xml_element *e = &x->at[--x->depth];
  uint32_t line = e->table->line;
  ts_setting_put(x->r, e->table, "text", text_of(x->r, e->text.at, e->text.count, line));
  ts_setting_put(x->r, e->table, "inside", e->inside);
  if (x->depth)
    ts_setting_push(x->r, x->at[x->depth - 1].inside, e->table);
  else
    x->root = e->table;
}

/* One of a file's own could grow without bound. */
static void XMLCALL on_entity(void *closure, const char *name, int is_parameter, const char *value,
                              int length, const char *base, const char *system, const char *public,
                              const char *notation)
{
  xml_reader *x = closure;
  (void)name, (void)is_parameter, (void)value, (void)length;
  (void)base, (void)system, (void)public, (void)notation;
  ts_settings_refuse(x->r, line_of(x), "entities of a file's own are not known");
  XML_StopParser(x->parser, XML_FALSE);
}

const ts_setting *ts_settings_xml(ts_settings_reader *r, const char *text, size_t size)
{
  static const XML_Memory_Handling_Suite memory = {ts_heap_for_expat, ts_heap_more_for_expat, free};
  xml_reader x = {.r = r, .parser = XML_ParserCreate_MM("UTF-8", &memory, NULL)};
  XML_SetUserData(x.parser, &x);
  XML_SetElementHandler(x.parser, on_open, on_close);
  XML_SetCharacterDataHandler(x.parser, on_text);
  XML_SetEntityDeclHandler(x.parser, on_entity);
  if (XML_Parse(x.parser, text, (int)size, XML_TRUE) != XML_STATUS_OK) {
    ts_settings_refuse(r, line_of(&x), "%s", XML_ErrorString(XML_GetErrorCode(x.parser)));
    r->wrong->syntax = true;
  }
  XML_ParserFree(x.parser);
  return x.root;
}
