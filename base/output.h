/* What is printed as a whole: into memory, or into a file that is replaced whole or not at all. */
#ifndef TS_BASE_OUTPUT_H
#define TS_BASE_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef void ts_print(void *closure, FILE *out);

/* What `put` prints: malloced and NUL-terminated, its bytes in *size unless that is NULL. Never
 * NULL: no memory ends the process, as in the arena. */
char *ts_printed(ts_print *put, void *closure, size_t *size);

/* Bytes as they are, of what is no text. False: not all were taken. */
bool ts_put_bytes(FILE *out, const void *bytes, size_t size);

/* A file that is being written; all files are. A regular one is written beside its place, under a
 * name of its own, and takes its place when it is whole and on the disk, with the mode that the old
 * one had; links are followed to the file meant. Pipes, devices and open descriptors (/dev/stdout,
 * and "-" for standard output) are written as streams. */
/* beside, half: NULL of a stream */
typedef struct ts_output {
  FILE *out;
  char *path, *beside, *buffer;
  struct ts_half_written *half;
} ts_output;
int ts_output_open(ts_output *o, const char *path);   /* 0 or an errno value */
/* likewise; unless `keep` and all went well, the old file stays and nothing is left beside it */
int ts_output_close(ts_output *o, bool keep);
/* kept, unless there is a file by now: EEXIST, and that one stays */
int ts_output_close_new(ts_output *o);
/* Whether it could be opened, before there is anything to write: 0 or an errno value. Streams are
 * left alone, and so is what is there. */
int ts_output_try(const char *path);
/* The same regular file, or one that is not there yet: what is written takes its place. NULL is no
 * file. */
bool ts_same_file(const char *a, const char *b);
/* Removes what is not whole yet. For a handler of signals that ends the program. */
void ts_outputs_abandon(void);

/* From now on what goes to standard output and error is lost: for processes that another speaks
 * for. */
void ts_outputs_silence(void);

/* The same of what is known whole; a file of equal content is left alone. 0 or an errno value. */
int ts_write_file(const char *path, const void *bytes, size_t size);
int ts_print_file(const char *path, ts_print *put, void *closure);

#endif
