/* The report for programs. The schema is in doc/reports.md: fields may be added, never changed;
 * units are in their names. */
#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/heap.h"
#include "ir/spelling.h"
#include "runtime/report/confidence.h"
#include "runtime/report/calibrated.h"
#include "runtime/report/figures.h"
#include "runtime/report/links.h"
#include "runtime/report/report.h"

enum { FORMAT = 1 };

/* Integers that a double cannot hold exactly are written as strings. */
static void add_integer(cJSON *object, const char *name, uint64_t value)
{
  if (value <= (uint64_t)1 << 53) {
    cJSON_AddNumberToObject(object, name, (double)value);
  } else {
    char text[24];
    snprintf(text, sizeof text, "%llu", (unsigned long long)value);
    cJSON_AddStringToObject(object, name, text);
  }
}

static void add_known(cJSON *object, const char *name, double value) /* 0: not known */
{
  if (value > 0)
    cJSON_AddNumberToObject(object, name, value);
  else
    cJSON_AddNullToObject(object, name);
}

/* 0 is a value, too. */
static void add_stated(cJSON *object, const char *name, double value)
{
  if (ts_is_stated(value))
    cJSON_AddNumberToObject(object, name, value);
  else
    cJSON_AddNullToObject(object, name);
}

static cJSON *add_element(cJSON *array)
{
  cJSON *object = cJSON_CreateObject();
  cJSON_AddItemToArray(array, object);
  return object;
}

/* "backward (input)" as a field name: backward_input_ps. */
static void field_name(char *out, size_t size, const char *name, const char *unit)
{
  size_t n = 0;
  for (const char *c = name; *c && n + strlen(unit) + 2 < size; c++)
    if (*c == ' ' || (*c >= 'a' && *c <= 'z'))
      out[n++] = *c == ' ' ? '_' : *c;
  snprintf(out + n, size - n, "_%s", unit);
}

static void add_categories(cJSON *object, const uint64_t category[TS_IR_CATEGORIES])
{
  for (uint32_t c = 0; c < TS_IR_CATEGORIES; c++) {
    char name[40];
    field_name(name, sizeof name, ts_category_name(c), "bytes");
    add_integer(object, name, category[c]);
  }
}

static cJSON *plan_object(const ts_summary *s)
{
  const ts_ir *ir = s->ir;
  cJSON *plan = cJSON_CreateObject(), *mesh;
  cJSON_AddStringToObject(plan, "name", ir->strings + ir->meta->plan);
  add_integer(plan, "ranks", ir->meta->world);
  mesh = cJSON_AddObjectToObject(plan, "mesh");
  for (uint32_t a = 0; a < ir->axes_count; a++)
    add_integer(mesh, ir->strings + ir->axes[a].name, ir->axes[a].size);
  add_integer(plan, "micro_batches", ir->meta->micro_batches);
  if (ir->meta->steps > 1)
    add_integer(plan, "optimizer_steps", ir->meta->steps);
  add_integer(plan, "parameters", ir->meta->parameters);
  add_integer(plan, "tokens_per_step", ir->meta->tokens_per_step);
  add_integer(plan, "samples_per_step", ir->meta->samples_per_step);
  cJSON_AddNumberToObject(plan, "model_flop_per_step", ir->meta->model_flops_per_step);
  add_known(plan, "peak_flop_per_second_per_device", ir->meta->peak_flops);
  cJSON *formats = cJSON_AddArrayToObject(plan, "formats");
  for (uint32_t i = 0; i < ir->formats_count; i++) {
    cJSON *format = cJSON_CreateObject();
    cJSON_AddStringToObject(format, "dtype", ir->strings + ir->formats[i].dtype);
    cJSON_AddNumberToObject(format, "model_flop_per_step", ir->formats[i].model_flops);
    add_known(format, "peak_flop_per_second_per_device", ir->formats[i].peak);
    cJSON_AddItemToArray(formats, format);
  }
  return plan;
}

/* What stands behind a figure and is none that searches know. */
static void add_beside(cJSON *root, const ts_summary *s, ts_figure_id f)
{
  if (f == TS_FIGURE_TOKENS) {
    add_stated(root, "samples_per_second", s->samples_per_second);
    add_stated(root, "model_flop_per_second_per_device", s->flops_per_device);
  } else if (f == TS_FIGURE_MFU) {
    add_stated(root, "executed_flop_per_second_per_device", s->executed_per_device);
  } else if (f == TS_FIGURE_ENERGY) {
    add_stated(root, "power_watts_per_device", s->energy.watts);
  }
}

