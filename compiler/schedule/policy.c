/* A policy: an order made of the plan's costs, by list scheduling or from a timetable. Here it is
 * read, its limits are kept, and with `try`, or several policies, the shortest of several orders is
 * found: the first of equals. */
#include <math.h>
#include <string.h>

#include "compiler/schedule/policy.h"

#include "compiler/eval/mesh.h"
#include "compiler/eval/report.h"

typedef ts_schedule_builder builder;

/* -- reading -- */

static bool policy_fail(builder *b)
{
  b->failed = true;
  return false;
}

static bool wrong_limit(builder *b, const ts_ast *node)
{
  ts_diag *d = ts_report(b->s, TS_E0408, node->span, "this is not a limit of a policy");
  ts_diag_here(d, "must be `live <= n`, `live(c) <= n`, `open <= n`, `open(c) <= n`, `F(i, c) <= "
                  "n`, `memory <= size` or `delay(W) <= time`");
  return policy_fail(b);
}

/* A number for every item of a kind on a rank, none of them asked for yet. */
static double *policy_unknown(builder *b, ts_arena *arena)
{
  size_t n = (size_t)b->sc->chunks * b->sc->micro_batches;
  double *numbers = TS_NEW_ARRAY(arena, double, n + 1);
  for (size_t k = 0; k < n; k++)
    numbers[k] = NAN;
  return numbers;
}

static const ts_ast *argument(const ts_ast *call, uint32_t i)
{
  ts_ast_list args = ts_ast_args(call);
  return i < args.count ? ts_ast_value(args.at[i]) : NULL;
}

/* Of a number, or of an axis, whose size counts. */
static double policy_number_of(ts_session *s, ts_value v)
{
  return v.type == TS_T_INT  ? (double)v.u.integer :
         v.type == TS_T_AXIS ? (double)ts_axes_size(s, v.u.axes.mask) :
                               v.u.real;
}

static bool is_number(ts_value v) { return ts_value_is_number(v) || v.type == TS_T_AXIS; }

/* A time, or a number: shares of the item's own time. */
static bool delay_limit(builder *b, ts_rank_policy *p, const ts_ast *call, const ts_ast *most)
{
  const ts_ast *of = argument(call, 0);
  ts_work_kind kind = TS_STEP;
  for (int k = 0; of && of->kind == TS_AST_ID && k < TS_STEP; k++)
    kind = !strcmp(of->name, ts_work_letter((ts_work_kind)k)) ? (ts_work_kind)k : kind;
  if (kind == TS_STEP)
    return wrong_limit(b, call);
  ts_value v = ts_eval(b->s, p->env, most);
  bool time = v.type == TS_T_QUANTITY && ts_dimension_equal(v.dimension, TS_DIM_TIME);
  if (!time && !is_number(v)) {
    if (v.type != TS_T_ERROR) {
      ts_diag *d =
        ts_report(b->s, TS_E0220, most->span,
                  "a delay is a time, or a share of the time of the work that causes it");
      ts_diag_here(d, "found %s", ts_value_describe(b->s->arena, v));
    }
    return policy_fail(b);
  }
  double most_delay = fmax(time ? v.u.real * 1e12 : policy_number_of(b->s, v), 0);
  p->delay[kind] = (ts_allowance){time ? 0 : most_delay, time ? most_delay : 0};
  return true;
}

