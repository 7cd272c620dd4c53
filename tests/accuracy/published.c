/* Published runs: from the words of a table to parameters of plans/published.ts. The tables here
 * say how sources spell what std names: models, machines, frameworks. A row that lacks what it
 * needs says so. Three things that sources leave open are assumed, and the report says so: where
 * recomputation of experts is not stated, the least of none, every second layer and all that fits
 * in memory; a micro-batch of 1 for the papers of 2021 and 2022; torchtitan's pipelines cut a batch
 * into as many parts as stages. */
#include "tests/accuracy/published.h"

#include <ctype.h>
#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N(column) csv_number(t, i, column)
#define T(column) csv_cell(t, i, column)

/* Letters and digits alone, small. */
static const char *plain(ts_arena *arena, const char *name)
{
  char *copy = ts_arena_printf(arena, "%s", name), *to = copy;
  for (const char *at = name; *at; at++)
    if (isalnum((unsigned char)*at))
      *to++ = (char)tolower((unsigned char)*at);
  *to = 0;
  return copy;
}

/* -- models -- */

/* `call` by name alone, %s its sequence; `sizes`: where the row has sizes of its own, from these.
 * */
typedef struct known_model {
  const char *pattern, *call;
  int layers;
  enum { BY_NAME, SIZES_LLAMA, SIZES_MPT, SIZES_GPT } sizes;
  int top; /* experts of a token; 0: has none */
} known_model;

static const known_model known_models[] = {
  {"mpt*", NULL, 0, SIZES_MPT, 0},
  {"gpt35b", "gpt(24, 4096, 32, 51200, %s, flash: true)", 24, BY_NAME, 0},
  {"gpt320b", "gpt(44, 6144, 48, 51200, %s, flash: true)", 44, BY_NAME, 0},
  {"gpt3*175b", "gpt(96, 12288, 96, 51200, %s, flash: true)", 96, BY_NAME, 0},
  {"gpt3", "gpt(96, 12288, 96, 51200, %s, flash: true)", 96, BY_NAME, 0},
  {"gptoss20b", "gpt_oss_20b(%s)", 24, BY_NAME, 4},
  {"gptoss120b", "gpt_oss_120b(%s)", 36, BY_NAME, 4},
  {"llama270blora", "llama2_70b_lora(%s)", 80, BY_NAME, 0},
  {"llama27b", "llama2_7b(%s)", 32, SIZES_LLAMA, 0},
  {"llama213b", "llama2_13b(%s)", 40, SIZES_LLAMA, 0},
  {"llama270b", "llama2_70b(%s)", 80, SIZES_LLAMA, 0},
  {"llama3*405b", "llama3_405b(%s)", 126, SIZES_LLAMA, 0},
  {"llama3*70b", "llama3_70b(%s)", 80, SIZES_LLAMA, 0},
  {"llama3*8b", "llama3_8b(%s)", 32, SIZES_LLAMA, 0},
  {"llama4*scout*", "llama4_scout(%s)", 48, BY_NAME, 1},
  {"llama4*maverick*", "llama4_maverick(%s)", 48, BY_NAME, 1},
  {"nemotron38b", "nemotron3_8b(%s)", 32, BY_NAME, 0},
  {"nemotron8b", "nemotron3_8b(%s)", 32, BY_NAME, 0},
  {"nemotron22b", "nemotron_22b(%s)", 40, BY_NAME, 0},
  {"nemotron415b", "nemotron4_15b(%s)", 32, BY_NAME, 0},
  {"nemotron4340b", "nemotron4_340b(%s)", 96, BY_NAME, 0},
  {"nemotronh56b", "nemotron_h_56b(%s)", 118, BY_NAME, 0},
  {"nemotron*3*nano*", "nemotron3_nano(%s)", 52, BY_NAME, 6},
  {"nemotronv3super120b2602", "nemotron3_super(%s, mtp: 0)", 88, BY_NAME, 22},
  {"nemotron*3*super*", "nemotron3_super(%s)", 88, BY_NAME, 22},
  {"nemotron*3*ultra*", "nemotron3_ultra(%s)", 108, BY_NAME, 22},
  {"qwen3*30b*a3b", "qwen3_30b_a3b(%s)", 48, BY_NAME, 8},
  {"qwen3*235b*a22b", "qwen3_235b_a22b(%s)", 94, BY_NAME, 8},
  {"qwen3*32b", "qwen3_32b(%s)", 64, BY_NAME, 0},
  {"qwen3*14b", "qwen3_14b(%s)", 40, BY_NAME, 0},
  {"qwen3*8b", "qwen3_8b(%s)", 36, BY_NAME, 0},
  {"moonlight16b*", "moonlight_16b(%s)", 27, BY_NAME, 6},
  {"deepseekv3*", "deepseek_v3(%s)", 62, BY_NAME, 8},
  {"kimik2*", "kimi_k2(%s)", 61, BY_NAME, 8},
  {"grok1*", "grok1(%s)", 64, BY_NAME, 2},
  {"mixtral8x7b", "mixtral_8x7b(%s)", 32, BY_NAME, 2},
  {"mixtral8x22b", "mixtral_8x22b(%s)", 56, BY_NAME, 2},
  {"gpt*", NULL, 0, SIZES_GPT, 0},
  {"mtnlg*", NULL, 0, SIZES_GPT, 0},
  {"bloom*", NULL, 0, SIZES_GPT, 0},
  {"opt*", NULL, 0, SIZES_GPT, 0},
};

