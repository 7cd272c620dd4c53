#include "runtime/report/extras.h"

#include <math.h>

#include "base/escape.h"
#include "base/format.h"
#include "base/table.h"
#include "ir/names.h"
#include "runtime/account/overlap_cost.h"
#include "runtime/play/overlap.h"
#include "runtime/report/members.h"
#include "runtime/report/modules.h"
#include "runtime/report/summary.h"

enum { MOST_BLAMES = 8, NAME = 20 };

static const double shares[] = {0, 0.1, 0.5, 0.9, 0.99, 1};
static const char *const share_names[] = {"least", "p10", "p50", "p90", "p99", "most"};
enum { SHARES = 6 };

static ts_text extras_time_of(double ps)
{
  return ts_format_time(ps > 0 ? (uint64_t)llround(ps) : 0);
}

static void extras_row(FILE *out, const char *name, ts_text value, const char *rest)
{
  ts_put_text(out, "  %-*s%16s%s\n", NAME, name, value.text, rest);
}

static const char *class_name(const ts_summary *s, ts_arena *arena, uint32_t class)
{
  const ts_class_result *c = &s->result->classes[class];
  if (c->count == 1)
    return ts_arena_printf(arena, "rank %u", c->rank);
  return ts_arena_printf(arena, "rank %u and %s like it", c->rank,
                         ts_format_count(c->count - 1).text);
}

/* ---- Who waited for whom ---- */

static void blames_text(const ts_summary *s, const ts_blames *b, ts_arena *arena, FILE *out)
{
  ts_put_text(out, "\n%-30s%-16s%7s%15s%12s\n", "Ranks that others awaited", "in", "ranks",
              "longest wait", "of all");
  if (!b->count)
    fputs("  nobody\n", out);
  for (uint32_t i = 0; i < b->count && i < MOST_BLAMES; i++) {
    const ts_blame *at = &b->at[i];
    const char *in = ts_arena_printf(arena, at->messages ? "%s messages" : "%s",
                                     s->ir->strings + s->ir->groups[at->group].name);
    ts_put_text(
      out, "  %-28s%-16s%7s%15s%12s\n", ts_report_fit(arena, class_name(s, arena, at->class), 27),
      ts_report_fit(arena, in, 15), ts_format_count(at->ranks).text, ts_format_time(at->most).text,
      ts_format_share(b->time > 0 ? at->time / b->time : 0).text);
  }
  if (b->count > MOST_BLAMES)
    fprintf(out, "  ... %u more\n", b->count - MOST_BLAMES);
}

/* Nine digits behind the point: what the last bits are depends on the mathematics library. */
static void add_rounded(cJSON *object, const char *name, double value)
{
  ts_add_number(object, name, round(value * 1e9) / 1e9);
}

static void blames_json(const ts_summary *s, const ts_blames *b, cJSON *root)
{
  cJSON *list = cJSON_AddArrayToObject(root, "waits");
  for (uint32_t i = 0; i < b->count; i++) {
    const ts_blame *at = &b->at[i];
    cJSON *o = ts_add_element(list);
    ts_add_number(o, "for_rank", s->result->classes[at->class].rank);
    ts_add_number(o, "for_ranks", s->result->classes[at->class].count);
    cJSON_AddStringToObject(o, "group", s->ir->strings + s->ir->groups[at->group].name);
    cJSON_AddStringToObject(o, "kind", at->messages ? "messages" : "collectives");
    ts_add_number(o, "ranks", at->ranks);
    ts_add_number(o, "waits", (double)at->waits);
    ts_add_number(o, "time_ps", at->time);
    ts_add_number(o, "longest_rank", s->result->classes[at->most_class].rank);
    ts_add_number(o, "longest_ps", (double)at->most);
  }
}

/* ---- What the framework reserves ---- */

