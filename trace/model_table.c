/* Calls of a recorded step become rows: what tensors are decides what a call is. A parameter that
 * is cast or turned is still that parameter; what happens to inputs before the model sees them is
 * part of the input; views get a row where something takes them. */
#include "trace/model_table.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/hash_table.h"

/* What a tensor stands for: nothing yet, an input, a parameter or a buffer behind it, a row, or a
 * further output of one. */
typedef enum source_kind { UNSEEN, OUTSIDE, PARAMETER, BUFFER, ROW, PART } source_kind;
/* base: of a parameter or a buffer, the one held; of an input, the one of as many elements.
 * forward, backward: ns of what was done to it, which its taker gets. */
typedef struct model_table_source {
  source_kind kind;
  uint32_t row, base;
  int64_t forward, backward;
} model_table_source;

/* of: by tensor; owned: whether a row lists it as its parameter; needed: by call, whether it is
 * part of the model; names: of rows */
typedef struct model_table_maker {
  ts_arena *arena;
  ts_model_table *table;
  const ts_step *step;
  model_table_source *of;
  bool *owned, *needed;
  ts_hash_table names;
} model_table_maker;

/* ---- Names ---- */

static bool is_taken(const model_table_maker *m, const char *name)
{
  return ts_hash_find_text(&m->names, name, m->table->rows.at, sizeof *m->table->rows.at) !=
         TS_HASH_NONE;
}

static const char *bare(const char *op)
{
  const char *colons = strrchr(op, ':');
  return colons ? colons + 1 : op;
}

/* The module's path for the call that has its parameters; for others the operator behind it. Names
 * of rows hold neither semicolons nor blanks. */
static const char *model_table_name_of(const model_table_maker *m, const char *module,
                                       const char *op, bool owns)
{
  const char *name = !*module ? bare(op) :
                     owns     ? module :
                                ts_arena_printf(m->arena, "%s.%s", module, bare(op));
  char *plain = ts_arena_string(m->arena, name, strnlen(name, 200));
  for (char *c = plain; *c; c++)
    if (*c == ';' || *c == ',' || *c == '"' || (unsigned char)*c <= ' ')
      *c = '_';
  name = plain;
  for (uint32_t n = 2; is_taken(m, name); n++)
    name = ts_arena_printf(m->arena, "%s_%u", plain, n);
  return name;
}

/* ---- What tensors are ---- */

static uint32_t model_table_add_row(model_table_maker *m, ts_model_row row)
{
  uint32_t number = (uint32_t)m->table->rows.count;
  TS_PUSH(m->arena, &m->table->rows, row);
  ts_hash_add(m->arena, &m->names, ts_hash_text(row.name), number);
  return number;
}

static bool is_number(const ts_step_tensor *t)
{
  return strcmp(t->dims, "[]") == 0;
}

static bool counts(const ts_step_tensor *t)
{
  return strncmp(t->dtype, "int", 3) == 0 || strncmp(t->dtype, "uint", 4) == 0 ||
         strcmp(t->dtype, "bool") == 0;
}

/* Tensors are views of earlier ones, so this ends. */
static source_kind model_table_kind_of(const model_table_maker *m, uint32_t tensor)
{
  for (;; tensor = m->step->tensors.at[tensor].of) {
    const ts_step_tensor *t = &m->step->tensors.at[tensor];
    if (m->of[tensor].kind != UNSEEN)
      return m->of[tensor].kind;
    if (t->held != TS_HELD_NOT)
      return t->held == TS_HELD_PARAMETER ? PARAMETER : BUFFER;
    if (t->of == TS_STEP_NONE)
      return OUTSIDE;
  }
}

/* The parameter or buffer that a tensor is, cast or turned. Time of that goes to *row. */
static uint32_t base_of(model_table_maker *m, uint32_t tensor, ts_model_row *row)
{
  for (;; tensor = m->step->tensors.at[tensor].of) {
    model_table_source *s = &m->of[tensor];
    if (s->kind == PARAMETER || s->kind == BUFFER) {
      row->forward += s->forward;
      row->backward += s->backward;
      s->forward = s->backward = 0;
      return s->base;
    }
    if (m->step->tensors.at[tensor].of == TS_STEP_NONE)
      return tensor;
    row->backward += m->step->tensors.at[tensor].backward;
  }
}

