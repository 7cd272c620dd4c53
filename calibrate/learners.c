#include "calibrate/learners.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "cost/gp.h"
#include "cost/trees.h"

enum { FOLDS = 5, MOST_ROWS = 1000 };

typedef struct left_over { /* logarithms that the physical model leaves, and what they go with */
  uint32_t count, inputs;
  double *input, *target;
} left_over;

static double median(ts_arena *arena, const left_over *rows)
{
  double *sorted = ts_arena_copy(arena, rows->target, rows->count * sizeof *sorted);
  qsort(sorted, rows->count, sizeof *sorted, ts_by_double);
  return rows->count ? sorted[rows->count / 2] : 0;
}

static left_over room_for(ts_arena *arena, uint32_t count, uint32_t inputs)
{
  return (left_over){0, inputs, TS_NEW_ARRAY(arena, double, (size_t)count *inputs + 1),
                     TS_NEW_ARRAY(arena, double, count + 1)};
}

static void learners_add(left_over *to, const left_over *from, uint32_t row)
{
  memcpy(to->input + (size_t)to->count * to->inputs, from->input + (size_t)row * from->inputs,
         from->inputs * sizeof *to->input);
  to->target[to->count++] = from->target[row];
}

static left_over learners_leave(ts_arena *arena, const ts_fit_model *m, const ts_fit_rows *rows)
{
  left_over all = room_for(arena, rows->count, m->input_count);
  for (; all.count < rows->count; all.count++) {
    const double *x = rows->feature + (size_t)all.count * m->model->feature_count;
    all.target[all.count] =
      log(rows->us[all.count] / ts_fit_inputs(m, x, rows->table[all.count],
                                              all.input + (size_t)all.count * m->input_count));
  }
  return all;
}

typedef struct learned { /* from some rows */
  const left_over *rows;
  double middle, *weight;
  ts_trees trees;
} learned;

static bool learn(ts_arena *arena, const ts_fit_model *m, const left_over *rows, double noise,
                  ts_op_learner by, learned *l, ts_error *wrong)
{
  *l = (learned){.rows = rows, .weight = TS_NEW_ARRAY(arena, double, rows->count + 1)};
  if (by == TS_OP_ANALYTIC)
    l->middle = median(arena, rows);
  else if (by == TS_OP_GAUSSIAN)
    return ts_gp_solve(&(ts_gp_data){rows->count, rows->inputs, rows->input, rows->target, NULL},
                       m->kernel, m->kernel_count, noise, l->weight,
                       TS_NEW_ARRAY(arena, double, rows->count + 1), NULL);
  else
    return ts_trees_grow(arena, by == TS_OP_TREES ? TS_TREES_BOOSTED : TS_TREES_FOREST, rows->input,
                         rows->count, rows->inputs, rows->target, &l->trees, wrong);
  return true;
}

static double predict(const ts_fit_model *m, const learned *l, const double *input)
{
  double sum = l->middle + ts_trees_sum(&l->trees, input);
  for (uint32_t i = 0; m->kernel_count && i < l->rows->count; i++)
    if (l->weight[i] != 0)
      sum += l->weight[i] * ts_gp_covariance(m->kernel, m->kernel_count, l->rows->inputs, input,
                                             l->rows->input + (size_t)i * l->rows->inputs);
  return sum;
}

/* Of rows in order, spread by the golden ratio: every fifth row of a table of five widths would be
 * all rows of one width. */
static uint32_t fold_of(uint32_t i)
{
  double turns = 0.6180339887498949 * i;
  return (uint32_t)(FOLDS * (turns - floor(turns)));
}

static bool learners_judge(ts_arena *arena, const ts_fit_model *m, const left_over *all,
                           uint32_t own, uint32_t stride, double noise, ts_op_learner by,
                           double *error, ts_error *wrong)
{
  uint32_t judged = 0;
  *error = 0;
  for (uint32_t fold = 0; fold < FOLDS; fold++) {
    left_over train = room_for(arena, all->count, all->inputs);
    for (uint32_t i = 0; i < all->count; i += stride)
      if (i >= own || fold_of(i / stride) != fold)
        learners_add(&train, all, i);
    learned l;
    if (!learn(arena, m, &train, noise, by, &l, wrong))
      return false;
    for (uint32_t i = 0; i < own; i += stride)
      if (fold_of(i / stride) == fold)
        *error +=
          (fabs(predict(m, &l, all->input + (size_t)i * all->inputs) - all->target[i]) - *error) /
          ++judged;
  }
  return true;
}

/* The best takes the place of what the model has. */
static bool settle(ts_arena *arena, ts_fit_model *m, const left_over *all, double noise,
                   ts_op_learner best, double *weight, ts_error *wrong)
{
  learned l;
  if (best == TS_OP_GAUSSIAN)
    return true;
  if (!learn(arena, m, all, noise, best, &l, wrong))
    return false;
  memset(weight, 0, all->count * sizeof *weight);
  m->kernel_count = 0, m->shift = 0;
  if (best == TS_OP_ANALYTIC)
    m->shift = fmin(fmax(l.middle, -1), 1);
  m->trees = l.trees;
  m->learner = ts_op_learner_name[best];
  return true;
}

bool ts_fit_choose_learner(ts_arena *arena, ts_fit_model *m, const ts_fit_rows *rows, double noise,
                           double *weight, double *error, ts_op_learner *best, ts_error *wrong)
{
  bool none = !m->input_count; /* learns nothing from neighbours */
  if (none)
    m->input_count = ts_model_tree_inputs(m->model, m->input);
  left_over all = learners_leave(arena, m, rows);
  for (int l = 0; l < TS_OP_LEARNERS; l++) {
    error[l] = INFINITY;
    if (!(none && l == TS_OP_GAUSSIAN) &&
        !learners_judge(arena, m, &all, rows->own, (rows->count + MOST_ROWS - 1) / MOST_ROWS, noise,
                        (ts_op_learner)l, &error[l], wrong))
      return false;
  }
  *best = ts_op_best(error);
  if (*best != TS_OP_TREES && *best != TS_OP_FOREST && none)
    m->input_count = 0, all.inputs = 0;
  return settle(arena, m, &all, noise, *best, weight, wrong);
}

bool ts_fit_learn_again(ts_arena *arena, ts_fit_model *m, const ts_fit_rows *rows,
                        ts_op_learner learner, double *weight, ts_error *wrong)
{
  m->row = rows->feature, m->row_us = rows->us, m->row_table = rows->table,
  m->row_count = rows->count, m->own_rows = rows->own;
  left_over all = learners_leave(arena, m, rows);
  return settle(arena, m, &all, m->noise, learner, weight, wrong);
}
