/* tsfmt: files of the language in their canonical layout. */
#include <errno.h>
#include <string.h>

#include "base/escape.h"
#include "base/options.h"
#include "base/output.h"
#include "base/text_diff.h"
#include "lang/ast.h"
#include "tools/cli/programs.h"

enum { CHECK = 1, IN_PLACE, DIFF, UPGRADE };

static const ts_option options[] = {
  {IN_PLACE, 'i', "in-place", NULL, "write each file back, if it changes", "Output"},
  {CHECK, 0, "check", NULL,
   "print the names of the files that would change; exit 1 if there are any", NULL},
  {DIFF, 0, "diff", NULL, "print the changes as a diff", NULL},
  {UPGRADE, 0, "upgrade", NULL,
   "replace the words of earlier versions of the language, and leave the layout as it is", NULL},
  {0},
};

static const char *const usage[] = {"[OPTION]... [FILE]...", NULL};
static const char *const notes[] = {
  "Without an option, the formatted text is written to standard output. Without",
  "a FILE, or for `-`, standard input is read. A file with syntax errors is left",
  "alone.",
  "",
  "Examples:",
  "$ -i plan.ts",
  "$ --check stdlib/*/*.ts",
  "$ --upgrade -i plan.ts",
  "",
  "Exit codes: 0 done, 1 syntax errors or --check found something, 2 wrong usage,",
  "4 cannot read or write, 70 a bug of ours.",
  NULL,
};
static const ts_program program = {
  .summary = "TrainSpec formatter: one layout for all plans, with no style options.",
  .usage = usage,
  .options = options,
  .notes = notes,
  .manual = "tsfmt(1)",
};

typedef struct command {
  ts_options options;
  ts_arena *arena;
  ts_sources *sources;
  ts_diags *diags;
  ts_lang *lang;
  TS_VEC(const char *) files;
  bool check, in_place, diff, upgrade, changes;
} command;

static bool read_command(command *c, int argc, char **argv)
{
  c->options = ts_options_start(&program, argc, argv);
  for (int id; (id = ts_options_next(&c->options)) != TS_OPTIONS_END;) {
    switch (id) {
    case TS_OPTIONS_EXIT: return false;
    case TS_OPERAND: TS_PUSH(c->arena, &c->files, c->options.argument); break;
    case CHECK: c->check = true; break;
    case IN_PLACE: c->in_place = true; break;
    case DIFF: c->diff = true; break;
    case UPGRADE: c->upgrade = true; break;
    }
  }
  if (c->in_place && (c->check || c->diff))
    return c->options.status = ts_options_wrong(
             &c->options, "`--in-place` writes; `--check` and `--diff` do not: give one of them"),
           false;
  if (c->in_place && c->files.count == 0)
    return c->options.status = ts_options_wrong(&c->options, "`--in-place` needs a FILE"), false;
  if (c->files.count == 0)
    TS_PUSH(c->arena, &c->files, "-");
  return true;
}

static char *read_stream(ts_arena *arena, FILE *in, size_t *size)
{
  TS_VEC(char) text = {0};
  char block[4096];
  for (size_t got; (got = fread(block, 1, sizeof block, in)) > 0;) {
    for (size_t i = 0; i < got; i++)
      TS_PUSH(arena, &text, block[i]);
  }
  *size = text.count;
  TS_PUSH(arena, &text, '\0');
  return text.at;
}

static char *read_input(command *c, const char *path, size_t *size)
{
  int error = 0;
  char *text;
  if (strcmp(path, "-") == 0) {
    text = read_stream(c->arena, stdin, size);
    error = ferror(stdin) ? EIO : 0;
  } else {
    text = ts_read_file(c->arena, path, size, &error);
  }
  if (error || !text)
    ts_diag_add(c->diags, TS_E0701, TS_NO_SPAN, "cannot read `%s`: %s", path, strerror(error));
  return error ? NULL : text;
}

static void write_back(command *c, const char *path, const char *text, size_t size)
{
  int error = ts_write_file(path, text, size);
  if (error)
    ts_diag_add(c->diags, TS_E0702, TS_NO_SPAN, "cannot write `%s`: %s", path, strerror(error));
}

static void format_file(command *c, const char *path)
{
  bool input = strcmp(path, "-") == 0;
  const char *shown = input ? "<stdin>" : path;
  size_t size, formatted_size;
  char *text = read_input(c, path, &size);
  if (!text)
    return;
  uint32_t file = ts_sources_add(c->sources, shown, "plan", text, size);
  char *formatted = c->upgrade ? ts_upgrade(c->lang, file, &formatted_size) :
                                 ts_format(c->lang, file, &formatted_size);
  if (!formatted)
    return;
  bool changed = size != formatted_size || memcmp(text, formatted, size) != 0;
  c->changes |= changed;
  if (c->in_place && !input) {
    if (changed)
      write_back(c, path, formatted, formatted_size);
    return;
  }
  if (c->check && changed && !c->diff)
    ts_put_text(stdout, "%s\n", shown);
  if (c->diff && changed)
    ts_text_diff(stdout, c->arena, shown, text, formatted);
  if (!c->check && !c->diff)
    fwrite(formatted, 1, formatted_size, stdout);
}

static int tsfmt_run(command *c)
{
  for (size_t i = 0; i < c->files.count; i++)
    format_file(c, c->files.at[i]);
  int status = ts_options_report(&c->options, c->diags);
  if (status == TS_EXIT_DONE && c->check && c->changes)
    status = TS_EXIT_REJECTED;
  return ts_options_finish(&c->options, stdout, status);
}

int ts_tsfmt_main(int argc, char **argv)
{
  ts_arena *arena = ts_arena_new("tsfmt");
  command c = {.arena = arena, .sources = ts_sources_new(arena)};
  c.diags = ts_diags_new(arena, c.sources);
  c.lang = ts_lang_new(arena, c.sources, c.diags);
  int status = read_command(&c, argc, argv) ? tsfmt_run(&c) : c.options.status;
  ts_arena_free(arena);
  return status;
}
