#include "tools/cli/schedule_search.h"

#include <math.h>
#include <string.h>

#include "base/format.h"
#include "compiler/eval/mesh.h"
#include "compiler/eval/module.h"
#include "tools/cli/schedule_orders.h"

enum { USUAL_ITEMS = 300000000, LEAST_ORDERS = 2000, MOST_ORDERS = 200000 };
enum { MOST_JOINS = 6 }; /* orders that say how long items take that are played as one */
enum { MOST_TRIES = 4 }; /* with less room, where the play holds more than the search thought */

/* NONE: no beginning */
#define NO_BEGIN UINT32_MAX

/* `schedule`: an expression, NULL for the plan's own; of `library`, it names what the plan need not
 * import */
typedef struct begin {
  const char *name, *schedule;
  bool library;
} begin;

typedef struct schedule_search_job {
  ts_arena *arena;
  ts_session *session;
  const ts_order_task *task;
  ts_order_answer *answer;
  ts_stop *stop;
  const ts_schedule *own; /* the plan's */
  ts_pipeline *p;
  TS_VEC(const uint16_t *) begins;
  TS_VEC(begin) begun;
  /* of what may be the answer as it stands, the shortest in the play: its number, or NONE */
  uint32_t given;
  uint64_t given_step;
} schedule_search_job;

/* ---- Playing ---- */

static int schedule_search_play(ts_arena *arena, const ts_order_task *task, ts_order_played *of,
                                ts_stop *stop)
{
  ts_run_options options = {.progress = task->progress};
  of->run = ts_run_new(&of->input.ir, &options, stop);
  if (!of->run)
    return stop->exit_code;
  of->memory = ts_memory_new(arena, &of->input.ir, of->run);
  of->step = ts_run_result(of->run)->step;
  for (uint32_t c = 0; c < of->memory->class_count; c++) {
    const ts_memory_class *m = &of->memory->classes[c];
    of->peak = m->peak + m->reserved > of->peak ? m->peak + m->reserved : of->peak;
  }
  return TS_EXIT_DONE;
}

static void close_played(ts_order_played *of)
{
  ts_run_free(of->run);
  ts_input_close(&of->input);
  of->run = NULL;
}

/* The plan once more, with another schedule or order. What there is to say of it was said of the
 * plan. */
static bool compile_text(schedule_search_job *j, const char *text, size_t size,
                         const char *schedule, const ts_given_order *order, ts_order_played *out)
{
  ts_compile_options options = j->task->compile;
  options.schedule = schedule;
  options.order = order;
  *out = (ts_order_played){.session = ts_session_new(j->arena)};
  return ts_input_compile(out->session, j->task->path, text, size, &options, &out->input);
}

static bool schedule_search_compile(schedule_search_job *j, const ts_given_order *order,
                                    ts_order_played *out)
{
  const ts_input *plan = &j->answer->own.input;
  return compile_text(j, plan->text, plan->size, NULL, order, out);
}

static bool compile_begin(schedule_search_job *j, const begin *b, ts_order_played *out)
{
  const ts_input *plan = &j->answer->own.input;
  const char *text = ts_arena_printf(j->arena, "%.*s%s", (int)plan->size, plan->text,
                                     b->library ? "\nimport std.tools.orders\n" : "");
  return compile_text(j, text, strlen(text), b->schedule, NULL, out);
}

static int schedule_search_tell(schedule_search_job *j, const ts_order_played *of)
{
  ts_diags_copy(j->session->diags, j->session->sources, of->session->diags);
  return TS_EXIT_REJECTED;
}

/* ---- Refusals ---- */

static int schedule_search_refuse(schedule_search_job *j, const char *why)
{
  ts_diag *d = ts_diag_add(j->session->diags, TS_E0409, j->own->span,
                           "orders of schedule `%s` cannot be searched: %s", j->own->name, why);
  ts_diag_here(d,
               "is searched as the work of every rank on every micro-batch: F, then I and W or B");
  return TS_EXIT_REJECTED;
}

static int check_schedule(schedule_search_job *j)
{
  const ts_schedule *sc = j->own;
  if (sc->ranks < 2)
    return schedule_search_refuse(j, "it has one rank, whose work has one order");
  if (sc->ties.count || sc->slowed.count || sc->changes.count || sc->without != 0)
    return schedule_search_refuse(j, "clauses tie its work besides the messages between stages");
  if (sc->step_first[1] != 1)
    return schedule_search_refuse(j, "it has several steps");
  return TS_EXIT_DONE;
}

