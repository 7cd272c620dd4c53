/* Every rule of the verifier: one record of a valid plan is changed, and the verifier names what is
 * wrong. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>

#include "tests/unit/ir_text.h"

typedef struct example {
  ts_ir_builder *b;
  ts_ir ir;
  struct { /* the same records, which belong to the builder and so may be changed */
#define TABLE(kind, record, name, bytes) record *name;
#define SINGLE(kind, record, name, bytes)
#include "ir/records.def"
  } own;
  ts_error error;
} example;

static example begin(void)
{
  example e = {0};
  e.b = ir_text_read(ir_text_example, &e.error);
  cr_assert(e.b, "line %u: %s", e.error.line, e.error.message);
  ts_ir_builder_view(e.b, &e.ir);
#define TABLE(kind, record, name, bytes) memcpy(&e.own.name, &e.ir.name, sizeof e.ir.name);
#define SINGLE(kind, record, name, bytes)
#include "ir/records.def"
  return e;
}

static void expect_refused(example *e, const char *message)
{
  cr_assert_eq(ts_ir_verify(&e->ir, &e->error), -1, "accepted; expected: %s", message);
  cr_assert(strstr(e->error.message, message), "said: %s; expected: %s", e->error.message, message);
  cr_assert_eq(ts_ir_verify(&e->ir, NULL), -1);
  size_t size;
  cr_assert_null(ts_ir_encode(&e->ir, &size));
  ts_ir_builder_free(e->b);
}

#define RECORD(table, i) (&e.own.table[i])
#define META ts_ir_builder_meta(e.b)
#define BREAKS(name, change, message)                                                              \
  Test(ir_verify, name)                                                                            \
  {                                                                                                \
    example e = begin();                                                                           \
    change;                                                                                        \
    expect_refused(&e, message);                                                                   \
  }

Test(ir_verify, accepts_the_example)
{
  example e = begin();
  cr_assert_eq(ts_ir_verify(&e.ir, &e.error), 0, "%s", e.error.message);
  ts_ir_builder_free(e.b);
}

BREAKS(no_meta, e.ir.meta = NULL, "there is no meta record")
BREAKS(no_address, e.ir.links = NULL, "table links has records but no address")
BREAKS(no_strings, e.ir.strings_count = 0, "the strings do not begin with the empty one")
BREAKS(first_string, *RECORD(strings, 0) = 'x', "the strings do not begin with the empty one")
BREAKS(last_string, e.ir.strings_count--, "do not end")
BREAKS(not_utf8, *RECORD(strings, 1) = (char)0xff, "the strings are not UTF-8 at offset 1")
BREAKS(inside_a_string, META->plan++, "meta 0: its plan begins inside a string")
BREAKS(string_out_of_range, META->tool = e.ir.strings_count, "meta 0: its tool is number")
BREAKS(loc_out_of_range, META->plan_loc = e.ir.locs_count, "its plan_loc is number")
BREAKS(pipeline_out_of_range, META->pipeline_axis = 3, "its pipeline_axis is number 3 of 3 axes")
BREAKS(source_out_of_range, RECORD(locs, 0)->source = 1,
       "locs 0: its source is number 1 of 1 sources")
BREAKS(source_none, RECORD(locs, 0)->source = TS_IR_NONE, "locs 0: its source is number")
BREAKS(array_out_of_range, RECORD(devices, 3)->array = 9, "devices 3: its array is number 9")
BREAKS(class_out_of_range, RECORD(devices, 3)->device_class = 1,
       "devices 3: its device_class is number 1")
BREAKS(link_from_out_of_range, RECORD(links, 0)->from = 10, "links 0: its from is number 10")
BREAKS(link_to_out_of_range, RECORD(links, 0)->to = TS_IR_NONE, "links 0: its to is number")
BREAKS(link_class_out_of_range, RECORD(links, 0)->link_class = 2,
       "links 0: its link_class is number 2")
BREAKS(group_out_of_range, RECORD(collectives, 0)->group = 3,
       "collectives 0: its group is number 3")
BREAKS(kernel_source_out_of_range, RECORD(kernels, 1)->source = 1,
       "kernels 1: its source is number 1")
