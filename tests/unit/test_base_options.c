/* Reading a command line from a table. What is printed has golden files: tests/cli/. */
#include <criterion/criterion.h>
#include <criterion/redirect.h>
#include <string.h>

#include "base/options.h"

enum { OUTPUT = 1, QUIET, LEVEL, DEPENDS, DEPEND_FILE };

static const ts_option table[] = {
  {OUTPUT, 'o', "output", "FILE", "where to", "Output"},
  {QUIET, 'q', NULL, NULL, "say less", NULL},
  {LEVEL, 'l', "level", "N", "how much", NULL},
  {DEPENDS, 0, "-MD", NULL, "dependencies", NULL},
  {DEPEND_FILE, 0, "-MF", "FILE", "to here", NULL},
  {0},
};
static const char *const usage[] = {"FILE", NULL};
static const ts_program program = {.summary = "A program.", .usage = usage, .options = table};

/* The ids and arguments of a command line, as one text. `line` is written to. */
static const char *read_line(char *line, ts_options *o)
{
  static char text[400];
  char *words[20];
  int count = 0;
  for (char *word = strtok(line, " "); word; word = strtok(NULL, " "))
    words[count++] = word;
  *o = ts_options_start(&program, count, words);
  text[0] = '\0';
  for (int id; (id = ts_options_next(o)) >= 0;)
    snprintf(text + strlen(text), sizeof text - strlen(text), "%d%s%s ", id, o->argument ? ":" : "",
             o->argument ? o->argument : "");
  return text;
}

static void expect(const char *line, const char *expected)
{
  char copy[200];
  ts_options o;
  strcpy(copy, line);
  const char *got = read_line(copy, &o);
  cr_expect_str_eq(got, expected, "%s: %s", line, got);
  cr_expect_eq(o.status, 0);
}

Test(options, forms_of_an_argument)
{
  expect("p -o a", "1:a ");
  expect("p -oa", "1:a ");
  expect("p --output a", "1:a ");
  expect("p --output=a=b", "1:a=b ");
  expect("p --output=", "1: ");
  expect("p -o -", "1:- ");
}

Test(options, clusters_operands_and_dashes)
{
  expect("p -qoa x", "2 1:a 0:x ");
  expect("p -qq", "2 2 ");
  expect("p x -q y", "0:x 2 0:y ");
  expect("p -- -q", "0:-q ");
  expect("p -", "0:- ");
  expect("p -MD -MF d -l3", "4 5:d 3:3 ");
  expect("p --color=never --diagnostics json x", "0:x ");
}

static void expect_mistake(const char *line, const char *message)
{
  char copy[200], reported[400] = "";
  ts_options o;
  strcpy(copy, line);
  cr_redirect_stderr();
  read_line(copy, &o);
  cr_expect_eq(o.status, TS_EXIT_USAGE);
  fflush(stderr);
  FILE *pipe = cr_get_redirected_stderr();
  size_t size = fread(reported, 1, strlen(message), pipe);
  reported[size] = '\0';
  cr_expect_str_eq(reported, message);
}

Test(options, unknown_long)
{
  expect_mistake("/bin/p --outptu=x",
                 "p: unknown option `--outptu`; did you mean `--output`?\ntry `p --help`\n");
}
Test(options, unknown_letter)
{
  expect_mistake("p -qz", "p: unknown option `-z`\ntry `p --help`\n");
}
Test(options, missing_value)
{
  expect_mistake("p -o", "p: `-o` needs a value: `-o FILE`\ntry `p --help`\n");
}
Test(options, needless_value)
{
  expect_mistake("p --help=me", "p: `--help` takes no value\ntry `p --help`\n");
}
Test(options, wrong_choice)
{
  expect_mistake(
    "p --color=red",
    "p: `--color` does not take `red`; it takes `auto`, `always` or `never`\ntry `p --help`\n");
}

Test(options, numbers)
{
  long long value;
  ts_options o = {.called = "p", .spelled = "--level", .argument = "12"};
  cr_expect(ts_options_number(&o, 0, 12, &value));
  cr_expect_eq(value, 12);
  const char *wrong[] = {"", "x", "1x", "13", "-1", "99999999999999999999"};
  cr_redirect_stderr();
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    o.argument = wrong[i];
    cr_expect(!ts_options_number(&o, 0, 12, &value), "%s", wrong[i]);
  }
}