static bool has_parts(const ts_schedule *sc)
{
  for (size_t i = 0; i < sc->items.count; i++)
    if (sc->items.at[i].kind == TS_INPUT_GRADIENT || sc->items.at[i].kind == TS_WEIGHT_GRADIENT)
      return true;
  return false;
}

static bool same_places(const ts_schedule *a, const ts_schedule *b)
{
  return a->ranks == b->ranks && a->chunks == b->chunks && a->copies == b->copies &&
         a->micro_batches == b->micro_batches &&
         !memcmp(a->rank_of, b->rank_of, a->stages * sizeof *a->rank_of);
}

/* ---- Memory ---- */

/* Of the ranks at a place of the pipeline, those whose devices have the least room. */
static const ts_memory_class *class_at(const ts_order_played *of, uint32_t rank)
{
  const ts_memory_class *tightest = NULL;
  const ts_result *result = ts_run_result(of->run);
  for (uint32_t c = 0; c < result->class_count; c++) {
    const ts_memory_class *m = &of->memory->classes[c];
    if (result->classes[c].program != rank)
      continue;
    if (!tightest || (m->limit && m->limit - m->reserved < tightest->limit - tightest->reserved))
      tightest = m;
  }
  return tightest;
}

/* Whose bytes are let go of when it has left: whether that is before the next item begins depends
 * on the order. */
static int64_t largest_message(const ts_pipeline *p)
{
  int64_t most = 0;
  for (uint32_t i = 0; i < p->letter_count * p->micro_batches; i++)
    most = p->items[i].late > most ? p->items[i].late : most;
  return most;
}

static void find_rooms(schedule_search_job *j, const ts_ir *ir)
{
  const ts_order_played *own = &j->answer->own;
  double stated =
    j->task->own_memory ? (double)own->peak + (double)largest_message(j->p) : j->task->memory;
  j->answer->limit_from = j->task->own_memory ? "what the plan's own order takes, and a message" :
                          stated > 0          ? "as asked for" :
                                                "the device's";
  for (uint32_t r = 0; r < j->p->ranks; r++) {
    const ts_memory_class *m = class_at(own, r);
    double limit = stated > 0 ? stated : m ? (double)m->limit : 0;
    j->answer->limit = limit > j->answer->limit ? limit : j->answer->limit;
    j->p->room[r] = limit > 0 && m ?
                      (int64_t)(limit - (double)m->reserved) - ts_pipeline_base(ir, r) :
                      TS_PIPELINE_LATE;
  }
}

static bool schedule_search_fits(const schedule_search_job *j, const ts_order_played *of)
{
  return j->answer->limit <= 0 || (double)of->peak <= j->answer->limit;
}

/* ---- Beginnings ---- */

static void add_begin(schedule_search_job *j, const ts_schedule *sc, const begin *b)
{
  const uint16_t *sequence = ts_order_sequence(j->arena, j->p, sc, j->task->whole);
  if (!sequence)
    return;
  TS_PUSH(j->arena, &j->begins, sequence);
  TS_PUSH(j->arena, &j->begun, *b);
}

/* What was played may be the answer as it stands, if nothing shorter is found. */
static void note_given(schedule_search_job *j, const ts_order_played *of)
{
  bool parts = j->task->whole && has_parts(of->input.schedule);
  if (parts || !schedule_search_fits(j, of) || (j->given != NO_BEGIN && of->step >= j->given_step))
    return;
  j->given = (uint32_t)j->begun.count - 1;
  j->given_step = of->step;
}

/* With the stages where the plan has them, after it is compiled. */
static int add_played(schedule_search_job *j, const begin *b, ts_order_played *of)
{
  size_t before = j->begun.count;
  add_begin(j, of->input.schedule, b);
  if (j->begun.count == before)
    return TS_EXIT_DONE;
  int status = schedule_search_play(j->arena, j->task, of, j->stop);
  if (!status)
    note_given(j, of);
  return status;
}

static int add_from(schedule_search_job *j, const char *text)
{
  begin b = {text, text, false};
  ts_order_played other;
  if (!compile_begin(j, &b, &other))
    return schedule_search_tell(j, &other);
  bool same = same_places(other.input.schedule, j->own);
  int status = same ? add_played(j, &b, &other) : TS_EXIT_DONE;
  close_played(&other);
  if (same)
    return status;
  ts_diag *d = ts_diag_add(j->session->diags, TS_E0409, j->own->span,
                           "`--from` needs the stages and micro-batches of the plan's schedule");
  ts_diag_here(d, "%u micro-batches, %u ranks, chunks of a rank: %u", j->own->micro_batches,
               j->own->ranks, j->own->chunks);
  ts_diag_note(d, "`%s`: %u micro-batches, %u ranks, chunks of a rank: %u%s", text,
               other.input.schedule->micro_batches, other.input.schedule->ranks,
               other.input.schedule->chunks,
               other.input.schedule->ranks == j->own->ranks &&
                   other.input.schedule->chunks == j->own->chunks &&
                   other.input.schedule->micro_batches == j->own->micro_batches ?
                 ", in other places" :
                 "");
  ts_diag_help(d, "let the plan itself have the stages to be searched");
  return TS_EXIT_REJECTED;
}

