/* accuracy --data DIR [--source ROOT] [-v] [--write PAGE] [SET...]
 * accuracy --data DIR [--source ROOT] --fit SET[/GROUP] PARAMETERS
 * accuracy --data DIR [--source ROOT] --fit between_nodes FOLDER
 * accuracy --data DIR [--source ROOT] --errors */
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
#include "tests/accuracy/page.h"
#include "tests/accuracy/power.h"

static void collectives(const acc_context *c) { acc_collectives_report(c, false); }
static void collectives_thin(const acc_context *c) { acc_collectives_report(c, true); }

/* Sets that are no steps of training; those not `usual` run when they are named. */
typedef struct other_set {
  const char *name, *title;
  void (*report)(const acc_context *c);
  bool usual;
} other_set;

static void steps(const acc_context *c, const acc_set *set)
{
  acc_rows rows;
  if (!acc_read(c, set, &rows))
    return;
  acc_predict_all(c, set, &rows);
  for (size_t i = 0; i < rows.count; i++)
    acc_cover_row(c, set, &rows.at[i]);
  acc_report(c, set, &rows);
}

static void coverage(const acc_context *c)
{
  for (size_t i = 0; i < acc_set_count; i++)
    if (!acc_sets[i].figure)
      steps(c, &acc_sets[i]);
}

static const other_set others[] = {
  {"memory", "what devices hold, against published figures", acc_memory_report, true},
  {"megatron_memory", "memory of runs from their command lines", acc_megatron_report, true},
  {"collectives", "white boxes of collective libraries against measured calls", collectives, true},
  {"collectives_thin", "the same from every third row of each table", collectives_thin, false},
  {"between_nodes", "white boxes of fabrics between nodes against published sweeps",
   acc_between_report, true},
  {"operators", "operators of other devices and other batches, from measured tables",
   acc_operators_report, true},
  {"power", "power of nodes at the wall in MLPerf's runs, against the model of energy",
   acc_power_report, true},
  {"calibrated", "steps of a cluster that is calibrated to three others of its steps",
   acc_calibrated_report, true},
  {"learnt", "runs of a program without a profile, learnt from three of its other runs",
   acc_learnt_report, true},
  {"coverage", "all sets of steps, for how many of them the intervals hold", coverage, false},
};
enum { OTHERS = sizeof others / sizeof *others };

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
  for (size_t i = 0; i < OTHERS; i++)
    fprintf(stderr, "  %-20s %s\n", others[i].name, others[i].title);
  return 2;
}

/* False: there is no such set. */
static bool one(const acc_context *c, const char *name)
{
  const acc_set *set = find(name);
  bool found = set != NULL;
  if (set)
    steps(c, set);
  for (size_t i = 0; i < acc_kernel_set_count; i++)
    if (!strcmp(acc_kernel_sets[i].name, name)) {
      acc_kernels_report(c, &acc_kernel_sets[i]);
      found = true;
    }
  for (size_t i = 0; i < OTHERS; i++)
    if (!strcmp(others[i].name, name)) {
      others[i].report(c);
      found = true;
    }
  fflush(stdout);
  return found;
}

static void every(const acc_context *c)
{
  for (size_t i = 0; i < acc_set_count; i++)
    one(c, acc_sets[i].name);
  for (size_t i = 0; i < acc_kernel_set_count; i++)
    one(c, acc_kernel_sets[i].name);
  for (size_t i = 0; i < OTHERS; i++)
    if (others[i].usual)
      one(c, others[i].name);
}

static int fit(const acc_context *c, char *name, const char *parameters)
{
  if (!strcmp(name, "between_nodes"))
    return acc_between_fit(c, parameters);
  char *group = strchr(name, '/');
  if (group)
    *group++ = 0;
  const acc_set *set = find(name);
  return set ? acc_fit(c, set, group, parameters) : unknown(name);
}

/* Errors of runs are in spreads, so figures come first: the runs are predicted with what they say.
 */
static int write_errors(const acc_context *c)
{
  static const char *const figures[] = {"collectives", "between_nodes"};
  const char *path = ts_arena_printf(c->arena, "%s/stdlib/accuracy/errors.ts", c->source);
  for (size_t i = 0; i < acc_kernel_set_count; i++)
    one(c, acc_kernel_sets[i].name);
  for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
    one(c, figures[i]);
  if (!acc_errors_write(c, path))
    return 1;
  for (size_t i = 0; i < acc_set_count; i++)
    one(c, acc_sets[i].name);
  one(c, "megatron_memory");
  acc_coverage_report(c);
  return !acc_errors_write(c, path);
}

static int run(acc_context *c, int argc, char **argv)
{
  const char *page = NULL;
  int i = 1;
  for (; i < argc && argv[i][0] == '-'; i++) {
    bool more = i + 1 < argc;
    if (!strcmp(argv[i], "-v"))
      c->verbose = true;
    else if (!strcmp(argv[i], "--data") && more)
      c->data = argv[++i];
    else if (!strcmp(argv[i], "--source") && more)
      c->source = argv[++i];
    else if (!strcmp(argv[i], "--write") && more)
      page = argv[++i];
    else
      break;
  }
  if (!c->data) {
    fprintf(stderr, "accuracy: --data DIR is needed\n");
    return 2;
  }
  if (i + 2 < argc && !strcmp(argv[i], "--fit"))
    return fit(c, argv[i + 1], argv[i + 2]);
  if (i + 1 == argc && !strcmp(argv[i], "--errors"))
    return write_errors(c);
  if (i == argc)
    every(c);
  for (; i < argc; i++)
    if (!one(c, argv[i]))
      return unknown(argv[i]);
  acc_coverage_report(c);
  return page && acc_page_write(c->arena, c->results, page) ? 4 : 0;
}

int main(int argc, char **argv)
{
  acc_results results = {0};
  acc_context c = {.arena = ts_arena_new("accuracy"), .source = ".", .results = &results};
  c.coverage = acc_coverage_new(c.arena);
  int status = run(&c, argc, argv);
  ts_arena_free(c.arena);
  return status;
}
