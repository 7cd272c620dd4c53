/* accuracy --data DIR --source ROOT [--rows FILE] [-v] --out FILE SET
 * accuracy --data DIR --source ROOT --fit FOLDER */
#include <stdio.h>
#include <string.h>

#include "tests/accuracy/accuracy.h"

typedef struct entry {
  const char *name;
  bool (*fill)(const acc_context *c);
} entry;

static const entry sets[] = {
  {"gemm", acc_gemm},
  {"attention", acc_attention},
  {"collectives", acc_collectives},
  {"collectives_thin", acc_collectives_thin},
  {"between_nodes", acc_between},
  {"operators", acc_operators},
  {"calibrated", acc_calibrated},
  {"learnt", acc_learnt},
};

enum { NOT_THERE = 3, NOT_WRITTEN = 4 };

static int one(acc_context *c, const char *name, const char *out)
{
  for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
    if (!strcmp(sets[i].name, name)) {
      if (!sets[i].fill(c))
        return NOT_THERE;
      return acc_result_write(c->result, out) ? NOT_WRITTEN : 0;
    }
  fprintf(stderr, "accuracy: no set `%s`\n", name);
  return 2;
}

int main(int argc, char **argv)
{
  acc_result result = {0};
  acc_context c = {.arena = ts_arena_new("accuracy"), .result = &result};
  const char *out = NULL, *folder = NULL;
  int i = 1;
  for (; i < argc && argv[i][0] == '-'; i++) {
    const char **value = !strcmp(argv[i], "--data")   ? &c.data :
                         !strcmp(argv[i], "--source") ? &c.source :
                         !strcmp(argv[i], "--rows")   ? &c.rows :
                         !strcmp(argv[i], "--out")    ? &out :
                         !strcmp(argv[i], "--fit")    ? &folder :
                                                        NULL;
    if (value && i + 1 < argc)
      *value = argv[++i];
    else
      c.verbose = true;
  }
  int status = 2;
  if (c.data && c.source && folder)
    status = acc_between_fit(&c, folder);
  else if (c.data && c.source && out && i + 1 == argc)
    status = one(&c, argv[i], out);
  ts_arena_free(c.arena);
  return status;
}
