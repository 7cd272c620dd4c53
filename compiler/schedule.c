/* Evaluates a schedule's declaration to the order of work of each rank, and checks that nothing is missing or out of order there. What
 * waits for what between ranks is checked by compiler/progress.c, once the model's tensors are known. */
#include "compiler/schedule.h"

#include <string.h>

static const char *const letters[TS_WORK_KINDS] = {"F", "B", "I", "W", "S"};

const char *ts_work_letter(ts_work_kind kind) { return letters[kind]; }

typedef struct builder {
  ts_session *s;
  ts_schedule *sc;
  uint32_t rank;
  bool failed;
} builder;

uint32_t ts_schedule_find(const ts_schedule *sc, ts_work_kind kind, uint32_t stage, uint32_t micro_batch)
{
  if (stage >= sc->stages || micro_batch >= sc->micro_batches)
    return TS_NO_INDEX;
  return sc->at[((size_t)kind * sc->stages + stage) * sc->micro_batches + micro_batch];
}

uint32_t ts_schedule_rank(const ts_schedule *sc, uint32_t item)
{
  uint32_t low = 0, high = sc->ranks;
  while (high - low > 1) {
    uint32_t middle = low + (high - low) / 2;
    if (sc->order[middle].first <= item)
      low = middle;
    else
      high = middle;
  }
  return low;
}

const char *ts_placed_name(ts_session *s, const ts_schedule *sc, uint32_t item)
{
  const ts_placed *p = &sc->items.at[item];
  if (p->kind == TS_STEP)
    return ts_arena_printf(s->arena, "S at rank %u", ts_schedule_rank(sc, item));
  if (sc->chunks == 1)
    return ts_arena_printf(s->arena, "%s(%u) at stage %u", letters[p->kind], p->micro_batch, p->stage);
  return ts_arena_printf(s->arena, "%s(%u, %u) at rank %u", letters[p->kind], p->micro_batch, p->chunk, sc->rank_of[p->stage]);
}

/* -- work -- */

static void work_list(builder *b, const ts_env *env, const ts_ast *body, uint32_t first);

static bool work_kind(builder *b, const ts_ast *item, ts_work_kind *kind)
{
  for (int k = 0; k < TS_WORK_KINDS; k++)
    if (!strcmp(item->name, letters[k])) {
      *kind = (ts_work_kind)k;
      return true;
    }
  ts_diag *d = ts_report(b->s, TS_E0401, item->name_span, "no work is called `%s`", item->name);
  ts_diag_here(d, "must be F, B, I, W or S");
  ts_diag_note(d, "F: forward; I: gradients of inputs; W: gradients of weights; B: I and W together; S: the optimizer's step");
  b->failed = true;
  return false;
}

static bool item_number(builder *b, const ts_env *env, const ts_ast *arg, const char *what, uint32_t limit, const char *limit_name, uint32_t *number)
{
  int64_t n = 0;
  if (!ts_eval_int(b->s, env, arg->child[0], what, &n)) {
    b->failed = true;
    return false;
  }
  if (n < 0 || n >= (int64_t)limit) {
    ts_diag *d = ts_report(b->s, TS_E0403, arg->span, "%s is %lld", what, (long long)n);
    ts_diag_here(d, "must be from 0 to %s", limit_name);
    b->failed = true;
    return false;
  }
  *number = (uint32_t)n;
  return true;
}

static void place_item(builder *b, const ts_env *env, const ts_ast *item)
{
  ts_placed placed = {.span = item->span};
  ts_schedule *sc = b->sc;
  if (!work_kind(b, item, &placed.kind))
    return;
  uint32_t most = placed.kind == TS_STEP ? 0 : 2, least = placed.kind == TS_STEP ? 0 : 1;
  if (item->count < least || item->count > most) {
    ts_diag *d = ts_report(b->s, TS_E0401, item->span, "`%s` takes %s", item->name, most ? "a micro-batch, and a chunk where there are several" : "no arguments");
    ts_diag_here(d, "%u given", item->count);
    b->failed = true;
    return;
  }
  if (item->count > 0 && !item_number(b, env, item->child[0], "the micro-batch", TS_MAX_ITEMS, "16777215", &placed.micro_batch))
    return;
  if (item->count > 1 &&
      !item_number(b, env, item->child[1], "the chunk", sc->chunks, ts_arena_printf(b->s->arena, "%u", sc->chunks - 1), &placed.chunk))
    return;
  if (item->count == 1 && sc->chunks > 1) {
    ts_diag *d = ts_report(b->s, TS_E0401, item->span, "which of the %u chunks?", sc->chunks);
    ts_diag_here(d, "write `%s(i, c)`", item->name);
    b->failed = true;
    return;
  }
  placed.stage = placed.kind == TS_STEP ? 0 : sc->stage_of[b->rank * sc->chunks + placed.chunk];
  if (sc->items.count >= TS_MAX_ITEMS) {
    ts_diag *d = ts_report(b->s, TS_E0403, item->span, "the schedule places more than %d items", TS_MAX_ITEMS);
    ts_diag_here(d, "one too many");
    b->failed = true;
    return;
  }
  if (placed.micro_batch >= sc->micro_batches && placed.kind != TS_STEP)
    sc->micro_batches = placed.micro_batch + 1;
  TS_PUSH(b->s->arena, &sc->items, placed);
}

