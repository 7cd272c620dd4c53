/* The exact order of a schedule: the statements of `at` evaluated for one rank after the other. */
#include <string.h>

#include "compiler/eval/function.h"
#include "compiler/eval/report.h"
#include "compiler/schedule/internal.h"

typedef ts_schedule_builder builder;

/* Items placed on the rank at hand, of each chunk: what `next` means. */
enum { FORWARDS, BACKWARDS, WEIGHTS, COUNTS };

static void work_list(builder *b, const ts_env *env, const ts_ast *body);

bool ts_work_kind_of(builder *b, const ts_ast *item, ts_work_kind *kind)
{
  for (int k = 0; k < TS_WORK_KINDS; k++)
    if (item->name[0] == *ts_work_letter((ts_work_kind)k) && !item->name[1]) {
      *kind = (ts_work_kind)k;
      return true;
    }
  ts_diag *d = ts_report(b->s, TS_E0401, item->name_span, "no work is named `%s`", item->name);
  ts_diag_here(d, "must be F, B, I, W or S");
  ts_diag_note(d, "F: forward; I: gradients of inputs; W: gradients of weights; B: I and W "
                  "together; S: the optimizer's step");
  b->failed = true;
  return false;
}

/* `limit` of chunks is small and known; of micro-batches it is what the tables hold. */
static bool item_number(builder *b, const ts_env *env, const ts_ast *arg,
                        const ts_known_code *code, const char *what, uint32_t limit,
                        uint32_t *number)
{
  int64_t n = 0;
  bool chunk = limit == b->sc->chunks;
  if (!ts_known_int(b->known, env, code, what, &n)) {
    b->failed = true;
    return false;
  }
  if (n < 0 || n >= (int64_t)limit) {
    ts_diag *d =
      ts_report(b->s, TS_E0403, arg->span, "%s at rank %u is %lld", what, b->rank, (long long)n);
    if (n < 0)
      ts_diag_here(d, "must be 0 or more");
    else
      ts_diag_here(d, "must be from 0 to %u", limit - 1);
    if (n < 0 && !chunk)
      ts_diag_help(d, "`if` and `for ... where` exclude items beyond the edges");
    if (n > 0 && chunk && limit == 1)
      ts_diag_help(d, "`chunks %lld` sets the number of stages of a rank", (long long)n + 1);
    b->failed = true;
    return false;
  }
  *number = (uint32_t)n;
  return true;
}

/* -- `next` -- */

static uint32_t *counter(builder *b, ts_work_kind kind, uint32_t chunk)
{
  int which = kind == TS_FORWARD ? FORWARDS : kind == TS_WEIGHT_GRADIENT ? WEIGHTS : BACKWARDS;
  return &b->count[(uint32_t)which * b->sc->chunks + chunk];
}

static void work_count(builder *b, const ts_placed *p)
{
  ++*counter(b, p->kind, p->chunk);
  if (p->kind == TS_BACKWARD)
    ++*counter(b, TS_WEIGHT_GRADIENT, p->chunk);
}

static bool is_next(const builder *b, const ts_env *env, const ts_ast *arg)
{
  const ts_ast *expr = ts_ast_value(arg);
  return expr->kind == TS_AST_ID && !strcmp(expr->name, "next") &&
         !ts_known_bound(b->known, env, expr->name);
}

/* What an item says, wherever it is placed: its first two arguments, and whether the first is
 * `next`. NULL after an error. */
typedef struct form { ts_work_kind kind; bool next; const ts_known_code *argument[2]; } form;

static const form *form_of(builder *b, const ts_env *env, const ts_ast *item)
{
  form *f = (form *)(uintptr_t)ts_names_get(&b->forms, (const char *)item);
  if (f)
    return f;
  f = TS_NEW(b->s->arena, form);
  if (!ts_work_kind_of(b, item, &f->kind))
    return NULL;
  f->next = item->count && is_next(b, env, ts_ast_args(item).at[0]);
  for (uint32_t i = f->next; i < item->count && i < 2; i++)
    f->argument[i] = ts_known_read(b->known, env, ts_ast_value(ts_ast_args(item).at[i]));
  ts_names_put(b->s->arena, &b->forms, (const char *)item, f);
  return f;
}

