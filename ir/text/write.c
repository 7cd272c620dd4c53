/* Writer of the text form, which reads back to the same content. Defaults are left out. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ir/layout.h"
#include "ir/packets.h"
#include "ir/text/output.h"
#include "ir/text/text.h"

typedef struct writer {
  const ts_ir *ir;
  ts_ir_output to;
  ts_arena *arena;
  ts_ir_symbols taken;                    /* symbols by kind, labels by fragment */
  const char **names[TS_IR_SECTION_KINDS]; /* the symbol of each record */
} writer;

/* ---- output ---- */

#define out(w, ...) ts_ir_out(&(w)->to, __VA_ARGS__)
static void out_quoted(writer *w, const char *text) { ts_ir_out_quoted(&w->to, text); }
static void out_name(writer *w, const char *name) { ts_ir_out_name(&w->to, name); }
static const char *text(const writer *w, ts_ir_str s) { return w->ir->strings + s; }

/* ---- quantities ---- */

static void out_real(writer *w, double value, ts_ir_dimension dimension)
{
  out(w, "%s", ts_ir_spell_real(value, dimension).text);
}
static void out_bytes_of(writer *w, uint64_t bytes) { out(w, "%s", ts_ir_spell_bytes(bytes).text); }
static void out_time(writer *w, uint64_t ps) { out(w, "%s", ts_ir_spell_time(ps).text); }
static void out_plain(writer *w, double value) { out(w, "%s", ts_ir_spell_plain(value).text); }

/* ---- symbols ---- */

/* `name`, or with a number behind it if another record of the kind has it. */
static const char *new_symbol(writer *w, uint32_t kind, const char *name)
{
  ts_ir_symbol *symbol = ts_ir_symbol_of(&w->taken, kind, name);
  if (symbol->value == TS_IR_NONE) {
    symbol->value = 1;
    return symbol->name;
  }
  for (;;) {
    uint32_t number = ++ts_ir_find_symbol(&w->taken, kind, name)->value;
    const char *numbered = ts_arena_printf(w->arena, "%s.%u", name, number);
    symbol = ts_ir_symbol_of(&w->taken, kind, numbered);
    if (symbol->value == TS_IR_NONE) {
      symbol->value = 1;
      return symbol->name;
    }
  }
}

static const char **name_room(writer *w, uint32_t kind)
{
  return w->names[kind] = TS_NEW_ARRAY(w->arena, const char *, ts_ir_count(w->ir, kind) + 1);
}

/* Symbols of records whose name is the string at `offset`. */
static void name_records(writer *w, uint32_t kind, size_t offset)
{
  const char **names = name_room(w, kind);
  const uint8_t *record = ts_ir_records(w->ir, kind);
  for (uint32_t i = 0; i < ts_ir_count(w->ir, kind);
       i++, record += ts_ir_tables[kind].record_size) {
    ts_ir_str string;
    memcpy(&string, record + offset, sizeof string);
    const char *name = text(w, string);
    /* where an array's name is split from its dimensions */
    bool brackets = kind == TS_IR_ARRAYS && strchr(name, '[');
    names[i] = new_symbol(w, kind, brackets ? "array" : *name ? name : ts_ir_kind_word(kind));
  }
}

static void name_all(writer *w)
{
  name_records(w, TS_IR_SOURCES, offsetof(ts_ir_source, name));
  name_records(w, TS_IR_AXES, offsetof(ts_ir_axis, name));
  name_records(w, TS_IR_GROUPS, offsetof(ts_ir_group, name));
  name_records(w, TS_IR_ARRAYS, offsetof(ts_ir_array, name));
  name_records(w, TS_IR_DEVICE_CLASSES, offsetof(ts_ir_device_class, name));
  name_records(w, TS_IR_LINK_CLASSES, offsetof(ts_ir_link_class, name));
  name_records(w, TS_IR_COST_SOURCES, offsetof(ts_ir_cost_source, name));
  name_records(w, TS_IR_KERNELS, offsetof(ts_ir_kernel, family));
  name_records(w, TS_IR_STREAMS, offsetof(ts_ir_stream, name));
  name_records(w, TS_IR_FRAGMENTS, offsetof(ts_ir_fragment, name));
  const char **names = name_room(w, TS_IR_COLLECTIVES);
  for (uint32_t i = 0; i < w->ir->collectives_count; i++) {
    const ts_ir_collective *c = &w->ir->collectives[i];
    names[i] = new_symbol(w, TS_IR_COLLECTIVES,
                          ts_arena_printf(w->arena, "%s.%s", ts_ir_collective_names[c->kind],
                                          w->names[TS_IR_GROUPS][c->group]));
  }
}

