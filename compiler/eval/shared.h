/* What threads work out once for all of them, by its content: by all that it comes from. Results
 * are in a cache; they are flat and hold no address of a session's. */
#ifndef TS_COMPILER_EVAL_SHARED_H
#define TS_COMPILER_EVAL_SHARED_H

#include "base/cache.h"
#include "compiler/eval/eval.h"
#include "compiler/eval/reuse.h"

ts_cache *ts_shared_new(void);

/* ---- Content ---- */

typedef struct ts_content {
  TS_VEC(uint64_t) words;
  uint32_t axes; /* of the mesh, whose sizes are among them */
  /* something in it has no content that says all, or means it in one session alone */
  bool opaque;
} ts_content;
void ts_content_add(ts_session *s, ts_content *c, uint64_t word);
void ts_content_text(ts_session *s, ts_content *c, const char *text);
/* A node of a file that all sessions share. */
void ts_content_node(ts_session *s, ts_content *c, const ts_ast *node);
void ts_content_span(ts_session *s, ts_content *c, ts_span span);
/* Without where it was written. */
void ts_content_value(ts_session *s, ts_content *c, ts_value v);
/* The names of an environment and of those around it, up to `outside`. */
void ts_content_env(ts_session *s, ts_content *c, const ts_env *env, const ts_env *outside);
/* Names of the mesh's axes, and sizes of these and of those that values named. */
void ts_content_mesh(ts_session *s, ts_content *c, uint32_t axes);

/* ---- Results ---- */

/* NULL: it is not shared. */
ts_cache_item *ts_shared_ask(ts_session *s, const ts_content *c);
/* NULL: there is none yet, and whoever asked works it out and then gives it. */
const void *ts_shared_result(const ts_cache_item *item); /* NULL is fine */
/* Stands for the content, as long as there are sessions, once the result was given or found; 0 of
 * NULL, and where the work looked at more than the content. */
uint64_t ts_shared_number(const ts_cache_item *item);
/* Where a result of that size is made; NULL: it is too large, or nobody wants it. */
void *ts_shared_room(ts_session *s, ts_cache_item *item, size_t size);
/* `result`: made in that room, or of no size; NULL: there is none to share. The work began with
 * `before` and touched that: what looked at more than the content is not shared. */
void ts_shared_give(ts_session *s, ts_cache_item *item, const ts_noting *before, ts_touched touched,
                    const void *result);

/* The plan at hand is done: it uses nothing any more. */
void ts_shared_leave(ts_session *s);

#endif
