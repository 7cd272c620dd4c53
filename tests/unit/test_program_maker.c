/* Programs made of nodes: what a node waits for and holds, and the kernels of an operation. */
#include <criterion/criterion.h>

#include "trace/program_maker.h"

static ts_arena *arena;
static ts_program_maker maker;

static bool give_kernels(void *closure, const ts_events *rank, uint32_t event, ts_arena *to,
                         ts_kernel_list *out, ts_error *error)
{
  (void)closure, (void)rank, (void)error;
  for (uint32_t k = 0; k < event; k++)
    TS_PUSH(to, out, 10 + k);
  return true;
}

static const ts_rank_prices prices = {
  .kernels = give_kernels, .launch = 1, .collective = 2, .message = 3, .step = 4};

static void set_up(void)
{
  arena = ts_arena_new("test");
  maker = (ts_program_maker){.b = ts_ir_builder_new(), .arena = arena, .prices = &prices};
}
static void tear_down(void)
{
  ts_ir_builder_free(maker.b);
  ts_arena_free(arena);
}
TestSuite(program_maker, .init = set_up, .fini = tear_down);

static ts_ir view(void)
{
  ts_ir ir;
  ts_ir_builder_view(maker.b, &ir);
  return ir;
}

/* An operation of `count` kernels; returns its last node. */
static uint32_t kernels(uint32_t count)
{
  uint32_t last = TS_IR_NONE;
  ts_error error;
  cr_assert(ts_program_kernels(&maker, (ts_ir_node){0}, NULL, count, &last, &error));
  return last;
}

Test(program_maker, waits_once_for_each_in_order)
{
  for (int i = 0; i < 3; i++)
    kernels(1);
  ts_program_wait(&maker, 2);
  ts_program_wait(&maker, 0);
  ts_program_wait(&maker, TS_IR_NONE);
  ts_program_wait(&maker, 2);
  uint32_t node = kernels(2);
  cr_assert_eq(node, 4);
  cr_expect_eq(maker.nodes.at[3].dep_count, 2);
  cr_expect_eq(view().deps[maker.nodes.at[3].first_dep], 0);
  cr_expect_eq(view().deps[maker.nodes.at[3].first_dep + 1], 2);
  cr_expect_eq(maker.nodes.at[4].dep_count, 0);
}

/* The first kernel allocates, the last frees. */
Test(program_maker, memory_of_kernels)
{
  ts_program_memory(&maker, 100, TS_IR_TEMPORARIES, "a");
  ts_program_memory(&maker, -60, TS_IR_TEMPORARIES, "b");
  ts_program_memory(&maker, 50, TS_IR_TEMPORARIES, "c");
  kernels(3);
  const ts_ir_node *n = maker.nodes.at;
  cr_assert_eq(n[0].mem_count, 2);
  cr_expect_eq(view().mems[n[0].first_mem].bytes, 100);
  cr_expect_eq(view().mems[n[0].first_mem + 1].bytes, 50);
  cr_expect_eq(n[1].mem_count, 0);
  cr_assert_eq(n[2].mem_count, 1);
  cr_expect_eq(view().mems[n[2].first_mem].bytes, -60);
  ts_program_memory(&maker, 7, TS_IR_TEMPORARIES, "d");
  kernels(0);
  cr_assert_eq(maker.nodes.at[3].mem_count, 1);
  cr_expect_eq(maker.nodes.at[3].op, TS_IR_RECORD);
  kernels(1);
  cr_expect_eq(maker.nodes.at[4].mem_count, 0);
}

Test(program_maker, program)
{
  ts_program_step(&maker);
  uint32_t call = ts_program_call(&maker, (ts_ir_node){0}, 5, TS_IR_ALL_REDUCE, 1000),
           alone = ts_program_call(&maker, (ts_ir_node){0}, TS_IR_NONE, TS_IR_ALL_REDUCE, 1000),
           sent = ts_program_message(&maker, (ts_ir_node){0}, true, 6, -1);
  const ts_ir_node *n = maker.nodes.at;
  cr_expect_eq(n[0].op, TS_IR_HOST_WORK);
  cr_expect_eq(n[0].host_ps, 4);
  cr_expect_eq(n[call].op, TS_IR_COLLECTIVE);
  cr_expect_eq(n[call].host_ps, 2);
  cr_expect_eq(view().collectives[n[call].arg].group, 5);
  cr_expect_eq(view().collectives[n[call].arg].bytes, 1000);
  cr_expect_eq(n[alone].op, TS_IR_RECORD);
  cr_expect_eq(n[sent].op, TS_IR_SEND);
  cr_expect_eq(n[sent].host_ps, 3);
  uint32_t first = ts_program_fragment(&maker, "a", "F");
  kernels(1);
  uint32_t second = ts_program_fragment(&maker, "b", "S");
  ts_ir ir = view();
  cr_expect_eq(ir.fragments[first].node_count, 4);
  cr_expect_eq(ir.ports[ir.fragments[first].first_port].bytes, 0);
  cr_expect_eq(ir.fragments[second].first_node, 4);
  cr_expect_eq(ir.fragments[second].port_count, 0);
  cr_expect_eq(ir.nodes[4].host_ps, 1);
  ts_ir_item items[] = {
    ts_program_item(maker.b, first, 0, &(ts_ir_binding){.peer = 3, .tag = 8}, 1),
    ts_program_item(maker.b, second, TS_IR_NONE, NULL, 0)};
  ts_program_end(maker.b, "x", (ts_ir_program){0}, items, 2);
  ts_program_end(maker.b, "y", (ts_ir_program){0}, items, 2);
  ir = view();
  cr_expect_eq(ir.bindings[ir.items[ir.programs[1].first_item].first_binding].peer, 3);
  cr_expect_eq(ir.items_count, 2, "equal items lie once");
}

Test(program_maker, streams)
{
  ts_program_axis(maker.b, "tp", 4, 2);
  ts_program_stream(maker.b, "compute", TS_IR_STREAM_COMPUTE, true, 0);
  ts_program_stream(maker.b, "calls", TS_IR_STREAM_COMM, true, 0);
  cr_expect_eq(view().axes[0].stride, 2);
  cr_expect(view().streams[0].unshared);
  cr_expect_not(view().streams[1].unshared);
}
