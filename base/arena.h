/* Arena: memory of one phase, freed at once. Everything returned is zeroed, unless it says
 * otherwise, and aligned for any type. Out of memory ends the process (base/heap.h): the toolchain
 * holds no data of the user's that only it has. */
#ifndef TS_BASE_ARENA_H
#define TS_BASE_ARENA_H

#include <stdarg.h>
#include <stddef.h>

typedef struct ts_arena ts_arena;

ts_arena *ts_arena_new(const char *name);
/* One that is freed with `outer`, or when that is reset, and may be reset by itself. */
ts_arena *ts_arena_inside(ts_arena *outer, const char *name);
void ts_arena_free(ts_arena *arena); /* NULL is fine */
void ts_arena_reset(ts_arena *arena); /* gives up what it holds, and keeps room for as much */
/* from now on `child` is freed with `arena`; only `arena` may be used */
void ts_arena_adopt(ts_arena *arena, ts_arena *child);
void *ts_arena_alloc(ts_arena *arena, size_t size);
/* The same, not zeroed: for what is written whole at once. */
void *ts_arena_alloc_raw(ts_arena *arena, size_t size);
void *ts_arena_copy(ts_arena *arena, const void *bytes, size_t size);
/* Grows a block that holds `old_size` bytes to `new_size`; in place when it is the last one. */
void *ts_arena_grow(ts_arena *arena, void *block, size_t old_size, size_t new_size);
char *ts_arena_string(ts_arena *arena, const char *bytes, size_t length); /* adds the NUL */
char *ts_arena_printf(ts_arena *arena, const char *format, ...)
  __attribute__((format(printf, 2, 3)));
char *ts_arena_vprintf(ts_arena *arena, const char *format, va_list args);
/* In a function with arguments after `format`: their text. */
#define TS_FORMATTED(arena, format, text)                                                          \
  do {                                                                                             \
    va_list args_;                                                                                 \
    va_start(args_, format);                                                                       \
    text = ts_arena_vprintf(arena, format, args_);                                                 \
    va_end(args_);                                                                                 \
  } while (0)
size_t ts_arena_used(const ts_arena *arena);

#define TS_NEW(arena, type) ((type *)ts_arena_alloc((arena), sizeof(type)))
#define TS_NEW_ARRAY(arena, type, count)                                                           \
  ((type *)ts_arena_alloc((arena), sizeof(type) * (size_t)(count)))

/* Growable array in an arena: declare TS_VEC(type) v = {0}; push with TS_PUSH(arena, &v, value). */
#define TS_VEC(type) struct { type *at; size_t count, room; }
#define TS_PUSH(arena, v, ...)                                                                     \
  do {                                                                                             \
    if ((v)->count == (v)->room) {                                                                 \
      size_t ts_room_ = (v)->room ? 2 * (v)->room : 8;                                             \
      (v)->at =                                                                                    \
        ts_arena_grow((arena), (v)->at, (v)->room * sizeof *(v)->at, ts_room_ * sizeof *(v)->at);  \
      (v)->room = ts_room_;                                                                        \
    }                                                                                              \
    (v)->at[(v)->count++] = __VA_ARGS__;                                                           \
  } while (0)
/* The array of a vector, for those who count from it: not null when it is empty, as nothing may be
 * added to the null pointer, not even 0 (C17 6.5.6). */
#define TS_ITEMS(arena, v) ((v)->at ? (v)->at : ts_arena_alloc((arena), 0))
/* qsort may not be given the null pointer of an empty vector (C17 7.22.5). */
#define TS_SORT(v, compare)                                       \
  do {                                                            \
    if ((v)->count)                                               \
      qsort((v)->at, (v)->count, sizeof *(v)->at, (compare));     \
  } while (0)

#endif
