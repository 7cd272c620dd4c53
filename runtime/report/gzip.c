/* Blocks of text, each packed by itself with the text before it as dictionary (zlib.h,
 * deflateSetDictionary), and joined to one gzip file (RFC 1952). */
#define _GNU_SOURCE /* fopencookie */
#include "runtime/report/gzip.h"

#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <zlib.h>

#include "base/arena.h"
#include "runtime/load/workers.h"

enum { WINDOW = 1 << 15, BLOCK = 1 << 19, BLOCKS = 8, LEVEL = 3, THREADS = 2 };

typedef struct block {
  size_t before, size, packed; /* before: bytes of the window that is full */
  uint32_t check;
  bool last, done;
  z_stream stream;
  uint8_t window[WINDOW], bytes[BLOCK], out[BLOCK + BLOCK / 8];
} block;

typedef struct packer {
  FILE *to, *text;
  ts_print *print;
  void *closure;
  pthread_mutex_t lock;
  pthread_cond_t moved;
  uint64_t put, taken, written; /* blocks: of text, of those packed, in the file */
  bool ended;
  int error;
  uint32_t check; /* of what is written */
  uint32_t size;  /* modulo 2^32, as the format has it */
  block *at;      /* [BLOCKS] */
} packer;

static block *block_of(const packer *p, uint64_t number) { return &p->at[number % BLOCKS]; }

static void put_bytes(packer *p, const void *bytes, size_t size)
{
  errno = 0;
  if (!p->error && !ts_put_bytes(p->to, bytes, size))
    p->error = errno ? errno : EIO;
}

static void pack_block(block *b)
{
  z_stream *z = &b->stream;
  deflateReset(z);
  if (b->before)
    deflateSetDictionary(z, b->window, (unsigned)b->before);
  z->next_in = b->bytes;
  z->avail_in = (unsigned)b->size;
  z->next_out = b->out;
  z->avail_out = sizeof b->out;
  deflate(z, b->last ? Z_FINISH : Z_SYNC_FLUSH);
  b->packed = sizeof b->out - z->avail_out;
  b->check = (uint32_t)crc32(0, b->bytes, (unsigned)b->size);
}

/* With the lock, which is given up meanwhile. */
static void pack_one(packer *p)
{
  block *b = block_of(p, p->taken++);
  pthread_mutex_unlock(&p->lock);
  pack_block(b);
  pthread_mutex_lock(&p->lock);
  b->done = true;
  for (; p->written < p->taken && (b = block_of(p, p->written))->done; p->written++) {
    put_bytes(p, b->out, b->packed);
    p->check = (uint32_t)crc32_combine(p->check, b->check, (z_off_t)b->size);
    p->size += (uint32_t)b->size;
    b->done = false;
  }
  pthread_cond_broadcast(&p->moved);
}

/* Until no more than `most` blocks are not in the file. */
static void wait_for(packer *p, uint64_t most)
{
  while (p->put - p->written > most)
    if (p->taken < p->put)
      pack_one(p);
    else
      pthread_cond_wait(&p->moved, &p->lock);
}

/* The block at hand is full, or the last one. */
static void end_block(packer *p, bool last)
{
  block *b = block_of(p, p->put);
  pthread_mutex_lock(&p->lock);
  b->last = last;
  p->put++;
  pthread_cond_broadcast(&p->moved);
  wait_for(p, last ? 0 : BLOCKS - 1);
  p->ended = last;
  if (last)
    pthread_cond_broadcast(&p->moved);
  pthread_mutex_unlock(&p->lock);
  if (last)
    return;
  block *next = block_of(p, p->put);
  memcpy(next->window, b->bytes + BLOCK - WINDOW, WINDOW);
  next->before = WINDOW;
  next->size = 0;
}

static ssize_t take_text(void *closure, const char *bytes, size_t size)
{
  packer *p = closure;
  for (size_t done = 0, some; done < size; done += some) {
    block *b = block_of(p, p->put);
    some = size - done < BLOCK - b->size ? size - done : BLOCK - b->size;
    memcpy(b->bytes + b->size, bytes + done, some);
    b->size += some;
    if (b->size == BLOCK)
      end_block(p, false);
  }
  return (ssize_t)size;
}

static void print_all(packer *p)
{
  p->print(p->closure, p->text);
  fclose(p->text);
  end_block(p, true);
}

static void help(packer *p)
{
  pthread_mutex_lock(&p->lock);
  while (!p->ended)
    if (p->taken < p->put)
      pack_one(p);
    else
      pthread_cond_wait(&p->moved, &p->lock);
  pthread_mutex_unlock(&p->lock);
}

static void print_or_help(void *closure, bool first) { (first ? print_all : help)(closure); }

static bool open_packer(packer *p)
{
  bool good = true;
  for (int i = 0; i < BLOCKS; i++)
    good = deflateInit2(&p->at[i].stream, LEVEL, Z_DEFLATED, -MAX_WBITS, MAX_MEM_LEVEL,
                        Z_DEFAULT_STRATEGY) == Z_OK &&
           good;
  p->text = good ? fopencookie(p, "w", (cookie_io_functions_t){.write = take_text}) : NULL;
  return p->text && setvbuf(p->text, NULL, _IOFBF, WINDOW) == 0;
}

static void put_number(packer *p, uint32_t n)
{
  put_bytes(p, (uint8_t[]){(uint8_t)n, (uint8_t)(n >> 8), (uint8_t)(n >> 16), (uint8_t)(n >> 24)},
            4);
}

int ts_print_gzip(FILE *file, ts_print *put, void *closure)
{
  static const uint8_t header[] = {0x1f, 0x8b, Z_DEFLATED, 0, 0, 0, 0, 0, 0, 3};
  ts_arena *arena = ts_arena_new("packing");
  packer p = {.to = file,
              .print = put,
              .closure = closure,
              .lock = PTHREAD_MUTEX_INITIALIZER,
              .moved = PTHREAD_COND_INITIALIZER,
              .at = TS_NEW_ARRAY(arena, block, BLOCKS)};
  if (open_packer(&p)) {
    put_bytes(&p, header, sizeof header);
    ts_workers_together(THREADS, print_or_help, &p);
    put_number(&p, p.check);
    put_number(&p, p.size);
  } else {
    p.error = ENOMEM;
  }
  if (fflush(file) != 0 && !p.error)
    p.error = errno;
  for (int i = 0; i < BLOCKS; i++)
    deflateEnd(&p.at[i].stream);
  ts_arena_free(arena);
  return p.error;
}