static void loop(builder *b, const ts_env *env, const ts_ast *loop)
{
  ts_value over = ts_eval(b->s, env, loop->child[0]);
  int64_t count = over.type == TS_T_RANGE ? over.u.range.end - over.u.range.begin : over.type == TS_T_LIST ? (int64_t)over.u.list->count : -1;
  if (over.type != TS_T_RANGE && over.type != TS_T_LIST) {
    if (over.type != TS_T_ERROR) {
      ts_diag *d = ts_report(b->s, TS_E0220, loop->child[0]->span, "`for` needs a range or a list");
      ts_diag_here(d, "found %s", ts_value_describe(b->s->arena, over));
    }
    b->failed = true;
    return;
  }
  ts_env *inner = ts_env_new(b->s, env);
  for (int64_t i = 0; i < count && !b->failed; i++) {
    ts_value v = over.type == TS_T_RANGE ? ts_int_value(over.u.range.begin + i, loop->name_span) : over.u.list->at[i];
    ts_env_bind(inner, loop->name, v);
    bool take = true;
    if (loop->child[1] && !ts_eval_bool(b->s, inner, loop->child[1], "the condition of `for`", &take))
      b->failed = true;
    if (take)
      work_list(b, inner, loop, 2);
  }
}

static void branch(builder *b, const ts_env *env, const ts_ast *branch)
{
  bool truth = false;
  if (!ts_eval_bool(b->s, env, branch->child[0], "the condition of `if`", &truth))
    b->failed = true;
  else if (truth)
    work_list(b, env, branch->child[1], 0);
  else if (branch->count > 2 && branch->child[2])
    work_list(b, env, branch->child[2], 0);
}

static void work_list(builder *b, const ts_env *outer, const ts_ast *body, uint32_t first)
{
  ts_env *env = ts_env_new(b->s, outer);
  for (uint32_t i = first; i < body->count && !b->failed; i++) {
    const ts_ast *work = body->child[i];
    switch (work->kind) {
    case TS_AST_LET: ts_env_bind(env, work->name, ts_eval(b->s, env, work->child[work->count - 1])); break;
    case TS_AST_ITEM: place_item(b, env, work); break;
    case TS_AST_OVERLAP:
      place_item(b, env, work->child[0]);
      place_item(b, env, work->child[1]);
      break;
    case TS_AST_FOR: loop(b, env, work); break;
    case TS_AST_IF_STMT: branch(b, env, work); break;
    default: break;
    }
  }
}

/* `at r in 0..p { }` or `at 0 { }`: the body, if it speaks of this rank. */
/* The least and the largest rank that `at` names, if it names any. */
static bool ranks_named(ts_value where, int64_t *least, int64_t *most)
{
  *least = INT64_MAX;
  *most = INT64_MIN;
  if (where.type == TS_T_INT) {
    *least = *most = where.u.integer;
  } else if (where.type == TS_T_RANGE && where.u.range.begin < where.u.range.end) {
    *least = where.u.range.begin;
    *most = where.u.range.end - 1;
  }
  for (uint32_t i = 0; where.type == TS_T_LIST && i < where.u.list->count; i++) {
    int64_t rank = where.u.list->at[i].type == TS_T_INT ? where.u.list->at[i].u.integer : 0;
    *least = rank < *least ? rank : *least;
    *most = rank > *most ? rank : *most;
  }
  return *least <= *most;
}