static bool read_limit(builder *b, ts_arena *arena, ts_rank_policy *p, const ts_ast *node)
{
  const ts_ast *e = ts_ast_value(node),
               *left = e->kind == TS_AST_BINARY && e->u.op == TS_OP_LE ? ts_ast_left(e) : NULL;
  const ts_ast *head = left && left->kind == TS_AST_CALL ? ts_ast_function(left) : left;
  ts_policy_limit l = {
    .node = node, .most = left ? ts_ast_right(e) : NULL, .chunk = TS_NO_INDEX, .value = NAN};
  int64_t chunk;
  if (!head || head->kind != TS_AST_ID)
    return wrong_limit(b, node);
  if (!strcmp(head->name, "delay") && head != left)
    return delay_limit(b, p, left, l.most);
  if (!strcmp(head->name, "F") && head != left) {
    l.item = left;
    l.env = ts_env_new(b->s, p->env);
    l.known = policy_unknown(b, arena);
  } else if (!strcmp(head->name, "memory") && head == left) {
    l.bytes = true;
    if (!ts_eval_quantity(b->s, p->env, l.most, TS_DIM_SIZE, "the memory for activations",
                          &l.value))
      return policy_fail(b);
    l.value /= 8;
  } else if (!strcmp(head->name, "live") || !strcmp(head->name, "open")) {
    l.open = *head->name == 'o';
    ts_value v = ts_eval(b->s, p->env, l.most);
    if (v.type == TS_T_ERROR)
      return policy_fail(b);
    if (!is_number(v)) {
      ts_diag *d = ts_report(b->s, TS_E0220, l.most->span, "`%s` counts forwards", head->name);
      ts_diag_here(d, "found %s", ts_value_describe(b->s->arena, v));
      return policy_fail(b);
    }
    l.value = policy_number_of(b->s, v);
    if (head != left &&
        (!argument(left, 0) || !ts_eval_int(b->s, p->env, argument(left, 0), "a chunk", &chunk)))
      return policy_fail(b);
    l.chunk = head != left ? (uint32_t)chunk : TS_NO_INDEX;
  } else {
    return wrong_limit(b, node);
  }
  TS_PUSH(arena, &p->limits, l);
  return true;
}

/* `first`: where the same kind of work stands already; NULL: it is the step, which has no place. */
static bool wrong_preference(builder *b, const ts_ast *node, uint32_t i, const ts_ast *first)
{
  const ts_ast *item = ts_ast_item(node->child[i]);
  const char *verb = node->kind == TS_AST_SLOTS ? "has two slots" : "is preferred twice";
  ts_diag *d = first ? ts_report(b->s, TS_E0408, item->span, "`%s` %s", item->name, verb) :
                       ts_report(b->s, TS_E0408, item->span, "the step is always last");
  ts_span cut = node->child[i]->span;
  if (i > 0)
    cut.begin = node->child[i - 1]->span.end;
  else if (node->count > 1)
    cut.end = node->child[1]->span.begin;
  else
    cut = node->span;
  ts_diag_here(d, first ? "again here" : "its place needs no saying");
  if (first) {
    ts_diag_label(d, first->span, "first here");
    ts_diag_note(d, node->kind == TS_AST_SLOTS ?
                      "all `%s` of a rank go by one slot" :
                      "the first that is ready goes; all `%s` have one place in that order, and "
                      "among themselves they go by a `key`",
                 item->name);
  }
  ts_diag_edit(d, cut, "", "leave it out");
  return policy_fail(b);
}

static bool read_preferences(builder *b, ts_arena *arena, ts_rank_policy *p, const ts_ast *node)
{
  for (uint32_t i = 0; i < node->count; i++) {
    const ts_ast *item = ts_ast_item(node->child[i]);
    ts_preference f = {.item = item, .key = ts_ast_key(node->child[i])};
    if (!ts_work_kind_of(b, item, &f.kind))
      return false;
    for (size_t k = 0; k < p->preferences.count; k++)
      if (p->preferences.at[k].kind == f.kind || f.kind == TS_STEP) {
        return wrong_preference(b, node, i, f.kind == TS_STEP ? NULL : p->preferences.at[k].item);
      }
    f.env = ts_env_new(b->s, p->env);
    f.keys = f.key ? policy_unknown(b, arena) : NULL;
    TS_PUSH(arena, &p->preferences, f);
  }
  p->timetable = node->kind == TS_AST_SLOTS ? node : p->timetable;
  return true;
}

/* A timetable is all of a policy: F, and B or I. */
static bool complete_timetable(builder *b, const ts_rank_policy *p, uint32_t kinds)
{
  ts_ast_list items = ts_ast_items(b->sc->policy);
  for (uint32_t i = 0; i < items.count; i++)
    if (items.at[i]->kind == TS_AST_PREFER) {
      ts_diag *d = ts_report(b->s, TS_E0408, items.at[i]->span,
                             "a policy has either `slot` (when) or `prefer` (what first)");
      ts_diag_here(d, "does not go with `slot`");
      ts_diag_note_at(d, p->timetable->span, "the slots are here");
      return policy_fail(b);
    }
  if (kinds == (1u << TS_FORWARD | 1u << TS_BACKWARD) ||
      kinds == (1u << TS_FORWARD | 1u << TS_INPUT_GRADIENT))
    return true;
  ts_diag *d =
    ts_report(b->s, TS_E0408, p->timetable->span, "`slot` says when F, and B or I, begin");
  ts_diag_help(d, "write `slot F(i, c) at ..., I(i, c) at ...`; every W goes where there is room");
  return policy_fail(b);
}

