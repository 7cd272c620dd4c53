/* Writer of the text form, which reads back to the same content: the forms of ir/records.def, one
 * after the other. What is usual is left out. */
#include <stdio.h>
#include <string.h>

#include "ir/text/write_internal.h"

static void write_block(ts_ir_writer *w, const ts_ir_net_model *m);

/* ---- symbols ---- */

/* `name`, or with a number behind it if another record of the kind has it. */
static const char *new_symbol(ts_ir_writer *w, uint32_t kind, const char *name)
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

static const char **name_room(ts_ir_writer *w, uint32_t kind)
{
  return w->names[kind] = TS_NEW_ARRAY(w->arena, const char *, ts_ir_count(w->ir, kind) + 1);
}

/* Symbols of records that have a name. */
static void name_records(ts_ir_writer *w, uint32_t kind, const ts_ir_field *name_field)
{
  const char **names = name_room(w, kind);
  const uint8_t *record = ts_ir_records(w->ir, kind);
  for (uint32_t i = 0; i < ts_ir_count(w->ir, kind);
       i++, record += ts_ir_tables[kind].record_size) {
    const char *name = ts_ir_write_string(w, (ts_ir_str)ts_ir_get(name_field, record));
    /* where an array's name is split from its dimensions */
    bool brackets = kind == TS_IR_ARRAYS && strchr(name, '[');
    names[i] = new_symbol(w, kind, brackets ? "array" : *name ? name : ts_ir_title(kind));
  }
}

static void name_all(ts_ir_writer *w)
{
  for (const ts_ir_form *form = ts_ir_forms; form < ts_ir_forms + TS_IR_FORMS; form++)
    for (const ts_ir_field *f = form->fields; f->name; f++)
      if (f->type == TS_IR_TYPE_NAMED)
        name_records(w, form->kind, f);
  const char **names = name_room(w, TS_IR_COLLECTIVES);
  for (uint32_t i = 0; i < w->ir->collectives_count; i++) {
    const ts_ir_collective *c = &w->ir->collectives[i];
    names[i] = new_symbol(w, TS_IR_COLLECTIVES,
                          ts_arena_printf(w->arena, "%s.%s", ts_ir_collective_names[c->kind],
                                          w->names[TS_IR_GROUPS][c->group]));
  }
}

void ts_ir_write_symbol(ts_ir_writer *w, uint32_t kind, uint32_t index)
{
  ts_ir_out_name(&w->to, w->names[kind][index]);
}

/* ---- values ---- */

static void out_place(ts_ir_writer *w, uint32_t loc)
{
  const ts_ir_loc *l = &w->ir->locs[loc];
  ts_ir_write_symbol(w, TS_IR_SOURCES, l->source);
  ts_ir_out(&w->to, " %u:%u", l->line, l->column);
  if (l->end_column != l->column)
    ts_ir_out(&w->to, "-%u", l->end_column);
}

static void out_axes(ts_ir_writer *w, uint32_t axes)
{
  for (uint32_t a = 0; a < w->ir->axes_count; a++)
    if (axes >> a & 1) {
      ts_ir_write_text(w, axes & ((1u << a) - 1) ? ", " : "");
      ts_ir_write_symbol(w, TS_IR_AXES, a);
    }
}

static void out_collectives(ts_ir_writer *w, uint32_t mask)
{
  ts_ir_write_text(w, mask ? "" : "none");
  for (uint32_t k = 0; k < TS_IR_COLLECTIVE_KINDS; k++)
    if (mask >> k & 1)
      ts_ir_out(&w->to, "%s%s", mask & ((1u << k) - 1) ? ", " : "", ts_ir_collective_names[k]);
}

/* The symbol of an array with numbers behind it. */
static void out_array(ts_ir_writer *w, uint32_t array, uint32_t count, const uint32_t *number)
{
  const char *symbol = w->names[TS_IR_ARRAYS][array];
  char brackets[64] = "";
  int used = 0;
  for (uint32_t d = 0; d < count; d++)
    used +=
      snprintf(brackets + used, sizeof brackets - (size_t)used, "%c%u", d ? ',' : '[', number[d]);
  if (count)
    snprintf(brackets + used, sizeof brackets - (size_t)used, "]");
  ts_ir_out_name(&w->to, ts_arena_printf(w->arena, "%s%s", symbol, brackets));
}

