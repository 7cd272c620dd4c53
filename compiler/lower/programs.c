/* Fragments of the IR, each made once, and the programs of ranks that play them. */
#include <string.h>

#include "base/format.h"
#include "compiler/lower/fragment.h"
#include "compiler/lower/fragment_parameters.h"
#include "compiler/lower/fragment_pieces.h"
#include "compiler/lower/lowering.h"

/* Fragments of the same work differ by these marks of ts_placed, and by its place, of so many. */
enum { LAST = 1, GATHERS = 2, DROPS = 4, FRESH = 8, FIRST = 16, MARKS = 32 };
enum { PARTS = MARKS * TS_PLACES };

/* a fragment of the IR */
typedef struct made {
  uint32_t index;
  const ts_port_ref *roles;
  uint32_t role_count;
  bool done;
} made;

/* of ranks with chunks of these kinds, whose copies are on other ranks; comms: which collectives
 * take part */
typedef struct step {
  const uint32_t *stages;
  const bool *apart;
  uint32_t comms;
  made fragment;
} step;
/* of an item that clauses tie to others or slow */
typedef struct special {
  const ts_placed *item;
  uint64_t stage;
  uint32_t part;
  made *fragment;
} special;

/* key: kind of stage, of work, and its part in the step */
typedef struct pair {
  uint32_t key[2];
  bool tied;
  made fragment;
} pair;

/* of a kind of stages: what tells apart fragments of the same work */
typedef struct programs_marks {
  bool known, sums, gathers, updates, offloads, frees;
} programs_marks;

struct ts_programs {
  ts_lowering *l;
  programs_marks *marks;   /* [kind of stage] */
  TS_VEC(made) fragments;  /* those of the IR that programs play */
  uint32_t port_count;     /* of all items: as many are to be bound */
  made *shared;            /* [kind of stage][work kind][part in the step] */
  uint32_t part_count;     /* that there are of the last */
  TS_VEC(special) specials;
  TS_VEC(pair *) pairs;
  TS_VEC(step) steps;
  /* of collectives around steps that not all steps have; different ones */
  TS_VEC(int64_t) every;
  /* [every] which of them take part: one for each combination that there is */
  TS_VEC(const bool *) parts;
};

static ts_fragment *open_fragment(ts_lowering *l, uint32_t stage, const ts_placed *item)
{
  ts_fragment *f = ts_fragment_new(l, stage);
  f->slowed = item->slowed ? l->sc->slowed.at[item->slowed - 1].by : 1;
  return f;
}

static ts_fragment *write_work(ts_lowering *l, uint32_t stage, const ts_placed *item, uint32_t part)
{
  ts_fragment *f = open_fragment(l, stage, item);
  bool last = part & LAST;
  switch (item->kind) {
  case TS_FORWARD: ts_forward(f, item); break;
  case TS_BACKWARD: ts_backward(f, item, true, true, last); break;
  case TS_INPUT_GRADIENT: ts_backward(f, item, true, false, false); break;
  case TS_WEIGHT_GRADIENT: ts_backward(f, item, false, true, last); break;
  default: break;
  }
  return f;
}

static const char *work_name(ts_lowering *l, uint32_t kind, const ts_placed *item, uint32_t part)
{
  const char *name = ts_work_letter(item->kind);
  if (l->stages->kind_count > 26)
    name = ts_arena_printf(l->s->arena, "%s %u", name, kind);
  else if (l->stages->kind_count > 1)
    name = ts_arena_printf(l->s->arena, "%s %c", name, 'a' + (int)kind);
  if (part / MARKS)
    name = ts_arena_printf(l->s->arena, "%s place %u", name, part / MARKS);
  return ts_arena_printf(l->s->arena, "%s%s%s%s%s", name, part & FIRST ? " first" : "",
                         part & LAST ? " last" : "", part & (GATHERS | FRESH) ? " gathers" : "",
                         part & DROPS ? " drops" : "");
}

static made programs_finish(ts_fragment *f, const char *name, const char *letter)
{
  ts_lowering *l = f->l;
  made m = {.done = true, .role_count = (uint32_t)f->roles.count};
  m.roles = m.role_count ?
              ts_arena_copy(l->s->arena, f->roles.at, f->roles.count * sizeof *f->roles.at) :
              NULL;
  m.index = ts_fragment_finish(f, name, letter);
  ts_fragment_free(f);
  return m;
}

