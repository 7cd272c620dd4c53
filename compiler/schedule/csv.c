/* The order of work as a file: a line a rank, a cell an action, `<stage><F|I|W|B><micro-batch>`,
 * and `(<action>;<action>)OVERLAP_F_B` for two played as one. The format of PyTorch's
 * torch.distributed.pipelining (schedules.py, _Action; pipeline_order of a schedule), which reads
 * and writes it. Its other form has communication between the work (`compute_comms`). Messages
 * (1SEND_F0) follow from the work here. When parameters are gathered and dropped and gradients
 * summed (0UNSHARD, 0RESHARD, 0REDUCE_GRAD) strategies say: such actions are passed over, which is
 * told. */
#include <stdlib.h>
#include <string.h>

#include "base/csv.h"
#include "compiler/eval/files.h"
#include "compiler/eval/report.h"
#include "compiler/schedule/internal.h"

typedef ts_schedule_builder builder;

typedef struct csv_reader {
  builder *b;
  const char *name;
  ts_csv csv;
  uint32_t file, rank, stages;
  ts_span span;             /* of its name in the plan */
  TS_VEC(ts_placed) items;
  TS_VEC(uint32_t) rank_of; /* of each item */
  uint32_t passed_over;
  ts_span first_passed_over;
} csv_reader;

static ts_span span_of(const csv_reader *r, const char *text, size_t length)
{
  uint32_t begin = (uint32_t)(text - r->csv.text);
  return (ts_span){r->file, begin, begin + (uint32_t)length};
}

static bool csv_wrong(csv_reader *r, const char *cell, size_t length, const char *why)
{
  ts_diag *d = ts_report(r->b->s, TS_E0401, span_of(r, cell, length), "`%.*s` %s",
                         (int)(length < 40 ? length : 40), cell, why);
  ts_diag_note_at(d, r->span, "the order is read from here");
  ts_diag_note(d, "an action is a stage, one of F, I, W and B, and a micro-batch: `0F3`; two at "
                  "once are `(0F3;1B2)OVERLAP_F_B`");
  r->b->failed = true;
  return false;
}

static bool csv_number(const char **at, const char *end, uint32_t limit, uint32_t *n)
{
  uint64_t value = 0;
  const char *start = *at;
  for (; *at < end && **at >= '0' && **at <= '9' && value <= limit; ++*at)
    value = value * 10 + (uint64_t)(**at - '0');
  *n = (uint32_t)value;
  return *at > start && value < limit;
}

static bool communicates(const char *at, const char *end, bool *sharded)
{
  static const char *const words[] = {"SEND_F",  "RECV_F",  "SEND_B",     "RECV_B",
                                      "UNSHARD", "RESHARD", "REDUCE_GRAD"};
  enum { MESSAGES = 4 };
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    size_t length = strlen(words[i]);
    *sharded = i >= MESSAGES;
    if ((size_t)(end - at) >= length && !memcmp(at, words[i], length) &&
        (at + length == end || (at[length] >= '0' && at[length] <= '9')))
      return true;
  }
  return false;
}

static void tell_passed_over(const csv_reader *r)
{
  if (!r->passed_over)
    return;
  ts_diag *d = ts_report(r->b->s, TS_W0409, r->first_passed_over,
                         "%u actions `UNSHARD`, `RESHARD` and `REDUCE_GRAD` are passed over",
                         r->passed_over);
  ts_diag_here(d, "the first one");
  ts_diag_note_at(d, r->span, "the order is read from here");
  ts_diag_help(d, "strategies say when parameters are gathered and gradients summed");
}

