/* Messages of protobuf as they are on the wire: fields by number and type, in the order of the
 * bytes (protobuf.dev, "Encoding"). A malformed message sets `wrong` and ends. */
#ifndef TS_TRACE_READ_WIRE_H
#define TS_TRACE_READ_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum ts_wire_type {
  TS_WIRE_VARINT,
  TS_WIRE_FIXED64,
  TS_WIRE_BYTES, /* strings, messages, packed numbers */
  TS_WIRE_FIXED32 = 5
} ts_wire_type;

typedef struct ts_wire { const uint8_t *at, *end; bool wrong; } ts_wire;
typedef struct ts_wire_field {
  uint32_t number, type; /* type: ts_wire_type */
  uint64_t value;
  ts_wire bytes;
} ts_wire_field;

static inline uint64_t ts_wire_varint(ts_wire *w)
{
  uint64_t value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    if (w->at == w->end)
      break;
    uint8_t byte = *w->at++;
    value |= (uint64_t)(byte & 0x7f) << shift;
    if (!(byte & 0x80))
      return value;
  }
  w->wrong = true;
  return 0;
}

static inline uint64_t ts_wire_fixed(ts_wire *w, size_t bytes)
{
  uint64_t value = 0;
  if ((size_t)(w->end - w->at) < bytes) {
    w->wrong = true;
    return 0;
  }
  for (size_t i = 0; i < bytes; i++) value |= (uint64_t)w->at[i] << 8 * i;
  w->at += bytes;
  return value;
}

/* False at the end of the message and when it is malformed. Of bytes, `value` is their number. */
static inline bool ts_wire_next(ts_wire *w, ts_wire_field *f)
{
  if (w->wrong || w->at == w->end)
    return false;
  uint64_t key = ts_wire_varint(w);
  *f = (ts_wire_field){.number = (uint32_t)(key >> 3), .type = key & 7};
  switch (f->type) {
  case TS_WIRE_VARINT: f->value = ts_wire_varint(w); break;
  case TS_WIRE_FIXED64: f->value = ts_wire_fixed(w, 8); break;
  case TS_WIRE_FIXED32: f->value = ts_wire_fixed(w, 4); break;
  case TS_WIRE_BYTES:
    f->value = ts_wire_varint(w);
    if (w->wrong || f->value > (uint64_t)(w->end - w->at)) {
      w->wrong = true;
      return false;
    }
    f->bytes = (ts_wire){w->at, w->at + f->value, false};
    w->at += f->value;
    break;
  default: w->wrong = true;
  }
  if (key >> 3 == 0 || key >> 3 > 1u << 29)
    w->wrong = true;
  return !w->wrong;
}

#endif
