#include "compiler/lower/places.h"

#include <string.h>

#include "compiler/eval/mesh.h"
#include "compiler/eval/report.h"
#include "compiler/machine/cluster.h"

static uint32_t device_vertex(const ts_cluster *c, int64_t device)
{
  for (uint32_t a = 0; a < c->array_count; a++) {
    if (c->arrays[a].is_switch)
      continue;
    if (device < c->arrays[a].count)
      return c->arrays[a].first + (uint32_t)device;
    device -= c->arrays[a].count;
  }
  return TS_NO_INDEX;
}

static ts_value coordinate(ts_lowering *l, uint32_t rank)
{
  const ts_mesh *mesh = l->s->mesh;
  ts_field *fields = TS_NEW_ARRAY(l->s->arena, ts_field, mesh->count + 1);
  ts_value *values = TS_NEW_ARRAY(l->s->arena, ts_value, mesh->count + 1);
  for (uint32_t a = 0; a < mesh->count; a++) {
    values[a] = ts_int_value(rank / mesh->axis[a].stride % mesh->axis[a].size, mesh->axis[a].span);
    fields[a] = (ts_field){mesh->axis[a].name, &values[a], mesh->axis[a].span};
  }
  ts_record *record = TS_NEW(l->s->arena, ts_record);
  *record = (ts_record){.count = mesh->count, .at = fields};
  return (ts_value){.type = TS_T_RECORD, .u.record = record};
}

const uint32_t *ts_devices_of_ranks(ts_lowering *l, uint32_t world)
{
  const ts_cluster *c = l->plan->cluster.u.cluster;
  ts_span at = l->plan->span_of[TS_PLAN_placement];
  uint32_t *vertex = TS_NEW_ARRAY(l->s->arena, uint32_t, world + 1),
           *taken = TS_NEW_ARRAY(l->s->arena, uint32_t, c->vertex_count + 1);
  for (uint32_t r = 0; r < world; r++) {
    if (l->plan->placement.type == TS_T_NONE) {
      vertex[r] = device_vertex(c, r);
      continue;
    }
    ts_value v = coordinate(l, r);
    ts_value device = ts_call(l->s, l->plan->placement, &v, NULL, 1, at);
    if (device.type == TS_T_ERROR)
      return NULL;
    vertex[r] = device.type == TS_T_INT && device.u.integer >= 0 ?
                  device_vertex(c, device.u.integer) :
                  TS_NO_INDEX;
    if (vertex[r] == TS_NO_INDEX || taken[vertex[r]]) {
      ts_diag *d = ts_report(l->s, TS_E0320, at, "rank %u cannot be placed on device %s", r,
                             ts_value_print(l->s->arena, device));
      if (vertex[r] == TS_NO_INDEX)
        ts_diag_here(d, "devices are numbered 0 to %u", c->device_count - 1);
      else
        ts_diag_here(d, "rank %u is there already", taken[vertex[r]] - 1);
      return NULL;
    }
    taken[vertex[r]] = r + 1;
  }
  return vertex;
}

static const ts_cluster_vertex *first_device(const ts_cluster *c)
{
  uint32_t vertex = device_vertex(c, 0);
  return vertex == TS_NO_INDEX ? NULL : &c->vertices[vertex];
}

static bool places_alike(const ts_cluster *c)
{
  const ts_cluster_vertex *first = first_device(c);
  for (uint32_t v = 0; first && v < c->vertex_count; v++) {
    const ts_cluster_array *array = &c->arrays[c->vertices[v].array];
    if (!array->is_switch &&
        (c->vertices[v].speed != first->speed ||
         array->device_class.u.record != c->arrays[first->array].device_class.u.record))
      return false;
  }
  return true;
}

/* A kind is a gpu of its own name. */
static uint32_t places_kind_of(ts_lowering *l, const ts_value *gpu)
{
  ts_costing *c = l->costing;
  for (uint32_t k = 0; k < c->gpus.count; k++) {
    const ts_record *a = c->gpus.at[k]->u.record, *b = gpu->u.record;
    if (a == b || (a->name && b->name && !strcmp(a->name, b->name)))
      return k;
  }
  if (c->gpus.count == TS_MAX_GPUS)
    return TS_MAX_GPUS - 1;
  TS_PUSH(l->s->arena, &c->gpus, gpu);
  TS_PUSH(l->s->arena, &c->ranks_on, 0);
  return (uint32_t)c->gpus.count - 1;
}

static uint32_t rank_of_pipeline(const ts_lowering *l, uint32_t rank)
{
  uint32_t a = l->sc->axis;
  return a == TS_NO_INDEX ?
           0 :
           (uint32_t)(rank / l->s->mesh->axis[a].stride % l->s->mesh->axis[a].size);
}

bool ts_lower_places(ts_lowering *l)
{
  const ts_cluster *c =
    l->plan->cluster.type == TS_T_CLUSTER ? l->plan->cluster.u.cluster : NULL;
  if (!c || places_alike(c))
    return true;
  uint32_t world = ts_world_of(l);
  const uint32_t *vertex = ts_devices_of_ranks(l, world);
  ts_schedule *sc = l->sc;
  uint32_t *devices = TS_NEW_ARRAY(l->s->arena, uint32_t, sc->ranks + 1);
  double *speeds = TS_NEW_ARRAY(l->s->arena, double, sc->ranks + 1);
  for (uint32_t r = 0; vertex && r < world; r++) {
    uint32_t rank = rank_of_pipeline(l, r);
    if (vertex[r] == TS_NO_INDEX || rank >= sc->ranks)
      continue;
    const ts_cluster_vertex *v = &c->vertices[vertex[r]];
    if (!(speeds[rank] > 0) || v->speed < speeds[rank])
      speeds[rank] = v->speed;
    if (c->arrays[v->array].device_class.type != TS_T_GPU)
      continue;
    uint32_t kind = places_kind_of(l, &c->arrays[v->array].device_class);
    l->costing->ranks_on.at[kind]++;
    devices[rank] |= UINT32_C(1) << kind;
  }
  sc->devices = devices;
  sc->speeds = speeds;
  return vertex != NULL;
}