BREAKS(fragment_out_of_range, RECORD(items, 0)->fragment = 3, "items 0: its fragment is number 3")
BREAKS(port_group_out_of_range, RECORD(ports, 1)->group = 3, "ports 1: its group is number 3")

BREAKS(not_a_number_of_other_bits, META->carbon = -TS_NOT_KNOWN, "g of CO2 a kWh")
BREAKS(price_of_other_bits, RECORD(device_classes, 0)->price = -TS_NOT_KNOWN, "$ an hour")
BREAKS(model_flops, META->model_flops_per_step = NAN, "not a finite number")
BREAKS(peak_flops, META->peak_flops = -1, "not a finite number")
BREAKS(format_flops, RECORD(formats, 0)->model_flops = INFINITY, "format 0 (`bf16`)")
BREAKS(format_peak, RECORD(formats, 0)->peak = -1, "format 0 (`bf16`)")
BREAKS(format_reserved, RECORD(formats, 0)->reserved = 1, "format 0 (`bf16`)")
BREAKS(release_alone, META->framework = 0, "a release of no framework")
BREAKS(run_bits, META->run_bits = 65, "a run of 65 bits")
BREAKS(run_flags, META->run_flags = 4, "a run of 16 bits with flags 4")
BREAKS(spread_origin, RECORD(spreads, 0)->origin = TS_IR_ORIGINS, "spread 0 has fields")
BREAKS(spread_basis, RECORD(spreads, 0)->basis = TS_IR_BASES, "spread 0 has fields")
BREAKS(spread_between, RECORD(spreads, 0)->between = 1, "spread 0 has fields")
BREAKS(spread_assumed, RECORD(spreads, 2)->assumed = 1, "spread 2 has fields")
BREAKS(spread_dtype, RECORD(spreads, 1)->dtype = RECORD(spreads, 0)->dtype, "spread 1 has fields")
BREAKS(spread_name, RECORD(spreads, 2)->name = RECORD(spreads, 0)->name, "spread 2 has fields")
BREAKS(spread_least, RECORD(spreads, 0)->least_kib = 1, "spread 0 has fields")
BREAKS(spread_negative, RECORD(spreads, 0)->spread = -0.1, "spread 0 is not a number from 0")
BREAKS(spread_too_large, RECORD(spreads, 1)->spread = 3.1, "spread 1 is not a number from 0")
BREAKS(validation_quantity, RECORD(validations, 0)->quantity = TS_IR_QUANTITIES, "validation 0 has")
BREAKS(validation_same_kind, RECORD(validations, 0)->same_kind = 2, "validation 0 has a field")
BREAKS(validation_reserved, RECORD(validations, 1)->reserved = 1, "validation 1 has a field")
BREAKS(validation_twice, RECORD(validations, 1)->quantity = 0, "validations 0 and 1 are of the same")
BREAKS(validation_below, RECORD(validations, 0)->below = NAN, "validation 0 is not from 0")
BREAKS(validation_above, RECORD(validations, 0)->above = 101, "validation 0 is not from 0")
BREAKS(axis_empty, RECORD(axes, 0)->size = 0, "axis `tp`: size 0")
BREAKS(axis_stride, RECORD(axes, 1)->stride = 1, "axis `pp`: size 2 and stride 1, after 2 ranks")
BREAKS(axis_reserved, RECORD(axes, 1)->reserved = 1, "axis `pp`")
BREAKS(axis_twice, RECORD(axes, 1)->name = RECORD(axes, 0)->name, "two axes are named `tp`")
BREAKS(world_differs, META->world = 4, "the axes span 8 ranks, the job has 4")
BREAKS(world_too_large, RECORD(axes, 2)->size = 1u << 23, "the axes span more than 16777216 ranks")
BREAKS(group_of_no_axis, RECORD(groups, 2)->axes = 8, "group `all` names an axis that is not there")
BREAKS(loc_line, RECORD(locs, 0)->line = 0, "place 0: line 0")
BREAKS(loc_columns, RECORD(locs, 0)->end_column = 1, "place 0: line 1, columns 6 to 1")
BREAKS(array_kind, RECORD(arrays, 0)->kind = 2, "array `gpu`: kind 2")
BREAKS(array_dims, RECORD(arrays, 0)->dims = 5, "array `gpu`: kind 0 with 5 dimensions")
BREAKS(array_dim, RECORD(arrays, 0)->dim[0] = 0, "array `gpu`: dimension 0 is 0")
BREAKS(array_spare_dim, RECORD(arrays, 0)->dim[3] = 1, "array `gpu`: dimension 3 is 1")
BREAKS(array_product, RECORD(arrays, 0)->dim[0] = 1u << 31, "array `gpu` has too many vertices")
BREAKS(array_count, RECORD(arrays, 0)->count = 7, "array `gpu` should hold vertices 0 to 8")
BREAKS(array_first, RECORD(arrays, 1)->first = 7, "array `sw` should hold vertices 8 to 10")
BREAKS(arrays_too_few, e.ir.arrays_count--; RECORD(devices, 8)->array = 0;
       RECORD(devices, 9)->array = 0, "the arrays hold less than the 10 vertices")
