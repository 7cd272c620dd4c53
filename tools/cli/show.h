/* What a name means, on the terminal: for `trainspec show` and `trainspec help`. */
#ifndef TS_TOOLS_CLI_SHOW_H
#define TS_TOOLS_CLI_SHOW_H

#include "base/options.h"
#include "compiler/catalog.h"

/* All that is declared under the name, the module of that name, or what is built in. False if there
 * is nothing, and nothing is printed. */
bool ts_show_name(ts_session *s, const ts_catalog *catalog, const char *name, bool source,
                  FILE *out);
/* The message about such a name; returns the exit code. */
int ts_show_unknown(ts_session *s, ts_options *o, const ts_catalog *catalog, const char *name);

#endif
