/* The binary form of GOAL that LogGOPSim reads; trace/read/goal_binary.c says what it is. */
#include "trace/write/export.h"

enum { MAGIC = 4223, RECORD = 39 };

static void goal_binary_put(FILE *out, uint64_t value, uint32_t bytes)
{
  uint8_t at[8];
  for (uint32_t i = 0; i < bytes; i++) at[i] = (uint8_t)(value >> 8 * i);
  fwrite(at, 1, bytes, out);
}

static uint32_t roots_of(const ts_goal_job *s, uint32_t rank)
{
  uint32_t roots = 0;
  for (uint32_t i = s->first[rank]; i < s->first[rank + 1]; i++) roots += !s->before[i];
  return roots;
}

/* Those that wait for its start, or its end. */
static uint32_t count_waiting(const ts_goal_job *s, uint32_t rank, uint32_t op, bool started)
{
  const uint32_t *offset = s->offset + op + rank, *list = s->waiting + s->next[rank];
  uint32_t count = 0;
  for (uint32_t k = offset[0]; k < offset[1]; k++)
    count += !(list[k] & TS_GOAL_STARTED) == !started;
  return count;
}

static void put_record(const ts_goal_job *s, uint32_t rank, uint32_t op, uint32_t *waiting,
                       FILE *out)
{
  static const uint8_t types[] = {[TS_GOAL_CALC] = 3, [TS_GOAL_SEND] = 1, [TS_GOAL_RECV] = 2};
  goal_binary_put(out, s->before[op], 4);
  goal_binary_put(out, types[ts_goal_job_kind(s, op)], 1);
  goal_binary_put(out, s->peer[op], 4);
  goal_binary_put(out, s->size[op], 8);
  goal_binary_put(out, s->tag[op], 4);
  goal_binary_put(out, s->how[op] >> 8 & 0xff, 1);
  goal_binary_put(out, s->how[op] >> 16, 1);
  for (int started = 0; started < 2; started++) {
    uint32_t count = count_waiting(s, rank, op, started);
    goal_binary_put(out, count, 4);
    goal_binary_put(out, *waiting, 4);
    *waiting += count;
  }
}

static void goal_binary_put_rank(const ts_goal_job *s, uint32_t rank, FILE *out)
{
  uint32_t first = s->first[rank], end = s->first[rank + 1], waiting = 0;
  const uint32_t *list = s->waiting + s->next[rank];
  goal_binary_put(out, end - first, 4);
  goal_binary_put(out, roots_of(s, rank), 4);
  for (uint32_t i = first; i < end; i++)
    if (!s->before[i])
      goal_binary_put(out, i - first, 4);
  for (uint32_t i = first; i < end; i++) put_record(s, rank, i, &waiting, out);
  for (uint32_t i = first; i < end; i++)
    for (int started = 0; started < 2; started++)
      for (uint32_t k = s->offset[i + rank]; k < s->offset[i + rank + 1]; k++)
        if (!(list[k] & TS_GOAL_STARTED) == !started)
          goal_binary_put(out, list[k] & ~TS_GOAL_STARTED, 4);
}

void ts_goal_binary_write(const ts_goal_job *s, FILE *out)
{
  uint64_t at = 6 + 16 * (uint64_t)s->world; /* places count from behind the mark */
  goal_binary_put(out, MAGIC, 8);
  goal_binary_put(out, s->world, 4);
  goal_binary_put(out, s->cpus - 1, 1);
  goal_binary_put(out, s->nics - 1, 1);
  for (uint32_t r = 0; r < s->world; r++) {
    goal_binary_put(out, at, 8);
    at += 8 + 4 * (uint64_t)roots_of(s, r) + RECORD * (uint64_t)(s->first[r + 1] - s->first[r]) +
          4 * (s->next[r + 1] - s->next[r]);
    goal_binary_put(out, at, 8);
  }
  for (uint32_t r = 0; r < s->world; r++)
    goal_binary_put_rank(s, r, out);
}
