#include "base/complete.h"

#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/escape.h"

bool ts_complete_requested(int argc, char **argv)
{
  return argc > 2 && !strcmp(argv[1], "--complete");
}

void ts_complete_word(const char *begun, const char *word, const char *about, FILE *out)
{
  if (!strncmp(word, begun, strlen(begun)))
    ts_put_text(out, "%s\t%s\n", word, about);
}

typedef struct complete_line {
  const ts_program *program;
  const ts_option *common;
  char **word; /* before the one that is completed */
  int count;
  char **after;
  int after_count;
  FILE *out;
} complete_line;

static const ts_option *complete_named(const complete_line *l, const char *word)
{
  size_t length = strcspn(word, "=");
  const ts_option *tables[] = {l->program->options, l->common};
  for (size_t t = 0; t < 2 && word[0] == '-' && word[1]; t++)
    for (const ts_option *o = tables[t]; o->id; o++) {
      bool one = o->name && o->name[0] == '-';
      const char *name = word + (one ? 0 : 2);
      if ((word[1] != '-' && !word[2] && o->letter == word[1]) ||
          (o->name && (one || word[1] == '-') && length >= 2 &&
           strlen(o->name) == length - (one ? 0 : 2) && !strncmp(o->name, name, strlen(o->name))))
        return o;
    }
  return NULL;
}

/* The first word of some that is no option and no value of one. */
static const char *operand(const complete_line *l, char **words, int count)
{
  for (int i = 0; i < count; i++) {
    const ts_option *o = complete_named(l, words[i]);
    if (o && o->argument && !strchr(words[i], '='))
      i++;
    else if (!o && words[i][0] != '-')
      return words[i];
  }
  return NULL;
}

static const char *const *values_of(const complete_line *l, int id)
{
  for (const ts_option_values *v = l->program->values; v && v->words; v++)
    if (v->id == id)
      return v->words;
  return NULL;
}

/* `lead`: what stands before a value in its word, "--format=". */
static void put_value(const complete_line *l, const char *lead, const char *begun,
                      const char *value)
{
  if (!strncmp(value, begun, strlen(begun)))
    ts_put_text(l->out, "%s%s\n", lead, value);
}

/* Also behind `no-` and `error=`. */
static void complete_put_warnings(const complete_line *l, const char *begun)
{
  static const char *const leads[] = {"no-", "error=", ""};
  const char *name, *lead = leads[0];
  for (size_t i = 0; strncmp(begun, lead, strlen(lead)) != 0; i++)
    lead = leads[i + 1];
  for (size_t i = 0; (name = ts_warning_name(i)); i++)
    put_value(l, lead, begun + strlen(lead), name);
  put_value(l, "", begun, "error");
  put_value(l, "", begun, "list");
}

/* False if only the program knows. */
static bool put_values(const complete_line *l, const ts_option *o, const char *lead,
                       const char *begun)
{
  const char *const *words = values_of(l, o ? o->id : TS_OPERAND);
  const char *argument = o ? o->argument : "FILE", *plan;
  for (size_t i = 0; words && words[i]; i++)
    if (words[i][0] == ':')
      ts_put_text(l->out, "%s\n", words[i]);
    else
      put_value(l, lead, begun, words[i]);
  if (words && o)
    return true;
  if (o && o->letter == 'W') {
    complete_put_warnings(l, begun);
  } else if (!strcmp(argument, "FILE")) {
    ts_put_text(l->out, ":files\n");
  } else if (!strcmp(argument, "DIR")) {
    ts_put_text(l->out, ":folders\n");
  } else if (!strcmp(argument, "NAME=EXPR")) {
    if (!strchr(begun, '=') && ((plan = operand(l, l->word, l->count)) ||
                                (plan = operand(l, l->after, l->after_count))))
      ts_put_text(l->out, ":params %s\n", plan);
  } else {
    return false;
  }
  return true;
}

static void put_options(const complete_line *l, const char *begun)
{
  const ts_option *tables[] = {l->program->options, l->common};
  for (size_t t = 0; t < 2; t++)
    for (const ts_option *o = tables[t]; o->id; o++) {
      char word[64];
      bool one = o->name && o->name[0] == '-';
      if (!o->help)
        continue;
      if (o->name) {
        snprintf(word, sizeof word, "%s%s%s", one ? "" : "--", o->name,
                 o->argument && !one ? "=" : "");
        ts_complete_word(begun, word, o->help, l->out);
      }
      snprintf(word, sizeof word, "-%c", o->letter);
      if (o->letter && begun[1] != '-')
        ts_complete_word(begun, word, o->help, l->out);
    }
}

const ts_option *ts_complete(const ts_program *program, const ts_option *common, int argc,
                             char **argv, const char **lead, const char **begun, FILE *out)
{
  enum { WORDS = 3 }; /* the program, --complete, PLACE */
  int place = atoi(argv[WORDS - 1]), count = argc - WORDS;
  if (place < 0 || place > count)
    place = count;
  const char *word = place < count ? argv[WORDS + place] : "";
  complete_line l = {.program = program,
                     .common = common,
                     .word = argv + WORDS,
                     .count = place,
                     .after = argv + WORDS + place + (place < count),
                     .after_count = count - place - (place < count),
                     .out = out};
  const char *before = place ? argv[WORDS + place - 1] : "";
  const ts_option *o = complete_named(&l, before), *own = complete_named(&l, word);
  static char head[64];
  size_t length = strcspn(word, "=") + 1;
  *lead = head;
  head[0] = '\0';
  if (o && o->argument && !strchr(before, '=')) {
    *begun = word;
    return put_values(&l, o, head, word) ? NULL : o;
  }
  if (own && own->argument && strchr(word, '=') && length < sizeof head) {
    snprintf(head, sizeof head, "%.*s", (int)length, word);
    *begun = word + length;
    return put_values(&l, own, head, *begun) ? NULL : own;
  }
  if (word[0] == '-')
    put_options(&l, word);
  else
    put_values(&l, NULL, head, word);
  return NULL;
}