BREAKS(arrays_too_many, e.ir.links_count = 0;
       e.ir.devices_count = 9, "the arrays hold more than the 9 vertices")
BREAKS(vertices_too_many, e.ir.devices_count = (1u << 25) + 1,
       "the cluster has more than 33554432 vertices")
BREAKS(class_bandwidth, RECORD(device_classes, 0)->bandwidth = 0, "device class `h`")
BREAKS(class_reserved, RECORD(device_classes, 0)->reserved_memory = UINT64_C(1) << 40,
       "device class `h`")
BREAKS(class_memory, RECORD(device_classes, 0)->memory = UINT64_C(1) << 57, "device class `h`")
BREAKS(device_without_class, RECORD(devices, 1)->device_class = TS_IR_NONE,
       "vertex 1 of array `gpu`")
BREAKS(switch_with_class, RECORD(devices, 9)->device_class = 0, "vertex 1 of array `sw`")
BREAKS(device_of_other_array, RECORD(devices, 1)->array = 1,
       "vertex 1 of array `gpu` names another array")
BREAKS(device_speed, RECORD(devices, 1)->speed = 0, "vertex 1 of array `gpu`: speed 0")
BREAKS(device_speed_nan, RECORD(devices, 1)->speed = NAN, "vertex 1 of array `gpu`: speed")
BREAKS(too_few_devices, e.ir.placement_count = 0; RECORD(arrays, 0)->kind = TS_IR_SWITCH;
       for (int i = 0; i < 8; i++) RECORD(devices, i)->device_class = TS_IR_NONE,
       "8 ranks on 0 devices")
BREAKS(placement_count, e.ir.placement_count--, "7 ranks are placed, the job has 8")
BREAKS(placement_range, *RECORD(placement, 2) = 10, "rank 2 is placed on vertex 10")
BREAKS(placement_on_switch, *RECORD(placement, 2) = 8, "rank 2 is placed on vertex 8")
BREAKS(placement_twice, *RECORD(placement, 2) = 0,
       "rank 2 is placed on vertex 0, which is not a device or is taken")
BREAKS(link_bandwidth, RECORD(link_classes, 0)->bandwidth = INFINITY, "link class `fast`")
BREAKS(link_latency, RECORD(link_classes, 0)->latency = UINT64_MAX, "link class `fast`")
BREAKS(link_tier, RECORD(link_classes, 0)->tier = TS_IR_NONE, "link class `fast`")
BREAKS(link_ports, RECORD(link_classes, 0)->ports = 5000, "link class `fast`: ports")
BREAKS(link_setup, RECORD(link_classes, 0)->setup = 1, "link class `fast`: ports or set-up time")
BREAKS(link_to_itself, RECORD(links, 0)->to = 0, "link 0 joins vertex 0 to itself")
BREAKS(link_duplex, RECORD(links, 1)->duplex = 2, "link 1")
BREAKS(model_kind, RECORD(net_models, 0)->kind = TS_IR_NET_KINDS, "net model `measured`: kind 6")
BREAKS(model_without_methods, RECORD(net_models, 0)->kind = TS_IR_NET_WHITE_BOX,
       "a white box has methods")
BREAKS(model_without_curves, RECORD(net_models, 1)->kind = TS_IR_NET_STATISTICAL;
       RECORD(net_models, 1)->algorithm = 0, "a statistical model has curves")
