/* Messages of protobuf put together by hand. */
#ifndef TS_TESTS_UNIT_WIRE_PUT_H
#define TS_TESTS_UNIT_WIRE_PUT_H

#include <stdint.h>
#include <string.h>

#include <criterion/criterion.h>

typedef struct bytes { uint8_t at[4000]; size_t count; } bytes;

static inline void put(bytes *b, uint64_t byte)
{
  cr_assert_lt(b->count, sizeof b->at);
  b->at[b->count++] = (uint8_t)byte;
}

static inline void put_varint(bytes *b, uint64_t value)
{
  for (; value >= 0x80; value >>= 7) put(b, (value & 0x7f) | 0x80);
  put(b, value);
}

static inline void put_number(bytes *b, uint32_t field, uint64_t value)
{
  put_varint(b, field << 3);
  put_varint(b, value);
}

static inline void put_bytes(bytes *b, uint32_t field, const void *at, size_t count)
{
  put_varint(b, field << 3 | 2);
  put_varint(b, count);
  for (size_t i = 0; i < count; i++) put(b, ((const uint8_t *)at)[i]);
}

static inline void put_text(bytes *b, uint32_t field, const char *text)
{
  put_bytes(b, field, text, strlen(text));
}

static inline void put_message(bytes *b, uint32_t field, const bytes *message)
{
  put_bytes(b, field, message->at, message->count);
}

#endif