static void out_symbol(writer *w, uint32_t kind, uint32_t index)
{
  out_name(w, w->names[kind][index]);
}

static void out_named(writer *w, uint32_t kind, uint32_t index, ts_ir_str name)
{
  if (!strcmp(w->names[kind][index], text(w, name)))
    return;
  out(w, " named ");
  out_name(w, text(w, name));
}

/* With the words before it and after it, and nothing for 0. */
static void out_amount(writer *w, const char *before, double amount, ts_ir_dimension unit,
                       const char *after)
{
  if (!(amount > 0))
    return;
  out(w, "%s", before);
  out_real(w, amount, unit);
  out(w, "%s", after);
}

static void out_text(writer *w, const char *clause, ts_ir_str s) /* nothing for the empty string */
{
  if (!*text(w, s))
    return;
  out(w, " %s ", clause);
  out_name(w, text(w, s));
}

static void out_loc(writer *w, const char *clause, uint32_t loc)
{
  if (loc == TS_IR_NONE)
    return;
  const ts_ir_loc *l = &w->ir->locs[loc];
  out(w, " %s ", clause);
  out_symbol(w, TS_IR_SOURCES, l->source);
  out(w, " %u:%u", l->line, l->column);
  if (l->end_column != l->column)
    out(w, "-%u", l->end_column);
}

/* ---- the whole ---- */

static void out_number(writer *w, const char *statement, uint64_t number)
{
  if (number)
    out(w, "%s %llu\n", statement, (unsigned long long)number);
}

static void write_meta(writer *w)
{
  const ts_ir_meta *m = w->ir->meta;
  out(w, "plan ");
  out_name(w, text(w, m->plan));
  out_loc(w, "at", m->plan_loc);
  if (*text(w, m->tool)) {
    out(w, "\ntool ");
    out_quoted(w, text(w, m->tool));
  }
  out(w, "\nmicro_batches %u\n", m->micro_batches);
  if (*text(w, m->cluster)) {
    out(w, "cluster ");
    out_name(w, text(w, m->cluster));
    out(w, "\n");
  }
  if (*text(w, m->framework)) {
    out(w, "framework ");
    out_name(w, text(w, m->framework));
    out_text(w, "release", m->release);
    out(w, "\n");
  }
  if (m->run_bits || m->run_flags)
    out(w, "run bits %u%s%s\n", m->run_bits, m->run_flags & TS_IR_RUN_EXPERTS ? " experts" : "",
        m->run_flags & TS_IR_RUN_NODES ? " nodes" : "");
  out_number(w, "steps", m->steps);
  out_number(w, "tokens", m->tokens_per_step);
  out_number(w, "samples", m->samples_per_step);
  out_number(w, "parameters", m->parameters);
  if (ts_is_stated(m->carbon))
    out(w, "carbon %s\n", ts_ir_spell_plain(m->carbon).text);
  out_amount(w, "model_flops ", m->model_flops_per_step, TS_IR_FLOP, "\n");
  out_amount(w, "peak ", m->peak_flops, TS_IR_FLOP_RATE, "\n");
  for (uint32_t i = 0; i < w->ir->formats_count; i++) {
    const ts_ir_format *f = &w->ir->formats[i];
    out(w, "format ");
    out_quoted(w, text(w, f->dtype));
    out_amount(w, " model_flops ", f->model_flops, TS_IR_FLOP, "");
    out_amount(w, " peak ", f->peak, TS_IR_FLOP_RATE, "");
    out(w, "\n");
  }
  if (m->mesh_loc != TS_IR_NONE) {
    out(w, "mesh");
    out_loc(w, "at", m->mesh_loc);
    out(w, "\n");
  }
  if (m->memory_loc != TS_IR_NONE) {
    out(w, "memory");
    out_loc(w, "at", m->memory_loc);
    out(w, "\n");
  }
}

static void write_sources(writer *w)
{
  static const uint8_t none[32];
  for (uint32_t i = 0; i < w->ir->sources_count; i++) {
    const ts_ir_source *s = &w->ir->sources[i];
    out(w, "source ");
    out_symbol(w, TS_IR_SOURCES, i);
    out_named(w, TS_IR_SOURCES, i, s->name);
    out_text(w, "role", s->role);
    if (memcmp(s->sha256, none, sizeof none)) {
      out(w, " sha256 \"");
      for (int b = 0; b < 32; b++)
        out(w, "%02x", s->sha256[b]);
      out(w, "\"");
    }
    if (*text(w, s->text)) {
      out(w, " text ");
      out_quoted(w, text(w, s->text));
    }
    out(w, "\n");
  }
}

