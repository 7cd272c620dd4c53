/* A policy: list scheduling. Every rank, whenever it is free, begins the work it prefers among all that may begin; limits keep work back. Times are those of the plan's
 * costs. Deterministic: of equal choices the lower rank decides first; a rank takes the preferred item, then the one listed first, then the one whose input came first, then the lower
 * micro-batch, then the deeper stage. With `try` the shortest of several schedules is kept, the first of equals. */
#include <math.h>
#include <string.h>

#include "compiler/schedule_internal.h"

typedef ts_schedule_builder builder;

#define NEVER UINT64_MAX

typedef struct preference { ts_work_kind kind; const ts_ast *item, *by; double *key; } preference; /* key: [chunk * m + micro-batch], NAN: not yet asked */

typedef struct limit {
  const ts_ast *node, *most;
  const ts_ast *item;  /* pattern of the forwards that it is for, or NULL: all */
  bool bytes;          /* of memory, not forwards */
  bool open;           /* forwards without their I or B */
  uint32_t chunk;      /* of which it speaks, or TS_NO_INDEX: of all */
  double value;        /* where it is the same for all */
  double *known;       /* [chunk * m + micro-batch], or NULL: not of an item; NAN: not yet asked */
} limit;

typedef struct allowance { double share, time; } allowance; /* of the item's own time, and ps; INFINITY: without limit */

typedef struct rank_policy {
  ts_env *env;
  TS_VEC(preference) preferences;
  TS_VEC(limit) limits;
  allowance delay[TS_WORK_KINDS]; /* for how long an item may keep a preferred one waiting */
} rank_policy;

typedef struct rank_state {
  uint64_t free;            /* when its last item ends */
  uint64_t decide;          /* when it can begin the next: NEVER, not known */
  uint32_t choice, chunk;   /* preference and chunk that it would begin then */
  uint32_t left;            /* items */
  double bytes;             /* held now */
  uint32_t *next;           /* [preference * chunks + chunk]: micro-batch */
  double *live, *open;      /* [chunk], and after them the sum: forwards held, forwards without their I */
} rank_state;

typedef struct attempt { /* one schedule */
  builder *b;
  const ts_stage_costs *costs;
  rank_policy *policy;      /* [ranks] */
  rank_state *rank;         /* [ranks] */
  uint64_t *end[TS_WORK_KINDS]; /* [stage * m + micro-batch]; NEVER: not placed */
  ts_placed *items;         /* [rank * per_rank + n] */
  uint32_t *count, per_rank;
  uint64_t makespan;
} attempt;

/* -- reading -- */

static bool fail(builder *b)
{
  b->failed = true;
  return false;
}

static bool wrong_limit(builder *b, const ts_ast *node)
{
  ts_diag *d = ts_report(b->s, TS_E0408, node->span, "this is not a limit of a policy");
  ts_diag_here(d, "must be `live <= n`, `live(c) <= n`, `open <= n`, `open(c) <= n`, `F(i, c) <= n`, `memory <= size` or `delay(W) <= time`");
  return fail(b);
}

/* A number for every item of a kind on a rank, none of them asked for yet. */
static double *unknown(builder *b)
{
  size_t n = (size_t)b->sc->chunks * b->sc->micro_batches;
  double *numbers = TS_NEW_ARRAY(b->s->arena, double, n + 1);
  for (size_t k = 0; k < n; k++)
    numbers[k] = NAN;
  return numbers;
}

static const ts_ast *argument(const ts_ast *call, uint32_t i) { return call->count > i + 1 ? call->child[i + 1]->child[0] : NULL; }

/* Of a number, or of an axis, whose size counts. */
static double number_of(ts_value v) { return v.type == TS_T_INT ? (double)v.u.integer : v.type == TS_T_AXIS ? (double)v.u.axes.size : v.u.real; }

static bool is_number(ts_value v) { return ts_value_is_number(v) || v.type == TS_T_AXIS; }

/* A time, or a number: shares of the item's own time. */
static bool delay_limit(builder *b, rank_policy *p, const ts_ast *call, const ts_ast *most)
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
      ts_diag *d = ts_report(b->s, TS_E0220, most->span, "a delay is a time, or a share of the time of the work that causes it");
      ts_diag_here(d, "found %s", ts_value_describe(b->s->arena, v));
    }
    return fail(b);
  }
  double most_delay = fmax(time ? v.u.real * 1e12 : number_of(v), 0);
  p->delay[kind] = (allowance){time ? 0 : most_delay, time ? most_delay : 0};
  return true;
}

