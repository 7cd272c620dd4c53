#include "tools/cli/play_live.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/json_writer.h"
#include "base/source.h"
#include "base/version.h"
#include "tools/cli/live_page.h"

static const double EVERY = 0.5; /* s between two looks at the streams */

/* of a stream, its texts beside it: those of the play may be gone when the page is asked for */
typedef struct shown_lane {
  ts_progress_lane lane;
  char stream[32], item[48];
} shown_lane;

struct ts_play_live {
  ts_live_page page;
  const char *file;
  ts_progress inner;
  pthread_mutex_t lock; /* of what stands below, between who plays and who serves */
  double begun, since, looked;
  const char *what, *unit;
  double share, done;
  ts_progress_lanes lanes; /* their counts */
  shown_lane at[TS_PROGRESS_LANES];
};

/* ---- From who plays ---- */

static bool play_live_tick(void *closure, const char *what, double share)
{
  ts_play_live *l = closure;
  pthread_mutex_lock(&l->lock);
  if (!l->what || strcmp(l->what, what) != 0)
    l->since = ts_clock(), l->unit = NULL;
  l->what = what, l->share = share;
  pthread_mutex_unlock(&l->lock);
  return l->inner.tick(l->inner.closure, what, share);
}

static void play_live_count(void *closure, const char *unit, double done)
{
  ts_play_live *l = closure;
  pthread_mutex_lock(&l->lock);
  l->unit = unit, l->done = done;
  pthread_mutex_unlock(&l->lock);
  if (l->inner.count)
    l->inner.count(l->inner.closure, unit, done);
}

static bool play_live_watched(void *closure)
{
  ts_play_live *l = closure;
  double now = ts_clock();
  if (now - l->looked < EVERY)
    return false;
  l->looked = now;
  return true;
}

static void play_live_show(void *closure, const ts_progress_lanes *lanes)
{
  ts_play_live *l = closure;
  pthread_mutex_lock(&l->lock);
  l->lanes = *lanes;
  for (uint32_t i = 0; i < lanes->count; i++) {
    l->at[i].lane = lanes->at[i];
    snprintf(l->at[i].stream, sizeof l->at[i].stream, "%s", lanes->at[i].stream);
    snprintf(l->at[i].item, sizeof l->at[i].item, "%s", lanes->at[i].item);
  }
  pthread_mutex_unlock(&l->lock);
}

/* ---- As JSON ---- */

static void put_lane(ts_json_writer *w, const shown_lane *s)
{
  ts_json_line(w, 2);
  ts_json_begin(w, NULL, '{');
  ts_json_put_count(w, "rank", s->lane.rank);
  ts_json_put_text(w, "stream", s->stream);
  ts_json_put_text(w, "state", s->lane.state);
  if (*s->item)
    ts_json_put_text(w, "item", s->item);
  if (s->lane.micro_batch != UINT32_MAX)
    ts_json_put_count(w, "micro_batch", s->lane.micro_batch);
  ts_json_put_number(w, "time", "%.9g", 1e-12 * (double)s->lane.time);
  ts_json_put_count(w, "queue", s->lane.left);
  ts_json_end(w, '}');
}

static void put_progress(const ts_play_live *l, ts_json_writer *w)
{
  double now = ts_clock(), spent = now - l->since;
  ts_json_begin(w, "play", '{');
  ts_json_put_text(w, "what", l->what ? l->what : "compiling");
  ts_json_put_number(w, "share", "%.4g", l->share);
  ts_json_put_number(w, "seconds", "%.3g", now - l->begun);
  if (l->share > 0.01 && l->share < 1)
    ts_json_put_number(w, "seconds_left", "%.3g", spent * (1 - l->share) / l->share);
  if (l->unit) {
    ts_json_put_text(w, "unit", l->unit);
    ts_json_put_number(w, "done", "%.9g", l->done);
  }
  ts_json_put_count(w, "streams", l->lanes.streams);
  ts_json_put_count(w, "ready", l->lanes.ready);
  ts_json_put_count(w, "through", l->lanes.through);
  ts_json_end(w, '}');
}

static void play_live_put(void *closure, FILE *out)
{
  ts_play_live *l = closure;
  ts_json_writer w = {.out = out, .spaced = true};
  pthread_mutex_lock(&l->lock);
  ts_json_begin(&w, NULL, '{');
  ts_json_put_text(&w, "type", "trainspec-live");
  ts_json_put_count(&w, "format", 1);
  ts_json_put_text(&w, "file", l->file);
  ts_json_put_text(&w, "version", ts_version());
  put_progress(l, &w);
  ts_json_begin(&w, "lanes", '[');
  for (uint32_t i = 0; i < l->lanes.count; i++)
    put_lane(&w, &l->at[i]);
  ts_json_end(&w, ']');
  ts_json_end(&w, '}');
  ts_json_end_document(&w);
  pthread_mutex_unlock(&l->lock);
}

/* ---- Serving ---- */

ts_play_live *ts_play_live_begin(ts_arena *arena, const char *where, const char *file,
                                 ts_error *error)
{
  ts_play_live *l = TS_NEW(arena, ts_play_live);
  *l = (ts_play_live){.file = ts_base_name(file), .begun = ts_clock(), .since = ts_clock()};
  l->page.title = "A play under way";
  l->page.heading = l->file;
  l->page.hint =
    "Streams of some ranks, of the thread that began the play: what each does or waits "
    "for, the time of the step up to which it was played, and how many items wait in its "
    "queue.";
  l->page.put_status = play_live_put;
  l->page.closure = l;
  pthread_mutex_init(&l->lock, NULL);
  return ts_live_page_open(&l->page, where, error) && ts_live_page_begin(&l->page) ? l : NULL;
}

const char *ts_play_live_url(const ts_play_live *l) { return l->page.http.url; }

ts_progress ts_play_live_watch(ts_play_live *l, ts_progress inner)
{
  l->inner = inner;
  return (ts_progress){.tick = play_live_tick,
                       .closure = l,
                       .count = play_live_count,
                       .watched = play_live_watched,
                       .show = play_live_show};
}

void ts_play_live_end(ts_play_live *l)
{
  ts_live_page_end(&l->page);
  pthread_mutex_destroy(&l->lock);
}
