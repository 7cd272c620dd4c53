/* Events are pairs named NPKIT_EVENT_..._ENTRY and ..._EXIT (some generators leave the name of the
 * end out) with `ph` B and E, by `pid` (rank) and `tid` (channel), `ts` in us and bytes in
 * args.size_0 or args.size:
 *   ALL_REDUCE_RING, ALL_REDUCE_TREE_UPDOWN ...   the whole collective
 *   SEND, RECV_REDUCE_SEND, RECV_COPY_SEND ...    a step of a channel
 *   PRIM_SIMPLE_REDUCE_OR_COPY_MULTI, PRIM_LL_DATA_PROCESS ...   its own work
 *   NET_SEND, NET_RECV                            a transfer by a proxy
 * Durations against bytes are lines: the latency is a step's, the slope of the own work the
 * reduction's. */
#include "calibrate/network_npkit.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_tree.h"
#include "compiler/machine/network_table.h"
#include "runtime/collective/network.h"

typedef enum part { OTHER, WHOLE, STEP, WORK, TRANSFER } part;

typedef struct network_npkit_sample {
  double bytes, us;
} network_npkit_sample;
typedef TS_VEC(network_npkit_sample) samples;
typedef struct open_event { int64_t pid, tid; const char *name; double ts, bytes; } open_event;

typedef struct npkit_reader {
  ts_arena *arena;
  ts_error *error;
  ts_npkit *out;
  TS_VEC(open_event) open;
  TS_VEC(int64_t) ranks;
  TS_VEC(int64_t) channels;
  samples of[TRANSFER + 1];
  uint32_t events;
} npkit_reader;

static bool bad(npkit_reader *r, const char *text) { return ts_fail(r->error, NULL, "%s", text); }

static bool has_prefix(const char *text, const char *prefix)
{
  return !strncmp(text, prefix, strlen(prefix));
}

static part network_npkit_part_of(const char *name)
{
  static const char *const steps[] = {"SEND", "RECV", "COPY_SEND", "DIRECT_"};
  static const char *const wholes[] = {"ALL_REDUCE", "ALL_GATHER", "REDUCE_SCATTER", "BROADCAST",
                                       "REDUCE_RING"};
  if (has_prefix(name, "NET_SEND") || has_prefix(name, "NET_RECV"))
    return TRANSFER;
  if (has_prefix(name, "PRIM_"))
    return strstr(name, "REDUCE_OR_COPY") || strstr(name, "DATA_PROCESS") ? WORK : OTHER;
  for (size_t i = 0; i < sizeof wholes / sizeof *wholes; i++)
    if (has_prefix(name, wholes[i]))
      return WHOLE;
  for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
    if (has_prefix(name, steps[i]))
      return STEP;
  return OTHER;
}

/* What a name says of collective, algorithm and protocol. False: of another collective than
 * before. */
static bool name_tells(npkit_reader *r, const char *name)
{
  static const struct {
    const char *name;
    uint32_t kind;
  } kinds[] = {{"ALL_REDUCE", TS_IR_ALL_REDUCE},
               {"ALL_GATHER", TS_IR_ALL_GATHER},
               {"REDUCE_SCATTER", TS_IR_REDUCE_SCATTER},
               {"BROADCAST", TS_IR_BROADCAST},
               {"REDUCE_RING", TS_IR_REDUCE}};
  for (size_t i = 0; network_npkit_part_of(name) == WHOLE && i < sizeof kinds / sizeof *kinds;
       i++) {
    if (!has_prefix(name, kinds[i].name))
      continue;
    if (r->of[WHOLE].count && r->out->collective != kinds[i].kind)
      return bad(r, "events of several collectives: one at a time");
    r->out->collective = kinds[i].kind;
    r->out->algorithm = strstr(name, "TREE") ? TS_IR_NET_TREE :
                        strstr(name, "NVLS") ? TS_IR_NET_SWITCH :
                                               TS_IR_NET_RING;
    return true;
  }
  if (has_prefix(name, "PRIM_"))
    r->out->protocol = has_prefix(name, "PRIM_LL128") ? TS_IR_NET_LL128 :
                       has_prefix(name, "PRIM_LL")    ? TS_IR_NET_LL :
                                                        TS_IR_NET_SIMPLE;
  return true;
}

