/* Energy, money and carbon of a step, and the units they are written in. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "lang/units.h"
#include "runtime/account/energy.h"
#include "tests/unit/ir_text.h"

/* Two devices of two kinds: the first works 6 s of 10, the second 8 s and has then finished early. */
static ts_energy energy_of(ts_ir_device_class first, ts_ir_device_class second, double carbon)
{
  ts_ir_device_class classes[] = {first, second};
  ts_ir_device devices[] = {{0, 0, 1}, {1, TS_IR_NONE, 1}, {2, 1, 1}};
  ts_ir_meta meta = {.world = 2, .carbon = carbon};
  ts_class_result results[] = {
    {.count = 1, .phase = {6000000000000}, .bubble = 3000000000000, .host = 1000000000000},
    {.count = 1, .phase = {8000000000000}, .tail = 2000000000000}};
  uint32_t class_of[] = {0, 1};
  ts_ir ir = {.meta = &meta,
              .device_classes = classes,
              .device_classes_count = 2,
              .devices = devices,
              .devices_count = 3};
  ts_result result = {
    .step = 10000000000000, .class_count = 2, .classes = results, .class_of = class_of};
  return ts_energy_of(&ir, &result);
}

static bool near(double a, double b) { return fabs(a - b) <= 1e-9 * fabs(b); }

Test(energy, of_each_device_by_what_it_does)
{
  ts_ir_device_class a = {.watts = 700, .idle_watts = 100, .host_watts = 200, .price = 3.6},
                     b = {.watts = 400, .idle_watts = 50, .host_watts = 0, .price = 7.2};
  ts_energy e = energy_of(a, b, 360);
  double joules = 6 * 700 + 4 * 100 + 10 * 200 + 8 * 400 + 2 * 50;
  cr_assert(near(e.joules, joules), "%g", e.joules);
  cr_assert(near(e.watts, joules / 20));
  cr_assert(near(e.dollars, 10.8 * 10 / 3600));
  cr_assert(near(e.grams, joules / 1e4), "%g", e.grams);
  cr_assert(e.idle && !e.host);
}

Test(energy, is_unknown_where_a_device_says_nothing)
{
  ts_ir_device_class a = {.watts = 700, .price = 2}, none = {.price = TS_NOT_KNOWN};
  ts_energy e = energy_of(a, none, 400);
  cr_assert(isnan(e.joules) && isnan(e.watts) && isnan(e.dollars) && isnan(e.grams));
  e = energy_of(a, a, TS_NOT_KNOWN);
  cr_assert(isnan(e.grams));
  e = energy_of(a, a, 0); /* known to be 0 */
  cr_assert(near(e.joules, 2 * 700 * 10) && e.grams == 0 && !e.idle && !e.host);
}

Test(energy, has_units)
{
  double factor;
  ts_dimension energy, intensity, price;
  char text[64];
  cr_assert(ts_unit_lookup("MWh", 3, &factor, &energy) && factor == 3.6e9);
  cr_assert(ts_unit_lookup("g/kWh", 5, &factor, &intensity) && near(factor, 1 / 3.6e6));
  cr_assert_str_eq(ts_dimension_describe(energy), "an energy (kWh)");
  cr_assert_str_eq(ts_dimension_describe(intensity), "a carbon intensity (g/kWh)");
  ts_quantity_print(text, sizeof text, 5 * 3.6e9, energy);
  cr_assert_str_eq(text, "5 MWh");
  ts_quantity_print(text, sizeof text, 400 / 3.6e6, intensity);
  cr_assert_str_eq(text, "400 g/kWh");
  cr_assert(ts_unit_lookup("h", 1, &factor, &price));
}
