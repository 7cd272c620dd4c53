#include "runtime/collective/flow_alike.h"

#include <string.h>

#include "base/hash_table.h"

/* A party is named by its first pattern. */
typedef struct parties {
  const ts_ir *ir;
  const ts_flow_pattern *patterns;
  uint32_t count;
  uint32_t *party; /* [count] of each; while they are found, one nearer to it */
  uint32_t *next;  /* [count] of the same party, or TS_IR_NONE */
  /* [2 * links] 0: nobody uses it; the last pattern found to use it, plus 1; `count` plus the place
   * at which its party uses it first, from 1 */
  uint32_t *mark;
} parties;

static uint32_t party_of(const parties *p, uint32_t pattern)
{
  uint32_t *party = p->party;
  while (party[pattern] != pattern)
    pattern = party[pattern] = party[party[pattern]];
  return pattern;
}

static void join_users(const parties *p, uint32_t pattern)
{
  const ts_flow_pattern *of = &p->patterns[pattern];
  for (uint32_t i = 0; i < of->count; i++)
    for (uint32_t u = 0; u < of->parts[i].count; u++) {
      uint32_t *mark = &p->mark[of->parts[i].uses[u].link], before = *mark ? *mark - 1 : pattern;
      *mark = pattern + 1;
      if (before == pattern)
        continue;
      uint32_t a = party_of(p, before), b = party_of(p, pattern);
      p->party[a > b ? a : b] = a < b ? a : b;
    }
}

/* The last one of each party is the end of its chain. */
static void list_parties(parties *p, ts_arena *scratch)
{
  uint32_t *last = TS_NEW_ARRAY(scratch, uint32_t, p->count);
  for (uint32_t i = 0; i < p->count; i++) {
    uint32_t party = p->party[i] = party_of(p, i);
    p->next[i] = TS_IR_NONE;
    if (party != i)
      p->next[last[party]] = i;
    last[party] = i;
  }
}

static uint64_t with(uint64_t hash, uint64_t word)
{
  hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
  return hash ^ hash >> 32;
}

static uint64_t bits_of(double x)
{
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

/* Numbers the links of a pattern of which its party has used `used` others before. */
static uint64_t number_links(const parties *p, const ts_flow_pattern *of, uint32_t *used,
                             uint64_t hash)
{
  hash = with(with(hash, of->count), bits_of(of->share));
  for (uint32_t i = 0; i < of->count; i++) {
    hash = with(hash, of->parts[i].count);
    for (uint32_t u = 0; u < of->parts[i].count; u++) {
      ts_flow_use use = of->parts[i].uses[u];
      uint32_t *mark = &p->mark[use.link];
      if (*mark <= p->count)
        *mark = p->count + ++*used;
      hash = with(with(hash, *mark), bits_of(use.connections));
    }
  }
  return hash;
}

static uint32_t class_of(const parties *p, uint32_t link)
{
  return p->ir->links[link / 2].link_class;
}

static bool same_pattern(const parties *p, const ts_flow_pattern *a, const ts_flow_pattern *b)
{
  if (a->count != b->count || a->share != b->share)
    return false;
  for (uint32_t i = 0; i < a->count; i++) {
    if (a->parts[i].count != b->parts[i].count)
      return false;
    for (uint32_t u = 0; u < a->parts[i].count; u++) {
      ts_flow_use x = a->parts[i].uses[u], y = b->parts[i].uses[u];
      if (p->mark[x.link] != p->mark[y.link] || x.connections != y.connections ||
          class_of(p, x.link) != class_of(p, y.link))
        return false;
    }
  }
  return true;
}

typedef struct flow_alike_wanted {
  const parties *parties;
  uint32_t party;
} flow_alike_wanted;

static bool same_party(const void *closure, uint32_t party)
{
  const flow_alike_wanted *w = closure;
  const parties *p = w->parties;
  uint32_t a = w->party, b = party;
  for (; a != TS_IR_NONE && b != TS_IR_NONE; a = p->next[a], b = p->next[b])
    if (!same_pattern(p, &p->patterns[a], &p->patterns[b]))
      return false;
  return a == b;
}

static void find_alike(const parties *p, uint32_t *alike, ts_arena *scratch)
{
  ts_hash_table known = {0};
  for (uint32_t i = 0; i < p->count; i++) {
    if (p->party[i] != i)
      continue;
    uint64_t hash = 0;
    uint32_t used = 0;
    for (uint32_t at = i; at != TS_IR_NONE; at = p->next[at])
      hash = number_links(p, &p->patterns[at], &used, hash);
    uint32_t like = ts_hash_find(&known, (uint32_t)hash, same_party, &(flow_alike_wanted){p, i});
    if (like == TS_HASH_NONE)
      ts_hash_add(scratch, &known, (uint32_t)hash, like = i);
    for (uint32_t at = i; at != TS_IR_NONE; at = p->next[at], like = p->next[like])
      alike[at] = like;
  }
}

const uint32_t *ts_flow_alike(ts_arena *arena, const ts_ir *ir, const ts_flow_pattern *patterns,
                              uint32_t count, uint32_t *mark)
{
  ts_arena *scratch = ts_arena_new("patterns that are alike");
  uint32_t *alike = TS_NEW_ARRAY(arena, uint32_t, count);
  parties p = {ir,
               patterns,
               count,
               TS_NEW_ARRAY(scratch, uint32_t, count),
               TS_NEW_ARRAY(scratch, uint32_t, count),
               mark};
  for (uint32_t i = 0; i < count; i++)
    p.party[i] = i;
  for (uint32_t i = 0; i < count; i++)
    join_users(&p, i);
  list_parties(&p, scratch);
  find_alike(&p, alike, scratch);
  for (uint32_t i = 0; i < count; i++)
    for (uint32_t k = 0; k < patterns[i].count; k++)
      for (uint32_t u = 0; u < patterns[i].parts[k].count; u++)
        mark[patterns[i].parts[k].uses[u].link] = 0;
  ts_arena_free(scratch);
  return alike;
}
