/* What became of a plan, as bytes for another process: it comes out the same, and what is cut off
 * is noticed. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "tools/sweep/packed.h"

static ts_arena *arena;

static void start(void) { arena = ts_arena_new("test"); }
static void end(void) { ts_arena_free(arena); }

TestSuite(packed, .init = start, .fini = end);

static const ts_ir_validation on = {.below = 1.25, .above = 1.0 / 3};
static const ts_uncertain_part parts[] = {
  {.origin = 1, .basis = 2, .name = "gemm", .assumed = true, .share = 0.1, .spread = 0.7},
  {.origin = 3, .name = "", .between = true, .calibrated = true, .share = 1e-300, .spread = 3}};
static const ts_confidence sure = {.spread = 0.1234567890123456789,
                                   .part_count = 2,
                                   .parts = parts,
                                   .step = {1.1, 0.9, INFINITY, &on},
                                   .memory = {3, 3, 3, NULL},
                                   .own_times = true,
                                   .kind = 0xfedcba9876543210u};
static const ts_outcome_warning warnings[] = {{TS_W0804, "a \"quoted\"\nmessage"}, {TS_W0805, ""}};
static const ts_outcome outcomes[] = {
  {.state = TS_TOO_LARGE,
   .exact = true,
   .played = true,
   .bounds = {1e-9, UINT64_MAX, 7, 8, 0.1, .over = true},
   .figures = {{1.0 / 3, 8e11, NAN, 0.1, -0.0, 1024}},
   .limit = 85e9,
   .sure = &sure,
   .warning_count = 2,
   .warnings = warnings},
  {.state = TS_REFUSED, .why = "", .unread = true},
  {.state = TS_STOPPED, .played = true, .why = "it \xff stopped"},
  {.state = TS_BOUNDED, .bounds = {.seconds = 2}},
};

static ts_packer packed(const ts_outcome *o)
{
  ts_packer p = {.arena = arena};
  ts_pack_outcome(&p, o);
  return p;
}

/* Bytes of a message hold every field, so equal ones are of equal outcomes. */
Test(packed, comes_out_the_same)
{
  for (size_t i = 0; i < sizeof outcomes / sizeof *outcomes; i++) {
    ts_packer p = packed(&outcomes[i]);
    ts_unpacker u = {p.bytes.at, p.bytes.at + p.bytes.count, arena, false};
    ts_outcome o;
    ts_unpack_outcome(&u, &o);
    cr_expect(!u.bad && u.at == u.end);
    cr_expect_eq(o.state, outcomes[i].state);
    cr_expect_eq(o.played, outcomes[i].played);
    cr_expect_eq(o.unread, outcomes[i].unread);
    cr_expect_eq(o.warning_count, outcomes[i].warning_count);
    cr_expect_eq(!o.why, !outcomes[i].why);
    cr_expect(!o.why || !strcmp(o.why, outcomes[i].why));
    cr_expect_eq(memcmp(&o.figures, &outcomes[i].figures, sizeof o.figures), 0);
    ts_packer again = packed(&o);
    cr_expect(again.bytes.count == p.bytes.count &&
              memcmp(again.bytes.at, p.bytes.at, p.bytes.count) == 0);
  }
}

Test(packed, confidence)
{
  ts_packer p = packed(&outcomes[0]);
  ts_unpacker u = {p.bytes.at, p.bytes.at + p.bytes.count, arena, false};
  ts_outcome o;
  ts_unpack_outcome(&u, &o);
  cr_assert(o.sure && o.sure->part_count == 2);
  cr_expect_eq(o.sure->kind, sure.kind);
  cr_expect(o.sure->own_times && !o.sure->calibrated);
  cr_expect(o.sure->step.on && o.sure->step.on->above == on.above && isinf(o.sure->step.high));
  cr_expect_null(o.sure->memory.on);
  cr_expect_str_eq(o.sure->parts[0].name, "gemm");
  cr_expect(o.sure->parts[1].between && o.sure->parts[1].share == 1e-300);
}

Test(packed, cut_off)
{
  ts_packer p = packed(&outcomes[0]);
  for (size_t size = 0; size < p.bytes.count; size++) {
    uint8_t *part = ts_arena_copy(arena, p.bytes.at, size + 1); /* a block of its own */
    ts_unpacker u = {part, part + size, arena, false};
    ts_outcome o;
    ts_unpack_outcome(&u, &o);
    cr_expect(u.bad && !o.sure && !o.warning_count, "%zu bytes", size);
  }
}

/* Any byte may be any other: nothing is read that is not there. */
Test(packed, changed)
{
  ts_packer p = packed(&outcomes[0]);
  for (size_t i = 0; i < p.bytes.count; i++)
    for (unsigned bit = 0; bit < 8; bit++) {
      p.bytes.at[i] ^= (uint8_t)(1u << bit);
      ts_unpacker u = {p.bytes.at, p.bytes.at + p.bytes.count, arena, false};
      ts_outcome o;
      ts_unpack_outcome(&u, &o);
      cr_expect(u.bad || o.state < TS_OUTCOME_STATES);
      p.bytes.at[i] ^= (uint8_t)(1u << bit);
    }
}
