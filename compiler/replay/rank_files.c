#include "compiler/replay/rank_files.h"

#include <inttypes.h>
#include <string.h>

#include "base/digest.h"
#include "compiler/eval/files.h"
#include "compiler/model/traced_graph.h"
#include "trace/chakra_ranks.h"
#include "trace/play_rank_graph.h"
#include "trace/read/goal.h"

static bool rank_files_wrong(ts_session *s, const ts_applied *model, const ts_error *error,
                             const char *name)
{
  ts_diag *d = ts_diag_add(s->diags, TS_E0525, model->span, "cannot play `%s`: %s", name,
                           error->message);
  if (error->line)
    ts_diag_fact(d, "where", "line %u, byte %" PRIu64 " of the text", error->line, error->begin);
  if (error->help[0])
    ts_diag_help(d, "%s", error->help);
  return false;
}

static const ts_events *read_file(ts_session *s, const ts_applied *model, const char *name)
{
  ts_found found;
  ts_error error = {0};
  const char *path = ts_session_locate(s, model->span.file, name, model->span, &found);
  if (!path)
    return NULL;
  ts_dependency dependency = {.path = found.path, .name = found.name, .role = "trace"};
  ts_digest_file(path, dependency.sha256);
  ts_session_depends(s, dependency);
  const ts_events *e = ts_events_read(s->arena, path, NULL, &error);
  if (e && !ts_is_rank_graph(e) && !ts_is_chakra(e) && !e->workload)
    ts_fail(&error, "trainspec-trace writes execution graphs; recordings of one rank are played by "
                    "`trainspec replay`",
            "its format is %s, not the graph of a rank", ts_trace_format_name(e->format));
  if (!error.message[0])
    return e;
  rank_files_wrong(s, model, &error, name);
  return NULL;
}

static bool read_ranks(ts_session *s, const ts_applied *model, const ts_events *first,
                       ts_rank_files *out)
{
  uint32_t count = out->count = (uint32_t)first->world;
  const ts_events **ranks = TS_NEW_ARRAY(s->arena, const ts_events *, count + 1);
  ts_error error = {0};
  if (count > s->limits.ranks)
    ts_fail(&error, "play a smaller job", "it is of %u ranks; at most %u are played", count,
            (uint32_t)s->limits.ranks);
  else if (count > 1 && !strstr(out->name, ts_graph_rank_place))
    ts_fail(&error, "write {rank} for its number: graph(\"job.{rank}.json\")",
            "it is the graph of one rank of %u", count);
  if (error.message[0])
    return rank_files_wrong(s, model, &error, out->name);
  ranks[0] = first;
  for (uint32_t r = 1; r < count; r++)
    if (!(ranks[r] = read_file(s, model, ts_graph_file_of_rank(s->arena, out->name, r))))
      return false;
  out->ranks = ranks;
  return true;
}

/* Traces of Chakra say nothing of how many there are: as many as files that follow. */
static bool read_chakra(ts_session *s, const ts_applied *model, const ts_events *first,
                        ts_rank_files *out)
{
  TS_VEC(const ts_events *) files = {0};
  ts_error error = {0};
  ts_found found;
  size_t size = 0;
  TS_PUSH(s->arena, &files, first);
  while (strstr(out->name, ts_graph_rank_place) && files.count < s->limits.ranks) {
    const char *name = ts_graph_file_of_rank(s->arena, out->name, (uint32_t)files.count);
    if (!ts_session_resolve(s, model->span.file, name, &found))
      break;
    const ts_events *e = read_file(s, model, name);
    if (!e)
      return false;
    TS_PUSH(s->arena, &files, e);
  }
  const char *rank = ts_graph_file_of_rank(s->arena, out->name, 0),
             *groups = ts_chakra_groups_name(s->arena, rank), *text = NULL;
  if (groups && ts_session_resolve(s, model->span.file, groups, &found) &&
      !(text = ts_session_read(s, model->span.file, groups, "trace", model->span, &size, &found)))
    return false;
  out->count = (uint32_t)files.count;
  out->ranks = ts_chakra_ranks(s->arena, files.at, out->count, text, size, &error);
  return out->ranks || rank_files_wrong(s, model, &error, out->name);
}

bool ts_rank_files_read(ts_session *s, const ts_applied *model, ts_rank_files *out)
{
  const ts_value *file = ts_record_find(&model->args, "file");
  ts_error error = {0};
  out->name = file->u.string;
  const ts_events *first = read_file(s, model, ts_graph_file_of_rank(s->arena, out->name, 0));
  if (!first)
    return false;
  if (ts_is_chakra(first))
    return read_chakra(s, model, first, out);
  if (first->workload) { /* of all ranks: how many, its mesh says */
    out->ranks = ts_arena_copy(s->arena, &first, sizeof(const ts_events *));
    out->count = 1;
    return true;
  }
  if (first->format != TS_TRACE_GOAL)
    return read_ranks(s, model, first, out);
  out->count = (uint32_t)first->world;
  out->ranks = ts_goal_ranks(s->arena, first, &error);
  return out->ranks || rank_files_wrong(s, model, &error, out->name);
}
