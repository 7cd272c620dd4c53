/* Evaluates a schedule's declaration to the order of work of each rank, and checks that nothing is
 * missing or out of order there. What waits for what between ranks is checked by
 * compiler/schedule/progress.c, once the model's tensors are known. */
#include <string.h>

#include "base/table.h"
#include "base/order.h"
#include "compiler/eval/function.h"
#include "compiler/eval/mesh.h"
#include "compiler/eval/module.h"
#include "base/diag_record.h"
#include "compiler/eval/options.h"
#include "compiler/eval/report.h"
#include "compiler/eval/near.h"
#include "compiler/eval/require.h"
#include "compiler/eval/reuse.h"
#include "compiler/eval/shared.h"
#include "compiler/schedule/internal.h"

static const char *const letters[] = {"F", "B", "I", "W", "S"};
TS_TABLE(letters, TS_WORK_KINDS);

const char *ts_work_letter(ts_work_kind kind) { return letters[kind]; }

typedef ts_schedule_builder builder;

uint32_t ts_schedule_find(const ts_schedule *sc, ts_work_kind kind, uint32_t stage,
                          uint32_t micro_batch)
{
  if (stage >= sc->stages || micro_batch >= sc->micro_batches)
    return TS_NO_INDEX;
  return sc->at[((size_t)kind * sc->stages + stage) * sc->micro_batches + micro_batch];
}

uint32_t ts_schedule_step(const ts_schedule *sc, uint32_t rank, uint32_t number)
{
  return rank < sc->ranks && number < sc->step_first[rank + 1] - sc->step_first[rank] ?
           sc->steps[sc->step_first[rank] + number] :
           TS_NO_INDEX;
}

uint32_t ts_schedule_rank(const ts_schedule *sc, uint32_t item)
{
  uint32_t at;
  TS_SEARCH(at, 1, sc->ranks, sc->order[at].first <= item);
  return at - 1;
}

const char *ts_placed_name(ts_session *s, const ts_schedule *sc, uint32_t item)
{
  const ts_placed *p = &sc->items.at[item];
  if (p->kind == TS_STEP) {
    uint32_t rank = ts_schedule_rank(sc, item);
    return sc->step_first && sc->step_first[rank + 1] - sc->step_first[rank] > 1 ?
             ts_arena_printf(s->arena, "S(%u) at rank %u", p->micro_batch, rank) :
             ts_arena_printf(s->arena, "S at rank %u", rank);
  }
  if (sc->chunks == 1)
    return ts_arena_printf(s->arena, "%s(%u) at stage %u", letters[p->kind], p->micro_batch,
                           p->stage);
  return ts_arena_printf(s->arena, "%s(%u, %u) at rank %u", letters[p->kind], p->micro_batch,
                         p->chunk, sc->rank_of[p->stage]);
}

/* -- stages -- */

static bool schedule_fail(builder *b)
{
  b->failed = true;
  return false;
}

bool ts_schedule_axis(builder *b, uint32_t ranks, ts_span span)
{
  const ts_mesh *mesh = b->s->mesh;
  uint32_t found = 0;
  b->sc->axis = TS_NO_INDEX;
  for (uint32_t a = 0; a < mesh->count && ranks > 1; a++)
    if (mesh->axis[a].size == ranks) {
      b->sc->axis = a;
      found++;
    }
  if (ranks == 1 || found == 1)
    return true;
  if (!mesh->count && mesh->open) {
    ts_mesh *own = b->s->mesh;
    own->axis[0].name = ts_lang_intern(b->s->lang, "ranks", 5);
    own->axis[0].size = ranks;
    own->axis[0].stride = 1;
    own->axis[own->count++].span = span;
    b->sc->axis = 0;
    return true;
  }
  ts_diag *d =
    ts_report(b->s, TS_E0320, span, "the order is one of %u ranks, and %s of the mesh %s that size",
              ranks, found ? "several axes" : "no axis", found ? "have" : "has");
  ts_diag_here(d, "%u ranks", ranks);
  ts_diag_help(d, "let the schedule say `stages p` as well");
  return schedule_fail(b);
}