static bool ranks_exist(builder *b, const ts_ast *at, ts_value where)
{
  int64_t least, most, ranks = b->sc->ranks;
  if (!ranks_named(where, &least, &most) || (least >= 0 && most < ranks))
    return true;
  ts_diag *d = ts_report(b->s, TS_E0225, at->child[0]->span, "rank %lld is outside the pipeline", (long long)(least < 0 ? least : most));
  ts_diag_here(d, "ranks go from 0 to %lld", (long long)ranks - 1);
  b->failed = true;
  return false;
}

static void at_rank(builder *b, const ts_env *outer, const ts_ast *at)
{
  ts_env *env = ts_env_new(b->s, outer);
  ts_value where = ts_eval(b->s, env, at->child[0]);
  int64_t rank = b->rank;
  bool here = false;
  if (!ranks_exist(b, at, where))
    return;
  switch (where.type) {
  case TS_T_INT: here = where.u.integer == rank; break;
  case TS_T_RANGE: here = where.u.range.begin <= rank && rank < where.u.range.end; break;
  case TS_T_LIST:
    for (uint32_t i = 0; i < where.u.list->count; i++)
      here |= where.u.list->at[i].type == TS_T_INT && where.u.list->at[i].u.integer == rank;
    break;
  case TS_T_ERROR: b->failed = true; return;
  default: {
    ts_diag *d = ts_report(b->s, TS_E0220, at->child[0]->span, "`at` needs a rank of the pipeline, a range or a list of them");
    ts_diag_here(d, "found %s", ts_value_describe(b->s->arena, where));
    b->failed = true;
    return;
  }
  }
  if (!here)
    return;
  if (at->name)
    ts_env_bind(env, at->name, ts_int_value(rank, at->name_span));
  work_list(b, env, at, 1);
}

/* -- stages -- */

static bool fail(builder *b)
{
  b->failed = true;
  return false;
}

static bool pipeline_axis(builder *b, const ts_env *env, const ts_ast *stages)
{
  ts_schedule *sc = b->sc;
  ts_value v = ts_eval(b->s, env, stages->child[0]);
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
    sc->ranks = (uint32_t)v.u.axes.size;
    for (sc->axis = 0; !(v.u.axes.mask >> sc->axis & 1);)
      sc->axis++;
    return true;
  }
  if (v.type != TS_T_ERROR) {
    ts_diag *d = ts_report(b->s, TS_E0320, stages->child[0]->span, "`stages` needs one axis of the mesh");
    ts_diag_here(d, "found %s", v.type == TS_T_AXIS ? "a product of axes" : ts_value_describe(b->s->arena, v));
    ts_diag_help(d, "declare the parameter as `p: Axis` and pass the name of the pipeline's axis");
  }
  return fail(b);
}

static bool stage_sizes(builder *b, const ts_env *env, const ts_ast *stages)
{
  ts_schedule *sc = b->sc;
  const ts_ast *by = stages->child[2];
  if (by && strcmp(by->name, "cost")) {
    ts_diag *d = ts_report(b->s, TS_E0313, by->span, "stages cannot be divided by `%s`", by->name);
    ts_diag_here(d, "must be `cost`");
    return fail(b);
  }
  sc->by_cost = by != NULL;
  if (!stages->child[1])
    return true;
  ts_value v = ts_eval(b->s, env, stages->child[1]);
  if (v.type == TS_T_ERROR)
    return fail(b);
  if (v.type == TS_T_LIST && !v.u.list->count) /* nothing stated */
    return true;
  bool good = v.type == TS_T_LIST && v.u.list->count == sc->stages;
  int64_t *sizes = TS_NEW_ARRAY(b->s->arena, int64_t, sc->stages + 1);
  for (uint32_t i = 0; good && i < sc->stages; i++) {
    good = v.u.list->at[i].type == TS_T_INT && v.u.list->at[i].u.integer >= 0;
    sizes[i] = v.u.list->at[i].u.integer;
  }
  if (!good) {
    ts_diag *d = ts_report(b->s, TS_E0313, stages->child[1]->span, "the sizes of the stages must be a list of %u Ints", sc->stages);
    ts_diag_here(d, "found %s", ts_value_describe(b->s->arena, v));
    return fail(b);
  }
  sc->sizes = sizes;
  return true;
}

