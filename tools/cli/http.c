#include "tools/cli/http.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/escape.h"

enum { CONNECTIONS = 16, REQUEST = 4096 /* bytes at most */, PAUSE = 100 /* ms */ };
enum { PATIENCE = 10 /* s that a connection may take in all */ };

typedef struct connection {
  int fd; /* -1: free */
  double since;
  char in[REQUEST + 1];
  size_t got;
  char *out; /* the answer, when the request is whole */
  size_t size, sent;
} connection;

/* ---- Opening ---- */

static bool http_refuse(ts_error *error, const char *why)
{
  return ts_fail(error, "give a port, such as 8080, or an address and a port: 127.0.0.1:8080", "%s",
                 why);
}

/* "ADDRESS:PORT" or "PORT" in two; false: neither. */
static bool http_split(const char *where, char address[64], char port[8])
{
  const char *colon = strrchr(where, ':'), *digits = colon ? colon + 1 : where;
  size_t length = colon ? (size_t)(colon - where) : 0;
  bool brackets = length > 1 && where[0] == '[' && where[length - 1] == ']';
  strcpy(address, "127.0.0.1");
  if (brackets)
    where++, length -= 2;
  if (length >= 64 || !*digits || strlen(digits) > 5 ||
      strspn(digits, "0123456789") != strlen(digits) || atoi(digits) > 65535 || (colon && !length))
    return false;
  if (length) {
    memcpy(address, where, length);
    address[length] = 0;
  }
  strcpy(port, digits);
  return true;
}

static int listen_at(const struct addrinfo *at)
{
  int fd = socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), yes = 1;
  if (fd < 0)
    return -1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (bind(fd, at->ai_addr, at->ai_addrlen) == 0 && listen(fd, CONNECTIONS) == 0)
    return fd;
  int wrong = errno;
  close(fd);
  errno = wrong;
  return -1;
}

static void http_name(ts_http *h)
{
  struct sockaddr_storage at;
  socklen_t size = sizeof at;
  char host[64] = "", port[8] = "";
  getsockname(h->listener, (struct sockaddr *)&at, &size);
  getnameinfo((struct sockaddr *)&at, size, host, sizeof host, port, sizeof port,
              NI_NUMERICHOST | NI_NUMERICSERV);
  snprintf(h->url, sizeof h->url, at.ss_family == AF_INET6 ? "http://[%s]:%s/" : "http://%s:%s/",
           host, port);
}

bool ts_http_open(ts_http *h, const char *where, ts_error *error)
{
  char address[64], port[8];
  struct addrinfo hints = {.ai_socktype = SOCK_STREAM,
                           .ai_flags = AI_PASSIVE | AI_NUMERICHOST | AI_NUMERICSERV},
                  *found = NULL;
  *error = (ts_error){0};
  if (!http_split(where, address, port))
    return http_refuse(error, "it is no port");
  if (getaddrinfo(address, port, &hints, &found) != 0)
    return http_refuse(error, "it is no address in digits");
  h->listener = listen_at(found);
  int wrong = errno;
  freeaddrinfo(found);
  if (h->listener < 0)
    return ts_fail(error, "give another port; 0 is one that is free", "%s", strerror(wrong));
  http_name(h);
  return true;
}

/* ---- Requests ---- */

/* A name that stands for this machine whoever answers questions about names: an address in digits,
 * the loopback interface, the machine's own name. */
static bool is_ours(const char *host, size_t length)
{
  char text[128], own[128] = "";
  struct in_addr four;
  struct in6_addr six;
  if (length >= sizeof text || !length)
    return false;
  memcpy(text, host, length);
  text[length] = 0;
  if (text[0] == '[') {
    char *end = strchr(text, ']');
    if (!end || (end[1] && end[1] != ':'))
      return false;
    *end = 0;
    return inet_pton(AF_INET6, text + 1, &six) == 1;
  }
  text[strcspn(text, ":")] = 0;
  gethostname(own, sizeof own - 1);
  return inet_pton(AF_INET, text, &four) == 1 || !strcasecmp(text, "localhost") ||
         (*own && !strcasecmp(text, own));
}

/* The value of a header, without blanks around it; NULL: it is not there. */
static const char *header(const char *request, const char *name, size_t *length)
{
  for (const char *line = strstr(request, "\r\n"); line; line = strstr(line, "\r\n")) {
    line += 2;
    if (strncasecmp(line, name, strlen(name)) != 0 || line[strlen(name)] != ':')
      continue;
    const char *value = line + strlen(name) + 1;
    value += strspn(value, " \t");
    *length = strcspn(value, "\r");
    while (*length && (value[*length - 1] == ' ' || value[*length - 1] == '\t'))
      --*length;
    return value;
  }
  return NULL;
}

typedef struct http_answer {
  const char *status, *type, *body;
  size_t size;
} http_answer;

