#include "compiler/eval/file_store.h"

#include <pthread.h>
#include <string.h>

#include "base/digest.h"

enum { MOST_BYTES = 1 << 28 }; /* of texts; what comes later is not kept */

typedef struct stored {
  ts_file_text text;  /* a copy, unless it stays */
  uint8_t sha256[32];
  ts_file_make *make; /* NULL: nothing was made of it */
  const void *made;
} stored;

struct ts_file_store {
  pthread_mutex_t lock; /* of all that follows */
  ts_arena *arena;
  TS_VEC(stored) all;
};

ts_file_store *ts_file_store_new(void)
{
  ts_arena *arena = ts_arena_new("data files");
  ts_file_store *store = TS_NEW(arena, ts_file_store);
  store->arena = arena;
  pthread_mutex_init(&store->lock, NULL);
  return store;
}

void ts_file_store_free(ts_file_store *store)
{
  pthread_mutex_destroy(&store->lock);
  ts_arena_free(store->arena);
}

static void file_store_measure(ts_file_text text, uint8_t sha256[32])
{
  if (text.sha256)
    memcpy(sha256, text.sha256, 32);
  else
    ts_digest_bytes(text.bytes, text.size, sha256);
}

/* The file, which is added if there is room; NULL: there is none. */
static stored *file_store_find(ts_file_store *store, ts_file_text text)
{
  size_t size = text.size;
  for (size_t i = 0; i < store->all.count; i++) {
    stored *f = &store->all.at[i];
    bool by_address = f->text.stays && text.stays;
    if (f->text.size == size && (by_address ? f->text.bytes == text.bytes :
                                              !memcmp(f->text.bytes, text.bytes, size)))
      return f;
  }
  if (size > MOST_BYTES || ts_arena_used(store->arena) > MOST_BYTES - size)
    return NULL;
  stored f = {.text = text};
  if (!text.stays)
    f.text.bytes = ts_arena_string(store->arena, text.bytes, size);
  file_store_measure(text, f.sha256);
  TS_PUSH(store->arena, &store->all, f);
  return &store->all.at[store->all.count - 1];
}

void ts_file_store_digest(ts_file_store *store, ts_file_text text, uint8_t sha256[32])
{
  if (store)
    pthread_mutex_lock(&store->lock);
  const stored *f = store ? file_store_find(store, text) : NULL;
  if (f)
    memcpy(sha256, f->sha256, sizeof f->sha256);
  if (store)
    pthread_mutex_unlock(&store->lock);
  if (!f)
    file_store_measure(text, sha256);
}

const void *ts_file_store_get(ts_file_store *store, ts_file_text text, ts_file_make *make)
{
  if (!store)
    return NULL;
  pthread_mutex_lock(&store->lock);
  stored *f = file_store_find(store, text);
  if (f && !f->make) {
    f->make = make;
    f->made = make(store->arena, f->text.bytes, text.size);
  }
  const void *made = f && f->make == make ? f->made : NULL;
  pthread_mutex_unlock(&store->lock);
  return made;
}
