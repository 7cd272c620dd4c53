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
static ts_packet_status play(const ts_packet_job *job, uint64_t *end)
{
  static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&one_at_a_time);
  ts_packet_status status = ts_packet_ns3_play(job, end);
  pthread_mutex_unlock(&one_at_a_time);
  return status;
}
#else
bool ts_packet_available(void) { return false; }

static ts_packet_status play(const ts_packet_job *job, uint64_t *end)
{
  (void)job;
  (void)end;
  return TS_PACKET_MISSING;
}
#endif

double ts_packet_count(const ts_packet_job *job)
{
  double count = 0;
  for (uint32_t f = 0; f < job->flow_count; f++)
    count += ceil((double)job->flows[f].bytes / (double)job->with->mtu) * job->flows[f].hops;
  return count;
}

/* false for what is no number */
static bool within(double x, double least, double most) { return x >= least && x <= most; }

static const double long_time = 1e15; /* ps */

/* Whether each link of a path begins where the one before it ends, and a byte gets through in time.
 * */
static bool is_path(const ts_packet_job *job, const ts_packet_flow *f)
{
  uint32_t at = 0;
  double latency = 0;
  for (uint32_t h = 0; h < f->hops; h++) {
    if (f->path[h] / 2 >= job->link_count)
      return false;
    const ts_packet_link *l = &job->links[f->path[h] / 2];
    uint32_t from = f->path[h] % 2 ? l->to : l->from;
    if (h && from != at)
      return false;
    at = f->path[h] % 2 ? l->from : l->to;
    latency += (double)l->latency;
  }
  return f->hops >= 1 && f->hops <= UINT16_MAX && latency <= long_time;
}

const char *ts_packet_wrong(const ts_packet_job *job)
{
  const ts_ir_packet_field *field = ts_ir_packets_wrong(job->with);
  const char *wrong = field ? field->range : NULL;
  for (uint32_t l = 0; l < job->link_count && !wrong; l++)
    if (job->links[l].from >= job->node_count || job->links[l].to >= job->node_count ||
        !within(job->links[l].rate, 1e3, 1e15) || job->links[l].latency > long_time)
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

ts_packet_status ts_packet_play(const ts_packet_job *job, uint64_t *end)
{
  return !ts_packet_available() ? TS_PACKET_MISSING :
         ts_packet_wrong(job)   ? TS_PACKET_WRONG :
                                  play(job, end);
}
