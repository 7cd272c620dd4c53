/* An order as a schedule of the language: every item where it stands, in lines of a width. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/output.h"
#include "compiler/schedule/schedule.h"

enum { WIDTH = 100 };

typedef struct language_writer {
  const ts_schedule *sc;
  const char *name;
} language_writer;

static bool usual_places(const ts_schedule *sc)
{
  for (uint32_t r = 0; r < sc->ranks; r++)
    for (uint32_t c = 0; c < sc->chunks; c++)
      if (sc->stage_of[r * sc->chunks + c] != c * sc->ranks + r)
        return false;
  return true;
}

/* Which stage of its copy of the model each chunk is, rank by rank. */
static void put_places(const language_writer *w, FILE *out)
{
  const ts_schedule *sc = w->sc;
  fputs("let _places = [\n", out);
  for (uint32_t r = 0; r < sc->ranks; r++) {
    fputs("  [", out);
    for (uint32_t c = 0; c < sc->chunks; c++)
      ts_put_text(out, "%s%u", c ? ", " : "", sc->stage_of[r * sc->chunks + c] % sc->parts);
    fputs("],\n", out);
  }
  ts_put_text(
    out, "]\n\nfn _%s_place(chunk: Int, rank: Int, ranks: Int) -> Int = _places[rank][chunk]\n\n",
    w->name);
}

static void put_stages(const language_writer *w, FILE *out)
{
  const ts_schedule *sc = w->sc;
  fputs("  stages p", out);
  for (uint32_t s = 0; sc->sizes && s < sc->parts; s++)
    ts_put_text(out, "%s%" PRId64, s ? ", " : " of [", sc->sizes[s]);
  ts_put_text(out, "%s%s\n", sc->sizes ? "]" : "", sc->balanced ? " balanced" : "");
  if (sc->chunks == 1 && sc->copies == 1)
    return;
  ts_put_text(out, "  chunks %u", sc->chunks);
  if (sc->copies > 1)
    ts_put_text(out, " copies %u", sc->copies);
  if (!usual_places(sc))
    ts_put_text(out, " place _%s_place", w->name);
  fputs("\n", out);
}

static void language_put_rank(const language_writer *w, FILE *out, uint32_t rank)
{
  const ts_schedule *sc = w->sc;
  size_t column = WIDTH;
  ts_put_text(out, "  at %u {", rank);
  for (uint32_t i = sc->order[rank].first, n = i + sc->order[rank].count; i < n; i++) {
    const ts_placed *p = &sc->items.at[i];
    char text[80];
    if (p->kind == TS_STEP)
      continue;
    int length = snprintf(text, sizeof text, "%s%s(%u",
                          i > sc->order[rank].first && sc->items.at[i - 1].paired ? "with " :
                          p->paired                                               ? "pair " :
                                                                                    "",
                          ts_work_letter(p->kind), p->micro_batch);
    length += snprintf(text + length, sizeof text - (size_t)length, sc->chunks > 1 ? ", %u)" : ")",
                       p->chunk);
    if (column + (size_t)length + 1 > WIDTH) {
      fputs("\n   ", out);
      column = 3;
    }
    ts_put_text(out, " %s", text);
    column += (size_t)length + 1;
  }
  fputs("\n  }\n", out);
}

static void language_put(void *closure, FILE *out)
{
  const language_writer *w = closure;
  if (!usual_places(w->sc))
    put_places(w, out);
  ts_put_text(out, "schedule %s(p: Axis) {\n", w->name);
  put_stages(w, out);
  for (uint32_t r = 0; r < w->sc->ranks; r++)
    language_put_rank(w, out, r);
  fputs("}\n", out);
}

const char *ts_schedule_language(ts_session *s, const ts_schedule *sc, const char *name)
{
  language_writer w = {sc, name};
  size_t size;
  char *text = ts_printed(language_put, &w, &size);
  const char *copy = ts_arena_string(s->arena, text, size);
  free(text);
  return copy;
}