BREAKS(model_routing, RECORD(net_models, 1)->routing = 1, "net model `nccl`: routing")
BREAKS(model_of_flows, RECORD(net_models, 1)->kind = TS_IR_NET_FLOW;
       RECORD(net_models, 1)->channels = 5000, "net model `nccl`: routing, channels")
BREAKS(model_of_packets, RECORD(net_models, 2)->packets.mtu = 0,
       "net model `rdma`: `mtu` of its packets")
BREAKS(model_of_packets_marks,
       RECORD(net_models, 2)->packets.mark_from = 1 + RECORD(net_models, 2)->packets.mark_to,
       "net model `rdma`: `mark_to` of its packets")
BREAKS(model_of_packets_gain, RECORD(net_models, 2)->packets.gain = NAN,
       "net model `rdma`: `gain` of its packets")
BREAKS(model_of_packets_reserved, RECORD(net_models, 2)->packets.reserved = 1,
       "net model `rdma`: only a model of packets")
BREAKS(model_of_packets_channels, RECORD(net_models, 2)->channels = 5000,
       "net model `rdma`: routing, channels")
BREAKS(model_without_packets, RECORD(net_models, 1)->packets.mtu = 4096,
       "net model `nccl`: only a model of packets")
BREAKS(model_links, RECORD(net_models, 0)->links.intra_links = -1,
       "net model `measured`: rate or latency of the links")
BREAKS(model_links_latency, RECORD(net_models, 0)->links.inter_latency = UINT64_MAX,
       "net model `measured`: rate or latency of the links")
BREAKS(model_links_of_a_line, RECORD(net_models, 1)->links.intra_links = 1e9,
       "net model `nccl`: only a measured model")
BREAKS(model_assumed, RECORD(net_models, 1)->assumed = 2, "net model `nccl`: assumed")
BREAKS(model_axes, RECORD(net_models, 1)->axes = 1u << 31, "net model `nccl`: axes")
BREAKS(model_collectives, RECORD(net_models, 0)->collectives = 1u << TS_IR_COLLECTIVE_KINDS,
       "collectives 0x")
BREAKS(model_efficiency, RECORD(net_models, 1)->efficiency = 1.5, "net model `nccl`: `efficiency` is")
BREAKS(model_base, RECORD(net_models, 1)->base = UINT64_MAX, "net model `nccl`: `base` and")
BREAKS(model_hop, RECORD(net_models, 1)->hop = UINT64_MAX, "`base` and `hop` are 0 or more")
BREAKS(model_half, RECORD(net_models, 1)->half_bytes = -0.0, "`half_bytes` is out of range")
BREAKS(model_without_points, RECORD(net_models, 0)->point_count = 0, "a table has points")
BREAKS(model_with_points, RECORD(net_models, 1)->point_count = 1, "alpha-beta none")
BREAKS(points_out_of_range, RECORD(net_models, 0)->first_point = 1,
       "net model `measured`: its points are not there")
BREAKS(point_collective, RECORD(net_points, 0)->collective = TS_IR_COLLECTIVE_KINDS,
       "point 0 has a collective")
BREAKS(point_islands, RECORD(net_points, 0)->islands = 3,
       "point 0 has a collective, ranks or islands")
BREAKS(point_bytes, RECORD(net_points, 1)->bytes = 0, "point 1 has bytes or a time")
BREAKS(point_time, RECORD(net_points, 1)->time = UINT64_MAX, "point 1 has bytes or a time")
BREAKS(point_order, RECORD(net_points, 1)->bytes = 1, "point 1 is not in order")
BREAKS(point_twice, RECORD(net_points, 1)->bytes = 1 << 20,
       "point 1 is not in order or there twice")
