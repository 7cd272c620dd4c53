/* Third part of the verifier: over a listed group whoever calls is a member, and all members of an
 * instance make the same calls in the same order. Calls on different streams have no order. */
#include <stdlib.h>

#include "base/arena.h"
#include "base/order.h"
#include "ir/layout.h"

/* What a fragment, then a program, calls over one group on one stream: a hash of the calls in their
 * order, and the factor of what came before. */
typedef struct calls { uint32_t comm; uint64_t order, scale; } calls;
typedef struct call_list { TS_VEC(calls) at; } call_list;
typedef struct verify_groups_played {
  uint32_t comm, program;
  uint64_t order;
} verify_groups_played;

typedef struct checker {
  const ts_ir *ir;
  ts_error *error;
  ts_arena *arena;
  TS_VEC(uint64_t) comms; /* group, stream in the low byte; sorted */
  call_list *fragments, *runs; /* by fragment, by first item of a program */
  bool *known;                 /* [runs] */
  uint32_t *place;             /* [comms] in the list that is being made, + 1 */
  TS_VEC(verify_groups_played) played;
} checker;

static int by_comm(const void *a, const void *b)
{
  const verify_groups_played *x = a, *y = b;
  return x->comm != y->comm ? (x->comm > y->comm) - (x->comm < y->comm) :
                              (x->program > y->program) - (x->program < y->program);
}

static bool is_listed(const ts_ir *ir, const ts_ir_node *n, uint64_t *comm)
{
  if (n->op != TS_IR_COLLECTIVE)
    return false;
  uint32_t group = ir->collectives[n->arg].group;
  *comm = (uint64_t)group << 8 | n->stream;
  return ir->groups[group].size > 0;
}

static void find_comms(checker *c)
{
  uint64_t comm;
  for (uint32_t i = 0; i < c->ir->nodes_count; i++)
    if (is_listed(c->ir, &c->ir->nodes[i], &comm))
      TS_PUSH(c->arena, &c->comms, comm);
  TS_SORT(&c->comms, ts_by_u64);
  size_t distinct = 0;
  for (size_t i = 0; i < c->comms.count; i++)
    if (!i || c->comms.at[i] != c->comms.at[distinct - 1])
      c->comms.at[distinct++] = c->comms.at[i];
  c->comms.count = distinct;
}

/* Calls of `comm` come after those that the list has. */
static void verify_groups_follow(checker *c, call_list *list, uint32_t comm, uint64_t order,
                                 uint64_t scale)
{
  if (!c->place[comm]) {
    TS_PUSH(c->arena, &list->at, (calls){comm, 0, 1});
    c->place[comm] = (uint32_t)list->at.count;
  }
  calls *at = &list->at.at[c->place[comm] - 1];
  at->order = at->order * scale + order;
  at->scale *= scale;
}

static void verify_groups_finish(checker *c, const call_list *list)
{
  for (size_t i = 0; i < list->at.count; i++)
    c->place[list->at.at[i].comm] = 0;
}

static void list_fragment(checker *c, uint32_t f)
{
  const ts_ir_fragment *fragment = &c->ir->fragments[f];
  uint64_t comm;
  for (uint32_t i = 0; i < fragment->node_count; i++) {
    const ts_ir_node *n = &c->ir->nodes[fragment->first_node + i];
    if (!is_listed(c->ir, n, &comm))
      continue;
    const uint64_t *at = bsearch(&comm, c->comms.at, c->comms.count, sizeof comm, ts_by_u64);
    verify_groups_follow(c, &c->fragments[f], (uint32_t)(at - c->comms.at), n->arg + 1,
                         0x9e3779b97f4a7c15u);
  }
  verify_groups_finish(c, &c->fragments[f]);
}

/* Programs may share their items, which are then gone through once. */
static void list_program(checker *c, uint32_t number)
{
  const ts_ir_program *p = &c->ir->programs[number];
  call_list *list = p->item_count ? &c->runs[p->first_item] : NULL;
  for (uint32_t i = 0; list && !c->known[p->first_item] && i < p->item_count; i++) {
    const call_list *of = &c->fragments[c->ir->items[p->first_item + i].fragment];
    for (size_t k = 0; k < of->at.count; k++)
      verify_groups_follow(c, list, of->at.at[k].comm, of->at.at[k].order, of->at.at[k].scale);
  }
  if (!list)
    return;
  verify_groups_finish(c, list);
  c->known[p->first_item] = true;
  for (size_t k = 0; k < list->at.count; k++)
    TS_PUSH(c->arena, &c->played,
            (verify_groups_played){list->at.at[k].comm, number, list->at.at[k].order});
}

