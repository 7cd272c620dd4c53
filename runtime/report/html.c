/* The report for colleagues and papers: one file that needs nothing else. What scripts draw stands
 * between the headline and the text report; both can be read without them. */
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/format.h"
#include "base/output.h"
#include "ir/names.h"
#include "runtime/account/run.h"
#include "runtime/report/facts.h"
#include "runtime/report/page.h"
#include "runtime/report/picture.h"
#include "runtime/report/confidence.h"
#include "runtime/report/report.h"
#include "runtime/report/topology.h"

enum { MARGIN = 10 }; /* of a picture by itself */

/* A tile's small line; of two plans, also how much the value is above the other's, `text`. */
static const char *more_text(const ts_summary *s, ts_arena *arena, const char *more, double value,
                             double other, ts_text text)
{
  if (!s->extras.other || !ts_is_stated(value) || !ts_is_stated(other) || !(other > 0))
    return more;
  return ts_arena_printf(arena, "%s%s%+.1f %% from %s", more, *more ? "; " : "",
                         100 * (value / other - 1), text.text);
}

static void put_figure(const ts_summary *s, ts_figure_id f, double value, ts_arena *arena,
                       FILE *out)
{
  const ts_figure *figure = &ts_figure_table[f];
  bool per_step = ts_figure_table[f].in.per_step;
  double of_tokens = ts_of_trillion_tokens(s, value);
  const char *more = "";
  if (f == TS_FIGURE_ENERGY)
    more = ts_arena_printf(arena, "%s per device", ts_format_scaled(s->energy.watts, "W").text);
  else if (per_step && ts_is_stated(of_tokens))
    more = ts_arena_printf(arena, "%s for 10^12 tokens",
                           ts_figure_text(figure->unit, of_tokens).text);
  double other = s->extras.other ? ts_figures_of(s->extras.other).of[f] : 0;
  ts_page_tile(out, false, ts_arena_printf(arena, per_step ? "%s per step" : "%s", figure->title),
               ts_figure_text(figure->unit, value).text,
               more_text(s, arena, more, value, other, ts_figure_text(figure->unit, other)));
}

static void put_memory(const ts_summary *s, ts_arena *arena, FILE *out)
{
  const ts_memory_class *m = &s->memory->classes[s->memory->fullest], *before = NULL;
  if (s->extras.other && s->extras.other->memory->stated)
    before = &s->extras.other->memory->classes[s->extras.other->memory->fullest];
  double used = (double)(m->peak + m->reserved);
  double other = before ? (double)(before->peak + before->reserved) : 0;
  const char *more = m->limit ?
                       ts_arena_printf(arena, "of %s%s", ts_format_bytes((double)m->limit).text,
                                       m->over ? ", too much" : "") :
                       "";
  ts_page_tile(out, m->over, "peak memory", ts_format_bytes(used).text,
               more_text(s, arena, more, used, other, ts_format_bytes(other)));
}

static void put_throughput(const ts_summary *s, ts_arena *arena, FILE *out)
{
  const ts_summary *other = s->extras.other ? s->extras.other : s;
  bool tokens = s->tokens_per_second > 0;
  double rate = tokens ? s->tokens_per_second : s->samples_per_second;
  double before = tokens ? other->tokens_per_second : other->samples_per_second;
  if (!(rate > 0))
    return;
  const char *more = "";
  if (tokens)
    more = ts_arena_printf(arena, "%s per device",
                           ts_format_significant(rate / s->ir->meta->world).text);
  ts_page_tile(out, false, "throughput",
               ts_arena_printf(arena, "%s %s/s", ts_format_significant(rate).text,
                               tokens ? "tokens" : "samples"),
               more_text(s, arena, more, rate, before, ts_format_significant(before)));
}

