/* An order of work from a file, of a pipeline of stated times: refused with a reason, or compiled
 * and played. Of what plays, shorter orders are searched: the pipeline by itself takes what the engine
 * takes, no order met is below the bound, and each may be. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compiler/compile.h"
#include "compiler/schedule/schedule.h"
#include "runtime/account/run.h"
#include "runtime/pipeline/problem.h"
#include "tests/fuzz/no_bug.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static const char plan[] =
  "op source(x: Tensor) {\n  weight w: [1]\n  output y: x.shape\n}\n"
  "op work(x: Tensor) {\n  output y: x.shape\n"
  "  forward { kernel stated { ps = 10 us / 1 ps } }\n"
  "  backward(input) { kernel stated { ps = 14 us / 1 ps } }\n"
  "  backward(weight) { kernel stated { ps = 6 us / 1 ps } }\n  saves [1 MiB]\n}\n"
  "model lab() {\n  x = source(input([1], bf16)) as source\n"
  "  repeat 4 as stage { x = work(x) as work }\n  yield x\n}\n"
  "gpu worker {\n  memory = 1 TiB\n  bandwidth = 1 TB/s\n  peak = { fp32: 1 TFLOP/s }\n}\n"
  "cluster star() {\n  device rank[4]: worker\n  switch center[1]\n"
  "  for r in 0..4 { link rank[r] <-> center[0] { bandwidth = 1000 TB/s, latency = 0 us } }\n}\n"
  "fn own(ps: Real) -> Time = ps * 1 ps\n"
  "schedule read(file: String) {\n  chunks 1\n  order from file\n}\n"
  "plan p {\n  model = lab()\n  cluster = star()\n  schedule = read(\"%s.csv\")\n"
  "  costs = [{ stated: own }, roofline(worker)]\n"
  "  network = [alpha_beta(base: 2 us, hop: 0 us, efficiency: 1)]\n}\n";

static void fail(const char *why)
{
  fprintf(stderr, "%s\n", why);
  abort();
}

static void put(const char *path, const void *bytes, size_t size)
{
  FILE *out = fopen(path, "wb");
  if (!out || fwrite(bytes, 1, size, out) != size || fclose(out))
    fail("cannot write");
}

/* The file's order as a word; NULL: it has pairs, or work of other kinds than the pipeline. */
static uint16_t *word_of(ts_arena *arena, const ts_pipeline *p, const ts_schedule *sc)
{
  uint16_t *word = TS_NEW_ARRAY(arena, uint16_t, ts_pipeline_size(p) + 1);
  for (uint32_t r = 0, n = 0; r < p->ranks; r++)
    for (uint32_t i = 0; i < sc->order[r].count; i++) {
      const ts_placed *item = &sc->items.at[sc->order[r].first + i];
      uint32_t l = 0;
      if (item->kind == TS_STEP)
        continue;
      while (l < p->letter_count && (p->letters[l].stage != item->stage ||
                                     p->letters[l].kind != *ts_work_letter(item->kind)))
        l++;
      if (item->paired || l == p->letter_count || n == ts_pipeline_size(p))
        return NULL;
      word[n++] = (uint16_t)l;
    }
  return word;
}

/* Micro-batches of a stage in order: only such orders are words. */
static bool in_order(ts_arena *arena, const ts_schedule *sc)
{
  uint32_t *next = TS_NEW_ARRAY(arena, uint32_t, (size_t)sc->stages * TS_STEP + 1);
  for (uint32_t r = 0; r < sc->ranks; r++)
    for (uint32_t i = 0; i < sc->order[r].count; i++) {
      const ts_placed *item = &sc->items.at[sc->order[r].first + i];
      if (item->kind != TS_STEP &&
          item->micro_batch != next[item->stage * TS_STEP + (uint32_t)item->kind]++)
        return false;
    }
  return true;
}

static void search(ts_arena *arena, const ts_pipeline *p, const uint16_t *word, int64_t step)
{
  ts_pipeline_play *play = ts_pipeline_play_new(arena, p);
  ts_pipeline_bound bound = ts_pipeline_bound_of(p);
  ts_pipeline_search how = {.seed = 1, .orders = 200, .jobs = 2};
  if (word && ts_pipeline_time(play, word) != step)
    fail("the pipeline's time is not the engine's");
  ts_pipeline_found found = ts_pipeline_improve(arena, p, &word, word ? 1 : 0, &bound, &how);
  for (uint32_t k = 0; k < found.count; k++) {
    if (found.best[k].step < bound.step ||
        ts_pipeline_time(play, found.best[k].sequence) != found.best[k].step)
      fail("an order is below the bound, or not as long as was said");
    for (uint32_t r = 0; r < p->ranks; r++)
      if (!ts_pipeline_legal(play, found.best[k].sequence, r, p->room[r], NULL))
        fail("an order may not be");
  }
  if (word && (!found.count || found.best[0].step > step))
    fail("nothing as short as the beginning was found");
}

static void use(ts_arena *arena, const ts_input *input)
{
  ts_stop stop = {.arena = arena};
  ts_run_options options = {.threads = 1};
  ts_prepared prepared;
  ts_error why = {0};
  const ts_schedule *sc = input->schedule;
  ts_run *run = ts_run_new(&input->ir, &options, &stop);
  if (!run || !sc || sc->ranks < 2 ||
      !ts_run_prepare(arena, &input->ir, &options, &prepared, &stop)) {
    ts_run_free(run);
    return;
  }
  ts_pipeline_stages stages = {sc->chunks, sc->stages, sc->parts, sc->stage_of};
  ts_pipeline *p =
    ts_pipeline_new(arena, &prepared, &stages, ts_run_result(run)->critical_rank, &why);
  if (!p && !*why.message)
    fail("a pipeline is refused without a reason");
  for (uint32_t r = 0; p && r < p->ranks; r++)
    p->room[r] = TS_PIPELINE_LATE;
  if (p)
    search(arena, p, in_order(arena, sc) ? word_of(arena, p, sc) : NULL,
           (int64_t)ts_run_result(run)->step);
  ts_run_free(run);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
  const char *scratch = getenv("TMPDIR");
  char path[512], csv[512], name[64], text[sizeof plan + 64];
  ts_arena *arena = ts_arena_new("fuzz");
  ts_session *s = ts_session_new(arena);
  ts_compile_options options = {0};
  ts_input input = {0};
  snprintf(name, sizeof name, "fuzz_order.%ld", (long)getpid());
  snprintf(path, sizeof path, "%s/%s.ts", scratch ? scratch : "/tmp", name);
  snprintf(csv, sizeof csv, "%s/%s.csv", scratch ? scratch : "/tmp", name);
  int length = snprintf(text, sizeof text, plan, name);
  put(path, text, (size_t)length);
  put(csv, bytes, size);
  if (ts_input_open(s, path, &options, &input)) {
    use(arena, &input);
    ts_input_close(&input);
  } else if (!ts_diags_errors(s->diags)) {
    fail("an order is refused without a reason");
  }
  no_bug(s->diags);
  remove(path);
  remove(csv);
  ts_arena_free(arena);
  return 0;
}
