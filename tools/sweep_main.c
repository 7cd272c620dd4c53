/* trainspec sweep: plays all plans of a search and says which are best. */
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#include "base/clock.h"
#include "base/diag_record.h"
#include "base/escape.h"
#include "base/format.h"
#include "base/heap.h"
#include "base/options.h"
#include "compiler/search.h"
#include "runtime/account/memory.h"
#include "runtime/report/confidence.h"
#include "runtime/report/plausible.h"
#include "runtime/report/report.h"
#include "tools/cli/interrupt.h"
#include "tools/cli/plan_options.h"
#include "tools/cli/programs.h"
#include "tools/cli/progress.h"
#include "tools/cli/play_warnings.h"

enum { SEARCH = 1, VARY, SET, REQUIRE, MINIMIZE, MAXIMIZE, TOP, FORMAT, OUTPUT, DRY_RUN, JOBS };
enum { PROGRESS_AFTER = 1 /* s */ };

static const ts_option options[] = {
  {SEARCH, 0, "search", "NAME", "the search to use, where the file has several", "Search"},
  {VARY, 0, "vary", "NAME=LIST", "values of a parameter, instead of a search in the file", NULL},
  {SET, 0, "set", "NAME=EXPR", "a parameter computed from those", NULL},
  {REQUIRE, 0, "require", "EXPR", "leave out plans that do not satisfy this", NULL},
  {MINIMIZE, 0, "minimize", "EXPR", "the goal, instead of that in the file (step_time)", NULL},
  {MAXIMIZE, 0, "maximize", "EXPR", "likewise", NULL},
  {TOP, 0, "top", "N", "show the best N plans; 0 shows all (10)", "Report"},
  {FORMAT, 0, "format", "FORM", "text, csv or json; csv and json list all plans (text)", NULL},
  {OUTPUT, 'o', "output", "FILE", "write to FILE instead of standard output", NULL},
  {DRY_RUN, 0, "dry-run", NULL, "only report how many plans there are and how long they may take",
   NULL},
  {JOBS, 'j', "jobs", "N", "plans played at the same time (the number of processors)", NULL},
  PLAN_OPTIONS,
  {0},
};
static const char *const usage[] = {"[OPTION]... FILE", NULL};
static const char *const notes[] = {
  "Conditions and goals may use step_time, peak_memory, tokens_per_second, mfu, hfu",
  "and devices. Plans that do not fit in memory are left out.",
  "",
  "Examples:",
  "$ plan.ts",
  "$ --vary 'tp=[1, 2, 4, 8]' --set 'dp=64 / tp' plan.ts",
  "$ --format=csv -o all.csv plan.ts",
  "",
  "Exit codes: 0 done, 1 input rejected, 2 wrong usage, 3 no plan is possible,",
  "4 files or system, 70 a bug of ours.",
  NULL,
};
static const ts_program program = TS_COMMAND("plays a family of plans and ranks them.");

/* by the compiler, by the play, by memory, by a condition, none */
typedef enum state { REFUSED, STOPPED, TOO_LARGE, LEFT_OUT, RANKED } state;
typedef enum form { TEXT, CSV, JSON } form;

typedef struct outcome {
  state state;
  ts_figures figures;
  double limit;        /* memory of the fullest device, bytes; 0: not known */
  ts_confidence *sure; /* NULL: not played */
  bool equal;          /* its step time may be that of the best */
  double worth;
  size_t point;
  char *why;           /* REFUSED, STOPPED: to be freed */
  /* what tsrun would report of it: warnings, and of the first plan also why it was refused; NULL:
   * nothing */
  const ts_diags *reported;
  /* REFUSED for no fault of the plan's: a file that was there could not be read */
  bool unread;
} outcome;

typedef struct task {
  ts_options options;
  ts_arena *arena;
  ts_session *session;
  ts_plan_options plan;
  const char *path, *output, *search_name, *items;
  bool dry_run, varies; /* varies: by options, so the file's searches do not matter */
  form form;
  long long top, jobs;
  ts_search *search;
  outcome *outcomes;   /* [points] */
  atomic_size_t next, done;
  pthread_mutex_t keeping; /* of what follows, and of the arena while plans are played */
  ts_sources *kept;        /* texts that messages of plans speak of */
  size_t end;          /* of the points to play */
} task;

