/* The report of a sweep as text. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/format.h"
#include "lang/units.h"
#include "runtime/report/confidence.h"
#include "tools/sweep/rank.h"
#include "tools/sweep/report.h"

/* What is not known of the best, and which plans cannot be told from it. */
static void put_equals(const ts_sweep *s, size_t ranked, FILE *out)
{
  enum { NAMED = 3 };
  const ts_outcome *best = &s->outcomes[0];
  size_t equal = 0;
  if (!ranked || !best->sure || !best->sure->step.on)
    return;
  ts_text step = ts_format_time((uint64_t)(best->figures.of[TS_FIGURE_STEP] * 1e12 + 0.5));
  ts_put_text(out, "\nThe best takes %s (%s)", step.text,
              ts_interval_text(s->arena, &best->sure->step, step));
  for (size_t i = 1; i < ranked; i++)
    equal += s->outcomes[i].equal;
  /* what was not played is not compared */
  bool all = s->search->open || !ts_sweep_count(s, TS_BOUNDED);
  if (!ts_sweep_is_speed(s) || (!all && ranked == 1)) {
    fputs(".\n", out);
    return;
  }
  ts_put_text(out, "; %s of the others%s can be as good%s\n",
              equal ? ts_format_count(equal).text : "none", all ? "" : " shown", equal ? ":" : ".");
  for (size_t i = 1, named = 0; i < ranked && named < NAMED; i++)
    if (s->outcomes[i].equal) {
      ts_put_text(out, "  %s\n", ts_sweep_point_text(s, s->outcomes[i].point, s->arena));
      named++;
    }
  if (equal > NAMED)
    ts_put_text(out, "  and %s more\n", ts_format_count(equal - NAMED).text);
}

/* Plans that the table may show: of several goals those of the front. */
static size_t front_of(const ts_sweep *s)
{
  size_t count = 0;
  for (size_t i = 0; i < s->count; i++)
    count += s->outcomes[i].state == TS_RANKED &&
             (s->search->goal_count == 1 || s->outcomes[i].front);
  return count;
}

/* What the table has a column of in any case. */
enum { USUAL = 4 };
static const struct { ts_figure_id figure; const char *head; int width; } usual[USUAL] = {
  {TS_FIGURE_STEP, "step time", 12},
  {TS_FIGURE_TOKENS, "tokens/s", 12},
  {TS_FIGURE_MFU, "MFU", 8},
  {TS_FIGURE_MEMORY, "memory", 14}};

static bool is_usual(const char *goal)
{
  for (size_t i = 0; i < USUAL; i++)
    if (!strcmp(goal, ts_figure_table[usual[i].figure].name))
      return true;
  return false;
}

static const char *goal_expression(const ts_sweep *s, uint32_t g)
{
  const char *text = s->search->goals[g].text;
  if (!strcmp(text, TS_SEARCH_PER_TOKEN))
    return "tokens_per_second"; /* says the same, and has a column */
  return text + strcspn(text, " ") + strspn(text + strcspn(text, " "), " ");
}

enum { GOAL = 12, MOST_OF_GOAL = 28 };

/* How much worse than the best it is by the first goal: beside the column of that. A NULL outcome
 * is the head, here and below. Returns how many blanks the next column, if any, begins with. */
static int put_behind(const ts_sweep *s, const ts_outcome *o, const char *column, FILE *out)
{
  enum { WIDTH = 9 };
  const ts_outcome *best = &s->outcomes[0];
  if (strcmp(column, goal_expression(s, 0)) != 0)
    return 0;
  if (o == best || !(best->objective != 0))
    return WIDTH;
  ts_put_text(out, "%*s", WIDTH,
              o ? ts_format_share(fabs(o->objective / best->objective - 1)).text : "worse by");
  return 0;
}

static int put_usual(const ts_sweep *s, const ts_outcome *o, FILE *out)
{
  int blanks = 0;
  for (int c = 0; c < USUAL; c++) {
    ts_put_text(out, " %*s", blanks + usual[c].width - 1,
                o ? ts_outcome_text(o, usual[c].figure).text : usual[c].head);
    blanks = put_behind(s, o, ts_figure_table[usual[c].figure].name, out);
  }
  return blanks;
}

