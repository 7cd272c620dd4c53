/* Physical models of kernels against closed forms, and what makes of a model one of a device. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "cost/kernel_models.h"
#include "cost/operators.h"
#include "cost/trees.h"

/* units, floor, TFLOP/s, TB/s, norm; a norm of 100 takes the larger of two */
#define COMMON(floor, rate, bandwidth) 1, floor, rate, bandwidth, 100

static double us(const char *model, const double *parameter, const double *feature)
{
  return ts_kernel_model_find(model)->time(parameter, feature).us;
}

/* Tiles of 256 x 256, 128 x 512 or the like: four waves of 512 x 512, each with its prologue, the
 * later ones' half hidden. Of 513 rows there is one more row of tiles. */
Test(kernel_models, products_go_in_waves)
{
  const double parameter[] = {COMMON(3, 1e9, 1e9), 10, 0.5, 1e6, 1e9, 0};
  cr_assert_float_eq(us("gemm", parameter, (double[]){512, 512, 64, 1}), 3 + 10 + 0.5 * 3 * 10,
                     1e-6);
  cr_assert_float_eq(us("gemm", parameter, (double[]){512, 513, 64, 1}), 3 + 10 + 0.5 * 4 * 10,
                     1e-6);
  cr_assert_float_eq(us("gemm", parameter, (double[]){513, 512, 64, 1}), 3 + 10 + 0.5 * 4 * 10,
                     1e-6);
}

/* Of the input m x k over n, of the weight n x k over m; one floor. */
Test(kernel_models, a_backward_is_two_products)
{
  const double parameter[] = {COMMON(3, 1e3, 1e9), 10, 0.5, 1e6, 1e9, 0.1},
               m = 640, n = 384, k = 4096;
  cr_assert_float_eq(us("gemm_backward", parameter, (double[]){m, n, k, 1}),
                     us("gemm", parameter, (double[]){m, k, n, 1}) +
                       us("gemm", parameter, (double[]){n, k, m, 1}) - 3,
                     1e-6);
  cr_assert(fabs(us("gemm", parameter, (double[]){n, k, m, 1}) -
                 us("gemm", parameter, (double[]){n, k, k, 1})) > 1);
}

/* The cast moves m k of 2 + 1 bytes at 3 TB/s; of the floor 2 us are the product's. */
Test(kernel_models, a_cast_takes_its_launch_and_its_bytes)
{
  const ts_kernel_model *m = ts_kernel_model_find("gemm_cast");
  const double feature[] = {1024, 1024, 2048, 1},
               parameter[] = {COMMON(7, 1e3, 1e9), 1, 0.5, 1, 1e9, 0.1, 3, 1};
  double cast = 1024 * 2048 * 3e-6 / 3 + 5;
  cr_assert_float_eq(m->share(parameter, feature), 1 - cast / m->time(parameter, feature).us, 1e-9);
}

/* 16 heads of 256 queries at 100 TFLOP/s: tiles of 128 over the keys before them and their own. */
Test(kernel_models, attention_is_causal_by_tiles)
{
  const double parameter[] = {COMMON(2, 100, 1e9), 0};
  cr_assert_float_eq(us("attention", parameter, (double[]){1, 256, 16, 16, 64}),
                     2 + 2e-6 * 16 * 256 * (256 + 128) * 64 / 100, 1e-6);
  const double wide[] = {500, 2, 100, 1e9, 100, 0}; /* one tile is all that a unit has */
  cr_assert_float_eq(us("attention", wide, (double[]){1, 256, 16, 16, 64}),
                     2 + 4e-6 * 128 * 256 * 64 * 500 / 100, 1e-6);
}

/* Keys and values have heads of their own: of 8 query heads 2. */
Test(kernel_models, attention_apart_moves_the_keys_of_its_own_heads)
{
  const ts_kernel_model *m = ts_kernel_model_find("attention_apart");
  double flops, bytes;
  m->work((double[]){3, 128, 1024, 8, 2, 96, 64}, &flops, &bytes);
  cr_assert_float_eq(bytes, 2 * 3 * 160 * (128 * 8 + 1024 * 2), 1e-6);
  cr_assert_float_eq(flops, 3. * 8 * 128 * 1024 * 160, 1e-6);
}

