/* Reader of the text form: fragments and the programs that play them. */
#include <stdio.h>
#include <string.h>

#include "ir/layout.h"
#include "ir/loops.h"
#include "ir/text/text.h"

/* Labels are symbols of a space of their own for each fragment. */
static uint32_t label_space(uint32_t fragment) { return TS_IR_SECTION_KINDS + fragment; }

typedef struct ts_ir_body { /* a fragment while it is read */
  ts_ir_reader *r;
  uint32_t index;
  const char *work;
  uint32_t comm_stream;
  TS_VEC(ts_ir_node) nodes;
  TS_VEC(ts_ir_port) ports; /* in the order of their nodes */
  TS_VEC(uint32_t) deps;    /* of the node that is read */
  TS_VEC(ts_ir_mem) mems;
} body;

/* ---- clauses of a node ---- */

/* `@3`, the fourth node, or a label: the last node above that has it. */
static uint32_t play_take_node(body *f)
{
  ts_ir_lexer *l = &f->r->lexer;
  uint32_t count = (uint32_t)f->nodes.count;
  if (ts_ir_take(l, "@")) {
    uint32_t node = (uint32_t)ts_ir_take_count(l, "the number of a node", UINT32_MAX);
    if (node >= count)
      ts_ir_syntax(l, "node @%u is not above", node);
    return node;
  }
  if (!ts_ir_at_name(l)) {
    ts_ir_expected(l, "the label of a node above");
    return 0;
  }
  const ts_ir_symbol *symbol = ts_ir_find_symbol(&f->r->symbols, label_space(f->index), l->text);
  if (!symbol) {
    ts_ir_syntax(l, "no node above has the label `%.60s`", l->text);
    return 0;
  }
  uint32_t node = symbol->value;
  ts_ir_next(l);
  return node;
}

void ts_ir_read_after(body *f)
{
  do {
    uint32_t node = play_take_node(f);
    TS_PUSH(f->r->arena, &f->deps, node);
  } while (ts_ir_take(&f->r->lexer, ","));
}

void ts_ir_read_mem(body *f, bool freed)
{
  ts_ir_mem mem = {0};
  ts_ir_read_form(f->r, TS_IR_FORM_mem, &mem);
  mem.bytes = freed ? -mem.bytes : mem.bytes;
  TS_PUSH(f->r->arena, &f->mems, mem);
}

static void read_clauses(body *f, ts_ir_node *n)
{
  ts_ir_reader *r = f->r;
  f->deps.count = f->mems.count = 0;
  ts_ir_read_fields(r, TS_IR_NODES, ts_ir_forms[TS_IR_FORM_node].fields, n);
  if (f->deps.count > UINT16_MAX || f->mems.count > UINT16_MAX)
    ts_ir_syntax(&r->lexer, "a node has at most %u dependencies and memory effects", UINT16_MAX);
  if (r->lexer.failed)
    return;
  n->dep_count = (uint16_t)f->deps.count;
  n->mem_count = (uint16_t)f->mems.count;
  n->first_dep = ts_ir_intern_run(r->out, TS_IR_DEPS, f->deps.at, n->dep_count);
  n->first_mem = ts_ir_intern_run(r->out, TS_IR_MEMS, f->mems.at, n->mem_count);
}

/* ---- operations ---- */

/* `compute KERNEL`, or `compute 10 us` for a kernel that has no other use. Returns the label of a
 * node that has none. */
static const char *read_compute(body *f, ts_ir_node *n, const char *label)
{
  ts_ir_reader *r = f->r;
  if (r->lexer.token == TS_IR_NUMBER) {
    ts_ir_kernel kernel = {.time = ts_ir_take_whole(&r->lexer, TS_IR_TIME), .source = TS_IR_NONE};
    kernel.family = ts_ir_add_string(r->out, label ? label : "kernel");
    n->arg = ts_ir_intern(r->out, TS_IR_KERNELS, &kernel);
    return "kernel";
  }
  const char *name = ts_arena_string(r->arena, r->lexer.text, strlen(r->lexer.text));
  n->arg = ts_ir_use(r, TS_IR_KERNELS, "a kernel or a time");
  return name;
}

