/* The embedded standard library: sorted, whole, and every file ends in a NUL. */
#include "compiler/eval/stdlib_embed.h"

#include <string.h>

#include <criterion/criterion.h>

Test(stdlib_embed, sorted_and_terminated) {
  cr_assert_gt(ts_stdlib_file_count, 0);
  for (size_t i = 0; i < ts_stdlib_file_count; i++) {
    const ts_embedded_file *f = &ts_stdlib_files[i];
    cr_assert_eq(f->bytes[f->size], 0, "%s", f->path);
    if (i > 0) cr_assert_lt(strcmp(ts_stdlib_files[i - 1].path, f->path), 0, "%s", f->path);
  }
}