static uint32_t most_reserved(const ts_summary *s)
{
  uint32_t most = 0;
  for (uint32_t c = 1; c < s->memory->class_count; c++)
    if (s->extras.reserved[c].reserved > s->extras.reserved[most].reserved)
      most = c;
  return most;
}

static void reserved_text(const ts_summary *s, ts_arena *arena, FILE *out)
{
  uint32_t class = most_reserved(s);
  const ts_reserved *r = &s->extras.reserved[class];
  ts_put_text(
    out, "\nMemory in the caching allocator%s\n",
    s->result->class_count > 1 ? ts_arena_printf(arena, ", %s", class_name(s, arena, class)) : "");
  extras_row(out, "peak allocated", ts_format_bytes((double)r->allocated), "");
  extras_row(out, "peak reserved", ts_format_bytes((double)r->reserved),
             ts_arena_printf(arena, " in %s segment%s", ts_format_count(r->segments).text,
                             r->segments == 1 ? "" : "s"));
  extras_row(out, "held by no tensor", ts_format_share(r->fragmentation), " of it");
  if (r->buffers)
    extras_row(out, "collective library", ts_format_bytes((double)r->buffers),
               ts_arena_printf(arena, " for %u group%s of %u channels", r->communicators,
                               r->communicators == 1 ? "" : "s", r->channels));
  uint64_t context = s->memory->classes[class].reserved;
  if (context)
    extras_row(out, "driver and libraries", ts_format_bytes((double)context), "");
  if (r->buffers || context)
    extras_row(out, "in use on the device",
               ts_format_bytes((double)(r->reserved + r->buffers + context)), "");
  if (r->retries)
    extras_row(out, "cache flushed", ts_format_count(r->retries), " times");
  if (r->failed)
    fputs("  Not all allocations could be served.\n", out);
}

static void reserved_json(const ts_summary *s, cJSON *root)
{
  cJSON *list = cJSON_AddArrayToObject(root, "allocator");
  for (uint32_t c = 0; c < s->memory->class_count; c++) {
    const ts_reserved *r = &s->extras.reserved[c];
    cJSON *o = ts_add_element(list);
    ts_add_number(o, "rank", s->memory->classes[c].rank);
    ts_add_number(o, "allocated_bytes", (double)r->allocated);
    ts_add_number(o, "reserved_bytes", (double)r->reserved);
    add_rounded(o, "fragmentation", r->fragmentation);
    ts_add_number(o, "segments", (double)r->segments);
    ts_add_number(o, "retries", (double)r->retries);
    ts_add_number(o, "collective_buffers_bytes", (double)r->buffers);
    ts_add_number(o, "channels", r->channels);
    cJSON_AddBoolToObject(o, "failed", r->failed);
  }
}

/* ---- Repetitions, failures ---- */

static void spread_text(const ts_spread *spread, double alone, ts_arena *arena, FILE *out)
{
  ts_put_text(out, "\n%s\n",
              ts_report_fit(arena,
                            ts_arena_printf(arena, "Step time over %s repetitions, seed %s",
                                            ts_format_count(spread->count).text, spread->seed),
                            80));
  for (int i = 0; i < SHARES; i++) {
    uint64_t time = ts_percentile(spread, shares[i]);
    extras_row(
      out, share_names[i], ts_format_time(time),
      ts_arena_printf(arena, "%+8.1f %%", alone > 0 ? 100 * ((double)time / alone - 1) : 0));
  }
  extras_row(out, "mean", extras_time_of(spread->mean),
             ts_arena_printf(arena, "%+8.1f %%", alone > 0 ? 100 * (spread->mean / alone - 1) : 0));
  extras_row(out, "standard deviation", extras_time_of(spread->deviation), "");
}

