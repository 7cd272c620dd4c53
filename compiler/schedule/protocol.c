/* `depend`, `partner` and `slow` of a schedule and its protocols: clauses that tie work items of
 * different ranks. The left side of a clause is a pattern. A bare name in it is a variable,
 * whatever that name means elsewhere; every item that fits binds it. The right side then names one
 * other item. */
#include <string.h>

#include "compiler/eval/env.h"
#include "compiler/eval/function.h"
#include "compiler/eval/module.h"
#include "compiler/eval/report.h"
#include "compiler/schedule/schedule.h"

typedef struct named_clause { const ts_ast *clause; const ts_env *env; } named_clause;

typedef struct solver {
  ts_session *s;
  ts_schedule *sc;
  const ts_env *env;
  TS_VEC(named_clause) clauses;
  bool failed;
} solver;

/* What a pattern says of an item: numbers, and what they must be. */
typedef struct protocol_place {
  const ts_ast *expr;
  int64_t value;
} protocol_place;

/* A bare name binds, and must be the same number where it stands twice. */
static bool protocol_bind(ts_env *env, const protocol_place *p)
{
  for (uint32_t i = 0; i < env->count; i++)
    if (env->name[i] == p->expr->name)
      return env->value[i].u.integer == p->value;
  ts_env_bind(env, p->expr->name, ts_int_value(p->value, p->expr->span));
  return true;
}

/* Anything else is compared, and sees all that the bare names have bound. */
static bool equals(solver *v, const ts_env *env, const protocol_place *p)
{
  int64_t wanted = 0;
  if (!ts_eval_int(v->s, env, p->expr, "a number in the pattern of a clause", &wanted)) {
    v->failed = true;
    return false;
  }
  return wanted == p->value;
}

static bool takes(solver *v, const ts_ast *item, ts_work_kind kind)
{
  uint32_t min = kind == TS_STEP ? 0 : 1, max = kind == TS_STEP ? 1 : 2;
  if (item->count >= min && item->count <= max)
    return true;
  ts_diag *d = ts_report(v->s, TS_E0401, item->span, "`%s` takes %s", item->name,
                         kind == TS_STEP ? "the number of a step" :
                                           "a micro-batch, and a chunk where there are several");
  ts_diag_here(d, "%u given", item->count);
  if (kind != TS_STEP)
    ts_diag_help(d, "`%s(i) at s` is stage s, `%s(i, c) at r` is chunk c of rank r", item->name,
                 item->name);
  v->failed = true;
  return false;
}

static bool protocol_kind_of(solver *v, const ts_ast *item, ts_work_kind *kind)
{
  for (int k = 0; k < TS_WORK_KINDS; k++)
    if (!strcmp(item->name, ts_work_letter((ts_work_kind)k))) {
      *kind = (ts_work_kind)k;
      return takes(v, item, *kind);
    }
  ts_diag *d = ts_report(v->s, TS_E0401, item->name_span, "no work is named `%s`", item->name);
  ts_diag_here(d, "a clause is about F, B, I, W or S");
  v->failed = true;
  return false;
}

/* `F(i) at s` or `F(i, c) at r`: the stage, or the rank where a chunk is named; `S(i) at r`: the
 * i-th step of a rank. `env` is new: it holds the clause's variables and no more. */
static bool fits_item(solver *v, ts_env *env, const ts_ast *pattern, const ts_ast *at,
                      const ts_placed *p)
{
  protocol_place places[3];
  uint32_t count = 0;
  if (pattern->count > 0)
    places[count++] = (protocol_place){ts_ast_value(ts_ast_args(pattern).at[0]), p->micro_batch};
  if (pattern->count > 1)
    places[count++] = (protocol_place){ts_ast_value(ts_ast_args(pattern).at[1]), p->chunk};
  places[count++] = (protocol_place){
    at, pattern->count > 1 || p->kind == TS_STEP ? v->sc->rank_of[p->stage] : p->stage};
  for (uint32_t i = 0; i < count; i++)
    if (places[i].expr->kind == TS_AST_ID && !protocol_bind(env, &places[i]))
      return false;
  for (uint32_t i = 0; i < count; i++)
    if (places[i].expr->kind != TS_AST_ID && !equals(v, env, &places[i]))
      return false;
  return true;
}