static made build(ts_lowering *l, uint32_t stage, const ts_placed *item, uint32_t part)
{
  return programs_finish(write_work(l, stage, item, part),
                         work_name(l, l->stages->at[stage].kind, item, part),
                         ts_work_letter(item->kind));
}

static bool sums_gradients(const ts_lowering *l, const ts_stage *stage)
{
  for (uint32_t i = stage->first_op; i < stage->first_op + stage->op_count; i++) {
    const ts_class *class = ts_class_of(l, i);
    for (uint32_t c = 0; c < class->comm_count; c++)
      if (class->comms[c].when == TS_WHEN_GRADIENTS)
        return true;
  }
  return false;
}

static bool offloads(const ts_lowering *l, const ts_stage *stage)
{
  for (uint32_t i = stage->first_op; i < stage->first_op + stage->op_count; i++)
    if (ts_class_of(l, i)->activations.rate > 0)
      return true;
  return false;
}

static const programs_marks *marks_of(ts_programs *p, const ts_stage *stage)
{
  programs_marks *m = &p->marks[stage->kind];
  if (!m->known)
    *m = (programs_marks){true,
                          sums_gradients(p->l, stage),
                          ts_gathers_shared(p->l, stage),
                          ts_gathers_updated(p->l, stage),
                          offloads(p->l, stage),
                          ts_frees(p->l, stage)};
  return m;
}

static uint32_t part_in_step(ts_programs *p, const ts_stage *stage, const ts_placed *item)
{
  const programs_marks *m = marks_of(p, stage);
  uint32_t part = (item->last && m->sums ? LAST : 0u) | (item->first && m->frees ? FIRST : 0u);
  if (m->gathers)
    part |= (item->gathers ? GATHERS : 0u) | (item->drops ? DROPS : 0u);
  if (item->fresh && m->updates)
    part |= FRESH;
  return part + (m->offloads ? item->place * MARKS : 0);
}

static bool same_ends(const ts_schedule *sc, const ts_placed *a, const ts_placed *b)
{
  for (uint32_t k = 0; k < a->link_count; k++) {
    const ts_tie_end *x = &sc->links.at[a->link_first + k], *y = &sc->links.at[b->link_first + k];
    const ts_tie *s = &sc->ties.at[x->tie], *t = &sc->ties.at[y->tie];
    if (x->outgoing != y->outgoing || s->clause != t->clause || s->bytes != t->bytes ||
        s->some != t->some || s->lane != t->lane)
      return false;
  }
  return true;
}

/* Items that are tied and slowed alike, by the same clauses, on stages of one kind, share a
 * fragment. NULL: this one is new. */
static const made *find_special(const ts_programs *p, const ts_placed *item, uint64_t stage,
                                uint32_t part)
{
  const ts_schedule *sc = p->l->sc;
  double by = item->slowed ? sc->slowed.at[item->slowed - 1].by : 1;
  for (size_t i = 0; i < p->specials.count; i++) {
    const special *x = &p->specials.at[i];
    if (x->item->kind == item->kind && x->stage == stage && x->part == part &&
        x->item->link_count == item->link_count &&
        (x->item->slowed ? sc->slowed.at[x->item->slowed - 1].by : 1) == by &&
        same_ends(sc, x->item, item))
      return x->fragment;
  }
  return NULL;
}

static const made *keep_special(ts_programs *p, const ts_placed *item, uint64_t stage,
                                uint32_t part, made fragment)
{
  made *copy = ts_arena_copy(p->l->s->arena, &fragment, sizeof fragment);
  TS_PUSH(p->l->s->arena, &p->specials, (special){item, stage, part, copy});
  return copy;
}

static const made *work_fragment(ts_programs *p, const ts_placed *item)
{
  ts_lowering *l = p->l;
  const ts_stage *stage = &l->stages->at[item->stage];
  uint32_t example = l->stages->example[stage->kind];
  uint32_t part = part_in_step(p, stage, item);
  if (item->link_count || item->slowed) {
    const made *found = find_special(p, item, example, part);
    return found ? found : keep_special(p, item, example, part, build(l, example, item, part));
  }
  made *m = &p->shared[(stage->kind * TS_WORK_KINDS + item->kind) * p->part_count + part];
  if (!m->done)
    *m = build(l, example, item, part);
  return m;
}

