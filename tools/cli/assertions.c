#include "tools/cli/assertions.h"

bool ts_assertions_read(ts_assertions *a, ts_session *s, uint32_t devices)
{
  bool good = true;
  a->read.count = 0;
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
