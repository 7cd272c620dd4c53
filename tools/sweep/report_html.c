/* The report of a sweep as a page. Its scripts draw; the data stand by columns, so that a page of
 * 100,000 plans is a few megabytes. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/format.h"
#include "base/hash_table.h"
#include "base/output.h"
#include "base/version.h"
#include "runtime/report/page.h"
#include "tools/sweep/rank.h"
#include "tools/sweep/report.h"

/* Plans of a page at most: browsers are quick with so many. */
enum { MOST_PLANS = 100000 };

static size_t plans_of(const ts_sweep *s) { return s->count < MOST_PLANS ? s->count : MOST_PLANS; }

/* ---- Data ---- */

/* Texts, each once: what most plans have in common. */
typedef struct report_html_words {
  ts_arena *arena;
  ts_hash_table table;
  TS_VEC(const char *) all;
} report_html_words;

static uint32_t word(report_html_words *w, const char *text)
{
  uint32_t at = ts_hash_find_text(&w->table, text, w->all.at, sizeof *w->all.at);
  if (at != TS_HASH_NONE)
    return at;
  TS_PUSH(w->arena, &w->all, text);
  ts_hash_add(w->arena, &w->table, ts_hash_text(text), (uint32_t)w->all.count - 1);
  return (uint32_t)w->all.count - 1;
}

static void put_words(const report_html_words *w, const char *name, FILE *out)
{
  ts_put_script(out, "\"%s\":[", name);
  for (size_t i = 0; i < w->all.count; i++)
    ts_put_script(out, i ? ",\"%s\"" : "\"%s\"", w->all.at[i]);
  fputc(']', out);
}

typedef const char *text_of(const ts_sweep *s, const ts_outcome *o, uint32_t which,
                            ts_arena *arena);

/* "words":[...],"of":[...]: of each plan the number of its word, -1 where it has none. */
static void put_column(const ts_sweep *s, text_of *text, uint32_t which, FILE *out)
{
  size_t count = plans_of(s);
  report_html_words w = {.arena = ts_arena_new("column")};
  fputs("\"of\":[", out);
  for (size_t i = 0; i < count; i++) {
    const char *one = text(s, &s->outcomes[i], which, w.arena);
    fprintf(out, i ? ",%d" : "%d", one ? (int)word(&w, one) : -1);
  }
  fputs("],", out);
  put_words(&w, "words", out);
  ts_arena_free(w.arena);
}

static const char *parameter(const ts_sweep *s, const ts_outcome *o, uint32_t which,
                             ts_arena *arena)
{
  (void)arena;
  return ts_search_text_at(s->search, o->point, which);
}

static const char *reason(const ts_sweep *s, const ts_outcome *o, uint32_t which, ts_arena *arena)
{
  (void)s, (void)which, (void)arena;
  return o->why;
}

/* A line for each warning. */
static const char *warnings(const ts_sweep *s, const ts_outcome *o, uint32_t which, ts_arena *arena)
{
  const char *all = NULL;
  (void)s, (void)which;
  for (uint32_t i = 0; i < o->warning_count; i++)
    all = ts_arena_printf(arena, "%s%s%s: %s", all ? all : "", all ? " | " : "",
                          ts_code_name(o->warnings[i].code), o->warnings[i].message);
  return all;
}

static void report_html_put_number(bool first, bool known, double value, FILE *out)
{
  if (!first)
    fputc(',', out);
  if (known && isfinite(value))
    fprintf(out, "%.6g", value);
  else
    fputs("null", out);
}

