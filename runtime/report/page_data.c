/* A run as the data of a page. Everything that repeats is written once: fragments, kernels, names,
 * and the blocks of each stream. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "ir/names.h"
#include "ir/spelling.h"
#include "runtime/account/compose.h"
#include "runtime/account/labels.h"
#include "runtime/account/run.h"
#include "runtime/report/page.h"
#include "runtime/report/page_lanes.h"
#include "runtime/report/picture.h"

enum {
  MOST_CLASSES = 96,    /* shown beside the busiest and the fullest of each stage */
  MOST_NODES = 40000,   /* of fragments: more have none of theirs listed */
  MOST_BLOCKS = 300000, /* numbers of streams but the first */
  MOST_PATH = 20000,    /* pieces of the critical path */
  COLUMNS = 600,        /* of a curve of memory */
  LEVELS = 4096         /* of its heights */
};

typedef struct names { ts_hash_table table; TS_VEC(const char *) at; } names;

typedef struct page_data_writer {
  FILE *out;
  ts_arena *arena;
  const ts_summary *s;
  const ts_ir *ir;
  names names;
  ts_page_tables tables;
  ts_tuples items;        /* fragment, chunk, micro-batch less that of the last like it */
  TS_VEC(uint32_t) shown; /* classes, stage by stage */
  uint32_t *stage_of;     /* [programs] index into the summary's stages */
  size_t blocks, nodes;   /* numbers and nodes so far */
  bool left_out;          /* streams or nodes */
} page_data_writer;

/* ---- Names ---- */

static uint32_t name_number(page_data_writer *w, const char *text)
{
  uint32_t number = ts_hash_find_text(&w->names.table, text, w->names.at.at, sizeof text);
  if (number != TS_HASH_NONE)
    return number;
  TS_PUSH(w->arena, &w->names.at, text);
  number = (uint32_t)w->names.at.count - 1;
  ts_hash_add(w->arena, &w->names.table, ts_hash_text(text), number);
  return number;
}

static uint32_t string_number(page_data_writer *w, ts_ir_str text)
{
  return name_number(w, w->ir->strings + text);
}

static void put_names(page_data_writer *w)
{
  fputs(",\n\"names\":[", w->out);
  for (size_t i = 0; i < w->names.at.count; i++)
    ts_put_script(w->out, i ? ",\"%s\"" : "\"%s\"", w->names.at.at[i]);
  fputc(']', w->out);
}

/* ---- Fragments ---- */

static void page_data_put_node(page_data_writer *w, const ts_ir_fragment *f, const ts_ir_node *n)
{
  uint32_t first = (uint32_t)(n - w->ir->nodes) - f->first_node;
  fprintf(w->out, "[%u,%u,%u,%" PRIu32 ",%" PRIu32 ",%" PRIu64 ",[", n->op, n->stream, n->phase,
          n->arg, string_number(w, n->label), n->host_ps);
  for (uint32_t d = 0; d < n->dep_count; d++)
    fprintf(w->out, d ? ",%" PRIu32 : "%" PRIu32, first - w->ir->deps[n->first_dep + d]);
  fputs("],[", w->out);
  for (uint32_t m = 0; m < n->mem_count; m++) {
    const ts_ir_mem *mem = &w->ir->mems[n->first_mem + m];
    fprintf(w->out, m ? ",%" PRId64 ",%" PRIu32 ",%" PRIu32 : "%" PRId64 ",%" PRIu32 ",%" PRIu32,
            mem->bytes, mem->category, string_number(w, mem->label));
  }
  fputs("]]", w->out);
}

/* The streams that have nodes, the host's number behind all others. */
static void put_streams_of(page_data_writer *w, const ts_ir_fragment *f)
{
  bool *has = TS_NEW_ARRAY(w->arena, bool, w->ir->streams_count + 1), any = false;
  for (uint32_t n = 0; n < f->node_count; n++) {
    const ts_ir_node *node = &w->ir->nodes[f->first_node + n];
    bool host = ts_is_host(node);
    has[host ? w->ir->streams_count : node->stream] = true;
    has[w->ir->streams_count] |= node->host_ps > 0;
  }
  fputs(",\"on\":[", w->out);
  for (uint32_t s = 0; s <= w->ir->streams_count; s++)
    if (has[s]) {
      fprintf(w->out, any ? ",%" PRIu32 : "%" PRIu32, s);
      any = true;
    }
  fputc(']', w->out);
}

