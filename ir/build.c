/* Building an IR: records put in one after the other, strings and equal records kept once. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/heap.h"
#include "base/text.h"
#include "ir/layout.h"
#include "ir/pool.h"

struct ts_ir_builder {
  ts_heap_owned owned; /* by a call of the library */
  ts_ir_pool pools[TS_IR_SECTION_KINDS];
  ts_ir_meta meta;
  ts_ir_left_out left_out;
  ts_ir_round *rounds; /* of it */
};

static void free_owned(void *builder) { ts_ir_builder_free(builder); }

ts_ir_builder *ts_ir_builder_new(void)
{
  ts_ir_builder *b = ts_heap_new(1, sizeof *b);
  ts_heap_own(&b->owned, free_owned);
  for (uint32_t kind = TS_IR_STRINGS; kind < TS_IR_SECTION_KINDS; kind++)
    b->pools[kind].record_size = ts_ir_tables[kind].record_size;
  ts_ir_add_string(b, ""); /* at offset 0, where a zeroed record looks for it */
  b->meta.plan_loc = b->meta.memory_loc = b->meta.mesh_loc = b->meta.pipeline_axis = TS_IR_NONE;
  b->meta.world = 1;
  b->meta.carbon = TS_NOT_KNOWN;
  return b;
}

void ts_ir_builder_free(ts_ir_builder *b)
{
  if (!b)
    return;
  for (uint32_t kind = TS_IR_STRINGS; kind < TS_IR_SECTION_KINDS; kind++)
    ts_ir_pool_clear(&b->pools[kind]);
  free(b->rounds);
  ts_heap_disown(&b->owned);
  free(b);
}

static ts_ir_str intern_string(ts_ir_builder *b, const char *text, size_t length)
{
  return ts_ir_pool_intern(&b->pools[TS_IR_STRINGS], text, (uint32_t)length + 1);
}

/* Of a file's name, of a recording, or cut inside a character: its stray bytes as they are shown,
 * so that names that differ stay different. */
static ts_ir_str add_shown(ts_ir_builder *b, const char *text, size_t length)
{
  char *shown = ts_heap_new(4 * length + 1, 1), *out = shown;
  for (size_t at = 0, used; at < length; at += used) {
    used = ts_utf8_valid(text + at, length - at);
    if (used) {
      memcpy(out, text + at, used);
      out += used;
    } else {
      out += sprintf(out, "\\x%02x", (unsigned char)text[at]);
      used = 1;
    }
  }
  ts_ir_str string = intern_string(b, shown, (size_t)(out - shown));
  free(shown);
  return string;
}

ts_ir_str ts_ir_add_string(ts_ir_builder *b, const char *text)
{
  size_t length = strlen(text);
  return ts_utf8_valid(text, length) == length ? intern_string(b, text, length) :
                                                 add_shown(b, text, length);
}

ts_ir_meta *ts_ir_builder_meta(ts_ir_builder *b) { return &b->meta; }

uint32_t ts_ir_append(ts_ir_builder *b, ts_ir_section_kind kind, uint32_t count, void **records)
{
  ts_ir_pool *pool = &b->pools[kind];
  uint32_t first = ts_ir_pool_append(pool, count);
  if (records)
    *records = count ? pool->bytes + (size_t)first * pool->record_size : NULL;
  return count ? first : 0;
}

void *ts_ir_builder_records(ts_ir_builder *b, ts_ir_section_kind kind)
{
  return b->pools[kind].bytes;
}

uint32_t ts_ir_builder_count(const ts_ir_builder *b, uint32_t kind) { return b->pools[kind].count; }

uint32_t ts_ir_append_copies(ts_ir_builder *b, ts_ir_section_kind kind, const void *records,
                             uint32_t count)
{
  void *at;
  uint32_t first = ts_ir_append(b, kind, count, &at);
  if (count)
    memcpy(at, records, (size_t)count * b->pools[kind].record_size);
  return first;
}

uint32_t ts_ir_intern(ts_ir_builder *b, ts_ir_section_kind kind, const void *record)
{
  return ts_ir_pool_intern(&b->pools[kind], record, 1);
}

uint32_t ts_ir_intern_run(ts_ir_builder *b, ts_ir_section_kind kind, const void *records,
                          uint32_t count)
{
  return ts_ir_pool_intern(&b->pools[kind], records, count);
}

void ts_ir_builder_leave_out(ts_ir_builder *b, ts_ir_left_out of, uint32_t programs)
{
  if (!of.rounds)
    return;
  b->rounds = ts_heap_new(programs, sizeof *b->rounds);
  memcpy(b->rounds, of.of, programs * sizeof *b->rounds);
  b->left_out = (ts_ir_left_out){of.rounds, b->rounds};
}

void ts_ir_builder_view(ts_ir_builder *b, ts_ir *view)
{
  /* a section without records lies somewhere too, as in a file: one may point to its end */
  static const uint64_t nothing;
  *view = (ts_ir){0};
  for (uint32_t kind = TS_IR_STRINGS; kind < TS_IR_SECTION_KINDS; kind++)
    ts_ir_set(view, kind, b->pools[kind].count ? b->pools[kind].bytes : (const void *)&nothing,
              b->pools[kind].count);
  view->meta = &b->meta;
  view->left_out = b->left_out.rounds ? &b->left_out : NULL;
}
