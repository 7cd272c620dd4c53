/* Makes a table of costs of traces; format of the table: doc/costs.md. */
#include "trace/optable.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/source.h"
#include "trace/layers.h"
#include "trace/read/rank_graph.h"

enum { TENSORS = 16, DIMENSIONS = 8, LAYERS = 8 }; /* LAYERS: named in one cell */

/* of a tensor; each: bytes of an element, 0: no tensor */
typedef struct dims { int64_t at[DIMENSIONS]; uint32_t rank; int64_t each; } dims;
typedef enum product_class { NO_PRODUCT, MATRIX_PRODUCT, CONVOLUTION } product_class;
/* Of one run of an operator. gradient: time of kernels that are known to make that of the input,
 * that of the weight; tf32: one of them rounds its operands so; one_kernel: all are the same. */
typedef struct optable_sums {
  int64_t time, gradient[2];
  uint32_t kernels;
  uint32_t kernel;
  uint8_t kind;
  bool tf32, one_kernel;
} optable_sums;
typedef struct optable_sample {
  const char *key, *op, *kernel, *phase, *layer;
  int64_t time;
  product_class class;
  bool fp32;
} optable_sample;
/* tf32: by class */
typedef struct optable_maker {
  ts_arena *arena;
  ts_op_table *table;
  const ts_events *e;
  TS_VEC(optable_sample) samples;
  bool tf32[3];
} optable_maker;

/* ---- Shapes ---- */

/* "[[64,32],[],[[2],[3]]]": top-level entries in order; lists of lists are no tensors. */
static uint32_t take_dims(const char *text, dims *tensors)
{
  uint32_t count = 0, depth = 0;
  bool nested = false;
  for (; *text; text++) {
    if (*text == '[') {
      depth++;
      if (depth == 2 && count < TENSORS)
        tensors[count] = (dims){.rank = 0};
      nested = depth > 2 || (depth == 2 ? false : nested);
    } else if (*text == ']') {
      if (depth == 2 && count < TENSORS) {
        tensors[count].rank = nested ? DIMENSIONS + 1 : tensors[count].rank;
        count++;
      }
      depth -= depth > 0;
    } else if (depth == 2 && *text >= '0' && *text <= '9' && count < TENSORS) {
      char *end;
      int64_t value = strtoll(text, &end, 10);
      if (tensors[count].rank < DIMENSIONS && value >= 0 && value < 1LL << 40)
        tensors[count].at[tensors[count].rank++] = value;
      else
        tensors[count].rank = DIMENSIONS + 1;
      text = end - 1;
    }
  }
  return count;
}

/* The type of each tensor; the name of the first goes to *first. */
static void take_types(const char *text, dims *tensors, uint32_t count, const char **first)
{
  uint32_t i = 0, depth = 0;
  bool counted = false;
  for (; *text && i < count; text++)
    if (*text == '[') {
      depth++;
    } else if (*text == ']') {
      depth -= depth > 0;
    } else if (*text == ',' && depth == 1) {
      i += !counted ? 1 : 0;
      counted = false;
    } else if (*text == '"') {
      const char *end = strchr(text + 1, '"');
      char type[32] = "";
      if (!end)
        return;
      if ((size_t)(end - text) < sizeof type)
        memcpy(type, text + 1, (size_t)(end - text - 1));
      int64_t each = depth == 1 ? ts_scalar_bytes(type) : -1;
      tensors[i].each = each > 0 && tensors[i].rank <= DIMENSIONS ? each : 0;
      if (each > 0 && !*first)
        *first = ts_scalar_name(type);
      text = end;
    }
}

static double elements(const dims *t)
{
  double product = t->each ? 1 : 0;
  for (uint32_t i = 0; i < t->rank && t->each; i++) product *= (double)t->at[i];
  return product;
}

/* Bytes read and written: inputs, and an output of the size of the largest of them; a copy writes
 * its first input, a fill does not read it. */
