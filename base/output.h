/* What is printed as a whole: into memory, or into a file that is replaced whole or not at all. */
#ifndef TS_BASE_OUTPUT_H
#define TS_BASE_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef void ts_print(void *closure, FILE *out);

/* What `put` prints: malloced and NUL-terminated, its bytes in *size unless that is NULL. Never NULL: no memory ends the process, as in the arena. */
char *ts_printed(ts_print *put, void *closure, size_t *size);
/* The same into a file, by ts_write_file. 0 or an errno value. */
int ts_print_file(const char *path, ts_print *put, void *closure);

/* A file that is written piece by piece: PATH.part, until it is there whole. Devices and pipes are written in place. */
typedef struct ts_part { FILE *out; char *path, *part, *buffer; } ts_part;
int ts_part_open(ts_part *p, const char *path);   /* 0 or an errno value */
int ts_part_close(ts_part *p, bool keep);         /* likewise; unless `keep` and all went well, nothing is left behind */

/* A text as JSON has it, in quotes; bytes that are no UTF-8 become U+FFFD. */
void ts_put_json_string(FILE *out, const char *text);

/* A field of a CSV table (RFC 4180), in quotes where it needs them. */
void ts_put_csv_field(FILE *out, const char *text);

#endif
