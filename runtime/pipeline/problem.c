#include "runtime/pipeline/problem.h"

#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "runtime/play/fragment_map.h"

static inline int64_t problem_larger(int64_t a, int64_t b) { return a > b ? a : b; }

/* An item of a rank. */
typedef struct run {
  ts_fragment_play play;
  const ts_tables *t;
  const ts_role *role;
  const ts_program_info *program;
  const ts_play_item *item;
} run;

/* ---- Maps ---- */

typedef struct problem_maker {
  ts_arena *arena, *scratch;
  const ts_prepared *prepared;
  const ts_ir *ir;
  ts_pipeline *p;
  ts_fragment_clocks clocks;
  uint32_t streams,
    *clock_of;          /* [clocks] in the pipeline: an IR numbers its streams as it uses them */
  uint32_t lane, ports; /* most ports of a fragment */
  uint32_t nodes;       /* most nodes */
  const ts_pipeline_stages *stages;
  ts_intern kinds;    /* of maps, */
  uint32_t kinds_from; /* numbered from here on */
  TS_VEC(ts_pipeline_map) maps;
  TS_VEC(ts_pipeline_row) rows;
  TS_VEC(ts_pipeline_term) terms;
  TS_VEC(int64_t) after;
  TS_VEC(uint32_t) ins, sender;
  uint32_t **slot_item; /* [ranks][slots] message + 1 */
  uint32_t *letter_of;  /* [rank * chunks + chunk][kinds] letter + 1 */
  ts_error *error;
} problem_maker;

static const char kind_names[] = "FIWB";

static uint32_t rank_of(const problem_maker *k, uint32_t coordinate)
{
  return ts_peer_rank(k->prepared->tables->ranks, k->lane, coordinate);
}

static const ts_role *role_of(const problem_maker *k, uint32_t coordinate)
{
  return &k->prepared->roles->at[k->prepared->roles->of[rank_of(k, coordinate)]];
}

/* What the engine does with the item, calls of others than the rank's own group left out: its
 * members are ranks that do the same. */
static run open_run(problem_maker *k, uint32_t rank, uint32_t item)
{
  const ts_tables *t = k->prepared->tables;
  const ts_role *role = role_of(k, rank);
  const ts_program_info *program = &t->programs[role->program];
  const ts_play_item *v = &program->items[item];
  return (run){.t = t,
               .role = role,
               .program = program,
               .item = v,
               .play = {.ir = t->ir,
                        .fragment = &t->ir->fragments[v->fragment],
                        .kernels = role->kernel_time,
                        .calls = role->collective_time,
                        .transits = role->transits,
                        .queue_times = role->queue_times,
                        .routes = program->routes + v->port_base,
                        .clocks = k->clocks}};
}

static void problem_make_room(problem_maker *k, ts_fragment_play *f)
{
  f->clock = TS_NEW_ARRAY(k->scratch, int64_t, k->clocks.count + 1);
  f->in = TS_NEW_ARRAY(k->scratch, int64_t, k->ports + 1);
  f->out = TS_NEW_ARRAY(k->scratch, int64_t, k->ports + 1);
  f->end = TS_NEW_ARRAY(k->scratch, int64_t, k->nodes + 1);
}

/* Ports of a fragment that receive, or send, in order. */
static uint32_t ports_of(const ts_ir *ir, uint32_t fragment, bool sends, uint32_t *ports)
{
  const ts_ir_fragment *f = &ir->fragments[fragment];
  uint32_t count = 0;
  for (uint32_t q = 0; q < f->port_count; q++)
    if (!!ir->ports[f->first_port + q].is_send == sends)
      ports[count++] = q;
  return count;
}

/* All clocks, and the ports that receive, or send. */
static uint32_t places_of(const problem_maker *k, uint32_t fragment, bool sends, uint32_t *places)
{
  uint32_t clocks = k->clocks.count, count = ports_of(k->ir, fragment, sends, places + clocks);
  for (uint32_t c = 0; c < clocks; c++)
    places[c] = c;
  for (uint32_t q = 0; q < count; q++)
    places[clocks + q] += clocks;
  return clocks + count;
}