static void add_figure(cJSON *root, const ts_summary *s, ts_figure_id f, double value)
{
  ts_figure_unit unit = ts_figure_table[f].unit;
  bool per_step = ts_figure_is_in(f, TS_FIGURE_PER_STEP), joules = unit == TS_FIGURE_IN_ENERGY;
  ts_text member = ts_figure_member(f);
  add_stated(root, ts_arena_printf(s->arena, per_step ? "%s_per_step" : "%s", member.text),
             ts_figure_scaled(unit, value));
  if (per_step)
    add_stated(root,
               ts_arena_printf(s->arena, "%s_per_trillion_tokens",
                               joules ? "energy_mwh" : member.text),
               joules ? ts_of_trillion_tokens(s, value) / (1000 * TS_JOULES_OF_KWH) :
                        ts_figure_scaled(unit, ts_of_trillion_tokens(s, value)));
  add_beside(root, s, f);
}

static void add_answer(cJSON *root, const ts_summary *s)
{
  add_integer(root, "step_time_ps", s->result->step);
  ts_figures figures = ts_figures_of(s);
  for (ts_figure_id f = 0; f < TS_FIGURES; f++)
    if (ts_figure_is_in(f, TS_FIGURE_JSON))
      add_figure(root, s, f, figures.of[f]);
  if (!s->memory->stated) {
    cJSON_AddNullToObject(root, "peak_memory_bytes");
    return;
  }
  const ts_memory_class *m = &s->memory->classes[s->memory->fullest];
  add_integer(root, "peak_memory_bytes", m->peak + m->reserved);
  if (m->limit)
    add_integer(root, "device_memory_bytes", m->limit);
  else
    cJSON_AddNullToObject(root, "device_memory_bytes");
  cJSON_AddBoolToObject(root, "out_of_memory", m->over > 0);
}

static cJSON *memory_object(const ts_summary *s, uint32_t class)
{
  const ts_memory_class *m = &s->memory->classes[class];
  cJSON *memory = cJSON_CreateObject();
  add_integer(memory, "peak_bytes", m->peak);
  add_integer(memory, "peak_time_ps", m->at_peak.time);
  add_integer(memory, "whole_step_bytes", m->base);
  add_integer(memory, "reserved_bytes", m->reserved);
  add_integer(memory, "limit_bytes", m->limit);
  add_integer(memory, "over_bytes", m->over);
  add_categories(cJSON_AddObjectToObject(memory, "at_peak"), m->category);
  cJSON *holders = cJSON_AddArrayToObject(memory, "holders");
  for (uint32_t h = 0; h < m->holder_count; h++) {
    cJSON *holder = add_element(holders);
    cJSON_AddStringToObject(holder, "category", ts_category_name(m->holders[h].category));
    cJSON_AddStringToObject(holder, "label", m->holders[h].label);
    add_integer(holder, "bytes", m->holders[h].bytes);
    add_integer(holder, "count", m->holders[h].count);
  }
  return memory;
}

static cJSON *class_object(const ts_summary *s, uint32_t index)
{
  const ts_class_result *c = &s->result->classes[index];
  cJSON *class = cJSON_CreateObject();
  add_integer(class, "rank", c->rank);
  add_integer(class, "ranks", c->count);
  cJSON *at = cJSON_AddObjectToObject(class, "coordinates");
  for (uint32_t a = 0; a < s->ir->axes_count; a++)
    add_integer(at, s->ir->strings + s->ir->axes[a].name,
                c->rank / s->ir->axes[a].stride % s->ir->axes[a].size);
  cJSON_AddStringToObject(class, "program", s->ir->strings + s->ir->programs[c->program].name);
  add_integer(class, "end_ps", c->end);
  cJSON *compute = cJSON_AddObjectToObject(class, "compute");
  add_integer(compute, "total_ps", ts_class_compute(c));
  for (uint32_t p = 0; p < TS_IR_PHASES; p++) {
    char name[40];
    field_name(name, sizeof name, ts_phase_name(p), "ps");
    add_integer(compute, name, c->phase[p]);
  }
  cJSON *basis = cJSON_AddObjectToObject(class, "basis");
  for (uint32_t b = 0; b < TS_IR_BASES; b++) {
    char name[40];
    field_name(name, sizeof name, ts_basis_name(b), "ps");
    add_integer(basis, name, c->basis[b]);
  }
  cJSON *comms = cJSON_AddArrayToObject(class, "communication");
  for (uint32_t i = 0; i < c->comm_count; i++) {
    cJSON *comm = add_element(comms);
    cJSON_AddStringToObject(comm, "group", s->ir->strings + s->ir->groups[c->comms[i].group].name);
    cJSON_AddStringToObject(comm, "kind", c->comms[i].messages ? "messages" : "collectives");
    add_integer(comm, "calls", c->comms[i].calls);
    add_integer(comm, "bytes", c->comms[i].bytes);
    add_integer(comm, "busy_ps", c->comms[i].busy);
    add_integer(comm, "transfer_ps", c->comms[i].transfer);
    add_integer(comm, "exposed_ps", c->comms[i].exposed);
  }
  add_integer(class, "exposed_communication_ps", ts_class_exposed(c));
  add_integer(class, "bubble_ps", c->bubble);
  add_integer(class, "host_wait_ps", c->host);
  add_integer(class, "tail_ps", c->tail);
  add_integer(class, "host_busy_ps", c->host_busy);
  cJSON_AddItemToObject(class, "memory", memory_object(s, index));
  return class;
}

