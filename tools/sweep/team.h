/* A sweep that several processes play: those of one job of MPI (wire.h). The first one leads: it
 * hands out plans as they are asked for, together with how good the N-th best is by now, takes what
 * becomes of them, keeps the journal and reports. It plays too. The others follow. */
#ifndef TS_TOOLS_SWEEP_TEAM_H
#define TS_TOOLS_SWEEP_TEAM_H

#include "tools/sweep/play.h"

typedef struct ts_team ts_team;

/* NULL: this process is alone. `called`: the program, for messages. */
ts_team *ts_team_join(ts_arena *arena, const char *called);
bool ts_team_follows(const ts_team *t);
/* Threads that this process is to play with, unless it is told otherwise. */
long ts_team_jobs(const ts_team *t);

/* A follower: plays what the leader gives, until it ends. */
void ts_team_follow(ts_team *t, ts_sweep *s, long long jobs);
/* The leader: as ts_sweep_play. Plans of a process that dies are given to others. After one that
 * does not fit, being of another build or of other inputs, there is an error among the messages. */
bool ts_team_play(ts_team *t, ts_sweep *s, const ts_sweep_plays *plays);

/* Last. A follower that could not follow tells why: the first error of the messages, which may be
 * NULL. */
void ts_team_leave(ts_team *t, const ts_diags *diags);

#endif
