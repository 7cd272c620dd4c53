/* trainspec profile: help, completion, and the way to the Python program that measures. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/options.h"
#include "base/source.h"
#include "tools/cli/programs.h"

static const ts_option options[] = {
  {1, 0, "minutes", "N", "end after so long (10)", "Measuring"},
  {2, 0, "device", "KIND", "auto, cpu or cuda (auto)", NULL},
  {3, 0, "ranks", "LIST", "numbers of ranks of collectives (2,4,8, as far as devices go)", NULL},
  {4, 0, "dtypes", "LIST", "number formats: fp32, bf16, fp16 (fp32; with cuda bf16,fp32)", NULL},
  {5, 0, "only", "LIST", "kernels, collectives, pairs (all three)", NULL},
  {6, 0, "jobs", "HOW", "write job scripts of collectives over nodes: slurm or torchrun",
   "Several nodes"},
  {7, 0, "nodes", "LIST", "numbers of nodes (1,2,4,8)", NULL},
  {8, 0, "per-node", "N", "GPUs of a node (8)", NULL},
  {9, 0, "protocols", "LIST", "any, LL, LL128, Simple (all four)", NULL},
  {10, 0, "read", "LOG", "take up what a job printed", NULL},
  {11, 0, "machine", "NAME", "fit curves, and write DIR/machine.trainspec", "Use"},
  {0},
};
static const char *const usage[] = {"DIR [--minutes N] [OPTION]...",
                                    "DIR --jobs slurm | torchrun [OPTION]...", "DIR --read LOG...",
                                    "DIR --machine NAME", NULL};
static const char *const notes[] = {
  "DIR has the tables kernels.csv, collectives.csv and overlap.csv; the same command",
  "goes on where it was. Measuring needs the package of the tracer and PyTorch",
  "(pip install packages/tracer/), as the program trainspec-profile.",
  "",
  "Examples:",
  "$ mine --minutes 10",
  "$ mine --machine mine",
  "",
  "Exit codes: 0 done, 1 input rejected, 2 wrong usage, 3 a process or its device is gone,",
  "4 files or system.",
  NULL};
static const ts_program program = TS_COMMAND("measures this machine: kernels, collectives, both.");

int ts_profile_main(int argc, char **argv)
{
  ts_arena *arena = ts_arena_new("profile");
  char **words = ts_arena_alloc(arena, ((size_t)argc + 1) * sizeof *words);
  int id;
  for (int i = 0; i < argc; i++) /* the parser cuts words at `=` */
    words[i] = ts_arena_string(arena, argv[i], strlen(argv[i]));
  words[argc] = NULL;
  ts_options o = ts_options_start(&program, argc, argv);
  do
    id = ts_options_next(&o);
  while (id != TS_OPTIONS_END && id != TS_OPTIONS_EXIT);
  if (id == TS_OPTIONS_EXIT) {
    ts_arena_free(arena);
    return o.status;
  }
  execvp("trainspec-profile", words);
  ts_diags *diags = ts_diags_new(arena, ts_sources_new(arena));
  ts_diag *d = ts_diag_add(diags, TS_E0701, TS_NO_SPAN, "cannot read `trainspec-profile`: %s",
                           strerror(errno));
  ts_diag_help(d, "it measures with PyTorch: `pip install packages/tracer/` puts it on the PATH");
  ts_options_report(&o, diags);
  ts_arena_free(arena);
  return TS_EXIT_ENVIRONMENT;
}