static bool action(csv_reader *r, const char *text, size_t length)
{
  const char *at = text, *end = text + length;
  ts_placed placed = {.span = span_of(r, text, length)};
  if (!csv_number(&at, end, r->b->s->limits.stages, &placed.stage) || at == end)
    return csv_wrong(r, text, length,
                     at == end && at > text ? "does not name its work" :
                                              "does not begin with a stage");
  bool sharded;
  if (communicates(at, end, &sharded)) {
    if (sharded && !r->passed_over++)
      r->first_passed_over = placed.span;
    return true;
  }
  int k = 0;
  while (k < TS_STEP && *ts_work_letter((ts_work_kind)k) != *at)
    k++;
  at++;
  if (k == TS_STEP)
    return csv_wrong(r, text, length, "is not a known kind of work");
  if (!csv_number(&at, end, r->b->s->limits.items, &placed.micro_batch) || at != end)
    return csv_wrong(r, text, length,
                     at < end ? "has text after its micro-batch" : "has no micro-batch");
  placed.kind = (ts_work_kind)k;
  r->stages = placed.stage >= r->stages ? placed.stage + 1 : r->stages;
  if (placed.micro_batch >= r->b->sc->micro_batches)
    r->b->sc->micro_batches = placed.micro_batch + 1;
  if (r->items.count >= r->b->s->limits.items)
    return csv_wrong(r, text, length, "is one action too many");
  TS_PUSH(r->b->s->arena, &r->items, placed);
  TS_PUSH(r->b->s->arena, &r->rank_of, r->rank);
  return true;
}

static bool cell(csv_reader *r, const char *text, size_t length)
{
  if (!length) /* the rank idles in this step of its table */
    return true;
  if (*text != '(')
    return action(r, text, length);
  const char *middle = memchr(text, ';', length), *close = memchr(text, ')', length);
  static const char suffix[] = "OVERLAP_F_B";
  if (!middle || !close || close < middle)
    return csv_wrong(r, text, length, "is not a pair of actions");
  if (close + 1 < text + length && ((size_t)(text + length - close - 1) != sizeof suffix - 1 ||
                                    memcmp(close + 1, suffix, sizeof suffix - 1)))
    return csv_wrong(r, close + 1, (size_t)(text + length - close - 1),
                     "follows a pair of actions, where `OVERLAP_F_B` should be");
  size_t first = r->items.count;
  if (!action(r, text + 1, (size_t)(middle - text - 1)) ||
      !action(r, middle + 1, (size_t)(close - middle - 1)))
    return false;
  if (r->items.count != first + 2)
    return csv_wrong(r, text, length, "is not a pair of work");
  r->items.at[first].paired = true;
  return true;
}

static bool csv_row(csv_reader *r, const ts_csv_cell *cells, size_t count)
{
  if (r->csv.wrong)
    return csv_wrong(r, r->csv.text + r->csv.wrong_at, r->csv.end - r->csv.wrong_at,
                     "is not CSV: a quote is not closed, or text follows it");
  size_t before = r->items.count;
  for (size_t i = 0; i < count; i++)
    if (!cell(r, r->csv.text + cells[i].begin, cells[i].end - cells[i].begin))
      return false;
  if (r->items.count > before)
    r->rank++;
  return true;
}

static bool rows(csv_reader *r)
{
  ts_csv_cell *cells = NULL;
  size_t room = 0, count;
  for (ts_csv before = r->csv; ts_csv_next(&r->csv, cells, room, &count) == TS_CSV_ROW;
       before = r->csv) {
    if (count > room) { /* once more: a rank has more actions than those before it */
      room = 2 * count;
      cells = TS_NEW_ARRAY(r->b->s->arena, ts_csv_cell, room);
      r->csv = before;
      ts_csv_next(&r->csv, cells, room, &count);
    }
    if (!csv_row(r, cells, count))
      return false;
  }
  if (r->items.count)
    return true;
  ts_diag *d = ts_report(r->b->s, TS_E0401, r->span, "`%s` has no actions", r->name);
  ts_diag_here(d, "the order is read from here");
  ts_diag_note(d, "a line is a rank, its cells are actions: `0F0,0F1,0B0,0B1`");
  return false;
}