static uint32_t named_item(solver *v, const ts_env *env, const ts_ast *pattern, const ts_ast *at)
{
  int64_t micro_batch = 0, chunk = 0, place = 0;
  ts_work_kind kind;
  const ts_schedule *sc = v->sc;
  bool good =
    protocol_kind_of(v, pattern, &kind) &&
    ts_eval_int(v->s, env, at, "where a clause points", &place) &&
    (pattern->count < 1 || ts_eval_int(v->s, env, ts_ast_value(ts_ast_args(pattern).at[0]),
                                       "a micro-batch", &micro_batch)) &&
    (pattern->count < 2 ||
     ts_eval_int(v->s, env, ts_ast_value(ts_ast_args(pattern).at[1]), "a chunk", &chunk));
  if (!good) {
    v->failed = true;
    return TS_NO_INDEX;
  }
  if (kind == TS_STEP)
    return place < 0 || place >= sc->ranks || micro_batch < 0 || micro_batch >= TS_NO_INDEX ?
             TS_NO_INDEX :
             ts_schedule_step(sc, (uint32_t)place, (uint32_t)micro_batch);
  if (pattern->count > 1) {
    if (place < 0 || place >= sc->ranks || chunk < 0 || chunk >= sc->chunks)
      return TS_NO_INDEX;
    place = sc->stage_of[place * sc->chunks + chunk];
  }
  if (place < 0 || place >= sc->stages || micro_batch < 0 || micro_batch >= sc->micro_batches)
    return TS_NO_INDEX;
  uint32_t found = ts_schedule_find(sc, kind, (uint32_t)place, (uint32_t)micro_batch);
  return found == TS_NO_INDEX && (kind == TS_INPUT_GRADIENT || kind == TS_WEIGHT_GRADIENT)
             ? ts_schedule_find(sc, TS_BACKWARD, (uint32_t)place, (uint32_t)micro_batch)
             : found;
}

static bool protocol_holds(solver *v, const ts_env *env, const ts_ast *where)
{
  bool truth = true;
  if (where && !ts_eval_bool(v->s, env, where, "the condition of a clause", &truth))
    v->failed = true;
  return truth;
}

/* An item waits for another: on its own rank by its place in the order, elsewhere for a message.
 * False: there is nothing more to wait for. */
static bool tie(solver *v, const ts_env *env, const ts_ast *clause, uint32_t to, uint32_t from,
                uint32_t lane)
{
  ts_schedule *sc = v->sc;
  double bits = 0;
  if (ts_ast_sending(clause) &&
      !ts_eval_quantity(v->s, env, ts_ast_sending(clause), TS_DIM_SIZE, "the size of a message", &bits)) {
    v->failed = true;
    return false;
  }
  if (!(bits >= 0 && bits < 8 * 0x1p56)) {
    ts_diag *d = ts_report(v->s, TS_E0225, ts_ast_sending(clause)->span,
                           "a message has 0 B or more, and less than 64 PiB");
    ts_diag_here(d, bits < 0 ? "this is negative" : "this is more");
    ts_note_values(v->s, env, d, ts_ast_sending(clause));
    ts_diag_note_at(d, sc->span, "of this schedule");
    v->failed = true;
    return false;
  }
  if (ts_schedule_rank(sc, from) == ts_schedule_rank(sc, to)) {
    if (from < to)
      return false;
    ts_diag *d = ts_report(v->s, TS_E0404, sc->items.at[to].span, "%s comes before %s",
                           ts_placed_name(v->s, sc, to), ts_placed_name(v->s, sc, from));
    ts_diag_here(d, "must wait for the other");
    ts_diag_note_at(d, clause->span, "this clause says so");
    ts_diag_help(d,
                 "place them in the other order on this rank, or exclude this case with `where`");
    v->failed = true;
    return false;
  }
  TS_PUSH(v->s->arena, &sc->ties,
          (ts_tie){from, to, (int64_t)(bits / 8), clause, (uint32_t)sc->ties.count, 0, lane});
  return true;
}

