#include "runtime/collective/flow_model.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/round.h"
#include "runtime/collective/flow_alike.h"
#include "runtime/collective/flow_traffic.h"
#include "base/intern.h"

enum { FIGURE_WORDS = sizeof(ts_flow_figure) / sizeof(uint32_t) };

struct ts_flow_figures {
  ts_arena *arena;
  const ts_ir *ir;
  const ts_ranks *ranks;
  ts_link_graph *graph;
  ts_flow_models requested;
  ts_traffic *traffic;        /* or NULL: none was measured yet */
  double *load;               /* [2 * links] zero between calls; or NULL */
  uint32_t *mark;             /* likewise */
  ts_intern known;            /* runs of asked.count * TS_FLOW_SHAPES figures */
};

bool ts_flow_figures_any(const ts_flow_figures *f) { return f->requested.count; }

ts_flow_figures *ts_flow_figures_new(ts_arena *arena, const ts_ir *ir, const ts_ranks *ranks,
                                     ts_link_graph *graph, const char *only)
{
  ts_flow_figures *f = TS_NEW(arena, ts_flow_figures);
  *f = (ts_flow_figures){
    .arena = arena, .ir = ir, .ranks = ranks, .graph = graph, .known.arena = arena};
  f->requested = ts_flow_models_of(arena, ir, ranks, graph, TS_IR_NET_FLOW, only);
  return f;
}

static const ts_ir_link_class *flow_model_class_of(const ts_flow_figures *f, uint32_t link)
{
  return &f->ir->link_classes[f->ir->links[link / 2].link_class];
}

static int too_few_ports(const ts_flow_figures *f, uint32_t link, uint32_t needed, ts_stop *stop)
{
  const ts_ir_link_class *class = flow_model_class_of(f, link);
  ts_stop_set(stop, TS_EXIT_NO, "R0302", "too-few-ports",
              "a collective needs more circuits at a time than its devices have ports");
  ts_stop_fact(stop, "needed", "%u", needed);
  ts_stop_fact(stop, "ports", "%u, of links `%s`", class->ports, f->ir->strings + class->name);
  ts_stop_help(stop, "give the links more `ports`, or the model fewer `channels`");
  return -1;
}

/* When each call ends, all started at 0 without latency. `alike`: see ts_flow_alike; NULL: each is
 * played. */
static void flow_model_play(ts_flow_figures *f, const ts_flow_pattern *patterns, uint32_t count,
                            double volume, const uint32_t *alike, uint64_t *end)
{
  if (!f->traffic)
    f->traffic = ts_traffic_new(f->arena, f->ir);
  ts_traffic *t = f->traffic;
  ts_arena *scratch = ts_arena_new("patterns that are played");
  uint32_t *played = TS_NEW_ARRAY(scratch, uint32_t, count), calls = 0;
  for (uint32_t i = 0; i < count; i++)
    if (!alike || alike[i] == i) {
      /* the first ones get the numbers from 0 on */
      ts_traffic_start(t, &patterns[i], volume * patterns[i].share, 0);
      played[calls++] = i;
    }
  for (uint64_t next; (next = ts_traffic_next(t)) != TS_FLOW_NEVER;) {
    ts_traffic_advance(t, next);
    for (uint32_t call; (call = ts_traffic_ended(t)) != TS_FLOW_NONE;)
      end[played[call]] = next;
  }
  for (uint32_t i = 0; alike && i < count; i++)
    end[i] = end[alike[i]];
  ts_traffic_again(t);
  ts_arena_free(scratch);
}

static bool has_circuits(const ts_flow_pattern *patterns, uint32_t count)
{
  for (uint32_t i = 0; i < count; i++)
    for (uint32_t p = 0; p < patterns[i].count; p++)
      if (patterns[i].parts[p].circuit_count)
        return true;
  return false;
}

/* Rates of flows that are alike may differ in the last bits; figures must not. */
static double without_noise(double x)
{
  int exponent;
  double mantissa = frexp(x, &exponent);
  return ldexp(nearbyint(ldexp(mantissa, 30)), exponent - 30);
}

static const uint32_t *find_alike(ts_flow_figures *f, ts_arena *scratch,
                                  const ts_flow_pattern *patterns, uint32_t count)
{
  if (!f->mark)
    f->mark = TS_NEW_ARRAY(f->arena, uint32_t, 2 * (size_t)f->ir->links_count);
  return ts_flow_alike(scratch, f->ir, patterns, count, f->mark);
}

