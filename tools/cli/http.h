/* A small server of HTTP/1.0 for pages that people look at on their own machine. It answers GET of
 * the resources that it is given and nothing else. Requests are short, connections few and brief;
 * names in a request's Host that another site may have made mean this machine are refused (DNS
 * rebinding), so no other site's page can read from it. */
#ifndef TS_TOOLS_CLI_HTTP_H
#define TS_TOOLS_CLI_HTTP_H

#include <stdatomic.h>

#include "base/error.h"
#include "base/output.h"

/* put: the body, printed anew for each answer; on the thread that serves */
typedef struct ts_http_resource {
  const char *path, *type;
  ts_print *put;
  void *closure;
} ts_http_resource;

typedef struct ts_http {
  int listener;
  char url[96]; /* "http://127.0.0.1:8080/" */
} ts_http;

/* where: "PORT" on the loopback interface only, or "ADDRESS:PORT" with an address in digits, an
 * IPv6 one in brackets; port 0: one that is free. False with the error filled. */
bool ts_http_open(ts_http *h, const char *where, ts_error *error);
/* Serves until *stop; then closes. The list ends with a path of NULL. */
void ts_http_serve(ts_http *h, const ts_http_resource *resources, const atomic_bool *stop);

#endif
