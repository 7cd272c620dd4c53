#include "runtime/report/ways_out.h"

#include <cjson/cJSON.h>
#include <string.h>

#include "base/escape.h"
#include "base/format.h"

enum { INDENT = 26 }; /* of a change's second line: below its first */

/* A change of several lines goes on below its first. */
static const char *ways_out_row(const ts_way_out *w, ts_arena *arena)
{
  const char *text = ts_arena_printf(arena, "%10s %12s  ", ts_format_time(w->step).text,
                                     ts_format_bytes((double)w->peak).text);
  for (const char *line = w->change, *end; *line; line = *end ? end + 1 : end) {
    end = line + strcspn(line, "\n");
    text = ts_arena_printf(arena, "%s%s%*s%.*s", text, line == w->change ? "" : "\n",
                           line == w->change ? 0 : INDENT - 1, "", (int)(end - line), line);
  }
  return *w->replaced ? ts_arena_printf(arena, "%s  (instead of %s)", text, w->replaced) : text;
}

const char *ts_ways_out_table(const ts_ways_out *ways, ts_arena *arena, uint32_t most)
{
  const char *text = "";
  uint32_t shown = most && most < ways->count ? most : ways->count;
  for (uint32_t i = 0; i < shown; i++)
    text = ts_arena_printf(arena, "%s%s%s", text, i ? "\n" : "", ways_out_row(&ways->at[i], arena));
  if (shown < ways->count)
    text = ts_arena_printf(arena, "%s\n... and %u more", text, ways->count - shown);
  if (!ways->count && ways->closest)
    text = ways_out_row(ways->closest, arena);
  return text;
}

void ts_ways_out_text(const ts_ways_out *ways, ts_arena *arena, FILE *out)
{
  if (!ways->count && !ways->closest)
    return;
  ts_put_text(out, "\n%s\n",
              ways->count ? "Changes to the plan that fit in memory" :
                            "No tried change fits; the closest ones");
  ts_put_text(out, "%10s %12s  %s\n", "step time", "peak", "change");
  ts_put_lines(out, ts_ways_out_table(ways, arena, 0));
  fputc('\n', out);
}

static cJSON *object_of(const ts_way_out *w)
{
  cJSON *object = cJSON_CreateObject();
  cJSON *lines = cJSON_AddArrayToObject(object, "change");
  for (const char *line = w->change, *end; *line; line = *end ? end + 1 : end) {
    char text[1024];
    end = line + strcspn(line, "\n");
    snprintf(text, sizeof text, "%.*s", (int)(end - line), line);
    cJSON_AddItemToArray(lines, cJSON_CreateString(text));
  }
  cJSON_AddStringToObject(object, "instead_of", w->replaced);
  cJSON_AddNumberToObject(object, "step_time_ps", (double)w->step);
  cJSON_AddNumberToObject(object, "peak_memory_bytes", (double)w->peak);
  cJSON_AddNumberToObject(object, "over_bytes", (double)w->over);
  return object;
}

void ts_ways_out_json(const ts_ways_out *ways, cJSON *root)
{
  cJSON *object = cJSON_AddObjectToObject(root, "ways_out");
  cJSON_AddNumberToObject(object, "tried", ways->tried);
  cJSON_AddNumberToObject(object, "untried", ways->untried);
  cJSON *fits = cJSON_AddArrayToObject(object, "fit");
  for (uint32_t i = 0; i < ways->count; i++)
    cJSON_AddItemToArray(fits, object_of(&ways->at[i]));
  if (ways->count || !ways->closest)
    cJSON_AddNullToObject(object, "closest");
  else
    cJSON_AddItemToObject(object, "closest", object_of(ways->closest));
}
