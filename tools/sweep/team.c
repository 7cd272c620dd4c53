#include "tools/sweep/team.h"

#include <math.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/digest.h"
#include "base/escape.h"
#include "base/format.h"
#include "base/version.h"
#include "tools/sweep/journaled.h"
#include "tools/sweep/packed.h"
#include "tools/sweep/rank.h"
#include "tools/sweep/wire.h"

enum { HELLO = 1, PIECE, RESULTS, ALIVE, END }; /* kinds of messages */
enum { LEADER = 0 };
enum { POLL = 2 /* ms */, BEAT = 1 /* s between signs of life */ };
enum { SILENT = 10 /* s, after which a follower counts as lost */ };
enum { ORPHANED = 60 /* s, after which a leader does */ };
enum { ASSEMBLE = 10 /* s: the first plans wait so long for all */ };
enum { MOST = 4096 /* plans of a piece */ };
static const double piece_seconds = 0.5; /* what a follower has at a time */

typedef struct member {
  bool here, lost;
  double heard; /* s of our clock */
  size_t threads, given; /* plans that it has and has not told of */
  const char *host;
} member;

/* Of each plan: who plays it, or one of these. */
enum { NOBODY = -1, DONE = -2 };

/* What leader and followers must have in common. */
typedef struct identity { const char *version, *build, *inputs, *plans; } identity;

typedef struct called { uint64_t round, index; } called;

struct ts_team {
  ts_arena *arena, *scratch, *of_round;
  ts_sweep_wire *wire;
  const char *called;
  double beaten, polled;
  bool greeted; /* a follower: it said who it is */
  bool ended;   /* it was told that no more comes */
  bool missed;  /* and that one of the others is lost */
  double heard; /* the leader, by a follower */

  member *members; /* the leader: of each process, its own among them */
  identity own;
  ts_sweep *sweep;
  const ts_sweep_plays *plays;
  uint64_t round;  /* of calls to play: answers to an earlier one come too late */
  int *owner;      /* [count of the sweep] of this round */
  size_t next;     /* of plays->todo: from here on nobody has them */
  TS_VEC(size_t) returned; /* likewise, of those lost */
  size_t left;     /* plans of which it is not known what becomes of them */
  double each;     /* s a plan takes, of late */

  TS_VEC(size_t) mine; /* a follower: plans to be played, as its own sweep has them */
  size_t taken;        /* of those, begun */
  /* of an open search the follower's sweep has the plans that it was given: what the leader calls
   * each, and their outcomes */
  TS_VEC(called) called_there;
  TS_VEC(ts_outcome) outcomes;
  TS_VEC(size_t) played;
  TS_VEC(double) took;
  size_t inputs;       /* that the leader knows of */
};

ts_team *ts_team_join(ts_arena *arena, const char *called)
{
  ts_sweep_wire *wire = ts_wire_open(arena);
  if (!wire)
    return NULL;
  ts_team *t = TS_NEW(arena, ts_team);
  t->arena = arena;
  t->scratch = ts_arena_new("messages");
  t->of_round = ts_arena_new("owners");
  t->wire = wire;
  t->called = called;
  t->heard = t->beaten = t->polled = ts_clock();
  t->members = TS_NEW_ARRAY(arena, member, ts_wire_size(wire));
  return t;
}

bool ts_team_follows(const ts_team *t) { return ts_wire_rank(t->wire) != LEADER; }
long ts_team_jobs(const ts_team *t) { return ts_wire_processors(t->wire); }

static void rest(void) { nanosleep(&(struct timespec){.tv_nsec = POLL * 1000000L}, NULL); }

static void post(ts_team *t, int rank, int kind, const ts_packer *p)
{
  ts_wire_post(t->wire, rank, kind, p ? p->bytes.at : NULL, p ? p->bytes.count : 0);
}

/* ---- Who is who ---- */

static const char *hex_of(const void *bytes, size_t size, ts_arena *arena)
{
  uint8_t digest[TS_DIGEST_SIZE];
  char *hex = ts_arena_alloc(arena, 2 * TS_DIGEST_SIZE + 1);
  ts_digest_bytes(bytes, size, digest);
  ts_digest_hex(digest, hex);
  return hex;
}

