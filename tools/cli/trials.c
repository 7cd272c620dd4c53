#include "tools/cli/trials.h"

#include <stdatomic.h>
#include <string.h>

#include "compiler/eval/shared.h"
#include "runtime/collective/links.h"
#include "runtime/load/workers.h"
#include "tools/cli/plan_options.h"
#include "tools/cli/progress.h"

enum { MOST_THREADS = 8 };

typedef struct trials_work {
  const ts_trials *trials;
  const ts_trials_job *job;
  atomic_size_t next;
  atomic_bool interrupted;
} trials_work;

ts_trials ts_trials_begin(const char *path, const ts_input *input,
                          const ts_compile_options *compile, const ts_run_options *run)
{
  ts_trials t = {.path = path, .input = input, .compile = compile, .run = *run};
  t.run.threads = 1;    /* several are played at once instead */
  t.run.packets = NULL; /* of one run at a time */
  t.common = strcmp(path, "-") != 0 ? ts_common_new(path, compile) : NULL;
  t.links = ts_links_shared_new();
  return t;
}

void ts_trials_end(ts_trials *t)
{
  ts_links_shared_free(t->links);
  ts_common_free(t->common);
}

static void trials_play_one(const trials_work *w, size_t i, const ts_run_options *run)
{
  const ts_trials *t = w->trials;
  const ts_trials_job *job = w->job;
  const ts_way *way = (const ts_way *)(const void *)((const char *)job->ways + i * job->stride);
  bool changes = way->edit_count + way->define_count > 0;
  ts_arena *scratch = ts_arena_new("a change of a plan");
  ts_memory_bound held = {.early = true};
  ts_compile_options compile = *t->compile;
  compile.held = job->too_large ? &held : NULL;
  compile.orderless = true;
  ts_input input = {0};
  ts_session *s = changes ? ts_way_compile(scratch, t->common, t->path, t->input->text,
                                           t->input->size, &compile, way, &input) :
                            NULL;
  if (input.status == TS_PASS_TOO_LARGE)
    job->too_large(job->closure, i, &held);
  else
    job->play(job->closure, i, scratch, s ? &input.ir : changes ? NULL : &t->input->ir, run);
  if (s) {
    ts_input_close(&input);
    ts_shared_leave(s);
  }
  ts_arena_free(scratch);
}

static bool is_not_interrupted(void *closure, const char *what, double share)
{
  (void)closure, (void)what, (void)share;
  return !ts_progress_interrupted();
}

/* The bar is drawn from the first thread. */
static void trials_take(void *closure, bool first)
{
  trials_work *w = closure;
  const ts_trials_job *job = w->job;
  static const ts_progress quiet = {.tick = is_not_interrupted};
  ts_run_options run = w->trials->run;
  run.links = ts_links_cache_new(w->trials->links);
  run.progress = first ? run.progress : &quiet;
  for (size_t i; (i = atomic_fetch_add(&w->next, 1)) < job->count;) {
    if (!ts_tick(run.progress, job->what,
                 job->done + job->share * (double)i / (double)job->count)) {
      atomic_store(&w->interrupted, true);
      break;
    }
    trials_play_one(w, i, &run);
  }
  ts_links_cache_free(run.links);
}

bool ts_trials_play(const ts_trials *t, const ts_trials_job *job)
{
  trials_work w = {.trials = t, .job = job};
  size_t threads = (size_t)ts_usual_jobs();
  threads = threads < MOST_THREADS ? threads : MOST_THREADS;
  ts_workers_together((uint32_t)(threads < job->count ? threads : job->count), trials_take, &w);
  return !w.interrupted;
}