/* Two items as one. Pairs of the same kinds of work on the same kinds of stages share a fragment,
 * unless clauses tie one of them. */
static const made *pair_fragment(ts_programs *p, const ts_placed *item)
{
  ts_lowering *l = p->l;
  const ts_placed *of[2] = {item, item + 1};
  pair found = {0};
  uint32_t stage[2], part[2];
  bool tied = item[0].link_count || item[1].link_count || item[0].slowed || item[1].slowed;
  for (int k = 0; k < 2; k++) {
    const ts_stage *at = &l->stages->at[of[k]->stage];
    part[k] = part_in_step(p, at, of[k]);
    stage[k] = tied ? of[k]->stage : l->stages->example[at->kind];
    found.key[k] = (at->kind * TS_WORK_KINDS + of[k]->kind) * PARTS + part[k];
  }
  for (size_t i = 0; !tied && i < p->pairs.count; i++)
    if (!p->pairs.at[i]->tied && p->pairs.at[i]->key[0] == found.key[0] &&
        p->pairs.at[i]->key[1] == found.key[1])
      return &p->pairs.at[i]->fragment;
  const char *name[2], *letter = ts_arena_printf(l->s->arena, "%s&%s", ts_work_letter(item[0].kind),
                                                 ts_work_letter(item[1].kind));
  ts_fragment *f[2];
  for (int k = 0; k < 2; k++) {
    f[k] = write_work(l, stage[k], of[k], part[k]);
    name[k] = work_name(l, l->stages->at[stage[k]].kind, of[k], part[k]);
  }
  ts_fragment *merged = ts_fragment_merge(f[0], f[1]);
  pair *copy = TS_NEW(l->s->arena, pair);
  *copy = (pair){
    {found.key[0], found.key[1]},
    tied,
    programs_finish(merged, ts_arena_printf(l->s->arena, "%s & %s", name[0], name[1]), letter)};
  ts_fragment_free(f[0]);
  ts_fragment_free(f[1]);
  TS_PUSH(l->s->arena, &p->pairs, copy);
  return &copy->fragment;
}

/* The n-th copy farther of a stage. */
static uint32_t copy_of(const ts_schedule *sc, uint32_t stage, uint32_t n)
{
  return (stage + n * sc->parts) % sc->stages;
}

static made build_step(ts_programs *p, const uint32_t *stages, const bool *apart,
                       const ts_placed *item)
{
  ts_lowering *l = p->l;
  ts_fragment *f = open_fragment(l, TS_NO_INDEX, item);
  f->devices = ts_devices_of_stage(l, stages[0]);
  ts_update_step(f, item, stages, l->sc->chunks, apart);
  ts_text letters = ts_format_letters(p->steps.count);
  bool several = l->stages->kind_count > 1;
  return programs_finish(f, several ? ts_arena_printf(l->s->arena, "S %s", letters.text) : "S",
                         "S");
}

static void find_rhythms(ts_programs *p)
{
  const ts_sharding *sh = p->l->sh;
  for (size_t c = 0; c < sh->classes.count; c++)
    for (uint32_t i = 0; i < sh->classes.at[c].comm_count; i++) {
      int64_t every = sh->classes.at[c].comms[i].every;
      size_t k = 0;
      while (k < p->every.count && p->every.at[k] != every)
        k++;
      if (every > 1 && k == p->every.count)
        TS_PUSH(p->l->s->arena, &p->every, every);
    }
}

/* Which collectives a step is one of, by their `every`: equal numbers for equal ones. */
static uint32_t collectives_of(ts_programs *p, const ts_placed *item)
{
  bool *parts = TS_NEW_ARRAY(p->l->s->arena, bool, p->every.count + 1);
  uint32_t found = 0;
  for (size_t k = 0; k < p->every.count; k++)
    parts[k] = ts_takes_part(p->every.at[k], item);
  while (found < p->parts.count && memcmp(p->parts.at[found], parts, p->every.count))
    found++;
  if (found == p->parts.count)
    TS_PUSH(p->l->s->arena, &p->parts, parts);
  return found;
}

/* The step of a rank depends on the kinds of its stages, on which of their copies it does not hold
 * itself, and on which collectives take part. */
