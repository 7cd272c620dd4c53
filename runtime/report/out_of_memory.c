/* The report of a plan that does not fit: what holds the memory at the peak, by category and by op.
 * */
#include <string.h>

#include "base/format.h"
#include "base/table.h"
#include "ir/names.h"
#include "runtime/report/report.h"

enum { MOST_HOLDERS = 2, MOST_WAYS = 8 };

static const char *what_it_does(const ts_summary *s, const ts_memory_class *m)
{
  if (!m->first_over.node)
    return "before the step begins";
  uint32_t phase = m->first_over.node->phase;
  static const char *const during[] = {
    [TS_IR_PHASE_FORWARD] = "during forward",
    [TS_IR_PHASE_BACKWARD_INPUT] = "during backward",
    [TS_IR_PHASE_BACKWARD_WEIGHT] = "during backward",
    [TS_IR_PHASE_RECOMPUTE] = "during recomputation",
    [TS_IR_PHASE_OPTIMIZER] = "in the optimizer",
    [TS_IR_PHASE_COMMUNICATION] = "in communication",
    [TS_IR_PHASE_OTHER] = NULL};
  TS_TABLE(during, TS_IR_PHASES);
  return during[phase] ?
           during[phase] :
           ts_arena_printf(s->arena, "in %s", ts_report_item(s->arena, s->ir, m->first_over.item));
}

static void where(const ts_summary *s, uint32_t class, ts_stop *stop)
{
  const ts_memory_class *m = &s->memory->classes[class];
  const ts_class_result *c = &s->result->classes[class];
  const char *at = ts_report_coordinates(s->arena, s->ir, m->rank);
  const char *device =
    m->vertex == TS_IR_NONE ?
      "" :
      ts_arena_printf(s->arena, ", device %s", ts_report_vertex(s->arena, s->ir, m->vertex));
  const char *others = c->count == 1 ? "" :
                                       ts_arena_printf(s->arena, "; %s more like it",
                                                       ts_format_count(c->count - 1).text);
  ts_stop_fact(stop, "where", "rank %u%s%s%s%s", m->rank, *at ? " = " : "", at, device, others);
}

static void when(const ts_summary *s, uint32_t class, ts_stop *stop)
{
  const ts_memory_class *m = &s->memory->classes[class];
  const ts_memory_moment *f = &m->first_over;
  const char *program = s->ir->strings + s->ir->programs[s->result->classes[class].program].name;
  uint64_t room = m->limit > m->reserved + f->held ? m->limit - m->reserved - f->held : 0;
  if (!f->node) {
    ts_stop_fact(stop, "when", "before the first node: %s is held for the whole step",
                 ts_format_bytes((double)f->requested).text);
  } else {
    const char *of = s->stage_count == 1 ? "" : ts_arena_printf(s->arena, " of %s", program);
    ts_stop_fact(stop, "when", "%s, in %s%s, at `%s`", ts_format_time(f->time).text,
                 ts_report_item(s->arena, s->ir, f->item), of, s->ir->strings + f->node->label);
    ts_stop_fact(stop, "asked", "%s; free %s of %s", ts_format_bytes((double)f->requested).text,
                 ts_format_bytes((double)room).text, ts_format_bytes((double)m->limit).text);
  }
  ts_stop_fact(stop, "needs", "%s at the peak, %s more than the device has",
               ts_format_bytes((double)(m->peak + m->reserved)).text,
               ts_format_bytes((double)m->over).text);
}

static const char *holders_of(const ts_summary *s, const ts_memory_class *m, uint32_t category)
{
  const char *text = "";
  uint32_t shown = 0;
  for (uint32_t h = 0; h < m->holder_count && shown < MOST_HOLDERS; h++) {
    const ts_memory_holder *holder = &m->holders[h];
    if (holder->category != category || !*holder->label)
      continue;
    const char *size =
      holder->bytes == m->category[category] ?
        "" :
        ts_arena_printf(s->arena, " %s", ts_format_bytes((double)holder->bytes).text);
    text =
      ts_arena_printf(s->arena, "%s%s`%s`%s", text, shown++ ? ", " : "   ", holder->label, size);
  }
  return text;
}