/* ---- Options ---- */

/* An option as the line of a search that it stands for. */
static bool add_item(task *t, int id)
{
  const char *argument = t->options.argument, *equals = strchr(argument, '='), *line = NULL;
  const char *before = t->items ? t->items : "";
  if ((id == VARY || id == SET) && (!equals || equals == argument)) {
    t->options.status =
      ts_options_wrong(&t->options, "`%s` takes NAME=%s, not `%s`", t->options.spelled,
                       id == VARY ? "LIST" : "EXPR", argument);
    return false;
  }
  switch (id) {
  case VARY:
    line =
      ts_arena_printf(t->arena, "vary %.*s in %s", (int)(equals - argument), argument, equals + 1);
    break;
  case SET: line = ts_arena_printf(t->arena, "set %s", argument); break;
  case REQUIRE:
    line = ts_arena_printf(t->arena, "require %s, \"%s\"", argument,
                           strpbrk(argument, "\"\\") ? "--require" : argument);
    break;
  case MINIMIZE: line = ts_arena_printf(t->arena, "minimize %s", argument); break;
  case MAXIMIZE: line = ts_arena_printf(t->arena, "maximize %s", argument); break;
  }
  t->items = ts_arena_printf(t->arena, "%s%s\n", before, line);
  t->varies |= id == VARY || id == SET;
  return true;
}

static bool take(task *t, int id)
{
  static const char *const forms[] = {"text", "csv", "json", NULL};
  const char *argument = t->options.argument;
  bool good = true;
  switch (id) {
  case TS_OPERAND:
    if (t->path)
      t->options.status = ts_options_wrong(&t->options, "one FILE at a time");
    t->path = argument;
    return !t->options.status;
  case SEARCH: t->search_name = argument; break;
  case VARY: case SET: case REQUIRE: case MINIMIZE: case MAXIMIZE: return add_item(t, id);
  case TOP: good = ts_options_number(&t->options, 0, ts_limits_usual.plans, &t->top); break;
  case JOBS: good = ts_options_number(&t->options, 1, TS_MOST_JOBS, &t->jobs); break;
  case FORMAT: {
    int form = ts_options_choice(&t->options, forms);
    good = form >= 0;
    t->form = good ? (enum form)form : TEXT;
    break;
  }
  case OUTPUT: t->output = argument; break;
  case DRY_RUN: t->dry_run = true; break;
  default:
    t->options.status = ts_plan_option(&t->plan, t->arena, &t->options, id);
    return !t->options.status;
  }
  if (!good)
    t->options.status = TS_EXIT_USAGE;
  return good;
}

static bool read_options(task *t, int argc, char **argv)
{
  t->options = ts_options_start(&program, argc, argv);
  for (int id; (id = ts_options_next(&t->options)) != TS_OPTIONS_END;)
    if (id == TS_OPTIONS_EXIT || !take(t, id))
      return false;
  const char *wrong = !t->path ?
                        "no FILE given" :
                      strcmp(t->path, "-") == 0 ?
                        "a sweep reads its plan repeatedly: give a file" :
                      t->varies && t->search_name ?
                        "`--search` names one of the file; `--vary` and `--set` make another" :
                        NULL;
  if (wrong)
    t->options.status = ts_options_wrong(&t->options, "%s", wrong);
  return !wrong;
}

/* ---- Playing ---- */

/* What distinguishes a plan of the family: "tp=8 pp=4". */
static const char *point_text(const task *t, size_t point, ts_arena *arena)
{
  const char *text = "";
  for (uint32_t c = 0; c < t->search->column_count; c++)
    text = ts_arena_printf(arena, "%s%s%s=%s", text, c ? " " : "", t->search->columns[c],
                           t->search->points[point].texts[c]);
  return text;
}

