#include "base/options.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/complete.h"
#include "base/escape.h"
#include "base/heap.h"
#include "base/terminal.h"
#include "base/version.h"

enum { WIDTH = 79, HELP_COLUMN = 28, COMMON = 1 << 16, MAX_WORDS = 128 };
enum { COLOR = COMMON, DIAGNOSTICS, MAX_MEMORY, SHOW_HELP, SHOW_VERSION };

static const ts_option common[] = {
  {COLOR, 0, "color", "WHEN", "colour messages: auto, always or never (auto)", "Messages"},
  {DIAGNOSTICS, 0, "diagnostics", "FORM",
   "print messages as text, json (one object a line) or sarif (text)", NULL},
  {MAX_MEMORY, 0, "max-memory", "SIZE",
   "use at most SIZE of memory, such as 8GiB (half of the machine or container)", "Limits"},
  {SHOW_HELP, 'h', "help", NULL, "show this help", "About"},
  {SHOW_VERSION, 0, "version", NULL, "show the version", NULL},
  {0},
};

static const char *called_by(int argc, char **argv)
{
  return argc > 0 ? ts_base_name(argv[0]) : "trainspec";
}

/* A file opened in the place of a closed output would get what is printed. Writing to what stands
 * there instead fails with a message. */
static void fill_standard_files(void)
{
  for (int file = STDIN_FILENO; file <= STDERR_FILENO; file++)
    if (fcntl(file, F_GETFD) < 0 && errno == EBADF)
      (void)!open("/dev/null", O_RDONLY);
}

void ts_options_begin(int argc, char **argv)
{
  fill_standard_files();
  signal(SIGXFSZ, SIG_IGN); /* a file that may not grow is an error of who writes it */
  ts_heap_of_program(called_by(argc, argv));
}

ts_options ts_options_start(const ts_program *program, int argc, char **argv)
{
  return (ts_options){.program = program,
                      .called = called_by(argc, argv),
                      .argc = argc,
                      .argv = argv,
                      .at = 1,
                      .spelled = ""};
}

/* ---- Mistakes ---- */

static int end_of_mistake(ts_options *o)
{
  ts_put_text(stderr, "\ntry `%s --help`\n", o->called);
  return o->status = TS_EXIT_USAGE;
}

int ts_options_wrong(ts_options *o, const char *format, ...)
{
  va_list args;
  if (o->completing) /* nobody made a mistake yet */
    return o->status = TS_EXIT_USAGE;
  va_start(args, format);
  ts_put_text(stderr, "%s: ", o->called);
  ts_vput_text(stderr, format, args);
  va_end(args);
  return end_of_mistake(o);
}

int ts_options_second(ts_options *o, const char *first, const char *second)
{
  const char *equals = strchr(second, '=');
  return equals && equals != second && ts_options_named(o->program, "--define") ?
           ts_options_wrong(o, "`%s` is no file: `-D %s` sets a parameter of the plan", second,
                            second) :
           ts_options_wrong(o, "one file at a time: `%s` and `%s`", first, second);
}

static size_t count_words(const char *const *words)
{
  size_t count = 0;
  while (words[count])
    count++;
  return count;
}

/* "`a`, `b` or `c`" */
static void put_words(const char *const *words, size_t count)
{
  for (size_t i = 0; i < count; i++)
    ts_put_text(stderr, "%s`%s`", i == 0 ? "" : i + 1 == count ? " or " : ", ", words[i]);
}

int ts_options_not_among(ts_options *o, const char *what, const char *found,
                         const char *const *words)
{
  enum { FEW = 40 };
  const char *best[3];
  size_t all = count_words(words), count = ts_suggest(found, words, all, best);
  ts_put_text(stderr, "%s: unknown %s `%s`", o->called, what, found);
  for (size_t i = 0; i < count; i++)
    ts_put_text(stderr, "%s`%s`%s", i ? " or " : "; did you mean ", best[i],
                i + 1 == count ? "?" : "");
  if (!count && all && all <= FEW) {
    ts_put_text(stderr, "; it is one of ");
    put_words(words, all);
  }
  return end_of_mistake(o);
}

