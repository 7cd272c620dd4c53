#include "runtime/collective/packet_model.h"

#include <math.h>
#include <string.h>

#include "base/sets.h"
#include "ir/packets.h"
#include "ir/spelling.h"
#include "runtime/collective/packet_processes.h"
#include "base/intern.h"

typedef struct figure {    /* of a shape, for one instance of a group */
  /* number of its case, plus 1 (0: not made), and which of its calls this is */
  uint32_t job, call;
  uint64_t latency, again; /* as in ts_flow_pattern */
  double share;
} figure;

enum { FIGURE_WORDS = sizeof(figure) / sizeof(uint32_t) };

struct ts_packet_memo {
  ts_arena *arena;
  uint32_t processes;
  ts_intern known;   /* cases, as words */
  TS_VEC(ts_packet_case) cases;
  ts_intern played;  /* (case, bytes) */
  TS_VEC(const uint64_t *) transfer; /* of each: by call, ps */
  TS_VEC(const ts_packet_use *) use; /* of each: by directed link of the case */
};

typedef struct requested_call {
  uint32_t job;
  uint64_t bytes;
} requested_call; /* bytes: of a connection */

typedef struct failure {
  ts_packet_status status; /* TS_PACKET_DONE: none */
  bool too_many;
  double count;
  uint64_t mtu;            /* of too many: by which there would be few enough; 0: by none */
  const char *wrong;
  uint32_t model, kind, ranks;
  uint64_t bytes;
} failure;

struct ts_packet_figures {
  ts_arena *arena;
  const ts_ir *ir;
  const ts_ranks *ranks;
  ts_packet_memo *memo;       /* NULL until it is watched */
  const ts_progress *progress;
  ts_flow_models requested;
  ts_intern known;            /* runs of requested.count * TS_FLOW_SHAPES figures */
  TS_VEC(requested_call) ahead; /* calls that will be asked for, each once */
  failure failed;
};

/* ---- Calls as a job ---- */

typedef struct numbering { /* of nodes and links, as they first appear */
  ts_arena *arena;
  const ts_ir *ir;
  const ts_ir_net_packets *with;
  uint32_t *node, *link;     /* [devices], [links]: plus 1 */
  TS_VEC(ts_packet_link) links;
  TS_VEC(uint32_t) directed; /* of each link: which one of the cluster */
  TS_VEC(ts_packet_flow) flows;
  TS_VEC(uint32_t) call;
  TS_VEC(double) share;
  TS_VEC(uint64_t) propagation;
  uint32_t nodes, parts;
} numbering;

static uint32_t node_of(numbering *n, uint32_t vertex)
{
  if (!n->node[vertex])
    n->node[vertex] = ++n->nodes;
  return n->node[vertex] - 1;
}

static const ts_ir_link_class *packet_model_class_of(const ts_ir *ir, uint32_t link)
{
  return &ir->link_classes[ir->links[link / 2].link_class];
}

static ts_packet_link packet_link(const ts_ir *ir, uint32_t link, uint32_t from, uint32_t to,
                                  const ts_ir_net_packets *with)
{
  const ts_ir_link_class *class = packet_model_class_of(ir, 2 * link);
  return (ts_packet_link){from,
                          to,
                          class->bandwidth,
                          class->latency,
                          class->tier ? with->queue : UINT64_MAX,
                          class->loss,
                          class->down};
}

/* Directed: the first one to use a link goes from its first end to its second. */
static uint32_t link_of(numbering *n, uint32_t directed, bool *forward)
{
  const ts_ir_link *l = &n->ir->links[directed / 2];
  uint32_t from = directed % 2 ? l->to : l->from, to = directed % 2 ? l->from : l->to,
           *number = &n->link[directed / 2];
  if (!*number) {
    uint32_t first = node_of(n, from), second = node_of(n, to);
    TS_PUSH(n->arena, &n->links, packet_link(n->ir, directed / 2, first, second, n->with));
    TS_PUSH(n->arena, &n->directed, directed);
    *number = (uint32_t)n->links.count;
  }
  *forward = n->links.at[*number - 1].from == n->node[from] - 1;
  return *number - 1;
}

/* The narrowest link up to the first one that leaves the island: that of its NIC. */
static double line_of(const ts_ir *ir, const uint32_t *path, uint32_t hops)
{
  double line = 0;
  bool outside = false;
  for (uint32_t h = 0; h < hops && !outside; h++) {
    const ts_ir_link_class *class = packet_model_class_of(ir, path[h]);
    line = h ? fmin(line, class->bandwidth) : class->bandwidth;
    outside = class->tier > 0;
  }
  return line;
}

static bool begins_elsewhere(const ts_flow_leg *leg, uint32_t way)
{
  for (uint32_t w = 0; w < way; w++)
    if (leg->path[(size_t)w * leg->hops] == leg->path[(size_t)way * leg->hops])
      return false;
  return true;
}

