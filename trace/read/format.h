/* A format of recordings is one record: how its files are known, and what reads them. Rows of
 * formats.def without a record do not build. */
#ifndef TS_TRACE_READ_FORMAT_H
#define TS_TRACE_READ_FORMAT_H

#include "trace/read/events.h"
#include "trace/read/json.h"

/* Readers return false with the error filled. */
typedef struct ts_trace_reader {
  /* whether a file is of it, by its first bytes; NULL: JSON, known by its members */
  bool (*begins)(ts_feed *feed);
  bool after_blanks; /* `begins` is asked behind blanks, which may be a length in other formats */
  /* the rest of a file; NULL: its JSON is read by `value` */
  bool (*read)(ts_events *e, ts_feed *feed, const ts_events_options *options);
  const char *key; /* the member of a JSON file with its events, */
  bool (*value)(ts_events *e, ts_json *j, const ts_events_options *options); /* which is next */
  /* of several members: takes one; false: it is none of this format */
  bool (*member)(ts_events *e, ts_json *j);
  bool (*finish)(ts_events *e, ts_json *j); /* after all members, or NULL */
  bool linked;                              /* has calls and device work, to be joined */
} ts_trace_reader;

#define FORMAT(id, record, ...) extern const ts_trace_reader ts_trace_reader_##record;
#include "trace/read/formats.def"
#undef FORMAT

#endif
