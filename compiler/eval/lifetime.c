#include "compiler/eval/lifetime.h"

#include "base/diag_record.h"
#include "base/heap.h"
#include "compiler/eval/defines.h"
#include "compiler/eval/files.h"
#include "compiler/eval/function.h"
#include "compiler/eval/mesh.h"
#include "compiler/eval/module.h"
#include "compiler/eval/options.h"
#include "compiler/eval/report.h"
#include "compiler/eval/reuse.h"
#include "compiler/eval/running.h"
#include "compiler/eval/vocabulary.h"

enum { MOST_KEPT_BYTES = 3 << 24 }; /* of a session that goes on */

static ts_session *session(ts_arena *arena, ts_sources *sources, const ts_session *below,
                           const struct ts_domain *domain)
{
  ts_session *s = TS_NEW(arena, ts_session);
  s->domain = domain;
  s->below = below;
  s->arena = s->lasting = arena;
  s->limits = ts_limits_usual;
  s->options = TS_NEW(arena, ts_compile_options);
  s->files = TS_NEW(arena, ts_session_files);
  s->defined = TS_NEW(arena, ts_defines);
  s->reports = TS_NEW(arena, ts_reports);
  s->vocabulary = TS_NEW(arena, ts_vocabulary);
  s->mesh = TS_NEW(arena, ts_mesh);
  s->running = TS_NEW(arena, ts_running);
  s->reuse = TS_NEW(arena, ts_reuse);
  s->sources = sources;
  s->diags = ts_diags_new(arena, s->sources);
  s->lang = below ? ts_lang_over(arena, below->lang, s->sources, s->diags) :
                    ts_lang_new(arena, s->sources, s->diags);
  ts_reports_begin(s);
  ts_builtins_install(s);
  return s;
}

ts_session *ts_session_of(ts_arena *arena, ts_sources *sources, const struct ts_domain *domain)
{
  return session(arena, sources ? sources : ts_sources_new(arena), NULL, domain);
}

ts_session *ts_session_over(ts_arena *arena, const ts_session *below)
{
  return session(arena, ts_sources_over(arena, below->sources), below, below->domain);
}

bool ts_session_go_on(ts_session *s)
{
  size_t most = ts_heap_ceiling() ? ts_heap_ceiling() / 8 : MOST_KEPT_BYTES;
  if (!s->reuse->plan_cache || !s->files->loaded || s->files->said_loading ||
      ts_diags_errors(s->diags) ||
      ts_arena_used(s->lasting) > (most < MOST_KEPT_BYTES ? most : MOST_KEPT_BYTES))
    return false;
  if (s->scratch)
    ts_arena_reset(s->scratch);
  s->arena = s->lasting;
  s->diags->all.count = 0; /* warnings of that plan; what they were about is not kept */
  ts_reports_begin(s);
  ts_session_forget_files(s);
  ts_modules_forget(s);
  *s->mesh = (ts_mesh){0};
  s->explained = NULL;
  s->defined->ast = NULL;
  s->defined->file = NULL;
  s->reuse->touched = (ts_touched){0};
  return true;
}

void ts_session_scratch(ts_session *s)
{
  if (s->scratch)
    s->arena = s->scratch;
}
