/* Two pieces of work played as one: their nodes in one list, so that what one waits for runs while
 * the other computes. The pair begins when the inputs of both are there, and passes on what both
 * made when both are done (DeepSeek-AI, arXiv 2412.19437, section 3.2.1). */
#include <string.h>

#include "compiler/lower/fragment.h"

typedef struct side { /* one of the two */
  const ts_fragment *f;
  uint32_t head, tail;      /* nodes before: receives; nodes from: sends */
  uint32_t next;
  uint32_t part, parts;     /* runs between two waits: at hand, in all */
  uint32_t *moved;          /* where each node went */
  uint32_t port;            /* of its first */
} side;

static void bounds(side *s)
{
  const ts_fragment *f = s->f;
  s->tail = (uint32_t)f->nodes.count;
  for (uint32_t i = 0; i < f->nodes.count; i++) {
    if (f->nodes.at[i].op == TS_IR_RECV)
      s->head = i + 1 + (i + 1 < f->nodes.count && f->nodes.at[i + 1].op == TS_IR_HOST_SYNC);
    if (f->nodes.at[i].op == TS_IR_SEND && i < s->tail)
      s->tail = i - (i > 0 && f->nodes.at[i - 1].op == TS_IR_HOST_SYNC);
  }
  s->tail = s->tail < s->head ? s->head : s->tail;
  s->next = s->head;
}

/* The compute stream waits here for something that another stream does. */
static bool waits(const side *s, uint32_t node)
{
  const ts_ir_node *n = &s->f->nodes.at[node];
  if (n->stream != 0 || n->op == TS_IR_HOST_WORK)
    return false;
  for (uint32_t d = n->first_dep; d < n->first_dep + n->dep_count; d++)
    if (s->f->deps.at[d] >= s->head && s->f->nodes.at[s->f->deps.at[d]].stream != 0)
      return true;
  return false;
}

static void count_parts(side *s)
{
  s->parts = 1;
  for (uint32_t i = s->head + 1; i < s->tail; i++)
    s->parts += waits(s, i);
}

static void move(ts_fragment *to, side *s, uint32_t node, uint32_t more)
{
  ts_ir_node n = s->f->nodes.at[node];
  uint32_t first = (uint32_t)to->deps.count;
  for (uint32_t d = n.first_dep; d < n.first_dep + n.dep_count; d++)
    TS_PUSH(to->scratch, &to->deps, s->moved[s->f->deps.at[d]]);
  if (more != TS_NO_INDEX)
    TS_PUSH(to->scratch, &to->deps, more);
  n.first_dep = first;
  n.dep_count = (uint16_t)(to->deps.count - first);
  if (n.op == TS_IR_SEND || n.op == TS_IR_RECV)
    n.arg += s->port;
  s->moved[node] = (uint32_t)to->nodes.count;
  TS_PUSH(to->scratch, &to->nodes, n);
}

/* The run that is next: up to where its compute stream has to wait again. */
static void move_part(ts_fragment *to, side *s)
{
  do
    move(to, s, s->next++, TS_NO_INDEX);
  while (s->next < s->tail && !waits(s, s->next));
  s->part++;
}

/* Runs alternate in proportion to their numbers. */
static void interleave(ts_fragment *to, side *a, side *b)
{
  while (a->next < a->tail || b->next < b->tail) {
    bool first = b->next == b->tail || (a->next < a->tail && (2 * a->part + 1) * b->parts <=
                                                               (2 * b->part + 1) * a->parts);
    move_part(to, first ? a : b);
  }
}

static uint32_t record(ts_fragment *to)
{
  TS_PUSH(to->scratch, &to->nodes,
          (ts_ir_node){.op = TS_IR_RECORD,
                       .phase = TS_IR_PHASE_OTHER,
                       .loc = TS_IR_NONE,
                       .rule_loc = TS_IR_NONE,
                       .first_dep = (uint32_t)to->deps.count});
  return (uint32_t)to->nodes.count - 1;
}

/* The compute stream waits for all that was received. */
static void await_receives(ts_fragment *to)
{
  uint32_t count = (uint32_t)to->nodes.count, node = record(to);
  for (uint32_t i = 0; i < count; i++)
    if (to->nodes.at[i].op == TS_IR_RECV) {
      TS_PUSH(to->scratch, &to->deps, i);
      to->nodes.at[node].dep_count++;
    }
}

static void take_memory(ts_fragment *to, const side *s)
{
  for (size_t i = 0; i < s->f->mems.count; i++)
    TS_PUSH(to->scratch, &to->mems,
            (ts_mem_note){s->moved[s->f->mems.at[i].node], s->f->mems.at[i].mem});
}

ts_fragment *ts_fragment_merge(ts_fragment *first, ts_fragment *second)
{
  ts_fragment *to = ts_fragment_new(first->l, TS_NO_INDEX);
  side sides[2] = {{.f = first}, {.f = second}};
  for (uint32_t k = 0; k < 2; k++) {
    side *s = &sides[k];
    s->moved = TS_NEW_ARRAY(to->scratch, uint32_t, s->f->nodes.count + 1);
    s->port = (uint32_t)to->ports.count;
    for (size_t i = 0; i < s->f->ports.count; i++) {
      TS_PUSH(to->scratch, &to->ports, s->f->ports.at[i]);
      ts_port_ref role = s->f->roles.at[i];
      role.part = k;
      TS_PUSH(to->scratch, &to->roles, role);
    }
    bounds(s);
    count_parts(s);
    for (uint32_t i = 0; i < s->head; i++)
      move(to, s, i, TS_NO_INDEX);
  }
  await_receives(to);
  interleave(to, &sides[0], &sides[1]);
  uint32_t done = record(to);
  for (uint32_t k = 0; k < 2; k++)
    for (uint32_t i = sides[k].tail; i < sides[k].f->nodes.count; i++)
      move(to, &sides[k], i, sides[k].f->nodes.at[i].op == TS_IR_SEND ? done : TS_NO_INDEX);
  take_memory(to, &sides[0]);
  take_memory(to, &sides[1]);
  return to;
}