static void put_fragment(page_data_writer *w, const ts_ir_fragment *f)
{
  uint32_t number = (uint32_t)(f - w->ir->fragments), receives = 0;
  for (uint32_t p = 0; p < f->port_count; p++)
    receives += !w->ir->ports[f->first_port + p].is_send;
  ts_put_script(w->out, "{\"name\":\"%s\",", w->ir->strings + f->name);
  ts_put_script(w->out, "\"work\":\"%s\",", w->ir->strings + f->work);
  ts_put_script(w->out, "\"kind\":\"%s\",", ts_work_colour(w->ir, number));
  fprintf(w->out, "\"receives\":%" PRIu32 ",\"ports\":[", receives);
  for (uint32_t p = 0; p < f->port_count; p++) {
    const ts_ir_port *port = &w->ir->ports[f->first_port + p];
    fprintf(w->out, p ? ",%" PRIu64 ",%" PRIu32 : "%" PRIu64 ",%" PRIu32, port->bytes,
            string_number(w, w->ir->groups[port->group].name));
  }
  fputc(']', w->out);
  put_streams_of(w, f);
  w->nodes += f->node_count;
  if (w->nodes > MOST_NODES) {
    w->left_out = true;
    fputs(",\"nodes\":null}", w->out);
    return;
  }
  fputs(",\"nodes\":[", w->out);
  for (uint32_t n = 0; n < f->node_count; n++) {
    if (n)
      fputs(",\n", w->out);
    page_data_put_node(w, f, &w->ir->nodes[f->first_node + n]);
  }
  fputs("]}", w->out);
}

/* null in the places of those that no shown class plays. */
static void put_fragments(page_data_writer *w)
{
  bool *played = TS_NEW_ARRAY(w->arena, bool, w->ir->fragments_count);
  for (size_t i = 0; i < w->shown.count; i++) {
    const ts_ir_program *p = &w->ir->programs[w->s->result->classes[w->shown.at[i]].program];
    for (uint32_t k = 0; k < p->item_count; k++)
      played[w->ir->items[p->first_item + k].fragment] = true;
  }
  fputs(",\n\"fragments\":[", w->out);
  for (uint32_t f = 0; f < w->ir->fragments_count; f++) {
    if (f)
      fputs(",\n", w->out);
    if (played[f])
      put_fragment(w, &w->ir->fragments[f]);
    else
      fputs("null", w->out);
  }
  fputs("],\n\"kernels\":[", w->out);
  for (uint32_t k = 0; k < w->ir->kernels_count && !w->left_out; k++) {
    const ts_ir_kernel *kernel = &w->ir->kernels[k];
    /* numbered in this order, whatever order a compiler gives arguments */
    uint32_t dtype = string_number(w, kernel->dtype), family = string_number(w, kernel->family);
    fprintf(w->out, k ? ",[%" PRIu32 ",%" PRIu32 ",%.6g,%.6g,%u]" :
                        "[%" PRIu32 ",%" PRIu32 ",%.6g,%.6g,%u]",
            family, dtype, kernel->flops, kernel->bytes, kernel->basis);
  }
  fputs("],\n\"collectives\":[", w->out);
  for (uint32_t c = 0; c < w->ir->collectives_count && !w->left_out; c++) {
    const ts_ir_collective *call = &w->ir->collectives[c];
    uint32_t group = string_number(w, w->ir->groups[call->group].name),
             kind = name_number(w, ts_ir_collective_names[call->kind]);
    fprintf(w->out, c ? ",[%" PRIu32 ",%" PRIu32 ",%" PRIu64 "]" :
                        "[%" PRIu32 ",%" PRIu32 ",%" PRIu64 "]",
            kind, group, call->bytes);
  }
  fputc(']', w->out);
}

/* ---- Programs ---- */

static void put_program(page_data_writer *w, const ts_ir_program *p)
{
  ts_arena *scratch = ts_arena_new("program");
  ts_tuples likes = {0};
  TS_VEC(int64_t) last = {0};
  ts_sequence sequence = {0};
  ts_run_list list = {0};
  for (uint32_t i = 0; i < p->item_count; i++) {
    const ts_ir_item *item = &w->ir->items[p->first_item + i];
    int64_t like[2] = {item->fragment, item->chunk};
    uint32_t number = ts_tuples_number(scratch, &likes, like, 2);
    if (number == last.count)
      TS_PUSH(scratch, &last, -1);
    int64_t micro = item->micro_batch == TS_IR_NONE ? -1 : (int64_t)item->micro_batch;
    int64_t tuple[3] = {item->fragment, item->chunk, micro - last.at[number]};
    last.at[number] = micro;
    TS_PUSH(scratch, &sequence, ts_tuples_number(w->arena, &w->items, tuple, 3));
  }
  ts_find_runs(scratch, sequence.at, sequence.count, &list);
  const char *name = w->ir->strings + p->name;
  ts_put_script(w->out, "{\"name\":\"%s\",\"items\":",
                *name ? name :
                        ts_arena_printf(scratch, "program %u", (unsigned)(p - w->ir->programs)));
  ts_put_runs(w->out, &list);
  fputc('}', w->out);
  ts_arena_free(scratch);
}