/* The peak by category, largest first, with what holds most of each. */
static void held(const ts_summary *s, const ts_memory_class *m, ts_stop *stop)
{
  const char *text = "";
  bool reported[TS_IR_CATEGORIES] = {false};
  for (uint32_t line = 0; line < TS_IR_CATEGORIES; line++) {
    uint32_t largest = TS_IR_CATEGORIES;
    for (uint32_t c = 0; c < TS_IR_CATEGORIES; c++)
      if (!reported[c] && m->category[c] &&
          (largest == TS_IR_CATEGORIES || m->category[c] > m->category[largest]))
        largest = c;
    if (largest == TS_IR_CATEGORIES)
      break;
    reported[largest] = true;
    text = ts_arena_printf(
      s->arena, "%s%s%-20s %10s%s", text, *text ? "\n" : "", ts_category_name(largest),
      ts_format_bytes((double)m->category[largest]).text, holders_of(s, m, largest));
  }
  if (m->reserved)
    text = ts_arena_printf(s->arena, "%s\n%-20s %10s", text, "driver and libraries",
                           ts_format_bytes((double)m->reserved).text);
  ts_stop_fact(stop, "held", "%s", text);
}

/* What was played and fits; without that - an IR has no plan to change - where to look. */
static void out_of_memory_help(const ts_summary *s, ts_stop *stop)
{
  const ts_ways_out *ways = s->extras.ways_out;
  const char *all_the_same = "`--ignore-memory` reports anyway";
  if (ways && (ways->count || ways->closest))
    ts_stop_fact(stop, ways->count ? "fits" : "near", "%s",
                 ts_ways_out_table(ways, stop->arena, MOST_WAYS));
  if (ways && ways->untried)
    ts_stop_fact(stop, "tried", "%u changes; %u more would take too long to simulate", ways->tried,
                 ways->untried);
  if (ways && ways->count)
    ts_stop_help(stop, "give the options, or write the lines into the plan; %s", all_the_same);
  else if (ways && ways->tried)
    ts_stop_help(stop,
                 "none of %u changes fits: take more devices, or devices with more memory; %s",
                 ways->tried, all_the_same);
  else
    ts_stop_help(stop, "%s; %s",
                 s->extras.ways_out ? "take more devices, or devices with more memory" :
                                      "simulate the plan instead of its IR to see changes that fit",
                 all_the_same);
}

static bool worse(const ts_memory_class *a, const ts_memory_class *b) { return a->over > b->over; }

int ts_report_out_of_memory(const ts_summary *s, ts_stop *stop)
{
  uint32_t worst = 0;
  for (uint32_t c = 1; c < s->memory->class_count; c++)
    if (worse(&s->memory->classes[c], &s->memory->classes[worst]))
      worst = c;
  if (!s->memory->class_count || !s->memory->classes[worst].over)
    return 0;
  const ts_memory_class *m = &s->memory->classes[worst];
  ts_stop_set(stop, TS_EXIT_NO, "R0101", "out-of-memory", "out of memory on rank %u %s", m->rank,
              what_it_does(s, m));
  stop->loc =
    s->ir->meta->memory_loc != TS_IR_NONE ? s->ir->meta->memory_loc : s->ir->meta->plan_loc;
  uint32_t largest = 0;
  for (uint32_t c = 1; c < TS_IR_CATEGORIES; c++)
    if (m->category[c] > m->category[largest])
      largest = c;
  stop->label = ts_arena_printf(stop->arena, "mostly %s", ts_category_name(largest));
  where(s, worst, stop);
  when(s, worst, stop);
  held(s, m, stop);
  out_of_memory_help(s, stop);
  return -1;
}
