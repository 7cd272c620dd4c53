#include "trace/log/event_file.h"

#include <math.h>
#include <string.h>

#include "base/hash_table.h"
#include "trace/read/wire.h"

/* Field numbers are those of event.proto, summary.proto and tensor.proto (TensorFlow). */
enum { WALL_TIME = 1, STEP = 2, SUMMARY = 5 };
enum { VALUE = 1 };
enum { TAG = 1, SIMPLE_VALUE = 2, TENSOR = 8 };
enum { DTYPE = 1, CONTENT = 4, FLOATS = 5, DOUBLES = 6 };
enum { FLOAT32 = 1, FLOAT64 = 2 };
/* Of a record: its length and a checksum before, a checksum behind. */
enum { HEAD = 12, TAIL = 4, KEY_OF_WALL_TIME = 9 };

typedef struct scalar {
  uint32_t tag;
  double value;
} scalar;
typedef struct event_row {
  int64_t step;
  double time;
  TS_VEC(scalar) scalars;
} event_row;
typedef struct event_reader {
  ts_arena *arena;
  ts_hash_table tags;
  TS_VEC(const char *) names;
  TS_VEC(event_row) rows;
} event_reader;

static double float_of(uint64_t bits)
{
  uint32_t low = (uint32_t)bits;
  float f;
  memcpy(&f, &low, sizeof f);
  return (double)f;
}

static double double_of(uint64_t bits)
{
  double d;
  memcpy(&d, &bits, sizeof d);
  return d;
}

/* The length of the next record; 0: none is whole. */
static uint64_t record_at(const uint8_t *at, size_t left)
{
  ts_wire head = {at, at + left, false};
  uint64_t length = ts_wire_fixed(&head, 8);
  return !head.wrong && left >= HEAD + TAIL && length <= left - HEAD - TAIL ? length : 0;
}

bool ts_is_event_file(const char *bytes, size_t size)
{
  const uint8_t *at = (const uint8_t *)bytes;
  return record_at(at, size) > 8 && at[HEAD] == KEY_OF_WALL_TIME;
}

/* Of one number; NAN: of more, or of another kind. */
static double tensor_value(ts_wire w)
{
  ts_wire_field f;
  uint64_t type = 0;
  double value = NAN;
  while (ts_wire_next(&w, &f)) {
    size_t size = type == FLOAT64 ? 8 : 4;
    if (f.number == DTYPE)
      type = f.value;
    else if (f.number == FLOATS && f.type == TS_WIRE_FIXED32)
      value = float_of(f.value);
    else if (f.number == DOUBLES && f.type == TS_WIRE_FIXED64)
      value = double_of(f.value);
    else if ((f.number == CONTENT || f.number == FLOATS || f.number == DOUBLES) &&
             f.type == TS_WIRE_BYTES && (type == FLOAT32 || type == FLOAT64) && f.value == size)
      value =
        size == 8 ? double_of(ts_wire_fixed(&f.bytes, 8)) : float_of(ts_wire_fixed(&f.bytes, 4));
  }
  return w.wrong ? NAN : value;
}

static uint32_t tag_of(event_reader *r, ts_wire name)
{
  const char *text = ts_arena_string(r->arena, (const char *)name.at, (size_t)(name.end - name.at));
  uint32_t tag = ts_hash_find_text(&r->tags, text, r->names.at, sizeof *r->names.at);
  if (tag != TS_HASH_NONE)
    return tag;
  TS_PUSH(r->arena, &r->names, text);
  ts_hash_add(r->arena, &r->tags, ts_hash_text(text), (uint32_t)r->names.count - 1);
  return (uint32_t)r->names.count - 1;
}

static void take_scalar(event_reader *r, event_row event, scalar s)
{
  event_row *last = r->rows.count ? &r->rows.at[r->rows.count - 1] : NULL;
  bool said = false;
  for (size_t i = 0; last && i < last->scalars.count; i++)
    said |= last->scalars.at[i].tag == s.tag;
  if (!last || last->step != event.step || said) {
    TS_PUSH(r->arena, &r->rows, event);
    last = &r->rows.at[r->rows.count - 1];
  }
  TS_PUSH(r->arena, &last->scalars, s);
}

static void take_value(event_reader *r, event_row event, ts_wire w)
{
  ts_wire_field f;
  ts_wire name = {0};
  double value = NAN;
  while (ts_wire_next(&w, &f)) {
    if (f.number == TAG && f.type == TS_WIRE_BYTES)
      name = f.bytes;
    else if (f.number == SIMPLE_VALUE && f.type == TS_WIRE_FIXED32)
      value = float_of(f.value);
    else if (f.number == TENSOR && f.type == TS_WIRE_BYTES)
      value = tensor_value(f.bytes);
  }
  if (!w.wrong && name.at && isfinite(value))
    take_scalar(r, event, (scalar){tag_of(r, name), value});
}

/* The step may stand behind the summary. */
static void take_event(event_reader *r, ts_wire w)
{
  ts_wire_field f;
  ts_wire summary = {0};
  event_row event = {0};
  while (ts_wire_next(&w, &f)) {
    if (f.number == WALL_TIME && f.type == TS_WIRE_FIXED64)
      event.time = double_of(f.value);
    else if (f.number == STEP && f.type == TS_WIRE_VARINT)
      event.step = (int64_t)f.value;
    else if (f.number == SUMMARY && f.type == TS_WIRE_BYTES)
      summary = f.bytes;
  }
  while (!w.wrong && summary.at && ts_wire_next(&summary, &f))
    if (f.number == VALUE && f.type == TS_WIRE_BYTES)
      take_value(r, event, f.bytes);
}

typedef struct csv_text {
  TS_VEC(char) at;
} csv_text;

static void put(ts_arena *arena, csv_text *out, const char *text)
{
  for (const char *c = text; *c; c++)
    TS_PUSH(arena, &out->at, *c);
}

static void put_names(const event_reader *r, csv_text *out)
{
  put(r->arena, out, "step,wall_time");
  for (size_t t = 0; t < r->names.count; t++) {
    put(r->arena, out, ",\"");
    for (const char *c = r->names.at[t]; *c; c++)
      TS_PUSH(r->arena, &out->at, *c == '"' || *c == '\n' || *c == '\r' ? ' ' : *c);
    put(r->arena, out, "\"");
  }
}

const char *ts_event_file_csv(ts_arena *arena, const char *bytes, size_t size, size_t *csv_size)
{
  event_reader r = {.arena = arena};
  csv_text out = {0};
  const uint8_t *at = (const uint8_t *)bytes, *end = at + size;
  for (uint64_t length; (length = record_at(at, (size_t)(end - at))); at += HEAD + length + TAIL)
    take_event(&r, (ts_wire){at + HEAD, at + HEAD + length, false});
  put_names(&r, &out);
  for (size_t i = 0; i < r.rows.count; i++) {
    const event_row *row = &r.rows.at[i];
    put(arena, &out, ts_arena_printf(arena, "\n%lld,%.6f", (long long)row->step, row->time));
    for (size_t t = 0; t < r.names.count; t++) {
      put(arena, &out, ",");
      for (size_t s = 0; s < row->scalars.count; s++)
        if (row->scalars.at[s].tag == t)
          put(arena, &out, ts_arena_printf(arena, "%.9g", row->scalars.at[s].value));
    }
  }
  TS_PUSH(arena, &out.at, '\0');
  *csv_size = out.at.count - 1;
  return out.at.at;
}