static void put_programs(page_data_writer *w)
{
  fputs(",\n\"programs\":[", w->out);
  for (uint32_t p = 0; p < w->ir->programs_count; p++) {
    if (p)
      fputs(",\n", w->out);
    put_program(w, &w->ir->programs[p]);
  }
  fputs("],\n\"items\":", w->out);
  ts_put_tuples(w->out, &w->items);
}

/* ---- Memory ---- */

static void put_holding(page_data_writer *w, uint32_t program)
{
  const ts_ir_program *p = &w->ir->programs[program];
  fputs(",\"base\":[", w->out);
  for (uint32_t h = 0; h < p->holding_count; h++) {
    const ts_ir_holding *held = &w->ir->holdings[p->first_holding + h];
    fprintf(w->out, h ? ",%" PRIu64 ",%" PRIu32 ",%" PRIu32 : "%" PRIu64 ",%" PRIu32 ",%" PRIu32,
            held->bytes, held->category, string_number(w, held->label));
  }
  fputs(p->memory_order == TS_IR_MEMORY_ISSUED ? "],\"issued\":1" : "]", w->out);
}

static void page_data_put_memory(page_data_writer *w, uint32_t class)
{
  const ts_memory_class *m = &w->s->memory->classes[class];
  ts_arena *scratch = ts_arena_new("curve");
  uint64_t most[COLUMNS];
  ts_sequence levels = {0};
  ts_run_list list = {0};
  ts_memory_columns(w->ir, w->s->run, w->s->result->classes[class].rank, COLUMNS, most);
  uint64_t level = m->peak / LEVELS + 1;
  for (unsigned x = 0; x < COLUMNS; x++)
    TS_PUSH(scratch, &levels, (uint32_t)((most[x] + level - 1) / level));
  ts_find_runs(scratch, levels.at, levels.count, &list);
  fprintf(w->out,
          ",\"memory\":{\"peak\":%" PRIu64 ",\"at\":%" PRIu64 ",\"reserved\":%" PRIu64
          ",\"limit\":%" PRIu64 ",\"over\":%" PRIu64 ",\"level\":%" PRIu64 ",\"curve\":",
          m->peak, m->at_peak.time, m->reserved, m->limit, m->over, level);
  ts_put_runs(w->out, &list);
  fputs(",\"parts\":[", w->out);
  for (unsigned k = 0; k < TS_IR_CATEGORIES; k++)
    fprintf(w->out, k ? ",%" PRIu64 : "%" PRIu64, m->category[k]);
  fputs("],\"holders\":[", w->out);
  for (uint32_t h = 0; h < m->holder_count; h++)
    fprintf(w->out, h ? ",%" PRIu32 ",%" PRIu32 ",%" PRIu64 : "%" PRIu32 ",%" PRIu32 ",%" PRIu64,
            m->holders[h].category, name_number(w, m->holders[h].label), m->holders[h].bytes);
  fputc(']', w->out);
  put_holding(w, w->s->result->classes[class].program);
  fputc('}', w->out);
  ts_arena_free(scratch);
}

/* ---- Classes ---- */

enum { EXPOSED = TS_IR_PHASES, TRANSFER, SHARES };

typedef struct share { uint64_t time[SHARES]; } share;

typedef struct page_data_adding {
  ts_arena *arena;
  ts_labels *labels;
  TS_VEC(share) of; /* by number of the module */
} page_data_adding;

static void page_data_take(void *closure, const ts_ir_node *node, ts_share_kind kind, uint64_t time)
{
  page_data_adding *a = closure;
  uint32_t number = ts_labels_number(a->labels, node->label);
  while (a->of.count <= number)
    TS_PUSH(a->arena, &a->of, (share){{0}});
  a->of.at[number].time[kind == TS_SHARE_COMPUTE ? node->phase :
                        kind == TS_SHARE_EXPOSED ? EXPOSED :
                                                   TRANSFER] += time;
}

