#include "compiler/lower/device.h"

#include <string.h>

#include "compiler/eval/label.h"
#include "compiler/machine/cluster.h"
#include "compiler/model/graph.h"

static const char *lowered(ts_arena *arena, const char *text)
{
  char *copy = ts_arena_string(arena, text, strlen(text));
  for (char *c = copy; *c; c++)
    if (*c >= 'A' && *c <= 'Z')
      *c = (char)(*c - 'A' + 'a');
  return copy;
}

bool ts_gpu_called(ts_session *s, const ts_value *gpu, const char *device)
{
  const ts_record *r = gpu->u.record;
  const char *wanted = lowered(s->arena, device);
  const ts_value *called = ts_record_find(r, "called");
  if (r->name && !strcmp(lowered(s->arena, r->name), wanted))
    return true;
  for (uint32_t i = 0; called && called->type == TS_T_LIST && i < called->u.list->count; i++) {
    const ts_value *name = &called->u.list->at[i];
    if (name->type == TS_T_STRING &&
        ts_glob(lowered(s->arena, name->u.string), wanted, strlen(wanted)))
      return true;
  }
  return false;
}

const ts_value *ts_plan_gpu(ts_session *s, const ts_plan *plan, const ts_value *wanted)
{
  const ts_value *first = NULL;
  if (plan->cluster.type != TS_T_CLUSTER)
    return NULL;
  const ts_cluster *c = plan->cluster.u.cluster;
  for (uint32_t a = 0; a < c->array_count; a++) {
    const ts_value *gpu = &c->arrays[a].device_class;
    if (c->arrays[a].is_switch || gpu->type != TS_T_GPU)
      continue;
    if (wanted->u.record->name && ts_gpu_called(s, gpu, wanted->u.record->name))
      return gpu;
    first = first ? first : gpu;
  }
  return first;
}

const ts_value *ts_other_gpu(ts_session *s, const ts_plan *plan, const char *device)
{
  const ts_value *first = NULL;
  if (!device || !*device || plan->cluster.type != TS_T_CLUSTER)
    return NULL;
  const ts_cluster *c = plan->cluster.u.cluster;
  for (uint32_t a = 0; a < c->array_count; a++) {
    const ts_value *gpu = &c->arrays[a].device_class;
    if (c->arrays[a].is_switch || gpu->type != TS_T_GPU)
      continue;
    if (ts_gpu_called(s, gpu, device))
      return NULL;
    first = first ? first : gpu;
  }
  return first;
}
