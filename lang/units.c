#include "lang/units.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct unit {
  const char *name;
  double factor;
  ts_dimension dimension;
} units[] = {
#define UNIT(name, factor, ...) {name, factor, __VA_ARGS__},
#include "lang/units.def"
#undef UNIT
};

enum { UNITS = sizeof units / sizeof units[0], LARGEST_EXPONENT = 8 };

bool ts_dimension_equal(ts_dimension a, ts_dimension b)
{
  return a.time == b.time && a.bits == b.bits && a.work == b.work && a.money == b.money &&
         a.power == b.power && a.mass == b.mass;
}

static bool add_exponent(int8_t a, int8_t b, int sign, int8_t *result)
{
  int sum = a + sign * b;
  *result = (int8_t)sum;
  return sum >= -LARGEST_EXPONENT && sum <= LARGEST_EXPONENT;
}

bool ts_dimension_multiply(ts_dimension a, ts_dimension b, int sign, ts_dimension *result)
{
  return add_exponent(a.time, b.time, sign, &result->time) &&
         add_exponent(a.bits, b.bits, sign, &result->bits) &&
         add_exponent(a.work, b.work, sign, &result->work) &&
         add_exponent(a.money, b.money, sign, &result->money) &&
         add_exponent(a.power, b.power, sign, &result->power) &&
         add_exponent(a.mass, b.mass, sign, &result->mass);
}

static const struct unit *units_find(const char *text, size_t length)
{
  for (size_t i = 0; i < UNITS; i++) {
    if (strlen(units[i].name) == length && memcmp(units[i].name, text, length) == 0)
      return &units[i];
  }
  return NULL;
}

bool ts_unit_lookup(const char *text, size_t length, double *factor, ts_dimension *dimension)
{
  const char *slash = memchr(text, '/', length);
  const struct unit *over = units_find(text, slash ? (size_t)(slash - text) : length);
  if (!over)
    return false;
  *factor = over->factor;
  *dimension = over->dimension;
  if (!slash)
    return true;
  const struct unit *under = units_find(slash + 1, length - (size_t)(slash + 1 - text));
  if (!under)
    return false;
  *factor /= under->factor;
  return ts_dimension_multiply(over->dimension, under->dimension, -1, dimension);
}

const char *ts_unit_name(size_t i) { return i < UNITS ? units[i].name : NULL; }

static const struct description {
  ts_dimension dimension;
  const char *text;
} descriptions[] = {
  {{0, 0, 0, 0, 0, 0}, "a number"},
  {{1, 0, 0, 0, 0, 0}, "a time (seconds)"},
  {{0, 1, 0, 0, 0, 0}, "a size (bytes)"},
  {{-1, 1, 0, 0, 0, 0}, "a rate (bits or bytes per time)"},
  {{0, 0, 1, 0, 0, 0}, "work (FLOP)"},
  {{-1, 0, 1, 0, 0, 0}, "a rate of work (FLOP per time)"},
  {{-1, 0, 0, 0, 0, 0}, "a frequency (Hz)"},
  {{0, 0, 0, 1, 0, 0}, "an amount of money ($)"},
  {{-1, 0, 0, 1, 0, 0}, "a price per time ($/h)"},
  {{0, 0, 0, 0, 1, 0}, "a power (W)"},
  {{1, 0, 0, 0, 1, 0}, "an energy (kWh)"},
  {{0, 0, 0, 0, 0, 1}, "a mass (kg)"},
  {{-1, 0, 0, 0, -1, 1}, "a carbon intensity (g/kWh)"},
  {{0, -1, 1, 0, 0, 0}, "an arithmetic intensity (FLOP/B)"},
  {{1, -1, 0, 0, 0, 0}, "a time per size (s/B)"},
};

const char *ts_dimension_describe(ts_dimension dimension)
{
  for (size_t i = 0; i < sizeof descriptions / sizeof descriptions[0]; i++) {
    if (ts_dimension_equal(descriptions[i].dimension, dimension))
      return descriptions[i].text;
  }
  return "a quantity of a derived dimension";
}

/* Units a value may be shown in, largest first; the last one takes what is smaller. */
struct ladder {
  ts_dimension dimension;
  const char *const *names;
};

