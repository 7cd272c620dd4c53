/* What rows of a traced table are: ops, values, parameters; which of them are the layer that
 * repeats; which dimension is the batch. */
#include "compiler/model/traced_internal.h"

#include <stdlib.h>

#include "base/order.h"
#include "compiler/eval/module.h"

/* A row without a kernel took what it takes to launch and time one; every timed row holds that much
 * too much. */
void ts_traced_floor(ts_tracer *t)
{
  double *at = TS_NEW_ARRAY(t->s->arena, double, t->rows.count);
  uint32_t n = 0;
  for (uint32_t i = 0; i < t->rows.count; i++)
    if (t->rows.at[i].forward > 0 && ts_patterns_match(&t->map.floor, t->rows.at[i].kind))
      at[n++] = t->rows.at[i].forward;
  if (!n)
    return;
  qsort(at, n, sizeof *at, ts_by_double);
  t->floor = n % 2 ? at[n / 2] : (at[n / 2 - 1] + at[n / 2]) / 2;
}

/* Time on the device. Rows that launch nothing stay within two fifths of the floor, the smallest
 * kernels are beyond. */
double ts_traced_device_time(const ts_tracer *t, double seconds)
{
  return seconds > 1.4 * t->floor ? seconds - t->floor : 0;
}

/* A tensor that the model holds is a row that did nothing, named by its path. */
static bool is_persistent(const ts_row *row)
{
  const char *a = row->name, *b = row->kind;
  if (row->input_count || row->forward > 0 || row->backward > 0 || !row->dtype || !strchr(b, '.'))
    return false;
  for (; *a && *b; a++, b++)
    if (*a != *b && !(*a == '_' && *b == '.'))
      return false;
  return !*a && !*b;
}

/* A weight is one of numbers that learn. */
static bool is_parameter(const ts_row *row)
{
  return is_persistent(row) && ts_dtype_is_float(row->dtype);
}

static bool holds_tensor(const ts_tracer *t, uint32_t row)
{
  return t->places[row].role <= TS_ROW_CONSTANT && t->places[row].role != TS_ROW_PARAMETER;
}

/* The tensor an input stands for: its own, or that of which a list was made. */
uint32_t ts_traced_tensor_row(const ts_tracer *t, uint32_t row)
{
  for (uint32_t hops = 0; hops < 8 && !holds_tensor(t, row); hops++) {
    const ts_row *r = &t->rows.at[row];
    if (!ts_patterns_match(&t->map.lists, r->kind) || !r->input_count)
      return TS_ROW_NONE;
    row = r->input[0];
  }
  return holds_tensor(t, row) ? row : TS_ROW_NONE;
}

static bool takes_tensor(const ts_tracer *t, const ts_row *row)
{
  for (uint32_t i = 0; i < row->input_count; i++)
    if (ts_traced_tensor_row(t, row->input[i]) != TS_ROW_NONE)
      return true;
  return false;
}

static ts_row_role role_of(const ts_tracer *t, const ts_row *row)
{
  if (row->stage != TS_ROW_FORWARD || ts_patterns_match(&t->map.ignored, row->kind) ||
      ts_patterns_match(&t->map.optimizer, row->kind))
    return TS_ROW_SKIPPED;
  if (row->given || ts_patterns_match(&t->map.given, row->kind))
    return row->dtype ? TS_ROW_GIVEN : TS_ROW_VALUE;
  if (is_parameter(row))
    return TS_ROW_PARAMETER;
  if (!row->dtype)
    return TS_ROW_VALUE;
  if (takes_tensor(t, row))
    return TS_ROW_OP;
  return ts_shape_elements(row->output) > 1 ? TS_ROW_CONSTANT : TS_ROW_VALUE;
}

/* The module a row belongs to: its kind when that is a path, else that of its first weight, else
 * its name; NULL if none is a path. */
