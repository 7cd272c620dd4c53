/* Operators of a device from tables of others, and of a batch from those of another. */

#include <ctype.h>
#include <dirent.h>
#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cost/operators.h"
#include "tests/accuracy/accuracy.h"

enum {
  PRODUCT,
  PRODUCT_BACKWARD,
  MEMORY,
  CLASSES,
  MAX_FAMILIES = 96,
  MAX_DEVICES = 16,
  DIMS = 8,
  TENSORS = 8
};
static const char *const class_models[CLASSES] = {"gemm", "gemm_backward", "cached"};

typedef struct op { /* one direction of a row of an operator table */
  const char *name, *family;
  int class;
  double feature[TS_MODEL_MAX_FEATURES], us;
  uint32_t device;
  double times; /* how often it occurs: layers */
} op;
typedef TS_VEC(op) ops;

typedef struct devices {
  uint32_t count;
  ts_op_device fp32[MAX_DEVICES], bf16[MAX_DEVICES];
} devices;

static devices read_devices(const acc_context *c)
{
  devices d = {0};
  const csv *t =
    csv_read(c->arena, ts_arena_printf(c->arena, "%s/tests/accuracy/devices.csv", c->source));
  for (size_t i = 0; t && i < t->rows && d.count < MAX_DEVICES; i++, d.count++) {
    d.fp32[d.count] = (ts_op_device){csv_cell(t, i, "device"),
                                     csv_number(t, i, "fp32_tflops"),
                                     csv_number(t, i, "terabytes_per_s"),
                                     csv_number(t, i, "watts"),
                                     csv_number(t, i, "units"),
                                     csv_number(t, i, "gigahertz"),
                                     csv_number(t, i, "l2_megabytes")};
    d.bf16[d.count] = d.fp32[d.count];
    d.bf16[d.count].tflops = csv_number(t, i, "bf16_tflops");
  }
  return d;
}

static uint32_t device_of(const devices *d, const char *name)
{
  for (uint32_t i = 0; i < d->count; i++)
    if (!strcmp(d->fp32[i].name, name))
      return i;
  return UINT32_MAX;
}

/* -- operator tables -- */

typedef struct shape {
  uint32_t rank;
  double at[DIMS];
} shape;

static double elements(const shape *s)
{
  double n = 1;
  for (uint32_t i = 0; i < s->rank; i++)
    n *= s->at[i];
  return n;
}

/* "[[1, 1024], [1]]" or "(1, 1024)". */
static uint32_t read_shapes(const char *text, shape *s)
{
  uint32_t n = 0, depth = 0;
  bool list = *text == '[';
  memset(s, 0, TENSORS * sizeof *s);
  for (; *text; text++)
    if (*text == '[' || *text == '(') {
      depth++;
    } else if (*text == ']' || *text == ')') {
      n += depth == (list ? 2 : 1);
      depth--;
    } else if (isdigit((unsigned char)*text) && n < TENSORS) {
      char *end;
      double value = strtod(text, &end);
      if (s[n].rank < DIMS)
        s[n].at[s[n].rank++] = value;
      text = end - 1;
    }
  return n < TENSORS ? n : TENSORS;
}

static bool matches(const char *patterns, const char *text)
{
  char one[64];
  for (size_t length; *patterns; patterns += length + (patterns[length] == '|')) {
    length = strcspn(patterns, "|");
    snprintf(one, sizeof one, "%.*s", (int)length, patterns);
    if (!fnmatch(one, text, 0))
      return true;
  }
  return false;
}

static double width_of(const csv *t, const char *name)
{
  for (size_t i = 0; i < t->rows; i++)
    if (csv_is(t, i, "name", name))
      return csv_is(t, i, "dtype", "bool")  ? 1 :
             csv_is(t, i, "dtype", "int64") ? 8 :
             csv_is(t, i, "dtype", "")      ? 0 :
                                              4;
  return 4;
}