/* A call's time is a line in its bytes: rates do not depend on them. Circuits add the time to set
 * them up, which next to nothing takes too. */
static void flow_model_measure(ts_flow_figures *f, const ts_flow_pattern *patterns, uint32_t count,
                               double efficiency, ts_flow_figure *figures, uint32_t stride)
{
  const double volume = 1e10; /* bytes: picoseconds round to 1e-9 of the time or less */
  ts_arena *scratch = ts_arena_new("figures of flows");
  uint64_t *end = TS_NEW_ARRAY(scratch, uint64_t, count),
           *empty = TS_NEW_ARRAY(scratch, uint64_t, count);
  if (has_circuits(patterns, count)) {
    flow_model_play(f, patterns, count, volume, NULL, end);
    flow_model_play(f, patterns, count, 1e-9, NULL, empty);
  } else {
    flow_model_play(f, patterns, count, volume, find_alike(f, scratch, patterns, count), end);
  }
  for (uint32_t i = 0; i < count; i++)
    figures[(size_t)i * stride] =
      (ts_flow_figure){patterns[i].latency + empty[i], patterns[i].again,
                       without_noise((double)(end[i] - empty[i]) / (efficiency * volume))};
  ts_arena_free(scratch);
}

/* A message alone: its slowest link, and its circuits set up. */
static ts_flow_figure measure_message(const ts_flow_figures *f, const ts_flow_pattern *pattern,
                                      double efficiency)
{
  ts_flow_figure figure = {pattern->latency, 0, 0};
  const ts_flow_part *part = &pattern->parts[0];
  uint64_t setup = 0;
  for (uint32_t u = 0; u < part->count; u++)
    figure.per_byte =
      fmax(figure.per_byte, 1e12 * part->uses[u].connections /
                              (efficiency * flow_model_class_of(f, part->uses[u].link)->bandwidth));
  for (uint32_t i = 0; i < part->circuit_count; i++) {
    const ts_ir_link_class *ends[] = {flow_model_class_of(f, part->circuits[i].in),
                                      flow_model_class_of(f, part->circuits[i].out)};
    for (int e = 0; e < 2; e++) {
      figure.per_byte = fmax(figure.per_byte, 1e12 * part->circuits[i].connections /
                                                (efficiency * ends[e]->bandwidth));
      setup = ends[e]->setup > setup ? ends[e]->setup : setup;
    }
  }
  figure.again = setup; /* it occupies the ports, latency nobody */
  return figure;
}

static int make_shape(ts_flow_figures *f, uint32_t model, const ts_rank_group *g,
                      ts_flow_shape shape, ts_flow_figure *figures, ts_stop *stop)
{
  ts_arena *scratch = ts_arena_new("flows of a group");
  ts_flow_pattern *patterns = TS_NEW_ARRAY(scratch, ts_flow_pattern, g->instances);
  uint32_t *vertex = TS_NEW_ARRAY(scratch, uint32_t, g->size), pair[2], link = 0, needed = 0;
  int status = 0;
  bool possible = true;
  for (uint32_t i = 0; i < g->instances && possible && !status; i++) {
    for (uint32_t j = 0; j < g->size; j++)
      vertex[j] = f->ranks->vertex[ts_instance_ranks(g, i)[j]];
    possible = ts_flow_pattern_possible(f->requested.makers[model], shape, vertex, g->size);
    if (!possible)
      continue;
    if (!ts_flow_pattern_make(f->requested.makers[model], scratch, shape, vertex, g->size,
                              &patterns[i], pair))
      status = ts_network_no_path(f->arena, f->ir, pair[0], pair[1], stop);
    else if (!ts_traffic_possible(f->ir, &patterns[i], &link, &needed))
      status = too_few_ports(f, link, needed, stop);
  }
  if (!status && possible)
    flow_model_measure(f, patterns, g->instances, f->requested.models[model]->efficiency, figures,
                       f->requested.count * TS_FLOW_SHAPES);
  ts_arena_free(scratch);
  return status;
}

static uint32_t flow_model_number_of(ts_flow_figures *f, const ts_flow_figure *figures)
{
  uint32_t words[FIGURE_WORDS], count = f->requested.count * TS_FLOW_SHAPES;
  TS_VEC(uint32_t) run = {0};
  ts_arena *scratch = ts_arena_new("words");
  for (uint32_t i = 0; i < count; i++) {
    memcpy(words, &figures[i], sizeof words);
    for (uint32_t w = 0; w < FIGURE_WORDS; w++)
      TS_PUSH(scratch, &run, words[w]);
  }
  uint32_t number = ts_intern_run(&f->known, run.at, (uint32_t)run.count);
  ts_arena_free(scratch);
  return number;
}