static double optable_bytes_of(const char *op, const dims *t, uint32_t count)
{
  double sum = 0, most = 0;
  for (uint32_t i = 0; i < count; i++) {
    double bytes = elements(&t[i]) * (double)t[i].each;
    sum += bytes;
    most = bytes > most ? bytes : most;
  }
  if (strcmp(op, "copy_") == 0)
    return sum;
  return strcmp(op, "fill_") == 0 || strcmp(op, "zero_") == 0 ? most : sum + most;
}

/* m, n, k and count of a matrix product by the operator's inputs. */
static bool product_of(const char *op, const dims *t, uint32_t count, int64_t mnk[4])
{
  static const struct {
    const char *name;
    uint32_t first, rank;
  } products[] = {
    {"mm", 0, 2}, {"addmm", 1, 2}, {"bmm", 0, 3}, {"baddbmm", 1, 3}, {"addmm_", 1, 2}};
  for (size_t i = 0; i < sizeof products / sizeof *products; i++) {
    uint32_t f = products[i].first, r = products[i].rank;
    if (strcmp(products[i].name, op) != 0)
      continue;
    if (count < f + 2 || t[f].rank != r || t[f + 1].rank != r)
      return false;
    mnk[0] = t[f].at[r - 2];
    mnk[1] = t[f + 1].at[r - 1];
    mnk[2] = t[f].at[r - 1];
    mnk[3] = r == 3 ? t[f].at[0] : 1;
    return mnk[0] && mnk[1] && mnk[2] && mnk[3];
  }
  return false;
}

/* The numbers of the i-th argument of `["","","[1,1]","2"]`, one for each of `rank` dimensions; a
 * single one stands for all. */
static bool take_numbers(const char *arguments, uint32_t i, uint32_t rank, int64_t *values)
{
  for (; i && arguments; i--) { /* arguments are quoted, and hold no quotes */
    arguments = strchr(arguments, '"');
    arguments = arguments ? strchr(arguments + 1, '"') : NULL;
    arguments = arguments ? arguments + 1 : NULL;
  }
  const char *at = arguments ? strchr(arguments, '"') : NULL;
  uint32_t count = 0;
  if (!at)
    return false;
  for (at++; *at && *at != '"';) {
    char *end;
    if (*at == '[' || *at == ',' || *at == ']') {
      at++;
      continue;
    }
    int64_t value = strtoll(at, &end, 10);
    if (end == at || value < 0 || value > 1 << 20 || count == DIMENSIONS)
      return false;
    values[count++] = value;
    at = end;
  }
  for (; count && count < rank; count++) values[count] = values[0];
  return count && count >= rank;
}

/* m, n, k and count of a convolution as the matrix product it is (positions of the output, channels
 * out, channels in × taps; one for each group of channels). Arguments as PyTorch's
 * native_functions.yaml has them; a backward is given the gradient of its output, whose sizes are
 * the output's. */
