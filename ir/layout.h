/* What the modules of ir/ know about the tables in common: where a view keeps each one, and how big
 * its records are. */
#ifndef TS_IR_LAYOUT_H
#define TS_IR_LAYOUT_H

#include <stdarg.h>
#include <stdbool.h>
#include <string.h>

#include "ir/ir.h"

typedef struct ts_ir_table { /* one kind of section */
  const char *name;
  uint32_t record_size;
  size_t records, count; /* offsets in ts_ir; META has no count field, there is one */
} ts_ir_table;

extern const ts_ir_table ts_ir_tables[TS_IR_SECTION_KINDS];

/* Fields that are a run of another table's records, one row each. */
typedef struct ts_ir_run_fields {
  uint32_t kind, first, count, count_size; /* offsets; the count has 2 or 4 bytes */
  uint32_t table;
  bool own; /* of one owner alone */
} ts_ir_run_fields;

extern const ts_ir_run_fields ts_ir_runs[];
extern const uint32_t ts_ir_run_count;

static inline const uint8_t *ts_ir_records(const ts_ir *ir, uint32_t kind)
{
  const uint8_t *records;
  memcpy(&records, (const char *)ir + ts_ir_tables[kind].records, sizeof records);
  return records;
}

static inline uint32_t ts_ir_count(const ts_ir *ir, uint32_t kind)
{
  uint32_t count;
  if (kind == TS_IR_META)
    return ir->meta ? 1 : 0;
  memcpy(&count, (const char *)ir + ts_ir_tables[kind].count, sizeof count);
  return count;
}

static inline void ts_ir_set(ts_ir *ir, uint32_t kind, const void *records, uint32_t count)
{
  memcpy((char *)ir + ts_ir_tables[kind].records, &records, sizeof records);
  if (kind != TS_IR_META)
    memcpy((char *)ir + ts_ir_tables[kind].count, &count, sizeof count);
}

/* Records of a kind that are there so far. */
uint32_t ts_ir_builder_count(const ts_ir_builder *b, uint32_t kind);

/* Messages are UTF-8 without control characters, whatever the names in them hold. ts_ir_fail
 * returns -1. */
/* ts_fail without help, for functions that return 0 or -1 */
int ts_ir_fail(ts_error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The same content with strings, places, dependencies, memory effects and bindings stored once, in
 * the order of their first use, and every run where its owner's place in the order puts it: what
 * makes equal content equal bytes. `ir` is valid. */
ts_ir_builder *ts_ir_canonical(const ts_ir *ir);

/* Of ts_ir_verify's first half: every field that names a record of another table. The strings are
 * sound by then. */
int ts_ir_verify_refs(const ts_ir *ir, ts_error *error);
/* Fields as their rows say, of all records but those in blocks of network models; of these, or of
 * others, `count` from `first` on. `owner` begins the message. The references are sound by then. */
int ts_ir_verify_fields(const ts_ir *ir, ts_error *error);
int ts_ir_verify_records(const ts_ir *ir, uint32_t form, uint32_t first, uint32_t count,
                         const char *owner, ts_error *error);
/* Second half of ts_ir_verify: totals of the programs, and whether their messages and collectives
 * agree. Every index is in range by then. */
int ts_ir_verify_programs(const ts_ir *ir, bool messages, bool throughout, ts_error *error);
/* The last part: the calls over groups that are lists of ranks. */
int ts_ir_verify_groups(const ts_ir *ir, ts_error *error);

#endif
