/* Plays the schedules of the standard library in the schedule laboratory and compares them with
 * what reference schedulers produced.
 *   goldens [--verbose] --data DIR --source DIR [FILE...]
 * A line for each file; exit code 1 when one falls short. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/compile.h"
#include "compiler/schedule/schedule.h"
#include "runtime/account/memory.h"
#include "tests/accuracy/csv.h"

enum { UNIT = 1000000, MAX_ACTIONS = 1 << 16 }; /* ps of a unit of time: 1 us */

typedef struct options { const char *data, *source; bool verbose; } options;

typedef struct played { /* one case, as it came out */
  bool good;
  const char *error;
  uint64_t makespan;
  uint32_t ranks;
  const char **actions, **starts; /* [rank], as in the file */
  double *peak;                   /* [rank], in activations */
} played;

typedef struct score {
  uint32_t cases, order, starts, makespan, held, half;
  double worst;
  const char *worst_case, *first_error;
} score;

/* ---- Playing ---- */

typedef struct clock { uint64_t *start; bool *begun; uint32_t items; } clock_;

static void take_event(void *closure, const ts_span_event *e)
{
  clock_ *c = closure;
  if (e->node->op != TS_IR_COMPUTE || e->item >= c->items || c->begun[e->item])
    return;
  c->begun[e->item] = true;
  c->start[e->item] = e->start;
}

static const char *letter(const ts_placed *p)
{
  static const char *const names[] = {"F", "BW", "B", "W", "S"};
  return names[p->kind];
}

static const char *action(ts_arena *arena, const ts_placed *p, bool chunks)
{
  return chunks ? ts_arena_printf(arena, "%s%u.%u", letter(p), p->micro_batch, p->chunk) :
                  ts_arena_printf(arena, "%s%u", letter(p), p->micro_batch);
}

static void describe_rank(ts_arena *arena, const ts_ir *ir, const ts_schedule *sc,
                          const ts_run *run, uint32_t rank, played *out)
{
  const ts_ir_program *program = &ir->programs[rank];
  clock_ c = {TS_NEW_ARRAY(arena, uint64_t, ir->items_count + 1),
              TS_NEW_ARRAY(arena, bool, ir->items_count + 1), ir->items_count};
  ts_run_timeline(run, rank, take_event, &c);
  size_t room = 32 * ((size_t)program->item_count + 1);
  char *actions = ts_arena_alloc(arena, room), *starts = ts_arena_alloc(arena, room), *a = actions,
       *s = starts;
  *a = *s = 0;
  uint32_t item = program->first_item;
  for (uint32_t i = sc->order[rank].first; sc->items.at[i].kind != TS_STEP; i++, item++) {
    const ts_placed *p = &sc->items.at[i];
    const char *space = i > sc->order[rank].first ? " " : "";
    a += sprintf(a, "%s%s", space, action(arena, p, sc->chunks > 1));
    if (p->paired)
      a += sprintf(a, "&%s", action(arena, &sc->items.at[++i], sc->chunks > 1));
    if (c.start[item] % UNIT)
      s += sprintf(s, "%s%g", space, (double)c.start[item] / UNIT);
    else
      s += sprintf(s, "%s%llu", space, (unsigned long long)(c.start[item] / UNIT));
  }
  out->actions[rank] = actions;
  out->starts[rank] = starts;
}

static const char *errors(ts_arena *arena, const ts_session *s)
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

