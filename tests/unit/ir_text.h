/* What the tests of ir/ have in common: the text form in memory, and a plan that has a record of
 * every kind. */
#ifndef TS_TESTS_IR_TEXT_H
#define TS_TESTS_IR_TEXT_H

#include <stdlib.h>
#include <string.h>

#include "ir/ir.h"

typedef struct ir_text { char *at; size_t size, room; } ir_text;

static inline void ir_text_put(void *closure, const char *bytes, size_t size)
{
  ir_text *t = closure;
  if (t->size + size >= t->room) {
    t->room = 2 * (t->size + size) + 1;
    t->at = realloc(t->at, t->room);
  }
  memcpy(t->at + t->size, bytes, size);
  t->size += size;
  t->at[t->size] = 0;
}

static const char ir_text_example[] =
  "plan example at plan.ts 1:6-12\n"
  "tool \"trainspec 0.1.0\"\n"
  "format \"bf16\" model_flops 3 PFLOP peak 312 TFLOP/s\n"
  "cluster \"small(nodes: 2)\"\n"
  "framework lab release \"1.2\"\n"
  "run bits 16 experts nodes\n"
  "mesh at plan.ts 2:3-9\n"
  "memory at plan.ts 2:1\n"
  "axis tp 2\n"
  "axis pp 2 pipeline\n"
  "axis dp 2\n"
  "group tp = tp\n"
  "group pp = pp\n"
  "group all = tp, pp, dp\n"
  "cost_source t1 kind table at plan.ts 3:1-9\n"
  "device_class h 3.35 TB/s memory 80 GiB reserved 1 GiB\n"
  "devices gpu[2,4] of h\n"
  "switches sw[2]\n"
  "link_class fast 450 GB/s latency 1 us\n"
  "link_class slow 50 GB/s latency 5 us tier 1\n"
  "link gpu[0] -- sw[0] fast\n"
  "link gpu[1] -> sw[0] fast\n"
  "link sw[0] -- sw[1] slow\n"
  "place 7, 0..6\n"
  "net_model measured table for all_reduce tier 0 source t1 {\n"
  "  all_reduce 2 1 1 MiB 40 us\n"
  "  all_reduce 2 1 2 MiB 50 us\n"
  "}\n"
  "net_model nccl alpha_beta efficiency 0.8 base 10 us hop 1 us half 64 KiB\n"
  "net_model rdma packet routing spray channels 2 by ring control hpcc mtu 64 KiB mark_from 0 ps "
  "mark_share 0 step 0.5 pause 512 KiB eta 0.9 additive 1 KiB stages 0 limit 1000\n"
  "stream compute\n"
  "stream comm\n"
  "stream up\n"
  "stream copy copy\n"
  "kernel gemm 100 us flops 3 TFLOP bytes 5 MiB dtype bf16 basis interpolated source t1\n"
  "kernel norm 7.5 us bytes 1 MiB\n"
  "spread kernels interpolated of gemm dtype bf16 rows 40 by 0.05\n"
  "spread network alpha_beta between assumed kib 1024 by 0.3\n"
  "spread host by 0.2\n"
  "validated step_time below 1.25 above 0.5 apart 1 on \"lab, dense\" rows 9 groups 3 same_kind\n"
  "validated peak_memory below 0 above 0.1 apart 1\n"
  "collective ar all_reduce 8 MiB over tp\n"
  "collective step all_reduce 1 MiB over all\n"
  "fragment F0 work F {\n"
  "  norm: compute norm launch 5 us at plan.ts 9:1-4 rule plan.ts 10:1-4\n"
  "  compute gemm after norm alloc 8 MiB activations \"x\" free 1 MiB activations\n"
  "  collective ar after gemm, norm\n"
  "  send 4 MiB over pp after ar\n"
  "}\n"
  "fragment F1 work F {\n"
  "  recv 4 MiB over pp\n"
  "  compute gemm after recv\n"
  "  record\n"
  "}\n"
  "fragment S {\n"
  "  host 3 us\n"
  "  sync\n"
  "  collective step\n"
  "}\n"
  "program {\n"
  "  hold 2 GiB parameters \"w\"\n"
  "  F0 0 to 1\n"
  "  F0 1 chunk 1 to 1\n"
  "  S\n"
  "}\n"
  "program {\n"
  "  F1 0 from 0\n"
  "  F1 1 from 0\n"
  "  S\n"
  "}\n"
  "warning W0201 \"`x` is never used\" here \"declared here\" at plan.ts 4:1-2 more 2\n"
  "remark fact where \"in `plan`\"\n"
  "remark help \"remove it\"\n";

static inline ts_ir_builder *ir_text_read(const char *text, ts_error *error)
{
  static const char source[] =
    "source plan.ts role plan sha256 "
    "\"00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff\"\n";
  ir_text whole = {0};
  if (text == ir_text_example)
    ir_text_put(&whole, source, sizeof source - 1);
  ir_text_put(&whole, text, strlen(text));
  ts_ir_builder *b = ts_ir_parse(whole.at, whole.size, error);
  free(whole.at);
  return b;
}

#endif