static identity identity_of(ts_team *t, const ts_sweep *s)
{
  char *build = ts_arena_alloc(t->arena, 64), *inputs = ts_arena_alloc(t->arena, 72);
  uint8_t digest[TS_DIGEST_SIZE];
  ts_inputs *files = ts_inputs_new(t->arena);
  ts_packer plans = {.arena = ts_arena_new("plans of a team")};
  ts_arena *keys = ts_arena_new("keys");
  ts_build(build, 64);
  ts_inputs_take_language(files, s->session);
  ts_inputs_digest(files, t->arena, digest);
  ts_digest_hex(digest, inputs);
  ts_pack_text(&plans, s->search->goal);
  ts_pack_text(&plans, s->search->items);
  ts_pack_number(&plans, s->top);
  for (uint32_t i = 0; i < s->compile.define_count; i++) {
    ts_pack_text(&plans, s->compile.defines[i].name);
    ts_pack_text(&plans, s->compile.defines[i].expression);
  }
  for (size_t i = 0; i < s->count && !s->search->open; i++) { /* others are found on the way */
    ts_journaled_key(s, s->outcomes[i].point, keys, digest);
    ts_pack_bytes(&plans, digest, sizeof digest);
    ts_arena_reset(keys);
  }
  identity id = {ts_version(), build, inputs,
                 hex_of(plans.bytes.at, plans.bytes.count, t->arena)};
  ts_arena_free(plans.arena);
  ts_arena_free(keys);
  return id;
}

/* s: NULL, it cannot follow, for this reason */
static void greet(ts_team *t, const ts_sweep *s, long long jobs, const char *why)
{
  ts_packer p = {.arena = t->scratch};
  identity id = s ? identity_of(t, s) : (identity){"", "", "", ""};
  ts_pack_text(&p, why);
  ts_pack_text(&p, ts_wire_host(t->wire));
  ts_pack_text(&p, id.version);
  ts_pack_text(&p, id.build);
  ts_pack_text(&p, id.inputs);
  ts_pack_text(&p, id.plans);
  ts_pack_number(&p, (uint64_t)jobs);
  post(t, LEADER, HELLO, &p);
  ts_arena_reset(t->scratch);
  t->greeted = true;
}

static bool equal(const char *a, const char *b) { return a && b && !strcmp(a, b); }

static void team_refuse(ts_team *t, int rank, const char *host, const char *why, const char *help)
{
  ts_diag *d = ts_diag_add(t->sweep->session->diags, TS_E0712, TS_NO_SPAN,
                           "process %d on `%s` cannot take part: %s", rank, host ? host : "?", why);
  if (help)
    ts_diag_help(d, "%s", help);
}

static void take_hello(ts_team *t, int rank, ts_unpacker *u)
{
  member *m = &t->members[rank];
  const char *why = ts_unpack_text(u), *host = ts_unpack_text(u), *version = ts_unpack_text(u),
             *build = ts_unpack_text(u), *inputs = ts_unpack_text(u), *plans = ts_unpack_text(u);
  uint64_t threads = ts_unpack_number(u);
  const identity *id = &t->own;
  m->here = true;
  m->host = host ? host : "?";
  m->threads = threads;
  if (why)
    team_refuse(t, rank, host, why, NULL);
  else if (!equal(version, id->version))
    team_refuse(t, rank, host,
                ts_arena_printf(t->arena, "it is TrainSpec %s, and this is %s",
                                version ? version : "?", id->version),
                "start the same program on all nodes");
  else if (!equal(build, id->build))
    team_refuse(t, rank, host, "it is another build of TrainSpec, which may come to other figures",
                "start the same program on all nodes");
  else if (!equal(inputs, id->inputs))
    team_refuse(t, rank, host,
                "it reads another plan: the file, or one that it imports, differs there",
                "give all nodes the same files");
  else if (!equal(plans, id->plans))
    team_refuse(t, rank, host, "it was started with other options",
                "start all with one command line");
}

/* ---- The leader ---- */

static size_t unbegun(const ts_team *t)
{
  return t->plays->count - t->next + t->returned.count;
}

static bool next_plan(ts_team *t, int rank, size_t *index)
{
  if (!unbegun(t))
    return false;
  *index = t->returned.count ? t->returned.at[--t->returned.count] : t->plays->todo[t->next++];
  t->owner[*index] = rank;
  return true;
}

static size_t at_least_one(double count)
{
  return count < 1 ? 1 : count > MOST ? MOST : (size_t)count;
}

/* Guided self-scheduling (Polychronopoulos and Kuck, IEEE Trans. Computers C-36, 1987): a part of
 * what is left, so that all end at the same time; and no more than it plays in a while, so that
 * what is lost with it is little, and the bound is fresh. */
static size_t piece_of(const ts_team *t, const member *m)
{
  double threads = 0, most = t->each > 0 ? piece_seconds / t->each * (double)m->threads :
                                          (double)m->threads;
  for (int i = 0; i < ts_wire_size(t->wire); i++)
    if (t->members[i].here && !t->members[i].lost)
      threads += (double)t->members[i].threads;
  double part = (double)unbegun(t) * (double)m->threads / (2 * threads);
  return at_least_one(part < most ? part : most);
}