/* Modules with the time of each phase, exposed communication and transfers. */
static void put_modules(page_data_writer *w, uint32_t class)
{
  ts_arena *scratch = ts_arena_new("modules of a class");
  page_data_adding a = {
    scratch, ts_labels_new(scratch, w->arena, w->ir, (ts_label_view){0, false}), {0}};
  bool any = false;
  ts_run_attribute(w->s->run, class, &(ts_attribution){.take = page_data_take, .closure = &a});
  fputs(",\"modules\":[", w->out);
  for (uint32_t m = 0; m < a.of.count; m++) {
    uint64_t sum = 0;
    for (unsigned k = 0; k < SHARES; k++)
      sum += a.of.at[m].time[k];
    if (!sum)
      continue;
    fprintf(w->out, any ? ",%" PRIu32 : "%" PRIu32,
            name_number(w, ts_labels_name(a.labels, m)));
    for (unsigned k = 0; k < SHARES; k++)
      fprintf(w->out, ",%" PRIu64, a.of.at[m].time[k]);
    any = true;
  }
  fputc(']', w->out);
  ts_arena_free(scratch);
}

static void put_traffic(page_data_writer *w, const ts_class_result *c)
{
  fputs(",\"traffic\":[", w->out);
  for (uint32_t i = 0; i < c->comm_count; i++) {
    const ts_comm_share *share = &c->comms[i];
    if (i)
      fputc(',', w->out);
    fprintf(w->out,
            "[%" PRIu32 ",%d,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "]",
            string_number(w, w->ir->groups[share->group].name), share->messages, share->calls,
            share->bytes, share->busy, share->exposed, share->transfer);
  }
  fputc(']', w->out);
}

/* Streams but the first are left out when there are too many numbers. */
static void put_lanes(page_data_writer *w, uint32_t class)
{
  ts_page_lanes lanes = ts_page_lanes_of(w->arena, w->s, class, &w->tables);
  bool all = w->blocks <= MOST_BLOCKS;
  fputs(",\"lanes\":[", w->out);
  for (uint32_t i = 0; i <= w->ir->streams_count; i++) {
    if (i)
      fputc(',', w->out);
    if (i && !all)
      fputs("null", w->out);
    else
      ts_put_runs(w->out, &lanes.streams[i]);
    w->blocks += lanes.streams[i].count;
  }
  w->left_out |= !all;
  fputs("],\"peers\":", w->out);
  ts_put_runs(w->out, &lanes.peers);
  fputs(",\"idle\":", w->out);
  ts_put_runs(w->out, &lanes.idle);
}

static void put_class(page_data_writer *w, uint32_t class)
{
  const ts_class_result *c = &w->s->result->classes[class];
  uint32_t stage = w->stage_of[c->program];
  fprintf(w->out,
          "{\"class\":%" PRIu32 ",\"rank\":%" PRIu32 ",\"ranks\":%" PRIu32 ",\"program\":%" PRIu32
          ",\"stage\":%" PRIu32,
          class, c->rank, c->count, c->program, stage);
  ts_put_script(w->out, ",\"place\":\"%s\",", ts_report_coordinates(w->arena, w->ir, c->rank));
  fprintf(w->out, "\"busiest\":%d,\"end\":%" PRIu64 ",\"time\":[",
          w->s->stages[stage].busiest == class, c->end);
  for (unsigned p = 0; p < TS_IR_PHASES; p++)
    fprintf(w->out, "%" PRIu64 ",", c->phase[p]);
  fprintf(w->out, "%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "]", ts_class_exposed(c),
          c->bubble, c->host, c->tail);
  put_traffic(w, c);
  put_modules(w, class);
  if (w->s->memory->stated)
    page_data_put_memory(w, class);
  put_lanes(w, class);
  fputc('}', w->out);
}

/* The busiest and the fullest class of each stage, then others while there is room. */
static void choose_classes(page_data_writer *w)
{
  const ts_summary *s = w->s;
  bool *shown = TS_NEW_ARRAY(w->arena, bool, s->result->class_count);
  w->stage_of = TS_NEW_ARRAY(w->arena, uint32_t, w->ir->programs_count);
  for (uint32_t i = 0; i < s->stage_count; i++) {
    shown[s->stages[i].busiest] = shown[s->stages[i].fullest] = true;
    w->stage_of[s->stages[i].program] = i;
  }
  for (uint32_t c = 0, more = 0; c < s->result->class_count; c++)
    if (!shown[c] && more++ < MOST_CLASSES)
      shown[c] = true;
  for (uint32_t i = 0; i < s->stage_count; i++)
    for (uint32_t c = 0; c < s->result->class_count; c++)
      if (shown[c] && s->result->classes[c].program == s->stages[i].program)
        TS_PUSH(w->arena, &w->shown, c);
}

