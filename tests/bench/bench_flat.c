/* Whole processes on what grows where nothing differs: micro-batches, layers, stages, links, changes
 * that are tried. User and system time, the least of three or ten, how long that took, and the most
 * memory. The floor: a process that does nothing, and as much memory touched once. Where a program
 * of others does the same work, its time. TS_BENCH_INSTRUCTIONS=1 counts instructions, too, by
 * valgrind. Plans of sweeps a second, beside Calculon: bench_sweep.c; heaps of pages: ./dev browser. */
#define _DEFAULT_SOURCE /* wait4 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <stdint.h>
#include <string.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"

enum { MOST_ARGUMENTS = 16 };

/* @ is a folder for files; peer: for the shell */
typedef struct row {
  const char *what, *arguments, *wanted, *peer;
} row;

#define DEEP "tests/bench/plans/deep.ts"
#define GPT "examples/gpt3_175b.ts"
#define DEGREES "examples/degrees.ts"
#define LARGE "examples/large.ts"
#define TURING "tests/bench/plans/turing_530b.ts"

static const row rows[] = {
  {"GPT-3 on 1,024 GPUs, 192 micro-batches", GPT, "0.03 s, 60 MB"},
  {"1,536", "-D global=12288 " GPT, "as much"},
  {"12,288", "-D global=98304 " GPT, "as much"},
  {"100,000", "-D global=800000 " GPT, "as much"},
  {"interleaved, 96 micro-batches", "-D v=2 -D pp=8 " DEGREES, "0.03 s, 60 MB"},
  {"12,288", "-D v=2 -D pp=8 -D global=196608 " DEGREES, "as much"},
  {"fsdp, 500 layers of one stage", "-p deep -D layers=500 " DEEP, "0.08 s"},
  {"fsdp, 2,000", "-p deep -D layers=2000 " DEEP, "0.15 s"},
  {"fsdp, 10,000", "-p deep -D layers=10000 " DEEP, "0.6 s"},
  {"fsdp and offload, 2,000", "-p deep -D layers=2000 -D offload=true " DEEP, "linear"},
  {"fsdp and offload, 4,000", "-p deep -D layers=4000 -D offload=true " DEEP, "linear"},
  {"recomputed, too, 4,000", "-p deep -D layers=4000 -D offload=true -D again=true " DEEP,
   "linear"},
  {"does not fit, 1,000 layers",
   "--ignore-memory -p replicated -D layers=1000 -D micro=16385 " DEEP, "0.1 s"},
  {"the same, with ways out", "-p replicated -D layers=1000 -D micro=16385 " DEEP,
   "5 times the play, or a limit that is told"},
  {"GPT-3 on 131,072 GPUs, folded", "-D dp=1024 -D global=24576 " GPT, "0.3 s, 100 MB"},
  {"GPT-3 on 1,024 GPUs, folded", GPT, "0.020 s"},
  {"a small plan", "tests/bench/plans/small.ts", "0.005 s"},
  {"nothing but the version", "--version", "0.006 s"},
  {"GPT-3 on 8,192 GPUs, not folded", "--no-fold -D dp=64 " GPT, "2.5 s, 800 MB"},
  {"a page of 20,000 micro-batches", "--format=html -D global=160000 " GPT, "0.5 s"},
  {"GPT-3's trace of kernels", "--trace=@/all.json " GPT, "1 s less than the next"},
  {"the same, packed", "--trace=@/all.json.gz " GPT, "1 s more: threads", "gzip -3 -c @/all.json"},
  {"its first second", "--to=1s --trace=@/part.json " GPT, "linear"},
  {"that trace, read", "trainspec trace @/part.json", "linear",
   "python3 -c 'import json; json.load(open(\"@/part.json\"))'"},
  {"GPT-3 on 8,192 GPUs", "-D dp=64 " GPT, "a third of the next"},
  {"the same with --contention", "--contention -D dp=64 " GPT, "3 times the one before"},
  {"the same of flows alone", "--contention --network=flow -D dp=64 " GPT, "as much"},
  {"a sweep of GPT-3's 78 plans, all", "trainspec sweep -j1 --all " DEGREES, "0.16 s"},
  {"the best 10 of Turing-530B's", "trainspec sweep -j1 --top=10 " TURING, "0.19 s"},
  {"all of them", "trainspec sweep -j1 --all " TURING, "0.76 s"},
  {"8 stages, 16 micro-batches", "-D pp=8 -D m=16 " LARGE, "0.05 s"},
  {"128 stages, 256 micro-batches", "-D pp=128 -D m=256 " LARGE, "0.1 s"},
  {"1,024 stages, 2,048 micro-batches", "-D pp=1024 -D m=2048 " LARGE, "0.8 s, 300 MB"},
};

static double seconds_of(struct timeval t) { return (double)t.tv_sec + 1e-6 * (double)t.tv_usec; }