static void measure(task *t, ts_session *session, const ts_input *input, const ts_run *run,
                    const ts_run_options *how, outcome *out)
{
  const ts_ir *ir = &input->ir;
  const ts_memory *memory = ts_memory_new(session->arena, ir, run);
  ts_summary *s =
    ts_arena_copy(session->arena, ts_summary_new(session->arena, ir, run, memory, NULL), sizeof *s);
  ts_plausible(s, how);
  ts_report_play_warnings(session, &s->warnings, ir, input->kind == TS_INPUT_PLAN,
                          ts_session_source_reader(session));
  const ts_memory_class *fullest = &memory->classes[memory->fullest];
  out->figures = (ts_figures){{[TS_SEARCH_STEP] = s->seconds,
                               [TS_SEARCH_MEMORY] = 8 * (double)(fullest->peak + fullest->reserved),
                               [TS_SEARCH_TOKENS] = s->tokens_per_second,
                               [TS_SEARCH_MFU] = s->mfu,
                               [TS_SEARCH_HFU] = s->hfu,
                               [TS_SEARCH_DEVICES] = ir->meta->world}};
  out->limit = (double)fullest->limit;
  pthread_mutex_lock(&t->keeping);
  out->sure = TS_NEW(t->arena, ts_confidence);
  *out->sure = ts_confidence_copy(t->arena, &s->confidence);
  pthread_mutex_unlock(&t->keeping);
  out->state = fullest->over ? TOO_LARGE : RANKED;
}

/* What a plan's session has to say outlives it. */
static void keep(task *t, const ts_diags *diags, outcome *out)
{
  if (!ts_diags_warnings(diags) && !(out->state == REFUSED && !out->point))
    return;
  pthread_mutex_lock(&t->keeping);
  ts_diags *reported = ts_diags_new(t->arena, t->kept);
  ts_diags_copy(reported, t->kept, diags);
  out->reported = reported;
  pthread_mutex_unlock(&t->keeping);
}

static void play(task *t, size_t point, outcome *out)
{
  ts_arena *arena = ts_arena_new("plan of a sweep");
  ts_session *session = ts_session_new(arena);
  ts_compile_options compile = t->plan.compile;
  compile.plan_name = t->search->plan;
  compile.defines = t->search->points[point].defines;
  compile.define_count = t->search->points[point].define_count;
  ts_input input = {0};
  *out = (outcome){.state = REFUSED, .point = point};
  if (ts_input_open(session, t->path, &compile, &input)) {
    ts_stop stop = {.arena = arena};
    ts_run_options how = {0};
    ts_run *run = ts_run_new(&input.ir, &how, &stop);
    if (run) {
      measure(t, session, &input, run, &how, out);
      ts_run_free(run);
    } else {
      out->state = STOPPED;
      out->why = ts_heap_text(stop.title);
    }
    ts_input_close(&input);
  } else {
    const char *why = ts_diags_first_error(session->diags);
    out->why = ts_heap_text(why ? why : "no reason was given");
    out->unread = ts_diags_exit(session->diags) == TS_EXIT_ENVIRONMENT;
  }
  keep(t, session->diags, out);
  ts_arena_free(arena);
}

/* No plan could be played, all for one reason, which is then reported in full. */
static bool refused_for_one_reason(const task *t)
{
  const outcome *all = t->outcomes;
  for (size_t i = 0; i < t->end; i++)
    if (all[i].state != REFUSED || strcmp(all[i].why, all[0].why) != 0)
      return false;
  return t->end > 0;
}

/* A ranking without a plan that nobody could read would be no answer. */
static bool some_unread(task *t)
{
  for (size_t i = 0; i < t->end; i++)
    if (t->outcomes[i].unread) {
      ts_diag_add(t->session->diags, TS_E0701, TS_NO_SPAN, "%s", t->outcomes[i].why);
      return true;
    }
  return false;
}

/* The first plan's messages are those of the sweep. */
static void report_refusal(task *t)
{
  t->session = ts_session_new(t->arena);
  ts_diags_copy(t->session->diags, t->session->sources, t->outcomes[0].reported);
}

/* Those of the best plan too, when there is one; each says first of which plan it is. */
static void report_best(task *t)
{
  const outcome *best = &t->outcomes[0];
  ts_diags *all = t->session->diags;
  if (best->state != RANKED || !best->reported)
    return;
  size_t first = all->all.count;
  ts_diags_copy(all, t->session->sources, best->reported);
  for (size_t i = first; i < all->all.count; i++) {
    ts_diag *d = all->all.at[i];
    ts_diag_fact(d, "plan", "%s", point_text(t, best->point, t->arena));
    ts_diag_child fact = d->children.at[d->children.count - 1];
    memmove(d->children.at + 1, d->children.at, (d->children.count - 1) * sizeof fact);
    d->children.at[0] = fact;
  }
}

