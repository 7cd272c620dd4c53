/* Blocks: the memory of arenas. Large ones are asked of the system in large pages, because the
 * first touch of a page costs more than the work on a small one (4 us on a virtual machine). What
 * is given back is used again by whoever asks next, in any thread. */
#ifndef TS_BASE_BLOCKS_H
#define TS_BASE_BLOCKS_H

#include <stddef.h>

typedef struct ts_piece {
  void *at;
  size_t size;  /* bytes, as many as were asked for or more */
  size_t dirty; /* what lies behind so many bytes is zero */
} ts_piece;

/* There is one, or the program ends (base/heap.h). */
ts_piece ts_blocks_get(size_t size);
/* size: that of the piece */
void ts_blocks_give(void *at, size_t size);
/* That many bytes may wait for who asks next; 0, as in programs of others: the system gets large
 * blocks back at once. */
void ts_blocks_keep(size_t bytes);
/* What waits goes back to the system, which has no more to give. */
void ts_blocks_drop(void);

#endif
