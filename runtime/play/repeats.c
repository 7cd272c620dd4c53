#include "runtime/play/repeats.h"

#include <string.h>

#include "base/hash_table.h"
#include "runtime/play/engine_internal.h"

enum { NOBODY = TS_IR_NONE, RECENT = 8 };

typedef struct barrier { /* of a player */
  uint32_t next;     /* the item that no stream has begun */
  uint32_t inside;   /* streams that are in an item before it */
  uint32_t learning; /* the play that is recorded, or NOBODY */
  uint32_t waiter;   /* the stream that waits in `place` for all of them, or NOBODY */
  uint64_t *place;
  uint64_t *queues;  /* [queue_count of the kind] before the item that is recorded */
  bool open;         /* for good, or nothing repeats */
  bool posts;        /* some message of the player may be passed by others (fan_out.h) */
  uint64_t meets;    /* by comm_bit: calls in which it meets other players */
  uint32_t recent[RECENT]; /* plays that items were like, by fragment */
} barrier;

typedef struct play { /* of an item, recorded */
  uint32_t player, item;
  uint32_t first, count; /* words of the key */
  uint32_t kin, kin_count; /* likewise, for other players */
  uint64_t earliest;     /* as find_key has it, from the item's begin on */
  /* into words: of each stream when it was free, and posted; of each send since when it was on its
   * way, and there; of each queue that moved until when. NOBODY: it has not ended yet */
  uint32_t ends;
  bool *moved;           /* [queue_count] queues that took a message; NULL: there are none */
} play;

typedef struct shape { /* of a fragment: what an item of it has to do with */
  const uint32_t *streams, *receives, *sends, *comms; /* receives, sends: ports that are played */
  uint32_t stream_count, receive_count, send_count, comm_count;
  uint64_t comm_bits;    /* of the comms */
  bool waits;            /* its host does */
} shape;

struct ts_repeats {
  ts_arena *scratch;
  const shape *shapes; /* [fragments] */
  barrier *barriers;   /* [players]; used are those of the partition */
  uint32_t closed;     /* into the partition's players: barriers before are open */
  TS_VEC(play) plays;
  TS_VEC(uint64_t) words;
  ts_hash_table table; /* of plays */
  ts_hash_table kin;   /* of the first plays, whoever the player was */
  uint64_t *key;       /* of the item at hand */
  uint32_t key_count;
  bool *meets;         /* [players * comms] other players */
};

/* An item in front of which all streams of its player are. */
typedef struct front {
  ts_engine *e;
  uint32_t player;
  barrier *g;
  const ts_player *w;
  const ts_play_item *v;
  const shape *shape;
  const ts_fragment_layout *layout;
  ts_process *processes; /* [streams] of the player */
  uint64_t begin;       /* what times are counted from */
  uint64_t earliest;    /* find_key */
} front;

static const ts_route *route_at(const ts_player *w, const ts_play_item *v, uint32_t port)
{
  return &w->program->routes[v->port_base + port];
}

static front front_of(ts_engine *e, uint32_t player)
{
  return (front){.e = e,
                 .player = player,
                 .g = &e->repeats->barriers[player],
                 .w = &e->facts.players[player],
                 .processes = e->processes.at + (size_t)player * e->processes.per_player};
}

/* Of the player's next item. */
static inline void stand_in_front(front *f)
{
  f->v = &f->w->program->items[f->g->next];
  f->shape = &f->e->repeats->shapes[f->v->fragment];
  f->layout = &f->e->facts.tables->layouts[f->v->fragment];
  f->begin = f->shape->stream_count ? f->processes[f->shape->streams[0]].time : 0;
}

/* ---- What its play hangs on ---- */

/* The last one stands for all comms that are too many. */
static uint64_t comm_bit(uint32_t comm) { return UINT64_C(1) << (comm < 63 ? comm : 63); }