/* `W(next)` where there are several chunks: the oldest I of the rank that has no W yet. */
static bool oldest(builder *b, const ts_ast *item, ts_placed *placed)
{
  const ts_schedule *sc = b->sc;
  for (; b->oldest < sc->items.count; b->oldest++) {
    const ts_placed *p = &sc->items.at[b->oldest];
    if (p->kind != TS_INPUT_GRADIENT || p->micro_batch < *counter(b, TS_WEIGHT_GRADIENT, p->chunk))
      continue;
    placed->micro_batch = p->micro_batch;
    placed->chunk = p->chunk;
    return true;
  }
  ts_diag *d = ts_report(b->s, TS_E0404, item->span, "no I waits for its W at rank %u", b->rank);
  ts_diag_here(d, "`next` is the oldest I without W");
  b->failed = true;
  return false;
}

/* -- items -- */

static bool arguments(builder *b, const ts_env *env, const ts_ast *item, const form *form,
                      ts_placed *placed)
{
  ts_schedule *sc = b->sc;
  uint32_t max = placed->kind == TS_STEP ? 0 : 2, min = placed->kind == TS_STEP ? 0 : 1;
  if (item->count < min || item->count > max) {
    ts_diag *d =
      ts_report(b->s, TS_E0401, item->span, "`%s` takes %s", item->name,
                max ? "a micro-batch, and a chunk where there are several" : "no arguments");
    ts_diag_here(d, "%u given", item->count);
    if (!item->count)
      ts_diag_help(d, "`%s(i)`, or `%s(next)` for the micro-batch that comes next", item->name,
                   item->name);
    b->failed = true;
    return false;
  }
  if (!item->count)
    return true;
  if (item->count == 1 && sc->chunks > 1) {
    if (form->next && placed->kind == TS_WEIGHT_GRADIENT)
      return oldest(b, item, placed);
    ts_diag *d = ts_report(b->s, TS_E0401, item->span, "which of the %u chunks?", sc->chunks);
    ts_diag_here(d, "write `%s(i, c)`", item->name);
    b->failed = true;
    return false;
  }
  if (item->count > 1 &&
      !item_number(b, env, ts_ast_args(item).at[1], form->argument[1], "the chunk", sc->chunks,
                   &placed->chunk))
    return false;
  if (!form->next) {
    bool good = item_number(b, env, ts_ast_args(item).at[0], form->argument[0], "the micro-batch",
                            b->s->limits.items, &placed->micro_batch);
    b->uneven |= placed->micro_batch < b->moved;
    placed->micro_batch -= b->moved;
    return good;
  }
  if (b->listed) { /* the number counts what was placed */
    b->failed = true;
    return false;
  }
  placed->micro_batch = *counter(b, placed->kind, placed->chunk);
  return true;
}

static bool too_many_items(builder *b, const ts_ast *item)
{
  ts_diag *d = ts_report(b->s, TS_E0403, item->span, "the schedule places more than %s items",
                         ts_count_print(b->s->arena, b->s->limits.items));
  ts_diag_here(d, "one too many");
  ts_diag_help(d, "take fewer and larger micro-batches in a step, or fewer chunks");
  b->failed = true;
  return false;
}

static bool place_item(builder *b, const ts_env *env, const ts_ast *item)
{
  const form *form = form_of(b, env, item);
  ts_placed placed = {.span = item->span, .kind = form ? form->kind : TS_STEP};
  ts_schedule *sc = b->sc;
  if (!form || !arguments(b, env, item, form, &placed))
    return false;
  placed.stage = placed.kind == TS_STEP ? 0 : sc->stage_of[b->rank * sc->chunks + placed.chunk];
  if (sc->items.count >= b->s->limits.items)
    return too_many_items(b, item);
  if (placed.kind != TS_STEP) {
    if (placed.micro_batch >= sc->micro_batches)
      sc->micro_batches = placed.micro_batch + 1;
    work_count(b, &placed);
  }
  TS_PUSH(sc->arena, &sc->items, placed);
  return true;
}

