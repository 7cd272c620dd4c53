/* Writer of the text form, which reads back to the same content: the forms of ir/records.def, one
 * after the other. What is usual is left out. */
#include <stdio.h>
#include <string.h>

#include "ir/layout.h"
#include "ir/text/output.h"
#include "ir/text/text.h"

typedef struct write_writer {
  const ts_ir *ir;
  ts_ir_output to;
  ts_arena *arena;
  ts_ir_symbols taken;                    /* symbols by kind, labels by fragment */
  const char **names[TS_IR_SECTION_KINDS]; /* the symbol of each record */
  const char *symbol;             /* of the record that is written */
  uint32_t index;                 /* its place in its table */
  const ts_ir_fragment *fragment; /* that is written */
  uint32_t labels;                /* the space of its labels */
  uint32_t comm_stream;
} write_writer;

/* ---- output ---- */

#define out(w, ...) ts_ir_out(&(w)->to, __VA_ARGS__)
static void write_put(write_writer *w, const char *text) { ts_ir_out_text(&w->to, text); }
static void out_name(write_writer *w, const char *name) { ts_ir_out_name(&w->to, name); }
static const char *text(const write_writer *w, ts_ir_str s) { return w->ir->strings + s; }

static void write_block(write_writer *w, const ts_ir_net_model *m);

/* ---- symbols ---- */

/* `name`, or with a number behind it if another record of the kind has it. */
static const char *new_symbol(write_writer *w, uint32_t kind, const char *name)
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

static const char **name_room(write_writer *w, uint32_t kind)
{
  return w->names[kind] = TS_NEW_ARRAY(w->arena, const char *, ts_ir_count(w->ir, kind) + 1);
}

/* Symbols of records that have a name. */
static void name_records(write_writer *w, uint32_t kind, const ts_ir_field *name_field)
{
  const char **names = name_room(w, kind);
  const uint8_t *record = ts_ir_records(w->ir, kind);
  for (uint32_t i = 0; i < ts_ir_count(w->ir, kind);
       i++, record += ts_ir_tables[kind].record_size) {
    const char *name = text(w, (ts_ir_str)ts_ir_get(name_field, record));
    /* where an array's name is split from its dimensions */
    bool brackets = kind == TS_IR_ARRAYS && strchr(name, '[');
    names[i] = new_symbol(w, kind, brackets ? "array" : *name ? name : ts_ir_title(kind));
  }
}

static void name_all(write_writer *w)
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

static void out_symbol(write_writer *w, uint32_t kind, uint32_t index)
{
  out_name(w, w->names[kind][index]);
}

/* ---- values ---- */

static void out_place(write_writer *w, uint32_t loc)
{
  const ts_ir_loc *l = &w->ir->locs[loc];
  out_symbol(w, TS_IR_SOURCES, l->source);
  out(w, " %u:%u", l->line, l->column);
  if (l->end_column != l->column)
    out(w, "-%u", l->end_column);
}

static void out_axes(write_writer *w, uint32_t axes)
{
  for (uint32_t a = 0; a < w->ir->axes_count; a++)
    if (axes >> a & 1) {
      write_put(w, axes & ((1u << a) - 1) ? ", " : "");
      out_symbol(w, TS_IR_AXES, a);
    }
}

static void out_collectives(write_writer *w, uint32_t mask)
{
  write_put(w, mask ? "" : "none");
  for (uint32_t k = 0; k < TS_IR_COLLECTIVE_KINDS; k++)
    if (mask >> k & 1)
      out(w, "%s%s", mask & ((1u << k) - 1) ? ", " : "", ts_ir_collective_names[k]);
}

/* The symbol of an array with numbers behind it. */
static void out_array(write_writer *w, uint32_t array, uint32_t count, const uint32_t *number)
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

static void out_vertex(write_writer *w, uint32_t vertex)
{
  uint32_t array = w->ir->devices[vertex].array, index[4] = {0};
  const ts_ir_array *a = &w->ir->arrays[array];
  uint32_t rest = vertex - a->first;
  for (uint32_t d = a->dims; d-- > 0; rest /= a->dim[d])
    index[d] = rest % a->dim[d];
  out_array(w, array, a->dims, index);
}

static void out_sha256(write_writer *w, const uint8_t *digest)
{
  write_put(w, "\"");
  for (int b = 0; b < 32; b++)
    out(w, "%02x", digest[b]);
  write_put(w, "\"");
}

static void out_ranks(write_writer *w, const ts_ir_group *g)
{
  for (uint32_t k = 0, at = g->first_rank; k < g->rank_count; k++, at++)
    out(w, "%s%u", !k ? "" : k % g->size ? ", " : " and ", w->ir->group_ranks[at]);
}