static cJSON *stage_object(const ts_summary *s, const ts_stage_summary *stage)
{
  cJSON *object = cJSON_CreateObject();
  cJSON_AddStringToObject(object, "program", s->ir->strings + s->ir->programs[stage->program].name);
  add_integer(object, "ranks", stage->ranks);
  double step = s->result->step ? (double)s->result->step : 1;
  cJSON_AddNumberToObject(object, "compute_share", stage->time.compute / step);
  cJSON_AddNumberToObject(object, "exposed_communication_share", stage->time.exposed / step);
  cJSON_AddNumberToObject(object, "bubble_share", stage->time.bubble / step);
  cJSON_AddNumberToObject(object, "host_wait_share", stage->time.host / step);
  cJSON_AddNumberToObject(object, "tail_share", stage->time.tail / step);
  add_integer(object, "busiest_rank", s->result->classes[stage->busiest].rank);
  add_integer(object, "fullest_rank", s->memory->classes[stage->fullest].rank);
  return object;
}

static cJSON *critical_object(const ts_summary *s)
{
  cJSON *path = cJSON_CreateObject();
  add_integer(path, "ends_on_rank", s->result->critical_rank);
  cJSON *parts = cJSON_AddArrayToObject(path, "parts");
  ts_critical_parts found = ts_run_critical(s->run);
  for (uint32_t i = 0; i < found.count; i++) {
    const ts_critical_part *c = &found.at[i];
    cJSON *part = add_element(parts);
    cJSON_AddStringToObject(part, "kind", ts_critical_name(c->kind));
    cJSON_AddStringToObject(part, "name", c->name ? c->name : "");
    add_integer(part, "time_ps", c->time);
    add_integer(part, "nodes", c->count);
    cJSON_AddStringToObject(part, "label", s->ir->strings + c->label);
  }
  return path;
}

static cJSON *costs_object(const ts_summary *s)
{
  cJSON *costs = cJSON_CreateObject(), *basis = cJSON_AddObjectToObject(costs, "basis");
  double total = 0;
  for (uint32_t b = 0; b < TS_IR_BASES; b++)
    total += s->basis[b];
  for (uint32_t b = 0; b < TS_IR_BASES; b++) {
    char name[40];
    field_name(name, sizeof name, ts_basis_name(b), "share");
    cJSON_AddNumberToObject(basis, name, total > 0 ? s->basis[b] / total : 0);
  }
  cJSON *sources = cJSON_AddArrayToObject(costs, "sources");
  for (uint32_t i = 0; i < s->source_count; i++) {
    uint32_t n = s->sources[i].source;
    cJSON *source = add_element(sources);
    cJSON_AddStringToObject(
      source, "kind", n == TS_IR_NONE ? "plan" : s->ir->strings + s->ir->cost_sources[n].kind);
    cJSON_AddStringToObject(source, "name",
                            n == TS_IR_NONE ? "" : s->ir->strings + s->ir->cost_sources[n].name);
    cJSON_AddNumberToObject(source, "share", s->sources[i].time);
  }
  return costs;
}

/* What a network model answered, of all ranks. */
static void add_use(cJSON *object, const ts_summary *s, uint32_t model)
{
  ts_network_use use = ts_network_use_of(s->result, model);
  add_integer(object, "calls_of_all_ranks", use.calls);
  cJSON_AddNumberToObject(object, "bytes_of_all_ranks", use.bytes);
  cJSON_AddNumberToObject(object, "time_of_all_ranks_ps", use.time);
  cJSON_AddNumberToObject(object, "share_of_step", ts_summary_share(s, &use));
  if (use.beyond > 0)
    cJSON_AddNumberToObject(object, "extrapolated_share_of_step",
                            ts_summary_share(s, &(ts_network_use){.time = use.beyond}));
}

