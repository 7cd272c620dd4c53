#define _GNU_SOURCE /* fopencookie */
#include "runtime/report/gzip.h"

#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/arena.h"
#include "runtime/load/workers.h"

enum { BLOCK = 1 << 18, BLOCKS = 8 };

typedef struct packer {
  gzFile packed;
  pthread_mutex_t lock;
  pthread_cond_t moved;
  uint64_t put, taken; /* blocks; those between wait */
  bool busy;           /* someone packs the block `taken` */
  bool ended;
  int error;
  FILE *out;
  ts_print *print;
  void *closure;
  size_t size[BLOCKS];
  char block[BLOCKS][BLOCK];
} packer;

/* With the lock, which is given up meanwhile. */
static void pack_one(packer *p)
{
  uint32_t at = p->taken % BLOCKS;
  p->busy = true;
  pthread_mutex_unlock(&p->lock);
  errno = 0;
  bool good = gzwrite(p->packed, p->block[at], (unsigned)p->size[at]) == (int)p->size[at];
  int error = good ? 0 : errno ? errno : EIO;
  pthread_mutex_lock(&p->lock);
  p->error = p->error ? p->error : error;
  p->busy = false;
  p->taken++;
  pthread_cond_broadcast(&p->moved);
}

/* Until no more than `most` wait. There may be no thread that packs. */
static void wait_for_room(packer *p, uint64_t most)
{
  while (p->put - p->taken > most)
    if (p->busy)
      pthread_cond_wait(&p->moved, &p->lock);
    else
      pack_one(p);
}

static ssize_t hand_over(void *closure, const char *bytes, size_t size)
{
  packer *p = closure;
  size_t taken = size < BLOCK ? size : BLOCK;
  pthread_mutex_lock(&p->lock);
  wait_for_room(p, BLOCKS - 1);
  int error = p->error;
  pthread_mutex_unlock(&p->lock);
  if (error) {
    errno = error;
    return 0;
  }
  memcpy(p->block[p->put % BLOCKS], bytes, taken);
  p->size[p->put % BLOCKS] = taken;
  pthread_mutex_lock(&p->lock);
  p->put++;
  pthread_cond_broadcast(&p->moved);
  pthread_mutex_unlock(&p->lock);
  return (ssize_t)taken;
}

static void print_all(packer *p)
{
  p->print(p->closure, p->out);
  fclose(p->out); /* what fails is in p->error */
  pthread_mutex_lock(&p->lock);
  wait_for_room(p, 0);
  p->ended = true;
  pthread_cond_broadcast(&p->moved);
  pthread_mutex_unlock(&p->lock);
}

static void pack_all(packer *p)
{
  pthread_mutex_lock(&p->lock);
  while (!p->ended)
    if (p->busy || p->put == p->taken)
      pthread_cond_wait(&p->moved, &p->lock);
    else
      pack_one(p);
  pthread_mutex_unlock(&p->lock);
}

static void print_or_pack(void *closure, bool first) { (first ? print_all : pack_all)(closure); }

static FILE *stream_to(packer *p)
{
  FILE *out = fopencookie(p, "w", (cookie_io_functions_t){.write = hand_over});
  if (out)
    setvbuf(out, NULL, _IOFBF, BLOCK);
  return out;
}

int ts_print_gzip(FILE *file, ts_print *put, void *closure)
{
  int copy = dup(fileno(file)); /* zlib closes its own */
  gzFile packed = copy < 0 ? NULL : gzdopen(copy, "wb3");
  if (!packed)
    return errno;
  ts_arena *arena = ts_arena_new("packing");
  packer *p = TS_NEW(arena, packer);
  p->packed = packed;
  p->lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
  p->moved = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
  p->print = put;
  p->closure = closure;
  p->out = stream_to(p);
  gzbuffer(packed, BLOCK);
  if (p->out)
    ts_workers_together(2, print_or_pack, p);
  int error = p->out ? p->error : errno;
  if (gzclose(packed) != Z_OK && !error)
    error = errno ? errno : EIO;
  ts_arena_free(arena);
  return error;
}
