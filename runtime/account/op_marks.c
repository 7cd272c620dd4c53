#include "runtime/account/op_marks.h"

typedef TS_VEC(ts_mark) marks;

typedef struct op_marks_lister {
  ts_arena *arena;
  const ts_tables *tables;
  const ts_role *role;
  const ts_memory_effect *effects;
  marks list;
} op_marks_lister;

static void mark_node(op_marks_lister *l, uint32_t node, uint64_t start, uint64_t end)
{
  const ts_memory_effect *effect = &l->effects[node];
  if (effect->allocates)
    TS_PUSH(l->arena, &l->list, ((ts_mark){2 * start + 1, effect->allocates, node, false}));
  if (effect->frees)
    TS_PUSH(l->arena, &l->list, ((ts_mark){2 * end, effect->frees, node, true}));
}

static void mark_op(op_marks_lister *l, uint32_t fragment, const ts_play_op *op, ts_strip *out)
{
  const uint32_t *order = l->tables->layouts[fragment].order;
  uint32_t first_node = l->tables->ir->fragments[fragment].first_node;
  uint64_t time = 0;
  out->first = (uint32_t)l->list.count;
  for (uint32_t i = op->first; i < op->first + op->count; i++) {
    uint32_t node = first_node + order[i];
    uint64_t begin = time;
    time += ts_kernel_time(l->role, &l->tables->ir->nodes[node]);
    if (l->tables->ir->nodes[node].mem_count)
      mark_node(l, node, begin, time);
  }
  out->count = (uint32_t)l->list.count - out->first;
}

ts_op_marks ts_op_marks_of(ts_arena *arena, const ts_tables *t, const ts_role *role,
                           const ts_memory_effect *effects, const bool *streams)
{
  static const ts_mark none;
  op_marks_lister l = {.arena = arena, .tables = t, .role = role, .effects = effects};
  uint32_t ops = 0, fragments = t->ir->fragments_count;
  for (uint32_t f = 0; f < fragments; f++)
    for (uint32_t s = 0; role->code[f].stream && s < t->streams; s++) {
      ts_range code = role->code[f].stream[s];
      ops = code.first + code.count > ops ? code.first + code.count : ops;
    }
  ts_strip *strips = TS_NEW_ARRAY(arena, ts_strip, ops);
  for (uint32_t f = 0; f < fragments; f++)
    for (uint32_t s = 0; role->code[f].stream && s < t->streams; s++) {
      ts_range code = role->code[f].stream[s];
      for (uint32_t i = code.first; streams[s] && i < code.first + code.count; i++)
        mark_op(&l, f, &role->ops[i], &strips[i]);
    }
  /* strips without marks point at some, too */
  ts_op_marks out = {strips, l.list.at ? l.list.at : &none, 2};
  for (uint32_t i = 0; i < ops; i++)
    out.most = strips[i].count > out.most ? strips[i].count : out.most;
  return out;
}
