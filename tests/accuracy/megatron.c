#include "tests/accuracy/megatron.h"
#include "tests/accuracy/coverage.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/command_line.h"
#include "compiler/compile.h"
#include "runtime/account/memory.h"

typedef TS_VEC(const char *) words;
typedef struct reason {
  const char *text;
  size_t rows;
} reason;

typedef struct figures {
  double allocated, peak;
  acc_run run;
} figures; /* bytes of the last rank */

typedef struct group {
  const char *name;
  acc_points allocated, peak;
} group; /* of one kind of model */

typedef struct tally {
  acc_points allocated, peak;
  TS_VEC(group) groups;
  TS_VEC(reason) left;
} tally;

/* "[a b]" is the list a b; "true" a flag. */
static void add_argument(ts_arena *arena, words *to, const cJSON *item)
{
  if (cJSON_IsFalse(item))
    return;
  TS_PUSH(arena, to, ts_arena_printf(arena, "--%s", item->string));
  const char *text = cJSON_IsString(item) ? item->valuestring :
                     cJSON_IsNumber(item) ? ts_arena_printf(arena, "%.17g", item->valuedouble) :
                                            "";
  size_t length = strlen(text);
  if (text[0] == '[' && text[length - 1] == ']' && !strpbrk(text, "*+")) {
    char *copy = ts_arena_string(arena, text + 1, length - 2), *save = NULL;
    for (char *w = strtok_r(copy, " ", &save); w; w = strtok_r(NULL, " ", &save))
      TS_PUSH(arena, to, w);
  } else if (length) {
    TS_PUSH(arena, to, ts_arena_printf(arena, "%s", text));
  }
}

static bool read_words(ts_arena *arena, const csv *t, size_t row, words *to)
{
  cJSON *env = cJSON_Parse(csv_cell(t, row, "env_vars"));
  cJSON *args = cJSON_Parse(csv_cell(t, row, "args"));
  const cJSON *item;
  cJSON_ArrayForEach(item, env) if (cJSON_IsString(item))
    TS_PUSH(arena, to, ts_arena_printf(arena, "%s=%s", item->string, item->valuestring));
  TS_PUSH(arena, to, ts_arena_printf(arena, "pretrain_%s.py", csv_cell(t, row, "kind")));
  cJSON_ArrayForEach(item, args) add_argument(arena, to, item);
  TS_PUSH(arena, to, "--release");
  TS_PUSH(arena, to,
          ts_arena_printf(arena, "%.4s%.2s", csv_cell(t, row, "measured"),
                          csv_cell(t, row, "measured") + 5));
  bool read = args != NULL;
  cJSON_Delete(env);
  cJSON_Delete(args);
  return read;
}

static const char *machine(ts_arena *arena, const char *gpu)
{
  char *name = ts_arena_printf(arena, "%s", gpu);
  for (char *c = name; *c; c++)
    *c = (char)(*c >= 'A' && *c <= 'Z' ? *c + 'a' - 'A' : *c);
  return name;
}

static const char *first_error(ts_arena *arena, const ts_session *s)
{
  const ts_diags *d = s->diags;
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  if (!out)
    return "error";
  ts_diags_print(d, out, TS_COLOR_NEVER);
  fclose(out);
  const char *at = strstr(text, "error");
  const char *copy =
    ts_arena_printf(arena, "%.*s", (int)strcspn(at ? at : text, "\n"), at ? at : text);
  const char *help = at ? strstr(at, "= help: ") : NULL, *said = at ? strstr(at, "^ ") : NULL;
  if (help && strstr(copy, "not followed"))
    copy = ts_arena_printf(arena, "%.*s", (int)strcspn(help + 8, "\n"), help + 8);
  if (said && strstr(copy, "E0237")) /* refused by a function, in these words */
    copy = ts_arena_printf(arena, "%.*s", (int)strcspn(said + 2, "\n"), said + 2);
  free(text);
  return copy;
}

static double degree(const csv *t, size_t row, const char *name)
{
  double n = csv_number(t, row, name);
  return n >= 1 ? n : 1;
}

/* Where the row names none: as few as there can be. Replicas hold the same without a distributed
 * optimizer. */
