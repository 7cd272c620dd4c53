#define _GNU_SOURCE /* mkostemp */
#include "base/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/heap.h"
#include "base/source.h"

bool ts_put_bytes(FILE *out, const void *bytes, size_t size)
{
  return fwrite(bytes, 1, size, out) == size;
}

char *ts_printed(ts_print *put, void *closure, size_t *size)
{
  char *text = NULL;
  size_t length = 0;
  FILE *memory = ts_heap_print(&text, &length);
  put(closure, memory);
  ts_heap_printed(memory);
  if (size)
    *size = length;
  return text;
}

/* ---- Files that are being written ---- */

/* What a signal that ends the program has to remove. Only a handler reads it, which is given
 * nothing: so it is the one thing here that is not passed. Whoever takes a name out frees it.
 * Shelves stay when they are empty. */
enum { SHELF = 64 };
typedef struct shelf { _Atomic(char *) name[SHELF]; struct shelf *_Atomic next; } shelf;
static shelf unfinished;

void ts_outputs_abandon(void)
{
  for (shelf *s = &unfinished; s; s = atomic_load(&s->next))
    for (int i = 0; i < SHELF; i++) {
      char *name = atomic_exchange(&s->name[i], NULL);
      if (name)
        unlink(name);
    }
}

static bool replace(shelf *s, char *old, char *new)
{
  for (int i = 0; i < SHELF; i++) {
    char *expected = old;
    if (atomic_compare_exchange_strong(&s->name[i], &expected, new))
      return true;
  }
  return false;
}

/* The next shelf, which is put up where there is none. */
static shelf *next_of(shelf *s)
{
  shelf *next = atomic_load(&s->next);
  if (next)
    return next;
  shelf *new = ts_heap_new(1, sizeof *new);
  if (atomic_compare_exchange_strong(&s->next, &next, new))
    return new;
  free(new); /* another thread was faster */
  return next;
}

static void note_unfinished(char *name)
{
  shelf *s = &unfinished;
  while (!replace(s, NULL, name)) s = next_of(s);
}

/* False: the program is being ended, and who ends it may still read the name. */
static bool forget_unfinished(char *name)
{
  for (shelf *s = &unfinished; s; s = atomic_load(&s->next))
    if (replace(s, name, NULL))
      return true;
  return false;
}

/* /dev/stdout, /dev/fd/3, /proc/self/fd/3: open already, and not to be replaced though a regular
 * file may stand behind. -1: another path. */
static int descriptor_of(const char *path)
{
  static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/"};
  if (strcmp(path, "-") == 0 || strcmp(path, "/dev/stdout") == 0)
    return STDOUT_FILENO;
  if (strcmp(path, "/dev/stderr") == 0)
    return STDERR_FILENO;
  for (int i = 0; i < 2; i++) {
    size_t length = strlen(folders[i]);
    if (strncmp(path, folders[i], length) == 0 && path[length] &&
        strspn(path + length, "0123456789") == strlen(path + length) && strlen(path + length) < 6)
      return atoi(path + length);
  }
  return -1;
}

/* Takes `path`: where the link at it leads, in memory of its own; NULL: it is no link. */
static char *linked(const char *path)
{
  enum { LONGEST = 4096 };
  char target[LONGEST];
  ssize_t length = readlink(path, target, sizeof target - 1);
  if (length < 0)
    return NULL;
  target[length] = '\0';
  size_t folder = target[0] == '/' ? 0 : (size_t)(ts_base_name(path) - path);
  char *joined = ts_heap_new(folder + (size_t)length + 1, 1);
  memcpy(joined, path, folder);
  memcpy(joined + folder, target, (size_t)length + 1);
  return joined;
}

/* Through links to the file meant, which need not be there yet. *error: 0 or an errno value. */
static char *followed(const char *path, int *error)
{
  enum { MOST_LINKS = 40 }; /* as Linux */
  char *at = ts_heap_text(path), *next;
  *error = 0;
  for (int links = 0; descriptor_of(at) < 0 && (next = linked(at)); links++) {
    free(at);
    at = next;
    if (links == MOST_LINKS) {
      *error = ELOOP;
      break;
    }
  }
  return at;
}

/* A new file gets the permissions that open() would have given it, an old one keeps its own. */
static mode_t mode_of(bool there, const struct stat *info)
{
  if (there)
    return info->st_mode & 07777;
  mode_t mask = umask(0);
  umask(mask);
  return 0666 & ~mask;
}

/* What is left where a call of the library ends without memory. */
typedef struct ts_half_written { ts_heap_owned owned; FILE *out; char *beside; } ts_half_written;

static void abandon(void *half)
{
  ts_half_written *h = half;
  if (h->out)
    fclose(h->out);
  unlink(h->beside);
  if (forget_unfinished(h->beside))
    free(h->beside);
  free(h);
}

/* A name of its own: two programs that write one file do not write into each other's. Short, as the
 * name may be as long as names can be. */