static void put_classes(page_data_writer *w)
{
  fputs(",\n\"classes\":[", w->out);
  for (size_t i = 0; i < w->shown.count; i++) {
    if (i)
      fputs(",\n", w->out);
    put_class(w, w->shown.at[i]);
  }
  static const char *const keys[] = {"spans", "blocks", "peers", "idles"};
  const ts_tuples *flat[] = {&w->tables.spans, &w->tables.blocks, &w->tables.peers,
                             &w->tables.idles};
  static const char *const list_keys[] = {"patterns", "received", "waited"};
  const ts_tuples *lists[] = {&w->tables.patterns, &w->tables.received, &w->tables.waited};
  fputc(']', w->out);
  for (unsigned i = 0; i < 4; i++) {
    ts_put_script(w->out, ",\n\"%s\":", keys[i]);
    ts_put_tuples(w->out, flat[i]);
  }
  for (unsigned i = 0; i < 3; i++) {
    ts_put_script(w->out, ",\n\"%s\":", list_keys[i]);
    ts_put_tuple_runs(w->out, lists[i], i ? 0 : TS_PAGE_HEAD);
  }
}

/* ---- What all classes share ---- */

typedef struct piece { uint32_t player, item; ts_critical_kind kind; uint64_t time; } piece;

typedef struct page_data_path {
  ts_arena *arena;
  const ts_facts *facts;
  TS_VEC(piece) pieces;
} page_data_path;

static ts_critical_kind critical_kind(const page_data_path *p, const ts_critical_node *v)
{
  const ts_player *w = &p->facts->players[v->player];
  const ts_ir *ir = p->facts->tables->ir;
  if (v->host)
    return TS_CRITICAL_HOST;
  switch (ts_fragment_nodes(ir, w->program->items[v->item].fragment)[v->node].op) {
  case TS_IR_COMPUTE: return TS_CRITICAL_COMPUTE;
  case TS_IR_COLLECTIVE: return TS_CRITICAL_COLLECTIVE;
  default: return TS_CRITICAL_MESSAGE;
  }
}

/* Work and collectives of an item are one piece. */
static void read_path(void *closure, const ts_critical_node *v)
{
  page_data_path *p = closure;
  piece next = {v->player, v->item, critical_kind(p, v), v->time},
        *last = p->pieces.count ? &p->pieces.at[p->pieces.count - 1] : NULL;
  if (next.kind == TS_CRITICAL_COLLECTIVE)
    next.kind = TS_CRITICAL_COMPUTE;
  if (!v->time)
    return;
  if (last && last->player == next.player && last->item == next.item && last->kind == next.kind)
    last->time += next.time;
  else
    TS_PUSH(p->arena, &p->pieces, next);
}

/* From the end of the step back; what is too much is left out at the beginning. */
static void put_path(page_data_writer *w)
{
  ts_arena *scratch = ts_arena_new("path");
  page_data_path p = {scratch, ts_run_facts(w->s->run), {0}};
  ts_critical_walk(p.facts, w->s->result->class_of[w->s->result->critical_rank], read_path, &p);
  fputs(",\n\"path\":[", w->out);
  for (size_t i = 0; i < p.pieces.count && i < MOST_PATH; i++) {
    const piece *q = &p.pieces.at[i];
    fprintf(w->out, i ? ",%" PRIu32 ",%" PRIu32 ",%u,%" PRIu64 :
                        "%" PRIu32 ",%" PRIu32 ",%u,%" PRIu64,
            q->player, q->item, q->kind, q->time);
  }
  fputc(']', w->out);
  ts_arena_free(scratch);
}

