/* The binary form: canonical bytes, the loader's refusals, files on disk. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/digest.h"
#include "tests/unit/amount.h"
#include "tests/unit/ir_text.h"
#include "tests/unit/random_ir.h"

enum { SECTION_COUNT = TS_IR_SECTION_KINDS - 1 };

typedef struct image { uint8_t *bytes; size_t size; } image;

static image encoded(const char *text)
{
  ts_ir ir;
  ts_error error;
  ts_ir_builder *b = ir_text_read(text, &error);
  cr_assert(b, "line %u: %s", error.line, error.message);
  ts_ir_builder_view(b, &ir);
  image i = {0};
  i.bytes = ts_ir_encode(&ir, &i.size);
  cr_assert(i.bytes);
  ts_ir_builder_free(b);
  return i;
}

static ts_ir_header header_of(image i)
{
  ts_ir_header h;
  memcpy(&h, i.bytes, sizeof h);
  return h;
}

static void seal(image i) /* size and digest as they should be */
{
  ts_ir_header h = header_of(i);
  h.file_size = i.size;
  ts_digest_bytes(i.bytes + sizeof h, i.size - sizeof h, h.digest);
  memcpy(i.bytes, &h, sizeof h);
}

static ts_ir_section section(image i, uint32_t kind)
{
  ts_ir_section s;
  memcpy(&s, i.bytes + sizeof(ts_ir_header) + (kind - 1) * sizeof s, sizeof s);
  return s;
}

static void set_section(image i, uint32_t kind, ts_ir_section s)
{
  memcpy(i.bytes + sizeof(ts_ir_header) + (kind - 1) * sizeof s, &s, sizeof s);
}

static void expect_refused(image i, const char *message)
{
  ts_ir view;
  ts_error error;
  cr_assert_eq(ts_ir_view_bytes(i.bytes, i.size, &view, &error), -1, "accepted; expected: %s",
               message);
  cr_assert(strstr(error.message, message), "said: %s; expected: %s", error.message, message);
  free(i.bytes);
}

Test(ir_file, header)
{
  image i = encoded(ir_text_example);
  ts_ir_header h = header_of(i);
  cr_assert_arr_eq(h.magic, TS_IR_MAGIC, 8);
  cr_assert_eq(h.version, TS_IR_VERSION);
  cr_assert_eq(h.section_count, SECTION_COUNT);
  cr_assert_eq(h.file_size, i.size);
  cr_assert_eq(i.size % 8, 0);
  for (uint32_t kind = 1; kind < TS_IR_SECTION_KINDS; kind++) {
    cr_assert_eq(section(i, kind).kind, kind);
    cr_assert_eq(section(i, kind).offset % 8, 0);
  }
  free(i.bytes);
}

Test(ir_file, refuses_every_beginning)
{
  image i = encoded(ir_text_example);
  for (size_t n = 0; n < i.size; n++) {
    ts_ir view;
    uint8_t *part = malloc(n + 1);
    memcpy(part, i.bytes, n);
    cr_assert_eq(ts_ir_view_bytes(part, n, &view, NULL), -1);
    free(part);
  }
  free(i.bytes);
}

Test(ir_file, refuses_every_changed_byte)
{
  image i = encoded(ir_text_example);
  ts_ir view;
  for (size_t n = 0; n < i.size; n++) {
    i.bytes[n] ^= 0x40;
    cr_assert_eq(ts_ir_view_bytes(i.bytes, i.size, &view, NULL), -1, "byte %zu", n);
    i.bytes[n] ^= 0x40;
  }
  cr_assert_eq(ts_ir_view_bytes(i.bytes, i.size, &view, NULL), 0);
  free(i.bytes);
}

/* With the digest put right the verifier is on its own; what it lets through must be usable. */
Test(ir_file, changed_bytes_with_a_right_digest_do_no_harm)
{
  image i = encoded(ir_text_example);
  size_t every = amount(7, 1);
  for (size_t n = sizeof(ts_ir_header); n < i.size; n++)
    for (size_t bit = n % every; bit < 8; bit += every) {
      ts_ir view;
      i.bytes[n] ^= (uint8_t)(1 << bit);
      seal(i);
      if (!ts_ir_view_bytes(i.bytes, i.size, &view, NULL)) {
        ir_text text = {0};
        size_t size;
        free(ts_ir_encode(&view, &size));
        cr_assert_eq(ts_ir_print(&view, ir_text_put, &text), 0);
        ts_error error;
        ts_ir_builder *b = ts_ir_parse(text.at, text.size, &error);
        cr_assert(b, "byte %zu: line %u: %s", n, error.line, error.message);
        ts_ir_builder_free(b);
        free(text.at);
      }
      i.bytes[n] ^= (uint8_t)(1 << bit);
    }
  free(i.bytes);
}

Test(ir_file, not_an_ir)
{
  image i = encoded(ir_text_example);
  i.bytes[0] = 'X';
  expect_refused(i, "not a TrainSpec IR file");
}

