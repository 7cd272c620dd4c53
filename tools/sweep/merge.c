#include "tools/sweep/merge.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/escape.h"
#include "base/format.h"
#include "base/output.h"
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

typedef struct merge_task {
  ts_arena *arena;
  ts_options options;
  ts_diags *diags;
  const char *output;
  TS_VEC(const char *) parts;
  const char *first; /* the part that says what all are of; NULL: none has been read */
  ts_journal_about about;
  uint64_t plans;
} merge_task;

static int merge_refuse(merge_task *t, const char *path, const ts_error *error)
{
  ts_code code = error->kind == TS_ERROR_UNREADABLE ? TS_E0702 : TS_E0709;
  ts_diag_add_error(t->diags, code, error, "cannot use the journal `%s`", path);
  return TS_EXIT_REJECTED;
}

/* They are of one plan and program. */
static bool merge_same(const char *first, const ts_journal_about *a, const ts_journal_about *b,
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

/* All journals are of the same, which the first one says. */
static bool agree(merge_task *t, ts_journal *j, const char *path, ts_error *error)
{
  ts_journal_about found;
  if (!ts_journal_about_of(j, t->arena, &found, error))
    return false;
  if (!*found.file)
    return ts_fail(error, NULL, "nothing was put into it");
  if (t->first)
    return merge_same(t->first, &t->about, &found, error);
  t->first = path;
  t->about = found;
  return true;
}

static bool merge_take(merge_task *t, ts_journal *all, const char *path, ts_error *error)
{
  ts_journal *part = ts_journal_open(t->arena, path, TS_JOURNAL_READ, error);
  bool good = part && agree(t, part, path, error) &&
              (ts_journal_is_of(all, path) || ts_journal_take(all, part, error));
  ts_journal_close(part);
  return good;
}

/* What it is of: what is there is what the parts say, or nothing. */
static bool merge_name(merge_task *t, ts_journal *all, ts_error *error)
{
  ts_journal_about there;
  return ts_journal_about_of(all, t->arena, &there, error) &&
         (*there.file ? merge_same(t->first, &t->about, &there, error) :
                        ts_journal_set_about(all, &t->about, error));
}

/* One transaction. */
static int take_all(merge_task *t, ts_journal *all)
{
  ts_error error = {0};
  const char *at = t->output;
  bool good = ts_journal_begin(all, &error);
  for (size_t i = 0; good && i < t->parts.count; i++) {
    at = t->parts.at[i];
    good = merge_take(t, all, at, &error);
  }
  if (good) {
    at = t->output;
    good = merge_name(t, all, &error) && ts_journal_commit(all, &error) &&
           ts_journal_plans(all, &t->plans, &error);
  }
  if (good)
    return TS_EXIT_DONE;
  ts_journal_undo(all);
  return merge_refuse(t, at, &error);
}

static int merge_into(merge_task *t, const char *path, ts_journal_how how)
{
  ts_error error = {0};
  ts_journal *all = ts_journal_open(t->arena, path, how, &error);
  int status = all ? take_all(t, all) : merge_refuse(t, t->output, &error);
  ts_journal_close(all);
  return status;
}

/* One that is not there is made beside its place, which it takes when it is whole: a failure leaves
 * nothing. */
static int merge_new(merge_task *t, bool absent)
{
  ts_output made;
  ts_error error = {0};
  int failed = ts_output_open(&made, t->output);
  if (!failed && made.beside) {
    int status = merge_into(t, made.beside, TS_JOURNAL_UNSEEN);
    bool good = status == TS_EXIT_DONE;
    failed = good && absent ? ts_output_close_new(&made) : ts_output_close(&made, good);
    if (!failed)
      return status;
  } else if (!failed) {
    ts_output_close(&made, false);
    failed = EINVAL; /* a pipe or a device */
  }
  error.kind = TS_ERROR_UNREADABLE;
  ts_fail(&error, NULL, "%s", strerror(failed));
  return merge_refuse(t, t->output, &error);
}

static int merge(merge_task *t)
{
  struct stat there;
  bool absent = stat(t->output, &there) != 0;
  int status = absent || !there.st_size ? merge_new(t, absent) :
                                          merge_into(t, t->output, TS_JOURNAL_GO_ON);
  if (status != TS_EXIT_DONE)
    return status;
  ts_put_text(stdout, "%s: %s plans of %s\n", t->output, ts_format_count(t->plans).text,
              t->about.file);
  return ts_options_finish(&t->options, stdout, status);
}

static int merge_run(merge_task *t, int argc, char **argv)
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
  merge_task t = {.arena = ts_arena_new("merge")};
  t.diags = ts_diags_new(t.arena, ts_sources_new(t.arena));
  int status = merge_run(&t, argc, argv), rejected = ts_options_report(&t.options, t.diags);
  ts_arena_free(t.arena);
  return rejected ? rejected : status;
}
