/* Plans that rest on a file of others: a table of kernels, a fit, a network, a calibration, a
 * topology, a traced model, a configuration of a model. Whatever is in it, the plan is refused with a reason, or plays. The
 * first byte, from `0`, chooses which file it is. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/compile.h"
#include "compiler/eval/stdlib_embed.h"
#include "tests/fuzz/no_bug.h"
#include "tests/fuzz/play_use.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static const char plan[] =
  "import std.models.gpt, std.clusters.dgx, std.clusters.nccl, "
  "std.clusters.topologies, std.strategies.data, "
  "std.strategies.megatron, std.networks, std.import.plain, std.import.hf\n"
  "plan fuzz {\n  model = %s\n  cluster = %s\n  mesh = { t: 2, dp: 2 }\n"
  "  apply = [%sdata_parallel(dp)]\n  costs = [%sroofline(a100_sxm_80g)]\n  network = [%s]\n%s}\n";

/* What a file may be: each is the one field of the plan that names it. */
typedef struct door { const char *model, *cluster, *apply, *costs, *network, *more; } door;
static const char gpt[] = "gpt(layers: 2, hidden: 64, heads: 4, vocab: 512, seq: 128)",
                  dgx[] = "dgx_a100(nodes: 1)", split[] = "tensor_parallel(t), ",
                  usual[] = "flow()";
#define ROOM ", room: { gpus: 4, nvlink: 300 GB/s, nic: 200 Gb/s }"
#define GRAPH(of) "drawn(" of "(\"fuzz.file\"), room: { gpus: 4 }), kind: a100_sxm_80g" ROOM ")"
static const door doors[] = {
  {gpt, dgx, split, "table \"fuzz.file\", ", usual, ""},
  {gpt, dgx, split, "fit(\"fuzz.file\"), ", usual, ""},
  {gpt, dgx, split, "", "measured(table \"fuzz.file\"), flow()", ""},
  {gpt, dgx, split, "", "measured(table \"fuzz.file\", scale: 1e3, of: \"all_reduce\"), flow()",
   ""},
  {gpt, dgx, split, "", "whitebox(\"fuzz.file\"), flow()", ""},
  {gpt, dgx, split, "", "statistical(\"fuzz.file\"), flow()", ""},
  {gpt, dgx, split, "",
   "whitebox(\"std/networks/nccl_hopper.json\", between: \"fuzz.file\"), flow()", ""},
  {gpt, dgx, split, "", usual, "  calibration = calibrated(\"fuzz.file\")\n"},
  {gpt, "nccl_nodes(\"fuzz.file\", a100_sxm_80g)", split, "", usual, ""},
  {"trace(\"fuzz.file\", plain())", dgx, "", "", usual, ""},
  {"hf(\"fuzz.file\", seq: 64)", dgx, "", "", usual, ""},
  {gpt, "topology(\"fuzz.file\", kind: a100_sxm_80g" ROOM ")", split, "", usual, ""},
  {gpt, GRAPH("graph_of_record(json"), split, "", usual, ""},
  {gpt, GRAPH("graph_of_graphml(xml"), split, "", usual, ""},
  {gpt, "drawn(graph_of_rows([], csv(\"fuzz.file\"), false, {}), kind: a100_sxm_80g" ROOM ")",
   split, "", usual, ""},
};

static const char *write_plan(ts_arena *arena, const door *d)
{
  return ts_arena_printf(arena, plan, d->model, d->cluster, d->apply, d->costs, d->network,
                         d->more);
}

static void use(ts_arena *arena, const char *text, const uint8_t *bytes, size_t size)
{
  ts_session *s = ts_session_new(arena);
  ts_embedded_file file = {.path = "fuzz.file", .bytes = bytes, .size = size};
  ts_compile_options options = {.given = &file, .given_count = 1};
  ts_input input;
  if (ts_input_compile(s, "fuzz.ts", text, strlen(text), &options, &input)) {
    play(&input.ir, PLAY_NONE);
    ts_input_close(&input);
  } else if (!ts_diags_errors(s->diags)) {
    fprintf(stderr, "a file is refused without a reason\n");
    abort();
  }
  no_bug(s->diags);
  if (getenv("TS_FUZZ_MESSAGES"))
    ts_diags_print(s->diags, stderr, TS_COLOR_NEVER);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
  if (!size)
    return 0;
  ts_arena *arena = ts_arena_new("fuzz");
  const char *text = write_plan(arena, &doors[(uint8_t)(*bytes - '0') % (sizeof doors / sizeof *doors)]);
  use(arena, text, (const uint8_t *)ts_arena_string(arena, (const char *)bytes + 1, size - 1),
      size - 1);
  ts_arena_free(arena);
  return 0;
}