/* A sender paces its packets by its NIC's link, or by all of them where equal paths begin on
 * several. */
ts_packet_flow ts_packet_flow_of(const ts_ir *ir, const ts_flow_leg *leg, uint64_t bytes,
                                 uint64_t *propagation)
{
  ts_packet_flow flow = {
    .path = leg->path, .hops = leg->hops, .ways = leg->ways, .spares = leg->spares, .bytes = bytes};
  *propagation = 0;
  for (uint32_t h = 0; h < leg->hops; h++)
    *propagation += packet_model_class_of(ir, leg->path[h])->latency;
  for (uint32_t w = 0; w < leg->ways; w++)
    if (begins_elsewhere(leg, w))
      flow.line += line_of(ir, leg->path + (size_t)w * leg->hops, leg->hops);
  return flow;
}

const ts_packet_link *ts_packet_links_of(ts_arena *arena, const ts_ir *ir,
                                         const ts_ir_net_packets *with)
{
  ts_packet_link *links = TS_NEW_ARRAY(arena, ts_packet_link, ir->links_count);
  for (uint32_t l = 0; l < ir->links_count; l++)
    links[l] = packet_link(ir, l, ir->links[l].from, ir->links[l].to, with);
  return links;
}

static void add_leg(numbering *n, const ts_flow_leg *leg, uint32_t call, uint64_t bytes,
                    double share)
{
  uint64_t propagation;
  ts_packet_flow flow = ts_packet_flow_of(n->ir, leg, bytes, &propagation);
  uint32_t count = leg->hops * (leg->ways + leg->spares),
           *path = TS_NEW_ARRAY(n->arena, uint32_t, count);
  for (uint32_t h = 0; h < count; h++) {
    bool forward;
    uint32_t link = link_of(n, leg->path[h], &forward);
    path[h] = 2 * link + !forward;
  }
  flow.path = path;
  flow.part = n->parts;
  TS_PUSH(n->arena, &n->flows, flow);
  TS_PUSH(n->arena, &n->call, call);
  TS_PUSH(n->arena, &n->share, share);
  TS_PUSH(n->arena, &n->propagation, propagation);
}

static ts_packet_case case_of(numbering *n, const ts_flow_pattern *const *patterns, uint32_t count,
                              const double *bytes)
{
  for (uint32_t c = 0; c < count; c++)
    for (uint32_t p = 0; p < patterns[c]->count; p++) {
      const ts_flow_part *part = &patterns[c]->parts[p];
      for (uint32_t i = 0; i < part->leg_count; i++)
        add_leg(n, &part->legs[i], c,
                (uint64_t)ceil(fmin(bytes[c] * patterns[c]->share * part->share, 0x1p53)),
                part->share);
      n->parts += part->leg_count > 0;
    }
  return (ts_packet_case){{n->links.at, n->flows.at, n->nodes, (uint32_t)n->links.count,
                           (uint32_t)n->flows.count, n->with, NULL},
                          n->call.at,
                          n->share.at,
                          n->directed.at,
                          n->propagation.at};
}

ts_packet_case ts_packet_case_of(ts_arena *arena, const ts_ir *ir, const ts_ir_net_packets *with,
                                 const ts_flow_pattern *const *patterns, uint32_t count,
                                 const double *bytes)
{
  ts_arena *scratch = ts_arena_new("numbers of nodes and links");
  numbering n = {.arena = arena,
                 .ir = ir,
                 .with = with,
                 .node = TS_NEW_ARRAY(scratch, uint32_t, ir->devices_count),
                 .link = TS_NEW_ARRAY(scratch, uint32_t, ir->links_count)};
  ts_packet_case c = case_of(&n, patterns, count, bytes);
  ts_arena_free(scratch);
  return c;
}

/* What each call takes, whose flows end then. */
static void transfers(const ts_packet_case *c, const uint64_t *end, uint64_t *transfer)
{
  for (uint32_t f = 0; f < c->job.flow_count; f++) {
    uint64_t taken = end[f] - c->job.flows[f].start - c->propagation[f];
    transfer[c->call[f]] = taken > transfer[c->call[f]] ? taken : transfer[c->call[f]];
  }
}

ts_packet_status ts_packet_case_play(const ts_packet_case *c, uint64_t *transfer,
                                     ts_packet_use *use)
{
  ts_arena *scratch = ts_arena_new("ends of flows");
  uint64_t *end = TS_NEW_ARRAY(scratch, uint64_t, c->job.flow_count);
  ts_packet_status status = ts_packet_play(&c->job, end, use);
  if (status == TS_PACKET_DONE)
    transfers(c, end, transfer);
  ts_arena_free(scratch);
  return status;
}

/* ---- What was played ---- */