/* `any k of`: those that need not be waited for count as there. */
static void protocol_choose(solver *v, const ts_env *env, const ts_ast *clause, uint32_t item,
                            uint32_t named, size_t first)
{
  ts_schedule *sc = v->sc;
  int64_t enough = 0, there = named - (int64_t)(sc->ties.count - first);
  if (v->failed || !ts_ast_any(clause) || !named)
    return;
  if (!ts_eval_int(v->s, env, ts_ast_any(clause), "the number that suffices", &enough)) {
    v->failed = true;
    return;
  }
  if (enough < 0 || enough > named) {
    ts_diag *d = ts_report(v->s, TS_E0405, ts_ast_any(clause)->span, "%s waits for any %lld of %u",
                           ts_placed_name(v->s, sc, item), (long long)enough, named);
    ts_diag_here(d, "must be from 0 to %u", named);
    ts_diag_help(d, enough < 0 ? "`max(k, 0)` is never less" :
                                 "where there may be fewer, write `any min(k, n) of`");
    v->failed = true;
  } else if (enough <= there) {
    sc->ties.count = first;
  } else if (enough < named &&
             (sc->items.at[item].paired || (item && sc->items.at[item - 1].paired))) {
    ts_diag *d = ts_report(v->s, TS_E0401, ts_ast_any(clause)->span, "%s overlaps other work",
                           ts_placed_name(v->s, sc, item));
    ts_diag_here(d, "cannot begin after only some of them");
    v->failed = true;
  } else {
    for (size_t t = first; t < sc->ties.count && enough < named; t++)
      sc->ties.at[t].some = (uint32_t)(enough - there);
  }
}

/* What one item waits for: one other, or one for each element of a list. */
static void depend_item(solver *v, const ts_env *bound, const ts_ast *clause, uint32_t item)
{
  const ts_ast *each = ts_ast_each(clause);
  ts_value over = ts_none_value();
  size_t first = v->sc->ties.count;
  uint32_t named = 0;
  if (each && !ts_eval_sequence(v->s, bound, ts_ast_over(each), "the range of `for`", &over))
    v->failed = true;
  ts_env *env = ts_env_new(v->s, bound);
  for (int64_t n = 0; n < (each ? ts_sequence_count(over) : 1) && !v->failed; n++) {
    if (!ts_count_iteration(v->s, clause->span)) {
      v->failed = true;
      return;
    }
    if (each)
      ts_env_bind(env, each->name, ts_sequence_at(over, n));
    if (!protocol_holds(v, env, ts_ast_where(clause)))
      continue;
    uint32_t other = named_item(v, env, ts_ast_other(clause), ts_ast_other_at(clause));
    named++;
    if (other != TS_NO_INDEX)
      tie(v, env, clause, item, other, (uint32_t)n);
  }
  protocol_choose(v, bound, clause, item, named, first);
}

static void depend(solver *v, const ts_ast *clause)
{
  ts_work_kind kind;
  if (!protocol_kind_of(v, ts_ast_item(clause), &kind))
    return;
  for (uint32_t i = 0; i < v->sc->items.count && !v->failed; i++) {
    if (v->sc->items.at[i].kind != kind)
      continue;
    ts_env *env = ts_env_new(v->s, v->env);
    if (fits_item(v, env, ts_ast_item(clause), ts_ast_at(clause), &v->sc->items.at[i]))
      depend_item(v, env, clause, i);
  }
}

/* Work that takes longer: a straggler, an interruption. */
static void slow(solver *v, const ts_ast *clause)
{
  ts_schedule *sc = v->sc;
  ts_work_kind kind;
  if (!protocol_kind_of(v, ts_ast_item(clause), &kind))
    return;
  for (uint32_t i = 0; i < sc->items.count && !v->failed; i++) {
    double by = 1;
    ts_env *env = ts_env_new(v->s, v->env);
    if (sc->items.at[i].kind != kind ||
        !fits_item(v, env, ts_ast_item(clause), ts_ast_at(clause), &sc->items.at[i]) ||
        !protocol_holds(v, env, ts_ast_where(clause)))
      continue;
    if (!ts_eval_real(v->s, env, ts_ast_by(clause), "how much longer work takes", &by)) {
      v->failed = true;
    } else if (!(by > 0 && by <= 1e9)) {
      ts_diag *d = ts_report(v->s, TS_E0405, ts_ast_by(clause)->span, "%s takes %g times as long",
                             ts_placed_name(v->s, sc, i), by);
      ts_diag_here(d, "must be more than 0 and at most 1e9");
      v->failed = true;
    } else {
      uint32_t before = sc->items.at[i].slowed;
      TS_PUSH(v->s->arena, &sc->slowed,
              (ts_slowed){before ? by * sc->slowed.at[before - 1].by : by, clause});
      sc->items.at[i].slowed = (uint32_t)sc->slowed.count;
    }
  }
}

