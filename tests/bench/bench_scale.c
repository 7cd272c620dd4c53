/* How plays grow: jobs of 8,192 and 131,072 devices, folded and with every rank for itself, and
 * curves against ranks, operations and micro-batches. CPU time of opening, playing and memory (with
 * two threads wall time), best of several; most memory of the process over its IR. The floor of an
 * unfolded play is one load and one addition a node. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "compiler/compile.h"
#include "runtime/account/memory.h"

/* memory: bytes of the process */
typedef struct figures {
  double seconds;
  uint64_t nodes, played;
  uint32_t classes;
  double memory;
} figures;

static double now(clockid_t clock)
{
  struct timespec t;
  clock_gettime(clock, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double resident(void)
{
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return 1024.0 * (double)usage.ru_maxrss;
}

static void play(const char *path, uint32_t threads, bool fold, figures *f)
{
  ts_error error = {0};
  ts_arena *arena = ts_arena_new("bench");
  ts_stop stop = {.arena = arena};
  clockid_t clock = threads > 1 ? CLOCK_MONOTONIC : CLOCK_PROCESS_CPUTIME_ID;
  double start = now(clock);
  ts_ir_file *file = ts_ir_open(path, &error);
  ts_run *run = file ? ts_run_new(ts_ir_of(file),
                                  &(ts_run_options){.no_fold = !fold, .threads = threads}, &stop) :
                       NULL;
  if (!run) {
    fprintf(stderr, "%s%s\n", error.message, stop.title ? stop.title : "");
    _exit(1);
  }
  ts_memory_new(arena, ts_ir_of(file), run);
  double seconds = now(clock) - start;
  const ts_result *r = ts_run_result(run);
  if (!f->seconds || seconds < f->seconds)
    f->seconds = seconds;
  f->nodes = r->nodes;
  f->played = r->nodes_played;
  f->classes = r->class_count;
  ts_run_free(run);
  ts_ir_close(file);
  ts_arena_free(arena);
}

static int compile(const char *file, const ts_define *define, uint32_t defines, const char *out)
{
  const char *source = getenv("top_srcdir");
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", source ? source : ".", file);
  ts_session *s = ts_session_new(ts_arena_new("plan"));
  ts_ir_builder *b =
    ts_compile(s, path, &(ts_compile_options){.defines = define, .define_count = defines});
  ts_ir view;
  ts_error error;
  if (!b) {
    ts_diags_print(s->diags, stderr, TS_COLOR_NEVER);
    return 1;
  }
  ts_ir_builder_view(b, &view);
  return ts_ir_write_file(&view, out, &error) ? 1 : 0;
}

/* Each in a process of its own, so that its memory is its own. */
static figures measure(const char *file, const ts_define *define, uint32_t defines,
                       uint32_t threads, bool fold, int times)
{
  figures f = {0};
  int ends[2], status = 0;
  char ir[] = "/tmp/ts-bench-XXXXXX";
  int made = mkstemp(ir);
  if (made < 0 || close(made) || pipe(ends))
    exit(1);
  fflush(stdout);
  if (fork() == 0)
    _exit(compile(file, define, defines, ir));
  wait(&status);
  if (status == 0 && fork() == 0) {
    double before = resident();
    for (int i = 0; i < times; i++)
      play(ir, threads, fold, &f);
    f.memory = resident() - before;
    _exit(write(ends[1], &f, sizeof f) == sizeof f ? 0 : 1);
  }
  close(ends[1]);
  if (status || read(ends[0], &f, sizeof f) != sizeof f)
    exit(1);
  close(ends[0]);
  wait(NULL);
  unlink(ir);
  return f;
}

static void row(const char *title, const figures *f, const char *wanted)
{
  printf("%-44s %9.1f ms %8.1f M nodes %7u classes %7.0f MB %6.1f B a node   (asked for: %s)\n",
         title, 1e3 * f->seconds, (double)f->played / 1e6, f->classes, f->memory / 1e6,
         f->memory / (double)f->played, wanted);
}

/* One load and one addition a node, of as many bytes as the shortest description of a node takes.
 * */
static double bare_loop(uint64_t nodes)
{
  enum { TABLE = 1 << 12 };
  static uint64_t table[TABLE];
  volatile uint64_t sink;
  uint64_t sum = 0;
  double start = now(CLOCK_PROCESS_CPUTIME_ID);
  for (uint32_t i = 0; i < TABLE; i++)
    table[i] = i * 2654435761u % 1000;
  for (uint64_t i = 0; i < nodes; i++)
    sum = sum > table[i % TABLE] ? sum + table[(i * 7) % TABLE] : table[i % TABLE];
  sink = sum;
  (void)sink;
  return now(CLOCK_PROCESS_CPUTIME_ID) - start;
}

static const char gpt[] = "examples/gpt3_175b.ts", llama[] = "tests/bench/plans/llama3_405b.ts",
                  large[] = "examples/large.ts";

enum { POINTS = 4 };
typedef struct point { const char *what; const ts_define *define; uint32_t defines; } point;

static void curve(const char *title, const char *plan, const point *points, bool fold)
{
  double first = 0;
  printf("  %-34s", title);
  for (int i = 0; i < POINTS; i++) {
    figures f = measure(plan, points[i].define, points[i].defines, 1, fold, fold ? 7 : 3);
    if (!i)
      first = f.seconds;
    printf("  %s: %.1f ms (x%.2f)", points[i].what, 1e3 * f.seconds, f.seconds / first);
  }
  printf("\n");
}

#define DEFINE(...) (const ts_define[]){__VA_ARGS__}

int main(void)
{
  static const ts_define dp[] = {{"dp", "64"}}, deep[] = {{"dp", "64"}, {"global", "12288"}};
  figures f = measure(gpt, deep, 2, 1, true, 5);
  row("GPT-3 175B, 8,192 devices, 192 micro-batches", &f, "50 ms");
  f = measure(gpt, dp, 1, 1, false, 1);
  row("every rank for itself, 24, one thread", &f, "64 B a node");
  double floor = bare_loop(f.played);
  printf("%-44s %9.1f ms, ratio %.1f, %.0f M nodes/s\n", "  a bare loop over as many nodes",
         1e3 * floor, f.seconds / floor, (double)f.played / f.seconds / 1e6);
  f = measure(gpt, dp, 1, 2, false, 2);
  row("the same, two threads", &f, "3000 ms");
  f = measure(llama, NULL, 0, 1, true, 3);
  row("Llama 3 405B, 131,072 devices, a slow node", &f, "1000 ms, 1 GB");
  printf("curves: cost, and how often that of the first\n");
  curve("devices, folded, 24 micro-batches", gpt,
        (point[POINTS]){{"1,024", DEFINE({"dp", "8"}, {"global", "192"}), 2},
                        {"4,096", DEFINE({"dp", "32"}, {"global", "768"}), 2},
                        {"16,384", DEFINE({"dp", "128"}, {"global", "3072"}), 2},
                        {"65,536", DEFINE({"dp", "512"}, {"global", "12288"}), 2}},
        true);
  curve("micro-batches, folded, 1,024 devices", gpt,
        (point[POINTS]){{"24", DEFINE({"global", "192"}), 1},
                        {"96", DEFINE({"global", "768"}), 1},
                        {"384", DEFINE({"global", "3072"}), 1},
                        {"1,536", DEFINE({"global", "12288"}), 1}},
        true);
  curve("micro-batches, 8 stages", large,
        (point[POINTS]){{"100", DEFINE({"pp", "8"}, {"m", "100"}), 2},
                        {"1,000", DEFINE({"pp", "8"}, {"m", "1000"}), 2},
                        {"10,000", DEFINE({"pp", "8"}, {"m", "10000"}), 2},
                        {"100,000", DEFINE({"pp", "8"}, {"m", "100000"}), 2}},
        true);
  curve("operations, every rank, 24", gpt,
        (point[POINTS]){{"128 devices", DEFINE({"dp", "1"}, {"global", "24"}), 2},
                        {"256", DEFINE({"dp", "2"}, {"global", "48"}), 2},
                        {"512", DEFINE({"dp", "4"}, {"global", "96"}), 2},
                        {"1,024", DEFINE({"dp", "8"}, {"global", "192"}), 2}},
        false);
  return 0;
}
