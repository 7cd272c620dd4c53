#include "cost/kernel_models.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
  UNITS = TS_PARAMETER_UNITS,
  FLOOR_US = TS_PARAMETER_FLOOR,
  RATE = TS_PARAMETER_RATE,
  BANDWIDTH = TS_PARAMETER_BANDWIDTH,
  NORM = TS_PARAMETER_NORM,
  COMMON = TS_PARAMETER_OWN
};

/* Two resources that overlap: the time is near the larger, and above both where they are alike. */
static double overlap(double a, double b, double norm)
{
  double large = fmax(a, b), small = fmin(a, b);
  return large > 0 ? large * pow(1 + pow(small / large, norm), 1 / norm) : 0;
}

/* Matrix products y[m, n] = x[m, k] w[n, k]^T, `count` of them in one launch. Output tiles of m x
 * n, each the work of one unit of the device or of a pair that shares its operands, run in waves;
 * the last one takes as long as a full one (tile and wave quantization, NVIDIA "Matrix
 * Multiplication Background User's Guide"). Splitting k makes more tiles, whose partial sums are
 * added up. A library picks the best of its tiles and splits; so does this. Small tiles load more
 * for the work they do: `edge`. */
enum {
  GEMM_PROLOGUE_US = COMMON,
  GEMM_LATER_PROLOGUE,
  GEMM_SPLIT_US,
  GEMM_PARTIAL,
  GEMM_EDGE,
  GEMM_PARAMETERS
};
enum { GEMM_M, GEMM_N, GEMM_K, GEMM_COUNT };
static const struct { double m, n, units;
} gemm_tiles[] = {
  {64, 64, 1},   {64, 128, 1},  {64, 256, 1},  {128, 64, 1},  {128, 96, 1},
  {128, 128, 1}, {128, 160, 1}, {128, 192, 1}, {128, 256, 1}, {256, 64, 1},
  {256, 128, 1}, {192, 128, 1}, {192, 192, 1}, {128, 64, 2},  {256, 32, 2},
  {256, 64, 2},  {256, 96, 2},  {256, 128, 2}, {256, 192, 2}, {256, 256, 2},
  {128, 256, 2}, {128, 512, 2}, {512, 128, 2}, {512, 64, 2},  {384, 128, 2},
};
static const double gemm_splits[] = {1, 2, 3, 4, 6, 8, 16};
enum {
  GEMM_TILES = sizeof gemm_tiles / sizeof *gemm_tiles,
  GEMM_SPLITS = sizeof gemm_splits / sizeof *gemm_splits,
  GEMM_SLICE = 64
};

static ts_model_time product_time(const double *p, const double *x, double operand_bytes)
{
  double m = x[GEMM_M], n = x[GEMM_N], k = x[GEMM_K], count = x[GEMM_COUNT], best = INFINITY,
         depth[GEMM_SPLITS], extra[GEMM_SPLITS];
  for (int i = 0; i < GEMM_SPLITS; i++) {
    double split = gemm_splits[i];
    depth[i] = ceil(k / split / GEMM_SLICE) * GEMM_SLICE;
    extra[i] = split > 1 ?
                 p[GEMM_SPLIT_US] * log2(split) + 4e-6 * m * n * count * split / p[GEMM_PARTIAL] :
                 0;
  }
  for (int i = 0; i < GEMM_TILES; i++) {
    double tm = gemm_tiles[i].m, tn = gemm_tiles[i].n, per = gemm_tiles[i].units,
           tiles = ceil(m / tm) * ceil(n / tn) * count;
    double loss = 1 + p[GEMM_EDGE] * (64 / tm + 64 / tn) / sqrt(per),
           at_once = fmax(floor(p[UNITS] / per), 1);
    double slice_us = 2e-6 * tm * tn / per * p[UNITS] * loss / p[RATE];
    for (int s = 0; s < GEMM_SPLITS; s++) {
      double waves = ceil(tiles * gemm_splits[s] / at_once);
      double us = waves * slice_us * depth[s] +
                  p[GEMM_PROLOGUE_US] * (1 + p[GEMM_LATER_PROLOGUE] * (waves - 1)) + extra[s];
      best = us < best ? us : best;
    }
  }
  double memory = 1e-6 * count * (operand_bytes * (m * k + n * k) + 2 * m * n) / p[BANDWIDTH];
  return (ts_model_time){p[FLOOR_US] + overlap(best, memory, p[NORM]), best, memory};
}