static void add_map(problem_maker *k, const run *of)
{
  uint32_t fragment = of->item->fragment, clocks = k->clocks.count;
  uint32_t *in = TS_NEW_ARRAY(k->scratch, uint32_t, clocks + k->ports + 1),
           *out = TS_NEW_ARRAY(k->scratch, uint32_t, clocks + k->ports + 1);
  uint32_t columns = places_of(k, fragment, false, in), ins = columns - clocks,
           results = places_of(k, fragment, true, out), outs = results - clocks;
  int64_t *value = TS_NEW_ARRAY(k->scratch, int64_t, (size_t)columns * results + 1);
  ts_fragment_play play = of->play;
  problem_make_room(k, &play);
  ts_fragment_map(&play, in, columns, out, results, value);
  ts_pipeline_map map = {.first_row = (uint32_t)k->rows.count,
                         .ins = ins,
                         .outs = outs,
                         .busy = value[0],
                         .after = (uint32_t)k->after.count};
  for (uint32_t j = 0; j < results; j++) {
    ts_pipeline_row row = {j < clocks ? k->clock_of[j] : j, (uint32_t)k->terms.count, 0};
    bool same = j > 0 && j < clocks; /* clock 0 is always there */
    for (uint32_t c = 0; c < columns; c++) {
      int64_t v = value[(size_t)c * results + j];
      if (!TS_IS_TIME(v))
        continue;
      same = same && c == j && v == 0;
      TS_PUSH(k->arena, &k->terms, (ts_pipeline_term){c < clocks ? k->clock_of[c] : c, v});
      row.term_count++;
    }
    if (same)
      k->terms.count -= row.term_count;
    else
      TS_PUSH(k->arena, &k->rows, row);
  }
  map.row_count = (uint32_t)k->rows.count - map.first_row;
  for (uint32_t o = 0; o < outs; o++) {
    int64_t min = TS_PIPELINE_LATE;
    for (uint32_t c = 0; c < columns; c++) {
      int64_t to_end = value[(size_t)c * results],
              to_message = value[(size_t)c * results + clocks + o];
      if (to_end <= TS_PIPELINE_NEVER / 2)
        continue;
      int64_t more = to_message <= TS_PIPELINE_NEVER / 2 ? TS_PIPELINE_NEVER : to_message - to_end;
      min = more < min ? more : min;
    }
    TS_PUSH(k->arena, &k->after, min);
  }
  TS_PUSH(k->arena, &k->maps, map);
}

/* Equal fragments whose messages take equally long have one map. */
static uint32_t map_of(problem_maker *k, const run *r)
{
  uint32_t fragment = r->item->fragment, count = 2;
  uint32_t *words = TS_NEW_ARRAY(k->scratch, uint32_t, k->ports + 3);
  words[0] = fragment;
  words[1] = (uint32_t)(r->role - k->prepared->roles->at);
  for (uint32_t q = 0; q < k->ir->fragments[fragment].port_count; q++)
    if (k->ir->ports[k->ir->fragments[fragment].first_port + q].is_send)
      words[count++] = r->program->routes[r->item->port_base + q].call;
  uint32_t number = k->kinds_from + ts_intern_run(&k->kinds, words, count);
  if (number == k->maps.count)
    add_map(k, r);
  return number;
}

/* ---- Memory ---- */

/* In the order of nodes: a node has what it makes before it lets go of what it used. */
static void problem_measure(const ts_ir *ir, uint32_t fragment, ts_pipeline_item *item)
{
  int64_t held = 0;
  const ts_ir_node *nodes = ts_fragment_nodes(ir, fragment);
  for (uint32_t i = 0; i < ir->fragments[fragment].node_count; i++)
    for (int frees = 0; frees < 2; frees++) {
      for (uint32_t m = 0; m < nodes[i].mem_count; m++) {
        int64_t bytes = ir->mems[nodes[i].first_mem + m].bytes;
        held += (bytes < 0) == frees ? bytes : 0;
        item->late -= bytes < 0 && frees && nodes[i].op == TS_IR_SEND ? bytes : 0;
      }
      item->rise = problem_larger(item->rise, held);
      item->dip = held < item->dip ? held : item->dip;
    }
  item->net = held;
}

int64_t ts_pipeline_base(const ts_ir *ir, uint32_t rank)
{
  int64_t bytes = 0;
  const ts_ir_program *p = &ir->programs[rank];
  for (uint32_t h = 0; h < p->holding_count; h++)
    bytes += (int64_t)ir->holdings[p->first_holding + h].bytes;
  return bytes;
}

/* ---- Letters and items ---- */

static const ts_ir_item *item_at(const problem_maker *k, uint32_t rank, uint32_t item)
{
  return &k->ir->items[k->ir->programs[rank].first_item + item];
}

static const char *problem_work_of(const ts_ir *ir, const ts_ir_item *item)
{
  return ir->strings + ir->fragments[item->fragment].work;
}

static int problem_kind_of(const ts_ir *ir, const ts_ir_item *item)
{
  const char *work = problem_work_of(ir, item), *found = strchr(kind_names, *work);
  return *work && !work[1] && found ? (int)(found - kind_names) : -1;
}

/* A call whose members are at several places of the pipeline makes their ranks wait for each other.
 * */
