#include "trace/program_maker.h"

#include <stdlib.h>

#include "base/order.h"

void ts_program_axis(ts_ir_builder *b, const char *name, uint32_t size, uint32_t stride)
{
  ts_ir_axis axis = {.name = ts_ir_add_string(b, name), .size = size, .stride = stride};
  ts_ir_append_copies(b, TS_IR_AXES, &axis, 1);
}

void ts_program_stream(ts_ir_builder *b, const char *name, ts_ir_stream_kind kind, bool unshared,
                       uint16_t priority)
{
  ts_ir_stream stream = {.name = ts_ir_add_string(b, name),
                         .kind = (uint8_t)kind,
                         .unshared = unshared && kind == TS_IR_STREAM_COMPUTE,
                         .priority = priority};
  ts_ir_append_copies(b, TS_IR_STREAMS, &stream, 1);
}

void ts_program_wait(ts_program_maker *m, uint32_t node)
{
  if (node != TS_IR_NONE)
    TS_PUSH(m->arena, &m->waits, node);
}

void ts_program_waits(ts_program_maker *m, ts_ir_node *node)
{
  uint32_t *at = m->waits.at, distinct = 0;
  TS_SORT(&m->waits, ts_by_u32);
  for (size_t i = 0; i < m->waits.count; i++)
    if (!distinct || at[distinct - 1] != at[i])
      at[distinct++] = at[i];
  node->dep_count = (uint16_t)distinct;
  node->first_dep = ts_ir_intern_run(m->b, TS_IR_DEPS, at, distinct);
  m->waits.count = 0;
}

void ts_program_memory(ts_program_maker *m, int64_t bytes, uint32_t category, const char *label)
{
  TS_PUSH(m->arena, &m->mems, ((ts_ir_mem){bytes, category, ts_ir_add_string(m->b, label)}));
}

uint32_t ts_program_node(ts_program_maker *m, ts_ir_node node)
{
  if (m->waits.count)
    ts_program_waits(m, &node);
  node.mem_count = (uint16_t)m->mems.count;
  node.first_mem = ts_ir_intern_run(m->b, TS_IR_MEMS, m->mems.at, node.mem_count);
  node.loc = node.rule_loc = TS_IR_NONE;
  m->mems.count = 0;
  TS_PUSH(m->arena, &m->nodes, node);
  return (uint32_t)m->nodes.count - 1;
}

static uint64_t bytes_of(int64_t bytes) { return bytes > 0 ? (uint64_t)bytes : 0; }

uint32_t ts_program_message(ts_program_maker *m, ts_ir_node node, bool send, uint32_t group,
                            int64_t bytes)
{
  node.op = send ? TS_IR_SEND : TS_IR_RECV;
  node.host_ps = m->prices->message;
  node.arg = (uint32_t)m->ports.count;
  TS_PUSH(m->arena, &m->ports,
          ((ts_ir_port){.bytes = bytes_of(bytes), .group = group, .is_send = send}));
  return ts_program_node(m, node);
}

uint32_t ts_program_call(ts_program_maker *m, ts_ir_node node, uint32_t group, uint32_t kind,
                         int64_t bytes)
{
  ts_ir_collective call = {.kind = kind, .group = group, .bytes = bytes_of(bytes)};
  node.op = TS_IR_RECORD;
  node.host_ps = m->prices->collective;
  if (group != TS_IR_NONE) {
    node.op = TS_IR_COLLECTIVE;
    node.arg = ts_ir_intern(m->b, TS_IR_COLLECTIVES, &call);
  }
  return ts_program_node(m, node);
}

/* Of what an operation allocates and frees, the part of one of its kernels. */
static void choose_memory(ts_program_maker *m, const ts_program_mems *of, bool first, bool last)
{
  for (size_t i = 0; i < of->count; i++)
    if (of->at[i].bytes > 0 ? first : last)
      TS_PUSH(m->arena, &m->mems, of->at[i]);
}

bool ts_program_kernels(ts_program_maker *m, ts_ir_node node, const ts_events *e, uint32_t event,
                        uint32_t *last, ts_error *error)
{
  const ts_program_mems mems = m->mems;
  ts_kernel_list *kernels = &m->kernels;
  kernels->count = 0;
  if (!m->prices->kernels(m->prices->closure, e, event, m->arena, kernels, error))
    return false;
  node.op = TS_IR_RECORD;
  if (!kernels->count)
    *last = ts_program_node(m, node);
  m->mems = (ts_program_mems){0};
  for (size_t k = 0; k < kernels->count; k++) {
    node.op = TS_IR_COMPUTE;
    node.arg = kernels->at[k];
    node.host_ps = m->prices->launch;
    choose_memory(m, &mems, k == 0, k + 1 == kernels->count);
    *last = ts_program_node(m, node);
  }
  return true;
}

void ts_program_step(ts_program_maker *m)
{
  if (m->prices->step)
    ts_program_node(m, (ts_ir_node){.op = TS_IR_HOST_WORK,
                                    .phase = TS_IR_PHASE_OTHER,
                                    .host_ps = m->prices->step,
                                    .label = ts_ir_add_string(m->b, "step")});
}

uint32_t ts_program_fragment(ts_program_maker *m, const char *name, const char *work)
{
  ts_ir_fragment f = {.name = ts_ir_add_string(m->b, name),
                      .work = ts_ir_add_string(m->b, work),
                      .node_count = (uint32_t)m->nodes.count,
                      .port_count = (uint32_t)m->ports.count};
  f.first_node = ts_ir_append_copies(m->b, TS_IR_NODES, m->nodes.at, f.node_count);
  f.first_port = ts_ir_append_copies(m->b, TS_IR_PORTS, m->ports.at, f.port_count);
  m->nodes.count = m->ports.count = 0;
  return ts_ir_append_copies(m->b, TS_IR_FRAGMENTS, &f, 1);
}

ts_ir_item ts_program_item(ts_ir_builder *b, uint32_t fragment, uint32_t micro_batch,
                           const ts_ir_binding *bindings, size_t count)
{
  return (ts_ir_item){.fragment = fragment,
                      .micro_batch = micro_batch,
                      .first_binding =
                        ts_ir_append_copies(b, TS_IR_BINDINGS, bindings, (uint32_t)count)};
}

void ts_program_end(ts_ir_builder *b, const char *name, ts_ir_program program,
                    const ts_ir_item *items, size_t count)
{
  program.name = ts_ir_add_string(b, name);
  program.item_count = (uint32_t)count;
  program.first_item = ts_ir_intern_run(b, TS_IR_ITEMS, items, program.item_count);
  ts_ir_append_copies(b, TS_IR_PROGRAMS, &program, 1);
}