static void write_mesh(writer *w)
{
  for (uint32_t i = 0; i < w->ir->axes_count; i++) {
    out(w, "axis ");
    out_symbol(w, TS_IR_AXES, i);
    out(w, " %u%s", w->ir->axes[i].size, w->ir->meta->pipeline_axis == i ? " pipeline" : "");
    out_named(w, TS_IR_AXES, i, w->ir->axes[i].name);
    out(w, "\n");
  }
  for (uint32_t i = 0; i < w->ir->groups_count; i++) {
    const ts_ir_group *g = &w->ir->groups[i];
    out(w, "group ");
    out_symbol(w, TS_IR_GROUPS, i);
    out_named(w, TS_IR_GROUPS, i, g->name);
    for (uint32_t a = 0; a < w->ir->axes_count; a++)
      if (g->axes >> a & 1) {
        out(w, "%s", g->axes & ((1u << a) - 1) ? ", " : " = ");
        out_symbol(w, TS_IR_AXES, a);
      }
    for (uint32_t k = 0, at = g->first_rank; k < g->rank_count; k++, at++)
      out(w, "%s%u", !k ? " ranks " : k % g->size ? ", " : " and ", w->ir->group_ranks[at]);
    out(w, "\n");
  }
}

static void write_cost_sources(writer *w)
{
  for (uint32_t i = 0; i < w->ir->cost_sources_count; i++) {
    const ts_ir_cost_source *s = &w->ir->cost_sources[i];
    out(w, "cost_source ");
    out_symbol(w, TS_IR_COST_SOURCES, i);
    out_named(w, TS_IR_COST_SOURCES, i, s->name);
    out_text(w, "kind", s->kind);
    out_text(w, "device", s->device);
    out_loc(w, "at", s->loc);
    out(w, "\n");
  }
}

static void write_calibrations(writer *w)
{
  for (uint32_t i = 0; i < w->ir->calibrations_count; i++) {
    const ts_ir_calibration *k = &w->ir->calibrations[i];
    out(w, "calibration ");
    out_name(w, text(w, k->name));
    out(w, " %s", ts_ir_calibrated_names[k->kind]);
    out_text(w, "families", k->families);
    out_text(w, "formats", k->formats);
    if (k->source != TS_IR_NONE) {
      out(w, " source ");
      out_symbol(w, TS_IR_COST_SOURCES, k->source);
    }
    out(w, " rows %u value ", k->rows);
    out_plain(w, k->value);
    out(w, " prior ");
    out_plain(w, k->prior);
    for (uint32_t j = 0; j < w->ir->calibrations_count; j++) {
      out(w, "%s ", j ? "," : " covariance");
      out_plain(w, k->covariance[j]);
    }
    out(w, "\n");
  }
}

/* ---- cluster ---- */

static void write_clauses(writer *w, const ts_ir_clause *f, const void *record);

static void write_device_classes(writer *w)
{
  for (uint32_t i = 0; i < w->ir->device_classes_count; i++) {
    const ts_ir_device_class *d = &w->ir->device_classes[i];
    out(w, "device_class ");
    out_symbol(w, TS_IR_DEVICE_CLASSES, i);
    out(w, " ");
    out_real(w, d->bandwidth, TS_IR_RATE);
    out_named(w, TS_IR_DEVICE_CLASSES, i, d->name);
    write_clauses(w, ts_ir_device_fields, d);
    out_loc(w, "at", d->loc);
    out(w, "\n");
  }
}

/* The symbol of an array with numbers behind it. */
static void out_array(writer *w, uint32_t array, uint32_t count, const uint32_t *number)
{
  const char *symbol = w->names[TS_IR_ARRAYS][array];
  char brackets[64] = "";
  int used = 0;
  for (uint32_t d = 0; d < count; d++)
    used +=
      snprintf(brackets + used, sizeof brackets - (size_t)used, "%c%u", d ? ',' : '[', number[d]);
  if (count)
    snprintf(brackets + used, sizeof brackets - (size_t)used, "]");
  out_name(w, ts_arena_printf(w->arena, "%s%s", symbol, brackets));
}

static void out_vertex(writer *w, uint32_t vertex)
{
  uint32_t array = w->ir->devices[vertex].array, index[4] = {0};
  const ts_ir_array *a = &w->ir->arrays[array];
  uint32_t rest = vertex - a->first;
  for (uint32_t d = a->dims; d-- > 0; rest /= a->dim[d])
    index[d] = rest % a->dim[d];
  out_array(w, array, a->dims, index);
}