static bool may_repeat(const ts_repeats *r, const ts_tables *t, uint32_t player, uint32_t fragment)
{
  const shape *shape = &r->shapes[fragment];
  if (shape->waits || !(shape->comm_bits & r->barriers[player].meets))
    return !shape->waits;
  const bool *meets = r->meets + (size_t)player * t->comm_count;
  for (uint32_t i = 0; i < shape->comm_count; i++)
    if (meets[shape->comms[i]])
      return false;
  return true;
}

/* Where a time will be written that the item's play hangs on, and by which player, or NULL: all are
 * known. */
static uint64_t *repeats_unknown(const front *f, uint32_t *by)
{
  uint64_t *place = &f->w->segments[f->v->segment];
  *by = f->player;
  if (!ts_is_known(*place))
    return place;
  for (uint32_t i = 0; i < f->shape->receive_count; i++) {
    const ts_route *route = route_at(f->w, f->v, f->shape->receives[i]);
    place = &f->w->arrived[route->slot];
    *by = f->w->peers[route->peer];
    if (!ts_is_known(ts_arrival_at(place)))
      return place;
  }
  return NULL;
}

/* Nothing in the item looks at a time before f->earliest. Returns the end of the key. */
static uint64_t *add_streams(front *f, uint64_t *key)
{
  f->earliest = UINT64_MAX;
  for (uint32_t i = 0; i < f->shape->stream_count; i++) {
    const ts_process *p = &f->processes[f->shape->streams[i]];
    uint64_t first = p->posted < p->time ? p->posted : p->time;
    f->earliest = first < f->earliest ? first : f->earliest;
    *key++ = p->time - f->begin;
    *key++ = p->posted - f->begin;
  }
  return key;
}

static uint64_t queue_of(const ts_player *w, uint32_t queue, uint64_t earliest)
{
  return w->queues[queue] > earliest ? w->queues[queue] : earliest;
}

static uint32_t hash_of_key(const ts_repeats *r)
{
  uint64_t hash = 0;
  for (uint32_t i = 0; i < r->key_count; i++)
    hash = (hash ^ r->key[i] ^ hash >> 29) * UINT64_C(0x9e3779b97f4a7c15);
  return (uint32_t)(hash >> 32);
}

static void find_key(front *f)
{
  ts_repeats *r = f->e->repeats;
  const ts_player *w = f->w;
  uint64_t *key = r->key;
  *key++ = (uint64_t)f->player << 32 | f->v->fragment;
  key = add_streams(f, key);
  uint64_t host = w->segments[f->v->segment] + f->v->offset;
  bool ahead = host + f->layout->tail <= f->earliest;
  *key++ = ahead ? TS_UNKNOWN : host - f->begin;
  for (uint32_t i = 0; i < f->shape->receive_count; i++) {
    uint32_t slot = route_at(w, f->v, f->shape->receives[i])->slot;
    *key++ = w->arrived[slot] - f->begin;
    *key++ = w->sent[slot] - f->begin;
  }
  for (uint32_t i = 0; i < f->shape->send_count; i++)
    *key++ = route_at(w, f->v, f->shape->sends[i])->call;
  for (uint32_t q = 0; q < w->role->queue_count; q++)
    *key++ = queue_of(w, q, f->earliest) - f->begin;
  r->key_count = (uint32_t)(key - r->key);
}

/* From the key of the player to that of all players whose ops are the same: instead of calls, which
 * are the player's own, it has what they take. False: messages pass each other, in queues that are
 * the player's own. */
static bool find_kin_key(front *f)
{
  ts_repeats *r = f->e->repeats;
  if (f->w->role->queue_count)
    return false;
  r->key[0] = (uintptr_t)f->w->role->ops;
  uint64_t *key = r->key + r->key_count - f->shape->send_count;
  for (uint32_t i = 0; i < f->shape->send_count; i++) {
    const ts_transit *m = ts_transit_of(f->w->role, route_at(f->w, f->v, f->shape->sends[i]));
    *key++ = m->hold;
    *key++ = m->overhead;
    *key++ = m->latency;
    *key++ = m->lane == TS_IR_NONE;
  }
  *key++ = f->v->fragment;
  r->key_count = (uint32_t)(key - r->key);
  return true;
}