static const made *step_fragment(ts_programs *p, uint32_t rank, const ts_placed *item)
{
  ts_lowering *l = p->l;
  const ts_schedule *sc = l->sc;
  uint32_t count = sc->chunks;
  uint32_t *stages = TS_NEW_ARRAY(l->s->arena, uint32_t, count + 1);
  bool any = false, *apart = TS_NEW_ARRAY(l->s->arena, bool, count * sc->copies + 1);
  for (uint32_t c = 0; c < count; c++) {
    uint32_t stage = sc->stage_of[rank * count + c];
    stages[c] = l->stages->example[l->stages->at[stage].kind];
    for (uint32_t n = 0; n < sc->copies; n++)
      any |= apart[c * sc->copies + n] =
        !(sc->without & TS_CLAUSE_COPIES) && sc->rank_of[copy_of(sc, stage, n)] != rank;
  }
  size_t kind = 0;
  uint32_t comms = collectives_of(p, item);
  while (kind < p->steps.count &&
         (p->steps.at[kind].comms != comms ||
          memcmp(p->steps.at[kind].stages, stages, count * sizeof *stages) ||
          memcmp(p->steps.at[kind].apart, apart, count * sc->copies * sizeof *apart)))
    kind++;
  if (item->link_count || item->slowed) {
    uint64_t key = (count == 1 && !any ? stages[0] : l->s->limits.stages + rank) | (uint64_t)comms
                                                                                     << 32;
    const made *found = find_special(p, item, key, 0);
    return found ? found : keep_special(p, item, key, 0, build_step(p, stages, apart, item));
  }
  if (kind == p->steps.count)
    TS_PUSH(l->s->arena, &p->steps,
            (step){stages, apart, comms, build_step(p, stages, apart, item)});
  return &p->steps.at[kind].fragment;
}

/* Tags of what travels between stages count from 0; of the others, from here. */
enum { SHARED_TAGS = 0x40000000, COPY_TAGS = 0x50000000 };

/* Gradients between the copies of a stage: a tag for every step, stage that sends, copy that
 * receives, and round. */
static ts_ir_binding bind_copy(const ts_schedule *sc, uint32_t rank, uint32_t step,
                               ts_port_ref role)
{
  uint32_t round = role.index % 2, chunk = role.index / 2 / sc->copies,
           stage = sc->stage_of[rank * sc->chunks + chunk];
  uint32_t other = copy_of(sc, stage, role.index / 2 % sc->copies);
  uint32_t from = role.role == TS_PORT_COPY_OUT ? stage : other,
           to = role.role == TS_PORT_COPY_OUT ? other : stage;
  return (ts_ir_binding){sc->rank_of[other],
                         COPY_TAGS +
                           2 * ((step * sc->stages + from) * sc->copies + to / sc->parts) + round};
}

static ts_ir_binding programs_bind(const ts_lowering *l, uint32_t rank, const ts_placed *item,
                                   ts_port_ref role)
{
  const ts_stage *stage = &l->stages->at[item->stage];
  const ts_schedule *sc = l->sc;
  if (role.role == TS_PORT_TIE || role.role == TS_PORT_CHOICE) {
    const ts_tie_end *end = &sc->links.at[item->link_first + role.index];
    const ts_tie *tie = &sc->ties.at[end->tie];
    uint32_t other = end->outgoing ? tie->to : tie->from;
    return (ts_ir_binding){ts_schedule_rank(sc, other),
                           l->stages->transfer_count * 2 * sc->micro_batches + tie->id};
  }
  if (role.role == TS_PORT_SHARED)
    return (ts_ir_binding){l->shared_rank[role.index ^ 1],
                           SHARED_TAGS + item->micro_batch * (uint32_t)l->sh->shared.count +
                             role.index / 2};
  if (role.role == TS_PORT_COPY_OUT || role.role == TS_PORT_COPY_IN)
    return bind_copy(l->sc, rank, item->micro_batch, role);
  bool in = role.role == TS_PORT_ACTIVATION_IN || role.role == TS_PORT_GRADIENT_OUT;
  bool gradient = role.role == TS_PORT_GRADIENT_IN || role.role == TS_PORT_GRADIENT_OUT;
  const ts_transfer *t = in ? &stage->in[role.index] : &stage->out[role.index];
  return (ts_ir_binding){sc->rank_of[t->other],
                         (t->id * 2 + gradient) * sc->micro_batches + item->micro_batch};
}