static const known_model *model_of(ts_arena *arena, const char *name)
{
  const char *short_name = plain(arena, name);
  for (size_t k = 0; k < sizeof known_models / sizeof *known_models; k++)
    if (!fnmatch(known_models[k].pattern, short_name, 0))
      return &known_models[k];
  return NULL;
}

/* As the recipes of std.frameworks ask for it: the name of its function. */
static const char *family_of(const acc_context *c, const known_model *m)
{
  return m->call ? ts_arena_printf(c->arena, "%.*s", (int)strcspn(m->call, "("), m->call) : "";
}

static const char *or_else(const char *cell, const char *otherwise)
{
  return *cell ? cell : otherwise;
}

static bool is_eager(const csv *t, size_t i)
{
  return strstr(T("other"), "no torch.compile") != NULL;
}

/* NULL: neither named nor sized. */
static const char *call_of(const acc_context *c, const csv *t, size_t i, const known_model *m)
{
  bool eager = is_eager(t, i);
  /* torchtitan's gate and value are a product each: what its recomputation by op keeps depends on
   * it */
  const char *apart =
    m->sizes == SIZES_LLAMA && strstr(T("source"), "torchtitan") && !(N("tp") > 1) ?
      ", apart: true" :
      "";
  const char *layers = T("layers"), *hidden = T("hidden"), *heads = T("heads"), *seq = T("seq");
  bool sized = *layers && *hidden && *heads;
  if (sized && m->sizes == SIZES_MPT)
    return ts_arena_printf(c->arena, "mpt(layers: %s, hidden: %s, heads: %s, seq: %s, vocab: %s)",
                           layers, hidden, heads, seq, or_else(T("vocab"), "50368"));
  if (sized && m->sizes == SIZES_GPT)
    return ts_arena_printf(c->arena, "gpt(layers: %s, hidden: %s, heads: %s, vocab: %s, seq: %s)",
                           layers, hidden, heads, or_else(T("vocab"), "51200"), seq);
  if (sized && m->sizes == SIZES_LLAMA && *T("ffn") && *T("vocab"))
    return ts_arena_printf(
      c->arena,
      "%sllama(layers: %s, hidden: %s, heads: %s, kv_heads: %s, ffn: %s, vocab: %s, "
      "seq: %s%s%s)",
      eager ? "eager_" : "", layers, hidden, heads, or_else(T("kv_heads"), heads), T("ffn"),
      T("vocab"), seq, apart, eager ? ", whole: true" : "");
  if (!m->call)
    return NULL;
  char *call = ts_arena_printf(c->arena, "%s", m->call), *hole = strstr(call, "%s");
  return ts_arena_printf(c->arena, "%.*s%s%s%s", (int)(hole - call), call, seq, apart, hole + 2);
}

