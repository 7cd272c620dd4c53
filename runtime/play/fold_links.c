#include "runtime/play/fold_links.h"

#include <stdlib.h>
#include <string.h>

#include "base/intern.h"

/* Calls of one pattern over the instances of a group, or to one peer of the programs. */
typedef struct kind {
  uint32_t group;        /* TS_IR_NONE: messages */
  uint32_t model, place; /* place: shape of collectives, peer of messages */
} kind;

typedef struct call {
  ts_flow_pattern *pattern; /* of the contention */
  uint32_t first_flow, first_member;
  uint32_t member_count;
} call;

typedef struct use {
  uint32_t link, weight;
} use; /* numbers of a link and of connections */

typedef TS_VEC(uint32_t) numbers;
typedef TS_VEC(uint64_t) pairs;

struct ts_fold_links {
  ts_arena *arena, *keep;
  const ts_tables *t;
  const ts_roles *roles;
  ts_contention *contention;
  TS_VEC(kind) kinds;
  bool *plays; /* [kinds * roles] */
  TS_VEC(call) calls;
  TS_VEC(uint32_t) members;   /* ranks of each call */
  uint32_t *call_of;          /* [kinds * world] TS_IR_NONE: has none */
  TS_VEC(uint32_t) first_use; /* of each flow, and the end */
  TS_VEC(use) uses;
  TS_VEC(double) weights;
  ts_intern weight_of;
  uint32_t *link_of;        /* [2 * links] number among those that are used, plus 1 */
  TS_VEC(uint32_t) links;   /* these */
  uint32_t *first_crossing; /* [links + 1] into crossings: flows and weights of each link */
  use *crossings;           /* link: the flow */
  uint32_t *call_color, *flow_color, *link_color;
  uint32_t call_colors, flow_colors, link_colors;
};

/* ---- What is played ---- */

static uint32_t kind_of(ts_fold_links *l, kind k)
{
  for (uint32_t i = 0; i < l->kinds.count; i++)
    if (!memcmp(&l->kinds.at[i], &k, sizeof k))
      return i;
  TS_PUSH(l->arena, &l->kinds, k);
  return (uint32_t)l->kinds.count - 1;
}

typedef struct played {
  uint32_t kind, role;
} played;
typedef TS_VEC(played) played_list;

static void list_collective(ts_fold_links *l, uint32_t role, uint32_t number, played_list *out)
{
  const ts_ir_collective *c = &l->t->ir->collectives[number];
  ts_flow_call flows;
  if (ts_contention_plays(l->contention, c->kind, c->bytes,
                          l->roles->at[role].group_profile[c->group], &flows))
    TS_PUSH(l->arena, out, (played){kind_of(l, (kind){c->group, flows.model, flows.shape}), role});
}

/* Collectives are listed once for the role. */
static void list_role(ts_fold_links *l, uint32_t role, uint32_t *seen, played_list *out)
{
  const ts_role *r = &l->roles->at[role];
  const ts_program_info *program = &l->t->programs[r->program];
  for (uint32_t f = 0; f < l->t->ir->fragments_count; f++)
    for (uint32_t s = 0; r->code[f].stream && s < l->t->streams; s++) {
      ts_range code = r->code[f].stream[s];
      for (uint32_t i = code.first; i < code.first + code.count; i++)
        if (r->ops[i].kind == TS_OP_COLLECTIVE && seen[r->ops[i].arg] != role + 1) {
          seen[r->ops[i].arg] = role + 1;
          list_collective(l, role, r->ops[i].arg, out);
        }
    }
  for (uint32_t p = 0; p < program->peer_count; p++) {
    ts_flow_call flows;
    if (program->peers[p].sends &&
        ts_contention_plays(l->contention, TS_IR_MESSAGE, 1, r->peer_profile[p], &flows))
      TS_PUSH(l->arena, out, (played){kind_of(l, (kind){TS_IR_NONE, flows.model, p}), role});
  }
}

