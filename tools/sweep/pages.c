/* A folder of reports: a page for each of the best plans of a sweep, to which its own links. */
#include <errno.h>
#include <sys/stat.h>

#include "base/output.h"
#include "runtime/account/memory.h"
#include "runtime/account/run.h"
#include "runtime/report/report.h"
#include "tools/sweep/report.h"

static void put_page(void *closure, FILE *out) { ts_report_html(closure, out); }

/* 0 or an errno value. */
static int pages_write(const ts_sweep *s, const ts_outcome *o, const char *path)
{
  ts_arena *arena = ts_arena_new("page of a plan");
  ts_session *session = ts_session_with(arena, s->common);
  ts_compile_options how = s->compile;
  how.plan_name = s->search->plan;
  how.defines = ts_search_defines_at(s->search, o->point, arena, &how.define_count);
  ts_run_options play = {.threads = 1};
  ts_stop stop = {.arena = arena};
  ts_input input;
  int error = EINVAL;
  if (ts_input_open(session, s->path, &how, &input)) {
    ts_run *run = ts_run_new(&input.ir, &play, &stop);
    if (run) {
      const ts_summary *summary =
        ts_summary_new(arena, &input.ir, run, ts_memory_new(arena, &input.ir, run), NULL);
      error = ts_print_file(path, put_page, (void *)(uintptr_t)summary);
      ts_run_free(run);
    }
    ts_input_close(&input);
  }
  ts_arena_free(arena);
  return error;
}

int ts_sweep_put_pages(const ts_sweep *s, const char *folder, size_t most, size_t *count)
{
  int error = mkdir(folder, 0777) && errno != EEXIST ? errno : 0;
  for (*count = 0; !error && *count < s->count && (!most || *count < most); ++*count) {
    const ts_outcome *o = &s->outcomes[*count];
    if (o->state != TS_RANKED)
      break;
    error = pages_write(s, o, ts_arena_printf(s->arena, "%s/plan-%zu.html", folder, *count + 1));
  }
  return error;
}
