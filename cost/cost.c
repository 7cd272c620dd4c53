#include "cost/cost.h"

#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include "base/heap.h"
#include "cost/source.h"

enum { INFLATE_STEP = 1 << 16 };

const char *ts_cost_unpack(ts_arena *arena, const void *bytes, size_t size, size_t most,
                           size_t *text_size, ts_error *error)
{
  *error = (ts_error){0};
  z_stream z = {.next_in = (Bytef *)bytes,
                .avail_in = (uInt)size,
                .zalloc = ts_heap_for_zlib,
                .zfree = ts_heap_from_zlib};
  if (size > UINT32_MAX || inflateInit2(&z, 16 + MAX_WBITS) != Z_OK)
    return ts_fail(error, NULL, "cannot inflate it"), NULL;
  TS_VEC(char) out = {0};
  int status;
  do {
    if (out.room < out.count + INFLATE_STEP) {
      size_t room = 2 * out.room + INFLATE_STEP;
      out.at = ts_arena_grow(arena, out.at, out.room, room);
      out.room = room;
    }
    z.next_out = (Bytef *)out.at + out.count;
    z.avail_out = (uInt)(out.room - out.count - 1);
    uInt room = z.avail_out;
    status = inflate(&z, Z_NO_FLUSH);
    out.count += room - z.avail_out;
    if (status == Z_STREAM_END && z.avail_in && inflateReset(&z) == Z_OK)
      status = Z_OK; /* a further member */
  } while (status == Z_OK && out.count <= most);
  inflateEnd(&z);
  if (out.count > most) {
    const char *text = "the gzip file unpacks to more than %zu MiB: keep only the rows that are "
                       "needed, or unpack it";
    return ts_fail(error, NULL, text, most >> 20), NULL;
  }
  if (status != Z_STREAM_END)
    return ts_fail(error, NULL, "the gzip file %s",
                   status == Z_BUF_ERROR ? "ends too early" : "is damaged"),
           NULL;
  out.at[out.count] = 0;
  *text_size = out.count;
  return out.at;
}

const char *ts_cost_text(ts_arena *arena, const void *bytes, size_t size, size_t *text_size,
                         ts_error *error)
{
  const unsigned char *b = bytes;
  *error = (ts_error){0};
  if (size > 2 && b[0] == 0x1f && b[1] == 0x8b)
    return ts_cost_unpack(arena, bytes, size, TS_COST_MOST_UNPACKED, text_size, error);
  *text_size = size;
  return ts_arena_string(arena, bytes, size);
}

static ts_cost_source *new_source(ts_arena *arena, int kind)
{
  ts_cost_source *source = TS_NEW(arena, ts_cost_source);
  source->kind = kind;
  return source;
}

ts_cost_source *ts_cost_table(ts_arena *arena, const void *bytes, size_t size,
                              const ts_table_options *options, ts_error *error)
{
  size_t text_size;
  const char *text = ts_cost_text(arena, bytes, size, &text_size, error);
  ts_table *table = text ? ts_table_read(arena, text, text_size, options, error) : NULL;
  if (!table)
    return NULL;
  ts_cost_source *source = new_source(arena, TS_SOURCE_TABLE);
  source->u.table = table;
  return source;
}

ts_cost_source *ts_cost_fit(ts_arena *arena, const void *bytes, size_t size, ts_error *error)
{
  size_t text_size;
  const char *text = ts_cost_text(arena, bytes, size, &text_size, error);
  ts_fit *fit = text ? ts_fit_read(arena, text, text_size, error) : NULL;
  if (!fit)
    return NULL;
  ts_cost_source *source = new_source(arena, TS_SOURCE_FIT);
  source->u.fit = fit;
  return source;
}

const ts_cost_source *ts_cost_with_floor(ts_arena *arena, const ts_cost_source *fit, double floor)
{
  ts_cost_source *source = ts_arena_copy(arena, fit, sizeof *fit);
  source->floor = floor;
  return source;
}

