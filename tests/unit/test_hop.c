/* Decentralized training (stdlib/schedules/hop.ts) against the recurrence of its protocol, and
 * against closed forms. With E(w, k) the end of iteration k of worker w, t its time there, q the
 * k-th smallest:
 *   begin(w, k) = max(E(w, k-1), max over neighbours v of E(v, k-1-ahead))
 *   E(w, k)     = max(begin(w, k) + t(w, k), q(neighbours - backups) over neighbours v of E(v,
 *   k-1-staleness) + message)
 * where what lies before iteration 0 is there from the beginning, and what is there counts. Updates
 * that take time queue for the link from worker to worker that they cross, each by itself. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compiler/compile.h"
#include "runtime/account/result.h"
#include "runtime/play/play.h"
#include "runtime/play/slowdown.h"

enum { MOST_WORKERS = 12, MOST_ITERATIONS = 24 };

/* slow: worker that takes 6 times as long; -1: as drawn */
typedef struct setting {
  int workers, iterations, ahead, backups, staleness, double_ring, slow;
} setting;

/* As the plan's protocol says. */
static uint64_t slowness(const setting *s, int w, int k)
{
  return s->slow == w ? 6 : s->slow < 0 && (w * 7 + k * 5) % 11 == 0 ? 6 : 1;
}

static int ring_based(int w, int n, int *out)
{
  int count = 0;
  if (n == 2) {
    out[count++] = 1 - w;
    return count;
  }
  out[count++] = (w + n - 1) % n;
  out[count++] = (w + 1) % n;
  if (n % 2 == 0)
    out[count++] = (w + n / 2) % n;
  return count;
}

static int neighbours(const setting *s, int w, int *out)
{
  int n = s->workers, half = n / 2;
  if (!s->double_ring)
    return ring_based(w, n, out);
  int count = ring_based(w % half, half, out);
  for (int i = 0; i < count; i++)
    out[i] += w / half * half;
  out[count++] = (w + half) % n;
  return count;
}

static int ascending(const void *a, const void *b)
{
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return x < y ? -1 : x > y;
}

static uint64_t expected(const setting *s, uint64_t work)
{
  static uint64_t end[MOST_WORKERS][MOST_ITERATIONS];
  uint64_t last = 0;
  for (int k = 0; k < s->iterations; k++)
    for (int w = 0; w < s->workers; w++) {
      int v[8], count = neighbours(s, w, v), updates = k - 1 - s->staleness,
                tokens = k - 1 - s->ahead;
      uint64_t begin = k ? end[w][k - 1] : 0, come[8] = {0};
      for (int i = 0; i < count; i++) {
        if (s->ahead > 0 && tokens >= 0 && end[v[i]][tokens] > begin)
          begin = end[v[i]][tokens];
        come[i] = updates >= 0 ? end[v[i]][updates] : 0;
      }
      qsort(come, (size_t)count, sizeof *come, ascending);
      uint64_t done = begin + work * slowness(s, w, k),
               enough = count > s->backups ? come[count - s->backups - 1] : 0;
      end[w][k] = done > enough ? done : enough;
      last = end[w][k] > last ? end[w][k] : last;
    }
  return last;
}

static const char *plan_of(ts_arena *arena, const setting *s)
{
  const char *where =
    s->slow >= 0 ? ts_arena_printf(arena, "w == %d", s->slow) : "(w * 7 + k * 5) % 11 == 0";
  return ts_arena_printf(
    arena,
    "import \"schedule_lab.ts\", std.schedules.hop\n"
    "protocol stragglers {\n  slow a: F(k) at w by 6 where %s\n  slow b: B(k) at w by 6 where %s\n}\n"
    "plan test {\n  model = stages_of_stated_work(count: 1, f: 3 us, i: 4 us, w: 5 us, held: 1 "
    "MiB, held_by_i: 0 B)\n"
    "  cluster = all_to_all(ranks: %d)\n  mesh = { n: %d }\n"
    "  schedule = hop(n, iterations: %d, size: 0 B, graph: %s, backups: %d, staleness: %d, ahead: "
    "%d)\n"
    "  protocols = stragglers\n  costs = [{ stated: stated }, roofline(worker)]\n}\n",
    where, where, s->workers, s->workers, s->iterations,
    s->double_ring ? "double_ring" : "ring_based", s->backups, s->staleness, s->ahead);
}

