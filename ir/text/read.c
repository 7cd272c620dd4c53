/* Reader of the text form: statements at the outermost level. */
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "ir/layout.h"
#include "ir/text/text.h"

const char *ts_ir_kind_word(uint32_t kind)
{
  switch (kind) {
  case TS_IR_SOURCES: return "source";
  case TS_IR_AXES: return "axis";
  case TS_IR_GROUPS: return "group";
  case TS_IR_ARRAYS: return "array";
  case TS_IR_DEVICE_CLASSES: return "device class";
  case TS_IR_LINK_CLASSES: return "link class";
  case TS_IR_COST_SOURCES: return "cost source";
  case TS_IR_KERNELS: return "kernel";
  case TS_IR_COLLECTIVES: return "collective";
  case TS_IR_STREAMS: return "stream";
  case TS_IR_FRAGMENTS: return "fragment";
  default: return "name";
  }
}

/* ---- names ---- */

void ts_ir_declare(ts_ir_reader *r, ts_ir_section_kind kind, const char *name, uint32_t value)
{
  if (r->lexer.failed)
    return;
  ts_ir_symbol *symbol = ts_ir_symbol_of(&r->symbols, kind, name);
  if (symbol->value != TS_IR_NONE)
    ts_ir_syntax(&r->lexer, "there is a %s `%.60s` already", ts_ir_kind_word(kind), name);
  symbol->value = value;
}

static void unknown(ts_ir_reader *r, ts_ir_section_kind kind, const char *name)
{
  TS_VEC(const char *) names = {0};
  const char *best[3];
  for (size_t i = 0; i < r->symbols.all.count; i++)
    if (r->symbols.all.at[i].space == (uint32_t)kind)
      TS_PUSH(r->arena, &names, r->symbols.all.at[i].name);
  if (ts_suggest(name, names.at, names.count, best))
    ts_ir_syntax(&r->lexer, "there is no %s `%.60s` above; did you mean `%.60s`?",
                 ts_ir_kind_word(kind), name, best[0]);
  else
    ts_ir_syntax(&r->lexer, "there is no %s `%.60s` above", ts_ir_kind_word(kind), name);
}

uint32_t ts_ir_use(ts_ir_reader *r, ts_ir_section_kind kind, const char *what)
{
  ts_ir_lexer *l = &r->lexer;
  if (!ts_ir_at_name(l)) {
    ts_ir_expected(l, what);
    return 0;
  }
  const ts_ir_symbol *symbol = ts_ir_find_symbol(&r->symbols, kind, l->text);
  if (!symbol) {
    unknown(r, kind, l->text);
    return 0;
  }
  uint32_t value = symbol->value;
  ts_ir_next(l);
  return value;
}

/* An axis stands for the group of that axis alone. */
uint32_t ts_ir_use_group(ts_ir_reader *r)
{
  ts_ir_lexer *l = &r->lexer;
  const ts_ir_symbol *axis =
    ts_ir_at_name(l) ? ts_ir_find_symbol(&r->symbols, TS_IR_AXES, l->text) : NULL;
  if (axis && !ts_ir_find_symbol(&r->symbols, TS_IR_GROUPS, l->text)) {
    ts_ir_group group = {.name = ts_ir_add_string(r->out, l->text), .axes = 1u << axis->value};
    ts_ir_declare(r, TS_IR_GROUPS, l->text, ts_ir_intern(r->out, TS_IR_GROUPS, &group));
  }
  return ts_ir_use(r, TS_IR_GROUPS, "a group or an axis");
}

ts_ir_str ts_ir_take_string(ts_ir_reader *r, const char *what)
{
  return ts_ir_add_string(r->out, ts_ir_take_name(&r->lexer, what));
}

uint32_t ts_ir_take_loc(ts_ir_reader *r)
{
  ts_ir_lexer *l = &r->lexer;
  ts_ir_loc loc = {.source = ts_ir_use(r, TS_IR_SOURCES, "a source")};
  loc.line = (uint32_t)ts_ir_take_count(l, "a line", UINT32_MAX);
  ts_ir_need(l, ":");
  loc.column = loc.end_column = (uint32_t)ts_ir_take_count(l, "a column", UINT32_MAX);
  if (ts_ir_take(l, "-"))
    loc.end_column = (uint32_t)ts_ir_take_count(l, "a column", UINT32_MAX);
  return l->failed ? TS_IR_NONE : ts_ir_intern(r->out, TS_IR_LOCS, &loc);
}

