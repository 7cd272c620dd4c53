/* Puts the traces of several ranks together. */
#include "base/escape.h"
#include "trace/match.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"

typedef struct match_call { /* of a collective or a message on one rank */
  const char *group;
  int64_t step, sequence;
  uint32_t trace, event, kind;
  int64_t start, end; /* absolute, ns */
} match_call;

typedef struct match_maker {
  ts_arena *arena, *work;
  ts_match *m;
  TS_VEC(match_call) calls, messages;
} match_maker;

static int64_t match_step_of(const ts_events *e, const ts_event *v)
{
  int64_t at = v->call != TS_EVENT_NONE ? ts_event_at(e, v->call)->start : v->start;
  for (uint32_t i = e->step_count; i-- > 0;) {
    const ts_event *step = ts_event_at(e, e->steps[i]);
    const char *number = strchr(ts_events_text(e, step->name), '#');
    if (step->start <= at && at < ts_event_end(step))
      return number ? strtoll(number + 1, NULL, 10) : (int64_t)i;
  }
  return -1;
}

/* The number of the event's stream among those that communicate, in the order of their first use.
 * */
static uint32_t stream_place(uint32_t track, uint32_t *place, uint32_t *used)
{
  if (!place[track])
    place[track] = ++*used;
  return place[track];
}

static void take_calls(match_maker *k, uint32_t trace)
{
  const ts_events *e = k->m->traces[trace];
  uint32_t *place = TS_NEW_ARRAY(k->work, uint32_t, e->tracks.count + 1), used = 0;
  for (uint32_t i = 0; i < e->device_count; i++) {
    const ts_event *v = ts_event_at(e, e->device[i]);
    if (v->kind != TS_KERNEL_COMMUNICATION)
      continue;
    const ts_event_comm *c = v->detail != TS_EVENT_NONE ? &e->comms.at[v->detail] : NULL;
    const char *name = ts_events_text(e, v->name);
    match_call a = {.trace = trace,
                    .event = e->device[i],
                    .step = match_step_of(e, v),
                    .sequence = c ? c->sequence : -1,
                    .start = e->base + v->start,
                    .end = e->base + ts_event_end(v)};
    a.kind = c && c->kind ? c->kind : ts_comm_kind_of(name, strlen(name));
    uint32_t nth = stream_place(v->track, place, &used);
    if (c && c->peer >= 0 && (a.kind == TS_COMM_SEND || a.kind == TS_COMM_RECV)) {
      bool send = a.kind == TS_COMM_SEND;
      a.group = ts_arena_printf(k->work, "%lld>%lld", (long long)(send ? e->rank : c->peer),
                                (long long)(send ? c->peer : e->rank));
      TS_PUSH(k->work, &k->messages, a);
      k->m->ranks[trace].sends += send;
      k->m->ranks[trace].receives += !send;
      continue;
    }
    if (c && (c->ranks || c->group))
      a.group =
        ts_arena_printf(k->work, "%s/%s", ts_events_text(e, c->group), ts_events_text(e, c->ranks));
    else
      a.group = ts_arena_printf(k->work, "stream %u", nth);
    k->m->ranks[trace].calls++;
    TS_PUSH(k->work, &k->calls, a);
  }
}

static int by_group_and_step(const match_call *a, const match_call *b)
{
  int order = strcmp(a->group, b->group);
  return order ? order : a->step < b->step ? -1 : a->step > b->step;
}

static int by_place(const void *x, const void *y)
{
  const match_call *a = x, *b = y;
  int order = by_group_and_step(a, b);
  if (order)
    return order;
  if (a->sequence != b->sequence)
    return a->sequence < b->sequence ? -1 : 1;
  if (a->kind != b->kind && (a->kind == TS_COMM_SEND || a->kind == TS_COMM_RECV))
    return a->kind < b->kind ? -1 : 1;
  if (a->trace != b->trace)
    return a->trace < b->trace ? -1 : 1;
  /* events of a trace are numbered in the order of the file */
  return a->event < b->event ? -1 : a->event > b->event;
}