static void put_tiles(const ts_summary *s, ts_arena *arena, FILE *out)
{
  const ts_summary *other = s->extras.other ? s->extras.other : s;
  fputs("<div class=\"tiles\">\n", out);
  bool over = s->memory->stated && s->memory->classes[s->memory->fullest].over;
  if (over) /* bad news first */
    put_memory(s, arena, out);
  ts_text step = ts_format_time(s->result->step);
  const char *interval = ts_interval_text(arena, &s->confidence.step, step);
  ts_page_tile(out, false, over ? "step time if memory sufficed" : "step time", step.text,
               more_text(s, arena, interval, (double)s->result->step, (double)other->result->step,
                         ts_format_time(other->result->step)));
  put_throughput(s, arena, out);
  if (s->flops_per_device > 0) {
    const char *more = "";
    if (s->mfu > 0)
      more =
        ts_arena_printf(arena, "MFU %s%s%s", ts_format_share(s->mfu).text,
                        s->hfu > 0 ? ", HFU " : "", s->hfu > 0 ? ts_format_share(s->hfu).text : "");
    ts_page_tile(out, false, "model FLOP/s per device",
                 ts_format_scaled(s->flops_per_device, "FLOP/s").text,
                 more_text(s, arena, more, s->flops_per_device, other->flops_per_device,
                           ts_format_scaled(other->flops_per_device, "FLOP/s")));
  }
  if (s->memory->stated && !over)
    put_memory(s, arena, out);
  ts_figures figures = ts_figures_of(s);
  for (ts_figure_id f = 0; f < TS_FIGURES; f++)
    if (ts_figure_table[f].in.line && ts_is_stated(figures.of[f]))
      put_figure(s, f, figures.of[f], arena, out);
  fputs("</div>\n", out);
}

static void print_text(void *closure, FILE *out)
{
  ts_report_text(*(const ts_summary **)closure, out);
}

static void html_put_text(const ts_summary *s, FILE *out)
{
  ts_summary all = *s, *whole = &all;
  all.verbose = true;
  char *text = ts_printed(print_text, &whole, NULL);
  fputs("<section id=\"figures\">\n<h2>In figures</h2>\n<pre tabindex=\"0\">", out);
  ts_put_xml_lines(out, text);
  fputs("</pre>\n</section>\n", out);
  free(text);
}

/* Where the scripts draw. */
static void put_places(FILE *out)
{
  fputs("<noscript><p>Timeline, memory and modules are drawn by the page's own script; without it "
        "the figures below say the same.</p></noscript>\n"
        "<section id=\"ways\" hidden></section>\n<section id=\"timeline\"></section>\n"
        "<section id=\"stages\"></section>\n<section id=\"modules\"></section>\n"
        "<section id=\"network\"></section>\n",
        out);
}

static void put_cluster(const ts_summary *s, ts_arena *arena, FILE *out)
{
  ts_link_loads loads = ts_run_link_loads(s->run, arena);
  if (s->ir->links_count)
    ts_topology_section(out, ts_cluster_fold_new(arena, s->ir, &loads));
}

/* ---- Two plans ---- */

static const char *own_name(const ts_summary *s)
{
  return s->extras.name ? s->extras.name : ts_summary_string(s, s->ir->meta->plan);
}

static const char *other_name(const ts_summary *s)
{
  const char *from = s->extras.difference_from, *slash = strrchr(from, '/');
  return slash ? slash + 1 : from;
}

static void print_ratio(void *closure, FILE *out)
{
  const ts_summary *s = closure;
  ts_interval ratio = ts_interval_of_ratio(&s->confidence, &s->extras.other->confidence);
  ts_report_ratio_text(&ratio, s->arena, out);
}

/* Where the critical paths differ: the parts add up to the difference of the steps. */
static void put_causes(const ts_difference *d, const char *before, const char *after, FILE *out)
{
  fputs("<div>\n<h3>Along the critical paths</h3>\n<div class=\"wide\"><table class=\"changes\">\n"
        "<thead><tr><th scope=\"col\"></th>", out);
  ts_put_xml(out, "<th scope=\"col\">%s</th><th scope=\"col\">%s</th>", before, after);
  fputs("<th scope=\"col\">difference</th></tr></thead>\n<tbody>\n", out);
  for (uint32_t i = 0; i <= d->count; i++) {
    const ts_difference_part *p = i < d->count ? &d->at[i] : NULL;
    uint64_t then = p ? p->before : d->before, now = p ? p->after : d->after;
    ts_put_xml(out, "<tr><th scope=\"row\">%s %s</th><td>%s</td><td>%s</td><td>%s%s</td></tr>\n",
               p ? ts_critical_name(p->kind) : "step",
               p && p->kind != TS_CRITICAL_HOST ? p->name : "", ts_format_time(then).text,
               ts_format_time(now).text, now >= then ? "+" : "-",
               ts_format_time(now >= then ? now - then : then - now).text);
  }
  fputs("</tbody></table></div>\n</div>\n", out);
}

