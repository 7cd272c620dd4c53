/* What memory says of the order of work of a rank: so many micro-batches may be in flight on its
 * stages at a time, so the next begins when an earlier one is done. */
#ifndef TS_RUNTIME_PIPELINE_IN_FLIGHT_H
#define TS_RUNTIME_PIPELINE_IN_FLIGHT_H

#include <stdbool.h>
#include <stdint.h>

/* A FLIGHT is a micro-batch on a stage of the rank, from the begin of its opening item (F) to the
 * end of its closing one (I, W or B). Read backwards, from the end of the step, closing items open.
 */
typedef struct ts_flights {
  uint32_t chunks, micro_batches; /* flights: one of each with each; those of a chunk go in order */
  uint32_t most;                  /* in flight at a time; at least 1 */
  int64_t open_busy, close_busy;  /* ps of an opening item and of a closing one, at least */
  int64_t busy, span;             /* of all items of a flight, and from its begin to its end */
  /* [chunks * chunks] [a * chunks + b]: the item of chunk a comes before that of b */
  const bool *open_before, *close_before;
  uint32_t needed; /* the chunk whose opening item comes before all closing ones; chunks: none */
  /* [chunks * micro_batches] when an opening item begins, and when a closing one ends, at least */
  int64_t *opens, *closes;
  /* [chunks * micro_batches] the same of the n-th of all that open, and of the n-th that close */
  int64_t *nth_open, *nth_close;
} ts_flights;

/* Raises the times to what the rest says of them. */
void ts_flights_raise(ts_flights *f);

#endif
