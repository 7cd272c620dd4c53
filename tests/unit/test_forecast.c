/* What a play is said to take beforehand, beside what it took: memory within a factor of two, time
 * in proportion to what is counted. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "base/heap.h"
#include "compiler/compile.h"
#include "runtime/account/forecast.h"
#include "runtime/account/memory.h"
#include "runtime/play/slowdown.h"

typedef struct large { ts_arena *arena; ts_input input; } large;

static large open_plan(const char *plan, const ts_define *defines, uint32_t count)
{
  const char *source = getenv("top_srcdir");
  large l = {.arena = ts_arena_new("test")};
  ts_session *s = ts_session_new(l.arena);
  ts_compile_options options = {.defines = defines, .define_count = count};
  const char *path = ts_arena_printf(l.arena, "%s/examples/%s", source ? source : ".", plan);
  cr_assert(ts_input_open(s, path, &options, &l.input), "%s", plan);
  return l;
}

static large compile(const char *dp, const char *pp, const char *m)
{
  return open_plan("large.ts", (ts_define[]){{"dp", dp}, {"pp", pp}, {"m", m}}, 3);
}

static void close_large(large *l)
{
  ts_input_close(&l->input);
  ts_arena_free(l->arena);
}

static ts_forecast forecast(const char *dp, const char *pp, const char *m, bool no_fold)
{
  large l = compile(dp, pp, m);
  ts_forecast e = ts_forecast_play(&l.input.ir, &(ts_run_options){.no_fold = no_fold});
  close_large(&l);
  return e;
}

/* Bytes that playing asked for, over those said beforehand. */
static double taken_by(large l, ts_run_options options)
{
  options.threads = 1;
  ts_forecast e = ts_forecast_play(&l.input.ir, &options);
  ts_stop stop = {.arena = l.arena};
  double before = (double)ts_heap_in_use().now;
  ts_run *run = ts_run_new(&l.input.ir, &options, &stop);
  cr_assert(run);
  ts_memory_new(l.arena, &l.input.ir, run);
  double most = (double)ts_heap_in_use().most;
  ts_run_free(run);
  close_large(&l);
  return (most - before) / e.requested;
}

static double taken(const char *dp, const char *pp, const char *m, bool no_fold)
{
  return taken_by(compile(dp, pp, m), (ts_run_options){.no_fold = no_fold});
}

/* Each in a test of its own: what was the most before would hide what it takes. */
#define TAKES(name, ...)                                                                           \
  Test(forecast, name)                                                                             \
  {                                                                                                \
    double ratio = taken(__VA_ARGS__);                                                             \
    cr_expect(ratio > 0.5 && ratio < 2, "it took %.2f of the memory that it was said to", ratio);  \
  }
TAKES(folded_ranks, "131072", "1", "1", false)
TAKES(ranks_for_themselves, "131072", "1", "1", true)
TAKES(stages, "1", "128", "512", false)
TAKES(stages_for_themselves, "32", "64", "128", true)
TAKES(micro_batches, "8", "1", "100000", false)

enum { CONTENDED, OVERLAPPED };

/* The same of calls that share links and kernels that slow each other down, of two families. */
static void takes_by(large l, int how)
{
  const ts_slowdown *slow = NULL;
  if (how == OVERLAPPED)
    cr_assert_null(ts_slowdown_open(l.arena, "physical", &slow));
  double ratio = taken_by(l, (ts_run_options){.contention = how == CONTENDED, .overlap = slow});
  cr_expect(ratio > 0.5 && ratio < 2, "it took %.2f of the memory that it was said to", ratio);
}

#define TAKES_BY(name, plan, how)                                                                  \
  Test(forecast, name) { takes_by(plan, how); }
TAKES_BY(contended_ranks, compile("512", "1", "8"), CONTENDED)
TAKES_BY(contended_stages, compile("32", "16", "64"), CONTENDED)
TAKES_BY(contended_tensors, open_plan("gpt3_175b.ts", (ts_define[]){{"dp", "16"}}, 1), CONTENDED)
TAKES_BY(overlapped_stages, compile("32", "16", "64"), OVERLAPPED)
TAKES_BY(overlapped_tensors, open_plan("gpt3_175b.ts", (ts_define[]){{"dp", "16"}}, 1), OVERLAPPED)

static void grows(const char *what, ts_forecast one, ts_forecast ten)
{
  cr_expect(ten.seconds > 8 * one.seconds && ten.seconds < 12 * one.seconds, "%s: %g and %g s",
            what, one.seconds, ten.seconds);
  cr_expect(ten.bytes > 8 * one.bytes && ten.bytes < 12 * one.bytes, "%s: %g and %g B", what,
            one.bytes, ten.bytes);
}

Test(forecast, is_in_proportion)
{
  grows("ranks", forecast("1600", "1", "1", false), forecast("16000", "1", "1", false));
  grows("ranks, not folded", forecast("1600", "1", "1", true), forecast("16000", "1", "1", true));
  grows("micro-batches", forecast("8", "8", "1280", false), forecast("8", "8", "12800", false));
  ts_forecast folded = forecast("1024", "8", "64", false),
              alone = forecast("1024", "8", "64", true);
  cr_expect(alone.seconds > 2 * folded.seconds && alone.bytes > 2 * folded.bytes);
}
