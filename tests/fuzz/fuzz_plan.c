/* Plans, mutated by their trees, are compiled, and what comes of them is played and reported: a
 * plan is refused with a reason, or gives an IR that the verifier accepts. A first line `//N`
 * chooses how it is played. */
#include <stdint.h>

#include "compiler/compile.h"
#include "compiler/eval/files.h"
#include "compiler/eval/mesh.h"
#include "compiler/eval/stdlib_embed.h"
#include "compiler/lower/lower.h"
#include "compiler/plan/plan.h"
#include "tests/fuzz/no_bug.h"
#include "tests/fuzz/play_use.h"
#include "tests/fuzz/tree_mutator.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t most, unsigned seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size,
                                 uint8_t *out, size_t most, unsigned seed);

enum { MOST_WORLD = 64 };

static void fail(const char *why)
{
  fprintf(stderr, "%s\n", why);
  abort();
}

/* As a program would print them. */
static void print_messages(const ts_session *s)
{
  static const ts_color never = TS_COLOR_NEVER;
  FILE *out = fopen("/dev/null", "w");
  if (!out)
    return;
  ts_diags_print(s->diags, out, never);
  ts_diags_print_json(s->diags, out);
  fclose(out);
  no_bug(s->diags);
}

static void use(ts_ir_builder *b, unsigned how)
{
  ts_ir ir;
  ts_error error = {0};
  ts_ir_builder_view(b, &ir);
  if (ts_ir_verify(&ir, &error) == 0)
    play(&ir, how);
  else if (error.kind != TS_ERROR_TOO_MUCH)
    fail(error.message);
}

static void compile(ts_session *s, unsigned how)
{
  int64_t world = 1;
  ts_plan *plan = ts_plan_load(s, "fuzz.ts", NULL);
  if (!plan && !ts_diags_errors(s->diags))
    fail("a plan is refused without a reason");
  for (uint32_t i = 0; plan && i < s->mesh->count; i++)
    world *= s->mesh->axis[i].size;
  if (!plan || ts_diags_errors(s->diags) || world > MOST_WORLD)
    return;
  ts_lowered lowered;
  ts_plan_lower(s, plan, &lowered);
  ts_ir_builder *b = lowered.builder;
  if (!b && !ts_diags_errors(s->diags))
    fail("a plan gives no IR without a reason");
  if (b && !ts_diags_errors(s->diags))
    use(b, how);
  if (b)
    ts_ir_builder_free(b);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
  ts_arena *arena = ts_arena_new("fuzz");
  ts_session *s = ts_session_new(arena);
  char *text = ts_arena_string(arena, (const char *)bytes, size);
  ts_embedded_file given = {.path = "fuzz.ts", .bytes = (const unsigned char *)text, .size = size};
  ts_compile_settings(s, &(ts_compile_options){0});
  s->files->given = &given;
  s->files->given_count = 1;
  compile(s, strncmp(text, "//", 2) == 0 ? (unsigned)strtoul(text + 2, NULL, 10) & 255 : 0);
  print_messages(s);
  ts_arena_free(arena);
  return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t most, unsigned seed)
{
  return tree_mutate(bytes, size, most, seed);
}

size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size,
                                 uint8_t *out, size_t most, unsigned seed)
{
  return tree_cross(a, a_size, b, b_size, out, most, seed);
}