static void out_covariance(write_writer *w, const ts_ir_calibration *k)
{
  for (uint32_t j = 0; j < w->ir->calibrations_count; j++)
    out(w, "%s%s", j ? ", " : "", ts_ir_spell_plain(k->covariance[j]).text);
}

/* Dependencies go by label where it leads to the right node. */
static void out_deps(write_writer *w, const ts_ir_node *n)
{
  for (uint32_t i = 0; i < n->dep_count; i++) {
    uint32_t dep = w->ir->deps[n->first_dep + i];
    const char *label = text(w, w->ir->nodes[w->fragment->first_node + dep].label);
    write_put(w, i ? ", " : "");
    if (ts_ir_symbol_of(&w->taken, w->labels, label)->value == dep)
      out_name(w, label);
    else
      out(w, "@%u", dep);
  }
}

/* ---- fields ---- */

static void write_fields(write_writer *w, const ts_ir_field *f, const void *record,
                         const void *usual);

static void out_mems(write_writer *w, const ts_ir_node *n)
{
  for (uint32_t i = 0; i < n->mem_count; i++) {
    const ts_ir_mem *m = &w->ir->mems[n->first_mem + i], none = {0};
    write_put(w, m->bytes < 0 ? " free" : " alloc");
    write_fields(w, ts_ir_forms[TS_IR_FORM_mem].fields, m, &none);
  }
}

static void write_value(write_writer *w, const ts_ir_field *f, const void *record)
{
  const void *at = (const char *)record + f->offset;
  uint64_t value = ts_ir_get(f, record);
  ts_ir_dimension dimension;
  switch (f->type) {
  case TS_IR_TYPE_NAME: case TS_IR_TYPE_NAMED: out_name(w, text(w, (ts_ir_str)value)); break;
  case TS_IR_TYPE_QUOTED: ts_ir_out_quoted(&w->to, text(w, (ts_ir_str)value)); break;
  case TS_IR_TYPE_COUNT: out(w, "%llu", (unsigned long long)value); break;
  case TS_IR_TYPE_TIME: write_put(w, ts_ir_spell_time(value).text); break;
  case TS_IR_TYPE_CHANGE: value = (int64_t)value < 0 ? -value : value; /* fall through */
  case TS_IR_TYPE_BYTES: write_put(w, ts_ir_spell_bytes(value).text); break;
  case TS_IR_TYPE_WORD: write_put(w, f->words[value]); break;
  case TS_IR_TYPE_REF: case TS_IR_TYPE_GROUP:
    out_symbol(w, ts_ir_target(f), (uint32_t)value);
    break;
  case TS_IR_TYPE_LOC: out_place(w, (uint32_t)value); break;
  case TS_IR_TYPE_AXES: out_axes(w, (uint32_t)value); break;
  case TS_IR_TYPE_COLLECTIVES: out_collectives(w, (uint32_t)value); break;
  case TS_IR_TYPE_TENTHS: ts_ir_out_tenths(&w->to, at); break;
  case TS_IR_TYPE_SHA256: out_sha256(w, at); break;
  case TS_IR_TYPE_VERTEX: out_vertex(w, (uint32_t)value); break;
  case TS_IR_TYPE_ARROW: write_put(w, value ? "--" : "->"); break;
  case TS_IR_TYPE_RANKS: out_ranks(w, record); break;
  case TS_IR_TYPE_COVARIANCE: out_covariance(w, record); break;
  case TS_IR_TYPE_DEPS: out_deps(w, record); break;
  default:
    dimension = ts_ir_dimension_of(f->type);
    write_put(w, dimension == TS_IR_DIMENSIONS ?
                   ts_ir_spell_plain(ts_ir_get_real(f, record)).text :
                   ts_ir_spell_real(ts_ir_get_real(f, record), dimension).text);
  }
}

static bool is_left_out(const write_writer *w, const ts_ir_field *f, const void *record,
                        const void *usual)
{
  uint32_t with;
  memcpy(&with, (const char *)record + f->with, sizeof with);
  if (f->always || (f->with && with))
    return false;
  switch (f->type) {
  case TS_IR_TYPE_FLAG: return !(ts_ir_get(f, record) & (f->bit ? f->bit : 1));
  case TS_IR_TYPE_NAME: case TS_IR_TYPE_QUOTED:
    return !*text(w, (ts_ir_str)ts_ir_get(f, record));
  case TS_IR_TYPE_FREE: return true;
  case TS_IR_TYPE_PIPELINE: return w->ir->meta->pipeline_axis != w->index;
  case TS_IR_TYPE_NAMED:
    return !strcmp(w->symbol, text(w, (ts_ir_str)ts_ir_get(f, record)));
  default: return ts_ir_same_field(f, record, usual);
  }
}

