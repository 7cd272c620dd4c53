/* Plans of a sweep a second, each played in full: GPT-3 175B on 1,024 GPUs in 78 divisions
 * (examples/degrees.ts), by two threads as `trainspec sweep -j2` plays them. Then the
 * program itself: the best 10 with bounds, and all; beside Calculon's formulas on the same plans. */
#define _DEFAULT_SOURCE /* wait4 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "compiler/search.h"
#include "runtime/account/memory.h"
#include "runtime/report/plausible.h"
#include "runtime/report/summary.h"

enum { THREADS = 2, ASKED = 500 /* plans a second */ };

static const char path[] = "examples/degrees.ts";

typedef struct parts { double compile, play, memory; } parts; /* s of processor */

typedef struct worker {
  const ts_search *search;
  const ts_common *common;
  ts_arena *arena;     /* of the session, which goes from plan to plan */
  ts_session *session;
  atomic_size_t *next;
  parts spent;
  bool failed;
} worker;

static double processor(void)
{
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool play(worker *w, size_t point)
{
  double begin = processor();
  ts_session *s = w->session = ts_session_next(w->session, w->arena, w->common);
  ts_arena *arena = s->arena;
  ts_compile_options o = {.plan_name = w->search->plan};
  o.defines = ts_search_defines_at(w->search, point, s->lasting, &o.define_count);
  ts_run_options how = {0};
  ts_stop stop = {.arena = arena};
  ts_input input = {0};
  bool good = ts_input_open(s, path, &o, &input);
  double compiled = processor();
  ts_run *run = good ? ts_run_new(&input.ir, &how, &stop) : NULL;
  double played = processor();
  if (run) {
    ts_summary *summary =
      ts_arena_copy(arena, ts_summary_new(arena, &input.ir, run,
                                          ts_memory_new(arena, &input.ir, run), NULL),
                    sizeof *summary);
    ts_plausible(summary, &how);
  }
  ts_run_free(run);
  ts_input_close(&input);
  double end = processor();
  w->spent.compile += compiled - begin;
  w->spent.play += played - compiled;
  w->spent.memory += end - played;
  return run;
}

static void *work(void *closure)
{
  worker *w = closure;
  w->arena = ts_arena_new("plans");
  for (size_t i; (i = atomic_fetch_add(w->next, 1)) < w->search->point_count;)
    w->failed |= !play(w, i);
  ts_arena_free(w->arena);
  return NULL;
}

/* ---- The program, whole ---- */

static const char turing[] = "tests/bench/plans/turing_530b.ts";

/* Runs it with these arguments and nothing on its outputs: what it took. */
static bool run(char *const argv[], double *clock, struct rusage *used)
{
  int status;
  double begin = ts_clock();
  pid_t child = fork();
  if (!child) {
    if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr))
      _exit(126);
    execvp(argv[0], argv);
    _exit(127);
  }
  bool good = child > 0 && wait4(child, &status, 0, used) == child && WIFEXITED(status) &&
              WEXITSTATUS(status) == 0;
  *clock = ts_clock() - begin;
  return good;
}

static double seconds_of(struct timeval t) { return (double)t.tv_sec + 1e-6 * (double)t.tv_usec; }

/* How many plans the search of the file has. */
static size_t plans_of(const char *file)
{
  ts_arena *arena = ts_arena_new("search");
  ts_compile_options o = {0};
  const ts_search *search = ts_search_load(ts_session_new(arena), file, &o, NULL, NULL, false);
  size_t count = search ? search->point_count : 0;
  ts_arena_free(arena);
  return count;
}

static bool whole(char *program, const char *file, bool all)
{
  char *argv[] = {program, "sweep", "-j2", all ? "--all" : "--top=10", (char *)(uintptr_t)file, NULL};
  double clock, count = (double)plans_of(file);
  struct rusage used;
  if (!count || !run(argv, &clock, &used))
    return false;
  double processor = seconds_of(used.ru_utime) + seconds_of(used.ru_stime);
  printf("  %-32s %-9s %4.0f plans: %5.1f s of processor, %4.0f a second of the clock, %4.0f by "
         "processor time; %ld MB\n",
         file, all ? "all" : "best 10", count, processor, count / clock, THREADS * count / processor,
         used.ru_maxrss / 1024);
  fflush(stdout);
  return true;
}

