/* How far the plan's figures are off: the records of std.errors that hold for its kernels, its
 * networks and the kind of run that it is. */
#include <math.h>
#include <string.h>

#include "compiler/lower/lowering.h"
#include "compiler/machine/cluster.h"
#include "ir/parts.h"
#include "ir/run_kind.h"
#include "ir/spelling.h"
#include "ir/spread.h"

/* -- rows of the table -- */

static bool is_true(const ts_record *r, const char *name)
{
  const ts_value *v = ts_record_find(r, name);
  return v && v->type == TS_T_BOOL && v->u.truth;
}

static const ts_list *list_of(const ts_record *errors, const char *name)
{
  static const ts_list none;
  const ts_value *v = ts_record_find(errors, name);
  return v && v->type == TS_T_LIST ? v->u.list : &none;
}

/* Place of a word among the names; as many as there are: it is none of them. */
static uint32_t choice(const char *word, const char *const *names)
{
  uint32_t i = 0;
  while (names[i] && strcmp(names[i], word) != 0)
    i++;
  return i;
}

/* -- spreads -- */

static ts_ir_spread spread_of(ts_lowering *l, const ts_record *r)
{
  ts_ir_spread s = {.origin = choice(ts_record_text(r, "of"), ts_ir_origin_names),
                    .between = is_true(r, "between"),
                    .assumed = is_true(r, "assumed"),
                    .rows = (uint32_t)ts_record_number(r, "rows", 0),
                    .spread = ts_record_number(r, "spread", 0)};
  bool kernels = s.origin == TS_IR_ORIGIN_KERNELS, network = s.origin == TS_IR_ORIGIN_NETWORK;
  if (kernels)
    s.basis = choice(ts_record_text(r, "basis"), ts_ir_basis_names);
  else if (network)
    s.basis = choice(ts_record_text(r, "model"), ts_ir_net_names);
  s.name = ts_ir_add_string(l->b, ts_record_text(r, kernels ? "family" : "file"));
  s.dtype = ts_ir_add_string(l->b, ts_record_text(r, "dtype"));
  s.least_kib = network ? (uint32_t)ts_record_number(r, "kib", 0) : 0;
  return s;
}

typedef struct spread_table { uint32_t count; ts_ir_spread *at; bool *used; } spread_table;

static void use(spread_table *t, const ts_ir *ir, ts_spread_query query)
{
  uint32_t found = ts_spread_find(t->at, t->count, ir->strings, &query);
  if (found != TS_IR_NONE)
    t->used[found] = true;
}

static void add_spreads(ts_lowering *l, const ts_list *rows, spread_table *t)
{
  for (uint32_t i = 0; i < rows->count; i++)
    if (rows->at[i].type == TS_T_RECORD)
      t->at[t->count++] = spread_of(l, rows->at[i].u.record);
}

/* Of two that name as much, one from rows comes before one that was chosen. */
static void write_spreads(ts_lowering *l, const ts_list *rows, const ts_list *chosen)
{
  uint32_t room = rows->count + chosen->count + 1;
  spread_table t = {.at = TS_NEW_ARRAY(l->s->arena, ts_ir_spread, room),
                    .used = TS_NEW_ARRAY(l->s->arena, bool, room)};
  add_spreads(l, rows, &t);
  add_spreads(l, chosen, &t);
  ts_ir view;
  ts_ir_builder_view(l->b, &view);
  for (uint32_t k = 0; k < view.kernels_count; k++)
    use(&t, &view, ts_spread_query_kernel(&view, &view.kernels[k]));
  for (uint32_t m = 0; m < 2 * view.net_models_count + 2; m++) {
    ts_spread_query query = ts_spread_query_network(&view, m / 2, m % 2);
    use(&t, &view, query);
    for (uint32_t i = 0; i < t.count; i++) { /* calls of any size */
      query.bytes = 1024.0 * t.at[i].least_kib;
      use(&t, &view, query);
    }
  }
  use(&t, &view, (ts_spread_query){.origin = TS_IR_ORIGIN_HOST, .name = "", .dtype = ""});
  use(&t, &view, (ts_spread_query){.origin = TS_IR_ORIGIN_RUN, .name = "", .dtype = ""});
  for (uint32_t i = 0; i < t.count; i++)
    if (t.used[i]) {
      void *record;
      ts_ir_append(l->b, TS_IR_SPREADS, 1, &record);
      *(ts_ir_spread *)record = t.at[i];
    }
}

/* -- the kind of run -- */

typedef struct run_kind { const char *framework, *gpu; int bits; bool experts, nodes; } run_kind;

/* Of the format that most of the model's FLOPs are in. */
static int bits_of(const ts_ir *ir)
{
  double most = 0;
  int bits = 16;
  for (uint32_t i = 0; i < ir->formats_count; i++) {
    const ts_dtype *dtype = ts_dtype_find(ir->strings + ir->formats[i].dtype);
    if (!dtype || !(ir->formats[i].model_flops > most))
      continue;
    most = ir->formats[i].model_flops;
    bits = dtype->bits < 6 ? 4 : dtype->bits < 12 ? 8 : dtype->bits < 24 ? 16 : 32;
  }
  return bits;
}

