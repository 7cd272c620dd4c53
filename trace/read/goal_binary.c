/* GOAL schedules in the binary form that LogGOPSim reads: a number that marks it, how many ranks,
 * cpus and interfaces, where each rank lies, then each rank: how many operations, which of them
 * wait for none, a record each, and who waits for whom. Little-endian, nothing aligned. */
#include <string.h>

#include "trace/read/goal_ranks.h"

enum { MAGIC = 4223, HEAD = 14, PLACE = 16, RECORD = 39, SEND = 1, RECV = 2, CALC = 3 };

static uint64_t goal_binary_take(ts_feed *f, uint32_t bytes)
{
  uint64_t value = 0;
  for (uint32_t i = 0; i < bytes; i++)
    value |= (uint64_t)(uint8_t)f->buffer[f->at + i] << 8 * i;
  f->at += bytes;
  return value;
}

bool ts_is_goal_binary(const ts_feed *feed)
{
  static const uint8_t magic[8] = {MAGIC & 0xff, MAGIC >> 8};
  return feed->end - feed->at >= HEAD && memcmp(feed->buffer + feed->at, magic, sizeof magic) == 0;
}

typedef struct goal_binary_reader {
  ts_feed *feed;
  ts_arena *work;
  ts_goal_rank rank;
  uint32_t world;
  TS_VEC(uint32_t) waiting[2]; /* by operation: how many wait for its end, for its start */
} goal_binary_reader;

static bool goal_binary_fail(const goal_binary_reader *r, const char *what)
{
  return ts_feed_fail(r->feed, "LogGOPSim's txt2bin writes it", "rank %u: %s", r->rank.rank, what);
}

static bool take_record(goal_binary_reader *r)
{
  ts_feed *f = r->feed;
  if (!ts_feed_need(f, RECORD))
    return false;
  ts_goal_op op = {0};
  goal_binary_take(f, 4); /* how many it waits for: follows from who waits for whom */
  uint32_t type = (uint32_t)goal_binary_take(f, 1), peer = (uint32_t)goal_binary_take(f, 4);
  uint64_t size = goal_binary_take(f, 8);
  uint32_t tag = (uint32_t)goal_binary_take(f, 4);
  op.cpu = (uint8_t)goal_binary_take(f, 1);
  op.nic = (uint8_t)goal_binary_take(f, 1);
  for (int started = 0; started < 2; started++) {
    TS_PUSH(r->work, &r->waiting[started], (uint32_t)goal_binary_take(f, 4));
    goal_binary_take(f, 4); /* where they begin: in order */
  }
  op.kind = type == SEND ? TS_GOAL_SEND : type == RECV ? TS_GOAL_RECV : TS_GOAL_CALC;
  if (type < SEND || type > CALC || size > INT64_MAX / 16)
    return goal_binary_fail(r, "an operation of no known kind, or larger than can be counted");
  op.size = (int64_t)size;
  if (type != CALC) {
    op.peer = type == RECV && peer == UINT32_MAX ? -1 : (int64_t)peer;
    op.tag = type == RECV && tag == UINT32_MAX ? -1 : (int64_t)tag;
    if (op.peer >= r->world)
      return goal_binary_fail(r, "a message to or from a rank that is not there");
  }
  TS_PUSH(r->work, &r->rank.ops, op);
  return true;
}

static bool take_waiting(goal_binary_reader *r)
{
  for (uint32_t i = 0; i < r->rank.ops.count; i++)
    for (int started = 0; started < 2; started++)
      for (uint32_t k = 0; k < r->waiting[started].at[i]; k++) {
        if (!ts_feed_need(r->feed, 4))
          return false;
        uint32_t op = (uint32_t)goal_binary_take(r->feed, 4);
        if (op >= r->rank.ops.count || op == i)
          return goal_binary_fail(r, "an operation that is not there, or itself, waits for one");
        TS_PUSH(r->work, &r->rank.requirements, ((ts_goal_requirement){op, i, started}));
      }
  return true;
}

static bool take_rank(goal_binary_reader *r)
{
  if (!ts_feed_need(r->feed, 8))
    return false;
  uint64_t count = goal_binary_take(r->feed, 4), first = goal_binary_take(r->feed, 4);
  for (uint64_t i = 0; i < first; i++, goal_binary_take(r->feed, 4))
    if (!ts_feed_need(r->feed, 4))
      return false;
  for (uint64_t i = 0; i < count; i++)
    if (!take_record(r))
      return false;
  return take_waiting(r);
}

bool ts_goal_binary(ts_feed *feed, const ts_goal_sink *sink, bool *cut)
{
  goal_binary_reader r = {.feed = feed};
  *cut = !ts_feed_need(feed, HEAD);
  if (*cut)
    return !feed->error->message[0];
  goal_binary_take(feed, 8);
  uint64_t world = goal_binary_take(feed, 4);
  goal_binary_take(feed, 2);
  if (!world || world > TS_GOAL_MOST_RANKS)
    return ts_feed_fail(feed, NULL, "%llu ranks; at least 1 and at most %d",
                        (unsigned long long)world, TS_GOAL_MOST_RANKS);
  r.world = (uint32_t)world;
  for (uint64_t i = 0; i < world && !*cut; i++)
    if (!(*cut = !ts_feed_need(feed, PLACE)))
      goal_binary_take(feed, 8), goal_binary_take(feed, 8);
  bool good = sink->head(sink->closure, r.world);
  for (uint32_t i = 0; i < r.world && good && !*cut; i++) {
    r.work = ts_arena_new("rank of a schedule");
    r.rank = (ts_goal_rank){.rank = i};
    memset(r.waiting, 0, sizeof r.waiting);
    *cut = !take_rank(&r) && !feed->error->message[0];
    good = !feed->error->message[0] && sink->rank(sink->closure, &r.rank, feed->error);
    ts_arena_free(r.work);
  }
  return !feed->error->message[0];
}

bool ts_is_goal(ts_feed *feed) { return ts_is_goal_text(feed) || ts_is_goal_binary(feed); }

bool ts_goal_read(ts_feed *feed, const ts_goal_sink *sink, bool *cut)
{
  return ts_is_goal_binary(feed) ? ts_goal_binary(feed, sink, cut) : ts_goal_text(feed, sink, cut);
}
