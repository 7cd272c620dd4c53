/* One row: its plan compiled with its parameters, and played. */
#include <math.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "compiler/compile.h"
#include "ir/run_kind.h"
#include "runtime/account/allocator.h"
#include "runtime/account/confidence.h"
#include "runtime/account/memory.h"
#include "tests/accuracy/accuracy.h"

void acc_define(ts_arena *arena, acc_row *row, const char *name, const char *expression)
{
  if (row->define_count < sizeof row->define / sizeof *row->define)
    row->define[row->define_count++] =
      (ts_define){ts_arena_printf(arena, "%s", name), ts_arena_printf(arena, "%s", expression)};
}

/* "a=b,c=d" into pairs; calls `each`. */
static void pairs(ts_arena *arena, const char *text,
                  void (*each)(void *closure, const char *left, const char *right), void *closure)
{
  char *copy = ts_arena_printf(arena, "%s", text ? text : ""), *save = NULL;
  for (char *part = strtok_r(copy, ",", &save); part; part = strtok_r(NULL, ",", &save)) {
    char *equals = strchr(part, '=');
    if (!equals)
      continue;
    *equals = 0;
    each(closure, part, equals + 1);
  }
}

typedef struct mapping { ts_arena *arena; const csv *table; acc_row *row; } mapping;

static void map_column(void *closure, const char *parameter, const char *column)
{
  mapping *m = closure;
  const char *cell = csv_cell(m->table, m->row->csv_row, column);
  if (*cell)
    acc_define(m->arena, m->row, parameter, cell);
}

static void map_fixed(void *closure, const char *parameter, const char *text)
{
  mapping *m = closure;
  acc_define(m->arena, m->row, parameter, text);
}

bool acc_read(const acc_context *c, const acc_set *set, acc_rows *rows)
{
  const char *root = set->here ? c->source : c->data;
  const csv *table = csv_read(c->arena, ts_arena_printf(c->arena, "%s/%s", root, set->csv));
  *rows = (acc_rows){0};
  if (!table) {
    printf("%s: skipped, there is no %s\n\n", set->name, set->csv);
    return false;
  }
  rows->at = TS_NEW_ARRAY(c->arena, acc_row, table->rows + 1);
  for (size_t i = 0; i < table->rows; i++) {
    acc_row row = {.csv_row = i, .memory = NAN, .group = "", .validation = true};
    if (!set->row(c, table, i, &row) || (!row.missing && !(row.measured > 0) && !(row.rate > 0)))
      continue;
    if (isinf(row.measured) || isinf(row.rate) || isinf(row.memory))
      row.missing = "a figure that is no number";
    mapping m = {c->arena, table, &row};
    pairs(c->arena, set->columns, map_column, &m);
    pairs(c->arena, set->fixed, map_fixed, &m);
    rows->at[rows->count++] = row;
  }
  return true;
}

static const char *first_error(ts_arena *arena, const ts_session *s)
{
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  if (!out)
    return "error";
  ts_diags_print(s->diags, out, TS_COLOR_NEVER);
  fclose(out);
  const char *copy = ts_arena_printf(arena, "%s", text);
  free(text);
  return copy;
}

static void first_start(void *closure, const ts_span_event *e)
{
  uint64_t *first = closure;
  if (e->node->op == TS_IR_COMPUTE && e->start < *first)
    *first = e->start;
}

static double longest_rank(const ts_run *run)
{
  const ts_result *result = ts_run_result(run);
  uint64_t longest = 0;
  for (uint32_t k = 0; k < result->class_count; k++) {
    uint64_t first = UINT64_MAX;
    ts_run_timeline(run, result->classes[k].rank, first_start, &first);
    if (first < result->classes[k].end && result->classes[k].end - first > longest)
      longest = result->classes[k].end - first;
  }
  return (double)longest;
}

/* By more than what a framework saves without work: casts that share memory, buffers used again. */
static bool far_over(const ts_memory_class *class)
{
  return class->limit && (double)class->over > 0.5 * (double)class->limit;
}

double acc_seconds(const acc_row *row, const ts_run *run)
{
  return (row->unsynchronised ? longest_rank(run) : (double)ts_run_result(run)->step) * 1e-12;
}

