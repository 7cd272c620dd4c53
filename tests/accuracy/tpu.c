#include "tests/accuracy/tpu.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/accuracy/published.h"

#define N(column) csv_number(t, i, column)
#define T(column) csv_cell(t, i, column)

/* The value of NAME=value in a list that semicolons part, or "". */
static const char *argument(ts_arena *arena, const char *list, const char *name)
{
  size_t length = strlen(name);
  for (const char *at = list; (at = strstr(at, name)); at += length)
    if ((at == list || at[-1] == ';') && at[length] == '=')
      return ts_arena_printf(arena, "%.*s", (int)strcspn(at + length + 1, ";"), at + length + 1);
  return "";
}

/* -- the model -- */

/* Names have settings at their end, "llama3_1-70b-8192-bs2": the longest beginning counts that is
 * known. */
static const acc_model *model_in(ts_arena *arena, const char *name)
{
  char *copy = ts_arena_printf(arena, "%s", name);
  for (;;) {
    const acc_model *m = acc_model_named(arena, copy);
    char *cut = copy + strlen(copy);
    if (m)
      return m;
    while (cut > copy && *cut != '-' && *cut != '_' && *cut != ' ')
      cut--;
    if (cut == copy)
      return NULL;
    *cut = 0;
  }
}

static const char *call_of(const acc_context *c, const csv *t, size_t i)
{
  const char *scale = argument(c->arena, T("other"), "global_parameter_scale");
  const acc_model *m = model_in(c->arena, T("model"));
  int seq = atoi(T("seq"));
  if (*scale)
    return ts_arena_printf(c->arena, "maxtext_scaled(%s, %d)", scale, seq);
  return m ? ts_arena_printf(c->arena, "%s(%d)", m->name, seq) : NULL;
}

/* -- the mesh -- */

typedef struct mesh {
  double chips, tp, cp, fsdp, data;
} mesh;

/* A parallelism of a slice; arguments that are not given have MaxText's defaults: 1, and -1 (what
 * is left) for fsdp. Two names for one thing: its transpose too cuts parameters. */
static double of_slice(const acc_context *c, const char *text, const char *name, double otherwise)
{
  const char *value =
    argument(c->arena, text, ts_arena_printf(c->arena, "ici_%s_parallelism", name));
  return *value ? atof(value) : otherwise;
}

/* Devices of TPU7x are halves of chips: two of them are one of ours, of replicas first. */
static mesh mesh_of(const acc_context *c, const csv *t, size_t i)
{
  const char *text = T("mesh");
  double slices = N("slices") > 0 ? N("slices") : 1, halves = strstr(T("chip"), "TPU7x") ? 2 : 1,
         transpose = of_slice(c, text, "fsdp_transpose", 1), auto_or = transpose < 0 ? 1 : -1;
  mesh m = {.chips = N("chips"),
            .tp = of_slice(c, text, "tensor", 1),
            .cp = of_slice(c, text, "context", 1),
            .fsdp = of_slice(c, text, "fsdp", auto_or),
            .data = of_slice(c, text, "data", 1)};
  if (halves > 1 && fmod(m.data, 2) == 0)
    m.data /= 2;
  else if (halves > 1 && m.fsdp > 0)
    m.fsdp /= 2;
  if (m.fsdp < 0 || transpose < 0)
    m.fsdp = m.chips / slices / (m.tp * m.cp * m.data);
  else
    m.fsdp *= transpose;
  m.data *= slices;
  return m;
}

/* -- the rest -- */

/* What is not computed again: the tensors that a custom policy keeps or offloads. */
static const char *kept_of(const acc_context *c, const csv *t, size_t i)
{
  static const char *const tensors[] = {"query_proj", "context", "out_proj", "mlpwi"};
  const char *list = csv_is(t, i, "remat", "qkv_proj_offloaded") ? "\"query_proj\"" : "";
  for (size_t k = 0; k < sizeof tensors / sizeof *tensors; k++) {
    const char *where = argument(c->arena, T("other"), tensors[k]);
    if (!strcmp(where, "device") || !strcmp(where, "offload"))
      list = ts_arena_printf(c->arena, "%s%s\"%s\"", list, *list ? ", " : "", tensors[k]);
  }
  return ts_arena_printf(c->arena, "[%s]", list);
}

static const char *machine_of(const char *chip)
{
  return strstr(chip, "TPU7x") ? "7x" : acc_machine_named(chip);
}

static double batch_of(const csv *t, size_t i)
{
  double halves = strstr(T("chip"), "TPU7x") ? 2 : 1;
  return N("global_batch") > 0 ? N("global_batch") : N("per_device_batch") * N("chips") * halves;
}

static const char *lacks(const acc_context *c, const csv *t, size_t i, const mesh *m)
{
  if (!*T("mesh") && !*T("remat"))
    return "its arguments are not stated";
  if (!call_of(c, t, i))
    return "a model that std has not";
  if (!machine_of(T("chip")))
    return "a chip that std has not";
  if (!acc_recipe_named(T("precision")))
    return "a number format that std has no recipe for";
  if (!(atof(T("seq")) > 0) || !(batch_of(t, i) > 0) || !(m->chips > 0))
    return "batch, sequence or chips not stated";
  if (m->tp * m->cp * m->fsdp * m->data != m->chips || fmod(batch_of(t, i), m->fsdp * m->data) != 0)
    return "mesh or batch do not multiply to what is printed";
  return NULL;
}

static void define(const acc_context *c, acc_row *row, const char *name, double value)
{
  acc_define(c->arena, row, name, ts_arena_printf(c->arena, "%.0f", value));
}

bool acc_tpu(const acc_context *c, const csv *t, size_t i, acc_row *row)
{
  mesh m = mesh_of(c, t, i);
  row->memory = NAN;
  row->measured = N("step_s");
  if (!(row->measured > 0) && N("tflops_chip") > 0)
    row->rate = N("tflops_chip") * 1e12;
  row->group = ts_arena_printf(c->arena, "%s", T("chip"));
  row->name =
    ts_arena_printf(c->arena, "%s %s x%s %s %s, batch %.0f, seq %s", T("model"), T("chip"),
                    T("chips"), T("precision"), T("remat"), batch_of(t, i), T("seq"));
  row->missing = lacks(c, t, i, &m);
  if (!row->missing && !(row->measured > 0) && !(row->rate > 0))
    row->missing = "no time and no rate";
  if (row->missing)
    return true;
  acc_define(c->arena, row, "model", call_of(c, t, i));
  acc_define(c->arena, row, "machine",
             ts_arena_printf(c->arena, "machine_%s", machine_of(T("chip"))));
  acc_define(c->arena, row, "recipe",
             ts_arena_printf(c->arena, "\"%s\"", acc_recipe_named(T("precision"))));
  acc_define(c->arena, row, "kept", kept_of(c, t, i));
  define(c, row, "chips", m.chips);
  define(c, row, "tp", m.tp);
  define(c, row, "cp", m.cp);
  define(c, row, "fsdp_chips", m.fsdp);
  define(c, row, "data", m.data);
  define(c, row, "micro", batch_of(t, i) / (m.fsdp * m.data));
  return true;
}