/* The first plan's row on the disk, where a reader sees it: a sweep of one plan with a journal. */
static bool first_answer(char *program)
{
  char journal[] = "/tmp/ts_bench_XXXXXX";
  int made = mkstemp(journal);
  if (made < 0)
    return false;
  close(made);
  char *argv[] = {program,    "sweep", "-j1",      "--vary=tp=[8]", "--vary=pp=[16]",
                  "--journal", journal, "--resume", (char *)(uintptr_t)path, NULL};
  double clock;
  struct rusage used;
  bool good = run(argv, &clock, &used);
  unlink(journal);
  printf("  a sweep of one plan, with a journal: %.0f ms; asked 50\n", 1e3 * clock);
  fflush(stdout);
  return good;
}

/* The program, and Calculon's formulas on the same plans where they are at hand. */
static bool programs(const char *build)
{
  char program[4096], csv[] = "/tmp/ts_bench_XXXXXX";
  const char *calculon = getenv("CALCULON");
  double clock;
  struct rusage used;
  snprintf(program, sizeof program, "%s/trainspec", build);
  printf("\nThe program, %d threads; asked 2,400 plans a second of the best 10, 500 of all\n",
         THREADS);
  fflush(stdout);
  for (int all = 0; all < 2; all++)
    if (!whole(program, path, all) || !whole(program, turing, all))
      return false;
  if (!first_answer(program))
    return false;
  if (!calculon)
    return printf("  CALCULON=FOLDER compares with a checkout of calculon-ai/calculon\n") > 0;
  int made = mkstemp(csv);
  if (made < 0)
    return false;
  close(made);
  char *list[] = {program, "sweep", "--format=csv", "-o", csv, (char *)(uintptr_t)turing, NULL};
  char command[8192];
  snprintf(command, sizeof command, "python3 -B tests/bench/calculon.py \"$CALCULON\" %s", csv);
  bool good = run(list, &clock, &used) && system(command) == 0;
  unlink(csv);
  return good;
}

int main(int argc, char **argv)
{
  ts_arena *arena = ts_arena_new("bench");
  ts_session *s = ts_session_new(arena);
  ts_compile_options o = {0};
  ts_search *search = ts_search_load(s, path, &o, NULL, NULL, false);
  if (!search)
    return 1;
  double begin = ts_clock();
  ts_common *common = ts_common_new(path, &o);
  double shared = ts_clock() - begin;
  atomic_size_t next = 0;
  worker workers[THREADS];
  pthread_t threads[THREADS];
  for (int t = 0; t < THREADS; t++) {
    workers[t] = (worker){.search = search, .common = common, .next = &next};
    if (pthread_create(&threads[t], NULL, work, &workers[t]))
      return 1;
  }
  parts all = {0};
  for (int t = 0; t < THREADS; t++) {
    pthread_join(threads[t], NULL);
    if (workers[t].failed)
      return 1;
    all.compile += workers[t].spent.compile;
    all.play += workers[t].spent.play;
    all.memory += workers[t].spent.memory;
  }
  double seconds = ts_clock() - begin, count = (double)search->point_count;
  double each = (all.compile + all.play + all.memory) / count;
  printf("%zu plans of GPT-3 on 1,024 GPUs, each played in full, %d threads\n",
         search->point_count, THREADS);
  printf("  %.1f ms of processor a plan: compile %.1f, play and compose %.1f, memory and summary "
         "%.1f; files, once %.1f\n",
         1e3 * each, 1e3 * all.compile / count, 1e3 * all.play / count, 1e3 * all.memory / count,
         1e3 * shared);
  printf("  %.0f plans a second of the clock, %.0f by processor time alone; asked %d\n",
         count / seconds, THREADS / each, ASKED);
  ts_common_free(common);
  ts_arena_free(arena);
  fflush(stdout);
  return argc > 1 && !programs(argv[1]);
}