static void write_field(write_writer *w, const ts_ir_field *f, const void *record)
{
  if (f->type == TS_IR_TYPE_ALLOC) {
    out_mems(w, record);
    return;
  }
  write_put(w, *f->word ? " " : "");
  write_put(w, f->word);
  if (f->type == TS_IR_TYPE_FLAG || f->type == TS_IR_TYPE_PIPELINE)
    return;
  write_put(w, " ");
  write_value(w, f, record);
}

static void write_fields(write_writer *w, const ts_ir_field *f, const void *record,
                         const void *usual)
{
  for (; f->name; f++)
    if (f->place != TS_IR_PLACE_BY_HAND && ts_ir_has_field(f, record) &&
        (f->place == TS_IR_PLACE_NEEDED || !is_left_out(w, f, record, usual)))
      write_field(w, f, record);
}

/* The fields of a record, but for what is usual. */
static void write_record(write_writer *w, const ts_ir_form *form, const void *record)
{
  uint64_t usual[TS_IR_LARGEST / sizeof(uint64_t)] = {0};
  ts_ir_make_usual(form, usual);
  for (const ts_ir_field *f = form->fields; f->name && f->place == TS_IR_PLACE_NEEDED; f++)
    memcpy((char *)usual + f->offset, (const char *)record + f->offset, f->size);
  ts_ir_make_usual_here(form->kind, w->index, usual);
  write_fields(w, form->fields, record, usual);
}

static void write_table(write_writer *w, const ts_ir_form *form)
{
  const uint8_t *record = ts_ir_records(w->ir, form->kind);
  uint32_t count = ts_ir_count(w->ir, form->kind), size = ts_ir_tables[form->kind].record_size;
  for (w->index = 0; w->index < count; w->index++, record += size) {
    write_put(w, form->word);
    if (form->title) {
      w->symbol = w->names[form->kind][w->index];
      write_put(w, " ");
      out_name(w, w->symbol);
    }
    write_record(w, form, record);
    if (form->kind == TS_IR_NET_MODELS)
      write_block(w, (const ts_ir_net_model *)(const void *)record);
    write_put(w, "\n");
  }
}

/* Records that belong to another: with or without their word. */
static void write_run(write_writer *w, const ts_ir_form *form, const char *begin, uint32_t first,
                      uint32_t count)
{
  uint32_t size = ts_ir_tables[form->kind].record_size;
  const uint8_t *record = ts_ir_records(w->ir, form->kind);
  record = count ? record + (size_t)first * size : record;
  for (uint32_t i = 0; i < count; i++, record += size) {
    write_put(w, begin);
    write_record(w, form, record);
    write_put(w, "\n");
  }
}

/* A statement on the whole, unless all is as usual. */
static void write_whole(write_writer *w, const ts_ir_form *form)
{
  ts_ir_meta usual = {0};
  bool said = false;
  ts_ir_make_usual(form, &usual);
  for (const ts_ir_field *f = form->fields; f->name; f++)
    said |= !is_left_out(w, f, w->ir->meta, &usual);
  if (!said)
    return;
  write_put(w, form->word);
  write_fields(w, form->fields, w->ir->meta, &usual);
  write_put(w, "\n");
}

static void write_block(write_writer *w, const ts_ir_net_model *m)
{
  if (!ts_ir_net_has_block(m->kind))
    return;
  write_put(w, " {\n");
  write_run(w, &ts_ir_forms[TS_IR_FORM_method], "  method", m->first_method, m->method_count);
  write_run(w, &ts_ir_forms[TS_IR_FORM_curve], "  curve", m->first_curve, m->curve_count);
  write_run(w, &ts_ir_forms[TS_IR_FORM_point], " ", m->first_point, m->point_count);
  write_put(w, "}");
}

/* ---- cluster ---- */

static void write_vertices(write_writer *w, const ts_ir_array *a)
{
  const ts_ir_device *first = &w->ir->devices[a->first];
  ts_ir_device usual = *first;
  usual.speed = 1;
  for (uint32_t i = 0; i < a->count; i++) {
    if (first[i].device_class == first->device_class && first[i].speed == 1)
      continue;
    write_put(w, "vertex ");
    out_vertex(w, a->first + i);
    write_fields(w, ts_ir_forms[TS_IR_FORM_vertex].fields, &first[i], &usual);
    write_put(w, "\n");
  }
}

