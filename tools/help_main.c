/* trainspec help: what the manual says of a topic: a page, a section, paragraphs; a message by its
 * code; a name of the standard library. */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "base/escape.h"
#include "base/figures.h"
#include "base/options.h"
#include "compiler/compile.h"
#include "tools/cli/pages.h"
#include "tools/cli/programs.h"
#include "tools/cli/show.h"

enum { MOST_PARAGRAPHS = 12 };

static const ts_option options[] = {{0}};
static const char *const usage[] = {"[TOPIC]...", NULL};
static const char *const notes[] = {
  "A TOPIC is a command, a page of the manual, words of a heading in it, a message",
  "(E0304 or uneven-split), a name of the standard library, or any word.",
  NULL,
};
static const ts_program program = TS_COMMAND("what the manual says of a topic.");

/* "doc/language.md": language; NULL: no page */
static const char *page_name(ts_arena *arena, const ts_embedded_file *f)
{
  size_t length = strlen(f->path);
  return !strncmp(f->path, "doc/", 4) ? ts_arena_string(arena, f->path + 4, length - 7) : NULL;
}

static const char *end_of_line(const char *at) { return at + strcspn(at, "\n"); }
static const char *next_line(const char *at)
{
  at = end_of_line(at);
  return *at ? at + 1 : at;
}

/* How deep a heading is; 0: none. Lines of code blocks are none: *code. */
static unsigned heading(const char *line, bool *code)
{
  *code ^= !strncmp(line, "```", 3);
  size_t depth = strspn(line, "#");
  return !*code && depth && line[depth] == ' ' ? (unsigned)depth : 0;
}

static bool help_is_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

/* Whether the text from `at` to `end` has the topic as words of its own, in any case. */
static bool has_words(const char *at, const char *end, const char *topic)
{
  size_t length = strlen(topic);
  for (const char *c = at; c + length <= end; c++)
    if (!strncasecmp(c, topic, length) && (c == at || !help_is_word(c[-1])) &&
        !help_is_word(c[length]))
      return true;
  return false;
}

/* Without marks for tests. */
static void put_range(const char *at, const char *end)
{
  for (; at < end; at = next_line(at)) {
    if (!strncmp(at, "<!--", 4))
      continue;
    ts_put_text(stdout, "%.*s", (int)(end_of_line(at) - at), at);
    putchar('\n');
  }
}

/* ---- Kinds of topics ---- */

static bool put_page(ts_arena *arena, const char *topic)
{
  for (size_t i = 0; i < ts_pages_file_count; i++) {
    const char *name = page_name(arena, &ts_pages_files[i]);
    if (name && !strcasecmp(name, topic)) {
      ts_put_lines(stdout, (const char *)ts_pages_files[i].bytes);
      return true;
    }
  }
  return false;
}

/* Sections whose headings have the words, each to the next heading that is as high. */
static bool put_sections(ts_arena *arena, const char *topic)
{
  bool any = false;
  for (size_t i = 0; i < ts_pages_file_count; i++) {
    const char *name = page_name(arena, &ts_pages_files[i]);
    const char *at = (const char *)ts_pages_files[i].bytes;
    bool code = false;
    for (; name && *at; at = next_line(at)) {
      unsigned depth = heading(at, &code), other;
      /* of a message by its code alone */
      bool about = strcmp(name, "messages") != 0 ?
                     has_words(at, end_of_line(at), topic) :
                     !strncasecmp(at + depth + 1, topic, strlen(topic));
      if (depth < 2 || !about)
        continue;
      const char *end = next_line(at);
      bool inside = false;
      while (*end && (!(other = heading(end, &inside)) || other > depth))
        end = next_line(end);
      fputs(any ? "\n" : "", stdout);
      ts_put_text(stdout, "(from doc/%s.md)\n", name);
      put_range(at, end);
      any = true;
    }
  }
  return any;
}

/* A row of a table, or lines up to an empty one; what is no prose is passed: code, marks for tests.
 */