static char folder[] = "/tmp/trainspec-bench-XXXXXX", programs[4096];

/* With the folder for each @. */
static const char *with_folder(const char *text)
{
  static char out[8192];
  size_t n = 0;
  for (; *text; text++)
    n += (size_t)snprintf(out + n, sizeof out - n, *text == '@' ? folder : "%c", *text);
  return out;
}

static _Noreturn void become(const char *arguments)
{
  char *list[MOST_ARGUMENTS] = {"tsrun"}, *rest = strdup(with_folder(arguments)), program[8192];
  int nowhere = open("/dev/null", O_WRONLY), count = strncmp(rest, "trainspec ", 10) != 0;
  while (count < MOST_ARGUMENTS - 1 && (list[count] = strtok(rest, " ")))
    rest = NULL, count++;
  snprintf(program, sizeof program, "%s/%s", programs, list[0]);
  dup2(nowhere, 1);
  dup2(nowhere, 2);
  execv(program, list);
  _exit(127);
}

static _Noreturn void become_shell(const char *command)
{
  int nowhere = open("/dev/null", O_WRONLY);
  dup2(nowhere, 1);
  execl("/bin/sh", "sh", "-c", with_folder(command), NULL);
  _exit(127);
}

typedef struct taken {
  double processor, clock, bytes;
  bool good;
} taken;

static taken run(void (*what)(const char *), const char *text)
{
  struct rusage usage;
  int status;
  double begin = ts_clock();
  pid_t child = fork();
  if (!child)
    what(text);
  bool ended = wait4(child, &status, 0, &usage) == child && WIFEXITED(status);
  return (taken){seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime), ts_clock() - begin,
                 1024. * (double)usage.ru_maxrss, /* 3: it does not fit */
                 ended && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 3)};
}

/* The least of several. */
static taken run_often(void (*what)(const char *), const char *text)
{
  taken least = run(what, text);
  for (int k = 1; least.good && k < (least.processor < 0.1 ? 10 : 3); k++) {
    taken t = run(what, text);
    least.good = t.good;
    least.processor = t.processor < least.processor ? t.processor : least.processor;
    least.clock = t.clock < least.clock ? t.clock : least.clock;
  }
  return least;
}

static void touch(const char *bytes)
{
  size_t size = strtoull(bytes, NULL, 10);
  char *at = malloc(size);
  if (!at)
    _exit(1);
  memset(at, 1, size);
  *(volatile char *)at = at[size - 1];
  _exit(0);
}

static double floor_of(double bytes)
{
  char text[32];
  snprintf(text, sizeof text, "%.0f", bytes);
  return run_often(become_shell, ":").processor + run_often(touch, text).processor;
}

/* User instructions of all its threads; 0: they were not counted. */
static double instructions_of(const char *arguments)
{
  char line[8192];
  double count = 0;
  bool named = !strncmp(arguments, "trainspec ", 10);
  snprintf(line, sizeof line,
           "valgrind --tool=callgrind --callgrind-out-file=/dev/null %s/%s%s 2>&1 >/dev/null",
           programs, named ? "" : "tsrun ", with_folder(arguments));
  FILE *in = popen(line, "r");
  while (in && fgets(line, sizeof line, in))
    if (strstr(line, "Collected :"))
      count = strtod(strstr(line, "Collected :") + 11, NULL);
  if (in)
    pclose(in);
  return count;
}

static bool print_row(const row *r)
{
  taken t = run_often(become, r->arguments);
  if (!t.good)
    return fprintf(stderr, "%s does not play\n", r->arguments) < 0;
  printf("%-36s %7.3f s (%.3f elapsed, floor %.3f) %5.0f MB", r->what, t.processor, t.clock,
         floor_of(t.bytes), 1e-6 * t.bytes);
  if (getenv("TS_BENCH_INSTRUCTIONS"))
    printf(" %7.0f M instructions", 1e-6 * instructions_of(r->arguments));
  printf("   %s   (asked for: %s)\n", with_folder(r->arguments), r->wanted);
  if (r->peer) {
    taken other = run(become_shell, r->peer);
    if (other.good)
      printf("%36s %7.3f s (%.3f elapsed)                %5.0f MB   %s\n", "beside it",
             other.processor, other.clock, 1e-6 * other.bytes, with_folder(r->peer));
  }
  fflush(stdout);
  return true;
}

int main(int argc, char **argv)
{
  const char *source = getenv("top_srcdir");
  if (argc < 2 || !realpath(argv[1], programs) || (source && chdir(source)) || !mkdtemp(folder))
    return 1;
  bool good = true;
  for (size_t r = 0; good && r < sizeof rows / sizeof *rows; r++)
    good = print_row(&rows[r]);
  run(become_shell, "rm -r @");
  return !good;
}