/* The kernel of the laboratory's source takes some time of its own, of which the oracle knows
 * nothing: it is that of one iteration alone. */
static uint64_t play(const char *(*plan)(ts_arena *, const setting *), const setting *s)
{
  const char *source = getenv("top_srcdir"), *scratch = getenv("TMPDIR");
  char path[512];
  snprintf(path, sizeof path, "%s/test_hop.%ld.ts", scratch ? scratch : "/tmp", (long)getpid());
  ts_arena *arena = ts_arena_new("test");
  ts_session *session = ts_session_new(arena);
  const char *text = plan(arena, s),
             *dirs[] = {ts_arena_printf(arena, "%s/examples", source ? source : ".")};
  FILE *file = fopen(path, "w");
  cr_assert(file);
  fputs(text, file);
  fclose(file);
  ts_compile_options options = {.plan_name = "test", .import_dirs = dirs, .import_dir_count = 1};
  ts_input input;
  bool compiled = ts_input_open(session, path, &options, &input);
  if (!compiled)
    ts_diags_print(session->diags, stderr, TS_COLOR_NEVER);
  cr_assert(compiled, "%s", text);
  ts_stop stop = {.arena = arena};
  ts_run *run = ts_run_new(&input.ir, &(ts_run_options){0}, &stop);
  cr_assert(run);
  uint64_t step = ts_run_result(run)->step;
  ts_run_free(run);
  const ts_run_options in_order_of_time[] = {{.overlap = &ts_slowdown_nothing},
                                             {.overlap = &ts_slowdown_nothing, .no_fold = true},
                                             {.contention = true}};
  for (size_t i = 0; i < sizeof in_order_of_time / sizeof *in_order_of_time; i++) {
    uint64_t same = 0;
    cr_assert(ts_run_step(&input.ir, &in_order_of_time[i], &same, &stop), "%s", stop.title);
    cr_assert_eq(same, step, "%s", text);
  }
  ts_input_close(&input);
  ts_arena_free(arena);
  remove(path);
  return step;
}

static uint64_t played(const setting *s) { return play(plan_of, s); }
static uint64_t one_iteration(void)
{
  return played(&(setting){.workers = 2, .iterations = 1, .slow = MOST_WORKERS});
}

Test(hop, as_the_protocol_says)
{
  uint64_t work = one_iteration();
  uint32_t state = 5;
  for (int n = 0; n < 60; n++) {
    setting s = {.slow = -1};
    state = state * 1664525u + 1013904223u;
    s.workers = 2 * (int)(2 + (state >> 8) % 5);
    s.iterations = 2 + (int)((state >> 12) % (MOST_ITERATIONS - 2));
    s.double_ring = s.workers % 4 == 0 && (state >> 20 & 1);
    s.backups = (int)((state >> 22) % 3);
    s.ahead = s.backups ? 1 + (int)((state >> 25) % 4) : (int)((state >> 25) % 3);
    s.staleness = (int)((state >> 28) % 3);
    cr_assert_eq(played(&s), expected(&s, work),
                 "%d workers, %d iterations, backups %d, ahead %d, staleness %d, double ring %d",
                 s.workers, s.iterations, s.backups, s.ahead, s.staleness, s.double_ring);
  }
}

/* Equal workers never wait: K iterations take K times one, on any graph. */
Test(hop, equal_workers)
{
  uint64_t work = one_iteration();
  for (int n = 4; n <= MOST_WORKERS; n += 4)
    for (int both = 0; both < 2; both++)
      cr_assert_eq(played(&(setting){
                     .workers = n, .iterations = 9, .slow = MOST_WORKERS, .double_ring = both}),
                   9 * work);
}

/* One worker is always six times as slow. Neither backup workers nor stale updates nor a long queue
 * of tokens help for good: the plan ends with it, after 6 K t (the paper's reason for skipping
 * iterations). */
Test(hop, one_slow_worker)
{
  uint64_t work = one_iteration();
  for (int ahead = 1; ahead < 4; ahead++)
    cr_assert_eq(played(&(setting){.workers = 8,
                                   .iterations = 12,
                                   .slow = 3,
                                   .ahead = ahead,
                                   .backups = ahead % 2,
                                   .staleness = ahead % 3}),
                 12 * 6 * work);
}

/* ---- Links of their own ---- */