static bool leaves_rank(const problem_maker *k, uint32_t rank, const ts_ir_node *n)
{
  const ts_ranks *ranks = k->prepared->tables->ranks;
  const ts_rank_group *g = &ranks->groups[k->ir->collectives[n->arg].group];
  uint32_t instance = g->instance_of[rank_of(k, rank)];
  for (uint32_t m = 0; instance != TS_IR_NONE && m < g->size; m++)
    if (ranks->program[ts_instance_ranks(g, instance)[m]] != rank)
      return true;
  return false;
}

static bool check_fragment(problem_maker *k, uint32_t rank, uint32_t fragment)
{
  const ts_ir_node *nodes = ts_fragment_nodes(k->ir, fragment);
  for (uint32_t i = 0; i < k->ir->fragments[fragment].node_count; i++) {
    if (ts_node_chooses(&nodes[i]))
      return ts_fail(k->error, NULL, "work waits for some of several messages");
    if (nodes[i].op == TS_IR_COLLECTIVE && leaves_rank(k, rank, &nodes[i]))
      return ts_fail(k->error, NULL, "a collective within a micro-batch runs along the pipeline");
  }
  return true;
}

/* How many items of a rank's program work on micro-batches; the rest is its step. */
static uint32_t work_count(problem_maker *k, uint32_t rank)
{
  uint32_t count = 0, all = k->ir->programs[rank].item_count;
  for (; count < all && item_at(k, rank, count)->micro_batch != TS_IR_NONE; count++)
    if (problem_kind_of(k->ir, item_at(k, rank, count)) < 0) {
      ts_fail(k->error, NULL, "some of its work is not F, I, W or B alone");
      return 0;
    }
  for (uint32_t i = count; i < all; i++)
    if (item_at(k, rank, i)->micro_batch != TS_IR_NONE) {
      ts_fail(k->error, NULL, "it has steps between its work");
      return 0;
    }
  return count;
}

static void number_letters(problem_maker *k)
{
  ts_pipeline *p = k->p;
  uint32_t chunks = k->stages->chunks;
  ts_pipeline_letter *letters =
    TS_NEW_ARRAY(k->arena, ts_pipeline_letter, (size_t)p->ranks * chunks * 4 + 1);
  k->letter_of = TS_NEW_ARRAY(k->scratch, uint32_t, (size_t)p->ranks * chunks * 4 + 1);
  for (uint32_t r = 0; r < p->ranks; r++)
    for (uint32_t i = 0; i < k->ir->programs[r].item_count; i++) {
      const ts_ir_item *item = item_at(k, r, i);
      if (item->micro_batch == TS_IR_NONE)
        break;
      uint32_t place = r * chunks + item->chunk;
      uint32_t *number = &k->letter_of[place * 4 + (uint32_t)problem_kind_of(k->ir, item)];
      p->micro_batches =
        item->micro_batch >= p->micro_batches ? item->micro_batch + 1 : p->micro_batches;
      if (*number)
        continue;
      letters[p->letter_count] = (ts_pipeline_letter){r,
                                                      k->stages->of[place],
                                                      item->chunk,
                                                      kind_names[problem_kind_of(k->ir, item)],
                                                      {TS_PIPELINE_NONE, TS_PIPELINE_NONE}};
      *number = ++p->letter_count;
    }
  p->letters = letters;
}

static uint32_t letter_at(const problem_maker *k, uint32_t stage, char kind)
{
  for (uint32_t l = 0; l < k->p->letter_count; l++)
    if (k->p->letters[l].stage == stage && k->p->letters[l].kind == kind)
      return l;
  return TS_PIPELINE_NONE;
}

static uint32_t gradient_at(const problem_maker *k, uint32_t stage)
{
  uint32_t i = letter_at(k, stage, 'I');
  return i == TS_PIPELINE_NONE ? letter_at(k, stage, 'B') : i;
}

/* What stands on the same rank and sends no message. */
static void find_needs(problem_maker *k)
{
  ts_pipeline *p = k->p;
  ts_pipeline_letter *letters = (ts_pipeline_letter *)p->letters;
  for (uint32_t l = 0; l < p->letter_count; l++) {
    ts_pipeline_letter *is = &letters[l];
    uint32_t part = is->stage % k->stages->parts, other = TS_PIPELINE_NONE;
    if (is->kind == 'W')
      is->needs[0] = letter_at(k, is->stage, 'I');
    else if (is->kind != 'F')
      is->needs[0] = letter_at(k, is->stage, 'F');
    if (is->kind == 'F' && part)
      other = letter_at(k, is->stage - 1, 'F');
    else if (is->kind != 'F' && is->kind != 'W' && part + 1 < k->stages->parts)
      other = gradient_at(k, is->stage + 1);
    if (other != TS_PIPELINE_NONE && letters[other].rank == is->rank)
      is->needs[1] = other;
  }
}