static void none_made(ts_flow_figure *figures, size_t count)
{
  for (size_t i = 0; i < count; i++)
    figures[i] = (ts_flow_figure){0, 0, -1};
}

const uint32_t *ts_flow_figures_group(ts_flow_figures *f, ts_arena *arena, uint32_t group,
                                      ts_stop *stop)
{
  const ts_rank_group *g = &f->ranks->groups[group];
  uint32_t stride = f->requested.count * TS_FLOW_SHAPES,
           *number = TS_NEW_ARRAY(arena, uint32_t, g->instances);
  ts_arena *scratch = ts_arena_new("figures of a group");
  ts_flow_figure *figures = TS_NEW_ARRAY(scratch, ts_flow_figure, (size_t)g->instances * stride);
  none_made(figures, (size_t)g->instances * stride);
  int status = 0;
  for (uint32_t m = 0; m < f->requested.count; m++)
    for (uint32_t s = 0, shapes = ts_flow_shapes_called(f->ir, group, f->requested.models[m]);
         s < TS_FLOW_SHAPES && !status; s++)
      if (shapes >> s & 1)
        status = make_shape(f, m, g, (ts_flow_shape)s, &figures[m * TS_FLOW_SHAPES + s], stop);
  for (uint32_t i = 0; i < g->instances && !status; i++)
    number[i] = flow_model_number_of(f, &figures[(size_t)i * stride]);
  ts_arena_free(scratch);
  return status ? NULL : number;
}

/* Whether messages put more on a link than one of them alone. */
static bool share_links(ts_flow_figures *f, const ts_flow_pattern *patterns, uint32_t count)
{
  bool shared = false;
  if (!f->load)
    f->load = TS_NEW_ARRAY(f->arena, double, 2 * (size_t)f->ir->links_count);
  for (uint32_t i = 0; i < count; i++) {
    const ts_flow_part *part = &patterns[i].parts[0];
    shared |= part->circuit_count > 0;
    for (uint32_t u = 0; u < part->count; u++) {
      shared |= f->load[part->uses[u].link] > 0;
      f->load[part->uses[u].link] += part->uses[u].connections;
    }
  }
  for (uint32_t i = 0; i < count; i++)
    for (uint32_t u = 0; u < patterns[i].parts[0].count; u++)
      f->load[patterns[i].parts[0].uses[u].link] = 0;
  return shared;
}

/* What messages take that are sent at the same time, where that is more. */
static void measure_together(ts_flow_figures *f, const ts_flow_pattern *patterns, uint32_t count,
                             double efficiency, ts_flow_figure *figures, uint32_t stride)
{
  ts_arena *scratch = ts_arena_new("messages at the same time");
  ts_flow_figure *together = TS_NEW_ARRAY(scratch, ts_flow_figure, count);
  flow_model_measure(f, patterns, count, efficiency, together, 1);
  for (uint32_t i = 0; i < count; i++) {
    ts_flow_figure *alone = &figures[(size_t)i * stride];
    uint64_t setup = together[i].latency - patterns[i].latency;
    alone->again = setup > alone->again ? setup : alone->again;
    if (together[i].per_byte > alone->per_byte * (1 + 1e-6))
      alone->per_byte = together[i].per_byte;
  }
  ts_arena_free(scratch);
}

/* `figures`: of a model, of each message `stride` apart. */
static int make_messages(ts_flow_figures *f, uint32_t model, const ts_network_message *m,
                         uint32_t count, ts_flow_figure *figures, uint32_t stride, ts_stop *stop)
{
  ts_arena *scratch = ts_arena_new("flows of messages");
  ts_flow_pattern *patterns = TS_NEW_ARRAY(scratch, ts_flow_pattern, count);
  double efficiency = f->requested.models[model]->efficiency;
  int status = 0;
  for (uint32_t i = 0; i < count && !status; i++)
    if (ts_flow_pattern_message(f->requested.makers[model], scratch, m[i].from, m[i].to,
                                &patterns[i]))
      figures[(size_t)i * stride] = measure_message(f, &patterns[i], efficiency);
    else
      status = ts_network_no_path(f->arena, f->ir, m[i].from, m[i].to, stop);
  if (!status && count > 1 && share_links(f, patterns, count))
    measure_together(f, patterns, count, efficiency, figures, stride);
  ts_arena_free(scratch);
  return status;
}