/* ---- Those of the library ---- */

/* The list of stdlib/tools/orders.ts; NULL: this library has none. */
static const ts_list *library_orders(schedule_search_job *j)
{
  static const char name[] = "library_orders";
  ts_session *s = ts_session_new(j->arena);
  ts_value v;
  ts_compile_settings(s, &j->task->compile);
  ts_module *m = ts_module_of_library(s, "std/tools/orders.ts");
  if (!m || !ts_module_lookup(s, m, ts_lang_intern(s->lang, name, strlen(name)), TS_NO_SPAN, &v) ||
      v.type != TS_T_LIST)
    return NULL;
  return v.u.list;
}

/* Whether a row is for so many chunks. */
static bool is_for(const ts_value *row, uint32_t chunks)
{
  const ts_value *v = row->type == TS_T_RECORD ? ts_record_find(row->u.record, "chunks") : NULL;
  return !v || (v->type == TS_T_INT && v->u.integer == chunks);
}

/* The axis of the pipeline, in words of the plan. */
static const char *axis_of_own(const schedule_search_job *j)
{
  const ts_mesh *mesh = j->answer->own.session->mesh;
  return mesh->open || j->own->axis == TS_NO_INDEX ?
           ts_arena_printf(j->arena, "%u", j->own->ranks) :
           mesh->axis[j->own->axis].name;
}

static int add_of_library(schedule_search_job *j, uint32_t row, const char *axis)
{
  const ts_schedule *own = j->own;
  ts_order_played of;
  begin b = {.library = true,
             .schedule = ts_arena_printf(j->arena, "library_orders[%u].order(%s, %u, %u)", row,
                                         axis, own->micro_batches * own->copies, own->chunks)};
  if (!compile_begin(j, &b, &of))
    return TS_EXIT_DONE;
  b.name = ts_arena_printf(j->arena, "the library's `%s`", of.input.schedule->name);
  int status = same_places(of.input.schedule, own) ? add_played(j, &b, &of) : TS_EXIT_DONE;
  close_played(&of);
  return status;
}

/* Until one is as short as any order can be. */
static int add_library(schedule_search_job *j)
{
  const ts_list *rows = library_orders(j);
  const char *axis = axis_of_own(j);
  int status = TS_EXIT_DONE;
  for (uint32_t k = 0; rows && k < rows->count && !status; k++) {
    if (j->given != NO_BEGIN && (int64_t)j->given_step <= j->answer->bound.step)
      break;
    if (!is_for(&rows->at[k], j->own->chunks))
      continue;
    status = add_of_library(j, k, axis);
    if (!status && !ts_tick(j->task->progress, "beginnings", (double)k / rows->count))
      ts_stop_interrupted(j->stop), status = j->stop->exit_code;
  }
  return status;
}

static int begin_search(schedule_search_job *j)
{
  begin own = {"the plan's own order", NULL, false};
  int status = TS_EXIT_DONE;
  if (!j->task->fresh) {
    add_begin(j, j->own, &own);
    note_given(j, &j->answer->own);
  }
  for (uint32_t k = 0; k < j->task->from_count && !status; k++)
    status = add_from(j, j->task->from[k]);
  return status || j->task->fresh ? status : add_library(j);
}

/* Takes from the room what the play holds more than the limit. */
static void less_room(schedule_search_job *j, const ts_order_played *of)
{
  for (uint32_t r = 0; r < j->p->ranks; r++)
    for (uint32_t c = 0; c < of->memory->class_count; c++) {
      const ts_memory_class *m = &of->memory->classes[c];
      double over = (double)(m->peak + m->reserved) - j->answer->limit;
      if (ts_run_result(of->run)->classes[c].program != r || j->answer->limit <= 0 || over <= 0)
        continue;
      j->p->room[r] -= (int64_t)over + 1;
      break;
    }
}