Test(ir_file, empty)
{
  ts_ir view;
  cr_assert_eq(ts_ir_view_bytes("", 0, &view, NULL), -1);
}

Test(ir_file, other_version)
{
  image i = encoded(ir_text_example);
  i.bytes[8] = 9;
  expect_refused(i, "format version 9; this program reads version 7");
}

Test(ir_file, truncated)
{
  image i = encoded(ir_text_example);
  i.size -= 8;
  expect_refused(i, "the copy is incomplete or was altered");
}

Test(ir_file, altered)
{
  image i = encoded(ir_text_example);
  i.bytes[i.size - 1] ^= 1;
  expect_refused(i, "does not match its digest");
}

Test(ir_file, section_count)
{
  image i = encoded(ir_text_example);
  i.bytes[12]--;
  expect_refused(i, "the number of sections");
}

Test(ir_file, section_kind)
{
  image i = encoded(ir_text_example);
  ts_ir_section s = section(i, TS_IR_NODES);
  s.kind = TS_IR_PORTS;
  set_section(i, TS_IR_NODES, s);
  seal(i);
  expect_refused(i, "section nodes does not match version 7 of the format");
}

Test(ir_file, section_offset)
{
  image i = encoded(ir_text_example);
  ts_ir_section s = section(i, TS_IR_NODES);
  s.offset -= 8;
  set_section(i, TS_IR_NODES, s);
  seal(i);
  expect_refused(i, "section nodes does not match");
}

Test(ir_file, section_count_of_records)
{
  image i = encoded(ir_text_example);
  ts_ir_section s = section(i, TS_IR_PROGRAMS);
  s.count = UINT64_MAX / s.record_size;
  set_section(i, TS_IR_PROGRAMS, s);
  seal(i);
  expect_refused(i, "records do not fit into the file");
}

Test(ir_file, no_meta)
{
  image i = encoded(ir_text_example);
  ts_ir_section s = section(i, TS_IR_META);
  s.count = 0;
  set_section(i, TS_IR_META, s);
  seal(i);
  expect_refused(i, "section meta has 0 records instead of 1");
}

Test(ir_file, bytes_between_sections)
{
  image i = encoded("stream s\nfragment F { compute 1 us }\nprogram { F }");
  ts_ir_section s = section(i, TS_IR_STRINGS);
  cr_assert(s.count % 8, "the strings should not fill their section");
  i.bytes[s.offset + s.count] = 1;
  seal(i);
  expect_refused(i, "the bytes between two sections are not zero");
}

Test(ir_file, bytes_behind_the_last_section)
{
  image i = encoded(ir_text_example);
  i.bytes = realloc(i.bytes, i.size + 8);
  memset(i.bytes + i.size, 0, 8);
  i.size += 8;
  seal(i);
  expect_refused(i, "there are bytes after the last section");
}

/* ---- canonical bytes ---- */

Test(ir_file, encoding_is_canonical)
{
  for (uint64_t seed = 1000; seed < 1200; seed++) {
    ts_ir ir, view;
    ts_ir_builder *b = random_ir_new(seed);
    ts_ir_builder_view(b, &ir);
    size_t size, again;
    uint8_t *bytes = ts_ir_encode(&ir, &size);
    cr_assert_eq(ts_ir_view_bytes(bytes, size, &view, NULL), 0);
    uint8_t *same = ts_ir_encode(&view, &again);
    cr_assert(size == again && !memcmp(bytes, same, size), "seed %d", (int)seed);
    free(bytes);
    free(same);
    ts_ir_builder_free(b);
  }
}

/* Runs stored twice, text that nothing uses: the bytes do not differ. */
Test(ir_file, equal_content_gives_equal_bytes)
{
  ts_ir ir, other;
  ts_error error;
  size_t size, other_size;
  ts_ir_builder *a = ir_text_read(ir_text_example, &error),
                *b = ir_text_read(ir_text_example, &error);
  ts_ir_builder_view(a, &ir);
  uint8_t *bytes = ts_ir_encode(&ir, &size);
  ts_ir_add_string(b, "nothing uses this");
  ts_ir_loc loc = {0, 99, 1, 1};
  ts_ir_intern(b, TS_IR_LOCS, &loc);
  void *to;
  ts_ir_builder_view(b, &ir);
  cr_assert(ir.nodes[1].dep_count == 1 && ir.nodes[5].dep_count == 1 &&
            ir.nodes[1].first_dep == ir.nodes[5].first_dep);
  /* the run of two nodes: now each has its own */
  uint32_t first = ts_ir_append(b, TS_IR_DEPS, 1, &to);
  ts_ir_builder_view(b, &other);
  memcpy(to, &other.deps[other.nodes[5].first_dep], sizeof *other.deps);
  memcpy((char *)&((ts_ir_node *)(uintptr_t)other.nodes)[5] + offsetof(ts_ir_node, first_dep),
         &first, sizeof first);
  uint8_t *same = ts_ir_encode(&other, &other_size);
  cr_assert(same && size == other_size && !memcmp(bytes, same, size));
  free(bytes);
  free(same);
  ts_ir_builder_free(a);
  ts_ir_builder_free(b);
}

