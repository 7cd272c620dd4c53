/* Kruskal's way through what players exchange, most frequent first: whoever it connects joins, up
 * to the size of a partition. Then the clusters, largest first, each to the partition with the
 * least work (LPT: Graham, 1969). */
#include "runtime/play/partition.h"

#include <stdlib.h>

typedef struct tie {
  uint32_t often, rendezvous, a, b;
} tie; /* rendezvous, or of a and b */

typedef struct partitioner {
  const ts_tables *t;
  const ts_roles *roles;
  const ts_fold *fold;
  ts_arena *scratch;
  uint32_t *up;   /* [players] towards the one that stands for the cluster */
  uint64_t *work; /* [players] of the cluster, at the one that stands for it */
  uint64_t most;  /* of a cluster */
  uint32_t *seen; /* [players] the tie that counted the cluster last, plus 1 */
  TS_VEC(tie) ties;
} partitioner;

static const ts_program_info *program_of(const partitioner *d, uint32_t player)
{
  return &d->t->programs[d->roles->at[d->roles->of[d->fold->rank[player]]].program];
}

static uint32_t cluster_of(partitioner *d, uint32_t player)
{
  while (d->up[player] != player)
    player = d->up[player] = d->up[d->up[player]];
  return player;
}

/* ---- What players exchange ---- */

/* Messages of each of the program's peers. */
static const uint32_t *count_messages(const partitioner *d, const ts_program_info *program)
{
  uint32_t *count = TS_NEW_ARRAY(d->scratch, uint32_t, program->peer_count);
  for (uint32_t i = 0; i < program->port_count; i++)
    count[program->routes[i].peer]++;
  return count;
}

static void list_ties(partitioner *d)
{
  const ts_ranks *ranks = d->t->ranks;
  const uint32_t **messages = TS_NEW_ARRAY(d->scratch, const uint32_t *, d->t->ir->programs_count);
  for (uint32_t r = 0; r < d->fold->rendezvous_count; r++)
    if (d->fold->rendezvous[r].count > 1)
      TS_PUSH(d->scratch, &d->ties, (tie){d->fold->rendezvous[r].calls, r, 0, 0});
  for (uint32_t p = 0; p < d->fold->count; p++) {
    const ts_program_info *program = program_of(d, p);
    const uint32_t **count = &messages[program - d->t->programs];
    if (!*count)
      *count = count_messages(d, program);
    for (uint32_t k = 0; k < program->peer_count; k++) {
      uint32_t peer =
        d->fold->of[ts_peer_rank(ranks, d->fold->rank[p], program->peers[k].coordinate)];
      if (peer != p)
        TS_PUSH(d->scratch, &d->ties, (tie){(*count)[k], TS_IR_NONE, p, peer});
    }
  }
}

static int more_often(const void *left, const void *right)
{
  const tie *a = left, *b = right;
  if (a->often != b->often)
    return a->often < b->often ? 1 : -1;
  if (a->rendezvous != b->rendezvous)
    return a->rendezvous < b->rendezvous ? -1 : 1;
  if (a->a != b->a)
    return a->a < b->a ? -1 : 1;
  return a->b < b->b ? -1 : a->b > b->b;
}

/* ---- Clusters ---- */

static void partition_join(partitioner *d, uint32_t a, uint32_t b)
{
  a = cluster_of(d, a);
  b = cluster_of(d, b);
  if (a == b)
    return;
  uint32_t low = a < b ? a : b, high = a < b ? b : a;
  d->up[high] = low;
  d->work[low] += d->work[high];
}

/* Whether those whom the tie connects would make one partition. */
static bool partition_fits(partitioner *d, const tie *t)
{
  uint32_t pair[] = {t->a, t->b}, count = 2, number = (uint32_t)(t - d->ties.at) + 1;
  const uint32_t *members = pair;
  uint64_t sum = 0;
  if (t->rendezvous != TS_IR_NONE) {
    members = d->fold->members + d->fold->rendezvous[t->rendezvous].first;
    count = d->fold->rendezvous[t->rendezvous].count;
  }
  for (uint32_t j = 0; j < count && sum <= d->most; j++) {
    uint32_t c = cluster_of(d, members[j]);
    sum += d->seen[c] == number ? 0 : d->work[c];
    d->seen[c] = number;
  }
  return sum <= d->most;
}

