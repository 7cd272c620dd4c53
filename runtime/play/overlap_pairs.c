#include "runtime/play/overlap_pairs.h"

#include <math.h>
#include <string.h>

#include "base/order.h"
#include "ir/spelling.h"
#include "base/intern.h"
#include "runtime/play/slowdown_learned.h"

static const ts_ir_device_class *device_of(const ts_tables *t, uint32_t rank)
{
  uint32_t class =
    t->ranks->vertex ? t->ir->devices[t->ranks->vertex[rank]].device_class : TS_IR_NONE;
  return class == TS_IR_NONE ? NULL : &t->ir->device_classes[class];
}

static double or_missing(double value) { return value > 0 ? value : NAN; }

/* Of the program's calls the first through the port of the IR, or one behind it. */
static uint32_t first_call(const ts_program_info *program, uint32_t port)
{
  uint32_t at;
  TS_SEARCH(at, 0, program->call_count, program->calls[at].port < port);
  return at;
}

static void describe_transfer(const ts_tables *t, const ts_role *role, uint32_t column, ts_pair *p)
{
  const ts_ir *ir = t->ir;
  const ts_transfer_way *way = role->ways ? &role->ways[column] : NULL;
  if (way && way->channels) {
    p->algorithm = ts_ir_algorithm_names[way->algorithm];
    p->protocol = ts_ir_protocol_names[way->protocol];
    p->channels = way->channels;
  }
  if (column < ir->collectives_count) {
    p->transfer = ts_ir_collective_names[ir->collectives[column].kind];
    p->transfer_bytes = (double)ir->collectives[column].bytes;
    p->transfer_time = or_missing((double)role->collective_time[column] * 1e-12);
    return;
  }
  uint32_t port = column - ir->collectives_count;
  const ts_program_info *program = &t->programs[role->program];
  p->transfer = ts_ir_collective_names[TS_IR_MESSAGE];
  p->transfer_bytes = (double)ir->ports[port].bytes;
  p->transfer_time = NAN;
  /* the slowest path that it takes */
  for (uint32_t c = first_call(program, port);
       c < program->call_count && program->calls[c].port == port; c++)
    p->transfer_time = fmax(p->transfer_time, or_missing((double)role->transits[c].flight * 1e-12));
}

/* Distinct pairs of a kernel and a transfer, of all kinds of ranks. */
typedef struct pair_list {
  ts_arena *arena;
  ts_intern seen;
  TS_VEC(ts_pair) pairs;
  TS_VEC(uint32_t *) tables; /* [kinds] number of the pair of each kernel and column */
} pair_list;

static void add_pair(pair_list *l, const ts_pair *p, uint32_t *number)
{
  uint32_t words[sizeof *p / sizeof(uint32_t)];
  memcpy(words, p, sizeof words);
  *number = ts_intern_run(&l->seen, words, sizeof words / sizeof *words);
  if (*number == l->pairs.count)
    TS_PUSH(l->arena, &l->pairs, *p);
}

static void list_pairs(pair_list *l, const ts_tables *t, const ts_role *role, uint32_t columns)
{
  const ts_ir *ir = t->ir;
  const ts_ir_device_class *device = device_of(t, role->rank);
  uint32_t *number = TS_NEW_ARRAY(l->arena, uint32_t, (size_t)ir->kernels_count * columns);
  TS_PUSH(l->arena, &l->tables, number);
  for (uint32_t k = 0; k < ir->kernels_count; k++) {
    const ts_ir_kernel *kernel = &ir->kernels[k];
    for (uint32_t c = 0; c < columns; c++) {
      ts_pair p = TS_PAIR_UNKNOWN;
      p.family = ir->strings + kernel->family;
      p.time = (double)kernel->time * 1e-12 / role->speed;
      p.flops = or_missing(kernel->flops);
      p.bytes = or_missing(kernel->bytes);
      p.bandwidth = device ? or_missing(device->bandwidth) : NAN;
      p.dram = fmin(p.bytes / (p.time * p.bandwidth), 1); /* NAN where one is not known */
      if (isnan(p.bytes + p.time + p.bandwidth))
        p.dram = NAN;
      p.memory = p.dram;
      p.gpu = device ? ir->strings + device->name : "";
      describe_transfer(t, role, c, &p);
      add_pair(l, &p, number++);
    }
  }
}

