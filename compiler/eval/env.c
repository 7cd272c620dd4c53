#include "compiler/eval/env.h"

#include <string.h>

#include "compiler/eval/module.h"
#include "compiler/eval/names.h"
#include "compiler/eval/reuse.h"
#include "compiler/eval/vocabulary.h"

static uint32_t slot_of(const ts_names *names, const char *name)
{
  uint64_t hash = ((uintptr_t)name >> 3) * UINT64_C(0x9e3779b97f4a7c15);
  uint32_t i = (uint32_t)(hash >> 32) & (names->room - 1);
  while (names->at[i].name && names->at[i].name != name)
    i = (i + 1) & (names->room - 1);
  return i;
}

const void *ts_names_get(const ts_names *names, const char *name)
{
  return names->room ? names->at[slot_of(names, name)].item : NULL;
}

static void names_grow(ts_arena *arena, ts_names *names)
{
  ts_names bigger = {.count = names->count, .room = names->room ? 2 * names->room : 16};
  bigger.at = ts_arena_alloc(arena, bigger.room * sizeof *bigger.at);
  for (uint32_t i = 0; i < names->room; i++)
    if (names->at[i].name)
      bigger.at[slot_of(&bigger, names->at[i].name)] = names->at[i];
  *names = bigger;
}

void ts_names_put(ts_arena *arena, ts_names *names, const char *name, const void *item)
{
  if (2 * names->count >= names->room)
    names_grow(arena, names);
  uint32_t i = slot_of(names, name);
  names->count += !names->at[i].name;
  names->at[i].name = name;
  names->at[i].item = item;
}

ts_env *ts_env_sized(ts_session *s, const ts_env *parent, uint32_t room)
{
  ts_env *env = TS_NEW(s->arena, ts_env);
  env->session = s;
  env->parent = parent;
  env->room = room;
  if (room) {
    env->value = TS_NEW_ARRAY(s->arena, ts_value, room);
    env->name = TS_NEW_ARRAY(s->arena, const char *, room);
  }
  return env;
}

ts_env *ts_env_new(ts_session *s, const ts_env *parent) { return ts_env_sized(s, parent, 4); }

enum { FEW = 16 }; /* names that are looked through as fast as a table finds one */

/* Place of a name, UINT32_MAX if it is not there. */
static uint32_t env_place_of(const ts_env *env, const char *name)
{
  if (env->count > FEW)
    return (uint32_t)(uintptr_t)ts_names_get(&env->index, name) - 1;
  for (uint32_t i = 0; i < env->count; i++)
    if (env->name[i] == name)
      return i;
  return UINT32_MAX;
}

static void index_names(ts_env *env)
{
  for (uint32_t i = env->index.count; env->count > FEW && i < env->count; i++)
    ts_names_put(env->session->arena, &env->index, env->name[i], (void *)(uintptr_t)(i + 1));
}

void ts_env_bind(ts_env *env, const char *name, ts_value value)
{
  uint32_t at = env_place_of(env, name);
  if (at != UINT32_MAX) {
    env->value[at] = value;
    return;
  }
  if (env->count == env->room) {
    uint32_t room = env->room ? 2 * env->room : 4;
    env->name = ts_arena_grow(env->session->arena, env->name, env->room * sizeof *env->name,
                              room * sizeof *env->name);
    env->value = ts_arena_grow(env->session->arena, env->value, env->room * sizeof *env->value,
                               room * sizeof *env->value);
    env->room = room;
  }
  env->name[env->count] = name;
  env->value[env->count++] = value;
  index_names(env);
}

static bool builtin_lookup(const ts_session *s, const char *name, ts_value *value)
{
  const ts_value *found = ts_names_get(&s->vocabulary->builtins, name);
  if (found)
    *value = *found;
  return found;
}

bool ts_env_lookup(const ts_env *env, const char *name, ts_value *value)
{
  return ts_env_lookup_at(env, name, TS_NO_SPAN, value);
}

static bool taken(const ts_env *env, uint32_t at, ts_value *value)
{
  if (at == UINT32_MAX)
    return false;
  *value = env->value[at];
  if (env->watched)
    env->session->reuse->touched.parameters |= at < 63 ? UINT64_C(1) << at : TS_TOUCHED_OTHER;
  return true;
}

bool ts_env_lookup_at(const ts_env *env, const char *name, ts_span requested, ts_value *value)
{
  const ts_session *s = env->session;
  const ts_env *free = NULL;
  for (; env; env = env->parent) {
    if (env->free)
      free = env;
    else if (taken(env, env_place_of(env, name), value))
      return true;
    if (env->module && ts_module_lookup(env->session, env->module, name, requested, value))
      return true;
  }
  return builtin_lookup(s, name, value) || (free && taken(free, env_place_of(free, name), value));
}

bool ts_env_of_plan(const ts_env *env, const char *name)
{
  for (; env && !env->module; env = env->parent)
    if (!env->free && env_place_of(env, name) != UINT32_MAX)
      return env->watched;
  return false;
}

void ts_env_names(const ts_env *env, bool bound, ts_name_list *list)
{
  ts_session *s = env->session;
  for (; env; env = env->parent) {
    for (uint32_t i = 0; i < env->count; i++)
      TS_PUSH(s->arena, &list->names, env->name[i]);
    if (env->module && !bound)
      ts_module_names(s, env->module, list);
  }
  for (size_t i = 0; !bound && i < s->vocabulary->builtin_names.count; i++)
    TS_PUSH(s->arena, &list->names, s->vocabulary->builtin_names.at[i]);
}

bool ts_suggest_names(ts_diag *d, const char *found, const ts_name_list *list)
{
  const char *best[3];
  size_t count = ts_suggest(found, list->names.at, list->names.count, best);
  if (count == 1)
    ts_diag_help(d, "did you mean `%s`?", best[0]);
  else if (count == 2)
    ts_diag_help(d, "did you mean `%s` or `%s`?", best[0], best[1]);
  else if (count)
    ts_diag_help(d, "did you mean `%s`, `%s` or `%s`?", best[0], best[1], best[2]);
  if (count)
    ts_diag_instead(d, found, best[0]);
  return count;
}

const char *ts_name_list_print(ts_session *s, const ts_name_list *list)
{
  return ts_listed(s->arena, list->names.at, list->names.count);
}