static const char *read_declared_collective(body *f, ts_ir_node *n)
{
  ts_ir_reader *r = f->r;
  const char *name = ts_arena_string(r->arena, r->lexer.text, strlen(r->lexer.text));
  n->arg = ts_ir_use(r, TS_IR_COLLECTIVES, "a collective");
  return name;
}

/* `all_reduce 8 MiB over GROUP`: a collective that needs no declaration. */
static const char *read_collective(body *f, ts_ir_node *n, uint32_t kind)
{
  ts_ir_reader *r = f->r;
  ts_ir_collective c = {.kind = kind};
  ts_ir_read_fields(r, TS_IR_COLLECTIVES, ts_ir_forms[TS_IR_FORM_collective].fields + 1, &c);
  n->arg = ts_ir_intern(r->out, TS_IR_COLLECTIVES, &c);
  return ts_ir_collective_names[kind];
}

/* `send 4 MiB over AXIS [port N]`: each port has one node, and the nodes number them as they come
 * unless they say otherwise. */
static const char *read_port(body *f, ts_ir_node *n)
{
  ts_ir_reader *r = f->r;
  ts_ir_lexer *l = &r->lexer;
  ts_ir_port port = {.is_send = n->op == TS_IR_SEND};
  ts_ir_read_fields(r, TS_IR_PORTS, ts_ir_forms[TS_IR_FORM_port].fields, &port);
  n->arg = (uint32_t)f->ports.count;
  if (ts_ir_take(l, "port"))
    n->arg = (uint32_t)ts_ir_take_count(l, "the number of a port", UINT32_MAX);
  TS_PUSH(r->arena, &f->ports, port);
  return port.is_send ? "send" : "recv";
}

static uint32_t index_of(const char *word, const char *const *words)
{
  uint32_t i = 0;
  while (words[i] && strcmp(words[i], word))
    i++;
  return i;
}

static const char *read_op(body *f, ts_ir_node *n, const char *word, const char *label)
{
  uint32_t op = index_of(word, ts_ir_op_names), collective = index_of(word, ts_ir_collective_names);
  *n = ts_ir_usual_node(ts_ir_is_collective(collective) ? TS_IR_COLLECTIVE : op, f->comm_stream,
                        f->work);
  if (ts_ir_is_collective(collective))
    return read_collective(f, n, collective);
  switch (op) {
  case TS_IR_COMPUTE: return read_compute(f, n, label);
  case TS_IR_COLLECTIVE: return read_declared_collective(f, n);
  case TS_IR_SEND:
  case TS_IR_RECV: return read_port(f, n);
  case TS_IR_HOST_WORK: n->host_ps = ts_ir_take_whole(&f->r->lexer, TS_IR_TIME); return word;
  case TS_IR_RECORD:
    if (ts_ir_take(&f->r->lexer, "any"))
      n->arg =
        (uint32_t)ts_ir_take_count(&f->r->lexer, "how many dependencies suffice", UINT16_MAX);
    return word;
  case TS_IR_HOST_SYNC: return word;
  default:
    ts_ir_syntax(
      &f->r->lexer,
      "`%.60s` is not an operation: expected `compute`, `send`, `recv`, `record`, `host`, "
      "`sync` or a collective",
      word);
    return word;
  }
}