static void list_kinds(ts_fold_links *l)
{
  ts_arena *scratch = ts_arena_new("calls that share links");
  uint32_t *seen = TS_NEW_ARRAY(scratch, uint32_t, l->t->ir->collectives_count);
  played_list all = {0};
  for (uint32_t k = 0; k < l->roles->count; k++)
    list_role(l, k, seen, &all);
  l->plays = TS_NEW_ARRAY(l->arena, bool, l->kinds.count * l->roles->count);
  for (size_t i = 0; i < all.count; i++)
    l->plays[all.at[i].kind * l->roles->count + all.at[i].role] = true;
  ts_arena_free(scratch);
}

/* ---- Calls, flows, links ---- */

static uint32_t number_of_weight(ts_fold_links *l, double weight)
{
  uint32_t words[2], number;
  memcpy(words, &weight, sizeof words);
  number = ts_intern_run(&l->weight_of, words, 2);
  if (number == l->weights.count)
    TS_PUSH(l->arena, &l->weights, weight);
  return number;
}

static void add_flows(ts_fold_links *l, const ts_flow_pattern *pattern)
{
  for (uint32_t i = 0; i < pattern->count; i++) {
    const ts_flow_part *part = &pattern->parts[i];
    TS_PUSH(l->arena, &l->first_use, (uint32_t)l->uses.count);
    for (uint32_t u = 0; u < part->count; u++) {
      uint32_t *link = &l->link_of[part->uses[u].link];
      if (!*link) {
        TS_PUSH(l->arena, &l->links, part->uses[u].link);
        *link = (uint32_t)l->links.count;
      }
      TS_PUSH(l->arena, &l->uses, (use){*link - 1, number_of_weight(l, part->uses[u].connections)});
    }
  }
}

static uint32_t add_call(ts_fold_links *l, ts_flow_pattern *pattern)
{
  TS_PUSH(l->arena, &l->calls,
          (call){pattern, (uint32_t)l->first_use.count, (uint32_t)l->members.count, 0});
  add_flows(l, pattern);
  return (uint32_t)l->calls.count - 1;
}

static void add_member(ts_fold_links *l, uint32_t number, uint32_t rank, uint32_t *call_of)
{
  TS_PUSH(l->arena, &l->members, rank);
  l->calls.at[number].member_count++;
  call_of[rank] = number;
}

static void add_collectives(ts_fold_links *l, uint32_t k, uint32_t *call_of)
{
  const kind *of = &l->kinds.at[k];
  const ts_rank_group *g = &l->t->ranks->groups[of->group];
  for (uint32_t i = 0; i < g->instances; i++) {
    uint32_t number = TS_IR_NONE;
    for (uint32_t j = 0; j < g->size; j++) {
      uint32_t rank = ts_instance_ranks(g, i)[j];
      if (!l->plays[k * l->roles->count + l->roles->of[rank]])
        continue;
      if (number == TS_IR_NONE)
        number = add_call(l, ts_contention_pattern(l->contention, of->group, i, of->model,
                                                   (ts_flow_shape)of->place));
      add_member(l, number, rank, call_of);
    }
  }
}

static void add_messages(ts_fold_links *l, uint32_t k, uint32_t *call_of)
{
  const ts_ranks *ranks = l->t->ranks;
  for (uint32_t r = 0; r < ranks->world; r++) {
    if (!l->plays[k * l->roles->count + l->roles->of[r]])
      continue;
    const ts_program_info *program = &l->t->programs[ranks->program[r]];
    uint32_t peer = l->kinds.at[k].place,
             to = ts_peer_rank(ranks, r, program->peers[peer].coordinate);
    ts_flow_pattern *path = ts_contention_path(l->contention, l->kinds.at[k].model, r, to, peer);
    add_member(l, add_call(l, path), r, call_of);
  }
}