static const char *path_of(ts_tracer *t, const ts_row *row)
{
  if (ts_patterns_match(&t->map.given, row->kind))
    return NULL;
  if (strchr(row->kind, '.'))
    return row->kind;
  for (uint32_t i = 0; i < row->input_count; i++)
    if (t->places[row->input[i]].role == TS_ROW_PARAMETER) {
      const char *kind = t->rows.at[row->input[i]].kind;
      return ts_lang_intern(t->s->lang, kind, (size_t)(strrchr(kind, '.') - kind));
    }
  return strchr(row->name, '.') ? row->name : NULL;
}

/* Behind the number of the layer in a path (`.0.`), or NULL. */
static const char *behind_number(const char *path)
{
  for (const char *dot = path ? strchr(path, '.') : NULL; dot; dot = strchr(dot + 1, '.')) {
    size_t digits = strspn(dot + 1, "0123456789");
    if (digits && dot[1 + digits] == '.')
      return dot + digits + 2;
  }
  return NULL;
}

static const char *label_of(ts_tracer *t, const ts_row *row, const char *path, ts_names *seen)
{
  const char *rest = t->layered ? behind_number(path) : NULL, *label = rest ? rest :
                                                                       path ? path :
                                                                              row->name;
  /* in a table of all layers the path to this one stays */
  const char *inside = behind_number(path);
  for (size_t i = 0; i < t->map.labels.count; i++)
    if (ts_patterns_match(&t->map.labels.at[i].path, path ? path : row->name)) {
      label = t->map.labels.at[i].label;
      if (inside && !t->layered)
        label = ts_arena_printf(t->s->arena, "%.*s%s", (int)(inside - path), path, label);
      break;
    }
  label = ts_traced_intern(t, label);
  if (ts_names_get(seen, label)) /* a second row of the module */
    label = ts_traced_intern(t, ts_arena_printf(t->s->arena, "%s.%s", label, row->name));
  ts_names_put(t->s->arena, seen, label, row);
  return label;
}

uint32_t ts_traced_entry(const ts_tracer *t, const char *kind, uint32_t from)
{
  for (uint32_t i = from; i < t->map.entries.count; i++)
    if (ts_patterns_match(&t->map.entries.at[i].kind, kind))
      return i;
  return TS_ROW_NONE;
}

static bool dropped(ts_tracer *t, const ts_row *row, const char *what, const char *here,
                    const char *help)
{
  ts_diag *d = ts_diag_add(t->s->diags, TS_E0522, row->span, "the row `%s` of kind `%s` %s",
                           row->name, row->kind, what);
  ts_diag_here(d, "%s", here);
  ts_diag_note_at(d, t->model->span, "the trace is read here");
  ts_diag_help(d, "%s", help);
  return false;
}

/* A row that becomes no op must be known to be none: an empty cell must not make one of it. */
static bool check_role(ts_tracer *t, const ts_row *row, ts_row_role role)
{
  bool known = row->given || ts_patterns_match(&t->map.given, row->kind) ||
               ts_patterns_match(&t->map.constants, row->kind) ||
               ts_patterns_match(&t->map.values, row->kind);
  if (role != TS_ROW_CONSTANT && role != TS_ROW_VALUE)
    return true;
  if (!row->input_count && !known && !is_persistent(row))
    return dropped(t, row, "takes nothing", "`inputs` is empty",
                   "name the rows it takes, or list its kind in the mapping: in `given` (inputs of "
                   "the model) or `constants` (no inputs)");
  if (role == TS_ROW_VALUE && !row->dtype && takes_tensor(t, row) && !known &&
      !ts_patterns_match(&t->map.lists, row->kind))
    return dropped(t, row, "states no number format", "`dtype` is empty, and it takes a tensor",
                   "state the `dtype` of its output; or list its kind in `values` of the mapping, "
                   "if the output is not a tensor");
  if (row->backward > 0)
    return dropped(t, row, "has a backward but is not an op", "its `backward_us` would be lost",
                   "state its `inputs` and `dtype`, or write 0");
  return true;
}

