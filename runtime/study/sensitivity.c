#include "runtime/study/sensitivity.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ir/spelling.h"
#include "runtime/account/compose.h"
#include "runtime/account/network_use.h"
#include "runtime/account/run.h"
#include "runtime/play/play.h"
#include "runtime/study/change.h"

typedef struct sensitivity_path { /* what the nodes on the critical path gain */
  const ts_facts *facts;
  const ts_roles *changed;
  double host;    /* factor on the time of the host */
  double gain;    /* ps */
} sensitivity_path;

/* What the node takes on ranks of the kind; 0: what it takes is not the node's. */
static uint64_t node_time(const ts_role *role, const ts_player *w, uint32_t item,
                          const ts_ir_node *node)
{
  const ts_play_item *v = &w->program->items[item];
  switch (node->op) {
  case TS_IR_COMPUTE: return role->kernel_time[node->arg];
  case TS_IR_COLLECTIVE: return role->collective_time[node->arg];
  case TS_IR_SEND: return ts_send_time(role, &w->program->routes[v->port_base + node->arg]);
  default: return 0;
  }
}

static double sensitivity_part_of(double time, uint64_t before, uint64_t after)
{
  return before ? time * (1 - (double)after / (double)before) : 0;
}

static uint64_t sensitivity_bytes_of(const ts_transit *m)
{
  return m->flight - m->latency - m->overhead;
}

/* What a receive gains that waited for `time`: bytes, then what else its message took. */
static double gain_of_message(double time, const ts_transit *before, const ts_transit *after)
{
  double bytes = fmin(time, (double)sensitivity_bytes_of(before));
  return sensitivity_part_of(bytes, sensitivity_bytes_of(before), sensitivity_bytes_of(after)) +
         sensitivity_part_of(time - bytes, before->latency + before->overhead,
                             after->latency + after->overhead);
}

static void gain_of(void *closure, const ts_critical_node *at)
{
  sensitivity_path *p = closure;
  const ts_facts *f = p->facts;
  const ts_player *w = &f->players[at->player];
  uint32_t item = at->item, node = at->node;
  double times = (double)at->times;
  const ts_play_item *v = &w->program->items[item];
  if (at->host) {
    p->gain += times * ((double)at->time * (1 - p->host));
    return;
  }
  const ts_ir_node *n = &ts_fragment_nodes(f->tables->ir, v->fragment)[node];
  if (n->op == TS_IR_RECV) { /* what it waits for is what the sender sends */
    const ts_message *m = &w->program->messages[w->program->routes[v->port_base + n->arg].slot];
    w = &f->players[w->peers[w->program->routes[v->port_base + n->arg].peer]];
    v = &w->program->items[m->send_item];
    const ts_route *route =
      &w->program
         ->routes[v->port_base + ts_fragment_nodes(f->tables->ir, v->fragment)[m->send_node].arg];
    p->gain +=
      times * gain_of_message((double)at->time, ts_transit_of(w->role, route),
                              ts_transit_of(&p->changed->at[p->changed->of[w->rank]], route));
    return;
  }
  const ts_role *changed = &p->changed->at[p->changed->of[w->rank]];
  p->gain += times * sensitivity_part_of((double)at->time, node_time(w->role, w, item, n),
                                         node_time(changed, w, item, n));
}

static ts_run_options changed_options(const ts_run_options *options, const ts_changed *changed)
{
  ts_run_options o = *options;
  o.transfer = changed->transfer;
  return o;
}

static bool change_plan(ts_arena *arena, const ts_ir *ir, const ts_run_options *options,
                        const char *change, ts_changed *changed, ts_run_options *o, ts_stop *stop)
{
  const char *wrong = ts_change(arena, ir, change, changed);
  if (wrong)
    return ts_stop_set(stop, TS_EXIT_USAGE, NULL, NULL, "%s", wrong) == 0;
  *o = changed_options(options, changed);
  return true;
}

bool ts_what_if(ts_arena *arena, const ts_ir *ir, const ts_run_options *options, const char *change,
                uint64_t *step, ts_stop *stop)
{
  ts_changed changed;
  ts_run_options o;
  return change_plan(arena, ir, options, change, &changed, &o, stop) &&
         ts_run_step(&changed.ir, &o, step, stop);
}

bool ts_what_if_energy(ts_arena *arena, const ts_ir *ir, const ts_run_options *options,
                       const char *change, uint64_t *step, ts_energy *energy, ts_stop *stop)
{
  ts_changed changed;
  ts_run_options o;
  ts_run *run = change_plan(arena, ir, options, change, &changed, &o, stop) ?
                  ts_run_new(&changed.ir, &o, stop) :
                  NULL;
  if (!run)
    return false;
  *step = ts_run_result(run)->step;
  *energy = ts_energy_of(&changed.ir, ts_run_result(run));
  ts_run_free(run);
  return true;
}

