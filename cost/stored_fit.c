#include "cost/stored_fit.h"

static const char *stored_text(const ts_stored_fits *all, uint32_t text)
{
  return text ? all->letters + text - 1 : NULL;
}

static ts_fit_model model_of(const ts_stored_fits *all, const ts_stored_model *stored)
{
  ts_fit_model m = stored->plain;
  m.family = stored_text(all, stored->family);
  m.dtype = stored_text(all, stored->dtype);
  m.also = stored_text(all, stored->also);
  m.learner = stored_text(all, stored->learner);
  m.model = ts_kernel_model_find(stored_text(all, stored->model));
  m.row = all->number + stored->row;
  m.row_us = all->number + stored->row_us;
  m.weight = all->ready + stored->weight;
  for (uint32_t c = 0; c < m.kernel_count; c++)
    m.point[c] = all->ready + stored->point[c];
  m.trees.root = all->root + stored->root;
  m.trees.node = all->node + stored->node;
  return m;
}

ts_fit *ts_stored_fit_of(ts_arena *arena, const ts_stored_fits *all, size_t fit)
{
  const ts_stored_fit *f = fit < all->count ? &all->fit[fit] : NULL;
  if (!f || !f->model_count)
    return NULL;
  ts_fit *made = TS_NEW(arena, ts_fit);
  ts_fit_model *models = TS_NEW_ARRAY(arena, ts_fit_model, f->model_count);
  *made = (ts_fit){.device = stored_text(all, f->device),
                   .provenance = stored_text(all, f->provenance),
                   .model_count = f->model_count,
                   .model = models};
  for (uint32_t i = 0; i < f->data_count; i++) {
    const ts_stored_data *d = &all->data[f->data + i];
    TS_PUSH(arena, &made->data,
            ((ts_fit_data){stored_text(all, d->file), stored_text(all, d->sha256),
                           stored_text(all, d->source), d->rows}));
  }
  for (uint32_t i = 0; i < f->model_count; i++)
    models[i] = model_of(all, &all->model[f->model + i]);
  return made;
}

ts_cost_source *ts_cost_stored_fit(ts_arena *arena, const ts_stored_fits *all, size_t fit)
{
  const ts_fit *made = ts_stored_fit_of(arena, all, fit);
  ts_cost_source *source = made ? TS_NEW(arena, ts_cost_source) : NULL;
  if (source)
    *source = (ts_cost_source){.kind = TS_SOURCE_FIT, .u.fit = made};
  return source;
}
