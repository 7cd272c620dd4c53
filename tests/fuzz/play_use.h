/* All that programs do with an IR that the verifier has accepted: it is played and reported. For
 * the fuzz targets of IRs and of plans. */
#ifndef TS_TESTS_FUZZ_PLAY_USE_H
#define TS_TESTS_FUZZ_PLAY_USE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ir/ir.h"
#include "runtime/report/confidence.h"
#include "runtime/report/facts.h"
#include "runtime/report/plausible.h"
#include "runtime/report/report.h"
#include "runtime/report/topology.h"

enum { MOST_RANKS = 256, MOST_PLAYED = 20000 };

/* Bits of `how`. */
enum {
  PLAY_NO_FOLD = 1,
  PLAY_CONTENTION = 2,
  PLAY_FORM = 4 /* two bits */,
  PLAY_STUDY = 16 /* three bits */,
  PLAY_OVERLAP = 128
};
typedef enum play_form { PLAY_TEXT, PLAY_JSON, PLAY_CSV, PLAY_PICTURES } play_form;
typedef enum play_study {
  PLAY_NONE,
  PLAY_BLAME,
  PLAY_SPREAD,
  PLAY_STEPS,
  PLAY_WHAT_IF,
  PLAY_TRACE,
  PLAY_FACTS,
  PLAY_DRAW
} play_study;

/* Only jobs that are played in a moment are. */
static inline bool is_small_job(const ts_ir *ir)
{
  uint64_t nodes = 0;
  for (uint32_t p = 0; p < ir->programs_count; p++)
    for (uint32_t i = 0; i < ir->programs[p].item_count; i++)
      nodes += ir->fragments[ir->items[ir->programs[p].first_item + i].fragment].node_count + 1;
  return ir->meta->world <= MOST_RANKS && nodes * ir->meta->world <= MOST_PLAYED &&
         ir->devices_count <= 4096 && ir->links_count <= 4096;
}

/* There is no result: for a reason that is reported. */
static inline void reported(const ts_stop *stop)
{
  if (!stop->exit_code)
    abort();
}

static inline void change(ts_summary *s, const ts_run_options *options, ts_stop *stop)
{
  static const char *const changes[] = {"compute.speed*2", "memory.bandwidth*2,network.latency/2",
                                        "tier0.bandwidth=1GB/s", "message.speed*3", "host.speed/2"};
  for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
    ts_stop why = {.arena = s->arena};
    s->extras.what_if = changes[i];
    if (ts_what_if(s->arena, s->ir, options, changes[i], &s->extras.what_if_step, &why))
      s->extras.not_followed_count =
        ts_what_if_not_followed(s->arena, s->ir, options, changes[i], s->result,
                                &s->extras.not_followed, &s->extras.what_if_stays);
    else
      reported(&why);
  }
  s->extras.sensitivities = ts_sensitivities_new(s->arena, s->ir, s->run, options, stop);
  if (!s->extras.sensitivities)
    reported(stop);
}

static inline void spread(ts_summary *s, const ts_run_options *options, ts_stop *stop)
{
  ts_jitter jitter;
  ts_faults faults = {1e6, 60, 10, 5};
  static const double at[] = {3600, 7200};
  ts_jitter_parse("lognormal:2%,slow:0.1:1.5,network:0.01", &jitter);
  s->extras.spread = ts_spread_new(s->arena, s->ir, options, &jitter, "fuzz", 3, stop);
  if (!s->extras.spread)
    reported(stop);
  if (!(s->seconds > 0))
    return;
  ts_goodput good = ts_goodput_of(s->seconds, s->ir->meta->world, &faults);
  ts_day day = ts_day_of(s->seconds, &faults, at, 2);
  s->extras.goodput = ts_arena_copy(s->arena, &good, sizeof good);
  s->extras.day = ts_arena_copy(s->arena, &day, sizeof day);
}

static inline void draw(const ts_summary *s, FILE *out)
{
  ts_topology_text(out, s->arena, s->ir, NULL);
  ts_topology_paths(out, s->arena, s->ir, 8);
  ts_topology_dot(out, s->arena, s->ir, 64);
  ts_topology_svg(out, ts_cluster_fold_new(s->arena, s->ir, NULL),
                  ts_topology_title(s->arena, s->ir));
}