static int by_trace(const void *x, const void *y)
{
  const match_call *a = x, *b = y;
  int order = by_group_and_step(a, b);
  if (order)
    return order;
  if (a->trace != b->trace)
    return a->trace < b->trace ? -1 : 1;
  if (a->kind != b->kind && (a->kind == TS_COMM_SEND || a->kind == TS_COMM_RECV))
    return a->kind < b->kind ? -1 : 1;
  return a->start != b->start ? (a->start < b->start ? -1 : 1) :
         a->event < b->event  ? -1 :
                                a->event > b->event;
}

/* Calls without a sequence are counted within their group and step. */
static void match_number(match_call *calls, size_t count, bool by_kind)
{
  if (count)
    qsort(calls, count, sizeof *calls, by_trace);
  int64_t nth = 0;
  for (size_t i = 0; i < count; i++) {
    bool same = i && strcmp(calls[i].group, calls[i - 1].group) == 0 &&
                calls[i].step == calls[i - 1].step && calls[i].trace == calls[i - 1].trace &&
                (!by_kind || calls[i].kind == calls[i - 1].kind);
    nth = same ? nth + 1 : 0;
    if (calls[i].sequence < 0)
      calls[i].sequence = nth;
  }
  if (count)
    qsort(calls, count, sizeof *calls, by_place);
}

static bool same_call(const match_call *a, const match_call *b)
{
  return strcmp(a->group, b->group) == 0 && a->step == b->step && a->sequence == b->sequence;
}

static void orphan(match_maker *k, const match_call *c, const char *why)
{
  k->m->ranks[c->trace].orphans++;
  TS_PUSH(k->arena, &k->m->orphans, (ts_orphan){c->trace, c->event, why});
}

/* The clock of each rank against the first trace, by the ends of what both took part in. */
static void align(match_maker *k)
{
  int64_t *difference = TS_NEW_ARRAY(k->work, int64_t, k->calls.count + 1);
  for (uint32_t t = 1; t < k->m->count; t++) {
    size_t n = 0;
    for (size_t i = 0, end; i < k->calls.count; i = end) {
      const match_call *first = NULL, *own = NULL;
      for (end = i; end < k->calls.count && same_call(&k->calls.at[end], &k->calls.at[i]); end++) {
        first = k->calls.at[end].trace == 0 ? &k->calls.at[end] : first;
        own = k->calls.at[end].trace == t ? &k->calls.at[end] : own;
      }
      if (first && own && first->kind == own->kind)
        difference[n++] = own->end - first->end;
    }
    if (!n)
      continue;
    qsort(difference, n, sizeof *difference, ts_by_i64);
    k->m->ranks[t].offset = difference[n / 2];
    k->m->ranks[t].spread = (difference[n - 1 - n / 4] - difference[n / 4]) / 2;
  }
}

static void join_collectives(match_maker *k)
{
  ts_match *m = k->m;
  for (size_t i = 0, end; i < k->calls.count; i = end) {
    int64_t last_start = INT64_MIN;
    bool agree = true;
    for (end = i; end < k->calls.count && same_call(&k->calls.at[end], &k->calls.at[i]); end++) {
      const match_call *c = &k->calls.at[end];
      int64_t start = c->start - m->ranks[c->trace].offset;
      last_start = start > last_start ? start : last_start;
      agree &= c->kind == k->calls.at[i].kind;
    }
    if (end - i < 2) {
      const ts_events *e = m->traces[k->calls.at[i].trace];
      const ts_event *v = ts_event_at(e, k->calls.at[i].event);
      if (v->detail == TS_EVENT_NONE || e->comms.at[v->detail].size != 1)
        orphan(k, &k->calls.at[i], "no other rank takes part");
      continue;
    }
    m->collectives++;
    m->disagreeing += !agree;
    for (size_t c = i; c < end; c++) {
      ts_match_rank *r = &m->ranks[k->calls.at[c].trace];
      int64_t start = k->calls.at[c].start - r->offset, stop = k->calls.at[c].end - r->offset;
      int64_t wait = last_start - start < stop - start ? last_start - start : stop - start;
      r->matched++;
      r->waiting += wait;
      r->transfer += stop - start - wait;
      if (!agree)
        orphan(k, &k->calls.at[c], "another collective on another rank");
    }
  }
}