ts_packet_memo *ts_packet_memo_new(ts_arena *arena, uint32_t processes)
{
  ts_packet_memo *m = TS_NEW(arena, ts_packet_memo);
  *m = (ts_packet_memo){
    .arena = arena, .processes = processes, .known.arena = arena, .played.arena = arena};
  return m;
}

typedef struct packet_model_words {
  ts_arena *arena;
  TS_VEC(uint32_t) all;
} packet_model_words;

static void add_words(packet_model_words *w, const void *record, size_t size)
{
  for (size_t i = 0; i < size; i += sizeof(uint32_t)) {
    uint32_t word;
    memcpy(&word, (const char *)record + i, sizeof word);
    TS_PUSH(w->arena, &w->all, word);
  }
}

static void add_number(packet_model_words *w, uint32_t number)
{
  add_words(w, &number, sizeof number);
}

/* All of a case but its bytes. */
static void case_words(packet_model_words *w, const ts_packet_case *c)
{
  const ts_packet_job *j = &c->job;
  add_words(w, j->with, sizeof *j->with);
  add_number(w, j->node_count);
  add_number(w, j->link_count);
  for (uint32_t l = 0; l < j->link_count; l++) {
    add_number(w, j->links[l].from);
    add_number(w, j->links[l].to);
    add_words(w, &j->links[l].rate, sizeof j->links[l].rate);
    add_words(w, &j->links[l].latency, sizeof j->links[l].latency);
    add_words(w, &j->links[l].queue, sizeof j->links[l].queue);
    add_words(w, &j->links[l].loss, sizeof j->links[l].loss);
    add_words(w, &j->links[l].down, sizeof j->links[l].down);
  }
  for (uint32_t f = 0; f < j->flow_count; f++) {
    add_number(w, c->call[f]);
    add_words(w, &c->share[f], sizeof c->share[f]);
    add_number(w, j->flows[f].part);
    add_words(w, &j->flows[f].line, sizeof j->flows[f].line);
    add_number(w, j->flows[f].hops);
    add_number(w, j->flows[f].ways);
    add_number(w, j->flows[f].spares);
    add_words(w, j->flows[f].path,
              (size_t)j->flows[f].hops * (j->flows[f].ways + j->flows[f].spares) *
                sizeof *j->flows[f].path);
  }
}

/* The number of a case; a new one is kept. */
static uint32_t remember_case(ts_packet_memo *m, const ts_packet_case *c)
{
  packet_model_words w = {.arena = ts_arena_new("a case of packets")};
  case_words(&w, c);
  uint32_t number = ts_intern_run(&m->known, w.all.at, (uint32_t)w.all.count);
  ts_arena_free(w.arena);
  if (number < m->cases.count)
    return number;
  ts_packet_case copy = *c;
  copy.directed = NULL; /* of those that are alike, each has its own */
  ts_packet_flow *flows = ts_arena_copy(m->arena, c->job.flows, c->job.flow_count * sizeof *flows);
  for (uint32_t f = 0; f < c->job.flow_count; f++)
    flows[f].path = ts_arena_copy(m->arena, flows[f].path,
                                  (size_t)flows[f].hops * (flows[f].ways + flows[f].spares) *
                                    sizeof *flows[f].path);
  copy.job.flows = flows;
  copy.job.links = ts_arena_copy(m->arena, c->job.links, c->job.link_count * sizeof *c->job.links);
  copy.job.with = ts_arena_copy(m->arena, c->job.with, sizeof *c->job.with);
  copy.call = ts_arena_copy(m->arena, c->call, c->job.flow_count * sizeof *c->call);
  copy.share = ts_arena_copy(m->arena, c->share, c->job.flow_count * sizeof *c->share);
  copy.propagation =
    ts_arena_copy(m->arena, c->propagation, c->job.flow_count * sizeof *c->propagation);
  TS_PUSH(m->arena, &m->cases, copy);
  return number;
}

/* How large packets must be, by doubling, for a call to have no more than may be played; 0: larger
 * than may be. */
static uint64_t mtu_enough(const ts_packet_job *job)
{
  ts_ir_net_packets with = *job->with;
  ts_packet_job larger = *job;
  larger.with = &with;
  while (ts_packet_count(&larger) > (double)with.limit && !ts_ir_packets_wrong(&with))
    with.mtu *= 2;
  return ts_ir_packets_wrong(&with) ? 0 : with.mtu;
}

/* Where what was played of a case with so many bytes a connection is, or will be. */
static uint32_t packet_model_place_of(ts_packet_memo *m, uint32_t number, uint64_t bytes)
{
  uint32_t key[3] = {number, (uint32_t)bytes, (uint32_t)(bytes >> 32)};
  size_t before = m->transfer.count;
  uint32_t at = ts_intern_run(&m->played, key, 3);
  if (at == before) {
    TS_PUSH(m->arena, &m->transfer, NULL);
    TS_PUSH(m->arena, &m->use, NULL);
  }
  return at;
}