static bool read_limit(builder *b, rank_policy *p, const ts_ast *node)
{
  const ts_ast *e = node->child[0], *left = e->kind == TS_AST_BINARY && e->u.op == TS_OP_LE ? e->child[0] : NULL;
  const ts_ast *head = left && left->kind == TS_AST_CALL ? left->child[0] : left;
  limit l = {.node = node, .most = left ? e->child[1] : NULL, .chunk = TS_NO_INDEX, .value = NAN};
  int64_t chunk;
  if (!head || head->kind != TS_AST_ID)
    return wrong_limit(b, node);
  if (!strcmp(head->name, "delay") && head != left)
    return delay_limit(b, p, left, l.most);
  if (!strcmp(head->name, "F") && head != left) {
    l.item = left;
    l.known = unknown(b);
  } else if (!strcmp(head->name, "memory") && head == left) {
    l.bytes = true;
    if (!ts_eval_quantity(b->s, p->env, l.most, TS_DIM_SIZE, "the memory for activations", &l.value))
      return fail(b);
    l.value /= 8;
  } else if (!strcmp(head->name, "live") || !strcmp(head->name, "open")) {
    l.open = *head->name == 'o';
    ts_value v = ts_eval(b->s, p->env, l.most);
    if (v.type == TS_T_ERROR)
      return fail(b);
    if (!is_number(v)) {
      ts_diag *d = ts_report(b->s, TS_E0220, l.most->span, "`%s` counts forwards", head->name);
      ts_diag_here(d, "found %s", ts_value_describe(b->s->arena, v));
      return fail(b);
    }
    l.value = number_of(v);
    if (head != left && (!argument(left, 0) || !ts_eval_int(b->s, p->env, argument(left, 0), "a chunk", &chunk)))
      return fail(b);
    l.chunk = head != left ? (uint32_t)chunk : TS_NO_INDEX;
  } else {
    return wrong_limit(b, node);
  }
  TS_PUSH(b->s->arena, &p->limits, l);
  return true;
}

static bool read_preferences(builder *b, rank_policy *p, const ts_ast *node)
{
  for (uint32_t i = 0; i < node->count; i++) {
    const ts_ast *item = node->child[i]->child[0];
    preference f = {.item = item, .by = node->child[i]->child[1]};
    if (!ts_work_kind_of(b, item, &f.kind))
      return false;
    for (size_t k = 0; k < p->preferences.count; k++)
      if (p->preferences.at[k].kind == f.kind || f.kind == TS_STEP) {
        ts_diag *d = ts_report(b->s, TS_E0408, item->span, f.kind == TS_STEP ? "the step is always last" : "`%s` is preferred twice", item->name);
        ts_diag_here(d, "once is enough");
        return fail(b);
      }
    f.key = f.by ? unknown(b) : NULL;
    TS_PUSH(b->s->arena, &p->preferences, f);
  }
  return true;
}

/* A policy places every F, and B or else I and W. */
static bool complete(builder *b, const rank_policy *p)
{
  uint32_t kinds = 0;
  for (size_t i = 0; i < p->preferences.count; i++)
    kinds |= UINT32_C(1) << p->preferences.at[i].kind;
  if (kinds == (1u << TS_FORWARD | 1u << TS_BACKWARD) || kinds == (1u << TS_FORWARD | 1u << TS_INPUT_GRADIENT | 1u << TS_WEIGHT_GRADIENT))
    return true;
  ts_diag *d = ts_report(b->s, TS_E0408, b->sc->policy->span, "the policy of `%s` must say what it prefers among F and B, or F, I and W", b->sc->name);
  ts_diag_help(d, "add a line such as `prefer I, F, W`");
  return fail(b);
}