/* -- machines, formats -- */

typedef struct known_word {
  const char *word, *meaning;
} known_word;

/* The first word that is in the name counts; without a meaning: not the machine it sounds like. */
static const known_word machines[] = {
  {"GH200", NULL},
  {"H100 NVL", NULL},
  {"H100-NVL", NULL},
  {"H100 PCIe", NULL},
  {"H100-PCIe", NULL},
  {"H100-PCIE", NULL},
  {"A100 PCIe", NULL},
  {"A100-PCIe", NULL},
  {"A100-PCIE", NULL},
  {"H100 96GB", "h100_500w"},
  {"GB300", "gb300"},
  {"GB200", "gb200"},
  {"B300", "b300"},
  {"B200", "b200"},
  {"H200-NVL", "h200_nvl"},
  {"H200", "h200"},
  {"H100", "h100"},
  {"h100", "h100"},
  {"a100_40", "a100_40g"},
  {"A100-SXM4-40", "a100_40g"},
  {"a100", "a100"},
  {"A100", "a100"},
  {"MI300X", "mi300x"},
  {"MI325X", "mi325x"},
  {"MI350X", "mi350x"},
  {"MI355X", "mi355x"},
  {"Gaudi2", "gaudi2"},
  {"Gaudi(R) 2", "gaudi2"},
  {"v5e", "v5e"},
  {"v5p", "v5p"},
  {"trillium", "v6e"},
  {"v6e", "v6e"},
  {"L40S", "l40s"},
};
/* A row without precision is of a paper before fp8. */
static const known_word recipes[] = {
  {"open", NULL},     {"32", NULL},        {"int4", NULL},
  {"NVFP4", "nvfp4"}, {"nvfp4", "nvfp4"},  {"mxfp4", "mxfp4"}, {"MXFP8", "mxfp8"},
  {"mxfp8", "mxfp8"}, {"FP8-MX", "mxfp8"}, {"FP8", "fp8"},     {"fp8", "fp8"},
  {"int8", "fp8"},    {"", "bf16"},
};

static const char *meaning(const known_word *words, size_t count, const char *in)
{
  for (size_t k = 0; k < count; k++)
    if (strstr(in, words[k].word))
      return words[k].meaning;
  return NULL;
}
#define MEANING(words, in) meaning(words, sizeof words / sizeof *words, in)

const acc_model *acc_model_named(ts_arena *arena, const char *text)
{
  const known_model *m = model_of(arena, text);
  if (!m || !m->call)
    return NULL;
  acc_model *found = TS_NEW(arena, acc_model);
  *found = (acc_model){.name = ts_arena_string(arena, m->call, strcspn(m->call, "(")),
                       .layers = m->layers,
                       .top = m->top};
  return found;
}

const char *acc_machine_named(const char *text) { return MEANING(machines, text); }
const char *acc_recipe_named(const char *text) { return MEANING(recipes, text); }

/* -- sources -- */

/* From whom: the profile of std.frameworks, and the group of the report. */
typedef struct known_source {
  const char *word, *framework, *group;
} known_source;