static void join_messages(match_maker *k)
{
  for (size_t i = 0, end; i < k->messages.count; i = end) {
    uint32_t sends = 0, receives = 0;
    for (end = i; end < k->messages.count && same_call(&k->messages.at[end], &k->messages.at[i]);
         end++)
      *(k->messages.at[end].kind == TS_COMM_SEND ? &sends : &receives) += 1;
    k->m->messages += sends == 1 && receives == 1;
    for (size_t c = i; c < end && !(sends == 1 && receives == 1); c++)
      orphan(k, &k->messages.at[c],
             k->messages.at[c].kind == TS_COMM_SEND ? "no rank receives it" : "no rank sends it");
  }
}

ts_match *ts_match_new(ts_arena *arena, const ts_events *const *traces, uint32_t count)
{
  match_maker k = {.arena = arena, .work = ts_arena_new("match"), .m = TS_NEW(arena, ts_match)};
  k.m->traces = traces;
  k.m->count = count;
  k.m->ranks = TS_NEW_ARRAY(arena, ts_match_rank, count + 1);
  for (uint32_t t = 0; t < count; t++) {
    k.m->ranks[t].rank = traces[t]->rank;
    take_calls(&k, t);
  }
  match_number(k.calls.at, k.calls.count, false);
  match_number(k.messages.at, k.messages.count, true);
  align(&k);
  join_collectives(&k);
  join_messages(&k);
  ts_arena_free(k.work);
  return k.m;
}

void ts_match_text(const ts_match *m, FILE *out)
{
  enum { SHOWN = 10 };
  fprintf(out, "ranks together: %u collectives and %u messages matched\n\n", m->collectives,
          m->messages);
  ts_put_text(out, "  %6s %8s %8s %14s %12s %12s %12s\n", "rank", "calls", "matched",
              "clock off by", "ends within", "waits", "transfers");
  for (uint32_t t = 0; t < m->count; t++) {
    const ts_match_rank *r = &m->ranks[t];
    fprintf(out, "  %6" PRId64 " %8u %8u %11.1f us %9.1f us %9.3f ms %9.3f ms\n", r->rank, r->calls,
            r->matched, (double)r->offset / 1e3, (double)r->spread / 1e3, (double)r->waiting / 1e6,
            (double)r->transfer / 1e6);
  }
  if (m->disagreeing)
    fprintf(out, "\n  %u collectives are not of the same kind on all ranks\n", m->disagreeing);
  if (m->orphans.count)
    fprintf(out, "\n  without a partner: %zu\n", m->orphans.count);
  for (size_t i = 0; i < m->orphans.count && i < SHOWN; i++) {
    const ts_orphan *o = &m->orphans.at[i];
    const ts_events *e = m->traces[o->trace];
    const ts_event *v = ts_event_at(e, o->event);
    ts_put_text(out, "    rank %" PRId64 ", at %.3f ms: %.28s: %s\n", e->rank,
                (double)(v->start - ts_event_at(e, e->device[0])->start) / 1e6,
                ts_events_text(e, v->name), o->why);
  }
  if (m->orphans.count > SHOWN)
    fprintf(out, "    and %zu more\n", m->orphans.count - SHOWN);
}

static void put_rank_json(ts_json_writer *w, const ts_match_rank *r)
{
  ts_json_begin(w, NULL, '{');
  ts_json_put_signed(w, "rank", r->rank);
  ts_json_put_count(w, "calls", r->calls);
  ts_json_put_count(w, "matched", r->matched);
  ts_json_put_signed(w, "offset_ns", r->offset);
  ts_json_put_signed(w, "spread_ns", r->spread);
  ts_json_put_signed(w, "waiting_ns", r->waiting);
  ts_json_put_signed(w, "transfer_ns", r->transfer);
  ts_json_put_count(w, "orphans", r->orphans);
  ts_json_end(w, '}');
}

void ts_match_json(const ts_match *m, ts_json_writer *w, const char *key)
{
  ts_json_begin(w, key, '{');
  ts_json_put_count(w, "collectives", m->collectives);
  ts_json_put_count(w, "messages", m->messages);
  ts_json_put_count(w, "disagreeing", m->disagreeing);
  ts_json_put_count(w, "orphans", m->orphans.count);
  ts_json_begin(w, "ranks", '[');
  for (uint32_t t = 0; t < m->count; t++)
    put_rank_json(w, &m->ranks[t]);
  ts_json_end(w, ']');
  ts_json_end(w, '}');
}
