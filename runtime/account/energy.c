#include "runtime/account/energy.h"

#include <math.h>

static const double seconds_of_hour = 3600;

/* Without a placement rank r is on the r-th device. NULL: there is no cluster. */
static const ts_ir_device_class *class_of_rank(const ts_ir *ir, uint32_t rank, uint32_t *next)
{
  uint32_t vertex = TS_IR_NONE;
  if (ir->placement_count) {
    vertex = ir->placement[rank];
  } else {
    while (*next < ir->devices_count && ir->devices[*next].device_class == TS_IR_NONE)
      ++*next;
    vertex = *next < ir->devices_count ? (*next)++ : TS_IR_NONE;
  }
  uint32_t class = vertex == TS_IR_NONE ? TS_IR_NONE : ir->devices[vertex].device_class;
  return class == TS_IR_NONE ? NULL : &ir->device_classes[class];
}

static double idle_watts(const ts_ir_device_class *d)
{
  return d->idle_watts > 0 ? d->idle_watts : d->watts;
}

/* Kernels of collectives wait for each other at work. */
static double seconds_at_work(const ts_class_result *c, uint64_t step)
{
  uint64_t idle = c->bubble + c->host + c->tail;
  return (double)(step > idle ? step - idle : 0) * 1e-12;
}

ts_energy ts_energy_of(const ts_ir *ir, const ts_result *result)
{
  ts_energy e = {.idle = true, .host = true};
  double step = (double)result->step * 1e-12, price = 0;
  bool powered = step > 0, priced = step > 0;
  for (uint32_t rank = 0, next = 0; rank < ir->meta->world && (powered || priced); rank++) {
    const ts_ir_device_class *d = class_of_rank(ir, rank, &next);
    powered &= d && d->watts > 0;
    priced &= d && ts_is_stated(d->price);
    if (!d)
      break;
    double work = seconds_at_work(&result->classes[result->class_of[rank]], result->step),
           idle = idle_watts(d);
    e.idle &= d->idle_watts > 0;
    e.host &= d->host_watts > 0;
    e.joules += d->watts * work + idle * (step - work) + d->host_watts * step;
    price += d->price;
  }
  if (!powered)
    e.joules = TS_NOT_KNOWN;
  e.watts = e.joules / step / ir->meta->world;
  e.dollars = priced ? price * step / seconds_of_hour : TS_NOT_KNOWN;
  e.grams = e.joules / TS_JOULES_OF_KWH * ir->meta->carbon;
  return e;
}

ts_rates ts_rates_of(const ts_ir *ir)
{
  ts_rates r = {.carbon = fmax(ir->meta->carbon, 0) / TS_JOULES_OF_KWH};
  bool powered = true, priced = true;
  for (uint32_t rank = 0, next = 0; rank < ir->meta->world && (powered || priced); rank++) {
    const ts_ir_device_class *d = class_of_rank(ir, rank, &next);
    powered &= d && d->watts > 0;
    priced &= d && ts_is_stated(d->price);
    if (!d)
      break;
    double idle = fmin(idle_watts(d), d->watts), /* a bound: idling may cost no more than work */
           more = d->watts - idle;
    r.watts += idle + d->host_watts;
    r.more = !rank || more < r.more ? more : r.more;
    r.price += d->price / seconds_of_hour;
  }
  if (!powered)
    r.watts = r.more = 0;
  if (!priced)
    r.price = 0;
  return r;
}
