#define _DEFAULT_SOURCE /* madvise, MAP_ANONYMOUS */
#include "base/blocks.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "base/heap.h"

/* Small blocks are powers of two, cut from a large one. Large blocks are whole large pages; those
 * that wait are listed by address, so that neighbours become one. What is less than small is left
 * to malloc, which has a cache for each thread. */
enum { SMALL = 1 << 13, LARGE = 1 << 21, SIZES = 8 };

/* Sanitizers watch what malloc gives; a browser has no pages. */
#if TS_SHADOW || defined __EMSCRIPTEN__
enum { MALLOC = true, MAPPED = 1 << 25 };
#else
enum { MALLOC = false, MAPPED = 1 << 25 };
#endif

typedef struct spare { struct spare *next; size_t size; } spare;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static spare *small[SIZES], *large; /* what waits: by size, and by address */
static size_t waiting, may_wait;    /* bytes in `large` */
static ts_piece sheet;              /* a large block that small ones are cut from; its rest */

void ts_blocks_keep(size_t bytes) { may_wait = bytes; }

/* ---- The system ---- */

/* Aligned, as only aligned pages are large. */
static void *map(size_t size)
{
  char *got = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (got == MAP_FAILED)
    return NULL;
  if ((uintptr_t)got % LARGE) {
    munmap(got, size);
    got = mmap(NULL, size + LARGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (got == MAP_FAILED)
      return NULL;
    size_t before = (LARGE - (uintptr_t)got % LARGE) % LARGE;
    if (before)
      munmap(got, before);
    if (before < LARGE)
      munmap(got + before + size, LARGE - before);
    got += before;
  }
#ifdef MADV_HUGEPAGE
  (void)madvise(got, size, MADV_HUGEPAGE);
#endif
  return got;
}

static void unmap_all(void)
{
  while (large) {
    spare *next = large->next;
    munmap(large, large->size);
    large = next;
  }
  waiting = 0;
}

void ts_blocks_drop(void)
{
  pthread_mutex_lock(&lock);
  unmap_all();
  pthread_mutex_unlock(&lock);
}

/* ---- Large blocks ---- */

/* The smallest that is large enough; its end, so that the list stays as it is. */
static void *take_large(size_t size)
{
  spare **best = NULL;
  for (spare **s = &large; *s; s = &(*s)->next)
    if ((*s)->size >= size && (!best || (*s)->size < (*best)->size))
      best = s;
  if (!best)
    return NULL;
  spare *from = *best;
  waiting -= size;
  from->size -= size;
  if (!from->size)
    *best = from->next;
  return (char *)from + from->size;
}

static ts_piece get_large(size_t size)
{
  void *at = take_large(size);
  if (at)
    return (ts_piece){at, size, size};
  at = map(size);
  if (!at) {
    unmap_all();
    at = map(size);
  }
  return (ts_piece){at, size, 0};
}

static bool touch(const spare *a, const spare *b)
{
  return (const char *)a + a->size == (const char *)b;
}

static void give_large(void *at, size_t size)
{
  spare *given = at, **s = &large, *before = NULL;
  if (waiting + size > may_wait) {
    munmap(at, size);
    return;
  }
  while (*s && *s < given)
    before = *s, s = &before->next;
  *given = (spare){*s, size};
  *s = given;
  waiting += size;
  if (given->next && touch(given, given->next))
    *given = (spare){given->next->next, given->size + given->next->size};
  if (before && touch(before, given))
    *before = (spare){given->next, before->size + given->size};
}

/* ---- Small blocks ---- */

static int blocks_size_of(size_t size) { return __builtin_ctzll(size / SMALL); }

static void give_small(void *at, size_t size)
{
  spare *given = at;
  *given = (spare){small[blocks_size_of(size)], size};
  small[blocks_size_of(size)] = given;
}

/* From the rest of the sheet; what is too little of it waits, and a new one is cut. */
static ts_piece cut(size_t size)
{
  while (sheet.size && sheet.size < size) {
    size_t part = sheet.size & -sheet.size;
    sheet.size -= part;
    give_small((char *)sheet.at + sheet.size, part);
  }
  if (!sheet.size)
    sheet = get_large(LARGE);
  if (!sheet.at)
    return sheet = (ts_piece){0};
  sheet.size -= size;
  return (ts_piece){(char *)sheet.at + sheet.size, size, sheet.dirty ? size : 0};
}

static ts_piece get_small(size_t size)
{
  spare **list = &small[blocks_size_of(size)], *at = *list;
  if (!at)
    return cut(size);
  *list = at->next;
  return (ts_piece){at, size, size};
}

/* ---- Any ---- */

static ts_piece from_malloc(size_t size)
{
  bool zero = size >= MAPPED; /* the system has just mapped it */
  return zero ? (ts_piece){ts_heap_new(1, size), size, 0}
              : (ts_piece){ts_heap_resize(NULL, 1, size), size, size};
}

ts_piece ts_blocks_get(size_t size)
{
  if (MALLOC || size < SMALL)
    return from_malloc(size);
  pthread_mutex_lock(&lock);
  ts_piece got = size > LARGE / 2 ? get_large((size + LARGE - 1) / LARGE * LARGE)
                                  : get_small((size_t)1 << (64 - __builtin_clzll(size - 1)));
  pthread_mutex_unlock(&lock);
  if (!got.at)
    ts_heap_none(size);
  return got;
}

void ts_blocks_give(void *at, size_t size)
{
  if (MALLOC || size < SMALL) {
    free(at);
    return;
  }
  pthread_mutex_lock(&lock);
  if (size >= LARGE)
    give_large(at, size);
  else
    give_small(at, size);
  pthread_mutex_unlock(&lock);
}