static bool repeats_same(const void *repeats, uint32_t number)
{
  const ts_repeats *r = repeats;
  const play *p = &r->plays.at[number];
  return p->count == r->key_count &&
         !memcmp(r->words.at + p->first, r->key, p->count * sizeof *r->key);
}

static bool is_kin(const void *repeats, uint32_t number)
{
  const ts_repeats *r = repeats;
  const play *p = &r->plays.at[number];
  return p->kin_count == r->key_count &&
         !memcmp(r->words.at + p->kin, r->key, p->kin_count * sizeof *r->key);
}

/* Whether the item's key is that of the play, without writing it down. False, too, while not all of
 * it is known. */
static bool repeats_fits(const front *f, const play *like)
{
  const ts_player *w = f->w;
  const shape *shape = f->shape;
  const uint64_t *key = f->e->repeats->words.at + like->first;
  uint64_t begin = f->begin;
  if (*key++ != ((uint64_t)f->player << 32 | f->v->fragment))
    return false;
  const ts_process *processes = f->processes;
  bool posts = f->g->posts;
  for (const uint32_t *s = shape->streams, *end = s + shape->stream_count; s < end; s++, key += 2)
    if (processes[*s].time - begin != key[0] ||
        (posts && processes[*s].posted - begin != key[1]))
      return false;
  uint64_t segment = w->segments[f->v->segment], host = segment + f->v->offset - begin;
  if (!ts_is_known(segment) ||
      (*key == TS_UNKNOWN ? (int64_t)(host + f->layout->tail - like->earliest) > 0 : host != *key))
    return false;
  key++;
  const ts_route *routes = w->program->routes + f->v->port_base;
  for (uint32_t i = 0; i < shape->receive_count; i++, key += 2) {
    uint32_t slot = routes[shape->receives[i]].slot;
    uint64_t arrived = ts_arrival_at(&w->arrived[slot]);
    if (!ts_is_known(arrived) || arrived - begin != key[0] || w->sent[slot] - begin != key[1])
      return false;
  }
  for (uint32_t i = 0; i < shape->send_count; i++)
    if (routes[shape->sends[i]].call != *key++)
      return false;
  for (uint32_t q = 0; q < w->role->queue_count; q++)
    if (queue_of(w, q, begin + like->earliest) - begin != *key++)
      return false;
  return true;
}

/* The play of the player whose key is at hand, or TS_HASH_NONE. */
static uint32_t find_like(front *f, uint32_t *hash)
{
  ts_repeats *r = f->e->repeats;
  *hash = hash_of_key(r);
  uint32_t found = ts_hash_find(&r->table, *hash, repeats_same, r);
  if (found != TS_HASH_NONE)
    f->g->recent[f->v->fragment % RECENT] = found;
  return found;
}

/* ---- Plays that are recorded ---- */

static uint32_t keep_key(ts_repeats *r)
{
  uint32_t first = (uint32_t)r->words.count;
  for (uint32_t i = 0; i < r->key_count; i++)
    TS_PUSH(r->scratch, &r->words, r->key[i]);
  return first;
}

/* The play of the item, to which other items will be compared. */
static uint32_t note_play(front *f, uint32_t hash)
{
  ts_repeats *r = f->e->repeats;
  uint32_t number = (uint32_t)r->plays.count, first = keep_key(r);
  TS_PUSH(r->scratch, &r->plays,
          ((play){.player = f->player,
                  .item = f->v->index,
                  .first = first,
                  .count = r->key_count,
                  .earliest = f->earliest - f->begin,
                  .ends = NOBODY}));
  ts_hash_add(r->scratch, &r->table, hash, number);
  f->w->begun[f->v->index] = f->begin;
  return number;
}

/* From what happens when it is played. */
static void learn(front *f, uint32_t number)
{
  ts_repeats *r = f->e->repeats;
  play *p = &r->plays.at[number];
  uint32_t queues = f->w->role->queue_count;
  if (queues) {
    p->moved = TS_NEW_ARRAY(r->scratch, bool, queues);
    memcpy(f->g->queues, f->w->queues, queues * sizeof *f->w->queues);
  }
  f->g->learning = number;
}