static const known_source sources[] = {
  {"llm-foundry", "llm_foundry", "llm-foundry"},
  {"202412_torchtitan", "torchtitan_2024", "torchtitan"},
  {"torchtitan", "torchtitan", "torchtitan"},
  {"AutoModel", "nemo_automodel", "NeMo AutoModel"},
  {"Automodel", "nemo_automodel", "NeMo AutoModel"},
  {"Megatron-Bridge", "megatron_bridge", "NVIDIA"},
  {"NeMo", "nemo", "NVIDIA"},
  {"dgxc", "nemo", "NVIDIA"},
  {"Llama 3 paper", "torchtitan", "Llama 3 paper"},
  {"Narayanan", "megatron_2021", "papers of 2021 and 2022"},
  {"Korthikanti", "megatron_2021", "papers of 2021 and 2022"},
  {"Smith", "megatron_2021", "papers of 2021 and 2022"},
  {"BLOOM", "megatron_2021", "papers of 2021 and 2022"},
};

static const char *quoted(ts_arena *arena, const char *word)
{
  return ts_arena_printf(arena, "\"%s\"", word);
}

static const char *sharding_of(const char *cell)
{
  if (strstr(cell, "zero2"))
    return "\"zero2\"";
  return strstr(cell, "fsdp") ? "\"fsdp\"" : NULL;
}

static void degree(const acc_context *c, const csv *t, size_t i, acc_row *row,
                   const char *parameter, const char *column)
{
  acc_define(c->arena, row, parameter, or_else(T(column), "1"));
}

/* Which half of the rows a row is in: those of one configuration are together, whatever release
 * they are of. Constants of std that are learned from published runs are fitted to the other half
 * (`accuracy --fit`). FNV-1a of the row's name without its framework: model, machine, degrees. */
static bool of_validation(const acc_row *row)
{
  uint32_t hash = 2166136261u;
  for (const char *at = strchr(row->name, ' '); *at; at++)
    hash = (hash ^ (unsigned char)*at) * 16777619u;
  return (hash ^ hash >> 16) & 1;
}

static const char *const more_recomputed[] = {"\"selective\"", "\"full\"", NULL};

static const known_source *source_of(const char *name)
{
  for (size_t k = 0; k < sizeof sources / sizeof *sources; k++)
    if (strstr(name, sources[k].word))
      return &sources[k];
  return NULL;
}

/* One run, and what it makes of the table's numbers. */
typedef struct run {
  const known_model *model;
  const known_source *from;
  const char *machine, *recipe;
  double gpus, cp, replicas, micro, global;
  bool nvidia, foundry, torchtitan, paper;
} run;

static const char *lacks_names(const acc_context *c, const csv *t, size_t i, const run *r)
{
  if (!r->from)
    return "a framework that has no profile";
  if (!r->model || !call_of(c, t, i, r->model))
    return "a model whose sizes are not public";
  if (!r->machine)
    return "a gpu that std has not";
  if (!r->recipe)
    return "a number format that std has no recipe for";
  if (!(N("gpus") > 0) || !(N("tp") > 0) || !(N("pp") > 0) || !*T("seq"))
    return "degrees or sequence not stated";
  return NULL;
}

/* The batch where it is stated or follows: torchtitan does not accumulate, so its batch is one a
 * replica, cut into as many parts as stages. */
static void read_batch(const csv *t, size_t i, run *r, acc_row *row)
{
  r->gpus = N("gpus"), r->cp = N("cp") > 0 ? N("cp") : 1;
  r->micro = N("micro_batch"), r->global = N("global_batch");
  r->replicas = floor(r->gpus / (N("tp") * N("pp") * r->cp));
  if (!(r->global > 0) && r->torchtitan && r->micro > 0)
    r->global = r->micro * r->replicas;
  if (!(row->measured > 0) && r->global > 0 && N("tok_s_gpu") > 0)
    row->measured = r->global * N("seq") / (N("tok_s_gpu") * r->gpus);
  if (!(r->micro > 0) && r->torchtitan && N("pp") > 1 && r->global > 0)
    r->micro = r->global / r->replicas / N("pp");
  if (!(r->micro > 0) && r->paper)
    r->micro = 1;
}