/* Sizes and family of the forward of a row. */
static void describe(ts_arena *arena, const csv *t, size_t i, op *o)
{
  static const struct {
    const char *kinds, *family;
  } modules[] = {{"*.query|*.key|*.value|*.dense|*_proj|*.fc1|*.fc2|*.decoder|*.seq_relationship|*."
                  "linear|lm_head",
                  "linear"},
                 {"dropout|*drop|*dropout", "dropout"},
                 {"*.ln_*|*layer_norm|*.LayerNorm", "norm"},
                 {"*.wte|*.wpe|*embed*", "embedding"},
                 {"gelu|*.activation_fn|*.act", "gelu"},
                 {"tanh|sigmoid|*_activation", "tanh"}};
  const char *kind = csv_cell(t, i, "kind"), *inputs = csv_cell(t, i, "inputs");
  shape in[TENSORS], out[TENSORS];
  uint32_t count = read_shapes(csv_cell(t, i, "input_shapes"), in);
  read_shapes(csv_cell(t, i, "output_shape"), out);
  *o = (op){.name = csv_cell(t, i, "name"), .family = kind, .class = MEMORY, .times = 1};
  for (size_t m = 0; m < sizeof modules / sizeof *modules; m++)
    if (matches(modules[m].kinds, kind)) {
      o->family = modules[m].family;
      break;
    }
  double last = out[0].rank ? out[0].at[out[0].rank - 1] : 1;
  if (!strcmp(o->family, "linear") && count) {
    double k = in[0].at[in[0].rank - 1];
    o->class = PRODUCT;
    memcpy(o->feature, (double[]){elements(&in[0]) / k, last, k, 1}, 4 * sizeof(double));
  } else if (!strcmp(kind, "addmm") && count == 3) {
    o->class = PRODUCT, o->family = "linear";
    memcpy(o->feature, (double[]){in[1].at[0], in[2].at[1], in[1].at[1], 1}, 4 * sizeof(double));
  } else if (matches("matmul|bmm", kind) && count == 2 && in[0].rank >= 3) {
    double m = in[0].at[in[0].rank - 2], k = in[0].at[in[0].rank - 1];
    o->class = PRODUCT;
    o->family = last > k ? "scores" : "values";
    memcpy(o->feature, (double[]){m, last, k, elements(&in[0]) / m / k}, 4 * sizeof(double));
  } else {
    double bytes = elements(&out[0]) * (csv_is(t, i, "dtype", "bool")  ? 1 :
                                        csv_is(t, i, "dtype", "int64") ? 8 :
                                                                         4);
    for (uint32_t k = 0; k < count;
         k++, inputs += strcspn(inputs, ";") + (inputs[strcspn(inputs, ";")] == ';'))
      bytes += elements(&in[k]) * width_of(t, ts_arena_string(arena, inputs, strcspn(inputs, ";")));
    o->feature[0] = bytes;
  }
}

