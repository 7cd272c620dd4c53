#include "tools/cli/schedule_report.h"

#include <string.h>

#include "base/escape.h"
#include "base/format.h"
#include "base/json_writer.h"
#include "base/table.h"

enum { COLUMNS = 96 };

static double above(int64_t step, int64_t bound)
{
  return bound > 0 ? (double)step / (double)bound - 1 : 0;
}

/* By which share the play's time is off the search's, where calls share links or ranks differ. */
static double off(const ts_order_answer *a)
{
  return a->order ? (double)a->found.step / (double)a->order->step - 1 : 0;
}

static const char *const mergings[] = {"split", "whole", "pairs", "all pairs"};
TS_TABLE(mergings, TS_PIPELINE_MERGINGS);

/* ---- Text ---- */

static bool has_pairs(const ts_order_played *of)
{
  const ts_schedule *sc = of->input.schedule;
  for (size_t i = 0; i < sc->items.count; i++)
    if (sc->items.at[i].paired)
      return true;
  return false;
}

static void put_order(FILE *out, const char *name, const ts_order_played *of,
                      const ts_order_answer *a)
{
  double gap = above((int64_t)of->step, a->bound.step);
  ts_put_text(out, "  %-24s %12s   ", name, ts_format_time(of->step).text);
  if (a->limit > 0 && (double)of->peak > a->limit)
    ts_put_text(out, "%25s", "over the limit of memory");
  else
    ts_put_text(out, "%9s %s the bound", ts_format_share(gap < 0 ? -gap : gap).text,
                gap < 0 ? "below" : "above");
  ts_put_text(out, "   %10s\n", ts_format_bytes((double)of->peak).text);
}

static void put_bound(const ts_order_answer *a, FILE *out)
{
  const ts_pipeline_bound *b = &a->bound;
  ts_put_text(out, "  %-24s %12s   rank %u: ", "lower bound",
              ts_format_time((uint64_t)b->step).text, b->rank);
  if (b->by == TS_PIPELINE_HELD)
    fputs("what it holds, and for how long at the least, within the limit\n", out);
  else if (b->joined)
    ts_put_text(out, "of %s of work, all hidden that pairs can hide%s\n",
                ts_format_time((uint64_t)b->work).text,
                b->by == TS_PIPELINE_WAITS ? ", and waits for memory" : "");
  else
    ts_put_text(out,
                b->by == TS_PIPELINE_WAITS ? "%s of work, %s of waits, for memory too\n" :
                                             "%s of work, %s before, between and after it\n",
                ts_format_time((uint64_t)b->work).text,
                ts_format_time((uint64_t)(b->step - b->work)).text);
}

static void put_how(const ts_order_answer *a, FILE *out)
{
  ts_put_text(out, "\n%s order%s timed. ", ts_format_count(a->search.timed).text,
              a->search.timed == 1 ? " was" : "s were");
  if (a->own_is_best)
    fputs("None is shorter than the plan's own.", out);
  else
    ts_put_text(out, a->order ? "The one found goes back to %s." : "None is shorter than %s.",
                a->begins[a->began]);
  if (a->limit > 0)
    ts_put_text(out, " Limit of memory: %s of a device, %s.", ts_format_bytes(a->limit).text,
                a->limit_from);
  static const char *const how[] = {
    "", "Backwards whose W follows their I are played whole",
    "Forwards are played in pairs with whole backwards that follow them, whose communication hides",
    "Forwards are played in pairs with backwards that follow them, whose communication hides"};
  TS_TABLE(how, TS_PIPELINE_MERGINGS);
  if (has_pairs(&a->own) && !a->bound.joined)
    ts_put_text(out,
                a->pipeline->merge_count ?
                  "\n`%s` plays items in pairs, which hide nothing here." :
                  "\n`%s` plays items in pairs; the bound is that of orders without.",
                a->own.input.schedule->name);
  if (a->own_splits)
    ts_put_text(out, "\n`%s` splits backwards; the bound is that of orders that have them whole.",
                a->own.input.schedule->name);
  if (a->merging) {
    fputc('\n', out);
    ts_put_lines(out, how[a->merging]);
    if (a->found.step < a->split)
      ts_put_text(out, ". One by one, they would take %s.", ts_format_time(a->split).text);
    else
      ts_put_text(out, ".");
  }
  double is_off = off(a);
  if (is_off > 0 || is_off < 0)
    ts_put_text(out,
                "\nThe search took the found order for %s: calls that share links, or ranks that "
                "differ beside\nthe pipeline, are not in its times. Above are those of the play.",
                ts_format_time((uint64_t)a->order->step).text);
  fputs("\n", out);
}

