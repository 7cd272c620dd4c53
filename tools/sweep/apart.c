#define _GNU_SOURCE /* environ */
#include "tools/sweep/apart.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/exit.h"
#include "base/heap.h"
#include "tools/sweep/packed.h"
#include "tools/sweep/rank.h"

enum { TICK = 50 /* ms */ };
enum { SHARE = 256 << 20 /* bytes that each process has at least, unless it is alone */ };

/* ---- The program, begun anew ---- */

static const char mark[] = "TRAINSPEC_SWEEP_APART=1";
/* Made before, as there is no memory when they are needed; only ts_heap_none() asks for them, which
 * is given nothing. */
static struct { char **words, **environment; } anew;

static bool is_mark(const char *variable) { return strcmp(variable, mark) == 0; }

bool ts_apart(void)
{
  char **v = environ;
  while (*v && !is_mark(*v))
    v++;
  return *v;
}

static void begin_anew(void) { execve("/proc/self/exe", anew.words, anew.environment); }

/* argv[0] is "trainspec sweep", as the program calls itself. Readers of options write into words. */
void ts_apart_words(ts_arena *arena, int argc, char **argv)
{
  size_t variables = 0;
  while (environ[variables])
    variables++;
  anew.words = TS_NEW_ARRAY(arena, char *, argc + 2);
  anew.words[0] = ts_arena_string(arena, argv[0], strcspn(argv[0], " "));
  anew.words[1] = ts_arena_string(arena, "sweep", strlen("sweep"));
  for (int i = 1; i < argc; i++)
    anew.words[i + 1] = ts_arena_string(arena, argv[i], strlen(argv[i]));
  anew.environment = TS_NEW_ARRAY(arena, char *, variables + 2);
  memcpy(anew.environment, environ, variables * sizeof *environ);
  anew.environment[variables] = ts_arena_string(arena, mark, strlen(mark));
}

void ts_apart_instead(bool of_memory) { ts_heap_instead(of_memory ? begin_anew : NULL); }

/* ---- One plan, in the other process ---- */

/* Locks of files go with the last descriptor of them: no plan holds up who goes on after a kill. */
static void close_all_but(int out)
{
  for (int fd = STDERR_FILENO + 1; fd < 1024; fd++)
    if (fd != out)
      close(fd);
}

static void die_of_interrupts(void)
{
  static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
  for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
    signal(signals[i], SIG_DFL);
}

static bool write_all(int out, const uint8_t *bytes, size_t size)
{
  for (size_t done = 0; done < size;) {
    ssize_t written = write(out, bytes + done, size - done);
    if (written < 0 && errno != EINTR)
      return false;
    done += written > 0 ? (size_t)written : 0;
  }
  return true;
}

static _Noreturn void apart_help(const ts_sweep *s, size_t index, uint64_t ceiling, int out)
{
  pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* nobody else is here */
  close_all_but(out);
  die_of_interrupts();
  ts_heap_of_helper();
  if (ceiling)
    ts_heap_set_ceiling(ceiling);
  ts_arena *arena = ts_arena_new("plan of a sweep");
  ts_session *session = NULL;
  ts_outcome o = ts_sweep_play_requested(s, &lock, &s->outcomes[index], arena, &session, NULL);
  ts_outcome_take_warnings(&o, session->diags, arena);
  ts_inputs *inputs = ts_inputs_new(arena);
  ts_inputs_take(inputs, session);
  ts_packer p = {.arena = arena};
  ts_pack_inputs(&p, inputs, 0);
  ts_pack_outcome(&p, &o);
  _exit(write_all(out, p.bytes.at, p.bytes.count) ? TS_EXIT_DONE : TS_EXIT_BUG);
}

/* ---- All of them ---- */

typedef struct helper {
  pid_t process; /* 0: it plays nothing */
  int in;
  size_t index;
  double begun;
  TS_VEC(uint8_t) said;
} helper;

typedef struct apart {
  ts_sweep *sweep;
  const ts_sweep_source *from;
  ts_arena *arena;
  helper *helpers; /* [jobs] */
  struct pollfd *polled; /* [jobs] */
  size_t jobs, playing;
  bool alone;    /* the one that plays has all of the memory */
  bool stopped;  /* no more begin */
  TS_VEC(size_t) starved; /* plans for which a part of the memory was too little */
} apart;

static void apart_tell(apart *a, size_t index, ts_outcome out, double seconds)
{
  ts_sweep *s = a->sweep;
  const ts_outcome *requested = &s->outcomes[index];
  out.point = requested->point;
  out.exact = requested->exact;
  out.bounds_only = requested->bounds_only;
  out.early_bound = requested->early_bound;
  out.known = !out.early_bound || out.state != TS_BOUNDED;
  ts_outcome_keep(&out, &s->once, s->arena);
  s->outcomes[index] = out;
  if (a->from->notes)
    ts_sweep_note(s, index);
  a->from->done(a->from->closure, index, seconds);
}

static ts_outcome stopped_for(const char *why)
{
  return (ts_outcome){.state = TS_STOPPED, .played = true, .starved = true, .why = why};
}

static const char *too_much(ts_arena *arena)
{
  double bytes = (double)ts_heap_ceiling();
  bool small = bytes < 1e9;
  return ts_arena_printf(arena, "it takes more memory than the %.4g %s of `--max-memory`",
                         bytes / (small ? 1e6 : 1e9), small ? "MB" : "GB");
}