static void write_vertices(writer *w, const ts_ir_array *a)
{
  const ts_ir_device *first = &w->ir->devices[a->first];
  for (uint32_t i = 0; i < a->count; i++) {
    if (first[i].device_class == first->device_class && first[i].speed == 1)
      continue;
    out(w, "vertex ");
    out_vertex(w, a->first + i);
    if (first[i].device_class != first->device_class) {
      out(w, " of ");
      out_symbol(w, TS_IR_DEVICE_CLASSES, first[i].device_class);
    }
    if (first[i].speed != 1) {
      out(w, " speed ");
      out_plain(w, first[i].speed);
    }
    out(w, "\n");
  }
}

static void write_arrays(writer *w)
{
  for (uint32_t i = 0; i < w->ir->arrays_count; i++) {
    const ts_ir_array *a = &w->ir->arrays[i];
    out(w, a->kind == TS_IR_DEVICE ? "devices " : "switches ");
    out_array(w, i, a->dims, a->dim);
    if (a->kind == TS_IR_DEVICE) {
      out(w, " of ");
      out_symbol(w, TS_IR_DEVICE_CLASSES, w->ir->devices[a->first].device_class);
    }
    out_named(w, TS_IR_ARRAYS, i, a->name);
    out_loc(w, "at", a->loc);
    out(w, "\n");
    write_vertices(w, a);
  }
}

static void write_links(writer *w)
{
  for (uint32_t i = 0; i < w->ir->link_classes_count; i++) {
    const ts_ir_link_class *k = &w->ir->link_classes[i];
    out(w, "link_class ");
    out_symbol(w, TS_IR_LINK_CLASSES, i);
    out(w, " ");
    out_real(w, k->bandwidth, TS_IR_RATE);
    out_named(w, TS_IR_LINK_CLASSES, i, k->name);
    if (k->tier)
      out(w, " tier %u", k->tier);
    if (k->latency) {
      out(w, " latency ");
      out_time(w, k->latency);
    }
    if (k->ports)
      out(w, " ports %u", k->ports);
    if (k->setup) {
      out(w, " setup ");
      out_time(w, k->setup);
    }
    out_loc(w, "at", k->loc);
    out(w, "\n");
  }
  for (uint32_t i = 0; i < w->ir->links_count; i++) {
    const ts_ir_link *l = &w->ir->links[i];
    out(w, "link ");
    out_vertex(w, l->from);
    out(w, l->duplex ? " -- " : " -> ");
    out_vertex(w, l->to);
    out(w, " ");
    out_symbol(w, TS_IR_LINK_CLASSES, l->link_class);
    out(w, "\n");
  }
}

static void write_placement(writer *w)
{
  const uint32_t *at = w->ir->placement;
  uint32_t count = w->ir->placement_count, ranges = 0;
  for (uint32_t i = 0, next; i < count; i = next) {
    for (next = i + 1; next < count && at[next] == at[i] + (next - i);)
      next++;
    out(w, "%s%u", ranges++ % 16 ? ", " : ranges > 1 ? "\nplace " : "place ", at[i]);
    if (next > i + 1)
      out(w, "..%u", at[next - 1]);
  }
  if (count)
    out(w, "\n");
}

static void write_cluster(writer *w)
{
  write_device_classes(w);
  write_arrays(w);
  write_links(w);
  write_placement(w);
}

static void out_collectives(writer *w, uint32_t mask)
{
  const char *separator = " for ";
  if (mask == (1u << TS_IR_COLLECTIVE_KINDS) - 1)
    return;
  if (!mask)
    out(w, " for none");
  for (uint32_t k = 0; k < TS_IR_COLLECTIVE_KINDS; k++)
    if (mask >> k & 1) {
      out(w, "%s%s", separator, ts_ir_collective_names[k]);
      separator = ", ";
    }
}

static void write_field(writer *w, const ts_ir_clause *f, const void *at)
{
  uint32_t count = 0;
  uint64_t whole = 0;
  double real = 0;
  memcpy(&count, at, sizeof count);
  if (ts_ir_field_size(f) >= sizeof whole) {
    memcpy(&whole, at, sizeof whole);
    memcpy(&real, at, sizeof real);
  }
  out(w, " %s ", f->name);
  switch (f->kind) {
  case TS_IR_FIELD_COUNT: out(w, "%u", count); break;
  case TS_IR_FIELD_TIME: out_time(w, whole); break;
  case TS_IR_FIELD_BYTES: out_bytes_of(w, whole); break;
  case TS_IR_FIELD_RATE: out_real(w, real, TS_IR_RATE); break;
  case TS_IR_FIELD_SIZE: out_real(w, real, TS_IR_BYTES); break;
  case TS_IR_FIELD_NUMBER: case TS_IR_FIELD_STATED: out_plain(w, real); break;
  case TS_IR_FIELD_TENTHS: ts_ir_out_tenths(&w->to, at); break;
  }
}