/* One to one: every item of either side has exactly one partner. */
static void partner(solver *v, const ts_ast *clause)
{
  ts_schedule *sc = v->sc;
  ts_work_kind left, right;
  if (!protocol_kind_of(v, ts_ast_item(clause), &left) ||
      !protocol_kind_of(v, ts_ast_other(clause), &right))
    return;
  uint32_t *partner_of = TS_NEW_ARRAY(v->s->arena, uint32_t, sc->items.count + 1);
  memset(partner_of, 0xff, sc->items.count * sizeof *partner_of);
  uint32_t orphan = TS_NO_INDEX, orphans = 0;
  for (uint32_t i = 0; i < sc->items.count && !v->failed; i++) {
    if (sc->items.at[i].kind != left)
      continue;
    ts_env *env = ts_env_new(v->s, v->env);
    if (!fits_item(v, env, ts_ast_item(clause), ts_ast_at(clause), &sc->items.at[i]) ||
        !protocol_holds(v, env, ts_ast_where(clause)))
      continue;
    uint32_t other = named_item(v, env, ts_ast_other(clause), ts_ast_other_at(clause));
    if (other == TS_NO_INDEX || partner_of[other] != TS_NO_INDEX) {
      orphan = orphan == TS_NO_INDEX ? i : orphan;
      orphans++;
    } else {
      partner_of[other] = i;
    }
  }
  if (orphan == TS_NO_INDEX || v->failed)
    return;
  ts_diag *d =
    ts_report(v->s, TS_E0405, clause->span, "%s has no partner", ts_placed_name(v->s, sc, orphan));
  ts_diag_here(d, "one to one");
  ts_diag_label(d, sc->items.at[orphan].span, "placed here");
  if (orphans > 1)
    ts_diag_note(d, "%u items have none", orphans);
  v->failed = true;
}

/* -- which clauses there are -- */

static const struct common {
  const char *name;
  ts_common_clause bit;
} common[] = {{"activations", TS_CLAUSE_ACTIVATIONS},
              {"gradients", TS_CLAUSE_GRADIENTS},
              {"copies", TS_CLAUSE_COPIES}};
enum { COMMON = sizeof common / sizeof *common };

static uint32_t common_clause(const char *name)
{
  for (size_t i = 0; i < COMMON; i++)
    if (!strcmp(common[i].name, name))
      return common[i].bit;
  return 0;
}

static void without(solver *v, uint32_t bits, ts_span span)
{
  for (size_t i = 0; i < COMMON; i++)
    if (common[i].bit & bits & ~v->sc->without)
      TS_PUSH(v->s->arena, &v->sc->changes, (ts_clause_change){common[i].name, NULL, NULL, span});
  v->sc->without |= bits;
}

static void protocol_collect(solver *v, const ts_ast *decl);

/* A protocol sees the names of its own file, and before them those of the schedule that it is
 * used with. */
static void collect_protocol(solver *v, const ts_ast *protocol)
{
  const ts_env *around = v->env;
  ts_env *env = ts_env_new(v->s, ts_decl_env(v->s, protocol));
  TS_VEC(const ts_env *) scopes = {0}; /* innermost first; what is bound last hides the rest */
  for (const ts_env *e = v->sc->env; e && !e->module; e = e->parent)
    TS_PUSH(v->s->arena, &scopes, e);
  while (scopes.count--)
    for (uint32_t i = 0; i < scopes.at[scopes.count]->count; i++)
      ts_env_bind(env, scopes.at[scopes.count]->name[i], scopes.at[scopes.count]->value[i]);
  v->env = env;
  protocol_collect(v, protocol);
  v->env = around;
}

static void inherit(solver *v, const ts_ast *use)
{
  ts_value found = ts_none_value();
  if (!strcmp(use->name, "none")) {
    without(v, TS_ALL_COMMON_CLAUSES, use->span);
  } else if (ts_env_lookup_at(v->env, use->name, use->name_span, &found) &&
             found.type == TS_T_ERROR) {
    v->failed = true;
  } else if (found.type == TS_T_DECL && found.u.decl->kind == TS_AST_PROTOCOL) {
    collect_protocol(v, found.u.decl);
  } else {
    ts_diag *d =
      ts_report(v->s, TS_E0401, use->name_span, "no protocol is named `%s`", use->name);
    ts_diag_here(d, "must be declared with `protocol %s { ... }`, or be `none`", use->name);
    v->failed = true;
  }
}

static size_t find_clause(const solver *v, const char *name)
{
  size_t i = 0;
  while (i < v->clauses.count && (!name || v->clauses.at[i].clause->name != name))
    i++;
  return i;
}