uint32_t ts_what_if_not_followed(ts_arena *arena, const ts_ir *ir, const ts_run_options *options,
                                 const char *change, const ts_result *result,
                                 const ts_not_followed **list, const char **stays)
{
  ts_arena *scratch = ts_arena_new("not followed");
  ts_stop stop = {.arena = scratch};
  ts_changed changed;
  ts_prepared p;
  uint32_t count = 0;
  if (!ts_change(scratch, ir, change, &changed)) {
    ts_run_options o = changed_options(options, &changed);
    *stays = changed.stays ? ts_arena_string(arena, changed.stays, strlen(changed.stays)) : NULL;
    if (ts_run_prepare(scratch, &changed.ir, &o, &p, &stop))
      count = ts_not_followed_of(
        arena, ir, result->network_uses,
        ts_network_uses_of(scratch, &p, ts_program_calls_of(p.tables, scratch)), list);
  }
  ts_arena_free(scratch);
  return count;
}

typedef struct judge {
  ts_arena *arena;
  const ts_ir *ir;
  const ts_run *run;
  const ts_run_options *options;
  ts_stop *stop;
  TS_VEC(ts_sensitivity) list;
} judge;

static uint32_t last_player(const ts_run *run)
{
  const ts_result *r = ts_run_result(run);
  uint32_t last = 0;
  while (last + 1 < r->class_count && r->classes[last].rank != r->critical_rank)
    last++;
  return last;
}

static int64_t gain_to(const judge *j, uint64_t step)
{
  return (int64_t)(ts_run_result(j->run)->step - step);
}

/* What a percent gives: on the path as it is, and played. */
static bool sensitivity_percent(const judge *j, ts_arena *scratch, const char *change,
                                ts_sensitivity *s)
{
  ts_changed changed;
  ts_prepared prepared;
  if (ts_change(scratch, j->ir, change, &changed))
    return true; /* has no such thing: nothing to gain */
  ts_run_options o = changed_options(j->options, &changed);
  if (!ts_run_prepare(scratch, &changed.ir, &o, &prepared, j->stop))
    return false;
  sensitivity_path p = {.facts = ts_run_facts(j->run),
                        .changed = prepared.roles,
                        .host = strncmp(change, "host.speed", 10) == 0 ? 1 / 1.01 : 1};
  ts_critical_passes(p.facts, last_player(j->run), gain_of, &p);
  const ts_facts *facts = ts_run_play(scratch, &prepared, &o, 0, j->stop);
  s->on_path = llround(p.gain);
  s->percent = facts ? gain_to(j, facts->end) : 0;
  return facts != NULL;
}

static bool played(const judge *j, ts_arena *scratch, const char *change, int64_t *gain)
{
  uint64_t step;
  ts_stop before = *j->stop;
  if (ts_what_if(scratch, j->ir, j->options, change, &step, j->stop)) {
    *gain = gain_to(j, step);
    return true;
  }
  bool wrong = j->stop->exit_code == TS_EXIT_USAGE;
  if (wrong)
    *j->stop = before;
  return wrong;
}

/* `sign`: `*` where more is better, `/` where less is. */
static bool judge_one(judge *j, const char *name, char sign)
{
  ts_arena *scratch = ts_arena_new("sensitivity");
  ts_sensitivity s = {.name = name};
  bool good =
    sensitivity_percent(j, scratch, ts_arena_printf(scratch, "%s%c1.01", name, sign), &s) &&
    played(j, scratch, ts_arena_printf(scratch, "%s%c1.1", name, sign), &s.tenth);
  ts_arena_free(scratch);
  if (good && (s.on_path || s.percent || s.tenth))
    TS_PUSH(j->arena, &j->list, s);
  return good;
}

static int sensitivity_larger(const void *x, const void *y)
{
  const ts_sensitivity *a = x, *b = y;
  if (a->on_path != b->on_path)
    return a->on_path < b->on_path ? 1 : -1;
  return a->tenth != b->tenth ? (a->tenth < b->tenth ? 1 : -1) : strcmp(a->name, b->name);
}

static bool judge_traffic(judge *j)
{
  const ts_ir *ir = j->ir;
  bool good = true;
  for (uint32_t g = 0; g < ir->groups_count && good; g++)
    good =
      judge_one(j, ts_arena_printf(j->arena, "%s.speed", ir->strings + ir->groups[g].name), '*');
  for (uint32_t k = 0; k < TS_IR_COLLECTIVE_KINDS && good; k++)
    good = judge_one(j, ts_arena_printf(j->arena, "%s.speed", ts_ir_collective_names[k]), '*');
  return good;
}

const ts_sensitivities *ts_sensitivities_new(ts_arena *arena, const ts_ir *ir, const ts_run *run,
                                             const ts_run_options *options, ts_stop *stop)
{
  judge j = {.arena = arena, .ir = ir, .run = run, .options = options, .stop = stop};
  bool good = judge_one(&j, "compute.speed", '*') && judge_one(&j, "memory.bandwidth", '*') &&
              judge_one(&j, "host.speed", '*') && judge_one(&j, "network.latency", '/');
  for (uint32_t i = 0; i < ir->link_classes_count && good; i++)
    good = judge_one(
      &j, ts_arena_printf(arena, "%s.bandwidth", ir->strings + ir->link_classes[i].name), '*');
  if (!good || !judge_traffic(&j))
    return NULL;
  ts_sensitivities *out = TS_NEW(arena, ts_sensitivities);
  TS_SORT(&j.list, sensitivity_larger);
  *out = (ts_sensitivities){(uint32_t)j.list.count, j.list.at};
  return out;
}
