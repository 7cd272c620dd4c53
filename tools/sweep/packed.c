#include "tools/sweep/packed.h"

#include <string.h>

/* ---- There ---- */

void ts_pack_bytes(ts_packer *p, const void *bytes, size_t size)
{
  size_t room = p->bytes.room ? p->bytes.room : 256;
  while (room < p->bytes.count + size)
    room *= 2;
  if (room > p->bytes.room)
    p->bytes.at = ts_arena_grow(p->arena, p->bytes.at, p->bytes.room, room);
  p->bytes.room = room;
  if (size)
    memcpy(p->bytes.at + p->bytes.count, bytes, size);
  p->bytes.count += size;
}

void ts_pack_number(ts_packer *p, uint64_t value) { ts_pack_bytes(p, &value, sizeof value); }
void ts_pack_real(ts_packer *p, double value) { ts_pack_bytes(p, &value, sizeof value); }

void ts_pack_text(ts_packer *p, const char *text)
{
  ts_pack_number(p, text ? strlen(text) : UINT64_MAX);
  if (text)
    ts_pack_bytes(p, text, strlen(text));
}

static void pack_interval(ts_packer *p, const ts_interval *i)
{
  ts_pack_real(p, i->figure);
  ts_pack_real(p, i->low);
  ts_pack_real(p, i->high);
  ts_pack_number(p, i->on != NULL);
  ts_pack_real(p, i->on ? i->on->below : 0);
  ts_pack_real(p, i->on ? i->on->above : 0);
  ts_pack_real(p, i->on ? i->on->apart : 0);
}

static void pack_sure(ts_packer *p, const ts_confidence *c)
{
  ts_pack_real(p, c->spread);
  ts_pack_number(p, (c->calibrated ? 1u : 0u) | (c->own_times ? 2u : 0u));
  ts_pack_number(p, c->kind);
  pack_interval(p, &c->step);
  pack_interval(p, &c->memory);
  ts_pack_number(p, c->part_count);
  for (uint32_t i = 0; i < c->part_count; i++) {
    const ts_uncertain_part *part = &c->parts[i];
    ts_pack_text(p, part->name);
    ts_pack_number(p, part->origin);
    ts_pack_number(p, part->basis);
    ts_pack_number(p, (part->between ? 1u : 0u) | (part->calibrated ? 2u : 0u) |
                        (part->assumed ? 4u : 0u));
    ts_pack_real(p, part->share);
    ts_pack_real(p, part->spread);
  }
}

enum { EXACT = 1, PLAYED = 2, UNREAD = 4, OVER = 8, SURE = 16, STARVED = 32 };

void ts_pack_outcome(ts_packer *p, const ts_outcome *o)
{
  ts_pack_number(p, o->state);
  ts_pack_number(p, (o->exact ? EXACT : 0u) | (o->played ? PLAYED : 0u) |
                      (o->unread ? UNREAD : 0u) | (o->bounds.over ? OVER : 0u) |
                      (o->sure ? SURE : 0u) | (o->starved ? STARVED : 0u));
#define REAL(name, member) ts_pack_real(p, o->bounds.member);
  TS_BOUND_REALS(REAL)
#undef REAL
  ts_pack_number(p, o->bounds.bytes);
  ts_pack_number(p, o->bounds.reserved);
  ts_pack_number(p, o->bounds.limit);
  ts_pack_bytes(p, &o->figures, sizeof o->figures);
  ts_pack_real(p, o->limit);
  ts_pack_text(p, o->why);
  ts_pack_number(p, o->warning_count);
  for (uint32_t i = 0; i < o->warning_count; i++) {
    ts_pack_number(p, o->warnings[i].code);
    ts_pack_text(p, o->warnings[i].message);
  }
  if (o->sure)
    pack_sure(p, o->sure);
}

void ts_pack_inputs(ts_packer *p, const ts_inputs *inputs, size_t first)
{
  ts_pack_number(p, inputs->all.count - first);
  for (size_t i = first; i < inputs->all.count; i++) {
    const ts_sweep_input *input = &inputs->all.at[i];
    ts_pack_text(p, input->name);
    ts_pack_text(p, input->path);
    ts_pack_text(p, input->role);
    ts_pack_bytes(p, input->sha256, sizeof input->sha256);
  }
}

/* ---- Back ---- */

void ts_unpack_bytes(ts_unpacker *u, void *bytes, size_t size)
{
  u->bad |= (size_t)(u->end - u->at) < size;
  if (u->bad) {
    memset(bytes, 0, size);
    return;
  }
  memcpy(bytes, u->at, size);
  u->at += size;
}

uint64_t ts_unpack_number(ts_unpacker *u)
{
  uint64_t value;
  ts_unpack_bytes(u, &value, sizeof value);
  return value;
}

