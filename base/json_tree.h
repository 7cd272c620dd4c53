/* Small JSON of others as a tree of cJSON's. */
#ifndef TS_BASE_JSON_TREE_H
#define TS_BASE_JSON_TREE_H

#include <stddef.h>

#include <cjson/cJSON.h>

/* The value that the text is. NULL: it is none, from *end on. JSON is
 * UTF-8 (RFC 8259); a 0, as a byte or as \u0000, would end the string that it is in. The caller
 * deletes it. */
cJSON *ts_json_tree(const char *text, size_t size, const char **end);

#endif