static void *append(ts_ir_reader *r, ts_ir_section_kind kind)
{
  void *record;
  ts_ir_append(r->out, kind, 1, &record);
  return record;
}

static uint32_t count_of(ts_ir_reader *r, ts_ir_section_kind kind)
{
  ts_ir view;
  ts_ir_builder_view(r->out, &view);
  return ts_ir_count(&view, kind);
}

/* `NAME`, the symbol of the next record of its kind. */
static const char *take_new_name(ts_ir_reader *r, ts_ir_section_kind kind)
{
  const char *name = ts_ir_take_name(&r->lexer, "a name");
  ts_ir_declare(r, kind, name, count_of(r, kind));
  return name;
}

/* ---- blocks ---- */

void ts_ir_begin_block(ts_ir_reader *r)
{
  if (ts_ir_is(&r->lexer, "{"))
    ts_ir_next(&r->lexer);
  else
    ts_ir_expected(&r->lexer, "`{`");
}

bool ts_ir_in_block(ts_ir_reader *r)
{
  while (r->lexer.token == TS_IR_END_OF_LINE)
    ts_ir_next(&r->lexer);
  if (r->lexer.token == TS_IR_END_OF_FILE)
    ts_ir_expected(&r->lexer, "`}`");
  return !r->lexer.failed && !ts_ir_take(&r->lexer, "}");
}

/* ---- what is said of the whole ---- */

static void read_version(ts_ir_reader *r)
{
  uint64_t version = ts_ir_take_count(&r->lexer, "a version", UINT32_MAX);
  if (!r->lexer.failed && (version < 1 || version > TS_IR_VERSION))
    ts_ir_syntax(&r->lexer, "version %llu of the text form; this program reads 1 to %u",
                 (unsigned long long)version, TS_IR_VERSION);
}

static void read_plan(ts_ir_reader *r)
{
  ts_ir_meta *meta = ts_ir_builder_meta(r->out);
  meta->plan = ts_ir_take_string(r, "the plan's name");
  if (ts_ir_take(&r->lexer, "at"))
    meta->plan_loc = ts_ir_take_loc(r);
}

static void read_tool(ts_ir_reader *r)
{
  ts_ir_builder_meta(r->out)->tool = ts_ir_take_string(r, "a name and version");
}

static void read_memory(ts_ir_reader *r)
{
  ts_ir_need(&r->lexer, "at");
  ts_ir_builder_meta(r->out)->memory_loc = ts_ir_take_loc(r);
}

static void read_mesh(ts_ir_reader *r)
{
  ts_ir_need(&r->lexer, "at");
  ts_ir_builder_meta(r->out)->mesh_loc = ts_ir_take_loc(r);
}

static void read_cluster(ts_ir_reader *r)
{
  ts_ir_builder_meta(r->out)->cluster = ts_ir_take_string(r, "the cluster's name");
}

static void read_framework(ts_ir_reader *r)
{
  ts_ir_meta *meta = ts_ir_builder_meta(r->out);
  meta->framework = ts_ir_take_string(r, "the framework's name");
  if (ts_ir_take(&r->lexer, "release"))
    meta->release = ts_ir_take_string(r, "a release");
}

static void read_run(ts_ir_reader *r)
{
  ts_ir_lexer *l = &r->lexer;
  ts_ir_meta *meta = ts_ir_builder_meta(r->out);
  for (bool more = true; more && !l->failed;) {
    if (ts_ir_take(l, "bits"))
      meta->run_bits = (uint32_t)ts_ir_take_count(l, "a number of bits", UINT32_MAX);
    else if (ts_ir_take(l, "experts"))
      meta->run_flags |= TS_IR_RUN_EXPERTS;
    else if (ts_ir_take(l, "nodes"))
      meta->run_flags |= TS_IR_RUN_NODES;
    else
      more = false;
  }
}

static void read_micro_batches(ts_ir_reader *r)
{
  ts_ir_builder_meta(r->out)->micro_batches =
    (uint32_t)ts_ir_take_count(&r->lexer, "a number of micro-batches", UINT32_MAX);
  r->micro_batches_stated = true;
}