static void write_clauses(writer *w, const ts_ir_clause *f, const void *record)
{
  for (; f->name; f++)
    if (!ts_ir_field_absent(f, (const char *)record + f->offset))
      write_field(w, f, (const char *)record + f->offset);
}

static void write_methods(writer *w, const ts_ir_net_model *m)
{
  for (uint32_t i = 0; i < m->method_count; i++) {
    const ts_ir_net_method *x = &w->ir->net_methods[m->first_method + i];
    out(w, "  method %s %s %s", ts_ir_collective_names[x->collective],
        ts_ir_algorithm_names[x->algorithm], ts_ir_protocol_names[x->protocol]);
    write_clauses(w, ts_ir_method_fields, x);
    out(w, "\n");
  }
  for (uint32_t i = 0; i < m->curve_count; i++) {
    const ts_ir_net_curve *x = &w->ir->net_curves[m->first_curve + i];
    out(w, "  curve %s", ts_ir_collective_names[x->collective]);
    write_clauses(w, ts_ir_curve_fields, x);
    out(w, "\n");
  }
}

static void write_points(writer *w, const ts_ir_net_model *m)
{
  out(w, " {\n");
  write_methods(w, m);
  for (uint32_t i = 0; i < m->point_count; i++) {
    const ts_ir_net_point *p = &w->ir->net_points[m->first_point + i];
    out(w, "  %s %u %u ", ts_ir_collective_names[p->collective], p->ranks, p->islands);
    out_bytes_of(w, p->bytes);
    out(w, " ");
    out_time(w, p->time);
    out(w, "\n");
  }
  out(w, "}");
}

static void write_flow_fields(writer *w, const ts_ir_net_model *m)
{
  if (m->routing)
    out(w, " routing %s", ts_ir_routing_names[m->routing]);
  out(w, "%s", m->unrelayed ? " unrelayed" : "");
  if (m->channels)
    out(w, " channels %u", m->channels);
  if (m->algorithm != TS_IR_NONE)
    out(w, " by %s", ts_ir_algorithm_names[m->algorithm]);
  if (m->inter_hop) {
    out(w, " inter_hop ");
    out_time(w, m->inter_hop);
  }
}

static void write_packet_fields(writer *w, const ts_ir_net_model *m)
{
  if (m->packets.control)
    out(w, " control %s", ts_ir_control_names[m->packets.control]);
  for (const ts_ir_packet_field *f = ts_ir_packet_fields; f->clause.name; f++)
    if (ts_ir_packet_value(f, &m->packets) != ts_ir_packet_value(f, &ts_ir_usual_packets))
      write_field(w, &f->clause, (const char *)&m->packets + f->clause.offset);
}

static void write_net_models(writer *w)
{
  for (uint32_t i = 0; i < w->ir->net_models_count; i++) {
    const ts_ir_net_model *m = &w->ir->net_models[i];
    out(w, "net_model ");
    out_name(w, text(w, m->name));
    out(w, " %s", ts_ir_net_names[m->kind]);
    out_collectives(w, m->collectives);
    const char *separator = " over ";
    for (uint32_t a = 0; a < w->ir->axes_count; a++)
      if (m->axes >> a & 1) {
        out(w, "%s", separator);
        out_symbol(w, TS_IR_AXES, a);
        separator = ", ";
      }
    if (m->tier != TS_IR_NONE)
      out(w, " tier %u", m->tier);
    if (m->efficiency != 1) {
      out(w, " efficiency ");
      out_plain(w, m->efficiency);
    }
    write_clauses(w, ts_ir_line_fields, m);
    if (m->kind == TS_IR_NET_FLOW || m->kind == TS_IR_NET_PACKET || m->kind == TS_IR_NET_ALPHA_BETA)
      write_flow_fields(w, m);
    if (m->kind == TS_IR_NET_PACKET)
      write_packet_fields(w, m);
    write_clauses(w, ts_ir_links_fields, &m->links);
    if (m->assumed)
      out(w, " assumed");
    if (m->source != TS_IR_NONE) {
      out(w, " source ");
      out_symbol(w, TS_IR_COST_SOURCES, m->source);
    }
    out_loc(w, "at", m->loc);
    if (ts_ir_net_has_block(m->kind))
      write_points(w, m);
    out(w, "\n");
  }
}