static void list_ranks(problem_maker *k)
{
  ts_pipeline *p = k->p;
  uint32_t *first = TS_NEW_ARRAY(k->arena, uint32_t, p->ranks + 1),
           *own = TS_NEW_ARRAY(k->arena, uint32_t, p->letter_count + 1),
           *own_first = TS_NEW_ARRAY(k->arena, uint32_t, p->ranks + 1), n = 0;
  for (uint32_t r = 0; r < p->ranks; r++) {
    own_first[r] = n;
    first[r] = n * p->micro_batches;
    for (uint32_t l = 0; l < p->letter_count; l++)
      if (p->letters[l].rank == r)
        own[n++] = l;
  }
  own_first[p->ranks] = n;
  first[p->ranks] = n * p->micro_batches;
  p->first = first;
  p->own = own;
  p->own_first = own_first;
}

/* Messages are numbered by the items that send them; then receivers find theirs by their slots. */
static bool add_items(problem_maker *k, const uint32_t *counts)
{
  ts_pipeline *p = k->p;
  uint32_t size = p->letter_count * p->micro_batches;
  ts_pipeline_item *items = TS_NEW_ARRAY(k->arena, ts_pipeline_item, size + 1);
  uint32_t *ports = TS_NEW_ARRAY(k->scratch, uint32_t, k->ports + 1), done = 0;
  bool *checked = TS_NEW_ARRAY(k->scratch, bool, k->ir->fragments_count + 1);
  p->items = items;
  for (uint32_t r = 0; r < p->ranks; r++)
    for (uint32_t i = 0; i < counts[r]; i++, done++) {
      const ts_ir_item *of = item_at(k, r, i);
      uint32_t letter = k->letter_of[(r * k->stages->chunks + of->chunk) * 4 +
                                     (uint32_t)problem_kind_of(k->ir, of)] -
                        1;
      uint32_t number = letter * p->micro_batches + of->micro_batch;
      if (!checked[of->fragment] && !check_fragment(k, r, of->fragment))
        return false;
      checked[of->fragment] = true;
      run x = open_run(k, r, i);
      items[number] = (ts_pipeline_item){.map = map_of(k, &x), .first_out = p->message_count};
      problem_measure(k->ir, of->fragment, &items[number]);
      uint32_t outs = ports_of(k->ir, of->fragment, true, ports);
      for (uint32_t o = 0; o < outs; o++) {
        const ts_route *route = &x.program->routes[x.item->port_base + ports[o]];
        uint32_t to = x.program->peers[route->peer].coordinate;
        TS_PUSH(k->arena, &k->sender, number);
        k->slot_item[to][route->slot] = ++p->message_count;
      }
    }
  if (done != size)
    return ts_fail(k->error, NULL,
                   "its stages do not have the same kinds of work for every micro-batch");
  uint32_t *receiver = TS_NEW_ARRAY(k->arena, uint32_t, p->message_count + 1);
  memset(receiver, 0xff, (p->message_count + 1) * sizeof *receiver);
  for (uint32_t r = 0; r < p->ranks; r++)
    for (uint32_t i = 0; i < counts[r]; i++) {
      const ts_ir_item *of = item_at(k, r, i);
      uint32_t letter = k->letter_of[(r * k->stages->chunks + of->chunk) * 4 +
                                     (uint32_t)problem_kind_of(k->ir, of)] -
                        1;
      uint32_t number = letter * p->micro_batches + of->micro_batch;
      run x = open_run(k, r, i);
      items[number].first_in = (uint32_t)k->ins.count;
      uint32_t ins = ports_of(k->ir, of->fragment, false, ports);
      for (uint32_t o = 0; o < ins; o++) {
        uint32_t message = k->slot_item[r][x.program->routes[x.item->port_base + ports[o]].slot];
        if (!message)
          return ts_fail(k->error, NULL, "its work waits for a step");
        TS_PUSH(k->arena, &k->ins, message - 1);
        receiver[message - 1] = number;
      }
    }
  p->receiver = receiver;
  p->sender = TS_ITEMS(k->arena, &k->sender);
  p->ins = TS_ITEMS(k->arena, &k->ins);
  return true;
}

/* ---- The steps ---- */

/* a collective along the pipeline: when its members were ready */
typedef struct meeting {
  uint32_t comm, instance, call, count, expected;
  int64_t ready, end;
} meeting;

/* The steps of all ranks, which wait for each other by messages and collectives. Played together,
 * node by node, as soon as what a node needs is known. */
