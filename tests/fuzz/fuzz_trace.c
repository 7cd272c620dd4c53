/* Any bytes are read as a traced table without harm, the part behind a NUL as the table of its
 * tensors; rows that are accepted point backwards only, and their dimensions can be followed. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/compile.h"
#include "compiler/model/traced_table.h"
#include "tests/fuzz/no_bug.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void fail(const char *why)
{
  fprintf(stderr, "%s\n", why);
  abort();
}

static void check(const ts_rows *rows)
{
  for (uint32_t i = 0; i < rows->count; i++) {
    const ts_row *row = &rows->at[i];
    if (!(row->forward >= 0) || !(row->backward >= 0) || !(row->accumulate >= 0))
      fail("a time is negative");
    for (uint32_t k = 0; k < row->input_count; k++) {
      ts_follow follow;
      if (row->input[k] >= i)
        fail("an input is not an earlier row");
      ts_shape_follow(row->input_shape[k], row->output, k & 1, &follow);
      for (uint32_t d = 0; d < row->output.rank; d++)
        for (int n = 0; n < TS_FOLLOW_MAX && follow.of[d][n] >= 0; n++)
          if ((uint32_t)follow.of[d][n] >= row->input_shape[k].rank)
            fail("a dimension follows none");
    }
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
  ts_arena *arena = ts_arena_new("fuzz");
  ts_session *s = ts_session_new(arena);
  const uint8_t *nul = size ? memchr(bytes, 0, size) : NULL;
  size_t first = nul ? (size_t)(nul - bytes) : size;
  ts_table_text table = {"table.csv", "table.csv",
                         ts_arena_string(arena, (const char *)bytes, first), first},
                tensors = {0};
  if (nul)
    tensors = (ts_table_text){"tensors.csv", "tensors.csv",
                              ts_arena_string(arena, (const char *)nul + 1, size - first - 1),
                              size - first - 1};
  ts_table_source source = {.file = "table.csv"};
  ts_rows rows;
  if (ts_rows_parse(s, &source, table, tensors, &rows))
    check(&rows);
  else if (!ts_diags_errors(s->diags))
    fail("a table is refused without a reason");
  no_bug(s->diags);
  ts_arena_free(arena);
  return 0;
}
