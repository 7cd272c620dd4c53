/* Pages of the manual (doc/x.md) and completion scripts (share/...), as tools/embed.sh has them. */
#ifndef TS_TOOLS_CLI_PAGES_H
#define TS_TOOLS_CLI_PAGES_H

#include "compiler/eval/stdlib_embed.h"

extern const ts_embedded_file ts_pages_files[];
extern const size_t ts_pages_file_count;

#endif