/* Two items played as one: it begins when both may, and passes on what both made when both are
 * done. */
static void place_pair(builder *b, const ts_env *env, const ts_ast *pair)
{
  for (int k = 0; k < 2; k++)
    if (!strcmp(pair->child[k]->name, "S")) {
      ts_diag *d =
        ts_report(b->s, TS_E0401, pair->child[k]->span, "the step cannot overlap other work");
      ts_diag_here(d, "must be F, B, I or W");
      b->failed = true;
      return;
    }
  if (place_item(b, env, ts_ast_left(pair))) {
    size_t first = b->sc->items.count - 1;
    if (place_item(b, env, ts_ast_right(pair)))
      b->sc->items.at[first].paired = true;
  }
}

/* -- rounds that need not be listed -- */

enum { UNEVEN = 1 << 20 };

/* By how much an expression grows when `name` grows by one; UNEVEN: not always by the same. */
static int growth(const ts_ast *e, const char *name)
{
  if (e->kind == TS_AST_INT || e->kind == TS_AST_ID)
    return e->kind == TS_AST_ID && e->name == name;
  if (e->kind != TS_AST_BINARY || (e->u.op != TS_OP_ADD && e->u.op != TS_OP_SUB))
    return UNEVEN;
  int left = growth(ts_ast_left(e), name), right = growth(ts_ast_right(e), name);
  return left == UNEVEN || right == UNEVEN ? UNEVEN :
         e->u.op == TS_OP_ADD              ? left + right :
                                             left - right;
}

/* Adds to *ahead what an item brings forward, less what it takes back. */
static bool moves_on(const ts_ast *item, const char *name, int *ahead)
{
  ts_ast_list a = ts_ast_args(item);
  *ahead += (item->name[0] == 'F') - (item->name[0] == 'B' || item->name[0] == 'I');
  return a.count && growth(ts_ast_value(a.at[0]), name) == 1 &&
         (a.count == 1 || growth(ts_ast_value(a.at[1]), name) == 0);
}

/* Rounds of a loop differ by nothing but their micro-batches, which grow by one; as many go forward
 * as backward. */
static bool rounds_are_alike(const ts_ast *loop, ts_value over)
{
  ts_ast_list items = ts_ast_items(loop);
  int ahead = 0;
  bool alike = items.count && over.type == TS_T_RANGE && !ts_ast_where(loop);
  for (uint32_t i = 0; i < items.count && alike; i++) {
    const ts_ast *work = items.at[i];
    alike = work->kind == TS_AST_PAIR ?
              moves_on(ts_ast_left(work), loop->name, &ahead) &&
                moves_on(ts_ast_right(work), loop->name, &ahead) :
              work->kind == TS_AST_ITEM && moves_on(work, loop->name, &ahead);
  }
  return alike && !ahead;
}

/* How many rounds of the loop to leave out: as many on each rank, of one loop. */
static int64_t rounds_left_out(builder *b, const ts_ast *loop, ts_value over)
{
  int64_t count = ts_sequence_count(over), listed = b->listed;
  if (!rounds_are_alike(loop, over))
    return 0;
  if (count >= b->s->limits.items)
    too_many_items(b, ts_ast_items(loop).at[0]);
  if (!listed || b->failed)
    return 0;
  if (!b->sc->left_out && !b->rank && count > 2 * listed)
    b->sc->left_out = b->sc->left_rounds = (uint32_t)(count - listed);
  if (!b->sc->left_out || count < b->sc->left_out + listed / 2)
    return 0;
  b->uneven |= b->moved > 0;
  return b->sc->left_out;
}