/* Where chunk c of rank r is: c * ranks + r, unless the schedule says otherwise. */
static bool chunk_places(builder *b, const ts_env *env, const ts_ast *chunks)
{
  ts_schedule *sc = b->sc;
  uint32_t *stage_of = TS_NEW_ARRAY(b->s->arena, uint32_t, sc->stages + 1);
  uint32_t *rank_of = TS_NEW_ARRAY(b->s->arena, uint32_t, sc->stages + 1);
  uint32_t *chunk_of = TS_NEW_ARRAY(b->s->arena, uint32_t, sc->stages + 1);
  memset(rank_of, 0xff, sc->stages * sizeof *rank_of);
  ts_value place = ts_none_value();
  const ts_ast *expr = chunks && chunks->count > 1 ? chunks->child[1] : NULL;
  if (expr && (place = ts_eval(b->s, env, expr)).type == TS_T_ERROR)
    return fail(b);
  for (uint32_t r = 0; r < sc->ranks; r++)
    for (uint32_t c = 0; c < sc->chunks; c++) {
      int64_t stage = (int64_t)c * sc->ranks + r;
      if (expr) {
        ts_value args[3] = {ts_int_value(c, expr->span), ts_int_value(r, expr->span), ts_int_value(sc->ranks, expr->span)};
        ts_value v = ts_call(b->s, place, args, NULL, 3, expr->span);
        if (v.type == TS_T_ERROR)
          return fail(b);
        stage = v.type == TS_T_INT ? v.u.integer : -1;
      }
      if (stage < 0 || stage >= (int64_t)sc->stages || rank_of[stage] != TS_NO_INDEX) {
        ts_diag *d = ts_report(b->s, TS_E0407, expr->span, "chunk %u of rank %u cannot be stage %lld", c, r, (long long)stage);
        if (stage >= 0 && stage < (int64_t)sc->stages)
          ts_diag_here(d, "chunk %u of rank %u is stage %lld already", chunk_of[stage], rank_of[stage], (long long)stage);
        else
          ts_diag_here(d, "stages are 0 to %u", sc->stages - 1);
        return fail(b);
      }
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
  for (uint32_t i = 1; i < decl->count; i++)
    if (decl->child[i]->kind == kind)
      return decl->child[i];
  return NULL;
}

static bool layout(builder *b, const ts_env *env, const ts_ast *decl)
{
  ts_schedule *sc = b->sc;
  const ts_ast *stages = find_item(decl, TS_AST_STAGES), *chunks = find_item(decl, TS_AST_CHUNKS);
  int64_t v = 1;
  if (!stages) {
    ts_diag *d = ts_report(b->s, TS_E0320, decl->name_span, "schedule `%s` does not say how many stages there are", decl->name);
    ts_diag_here(d, "needs `stages p`");
    return fail(b);
  }
  if (!pipeline_axis(b, env, stages) || (chunks && !ts_eval_int(b->s, env, chunks->child[0], "the number of chunks", &v)))
    return fail(b);
  if (v < 1 || v * sc->ranks > TS_MAX_STAGES) {
    ts_diag *d = ts_report(b->s, TS_E0407, chunks ? chunks->span : stages->span, "%lld chunks on %u ranks", (long long)v, sc->ranks);
    ts_diag_here(d, "chunks times ranks must be from 1 to %d", TS_MAX_STAGES);
    return fail(b);
  }
  sc->chunks = (uint32_t)v;
  sc->stages = sc->chunks * sc->ranks;
  return stage_sizes(b, env, stages) && chunk_places(b, env, chunks);
}

/* -- checks -- */

static void index_items(builder *b)
{
  ts_schedule *sc = b->sc;
  size_t size = (size_t)TS_WORK_KINDS * sc->stages * sc->micro_batches;
  uint32_t *at = TS_NEW_ARRAY(b->s->arena, uint32_t, size + 1);
  memset(at, 0xff, size * sizeof *at);
  for (uint32_t i = 0; i < sc->items.count; i++) {
    const ts_placed *p = &sc->items.at[i];
    if (p->kind == TS_STEP)
      continue;
    uint32_t *slot = &at[((size_t)p->kind * sc->stages + p->stage) * sc->micro_batches + p->micro_batch];
    if (*slot != TS_NO_INDEX) {
      ts_diag *d = ts_report(b->s, TS_E0403, p->span, "%s is placed twice", ts_placed_name(b->s, sc, i));
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
  ts_diag *d = ts_report(b->s, TS_E0403, sc->span, "schedule `%s` never places %s(%u%s) at rank %u", sc->name, what, micro_batch,
                         sc->chunks > 1 ? ts_arena_printf(b->s->arena, ", %u", sc->chunk_of[stage]) : "", sc->rank_of[stage]);
  ts_diag_here(d, "%u micro-batches on %u stages", sc->micro_batches, sc->stages);
  ts_diag_note(d, "every micro-batch needs F, and B or else I and W, once on every stage");
  b->failed = true;
}

static void before(builder *b, uint32_t first, uint32_t second)
{
  if (first < second || first == TS_NO_INDEX || second == TS_NO_INDEX)
    return;
  ts_diag *d = ts_report(b->s, TS_E0404, b->sc->items.at[second].span, "%s comes before %s", ts_placed_name(b->s, b->sc, second), ts_placed_name(b->s, b->sc, first));
  ts_diag_here(d, "needs what the other makes");
  if (b->sc->items.at[first].span.begin != b->sc->items.at[second].span.begin)
    ts_diag_label(d, b->sc->items.at[first].span, "placed later");
  b->failed = true;
}

static void check_items(builder *b)
{
  const ts_schedule *sc = b->sc;
  for (uint32_t stage = 0; stage < sc->stages && !b->failed; stage++)
    for (uint32_t i = 0; i < sc->micro_batches && !b->failed; i++) {
      uint32_t f = ts_schedule_find(sc, TS_FORWARD, stage, i), whole = ts_schedule_find(sc, TS_BACKWARD, stage, i);
      uint32_t input = ts_schedule_find(sc, TS_INPUT_GRADIENT, stage, i), weight = ts_schedule_find(sc, TS_WEIGHT_GRADIENT, stage, i);
      if (f == TS_NO_INDEX)
        missing(b, "F", stage, i);
      else if (whole == TS_NO_INDEX && input == TS_NO_INDEX && weight == TS_NO_INDEX)
        missing(b, "B", stage, i);
      else if (whole == TS_NO_INDEX && (input == TS_NO_INDEX || weight == TS_NO_INDEX))
        missing(b, input == TS_NO_INDEX ? "I" : "W", stage, i);
      else if (whole != TS_NO_INDEX && (input != TS_NO_INDEX || weight != TS_NO_INDEX)) {
        uint32_t other = input != TS_NO_INDEX ? input : weight;
        ts_diag *d = ts_report(b->s, TS_E0403, sc->items.at[other].span, "%s is part of %s", ts_placed_name(b->s, sc, other), ts_placed_name(b->s, sc, whole));
        ts_diag_here(d, "B is I and W together");
        b->failed = true;
      }
      before(b, f, whole);
      before(b, f, input);
      before(b, input, weight);
    }
}

static void mark_last(ts_schedule *sc, uint32_t *last)
{
  memset(last, 0xff, sc->stages * sizeof *last);
  for (uint32_t i = 0; i < sc->items.count; i++)
    if (sc->items.at[i].kind == TS_BACKWARD || sc->items.at[i].kind == TS_WEIGHT_GRADIENT)
      last[sc->items.at[i].stage] = i;
  for (uint32_t stage = 0; stage < sc->stages; stage++)
    if (last[stage] != TS_NO_INDEX)
      sc->items.at[last[stage]].last = true;
}

/* The step stands last, once; where the schedule leaves it out it is added. */
static void place_step(builder *b, uint32_t first)
{
  ts_schedule *sc = b->sc;
  for (uint32_t i = first; i < sc->items.count; i++) {
    if (sc->items.at[i].kind != TS_STEP)
      continue;
    if (i + 1 == sc->items.count)
      return;
    ts_diag *d = ts_report(b->s, TS_E0404, sc->items.at[i].span, "work after the optimizer's step");
    ts_diag_here(d, "S must be the last item of its rank");
    b->failed = true;
    return;
  }
  TS_PUSH(b->s->arena, &sc->items, (ts_placed){.kind = TS_STEP, .span = sc->span});
}

static void work(builder *b, const ts_env *env, const ts_ast *decl)
{
  ts_schedule *sc = b->sc;
  ts_order *order = TS_NEW_ARRAY(b->s->arena, ts_order, sc->ranks + 1);
  for (b->rank = 0; b->rank < sc->ranks && !b->failed; b->rank++) {
    order[b->rank].first = (uint32_t)sc->items.count;
    for (uint32_t i = 1; i < decl->count && !b->failed; i++)
      if (decl->child[i]->kind == TS_AST_AT)
        at_rank(b, env, decl->child[i]);
    place_step(b, order[b->rank].first);
    order[b->rank].count = (uint32_t)sc->items.count - order[b->rank].first;
  }
  sc->order = order;
}

static void requirements(builder *b, const ts_env *env, const ts_ast *decl)
{
  for (uint32_t i = 1; i < decl->count; i++) {
    const ts_ast *require = decl->child[i];
    bool truth = true;
    if (require->kind != TS_AST_REQUIRE)
      continue;
    if (!ts_eval_bool(b->s, env, require->child[0], "a requirement", &truth))
      b->failed = true;
    else if (!truth) {
      ts_diag *d = ts_report(b->s, TS_E0406, b->sc->span, "schedule `%s` cannot be applied here", decl->name);
      ts_diag_here(d, "%s", require->child[1]->literal);
      ts_diag_note_at(d, require->span, "it requires this");
      b->failed = true;
    }
  }
}

static ts_env *with_lets(builder *b, const ts_env *bound, const ts_ast *decl)
{
  ts_env *env = ts_env_new(b->s, bound);
  for (uint32_t i = 1; i < decl->count; i++)
    if (decl->child[i]->kind == TS_AST_LET)
      ts_env_bind(env, decl->child[i]->name, ts_eval(b->s, env, decl->child[i]->child[decl->child[i]->count - 1]));
  return env;
}

static bool from_declaration(builder *b, const ts_applied *schedule)
{
  ts_schedule *sc = b->sc;
  const ts_ast *decl = schedule->decl;
  sc->name = decl->name;
  sc->span = schedule->span;
  ts_env *bound = ts_bind_record(b->s, schedule->env, decl, &schedule->args);
  if (!bound)
    return false;
  ts_env *env = with_lets(b, bound, decl);
  requirements(b, env, decl);
  if (b->failed || !layout(b, env, decl))
    return false;
  work(b, env, decl);
  if (b->failed)
    return false;
  if (!sc->micro_batches) {
    ts_diag *d = ts_report(b->s, TS_E0403, sc->span, "schedule `%s` places no work", sc->name);
    ts_diag_here(d, "needs `at r in 0..p { ... }` with F and B in it");
    return false;
  }
  index_items(b);
  if (!b->failed)
    check_items(b);
  return !b->failed && ts_schedule_rules(b->s, sc, env, decl);
}

/* A plan without a schedule: every micro-batch forward and backward, one after the other. */
static void neutral(builder *b, const ts_plan *plan, uint32_t micro_batches)
{
  ts_schedule *sc = b->sc;
  static const uint32_t zero[1];
  ts_order *order = TS_NEW(b->s->arena, ts_order);
  sc->name = "";
  sc->span = plan->decl->name_span;
  sc->ranks = sc->chunks = sc->stages = 1;
  sc->axis = TS_NO_INDEX;
  sc->micro_batches = micro_batches;
  sc->stage_of = sc->rank_of = sc->chunk_of = zero;
  for (uint32_t i = 0; i < micro_batches; i++) {
    TS_PUSH(b->s->arena, &sc->items, (ts_placed){.kind = TS_FORWARD, .micro_batch = i, .span = sc->span});
    TS_PUSH(b->s->arena, &sc->items, (ts_placed){.kind = TS_BACKWARD, .micro_batch = i, .span = sc->span});
  }
  TS_PUSH(b->s->arena, &sc->items, (ts_placed){.kind = TS_STEP, .span = sc->span});
  order->count = (uint32_t)sc->items.count;
  sc->order = order;
  index_items(b);
}

ts_schedule *ts_schedule_build(ts_session *s, const ts_plan *plan, uint32_t micro_batches)
{
  builder b = {.s = s, .sc = TS_NEW(s->arena, ts_schedule)};
  if (plan->schedule.type == TS_T_APPLIED) {
    if (!from_declaration(&b, plan->schedule.u.applied))
      return NULL;
  } else {
    neutral(&b, plan, micro_batches);
  }
  mark_last(b.sc, TS_NEW_ARRAY(s->arena, uint32_t, b.sc->stages + 1));
  return b.sc;
}