/* Where the last item ends, which a picture of items without pairs may have later than the play. */
static int64_t last_end(const ts_order_answer *a)
{
  const ts_pipeline *p = a->pipeline;
  int64_t last = (int64_t)a->found.step;
  for (uint32_t i = 0; i < p->letter_count * p->micro_batches; i++)
    if (a->begin[i] + p->maps[p->items[i].map].busy > last)
      last = a->begin[i] + p->maps[p->items[i].map].busy;
  return last;
}

/* A rank's work: a letter for what it is on in the middle of each column. Later chunks are in small
 * letters. */
static void draw_rank(const ts_order_answer *a, uint32_t rank, int64_t last, uint32_t *count,
                      FILE *out)
{
  const ts_pipeline *p = a->pipeline;
  char line[COLUMNS + 1];
  memset(line, '.', COLUMNS);
  line[COLUMNS] = 0;
  for (uint32_t k = p->first[rank]; k < p->first[rank + 1]; k++) {
    const ts_pipeline_letter *letter = &p->letters[a->sequence[k]];
    uint32_t number = a->sequence[k] * p->micro_batches + count[a->sequence[k]]++;
    int64_t begin = a->begin[number], end = begin + p->maps[p->items[number].map].busy;
    for (int c = 0; c < COLUMNS; c++) {
      double middle = ((double)c + 0.5) * (double)last / COLUMNS;
      if (middle >= (double)begin && middle < (double)end)
        line[c] = letter->chunk ? (char)(letter->kind - 'A' + 'a') : letter->kind;
    }
  }
  ts_put_text(out, "%4u %s\n", rank, line);
}

void ts_order_text(const ts_order_answer *a, FILE *out)
{
  uint32_t *count = TS_NEW_ARRAY(a->arena, uint32_t, a->pipeline->letter_count + 1);
  const ts_schedule *sc = a->own.input.schedule;
  uint32_t count_of_all = sc->micro_batches * sc->copies;
  ts_put_text(out, "Orders of %u micro-batch%s on %u ranks", count_of_all,
              count_of_all == 1 ? "" : "es", sc->ranks);
  if (sc->chunks > 1)
    ts_put_text(out, " of %u chunks", sc->chunks);
  fputs("\n\n", out);
  put_order(out, sc->name, &a->own, a);
  if (!a->own_is_best)
    put_order(out, "found", &a->found, a);
  put_bound(a, out);
  put_how(a, out);
  fputs("\n", out);
  for (uint32_t r = 0; r < a->pipeline->ranks; r++)
    draw_rank(a, r, last_end(a), count, out);
}

/* ---- JSON ---- */

static void put_played(ts_json_writer *w, const char *key, const ts_order_played *of)
{
  ts_json_begin(w, key, '{');
  ts_json_put_count(w, "step_time_ps", of->step);
  ts_json_put_count(w, "peak_memory_bytes", of->peak);
  ts_json_end(w, '}');
}