bool acc_open(const acc_context *c, const acc_set *set, const acc_row *row,
              const ts_define *extra, uint32_t extra_count, ts_session *s, ts_input *input)
{
  ts_define *define = TS_NEW_ARRAY(s->arena, ts_define, row->define_count + extra_count + 1);
  const char **dirs = TS_NEW_ARRAY(s->arena, const char *, 1);
  memcpy(define, row->define, row->define_count * sizeof *define);
  if (extra_count)
    memcpy(define + row->define_count, extra, extra_count * sizeof *define);
  /* the plans are ours: data may be links to anywhere */
  static const char *const anywhere[] = {"/"};
  dirs[0] = c->data;
  ts_compile_options o = {.stdlib_dir = ts_arena_printf(s->arena, "%s/stdlib", c->source),
                          .import_dirs = dirs,
                          .import_dir_count = 1,
                          .read_dirs = anywhere,
                          .read_dir_count = 1,
                          .defines = define,
                          .define_count = row->define_count + extra_count};
  return ts_input_open(
    s, ts_arena_printf(s->arena, "%s/tests/accuracy/plans/%s", c->source, set->plan), &o, input);
}

acc_run acc_run_of(const ts_ir *ir, const ts_interval *memory)
{
  acc_run k = {.bits = ir->meta->run_bits,
               .experts = ir->meta->run_flags & TS_IR_RUN_EXPERTS,
               .nodes = ir->meta->run_flags & TS_IR_RUN_NODES,
               .parameters = ir->meta->parameters,
               .memory_below = memory->on ? log(memory->figure / memory->low) : NAN,
               .memory_above = memory->on ? log(memory->high / memory->figure) : NAN};
  snprintf(k.framework, sizeof k.framework, "%s", ir->strings + ir->meta->framework);
  snprintf(k.gpu, sizeof k.gpu, "%s", ts_ir_gpu_of(ir));
  return k;
}

static void take_intervals(ts_arena *arena, const ts_ir *ir, const ts_run *run, acc_row *row)
{
  ts_confidence sure = ts_confidence_new(arena, ir, ts_run_result(run), 1, 0);
  row->spread = sure.spread;
  row->run = acc_run_of(ir, &sure.memory);
  row->low = sure.step.on ? row->predicted * sure.step.low / sure.step.figure : 0;
  row->high = sure.step.on ? row->predicted * sure.step.high / sure.step.figure : 0;
  row->memory_low = sure.memory.on ? row->predicted_memory * sure.memory.low : 0;
  row->memory_high = sure.memory.on ? row->predicted_memory * sure.memory.high : 0;
}

/* Whether the measured memory may be that of a rank of this class. */
static bool counts(const acc_row *row, const ts_run *run, uint32_t class)
{
  return row->any_rank || ts_run_result(run)->class_of[0] == class;
}

/* With one thing more: whether all devices have room for what they hold. */
static void predict_once(const acc_context *c, const acc_set *set, acc_row *row,
                         const ts_define *extra, uint32_t extra_count, bool *fits)
{
  ts_arena *arena = ts_arena_new("row");
  ts_session *s = ts_session_new(arena);
  ts_input input;
  row->done = false;
  if (!acc_open(c, set, row, extra, extra_count, s, &input)) {
    row->why = first_error(c->arena, s);
  } else {
    ts_stop stop = {.arena = arena};
    ts_run *run = ts_run_new(&input.ir, &(ts_run_options){0}, &stop);
    if (!run) {
      row->why = ts_arena_printf(c->arena, "%s", stop.title);
    } else {
      const ts_memory *memory = ts_memory_new(arena, &input.ir, run);
      row->done = true;
      row->predicted = acc_seconds(row, run);
      row->predicted_memory = row->reserved_memory = 0;
      *fits = !memory->class_count || !far_over(&memory->classes[memory->fullest]);
      for (uint32_t k = 0; k < memory->class_count; k++)
        if (counts(row, run, k))
          row->predicted_memory = fmax(row->predicted_memory, (double)memory->classes[k].peak);
      if (isfinite(row->memory)) {
        const ts_reserved *reserved =
          ts_reserved_new(arena, &input.ir, run, memory,
                          &(ts_allocator_options){.streams = row->pools});
        for (uint32_t k = 0; k < memory->class_count; k++)
          if (counts(row, run, k))
            row->reserved_memory = fmax(row->reserved_memory, (double)reserved[k].reserved);
      }
      double tokens = (double)(input.ir.meta->tokens_per_step ? input.ir.meta->tokens_per_step :
                                                                input.ir.meta->samples_per_step);
      row->flops = input.ir.meta->model_flops_per_step / input.ir.meta->world;
      take_intervals(arena, &input.ir, run, row);
      row->work = 6 * (double)input.ir.meta->parameters * tokens / input.ir.meta->world;
      ts_run_free(run);
    }
    ts_input_close(&input);
  }
  ts_arena_free(arena);
}

/* The time of a row of which a rate alone is stated. */
static void time_from_rate(acc_row *row)
{
  if (row->done && row->rate > 0 && row->flops > 0)
    row->measured = row->flops / row->rate;
}