/* A policy places every F, and B or else I and W. */
static bool policy_complete(builder *b, const ts_rank_policy *p)
{
  uint32_t kinds = 0;
  for (size_t i = 0; i < p->preferences.count; i++)
    kinds |= UINT32_C(1) << p->preferences.at[i].kind;
  if (p->timetable)
    return complete_timetable(b, p, kinds);
  if (kinds == (1u << TS_FORWARD | 1u << TS_BACKWARD) ||
      kinds == (1u << TS_FORWARD | 1u << TS_INPUT_GRADIENT | 1u << TS_WEIGHT_GRADIENT))
    return true;
  ts_diag *d = ts_report(b->s, TS_E0408, b->sc->policy->span,
                         "the policy of `%s` must order F and B, or F, I and W", b->sc->name);
  ts_diag_help(d, "add a line such as `prefer I, F, W`");
  return policy_fail(b);
}

static bool read_rank(builder *b, ts_arena *arena, uint32_t rank, const ts_env *outer,
                      ts_rank_policy *p)
{
  const ts_ast *decl = b->sc->policy;
  p->env = ts_env_new(b->s, outer);
  for (int k = 0; k < TS_WORK_KINDS; k++)
    p->delay[k] = (ts_allowance){0, INFINITY};
  if (decl->name)
    ts_env_bind(p->env, decl->name, ts_int_value(rank, decl->name_span));
  ts_ast_list items = ts_ast_items(decl);
  for (uint32_t i = 0; i < items.count; i++) {
    const ts_ast *line = items.at[i];
    bool good = true;
    if (line->kind == TS_AST_LET)
      ts_env_bind(p->env, line->name, ts_eval_let(b->s, p->env, line));
    else if (line->kind == TS_AST_LIMIT)
      good = read_limit(b, arena, p, line);
    else if (line->kind == TS_AST_PREFER || line->kind == TS_AST_SLOTS)
      good = read_preferences(b, arena, p, line);
    if (!good)
      return false;
  }
  return policy_complete(b, p);
}

/* -- asking -- */

static bool bind_item(builder *b, ts_env *env, const ts_ast *item, uint32_t skip,
                      uint32_t micro_batch, uint32_t chunk)
{
  const int64_t number[2] = {micro_batch, chunk};
  for (uint32_t i = skip; i < item->count && i < skip + 2; i++) {
    const ts_ast *name = ts_ast_value(item->child[i]);
    if (name->kind != TS_AST_ID) {
      ts_diag *d = ts_report(b->s, TS_E0408, name->span, "a policy covers all items of a kind");
      ts_diag_here(d, "must be a name, as in `F(i, c)`");
      return policy_fail(b);
    }
    ts_env_bind(env, name->name, ts_int_value(number[i - skip], name->span));
  }
  return true;
}

static double policy_ask(builder *b, ts_env *env, const ts_ast *item, uint32_t skip,
                         const ts_ast *expr, uint32_t micro_batch, uint32_t chunk)
{
  if (!bind_item(b, env, item, skip, micro_batch, chunk))
    return 0;
  ts_value v = ts_eval(b->s, env, expr);
  if (is_number(v))
    return policy_number_of(b->s, v);
  if (v.type != TS_T_ERROR) {
    ts_diag *d =
      ts_report(b->s, TS_E0220, expr->span, "a preference, a slot or a limit is a number");
    ts_diag_here(d, "found %s", ts_value_describe(b->s->arena, v));
  }
  b->failed = true;
  return 0;
}

double ts_policy_key(ts_attempt *a, uint32_t rank, uint32_t choice, uint32_t chunk,
                     uint32_t micro_batch)
{
  ts_preference *f = &a->policy[rank].preferences.at[choice];
  if (!f->key)
    return choice;
  double *key = &f->keys[(size_t)chunk * a->b->sc->micro_batches + micro_batch];
  if (isnan(*key))
    *key = policy_ask(a->b, f->env, f->item, 0, f->key, micro_batch, chunk);
  return *key;
}