static void *work(void *closure)
{
  task *t = closure;
  for (size_t point; (point = atomic_fetch_add(&t->next, 1)) < t->end;
       atomic_fetch_add(&t->done, 1))
    play(t, point, &t->outcomes[point]);
  return NULL;
}

/* On a terminal, how far it got. */
static void watch(task *t)
{
  double begin = ts_clock();
  const struct timespec pause = {.tv_nsec = 100000000};
  bool shown = false;
  for (size_t done; (done = atomic_load(&t->done)) < t->end; nanosleep(&pause, NULL)) {
    if (ts_clock() - begin < PROGRESS_AFTER)
      continue;
    fprintf(stderr, "\r%zu of %zu plans", done, t->end);
    fflush(stderr);
    shown = true;
  }
  if (shown)
    fputs("\r\033[K", stderr);
}

/* Plays all points up to t->end. */
static void play_all(task *t)
{
  pthread_t threads[TS_MOST_JOBS];
  long long started = 0;
  while (started < t->jobs && (size_t)started < t->end &&
         pthread_create(&threads[started], NULL, work, t) == 0)
    started++;
  if (!started)
    work(t);
  else if (ts_progress_terminal())
    watch(t);
  while (started > 0)
    pthread_join(threads[--started], NULL);
}

/* ---- Order ---- */

static int compare(const void *x, const void *y)
{
  const outcome *a = x, *b = y;
  if (a->state != b->state)
    return a->state > b->state ? -1 : 1;
  if (a->state == RANKED && a->worth != b->worth)
    return a->worth < b->worth ? -1 : 1;
  return a->point < b->point ? -1 : 1;
}

/* The best first; `worth` is turned so that less is better. False after an error. */
static bool rank(task *t)
{
  for (size_t i = 0; i < t->search->point_count; i++) {
    outcome *o = &t->outcomes[i];
    if (o->state != RANKED)
      continue;
    if (!ts_search_judge(t->search, i, &o->figures, &o->worth))
      o->state = LEFT_OUT;
    if (t->search->maximize)
      o->worth = -o->worth;
    if (ts_diags_errors(t->session->diags))
      return false;
  }
  qsort(t->outcomes, t->search->point_count, sizeof *t->outcomes, compare);
  return true;
}

static size_t count_of(const task *t, state state)
{
  size_t count = 0;
  for (size_t i = 0; i < t->search->point_count; i++)
    count += t->outcomes[i].state == state;
  return count;
}

/* Goals that better the shorter the step is, and are off as it is. */
static bool is_speed(const task *t)
{
  static const char *const goals[] = {"minimize step_time", "maximize tokens_per_second",
                                      "maximize mfu", "maximize hfu"};
  for (size_t i = 0; i < sizeof goals / sizeof *goals; i++)
    if (!strcmp(t->search->goal, goals[i]))
      return true;
  return false;
}

/* Plans that are behind the best by no more than what is not known of the two: what their errors
 * have in common cancels. */
static void find_equals(task *t)
{
  const outcome *best = &t->outcomes[0];
  if (!is_speed(t) || best->state != RANKED || !best->sure)
    return;
  for (size_t i = 1; i < t->search->point_count; i++) {
    outcome *o = &t->outcomes[i];
    if (o->state != RANKED || !o->sure)
      continue;
    ts_interval ratio = ts_interval_of_ratio(o->sure, best->sure);
    double behind = o->worth / best->worth; /* of either sign: larger is worse */
    behind = best->worth < 0 ? 1 / behind : behind;
    o->equal = ratio.on && behind * ratio.low / ratio.figure <= 1;
  }
}

/* ---- Reports ---- */

static const char *const state_names[] = {"refused", "stopped", "out of memory", "left out", "ok"};

static const char *column(const task *t, const outcome *o, uint32_t c)
{
  return t->search->points[o->point].texts[c];
}

