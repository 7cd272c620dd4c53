#include "compiler/plan/records.h"

#include <math.h>

#include "compiler/eval/eval.h"
#include "compiler/eval/report.h"

const char ts_plan_record_types[] =
#define RECORD(record) "record " #record " {\n"
#define FIELD(record, field, type, otherwise) "  " #field ": " #type " = " #otherwise ",\n"
#define END "}\n"
#include "compiler/plan/records.def"
#undef RECORD
#undef FIELD
#undef END
  ;

bool ts_possible_amount(ts_session *s, const char *what, ts_value v, ts_span at)
{
  bool number = ts_value_is_number(v) || v.type == TS_T_QUANTITY;
  double value = v.type == TS_T_INT ? (double)v.u.integer : number ? v.u.real : 0;
  bool quantity = v.type == TS_T_QUANTITY, time = ts_dimension_equal(v.dimension, TS_DIM_TIME);
  double most = !quantity ? INFINITY : time ? 1e6 : 0x1p59;
  if (value >= 0 && value < most)
    return true;
  ts_diag *d = ts_report(s, TS_E0225, at, "%s must be 0 or more%s", what,
                         value < 0 ? "" : ", and less than this");
  ts_diag_here(d, "this is %s", ts_value_print(s->arena, v));
  return false;
}

/* A record being decoded: of a declared type, so that each field has its place. */
typedef struct reading {
  ts_session *s;
  ts_value record;
  const char *what; /* "`host`" */
  ts_span at;
  ts_value precision;
} reading;

static const ts_field *field(const reading *r, unsigned i) { return &r->record.u.record->at[i]; }
static ts_value value(const reading *r, unsigned i) { return *field(r, i)->value; }

static ts_span records_place(const reading *r, unsigned i)
{
  return field(r, i)->span.file ? field(r, i)->span : r->at;
}

static const char *records_name(const reading *r, unsigned i)
{
  return ts_arena_printf(r->s->arena, "`%s` of %s", field(r, i)->name, r->what);
}

/* A value of the type, whatever was said. */
static bool open_record(reading *r, const char *type)
{
  static const ts_record nothing;
  if (r->record.type == TS_T_ERROR)
    return false;
  if (r->record.type != TS_T_RECORD)
    r->record = (ts_value){.type = TS_T_RECORD, .u.record = &nothing};
  return ts_convert_to(r->s, type, &r->record, r->what, r->at, TS_NO_SPAN);
}

static double amount(const reading *r, unsigned i)
{
  ts_value v = value(r, i);
  return ts_possible_amount(r->s, records_name(r, i), v, records_place(r, i)) ? v.u.real : 0;
}

/* ---- Precision ---- */

ts_precision ts_precision_of(ts_session *s, ts_value v, ts_span at)
{
  reading r = {.s = s, .record = v, .what = "`precision`", .at = at};
  if (!open_record(&r, "Precision"))
    return (ts_precision){0};
  return (ts_precision){.compute = value(&r, TS_Precision_compute).u.dtype,
                        .weights = value(&r, TS_Precision_weights).u.dtype,
                        .gradients = value(&r, TS_Precision_gradients).u.dtype,
                        .stated = v.type == TS_T_RECORD,
                        .keep_graph = value(&r, TS_Precision_keep_graph).u.truth,
                        .free_gradients = value(&r, TS_Precision_free_gradients).u.truth,
                        .accumulate = amount(&r, TS_Precision_accumulate) / 8,
                        .buffers = amount(&r, TS_Precision_buffers) / 8,
                        .arithmetic = value(&r, TS_Precision_arithmetic).u.record};
}

/* ---- Optimizer ---- */

/* A size, a function of the plan's precision that gives one, or a list of such that add up.
 * Anything else stays as it is: its check says what is wrong. */
static ts_value settled(const reading *r, ts_value v)
{
  if (v.type == TS_T_FUNCTION)
    return ts_call(r->s, v, &r->precision, NULL, 1, v.span.file ? v.span : r->at);
  if (v.type != TS_T_LIST)
    return v;
  double bits = 0;
  for (uint32_t i = 0; i < v.u.list->count; i++) {
    ts_value term = settled(r, v.u.list->at[i]);
    if (term.type != TS_T_QUANTITY || !ts_dimension_equal(term.dimension, TS_DIM_SIZE))
      return term.type == TS_T_ERROR ? term : v;
    bits += term.u.real;
  }
  return ts_quantity_value(bits, TS_DIM_SIZE, v.span);
}

