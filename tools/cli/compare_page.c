#include "tools/cli/compare_page.h"

#include <math.h>
#include <stdlib.h>

#include "base/escape.h"
#include "base/format.h"
#include "base/output.h"
#include "base/version.h"
#include "runtime/report/page.h"
#include "tools/cli/log_picture.h"

static const char *compare_page_value(ts_arena *arena, int part, double value)
{
  return ts_arena_printf(arena, "%s",
                         part == TS_OBSERVED_MEMORY ?
                           ts_format_bytes(value).text :
                           ts_format_time((uint64_t)fmin(value * 1e12, 9e18)).text);
}

static void put_tile(const ts_compare_page *p, ts_arena *arena, int part, FILE *out)
{
  double is = p->measured->of[part], was = p->predicted->of[part];
  const ts_interval *i = p->interval[part];
  const char *range =
    i ? ts_arena_printf(arena, "80 %%: %s to %s", compare_page_value(arena, part, i->low),
                        compare_page_value(arena, part, i->high)) :
        "";
  ts_page_tile(out, false, ts_arena_printf(arena, "%s, predicted", p->parts[part]),
               compare_page_value(arena, part, was), range);
  ts_page_tile(out, !p->inside[part], ts_arena_printf(arena, "%s, measured", p->parts[part]),
               compare_page_value(arena, part, is),
               ts_arena_printf(arena, "%+.1f %%, %s", 100 * (is / was - 1),
                               p->inside[part] ? "inside" : "outside"));
}

/* A bar of the whole, with a mark where it was measured. */
static void put_bar(double value, double measured, double whole, FILE *out)
{
  fprintf(out,
          "<div class=\"bar\" style=\"position:relative\"><i style=\"width:%.1f%%;"
          "background:var(--busy)\"></i><i style=\"position:absolute;left:%.1f%%;width:2px;"
          "background:var(--ink)\"></i></div>",
          100 * fmin(value / whole, 1), 100 * fmin(measured / whole, 0.995));
}

static void put_row(const ts_compare_page *p, ts_arena *arena, const char *name, const char *change,
                    const char *tell, const ts_observed *seen, const double *whole, FILE *out)
{
  ts_put_xml(out, "<tr><th scope=\"row\">%s", name);
  if (*change) {
    fputs("<pre tabindex=\"0\">", out);
    ts_put_xml_lines(out, change);
    fputs("</pre>", out);
  }
  fputs("</th>", out);
  for (int i = 0; i < TS_OBSERVED_SHOWN; i++)
    if (p->measured->of[i] > 0) {
      ts_put_xml(out, "<td>%s", compare_page_value(arena, i, seen->of[i]));
      put_bar(seen->of[i], p->measured->of[i], whole[i], out);
      fputs("</td>", out);
    }
  ts_put_xml(out, "<td>%s</td></tr>\n", tell);
}

static void widen(double *whole, const ts_observed *seen)
{
  for (int i = 0; i < TS_OBSERVED_SHOWN; i++)
    if (seen->of[i] > 0)
      whole[i] = fmax(whole[i], seen->of[i]);
}

static void put_table(const ts_compare_page *p, ts_arena *arena, const char *title,
                      const ts_cause *at, uint32_t count, FILE *out)
{
  double whole[TS_OBSERVED_SHOWN] = {0};
  count = count < p->most ? count : (uint32_t)p->most;
  widen(whole, p->measured);
  widen(whole, p->predicted);
  for (uint32_t i = 0; i < count; i++)
    widen(whole, &at[i].seen);
  ts_put_xml(out,
             "<section>\n<h2>%s</h2>\n<div class=\"wide\"><table class=\"causes\"><caption>Bars: "
             "what its simulation came to; the line: what was measured</caption><thead><tr><th "
             "scope=\"col\">cause</th>",
             title);
  for (int i = 0; i < TS_OBSERVED_SHOWN; i++)
    if (p->measured->of[i] > 0)
      ts_put_xml(out, "<th scope=\"col\">%s</th>", p->parts[i]);
  fputs("<th scope=\"col\">tell by</th></tr></thead><tbody>\n", out);
  put_row(p, arena, "the plan as it is", "", "", p->predicted, whole, out);
  for (uint32_t i = 0; i < count; i++)
    put_row(p, arena, ts_arena_printf(arena, "%u. %s", i + 1, at[i].name), at[i].change, at[i].tell,
            &at[i].seen, whole, out);
  fputs("</tbody></table></div>\n</section>\n", out);
}

static void put_steps(const ts_compare_page *p, FILE *out)
{
  const ts_interval *i = p->interval[TS_OBSERVED_STEP];
  double step = p->predicted->of[TS_OBSERVED_STEP];
  ts_log_band band = {step, i ? i->low : step, i ? i->high : step};
  fputs("<section>\n<h2>Steps of the log</h2>\n<div class=\"wide\">", out);
  ts_log_picture(p->log, p->steady, &band, "steps", out);
  fputs("</div>\n</section>\n", out);
}

void ts_compare_put_html(const ts_compare_page *p, FILE *out)
{
  static const char *const no_script[] = {NULL};
  ts_arena *arena = ts_arena_new("page");
  char *text = ts_printed(p->text, p->closure, NULL);
  ts_page_begin(p->title, ts_page_style, no_script, false, out);
  ts_put_xml(out, "<header>\n<h1>%s</h1>\n<div class=\"tiles\">\n", p->title);
  for (int i = 0; i < TS_OBSERVED_SHOWN; i++)
    if (p->measured->of[i] > 0 && p->predicted->of[i] > 0)
      put_tile(p, arena, i, out);
  fputs("</div>\n</header>\n<main>\n", out);
  if (p->log && p->steady->level_count)
    put_steps(p, out);
  if (p->causes && p->causes->count && p->most)
    put_table(p, arena,
              p->as_predicted ? "Were it not chance, likeliest first" :
                                "What would explain it, likeliest first",
              p->causes->at, p->causes->count, out);
  if (p->causes && p->causes->pair_count && p->most)
    put_table(p, arena, "None comes near all that was measured; two at once do", p->causes->pairs,
              p->causes->pair_count, out);
  fputs("<section>\n<h2>In words</h2>\n<pre tabindex=\"0\">", out);
  ts_put_xml_lines(out, text);
  free(text);
  ts_put_xml(out, "</pre>\n</section>\n</main>\n<footer>TrainSpec %s</footer>\n", ts_version());
  ts_page_end(no_script, out);
  ts_arena_free(arena);
}