static played play(ts_arena *keep, const options *o, const char *schedule, bool skew, bool half)
{
  ts_arena *arena = ts_arena_new("case");
  ts_session *s = ts_session_new(arena);
  played out = {0};
  ts_define define[] = {{"schedule", schedule},
                        {"f", skew ? "10 us" : "1 us"},
                        {"i", skew ? "11 us" : "1 us"},
                        {"w", skew ? "9 us" : "1 us"},
                        {"message", skew ? "1 us" : "0 us"},
                        {"activation", "1 GiB"},
                        {"freed_by_i", half ? "512 MiB" : "0 B"}};
  ts_compile_options co = {.stdlib_dir = ts_arena_printf(arena, "%s/stdlib", o->source),
                           .defines = define,
                           .define_count = sizeof define / sizeof define[0]};
  ts_input input;
  ts_stop stop = {.arena = arena};
  ts_run *run = NULL;
  if (!ts_input_open(s, ts_arena_printf(arena, "%s/examples/schedule_lab.ts", o->source), &co,
                     &input)) {
    out.error = errors(keep, s);
  } else {
    if (!(run = ts_run_new(&input.ir, &(ts_run_options){0}, &stop)))
      out.error = ts_arena_printf(keep, "%s", stop.title);
  }
  if (run) {
    const ts_memory *memory = ts_memory_new(arena, &input.ir, run);
    const ts_result *result = ts_run_result(run);
    out = (played){.good = true, .makespan = result->step, .ranks = input.ir.programs_count};
    out.actions = TS_NEW_ARRAY(keep, const char *, out.ranks);
    out.starts = TS_NEW_ARRAY(keep, const char *, out.ranks);
    out.peak = TS_NEW_ARRAY(keep, double, out.ranks);
    for (uint32_t r = 0; r < out.ranks; r++) {
      describe_rank(keep, &input.ir, input.schedule, run, r, &out);
      out.peak[r] =
        floor((double)memory->classes[result->class_of[r]].peak / (512.0 * 1024 * 1024)) / 2;
    }
    ts_run_free(run);
  }
  if (!out.error || input.builder)
    ts_input_close(&input);
  ts_arena_free(arena);
  return out;
}

/* ---- Comparing ---- */

static const char *fill(ts_arena *arena, const char *pattern, const csv *t, size_t row)
{
  const char *text = "";
  for (const char *at = pattern; *at; at++) {
    const char name[2] = {at[0] == '{' ? at[1] : 0, 0};
    if (*name && at[2] == '}') {
      text = ts_arena_printf(arena, "%s%s", text, csv_cell(t, row, name));
      at += 2;
    } else {
      text = ts_arena_printf(arena, "%s%c", text, *at);
    }
  }
  return text;
}

static void compare(ts_arena *arena, const options *o, const csv *t, size_t row, size_t rows,
                    const char *pattern, bool exact, score *sum)
{
  const char *schedule = fill(arena, pattern, t, row);
  bool skew = csv_is(t, row, "costs", "skew");
  played one = play(arena, o, schedule, skew, false), other = play(arena, o, schedule, skew, true);
  const char *name = ts_arena_printf(arena, "%s, %s", schedule, skew ? "skew" : "unit");
  sum->cases++;
  if (!one.good || !other.good || one.ranks != rows) {
    if (!sum->first_error)
      sum->first_error = ts_arena_printf(arena, "%s\n%s", name,
                                         one.error   ? one.error :
                                         other.error ? other.error :
                                                       "other number of ranks");
    return;
  }
  bool order = true, starts = true, held = true, half = true;
  double makespan = 0, reference_held = 0, reference_half = 0, got_held = 0, got_half = 0;
  for (size_t k = 0; k < rows; k++) {
    size_t r = (size_t)csv_number(t, row + k, "rank");
    order = order && !strcmp(one.actions[r], csv_cell(t, row + k, "actions"));
    starts = starts && !strcmp(one.starts[r], csv_cell(t, row + k, "starts"));
    held = held && one.peak[r] == csv_number(t, row + k, "peak_held");
    half = half && other.peak[r] == csv_number(t, row + k, "peak_half");
    got_held = fmax(got_held, one.peak[r]);
    got_half = fmax(got_half, other.peak[r]);
    reference_held = fmax(reference_held, csv_number(t, row + k, "peak_held"));
    reference_half = fmax(reference_half, csv_number(t, row + k, "peak_half"));
    makespan = csv_number(t, row + k, "makespan");
    if (o->verbose && exact && order && !starts)
      printf("  rank %zu\n  expected %s\n  got      %s\n", r, csv_cell(t, row + k, "starts"),
             one.starts[r]);
  }
  double got = (double)(skew ? other.makespan : one.makespan) / UNIT, ratio = got / makespan;
  sum->order += order;
  sum->starts += starts;
  sum->makespan += got <= makespan;
  /* a reference that goes by costs was given one of the two rules */
  sum->held += exact ? held : skew || got_held <= reference_held;
  sum->half += exact ? half : !skew || got_half <= reference_half;
  if (ratio > sum->worst) {
    sum->worst = ratio;
    sum->worst_case = name;
  }
  if (o->verbose)
    printf("  %-52s makespan %8g of %8g  %+6.2f %%  held %g of %g, half %g of %g%s\n", name, got,
           makespan, 100 * (ratio - 1), got_held, reference_held, got_half, reference_half,
           order ? "" : "  other order");
}

