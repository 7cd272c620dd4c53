#include "tools/cli/flows.h"

#include <stdlib.h>

#include "base/escape.h"
#include "base/json_writer.h"
#include "ir/names.h"
#include "ir/spelling.h"

typedef struct flows_row {
  const ts_pass *pass;
  uint32_t step;
  uint64_t bytes;
} flows_row;
typedef void put_row(const ts_flow_list *list, const flows_row *r, void *closure);

static int by_start(const void *left, const void *right)
{
  const ts_pass *a = *(const ts_pass *const *)left, *b = *(const ts_pass *const *)right;
  const uint32_t keys[][2] = {
    {a->first, b->first}, {a->channel, b->channel}, {a->from, b->from}, {a->to, b->to}};
  for (int k = 0; k < 4; k++)
    if (keys[k][0] != keys[k][1])
      return keys[k][0] < keys[k][1] ? -1 : 1;
  return (a > b) - (a < b);
}

/* Step by step; of passes that last, those that began earlier come first. */
static void each_row(const ts_flow_list *list, put_row *put, void *closure)
{
  const ts_sends *s = list->sends;
  ts_arena *work = ts_arena_new("rows");
  const ts_pass **all = TS_NEW_ARRAY(work, const ts_pass *, s->passes.count + 1);
  size_t begun = 0, active = 0;
  for (size_t i = 0; i < s->passes.count; i++) all[i] = &s->passes.at[i];
  if (s->passes.count)
    qsort(all, s->passes.count, sizeof *all, by_start);
  for (uint32_t step = 0; step < s->steps; step++) {
    while (begun < s->passes.count && all[begun]->first == step) all[active++] = all[begun++];
    size_t left = 0;
    for (size_t i = 0; i < active; i++) {
      const ts_pass *p = all[i];
      put(list, &(flows_row){p, step, ts_pass_bytes(p, step - p->first)}, closure);
      if (step + 1 < p->first + p->steps)
        all[left++] = p;
    }
    active = left;
  }
  ts_arena_free(work);
}

static const char *end_name(const ts_flow_list *list, uint32_t place)
{
  return place == TS_SEND_SWITCH ? "switch" :
         place == TS_SEND_FABRIC ? "fabric" :
                                   ts_arena_printf(list->arena, "%u", list->rank[place]);
}

static uint32_t flows_end_of(const ts_ir *ir, uint32_t link)
{
  return link % 2 ? ir->links[link / 2].from : ir->links[link / 2].to;
}

static const char *path_name(const ts_flow_list *list, const ts_pass *p)
{
  const char *text = "";
  for (uint32_t h = 0; h < p->hops; h++)
    text =
      ts_arena_printf(list->arena, "%s%s%s", text, h ? " - " : "",
                      ts_report_vertex(list->arena, list->ir, flows_end_of(list->ir, p->path[h])));
  return p->ways > 1 ? ts_arena_printf(list->arena, "%s and %u ways more", text, p->ways - 1) :
                       text;
}

static const char *relay_name(const ts_flow_list *list, const ts_pass *p)
{
  return p->relay == TS_IR_NONE ? "" : ts_report_vertex(list->arena, list->ir, p->relay);
}

static const char *protocol_of(const ts_flow_list *list)
{
  uint32_t protocol = list->sends->way.protocol;
  return protocol == TS_IR_NET_PROTOCOLS ? "" : ts_ir_protocol_names[protocol];
}

/* Names of rows live as long as these do. */
static ts_flow_list with(const ts_flow_list *list, ts_arena *arena)
{
  ts_flow_list copy = *list;
  copy.arena = arena;
  return copy;
}

/* ---- Text ---- */

static void put_text_row(const ts_flow_list *list, const flows_row *r, void *closure)
{
  ts_arena *work = ts_arena_new("row");
  ts_flow_list l = with(list, work);
  const char *path = path_name(&l, r->pass), *relay = relay_name(&l, r->pass);
  ts_put_text(closure, "%6u %7u %7s %7s %14llu %8s  %s%s%s\n", r->step, r->pass->channel,
              end_name(&l, r->pass->from), end_name(&l, r->pass->to), (unsigned long long)r->bytes,
              r->pass->parts > 1 ?
                ts_arena_printf(work, "%u", ts_pass_block(r->pass, r->step - r->pass->first)) :
                "",
              path, *relay ? ", relay " : "", relay);
  ts_arena_free(work);
}

static void flows_put_head(const ts_flow_list *list, FILE *out)
{
  const ts_call_way *w = &list->sends->way;
  ts_put_text(out, "%s of %llu bytes over %u ranks\n", ts_ir_collective_names[w->kind],
              (unsigned long long)w->bytes, list->sends->ranks);
  ts_put_text(out, "  algorithm   %s%s\n", ts_ir_algorithm_names[w->algorithm],
              w->assumed ? " (assumed: the model does not say)" : "");
  if (w->protocol != TS_IR_NET_PROTOCOLS)
    ts_put_text(out, "  protocol    %s\n", protocol_of(list));
  ts_put_text(out, "  channels    %u\n  steps       %u\n", list->sends->channels,
              list->sends->steps);
  if (w->rounds > 0)
    ts_put_text(out, "  rounds      %.0f, which the steps' bytes are the sum of\n", w->rounds);
  if (list->model)
    ts_put_text(out, "  by          %s\n", list->model);
}