static bool pipeline_axis(builder *b, const ts_env *env, const ts_ast *stages)
{
  ts_schedule *sc = b->sc;
  ts_value v = ts_eval(b->s, env, ts_ast_axis(stages));
  sc->axis = TS_NO_INDEX;
  sc->stages_span = stages->span;
  if (v.type == TS_T_INT && v.u.integer == 1) {
    sc->ranks = 1;
    return true;
  }
  if (v.type == TS_T_AXIS && !v.u.axes.mask) {
    sc->ranks = 1;
    return true;
  }
  if (v.type == TS_T_AXIS && !(v.u.axes.mask & (v.u.axes.mask - 1))) {
    sc->ranks = (uint32_t)ts_axes_size(b->s, v.u.axes.mask);
    for (sc->axis = 0; !(v.u.axes.mask >> sc->axis & 1);)
      sc->axis++;
    return true;
  }
  if (v.type != TS_T_ERROR) {
    ts_diag *d =
      ts_report(b->s, TS_E0320, ts_ast_axis(stages)->span, "`stages` needs one axis of the mesh");
    ts_diag_here(d, "found %s",
                 v.type == TS_T_AXIS ? "a product of axes" : ts_value_describe(b->s->arena, v));
    if (v.type == TS_T_AXIS)
      ts_diag_note_at(d, sc->span, "of this schedule");
    ts_diag_help(
      d, v.type == TS_T_AXIS ?
           "a pipeline runs along one axis; the other may hold replicas, for `data_parallel`" :
           "declare the parameter as `p: Axis` and pass the name of the pipeline's axis");
  }
  return schedule_fail(b);
}

static bool lies_within(ts_span inner, ts_span outer)
{
  return inner.file == outer.file && inner.begin >= outer.begin && inner.end <= outer.end;
}

enum { MOST_REPEATS = 1 << 30 }; /* of the model on a stage */

static bool stage_sizes(builder *b, const ts_env *env, const ts_ast *stages)
{
  ts_schedule *sc = b->sc;
  bool cut = true;
  if (ts_ast_condition(stages) &&
      !ts_eval_bool(b->s, env, ts_ast_condition(stages), "the condition of `balanced`", &cut))
    return schedule_fail(b);
  sc->balanced = stages->flags & 1 && cut;
  if (!ts_ast_sizes(stages))
    return true;
  ts_value v = ts_eval(b->s, env, ts_ast_sizes(stages));
  if (v.type == TS_T_ERROR)
    return schedule_fail(b);
  if (v.type == TS_T_LIST && !v.u.list->count) /* nothing stated */
    return true;
  uint32_t count = v.type == TS_T_LIST ? v.u.list->count : 0, at = 0;
  int64_t *sizes = TS_NEW_ARRAY(b->s->arena, int64_t, sc->parts + 1);
  for (; at < count && at < sc->parts; at++) {
    sizes[at] = v.u.list->at[at].u.integer;
    if (v.u.list->at[at].type != TS_T_INT || sizes[at] < 0 || sizes[at] > MOST_REPEATS)
      break;
  }
  sc->sizes = sizes;
  if (count == sc->parts && at == count)
    return true;
  ts_diag *d = ts_report(b->s, TS_E0313, v.span.file ? v.span : ts_ast_sizes(stages)->span,
                         "the sizes of the stages must be %u whole numbers, 0 or more", sc->parts);
  if (v.type == TS_T_LIST && count == sc->parts)
    ts_diag_here(d, "that of stage %u is %s", at, ts_value_print(b->s->arena, v.u.list->at[at]));
  else
    ts_diag_here(d, "found %s", ts_value_describe(b->s->arena, v));
  if (!lies_within(v.span, stages->span))
    ts_diag_note_at(d, stages->span, "asked for here");
  return schedule_fail(b);
}

/* Where chunk c of rank r is: c * ranks + r, unless the schedule says otherwise. Where the model is
 * there several times, the stages of a copy follow those of the copy before: with as many copies as
 * ranks each rank has a model of its own. */
static bool chunk_places(builder *b, const ts_env *env, const ts_ast *chunks)
{
  ts_schedule *sc = b->sc;
  uint32_t *stage_of = TS_NEW_ARRAY(b->s->arena, uint32_t, sc->stages + 1);
  uint32_t *rank_of = TS_NEW_ARRAY(b->s->arena, uint32_t, sc->stages + 1);
  uint32_t *chunk_of = TS_NEW_ARRAY(b->s->arena, uint32_t, sc->stages + 1);
  memset(rank_of, 0xff, sc->stages * sizeof *rank_of);
  ts_value place = ts_none_value();
  const ts_ast *expr = chunks ? ts_ast_placement(chunks) : NULL;
  if (expr && (place = ts_eval(b->s, env, expr)).type == TS_T_ERROR)
    return schedule_fail(b);
  for (uint32_t r = 0; r < sc->ranks; r++)
    for (uint32_t c = 0; c < sc->chunks; c++) {
      int64_t parts = sc->parts, number = (int64_t)c * sc->ranks + r, stage = number % parts;
      if (expr) {
        ts_value args[3] = {ts_int_value(c, expr->span), ts_int_value(r, expr->span),
                            ts_int_value(sc->ranks, expr->span)};
        ts_value v = ts_call(b->s, place, args, NULL, 3, expr->span);
        if (v.type == TS_T_ERROR)
          return schedule_fail(b);
        stage = v.type == TS_T_INT ? v.u.integer : -1;
      }
      int64_t first = number / parts * parts; /* of the copy */
      if (stage < 0 || stage >= parts || rank_of[first + stage] != TS_NO_INDEX) {
        ts_diag *d = ts_report(b->s, TS_E0407, expr->span,
                               "chunk %u of rank %u cannot be stage %lld", c, r, (long long)stage);
        if (stage >= 0 && stage < parts)
          ts_diag_here(d, "chunk %u of rank %u is stage %lld already", chunk_of[first + stage],
                       rank_of[first + stage], (long long)stage);
        else
          ts_diag_here(d, "stages are 0 to %lld", (long long)parts - 1);
        return schedule_fail(b);
      }
      stage += first;
      stage_of[r * sc->chunks + c] = (uint32_t)stage;
      rank_of[stage] = r;
      chunk_of[stage] = c;
    }
  sc->stage_of = stage_of;
  sc->rank_of = rank_of;
  sc->chunk_of = chunk_of;
  return true;
}