static cJSON *network_array(const ts_summary *s)
{
  cJSON *models = cJSON_CreateArray();
  for (uint32_t m = 0; m < s->ir->net_models_count; m++) {
    const ts_ir_net_model *model = &s->ir->net_models[m];
    if (s->network && strcmp(s->network, s->ir->strings + model->name) != 0)
      continue;
    cJSON *object = add_element(models);
    cJSON_AddStringToObject(object, "name", s->ir->strings + model->name);
    cJSON_AddStringToObject(object, "kind", ts_ir_net_names[model->kind]);
    if (model->kind == TS_IR_NET_TABLE)
      add_integer(object, "points", model->point_count);
    else if (model->kind == TS_IR_NET_WHITE_BOX)
      add_integer(object, "methods", model->method_count);
    else if (model->kind == TS_IR_NET_STATISTICAL)
      add_integer(object, "curves", model->curve_count);
    else
      cJSON_AddNumberToObject(object, "efficiency", model->efficiency);
    if (model->assumed)
      cJSON_AddBoolToObject(object, "assumed", true);
    add_use(object, s, m);
  }
  if (ts_network_use_of(s->result, s->ir->net_models_count).calls) {
    cJSON *links = add_element(models);
    cJSON_AddStringToObject(links, "name", TS_NETWORK_LINKS);
    cJSON_AddStringToObject(links, "kind", TS_NETWORK_LINKS);
    add_use(links, s, s->ir->net_models_count);
  }
  return models;
}

/* What made classes of ranks, and how many more each made. */
static void add_splits(cJSON *root, const ts_summary *s)
{
  ts_arena *scratch = ts_arena_new("splits");
  const ts_class_split *splits;
  uint32_t count = ts_run_splits(s->run, scratch, &splits);
  cJSON *list = cJSON_AddArrayToObject(root, "classes_by");
  for (uint32_t i = 0; i < count; i++) {
    cJSON *o = cJSON_CreateObject();
    cJSON_AddItemToArray(list, o);
    cJSON_AddStringToObject(o, "by", splits[i].by);
    add_integer(o, "more", splits[i].more);
  }
  ts_arena_free(scratch);
}

void ts_report_print_json(cJSON *root, FILE *out)
{
  char *text = cJSON_Print(root);
  if (!text)
    ts_heap_none(0);
  ts_put_json_made(out, text);
  fputc('\n', out);
  cJSON_free(text);
  cJSON_Delete(root);
}

void ts_report_json(const ts_summary *s, FILE *out)
{
  cJSON *root = cJSON_CreateObject();
  cJSON_AddStringToObject(root, "type", "trainspec-report");
  add_integer(root, "format", FORMAT);
  cJSON_AddStringToObject(root, "tool", s->ir->strings + s->ir->meta->tool);
  cJSON_AddItemToObject(root, "plan", plan_object(s));
  add_answer(root, s);
  ts_report_confidence_json(s, root);
  cJSON *stages = cJSON_AddArrayToObject(root, "stages");
  for (uint32_t i = 0; i < s->stage_count; i++)
    cJSON_AddItemToArray(stages, stage_object(s, &s->stages[i]));
  cJSON *classes = cJSON_AddArrayToObject(root, "classes");
  for (uint32_t c = 0; c < s->result->class_count; c++)
    cJSON_AddItemToArray(classes, class_object(s, c));
  cJSON_AddItemToObject(root, "critical_path", critical_object(s));
  cJSON_AddItemToObject(root, "costs", costs_object(s));
  cJSON_AddItemToObject(root, "network", network_array(s));
  ts_report_links_json(s, root);
  ts_report_calibrated_json(s->ir, s->result, s->arena, root);
  ts_report_extras_json(s, root);
  cJSON_AddItemToObject(root, "warnings", ts_report_warnings_json(s));
  cJSON *assumptions = cJSON_AddArrayToObject(root, "assumptions");
  for (uint32_t i = 0; i < s->assumption_count; i++)
    cJSON_AddItemToArray(assumptions, cJSON_CreateString(s->assumptions[i]));
  ts_report_provenance_json(s, root);
  add_integer(root, "nodes", s->result->nodes);
  add_integer(root, "nodes_played", s->result->nodes_played);
  add_splits(root, s);
  ts_report_print_json(root, out);
}
