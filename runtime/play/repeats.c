#include "runtime/play/repeats.h"

#include <string.h>

#include "base/hash_table.h"
#include "runtime/play/engine_internal.h"

enum { NOBODY = TS_IR_NONE };

typedef struct gate { /* of a player */
  uint32_t next;     /* the item that no stream has begun */
  uint32_t inside;   /* streams that are in an item before it */
  uint32_t learning; /* the play that is recorded, or NOBODY */
  uint32_t keeper;   /* the stream that waits in `place` for all of them, or NOBODY */
  uint64_t *place;
  uint64_t *queues;  /* [queue_count of the kind] before the item that is recorded */
  bool open;         /* for good, or nothing repeats */
} gate;

typedef struct play { /* of an item, recorded */
  uint32_t player, item;
  uint32_t first, count; /* words of the key */
  uint32_t ends;         /* into words: of each stream when it was free, and posted */
  bool *moved;           /* [queue_count] queues that took a message; NULL: there are none */
} play;

struct ts_repeats {
  ts_arena *scratch;
  gate *gates;      /* [players] */
  uint32_t closed;  /* gates before are open */
  TS_VEC(play) plays;
  TS_VEC(uint64_t) words;
  ts_hash_table table; /* of plays */
  uint64_t *key;       /* of the item at hand */
  uint32_t key_count;
  bool *meets;         /* [players * comms] other players */
};

/* An item in front of which all streams of its player are. */
typedef struct front {
  ts_engine *e;
  uint32_t player;
  gate *g;
  const ts_player *w;
  const ts_play_item *v;
  const ts_ir_fragment *fragment;
  const ts_fragment_layout *layout;
  ts_process *streams;  /* [streams] of the player */
  uint64_t begin;       /* what times are counted from */
} front;

static const ts_tables *tables_of(const front *f) { return f->e->facts.tables; }

static bool has_work(const front *f, uint32_t stream)
{
  return f->layout->stream_first[stream] < f->layout->stream_first[stream + 1];
}

static const ts_route *route_at(const ts_player *w, const ts_play_item *v, uint32_t port)
{
  return &w->program->routes[v->port_base + port];
}

static bool is_send(const front *f, uint32_t port)
{
  return tables_of(f)->ir->ports[f->fragment->first_port + port].is_send;
}

static bool is_played(const front *f, uint32_t port)
{
  return f->layout->port_node[port] != TS_IR_NONE;
}

static front front_of(ts_engine *e, uint32_t player)
{
  front f = {.e = e, .player = player, .g = &e->repeats->gates[player]};
  const ts_tables *t = e->facts.tables;
  f.w = &e->facts.players[player];
  f.streams = e->processes.at + (size_t)player * e->processes.per_player;
  f.v = &f.w->program->items[f.g->next];
  f.fragment = &t->ir->fragments[f.v->fragment];
  f.layout = &t->layouts[f.v->fragment];
  return f;
}

/* ---- What its play hangs on ---- */

static bool may_repeat(const ts_repeats *r, const ts_tables *t, uint32_t player, uint32_t fragment)
{
  const ts_fragment_layout *layout = &t->layouts[fragment];
  const bool *meets = r->meets + (size_t)player * t->comm_count;
  if (layout->wait_count)
    return false;
  for (uint32_t c = 0; layout->calls && c < t->comm_count; c++)
    if (meets[c] && layout->calls[c])
      return false;
  return true;
}

/* Where a time will be written that the item's play hangs on, or NULL: all are known. */
static uint64_t *unknown(const front *f)
{
  uint64_t *place = &f->w->segments[f->v->segment];
  if (!ts_is_known(*place))
    return place;
  for (uint32_t p = 0; p < f->fragment->port_count; p++) {
    if (!is_played(f, p) || is_send(f, p))
      continue;
    place = &f->w->arrived[route_at(f->w, f->v, p)->slot];
    if (!ts_is_known(*place))
      return place;
  }
  return NULL;
}

static void add_word(ts_repeats *r, uint64_t word) { r->key[r->key_count++] = word; }

/* Nothing in the item looks at a time before `earliest`. */
static uint64_t add_streams(front *f)
{
  uint64_t earliest = UINT64_MAX;
  bool first = true;
  for (uint32_t s = 0; s < tables_of(f)->streams; s++) {
    if (!has_work(f, s))
      continue;
    const ts_process *p = &f->streams[s];
    if (first)
      f->begin = p->time;
    first = false;
    earliest = p->posted < earliest ? p->posted : earliest;
    earliest = p->time < earliest ? p->time : earliest;
    add_word(f->e->repeats, p->time - f->begin);
    add_word(f->e->repeats, p->posted - f->begin);
  }
  return earliest;
}