/* ---- work ---- */

static void write_streams(writer *w)
{
  for (uint32_t i = 0; i < w->ir->streams_count; i++) {
    const ts_ir_stream *s = &w->ir->streams[i];
    out(w, "stream ");
    out_symbol(w, TS_IR_STREAMS, i);
    out_named(w, TS_IR_STREAMS, i, s->name);
    if (s->kind != (i ? TS_IR_STREAM_COMM : TS_IR_STREAM_COMPUTE))
      out(w, " %s", ts_ir_stream_names[s->kind]);
    if (s->priority)
      out(w, " priority %u", s->priority);
    if (s->unshared)
      out(w, " unshared");
    out(w, "\n");
  }
}

static void write_kernels(writer *w)
{
  for (uint32_t i = 0; i < w->ir->kernels_count; i++) {
    const ts_ir_kernel *k = &w->ir->kernels[i];
    out(w, "kernel ");
    out_symbol(w, TS_IR_KERNELS, i);
    out(w, " ");
    out_time(w, k->time);
    out_named(w, TS_IR_KERNELS, i, k->family);
    out_amount(w, " flops ", k->flops, TS_IR_FLOP, "");
    out_amount(w, " bytes ", k->bytes, TS_IR_BYTES, "");
    out_text(w, "dtype", k->dtype);
    if (k->basis != TS_IR_STATED)
      out(w, " basis %s", ts_ir_basis_names[k->basis]);
    if (k->source != TS_IR_NONE) {
      out(w, " source ");
      out_symbol(w, TS_IR_COST_SOURCES, k->source);
    }
    out(w, "\n");
  }
}

static void write_collectives(writer *w)
{
  for (uint32_t i = 0; i < w->ir->collectives_count; i++) {
    const ts_ir_collective *c = &w->ir->collectives[i];
    out(w, "collective ");
    out_symbol(w, TS_IR_COLLECTIVES, i);
    out(w, " %s ", ts_ir_collective_names[c->kind]);
    if (c->bytes) {
      out_bytes_of(w, c->bytes);
      out(w, " ");
    }
    out(w, "over ");
    out_symbol(w, TS_IR_GROUPS, c->group);
    out(w, "\n");
  }
}

/* ---- fragments ---- */

static const char *usual_label(const writer *w, const ts_ir_node *n)
{
  static const char *const words[] = {"", "", "send", "recv", "record", "host", "sync"};
  if (n->op == TS_IR_COMPUTE)
    return w->names[TS_IR_KERNELS][n->arg];
  return n->op == TS_IR_COLLECTIVE ? w->names[TS_IR_COLLECTIVES][n->arg] : words[n->op];
}

static void out_op(writer *w, const ts_ir_fragment *f, const ts_ir_node *n, uint32_t ports_above)
{
  static const char *const words[] = {"compute ", "collective ", "send ", "recv ",
                                      "record",   "host ",       "sync"};
  out(w, "%s", words[n->op]);
  if (n->op == TS_IR_COMPUTE)
    out_symbol(w, TS_IR_KERNELS, n->arg);
  else if (n->op == TS_IR_COLLECTIVE)
    out_symbol(w, TS_IR_COLLECTIVES, n->arg);
  else if (n->op == TS_IR_HOST_WORK)
    out_time(w, n->host_ps);
  else if (n->op == TS_IR_RECORD && n->arg)
    out(w, " any %u", n->arg);
  else if (n->op == TS_IR_SEND || n->op == TS_IR_RECV) {
    const ts_ir_port *port = &w->ir->ports[f->first_port + n->arg];
    out_bytes_of(w, port->bytes);
    out(w, " over ");
    out_symbol(w, TS_IR_GROUPS, port->group);
    if (n->arg != ports_above)
      out(w, " port %u", n->arg);
  }
}

static void out_mems(writer *w, const ts_ir_node *n)
{
  for (uint32_t i = 0; i < n->mem_count; i++) {
    const ts_ir_mem *m = &w->ir->mems[n->first_mem + i];
    out(w, m->bytes < 0 ? " free " : " alloc ");
    out_bytes_of(w, m->bytes < 0 ? (uint64_t)-m->bytes : (uint64_t)m->bytes);
    out(w, " %s", ts_ir_category_names[m->category]);
    if (*text(w, m->label)) {
      out(w, " ");
      out_quoted(w, text(w, m->label));
    }
  }
}