static void learn_end(ts_engine *e, uint32_t player)
{
  ts_repeats *r = e->repeats;
  barrier *g = &r->barriers[player];
  const ts_player *w = &e->facts.players[player];
  play *p = &r->plays.at[g->learning];
  const shape *shape = &r->shapes[w->program->items[p->item].fragment];
  p->ends = (uint32_t)r->words.count;
  for (uint32_t i = 0; i < shape->stream_count; i++) {
    const ts_process *q =
      &e->processes.at[(size_t)player * e->processes.per_player + shape->streams[i]];
    TS_PUSH(r->scratch, &r->words, q->time - w->begun[p->item]);
    TS_PUSH(r->scratch, &r->words, q->posted - w->begun[p->item]);
  }
  for (uint32_t i = 0; i < shape->send_count; i++) {
    const ts_route *route = route_at(w, &w->program->items[p->item], shape->sends[i]);
    const ts_player *receiver = &e->facts.players[w->peers[route->peer]];
    TS_PUSH(r->scratch, &r->words, receiver->sent[route->slot] - w->begun[p->item]);
    TS_PUSH(r->scratch, &r->words,
            ts_arrival_at(&receiver->arrived[route->slot]) - w->begun[p->item]);
  }
  for (uint32_t q = 0; q < w->role->queue_count; q++)
    if ((p->moved[q] = w->queues[q] != g->queues[q]))
      TS_PUSH(r->scratch, &r->words, w->queues[q] - w->begun[p->item]);
  g->learning = NOBODY;
}

/* ---- Playing an item like another one ---- */

static inline const uint64_t *move_messages(front *f, const uint64_t *ends)
{
  const ts_route *routes = f->w->program->routes + f->v->port_base;
  const ts_player *players = f->e->facts.players;
  const uint32_t *port = f->shape->sends, *peers = f->w->peers;
  uint64_t begin = f->begin;
  for (const uint32_t *end = port + f->shape->send_count; port < end; port++, ends += 2) {
    ts_route route = routes[*port];
    uint32_t to = peers[route.peer];
    uint64_t arrived = ends[1] + begin;
    f->e->processes.overflow |= arrived >> TS_CLOCK_BITS != 0;
    players[to].sent[route.slot] = ends[0] + begin;
    ts_message_settle(&f->e->processes, to, &players[to].arrived[route.slot], arrived);
  }
  return ends;
}

static inline const uint64_t *move_streams(front *f, const uint64_t *ends)
{
  const uint32_t *first = f->w->program->stream_items, *s = f->shape->streams;
  uint64_t any = 0, begin = f->begin, *entries = f->w->entries;
  ts_process *processes = f->processes;
  for (const uint32_t *end = s + f->shape->stream_count; s < end; s++, ends += 2) {
    ts_process *p = &processes[*s];
    entries[p->item - first] = p->time;
    p->time = ends[0] + begin;
    p->posted = ends[1] + begin;
    any |= p->time;
    p->paused = ++p->item != p->item_end;
  }
  f->e->processes.overflow |= any >> TS_CLOCK_BITS != 0;
  return ends;
}

/* To where the play ended. */
static inline void move(front *f, const play *like)
{
  const uint64_t *ends = move_streams(f, f->e->repeats->words.at + like->ends);
  ends = move_messages(f, ends);
  for (uint32_t q = 0; q < f->w->role->queue_count; q++)
    if (like->moved[q])
      f->w->queues[q] = *ends++ + f->begin;
}

static inline void repeat(front *f, const play *like)
{
  f->w->alike[f->v->index] = like->item;
  f->w->begun[f->v->index] = f->begin;
  move(f, like);
}

