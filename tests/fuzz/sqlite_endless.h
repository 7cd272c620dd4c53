/* Makes the tree of a table without end: SQLite files whose inner pages name one page many times,
 * 18 levels deep, have more rows than can ever be read (sqlite.org/fileformat.html, 1.6). */
#ifndef TS_TESTS_FUZZ_SQLITE_ENDLESS_H
#define TS_TESTS_FUZZ_SQLITE_ENDLESS_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ENDLESS_LEVELS = 16 }; /* below 20, where SQLite gives up; more than one child each */

static inline uint32_t endless_get(const uint8_t *at)
{
  return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static inline void endless_put(uint8_t *at, uint32_t value)
{
  for (int i = 0; i < 4; i++)
    at[i] = (uint8_t)(value >> (24 - 8 * i));
}

/* 0: there is no such table. */
static inline uint32_t endless_root(const char *file, const char *table)
{
  sqlite3 *db = NULL;
  sqlite3_stmt *s = NULL;
  uint32_t root = 0;
  if (sqlite3_open(file, &db) == SQLITE_OK) {
    sqlite3_exec(db, "PRAGMA wal_checkpoint(TRUNCATE)", NULL, NULL, NULL);
    if (sqlite3_prepare_v2(db, "SELECT rootpage FROM sqlite_master WHERE name = ?1", -1, &s,
                           NULL) == SQLITE_OK) {
      sqlite3_bind_text(s, 1, table, -1, SQLITE_STATIC);
      root = sqlite3_step(s) == SQLITE_ROW ? (uint32_t)sqlite3_column_int64(s, 0) : 0;
    }
  }
  sqlite3_finalize(s);
  sqlite3_close(db);
  return root;
}

/* All children of an inner page become that one. */
static inline void endless_point(uint8_t *page, size_t size, uint32_t child)
{
  size_t cells = (size_t)page[3] << 8 | page[4];
  endless_put(page + 8, child);
  for (size_t i = 0; i < cells && 14 + 2 * i < size; i++) {
    size_t at = (size_t)page[12 + 2 * i] << 8 | page[13 + 2 * i];
    if (at + 4 <= size)
      endless_put(page + at, child);
  }
}

/* False: the root of that table is no inner page, as it has few rows. */
static inline bool sqlite_make_endless(const char *file, const char *table)
{
  uint32_t root = endless_root(file, table);
  FILE *f = fopen(file, "r+b");
  uint8_t head[100];
  bool made = false;
  if (f && root > 1 && fread(head, 1, sizeof head, f) == sizeof head) {
    size_t size = (size_t)head[16] << 8 | head[17];
    uint32_t pages = endless_get(head + 28);
    uint8_t *page = size >= 512 ? calloc(1, size) : NULL;
    long at = (long)(root - 1) * (long)size;
    if (page && fseek(f, at, SEEK_SET) == 0 && fread(page, 1, size, f) == size &&
        (page[0] == 2 || page[0] == 5)) {
      uint32_t leaf = endless_get(page + 8);
      endless_point(page, size, pages + 1);
      fseek(f, at, SEEK_SET);
      fwrite(page, 1, size, f);
      fseek(f, (long)pages * (long)size, SEEK_SET);
      for (uint32_t i = 1; i <= ENDLESS_LEVELS; i++) {
        endless_point(page, size, i < ENDLESS_LEVELS ? pages + i + 1 : leaf);
        fwrite(page, 1, size, f);
      }
      endless_put(head + 28, pages + ENDLESS_LEVELS);
      fseek(f, 0, SEEK_SET);
      fwrite(head, 1, sizeof head, f);
      made = true;
    }
    free(page);
  }
  if (f)
    fclose(f);
  return made;
}

#endif