BREAKS(kernel_flops, RECORD(kernels, 0)->flops = INFINITY, "kernel 0 (`gemm`)")
BREAKS(kernel_bytes, RECORD(kernels, 0)->bytes = -1, "kernel 0 (`gemm`)")
BREAKS(kernel_time, RECORD(kernels, 0)->time = UINT64_MAX, "kernel 0 (`gemm`)")
BREAKS(kernel_basis, RECORD(kernels, 0)->basis = TS_IR_BASES, "kernel 0 (`gemm`)")
BREAKS(collective_kind, RECORD(collectives, 0)->kind = TS_IR_MESSAGE, "collective 0: kind 7")
BREAKS(collective_bytes, RECORD(collectives, 0)->bytes = UINT64_MAX, "collective 0: kind 0")
BREAKS(cost_source_device, RECORD(cost_sources, 0)->device = 1u << 30, "cost_sources 0: its device")
BREAKS(no_stream, e.ir.streams_count = 0, "0 streams for 10 nodes")
BREAKS(stream_kind, RECORD(streams, 1)->kind = 3, "stream 1 (`comm`): kind 3")
BREAKS(stream_first, RECORD(streams, 0)->kind = TS_IR_STREAM_COMM, "stream 0 (`compute`): kind 1")
BREAKS(mem_category, RECORD(mems, 0)->category = TS_IR_CATEGORIES, "memory effect 0: category 6")
BREAKS(mem_bytes, RECORD(mems, 0)->bytes = INT64_MIN, "memory effect 0")
BREAKS(holding_category, RECORD(holdings, 0)->category = TS_IR_CATEGORIES, "holding 0: category 6")
BREAKS(holding_bytes, RECORD(holdings, 0)->bytes = UINT64_MAX, "holding 0")
BREAKS(port_direction, RECORD(ports, 0)->is_send = 2, "port 0: 4194304 bytes over group `pp`")
BREAKS(port_bytes, RECORD(ports, 0)->bytes = UINT64_MAX, "port 0")
BREAKS(port_of_many_axes, RECORD(ports, 0)->group = 2,
       "port 0: 4194304 bytes over group `all`, which should be a single axis")
BREAKS(node_op, RECORD(nodes, 0)->op = TS_IR_OPS, "fragment `F0`, node 0: operation")
BREAKS(node_phase, RECORD(nodes, 0)->phase = TS_IR_PHASES,
       "fragment `F0`, node 0: operation, phase")
BREAKS(node_flags, RECORD(nodes, 0)->flags = 1, "fragment `F0`, node 0: operation, phase, flags")
BREAKS(node_host, RECORD(nodes, 0)->host_ps = UINT64_MAX,
       "fragment `F0`, node 0: operation, phase, flags or host time")
BREAKS(node_stream, RECORD(nodes, 0)->stream = 4, "fragment `F0`, node 0: stream 4 of 4")
BREAKS(host_node_on_stream, RECORD(nodes, 7)->stream = 1, "fragment `S`, node 0: stream 1")
BREAKS(node_kernel, RECORD(nodes, 0)->arg = 2, "fragment `F0`, node 0: it names number 2 of 2")
BREAKS(node_collective, RECORD(nodes, 2)->arg = 2, "fragment `F0`, node 2: it names number 2 of 2")
BREAKS(node_port, RECORD(nodes, 3)->arg = 1, "fragment `F0`, node 3: it names number 1 of 1")
BREAKS(record_arg, RECORD(nodes, 6)->arg = 1, "fragment `F1`, node 2: it waits for 1 of")
BREAKS(port_other_direction, RECORD(nodes, 3)->op = TS_IR_RECV,
       "fragment `F0`, node 3: port 0 is of the other direction")
BREAKS(port_unused, RECORD(nodes, 3)->op = TS_IR_RECORD, "fragment `F0`: a port is used by no node")
BREAKS(port_used_twice, RECORD(nodes, 2)->op = TS_IR_SEND, "fragment `F0`: a port is used twice")
BREAKS(node_mems, RECORD(nodes, 1)->first_mem = 1,
       "fragment `F0`, node 1: its memory effects are not there")
BREAKS(node_deps_out_of_range, RECORD(nodes, 2)->first_dep = e.ir.deps_count,
       "fragment `F0`, node 2: its dependencies are not there")
BREAKS(deps_overlap, RECORD(nodes, 1)->first_dep = 2, "its dependencies are not there")
BREAKS(dep_on_itself, *RECORD(deps, 1) = 2,
       "fragment `F0`, node 2: it depends on node 2, which is not earlier")