static const ts_ast *find_item(const ts_ast *decl, ts_kind kind)
{
  ts_ast_list items = ts_ast_items(decl);
  for (uint32_t i = 0; i < items.count; i++)
    if (items.at[i]->kind == kind)
      return items.at[i];
  return NULL;
}

static bool layout(builder *b, const ts_env *env, const ts_ast *decl)
{
  ts_schedule *sc = b->sc;
  const ts_ast *stages = find_item(decl, TS_AST_STAGES), *chunks = find_item(decl, TS_AST_CHUNKS),
               *order = find_item(decl, TS_AST_ORDER);
  int64_t v = 1, copies = 1;
  if (chunks && ts_ast_copies(chunks) &&
      !ts_eval_int(b->s, env, ts_ast_copies(chunks), "the number of copies", &copies))
    return schedule_fail(b);
  if (order)
    return (!stages || pipeline_axis(b, env, stages)) &&
           ts_schedule_layout_file(b, env, order, copies);
  if (!stages) {
    ts_diag *d = ts_report(b->s, TS_E0320, decl->name_span,
                           "schedule `%s` does not say how many stages there are", decl->name);
    ts_diag_here(d, "needs `stages p`");
    return schedule_fail(b);
  }
  if (!pipeline_axis(b, env, stages) ||
      (chunks && !ts_eval_int(b->s, env, ts_ast_number(chunks), "the number of chunks", &v)))
    return schedule_fail(b);
  if (v < 1 || v > b->s->limits.stages / sc->ranks) {
    ts_diag *d = ts_report(b->s, TS_E0407, chunks ? chunks->span : stages->span,
                           "%lld chunks on %u ranks", (long long)v, sc->ranks);
    ts_diag_here(d, "chunks times ranks must be from 1 to %u", b->s->limits.stages);
    if (chunks)
      ts_note_values(b->s, env, d, ts_ast_number(chunks));
    ts_diag_note_at(d, sc->span, "of this schedule");
    return schedule_fail(b);
  }
  if (copies < 1 || v * sc->ranks % copies) {
    ts_diag *d = ts_report(b->s, TS_E0407, ts_ast_copies(chunks)->span,
                           "%lld stages cannot be shared by %lld copies of the model",
                           (long long)v * sc->ranks, (long long)copies);
    ts_diag_here(d, "must divide the number of stages");
    ts_diag_note(d, "%u ranks of %lld chunks each", sc->ranks, (long long)v);
    return schedule_fail(b);
  }
  sc->chunks = (uint32_t)v;
  sc->copies = (uint32_t)copies;
  sc->stages = sc->chunks * sc->ranks;
  sc->parts = sc->stages / sc->copies;
  return stage_sizes(b, env, stages) && chunk_places(b, env, chunks);
}

/* -- checks -- */

static void index_items(builder *b)
{
  ts_schedule *sc = b->sc;
  size_t size = (size_t)TS_WORK_KINDS * sc->stages * sc->micro_batches;
  uint32_t *at = ts_arena_alloc_raw(sc->arena, (size + 1) * sizeof *at);
  memset(at, 0xff, size * sizeof *at);
  for (uint32_t i = 0; i < sc->items.count; i++) {
    const ts_placed *p = &sc->items.at[i];
    if (p->kind == TS_STEP)
      continue;
    uint32_t *slot =
      &at[((size_t)p->kind * sc->stages + p->stage) * sc->micro_batches + p->micro_batch];
    if (*slot != TS_NO_INDEX) {
      ts_diag *d =
        ts_report(b->s, TS_E0403, p->span, "%s is placed twice", ts_placed_name(b->s, sc, i));
      ts_diag_here(d, "again here");
      if (sc->items.at[*slot].span.begin != p->span.begin)
        ts_diag_label(d, sc->items.at[*slot].span, "first here");
      b->failed = true;
    }
    *slot = i;
  }
  sc->at = at;
}