static double most_of(ts_attempt *a, ts_policy_limit *l, uint32_t chunk, uint32_t micro_batch)
{
  if (!l->known)
    return l->value;
  double *known = &l->known[(size_t)chunk * a->b->sc->micro_batches + micro_batch];
  if (isnan(*known))
    *known = policy_ask(a->b, l->env, l->item, 1, l->most, micro_batch, chunk);
  return *known;
}

double ts_policy_freed(const ts_stage_cost *cost)
{
  return cost->held > 0 ? fmin(fmax(cost->freed / cost->held, 0), 1) : 0;
}

/* The most that a backward, or a W, of the rank's stages holds above what is held. */
static double backward_rise(const ts_attempt *a, uint32_t rank)
{
  const ts_schedule *sc = a->b->sc;
  double rise = 0;
  for (uint32_t k = 0; k < a->policy[rank].preferences.count; k++)
    for (uint32_t c = 0; c < sc->chunks; c++) {
      ts_work_kind kind = a->policy[rank].preferences.at[k].kind;
      if (kind != TS_FORWARD)
        rise = fmax(rise, a->costs->at[sc->stage_of[rank * sc->chunks + c]].rise[kind]);
    }
  return rise;
}

/* Bytes at most, with one more forward and then a backward. */
static double bytes_with(const ts_attempt *a, uint32_t rank, uint32_t stage)
{
  const ts_stage_cost *cost = &a->costs->at[stage];
  return a->rank[rank].bytes +
         fmax(cost->rise[TS_FORWARD], cost->held + a->rank[rank].backward_rise);
}

static const double SLACK = 1e-6;

bool ts_policy_needs_room(const ts_attempt *a, uint32_t rank, ts_work_kind kind, uint32_t stage)
{
  const ts_rank_policy *p = &a->policy[rank];
  for (size_t i = 0; i < p->limits.count; i++)
    if (p->limits.at[i].bytes &&
        a->rank[rank].bytes + a->costs->at[stage].rise[kind] > p->limits.at[i].value * (1 + SLACK))
      return true;
  return false;
}

const ts_policy_limit *ts_policy_held_back(ts_attempt *a, uint32_t rank, uint32_t chunk,
                                           uint32_t micro_batch)
{
  const ts_rank_policy *p = &a->policy[rank];
  const ts_rank_state *r = &a->rank[rank];
  const ts_schedule *sc = a->b->sc;
  for (size_t i = 0; i < p->limits.count; i++) {
    ts_policy_limit *l = &p->limits.at[i];
    if (l->chunk != TS_NO_INDEX && l->chunk != chunk)
      continue;
    const double *held = l->open ? r->open : r->live;
    double most = most_of(a, l, chunk, micro_batch);
    double after = l->bytes ? bytes_with(a, rank, sc->stage_of[rank * sc->chunks + chunk]) :
                              held[l->chunk != TS_NO_INDEX ? chunk : sc->chunks] + 1;
    if (after > most + SLACK * fabs(most))
      return l;
  }
  return NULL;
}

/* -- time -- */

static uint64_t arrival(const ts_attempt *a, ts_work_kind kind, uint32_t from, uint32_t to,
                        uint32_t micro_batch)
{
  const ts_schedule *sc = a->b->sc;
  uint64_t end = a->end[kind][(size_t)from * sc->micro_batches + micro_batch];
  return end == TS_NEVER || sc->rank_of[from] == sc->rank_of[to] ? end : end + a->costs->message;
}

static uint64_t policy_later(uint64_t x, uint64_t y) { return x > y ? x : y; }

static uint64_t gradient_of(const ts_attempt *a, uint32_t from, uint32_t to, uint32_t micro_batch)
{
  uint64_t whole = arrival(a, TS_BACKWARD, from, to, micro_batch),
           input = arrival(a, TS_INPUT_GRADIENT, from, to, micro_batch);
  return whole < input ? whole : input;
}