static bool has_circuits(const ts_fold_links *l)
{
  for (size_t c = 0; c < l->calls.count; c++)
    for (uint32_t i = 0; i < l->calls.at[c].pattern->count; i++)
      if (l->calls.at[c].pattern->parts[i].circuit_count)
        return true;
  return false;
}

static void list_crossings(ts_fold_links *l)
{
  uint32_t *first = TS_NEW_ARRAY(l->arena, uint32_t, l->links.count + 2);
  l->crossings = TS_NEW_ARRAY(l->arena, use, l->uses.count);
  for (size_t u = 0; u < l->uses.count; u++)
    first[l->uses.at[u].link + 2]++;
  for (size_t i = 0; i < l->links.count; i++)
    first[i + 2] += first[i + 1];
  for (uint32_t f = 0; f + 1 < l->first_use.count; f++)
    for (uint32_t u = l->first_use.at[f]; u < l->first_use.at[f + 1]; u++)
      l->crossings[first[l->uses.at[u].link + 1]++] = (use){f, l->uses.at[u].weight};
  l->first_crossing = first;
}

/* ---- Colors ---- */

static int ascending(const void *a, const void *b)
{
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return x < y ? -1 : x > y;
}

static uint64_t pair(uint32_t color, uint32_t weight) { return (uint64_t)color << 32 | weight; }

/* What has a color so far, and meets these in any order. */
static uint32_t color_by(ts_intern *colors, numbers *words, uint32_t before, uint32_t besides,
                         pairs *met)
{
  words->count = 0;
  TS_PUSH(colors->arena, words, before);
  TS_PUSH(colors->arena, words, besides);
  TS_SORT(met, ascending);
  for (size_t i = 0; i < met->count; i++) {
    TS_PUSH(colors->arena, words, (uint32_t)(met->at[i] >> 32));
    TS_PUSH(colors->arena, words, (uint32_t)met->at[i]);
  }
  return ts_intern_run(colors, words->at, (uint32_t)words->count);
}

typedef struct painter { /* of one round */
  ts_arena *scratch;
  numbers words;
  pairs met;
} painter;

static ts_intern begin_colors(painter *p) { return (ts_intern){.arena = p->scratch}; }

static void color_flows(ts_fold_links *l, painter *p)
{
  ts_intern colors = begin_colors(p);
  for (size_t c = 0; c < l->calls.count; c++)
    for (uint32_t f = l->calls.at[c].first_flow, n = l->calls.at[c].pattern->count; n-- > 0; f++) {
      p->met.count = 0;
      for (uint32_t u = l->first_use.at[f]; u < l->first_use.at[f + 1]; u++)
        TS_PUSH(p->scratch, &p->met, pair(l->link_color[l->uses.at[u].link], l->uses.at[u].weight));
      l->flow_color[f] = color_by(&colors, &p->words, l->flow_color[f], l->call_color[c], &p->met);
    }
  l->flow_colors = (uint32_t)colors.all.count;
}

/* Whoever is in a call has met classes that those in an equal class have met (fold.c), so one class
 * stands for all members. */
static void color_calls(ts_fold_links *l, painter *p, const uint32_t *of)
{
  ts_intern colors = begin_colors(p);
  for (size_t i = 0; i < l->calls.count; i++) {
    const call *c = &l->calls.at[i];
    uint32_t least = TS_IR_NONE;
    for (uint32_t m = 0; m < c->member_count; m++) {
      uint32_t class = of[l->members.at[c->first_member + m]];
      least = class < least ? class : least;
    }
    p->met.count = 0;
    for (uint32_t k = 0; k < c->pattern->count; k++)
      TS_PUSH(p->scratch, &p->met, pair(l->flow_color[c->first_flow + k], 0));
    l->call_color[i] = color_by(&colors, &p->words, l->call_color[i], least, &p->met);
  }
  l->call_colors = (uint32_t)colors.all.count;
}