static void missing(builder *b, const char *what, uint32_t stage, uint32_t micro_batch)
{
  ts_schedule *sc = b->sc;
  ts_diag *d = ts_report(
    b->s, TS_E0403, sc->span, "schedule `%s` never places %s(%u%s) at rank %u", sc->name, what,
    micro_batch, sc->chunks > 1 ? ts_arena_printf(b->s->arena, ", %u", sc->chunk_of[stage]) : "",
    sc->rank_of[stage]);
  ts_diag_here(d, "%u micro-batches on %u stages", sc->micro_batches, sc->stages);
  for (uint32_t i = 0; i < sc->items.count; i++)
    if (sc->items.at[i].micro_batch == micro_batch && sc->items.at[i].kind != TS_STEP &&
        !lies_within(sc->items.at[i].span, sc->span)) {
      ts_diag_label(d, sc->items.at[i].span, "%s is placed", ts_placed_name(b->s, sc, i));
      break;
    }
  ts_diag_note(d, "every micro-batch needs F, and B or else I and W, once on every stage");
  b->failed = true;
}

static void schedule_before(builder *b, uint32_t first, uint32_t second)
{
  if (first < second || first == TS_NO_INDEX || second == TS_NO_INDEX)
    return;
  ts_diag *d = ts_report(b->s, TS_E0404, b->sc->items.at[second].span, "%s comes before %s",
                         ts_placed_name(b->s, b->sc, second), ts_placed_name(b->s, b->sc, first));
  ts_diag_here(d, "needs the result of the other");
  if (b->sc->items.at[first].span.begin != b->sc->items.at[second].span.begin)
    ts_diag_label(d, b->sc->items.at[first].span, "placed later");
  b->failed = true;
}

static void check_items(builder *b)
{
  const ts_schedule *sc = b->sc;
  size_t of_kind = (size_t)sc->stages * sc->micro_batches;
  for (uint32_t stage = 0; stage < sc->stages && !b->failed; stage++)
    for (uint32_t i = 0; i < sc->micro_batches && !b->failed; i++) {
      const uint32_t *at = &sc->at[(size_t)stage * sc->micro_batches + i];
      if (at[of_kind * TS_BACKWARD] != TS_NO_INDEX && *at < at[of_kind * TS_BACKWARD] &&
          at[of_kind * TS_INPUT_GRADIENT] == TS_NO_INDEX &&
          at[of_kind * TS_WEIGHT_GRADIENT] == TS_NO_INDEX)
        continue; /* as most do */
      uint32_t f = ts_schedule_find(sc, TS_FORWARD, stage, i),
               whole = ts_schedule_find(sc, TS_BACKWARD, stage, i);
      uint32_t input = ts_schedule_find(sc, TS_INPUT_GRADIENT, stage, i),
               weight = ts_schedule_find(sc, TS_WEIGHT_GRADIENT, stage, i);
      if (f == TS_NO_INDEX)
        missing(b, "F", stage, i);
      else if (whole == TS_NO_INDEX && input == TS_NO_INDEX && weight == TS_NO_INDEX)
        missing(b, "B", stage, i);
      else if (whole == TS_NO_INDEX && (input == TS_NO_INDEX || weight == TS_NO_INDEX))
        missing(b, input == TS_NO_INDEX ? "I" : "W", stage, i);
      else if (whole != TS_NO_INDEX && (input != TS_NO_INDEX || weight != TS_NO_INDEX)) {
        uint32_t other = input != TS_NO_INDEX ? input : weight;
        ts_diag *d = ts_report(b->s, TS_E0403, sc->items.at[other].span, "%s is part of %s",
                               ts_placed_name(b->s, sc, other), ts_placed_name(b->s, sc, whole));
        ts_diag_here(d, "B is I and W together");
        b->failed = true;
      }
      schedule_before(b, f, whole);
      schedule_before(b, f, input);
      schedule_before(b, input, weight);
    }
}

/* What completes the gradients that a step of the rank uses. */
static void mark_last(ts_schedule *sc, uint32_t rank, uint32_t *last)
{
  const uint32_t *stage_of = sc->stage_of + (size_t)rank * sc->chunks;
  memset(last, 0xff, sc->stages * sizeof *last);
  for (uint32_t i = sc->order[rank].first; i < sc->order[rank].first + sc->order[rank].count; i++) {
    const ts_placed *p = &sc->items.at[i];
    if (p->kind == TS_BACKWARD || p->kind == TS_WEIGHT_GRADIENT) {
      sc->items.at[i].first = last[p->stage] == TS_NO_INDEX;
      last[p->stage] = i;
    }
    for (uint32_t c = 0; c < sc->chunks && p->kind == TS_STEP; c++) {
      if (last[stage_of[c]] != TS_NO_INDEX)
        sc->items.at[last[stage_of[c]]].last = true;
      last[stage_of[c]] = TS_NO_INDEX;
    }
  }
}