/* A case with so many bytes a connection. */
static ts_packet_case sized_case(const ts_packet_figures *f, ts_arena *arena, uint32_t number,
                                 uint64_t bytes)
{
  ts_packet_case c = f->memo->cases.at[number];
  ts_packet_flow *flows = ts_arena_copy(arena, c.job.flows, c.job.flow_count * sizeof *flows);
  for (uint32_t i = 0; i < c.job.flow_count; i++)
    flows[i].bytes = (uint64_t)ceil((double)bytes * c.share[i]);
  c.job.flows = flows;
  c.job.progress = f->progress;
  return c;
}

static bool may_play(const ts_packet_job *job, failure *failed)
{
  failed->count = ts_packet_count(job);
  failed->too_many = !(job->with->steady > 0) && failed->count > (double)job->with->limit;
  failed->mtu = failed->too_many ? mtu_enough(job) : 0;
  failed->wrong = ts_packet_wrong(job);
  failed->status = !ts_packet_available() ? TS_PACKET_MISSING :
                   failed->too_many || failed->wrong ? TS_PACKET_WRONG :
                                                       TS_PACKET_DONE;
  return failed->status == TS_PACKET_DONE;
}

/* What each call of a case takes with so many bytes a connection; NULL after filling *failed. What
 * its links had to do: or NULL. */
static const uint64_t *played(ts_packet_figures *f, uint32_t number, uint64_t bytes,
                              failure *failed, const ts_packet_use **links)
{
  ts_packet_memo *m = f->memo;
  uint32_t at = packet_model_place_of(m, number, bytes);
  if (!m->transfer.at[at]) {
    ts_arena *scratch = ts_arena_new("a call as packets");
    ts_packet_case c = sized_case(f, scratch, number, bytes);
    uint64_t *transfer = TS_NEW_ARRAY(m->arena, uint64_t, c.job.flow_count);
    ts_packet_use *use = TS_NEW_ARRAY(m->arena, ts_packet_use, 2 * (size_t)c.job.link_count);
    if (may_play(&c.job, failed))
      failed->status = ts_packet_case_play(&c, transfer, use);
    failed->too_many = failed->too_many || failed->status == TS_PACKET_MANY;
    ts_arena_free(scratch);
    if (failed->status != TS_PACKET_DONE)
      return NULL;
    m->use.at[at] = use;
    m->transfer.at[at] = transfer;
  }
  if (links)
    *links = m->use.at[at];
  return m->transfer.at[at];
}

void ts_packet_play_requested(ts_packet_figures *f)
{
  ts_packet_memo *m = f->memo;
  uint32_t count = 0;
  if (!m || m->processes < 2 || f->ahead.count < 2)
    return;
  ts_arena *scratch = ts_arena_new("calls as packets");
  ts_packet_task *tasks = TS_NEW_ARRAY(scratch, ts_packet_task, f->ahead.count);
  ts_packet_case *cases = TS_NEW_ARRAY(scratch, ts_packet_case, f->ahead.count);
  uint32_t *at = TS_NEW_ARRAY(scratch, uint32_t, f->ahead.count);
  for (size_t i = 0; i < f->ahead.count; i++) {
    cases[count] = sized_case(f, scratch, f->ahead.at[i].job, f->ahead.at[i].bytes);
    const ts_packet_job *job = &cases[count].job;
    if (!may_play(job, &(failure){0})) /* told when it is asked for */
      continue;
    tasks[count] = (ts_packet_task){
      .job = *job,
      .end = TS_NEW_ARRAY(scratch, uint64_t, job->flow_count),
      .use = TS_NEW_ARRAY(m->arena, ts_packet_use, 2 * (size_t)job->link_count)};
    at[count++] = packet_model_place_of(m, f->ahead.at[i].job, f->ahead.at[i].bytes);
  }
  ts_packet_processes_play(tasks, count, m->processes, f->progress);
  for (uint32_t i = 0; i < count; i++)
    if (tasks[i].status == TS_PACKET_DONE) {
      uint64_t *transfer = TS_NEW_ARRAY(m->arena, uint64_t, tasks[i].job.flow_count);
      transfers(&cases[i], tasks[i].end, transfer);
      m->use.at[at[i]] = tasks[i].use;
      m->transfer.at[at[i]] = transfer;
    }
  f->ahead.count = 0;
  ts_arena_free(scratch);
}

/* ---- Figures of groups ---- */

bool ts_packet_figures_any(const ts_packet_figures *f) { return f->requested.count; }

ts_packet_figures *ts_packet_figures_new(ts_arena *arena, const ts_ir *ir, const ts_ranks *ranks,
                                         ts_link_graph *graph, const char *only)
{
  ts_packet_figures *f = TS_NEW(arena, ts_packet_figures);
  *f = (ts_packet_figures){.arena = arena, .ir = ir, .ranks = ranks, .known.arena = arena};
  f->requested = ts_flow_models_of(arena, ir, ranks, graph, TS_IR_NET_PACKET, only);
  return f;
}