/* Plays the item as another player played one of its own. */
static void repeats_follow(front *f, uint32_t number, uint32_t kin)
{
  ts_repeats *r = f->e->repeats;
  const play *like = &r->plays.at[kin];
  const ts_player *w = &f->e->facts.players[like->player];
  const ts_play_item *v = &w->program->items[like->item];
  uint64_t by = f->begin - w->begun[like->item];
  const uint64_t *from = w->events + v->event_base;
  uint64_t *to = f->w->events + f->v->event_base;
  for (uint32_t i = 0; i < f->layout->event_count; i++)
    to[i] = from[i] + by; /* nobody waits: all streams are here, and the host waits for none */
  f->w->equal_items[f->v->index] = w->equal_items[like->item];
  move(f, like);
  r->plays.at[number].ends = like->ends;
}

/* ---- Gates ---- */

static void go(ts_engine *e, uint32_t id)
{
  e->processes.at[id].paused = false;
  e->processes.ready[e->processes.ready_count++] = id;
}

/* Nobody waited for events of the item before, unless its host waits for some: those are expected
 * from the beginning. */
static void expect(const ts_player *w, const ts_tables *t, uint32_t item)
{
  if (!t->layouts[w->program->items[item].fragment].wait_count)
    ts_player_expect(w, item, 1);
}

/* Lets the streams play the item. */
static void admit(front *f)
{
  uint32_t first = f->player * f->e->processes.per_player;
  for (uint32_t i = 0; i < f->shape->stream_count; i++)
    go(f->e, first + f->shape->streams[i]);
  f->g->inside += f->shape->stream_count;
  expect(f->w, f->e->facts.tables, f->g->next++);
}

static void wait_at(front *f, uint64_t *place, uint32_t by)
{
  uint32_t s = f->shape->streams[0];
  f->g->waiter = f->player * f->e->processes.per_player + s;
  f->g->place = place;
  f->g->inside = 1;
  f->processes[s].paused = false;
  if (!ts_message_park(&f->e->processes, f->g->waiter, by, place))
    go(f->e, f->g->waiter); /* it has come meanwhile */
}

/* The item is like none of the player before it. True: it is like one of another player. */
static bool pass_first(front *f, uint32_t hash)
{
  ts_repeats *r = f->e->repeats;
  uint32_t number = note_play(f, hash), kin = TS_HASH_NONE;
  if (find_kin_key(f)) {
    hash = hash_of_key(r);
    kin = ts_hash_find(&r->kin, hash, is_kin, r);
    if (kin != TS_HASH_NONE && r->plays.at[kin].ends != NOBODY) {
      repeats_follow(f, number, kin);
      f->g->next++;
      return !f->e->processes.overflow;
    }
    if (kin == TS_HASH_NONE) {
      r->plays.at[number].kin = keep_key(r);
      r->plays.at[number].kin_count = r->key_count;
      ts_hash_add(r->scratch, &r->kin, hash, number);
    }
  }
  learn(f, number);
  admit(f);
  return false;
}

/* The same for an item that is not like the one that was passed last. */
static bool pass_other(front *f)
{
  ts_repeats *r = f->e->repeats;
  if (!f->shape->stream_count) {
    f->g->next++;
    return true;
  }
  if (!may_repeat(r, f->e->facts.tables, f->player, f->v->fragment)) {
    admit(f);
    return false;
  }
  uint32_t by;
  uint64_t *place = repeats_unknown(f, &by);
  if (place) {
    wait_at(f, place, by);
    return false;
  }
  find_key(f);
  uint32_t hash, known = find_like(f, &hash);
  if (known == TS_HASH_NONE)
    return pass_first(f, hash);
  repeat(f, &r->plays.at[known]);
  f->g->next++;
  return !f->e->processes.overflow;
}

/* All streams are in front of the player's next item. True: they are in front of another one. */
static inline bool pass(front *f)
{
  stand_in_front(f);
  uint32_t recent = f->g->recent[f->v->fragment % RECENT];
  const play *like = recent == NOBODY ? NULL : &f->e->repeats->plays.at[recent];
  if (!like || !repeats_fits(f, like))
    return pass_other(f);
  repeat(f, like);
  f->g->next++;
  return !f->e->processes.overflow;
}