static void make_clusters(partitioner *d)
{
  for (size_t i = 0; i < d->ties.count; i++) {
    const tie *t = &d->ties.at[i];
    if (!partition_fits(d, t))
      continue;
    if (t->rendezvous == TS_IR_NONE) {
      partition_join(d, t->a, t->b);
      continue;
    }
    const ts_rendezvous *r = &d->fold->rendezvous[t->rendezvous];
    for (uint32_t j = 1; j < r->count; j++)
      partition_join(d, d->fold->members[r->first], d->fold->members[r->first + j]);
  }
}

/* ---- Partitions ---- */

typedef struct cluster {
  uint64_t work;
  uint32_t player;
} cluster;

static int partition_larger(const void *left, const void *right)
{
  const cluster *a = left, *b = right;
  if (a->work != b->work)
    return a->work < b->work ? 1 : -1;
  return a->player < b->player ? -1 : a->player > b->player;
}

/* [players] partition of those who stand for clusters. Returns how many partitions have some. */
static uint32_t assign(partitioner *d, uint32_t most, uint32_t *partition)
{
  TS_VEC(cluster) clusters = {0};
  uint64_t *load = TS_NEW_ARRAY(d->scratch, uint64_t, most);
  uint32_t used = 0;
  for (uint32_t p = 0; p < d->fold->count; p++)
    if (d->up[p] == p)
      TS_PUSH(d->scratch, &clusters, (cluster){d->work[p], p});
  TS_SORT(&clusters, partition_larger);
  for (size_t i = 0; i < clusters.count; i++) {
    uint32_t lightest = used < most ? used++ : 0;
    for (uint32_t k = 0; k < used; k++)
      if (load[k] < load[lightest])
        lightest = k;
    load[lightest] += clusters.at[i].work + 1;
    partition[clusters.at[i].player] = lightest;
  }
  return used;
}

static void list_players(ts_arena *arena, uint32_t count, const uint32_t *of, ts_partitions *out)
{
  uint32_t *first = TS_NEW_ARRAY(arena, uint32_t, out->count + 2),
           *players = TS_NEW_ARRAY(arena, uint32_t, count);
  for (uint32_t p = 0; p < count; p++)
    first[of[p] + 2]++;
  for (uint32_t k = 0; k < out->count; k++)
    first[k + 1] += first[k];
  for (uint32_t p = 0; p < count; p++)
    players[first[of[p] + 1]++] = p;
  out->players = players;
  out->first = first;
}

ts_partitions ts_partitions_whole(ts_arena *arena, uint32_t players)
{
  ts_partitions out = {.count = 1, .of = TS_NEW_ARRAY(arena, uint32_t, players)};
  list_players(arena, players, out.of, &out);
  return out;
}

ts_partitions ts_partitions_new(ts_arena *arena, const ts_tables *tables, const ts_roles *roles,
                                const ts_fold *fold, uint32_t most)
{
  partitioner d = {
    .t = tables, .roles = roles, .fold = fold, .scratch = ts_arena_new("partitions")};
  uint64_t all = 0;
  d.up = TS_NEW_ARRAY(d.scratch, uint32_t, fold->count);
  d.seen = TS_NEW_ARRAY(d.scratch, uint32_t, fold->count);
  d.work = TS_NEW_ARRAY(d.scratch, uint64_t, fold->count);
  for (uint32_t p = 0; p < fold->count; p++) {
    d.up[p] = p;
    all += d.work[p] = program_of(&d, p)->node_count;
  }
  d.most = all / most;
  list_ties(&d);
  TS_SORT(&d.ties, more_often);
  make_clusters(&d);
  uint32_t *partition = TS_NEW_ARRAY(d.scratch, uint32_t, fold->count),
           *of = TS_NEW_ARRAY(arena, uint32_t, fold->count);
  ts_partitions out = {.count = assign(&d, most, partition), .of = of};
  for (uint32_t p = 0; p < fold->count; p++)
    of[p] = partition[cluster_of(&d, p)];
  list_players(arena, fold->count, of, &out);
  ts_arena_free(d.scratch);
  return out;
}