static void find_key(front *f)
{
  ts_repeats *r = f->e->repeats;
  r->key_count = 0;
  add_word(r, (uint64_t)f->player << 32 | f->v->fragment);
  uint64_t earliest = add_streams(f), host = f->w->segments[f->v->segment] + f->v->offset;
  bool ahead = host + f->layout->tail <= earliest;
  add_word(r, ahead ? TS_UNKNOWN : host - f->begin);
  for (uint32_t p = 0; p < f->fragment->port_count; p++) {
    const ts_route *route = route_at(f->w, f->v, p);
    if (!is_played(f, p))
      continue;
    if (is_send(f, p)) {
      add_word(r, route->call);
    } else {
      add_word(r, f->w->arrived[route->slot] - f->begin);
      add_word(r, f->w->sent[route->slot] - f->begin);
    }
  }
  for (uint32_t q = 0; q < f->w->role->queue_count; q++)
    add_word(r, (f->w->queues[q] > earliest ? f->w->queues[q] : earliest) - f->begin);
}

static uint32_t hash_of(const ts_repeats *r)
{
  uint64_t hash = 0;
  for (uint32_t i = 0; i < r->key_count; i++)
    hash = (hash ^ r->key[i] ^ hash >> 29) * UINT64_C(0x9e3779b97f4a7c15);
  return (uint32_t)(hash >> 32);
}

static bool same(const void *repeats, uint32_t number)
{
  const ts_repeats *r = repeats;
  const play *p = &r->plays.at[number];
  return p->count == r->key_count &&
         !memcmp(r->words.at + p->first, r->key, p->count * sizeof *r->key);
}

/* ---- Plays that are recorded ---- */

static void learn(front *f, uint32_t hash)
{
  ts_repeats *r = f->e->repeats;
  uint32_t queues = f->w->role->queue_count;
  play p = {
    .player = f->player, .item = f->v->index, .first = (uint32_t)r->words.count, .count = r->key_count};
  for (uint32_t i = 0; i < r->key_count; i++)
    TS_PUSH(r->scratch, &r->words, r->key[i]);
  if (queues) {
    p.moved = TS_NEW_ARRAY(r->scratch, bool, queues);
    memcpy(f->g->queues, f->w->queues, queues * sizeof *f->w->queues);
  }
  f->g->learning = (uint32_t)r->plays.count;
  TS_PUSH(r->scratch, &r->plays, p);
  ts_hash_add(r->scratch, &r->table, hash, f->g->learning);
}

static void learn_end(ts_engine *e, uint32_t player)
{
  ts_repeats *r = e->repeats;
  gate *g = &r->gates[player];
  const ts_player *w = &e->facts.players[player];
  play *p = &r->plays.at[g->learning];
  const ts_fragment_layout *layout =
    &e->facts.tables->layouts[w->program->items[p->item].fragment];
  p->ends = (uint32_t)r->words.count;
  for (uint32_t s = 0; s < e->facts.tables->streams; s++) {
    const ts_process *q = &e->processes.at[(size_t)player * e->processes.per_player + s];
    if (layout->stream_first[s] == layout->stream_first[s + 1])
      continue;
    TS_PUSH(r->scratch, &r->words, q->time - w->begun[p->item]);
    TS_PUSH(r->scratch, &r->words, q->posted - w->begun[p->item]);
  }
  for (uint32_t q = 0; q < w->role->queue_count; q++)
    if ((p->moved[q] = w->queues[q] != g->queues[q]))
      TS_PUSH(r->scratch, &r->words, w->queues[q] - w->begun[p->item]);
  g->learning = NOBODY;
}

/* ---- Playing an item like another one ---- */

static void move_calls(front *f, uint32_t like, uint64_t by)
{
  const ts_tables *t = tables_of(f);
  const uint32_t *base = f->w->program->call_base + (size_t)like * t->comm_count;
  for (uint32_t c = 0; f->layout->calls && c < t->comm_count; c++) {
    uint32_t count = f->layout->calls[c];
    if (!count || f->w->rendezvous[c] == TS_IR_NONE)
      continue;
    ts_rendezvous_state *r = &f->e->rendezvous[f->w->rendezvous[c]];
    const uint64_t *from = f->e->starts + r->call_base + base[c];
    uint64_t *to = f->e->starts + r->call_base + r->calls;
    for (uint32_t i = 0; i < count; i++) {
      to[i] = from[i] + by;
      f->e->latest[r->call_base + r->calls + i] = f->player;
    }
    r->calls += count;
  }
}