typedef struct finale {
  problem_maker *k;
  uint32_t count;    /* steps: one a rank */
  run *run;          /* [ranks] */
  bool **done;       /* [ranks][nodes] */
  bool **met;        /* [ranks][nodes] */
  int64_t **host_at; /* [ranks][nodes] how far the host is after it */
  int64_t **slot;    /* [ranks][slots] */
  bool **there;      /* [ranks][slots] */
  TS_VEC(meeting) meetings;
} finale;

static meeting *meeting_of(finale *f, uint32_t rank, const ts_ir_node *n, uint32_t call)
{
  const ts_ranks *ranks = f->k->prepared->tables->ranks;
  uint32_t comm = ts_comm_of(f->k->prepared->tables, n);
  const ts_rank_group *g = &ranks->groups[f->k->ir->collectives[n->arg].group];
  uint32_t instance = g->instance_of[rank_of(f->k, rank)];
  for (size_t m = 0; m < f->meetings.count; m++)
    if (f->meetings.at[m].comm == comm && f->meetings.at[m].instance == instance &&
        f->meetings.at[m].call == call)
      return &f->meetings.at[m];
  uint32_t expected = 0;
  for (uint32_t r = 0; r < f->k->p->ranks; r++)
    expected += g->instance_of[rank_of(f->k, r)] == instance;
  TS_PUSH(f->k->scratch, &f->meetings,
          (meeting){comm, instance, call, 0, expected, TS_PIPELINE_NEVER, 0});
  return &f->meetings.at[f->meetings.count - 1];
}

typedef enum progress { WAITS, ARRIVED, PLAYED } progress;

static progress play_final_node(finale *f, uint32_t rank, uint32_t i, bool *met)
{
  run *r = &f->run[rank];
  const ts_ir_node *n = &ts_fragment_nodes(r->t->ir, r->item->fragment)[i];
  const ts_node_info *info = &r->t->layouts[r->item->fragment].nodes[i];
  for (uint32_t d = 0; d < n->dep_count; d++)
    if (!f->done[rank][r->t->ir->deps[n->first_dep + d]])
      return WAITS;
  if (!ts_is_host(n) && info->previous != TS_IR_NONE && !f->done[rank][info->previous])
    return WAITS;
  const ts_route *route = n->op == TS_IR_SEND || n->op == TS_IR_RECV ?
                            &r->program->routes[r->item->port_base + n->arg] :
                            NULL;
  if (n->op == TS_IR_RECV) {
    if (!f->there[rank][route->slot])
      return WAITS;
    r->play.in[n->arg] = f->slot[rank][route->slot];
  }
  int64_t *host = &r->play.clock[r->play.clocks.host], issued = *host + (int64_t)n->host_ps;
  if (n->op == TS_IR_COLLECTIVE && leaves_rank(f->k, rank, n)) {
    meeting *m = meeting_of(f, rank, n, info->call);
    if (!*met) {
      m->ready = problem_larger(m->ready, problem_larger(issued, ts_fragment_ready(&r->play, n)));
      m->end = ts_node_end(m->ready, m->ready, (int64_t)r->role->collective_time[n->arg]);
      m->count++;
      *met = true;
    }
    if (m->count < m->expected)
      return WAITS;
    *host = issued;
    r->play.end[i] = r->play.clock[n->stream] = r->play.clock[r->play.clocks.posted + n->stream] =
      m->end;
    return PLAYED;
  }
  ts_fragment_step(&r->play, i);
  if (n->op == TS_IR_SEND) {
    uint32_t to = r->program->peers[route->peer].coordinate;
    f->slot[to][route->slot] = r->play.out[n->arg];
    f->there[to][route->slot] = true;
  }
  return PLAYED;
}

/* The end of the step where only this clock of this rank is at 0. Host work of a rank comes in its
 * order: a node that waits holds back what follows only on its stream, and the host only where the
 * host waits. */
