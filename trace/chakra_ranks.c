#include "trace/chakra_ranks.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/source.h"

typedef struct group { const char *name, *ranks; } group;

typedef struct chakra_ranks_maker {
  ts_arena *arena, *work;
  uint32_t count;
  const char *all;       /* "0,1,2": the ranks of calls without a group */
  TS_VEC(group) groups;
  const ts_events *from;
  ts_events *to;
  bool computes, timed;  /* some node of the device does; some takes time */
  ts_error *error;
} chakra_ranks_maker;

static uint32_t chakra_ranks_intern(ts_events *e, const char *text)
{
  return ts_events_string(e, text, strlen(text));
}

/* ---- Groups ---- */

static bool take_group(chakra_ranks_maker *m, const cJSON *list)
{
  const char *ranks = "";
  const cJSON *rank;
  bool good = cJSON_IsArray(list);
  cJSON_ArrayForEach(rank, list)
  {
    good = good && cJSON_IsNumber(rank) && rank->valuedouble >= 0 && rank->valuedouble < m->count &&
           rank->valuedouble == (double)rank->valueint;
    if (good)
      ranks = ts_arena_printf(m->work, "%s%s%d", ranks, *ranks ? "," : "", rank->valueint);
  }
  if (!good || !*ranks)
    return ts_fail(m->error, "groups are lists of ranks: {\"1\": [0, 1]}",
                   "group `%.60s` of the file of groups is no list of ranks of the %u",
                   list->string, m->count);
  TS_PUSH(m->work, &m->groups,
          ((group){ts_arena_string(m->work, list->string, strlen(list->string)), ranks}));
  return true;
}

static bool read_groups(chakra_ranks_maker *m, const char *text, size_t size)
{
  for (uint32_t r = 0; r < m->count; r++)
    m->all = r ? ts_arena_printf(m->work, "%s,%u", m->all, r) : "0";
  cJSON *root = text ? cJSON_ParseWithLength(text, size) : NULL;
  const cJSON *list;
  bool good = !text || cJSON_IsObject(root) ||
              ts_fail(m->error, "groups are lists of ranks: {\"1\": [0, 1]}",
                      "the file of groups is no JSON object");
  if (good && root)
    cJSON_ArrayForEach(list, root) good = good && take_group(m, list);
  cJSON_Delete(root);
  return good;
}

static const char *ranks_of(const chakra_ranks_maker *m, const char *name)
{
  for (size_t i = 0; i < m->groups.count; i++)
    if (!strcmp(m->groups.at[i].name, name))
      return m->groups.at[i].ranks;
  return *name ? NULL : m->all;
}

const char *ts_chakra_groups_name(ts_arena *arena, const char *name)
{
  size_t length = strlen(name);
  if (length < 4 || strcmp(name + length - 3, ".et") != 0)
    return NULL;
  size_t end = length - 3;
  while (end && name[end - 1] != '.' && name[end - 1] != '/') end--;
  bool numbered = end && name[end - 1] == '.';
  return numbered ? ts_arena_printf(arena, "%.*s.groups.json", (int)end - 1, name) : NULL;
}

/* ---- Order ---- */

/* Control dependencies that are nesting are none. */
static bool waits(const ts_events *e, const ts_event_edge *edge)
{
  return !(e->nested && edge->control);
}

/* In the order of the file, but nodes after what they wait for. The reader has found no cycle. */
static uint32_t *order_of(chakra_ranks_maker *m)
{
  const ts_events *e = m->from;
  ts_in_edges in = ts_events_in_edges(m->work, e);
  uint32_t *next = ts_arena_copy(m->work, in.first, (e->count + 1) * sizeof *next),
           *order = TS_NEW_ARRAY(m->work, uint32_t, e->count + 1), done = 0;
  bool *placed = TS_NEW_ARRAY(m->work, bool, e->count + 1);
  TS_VEC(uint32_t) stack = {0};
  for (uint32_t i = 0; i < e->count; i++) {
    TS_PUSH(m->work, &stack, i);
    while (stack.count) {
      uint32_t at = stack.at[stack.count - 1], end = in.first[at + 1];
      while (next[at] < end && (placed[in.edge[next[at]].from] || !waits(e, &in.edge[next[at]])))
        next[at]++;
      if (next[at] < end) {
        TS_PUSH(m->work, &stack, in.edge[next[at]++].from);
        continue;
      }
      stack.count--;
      if (!placed[at])
        order[done++] = at;
      placed[at] = true;
    }
  }
  return order;
}

/* ---- A rank ---- */

static uint32_t chakra_ranks_track_of(chakra_ranks_maker *m, const char *name, const char *kind)
{
  bool device = strcmp(kind, "host") != 0;
  uint32_t track = ts_events_track(m->to, 0, chakra_ranks_intern(m->to, name), device);
  m->to->tracks.at[track].label = chakra_ranks_intern(m->to, kind);
  return track;
}