/* The plan computes in a format that the table was not recorded in (W0532): times and activations
 * stay as they were. */
void ts_traced_formats(ts_tracer *t)
{
  const ts_dtype *compute = t->plan->precision.compute;
  TS_VEC(const char *) formats = {0};
  if (!t->plan->precision.stated)
    return;
  for (uint32_t i = 0; i < t->rows.count; i++) {
    const ts_dtype *dtype = t->places[i].role == TS_ROW_OP ? t->rows.at[i].dtype : NULL;
    if (dtype == compute)
      return;
    bool seen = !ts_dtype_is_float(dtype);
    for (size_t k = 0; k < formats.count && !seen; k++)
      seen = formats.at[k] == dtype->name;
    if (!seen)
      TS_PUSH(t->s->arena, &formats, dtype->name);
  }
  if (!formats.count)
    return;
  ts_span at = t->plan->span_of[TS_PLAN_precision];
  ts_diag *d = ts_diag_add(t->s->diags, TS_W0532, at.file ? at : t->model->span,
                           "`%s` was recorded in %s, and the plan computes in `%s`", t->rows.name,
                           ts_listed(t->s->arena, formats.at, formats.count), compute->name);
  ts_diag_here(d, "times and activations stay as recorded; only the parameters follow the plan");
  ts_diag_note_at(d, t->model->span, "the trace is read here");
  ts_diag_help(d, "take a table recorded in `%s`, or give the plan the precision of the recording",
               compute->name);
}

bool ts_traced_place(ts_tracer *t)
{
  ts_names seen = {0};
  t->places = TS_NEW_ARRAY(t->s->arena, ts_traced_row, t->rows.count);
  for (uint32_t i = 0; i < t->rows.count; i++) {
    const ts_row *row = &t->rows.at[i];
    ts_traced_row *p = &t->places[i];
    t->lists_parameters |= row->parameter_count > 0;
    p->role = role_of(t, row);
    p->path = path_of(t, row);
    p->entry = ts_traced_entry(t, row->kind, 0);
    if (!check_role(t, row, p->role))
      return false;
    if (p->role == TS_ROW_OP)
      p->label = label_of(t, row, p->path, &seen);
    if (row->stage == TS_ROW_OPTIMIZER || ts_patterns_match(&t->map.optimizer, row->kind))
      t->g->optimizer_seconds += t->rows.untimed ? 0 : row->forward + row->backward;
  }
  return true;
}

static bool no_batch(ts_tracer *t, ts_span at, const ts_row *row, int64_t dimension)
{
  ts_diag *d =
    ts_diag_add(t->s->diags, TS_E0523, at, "`%s` has no dimension %lld that could be the batch",
                row->name, (long long)dimension);
  ts_diag_here(d, "its shape is %s",
               ts_value_print(t->s->arena, ts_shape_value(t->s->arena, row->output, row->span)));
  ts_diag_help(d, "dimensions count from 0");
  return false;
}

/* Nobody says which dimension is the batch, and the plan has another one: W0533. */
static void report_batch(ts_tracer *t, const ts_row *row, const char *why)
{
  ts_diag *d =
    ts_diag_add(t->s->diags, TS_W0533, t->model->span,
                "dimension %u of `%s` is assumed to be the batch%s", t->batch_dim, row->name, why);
  ts_diag_here(d, "its shape is %s, and times are scaled to the micro-batch of %lld",
               ts_value_print(t->s->arena, ts_shape_value(t->s->arena, row->output, row->span)),
               (long long)t->plan->micro_batch);
  ts_diag_help(d, "state it: `batch_dim: %u`, or a line `# batch_dim: %u` in the table",
               t->batch_dim, t->batch_dim);
}

/* The batch: what the plan or the table says; else dimension 0 of the first input, or 1 where 0 is
 * as long as the plan's sequence and 1 is not. */