static int64_t elements(const ts_step_tensor *t)
{
  int64_t n = 1;
  for (const char *p = t->dims; *p; p++)
    if (*p >= '0' && *p <= '9') {
      char *end;
      int64_t size = strtoll(p, &end, 10);
      n = size && n < INT64_MAX / 2 / (size + 1) ? n * size : 0;
      p = end - 1;
    }
  return n;
}

/* An input that was only given another shape: as it was before. */
static uint32_t origin_of(const model_table_maker *m, uint32_t tensor)
{
  const ts_step_tensor *all = m->step->tensors.at;
  for (int hops = 0;; hops++) { /* what is written in place may be its own input */
    uint32_t from = m->of[tensor].kind == OUTSIDE ? m->of[tensor].base : all[tensor].of;
    if (from == TS_STEP_NONE || from == tensor || hops == 64 ||
        elements(&all[from]) != elements(&all[tensor]))
      return tensor;
    tensor = from;
  }
}

static ts_model_row view_row(model_table_maker *m, uint32_t from, const ts_step_tensor *t,
                             const char *kind)
{
  const char *module = m->table->rows.at[from].module;
  ts_model_row row = {.name = model_table_name_of(m, module, kind, false),
                      .kind = kind,
                      .module = module,
                      .dtype = t->dtype,
                      .dims = t->dims};
  TS_PUSH(m->arena, &row.inputs, from);
  return row;
}

/* The row that gives a tensor. Inputs, views and further outputs get theirs when first asked for.
 */
static uint32_t model_table_row_of(model_table_maker *m, uint32_t tensor)
{
  const ts_step_tensor *t = &m->step->tensors.at[tensor];
  model_table_source *s = &m->of[tensor];
  if (s->kind == ROW)
    return s->row;
  ts_model_row row;
  if (s->kind == PART) {
    row = view_row(m, s->row, t, "part");
  } else if (model_table_kind_of(m, tensor) != OUTSIDE) {
    row = view_row(m, model_table_row_of(m, t->of), t, t->view);
    row.backward = t->backward;
  } else {
    uint32_t first = origin_of(m, tensor);
    if (strcmp(m->step->tensors.at[first].dims, t->dims) != 0) {
      row = view_row(m, model_table_row_of(m, first), t, "aten::view");
    } else {
      const char *kind = *t->view && t->of == TS_STEP_NONE ? t->view : "input";
      row = (ts_model_row){.name = model_table_name_of(m, "", kind, false),
                           .kind = kind,
                           .module = "",
                           .dtype = t->dtype,
                           .dims = t->dims};
    }
    row.forward = s->forward;
  }
  *s = (model_table_source){.kind = ROW, .row = model_table_add_row(m, row)};
  return s->row;
}

/* ---- Calls ---- */

/* how many inputs of a call are of each kind; sized: that are no single numbers */
typedef struct tally { uint32_t of[PART + 1], sized; } tally;

static tally tally_of(const model_table_maker *m, const ts_step_call *c)
{
  tally all = {0};
  for (uint32_t i = 0; i < c->in_count; i++) {
    all.of[model_table_kind_of(m, c->in[i])]++;
    all.sized += !is_number(&m->step->tensors.at[c->in[i]]);
  }
  return all;
}

static void model_table_give(model_table_maker *m, const ts_step_call *c, model_table_source s)
{
  for (uint32_t i = 0; i < c->out_count; i++, s.kind = s.kind == ROW ? PART : s.kind)
    if (m->step->tensors.at[c->out[i]].held == TS_HELD_NOT)
      m->of[c->out[i]] = s;
}

static bool is_one_of(const char *op, const char *const *names)
{
  for (; *names; names++)
    if (strcmp(op, *names) == 0)
      return true;
  return false;
}

static bool draws(const char *op)
{
  static const char *const names[] = {"randint", "rand", "randn", "randperm", NULL};
  return is_one_of(op, names);
}

static bool copies(const char *op)
{
  static const char *const names[] = {"_to_copy", "copy_", "clone", "to", "contiguous", NULL};
  return is_one_of(op, names);
}

/* Parameters that another row has are tied to it: the row's kind says so. */
static void take_parameters(model_table_maker *m, const ts_step_call *c, ts_model_row *row)
{
  bool tied = false;
  for (uint32_t i = 0; i < c->in_count; i++) {
    if (model_table_kind_of(m, c->in[i]) != PARAMETER)
      continue;
    uint32_t base = base_of(m, c->in[i], row);
    tied |= m->owned[base];
    if (m->owned[base])
      continue;
    m->owned[base] = true;
    m->table->parameters++;
    TS_PUSH(m->arena, &row->parameters, m->step->tensors.at[base].dims);
  }
  if (tied && !row->parameters.count)
    row->kind = ts_arena_printf(m->arena, "tied %s", row->kind);
}