/* Columns of goals behind the usual ones. */
static void put_goals(const ts_sweep *s, const ts_outcome *o, int blanks, FILE *out)
{
  for (uint32_t g = 0; g < s->search->goal_count; g++) {
    const char *name = goal_expression(s, g);
    if (is_usual(name))
      continue;
    char text[64];
    int width = (int)strlen(name);
    width = width < GOAL ? GOAL : width > MOST_OF_GOAL ? MOST_OF_GOAL : width;
    if (o)
      ts_quantity_print(text, sizeof text, o->objectives[g], s->search->goals[g].dimension);
    ts_put_text(out, "  %*.*s", blanks + width, o ? (int)sizeof text : MOST_OF_GOAL,
                o ? text : name);
    blanks = g ? 0 : put_behind(s, o, name, out);
  }
  fputc('\n', out);
}

static void put_ranked(const ts_sweep *s, size_t top, FILE *out)
{
  size_t count = s->search->open ? s->looked : s->count, ranked = ts_sweep_count(s, TS_RANKED),
         front = front_of(s), shown = top && top < front ? top : front;
  ts_put_text(out, "%s, search %s: ", s->search->plan, s->search->name);
  if (s->shard.count && s->shard.index != TS_SHARD_ALL)
    fprintf(out, "part %lld of %lld, ", s->shard.index + 1, s->shard.count);
  ts_put_text(out, "%s plan%s, %s\n",
              ts_format_count(count).text, count == 1 ? "" : "s", s->search->goal);
  int *widths = TS_NEW_ARRAY(s->arena, int, s->search->column_count + 1);
  for (uint32_t c = 0; c < s->search->column_count; c++) {
    widths[c] = (int)strlen(s->search->columns[c]);
    for (size_t i = 0; i < shown; i++)
      if ((int)strlen(ts_search_text_at(s->search, s->outcomes[i].point, c)) > widths[c])
        widths[c] = (int)strlen(ts_search_text_at(s->search, s->outcomes[i].point, c));
  }
  if (shown) {
    fputc('\n', out);
    for (uint32_t c = 0; c < s->search->column_count; c++)
      ts_put_text(out, "%*s  ", widths[c], s->search->columns[c]);
    put_goals(s, NULL, put_usual(s, NULL, out), out);
  }
  for (size_t i = 0; i < shown; i++) {
    const ts_outcome *o = &s->outcomes[i];
    for (uint32_t c = 0; c < s->search->column_count; c++)
      ts_put_text(out, "%*s  ", widths[c], ts_search_text_at(s->search, o->point, c));
    put_goals(s, o, put_usual(s, o, out), out);
  }
  if (shown < front)
    ts_put_text(out, "... and %s more\n", ts_format_count(front - shown).text);
  if (front < ranked)
    ts_put_text(out,
                "The front: %s of %s plans. Each of the others is beaten by one that is as good by all "
                "goals,\nand better by one.\n",
                ts_format_count(front).text, ts_format_count(ranked).text);
  put_equals(s, ranked, out);
}

ts_text ts_format_combinations(double combinations)
{
  ts_text t;
  if (combinations < 1e15)
    return combinations < 1e6 ? ts_format_count((uint64_t)combinations) :
                                ts_format_significant(combinations);
  snprintf(t.text, sizeof t.text, "%.3g", combinations);
  return t;
}

/* Plans whose bounds are all that is known of them. */
static void put_waiting(const ts_sweep *s, FILE *out)
{
  size_t behind = s->waiting.count - s->undecided;
  if (behind)
    ts_put_text(out, "  %s of the others cannot be among the best by their bounds\n",
                ts_format_count(behind).text);
  if (!s->undecided)
    return;
  double best = s->outcomes[0].objective;
  ts_put_text(out, "  %s of the others %s not simulated and may be",
              ts_format_count(s->undecided).text, s->undecided == 1 ? "was" : "were");
  if (s->search->goal_count == 1 && s->outcomes[0].state == TS_RANKED &&
      isfinite(s->best_waiting) && best * s->best_waiting > 0)
    ts_put_text(out,
                s->best_waiting < best ?
                  " among the best: none is better than the best by more than %s\n" :
                  " among the best; none is better than the best\n",
                ts_format_share(fabs(s->best_waiting / best - 1)).text);
  else
    fputs(" among the best\n", out);
}

