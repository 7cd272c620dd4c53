#include "tools/sweep/journaled.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/source.h"
#include "base/version.h"
#include "tools/sweep/rank.h"

typedef struct taken {
  size_t index;
  double seconds;
} taken;

struct ts_journaled {
  ts_sweep *sweep;
  const char *path;
  ts_journal *journal;
  int64_t id; /* of the sweep in the journal */
  ts_journal_sweep about;
  size_t inputs; /* of those of the sweep, in the journal */
  TS_VEC(taken) ready;
};

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* A disk that is full or gone is the environment's fault, all else the file's. */
static bool journaled_refuse(const ts_journaled *k, const ts_error *error)
{
  ts_code code = error->kind == TS_ERROR_UNREADABLE ? TS_E0702 : TS_E0709;
  ts_diag *d = ts_diag_add_error(k->sweep->session->diags, code, error,
                                 "cannot use the journal `%s`", k->path);
  if (code == TS_E0702 && k->id)
    ts_diag_help(d, "%zu of %zu plans are in it: `--resume` goes on when there is room",
                 ts_journaled_count(k), k->sweep->count);
  return false;
}

size_t ts_journaled_count(const ts_journaled *k)
{
  return (size_t)(k->about.known + k->about.played);
}

/* ---- Keys ---- */

static int journaled_by_name(const void *x, const void *y)
{
  const ts_define *a = x, *b = y;
  return strcmp(a->name, b->name);
}

void ts_journaled_key(const ts_sweep *s, size_t point, ts_arena *arena, uint8_t key[TS_DIGEST_SIZE])
{
  uint32_t given, count = 0;
  const ts_define *defines = ts_search_defines_at(s->search, point, arena, &given);
  ts_define *sorted = TS_NEW_ARRAY(arena, ts_define, given + 1);
  const char *text = ts_arena_printf(arena, "%s\n", s->search->plan);
  for (uint32_t i = 0; i < given; i++) { /* the last one of a name counts */
    uint32_t at = 0;
    while (at < count && strcmp(sorted[at].name, defines[i].name) != 0)
      at++;
    sorted[at] = defines[i];
    count += at == count;
  }
  qsort(sorted, count, sizeof *sorted, journaled_by_name);
  for (uint32_t i = 0; i < count; i++)
    text = ts_arena_printf(arena, "%s%s=%s\n", text, sorted[i].name, sorted[i].expression);
  ts_digest_bytes(text, strlen(text), key);
}

/* ---- The same inputs, the same program ---- */

static ts_journal_about about_of(const ts_sweep *s)
{
  char *build = ts_arena_alloc(s->arena, 64), *hex = ts_arena_alloc(s->arena, 72);
  uint8_t digest[TS_DIGEST_SIZE];
  ts_inputs *files = ts_inputs_new(s->arena);
  ts_build(build, 64);
  ts_inputs_take_language(files, s->session);
  ts_inputs_digest(files, s->arena, digest);
  ts_digest_hex(digest, hex);
  return (ts_journal_about){ts_version(), build, ts_base_name(s->path), hex};
}

static bool same_program(const ts_journal_about *a, const ts_journal_about *b, ts_error *error)
{
  if (strcmp(a->version, b->version) != 0)
    return ts_fail(error, "use that one, or give another file", "TrainSpec %s wrote it, this is %s",
                   a->version, b->version);
  return strcmp(a->build, b->build) == 0 ||
         ts_fail(error, "use that one, or give another file",
                 "another build of TrainSpec %s wrote it, which may have come to other figures",
                 a->version);
}

static bool same_inputs(const ts_journaled *k, const ts_journal_about *a, const ts_journal_about *b,
                        ts_error *error)
{
  const ts_sweep *s = k->sweep;
  ts_inputs *read = ts_inputs_new(s->arena);
  static const char help[] = "give another file, or take back the change";
  if (strcmp(a->file, b->file) != 0)
    return ts_fail(error, "give another file", "it is of other inputs: of `%s`, not `%s`", a->file,
                   b->file);
  if (!ts_journal_inputs(k->journal, read, error))
    return false;
  for (size_t i = 0; i < read->all.count; i++)
    if (!ts_input_same(&read->all.at[i], s->path, &s->compile, s->arena))
      return ts_fail(error, help, "it is of other inputs: `%s` has changed, or is gone",
                     read->all.at[i].name);
  return strcmp(a->inputs, b->inputs) == 0 ||
         ts_fail(error, help, "it is of other inputs: the plan is made of other files");
}

/* A journal without a plan's file is new. */
static bool check(ts_journaled *k, ts_error *error)
{
  ts_journal_about wanted = about_of(k->sweep), found;
  if (!ts_journal_about_of(k->journal, k->sweep->arena, &found, error))
    return false;
  if (*found.file)
    return same_program(&found, &wanted, error) && same_inputs(k, &found, &wanted, error);
  return ts_journal_begin(k->journal, error) && ts_journal_set_about(k->journal, &wanted, error) &&
         ts_journal_commit(k->journal, error);
}

/* ---- Reading ---- */

