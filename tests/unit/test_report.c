/* Reports of random plans keep what they promise: they fit, they parse, and what is printed adds
 * up. */
#include <cjson/cJSON.h>
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/format.h"
#include "ir/names.h"
#include "runtime/report/report.h"
#include "tests/unit/amount.h"
#include "tests/unit/random_ir.h"

typedef struct fixture {
  ts_arena *arena;
  ts_ir_builder *builder;
  ts_ir *ir;
  ts_run *run;
  const ts_summary *summary;
} fixture;

static fixture play_random(uint32_t seed)
{
  fixture f = {.arena = ts_arena_new("test"), .builder = random_ir_new(seed)};
  f.ir = TS_NEW(f.arena, ts_ir);
  ts_ir_builder_view(f.builder, f.ir);
  ts_stop stop = {.arena = f.arena};
  f.run = ts_run_new(f.ir, &(ts_run_options){0}, &stop);
  cr_assert(f.run, "seed %u: %s", seed, stop.title);
  f.summary = ts_summary_new(f.arena, f.ir, f.run, ts_memory_new(f.arena, f.ir, f.run), NULL);
  return f;
}

static void end(fixture *f)
{
  ts_run_free(f->run);
  ts_ir_builder_free(f->builder);
  ts_arena_free(f->arena);
}

static char *print(const ts_summary *summary, void (*report)(const ts_summary *, FILE *))
{
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  report(summary, out);
  fclose(out);
  return text;
}

Test(report, text_fits_its_columns_and_has_no_trailing_spaces)
{
  for (uint32_t seed = 0; seed < 150; seed++) {
    fixture f = play_random(seed);
    char *text = print(f.summary, ts_report_text);
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
      cr_expect_leq(ts_report_columns(line), TS_REPORT_WIDTH, "seed %u: %s", seed, line);
      cr_expect(line[0] && line[strlen(line) - 1] != ' ', "seed %u: `%s`", seed, line);
    }
    free(text);
    end(&f);
  }
}

static double field(const cJSON *object, const char *name)
{
  const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);
  cr_assert(cJSON_IsNumber(item), "no number %s", name);
  return item->valuedouble;
}

static void check_class(const cJSON *class, double step)
{
  double exposed = 0, phases = 0;
  const cJSON *comm, *phase, *compute = cJSON_GetObjectItemCaseSensitive(class, "compute");
  cJSON_ArrayForEach(comm, cJSON_GetObjectItemCaseSensitive(class, "communication")) exposed +=
    field(comm, "exposed_ps");
  cJSON_ArrayForEach(phase, compute) phases += phase->valuedouble;
  cr_assert_eq(exposed, field(class, "exposed_communication_ps"));
  cr_assert_eq(phases, 2 * field(compute, "total_ps"));
  cr_assert_eq(field(compute, "total_ps") + exposed + field(class, "bubble_ps") +
                 field(class, "host_wait_ps") + field(class, "tail_ps"),
               step);
}

Test(report, json_parses_and_shares_sum_to_the_step)
{
  for (uint32_t seed = 0; seed < 150; seed++) {
    fixture f = play_random(seed);
    char *text = print(f.summary, ts_report_json);
    cJSON *root = cJSON_Parse(text);
    cr_assert(root, "seed %u", seed);
    double step = field(root, "step_time_ps"), critical = 0, ranks = 0;
    cr_assert_eq(step, (double)f.summary->result->step);
    const cJSON *item, *path = cJSON_GetObjectItemCaseSensitive(root, "critical_path");
    cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(path, "parts")) critical +=
      field(item, "time_ps");
    cr_assert_eq(critical, step, "seed %u: critical path %g of %g", seed, critical, step);
    cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(root, "classes"))
    {
      check_class(item, step);
      ranks += field(item, "ranks");
    }
    cr_assert_eq(ranks, f.ir->meta->world);
    cJSON_Delete(root);
    free(text);
    end(&f);
  }
}

/* Fields of the first row in RFC 4180; *text moves behind it. */
static unsigned fields_of(char **text)
{
  unsigned fields = 1;
  bool quoted = false;
  for (; **text && (quoted || **text != '\n'); ++*text) {
    if (**text == '"')
      quoted = !quoted;
    fields += !quoted && **text == ',';
  }
  if (**text)
    ++*text;
  return fields;
}

Test(report, csv_has_a_row_for_each_class)
{
  for (uint32_t seed = 0; seed < 60; seed++) {
    fixture f = play_random(seed);
    char *text = print(f.summary, ts_report_csv), *at = text;
    unsigned columns = fields_of(&at), rows = 0;
    for (; *at; rows++)
      cr_assert_eq(fields_of(&at), columns, "seed %u, row %u", seed, rows);
    cr_assert_eq(rows, f.summary->result->class_count);
    free(text);
    end(&f);
  }
}

typedef struct track { double pid, tid, end; } track;