/* Chunks of a rank are its stages in ascending order. */
static bool csv_place(csv_reader *r)
{
  builder *b = r->b;
  ts_schedule *sc = b->sc;
  uint32_t *rank_of = TS_NEW_ARRAY(b->s->arena, uint32_t, r->stages + 1),
           *chunk_of = TS_NEW_ARRAY(b->s->arena, uint32_t, r->stages + 1);
  uint32_t *stage_of = TS_NEW_ARRAY(b->s->arena, uint32_t, r->stages + 1),
           *count = TS_NEW_ARRAY(b->s->arena, uint32_t, r->rank + 1);
  size_t *example = TS_NEW_ARRAY(b->s->arena, size_t, r->stages + 1);
  memset(rank_of, 0xff, r->stages * sizeof *rank_of);
  for (size_t i = 0; i < r->items.count; i++) {
    uint32_t stage = r->items.at[i].stage;
    if (rank_of[stage] != TS_NO_INDEX && rank_of[stage] != r->rank_of.at[i]) {
      ts_diag *d =
        ts_report(b->s, TS_E0407, r->items.at[i].span, "stage %u is on rank %u and on rank %u",
                  stage, rank_of[stage], r->rank_of.at[i]);
      ts_diag_here(d, "on rank %u here", r->rank_of.at[i]);
      ts_diag_label(d, r->items.at[example[stage]].span, "on rank %u here", rank_of[stage]);
      ts_diag_note_at(d, r->span, "the order is read from here");
      ts_diag_help(
        d, "a stage is on one rank: a line has all work of its stages, and no other line has any");
      return false;
    }
    if (rank_of[stage] == TS_NO_INDEX)
      example[stage] = i;
    rank_of[stage] = r->rank_of.at[i];
  }
  for (uint32_t stage = 0; stage < r->stages; stage++)
    if (rank_of[stage] == TS_NO_INDEX) {
      ts_diag *d =
        ts_report(b->s, TS_E0407, r->span, "no line of `%s` has work of stage %u", r->name, stage);
      ts_diag_here(d, "stages go from 0 to %u", r->stages - 1);
      return false;
    }
  for (uint32_t stage = 0; stage < r->stages; stage++) {
    if (r->stages % r->rank || count[rank_of[stage]] == r->stages / r->rank) {
      ts_diag *d =
        ts_report(b->s, TS_E0407, r->items.at[example[stage]].span,
                  "%u stages cannot be distributed evenly over %u ranks", r->stages, r->rank);
      ts_diag_here(d, "stage %u is one too many on its rank", stage);
      ts_diag_note_at(d, r->span, "the order is read from here");
      ts_diag_help(d, "every line needs work of the same number of stages");
      return false;
    }
    chunk_of[stage] = count[rank_of[stage]]++;
    stage_of[rank_of[stage] * (r->stages / r->rank) + chunk_of[stage]] = stage;
  }
  sc->stage_of = stage_of;
  sc->rank_of = rank_of;
  sc->chunk_of = chunk_of;
  return true;
}

static void csv_fill(csv_reader *r)
{
  builder *b = r->b;
  ts_schedule *sc = b->sc;
  ts_order *order = TS_NEW_ARRAY(b->s->arena, ts_order, sc->ranks + 1);
  size_t i = 0;
  for (uint32_t rank = 0; rank < sc->ranks; rank++) {
    order[rank].first = (uint32_t)sc->items.count;
    for (; i < r->items.count && r->rank_of.at[i] == rank; i++) {
      r->items.at[i].chunk = sc->chunk_of[r->items.at[i].stage];
      TS_PUSH(sc->arena, &sc->items, r->items.at[i]);
    }
    ts_schedule_end_rank(b, order[rank].first);
    order[rank].count = (uint32_t)sc->items.count - order[rank].first;
  }
  sc->order = order;
}

