#include "tests/accuracy/page.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/output.h"
#include "tests/accuracy/scatter.h"

enum { COLUMNS = 100 };

/* Words of a paragraph or of an item, whose further lines are indented. */
static void put_wrapped(FILE *out, const char *text, int indent)
{
  int column = 0;
  for (const char *word = text; *word;) {
    int length = (int)strcspn(word, " ");
    if (column && column + 1 + length > COLUMNS)
      column = fprintf(out, "\n%*s", indent, "") - 1;
    else if (column)
      column += fprintf(out, " ");
    column += fprintf(out, "%.*s", length, word);
    word += length + strspn(word + length, " ");
  }
  fprintf(out, "\n");
}

/* A cell of a table, whose columns `|` parts. */
static void put_cell(FILE *out, const char *text)
{
  for (; *text; text++)
    fprintf(out, strchr("|<>*_`", *text) ? "\\%c" : "%c", *text);
}

static void put_share(FILE *out, double x)
{
  if (isnan(x))
    fprintf(out, " - |");
  else
    fprintf(out, " %.1f %% |", x);
}

static void put_order(FILE *out, double x)
{
  if (isnan(x))
    fprintf(out, " - |");
  else
    fprintf(out, " %.3f |", x);
}

/* -- all sets -- */

/* The line that stands for a set: the last one of its first part. */
static const acc_line *line_of(const acc_result *r)
{
  for (size_t p = 0; p < r->parts.count; p++)
    if (r->parts.at[p]->lines.count)
      return &r->parts.at[p]->lines.at[r->parts.at[p]->lines.count - 1];
  return NULL;
}

static size_t missed_of(ts_arena *arena, const acc_result *r, size_t *asked)
{
  acc_marks marks = acc_marks_of(arena, r);
  size_t missed = 0;
  for (size_t i = 0; i < marks.count; i++)
    missed += marks.at[i].missed;
  *asked = marks.count;
  return missed;
}

static void put_summary(ts_arena *arena, const acc_results *all, FILE *out)
{
  fprintf(out, "| set | rows | mean error | median | within 10 %% | rank correlation | baseline | "
               "marks |\n|---|---|---|---|---|---|---|---|\n");
  for (size_t i = 0; i < all->count; i++) {
    const acc_result *r = all->at[i];
    const acc_line *line = line_of(r);
    size_t asked, missed = missed_of(arena, r, &asked);
    if (!line)
      continue;
    const acc_figures *f = &line->figures;
    fprintf(out, "| [%s](#%s) | %zu | %.1f %% | %.1f %% | %.0f %% |", r->name, r->name, f->rows,
            f->mean, f->median, f->within[1]);
    put_order(out, f->order);
    if (isnan(f->baseline))
      fprintf(out, " - |");
    else
      fprintf(out, " %.0f %% |", f->baseline);
    if (!asked)
      fprintf(out, " reported |\n");
    else if (missed)
      fprintf(out, " **%zu of %zu missed** |\n", missed, asked);
    else
      fprintf(out, " %zu held |\n", asked);
  }
}

/* -- one set -- */

static void put_part(const acc_part *part, FILE *out)
{
  bool intervals = false;
  if (!part->lines.count)
    return;
  for (size_t i = 0; i < part->lines.count; i++)
    intervals |= !isnan(part->lines.at[i].figures.held);
  fprintf(out, "\n| ");
  put_cell(out, part->title);
  fprintf(out,
          " | rows | mean | median | worst | bias | 5/10/20 %% | order | FLOP/s | baseline |%s\n",
          intervals ? " held | wide |" : "");
  fprintf(out, "|---|---|---|---|---|---|---|---|---|---|%s\n", intervals ? "---|---|" : "");
  for (size_t i = 0; i < part->lines.count; i++) {
    const acc_figures *f = &part->lines.at[i].figures;
    fprintf(out, "| ");
    put_cell(out, part->lines.at[i].name);
    fprintf(out, " | %zu | %.2f %% | %.2f %% | %+.1f %% | %+.1f %% | %.0f/%.0f/%.0f |", f->rows,
            f->mean, f->median, f->worst, f->bias, f->within[0], f->within[1], f->within[2]);
    put_order(out, f->order);
    put_order(out, f->rate_order);
    put_share(out, f->baseline);
    if (intervals) {
      put_share(out, f->held);
      put_share(out, f->width);
    }
    fprintf(out, "\n");
  }
}