static const char *end_of_paragraph(const char *at, bool *prose)
{
  *prose = *at == '|' || (*at != '`' && *at != '<' && *at != '\n');
  if (!strncmp(at, "```", 3)) {
    do
      at = next_line(at);
    while (*at && strncmp(at, "```", 3) != 0);
    return next_line(at);
  }
  if (*at == '|' || *at == '#' || !*prose)
    return next_line(at);
  while (*at && !strchr("\n|#<", *at) && strncmp(at, "```", 3) != 0)
    at = next_line(at);
  return at;
}

/* Whether it is about the topic: the first cell of a row has it, or the first words in bold. */
static bool is_about(const char *at, const char *end, const char *topic)
{
  const char *stop = NULL;
  if (*at == '|')
    stop = memchr(at + 1, '|', (size_t)(end - at - 1));
  else if (!strncmp(at, "**", 2))
    stop = strstr(at + 2, "**");
  return stop && stop < end && has_words(at, stop, topic);
}

typedef struct looking { const char *topic; size_t shown, more; const char *page, *under; } looking;

static void look_at_page(ts_arena *arena, looking *l, const ts_embedded_file *f, bool about)
{
  const char *name = page_name(arena, f), *at = (const char *)f->bytes, *end, *under = "";
  bool prose;
  for (; name && *at; at = end) {
    bool code = false; /* a block of code is one paragraph */
    end = end_of_paragraph(at, &prose);
    if (heading(at, &code)) {
      at += strspn(at, "# ");
      under = ts_arena_string(arena, at, (size_t)(end_of_line(at) - at));
    } else if (prose && has_words(at, end, l->topic) && is_about(at, end, l->topic) == about) {
      if (l->shown == MOST_PARAGRAPHS) {
        l->more++;
        continue;
      }
      if (l->page != f->path || strcmp(l->under, under) != 0) {
        fputs(l->shown ? "\n" : "", stdout);
        ts_put_text(stdout, "(from doc/%s.md, %s)\n", name, under);
      }
      l->page = f->path;
      l->under = under;
      l->shown++;
      put_range(at, end);
    }
  }
}

/* Those that are about it first; of the language's reference first. */
static bool put_paragraphs(ts_arena *arena, const char *topic)
{
  looking l = {.topic = topic, .under = ""};
  for (int pass = 0; pass < 4; pass++)
    for (size_t i = 0; i < ts_pages_file_count; i++)
      if (!strcmp(ts_pages_files[i].path, "doc/language.md") == (pass % 2 == 0))
        look_at_page(arena, &l, &ts_pages_files[i], pass < 2);
  if (l.more)
    ts_put_text(stdout, "\n... and %zu more places in the manual\n", l.more);
  return l.shown > 0;
}

static bool put_message(ts_arena *arena, const char *topic)
{
  static const struct { const char *code, *name, *severity, *title; } all[] = {
#define DIAG(code, severity, name, title) {#code, name, #severity, title},
#include "base/diag_codes.def"
#undef DIAG
  };
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    if (!strcasecmp(all[i].code, topic) || !strcmp(all[i].code + 1, topic) ||
        !strcmp(all[i].name, topic)) {
      ts_put_text(stdout, "%s %s, %s: %s\n", all[i].severity, all[i].code, all[i].name,
                  all[i].title);
      looking l = {.topic = all[i].name, .under = "", .shown = 1};
      put_sections(arena, all[i].code);
      for (size_t p = 0; p < ts_pages_file_count; p++)
        look_at_page(arena, &l, &ts_pages_files[p], true);
      return true;
    }
  return false;
}

/* A figure of a played step, by its name in the language or its title. */
static bool put_figure(const char *topic)
{
  static const struct {
    const char *name, *title, *is, *lacks;
    int better;
  } all[] = {
#define FIGURE(id, name, unit, better, title, is, lacks, ...) {name, title, is, lacks, better},
#include "base/figures.def"
#undef FIGURE
  };
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    if (!strcasecmp(all[i].name, topic) || !strcasecmp(all[i].title, topic)) {
      ts_put_text(stdout, "`%s`, %s: %s. %s is better.%s%s%s\n\n", all[i].name, all[i].title,
                  all[i].is, all[i].better > 0 ? "More" : "Less",
                  *all[i].lacks ? " It is not known where " : "", all[i].lacks,
                  *all[i].lacks ? "." : "");
      return true;
    }
  return false;
}