/* What is not known of the best, and which plans cannot be told from it. */
static void put_equals(const task *t, size_t ranked, FILE *out)
{
  enum { NAMED = 3 };
  const outcome *best = &t->outcomes[0];
  size_t equal = 0;
  if (!ranked || !best->sure || !best->sure->step.on)
    return;
  ts_text step = ts_format_time((uint64_t)(best->figures.of[TS_SEARCH_STEP] * 1e12 + 0.5));
  ts_put_text(out, "\nThe best takes %s (%s)", step.text,
              ts_interval_text(t->arena, &best->sure->step, step));
  for (size_t i = 1; i < ranked; i++)
    equal += t->outcomes[i].equal;
  if (!is_speed(t)) {
    fputs(".\n", out);
    return;
  }
  ts_put_text(out, "; %s of the others can be as good%s\n",
              equal ? ts_format_count(equal).text : "none", equal ? ":" : ".");
  for (size_t i = 1, named = 0; i < ranked && named < NAMED; i++)
    if (t->outcomes[i].equal) {
      ts_put_text(out, "  %s\n", point_text(t, t->outcomes[i].point, t->arena));
      named++;
    }
  if (equal > NAMED)
    ts_put_text(out, "  and %s more\n", ts_format_count(equal - NAMED).text);
}

static void put_text(const task *t, FILE *out)
{
  const ts_search *s = t->search;
  size_t ranked = count_of(t, RANKED),
         shown = t->top && (size_t)t->top < ranked ? (size_t)t->top : ranked;
  ts_put_text(out, "%s, search %s: %s plan%s, %s\n", s->plan, s->name,
              ts_format_count(s->point_count).text, s->point_count == 1 ? "" : "s", s->goal);
  int *widths = TS_NEW_ARRAY(t->arena, int, s->column_count + 1);
  for (uint32_t c = 0; c < s->column_count; c++) {
    widths[c] = (int)strlen(s->columns[c]);
    for (size_t i = 0; i < shown; i++)
      if ((int)strlen(column(t, &t->outcomes[i], c)) > widths[c])
        widths[c] = (int)strlen(column(t, &t->outcomes[i], c));
  }
  if (shown) {
    fputc('\n', out);
    for (uint32_t c = 0; c < s->column_count; c++)
      ts_put_text(out, "%*s  ", widths[c], s->columns[c]);
    fputs("   step time worse by    tokens/s     MFU        memory\n", out);
  }
  for (size_t i = 0; i < shown; i++) {
    const outcome *o = &t->outcomes[i];
    const double *f = o->figures.of;
    for (uint32_t c = 0; c < s->column_count; c++)
      ts_put_text(out, "%*s  ", widths[c], column(t, o, c));
    ts_put_text(out, "%12s %8s", ts_format_time((uint64_t)(f[TS_SEARCH_STEP] * 1e12 + 0.5)).text,
                i && t->outcomes[0].worth != 0 ?
                  ts_format_share(fabs(o->worth / t->outcomes[0].worth - 1)).text :
                  "");
    ts_put_text(out, "%12s %7s %13s\n",
                f[TS_SEARCH_TOKENS] > 0 ? ts_format_significant(f[TS_SEARCH_TOKENS]).text : "-",
                f[TS_SEARCH_MFU] > 0 ? ts_format_share(f[TS_SEARCH_MFU]).text : "-",
                ts_format_bytes(f[TS_SEARCH_MEMORY] / 8).text);
  }
  if (shown < ranked)
    ts_put_text(out, "... and %s more\n", ts_format_count(ranked - shown).text);
  put_equals(t, ranked, out);
}

static void put_point(const task *t, const outcome *o, FILE *out)
{
  ts_put_text(out, "%s\n", point_text(t, o->point, t->arena));
}

static int by_reason(const void *x, const void *y)
{
  const outcome *const *a = x, *const *b = y;
  int order = strcmp((*a)->why, (*b)->why);
  return order ? order : (*a)->point < (*b)->point ? -1 : 1;
}

