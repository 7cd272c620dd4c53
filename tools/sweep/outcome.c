#include "tools/sweep/outcome.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag_record.h"
#include "base/heap.h"
#include "base/json_tree.h"
#include "base/json_writer.h"
#include "base/table.h"

const char *const ts_outcome_states[] = {"refused",       "stopped",  "bounded",
                                                          "out of memory", "left out", "ok"};
TS_TABLE(ts_outcome_states, TS_OUTCOME_STATES);

bool ts_outcome_knows(const ts_outcome *o, ts_figure_id figure)
{
  return !o->why && ts_is_stated(o->figures.of[figure]) &&
         (o->played || (figure == TS_FIGURE_MEMORY && o->state == TS_TOO_LARGE));
}

ts_text ts_outcome_text(const ts_outcome *o, ts_figure_id figure)
{
  return ts_figure_text(ts_figure_table[figure].unit, o->figures.of[figure]);
}

static const char *outcome_keep(ts_arena *arena, const char *text)
{
  return ts_arena_string(arena, text, strlen(text));
}

void ts_outcome_take_warnings(ts_outcome *out, const ts_diags *diags, ts_arena *arena)
{
  TS_VEC(ts_outcome_warning) found = {0};
  for (size_t i = 0; i < diags->all.count; i++) {
    const ts_diag *d = diags->all.at[i];
    if (d->severity == TS_WARNING && !d->off)
      TS_PUSH(arena, &found, ((ts_outcome_warning){d->code, outcome_keep(arena, d->message)}));
  }
  out->warning_count = (uint32_t)found.count;
  out->warnings = found.at;
}

void ts_outcome_add_warnings(ts_outcome *out, const ts_outcome *first, ts_arena *arena)
{
  uint32_t count = first->warning_count + out->warning_count;
  ts_outcome_warning *all = TS_NEW_ARRAY(arena, ts_outcome_warning, count + 1);
  for (uint32_t i = 0; i < count; i++)
    all[i] = i < first->warning_count ? first->warnings[i] :
                                        out->warnings[i - first->warning_count];
  out->warnings = all;
  out->warning_count = count;
}

static const ts_outcome_warning *keep_warnings(const ts_outcome *o, ts_intern *once)
{
  ts_outcome_warning *all = ts_heap_new(o->warning_count + 1, sizeof *all); /* zeroed between */
  for (uint32_t i = 0; i < o->warning_count; i++) {
    all[i].code = o->warnings[i].code;
    all[i].message = ts_intern_text(once, o->warnings[i].message);
  }
  const ts_outcome_warning *copy = ts_intern_at(once, all, o->warning_count * sizeof *all);
  free(all);
  return copy;
}

static void keep_validation(ts_interval *i, ts_intern *once)
{
  if (i->on)
    i->on = ts_intern_at(once, i->on, sizeof *i->on);
}

static const ts_confidence *keep_sure(const ts_confidence *sure, ts_intern *once, ts_arena *arena)
{
  ts_confidence *c = ts_arena_copy(arena, sure, sizeof *c);
  ts_uncertain_part *parts =
    c->part_count ? ts_arena_copy(arena, c->parts, c->part_count * sizeof *parts) : NULL;
  for (uint32_t i = 0; i < c->part_count; i++)
    parts[i].name = ts_intern_text(once, parts[i].name);
  c->parts = parts;
  keep_validation(&c->step, once);
  keep_validation(&c->memory, once);
  return c;
}

void ts_outcome_keep(ts_outcome *o, ts_intern *once, ts_arena *arena)
{
  o->why = ts_intern_text(once, o->why);
  if (o->warning_count)
    o->warnings = keep_warnings(o, once);
  if (o->sure)
    o->sure = keep_sure(o->sure, once, arena);
}

/* ---- As text ---- */

typedef void put(const ts_outcome *o, ts_json_writer *w);