static void put_figures(const ts_sweep *s, FILE *out)
{
  size_t count = plans_of(s);
  fputs("\"figures\":[", out);
  for (int f = 0; f < TS_FIGURES; f++) {
    const ts_figure *figure = &ts_figure_table[f];
    ts_put_script(out, "%s{\"name\":\"%s\",\"unit\":\"%s\",\"of\":[", f ? "," : "", figure->name,
                  ts_figure_units[figure->unit].symbol);
    for (size_t i = 0; i < count; i++)
      report_html_put_number(!i, ts_outcome_knows(&s->outcomes[i], (ts_figure_id)f),
                             s->outcomes[i].figures.of[f], out);
    ts_put_script(out, "],\"title\":\"%s\",\"better\":", ts_figure_title((ts_figure_id)f).text);
    fprintf(out, "%d}\n", figure->better);
  }
  fputs("],\n\"goals\":[", out);
  for (uint32_t g = 0; g < s->search->goal_count; g++) {
    ts_put_script(out, "%s{\"name\":\"%s\",\"maximize\":", g ? "," : "",
                  s->search->goals[g].text);
    fputs(s->search->goals[g].maximize ? "true,\"of\":[" : "false,\"of\":[", out);
    for (size_t i = 0; i < count; i++)
      report_html_put_number(!i, s->outcomes[i].objectives,
                             s->outcomes[i].objectives ? s->outcomes[i].objectives[g] : 0, out);
    fputs("]}\n", out);
  }
  fputs("],\n", out);
}

static void put_plans(const ts_sweep *s, FILE *out)
{
  size_t count = plans_of(s);
  fputs("\"state\":[", out);
  for (size_t i = 0; i < count; i++)
    fprintf(out, i ? ",%d" : "%d", (int)s->outcomes[i].state);
  fputs("],\"equal\":[", out);
  for (size_t i = 0, any = 0; i < count; i++)
    if (ts_sweep_equals_best(s, &s->outcomes[i]))
      fprintf(out, any++ ? ",%zu" : "%zu", i);
  fputs("],\"front\":[", out);
  for (size_t i = 0, any = 0; i < count; i++)
    if (s->outcomes[i].front)
      fprintf(out, any++ ? ",%zu" : "%zu", i);
  fputs("],\n\"limit\":[", out);
  for (size_t i = 0; i < count; i++)
    report_html_put_number(!i, s->outcomes[i].limit > 0, s->outcomes[i].limit, out);
  fputs("],\"low\":[", out);
  for (size_t i = 0; i < count; i++)
    report_html_put_number(!i, s->outcomes[i].sure && s->outcomes[i].sure->step.on,
                           s->outcomes[i].sure ? s->outcomes[i].sure->step.low : 0, out);
  fputs("],\"high\":[", out);
  for (size_t i = 0; i < count; i++)
    report_html_put_number(!i, s->outcomes[i].sure && s->outcomes[i].sure->step.on,
                           s->outcomes[i].sure ? s->outcomes[i].sure->step.high : 0, out);
  fputs("],\n\"why\":{", out);
  put_column(s, reason, 0, out);
  fputs("},\n\"warnings\":{", out);
  put_column(s, warnings, 0, out);
  fputs("}", out);
}

/* What stands before the parameters in the command that shows a plan in full. */
static void put_command(const ts_sweep *s, FILE *out)
{
  const ts_compile_options *o = &s->compile;
  fputs("\"command\":[\"tsrun\"", out);
  if (o->plan_name)
    ts_put_script(out, ",\"--plan=%s\"", o->plan_name);
  for (uint32_t i = 0; i < o->import_dir_count; i++)
    ts_put_script(out, ",\"-I\",\"%s\"", o->import_dirs[i]);
  for (uint32_t i = 0; i < o->define_count; i++)
    ts_put_script(out, ",\"-D\",\"%s=%s\"", o->defines[i].name, o->defines[i].expression);
  fputs("],\n", out);
}