static void put_comparison(const ts_summary *s, ts_arena *arena, FILE *out)
{
  const ts_summary *other = s->extras.other;
  ts_fact_changes changes =
    ts_facts_compare(arena, ts_facts_of(arena, other), ts_facts_of(arena, s));
  char *ratio = ts_printed(print_ratio, (void *)(uintptr_t)s, NULL);
  ts_put_xml(out, "<section id=\"comparison\">\n<h2>%s against %s</h2>\n<p>", own_name(s),
             other_name(s));
  ts_put_xml_lines(out, ratio);
  free(ratio);
  fputs("</p>\n", out);
  if (s->extras.difference)
    put_causes(s->extras.difference, other_name(s), own_name(s), out);
  fputs("<div>\n<h3>What differs</h3>\n", out);
  if (changes.count)
    ts_report_changes_html(changes, other_name(s), own_name(s), arena, out);
  else
    fputs("<p>nothing</p>\n", out);
  fputs("</div>\n</section>\n", out);
}

static void put_data(const ts_summary *s, const char *name, FILE *out)
{
  fputs("<script type=\"application/json\" class=\"run\">\n", out);
  ts_page_data(s, name, out);
  fputs("\n</script>\n", out);
}

void ts_report_html(const ts_summary *s, FILE *out)
{
  ts_arena *arena = ts_arena_new("html");
  const char *title = ts_report_title(arena, s->ir);
  ts_page_begin(title, ts_page_style, ts_page_script, false, out);
  ts_put_xml(out, "<header>\n<h1>%s</h1>\n<p class=\"hint\">%s</p>\n", title,
             ts_report_made_from(s, arena));
  put_tiles(s, arena, out);
  fputs("</header>\n<main>\n", out);
  ts_report_warnings_html(s, out);
  if (s->extras.other)
    put_comparison(s, arena, out);
  put_places(out);
  put_cluster(s, arena, out);
  html_put_text(s, out);
  ts_put_xml(out, "</main>\n<footer>%s</footer>\n", ts_summary_string(s, s->ir->meta->tool));
  if (s->extras.other)
    put_data(s->extras.other, other_name(s), out);
  put_data(s, own_name(s), out);
  ts_page_end(ts_page_script, out);
  ts_arena_free(arena);
}

/* The timeline alone with what its colours mean, for a paper. */
void ts_report_svg(const ts_summary *s, const ts_window *window, FILE *out)
{
  ts_arena *arena = ts_arena_new("svg");
  const ts_picture *p = ts_picture_new(arena, s, window);
  bool memory = s->memory->stated;
  unsigned keys = ts_picture_timeline_height(p) + MARGIN / 2,
           width = TS_PICTURE_NAMES + ts_picture_timeline_width(p) + 2 * MARGIN,
           height = keys + (memory ? 3 : 2) * TS_PICTURE_KEYS + 2 * MARGIN;
  fprintf(out,
          "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" width=\"%u\" height=\"%u\" "
          "viewBox=\"%d %d %u %u\">\n<title>",
          width, height, -MARGIN, -MARGIN, width, height);
  ts_put_xml(out, "%s", ts_report_title(arena, s->ir));
  ts_put_xml(out, "</title>\n<desc>Timeline of a step of %s</desc>\n<style>\n",
             ts_format_time(s->result->step).text);
  ts_picture_style(out);
  fprintf(out,
          "</style>\n<rect x=\"%d\" y=\"%d\" width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
          -MARGIN, -MARGIN);
  ts_picture_textures(out);
  ts_picture_timeline_names(p, out);
  fprintf(out, "<g transform=\"translate(%d,0)\">\n", TS_PICTURE_NAMES);
  ts_picture_timeline(p, out);
  fputs("</g>\n", out);
  ts_picture_legend_line(p, TS_KEY_WORK, keys, out);
  ts_picture_legend_line(p, TS_KEY_STREAMS, keys + TS_PICTURE_KEYS, out);
  if (memory)
    ts_picture_legend_line(p, TS_KEY_MEMORY, keys + 2 * TS_PICTURE_KEYS, out);
  fputs("</svg>\n", out);
  ts_arena_free(arena);
}
