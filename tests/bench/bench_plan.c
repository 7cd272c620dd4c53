/* From a plan to its report: examples/gpt3_175b.ts on 1,024 devices, the same with dp 64 on 8,192,
 * and every rank played for itself. CPU time of this process, best of several. Floors: for tsc the
 * plan and its imports read once, byte by byte, and the IR written once; for a folded play the
 * nodes it plays; for an unfolded one see bench_engine. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/digest.h"
#include "compiler/compile.h"
#include "runtime/account/memory.h"

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef struct measured {
  double compile, floor, open, play, memory;
  size_t plan_bytes, ir_bytes;
  uint64_t played, nodes;
} measured;

static const char *plan_path(void)
{
  const char *source = getenv("top_srcdir");
  static char path[4096];
  snprintf(path, sizeof path, "%s/examples/gpt3_175b.ts", source ? source : ".");
  return path;
}

/* What no compiler of these files can do without: a digest over every byte that comes in and goes
 * out. */
static double digest_time(ts_session *s, const void *ir, size_t ir_bytes, size_t *read)
{
  double start = now();
  uint8_t digest[32];
  *read = 0;
  for (uint32_t f = 1; f <= ts_sources_count(s->sources); f++) {
    const ts_source *source = ts_sources_get(s->sources, f);
    ts_digest_bytes(source->text, source->size, digest);
    *read += source->size;
  }
  ts_digest_bytes(ir, ir_bytes, digest);
  return now() - start;
}

static int once(const ts_define *define, uint32_t defines, bool no_fold, measured *m)
{
  ts_arena *arena = ts_arena_new("bench");
  ts_session *s = ts_session_new(arena);
  ts_compile_options options = {.defines = define, .define_count = defines};
  double t = now();
  ts_ir_builder *b = ts_compile(s, plan_path(), &options);
  m->compile = now() - t;
  if (!b) {
    ts_diags_print(s->diags, stderr, TS_COLOR_NEVER);
    ts_arena_free(arena);
    return 1;
  }
  ts_ir view, ir;
  ts_error error = {0};
  ts_ir_builder_view(b, &view);
  t = now();
  uint8_t *bytes = ts_ir_encode(&view, &m->ir_bytes);
  m->compile += now() - t;
  m->floor = digest_time(s, bytes, m->ir_bytes, &m->plan_bytes);
  t = now();
  int bad = ts_ir_view_bytes(bytes, m->ir_bytes, &ir, &error);
  m->open = now() - t;
  ts_stop stop = {.arena = arena};
  t = now();
  ts_run *run =
    bad ? NULL : ts_run_new(&ir, &(ts_run_options){.no_fold = no_fold, .threads = 1}, &stop);
  if (run) {
    const ts_result *r = ts_run_result(run);
    ts_run_critical(run);
    m->play = now() - t;
    m->played = r->nodes_played;
    m->nodes = r->nodes;
    t = now();
    if (!no_fold)
      ts_memory_new(arena, &ir, run);
    m->memory = now() - t;
    ts_run_free(run);
  }
  free(bytes);
  ts_ir_builder_free(b);
  ts_arena_free(arena);
  return run ? 0 : 1;
}

static double least(double a, double b) { return a == 0 || b < a ? b : a; }

static int best_of(int times, const ts_define *define, uint32_t defines, bool no_fold,
                   measured *best)
{
  *best = (measured){0};
  for (int i = 0; i < times; i++) {
    measured m = {0};
    if (once(define, defines, no_fold, &m))
      return 1;
    best->compile = least(best->compile, m.compile);
    best->floor = least(best->floor, m.floor);
    best->open = least(best->open, m.open);
    best->play = least(best->play, m.play);
    best->memory = least(best->memory, m.memory);
    best->plan_bytes = m.plan_bytes;
    best->ir_bytes = m.ir_bytes;
    best->played = m.played;
    best->nodes = m.nodes;
  }
  return 0;
}

static void print(const char *title, const measured *m)
{
  printf("%s\n", title);
  printf("  tsc      %7.1f ms   IR %.0f kB from %.0f kB of text; floor (digests of both) %.2f ms, "
         "ratio %.0f: evaluation and fits\n",
         1e3 * m->compile, (double)m->ir_bytes / 1e3, (double)m->plan_bytes / 1e3, 1e3 * m->floor,
         m->compile / m->floor);
  printf("  tsrun    %7.1f ms   open and verify %.1f, play and compose %.1f, memory %.1f\n",
         1e3 * (m->open + m->play + m->memory), 1e3 * m->open, 1e3 * m->play, 1e3 * m->memory);
  printf("           %7.2f M nodes played of %.1f M, %.0f M nodes/s of those played\n",
         (double)m->played / 1e6, (double)m->nodes / 1e6,
         (double)m->played / (m->open + m->play + m->memory) / 1e6);
}

int main(void)
{
  static const ts_define wide[] = {{"dp", "64"}, {"global", "12288"}};
  measured small, large, all;
  if (best_of(5, NULL, 0, false, &small) || best_of(5, wide, 2, false, &large) ||
      best_of(3, NULL, 0, true, &all))
    return 1;
  print("1,024 devices", &small);
  print("8,192 devices (dp 64)", &large);
  printf("  8,192 over 1,024: tsc %.2f, tsrun %.2f\n", large.compile / small.compile,
         (large.open + large.play + large.memory) / (small.open + small.play + small.memory));
  printf("1,024 devices, every rank for itself\n  play     %7.1f ms   %.1f M nodes, %.0f M "
         "nodes/s, with composition and critical path\n",
         1e3 * all.play, (double)all.played / 1e6, (double)all.played / all.play / 1e6);
  return 0;
}