static void check_trace(const cJSON *events, uint32_t seed)
{
  static track tracks[4096];
  unsigned count = 0, starts = 0, ends = 0;
  const cJSON *e;
  cJSON_ArrayForEach(e, events)
  {
    const char *phase = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(e, "ph"));
    starts += *phase == 's';
    ends += *phase == 'f';
    if (*phase != 'X')
      continue;
    unsigned t = 0;
    while (t < count && (tracks[t].pid != field(e, "pid") || tracks[t].tid != field(e, "tid")))
      t++;
    if (t == count)
      tracks[count++] = (track){field(e, "pid"), field(e, "tid"), 0};
    cr_assert_geq(field(e, "ts"), tracks[t].end - 1e-6, "seed %u: slices overlap on a track", seed);
    tracks[t].end = field(e, "ts") + field(e, "dur");
  }
  cr_assert_eq(starts, ends, "seed %u", seed);
}

Test(report, trace_parses_and_slices_of_a_track_do_not_overlap)
{
  char path[] = "trace-test-XXXXXX";
  int file = mkstemp(path);
  close(file);
  for (uint32_t seed = 0; seed < amount(15, 60); seed++) {
    fixture f = play_random(seed);
    ts_stop stop = {.arena = f.arena};
    uint32_t *all = TS_NEW_ARRAY(f.arena, uint32_t, f.ir->meta->world);
    for (uint32_t r = 0; r < f.ir->meta->world; r++)
      all[r] = r;
    ts_trace_options options = {
      .memory = true, .window = {.ranks = all, .rank_count = f.ir->meta->world}};
    cr_assert_eq(ts_report_trace(f.summary, &options, path, &stop), 0);
    size_t size;
    int error;
    char *text = ts_read_file(f.arena, path, &size, &error);
    cJSON *root = text ? cJSON_Parse(text) : NULL;
    cr_assert(root, "seed %u: the trace is no JSON", seed);
    check_trace(cJSON_GetObjectItemCaseSensitive(root, "traceEvents"), seed);
    cJSON_Delete(root);
    end(&f);
  }
  unlink(path);
}

Test(report, an_unwritable_trace_is_a_stop)
{
  fixture f = play_random(1);
  ts_stop stop = {.arena = f.arena};
  cr_assert_eq(
    ts_report_trace(f.summary, &(ts_trace_options){0}, "no/such/folder/trace.json", &stop), -1);
  cr_assert_eq(stop.exit_code, TS_EXIT_ENVIRONMENT);
  end(&f);
}

Test(format, quantities)
{
  cr_assert_str_eq(ts_format_time(9423000000000).text, "9.423 s");
  cr_assert_str_eq(ts_format_time(742100000000).text, "742.1 ms");
  cr_assert_str_eq(ts_format_time(999990000000).text, "1.000 s");
  cr_assert_str_eq(ts_format_time(12).text, "12 ps");
  cr_assert_str_eq(ts_format_time(0).text, "0 s");
  cr_assert_str_eq(ts_format_bytes(96.0 * 1048576).text, "96 MiB");
  cr_assert_str_eq(ts_format_bytes(71.3125 * 1073741824).text, "71.31 GiB");
  cr_assert_str_eq(ts_format_count(1234567).text, "1,234,567");
  cr_assert_str_eq(ts_format_count(999).text, "999");
  cr_assert_str_eq(ts_format_scaled(138.24e12, "FLOP/s").text, "138.2 TFLOP/s");
  cr_assert_str_eq(ts_format_significant(333849.2).text, "333,800");
  cr_assert_str_eq(ts_format_significant(999.97).text, "1,000");
  cr_assert_str_eq(ts_format_share(0.4123).text, "41.2 %");
  cr_assert_str_eq(ts_format_letters(0).text, "a");
  cr_assert_str_eq(ts_format_letters(25).text, "z");
  cr_assert_str_eq(ts_format_letters(26).text, "aa"); /* none is named as an earlier one is */
  cr_assert_str_eq(ts_format_letters(27 * 26).text, "aaa");
}

Test(format, apportioned_parts_add_up)
{
  double parts[] = {1, 1, 1, 0};
  uint64_t out[4];
  ts_apportion(parts, 4, 3, 1000, out);
  cr_assert_eq(out[0] + out[1] + out[2], 1000);
  cr_assert_eq(out[3], 0);
  ts_apportion(parts, 4, 0, 1000, out);
  cr_assert_eq(out[0] + out[1] + out[2] + out[3], 0);
}

Test(format, columns)
{
  ts_column ms = ts_column_of_times(9.4231234e12), small = ts_column_of_times(5.1e9);
  cr_assert_str_eq(ms.unit, "ms");
  cr_assert_str_eq(ts_format_in_column(&ms, ts_column_units(&ms, 9.4231234e12)).text, "9423.1");
  cr_assert_str_eq(ts_format_in_column(&small, ts_column_units(&small, 2.5e6)).text, "0.003");
  ts_column gib = ts_column_of_sizes(40 * 0x1p30);
  cr_assert_str_eq(ts_format_in_column(&gib, ts_column_units(&gib, 0x1p29)).text, "0.50");
}

Test(report, names_are_cut_and_cleaned)
{
  ts_arena *arena = ts_arena_new("test");
  cr_assert_str_eq(ts_report_fit(arena, "layer[0].attn", 20), "layer[0].attn");
  cr_assert_str_eq(ts_report_fit(arena, "layer[0].attn", 8), "layer[..");
  cr_assert_str_eq(ts_report_fit(arena, "a\033[1m", 20), "a\\x1b[1m");
  ts_arena_free(arena);
}