static ts_model_time gemm_time(const double *p, const double *x) { return product_time(p, x, 2); }

static void gemm_work(const double *x, double *flops, double *bytes)
{
  double m = x[GEMM_M], n = x[GEMM_N], k = x[GEMM_K];
  *flops = 2 * x[GEMM_COUNT] * m * n * k;
  *bytes = 2 * x[GEMM_COUNT] * (m * k + n * k + m * n);
}

/* Products of 8 bits and fewer, measured with the cast of x before them: x is read in 16 bits and
 * written in the narrow format, by kernels of their own. A product alone has the floor of one
 * kernel in a graph, which fits of 16-bit products find to be about 2 us; what a row has above it
 * are the launches of the cast. */
enum { CAST_BANDWIDTH = GEMM_PARAMETERS, CAST_OPERAND, CAST_PARAMETERS };
static const double product_floor_us = 2;

static double cast_us(const double *p, const double *x)
{
  return 1e-6 * x[GEMM_COUNT] * x[GEMM_M] * x[GEMM_K] * (2 + p[CAST_OPERAND]) / p[CAST_BANDWIDTH];
}

static ts_model_time gemm_cast_time(const double *p, const double *x)
{
  ts_model_time t = product_time(p, x, p[CAST_OPERAND]);
  t.us += cast_us(p, x);
  return t;
}

static double gemm_cast_share(const double *p, const double *x)
{
  double cast = cast_us(p, x) + fmax(p[FLOOR_US] - product_floor_us, 0);
  return 1 - cast / gemm_cast_time(p, x).us;
}

/* Both products of the backward of y[m, n] = x[m, k] w[n, k]^T: of its input, [m, k] over n, and of
 * its weight, [n, k] over m. */
static ts_model_time gemm_backward_time(const double *p, const double *x)
{
  double count = x[GEMM_COUNT], input[] = {x[GEMM_M], x[GEMM_K], x[GEMM_N], count},
         weight[] = {x[GEMM_N], x[GEMM_K], x[GEMM_M], count};
  ts_model_time a = gemm_time(p, input), b = gemm_time(p, weight);
  return (ts_model_time){a.us + b.us - p[FLOOR_US], a.work_us + b.work_us,
                         a.memory_us + b.memory_us};
}

static void gemm_backward_work(const double *x, double *flops, double *bytes)
{
  gemm_work(x, flops, bytes);
  *flops *= 2;
  *bytes *= 2;
}

/* Attention without stored scores (FlashAttention), causal: tiles of ATTENTION_TILE queries for
 * each sequence and head, each over the keys before it. The longest tile bounds the time from
 * below. */
enum { ATTENTION_PROLOGUE_US = COMMON, ATTENTION_PARAMETERS };
enum { ATTENTION_BATCH, ATTENTION_SEQ, ATTENTION_HEADS, ATTENTION_KV_HEADS, ATTENTION_HEAD_DIM };
enum { ATTENTION_TILE = 128 };

static ts_model_time attention_time(const double *p, const double *x)
{
  double seq = x[ATTENTION_SEQ], dim = x[ATTENTION_HEAD_DIM],
         rows = x[ATTENTION_BATCH] * x[ATTENTION_HEADS];
  double tiles = rows * ceil(seq / ATTENTION_TILE);
  double work_us = 2e-6 * rows * seq * (seq + ATTENTION_TILE) * dim / p[RATE] +
                   tiles * p[ATTENTION_PROLOGUE_US] / p[UNITS];
  double longest_us =
    4e-6 * ATTENTION_TILE * seq * dim * p[UNITS] / p[RATE] + p[ATTENTION_PROLOGUE_US];
  double memory = 4e-6 * x[ATTENTION_BATCH] * seq * dim *
                  (x[ATTENTION_HEADS] + x[ATTENTION_KV_HEADS]) / p[BANDWIDTH];
  double work = fmax(work_us, longest_us);
  return (ts_model_time){p[FLOOR_US] + overlap(work, memory, p[NORM]), work, memory};
}