static void spread_json(const ts_spread *spread, cJSON *root)
{
  static const char *const fields[] = {"least_ps", "p10_ps", "p50_ps",
                                             "p90_ps",   "p99_ps", "most_ps"};
  TS_TABLE(fields, SHARES);
  cJSON *o = cJSON_AddObjectToObject(root, "repetitions");
  cJSON_AddStringToObject(o, "seed", spread->seed);
  ts_add_number(o, "count", spread->count);
  for (int i = 0; i < SHARES; i++)
    ts_add_number(o, fields[i], (double)ts_percentile(spread, shares[i]));
  ts_add_number(o, "mean_ps", round(spread->mean));
  ts_add_number(o, "deviation_ps", round(spread->deviation));
}

static void goodput_text(const ts_goodput *g, ts_arena *arena, FILE *out)
{
  fprintf(out, "\nA day with failures, restarts and checkpoints\n");
  extras_row(out, "useful", ts_format_share(g->useful),
             ts_arena_printf(arena, "   %s steps", ts_format_count((uint64_t)g->steps_a_day).text));
  extras_row(out, "checkpoints", ts_format_share(g->checkpoints),
             ts_arena_printf(arena, "   every %s step%s, %s%s", ts_format_count(g->every).text,
                             g->every == 1 ? "" : "s", extras_time_of(g->interval * 1e12).text,
                             g->faults.every ? "" : " (best)"));
  extras_row(out, "restarts, lost work", ts_format_share(g->lost),
             ts_arena_printf(arena, "   %.3g failures", g->failures_a_day));
}

static void day_text(const ts_day *d, ts_arena *arena, FILE *out)
{
  ts_put_text(out, "\nA day with %u failure%s\n", d->failures, d->failures == 1 ? "" : "s");
  extras_row(out, "useful", extras_time_of(d->useful * 1e12),
             ts_arena_printf(arena, "   %s steps", ts_format_count(d->steps).text));
  extras_row(out, "checkpoints", extras_time_of(d->checkpoints * 1e12), "");
  extras_row(out, "work lost", extras_time_of(d->lost * 1e12),
             "   since the last checkpoint, and at the end");
  extras_row(out, "restarts", extras_time_of(d->restarts * 1e12), "");
}

static void day_json(const ts_day *d, cJSON *root)
{
  cJSON *o = cJSON_AddObjectToObject(root, "day");
  ts_add_number(o, "failures", d->failures);
  ts_add_number(o, "steps", (double)d->steps);
  add_rounded(o, "useful_s", d->useful);
  add_rounded(o, "checkpoints_s", d->checkpoints);
  add_rounded(o, "lost_s", d->lost);
  add_rounded(o, "restarts_s", d->restarts);
}

static void goodput_json(const ts_goodput *g, cJSON *root)
{
  cJSON *o = cJSON_AddObjectToObject(root, "goodput");
  add_rounded(o, "useful_share", g->useful);
  add_rounded(o, "checkpoint_share", g->checkpoints);
  add_rounded(o, "lost_share", g->lost);
  ts_add_number(o, "checkpoint_every_steps", (double)g->every);
  ts_add_number(o, "failures_per_day", g->failures_a_day);
  ts_add_number(o, "steps_per_day", floor(g->steps_a_day));
  ts_add_number(o, "mean_time_between_failures_s", g->job_between_failures);
}

/* ---- Overlap ---- */

/* Under contention a call can take less than where all instances of its group call at once: then
 * nothing was lost. */
static uint64_t lost(uint64_t with, uint64_t alone) { return with > alone ? with - alone : 0; }
static double growth(uint64_t with, uint64_t alone)
{
  return alone ? (double)lost(with, alone) / (double)alone : 0;
}