void ts_packet_figures_watch(ts_packet_figures *f, ts_packet_memo *memo,
                             const ts_progress *progress)
{
  if (!f->memo)
    f->memo = memo ? memo : ts_packet_memo_new(f->arena, 1);
  f->progress = progress;
}

static int no_circuits(const ts_packet_figures *f, const ts_flow_pattern *pattern, ts_stop *stop)
{
  for (uint32_t p = 0; p < pattern->count; p++)
    if (pattern->parts[p].circuit_count) {
      const ts_ir_link_class *class =
        packet_model_class_of(f->ir, pattern->parts[p].circuits[0].in);
      ts_stop_set(stop, TS_EXIT_NO, "R0303", "no-packets", "links of circuits carry no packets");
      ts_stop_fact(stop, "links", "%s, with %u ports", f->ir->strings + class->name, class->ports);
      ts_stop_help(stop, "`flow` is the model for circuits");
      return -1;
    }
  return 0;
}

/* Instances that share a link, or share one with such, get the same root: the lowest of them. */
static void join_instances(const ts_ir *ir, ts_arena *scratch, const ts_flow_pattern *patterns,
                           uint32_t count, uint32_t *root)
{
  uint32_t *user = TS_NEW_ARRAY(scratch, uint32_t, 2 * (size_t)ir->links_count); /* plus 1 */
  for (uint32_t i = 0; i < count; i++) {
    root[i] = i;
    for (uint32_t p = 0; p < patterns[i].count; p++)
      for (uint32_t u = 0; u < patterns[i].parts[p].count; u++) {
        uint32_t *before = &user[patterns[i].parts[p].uses[u].link];
        if (*before)
          ts_sets_join(root, *before - 1, i);
        *before = i + 1;
      }
  }
  ts_sets_settle(root, count);
}

/* Instances by what they share: those of one case follow each other by `next`, from its root on. */
typedef struct shared {
  uint32_t *root, *next; /* [instances] */
  const ts_flow_pattern **together;
  double *bytes;
} shared;

static shared share_links(const ts_ir *ir, ts_arena *scratch, const ts_flow_pattern *patterns,
                          uint32_t count)
{
  shared s = {TS_NEW_ARRAY(scratch, uint32_t, count), TS_NEW_ARRAY(scratch, uint32_t, count),
              TS_NEW_ARRAY(scratch, const ts_flow_pattern *, count),
              TS_NEW_ARRAY(scratch, double, count)};
  uint32_t *last = TS_NEW_ARRAY(scratch, uint32_t, count);
  join_instances(ir, scratch, patterns, count, s.root);
  for (uint32_t i = 0; i < count; i++) {
    s.next[i] = TS_IR_NONE;
    if (s.root[i] != i)
      s.next[last[s.root[i]]] = i;
    last[s.root[i]] = i;
  }
  return s;
}

static ts_packet_case case_from(const ts_packet_figures *f, ts_arena *scratch, shared *s,
                                const ts_ir_net_packets *with, const ts_flow_pattern *patterns,
                                uint32_t root)
{
  uint32_t calls = 0;
  for (uint32_t j = root; j != TS_IR_NONE; j = s->next[j]) {
    s->together[calls] = &patterns[j];
    s->bytes[calls++] = 1;
  }
  return ts_packet_case_of(scratch, f->ir, with, s->together, calls, s->bytes);
}

static void figures_of(ts_packet_figures *f, const ts_ir_net_packets *with,
                       const ts_flow_pattern *patterns, uint32_t count, figure *figures,
                       uint32_t stride)
{
  ts_arena *scratch = ts_arena_new("cases of packets");
  ts_packet_figures_watch(f, NULL, f->progress);
  shared s = share_links(f->ir, scratch, patterns, count);
  for (uint32_t i = 0; i < count; i++) {
    if (s.root[i] != i)
      continue;
    ts_packet_case c = case_from(f, scratch, &s, with, patterns, i);
    uint32_t number = remember_case(f->memo, &c), call = 0;
    for (uint32_t j = i; j != TS_IR_NONE; j = s.next[j])
      figures[(size_t)j * stride] =
        (figure){number + 1, call++, patterns[j].latency, patterns[j].again, patterns[j].share};
  }
  ts_arena_free(scratch);
}

static void add_use(ts_packet_use *sum, const ts_packet_use *use, uint64_t times)
{
  sum->packets += times * use->packets;
  sum->bytes += times * use->bytes;
  sum->skipped += times * use->skipped;
  sum->marked += times * use->marked;
  sum->lost += times * use->lost;
  sum->waiting += (double)times * use->waiting;
  sum->paused += times * use->paused;
  sum->most_waiting = use->most_waiting > sum->most_waiting ? use->most_waiting : sum->most_waiting;
}