/* Dependencies go by label where it leads to the right node. */
static void out_deps(writer *w, const ts_ir_fragment *f, const ts_ir_node *n, uint32_t space)
{
  for (uint32_t i = 0; i < n->dep_count; i++) {
    uint32_t dep = w->ir->deps[n->first_dep + i];
    const char *label = text(w, w->ir->nodes[f->first_node + dep].label);
    out(w, i ? ", " : " after ");
    if (ts_ir_symbol_of(&w->taken, space, label)->value == dep)
      out_name(w, label);
    else
      out(w, "@%u", dep);
  }
}

static uint32_t usual_stream(const writer *w, uint32_t op)
{
  bool communicates = op == TS_IR_COLLECTIVE || op == TS_IR_SEND || op == TS_IR_RECV;
  for (uint32_t i = 0; i < w->ir->streams_count && communicates; i++)
    if (w->ir->streams[i].kind == TS_IR_STREAM_COMM)
      return i;
  return 0;
}

static void write_node(writer *w, const ts_ir_fragment *f, const ts_ir_node *n,
                       uint32_t ports_above, uint32_t space)
{
  out(w, "  ");
  if (strcmp(text(w, n->label), usual_label(w, n))) {
    out_name(w, text(w, n->label));
    out(w, ": ");
  }
  out_op(w, f, n, ports_above);
  if (n->stream != usual_stream(w, n->op)) {
    out(w, " on ");
    out_symbol(w, TS_IR_STREAMS, n->stream);
  }
  out_deps(w, f, n, space);
  if (n->phase != ts_ir_usual_phase(n->op, text(w, f->work)))
    out(w, " phase %s", ts_ir_phase_names[n->phase]);
  if (n->host_ps && n->op != TS_IR_HOST_WORK) {
    out(w, " launch ");
    out_time(w, n->host_ps);
  }
  out_mems(w, n);
  out_loc(w, "at", n->loc);
  out_loc(w, "rule", n->rule_loc);
  out(w, "\n");
}

static void write_fragments(writer *w)
{
  for (uint32_t i = 0; i < w->ir->fragments_count; i++) {
    const ts_ir_fragment *f = &w->ir->fragments[i];
    uint32_t ports = 0, space = TS_IR_SECTION_KINDS + i;
    out(w, "\nfragment ");
    out_symbol(w, TS_IR_FRAGMENTS, i);
    out_named(w, TS_IR_FRAGMENTS, i, f->name);
    if (strcmp(text(w, f->work), w->names[TS_IR_FRAGMENTS][i])) {
      out(w, " work ");
      out_name(w, text(w, f->work));
    }
    out(w, " {\n");
    for (uint32_t n = 0; n < f->node_count; n++) {
      const ts_ir_node *node = &w->ir->nodes[f->first_node + n];
      write_node(w, f, node, ports, space);
      ports += node->op == TS_IR_SEND || node->op == TS_IR_RECV;
      ts_ir_symbol_of(&w->taken, space, text(w, node->label))->value = n;
    }
    out(w, "}\n");
  }
}

/* ---- programs ---- */

static void write_item(writer *w, const ts_ir_item *t)
{
  const ts_ir_fragment *f = &w->ir->fragments[t->fragment];
  const char *name = w->names[TS_IR_FRAGMENTS][t->fragment];
  out(w, "  ");
  if (strcmp(name, "hold"))
    out_name(w, name);
  else
    out_quoted(w, name);
  if (t->micro_batch != TS_IR_NONE)
    out(w, " %u", t->micro_batch);
  if (t->chunk)
    out(w, " chunk %u", t->chunk);
  for (uint32_t p = 0; p < f->port_count; p++) {
    const ts_ir_binding *b = &w->ir->bindings[t->first_binding + p];
    out(w, " %s %u", w->ir->ports[f->first_port + p].is_send ? "to" : "from", b->peer);
    if (b->tag != (t->micro_batch == TS_IR_NONE ? 0 : t->micro_batch))
      out(w, " tag %u", b->tag);
  }
  out(w, "\n");
}