static void move_messages(front *f, const ts_play_item *like, uint64_t by)
{
  for (uint32_t p = 0; p < f->fragment->port_count; p++) {
    if (!is_played(f, p) || !is_send(f, p))
      continue;
    const ts_route *from = route_at(f->w, like, p), *to = route_at(f->w, f->v, p);
    const ts_player *before = &f->e->facts.players[f->w->peers[from->peer]],
                    *receiver = &f->e->facts.players[f->w->peers[to->peer]];
    uint64_t arrived = before->arrived[from->slot] + by;
    f->e->processes.overflow |= arrived >> TS_CLOCK_BITS != 0;
    receiver->sent[to->slot] = before->sent[from->slot] + by;
    ts_process_settle(&f->e->processes, &receiver->arrived[to->slot], arrived);
  }
}

static void move_streams(front *f, const play *like)
{
  const uint64_t *ends = f->e->repeats->words.at + like->ends;
  for (uint32_t s = 0; s < tables_of(f)->streams; s++) {
    ts_process *p = &f->streams[s];
    if (!has_work(f, s))
      continue;
    f->w->entries[p->item - f->w->program->stream_items] = p->time;
    p->time = *ends++ + f->begin;
    p->posted = *ends++ + f->begin;
    f->e->processes.overflow |= p->time >> TS_CLOCK_BITS != 0;
    p->item++;
    p->held = p->item != p->item_end;
  }
  for (uint32_t q = 0; q < f->w->role->queue_count; q++)
    if (like->moved[q])
      f->w->queues[q] = *ends++ + f->begin;
}

static void repeat(front *f, const play *like)
{
  const ts_play_item *v = &f->w->program->items[like->item];
  uint64_t by = f->begin - f->w->begun[like->item];
  const uint64_t *from = f->w->events + v->event_base;
  uint64_t *to = f->w->events + f->v->event_base;
  for (uint32_t i = 0; i < f->layout->event_count; i++)
    to[i] = from[i] + by; /* nobody waits: all streams are here, and so is the host */
  f->w->alike[f->v->index] = like->item;
  f->w->begun[f->v->index] = f->begin;
  move_calls(f, like->item, by);
  move_messages(f, v, by);
  move_streams(f, like);
}

/* ---- Gates ---- */

static void go(ts_engine *e, uint32_t id)
{
  e->processes.at[id].held = false;
  e->processes.ready[e->processes.ready_count++] = id;
}

/* Lets the streams play the item. */
static void admit(front *f)
{
  uint32_t first = f->player * f->e->processes.per_player;
  for (uint32_t s = 0; s < tables_of(f)->streams; s++) {
    if (!has_work(f, s))
      continue;
    go(f->e, first + s);
    f->g->inside++;
  }
  f->g->next++;
}

static void wait_at(front *f, uint64_t *place)
{
  uint32_t s = 0;
  while (!has_work(f, s))
    s++;
  f->g->keeper = f->player * f->e->processes.per_player + s;
  f->g->place = place;
  f->g->inside = 1;
  f->streams[s].held = false;
  ts_process_park(&f->e->processes, f->g->keeper, place);
}

static bool is_idle(const front *f)
{
  for (uint32_t s = 0; s < tables_of(f)->streams; s++)
    if (has_work(f, s))
      return false;
  return true;
}

/* All streams are in front of the player's next item. True: they are in front of another one. */
static bool pass(ts_engine *e, uint32_t player)
{
  ts_repeats *r = e->repeats;
  front f = front_of(e, player);
  if (is_idle(&f)) {
    f.g->next++;
    return true;
  }
  if (!may_repeat(r, e->facts.tables, player, f.v->fragment)) {
    admit(&f);
    return false;
  }
  uint64_t *place = unknown(&f);
  if (place) {
    wait_at(&f, place);
    return false;
  }
  find_key(&f);
  uint32_t hash = hash_of(r), known = ts_hash_find(&r->table, hash, same, r);
  if (known == TS_HASH_NONE) {
    f.w->begun[f.v->index] = f.begin;
    learn(&f, hash);
    admit(&f);
    return false;
  }
  repeat(&f, &r->plays.at[known]);
  f.g->next++;
  return !e->processes.overflow;
}

bool ts_repeats_hold(ts_engine *e, uint32_t id)
{
  ts_process *p = &e->processes.at[id];
  gate *g = &e->repeats->gates[p->player];
  bool ended = p->item == p->item_end;
  if (g->open || (!ended && p->item->index < g->next))
    return false;
  p->held = !ended;
  g->keeper = NOBODY;
  if (--g->inside)
    return true;
  if (g->learning != NOBODY)
    learn_end(e, p->player);
  uint32_t program = e->facts.players[p->player].role->program,
           items = e->facts.tables->ir->programs[program].item_count;
  while (g->next < items && pass(e, p->player))
    ;
  return true;
}

