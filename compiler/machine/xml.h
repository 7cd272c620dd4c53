/* XML as files of topologies have it: elements and attributes. Text, comments, declarations are
 * skipped; the five entities and numeric ones are known in attributes. */
#ifndef TS_COMPILER_MACHINE_XML_H
#define TS_COMPILER_MACHINE_XML_H

#include <stdint.h>

#include "base/arena.h"

enum { TS_XML_DEPTH = 64, TS_XML_ATTRIBUTES = 64 };

typedef enum ts_xml_event { TS_XML_OPEN, TS_XML_CLOSE, TS_XML_END, TS_XML_ERROR } ts_xml_event;

typedef struct ts_xml_attribute { const char *name, *value; } ts_xml_attribute;

typedef struct ts_xml {
  ts_arena *arena;
  const char *at, *end;
  uint32_t line;                /* of what was read last, from 1 */
  const char *error;            /* of TS_XML_ERROR */
  const char *name;             /* of the element opened or closed */
  ts_xml_attribute attribute[TS_XML_ATTRIBUTES];
  uint32_t attribute_count;
  const char *open[TS_XML_DEPTH];
  uint32_t depth;
  uint32_t closes;              /* the element just opened has no content */
} ts_xml;

ts_xml ts_xml_new(ts_arena *arena, const char *text, size_t size);
/* TS_XML_CLOSE follows every TS_XML_OPEN, also of `<a/>`; TS_XML_END: the one root has been closed
 * */
ts_xml_event ts_xml_next(ts_xml *xml);
const char *ts_xml_get(const ts_xml *xml, const char *attribute); /* NULL: not there */

#endif
