#include "tools/cli/assertions.h"

bool ts_assertions_read(ts_assertions *a, ts_session *s, uint32_t devices)
{
  bool good = true;
  for (size_t i = 0; i < a->texts.count; i++) {
    ts_assertion one;
    good &= ts_assertion_read(s, a->texts.at[i], devices, &one);
    TS_PUSH(s->arena, &a->read, one);
  }
  return good;
}

bool ts_assertions_judge(const ts_assertions *a, ts_session *s, ts_summary *summary)
{
  ts_figures figures = ts_figures_of(summary);
  ts_asserted *asserted = TS_NEW_ARRAY(summary->arena, ts_asserted, a->read.count + 1);
  bool all = true;
  for (size_t i = 0; i < a->read.count; i++) {
    asserted[i].text = a->read.at[i].text;
    asserted[i].holds = ts_assertion_holds(s, &a->read.at[i], &figures);
    all &= asserted[i].holds;
  }
  summary->extras.asserted = asserted;
  summary->extras.asserted_count = (uint32_t)a->read.count;
  return all;
}

ts_figures ts_figures_of(const ts_summary *s)
{
  const ts_memory_class *fullest = &s->memory->classes[s->memory->fullest];
  double held = 8 * (double)(fullest->peak + fullest->reserved);
  return (ts_figures){{[TS_SEARCH_STEP] = s->seconds,
                       [TS_SEARCH_MEMORY] = s->memory->stated ? held : TS_NOT_KNOWN,
                       [TS_SEARCH_TOKENS] = ts_unless_zero(s->tokens_per_second),
                       [TS_SEARCH_MFU] = ts_unless_zero(s->mfu),
                       [TS_SEARCH_HFU] = ts_unless_zero(s->hfu),
                       [TS_SEARCH_DEVICES] = s->ir->meta->world,
                       [TS_SEARCH_BATCH] = ts_unless_zero((double)s->ir->meta->tokens_per_step),
                       [TS_SEARCH_ENERGY] = s->energy.joules,
                       [TS_SEARCH_COST] = s->energy.dollars,
                       [TS_SEARCH_CARBON] = s->energy.grams}};
}