static void read_tokens(ts_ir_reader *r)
{
  ts_ir_builder_meta(r->out)->tokens_per_step =
    ts_ir_take_count(&r->lexer, "a number of tokens", UINT64_MAX);
}
static void read_samples(ts_ir_reader *r)
{
  ts_ir_builder_meta(r->out)->samples_per_step =
    ts_ir_take_count(&r->lexer, "a number of samples", UINT64_MAX);
}
static void read_parameters(ts_ir_reader *r)
{
  ts_ir_builder_meta(r->out)->parameters =
    ts_ir_take_count(&r->lexer, "a number of parameters", UINT64_MAX);
}
static void read_carbon(ts_ir_reader *r) /* g a kWh */
{
  ts_ir_builder_meta(r->out)->carbon = ts_ir_take_real(&r->lexer, TS_IR_DIMENSIONS);
}
static void read_model_flops(ts_ir_reader *r)
{
  ts_ir_builder_meta(r->out)->model_flops_per_step = ts_ir_take_real(&r->lexer, TS_IR_FLOP);
}
static void read_peak(ts_ir_reader *r)
{
  ts_ir_builder_meta(r->out)->peak_flops = ts_ir_take_real(&r->lexer, TS_IR_FLOP_RATE);
}

static void read_format(ts_ir_reader *r)
{
  ts_ir_lexer *l = &r->lexer;
  ts_ir_format format = {.dtype = ts_ir_take_string(r, "a number format")};
  if (ts_ir_take(l, "model_flops"))
    format.model_flops = ts_ir_take_real(l, TS_IR_FLOP);
  if (ts_ir_take(l, "peak"))
    format.peak = ts_ir_take_real(l, TS_IR_FLOP_RATE);
  *(ts_ir_format *)append(r, TS_IR_FORMATS) = format;
}

static void take_sha256(ts_ir_lexer *l, uint8_t digest[32])
{
  static const char hex[] = "0123456789abcdef";
  bool ok = l->token == TS_IR_QUOTED && strlen(l->text) == 64 && strspn(l->text, hex) == 64;
  for (int i = 0; ok && i < 32; i++)
    digest[i] =
      (uint8_t)((strchr(hex, l->text[2 * i]) - hex) * 16 + (strchr(hex, l->text[2 * i + 1]) - hex));
  if (ok)
    ts_ir_next(l);
  else
    ts_ir_expected(l, "a SHA-256, 64 of 0-9 and a-f in quotes");
}

static void read_source(ts_ir_reader *r)
{
  ts_ir_lexer *l = &r->lexer;
  ts_ir_source source = {.name = ts_ir_add_string(r->out, take_new_name(r, TS_IR_SOURCES))};
  for (bool more = true; more && !l->failed;) {
    if (ts_ir_take(l, "named"))
      source.name = ts_ir_take_string(r, "a name");
    else if (ts_ir_take(l, "role"))
      source.role = ts_ir_take_string(r, "a role");
    else if (ts_ir_take(l, "sha256"))
      take_sha256(l, source.sha256);
    else if (ts_ir_take(l, "text"))
      source.text = ts_ir_take_string(r, "what was typed");
    else
      more = false;
  }
  *(ts_ir_source *)append(r, TS_IR_SOURCES) = source;
}

/* ---- mesh ---- */

static void make_pipeline(ts_ir_reader *r, uint32_t axis)
{
  ts_ir_meta *meta = ts_ir_builder_meta(r->out);
  if (meta->pipeline_axis != TS_IR_NONE)
    ts_ir_syntax(&r->lexer, "a second pipeline axis");
  meta->pipeline_axis = axis;
}

static void read_axis(ts_ir_reader *r)
{
  ts_ir_lexer *l = &r->lexer;
  ts_ir_meta *meta = ts_ir_builder_meta(r->out);
  uint32_t index = count_of(r, TS_IR_AXES);
  ts_ir_axis axis = {.name = ts_ir_add_string(r->out, take_new_name(r, TS_IR_AXES)),
                     .stride = meta->world};
  axis.size = (uint32_t)ts_ir_take_count(l, "the size of the axis", 1u << 24);
  for (bool more = true; more && !l->failed;) {
    if (ts_ir_take(l, "named"))
      axis.name = ts_ir_take_string(r, "a name");
    else if (ts_ir_take(l, "pipeline"))
      make_pipeline(r, index);
    else
      more = false;
  }
  uint64_t world = (uint64_t)meta->world * axis.size;
  if (!axis.size || world > 1u << 24 || index == 32)
    ts_ir_syntax(l, index == 32 ? "more than 32 axes" :
                    axis.size   ? "the axes span more than 2^24 ranks" :
                                  "an axis of size 0");
  else
    meta->world = (uint32_t)world;
  *(ts_ir_axis *)append(r, TS_IR_AXES) = axis;
}

