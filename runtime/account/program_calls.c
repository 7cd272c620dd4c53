#include "runtime/account/program_calls.h"

static void count_program(const ts_tables *t, ts_arena *scratch, uint32_t number,
                          ts_program_calls *calls)
{
  const ts_ir *ir = t->ir;
  const ts_program_info *program = &t->programs[number];
  uint64_t *plays = TS_NEW_ARRAY(scratch, uint64_t, ir->fragments_count);
  *calls = (ts_program_calls){TS_NEW_ARRAY(scratch, uint64_t, ir->collectives_count),
                           TS_NEW_ARRAY(scratch, uint64_t, program->call_count)};
  for (uint32_t i = 0; i < ir->programs[number].item_count; i++) {
    const ts_play_item *v = &program->items[i];
    uint64_t times = ts_ir_plays(ir, number, i);
    plays[v->fragment] += times;
    for (uint32_t k = v->port_base; k < v[1].port_base; k++) /* each port is played by a node */
      if (program->routes[k].call != TS_IR_NONE)
        calls->messages[program->routes[k].call] += times;
  }
  for (uint32_t f = 0; f < ir->fragments_count; f++)
    for (uint32_t n = 0; plays[f] && n < ir->fragments[f].node_count; n++) {
      const ts_ir_node *node = &ts_fragment_nodes(ir, f)[n];
      if (node->op == TS_IR_COLLECTIVE)
        calls->collectives[node->arg] += plays[f];
    }
}

const ts_program_calls *ts_program_calls_of(const ts_tables *t, ts_arena *arena)
{
  ts_program_calls *programs = TS_NEW_ARRAY(arena, ts_program_calls, t->ir->programs_count);
  for (uint32_t number = 0; number < t->ir->programs_count; number++)
    count_program(t, arena, number, &programs[number]);
  return programs;
}
