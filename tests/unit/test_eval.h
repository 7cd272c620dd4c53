/* Files of the language written to a folder of the test's own, and read back through a session. */
#ifndef TS_TESTS_TEST_EVAL_H
#define TS_TESTS_TEST_EVAL_H

#include "compiler/plan/plan.h"

typedef struct ts_desk { ts_arena *arena; ts_session *s; char folder[32]; } ts_desk;

ts_desk ts_desk_open(void);
void ts_desk_close(ts_desk *desk); /* removes the folder */
/* Writes a file into the folder; its path, in the arena. */
const char *ts_desk_file(ts_desk *desk, const char *name, const char *text);
/* The value of `x` of a file with this text. */
ts_value ts_desk_value(ts_desk *desk, const char *text);
/* The same as text of the language; for an error "error E0223: message". */
const char *ts_desk_print(ts_desk *desk, const char *text);
/* What was reported, as "E0223 message\n..." in source order. */
const char *ts_desk_errors(ts_desk *desk);

#endif
