#define _GNU_SOURCE /* O_PATH, syscall */
#include "base/source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#ifdef SYS_openat2
#include <linux/openat2.h>
#endif

/* Where lines and columns stand at every so many bytes: of each file in which a place was asked
 * for. */
enum { MARK_EVERY = 256 };
typedef struct source_marks {
  const ts_position *at;
} source_marks;

struct ts_sources {
  ts_arena *arena;
  const ts_sources *below;  /* its files come first; NULL: none */
  TS_VEC(ts_source) files;
  TS_VEC(source_marks) marks; /* also of those below */
};

ts_sources *ts_sources_new(ts_arena *arena)
{
  ts_sources *map = TS_NEW(arena, ts_sources);
  map->arena = arena;
  return map;
}

ts_sources *ts_sources_over(ts_arena *arena, const ts_sources *below)
{
  ts_sources *map = ts_sources_new(arena);
  map->below = below;
  for (uint32_t i = 0; i < ts_sources_count(below); i++)
    TS_PUSH(arena, &map->marks, (source_marks){0});
  return map;
}

uint32_t ts_sources_add(ts_sources *map, const char *name, const char *role, const char *text,
                        size_t size)
{
  ts_source file = {
    .name = ts_arena_string(map->arena, name, strlen(name)),
    .role = ts_arena_string(map->arena, role, strlen(role)),
    .text = ts_arena_string(map->arena, text, size),
    .size = size,
  };
  TS_PUSH(map->arena, &map->files, file);
  TS_PUSH(map->arena, &map->marks, (source_marks){0});
  return ts_sources_count(map);
}

const ts_source *ts_sources_get(const ts_sources *map, uint32_t file)
{
  uint32_t first = map->below ? ts_sources_count(map->below) : 0;
  if (file <= first)
    return file ? ts_sources_get(map->below, file) : NULL;
  return file - first <= map->files.count ? &map->files.at[file - first - 1] : NULL;
}

uint32_t ts_sources_count(const ts_sources *map)
{
  return (map->below ? ts_sources_count(map->below) : 0) + (uint32_t)map->files.count;
}

static void advance(ts_position *position, char byte)
{
  if (byte == '\n') {
    position->line++;
    position->column = 1;
  } else if (((unsigned char)byte & 0xc0) != 0x80) { /* not a UTF-8 continuation byte */
    position->column++;
  }
}

static const ts_position *marks_of(const ts_sources *map, uint32_t file)
{
  const ts_source *source = ts_sources_get(map, file);
  if (map->marks.at[file - 1].at)
    return map->marks.at[file - 1].at;
  ts_position *at = TS_NEW_ARRAY(map->arena, ts_position, source->size / MARK_EVERY + 1),
              position = {1, 1};
  for (size_t i = 0; i < source->size; i++) {
    if (i % MARK_EVERY == 0)
      at[i / MARK_EVERY] = position;
    advance(&position, source->text[i]);
  }
  if (source->size % MARK_EVERY == 0)
    at[source->size / MARK_EVERY] = position;
  return map->marks.at[file - 1].at = at;
}

ts_position ts_sources_position(const ts_sources *map, uint32_t file, uint32_t offset)
{
  const ts_source *source = ts_sources_get(map, file);
  if (!source)
    return (ts_position){1, 1};
  size_t end = offset < source->size ? offset : source->size, from = end / MARK_EVERY;
  ts_position position = marks_of(map, file)[from];
  for (size_t i = from * MARK_EVERY; i < end; i++)
    advance(&position, source->text[i]);
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

enum { MOST_READ = 1 << 30 }; /* bytes of a file that a file names */

static int check_regular(const struct stat *info)
{
  return !S_ISREG(info->st_mode) ? EINVAL : info->st_size > MOST_READ ? EFBIG : 0;
}

/* Pipes have no size, so the text is read until it ends. `regular`: of a file that a file names,
 * which is no pipe and no device. */
static int source_read_all(ts_arena *arena, int fd, bool regular, char **text, size_t *size)
{
  size_t room = 1 << 16, used = 0;
  struct stat info;
  if (fstat(fd, &info) == 0) {
    if (S_ISDIR(info.st_mode))
      return EISDIR;
    int error = regular ? check_regular(&info) : 0;
    if (error)
      return error;
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
    if (regular && used > MOST_READ)
      return EFBIG; /* it grew */
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

static char *read_open(ts_arena *arena, int fd, bool regular, size_t *size, int *error)
{
  char *text = NULL;
  size_t read_size = 0;
  int status = fd < 0 ? errno : source_read_all(arena, fd, regular, &text, &read_size);
  if (fd >= 0)
    close(fd);
  if (size)
    *size = read_size;
  if (error)
    *error = status;
  return status ? NULL : text;
}

char *ts_read_file(ts_arena *arena, const char *path, size_t *size, int *error)
{
  return read_open(arena, open(path, O_RDONLY | O_CLOEXEC), false, size, error);
}

static bool leads_up(const char *name)
{
  for (const char *part = name; part; part = strchr(part, '/') ? strchr(part, '/') + 1 : NULL)
    if (!strncmp(part, "..", 2) && (part[2] == '/' || !part[2]))
      return true;
  return name[0] == '/';
}

/* A pipe without a writer would keep open() waiting: not with O_NONBLOCK. */
static int open_beneath(const char *folder, const char *name)
{
  const int how = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
  if (leads_up(name)) {
    errno = EACCES;
    return -1;
  }
  int root = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (root < 0)
    return -1;
#if defined SYS_openat2 && defined RESOLVE_BENEATH
  struct open_how beneath = {.flags = (unsigned)how,
                             .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS};
  int fd = (int)syscall(SYS_openat2, root, name, &beneath, sizeof beneath);
  /* before Linux 5.6, or kept from us by a sandbox */
  if (fd < 0 && (errno == ENOSYS || errno == EPERM))
#else
  int fd;
#endif
    fd = openat(root, name, how | O_NOFOLLOW);
  int error = errno;
  close(root);
  errno = error;
  return fd;
}

char *ts_read_beneath(ts_arena *arena, const char *folder, const char *name, size_t *size,
                      int *error)
{
  return read_open(arena, open_beneath(folder, name), true, size, error);
}

int ts_check_beneath(const char *folder, const char *name)
{
  struct stat info;
  int fd = open_beneath(folder, name),
      error = fd < 0 || fstat(fd, &info) != 0 ? errno : check_regular(&info);
  if (fd >= 0)
    close(fd);
  return error;
}

const char *ts_base_name(const char *path)
{
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}
