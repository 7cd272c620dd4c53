/* Chakra protobuf, written record by record. Field numbers are those of et_def.proto
 * (mlcommons/chakra). */
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/order.h"
#include "trace/write/export_form.h"

typedef struct bytes { ts_arena *arena; TS_VEC(uint8_t) out; } bytes;
/* buffers that are used again and again */
typedef struct records {
  bytes node, attribute, head, deps[2], list;
  size_t use; /* of memory, that comes next */
} records;

/* members of AttributeProto.value */
enum { INT32 = 7, INT64 = 9, UINT64 = 13, BOOL = 27, STRING = 29, STRINGS = 30 };

static void put_varint(bytes *b, uint64_t value)
{
  for (; value >= 0x80; value >>= 7) TS_PUSH(b->arena, &b->out, (uint8_t)(value | 0x80));
  TS_PUSH(b->arena, &b->out, (uint8_t)value);
}

static void put_raw(bytes *b, const void *at, size_t size)
{
  for (size_t i = 0; i < size; i++) TS_PUSH(b->arena, &b->out, ((const uint8_t *)at)[i]);
}

static void chakra_put_number(bytes *b, uint32_t field, uint64_t value)
{
  put_varint(b, (uint64_t)field << 3);
  put_varint(b, value);
}

static void put_block(bytes *b, uint32_t field, const void *at, size_t size)
{
  put_varint(b, (uint64_t)field << 3 | 2);
  put_varint(b, size);
  put_raw(b, at, size);
}

static void put_attribute(records *r, const char *name, uint32_t type, int64_t value,
                          const char *text)
{
  bytes *a = &r->attribute;
  a->out.count = 0;
  put_block(a, 1, name, strlen(name));
  if (type == STRING)
    put_block(a, type, text, strlen(text));
  else
    chakra_put_number(a, type, (uint64_t)value);
  put_block(&r->node, 10, a->out.at, a->out.count);
}

static void put_record(records *r, const bytes *b, FILE *out)
{
  r->head.out.count = 0;
  put_varint(&r->head, b->out.count);
  fwrite(r->head.out.at, 1, r->head.out.count, out);
  fwrite(b->out.at, 1, b->out.count, out);
}

static records *records_of(ts_form_writer *w)
{
  if (!w->state) {
    records *r = TS_NEW(w->work, records);
    r->node.arena = r->attribute.arena = r->head.arena = r->deps[0].arena = r->deps[1].arena =
      r->list.arena = w->work;
    w->state = r;
  }
  return w->state;
}

/* CollectiveCommType; gathers and scatters of one root as they are. */
static int64_t collective_number(ts_comm_kind kind)
{
  static const int8_t numbers[TS_COMM_KINDS] = {
    [TS_COMM_ALL_REDUCE] = 0, [TS_COMM_REDUCE] = 1,         [TS_COMM_ALL_GATHER] = 2,
    [TS_COMM_GATHER] = 3,     [TS_COMM_SCATTER] = 4,        [TS_COMM_BROADCAST] = 5,
    [TS_COMM_ALL_TO_ALL] = 6, [TS_COMM_REDUCE_SCATTER] = 7, [TS_COMM_BARRIER] = 9,
    [TS_COMM_SEND_RECV] = 6};
  return numbers[kind];
}

static void put_comm(records *r, const ts_events *e, const ts_event_comm *c)
{
  bool send = c->kind == TS_COMM_SEND, recv = c->kind == TS_COMM_RECV;
  if (!send && !recv)
    put_attribute(r, "comm_type", INT64, collective_number((ts_comm_kind)c->kind), NULL);
  bool gathers = c->kind == TS_COMM_ALL_GATHER && c->size > 1;
  if (c->bytes >= 0)
    put_attribute(r, "comm_size", INT64,
                  gathers ? (c->bytes + c->size - 1) / c->size : c->bytes, NULL);
  if (gathers && c->bytes >= 0)
    put_attribute(r, "comm_whole", INT64, c->bytes, NULL);
  if ((send || recv) && e->rank >= 0) {
    put_attribute(r, "comm_src", INT32, send ? e->rank : c->peer, NULL);
    put_attribute(r, "comm_dst", INT32, send ? c->peer : e->rank, NULL);
    put_attribute(r, "comm_tag", INT32, c->tag, NULL);
  }
  if (c->group)
    put_attribute(r, "pg_name", STRING, 0, ts_events_text(e, c->group));
}

/* "inputs" or "outputs": names and bytes in turn, as ASTRA-sim's tracker of memory takes them. What
 * a node allocates it writes, what it frees it reads, for the last time. */
static void put_uses(records *r, const ts_events *e, uint32_t event, bool writes)
{
  r->list.out.count = 0;
  for (size_t i = r->use; i < e->uses.count && e->uses.at[i].event == event; i++) {
    const ts_event_use *u = &e->uses.at[i];
    char text[2][24];
    if (u->writes != writes)
      continue;
    snprintf(text[0], sizeof text[0], "m%u", u->tensor);
    snprintf(text[1], sizeof text[1], "%lld", (long long)u->bytes);
    for (int t = 0; t < 2; t++) put_block(&r->list, 1, text[t], strlen(text[t]));
  }
  bytes *a = &r->attribute;
  const char *name = writes ? "outputs" : "inputs";
  a->out.count = 0;
  put_block(a, 1, name, strlen(name));
  put_block(a, STRINGS, r->list.out.at, r->list.out.count);
  put_block(&r->node, 10, a->out.at, a->out.count);
}