/* "0, 4 and 1, 5": one instance after the other, all of one size. */
static void read_lists(ts_ir_reader *r, ts_ir_group *group)
{
  ts_ir_lexer *l = &r->lexer;
  ts_arena *scratch = ts_arena_new("ranks of a group");
  TS_VEC(uint32_t) ranks = {0};
  uint32_t size = 0;
  do {
    TS_PUSH(scratch, &ranks, (uint32_t)ts_ir_take_count(l, "a rank", (1u << 24) - 1));
    size++;
    bool ended = !ts_ir_take(l, ",");
    if (!ended)
      continue;
    if (group->size && group->size != size)
      ts_ir_syntax(l, "instances of a group have equal numbers of ranks");
    group->size = size;
    size = 0;
    if (!ts_ir_take(l, "and"))
      break;
  } while (!l->failed);
  group->rank_count = (uint32_t)ranks.count;
  void *at;
  group->first_rank = ts_ir_append(r->out, TS_IR_GROUP_RANKS, group->rank_count, &at);
  memcpy(at, ranks.at, ranks.count * sizeof *ranks.at);
  ts_arena_free(scratch);
}

static void read_group(ts_ir_reader *r)
{
  ts_ir_lexer *l = &r->lexer;
  ts_ir_group group = {.name = ts_ir_add_string(r->out, take_new_name(r, TS_IR_GROUPS))};
  if (ts_ir_take(l, "named"))
    group.name = ts_ir_take_string(r, "a name");
  if (ts_ir_take(l, "="))
    do
      group.axes |= 1u << ts_ir_use(r, TS_IR_AXES, "an axis");
    while (ts_ir_take(l, ","));
  else if (ts_ir_take(l, "ranks"))
    read_lists(r, &group);
  *(ts_ir_group *)append(r, TS_IR_GROUPS) = group;
}

/* ---- work ---- */

static void read_cost_source(ts_ir_reader *r)
{
  ts_ir_lexer *l = &r->lexer;
  ts_ir_cost_source source = {
    .name = ts_ir_add_string(r->out, take_new_name(r, TS_IR_COST_SOURCES)), .loc = TS_IR_NONE};
  for (bool more = true; more && !l->failed;) {
    if (ts_ir_take(l, "named"))
      source.name = ts_ir_take_string(r, "a name");
    else if (ts_ir_take(l, "kind"))
      source.kind = ts_ir_take_string(r, "a kind");
    else if (ts_ir_take(l, "device"))
      source.device = ts_ir_take_string(r, "a device");
    else if (ts_ir_take(l, "at"))
      source.loc = ts_ir_take_loc(r);
    else
      more = false;
  }
  *(ts_ir_cost_source *)append(r, TS_IR_COST_SOURCES) = source;
}

static double take_signed(ts_ir_lexer *l)
{
  bool negative = ts_ir_take(l, "-");
  double value = ts_ir_take_real(l, TS_IR_DIMENSIONS);
  return negative ? -value : value;
}

static void read_calibration(ts_ir_reader *r)
{
  ts_ir_lexer *l = &r->lexer;
  ts_ir_calibration k = {.name = ts_ir_take_string(r, "the name of a quantity"),
                         .source = TS_IR_NONE};
  uint32_t terms = 0;
  k.kind = ts_ir_take_choice(l, "what is calibrated", ts_ir_calibrated_names);
  for (bool more = true; more && !l->failed;) {
    if (ts_ir_take(l, "families"))
      k.families = ts_ir_take_string(r, "families of kernels");
    else if (ts_ir_take(l, "formats"))
      k.formats = ts_ir_take_string(r, "number formats");
    else if (ts_ir_take(l, "source"))
      k.source = ts_ir_use(r, TS_IR_COST_SOURCES, "a cost source");
    else if (ts_ir_take(l, "rows"))
      k.rows = (uint32_t)ts_ir_take_count(l, "a number of measured steps", UINT32_MAX);
    else if (ts_ir_take(l, "value"))
      k.value = take_signed(l);
    else if (ts_ir_take(l, "prior"))
      k.prior = take_signed(l);
    else if (ts_ir_take(l, "covariance"))
      do {
        double term = take_signed(l);
        if (terms == TS_IR_MOST_CALIBRATED)
          ts_ir_syntax(l, "more than %u covariances", TS_IR_MOST_CALIBRATED);
        else
          k.covariance[terms++] = term;
      } while (ts_ir_take(l, ","));
    else
      more = false;
  }
  *(ts_ir_calibration *)append(r, TS_IR_CALIBRATIONS) = k;
}