static bool network_npkit_number(const cJSON *in, const char *field, double min, double max,
                                 double *x)
{
  const cJSON *item = cJSON_GetObjectItemCaseSensitive(in, field);
  *x = cJSON_IsNumber(item) ? item->valuedouble : 0;
  return cJSON_IsNumber(item) && *x >= min && *x <= max;
}

#define NOTE(r, list, value)                                       \
  do {                                                             \
    size_t at_ = 0;                                                \
    while (at_ < (list)->count && (list)->at[at_] != (value)) at_++; \
    if (at_ == (list)->count) TS_PUSH((r)->arena, list, value);    \
  } while (0)

/* "NPKIT_EVENT_SEND_ENTRY" as "SEND"; NULL: not one. */
static const char *plain_name(npkit_reader *r, const cJSON *event)
{
  const cJSON *name = cJSON_GetObjectItemCaseSensitive(event, "name");
  if (!cJSON_IsString(name) || !has_prefix(name->valuestring, "NPKIT_EVENT_"))
    return NULL;
  char *text = ts_arena_string(r->arena, name->valuestring + 12, strlen(name->valuestring + 12)),
       *end;
  if ((end = strstr(text, "_ENTRY")) || (end = strstr(text, "_EXIT")))
    *end = 0;
  return text;
}

static double network_npkit_bytes_of(const cJSON *event)
{
  const cJSON *args = cJSON_GetObjectItemCaseSensitive(event, "args");
  double bytes;
  if (network_npkit_number(args, "size_0", 0, 1e15, &bytes) ||
      network_npkit_number(args, "size", 0, 1e15, &bytes))
    return bytes;
  return 0;
}

/* Closes the event of that name opened last on this rank and channel; without a name the last one.
 * */
static void end_event(npkit_reader *r, int64_t pid, int64_t tid, const char *name, double ts,
                      double bytes)
{
  for (size_t i = r->open.count; i-- > 0;) {
    open_event e = r->open.at[i];
    if (e.pid != pid || e.tid != tid || (name && strcmp(name, e.name) != 0))
      continue;
    memmove(&r->open.at[i], &r->open.at[i + 1], (r->open.count - i - 1) * sizeof e);
    r->open.count--;
    network_npkit_sample s = {fmax(bytes, e.bytes), ts - e.ts};
    if (s.us >= 0)
      TS_PUSH(r->arena, &r->of[network_npkit_part_of(e.name)], s);
    return;
  }
}

static bool one_event(npkit_reader *r, const cJSON *event)
{
  const cJSON *ph = cJSON_GetObjectItemCaseSensitive(event, "ph");
  const char *name = plain_name(r, event);
  double pid, tid, ts;
  if (!cJSON_IsString(ph) || (*ph->valuestring != 'B' && *ph->valuestring != 'E') ||
      (!name && *ph->valuestring == 'B'))
    return true; /* of other tools, or metadata */
  if (!network_npkit_number(event, "pid", 0, 1e9, &pid) ||
      !network_npkit_number(event, "tid", 0, 1e9, &tid) ||
      !network_npkit_number(event, "ts", -1e18, 1e18, &ts))
    return bad(r, ts_arena_printf(r->arena, "event %u has no `pid`, `tid` or `ts`", r->events + 1));
  r->events++;
  if (*ph->valuestring == 'E') {
    end_event(r, (int64_t)pid, (int64_t)tid, name, ts, network_npkit_bytes_of(event));
    return true;
  }
  if (!name_tells(r, name))
    return false;
  NOTE(r, &r->ranks, (int64_t)pid);
  if (network_npkit_part_of(name) == STEP)
    NOTE(r, &r->channels, (int64_t)tid);
  TS_PUSH(r->arena, &r->open,
          (open_event){(int64_t)pid, (int64_t)tid, name, ts, network_npkit_bytes_of(event)});
  return true;
}

static int by_bytes(const void *a, const void *b)
{
  const network_npkit_sample *x = a, *y = b;
  return x->bytes != y->bytes ? (x->bytes > y->bytes) - (x->bytes < y->bytes) :
                                (x->us > y->us) - (x->us < y->us);
}

/* A line through the medians of each size: waiting for others only lengthens. One size: all is
 * latency, or slope if `latency` is NULL. */
