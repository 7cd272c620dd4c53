/* The verifier of networks and of calibrations. */
#include <stdio.h>
#include <string.h>

#include "ir/packets.h"
#include "ir/verify_check.h"

static int compare_points(const ts_ir_net_point *a, const ts_ir_net_point *b)
{
  uint64_t left[] = {a->collective, a->ranks, a->islands, a->bytes},
           right[] = {b->collective, b->ranks, b->islands, b->bytes};
  for (int i = 0; i < 4; i++)
    if (left[i] != right[i])
      return left[i] < right[i] ? -1 : 1;
  return 0;
}

/* Of the points, methods or curves of a model. */
static int check_block(const ts_ir_check *c, const ts_ir_net_model *m, uint32_t form,
                       uint32_t first, uint32_t count)
{
  char owner[sizeof c->error->message];
  snprintf(owner, sizeof owner, "net model `%s`: ", ts_ir_check_text(c, m->name));
  return ts_ir_verify_records(c->ir, form, first, count, owner, c->error);
}

static int check_points(ts_ir_check *c, const ts_ir_net_model *m)
{
  const ts_ir_net_point *p = c->ir->net_points + m->first_point;
  if (check_block(c, m, TS_IR_FORM_point, m->first_point, m->point_count))
    return -1;
  for (uint32_t i = 1; i < m->point_count; i++)
    if (compare_points(&p[i - 1], &p[i]) >= 0)
      return ts_ir_fail(c->error, "net model `%s`: point %u is not in order or there twice",
                        ts_ir_check_text(c, m->name), i);
  return 0;
}

static int check_curves(ts_ir_check *c, const ts_ir_net_model *m)
{
  int run = ts_ir_check_run(c, TS_IR_NET_CURVES, m->first_curve, m->curve_count);
  if ((m->kind == TS_IR_NET_STATISTICAL) != (m->curve_count > 0) || run == TS_RUNS_BAD)
    return ts_ir_fail(c->error, "net model `%s`: a statistical model has curves, others none",
                      ts_ir_check_text(c, m->name));
  return run != TS_RUNS_NEW ? 0 :
                              check_block(c, m, TS_IR_FORM_curve, m->first_curve, m->curve_count);
}

const char *ts_ir_net_model_wrong(const ts_ir_net_model *m)
{
  if (!(m->efficiency >= 1e-6 && m->efficiency <= 1))
    return "`efficiency` is above 0, 0.000001 at least, and at most 1";
  if (!ts_ir_is_amount(m->half_bytes) || m->half_bytes > (double)TS_IR_BYTES_MOST)
    return "`half_bytes` is out of range";
  if (m->base > TS_IR_TIME_MOST || m->hop > TS_IR_TIME_MOST)
    return "`base` and `hop` are 0 or more, and 13 days at most";
  return m->inter_hop > TS_IR_TIME_MOST / TS_IR_WORLD_MOST ?
           "`inter_hop` is 0 or more, and 69 ms at most" :
           NULL;
}

static bool connections_fit(const ts_ir_net_model *m)
{
  bool plays = m->kind == TS_IR_NET_FLOW || m->kind == TS_IR_NET_PACKET,
       steps = !ts_ir_net_has_block(m->kind);
  return (plays ? m->routing < TS_IR_ROUTINGS && m->channels <= 4096 && m->unrelayed <= 1 :
                  !m->routing && !m->channels && !m->unrelayed) &&
         (steps ? ts_ir_algorithm_of_links(m->algorithm, m->kind) : !m->inter_hop && !m->algorithm);
}

static bool links_fit(const ts_ir_net_model *m)
{
  static const ts_ir_net_links any;
  return ts_ir_net_has_block(m->kind) || !memcmp(&m->links, &any, sizeof any);
}

