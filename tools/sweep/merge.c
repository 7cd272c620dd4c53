#include "tools/sweep/merge.h"

#include <string.h>

#include "base/escape.h"
#include "base/format.h"
#include "tools/cli/programs.h"
#include "tools/sweep/journal.h"

static const ts_option options[] = {
  {1, 'o', "output", "FILE", "the journal that has all of them; it may be there already", "Merge"},
  {0},
};
static const char *const usage[] = {"-o FILE JOURNAL...", NULL};
static const char *const notes[] = {
  "Journals of the parts of a sweep (`--shard I/N`), or of sweeps of the same plans,",
  "become one, in whatever order they are given. The sweep with `--journal FILE",
  "--resume` then reports on all plans.",
  "",
  "Exit codes: 0 done, 1 input rejected, 2 wrong usage, 4 files or system.",
  NULL,
};
static const ts_program program = TS_COMMAND("journals of the parts of a sweep become one.");

typedef struct task {
  ts_arena *arena;
  ts_options options;
  ts_diags *diags;
  const char *output;
  TS_VEC(const char *) parts;
} task;

static int refuse(task *t, const char *path, const ts_error *error)
{
  ts_code code = error->kind == TS_ERROR_UNREADABLE ? TS_E0702 : TS_E0709;
  ts_diag_add_error(t->diags, code, error, "cannot use the journal `%s`", path);
  return TS_EXIT_REJECTED;
}

static bool read_about(task *t, const char *path, ts_journal_about *about, ts_error *error)
{
  ts_journal *j = ts_journal_open(t->arena, path, TS_JOURNAL_READ, error);
  bool read = j && ts_journal_about_of(j, t->arena, about, error);
  ts_journal_close(j);
  return read && (*about->file || ts_fail(error, NULL, "nothing was put into it"));
}

/* They are of one plan and program. */
static bool same(const char *first, const ts_journal_about *a, const ts_journal_about *b,
                 ts_error *error)
{
  static const char help[] = "merge journals of one program, plan and inputs";
  if (strcmp(a->version, b->version) != 0 || strcmp(a->build, b->build) != 0)
    return ts_fail(error, help, "another build of TrainSpec wrote it than wrote `%s`", first);
  if (strcmp(a->file, b->file) != 0)
    return ts_fail(error, help, "it is of `%s`, and `%s` is of `%s`", b->file, first, a->file);
  return strcmp(a->inputs, b->inputs) == 0 ||
         ts_fail(error, help, "it is of other inputs than `%s`: `%s` or a file that it imports "
                 "differs", first, a->file);
}

/* All are looked at before anything is written. */
static int check(task *t, ts_journal_about *about)
{
  for (size_t i = 0; i < t->parts.count; i++) {
    ts_error error = {0};
    ts_journal_about found;
    const char *path = t->parts.at[i];
    if (!read_about(t, path, &found, &error) ||
        (i && !same(t->parts.at[0], about, &found, &error)))
      return refuse(t, path, &error);
    if (!i)
      *about = found;
  }
  return TS_EXIT_DONE;
}

static bool prepare(task *t, ts_journal *j, const ts_journal_about *about, ts_error *error)
{
  ts_journal_about there;
  if (!ts_journal_about_of(j, t->arena, &there, error))
    return false;
  if (*there.file)
    return same(t->parts.at[0], about, &there, error);
  return ts_journal_begin(j, error) && ts_journal_set_about(j, about, error) &&
         ts_journal_commit(j, error);
}

static int merge(task *t)
{
  ts_error error = {0};
  ts_journal_about about;
  int status = check(t, &about);
  if (status != TS_EXIT_DONE)
    return status;
  ts_journal *j = ts_journal_open(t->arena, t->output, TS_JOURNAL_GO_ON, &error);
  if (!j || !prepare(t, j, &about, &error)) {
    ts_journal_close(j);
    return refuse(t, t->output, &error);
  }
  for (size_t i = 0; i < t->parts.count && status == TS_EXIT_DONE; i++)
    if (!ts_journal_take(j, t->parts.at[i], &error))
      status = refuse(t, t->parts.at[i], &error);
  if (status == TS_EXIT_DONE)
    ts_put_text(stdout, "%s: %s plans of %s\n", t->output,
                ts_format_count((uint64_t)ts_journal_plans(j)).text, about.file);
  ts_journal_close(j);
  return status == TS_EXIT_DONE ? ts_options_finish(&t->options, stdout, status) : status;
}

static int run(task *t, int argc, char **argv)
{
  t->options = ts_options_start(&program, argc, argv);
  for (int id; (id = ts_options_next(&t->options)) != TS_OPTIONS_END;) {
    if (id == TS_OPTIONS_EXIT)
      return t->options.status;
    if (id == TS_OPERAND)
      TS_PUSH(t->arena, &t->parts, t->options.argument);
    else
      t->output = t->options.argument;
  }
  if (!t->output)
    return ts_options_wrong(&t->options, "no file to write given: `-o FILE`");
  return t->parts.count ? merge(t) : ts_options_wrong(&t->options, "no JOURNAL given");
}

int ts_sweep_merge_main(int argc, char **argv)
{
  task t = {.arena = ts_arena_new("merge")};
  t.diags = ts_diags_new(t.arena, ts_sources_new(t.arena));
  int status = run(&t, argc, argv), rejected = ts_options_report(&t.options, t.diags);
  ts_arena_free(t.arena);
  return rejected ? rejected : status;
}