typedef struct instance { uint32_t callers, program; uint64_t order; } instance;

/* A rank that plays the program calls. */
static int add_caller(checker *c, const ts_ir_group *g, instance *at, const verify_groups_played *p,
                      uint32_t rank)
{
  const ts_ir *ir = c->ir;
  const char *name = ir->strings + g->name;
  if (!at)
    return ts_ir_fail(c->error,
                      "program `%.100s` calls over group `%.100s`, and rank %u is no member",
                      ir->strings + ir->programs[p->program].name, name, rank);
  if (at->callers && at->order != p->order)
    return ts_ir_fail(c->error,
                      "programs `%.100s` and `%.100s` play different collectives, or in another "
                      "order, over group `%.100s`",
                      ir->strings + ir->programs[at->program].name,
                      ir->strings + ir->programs[p->program].name, name);
  at->program = p->program;
  at->order = p->order;
  at->callers++;
  return 0;
}

/* All that is played over one group on one stream. `of`: [world] instance + 1. */
static int check_comm(checker *c, const verify_groups_played *first,
                      const verify_groups_played *end, uint32_t *of)
{
  const ts_ir *ir = c->ir;
  const ts_ir_group *g = &ir->groups[c->comms.at[first->comm] >> 8];
  uint32_t axis = ir->meta->pipeline_axis, size = axis == TS_IR_NONE ? 1 : ir->axes[axis].size,
           stride = axis == TS_IR_NONE ? 1 : ir->axes[axis].stride, world = ir->meta->world;
  const uint32_t *ranks = ir->group_ranks + g->first_rank;
  ts_arena *scratch = ts_arena_new("instances");
  instance *instances = TS_NEW_ARRAY(scratch, instance, g->rank_count / g->size + 1);
  int failed = 0;
  for (uint32_t i = 0; i < g->rank_count; i++)
    of[ranks[i]] = i / g->size + 1;
  for (const verify_groups_played *p = first; p < end; p++)
    for (uint32_t r = p->program * stride; r < world && !failed;
         r += (r + 1) % stride ? 1 : stride * (size - 1) + 1)
      failed = add_caller(c, g, of[r] ? &instances[of[r] - 1] : NULL, p, r);
  for (uint32_t i = 0; i < g->rank_count / g->size && !failed; i++)
    if (instances[i].callers && instances[i].callers < g->size)
      failed = ts_ir_fail(c->error,
                          "program `%.100s` calls over group `%.100s`, and other members do not",
                          ir->strings + ir->programs[instances[i].program].name,
                          ir->strings + g->name);
  for (uint32_t i = 0; i < g->rank_count; i++)
    of[ranks[i]] = 0;
  ts_arena_free(scratch);
  return failed;
}

static int check_comms(checker *c)
{
  uint32_t *of = TS_NEW_ARRAY(c->arena, uint32_t, c->ir->meta->world);
  int failed = 0;
  TS_SORT(&c->played, by_comm);
  for (size_t i = 0, end; i < c->played.count && !failed; i = end) {
    for (end = i; end < c->played.count && c->played.at[end].comm == c->played.at[i].comm;)
      end++;
    failed = check_comm(c, &c->played.at[i], &c->played.at[end], of);
  }
  return failed;
}

static int check(checker *c)
{
  const ts_ir *ir = c->ir;
  c->fragments = TS_NEW_ARRAY(c->arena, call_list, ir->fragments_count + 1);
  c->runs = TS_NEW_ARRAY(c->arena, call_list, ir->items_count + 1);
  c->known = TS_NEW_ARRAY(c->arena, bool, ir->items_count + 1);
  c->place = TS_NEW_ARRAY(c->arena, uint32_t, c->comms.count + 1);
  for (uint32_t f = 0; f < ir->fragments_count; f++)
    list_fragment(c, f);
  for (uint32_t p = 0; p < ir->programs_count; p++)
    list_program(c, p);
  return check_comms(c);
}

int ts_ir_verify_groups(const ts_ir *ir, ts_error *error)
{
  checker c = {.ir = ir, .error = error, .arena = ts_arena_new("listed groups")};
  find_comms(&c);
  int failed = c.comms.count ? check(&c) : 0;
  ts_arena_free(c.arena);
  return failed;
}
