/* A table of events in the form of another tool, for one rank after the other. */
#include <stdlib.h>

#include "base/output.h"
#include "base/table.h"
#include "trace/write/export_form.h"

struct ts_export {
  ts_arena *arena;
  const ts_form *form;
  ts_form_writer w;
  uint32_t written;  /* ranks so far */
  /* of the second rank on: the text of all nodes that do not communicate, one behind the other */
  char *shared;
  size_t *at;        /* [count + 1] where each begins in it */
};

ts_export *ts_export_new(ts_arena *arena, ts_export_form form, const ts_events *e, uint32_t world,
                         uint32_t programs)
{
  static const ts_form *const forms[] = {&ts_form_chakra, &ts_form_goal, &ts_form_graph,
                                        &ts_form_aicb, &ts_form_simai};
  TS_TABLE(forms, TS_EXPORT_FORMS);
  ts_export *x = TS_NEW(arena, ts_export);
  *x = (ts_export){.arena = arena,
                   .form = forms[form],
                   .w = {.e = e,
                         .in = ts_events_in_edges(arena, e),
                         .world = world,
                         .programs = programs,
                         .experts = ts_has_experts(e)}};
  return x;
}

void ts_export_calls(ts_export *x, const ts_call_plan *calls) { x->w.calls = calls; }

static bool is_own(const ts_events *e, uint32_t i)
{
  return ts_event_at(e, i)->detail != TS_EVENT_NONE;
}

typedef struct printing { ts_export *x; bool good; } printing;

static void print_shared(void *closure, FILE *out)
{
  printing *p = closure;
  ts_export *x = p->x;
  x->w.out = out;
  for (uint32_t i = 0; i < x->w.e->count && p->good; i++) {
    x->at[i] = (size_t)ftell(out);
    p->good = is_own(x->w.e, i) || x->form->node(&x->w, i);
  }
  x->at[x->w.e->count] = (size_t)ftell(out);
}

static bool export_share(ts_export *x)
{
  printing p = {x, true};
  x->at = TS_NEW_ARRAY(x->arena, size_t, x->w.e->count + 1);
  char *text = ts_printed(print_shared, &p, NULL);
  x->shared = ts_arena_copy(x->arena, text, x->at[x->w.e->count] + 1);
  free(text);
  return p.good;
}

static bool write_nodes(ts_export *x)
{
  bool good = true;
  for (uint32_t i = 0, end; i < x->w.e->count && good; i = end) {
    end = i + 1;
    if (!x->shared || is_own(x->w.e, i)) {
      good = x->form->node(&x->w, i);
      continue;
    }
    while (end < x->w.e->count && !is_own(x->w.e, end)) end++;
    fwrite(x->shared + x->at[i], 1, x->at[end] - x->at[i], x->w.out);
  }
  return good;
}

bool ts_export_write(ts_export *x, FILE *out, ts_error *error)
{
  ts_form_writer *w = &x->w;
  w->error = error;
  w->work = ts_arena_new("rank");
  w->state = NULL;
  bool good = x->written != 1 || export_share(x);
  w->out = out;
  x->written++;
  if (good && x->form->head)
    x->form->head(w);
  good = good && write_nodes(x);
  if (good && x->form->tail)
    x->form->tail(w);
  ts_arena_free(w->work);
  return good;
}
