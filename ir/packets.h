/* How data travel as packets (ts_ir_net_packets): usual values and ranges. A field has the same
 * name in the text form and in the language. */
#ifndef TS_IR_PACKETS_H
#define TS_IR_PACKETS_H

#include "ir/forms.h"

typedef struct ts_ir_packet_field {
  ts_ir_field clause;
  double min, max;     /* in bytes, ps, or as it is */
  const char *what;    /* "`mtu` is ..." */
  const char *range;   /* "must be ..." */
} ts_ir_packet_field;

extern const ts_ir_packet_field ts_ir_packet_fields[]; /* up to a clause without name */
extern const ts_ir_net_packets ts_ir_usual_packets;    /* of DCQCN */
ts_ir_net_packets ts_ir_usual_packets_of(uint32_t control);

double ts_ir_packet_value(const ts_ir_packet_field *field, const ts_ir_net_packets *packets);
/* in the range */
void ts_ir_packet_set(const ts_ir_packet_field *field, ts_ir_net_packets *packets, double value);
/* false for what is no number, and for -0 */
bool ts_ir_packet_in_range(const ts_ir_packet_field *field, double value);
/* The field that is out of range, or the first one that does not go with another; NULL: none. */
const ts_ir_packet_field *ts_ir_packets_wrong(const ts_ir_net_packets *packets);

#endif
