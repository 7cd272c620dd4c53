/* Messages among the processes of one job: those that `mpirun`, or another launcher of MPI, started
 * with this one. In builds with MPI (--with-mpi); in others nobody is there. Only the thread that
 * opened a wire uses it. */
#ifndef TS_TOOLS_SWEEP_WIRE_H
#define TS_TOOLS_SWEEP_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

typedef struct ts_sweep_wire ts_sweep_wire;

/* A launcher started several processes, and this build cannot join them. */
bool ts_wire_missing(void);
/* NULL: this process is alone. */
ts_sweep_wire *ts_wire_open(ts_arena *arena);
int ts_wire_rank(const ts_sweep_wire *w);
int ts_wire_size(const ts_sweep_wire *w);
const char *ts_wire_host(const ts_sweep_wire *w);
/* How many processors are this process's own, when those that share some deal them. */
long ts_wire_processors(const ts_sweep_wire *w);

/* Copied, and on the way when it returns. */
void ts_wire_post(ts_sweep_wire *w, int rank, int tag, const void *bytes, size_t size);
/* All that was posted to it has left. */
bool ts_wire_idle(ts_sweep_wire *w, int rank);

typedef struct ts_wire_message {
  int rank, tag;
  const uint8_t *bytes;
  size_t size;
} ts_wire_message;

/* One that has come, in the arena. False: none has. */
bool ts_wire_poll(ts_sweep_wire *w, ts_arena *arena, ts_wire_message *m);

/* all: none of the others is lost, and the last messages are waited for */
void ts_wire_close(ts_sweep_wire *w, bool all);

#endif