static void attention_work(const double *x, double *flops, double *bytes)
{
  double tokens = x[ATTENTION_BATCH] * x[ATTENTION_SEQ], dim = x[ATTENTION_HEAD_DIM];
  *flops = 2 * tokens * x[ATTENTION_SEQ] * x[ATTENTION_HEADS] * dim;
  *bytes = 4 * tokens * dim * (x[ATTENTION_HEADS] + x[ATTENTION_KV_HEADS]);
}

/* The same where queries come from elsewhere than keys, and values are as wide as they like: of
 * another sequence, or multi-head latent attention (DeepSeek-V2, arXiv 2405.04434). Causal: half of
 * all pairs. */
enum {
  APART_BATCH,
  APART_SEQ,
  APART_KEYS,
  APART_HEADS,
  APART_KV_HEADS,
  APART_HEAD_DIM,
  APART_V_DIM
};

static double apart_bytes(const double *x)
{
  double width = x[APART_HEAD_DIM] + x[APART_V_DIM];
  return 2 * x[APART_BATCH] * width *
         (x[APART_SEQ] * x[APART_HEADS] + x[APART_KEYS] * x[APART_KV_HEADS]);
}

static ts_model_time apart_time(const double *p, const double *x)
{
  double width = x[APART_HEAD_DIM] + x[APART_V_DIM], rows = x[APART_BATCH] * x[APART_HEADS],
         tiles = rows * ceil(x[APART_SEQ] / ATTENTION_TILE);
  double work_us = 1e-6 * rows * x[APART_SEQ] * (x[APART_KEYS] + ATTENTION_TILE) * width / p[RATE] +
                   tiles * p[ATTENTION_PROLOGUE_US] / p[UNITS];
  double longest_us =
    2e-6 * ATTENTION_TILE * x[APART_KEYS] * width * p[UNITS] / p[RATE] + p[ATTENTION_PROLOGUE_US];
  double memory = 1e-6 * apart_bytes(x) / p[BANDWIDTH], work = fmax(work_us, longest_us);
  return (ts_model_time){p[FLOOR_US] + overlap(work, memory, p[NORM]), work, memory};
}

static void apart_work(const double *x, double *flops, double *bytes)
{
  *flops = x[APART_BATCH] * x[APART_HEADS] * x[APART_SEQ] * x[APART_KEYS] *
           (x[APART_HEAD_DIM] + x[APART_V_DIM]);
  *bytes = apart_bytes(x);
}

/* Kernels that only move data: bytes over a bandwidth that saturates above a floor. What the kernel
 * before has left in the cache comes from there, all of it or hardly anything, as the bytes are
 * fewer or more than the cache holds. */
enum { STREAM_CACHE = COMMON, STREAM_CACHE_MEGABYTES, STREAM_PARAMETERS };

static ts_model_time stream_time(const double *p, const double *x)
{
  double cached = 1 / (1 + pow(1e-6 * x[0] / p[STREAM_CACHE_MEGABYTES], 4));
  double memory = 1e-6 * x[0] * (cached / p[STREAM_CACHE] + (1 - cached) / p[BANDWIDTH]);
  return (ts_model_time){overlap(p[FLOOR_US], memory, p[NORM]), memory, memory};
}

static void stream_work(const double *x, double *flops, double *bytes)
{
  *flops = 0;
  *bytes = x[0];
}

/* The same as three straight lines over logarithms of bytes (TorchSim's curve): a floor, a slope of
 * its own, and from a size on the bandwidth. */
enum { SEGMENTS_MEGABYTES = COMMON, SEGMENTS_SLOPE, SEGMENTS_PARAMETERS };

static ts_model_time segments_time(const double *p, const double *x)
{
  double megabytes = 1e-6 * x[0], from = p[SEGMENTS_MEGABYTES];
  double memory = fmax(megabytes, from) / p[BANDWIDTH] *
                  (megabytes < from ? pow(megabytes / from, p[SEGMENTS_SLOPE]) : 1);
  return (ts_model_time){fmax(p[FLOOR_US], memory), memory, memory};
}

