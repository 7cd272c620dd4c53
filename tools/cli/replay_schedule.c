#include "tools/cli/replay_schedule.h"

#include <inttypes.h>

#include "base/escape.h"
#include "base/json_writer.h"

ts_loggops ts_loggops_of(const ts_graph_machine *machine)
{
  return (ts_loggops){
    .l = machine->latency * 1e9, .gap = 1e9 / machine->link, .eager = UINT64_MAX};
}

typedef struct replay_schedule_played {
  const ts_goal_job *s;
  const ts_loggops_result *r;
  const ts_loggops *model;
  bool json;
} replay_schedule_played;

static void replay_schedule_put_rank(const replay_schedule_played *p, const char *which,
                                     uint32_t rank, FILE *out)
{
  const ts_loggops_rank *r = &p->r->ranks[rank];
  ts_put_text(out, "  %-14s %6u %11.3f ms %11.3f ms %11.3f ms %9" PRIu64 " %12.1f MB\n", which,
              rank, (double)r->end / 1e9, (double)r->compute / 1e9, (double)r->cpu / 1e9, r->sent,
              (double)r->bytes / 1e6);
}

static void replay_schedule_put_text(const replay_schedule_played *p, FILE *out)
{
  const ts_loggops_result *r = p->r;
  uint32_t first = 0, last = 0, most = 0;
  for (uint32_t i = 1; i < p->s->world; i++) {
    first = r->ranks[i].end < r->ranks[first].end ? i : first;
    last = r->ranks[i].end > r->ranks[last].end ? i : last;
    most = r->ranks[i].compute > r->ranks[most].compute ? i : most;
  }
  fprintf(out, "%u ranks, %u operations: a step of %.3f ms\n\n", p->s->world, p->s->count,
          (double)r->step / 1e9);
  fputs("                   rank           ends       computes  messages' cpu     sends           "
        "bytes\n",
        out);
  replay_schedule_put_rank(p, "ends first", first, out);
  replay_schedule_put_rank(p, "ends last", last, out);
  replay_schedule_put_rank(p, "computes most", most, out);
  fprintf(out, "\n  LogGOPS: L=%g o=%g g=%g G=%g O=%g ns, S=", p->model->l, p->model->o, p->model->g,
          p->model->gap, p->model->overhead);
  fprintf(out, p->model->eager == UINT64_MAX ? "any\n" : "%" PRIu64 "\n", p->model->eager);
  fprintf(out, "  %" PRIu64 " messages, %" PRIu64 " of them before their receive was posted\n",
          r->messages, r->unexpected);
}

static void replay_schedule_put_json(const replay_schedule_played *p, FILE *out)
{
  const ts_loggops_result *r = p->r;
  ts_json_writer writer = {.out = out, .spaced = true}, *w = &writer;
  ts_json_begin(w, NULL, '{');
  ts_json_put_text(w, "type", "trainspec-replay");
  ts_json_put_count(w, "format", 1);
  ts_json_put_text(w, "of", "schedule");
  ts_json_put_count(w, "ranks", p->s->world);
  ts_json_put_count(w, "operations", p->s->count);
  ts_json_put_number(w, "step_ns", "%.3f", (double)r->step / 1e3);
  ts_json_put_count(w, "messages", r->messages);
  ts_json_put_count(w, "unexpected", r->unexpected);
  ts_json_put_count(w, "held_bytes", r->held);
  ts_json_begin(w, "each", '[');
  for (uint32_t i = 0; i < p->s->world; i++) {
    ts_json_line(w, 1);
    ts_json_begin(w, NULL, '{');
    ts_json_put_count(w, "rank", i);
    ts_json_put_number(w, "end_ns", "%.3f", (double)r->ranks[i].end / 1e3);
    ts_json_put_number(w, "compute_ns", "%.3f", (double)r->ranks[i].compute / 1e3);
    ts_json_put_number(w, "message_cpu_ns", "%.3f", (double)r->ranks[i].cpu / 1e3);
    ts_json_put_count(w, "sent", r->ranks[i].sent);
    ts_json_put_count(w, "received", r->ranks[i].received);
    ts_json_put_count(w, "bytes", r->ranks[i].bytes);
    ts_json_end(w, '}');
  }
  ts_json_last_line(w, 0);
  ts_json_end(w, ']');
  ts_json_end(w, '}');
  ts_json_end_document(w);
}

static void replay_schedule_put(void *closure, FILE *out)
{
  const replay_schedule_played *p = closure;
  (p->json ? replay_schedule_put_json : replay_schedule_put_text)(p, out);
}

int ts_replay_schedule(ts_trace_task *t, const char *path, const ts_loggops *model, bool json)
{
  ts_error error = {0};
  ts_goal_job *s = ts_goal_job_read(path, &error);
  if (!s && (!error.message[0] || error.kind == TS_ERROR_UNREADABLE))
    return -1;
  if (!s)
    return ts_trace_task_refuse(t, "read the trace", path, &error);
  ts_loggops_result result;
  int status = TS_EXIT_REJECTED;
  if (ts_loggops_play(t->arena, s, model, &result, &error))
    status = ts_trace_task_write(t, replay_schedule_put,
                                 &(replay_schedule_played){s, &result, model, json});
  else
    ts_trace_task_refuse(t, "play", path, &error);
  ts_goal_job_free(s);
  return status;
}
