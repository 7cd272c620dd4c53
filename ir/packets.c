#include "ir/packets.h"

#include <math.h>
#include <string.h>

#define US UINT64_C(1000000)
#define SECOND 1e12
#define FIELD(kind, field, least, most, what, range)                                               \
  {                                                                                                \
    {#field, TS_IR_FIELD_##kind, offsetof(ts_ir_net_packets, field)}, least, most, what, range     \
  }

/* The ranges keep all times below 2^62 ps: ns-3 counts them in 64 bits. */
const ts_ir_packet_field ts_ir_packet_fields[] = {
  FIELD(BYTES, mtu, 64, 1 << 20, "the data that a packet holds", "must be 64 B to 1 MiB"),
  FIELD(BYTES, header, 2, 4096, "what a link carries around the data of a packet",
        "must be 2 B to 4 KiB"),
  FIELD(BYTES, queue, 1, 4294967294., "what may wait for a link",
        "must be above 0 and below 4 GiB"),
  FIELD(BYTES, buffer, 1, 0x1p50, "how far a connection may be ahead",
        "must be above 0 and at most 1 PiB"),
  FIELD(TIME, mark_from, 0, SECOND, "the waiting from which packets are marked",
        "must be 0 s to 1 s"),
  FIELD(TIME, mark_to, 0, SECOND, "the waiting from which all packets are marked",
        "must be `mark_from` to 1 s"),
  FIELD(NUMBER, mark_share, 0, 1, "the share of packets that are marked just before all are",
        "must be 0 to 1"),
  FIELD(NUMBER, gain, 1e-6, 1, "the weight of a report in the sender's estimate of congestion",
        "must be above 0 and at most 1"),
  FIELD(NUMBER, step, 1e-6, 1, "by which share of its link's rate a sender's target grows",
        "must be above 0 and at most 1"),
  FIELD(TIME, timer, 1e3, SECOND, "the time between two steps of a sender's rate",
        "must be 1 ns to 1 s"),
  FIELD(TIME, report, 0, SECOND, "the time between two reports of marks", "must be 0 s to 1 s"),
  FIELD(BYTES, pause, 0, 4294967294., "what from one link waits in a switch before it pauses the sender",
        "must be 0 B (never) to below 4 GiB"),
  FIELD(NUMBER, eta, 0.01, 1, "the use of the busiest link that senders keep to",
        "must be 0.01 to 1"),
  FIELD(BYTES, additive, 0, 0x1p40, "by how much a sender's window grows at a time",
        "must be 0 B to 1 TiB"),
  FIELD(COUNT, stages, 0, 1e6, "how often a window grows before it follows the links' use again",
        "must be 0 to 1 million"),
  FIELD(COUNT, limit, 1, 4e9,
        "how many packets of a call are played at most, each counted on every link",
        "must be 1 to 4 billion"),
  {{NULL, TS_IR_FIELD_COUNT, 0}, 0, 0, NULL, NULL}};

const ts_ir_net_packets ts_ir_usual_packets = {
    .mtu = 4096,                  /* the largest of RoCE */
    /* RoCEv2 (InfiniBand Trade Association, annex A17): Ethernet 14 + 4 with 20 before and between,
     * IPv4 20, UDP 8, BTH 12, ICRC 4 */
    .header = 82,
    .queue = 32000000,            /* the switches of Li et al., "HPCC", SIGCOMM 2019 */
    .buffer = 4 << 20,            /* NCCL_BUFFSIZE */
    /* 100 and 400 KB at 80 Gb/s, as HPCC has them at 25. Thresholds are in proportion to the link's
     * rate there, so they are */
    .mark_from = 10 * US,
    /* times here; DCQCN's own, 5 and 200 KB at 40 Gb/s, are 1 and 40 us */
    .mark_to = 40 * US,
    /* Zhu et al., "Congestion control for large-scale RDMA deployments" (DCQCN), SIGCOMM 2015:
     * this, gain, timer, report */
    .mark_share = 0.01,
    .gain = 1. / 256,
    /* 1 Gb/s at 80; DCQCN, which goes on to larger ones, begins with 1/1000 */
    .step = 1. / 80,
    .timer = 55 * US,
    .report = 50 * US,
    /* HPCC (Li et al., SIGCOMM 2019), section 5.1: eta, W_AI and maxStage */
    .eta = 0.95,
    .additive = 80,
    .stages = 5,
    .limit = 20000000};           /* less than a minute on one core */

double ts_ir_packet_value(const ts_ir_packet_field *field, const ts_ir_net_packets *packets)
{
  const char *at = (const char *)packets + field->clause.offset;
  uint64_t whole;
  uint32_t count;
  double real;
  memcpy(&count, at, sizeof count);
  if (field->clause.kind == TS_IR_FIELD_COUNT)
    return count;
  memcpy(&whole, at, sizeof whole);
  memcpy(&real, at, sizeof real);
  return field->clause.kind == TS_IR_FIELD_NUMBER ? real : (double)whole;
}

void ts_ir_packet_set(const ts_ir_packet_field *field, ts_ir_net_packets *packets, double value)
{
  char *at = (char *)packets + field->clause.offset;
  uint64_t whole = (uint64_t)(value + 0.5);
  uint32_t count = (uint32_t)whole;
  if (field->clause.kind == TS_IR_FIELD_COUNT)
    memcpy(at, &count, sizeof count);
  else
    memcpy(at, field->clause.kind == TS_IR_FIELD_NUMBER ? (const void *)&value : &whole,
           sizeof whole);
}

bool ts_ir_packet_in_range(const ts_ir_packet_field *field, double value)
{
  return value >= field->least && value <= field->most && !signbit(value);
}

const ts_ir_packet_field *ts_ir_packets_wrong(const ts_ir_net_packets *packets)
{
  for (const ts_ir_packet_field *f = ts_ir_packet_fields; f->clause.name; f++)
    if (!ts_ir_packet_in_range(f, ts_ir_packet_value(f, packets)) ||
        (f->clause.offset == offsetof(ts_ir_net_packets, mark_to) &&
         packets->mark_from > packets->mark_to))
      return f;
  return NULL;
}
