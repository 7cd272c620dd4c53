#define _GNU_SOURCE /* fopencookie */
#include "base/heap.h"

#include <cjson/cJSON.h>
#include <errno.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/blocks.h"
#include "base/container.h"
#include "base/exit.h"
#include "base/output.h"

/* Set once, before there are threads. */
static const char *program; /* NULL: a program of others */
static bool helps;          /* another process, which goes on without it */
static _Atomic uint64_t ceiling;
static atomic_bool is_set; /* the ceiling of the library */
static _Thread_local ts_heap_rescue *rescue;
static rlim_t limit_before;
static const char *_Atomic doing;
static void (*_Atomic instead)(void);
static _Atomic int64_t in_arenas, most_in_arenas;

void ts_heap_reuse(void)
{
  ts_blocks_keep(SIZE_MAX);
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 1 << 25); /* the most there may be, see mallopt(3) */
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
#endif
}

void *ts_heap_new(size_t count, size_t size)
{
  count = count ? count : 1, size = size ? size : 1;
  void *block = calloc(count, size);
  if (!block) {
    ts_blocks_drop();
    block = calloc(count, size);
  }
  if (!block)
    ts_heap_none((uint64_t)count * size);
  return block;
}

void *ts_heap_resize(void *old, size_t count, size_t size)
{
  size_t bytes;
  if (__builtin_mul_overflow(count, size, &bytes))
    ts_heap_none(UINT64_MAX);
  void *block = realloc(old, bytes ? bytes : 1);
  if (!block) {
    ts_blocks_drop();
    block = realloc(old, bytes ? bytes : 1);
  }
  if (!block)
    ts_heap_none(bytes);
  return block;
}

char *ts_heap_text(const char *text)
{
  size_t size = strlen(text) + 1;
  return memcpy(ts_heap_new(size, 1), text, size);
}

char *ts_heap_real_path(const char *path)
{
  char *real = realpath(path, NULL);
  if (!real && errno == ENOMEM)
    ts_heap_none(0);
  return real;
}

void *ts_heap_for_zlib(void *none, unsigned count, unsigned size)
{
  (void)none;
  return ts_heap_new(count, size);
}

void ts_heap_from_zlib(void *none, void *block)
{
  (void)none;
  free(block);
}

void *ts_heap_for_expat(size_t size) { return ts_heap_new(size, 1); }
void *ts_heap_more_for_expat(void *old, size_t size) { return ts_heap_resize(old, size, 1); }

/* Not open_memstream(): where its text cannot grow glibc drops what was printed, and ferror() stays
 * 0. */
typedef struct printing { char **text, *at; size_t *size, used, room; } printing;

static ssize_t append(void *cookie, const char *bytes, size_t size)
{
  printing *p = cookie;
  if (p->room - p->used <= size) {
    while (p->room - p->used <= size)
      p->room = p->room ? 2 * p->room : 4096;
    p->at = ts_heap_resize(p->at, p->room, 1);
  }
  memcpy(p->at + p->used, bytes, size);
  p->used += size;
  return (ssize_t)size;
}

/* ftell(): where each part of a text begins that is printed in parts. Nothing is moved. */
static int tell(void *cookie, off64_t *at, int from)
{
  const printing *p = cookie;
  if (from != SEEK_CUR || *at)
    return -1;
  *at = (off64_t)p->used;
  return 0;
}

static int hand_over(void *cookie)
{
  printing *p = cookie;
  append(p, "", 0); /* room for the end, also of no text */
  p->at[p->used] = '\0';
  *p->text = p->at;
  *p->size = p->used;
  free(p);
  return 0;
}

FILE *ts_heap_print(char **text, size_t *size)
{
  printing *p = ts_heap_new(1, sizeof *p);
  *p = (printing){.text = text, .size = size};
  FILE *file =
    fopencookie(p, "w", (cookie_io_functions_t){.write = append, .seek = tell, .close = hand_over});
  if (!file)
    ts_heap_none(0);
  return file;
}

void ts_heap_printed(FILE *file)
{
  int failed = ferror(file); /* a number took more memory to print than there was */
  if (fclose(file) != 0 || failed)
    ts_heap_none(0);
}

static void say(const char *text)
{
  ssize_t written = write(STDERR_FILENO, text, strlen(text));
  (void)written;
}

/* ---- The ceiling ---- */

uint64_t ts_heap_ceiling(void) { return ceiling; }

void ts_heap_doing(const char *what) { doing = what; }
void ts_heap_instead(void (*begin_anew)(void)) { instead = begin_anew; }

static void limit_data(rlim_t bytes)
{
  struct rlimit limit;
  if (TS_SHADOW || getrlimit(RLIMIT_DATA, &limit))
    return;
  limit.rlim_cur =
    limit.rlim_max == RLIM_INFINITY || bytes < limit.rlim_max ? bytes : limit.rlim_max;
  /* where there is none, evaluations still look at the ceiling themselves */
  (void)setrlimit(RLIMIT_DATA, &limit);
}

void ts_heap_set_ceiling(uint64_t bytes)
{
  struct rlimit limit;
  if (!ceiling)
    limit_before = getrlimit(RLIMIT_DATA, &limit) ? RLIM_INFINITY : limit.rlim_cur;
  ceiling = bytes;
  limit_data(bytes < limit_before ? (rlim_t)bytes : limit_before);
}