/* How good the N-th best is, or the front: what a plan has to be better than. */
static void pack_bound(const ts_sweep *s, ts_packer *p)
{
  bool front = s->search->goal_count > 1, any = !ts_sweep_has_room(s);
  const double *objectives = front ? s->front.at : any ? &s->tops[s->top - 1] : NULL;
  size_t count = front ? s->front.count : any;
  ts_pack_number(p, count);
  for (size_t i = 0; i < count; i++)
    ts_pack_real(p, objectives[i]);
}

enum { EXACT = 1, LOOK = 2, KINDS = 4 };

static void pack_requested(const ts_sweep *s, size_t index, ts_packer *p)
{
  const ts_outcome *o = &s->outcomes[index];
  ts_pack_number(p, KINDS * index + (o->exact ? EXACT : 0u) + (o->bounds_only ? LOOK : 0u));
  for (uint32_t c = 0; c < s->search->column_count && s->search->open; c++)
    ts_pack_number(p, (uint64_t)ts_search_places(s->search, o->point)[c]);
}

static void team_give(ts_team *t, int rank)
{
  const ts_sweep *s = t->sweep;
  member *m = &t->members[rank];
  size_t piece = piece_of(t, m), index;
  /* Half of a piece is being played when the next one comes. */
  if (m->given && m->given > piece / 2 && m->given >= m->threads)
    return;
  ts_packer p = {.arena = t->scratch};
  ts_pack_number(&p, t->round);
  pack_bound(s, &p);
  for (size_t i = 0; i < piece && next_plan(t, rank, &index); i++, m->given++)
    pack_requested(s, index, &p);
  post(t, rank, PIECE, &p);
  ts_arena_reset(t->scratch);
}

static void team_known(ts_team *t, size_t index, double seconds)
{
  t->owner[index] = DONE;
  t->left--;
  t->each = t->each > 0 ? t->each + (seconds - t->each) / 16 : seconds;
  t->plays->done(t->plays->closure, index, seconds);
}

/* Those whom it was taken for lost, and whose plans others have by now, come too late. */
static void take_results(ts_team *t, int rank, ts_unpacker *u)
{
  ts_sweep *s = t->sweep;
  member *m = &t->members[rank];
  ts_unpack_inputs(u, s->inputs);
  while (u->at < u->end && !u->bad) {
    bool current = ts_unpack_number(u) == t->round && t->owner;
    size_t index = ts_unpack_number(u);
    double seconds = ts_unpack_real(u);
    ts_outcome out;
    ts_unpack_outcome(u, &out);
    if (u->bad || !current || index >= s->count || t->owner[index] != rank)
      continue;
    ts_outcome_keep(&out, &s->once, s->arena);
    out.point = s->outcomes[index].point;
    out.known = true;
    s->outcomes[index] = out;
    m->given--;
    team_known(t, index, seconds);
  }
  if (u->bad)
    team_refuse(t, rank, m->host, "what it sent is cut off", NULL);
}

static void take_back(ts_team *t, int rank)
{
  member *m = &t->members[rank];
  size_t before = t->returned.count;
  for (size_t i = 0; t->owner && i < t->sweep->count; i++)
    if (t->owner[i] == rank) {
      t->owner[i] = NOBODY;
      TS_PUSH(t->arena, &t->returned, i);
    }
  m->given = 0;
  m->lost = true;
  ts_put_text(stderr, "%s: process %d on %s has been silent for %d s: its %s plans go to others\n",
              t->called, rank, m->host, SILENT,
              ts_format_count(t->returned.count - before).text);
}

/* If we were held up ourselves, so were all others for us. */
static void find_lost(ts_team *t, double now)
{
  double held_up = now - t->polled > BEAT ? now - t->polled : 0;
  t->polled = now;
  for (int rank = 1; rank < ts_wire_size(t->wire); rank++) {
    member *m = &t->members[rank];
    m->heard += held_up;
    if (m->here && !m->lost && now - m->heard > SILENT)
      take_back(t, rank);
  }
}

static void beat(ts_team *t, double now)
{
  if (now - t->beaten < BEAT)
    return;
  t->beaten = now;
  if (ts_team_follows(t))
    post(t, LEADER, ALIVE, NULL);
  for (int rank = 1; rank < ts_wire_size(t->wire) && !ts_team_follows(t); rank++)
    if (ts_wire_idle(t->wire, rank)) /* what one who is gone does not take piles up */
      post(t, rank, ALIVE, NULL);
}