int ts_options_choice(ts_options *o, const char *const *words)
{
  for (int i = 0; words[i]; i++) {
    if (o->completing && !strncmp(words[i], o->argument, strlen(o->argument)))
      ts_put_text(stdout, "%s%s\n", o->completing, words[i]);
    if (!o->completing && strcmp(o->argument, words[i]) == 0)
      return i;
  }
  if (o->completing) {
    o->status = TS_EXIT_USAGE;
    return -1;
  }
  ts_put_text(stderr, "%s: `%s` does not take `%s`; it takes ", o->called, o->spelled, o->argument);
  put_words(words, count_words(words));
  end_of_mistake(o);
  return -1;
}

int ts_options_form(const ts_options *o, const char *const *words, int form)
{
  const char *end = strrchr(ts_base_name(o->argument), '.');
  for (int i = 0; end && !o->formed && words[i]; i++)
    if (!strcmp(end + 1, words[i]))
      return i;
  return form;
}

bool ts_options_number(ts_options *o, long long min, long long max, long long *value)
{
  char *end;
  errno = 0;
  *value = strtoll(o->argument, &end, 10);
  if (!errno && end != o->argument && !*end && *value >= min && *value <= max)
    return true;
  ts_options_wrong(o, "`%s` takes a whole number from %lld to %lld, not `%s`", o->spelled, min, max,
                   o->argument);
  return false;
}

bool ts_options_rate(ts_options *o, double *rate)
{
  static const struct unit {
    const char *name;
    double scale;
  } units[] = {{"", 1e9}, {"GB/s", 1e9}, {"Gb/s", 1e9 / 8}, {"TB/s", 1e12}, {"Tb/s", 1e12 / 8}};
  char *end;
  double number = strtod(o->argument, &end);
  end += strspn(end, " ");
  for (size_t u = 0; end != o->argument && u < sizeof units / sizeof *units; u++) {
    *rate = number * units[u].scale;
    if (strcmp(end, units[u].name) == 0 && *rate > 0 && *rate < 1e15)
      return true;
  }
  ts_options_wrong(o, "`%s` takes a rate such as 450 (GB/s) or 400Gb/s, not `%s`", o->spelled,
                   o->argument);
  return false;
}

bool ts_options_size(ts_options *o, double *bytes)
{
  static const struct unit { const char *name; double scale;
  } units[] = {{"", 1},      {"B", 1},        {"kB", 1e3},     {"MB", 1e6},     {"GB", 1e9},
               {"TB", 1e12}, {"KiB", 0x1p10}, {"MiB", 0x1p20}, {"GiB", 0x1p30}, {"TiB", 0x1p40}};
  char *end;
  double number = strtod(o->argument, &end);
  end += strspn(end, " ");
  for (size_t u = 0; end != o->argument && u < sizeof units / sizeof *units; u++) {
    *bytes = number * units[u].scale;
    if (strcmp(end, units[u].name) == 0 && *bytes >= 0 && *bytes < 1e18)
      return true;
  }
  ts_options_wrong(o, "`%s` takes a size such as 512MiB or 8GB, not `%s`", o->spelled, o->argument);
  return false;
}

/* ---- Help ---- */

static bool one_dash(const ts_option *option) { return option->name && option->name[0] == '-'; }

static int put_spelling(const ts_option *option)
{
  int column =
    option->letter ? printf("  -%c", option->letter) : printf(one_dash(option) ? "  " : "      ");
  if (option->name)
    column += ts_put_text(stdout, "%s%s%s", option->letter ? ", " : "",
                          one_dash(option) ? "" : "--", option->name);
  if (option->argument)
    column +=
      ts_put_text(stdout, "%s%s", option->name && !one_dash(option) ? "=" : " ", option->argument);
  return column;
}

static void put_options(const ts_option *option)
{
  for (; option->id; option++) {
    if (option->group)
      ts_put_text(stdout, "\n%s:\n", option->group);
    if (!option->help)
      continue;
    int column = put_spelling(option);
    if (column + 2 > HELP_COLUMN)
      column = printf("\n") - 1;
    ts_put_text(stdout, "%*s", HELP_COLUMN - column, "");
    ts_put_wrapped(stdout, option->help, HELP_COLUMN, HELP_COLUMN, WIDTH);
  }
}

