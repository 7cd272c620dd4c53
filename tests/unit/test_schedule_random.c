/* Random orders of work, on a line of stages and on a V, with whole and with split backwards: each
 * either plays to its end, or is refused because it comes to a stop, as a player of a few lines
 * finds too. Then the reported cycle must be one: every edge is a wait that the clauses demand,
 * for an item that stands behind the next edge's on its rank, and no circle is shorter. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compiler/compile.h"
#include "runtime/account/result.h"
#include "tests/unit/amount.h"

enum {
  RANKS = 3,
  MICRO = 3,
  CHUNKS = 2,
  ITEMS = 3 * MICRO * CHUNKS,
  STAGES = RANKS * CHUNKS,
  CASES = 400
};

typedef struct item { char kind; int micro, stage; } item;
typedef struct order { int chunks, count[RANKS]; item at[RANKS][ITEMS]; } order;
typedef struct played { int next[RANKS]; bool done[128][MICRO][STAGES]; } played;

static int stages_of(const order *o) { return RANKS * o->chunks; }
static int stage_of(int rank, int chunk) { return chunk ? 2 * RANKS - 1 - rank : rank; }
static int rank_of(int stage) { return stage < RANKS ? stage : 2 * RANKS - 1 - stage; }

static uint32_t random_below(uint64_t *state, uint32_t n)
{
  *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (uint32_t)(*state >> 33) % n;
}

/* Of a rank: F before the backward of each micro-batch and chunk, micro-batches mostly in turn, so
 * that some come through. */
static void shuffle(order *o, uint64_t *state)
{
  *o = (order){.chunks = 1 + (int)random_below(state, CHUNKS)};
  for (int r = 0; r < RANKS; r++) {
    const char *kinds = random_below(state, 3) ? "FIW" : "FB";
    int next[MICRO][CHUNKS] = {{0}}, total = (int)strlen(kinds) * MICRO * o->chunks;
    while (o->count[r] < total) {
      int m = (int)random_below(state, MICRO), c = (int)random_below(state, (uint32_t)o->chunks);
      if (random_below(state, 6))
        for (m = 0; m < MICRO - 1 && next[m][c] > (int)random_below(state, 3); m++) {
        }
      if (c && next[m][0] == 0 && random_below(state, 6))
        c = 0;
      if (kinds[next[m][c]])
        o->at[r][o->count[r]++] = (item){kinds[next[m][c]++], m, stage_of(r, c)};
    }
  }
}

static bool gradient_done(const played *p, int micro, int stage)
{
  return p->done['I'][micro][stage] || p->done['B'][micro][stage];
}

/* What an item needs of another stage, and has not got. */
static bool needs(const order *o, const played *p, item i, item *missing)
{
  *missing = (item){i.kind == 'F' ? 'F' : 'I', i.micro, i.kind == 'F' ? i.stage - 1 : i.stage + 1};
  if (i.kind == 'F')
    return i.stage > 0 && !p->done['F'][i.micro][i.stage - 1];
  return i.kind != 'W' && i.stage + 1 < stages_of(o) && !gradient_done(p, i.micro, i.stage + 1);
}

static bool plays(const order *o, played *p)
{
  int left = 0;
  *p = (played){.next = {0}};
  for (bool moved = true; moved;) {
    moved = false;
    for (int r = 0; r < RANKS; r++)
      for (item missing; p->next[r] < o->count[r] && !needs(o, p, o->at[r][p->next[r]], &missing);
           p->next[r]++) {
        item i = o->at[r][p->next[r]];
        p->done[(int)i.kind][i.micro][i.stage] = moved = true;
      }
  }
  for (int r = 0; r < RANKS; r++)
    left += o->count[r] - p->next[r];
  return !left;
}