static void listen(ts_team *t)
{
  ts_wire_message m;
  double now = ts_clock();
  while (ts_wire_poll(t->wire, t->scratch, &m)) {
    ts_unpacker u = {m.bytes, m.bytes + m.size, m.tag == HELLO ? t->arena : t->scratch, false};
    member *from = &t->members[m.rank];
    from->heard = now;
    if (from->lost)
      ts_put_text(stderr, "%s: process %d on %s is heard again\n", t->called, m.rank, from->host);
    from->lost = false;
    if (m.tag == HELLO)
      take_hello(t, m.rank, &u);
    else if (m.tag == RESULTS)
      take_results(t, m.rank, &u);
    ts_arena_reset(t->scratch);
  }
  find_lost(t, now);
  beat(t, now);
}

static bool next_of_leader(void *closure, size_t *index)
{
  return next_plan(closure, LEADER, index);
}

static bool more_of_leader(void *closure)
{
  ts_team *t = closure;
  listen(t);
  for (int rank = 1; rank < ts_wire_size(t->wire) && unbegun(t); rank++)
    if (t->members[rank].here && !t->members[rank].lost)
      team_give(t, rank);
  return t->left > 0;
}

static void done_of_leader(void *closure, size_t index, double seconds)
{
  team_known(closure, index, seconds);
}

static bool tick_of_leader(void *closure)
{
  const ts_team *t = closure;
  return t->plays->tick(t->plays->closure) && !ts_diags_errors(t->sweep->session->diags);
}

/* Those who come later play all the same; but who does not fit is told before the work begins. */
static void assemble(ts_team *t)
{
  for (double begun = ts_clock(); ts_clock() - begun < ASSEMBLE; rest()) {
    bool all = true;
    listen(t);
    for (int rank = 1; rank < ts_wire_size(t->wire); rank++)
      all &= t->members[rank].here;
    if (all || ts_diags_errors(t->sweep->session->diags))
      return;
  }
}

bool ts_team_play(ts_team *t, ts_sweep *s, const ts_sweep_plays *plays)
{
  t->plays = plays;
  t->polled = ts_clock();
  t->sweep = s;
  if (!t->round++) {
    t->own = identity_of(t, s);
    t->members[LEADER] =
      (member){.here = true, .threads = (size_t)plays->jobs, .host = ts_wire_host(t->wire)};
    assemble(t);
  }
  if (ts_diags_errors(s->session->diags))
    return false;
  ts_arena_reset(t->of_round);
  t->owner = TS_NEW_ARRAY(t->of_round, int, s->count + 1);
  for (size_t i = 0; i < s->count; i++)
    t->owner[i] = DONE;
  for (size_t i = 0; i < plays->count; i++)
    t->owner[plays->todo[i]] = NOBODY;
  t->left = plays->count;
  t->next = t->returned.count = 0;
  return ts_sweep_play_from(s, &(ts_sweep_source){.jobs = plays->jobs,
                                                  .pause = POLL,
                                                  .notes = true,
                                                  .next = next_of_leader,
                                                  .more = more_of_leader,
                                                  .done = done_of_leader,
                                                  .tick = tick_of_leader,
                                                  .closure = t});
}

/* ---- A follower ---- */

static void take_bound(ts_sweep *s, ts_unpacker *u)
{
  bool front = s->search->goal_count > 1;
  s->front.count = s->top_count = 0;
  for (uint64_t count = ts_unpack_number(u); count && !u->bad; count--) {
    double objective = ts_unpack_real(u);
    if (front)
      TS_PUSH(s->arena, &s->front, objective);
    else if (s->top && !u->bad) {
      s->tops[s->top - 1] = objective;
      s->top_count = s->top;
    }
  }
}

/* Makes the plan that the leader drew. Only one of other inputs has none there. */
static bool take_drawn(ts_team *t, ts_unpacker *u)
{
  ts_sweep *s = t->sweep;
  int64_t *places = TS_NEW_ARRAY(t->scratch, int64_t, s->search->column_count + 1);
  for (uint32_t c = 0; c < s->search->column_count; c++)
    places[c] = (int64_t)ts_unpack_number(u);
  if (u->bad || !ts_search_put(s->search, places))
    return false;
  TS_PUSH(t->arena, &t->outcomes, ((ts_outcome){.point = s->search->point_count - 1}));
  s->outcomes = t->outcomes.at;
  s->count = t->outcomes.count;
  return true;
}