uint64_t ts_policy_ready(const ts_attempt *a, ts_work_kind kind, uint32_t stage,
                         uint32_t micro_batch)
{
  const ts_schedule *sc = a->b->sc;
  uint32_t part = stage % sc->parts;
  if (kind == TS_FORWARD)
    return part ? arrival(a, TS_FORWARD, stage - 1, stage, micro_batch) : 0;
  if (kind == TS_WEIGHT_GRADIENT)
    return arrival(a, TS_INPUT_GRADIENT, stage, stage, micro_batch);
  uint64_t own = arrival(a, TS_FORWARD, stage, stage, micro_batch);
  return part + 1 == sc->parts ? own :
                                 policy_later(own, gradient_of(a, stage + 1, stage, micro_batch));
}

static void policy_hold(ts_attempt *a, ts_rank_state *r, const ts_placed *item)
{
  const ts_stage_cost *cost = &a->costs->at[item->stage];
  double share = ts_policy_freed(cost);
  double part = item->kind == TS_FORWARD        ? 1 :
                item->kind == TS_BACKWARD       ? -1 :
                item->kind == TS_INPUT_GRADIENT ? -share :
                                                  share - 1;
  double opens = item->kind == TS_FORWARD ? 1 : item->kind == TS_WEIGHT_GRADIENT ? 0 : -1;
  for (uint32_t k = item->chunk;; k = a->b->sc->chunks) {
    r->live[k] += part;
    r->open[k] += opens;
    if (k == a->b->sc->chunks)
      break;
  }
  r->bytes += item->kind == TS_INPUT_GRADIENT  ? -cost->freed :
              item->kind == TS_WEIGHT_GRADIENT ? cost->freed - cost->held :
                                                 part * cost->held;
}

uint64_t ts_policy_time(const ts_attempt *a, ts_work_kind kind, uint32_t stage,
                        uint32_t micro_batch)
{
  const ts_schedule *sc = a->b->sc;
  uint64_t time = a->costs->at[stage].time[kind];
  size_t at = ((size_t)kind * sc->stages + stage) * sc->micro_batches + micro_batch;
  return a->costs->slow ? (uint64_t)llround((double)time * a->costs->slow[at]) : time;
}

bool ts_policy_put(ts_attempt *a, uint32_t rank, const ts_placed *item, uint64_t start)
{
  ts_rank_state *r = &a->rank[rank];
  uint64_t time = ts_policy_time(a, item->kind, item->stage, item->micro_batch);
  a->items[(size_t)rank * a->per_rank + a->count[rank]++] = *item;
  a->placed++;
  r->free = start + time;
  r->work -= time;
  r->left--;
  a->end[item->kind][(size_t)item->stage * a->b->sc->micro_batches + item->micro_batch] = r->free;
  a->makespan = policy_later(a->makespan, r->free);
  policy_hold(a, r, item);
  a->late = r->free + r->work >= a->best;
  return !a->late;
}

bool ts_policy_stops(ts_attempt *a, const ts_policy_limit *limit, uint32_t rank, uint32_t stage,
                     uint32_t micro_batch)
{
  const ts_rank_state *r = &a->rank[rank];
  a->stop = (ts_policy_stop){limit ? limit->node : NULL,
                             limit && limit->bytes,
                             rank,
                             stage,
                             micro_batch,
                             a->count[rank],
                             r->live[a->b->sc->chunks],
                             r->bytes,
                             bytes_with(a, rank, stage) - r->bytes,
                             limit ? limit->value : 0};
  return false;
}

/* -- attempts -- */

/* What of all attempts is to be known. */
typedef struct policy_search {
  builder *b;
  const ts_stage_costs *costs;
  ts_attempt best;     /* best.b: there is one */
  ts_policy_stop stop; /* of the last that did not come to its end */
  uint64_t placed;     /* items, by all */
} policy_search;

