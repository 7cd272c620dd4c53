/* Of the verifier: fields by their rows in ir/records.def. What names a record of another table or
 * a string is in range, and so is every value. */
#include <stdio.h>

#include "ir/forms.h"
#include "ir/layout.h"

/* A field that names a record of another table. */
static int check_ref(const ts_ir *ir, uint32_t kind, const ts_ir_field *f, ts_error *error)
{
  uint32_t target = ts_ir_target(f), limit = ts_ir_count(ir, target);
  uint32_t count = ts_ir_count(ir, kind), size = ts_ir_tables[kind].record_size;
  const uint8_t *record = ts_ir_records(ir, kind);
  for (uint32_t i = 0; i < count; i++, record += size) {
    uint32_t index = *(const uint32_t *)(const void *)(record + f->offset);
    if (index >= limit && !(ts_ir_may_be_none(f) && index == TS_IR_NONE))
      return ts_ir_fail(error, "%s %u: its %s is number %u of %u %s", ts_ir_tables[kind].name, i,
                        f->name, index, limit, ts_ir_tables[target].name);
    if (target == TS_IR_STRINGS && index && ir->strings[index - 1])
      return ts_ir_fail(error, "%s %u: its %s begins inside a string", ts_ir_tables[kind].name, i,
                        f->name);
  }
  return 0;
}

int ts_ir_verify_refs(const ts_ir *ir, ts_error *error)
{
  int failed = 0;
  for (uint32_t kind = TS_IR_STRINGS; kind < TS_IR_SECTION_KINDS; kind++)
    for (const ts_ir_form *form = ts_ir_forms; form < ts_ir_forms + TS_IR_FORMS; form++)
      for (const ts_ir_field *f = form->fields; form->kind == kind && f->name && !failed; f++)
        if (ts_ir_target(f) && f->size == sizeof(uint32_t)) /* a node's stream: see check_node */
          failed = check_ref(ir, kind, f, error);
  return failed;
}

/* ---- values ---- */

static const struct wrong { uint32_t form, number; const char *message; } wrongs[] = {
#define WRONG(form, number, message) {TS_IR_FORM_##form, number, message},
#include "ir/records.def"
};

static int show_value(const ts_ir *ir, const ts_ir_field *f, const void *record, char *out,
                      size_t room)
{
  uint64_t whole = ts_ir_get(f, record);
  if (ts_ir_target(f) == TS_IR_STRINGS)
    return snprintf(out, room, "%s", ir->strings + whole);
  switch (f->type) {
  case TS_IR_TYPE_GROUP: return snprintf(out, room, "%s", ir->strings + ir->groups[whole].name);
  case TS_IR_TYPE_COLLECTIVES: return snprintf(out, room, "0x%x", (unsigned)whole);
  case TS_IR_TYPE_CHANGE: return snprintf(out, room, "%lld", (long long)whole);
  case TS_IR_TYPE_NUMBER: case TS_IR_TYPE_STATED:
    return snprintf(out, room, "%g", ts_ir_get_real(f, record));
  default: return snprintf(out, room, "%llu", (unsigned long long)whole);
  }
}

/* The field that a message has in braces: `name`, or `*` for the one that is wrong; or the end. */
static const ts_ir_field *field_named(uint32_t form, const char *name, size_t length,
                                      uint32_t number, const void *record)
{
  const ts_ir_field *f = ts_ir_forms[form].fields;
  if (*name == '*')
    while (f->name && (f->wrong != number || ts_ir_in_range(f, ts_ir_range_of(f), record)))
      f++;
  else
    while (f->name && (strlen(f->name) != length || memcmp(f->name, name, length) != 0))
      f++;
  return f;
}

/* The message of that number of a form, its braces filled in, behind `owner`. */
static int complain(const ts_ir *ir, uint32_t form, uint32_t number, const void *record,
                    uint32_t index, const char *owner, ts_error *error)
{
  char said[sizeof error->message] = "";
  const struct wrong *w = wrongs;
  while (w->form != form || w->number != number)
    w++;
  size_t used = 0;
  for (const char *at = w->message; *at && used < sizeof said; at++) {
    char *out = said + used;
    size_t room = sizeof said - used, length = strcspn(at, "}");
    if (*at != '{') {
      used += (size_t)snprintf(out, room, "%c", *at);
      continue;
    }
    const ts_ir_field *f = field_named(form, at + 1, length - 1, number, record);
    used += (size_t)(f->name ? show_value(ir, f, record, out, room) :
                               snprintf(out, room, "%u", index));
    at += length;
  }
  return ts_ir_fail(error, "%s%s", owner, said);
}