/* Segments of devices that differ in their cache: what it holds is moved at its own rate, as in
 * `stream`. */
enum { CACHED_CACHE = SEGMENTS_PARAMETERS, CACHED_CACHE_MEGABYTES, CACHED_PARAMETERS };

static ts_model_time cached_time(const double *p, const double *x)
{
  double megabytes = 1e-6 * x[0], from = p[SEGMENTS_MEGABYTES], holds = p[CACHED_CACHE_MEGABYTES];
  double cached = holds > 0 ? 1 / (1 + pow(megabytes / holds, 4)) : 0;
  double per_megabyte =
    cached / fmax(p[CACHED_CACHE], p[BANDWIDTH]) + (1 - cached) / p[BANDWIDTH];
  double memory = fmax(megabytes, from) * per_megabyte *
                  (megabytes < from ? pow(megabytes / from, p[SEGMENTS_SLOPE]) : 1);
  return (ts_model_time){fmax(p[FLOOR_US], memory), memory, memory};
}

/* Anything: a floor and powers of the sizes. How many there are a model's function knows. */
static ts_model_time powers_time(const double *p, const double *x, uint32_t count)
{
  double logarithm = log(p[TS_POWERS_SCALE]);
  for (uint32_t i = 0; i < count; i++) logarithm += p[TS_POWERS_EXPONENT + i] * log(x[i]);
  double us = exp(logarithm);
  return (ts_model_time){p[FLOOR_US] + us, us, us};
}

static void powers_work(const double *x, double *flops, double *bytes)
{
  (void)x;
  *flops = 0, *bytes = 1;
}

#define POWERS(n)                                                                                  \
  static ts_model_time powers_time_##n(const double *p, const double *x)                           \
  {                                                                                                \
    return powers_time(p, x, n);                                                                   \
  }
POWERS(1)
POWERS(2)
POWERS(3)
POWERS(4)
POWERS(5)
POWERS(6)
POWERS(7)
POWERS(8)
#undef POWERS
static ts_model_time (*const powers_times[TS_MODEL_MAX_FEATURES])(const double *,
                                                                 const double *) = {
  powers_time_1, powers_time_2, powers_time_3, powers_time_4,
  powers_time_5, powers_time_6, powers_time_7, powers_time_8};
static const char *const powers_names[TS_MODEL_MAX_FEATURES] = {
  "power_1", "power_2", "power_3", "power_4", "power_5", "power_6", "power_7", "power_8"};

bool ts_kernel_model_is_of_bytes(const ts_kernel_model *model)
{
  return model->feature_count == 1 && strcmp(model->feature[0], "bytes") == 0;
}

bool ts_kernel_model_is_powers(const ts_kernel_model *model) { return model->work == powers_work; }

const ts_kernel_model *ts_kernel_model_powers(ts_arena *arena, const char *const *feature,
                                              uint32_t count)
{
  if (!count || count > TS_MODEL_MAX_FEATURES)
    return NULL;
  ts_kernel_model *m = TS_NEW(arena, ts_kernel_model);
  const char **input = TS_NEW_ARRAY(arena, const char *, count + 2);
  *m = (ts_kernel_model){.name = "powers",
                         .feature_count = count,
                         .parameter_count = TS_POWERS_EXPONENT + count,
                         .parameter = {"units", "floor_us", "scale_us"},
                         .time = powers_times[count - 1],
                         .work = powers_work,
                         .input = input};
  for (uint32_t i = 0; i < count; i++) {
    m->feature[i] = input[i] = feature[i];
    m->parameter[TS_POWERS_EXPONENT + i] = powers_names[i];
  }
  input[count] = "time";
  return m;
}

static const char *const gemm_inputs[] = {
  "m", "n", "k", "efficiency", "ratio", "time", "pad 64", "fill 128 256", NULL};
static const char *const attention_inputs[] = {
  "batch", "seq", "heads", "kv_heads", "head_dim", "fill 128 1", "ratio", "time", NULL};
static const char *const apart_inputs[] = {"batch", "seq",  "heads", "fill 128 1",
                                           "ratio", "time", NULL};
static const char *const no_inputs[] = {NULL};

