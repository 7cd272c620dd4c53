#include "tools/cli/calls.h"

#include <math.h>
#include <string.h>

#include "base/escape.h"
#include "base/format.h"
#include "base/json_writer.h"
#include "ir/names.h"
#include "ir/spelling.h"

static const char *model_name(const ts_call_table *t, uint32_t model)
{
  return model == TS_IR_NONE ? TS_NETWORK_LINKS : t->ir->strings + t->ir->net_models[model].name;
}

/* Model TS_IR_NONE of a model that was asked by its name: it has no answer, the links had it. */
static int add_column(ts_call_table *t, const char *only, ts_stop *stop)
{
  ts_network *n = ts_network_new(t->arena, t->ir, t->ranks, only, stop);
  const uint32_t *profiles = n ? ts_network_group(n, t->group, stop) : NULL;
  if (!profiles)
    return -1;
  uint32_t profile = profiles[t->ranks->groups[t->group].instance_of[t->rank]],
           model = ts_network_answers(n, t->kind, profile);
  if (only && model == TS_IR_NONE && strcmp(only, TS_NETWORK_LINKS))
    return 0;
  ts_call_column c = {model_name(t, model), TS_NEW_ARRAY(t->arena, ts_call_cell, t->size_count)};
  t->members = ts_network_profile(n, profile)->ranks;
  t->islands = ts_network_profile(n, profile)->islands;
  for (uint32_t i = 0; i < t->size_count; i++) {
    c.cells[i].time = ts_network_estimate(n, t->kind, t->bytes[i], profile);
    if (!ts_network_way(n, t->kind, t->bytes[i], profile, &c.cells[i].way))
      c.cells[i].way.method = NULL;
  }
  if (ts_network_failed(n, stop))
    return -1;
  TS_PUSH(t->arena, &t->columns, c);
  return 0;
}

static bool has_column(const ts_call_table *t, const char *model)
{
  for (uint32_t i = 0; i < t->columns.count; i++)
    if (!strcmp(t->columns.at[i].model, model))
      return true;
  return false;
}

int ts_call_table_fill(ts_call_table *t, bool all, ts_stop *stop)
{
  ts_stop left_out = {.arena = t->arena};
  if (add_column(t, NULL, stop))
    return -1;
  for (uint32_t m = 0; all && m < t->ir->net_models_count; m++)
    if (!has_column(t, model_name(t, m)))
      add_column(t, model_name(t, m), &left_out);
  return all && !has_column(t, TS_NETWORK_LINKS) ? add_column(t, TS_NETWORK_LINKS, stop) : 0;
}

/* GB/s: bytes over the time, and what each link has to carry of them (nccl-tests,
 * PERFORMANCE.md). */
static double algorithm_rate(const ts_call_table *t, const ts_call_cell *c, uint32_t size)
{
  return c->time.time ? (double)t->bytes[size] / (double)c->time.time * 1e3 : 0;
}

static double bus_rate(const ts_call_table *t, const ts_call_cell *c, uint32_t size)
{
  return algorithm_rate(t, c, size) * ts_ring_volume(t->kind, t->members);
}

static double us(uint64_t ps) { return (double)ps * 1e-6; }

/* ---- Text ---- */

static void put_title(const ts_call_table *t, FILE *out)
{
  ts_put_text(out, "%s over %s: %u ranks in %u island%s\n", ts_ir_collective_names[t->kind],
              t->ir->strings + t->ir->groups[t->group].name, t->members, t->islands,
              t->islands == 1 ? "" : "s");
}

void ts_call_parts_text(void *closure, FILE *out)
{
  const ts_call_table *t = closure;
  const ts_call_column *c = &t->columns.at[0];
  put_title(t, out);
  ts_put_text(out, "  by %s\n\n%11s  %-16s %-6s %4s %10s %11s %11s %11s %12s %8s\n", c->model,
              "bytes", "algorithm", "by", "chan", "connect us", "intra us", "inter us", "reduce us",
              "time us", "bus GB/s");
  for (uint32_t i = 0; i < t->size_count; i++) {
    const ts_call_cell *cell = &c->cells[i];
    const ts_white_box *w = &cell->way;
    ts_put_text(out, "%11llu  ", (unsigned long long)t->bytes[i]);
    if (w->method)
      ts_put_text(out, "%-16s %-6s %4u %10.2f %11.2f %11.2f %11.2f",
                  ts_ir_algorithm_names[w->method->algorithm],
                  ts_ir_protocol_names[w->method->protocol], w->channels, us(cell->time.base),
                  us(cell->time.intra), us(cell->time.inter), us(cell->time.reduction));
    else
      ts_put_text(out, "%-28s %10.2f %11s %11s %11s", "no parts but the first", us(cell->time.base),
                  "-", "-", "-");
    ts_put_text(out, " %12.2f %8.2f\n", us(cell->time.time), bus_rate(t, cell, i));
  }
}