static int put_help(const ts_options *o)
{
  const ts_program *program = o->program;
  for (size_t i = 0; program->usage[i]; i++)
    ts_put_text(stdout, "%s %s %s\n", i ? "      " : "usage:", o->called, program->usage[i]);
  ts_put_wrapped(stdout, program->summary, 0, 0, WIDTH);
  if (program->commands)
    puts("\nCommands:");
  for (size_t i = 0; program->commands && program->commands[i]; i++)
    ts_put_text(stdout, "%s\n", program->commands[i]);
  put_options(program->options);
  put_options(common);
  putchar('\n');
  for (size_t i = 0; program->notes && program->notes[i]; i++) {
    const char *line = program->notes[i];
    if (line[0] == '$')
      ts_put_text(stdout, "  $ %s%s\n", o->called, line + 1);
    else if (strlen(line) > 100) /* longer than any that was set by hand */
      ts_put_wrapped(stdout, line, 0, 0, WIDTH);
    else
      ts_put_text(stdout, "%s\n", line);
  }
  if (program->manual)
    ts_put_text(stdout, "\nManual: %s\n", program->manual);
  return ts_options_finish(o, stdout, TS_EXIT_DONE);
}

/* What configure may leave out: a name for people, and the option or package that brings it. */
static const struct part {
  const char *name, *brings;
  bool here;
} parts[] = {
#ifdef TS_HAVE_SQLITE
  {"databases", "", true},
#else
  {"databases", "libsqlite3-dev", false},
#endif
#ifdef TS_HAVE_YAML
  {"YAML (libyaml)", "", true},
#else
  {"YAML", "libyaml-dev", false},
#endif
#ifdef TS_HAVE_NS3
  {"packets (ns-3)", "", true},
#else
  {"packets", "./configure --with-ns3", false},
#endif
#ifdef TS_HAVE_MPI
  {"sweeps on several machines (MPI)", "", true},
#else
  {"sweeps on several machines", "./configure --with-mpi", false},
#endif
#ifdef TS_HAVE_FFI
  {"native calls (libffi)", "", true},
#else
  {"native calls", "./configure --with-ffi", false},
#endif
};

static void put_parts(bool here, const char *title, FILE *out)
{
  bool any = false;
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    if (parts[i].here != here)
      continue;
    ts_put_text(out, "%s%s", any ? ", " : title, parts[i].name);
    if (!here)
      ts_put_text(out, " (%s)", parts[i].brings);
    any = true;
  }
  if (any)
    fputc('\n', out);
}

static int put_version(const ts_options *o)
{
  ts_put_text(
    stdout, "TrainSpec %s %s\nLicence: Apache-2.0\nBuilt with cJSON, expat, GSL, libmd, zlib\n",
    o->called, ts_version());
  put_parts(true, "Optional parts: ", stdout);
  put_parts(false, "Left out: ", stdout);
  ts_put_text(stdout, "Opened when used: librsvg (pictures as PNG and PDF), "
                      "SQLite (databases), XGBoost (slowdown)\n");
  return ts_options_finish(o, stdout, TS_EXIT_DONE);
}

/* ---- Reading ---- */

static const ts_option *options_find(const ts_program *program, const char *name, size_t length,
                                     char letter)
{
  const ts_option *tables[] = {program->options, common};
  for (size_t t = 0; t < 2; t++) {
    for (const ts_option *option = tables[t]; option->id; option++) {
      if (name ? option->name && strlen(option->name) == length &&
                   memcmp(option->name, name, length) == 0 :
                 option->letter == letter)
        return option;
    }
  }
  return NULL;
}

static int options_leave(ts_options *o, int status)
{
  o->status = status;
  return TS_OPTIONS_EXIT;
}

/* Whether the help of --format names the form. */
static bool is_form(const ts_program *program, const char *name)
{
  const ts_option *format = ts_options_named(program, "--format");
  const char *at = format && format->help ? strstr(format->help, name) : NULL;
  size_t length = strlen(name);
  return at && length > 2 && (at == format->help || at[-1] == ' ') && strchr(" ,", at[length]);
}

/* Names are compared without their dashes, which all share. What is none may be meant as a form of
 * output, or as a parameter of the plan. */