static bool put_comm(chakra_ranks_maker *m, const ts_event *v, ts_event *out)
{
  ts_event_comm c = m->from->comms.at[v->detail];
  const char *name = ts_events_text(m->from, c.group);
  bool message = c.kind == TS_COMM_SEND || c.kind == TS_COMM_RECV;
  const char *ranks = message ? "" : ranks_of(m, name);
  if (c.kind == TS_COMM_UNKNOWN || (!message && !ranks))
    return ts_fail(m->error,
                   c.kind == TS_COMM_UNKNOWN ?
                     "collectives have a `comm_type` of et_def.proto" :
                     "put the groups beside the traces: NAME.groups.json, {\"1\": [0, 1]}",
                   "rank %" PRId64 ", node %" PRIu64 ": %s `%.40s`", m->to->rank, v->id,
                   c.kind == TS_COMM_UNKNOWN ? "an unknown collective" : "no ranks of the group",
                   c.kind == TS_COMM_UNKNOWN ? ts_events_text(m->from, v->name) : name);
  c.name = chakra_ranks_intern(m->to, ts_comm_kind_name((ts_comm_kind)c.kind));
  c.dtype = 0;
  c.group = message ? 0 : chakra_ranks_intern(m->to, name);
  c.group_label = 0;
  c.ranks = chakra_ranks_intern(m->to, ranks);
  const char *track = message ? ts_arena_printf(m->work, "%s %" PRId64,
                                                c.kind == TS_COMM_SEND ? "to" : "from", c.peer) :
                                ts_arena_printf(m->work, "group %s", name);
  out->track = chakra_ranks_track_of(m, track, "comm");
  out->duration = -1;
  out->detail = (uint32_t)m->to->comms.count;
  TS_PUSH(m->to->arena, &m->to->comms, c);
  return true;
}

static bool chakra_ranks_put_node(chakra_ranks_maker *m, uint32_t event)
{
  const ts_event *v = ts_event_at(m->from, event);
  bool comm = v->kind == TS_KERNEL_COMMUNICATION && v->class == TS_EVENT_DEVICE &&
              v->detail != TS_EVENT_NONE,
       host = v->class != TS_EVENT_DEVICE;
  ts_event *out = ts_events_add(m->to, (ts_event_class)v->class, (ts_event_kind)v->kind);
  out->id = v->id;
  out->start = m->to->count;
  out->name = chakra_ranks_intern(m->to, ts_events_text(m->from, v->name));
  out->detail = TS_EVENT_NONE;
  if (comm)
    return put_comm(m, v, out);
  const char *stream = ts_events_text(m->from, m->from->tracks.at[v->track].thread_name);
  out->track =
    host    ? chakra_ranks_track_of(m, "host", "host") :
    *stream ? chakra_ranks_track_of(m, ts_arena_printf(m->work, "stream %s", stream), "compute") :
              chakra_ranks_track_of(m, "compute", "compute");
  /* what encloses others on the host takes what they take; a mark takes no time */
  out->duration = host && (m->from->nested || v->class != TS_EVENT_OPERATOR) ? 0 : v->duration;
  ts_event_work work = host ? (ts_event_work){0} : ts_event_work_of(m->from, event);
  ts_events_put_work(m->to, m->to->count - 1, work);
  if (ts_states_work(work) && out->duration <= 0) /* 0 is not written */
    out->duration = -1;
  m->timed |= !host && (out->duration > 0 || ts_states_work(work));
  m->computes |= !host;
  return true;
}

static const ts_events *make_rank(chakra_ranks_maker *m, uint32_t rank)
{
  const ts_events *e = m->from;
  uint32_t *order = order_of(m), *place = TS_NEW_ARRAY(m->work, uint32_t, e->count + 1);
  m->to = ts_events_new(m->arena, e->file);
  m->to->format = TS_TRACE_GRAPH;
  m->to->rank = rank;
  m->to->world = m->count;
  m->to->cut = e->cut;
  ts_events_track(m->to, 0, chakra_ranks_intern(m->to, "compute"), true);
  m->to->tracks.at[0].label = chakra_ranks_intern(m->to, "compute");
  for (uint32_t i = 0; i < e->count; i++) {
    place[order[i]] = i;
    if (!chakra_ranks_put_node(m, order[i]))
      return NULL;
  }
  for (size_t i = 0; i < e->edges.count; i++)
    if (waits(e, &e->edges.at[i]))
      TS_PUSH(m->arena, &m->to->edges,
              ((ts_event_edge){place[e->edges.at[i].from], place[e->edges.at[i].to], false}));
  return m->to;
}

const ts_events **ts_chakra_ranks(ts_arena *arena, const ts_events *const *files, uint32_t count,
                                  const char *groups, size_t groups_size, ts_error *error)
{
  chakra_ranks_maker m = {
    .arena = arena, .work = ts_arena_new("Chakra ranks"), .count = count, .error = error};
  const ts_events **ranks = TS_NEW_ARRAY(arena, const ts_events *, count + 1);
  bool good = read_groups(&m, groups, groups_size);
  for (uint32_t r = 0; r < count && good; r++) {
    m.from = files[r];
    good = (ranks[r] = make_rank(&m, r)) != NULL;
  }
  if (good && m.computes && !m.timed)
    good = ts_fail(error, "write durations (`duration_micros`, or the attribute `duration_ns`) or work "
                          "(the attributes `num_ops` and `tensor_size`)",
                   "no node that computes has a duration, or states its work");
  ts_arena_free(m.work);
  return good ? ranks : NULL;
}
