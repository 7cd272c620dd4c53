/* An IR file as a view: mapped, with digest and layout checked. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/heap.h"
#include "ir/layout.h"

struct ts_ir_file {
  void *bytes;
  size_t size;
  ts_ir view;
};

static int fail_at(ts_error *error, uint64_t offset, const char *message)
{
  ts_ir_fail(error, "%s", message);
  if (error)
    error->begin = offset;
  return -1;
}

static int check_header(const uint8_t *bytes, size_t size, ts_error *error)
{
  ts_ir_header header;
  size_t shorter = size < sizeof header.magic ? size : sizeof header.magic;
  if (memcmp(bytes, TS_IR_MAGIC, shorter) || !size)
    return fail_at(error, 0, "not a TrainSpec IR file: it does not begin with its signature");
  if (size < sizeof header)
    return fail_at(error, size, "the file ends inside its header");
  memcpy(&header, bytes, sizeof header);
  if (header.version != TS_IR_VERSION) {
    ts_ir_fail(error, "format version %u; this program reads version %u", header.version,
               TS_IR_VERSION);
    return -1;
  }
  if (header.file_size != size) {
    ts_ir_fail(error,
               "the file has %zu bytes and says it has %llu: the copy is incomplete or was altered",
               size, (unsigned long long)header.file_size);
    return -1;
  }
  if (header.section_count != TS_IR_SECTION_KINDS - 1)
    return fail_at(error, offsetof(ts_ir_header, section_count),
                   "the number of sections is not that of its version");
  uint8_t digest[TS_DIGEST_SIZE];
  ts_digest_bytes(bytes + sizeof header, size - sizeof header, digest);
  if (memcmp(digest, header.digest, sizeof digest))
    return fail_at(error, offsetof(ts_ir_header, digest),
                   "the content does not match its digest: the file was altered");
  return 0;
}

static int check_section(const ts_ir_section *s, uint32_t kind, size_t expected, size_t size,
                         ts_error *error)
{
  const ts_ir_table *table = &ts_ir_tables[kind];
  uint64_t at = sizeof(ts_ir_header) + (kind - 1) * sizeof *s;
  if (s->kind != kind || s->record_size != table->record_size || s->offset != expected)
    ts_ir_fail(error, "section %s does not match version %u of the format", table->name,
               TS_IR_VERSION);
  else if (s->count >= TS_IR_NONE || s->count > (size - s->offset) / s->record_size)
    ts_ir_fail(error, "section %s: %llu records do not fit into the file", table->name,
               (unsigned long long)s->count);
  else if (kind == TS_IR_META && s->count != 1)
    ts_ir_fail(error, "section meta has %llu records instead of 1", (unsigned long long)s->count);
  else
    return 0;
  if (error)
    error->begin = at;
  return -1;
}

/* Sections lie one behind the other with zeros up to the next multiple of 8, so there is one layout
 * for one content. */
int ts_ir_view_bytes(const void *data, size_t size, ts_ir *view, ts_error *error)
{
  if (error)
    *error = (ts_error){0};
  const uint8_t *bytes = data;
  ts_ir_section sections[TS_IR_SECTION_KINDS - 1];
  size_t end = sizeof(ts_ir_header) + sizeof sections;
  if (check_header(bytes, size, error))
    return -1;
  if (size < end)
    return fail_at(error, size, "the file ends inside its table of sections");
  memcpy(sections, bytes + sizeof(ts_ir_header), sizeof sections);
  *view = (ts_ir){0};
  for (uint32_t kind = TS_IR_STRINGS; kind < TS_IR_SECTION_KINDS; kind++) {
    const ts_ir_section *s = &sections[kind - 1];
    if (check_section(s, kind, end, size, error))
      return -1;
    ts_ir_set(view, kind, bytes + s->offset, (uint32_t)s->count);
    for (end += s->count * s->record_size; end % 8; end++)
      if (end >= size || bytes[end])
        return fail_at(error, end, "the bytes between two sections are not zero");
  }
  if (end != size)
    return fail_at(error, end, "there are bytes after the last section");
  return ts_ir_verify(view, error);
}

static int map_file(ts_ir_file *file, const char *path)
{
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return errno;
  struct stat status;
  int failed = fstat(fd, &status) ? errno : S_ISDIR(status.st_mode) ? EISDIR : 0;
  file->size = failed ? 0 : (size_t)status.st_size;
  if (file->size) {
    file->bytes = mmap(NULL, file->size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (file->bytes == MAP_FAILED) {
      failed = errno;
      file->bytes = NULL;
    }
  }
  close(fd);
  return failed;
}

ts_ir_file *ts_ir_open(const char *path, ts_error *error)
{
  ts_ir_file *file = ts_heap_new(1, sizeof *file);
  int failed = map_file(file, path);
  if (error)
    *error = (ts_error){0};
  if (failed)
    ts_ir_fail(error, "cannot read it: %s", strerror(failed));
  else if (!ts_ir_view_bytes(file->bytes ? file->bytes : "", file->size, &file->view, error))
    return file;
  ts_ir_close(file);
  return NULL;
}

const ts_ir *ts_ir_of(const ts_ir_file *file) { return &file->view; }

void ts_ir_close(ts_ir_file *file)
{
  if (!file)
    return;
  if (file->bytes)
    munmap(file->bytes, file->size);
  free(file);
}