static void overlap_text(const ts_summary *s, ts_arena *arena, FILE *out)
{
  ts_overlap_cost c = ts_overlap_cost_of(s->run, s->busiest);
  ts_put_text(out, "\nSlowdown by overlap%s, %s model, %s\n",
              s->result->contention ? " and shared links" : "",
              ts_slowdown_kind_name(s->extras.overlap->kind), class_name(s, arena, s->busiest));
  extras_row(out, "kernels", ts_format_time(lost(c.compute, c.compute_alone)),
             ts_arena_printf(arena, "   %s of %s",
                             ts_format_share(growth(c.compute, c.compute_alone)).text,
                             ts_format_time(c.compute_alone).text));
  extras_row(out, "transfers", ts_format_time(lost(c.transfer, c.transfer_alone)),
             ts_arena_printf(arena, "   %s of %s",
                             ts_format_share(growth(c.transfer, c.transfer_alone)).text,
                             ts_format_time(c.transfer_alone).text));
}

static void overlap_json(const ts_summary *s, cJSON *root)
{
  cJSON *o = cJSON_AddObjectToObject(root, "overlap"), *list;
  cJSON_AddStringToObject(o, "model", ts_slowdown_kind_name(s->extras.overlap->kind));
  list = cJSON_AddArrayToObject(o, "classes");
  for (uint32_t i = 0; i < s->result->class_count; i++) {
    ts_overlap_cost c = ts_overlap_cost_of(s->run, i);
    cJSON *at = ts_add_element(list);
    ts_add_number(at, "rank", s->result->classes[i].rank);
    ts_add_number(at, "compute_ps", (double)c.compute);
    ts_add_number(at, "compute_alone_ps", (double)c.compute_alone);
    ts_add_number(at, "transfer_ps", (double)c.transfer);
    ts_add_number(at, "transfer_alone_ps", (double)c.transfer_alone);
  }
}

static void asserted_text(const ts_extras *e, ts_arena *arena, FILE *out)
{
  if (e->asserted_count)
    fputs("\nAsserted\n", out);
  for (uint32_t i = 0; i < e->asserted_count; i++)
    ts_put_text(out, "  %-16s%s\n", e->asserted[i].holds ? "holds" : "does not hold",
                ts_report_fit(arena, e->asserted[i].text, 200));
}

static void asserted_json(const ts_extras *e, cJSON *root)
{
  cJSON *list = e->asserted_count ? cJSON_AddArrayToObject(root, "assertions") : NULL;
  for (uint32_t i = 0; i < e->asserted_count; i++) {
    cJSON *at = ts_add_element(list);
    cJSON_AddStringToObject(at, "text", e->asserted[i].text);
    cJSON_AddBoolToObject(at, "holds", e->asserted[i].holds);
  }
}

void ts_report_extras_text(const ts_summary *s, ts_arena *arena, FILE *out)
{
  const ts_extras *e = &s->extras;
  if (e->modules)
    ts_modules_text(s, e->modules, arena, out);
  if (e->overlap)
    overlap_text(s, arena, out);
  if (e->blames)
    blames_text(s, e->blames, arena, out);
  if (e->reserved)
    reserved_text(s, arena, out);
  if (e->spread)
    spread_text(e->spread, (double)s->result->step, arena, out);
  if (e->goodput)
    goodput_text(e->goodput, arena, out);
  if (e->day)
    day_text(e->day, arena, out);
  ts_report_insight_text(s, arena, out);
  if (e->ways_out)
    ts_ways_out_text(e->ways_out, arena, out);
  asserted_text(e, arena, out);
}

void ts_report_extras_json(const ts_summary *s, cJSON *root)
{
  const ts_extras *e = &s->extras;
  if (e->modules)
    ts_modules_json(s, e->modules, root);
  if (e->overlap)
    overlap_json(s, root);
  if (e->blames)
    blames_json(s, e->blames, root);
  if (e->reserved)
    reserved_json(s, root);
  if (e->spread)
    spread_json(e->spread, root);
  if (e->goodput)
    goodput_json(e->goodput, root);
  if (e->day)
    day_json(e->day, root);
  ts_report_insight_json(s, root);
  if (e->ways_out)
    ts_ways_out_json(e->ways_out, root);
  asserted_json(e, root);
}