static int check_net_model(ts_ir_check *c, const ts_ir_net_model *m)
{
  const char *out = ts_ir_net_model_wrong(m), *name = ts_ir_check_text(c, m->name);
  if (out)
    return ts_ir_fail(c->error, "net model `%s`: %s", name, out);
  if ((uint64_t)m->axes >> c->ir->axes_count)
    return ts_ir_fail(c->error, "net model `%s`: axes 0x%x of a mesh of %u", name, m->axes,
                      c->ir->axes_count);
  if (!connections_fit(m))
    return ts_ir_fail(
      c->error, "net model `%s`: routing, channels, algorithm or step between islands out of range",
      name);
  const ts_ir_packet_field *wrong =
    m->kind == TS_IR_NET_PACKET ? ts_ir_packets_wrong(&m->packets) : NULL;
  if (wrong)
    return ts_ir_fail(c->error, "net model `%s`: `%s` of its packets is out of range", name,
                      wrong->clause.name);
  if (!links_fit(m))
    return ts_ir_fail(c->error, "net model `%s`: only a measured model applies to some links",
                      name);
  if (m->kind != TS_IR_NET_WHITE_BOX && (m->kind == TS_IR_NET_TABLE) != (m->point_count > 0))
    return ts_ir_fail(c->error, "net model `%s`: a table has points, alpha-beta none", name);
  if ((m->kind == TS_IR_NET_WHITE_BOX) != (m->method_count > 0))
    return ts_ir_fail(c->error, "net model `%s`: a white box has methods, others none", name);
  if (check_curves(c, m))
    return -1;
  int ways = ts_ir_check_run(c, TS_IR_NET_METHODS, m->first_method, m->method_count);
  if (ways == TS_RUNS_BAD)
    return ts_ir_fail(c->error, "net model `%s`: its methods are not there", name);
  if (ways == TS_RUNS_NEW && check_block(c, m, TS_IR_FORM_method, m->first_method, m->method_count))
    return -1;
  int run = ts_ir_check_run(c, TS_IR_NET_POINTS, m->first_point, m->point_count);
  if (run == TS_RUNS_BAD)
    return ts_ir_fail(c->error, "net model `%s`: its points are not there", name);
  return run == TS_RUNS_NEW ? check_points(c, m) : 0;
}

int ts_ir_verify_network(ts_ir_check *c)
{
  for (uint32_t i = 0; i < c->ir->net_models_count; i++)
    if (check_net_model(c, &c->ir->net_models[i]))
      return -1;
  return 0;
}

/* Within a million of what a source says, and sane as a covariance. */
int ts_ir_verify_calibrations(ts_ir_check *c)
{
  uint32_t count = c->ir->calibrations_count;
  if (count > TS_IR_MOST_CALIBRATED)
    return ts_ir_fail(c->error, "%u calibrated quantities; there are %u at most", count,
                      TS_IR_MOST_CALIBRATED);
  for (uint32_t i = 0; i < count; i++) {
    const ts_ir_calibration *k = &c->ir->calibrations[i];
    bool memory = k->kind == TS_IR_CALIBRATED_MEMORY,
         good = k->kind < TS_IR_CALIBRATED_KINDS && ts_ir_is_amount(k->prior) &&
                isfinite(k->value) &&
                fabs(k->value) <= (memory ? (double)TS_IR_BYTES_MOST : TS_IR_SPEED_MOST) &&
                (memory || k->value >= TS_IR_SPEED_LEAST) && ts_ir_is_amount(k->covariance[i]);
    for (uint32_t j = 0; j < TS_IR_MOST_CALIBRATED; j++)
      good &= j < count ? fabs(k->covariance[j]) <= 1e36 &&
                            k->covariance[j] == c->ir->calibrations[j].covariance[i] :
                          k->covariance[j] == 0 && !signbit(k->covariance[j]);
    if (!good)
      return ts_ir_fail(c->error,
                        "calibration %u (`%s`): kind, value, prior or covariance out of range", i,
                        ts_ir_check_text(c, k->name));
  }
  return 0;
}
