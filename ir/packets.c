#include "ir/packets.h"

#include <math.h>
#include <string.h>

#define US UINT64_C(1000000)
#define PACKET(field, type_, min, max, what, range)                                                \
  {{.name = #field,                                                                                \
    .offset = offsetof(ts_ir_net_packets, field),                                                  \
    .size = sizeof(((ts_ir_net_packets *)NULL)->field),                                            \
    .type = TS_IR_TYPE_##type_},                                                                   \
   min,                                                                                            \
   max,                                                                                            \
   what,                                                                                           \
   range},

const ts_ir_packet_field ts_ir_packet_fields[] = {
#include "ir/records.def"
  {{.name = NULL}, 0, 0, NULL, NULL}};

const ts_ir_net_packets ts_ir_usual_packets = {
  .mtu = 4096, /* the largest of RoCE */
  /* RoCEv2 (InfiniBand Trade Association, annex A17): Ethernet 14 + 4 with 20 before and between,
   * IPv4 20, UDP 8, BTH 12, ICRC 4 */
  .header = 82,
  .queue = 32000000, /* the switches of Li et al., "HPCC", SIGCOMM 2019 */
  .buffer = 4 << 20, /* NCCL_BUFFSIZE */
  /* 100 and 400 KB at 80 Gb/s, as HPCC has them at 25. Thresholds are in proportion to the link's
   * rate there, so they are times here. DCQCN's own, 5 and 200 KB at 40 Gb/s, are 1 and 40 us */
  .mark_from = 10 * US,
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
  /* TIMELY (Mittal et al., SIGCOMM 2015): T_low, T_high and beta */
  .low = 50 * US,
  .high = 500 * US,
  .cut = 0.8,
  /* Swift (Kumar et al., SIGCOMM 2020) prints no figures; these are those of its public
   * simulators: a base of 20 us, 20/6.55 for each link, five bases for small windows */
  .target = 20 * US,
  .per_hop = 3053435,
  .scaling = 100 * US,
  .most_cut = 0.5,
  .steady = 0.01,
  .limit = 100000000}; /* some minutes on one core */

ts_ir_net_packets ts_ir_usual_packets_of(uint32_t control)
{
  ts_ir_net_packets p = ts_ir_usual_packets;
  p.control = control;
  if (control == TS_IR_CONTROL_TIMELY) {
    p.gain = 0.875;     /* alpha, as the ns-3 of HPCC has it */
    p.step = 1. / 1000; /* delta: 10 Mb/s at 10 Gb/s */
  } else if (control == TS_IR_CONTROL_SWIFT) {
    p.additive = p.mtu; /* a packet in a round trip */
  } else if (control == TS_IR_CONTROL_DCTCP) {
    p.gain = 1. / 16; /* Alizadeh et al., SIGCOMM 2010: g; its marks are a step: K */
    p.mark_to = p.mark_from;
    p.additive = p.mtu;
  }
  return p;
}

double ts_ir_packet_value(const ts_ir_packet_field *field, const ts_ir_net_packets *packets)
{
  return field->clause.type == TS_IR_TYPE_NUMBER ?
           ts_ir_get_real(&field->clause, packets) :
           (double)ts_ir_get(&field->clause, packets);
}

void ts_ir_packet_set(const ts_ir_packet_field *field, ts_ir_net_packets *packets, double value)
{
  if (field->clause.type == TS_IR_TYPE_NUMBER)
    memcpy((char *)packets + field->clause.offset, &value, sizeof value);
  else
    ts_ir_put(&field->clause, packets, (uint64_t)(value + 0.5));
}

bool ts_ir_packet_in_range(const ts_ir_packet_field *field, double value)
{
  return value >= field->min && value <= field->max && !signbit(value);
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
