#include "tests/accuracy/pairs.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/accuracy/published.h"

#define T(column) csv_cell(t, i, column)

/* -- what a row says in words -- */

/* The number behind a word, "TP" in "GBS4 TP2 PP1"; 0: not there. Longer words that end so are
 * others: "VPP5" states no PP. */
static double number_after(const char *text, const char *word)
{
  size_t length = strlen(word);
  for (const char *at = text; (at = strstr(at, word)); at += length)
    if ((at == text || !isalnum((unsigned char)at[-1])) && isdigit((unsigned char)at[length]))
      return atof(at + length);
  return 0;
}

/* Of the case, else of what all cases share. */
static double stated(const csv *t, size_t i, const char *word)
{
  double in_case = number_after(T("case"), word);
  return in_case > 0 ? in_case : number_after(T("config"), word);
}

typedef struct setting {
  double gpus, seq, tp, pp, vp, cp, ep, micro, global;
  const char *machine, *recipe;
  const acc_model *model;
  bool torchtitan, stated_recipe, hybrid, router;
} setting;

static double or_one(double x) { return x > 0 ? x : 1; }

/* A GPU that is told by its memory alone: PyTorch sees 184 GiB on a GB200, 178 on a B200. */
static const char *machine_of(const char *gpu)
{
  return strstr(gpu, "Blackwell, 184 GiB") ? "gb200" : acc_machine_named(gpu);
}

/* The format in words of the case or of the setting. */
static const char *recipe_of(const csv *t, size_t i, bool *is_stated)
{
  static const char *const words[] = {"NVFP4", "MXFP8", "BF16", "bf16", "fp8"};
  const char *const in[] = {T("case"), T("config")};
  *is_stated = true;
  for (size_t k = 0; k < 2; k++)
    for (size_t w = 0; w < sizeof words / sizeof *words; w++)
      if (strstr(in[k], words[w]))
        return strstr(in[k], "fp8 block") ? "fp8_block" : acc_recipe_named(words[w]);
  *is_stated = false;
  return "bf16";
}

static setting setting_of(const acc_context *c, const csv *t, size_t i)
{
  setting s = {.gpus = csv_number(t, i, "gpus"),
               .seq = stated(t, i, "seq"),
               .tp = stated(t, i, "TP"),
               .pp = stated(t, i, "PP"),
               .vp = or_one(stated(t, i, "VPP")),
               .cp = or_one(stated(t, i, "CP")),
               .ep = stated(t, i, "EP"),
               .micro = stated(t, i, "MBS"),
               .global = stated(t, i, "GBS"),
               .machine = machine_of(T("gpu")),
               .model = acc_model_named(c->arena, T("model")),
               .torchtitan = strstr(T("source"), "torchtitan") != NULL,
               .hybrid = strstr(T("config"), "HybridEP") != NULL,
               .router =
                 strstr(T("config"), "CUDA graph scopes moe_router+moe_preprocess") != NULL};
  s.recipe = recipe_of(t, i, &s.stated_recipe);
  if (s.torchtitan && stated(t, i, "FSDP") == s.gpus) {
    s.tp = s.pp = 1;
    s.micro = stated(t, i, "local batch ");
    s.global = stated(t, i, "global batch ");
  }
  return s;
}

static const char *lacks(const setting *s, const csv *t, size_t i)
{
  bool nvidia = strstr(T("source"), "Megatron-Bridge") != NULL;
  if (!s->model)
    return "a model that std has not";
  if (!*T("gpu") || !(s->gpus > 0))
    return "GPU or number of GPUs not stated";
  if (!s->machine)
    return "a gpu that std has not";
  if (!nvidia && !s->torchtitan)
    return "a framework that has no profile";
  if (!(s->micro > 0) || !(s->global > 0) || !(s->seq > 0))
    return "batch, micro-batch or sequence not stated";
  if (!(s->tp > 0) || !(s->pp > 0) || (s->model->top && !(s->ep > 0)))
    return "degrees not stated";
  if (fmod(s->gpus, s->tp * s->pp * s->cp) != 0 ||
      fmod(s->global, s->gpus / (s->tp * s->pp * s->cp) * s->micro) != 0)
    return "degrees or batch do not multiply to what is printed";
  return NULL;
}

/* -- what is switched -- */

/* "layernorm+moe_act" as the list ["layernorm", "moe_act"]. */
static const char *list_of(ts_arena *arena, const char *words)
{
  const char *list = "";
  for (const char *at = words; *at; at += at[strcspn(at, "+")] ? strcspn(at, "+") + 1 : strlen(at))
    list =
      ts_arena_printf(arena, "%s%s\"%.*s\"", list, *list ? ", " : "", (int)strcspn(at, "+"), at);
  return ts_arena_printf(arena, "[%s]", list);
}