/* Experts lie over ranks of tp and cp, and over a part of the replicas. */
static const char *lacks_numbers(const csv *t, size_t i, const run *r, const acc_row *row)
{
  double spread = r->model->top && N("ep") > 0 ? N("ep") * (N("etp") > 0 ? N("etp") : 1) : 1,
         part = fmax(1, floor(spread / (N("tp") * r->cp)));
  if (!(r->global > 0) || !(row->measured > 0) || !(r->micro > 0))
    return "batch, micro-batch or time not stated";
  if (r->replicas * N("tp") * N("pp") * r->cp != r->gpus ||
      fmod(r->global, r->replicas * r->micro) != 0 || fmod(r->replicas, part) != 0)
    return "degrees or batch do not multiply to what is printed";
  return NULL;
}

/* Parameters of degrees and experts, which all tables name alike. */
static void define_degrees(const acc_context *c, const csv *t, size_t i, acc_row *row,
                           const known_model *m)
{
  acc_define(c->arena, row, "gpus", T("gpus"));
  acc_define(c->arena, row, "layers",
             *T("layers") && m->sizes != BY_NAME ? T("layers") :
                                                   ts_arena_printf(c->arena, "%d", m->layers));
  degree(c, t, i, row, "tp", "tp");
  degree(c, t, i, row, "pp", "pp");
  degree(c, t, i, row, "cp", "cp");
  acc_define(c->arena, row, "chunks", N("pp") > 1 ? or_else(T("vp"), "1") : "1");
  if (!m->top)
    return;
  acc_define(c->arena, row, "experts", "true");
  acc_define(c->arena, row, "top", ts_arena_printf(c->arena, "%d", m->top));
  degree(c, t, i, row, "ep", "ep");
  degree(c, t, i, row, "etp", "etp");
}

/* 26.04 as it is, 26.04.01 as 26.0401. */
static const char *release_of(const acc_context *c, const char *words)
{
  int year = 0, month = 0, patch = 0;
  sscanf(words, "%d.%d.%d", &year, &month, &patch);
  return ts_arena_printf(c->arena, "%d.%02d%02d", year, month, patch);
}

/* torchtitan's "selective" is by op: it keeps what every second product made. */
static const char *recompute_of(const char *cell, const run *r, bool compiled)
{
  if (strstr(cell, "full"))
    return "\"full\"";
  if (r->paper)
    return "\"attention\"";
  if (!strstr(cell, "selective"))
    return "\"none\"";
  return !r->torchtitan ? "\"selective\"" : compiled ? "\"ops\"" : "\"ops_eager\"";
}

static void define_recompute(const acc_context *c, const csv *t, size_t i, const run *r,
                             acc_row *row)
{
  if (*T("recompute") || r->paper)
    acc_define(c->arena, row, "recompute", recompute_of(T("recompute"), r, !is_eager(t, i)));
  else if (r->model->top && strcmp(r->from->framework, "megatron_bridge"))
    row->ladder = more_recomputed;
}