static void lower_item(ts_programs *p, uint32_t rank, const ts_placed *item, ts_ir_item *record)
{
  ts_lowering *l = p->l;
  const made *m = item->kind == TS_STEP ? step_fragment(p, rank, item) :
                  item->paired          ? pair_fragment(p, item) :
                                          work_fragment(p, item);
  *record = (ts_ir_item){.fragment = m->index,
                         .micro_batch = item->kind == TS_STEP ? TS_IR_NONE : item->micro_batch,
                         .chunk = item->chunk};
  while (p->fragments.count <= m->index)
    TS_PUSH(l->s->arena, &p->fragments, (made){0});
  if (!p->fragments.at[m->index].done)
    p->fragments.at[m->index] = *m;
  p->port_count += m->role_count;
}

/* The ends of messages, of all programs at once. */
void ts_lower_bindings(const ts_programs *p)
{
  const ts_lowering *l = p->l;
  const ts_schedule *sc = l->sc;
  void *records;
  uint32_t at = ts_ir_append(l->b, TS_IR_BINDINGS, p->port_count, &records);
  ts_ir_binding *to = records;
  ts_ir_item *record = ts_ir_builder_records(l->b, TS_IR_ITEMS);
  for (uint32_t r = 0; r < sc->ranks; r++)
    for (uint32_t i = 0; i < sc->order[r].count; i++, record++) {
      const ts_placed *item = &sc->items.at[sc->order[r].first + i];
      const made *m = &p->fragments.at[record->fragment];
      record->first_binding = m->role_count ? at : 0;
      at += m->role_count;
      for (uint32_t k = 0; k < m->role_count; k++)
        *to++ = programs_bind(l, r, item + m->roles[k].part, m->roles[k]);
      i += item->paired;
    }
}

ts_programs *ts_lower_programs(ts_lowering *l)
{
  ts_programs *p = TS_NEW(l->s->arena, ts_programs);
  p->l = l;
  const ts_schedule *sc = l->sc;
  void *records;
  find_rhythms(p);
  p->marks = TS_NEW_ARRAY(l->s->arena, programs_marks, l->stages->kind_count + 1);
  p->part_count = MARKS;
  for (uint32_t k = 0; k < l->stages->kind_count; k++)
    if (marks_of(p, &l->stages->at[l->stages->example[k]])->offloads)
      p->part_count = PARTS;
  p->shared =
    TS_NEW_ARRAY(l->s->arena, made, l->stages->kind_count * TS_WORK_KINDS * p->part_count + 1);
  ts_holder *holder = ts_holder_new(l);
  ts_ir_round *rounds = TS_NEW_ARRAY(l->s->arena, ts_ir_round, sc->ranks + 1);
  uint32_t most = 0;
  for (uint32_t r = 0; r < sc->ranks; r++)
    most = sc->order[r].count > most ? sc->order[r].count : most;
  ts_ir_item *items = TS_NEW_ARRAY(l->s->arena, ts_ir_item, most + 1); /* of one rank */
  for (uint32_t r = 0; r < sc->ranks && !l->failed; r++) {
    ts_ir_program program = {0};
    ts_order round = sc->left_out ? sc->round[r] : (ts_order){0};
    for (uint32_t i = 0; i < sc->order[r].count; i++) {
      const ts_placed *item = &sc->items.at[sc->order[r].first + i];
      lower_item(p, r, item, &items[program.item_count++]);
      rounds[r].first += i < round.first;
      rounds[r].count += i - round.first < round.count;
      if (sc->left_out && i >= round.first + round.count && item->kind != TS_STEP)
        items[program.item_count - 1].micro_batch += sc->left_out;
      i += item->paired;
    }
    program.name =
      ts_ir_add_string(l->b, sc->ranks > 1 ? ts_arena_printf(l->s->arena, "stage %u", r) : "all");
    program.first_item = ts_ir_append(l->b, TS_IR_ITEMS, program.item_count, &records);
    memcpy(records, items, program.item_count * sizeof *items);
    program.first_holding = ts_lower_holdings(holder, r, &program.holding_count);
    ts_ir_append(l->b, TS_IR_PROGRAMS, 1, &records);
    *(ts_ir_program *)records = program;
  }
  ts_ir_builder_leave_out(l->b, (ts_ir_left_out){sc->left_rounds, rounds}, sc->ranks);
  return p;
}
