/* Orders found by `trainspec schedule`, beside the schedules of std, at the memory that these take and
 * on their placement of stages: with costs that the schedules were made for, with others, and with
 * those of a real model. Begun with the schedule's own order, and without it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "base/format.h"

enum { MOST = 1 << 24 };

typedef struct costs {
  const char *name, *plan, *defines;
} costs;

static const costs equal = {"equal", "schedule_lab.ts", "-D f=10us -D i=10us -D w=10us"},
                   near = {"10 11 9, message 1", "schedule_lab.ts",
                           "-D f=10us -D i=11us -D w=9us -D message=1us"},
                   far = {"10 14 6, message 4", "schedule_lab.ts",
                          "-D f=10us -D i=14us -D w=6us -D message=4us"},
                   real = {"GPT, 8 A100", "zero_bubble.ts", ""};

static const struct row {
  const char *schedule;
  const costs *costs;
} rows[] = {
  {"one_f_one_b(p: 8, m: 16)", &near},
  {"zb_h1(p: 4, m: 8)", &equal},
  {"zb_h1(p: 4, m: 8)", &near},
  {"zb_h1(p: 8, m: 24)", &near},
  {"zb_h1(p: 8, m: 24)", &far},
  {"zb_h2(p: 8, m: 24)", &far},
  {"zb_v(p: 4, m: 8)", &equal},
  {"zb_v(p: 8, m: 16)", &near},
  {"zb_v(p: 8, m: 16)", &far},
  {"v_half(p: 4, m: 12)", &equal},
  {"v_half(p: 8, m: 16)", &near},
  {"v_half(p: 8, m: 16)", &far},
  {"v_min(p: 8, m: 16)", &equal},
  {"v_min(p: 8, m: 16)", &far},
  {"dual_pipe(p: 8, m: 20)", &equal},
  {"dual_pipe(p: 8, m: 20)", &far},
  {"dual_pipe_v(p: 4, m: 12)", &near},
  {"one_f_one_b(p: pp, m: m, sizes: sizes(layers, pp))", &real},
  {"zb_h1(p: pp, m: m, sizes: sizes(layers, pp))", &real},
  {"zb_v(p: pp, m: m, sizes: sizes(layers, 2 * pp))", &real},
  {"v_half(p: pp, m: m, sizes: sizes(layers, 2 * pp))", &real},
  {"v_min(p: pp, m: m, sizes: sizes(layers, 2 * pp))", &real},
};

static cJSON *search(const char *build, const struct row *row, const char *options)
{
  static char answer[MOST];
  char command[4096];
  snprintf(command, sizeof command,
           "TRAINSPEC_HINTS=0 %s/trainspec schedule --format=json --memory=own %s %s "
           "-D 'schedule=%s' examples/%s 2>/dev/null",
           build, options, row->costs->defines, row->schedule, row->costs->plan);
  FILE *out = popen(command, "r");
  size_t size = out ? fread(answer, 1, sizeof answer - 1, out) : 0;
  answer[size] = 0;
  return out && pclose(out) == 0 ? cJSON_Parse(answer) : NULL;
}

static double number(const cJSON *in, const char *object, const char *name)
{
  const cJSON *of = object ? cJSON_GetObjectItem(in, object) : in;
  return cJSON_GetNumberValue(cJSON_GetObjectItem(of, name));
}

/* "zb_v(p: 8, m: 24)" without sizes of stages */
static void put_name(const struct row *row)
{
  char name[80];
  const char *sizes = strstr(row->schedule, ", sizes");
  snprintf(name, sizeof name, "%.*s%s",
           (int)(sizes ? sizes - row->schedule : (long)strlen(row->schedule)), row->schedule,
           sizes ? ")" : "");
  if (row->costs == &real)
    snprintf(strchr(name, '('), 20, "(p: 8, m: 24)");
  printf("| `%s` | %s |", name, row->costs->name);
}

int main(int argc, char **argv)
{
  if (argc < 2)
    return 2;
  printf("| schedule | F, I, W | its step | found | shorter by | without its order | above bound | "
         "memory |\n|---|---|--:|--:|--:|--:|--:|--:|\n");
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    cJSON *with = search(argv[1], &rows[k], ""), *fresh = search(argv[1], &rows[k], "--fresh");
    if (!with) {
      fprintf(stderr, "%s: no answer\n", rows[k].schedule);
      continue;
    }
    double own = number(with, "own", "step_time_ps"), found = number(with, "found", "step_time_ps");
    put_name(&rows[k]);
    printf(" %s |", ts_format_time((uint64_t)own).text);
    printf(" %s | %.1f %% |", ts_format_time((uint64_t)found).text, 100 * (1 - found / own));
    printf(" %s |",
           fresh ? ts_format_time((uint64_t)number(fresh, "found", "step_time_ps")).text : "none");
    printf(" %.1f %% | %s |\n", 100 * number(with, NULL, "gap"),
           ts_format_bytes(number(with, "own", "peak_memory_bytes")).text);
    fflush(stdout);
    cJSON_Delete(with);
    cJSON_Delete(fresh);
  }
  return 0;
}