/* An order that was played as it was made, of which then a few neighbours change places. */
static void play_and_change(order *o, uint64_t *state)
{
  played p = {.next = {0}};
  const char *kinds[RANKS];
  int next[RANKS][MICRO][CHUNKS] = {{{0}}}, left = 0;
  *o = (order){.chunks = 1 + (int)random_below(state, CHUNKS)};
  for (int r = 0; r < RANKS; r++) {
    kinds[r] = random_below(state, 2) ? "FIW" : "FB";
    left += (int)strlen(kinds[r]) * MICRO * o->chunks;
  }
  while (left) {
    int r = (int)random_below(state, RANKS), m = (int)random_below(state, MICRO),
        c = (int)random_below(state, (uint32_t)o->chunks);
    item i = {kinds[r][next[r][m][c]], m, stage_of(r, c)}, missing;
    if (!i.kind || needs(o, &p, i, &missing))
      continue;
    o->at[r][o->count[r]++] = i;
    p.done[(int)i.kind][m][i.stage] = true;
    next[r][m][c]++;
    left--;
  }
  for (uint32_t changes = random_below(state, 6); changes; changes--) {
    int r = (int)random_below(state, RANKS),
        n = (int)random_below(state, (uint32_t)o->count[r] - 1);
    item *x = &o->at[r][n], *y = x + 1, keep = *x;
    if (x->micro != y->micro || x->stage != y->stage) {
      *x = *y;
      *y = keep;
    }
  }
}

static const char *plan_of(ts_arena *arena, const order *o)
{
  const char *text =
    ts_arena_printf(arena, "import \"schedule_lab.ts\"\nschedule any(p: Axis) {\n  stages p\n%s",
                    o->chunks > 1 ? "  chunks 2 place zigzag\n" : "");
  for (int r = 0; r < RANKS; r++) {
    text = ts_arena_printf(arena, "%s  at %d {", text, r);
    for (int n = 0; n < o->count[r]; n++) {
      item i = o->at[r][n];
      const char *chunk = o->chunks > 1 ? i.stage < RANKS ? ", 0" : ", 1" : "";
      text = ts_arena_printf(arena, "%s %c(%d%s)", text, i.kind, i.micro, chunk);
    }
    text = ts_arena_printf(arena, "%s }\n", text);
  }
  return ts_arena_printf(arena,
                         "%s}\nplan random {\n  model = stages_of_stated_work(count: %d, f: 1 us, "
                         "i: 1 us, w: 1 us, held: 1 MiB, held_by_i: 0 B)\n"
                         "  cluster = all_to_all(ranks: %d)\n  schedule = any(p: %d)\n  costs = [{ "
                         "stated: stated }, roofline(worker)]\n}\n",
                         text, stages_of(o), RANKS, RANKS);
}

/* -- the circle -- */

/* stands: what is next on the rank of what is needed */
typedef struct edge { item waits, needed, stands; char clause[32]; } edge;

static bool same(item x, item y)
{
  return x.kind == y.kind && x.micro == y.micro && x.stage == y.stage;
}

static int place_of(const order *o, item i)
{
  for (int n = 0; n < o->count[rank_of(i.stage)]; n++)
    if (same(o->at[rank_of(i.stage)][n], i))
      return n;
  return -1;
}

/* "F(1) at stage 2", or "F(1, 0) at rank 2" where there are chunks, after white space and `words`:
 * how much was read, or 0. */
static int read_item(const char *text, const char *words, item *i)
{
  int used = 0, micro, chunk, place;
  while (*text == ' ' || *text == '\n')
    text++, used++;
  if (strncmp(text, words, strlen(words)))
    return 0;
  text += strlen(words);
  used += (int)strlen(words);
  int length = 0;
  if (sscanf(text, "%c(%d) at stage %d%n", &i->kind, &micro, &place, &length) == 3)
    *i = (item){i->kind, micro, place};
  else if (sscanf(text, "%c(%d, %d) at rank %d%n", &i->kind, &micro, &chunk, &place, &length) == 4)
    *i = (item){i->kind, micro, stage_of(place, chunk)};
  else
    return 0;
  return used + length;
}

/* The edges of the message: "ITEM waits for ITEM, clause `NAME`" and then, where that is not the next
 * of its rank, ",\n which comes after ITEM on its rank". */
static int read_circle(const char *text, edge *edges)
{
  int count = 0, used;
  const char *at = strstr(text, "= cycle");
  for (at += at ? strlen("= cycle") : 0;
       at && count <= RANKS && (used = read_item(at, "", &edges[count].waits)); count++) {
    edge *e = &edges[count];
    at += used;
    at += used = read_item(at, "waits for ", &e->needed);
    if (!used || sscanf(at, ", clause `%31[^`]`%n", e->clause, &used) != 1)
      return 0;
    at += used;
    e->stands = e->needed;
    if (*at == ',') {
      at += 1 + read_item(at + 1, "which comes after ", &e->stands);
      at += strlen(" on its rank");
    }
  }
  return count;
}