/* ---- builder ---- */

Test(ir_builder, interns)
{
  ts_ir_builder *b = ts_ir_builder_new();
  cr_assert_eq(ts_ir_add_string(b, ""), 0);
  cr_assert_eq(ts_ir_add_string(b, "a"), 1);
  cr_assert_eq(ts_ir_add_string(b, "ab"), 3);
  cr_assert_eq(ts_ir_add_string(b, "a"), 1);
  const uint32_t deps[] = {4, 5, 6};
  cr_assert_eq(ts_ir_intern_run(b, TS_IR_DEPS, deps, 3), 0);
  cr_assert_eq(ts_ir_intern_run(b, TS_IR_DEPS, deps, 2), 3);
  cr_assert_eq(ts_ir_intern_run(b, TS_IR_DEPS, deps, 3), 0);
  cr_assert_eq(ts_ir_intern_run(b, TS_IR_DEPS, NULL, 0), 0);
  for (uint32_t i = 0; i < 5000; i++) {
    ts_ir_loc loc = {0, i + 1, 1, 1};
    cr_assert_eq(ts_ir_intern(b, TS_IR_LOCS, &loc), i);
  }
  ts_ir_loc loc = {0, 17, 1, 1};
  cr_assert_eq(ts_ir_intern(b, TS_IR_LOCS, &loc), 16);
  ts_ir_builder_free(b);
  ts_ir_builder_free(NULL);
}

/* ---- files ---- */

static char folder[] = "test_ir.XXXXXX", path[64];

static void make_folder(void)
{
  cr_assert(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/plan.ir", folder);
}

static void remove_folder(void)
{
  unlink(path);
  rmdir(folder);
}

static ts_ir_builder *example(ts_ir *ir)
{
  ts_error error;
  ts_ir_builder *b = ir_text_read(ir_text_example, &error);
  ts_ir_builder_view(b, ir);
  return b;
}

Test(ir_file, written_and_opened, .init = make_folder, .fini = remove_folder)
{
  ts_ir ir;
  ts_error error;
  ts_ir_builder *b = example(&ir);
  cr_assert_eq(ts_ir_write_file(&ir, path, &error), 0, "%s", error.message);
  ts_ir_file *file = ts_ir_open(path, &error);
  cr_assert(file, "%s", error.message);
  cr_assert_eq(error.message[0], 0);
  cr_assert_eq(ts_ir_of(file)->nodes_count, ir.nodes_count);
  ts_ir_close(file);
  ts_ir_builder_free(b);
}

Test(ir_file, an_equal_file_is_left_alone, .init = make_folder, .fini = remove_folder)
{
  ts_ir ir;
  struct stat before, after;
  ts_ir_builder *b = example(&ir);
  cr_assert_eq(ts_ir_write_file(&ir, path, NULL), 0);
  stat(path, &before);
  cr_assert_eq(ts_ir_write_file(&ir, path, NULL), 0);
  stat(path, &after);
  cr_assert_eq(before.st_ino, after.st_ino);
  ts_ir_builder_meta(b)->tokens_per_step = 7;
  cr_assert_eq(ts_ir_write_file(&ir, path, NULL), 0);
  ts_ir_file *file = ts_ir_open(path, NULL);
  cr_assert_eq(ts_ir_of(file)->meta->tokens_per_step, 7);
  ts_ir_close(file);
  ts_ir_builder_free(b);
}

Test(ir_file, cannot_be_opened, .init = make_folder, .fini = remove_folder)
{
  ts_error error;
  cr_assert_null(ts_ir_open(path, &error));
  cr_assert(strstr(error.message, "cannot read it: No such file"), "%s", error.message);
  cr_assert_null(ts_ir_open(folder, &error));
  cr_assert(strstr(error.message, "cannot read it: Is a directory"), "%s", error.message);
  fclose(fopen(path, "w"));
  cr_assert_null(ts_ir_open(path, &error));
  cr_assert(strstr(error.message, "not a TrainSpec IR file"), "%s", error.message);
  ts_ir_close(NULL);
}

Test(ir_file, cannot_be_written, .init = make_folder, .fini = remove_folder)
{
  ts_ir ir;
  ts_error error;
  ts_ir_builder *b = example(&ir);
  cr_assert_eq(ts_ir_write_file(&ir, "/nonexistent/plan.ir", &error), -1);
  cr_assert(strstr(error.message, "cannot write it: "), "%s", error.message);
  ts_ir_builder_meta(b)->world = 0;
  cr_assert_eq(ts_ir_write_file(&ir, path, &error), -1);
  cr_assert(strstr(error.message, "the axes span"), "%s", error.message);
  cr_assert_neq(access(path, F_OK), 0);
  ts_ir_builder_free(b);
}
