#include "runtime/play/at_once.h"

#include "base/intern.h"

typedef struct at_once_reader {
  const ts_tables *t;
  ts_arena *scratch;
  ts_intern past;  /* what was done before: the past of the item before it, and a fragment */
  ts_intern sends; /* a past and a node */
} at_once_reader;

static void number_alone(const ts_program_info *program, uint32_t *set, uint32_t *count)
{
  for (uint32_t k = 0; k < program->peer_count; k++)
    set[k] = program->peers[k].sends && set[k] == TS_IR_NONE ? (*count)++ : set[k];
}

/* First sends to peers up to the first receive, in the order of issue. */
static void number_together(at_once_reader *r, uint32_t number, uint32_t *set)
{
  const ts_program_info *program = &r->t->programs[number];
  uint32_t words[2] = {TS_IR_NONE, 0};
  for (uint32_t i = 0; i < r->t->ir->programs[number].item_count; i++) {
    const ts_play_item *item = &program->items[i];
    const ts_ir_fragment *f = &r->t->ir->fragments[item->fragment];
    words[1] = item->fragment;
    words[0] = ts_intern_run(&r->past, words, 2);
    for (uint32_t n = 0; n < f->node_count; n++) {
      const ts_ir_node *node = &ts_fragment_nodes(r->t->ir, item->fragment)[n];
      if (node->op == TS_IR_RECV)
        return;
      if (node->op != TS_IR_SEND)
        continue;
      uint32_t *of = &set[program->routes[item->port_base + node->arg].peer];
      words[1] = n;
      *of = *of == TS_IR_NONE ? ts_intern_run(&r->sends, words, 2) : *of;
    }
  }
}

ts_send_sets ts_send_sets_of(ts_arena *arena, const ts_tables *t)
{
  uint32_t programs = t->ir->programs_count;
  at_once_reader r = {.t = t, .scratch = ts_arena_new("sends at once")};
  r.past.arena = r.sends.arena = r.scratch;
  uint32_t **of = TS_NEW_ARRAY(arena, uint32_t *, programs);
  for (uint32_t p = 0; p < programs; p++) {
    const ts_program_info *program = &t->programs[p];
    bool sends = false;
    of[p] = TS_NEW_ARRAY(arena, uint32_t, program->peer_count);
    for (uint32_t k = 0; k < program->peer_count; k++) {
      of[p][k] = TS_IR_NONE;
      sends |= program->peers[k].sends;
    }
    if (sends)
      number_together(&r, p, of[p]);
  }
  uint32_t count = (uint32_t)r.sends.all.count;
  for (uint32_t p = 0; p < programs; p++)
    number_alone(&t->programs[p], of[p], &count);
  ts_arena_free(r.scratch);
  return (ts_send_sets){count, (const uint32_t **)of};
}