static void color_links(ts_fold_links *l, painter *p)
{
  ts_intern colors = begin_colors(p);
  for (uint32_t i = 0; i < l->links.count; i++) {
    p->met.count = 0;
    for (uint32_t x = l->first_crossing[i]; x < l->first_crossing[i + 1]; x++)
      TS_PUSH(p->scratch, &p->met,
              pair(l->flow_color[l->crossings[x].link], l->crossings[x].weight));
    l->link_color[i] = color_by(&colors, &p->words, l->link_color[i], 0, &p->met);
  }
  l->link_colors = (uint32_t)colors.all.count;
}

void ts_fold_links_color(ts_fold_links *l, const uint32_t *of)
{
  for (uint64_t before = 0, now = 1; before != now;) {
    painter p = {.scratch = ts_arena_new("colors of links")};
    before = (uint64_t)l->call_colors + l->flow_colors + l->link_colors;
    color_calls(l, &p, of);
    color_flows(l, &p);
    color_links(l, &p);
    now = (uint64_t)l->call_colors + l->flow_colors + l->link_colors;
    ts_arena_free(p.scratch);
  }
}

/* By what a call has of its own, and what a link carries. */
static void begin_coloring(ts_fold_links *l)
{
  const double *capacity = ts_flow_capacities(l->arena, l->t->ir);
  l->call_color = TS_NEW_ARRAY(l->arena, uint32_t, l->calls.count);
  l->flow_color = TS_NEW_ARRAY(l->arena, uint32_t, l->first_use.count);
  l->link_color = TS_NEW_ARRAY(l->arena, uint32_t, l->links.count);
  ts_intern of = {.arena = l->arena};
  for (uint32_t k = 0; k < l->kinds.count; k++)
    for (uint32_t r = 0; r < l->t->ranks->world; r++) {
      uint32_t c = l->call_of[(size_t)k * l->t->ranks->world + r], words[7] = {k};
      if (c == TS_IR_NONE)
        continue;
      const ts_flow_pattern *pattern = l->calls.at[c].pattern;
      memcpy(words + 1, &pattern->latency, 8);
      memcpy(words + 3, &pattern->again, 8);
      memcpy(words + 5, &pattern->share, 8);
      l->call_color[c] = ts_intern_run(&of, words, 7);
    }
  for (size_t i = 0; i < l->links.count; i++)
    l->link_color[i] = number_of_weight(l, capacity[l->links.at[i]]);
}

/* ---- For fold.c ---- */

ts_fold_links *ts_fold_links_new(ts_arena *scratch, ts_arena *keep, const ts_tables *tables,
                                 const ts_roles *roles, ts_contention *contention)
{
  ts_fold_links *l = TS_NEW(scratch, ts_fold_links);
  *l = (ts_fold_links){
    .arena = scratch, .keep = keep, .t = tables, .roles = roles, .contention = contention};
  l->weight_of.arena = scratch;
  list_kinds(l);
  return l->kinds.count ? l : NULL;
}

bool ts_fold_links_begin(ts_fold_links *l)
{
  uint32_t world = l->t->ranks->world;
  for (uint32_t k = 0; k < l->kinds.count; k++)
    if (l->t->ir->net_models[l->kinds.at[k].model].kind == TS_IR_NET_PACKET)
      return false;
  l->link_of = TS_NEW_ARRAY(l->arena, uint32_t, 2 * (size_t)l->t->ir->links_count);
  l->call_of = ts_arena_alloc_raw(l->arena, l->kinds.count * world * sizeof *l->call_of);
  memset(l->call_of, 0xff, l->kinds.count * world * sizeof *l->call_of);
  for (uint32_t k = 0; k < l->kinds.count; k++)
    (l->kinds.at[k].group == TS_IR_NONE ? add_messages :
                                          add_collectives)(l, k, l->call_of + (size_t)k * world);
  TS_PUSH(l->arena, &l->first_use, (uint32_t)l->uses.count);
  if (has_circuits(l))
    return false;
  list_crossings(l);
  begin_coloring(l);
  return true;
}