/* Of a space that was not listed: what was tried of it, and how far from any plan's bound. */
static void put_budget(const ts_sweep *s, FILE *out)
{
  if (!s->search->open)
    return;
  fputs("\nBudget\n", out);
  ts_put_text(out, "  %s plans looked at, of up to %s combinations of values (seed %s)\n",
              ts_format_count(s->looked).text, ts_format_combinations(s->search->combinations).text,
              ts_format_count(s->seed).text);
  ts_put_text(out, "  %s simulated: %s drawn, %s near the best\n", ts_format_count(s->played).text,
              ts_format_count(s->drawn).text, ts_format_count(s->played - s->drawn).text);
  if (s->exhausted)
    fputs("  no further plans were found\n", out);
  put_waiting(s, out);
  double bound = ts_sweep_bound(s);
  if (s->outcomes[0].state != TS_RANKED)
    return;
  double objective = s->outcomes[0].objectives[0];
  if (!(bound > 0)) {
    fputs("  no bound is known for this goal\n", out);
    return;
  }
  char text[64];
  if (ts_dimension_equal(s->search->goals[0].dimension, TS_DIM_NONE))
    snprintf(text, sizeof text, "%s", ts_format_significant(bound).text);
  else
    ts_quantity_print(text, sizeof text, bound, s->search->goals[0].dimension);
  ts_put_text(out, "  the model's FLOPs at the devices' peak rate: %s; the best is %s from it\n",
              text, ts_format_share(fabs(objective / bound - 1)).text);
}

static void put_point(const ts_sweep *s, const ts_outcome *o, FILE *out)
{
  ts_put_text(out, "%s\n", ts_sweep_point_text(s, o->point, s->arena));
}

/* Behind a number: "1,024", "3.5". */
static const char *behind_number(const char *text)
{
  while (isdigit((unsigned char)*text) ||
         ((*text == ',' || *text == '.') && isdigit((unsigned char)text[1])))
    text++;
  return text;
}

/* The order of texts, whatever numbers stand in them: messages of one kind are equal. */
static int compare_kinds(const char *a, const char *b)
{
  while (*a && (*a == *b || (isdigit((unsigned char)*a) && isdigit((unsigned char)*b)))) {
    bool number = isdigit((unsigned char)*a);
    a = number ? behind_number(a) : a + 1;
    b = number ? behind_number(b) : b + 1;
  }
  return (unsigned char)*a - (unsigned char)*b;
}

static int by_kind(const void *x, const void *y)
{
  const ts_outcome *const *a = x, *const *b = y;
  int order = compare_kinds((*a)->why, (*b)->why);
  return order ? order : (*a)->point < (*b)->point ? -1 : 1;
}

/* Plans refused for reasons of one kind: the first one in the order of the search, and how many. */
typedef struct refusal { const ts_outcome *first; size_t count; bool differ; } refusal;

static int by_count(const void *x, const void *y)
{
  const refusal *a = x, *b = y;
  return a->count != b->count ? (a->count > b->count ? -1 : 1) :
                                (a->first->point < b->first->point ? -1 : 1);
}

/* Plans that the compiler or the play refused: what keeps most of them away is first. */
static void put_refused(const ts_sweep *s, FILE *out)
{
  enum { KINDS = 10 };
  TS_VEC(const ts_outcome *) refused = {0};
  TS_VEC(refusal) kinds = {0};
  size_t rest = 0;
  for (size_t i = 0; i < s->count; i++)
    if (s->outcomes[i].why)
      TS_PUSH(s->arena, &refused, &s->outcomes[i]);
  TS_SORT(&refused, by_kind);
  for (size_t i = 0; i < refused.count; i++) {
    refusal *last = kinds.count ? &kinds.at[kinds.count - 1] : NULL;
    if (!last || compare_kinds(last->first->why, refused.at[i]->why) != 0) {
      TS_PUSH(s->arena, &kinds, ((refusal){refused.at[i], 1, false}));
      continue;
    }
    last->count++;
    last->differ |= strcmp(last->first->why, refused.at[i]->why) != 0;
  }
  TS_SORT(&kinds, by_count);
  for (size_t i = 0; i < kinds.count && i < KINDS; i++) {
    const refusal *r = &kinds.at[i];
    ts_put_text(out, "  %s %s%s: %s; %s", ts_format_count(r->count).text,
                ts_outcome_states[r->first->state], r->differ ? ", such as" : "", r->first->why, r->count > 1 ? "the first is " : "");
    put_point(s, r->first, out);
  }
  for (size_t i = KINDS; i < kinds.count; i++)
    rest += kinds.at[i].count;
  if (rest)
    ts_put_text(out, "  %s refused for %s other reasons: `--format=csv` has them\n",
                ts_format_count(rest).text, ts_format_count(kinds.count - KINDS).text);
}

