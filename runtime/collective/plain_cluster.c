#include "runtime/collective/plain_cluster.h"

static void plain_cluster_put(ts_ir_builder *b, ts_ir_section_kind kind, const void *record)
{
  ts_ir_append_copies(b, kind, record, 1);
}

/* Returns the first vertex. */
static uint32_t put_vertices(ts_ir_builder *b, const char *name, uint32_t array, uint32_t kind,
                             uint32_t first, uint32_t count)
{
  plain_cluster_put(b, TS_IR_ARRAYS,
                    &(ts_ir_array){.name = ts_ir_add_string(b, name),
                                   .kind = kind,
                                   .first = first,
                                   .count = count,
                                   .dims = 1,
                                   .dim = {count},
                                   .loc = TS_IR_NONE});
  for (uint32_t i = 0; i < count; i++)
    plain_cluster_put(b, TS_IR_DEVICES,
                      &(ts_ir_device){.array = array,
                                      .device_class = kind == TS_IR_DEVICE ? 0 : TS_IR_NONE,
                                      .speed = 1});
  return first + count;
}

static void put_class(ts_ir_builder *b, const char *name, uint32_t tier, double rate)
{
  plain_cluster_put(
    b, TS_IR_LINK_CLASSES,
    &(ts_ir_link_class){
      .name = ts_ir_add_string(b, name), .tier = tier, .bandwidth = rate, .loc = TS_IR_NONE});
}

static void put_link(ts_ir_builder *b, uint32_t from, uint32_t to, uint32_t class)
{
  plain_cluster_put(b, TS_IR_LINKS, &(ts_ir_link){from, to, class, 1});
}

ts_ir_builder *ts_plain_cluster(uint32_t ranks, uint32_t islands, double intra, double inter)
{
  ts_ir_builder *b = ts_ir_builder_new();
  uint32_t size = (ranks + islands - 1) / islands;
  ts_ir_builder_meta(b)->world = ranks;
  plain_cluster_put(b, TS_IR_DEVICE_CLASSES,
                    &(ts_ir_device_class){.name = ts_ir_add_string(b, "device"),
                                          .loc = TS_IR_NONE,
                                          .bandwidth = 1,
                                          .price = TS_NOT_KNOWN});
  uint32_t hub = put_vertices(b, "rank", 0, TS_IR_DEVICE, 0, ranks),
           rail = put_vertices(b, "switch", 1, TS_IR_SWITCH, hub, islands);
  put_class(b, "inside", 0, intra);
  for (uint32_t r = 0; r < ranks; r++) put_link(b, r, hub + r / size, 0);
  if (islands < 2)
    return b;
  uint32_t spine = put_vertices(b, "rail", 2, TS_IR_SWITCH, rail, size);
  put_vertices(b, "spine", 3, TS_IR_SWITCH, spine, 1);
  put_class(b, "to the rail", 1, inter);
  put_class(b, "to the spine", 2, inter * islands);
  for (uint32_t r = 0; r < ranks; r++) put_link(b, r, rail + r % size, 1);
  for (uint32_t p = 0; p < size; p++) put_link(b, rail + p, spine, 2);
  return b;
}