/* A node's value itself goes the other way. */
Test(kernel_models, trees_turn_at_their_value)
{
  ts_tree_node node[] = {{0, 2, 1, 2}, {TS_TREE_LEAF, 10, 0, 0}, {TS_TREE_LEAF, 20, 0, 0}};
  uint32_t root[] = {0, 0};
  ts_trees trees = {2, 3, root, node};
  cr_assert_float_eq(ts_trees_sum(&trees, (double[]){1.5}), 20, 0);
  cr_assert_float_eq(ts_trees_sum(&trees, (double[]){2}), 40, 0);
}

static ts_op_class class_of(const char *model, const ts_op_device *device, uint32_t count,
                            double *faster)
{
  ts_op_class c = {.model = ts_kernel_model_find(model), .device = device, .device_count = count,
                   .faster = faster};
  for (uint32_t i = 0; i < c.model->parameter_count; i++) c.share[i] = 0;
  c.share[TS_PARAMETER_NORM] = 100;
  return c;
}

/* 4 thousand clocks at 2 GHz are 2 us; at four times the mean bandwidth half of that, by a power of
 * -1/2. A board of twice the watts for each TFLOP/s reaches sqrt 2 of the share. */
Test(kernel_models, a_device_scales_what_the_class_has)
{
  ts_op_device device[] = {{.units = 1, .gigahertz = 2, .tflops = 100, .terabytes_per_s = 4,
                            .watts = 400}};
  double faster[] = {1}, bytes = 1;
  ts_op_class c = class_of("stream", device, 1, faster);
  c.share[TS_PARAMETER_FLOOR] = 4;
  c.share[TS_PARAMETER_BANDWIDTH] = 1;
  c.share[TS_PARAMETER_OWN] = c.share[TS_PARAMETER_OWN + 1] = 1;
  c.exponent[TS_OP_FLOOR] = -0.5;
  c.reference[TS_OP_FLOOR] = log(1);
  c.reference[TS_OP_POWER] = log(2);
  cr_assert_float_eq(ts_op_time(&c, NULL, device, &bytes), 1, 1e-6);
  c = class_of("attention", device, 1, faster);
  c.share[TS_PARAMETER_RATE] = 0.5;
  c.share[TS_PARAMETER_BANDWIDTH] = 1e6;
  c.exponent[TS_OP_POWER] = 0.5;
  c.reference[TS_OP_POWER] = log(2);
  double flops = 2e-6 * 16 * 256 * (256 + 128) * 64;
  cr_assert_float_eq(ts_op_time(&c, NULL, device, (double[]){1, 256, 16, 16, 64}),
                     flops / (0.5 * 100 * sqrt(2)), 1e-6);
}

enum { ROWS = 24 };

/* What moves data has floors that shrink with the bandwidth, by a root; watts say nothing of it. */
Test(kernel_models, floors_follow_the_bandwidth_of_devices)
{
  ts_arena *arena = ts_arena_new("test");
  ts_op_device device[] = {
    {.units = 100, .gigahertz = 1, .tflops = 100, .terabytes_per_s = 1, .watts = 200,
     .cache_megabytes = 1},
    {.units = 100, .gigahertz = 1, .tflops = 100, .terabytes_per_s = 4, .watts = 500,
     .cache_megabytes = 1}};
  double feature[ROWS], time[ROWS];
  uint32_t of[ROWS];
  for (uint32_t i = 0; i < ROWS; i++) {
    of[i] = i % 2;
    feature[i] = 1e3 * exp2(i / 2 * 2);
    time[i] = fmax(4 / sqrt(device[of[i]].terabytes_per_s),
                   1e-6 * feature[i] / device[of[i]].terabytes_per_s);
  }
  ts_op_rows rows = {"elementwise", ROWS, feature, time, of};
  ts_op_class *c = ts_op_train(arena, ts_kernel_model_find("segments"), device, 2, &rows, 1, NULL);
  cr_assert_float_eq(c->exponent[TS_OP_FLOOR], -0.5, 0.05, "%g", c->exponent[TS_OP_FLOOR]);
  cr_assert_eq(c->exponent[TS_OP_POWER], 0);
  ts_arena_free(arena);
}