static int by_value(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* What timing a row takes where nothing is launched: the median of rows that only ask. */
static double timing(ts_arena *arena, const csv *t)
{
  double *us = TS_NEW_ARRAY(arena, double, t->rows + 1);
  size_t n = 0;
  for (size_t i = 0; i < t->rows; i++)
    if (matches("size|getattr|dim|view|permute|transpose", csv_cell(t, i, "kind")))
      us[n++] = csv_number(t, i, "forward_us");
  qsort(us, n, sizeof *us, by_value);
  return n ? us[n / 2] : 0;
}

static void add_ops(const acc_context *c, ops *all, const csv *t, uint32_t device, double layers)
{
  double floor = timing(c->arena, t);
  size_t first = t->rows, last = 0;
  for (size_t i = 0; i < t->rows; i++)
    if (matches("*.0.*", csv_cell(t, i, "kind"))) {
      first = i < first ? i : first;
      last = i;
    }
  /* what follows without a path belongs to it */
  while (last + 1 < t->rows && !strchr(csv_cell(t, last + 1, "kind"), '.'))
    last++;
  for (size_t i = 0; i < t->rows; i++) {
    op o;
    double us[] = {csv_number(t, i, "forward_us"), csv_number(t, i, "backward_us")};
    if (csv_is(t, i, "dtype", "") ||
        matches("view|reshape|permute|transpose|expand|unsqueeze|getitem", csv_cell(t, i, "kind")))
      continue; /* launch nothing */
    describe(c->arena, t, i, &o);
    o.device = device;
    o.times = i >= first && i <= last ? layers : 1;
    for (int way = 0; way < 2; way++) {
      if (!(us[way] > 1.4 * floor))
        continue;
      op one = o;
      one.us = us[way] - floor;
      if (way) {
        one.class = o.class == PRODUCT ? PRODUCT_BACKWARD : MEMORY;
        one.family = ts_arena_printf(c->arena, "%s.backward", o.family);
      }
      TS_PUSH(c->arena, all, one);
    }
  }
}

typedef struct table {
  const char *gpu, *model, *file;
  uint32_t device;
  int batch;
  double layers;
} table;
typedef TS_VEC(table) tables;

/* "optable_<gpu>_<model>_s<seq>_b<batch>.csv.gz", for GPUs whose data sheet is at hand. */
static tables find_tables(const acc_context *c, const devices *d)
{
  static const struct {
    const char *file, *device;
  } gpus[] = {{"NVIDIA_A100_80GB_PCIe", "a100_pcie_80"},
              {"NVIDIA_A100-PCIE-40GB", "a100_pcie_40"},
              {"NVIDIA_H100_80GB_HBM3", "h100_sxm"},
              {"NVIDIA_L4", "l4"},
              {"Tesla_V100-PCIE-32GB", "v100_pcie_32"}};
  const csv *steps =
    csv_read(c->arena, ts_arena_printf(c->arena, "%s/ops/neusight_e2e.csv", c->data));
  struct dirent **entries;
  tables found = {0};
  int count = scandir(ts_arena_printf(c->arena, "%s/ops", c->data), &entries, NULL, alphasort);
  for (int i = 0; i < count; i++) {
    const char *name = entries[i]->d_name;
    for (size_t g = 0; g < sizeof gpus / sizeof *gpus; g++) {
      const char *prefix = ts_arena_printf(c->arena, "optable_%s_", gpus[g].file),
                 *batch = strrchr(name, '_');
      if (strncmp(name, prefix, strlen(prefix)) || !batch || batch[1] != 'b')
        continue;
      const char *model = name + strlen(prefix);
      table t = {gpus[g].device,
                 ts_arena_string(c->arena, model, (size_t)(batch - model)),
                 ts_arena_printf(c->arena, "%s/ops/%s", c->data, name),
                 device_of(d, gpus[g].device),
                 atoi(batch + 2),
                 1};
      for (size_t s = 0; steps && s < steps->rows; s++)
        if (!strncmp(t.model, csv_cell(steps, s, "model"), strlen(csv_cell(steps, s, "model"))) &&
            csv_number(steps, s, "layers") > 0)
          t.layers = csv_number(steps, s, "layers");
      TS_PUSH(c->arena, &found, t);
    }
    free(entries[i]);
  }
  if (count >= 0)
    free(entries);
  return found;
}

/* -- single kernels -- */

/* Products timed alone: fp32 of NeuSight, or bf16. `launch`: the least time of the table is that of
 * launching and timing, and comes off; rows that are not much longer are left out. */
static void add_products(const acc_context *c, ops *all, const char *file, const char *dtype,
                         const char *family, uint32_t device, bool launch)
{
  const csv *t = csv_read(c->arena, ts_arena_printf(c->arena, "%s/ops/%s", c->data, file));
  double least = launch ? INFINITY : 0;
  for (size_t i = 0; t && i < t->rows; i++)
    least = fmin(least, csv_number(t, i, "time_us"));
  for (size_t i = 0; t && i < t->rows; i++) {
    double batch = csv_number(t, i, "batch");
    bool linear = !strcmp(family, "linear_alone");
    op o = {.name = file,
            .family = family,
            .class = PRODUCT,
            .device = device,
            .us = csv_number(t, i, "time_us") - least,
            .times = 1};
    memcpy(o.feature,
           (double[]){csv_number(t, i, "m") * (linear && batch > 0 ? batch : 1),
                      csv_number(t, i, "n"), csv_number(t, i, "k"),
                      linear || !(batch > 0) ? 1 : batch},
           4 * sizeof(double));
    if (csv_is(t, i, "dtype", dtype) && o.us > least)
      TS_PUSH(c->arena, all, o);
  }
}

/* What single products take on devices, whatever the model. */
static void add_alone(const acc_context *c, const devices *d, ops *all, const char *const *sources,
                      size_t count, const char *but)
{
  for (size_t s = 0; s < count; s++) {
    if (but && !strcmp(sources[s], but))
      continue;
    add_products(c, all, ts_arena_printf(c->arena, "neusight_linear_%s.csv.gz", sources[s]), "fp32",
                 "linear_alone", device_of(d, sources[s]), true);
    add_products(c, all, ts_arena_printf(c->arena, "neusight_bmm_%s.csv.gz", sources[s]), "fp32",
                 "products_alone", device_of(d, sources[s]), true);
  }
}

/* -- training and comparing -- */

typedef struct trained {
  const ts_op_class *class[CLASSES];
} trained;

static uint32_t rows_of_class(const acc_context *c, const ops *all, int class, ts_op_rows *rows)
{
  uint32_t families = 0, width = ts_kernel_model_find(class_models[class])->feature_count;
  for (size_t i = 0; i < all->count; i++) {
    uint32_t f = 0;
    if (all->at[i].class != class)
      continue;
    while (f < families && strcmp(rows[f].family, all->at[i].family))
      f++;
    if (f == families && families++ < MAX_FAMILIES)
      rows[f].family = all->at[i].family;
  }
  for (uint32_t f = 0; f < families; f++) {
    double *feature = TS_NEW_ARRAY(c->arena, double, all->count *width),
           *us = TS_NEW_ARRAY(c->arena, double, all->count);
    uint32_t *on = TS_NEW_ARRAY(c->arena, uint32_t, all->count), n = 0;
    for (size_t i = 0; i < all->count; i++)
      if (all->at[i].class == class && !strcmp(all->at[i].family, rows[f].family)) {
        memcpy(feature + (size_t)n * width, all->at[i].feature, width * sizeof *feature);
        us[n] = all->at[i].us, on[n++] = all->at[i].device;
      }
    rows[f] = (ts_op_rows){rows[f].family, n, feature, us, on};
  }
  return families;
}

static const ts_op_class *train_class(const acc_context *c, const ts_op_device *device,
                                      uint32_t devices, const ops *all, int class,
                                      const double *exponent)
{
  ts_op_rows *rows = TS_NEW_ARRAY(c->arena, ts_op_rows, MAX_FAMILIES);
  uint32_t families = rows_of_class(c, all, class, rows);
  return families ? ts_op_train(c->arena, ts_kernel_model_find(class_models[class]), device,
                                devices, rows, families, exponent) :
                    NULL;
}

static trained train(const acc_context *c, const ts_op_device *device, uint32_t devices,
                     const ops *all)
{
  /* each goes by the exponents of those before */
  static const int order[] = {MEMORY, PRODUCT, PRODUCT_BACKWARD};
  double exponent[TS_OP_EXPONENTS] = {0};
  trained t = {0};
  for (int i = 0; i < CLASSES; i++)
    if ((t.class[order[i]] = train_class(c, device, devices, all, order[i], exponent)))
      memcpy(exponent, t.class[order[i]] -> exponent, sizeof exponent);
  return t;
}

/* whole, predicted, roofline: us of the whole model */
typedef struct errors {
  acc_points points;
  double whole, predicted, roofline;
} errors;

static void compare(const acc_context *c, const trained *t, const ts_op_device *device,
                    const ops *target, errors *e)
{
  for (size_t i = 0; i < target->count; i++) {
    const op *o = &target->at[i];
    const ts_op_class *class = t->class[o->class];
    double flops, bytes;
    if (!class)
      continue;
    double us = ts_op_time(class, ts_op_family_of(class, o->family), device, o->feature);
    class->model->work(o->feature, &flops, &bytes);
    double roof = 1e-6 * fmax(flops / device->tflops, bytes / device->terabytes_per_s);
    TS_PUSH(c->arena, &e->points,
            (acc_point){.name = ts_arena_printf(c->arena, "%s (%s)", o->name, o->family),
                        .predicted = us * 1e-6,
                        .measured = o->us * 1e-6,
                        .baseline = roof * 1e-6});
    e->whole += o->us * o->times, e->predicted += us * o->times, e->roofline += roof * o->times;
    if (c->verbose)
      printf("      %-36s %-20s %10.1f %10.1f %+6.1f %%\n", o->name, o->family, o->us, us,
             100 * (us / o->us - 1));
  }
}

static double median_on(const acc_context *c, const ts_op_class *by, int class,
                        const ts_op_device *target, const ops *measured)
{
  errors e = {0};
  trained t = {.class = {[PRODUCT] = class == PRODUCT ? by : NULL,
                         [PRODUCT_BACKWARD] = class == PRODUCT ? NULL : by}};
  compare(c, &t, target, measured, &e);
  return acc_median_error(c->arena, &e.points);
}

/* Who learns what physics leaves: what devices left out say, of those learned from, and then what
 * the target says, whichever was better. */
static void compare_learners(const acc_context *c, acc_result *result, const trained *t,
                             const devices *d, const ops *learn, const ops *measured,
                             uint32_t target)
{
  for (int class = PRODUCT; class <= PRODUCT_BACKWARD; class ++) {
    ts_op_rows *rows = TS_NEW_ARRAY(c->arena, ts_op_rows, MAX_FAMILIES);
    uint32_t families = rows_of_class(c, learn, class, rows);
    ts_error wrong = {0};
    double error[TS_OP_LEARNERS];
    ts_op_learner best;
    if (!t->class[class] ||
        !ts_op_compare(c->arena, t->class[class] -> model, d -> fp32, d -> count, rows, families,
                       t -> class[MEMORY] -> exponent, error, &best, &wrong)) {
      printf("    learners: %s\n", *wrong.message ? wrong.message : "nothing to compare");
      continue;
    }
    const char *text =
      ts_arena_printf(c->arena, "%s, mean |log| of devices left out, then median on the H100:",
                      class_models[class]);
    for (int l = 0; l < TS_OP_LEARNERS; l++) {
      const ts_op_class *by =
        ts_op_learned_by(c->arena, t->class[class], (ts_op_learner)l, &wrong);
      text = ts_arena_printf(c->arena, "%s %s %.3f, %.1f %%;", text, ts_op_learner_name[l], error[l],
                             median_on(c, by, class, &d->fp32[target], measured));
    }
    acc_note_add(c->arena, result, "learners",
                 ts_arena_printf(c->arena, "%s taken: %s", text, ts_op_learner_name[best]));
  }
}

/* A table's operators, and its whole model, which joins `whole` and `all`. */
static void add_table(const acc_context *c, acc_part *part, const char *name, const errors *e,
                      acc_points *whole, acc_points *all)
{
  if (!e->points.count)
    return;
  acc_line_add(c->arena, part, name, &e->points);
  for (size_t i = 0; i < e->points.count; i++)
    TS_PUSH(c->arena, all, e->points.at[i]);
  TS_PUSH(c->arena, whole,
          (acc_point){.name = name,
                      .predicted = e->predicted * 1e-6,
                      .measured = e->whole * 1e-6,
                      .baseline = e->roofline * 1e-6});
}

static ops ops_of(const acc_context *c, const table *t)
{
  ops found = {0};
  const csv *rows = csv_read(c->arena, t->file);
  if (rows)
    add_ops(c, &found, rows, t->device, t->layers);
  return found;
}

static void add_all(const acc_context *c, ops *to, ops from)
{
  for (size_t i = 0; i < from.count; i++)
    TS_PUSH(c->arena, to, from.at[i]);
}

static const char *const sources[] = {"a100_pcie_40", "a100_pcie_80", "v100_pcie_32"};
enum { SOURCES = sizeof sources / sizeof *sources };

/* Products alone: tables of one kind of kernel. */
static void other_products(const acc_context *c, acc_result *result, const devices *d,
                           const trained *t, const ops *learn, ops *products, uint32_t target)
{
  static const struct {
    const char *file, *family;
  } alone[] = {{"neusight_linear_h100_sxm.csv.gz", "linear_alone"},
               {"neusight_bmm_h100_sxm.csv.gz", "products_alone"}};
  acc_part *part = acc_part_new(c->arena, result, "H100, products alone");
  for (size_t i = 0; i < 2; i++) {
    ops measured = {0};
    errors e = {0};
    add_products(c, &measured, alone[i].file, "fp32", alone[i].family, target, true);
    compare(c, t, &d->fp32[target], &measured, &e);
    acc_line_add(c->arena, part, alone[i].file, &e.points);
    add_all(c, products, measured);
  }
  compare_learners(c, result, t, d, learn, products, target);
  ops bf16 = {0}, measured = {0};
  errors e = {0};
  add_products(c, &bf16, "gemm_a100_sxm.csv.gz", "bfloat16", "gemm", device_of(d, "a100_sxm"),
               false);
  const ts_op_class *gemm = train_class(c, d->bf16, d->count, &bf16, PRODUCT, NULL);
  add_products(c, &measured, "gemm_h100_sxm.csv.gz", "bfloat16", "gemm", target, false);
  compare(c, &(trained){.class = {gemm}}, &d->bf16[target], &measured, &e);
  acc_line_add(c->arena, part, "gemm_h100_sxm, bf16, from gemm_a100_sxm", &e.points);
}

static void other_device(const acc_context *c, acc_result *result, const devices *d,
                         const tables *found)
{
  ops learn = {0}, products = {0};
  acc_points whole = {0}, all = {0};
  uint32_t target = device_of(d, "h100_sxm");
  for (size_t s = 0; s < SOURCES; s++) {
    for (size_t i = 0; i < found->count; i++)
      if (!strcmp(found->at[i].gpu, sources[s]))
        add_all(c, &learn, ops_of(c, &found->at[i]));
  }
  add_alone(c, d, &learn, sources, SOURCES, NULL);
  trained t = train(c, d->fp32, d->count, &learn);
  acc_part *part = acc_part_new(c->arena, result, "H100 from A100 and V100, fp32");
  part->drawn = true;
  for (size_t i = 0; i < found->count; i++) {
    if (found->at[i].device != target)
      continue;
    errors e = {0};
    ops measured = ops_of(c, &found->at[i]);
    add_all(c, &products, measured);
    compare(c, &t, &d->fp32[target], &measured, &e);
    add_table(c, part,
              ts_arena_printf(c->arena, "%s, batch %d", found->at[i].model, found->at[i].batch), &e,
              &whole, &all);
  }
  acc_line_add(c->arena, part, "all", &all);
  acc_line_add(c->arena, acc_part_new(c->arena, result, "H100 from A100 and V100, whole models"),
               "all", &whole);
  other_products(c, result, d, &t, &learn, &products, target);
  if (c->verbose && t.class[PRODUCT] && t.class[MEMORY])
    printf("    exponents: watts a TFLOP/s %.3f, bandwidth in the floor %.3f\n",
           t.class[PRODUCT] -> exponent[0], t.class[MEMORY] -> exponent[1]);
}

/* `pooled`: other models' tables of the device help. */
static void other_batch(const acc_context *c, acc_result *result, const devices *d,
                        const tables *found, bool pooled)
{
  acc_points whole = {0}, all = {0};
  const char *title = pooled ? "batch from batch, with other models" : "batch from batch, fp32";
  acc_part *part = acc_part_new(c->arena, result, title);
  for (size_t i = 0; i < found->count; i++)
    for (size_t k = 0; k < found->count; k++) {
      const table *from = &found->at[i], *to = &found->at[k];
      if (i == k || from->device != to->device || strcmp(from->model, to->model))
        continue;
      ops learn = ops_of(c, from), measured = ops_of(c, to);
      for (size_t o = 0; pooled && o < found->count; o++)
        if (found->at[o].device == to->device && strcmp(found->at[o].model, to->model))
          add_all(c, &learn, ops_of(c, &found->at[o]));
      add_alone(c, d, &learn, sources, SOURCES, to->gpu);
      trained t = train(c, d->fp32, d->count, &learn);
      errors e = {0};
      compare(c, &t, &d->fp32[to->device], &measured, &e);
      add_table(
        c, part,
        ts_arena_printf(c->arena, "%s, %s, %d from %d", to->gpu, to->model, to->batch, from->batch),
        &e, &whole, &all);
    }
  acc_line_add(c->arena, part, "all", &all);
  acc_line_add(c->arena,
               acc_part_new(c->arena, result, ts_arena_printf(c->arena, "%s: whole models", title)),
               "all", &whole);
}

bool acc_operators(const acc_context *c)
{
  devices d = read_devices(c);
  tables found = find_tables(c, &d);
  if (!found.count) {
    printf("  skipped, there is no ops/optable_*.csv* with its ops/neusight_e2e.csv\n\n");
    return false;
  }
  other_device(c, c->result, &d, &found);
  other_batch(c, c->result, &d, &found, false);
  other_batch(c, c->result, &d, &found, true);
  acc_note_add(c->arena, c->result, "baseline", "the roofline");
  return true;
}