/* What reads the weights of a stage, F and I, between two steps: its first item finds them as the
 * step left them, its last one is the last to need them. A pipeline says so to its stages
 * (PyTorch's set_reshard_after_backward); without one a backward does not know whether another
 * forward comes, and is the last where nothing else is on its way. */
static void mark_readers(ts_schedule *sc, uint32_t rank, uint32_t *reader)
{
  const uint32_t *stage_of = sc->stage_of + (size_t)rank * sc->chunks;
  uint32_t end = sc->order[rank].first + sc->order[rank].count, on_the_way = 0;
  memset(reader, 0xff, sc->stages * sizeof *reader);
  for (uint32_t i = sc->order[rank].first; i <= end; i++) {
    ts_placed *p = i < end ? &sc->items.at[i] : NULL;
    bool reads = p && p->kind != TS_STEP && p->kind != TS_WEIGHT_GRADIENT;
    if (reads) {
      p->gathers = reader[p->stage] == TS_NO_INDEX;
      reader[p->stage] = i;
      on_the_way += p->kind == TS_FORWARD ? 1u : -1u;
    }
    bool over = reads ? sc->stages == 1 && !on_the_way : !p || p->kind == TS_STEP;
    for (uint32_t c = 0; c < sc->chunks && over; c++) {
      if (reader[stage_of[c]] != TS_NO_INDEX)
        sc->items.at[reader[stage_of[c]]].drops = true;
      reader[stage_of[c]] = TS_NO_INDEX;
    }
  }
}

/* The first item of each stage that reads its weights after a step has changed them. */
static void mark_fresh(ts_schedule *sc, uint32_t rank, uint32_t *read)
{
  const uint32_t *stage_of = sc->stage_of + (size_t)rank * sc->chunks;
  memset(read, 0xff, sc->stages * sizeof *read);
  for (uint32_t i = sc->order[rank].first, n = i + sc->order[rank].count; i < n; i++) {
    ts_placed *p = &sc->items.at[i];
    for (uint32_t c = 0; c < sc->chunks && p->kind == TS_STEP; c++)
      read[stage_of[c]] = TS_NO_INDEX;
    if (p->kind == TS_STEP || p->kind == TS_WEIGHT_GRADIENT)
      continue;
    p->fresh = read[p->stage] == TS_NO_INDEX;
    read[p->stage] = i;
  }
}

/* Micro-batches between F and its B or I have a place each, the first that is free; where there are
 * more than TS_PLACES some share one. */
static void give_places(ts_schedule *sc, uint32_t rank)
{
  uint32_t taken[TS_PLACES] = {0}, open = UINT32_MAX; /* bits of places that are free */
  for (uint32_t i = sc->order[rank].first, n = i + sc->order[rank].count; i < n; i++) {
    ts_placed *p = &sc->items.at[i];
    if (p->kind == TS_FORWARD) {
      if (open)
        p->place = (uint32_t)__builtin_ctz(open);
      for (uint32_t k = 1; k < TS_PLACES && !open; k++)
        p->place = taken[k] < taken[p->place] ? k : p->place;
      taken[p->place]++;
      open &= ~(UINT32_C(1) << p->place);
    } else if (p->kind == TS_BACKWARD || p->kind == TS_INPUT_GRADIENT) {
      p->place = sc->items.at[ts_schedule_find(sc, TS_FORWARD, p->stage, p->micro_batch)].place;
      taken[p->place] -= taken[p->place] > 0;
      open |= (uint32_t)!taken[p->place] << p->place;
    }
  }
}

static void index_steps(builder *b)
{
  ts_schedule *sc = b->sc;
  uint32_t count = 0, *first = TS_NEW_ARRAY(b->s->arena, uint32_t, sc->ranks + 1), *steps;
  for (uint32_t i = 0; i < sc->items.count; i++)
    count += sc->items.at[i].kind == TS_STEP;
  steps = TS_NEW_ARRAY(b->s->arena, uint32_t, count + 1);
  count = 0;
  for (uint32_t r = 0; r < sc->ranks; r++) {
    for (uint32_t i = sc->order[r].first; i < sc->order[r].first + sc->order[r].count; i++)
      if (sc->items.at[i].kind == TS_STEP) {
        sc->items.at[i].micro_batch = count - first[r];
        sc->items.at[i].stage = sc->stage_of[r * sc->chunks];
        steps[count++] = i;
      }
    first[r + 1] = count;
  }
  sc->steps = steps;
  sc->step_first = first;
}