static void put_data(const ts_sweep *s, const char *folder, size_t pages, FILE *out)
{
  fputs("<script type=\"application/json\" id=\"sweep\">\n{", out);
  if (folder)
    ts_put_script(out, "\"folder\":\"%s\",\"pages\":%zu,\n", folder, pages);
  ts_put_script(out, "\"plan\":\"%s\",\"search\":\"%s\",\"goal\":\"%s\",\"file\":\"%s\",\n",
                s->search->plan, s->search->name, s->search->goal, s->path);
  put_command(s, out);
  fputs("\"states\":[", out);
  for (int i = 0; i < TS_OUTCOME_STATES; i++)
    ts_put_script(out, i ? ",\"%s\"" : "\"%s\"", ts_outcome_states[i]);
  fputs("],\n\"parameters\":[", out);
  for (uint32_t c = 0; c < s->search->column_count; c++) {
    ts_put_script(out, "%s{\"name\":\"%s\",", c ? "," : "", s->search->columns[c]);
    put_column(s, parameter, c, out);
    fputs("}\n", out);
  }
  fputs("],\n\"conditions\":[", out);
  for (uint32_t i = 0, any = 0; i < s->search->reason_count; i++)
    if (s->search->reasons[i].count) {
      ts_put_script(out, "%s{\"text\":\"%s\",\"count\":", any++ ? "," : "",
                    s->search->reasons[i].text);
      fprintf(out, "%llu}", (unsigned long long)s->search->reasons[i].count);
    }
  fputs("],\n", out);
  put_figures(s, out);
  put_plans(s, out);
  fputs("}\n</script>\n", out);
}

/* ---- The page ---- */

static void put_tiles(const ts_sweep *s, ts_arena *arena, FILE *out)
{
  const ts_outcome *best = &s->outcomes[0];
  size_t ranked = ts_sweep_count(s, TS_RANKED), front = 0,
         large = ts_sweep_count(s, TS_TOO_LARGE);
  for (size_t i = 0; i < ranked; i++)
    front += s->outcomes[i].front;
  fputs("<div class=\"tiles\">\n", out);
  ts_page_tile(out, false, "plans", ts_format_count(s->count).text,
               ts_arena_printf(arena, "%s fit and keep to the conditions",
                               ts_format_count(ranked).text));
  if (best->state == TS_RANKED) {
    ts_page_tile(out, false, "the best", ts_outcome_text(best, TS_FIGURE_STEP).text,
                 ts_arena_printf(arena, "a step, %s", ts_outcome_text(best, TS_FIGURE_MEMORY).text));
  }
  if (s->search->goal_count > 1)
    ts_page_tile(out, false, "front", ts_format_count(front).text,
                 "plans that no other beats by all goals");
  if (large)
    ts_page_tile(out, false, "out of memory", ts_format_count(large).text, "");
  fputs("</div>\n", out);
}

static void print_text(void *closure, FILE *out) { ts_sweep_put_text(closure, 10, out); }

void ts_sweep_put_html(const ts_sweep *s, const char *folder, size_t pages, FILE *out)
{
  ts_arena *arena = ts_arena_new("page");
  const char *title = ts_arena_printf(arena, "%s, search %s: %s", s->search->plan, s->search->name,
                                      s->search->goal);
  char *text = ts_printed(print_text, (void *)(uintptr_t)s, NULL);
  ts_page_begin(title, ts_sweep_page_style, ts_sweep_page_script, false, out);
  ts_put_xml(out, "<header>\n<h1>%s</h1>\n", title);
  put_tiles(s, arena, out);
  fputs("</header>\n<main>\n", out);
  if (s->count > MOST_PLANS)
    ts_put_xml(out,
               "<p id=\"cut\">This page has the best %s of %s plans; CSV and JSON have all.</p>\n",
               ts_format_count(MOST_PLANS).text, ts_format_count(s->count).text);
  fputs(
        "<noscript><p>Pictures and the table are drawn by the page's own script; without it the "
        "text below says what is best.</p></noscript>\n"
        "<section id=\"filters\"></section>\n<section id=\"plan\" aria-live=\"polite\"></section>\n"
        "<div id=\"pictures\">\n<section id=\"front\"></section>\n<section id=\"heat\"></section>\n"
        "</div>\n<section id=\"parallel\"></section>\n<section id=\"table\"></section>\n"
        "<section id=\"left\"></section>\n<section id=\"text\">\n<h2>In words</h2>\n"
        "<pre tabindex=\"0\">",
        out);
  ts_put_xml_lines(out, text);
  free(text);
  ts_put_xml(out, "</pre>\n</section>\n</main>\n<footer>TrainSpec %s</footer>\n", ts_version());
  put_data(s, folder, pages, out);
  ts_page_end(ts_sweep_page_script, out);
  ts_arena_free(arena);
}
