#include "runtime/account/network_use.h"

#include <math.h>
#include <string.h>

#include "runtime/collective/follow.h"

typedef struct counter {
  const ts_prepared *p;
  ts_arena *scratch;
  const ts_program_calls *programs;
  ts_network_use *uses;
} counter;

static void add_links(ts_link_figures *sum, const ts_link_figures *links, double calls)
{
  sum->intra_pace += calls * links->intra_pace;
  sum->inter_pace += calls * links->inter_pace;
  sum->intra_latency += calls * links->intra_latency;
  sum->inter_latency += calls * links->inter_latency;
}

static void network_use_add(counter *c, uint32_t kind, uint64_t bytes, uint32_t profile,
                            uint64_t calls, uint64_t time)
{
  const ts_ir *ir = c->p->tables->ir;
  const ts_profile *p = ts_network_profile(c->p->network, profile);
  if (!calls || p->ranks < 2)
    return;
  uint32_t model = ts_network_answers(c->p->network, kind, profile),
           row = model == TS_IR_NONE ? ir->net_models_count : model;
  ts_network_use *use = &c->uses[2 * row + (p->islands > 1)];
  ts_link_figures are = ts_links_as_they_are(p),
                  seen =
                    model == TS_IR_NONE ? are : ts_links_as_seen(ir, &ir->net_models[model], p);
  use->calls += calls;
  use->bytes += (double)calls * (double)bytes;
  use->time += (double)calls * (double)time;
  if (model != TS_IR_NONE && ir->net_models[model].kind != TS_IR_NET_PACKET &&
      ts_network_estimate(c->p->network, kind, bytes, profile).beyond)
    use->beyond += (double)calls * (double)time;
  add_links(&use->are, &are, (double)calls);
  add_links(&use->seen, &seen, (double)calls);
}

static void add_kind(counter *c, const ts_role *role, uint64_t ranks)
{
  const ts_ir *ir = c->p->tables->ir;
  const ts_program_info *program = &c->p->tables->programs[role->program];
  const ts_program_calls *calls = &c->programs[role->program];
  for (uint32_t i = 0; i < ir->collectives_count; i++)
    if (calls->collectives[i]) {
      const ts_ir_collective *call = &ir->collectives[i];
      network_use_add(c, call->kind, call->bytes, role->group_profile[call->group],
                      ranks * calls->collectives[i], role->collective_time[i]);
    }
  for (uint32_t i = 0; i < program->call_count; i++) {
    const ts_port_call *call = &program->calls[i];
    network_use_add(c, TS_IR_MESSAGE, ir->ports[call->port].bytes, role->peer_profile[call->peer],
                    ranks * calls->messages[i], role->transits[i].flight);
  }
}

const ts_network_use *ts_network_uses_of(ts_arena *arena, const ts_prepared *p,
                                         const ts_program_calls *programs)
{
  const ts_ranks *ranks = p->tables->ranks;
  const ts_ir *ir = p->tables->ir;
  if (!ranks->vertex)
    return NULL;
  counter c = {.p = p,
               .scratch = ts_arena_new("network use"),
               .programs = programs,
               .uses = TS_NEW_ARRAY(arena, ts_network_use, 2 * ((size_t)ir->net_models_count + 1))};
  uint64_t *of_kind = TS_NEW_ARRAY(c.scratch, uint64_t, p->roles->count);
  for (uint32_t r = 0; r < ranks->world; r++)
    of_kind[p->roles->of[r]]++;
  for (uint32_t k = 0; k < p->roles->count; k++)
    add_kind(&c, &p->roles->at[k], of_kind[k]);
  ts_arena_free(c.scratch);
  return c.uses;
}

/* By program, then instance by instance: the calls of an instance are those of each of its members.
 * */