static inline void trace(const ts_summary *s)
{
  uint32_t *ranks = TS_NEW_ARRAY(s->arena, uint32_t, s->ir->meta->world);
  ts_stop stop = {.arena = s->arena};
  for (uint32_t r = 0; r < s->ir->meta->world; r++)
    ranks[r] = r;
  if (ts_report_trace(s, &(ts_trace_options){.memory = true}, "/dev/null", &stop) < 0)
    reported(&stop);
  ts_trace_options all = {.memory = true,
                          .window = {.ranks = ranks, .rank_count = s->ir->meta->world}};
  if (ts_report_trace(s, &all, "/dev/null", &stop) < 0)
    reported(&stop);
}

/* Of parts of the step, however short, at all levels. */
static inline void pictures(const ts_summary *s, FILE *out)
{
  uint64_t step = s->result->step;
  for (int level = TS_LEVEL_USUAL; level <= TS_LEVEL_ALL; level++) {
    ts_window window = {.from = step / 3, .to = step / 2, .level = (ts_level)level};
    ts_terminal terminal = {
      .columns = 80, .unicode = level % 2, .color = level / 2 ? TS_COLOR_ALWAYS : TS_COLOR_NEVER};
    ts_report_svg(s, &window, out);
    ts_report_timeline(s, &window, &terminal, out);
  }
}

static inline void study(ts_summary *s, const ts_run_options *options, play_study what, FILE *out)
{
  ts_stop stop = {.arena = s->arena};
  ts_allocator_options allocator;
  switch (what) {
  case PLAY_NONE: break;
  case PLAY_BLAME:
    ts_allocator_parse("caching:streams:channels=4", &allocator);
    s->extras.blames = ts_blames_new(s->arena, s->run);
    s->extras.reserved =
      s->memory->stated ? ts_reserved_new(s->arena, s->ir, s->run, s->memory, &allocator) : NULL;
    break;
  case PLAY_SPREAD: spread(s, options, &stop); break;
  case PLAY_STEPS:
    s->extras.steps =
      ts_steps_new(s->arena, s->ir, options, 4, &(ts_checkpoint){2, 1000000}, &stop);
    if (!s->extras.steps)
      reported(&stop);
    break;
  case PLAY_WHAT_IF: change(s, options, &stop); break;
  case PLAY_TRACE: trace(s); break;
  case PLAY_FACTS: {
    ts_plan_facts facts = ts_facts_of(s->arena, s);
    ts_fact_changes changes =
      ts_facts_compare(s->arena, facts, (ts_plan_facts){facts.count / 2, facts.at});
    ts_report_changes_text(changes, "before", "after", s->arena, out);
    ts_interval ratio = ts_interval_of_ratio(&s->confidence, &s->confidence);
    ts_report_ratio_text(&ratio, s->arena, out);
    ts_report_changes_json(changes, &ratio, out);
    s->extras.difference = ts_difference_new(s->arena, s->run, s->run);
    s->extras.difference_from = "itself";
    break;
  }
  case PLAY_DRAW: draw(s, out); break;
  }
}

static inline void report(const ts_ir *ir, const ts_run *run, const ts_run_options *options,
                          ts_arena *arena, unsigned how)
{
  char *text = NULL;
  size_t size;
  FILE *out = open_memstream(&text, &size);
  ts_stop stop = {.arena = arena};
  if (!out)
    return;
  const ts_memory *memory = ts_memory_new(arena, ir, run);
  ts_summary *s = ts_arena_copy(arena, ts_summary_new(arena, ir, run, memory, NULL), sizeof *s);
  s->extras.overlap = options->overlap;
  study(s, options, (play_study)(how / PLAY_STUDY % 8), out);
  ts_plausible(s, options);
  switch ((play_form)(how / PLAY_FORM % 4)) {
  case PLAY_TEXT: ts_report_text(s, out); break;
  case PLAY_JSON: ts_report_json(s, out); break;
  case PLAY_CSV: ts_report_csv(s, out); break;
  case PLAY_PICTURES:
    ts_report_html(s, out);
    ts_report_svg(s, NULL, out);
    pictures(s, out);
    break;
  }
  ts_report_out_of_memory(s, &stop);
  fclose(out);
  free(text);
}

static inline void play(const ts_ir *ir, unsigned how)
{
  if (!is_small_job(ir))
    return;
  ts_arena *arena = ts_arena_new("fuzz");
  ts_stop stop = {.arena = arena};
  ts_run_options options = {.no_fold = how & PLAY_NO_FOLD,
                            .contention = how & PLAY_CONTENTION,
                            .threads = 1,
                            .overlap = how & PLAY_OVERLAP ? &ts_slowdown_physical : NULL};
  ts_run *run = ts_run_new(ir, &options, &stop);
  if (run)
    report(ir, run, &options, arena, how);
  else
    reported(&stop);
  ts_run_free(run);
  ts_arena_free(arena);
}

#endif