static void put_stages(page_data_writer *w)
{
  fputs(",\n\"stages\":[", w->out);
  for (uint32_t i = 0; i < w->s->stage_count; i++) {
    const ts_stage_summary *stage = &w->s->stages[i];
    const ts_time_split *t = &stage->time;
    if (i)
      fputc(',', w->out);
    fprintf(w->out, "{\"program\":%" PRIu32 ",\"ranks\":%" PRIu32 ",\"fullest\":%" PRIu32
            ",\"time\":[", stage->program, stage->ranks, stage->fullest);
    for (unsigned p = 0; p < TS_IR_PHASES; p++)
      fprintf(w->out, "%.0f,", t->phase[p]);
    fprintf(w->out, "%.0f,%.0f,%.0f,%.0f]}", t->exposed, t->bubble, t->host, t->tail);
  }
  fputc(']', w->out);
}

static void page_data_put_streams(page_data_writer *w)
{
  fputs(",\n\"streams\":[", w->out);
  for (uint32_t i = 0; i < w->ir->streams_count; i++)
    ts_put_script(w->out, i ? ",\"%s\"" : "\"%s\"", w->ir->strings + w->ir->streams[i].name);
  fputs(",\"host\"]", w->out);
}

/* Each model that answered: its name, and calls, bytes and time of all ranks. */
static void put_network(page_data_writer *w)
{
  bool any = false;
  fputs(",\n\"network\":[", w->out);
  for (uint32_t m = 0; w->s->result->network_uses && m <= w->ir->net_models_count; m++) {
    ts_network_use use = ts_network_use_of(w->s->result, m);
    if (!use.calls)
      continue;
    const ts_ir_net_model *model =
      m < w->ir->net_models_count ? &w->ir->net_models[m] : NULL;
    ts_put_script(w->out, any ? ",[\"%s\"," : "[\"%s\",",
                  model ? w->ir->strings + model->name : "links");
    ts_put_script(w->out, "\"%s\"",
                  !model                     ? "calls without a model" :
                  model->tier == TS_IR_NONE ? "anywhere" :
                  model->tier               ? "between islands" :
                                              "inside islands");
    fprintf(w->out, ",%d,%" PRIu64 ",%.6g,%.6g,%.6g,%.6g]", model && model->assumed, use.calls,
            use.bytes, use.time, use.beyond, ts_summary_share(w->s, &use));
    any = true;
  }
  fputc(']', w->out);
}

static void put_ways_out(page_data_writer *w)
{
  const ts_ways_out *ways = w->s->extras.ways_out;
  if (!ways)
    return;
  const ts_way_out *at = ways->count ? ways->at : ways->closest;
  uint32_t count = ways->count ? ways->count : ways->closest != NULL;
  fprintf(w->out, ",\n\"ways\":{\"fit\":%d,\"tried\":%" PRIu32 ",\"untried\":%" PRIu32 ",\"at\":[",
          ways->count > 0, ways->tried, ways->untried);
  for (uint32_t i = 0; i < count; i++) {
    ts_put_script(w->out, i ? ",[\"" : "[\"");
    for (const char *line = at[i].change, *end; *line; line = *end ? end + 1 : end) {
      end = line + strcspn(line, "\n");
      ts_put_script(w->out, line == at[i].change ? "%.*s" : "\",\"%.*s", (int)(end - line), line);
    }
    fprintf(w->out, "\",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "]", at[i].step, at[i].peak, at[i].over);
  }
  fputs("],\"instead\":[", w->out);
  for (uint32_t i = 0; i < count; i++)
    ts_put_script(w->out, i ? ",\"%s\"" : "\"%s\"", at[i].replaced);
  fputs("]}", w->out);
}

void ts_page_data(const ts_summary *s, const char *name, FILE *out)
{
  page_data_writer w = {.out = out, .arena = ts_arena_new("page"), .s = s, .ir = s->ir};
  ts_run_list ranks = {0};
  choose_classes(&w);
  ts_put_script(out, "{\"format\":1,\"name\":\"%s\",", name);
  fprintf(out, "\"step\":%" PRIu64 ",\"classes_in_all\":%" PRIu32 ",\"micro_batches\":%" PRIu32,
          s->result->step, s->result->class_count, s->ir->meta->micro_batches);
  page_data_put_streams(&w);
  put_fragments(&w);
  put_programs(&w);
  put_stages(&w);
  put_classes(&w);
  put_path(&w);
  put_network(&w);
  put_ways_out(&w);
  put_names(&w);
  ts_find_runs(w.arena, s->result->class_of, s->ir->meta->world, &ranks);
  fputs(",\n\"class_of\":", out);
  ts_put_runs(out, &ranks);
  fprintf(out, ",\n\"coarse\":%zu,\"left_out\":%d}", w.tables.coarse, w.left_out);
  ts_arena_free(w.arena);
}