static void chakra_put_memory(records *r, const ts_events *e, uint32_t event)
{
  if (!e->uses.count)
    return;
  /* the first of the node */
  size_t at;
  TS_SEARCH(at, 0, e->uses.count, e->uses.at[at].event < event);
  r->use = at;
  put_uses(r, e, event, false);
  put_uses(r, e, event, true);
}

/* FLOP and bytes, as ASTRA-sim's roofline takes them: a node without FLOP takes it no time, so one
 * is the least. */
static void put_work(records *r, ts_event_work work)
{
  if (!(work.bytes > 0 && work.bytes < 0x1p63 && work.flops < 0x1p63))
    return;
  put_attribute(r, "num_ops", INT64, work.flops > 1 ? (int64_t)work.flops : 1, NULL);
  put_attribute(r, "tensor_size", UINT64, (int64_t)work.bytes, NULL);
}

static uint32_t type_of(const ts_events *e, const ts_event *v)
{
  if (v->class == TS_EVENT_MARK)
    return 1;
  if (v->kind != TS_KERNEL_COMMUNICATION && v->kind != TS_OPERATOR_COMMUNICATION)
    return 4;
  uint32_t kind = v->detail != TS_EVENT_NONE ? e->comms.at[v->detail].kind : 0;
  return kind == TS_COMM_SEND ? 5 : kind == TS_COMM_RECV ? 6 : 7;
}

static bool chakra_put_node(ts_form_writer *w, uint32_t i)
{
  const ts_events *e = w->e;
  const ts_event *v = ts_event_at(e, i);
  records *r = records_of(w);
  const char *name = ts_events_text(e, v->name);
  uint32_t type = type_of(e, v);
  r->node.out.count = r->deps[0].out.count = r->deps[1].out.count = 0;
  if (v->id)
    chakra_put_number(&r->node, 1, v->id);
  put_block(&r->node, 2, name, strlen(name));
  chakra_put_number(&r->node, 3, type);
  for (uint32_t k = w->in.first[i]; k < w->in.first[i + 1]; k++)
    put_varint(&r->deps[!w->in.edge[k].control], ts_event_at(e, w->in.edge[k].from)->id);
  for (uint32_t d = 0; d < 2; d++)
    if (r->deps[d].out.count)
      put_block(&r->node, 4 + d, r->deps[d].out.at, r->deps[d].out.count);
  if (e->timed && v->start > 0)
    chakra_put_number(&r->node, 6, (uint64_t)v->start / 1000);
  if (v->duration > 0)
    chakra_put_number(&r->node, 7, ((uint64_t)v->duration + 999) / 1000);
  put_attribute(r, "is_cpu_op", BOOL, v->class != TS_EVENT_DEVICE, NULL);
  if (v->duration >= 0)
    put_attribute(r, "duration_ns", INT64, v->duration, NULL);
  if (v->class == TS_EVENT_DEVICE)
    put_attribute(r, "stream", INT64, e->tracks.at[v->track].thread, NULL);
  if (type >= 5 && v->detail != TS_EVENT_NONE)
    put_comm(r, e, &e->comms.at[v->detail]);
  if (type == 4)
    put_work(r, ts_event_work_of(e, i));
  chakra_put_memory(r, e, i);
  put_record(r, &r->node, w->out);
  return true;
}

static void put_metadata(ts_form_writer *w)
{
  records *r = records_of(w);
  r->node.out.count = 0;
  put_block(&r->node, 1, "0.0.4", 5);
  put_record(r, &r->node, w->out);
}

const ts_form ts_form_chakra = {.head = put_metadata, .node = chakra_put_node};

/* Is the rank the first of its group: at the origin of all its axes, or of a list? */
static bool leads(const ts_ir *ir, uint32_t rank, uint32_t group)
{
  const ts_ir_group *g = &ir->groups[group];
  bool first = !g->size;
  for (uint32_t i = 0; i < g->rank_count; i += g->size)
    first |= ir->group_ranks[g->first_rank + i] == rank;
  for (uint32_t a = 0; a < ir->axes_count; a++)
    first &=
      !(ir->groups[group].axes >> a & 1) || rank / ir->axes[a].stride % ir->axes[a].size == 0;
  return first;
}

void ts_chakra_write_groups(const ts_ir *ir, FILE *out)
{
  ts_arena *work = ts_arena_new("groups");
  bool *used = TS_NEW_ARRAY(work, bool, ir->groups_count + 1), any = false;
  for (uint32_t i = 0; i < ir->collectives_count; i++) used[ir->collectives[i].group] = true;
  fputc('{', out);
  for (uint32_t g = 0; g < ir->groups_count; g++)
    for (uint32_t r = 0; r < ir->meta->world && used[g]; r++) {
      if (!leads(ir, r, g))
        continue;
      ts_ir_group_members m = ts_ir_members(work, ir, g, r);
      ts_put_json(out, "%s\n  \"%llu\": [%s]", any ? "," : "", (unsigned long long)m.number,
                  m.ranks);
      any = true;
    }
  fputs(any ? "\n}\n" : "}\n", out);
  ts_arena_free(work);
}
