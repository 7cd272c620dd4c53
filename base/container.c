#include "base/container.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LONGEST = 4096, MOST_GROUPS = 16384 };

static bool read_text(const char *path, char *text, size_t size)
{
  int file = open(path, O_RDONLY | O_CLOEXEC);
  size_t length = 0;
  if (file < 0)
    return false;
  for (ssize_t got; length < size - 1 && (got = read(file, text + length, size - 1 - length)) > 0;)
    length += (size_t)got;
  close(file);
  text[length] = '\0';
  return length > 0;
}

/* "max", or the largest multiple of a page that version 1 writes for no limit: 0. */
static uint64_t limit_in(const char *path)
{
  char text[64], *end;
  errno = 0;
  unsigned long long bytes = read_text(path, text, sizeof text) ? strtoull(text, &end, 10) : 0;
  return errno || bytes >= 1ull << 62 ? 0 : bytes;
}

static uint64_t lower_limit(uint64_t a, uint64_t b) { return !a || (b && b < a) ? b : a; }

/* Of a group and of all those around it. In a container the files of the outermost that can be seen
 * are often the container's own, and the path that the process knows for its group leads nowhere
 * there. */
static uint64_t limit_of(const char *root, const char *tree, const char *group, const char *name)
{
  char path[2 * LONGEST], up[LONGEST];
  uint64_t limit = 0;
  if ((size_t)snprintf(up, sizeof up, "%s", group) >= sizeof up)
    *up = '\0';
  for (bool more = true; more;) {
    char *last = strrchr(up, '/');
    if ((size_t)snprintf(path, sizeof path, "%s%s%s/%s", root, tree, up, name) < sizeof path)
      limit = lower_limit(limit, limit_in(path));
    if ((more = last))
      *last = '\0';
  }
  return limit;
}

static bool has_word(const char *list, const char *word)
{
  size_t length = strlen(word);
  for (; *list; list += strcspn(list, ","), list += *list == ',')
    if (strcspn(list, ",") == length && memcmp(list, word, length) == 0)
      return true;
  return false;
}

/* Lines such as "0::/user.slice" (version 2) and "4:memory:/docker/f5b8" (version 1). */
uint64_t ts_container_memory(const char *root)
{
  char groups[MOST_GROUPS], path[LONGEST], *rest = NULL;
  uint64_t limit = 0;
  if ((size_t)snprintf(path, sizeof path, "%s/proc/self/cgroup", root) >= sizeof path ||
      !read_text(path, groups, sizeof groups))
    return 0;
  for (char *line = strtok_r(groups, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
    char *kinds = strchr(line, ':'), *group = kinds ? strchr(kinds + 1, ':') : NULL;
    if (!group)
      continue;
    *group++ = '\0';
    if (!kinds[1])
      limit = lower_limit(limit, limit_of(root, "/sys/fs/cgroup",
                                          strcmp(group, "/") == 0 ? "" : group, "memory.max"));
    else if (has_word(kinds + 1, "memory"))
      limit =
        lower_limit(limit, limit_of(root, "/sys/fs/cgroup/memory",
                                    strcmp(group, "/") == 0 ? "" : group, "memory.limit_in_bytes"));
  }
  return limit;
}
