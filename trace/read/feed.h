/* Bytes of a file as a stream: plain or gzip (recognized by its first bytes), from a path or from
 * memory. What lies between `at` and `end` has been read and not yet used; ts_feed_more brings more
 * behind it and may move it. */
#ifndef TS_TRACE_READ_FEED_H
#define TS_TRACE_READ_FEED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/progress.h"

typedef struct ts_feed {
  char *buffer;
  size_t at, end, room;
  uint64_t passed;     /* bytes before the buffer */
  uint64_t lines;      /* line breaks among them */
  uint64_t read;       /* bytes of the file */
  bool done;           /* nothing more comes */
  bool packed, cut;    /* gzip; a gzip stream that ends early */
  bool over;           /* a value would take more memory than the feed may have */
  int file;            /* descriptor, or -1: from memory */
  const uint8_t *memory;
  size_t memory_left;
  void *inflate;       /* z_stream */
  uint8_t *input;      /* packed bytes */
  ts_error *error;
  const ts_progress *progress; /* or NULL */
  uint64_t size;       /* of the file; 0: not known */
} ts_feed;

enum { TS_FEED_LARGEST = 64 << 20 }; /* bytes of one value that has to be held whole */

/* "-": standard input */
bool ts_feed_open(ts_feed *feed, const char *path, ts_error *error);
void ts_feed_memory(ts_feed *feed, const void *bytes, size_t size, ts_error *error);
void ts_feed_close(ts_feed *feed);
/* False at the end, after errors, and when the buffer is at its limit. */
bool ts_feed_more(ts_feed *feed);
/* At least `count` bytes between `at` and `end`. */
bool ts_feed_need(ts_feed *feed, size_t count);
uint64_t ts_feed_offset(const ts_feed *feed);
/* Fails at the place of `at`. */
bool ts_feed_fail(ts_feed *feed, const char *help, const char *format, ...)
  __attribute__((format(printf, 3, 4)));

#endif