/* A row of doc/words.md, whose first cell lists names of one thing. */
static bool put_word(ts_arena *arena, const char *topic)
{
  for (size_t i = 0; i < ts_pages_file_count; i++) {
    const char *name = page_name(arena, &ts_pages_files[i]);
    const char *at = (const char *)ts_pages_files[i].bytes;
    for (; name && !strcmp(name, "words") && *at; at = next_line(at)) {
      const char *cell = at + 2, *bar = *at == '|' ? strchr(cell, '|') : NULL;
      for (size_t length; bar && cell < bar; cell += length + 2) {
        length = strcspn(cell, ",|");
        length -= cell[length] == '|';
        if (strlen(topic) == length && !strncasecmp(cell, topic, length)) {
          const char *meaning = bar + 2;
          ts_put_text(stdout, "%.*s: %.*s.\n\n", (int)length, cell,
                      (int)(end_of_line(meaning) - meaning - 2), meaning);
          return true;
        }
      }
    }
  }
  return false;
}

/* ---- The command ---- */

static void put_topics(ts_arena *arena)
{
  size_t width = 0;
  puts("trainspec help COMMAND shows the options of a command. Pages of the manual:\n");
  for (size_t i = 0; i < ts_pages_file_count; i++) {
    const char *name = page_name(arena, &ts_pages_files[i]);
    width = name && strlen(name) > width ? strlen(name) : width;
  }
  for (size_t i = 0; i < ts_pages_file_count; i++) {
    const char *name = page_name(arena, &ts_pages_files[i]);
    const char *title = (const char *)ts_pages_files[i].bytes + 2;
    if (name)
      ts_put_text(stdout, "  %-*s  %s\n", (int)width, name,
                  ts_arena_string(arena, title, (size_t)(end_of_line(title) - title)));
  }
  puts("\nOther topics: words of a heading (`trainspec help exit codes`), messages (E0304),\n"
       "names of the standard library (`trainspec list` says which), any word.");
}

static int help_unknown(ts_session *s, ts_options *o, const ts_catalog *catalog, const char *topic)
{
  ts_arena *arena = s->arena;
  TS_VEC(const char *) words = {0};
  for (size_t i = 0; i < ts_pages_file_count; i++)
    if (page_name(arena, &ts_pages_files[i]))
      TS_PUSH(arena, &words, page_name(arena, &ts_pages_files[i]));
  for (size_t i = 0; i < catalog->items.count; i++)
    TS_PUSH(arena, &words, catalog->items.at[i].entry->name);
  for (ts_figure_id f = 0; f < TS_FIGURES; f++)
    TS_PUSH(arena, &words, ts_figure_table[f].name);
  TS_PUSH(arena, &words, NULL);
  return ts_options_not_among(o, "topic", topic, words.at);
}

static int help(ts_arena *arena, ts_options *o, const char *topic)
{
  ts_session *s = ts_session_new(arena);
  ts_catalog catalog;
  if (!*topic)
    put_topics(arena);
  else if (!put_page(arena, topic) && !put_message(arena, topic)) {
    bool figure = put_figure(topic) || put_word(arena, topic),
         sections = put_sections(arena, topic);
    ts_catalog_load(s, NULL, 0, &catalog);
    bool name = ts_show_name(s, &catalog, topic, false, stdout);
    if (!sections && !name && !put_paragraphs(arena, topic) && !figure)
      return help_unknown(s, o, &catalog, topic);
  }
  return ts_options_finish(o, stdout, TS_EXIT_DONE);
}

int ts_help_main(int argc, char **argv)
{
  ts_arena *arena = ts_arena_new("help");
  ts_options o = ts_options_start(&program, argc, argv);
  const char *topic = "";
  for (int id; (id = ts_options_next(&o)) != TS_OPTIONS_END;) {
    if (id == TS_OPTIONS_EXIT) {
      ts_arena_free(arena);
      return o.status;
    }
    topic = ts_arena_printf(arena, "%s%s%s", topic, *topic ? " " : "", o.argument);
  }
  int status = help(arena, &o, topic);
  ts_arena_free(arena);
  return status;
}