void ts_packet_figures_add(ts_packet_figures *f, const ts_flow_call *call,
                           const ts_flow_pattern *patterns, uint32_t count, const uint64_t *calls,
                           ts_packet_use *sum)
{
  ts_arena *scratch = ts_arena_new("use of links");
  shared s = share_links(f->ir, scratch, patterns, count);
  for (uint32_t i = 0; i < count; i++) {
    uint64_t times = 0;
    for (uint32_t j = s.root[i] == i ? i : TS_IR_NONE; j != TS_IR_NONE; j = s.next[j])
      times = calls[j] > times ? calls[j] : times;
    if (!times)
      continue;
    ts_packet_case c =
      case_from(f, scratch, &s, &f->ir->net_models[call->model].packets, patterns, i);
    failure failed = {0};
    const ts_packet_use *use = NULL;
    double each = call->volume * patterns[i].share;
    if (!played(f, remember_case(f->memo, &c), (uint64_t)ceil(fmin(each, 0x1p53)), &failed, &use))
      continue;
    for (uint32_t l = 0; l < 2 * c.job.link_count; l++)
      add_use(&sum[c.directed[l / 2] ^ (l & 1)], &use[l], times);
  }
  ts_arena_free(scratch);
}

static int make_shape(ts_packet_figures *f, uint32_t model, const ts_rank_group *g,
                      ts_flow_shape shape, figure *figures, ts_stop *stop)
{
  ts_arena *scratch = ts_arena_new("packets of a group");
  ts_flow_pattern *patterns = TS_NEW_ARRAY(scratch, ts_flow_pattern, g->instances);
  uint32_t *vertex = TS_NEW_ARRAY(scratch, uint32_t, g->size), pair[2];
  int status = 0;
  for (uint32_t i = 0; i < g->instances && !status; i++) {
    for (uint32_t j = 0; j < g->size; j++)
      vertex[j] = f->ranks->vertex[ts_instance_ranks(g, i)[j]];
    status = ts_flow_pattern_make(f->requested.makers[model], scratch, shape, vertex, g->size,
                                  &patterns[i], pair) ?
               no_circuits(f, &patterns[i], stop) :
               ts_network_no_path(f->arena, f->ir, pair[0], pair[1], stop);
  }
  if (!status)
    figures_of(f, &f->requested.models[model]->packets, patterns, g->instances, figures,
               f->requested.count * TS_FLOW_SHAPES);
  ts_arena_free(scratch);
  return status;
}

static uint32_t packet_model_number_of(ts_packet_figures *f, const figure *figures)
{
  packet_model_words w = {.arena = ts_arena_new("words")};
  add_words(&w, figures, (size_t)f->requested.count * TS_FLOW_SHAPES * sizeof *figures);
  uint32_t number = ts_intern_run(&f->known, w.all.at, (uint32_t)w.all.count);
  ts_arena_free(w.arena);
  return number;
}

const uint32_t *ts_packet_figures_group(ts_packet_figures *f, ts_arena *arena, uint32_t group,
                                        ts_stop *stop)
{
  const ts_rank_group *g = &f->ranks->groups[group];
  uint32_t stride = f->requested.count * TS_FLOW_SHAPES,
           *number = TS_NEW_ARRAY(arena, uint32_t, g->instances);
  ts_arena *scratch = ts_arena_new("figures of a group");
  figure *figures = TS_NEW_ARRAY(scratch, figure, (size_t)g->instances * stride);
  int status = 0;
  for (uint32_t m = 0; m < f->requested.count; m++) {
    uint32_t shapes = ts_flow_shapes_called(f->ir, group, f->requested.models[m]);
    for (uint32_t s = 0; s < TS_FLOW_SHAPES && !status; s++)
      if (shapes >> s & 1)
        status = make_shape(f, m, g, (ts_flow_shape)s, &figures[m * TS_FLOW_SHAPES + s], stop);
  }
  for (uint32_t i = 0; i < g->instances && !status; i++)
    number[i] = packet_model_number_of(f, &figures[(size_t)i * stride]);
  ts_arena_free(scratch);
  return status ? NULL : number;
}

uint32_t ts_packet_figures_path(ts_packet_figures *f, uint32_t from, uint32_t to, ts_stop *stop)
{
  ts_arena *scratch = ts_arena_new("figures of a path");
  figure *figures = TS_NEW_ARRAY(scratch, figure, (size_t)f->requested.count * TS_FLOW_SHAPES);
  int status = 0;
  for (uint32_t m = 0; m < f->requested.count && !status; m++) {
    ts_flow_pattern pattern;
    if (!ts_flow_pattern_message(f->requested.makers[m], scratch, from, to, &pattern))
      status = ts_network_no_path(f->arena, f->ir, from, to, stop);
    else if (!(status = no_circuits(f, &pattern, stop)))
      figures_of(f, &f->requested.models[m]->packets, &pattern, 1,
                 &figures[m * TS_FLOW_SHAPES + TS_FLOW_SHIFT], 0);
  }
  uint32_t number = status ? TS_IR_NONE : packet_model_number_of(f, figures);
  ts_arena_free(scratch);
  return number;
}

