/* Plays a GOAL schedule in the LogGOPS model (Hoefler, Schneider and Lumsdaine: LogGOPSim, LSAP
 * 2010; LogGP of Alexandrov et al., SPAA 1995): in the order of time, so operations begin as they
 * become ready, and receives may take any sender and any tag.
 *
 * A send of s bytes keeps its cpu for o + (s-1)O and its interface for g + (s-1)G; its first byte
 * arrives L after o. There the cpu and the interface of the same numbers are taken for o + (s-1)
 * max(O, G) and g + (s-1)G, and the message is received. A message that no receive is posted for is
 * kept; a receive that finds one ends at once. A send ends with its cpu's part; one of more than S
 * bytes when its receive has found it. */
#ifndef TS_TRACE_LOGGOPS_H
#define TS_TRACE_LOGGOPS_H

#include "trace/read/goal_job.h"

/* ns, of G and O ns a byte; eager: S, the most bytes that are sent without waiting for a receive */
typedef struct ts_loggops { double l, o, g, gap, overhead; uint64_t eager; } ts_loggops;

/* "L=2000,o=100,g=5,G=0.04,O=0,S=65536": each at most once, what is left out is 0, S: no bound.
 * False: it is none. */
bool ts_loggops_read(const char *text, ts_loggops *model);

typedef struct ts_loggops_rank {
  uint64_t end;     /* ps at which its last operation ended */
  uint64_t compute, cpu; /* ps of computations; of cpus for messages */
  uint64_t sent, received, bytes; /* messages, bytes sent */
} ts_loggops_rank;

typedef struct ts_loggops_result {
  uint64_t step; /* ps */
  uint64_t messages, unexpected; /* all; those that came before their receive was posted */
  uint64_t held; /* bytes of memory: the schedule and what playing it took */
  ts_loggops_rank *ranks; /* [world], of the arena */
} ts_loggops_result;

/* False with the error filled: some operations never begin. Uses up `s->before`. */
bool ts_loggops_play(ts_arena *arena, ts_goal_job *s, const ts_loggops *model,
                     ts_loggops_result *result, ts_error *error);

#endif
