/* Memory that cannot be refused without being noticed: a program that gets none ends with one
 * message and TS_EXIT_ENVIRONMENT, and files that it was writing are as they were; in a program of
 * others the library's function ends, with a message. No other file calls malloc and its like
 * (tests/run-tree.sh), and what libraries allocate for us is asked for here, too. */
#ifndef TS_BASE_HEAP_H
#define TS_BASE_HEAP_H

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* zeroed; to be freed by free(), as all of these */
void *ts_heap_new(size_t count, size_t size);
/* For a program that does much alike: what is given back is not returned to the system. */
void ts_heap_reuse(void);
void *ts_heap_resize(void *old, size_t count, size_t size); /* what is added is not zeroed */
char *ts_heap_text(const char *text);                      /* a copy */
/* realpath(): NULL where the path leads to nothing. */
char *ts_heap_real_path(const char *path);

/* Text of any length is printed to the file that is returned, and is at *text after
 * ts_heap_printed(). */
FILE *ts_heap_print(char **text, size_t *size);
void ts_heap_printed(FILE *file);

/* For z_stream.zalloc and z_stream.zfree. */
void *ts_heap_for_zlib(void *none, unsigned count, unsigned size);
void ts_heap_from_zlib(void *none, void *block);
/* For XML_Memory_Handling_Suite, with free(). */
void *ts_heap_for_expat(size_t size);
void *ts_heap_more_for_expat(void *old, size_t size);

/* The most bytes that this program may use; 0: no such limit, as in programs of others. */
uint64_t ts_heap_ceiling(void);
void ts_heap_set_ceiling(uint64_t bytes);
/* That many bytes more, or less, are held in arenas: reported where they exceed the ceiling,
 * also where the system knows no limits. */
void ts_heap_in_arenas(int64_t change);
/* bytes in arenas; `most`: so far */
typedef struct ts_heap_use {
  uint64_t now, most;
} ts_heap_use;
ts_heap_use ts_heap_in_use(void);
/* What the program is at, for the message when memory runs out: "playing the step"; the text stays.
 * */
void ts_heap_doing(const char *what);

/* `wanted` bytes could not be had, or what is left says nothing of how many (0). For libraries that
 * say so by a result. */
_Noreturn void ts_heap_none(uint64_t wanted);
/* A library that reads a file of others says that it got no memory: ends as ts_heap_none() where
 * there is none. Else returns: the file is damaged, and made it ask for what nobody has. */
void ts_heap_or_file(void);
/* From now on this is a program of that name, which may use half of the memory of the machine or,
 * where that is less, of its container; cJSON asks here for what it needs. */
void ts_heap_of_program(const char *called);
/* Called instead of that message where a program has reached its ceiling; NULL: nothing. What it
 * returns from ends as ever. */
void ts_heap_instead(void (*begin_anew)(void));
/* ---- In a program of others ---- */

/* What is freed where a call of the library ends without memory: the first member of what begins
 * with it. */
typedef struct ts_heap_owned {
  struct ts_heap_owned *next, **at; /* at NULL: of no call */
  void (*free)(void *owner);
} ts_heap_owned;

/* A call of the library: `none` is where ts_heap_none() goes on, with `failed`. */
typedef struct ts_heap_rescue {
  jmp_buf none;
  struct ts_heap_rescue *before;
  ts_heap_owned *made; /* since it began */
  bool failed;
  bool little; /* it prints messages: also where the ceiling is reached */
} ts_heap_rescue;

/* Half of the machine or container unless set. Nothing is set for the process itself. */
void ts_heap_of_library(void);
void ts_heap_limit_library(uint64_t bytes);
/* The call goes on behind setjmp(r->none), which stands between both. False: without memory; what
 * was made in it is freed. */
void ts_heap_rescue_begin(ts_heap_rescue *r);
bool ts_heap_rescue_end(ts_heap_rescue *r);
void ts_heap_own(ts_heap_owned *owned, void (*free)(void *owner));
void ts_heap_disown(ts_heap_owned *owned);
/* While other threads work for a call it cannot end: arenas may pass the ceiling, and it ends
 * afterwards. */
ts_heap_rescue *ts_heap_rescue_pause(void);
void ts_heap_rescue_resume(ts_heap_rescue *r);
bool ts_heap_is_over(void);

/* From now on this process helps the one that forked it: without memory it ends with
 * TS_EXIT_ENVIRONMENT and no message, and files that the other one is writing stay. */
void ts_heap_of_helper(void);

#endif
