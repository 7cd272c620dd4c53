#include "tools/cli/replay_graph.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/json_writer.h"
#include "compiler/replay/numbers.h"
#include "trace/chakra_ranks.h"
#include "trace/play_rank_graph.h"
#include "trace/read/goal.h"
#include "trace/summary.h"

static bool replay_graph_take_number(const char **at, double *value, double unit)
{
  static const char units[] = "KMGTPE";
  char *end;
  *value = strtod(*at, &end) * unit;
  const char *found = *end ? strchr(units, *end) : NULL;
  if (end == *at || !(*value > 0) || !isfinite(*value))
    return false;
  if (found && unit == 1) {
    for (const char *u = units; u <= found; u++) *value *= 1000;
    end++;
  }
  *at = end;
  return true;
}

bool ts_machine_read(const char *text, ts_graph_machine *m)
{
  *m = (ts_graph_machine){.latency = 0};
  double *const numbers[] = {&m->flops, &m->bandwidth, &m->link};
  for (size_t i = 0; i < 3; i++, text++)
    if (!replay_graph_take_number(&text, numbers[i], 1) || *text != (i < 2 ? ':' : *text))
      return false;
    else if (!*text)
      return i == 2;
  return text[-1] == ':' && replay_graph_take_number(&text, &m->latency, 1e-6) &&
         (!*text || strcmp(text, "us") == 0) && m->latency < 1;
}

static const ts_events **read_schedule(ts_trace_task *t, const ts_events *e, uint32_t *count)
{
  ts_error error = {0};
  *count = (uint32_t)e->world;
  if (t->paths.count > 1)
    ts_fail(&error, "give one schedule", "a schedule holds all ranks of a job");
  const ts_events **ranks = error.message[0] ? NULL : ts_goal_ranks(t->arena, e, &error);
  if (!ranks)
    ts_trace_task_refuse(t, "play", e->file, &error);
  return ranks;
}

/* "job.12.et" is of rank 12; other names are of the rank of their place. */
static uint32_t rank_of(const char *path, uint32_t place)
{
  size_t end = strlen(path);
  end -= end > 3 && strcmp(path + end - 3, ".et") == 0 ? 3 : 0;
  size_t begin = end;
  while (begin && path[begin - 1] >= '0' && path[begin - 1] <= '9') begin--;
  bool numbered = begin && begin < end && path[begin - 1] == '.';
  return numbered ? (uint32_t)strtoul(path + begin, NULL, 10) : place;
}

/* The groups are beside them. */
static const ts_events **read_chakra(ts_trace_task *t, const ts_events *first, uint32_t *count)
{
  ts_error error = {0};
  size_t size = 0;
  int missing;
  *count = (uint32_t)t->paths.count;
  const ts_events **files = TS_NEW_ARRAY(t->arena, const ts_events *, *count);
  for (uint32_t i = 0; i < *count; i++) {
    const char *path = t->paths.at[i];
    const ts_events *e = i ? ts_trace_task_read(t, path, NULL) : first;
    uint32_t rank = rank_of(path, i);
    if (!e)
      return NULL;
    if (!ts_is_chakra(e))
      ts_fail(&error, "several files are simulated together when each is the trace of a rank",
              "it is no Chakra trace");
    else if (rank >= *count || files[rank])
      ts_fail(&error, "give the traces of all ranks, job.0.et and so on, each once",
              "it is of rank %u, and there are %u files", rank, *count);
    if (error.message[0]) {
      ts_trace_task_refuse(t, "play", path, &error);
      return NULL;
    }
    files[rank] = e;
  }
  const char *groups = ts_chakra_groups_name(t->arena, t->paths.at[0]),
             *text = groups ? ts_read_file(t->arena, groups, &size, &missing) : NULL;
  const ts_events **ranks = ts_chakra_ranks(t->arena, files, *count, text, size, &error);
  if (!ranks)
    ts_trace_task_refuse(t, "play", t->paths.at[0], &error);
  return ranks;
}