static void put_large(const ts_sweep *s, size_t large, FILE *out)
{
  const ts_outcome *closest = NULL;
  for (size_t i = 0; i < s->count; i++) {
    const ts_outcome *o = &s->outcomes[i];
    if (o->state == TS_TOO_LARGE &&
        (!closest || o->played > closest->played ||
         (o->played == closest->played &&
          o->figures.of[TS_FIGURE_MEMORY] < closest->figures.of[TS_FIGURE_MEMORY])))
      closest = o;
  }
  ts_put_text(out, "  %s do%s not fit in memory; the least needs %s of %s, ",
              ts_format_count(large).text, large == 1 ? "es" : "",
              ts_format_bytes(closest->figures.of[TS_FIGURE_MEMORY] / 8).text,
              ts_format_bytes(closest->limit).text);
  put_point(s, closest, out);
}

static void put_left_out(const ts_sweep *s, FILE *out)
{
  size_t large = ts_sweep_count(s, TS_TOO_LARGE), bounded = ts_sweep_count(s, TS_BOUNDED);
  uint64_t conditions = 0;
  for (uint32_t i = 0; i < s->search->reason_count; i++)
    conditions += s->search->reasons[i].count;
  if (!large && !conditions && !bounded && !ts_sweep_count(s, TS_REFUSED) &&
      !ts_sweep_count(s, TS_STOPPED))
    return;
  fputs("\nLeft out\n", out);
  for (uint32_t i = 0; i < s->search->reason_count; i++)
    if (s->search->reasons[i].count)
      ts_put_text(out, "  %s excluded by condition: %s\n", ts_format_count(s->search->reasons[i].count).text,
                  s->search->reasons[i].text);
  if (bounded && s->search->goal_count > 1)
    ts_put_text(
      out, "  %s %s not of the front: bounds or simulations show that a plan of it is better\n",
      ts_format_count(bounded).text, bounded == 1 ? "is" : "are");
  else if (bounded)
    ts_put_text(out, "  %s %s behind the best %s, as bounds or simulations show\n",
                ts_format_count(bounded).text, bounded == 1 ? "is" : "are",
                ts_format_count(s->top).text);
  if (large)
    put_large(s, large, out);
  put_refused(s, out);
}

/* How many of the plans that are ranked have a warning of this code. */
static size_t ranked_with(const ts_sweep *s, ts_code code)
{
  size_t plans = 0;
  for (size_t i = 0; i < s->count; i++) {
    const ts_outcome *o = &s->outcomes[i];
    bool has = false;
    for (uint32_t k = 0; k < o->warning_count && o->state == TS_RANKED; k++)
      has |= o->warnings[k].code == code;
    plans += has;
  }
  return plans;
}

static void report_text_put_warnings(const ts_sweep *s, FILE *out)
{
  bool any = false;
  size_t ranked = ts_sweep_count(s, TS_RANKED);
  for (unsigned c = 0; c < TS_CODE_COUNT && ranked; c++) {
    size_t plans = *ts_code_name((ts_code)c) == 'W' ? ranked_with(s, (ts_code)c) : 0;
    if (!plans)
      continue;
    if (!any)
      fputs("\nWarnings\n", out);
    any = true;
    ts_put_text(out, "  %s of %s plan%s: %s %s\n", ts_format_count(plans).text,
                ts_format_count(ranked).text, ranked == 1 ? "" : "s", ts_code_name((ts_code)c),
                ts_code_title((ts_code)c));
  }
}

void ts_sweep_put_text(const ts_sweep *s, size_t top, FILE *out)
{
  put_ranked(s, top, out);
  put_budget(s, out);
  put_left_out(s, out);
  report_text_put_warnings(s, out);
}