/* Plans that the compiler or the play refused, by reason. */
static void put_refused(const task *t, FILE *out)
{
  TS_VEC(const outcome *) refused = {0};
  for (size_t i = 0; i < t->search->point_count; i++)
    if (t->outcomes[i].why)
      TS_PUSH(t->arena, &refused, &t->outcomes[i]);
  TS_SORT(&refused, by_reason);
  for (size_t i = 0, same; i < refused.count; i = same) {
    for (same = i + 1;
         same < refused.count && strcmp(refused.at[same]->why, refused.at[i]->why) == 0; same++)
      ;
    ts_put_text(out, "  %s refused: %s; %s", ts_format_count(same - i).text, refused.at[i]->why,
                same - i > 1 ? "the first is " : "");
    put_point(t, refused.at[i], out);
  }
}

static void put_left_out(const task *t, FILE *out)
{
  const ts_search *s = t->search;
  const outcome *closest = NULL;
  size_t large = count_of(t, TOO_LARGE);
  uint64_t conditions = 0;
  for (uint32_t i = 0; i < s->reason_count; i++)
    conditions += s->reasons[i].count;
  if (!large && !conditions && !count_of(t, REFUSED) && !count_of(t, STOPPED))
    return;
  fputs("\nLeft out\n", out);
  for (uint32_t i = 0; i < s->reason_count; i++)
    if (s->reasons[i].count)
      ts_put_text(out, "  %s not: %s\n", ts_format_count(s->reasons[i].count).text,
                  s->reasons[i].text);
  for (size_t i = 0; i < s->point_count; i++) {
    const outcome *o = &t->outcomes[i];
    if (o->state == TOO_LARGE &&
        (!closest || o->figures.of[TS_SEARCH_MEMORY] < closest->figures.of[TS_SEARCH_MEMORY]))
      closest = o;
  }
  if (closest) {
    ts_put_text(out, "  %s do%s not fit in memory; the least needs %s of %s, ",
                ts_format_count(large).text, large == 1 ? "es" : "",
                ts_format_bytes(closest->figures.of[TS_SEARCH_MEMORY] / 8).text,
                ts_format_bytes(closest->limit).text);
    put_point(t, closest, out);
  }
  put_refused(t, out);
}

static bool is_warning(const ts_diag *d) { return d->severity == TS_WARNING && !d->off; }

/* How many of the plans that are ranked have a warning of this code. */
static size_t ranked_with(const task *t, ts_code code)
{
  size_t plans = 0;
  for (size_t i = 0; i < t->search->point_count; i++) {
    const ts_diags *reported = t->outcomes[i].state == RANKED ? t->outcomes[i].reported : NULL;
    bool has = false;
    for (size_t k = 0; reported && k < reported->all.count; k++)
      has |= is_warning(reported->all.at[k]) && reported->all.at[k]->code == code;
    plans += has;
  }
  return plans;
}

static void put_warnings(const task *t, FILE *out)
{
  bool any = false;
  size_t ranked = count_of(t, RANKED);
  for (unsigned c = 0; c < TS_CODE_COUNT && ranked; c++) {
    size_t plans = *ts_code_name((ts_code)c) == 'W' ? ranked_with(t, (ts_code)c) : 0;
    if (!plans)
      continue;
    if (!any)
      fputs("\nWarnings\n", out);
    any = true;
    ts_put_text(out, "  %s of %s plan%s: %s %s\n", ts_format_count(plans).text,
                ts_format_count(ranked).text, ranked == 1 ? "" : "s", ts_code_name((ts_code)c),
                ts_code_title((ts_code)c));
  }
}

/* "W0804 W0807", each once. */
static const char *codes_of(const task *t, const outcome *o)
{
  const char *all = "";
  for (size_t i = 0; o->reported && i < o->reported->all.count; i++) {
    const char *code = ts_code_name(o->reported->all.at[i]->code);
    if (is_warning(o->reported->all.at[i]) && !strstr(all, code))
      all = ts_arena_printf(t->arena, "%s%s%s", all, *all ? " " : "", code);
  }
  return all;
}