static void read_node(body *f)
{
  ts_ir_reader *r = f->r;
  ts_ir_lexer *l = &r->lexer;
  bool quoted = l->token == TS_IR_QUOTED;
  const char *word = ts_ir_take_name(l, "a node or `}`"), *label = NULL;
  if (quoted && !ts_ir_is(l, ":"))
    ts_ir_expected(l, "`:` after a label");
  if (ts_ir_take(l, ":")) {
    label = word;
    word = l->token == TS_IR_WORD ? ts_ir_take_name(l, "") : "";
    if (!word[0])
      ts_ir_expected(l, "an operation");
  }
  ts_ir_node n;
  const char *usual = read_op(f, &n, word, label);
  read_clauses(f, &n);
  if (!ts_ir_at_line_end(l))
    ts_ir_expected(l, "`on`, `after`, `launch`, `alloc`, `free`, `phase` or the end of the line");
  if (l->failed)
    return;
  label = label ? label : usual;
  n.label = ts_ir_add_string(r->out, label);
  ts_ir_symbol_of(&r->symbols, label_space(f->index), label)->value = (uint32_t)f->nodes.count;
  TS_PUSH(r->arena, &f->nodes, n);
}

/* Each port where its node put it. */
static uint32_t append_ports(body *f)
{
  ts_ir_reader *r = f->r;
  size_t count = f->ports.count, next = 0;
  void *to;
  uint32_t first = ts_ir_append(r->out, TS_IR_PORTS, (uint32_t)count, &to);
  bool *taken = TS_NEW_ARRAY(r->arena, bool, count + 1);
  for (size_t i = 0; i < f->nodes.count && !r->lexer.failed; i++) {
    const ts_ir_node *n = &f->nodes.at[i];
    if (n->op != TS_IR_SEND && n->op != TS_IR_RECV)
      continue;
    if (n->arg >= count || taken[n->arg]) {
      ts_ir_syntax(&r->lexer, "the ports of the fragment are not numbered 0 to %zu", count - 1);
      break;
    }
    taken[n->arg] = true;
    ((ts_ir_port *)to)[n->arg] = f->ports.at[next++];
  }
  return first;
}

static void append_fragment(body *f, ts_ir_fragment fragment)
{
  ts_ir_reader *r = f->r;
  void *to;
  fragment.node_count = (uint32_t)f->nodes.count;
  fragment.port_count = (uint32_t)f->ports.count;
  fragment.first_port = append_ports(f);
  fragment.first_node = ts_ir_append(r->out, TS_IR_NODES, fragment.node_count, &to);
  if (fragment.node_count)
    memcpy(to, f->nodes.at, f->nodes.count * sizeof *f->nodes.at);
  ts_ir_append(r->out, TS_IR_FRAGMENTS, 1, &to);
  *(ts_ir_fragment *)to = fragment;
}

void ts_ir_read_fragment(ts_ir_reader *r)
{
  ts_ir_lexer *l = &r->lexer;
  ts_ir view;
  ts_ir_builder_view(r->out, &view);
  const char *name = ts_ir_take_name(l, "the fragment's name");
  body f = {.r = r,
            .index = view.fragments_count,
            .work = name,
            .comm_stream = ts_ir_first_comm_stream(&view)};
  ts_ir_fragment fragment = {.name = ts_ir_add_string(r->out, name)};
  ts_ir_declare(r, TS_IR_FRAGMENTS, name, f.index);
  ts_ir_read_fields(r, TS_IR_FRAGMENTS, ts_ir_forms[TS_IR_FORM_fragment].fields, &fragment);
  if (ts_ir_take(l, "work"))
    f.work = ts_ir_take_name(l, "the schedule's letter");
  fragment.work = ts_ir_add_string(r->out, f.work);
  if (!view.streams_count)
    ts_ir_syntax(l, "there is no stream above: begin with `stream compute`");
  ts_ir_begin_block(r);
  r->body = &f;
  while (ts_ir_in_block(r))
    read_node(&f);
  if (!l->failed)
    append_fragment(&f, fragment);
}

/* ---- programs ---- */

typedef struct play {
  ts_ir_reader *r;
  ts_ir view; /* fragments and ports stay where they are meanwhile */
  TS_VEC(ts_ir_item) items;
  TS_VEC(ts_ir_loop) loops;
  TS_VEC(ts_ir_holding) holdings;
  TS_VEC(ts_ir_binding) bindings; /* of the item that is read */
  ts_ir_item *next;               /* of the items of all rounds */
} play;

