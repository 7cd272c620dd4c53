/* The report for programs. The schema is in doc/reports.md: fields may be added, never changed;
 * units are in their names. */
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/heap.h"
#include "ir/spelling.h"
#include "runtime/report/confidence.h"
#include "runtime/report/calibrated.h"
#include "runtime/report/links.h"
#include "runtime/report/members.h"
#include "runtime/report/report.h"

enum { FORMAT = 1 };

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
    ts_add_integer(object, name, category[c]);
  }
}

static cJSON *plan_object(const ts_summary *s)
{
  const ts_ir *ir = s->ir;
  cJSON *plan = cJSON_CreateObject(), *mesh;
  cJSON_AddStringToObject(plan, "name", ir->strings + ir->meta->plan);
  ts_add_integer(plan, "ranks", ir->meta->world);
  mesh = cJSON_AddObjectToObject(plan, "mesh");
  for (uint32_t a = 0; a < ir->axes_count; a++)
    ts_add_integer(mesh, ir->strings + ir->axes[a].name, ir->axes[a].size);
  ts_add_integer(plan, "micro_batches", ir->meta->micro_batches);
  if (ir->meta->steps > 1)
    ts_add_integer(plan, "optimizer_steps", ir->meta->steps);
  ts_add_integer(plan, "parameters", ir->meta->parameters);
  ts_add_known(plan, "tokens_per_step", ir->meta->tokens_per_step);
  ts_add_known(plan, "samples_per_step", ir->meta->samples_per_step);
  cJSON_AddNumberToObject(plan, "model_flop_per_step", ir->meta->model_flops_per_step);
  ts_add_number(plan, "peak_flop_per_second_per_device", ts_unless_zero(ir->meta->peak_flops));
  cJSON *formats = cJSON_AddArrayToObject(plan, "formats");
  for (uint32_t i = 0; i < ir->formats_count; i++) {
    cJSON *format = ts_add_element(formats);
    cJSON_AddStringToObject(format, "dtype", ir->strings + ir->formats[i].dtype);
    cJSON_AddNumberToObject(format, "model_flop_per_step", ir->formats[i].model_flops);
    ts_add_number(format, "peak_flop_per_second_per_device", ts_unless_zero(ir->formats[i].peak));
  }
  return plan;
}

static void add_figure(cJSON *root, const ts_summary *s, ts_figure_id f, double value)
{
  const ts_figure *figure = &ts_figure_table[f];
  ts_text name = ts_figure_member(f);
  const char *member = name.text;
  if (!figure->in.per_step) {
    ts_add_number(root, member, ts_figure_scaled(figure->unit, value));
    return;
  }
  double of_tokens = ts_figure_scaled(figure->unit, ts_of_trillion_tokens(s, value));
  bool joules = figure->unit == TS_FIGURE_IN_ENERGY;
  ts_add_number(root, ts_figure_member_per_step(f).text, ts_figure_scaled(figure->unit, value));
  ts_add_number(root,
                ts_arena_printf(s->arena, "%s_per_trillion_tokens", joules ? "energy_mwh" : member),
                joules ? of_tokens / (1000 * TS_JOULES_OF_KWH) : of_tokens);
}

/* What stands behind a figure and is none that searches know. */
static void add_beside(cJSON *root, const ts_summary *s, ts_figure_id f)
{
  if (f == TS_FIGURE_TOKENS) {
    ts_add_number(root, "samples_per_second", s->samples_per_second);
    ts_add_number(root, "model_flop_per_second_per_device", s->flops_per_device);
  } else if (f == TS_FIGURE_MFU) {
    ts_add_number(root, "executed_flop_per_second_per_device", s->executed_per_device);
  } else if (f == TS_FIGURE_ENERGY) {
    ts_add_number(root, "power_watts_per_device", s->energy.watts);
  }
}

