/* Files that loggers keep, whose scalars are columns of a table: TensorBoard's
 * events.out.tfevents.* (records of TFRecord, each an Event of protobuf) and Weights & Biases'
 * run-*.wandb (records of LevelDB's log, each a Record of protobuf). */
#ifndef TS_TRACE_LOG_EVENT_FILE_H
#define TS_TRACE_LOG_EVENT_FILE_H

#include "base/arena.h"

/* Whose file it is; NULL: it is none. */
const char *ts_event_file_of(const char *bytes, size_t size);
/* The scalars as CSV: step, wall_time, a column a tag; those of a step that follow each other are a
 * row. What is cut off at the end is left out. */
const char *ts_event_file_csv(ts_arena *arena, const char *bytes, size_t size, size_t *csv_size);

#endif
