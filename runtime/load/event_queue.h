/* What comes when: moments, the next of which is taken first. Of equal times the lower order comes
 * first, so that nothing depends on the order of announcing. */
#ifndef TS_RUNTIME_LOAD_EVENT_QUEUE_H
#define TS_RUNTIME_LOAD_EVENT_QUEUE_H

#include <stdint.h>

#include "base/arena.h"

typedef struct ts_moment {
  uint64_t time;        /* ps */
  uint64_t order;       /* among equal times */
  uint32_t id, detail;  /* for whoever announces */
} ts_moment;

typedef TS_VEC(ts_moment) ts_event_queue; /* at[0] is the next; a binary heap */

void ts_event_queue_announce(ts_arena *arena, ts_event_queue *event_queue, ts_moment moment);
ts_moment ts_event_queue_take(ts_event_queue *event_queue); /* needs count > 0 */

#endif