int ts_flow_figures_paths(ts_flow_figures *f, const ts_network_message *m, uint32_t count,
                          uint32_t *number, ts_stop *stop)
{
  uint32_t stride = f->requested.count * TS_FLOW_SHAPES;
  ts_arena *scratch = ts_arena_new("figures of paths");
  ts_flow_figure *figures = TS_NEW_ARRAY(scratch, ts_flow_figure, (size_t)count * stride);
  none_made(figures, (size_t)count * stride);
  int status = 0;
  for (uint32_t k = 0; k < f->requested.count && !status; k++)
    status = make_messages(f, k, m, count, &figures[k * TS_FLOW_SHAPES + TS_FLOW_SHIFT], stride,
                           stop);
  for (uint32_t i = 0; i < count && !status; i++)
    number[i] = flow_model_number_of(f, &figures[(size_t)i * stride]);
  ts_arena_free(scratch);
  return status;
}

static uint64_t steps_of(const ts_flow_figure *figure, uint32_t kind)
{
  return figure->latency + (kind == TS_IR_ALL_REDUCE || kind == TS_IR_BARRIER ? figure->again : 0);
}

static double transfer_of(ts_flow_shape shape, const ts_flow_figure *figure, uint32_t kind,
                          uint64_t bytes, uint32_t ranks)
{
  return ts_flow_volume(shape, kind, ranks) * (double)bytes * figure->per_byte;
}

/* Of the shapes that the call may be made in the one that takes least; TS_FLOW_SHAPES: nothing of
 * the kind is called over such a group. */
static ts_flow_shape flow_model_choose(const ts_ir_net_model *model, const ts_flow_figure *figures,
                                       uint32_t kind, uint64_t bytes, uint32_t ranks)
{
  ts_flow_shape best = TS_FLOW_SHAPES;
  double min = INFINITY;
  for (uint32_t s = 0, shapes = ts_flow_shapes_of(kind, model); s < TS_FLOW_SHAPES; s++) {
    if (!(shapes >> s & 1) || figures[s].per_byte < 0)
      continue;
    double time = (double)steps_of(&figures[s], kind) +
                  transfer_of((ts_flow_shape)s, &figures[s], kind, bytes, ranks);
    if (time < min) {
      min = time;
      best = (ts_flow_shape)s;
    }
  }
  return best;
}

static void figures_of(const ts_flow_figures *f, uint32_t number, uint32_t model,
                       ts_flow_figure *figures)
{
  memcpy(figures,
         (const uint32_t *)f->known.all.at[number].at +
           (size_t)f->requested.place[model] * TS_FLOW_SHAPES * FIGURE_WORDS,
         TS_FLOW_SHAPES * sizeof *figures);
}

bool ts_flow_call_of(const ts_flow_figures *f, uint32_t number, uint32_t model, uint32_t kind,
                     uint64_t bytes, uint32_t ranks, ts_flow_call *call)
{
  ts_flow_figure figures[TS_FLOW_SHAPES];
  const ts_ir_net_model *m = &f->ir->net_models[model];
  figures_of(f, number, model, figures);
  ts_flow_shape shape = flow_model_choose(m, figures, kind, bytes, ranks);
  if (shape == TS_FLOW_SHAPES)
    return false;
  *call = (ts_flow_call){model, shape, m->base,
                         ts_flow_volume(shape, kind, ranks) * (double)bytes / m->efficiency};
  return true;
}

ts_flow_maker *ts_flow_figures_maker(const ts_flow_figures *f, uint32_t model)
{
  return f->requested.makers[f->requested.place[model]];
}

ts_estimate ts_flow_estimate(const ts_flow_figures *f, uint32_t number, uint32_t model,
                             uint32_t kind, uint64_t bytes, uint32_t ranks)
{
  ts_flow_figure figures[TS_FLOW_SHAPES];
  const ts_ir_net_model *m = &f->ir->net_models[model];
  figures_of(f, number, model, figures);
  ts_flow_shape shape = flow_model_choose(m, figures, kind, bytes, ranks);
  ts_estimate e = {.base = m->base};
  if (shape == TS_FLOW_SHAPES)
    return e;
  double transfer = transfer_of(shape, &figures[shape], kind, bytes, ranks);
  e.steps = steps_of(&figures[shape], kind);
  e.transfer = ts_round_ps(transfer);
  e.switches_reduce = shape == TS_FLOW_SWITCH;
  if (kind == TS_IR_MESSAGE)
    e.base += figures[shape].again;
  e.time = e.base + e.steps + e.transfer;
  return e;
}
