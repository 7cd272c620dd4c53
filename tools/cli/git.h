/* Files as a repository of git keeps them. */
#ifndef TS_TOOLS_CLI_GIT_H
#define TS_TOOLS_CLI_GIT_H

#include "base/arena.h"

enum { TS_GIT_NAME = 2 * 20 + 1 };

/* The name that git gives a content (SHA-1). */
void ts_git_name(const void *bytes, size_t size, char name[TS_GIT_NAME]);
/* The content of that name from the repository that `folder` is in, which nobody needs to trust;
 * NULL if it is not there, is too large, or there is no git. */
char *ts_git_content(ts_arena *arena, const char *folder, const char *name, size_t *size);

#endif