void ts_call_sweep_text(void *closure, FILE *out)
{
  const ts_call_table *t = closure;
  put_title(t, out);
  ts_put_text(out, "\n%11s", "");
  for (uint32_t m = 0; m < t->columns.count; m++)
    ts_put_text(out, "  %30s", t->columns.at[m].model);
  ts_put_text(out, "\n%11s", "bytes");
  for (uint32_t m = 0; m < t->columns.count; m++)
    ts_put_text(out, "  %12s %8s %8s", "time us", "alg GB/s", "bus GB/s");
  for (uint32_t i = 0; i < t->size_count; i++) {
    ts_put_text(out, "\n%11llu", (unsigned long long)t->bytes[i]);
    for (uint32_t m = 0; m < t->columns.count; m++) {
      const ts_call_cell *cell = &t->columns.at[m].cells[i];
      ts_put_text(out, "  %12.2f %8.2f %8.2f", us(cell->time.time), algorithm_rate(t, cell, i),
                  bus_rate(t, cell, i));
    }
  }
  ts_put_text(out, "\n");
}

/* ---- CSV and JSON ---- */

void ts_call_table_csv(void *closure, FILE *out)
{
  const ts_call_table *t = closure;
  fputs("collective,group,ranks,islands,model,bytes,time_us,alg_gb_s,bus_gb_s,algorithm,protocol,"
        "channels,connection_us,intra_us,inter_us,reduction_us\n",
        out);
  for (uint32_t m = 0; m < t->columns.count; m++)
    for (uint32_t i = 0; i < t->size_count; i++) {
      const ts_call_cell *c = &t->columns.at[m].cells[i];
      const ts_ir_net_method *by = c->way.method;
      ts_put_csv(out, "%s,%s,%u,%u,%s,%llu,%.3f,%.3f,%.3f,", ts_ir_collective_names[t->kind],
                 t->ir->strings + t->ir->groups[t->group].name, t->members, t->islands,
                 t->columns.at[m].model, (unsigned long long)t->bytes[i], us(c->time.time),
                 algorithm_rate(t, c, i), bus_rate(t, c, i));
      if (by)
        ts_put_csv(out, "%s,%s,%u,%.3f,%.3f,%.3f,%.3f\n", ts_ir_algorithm_names[by->algorithm],
                   ts_ir_protocol_names[by->protocol], c->way.channels, us(c->time.base),
                   us(c->time.intra), us(c->time.inter), us(c->time.reduction));
      else
        ts_put_csv(out, ",,,%.3f,,,\n", us(c->time.base));
    }
}

static void put_us(ts_json_writer *w, const char *key, uint64_t ps)
{
  ts_json_put_number(w, key, "%.6f", us(ps));
}

static void put_cell(ts_json_writer *w, const ts_call_table *t, const ts_call_column *column,
                     uint32_t size)
{
  const ts_call_cell *c = &column->cells[size];
  ts_json_line(w, 4);
  ts_json_begin(w, NULL, '{');
  ts_json_put_text(w, "model", column->model);
  ts_json_put_count(w, "bytes", t->bytes[size]);
  put_us(w, "time_us", c->time.time);
  ts_json_put_number(w, "alg_gb_s", "%.3f", algorithm_rate(t, c, size));
  ts_json_put_number(w, "bus_gb_s", "%.3f", bus_rate(t, c, size));
  put_us(w, "connection_us", c->time.base);
  if (c->way.method) {
    ts_json_put_text(w, "algorithm", ts_ir_algorithm_names[c->way.method->algorithm]);
    ts_json_put_text(w, "protocol", ts_ir_protocol_names[c->way.method->protocol]);
    ts_json_put_count(w, "channels", c->way.channels);
    put_us(w, "intra_us", c->time.intra);
    put_us(w, "inter_us", c->time.inter);
    put_us(w, "reduction_us", c->time.reduction);
  }
  ts_json_end(w, '}');
}