static double bytes(const reading *r, unsigned i)
{
  ts_value v = settled(r, value(r, i));
  bool good =
    ts_convert_to(r->s, "Size", &v, records_name(r, i), records_place(r, i), TS_NO_SPAN) &&
    ts_possible_amount(r->s, records_name(r, i), v, records_place(r, i));
  return good ? v.u.real / 8 : 0;
}

static double flops(const reading *r, unsigned i)
{
  ts_value v = value(r, i);
  if (!ts_value_is_number(v) &&
      (v.type != TS_T_QUANTITY || !ts_dimension_equal(v.dimension, TS_DIM_WORK))) {
    ts_diag *d = ts_report(r->s, TS_E0220, v.span.file ? v.span : r->at,
                           "%s is a number, or a Work", records_name(r, i));
    ts_diag_here(d, "found %s", ts_value_describe(r->s->arena, v));
    return 0;
  }
  bool good = ts_possible_amount(r->s, records_name(r, i), v, records_place(r, i));
  return !good ? 0 : v.type == TS_T_INT ? (double)v.u.integer : v.u.real;
}

static ts_update_kernel kernel_of(reading *r)
{
  ts_value name = value(r, TS_UpdateKernel_name);
  return (ts_update_kernel){.family = value(r, TS_UpdateKernel_family).u.string,
                            .name = name.type == TS_T_STRING ? name.u.string : NULL,
                            .bytes =
                              bytes(r, TS_UpdateKernel_reads) + bytes(r, TS_UpdateKernel_writes),
                            .flops = flops(r, TS_UpdateKernel_flops),
                            .whole = value(r, TS_UpdateKernel_whole).u.truth,
                            .span = r->record.span};
}

ts_optimizer ts_optimizer_of(ts_session *s, ts_value v, ts_value precision, ts_span at)
{
  bool stated = precision.type == TS_T_RECORD;
  reading formats = {.s = s,
                     .record = stated ? precision : ts_none_value(),
                     .what = "`precision`",
                     .at = at},
          r = {.s = s, .record = v, .what = "`optimizer`", .at = at};
  if (!open_record(&formats, "Precision") || !open_record(&r, "Optimizer"))
    return (ts_optimizer){0};
  r.precision = formats.record;
  ts_value list = value(&r, TS_Optimizer_kernels);
  ts_optimizer o = {.stated = v.type == TS_T_RECORD,
                    .listed = list.type == TS_T_LIST,
                    .fused = value(&r, TS_Optimizer_fused).u.truth,
                    .state = bytes(&r, TS_Optimizer_state),
                    .master = bytes(&r, TS_Optimizer_master),
                    .temp = bytes(&r, TS_Optimizer_temp),
                    .span = v.span};
  uint32_t count = o.listed ? list.u.list->count : 0;
  ts_update_kernel *kernels = TS_NEW_ARRAY(s->arena, ts_update_kernel, count + 1);
  for (uint32_t i = 0; i < count; i++) {
    reading k = r;
    k.record = list.u.list->at[i];
    k.what = "a kernel of `optimizer`";
    kernels[o.kernel_count++] = kernel_of(&k);
  }
  o.kernels = kernels;
  return o;
}

/* ---- Host ---- */

static uint64_t picoseconds(const reading *r, unsigned i)
{
  return (uint64_t)llround(amount(r, i) * 1e12);
}

ts_host ts_host_of(ts_session *s, ts_value v, ts_span at)
{
  reading r = {.s = s, .record = v, .what = "`host`", .at = at};
  if (!open_record(&r, "Host"))
    return (ts_host){0};
  return (ts_host){.launch = picoseconds(&r, TS_Host_launch),
                   .collective = picoseconds(&r, TS_Host_collective),
                   .message = picoseconds(&r, TS_Host_message),
                   .item = picoseconds(&r, TS_Host_item),
                   .step = picoseconds(&r, TS_Host_step),
                   .sync = value(&r, TS_Host_sync).u.truth};
}