static void no_such_clause(solver *v, const ts_ast *node)
{
  ts_name_list names = {0};
  for (size_t i = 0; i < v->clauses.count; i++)
    if (v->clauses.at[i].clause->name)
      TS_PUSH(v->s->arena, &names.names, v->clauses.at[i].clause->name);
  for (size_t i = 0; i < COMMON; i++)
    if (!(v->sc->without & common[i].bit))
      TS_PUSH(v->s->arena, &names.names, common[i].name);
  ts_diag *d = ts_report(v->s, TS_E0401, node->name_span, "schedule `%s` has no clause `%s`",
                         v->sc->name, node->name);
  ts_diag_here(d, "nothing to remove");
  if (!ts_suggest_names(d, node->name, &names) && names.names.count)
    ts_diag_note(d, "its clauses are %s", ts_name_list_print(v->s, &names));
  v->failed = true;
}

/* How gradients come about cannot be changed by a schedule. */
static bool is_fixed(solver *v, const char *name, ts_span span)
{
  if (!name || (strcmp(name, "forward_first") && strcmp(name, "input_gradient_first")))
    return false;
  ts_diag *d = ts_report(v->s, TS_E0401, span, "clause `%s` cannot be changed", name);
  ts_diag_here(d, "I and B need the activations of F, W the results of I");
  v->failed = true;
  return true;
}

static void remove_clause(solver *v, const ts_ast *node)
{
  size_t at = find_clause(v, node->name);
  uint32_t bit = common_clause(node->name);
  if (is_fixed(v, node->name, node->name_span))
    return;
  if (at < v->clauses.count) {
    TS_PUSH(v->s->arena, &v->sc->changes,
            (ts_clause_change){node->name, v->clauses.at[at].clause, NULL, node->span});
    memmove(&v->clauses.at[at], &v->clauses.at[at + 1],
            (v->clauses.count - at - 1) * sizeof *v->clauses.at);
    v->clauses.count--;
  } else if (bit & ~v->sc->without) {
    without(v, bit, node->span);
  } else {
    no_such_clause(v, node);
  }
}

/* A clause with the name of an earlier one takes its place; so it must be of the same kind. */
static void add_clause(solver *v, const ts_ast *clause)
{
  size_t at = find_clause(v, clause->name);
  if (is_fixed(v, clause->name, clause->name_span))
    return;
  if (at == v->clauses.count) {
    if (clause->name && (common_clause(clause->name) & ~v->sc->without)) {
      without(v, common_clause(clause->name), clause->span);
      v->sc->changes.at[v->sc->changes.count - 1].after = clause;
    }
    TS_PUSH(v->s->arena, &v->clauses, (named_clause){clause, v->env});
    return;
  }
  const ts_ast *before = v->clauses.at[at].clause;
  if (before->kind != clause->kind) {
    ts_diag *d = ts_report(v->s, TS_E0401, clause->name_span, "`%s` is the name of a `%s` clause",
                           clause->name, ts_kind_name(before->kind));
    ts_diag_here(d, "a `%s` clause cannot take its place", ts_kind_name(clause->kind));
    ts_diag_note_at(d, before->span, "the clause of that name");
    ts_diag_help(d, "give it another name; `remove %s` removes the other one",
                 clause->name);
    v->failed = true;
    return;
  }
  TS_PUSH(v->s->arena, &v->sc->changes,
          (ts_clause_change){clause->name, before, clause, clause->span});
  v->clauses.at[at] = (named_clause){clause, v->env};
}

static void protocol_collect(solver *v, const ts_ast *decl)
{
  ts_ast_list items = ts_ast_items(decl);
  for (uint32_t i = 0; i < items.count && !v->failed; i++) {
    const ts_ast *clause = items.at[i];
    if (clause->kind == TS_AST_USE_PROTOCOL)
      inherit(v, clause);
    else if (clause->kind == TS_AST_REMOVE)
      remove_clause(v, clause);
    else if (clause->kind == TS_AST_DEPEND || clause->kind == TS_AST_PARTNER ||
             clause->kind == TS_AST_SLOW)
      add_clause(v, clause);
  }
}