const ts_events **ts_graphs_read(ts_trace_task *t, ts_events *first, uint32_t *ranks_count)
{
  if (first->format == TS_TRACE_GOAL)
    return read_schedule(t, first, ranks_count);
  if (ts_is_chakra(first))
    return read_chakra(t, first, ranks_count);
  uint32_t count = *ranks_count = (uint32_t)t->paths.count;
  const ts_events **ranks = TS_NEW_ARRAY(t->arena, const ts_events *, count);
  for (uint32_t i = 0; i < count; i++) {
    const char *path = t->paths.at[i];
    const ts_events *e = i == 0 ? first : ts_trace_task_read(t, path, NULL);
    ts_error error = {0};
    if (!e)
      return NULL;
    if (e->format != TS_TRACE_GRAPH)
      ts_fail(&error,
              "several files are simulated together when each is the execution graph of a rank",
              "it is not an execution graph");
    else if (e->rank >= count || e->world != count)
      ts_fail(&error, "give the graphs of all ranks",
              "it is rank %" PRId64 " of %" PRId64 ", and there are %u files", e->rank, e->world,
              count);
    else if (ranks[e->rank])
      ts_fail(&error, "give the graph of each rank once", "rank %" PRId64 " is in `%.60s` too",
              e->rank, ranks[e->rank]->file);
    if (error.message[0]) {
      ts_trace_task_refuse(t, "play", path, &error);
      return NULL;
    }
    ranks[e->rank] = e;
  }
  return ranks;
}

typedef struct replay_graph_played {
  ts_arena *arena;
  const ts_run *run;
  const ts_ir *ir;
  ts_busy *busy;
  uint32_t count, room;
  bool json;
  const ts_replay_notes *notes;
} replay_graph_played;

static void take_event(void *closure, const ts_span_event *span)
{
  replay_graph_played *p = closure;
  bool comm = span->node->op == TS_IR_COLLECTIVE || span->node->op == TS_IR_SEND ||
              span->node->op == TS_IR_RECV;
  if (span->stream == TS_IR_NONE || span->end <= span->start || p->count == p->room)
    return;
  p->busy[p->count++] = (ts_busy){(int64_t)(span->start / 1000), (int64_t)(span->end / 1000), comm};
}

/* Nodes of the longest program. */
static uint32_t most_nodes(const ts_ir *ir)
{
  uint32_t most = 0;
  for (uint32_t p = 0; p < ir->programs_count; p++) {
    uint32_t nodes = 0;
    for (uint32_t i = 0; i < ir->programs[p].item_count; i++)
      nodes += ir->fragments[ir->items[ir->programs[p].first_item + i].fragment].node_count;
    most = nodes > most ? nodes : most;
  }
  return most;
}

static ts_time_shares shares_of(replay_graph_played *p, const ts_class_result *class)
{
  p->count = 0;
  ts_run_timeline(p->run, class->rank, take_event, p);
  return ts_time_shares_of(p->busy, p->count);
}

static void replay_graph_put_json(replay_graph_played *p, FILE *out)
{
  const ts_result *r = ts_run_result(p->run);
  ts_json_writer writer = {.out = out, .spaced = true}, *w = &writer;
  ts_json_begin(w, NULL, '{');
  ts_json_put_text(w, "type", "trainspec-replay");
  ts_json_put_count(w, "format", 1);
  ts_json_put_text(w, "of", "graphs");
  ts_json_put_count(w, "ranks", p->ir->meta->world);
  ts_json_put_number(w, "step_ns", "%.3f", (double)r->step / 1e3);
  ts_json_put_count(w, "nodes", r->nodes);
  ts_json_begin(w, "classes", '[');
  for (uint32_t i = 0; i < r->class_count; i++) {
    const ts_class_result *c = &r->classes[i];
    ts_time_shares s = shares_of(p, c);
    ts_json_line(w, 1);
    ts_json_begin(w, NULL, '{');
    ts_json_put_count(w, "rank", c->rank);
    ts_json_put_count(w, "ranks", c->count);
    ts_json_put_signed(w, "compute_ns", s.compute);
    ts_json_put_signed(w, "communication_ns", s.comm);
    ts_json_put_signed(w, "overlap_ns", s.overlap);
    ts_json_put_signed(w, "idle_ns", (int64_t)(r->step / 1000) - s.busy);
    ts_json_end(w, '}');
  }
  ts_json_last_line(w, 0);
  ts_json_end(w, ']');
  if (p->notes)
    p->notes->json(p->notes->closure, w);
  ts_json_line(w, 1);
  ts_json_begin(w, "assumptions", '[');
  for (uint32_t i = 0; i < p->ir->remarks_count; i++)
    if (p->ir->remarks[i].kind == TS_IR_REMARK_ASSUMED)
      ts_json_put_text(w, NULL, p->ir->strings + p->ir->remarks[i].text);
  ts_json_end(w, ']');
  ts_json_last_line(w, 0);
  ts_json_end(w, '}');
  ts_json_end_document(w);
}

