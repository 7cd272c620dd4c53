/* What the scanner of TOML (base/toml_scan.l) and its grammar (base/toml.y) share. */
#ifndef TS_BASE_TOML_H
#define TS_BASE_TOML_H

#include "base/settings.h"

/* A key with dots: its parts, the last one first. */
typedef struct ts_toml_part {
  const char *name;
  struct ts_toml_part *before;
} ts_toml_part;

typedef struct ts_toml_reader {
  ts_settings_reader *r;
  ts_setting *root, *at; /* the file; the table that lines belong to */
  uint32_t line, depth;
  uint32_t ended;    /* lines behind which the next token is */
  TS_VEC(char) open; /* brackets of the value that is read: [ and { */
} ts_toml_reader;

/* base/toml_value.c: of what the scanner found. A text is that between its quotes. */
ts_setting *ts_toml_number(ts_toml_reader *t, const char *text, bool real);
ts_setting *ts_toml_time(ts_toml_reader *t, const char *text, size_t length);
const char *ts_toml_text(ts_toml_reader *t, const char *text, size_t length, bool escapes,
                         bool lines);

/* base/toml_table.c: tables, and what TOML allows to be said of them twice. */
void ts_toml_header(ts_toml_reader *t, const ts_toml_part *key, bool many);
void ts_toml_put(ts_toml_reader *t, ts_setting *table, const ts_toml_part *key, ts_setting *value);
/* Whoever says what is in a table in braces says all of it. */
void ts_toml_close(ts_setting *table);

#endif