static void take_piece(ts_team *t, ts_unpacker *u)
{
  ts_sweep *s = t->sweep;
  uint64_t round = ts_unpack_number(u);
  take_bound(s, u);
  while (u->at < u->end && !u->bad) {
    uint64_t requested = ts_unpack_number(u), index = requested / KINDS, own = index;
    if (s->search->open && !take_drawn(t, u)) {
      greet(t, NULL, 0, "it has no plan where the first process drew one");
      return;
    }
    if (s->search->open)
      own = s->count - 1;
    if (own >= s->count)
      continue;
    while (t->called_there.count <= own)
      TS_PUSH(t->arena, &t->called_there, ((called){0}));
    t->called_there.at[own] = (called){round, index};
    s->outcomes[own].exact = requested & EXACT;
    s->outcomes[own].bounds_only = requested & LOOK;
    TS_PUSH(t->arena, &t->mine, own);
  }
}

static void hear_leader(ts_team *t)
{
  ts_wire_message m;
  double now = ts_clock();
  while (ts_wire_poll(t->wire, t->scratch, &m)) {
    ts_unpacker u = {m.bytes, m.bytes + m.size, t->arena, false};
    t->heard = now;
    if (m.tag == PIECE && t->sweep)
      take_piece(t, &u);
    if (m.tag == END) {
      t->ended = true;
      t->missed = ts_unpack_number(&u);
    }
    ts_arena_reset(t->scratch);
  }
  t->heard += now - t->polled > BEAT ? now - t->polled : 0; /* we were held up ourselves */
  t->polled = now;
  if (now - t->heard > ORPHANED)
    t->ended = t->missed = true;
  beat(t, now);
}

static void tell_leader(ts_team *t)
{
  const ts_sweep *s = t->sweep;
  ts_packer p = {.arena = t->scratch};
  if (!t->played.count)
    return;
  ts_pack_inputs(&p, s->inputs, t->inputs);
  t->inputs = s->inputs->all.count;
  for (size_t i = 0; i < t->played.count; i++) {
    ts_pack_number(&p, t->called_there.at[t->played.at[i]].round);
    ts_pack_number(&p, t->called_there.at[t->played.at[i]].index);
    ts_pack_real(&p, t->took.at[i]);
    ts_pack_outcome(&p, &s->outcomes[t->played.at[i]]);
  }
  t->played.count = t->took.count = 0;
  post(t, LEADER, RESULTS, &p);
  ts_arena_reset(t->scratch);
}

static bool next_of_follower(void *closure, size_t *index)
{
  ts_team *t = closure;
  if (t->taken == t->mine.count || t->ended)
    return false;
  *index = t->mine.at[t->taken++];
  if (t->taken == t->mine.count)
    t->taken = t->mine.count = 0;
  return true;
}

static bool more_of_follower(void *closure)
{
  ts_team *t = closure;
  tell_leader(t);
  hear_leader(t);
  return !t->ended;
}

static void done_of_follower(void *closure, size_t index, double seconds)
{
  ts_team *t = closure;
  TS_PUSH(t->arena, &t->played, index);
  TS_PUSH(t->arena, &t->took, seconds);
}

static bool tick_of_follower(void *closure) { return (void)closure, true; }

void ts_team_follow(ts_team *t, ts_sweep *s, long long jobs)
{
  greet(t, s, jobs, NULL);
  t->sweep = s;
  t->polled = ts_clock();
  ts_sweep_play_from(s, &(ts_sweep_source){.jobs = jobs,
                                           .pause = POLL,
                                           .next = next_of_follower,
                                           .more = more_of_follower,
                                           .done = done_of_follower,
                                           .tick = tick_of_follower,
                                           .closure = t});
}

/* ---- The end ---- */

static void follow_to_the_end(ts_team *t, const ts_diags *diags)
{
  const char *why = diags ? ts_diags_first_error(diags) : NULL;
  if (!t->greeted)
    greet(t, NULL, 0, why ? why : "it ended before it began to play");
  for (t->polled = ts_clock(); !t->ended; rest())
    hear_leader(t);
}

static void end_all(ts_team *t)
{
  ts_packer p = {.arena = t->scratch};
  for (int rank = 1; rank < ts_wire_size(t->wire); rank++)
    t->missed |= t->members[rank].lost;
  ts_pack_number(&p, t->missed);
  for (int rank = 1; rank < ts_wire_size(t->wire); rank++)
    post(t, rank, END, &p);
}

void ts_team_leave(ts_team *t, const ts_diags *diags)
{
  if (ts_team_follows(t))
    follow_to_the_end(t, diags);
  else
    end_all(t);
  ts_wire_close(t->wire, !t->missed);
  ts_arena_free(t->scratch);
  ts_arena_free(t->of_round);
}