static cJSON *warnings_json(const outcome *o)
{
  cJSON *all = cJSON_CreateArray();
  for (size_t i = 0; o->reported && i < o->reported->all.count; i++) {
    const ts_diag *d = o->reported->all.at[i];
    if (!is_warning(d))
      continue;
    cJSON *one = cJSON_CreateObject();
    cJSON_AddItemToArray(all, one);
    cJSON_AddStringToObject(one, "code", ts_code_name(d->code));
    cJSON_AddStringToObject(one, "name", ts_code_short_name(d->code));
    cJSON_AddStringToObject(one, "message", d->message);
  }
  return all;
}

static bool has_interval(const outcome *o) { return o->sure && o->sure->step.on; }
static bool equals_best(const task *t, const outcome *o)
{
  return o->equal || (o == t->outcomes && o->state == RANKED);
}

static void put_csv(const task *t, FILE *out)
{
  const ts_search *s = t->search;
  for (uint32_t c = 0; c < s->column_count; c++)
    ts_put_csv(out, "%s,", s->columns[c]);
  fputs("state,step_time_ps,peak_memory_bytes,tokens_per_second,mfu,hfu,devices,why,warnings,"
        "step_low_ps,step_high_ps,equal_to_best\n",
        out);
  for (size_t i = 0; i < s->point_count; i++) {
    const outcome *o = &t->outcomes[i];
    for (uint32_t c = 0; c < s->column_count; c++) {
      ts_put_csv(out, "%s", column(t, o, c));
      fputc(',', out);
    }
    const double *f = o->figures.of;
    if (o->why)
      ts_put_csv(out, "%s,,,,,,,", state_names[o->state]);
    else
      ts_put_csv(out, "%s,%.0f,%.0f,%.17g,%.17g,%.17g,%.0f,", state_names[o->state],
                 f[TS_SEARCH_STEP] * 1e12, f[TS_SEARCH_MEMORY] / 8, f[TS_SEARCH_TOKENS],
                 f[TS_SEARCH_MFU], f[TS_SEARCH_HFU], f[TS_SEARCH_DEVICES]);
    ts_put_csv(out, "%s,%s", o->why ? o->why : "", codes_of(t, o));
    if (has_interval(o))
      ts_put_csv(out, ",%.0f,%.0f,%d\n", o->sure->step.low * 1e12, o->sure->step.high * 1e12,
                 equals_best(t, o));
    else
      fputs(",,,\n", out);
  }
}

static void put_json(const task *t, FILE *out)
{
  const ts_search *s = t->search;
  cJSON *root = cJSON_CreateObject(), *plans = cJSON_CreateArray();
  cJSON_AddStringToObject(root, "plan", s->plan);
  cJSON_AddStringToObject(root, "search", s->name);
  cJSON_AddStringToObject(root, "goal", s->goal);
  cJSON_AddItemToObject(root, "plans", plans);
  for (size_t i = 0; i < s->point_count; i++) {
    const outcome *o = &t->outcomes[i];
    cJSON *plan = cJSON_CreateObject(), *parameters = cJSON_AddObjectToObject(plan, "parameters");
    for (uint32_t c = 0; c < s->column_count; c++)
      cJSON_AddStringToObject(parameters, s->columns[c], column(t, o, c));
    cJSON_AddStringToObject(plan, "state", state_names[o->state]);
    if (o->why) {
      cJSON_AddStringToObject(plan, "why", o->why);
    } else {
      cJSON_AddNumberToObject(plan, "step_time_ps", o->figures.of[TS_SEARCH_STEP] * 1e12);
      cJSON_AddNumberToObject(plan, "peak_memory_bytes", o->figures.of[TS_SEARCH_MEMORY] / 8);
      cJSON_AddNumberToObject(plan, "tokens_per_second", o->figures.of[TS_SEARCH_TOKENS]);
      cJSON_AddNumberToObject(plan, "mfu", o->figures.of[TS_SEARCH_MFU]);
      cJSON_AddNumberToObject(plan, "hfu", o->figures.of[TS_SEARCH_HFU]);
      cJSON_AddNumberToObject(plan, "devices", o->figures.of[TS_SEARCH_DEVICES]);
      if (has_interval(o)) {
        cJSON_AddNumberToObject(plan, "step_low_ps", round(o->sure->step.low * 1e12));
        cJSON_AddNumberToObject(plan, "step_high_ps", round(o->sure->step.high * 1e12));
        cJSON_AddBoolToObject(plan, "equal_to_best", equals_best(t, o));
      }
    }
    cJSON_AddItemToObject(plan, "warnings", warnings_json(o));
    cJSON_AddItemToArray(plans, plan);
  }
  ts_report_print_json(root, out);
}

