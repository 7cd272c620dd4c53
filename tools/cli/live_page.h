/* The page of work that is under way, a sweep or a play: it asks for status.json, and any number of
 * people may look at it. */
#ifndef TS_TOOLS_CLI_LIVE_PAGE_H
#define TS_TOOLS_CLI_LIVE_PAGE_H

#include <pthread.h>

#include "tools/cli/http.h"

typedef struct ts_live_page {
  const char *title, *heading, *hint;
  ts_print *put_status; /* of status.json (share/schemas/live.json), on the thread that serves */
  void *closure;
  ts_http http;
  pthread_t thread;
  atomic_bool stop;
} ts_live_page;

/* Listens. where: as of ts_http_open. False with the error filled: not that address. */
bool ts_live_page_open(ts_live_page *p, const char *where, ts_error *error);
/* Serves until *stop, and closes. What is above the server is set. */
void ts_live_page_serve(ts_live_page *p, const atomic_bool *stop);
/* The same on a thread of its own. */
bool ts_live_page_begin(ts_live_page *p);
void ts_live_page_end(ts_live_page *p);

#endif