static void take_inputs(model_table_maker *m, const ts_step_call *c, const tally *all,
                        ts_model_row *row)
{
  for (uint32_t i = 0; i < c->in_count; i++) {
    source_kind kind = model_table_kind_of(m, c->in[i]);
    bool number = is_number(&m->step->tensors.at[c->in[i]]) && all->sized;
    if (kind != PARAMETER && kind != BUFFER && !number) {
      uint32_t from = model_table_row_of(m, c->in[i]);
      TS_PUSH(m->arena, &row->inputs, from);
    }
  }
}

static void add_call(model_table_maker *m, const ts_step_call *c, const tally *all)
{
  const ts_step_tensor *y = &m->step->tensors.at[c->out[0]];
  ts_model_row row = {.kind = c->op,
                      .module = c->module,
                      .dtype = y->dtype,
                      .dims = y->dims,
                      .forward = c->forward,
                      .backward = c->backward,
                      .accumulate = c->accumulate,
                      .again = c->again};
  take_parameters(m, c, &row);
  take_inputs(m, c, all, &row);
  bool owns = row.parameters.count || strncmp(row.kind, "tied ", 5) == 0;
  row.name = model_table_name_of(m, c->module, c->op, owns);
  model_table_give(m, c, (model_table_source){.kind = ROW, .row = model_table_add_row(m, row)});
}

static void need(model_table_maker *m, bool *tensors, uint32_t tensor)
{
  for (; tensor != TS_STEP_NONE; tensor = m->step->tensors.at[tensor].of) tensors[tensor] = true;
}

/* Part of the model is what takes parameters or has a backward, and what leads there: not the zeros
 * of gradients, nor what the script makes of losses. */
static void find_needed(model_table_maker *m)
{
  bool *tensors = TS_NEW_ARRAY(m->arena, bool, m->step->tensors.count + 1);
  m->needed = TS_NEW_ARRAY(m->arena, bool, m->step->calls.count + 1);
  for (size_t i = m->step->calls.count; i-- > 0;) {
    const ts_step_call *c = &m->step->calls.at[i];
    bool needed = c->backward > 0;
    for (uint32_t k = 0; k < c->in_count && !needed; k++)
      needed = model_table_kind_of(m, c->in[k]) == PARAMETER;
    for (uint32_t k = 0; k < c->out_count; k++) needed |= tensors[c->out[k]];
    m->needed[i] = needed;
    for (uint32_t k = 0; k < c->in_count && needed; k++) need(m, tensors, c->in[k]);
  }
}

static void model_table_take_call(model_table_maker *m, const ts_step_call *c)
{
  tally all = tally_of(m, c);
  uint32_t moving = all.of[ROW] + all.of[PART], held = all.of[PARAMETER] + all.of[BUFFER];
  const char *op = bare(c->op);
  ts_model_row rest = {0};
  if (!c->out_count || !m->needed[c - m->step->calls.at]) {
    m->table->rest += c->forward + c->backward;
  } else if (!moving && !all.of[OUTSIDE] && held) {
    source_kind kind = all.of[PARAMETER] ? PARAMETER : BUFFER;
    uint32_t first = 0;
    while (model_table_kind_of(m, c->in[first]) != kind)
      first++;
    uint32_t base = base_of(m, c->in[first], &rest);
    model_table_give(m, c,
                     (model_table_source){.kind = kind,
                                          .base = base,
                                          .forward = rest.forward + c->forward,
                                          .backward = rest.backward + c->backward});
  } else if (!moving && !held && (all.of[OUTSIDE] ? counts(&m->step->tensors.at[c->out[0]]) ||
                                                      copies(op) :
                                                    draws(op))) {
    int64_t forward = c->forward;
    for (uint32_t i = 0; i < c->in_count; i++) {
      forward += m->of[c->in[i]].kind == OUTSIDE ? m->of[c->in[i]].forward : 0;
      m->of[c->in[i]].forward = 0;
    }
    model_table_give(m, c,
                     (model_table_source){.kind = OUTSIDE,
                                          .base = c->in_count ? c->in[0] : TS_STEP_NONE,
                                          .forward = forward});
  } else {
    add_call(m, c, &all);
  }
}