static void open_attempt(ts_attempt *a)
{
  const ts_schedule *sc = a->b->sc;
  size_t items = (size_t)sc->stages * sc->micro_batches;
  a->rank = TS_NEW_ARRAY(a->arena, ts_rank_state, sc->ranks + 1);
  a->count = TS_NEW_ARRAY(a->arena, uint32_t, sc->ranks + 1);
  a->per_rank = 3 * sc->chunks * sc->micro_batches;
  a->items = TS_NEW_ARRAY(a->arena, ts_placed, (size_t)sc->ranks * a->per_rank + 1);
  for (int k = 0; k < TS_STEP; k++) {
    a->end[k] = TS_NEW_ARRAY(a->arena, uint64_t, items + 1);
    memset(a->end[k], 0xff, items * sizeof(uint64_t));
  }
  for (uint32_t r = 0; r < sc->ranks; r++) {
    uint32_t kinds = (uint32_t)a->policy[r].preferences.count;
    ts_rank_state *state = &a->rank[r];
    state->next = TS_NEW_ARRAY(a->arena, uint32_t, kinds * sc->chunks + 1);
    state->live = TS_NEW_ARRAY(a->arena, double, sc->chunks + 1);
    state->open = TS_NEW_ARRAY(a->arena, double, sc->chunks + 1);
    state->left = kinds * sc->chunks * sc->micro_batches;
    state->backward_rise = backward_rise(a, r);
    bool apart = false;
    for (uint32_t k = 0; k < kinds; k++)
      apart = apart || a->policy[r].preferences.at[k].kind == TS_INPUT_GRADIENT;
    for (uint32_t n = 0; n < sc->chunks * sc->micro_batches; n++) {
      uint32_t stage = sc->stage_of[r * sc->chunks + n / sc->micro_batches],
               i = n % sc->micro_batches;
      state->work += ts_policy_time(a, TS_FORWARD, stage, i) +
                     (apart ? ts_policy_time(a, TS_INPUT_GRADIENT, stage, i) +
                                ts_policy_time(a, TS_WEIGHT_GRADIENT, stage, i) :
                              ts_policy_time(a, TS_BACKWARD, stage, i));
    }
  }
}

static bool one(policy_search *find, const ts_env *env)
{
  builder *b = find->b;
  ts_attempt a = {.b = b,
                  .arena = ts_arena_new("attempt"),
                  .costs = find->costs,
                  .best = find->best.b ? find->best.makespan : TS_NEVER};
  a.policy = TS_NEW_ARRAY(a.arena, ts_rank_policy, b->sc->ranks + 1);
  bool good = true;
  for (uint32_t r = 0; good && r < b->sc->ranks; r++)
    good = read_rank(b, a.arena, r, env, &a.policy[r]);
  if (good) {
    open_attempt(&a);
    good = (a.policy[0].timetable ? ts_policy_slots(&a) : ts_policy_list(&a)) && !b->failed;
    find->placed += a.placed;
    find->stop = good || a.late ? find->stop : a.stop;
  }
  if (!good) {
    ts_arena_free(a.arena);
    return !b->failed;
  }
  ts_arena_free(find->best.arena);
  find->best = a;
  return true;
}

/* Every combination of the values of `try`, the last one changing fastest. Large schedules are
 * content with fewer: those that come first. */
enum { MAX_PLACED = 1 << 19 };

static bool all(policy_search *find, const ts_env *env, uint32_t line)
{
  builder *b = find->b;
  ts_ast_list lines = ts_ast_items(b->sc->policy);
  while (line < lines.count && lines.at[line]->kind != TS_AST_TRY)
    line++;
  if (line == lines.count)
    return (find->best.b && find->placed > MAX_PLACED) || one(find, env);
  const ts_ast *node = lines.at[line];
  ts_value values = ts_eval(b->s, env, ts_ast_over(node));
  int64_t count = values.type == TS_T_RANGE ? values.u.range.end - values.u.range.begin :
                  values.type == TS_T_LIST  ? (int64_t)values.u.list->count :
                                              0;
  if (count < 1 || count > 1 << 16) {
    if (values.type != TS_T_ERROR) {
      ts_diag *d = ts_report(b->s, TS_E0220, ts_ast_over(node)->span,
                             "`try` needs a range or a list, not empty");
      ts_diag_here(d, "found %s", ts_value_describe(b->s->arena, values));
    }
    return policy_fail(b);
  }
  for (int64_t i = 0; i < count; i++) {
    ts_env *inner = ts_env_new(b->s, env);
    ts_env_bind(inner, node->name,
                values.type == TS_T_RANGE ?
                  ts_int_value(values.u.range.begin + i, node->name_span) :
                  values.u.list->at[i]);
    if (!all(find, inner, line + 1))
      return false;
  }
  return true;
}

