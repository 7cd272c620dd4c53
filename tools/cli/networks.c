#include "tools/cli/networks.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/escape.h"
#include "base/format.h"
#include "runtime/account/memory.h"
#include "runtime/collective/requested.h"
#include "runtime/collective/packet_model.h"
#include "runtime/load/workers.h"
#include "runtime/report/members.h"
#include "runtime/report/plausible.h"
#include "runtime/report/report.h"
#include "runtime/report/summary.h"
#include "tools/cli/play_warnings.h"

typedef struct networks_row {
  const char *name;
  uint64_t step;
  double exposed, seconds;
} networks_row;
typedef TS_VEC(const char *) names;
/* what this build cannot play, or NULL */
struct ts_networks {
  networks_row *rows;
  size_t count;
  const char *left;
};

static const char planned[] = "as planned";

bool ts_networks_several(const char *argument)
{
  return argument && (!strcmp(argument, "all") || strchr(argument, ','));
}

static void add_name(ts_arena *arena, names *all, const char *name)
{
  for (size_t i = 0; i < all->count; i++)
    if (!strcmp(all->at[i], name))
      return;
  TS_PUSH(arena, all, name);
}

/* Whether a call may come to a model that this build cannot play. */
static bool is_missing(const ts_ir *ir, const char *name)
{
  for (uint32_t m = 0; m < ir->net_models_count; m++)
    if (ir->net_models[m].kind == TS_IR_NET_PACKET &&
        ts_network_asks(ir, m, name == planned ? NULL : name))
      return !ts_packet_available();
  return false;
}

/* Takes out of `all` what this build cannot play, and says so. */
static const char *leave_out(ts_arena *arena, const ts_ir *ir, names *all)
{
  const char *left = NULL;
  size_t remaining = 0;
  for (size_t i = 0; i < all->count; i++)
    if (!is_missing(ir, all->at[i]))
      all->at[remaining++] = all->at[i];
    else
      left = left ? ts_arena_printf(arena, "%s, %s", left, all->at[i]) : all->at[i];
  all->count = remaining;
  return left;
}

static names names_of(ts_arena *arena, const ts_ir *ir, const char *argument)
{
  names all = {0};
  if (!strcmp(argument, "all")) {
    add_name(arena, &all, planned);
    for (uint32_t m = 0; m < ir->net_models_count; m++)
      add_name(arena, &all, ir->strings + ir->net_models[m].name);
    add_name(arena, &all, TS_NETWORK_LINKS);
    return all;
  }
  for (const char *at = argument, *end; at; at = *end ? end + 1 : NULL) {
    end = at + strcspn(at, ",");
    add_name(arena, &all, ts_arena_string(arena, at, (size_t)(end - at)));
  }
  return all;
}

static ts_warning *networks_known(const ts_warnings *warnings, const ts_warning *w)
{
  for (size_t i = 0; i < warnings->at.count; i++) {
    ts_warning *v = &warnings->at.at[i];
    if (v->loc == w->loc && strcmp(v->code, w->code) == 0 && strcmp(v->message, w->message) == 0)
      return v;
  }
  return NULL;
}

/* Those of the compilation are of no play; one that several plays have names all their networks. */
static void networks_look(ts_arena *arena, ts_summary *s, const ts_run_options *options,
                          const char *name, ts_warnings *warnings)
{
  ts_plausible(s, options);
  for (size_t i = 0; i < s->warnings.at.count; i++) {
    const ts_warning *w = &s->warnings.at.at[i];
    ts_warning *shared = name == planned ? NULL : networks_known(warnings, w);
    if (w->compiled)
      continue;
    if (shared) {
      shared->notes.at[0].text = ts_arena_printf(arena, "%s, %s", shared->notes.at[0].text, name);
      continue;
    }
    TS_PUSH(arena, &warnings->at, *w);
    if (name != planned)
      ts_label_play_warnings(arena, warnings, warnings->at.count - 1, "network", name);
  }
}

/* Played anew with this model: what it took on this machine is part of the answer. `warnings`: NULL
 * where nobody looks for any. */
static int networks_play(ts_arena *arena, const ts_ir *ir, ts_run_options options, const char *name,
                         networks_row *r, ts_warnings *warnings, ts_stop *stop)
{
  double begin = ts_clock();
  options.network = name == planned ? NULL : name;
  options.packets = ts_packet_memo_new(arena, ts_workers_size(options.threads, UINT32_MAX));
  ts_run *run = ts_run_new(ir, &options, stop);
  if (!run)
    return -1;
  *r =
    (networks_row){.name = name, .step = ts_run_result(run)->step, .seconds = ts_clock() - begin};
  ts_summary *s = ts_arena_copy(
    arena, ts_summary_new(arena, ir, run, ts_memory_new(arena, ir, run), options.network),
    sizeof *s);
  r->exposed = r->step ? s->time.exposed / (double)r->step : 0;
  if (warnings)
    networks_look(arena, s, &options, name, warnings);
  ts_run_free(run);
  return 0;
}

void ts_networks_text(void *closure, FILE *out)
{
  const ts_networks *n = closure;
  const networks_row *rows = n->rows;
  ts_put_text(out, "%-24s%15s%17s%15s\n", "Network", "step time", "communication", "own run time");
  for (size_t i = 0; i < n->count; i++)
    ts_put_text(out, "%-24s%15s%17s%15s\n", rows[i].name, ts_format_time(rows[i].step).text,
                ts_format_share(rows[i].exposed).text,
                ts_format_time((uint64_t)(rows[i].seconds * 1e12)).text);
  fprintf(out, "\nCommunication: share of the step that devices wait for it. A call that a model "
               "has no answer\nfor takes the links' own latency and bandwidth.\n");
  if (n->left)
    ts_put_text(out, "Left out, as this build has no ns-3 (./configure --with-ns3): %s\n", n->left);
}

void ts_networks_json(void *closure, FILE *out)
{
  const ts_networks *n = closure;
  const networks_row *rows = n->rows;
  cJSON *all = cJSON_CreateArray();
  for (size_t i = 0; i < n->count; i++) {
    cJSON *one = ts_add_element(all);
    cJSON_AddStringToObject(one, "network", rows[i].name);
    cJSON_AddNumberToObject(one, "step_time_ps", (double)rows[i].step);
    cJSON_AddNumberToObject(one, "communication", rows[i].exposed);
    cJSON_AddNumberToObject(one, "run_time_s", rows[i].seconds);
  }
  ts_report_print_json(all, out);
}

ts_networks *ts_networks_play(ts_arena *arena, const ts_ir *ir, const ts_run_options *options,
                              const char *argument, ts_warnings *warnings, ts_stop *stop)
{
  bool named = strcmp(argument, "all") != 0;
  names all = names_of(arena, ir, argument);
  /* a model that is named reports for itself */
  const char *left = named ? NULL : leave_out(arena, ir, &all);
  ts_networks *n = TS_NEW(arena, ts_networks);
  *n = (ts_networks){TS_NEW_ARRAY(arena, networks_row, all.count), all.count, left};
  for (size_t i = 0; i < all.count; i++)
    if (networks_play(arena, ir, *options, all.at[i], &n->rows[i],
                      named || all.at[i] == planned ? warnings : NULL, stop) < 0)
      return NULL;
  return n;
}
