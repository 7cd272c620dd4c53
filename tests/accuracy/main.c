/* accuracy --data DIR --source ROOT [-v] [SET...]
 * accuracy --data DIR --source ROOT --fit SET[/GROUP] PARAMETERS
 * accuracy --data DIR --source ROOT --fit between_nodes FOLDER
 * accuracy --data DIR --source ROOT --errors */
#include <stdio.h>
#include <string.h>

#include "tests/accuracy/accuracy.h"
#include "tests/accuracy/between_nodes.h"
#include "tests/accuracy/calibrated.h"
#include "tests/accuracy/collectives.h"
#include "tests/accuracy/coverage.h"
#include "tests/accuracy/kernels.h"
#include "tests/accuracy/megatron.h"
#include "tests/accuracy/memory.h"
#include "tests/accuracy/operators.h"

static const acc_set *find(const char *name)
{
  for (size_t i = 0; i < acc_set_count; i++)
    if (!strcmp(acc_sets[i].name, name))
      return &acc_sets[i];
  return NULL;
}

static int unknown(const char *name)
{
  fprintf(stderr, "accuracy: no set `%s`; there are:\n", name);
  for (size_t i = 0; i < acc_set_count; i++)
    fprintf(stderr, "  %-20s %s\n", acc_sets[i].name, acc_sets[i].title);
  for (size_t i = 0; i < acc_kernel_set_count; i++)
    fprintf(stderr, "  %-20s %s\n", acc_kernel_sets[i].name, acc_kernel_sets[i].title);
  fprintf(stderr, "  %-20s %s\n", "memory",
          "what devices hold, against measured and published figures");
  fprintf(stderr, "  %-20s %s\n", "megatron_memory",
          "memory of runs from their command lines");
  fprintf(stderr, "  %-20s %s\n", "collectives",
          "white boxes of collective libraries against measured calls");
  fprintf(stderr, "  %-20s %s\n", "collectives_thin",
          "the same from every third row of each table");
  fprintf(stderr, "  %-20s %s\n", "between_nodes",
          "white boxes of fabrics between nodes against published sweeps");
  fprintf(stderr, "  %-20s %s\n", "calibrated",
          "steps of a cluster that is calibrated to three others of its steps");
  fprintf(stderr, "  %-20s %s\n", "operators",
          "operators of other devices and other batches, from measured tables");
  return 2;
}

static void one(const acc_context *c, const acc_set *set)
{
  acc_rows rows;
  if (!acc_read(c, set, &rows))
    return;
  acc_predict_all(c, set, &rows);
  for (size_t i = 0; i < rows.count; i++)
    acc_cover_row(c, set, &rows.at[i]);
  acc_report(c, set, &rows);
  fflush(stdout);
}

static bool kernels(const acc_context *c, const char *name)
{
  if (!strcmp(name, "memory")) {
    acc_memory_report(c);
    fflush(stdout);
    return true;
  }
  if (!strcmp(name, "megatron_memory")) {
    acc_megatron_report(c);
    fflush(stdout);
    return true;
  }
  if (!strcmp(name, "collectives") || !strcmp(name, "collectives_thin")) {
    acc_collectives_report(c, !strcmp(name, "collectives_thin"));
    fflush(stdout);
    return true;
  }
  if (!strcmp(name, "between_nodes")) {
    acc_between_report(c);
    fflush(stdout);
    return true;
  }
  if (!strcmp(name, "calibrated")) {
    acc_calibrated_report(c);
    fflush(stdout);
    return true;
  }
  if (!strcmp(name, "operators")) {
    acc_operators_report(c);
    fflush(stdout);
    return true;
  }
  for (size_t i = 0; i < acc_kernel_set_count; i++)
    if (!strcmp(acc_kernel_sets[i].name, name)) {
      acc_kernels_report(c, &acc_kernel_sets[i]);
      fflush(stdout);
      return true;
    }
  return false;
}

static void all_runs(const acc_context *c)
{
  for (size_t s = 0; s < acc_set_count; s++)
    one(c, &acc_sets[s]);
  kernels(c, "megatron_memory");
}

static void all_figures(const acc_context *c)
{
  for (size_t s = 0; s < acc_kernel_set_count; s++)
    kernels(c, acc_kernel_sets[s].name);
  kernels(c, "collectives");
  kernels(c, "between_nodes");
}

/* Errors of runs are in spreads, so figures come first: the runs are predicted with what they say.
 */
static int write_errors(const acc_context *c)
{
  const char *path = ts_arena_printf(c->arena, "%s/stdlib/errors.ts", c->source);
  all_figures(c);
  if (!acc_errors_write(c, path))
    return 1;
  all_runs(c);
  acc_coverage_report(c);
  return !acc_errors_write(c, path);
}

int main(int argc, char **argv)
{
  acc_results results = {0};
  acc_context c = {.arena = ts_arena_new("accuracy"), .source = ".", .results = &results};
  bool covers = true;
  int status = 0, i = 1;
  c.coverage = acc_coverage_new(c.arena);
  for (; i + 1 < argc && argv[i][0] == '-' && strcmp(argv[i], "--fit") && strcmp(argv[i], "--errors"); i++) {
    if (!strcmp(argv[i], "--data"))
      c.data = argv[++i];
    else if (!strcmp(argv[i], "--source"))
      c.source = argv[++i];
    else if (!strcmp(argv[i], "-v"))
      c.verbose = true;
    else
      break;
  }
  if (i < argc && !strcmp(argv[i], "-v")) {
    c.verbose = true;
    i++;
  }
  if (!c.data) {
    fprintf(stderr, "accuracy: --data DIR is needed\n");
    return 2;
  }
  if (i + 1 == argc && !strcmp(argv[i], "--errors")) {
    status = write_errors(&c);
    covers = false;
  } else if (i + 2 < argc && !strcmp(argv[i], "--fit") && !strcmp(argv[i + 1], "between_nodes")) {
    status = acc_between_fit(&c, argv[i + 2]);
  } else if (i + 2 < argc && !strcmp(argv[i], "--fit")) {
    char *group = strchr(argv[i + 1], '/');
    if (group)
      *group++ = 0;
    const acc_set *set = find(argv[i + 1]);
    status = set ? acc_fit(&c, set, group, argv[i + 2]) : unknown(argv[i + 1]);
  } else if (i == argc) {
    for (size_t s = 0; s < acc_set_count; s++)
      one(&c, &acc_sets[s]);
    for (size_t s = 0; s < acc_kernel_set_count; s++)
      kernels(&c, acc_kernel_sets[s].name);
    kernels(&c, "memory");
    kernels(&c, "megatron_memory");
    kernels(&c, "collectives");
    kernels(&c, "between_nodes");
    kernels(&c, "operators");
    kernels(&c, "calibrated");
  } else {
    for (; i < argc && !status; i++) {
      const acc_set *set = find(argv[i]);
      if (set)
        one(&c, set);
      else if (!kernels(&c, argv[i]))
        status = unknown(argv[i]);
    }
  }
  if (covers && !status)
    acc_coverage_report(&c);
  ts_arena_free(c.arena);
  return status;
}