static bool play_steps(finale *f, uint32_t rank, uint32_t clock, int64_t *end)
{
  problem_maker *k = f->k;
  uint32_t left = 0;
  f->meetings.count = 0;
  int64_t **host_at = f->host_at;
  for (uint32_t r = 0; r < k->p->ranks; r++) {
    uint32_t nodes = k->ir->fragments[f->run[r].item->fragment].node_count;
    left += nodes;
    memset(f->met[r], 0, nodes);
    memset(f->done[r], 0, nodes);
    memset(f->there[r], 0, f->run[r].program->slot_count);
    for (uint32_t c = 0; c < k->clocks.count; c++)
      f->run[r].play.clock[c] = r == rank && c == clock ? 0 : TS_PIPELINE_NEVER;
  }
  for (bool moved = true; moved && left;) {
    moved = false;
    for (uint32_t r = 0; r < k->p->ranks; r++) {
      run *x = &f->run[r];
      const ts_ir_node *nodes = ts_fragment_nodes(k->ir, x->item->fragment);
      uint32_t count = k->ir->fragments[x->item->fragment].node_count;
      int64_t start = r == rank && clock == k->clocks.host ? 0 : TS_PIPELINE_NEVER;
      bool known = true; /* how far the host has come */
      for (uint32_t i = 0; i < count && known; i++) {
        int64_t *h = &x->play.clock[k->clocks.host];
        *h = i ? host_at[r][i - 1] : start;
        if (f->done[r][i])
          continue;
        if (play_final_node(f, r, i, &f->met[r][i]) == PLAYED) {
          host_at[r][i] = *h;
          f->done[r][i] = moved = true;
          left--;
        } else {
          host_at[r][i] = (i ? host_at[r][i - 1] : start) + (int64_t)nodes[i].host_ps;
          known = !ts_host_waits(&nodes[i]);
        }
      }
      x->play.clock[k->clocks.host] = count ? host_at[r][count - 1] : start;
    }
  }
  *end = TS_PIPELINE_NEVER;
  for (uint32_t r = 0; r < k->p->ranks; r++)
    for (uint32_t c = 0; c < k->clocks.count; c++)
      if (c < k->streams || c == k->clocks.host)
        *end = problem_larger(*end, f->run[r].play.clock[c]);
  if (*end <= TS_PIPELINE_NEVER / 2)
    *end = TS_PIPELINE_NEVER;
  return !left;
}

static bool add_ends(problem_maker *k, const uint32_t *counts)
{
  ts_pipeline *p = k->p;
  finale f = {.k = k,
              .run = TS_NEW_ARRAY(k->scratch, run, p->ranks + 1),
              .done = TS_NEW_ARRAY(k->scratch, bool *, p->ranks + 1),
              .met = TS_NEW_ARRAY(k->scratch, bool *, p->ranks + 1),
              .host_at = TS_NEW_ARRAY(k->scratch, int64_t *, p->ranks + 1),
              .slot = TS_NEW_ARRAY(k->scratch, int64_t *, p->ranks + 1),
              .there = TS_NEW_ARRAY(k->scratch, bool *, p->ranks + 1)};
  for (uint32_t r = 0; r < p->ranks; r++) {
    if (k->ir->programs[r].item_count != counts[r] + 1)
      return ts_fail(k->error, NULL, "it has several steps");
    run *x = &f.run[r];
    *x = open_run(k, r, counts[r]);
    problem_make_room(k, &x->play);
    f.done[r] = TS_NEW_ARRAY(k->scratch, bool, k->nodes + 1);
    f.met[r] = TS_NEW_ARRAY(k->scratch, bool, k->nodes + 1);
    f.host_at[r] = TS_NEW_ARRAY(k->scratch, int64_t, k->nodes + 1);
    f.slot[r] = TS_NEW_ARRAY(k->scratch, int64_t, x->program->slot_count + 1);
    f.there[r] = TS_NEW_ARRAY(k->scratch, bool, x->program->slot_count + 1);
  }
  int64_t *ends = TS_NEW_ARRAY(k->arena, int64_t, p->ranks * p->clocks + 1);
  bool *moves = TS_NEW_ARRAY(k->scratch, bool, p->clocks + 1); /* with the work; others stay at 0 */
  for (size_t r = 0; r < k->rows.count; r++)
    if (k->rows.at[r].out < p->clocks)
      moves[k->rows.at[r].out] = true;
  for (uint32_t r = 0; r < p->ranks; r++)
    for (uint32_t c = 0; c < p->clocks; c++)
      if (!moves[c])
        ends[r * p->clocks + c] = TS_PIPELINE_NEVER;
      else if (!play_steps(&f, r, c, &ends[r * p->clocks + c]))
        return ts_fail(k->error, NULL, "the steps of its ranks wait for its work");
  p->ends = ends;
  return true;
}

/* ---- The whole ---- */