static void put_sums(const ts_flow_list *list, FILE *out)
{
  const ts_sends *s = list->sends;
  ts_arena *work = ts_arena_new("sums");
  uint64_t *sent = TS_NEW_ARRAY(work, uint64_t, s->ranks), min = UINT64_MAX, max = 0;
  for (size_t i = 0; i < s->passes.count; i++)
    if (s->passes.at[i].from < s->ranks)
      sent[s->passes.at[i].from] += ts_pass_total(&s->passes.at[i]);
  for (uint32_t r = 0; r < s->ranks; r++) {
    min = sent[r] < min ? sent[r] : min;
    max = sent[r] > max ? sent[r] : max;
  }
  ts_put_text(out, "\nSent by a rank: %llu", (unsigned long long)min);
  if (max != min)
    ts_put_text(out, " to %llu", (unsigned long long)max);
  fputs(" bytes\n", out);
  ts_arena_free(work);
}

void ts_flow_list_text(void *closure, FILE *out)
{
  const ts_flow_list *list = closure;
  flows_put_head(list, out);
  ts_put_text(out, "\n%6s %7s %7s %7s %14s %8s  %s\n", "step", "channel", "from", "to", "bytes",
              "block", "over");
  each_row(list, put_text_row, out);
  put_sums(list, out);
}

/* ---- CSV ---- */

static void put_csv_row(const ts_flow_list *list, const flows_row *r, void *closure)
{
  ts_arena *work = ts_arena_new("row");
  ts_flow_list l = with(list, work);
  const ts_call_way *w = &list->sends->way;
  ts_put_csv(closure, "%s,%s,%s,%u,%u,%s,%s,%llu,%u,%u,", ts_ir_collective_names[w->kind],
             ts_ir_algorithm_names[w->algorithm], protocol_of(list), r->pass->channel, r->step,
             end_name(&l, r->pass->from), end_name(&l, r->pass->to), (unsigned long long)r->bytes,
             ts_pass_block(r->pass, r->step - r->pass->first), r->pass->parts);
  ts_put_csv(closure, "%s,%s\n", relay_name(&l, r->pass), path_name(&l, r->pass));
  ts_arena_free(work);
}

void ts_flow_list_csv(void *closure, FILE *out)
{
  fputs("collective,algorithm,protocol,channel,step,from,to,bytes,block,blocks,relay,path\n", out);
  each_row(closure, put_csv_row, out);
}

/* ---- JSON ---- */

static void put_end(ts_json_writer *w, const ts_flow_list *list, const char *key, uint32_t place)
{
  if (place < list->sends->ranks)
    ts_json_put_count(w, key, list->rank[place]);
  else
    ts_json_put_text(w, key, place == TS_SEND_SWITCH ? "switch" : "fabric");
}

static void put_json_row(const ts_flow_list *list, const flows_row *r, void *closure)
{
  ts_json_writer *w = closure;
  ts_arena *work = ts_arena_new("row");
  ts_flow_list l = with(list, work);
  const ts_pass *p = r->pass;
  ts_json_line(w, 4);
  ts_json_begin(w, NULL, '{');
  ts_json_put_count(w, "step", r->step);
  ts_json_put_count(w, "channel", p->channel);
  put_end(w, list, "from", p->from);
  put_end(w, list, "to", p->to);
  ts_json_put_count(w, "bytes", r->bytes);
  ts_json_put_count(w, "block", ts_pass_block(p, r->step - p->first));
  ts_json_put_count(w, "blocks", p->parts);
  if (p->relay != TS_IR_NONE)
    ts_json_put_text(w, "relay", relay_name(&l, p));
  if (p->hops) {
    ts_json_begin(w, "path", '[');
    for (uint32_t h = 0; h < p->hops; h++)
      ts_json_put_text(w, NULL,
                       ts_report_vertex(work, list->ir, flows_end_of(list->ir, p->path[h])));
    ts_json_end(w, ']');
    ts_json_put_count(w, "ways", p->ways);
  }
  ts_json_end(w, '}');
  ts_arena_free(work);
}

void ts_flow_list_json(void *closure, FILE *out)
{
  const ts_flow_list *list = closure;
  const ts_call_way *way = &list->sends->way;
  ts_json_writer w = {.out = out, .spaced = true};
  ts_json_begin(&w, NULL, '{');
  ts_json_line(&w, 2);
  ts_json_put_text(&w, "collective", ts_ir_collective_names[way->kind]);
  ts_json_put_count(&w, "bytes", way->bytes);
  ts_json_put_count(&w, "ranks", list->sends->ranks);
  ts_json_put_text(&w, "algorithm", ts_ir_algorithm_names[way->algorithm]);
  ts_json_put_bool(&w, "assumed", way->assumed);
  if (way->protocol != TS_IR_NET_PROTOCOLS)
    ts_json_put_text(&w, "protocol", protocol_of(list));
  ts_json_put_count(&w, "channels", list->sends->channels);
  ts_json_put_count(&w, "steps", list->sends->steps);
  if (way->rounds > 0)
    ts_json_put_number(&w, "rounds", "%.0f", way->rounds);
  if (list->model)
    ts_json_put_text(&w, "model", list->model);
  ts_json_line(&w, 2);
  ts_json_begin(&w, "flows", '[');
  each_row(list, put_json_row, &w);
  ts_json_last_line(&w, 2);
  ts_json_end(&w, ']');
  ts_json_last_line(&w, 0);
  ts_json_end(&w, '}');
  ts_json_end_document(&w);
}
