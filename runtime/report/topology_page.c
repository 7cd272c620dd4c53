/* The page of a cluster, and what the page of a run has of it. The picture and the table can be
 * read without scripts; those zoom, search and tell what single links do. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/escape.h"
#include "base/format.h"
#include "base/output.h"
#include "ir/names.h"
#include "runtime/load/ranks.h"
#include "runtime/report/page.h"
#include "runtime/report/runs.h"
#include "runtime/report/topology.h"

static uint32_t device_count(const ts_ir *ir)
{
  uint32_t count = 0;
  for (uint32_t v = 0; v < ir->devices_count; v++)
    count += ir->devices[v].device_class != TS_IR_NONE;
  return count;
}

const char *ts_topology_title(ts_arena *arena, const ts_ir *ir)
{
  const char *name = ir->strings + ir->meta->cluster;
  return ts_arena_printf(arena, "%s: %s devices, %s links", *name ? name : "cluster",
                         ts_format_count(device_count(ir)).text,
                         ts_format_count(ir->links_count).text);
}

/* ---- Tables ---- */

static void put_cell(FILE *out, const char *text) { ts_put_xml(out, "<td>%s</td>", text); }

static void put_heads(FILE *out, const char *const *heads)
{
  fputs("<thead><tr>", out);
  for (; *heads; heads++)
    ts_put_xml(out, "<th scope=\"col\">%s</th>", *heads);
  fputs("</tr></thead>\n<tbody>\n", out);
}

static const char *end_text(ts_arena *arena, const ts_cluster_fold *f, uint32_t part)
{
  return ts_array_shape(arena, f->ir, &f->ir->arrays[f->parts[part].array]);
}

static const char *remark(ts_arena *arena, const ts_cluster_fold *f, const ts_bundle *b)
{
  const char *text = "";
  if (b->slower)
    text =
      ts_arena_printf(arena, "%s slower, the slowest %s with %s", ts_format_count(b->slower).text,
                      ts_link_text(arena, f->ir, b->slowest), ts_rate_text(arena, b->low));
  if (b->fewer)
    text = ts_arena_printf(arena, "%s%s%s with fewer, such as %s", text, *text ? "; " : "",
                           ts_format_count(b->fewer).text,
                           ts_report_vertex(arena, f->ir, b->fewer_vertex));
  return text;
}

static void put_links(FILE *out, ts_arena *arena, const ts_cluster_fold *f)
{
  static const char *const plain[] = {"from",    "to",   "links",   "rate",
                                      "latency", "tier", "unequal", NULL},
                           *const used[] = {"from", "to",       "links",   "rate",    "latency",
                                            "tier", "mean use", "busiest", "unequal", NULL};
  fputs("<div class=\"wide\"><table>\n<caption>Links, grouped; rates are per direction."
        "</caption>\n",
        out);
  put_heads(out, f->use ? used : plain);
  for (uint32_t i = 0; i < f->bundle_count; i++) {
    const ts_bundle *b = &f->bundles[i];
    ts_put_xml(out, "<tr><th scope=\"row\">%s</th>", end_text(arena, f, b->from));
    put_cell(out, end_text(arena, f, b->to));
    put_cell(out, ts_format_count(b->count).text);
    put_cell(out, ts_rate_text(arena, b->rate));
    put_cell(out, ts_format_time(b->latency).text);
    put_cell(out, ts_arena_printf(arena, "%u", b->tier));
    if (f->use) {
      put_cell(out, ts_format_share(b->use).text);
      put_cell(out, ts_format_share(b->most_use).text);
    }
    put_cell(out, remark(arena, f, b));
    fputs("</tr>\n", out);
  }
  fputs("</tbody></table></div>\n", out);
}

/* ---- Data ---- */

enum { MOST_LINKS = 400000 }; /* of which single ones are told */

static void put_arrays(FILE *out, const ts_ir *ir)
{
  fputs("\"arrays\":[", out);
  for (uint32_t a = 0; a < ir->arrays_count; a++) {
    const ts_ir_array *x = &ir->arrays[a];
    ts_put_script(out, a ? ",[\"%s\"" : "[\"%s\"", ir->strings + x->name);
    fprintf(out, ",%d,%" PRIu32 ",%" PRIu32 ",[", x->kind == TS_IR_DEVICE, x->first, x->count);
    for (uint32_t d = 0; d < x->dims; d++)
      fprintf(out, d ? ",%" PRIu32 : "%" PRIu32, x->dim[d]);
    fputs("]]", out);
  }
  fputs("],\n\"links\":[", out);
  for (uint32_t c = 0; c < ir->link_classes_count; c++)
    fprintf(out, c ? ",[%.6g,%" PRIu64 ",%" PRIu32 "]" : "[%.6g,%" PRIu64 ",%" PRIu32 "]",
            ir->link_classes[c].bandwidth, ir->link_classes[c].latency, ir->link_classes[c].tier);
  fputs("],\n", out);
}

static void put_runs_of(FILE *out, ts_arena *arena, const char *name, const ts_sequence *sequence)
{
  ts_run_list runs = {0};
  ts_find_runs(arena, sequence->at, sequence->count, &runs);
  ts_put_script(out, ",\n\"%s\":", name);
  ts_put_runs(out, &runs);
}

