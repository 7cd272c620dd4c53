/* Where the writer of the text form puts its words. */
#ifndef TS_IR_TEXT_OUTPUT_H
#define TS_IR_TEXT_OUTPUT_H

#include <stddef.h>
#include <stdint.h>

typedef struct ts_ir_output {
  void (*put)(void *closure, const char *bytes, size_t size);
  void *closure;
  size_t used;
  char buffer[8192];
} ts_ir_output;

/* short pieces; strings of the IR go through the others */
void ts_ir_out(ts_ir_output *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
void ts_ir_out_text(ts_ir_output *w, const char *text); /* as it is */
void ts_ir_out_quoted(ts_ir_output *w, const char *text);
void ts_ir_out_name(ts_ir_output *w, const char *name); /* a bare word, or quoted */
/* a digit each, A for 10, up to the first 0 */
void ts_ir_out_tenths(ts_ir_output *w, const uint8_t *tenths);
void ts_ir_out_flush(ts_ir_output *w);

#endif
