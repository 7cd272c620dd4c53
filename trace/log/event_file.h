/* Files of events as TensorBoard's writers keep them (events.out.tfevents.*): records of TFRecord,
 * each an Event of protobuf, whose scalars are columns of a table. */
#ifndef TS_TRACE_LOG_EVENT_FILE_H
#define TS_TRACE_LOG_EVENT_FILE_H

#include <stdbool.h>

#include "base/arena.h"

bool ts_is_event_file(const char *bytes, size_t size);
/* The scalars as CSV: step, wall_time, a column a tag; the events of a step that follow each other
 * are a row. What is cut off at the end is left out. */
const char *ts_event_file_csv(ts_arena *arena, const char *bytes, size_t size, size_t *csv_size);

#endif
