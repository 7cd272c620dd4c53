#include "runtime/account/overlap_cost.h"

#include "runtime/account/run.h"
#include "runtime/play/track.h"

ts_overlap_cost ts_overlap_cost_of(const ts_run *run, uint32_t class)
{
  const ts_facts *f = ts_run_facts(run);
  ts_overlap_cost cost = {0};
  ts_arena *scratch = ts_arena_new("cost of overlap");
  const ts_track *track = ts_track_new(scratch, f, class);
  const ts_player *w = ts_player_of(track);
  for (uint32_t i = 0; i < track->stream[f->tables->streams]; i++) {
    const ts_played_op *s = &track->steps[i];
    const ts_play_item *v = ts_item_of(track, s);
    if (s->op->kind == TS_OP_RUN) {
      cost.compute += s->time;
      cost.compute_alone += s->op->time;
    } else if (s->op->kind == TS_OP_COLLECTIVE) {
      cost.transfer += s->time;
      cost.transfer_alone += s->op->time;
    } else if (s->op->kind == TS_OP_SEND) {
      cost.transfer += s->time;
      cost.transfer_alone += ts_send_time(w->role, &w->program->routes[v->port_base + s->op->arg]);
    }
  }
  ts_arena_free(scratch);
  return cost;
}
