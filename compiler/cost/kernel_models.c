#include "compiler/cost/kernel_models.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { UNITS = TS_PARAMETER_UNITS, FLOOR_US = TS_PARAMETER_FLOOR, RATE = TS_PARAMETER_RATE, BANDWIDTH = TS_PARAMETER_BANDWIDTH,
  NORM = TS_PARAMETER_NORM, COMMON = TS_PARAMETER_OWN };

/* Two resources that overlap: the time is near the larger, and above both where they are alike. */
static double overlap(double a, double b, double norm)
{
  double large = fmax(a, b), small = fmin(a, b);
  return large > 0 ? large * pow(1 + pow(small / large, norm), 1 / norm) : 0;
}

/* Matrix products y[m, n] = x[m, k] w[n, k]^T, `count` of them in one launch. Output tiles of tm x tn are spread over the units of the
 * device in waves; the last one runs as long as a full one (tile and wave quantization, NVIDIA "Matrix Multiplication Background User's
 * Guide"). Splitting k makes more tiles, whose partial sums are added up. A library picks the best of its tiles and splits; so does this. */
enum { GEMM_PROLOGUE_US = COMMON, GEMM_SPLIT_US, GEMM_CACHE, GEMM_EFFICIENCY };
enum { GEMM_M, GEMM_N, GEMM_K, GEMM_COUNT };
static const struct { double m, n; } gemm_tiles[] = {{64, 64}, {64, 128}, {128, 64}, {128, 128}, {128, 256}, {256, 128}, {64, 256}, {256, 64}, {256, 256}};
enum { GEMM_TILES = sizeof gemm_tiles / sizeof *gemm_tiles, GEMM_SLICE = 64, GEMM_MOST_SPLITS = 16 };

static double gemm_time(const double *p, const double *x, double *ratio)
{
  double m = x[GEMM_M], n = x[GEMM_N], k = x[GEMM_K], count = x[GEMM_COUNT], best = INFINITY;
  for (int i = 0; i < GEMM_TILES; i++) {
    double tm = gemm_tiles[i].m, tn = gemm_tiles[i].n, tiles = ceil(m / tm) * ceil(n / tn) * count;
    double slice_us = 2e-6 * tm * tn * p[UNITS] / (p[RATE] * p[GEMM_EFFICIENCY + i]), load_us = 2e-6 * p[UNITS] * (tm + tn) / p[GEMM_CACHE];
    for (int split = 1; split <= GEMM_MOST_SPLITS; split *= 2) {
      double waves = ceil(tiles * split / p[UNITS]), depth = ceil(k / split / GEMM_SLICE) * GEMM_SLICE;
      double us = fmax(waves * (p[GEMM_PROLOGUE_US] + slice_us * depth), waves * load_us * depth);
      if (split > 1)
        us += p[GEMM_SPLIT_US] * log2(split) + 4e-6 * m * n * count * split / p[GEMM_CACHE];
      best = fmin(best, us);
    }
  }
  double memory = 2e-6 * count * (m * k + n * k + m * n) / p[BANDWIDTH];
  *ratio = best / memory;
  return p[FLOOR_US] + overlap(best, memory, p[NORM]);
}

static void gemm_work(const double *x, double *flops, double *bytes)
{
  double m = x[GEMM_M], n = x[GEMM_N], k = x[GEMM_K];
  *flops = 2 * x[GEMM_COUNT] * m * n * k;
  *bytes = 2 * x[GEMM_COUNT] * (m * k + n * k + m * n);
}

/* Attention without stored scores (FlashAttention), causal: tiles of ATTENTION_TILE queries for each sequence and head, each over the keys
 * before it. The longest tile bounds the time from below. */
enum { ATTENTION_PROLOGUE_US = COMMON, ATTENTION_PARAMETERS };
enum { ATTENTION_BATCH, ATTENTION_SEQ, ATTENTION_HEADS, ATTENTION_KV_HEADS, ATTENTION_HEAD_DIM };
enum { ATTENTION_TILE = 128 };

static double attention_time(const double *p, const double *x, double *ratio)
{
  double seq = x[ATTENTION_SEQ], dim = x[ATTENTION_HEAD_DIM], rows = x[ATTENTION_BATCH] * x[ATTENTION_HEADS];
  double tiles = rows * ceil(seq / ATTENTION_TILE);
  double work_us = 2e-6 * rows * seq * (seq + ATTENTION_TILE) * dim / p[RATE] + tiles * p[ATTENTION_PROLOGUE_US] / p[UNITS];
  double longest_us = 4e-6 * ATTENTION_TILE * seq * dim * p[UNITS] / p[RATE] + p[ATTENTION_PROLOGUE_US];
  double memory = 4e-6 * x[ATTENTION_BATCH] * seq * dim * (x[ATTENTION_HEADS] + x[ATTENTION_KV_HEADS]) / p[BANDWIDTH];
  double work = fmax(work_us, longest_us);
  *ratio = work / memory;
  return p[FLOOR_US] + overlap(work, memory, p[NORM]);
}

static void attention_work(const double *x, double *flops, double *bytes)
{
  double tokens = x[ATTENTION_BATCH] * x[ATTENTION_SEQ], dim = x[ATTENTION_HEAD_DIM];
  *flops = 2 * tokens * x[ATTENTION_SEQ] * x[ATTENTION_HEADS] * dim;
  *bytes = 4 * tokens * dim * (x[ATTENTION_HEADS] + x[ATTENTION_KV_HEADS]);
}