static ts_env *with_lets(builder *b, const ts_env *bound, const ts_ast *decl)
{
  ts_env *env = ts_env_new(b->s, bound);
  ts_ast_list items = ts_ast_items(decl);
  for (uint32_t i = 0; i < items.count; i++)
    if (items.at[i]->kind == TS_AST_LET)
      ts_env_bind(env, items.at[i]->name, ts_eval_let(b->s, env, items.at[i]));
  return env;
}

/* With another value of one of the schedule's parameters. */
typedef struct schedule_trial {
  builder *b;
  const ts_env *bound;
  const ts_ast *decl;
} schedule_trial;

static bool all_hold(void *closure, const char *parameter, ts_value value)
{
  schedule_trial *t = closure;
  ts_session *s = t->b->s;
  ts_env *other = ts_env_new(s, t->bound);
  ts_env_bind(other, parameter, value);
  ts_env *env = with_lets(t->b, other, t->decl);
  ts_ast_list items = ts_ast_items(t->decl);
  for (uint32_t i = 0; i < items.count; i++) {
    bool holds = false;
    if (items.at[i]->kind == TS_AST_REQUIRE &&
        (!ts_eval_bool(s, env, ts_ast_condition(items.at[i]), "a requirement", &holds) || !holds))
      return false;
  }
  return true;
}

static void help_near(void *closure, const ts_ast *item, ts_diag *d)
{
  schedule_trial *t = closure;
  (void)item;
  const ts_ast *params = ts_ast_params(t->decl);
  ts_name_list names = {0};
  for (uint32_t i = 0; i < params->count; i++)
    TS_PUSH(t->b->s->arena, &names.names, params->child[i]->name);
  ts_near_values(t->b->s, d, &names, t->bound, all_hold, t);
}

/* What a schedule requires holds whenever it is asked something; what it expects is reported once,
 * with its work. */
static void requirements(builder *b, const ts_env *env, const ts_env *bound, const ts_ast *decl,
                         ts_kind kind)
{
  schedule_trial t = {b, bound, decl};
  const ts_required_by by = {.what = "schedule",
                             .name = decl->name,
                             .used = b->sc->span,
                             .cannot = "be applied here",
                             .error = TS_E0406,
                             .warning = TS_W0406,
                             .help = help_near,
                             .closure = &t};
  ts_ast_list items = ts_ast_items(decl);
  for (uint32_t i = 0; i < items.count; i++) {
    const ts_ast *item = items.at[i];
    if (item->kind == kind && !ts_required(b->s, env, item, &by)) {
      b->failed = true;
      return; /* what would do for it does for all */
    }
  }
}

/* What is left once every item has its place: no work missing, none doubled, clauses solved. */
static bool schedule_finish(builder *b)
{
  ts_schedule *sc = b->sc;
  if (!sc->items.count || !sc->micro_batches) {
    ts_diag *d = ts_report(b->s, TS_E0403, sc->span, "schedule `%s` places no work", sc->name);
    if (find_item(sc->decl, TS_AST_AT) || sc->policy) {
      ts_diag_here(d, "no work is placed with these arguments");
      ts_diag_help(d, "is the number of micro-batches at least 1?");
    } else {
      ts_diag_here(d, "needs `at r in 0..p { ... }` with F and B in it");
    }
    return false;
  }
  index_items(b);
  index_steps(b);
  if (!b->failed)
    check_items(b);
  if (b->failed || !ts_schedule_protocols(b->s, sc))
    return false;
  uint32_t *last = TS_NEW_ARRAY(b->s->arena, uint32_t, sc->stages + 1);
  for (uint32_t r = 0; r < sc->ranks; r++) {
    mark_last(sc, r, last);
    mark_readers(sc, r, last);
    mark_fresh(sc, r, last);
    give_places(sc, r);
  }
  return true;
}

bool ts_schedule_recorded(ts_session *s, ts_schedule *sc)
{
  builder b = {.s = s, .sc = sc};
  index_items(&b);
  index_steps(&b);
  return ts_schedule_protocols(s, sc);
}

/* The schedule's parameters and names, and its stages; not yet any work. */
static bool open_declaration(builder *b, const ts_applied *schedule)
{
  ts_schedule *sc = b->sc;
  const ts_ast *decl = schedule->decl;
  sc->name = decl->name;
  sc->span = schedule->span;
  sc->decl = decl;
  sc->outside = schedule->env;
  ts_env *bound = ts_bind_record(b->s, schedule->env, decl, &schedule->args);
  if (!bound)
    return false;
  ts_env *env = with_lets(b, bound, decl);
  sc->env = env;
  requirements(b, env, bound, decl, TS_AST_REQUIRE);
  return !b->failed && layout(b, env, decl);
}