/* Ends of ties by item, so that a fragment knows its own. */
static void link_items(solver *v)
{
  ts_schedule *sc = v->sc;
  for (uint32_t t = 0; t < sc->ties.count; t++) {
    sc->items.at[sc->ties.at[t].from].link_count++;
    sc->items.at[sc->ties.at[t].to].link_count++;
  }
  uint32_t total = 0;
  for (uint32_t i = 0; i < sc->items.count; i++) {
    sc->items.at[i].link_first = total;
    total += sc->items.at[i].link_count;
    sc->items.at[i].link_count = 0;
  }
  sc->links.at = TS_NEW_ARRAY(v->s->arena, ts_tie_end, total + 1);
  sc->links.count = sc->links.room = total;
  for (uint32_t t = 0; t < sc->ties.count; t++) {
    ts_placed *from = &sc->items.at[sc->ties.at[t].from], *to = &sc->items.at[sc->ties.at[t].to];
    sc->links.at[from->link_first + from->link_count++] = (ts_tie_end){t, true};
    sc->links.at[to->link_first + to->link_count++] = (ts_tie_end){t, false};
  }
}

/* The plan's protocols come last: they replace and remove clauses of the schedule by name. */
static void collect_of_plan(solver *v, ts_value protocols)
{
  if (protocols.type == TS_T_LIST) {
    for (uint32_t i = 0; i < protocols.u.list->count; i++)
      collect_of_plan(v, protocols.u.list->at[i]);
    return;
  }
  if (protocols.type == TS_T_NONE)
    return;
  if (protocols.type == TS_T_DECL && protocols.u.decl->kind == TS_AST_PROTOCOL) {
    collect_protocol(v, protocols.u.decl);
    return;
  }
  ts_diag *d = ts_report(v->s, TS_E0401, v->sc->protocols_span, "`protocols` takes a protocol or a list of protocols");
  ts_diag_here(d, "found %s", ts_value_describe(v->s->arena, protocols));
  ts_diag_help(d, "declare one with `protocol NAME { depend ... }` and name it here");
  v->failed = true;
}

static solver solver_of(ts_session *s, ts_schedule *sc)
{
  solver v = {.s = s, .sc = sc, .env = sc->env ? sc->env : ts_env_new(s, NULL)};
  if (sc->decl)
    protocol_collect(&v, sc->decl);
  collect_of_plan(&v, sc->protocols);
  return v;
}

/* Every item that there may be, as if it stood somewhere. */
static void place_all(solver *v)
{
  ts_schedule *sc = v->sc;
  for (uint32_t k = 0; k < TS_STEP; k++)
    for (uint32_t stage = 0; stage < sc->stages; stage++)
      for (uint32_t i = 0; i < sc->micro_batches; i++)
        TS_PUSH(v->s->arena, &sc->items,
                (ts_placed){.kind = (ts_work_kind)k,
                            .micro_batch = i,
                            .chunk = sc->chunk_of[stage],
                            .stage = stage,
                            .span = sc->span});
}

bool ts_schedule_slow(ts_session *s, ts_schedule *sc, const double **factors)
{
  ts_schedule copy = *sc;
  bool any = false;
  copy.without = 0; /* as if nobody had read the clauses */
  memset(&copy.changes, 0, sizeof copy.changes);
  solver v = solver_of(s, &copy);
  *factors = NULL;
  for (size_t i = 0; i < v.clauses.count; i++)
    any = any || v.clauses.at[i].clause->kind == TS_AST_SLOW;
  if (!any || v.failed)
    return !v.failed;
  memset(&copy.items, 0, sizeof copy.items);
  memset(&copy.slowed, 0, sizeof copy.slowed);
  place_all(&v);
  for (size_t i = 0; i < v.clauses.count && !v.failed; i++) {
    v.env = v.clauses.at[i].env;
    if (v.clauses.at[i].clause->kind == TS_AST_SLOW)
      slow(&v, v.clauses.at[i].clause);
  }
  double *by = TS_NEW_ARRAY(s->arena, double, copy.items.count + 1);
  for (size_t i = 0; i < copy.items.count; i++)
    by[i] = copy.items.at[i].slowed ? copy.slowed.at[copy.items.at[i].slowed - 1].by : 1;
  *factors = by;
  return !v.failed;
}

bool ts_schedule_protocols(ts_session *s, ts_schedule *sc)
{
  solver v = solver_of(s, sc);
  for (size_t i = 0; i < v.clauses.count && !v.failed; i++) {
    v.env = v.clauses.at[i].env;
    switch (v.clauses.at[i].clause->kind) {
    case TS_AST_DEPEND: depend(&v, v.clauses.at[i].clause); break;
    case TS_AST_SLOW: slow(&v, v.clauses.at[i].clause); break;
    default: partner(&v, v.clauses.at[i].clause);
    }
  }
  if (!v.failed && sc->ties.count)
    link_items(&v);
  return !v.failed;
}
