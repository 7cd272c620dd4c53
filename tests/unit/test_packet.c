/* Packets by ns-3, and what is said without it. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "ir/packets.h"
#include "ir/spelling.h"
#include "runtime/collective/packet.h"
#include "runtime/collective/packet_processes.h"

enum { ENDS = 4 };

/* ENDS devices on a switch of number ENDS, 10 GB/s and 1 us each. */
typedef struct star {
  ts_packet_link links[ENDS];
  uint32_t path[ENDS][2];
  ts_packet_flow flows[ENDS];
  ts_ir_net_packets with;
  ts_packet_job job;
} star;

static void star_init(star *s)
{
  *s = (star){.with = ts_ir_usual_packets};
  for (uint32_t i = 0; i < ENDS; i++)
    s->links[i] = (ts_packet_link){i, ENDS, 10e9, 1000000, s->with.queue, 0, 0};
  s->job = (ts_packet_job){.links = s->links,
                           .flows = s->flows,
                           .node_count = ENDS + 1,
                           .link_count = ENDS,
                           .with = &s->with};
}

static ts_packet_flow *add(star *s, uint32_t from, uint32_t to, uint64_t bytes)
{
  uint32_t f = s->job.flow_count++;
  s->path[f][0] = 2 * from;
  s->path[f][1] = 2 * to + 1;
  s->flows[f] = (ts_packet_flow){s->path[f], 2, f, bytes, 0, 10e9, 1, 0};
  return &s->flows[f];
}

static double micros(uint64_t ps) { return (double)ps * 1e-6; }

static void must_play(const star *s, uint64_t *end)
{
  ts_packet_status status = ts_packet_play(&s->job, end, NULL);
  cr_assert_eq(status, TS_PACKET_DONE, "status %d", (int)status);
}

static uint64_t last_of(const uint64_t *end, uint32_t count)
{
  uint64_t last = 0;
  for (uint32_t i = 0; i < count; i++)
    last = end[i] > last ? end[i] : last;
  return last;
}

#define NEEDS_NS3 if (!ts_packet_available()) cr_skip_test("no ns-3 in this build")

Test(packet, missing)
{
  star s;
  uint64_t end[ENDS];
  star_init(&s);
  add(&s, 0, 1, 1000);
  cr_assert_eq(ts_packet_play(&s.job, end, NULL),
               ts_packet_available() ? TS_PACKET_DONE : TS_PACKET_MISSING);
}

Test(packet, counted)
{
  star s;
  star_init(&s);
  add(&s, 0, 1, 4096);
  add(&s, 1, 2, 4097);
  cr_assert_float_eq(ts_packet_count(&s.job), 2 * 1 + 2 * 2, 0);
}

