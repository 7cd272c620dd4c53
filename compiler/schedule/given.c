/* An order of work that no schedule of the language makes: that of a search. */
#include "compiler/eval/options.h"
#include "compiler/eval/report.h"
#include "compiler/schedule/internal.h"

bool ts_schedule_given(ts_schedule_builder *b)
{
  const ts_given_order *given = b->s->options->order;
  ts_schedule *sc = b->sc;
  ts_order *order = TS_NEW_ARRAY(b->s->arena, ts_order, sc->ranks + 1);
  if (given->ranks != sc->ranks) {
    ts_report(b->s, TS_E0407, sc->span, "an order of %u ranks was given for a pipeline of %u",
              given->ranks, sc->ranks);
    return false;
  }
  sc->items.count = 0; /* of a file */
  sc->micro_batches = 0;
  for (b->rank = 0; b->rank < sc->ranks; b->rank++) {
    order[b->rank].first = (uint32_t)sc->items.count;
    for (uint32_t i = given->first[b->rank]; i < given->first[b->rank + 1]; i++) {
      const ts_given_item *item = &given->items[i];
      sc->micro_batches =
        item->micro_batch >= sc->micro_batches ? item->micro_batch + 1 : sc->micro_batches;
      TS_PUSH(sc->arena, &sc->items,
              (ts_placed){.kind = item->kind,
                          .micro_batch = item->micro_batch,
                          .stage = item->stage,
                          .chunk = sc->chunk_of[item->stage],
                          .paired = item->paired,
                          .span = sc->span});
    }
    ts_schedule_end_rank(b, order[b->rank].first);
    order[b->rank].count = (uint32_t)sc->items.count - order[b->rank].first;
  }
  sc->order = order;
  return !b->failed;
}