static void write_arrays(write_writer *w)
{
  for (uint32_t i = 0; i < w->ir->arrays_count; i++) {
    const ts_ir_array *a = &w->ir->arrays[i];
    write_put(w, a->kind == TS_IR_DEVICE ? "devices " : "switches ");
    out_array(w, i, a->dims, a->dim);
    if (a->kind == TS_IR_DEVICE) {
      write_put(w, " of ");
      out_symbol(w, TS_IR_DEVICE_CLASSES, w->ir->devices[a->first].device_class);
    }
    w->symbol = w->names[TS_IR_ARRAYS][i];
    write_record(w, &ts_ir_forms[TS_IR_FORM_devices], a);
    write_put(w, "\n");
    write_vertices(w, a);
  }
}

static void write_placement(write_writer *w)
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
  write_put(w, count ? "\n" : "");
}

/* ---- fragments ---- */

static bool is_usual_label(const write_writer *w, const ts_ir_node *n)
{
  const char *label = text(w, n->label);
  if (n->op == TS_IR_COMPUTE || n->op == TS_IR_COLLECTIVE)
    return !strcmp(label, w->names[n->op ? TS_IR_COLLECTIVES : TS_IR_KERNELS][n->arg]);
  return !strcmp(label, ts_ir_op_names[n->op]);
}

static void out_op(write_writer *w, const ts_ir_node *n, uint32_t ports_above)
{
  write_put(w, ts_ir_op_names[n->op]);
  if (n->op == TS_IR_COMPUTE || n->op == TS_IR_COLLECTIVE) {
    write_put(w, " ");
    out_symbol(w, n->op == TS_IR_COMPUTE ? TS_IR_KERNELS : TS_IR_COLLECTIVES, n->arg);
  } else if (n->op == TS_IR_HOST_WORK)
    out(w, " %s", ts_ir_spell_time(n->host_ps).text);
  else if (n->op == TS_IR_RECORD && n->arg)
    out(w, " any %u", n->arg);
  else if (n->op == TS_IR_SEND || n->op == TS_IR_RECV) {
    const ts_ir_port *port = &w->ir->ports[w->fragment->first_port + n->arg], none = {0};
    write_fields(w, ts_ir_forms[TS_IR_FORM_port].fields, port, &none);
    if (n->arg != ports_above)
      out(w, " port %u", n->arg);
  }
}

static void write_node(write_writer *w, const ts_ir_node *n, uint32_t ports_above)
{
  ts_ir_node usual = ts_ir_usual_node(n->op, w->comm_stream, text(w, w->fragment->work));
  usual.host_ps = n->op == TS_IR_HOST_WORK ? n->host_ps : 0;
  write_put(w, "  ");
  if (!is_usual_label(w, n)) {
    out_name(w, text(w, n->label));
    write_put(w, ": ");
  }
  out_op(w, n, ports_above);
  write_fields(w, ts_ir_forms[TS_IR_FORM_node].fields, n, &usual);
  write_put(w, "\n");
}

static void write_fragment(write_writer *w, const ts_ir_fragment *f, uint32_t index)
{
  uint32_t ports = 0;
  w->fragment = f;
  w->labels = TS_IR_SECTION_KINDS + index;
  w->symbol = w->names[TS_IR_FRAGMENTS][index];
  write_put(w, "\nfragment ");
  out_name(w, w->symbol);
  write_record(w, &ts_ir_forms[TS_IR_FORM_fragment], f);
  if (strcmp(text(w, f->work), w->symbol)) {
    write_put(w, " work ");
    out_name(w, text(w, f->work));
  }
  write_put(w, " {\n");
  for (uint32_t n = 0; n < f->node_count; n++) {
    const ts_ir_node *node = &w->ir->nodes[f->first_node + n];
    write_node(w, node, ports);
    ports += node->op == TS_IR_SEND || node->op == TS_IR_RECV;
    ts_ir_symbol_of(&w->taken, w->labels, text(w, node->label))->value = n;
  }
  write_put(w, "}\n");
}

/* ---- programs ---- */