double ts_unpack_real(ts_unpacker *u)
{
  double value;
  ts_unpack_bytes(u, &value, sizeof value);
  return value;
}

/* Below a limit. */
static uint32_t few(ts_unpacker *u, uint64_t limit)
{
  uint64_t value = ts_unpack_number(u);
  u->bad |= value >= limit;
  return u->bad ? 0 : (uint32_t)value;
}

/* So many things of at least a byte each: no message makes us ask for more memory than that. */
static uint32_t packed_count(ts_unpacker *u) { return few(u, (uint64_t)(u->end - u->at) + 1); }

const char *ts_unpack_text(ts_unpacker *u)
{
  uint64_t length = ts_unpack_number(u);
  if (length == UINT64_MAX || u->bad)
    return NULL;
  u->bad |= (uint64_t)(u->end - u->at) < length;
  if (u->bad)
    return NULL;
  const char *text = ts_arena_string(u->arena, (const char *)u->at, (size_t)length);
  u->at += length;
  return text;
}

/* One that is there in any case. */
static const char *some_text(ts_unpacker *u)
{
  const char *text = ts_unpack_text(u);
  u->bad |= !text;
  return text ? text : "";
}

static ts_interval unpack_interval(ts_unpacker *u)
{
  ts_interval i = {.figure = ts_unpack_real(u), .low = ts_unpack_real(u),
                   .high = ts_unpack_real(u)};
  bool on = few(u, 2);
  double below = ts_unpack_real(u), above = ts_unpack_real(u), apart = ts_unpack_real(u);
  if (on && !u->bad) {
    ts_ir_validation *v = TS_NEW(u->arena, ts_ir_validation);
    v->below = below, v->above = above, v->apart = apart;
    i.on = v;
  }
  return i;
}

static const ts_confidence *unpack_sure(ts_unpacker *u)
{
  ts_confidence *c = TS_NEW(u->arena, ts_confidence);
  c->spread = ts_unpack_real(u);
  uint32_t flags = few(u, 4);
  c->calibrated = flags & 1, c->own_times = flags & 2;
  c->kind = ts_unpack_number(u);
  c->step = unpack_interval(u);
  c->memory = unpack_interval(u);
  c->part_count = packed_count(u);
  ts_uncertain_part *parts = TS_NEW_ARRAY(u->arena, ts_uncertain_part, c->part_count + 1u);
  for (uint32_t i = 0; i < c->part_count && !u->bad; i++) {
    ts_uncertain_part *p = &parts[i];
    p->name = some_text(u);
    p->origin = few(u, UINT32_MAX);
    p->basis = few(u, UINT32_MAX);
    uint32_t marks = few(u, 8);
    p->between = marks & 1, p->calibrated = marks & 2, p->assumed = marks & 4;
    p->share = ts_unpack_real(u);
    p->spread = ts_unpack_real(u);
  }
  c->parts = parts;
  return c;
}

void ts_unpack_outcome(ts_unpacker *u, ts_outcome *o)
{
  *o = (ts_outcome){.state = (ts_outcome_state)few(u, TS_OUTCOME_STATES)};
  uint32_t flags = few(u, 2 * STARVED);
  o->exact = flags & EXACT, o->played = flags & PLAYED, o->unread = flags & UNREAD;
  o->bounds.over = flags & OVER;
  o->starved = flags & STARVED;
#define REAL(name, member) o->bounds.member = ts_unpack_real(u);
  TS_BOUND_REALS(REAL)
#undef REAL
  o->bounds.bytes = ts_unpack_number(u);
  o->bounds.reserved = ts_unpack_number(u);
  o->bounds.limit = ts_unpack_number(u);
  ts_unpack_bytes(u, &o->figures, sizeof o->figures);
  o->limit = ts_unpack_real(u);
  o->why = ts_unpack_text(u);
  uint32_t warnings = packed_count(u);
  ts_outcome_warning *all = TS_NEW_ARRAY(u->arena, ts_outcome_warning, warnings + 1u);
  for (uint32_t i = 0; i < warnings && !u->bad; i++) {
    all[i].code = (ts_code)few(u, TS_CODE_COUNT);
    all[i].message = some_text(u);
  }
  o->warnings = all;
  o->warning_count = warnings;
  if (flags & SURE)
    o->sure = unpack_sure(u);
  if (u->bad)
    *o = (ts_outcome){0};
}

void ts_unpack_inputs(ts_unpacker *u, ts_inputs *inputs)
{
  for (uint64_t left = ts_unpack_number(u); left && !u->bad; left--) {
    ts_sweep_input input = {.name = ts_unpack_text(u), .path = ts_unpack_text(u),
                            .role = ts_unpack_text(u)};
    ts_unpack_bytes(u, input.sha256, sizeof input.sha256);
    if (!u->bad && input.name && input.path && input.role)
      ts_inputs_add(inputs, &input);
  }
}