static void loop(builder *b, const ts_env *env, const ts_ast *loop)
{
  ts_value over;
  if (!ts_eval_sequence(b->s, env, ts_ast_over(loop), "the range of `for`", &over)) {
    b->failed = true;
    return;
  }
  ts_env *inner = ts_env_new(b->s, env);
  int64_t out = rounds_left_out(b, loop, over), cut = (ts_sequence_count(over) - out) / 2;
  size_t before = 0; /* items before the round at hand */
  for (int64_t i = 0; i < ts_sequence_count(over) && !b->failed; i++) {
    if (out && i == cut) {
      b->round[b->rank] = (ts_order){(uint32_t)before, (uint32_t)(b->sc->items.count - before)};
      b->moved += (uint32_t)out;
      i += out;
    }
    before = b->sc->items.count;
    ts_env_bind(inner, loop->name, ts_sequence_at(over, i));
    bool take = true;
    if (ts_ast_where(loop) &&
        !ts_known_bool(b->known, inner, ts_ast_where(loop), "the condition of `for`", &take))
      b->failed = true;
    if (!ts_count_iteration(b->s, loop->span))
      b->failed = true;
    else if (take)
      work_list(b, inner, loop);
  }
}

static void branch(builder *b, const ts_env *env, const ts_ast *branch)
{
  bool truth = false;
  if (!ts_known_bool(b->known, env, ts_ast_condition(branch), "the condition of `if`", &truth))
    b->failed = true;
  else if (truth)
    work_list(b, env, ts_ast_then(branch));
  else if (ts_ast_else(branch))
    work_list(b, env, ts_ast_else(branch));
}

static void work_list(builder *b, const ts_env *outer, const ts_ast *body)
{
  ts_env *env = NULL; /* for names of its own, where there are any */
  ts_ast_list items = ts_ast_items(body);
  for (uint32_t i = 0; i < items.count && !b->failed; i++) {
    const ts_ast *work = items.at[i];
    if (work->kind == TS_AST_LET && !env)
      outer = env = ts_env_new(b->s, outer);
    switch (work->kind) {
    case TS_AST_LET:
      ts_env_bind(env, work->name, ts_eval_let(b->s, env, work));
      break;
    case TS_AST_ITEM: place_item(b, outer, work); break;
    case TS_AST_PAIR: place_pair(b, outer, work); break;
    case TS_AST_FOR: loop(b, outer, work); break;
    case TS_AST_IF_STMT: branch(b, outer, work); break;
    default: break;
    }
  }
}

/* The least and the largest rank that `at` names, if it names any. */
static bool ranks_named(ts_value where, int64_t *min, int64_t *max)
{
  *min = INT64_MAX;
  *max = INT64_MIN;
  if (where.type == TS_T_INT) {
    *min = *max = where.u.integer;
  } else if (where.type == TS_T_RANGE && where.u.range.begin < where.u.range.end) {
    *min = where.u.range.begin;
    *max = where.u.range.end - 1;
  }
  for (uint32_t i = 0; where.type == TS_T_LIST && i < where.u.list->count; i++) {
    int64_t rank = where.u.list->at[i].type == TS_T_INT ? where.u.list->at[i].u.integer : 0;
    *min = rank < *min ? rank : *min;
    *max = rank > *max ? rank : *max;
  }
  return *min <= *max;
}

static bool ranks_exist(builder *b, const ts_ast *at, ts_value where)
{
  int64_t min, max, ranks = b->sc->ranks;
  if (!ranks_named(where, &min, &max) || (min >= 0 && max < ranks))
    return true;
  ts_diag *d = ts_report(b->s, TS_E0225, ts_ast_ranks(at)->span,
                         "rank %lld is outside the pipeline", (long long)(min < 0 ? min : max));
  ts_diag_here(d, "ranks go from 0 to %lld", (long long)ranks - 1);
  b->failed = true;
  return false;
}