/* Each distinct pair is predicted once, all in one batch. */
const char *ts_overlap_pairs_of(ts_arena *arena, const ts_tables *t, const ts_roles *roles,
                                const ts_slowdown *model, ts_overlap_pairs *out)
{
  pair_list l = {.arena = arena, .seen = {.arena = arena}};
  uint32_t columns = t->ir->collectives_count + t->ir->ports_count;
  for (uint32_t k = 0; k < roles->count; k++)
    list_pairs(&l, t, &roles->at[k], columns);
  ts_slowdowns *slows = TS_NEW_ARRAY(arena, ts_slowdowns, l.pairs.count);
  *out = (ts_overlap_pairs){columns, (const uint32_t *const *)l.tables.at, slows};
  return ts_slowdown_predict(arena, model, l.pairs.at, (uint32_t)l.pairs.count, slows);
}

const char *ts_overlap_unseen(ts_arena *arena, const ts_tables *t, const ts_roles *roles,
                              const ts_slowdown *model)
{
  if (model->kind != TS_SLOWDOWN_LEARNED || !model->categories)
    return NULL;
  TS_VEC(ts_pair) pairs = {0};
  const ts_ir *ir = t->ir;
  ts_pair p = TS_PAIR_UNKNOWN;
  for (uint32_t k = 0; k < ir->kernels_count; k++) {
    p.family = ir->strings + ir->kernels[k].family;
    TS_PUSH(arena, &pairs, p);
  }
  for (uint32_t k = 0; k < roles->count; k++)
    for (uint32_t c = 0; c < ir->collectives_count + ir->ports_count; c++) {
      p = TS_PAIR_UNKNOWN;
      describe_transfer(t, &roles->at[k], c, &p);
      const ts_ir_device_class *device = device_of(t, roles->at[k].rank);
      p.gpu = device ? ir->strings + device->name : "";
      TS_PUSH(arena, &pairs, p);
    }
  return ts_learned_unseen(arena, model, pairs.at, (uint32_t)pairs.count);
}

static bool is_family(const ts_ir *ir, const char *name)
{
  bool found = strcmp(name, "*") == 0;
  for (uint32_t k = 0; k < ir->kernels_count && !found; k++)
    found = strcmp(ir->strings + ir->kernels[k].family, name) == 0;
  return found;
}

static bool is_transfer(const ts_ir *ir, const char *name)
{
  bool found = strcmp(name, "*") == 0 ||
               (ir->ports_count && strcmp(name, ts_ir_collective_names[TS_IR_MESSAGE]) == 0);
  for (uint32_t c = 0; c < ir->collectives_count && !found; c++)
    found = strcmp(ts_ir_collective_names[ir->collectives[c].kind], name) == 0;
  return found;
}

static const char *families(ts_arena *arena, const ts_ir *ir)
{
  const char *text = "";
  for (uint32_t k = 0; k < ir->kernels_count; k++) {
    uint32_t first = 0;
    while (ir->kernels[first].family != ir->kernels[k].family)
      first++;
    if (first == k)
      text = ts_arena_printf(arena, "%s%s%s", text, *text ? ", " : "",
                             ir->strings + ir->kernels[k].family);
  }
  return text;
}

const char *ts_overlap_idle_rows(ts_arena *arena, const ts_ir *ir, const ts_slowdown *model)
{
  const char *idle = NULL;
  for (uint32_t i = 0; model->kind == TS_SLOWDOWN_TABLE && i < model->row_count; i++) {
    const ts_slowdown_row *row = &model->rows[i];
    if (!is_family(ir, row->family) || !is_transfer(ir, row->transfer))
      idle = ts_arena_printf(arena, "%s%s`pair %s %s`", idle ? idle : "", idle ? ", " : "",
                             row->family, row->transfer);
  }
  return idle ? ts_arena_printf(arena, "%s; kernels here are %s", idle, families(arena, ir)) : NULL;
}
