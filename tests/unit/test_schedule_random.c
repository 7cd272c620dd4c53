/* Random orders of work: each either plays to its end or is refused because it comes to a stop, as a player of a few lines finds too. Written as
 * exact orders in a plan's own file. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compiler/compile.h"
#include "runtime/result.h"

enum { RANKS = 3, MICRO = 3, ITEMS = 3 * MICRO, CASES = 300 };

typedef struct item { char kind; int micro; } item;
typedef struct order { item at[RANKS][ITEMS]; } order;

static uint32_t random_below(uint64_t *state, uint32_t n)
{
  *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (uint32_t)(*state >> 33) % n;
}

/* Of a rank: F before I before W of each micro-batch, otherwise as it comes. */
static void shuffle(order *o, uint64_t *state)
{
  static const char kinds[] = "FIW";
  for (int r = 0; r < RANKS; r++) {
    int next[MICRO] = {0};
    for (int n = 0; n < ITEMS;) {
      int m = (int)random_below(state, MICRO);
      if (random_below(state, 4)) /* mostly in turn, so that some come through */
        for (m = 0; m < MICRO - 1 && next[m] > (int)random_below(state, 3); m++) {
        }
      if (next[m] < 3)
        o->at[r][n++] = (item){kinds[next[m]++], m};
    }
  }
}

static bool plays(const order *o)
{
  bool done[RANKS][128][MICRO];
  int next[RANKS] = {0}, left = RANKS * ITEMS;
  memset(done, 0, sizeof done);
  for (bool moved = true; moved;) {
    moved = false;
    for (int r = 0; r < RANKS; r++)
      while (next[r] < ITEMS) {
        item i = o->at[r][next[r]];
        if ((i.kind == 'F' && r > 0 && !done[r - 1]['F'][i.micro]) || (i.kind == 'I' && r + 1 < RANKS && !done[r + 1]['I'][i.micro]))
          break;
        done[r][(int)i.kind][i.micro] = moved = true;
        next[r]++;
        left--;
      }
  }
  return !left;
}

static const char *plan_of(ts_arena *arena, const order *o)
{
  const char *text = "import \"schedule_lab.ts\"\nschedule any(p: Axis) {\n  stages p\n";
  for (int r = 0; r < RANKS; r++) {
    text = ts_arena_printf(arena, "%s  at %d {", text, r);
    for (int n = 0; n < ITEMS; n++)
      text = ts_arena_printf(arena, "%s %c(%d)", text, o->at[r][n].kind, o->at[r][n].micro);
    text = ts_arena_printf(arena, "%s }\n", text);
  }
  return ts_arena_printf(arena,
                         "%s}\nplan random {\n  model = stages_of_stated_work(count: %d, f: 1 us, i: 1 us, w: 1 us, held: 1 MiB, held_by_i: 0 B)\n"
                         "  cluster = all_to_all(ranks: %d)\n  schedule = any(p: %d)\n  costs = [{ stated: stated }, roofline(worker)]\n}\n",
                         text, RANKS, RANKS, RANKS);
}

static bool only_stops(const ts_session *s)
{
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  ts_diags_print(s->diags, out, TS_COLOR_NEVER);
  fclose(out);
  bool stops = strstr(text, "E0402") && strstr(text, "cycle");
  free(text);
  return stops;
}

Test(schedule, random_orders_play_or_are_refused)
{
  const char *source = getenv("top_srcdir"), *scratch = getenv("TMPDIR");
  uint64_t state = 7;
  int refused = 0;
  char path[512];
  snprintf(path, sizeof path, "%s/test_schedule_random.%ld.ts", scratch ? scratch : "/tmp", (long)getpid());
  for (int n = 0; n < CASES; n++) {
    order o;
    shuffle(&o, &state);
    ts_arena *arena = ts_arena_new("test");
    ts_session *s = ts_session_new(arena);
    const char *text = plan_of(arena, &o), *dirs[] = {ts_arena_printf(arena, "%s/examples", source ? source : ".")};
    FILE *file = fopen(path, "w");
    cr_assert(file);
    fputs(text, file);
    fclose(file);
    ts_compile_options options = {.plan_name = "random", .import_dirs = dirs, .import_dir_count = 1};
    ts_input input;
    bool compiled = ts_input_open(s, path, &options, &input);
    cr_assert_eq(compiled, plays(&o), "%s", text);
    if (compiled) {
      ts_stop stop = {.arena = arena};
      ts_run *run = ts_run_new(&input.ir, &(ts_run_options){0}, &stop);
      cr_assert(run, "%s", text);
      ts_run_free(run);
      ts_input_close(&input);
    } else {
      refused++;
      cr_assert(only_stops(s), "%s", text);
    }
    ts_arena_free(arena);
  }
  remove(path);
  cr_expect(refused > 0 && refused < CASES);
}
