/* Values of the figures of base/figures.def: a function for each, of what was played. */
#include "runtime/report/summary.h"

static double figure_STEP(const ts_summary *s) { return s->seconds; }

static double figure_MEMORY(const ts_summary *s)
{
  const ts_memory_class *fullest = &s->memory->classes[s->memory->fullest];
  return s->memory->stated ? 8 * (double)(fullest->peak + fullest->reserved) : TS_NOT_KNOWN;
}

static double figure_TOKENS(const ts_summary *s) { return s->tokens_per_second; }
static double figure_MFU(const ts_summary *s) { return s->mfu; }
static double figure_HFU(const ts_summary *s) { return s->hfu; }
static double figure_DEVICES(const ts_summary *s) { return s->ir->meta->world; }

static double figure_BATCH(const ts_summary *s)
{
  return ts_unless_zero((double)s->ir->meta->tokens_per_step);
}

static double figure_ENERGY(const ts_summary *s) { return s->energy.joules; }
static double figure_COST(const ts_summary *s) { return s->energy.dollars; }
static double figure_CARBON(const ts_summary *s) { return s->energy.grams; }

static double figure_BUBBLE(const ts_summary *s)
{
  return s->result->step ? s->time.bubble / (double)s->result->step : TS_NOT_KNOWN;
}

ts_figures ts_figures_of(const ts_summary *s)
{
  return (ts_figures){{
#define FIGURE(id, ...) [TS_FIGURE_##id] = figure_##id(s),
#include "base/figures.def"
#undef FIGURE
  }};
}