static void put_notes(ts_arena *arena, const acc_result *r, FILE *out)
{
  acc_marks marks = acc_marks_of(arena, r);
  fprintf(out, "\n");
  if (r->sources)
    put_wrapped(out, ts_arena_printf(arena, "- Sources: %s.", r->sources), 2);
  for (size_t i = 0; i < r->notes.count; i++)
    put_wrapped(out,
                ts_arena_printf(arena, "- %c%s: %s.", r->notes.at[i].label[0] - 'a' + 'A',
                                r->notes.at[i].label + 1, r->notes.at[i].text),
                2);
  if (!marks.count)
    put_wrapped(out, "- Nothing is asked: reported.", 2);
  for (size_t i = 0; i < marks.count; i++) {
    const acc_mark *m = &marks.at[i];
    const char *found = m->ask->found ? m->ask->found : "the reason was not found";
    put_wrapped(
      out,
      ts_arena_printf(arena, "- Asked, %s, %s: %s. It is %s%s.", m->part->title, m->line->name,
                      m->asked, m->came,
                      !m->missed ? "" : ts_arena_printf(arena, ": **MISSED**. Why: %s", found)),
      2);
  }
}

static void put_set(ts_arena *arena, const acc_result *r, FILE *out)
{
  fprintf(out, "\n## %s\n", r->name);
  put_wrapped(out,
              ts_arena_printf(arena, "%c%s.",
                              r->title[0] >= 'a' && r->title[0] <= 'z' ? r->title[0] - 'a' + 'A' :
                                                                         r->title[0],
                              r->title + 1),
              0);
  for (size_t p = 0; p < r->parts.count; p++)
    put_part(r->parts.at[p], out);
  put_notes(arena, r, out);
  if (acc_scatter_has(r))
    fprintf(out, "\n![%s: predicted against measured](pictures/accuracy/%s.svg)\n", r->name,
            r->name);
}

typedef struct page {
  ts_arena *arena;
  const acc_results *all;
  const acc_result *one;
} page;

static void put_page(void *closure, FILE *out)
{
  const page *p = closure;
  fprintf(out, "# Accuracy\n\n");
  put_wrapped(out,
              "Predictions against published measurements. `./dev accuracy --write "
              "doc/accuracy.md` wrote this page; nothing here is edited by hand. The "
              "measurements are not part of this repository: figures are restated with their "
              "sources, and pictures show points on a coarse grid.",
              0);
  fprintf(out, "\n");
  put_wrapped(out,
              "Errors are shares of what was measured. *Bias* is their mean with its sign, "
              "*worst* the largest with its sign. *5/10/20 %* is the share of the rows within "
              "these errors. *Order* and *FLOP/s* are rank correlations (Spearman) of the "
              "values and of work a device and second. *Baseline* is the mean error of one "
              "rate of work, the median of the line's own rows, or of each group where the line "
              "`all` sums up several, where a note names no other. "
              "*Held* is the share of the rows inside the 80 % interval, *wide* the median "
              "width of it. Lines without `fit` in their title hold no row that a constant "
              "was fitted to, unless a note says so.",
              0);
  fprintf(out, "\n");
  put_summary(p->arena, p->all, out);
  for (size_t i = 0; i < p->all->count; i++)
    if (line_of(p->all->at[i]))
      put_set(p->arena, p->all->at[i], out);
}

static void put_picture(void *closure, FILE *out)
{
  const page *p = closure;
  acc_scatter_write(p->arena, p->one, out);
}

static int failed(const char *path, int error)
{
  fprintf(stderr, "accuracy: %s: %s\n", path, strerror(error));
  return error;
}

int acc_page_write(ts_arena *arena, const acc_results *all, const char *path)
{
  const char *slash = strrchr(path, '/');
  const char *folder = slash ? ts_arena_printf(arena, "%.*s", (int)(slash - path), path) : ".";
  const char *const folders[] = {"pictures", "pictures/accuracy"};
  for (size_t i = 0; i < 2; i++) {
    const char *made = ts_arena_printf(arena, "%s/%s", folder, folders[i]);
    if (mkdir(made, 0777) && errno != EEXIST)
      return failed(made, errno);
  }
  for (size_t i = 0; i < all->count; i++) {
    page p = {arena, all, all->at[i]};
    const char *picture =
      ts_arena_printf(arena, "%s/pictures/accuracy/%s.svg", folder, all->at[i]->name);
    int error = acc_scatter_has(all->at[i]) ? ts_print_file(picture, put_picture, &p) : 0;
    if (error)
      return failed(picture, error);
  }
  int error = ts_print_file(path, put_page, &(page){arena, all, NULL});
  return error ? failed(path, error) : 0;
}