#define COMMON_NAMES "units", "floor_us", "tflops", "terabytes_per_s", "norm"
#define COMMON_STARTS 0, 0, 0, 0, 3
#define GEMM_NAMES                                                                                 \
  COMMON_NAMES, "prologue_us", "later_prologue", "split_us", "partial_terabytes_per_s", "edge"
#define GEMM_STARTS COMMON_STARTS, 1, 0.5, 1, 3, 0.1
static const ts_kernel_model models[] = {
  {"gemm",
   4,
   GEMM_PARAMETERS,
   {"m", "n", "k", "count"},
   {GEMM_NAMES},
   {GEMM_STARTS},
   gemm_time,
   gemm_work,
   gemm_inputs,
   NULL},
  {"gemm_cast",
   4,
   CAST_PARAMETERS,
   {"m", "n", "k", "count"},
   {GEMM_NAMES, "cast_terabytes_per_s", "operand_bytes"},
   {GEMM_STARTS, 3, 1},
   gemm_cast_time,
   gemm_work,
   gemm_inputs,
   gemm_cast_share},
  {"gemm_backward",
   4,
   GEMM_PARAMETERS,
   {"m", "n", "k", "count"},
   {GEMM_NAMES},
   {GEMM_STARTS},
   gemm_backward_time,
   gemm_backward_work,
   gemm_inputs,
   NULL},
  {"attention",
   5,
   ATTENTION_PARAMETERS,
   {"batch", "seq", "heads", "kv_heads", "head_dim"},
   {COMMON_NAMES, "prologue_us"},
   {COMMON_STARTS, 0.5},
   attention_time,
   attention_work,
   attention_inputs,
   NULL},
  {"attention_apart",
   7,
   ATTENTION_PARAMETERS,
   {"batch", "seq", "keys", "heads", "kv_heads", "head_dim", "v_dim"},
   {COMMON_NAMES, "prologue_us"},
   {COMMON_STARTS, 0.5},
   apart_time,
   apart_work,
   apart_inputs,
   NULL},
  {"stream",
   1,
   STREAM_PARAMETERS,
   {"bytes"},
   {COMMON_NAMES, "cache_terabytes_per_s", "cache_megabytes"},
   {COMMON_STARTS, 3, 40},
   stream_time,
   stream_work,
   no_inputs,
   NULL},
  {"segments",
   1,
   SEGMENTS_PARAMETERS,
   {"bytes"},
   {COMMON_NAMES, "from_megabytes", "slope"},
   {COMMON_STARTS, 4, 0.8},
   segments_time,
   stream_work,
   no_inputs,
   NULL},
  {"cached",
   1,
   CACHED_PARAMETERS,
   {"bytes"},
   {COMMON_NAMES, "from_megabytes", "slope", "cache_terabytes_per_s", "cache_megabytes"},
   {COMMON_STARTS, 4, 0.8, 3, 40},
   cached_time,
   stream_work,
   no_inputs,
   NULL},
};

const ts_kernel_model *ts_kernel_model_find(const char *name)
{
  for (size_t i = 0; i < sizeof models / sizeof *models; i++)
    if (strcmp(models[i].name, name) == 0)
      return &models[i];
  return NULL;
}

/* Inputs are logarithms to base 2. A code below INPUT_RATIO is the feature of that number. */
enum {
  INPUT_RATIO = TS_MODEL_MAX_FEATURES,
  INPUT_TIME,
  INPUT_EFFICIENCY,
  INPUT_WORK,
  INPUT_PAD,
  INPUT_FILL,
  INPUT_TAIL,
  INPUT_TABLE
};
static const struct { const char *name; uint32_t code, sizes; } input_words[] = {
  {"ratio", INPUT_RATIO, 0},           /* time of arithmetic over time of memory */
  {"time", INPUT_TIME, 0},             /* of the physical model */
  {"efficiency", INPUT_EFFICIENCY, 0}, /* time of arithmetic over work */
  {"work", INPUT_WORK, 0},
  {"table", INPUT_TABLE, 0},           /* number of the table, not a logarithm */
  {"pad", INPUT_PAD, 1},               /* rows in whole tiles over rows */
  {"fill", INPUT_FILL, 2},             /* work of whole waves of whole tiles over work wanted */
  {"tail", INPUT_TAIL, 2},             /* units in whole waves over tiles */
};