ts_cost_source *ts_cost_roofline(ts_arena *arena, const ts_roofline *numbers)
{
  ts_cost_source *source = new_source(arena, TS_SOURCE_ROOFLINE);
  ts_roofline *copy = ts_arena_copy(arena, numbers, sizeof *numbers);
  copy->peak = ts_arena_copy(arena, numbers->peak, numbers->peak_count * sizeof *numbers->peak);
  source->u.roofline = copy;
  return source;
}

bool ts_cost_lacks_rate(const ts_cost_source *source, const char *dtype)
{
  return source->kind == TS_SOURCE_ROOFLINE && !ts_roofline_peak(source->u.roofline, dtype);
}

const char *ts_cost_op_family(char *text, const char *op, bool backward)
{
  snprintf(text, TS_COST_OP, "%.100s%s", op, backward ? "_backward" : "");
  return text;
}

bool ts_cost_ask(const ts_cost_source *source, const ts_cost_query *query, ts_cost_answer *answer)
{
  if (query->op && source->kind != TS_SOURCE_ROOFLINE) {
    char family[TS_COST_OP];
    ts_cost_query of_op = *query;
    of_op.family = ts_cost_op_family(family, query->op, query->backward);
    of_op.op = NULL, of_op.size_count = 0;
    bool own = strcmp(family, query->family) != 0;
    if (own && !query->feature_count && ts_cost_ask(source, &of_op, answer))
      return true;
    of_op.feature_count = 0, of_op.size_count = query->size_count;
    if (own && ts_cost_ask(source, &of_op, answer)) {
      answer->seconds *= query->share;
      return true;
    }
  }
  switch (source->kind) {
  case TS_SOURCE_TABLE: return ts_table_ask(source->u.table, query, answer);
  case TS_SOURCE_FIT: return ts_fit_ask(source->u.fit, source->floor, query, answer);
  case TS_SOURCE_ROOFLINE: return ts_roofline_ask(source->u.roofline, query, answer);
  }
  return false;
}

const char *ts_cost_provenance(const ts_cost_source *source)
{
  switch (source->kind) {
  case TS_SOURCE_TABLE: return source->u.table->provenance;
  case TS_SOURCE_FIT: return ts_fit_provenance(source->u.fit);
  case TS_SOURCE_ROOFLINE: break;
  }
  return "";
}

const char *ts_cost_device(const ts_cost_source *source)
{
  switch (source->kind) {
  case TS_SOURCE_TABLE: return source->u.table->device;
  case TS_SOURCE_FIT: return ts_fit_device(source->u.fit);
  case TS_SOURCE_ROOFLINE: break;
  }
  return "";
}

uint32_t ts_cost_families(const ts_cost_source *source, const char **family, uint32_t room)
{
  if (source->kind == TS_SOURCE_FIT)
    return ts_fit_families(source->u.fit, family, room);
  if (source->kind != TS_SOURCE_TABLE)
    return 0;
  const ts_table *t = source->u.table;
  uint32_t n = 0;
  const char *last = "";
  for (uint32_t g = 0; g < t->group_count; g++) {
    if (strcmp(t->group[g].family, last) != 0 && n++ < room)
      family[n - 1] = t->group[g].family;
    last = t->group[g].family;
  }
  return n;
}

const char *ts_cost_learners(const ts_cost_source *source, ts_arena *arena)
{
  return source->kind == TS_SOURCE_FIT ? ts_fit_learners(source->u.fit, arena) : "";
}

const ts_table *ts_cost_rows(const ts_cost_source *source)
{
  return source->kind == TS_SOURCE_TABLE ? source->u.table : NULL;
}

bool ts_cost_knows(const ts_cost_source *source, const char *family)
{
  enum { MOST = 64 };
  const char *known[MOST];
  uint32_t count = ts_cost_families(source, known, MOST);
  for (uint32_t i = 0; i < count && i < MOST; i++)
    if (strcmp(known[i], family) == 0)
      return true;
  return false;
}