static int no_order_fits(schedule_search_job *j, const ts_pipeline_found *found)
{
  ts_stop *stop = j->stop;
  const ts_order_answer *a = j->answer;
  const char *limit = ts_arena_printf(j->arena, "%s", ts_format_bytes(a->limit).text);
  if (found->lacks >= TS_PIPELINE_LATE) {
    ts_stop_set(stop, TS_EXIT_NO, "R0102", "no-order-fits",
                "no order of work was found within %s a device", limit);
  } else {
    ts_stop_set(stop, TS_EXIT_NO, "R0102", "no-order-fits",
                "no order of work was found within %s a device: rank %u lacks %s", limit,
                found->rank, ts_format_bytes((double)found->lacks).text);
    ts_stop_fact(stop, "least", "%s is what the order needs that lacks least",
                 ts_format_bytes(a->limit + (double)found->lacks).text);
  }
  ts_stop_fact(stop, "limit", "%s, %s", limit, a->limit_from);
  ts_stop_fact(stop, "own order", "%s", ts_format_bytes((double)a->own.peak).text);
  ts_stop_help(stop, "allow more with `--memory`, or recompute activations; with fewer chunks or "
                     "smaller micro-batches less is held");
  return stop->exit_code;
}

/* ---- The search ---- */

static int open_pipeline(schedule_search_job *j, ts_order_played *plain)
{
  ts_prepared prepared;
  ts_run_options options = {.progress = j->task->progress};
  const ts_schedule *sc = j->own;
  ts_error why = {0};
  if (!schedule_search_compile(j, ts_order_plain(j->arena, j->own, j->task->whole), plain)) {
    return schedule_search_tell(j, plain);
  }
  if (!ts_run_prepare(j->arena, &plain->input.ir, &options, &prepared, j->stop))
    return j->stop->exit_code;
  ts_pipeline_stages stages = {sc->chunks, sc->stages, sc->parts, sc->stage_of};
  j->p = ts_pipeline_new(j->arena, &prepared, &stages,
                         ts_run_result(j->answer->own.run)->critical_rank, &why);
  return j->p ? TS_EXIT_DONE : schedule_search_refuse(j, why.message);
}

/* How long items take that are played as one, from an order that has them. */
static int learn_from(schedule_search_job *j, const ts_order_joined *order, bool *pays)
{
  ts_order_played other;
  ts_prepared prepared;
  ts_run_options options = {.progress = j->task->progress};
  if (!schedule_search_compile(j, order->given, &other))
    return TS_EXIT_DONE;
  if (ts_run_prepare(j->arena, &other.input.ir, &options, &prepared, j->stop))
    *pays |= ts_pipeline_find_merges(
      j->arena, j->p, &prepared, ts_run_result(j->answer->own.run)->critical_rank, order->parts);
  ts_input_close(&other.input);
  return j->stop->exit_code;
}

/* With whole backwards and without; no more orders where these hide nothing. */
static int learn_merges(schedule_search_job *j)
{
  uint32_t most = ts_order_joined_count(j->own);
  bool pays = false;
  int status = TS_EXIT_DONE;
  for (uint32_t n = 0; n < most && n < MOST_JOINS && (!n || pays) && !status; n++)
    for (int split = 0; split < (j->task->whole ? 1 : 2) && !status; split++) {
      ts_order_joined order =
        ts_order_joined_of(j->arena, j->own, j->p, n, split, j->task->whole);
      status = learn_from(j, &order, &pays);
    }
  return status;
}

/* Compiles and plays what the search found, the shortest first, until one keeps the memory. */
static int verify(schedule_search_job *j, bool *done)
{
  ts_order_answer *a = j->answer;
  for (uint32_t k = 0; k < a->search.count; k++) {
    const ts_pipeline_order *order = &a->search.best[k];
    if (!schedule_search_compile(j, ts_order_of(j->arena, j->p, order->sequence, order->merging),
                                 &a->found))
      return schedule_search_tell(j, &a->found);
    int status = schedule_search_play(j->arena, j->task, &a->found, j->stop);
    *done = !status && schedule_search_fits(j, &a->found);
    if (*done && (j->given == NO_BEGIN || a->found.step < j->given_step)) {
      a->order = order;
      a->began = order->began;
      a->sequence = order->sequence;
      a->merging = order->merging;
    }
    if (status || *done)
      return status;
    if (k + 1 == a->search.count)
      less_room(j, &a->found);
    close_played(&a->found);
  }
  return TS_EXIT_DONE;
}

/* Some ten seconds of one processor. */
static uint64_t usual_orders(const ts_pipeline *p)
{
  uint64_t orders = USUAL_ITEMS / (ts_pipeline_size(p) + 1);
  return orders < LEAST_ORDERS ? LEAST_ORDERS : orders > MOST_ORDERS ? MOST_ORDERS : orders;
}

