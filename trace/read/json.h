/* JSON as a stream of values, pulled one by one; nothing is kept. What traces get wrong is taken as
 * meant: a comma before a closing bracket, control characters in strings, NaN and Infinity. A file
 * that ends early is distinguished from one that is wrong.
 *
 *   if (ts_json_value(j) == TS_JSON_OBJECT)
 *     while (ts_json_member(j))            key: j->text, j->length
 *       if (is(j, "name")) ts_json_value(j); else ts_json_skip(j);
 *
 * Texts are valid until the next call. After a failure every call says that there is nothing more.
 * */
#ifndef TS_TRACE_READ_JSON_H
#define TS_TRACE_READ_JSON_H

#include "base/arena.h"
#include "trace/read/feed.h"

typedef enum ts_json_kind {
  TS_JSON_NONE, /* failed or cut off */
  /* entered: go on with ts_json_member or ts_json_element until false */
  TS_JSON_OBJECT, TS_JSON_ARRAY,
  TS_JSON_STRING, TS_JSON_NUMBER, TS_JSON_TRUE, TS_JSON_FALSE, TS_JSON_NULL
} ts_json_kind;

typedef struct ts_json {
  ts_feed *feed;
  const char *text; /* of a key, a string (as written, without quotes), a number, or a raw value */
  size_t length;
  ts_json_kind kind;
  bool cut;         /* the text ends before it is complete */
} ts_json;

bool ts_json_member(ts_json *j);  /* the next key of the object; false: it is closed */
bool ts_json_element(ts_json *j); /* there is a further element in the array */
ts_json_kind ts_json_value(ts_json *j);
bool ts_json_skip(ts_json *j);    /* the value that comes next */
bool ts_json_raw(ts_json *j);     /* the same, with its text in j->text */
static inline bool ts_json_ok(const ts_json *j) { return !j->cut && !j->feed->error->message[0]; }

/* Numbers as j->text has them, also in quotes. False: it is none, or does not fit. */
bool ts_json_integer(const char *text, size_t length, int64_t *value);
/* value * 1000, rounded; exact, unlike through a double. */
bool ts_json_thousandths(const char *text, size_t length, int64_t *value);
/* Resolves escapes; `into` has room for `length` bytes. Returns the new length. */
size_t ts_json_unescape(const char *text, size_t length, char *into);

#endif