bool ts_schedule_parts(ts_session *s, const ts_applied *schedule, uint32_t *parts)
{
  builder b = {.s = s, .sc = TS_NEW(s->arena, ts_schedule)};
  b.sc->arena = s->arena;
  if (!open_declaration(&b, schedule))
    return false;
  *parts = b.sc->parts;
  return true;
}

/* What an exact order comes from; NULL: from more than can be said. */
static ts_cache_item *schedule_ask(ts_session *s, const ts_schedule *sc)
{
  const uint64_t numbers[] = {sc->axis,   sc->ranks,  sc->chunks,
                              sc->stages, sc->copies, s->options->listed};
  ts_content c = {0};
  if (s->options->order || sc->protocols.type != TS_T_NONE || sc->order ||
      find_item(sc->decl, TS_AST_POLICY) || sc->outside != ts_decl_env(s, sc->decl))
    return NULL;
  ts_content_node(s, &c, sc->decl);
  ts_content_span(s, &c, sc->span);
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    ts_content_add(s, &c, numbers[i]);
  ts_content_env(s, &c, sc->env, sc->outside);
  ts_content_mesh(s, &c, sc->axis == TS_NO_INDEX ? 0 : UINT32_C(1) << sc->axis);
  return ts_shared_ask(s, &c);
}

/* Placed as another one was that comes from the same. */
static void place_as(ts_schedule *sc, const ts_schedule *known)
{
  sc->micro_batches = known->micro_batches;
  sc->left_rounds = known->left_rounds;
  sc->left_out = known->left_out;
  sc->round = known->round;
  sc->without = known->without;
  sc->items.at = known->items.at;
  sc->items.count = sc->items.room = known->items.count;
  sc->order = known->order;
  sc->steps = known->steps;
  sc->step_first = known->step_first;
  sc->at = known->at;
}

static void *carve(char **room, const void *from, size_t size)
{
  void *to = *room;
  memcpy(to, from, size);
  *room += (size + 7) / 8 * 8;
  return to;
}

/* An order without clauses between items, in one piece; NULL: it has some, or is too large. */
static const ts_schedule *shared_order(ts_session *s, ts_cache_item *item, const ts_schedule *sc)
{
  size_t items = sc->items.count * sizeof *sc->items.at, order = sc->ranks * sizeof *sc->order,
         steps = sc->step_first[sc->ranks] * sizeof *sc->steps, round = sc->left_out ? order : 0,
         first = (sc->ranks + (size_t)1) * sizeof *sc->step_first,
         at = (size_t)TS_WORK_KINDS * sc->stages * sc->micro_batches * sizeof *sc->at;
  char *room =
    sc->ties.count || sc->slowed.count || sc->changes.count ?
      NULL :
      ts_shared_room(s, item, sizeof *sc + items + order + round + steps + first + at + 7 * 8);
  if (!room)
    return NULL;
  ts_schedule *shared = carve(&room, &(ts_schedule){0}, sizeof *sc);
  shared->micro_batches = sc->micro_batches;
  shared->left_rounds = sc->left_rounds;
  shared->left_out = sc->left_out;
  shared->without = sc->without;
  shared->items.count = sc->items.count;
  shared->items.at = carve(&room, sc->items.at, items);
  shared->order = carve(&room, sc->order, order);
  shared->round = carve(&room, sc->round, round);
  shared->steps = carve(&room, sc->steps, steps);
  shared->step_first = carve(&room, sc->step_first, first);
  shared->at = carve(&room, sc->at, at);
  return shared;
}

/* Enough for stages to come to a rhythm: those of a long pipeline have found it while it filled. */
static uint32_t rounds_listed(const ts_session *s, const ts_schedule *sc)
{
  enum { MOST = 64 };
  uint32_t more = 2 * sc->ranks < MOST ? 2 * sc->ranks : MOST;
  return s->options->listed ? s->options->listed + more : 0;
}

/* As if all rounds were listed. */
static bool holds_items(const ts_session *s, const ts_schedule *sc)
{
  uint64_t items = sc->items.count;
  for (uint32_t r = 0; sc->left_out && r < sc->ranks; r++)
    items += (uint64_t)sc->left_rounds * sc->round[r].count;
  return items <= s->limits.items;
}

/* Rounds that are equal to others are left out. */
static bool finish_some(builder *b, size_t said)
{
  const ts_schedule *sc = b->sc;
  return !b->failed && holds_items(b->s, sc) && schedule_finish(b) && !sc->ties.count &&
         !sc->slowed.count && b->s->diags->all.count == said;
}