static void apart_start(apart *a, size_t index, bool alone)
{
  helper *h = a->helpers;
  int ends[2];
  uint64_t all = ts_heap_ceiling();
  while (h->process)
    h++;
  if (pipe(ends) != 0) {
    apart_tell(a, index, stopped_for("the system gives no pipe to play it"), 0);
    return;
  }
  fcntl(ends[0], F_SETFD, FD_CLOEXEC);
  pid_t process = fork();
  if (!process)
    apart_help(a->sweep, index, alone ? all : all / a->jobs, ends[1]);
  close(ends[1]);
  if (process < 0) {
    close(ends[0]);
    apart_tell(a, index, stopped_for("the system gives no process to play it"), 0);
    return;
  }
  h->process = process;
  h->in = ends[0];
  h->index = index;
  h->begun = ts_clock();
  h->said.count = 0;
  a->playing++;
  a->alone = alone;
}

static bool next(apart *a, size_t *index, bool *alone)
{
  *alone = a->jobs == 1;
  if (a->stopped || a->alone || a->playing == a->jobs)
    return false;
  if (a->from->next(a->from->closure, index))
    return true;
  if (a->playing || !a->starved.count)
    return false;
  *index = a->starved.at[--a->starved.count];
  return *alone = true;
}

/* What it said, or why it said nothing. */
static ts_outcome outcome_of(apart *a, const helper *h, int status, ts_arena *arena)
{
  ts_outcome out;
  if (WIFEXITED(status) && WEXITSTATUS(status) == TS_EXIT_ENVIRONMENT)
    return stopped_for(too_much(arena));
  if (!WIFEXITED(status) || WEXITSTATUS(status) != TS_EXIT_DONE)
    return stopped_for("the process that played it was ended");
  if (!h->said.count)
    return stopped_for("the process that played it said nothing");
  ts_unpacker u = {h->said.at, h->said.at + h->said.count, arena, false};
  ts_unpack_inputs(&u, a->sweep->inputs);
  ts_unpack_outcome(&u, &out);
  return u.bad ? stopped_for("what the process that played it sent is cut off") : out;
}

/* A signal may come first. */
static int status_of(pid_t process)
{
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR)
    ;
  return status;
}

static void apart_finish(apart *a, helper *h)
{
  ts_arena *arena = ts_arena_new("an outcome");
  close(h->in);
  int status = status_of(h->process);
  ts_outcome out = outcome_of(a, h, status, arena);
  h->process = 0;
  a->playing--;
  if (out.starved && !a->alone)
    TS_PUSH(a->arena, &a->starved, h->index);
  else
    apart_tell(a, h->index, out, ts_clock() - h->begun);
  a->alone = false;
  ts_arena_free(arena);
}

static void hear(apart *a, helper *h)
{
  uint8_t bytes[1 << 14];
  ssize_t got = read(h->in, bytes, sizeof bytes);
  for (ssize_t i = 0; i < got; i++)
    TS_PUSH(a->arena, &h->said, bytes[i]);
  if (!got || (got < 0 && errno != EINTR))
    apart_finish(a, h);
}

static void wait_for_news(apart *a)
{
  struct pollfd *all = a->polled;
  for (size_t i = 0; i < a->jobs; i++)
    all[i] = (struct pollfd){.fd = a->helpers[i].process ? a->helpers[i].in : -1,
                             .events = POLLIN};
  if (poll(all, a->jobs, (int)a->from->pause) <= 0)
    return;
  for (size_t i = 0; i < a->jobs; i++)
    if (all[i].revents)
      hear(a, &a->helpers[i]);
}

static void end_all(apart *a)
{
  for (size_t i = 0; i < a->jobs; i++)
    if (a->helpers[i].process)
      kill(a->helpers[i].process, SIGKILL);
  for (size_t i = 0; i < a->jobs; i++)
    if (a->helpers[i].process) {
      close(a->helpers[i].in);
      status_of(a->helpers[i].process);
    }
}

static size_t count_helpers(long long jobs)
{
  uint64_t most = ts_heap_ceiling() ? ts_heap_ceiling() / SHARE : UINT64_MAX;
  return most < 1 ? 1 : most < (uint64_t)jobs ? (size_t)most : (size_t)jobs;
}

bool ts_apart_play(ts_sweep *s, const ts_sweep_source *from)
{
  ts_arena *arena = ts_arena_new("plans apart");
  apart a = {.sweep = s, .from = from, .arena = arena, .jobs = count_helpers(from->jobs)};
  a.helpers = TS_NEW_ARRAY(arena, helper, a.jobs);
  a.polled = TS_NEW_ARRAY(arena, struct pollfd, a.jobs);
  double ticked = ts_clock();
  for (bool more = true; more;) {
    size_t index;
    bool alone;
    while (next(&a, &index, &alone))
      apart_start(&a, index, alone);
    if (a.playing)
      wait_for_news(&a);
    more = a.playing || a.starved.count || from->more(from->closure);
    if (!more || ts_clock() - ticked >= 1e-3 * TICK) {
      ticked = ts_clock();
      a.stopped |= !from->tick(from->closure);
    }
    more = more && !a.stopped;
  }
  end_all(&a);
  ts_arena_free(arena);
  return !a.stopped;
}