/* Defines what the case switches. NULL, or why no plan can. */
static const char *define_case(const acc_context *c, const csv *t, size_t i, acc_row *row)
{
  const char *effect = T("effect");
  if (!strcmp(effect, "recompute_modules")) {
    if (strcmp(T("case"), "none") != 0)
      acc_define(c->arena, row, "again", list_of(c->arena, T("case")));
    return NULL;
  }
  if (!strcmp(effect, "quantization_fp4")) {
    const char *layers = strstr(T("config"), "NVFP4 in layers 0-");
    if (layers && strstr(T("case"), "NVFP4"))
      acc_define(c->arena, row, "first",
                 ts_arena_printf(c->arena, "%d", atoi(layers + strlen("NVFP4 in layers 0-")) + 1));
    return NULL;
  }
  if (!strcmp(effect, "ep_overlap")) {
    acc_define(c->arena, row, "beside", strcmp(T("case"), "on") ? "false" : "true");
    return NULL;
  }
  return !strcmp(effect, "layout") || !strcmp(effect, "long_context") ?
           NULL :
           "what it switches is no parameter of the plan";
}

static void define(const acc_context *c, acc_row *row, const char *name, double value)
{
  acc_define(c->arena, row, name, ts_arena_printf(c->arena, "%.0f", value));
}

static const char *const more_recomputed[] = {"\"selective\"", "\"full\"", NULL};

static void define_all(const acc_context *c, const setting *s, acc_row *row)
{
  acc_define(c->arena, row, "model", ts_arena_printf(c->arena, "%s(%.0f)", s->model->name, s->seq));
  acc_define(c->arena, row, "machine", ts_arena_printf(c->arena, "machine_%s", s->machine));
  acc_define(c->arena, row, "kind", ts_arena_printf(c->arena, "\"%s\"", s->machine));
  acc_define(c->arena, row, "framework", s->torchtitan ? "torchtitan" : "megatron_bridge");
  acc_define(c->arena, row, "recipe", ts_arena_printf(c->arena, "\"%s\"", s->recipe));
  acc_define(c->arena, row, "family", ts_arena_printf(c->arena, "\"%s\"", s->model->name));
  if (s->torchtitan)
    row->ladder = more_recomputed;
  define(c, row, "gpus", s->gpus);
  define(c, row, "layers", s->model->layers);
  define(c, row, "tp", s->tp);
  define(c, row, "pp", s->pp);
  define(c, row, "cp", s->cp);
  define(c, row, "chunks", s->pp > 1 ? s->vp : 1);
  define(c, row, "micro", s->micro);
  define(c, row, "global", s->global);
  if (!s->model->top)
    return;
  if (s->hybrid)
    acc_define(c->arena, row, "exchange", "\"hybrid_ep\"");
  if (s->router)
    acc_define(c->arena, row, "captured", "\"router\"");
  acc_define(c->arena, row, "experts", "true");
  define(c, row, "top", s->model->top);
  define(c, row, "ep", s->ep);
}

/* Step time, or the rate that stands for it: FLOP/s, or tokens a second and GPU in words. */
static void read_measured(const csv *t, size_t i, const setting *s, acc_row *row)
{
  const char *tokens = strstr(T("other"), " tokens/s/GPU");
  row->measured = csv_number(t, i, "step_s");
  if (!(row->measured > 0) && csv_number(t, i, "tflops_gpu") > 0)
    row->rate = csv_number(t, i, "tflops_gpu") * 1e12;
  if (!(row->measured > 0) && !(row->rate > 0) && tokens) {
    while (tokens > T("other") && isdigit((unsigned char)tokens[-1]))
      tokens--;
    row->measured = s->global * s->seq / (atof(tokens) * s->gpus);
  }
}

/* The first row of its effect, model and setting that has a measurement is what others stand
 * against. */
static bool is_first(const csv *t, size_t i)
{
  for (size_t k = 0; k < i; k++)
    if (csv_is(t, k, "effect", T("effect")) && csv_is(t, k, "model", T("model")) &&
        csv_is(t, k, "config", T("config")) &&
        (csv_number(t, k, "step_s") > 0 || csv_number(t, k, "tflops_gpu") > 0 ||
         strstr(csv_cell(t, k, "other"), " tokens/s/GPU")))
      return false;
  return true;
}

static bool is_alone(const csv *t, size_t i)
{
  for (size_t k = 0; k < t->rows; k++)
    if (k != i && csv_is(t, k, "effect", T("effect")) && csv_is(t, k, "model", T("model")) &&
        csv_is(t, k, "config", T("config")))
      return false;
  return true;
}

bool acc_pairs(const acc_context *c, const csv *t, size_t i, acc_row *row)
{
  setting s = setting_of(c, t, i);
  row->memory = NAN;
  row->effect = true;
  row->group = ts_arena_printf(c->arena, "%s of %s, %s", T("effect"), T("model"), T("config"));
  row->name = ts_arena_printf(c->arena, "%s of %s, %s", T("effect"), T("model"), T("case"));
  read_measured(t, i, &s, row);
  row->side = is_first(t, i) ? ACC_REFERENCE : ACC_COMPARED;
  if (is_alone(t, i))
    row->missing = "one case of its setting alone";
  else if (!(row->measured > 0) && !(row->rate > 0))
    row->missing = "no time, rate or tokens a second";
  else
    row->missing = lacks(&s, t, i);
  if (!row->missing)
    row->missing = define_case(c, t, i, row);
  if (!row->missing)
    define_all(c, &s, row);
  return true;
}
