/* What of packets needs no simulator: whether a job can be played, and how many packets it is. */
#include "runtime/collective/packet.h"

#include <math.h>
#include <pthread.h>
#include <stddef.h>

#include "ir/packets.h"

#ifdef TS_HAVE_NS3
#include "runtime/collective/packet_ns3.h"

bool ts_packet_available(void) { return true; }

/* ns-3 has one simulator in a process. */
static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

static ts_packet_status play(const ts_packet_job *job, uint64_t *end, ts_packet_use *use)
{
  pthread_mutex_lock(&one_at_a_time);
  ts_packet_status status = ts_packet_ns3_play(job, end, use);
  pthread_mutex_unlock(&one_at_a_time);
  return status;
}

ts_packet_net *ts_packet_net_new(const ts_packet_job *job)
{
  pthread_mutex_lock(&one_at_a_time);
  return ts_packet_ns3_new(job);
}

void ts_packet_net_free(ts_packet_net *net)
{
  if (!net)
    return;
  ts_packet_ns3_free(net);
  pthread_mutex_unlock(&one_at_a_time);
}

void ts_packet_net_start(ts_packet_net *net, const ts_packet_flow *flows, uint32_t count,
                         uint32_t call)
{
  ts_packet_ns3_start(net, flows, count, call);
}

ts_packet_status ts_packet_net_play(ts_packet_net *net, uint64_t until)
{
  return ts_packet_ns3_play_on(net, until);
}

uint64_t ts_packet_net_now(const ts_packet_net *net) { return ts_packet_ns3_now(net); }

bool ts_packet_net_ended(ts_packet_net *net, uint32_t *call)
{
  return ts_packet_ns3_ended(net, call);
}

void ts_packet_net_uses(const ts_packet_net *net, ts_packet_use *use)
{
  ts_packet_ns3_uses(net, use);
}
#else
bool ts_packet_available(void) { return false; }

static ts_packet_status play(const ts_packet_job *job, uint64_t *end, ts_packet_use *use)
{
  (void)job;
  (void)end;
  (void)use;
  return TS_PACKET_MISSING;
}

/* Nobody has a net. */
ts_packet_net *ts_packet_net_new(const ts_packet_job *job) { return (void)job, NULL; }
void ts_packet_net_free(ts_packet_net *net) { (void)net; }
void ts_packet_net_start(ts_packet_net *net, const ts_packet_flow *flows, uint32_t count,
                         uint32_t call)
{
  (void)net, (void)flows, (void)count, (void)call;
}
ts_packet_status ts_packet_net_play(ts_packet_net *net, uint64_t until)
{
  return (void)net, (void)until, TS_PACKET_MISSING;
}
uint64_t ts_packet_net_now(const ts_packet_net *net) { return (void)net, 0; }
bool ts_packet_net_ended(ts_packet_net *net, uint32_t *call)
{
  return (void)net, (void)call, false;
}
void ts_packet_net_uses(const ts_packet_net *net, ts_packet_use *use) { (void)net, (void)use; }
#endif

double ts_packet_count(const ts_packet_job *job)
{
  double count = 0;
  for (uint32_t f = 0; f < job->flow_count; f++)
    count += ceil((double)job->flows[f].bytes / (double)job->with->mtu) * job->flows[f].hops;
  return count;
}

/* false for what is no number */
static bool within(double x, double min, double max) { return x >= min && x <= max; }

static const double long_time = 1e15; /* ps */

/* Whether each link of a path begins where the one before it ends, and a byte gets through in time.
 */
static bool is_way(const ts_packet_job *job, const ts_packet_flow *f, const uint32_t *path)
{
  uint32_t at = 0;
  double latency = 0;
  for (uint32_t h = 0; h < f->hops; h++) {
    if (path[h] / 2 >= job->link_count)
      return false;
    const ts_packet_link *l = &job->links[path[h] / 2];
    uint32_t from = path[h] % 2 ? l->to : l->from;
    if (h && from != at)
      return false;
    at = path[h] % 2 ? l->from : l->to;
    latency += (double)l->latency;
  }
  return latency <= long_time;
}

static bool is_path(const ts_packet_job *job, const ts_packet_flow *f)
{
  bool is =
    f->hops >= 1 && f->hops <= UINT16_MAX && f->ways <= UINT16_MAX && f->spares <= UINT16_MAX;
  for (uint32_t w = 0; is && w < (f->ways ? f->ways : 1) + f->spares; w++)
    is = is_way(job, f, f->path + (size_t)w * f->hops);
  return is;
}

const char *ts_packet_wrong(const ts_packet_job *job)
{
  const ts_ir_packet_field *field = ts_ir_packets_wrong(job->with);
  const char *wrong = field ? field->range : NULL;
  for (uint32_t l = 0; l < job->link_count && !wrong; l++)
    if (job->links[l].from >= job->node_count || job->links[l].to >= job->node_count ||
        !within(job->links[l].rate, 1e3, 1e15) || !within(job->links[l].loss, 0, 0.5) ||
        job->links[l].latency > long_time)
      wrong = "a link has 1 kB/s to 1 PB/s and 1000 s at most";
  for (uint32_t f = 0; f < job->flow_count && !wrong; f++) {
    const ts_packet_flow *flow = &job->flows[f];
    if (!flow->bytes || !is_path(job, flow) || flow->part >= job->flow_count ||
        !within(flow->line, 1e3, 1e15) || flow->start > long_time)
      wrong = "a flow has bytes, a path of 1000 s at most, a part and a rate";
    else if ((double)flow->bytes * 1e12 / flow->line > long_time)
      wrong = "a flow takes 1000 s at most";
  }
  return wrong;
}

ts_packet_status ts_packet_play(const ts_packet_job *job, uint64_t *end, ts_packet_use *use)
{
  return !ts_packet_available() ? TS_PACKET_MISSING :
         ts_packet_wrong(job)   ? TS_PACKET_WRONG :
                                  play(job, end, use);
}
