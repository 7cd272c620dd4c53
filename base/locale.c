#define _POSIX_C_SOURCE 200809L /* uselocale */
#include "base/locale.h"

#include <locale.h>

ts_locale ts_locale_enter(void)
{
  ts_locale state = {0};
  locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  if (c) {
    state.ours = (void *)c;
    state.before = (void *)uselocale(c);
  }
  return state;
}

void ts_locale_leave(ts_locale state)
{
  if (!state.ours)
    return;
  uselocale((locale_t)state.before);
  freelocale((locale_t)state.ours);
}

void ts_locale_pause(const ts_locale *state)
{
  if (state->ours)
    uselocale((locale_t)state->before);
}

void ts_locale_resume(const ts_locale *state)
{
  if (state->ours)
    uselocale((locale_t)state->ours);
}