bool ts_fold_links_key(const ts_fold_links *l, uint32_t number, uint32_t *key, uint32_t *group)
{
  uint32_t world = l->t->ranks->world;
  if (number >= l->kinds.count)
    return false;
  *group = l->kinds.at[number].group;
  for (uint32_t r = 0; r < world; r++) {
    uint32_t c = l->call_of[(size_t)number * world + r];
    key[r] = c == TS_IR_NONE ? TS_IR_NONE : l->call_color[c];
  }
  return true;
}

/* Connections of all flows of the color on the link. */
static double crossing(const ts_fold_links *l, uint32_t link, uint32_t flow_color)
{
  double sum = 0;
  for (uint32_t x = l->first_crossing[link]; x < l->first_crossing[link + 1]; x++)
    if (l->flow_color[l->crossings[x].link] == flow_color)
      sum += l->weights.at[l->crossings[x].weight];
  return sum;
}

typedef struct joiner {
  ts_fold_links *l;
  uint32_t *link;                  /* [link colors] the lowest of it */
  uint32_t *seen_link, *seen_flow; /* by color: the flow or call that saw it last, plus 1 */
} joiner;

static ts_flow_part join_part(joiner *j, uint32_t flow, const ts_flow_part *of)
{
  ts_fold_links *l = j->l;
  TS_VEC(ts_flow_use) uses = {0};
  for (uint32_t u = l->first_use.at[flow]; u < l->first_use.at[flow + 1]; u++) {
    uint32_t color = l->link_color[l->uses.at[u].link];
    if (j->seen_link[color] == flow + 1)
      continue;
    j->seen_link[color] = flow + 1;
    TS_PUSH(
      l->keep, &uses,
      (ts_flow_use){l->links.at[j->link[color]], crossing(l, j->link[color], l->flow_color[flow])});
  }
  return (ts_flow_part){
    .uses = TS_ITEMS(l->keep, &uses), .count = (uint32_t)uses.count, .share = of->share};
}

/* One flow of each color. */
static ts_flow_pattern join_call(joiner *j, uint32_t number)
{
  ts_fold_links *l = j->l;
  const call *c = &l->calls.at[number];
  ts_flow_pattern out = *c->pattern;
  ts_flow_part *parts = TS_NEW_ARRAY(l->keep, ts_flow_part, out.count);
  out.count = 0;
  for (uint32_t k = 0; k < c->pattern->count; k++) {
    uint32_t flow = c->first_flow + k, color = l->flow_color[flow];
    if (j->seen_flow[color] == number + 1)
      continue;
    j->seen_flow[color] = number + 1;
    parts[out.count++] = join_part(j, flow, &c->pattern->parts[k]);
  }
  out.parts = parts;
  return out;
}

void ts_fold_links_join(ts_fold_links *l)
{
  ts_arena *scratch = ts_arena_new("calls for others");
  joiner j = {l, TS_NEW_ARRAY(scratch, uint32_t, l->link_colors),
              TS_NEW_ARRAY(scratch, uint32_t, l->link_colors),
              TS_NEW_ARRAY(scratch, uint32_t, l->flow_colors)};
  ts_flow_pattern *of = TS_NEW_ARRAY(scratch, ts_flow_pattern, l->call_colors);
  bool *made = TS_NEW_ARRAY(scratch, bool, l->call_colors);
  for (uint32_t i = (uint32_t)l->links.count; i-- > 0;)
    j.link[l->link_color[i]] = i;
  for (uint32_t c = 0; c < l->calls.count; c++)
    if (!made[l->call_color[c]]) {
      made[l->call_color[c]] = true;
      of[l->call_color[c]] = join_call(&j, c);
    }
  for (uint32_t c = 0; c < l->calls.count; c++)
    *l->calls.at[c].pattern = of[l->call_color[c]];
  ts_arena_free(scratch);
}
