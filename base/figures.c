#include "base/figures.h"

#include "base/escape.h"

const struct ts_figure_unit_row ts_figure_units[TS_FIGURE_UNITS] = {
#define FIGURE_UNIT(id, symbol, ending, times, over, whole, fact, facts, ...)                      \
  {symbol, ending, times, over, whole, fact, facts},
#include "base/figure_units.def"
#undef FIGURE_UNIT
};

const ts_figure ts_figure_table[TS_FIGURES] = {
#define FIGURE(id, name, unit, better, title, is, lacks, help, ...)                                \
  {name, TS_FIGURE_IN_##unit, better, title, lacks, help, __VA_ARGS__},
#include "base/figures.def"
#undef FIGURE
};

ts_text ts_figure_title(ts_figure_id id)
{
  ts_text t;
  snprintf(t.text, sizeof t.text, "%s%s", ts_figure_table[id].title,
           ts_figure_table[id].in.per_step ? " of a step" : "");
  return t;
}

ts_text ts_figure_member(ts_figure_id id)
{
  ts_text t;
  snprintf(t.text, sizeof t.text, "%s%s", ts_figure_table[id].name,
           ts_figure_units[ts_figure_table[id].unit].ending);
  return t;
}

ts_text ts_figure_member_per_step(ts_figure_id id)
{
  ts_text t;
  snprintf(t.text, sizeof t.text, "%s%s_per_step", ts_figure_table[id].name,
           ts_figure_units[ts_figure_table[id].unit].ending);
  return t;
}

double ts_figure_scaled(ts_figure_unit unit, double value)
{
  return value * ts_figure_units[unit].times / ts_figure_units[unit].over;
}

ts_text ts_figure_text(ts_figure_unit unit, double value)
{
  if (!ts_is_stated(value))
    return (ts_text){"-"};
  switch (unit) {
  case TS_FIGURE_IN_TIME: return ts_format_time((uint64_t)(value * 1e12 + 0.5));
  case TS_FIGURE_IN_SIZE: return ts_format_bytes(value / 8);
  case TS_FIGURE_IN_BANDWIDTH: return ts_format_scaled(value / 8, "B/s");
  case TS_FIGURE_IN_SHARE: return ts_format_share(value);
  case TS_FIGURE_IN_ENERGY: return ts_format_energy(value);
  case TS_FIGURE_IN_MONEY: return ts_format_dollars(value);
  case TS_FIGURE_IN_CO2: return ts_format_scaled(value, "g");
  case TS_FIGURE_IN_COUNT:
    if (value == floor(value))
      return ts_format_count((uint64_t)value);
    /* fall through */
  default: return ts_format_significant(value);
  }
}

void ts_figure_put_csv(ts_figure_unit unit, double value, FILE *out)
{
  if (ts_is_stated(value))
    ts_put_csv(out, ts_figure_units[unit].whole ? ",%.0f" : ",%.17g",
               ts_figure_scaled(unit, value));
  else
    fputc(',', out);
}