static bool journaled_find(ts_journaled *k, ts_outcome *wanted, ts_arena *scratch, ts_error *error)
{
  ts_sweep *s = k->sweep;
  uint8_t key[TS_DIGEST_SIZE];
  bool found;
  ts_outcome o = {.point = wanted->point, .known = true};
  ts_journaled_key(s, o.point, scratch, key);
  if (!ts_journal_find(k->journal, key, scratch, &o, &found, error))
    return false;
  if (found) {
    ts_outcome_keep(&o, &s->once, s->arena);
    o.played = o.state != TS_REFUSED;
    *wanted = o;
  }
  return true;
}

static bool know(ts_journaled *k, size_t index, ts_arena *scratch, ts_error *error)
{
  ts_outcome *o = &k->sweep->outcomes[index];
  if (!journaled_find(k, o, scratch, error))
    return false;
  k->about.known += o->known;
  return true;
}

static bool find_known(ts_journaled *k, ts_error *error)
{
  ts_arena *scratch = ts_arena_new("keys");
  bool good = true;
  for (size_t i = 0; i < k->sweep->count && good; i++) {
    good = know(k, i, scratch, error);
    ts_arena_reset(scratch);
  }
  ts_arena_free(scratch);
  return good;
}

bool ts_journaled_know(ts_journaled *k, size_t index)
{
  ts_arena *scratch = ts_arena_new("a key");
  ts_error error = {0};
  bool good = know(k, index, scratch, &error);
  ts_arena_free(scratch);
  return good || journaled_refuse(k, &error);
}

bool ts_journaled_find(ts_journaled *k, ts_outcome *o)
{
  ts_arena *scratch = ts_arena_new("a key");
  ts_error error = {0};
  bool good = journaled_find(k, o, scratch, &error);
  ts_arena_free(scratch);
  return good || journaled_refuse(k, &error);
}

ts_journaled *ts_journaled_open(ts_sweep *s, const char *path, bool resume)
{
  ts_journaled *k = TS_NEW(s->arena, ts_journaled);
  ts_error error = {0};
  *k = (ts_journaled){.sweep = s, .path = path};
  const char *title = ts_arena_printf(s->arena, "%s, search %s", s->search->plan, s->search->name);
  if (s->shard.count && s->shard.index != TS_SHARD_ALL)
    title =
      ts_arena_printf(s->arena, "%s, part %lld of %lld", title, s->shard.index + 1, s->shard.count);
  k->about =
    (ts_journal_sweep){.title = title, .goal = s->search->goal, .best = "", .begun = now()};
  k->journal = ts_journal_open(s->arena, path, resume ? TS_JOURNAL_GO_ON : TS_JOURNAL_NEW, &error);
  if (k->journal && check(k, &error) && find_known(k, &error) && ts_journaled_write(k))
    return k;
  if (*error.message)
    journaled_refuse(k, &error);
  ts_journal_close(k->journal);
  return NULL;
}

/* ---- Writing ---- */

void ts_journaled_take(ts_journaled *k, size_t index, double seconds)
{
  TS_PUSH(k->sweep->arena, &k->ready, ((taken){index, seconds}));
}

/* What could not be read for no fault of the plan's is tried again by the next one. */
static bool journaled_put(ts_journaled *k, const taken *t, ts_arena *scratch, ts_error *error)
{
  const ts_sweep *s = k->sweep;
  ts_outcome o = s->outcomes[t->index];
  uint8_t key[TS_DIGEST_SIZE];
  k->about.played += !o.exact; /* which was told before, by its bounds */
  /* bounds are found anew as fast */
  if (o.unread || o.starved || (!o.played && o.state != TS_REFUSED))
    return true;
  if (o.state == TS_LEFT_OUT) /* by the conditions of this search; others may take it */
    o.state = TS_RANKED;
  ts_journaled_key(s, o.point, scratch, key);
  return ts_journal_put(k->journal, key, ts_sweep_point_text(s, o.point, scratch), &o, t->seconds,
                        scratch, error);
}

static bool put_all(ts_journaled *k, ts_arena *scratch, ts_error *error)
{
  ts_sweep *s = k->sweep;
  for (; k->inputs < s->inputs->all.count; k->inputs++)
    if (!ts_journal_put_input(k->journal, &s->inputs->all.at[k->inputs], error))
      return false;
  for (size_t i = 0; i < k->ready.count; i++)
    if (!journaled_put(k, &k->ready.at[i], scratch, error))
      return false;
  k->about.seen = now();
  k->about.plans = s->count; /* a search with a budget finds its plans as it goes */
  if (s->count && s->outcomes[s->best].state == TS_RANKED)
    k->about.best = ts_sweep_best_text(s, scratch);
  return ts_journal_put_sweep(k->journal, &k->id, &k->about, error);
}

bool ts_journaled_write(ts_journaled *k)
{
  ts_error error = {0};
  uint64_t played = k->about.played;
  ts_arena *scratch = ts_arena_new("rows");
  bool good = ts_journal_begin(k->journal, &error);
  if (good && !(put_all(k, scratch, &error) && ts_journal_commit(k->journal, &error))) {
    good = false;
    k->about.played = played;
    ts_journal_undo(k->journal);
  }
  k->about.best = "";
  k->ready.count = 0;
  ts_arena_free(scratch);
  return good || journaled_refuse(k, &error);
}

bool ts_journaled_close(ts_journaled *k, bool ended)
{
  k->about.ended = ended;
  bool good = ts_journaled_write(k);
  ts_journal_close(k->journal);
  return good;
}