Test(packet, wrong_jobs)
{
  star s;
#define WRONG(change)                                                                              \
  do {                                                                                             \
    star_init(&s);                                                                                 \
    add(&s, 0, 1, 4096);                                                                           \
    change;                                                                                        \
    cr_assert_not_null(ts_packet_wrong(&s.job), #change);                                          \
  } while (0)
  star_init(&s);
  add(&s, 0, 1, 4096);
  cr_assert_null(ts_packet_wrong(&s.job));
  WRONG(s.with.mtu = 0);
  WRONG(s.with.queue = 0);
  WRONG(s.with.gain = NAN);
  WRONG(s.with.timer = 0);
  WRONG(s.links[0].rate = 0);
  WRONG(s.links[0].rate = -1e9);
  WRONG(s.links[0].rate = INFINITY);
  WRONG(s.links[0].loss = 0.6);
  WRONG(s.links[0].to = 77);
  WRONG(s.links[1].latency = UINT64_MAX);
  /* together more than a flow may take */
  WRONG(s.links[0].latency = s.links[1].latency = UINT64_C(600000000000000));
  WRONG(s.flows[0].bytes = 0);
  WRONG(s.flows[0].bytes = UINT64_MAX);
  WRONG(s.flows[0].line = NAN);
  WRONG(s.flows[0].hops = 0);
  WRONG(s.flows[0].part = 1);
  WRONG(s.path[0][1] = 2 * ENDS);
  WRONG(s.path[0][1] = 2); /* goes on from another node */
  WRONG(s.flows[0].start = UINT64_MAX);
#undef WRONG
}

/* One after the other on the first link, the last one on the second, the latencies. */
Test(packet, message_alone)
{
  star s;
  uint64_t end[ENDS];
  NEEDS_NS3;
  star_init(&s);
  add(&s, 0, 1, 4096 * 100)->start = 5000000;
  must_play(&s, end);
  double packet = (4096 + 82) / 10e9 * 1e6;
  cr_assert_float_eq(micros(end[0]), 5 + 101 * packet + 2, 1e-3, "%f", micros(end[0]));
}

Test(packet, flows_of_a_sender_take_turns)
{
  star s;
  uint64_t end[ENDS];
  NEEDS_NS3;
  star_init(&s);
  add(&s, 0, 1, 1 << 20);
  add(&s, 0, 2, 1 << 20);
  must_play(&s, end);
  cr_assert_float_eq(micros(end[0]), micros(end[1]), 1);
  cr_assert_float_eq(micros(end[0]), 2 * 256 * (4096 + 82) / 10e9 * 1e6, 5);
}

/* A slow member holds up the others of its part, but by the buffer. */
Test(packet, parts_go_in_step)
{
  star s;
  uint64_t end[ENDS];
  NEEDS_NS3;
  star_init(&s);
  s.links[1].rate = 1e9;
  add(&s, 0, 2, 64 << 20)->part = 1;
  add(&s, 1, 3, 64 << 20)->line = 1e9;
  must_play(&s, end);
  cr_assert_gt((double)end[0], 0.9 * (double)end[1]);
  s.flows[0].part = 0;
  must_play(&s, end);
  cr_assert_lt((double)end[0], 0.11 * (double)end[1]);
}

Test(packet, marks_share_a_link_and_nothing_is_lost)
{
  star s;
  uint64_t end[ENDS], again[ENDS];
  NEEDS_NS3;
  star_init(&s);
  for (uint32_t i = 0; i < 3; i++)
    add(&s, i, 3, 50000000);
  must_play(&s, end);
  must_play(&s, again);
  cr_assert_arr_eq(end, again, 3 * sizeof *end, "the same each time");
  uint64_t last = last_of(end, 3);
  double least = 150e6 * (4096 + 82) / 4096 / 10e9 * 1e6;
  cr_assert(micros(last) >= least && micros(last) < 1.1 * least, "%f of %f", micros(last), least);
}

/* What is lost is sent again; where nearly all is lost, the job ends all the same. */
Test(packet, losses)
{
  star s;
  uint64_t end[ENDS], short_end[ENDS];
  NEEDS_NS3;
  star_init(&s);
  s.with.mark_from = s.with.mark_to = UINT64_C(1000000000000);
  for (uint32_t i = 0; i < 3; i++)
    add(&s, i, 3, 1000000);
  must_play(&s, end);
  for (uint32_t i = 0; i < ENDS; i++)
    s.links[i].queue = 60000;
  must_play(&s, short_end);
  cr_assert_gt(last_of(short_end, 3), last_of(end, 3));
  for (uint32_t i = 0; i < ENDS; i++)
    s.links[i].queue = 1;
  cr_assert_eq(ts_packet_play(&s.job, end, NULL), TS_PACKET_LOST);
}

static bool refuse(void *closure, const char *what, double share)
{
  (void)what;
  (void)share;
  ++*(int *)closure;
  return false;
}

Test(packet, stops_when_asked_to)
{
  star s;
  uint64_t end[ENDS];
  int requested = 0;
  const ts_progress progress = {.tick = refuse, .closure = &requested};
  NEEDS_NS3;
  star_init(&s);
  s.job.progress = &progress;
  s.with.steady = 0;
  add(&s, 0, 1, 1000000000);
  cr_assert_eq(ts_packet_play(&s.job, end, NULL), TS_PACKET_STOPPED);
  cr_assert_eq(requested, 1);
}

/* ---- Pauses, HPCC, several ways ---- */

enum { LINKS = 16, FLOWS = 8, NODES = 16 };

/* Any links and flows; links of 10 GB/s and 1 us unless said. */
typedef struct job {
  ts_packet_link links[LINKS];
  uint32_t path[FLOWS][LINKS];
  ts_packet_flow flows[FLOWS];
  ts_ir_net_packets with;
  ts_packet_use use[2 * LINKS];
  uint64_t end[FLOWS], last;
  ts_packet_job of;
} job;

static void job_init(job *j)
{
  *j = (job){.with = ts_ir_usual_packets};
  j->of = (ts_packet_job){
    .links = j->links, .flows = j->flows, .node_count = NODES, .with = &j->with};
}

static uint32_t join(job *j, uint32_t from, uint32_t to)
{
  j->links[j->of.link_count] = (ts_packet_link){from, to, 10e9, 1000000, 32000000, 0, 0};
  return j->of.link_count++;
}

static ts_packet_flow *carry(job *j, uint64_t bytes, uint32_t ways, uint32_t hops,
                             const uint32_t *path)
{
  uint32_t f = j->of.flow_count++;
  memcpy(j->path[f], path, (size_t)ways * hops * sizeof *path);
  j->flows[f] = (ts_packet_flow){j->path[f], hops, f, bytes, 0, 10e9, ways, 0};
  return &j->flows[f];
}

static ts_packet_status play(job *j)
{
  ts_packet_status status = ts_packet_play(&j->of, j->end, j->use);
  j->last = last_of(j->end, j->of.flow_count);
  return status;
}

static uint64_t sum_lost(const job *j)
{
  uint64_t lost = 0;
  for (uint32_t p = 0; p < 2 * j->of.link_count; p++)
    lost += j->use[p].lost;
  return lost;
}

/* `senders` (nodes 1 and on) to node 0 through a switch, a link each; link 0 is the receiver's. */
static void incast(job *j, uint32_t senders, uint64_t bytes)
{
  job_init(j);
  join(j, 9, 0);
  for (uint32_t i = 0; i < senders; i++)
    carry(j, bytes, 1, 2, (uint32_t[]){2 * join(j, 1 + i, 9), 0});
}

static double us_at_line(uint64_t bytes) { return (double)bytes * (4096 + 82) / 4096 / 10e9 * 1e6; }

/* Marks that never come, queues for what is paused and under way: 3 * (40 + 20 + 8) KB. */
static void without_control(job *j, uint64_t queue)
{
  j->with.mark_from = j->with.mark_to = UINT64_C(1000000000000);
  for (uint32_t l = 0; l < j->of.link_count; l++)
    j->links[l].queue = queue;
}

Test(packet, pauses_lose_nothing)
{
  job j;
  NEEDS_NS3;
  incast(&j, 3, 4 << 20);
  without_control(&j, 220000);
  cr_assert_eq(play(&j), TS_PACKET_DONE);
  cr_assert_gt(sum_lost(&j), 0);
  cr_assert_eq(j.use[2].paused, 0);
  j.with.pause = 40000;
  cr_assert_eq(play(&j), TS_PACKET_DONE);
  cr_assert_eq(sum_lost(&j), 0);
  for (uint32_t l = 1; l <= 3; l++)
    cr_assert_gt(j.use[2 * l].paused, 0, "link %u", l);
  cr_assert_leq(j.use[0].most_waiting, 3 * (40000 + 20000 + 2 * 4178));
  /* the receiver's link is never without work: bytes over its rate, two latencies, two packets */
  double least = us_at_line(3 * (4 << 20));
  cr_assert(micros(j.last) >= least && micros(j.last) < least + 3.5, "%f of %f", micros(j.last),
            least);
}

/* A paused link holds back what goes elsewhere, too. */
Test(packet, pauses_hold_the_innocent)
{
  job j;
  NEEDS_NS3;
  for (int pause = 0; pause < 2; pause++) {
    incast(&j, 3, 4 << 20);
    uint32_t other = join(&j, 9, 5);
    carry(&j, 1 << 20, 1, 2, (uint32_t[]){2, 2 * other});
    without_control(&j, 32000000);
    j.with.pause = pause ? 40000 : 0;
    cr_assert_eq(play(&j), TS_PACKET_DONE);
    double alone = us_at_line(1 << 20); /* shares its sender's link with one */
    if (pause)
      cr_assert_gt(micros(j.end[3]), 2.5 * alone, "%f", micros(j.end[3]));
    else
      cr_assert_lt(micros(j.end[3]), 2.1 * alone + 5, "%f", micros(j.end[3]));
  }
}

/* Three switches in a circle, each flow over two links of it: each waits for the next one. */
Test(packet, pauses_in_a_circle_are_reported)
{
  job j;
  uint32_t ring[3], in[3], out[3];
  NEEDS_NS3;
  job_init(&j);
  for (uint32_t i = 0; i < 3; i++)
    ring[i] = join(&j, 9 + i, 9 + (i + 1) % 3);
  for (uint32_t i = 0; i < 3; i++) {
    in[i] = join(&j, i, 9 + i);
    out[i] = join(&j, 9 + i, 3 + i);
  }
  for (uint32_t i = 0; i < 3; i++)
    carry(&j, 4 << 20, 1, 4,
          (uint32_t[]){2 * in[i], 2 * ring[i], 2 * ring[(i + 1) % 3], 2 * out[(i + 2) % 3]});
  without_control(&j, 32000000);
  j.with.pause = 40000;
  cr_assert_eq(play(&j), TS_PACKET_HELD);
  j.with.pause = 0;
  cr_assert_eq(play(&j), TS_PACKET_DONE);
}

/* T of HPCC here: four latencies and a packet on each of two links. */
static double bdp(void) { return (4e-6 + 2 * 4178 / 10e9) * 10e9; }

Test(packet, hpcc_keeps_to_eta)
{
  job j;
  NEEDS_NS3;
  incast(&j, 1, 64 << 20);
  j.with.control = TS_IR_CONTROL_HPCC;
  cr_assert_eq(play(&j), TS_PACKET_DONE);
  double share = us_at_line(64 << 20) / micros(j.last);
  cr_assert(share > 0.93 && share < 0.97, "%f", share);
  cr_assert_lt(j.use[0].most_waiting, 2 * 4178);
}

Test(packet, hpcc_keeps_queues_short)
{
  job j;
  double waiting[2], share[2];
  NEEDS_NS3;
  for (uint32_t control = 0; control < 2; control++) {
    incast(&j, 3, 32 << 20);
    j.with.control = control;
    cr_assert_eq(play(&j), TS_PACKET_DONE);
    waiting[control] = j.use[0].waiting / (double)j.last;
    share[control] = us_at_line(3 * (32 << 20)) / micros(j.last);
    cr_assert_eq(sum_lost(&j), 0);
  }
  /* windows of a bandwidth-delay product each meet at first; from then on eta of one is sent */
  cr_assert_leq((double)j.use[0].most_waiting, 3 * bdp());
  cr_assert_lt(waiting[1], 0.1 * bdp(), "%f", waiting[1]);
  cr_assert(share[1] > 0.9 && share[1] < 0.97, "%f", share[1]);
  cr_assert_gt(waiting[0], 2 * waiting[1], "DCQCN keeps a queue: %f", waiting[0]);
}

/* n equal paths between two switches: n times the rate of one. */
Test(packet, several_ways_add_up)
{
  job j;
  NEEDS_NS3;
  for (uint32_t n = 1; n <= 4; n *= 2) {
    uint32_t path[LINKS];
    job_init(&j);
    uint32_t first = join(&j, 0, 9), last = join(&j, 10, 1);
    j.links[first].rate = j.links[last].rate = 40e9;
    for (uint32_t w = 0; w < n; w++) {
      uint32_t there = join(&j, 9, 11 + w), on = join(&j, 11 + w, 10);
      memcpy(path + 4 * w, (uint32_t[]){2 * first, 2 * there, 2 * on, 2 * last}, 4 * sizeof *path);
    }
    uint64_t bytes = 64 << 20, packets = bytes / 4096;
    carry(&j, bytes, n, 4, path)->line = n * 10e9;
    cr_assert_eq(play(&j), TS_PACKET_DONE);
    cr_assert_float_eq(micros(j.last), us_at_line(bytes) / n, 8, "%u: %f", n, micros(j.last));
    for (uint32_t w = 0; w < n; w++)
      cr_assert_eq(j.use[2 * (2 + 2 * w)].packets, packets / n, "in turns");
    cr_assert_eq(j.use[2 * last].bytes, packets * 4178);
  }
}

/* Of several ways a lost packet alone is sent again. */
Test(packet, several_ways_lose_and_end)
{
  job j;
  NEEDS_NS3;
  job_init(&j);
  uint32_t first = join(&j, 0, 9), last = join(&j, 10, 1), path[8];
  j.links[first].rate = j.links[last].rate = 40e9;
  for (uint32_t w = 0; w < 2; w++) {
    uint32_t there = join(&j, 9, 11 + w), on = join(&j, 11 + w, 10);
    memcpy(path + 4 * w, (uint32_t[]){2 * first, 2 * there, 2 * on, 2 * last}, 4 * sizeof *path);
  }
  j.links[4].rate = 5e9;
  carry(&j, 4 << 20, 2, 4, path)->line = 20e9;
  without_control(&j, 100000);
  cr_assert_eq(play(&j), TS_PACKET_DONE);
  uint64_t lost = sum_lost(&j);
  cr_assert_gt(lost, 0);
  cr_assert_eq(j.use[2 * last].packets, (4 << 20) / 4096, "each arrives once");
  cr_assert_eq(j.use[2 * first].packets, (4 << 20) / 4096 + lost, "and is sent again when lost");
}

/* ---- Controls by delays and by the share of marks ---- */

static void with_control(job *j, uint32_t senders, uint64_t bytes, uint32_t control)
{
  incast(j, senders, bytes);
  j->with = ts_ir_usual_packets_of(control);
}

static double mean_wait(const job *j) { return j->use[0].waiting / (double)j->last / 10e9; } /* s */

/* All end together, and the link is busy. */
static void is_fair(const job *j, double least_use)
{
  uint32_t flows = j->of.flow_count;
  double use = us_at_line(flows * j->flows[0].bytes) / micros(j->last);
  for (uint32_t f = 0; f < flows; f++)
    cr_assert_gt((double)j->end[f], 0.85 * (double)j->last, "flow %u ends at %f of %f", f,
                 micros(j->end[f]), micros(j->last));
  cr_assert_gt(use, least_use, "%f", use);
  cr_assert_eq(sum_lost(j), 0);
}

/* Windows grow and shrink until the time of a round trip is the target: what waits is the target
 * less the round trip without queues. */
Test(packet, swift_keeps_to_its_target)
{
  NEEDS_NS3;
  for (uint32_t senders = 2; senders <= 4; senders += 2) {
    job j;
    with_control(&j, senders, 64 << 20, TS_IR_CONTROL_SWIFT);
    j.with.scaling = 0;
    j.with.target = 40000000;
    cr_assert_eq(play(&j), TS_PACKET_DONE);
    is_fair(&j, 0.98);
    double wait = 40e-6 + 2 * 3.053435e-6 - bdp() / 10e9;
    cr_assert(mean_wait(&j) > 0.85 * wait && mean_wait(&j) < 1.1 * wait, "%g of %g", mean_wait(&j),
              wait);
  }
}

/* Small windows have a larger target: with the whole of `scaling` below a tenth of a packet. */
Test(packet, swift_scales_its_target)
{
  job j;
  NEEDS_NS3;
  with_control(&j, 4, 32 << 20, TS_IR_CONTROL_SWIFT);
  cr_assert_eq(play(&j), TS_PACKET_DONE);
  double scaled = mean_wait(&j);
  j.with.scaling = 0;
  cr_assert_eq(play(&j), TS_PACKET_DONE);
  cr_assert_gt(scaled, 1.1 * mean_wait(&j));
}

/* Marks are a step at K. Windows W* = (C RTT + K) / N each are cut when they meet it; in a cycle of
 * W* alpha / 2 round trips packets of one are marked, so alpha^2 (1 - alpha / 4) = (2 W* + 1) /
 * (W* + 1)^2 (Alizadeh et al., section 3.3). The queue is between K + N - A and K + N packets, with
 * A = N (W* + 1) alpha / 2. */
Test(packet, dctcp_marks_as_its_paper_has_it)
{
  job j;
  const uint32_t n = 2;
  NEEDS_NS3;
  with_control(&j, n, 128 << 20, TS_IR_CONTROL_DCTCP);
  j.with.mark_from = j.with.mark_to = 40000000;
  j.with.steady = 0;
  cr_assert_eq(play(&j), TS_PACKET_DONE);
  is_fair(&j, 0.98);
  double k = 40e-6 * 10e9 / 4178, window = (bdp() / 4178 + k) / n, alpha = 0;
  for (int i = 0; i < 50; i++)
    alpha = sqrt((2 * window + 1) / ((window + 1) * (window + 1)) / (1 - alpha / 4));
  double share = (double)j.use[0].marked / (double)j.use[0].packets,
         expected = 1 / (window * alpha / 2 + 1), a = n * (window + 1) * alpha / 2;
  cr_assert(share > 0.6 * expected && share < 1.6 * expected, "%g of %g", share, expected);
  double wait = mean_wait(&j) * 10e9 / 4178;
  cr_assert(wait > k + n - a - 2 && wait < k + n, "%g packets wait, K %g, A %g", wait, k, a);
}

/* With T_low = T_high there is no trend to follow: rates grow below and are cut above, so that round
 * trips take that time. */
Test(packet, timely_keeps_to_its_thresholds)
{
  job j;
  NEEDS_NS3;
  with_control(&j, 2, 100 << 20, TS_IR_CONTROL_TIMELY);
  j.with.step = 0.01;
  j.with.low = j.with.high = 60000000;
  cr_assert_eq(play(&j), TS_PACKET_DONE);
  is_fair(&j, 0.9);
  double wait = 60e-6 - bdp() / 10e9;
  cr_assert(mean_wait(&j) > 0.85 * wait && mean_wait(&j) < 1.1 * wait, "%g of %g", mean_wait(&j),
            wait);
}

/* ---- Links that lose packets or go down ---- */

/* Each loss costs a round trip until the sender knows, and the path until the packet is there. */
Test(packet, losses_by_chance_go_back)
{
  job j;
  NEEDS_NS3;
  incast(&j, 1, 64 << 20);
  j.with.steady = 0;
  j.links[0].loss = 1e-3;
  cr_assert_eq(play(&j), TS_PACKET_DONE);
  double packets = (64 << 20) / 4096., lost = (double)j.use[0].lost,
         alone = us_at_line(64 << 20) + us_at_line(4096) + 2;
  cr_assert(lost > 0.7e-3 * packets && lost < 1.4e-3 * packets, "%g of %g", lost, packets);
  /* until it is missed, and until it has arrived again */
  double each = 2 * 2 + 2 + 2 * us_at_line(4096);
  cr_assert_float_eq(micros(j.last), alone + lost * each, 0.1 * lost * each, "%f: %f and %g * %f",
                     micros(j.last), alone, lost, each);
  j.links[0].loss = 0;
  cr_assert_eq(play(&j), TS_PACKET_DONE);
  cr_assert_float_eq(micros(j.last), alone, 0.1);
}

/* Two ways between two switches, of which one goes down halfway: the other carries the rest. */
Test(packet, links_go_down)
{
  job j;
  NEEDS_NS3;
  for (uint32_t spare = 0; spare < 2; spare++)
    for (int skip = 0; skip < 2; skip++) {
      job_init(&j);
      uint32_t first = join(&j, 0, 9), last = join(&j, 10, 1), path[8];
      for (uint32_t w = 0; w < 2; w++) {
        uint32_t there = join(&j, 9, 11 + w), on = join(&j, 11 + w, 10);
        memcpy(path + 4 * w, (uint32_t[]){2 * first, 2 * there, 2 * on, 2 * last},
               4 * sizeof *path);
      }
      j.links[first].rate = j.links[last].rate = 20e9;
      uint64_t bytes = 256 << 20;
      j.with.steady = skip ? j.with.steady : 0;
      j.with.control = TS_IR_CONTROL_HPCC; /* so that the one way left is full, and loses nothing */
      j.with.eta = 1;
      carry(&j, bytes, 2, 4, path)->line = spare ? 10e9 : 20e9;
      j.flows[0].ways = spare ? 1 : 2;
      j.flows[0].spares = spare;
      uint64_t down = (uint64_t)(us_at_line(bytes) * 1e6 / (spare ? 2 : 4));
      j.links[2].down = down;
      cr_assert_eq(play(&j), TS_PACKET_DONE);
      double expected = micros(down) + us_at_line(bytes) / 2;
      cr_assert_float_eq(micros(j.last), expected, 0.06 * expected, "%u %d: %f of %f", spare, skip,
                         micros(j.last), expected);
      cr_assert_gt(j.use[2 * 2].lost, 0, "what was on it");
      j.flows[0].ways = 1;
      j.flows[0].spares = 0;
      cr_assert_eq(play(&j), TS_PACKET_DOWN);
    }
}

/* ---- Steady rates ---- */

/* Skipped and played to the end: the same within a percent, under each control, by fewer packets. */
Test(packet, steady_rates_are_skipped)
{
  NEEDS_NS3;
  for (uint32_t control = 0; control < TS_IR_CONTROLS; control++)
    for (uint32_t senders = 1; senders <= 3; senders += 2) {
      job j;
      with_control(&j, senders, 512 << 20, control);
      cr_assert_eq(play(&j), TS_PACKET_DONE);
      uint64_t last = j.last, skipped = j.use[0].skipped, packets = j.use[0].packets;
      j.with.steady = 0;
      cr_assert_eq(play(&j), TS_PACKET_DONE);
      cr_assert_eq(j.use[0].skipped, 0);
      cr_assert_float_eq((double)last / (double)j.last, 1, 0.01, "%s, %u senders: %f of %f",
                         ts_ir_control_names[control], senders, micros(last), micros(j.last));
      cr_assert_eq(packets, j.use[0].packets);
      if (senders == 1)
        cr_assert_gt((double)skipped, 0.8 * (double)packets, "%s: %g", ts_ir_control_names[control],
                     (double)skipped / (double)packets);
    }
}

/* ---- Several processes ---- */

enum { TASKS = 7 };

static void tasks_of(job *jobs, ts_packet_task *tasks)
{
  for (uint32_t i = 0; i < TASKS; i++) {
    incast(&jobs[i], 1 + i % 3, (i + 1) << 20);
    tasks[i] = (ts_packet_task){.job = jobs[i].of, .end = jobs[i].end, .use = jobs[i].use};
  }
}

/* Whoever plays a job, it takes the same, and its links have done the same. */
Test(packet, processes_play_what_one_does)
{
  static job jobs[TASKS];
  ts_packet_task tasks[TASKS];
  NEEDS_NS3;
  for (uint32_t processes = 1; processes <= 9; processes += 4) {
    tasks_of(jobs, tasks);
    ts_packet_processes_play(tasks, TASKS, processes, NULL);
    for (uint32_t i = 0; i < TASKS; i++) {
      job alone;
      incast(&alone, 1 + i % 3, (i + 1) << 20);
      cr_assert_eq(play(&alone), TS_PACKET_DONE);
      cr_assert_eq(tasks[i].status, TS_PACKET_DONE, "task %u of %u processes", i, processes);
      cr_assert_arr_eq(jobs[i].end, alone.end, alone.of.flow_count * sizeof *alone.end);
      cr_assert_arr_eq(jobs[i].use, alone.use, 2 * alone.of.link_count * sizeof *alone.use);
    }
  }
}

static bool stop_at_once(void *closure, const char *what, double share)
{
  (void)what;
  *(double *)closure = share;
  return false;
}

Test(packet, processes_are_stopped)
{
  static job jobs[TASKS];
  ts_packet_task tasks[TASKS];
  double share = -1;
  NEEDS_NS3;
  tasks_of(jobs, tasks);
  ts_packet_processes_play(tasks, TASKS, 2,
                           &(ts_progress){.tick = stop_at_once, .closure = &share});
  cr_assert(share >= 0 && share < 1, "%f", share);
  uint32_t stopped = 0;
  for (uint32_t i = 0; i < TASKS; i++)
    stopped += tasks[i].status == TS_PACKET_STOPPED;
  cr_assert_gt(stopped, 0);
}