static bool convolution_of(const char *op, const dims *t, uint32_t count, const char *arguments,
                           int64_t mnk[4])
{
  static const struct {
    const char *name;
    uint32_t input, stride, padding, dilation;
  } convolutions[] = {{"convolution_backward", 1, 0, 0, 0},
                      {"cudnn_convolution", 0, 3, 2, 4},
                      {"miopen_convolution", 0, 4, 3, 5},
                      {"mkldnn_convolution", 0, 4, 3, 5},
                      {"cudnn_convolution_relu", 0, 3, 4, 5},
                      {"_convolution", 0, 3, 4, 5},
                      {"convolution", 0, 3, 4, 5},
                      {"convolution_overrideable", 0, 3, 4, 5}};
  for (size_t i = 0; i < sizeof convolutions / sizeof *convolutions; i++) {
    uint32_t in = convolutions[i].input;
    if (strcmp(convolutions[i].name, op) != 0)
      continue;
    if (count < in + 2 || t[in].rank < 3 || t[in].rank > DIMENSIONS || t[in + 1].rank != t[in].rank)
      return false;
    const dims *x = &t[in], *w = &t[in + 1];
    uint32_t rank = x->rank - 2;
    int64_t stride[DIMENSIONS], padding[DIMENSIONS], dilation[DIMENSIONS];
    bool given = in == 1;
    if (given ? t[0].rank != x->rank || t[0].at[0] != x->at[0] || t[0].at[1] != w->at[0] :
                !take_numbers(arguments, convolutions[i].stride, rank, stride) ||
                  !take_numbers(arguments, convolutions[i].padding, rank, padding) ||
                  !take_numbers(arguments, convolutions[i].dilation, rank, dilation))
      return false;
    int64_t groups = w->at[1] ? x->at[1] / w->at[1] : 0;
    /* a transposed one, for example */
    if (groups < 1 || groups * w->at[1] != x->at[1] || w->at[0] % groups)
      return false;
    double m = (double)x->at[0], k = (double)w->at[1];
    for (uint32_t d = 0; d < rank; d++) {
      if (!given && !stride[d])
        return false;
      m *= given ? (double)t[0].at[d + 2] :
                   (double)((x->at[d + 2] + 2 * padding[d] - dilation[d] * (w->at[d + 2] - 1) - 1) /
                              stride[d] +
                            1);
      k *= (double)w->at[d + 2];
    }
    if (m < 1 || m > 1e15 || k < 1 || k > 1e15)
      return false;
    mnk[0] = (int64_t)m, mnk[1] = w->at[0] / groups, mnk[2] = (int64_t)k, mnk[3] = groups;
    return mnk[1] > 0;
  }
  return false;
}

/* ---- Samples ---- */

static bool moves_only(uint8_t kind)
{
  return kind == TS_KERNEL_ELEMENTWISE || kind == TS_KERNEL_NORM || kind == TS_KERNEL_SOFTMAX ||
         kind == TS_KERNEL_COPY || kind == TS_KERNEL_FILL || kind == TS_KERNEL_INDEXING;
}

/* The cells of a table hold no commas and no control characters. */
static const char *cell(ts_arena *arena, const char *text)
{
  char *copy = ts_arena_string(arena, text, strnlen(text, 120));
  for (char *c = copy; *c; c++)
    if (*c == ',' || *c == '"' || (unsigned char)*c < ' ')
      *c = ';';
  return copy;
}

/* ---- What names of kernels say ---- */

static bool optable_named(const char *kernel, const char *const *parts)
{
  for (; *parts; parts++)
    if (strstr(kernel, *parts))
      return true;
  return false;
}

static void add_kernel(const optable_maker *m, optable_sums *s, uint32_t name, int64_t time,
                       uint8_t kind)
{
  /* cuDNN's, MIOpen's */
  static const char *const gradient[2][3] = {{"dgrad", "_bwd_", NULL}, {"wgrad", "_wrw_", NULL}};
  /* m16n8k8 with operands of 4 bytes is TF32 (PTX ISA, mma) */
  static const char *const tf32[] = {"tf32", "_s1688", NULL};
  const char *text = ts_events_text(m->e, name);
  s->one_kernel = !s->kernels || (s->one_kernel && s->kernel == name);
  if (!s->kernels || kind > s->kind)
    s->kernel = name;
  s->kind = s->kernels && s->kind != kind ? TS_KERNEL_OTHER : kind;
  for (int g = 0; g < 2; g++)
    s->gradient[g] += optable_named(text, gradient[g]) ? time : 0;
  s->tf32 |= optable_named(text, tf32);
  s->time += time;
  s->kernels++;
}

/* A backward of a convolution is both gradients in one operator. Where names of kernels distinguish
 * them apart it is two products, as ops ask for them: what the other kernels take (layouts, zeros,
 * the bias) goes to both in proportion. */
