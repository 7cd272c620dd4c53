#include "base/xgboost.h"

#include <dlfcn.h>
#include <string.h>

const char *const ts_xgboost_missing =
  "the XGBoost library is missing (Debian package libxgboost0)";

bool ts_xgboost_open(ts_xgboost *x)
{
  static const char *const names[] = {"libxgboost.so.0", "libxgboost.so"};
  *x = (ts_xgboost){0};
  for (int i = 0; i < 2 && !x->handle; i++)
    x->handle = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
  bool found = x->handle != NULL;
#define FIND(type, name, arguments) \
  if (found)                        \
    *(void **)&x->name = dlsym(x->handle, #name), found = x->name != NULL;
  TS_XGBOOST_CALLS(FIND)
#undef FIND
  if (!found && x->handle)
    ts_xgboost_close(x);
  return found;
}

void ts_xgboost_close(ts_xgboost *x)
{
  dlclose(x->handle);
  x->handle = NULL;
}

const char *ts_xgboost_error(const ts_xgboost *x, ts_arena *arena)
{
  const char *text = x->XGBGetLastError(), *at = strchr(text, ']'); /* "[time] file:line: what" */
  text = at && at[1] ? at + 2 : text;
  return ts_arena_printf(arena, "%.*s", (int)strcspn(text, "\n"), text);
}