/* Without placing them. False, and nothing is said: all are to be placed. */
static bool place_some(ts_session *s, ts_schedule *sc)
{
  const ts_schedule before = *sc;
  size_t said = s->diags->all.count;
  builder b = {.s = s, .sc = sc, .listed = rounds_listed(s, sc)};
  if (!b.listed)
    return false;
  ts_schedule_work(&b);
  if (!b.uneven && finish_some(&b, said))
    return true;
  *sc = before;
  s->diags->all.count = said;
  return false;
}

/* All are placed. */
static bool finish(builder *b)
{
  ts_schedule *sc = b->sc;
  const ts_schedule placed = *sc;
  size_t said = b->s->diags->all.count;
  if (b->failed || (ts_schedule_leave_out(b, rounds_listed(b->s, sc)) && finish_some(b, said)))
    return !b->failed;
  *sc = placed;
  b->s->diags->all.count = said;
  b->failed = false;
  return schedule_finish(b);
}

static bool schedule_place(ts_session *s, ts_schedule *sc)
{
  builder b = {.s = s, .sc = sc};
  requirements(&b, sc->env, sc->env, sc->decl, TS_AST_EXPECT);
  if (s->options->order)
    return ts_schedule_given(&b) && finish(&b);
  sc->policy = find_item(sc->decl, TS_AST_POLICY);
  if (sc->policy)
    return ts_policy_open(&b);
  if (place_some(s, sc))
    return true;
  ts_schedule_work(&b);
  return finish(&b);
}

bool ts_schedule_place(ts_session *s, ts_schedule *sc)
{
  if (!sc->decl) /* there is none */
    return true;
  ts_cache_item *item = schedule_ask(s, sc);
  const ts_schedule *known = ts_shared_result(item);
  if (known) {
    sc->origin = ts_shared_number(item);
    place_as(sc, known);
    return true;
  }
  ts_noting before = ts_noting_begin(s, (ts_touched){0});
  bool good = schedule_place(s, sc);
  ts_touched touched = ts_noting_end(s, &before);
  ts_shared_give(s, item, &before, touched, good && item ? shared_order(s, item, sc) : NULL);
  sc->origin = ts_shared_number(item);
  return good;
}

bool ts_schedule_settle(ts_session *s, ts_schedule *sc, const ts_stage_costs *costs)
{
  builder b = {.s = s, .sc = sc};
  ts_stage_costs slowed = *costs;
  return ts_schedule_slow(s, sc, &slowed.slow) && ts_policy_run(&b, &slowed) && finish(&b);
}

/* A plan without a schedule: every micro-batch forward and backward, one after the other. */
static void neutral(builder *b, const ts_plan *plan, uint32_t micro_batches)
{
  ts_schedule *sc = b->sc;
  static const uint32_t zero[1];
  ts_order *order = TS_NEW(b->s->arena, ts_order);
  sc->name = "";
  sc->span = plan->decl->name_span;
  sc->ranks = sc->chunks = sc->stages = sc->parts = sc->copies = 1;
  sc->axis = TS_NO_INDEX;
  uint32_t listed = rounds_listed(b->s, sc);
  sc->left_out = listed && micro_batches > 2 * listed ? micro_batches - listed : 0;
  sc->left_rounds = sc->left_out;
  sc->micro_batches = micro_batches - sc->left_out;
  sc->round =
    ts_arena_copy(b->s->arena, &(ts_order){listed & ~UINT32_C(1), 2}, sizeof *sc->round);
  sc->stage_of = sc->rank_of = sc->chunk_of = zero;
  for (uint32_t i = 0; i < sc->micro_batches; i++) {
    TS_PUSH(sc->arena, &sc->items,
            (ts_placed){.kind = TS_FORWARD, .micro_batch = i, .span = sc->span});
    TS_PUSH(sc->arena, &sc->items,
            (ts_placed){.kind = TS_BACKWARD, .micro_batch = i, .span = sc->span});
  }
  TS_PUSH(sc->arena, &sc->items, (ts_placed){.kind = TS_STEP, .span = sc->span});
  order->count = (uint32_t)sc->items.count;
  sc->order = order;
}

ts_schedule *ts_schedule_open(ts_session *s, const ts_plan *plan, uint32_t micro_batches)
{
  builder b = {.s = s, .sc = TS_NEW(s->arena, ts_schedule)};
  b.sc->arena = s->arena;
  b.sc->protocols = plan->protocols;
  b.sc->protocols_span = plan->span_of[TS_PLAN_protocols];
  if (plan->schedule.type == TS_T_APPLIED)
    return open_declaration(&b, plan->schedule.u.applied) ? b.sc : NULL;
  neutral(&b, plan, micro_batches);
  return schedule_finish(&b) ? b.sc : NULL;
}
