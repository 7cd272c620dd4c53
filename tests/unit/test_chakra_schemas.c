/* Chakra's schemas of 2023: without a record of metadata, with attributes as field 11, and before
 * that as fields of nodes. Field numbers are those of et_def.proto at the time. */
#include <criterion/criterion.h>

#include <string.h>

#include "tests/unit/wire_put.h"
#include "trace/read/events.h"

static ts_arena *arena;

static void set_up(void) { arena = ts_arena_new("test"); }
static void tear_down(void) { ts_arena_free(arena); }
TestSuite(chakra_schemas, .init = set_up, .fini = tear_down);

static void put_record(bytes *b, const bytes *record)
{
  put_varint(b, record->count);
  for (size_t i = 0; i < record->count; i++) put(b, record->at[i]);
}

static const ts_events *read(const bytes *b, ts_error *error)
{
  *error = (ts_error){0};
  return ts_events_parse(arena, "x.et", b->at, b->count, NULL, error);
}

/* As ASTRA-sim's converter of November 2023 writes: node 0 has no number, as zeros are not written. */
Test(chakra_schemas, no_metadata)
{
  bytes all = {0}, first = {0}, second = {0}, size = {0};
  ts_error error;
  put_text(&first, 2, "conv1_FWD");
  put_number(&first, 3, 4);
  put_number(&first, 7, 13003);
  put_record(&all, &first);
  put_text(&size, 1, "comm_size");
  put_number(&size, 9, 8192000);
  put_number(&second, 1, 1);
  put_text(&second, 2, "fc1000_ALLREDUCE");
  put_number(&second, 3, 7);
  put_bytes(&second, 4, (uint8_t[]){0}, 1);
  put_bytes(&second, 10, size.at, size.count);
  put_record(&all, &second);
  const ts_events *e = read(&all, &error);
  cr_assert(e, "%s", error.message);
  cr_assert_eq(e->count, 2);
  cr_expect_eq(ts_event_at(e, 0)->duration, 13003000);
  cr_expect_eq(e->edges.count, 1);
  cr_assert_eq(e->comms.count, 1);
  cr_expect_eq(e->comms.at[0].bytes, 8192000);
  cr_expect_eq(e->comms.at[0].kind, TS_COMM_ALL_REDUCE);
}

static void put_attribute_2023(bytes *node, const char *name, uint32_t type, uint32_t field,
                               uint64_t value)
{
  bytes a = {0};
  put_text(&a, 1, name);
  put_number(&a, 2, type);
  put_number(&a, field, value);
  put_bytes(node, 11, a.at, a.count);
}

/* Numbers are field 6 in July (INT) and 6 or 7 in August (UINT, INT). */
Test(chakra_schemas, of_july_and_august_2023)
{
  for (uint32_t field = 6; field <= 7; field++) {
    bytes all = {0}, first = {0}, second = {0};
    ts_error error;
    put_number(&first, 1, 5);
    put_text(&first, 2, "aten::mm");
    put_number(&first, 3, 4);
    put_text(&first, 5, "[7, 8]"); /* inputs: no dependencies */
    put_text(&first, 6, "[[2,3],[3,4]]");
    put_text(&first, 7, "[\"Tensor(float)\"]");
    put_attribute_2023(&first, "runtime", 3, field, 250);
    put_attribute_2023(&first, "is_cpu_op", 0, 4, 0);
    put_record(&all, &first);
    put_number(&second, 1, 6);
    put_text(&second, 2, "exchange");
    put_number(&second, 3, 7);
    put_number(&second, 4, 5);
    put_attribute_2023(&second, "comm_type", 3, field, 1); /* all-to-all, 6 today */
    put_attribute_2023(&second, "comm_size", 3, field, 4096);
    put_record(&all, &second);
    const ts_events *e = read(&all, &error);
    cr_assert(e, "%s", error.message);
    cr_assert_eq(e->count, 2);
    cr_expect_eq(ts_event_at(e, 0)->duration, 250000);
    cr_expect_eq(ts_event_at(e, 0)->class, TS_EVENT_DEVICE);
    cr_assert_eq(e->edges.count, 1);
    cr_expect_eq(e->edges.at[0].from, 0);
    cr_expect_eq(e->missing_nodes, 0);
    cr_expect_eq(e->comms.at[0].kind, TS_COMM_ALL_TO_ALL);
    cr_expect_eq(e->comms.at[0].bytes, 4096);
  }
}