static bool read_rank(builder *b, uint32_t rank, const ts_env *outer, rank_policy *p)
{
  const ts_ast *decl = b->sc->policy;
  p->env = ts_env_new(b->s, outer);
  for (int k = 0; k < TS_WORK_KINDS; k++)
    p->delay[k] = (allowance){0, INFINITY};
  if (decl->name)
    ts_env_bind(p->env, decl->name, ts_int_value(rank, decl->name_span));
  for (uint32_t i = 2; i < decl->count; i++) {
    const ts_ast *line = decl->child[i];
    bool good = true;
    if (line->kind == TS_AST_LET)
      ts_env_bind(p->env, line->name, ts_eval(b->s, p->env, line->child[line->count - 1]));
    else if (line->kind == TS_AST_LIMIT)
      good = read_limit(b, p, line);
    else if (line->kind == TS_AST_PREFER)
      good = read_preferences(b, p, line);
    if (!good)
      return false;
  }
  return complete(b, p);
}

/* -- asking -- */

static bool bind_item(builder *b, ts_env *env, const ts_ast *item, uint32_t skip, uint32_t micro_batch, uint32_t chunk)
{
  const int64_t number[2] = {micro_batch, chunk};
  for (uint32_t i = skip; i < item->count && i < skip + 2; i++) {
    const ts_ast *name = item->child[i]->child[0];
    if (name->kind != TS_AST_ID) {
      ts_diag *d = ts_report(b->s, TS_E0408, name->span, "a policy speaks of all items of a kind");
      ts_diag_here(d, "must be a name, as in `F(i, c)`");
      return fail(b);
    }
    ts_env_bind(env, name->name, ts_int_value(number[i - skip], name->span));
  }
  return true;
}

static double ask(builder *b, const ts_env *outer, const ts_ast *item, uint32_t skip, const ts_ast *expr, uint32_t micro_batch, uint32_t chunk)
{
  ts_env *env = ts_env_new(b->s, outer);
  if (!bind_item(b, env, item, skip, micro_batch, chunk))
    return 0;
  ts_value v = ts_eval(b->s, env, expr);
  if (is_number(v))
    return number_of(v);
  if (v.type != TS_T_ERROR) {
    ts_diag *d = ts_report(b->s, TS_E0220, expr->span, "a preference or a limit is a number");
    ts_diag_here(d, "found %s", ts_value_describe(b->s->arena, v));
  }
  b->failed = true;
  return 0;
}

static double key_of(attempt *a, uint32_t rank, uint32_t choice, uint32_t chunk, uint32_t micro_batch)
{
  rank_policy *p = &a->policy[rank];
  preference *f = &p->preferences.at[choice];
  if (!f->by)
    return choice;
  double *key = &f->key[(size_t)chunk * a->b->sc->micro_batches + micro_batch];
  if (isnan(*key))
    *key = ask(a->b, p->env, f->item, 0, f->by, micro_batch, chunk);
  return *key;
}

static bool within_limits(attempt *a, uint32_t rank, uint32_t chunk, uint32_t micro_batch)
{
  const rank_policy *p = &a->policy[rank];
  const rank_state *r = &a->rank[rank];
  const ts_schedule *sc = a->b->sc;
  uint32_t stage = sc->stage_of[rank * sc->chunks + chunk];
  for (size_t i = 0; i < p->limits.count; i++) {
    const limit *l = &p->limits.at[i];
    double *known = l->known ? &l->known[(size_t)chunk * sc->micro_batches + micro_batch] : NULL, slack = 1e-6;
    if (known && isnan(*known))
      *known = ask(a->b, p->env, l->item, 1, l->most, micro_batch, chunk);
    double most = known ? *known : l->value;
    if (l->chunk != TS_NO_INDEX && l->chunk != chunk)
      continue;
    const double *held = l->open ? r->open : r->live;
    double after = l->bytes ? r->bytes + a->costs->at[stage].held : held[l->chunk != TS_NO_INDEX ? chunk : sc->chunks] + 1;
    if (after > most + slack * fabs(most))
      return false;
  }
  return true;
}

/* -- time -- */

static uint64_t arrival(const attempt *a, ts_work_kind kind, uint32_t from, uint32_t to, uint32_t micro_batch)
{
  const ts_schedule *sc = a->b->sc;
  uint64_t end = a->end[kind][(size_t)from * sc->micro_batches + micro_batch];
  return end == NEVER || sc->rank_of[from] == sc->rank_of[to] ? end : end + a->costs->message;
}

static uint64_t later(uint64_t x, uint64_t y) { return x > y ? x : y; }