/* Kernels that only move data: bytes over a bandwidth that saturates above a floor. */
static double stream_time(const double *p, const double *x, double *ratio)
{
  *ratio = 1;
  return overlap(p[FLOOR_US], 1e-6 * x[0] / p[BANDWIDTH], p[NORM]);
}

static void stream_work(const double *x, double *flops, double *bytes)
{
  *flops = 0;
  *bytes = x[0];
}

static const char *const gemm_inputs[] = {"m", "n", "k", "fill 128 128", "fill 128 256", "fill 256 128", "fill 256 256", "fill 64 128",
  "fill 128 64", "fill 64 64", "ratio", NULL};
static const char *const attention_inputs[] = {"batch", "seq", "heads", "kv_heads", "head_dim", "fill 128 1", "ratio", "work", NULL};
static const char *const no_inputs[] = {NULL};

#define COMMON_NAMES "units", "floor_us", "tflops", "terabytes_per_s", "norm"
#define COMMON_STARTS 0, 0, 0, 0, 3
static const ts_kernel_model models[] = {
  {"gemm", 4, GEMM_EFFICIENCY + GEMM_TILES, {"m", "n", "k", "count"},
    {COMMON_NAMES, "prologue_us", "split_us", "cache_terabytes_per_s", "efficiency_64x64", "efficiency_64x128", "efficiency_128x64",
      "efficiency_128x128", "efficiency_128x256", "efficiency_256x128", "efficiency_64x256", "efficiency_256x64", "efficiency_256x256"},
    {COMMON_STARTS, 1, 1, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1}, gemm_time, gemm_work, gemm_inputs},
  {"attention", 5, ATTENTION_PARAMETERS, {"batch", "seq", "heads", "kv_heads", "head_dim"}, {COMMON_NAMES, "prologue_us"},
    {COMMON_STARTS, 0.5}, attention_time, attention_work, attention_inputs},
  {"stream", 1, COMMON, {"bytes"}, {COMMON_NAMES}, {COMMON_STARTS}, stream_time, stream_work, no_inputs},
};

const ts_kernel_model *ts_kernel_model_find(const char *name)
{
  for (size_t i = 0; i < sizeof models / sizeof *models; i++)
    if (strcmp(models[i].name, name) == 0)
      return &models[i];
  return NULL;
}

/* Inputs are logarithms to base 2. A code below INPUT_RATIO is the feature of that number. */
enum { INPUT_RATIO = TS_MODEL_MAX_FEATURES, INPUT_WORK, INPUT_FILL, INPUT_SPLIT, INPUT_WAVES, INPUT_TAIL, INPUT_BYTES };
static const struct { const char *name; uint32_t code; bool tile; } input_words[] = {
  {"ratio", INPUT_RATIO, false}, {"work", INPUT_WORK, false}, {"bytes", INPUT_BYTES, false},
  {"fill", INPUT_FILL, true},   /* work of whole waves of whole tiles over work wanted */
  {"split", INPUT_SPLIT, true}, /* the same with the best split in up to 8 */
  {"waves", INPUT_WAVES, true}, /* how many */
  {"tail", INPUT_TAIL, true},   /* units in whole waves over tiles */
};

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
    unsigned a = 1, b = 1;
    int end = 0;
    if (input_words[i].tile && (sscanf(text + word, " %4u %4u%n", &a, &b, &end) != 2 || !a || !b))
      return false;
    *input = (ts_model_input){input_words[i].code, a, b};
    return text[word + (size_t)end] == 0;
  }
  return false;
}

/* How an output is cut into tiles: rows x columns of elements. Attention is cut along its queries only. */
static void extent(const ts_kernel_model *model, const double *x, double *rows, double *columns, double *repeats)
{
  bool attention = model->time == attention_time, gemm = model->time == gemm_time;
  *rows = attention ? x[ATTENTION_SEQ] : x[0];
  *columns = gemm ? x[GEMM_N] : 1;
  *repeats = attention ? x[ATTENTION_BATCH] * x[ATTENTION_HEADS] : gemm ? x[GEMM_COUNT] : 1;
}

static double best_split(double tiles, double units)
{
  double best = 0;
  for (int s = 1; s <= 8; s++) best = fmax(best, s * tiles / (ceil(s * tiles / units) * units));
  return best;
}

double ts_model_input_value(const ts_kernel_model *model, const ts_model_input *input, const double *p, const double *x, double ratio)
{
  if (input->code < INPUT_RATIO) /* products of one launch lie one below the other */
    return log2(model->time == gemm_time && input->code == GEMM_M ? x[GEMM_M] * x[GEMM_COUNT] : x[input->code]);
  double rows, columns, repeats;
  extent(model, x, &rows, &columns, &repeats);
  double padded_rows = ceil(rows / input->a), padded_columns = ceil(columns / input->b), tiles = padded_rows * padded_columns * repeats;
  double waves = ceil(tiles / p[UNITS]);
  switch (input->code) {
  case INPUT_RATIO: return log2(ratio);
  case INPUT_WORK: return log2(model->time == attention_time ? rows * rows * x[ATTENTION_HEAD_DIM] * repeats : rows * columns * x[GEMM_K] * repeats);
  case INPUT_BYTES: return log2((rows * columns + rows * x[GEMM_K] + columns * x[GEMM_K]) * repeats);
  case INPUT_FILL: return log2(waves * p[UNITS] * input->a * input->b / (rows * columns * repeats));
  case INPUT_SPLIT: return log2(tiles * input->a * input->b / (best_split(tiles, p[UNITS]) * rows * columns * repeats));
  case INPUT_WAVES: return log2(waves);
  case INPUT_TAIL: return log2(waves * p[UNITS] / tiles);
  }
  return 0;
}
