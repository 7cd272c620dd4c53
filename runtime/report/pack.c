#define _GNU_SOURCE /* fopencookie */
#include "runtime/report/pack.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <zlib.h>

#include "base/arena.h"
#include "runtime/load/workers.h"

enum { BLOCK = 1 << 20, WINDOW = 1 << 15, ROOM = BLOCK + BLOCK / 8, MOST = 8, LEVEL = 3 };

typedef struct packed_block {
  uint8_t *packed; /* [ROOM] */
  uint32_t size, sum, packed_size; /* 0: it failed */
} packed_block;

typedef struct packer {
  ts_arena *arena;
  FILE *file;
  uint32_t workers;
  uint8_t *bytes;  /* WINDOW that were packed before, and those of a block for each worker */
  size_t count;    /* of these */
  uint64_t length; /* of all that were packed before */
  uint32_t sum;    /* likewise */
  bool last;
  packed_block blocks[MOST];
} packer;

static void pack_block(void *closure, uint32_t number, uint32_t worker)
{
  packer *p = closure;
  packed_block *b = &p->blocks[number];
  size_t first = (size_t)number * BLOCK;
  uint8_t *bytes = p->bytes + WINDOW + first;
  bool last = p->last && first + BLOCK >= p->count;
  z_stream z = {0};
  (void)worker;
  b->packed_size = 0;
  b->size = p->count - first < BLOCK ? (uint32_t)(p->count - first) : BLOCK;
  b->sum = (uint32_t)crc32_z(0, bytes, b->size);
  if (deflateInit2(&z, LEVEL, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY) != Z_OK)
    return;
  if (p->length + first)
    deflateSetDictionary(&z, bytes - WINDOW, WINDOW);
  z.next_in = bytes;
  z.avail_in = b->size;
  z.next_out = b->packed;
  z.avail_out = ROOM;
  int status = deflate(&z, last ? Z_FINISH : Z_SYNC_FLUSH);
  if (status == (last ? Z_STREAM_END : Z_OK) && !z.avail_in && z.avail_out)
    b->packed_size = ROOM - z.avail_out;
  deflateEnd(&z);
}

/* Packs and writes what there is. False with errno. */
static bool write_blocks(packer *p)
{
  uint32_t count = p->count ? (uint32_t)((p->count + BLOCK - 1) / BLOCK) : 1;
  ts_workers_run(p->workers, &(ts_workers_job){count, pack_block, p, NULL, NULL});
  for (uint32_t i = 0; i < count; i++) {
    const packed_block *b = &p->blocks[i];
    errno = b->packed_size ? 0 : ENOMEM;
    if (errno || fwrite(b->packed, 1, b->packed_size, p->file) != b->packed_size)
      return false;
    p->sum = (uint32_t)crc32_combine(p->sum, b->sum, b->size);
  }
  memmove(p->bytes, p->bytes + p->count, WINDOW);
  p->length += p->count;
  p->count = 0;
  return true;
}

/* Blocks are written when others come, so that the last one is known. */
static ssize_t take_bytes(void *closure, const char *bytes, size_t size)
{
  packer *p = closure;
  for (size_t taken = 0, some; taken < size; taken += some, p->count += some) {
    size_t room = (size_t)p->workers * BLOCK;
    if (p->count == room && !write_blocks(p))
      return 0;
    some = size - taken < room - p->count ? size - taken : room - p->count;
    memcpy(p->bytes + WINDOW + p->count, bytes + taken, some);
  }
  return (ssize_t)size;
}

static int end_packing(void *closure)
{
  packer *p = closure;
  uint8_t end[8];
  p->last = true;
  bool good = write_blocks(p);
  for (int i = 0; i < 4; i++) {
    end[i] = (uint8_t)(p->sum >> 8 * i);
    end[4 + i] = (uint8_t)(p->length >> 8 * i);
  }
  good = good && fwrite(end, 1, sizeof end, p->file) == sizeof end;
  ts_arena_free(p->arena);
  return good ? 0 : -1;
}

FILE *ts_packing(FILE *file, uint32_t threads)
{
  static const uint8_t begin[10] = {0x1f, 0x8b, Z_DEFLATED, [9] = 3}; /* no name, no time, Unix */
  ts_arena *arena = ts_arena_new("packing");
  packer *p = TS_NEW(arena, packer);
  uint32_t most = ts_workers_size(threads, UINT32_MAX);
  *p = (packer){.arena = arena, .file = file, .workers = most < MOST ? most : MOST};
  p->bytes = ts_arena_alloc_raw(arena, WINDOW + (size_t)p->workers * BLOCK);
  for (uint32_t i = 0; i < p->workers; i++)
    p->blocks[i].packed = ts_arena_alloc_raw(arena, ROOM);
  FILE *out = fwrite(begin, 1, sizeof begin, file) != sizeof begin ?
                NULL :
                fopencookie(p, "w",
                            (cookie_io_functions_t){.write = take_bytes, .close = end_packing});
  if (!out)
    ts_arena_free(arena);
  return out;
}