static const char *const times[] = {"s", "ms", "us", "ns", "ps", NULL};
static const char *const sizes[] = {"TiB", "GiB", "MiB", "KiB", "B", "b", NULL};
static const char *const rates[] = {"Tb/s", "Gb/s", "Mb/s", "kb/s", "b/s", NULL};
static const char *const works[] = {"PFLOP", "TFLOP", "GFLOP", "MFLOP", "kFLOP", "FLOP", NULL};
static const char *const work_rates[] = {"PFLOP/s", "TFLOP/s", "GFLOP/s", "MFLOP/s",
                                         "kFLOP/s", "FLOP/s",  NULL};
static const char *const frequencies[] = {"GHz", "MHz", "kHz", "Hz", NULL};
static const char *const powers[] = {"MW", "kW", "W", NULL};
static const char *const energies[] = {"GWh", "MWh", "kWh", "Wh", "J", NULL};
static const char *const masses[] = {"kg", "g", NULL};

static const struct ladder ladders[] = {
  {{1, 0, 0, 0, 0, 0}, times},  {{0, 1, 0, 0, 0, 0}, sizes},       {{-1, 1, 0, 0, 0, 0}, rates},
  {{0, 0, 1, 0, 0, 0}, works},  {{-1, 0, 1, 0, 0, 0}, work_rates},
  {{-1, 0, 0, 0, 0, 0}, frequencies},
  {{0, 0, 0, 0, 1, 0}, powers}, {{1, 0, 0, 0, 1, 0}, energies},   {{0, 0, 0, 0, 0, 1}, masses},
};

static void print_on_ladder(char *buffer, size_t size, double value, const char *const *names)
{
  double factor = 1;
  ts_dimension ignored;
  size_t i = 0;
  for (;; i++) {
    ts_unit_lookup(names[i], strlen(names[i]), &factor, &ignored);
    /* 999.96 of a unit would round to 1000: the next larger one shows it as 1 */
    if (!names[i + 1] || fabs(value) >= 0.99995 * factor)
      break;
  }
  if (value == 0) /* zero has no size of its own: seconds, bytes, b/s */
    i = names == sizes ? 4 : names == times ? 0 : i;
  double shown = value / factor;
  const char *format = fabs(shown) >= 1000 && fabs(shown) < 1e6 ? "%.0f %s" : "%.4g %s";
  snprintf(buffer, size, format, shown, names[i]);
}

static void print_exponent(char *buffer, size_t size, const char *unit, int exponent)
{
  size_t used = strlen(buffer);
  if (exponent == 1)
    snprintf(buffer + used, size - used, " %s", unit);
  else if (exponent)
    snprintf(buffer + used, size - used, " %s^%d", unit, exponent);
}

void ts_quantity_print(char *buffer, size_t size, double value, ts_dimension dimension)
{
  for (size_t i = 0; i < sizeof ladders / sizeof ladders[0]; i++) {
    if (ts_dimension_equal(ladders[i].dimension, dimension)) {
      print_on_ladder(buffer, size, value, ladders[i].names);
      return;
    }
  }
  if (ts_dimension_equal(dimension, (ts_dimension){.money = 1})) {
    snprintf(buffer, size, fabs(value) >= 0.995 || value == 0 ? "$%.2f" : "$%.3g", value);
  } else if (ts_dimension_equal(dimension, (ts_dimension){.time = -1, .money = 1})) {
    snprintf(buffer, size, "$%.2f/h", value * 3600);
  } else if (ts_dimension_equal(dimension, (ts_dimension){.time = -1, .power = -1, .mass = 1})) {
    snprintf(buffer, size, "%.4g g/kWh", value * 3.6e6);
  } else {
    snprintf(buffer, size, "%.6g", value);
    print_exponent(buffer, size, "s", dimension.time);
    print_exponent(buffer, size, "b", dimension.bits);
    print_exponent(buffer, size, "FLOP", dimension.work);
    print_exponent(buffer, size, "$", dimension.money);
    print_exponent(buffer, size, "W", dimension.power);
    print_exponent(buffer, size, "g", dimension.mass);
  }
}