static const char *printed(put *put, const ts_outcome *o, ts_arena *arena)
{
  char *text;
  size_t size;
  FILE *out = ts_heap_print(&text, &size);
  ts_json_writer w = {.out = out};
  put(o, &w);
  ts_heap_printed(out);
  const char *copy = ts_arena_string(arena, text, size);
  free(text);
  return copy;
}

static void outcome_put_warnings(const ts_outcome *o, ts_json_writer *w)
{
  ts_json_begin(w, NULL, '[');
  for (uint32_t i = 0; i < o->warning_count; i++) {
    ts_json_begin(w, NULL, '[');
    ts_json_put_text(w, NULL, ts_code_name(o->warnings[i].code));
    ts_json_put_text(w, NULL, o->warnings[i].message);
    ts_json_end(w, ']');
  }
  ts_json_end(w, ']');
}

const char *ts_outcome_warnings_text(const ts_outcome *o, ts_arena *arena)
{
  return printed(outcome_put_warnings, o, arena);
}

/* No number of JSON is infinite, but one may be too large for a double. */
static void put_exact(ts_json_writer *w, const char *key, double value)
{
  if (isinf(value))
    ts_json_put_number(w, key, value > 0 ? "1e999" : "-1e999");
  else
    ts_json_put_number(w, key, "%.17g", value);
}

static void put_interval(ts_json_writer *w, const char *key, const ts_interval *i)
{
  ts_json_begin(w, key, '[');
  put_exact(w, NULL, i->figure);
  put_exact(w, NULL, i->low);
  put_exact(w, NULL, i->high);
  if (i->on) {
    put_exact(w, NULL, i->on->below);
    put_exact(w, NULL, i->on->above);
    put_exact(w, NULL, i->on->apart);
  }
  ts_json_end(w, ']');
}

static void put_sure(const ts_outcome *o, ts_json_writer *w)
{
  const ts_confidence *c = o->sure;
  char kind[24];
  snprintf(kind, sizeof kind, "%016" PRIx64, c->kind); /* no number of JSON holds 64 bits */
  ts_json_begin(w, NULL, '{');
  put_exact(w, "spread", c->spread);
  ts_json_put_text(w, "kind", kind);
  ts_json_put_bool(w, "calibrated", c->calibrated);
  ts_json_put_bool(w, "own", c->own_times);
  put_interval(w, "step", &c->step);
  put_interval(w, "memory", &c->memory);
  ts_json_begin(w, "parts", '[');
  for (uint32_t i = 0; i < c->part_count; i++) {
    const ts_uncertain_part *p = &c->parts[i];
    ts_json_begin(w, NULL, '[');
    ts_json_put_text(w, NULL, p->name);
    ts_json_put_count(w, NULL, p->origin);
    ts_json_put_count(w, NULL, p->basis);
    ts_json_put_count(w, NULL, (p->between ? 1u : 0u) | (p->calibrated ? 2u : 0u) |
                                 (p->assumed ? 4u : 0u));
    put_exact(w, NULL, p->share);
    put_exact(w, NULL, p->spread);
    ts_json_end(w, ']');
  }
  ts_json_end(w, ']');
  ts_json_end(w, '}');
}

const char *ts_outcome_sure_text(const ts_outcome *o, ts_arena *arena)
{
  return printed(put_sure, o, arena);
}

/* ---- Back ---- */

static bool outcome_number(const cJSON *array, int at, double *value)
{
  const cJSON *item = cJSON_GetArrayItem(array, at);
  *value = cJSON_IsNumber(item) ? item->valuedouble : 0;
  return cJSON_IsNumber(item);
}

static bool outcome_whole(const cJSON *array, int at, uint32_t *value)
{
  double read;
  bool good = outcome_number(array, at, &read) && read >= 0 && read <= UINT32_MAX;
  *value = good ? (uint32_t)read : 0;
  return good;
}