void ts_heap_in_arenas(int64_t change)
{
  /* clang has no value of `in_arenas += change` */
  int64_t now = atomic_fetch_add(&in_arenas, change) + change;
  for (int64_t most = most_in_arenas;
       most < now && !atomic_compare_exchange_weak(&most_in_arenas, &most, now);)
    ;
  if (ceiling && change > 0 && (uint64_t)now > ceiling && (program || (rescue && !rescue->little)))
    ts_heap_none((uint64_t)change);
}

bool ts_heap_is_over(void) { return ceiling && in_arenas > 0 && (uint64_t)in_arenas > ceiling; }

ts_heap_use ts_heap_in_use(void)
{
  return (ts_heap_use){(uint64_t)in_arenas, (uint64_t)most_in_arenas};
}

/* Half of the machine, or of what the container leaves of it; 0: not known. */
static uint64_t usual_ceiling(void)
{
  long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
  uint64_t machine = pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size : 0,
           container = ts_container_memory("");
  return (container && (!machine || container < machine) ? container : machine) / 2;
}

static bool can_be_had(size_t bytes)
{
  /* volatile: compilers leave out a block that nobody uses, and take it for given */
  void *volatile block = malloc(bytes);
  bool had = block;
  free(block);
  return had;
}

/* What could not be had under the ceiling can be had above it. */
static bool is_at_ceiling(uint64_t wanted)
{
  if (!ceiling)
    return false;
  limit_data(limit_before);
  return can_be_had(wanted && wanted < SIZE_MAX / 2 ? (size_t)wanted : 1);
}

/* Nothing here asks for memory, but to see whether there is some. */
_Noreturn void ts_heap_none(uint64_t wanted)
{
  char line[320];
  if (helps)
    _exit(TS_EXIT_ENVIRONMENT);
  if (!program && rescue) {
    rescue->failed = true;
    longjmp(rescue->none, 1);
  }
  if (!program)
    abort();
  ts_outputs_abandon();
  const char *at = doing, *while_doing = at ? " while " : "";
  at = at ? at : "";
  bool small = ceiling < 1000000000, reached = is_at_ceiling(wanted);
  void (*begin_anew)(void) = reached ? atomic_load(&instead) : NULL;
  if (begin_anew)
    begin_anew();
  if (reached)
    snprintf(
      line, sizeof line,
      "%.60s: error[E0707]: more memory than %.4g %s is needed%s%.80s; no file is partly written\n"
      "   = help: make the plan smaller, or allow more: `--max-memory=SIZE` (half of the machine's "
      "or the container's unless given)\n",
      program, (double)ceiling / (small ? 1e6 : 1e9), small ? "MB" : "GB", while_doing, at);
  else
    snprintf(line, sizeof line,
             "%.60s: out of memory%s%.80s; no file is partly written\n"
             "   = help: make the plan or its input smaller, or end other programs\n",
             program, while_doing, at);
  say(line);
  _exit(TS_EXIT_ENVIRONMENT);
}

/* ---- Calls of the library ---- */

void ts_heap_limit_library(uint64_t bytes)
{
  is_set = true;
  ceiling = bytes;
}

void ts_heap_of_library(void)
{
  if (!atomic_exchange(&is_set, true) && !program)
    ceiling = usual_ceiling();
}

void ts_heap_rescue_begin(ts_heap_rescue *r)
{
  r->before = rescue;
  r->made = NULL;
  r->failed = r->little = false;
  rescue = r;
}

bool ts_heap_rescue_end(ts_heap_rescue *r)
{
  rescue = r->before;
  while (r->made) {
    ts_heap_owned *o = r->made;
    ts_heap_disown(o);
    if (r->failed)
      o->free(o);
  }
  return !r->failed;
}

void ts_heap_own(ts_heap_owned *owned, void (*free)(void *owner))
{
  *owned = (ts_heap_owned){.free = free};
  if (!rescue)
    return;
  owned->next = rescue->made;
  owned->at = &rescue->made;
  if (owned->next)
    owned->next->at = &owned->next;
  rescue->made = owned;
}

void ts_heap_disown(ts_heap_owned *owned)
{
  if (!owned->at)
    return;
  *owned->at = owned->next;
  if (owned->next)
    owned->next->at = owned->at;
  owned->at = NULL;
}

ts_heap_rescue *ts_heap_rescue_pause(void)
{
  ts_heap_rescue *r = rescue;
  rescue = NULL;
  return r;
}

void ts_heap_rescue_resume(ts_heap_rescue *r)
{
  rescue = r;
  if (r && ts_heap_is_over())
    ts_heap_none(0);
}

void ts_heap_or_file(void)
{
  enum { ENOUGH = 16 << 20 }; /* bytes; more than SQLite holds for any file that is whole */
  ts_blocks_drop();
  if (!can_be_had(ENOUGH))
    ts_heap_none(ENOUGH);
}

void ts_heap_of_helper(void) { helps = true; }

static void *for_cjson(size_t size) { return ts_heap_new(size, 1); }

void ts_heap_of_program(const char *called)
{
  enum { KEPT = 1 << 28 }; /* bytes; a phase takes what the one before gave back */
  program = called;
  ts_blocks_keep(KEPT);
  uint64_t usual = usual_ceiling();
  if (usual)
    ts_heap_set_ceiling(usual);
  cJSON_InitHooks(&(cJSON_Hooks){for_cjson, free});
}