/* `at r in 0..p { }` or `at 0 { }`: the body, if it speaks of this rank. */
static void at_rank(builder *b, const ts_env *outer, const ts_ast *at)
{
  ts_env *env = ts_env_new(b->s, outer);
  ts_value where = ts_eval(b->s, env, ts_ast_ranks(at));
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
    ts_diag *d = ts_report(b->s, TS_E0220, ts_ast_ranks(at)->span,
                           "`at` needs a rank of the pipeline, a range or a list of them");
    ts_diag_here(d, "found %s", ts_value_describe(b->s->arena, where));
    b->failed = true;
    return;
  }
  }
  if (!here)
    return;
  if (at->name)
    ts_env_bind(env, at->name, ts_int_value(rank, at->name_span));
  work_list(b, env, at);
}

/* A rank ends with a step; where the schedule leaves it out it is added. Each uses gradients that
 * came after the one before. */
void ts_schedule_end_rank(builder *b, uint32_t first)
{
  ts_schedule *sc = b->sc;
  bool gradients = false, steps = false;
  for (uint32_t i = first; i < sc->items.count; i++) {
    const ts_placed *p = &sc->items.at[i];
    if (p->kind == TS_STEP && !gradients) {
      ts_diag *d =
        ts_report(b->s, TS_E0404, p->span, "a step of rank %u has no gradients to apply", b->rank);
      ts_diag_here(d, "no B or W %s", steps ? "since the step before" : "before it");
      ts_diag_help(
        d,
        "place S after the work whose gradients it applies; a rank ends with a step in any case");
      b->failed = true;
      return;
    }
    steps |= p->kind == TS_STEP;
    gradients =
      p->kind != TS_STEP && (gradients || p->kind == TS_BACKWARD || p->kind == TS_WEIGHT_GRADIENT);
  }
  if (sc->items.count > first && sc->items.at[sc->items.count - 1].kind == TS_STEP)
    return;
  TS_PUSH(sc->arena, &sc->items, (ts_placed){.kind = TS_STEP, .span = sc->span});
}

/* Ranks mostly place as many items each: room for all, once the first has placed its own. */
static void work_make_room(builder *b)
{
  ts_schedule *sc = b->sc;
  size_t room = sc->items.count * sc->ranks;
  if (b->rank || (b->listed && b->uneven) || sc->ranks < 2 || room > b->s->limits.items)
    return;
  ts_placed *at = ts_arena_alloc_raw(sc->arena, room * sizeof *at);
  memcpy(at, sc->items.at, sc->items.count * sizeof *at);
  sc->items.at = at;
  sc->items.room = room;
}

void ts_schedule_work(builder *b)
{
  ts_schedule *sc = b->sc;
  const ts_ast *decl = sc->decl;
  ts_order *order = TS_NEW_ARRAY(b->s->arena, ts_order, sc->ranks + 1);
  if (sc->order) /* read from a file */
    return;
  sc->round = b->round = TS_NEW_ARRAY(b->s->arena, ts_order, sc->ranks + 1);
  b->count = TS_NEW_ARRAY(b->s->arena, uint32_t, COUNTS * sc->chunks + 1);
  b->known = ts_known_new(b->s, sc->env);
  for (b->rank = 0; b->rank < sc->ranks && !b->failed && !(b->listed && b->uneven); b->rank++) {
    memset(b->count, 0, COUNTS * sc->chunks * sizeof *b->count);
    b->oldest = order[b->rank].first = (uint32_t)sc->items.count;
    b->moved = 0;
    ts_ast_list items = ts_ast_items(decl);
    for (uint32_t i = 0; i < items.count && !b->failed; i++)
      if (items.at[i]->kind == TS_AST_AT)
        at_rank(b, sc->env, items.at[i]);
    ts_schedule_end_rank(b, order[b->rank].first);
    order[b->rank].count = (uint32_t)sc->items.count - order[b->rank].first;
    b->round[b->rank].first -= order[b->rank].first;
    b->uneven |= !b->moved;
    work_make_room(b);
  }
  sc->order = order;
}
