#define _GNU_SOURCE /* dl_iterate_phdr */
#include "base/version.h"

#include <stdio.h>
#include <string.h>
#ifdef __ELF__
#include <link.h>
#endif

#ifndef PACKAGE_VERSION
#define PACKAGE_VERSION "unreleased"
#endif

const char *ts_version(void) { return PACKAGE_VERSION; }

#ifdef __ELF__

typedef struct version_text {
  char *at;
  size_t size;
} version_text;

static void put_hex(version_text *t, const unsigned char *bytes, size_t count)
{
  for (size_t i = 0; i < count && t->size > 2; i++, t->at += 2, t->size -= 2)
    snprintf(t->at, t->size, "%02x", bytes[i]);
}

static size_t rounded(size_t size) { return (size + 3) & ~(size_t)3; }

/* Notes of a segment: name and content follow a head, each rounded up to four bytes (elf(5)). */
static void find_in(const unsigned char *at, size_t size, version_text *t)
{
  ElfW(Nhdr) head;
  while (size >= sizeof head) {
    memcpy(&head, at, sizeof head);
    size_t whole = sizeof head + rounded(head.n_namesz) + rounded(head.n_descsz);
    if (whole > size)
      return;
    if (head.n_type == NT_GNU_BUILD_ID && head.n_namesz == 4 &&
        !memcmp(at + sizeof head, "GNU", 4)) {
      put_hex(t, at + sizeof head + 4, head.n_descsz);
      return;
    }
    at += whole, size -= whole;
  }
}

/* The first object is the program. */
static int version_find(struct dl_phdr_info *object, size_t size, void *closure)
{
  (void)size;
  for (int i = 0; i < object->dlpi_phnum; i++) {
    const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
    if (segment->p_type == PT_NOTE)
      find_in((const unsigned char *)(object->dlpi_addr + segment->p_vaddr), segment->p_memsz,
              closure);
  }
  return 1;
}

void ts_build(char *hex, size_t size)
{
  version_text t = {hex, size};
  if (size)
    *hex = 0;
  dl_iterate_phdr(version_find, &t);
}

#else

/* No notes, so no number. */
void ts_build(char *hex, size_t size)
{
  if (size)
    *hex = 0;
}

#endif
