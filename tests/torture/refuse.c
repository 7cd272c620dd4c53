/* Loaded before a program (LD_PRELOAD): its N-th request for memory is refused, or all from there
 * on. What it did is counted in a file. Shells and git, which begin it or which it begins, are left
 * alone.
 *   REFUSE_COUNT=FILE  holds an 8-byte counter   REFUSE_AT=N  from 1; 0: only count   REFUSE_ALL=1
 *   all from the N-th on */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);

static _Atomic unsigned long *count;
static unsigned long at;
static int all;

__attribute__((constructor)) static void begin(void)
{
  const char *name = program_invocation_short_name;
  const char *path = getenv("REFUSE_COUNT"), *number = getenv("REFUSE_AT");
  if (strncmp(name, "ts", 2) != 0 && strcmp(name, "trainspec") != 0)
    return;
  int file = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
  void *page =
    file < 0 ? MAP_FAILED : mmap(NULL, sizeof *count, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (file >= 0)
    close(file);
  at = number ? strtoul(number, NULL, 10) : 0;
  all = getenv("REFUSE_ALL") != NULL;
  if (page != MAP_FAILED)
    count = page;
}

static int refused(void)
{
  if (!count)
    return 0;
  unsigned long n = atomic_fetch_add(count, 1) + 1;
  if (!at || (all ? n < at : n != at))
    return 0;
  errno = ENOMEM;
  return 1;
}

void *malloc(size_t size) { return refused() ? NULL : __libc_malloc(size); }
void *calloc(size_t n, size_t size) { return refused() ? NULL : __libc_calloc(n, size); }
void *realloc(void *old, size_t size) { return refused() ? NULL : __libc_realloc(old, size); }