static uint64_t gradient_of(const attempt *a, uint32_t from, uint32_t to, uint32_t micro_batch)
{
  uint64_t whole = arrival(a, TS_BACKWARD, from, to, micro_batch), input = arrival(a, TS_INPUT_GRADIENT, from, to, micro_batch);
  return whole < input ? whole : input;
}

/* When all that an item needs is there, as far as it is known. */
static uint64_t ready(const attempt *a, ts_work_kind kind, uint32_t stage, uint32_t micro_batch)
{
  const ts_schedule *sc = a->b->sc;
  uint32_t part = stage % sc->parts;
  if (kind == TS_FORWARD)
    return part ? arrival(a, TS_FORWARD, stage - 1, stage, micro_batch) : 0;
  if (kind == TS_WEIGHT_GRADIENT)
    return arrival(a, TS_INPUT_GRADIENT, stage, stage, micro_batch);
  uint64_t own = arrival(a, TS_FORWARD, stage, stage, micro_batch);
  return part + 1 == sc->parts ? own : later(own, gradient_of(a, stage + 1, stage, micro_batch));
}

typedef struct candidate { uint32_t choice, chunk, micro_batch, stage; uint64_t ready; double key; } candidate;

static bool better(const candidate *x, const candidate *y)
{
  if (x->key != y->key)
    return x->key < y->key;
  if (x->choice != y->choice)
    return x->choice < y->choice;
  if (x->ready != y->ready)
    return x->ready < y->ready;
  return x->micro_batch != y->micro_batch ? x->micro_batch < y->micro_batch : x->stage > y->stage;
}

static uint32_t candidates(attempt *a, uint32_t rank, candidate *list)
{
  const ts_schedule *sc = a->b->sc;
  rank_policy *p = &a->policy[rank];
  uint32_t n = 0;
  for (uint32_t k = 0; k < p->preferences.count; k++)
    for (uint32_t c = 0; c < sc->chunks; c++) {
      candidate x = {.choice = k, .chunk = c, .micro_batch = a->rank[rank].next[k * sc->chunks + c], .stage = sc->stage_of[rank * sc->chunks + c]};
      if (x.micro_batch == sc->micro_batches)
        continue;
      x.ready = ready(a, p->preferences.at[k].kind, x.stage, x.micro_batch);
      if (x.ready == NEVER || (p->preferences.at[k].kind == TS_FORWARD && !within_limits(a, rank, c, x.micro_batch)))
        continue;
      x.key = key_of(a, rank, k, c, x.micro_batch);
      list[n++] = x;
    }
  return n;
}

/* The best of what may begin by `now`; then, if that would keep something better waiting for too long, the time at which that comes. */
static const candidate *choose(const attempt *a, uint32_t rank, const candidate *list, uint32_t n, uint64_t *now)
{
  for (;;) {
    const candidate *best = NULL;
    for (uint32_t i = 0; i < n; i++)
      if (list[i].ready <= *now && (!best || better(&list[i], best)))
        best = &list[i];
    ts_work_kind kind = a->policy[rank].preferences.at[best->choice].kind;
    const allowance *delay = &a->policy[rank].delay[kind];
    double time = (double)a->costs->at[best->stage].time[kind], end = (double)*now + time - (delay->time + delay->share * time);
    uint64_t wait = NEVER;
    for (uint32_t i = 0; i < n; i++)
      if (list[i].ready > *now && list[i].ready < wait && (double)list[i].ready < end && list[i].key < best->key)
        wait = list[i].ready;
    if (wait == NEVER)
      return best;
    *now = wait;
  }
}

static void decide(attempt *a, uint32_t rank, candidate *list)
{
  rank_state *r = &a->rank[rank];
  uint32_t n = r->left ? candidates(a, rank, list) : 0;
  uint64_t now = NEVER;
  for (uint32_t i = 0; i < n; i++)
    now = list[i].ready < now ? list[i].ready : now;
  r->decide = NEVER;
  if (now == NEVER)
    return;
  now = later(now, r->free);
  const candidate *best = choose(a, rank, list, n, &now);
  r->decide = now;
  r->choice = best->choice;
  r->chunk = best->chunk;
}

