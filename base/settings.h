/* Files of settings as a tree: TOML, YAML and JSON, each value with its line; and files whose
 * values are all texts: CSV, XML, lines. */
#ifndef TS_BASE_SETTINGS_H
#define TS_BASE_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

typedef enum ts_setting_kind {
  TS_SETTING_NONE,
  TS_SETTING_BOOL,
  TS_SETTING_WHOLE,
  TS_SETTING_REAL, /* may be infinite, or none (NaN) */
  TS_SETTING_TEXT,
  TS_SETTING_TIME, /* of TOML, as it is written */
  TS_SETTING_LIST,
  TS_SETTING_TABLE,
} ts_setting_kind;

/* Names of a table are unlike each other. A child may belong to several (YAML's aliases):
 * `count` is how many settings all of it unfolds to, and bounded. */
typedef struct ts_setting {
  ts_setting_kind kind;
  uint32_t line;    /* 1 is the first; 0: not known (JSON) */
  uint32_t count;   /* with all below it */
  const char *name; /* in a table */
  union {
    bool truth;
    int64_t whole;
    double real;
    const char *text;
  } u;
  struct ts_setting *child, *last, *next;
  uint8_t made; /* by what of TOML: base/toml.y */
} ts_setting;

typedef enum ts_settings_format {
  TS_SETTINGS_JSON,
  TS_SETTINGS_TOML,
  TS_SETTINGS_YAML,
  TS_SETTINGS_LINES, /* a list of texts */
  TS_SETTINGS_CSV,   /* a list of tables */
  TS_SETTINGS_XML,   /* a table: name, line, attributes, text, inside */
} ts_settings_format;

/* Why a file cannot be used. */
typedef struct ts_settings_wrong {
  uint32_t line; /* 0: it stands in `why`, or nowhere */
  const char *why;
  bool syntax; /* it is no file of the format at all */
} ts_settings_wrong;

enum {
  TS_SETTINGS_DEEPEST = 64,
  TS_SETTINGS_MOST = 200000, /* settings of a file, unfolded */
  TS_SETTINGS_MOST_OF_TABLE = 4096,
  TS_SETTINGS_LARGEST = 16 << 20, /* bytes; of JSON, which trains of others write, any number */
};

/* NULL: `wrong` says why. */
const ts_setting *ts_settings_read(ts_arena *arena, ts_settings_format format, const char *text,
                                   size_t size, ts_settings_wrong *wrong);
/* The text at a key with dots; NULL: there is none. */
const char *ts_settings_text(const ts_setting *s, const char *key);
/* By the end of a name, .toml, .yaml, .yml, .json; false: another one. */
bool ts_settings_format_of(const char *file, ts_settings_format *format);
/* Whether files of the format are read: of YAML by libyaml alone, which a build may lack. */
bool ts_settings_reads(ts_settings_format format);

/* ---- For the readers ---- */

typedef struct ts_settings_reader {
  ts_arena *arena;
  ts_settings_wrong *wrong; /* `why` of the first thing that is wrong */
  uint32_t made;
} ts_settings_reader;

const ts_setting *ts_settings_json(ts_settings_reader *r, const char *text, size_t size);
const ts_setting *ts_settings_toml(ts_settings_reader *r, const char *text, size_t size);
const ts_setting *ts_settings_yaml(ts_settings_reader *r, const char *text, size_t size);
const ts_setting *ts_settings_lines(ts_settings_reader *r, const char *text, size_t size);
const ts_setting *ts_settings_csv(ts_settings_reader *r, const char *text, size_t size);
const ts_setting *ts_settings_xml(ts_settings_reader *r, const char *text, size_t size);

/* Only the first one counts. */
void ts_settings_refuse(ts_settings_reader *r, uint32_t line, const char *format, ...)
  __attribute__((format(printf, 3, 4)));
/* Never NULL; refused where there are too many. */
ts_setting *ts_setting_new(ts_settings_reader *r, ts_setting_kind kind, uint32_t line);
ts_setting *ts_setting_find(const ts_setting *table, const char *name);
/* Refused where the name is there already. */
void ts_setting_put(ts_settings_reader *r, ts_setting *table, const char *name, ts_setting *value);
void ts_setting_push(ts_settings_reader *r, ts_setting *list, ts_setting *value);

#endif