bool acc_published(const acc_context *c, const csv *t, size_t i, acc_row *row)
{
  run r = {.model = model_of(c->arena, T("model")),
           .from = source_of(T("source")),
           .machine = MEANING(machines, T("gpu")),
           .recipe = MEANING(recipes, T("precision"))};
  const char *release = strstr(T("source"), "release "), *group = r.from ? r.from->group : "other";
  r.nvidia = !strcmp(group, "NVIDIA"), r.foundry = !strcmp(group, "llm-foundry");
  r.torchtitan = !strcmp(group, "torchtitan"), r.paper = strstr(group, "papers") != NULL;
  row->memory = N("mem_gib") > 0 ? N("mem_gib") * 1073741824.0 : NAN;
  row->any_rank = true;
  row->pools = r.torchtitan;
  row->measured = N("step_s_derived");
  row->name = ts_arena_printf(
    c->arena, "%s %s %s x%s %s tp %s pp %s x %s cp %s ep %s, micro-batch %s, batch %s, seq %s",
    r.from ? r.from->framework : "?", T("model"), T("gpu"), T("gpus"), T("precision"), T("tp"),
    T("pp"), or_else(T("vp"), "1"), or_else(T("cp"), "1"), or_else(T("ep"), "1"), T("micro_batch"),
    T("global_batch"), T("seq"));
  row->group = r.nvidia  ? ts_arena_printf(c->arena, "NVIDIA %s", r.recipe ? r.recipe : "?") :
               r.foundry ? ts_arena_printf(c->arena, "llm-foundry %s", T("gpu")) :
                           group;
  row->missing = lacks_names(c, t, i, &r);
  if (!row->missing) {
    read_batch(t, i, &r, row);
    row->missing = lacks_numbers(t, i, &r, row);
  }
  if (row->missing)
    return true;
  acc_define(c->arena, row, "model", call_of(c, t, i, r.model));
  acc_define(c->arena, row, "machine", ts_arena_printf(c->arena, "machine_%s", r.machine));
  acc_define(c->arena, row, "framework",
             r.foundry && strstr(T("other"), "PURE") ? "llm_foundry_pure" : r.from->framework);
  acc_define(c->arena, row, "recipe", quoted(c->arena, r.recipe));
  if (release)
    acc_define(c->arena, row, "release", release_of(c, release + 8));
  acc_define(c->arena, row, "family", quoted(c->arena, family_of(c, r.model)));
  acc_define(c->arena, row, "kind", quoted(c->arena, r.machine));
  if (strstr(T("other"), "tokendrop"))
    acc_define(c->arena, row, "bounded", "true");
  define_recompute(c, t, i, &r, row);
  if (sharding_of(T("sharding")))
    acc_define(c->arena, row, "sharding", sharding_of(T("sharding")));
  define_degrees(c, t, i, row, r.model);
  if (r.paper)
    acc_define(c->arena, row, "sequence", csv_is(t, i, "seq_parallel", "1") ? "true" : "false");
  acc_define(c->arena, row, "micro", ts_arena_printf(c->arena, "%.0f", r.micro));
  acc_define(c->arena, row, "global", ts_arena_printf(c->arena, "%.0f", r.global));
  if (N("pp") > 1 && N("hidden") > 0) /* 16 bits, split over tp by sequence parallelism, and cp */
    acc_define(c->arena, row, "message",
               ts_arena_printf(c->arena, "%.0f B",
                               2 * r.micro * N("seq") * N("hidden") / (N("tp") * r.cp)));
  row->validation = of_validation(row);
  return true;
}

/* -- MLPerf -- */

/* The value of NAME=value in flags, or "". */
static const char *flag(const acc_context *c, const char *flags, const char *name)
{
  size_t length = strlen(name);
  for (const char *at = flags; (at = strstr(at, name)); at += length)
    if ((at == flags || at[-1] == ';') && at[length] == '=')
      return ts_arena_printf(c->arena, "%.*s", (int)strcspn(at + length + 1, ";*"),
                             at + length + 1);
  return "";
}

static bool is_on(const char *value)
{
  return !strcmp(value, "1") || !strcmp(value, "True") || !strcmp(value, "true");
}

/* Who sends tokens to experts, what goes on beside, what is recomputed. */
static void define_exchange(const acc_context *c, const char *flags, const char *machine,
                            acc_row *row)
{
  const char *modules = flag(c, flags, "RECOMPUTE_MODULES");
  acc_define(c->arena, row, "kind", quoted(c->arena, machine));
  if (strstr(flags, "hybridep"))
    acc_define(c->arena, row, "exchange", "\"hybrid_ep\"");
  if (is_on(flag(c, flags, "OVERLAP_MOE_EXPERT_PARALLEL_COMM")))
    acc_define(c->arena, row, "beside", "true");
  if (*modules && !strchr(modules, ','))
    acc_define(c->arena, row, "again", ts_arena_printf(c->arena, "[\"%s\"]", modules));
}

