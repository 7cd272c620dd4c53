/* Packets by ns-3, and what is said without it. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "ir/packets.h"
#include "runtime/collective/packet.h"

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
    s->links[i] = (ts_packet_link){i, ENDS, 10e9, 1000000, s->with.queue};
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
  s->flows[f] = (ts_packet_flow){s->path[f], 2, f, bytes, 0, 10e9};
  return &s->flows[f];
}

static double micros(uint64_t ps) { return (double)ps * 1e-6; }

static void must_play(const star *s, uint64_t *end)
{
  ts_packet_status status = ts_packet_play(&s->job, end);
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
  cr_assert_eq(ts_packet_play(&s.job, end),
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
  cr_assert_eq(ts_packet_play(&s.job, end), TS_PACKET_LOST);
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
  int asked = 0;
  const ts_progress progress = {refuse, &asked};
  NEEDS_NS3;
  star_init(&s);
  s.job.progress = &progress;
  add(&s, 0, 1, 1000000000);
  cr_assert_eq(ts_packet_play(&s.job, end), TS_PACKET_STOPPED);
  cr_assert_eq(asked, 1);
}
