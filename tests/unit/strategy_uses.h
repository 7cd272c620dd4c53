/* Strategies of tests/strategies/_plan.ts (its `use`) that together have all kinds of them. */
#ifndef TS_TESTS_UNIT_STRATEGY_USES_H
#define TS_TESTS_UNIT_STRATEGY_USES_H

static const char *const strategy_uses[] = {
  "[\"ddp\"]",
  "[\"zero3\"]",
  "[\"ds3\"]",
  "[\"fsdp_keep\"]",
  "[\"fsdp\", \"full\"]",
  "[\"hsdp\", \"selective\"]",
  "[\"ring\", \"sp\"]",
  "[\"gather\", \"offload\"]",
  "[\"ep\", \"etp\", \"sp\", \"fsdp\"]",
  "[\"ulysses\", \"tp\", \"full\", \"offload\"]",
  "[\"tied\", \"fp8\", \"offload_optimizer\"]",
  "[\"tp_ring\"]",
  "[\"async\", \"second\"]",
};
enum { STRATEGY_USES = sizeof strategy_uses / sizeof *strategy_uses };

#endif
