/* Any bytes are read as a calibration, and as measured steps, without harm. A calibration that was
 * read is written and read back alike, and leaves times and memory in range; measured steps have
 * amounts above 0 and places in the text. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calibrate/step_rows.h"
#include "cost/calibration.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static char *written(const ts_calibration *c, size_t *size)
{
  char *text = NULL;
  FILE *out = open_memstream(&text, size);
  if (!out)
    abort();
  ts_calibration_write(c, out);
  fclose(out);
  return text;
}

static void check_file(ts_arena *arena, const char *text, size_t size)
{
  ts_error error;
  ts_calibration *c = ts_calibration_read(arena, text, size, &error);
  if (!c) {
    if (!error.message[0])
      abort();
    return;
  }
  size_t first_size, second_size;
  char *first = written(c, &first_size);
  ts_calibration *again = ts_calibration_read(arena, first, first_size, &error);
  if (!again)
    abort();
  char *second = written(again, &second_size);
  if (first_size != second_size || memcmp(first, second, first_size))
    abort();
  free(first);
  free(second);
  for (uint32_t i = 0; i <= c->count; i++)
    if (ts_calibrated_time(c, i, UINT64_C(1) << 58) > UINT64_C(1) << 60)
      abort();
  if (ts_calibrated_reserve(c, UINT64_C(1) << 50) > UINT64_C(1) << 58 ||
      ts_calibration_of_kernel(c, "gemm", "bf16") > c->count)
    abort();
}

static void check_steps(ts_arena *arena, const char *text, size_t size)
{
  static const ts_measured_parameter parameters[] = {{"tp", false}, {"recipe", true}};
  ts_measured_steps steps;
  ts_error error;
  if (!ts_measured_steps_read(arena, text, size, parameters, 2, &steps, &error)) {
    if (!error.message[0] || error.begin > error.end || error.end > size)
      abort();
    return;
  }
  for (uint32_t i = 0; i < steps.count; i++) {
    const ts_measured_step *s = &steps.at[i];
    if (!(s->seconds > 0) || !isfinite(s->seconds) || !(s->memory >= 0) || !isfinite(s->memory) ||
        s->begin > s->end || s->end > size)
      abort();
    for (uint32_t v = 0; v < s->value_count; v++)
      if (!s->values[v].expression[0])
        abort();
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
  ts_arena *arena = ts_arena_new("fuzz");
  char *text = ts_arena_string(arena, (const char *)bytes, size);
  check_file(arena, text, size);
  check_steps(arena, text, size);
  ts_arena_free(arena);
  return 0;
}