/* An item of the played order, at the time that the search has for its work. */
static void put_item(ts_json_writer *w, const ts_order_answer *a, const ts_placed *item)
{
  const ts_pipeline *p = a->pipeline;
  int64_t begin = TS_PIPELINE_LATE, busy = 0;
  for (uint32_t l = 0; l < p->letter_count; l++) {
    const ts_pipeline_letter *letter = &p->letters[l];
    uint32_t number = l * p->micro_batches + item->micro_batch;
    char kind = *ts_work_letter(item->kind);
    bool part = letter->kind == kind ||
                (kind == 'B' && (letter->kind == 'I' || letter->kind == 'W')) ||
                (kind == 'I' && letter->kind == 'B');
    if (letter->stage != item->stage || !part)
      continue;
    begin = a->begin[number] < begin ? a->begin[number] : begin;
    busy += p->maps[p->items[number].map].busy;
  }
  ts_json_begin(w, NULL, '{');
  ts_json_put_text(w, "work", ts_work_letter(item->kind));
  ts_json_put_count(w, "stage", item->stage);
  ts_json_put_count(w, "micro_batch", item->micro_batch);
  ts_json_put_signed(w, "begin_ps", begin);
  ts_json_put_signed(w, "busy_ps", busy);
  if (item->paired)
    ts_json_put_bool(w, "paired_with_next", true);
  ts_json_end(w, '}');
}

void ts_order_json(const ts_order_answer *a, FILE *out)
{
  const ts_pipeline *p = a->pipeline;
  const ts_schedule *sc = a->own.input.schedule;
  ts_json_writer w = {.out = out, .spaced = true};
  const ts_schedule *found = a->found.input.schedule;
  ts_json_begin(&w, NULL, '{');
  ts_json_put_text(&w, "type", "trainspec-schedule");
  ts_json_put_count(&w, "format", 1);
  ts_json_put_text(&w, "schedule", sc->name);
  ts_json_put_count(&w, "ranks", sc->ranks);
  ts_json_put_count(&w, "chunks", sc->chunks);
  ts_json_put_count(&w, "micro_batches", (uint64_t)sc->micro_batches * sc->copies);
  ts_json_line(&w, 2);
  put_played(&w, "own", &a->own);
  ts_json_line(&w, 2);
  put_played(&w, "found", &a->found);
  ts_json_put_bool(&w, "own_is_best", a->own_is_best);
  ts_json_line(&w, 2);
  ts_json_begin(&w, "bound", '{');
  ts_json_put_signed(&w, "step_time_ps", a->bound.step);
  ts_json_put_signed(&w, "work_ps", a->bound.work);
  ts_json_put_count(&w, "rank", a->bound.rank);
  ts_json_put_text(&w, "by", a->bound.by == TS_PIPELINE_WORK ? "work" : "memory");
  ts_json_put_bool(&w, "pairs", a->bound.joined);
  ts_json_end(&w, '}');
  ts_json_put_number(&w, "gap", "%.9g", above((int64_t)a->found.step, a->bound.step));
  if (a->limit > 0)
    ts_json_put_count(&w, "memory_limit_bytes", (uint64_t)a->limit);
  ts_json_put_count(&w, "orders_timed", a->search.timed);
  ts_json_put_text(&w, "begun_with", a->begins[a->began]);
  ts_json_put_text(&w, "played", a->order ? mergings[a->merging] : "as it is");
  ts_json_put_number(&w, "play_over_search", "%.12g", 1 + off(a));
  ts_json_line(&w, 2);
  ts_json_begin(&w, "order", '[');
  for (uint32_t r = 0; r < p->ranks; r++) {
    ts_json_line(&w, 4);
    ts_json_begin(&w, NULL, '[');
    for (uint32_t k = found->order[r].first; k < found->order[r].first + found->order[r].count; k++)
      if (found->items.at[k].kind != TS_STEP)
        put_item(&w, a, &found->items.at[k]);
    ts_json_end(&w, ']');
  }
  ts_json_last_line(&w, 2);
  ts_json_end(&w, ']');
  ts_json_last_line(&w, 0);
  ts_json_end(&w, '}');
  ts_json_end_document(&w);
}