static void read_holding(play *p)
{
  ts_ir_holding h = {0};
  ts_ir_read_form(p->r, TS_IR_FORM_hold, &h);
  TS_PUSH(p->r->arena, &p->holdings, h);
}

/* `to 1`, `from 0 tag 7`: for each port of the fragment, in order. The tag is the micro-batch
 * unless stated. */
static void read_binding(play *p, const ts_ir_fragment *f, uint32_t tag)
{
  ts_ir_lexer *l = &p->r->lexer;
  size_t port = p->bindings.count;
  bool is_send = ts_ir_take(l, "to");
  if (!is_send)
    ts_ir_need(l, "from");
  ts_ir_binding b = {.tag = tag};
  ts_ir_read_fields(p->r, TS_IR_BINDINGS, ts_ir_forms[TS_IR_FORM_binding].fields, &b);
  if (port >= f->port_count)
    ts_ir_syntax(l, "the fragment has only %u sends and receives", f->port_count);
  else if (p->view.ports[f->first_port + port].is_send != is_send)
    ts_ir_syntax(l, "port %zu of the fragment is a %s: expected `%s`", port,
                 is_send ? "receive" : "send", is_send ? "from" : "to");
  if (!l->failed)
    TS_PUSH(p->r->arena, &p->bindings, b);
}

static void read_item(play *p)
{
  ts_ir_reader *r = p->r;
  ts_ir_lexer *l = &r->lexer;
  ts_ir_item item = {0};
  ts_ir_read_form(r, TS_IR_FORM_item, &item);
  if (l->failed)
    return;
  const ts_ir_fragment *f = &p->view.fragments[item.fragment];
  p->bindings.count = 0;
  while (ts_ir_is(l, "to") || ts_ir_is(l, "from"))
    read_binding(p, f, item.micro_batch == TS_IR_NONE ? 0 : item.micro_batch);
  if (p->bindings.count < f->port_count)
    ts_ir_syntax(l, "the fragment has %u sends and receives, %zu have a peer here: expected `%s`",
                 f->port_count, p->bindings.count,
                 p->view.ports[f->first_port + p->bindings.count].is_send ? "to" : "from");
  if (l->failed)
    return;
  item.first_binding = ts_ir_intern_run(r->out, TS_IR_BINDINGS, p->bindings.at, f->port_count);
  TS_PUSH(r->arena, &p->items, item);
}

static ts_ir_looped looped(const play *p)
{
  return (ts_ir_looped){p->items.at, (uint32_t)p->items.count, p->loops.at,
                        (uint32_t)p->loops.count};
}

/* What items `first` on, whose first loop this is, play; an error if they cannot. */
static ts_ir_unrolled count_played(play *p, uint32_t first, uint32_t loop)
{
  ts_ir_unrolled sum = p->r->unrolled;
  ts_ir_looped in = looped(p);
  ts_ir_builder_view(p->r->out, &p->view);
  const char *wrong = NULL;
  if (!p->r->lexer.failed)
    wrong = ts_ir_loops_wrong(&p->view, &in, first, in.item_count, &loop, &sum);
  if (wrong)
    ts_ir_syntax(&p->r->lexer, "%s", wrong);
  return sum;
}

static void read_line(play *p, uint32_t depth);

static void read_loop(play *p, uint32_t depth)
{
  ts_ir_reader *r = p->r;
  ts_ir_loop loop;
  ts_ir_read_form(r, TS_IR_FORM_repeat, &loop);
  loop.first_item = (uint32_t)p->items.count;
  loop.item_count = 0;
  uint32_t at = (uint32_t)p->loops.count;
  if (depth == TS_IR_LOOP_DEPTH)
    ts_ir_syntax(&r->lexer, "loops are nested more than %d deep", TS_IR_LOOP_DEPTH);
  TS_PUSH(r->arena, &p->loops, loop);
  ts_ir_begin_block(r);
  while (ts_ir_in_block(r))
    read_line(p, depth + 1);
  p->loops.at[at].item_count = (uint32_t)p->items.count - loop.first_item;
  if (!p->loops.at[at].item_count)
    ts_ir_syntax(&r->lexer, "a loop without an item");
  count_played(p, loop.first_item, at);
}