static void print_answer(void *closure, FILE *out)
{
  const http_answer *a = closure;
  ts_put_raw(out, "HTTP/1.0 ");
  ts_put_raw(out, a->status);
  ts_put_raw(out, "\r\nContent-Type: ");
  ts_put_raw(out, a->type);
  fprintf(out, "; charset=utf-8\r\nContent-Length: %zu\r\n", a->size);
  ts_put_raw(out, "Connection: close\r\nCache-Control: no-store\r\n"
                  "X-Content-Type-Options: nosniff\r\n"
                  "Cross-Origin-Resource-Policy: same-origin\r\n"
                  "Content-Security-Policy: frame-ancestors 'none'\r\n"
                  "Referrer-Policy: no-referrer\r\n");
  if (!strncmp(a->status, "405", 3))
    ts_put_raw(out, "Allow: GET\r\n");
  ts_put_raw(out, "\r\n");
  ts_put_raw(out, a->body);
}

static void say(connection *c, http_answer a)
{
  a.size = strlen(a.body);
  c->out = ts_printed(print_answer, &a, &c->size);
}

static void say_wrong(connection *c, const char *status)
{
  say(c, (http_answer){.status = status, .type = "text/plain", .body = status});
}

/* The request is whole. */
static void answer_to(connection *c, const ts_http_resource *resources)
{
  size_t length = 0;
  const char *host = header(c->in, "Host", &length), *end = strstr(c->in, "\r\n");
  if (strncmp(c->in, "GET ", 4) != 0) {
    say_wrong(c, strchr(c->in, ' ') && strchr(c->in, ' ') < end ? "405 Method Not Allowed" :
                                                                  "400 Bad Request");
    return;
  }
  const char *path = c->in + 4;
  size_t size = strcspn(path, " ?\r");
  if (path[0] != '/' || !host || strncmp(path + strcspn(path, " \r"), " HTTP/1.", 8) != 0) {
    say_wrong(c, "400 Bad Request");
    return;
  }
  if (!is_ours(host, length)) {
    say_wrong(c, "403 Forbidden");
    return;
  }
  for (const ts_http_resource *r = resources; r->path; r++)
    if (strlen(r->path) == size && !strncmp(r->path, path, size)) {
      char *body = ts_printed(r->put, r->closure, NULL);
      say(c, (http_answer){.status = "200 OK", .type = r->type, .body = body});
      free(body);
      return;
    }
  say_wrong(c, "404 Not Found");
}

/* ---- Connections ---- */

static void http_end(connection *c)
{
  close(c->fd);
  free(c->out);
  *c = (connection){.fd = -1};
}

static void receive(connection *c, const ts_http_resource *resources)
{
  ssize_t got = recv(c->fd, c->in + c->got, REQUEST - c->got, 0);
  if (got <= 0) {
    if (got == 0 || (errno != EAGAIN && errno != EINTR))
      http_end(c);
    return;
  }
  c->got += (size_t)got;
  c->in[c->got] = 0;
  if (memchr(c->in, 0, c->got))
    say_wrong(c, "400 Bad Request");
  else if (strstr(c->in, "\r\n\r\n"))
    answer_to(c, resources);
  else if (c->got == REQUEST)
    say_wrong(c, "431 Request Header Fields Too Large");
}

static void http_give(connection *c)
{
  ssize_t sent = send(c->fd, c->out + c->sent, c->size - c->sent, MSG_NOSIGNAL);
  if (sent < 0 && errno != EAGAIN && errno != EINTR)
    http_end(c);
  else if (sent > 0 && (c->sent += (size_t)sent) == c->size) {
    shutdown(c->fd, SHUT_WR);
    http_end(c);
  }
}

static void take_new(ts_http *h, connection *all)
{
  for (int i = 0; i < CONNECTIONS; i++) {
    if (all[i].fd >= 0)
      continue;
    int fd = accept(h->listener, NULL, NULL);
    if (fd < 0)
      return;
    fcntl(fd, F_SETFL, O_NONBLOCK);
    fcntl(fd, F_SETFD, FD_CLOEXEC);
    all[i].fd = fd;
    all[i].since = ts_clock();
  }
}

/* Waits for something to happen. A connection more than there is room for waits in the listener. */
static void wait(const ts_http *h, const connection *all, struct pollfd *polled)
{
  bool room = false;
  for (int i = 0; i < CONNECTIONS; i++) {
    polled[i] = (struct pollfd){.fd = all[i].fd, .events = all[i].out ? POLLOUT : POLLIN};
    room |= all[i].fd < 0;
  }
  polled[CONNECTIONS] = (struct pollfd){.fd = room ? h->listener : -1, .events = POLLIN};
  poll(polled, CONNECTIONS + 1, PAUSE);
}

void ts_http_serve(ts_http *h, const ts_http_resource *resources, const atomic_bool *stop)
{
  struct pollfd polled[CONNECTIONS + 1];
  connection all[CONNECTIONS];
  for (int i = 0; i < CONNECTIONS; i++)
    all[i] = (connection){.fd = -1};
  while (!atomic_load(stop)) {
    wait(h, all, polled);
    for (int i = 0; i < CONNECTIONS; i++) {
      connection *c = &all[i];
      if (c->fd >= 0 && polled[i].revents && !c->out)
        receive(c, resources);
      if (c->fd >= 0 && c->out)
        http_give(c);
      if (c->fd >= 0 && ts_clock() - c->since > PATIENCE)
        http_end(c);
    }
    if (polled[CONNECTIONS].revents)
      take_new(h, all);
  }
  for (int i = 0; i < CONNECTIONS; i++)
    if (all[i].fd >= 0)
      http_end(&all[i]);
  close(h->listener);
}