static bool make(problem_maker *k)
{
  ts_pipeline *p = k->p;
  uint32_t *counts = TS_NEW_ARRAY(k->scratch, uint32_t, p->ranks + 1);
  uint64_t all = 0;
  k->slot_item = TS_NEW_ARRAY(k->scratch, uint32_t *, p->ranks + 1);
  for (uint32_t r = 0; r < p->ranks; r++) {
    counts[r] = work_count(k, r);
    all += counts[r];
    k->slot_item[r] = TS_NEW_ARRAY(
      k->scratch, uint32_t, k->prepared->tables->programs[role_of(k, r)->program].slot_count + 1);
  }
  if (*k->error->message)
    return false;
  if (all > TS_PIPELINE_ITEMS)
    return ts_fail(k->error, NULL, "it has more than a million items");
  number_letters(k);
  if (p->letter_count > TS_PIPELINE_LETTERS)
    return ts_fail(k->error, NULL, "it has too many stages");
  find_needs(k);
  list_ranks(k);
  if (!add_items(k, counts) || !add_ends(k, counts))
    return false;
  p->maps = TS_ITEMS(k->arena, &k->maps);
  p->map_count = (uint32_t)k->maps.count;
  p->rows = TS_ITEMS(k->arena, &k->rows);
  p->terms = TS_ITEMS(k->arena, &k->terms);
  p->after = TS_ITEMS(k->arena, &k->after);
  p->room = TS_NEW_ARRAY(k->arena, int64_t, p->ranks + 1);
  for (uint32_t m = 0; m < p->map_count; m++)
    if (p->maps[m].row_count > TS_PIPELINE_ROWS)
      return ts_fail(k->error, NULL, "its work sends too many messages");
  return true;
}

static problem_maker open_maker(ts_arena *arena, const ts_prepared *prepared, ts_pipeline *p,
                                uint32_t lane)
{
  const ts_ir *ir = prepared->tables->ir;
  problem_maker k = {.arena = arena,
                     .scratch = ts_arena_new("pipeline"),
                     .prepared = prepared,
                     .ir = ir,
                     .p = p,
                     .lane = lane};
  k.kinds.arena = k.scratch;
  p->ranks = ir->programs_count;
  uint32_t queues = 0, s = k.streams = prepared->tables->streams;
  for (uint32_t r = 0; r < p->ranks; r++)
    queues = role_of(&k, r)->queue_count > queues ? role_of(&k, r)->queue_count : queues;
  k.clocks = (ts_fragment_clocks){
    .posted = s, .host = 2 * s, .queues = 2 * s + 1, .count = 2 * s + 1 + queues};
  k.clock_of = TS_NEW_ARRAY(k.scratch, uint32_t, k.clocks.count + 1);
  for (uint32_t c = 0; c < k.clocks.count; c++)
    k.clock_of[c] = c;
  for (uint32_t f = 0; f < ir->fragments_count; f++) {
    k.ports = ir->fragments[f].port_count > k.ports ? ir->fragments[f].port_count : k.ports;
    k.nodes = ir->fragments[f].node_count > k.nodes ? ir->fragments[f].node_count : k.nodes;
  }
  return k;
}

ts_pipeline *ts_pipeline_new(ts_arena *arena, const ts_prepared *prepared,
                             const ts_pipeline_stages *stages, uint32_t lane, ts_error *error)
{
  problem_maker k = open_maker(arena, prepared, TS_NEW(arena, ts_pipeline), lane);
  const char **names = TS_NEW_ARRAY(arena, const char *, k.streams + 1);
  for (uint32_t s = 0; s < k.streams; s++)
    names[s] = ts_arena_printf(arena, "%s", k.ir->strings + k.ir->streams[s].name);
  k.stages = stages;
  k.error = error;
  k.p->clocks = k.clocks.count;
  k.p->streams = k.streams;
  k.p->stream = names;
  bool made = make(&k);
  ts_arena_free(k.scratch);
  return made ? k.p : NULL;
}

/* ---- Items that are played as one ---- */

enum { JOINED_MAPS = 2048 };

typedef TS_VEC(ts_pipeline_merge) merge_list;

/* Of two or three items, from an item of another IR. False: its messages are not theirs. */
static bool add_merge(problem_maker *k, merge_list *list, const run *r,
                      const ts_pipeline_parts *parts)
{
  const ts_pipeline *p = k->p;
  ts_pipeline_merge merge = {.of = {0, 0, TS_PIPELINE_NONE}, .next = TS_PIPELINE_NONE};
  uint32_t ins = 0, outs = 0;
  int64_t apart = 0;
  char last = p->letters[parts->item[1] / p->micro_batches].kind;
  for (uint32_t i = 0; i < parts->count; i++) {
    merge.of[i] = p->items[parts->item[i]].map;
    const ts_pipeline_map *map = &k->maps.at[merge.of[i]];
    ins += map->ins;
    outs += map->outs;
    apart += map->busy;
  }
  for (size_t i = 0; i < list->count; i++)
    if (!memcmp(list->at[i].of, merge.of, sizeof merge.of))
      return true;
  merge.map = map_of(k, r);
  const ts_pipeline_map *map = &k->maps.at[merge.map];
  if (map->ins != ins || map->outs != outs || ins > TS_PIPELINE_ROWS || outs > TS_PIPELINE_ROWS ||
      map->row_count > TS_PIPELINE_ROWS)
    return false;
  ts_pipeline_item bytes = {0};
  problem_measure(k->ir, r->item->fragment, &bytes);
  merge.net = bytes.net;
  merge.rise = bytes.rise;
  merge.threshold = map->busy >= apart               ? TS_PIPELINE_MERGINGS :
                    last == 'W'                      ? TS_PIPELINE_WHOLE :
                    last == 'I' && parts->count == 2 ? TS_PIPELINE_ALL_PAIRS :
                                                       TS_PIPELINE_PAIRS;
  TS_PUSH(k->arena, list, merge);
  return true;
}

