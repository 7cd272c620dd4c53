/* Folding where calls share links. A call gets what all others on its links leave it, so ranks
 * behave alike only if their calls meet alike ones on alike links. Calls, their flows and directed
 * links get colors besides the classes of ranks, and are split until equal colors meet equal ones,
 * as often (color refinement: Weisfeiler and Leman, 1968). Then max-min fair rates of equal flows
 * are equal, as they are found link by link from what crosses it. So one link of each color is
 * played, on which one flow of each color counts for all that cross it. */
#ifndef TS_RUNTIME_PLAY_FOLD_LINKS_H
#define TS_RUNTIME_PLAY_FOLD_LINKS_H

#include "runtime/play/contention.h"

typedef struct ts_fold_links ts_fold_links;

/* NULL: no calls share links. `keep`: for what the contention plays. */
ts_fold_links *ts_fold_links_new(ts_arena *scratch, ts_arena *keep, const ts_tables *tables,
                                 const ts_roles *roles, ts_contention *contention);
/* False: the order of the calls counts, as with circuits and packets, so that none is folded. */
bool ts_fold_links_begin(ts_fold_links *links);
/* Colors for these classes [world] of ranks. */
void ts_fold_links_color(ts_fold_links *links, const uint32_t *of);
/* What the classes are to be split by then: [world] into `key`, and the group, or TS_IR_NONE of
 * messages. False: there are not so many. */
bool ts_fold_links_key(const ts_fold_links *links, uint32_t number, uint32_t *key, uint32_t *group);
/* From now on the contention plays one call of each color for all. */
void ts_fold_links_join(ts_fold_links *links);

#endif
