/* The part of a step that a picture or a trace shows, and how closely. */
#ifndef TS_RUNTIME_REPORT_WINDOW_H
#define TS_RUNTIME_REPORT_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

typedef enum ts_level {
  TS_LEVEL_USUAL,   /* pictures: items and how busy streams are; traces: all */
  TS_LEVEL_ITEMS,   /* work items alone */
  TS_LEVEL_KERNELS, /* items and what each stream does */
  TS_LEVEL_ALL      /* also the host, waits, messages */
} ts_level;

typedef struct ts_window { /* zero: all of the step */
  uint64_t from, to;     /* ps; to 0: the end */
  ts_level level;
  const uint32_t *ranks; /* which; NULL: those that the format chooses */
  uint32_t rank_count;
} ts_window;

static inline uint64_t ts_window_end(const ts_window *w, uint64_t step)
{
  return w->to && w->to < step ? w->to : step;
}
static inline uint64_t ts_window_length(const ts_window *w, uint64_t step)
{
  uint64_t end = ts_window_end(w, step);
  return end > w->from ? end - w->from : 0;
}
/* Does any of it lie in the window? What takes no time may lie at its ends. */
static inline bool ts_window_has(const ts_window *w, uint64_t start, uint64_t end)
{
  bool moment = start == end;
  return (end > w->from || (moment && end == w->from)) &&
         (!w->to || start < w->to || (moment && start == w->to));
}

#endif
