/* Whole processes of `tsrun` on what grows where nothing differs: micro-batches, layers, stages,
 * links, changes that are tried. User and system time, the least of three or ten, and the most memory. Of
 * plans of sweeps: bench_sweep.c. */
#define _DEFAULT_SOURCE /* wait4 */
#include <stdio.h>
#include <stdlib.h>
#include <stdint.h>
#include <string.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_ARGUMENTS = 16 };

typedef struct row { const char *what, *arguments, *wanted; } row;

#define DEEP "tests/bench/plans/deep.ts"
#define GPT "examples/gpt3_175b.ts"
#define DEGREES "examples/degrees.ts"
#define LARGE "examples/large.ts"

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
  {"GPT-3's trace of kernels", "--trace=/dev/null " GPT, "and 1 s more packed"},
  {"GPT-3 on 8,192 GPUs", "-D dp=64 " GPT, "a third of the next"},
  {"the same with --contention", "--contention -D dp=64 " GPT, "3 times the one before"},
  {"8 stages, 16 micro-batches", "-D pp=8 -D m=16 " LARGE, "0.05 s"},
  {"128 stages, 256 micro-batches", "-D pp=128 -D m=256 " LARGE, "0.1 s"},
  {"1,024 stages, 2,048 micro-batches", "-D pp=1024 -D m=2048 " LARGE, "0.8 s, 300 MB"},
};

static double seconds_of(struct timeval t) { return (double)t.tv_sec + 1e-6 * (double)t.tv_usec; }

static _Noreturn void become(const char *program, const char *arguments)
{
  char *list[MOST_ARGUMENTS] = {(char *)(uintptr_t)program}, *rest = strdup(arguments);
  int nowhere = open("/dev/null", O_WRONLY);
  for (int i = 1; i < MOST_ARGUMENTS - 1 && (list[i] = strtok(i == 1 ? rest : NULL, " ")); i++)
    ;
  dup2(nowhere, 1);
  dup2(nowhere, 2);
  execv(program, list);
  _exit(127);
}

int main(int argc, char **argv)
{
  const char *source = getenv("top_srcdir");
  char program[4096];
  if (argc < 2 || !realpath(argv[1], program) || (source && chdir(source)))
    return 1;
  strcat(program, "/tsrun");
  for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
    double least = 0, memory = 0;
    for (int k = 0; k < (least < 0.1 ? 10 : 3); k++) {
      struct rusage usage;
      int status;
      pid_t child = fork();
      if (!child)
        become(program, rows[r].arguments);
      if (wait4(child, &status, 0, &usage) != child || !WIFEXITED(status) ||
          (WEXITSTATUS(status) != 0 && WEXITSTATUS(status) != 3)) { /* 3: it does not fit */
        fprintf(stderr, "tsrun %s does not play\n", rows[r].arguments);
        return 1;
      }
      double taken = seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
      least = !k || taken < least ? taken : least;
      memory = 1024e-6 * (double)usage.ru_maxrss;
    }
    printf("%-36s %8.3f s %6.0f MB   tsrun %s   (asked for: %s)\n", rows[r].what, least, memory,
           rows[r].arguments, rows[r].wanted);
    fflush(stdout);
  }
  return 0;
}