static bool words(const cJSON *array, int at, const char **text, ts_arena *arena)
{
  const cJSON *item = cJSON_GetArrayItem(array, at);
  *text = cJSON_IsString(item) ? outcome_keep(arena, item->valuestring) : "";
  return cJSON_IsString(item);
}

static bool read_warnings(ts_outcome *o, const cJSON *list, ts_arena *arena)
{
  TS_VEC(ts_outcome_warning) found = {0};
  const cJSON *one;
  if (!cJSON_IsArray(list))
    return false;
  cJSON_ArrayForEach(one, list) {
    ts_outcome_warning w;
    const char *name;
    if (!words(one, 0, &name, arena) || !words(one, 1, &w.message, arena) ||
        !ts_code_named(name, &w.code))
      return false;
    TS_PUSH(arena, &found, w);
  }
  o->warning_count = (uint32_t)found.count;
  o->warnings = found.at;
  return true;
}

static bool read_interval(const cJSON *list, ts_interval *i, ts_arena *arena)
{
  if (!outcome_number(list, 0, &i->figure) || !outcome_number(list, 1, &i->low) ||
      !outcome_number(list, 2, &i->high))
    return false;
  if (cJSON_GetArraySize(list) == 3)
    return true;
  ts_ir_validation *on = TS_NEW(arena, ts_ir_validation);
  i->on = on;
  return outcome_number(list, 3, &on->below) && outcome_number(list, 4, &on->above) &&
         outcome_number(list, 5, &on->apart);
}

static bool read_part(const cJSON *list, ts_uncertain_part *p, ts_arena *arena)
{
  uint32_t flags;
  bool good = words(list, 0, &p->name, arena) && outcome_whole(list, 1, &p->origin) &&
              outcome_whole(list, 2, &p->basis) && outcome_whole(list, 3, &flags) &&
              outcome_number(list, 4, &p->share) && outcome_number(list, 5, &p->spread);
  if (good)
    p->between = flags & 1, p->calibrated = flags & 2, p->assumed = flags & 4;
  return good;
}

static bool read_sure(ts_outcome *o, const cJSON *root, ts_arena *arena)
{
  ts_confidence *c = TS_NEW(arena, ts_confidence);
  const cJSON *kind = cJSON_GetObjectItem(root, "kind"),
              *spread = cJSON_GetObjectItem(root, "spread"),
              *parts = cJSON_GetObjectItem(root, "parts"), *part;
  if (!cJSON_IsString(kind) || !cJSON_IsNumber(spread) || !cJSON_IsArray(parts) ||
      !read_interval(cJSON_GetObjectItem(root, "step"), &c->step, arena) ||
      !read_interval(cJSON_GetObjectItem(root, "memory"), &c->memory, arena))
    return false;
  c->kind = strtoull(kind->valuestring, NULL, 16);
  c->spread = spread->valuedouble;
  c->calibrated = cJSON_IsTrue(cJSON_GetObjectItem(root, "calibrated"));
  c->own_times = cJSON_IsTrue(cJSON_GetObjectItem(root, "own"));
  ts_uncertain_part *all = TS_NEW_ARRAY(arena, ts_uncertain_part, cJSON_GetArraySize(parts) + 1);
  cJSON_ArrayForEach(part, parts) if (!read_part(part, &all[c->part_count++], arena)) return false;
  c->parts = all;
  o->sure = c;
  return true;
}

static cJSON *tree_of(const char *text)
{
  const char *end;
  return *text ? ts_json_tree(text, strlen(text), &end) : NULL;
}

bool ts_outcome_read(ts_outcome *o, const char *warnings, const char *sure, ts_arena *arena)
{
  cJSON *list = tree_of(warnings), *root = tree_of(sure);
  bool good = read_warnings(o, list, arena) && (!*sure || read_sure(o, root, arena));
  cJSON_Delete(list);
  cJSON_Delete(root);
  return good;
}