static void write_programs(writer *w)
{
  for (uint32_t i = 0; i < w->ir->programs_count; i++) {
    const ts_ir_program *p = &w->ir->programs[i];
    out(w, "\nprogram ");
    out_name(w, text(w, p->name));
    out(w, " {\n");
    for (uint32_t h = 0; h < p->holding_count; h++) {
      const ts_ir_holding *held = &w->ir->holdings[p->first_holding + h];
      out(w, "  hold ");
      out_bytes_of(w, held->bytes);
      out(w, " %s", ts_ir_category_names[held->category]);
      if (*text(w, held->label)) {
        out(w, " ");
        out_quoted(w, text(w, held->label));
      }
      out(w, "\n");
    }
    for (uint32_t t = 0; t < p->item_count; t++)
      write_item(w, &w->ir->items[p->first_item + t]);
    out(w, "}\n");
  }
}

/* ---- how sure ---- */

static void write_confidence(writer *w)
{
  for (uint32_t i = 0; i < w->ir->spreads_count; i++) {
    const ts_ir_spread *s = &w->ir->spreads[i];
    out(w, "spread %s", ts_ir_origin_names[s->origin]);
    if (s->origin <= TS_IR_ORIGIN_NETWORK)
      out(w, " %s", s->origin ? ts_ir_net_names[s->basis] : ts_ir_basis_names[s->basis]);
    out_text(w, "of", s->name);
    out_text(w, "dtype", s->dtype);
    out(w, "%s%s", s->between ? " between" : "", s->assumed ? " assumed" : "");
    if (s->least_kib)
      out(w, " kib %u", s->least_kib);
    if (s->rows)
      out(w, " rows %u", s->rows);
    out(w, " by ");
    out_plain(w, s->spread);
    out(w, "\n");
  }
  for (uint32_t i = 0; i < w->ir->validations_count; i++) {
    const ts_ir_validation *v = &w->ir->validations[i];
    out(w, "validated %s below ", ts_ir_quantity_names[v->quantity]);
    out_plain(w, v->below);
    out(w, " above ");
    out_plain(w, v->above);
    if (*text(w, v->runs)) {
      out(w, " on ");
      out_quoted(w, text(w, v->runs));
    }
    if (v->rows || v->groups)
      out(w, " rows %u groups %u", v->rows, v->groups);
    out(w, "%s\n", v->same_kind ? " same_kind" : "");
  }
}

/* ---- warnings ---- */

static void write_remarks(writer *w)
{
  for (uint32_t i = 0; i < w->ir->remarks_count; i++) {
    const ts_ir_remark *r = &w->ir->remarks[i];
    out(w, r->kind == TS_IR_REMARK_WARNING ? "" : "remark ");
    out(w, "%s ", ts_ir_remark_names[r->kind]);
    if (*text(w, r->name)) {
      out_name(w, text(w, r->name));
      out(w, " ");
    }
    out_quoted(w, text(w, r->text));
    if (*text(w, r->here)) {
      out(w, " here ");
      out_quoted(w, text(w, r->here));
    }
    out_loc(w, "at", r->loc);
    if (r->more)
      out(w, " more %u", r->more);
    out(w, "\n");
  }
}

/* Behind an empty line, if there are records of the kind; the part may still have others. */
static void write_part(writer *w, uint32_t kind, void (*write)(writer *))
{
  if (ts_ir_count(w->ir, kind))
    out(w, "\n");
  write(w);
}

int ts_ir_print(const ts_ir *ir, void (*put)(void *closure, const char *bytes, size_t size),
                void *closure)
{
  if (ts_ir_verify(ir, NULL))
    return -1;
  ts_arena *arena = ts_arena_new("text form of the IR");
  writer *w = TS_NEW(arena, writer);
  w->ir = ir;
  w->to.put = put;
  w->to.closure = closure;
  w->arena = w->taken.arena = arena;
  name_all(w);
  out(w, "version %u\n", TS_IR_VERSION);
  write_part(w, TS_IR_SOURCES, write_sources);
  write_part(w, TS_IR_META, write_meta);
  write_part(w, TS_IR_AXES, write_mesh);
  write_part(w, TS_IR_COST_SOURCES, write_cost_sources);
  write_part(w, TS_IR_CALIBRATIONS, write_calibrations);
  write_part(w, TS_IR_ARRAYS, write_cluster);
  write_part(w, TS_IR_NET_MODELS, write_net_models);
  write_part(w, TS_IR_STREAMS, write_streams);
  write_part(w, TS_IR_KERNELS, write_kernels);
  write_part(w, TS_IR_COLLECTIVES, write_collectives);
  write_fragments(w);
  write_programs(w);
  write_part(w, w->ir->spreads_count ? TS_IR_SPREADS : TS_IR_VALIDATIONS, write_confidence);
  write_part(w, TS_IR_REMARKS, write_remarks);
  ts_ir_out_flush(&w->to);
  ts_arena_free(arena);
  return 0;
}
