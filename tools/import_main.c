/* trainspec import: a plan from the command line of a training framework, or a configuration. */
#include <errno.h>
#include <string.h>

#include "base/complete.h"
#include "base/escape.h"
#include "base/options.h"
#include "compiler/argument_value.h"
#include "compiler/command_line.h"
#include "compiler/compile.h"
#include "tools/cli/plan_options.h"
#include "tools/cli/programs.h"

enum { GPUS = 1, GPU, FROM, OUTPUT, STDLIB };

static const ts_option options[] = {
  {GPUS, 0, "gpus", "N", "how many there are (8)", "Importing"},
  {GPU, 0, "gpu", "NAME", "which kind; the framework's file of std says which there are", NULL},
  {FROM, 0, "from", "FILE",
   "read ARGUMENTs from FILE, before those of the command line; - is standard input", NULL},
  {OUTPUT, 'o', "output", "FILE", "write to FILE instead of standard output", NULL},
  {STDLIB, 0, "stdlib", "DIR", "read the standard library from DIR", NULL},
  {0},
};
static const char *const usage[] = {"[OPTION]... FRAMEWORK [WORD]... ARGUMENT...", NULL};
static const char *const notes[] = {
  "ARGUMENTs are those that the FRAMEWORK's own program takes, from the first word",
  "that begins with `--` and is no option above. WORDs before them may be the",
  "program (pretrain_x.py) and variables of the environment (NAME=VALUE); of hf it",
  "is a model's config.json. What changes neither time nor memory is passed over,",
  "what is not followed is reported.",
  "",
  "Exit codes: 0 done, 1 input rejected, 2 wrong usage, 4 cannot read or write.",
  NULL,
};
static const ts_program program =
  TS_COMMAND("writes a plan from the command line of a training framework.");

typedef struct import_task {
  ts_options options;
  ts_arena *arena;
  ts_command_line line;
  TS_VEC(const char *) words;
  const char *from, *output, *stdlib;
} import_task;

/* Takes the words of the framework out of the command line; what is left is for ts_options. */
static int part(import_task *t, int argc, char **argv, char **left)
{
  int count = 1;
  left[0] = argv[0];
  if (ts_complete_requested(argc, argv)) {
    memcpy(left, argv, (size_t)(argc + 1) * sizeof *argv);
    return argc;
  }
  for (int i = 1; i < argc; i++) {
    const ts_option *own = ts_options_named(&program, argv[i]);
    if (own) {
      left[count++] = argv[i];
      if (own->argument && !strchr(argv[i], '=') && i + 1 < argc)
        left[count++] = argv[++i];
    } else if (!t->line.framework && argv[i][0] != '-') {
      t->line.framework = argv[i];
    } else if (!t->line.framework) {
      left[count++] = argv[i]; /* an option that does not exist: ts_options reports it */
    } else if (strcmp(argv[i], "--") != 0) {
      TS_PUSH(t->arena, &t->words, argv[i]);
    }
  }
  left[count] = NULL;
  return count;
}

static bool import_read_options(import_task *t, int argc, char **argv)
{
  long long number;
  t->options = ts_options_start(&program, argc, argv);
  for (int id; (id = ts_options_next(&t->options)) != TS_OPTIONS_END;) {
    switch (id) {
    case TS_OPTIONS_EXIT: return false;
    case GPUS:
      if (!ts_options_number(&t->options, 1, 10000000, &number))
        return false;
      t->line.gpus = t->options.argument;
      break;
    case GPU: t->line.gpu = t->options.argument; break;
    case FROM: t->from = t->options.argument; break;
    case OUTPUT: t->output = t->options.argument; break;
    case STDLIB: t->stdlib = t->options.argument; break;
    default: break;
    }
  }
  return true;
}

static bool import_known(import_task *t, ts_session *s)
{
  ts_name_list names = {0};
  ts_command_line_frameworks(s, &names);
  for (size_t i = 0; t->line.framework && i < names.names.count; i++)
    if (strcmp(names.names.at[i], t->line.framework) == 0)
      return true;
  TS_PUSH(t->arena, &names.names, NULL);
  t->options.status =
    t->line.framework ?
      ts_options_not_among(&t->options, "framework", t->line.framework, names.names.at) :
      ts_options_wrong(&t->options, "no FRAMEWORK given: %s", ts_listed(t->arena, names.names.at, names.names.count - 1));
  return false;
}

/* Words of a file come first, so that those of the command line count. */
static bool read_file(import_task *t, ts_session *s)
{
  size_t size = 0;
  int error = 0;
  uint32_t count = 0;
  if (!t->from)
    return true;
  const char *path = strcmp(t->from, "-") ? t->from : "/dev/stdin";
  const char *text = ts_read_file(t->arena, path, &size, &error);
  if (!text) {
    ts_diag_add(s->diags, TS_E0701, TS_NO_SPAN, "cannot read `%s`: %s", path,
                strerror(error ? error : EIO));
    return false;
  }
  const char *const *words = ts_argument_words(t->arena, text, &count);
  TS_VEC(const char *) all = {0};
  for (uint32_t i = 0; i < count; i++)
    TS_PUSH(t->arena, &all, words[i]);
  for (size_t i = 0; i < t->words.count; i++)
    TS_PUSH(t->arena, &all, t->words.at[i]);
  t->words.at = all.at;
  t->words.count = all.count;
  return true;
}

static void put_plan(void *closure, FILE *out) { ts_put_lines(out, *(const char **)closure); }

static void import(import_task *t)
{
  ts_session *s = ts_session_new(t->arena);
  size_t size = 0;
  const char *plan = NULL;
  ts_compile_settings(s, &(ts_compile_options){.stdlib_dir = t->stdlib});
  if (!import_known(t, s))
    return;
  if (read_file(t, s)) {
    t->line.word = t->words.at;
    t->line.word_count = (uint32_t)t->words.count;
    plan = ts_command_line_plan(s, &t->line, &size);
  }
  t->options.status = ts_options_report(&t->options, s->diags);
  if (plan && !t->options.status)
    t->options.status = ts_options_write(&t->options, t->output, put_plan, &plan);
}

int ts_import_main(int argc, char **argv)
{
  import_task t = {.arena = ts_arena_new("import")};
  char **left = TS_NEW_ARRAY(t.arena, char *, argc + 1);
  int count = part(&t, argc, argv, left);
  if (import_read_options(&t, count, left))
    import(&t);
  int status = t.options.status;
  ts_arena_free(t.arena);
  return status;
}