BREAKS(dep_forward, *RECORD(deps, 1) = 77,
       "fragment `F0`, node 2: it depends on node 77, which is not earlier")
BREAKS(fragment_nodes, RECORD(fragments, 2)->node_count = 4,
       "fragment `S`: its nodes or ports are not there")
BREAKS(fragment_nodes_shared, RECORD(fragments, 2)->first_node = 0,
       "fragment `S`: its nodes or ports are not there or another fragment's")
BREAKS(fragment_ports_shared, RECORD(fragments, 1)->first_port = 0,
       "fragment `F1`: its nodes or ports are not there or another fragment's")
BREAKS(program_count, e.ir.programs_count--, "1 programs for 2 stages")
BREAKS(program_count_alone, META->pipeline_axis = TS_IR_NONE, "2 programs for 1 stages")
BREAKS(program_items, RECORD(programs, 1)->item_count = 4, "program `stage 1`: its items")
BREAKS(program_items_overlap, RECORD(programs, 1)->first_item = 2,
       "program `stage 1`: its items or holdings are not there or partly another's")
BREAKS(program_holdings, RECORD(programs, 0)->holding_count = 2,
       "program `stage 0`: its items or holdings")
BREAKS(program_memory_order, RECORD(programs, 0)->memory_order = TS_IR_MEMORY_ORDERS,
       "program `stage 0`: memory order 2")
BREAKS(item_micro_batch, RECORD(items, 1)->micro_batch = 2, "item 1 (`F0`): micro-batch 2 of 2")
BREAKS(item_bindings, RECORD(items, 1)->first_binding = e.ir.bindings_count,
       "item 1 (`F0`): its bindings are not there")

BREAKS(peer_out_of_range, RECORD(bindings, 0)->peer = 2,
       "program `stage 0`: a message to coordinate 2 of axis `pp`, which has 2")
BREAKS(peer_is_itself, RECORD(bindings, 0)->peer = 0, "a message between the rank and itself")
BREAKS(
  orphans, RECORD(bindings, 0)->tag = 9,
  "2 messages have no counterpart: program `stage 1` (`F1`, micro-batch 0): receive from 0, tag 0; "
  "program `stage 0` (`F0`, micro-batch 0): send to 1, tag 9")
BREAKS(message_twice, RECORD(bindings, 1)->tag = 0,
       "program `stage 0` (`F0`, micro-batch 1): send to 1, tag 0: it occurs twice")
BREAKS(received_twice, RECORD(bindings, 3)->tag = 0,
       "program `stage 1` (`F1`, micro-batch 1): receive from 0, tag 0: it occurs twice")
BREAKS(message_bytes, RECORD(ports, 1)->bytes = 1, "the bytes differ from those of its send")
BREAKS(collectives_differ, RECORD(nodes, 2)->arg = 1,
       "programs `stage 0` and `stage 1` play different collectives")
BREAKS(total_time, RECORD(kernels, 0)->time = UINT64_C(1) << 60;
       RECORD(devices, 0)->speed = 0.01, "program `stage 0` can take more than 2^62 ps")
BREAKS(total_time_of_messages, RECORD(net_models, 1)->half_bytes = 0x1p56;
       RECORD(net_models, 1)->efficiency = 1e-6, "can take more than 2^62 ps")

/* ---- what takes more than one change ---- */

static void expect_error(const char *text, const char *message)
{
  ts_error error;
  ts_ir_builder *b = ir_text_read(text, &error);
  cr_assert_null(b, "accepted; expected: %s", message);
  cr_assert(strstr(error.message, message), "said: %s; expected: %s", error.message, message);
}

/* What no run covers no check has seen. */
BREAKS(node_of_nothing, RECORD(fragments, 2)->node_count = 2,
       "record 9 of table nodes belongs to nothing")
BREAKS(port_of_nothing, RECORD(fragments, 0)->node_count = 3; RECORD(fragments, 0)->port_count = 0,
       "record 3 of table nodes belongs to nothing")
BREAKS(effect_of_nothing, RECORD(nodes, 1)->mem_count = 1,
       "record 1 of table mems belongs to nothing")