/* ---- Estimates ---- */

/* Bytes of a connection of a call. */
static uint64_t bytes_each(const ts_ir_net_model *model, const figure *by, ts_flow_shape shape,
                           uint32_t kind, uint64_t bytes, uint32_t ranks)
{
  double each = ts_flow_volume(shape, kind, ranks) * (double)bytes / model->efficiency * by->share;
  return (uint64_t)ceil(fmin(each, 0x1p53));
}

/* One call by one shape; false after noting what failed. */
static bool time_by(ts_packet_figures *f, const ts_ir_net_model *model, const figure *by,
                    ts_flow_shape shape, uint32_t kind, uint64_t bytes, uint32_t ranks,
                    ts_estimate *e)
{
  uint64_t each = bytes_each(model, by, shape, kind, bytes, ranks);
  failure failed = {
    .model = (uint32_t)(model - f->ir->net_models), .kind = kind, .ranks = ranks, .bytes = bytes};
  const uint64_t *transfer = each ? played(f, by->job - 1, each, &failed, NULL) : NULL;
  if (failed.status != TS_PACKET_DONE) {
    f->failed = failed;
    return false;
  }
  e->base = model->base;
  e->steps = by->latency + (kind == TS_IR_ALL_REDUCE || kind == TS_IR_BARRIER ? by->again : 0);
  e->transfer = transfer ? transfer[by->call] : 0;
  e->time = e->base + e->steps + e->transfer;
  return true;
}

static void figures_by(const ts_packet_figures *f, uint32_t number, uint32_t model,
                       figure by[TS_FLOW_SHAPES])
{
  memcpy(by,
         (const uint32_t *)f->known.all.at[number].at +
           (size_t)f->requested.place[model] * TS_FLOW_SHAPES * FIGURE_WORDS,
         TS_FLOW_SHAPES * sizeof *by);
}

/* Of the shapes that a call may take the one that takes least; TS_FLOW_SHAPES: none, or one could
 * not be played. */
static ts_flow_shape packet_model_choose(ts_packet_figures *f, uint32_t number, uint32_t model,
                                         uint32_t kind, uint64_t bytes, uint32_t ranks,
                                         ts_estimate *best)
{
  figure by[TS_FLOW_SHAPES];
  const ts_ir_net_model *m = &f->ir->net_models[model];
  ts_flow_shape chosen = TS_FLOW_SHAPES;
  figures_by(f, number, model, by);
  for (uint32_t s = 0, shapes = ts_flow_shapes_of(kind, m);
       s < TS_FLOW_SHAPES && f->failed.status == TS_PACKET_DONE; s++) {
    ts_estimate e = {0};
    if (!(shapes >> s & 1) || !by[s].job ||
        !time_by(f, m, &by[s], (ts_flow_shape)s, kind, bytes, ranks, &e))
      continue;
    if (chosen == TS_FLOW_SHAPES || e.time < best->time) {
      *best = e;
      chosen = (ts_flow_shape)s;
    }
  }
  return chosen;
}

ts_estimate ts_packet_estimate(ts_packet_figures *f, uint32_t number, uint32_t model, uint32_t kind,
                               uint64_t bytes, uint32_t ranks)
{
  ts_estimate best = {0};
  packet_model_choose(f, number, model, kind, bytes, ranks, &best);
  return best;
}

void ts_packet_ask(ts_packet_figures *f, uint32_t number, uint32_t model, uint32_t kind,
                   uint64_t bytes, uint32_t ranks)
{
  figure by[TS_FLOW_SHAPES];
  const ts_ir_net_model *m = &f->ir->net_models[model];
  figures_by(f, number, model, by);
  for (uint32_t s = 0, shapes = ts_flow_shapes_of(kind, m); s < TS_FLOW_SHAPES; s++) {
    uint64_t each = shapes >> s & 1 && by[s].job ?
                      bytes_each(m, &by[s], (ts_flow_shape)s, kind, bytes, ranks) :
                      0;
    size_t known = f->memo->transfer.count;
    if (each && packet_model_place_of(f->memo, by[s].job - 1, each) == known)
      TS_PUSH(f->arena, &f->ahead, ((requested_call){by[s].job - 1, each}));
  }
}

