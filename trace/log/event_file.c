#include "trace/log/event_file.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
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

/* Of wandb_internal.proto and of LevelDB's log, whose chunks do not cross blocks. */
enum { HISTORY = 2 };
enum { ITEM = 1 };
enum { KEY = 1, NESTED_KEY = 2, VALUE_JSON = 16 };
enum { WANDB_HEAD = 7, BLOCK = 32768, CHUNK_HEAD = 7 };
enum { CHUNK_FULL = 1, CHUNK_FIRST, CHUNK_MIDDLE, CHUNK_LAST };

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

static bool is_wandb(const char *bytes, size_t size)
{
  return size > WANDB_HEAD && !memcmp(bytes, ":W&B", 4);
}

const char *ts_event_file_of(const char *bytes, size_t size)
{
  const uint8_t *at = (const uint8_t *)bytes;
  return is_wandb(bytes, size)                                   ? "Weights & Biases' own file" :
         record_at(at, size) > 8 && at[HEAD] == KEY_OF_WALL_TIME ? "TensorBoard's events" :
                                                                   NULL;
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

/* ---- Weights & Biases ---- */

/* A number by its key, parts of a nested one with dots between; NAN: another value. */
static double item_of(ts_arena *arena, ts_wire w, const char **key)
{
  ts_wire_field f;
  double value = NAN;
  *key = "";
  while (ts_wire_next(&w, &f)) {
    if (f.type != TS_WIRE_BYTES)
      continue;
    const char *text = ts_arena_string(arena, (const char *)f.bytes.at, (size_t)f.value);
    if (f.number == KEY || f.number == NESTED_KEY)
      *key = ts_arena_printf(arena, "%s%s%s", *key, **key ? "." : "", text);
    char *end;
    double number = strtod(text, &end);
    if (f.number == VALUE_JSON && *text && !*end)
      value = number;
  }
  return w.wrong ? NAN : value;
}

static void take_history(event_reader *r, ts_wire w)
{
  ts_arena *scratch = ts_arena_new("history");
  ts_wire again = w;
  ts_wire_field f;
  event_row event = {0};
  const char *key;
  while (ts_wire_next(&w, &f))
    if (f.number == ITEM && f.type == TS_WIRE_BYTES) {
      double value = item_of(scratch, f.bytes, &key);
      if (!strcmp(key, "_step") && fabs(value) < 1e15)
        event.step = (int64_t)value;
      else if (!strcmp(key, "_timestamp"))
        event.time = value;
    }
  while (!w.wrong && ts_wire_next(&again, &f))
    if (f.number == ITEM && f.type == TS_WIRE_BYTES) {
      double value = item_of(scratch, f.bytes, &key);
      ts_wire name = {(const uint8_t *)key, (const uint8_t *)key + strlen(key), false};
      if (isfinite(value) && strcmp(key, "_step") != 0 && strcmp(key, "_timestamp") != 0)
        take_scalar(r, event, (scalar){tag_of(r, name), value});
    }
  ts_arena_free(scratch);
}

static void take_record(event_reader *r, ts_wire w)
{
  ts_wire_field f;
  while (ts_wire_next(&w, &f))
    if (f.number == HISTORY && f.type == TS_WIRE_BYTES)
      take_history(r, f.bytes);
}

static void read_wandb(event_reader *r, const uint8_t *bytes, size_t size)
{
  TS_VEC(uint8_t) record = {0};
  for (size_t at = WANDB_HEAD;;) {
    size_t left = BLOCK - at % BLOCK;
    at += left < CHUNK_HEAD ? left : 0;
    if (at + CHUNK_HEAD > size)
      return;
    size_t length = bytes[at + 4] | (size_t)bytes[at + 5] << 8;
    uint8_t type = bytes[at + 6];
    at += CHUNK_HEAD;
    if (type < CHUNK_FULL || type > CHUNK_LAST || length > size - at)
      return;
    if (type <= CHUNK_FIRST)
      record.count = 0;
    for (size_t i = 0; i < length; i++)
      TS_PUSH(r->arena, &record, bytes[at + i]);
    at += length;
    if (type == CHUNK_FULL || type == CHUNK_LAST)
      take_record(r, (ts_wire){record.at, record.at + record.count, false});
  }
}

/* ---- CSV ---- */

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
  if (is_wandb(bytes, size))
    read_wandb(&r, at, size);
  for (uint64_t length; !is_wandb(bytes, size) && (length = record_at(at, (size_t)(end - at)));
       at += HEAD + length + TAIL)
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