static void load_maps(problem_maker *k)
{
  const ts_pipeline *p = k->p;
  uint32_t rows = 0, terms = 0, after = 0;
  for (uint32_t m = 0; m < p->map_count; m++) {
    const ts_pipeline_map *map = &p->maps[m];
    TS_PUSH(k->arena, &k->maps, *map);
    rows = map->first_row + map->row_count > rows ? map->first_row + map->row_count : rows;
    after = map->after + map->outs > after ? map->after + map->outs : after;
  }
  for (uint32_t r = 0; r < rows; r++) {
    TS_PUSH(k->arena, &k->rows, p->rows[r]);
    terms = p->rows[r].first_term + p->rows[r].term_count > terms ?
              p->rows[r].first_term + p->rows[r].term_count :
              terms;
  }
  for (uint32_t t = 0; t < terms; t++)
    TS_PUSH(k->arena, &k->terms, p->terms[t]);
  for (uint32_t a = 0; a < after; a++)
    TS_PUSH(k->arena, &k->after, p->after[a]);
  k->kinds_from = p->map_count;
}

static void index_merges(ts_arena *arena, ts_pipeline *p, merge_list *list)
{
  uint32_t maps = 0;
  for (size_t j = 0; j < list->count; j++)
    for (int k = 0; k < 2; k++)
      maps = list->at[j].of[k] >= maps ? list->at[j].of[k] + 1 : maps;
  uint32_t *joined = TS_NEW_ARRAY(arena, uint32_t, (size_t)maps * maps + 1);
  memset(joined, 0xff, (size_t)maps * maps * sizeof *joined);
  for (uint32_t j = 0; j < list->count; j++) {
    uint32_t *first = &joined[(size_t)list->at[j].of[0] * maps + list->at[j].of[1]];
    list->at[j].next = *first;
    *first = j;
  }
  p->merges = TS_ITEMS(arena, list);
  p->merge_count = (uint32_t)list->count;
  p->joined = joined;
  p->merged_maps = maps;
}

/* False: the IR has other streams. */
static bool find_clocks(problem_maker *k)
{
  const ts_pipeline *p = k->p;
  if (k->clocks.count != p->clocks || k->streams != p->streams)
    return false;
  for (uint32_t s = 0; s < p->streams; s++) {
    const char *name = k->ir->strings + k->ir->streams[s].name;
    uint32_t as = 0;
    while (as < p->streams && strcmp(name, p->stream[as]) != 0)
      as++;
    if (as == p->streams || (!s != !as))
      return false;
    k->clock_of[s] = as;
    k->clock_of[k->clocks.posted + s] = k->clocks.posted + as;
  }
  return true;
}

bool ts_pipeline_find_merges(ts_arena *arena, ts_pipeline *p, const ts_prepared *prepared,
                             uint32_t lane, const ts_pipeline_parts *const *parts)
{
  problem_maker k = open_maker(arena, prepared, p, lane);
  bool pays = false;
  merge_list list = {0};
  if (p->map_count <= JOINED_MAPS && find_clocks(&k)) {
    for (uint32_t j = 0; j < p->merge_count; j++)
      TS_PUSH(arena, &list, p->merges[j]);
    load_maps(&k);
    for (uint32_t r = 0; r < p->ranks; r++)
      for (uint32_t i = 0; i < k.ir->programs[r].item_count; i++) {
        if (item_at(&k, r, i)->micro_batch == TS_IR_NONE || parts[r][i].count < 2)
          continue;
        run x = open_run(&k, r, i);
        add_merge(&k, &list, &x, &parts[r][i]);
      }
    for (size_t j = 0; j < list.count; j++)
      pays |= list.at[j].threshold < TS_PIPELINE_MERGINGS;
    p->maps = TS_ITEMS(arena, &k.maps);
    p->map_count = (uint32_t)k.maps.count;
    p->rows = TS_ITEMS(arena, &k.rows);
    p->terms = TS_ITEMS(arena, &k.terms);
    p->after = TS_ITEMS(arena, &k.after);
    index_merges(arena, p, &list);
  }
  ts_arena_free(k.scratch);
  return pays;
}
