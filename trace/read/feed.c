/* Bytes of a file as a stream: reading, and unpacking of gzip. */
#include "trace/read/feed.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/heap.h"

enum { BLOCK = 256 << 10, INPUT = 64 << 10 };

static uint64_t breaks_in(const char *text, size_t size)
{
  uint64_t breaks = 0;
  for (const char *at = text; (at = memchr(at, '\n', (size_t)(text + size - at))); at++)
    breaks++;
  return breaks;
}

bool ts_feed_fail(ts_feed *feed, const char *help, const char *format, ...)
{
  if (!feed->error->message[0]) {
    feed->error->begin = ts_feed_offset(feed);
    uint64_t line = feed->lines + breaks_in(feed->buffer, feed->at) + 1;
    feed->error->line = line <= UINT32_MAX ? (uint32_t)line : 0;
  }
  va_list args;
  va_start(args, format);
  ts_fail_va(feed->error, help, format, args);
  va_end(args);
  return false;
}

uint64_t ts_feed_offset(const ts_feed *feed) { return feed->passed + feed->at; }

/* Up to `room` bytes as they lie in the file. */
static size_t read_raw(ts_feed *feed, void *into, size_t room)
{
  size_t got = 0;
  if (feed->file < 0) {
    got = room < feed->memory_left ? room : feed->memory_left;
    if (got)
      memcpy(into, feed->memory, got);
    feed->memory += got;
    feed->memory_left -= got;
  } else {
    ssize_t count;
    do
      count = read(feed->file, into, room);
    while (count < 0 && errno == EINTR);
    if (count < 0 && !feed->error->message[0]) {
      feed->error->kind = TS_ERROR_UNREADABLE;
      ts_fail(feed->error, NULL, "%s", strerror(errno));
    }
    got = count > 0 ? (size_t)count : 0;
  }
  feed->read += got;
  if (feed->size)
    ts_tick_counted(feed->progress, "reading", (double)feed->read / (double)feed->size, "B",
                    (double)feed->read);
  return got;
}

static void feed_start(ts_feed *feed)
{
  feed->room = 2 * BLOCK;
  feed->buffer = ts_heap_new(feed->room, 1);
  while (feed->end < 2) {
    size_t got = read_raw(feed, feed->buffer + feed->end, BLOCK - feed->end);
    if (!got)
      break;
    feed->end += got;
  }
  const uint8_t *head = (const uint8_t *)feed->buffer;
  if (feed->end < 2 || head[0] != 0x1f || head[1] != 0x8b)
    return;
  feed->packed = true;
  z_stream *z = ts_heap_new(1, sizeof *z);
  *z = (z_stream){.zalloc = ts_heap_for_zlib, .zfree = ts_heap_from_zlib};
  feed->input = ts_heap_new(BLOCK + INPUT, 1);
  memcpy(feed->input, feed->buffer, feed->end);
  z->next_in = feed->input;
  z->avail_in = (uInt)feed->end;
  feed->end = 0;
  feed->inflate = z;
  if (inflateInit2(z, 15 + 16) != Z_OK)
    ts_heap_none(0);
}

bool ts_feed_open(ts_feed *feed, const char *path, ts_error *error)
{
  *feed =
    (ts_feed){.file = strcmp(path, "-") == 0 ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC),
              .error = error};
  if (feed->file < 0) {
    error->kind = TS_ERROR_UNREADABLE;
    return ts_fail(error, NULL, "%s", strerror(errno));
  }
  struct stat info;
  if (fstat(feed->file, &info) == 0 && S_ISREG(info.st_mode) && info.st_size > 0)
    feed->size = (uint64_t)info.st_size;
  feed_start(feed);
  return !error->message[0];
}

void ts_feed_memory(ts_feed *feed, const void *bytes, size_t size, ts_error *error)
{
  *feed = (ts_feed){.file = -1, .memory = bytes, .memory_left = size, .error = error};
  feed_start(feed);
}

void ts_feed_close(ts_feed *feed)
{
  if (feed->file > STDIN_FILENO)
    close(feed->file);
  if (feed->inflate)
    inflateEnd(feed->inflate);
  free(feed->inflate);
  free(feed->input);
  free(feed->buffer);
  *feed = (ts_feed){.file = -1};
}

/* Unpacked bytes; a file may hold several gzip members one behind the other. */
static size_t unpack(ts_feed *feed, char *into, size_t room)
{
  z_stream *z = feed->inflate;
  z->next_out = (Bytef *)into;
  z->avail_out = (uInt)room;
  bool ended = false;
  while (z->avail_out == room) {
    if (!z->avail_in) {
      z->next_in = feed->input;
      z->avail_in = (uInt)read_raw(feed, feed->input, INPUT);
      if (!z->avail_in) {
        feed->cut = !ended && z->total_in > 0;
        break;
      }
      if (ended)
        inflateReset(z);
    }
    int status = inflate(z, Z_NO_FLUSH);
    ended = status == Z_STREAM_END;
    if (ended && z->avail_in) {
      inflateReset(z);
    } else if (status != Z_OK && !ended && status != Z_BUF_ERROR) {
      if (z->avail_out == room)
        ts_feed_fail(feed, "copy the file again",
                     "the gzip stream is damaged %llu bytes into the packed file: %s",
                     (unsigned long long)(feed->read - z->avail_in),
                     z->msg ? z->msg : "data error");
      break;
    }
    if (ended && z->avail_out != room)
      inflateReset(z);
  }
  return room - z->avail_out;
}

static void feed_make_room(ts_feed *feed)
{
  size_t left = feed->end - feed->at;
  if (feed->at) {
    feed->lines += breaks_in(feed->buffer, feed->at);
    feed->passed += feed->at;
    memmove(feed->buffer, feed->buffer + feed->at, left);
    feed->at = 0;
    feed->end = left;
  }
  if (feed->room - left >= BLOCK)
    return;
  if (feed->room >= TS_FEED_LARGEST) {
    feed->over = true;
    return;
  }
  feed->room *= 2;
  feed->buffer = ts_heap_resize(feed->buffer, feed->room, 1);
}

bool ts_feed_more(ts_feed *feed)
{
  if (feed->done || feed->over || feed->error->message[0])
    return false;
  feed_make_room(feed);
  if (feed->over)
    return ts_feed_fail(feed, NULL, "a single value is larger than %d MiB", TS_FEED_LARGEST >> 20);
  size_t got = feed->packed ? unpack(feed, feed->buffer + feed->end, BLOCK) :
                              read_raw(feed, feed->buffer + feed->end, BLOCK);
  feed->end += got;
  feed->done = !got;
  return got > 0;
}

bool ts_feed_need(ts_feed *feed, size_t count)
{
  while (feed->end - feed->at < count)
    if (!ts_feed_more(feed))
      return false;
  return true;
}