static void add_gradients(optable_maker *m, optable_sample row, const char *dtype,
                          const int64_t mnk[4], const optable_sums *s)
{
  const int64_t sizes[2][3] = {{mnk[0], mnk[2], mnk[1]}, {mnk[1], mnk[2], mnk[0]}};
  double first = (double)s->gradient[0] / (double)(s->gradient[0] + s->gradient[1]);
  int64_t input = (int64_t)(first * (double)s->time);
  for (int g = 0; g < 2; g++) {
    row.time = g ? s->time - input : input;
    row.key = ts_arena_printf(m->arena, "conv,%s,%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",",
                              dtype, sizes[g][0], sizes[g][1], sizes[g][2], mnk[3]);
    if (s->gradient[g])
      TS_PUSH(m->arena, &m->samples, row);
  }
}

/* Under TF32 allowed, a library takes it where it is faster: all products of fp32 of the recording
 * are of that kind, also those for which it was not. */
static void label_tf32(optable_maker *m)
{
  for (size_t i = 0; i < m->samples.count; i++) {
    optable_sample *s = &m->samples.at[i];
    const char *rest = strchr(s->key, ',');
    if (s->fp32 && m->tf32[s->class])
      s->key = ts_arena_printf(m->arena, "%.*s,tf32%s", (int)(rest - s->key), s->key,
                               strchr(rest + 1, ','));
  }
  m->table->tf32_products = m->tf32[MATRIX_PRODUCT];
  m->table->tf32_convolutions = m->tf32[CONVOLUTION];
}

/* ---- Rows ---- */

static void add_sample(optable_maker *m, const ts_event *v, const ts_shapes *shapes,
                       const optable_sums *s, const char *layer)
{
  dims tensors[TENSORS];
  const char *dtype = NULL, *full = ts_events_text(m->e, v->name), *colons = strstr(full, "::");
  const char *op = colons ? colons + 2 : full;
  int64_t mnk[4];
  uint32_t count = take_dims(ts_events_text(m->e, shapes->dims), tensors);
  take_types(ts_events_text(m->e, shapes->types), tensors, count, &dtype);
  double bytes = optable_bytes_of(op, tensors, count);
  if (!dtype || bytes <= 0 || bytes > 1e15)
    return;
  optable_sample row = {.op = cell(m->arena, full),
                        .kernel = cell(m->arena, ts_events_text(m->e, s->kernel)),
                        .layer = layer,
                        .time = s->time};
  row.phase = v->flags & TS_EVENT_BACKWARD ? "backward" : "forward";
  row.fp32 = strcmp(dtype, "fp32") == 0;
  row.class = product_of(op, tensors, count, mnk) ? MATRIX_PRODUCT :
              convolution_of(op, tensors, count, ts_events_text(m->e, shapes->arguments), mnk) ?
                                                    CONVOLUTION :
                                                    NO_PRODUCT;
  m->tf32[row.class] |= row.fp32 && row.class && s->tf32;
  m->table->covered += s->time;
  if (row.class == CONVOLUTION && s->gradient[0] + s->gradient[1] > 0 &&
      strcmp(op, "convolution_backward") == 0) {
    add_gradients(m, row, dtype, mnk, s);
    return;
  }
  if (row.class == MATRIX_PRODUCT)
    row.key = ts_arena_printf(m->arena, "gemm,%s,%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",",
                              dtype, mnk[0], mnk[1], mnk[2], mnk[3]);
  else if (row.class == CONVOLUTION)
    row.key = ts_arena_printf(m->arena, "%s,%s,%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",",
                              strcmp(op, "convolution_backward") ? "conv" : op, dtype, mnk[0],
                              mnk[1], mnk[2], mnk[3]);
  else
    row.key = ts_arena_printf(
      m->arena, "%s,%s,,,,,%.0f",
      s->one_kernel && moves_only(s->kind) ? "elementwise" : cell(m->arena, op), dtype, bytes);
  TS_PUSH(m->arena, &m->samples, row);
}