static bool is_wait(const order *o, const played *p, const edge *e)
{
  item missing;
  bool gradient = e->needed.kind == 'I' || e->needed.kind == 'B';
  return needs(o, p, e->waits, &missing) && missing.micro == e->needed.micro &&
         missing.stage == e->needed.stage &&
         (missing.kind == 'F' ? e->needed.kind == 'F' : gradient) &&
         !strcmp(e->clause, missing.kind == 'F' ? "activations" : "gradients") &&
         place_of(o, e->needed) >= 0;
}

/* Of ranks whose heads wait for one another. */
static int shortest_circle(const order *o, const played *p)
{
  int far[RANKS][RANKS];
  item missing;
  for (int r = 0; r < RANKS; r++)
    for (int q = 0; q < RANKS; q++)
      far[r][q] = p->next[r] < o->count[r] && needs(o, p, o->at[r][p->next[r]], &missing) &&
                      rank_of(missing.stage) == q ?
                    1 :
                    99;
  for (int k = 0; k < RANKS; k++)
    for (int r = 0; r < RANKS; r++)
      for (int q = 0; q < RANKS; q++)
        if (far[r][k] + far[k][q] < far[r][q])
          far[r][q] = far[r][k] + far[k][q];
  int shortest = 99;
  for (int r = 0; r < RANKS; r++)
    shortest = far[r][r] < shortest ? far[r][r] : shortest;
  return shortest;
}

static void check_circle(const ts_session *s, const order *o, const played *p, const char *plan)
{
  edge edges[RANKS + 2];
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  ts_diags_print(s->diags, out, TS_COLOR_NEVER);
  fclose(out);
  cr_assert(strstr(text, "E0402"), "%s", plan);
  int count = read_circle(text, edges);
  cr_assert_eq(count, shortest_circle(o, p), "%s\n%s", plan, text);
  for (int n = 0; n < count; n++) {
    const edge *e = &edges[n], *next = &edges[(n + 1) % count];
    cr_assert(is_wait(o, p, e), "edge %d\n%s\n%s", n, plan, text);
    cr_assert(same(e->stands, next->waits) &&
                rank_of(e->stands.stage) == rank_of(e->needed.stage) &&
                place_of(o, e->stands) <= place_of(o, e->needed),
              "edge %d\n%s\n%s", n, plan, text);
    cr_assert_eq(place_of(o, e->waits), p->next[rank_of(e->waits.stage)], "edge %d\n%s\n%s", n,
                 plan, text);
  }
  free(text);
}

Test(schedule, random_orders_play_or_are_refused)
{
  const char *source = getenv("top_srcdir"), *scratch = getenv("TMPDIR");
  uint64_t state = 7;
  int refused[CHUNKS + 1] = {0}, cases[CHUNKS + 1] = {0};
  char path[512];
  snprintf(path, sizeof path, "%s/test_schedule_random.%ld.ts", scratch ? scratch : "/tmp",
           (long)getpid());
  for (unsigned n = 0; n < amount(CASES / 10, CASES); n++) {
    order o;
    played p;
    if (n % 2)
      shuffle(&o, &state);
    else
      play_and_change(&o, &state);
    ts_arena *arena = ts_arena_new("test");
    ts_session *s = ts_session_new(arena);
    const char *text = plan_of(arena, &o),
               *dirs[] = {ts_arena_printf(arena, "%s/examples", source ? source : ".")};
    FILE *file = fopen(path, "w");
    cr_assert(file);
    fputs(text, file);
    fclose(file);
    ts_compile_options options = {
      .plan_name = "random", .import_dirs = dirs, .import_dir_count = 1};
    ts_input input;
    bool compiled = ts_input_open(s, path, &options, &input);
    cr_assert_eq(compiled, plays(&o, &p), "%s", text);
    cases[o.chunks]++;
    if (compiled) {
      ts_stop stop = {.arena = arena};
      ts_run *run = ts_run_new(&input.ir, &(ts_run_options){0}, &stop);
      cr_assert(run, "%s", text);
      ts_run_free(run);
      ts_input_close(&input);
    } else {
      refused[o.chunks]++;
      check_circle(s, &o, &p, text);
    }
    ts_arena_free(arena);
  }
  remove(path);
  for (int c = 1; c <= CHUNKS; c++)
    cr_expect(refused[c] > 0 && refused[c] < cases[c], "chunks %d: %d of %d refused", c, refused[c],
              cases[c]);
}