static void add_answer(cJSON *root, const ts_summary *s)
{
  ts_add_integer(root, "step_time_ps", s->result->step);
  ts_figures figures = ts_figures_of(s);
  for (ts_figure_id f = 0; f < TS_FIGURES; f++) {
    if (ts_figure_table[f].in.json)
      add_figure(root, s, f, figures.of[f]);
    add_beside(root, s, f);
  }
  if (!s->memory->stated) {
    cJSON_AddNullToObject(root, "peak_memory_bytes");
    return;
  }
  const ts_memory_class *m = &s->memory->classes[s->memory->fullest];
  ts_add_integer(root, "peak_memory_bytes", m->peak + m->reserved);
  ts_add_known(root, "device_memory_bytes", m->limit);
  cJSON_AddBoolToObject(root, "out_of_memory", m->over > 0);
}

static cJSON *memory_object(const ts_summary *s, uint32_t class)
{
  const ts_memory_class *m = &s->memory->classes[class];
  cJSON *memory = cJSON_CreateObject();
  ts_add_integer(memory, "peak_bytes", m->peak);
  ts_add_integer(memory, "peak_time_ps", m->at_peak.time);
  ts_add_integer(memory, "whole_step_bytes", m->base);
  ts_add_integer(memory, "reserved_bytes", m->reserved);
  ts_add_integer(memory, "limit_bytes", m->limit);
  ts_add_integer(memory, "over_bytes", m->over);
  add_categories(cJSON_AddObjectToObject(memory, "at_peak"), m->category);
  cJSON *holders = cJSON_AddArrayToObject(memory, "holders");
  for (uint32_t h = 0; h < m->holder_count; h++) {
    cJSON *holder = ts_add_element(holders);
    cJSON_AddStringToObject(holder, "category", ts_category_name(m->holders[h].category));
    cJSON_AddStringToObject(holder, "label", m->holders[h].label);
    ts_add_integer(holder, "bytes", m->holders[h].bytes);
    ts_add_integer(holder, "count", m->holders[h].count);
  }
  return memory;
}

static cJSON *class_object(const ts_summary *s, uint32_t index)
{
  const ts_class_result *c = &s->result->classes[index];
  cJSON *class = cJSON_CreateObject();
  ts_add_integer(class, "rank", c->rank);
  ts_add_integer(class, "ranks", c->count);
  cJSON *at = cJSON_AddObjectToObject(class, "coordinates");
  for (uint32_t a = 0; a < s->ir->axes_count; a++)
    ts_add_integer(at, s->ir->strings + s->ir->axes[a].name,
                   c->rank / s->ir->axes[a].stride % s->ir->axes[a].size);
  cJSON_AddStringToObject(class, "program", s->ir->strings + s->ir->programs[c->program].name);
  ts_add_integer(class, "end_ps", c->end);
  cJSON *compute = cJSON_AddObjectToObject(class, "compute");
  ts_add_integer(compute, "total_ps", ts_class_compute(c));
  for (uint32_t p = 0; p < TS_IR_PHASES; p++) {
    char name[40];
    field_name(name, sizeof name, ts_phase_name(p), "ps");
    ts_add_integer(compute, name, c->phase[p]);
  }
  cJSON *basis = cJSON_AddObjectToObject(class, "basis");
  for (uint32_t b = 0; b < TS_IR_BASES; b++) {
    char name[40];
    field_name(name, sizeof name, ts_basis_name(b), "ps");
    ts_add_integer(basis, name, c->basis[b]);
  }
  cJSON *comms = cJSON_AddArrayToObject(class, "communication");
  for (uint32_t i = 0; i < c->comm_count; i++) {
    cJSON *comm = ts_add_element(comms);
    cJSON_AddStringToObject(comm, "group", s->ir->strings + s->ir->groups[c->comms[i].group].name);
    cJSON_AddStringToObject(comm, "kind", c->comms[i].messages ? "messages" : "collectives");
    ts_add_integer(comm, "calls", c->comms[i].calls);
    ts_add_integer(comm, "bytes", c->comms[i].bytes);
    ts_add_integer(comm, "busy_ps", c->comms[i].busy);
    ts_add_integer(comm, "transfer_ps", c->comms[i].transfer);
    ts_add_integer(comm, "exposed_ps", c->comms[i].exposed);
  }
  ts_add_integer(class, "exposed_communication_ps", ts_class_exposed(c));
  ts_add_integer(class, "bubble_ps", c->bubble);
  ts_add_integer(class, "host_wait_ps", c->host);
  ts_add_integer(class, "tail_ps", c->tail);
  ts_add_integer(class, "host_busy_ps", c->host_busy);
  cJSON_AddItemToObject(class, "memory", memory_object(s, index));
  return class;
}