static void write_item(write_writer *w, const ts_ir_item *t)
{
  const ts_ir_fragment *f = &w->ir->fragments[t->fragment];
  static const ts_ir_item usual = {.micro_batch = TS_IR_NONE};
  const char *name = w->names[TS_IR_FRAGMENTS][t->fragment];
  if (strcmp(name, "hold") && strcmp(name, "repeat"))
    out_name(w, name);
  else
    ts_ir_out_quoted(&w->to, name);
  write_fields(w, ts_ir_forms[TS_IR_FORM_item].fields + 1, t, &usual);
  for (uint32_t p = 0; p < f->port_count; p++) {
    const ts_ir_binding *b = &w->ir->bindings[t->first_binding + p];
    ts_ir_binding same = {.tag = t->micro_batch == TS_IR_NONE ? 0 : t->micro_batch};
    write_put(w, w->ir->ports[f->first_port + p].is_send ? " to" : " from");
    write_fields(w, ts_ir_forms[TS_IR_FORM_binding].fields, b, &same);
  }
}

static void indent(write_writer *w, uint32_t depth)
{
  for (uint32_t i = 0; i <= depth; i++)
    write_put(w, "  ");
}

/* Items `at` to `end` of those that are listed; returns the loop behind them. */
static size_t write_items(write_writer *w, const ts_ir_packed *p, uint32_t at, uint32_t end,
                          size_t loop, uint32_t depth)
{
  static const ts_ir_loop usual = {.step = 1};
  while (at < end) {
    const ts_ir_loop *l = loop < p->loops.count ? &p->loops.at[loop] : NULL;
    indent(w, depth);
    if (!l || l->first_item != at) {
      write_item(w, &w->ir->items[p->items.at[at++]]);
      write_put(w, "\n");
      continue;
    }
    bool line = l->item_count == 1;
    write_put(w, ts_ir_forms[TS_IR_FORM_repeat].word);
    write_fields(w, ts_ir_forms[TS_IR_FORM_repeat].fields, l, &usual);
    write_put(w, line ? " { " : " {\n");
    if (line)
      write_item(w, &w->ir->items[p->items.at[at]]);
    loop = line ? loop + 1 : write_items(w, p, at, at + l->item_count, loop + 1, depth + 1);
    at += l->item_count;
    if (!line)
      indent(w, depth);
    write_put(w, line ? " }\n" : "}\n");
  }
  return loop;
}

static void write_program(write_writer *w, const ts_ir_program *p)
{
  write_put(w, "\nprogram ");
  out_name(w, text(w, p->name));
  write_record(w, &ts_ir_forms[TS_IR_FORM_program], p);
  write_put(w, " {\n");
  write_run(w, &ts_ir_forms[TS_IR_FORM_hold], "  hold", p->first_holding, p->holding_count);
  ts_arena *arena = ts_arena_new("loops");
  ts_ir_packed packed = ts_ir_find_loops(arena, w->ir, p->first_item, p->item_count);
  write_items(w, &packed, 0, (uint32_t)packed.items.count, 0, 0);
  ts_arena_free(arena);
  write_put(w, "}\n");
}

/* ---- the whole ---- */

static void write_remarks(write_writer *w)
{
  const ts_ir_form *form = &ts_ir_forms[TS_IR_FORM_remark];
  for (uint32_t i = 0; i < w->ir->remarks_count; i++) {
    const ts_ir_remark *r = &w->ir->remarks[i];
    write_put(w, r->kind == TS_IR_REMARK_WARNING ? "" : form->word);
    write_put(w, r->kind == TS_IR_REMARK_WARNING ? ts_ir_remark_names[r->kind] : "");
    static const ts_ir_remark usual = {.loc = TS_IR_NONE};
    write_fields(w, form->fields + (r->kind == TS_IR_REMARK_WARNING), r, &usual);
    write_put(w, "\n");
  }
}

static void write_form(write_writer *w, uint32_t form)
{
  switch (form) {
  case TS_IR_FORM_devices: write_arrays(w); break;
  case TS_IR_FORM_place: write_placement(w); break;
  case TS_IR_FORM_fragment:
    for (uint32_t i = 0; i < w->ir->fragments_count; i++)
      write_fragment(w, &w->ir->fragments[i], i);
    break;
  case TS_IR_FORM_program:
    for (uint32_t i = 0; i < w->ir->programs_count; i++)
      write_program(w, &w->ir->programs[i]);
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
  write_writer *w = TS_NEW(arena, write_writer);
  w->ir = ir;
  w->to.put = put_bytes;
  w->to.closure = closure;
  w->arena = w->taken.arena = arena;
  w->comm_stream = ts_ir_first_comm_stream(ir);
  name_all(w);
  out(w, "version %u\n", TS_IR_VERSION);
  for (uint32_t form = 0; form < TS_IR_FORMS; form++) {
    write_put(w, begins_part(ir, form) ? "\n" : "");
    if (!ts_ir_forms[form].inner)
      write_form(w, form);
  }
  ts_ir_out_flush(&w->to);
  ts_arena_free(arena);
  return 0;
}
