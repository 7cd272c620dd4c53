/* Dimensions that do not lie evenly: amounts that are rounded up, and what a router deals out. */
#include "compiler/eval/report.h"
#include "compiler/shard/internal.h"
#include "compiler/shard/layout.h"

enum { STRETCH = 2 }; /* exact in whole numbers */

static uint32_t first_output(const ts_sharder *c)
{
  return c->op->input_count + c->op->param_count;
}

/* `uneven y dim 1`: how many a rank has is rounded up. */
static bool declared(ts_sharder *c)
{
  const ts_ast *decl = c->op->decl;
  ts_ast_list items = ts_ast_items(decl);
  for (uint32_t i = 0; i < items.count; i++) {
    const ts_ast *item = items.at[i];
    bool gradient;
    int32_t dim = 0;
    if (item->kind != TS_AST_UNEVEN)
      continue;
    uint32_t slot = ts_op_slot(c->op, item->name, &gradient);
    if (slot == TS_NO_INDEX || gradient || slot < first_output(c) || slot >= c->op->slot_count) {
      ts_diag *d = ts_report(c->s, TS_E0219, item->name_span, "`%s` has no output `%s`",
                             c->op->kind, item->name);
      ts_diag_here(d, "a dimension of an output is rounded up");
      return false;
    }
    if (!ts_sharder_dim(c, c->op->module, ts_ast_dim(item), &c->op->slots[slot], &dim))
      return false;
    c->class->view[slot].uneven |= UINT32_C(1) << dim;
  }
  return true;
}

/* The inputs with their uneven dimensions stretched, and the most that the fullest rank has above
 * the mean. False: there are none. */
static bool stretch(const ts_sharder *c, ts_slot *slots, double *more)
{
  bool found = false;
  for (uint32_t i = 0; i < c->op->input_count; i++) {
    const ts_layout *view = &c->class->view[i];
    int64_t *dims =
      ts_arena_copy(c->s->arena, slots[i].shape.dim, (slots[i].shape.rank + 1) * sizeof *dims);
    for (uint32_t d = 0; d < slots[i].shape.rank; d++) {
      if (!(view->uneven >> d & 1) && !(view->more[d] > 0))
        continue;
      dims[d] *= STRETCH;
      *more = view->more[d] > *more ? view->more[d] : *more;
      found = true;
    }
    slots[i].shape.dim = dims;
  }
  return found;
}

/* Where the inputs' uneven dimensions are stretched, dimensions of outputs that grow alike follow
 * them. */
static bool uneven_follow(ts_sharder *c)
{
  const ts_op *op = c->op;
  const ts_slot *whole = ts_sharder_whole(c);
  double more = 0;
  if (!whole)
    return false;
  ts_slot *slots =
    ts_arena_copy(c->s->arena, whole, (op->slot_count + op->part_count) * sizeof *slots);
  if (!stretch(c, slots, &more))
    return true;
  ts_op_scope scope = {.s = c->s,
                       .plan = c->plan,
                       .op = op,
                       .slots = slots,
                       .args = c->set ? c->set : op->args,
                       .quiet = true};
  if (!ts_op_outputs(&scope))
    return false;
  for (uint32_t i = first_output(c); i < op->slot_count; i++)
    for (uint32_t d = 0; d < slots[i].shape.rank && d < whole[i].shape.rank; d++)
      if (slots[i].shape.dim[d] == STRETCH * whole[i].shape.dim[d]) {
        c->class->view[i].uneven |= UINT32_C(1) << d;
        c->class->view[i].more[d] = more;
      }
  return true;
}

bool ts_sharder_uneven(ts_sharder *c) { return declared(c) && uneven_follow(c); }
