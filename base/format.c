#include "base/format.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Decimals that give `value` four significant digits, at most three. */
static int decimals_for(double value)
{
  return value < 9.9995 ? 3 : value < 99.995 ? 2 : value < 999.95 ? 1 : 0;
}

/* Halves are rounded up, as in columns, and not to even digits. */
static double rounded(double value, int decimals)
{
  double scale = pow(10, decimals);
  return floor(value * scale + 0.5) / scale;
}

static ts_text four_digits(double value, const char *unit)
{
  int decimals = decimals_for(fabs(value));
  ts_text t;
  snprintf(t.text, sizeof t.text, "%.*f %s", decimals, rounded(value, decimals), unit);
  return t;
}

ts_text ts_format_time(uint64_t ps)
{
  static const struct {
    double size;
    const char *name;
  } units[] = {{1e12, "s"}, {1e9, "ms"}, {1e6, "us"}, {1e3, "ns"}};
  for (size_t u = 0; u < sizeof units / sizeof units[0]; u++) {
    if ((double)ps >= units[u].size * 0.99995)
      return four_digits((double)ps / units[u].size, units[u].name);
  }
  ts_text t;
  snprintf(t.text, sizeof t.text, ps ? "%u ps" : "%u s", (unsigned)ps);
  return t;
}

ts_text ts_format_tick(uint64_t ps)
{
  ts_text t = ts_format_time(ps), plain;
  char *unit = strchr(t.text, ' '), *end = unit;
  if (strchr(t.text, '.'))
    while (end[-1] == '0' || end[-1] == '.')
      if (*--end == '.')
        break;
  snprintf(plain.text, sizeof plain.text, "%.*s%s", (int)(end - t.text), t.text, unit);
  return plain;
}

ts_text ts_format_bytes(double bytes)
{
  static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  size_t u = 0;
  while (fabs(bytes) >= 1023.95 && u + 1 < sizeof units / sizeof units[0]) {
    bytes /= 1024;
    u++;
  }
  ts_text t;
  if (bytes == floor(bytes))
    snprintf(t.text, sizeof t.text, "%.0f %s", bytes, units[u]);
  else
    t = four_digits(bytes, units[u]);
  return t;
}

ts_text ts_format_count(uint64_t count)
{
  char digits[24];
  int length = snprintf(digits, sizeof digits, "%llu", (unsigned long long)count), at = 0;
  ts_text t;
  for (int i = 0; i < length; i++) {
    if (i && (length - i) % 3 == 0)
      t.text[at++] = ',';
    t.text[at++] = digits[i];
  }
  t.text[at] = 0;
  return t;
}

ts_text ts_format_scaled(double value, const char *unit)
{
  static const char *const prefixes[] = {"", "k", "M", "G", "T", "P", "E"};
  size_t p = 0;
  while (value >= 999.95 && p + 1 < sizeof prefixes / sizeof prefixes[0]) {
    value /= 1000;
    p++;
  }
  char name[32];
  snprintf(name, sizeof name, "%s%s", prefixes[p], unit);
  return four_digits(value, name);
}

ts_text ts_format_significant(double value)
{
  if (value >= 999.95 && value < 1e15) {
    double step = pow(10, floor(log10(value)) - 3);
    return ts_format_count((uint64_t)(floor(value / step + 0.5) * step + 0.5));
  }
  ts_text t;
  snprintf(t.text, sizeof t.text, "%.*f", decimals_for(value), value);
  return t;
}

ts_text ts_format_energy(double joules)
{
  return joules < 3600 ? ts_format_scaled(joules, "J") : ts_format_scaled(joules / 3600, "Wh");
}

ts_text ts_format_dollars(double dollars)
{
  ts_text t;
  if (dollars >= 999.95)
    snprintf(t.text, sizeof t.text, "$%.60s", ts_format_significant(dollars).text);
  else
    snprintf(t.text, sizeof t.text, dollars >= 0.995 ? "$%.2f" : "$%.3g", dollars);
  return t;
}

ts_text ts_format_letters(size_t n)
{
  ts_text t = {""};
  for (size_t left = n + 1; left > 0; left = (left - 1) / 26) { /* the last letter first */
    memmove(t.text + 1, t.text, strlen(t.text) + 1);
    *t.text = (char)('a' + (left - 1) % 26);
  }
  return t;
}

ts_text ts_format_share(double share)
{
  ts_text t;
  snprintf(t.text, sizeof t.text,
           share > 0 && share < 0.0005 ? "< 0.1 %%" :
           share >= 10                 ? "%.0f %%" :
                                         "%.1f %%",
           100 * share);
  return t;
}

void ts_apportion(const double *parts, size_t count, double total, uint64_t units, uint64_t *out)
{
  uint64_t given = 0;
  for (size_t i = 0; i < count; i++) {
    out[i] = total > 0 ? (uint64_t)(parts[i] / total * (double)units) : 0;
    given += out[i];
  }
  /* one unit at a time to the part that lacks most; few units are left over */
  for (; total > 0 && given < units; given++) {
    size_t most = 0;
    double lack = -INFINITY;
    for (size_t i = 0; i < count; i++) {
      double missing = parts[i] / total * (double)units - (double)out[i];
      if (parts[i] > 0 && missing > lack) {
        lack = missing;
        most = i;
      }
    }
    out[most]++;
  }
}

static ts_column format_column_of(double largest, double unit, const char *name)
{
  ts_column column = {name, unit, largest < 9.9995 * unit ? 3 : largest < 99.995 * unit ? 2 : 1};
  for (unsigned d = 0; d < column.decimals; d++)
    column.quantum /= 10;
  return column;
}

ts_column ts_column_of_times(double largest)
{
  static const struct {
    double from, size;
    const char *name;
  } units[] = {/* seconds only where milliseconds need six digits */
               {1e14, 1e12, "s"},
               {1e9, 1e9, "ms"},
               {1e6, 1e6, "us"},
               {0, 1e3, "ns"}};
  size_t u = 0;
  while (largest < units[u].from)
    u++;
  return format_column_of(largest, units[u].size, units[u].name);
}

ts_column ts_column_of_sizes(double largest)
{
  static const struct {
    double size;
    const char *name;
  } units[] = {{0x1p40, "TiB"}, {0x1p30, "GiB"}, {0x1p20, "MiB"}, {0x1p10, "KiB"}};
  size_t u = 0;
  while (u < 3 && largest < units[u].size)
    u++;
  return format_column_of(largest, units[u].size, units[u].name);
}

uint64_t ts_column_units(const ts_column *column, double value)
{
  return (uint64_t)(value / column->quantum + 0.5);
}

ts_text ts_format_in_column(const ts_column *column, uint64_t units)
{
  uint64_t scale = 1;
  for (unsigned d = 0; d < column->decimals; d++)
    scale *= 10;
  ts_text t;
  snprintf(t.text, sizeof t.text, "%llu.%0*llu", (unsigned long long)(units / scale),
           (int)column->decimals, (unsigned long long)(units % scale));
  return t;
}