static void out_vertex(ts_ir_writer *w, uint32_t vertex)
{
  uint32_t array = w->ir->devices[vertex].array, index[4] = {0};
  const ts_ir_array *a = &w->ir->arrays[array];
  uint32_t rest = vertex - a->first;
  for (uint32_t d = a->dims; d-- > 0; rest /= a->dim[d])
    index[d] = rest % a->dim[d];
  out_array(w, array, a->dims, index);
}

static void out_sha256(ts_ir_writer *w, const uint8_t *digest)
{
  ts_ir_write_text(w, "\"");
  for (int b = 0; b < 32; b++)
    ts_ir_out(&w->to, "%02x", digest[b]);
  ts_ir_write_text(w, "\"");
}

static void out_ranks(ts_ir_writer *w, const ts_ir_group *g)
{
  for (uint32_t k = 0, at = g->first_rank; k < g->rank_count; k++, at++)
    ts_ir_out(&w->to, "%s%u", !k ? "" : k % g->size ? ", " : " and ", w->ir->group_ranks[at]);
}

static void out_covariance(ts_ir_writer *w, const ts_ir_calibration *k)
{
  for (uint32_t j = 0; j < w->ir->calibrations_count; j++)
    ts_ir_out(&w->to, "%s%s", j ? ", " : "", ts_ir_spell_plain(k->covariance[j]).text);
}

/* Dependencies go by label where it leads to the right node. */
static void out_deps(ts_ir_writer *w, const ts_ir_node *n)
{
  for (uint32_t i = 0; i < n->dep_count; i++) {
    uint32_t dep = w->ir->deps[n->first_dep + i];
    const char *label = ts_ir_write_string(w, w->ir->nodes[w->fragment->first_node + dep].label);
    ts_ir_write_text(w, i ? ", " : "");
    if (ts_ir_symbol_of(&w->taken, w->labels, label)->value == dep)
      ts_ir_out_name(&w->to, label);
    else
      ts_ir_out(&w->to, "@%u", dep);
  }
}

/* ---- fields ---- */

static void out_mems(ts_ir_writer *w, const ts_ir_node *n)
{
  for (uint32_t i = 0; i < n->mem_count; i++) {
    const ts_ir_mem *m = &w->ir->mems[n->first_mem + i], none = {0};
    ts_ir_write_text(w, m->bytes < 0 ? " free" : " alloc");
    ts_ir_write_fields(w, ts_ir_forms[TS_IR_FORM_mem].fields, m, &none);
  }
}

static void write_value(ts_ir_writer *w, const ts_ir_field *f, const void *record)
{
  const void *at = (const char *)record + f->offset;
  uint64_t value = ts_ir_get(f, record);
  ts_ir_dimension dimension;
  switch (f->type) {
  case TS_IR_TYPE_NAME:
  case TS_IR_TYPE_NAMED: ts_ir_out_name(&w->to, ts_ir_write_string(w, (ts_ir_str)value)); break;
  case TS_IR_TYPE_QUOTED: ts_ir_out_quoted(&w->to, ts_ir_write_string(w, (ts_ir_str)value)); break;
  case TS_IR_TYPE_COUNT: ts_ir_out(&w->to, "%llu", (unsigned long long)value); break;
  case TS_IR_TYPE_TIME: ts_ir_write_text(w, ts_ir_spell_time(value).text); break;
  case TS_IR_TYPE_CHANGE: value = (int64_t)value < 0 ? -value : value; /* fall through */
  case TS_IR_TYPE_BYTES: ts_ir_write_text(w, ts_ir_spell_bytes(value).text); break;
  case TS_IR_TYPE_WORD: ts_ir_write_text(w, f->words[value]); break;
  case TS_IR_TYPE_REF:
  case TS_IR_TYPE_GROUP: ts_ir_write_symbol(w, ts_ir_target(f), (uint32_t)value); break;
  case TS_IR_TYPE_LOC: out_place(w, (uint32_t)value); break;
  case TS_IR_TYPE_AXES: out_axes(w, (uint32_t)value); break;
  case TS_IR_TYPE_COLLECTIVES: out_collectives(w, (uint32_t)value); break;
  case TS_IR_TYPE_TENTHS: ts_ir_out_tenths(&w->to, at); break;
  case TS_IR_TYPE_SHA256: out_sha256(w, at); break;
  case TS_IR_TYPE_VERTEX: out_vertex(w, (uint32_t)value); break;
  case TS_IR_TYPE_ARROW: ts_ir_write_text(w, value ? "--" : "->"); break;
  case TS_IR_TYPE_RANKS: out_ranks(w, record); break;
  case TS_IR_TYPE_COVARIANCE: out_covariance(w, record); break;
  case TS_IR_TYPE_DEPS: out_deps(w, record); break;
  default:
    dimension = ts_ir_dimension_of(f->type);
    ts_ir_write_text(w, dimension == TS_IR_DIMENSIONS ?
                          ts_ir_spell_plain(ts_ir_get_real(f, record)).text :
                          ts_ir_spell_real(ts_ir_get_real(f, record), dimension).text);
  }
}