bool ts_packet_call_of(ts_packet_figures *f, uint32_t number, uint32_t model, uint32_t kind,
                       uint64_t bytes, uint32_t ranks, ts_flow_call *call)
{
  ts_estimate best = {0};
  const ts_ir_net_model *m = &f->ir->net_models[model];
  ts_flow_shape shape = packet_model_choose(f, number, model, kind, bytes, ranks, &best);
  if (shape == TS_FLOW_SHAPES)
    return false;
  *call = (ts_flow_call){model, shape, m->base,
                         ts_flow_volume(shape, kind, ranks) * (double)bytes / m->efficiency};
  return call->volume > 0;
}

ts_flow_maker *ts_packet_figures_maker(const ts_packet_figures *f, uint32_t model)
{
  return f->requested.makers[f->requested.place[model]];
}

static const char *number_text(ts_arena *arena, double count)
{
  return count < 1e6 ? ts_arena_printf(arena, "%.0f", count) :
                       ts_arena_printf(arena, "%.3g million", count * 1e-6);
}

static void packet_model_too_many(const failure *x, uint32_t limit, ts_stop *stop)
{
  ts_stop_fact(stop, "packets", "%s, each counted on every link it crosses%s",
               number_text(stop->arena, x->count),
               x->status == TS_PACKET_MANY ? "; their rates are not steady yet at the limit" : "");
  ts_stop_fact(stop, "limit", "%s", number_text(stop->arena, limit));
  if (x->mtu)
    ts_stop_help(stop,
                 "larger packets are fewer: `mtu: %.4g KiB` is enough; or leave such calls to "
                 "`flow`, or raise `limit`",
                 (double)x->mtu / 1024);
  else
    ts_stop_help(stop, "leave such calls to `flow` (`of`, `over` and `tier` say what a model "
                       "answers for), or raise `limit`");
}

static void head(const ts_ir *ir, const failure *x, ts_stop *stop)
{
  const ts_ir_net_model *model = &ir->net_models[x->model];
  const char *name = ir->strings + model->name;
  switch (x->status) {
  case TS_PACKET_MISSING:
    ts_stop_set(stop, TS_EXIT_ENVIRONMENT, "R0305", "no-ns3",
                "`%s` needs ns-3; this build has none", name);
    break;
  case TS_PACKET_LOST:
    ts_stop_set(stop, TS_EXIT_NO, "R0306", "packets-lost", "packets of a call are lost repeatedly");
    break;
  case TS_PACKET_DOWN:
    ts_stop_set(stop, TS_EXIT_NO, "R0308", "link-down",
                "a link goes down, and a connection has no other path as good");
    break;
  case TS_PACKET_HELD:
    ts_stop_set(stop, TS_EXIT_NO, "R0307", "pauses-in-a-circle",
                "switches pause each other in a circle, and a call does not end");
    break;
  default:
    ts_stop_set(stop, TS_EXIT_NO, x->too_many ? "R0304" : "R0303",
                x->too_many ? "too-many-packets" : "no-packets",
                "a call cannot be played as packets");
  }
  stop->loc = model->loc;
  stop->label = x->status == TS_PACKET_MISSING ? "configure --with-ns3" : "answers for the call";
}

static void packet_model_help(const ts_ir *ir, const failure *x, ts_stop *stop)
{
  if (x->status == TS_PACKET_MISSING)
    ts_stop_help(stop, "build with `./configure --with-ns3` (Debian package libns3-dev); without "
                       "it `flow` plays the same connections");
  else if (x->status == TS_PACKET_LOST)
    ts_stop_help(stop, "give the switches a longer `queue`, or let them mark packets earlier");
  else if (x->status == TS_PACKET_DOWN)
    ts_stop_help(stop, "`failed = true` takes the link out from the beginning: paths that are "
                       "longer or slower are found then");
  else if (x->status == TS_PACKET_HELD)
    ts_stop_help(stop, "raise `pause`, or choose a `routing` whose paths form no circle");
  else if (x->too_many)
    packet_model_too_many(x, ir->net_models[x->model].packets.limit, stop);
  else
    ts_stop_fact(stop, "but", "%s", x->wrong);
}

void ts_packet_report(const ts_ir *ir, uint32_t model, ts_packet_status status, ts_stop *stop)
{
  failure x = {.status = status, .model = model, .wrong = "a number is out of range"};
  if (status == TS_PACKET_STOPPED) {
    ts_stop_interrupted(stop);
    return;
  }
  head(ir, &x, stop);
  packet_model_help(ir, &x, stop);
}

bool ts_packet_failed(const ts_packet_figures *f, ts_stop *stop)
{
  const failure *x = &f->failed;
  if (x->status == TS_PACKET_DONE)
    return false;
  if (x->status == TS_PACKET_STOPPED) {
    ts_stop_interrupted(stop);
    return true;
  }
  head(f->ir, x, stop);
  ts_stop_fact(stop, "call", "%s of %.4g MB over %u ranks", ts_ir_collective_names[x->kind],
               (double)x->bytes * 1e-6, x->ranks);
  packet_model_help(f->ir, x, stop);
  return true;
}