static void put_report(void *closure, FILE *out)
{
  const task *t = closure;
  switch (t->form) {
  case TEXT:
    put_text(t, out);
    put_left_out(t, out);
    put_warnings(t, out);
    break;
  case CSV: put_csv(t, out); break;
  case JSON: put_json(t, out); break;
  }
}

/* The command that shows the best plan in full. */
static void hint(const task *t)
{
  const char *hints = getenv("TRAINSPEC_HINTS");
  const outcome *best = &t->outcomes[0];
  if (t->form != TEXT || t->output || !isatty(STDOUT_FILENO) || !isatty(STDERR_FILENO) ||
      (hints && strcmp(hints, "0") == 0) || best->state != RANKED)
    return;
  fputs("\nhint: the best in full: tsrun", stderr);
  for (uint32_t i = 0; i < t->search->points[best->point].define_count; i++) {
    const ts_define *d = &t->search->points[best->point].defines[i];
    bool plain = !strpbrk(d->expression, " \"'`$&|;<>()[]{}*?!~\\");
    ts_put_text(stderr, plain ? " -D %s=%s" : " -D '%s=%s'", d->name, d->expression);
  }
  ts_put_text(stderr, " %s\n", t->path);
}

/* ---- The whole ---- */

/* How long all plans may take, by the middle one. */
static int dry_run(task *t)
{
  outcome one;
  double begin = ts_clock();
  play(t, t->search->point_count / 2, &one);
  double each = ts_clock() - begin;
  free(one.why);
  ts_put_text(
    stdout, "%s plans to compile and play, about %s each: about %s\n",
    ts_format_count(t->search->point_count).text, ts_format_time((uint64_t)(each * 1e12)).text,
    ts_format_time((uint64_t)(each * 1e12 * (double)t->search->point_count / (double)t->jobs))
      .text);
  return ts_options_finish(&t->options, stdout, TS_EXIT_DONE);
}

static int sweep(task *t)
{
  t->search =
    ts_search_load(t->session, t->path, &t->plan.compile, t->search_name, t->items, !t->varies);
  if (!t->search)
    return TS_EXIT_REJECTED;
  t->end = t->search->point_count;
  t->kept = ts_sources_new(t->arena);
  if (t->dry_run)
    return dry_run(t);
  t->outcomes = TS_NEW_ARRAY(t->arena, outcome, t->end);
  play_all(t);
  ts_interrupt_plain();
  int status;
  if (some_unread(t)) {
    status = TS_EXIT_ENVIRONMENT;
  } else if (refused_for_one_reason(t)) {
    report_refusal(t);
    status = TS_EXIT_REJECTED;
  } else {
    bool ranked = rank(t);
    find_equals(t);
    status = ranked ? ts_options_write(&t->options, t->output, put_report, t) : TS_EXIT_REJECTED;
  }
  if (status == TS_EXIT_DONE && t->outcomes[0].state != RANKED)
    status = TS_EXIT_NO;
  if (status == TS_EXIT_DONE)
    report_best(t), hint(t);
  for (size_t i = 0; i < t->end; i++)
    free(t->outcomes[i].why);
  return status;
}

int ts_sweep_main(int argc, char **argv)
{
  task t = {.arena = ts_arena_new("sweep"),
            .top = 10,
            .jobs = ts_usual_jobs(),
            .keeping = PTHREAD_MUTEX_INITIALIZER};
  if (!read_options(&t, argc, argv)) {
    ts_arena_free(t.arena);
    return t.options.status;
  }
  t.session = ts_session_new(t.arena);
  ts_interrupt_ends(
    ts_arena_printf(t.arena, "%s: interrupted; nothing was written\n", t.options.called));
  int status = sweep(&t), rejected = ts_options_report(&t.options, t.session->diags);
  ts_arena_free(t.arena);
  return status == TS_EXIT_REJECTED ? rejected : status;
}