BREAKS(dependency_of_nothing, RECORD(nodes, 2)->dep_count = 1, "of table deps belongs to nothing")
BREAKS(item_of_nothing, RECORD(programs, 0)->item_count = 2,
       "record 2 of table items belongs to nothing")
BREAKS(holding_of_nothing, RECORD(programs, 0)->holding_count = 0;
       RECORD(programs, 1)->holding_count = 0, "record 0 of table holdings belongs to nothing")
BREAKS(point_of_nothing, RECORD(net_models, 0)->point_count = 1,
       "record 1 of table net_points belongs to nothing")

Test(ir_verify, orphan_send)
{
  expect_error(
    "axis pp 2 pipeline\nstream compute\nfragment F0 { send 1 B over pp }\nprogram { F0 0 to 1 "
    "}\nprogram {}\n",
    "a message has no counterpart: program `stage 0` (`F0`, micro-batch 0): send to 1, tag 0");
}

Test(ir_verify, too_many_orphans_to_list)
{
  ir_text text = {0};
  const char *head =
               "axis pp 2 pipeline\nstream compute\nfragment F { send 1 B over pp }\nprogram {\n",
             *tail = "}\nprogram {}\n";
  ir_text_put(&text, head, strlen(head));
  for (int i = 0; i < 50; i++) {
    char line[32];
    ir_text_put(&text, line, (size_t)snprintf(line, sizeof line, "F %d to 1\n", i));
  }
  ir_text_put(&text, tail, strlen(tail));
  ts_error error;
  cr_assert_null(ir_text_read(text.at, &error));
  cr_assert(strstr(error.message, "50 messages have no counterpart: program `stage 0` (`F`, "
                                  "micro-batch 0): send to 1, tag 0; "),
            "%s", error.message);
  cr_assert(strstr(error.message, " more"), "%s", error.message);
  free(text.at);
}

Test(ir_verify, messages_beyond_the_limit)
{
  expect_error("axis a 4096\naxis b 4096\nstream compute\nfragment F {\n send 1 B over a\n recv 1 "
               "B over a\n}\nprogram { F 0 to 0 from 0 }\n",
               "messages have no counterpart");
  expect_error("axis a 16777216\nstream compute\nfragment F {\n send 1 B over a\n send 1 B over "
               "a\n send 1 B over a\n}\nprogram { F 0 to 0 to 1 to 2 }\n",
               "the programs send and receive more than 33554432 messages");
}

Test(ir_verify, bytes_beyond_the_limit)
{
  expect_error("stream compute\nfragment F { compute 1 us alloc 64 PiB buffers }\nprogram { F 0; F "
               "1; hold 64 PiB buffers; F 2; F 3; F 4; F 5; F 6; F 7; F 8; F 9\n"
               "F 10; F 11; F 12; F 13; F 14; F 15; F 16; F 17; F 18; F 19; F 20; F 21; F 22; F "
               "23; F 24; F 25; F 26; F 27; F 28; F 29; F 30; F 31; F 32\n"
               "F 33; F 34; F 35; F 36; F 37; F 38; F 39; F 40; F 41; F 42; F 43; F 44; F 45; F "
               "46; F 47; F 48; F 49; F 50; F 51; F 52; F 53; F 54; F 55\n"
               "F 56; F 57; F 58; F 59; F 60; F 61; F 62 }\n",
               "program `stage 0` moves or allocates more than 2^62 bytes");
}

static void expect_fine(const char *text)
{
  ts_error error;
  ts_ir_builder *b = ir_text_read(text, &error);
  cr_expect(b, "%s", error.message);
  ts_ir_builder_free(b);
}

/* 13 days are 2^60 ps; four times that are too much, and 1024 ps less are not: a double counts
 * them. */
Test(ir_verify, time_just_below_and_above_the_limit)
{
#define TIMES(last)                                                                                \
  "stream compute\nfragment F { compute 1152921504606846976 ps }\nfragment L { compute " last      \
  " ps }\nprogram { F 0; F 1; F 2; L 3 }\n"
  expect_fine(TIMES("1152921504606845952"));
  expect_error(TIMES("1152921504606846976"),
               "program `stage 0` can take more than 2^62 ps (53 days)");
}