static void read_stream(ts_ir_reader *r)
{
  ts_ir_lexer *l = &r->lexer;
  uint32_t index = count_of(r, TS_IR_STREAMS);
  ts_ir_stream stream = {ts_ir_add_string(r->out, take_new_name(r, TS_IR_STREAMS)),
                         index ? TS_IR_STREAM_COMM : TS_IR_STREAM_COMPUTE, 0, 0};
  if (index == 256)
    ts_ir_syntax(l, "more than 256 streams");
  if (ts_ir_take(l, "named"))
    stream.name = ts_ir_take_string(r, "a name");
  if (l->token == TS_IR_WORD && !ts_ir_is(l, "priority") && !ts_ir_is(l, "unshared"))
    stream.kind = (uint8_t)ts_ir_take_choice(l, "`compute`, `comm` or `copy`", ts_ir_stream_names);
  if (ts_ir_take(l, "priority"))
    stream.priority = (uint16_t)ts_ir_take_count(l, "a priority", UINT16_MAX);
  stream.unshared = ts_ir_take(l, "unshared");
  *(ts_ir_stream *)append(r, TS_IR_STREAMS) = stream;
}

static void read_kernel(ts_ir_reader *r)
{
  ts_ir_lexer *l = &r->lexer;
  ts_ir_kernel kernel = {.family = ts_ir_add_string(r->out, take_new_name(r, TS_IR_KERNELS)),
                         .source = TS_IR_NONE};
  kernel.time = ts_ir_take_whole(l, TS_IR_TIME);
  for (bool more = true; more && !l->failed;) {
    if (ts_ir_take(l, "named"))
      kernel.family = ts_ir_take_string(r, "a family");
    else if (ts_ir_take(l, "flops"))
      kernel.flops = ts_ir_take_real(l, TS_IR_FLOP);
    else if (ts_ir_take(l, "bytes"))
      kernel.bytes = ts_ir_take_real(l, TS_IR_BYTES);
    else if (ts_ir_take(l, "dtype"))
      kernel.dtype = ts_ir_take_string(r, "a type");
    else if (ts_ir_take(l, "basis"))
      kernel.basis = ts_ir_take_choice(l, "a basis", ts_ir_basis_names);
    else if (ts_ir_take(l, "source"))
      kernel.source = ts_ir_use(r, TS_IR_COST_SOURCES, "a cost source");
    else
      more = false;
  }
  *(ts_ir_kernel *)append(r, TS_IR_KERNELS) = kernel;
}

static void read_collective(ts_ir_reader *r)
{
  ts_ir_lexer *l = &r->lexer;
  take_new_name(r, TS_IR_COLLECTIVES);
  ts_ir_collective c = {.kind = ts_ir_take_choice(l, "a collective", ts_ir_collective_names)};
  if (l->token == TS_IR_NUMBER)
    c.bytes = ts_ir_take_whole(l, TS_IR_BYTES);
  ts_ir_need(l, "over");
  c.group = ts_ir_use_group(r);
  *(ts_ir_collective *)append(r, TS_IR_COLLECTIVES) = c;
}

static void read_steps(ts_ir_reader *r)
{
  ts_ir_builder_meta(r->out)->steps =
    (uint32_t)ts_ir_take_count(&r->lexer, "a number of optimizer steps", UINT32_MAX);
}

/* ---- how sure ---- */