static cJSON *stage_object(const ts_summary *s, const ts_stage_summary *stage)
{
  cJSON *object = cJSON_CreateObject();
  cJSON_AddStringToObject(object, "program", s->ir->strings + s->ir->programs[stage->program].name);
  ts_add_integer(object, "ranks", stage->ranks);
  double step = s->result->step ? (double)s->result->step : 1;
  cJSON_AddNumberToObject(object, "compute_share", stage->time.compute / step);
  cJSON_AddNumberToObject(object, "exposed_communication_share", stage->time.exposed / step);
  cJSON_AddNumberToObject(object, "bubble_share", stage->time.bubble / step);
  cJSON_AddNumberToObject(object, "host_wait_share", stage->time.host / step);
  cJSON_AddNumberToObject(object, "tail_share", stage->time.tail / step);
  ts_add_integer(object, "busiest_rank", s->result->classes[stage->busiest].rank);
  ts_add_integer(object, "fullest_rank", s->memory->classes[stage->fullest].rank);
  return object;
}

static cJSON *critical_object(const ts_summary *s)
{
  cJSON *path = cJSON_CreateObject();
  ts_add_integer(path, "ends_on_rank", s->result->critical_rank);
  cJSON *parts = cJSON_AddArrayToObject(path, "parts");
  ts_critical_parts found = ts_run_critical(s->run);
  for (uint32_t i = 0; i < found.count; i++) {
    const ts_critical_part *c = &found.at[i];
    cJSON *part = ts_add_element(parts);
    cJSON_AddStringToObject(part, "kind", ts_critical_name(c->kind));
    cJSON_AddStringToObject(part, "name", c->name ? c->name : "");
    ts_add_integer(part, "time_ps", c->time);
    ts_add_integer(part, "nodes", c->count);
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
    cJSON *source = ts_add_element(sources);
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
  ts_add_integer(object, "calls_of_all_ranks", use.calls);
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
    cJSON *object = ts_add_element(models);
    cJSON_AddStringToObject(object, "name", s->ir->strings + model->name);
    cJSON_AddStringToObject(object, "kind", ts_ir_net_names[model->kind]);
    if (model->kind == TS_IR_NET_TABLE)
      ts_add_integer(object, "points", model->point_count);
    else if (model->kind == TS_IR_NET_WHITE_BOX)
      ts_add_integer(object, "methods", model->method_count);
    else if (model->kind == TS_IR_NET_STATISTICAL)
      ts_add_integer(object, "curves", model->curve_count);
    else
      cJSON_AddNumberToObject(object, "efficiency", model->efficiency);
    if (model->assumed)
      cJSON_AddBoolToObject(object, "assumed", true);
    add_use(object, s, m);
  }
  if (ts_network_use_of(s->result, s->ir->net_models_count).calls) {
    cJSON *links = ts_add_element(models);
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
    cJSON *o = ts_add_element(list);
    cJSON_AddStringToObject(o, "by", splits[i].by);
    ts_add_integer(o, "more", splits[i].more);
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
  ts_add_integer(root, "format", FORMAT);
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
  ts_add_integer(root, "nodes", s->result->nodes);
  ts_add_integer(root, "nodes_played", s->result->nodes_played);
  add_splits(root, s);
  ts_report_print_json(root, out);
}
