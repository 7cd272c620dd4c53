#include "compiler/plan/records.h"

#include <math.h>

static const ts_value *field(ts_value v, const char *name)
{
  return v.type == TS_T_RECORD ? ts_record_find(v.u.record, name) : NULL;
}

static const ts_dtype *dtype(ts_value v, const char *name)
{
  const ts_value *f = field(v, name);
  return f && f->type == TS_T_DTYPE ? f->u.dtype : ts_dtype_find("fp32");
}

static double bytes(ts_value v, const char *name)
{
  const ts_value *f = field(v, name);
  return f && f->type == TS_T_QUANTITY ? f->u.real / 8 : 0;
}

static bool truth(ts_value v, const char *name, bool otherwise)
{
  const ts_value *f = field(v, name);
  return f && f->type == TS_T_BOOL ? f->u.truth : otherwise;
}

static const char *string(ts_value v, const char *name, const char *otherwise)
{
  const ts_value *f = field(v, name);
  return f && f->type == TS_T_STRING ? f->u.string : otherwise;
}

ts_precision ts_precision_of(ts_value v)
{
  const ts_value *compute = field(v, "compute"), *arithmetic = field(v, "arithmetic");
  return (ts_precision){
    .compute = dtype(v, "compute"),
    .weights = dtype(v, "weights"),
    .gradients = dtype(v, "gradients"),
    .compute_stated = compute && compute->type == TS_T_DTYPE,
    .keep_graph = truth(v, "keep_graph", false),
    .accumulate = bytes(v, "accumulate"),
    .buffers = bytes(v, "buffers"),
    .arithmetic = arithmetic && arithmetic->type == TS_T_RECORD ? arithmetic->u.record : NULL};
}

static double flops_of(ts_value kernel)
{
  const ts_value *f = field(kernel, "flops");
  return !f                                               ? 0 :
         f->type == TS_T_INT                              ? (double)f->u.integer :
         f->type == TS_T_QUANTITY || f->type == TS_T_REAL ? f->u.real :
                                                            0;
}

ts_optimizer ts_optimizer_of(ts_arena *arena, ts_value v)
{
  ts_optimizer o = {.stated = v.type == TS_T_RECORD,
                    .fused = truth(v, "fused", true),
                    .state = bytes(v, "state"),
                    .master = bytes(v, "master"),
                    .span = v.span};
  const ts_value *list = field(v, "kernels");
  o.listed = list && list->type == TS_T_LIST;
  ts_update_kernel *kernels =
    TS_NEW_ARRAY(arena, ts_update_kernel, o.listed ? list->u.list->count + 1 : 1);
  for (uint32_t i = 0; o.listed && i < list->u.list->count; i++) {
    ts_value k = list->u.list->at[i];
    kernels[o.kernel_count++] =
      (ts_update_kernel){string(k, "family", "elementwise"), string(k, "name", NULL),
                         bytes(k, "reads") + bytes(k, "writes"), flops_of(k), k.span};
  }
  o.kernels = kernels;
  return o;
}

static uint64_t time_of(ts_value v, const char *name)
{
  const ts_value *f = field(v, name);
  return f && f->type == TS_T_QUANTITY && f->u.real > 0 ? (uint64_t)llround(f->u.real * 1e12) : 0;
}

ts_host ts_host_of(ts_value v)
{
  return (ts_host){time_of(v, "launch"), time_of(v, "collective"), time_of(v, "message"),
                   time_of(v, "item"),   time_of(v, "step"),       truth(v, "sync", false)};
}
