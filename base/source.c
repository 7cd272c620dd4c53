#include "base/source.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct ts_sources {
  ts_arena *arena;
  TS_VEC(ts_source) files;
};

ts_sources *ts_sources_new(ts_arena *arena)
{
  ts_sources *map = TS_NEW(arena, ts_sources);
  map->arena = arena;
  return map;
}

uint32_t ts_sources_add(ts_sources *map, const char *name, const char *role, const char *text, size_t size)
{
  ts_source file = {
    .name = ts_arena_string(map->arena, name, strlen(name)),
    .role = ts_arena_string(map->arena, role, strlen(role)),
    .text = ts_arena_string(map->arena, text, size),
    .size = size,
  };
  TS_PUSH(map->arena, &map->files, file);
  return (uint32_t)map->files.count;
}

const ts_source *ts_sources_get(const ts_sources *map, uint32_t file)
{
  return file && file <= map->files.count ? &map->files.at[file - 1] : NULL;
}

uint32_t ts_sources_count(const ts_sources *map) { return (uint32_t)map->files.count; }

ts_position ts_sources_position(const ts_sources *map, uint32_t file, uint32_t offset)
{
  ts_position position = {1, 1};
  const ts_source *source = ts_sources_get(map, file);
  if (!source)
    return position;
  for (uint32_t i = 0; i < offset && i < source->size; i++) {
    if (source->text[i] == '\n') {
      position.line++;
      position.column = 1;
    } else if (((unsigned char)source->text[i] & 0xc0) != 0x80) { /* not a UTF-8 continuation byte */
      position.column++;
    }
  }
  return position;
}

ts_span ts_span_join(ts_span a, ts_span b)
{
  if (!a.file)
    return b;
  if (a.file != b.file)
    return a;
  return (ts_span){a.file, a.begin < b.begin ? a.begin : b.begin, a.end > b.end ? a.end : b.end};
}

/* Pipes have no size, so the text is read until it ends. */
static int read_all(ts_arena *arena, int fd, char **text, size_t *size)
{
  size_t room = 1 << 16, used = 0;
  struct stat info;
  if (fstat(fd, &info) == 0) {
    if (S_ISDIR(info.st_mode))
      return EISDIR;
    if (S_ISREG(info.st_mode) && info.st_size > 0)
      room = (size_t)info.st_size + 1;
  }
  char *bytes = ts_arena_alloc(arena, room);
  for (;;) {
    ssize_t got = read(fd, bytes + used, room - used);
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return errno;
    if (got == 0)
      break;
    used += (size_t)got;
    if (used == room) {
      bytes = ts_arena_grow(arena, bytes, room, 2 * room);
      room *= 2;
    }
  }
  bytes[used] = '\0';
  *text = bytes;
  *size = used;
  return 0;
}

char *ts_read_file(ts_arena *arena, const char *path, size_t *size, int *error)
{
  char *text = NULL;
  size_t read_size = 0;
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  int status = fd < 0 ? errno : read_all(arena, fd, &text, &read_size);
  if (fd >= 0)
    close(fd);
  if (size)
    *size = read_size;
  if (error)
    *error = status;
  return status ? NULL : text;
}

static bool same_content(const char *path, const void *bytes, size_t size)
{
  FILE *file = fopen(path, "rbe");
  if (!file)
    return false;
  const char *expected = bytes;
  char buffer[1 << 14];
  size_t at = 0, got;
  bool same = true;
  while (same && (got = fread(buffer, 1, sizeof buffer, file)) > 0) {
    same = got <= size - at && memcmp(buffer, expected + at, got) == 0;
    at += got;
  }
  same = same && at == size && !ferror(file);
  fclose(file);
  return same;
}

static int write_all(int fd, const char *bytes, size_t size)
{
  while (size) {
    ssize_t put = write(fd, bytes, size);
    if (put < 0 && errno == EINTR)
      continue;
    if (put < 0)
      return errno;
    bytes += put;
    size -= (size_t)put;
  }
  return fsync(fd) == 0 || errno == EINVAL || errno == EROFS ? 0 : errno;
}

/* A new file gets the permissions that open() would have given it, an old one keeps its own. */
static mode_t target_mode(const char *path)
{
  struct stat info;
  if (stat(path, &info) == 0)
    return info.st_mode & 07777;
  mode_t mask = umask(0);
  umask(mask);
  return 0666 & ~mask;
}

static int write_and_rename(char *beside, const char *path, const void *bytes, size_t size)
{
  int fd = mkstemp(beside);
  if (fd < 0)
    return errno;
  int error = write_all(fd, bytes, size);
  if (!error && fchmod(fd, target_mode(path)) != 0)
    error = errno;
  if (close(fd) != 0 && !error)
    error = errno;
  if (!error && rename(beside, path) != 0)
    error = errno;
  if (error)
    unlink(beside);
  return error;
}

/* An interrupt waits meanwhile, or the file beside would stay. */
static int write_beside(const char *path, const void *bytes, size_t size)
{
  size_t length = strlen(path);
  char *beside = malloc(length + sizeof ".XXXXXX");
  if (!beside)
    return ENOMEM;
  memcpy(beside, path, length);
  memcpy(beside + length, ".XXXXXX", sizeof ".XXXXXX");
  sigset_t waits, before;
  sigemptyset(&waits);
  sigaddset(&waits, SIGINT);
  sigaddset(&waits, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &waits, &before);
  int error = write_and_rename(beside, path, bytes, size);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  free(beside);
  return error;
}

static int write_in_place(const char *path, const void *bytes, size_t size)
{
  int fd = open(path, O_WRONLY | O_CLOEXEC);
  if (fd < 0)
    return errno;
  int error = write_all(fd, bytes, size);
  if (close(fd) != 0 && !error)
    error = errno;
  return error;
}

int ts_write_file(const char *path, const void *bytes, size_t size)
{
  struct stat info;
  if (stat(path, &info) == 0 && !S_ISREG(info.st_mode)) /* a device or a pipe cannot be renamed over */
    return S_ISDIR(info.st_mode) ? EISDIR : write_in_place(path, bytes, size);
  if (same_content(path, bytes, size))
    return 0;
  char *target = realpath(path, NULL); /* through symbolic links to the file meant */
  int error = write_beside(target ? target : path, bytes, size);
  free(target);
  return error;
}

const char *ts_base_name(const char *path)
{
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}
