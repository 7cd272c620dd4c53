#include "tools/sweep/inputs.h"

#include <stdlib.h>
#include <string.h>

#include "compiler/eval/files.h"
#include "cost/database.h"

ts_inputs *ts_inputs_new(ts_arena *arena)
{
  ts_inputs *inputs = TS_NEW(arena, ts_inputs);
  inputs->arena = arena;
  return inputs;
}

static const char *inputs_keep(ts_arena *arena, const char *text)
{
  return ts_arena_string(arena, text, strlen(text));
}

void ts_inputs_add(ts_inputs *inputs, const ts_sweep_input *input)
{
  for (size_t i = 0; i < inputs->all.count; i++) {
    const ts_sweep_input *known = &inputs->all.at[i];
    if (strcmp(known->name, input->name) != 0 || strcmp(known->path, input->path) != 0)
      continue;
    if (memcmp(known->sha256, input->sha256, TS_DIGEST_SIZE) != 0)
      inputs->changed = known->name;
    return;
  }
  ts_sweep_input copy = *input;
  copy.name = inputs_keep(inputs->arena, input->name);
  copy.path = inputs_keep(inputs->arena, input->path);
  copy.role = inputs_keep(inputs->arena, input->role);
  TS_PUSH(inputs->arena, &inputs->all, copy);
}

static bool is_language(const char *role)
{
  return !strcmp(role, "plan") || !strcmp(role, "import") || !strcmp(role, "stdlib");
}

static void inputs_take(ts_inputs *inputs, const ts_session *s, bool all)
{
  for (size_t i = 0; i < s->files->dependencies.count; i++) {
    const ts_dependency *d = &s->files->dependencies.at[i];
    if (!d->path || !(all || is_language(d->role)))
      continue;
    ts_sweep_input input = {.name = d->name, .path = d->path, .role = d->role};
    memcpy(input.sha256, d->sha256, TS_DIGEST_SIZE);
    ts_inputs_add(inputs, &input);
  }
}

void ts_inputs_take(ts_inputs *inputs, const ts_session *s) { inputs_take(inputs, s, true); }
void ts_inputs_take_language(ts_inputs *inputs, const ts_session *s)
{
  inputs_take(inputs, s, false);
}

static int inputs_by_name(const void *x, const void *y)
{
  const ts_sweep_input *const *a = x, *const *b = y;
  int order = strcmp((*a)->name, (*b)->name);
  return order ? order : memcmp((*a)->sha256, (*b)->sha256, TS_DIGEST_SIZE);
}

void ts_inputs_digest(const ts_inputs *inputs, ts_arena *arena, uint8_t digest[TS_DIGEST_SIZE])
{
  TS_VEC(const ts_sweep_input *) sorted = {0};
  const char *text = "";
  for (size_t i = 0; i < inputs->all.count; i++)
    TS_PUSH(arena, &sorted, &inputs->all.at[i]);
  TS_SORT(&sorted, inputs_by_name);
  for (size_t i = 0; i < sorted.count; i++) {
    char hex[2 * TS_DIGEST_SIZE + 1];
    ts_digest_hex(sorted.at[i]->sha256, hex);
    text = ts_arena_printf(arena, "%s%s %s\n", text, hex, sorted.at[i]->name);
  }
  ts_digest_bytes(text, strlen(text), digest);
}

/* Of a profile database its rows count, however they lie in the file. */
static bool digest_of(const ts_sweep_input *input, const char *path, ts_arena *arena,
                      uint8_t digest[TS_DIGEST_SIZE])
{
  ts_error error = {0};
  if (strcmp(input->role, "database") != 0)
    return ts_digest_file(path, digest) == 0;
  ts_db *db = ts_db_open(arena, path, false, &error);
  bool read = db && ts_db_digest(db, digest, &error);
  if (db)
    ts_db_close(db);
  return read;
}

static bool is_at(const ts_sweep_input *input, const char *path, ts_arena *arena)
{
  uint8_t found[TS_DIGEST_SIZE];
  return digest_of(input, path, arena, found) && memcmp(found, input->sha256, sizeof found) == 0;
}

bool ts_input_same(const ts_sweep_input *input, const char *plan, const ts_compile_options *o,
                   ts_arena *arena)
{
  const char *slash = strrchr(plan, '/');
  int folder = slash ? (int)(slash - plan) + 1 : 0;
  if (is_at(input, input->path, arena) ||
      is_at(input, ts_arena_printf(arena, "%.*s%s", folder, plan, input->name), arena))
    return true;
  for (uint32_t i = 0; i < o->import_dir_count; i++)
    if (is_at(input, ts_arena_printf(arena, "%s/%s", o->import_dirs[i], input->name), arena))
      return true;
  return false;
}