static void network_npkit_fit(samples *s, double *latency, double *slope)
{
  double n = 0, x = 0, y = 0, xx = 0, xy = 0;
  TS_SORT(s, by_bytes);
  for (size_t i = 0, k; i < s->count; i += k) {
    for (k = 1; i + k < s->count && s->at[i + k].bytes == s->at[i].bytes;)
      k++;
    double bytes = s->at[i].bytes, us = s->at[i + (k - 1) / 2].us;
    n++, x += bytes, y += us, xx += bytes * bytes, xy += bytes * us;
  }
  double d = n * xx - x * x, m = d > 1e-9 * n * xx ? fmax(0, (n * xy - x * y) / d) : 0;
  if (latency)
    *latency = n > 0 ? fmax(0, (y - m * x) / n) : 0;
  if (slope)
    *slope = m > 0 || xx == 0 ? m : xy / xx;
}

static bool conclude(npkit_reader *r)
{
  ts_npkit *out = r->out;
  if (!r->events)
    return bad(r, "no events of NPKit: names begin with NPKIT_EVENT_");
  if (!r->of[WHOLE].count)
    return bad(r, r->open.count ?
                    "the collective's event does not end: is the file truncated?" :
                    "no event of a whole collective such as NPKIT_EVENT_ALL_REDUCE_RING_ENTRY");
  if (!r->of[STEP].count)
    return bad(r,
               "no steps such as NPKIT_EVENT_RECV_REDUCE_SEND_ENTRY: NPKit was built without them");
  out->ranks = (uint32_t)r->ranks.count;
  out->channels = (uint32_t)r->channels.count;
  out->steps = (uint32_t)r->of[STEP].count;
  out->transfers = (uint32_t)r->of[TRANSFER].count;
  network_npkit_fit(&r->of[STEP], &out->intra_hop, NULL);
  out->chunk = r->of[STEP].at[r->of[STEP].count / 2].bytes; /* sorted now */
  network_npkit_fit(&r->of[TRANSFER], &out->inter_hop, NULL);
  double us_per_byte;
  network_npkit_fit(&r->of[WORK], NULL, &us_per_byte);
  out->reduction = us_per_byte * 1e6 * ts_ring_volume(out->collective, out->ranks) /
                   (out->channels ? out->channels : 1);
  return true;
}

bool ts_npkit_is(const char *text, size_t size)
{
  size_t head = size < 65536 ? size : 65536, i = 0;
  while (i < head && strchr(" \t\r\n", text[i]))
    i++;
  if (i == head || text[i] != '{')
    return false;
  for (size_t at = i; at + 12 <= head; at++)
    if (!memcmp(text + at, "NPKIT_EVENT_", 12) || !memcmp(text + at, "\"traceEvents", 12))
      return true;
  return false;
}

bool ts_npkit_read(ts_arena *arena, const char *text, size_t size, ts_npkit *out, ts_error *error)
{
  npkit_reader r = {.arena = arena, .error = error, .out = out};
  const char *end = NULL;
  *out = (ts_npkit){.protocol = TS_IR_NET_SIMPLE};
  *error = (ts_error){0};
  cJSON *root = ts_json_tree(text, size, &end);
  bool good = root != NULL;
  if (!root) {
    size_t at = end ? (size_t)(end - text) : 0;
    ts_fail_at(error, text, at, at, NULL, "not JSON, or truncated");
  }
  const cJSON *event;
  cJSON_ArrayForEach(event, cJSON_GetObjectItemCaseSensitive(root, "traceEvents"))
    good = good && one_event(&r, event);
  good = good && conclude(&r);
  cJSON_Delete(root);
  return good;
}

uint32_t ts_npkit_apply(const ts_npkit *n, ts_network_file *file)
{
  uint32_t found = 0;
  for (uint32_t i = 0; i < file->method_count; i++) {
    ts_ir_net_method *m = &file->methods[i];
    if (m->ranks || m->collective != n->collective || m->algorithm != n->algorithm ||
        m->protocol != n->protocol)
      continue;
    found++;
    if (n->channels)
      m->channels = n->channels < 4096 ? n->channels : 4096;
    if (n->chunk >= 1)
      m->chunk = n->chunk;
    if (n->intra_hop > 0 && n->intra_hop < 69e3)
      m->intra_hop = (uint64_t)llround(n->intra_hop * 1e6);
    if (n->inter_hop > 0 && n->inter_hop < 69e3)
      m->inter_hop = (uint64_t)llround(n->inter_hop * 1e6);
    if (n->reduction > 0 && n->reduction <= 1e12) {
      m->reduction = n->reduction;
      m->local = 0; /* it is in the reduction now */
    }
  }
  return found;
}