/* Each link as the difference to the one before it, of which there are few. */
static void put_each_link(FILE *out, ts_arena *arena, const ts_cluster_fold *f)
{
  const ts_ir *ir = f->ir;
  ts_tuples steps = {0};
  ts_sequence order = {0}, use = {0}, devices = {0};
  uint32_t from = 0, to = 0, at = 0;
  for (uint32_t l = 0; l < ir->links_count; l++) {
    const ts_ir_link *x = &ir->links[l];
    int64_t step[] = {(int64_t)x->from - from, (int64_t)x->to - to, x->link_class};
    TS_PUSH(arena, &order, ts_tuples_number(arena, &steps, step, 3));
    from = x->from;
    to = x->to;
    for (uint32_t way = 0; f->use && way < 2; way++)
      TS_PUSH(arena, &use, (uint32_t)(f->use[2 * l + way] * 1000 + 0.5));
  }
  const ts_ranks *ranks = ts_ranks_new(arena, ir);
  for (uint32_t r = 0; ranks->vertex && r < ranks->world; at = ranks->vertex[r++])
    TS_PUSH(arena, &devices, ranks->vertex[r] - at);
  fputs("\"steps\":", out);
  ts_put_tuples(out, &steps);
  put_runs_of(out, arena, "order", &order);
  put_runs_of(out, arena, "ranks", &devices);
  if (f->use)
    put_runs_of(out, arena, "use", &use);
}

static void put_data(FILE *out, const ts_cluster_fold *f)
{
  ts_arena *scratch = ts_arena_new("links");
  fputs("<script type=\"application/json\" class=\"cluster\">\n{", out);
  put_arrays(out, f->ir);
  if (f->ir->links_count <= MOST_LINKS)
    put_each_link(out, scratch, f);
  else
    fputs("\"steps\":[],\"order\":[],\"ranks\":[]", out);
  fputs("}\n</script>\n", out);
  ts_arena_free(scratch);
}

/* ---- The page ---- */

void ts_topology_section(FILE *out, const ts_cluster_fold *f)
{
  ts_arena *arena = ts_arena_new("section");
  const char *guess =
    !f->use || f->assumed < 0.0005 ?
      "" :
      ts_arena_printf(
        arena,
        " %s of the bytes are taken to go in rings over the shortest paths: the models "
        "that say how long their calls take do not say which way they go.",
        f->assumed > 0.9995 ? "All" : ts_format_share(f->assumed).text);
  fputs("<section id=\"cluster\">\n<h2>Cluster</h2>\n<div class=\"picture\">\n", out);
  ts_topology_svg(out, f, ts_topology_title(arena, f->ir));
  fputs("</div>\n", out);
  if (f->use)
    ts_put_xml(out,
               "<p class=\"hint\">Use is the share of a direction's rate over the whole step.%s"
               "</p>\n",
               guess);
  put_links(out, arena, f);
  fputs("</section>\n", out);
  put_data(out, f);
  ts_arena_free(arena);
}

static void put_tiles(FILE *out, ts_arena *arena, const ts_cluster_fold *f, uint64_t step)
{
  const ts_ir *ir = f->ir;
  uint32_t devices = device_count(ir), unequal = 0, islands = 0;
  const ts_bundle *busiest = NULL;
  for (uint32_t b = 0; b < f->bundle_count; b++) {
    unequal += (f->bundles[b].unequal ? f->bundles[b].slower : 0) + f->bundles[b].fewer;
    if (f->use && (!busiest || f->bundles[b].most_use > busiest->most_use))
      busiest = &f->bundles[b];
  }
  for (uint32_t k = 0; k < f->kind_count; k++)
    islands += f->kinds[k].count;
  fputs("<div class=\"tiles\">\n", out);
  ts_page_tile(out, false, "devices", ts_format_count(devices).text,
               ir->device_classes_count == 1 ? ir->strings + ir->device_classes[0].name : "");
  ts_page_tile(out, false, "islands", ts_format_count(islands).text,
               f->kind_count > 1 ? ts_arena_printf(arena, "of %u kinds", f->kind_count) : "");
  ts_page_tile(out, false, "switches", ts_format_count(ir->devices_count - devices).text, "");
  ts_page_tile(out, false, "links", ts_format_count(ir->links_count).text,
               unequal ?
                 ts_arena_printf(arena, "%s slower or missing", ts_format_count(unequal).text) :
                 "");
  if (f->bisection.rate > 0)
    ts_page_tile(out, false, "bisection, each way", ts_rate_text(arena, f->bisection.rate),
                 ts_arena_printf(arena, "oversubscription %.3g : 1",
                                 f->bisection.leaving / f->bisection.rate));
  if (step)
    ts_page_tile(out, false, "step time", ts_format_time(step).text, "");
  if (busiest)
    ts_page_tile(out, false, "busiest link", ts_format_share(busiest->most_use).text,
                 ts_link_text(arena, ir, busiest->busiest / 2));
  fputs("</div>\n", out);
}

void ts_topology_page(FILE *out, const ts_cluster_fold *f, uint64_t step)
{
  ts_arena *arena = ts_arena_new("page");
  const char *title = ts_topology_title(arena, f->ir);
  ts_page_begin(title, ts_page_style, ts_topology_script, false, out);
  ts_put_xml(out, "<header>\n<h1>%s</h1>\n", title);
  put_tiles(out, arena, f, step);
  fputs("</header>\n<main>\n", out);
  ts_topology_section(out, f);
  ts_put_xml(out, "</main>\n<footer>%s</footer>\n", f->ir->strings + f->ir->meta->tool);
  ts_page_end(ts_topology_script, out);
  ts_arena_free(arena);
}
