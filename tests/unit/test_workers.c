/* Work on several threads: each piece once, each worker by itself, and the same results from any
 * number. `./dev tsan` watches these for data races. */
#include <criterion/criterion.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "runtime/account/memory.h"
#include "runtime/load/workers.h"
#include "tests/unit/ir_text.h"

enum { COUNT = 2000, WORKERS = 8 };

typedef struct tallies {
  pthread_t caller;
  int done[COUNT];
  int of_worker[WORKERS]; /* not atomic: a worker does one piece at a time */
  bool interruptible[WORKERS];
} tallies;

static void tally(void *closure, uint32_t piece, uint32_t worker)
{
  tallies *t = closure;
  sigset_t blocked;
  pthread_sigmask(SIG_SETMASK, NULL, &blocked);
  t->done[piece]++;
  t->of_worker[worker]++;
  t->interruptible[worker] |=
    !pthread_equal(pthread_self(), t->caller) && !sigismember(&blocked, SIGINT);
}

Test(workers, every_piece_is_done_once)
{
  tallies t = {.caller = pthread_self()};
  cr_assert(
    ts_workers_run(WORKERS, &(ts_workers_job){.pieces = COUNT, .work = tally, .closure = &t}));
  int sum = 0;
  for (int i = 0; i < COUNT; i++)
    cr_assert_eq(t.done[i], 1, "piece %d: %d times", i, t.done[i]);
  for (int w = 0; w < WORKERS; w++) {
    sum += t.of_worker[w];
    cr_expect_not(t.interruptible[w], "signals are for the thread that asked");
  }
  cr_expect_eq(sum, COUNT);
}

Test(workers, no_more_threads_than_the_pieces_are_worth)
{
  cr_expect_eq(ts_workers_size(4, 0), 1);
  cr_expect_eq(ts_workers_size(4, 31), 1);
  cr_expect_eq(ts_workers_size(4, 64), 3);
  cr_expect_eq(ts_workers_size(4, COUNT), 4);
  cr_expect_eq(ts_workers_size(1, COUNT), 1);
  cr_expect_geq(ts_workers_size(0, COUNT), 1);
  cr_expect_leq(ts_workers_size(UINT32_MAX, UINT32_MAX), 64);
}

typedef struct stopper {
  const tallies *t;
  int requested;
  double last;
} stopper;

static bool stop_at_once(void *closure, const char *what, double share)
{
  stopper *s = closure;
  cr_expect_str_eq(what, "counting");
  cr_expect(pthread_equal(pthread_self(), s->t->caller), "asked on a thread of the workers");
  s->requested++;
  s->last = share;
  return false;
}

Test(workers, stops_when_asked)
{
  tallies t = {.caller = pthread_self()};
  stopper s = {.t = &t};
  ts_progress progress = {.tick = stop_at_once, .closure = &s};
  cr_expect_not(ts_workers_run(1, &(ts_workers_job){COUNT, tally, &t, &progress, "counting"}));
  cr_expect_eq(s.requested, 1);
  cr_expect_eq(s.last, 0);
  cr_expect_lt(t.of_worker[0], COUNT);
  cr_expect_eq(t.done[COUNT - 1], 0);
}

/* ---- What a run sums up ---- */

/* Every rank on a device of another speed, so that each is a class of its own. */
static char *many_classes(int ranks)
{
  char *text = NULL;
  size_t size;
  FILE *out = open_memstream(&text, &size);
  fprintf(out,
          "axis dp %d\ngroup dp = dp\ndevice_class h 1 TB/s memory 2000 B\ndevices gpu[%d] of "
          "h\nswitches sw[1]\nlink_class near 100 GB/s latency 1 us\n",
          ranks, ranks);
  for (int i = 0; i < ranks; i++)
    fprintf(out, "vertex gpu[%d] speed %.4f\nlink gpu[%d] -- sw[0] near\n", i, 1 - i / 1000.0, i);
  fputs("stream compute\nstream comm\ncollective sum all_reduce 1 MiB over dp\nnet_model n "
        "alpha_beta base 10 us\n"
        "fragment F {\n"
        "  a: compute 10 us alloc 100 B activations \"layer[0].x\"\n"
        "  b: collective sum after a\n"
        "  c: compute 20 us alloc 50 B temporaries \"t\" free 50 B temporaries \"t\"\n"
        "  d: compute 10 us after b free 100 B activations \"layer[0].x\"\n"
        "}\n"
        "program { hold 1000 B parameters \"w\"; F 0; F 1; F 2 }\n",
        out);
  fclose(out);
  return text;
}

static ts_run *play(ts_arena *arena, const ts_ir *ir, uint32_t threads, const ts_memory **memory)
{
  ts_stop stop = {.arena = arena};
  ts_run *run = ts_run_new(ir, &(ts_run_options){.threads = threads}, &stop);
  cr_assert(run, "%s", stop.title);
  *memory = ts_memory_new(arena, ir, run);
  return run;
}

static void expect_same_class(const ts_class_result *a, const ts_class_result *b)
{
  cr_assert_eq(a->rank, b->rank);
  cr_assert_eq(a->end, b->end);
  cr_assert_eq(a->host, b->host);
  cr_assert_eq(a->tail, b->tail);
  cr_assert_eq(a->bubble, b->bubble);
  cr_assert_arr_eq(a->phase, b->phase, sizeof a->phase);
  cr_assert_eq(a->comm_count, b->comm_count);
  for (uint32_t i = 0; i < a->comm_count; i++) {
    cr_assert_eq(a->comms[i].busy, b->comms[i].busy);
    cr_assert_eq(a->comms[i].exposed, b->comms[i].exposed);
  }
}

static void expect_same_memory(const ts_memory_class *a, const ts_memory_class *b)
{
  cr_assert_eq(a->rank, b->rank);
  cr_assert_eq(a->peak, b->peak);
  cr_assert_eq(a->at_peak.time, b->at_peak.time);
  cr_assert_eq(a->holder_count, b->holder_count);
  for (uint32_t i = 0; i < a->holder_count; i++) {
    cr_assert_str_eq(a->holders[i].label, b->holders[i].label);
    cr_assert_eq(a->holders[i].bytes, b->holders[i].bytes);
  }
}

Test(workers, a_run_and_its_memory_are_the_same_from_any_number_of_threads)
{
  enum { RANKS = 300 };
  ts_arena *arena = ts_arena_new("test");
  char *text = many_classes(RANKS);
  ts_error error = {0};
  ts_ir_builder *b = ir_text_read(text, &error);
  cr_assert(b, "line %u: %s", error.line, error.message);
  ts_ir ir;
  ts_ir_builder_view(b, &ir);
  const ts_memory *memory[2];
  ts_run *runs[2] = {play(arena, &ir, 1, &memory[0]), play(arena, &ir, WORKERS, &memory[1])};
  const ts_result *one = ts_run_result(runs[0]), *many = ts_run_result(runs[1]);
  cr_assert_eq(one->class_count, RANKS); /* enough for all workers */
  cr_assert_eq(many->class_count, RANKS);
  cr_assert_eq(one->step, many->step);
  for (uint32_t c = 0; c < RANKS; c++) {
    expect_same_class(&one->classes[c], &many->classes[c]);
    expect_same_memory(&memory[0]->classes[c], &memory[1]->classes[c]);
  }
  for (int i = 0; i < 2; i++)
    ts_run_free(runs[i]);
  ts_ir_builder_free(b);
  ts_arena_free(arena);
  free(text);
}