bool ts_traced_batch(ts_tracer *t)
{
  const ts_value *option = ts_record_find(&t->model->args, "batch_dim");
  const ts_row *row = NULL;
  bool stated = (option && option->type == TS_T_INT) || t->rows.batch_dim >= 0;
  for (uint32_t i = 0; i < t->rows.count && !row; i++)
    if (t->places[i].role == TS_ROW_GIVEN && t->rows.at[i].output.rank)
      row = &t->rows.at[i];
  if (!row)
    return true;
  int64_t dimension = option && option->type == TS_T_INT ? option->u.integer :
                      t->rows.batch_dim >= 0             ? t->rows.batch_dim :
                                                           0;
  const int64_t *dim = row->output.dim;
  double tokens = t->plan->tokens_per_sample;
  if (dimension < 0 || dimension >= row->output.rank)
    return no_batch(t, option ? option->span : t->model->span, row, dimension);
  bool second =
    row->output.rank > 1 && tokens > 0 && (double)dim[0] == tokens && (double)dim[1] != tokens;
  bool first =
    row->output.rank == 1 || (tokens > 0 && (double)dim[1] == tokens && (double)dim[0] != tokens);
  t->batch_dim = stated ? (uint32_t)dimension : second;
  t->batch = dim[t->batch_dim];
  if (!stated && !first && t->plan->micro_batch > 0 && t->plan->micro_batch != t->batch)
    report_batch(t, row, second ? ": dimension 0 is as long as `tokens`" : "");
  return true;
}

static bool used_behind_layer(const ts_tracer *t, uint32_t row)
{
  for (uint32_t i = t->end; holds_tensor(t, row) && i < t->rows.count; i++)
    for (uint32_t k = 0; holds_tensor(t, i) && k < t->rows.at[i].input_count; k++)
      if (t->rows.at[i].input[k] == row)
        return true;
  return false;
}

/* The last tensor of this shape that was made before the layer and is used in it. */
static uint32_t layer_input(const ts_tracer *t, const ts_shape *shape)
{
  uint32_t found = TS_ROW_NONE;
  for (uint32_t i = t->first; i < t->end; i++)
    for (uint32_t k = 0; k < t->rows.at[i].input_count; k++) {
      uint32_t row = t->rows.at[i].input[k];
      if (row < t->first && holds_tensor(t, row) && ts_same_shape(t->rows.at[row].output, *shape) &&
          (found == TS_ROW_NONE || row > found))
        found = row;
    }
  return found;
}

/* The layer: from the first row with a numbered path to the last, and what follows that without
 * path or weights of its own. */
bool ts_traced_layer(ts_tracer *t)
{
  t->first = t->end = t->rows.count;
  for (uint32_t i = 0; i < t->rows.count; i++)
    if (behind_number(t->places[i].path)) {
      t->first = i < t->first ? i : t->first;
      t->end = i + 1;
    }
  while (t->end < t->rows.count && !t->places[t->end].path && !t->rows.at[t->end].parameter_count &&
         (t->places[t->end].role == TS_ROW_OP || t->places[t->end].role == TS_ROW_VALUE))
    t->end++;
  if (!t->layered) {
    t->first = t->end = t->rows.count;
    return true;
  }
  for (t->in = TS_ROW_NONE, t->out = t->end; t->in == TS_ROW_NONE && t->out-- > t->first;)
    if (used_behind_layer(t, t->out))
      t->in = layer_input(t, &t->rows.at[t->out].output);
  if (t->in != TS_ROW_NONE)
    return true;
  ts_diag *d = ts_diag_add(t->s->diags, TS_E0524, ts_record_find(&t->model->args, "repeat")->span,
                           "`%s` lists no layer that can be repeated", t->rows.name);
  if (t->first == t->rows.count)
    ts_diag_here(d, "no row belongs to a numbered module");
  else
    ts_diag_here(
      d, "the numbered rows have no output that the model uses, or no input of the same shape");
  ts_diag_help(d,
               "a layer is recognized by the number in its path, as in `h.0.attn`; leave `repeat:` "
               "out if the table lists the whole model");
  return false;
}

