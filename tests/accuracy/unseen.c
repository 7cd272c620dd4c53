/* Runs of programs that have no profile. Their plan is as a reader of the manual writes it: what a
 * program does besides is not known, and that is what the intervals of unknown kinds are for. */
#include "tests/accuracy/unseen.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/accuracy/published.h"

#define N(column) csv_number(t, i, column)
#define T(column) csv_cell(t, i, column)

/* Dense models, as the tables spell them; %s: the sequence. */
static const char *const models[][2] = {
  {"InternLM 7B",
   "llama(layers: 32, hidden: 4096, heads: 32, kv_heads: 32, ffn: 11008, vocab: 103168, seq: %s)"},
  {"Llama 2 7B", "llama2_7b(%s)"},
  {"Llama 2 13b", "llama2_13b(%s)"},
  {"Llama 2 34b",
   "llama(layers: 48, hidden: 8192, heads: 64, kv_heads: 8, ffn: 22016, vocab: 32000, seq: %s)"},
  {"Llama 3 8B", "llama3_8b(%s)"},
  {"Llama 3.1 8B", "llama3_8b(%s)"},
  {"Llama 3.1 70B", "llama3_70b(%s)"},
  {"Llama-like 70B", "llama2_70b(%s)"},
  {"Yi 34B",
   "llama(layers: 60, hidden: 7168, heads: 56, kv_heads: 8, ffn: 20480, vocab: 64000, seq: %s)"},
  {"Command R+ 104B",
   "llama(layers: 64, hidden: 12288, heads: 96, kv_heads: 8, ffn: 33792, vocab: 256000, seq: %s)"},
  {"Qwen/Qwen3-0.6B", "qwen3_0_6b(%s)"},
  {"Qwen/Qwen3-4B", "qwen3_4b(%s)"},
};

/* Programs without a profile here, by how a name begins. */
static const char *const programs[] = {"InternEvo", "fms-fsdp", "XTuner", "MaxText (XLA GPU",
                                       "ColossalAI"};

static const char *model_of(const acc_context *c, const char *name, const char *seq)
{
  for (size_t k = 0; k < sizeof models / sizeof *models; k++)
    if (!strncmp(name, models[k][0], strlen(models[k][0]))) {
      const char *call = models[k][1], *hole = strstr(call, "%s");
      return ts_arena_printf(c->arena, "%.*s%s%s", (int)(hole - call), call, seq, hole + 2);
    }
  return NULL;
}

static double or_one(double x) { return x > 0 ? x : 1; }

static void define_number(const acc_context *c, acc_row *row, const char *name, double value)
{
  acc_define(c->arena, row, name, ts_arena_printf(c->arena, "%.0f", value));
}

static void define_text(const acc_context *c, acc_row *row, const char *name, const char *text)
{
  acc_define(c->arena, row, name, ts_arena_printf(c->arena, "\"%s\"", text));
}

/* What both tables have. `parts`: replicas that share the state of the optimizer. */
static bool define_run(const acc_context *c, const csv *t, size_t i, acc_row *row,
                       const char *program, double parts, double micro)
{
  const char *machine = acc_machine_named(T("gpu")), *model = model_of(c, T("model"), T("seq"));
  double tp = or_one(N("tp")), cp = or_one(N("cp")), replicas = N("gpus") / tp / cp,
         global = N("global_batch") > 0 ? N("global_batch") : micro * replicas;
  row->group = program;
  row->name = ts_arena_printf(c->arena, "%s", T("id"));
  row->measured = N("step_s");
  row->memory = NAN;
  row->validation = true;
  row->missing = !model                              ? "a model that the set has no sizes of" :
                 !machine                            ? "a gpu that std has not" :
                 fmod(global, replicas * micro) != 0 ? "a batch that is not stated" :
                 !(N("step_s") > 0)                  ? "a time that is not stated" :
                                                       NULL;
  if (row->missing)
    return true;
  define_text(c, row, "name", program);
  acc_define(c->arena, row, "model", model);
  acc_define(c->arena, row, "machine", ts_arena_printf(c->arena, "machine_%s", machine));
  define_number(c, row, "gpus", N("gpus"));
  define_number(c, row, "tp", tp);
  define_number(c, row, "cp", cp);
  define_number(c, row, "parts", fmin(parts > 0 ? parts : replicas, replicas));
  define_number(c, row, "micro", micro);
  define_number(c, row, "global", global);
  return true;
}

static const char *recompute_in(const char *cell)
{
  if (!strncmp(cell, "full", 4) || strstr(cell, "except_mlp"))
    return "full";
  return !strncmp(cell, "selective", 9) ? "selective" : "none";
}

bool acc_unseen(const acc_context *c, const csv *t, size_t i, acc_row *row)
{
  const char *program = NULL, *sharding = T("sharding"), *over = strstr(sharding, "over ");
  for (size_t k = 0; k < sizeof programs / sizeof *programs && !program; k++)
    if (!strncmp(T("framework"), programs[k], strlen(programs[k])))
      program = ts_arena_printf(c->arena, "%.*s", (int)strcspn(programs[k], " "), programs[k]);
  if (!program || strcmp(T("precision"), "bf16") ||
      (strcmp(T("kind"), "pretrain") && strcmp(T("kind"), "sft")))
    return false;
  double parts = over ? atof(over + 5) : !strncmp(sharding, "fsdp ", 5) ? atof(sharding + 5) : 0;
  define_run(c, t, i, row, program, parts, N("micro_batch"));
  define_text(c, row, "sharding", strstr(sharding, "zero1") ? "zero1" : "fsdp");
  define_text(c, row, "recompute", recompute_in(T("recompute")));
  define_text(c, row, "library", !strcmp(program, "MaxText") ? "cudnn" : "flash2");
  return true;
}

bool acc_prime_rl(const acc_context *c, const csv *t, size_t i, acc_row *row)
{
  if (!csv_is(t, i, "success", "1") || *T("lora_rank") || strstr(T("recompute"), "offload"))
    return false;
  define_run(c, t, i, row, "prime-rl", 0, 1);
  define_text(c, row, "sharding", "fsdp");
  define_text(c, row, "recompute", recompute_in(T("recompute")));
  define_text(c, row, "library", strstr(T("attention"), "_3") ? "flash3" : "flash2");
  return true;
}