static void read_spread(ts_ir_reader *r)
{
  ts_ir_lexer *l = &r->lexer;
  ts_ir_spread s = {.origin = ts_ir_take_choice(
                      l, "`kernels`, `network`, `links`, `host` or `run`", ts_ir_origin_names)};
  if (s.origin == TS_IR_ORIGIN_KERNELS)
    s.basis = ts_ir_take_choice(l, "a basis such as `fitted`", ts_ir_basis_names);
  else if (s.origin == TS_IR_ORIGIN_NETWORK)
    s.basis = ts_ir_take_choice(l, "a kind of model such as `white_box`", ts_ir_net_names);
  for (bool more = true; more && !l->failed;) {
    if (ts_ir_take(l, "of"))
      s.name = ts_ir_take_string(r, "a family or a file");
    else if (ts_ir_take(l, "dtype"))
      s.dtype = ts_ir_take_string(r, "a number format");
    else if (ts_ir_take(l, "between"))
      s.between = 1;
    else if (ts_ir_take(l, "assumed"))
      s.assumed = 1;
    else if (ts_ir_take(l, "kib"))
      s.least_kib = (uint32_t)ts_ir_take_count(l, "a number of KiB", UINT32_MAX);
    else if (ts_ir_take(l, "rows"))
      s.rows = (uint32_t)ts_ir_take_count(l, "a number of rows", UINT32_MAX);
    else
      more = false;
  }
  ts_ir_need(l, "by");
  s.spread = ts_ir_take_real(l, TS_IR_DIMENSIONS);
  *(ts_ir_spread *)append(r, TS_IR_SPREADS) = s;
}

static void read_validated(ts_ir_reader *r)
{
  ts_ir_lexer *l = &r->lexer;
  ts_ir_validation v = {.quantity = ts_ir_take_choice(l, "`step_time` or `peak_memory`",
                                                      ts_ir_quantity_names)};
  ts_ir_need(l, "below");
  v.below = ts_ir_take_real(l, TS_IR_DIMENSIONS);
  ts_ir_need(l, "above");
  v.above = ts_ir_take_real(l, TS_IR_DIMENSIONS);
  for (bool more = true; more && !l->failed;) {
    if (ts_ir_take(l, "on"))
      v.runs = ts_ir_take_string(r, "a kind of runs");
    else if (ts_ir_take(l, "rows"))
      v.rows = (uint32_t)ts_ir_take_count(l, "a number of runs", UINT32_MAX);
    else if (ts_ir_take(l, "groups"))
      v.groups = (uint32_t)ts_ir_take_count(l, "a number of configurations", UINT32_MAX);
    else if (ts_ir_take(l, "same_kind"))
      v.same_kind = 1;
    else
      more = false;
  }
  *(ts_ir_validation *)append(r, TS_IR_VALIDATIONS) = v;
}

/* ---- warnings ---- */

static void read_remark_of(ts_ir_reader *r, uint32_t kind)
{
  ts_ir_lexer *l = &r->lexer;
  ts_ir_remark remark = {.kind = kind, .loc = TS_IR_NONE};
  if (kind == TS_IR_REMARK_WARNING || kind == TS_IR_REMARK_FACT)
    remark.name = ts_ir_take_string(r, kind == TS_IR_REMARK_FACT ? "a name" : "a code");
  remark.text = ts_ir_take_string(r, "a text");
  for (bool more = true; more && !l->failed;) {
    if (ts_ir_take(l, "here"))
      remark.here = ts_ir_take_string(r, "a label");
    else if (ts_ir_take(l, "at"))
      remark.loc = ts_ir_take_loc(r);
    else if (ts_ir_take(l, "more"))
      remark.more = (uint32_t)ts_ir_take_count(l, "a number", UINT32_MAX);
    else
      more = false;
  }
  *(ts_ir_remark *)append(r, TS_IR_REMARKS) = remark;
}

static void read_warning(ts_ir_reader *r) { read_remark_of(r, TS_IR_REMARK_WARNING); }
static void read_remark(ts_ir_reader *r)
{
  read_remark_of(
    r, ts_ir_take_choice(&r->lexer, "`label`, `note`, `fact`, `help` or `assumed`", ts_ir_remark_names));
}

/* ---- statements ---- */