static int options_unknown(ts_options *o, const char *spelled)
{
  const char *words[MAX_WORDS], *best[3], *name = spelled + strspn(spelled, "-");
  size_t count = 0;
  const ts_option *tables[] = {o->program->options, common}, *define;
  for (size_t t = 0; t < 2; t++)
    for (const ts_option *option = tables[t]; option->id && count < MAX_WORDS; option++)
      if (option->name && option->help)
        words[count++] = option->name + one_dash(option);
  count = ts_suggest(name, words, count, best);
  ts_put_text(stderr, "%s: unknown option `%s`", o->called, spelled);
  if (is_form(o->program, name))
    ts_put_text(stderr, "; did you mean `--format=%s`?", name);
  for (size_t i = 0; i < count; i++) /* -MD is found by its dash alone */
    ts_put_text(stderr, "%s`%s%s`%s", i ? " or " : "; did you mean ",
                options_find(o->program, best[i], strlen(best[i]), 0) ? "--" : "-", best[i],
                i + 1 == count ? "?" : "");
  define = ts_options_named(o->program, "--define");
  bool word =
    name[strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_")] == 0;
  if (define && word && name != spelled && name[1] && (!count || strlen(name) < 4) &&
      !is_form(o->program, name))
    ts_put_text(stderr, "; `-D %s=...` sets a parameter of the plan", name);
  end_of_mistake(o);
  return options_leave(o, TS_EXIT_USAGE);
}

static bool take_ceiling(ts_options *o)
{
  enum { LEAST = 1 << 24 }; /* a program that does nothing takes some of it */
  double bytes;
  if (!ts_options_size(o, &bytes))
    return false;
  if (bytes >= LEAST)
    ts_heap_set_ceiling((uint64_t)bytes);
  else
    ts_options_wrong(o, "`%s` takes 16MiB or more, not `%s`", o->spelled, o->argument);
  return bytes >= LEAST;
}

static int options_finish(ts_options *o, const ts_option *option)
{
  static const char *const colors[] = {"auto", "always", "never", NULL}, *const forms[] = {
                                                                           "text", "json", "sarif",
                                                                           NULL};
  int choice;
  switch (option->id) {
  case SHOW_HELP: return options_leave(o, put_help(o));
  case SHOW_VERSION: return options_leave(o, put_version(o));
  case COLOR:
    if ((choice = ts_options_choice(o, colors)) < 0)
      return options_leave(o, TS_EXIT_USAGE);
    o->color = choice ? colors[choice] : NULL;
    return ts_options_next(o);
  case DIAGNOSTICS:
    if ((choice = ts_options_choice(o, forms)) < 0)
      return options_leave(o, TS_EXIT_USAGE);
    o->messages = choice;
    return ts_options_next(o);
  case MAX_MEMORY:
    if (!take_ceiling(o))
      return options_leave(o, TS_EXIT_USAGE);
    return ts_options_next(o);
  default:
    o->formed |= option->name && !strcmp(option->name, "format");
    return option->id;
  }
}

/* `attached`: text that follows the option in the same word, or NULL. */
static int options_take(ts_options *o, const ts_option *option, const char *attached)
{
  o->argument = attached;
  if (!option->argument && attached)
    return options_leave(o, ts_options_wrong(o, "`%s` takes no value", o->spelled));
  if (option->argument && !attached) {
    if (o->at >= o->argc)
      return options_leave(o, ts_options_wrong(o, "`%s` needs a value: `%s %s`", o->spelled,
                                               o->spelled, option->argument));
    o->argument = o->argv[o->at++];
  }
  return options_finish(o, option);
}

static int take_letter(ts_options *o)
{
  static const char letters[] = "-a\0-b\0-c\0-d\0-e\0-f\0-g\0-h\0-i\0-j\0-k\0-l\0-m\0-n\0-o\0-p\0-"
                                "q\0-r\0-s\0-t\0-u\0-v\0-w\0-x\0-y\0-z\0"
                                "-A\0-B\0-C\0-D\0-E\0-F\0-G\0-H\0-I\0-J\0-K\0-L\0-M\0-N\0-O\0-P\0-"
                                "Q\0-R\0-S\0-T\0-U\0-V\0-W\0-X\0-Y\0-Z";
  char letter = *o->cluster++;
  const char *rest = *o->cluster ? o->cluster : NULL;
  const ts_option *option = options_find(o->program, NULL, 0, letter);
  if (!option) {
    char spelled[] = {'-', letter, 0};
    return options_leave(o, (unsigned char)letter < 0x80 ?
                              ts_options_wrong(o, "unknown option `%s`", spelled) :
                              ts_options_wrong(o, "unknown option `%s`", o->argv[o->at - 1]));
  }
  for (const char *s = letters; s < letters + sizeof letters; s += 3) {
    if (s[1] == letter)
      o->spelled = s;
  }
  if (!option->argument) {
    o->cluster = rest;
    o->argument = NULL;
    return options_finish(o, option);
  }
  o->cluster = NULL;
  return options_take(o, option, rest);
}

static int take_long(ts_options *o, char *word)
{
  size_t length = strcspn(word + 2, "=");
  const ts_option *option = options_find(o->program, word + 2, length, 0);
  bool attached = word[2 + length] == '=';
  word[2 + length] = '\0';
  if (!option || one_dash(option))
    return options_unknown(o, word);
  o->spelled = word;
  return options_take(o, option, attached ? word + 2 + length + 1 : NULL);
}

const ts_option *ts_options_named(const ts_program *program, const char *word)
{
  if (word[0] != '-' || !word[1])
    return NULL;
  if (word[1] != '-')
    return word[2] ? NULL : options_find(program, NULL, 0, word[1]);
  return options_find(program, word + 2, strcspn(word + 2, "="), 0);
}

/* For an option whose words only the program knows, it is as if that stood there with what is there
 * of its value: the program asks ts_options_choice. */
static int options_complete(ts_options *o)
{
  const ts_option *requested = NULL;
  if (!o->completing)
    requested =
      ts_complete(o->program, common, o->argc, o->argv, &o->completing, &o->argument, stdout);
  if (!requested)
    return options_leave(o, ts_options_finish(o, stdout, TS_EXIT_DONE));
  o->spelled = o->completing;
  return requested->id >= COMMON ? options_finish(o, requested) : requested->id;
}

int ts_options_next(ts_options *o)
{
  if (o->completing || (o->at == 1 && ts_complete_requested(o->argc, o->argv)))
    return options_complete(o);
  if (o->cluster)
    return take_letter(o);
  if (o->at >= o->argc)
    return TS_OPTIONS_END;
  char *word = o->argv[o->at++];
  o->argument = word;
  if (o->only_operands || word[0] != '-' || !word[1])
    return TS_OPERAND;
  if (strcmp(word, "--") == 0) {
    o->only_operands = true;
    return ts_options_next(o);
  }
  if (word[1] == '-')
    return take_long(o, word);
  const ts_option *option = options_find(o->program, word, strlen(word), 0);
  if (option) {
    o->spelled = word;
    return options_take(o, option, NULL);
  }
  o->cluster = word + 1;
  return take_letter(o);
}

bool ts_options_read(ts_options *o, void *task, void (*take)(void *task, int id))
{
  for (int id; (id = ts_options_next(o)) != TS_OPTIONS_END;) {
    if (id == TS_OPTIONS_EXIT)
      return false;
    take(task, id);
    if (o->status)
      return false;
  }
  return true;
}

void ts_options_operand(ts_options *o, const char **paths, int *count, const char *too_many)
{
  if (*count == 2)
    ts_options_wrong(o, "%s", too_many);
  else
    paths[(*count)++] = o->argument;
}

/* ---- The end ---- */

ts_color ts_options_color(const ts_options *o, FILE *out)
{
  return !o->color                       ? ts_color_auto(out) :
         strcmp(o->color, "always") == 0 ? TS_COLOR_ALWAYS :
                                           TS_COLOR_NEVER;
}

int ts_options_report(const ts_options *o, const ts_diags *diags)
{
  if (o->messages == TS_MESSAGES_JSON)
    ts_diags_print_json(diags, stderr);
  else if (o->messages == TS_MESSAGES_SARIF)
    ts_diags_print_sarif(diags, stderr);
  else
    ts_diags_print(diags, stderr, ts_options_color(o, stderr));
  return ts_diags_exit(diags);
}

int ts_options_finish(const ts_options *o, FILE *out, int status)
{
  if (fflush(out) == 0 && !ferror(out))
    return status;
  ts_put_text(stderr, "%s: cannot write the output: %s\n", o->called, strerror(errno));
  return TS_EXIT_ENVIRONMENT;
}

int ts_options_write(const ts_options *o, const char *path, ts_print *put, void *closure)
{
  if (!path || strcmp(path, "-") == 0) {
    put(closure, stdout);
    return ts_options_finish(o, stdout, TS_EXIT_DONE);
  }
  int error = ts_print_file(path, put, closure);
  if (!error)
    return TS_EXIT_DONE;
  ts_put_text(stderr, "%s: cannot write %s: %s\n", o->called, path, strerror(error));
  return TS_EXIT_ENVIRONMENT;
}
