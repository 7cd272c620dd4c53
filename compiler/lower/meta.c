/* What the IR says of its plan: the mesh, the files it was read from, where ranks lie, and what the
 * step is about. */
#include <string.h>

#include "base/version.h"
#include "compiler/eval/files.h"
#include "compiler/eval/mesh.h"
#include "compiler/lower/lowering.h"
#include "compiler/lower/places.h"
#include "compiler/machine/cluster.h"

void ts_lower_mesh(ts_lowering *l)
{
  void *records;
  const ts_mesh *mesh = l->s->mesh;
  ts_ir_append(l->b, TS_IR_AXES, mesh->count, &records);
  ts_ir_axis *axes = records;
  for (uint32_t a = 0; a < mesh->count; a++)
    axes[a] = (ts_ir_axis){ts_ir_add_string(l->b, mesh->axis[a].name), (uint32_t)mesh->axis[a].size,
                           (uint32_t)mesh->axis[a].stride, 0};
}

/* In the order of loading, with the names of the language, never the machine's. */
void ts_lower_sources(ts_lowering *l)
{
  void *records;
  uint32_t count = (uint32_t)l->s->files->dependencies.count;
  ts_ir_append(l->b, TS_IR_SOURCES, count, &records);
  ts_ir_source *sources = records;
  for (uint32_t i = 0; i < count; i++) {
    const ts_dependency *d = &l->s->files->dependencies.at[i];
    sources[i].name = ts_ir_add_string(l->b, d->name);
    sources[i].role = ts_ir_add_string(l->b, d->role);
    memcpy(sources[i].sha256, d->sha256, sizeof d->sha256);
    if (!strcmp(d->role, "command line"))
      sources[i].text = ts_ir_add_string(l->b, ts_sources_get(l->s->sources, d->file)->text);
  }
}

bool ts_lower_placement(ts_lowering *l, uint32_t world)
{
  void *records;
  if (l->plan->placement.type == TS_T_NONE)
    return true;
  const uint32_t *vertex = ts_devices_of_ranks(l, world);
  if (!vertex)
    return false;
  ts_ir_append(l->b, TS_IR_PLACEMENT, world, &records);
  memcpy(records, vertex, world * sizeof *vertex);
  return true;
}

/* As the plan has it: `dgx_h100(nodes: 8)` says more than the name of the declaration that it ends
 * in. */
const char *ts_cluster_text(const ts_lowering *l)
{
  ts_span span = l->plan->span_of[TS_PLAN_cluster];
  const ts_source *source = ts_sources_get(l->s->sources, span.file);
  const char *name =
    l->plan->cluster.type == TS_T_CLUSTER ? l->plan->cluster.u.cluster->named.name : NULL;
  if (!source)
    return name ? name : "";
  char *text = ts_arena_string(l->s->arena, source->text + span.begin, span.end - span.begin);
  for (char *c = text; *c; c++)
    if ((unsigned char)*c <= ' ')
      *c = ' ';
  return !name || strchr(text, '(') || !strcmp(name, text) ?
           text :
           ts_arena_printf(l->s->arena, "%s: %s", text, name);
}

void ts_lower_meta(ts_lowering *l)
{
  uint32_t world = ts_world_of(l);
  const ts_plan *plan = l->plan;
  int64_t micro = plan->micro_batch > 0 ? plan->micro_batch : 1;
  ts_ir_meta meta = {
    .plan = ts_ir_add_string(l->b, plan->name),
    .tool = ts_ir_add_string(l->b, ts_arena_printf(l->s->arena, "trainspec %s", ts_version())),
    .plan_loc = ts_ir_loc_of(l, plan->decl->name_span),
    .pipeline_axis = l->sc->axis == TS_NO_INDEX ? TS_IR_NONE : l->sc->axis,
    .world = world,
    .micro_batches = ts_schedule_batches(l->sc) * l->sc->copies,
    .steps = l->sc->step_first[1] > 1 ? l->sc->step_first[1] : 0,
    .tokens_per_step = ts_tokens_of(l, l->samples),
    .samples_per_step = (uint64_t)l->samples,
    .parameters = l->g->parameters - l->shared_parameters};
  ts_lower_formats(l, world, (double)l->samples / (double)micro, &meta);
  meta.cluster = ts_ir_add_string(l->b, ts_cluster_text(l));
  meta.carbon = plan->carbon;
  meta.framework = ts_ir_add_string(l->b, plan->framework);
  meta.release = ts_ir_add_string(l->b, plan->release);
  ts_span memory = plan->span_of[TS_PLAN_schedule].file ? plan->span_of[TS_PLAN_schedule] :
                                                          plan->span_of[TS_PLAN_batch];
  meta.memory_loc = ts_ir_loc_of(l, memory);
  meta.mesh_loc = ts_ir_loc_of(l, plan->span_of[TS_PLAN_mesh]);
  *ts_ir_builder_meta(l->b) = meta;
}