static bool run_file(const options *o, const char *file, bool exact, const char *pattern)
{
  ts_arena *arena = ts_arena_new("goldens");
  csv *t = csv_read(arena, ts_arena_printf(arena, "%s/%s", o->data, file));
  score sum = {0};
  if (!t) {
    printf("%-22s skipped, not in %s\n", file, o->data);
    ts_arena_free(arena);
    return true;
  }
  for (size_t row = 0; row < t->rows;) {
    size_t rows = (size_t)csv_number(t, row, "p");
    compare(arena, o, t, row, rows, pattern, exact, &sum);
    row += rows;
  }
  uint32_t n = sum.cases;
  bool good = exact ? sum.order == n && sum.starts == n && sum.makespan == n && sum.held == n &&
                        sum.half == n :
                      sum.makespan == n && sum.held == n && sum.half == n;
  printf("%-22s %s %3u cases: order %u, starts %u, makespan %u (worst %+.2f %%%s%s), peak %u, peak "
         "by halves %u\n",
         file, good ? "ok  " : "FAIL", n, sum.order, sum.starts, sum.makespan,
         100 * (sum.worst - 1), sum.worst > 1 ? " at " : "", sum.worst > 1 ? sum.worst_case : "",
         sum.held, sum.half);
  if (sum.first_error)
    printf("%s\n", sum.first_error);
  fflush(stdout);
  ts_arena_free(arena);
  return good;
}

/* ---- The command line ---- */

static bool wanted(int argc, char **argv, int first, const char *file)
{
  for (int i = first; i < argc; i++)
    if (!strncmp(argv[i], file, strlen(argv[i])))
      return true;
  return first >= argc;
}

int main(int argc, char **argv)
{
  options o = {"../shared/data/schedules", ".", false};
  int first = 1;
  for (; first < argc && !strncmp(argv[first], "--", 2); first++) {
    if (!strcmp(argv[first], "--verbose"))
      o.verbose = true;
    else if (first + 1 < argc && !strcmp(argv[first], "--data"))
      o.data = argv[++first];
    else if (first + 1 < argc && !strcmp(argv[first], "--source"))
      o.source = argv[++first];
  }
  char line[512], file[128], kind[16], path[4096];
  snprintf(path, sizeof path, "%s/tests/schedules/cases.txt", o.source);
  FILE *cases = fopen(path, "r");
  bool good = true;
  if (!cases) {
    fprintf(stderr, "goldens: cannot read %s\n", path);
    return 2;
  }
  while (fgets(line, sizeof line, cases)) {
    int at = 0;
    line[strcspn(line, "\n")] = 0;
    if (*line == '#' || sscanf(line, "%127s %15s %n", file, kind, &at) < 2)
      continue;
    if (wanted(argc, argv, first, file))
      good = run_file(&o, file, !strcmp(kind, "exact"), line + at) && good;
  }
  fclose(cases);
  return !good;
}
