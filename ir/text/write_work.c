/* Writer of the text form: fragments with their nodes, and programs. */
#include <string.h>

#include "ir/text/write_internal.h"

/* ---- fragments ---- */

static bool is_usual_label(const ts_ir_writer *w, const ts_ir_node *n)
{
  const char *label = ts_ir_write_string(w, n->label);
  if (n->op == TS_IR_COMPUTE || n->op == TS_IR_COLLECTIVE)
    return !strcmp(label, w->names[n->op ? TS_IR_COLLECTIVES : TS_IR_KERNELS][n->arg]);
  return !strcmp(label, ts_ir_op_names[n->op]);
}

static void out_op(ts_ir_writer *w, const ts_ir_node *n, uint32_t ports_above)
{
  ts_ir_write_text(w, ts_ir_op_names[n->op]);
  if (n->op == TS_IR_COMPUTE || n->op == TS_IR_COLLECTIVE) {
    ts_ir_write_text(w, " ");
    ts_ir_write_symbol(w, n->op == TS_IR_COMPUTE ? TS_IR_KERNELS : TS_IR_COLLECTIVES, n->arg);
  } else if (n->op == TS_IR_HOST_WORK)
    ts_ir_out(&w->to, " %s", ts_ir_spell_time(n->host_ps).text);
  else if (n->op == TS_IR_RECORD && n->arg)
    ts_ir_out(&w->to, " any %u", n->arg);
  else if (n->op == TS_IR_SEND || n->op == TS_IR_RECV) {
    const ts_ir_port *port = &w->ir->ports[w->fragment->first_port + n->arg], none = {0};
    ts_ir_write_fields(w, ts_ir_forms[TS_IR_FORM_port].fields, port, &none);
    if (n->arg != ports_above)
      ts_ir_out(&w->to, " port %u", n->arg);
  }
}

static void write_node(ts_ir_writer *w, const ts_ir_node *n, uint32_t ports_above)
{
  ts_ir_node usual =
    ts_ir_usual_node(n->op, w->comm_stream, ts_ir_write_string(w, w->fragment->work));
  usual.host_ps = n->op == TS_IR_HOST_WORK ? n->host_ps : 0;
  ts_ir_write_text(w, "  ");
  if (!is_usual_label(w, n)) {
    ts_ir_out_name(&w->to, ts_ir_write_string(w, n->label));
    ts_ir_write_text(w, ": ");
  }
  out_op(w, n, ports_above);
  ts_ir_write_fields(w, ts_ir_forms[TS_IR_FORM_node].fields, n, &usual);
  ts_ir_write_text(w, "\n");
}

void ts_ir_write_fragment(ts_ir_writer *w, const ts_ir_fragment *f, uint32_t index)
{
  uint32_t ports = 0;
  w->fragment = f;
  w->labels = TS_IR_SECTION_KINDS + index;
  w->symbol = w->names[TS_IR_FRAGMENTS][index];
  ts_ir_write_text(w, "\nfragment ");
  ts_ir_out_name(&w->to, w->symbol);
  ts_ir_write_record(w, &ts_ir_forms[TS_IR_FORM_fragment], f);
  if (strcmp(ts_ir_write_string(w, f->work), w->symbol)) {
    ts_ir_write_text(w, " work ");
    ts_ir_out_name(&w->to, ts_ir_write_string(w, f->work));
  }
  ts_ir_write_text(w, " {\n");
  for (uint32_t n = 0; n < f->node_count; n++) {
    const ts_ir_node *node = &w->ir->nodes[f->first_node + n];
    write_node(w, node, ports);
    ports += node->op == TS_IR_SEND || node->op == TS_IR_RECV;
    ts_ir_symbol_of(&w->taken, w->labels, ts_ir_write_string(w, node->label))->value = n;
  }
  ts_ir_write_text(w, "}\n");
}

/* ---- programs ---- */

static void write_item(ts_ir_writer *w, const ts_ir_item *t)
{
  const ts_ir_fragment *f = &w->ir->fragments[t->fragment];
  static const ts_ir_item usual = {.micro_batch = TS_IR_NONE};
  const char *name = w->names[TS_IR_FRAGMENTS][t->fragment];
  if (strcmp(name, "hold") && strcmp(name, "repeat"))
    ts_ir_out_name(&w->to, name);
  else
    ts_ir_out_quoted(&w->to, name);
  ts_ir_write_fields(w, ts_ir_forms[TS_IR_FORM_item].fields + 1, t, &usual);
  for (uint32_t p = 0; p < f->port_count; p++) {
    const ts_ir_binding *b = &w->ir->bindings[t->first_binding + p];
    ts_ir_binding same = {.tag = t->micro_batch == TS_IR_NONE ? 0 : t->micro_batch};
    ts_ir_write_text(w, w->ir->ports[f->first_port + p].is_send ? " to" : " from");
    ts_ir_write_fields(w, ts_ir_forms[TS_IR_FORM_binding].fields, b, &same);
  }
}

static void indent(ts_ir_writer *w, uint32_t depth)
{
  for (uint32_t i = 0; i <= depth; i++)
    ts_ir_write_text(w, "  ");
}

/* Items `at` to `end` of those that are listed; returns the loop behind them. */
static size_t write_items(ts_ir_writer *w, const ts_ir_packed *p, uint32_t at, uint32_t end,
                          size_t loop, uint32_t depth)
{
  static const ts_ir_loop usual = {.step = 1};
  while (at < end) {
    const ts_ir_loop *l = loop < p->loops.count ? &p->loops.at[loop] : NULL;
    indent(w, depth);
    if (!l || l->first_item != at) {
      write_item(w, &w->ir->items[p->items.at[at++]]);
      ts_ir_write_text(w, "\n");
      continue;
    }
    bool line = l->item_count == 1;
    ts_ir_write_text(w, ts_ir_forms[TS_IR_FORM_repeat].word);
    ts_ir_write_fields(w, ts_ir_forms[TS_IR_FORM_repeat].fields, l, &usual);
    ts_ir_write_text(w, line ? " { " : " {\n");
    if (line)
      write_item(w, &w->ir->items[p->items.at[at]]);
    loop = line ? loop + 1 : write_items(w, p, at, at + l->item_count, loop + 1, depth + 1);
    at += l->item_count;
    if (!line)
      indent(w, depth);
    ts_ir_write_text(w, line ? " }\n" : "}\n");
  }
  return loop;
}

void ts_ir_write_program(ts_ir_writer *w, const ts_ir_program *p)
{
  ts_ir_write_text(w, "\nprogram ");
  ts_ir_out_name(&w->to, ts_ir_write_string(w, p->name));
  ts_ir_write_record(w, &ts_ir_forms[TS_IR_FORM_program], p);
  ts_ir_write_text(w, " {\n");
  ts_ir_write_run(w, &ts_ir_forms[TS_IR_FORM_hold], "  hold", p->first_holding, p->holding_count);
  ts_arena *arena = ts_arena_new("loops");
  ts_ir_packed packed = ts_ir_find_loops(arena, w->ir, p->first_item, p->item_count);
  write_items(w, &packed, 0, (uint32_t)packed.items.count, 0, 0);
  ts_arena_free(arena);
  ts_ir_write_text(w, "}\n");
}
