/* Whatever the verifier accepts, bytes or text, is played and reported: no input of the runtime may
 * read or write beyond its tables. The first byte chooses how: folded or not, by what models, in
 * which form, with which study, drawing or trace; whether it is exported. */
#include <stdint.h>

#include "base/digest.h"
#include "tests/fuzz/play_use.h"
#include "trace/write/export.h"

static void seal(uint8_t *bytes, size_t size)
{
  ts_ir_header header;
  memcpy(&header, bytes, sizeof header);
  memcpy(header.magic, TS_IR_MAGIC, sizeof header.magic);
  header.version = TS_IR_VERSION;
  header.section_count = TS_IR_SECTION_KINDS - 1;
  header.file_size = size;
  ts_digest_bytes(bytes + sizeof header, size - sizeof header, header.digest);
  memcpy(bytes, &header, sizeof header);
}

/* The last rank, in every form of other tools. */
static void export(const ts_ir *ir)
{
  FILE *out = is_small_job(ir) ? fopen("/dev/null", "w") : NULL;
  if (!out)
    return;
  ts_arena *arena = ts_arena_new("fuzz");
  const ts_events *e = ts_events_of_ir(arena, ir, ir->meta->world - 1);
  ts_chakra_write_groups(ir, out);
  for (int form = TS_EXPORT_CHAKRA; form <= TS_EXPORT_SIMAI; form++) {
    ts_error error = {0};
    if (!ts_export_write(ts_export_new(arena, (ts_export_form)form, e, ir->meta->world,
                                       ir->programs_count), out,
                         &error) &&
        !error.message[0])
      abort();
  }
  ts_arena_free(arena);
  fclose(out);
}

static void use(const ts_ir *ir, unsigned how)
{
  play(ir, how);
  if (how / PLAY_STUDY % 8 == PLAY_DRAW)
    export(ir);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
  ts_ir view;
  ts_error error;
  if (!size)
    return 0;
  unsigned how = *bytes++;
  size--;
  ts_ir_builder *b = ts_ir_is_text((const char *)bytes, size) ?
                       ts_ir_parse((const char *)bytes, size, &error) :
                       NULL;
  if (b) {
    ts_ir_builder_view(b, &view);
    if (ts_ir_verify(&view, &error) == 0)
      use(&view, how);
    ts_ir_builder_free(b);
    return 0;
  }
  uint8_t *copy = size >= sizeof(ts_ir_header) ? malloc(size) : NULL;
  if (!copy)
    return 0;
  memcpy(copy, bytes, size);
  seal(copy, size);
  if (!ts_ir_view_bytes(copy, size, &view, &error))
    use(&view, how);
  free(copy);
  return 0;
}
