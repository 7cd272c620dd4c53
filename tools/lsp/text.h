/* Places as editors write them: lines from 0, columns in UTF-16 units or in bytes, files as URIs.
 * */
#ifndef TS_TOOLS_LSP_TEXT_H
#define TS_TOOLS_LSP_TEXT_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* utf8: columns are bytes */
typedef struct lsp_text { const char *text; size_t size; bool utf8; } lsp_text;

/* Places beyond a line or the text are at their end. */
uint32_t lsp_offset(const lsp_text *t, const cJSON *position);
cJSON *lsp_range(const lsp_text *t, uint32_t begin, uint32_t end);

/* NULL where it is no file's. To be freed. */
char *lsp_path_of_uri(const char *uri);
char *lsp_uri_of_path(const char *path); /* absolute */

#endif