/* With less room, where all hold more in the play than the search thought. */
static int schedule_search(schedule_search_job *j)
{
  ts_order_answer *a = j->answer;
  bool done = false;
  ts_pipeline_search how = j->task->search;
  how.orders = how.orders ? how.orders : usual_orders(j->p);
  for (int k = 0; k < MOST_TRIES && !done; k++) {
    a->search =
      ts_pipeline_improve(j->arena, j->p, j->begins.at, (uint32_t)j->begins.count, &a->bound, &how);
    if (!ts_tick(j->task->progress, "searching", 1))
      return ts_stop_interrupted(j->stop), j->stop->exit_code;
    int status = a->search.count ? verify(j, &done) : TS_EXIT_DONE;
    if (status)
      return status;
    if (!a->search.count)
      break;
  }
  return done || j->given != NO_BEGIN ? TS_EXIT_DONE : no_order_fits(j, &a->search);
}

/* In which a given order takes nearest to what it takes in the play. */
static ts_pipeline_merging merging_of_given(const schedule_search_job *j, ts_pipeline_play *play)
{
  int64_t step = (int64_t)j->answer->found.step, nearest = INT64_MAX;
  ts_pipeline_merging best = TS_PIPELINE_SPLIT;
  for (int d = TS_PIPELINE_SPLIT; d < TS_PIPELINE_MERGINGS; d++) {
    play->merging = (ts_pipeline_merging)d;
    int64_t time = ts_pipeline_time(play, j->answer->sequence),
            off = time > step ? time - step : step - time;
    if (off >= nearest)
      continue;
    nearest = off;
    best = play->merging;
  }
  return best;
}

/* A beginning, as it stands, is the answer. */
static int take_given(schedule_search_job *j)
{
  ts_order_answer *a = j->answer;
  close_played(&a->found);
  a->began = j->given;
  a->sequence = j->begins.at[j->given];
  a->own_is_best = !j->begun.at[j->given].schedule;
  if (!compile_begin(j, &j->begun.at[j->given], &a->found))
    return schedule_search_tell(j, &a->found);
  return schedule_search_play(j->arena, j->task, &a->found, j->stop);
}

/* When items begin, for the picture. */
static int schedule_search_finish(schedule_search_job *j)
{
  ts_order_answer *a = j->answer;
  a->pipeline = j->p;
  const char **names = TS_NEW_ARRAY(j->arena, const char *, j->begun.count + 1);
  for (size_t k = 0; k < j->begun.count; k++)
    names[k] = j->begun.at[k].name;
  names[j->begun.count] = "a wave";
  a->begins = names;
  int status = a->order ? TS_EXIT_DONE : take_given(j);
  if (status)
    return status;
  ts_pipeline_play *play = ts_pipeline_play_new(j->arena, j->p);
  a->split = (uint64_t)ts_pipeline_time(play, a->sequence);
  play->merging = a->order ? a->merging : merging_of_given(j, play);
  ts_pipeline_trace(play, a->sequence);
  a->begin = play->begin;
  return TS_EXIT_DONE;
}

int ts_order_search(ts_arena *arena, ts_session *session, const ts_order_task *task,
                    ts_order_answer *answer, ts_stop *stop)
{
  schedule_search_job j = {arena, session, task, answer, stop, .given = NO_BEGIN};
  ts_order_played plain = {0};
  *answer = (ts_order_answer){.arena = arena, .own = {.session = session}};
  if (!ts_input_open(session, task->path, &task->compile, &answer->own.input))
    return TS_EXIT_REJECTED;
  j.own = answer->own.input.schedule;
  if (!j.own || !j.own->decl) {
    ts_diag *d = ts_diag_add(session->diags, TS_E0409, TS_NO_SPAN, "`%s` has no schedule to search",
                             task->path);
    ts_diag_help(d, "give a plan with a `schedule`; an IR has its order already");
    return TS_EXIT_REJECTED;
  }
  int status = check_schedule(&j);
  answer->own_splits = task->whole && has_parts(j.own);
  status = status ? status : schedule_search_play(arena, task, &answer->own, stop);
  status = status ? status : open_pipeline(&j, &plain);
  status = status ? status : learn_merges(&j);
  if (!status) {
    find_rooms(&j, &plain.input.ir);
    answer->bound = ts_pipeline_bound_of(j.p);
    status = begin_search(&j);
  }
  status = status ? status : schedule_search(&j);
  status = status ? status : schedule_search_finish(&j);
  ts_input_close(&plain.input);
  return status;
}

void ts_order_close(ts_order_answer *answer)
{
  close_played(&answer->own);
  close_played(&answer->found);
}
