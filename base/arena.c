#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/blocks.h"
#include "base/heap.h"

/* Tens of thousands of arenas hold what a single call needs: the first block is small. */
enum { FIRST_BLOCK = 1 << 12, MOST_DOUBLED = 1 << 26, ALIGN = 16, SHORT = 256 }; /* bytes */

typedef struct arena_block {
  struct arena_block *next;
  size_t used, room;
  size_t dirty; /* what lies behind so many bytes is zero */
  max_align_t data[];
} arena_block;

struct ts_arena {
  ts_heap_owned owned; /* by a call of the library */
  const char *name;
  arena_block *head;
  char *last; /* most recent allocation, which can grow in place */
  size_t total;
  ts_arena *inner, *next; /* those inside of it; the next one inside of the same */
};

/* A block is zeroed where it is used, not whole: most of those that calls begin are used little. */
static arena_block *block_new(size_t room, arena_block *next)
{
  ts_piece piece = ts_blocks_get(sizeof(arena_block) + room);
  arena_block *b = piece.at;
  room = piece.size - sizeof *b;
  *b = (arena_block){.next = next, .room = room, .dirty = piece.dirty ? room : 0};
  return b;
}

static void block_free(arena_block *b)
{
  ts_heap_in_arenas(-(int64_t)b->room);
  ts_blocks_give(b, sizeof *b + b->room);
}

static void free_owned(void *arena) { ts_arena_free(arena); }

ts_arena *ts_arena_new(const char *name)
{
  ts_arena *arena = ts_heap_new(1, sizeof *arena);
  arena->name = name;
  ts_heap_own(&arena->owned, free_owned);
  return arena;
}

ts_arena *ts_arena_inside(ts_arena *outer, const char *name)
{
  ts_arena *arena = ts_arena_new(name);
  ts_heap_disown(&arena->owned); /* it goes with the outer one */
  arena->next = outer->inner;
  outer->inner = arena;
  return arena;
}

static void free_inner(ts_arena *arena)
{
  for (ts_arena *inner = arena->inner; inner;) {
    ts_arena *next = inner->next;
    ts_arena_free(inner);
    inner = next;
  }
  arena->inner = NULL;
}

void ts_arena_free(ts_arena *arena)
{
  if (!arena)
    return;
  free_inner(arena);
  for (arena_block *b = arena->head; b;) {
    arena_block *next = b->next;
    block_free(b);
    b = next;
  }
  ts_heap_disown(&arena->owned);
  free(arena);
}

void ts_arena_reset(ts_arena *arena)
{
  arena_block *retained = arena->head;
  free_inner(arena);
  if (!retained)
    return;
  for (arena_block *b = retained->next; b;) {
    arena_block *next = b->next;
    block_free(b);
    b = next;
  }
  retained->dirty = retained->used > retained->dirty ? retained->used : retained->dirty;
  retained->next = NULL;
  retained->used = 0;
  arena->last = NULL;
  arena->total = 0;
}

void ts_arena_adopt(ts_arena *arena, ts_arena *child)
{
  arena_block *last = child->head;
  if (last) {
    while (last->next)
      last = last->next;
    last->next = arena->head ? arena->head->next : NULL;
    if (arena->head)
      arena->head->next = child->head; /* behind the one in use */
    else
      arena->head = child->head;
  }
  arena->total += child->total;
  for (ts_arena *inner = child->inner; inner;) {
    ts_arena *next = inner->next;
    inner->next = arena->inner;
    arena->inner = inner;
    inner = next;
  }
  ts_heap_disown(&child->owned);
  free(child);
}

/* Zeroes what of [from, from + size) is not. */
static void clean(arena_block *b, size_t from, size_t size)
{
  if (from < b->dirty)
    memset((char *)b->data + from, 0, size < b->dirty - from ? size : b->dirty - from);
}