static const char *size_text(builder *b, double bytes)
{
  return ts_value_print(b->s->arena, ts_quantity_value(8 * bytes, TS_DIM_SIZE, TS_NO_SPAN));
}

static bool report_stuck(builder *b, const ts_policy_stop *stop)
{
  const ts_schedule *sc = b->sc;
  ts_diag *d =
    ts_report(b->s, TS_E0402, sc->span, "the policy of `%s` comes to a standstill", sc->name);
  ts_diag_here(d, "no rank may begin anything");
  if (!stop->limit)
    return policy_fail(b);
  ts_diag_fact(d, "rank", "%u has begun %u of its items and holds %g forwards", stop->rank,
               stop->begun, stop->held);
  if (stop->of_bytes)
    ts_diag_fact(d, "memory", "%s held, %s more for F(%u) at stage %u and a backward, %s allowed",
                 size_text(b, stop->bytes), size_text(b, stop->more), stop->micro_batch,
                 stop->stage, size_text(b, stop->most));
  ts_diag_note_at(d, stop->limit->span, "this limit keeps F(%u) at stage %u back",
                  stop->micro_batch, stop->stage);
  ts_diag_help(d, "raise the limit, or let it leave room for later chunks");
  return policy_fail(b);
}

static bool micro_batches_of(builder *b, const ts_ast *policy, int64_t *m)
{
  const ts_schedule *sc = b->sc;
  if (!ts_eval_int(b->s, sc->env, ts_ast_micro_batches(policy), "the number of micro-batches", m))
    return policy_fail(b);
  if (*m >= 1 && *m <= ts_most_micro_batches(&b->s->limits) / sc->stages)
    return true;
  ts_diag *d = ts_report(b->s, TS_E0403, ts_ast_micro_batches(policy)->span,
                         "%lld micro-batches on %u stages", (long long)*m, sc->stages);
  ts_diag_here(d, "must be at least 1, and not more than %u items in all",
               ts_most_micro_batches(&b->s->limits));
  return policy_fail(b);
}

bool ts_policy_open(builder *b)
{
  ts_schedule *sc = b->sc;
  int64_t m = 0, other = 0;
  if (!micro_batches_of(b, sc->policy, &m))
    return false;
  ts_ast_list items = ts_ast_items(sc->decl);
  for (uint32_t i = 0; i < items.count; i++) {
    const ts_ast *policy = items.at[i];
    if (policy->kind != TS_AST_POLICY)
      continue;
    if (!micro_batches_of(b, policy, &other))
      return false;
    if (other != m) {
      ts_diag *d = ts_report(b->s, TS_E0403, ts_ast_micro_batches(policy)->span,
                             "%lld micro-batches, and %lld in another policy of `%s`",
                             (long long)other, (long long)m, sc->name);
      ts_diag_label(d, ts_ast_micro_batches(sc->policy)->span, "the other");
      ts_diag_help(d, "the policies of a schedule order the same work: give them the same number");
      return policy_fail(b);
    }
  }
  sc->micro_batches = (uint32_t)m;
  return true;
}

bool ts_policy_run(builder *b, const ts_stage_costs *costs)
{
  ts_schedule *sc = b->sc;
  policy_search find = {.b = b, .costs = costs};
  bool good = true;
  ts_ast_list items = ts_ast_items(sc->decl);
  for (uint32_t i = 0; good && i < items.count; i++)
    if (items.at[i]->kind == TS_AST_POLICY) {
      sc->policy = items.at[i];
      good = all(&find, sc->env, 0);
    }
  if (good && !find.best.b)
    good = report_stuck(b, &find.stop);
  if (good) {
    const ts_attempt *best = &find.best;
    ts_order *order = TS_NEW_ARRAY(b->s->arena, ts_order, sc->ranks + 1);
    for (uint32_t r = 0; r < sc->ranks; r++) {
      order[r].first = (uint32_t)sc->items.count;
      for (uint32_t i = 0; i < best->count[r]; i++)
        TS_PUSH(sc->arena, &sc->items, best->items[(size_t)r * best->per_rank + i]);
      ts_schedule_end_rank(b, order[r].first);
      order[r].count = (uint32_t)sc->items.count - order[r].first;
    }
    sc->order = order;
  }
  ts_arena_free(find.best.arena);
  return good;
}