Test(ir_verify, bytes_just_below_and_above_the_limit)
{
#define EIGHT(n)                                                                                   \
  "F " #n "0; F " #n "1; F " #n "2; F " #n "3; F " #n "4; F " #n "5; F " #n "6; F " #n "7; "
#define BYTES(last)                                                                                \
  "stream compute\nfragment F { compute 1 us alloc 64 PiB buffers }\nfragment L { compute 1 us "   \
  "alloc " last " B buffers }\nprogram { " EIGHT(1) EIGHT(2) EIGHT(3) EIGHT(4) EIGHT(5) EIGHT(6)   \
    EIGHT(7) "F 0; F 1; F 2; F 3; F 4; F 5; F 6; L 7 }\n"
  expect_fine(BYTES("72057594037926912"));
  expect_error(BYTES("72057594037927936"),
               "program `stage 0` moves or allocates more than 2^62 bytes");
}

/* Programs share their items: 16,384 of 4,096 each. */
Test(ir_verify, fragments_just_below_and_above_the_limit)
{
  enum { RANKS = 1 << 14, ITEMS = 1 << 12 };
  ts_error error = {0};
  ts_ir_builder *b = ir_text_read("axis pp 2 pipeline\nstream compute\nfragment F { compute 1 us "
                                  "}\nprogram { F 0 }\nprogram { F 0 }\n",
                                  &error);
  cr_assert(b, "%s", error.message);
  ts_ir ir;
  ts_ir_builder_view(b, &ir);
  ts_ir_axis axis = ir.axes[0];
  ts_ir_meta meta = *ir.meta;
  ts_ir_program *programs = calloc(RANKS + 1, sizeof *programs);
  ts_ir_item *items = calloc(ITEMS, sizeof *items);
  for (uint32_t i = 0; i <= RANKS; i++) {
    programs[i] = ir.programs[0];
    programs[i].item_count = ITEMS;
  }
  for (uint32_t i = 0; i < ITEMS; i++)
    items[i] = ir.items[0];
  ir.meta = &meta;
  ir.axes = &axis;
  ir.programs = programs;
  ir.items = items;
  ir.items_count = ITEMS;
  ir.programs_count = axis.size = meta.world = RANKS;
  cr_expect_eq(ts_ir_verify(&ir, &error), 0, "%s", error.message);
  ir.programs_count = axis.size = meta.world = RANKS + 1;
  cr_expect_eq(ts_ir_verify(&ir, &error), -1);
  cr_expect_str_eq(error.message, "the programs play more than 67108864 fragments");
  cr_expect(error.kind == TS_ERROR_TOO_MUCH);
  free(programs);
  free(items);
  ts_ir_builder_free(b);
}

/* 4,096 sends on each of 8,192 coordinates. Those just below the limit go to nobody, which is
 * reported before they are put in order. */
Test(ir_verify, messages_just_below_and_above_the_limit)
{
  enum { SENDS = 1 << 12 };
  for (int more = 0; more < 2; more++) {
    ir_text text = {0};
    char line[64];
    ir_text_put(&text, line, (size_t)snprintf(line, sizeof line, "axis a %d\n", (1 << 13) + more));
    const char *head = "stream compute\nfragment F { send 1 B over a }\nprogram {\n";
    ir_text_put(&text, head, strlen(head));
    for (int i = 0; i < SENDS; i++)
      ir_text_put(&text, line, (size_t)snprintf(line, sizeof line, "F %d to %d\n", i, 1 << 14));
    ir_text_put(&text, "}\n", 2);
    expect_error(text.at, more ? "the programs send and receive more than 33554432 messages" :
                                 "a message to coordinate 16384 of axis `a`, which has 8192");
    free(text.at);
  }
}

/* Over an axis that is not the pipeline's, every coordinate plays the same program: all send to
 * each and receive from each. */
Test(ir_verify, messages_within_a_program)
{
  ts_error error;
  ts_ir_builder *b = ir_text_read("axis a 2\nstream compute\nfragment F {\n send 1 B over a\n send "
                                  "1 B over a\n recv 1 B over a\n recv 1 B over a\n}\n"
                                  "program { F 0 to 0 to 1 from 0 from 1 }\n",
                                  &error);
  cr_assert(b, "%s", error.message);
  ts_ir_builder_free(b);
}