static void replay_graph_put_text(replay_graph_played *p, FILE *out)
{
  const ts_result *r = ts_run_result(p->run);
  ts_put_text(out,
              "%u ranks, %" PRIu64 " nodes: a step of %.3f ms\n\n  %5s %6s %14s %14s %14s %14s\n",
              p->ir->meta->world, r->nodes, (double)r->step / 1e9, "rank", "ranks", "computes",
              "communicates", "hidden", "idle");
  for (uint32_t i = 0; i < r->class_count; i++) {
    const ts_class_result *c = &r->classes[i];
    ts_time_shares s = shares_of(p, c);
    int64_t idle = (int64_t)(r->step / 1000) - s.busy;
    fprintf(out, "  %5u %6u %11.3f ms %11.3f ms %11.3f ms %11.3f ms\n", c->rank, c->count,
            (double)s.compute / 1e6, (double)s.comm / 1e6, (double)s.overlap / 1e6,
            (double)idle / 1e6);
  }
  if (p->notes)
    p->notes->text(p->notes->closure, r->step, out);
  for (uint32_t i = 0; i < p->ir->remarks_count; i++)
    if (p->ir->remarks[i].kind == TS_IR_REMARK_ASSUMED)
      ts_put_text(out, "  assumed: %s\n", p->ir->strings + p->ir->remarks[i].text);
}

static void replay_graph_put(void *closure, FILE *out)
{
  replay_graph_played *p = closure;
  (p->json ? replay_graph_put_json : replay_graph_put_text)(p, out);
}

int ts_replay_made(ts_trace_task *t, const ts_ir *ir, const char *file, bool json,
                   const ts_replay_notes *notes)
{
  int status;
  ts_run *run = ts_trace_task_play(t, ir, file, &status);
  if (!run)
    return status;
  replay_graph_played p = {.arena = t->arena, .run = run, .ir = ir, .json = json, .notes = notes};
  p.room = most_nodes(ir);
  p.busy = TS_NEW_ARRAY(t->arena, ts_busy, p.room + 1);
  status = ts_trace_task_write(t, replay_graph_put, &p);
  ts_run_free(run);
  return status;
}

/* Is there anything that the graphs give no time for? */
static bool needs_machine(const ts_events *const *ranks, uint32_t count)
{
  for (uint32_t r = 0; r < count; r++)
    for (uint32_t i = 0; i < ranks[r]->count; i++) {
      const ts_event *v = ts_event_at(ranks[r], i);
      if (v->class == TS_EVENT_DEVICE && (v->duration < 0 || v->kind == TS_KERNEL_COMMUNICATION))
        return true;
    }
  return false;
}

static bool no_machine(ts_trace_task *t, const char *path, int *status)
{
  ts_error error = {0};
  ts_fail(&error, "name the plan of a machine, `--plan PLAN`, or give one as numbers, "
                  "`--machine FLOPS:BANDWIDTH:LINK:LATENCY`",
          "it does not say how long its work and its communication take");
  *status = ts_trace_task_refuse(t, "play", path, &error);
  return false;
}

static bool no_plan(ts_trace_task *t, const char *path, int *status)
{
  ts_error error = {0};
  ts_fail(&error, "an IR has a job of its own: `tsrun` simulates it", "it is an IR, not a plan");
  *status = ts_trace_task_refuse(t, "play on", path, &error);
  return false;
}

bool ts_graphs_compile(ts_trace_task *t, const ts_events *const *ranks, uint32_t count,
                       const ts_replay_place *place, ts_input *input, int *status)
{
  ts_compile_options options = place->options;
  options.ranks = ranks;
  options.rank_count = count;
  options.plan_name = NULL;
  if (!place->plan && !place->machine && needs_machine(ranks, count))
    return no_machine(t, ranks[0]->file, status);
  ts_session *s = ts_session_new(t->arena);
  static const ts_graph_machine any = {1e12, 1e12, 1e12, 0}; /* nothing rests on it */
  const ts_graph_machine *numbers = place->machine ? place->machine : &any;
  uint32_t devices = place->devices ? place->devices : count;
  const char *text = place->plan ? NULL : ts_plan_of_numbers(t->arena, numbers, devices);
  bool good = text ? ts_input_compile(s, "replay.ts", text, strlen(text), &options, input) :
                     ts_input_open(s, place->plan, &options, input);
  int rejected = ts_options_report(&t->options, s->diags);
  *status = good ? TS_EXIT_DONE : rejected;
  if (good && input->kind != TS_INPUT_PLAN) {
    ts_input_close(input);
    return no_plan(t, place->plan, status);
  }
  return good;
}

int ts_replay_graphs(ts_trace_task *t, ts_events *first, const ts_replay_place *place, bool json)
{
  uint32_t count;
  int status;
  ts_input input = {0};
  const ts_events **ranks = ts_graphs_read(t, first, &count);
  if (!ranks)
    return TS_EXIT_REJECTED;
  if (!ts_graphs_compile(t, ranks, count, place, &input, &status))
    return status;
  status = ts_replay_made(t, &input.ir, ranks[0]->file, json, NULL);
  ts_input_close(&input);
  return status;
}