bool ts_repeats_hold(ts_engine *e, uint32_t id)
{
  ts_process *p = &e->processes.at[id];
  barrier *g = &e->repeats->barriers[p->player];
  bool ended = p->item == p->item_end;
  if (g->open || (!ended && *p->item < g->next))
    return false;
  p->paused = !ended;
  g->waiter = NOBODY;
  if (--g->inside)
    return true;
  if (g->learning != NOBODY)
    learn_end(e, p->player);
  front f = front_of(e, p->player);
  uint32_t items = e->facts.tables->ir->programs[f.w->role->program].item_count;
  while (g->next < items && pass(&f))
    ;
  return true;
}

/* Takes the waiter out of those who wait in its place. */
static void wake_waiter(ts_engine *e, barrier *g)
{
  uint32_t *link = NULL, id = (uint32_t)*g->place;
  for (; id != g->waiter; id = *link)
    link = &e->processes.at[id].next;
  if (link)
    *link = e->processes.at[id].next;
  else
    *g->place = TS_UNKNOWN | e->processes.at[id].next;
  go(e, id);
  g->waiter = NOBODY;
}

static void open_barrier(ts_engine *e, uint32_t player, barrier *g)
{
  const ts_player *w = &e->facts.players[player];
  uint32_t items = e->facts.tables->ir->programs[w->role->program].item_count;
  g->open = true;
  for (uint32_t i = g->next; i < items; i++)
    expect(w, e->facts.tables, i);
}

bool ts_repeats_open(ts_engine *e)
{
  ts_repeats *r = e->repeats;
  const ts_partitions *partitions = e->processes.partitions;
  while (r && r->closed < partitions->first[e->processes.partition + 1]) {
    uint32_t player = partitions->players[r->closed++], first = player * e->processes.per_player;
    barrier *g = &r->barriers[player];
    if (g->open)
      continue;
    open_barrier(e, player, g);
    if (g->waiter != NOBODY)
      wake_waiter(e, g);
    for (uint32_t s = 0; s < e->facts.tables->streams; s++)
      if (e->processes.at[first + s].paused)
        go(e, first + s);
    if (e->processes.ready_count)
      return true;
  }
  return false;
}

/* ---- Setting up ---- */

static void note_meetings(ts_repeats *r, const ts_engine *e, uint32_t player)
{
  uint32_t comms = e->facts.tables->comm_count;
  for (uint32_t c = 0; c < comms; c++) {
    uint32_t rendezvous = e->facts.players[player].rendezvous[c];
    bool meets = rendezvous != TS_IR_NONE && e->facts.fold->rendezvous[rendezvous].count > 1;
    r->meets[(size_t)player * comms + c] = meets;
    r->barriers[player].meets |= meets ? comm_bit(c) : 0;
  }
}

static void find_shape(ts_arena *arena, const ts_tables *t, uint32_t fragment, shape *out)
{
  const ts_ir_fragment *f = &t->ir->fragments[fragment];
  const ts_fragment_layout *layout = &t->layouts[fragment];
  uint32_t *streams = TS_NEW_ARRAY(arena, uint32_t, t->streams),
           *ports = TS_NEW_ARRAY(arena, uint32_t, 2 * (size_t)f->port_count),
           *comms = TS_NEW_ARRAY(arena, uint32_t, t->comm_count);
  *out = (shape){streams, ports, ports + f->port_count, comms, .waits = layout->wait_count > 0};
  for (uint32_t s = 0; s < t->streams; s++)
    if (layout->stream_first[s] < layout->stream_first[s + 1])
      streams[out->stream_count++] = s;
  for (uint32_t p = 0; p < f->port_count; p++) {
    if (layout->port_node[p] == TS_IR_NONE)
      continue;
    if (t->ir->ports[f->first_port + p].is_send)
      ports[f->port_count + out->send_count++] = p;
    else
      ports[out->receive_count++] = p;
  }
  for (uint32_t c = 0; layout->calls && c < t->comm_count; c++)
    if (layout->calls[c]) {
      comms[out->comm_count++] = c;
      out->comm_bits |= comm_bit(c);
    }
}