static const char *gpus_of(ts_arena *arena, const csv *t, size_t row)
{
  double least = degree(t, row, "pp") * degree(t, row, "cp") * degree(t, row, "tp"),
         spread = degree(t, row, "ep") * degree(t, row, "tp");
  if (csv_number(t, row, "gpus") >= 1)
    return csv_cell(t, row, "gpus");
  if (spread * degree(t, row, "pp") > least)
    least = spread * degree(t, row, "pp");
  return ts_arena_printf(arena, "%.0f", least);
}

typedef struct span_of_update {
  int64_t least, most;
} span_of_update;

static void look(void *closure, uint64_t time, const int64_t category[TS_IR_CATEGORIES])
{
  span_of_update *u = closure;
  (void)time;
  if (category[TS_IR_OPTIMIZER] < u->least)
    u->least = category[TS_IR_OPTIMIZER];
  if (category[TS_IR_OPTIMIZER] > u->most)
    u->most = category[TS_IR_OPTIMIZER];
}

/* What is held throughout, and what the update has left: PyTorch gives it back when gradients are
 * set to zero, at the beginning of the next step. */
static double after_step(const ts_ir *ir, const ts_run *run, const ts_memory_class *m,
                         uint32_t rank)
{
  span_of_update u = {INT64_MAX, 0};
  ts_memory_curve(ir, run, rank, look, &u);
  return (double)m->base + (u.most > u.least ? (double)(u.most - u.least) : 0);
}

/* What the plan of a row holds on its last rank. NULL, or why there is none. */
static const char *predict(const acc_context *c, const csv *t, size_t row, figures *out)
{
  ts_arena *arena = ts_arena_new("run");
  ts_session *s = ts_session_new(arena);
  words w = {0};
  const char *why = NULL;
  ts_compile_options o = {.stdlib_dir = ts_arena_printf(arena, "%s/stdlib", c->source)};
  ts_compile_settings(s, &o);
  read_words(arena, t, row, &w);
  ts_command_line line = {.framework = "megatron",
                          .word = w.at,
                          .word_count = (uint32_t)w.count,
                          .gpus = gpus_of(arena, t, row),
                          .gpu = machine(arena, csv_cell(t, row, "gpu"))};
  size_t size = 0;
  const char *plan = ts_command_line_plan(s, &line, &size);
  ts_input input;
  ts_stop stop = {.arena = arena};
  ts_session *fresh = ts_session_new(arena);
  if (!plan) {
    why = first_error(c->arena, s);
  } else if (!ts_input_compile(fresh, "run.ts", plan, size, &o, &input)) {
    why = first_error(c->arena, fresh);
  } else {
    ts_run *run = ts_run_new(&input.ir, &(ts_run_options){0}, &stop);
    if (run) {
      const ts_memory *m = ts_memory_new(arena, &input.ir, run);
      const ts_memory_class *last =
        &m->classes[ts_run_result(run)->class_of[input.ir.meta->world - 1]];
      ts_confidence sure = ts_confidence_new(arena, &input.ir, ts_run_result(run), 1, 0);
      *out = (figures){after_step(&input.ir, run, last, input.ir.meta->world - 1),
                       (double)last->peak, acc_run_of(&input.ir, &sure.memory)};
      if (c->verbose)
        for (uint32_t k = 0; k < last->holder_count && k < 12; k++)
          printf("        %-40s %9.1f MiB\n", last->holders[k].label,
                 (double)last->holders[k].bytes / 0x1p20);
      ts_run_free(run);
    } else {
      why = ts_arena_printf(c->arena, "%s", stop.title);
    }
    ts_input_close(&input);
  }
  ts_arena_free(arena);
  return why;
}

static void left_out(const acc_context *c, tally *y, const char *why)
{
  for (size_t i = 0; i < y->left.count; i++)
    if (!strcmp(y->left.at[i].text, why)) {
      y->left.at[i].rows++;
      return;
    }
  TS_PUSH(c->arena, &y->left, (reason){why, 1});
}

static group *group_of(const acc_context *c, tally *y, const char *name)
{
  for (size_t i = 0; i < y->groups.count; i++)
    if (!strcmp(y->groups.at[i].name, name))
      return &y->groups.at[i];
  TS_PUSH(c->arena, &y->groups, (group){.name = name});
  return &y->groups.at[y->groups.count - 1];
}