bool acc_mlperf(const acc_context *c, const csv *t, size_t i, acc_row *row)
{
  const known_model *m = model_of(c->arena, T("benchmark"));
  const char *machine = MEANING(machines, T("gpu")), *recipe = MEANING(recipes, T("precision")),
             *flags = T("flags");
  bool deepspeed = strstr(flags, "deepspeed"), tpu = strstr(T("gpu"), "TPU") != NULL;
  row->memory = NAN;
  row->measured = N("step_s");
  row->name = ts_arena_printf(
    c->arena, "%s %s %s x%s %s %s tp %s pp %s x %s cp %s, micro-batch %s, batch %s", T("version"),
    T("submitter"), T("gpu"), T("gpus"), T("benchmark"), T("precision"), T("tp"), T("pp"),
    or_else(T("vp"), "1"), T("cp"), T("micro_batch"), T("global_batch"));
  row->group = ts_arena_printf(c->arena, "%s", T("benchmark"));
  if (!strncmp(T("benchmark"), "flux", 4))
    row->missing = "an image model without sizes";
  else if (!m)
    row->missing = "a model that std has not";
  else if (!machine)
    row->missing = "a gpu that std has not";
  else if (csv_is(t, i, "includes_eval", "1"))
    row->missing = "its step holds evaluation too";
  else if (!(N("tp") > 0) || !(N("pp") > 0) || !(N("cp") > 0) || !(N("micro_batch") > 0) ||
           !(N("global_batch") > 0) || !(N("gpus") > 0) || !*T("seq") || !*T("precision") || !recipe)
    row->missing = "its configuration is not known";
  if (row->missing)
    return true;
  double gpus = N("gpus"), replicas = gpus / (N("tp") * N("pp") * N("cp"));
  if (fmod(N("global_batch"), replicas * N("micro_batch")) != 0 || replicas != floor(replicas))
    row->missing = "degrees or batch do not multiply to what is printed";
  if (row->missing)
    return true;
  acc_define(c->arena, row, "model", call_of(c, t, i, m));
  acc_define(c->arena, row, "machine", ts_arena_printf(c->arena, "machine_%s", machine));
  /* not in parts with the products, but beside those that do not need them */
  const char *overlaps = flag(c, flags, "TP_COMM_OVERLAP"),
             *nemo = *overlaps && !is_on(overlaps) ? "nemo with { tensor = \"stream\" }" : "nemo";
  acc_define(c->arena, row, "framework", tpu ? "maxtext" : deepspeed ? "deepspeed" : nemo);
  acc_define(c->arena, row, "recipe", quoted(c->arena, recipe));
  if (strstr(flags, "recompute=full"))
    acc_define(c->arena, row, "recompute", "\"full\"");
  if (m->top)
    define_exchange(c, flags, machine, row);
  define_degrees(c, t, i, row, m);
  if (is_on(flag(c, flags, "MCORE_CUDA_GRAPH")) || is_on(flag(c, flags, "LAYER_CUDA_GRAPH")) ||
      is_on(flag(c, flags, "FULL_CUDA_GRAPH")) || strstr(flags, "full-iteration CUDA graph"))
    acc_define(c->arena, row, "graphs", "true");
  if (N("cp") > 1 && N("tp") == 1 && N("pp") == 1)
    acc_define(c->arena, row, "heads", "true");
  acc_define(c->arena, row, "micro", T("micro_batch"));
  acc_define(c->arena, row, "global", T("global_batch"));
  row->kind = ts_arena_printf(c->arena, "%s, %s, %s", machine, T("version"), recipe);
  row->series =
    ts_arena_printf(c->arena, "%s, %s, %s, %s", T("submitter"), machine, T("benchmark"), recipe);
  row->size = gpus;
  return true;
}