static void find_shapes(ts_repeats *r, const ts_tables *t)
{
  shape *shapes = TS_NEW_ARRAY(r->scratch, shape, t->ir->fragments_count);
  for (uint32_t f = 0; f < t->ir->fragments_count; f++)
    find_shape(r->scratch, t, f, &shapes[f]);
  r->shapes = shapes;
}

static uint32_t most_words(const ts_engine *e)
{
  const ts_tables *t = e->facts.tables;
  uint32_t ports = 0, queues = 0;
  for (uint32_t f = 0; f < t->ir->fragments_count; f++)
    ports = t->ir->fragments[f].port_count > ports ? t->ir->fragments[f].port_count : ports;
  for (uint32_t k = 0; k < e->facts.roles->count; k++)
    queues = e->facts.roles->at[k].queue_count > queues ? e->facts.roles->at[k].queue_count :
                                                          queues;
  return 3 + 2 * t->streams + 4 * ports + queues;
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

ts_repeats *ts_repeats_of_all(ts_arena *scratch, const ts_engine *whole)
{
  const ts_facts *facts = &whole->facts;
  uint32_t players = facts->fold->count;
  ts_repeats *r = TS_NEW(scratch, ts_repeats);
  r->scratch = scratch;
  r->barriers = TS_NEW_ARRAY(scratch, barrier, players);
  r->meets = TS_NEW_ARRAY(scratch, bool, (size_t)players * facts->tables->comm_count);
  find_shapes(r, facts->tables);
  return r;
}

static void set_barrier(ts_arena *arena, ts_repeats *r, const ts_engine *e, uint32_t player,
                        uint32_t *plays)
{
  const ts_tables *t = e->facts.tables;
  ts_player *w = (ts_player *)&e->facts.players[player];
  barrier *g = &r->barriers[player];
  uint32_t items = t->ir->programs[w->role->program].item_count;
  *g = (barrier){
    .inside = t->streams, .learning = NOBODY, .waiter = NOBODY, .posts = w->role->lane_count > 0};
  note_meetings(r, e, player);
  g->open = !any_repeat(r, e, player, plays);
  if (g->open) {
    ts_player_expect(w, 0, items);
    return;
  }
  g->queues = TS_NEW_ARRAY(r->scratch, uint64_t, w->role->queue_count);
  w->alike = ts_arena_alloc_raw(arena, items * sizeof *w->alike);
  w->begun = TS_NEW_ARRAY(arena, uint64_t, items);
  w->equal_items = ts_arena_alloc_raw(arena, items * sizeof *w->equal_items);
  for (uint32_t i = 0; i < items; i++) {
    w->alike[i] = i;
    w->equal_items[i] = (uint64_t)player << 32 | i;
  }
  memset(g->recent, 0xff, sizeof g->recent);
  ts_range waits = w->program->stream[t->streams];
  const uint32_t *hosted = w->program->stream_items + waits.first;
  for (uint32_t i = 0; i < waits.count; i++)
    ts_player_expect(w, hosted[i], 1);
}

ts_repeats *ts_repeats_new(ts_arena *arena, ts_arena *scratch, const ts_repeats *all,
                           const ts_engine *e)
{
  const ts_partitions *partitions = e->processes.partitions;
  uint32_t partition = e->processes.partition;
  ts_repeats *r = ts_arena_copy(scratch, all, sizeof *all);
  uint32_t *plays = TS_NEW_ARRAY(scratch, uint32_t, e->facts.tables->ir->fragments_count);
  r->scratch = scratch;
  r->key = TS_NEW_ARRAY(scratch, uint64_t, most_words(e));
  r->closed = partitions->first[partition];
  for (uint32_t k = partitions->first[partition]; k < partitions->first[partition + 1]; k++)
    set_barrier(arena, r, e, partitions->players[k], plays);
  return r;
}