static void take_trace(optable_maker *m)
{
  const ts_events *e = m->e;
  ts_arena *work = ts_arena_new("operators");
  optable_sums *of = TS_NEW_ARRAY(work, optable_sums, e->count + 1);
  for (uint32_t i = 0; i < e->device_count; i++) {
    const ts_event *v = ts_event_at(e, e->device[i]);
    int64_t time = v->duration > 0 ? v->duration : 0;
    uint32_t op = v->op;
    m->table->device += time;
    if (v->kind == TS_KERNEL_COMMUNICATION) {
      m->table->communication += time;
      continue;
    }
    for (int up = 0; up < 64 && op != TS_EVENT_NONE &&
                     (ts_event_at(e, op)->detail == TS_EVENT_NONE ||
                      ts_event_at(e, op)->kind != TS_OPERATOR_PLAIN);
         up++)
      op = ts_event_at(e, op)->op;
    if (op == TS_EVENT_NONE || ts_event_at(e, op)->detail == TS_EVENT_NONE) {
      *(v->op == TS_EVENT_NONE ? &m->table->unlinked : &m->table->shapeless) += time;
      continue;
    }
    add_kernel(m, &of[op], v->name, time, v->kind);
  }
  TS_VEC(uint32_t) ran = {0};
  for (uint32_t i = 0; i < e->count; i++)
    if (of[i].time > 0)
      TS_PUSH(work, &ran, i);
  const char **layers = TS_NEW_ARRAY(work, const char *, ran.count + 1);
  ts_layers_name(m->arena, e, ran.at, (uint32_t)ran.count, false, layers);
  for (size_t i = 0; i < ran.count; i++) {
    const ts_event *v = ts_event_at(e, ran.at[i]);
    add_sample(m, v, &e->shapes.at[v->detail], &of[ran.at[i]], cell(m->arena, layers[i]));
  }
  ts_arena_free(work);
}

/* A graph's nodes are the operators themselves. */
static void take_graph(optable_maker *m)
{
  const ts_events *e = m->e;
  for (uint32_t i = 0; i < e->count && i < e->graph->facts.count; i++) {
    const ts_event *v = ts_event_at(e, i);
    const ts_graph_facts *f = &e->graph->facts.at[i];
    if (v->class != TS_EVENT_DEVICE || v->duration <= 0)
      continue;
    m->table->device += v->duration;
    if (v->kind == TS_KERNEL_COMMUNICATION)
      m->table->communication += v->duration;
    else if (f->in == TS_EVENT_NONE)
      m->table->shapeless += v->duration;
    else {
      optable_sums one = {0};
      add_kernel(m, &one, v->name, v->duration, v->kind);
      add_sample(m, v, &e->shapes.at[f->in], &one, cell(m->arena, ts_events_text(e, f->module)));
    }
  }
}

static int by_key_and_time(const void *a, const void *b)
{
  const optable_sample *x = a, *y = b;
  int order = strcmp(x->key, y->key);
  if (!order)
    order = (x->time > y->time) - (x->time < y->time);
  if (!order)
    order = strcmp(x->op, y->op);
  return order ? order : strcmp(x->kernel, y->kernel);
}

/* "conv2d#2" before "conv2d#10". */
static int by_layer(const void *a, const void *b)
{
  const char *x = *(const char *const *)a, *y = *(const char *const *)b;
  size_t m = strlen(x), n = strlen(y);
  return m != n ? (m < n ? -1 : 1) : strcmp(x, y);
}

/* The layers of samples, each once: the first few, and how many more. */
static const char *layers_of(ts_arena *arena, const optable_sample *samples, size_t count)
{
  ts_arena *work = ts_arena_new("layers");
  TS_VEC(const char *) names = {0};
  size_t distinct = 0;
  const char *text = "";
  for (size_t i = 0; i < count; i++) TS_PUSH(work, &names, samples[i].layer);
  TS_SORT(&names, by_layer);
  for (size_t i = 0; i < count; i++)
    if ((!i || strcmp(names.at[i], names.at[i - 1]) != 0) && distinct++ < LAYERS)
      text = ts_arena_printf(arena, "%s%s%s", text, *text ? " " : "", names.at[i]);
  ts_arena_free(work);
  return distinct > LAYERS ? ts_arena_printf(arena, "%s +%zu", text, distinct - LAYERS) : text;
}

