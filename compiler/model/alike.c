#include "compiler/model/alike.h"

#include <string.h>

static uint64_t mix_shape(uint64_t h, ts_shape shape)
{
  h = ts_mix(h, shape.rank);
  for (uint32_t d = 0; d < shape.rank; d++)
    h = ts_mix(h, (uint64_t)shape.dim[d]);
  return h;
}

static uint64_t bits_of(double real)
{
  uint64_t bits;
  memcpy(&bits, &real, sizeof bits);
  return bits;
}

static uint64_t mix_value(uint64_t h, ts_value v)
{
  h = ts_mix(h, v.type);
  switch (v.type) {
  case TS_T_TENSOR: return h; /* its slot says more */
  case TS_T_LIST:
    for (uint32_t i = 0; i < v.u.list->count; i++)
      h = mix_value(h, v.u.list->at[i]);
    return h;
  case TS_T_BOOL: return ts_mix(h, v.u.truth);
  case TS_T_INT: return ts_mix(h, (uint64_t)v.u.integer);
  case TS_T_REAL:
  case TS_T_QUANTITY: return ts_mix(h, bits_of(v.u.real));
  case TS_T_AXIS: return ts_mix(h, v.u.axes.mask);
  case TS_T_RANGE: return ts_mix(ts_mix(h, (uint64_t)v.u.range.begin), (uint64_t)v.u.range.end);
  case TS_T_STRING:
  case TS_T_LABEL:
  case TS_T_WORD: return ts_mix(h, (uintptr_t)v.u.string);
  case TS_T_DTYPE: return ts_mix(h, (uintptr_t)v.u.dtype);
  default: return h;
  }
}

static bool same_values(const ts_value *a, const ts_value *b);

static bool same_records(const ts_record *a, const ts_record *b)
{
  bool same = a->count == b->count && a->type == b->type && a->name == b->name;
  for (uint32_t i = 0; same && i < a->count; i++)
    same = a->at[i].name == b->at[i].name && same_values(a->at[i].value, b->at[i].value);
  return same;
}

static bool same_values(const ts_value *a, const ts_value *b)
{
  if (a->type != b->type)
    return false;
  switch (a->type) {
  case TS_T_NONE:
  case TS_T_TENSOR: return true;
  case TS_T_LIST: {
    bool same = a->u.list->count == b->u.list->count;
    for (uint32_t i = 0; same && i < a->u.list->count; i++)
      same = same_values(&a->u.list->at[i], &b->u.list->at[i]);
    return same;
  }
  case TS_T_RECORD: return same_records(a->u.record, b->u.record);
  case TS_T_BOOL: return a->u.truth == b->u.truth;
  case TS_T_INT: return a->u.integer == b->u.integer;
  case TS_T_REAL: return bits_of(a->u.real) == bits_of(b->u.real);
  case TS_T_QUANTITY:
    return bits_of(a->u.real) == bits_of(b->u.real) &&
           ts_dimension_equal(a->dimension, b->dimension);
  case TS_T_AXIS:
    return a->u.axes.mask == b->u.axes.mask && a->u.axes.size == b->u.axes.size &&
           a->u.axes.text == b->u.axes.text;
  case TS_T_RANGE:
    return a->u.range.begin == b->u.range.begin && a->u.range.end == b->u.range.end;
  case TS_T_STRING:
  case TS_T_LABEL:
  case TS_T_WORD: return a->u.string == b->u.string;
  case TS_T_DTYPE: return a->u.dtype == b->u.dtype;
  case TS_T_FUNCTION: return a->u.function == b->u.function;
  case TS_T_DECL: return a->u.decl == b->u.decl;
  case TS_T_APPLIED: return a->u.applied == b->u.applied;
  case TS_T_GPU: return a->u.record == b->u.record;
  case TS_T_CLUSTER: return a->u.cluster == b->u.cluster;
  case TS_T_ERROR: return false;
  }
  return false;
}

static bool same_inputs(const ts_slot *a, const ts_slot *b)
{
  return a->name == b->name && a->formal == b->formal && a->dtype == b->dtype &&
         a->shape.rank == b->shape.rank &&
         (!a->shape.rank || !memcmp(a->shape.dim, b->shape.dim, a->shape.rank * sizeof *a->shape.dim));
}

uint64_t ts_op_hash(const ts_op *op)
{
  uint64_t h = ts_mix(UINT64_C(0xcbf29ce484222325), (uintptr_t)op->decl);
  h = ts_mix(h, (uintptr_t)op->traced);
  for (uint32_t f = 0; f < op->arg_count; f++)
    h = mix_value(h, op->args[f]);
  for (uint32_t i = 0; i < op->input_count; i++)
    h = mix_shape(ts_mix(h, (uintptr_t)op->slots[i].dtype), op->slots[i].shape);
  return h;
}

bool ts_op_alike(const ts_op *a, const ts_op *b)
{
  if (a->decl != b->decl || a->module != b->module || a->traced != b->traced ||
      a->arg_count != b->arg_count || a->input_count != b->input_count ||
      a->slot_count != b->slot_count || a->part_count != b->part_count)
    return false;
  for (uint32_t f = 0; f < a->arg_count; f++)
    if (!same_values(&a->args[f], &b->args[f]))
      return false;
  for (uint32_t i = 0; i < a->input_count; i++)
    if (!same_inputs(&a->slots[i], &b->slots[i]))
      return false;
  return true;
}