void *ts_arena_alloc(ts_arena *arena, size_t size)
{
  void *bytes = ts_arena_alloc_raw(arena, size);
  clean(arena->head, (size_t)((char *)bytes - (char *)arena->head->data),
        (size + ALIGN - 1) / ALIGN * ALIGN);
  return bytes;
}

void *ts_arena_alloc_raw(ts_arena *arena, size_t size)
{
  if (size > SIZE_MAX / 4)
    ts_heap_none(size);
  size = (size + ALIGN - 1) / ALIGN * ALIGN;
  arena_block *b = arena->head;
  if (!b || b->room - b->used < size) {
    size_t whole = b ? 2 * (sizeof *b + b->room) : FIRST_BLOCK,
           room = (whole < MOST_DOUBLED ? whole : MOST_DOUBLED) - sizeof *b;
    arena->head = b = block_new(room < size ? size : room, b);
    ts_heap_in_arenas((int64_t)b->room); /* which may end here: it has the block */
  }
  arena->last = (char *)b->data + b->used;
  b->used += size;
  arena->total += size;
  return arena->last;
}

void *ts_arena_copy(ts_arena *arena, const void *bytes, size_t size)
{
  void *copy = ts_arena_alloc_raw(arena, size);
  if (size)
    memcpy(copy, bytes, size);
  return copy;
}

void *ts_arena_grow(ts_arena *arena, void *old, size_t old_size, size_t new_size)
{
  if (old && (char *)old == arena->last) {
    arena_block *b = arena->head;
    size_t start = (size_t)(arena->last - (char *)b->data);
    size_t rounded = (new_size + ALIGN - 1) / ALIGN * ALIGN;
    if (rounded >= new_size && b->room - start >= rounded) {
      clean(b, start + old_size, rounded > old_size ? rounded - old_size : 0);
      arena->total += rounded - (b->used - start);
      b->used = start + rounded;
      return old;
    }
  }
  void *grown = ts_arena_alloc_raw(arena, new_size);
  if (old_size)
    memcpy(grown, old, old_size);
  size_t from = (size_t)((char *)grown - (char *)arena->head->data) + old_size;
  clean(arena->head, from, arena->head->used - from);
  return grown;
}

char *ts_arena_string(ts_arena *arena, const char *bytes, size_t length)
{
  char *copy = ts_arena_alloc(arena, length + 1);
  if (length)
    memcpy(copy, bytes, length);
  return copy;
}

/* A short text of strings alone, as most are, needs no printf, which takes 500 instructions to
 * begin. False: it is something else. */
static bool join_strings(char to[SHORT], size_t *length, const char *format, va_list args)
{
  size_t used = 0;
  for (; *format; format++) {
    bool whole = *format != '%';
    if (!whole && *++format != 's')
      return false;
    const char *part = whole ? format : va_arg(args, const char *);
    size_t size = whole ? 1 : part ? strlen(part) : SHORT;
    if (size >= SHORT - used)
      return false;
    memcpy(to + used, part, size);
    used += size;
  }
  *length = used;
  return true;
}

char *ts_arena_vprintf(ts_arena *arena, const char *format, va_list args)
{
  char shorter[SHORT];
  size_t size;
  va_list again;
  va_copy(again, args);
  bool joined = join_strings(shorter, &size, format, again);
  va_end(again);
  if (joined)
    return ts_arena_string(arena, shorter, size);
  va_copy(again, args);
  int length = vsnprintf(shorter, SHORT, format, again);
  va_end(again);
  if (length < 0)
    abort();
  if (length < SHORT)
    return ts_arena_string(arena, shorter, (size_t)length);
  char *text = ts_arena_alloc(arena, (size_t)length + 1);
  vsnprintf(text, (size_t)length + 1, format, args);
  return text;
}

char *ts_arena_printf(ts_arena *arena, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  char *text = ts_arena_vprintf(arena, format, args);
  va_end(args);
  return text;
}

size_t ts_arena_used(const ts_arena *arena) { return arena->total; }