static bool spread_fits(const ts_ir_spread *s)
{
  bool kernels = s->origin == TS_IR_ORIGIN_KERNELS, network = s->origin == TS_IR_ORIGIN_NETWORK;
  uint32_t bases = kernels ? (uint32_t)TS_IR_BASES : network ? (uint32_t)TS_IR_NET_KINDS : 1;
  return s->origin < TS_IR_ORIGINS && s->basis < bases &&
         s->between <= (network || s->origin == TS_IR_ORIGIN_LINKS) && (network || !s->least_kib) &&
         s->assumed <= (network || kernels) && (network || kernels || !s->name) &&
         (kernels || !s->dtype);
}

static bool packets_fit(const ts_ir_net_model *m)
{
  static const ts_ir_net_packets none = {0};
  return m->kind == TS_IR_NET_PACKET || !memcmp(&m->packets, &none, sizeof none);
}

/* The message of a record whose fields do not go together; 0: they do. */
static uint32_t misfit(const ts_ir *ir, uint32_t form, const void *record)
{
  const ts_ir_device_class *d = record;
  const ts_ir_link_class *k = record;
  const ts_ir_link *l = record;
  const ts_ir_net_method *x = record;
  const ts_ir_collective *call = record;
  const ts_ir_port *port = record;
  switch (form) {
  case TS_IR_FORM_device_class: return d->memory && d->reserved_memory > d->memory;
  case TS_IR_FORM_link_class: return k->setup && !k->ports ? 2 : 0;
  case TS_IR_FORM_link: return l->from == l->to;
  case TS_IR_FORM_net_model: return packets_fit(record) ? 0 : 4;
  case TS_IR_FORM_method: return x->ranks && !x->islands ? 3 : 0;
  case TS_IR_FORM_collective: return !ts_ir_is_collective(call->kind);
  case TS_IR_FORM_port: return __builtin_popcount(ir->groups[port->group].axes) != 1;
  case TS_IR_FORM_spread: return !spread_fits(record);
  default: return 0;
  }
}

/* The first record of a run that is wrong, and the first of its messages that is asked for. */
typedef struct found { uint32_t record, number; } found;

static void verify_fields_note(found *first, uint32_t record, uint32_t number)
{
  if (record < first->record || number < first->number)
    *first = (found){record, number};
}

/* Field by field, as the ranges are found once then. */
static found first_wrong(const ts_ir *ir, uint32_t form, const uint8_t *records, uint32_t count)
{
  uint32_t size = ts_ir_tables[ts_ir_forms[form].kind].record_size;
  found first = {count, TS_IR_NONE};
  for (const ts_ir_field *f = ts_ir_forms[form].fields; f->name; f++) {
    if (!f->wrong)
      continue;
    ts_ir_range range = ts_ir_range_of(f);
    for (uint32_t i = 0; i < count && i <= first.record; i++)
      if (!ts_ir_in_range(f, range, records + (size_t)i * size))
        verify_fields_note(&first, i, f->wrong);
  }
  for (uint32_t i = 0; i < count && i <= first.record; i++) {
    uint32_t number = misfit(ir, form, records + (size_t)i * size);
    if (number)
      verify_fields_note(&first, i, number);
  }
  return first;
}

static bool has_messages(uint32_t form)
{
  bool has = false;
  for (size_t i = 0; i < sizeof wrongs / sizeof *wrongs; i++)
    has |= wrongs[i].form == form;
  return has;
}

int ts_ir_verify_records(const ts_ir *ir, uint32_t form, uint32_t first, uint32_t count,
                         const char *owner, ts_error *error)
{
  uint32_t kind = ts_ir_forms[form].kind, size = ts_ir_tables[kind].record_size;
  if (!count || !has_messages(form))
    return 0;
  const uint8_t *records = (const uint8_t *)ts_ir_records(ir, kind) + (size_t)first * size;
  found wrong = first_wrong(ir, form, records, count);
  return wrong.record < count ? complain(ir, form, wrong.number,
                                         records + (size_t)wrong.record * size, wrong.record,
                                         owner, error) :
                                0;
}

int ts_ir_verify_fields(const ts_ir *ir, ts_error *error)
{
  int failed = 0;
  for (uint32_t form = 0; form < TS_IR_FORMS && !failed; form++)
    if (form != TS_IR_FORM_method && form != TS_IR_FORM_curve && form != TS_IR_FORM_point)
      failed =
        ts_ir_verify_records(ir, form, 0, ts_ir_count(ir, ts_ir_forms[form].kind), "", error);
  return failed;
}