/* From worker v to w, in MB/s, of a scenario: from fast to eleven times as slow. */
static int rate(const setting *s, int v, int w)
{
  return 11000 / (1 + (v * 5 + w * 3 + (v + s->slow) * (w + 2) * 7) % 11);
}

static const char *linked_plan(ts_arena *arena, const setting *s)
{
  const char *graph = s->double_ring ? "double_ring" : "ring_based";
  return ts_arena_printf(
    arena,
    "import \"schedule_lab.ts\", std.schedules.hop\n"
    "cluster links(n: Int) {\n  device gpu[n]: worker\n  switch port[n], between[n, n]\n"
    "  for v in 0..n { link gpu[v] <-> port[v] { bandwidth = 1 TB/s, latency = 0 us } }\n"
    "  for v in 0..n, w in %s(v, n) {\n"
    "    link port[v] -> between[v, w] { bandwidth = div(11000, 1 + (v * 5 + w * 3 + (v + %d) * (w "
    "+ 2) * 7) %% 11) * 1 MB/s, latency = 1 us }\n"
    "    link between[v, w] -> port[w] { bandwidth = 1 TB/s, latency = 0 us }\n  }\n}\n"
    "plan test {\n  model = stages_of_stated_work(count: 1, f: 3 ms, i: 4 ms, w: 5 ms, held: 1 "
    "MiB, held_by_i: 0 B)\n"
    "  cluster = links(%d)\n  mesh = { n: %d }\n"
    "  schedule = hop(n, iterations: %d, size: 20 MB, graph: %s, backups: %d, ahead: %d)\n  costs "
    "= [{ stated: stated }, roofline(worker)]\n}\n",
    graph, s->slow, s->workers, s->workers, s->iterations, graph, s->backups, s->ahead);
}

/* With a clock for each link: updates of an iteration leave when it has ended, those to one
 * neighbour one after the other. */
static double expected_on_links(const setting *s, double work)
{
  static double end[MOST_WORKERS][MOST_ITERATIONS], come[MOST_WORKERS][MOST_WORKERS],
    link[MOST_WORKERS][MOST_WORKERS];
  double last = 0;
  memset(link, 0, sizeof link);
  for (int k = 0; k < s->iterations; k++) {
    for (int v = 0; v < s->workers && k; v++) {
      int w[8], count = neighbours(s, v, w);
      for (int i = 0; i < count; i++) {
        link[v][w[i]] = fmax(link[v][w[i]], end[v][k - 1]) + 20e6 / rate(s, v, w[i]) * 1e6;
        come[w[i]][v] = link[v][w[i]] + 1e6;
      }
    }
    for (int w = 0; w < s->workers; w++) {
      int v[8], count = neighbours(s, w, v), before;
      double begin = k ? end[w][k - 1] : 0, enough = 0;
      for (int i = 0; i < count; i++) {
        if (s->ahead && k - 1 - s->ahead >= 0)
          begin = fmax(begin, end[v[i]][k - 1 - s->ahead]);
        before = 0;
        for (int j = 0; j < count && k; j++)
          before += come[w][v[j]] < come[w][v[i]] || (come[w][v[j]] == come[w][v[i]] && j < i);
        if (k && before == count - s->backups - 1)
          enough = come[w][v[i]];
      }
      end[w][k] = fmax(begin + work, enough);
      last = fmax(last, end[w][k]);
    }
  }
  return last;
}

/* Backup workers gain what slow links cost: all 16 cases of two graphs and eight draws of links. */
Test(hop, links_of_their_own)
{
  setting alone = {.workers = 8, .iterations = 1};
  double work = (double)play(linked_plan, &alone), gained = 0;
  for (int n = 0; n < 16; n++) {
    double step[2];
    for (int backups = 0; backups < 2; backups++) {
      setting s = {.workers = 8,
                   .iterations = MOST_ITERATIONS,
                   .double_ring = n / 8,
                   .slow = n % 8,
                   .backups = backups,
                   .ahead = backups ? 3 : 0};
      step[backups] = (double)play(linked_plan, &s);
      cr_assert_float_eq(step[backups], expected_on_links(&s, work), 1e4,
                         "case %d, %d backups: %.0f ps, not %.0f", n, backups, step[backups],
                         expected_on_links(&s, work));
    }
    gained += step[0] / step[1] / 16;
  }
  cr_assert_gt(gained, 1.1, "%g times as fast", gained);
}