ts_op_table *ts_op_table_new(ts_arena *arena, const ts_events *const *traces, uint32_t count)
{
  optable_maker m = {.arena = arena, .table = TS_NEW(arena, ts_op_table)};
  for (uint32_t i = 0; i < count; i++) {
    m.e = traces[i];
    if (m.e->format == TS_TRACE_GRAPH)
      take_graph(&m);
    else
      take_trace(&m);
  }
  label_tf32(&m);
  if (m.samples.count)
    TS_SORT(&m.samples, by_key_and_time);
  for (size_t i = 0, end; i < m.samples.count; i = end) {
    for (end = i + 1;
         end < m.samples.count && strcmp(m.samples.at[end].key, m.samples.at[i].key) == 0;)
      end++;
    size_t n = end - i;
    const optable_sample *middle = &m.samples.at[i + n / 2];
    int64_t median = n % 2 ? middle->time : (middle->time + middle[-1].time) / 2;
    TS_PUSH(arena, &m.table->rows,
            (ts_op_row){middle->key, middle->op, middle->kernel, middle->phase,
                        layers_of(arena, &m.samples.at[i], n), (uint32_t)n,
                        m.samples.at[i + n / 4].time, median,
                        m.samples.at[i + n - 1 - n / 4].time});
  }
  return m.table;
}

/* Nanoseconds as microseconds, whatever the locale. */
static void put_us(FILE *out, int64_t ns)
{
  fprintf(out, ",%" PRId64 ".%03d", ns / 1000, (int)(ns % 1000));
}

void ts_op_table_write(const ts_op_table *t, const ts_events *const *traces, uint32_t count,
                       FILE *out)
{
  for (uint32_t i = 0; i < count; i++) {
    const ts_events *e = traces[i];
    const char *device =
      e->devices.count ? ts_events_text(e, e->devices.at[0].name) : "device not known";
    if (e->devices.count &&
        (!i || !traces[i - 1]->devices.count ||
         strcmp(device, ts_events_text(traces[i - 1], traces[i - 1]->devices.at[0].name)) != 0))
      ts_put_text(out, "# device: %s\n", device);
    ts_put_text(out, "# source: %s (%s), %s\n", ts_base_name(e->file),
                ts_trace_format_name(e->format), device);
    if (e->shapes_from)
      ts_put_text(out, "# shapes of %u operators: %s, by %s\n", e->shapes_taken,
                  ts_base_name(e->shapes_from),
                  e->shapes_by_number ? "record function id" : "name and order");
  }
  double whole = t->device ? (double)t->device / 100 : 1;
  fprintf(out,
          "# device time %.3f ms: %.1f %% below, %.1f %% communication, %.1f %% without an "
          "operator, %.1f %% without shapes\n",
          (double)t->device / 1e6, (double)t->covered / whole, (double)t->communication / whole,
          (double)t->unlinked / whole, (double)t->shapeless / whole);
  if (t->tf32_products || t->tf32_convolutions)
    ts_put_text(out, "# recorded with TF32 allowed in %s\n",
                !t->tf32_products    ? "convolutions" :
                t->tf32_convolutions ? "matrix products and convolutions" :
                                       "matrix products");
  fputs("# time_us: median over `repeats`, low_us and high_us the quartiles; bytes: inputs and an "
        "output as large as the largest of them\n",
        out);
  fputs(
    "family,dtype,m,n,k,count,bytes,time_us,repeats,low_us,high_us,phase,layer,operator,kernel\n",
    out);
  for (size_t i = 0; i < t->rows.count; i++) {
    const ts_op_row *r = &t->rows.at[i];
    ts_put_raw(out, r->key);
    put_us(out, r->median);
    fprintf(out, ",%u", r->repeats);
    put_us(out, r->low);
    put_us(out, r->high);
    ts_put_csv(out, ",%s,%s,%s,%s\n", r->phase, r->layers, r->op, r->kernel);
  }
}