static const struct statement { const char *word; void (*read)(ts_ir_reader *); } statements[] = {
    {"version", read_version},
    {"plan", read_plan},
    {"tool", read_tool},
    {"memory", read_memory},
    {"cluster", read_cluster},
    {"framework", read_framework},
    {"run", read_run},
    {"mesh", read_mesh},
    {"micro_batches", read_micro_batches},
    {"steps", read_steps},
    {"tokens", read_tokens},
    {"samples", read_samples},
    {"model_flops", read_model_flops},
    {"peak", read_peak},
    {"format", read_format},
    {"parameters", read_parameters},
    {"carbon", read_carbon},
    {"source", read_source},
    {"axis", read_axis},
    {"group", read_group},
    {"device_class", ts_ir_read_device_class},
    {"devices", ts_ir_read_devices},
    {"switches", ts_ir_read_switches},
    {"vertex", ts_ir_read_vertex},
    {"link_class", ts_ir_read_link_class},
    {"link", ts_ir_read_link},
    {"place", ts_ir_read_place},
    {"net_model", ts_ir_read_net_model},
    {"cost_source", read_cost_source},
    {"calibration", read_calibration},
    {"stream", read_stream},
    {"kernel", read_kernel},
    {"collective", read_collective},
    {"fragment", ts_ir_read_fragment},
    {"program", ts_ir_read_program},
    {"spread", read_spread},
    {"validated", read_validated},
    {"warning", read_warning},
    {"remark", read_remark},
};

static void read_statement(ts_ir_reader *r)
{
  enum { COUNT = sizeof statements / sizeof *statements };
  ts_ir_lexer *l = &r->lexer;
  const char *words[COUNT], *best[3];
  for (size_t i = 0; i < COUNT; i++) {
    if (ts_ir_take(l, statements[i].word)) {
      statements[i].read(r);
      if (l->token != TS_IR_END_OF_LINE && l->token != TS_IR_END_OF_FILE)
        ts_ir_expected(l, "the end of the line");
      return;
    }
    words[i] = statements[i].word;
  }
  if (l->token == TS_IR_WORD && ts_suggest(l->text, words, COUNT, best))
    ts_ir_syntax(l, "no statement begins with `%.60s`; did you mean `%s`?", l->text, best[0]);
  else
    ts_ir_expected(l, "a statement such as `kernel`, `fragment` or `program`");
}

/* A `#` begins nothing else; of the words only `plan` begins a file of the language too, which goes
 * on with `(` or `{`. */
bool ts_ir_is_text(const char *text, size_t size)
{
  size_t blank = 0;
  while (blank < size && memchr(" \t\r\n", text[blank], 4))
    blank++;
  text += blank;
  size -= blank;
  const char *end = memchr(text, '\n', size);
  size_t line = end ? (size_t)(end - text) : size, length = ts_ir_word_length(text, size);
  if (size && text[0] == '#')
    return true;
  if (length == 4 && memcmp(text, "plan", 4) == 0)
    return !memchr(text, '(', line) && !memchr(text, '{', line);
  for (size_t i = 0; i < sizeof statements / sizeof *statements; i++)
    if (strlen(statements[i].word) == length && memcmp(statements[i].word, text, length) == 0)
      return true;
  return false;
}

static void finish(ts_ir_reader *r)
{
  ts_ir view;
  ts_ir_meta *meta = ts_ir_builder_meta(r->out);
  if (!r->micro_batches_stated)
    meta->micro_batches = r->played_micro_batches ? r->played_micro_batches : 1;
  ts_ir_builder_view(r->out, &view);
  if (!r->lexer.failed && ts_ir_verify(&view, r->lexer.error))
    r->lexer.failed = true;
}

ts_ir_builder *ts_ir_parse(const char *text, size_t size, ts_error *error)
{
  ts_error unseen;
  ts_arena *arena = ts_arena_new("text form of the IR");
  ts_ir_reader r = {.out = ts_ir_builder_new(), .arena = arena};
  r.symbols.arena = arena;
  r.lexer = (ts_ir_lexer){
    .at = text, .end = text + size, .line = 1, .arena = arena, .error = error ? error : &unseen};
  *r.lexer.error = (ts_error){0};
  ts_ir_next(&r.lexer);
  while (!r.lexer.failed && r.lexer.token != TS_IR_END_OF_FILE) {
    if (r.lexer.token == TS_IR_END_OF_LINE)
      ts_ir_next(&r.lexer);
    else
      read_statement(&r);
  }
  finish(&r);
  ts_arena_free(arena);
  if (!r.lexer.failed)
    return r.out;
  ts_ir_builder_free(r.out);
  return NULL;
}