static void hold(attempt *a, rank_state *r, ts_work_kind kind, uint32_t stage, uint32_t chunk)
{
  const ts_stage_cost *cost = &a->costs->at[stage];
  double share = cost->held > 0 ? cost->freed / cost->held : 0;
  double part = kind == TS_FORWARD ? 1 : kind == TS_BACKWARD ? -1 : kind == TS_INPUT_GRADIENT ? -share : share - 1;
  double opens = kind == TS_FORWARD ? 1 : kind == TS_WEIGHT_GRADIENT ? 0 : -1;
  for (uint32_t k = chunk;; k = a->b->sc->chunks) {
    r->live[k] += part;
    r->open[k] += opens;
    if (k == a->b->sc->chunks)
      break;
  }
  r->bytes += part * cost->held;
}

static void begin(attempt *a, uint32_t rank)
{
  const ts_schedule *sc = a->b->sc;
  rank_state *r = &a->rank[rank];
  const preference *f = &a->policy[rank].preferences.at[r->choice];
  uint32_t *next = &r->next[r->choice * sc->chunks + r->chunk], stage = sc->stage_of[rank * sc->chunks + r->chunk];
  a->items[(size_t)rank * a->per_rank + a->count[rank]++] =
      (ts_placed){.kind = f->kind, .micro_batch = *next, .chunk = r->chunk, .stage = stage, .span = f->item->span};
  r->free = r->decide + a->costs->at[stage].time[f->kind];
  a->end[f->kind][(size_t)stage * sc->micro_batches + (*next)++] = r->free;
  a->makespan = later(a->makespan, r->free);
  hold(a, r, f->kind, stage, r->chunk);
  r->left--;
}

/* -- attempts -- */

static bool start(attempt *a)
{
  const ts_schedule *sc = a->b->sc;
  ts_arena *arena = a->b->s->arena;
  size_t items = (size_t)sc->stages * sc->micro_batches;
  a->rank = TS_NEW_ARRAY(arena, rank_state, sc->ranks + 1);
  a->count = TS_NEW_ARRAY(arena, uint32_t, sc->ranks + 1);
  a->per_rank = 3 * sc->chunks * sc->micro_batches;
  a->items = TS_NEW_ARRAY(arena, ts_placed, (size_t)sc->ranks * a->per_rank + 1);
  for (int k = 0; k < TS_STEP; k++) {
    a->end[k] = TS_NEW_ARRAY(arena, uint64_t, items + 1);
    memset(a->end[k], 0xff, items * sizeof(uint64_t));
  }
  for (uint32_t r = 0; r < sc->ranks; r++) {
    uint32_t kinds = (uint32_t)a->policy[r].preferences.count;
    a->rank[r].next = TS_NEW_ARRAY(arena, uint32_t, kinds * sc->chunks + 1);
    a->rank[r].live = TS_NEW_ARRAY(arena, double, sc->chunks + 1);
    a->rank[r].open = TS_NEW_ARRAY(arena, double, sc->chunks + 1);
    a->rank[r].left = kinds * sc->chunks * sc->micro_batches;
  }
  return !a->b->failed;
}

/* False when no rank can go on: the limits keep all back. */
static bool play(attempt *a)
{
  const ts_schedule *sc = a->b->sc;
  candidate *list = TS_NEW_ARRAY(a->b->s->arena, candidate, 3 * sc->chunks + 1);
  uint64_t left = 0;
  for (uint32_t r = 0; r < sc->ranks; r++) {
    left += a->rank[r].left;
    decide(a, r, list);
  }
  for (; left && !a->b->failed; left--) {
    uint32_t first = 0;
    for (uint32_t r = 1; r < sc->ranks; r++)
      if (a->rank[r].decide < a->rank[first].decide)
        first = r;
    if (a->rank[first].decide == NEVER)
      return false;
    const ts_placed *item = &a->items[(size_t)first * a->per_rank + a->count[first]];
    begin(a, first);
    decide(a, first, list);
    uint32_t part = item->stage % sc->parts;
    if (item->kind == TS_FORWARD && part + 1 < sc->parts)
      decide(a, sc->rank_of[item->stage + 1], list);
    else if (item->kind != TS_FORWARD && item->kind != TS_WEIGHT_GRADIENT && part)
      decide(a, sc->rank_of[item->stage - 1], list);
  }
  return !a->b->failed;
}