static bool is_left_out(const ts_ir_writer *w, const ts_ir_field *f, const void *record,
                        const void *usual)
{
  uint32_t with;
  memcpy(&with, (const char *)record + f->with, sizeof with);
  if (f->always || (f->with && with))
    return false;
  switch (f->type) {
  case TS_IR_TYPE_FLAG: return !(ts_ir_get(f, record) & (f->bit ? f->bit : 1));
  case TS_IR_TYPE_NAME:
  case TS_IR_TYPE_QUOTED: return !*ts_ir_write_string(w, (ts_ir_str)ts_ir_get(f, record));
  case TS_IR_TYPE_FREE: return true;
  case TS_IR_TYPE_PIPELINE: return w->ir->meta->pipeline_axis != w->index;
  case TS_IR_TYPE_NAMED:
    return !strcmp(w->symbol, ts_ir_write_string(w, (ts_ir_str)ts_ir_get(f, record)));
  default: return ts_ir_same_field(f, record, usual);
  }
}

static void write_field(ts_ir_writer *w, const ts_ir_field *f, const void *record)
{
  if (f->type == TS_IR_TYPE_ALLOC) {
    out_mems(w, record);
    return;
  }
  ts_ir_write_text(w, *f->word ? " " : "");
  ts_ir_write_text(w, f->word);
  if (f->type == TS_IR_TYPE_FLAG || f->type == TS_IR_TYPE_PIPELINE)
    return;
  ts_ir_write_text(w, " ");
  write_value(w, f, record);
}

void ts_ir_write_fields(ts_ir_writer *w, const ts_ir_field *f, const void *record,
                        const void *usual)
{
  for (; f->name; f++)
    if (f->place != TS_IR_PLACE_BY_HAND && ts_ir_has_field(f, record) &&
        (f->place == TS_IR_PLACE_NEEDED || !is_left_out(w, f, record, usual)))
      write_field(w, f, record);
}

/* The fields of a record, but for what is usual. */
void ts_ir_write_record(ts_ir_writer *w, const ts_ir_form *form, const void *record)
{
  uint64_t usual[TS_IR_LARGEST / sizeof(uint64_t)] = {0};
  ts_ir_make_usual(form, usual);
  for (const ts_ir_field *f = form->fields; f->name && f->place == TS_IR_PLACE_NEEDED; f++)
    memcpy((char *)usual + f->offset, (const char *)record + f->offset, f->size);
  ts_ir_make_usual_here(form->kind, w->index, usual);
  ts_ir_write_fields(w, form->fields, record, usual);
}

