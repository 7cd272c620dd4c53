/* Writes JSON: keys, commas, escapes and numbers. Line breaks stand where they are asked for. Each
 * function that takes a key writes a member of an object, or with NULL an element of an array. */
#ifndef TS_BASE_JSON_WRITER_H
#define TS_BASE_JSON_WRITER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct ts_json_writer {
  FILE *out;
  bool spaced; /* a blank behind each colon and comma */
  bool comma;  /* before the next element */
} ts_json_writer;

void ts_json_begin(ts_json_writer *w, const char *key, char bracket);
void ts_json_end(ts_json_writer *w, char bracket);
void ts_json_put_text(ts_json_writer *w, const char *key, const char *text);
void ts_json_put_count(ts_json_writer *w, const char *key, uint64_t value);
void ts_json_put_thousandths(ts_json_writer *w, const char *key, uint64_t value); /* 12.345 */
void ts_json_put_signed(ts_json_writer *w, const char *key, int64_t value);
void ts_json_put_bool(ts_json_writer *w, const char *key, bool value);
void ts_json_put_null(ts_json_writer *w, const char *key);
/* numbers in the format of printf */
void ts_json_put_number(ts_json_writer *w, const char *key, const char *format, ...)
  __attribute__((format(printf, 3, 4)));
/* what stands before a value, which the caller prints to w->out */
void ts_json_key(ts_json_writer *w, const char *key);
/* The next element begins on a line of its own, behind that many blanks. */
void ts_json_line(ts_json_writer *w, unsigned indent);
/* The same before a bracket that closes. */
void ts_json_last_line(ts_json_writer *w, unsigned indent);
/* A line break behind the whole; another may follow. */
void ts_json_end_document(ts_json_writer *w);

#endif