static void read_line(play *p, uint32_t depth)
{
  ts_ir_lexer *l = &p->r->lexer;
  if (ts_ir_take(l, "repeat"))
    read_loop(p, depth);
  else
    read_item(p);
  if (!ts_ir_at_line_end(l))
    ts_ir_expected(l, "the end of the line");
}

static void play_item(void *closure, const ts_ir_item *item, uint32_t moved)
{
  play *p = closure;
  ts_ir_reader *r = p->r;
  *p->next = *item;
  if (moved && item->micro_batch != TS_IR_NONE) {
    uint32_t ports = p->view.fragments[item->fragment].port_count;
    p->bindings.count = 0;
    for (uint32_t i = 0; i < ports; i++) {
      ts_ir_binding b =
        ((ts_ir_binding *)ts_ir_builder_records(r->out, TS_IR_BINDINGS))[item->first_binding + i];
      b.tag += moved;
      TS_PUSH(r->arena, &p->bindings, b);
    }
    p->next->micro_batch += moved;
    p->next->first_binding = ts_ir_intern_run(r->out, TS_IR_BINDINGS, p->bindings.at, ports);
  }
  if (p->next->micro_batch != TS_IR_NONE && p->next->micro_batch >= r->played_micro_batches)
    r->played_micro_batches = p->next->micro_batch + 1;
  p->next++;
}

/* The items of all rounds, once they are known to be few enough. */
static uint32_t unroll(play *p, uint32_t *count)
{
  ts_ir_unrolled before = p->r->unrolled;
  p->r->unrolled = count_played(p, 0, 0);
  if (p->r->lexer.failed)
    return 0;
  *count = (uint32_t)(p->r->unrolled.items - before.items);
  ts_arena *arena = ts_arena_new("rounds");
  ts_ir_item *items = p->next = TS_NEW_ARRAY(arena, ts_ir_item, *count);
  ts_ir_looped in = looped(p);
  ts_ir_unroll(&in, play_item, p);
  uint32_t first = ts_ir_intern_run(p->r->out, TS_IR_ITEMS, items, *count);
  ts_arena_free(arena);
  return first;
}

void ts_ir_read_program(ts_ir_reader *r)
{
  ts_ir_lexer *l = &r->lexer;
  play p = {.r = r};
  char usual[32];
  ts_ir_builder_view(r->out, &p.view);
  snprintf(usual, sizeof usual, "stage %u", p.view.programs_count);
  ts_ir_program program = {.name = ts_ir_at_name(l) ? ts_ir_take_string(r, "a name") :
                                                      ts_ir_add_string(r->out, usual)};
  ts_ir_read_fields(r, TS_IR_PROGRAMS, ts_ir_forms[TS_IR_FORM_program].fields, &program);
  ts_ir_begin_block(r);
  while (ts_ir_in_block(r)) {
    if (ts_ir_take(l, "hold"))
      read_holding(&p);
    else
      read_line(&p, 0);
    if (!ts_ir_at_line_end(l))
      ts_ir_expected(l, "the end of the line");
  }
  program.first_item = unroll(&p, &program.item_count);
  if (l->failed)
    return;
  program.holding_count = (uint32_t)p.holdings.count;
  program.first_holding =
    ts_ir_intern_run(r->out, TS_IR_HOLDINGS, p.holdings.at, program.holding_count);
  void *to;
  ts_ir_append(r->out, TS_IR_PROGRAMS, 1, &to);
  *(ts_ir_program *)to = program;
}