static void write_table(ts_ir_writer *w, const ts_ir_form *form)
{
  const uint8_t *record = ts_ir_records(w->ir, form->kind);
  uint32_t count = ts_ir_count(w->ir, form->kind), size = ts_ir_tables[form->kind].record_size;
  for (w->index = 0; w->index < count; w->index++, record += size) {
    ts_ir_write_text(w, form->word);
    if (form->title) {
      w->symbol = w->names[form->kind][w->index];
      ts_ir_write_text(w, " ");
      ts_ir_out_name(&w->to, w->symbol);
    }
    ts_ir_write_record(w, form, record);
    if (form->kind == TS_IR_NET_MODELS)
      write_block(w, (const ts_ir_net_model *)(const void *)record);
    ts_ir_write_text(w, "\n");
  }
}

/* Records that belong to another: with or without their word. */
void ts_ir_write_run(ts_ir_writer *w, const ts_ir_form *form, const char *begin, uint32_t first,
                     uint32_t count)
{
  uint32_t size = ts_ir_tables[form->kind].record_size;
  const uint8_t *record = ts_ir_records(w->ir, form->kind);
  record = count ? record + (size_t)first * size : record;
  for (uint32_t i = 0; i < count; i++, record += size) {
    ts_ir_write_text(w, begin);
    ts_ir_write_record(w, form, record);
    ts_ir_write_text(w, "\n");
  }
}

/* A statement on the whole, unless all is as usual. */
static void write_whole(ts_ir_writer *w, const ts_ir_form *form)
{
  ts_ir_meta usual = {0};
  bool said = false;
  ts_ir_make_usual(form, &usual);
  for (const ts_ir_field *f = form->fields; f->name; f++)
    said |= !is_left_out(w, f, w->ir->meta, &usual);
  if (!said)
    return;
  ts_ir_write_text(w, form->word);
  ts_ir_write_fields(w, form->fields, w->ir->meta, &usual);
  ts_ir_write_text(w, "\n");
}

static void write_block(ts_ir_writer *w, const ts_ir_net_model *m)
{
  if (!ts_ir_net_has_block(m->kind))
    return;
  ts_ir_write_text(w, " {\n");
  ts_ir_write_run(w, &ts_ir_forms[TS_IR_FORM_method], "  method", m->first_method, m->method_count);
  ts_ir_write_run(w, &ts_ir_forms[TS_IR_FORM_curve], "  curve", m->first_curve, m->curve_count);
  ts_ir_write_run(w, &ts_ir_forms[TS_IR_FORM_point], " ", m->first_point, m->point_count);
  ts_ir_write_text(w, "}");
}

/* ---- cluster ---- */

static void write_vertices(ts_ir_writer *w, const ts_ir_array *a)
{
  const ts_ir_device *first = &w->ir->devices[a->first];
  ts_ir_device usual = *first;
  usual.speed = 1;
  for (uint32_t i = 0; i < a->count; i++) {
    if (first[i].device_class == first->device_class && first[i].speed == 1)
      continue;
    ts_ir_write_text(w, "vertex ");
    out_vertex(w, a->first + i);
    ts_ir_write_fields(w, ts_ir_forms[TS_IR_FORM_vertex].fields, &first[i], &usual);
    ts_ir_write_text(w, "\n");
  }
}

static void write_arrays(ts_ir_writer *w)
{
  for (uint32_t i = 0; i < w->ir->arrays_count; i++) {
    const ts_ir_array *a = &w->ir->arrays[i];
    ts_ir_write_text(w, a->kind == TS_IR_DEVICE ? "devices " : "switches ");
    out_array(w, i, a->dims, a->dim);
    if (a->kind == TS_IR_DEVICE) {
      ts_ir_write_text(w, " of ");
      ts_ir_write_symbol(w, TS_IR_DEVICE_CLASSES, w->ir->devices[a->first].device_class);
    }
    w->symbol = w->names[TS_IR_ARRAYS][i];
    ts_ir_write_record(w, &ts_ir_forms[TS_IR_FORM_devices], a);
    ts_ir_write_text(w, "\n");
    write_vertices(w, a);
  }
}

static void write_placement(ts_ir_writer *w)
{
  const uint32_t *at = w->ir->placement;
  uint32_t count = w->ir->placement_count, ranges = 0;
  for (uint32_t i = 0, next; i < count; i = next) {
    for (next = i + 1; next < count && at[next] == at[i] + (next - i);)
      next++;
    ts_ir_out(&w->to, "%s%u", ranges++ % 16 ? ", " : ranges > 1 ? "\nplace " : "place ", at[i]);
    if (next > i + 1)
      ts_ir_out(&w->to, "..%u", at[next - 1]);
  }
  ts_ir_write_text(w, count ? "\n" : "");
}

