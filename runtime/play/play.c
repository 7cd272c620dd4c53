#include "runtime/play/play.h"

#include "base/heap.h"
#include "runtime/collective/links.h"
#include "runtime/load/workers.h"
#include "runtime/play/contention.h"
#include "runtime/play/overlap.h"
#include "runtime/play/sharing.h"

static bool chooses(const ts_ir *ir)
{
  for (uint32_t i = 0; i < ir->nodes_count; i++)
    if (ts_node_chooses(&ir->nodes[i]))
      return true;
  return false;
}

/* Kernels of several streams share a device. The engine knows which of several messages come first
 * when it knows all of them. Of calls that share links it would know that too late: others have
 * begun. */
bool ts_run_goes_by_time(const ts_ir *ir, const ts_run_options *options)
{
  return options->overlap || ts_streams_that_compute(ir, false) > 1 ||
         (options->contention && chooses(ir));
}

static bool find_kinds(ts_arena *arena, const ts_tables *of, ts_ranks *ranks,
                       const ts_run_options *options, ts_prepared *out, ts_stop *stop)
{
  ts_tables *tables = ts_arena_copy(arena, of, sizeof *tables);
  ranks->slower = options->slower;
  tables->arena = arena;
  tables->ranks = ranks;
  tables->transfer = options->transfer;
  tables->progress = options->progress;
  tables->apart = ts_run_goes_by_time(of->ir, options);
  tables->every_op = options->every_op;
  out->tables = tables;
  ts_network_watch(out->network, options->packets, options->progress);
  out->roles = ts_roles_new(arena, tables, out->network, stop);
  return out->roles != NULL;
}

bool ts_run_prepare(ts_arena *arena, const ts_ir *ir, const ts_run_options *options,
                    ts_prepared *out, ts_stop *stop)
{
  ts_heap_doing("finding equivalent ranks");
  ts_ranks *ranks = ts_arena_copy(arena, ts_ranks_new(arena, ir), sizeof *ranks);
  const ts_tables *tables = ts_tables_new(arena, ir, ranks, stop);
  ts_links *links =
    options->links ? ts_links_cache_of(options->links, ir) : ts_links_new(arena, ir);
  *out = (ts_prepared){
    tables, tables ? ts_network_over(arena, ir, ranks, links, options->network, stop) : NULL, NULL};
  return out->network && find_kinds(arena, tables, ranks, options, out, stop);
}

bool ts_run_prepare_again(ts_arena *arena, const ts_prepared *usual, const ts_run_options *options,
                          ts_prepared *out, ts_stop *stop)
{
  *out = (ts_prepared){.network = usual->network};
  return find_kinds(arena, usual->tables,
                    ts_arena_copy(arena, usual->tables->ranks, sizeof(ts_ranks)), options, out,
                    stop);
}

/* Each is to have a millisecond of work and more. */
static uint32_t threads_worth(const ts_prepared *p, const ts_fold *fold,
                              const ts_run_options *options)
{
  enum { NODES = 1 << 20 };
  uint64_t nodes = 0;
  for (uint32_t i = 0; i < fold->count; i++)
    nodes += p->tables->programs[p->roles->at[p->roles->of[fold->rank[i]]].program].node_count;
  uint32_t most = ts_workers_size(options->threads, fold->count);
  return options->spread      ? options->threads :
         nodes / NODES < most ? (uint32_t)(nodes / NODES) + 1 :
                                most;
}

const ts_facts *ts_run_play(ts_arena *arena, const ts_prepared *p, const ts_run_options *options,
                            uint32_t order, ts_stop *stop)
{
  ts_heap_doing("playing the step");
  ts_arena *scratch = ts_arena_new("links that are shared");
  ts_contention *contention =
    options->contention ? ts_contention_new(arena, p->tables, p->network, !p->tables->apart) : NULL;
  ts_fold_links *links =
    contention ? ts_fold_links_new(scratch, arena, p->tables, p->roles, contention) : NULL;
  contention = links ? contention : NULL;
  const ts_fold *fold = ts_fold_new(arena, p->tables, p->roles, links, !options->no_fold);
  ts_arena_free(scratch);
  uint32_t threads = contention ? 1 : threads_worth(p, fold, options);
  const ts_facts *facts;
  if (!p->tables->apart) {
    facts = ts_engine_play(arena, p->tables, p->roles, fold, contention, threads, order, stop);
  } else {
    const ts_facts *alone =
      ts_engine_play(arena, p->tables, p->roles, fold, NULL, threads, order, stop);
    facts = alone ? ts_overlap_play(arena, alone,
                                    options->overlap ? options->overlap : &ts_slowdown_nothing,
                                    contention, stop) :
                    NULL;
  }
  ts_contention_free(contention);
  return facts;
}

bool ts_run_step(const ts_ir *ir, const ts_run_options *options, uint64_t *step, ts_stop *stop)
{
  ts_arena *arena = ts_arena_new("step");
  ts_prepared p;
  const ts_facts *facts =
    ts_run_prepare(arena, ir, options, &p, stop) ? ts_run_play(arena, &p, options, 0, stop) : NULL;
  if (facts)
    *step = facts->end;
  ts_arena_free(arena);
  return facts != NULL;
}