void ts_call_table_json(void *closure, FILE *out)
{
  const ts_call_table *t = closure;
  ts_json_writer w = {.out = out, .spaced = true};
  ts_json_begin(&w, NULL, '{');
  ts_json_put_text(&w, "collective", ts_ir_collective_names[t->kind]);
  ts_json_put_text(&w, "group", t->ir->strings + t->ir->groups[t->group].name);
  ts_json_put_count(&w, "ranks", t->members);
  ts_json_put_count(&w, "islands", t->islands);
  ts_json_line(&w, 2);
  ts_json_begin(&w, "calls", '[');
  for (uint32_t m = 0; m < t->columns.count; m++)
    for (uint32_t i = 0; i < t->size_count; i++)
      put_cell(&w, t, &t->columns.at[m], i);
  ts_json_last_line(&w, 2);
  ts_json_end(&w, ']');
  ts_json_last_line(&w, 0);
  ts_json_end(&w, '}');
  ts_json_end_document(&w);
}

/* ---- A picture: bus bandwidth over the logarithm of the bytes ---- */

enum { WIDE = 720, HIGH = 400, LEFT = 60, RIGHT = 180, TOP = 40, BOTTOM = 40 };
static const char *const colours[] = {"#1f6fb4", "#d95f02", "#2a9d4e",
                                      "#7b4fb0", "#b02a5b", "#6b6b6b"};

static double place_of(const ts_call_table *t, uint32_t size)
{
  double first = log2((double)t->bytes[0]),
         range = log2((double)t->bytes[t->size_count - 1]) - first;
  return LEFT +
         (range > 0 ? (log2((double)t->bytes[size]) - first) / range : 0.5) * (WIDE - LEFT - RIGHT);
}

static double highest(const ts_call_table *t)
{
  double most = 0;
  for (uint32_t m = 0; m < t->columns.count; m++)
    for (uint32_t i = 0; i < t->size_count; i++)
      most = fmax(most, bus_rate(t, &t->columns.at[m].cells[i], i));
  double step = most > 0 ? pow(10, floor(log10(most))) : 1;
  return ceil(most / step) * step + (most > 0 ? 0 : 1);
}

static void put_axes(const ts_call_table *t, double most, FILE *out)
{
  for (int k = 0; k <= 4; k++) {
    double y = HIGH - BOTTOM - k / 4.0 * (HIGH - TOP - BOTTOM);
    ts_put_xml(out,
               "<path d=\"M%d %.1fH%d\" stroke=\"#ddd\"/><text x=\"%d\" y=\"%.1f\" "
               "text-anchor=\"end\">%g</text>\n",
               LEFT, y, WIDE - RIGHT, LEFT - 6, y + 4, most * k / 4);
  }
  for (uint32_t i = 0; i < t->size_count; i += (t->size_count + 7) / 8)
    ts_put_xml(out, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>\n", place_of(t, i),
               HIGH - BOTTOM + 18, ts_format_bytes((double)t->bytes[i]).text);
}

static void put_line(const ts_call_table *t, uint32_t column, double most, FILE *out)
{
  const ts_call_column *c = &t->columns.at[column];
  const char *colour = colours[column % (sizeof colours / sizeof *colours)];
  ts_put_xml(out, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"2\" points=\"", colour);
  for (uint32_t i = 0; i < t->size_count; i++)
    ts_put_xml(out, "%.1f,%.1f ", place_of(t, i),
               HIGH - BOTTOM - bus_rate(t, &c->cells[i], i) / most * (HIGH - TOP - BOTTOM));
  ts_put_xml(out, "\"/><text x=\"%d\" y=\"%d\" fill=\"%s\">%s%s</text>\n", WIDE - RIGHT + 12,
             TOP + 12 + 18 * (int)column, colour, c->model, column ? "" : " (in simulations)");
}

void ts_call_table_svg(void *closure, FILE *out)
{
  const ts_call_table *t = closure;
  double most = highest(t);
  ts_put_xml(out,
             "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" "
             "height=\"%d\" font-family=\"sans-serif\" font-size=\"12\">\n"
             "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n"
             "<text x=\"%d\" y=\"20\">%s over %s, %u ranks in %u islands: bus bandwidth, "
             "GB/s</text>\n",
             WIDE, HIGH, WIDE, HIGH, LEFT, ts_ir_collective_names[t->kind],
             t->ir->strings + t->ir->groups[t->group].name, t->members, t->islands);
  put_axes(t, most, out);
  for (uint32_t m = 0; m < t->columns.count; m++)
    put_line(t, m, most, out);
  ts_put_xml(out, "</svg>\n");
}