static bool tell_stuck(const attempt *a)
{
  builder *b = a->b;
  const ts_schedule *sc = b->sc;
  uint32_t rank = 0;
  while (rank + 1 < sc->ranks && !a->rank[rank].left)
    rank++;
  ts_diag *d = ts_report(b->s, TS_E0402, sc->span, "the policy of `%s` comes to a stop", sc->name);
  ts_diag_here(d, "no rank may begin anything");
  ts_diag_fact(d, "rank", "%u has begun %u of its items and holds %g forwards", rank, a->count[rank], a->rank[rank].live[sc->chunks]);
  if (a->policy[rank].limits.count)
    ts_diag_note_at(d, a->policy[rank].limits.at[0].node->span, "this limit keeps work back");
  ts_diag_help(d, "raise the limit, or let it leave room for the chunks that come later");
  return fail(b);
}

static bool one(builder *b, const ts_env *env, const ts_stage_costs *costs, attempt *best, attempt *stuck)
{
  attempt a = {.b = b, .costs = costs, .policy = TS_NEW_ARRAY(b->s->arena, rank_policy, b->sc->ranks + 1)};
  for (uint32_t r = 0; r < b->sc->ranks; r++)
    if (!read_rank(b, r, env, &a.policy[r]))
      return false;
  if (!start(&a))
    return false;
  if (!play(&a))
    *stuck = a;
  else if (!best->b || a.makespan < best->makespan)
    *best = a;
  return !b->failed;
}

/* Every combination of the values of `try`, the last one changing fastest. */
static bool all(builder *b, const ts_env *env, uint32_t line, const ts_stage_costs *costs, attempt *best, attempt *stuck)
{
  const ts_ast *decl = b->sc->policy;
  while (line < decl->count && decl->child[line]->kind != TS_AST_TRY)
    line++;
  if (line == decl->count)
    return one(b, env, costs, best, stuck);
  const ts_ast *node = decl->child[line];
  ts_value values = ts_eval(b->s, env, node->child[0]);
  int64_t count = values.type == TS_T_RANGE ? values.u.range.end - values.u.range.begin : values.type == TS_T_LIST ? (int64_t)values.u.list->count : 0;
  if (count < 1 || count > 1 << 16) {
    if (values.type != TS_T_ERROR) {
      ts_diag *d = ts_report(b->s, TS_E0220, node->child[0]->span, "`try` needs a range or a list, not empty");
      ts_diag_here(d, "found %s", ts_value_describe(b->s->arena, values));
    }
    return fail(b);
  }
  for (int64_t i = 0; i < count; i++) {
    ts_env *inner = ts_env_new(b->s, env);
    ts_env_bind(inner, node->name, values.type == TS_T_RANGE ? ts_int_value(values.u.range.begin + i, node->name_span) : values.u.list->at[i]);
    if (!all(b, inner, line + 1, costs, best, stuck))
      return false;
  }
  return true;
}

bool ts_policy_open(builder *b)
{
  ts_schedule *sc = b->sc;
  int64_t m = 0;
  if (!ts_eval_int(b->s, sc->env, sc->policy->child[0], "the number of micro-batches", &m))
    return false;
  if (m < 1 || m * sc->stages > TS_MAX_ITEMS / 4) {
    ts_diag *d = ts_report(b->s, TS_E0403, sc->policy->child[0]->span, "%lld micro-batches on %u stages", (long long)m, sc->stages);
    ts_diag_here(d, "must be at least 1, and not more than %d items in all", TS_MAX_ITEMS / 4);
    return fail(b);
  }
  sc->micro_batches = (uint32_t)m;
  return true;
}

bool ts_policy_run(builder *b, const ts_stage_costs *costs)
{
  ts_schedule *sc = b->sc;
  attempt best = {0}, stuck = {0};
  if (!all(b, sc->env, 2, costs, &best, &stuck))
    return false;
  if (!best.b)
    return tell_stuck(&stuck);
  ts_order *order = TS_NEW_ARRAY(b->s->arena, ts_order, sc->ranks + 1);
  for (uint32_t r = 0; r < sc->ranks; r++) {
    order[r].first = (uint32_t)sc->items.count;
    for (uint32_t i = 0; i < best.count[r]; i++)
      TS_PUSH(b->s->arena, &sc->items, best.items[(size_t)r * best.per_rank + i]);
    ts_schedule_end_rank(b, order[r].first);
    order[r].count = (uint32_t)sc->items.count - order[r].first;
  }
  sc->order = order;
  return true;
}