const char *ts_model_input_word(const ts_model_input *input)
{
  for (size_t i = 0; i < sizeof input_words / sizeof *input_words; i++)
    if (input_words[i].code == input->code && !input_words[i].sizes)
      return input_words[i].name;
  return NULL;
}

uint32_t ts_model_tree_inputs(const ts_kernel_model *model, ts_model_input *input)
{
  uint32_t n = 0;
  for (; model->input[n]; n++) ts_model_input_parse(model, model->input[n], &input[n]);
  for (uint32_t f = 0; !model->input[0] && f < model->feature_count; f++)
    input[n++] = (ts_model_input){.code = f};
  if (!model->input[0])
    input[n++] = (ts_model_input){.code = INPUT_TIME};
  return n;
}

bool ts_model_input_parse(const ts_kernel_model *model, const char *text, ts_model_input *input)
{
  *input = (ts_model_input){0};
  for (uint32_t f = 0; f < model->feature_count; f++)
    if (strcmp(model->feature[f], text) == 0) {
      input->code = f;
      return true;
    }
  size_t word = strcspn(text, " ");
  for (size_t i = 0; i < sizeof input_words / sizeof *input_words; i++) {
    if (strlen(input_words[i].name) != word || strncmp(text, input_words[i].name, word) != 0)
      continue;
    unsigned size[2] = {1, 1};
    const char *rest = text + word;
    for (uint32_t s = 0; s < input_words[i].sizes; s++) {
      int end = 0;
      if (sscanf(rest, " %4u%n", &size[s], &end) != 1 || !size[s])
        return false;
      rest += end;
    }
    *input = (ts_model_input){input_words[i].code, size[0], size[1]};
    return *rest == 0;
  }
  return false;
}

static bool is_gemm(const ts_kernel_model *model)
{
  return model->time == gemm_time || model->time == gemm_backward_time ||
         model->time == gemm_cast_time;
}

/* How an output is cut into tiles: rows x columns of elements. Attention is cut along its queries
 * only. */
static void extent(const ts_kernel_model *model, const double *x, double *rows, double *columns,
                   double *repeats)
{
  bool attention = model->time == attention_time, apart = model->time == apart_time,
       gemm = is_gemm(model);
  *rows = attention ? x[ATTENTION_SEQ] : apart ? x[APART_SEQ] : x[0];
  *columns = gemm ? x[GEMM_N] : 1;
  *repeats = attention ? x[ATTENTION_BATCH] * x[ATTENTION_HEADS] :
             apart     ? x[APART_BATCH] * x[APART_HEADS] :
             gemm      ? x[GEMM_COUNT] :
                         1;
}

double ts_model_input_value(const ts_kernel_model *model, const ts_model_input *input,
                            const double *p, const double *x, const ts_model_time *t, double table)
{
  if (input->code < INPUT_RATIO) /* products of one launch lie one below the other */
    return log2(is_gemm(model) && input->code == GEMM_M ? x[GEMM_M] * x[GEMM_COUNT] :
                                                          x[input->code]);
  double rows, columns, repeats, flops, bytes;
  switch (input->code) {
  case INPUT_RATIO: return log2(t->work_us / t->memory_us);
  case INPUT_TIME: return log2(t->us);
  case INPUT_TABLE: return table;
  }
  model->work(x, &flops, &bytes);
  extent(model, x, &rows, &columns, &repeats);
  double tiles = ceil(rows / input->a) * ceil(columns / input->b) * repeats,
         waves = ceil(tiles / p[UNITS]);
  switch (input->code) {
  case INPUT_EFFICIENCY: return log2(t->work_us / flops);
  case INPUT_WORK: return log2(flops);
  case INPUT_PAD: return log2(ceil(rows / input->a) * input->a / rows);
  case INPUT_FILL: return log2(waves * p[UNITS] * input->a * input->b / (rows * columns * repeats));
  case INPUT_TAIL: return log2(waves * p[UNITS] / tiles);
  }
  return 0;
}