/* Takes the keeper out of those who wait in its place. */
static void call_keeper(ts_engine *e, gate *g)
{
  uint32_t *link = NULL, id = (uint32_t)*g->place;
  for (; id != g->keeper; id = *link)
    link = &e->processes.at[id].next;
  if (link)
    *link = e->processes.at[id].next;
  else
    *g->place = TS_UNKNOWN | e->processes.at[id].next;
  go(e, id);
  g->keeper = NOBODY;
}

bool ts_repeats_open(ts_engine *e)
{
  ts_repeats *r = e->repeats;
  while (r && r->closed < e->facts.fold->count) {
    uint32_t player = r->closed++, first = player * e->processes.per_player;
    gate *g = &r->gates[player];
    if (g->open)
      continue;
    g->open = true;
    if (g->keeper != NOBODY)
      call_keeper(e, g);
    for (uint32_t s = 0; s < e->facts.tables->streams; s++)
      if (e->processes.at[first + s].held)
        go(e, first + s);
    if (e->processes.ready_count)
      return true;
  }
  return false;
}

/* ---- Setting up ---- */

static void note_meetings(ts_repeats *r, const ts_engine *e)
{
  uint32_t comms = e->facts.tables->comm_count;
  r->meets = TS_NEW_ARRAY(r->scratch, bool, (size_t)e->facts.fold->count * comms);
  for (uint32_t p = 0; p < e->facts.fold->count; p++)
    for (uint32_t c = 0; c < comms; c++) {
      uint32_t rendezvous = e->facts.players[p].rendezvous[c];
      r->meets[(size_t)p * comms + c] =
        rendezvous != TS_IR_NONE && e->facts.fold->rendezvous[rendezvous].count > 1;
    }
}

static uint32_t most_words(const ts_engine *e)
{
  const ts_tables *t = e->facts.tables;
  uint32_t ports = 0, queues = 0;
  for (uint32_t f = 0; f < t->ir->fragments_count; f++)
    ports = t->ir->fragments[f].port_count > ports ? t->ir->fragments[f].port_count : ports;
  for (uint32_t k = 0; k < e->facts.roles->count; k++)
    queues = e->facts.roles->at[k].queue_count > queues ? e->facts.roles->at[k].queue_count : queues;
  return 2 + 2 * t->streams + 2 * ports + queues;
}

/* Whether any two items of the player may be alike; `plays`: [fragments] for use here. */
static bool any_repeat(const ts_repeats *r, const ts_engine *e, uint32_t player, uint32_t *plays)
{
  const ts_tables *t = e->facts.tables;
  const ts_player *w = &e->facts.players[player];
  uint32_t items = t->ir->programs[w->role->program].item_count;
  bool found = false;
  for (uint32_t i = 0; i < items && !found; i++) {
    uint32_t fragment = w->program->items[i].fragment;
    found = ++plays[fragment] == 2 && may_repeat(r, t, player, fragment);
  }
  for (uint32_t i = 0; i < items; i++)
    plays[w->program->items[i].fragment] = 0;
  return found;
}

ts_repeats *ts_repeats_new(ts_arena *arena, ts_arena *scratch, ts_engine *e)
{
  const ts_tables *t = e->facts.tables;
  uint32_t players = e->facts.fold->count;
  ts_repeats *r = TS_NEW(scratch, ts_repeats);
  r->scratch = scratch;
  r->gates = TS_NEW_ARRAY(scratch, gate, players);
  r->key = TS_NEW_ARRAY(scratch, uint64_t, most_words(e));
  note_meetings(r, e);
  uint32_t *plays = TS_NEW_ARRAY(scratch, uint32_t, t->ir->fragments_count);
  for (uint32_t p = 0; p < players; p++) {
    ts_player *w = (ts_player *)&e->facts.players[p];
    uint32_t items = t->ir->programs[w->role->program].item_count;
    r->gates[p] = (gate){.inside = t->streams, .learning = NOBODY, .keeper = NOBODY};
    r->gates[p].open = !any_repeat(r, e, p, plays);
    if (r->gates[p].open)
      continue;
    r->gates[p].queues = TS_NEW_ARRAY(scratch, uint64_t, w->role->queue_count);
    w->alike = ts_arena_alloc_raw(arena, items * sizeof *w->alike);
    w->begun = TS_NEW_ARRAY(arena, uint64_t, items);
    for (uint32_t i = 0; i < items; i++)
      w->alike[i] = i;
  }
  return r;
}