/* A numbered module, `blocks.3` of `blocks.3.mlp.up`: what is a unit to stages. */
static const char *module_of(ts_tracer *t, uint32_t row)
{
  const char *path = t->places[row].path, *inside = behind_number(path);
  return inside ? ts_lang_intern(t->s->lang, path, (size_t)(inside - path - 1)) : NULL;
}

/* Rows between modules belong to the one before them. */
void ts_traced_modules(ts_tracer *t)
{
  uint32_t *unit = TS_NEW_ARRAY(t->s->arena, uint32_t, t->rows.count + 1), count = 0, last = 0;
  const char *inside = NULL;
  for (uint32_t i = 0; i < t->rows.count; i++) {
    const char *module = module_of(t, i);
    if (module && !count)
      t->first_module = i;
    count += module && module != inside;
    inside = module ? module : inside;
    last = module ? i : last;
    unit[i] = count ? count - 1 : 0;
  }
  for (uint32_t i = last + 1; i < t->rows.count; i++)
    unit[i] = count;
  if (!count)
    return;
  t->unit_of = unit;
  t->g->unit_count = count;
  t->g->unit_name = ts_traced_intern(t, "module");
  t->g->unit_span = t->model->span;
}

/* -- backward rows of stage tables -- */

static bool unpaired(ts_tracer *t, const ts_row *row, const char *format, uint32_t backward,
                     uint32_t forward, const char *kind)
{
  ts_diag *d =
    ts_diag_add(t->s->diags, TS_E0522, row->span, format, backward, row->kind, forward, kind);
  ts_diag_here(d, "the first of them");
  ts_diag_note_at(d, t->model->span, "the trace is read here");
  ts_diag_help(d, "name its forward: `backward:` in an entry of `ops`");
  return false;
}

/* Rows of the backward come in reverse: the k-th last operator of a kind has the k-th (group of)
 * rows that are its backward. */
static bool pair_backward(ts_tracer *t, uint32_t index, bool *taken)
{
  const ts_mapped_kind *e = &t->map.entries.at[index];
  TS_VEC(uint32_t) forward = {0}, backward = {0};
  for (uint32_t i = 0; i < t->rows.count; i++) {
    if (t->rows.at[i].stage == TS_ROW_FORWARD && t->places[i].role == TS_ROW_OP &&
        t->places[i].entry == index)
      TS_PUSH(t->s->arena, &forward, i);
    if (t->rows.at[i].stage == TS_ROW_BACKWARD && !taken[i] &&
        ts_patterns_match(&e->backward, t->rows.at[i].kind)) {
      TS_PUSH(t->s->arena, &backward, i);
      taken[i] = true;
    }
  }
  if (!backward.count)
    return true;
  if (!forward.count || backward.count % forward.count)
    return unpaired(
      t, &t->rows.at[backward.at[0]], "%u rows of `%s` cannot be divided among %u of kind `%s`",
      (uint32_t)backward.count, (uint32_t)forward.count, e->kind.count ? e->kind.at[0] : "");
  size_t group = backward.count / forward.count;
  for (size_t i = 0; i < backward.count; i++)
    t->rows.at[forward.at[forward.count - 1 - i / group]].backward +=
      t->rows.at[backward.at[i]].backward;
  return true;
}

bool ts_traced_pairs(ts_tracer *t)
{
  bool *taken = TS_NEW_ARRAY(t->s->arena, bool, t->rows.count);
  for (uint32_t i = 0; i < t->map.entries.count; i++)
    if (t->map.entries.at[i].backward.count && !pair_backward(t, i, taken))
      return false;
  for (uint32_t i = 0; i < t->rows.count; i++)
    if (t->rows.at[i].stage == TS_ROW_BACKWARD && !taken[i] && t->rows.at[i].backward > 0)
      return unpaired(t, &t->rows.at[i], "%u row of `%s` is the backward of %u kinds%s", 1, 0, "");
  return true;
}