ts_model_table *ts_model_table_new(ts_arena *arena, const ts_step *step)
{
  model_table_maker m = {.arena = arena, .table = TS_NEW(arena, ts_model_table), .step = step};
  m.of = TS_NEW_ARRAY(arena, model_table_source, step->tensors.count + 1);
  m.owned = TS_NEW_ARRAY(arena, bool, step->tensors.count + 1);
  m.table->step = step;
  find_needed(&m);
  for (size_t i = 0; i < step->calls.count; i++)
    model_table_take_call(&m, &step->calls.at[i]);
  if (step->optimizer)
    model_table_add_row(&m, (ts_model_row){.name = model_table_name_of(&m, "", "optimizer", false),
                                           .kind = "optimizer",
                                           .dtype = "",
                                           .dims = "",
                                           .forward = step->optimizer});
  return m.table;
}

/* ---- The file ---- */

/* Nanoseconds as microseconds, whatever the locale. */
static void put_us(FILE *out, int64_t ns)
{
  fprintf(out, ",%" PRId64 ".%03d", ns / 1000, (int)(ns % 1000));
}

/* Dimension 0 is the batch where all inputs have it alike, one of them has no other, and another
 * has. */
static bool is_batch_first(const ts_model_table *t)
{
  size_t inputs = 0, vectors = 0, length = 0;
  const char *first = NULL;
  for (size_t i = 0; i < t->rows.count; i++) {
    const ts_model_row *r = &t->rows.at[i];
    if (strcmp(r->kind, "input") != 0)
      continue;
    first = first ? first : r->dims;
    length = length ? length : strcspn(first, ",]");
    if (strcspn(r->dims, ",]") != length || memcmp(r->dims, first, length) != 0)
      return false;
    inputs++;
    vectors += strchr(r->dims, ',') == NULL;
  }
  return length > 1 && vectors && vectors < inputs;
}

void ts_model_table_write(const ts_model_table *t, const char *source, FILE *out)
{
  int64_t rows = 0;
  for (size_t i = 0; i < t->rows.count; i++)
    rows += t->rows.at[i].forward + t->rows.at[i].backward + t->rows.at[i].accumulate;
  int64_t whole = rows + t->rest + t->step->again + t->step->other;
  double percent = whole ? (double)whole / 100 : 1;
  if (t->step->device)
    ts_put_text(out, "# device: %s\n", t->step->device);
  ts_put_text(out, "# source: %s\n", source);
  fprintf(out, "# pass %u of %u of a step", t->step->pass, t->step->passes);
  if (!t->step->untimed)
    fprintf(out,
            ", %.3f ms: %.1f %% below, %.1f %% recomputed in the backward, %.1f %% of no operator "
            "of the model",
            (double)whole / 1e6, (double)rows / percent, (double)t->step->again / percent,
            (double)(t->rest + t->step->other) / percent);
  fputs("\n", out);
  if (t->step->untimed)
    fprintf(out, "# times: none; 0.001 stands for a kernel\n# update: %.0f B\n",
            t->step->update_bytes);
  if (t->step->bucket_bytes > 0)
    fprintf(out, "# buckets: %.0f B\n", t->step->bucket_bytes);
  if (is_batch_first(t))
    fputs("# batch_dim: 0\n", out);
  bool again = t->step->again > 0;
  fputs("name,kind,inputs,output_shape,dtype,forward_us,backward_us,accumulate_us,parameters", out);
  fputs(again ? ",again\n" : "\n", out);
  for (size_t i = 0; i < t->rows.count; i++) {
    const ts_model_row *r = &t->rows.at[i];
    ts_put_csv(out, "%s,%s,", r->name, r->kind);
    for (size_t k = 0; k < r->inputs.count; k++)
      ts_put_text(out, k ? ";%s" : "%s", t->rows.at[r->inputs.at[k]].name);
    ts_put_csv(out, ",%s,%s", r->dims, r->dtype);
    put_us(out, r->forward);
    put_us(out, r->backward);
    put_us(out, r->accumulate);
    fputs(r->parameters.count ? ",\"[" : ",", out);
    for (size_t k = 0; k < r->parameters.count; k++)
      ts_put_text(out, k ? ",%s" : "%s", r->parameters.at[k]);
    fputs(r->parameters.count ? "]\"" : "", out);
    if (r->again)
      fprintf(out, ",%u\n", r->again);
    else
      fputs(again ? ",\n" : "\n", out);
  }
}
