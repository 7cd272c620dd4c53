#include "ir/forms.h"

#include <float.h>
#include <string.h>

#include "ir/packets.h"

#define WHEN(record, field, mask) .when = mask, .when_at = offsetof(ts_ir_##record, field)
#define OPEN(word_, kind_, title_, inner_)                                                         \
  [TS_IR_FORM_##word_] = {#word_, TS_IR_##kind_, title_, inner_, (const ts_ir_field[]){
#define FORM(word, kind, title) OPEN(word, kind, title, false)
#define INNER(word, kind) OPEN(word, kind, NULL, true)
#define FIELD(record, field, type_, place_, word_, ...)                                            \
  {.name = #field, .offset = offsetof(ts_ir_##record, field),                                      \
   .size = sizeof(((ts_ir_##record *)NULL)->field), .type = TS_IR_TYPE_##type_,                    \
   .place = TS_IR_PLACE_##place_, .word = word_, .what = __VA_ARGS__},
#define END {.name = NULL}}},
const ts_ir_form ts_ir_forms[TS_IR_FORMS] = {
#include "ir/records.def"
};

#define TABLE(kind, record, name, bytes)                                                           \
  _Static_assert(sizeof(record) <= TS_IR_LARGEST, "there is room for one record of any kind");
#include "ir/records.def"

const char *ts_ir_title(uint32_t kind)
{
  for (const ts_ir_form *form = ts_ir_forms; form < ts_ir_forms + TS_IR_FORMS; form++)
    if (form->kind == kind && form->title)
      return form->title;
  return "name";
}

ts_ir_dimension ts_ir_dimension_of(ts_ir_type type)
{
  switch (type) {
  case TS_IR_TYPE_SIZE: return TS_IR_BYTES;
  case TS_IR_TYPE_RATE: return TS_IR_RATE;
  case TS_IR_TYPE_FLOP: return TS_IR_FLOP;
  case TS_IR_TYPE_FLOP_RATE: return TS_IR_FLOP_RATE;
  default: return TS_IR_DIMENSIONS;
  }
}

uint32_t ts_ir_target(const ts_ir_field *f)
{
  switch (f->type) {
  case TS_IR_TYPE_NAME: case TS_IR_TYPE_QUOTED: case TS_IR_TYPE_NAMED: return TS_IR_STRINGS;
  case TS_IR_TYPE_LOC: return TS_IR_LOCS;
  case TS_IR_TYPE_GROUP: return TS_IR_GROUPS;
  default: return f->table;
  }
}

bool ts_ir_may_be_none(const ts_ir_field *f) { return f->none || f->type == TS_IR_TYPE_LOC; }

uint64_t ts_ir_get(const ts_ir_field *f, const void *record)
{
  const void *at = (const char *)record + f->offset;
  switch (f->size) {
  case 1: return *(const uint8_t *)at;
  case 2: return *(const uint16_t *)at;
  case 4: return *(const uint32_t *)at;
  case 8: return *(const uint64_t *)at;
  default: return 0;
  }
}

void ts_ir_put(const ts_ir_field *f, void *record, uint64_t value)
{
  memcpy((char *)record + f->offset, &value, f->size);
}

double ts_ir_get_real(const ts_ir_field *f, const void *record)
{
  double value;
  memcpy(&value, (const char *)record + f->offset, sizeof value);
  return value;
}

bool ts_ir_has_field(const ts_ir_field *f, const void *record)
{
  uint32_t of;
  memcpy(&of, (const char *)record + f->when_at, sizeof of);
  return !f->when || (of < 32 && f->when >> of & 1);
}

void ts_ir_make_usual(const ts_ir_form *form, void *record)
{
  for (const ts_ir_field *f = form->fields; f->name; f++)
    if (f->size <= sizeof f->usual)
      ts_ir_put(f, record, ts_ir_may_be_none(f) ? TS_IR_NONE : f->usual.whole);
}

void ts_ir_make_usual_here(uint32_t kind, uint32_t index, void *record)
{
  if (kind == TS_IR_STREAMS)
    ((ts_ir_stream *)record)->kind = index ? TS_IR_STREAM_COMM : TS_IR_STREAM_COMPUTE;
  if (kind != TS_IR_NET_MODELS)
    return;
  ts_ir_net_model *m = record;
  m->algorithm = ts_ir_net_has_block(m->kind) ? 0 : TS_IR_NONE; /* the faster */
  m->packets = m->kind == TS_IR_NET_PACKET ? ts_ir_usual_packets : (ts_ir_net_packets){0};
}

static bool communicates(uint32_t op)
{
  return op == TS_IR_COLLECTIVE || op == TS_IR_SEND || op == TS_IR_RECV;
}

static ts_ir_phase usual_phase(uint32_t op, const char *work)
{
  if (communicates(op))
    return TS_IR_PHASE_COMMUNICATION;
  if (op != TS_IR_COMPUTE || !work[0] || work[1])
    return TS_IR_PHASE_OTHER;
  switch (work[0]) { /* the schedule's letters, as in ts_ir_fragment */
  case 'F': return TS_IR_PHASE_FORWARD;
  case 'B':
  case 'I': return TS_IR_PHASE_BACKWARD_INPUT;
  case 'W': return TS_IR_PHASE_BACKWARD_WEIGHT;
  case 'S': return TS_IR_PHASE_OPTIMIZER;
  default: return TS_IR_PHASE_OTHER;
  }
}

ts_ir_node ts_ir_usual_node(uint32_t op, uint32_t comm_stream, const char *work)
{
  return (ts_ir_node){.op = (uint8_t)op,
                      .stream = (uint8_t)(communicates(op) ? comm_stream : 0),
                      .phase = (uint8_t)usual_phase(op, work),
                      .loc = TS_IR_NONE,
                      .rule_loc = TS_IR_NONE};
}

uint32_t ts_ir_first_comm_stream(const ts_ir *ir)
{
  for (uint32_t i = 0; i < ir->streams_count; i++)
    if (ir->streams[i].kind == TS_IR_STREAM_COMM)
      return i;
  return 0;
}

bool ts_ir_same_field(const ts_ir_field *f, const void *a, const void *b)
{
  if (f->type == TS_IR_TYPE_STATED && !ts_is_stated(ts_ir_get_real(f, a)))
    return !ts_is_stated(ts_ir_get_real(f, b));
  return !memcmp((const char *)a + f->offset, (const char *)b + f->offset, f->size);
}

static uint32_t count_words(const char *const *words)
{
  uint32_t count = 0;
  while (words[count])
    count++;
  return count;
}

/* Limits that no machine comes near, so that sums cannot overflow and quotients stay finite. */
ts_ir_range ts_ir_range_of(const ts_ir_field *f)
{
  if (f->range.most > 0)
    return f->range;
  switch (f->type) {
  case TS_IR_TYPE_WORD: return (ts_ir_range){0, count_words(f->words) - 1};
  case TS_IR_TYPE_FLAG: return (ts_ir_range){0, 1};
  case TS_IR_TYPE_RESERVED: return (ts_ir_range){0, 0};
  case TS_IR_TYPE_COUNT: return (ts_ir_range){0, f->most ? (double)f->most : UINT32_MAX};
  case TS_IR_TYPE_TIME: return (ts_ir_range){0, (double)TS_IR_TIME_MOST};
  case TS_IR_TYPE_BYTES: case TS_IR_TYPE_CHANGE: return (ts_ir_range){0, (double)TS_IR_BYTES_MOST};
  case TS_IR_TYPE_RATE: return (ts_ir_range){1, 1e21}; /* per second */
  case TS_IR_TYPE_STATED: return (ts_ir_range){0, 1e12}; /* $ an hour, g of CO2 a kWh */
  default: return (ts_ir_range){0, DBL_MAX};
  }
}

static bool tenths_in_range(const uint8_t *tenths) /* 1 to 10, and 0 after the last */
{
  for (size_t i = 0; i < TS_IR_NET_SIZES; i++)
    if (tenths[i] > 10 || (i && tenths[i] && !tenths[i - 1]))
      return false;
  return true;
}

bool ts_ir_in_range(const ts_ir_field *f, ts_ir_range range, const void *record)
{
  if (f->type == TS_IR_TYPE_TENTHS)
    return tenths_in_range((const uint8_t *)record + f->offset);
  if (f->type >= TS_IR_TYPE_SIZE && f->type <= TS_IR_TYPE_STATED) {
    double real = ts_ir_get_real(f, record);
    bool unknown = !memcmp(&real, &(double){TS_NOT_KNOWN}, sizeof real); /* as it is written */
    bool below = signbit(real) && f->type != TS_IR_TYPE_SIGNED;
    return (real >= range.least && real <= range.most && !below) ||
           (f->or_zero && real == 0 && !signbit(real)) || (f->type == TS_IR_TYPE_STATED && unknown);
  }
  uint64_t whole = ts_ir_get(f, record);
  if (f->type == TS_IR_TYPE_CHANGE && (int64_t)whole < 0)
    whole = -whole;
  return whole >= (uint64_t)range.least && whole <= (uint64_t)range.most &&
         (!f->at_most || whole <= ts_ir_get(&(ts_ir_field){.offset = f->at_most, .size = f->size},
                                            record));
}