/* Whether kernels of a family that the table names as of experts run. */
static bool has_experts(const ts_ir *ir, const ts_list *families)
{
  for (uint32_t k = 0; k < ir->kernels_count; k++)
    for (uint32_t i = 0; i < families->count; i++)
      if (families->at[i].type == TS_T_STRING &&
          !strcmp(families->at[i].u.string, ir->strings + ir->kernels[k].family))
        return true;
  return false;
}

/* Whether ranks are in several islands: what links of tier 0 join. */
static bool has_nodes(const ts_lowering *l, const ts_ir *ir)
{
  const uint32_t *island = ts_ir_parts(l->s->arena, ir, 0);
  uint32_t first = ts_ir_vertex_of(ir, 0);
  for (uint32_t r = 1; r < ir->meta->world; r++) {
    uint32_t vertex = ts_ir_vertex_of(ir, r);
    if (first != TS_IR_NONE && vertex != TS_IR_NONE && island[vertex] != island[first])
      return true;
  }
  return false;
}

/* What a row says of its runs, the plan's kind being so; NULL: they are of another kind. */
static const char *runs_of(const ts_lowering *l, const ts_record *r, const run_kind *k)
{
  ts_arena *arena = l->s->arena;
  const char *text = "";
  const ts_value *experts = ts_record_find(r, "experts"), *nodes = ts_record_find(r, "nodes");
  int bits = (int)ts_record_number(r, "bits", 0);
  if ((*ts_record_text(r, "framework") &&
       strcmp(ts_record_text(r, "framework"), k->framework) != 0) ||
      (*ts_record_text(r, "gpu") && strcmp(ts_record_text(r, "gpu"), k->gpu) != 0) ||
      (bits && bits != k->bits) || (experts && is_true(r, "experts") != k->experts) ||
      (nodes && is_true(r, "nodes") != k->nodes))
    return NULL;
  if (*ts_record_text(r, "framework"))
    text = ts_arena_printf(arena, "%s, ", k->framework);
  if (*ts_record_text(r, "gpu"))
    text = ts_arena_printf(arena, "%s%s, ", text, k->gpu);
  if (bits)
    text = ts_arena_printf(arena, "%s%d bits, ", text, bits);
  if (experts)
    text = ts_arena_printf(arena, "%s%s, ", text, k->experts ? "experts" : "dense");
  if (nodes)
    text = ts_arena_printf(arena, "%s%s, ", text, k->nodes ? "several nodes" : "one node");
  return *text ? ts_arena_string(arena, text, strlen(text) - 2) : "all kinds";
}

/* The first row that holds, of those from special to general. */
static void write_validation(ts_lowering *l, const ts_list *rows, const run_kind *kind,
                             uint32_t quantity)
{
  for (uint32_t i = 0; i < rows->count; i++) {
    const ts_record *r = rows->at[i].type == TS_T_RECORD ? rows->at[i].u.record : NULL;
    const char *runs =
      r && choice(ts_record_text(r, "quantity"), ts_ir_quantity_names) == quantity ?
        runs_of(l, r, kind) :
        NULL;
    if (!runs)
      continue;
    ts_ir_str text = ts_ir_add_string(l->b, runs);
    void *record;
    ts_ir_append(l->b, TS_IR_VALIDATIONS, 1, &record);
    double below = ts_record_number(r, "below", 0), above = ts_record_number(r, "above", 0);
    *(ts_ir_validation *)record =
      (ts_ir_validation){.quantity = quantity,
                         .runs = text,
                         .rows = (uint32_t)ts_record_number(r, "rows", 0),
                         .groups = (uint32_t)ts_record_number(r, "groups", 0),
                         .same_kind = *ts_record_text(r, "framework") != 0,
                         .below = below,
                         .above = above,
                         .apart = ts_record_number(r, "apart", (below + above) / 2)};
    return;
  }
}

void ts_lower_confidence(ts_lowering *l)
{
  if (l->plan->errors.type != TS_T_RECORD)
    return;
  const ts_record *errors = l->plan->errors.u.record;
  write_spreads(l, list_of(errors, "spreads"), list_of(errors, "chosen"));
  ts_ir view;
  ts_ir_builder_view(l->b, &view);
  run_kind kind = {.framework = l->plan->framework,
                   .gpu = ts_arena_printf(l->s->arena, "%s", ts_ir_gpu_of(&view)), /* strings move */
                   .bits = bits_of(&view),
                   .experts = has_experts(&view, list_of(errors, "experts")),
                   .nodes = has_nodes(l, &view)};
  ts_ir_meta *meta = ts_ir_builder_meta(l->b);
  meta->run_bits = (uint32_t)kind.bits;
  meta->run_flags = (kind.experts ? TS_IR_RUN_EXPERTS : 0u) | (kind.nodes ? TS_IR_RUN_NODES : 0u);
  for (uint32_t quantity = 0; quantity < TS_IR_QUANTITIES; quantity++)
    write_validation(l, list_of(errors, "runs"), &kind, quantity);
}