static void add_calls(ts_cuts *cuts, const ts_tables *t, ts_arena *scratch,
                      const ts_program_calls *programs, uint32_t group)
{
  const ts_ir *ir = t->ir;
  const ts_rank_group *g = &t->ranks->groups[group];
  double *of = TS_NEW_ARRAY(scratch, double, (size_t)ir->programs_count *TS_IR_COLLECTIVE_KINDS),
         *bytes = TS_NEW_ARRAY(scratch, double, (size_t)g->instances *TS_IR_COLLECTIVE_KINDS);
  for (uint32_t p = 0; p < ir->programs_count; p++)
    for (uint32_t i = 0; i < ir->collectives_count; i++)
      if (ir->collectives[i].group == group)
        of[(size_t)p * TS_IR_COLLECTIVE_KINDS + ir->collectives[i].kind] +=
          (double)programs[p].collectives[i] * (double)ir->collectives[i].bytes;
  for (uint32_t i = 0; i < g->instances; i++)
    memcpy(&bytes[(size_t)i * TS_IR_COLLECTIVE_KINDS],
           &of[(size_t)t->ranks->program[*ts_instance_ranks(g, i)] * TS_IR_COLLECTIVE_KINDS],
           TS_IR_COLLECTIVE_KINDS * sizeof *of);
  ts_cuts_add_calls(cuts, t->ranks, g, bytes);
}

static bool any_late(const ts_tables *t)
{
  for (uint32_t p = 0; p < t->ir->programs_count; p++)
    for (uint32_t s = 0; s < t->streams; s++)
      if (t->programs[p].late[s])
        return true;
  return false;
}

/* [peers of the program] bytes. */
static double *sent_to_peers(const ts_tables *t, ts_arena *arena, const ts_program_info *program,
                             const ts_program_calls *calls)
{
  double *bytes = TS_NEW_ARRAY(arena, double, program->peer_count);
  for (uint32_t i = 0; i < program->call_count; i++)
    bytes[program->calls[i].peer] +=
      (double)t->ir->ports[program->calls[i].port].bytes * (double)calls->messages[i];
  return bytes;
}

ts_link_load ts_fullest_links_of(const ts_prepared *p, const ts_program_calls *programs)
{
  const ts_tables *t = p->tables;
  if (!t->ranks->vertex)
    return (ts_link_load){0};
  ts_arena *scratch = ts_arena_new("fullest links");
  ts_cuts *cuts = ts_network_cuts(p->network);
  ts_cuts_clear(cuts);
  bool late = any_late(t); /* messages that nobody waits for may come when the step is over */
  for (uint32_t g = 0; g < t->ranks->group_count; g++)
    if (t->ranks->groups[g].used)
      add_calls(cuts, t, scratch, programs, g);
  double **sent = TS_NEW_ARRAY(scratch, double *, t->ir->programs_count);
  for (uint32_t p = 0; p < t->ir->programs_count && !late; p++)
    sent[p] = sent_to_peers(t, scratch, &t->programs[p], &programs[p]);
  for (uint32_t r = 0; r < t->ranks->world && !late; r++) {
    const ts_program_info *program = &t->programs[t->ranks->program[r]];
    for (uint32_t k = 0; k < program->peer_count; k++) {
      uint32_t to = ts_peer_rank(t->ranks, r, program->peers[k].coordinate);
      if (program->peers[k].sends)
        ts_cuts_add_messages(cuts, t->ranks->vertex[r], t->ranks->vertex[to],
                             sent[t->ranks->program[r]][k]);
    }
  }
  ts_link_load fullest = ts_cuts_fullest(cuts);
  ts_arena_free(scratch);
  return fullest;
}

/* sums over calls are rounded */
static bool differ(double a, double b) { return fabs(a - b) > 1e-9 * fmax(fabs(a), fabs(b)); }

uint32_t ts_not_followed_of(ts_arena *arena, const ts_ir *ir, const ts_network_use *before,
                            const ts_network_use *after, const ts_not_followed **list)
{
  TS_VEC(ts_not_followed) all = {0};
  for (uint32_t i = 0; before && after && i < 2 * ir->net_models_count; i++) {
    const ts_link_figures *are = &before[i].are, *seen = &before[i].seen, *will = &after[i].are,
                          *see = &after[i].seen;
    bool rate =
      (differ(are->intra_pace, will->intra_pace) && !differ(seen->intra_pace, see->intra_pace)) ||
      (differ(are->inter_pace, will->inter_pace) && !differ(seen->inter_pace, see->inter_pace));
    bool latency = (differ(are->intra_latency, will->intra_latency) &&
                    !differ(seen->intra_latency, see->intra_latency)) ||
                   (differ(are->inter_latency, will->inter_latency) &&
                    !differ(seen->inter_latency, see->inter_latency));
    if (before[i].calls && before[i].calls == after[i].calls && (rate || latency))
      TS_PUSH(arena, &all, (ts_not_followed){i / 2, i % 2, rate, latency, before[i].time});
  }
  *list = all.at;
  return (uint32_t)all.count;
}
