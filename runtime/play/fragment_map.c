#include "runtime/play/fragment_map.h"

/* Times of any length are added, however many. */
static int64_t limited(int64_t time) { return time < TS_AFTER_ALL ? time : TS_AFTER_ALL; }

static const ts_ir_node *nodes_of(const ts_fragment_play *f)
{
  return f->ir->nodes + f->fragment->first_node;
}

static int64_t after_deps(const ts_fragment_play *f, const ts_ir_node *n, int64_t time)
{
  for (uint32_t d = 0; d < n->dep_count && !ts_node_chooses(n); d++)
    time = ts_later(time, f->end[f->ir->deps[n->first_dep + d]]);
  return time;
}

int64_t ts_fragment_ready(const ts_fragment_play *f, const ts_ir_node *n)
{
  int64_t from =
    ts_node_from(n->op == TS_IR_SEND, f->clock[n->stream], f->clock[f->clocks.posted + n->stream]);
  return ts_node_ready(after_deps(f, n, from), f->clock[f->clocks.host]);
}

static void issue(ts_fragment_play *f, const ts_ir_node *n)
{
  int64_t *host = &f->clock[f->clocks.host];
  uint64_t before = ts_host_spends_before(n);
  *host = limited(*host + (int64_t)before);
  if (ts_host_waits(n))
    *host = after_deps(f, n, *host);
  *host = limited(*host + (int64_t)(n->host_ps - before));
}

/* Returns when its stream is free. */
static int64_t fragment_map_send(ts_fragment_play *f, const ts_ir_node *n, int64_t ready)
{
  static const ts_transit nothing = {.lane = TS_IR_NONE};
  const ts_transit *m = f->transits ? &f->transits[f->routes[n->arg].call] : &nothing;
  ts_sending s = ts_send(m, f->clock[n->stream], ready, false);
  f->clock[f->clocks.posted + n->stream] = s.posted;
  f->out[n->arg] =
    ts_send_arrival(m, f->queue_times, f->clock + f->clocks.queues, s.posted, s.free);
  return s.free;
}

void ts_fragment_step(ts_fragment_play *f, uint32_t node)
{
  const ts_ir_node *n = &nodes_of(f)[node];
  issue(f, n);
  if (ts_is_host(n)) {
    f->end[node] = f->clock[f->clocks.host];
    return;
  }
  int64_t ready = ts_fragment_ready(f, n), end;
  if (n->op == TS_IR_SEND) {
    end = fragment_map_send(f, n, ready);
  } else {
    end = ts_node_end(ready, n->op == TS_IR_RECV ? f->in[n->arg] : ready,
                      (int64_t)(n->op == TS_IR_COMPUTE    ? f->kernels[n->arg] :
                                n->op == TS_IR_COLLECTIVE ? f->calls[n->arg] :
                                                            0));
    f->clock[f->clocks.posted + n->stream] = limited(end);
  }
  f->end[node] = f->clock[n->stream] = limited(end);
}

static int64_t end_of_work(const ts_fragment_play *f)
{
  int64_t end = TS_BEFORE_ALL;
  for (uint32_t i = 0; i < f->fragment->node_count; i++)
    if (ts_node_is_work(&nodes_of(f)[i]))
      end = ts_later(end, f->end[i]);
  return end;
}

void ts_fragment_map(ts_fragment_play *f, const uint32_t *ins, uint32_t in_count,
                     const uint32_t *outs, uint32_t out_count, int64_t *value)
{
  uint32_t clocks = f->clocks.count;
  for (uint32_t c = 0; c < in_count; c++) {
    for (uint32_t k = 0; k < clocks; k++)
      f->clock[k] = TS_BEFORE_ALL;
    for (uint32_t k = 0; k < f->fragment->port_count; k++)
      f->in[k] = f->out[k] = TS_BEFORE_ALL;
    *(ins[c] < clocks ? &f->clock[ins[c]] : &f->in[ins[c] - clocks]) = 0;
    for (uint32_t i = 0; i < f->fragment->node_count; i++)
      ts_fragment_step(f, i);
    for (uint32_t j = 0; j < out_count; j++, value++)
      *value = outs[j] == TS_IR_NONE ? end_of_work(f) :
               outs[j] < clocks      ? f->clock[outs[j]] :
                                       f->out[outs[j] - clocks];
  }
}