void acc_predict(const acc_context *c, const acc_set *set, acc_row *row, const ts_define *extra,
                 uint32_t extra_count)
{
  ts_define define[24];
  uint32_t n = 0;
  bool fits = true;
  for (; n < extra_count && n < 23; n++)
    define[n] = extra[n];
  predict_once(c, set, row, define, n, &fits);
  for (const char *const *next = row->ladder; next && *next && !fits && row->done; next++) {
    define[n] = (ts_define){"recompute", *next};
    predict_once(c, set, row, define, n + 1, &fits);
  }
  time_from_rate(row);
}

/* What a process hands back of a row. `taken`: by which process. */
typedef struct answer {
  pid_t taken;
  bool ended, done;
  double predicted, predicted_memory, reserved_memory, work, flops;
  double low, high, memory_low, memory_high, spread;
  acc_run run;
  char why[1000];
} answer;

/* Rows are taken one after the other by whoever is free. */
typedef struct shared_answers {
  atomic_size_t next;
  answer at[];
} shared_answers;

static void hand_back(const acc_row *r, answer *a)
{
  a->done = r->done;
  a->predicted = r->predicted;
  a->predicted_memory = r->predicted_memory;
  a->reserved_memory = r->reserved_memory;
  a->work = r->work;
  a->flops = r->flops;
  a->low = r->low;
  a->high = r->high;
  a->memory_low = r->memory_low;
  a->memory_high = r->memory_high;
  a->spread = r->spread;
  a->run = r->run;
  if (r->why)
    snprintf(a->why, sizeof a->why, "%s", r->why);
  a->ended = true;
}

static void take_back(ts_arena *arena, const answer *a, acc_row *r)
{
  r->done = a->done;
  r->predicted = a->predicted;
  r->predicted_memory = a->predicted_memory;
  r->reserved_memory = a->reserved_memory;
  r->work = a->work;
  r->flops = a->flops;
  r->low = a->low;
  r->high = a->high;
  r->memory_low = a->memory_low;
  r->memory_high = a->memory_high;
  r->spread = a->spread;
  r->run = a->run;
  r->why = *a->why ? ts_arena_printf(arena, "%s", a->why) : NULL;
  time_from_rate(r);
}

/* A row that takes this long would hold up all others. */
enum { SECONDS_A_ROW = 300 };

/* In a process of its own, so that a row that ends it costs that row alone. */
static pid_t predict_some(const acc_context *c, const acc_set *set, acc_rows *rows,
                          shared_answers *shared)
{
  fflush(stdout);
  pid_t child = fork();
  if (child < 0)
    abort();
  if (child > 0)
    return child;
  for (size_t i; (i = atomic_fetch_add(&shared->next, 1)) < rows->count;) {
    if (rows->at[i].missing)
      continue;
    shared->at[i].taken = getpid();
    alarm(SECONDS_A_ROW);
    acc_predict(c, set, &rows->at[i], NULL, 0);
    alarm(0);
    hand_back(&rows->at[i], &shared->at[i]);
  }
  _exit(0);
}

static void blame(const acc_rows *rows, shared_answers *shared, pid_t child, int status)
{
  for (size_t i = 0; i < rows->count; i++) {
    answer *a = &shared->at[i];
    if (a->taken == child && !a->ended && WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
      snprintf(a->why, sizeof a->why, "it takes more than %d s", SECONDS_A_ROW);
    else if (a->taken == child && !a->ended)
      snprintf(a->why, sizeof a->why, "its process ended (status %d)", status);
  }
}

void acc_predict_all(const acc_context *c, const acc_set *set, acc_rows *rows)
{
  size_t size = sizeof(shared_answers) + (rows->count + 1) * sizeof(answer);
  FILE *file = tmpfile();
  if (!file || ftruncate(fileno(file), (off_t)size))
    abort();
  shared_answers *shared =
    mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fileno(file), 0);
  long processors = sysconf(_SC_NPROCESSORS_ONLN), running = 0;
  if (shared == MAP_FAILED)
    abort();
  while (running < (processors > 1 ? processors : 1) && (size_t)running < rows->count) {
    predict_some(c, set, rows, shared);
    running++;
  }
  while (running > 0) {
    int status = 0;
    pid_t child = wait(&status);
    if (child < 0)
      break;
    bool failed = !WIFEXITED(status) || WEXITSTATUS(status) != 0;
    running--;
    if (failed)
      blame(rows, shared, child, status);
    if (failed && atomic_load(&shared->next) < rows->count) {
      predict_some(c, set, rows, shared);
      running++;
    }
  }
  for (size_t i = 0; i < rows->count; i++)
    take_back(c->arena, &shared->at[i], &rows->at[i]);
  munmap(shared, size);
  fclose(file);
}