bool ts_schedule_layout_file(builder *b, const ts_env *env, const ts_ast *order, int64_t copies)
{
  ts_schedule *sc = b->sc;
  ts_value file = ts_eval(b->s, env, ts_ast_file(order));
  size_t size = 0;
  ts_found found;
  if (file.type != TS_T_STRING) {
    if (file.type != TS_T_ERROR) {
      ts_diag *d = ts_report(b->s, TS_E0220, ts_ast_file(order)->span,
                             "`order from` needs the name of a file");
      ts_diag_here(d, "found %s", ts_value_describe(b->s->arena, file));
    }
    return false;
  }
  csv_reader r = {.b = b, .name = file.u.string, .span = file.span.file ? file.span : order->span};
  const char *text =
    ts_session_read(b->s, r.span.file, file.u.string, "order", r.span, &size, &found);
  if (!text)
    return false;
  r.csv = (ts_csv){.arena = b->s->arena, .text = text, .size = size, .trim = true};
  r.file = ts_sources_add(b->s->sources, found.shown, "order", text, size);
  sc->stages_span = r.span;
  if (!rows(&r) || !csv_place(&r))
    return false;
  tell_passed_over(&r);
  if (sc->ranks && sc->ranks != r.rank) {
    ts_diag *d =
      ts_report(b->s, TS_E0407, r.span, "`%s` is an order of %u ranks for a pipeline of %u", r.name,
                r.rank, sc->ranks);
    ts_diag_here(d, "%u lines", r.rank);
    return false;
  }
  if (!sc->ranks && !ts_schedule_axis(b, r.rank, r.span))
    return false;
  sc->ranks = r.rank;
  sc->stages = r.stages;
  sc->chunks = r.stages / r.rank;
  sc->copies = copies > 0 ? (uint32_t)copies : 1;
  sc->parts = sc->stages / sc->copies;
  if (sc->parts * sc->copies != sc->stages) {
    ts_diag *d = ts_report(b->s, TS_E0407, r.span,
                           "`%s` has %u stages, which %u copies of the model cannot share", r.name,
                           sc->stages, sc->copies);
    ts_diag_here(d, "must divide the number of stages");
    return false;
  }
  csv_fill(&r);
  return !b->failed;
}

/* -- writing -- */

typedef struct csv_text {
  char *at;
  size_t count, room;
} csv_text;

static void csv_put(ts_arena *arena, csv_text *t, const char *words)
{
  size_t length = strlen(words);
  if (t->count + length + 1 > t->room) {
    size_t room = 2 * (t->room + length + 1);
    t->at = ts_arena_grow(arena, t->at, t->room, room);
    t->room = room;
  }
  memcpy(t->at + t->count, words, length + 1);
  t->count += length;
}

static const char *action_text(ts_session *s, const ts_placed *p)
{
  return ts_arena_printf(s->arena, "%u%s%u", p->stage, ts_work_letter(p->kind), p->micro_batch);
}

const char *ts_schedule_csv(ts_session *s, const ts_schedule *sc)
{
  csv_text t = {0};
  csv_put(s->arena, &t, "");
  for (uint32_t rank = 0; rank < sc->ranks; rank++) {
    const ts_placed *items = &sc->items.at[sc->order[rank].first];
    if (sc->step_first[rank + 1] - sc->step_first[rank] > 1) {
      ts_diag *d = ts_diag_add(s->diags, TS_E0401, sc->span,
                               "the order of schedule `%s` has steps between its work", sc->name);
      ts_diag_here(d, "%u steps on rank %u", sc->step_first[rank + 1] - sc->step_first[rank], rank);
      ts_diag_note(d, "the format of torch.distributed.pipelining has no optimizer steps: its "
                      "order is that of one step");
      return NULL;
    }
    for (uint32_t i = 0; i < sc->order[rank].count && items[i].kind != TS_STEP; i++) {
      csv_put(s->arena, &t, i ? "," : "");
      if (!items[i].paired) {
        csv_put(s->arena, &t, action_text(s, &items[i]));
        continue;
      }
      csv_put(s->arena, &t,
              ts_arena_printf(s->arena, "(%s;%s)OVERLAP_F_B", action_text(s, &items[i]),
                              action_text(s, &items[i + 1])));
      i++;
    }
    csv_put(s->arena, &t, "\n");
  }
  return t.at;
}
