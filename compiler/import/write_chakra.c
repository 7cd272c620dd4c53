/* Chakra protobuf, written record by record. Field numbers are those of et_def.proto (mlcommons/chakra). */
#include <stdlib.h>
#include <string.h>

#include "compiler/import/export.h"

typedef struct bytes { ts_arena *arena; TS_VEC(uint8_t) out; } bytes;

enum { INT32 = 7, INT64 = 9, BOOL = 27, STRING = 29 }; /* members of AttributeProto.value */

static void put_varint(bytes *b, uint64_t value)
{
  for (; value >= 0x80; value >>= 7) TS_PUSH(b->arena, &b->out, (uint8_t)(value | 0x80));
  TS_PUSH(b->arena, &b->out, (uint8_t)value);
}

static void put_raw(bytes *b, const void *at, size_t size)
{
  for (size_t i = 0; i < size; i++) TS_PUSH(b->arena, &b->out, ((const uint8_t *)at)[i]);
}

static void put_number(bytes *b, uint32_t field, uint64_t value)
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

static void put_attribute(bytes *b, uint32_t in_field, const char *name, uint32_t type, int64_t value, const char *text)
{
  bytes a = {.arena = b->arena};
  put_block(&a, 1, name, strlen(name));
  if (type == STRING)
    put_block(&a, type, text, strlen(text));
  else
    put_number(&a, type, (uint64_t)value);
  put_block(b, in_field, a.out.at, a.out.count);
}

static void put_record(const bytes *b, FILE *out)
{
  bytes head = {.arena = b->arena};
  put_varint(&head, b->out.count);
  fwrite(head.out.at, 1, head.out.count, out);
  fwrite(b->out.at, 1, b->out.count, out);
}

/* CollectiveCommType; gathers and scatters of one root as they are. */
static int64_t collective_number(ts_comm_kind kind)
{
  static const int8_t numbers[TS_COMM_KINDS] = {[TS_COMM_ALL_REDUCE] = 0, [TS_COMM_REDUCE] = 1, [TS_COMM_ALL_GATHER] = 2, [TS_COMM_GATHER] = 3, [TS_COMM_SCATTER] = 4,
    [TS_COMM_BROADCAST] = 5, [TS_COMM_ALL_TO_ALL] = 6, [TS_COMM_REDUCE_SCATTER] = 7, [TS_COMM_BARRIER] = 9, [TS_COMM_SEND_RECV] = 6};
  return numbers[kind];
}

static void put_comm(bytes *b, const ts_events *e, const ts_event_comm *c)
{
  bool send = c->kind == TS_COMM_SEND, recv = c->kind == TS_COMM_RECV;
  if (!send && !recv)
    put_attribute(b, 10, "comm_type", INT64, collective_number((ts_comm_kind)c->kind), NULL);
  if (c->bytes >= 0)
    put_attribute(b, 10, "comm_size", INT64, c->bytes, NULL);
  if ((send || recv) && e->rank >= 0) {
    put_attribute(b, 10, "comm_src", INT32, send ? e->rank : c->peer, NULL);
    put_attribute(b, 10, "comm_dst", INT32, send ? c->peer : e->rank, NULL);
    put_attribute(b, 10, "comm_tag", INT32, c->tag, NULL);
  }
  if (c->group)
    put_attribute(b, 10, "pg_name", STRING, 0, ts_events_text(e, c->group));
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

static void put_node(const ts_events *e, uint32_t i, const uint32_t *first, const ts_edge *const *sorted, ts_arena *work, FILE *out)
{
  const ts_event *v = ts_event_at(e, i);
  bytes b = {.arena = work}, deps[2] = {{.arena = work}, {.arena = work}};
  const char *name = ts_events_text(e, v->name);
  uint32_t type = type_of(e, v);
  if (v->id)
    put_number(&b, 1, v->id);
  put_block(&b, 2, name, strlen(name));
  put_number(&b, 3, type);
  for (uint32_t k = first[i]; k < first[i + 1]; k++) put_varint(&deps[!sorted[k]->control], ts_event_at(e, sorted[k]->from)->id);
  for (uint32_t d = 0; d < 2; d++)
    if (deps[d].out.count)
      put_block(&b, 4 + d, deps[d].out.at, deps[d].out.count);
  if (e->timed && v->start > 0)
    put_number(&b, 6, (uint64_t)v->start / 1000);
  if (v->duration > 0)
    put_number(&b, 7, ((uint64_t)v->duration + 999) / 1000);
  put_attribute(&b, 10, "is_cpu_op", BOOL, v->class != TS_EVENT_DEVICE, NULL);
  if (v->duration >= 0)
    put_attribute(&b, 10, "duration_ns", INT64, v->duration, NULL);
  if (v->class == TS_EVENT_DEVICE)
    put_attribute(&b, 10, "stream", INT64, e->tracks.at[v->track].thread, NULL);
  if (type >= 5 && v->detail != TS_EVENT_NONE)
    put_comm(&b, e, &e->comms.at[v->detail]);
  put_record(&b, out);
}

void ts_chakra_write(const ts_events *e, FILE *out)
{
  ts_arena *work = ts_arena_new("chakra");
  uint32_t *first = TS_NEW_ARRAY(work, uint32_t, e->count + 2), *at;
  const ts_edge **sorted = TS_NEW_ARRAY(work, const ts_edge *, e->edges.count + 1);
  for (size_t i = 0; i < e->edges.count; i++) first[e->edges.at[i].to + 1]++;
  for (uint32_t i = 0; i < e->count; i++) first[i + 1] += first[i];
  at = ts_arena_copy(work, first, sizeof *first * (e->count + 1));
  for (size_t i = 0; i < e->edges.count; i++) sorted[at[e->edges.at[i].to]++] = &e->edges.at[i];
  bytes b = {.arena = work};
  put_block(&b, 1, "0.0.4", 5);
  put_record(&b, out);
  for (uint32_t i = 0; i < e->count; i++) {
    ts_arena *node = ts_arena_new("node");
    put_node(e, i, first, sorted, node, out);
    ts_arena_free(node);
  }
  ts_arena_free(work);
}

void ts_chakra_write_groups(const ts_events *const *ranks, uint32_t count, FILE *out)
{
  bool any = false;
  fputc('{', out);
  for (uint32_t r = 0; r < count; r++)
    for (size_t i = 0; i < ranks[r]->comms.count; i++) {
      const ts_event_comm *c = &ranks[r]->comms.at[i];
      const char *members = ts_events_text(ranks[r], c->ranks);
      bool known = !c->group || !*members || strtoll(members, NULL, 10) != ranks[r]->rank; /* its lowest rank writes a group */
      for (size_t k = 0; k < i && !known; k++) known = ranks[r]->comms.at[k].group == c->group;
      if (!known) {
        fprintf(out, "%s\n  \"%s\": [%s]", any ? "," : "", ts_events_text(ranks[r], c->group), members);
        any = true;
      }
    }
  fputs(any ? "\n}\n" : "}\n", out);
}