static int open_beside(ts_output *o, bool there, const struct stat *info)
{
  static const char name[] = ".trainspec.XXXXXX";
  if (there && faccessat(AT_FDCWD, o->path, W_OK, AT_EACCESS) != 0)
    return errno; /* renaming would not ask */
  size_t folder = (size_t)(ts_base_name(o->path) - o->path);
  o->beside = ts_heap_new(folder + sizeof name, 1);
  memcpy(o->beside, o->path, folder);
  memcpy(o->beside + folder, name, sizeof name);
  o->half = ts_heap_new(1, sizeof *o->half);
  o->half->beside = o->beside;
  note_unfinished(o->beside);
  ts_heap_own(&o->half->owned, abandon);
  int fd = mkostemp(o->beside, O_CLOEXEC), error = fd < 0 ? errno : 0;
  if (!error && there && fchown(fd, info->st_uid, info->st_gid) != 0)
    errno = 0; /* only root may give files away: it becomes ours */
  if (!error && fchmod(fd, mode_of(there, info)) != 0)
    error = errno;
  if (!error && !(o->out = o->half->out = fdopen(fd, "w")))
    error = errno;
  if (!o->out && fd >= 0)
    close(fd);
  return error;
}

static int open_stream(ts_output *o)
{
  int descriptor = descriptor_of(o->path);
  if (descriptor >= 0)
    fflush(stdout); /* what is printed already comes first */
  int fd = descriptor < 0 ? open(o->path, O_WRONLY | O_CLOEXEC | O_NOCTTY) :
                            fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
  o->out = fd < 0 ? NULL : fdopen(fd, "w");
  int error = o->out ? 0 : errno;
  if (!o->out && fd >= 0)
    close(fd);
  return error;
}

int ts_output_open(ts_output *o, const char *path)
{
  enum { BUFFER = 1 << 18 };
  struct stat info = {0};
  int error;
  *o = (ts_output){.path = followed(path, &error)};
  bool there = !error && stat(o->path, &info) == 0;
  if (!error && descriptor_of(o->path) >= 0)
    error = open_stream(o);
  else if (!error && there && !S_ISREG(info.st_mode))
    error = S_ISDIR(info.st_mode) ? EISDIR : open_stream(o);
  else if (!error)
    error = open_beside(o, there, &info);
  if (error)
    ts_output_close(o, false);
  else
    setvbuf(o->out, o->buffer = ts_heap_new(BUFFER, 1), _IOFBF, BUFFER);
  return error;
}

/* What was written reaches the disk before the name does. Pipes have no disk. */
static int output_finish(ts_output *o)
{
  bool failed = ferror(o->out);
  int error = 0;
  errno = 0;
  if (fflush(o->out) != 0 || failed)
    error = errno ? errno : EIO;
  if (!error && o->beside && fsync(fileno(o->out)) != 0 && errno != EINVAL && errno != EROFS)
    error = errno;
  if (fclose(o->out) != 0 && !error)
    error = errno;
  return error;
}

typedef int place(const char *beside, const char *path);

/* Where nothing is yet. Some file systems have no second names for a file. */
static int place_new(const char *beside, const char *path)
{
  if (link(beside, path) == 0)
    return unlink(beside);
#ifdef RENAME_NOREPLACE
  if (errno == EPERM || errno == EOPNOTSUPP || errno == ENOSYS || errno == EMLINK)
    return renameat2(AT_FDCWD, beside, AT_FDCWD, path, RENAME_NOREPLACE);
#endif
  return -1;
}

/* `keep`: NULL to leave what is there. */
static int close_as(ts_output *o, place *keep)
{
  int error = o->out ? output_finish(o) : 0;
  if (o->half)
    ts_heap_disown(&o->half->owned);
  free(o->half);
  if (o->beside) {
    if (keep && !error && keep(o->beside, o->path) != 0)
      error = errno;
    if (!keep || error)
      unlink(o->beside);
    if (forget_unfinished(o->beside))
      free(o->beside);
  }
  free(o->path);
  free(o->buffer);
  *o = (ts_output){0};
  return error;
}

int ts_output_close(ts_output *o, bool keep) { return close_as(o, keep ? rename : NULL); }
int ts_output_close_new(ts_output *o) { return close_as(o, place_new); }

int ts_output_try(const char *path)
{
  struct stat info;
  ts_output o;
  if (descriptor_of(path) >= 0 || (stat(path, &info) == 0 && !S_ISREG(info.st_mode)))
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode) ? EISDIR : 0;
  int error = ts_output_open(&o, path);
  if (!error)
    ts_output_close(&o, false);
  return error;
}

bool ts_same_file(const char *a, const char *b)
{
  struct stat of_a, of_b;
  if (!a || !b || descriptor_of(a) >= 0)
    return false;
  if (stat(a, &of_a) != 0 || stat(b, &of_b) != 0)
    return strcmp(a, b) == 0;
  return S_ISREG(of_a.st_mode) && of_a.st_dev == of_b.st_dev && of_a.st_ino == of_b.st_ino;
}

/* ---- Files that are known whole ---- */

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

int ts_write_file(const char *path, const void *bytes, size_t size)
{
  ts_output o;
  struct stat info;
  if (descriptor_of(path) < 0 && stat(path, &info) == 0 && S_ISREG(info.st_mode) &&
      same_content(path, bytes, size))
    return 0;
  int error = ts_output_open(&o, path);
  if (error)
    return error;
  fwrite(bytes, 1, size, o.out);
  return ts_output_close(&o, true);
}

int ts_print_file(const char *path, ts_print *put, void *closure)
{
  size_t size;
  char *text = ts_printed(put, closure, &size);
  int error = ts_write_file(path, text, size);
  free(text);
  return error;
}

void ts_outputs_silence(void)
{
  int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nowhere < 0)
    return;
  dup2(nowhere, STDOUT_FILENO);
  dup2(nowhere, STDERR_FILENO);
  close(nowhere);
}