/* Nodes that compute show no schema: they wait for one that does. In June they were type 3. */
Test(chakra_schemas, of_june_2023)
{
  bytes all = {0}, first = {0}, second = {0};
  ts_error error;
  put_number(&first, 1, 1);
  put_text(&first, 2, "fc");
  put_number(&first, 3, 3);
  put_number(&first, 6, 4096);  /* tensor_size */
  put_number(&first, 7, 13);    /* simulated_run_time */
  put_record(&all, &first);
  put_number(&second, 1, 2);
  put_text(&second, 2, "sum");
  put_number(&second, 3, 6);
  put_number(&second, 4, 1);
  put_number(&second, 13, 2); /* all-to-all */
  put_number(&second, 18, 1048576);
  put_record(&all, &second);
  const ts_events *e = read(&all, &error);
  cr_assert(e, "%s", error.message);
  cr_assert_eq(e->count, 2);
  cr_expect_eq(ts_event_at(e, 0)->duration, 13000);
  cr_expect_neq(ts_event_at(e, 0)->kind, TS_KERNEL_COPY);
  cr_expect(ts_event_work_of(e, 0).bytes == 4096);
  cr_assert_eq(e->edges.count, 1);
  cr_expect_eq(e->edges.at[0].from, 0);
  cr_expect(!e->edges.at[0].control);
  cr_expect_eq(e->comms.at[0].kind, TS_COMM_ALL_TO_ALL);
  cr_expect_eq(e->comms.at[0].bytes, 1048576);
}

/* 0.0.2: attributes are field 11, their numbers field 5. */
Test(chakra_schemas, of_the_end_of_june_2023)
{
  bytes all = {0}, first = {0}, second = {0};
  ts_error error;
  put_text(&first, 2, "aten::mm");
  put_number(&first, 3, 3);
  put_attribute_2023(&first, "runtime", 1, 5, 250);
  put_attribute_2023(&first, "num_ops", 1, 5, 1000);
  put_record(&all, &first);
  put_number(&second, 1, 6);
  put_text(&second, 2, "gather");
  put_number(&second, 3, 6);
  put_number(&second, 4, 0);
  put_attribute_2023(&second, "comm_type", 1, 5, 2);
  put_attribute_2023(&second, "comm_size", 1, 5, 4096);
  put_record(&all, &second);
  const ts_events *e = read(&all, &error);
  cr_assert(e, "%s", error.message);
  cr_expect_eq(ts_event_at(e, 0)->duration, 250000);
  cr_expect(ts_event_work_of(e, 0).flops == 1000);
  cr_expect_eq(e->comms.at[0].kind, TS_COMM_ALL_GATHER);
  cr_expect_eq(e->comms.at[0].bytes, 4096);
}

/* Without a node that shows another one the schema is today's. */
Test(chakra_schemas, not_shown)
{
  bytes all = {0}, node = {0};
  ts_error error;
  put_number(&node, 1, 1);
  put_text(&node, 2, "fc");
  put_number(&node, 3, 4);
  put_number(&node, 7, 13);
  put_record(&all, &node);
  const ts_events *e = read(&all, &error);
  cr_assert(e && e->count == 1, "%s", error.message);
  cr_expect_eq(ts_event_at(e, 0)->duration, 13000);
}

/* Every cut of a file and every changed byte is read or refused. */
Test(chakra_schemas, damaged)
{
  bytes all = {0}, node = {0};
  ts_error error;
  put_number(&node, 1, 5);
  put_text(&node, 2, "aten::mm");
  put_number(&node, 3, 4);
  put_text(&node, 6, "[[2,3],[3,4]]");
  put_attribute_2023(&node, "runtime", 3, 6, 250);
  put_record(&all, &node);
  for (size_t i = 0; i < all.count; i++)
    for (int bit = 0; bit < 8; bit++) {
      bytes changed = all;
      changed.at[i] ^= (uint8_t)(1 << bit);
      const ts_events *e = read(&changed, &error);
      cr_expect(e || error.message[0], "byte %zu, bit %d", i, bit);
    }
}