static void one(const acc_context *c, const csv *t, size_t i, tally *y)
{
  double allocated = csv_number(t, i, "mem_allocated_bytes"),
         peak = csv_number(t, i, "mem_peak_bytes");
  figures f = {0};
  if (!(allocated > 0) || !(peak > 0)) {
    left_out(c, y, "no memory in the row");
    return;
  }
  if (!(csv_number(t, i, "gpus") >= 1) && csv_is(t, i, "dist_optimizer", "1")) {
    left_out(c, y, "no number of GPUs in the row, over which the optimizer is dealt out");
    return;
  }
  const char *why = predict(c, t, i, &f);
  if (why) {
    left_out(c, y, why);
    return;
  }
  if (c->verbose)
    printf("    %-60s %-5s %-3s %s %6.1f %6.1f %+6.1f %%  peak %6.1f %6.1f %+6.1f %%\n",
           csv_cell(t, i, "test"), csv_cell(t, i, "gpu"), csv_cell(t, i, "container"),
           csv_is(t, i, "resumed", "1") ? "r" : " ", allocated / 0x1p20, f.allocated / 0x1p20,
           100 * (f.allocated / allocated - 1), peak / 0x1p20, f.peak / 0x1p20,
           100 * (f.peak / peak - 1));
  group *g = group_of(c, y, csv_cell(t, i, "kind"));
  const char *name =
    ts_arena_printf(c->arena, "%s on %s", csv_cell(t, i, "test"), csv_cell(t, i, "gpu"));
  acc_point at = {.name = name, .predicted = f.allocated, .measured = allocated},
            most = {.name = name, .predicted = f.peak, .measured = peak};
  if (isfinite(f.run.memory_below)) {
    most.low = f.peak * exp(-f.run.memory_below);
    most.high = f.peak * exp(f.run.memory_above);
  }
  acc_cover_memory(c, "megatron_memory", &f.run, f.peak, peak);
  TS_PUSH(c->arena, &g->allocated, at);
  TS_PUSH(c->arena, &g->peak, most);
  TS_PUSH(c->arena, &y->allocated, at);
  TS_PUSH(c->arena, &y->peak, most);
}

static const acc_ask asks[] = {
  {"*", "all", ACC_MEDIAN, 2, NULL},
  {"*", "all", ACC_WITHIN_FIVE, 90, NULL},
  {0},
};

void acc_megatron_report(const acc_context *c)
{
  csv *t = csv_read(c->arena, ts_arena_printf(c->arena, "%s/runs/megatron_ci.csv", c->data));
  tally y = {0};
  static const char title[] = "bytes of the last rank in Megatron-LM's regression runs";
  printf("megatron_memory: %s\n", title);
  if (!t) {
    printf("  skipped, there is no runs/megatron_ci.csv\n");
    return;
  }
  for (size_t i = 0; i < t->rows; i++)
    one(c, t, i, &y);
  acc_result *result = acc_result_new(c->arena, c->results, "megatron_memory", title);
  acc_part *allocated = acc_part_new(c->arena, result, "allocated after a step", ACC_BYTES),
           *peak = acc_part_new(c->arena, result, "peak", ACC_BYTES);
  peak->drawn = true;
  result->asks = asks;
  result->sources = "NVIDIA Megatron-LM, tests/functional_tests (github.com, d98e8a64)";
  for (size_t i = 0; i < y.groups.count; i++) {
    acc_line_add(c->arena, allocated, y.groups.at[i].name, &y.groups.at[i].allocated);
    acc_line_add(c->arena, peak, y.groups.at[i].name, &y.groups.at[i].peak);
  }
  acc_line_add(c->arena, allocated, "all", &y.allocated);
  acc_line_add(c->arena, peak, "all", &y.peak);
  for (size_t i = 0; i < y.left.count; i++)
    acc_note_add(c->arena, result, "left out",
                 ts_arena_printf(c->arena, "%zu rows: %s", y.left.at[i].rows, y.left.at[i].text));
  acc_result_print(c->arena, result);
  printf("\n");
}