/* ---- the whole ---- */

static void write_remarks(ts_ir_writer *w)
{
  const ts_ir_form *form = &ts_ir_forms[TS_IR_FORM_remark];
  for (uint32_t i = 0; i < w->ir->remarks_count; i++) {
    const ts_ir_remark *r = &w->ir->remarks[i];
    ts_ir_write_text(w, r->kind == TS_IR_REMARK_WARNING ? "" : form->word);
    ts_ir_write_text(w, r->kind == TS_IR_REMARK_WARNING ? ts_ir_remark_names[r->kind] : "");
    static const ts_ir_remark usual = {.loc = TS_IR_NONE};
    ts_ir_write_fields(w, form->fields + (r->kind == TS_IR_REMARK_WARNING), r, &usual);
    ts_ir_write_text(w, "\n");
  }
}

static void write_form(ts_ir_writer *w, uint32_t form)
{
  switch (form) {
  case TS_IR_FORM_devices: write_arrays(w); break;
  case TS_IR_FORM_place: write_placement(w); break;
  case TS_IR_FORM_fragment:
    for (uint32_t i = 0; i < w->ir->fragments_count; i++)
      ts_ir_write_fragment(w, &w->ir->fragments[i], i);
    break;
  case TS_IR_FORM_program:
    for (uint32_t i = 0; i < w->ir->programs_count; i++)
      ts_ir_write_program(w, &w->ir->programs[i]);
    break;
  case TS_IR_FORM_remark: write_remarks(w); break;
  case TS_IR_FORM_switches: case TS_IR_FORM_vertex: case TS_IR_FORM_warning:
    break; /* with others */
  default:
    if (ts_ir_forms[form].kind == TS_IR_META)
      write_whole(w, &ts_ir_forms[form]);
    else
      write_table(w, &ts_ir_forms[form]);
  }
}

/* An empty line stands before the first of these if there are records of its kind. */
static bool begins_part(const ts_ir *ir, uint32_t form)
{
  switch (form) {
  case TS_IR_FORM_source: return ir->sources_count;
  case TS_IR_FORM_plan: return true;
  case TS_IR_FORM_axis: return ir->axes_count;
  case TS_IR_FORM_cost_source: return ir->cost_sources_count;
  case TS_IR_FORM_calibration: return ir->calibrations_count;
  case TS_IR_FORM_device_class: return ir->arrays_count;
  case TS_IR_FORM_net_model: return ir->net_models_count;
  case TS_IR_FORM_stream: return ir->streams_count;
  case TS_IR_FORM_kernel: return ir->kernels_count;
  case TS_IR_FORM_collective: return ir->collectives_count;
  case TS_IR_FORM_spread: return ir->spreads_count || ir->validations_count;
  case TS_IR_FORM_remark: return ir->remarks_count;
  default: return false;
  }
}

int ts_ir_print(const ts_ir *ir, void (*put_bytes)(void *closure, const char *bytes, size_t size),
                void *closure)
{
  if (ts_ir_verify(ir, NULL))
    return -1;
  ts_arena *arena = ts_arena_new("text form of the IR");
  ts_ir_writer *w = TS_NEW(arena, ts_ir_writer);
  w->ir = ir;
  w->to.put = put_bytes;
  w->to.closure = closure;
  w->arena = w->taken.arena = arena;
  w->comm_stream = ts_ir_first_comm_stream(ir);
  name_all(w);
  ts_ir_out(&w->to, "version %u\n", TS_IR_VERSION);
  for (uint32_t form = 0; form < TS_IR_FORMS; form++) {
    ts_ir_write_text(w, begins_part(ir, form) ? "\n" : "");
    if (!ts_ir_forms[form].inner)
      write_form(w, form);
  }
  ts_ir_out_flush(&w->to);
  ts_arena_free(arena);
  return 0;
}
