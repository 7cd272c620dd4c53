/* The report for colleagues and papers: one file without scripts that needs nothing else; the
 * pictures, and the text report below them. */
#include <stdlib.h>

#include "base/escape.h"
#include "base/format.h"
#include "base/output.h"
#include "ir/names.h"
#include "runtime/report/picture.h"
#include "runtime/report/confidence.h"
#include "runtime/report/report.h"

enum { MARGIN = 10 }; /* of a picture by itself */

static void put_tile(FILE *out, bool over, const char *name, const char *value, const char *more)
{
  fputs(over ? "<div class=\"over\">" : "<div>", out);
  ts_put_xml(out, "<span>%s</span><b>%s</b><small>%s</small></div>\n", name, value, more);
}

static void put_tiles(const ts_summary *s, ts_arena *arena, FILE *out)
{
  fputs("<div class=\"tiles\">\n", out);
  ts_text step = ts_format_time(s->result->step);
  put_tile(out, false, "step time", step.text,
           ts_interval_text(arena, &s->confidence.step, step));
  if (s->tokens_per_second > 0)
    put_tile(
      out, false, "throughput",
      ts_arena_printf(arena, "%s tokens/s", ts_format_significant(s->tokens_per_second).text),
      ts_arena_printf(arena, "%s per device",
                      ts_format_significant(s->tokens_per_second / s->ir->meta->world).text));
  else if (s->samples_per_second > 0)
    put_tile(
      out, false, "throughput",
      ts_arena_printf(arena, "%s samples/s", ts_format_significant(s->samples_per_second).text),
      "");
  if (s->flops_per_device > 0)
    put_tile(out, false, "model FLOP/s per device",
             ts_format_scaled(s->flops_per_device, "FLOP/s").text,
             s->mfu > 0 ? ts_arena_printf(arena, "MFU %s%s%s", ts_format_share(s->mfu).text,
                                          s->hfu > 0 ? ", HFU " : "",
                                          s->hfu > 0 ? ts_format_share(s->hfu).text : "") :
                          "");
  if (s->memory->stated) {
    const ts_memory_class *m = &s->memory->classes[s->memory->fullest];
    put_tile(out, m->over, "peak memory", ts_format_bytes((double)(m->peak + m->reserved)).text,
             m->limit ? ts_arena_printf(arena, "of %s%s", ts_format_bytes((double)m->limit).text,
                                        m->over ? ", too much" : "") :
                        "");
  }
  fputs("</div>\n", out);
}

static void put_title(const ts_summary *s, ts_arena *arena, FILE *out)
{
  const ts_ir_meta *meta = s->ir->meta;
  ts_put_xml(out, "%s: %s rank%s %s", ts_summary_string(s, meta->plan),
             ts_format_count(meta->world).text, meta->world == 1 ? "" : "s",
             ts_report_mesh(arena, s->ir));
}

static void put_head(const ts_summary *s, ts_arena *arena, FILE *out)
{
  fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta "
        "name=\"viewport\" content=\"width=device-width\">\n<title>",
        out);
  put_title(s, arena, out);
  fputs("</title>\n<style>\n"
        ":root{color-scheme:light dark}body{font:14px/1.45 system-ui,sans-serif;margin:24px "
        "auto;max-width:1200px;padding:0 16px}h1{font-size:20px}"
        "h2{font-size:16px;margin:28px 0 8px}\n"
        ".tiles{display:flex;flex-wrap:wrap;gap:12px}.tiles div{border:1px solid "
        "#8886;border-radius:6px;padding:8px 14px;min-width:150px}"
        ".tiles span,.tiles small{display:block;opacity:.75;font-size:12px}.tiles "
        "b{font-size:20px;font-weight:600}.tiles .over{border-color:#d55e00;border-width:2px}\n"
        ".key{display:inline-block;margin-right:14px;font-size:12px}.scroll{display:flex}.names{"
        "flex:none}.lanes,.wide{overflow-x:auto}.wide>svg{min-width:700px}\n"
        ".warnings{border:2px solid #d55e00;border-radius:6px;padding:4px "
        "14px;margin-top:12px}.warnings p{margin:6px 0}\n"
        "pre{font:12px/1.35 ui-monospace,monospace;overflow-x:auto}svg{display:block}.key "
        "svg{display:inline-block;vertical-align:-2px}\n"
        "@media print{body{max-width:none;margin:0}.beyond{display:none}}\n",
        out);
  ts_picture_style(out);
  fputs("</style>\n</head>\n<body>\n", out);
}

/* Scaled to the page, but not beyond what can be read. */
static void begin_picture(const char *name, unsigned height, FILE *out)
{
  ts_put_xml(out,
             "<div class=\"wide\"><svg role=\"img\" aria-label=\"%s\" viewBox=\"0 0 %d %u\" "
             "style=\"max-width:%dpx\">\n",
             name, TS_PICTURE_BARS, height, TS_PICTURE_BARS);
}

static void put_timeline(const ts_summary *s, const ts_picture *p, FILE *out)
{
  unsigned height = ts_picture_timeline_height(p), width = ts_picture_timeline_width(p);
  fputs("<h2>Timeline</h2>\n<p>The busiest rank of each stage: its work with the numbers of the "
        "micro-batches, then how busy each of its streams is.",
        out);
  if (s->memory->stated)
    fputs(" Below, what the fullest rank holds.", out);
  fputs(" Rest the pointer on a box for its times.</p>\n<p>", out);
  ts_picture_legend(p, TS_KEY_WORK, out);
  ts_picture_legend(p, TS_KEY_STREAMS, out);
  fputs("</p>\n", out);
  if (ts_picture_needs_overview(p)) {
    begin_picture("The work of each stage, the whole step", ts_picture_overview_height(p), out);
    ts_picture_overview(p, out);
    fputs("</svg></div>\n<p class=\"beyond\">The same, larger, with a scroll bar:</p>\n", out);
  }
  ts_put_xml(out, "<div class=\"scroll%s\"><svg class=\"names\" width=\"%d\" height=\"%u\">\n",
             ts_picture_needs_overview(p) ? " beyond" : "", TS_PICTURE_NAMES, height);
  ts_picture_timeline_names(p, out);
  fprintf(out,
          "</svg>\n<div class=\"lanes\"><svg role=\"img\" aria-label=\"Timeline of the busiest "
          "rank of each stage\" width=\"%u\" height=\"%u\" viewBox=\"0 0 %u %u\">\n",
          width, height, width, height);
  ts_picture_timeline(p, out);
  fputs("</svg></div></div>\n", out);
  if (s->memory->stated) {
    fputs("<p class=\"beyond\"><span class=\"key\">Memory:</span>\n", out);
    ts_picture_legend(p, TS_KEY_MEMORY, out);
    fputs("</p>\n", out);
  }
}

static void put_bars(const ts_picture *p, const char *title, ts_picture_key key,
                     void (*bars)(const ts_picture *, FILE *), FILE *out)
{
  ts_put_xml(out, "<h2>%s</h2>\n<p>", title);
  ts_picture_legend(p, key, out);
  fputs("</p>\n", out);
  begin_picture(title, ts_picture_bars_height(p), out);
  bars(p, out);
  fputs("</svg></div>\n", out);
}

static void print_text(void *closure, FILE *out)
{
  ts_report_text(*(const ts_summary **)closure, out);
}

static void put_text(const ts_summary *s, FILE *out)
{
  char *text = ts_printed(print_text, &s, NULL);
  fputs("<h2>In figures</h2>\n<pre>", out);
  ts_put_xml_lines(out, text);
  fputs("</pre>\n", out);
  free(text);
}

void ts_report_html(const ts_summary *s, FILE *out)
{
  ts_arena *arena = ts_arena_new("html");
  const ts_picture *p = ts_picture_new(arena, s);
  put_head(s, arena, out);
  ts_picture_textures(out);
  fputs("<h1>", out);
  put_title(s, arena, out);
  fputs("</h1>\n", out);
  put_tiles(s, arena, out);
  ts_report_warnings_html(s, out);
  put_timeline(s, p, out);
  put_bars(p, "Where the time of each stage goes", TS_KEY_TIME, ts_picture_time_bars, out);
  if (s->memory->stated)
    put_bars(p, "Memory of each stage at its peak", TS_KEY_MEMORY, ts_picture_memory_bars, out);
  put_text(s, out);
  ts_put_xml(out, "<p><small>%s</small></p>\n</body>\n</html>\n",
             ts_summary_string(s, s->ir->meta->tool));
  ts_arena_free(arena);
}

/* The timeline alone with what its colours mean, for a paper. */
void ts_report_svg(const ts_summary *s, FILE *out)
{
  ts_arena *arena = ts_arena_new("svg");
  const ts_picture *p = ts_picture_new(arena, s);
  bool memory = s->memory->stated;
  unsigned keys = ts_picture_timeline_height(p) + MARGIN / 2,
           width = TS_PICTURE_NAMES + ts_picture_timeline_width(p) + 2 * MARGIN,
           height = keys + (memory ? 3 : 2) * TS_PICTURE_KEYS + 2 * MARGIN;
  fprintf(out,
          "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" width=\"%u\" height=\"%u\" "
          "viewBox=\"%d %d %u %u\">\n<title>",
          width, height, -MARGIN, -MARGIN, width, height);
  put_title(s, arena, out);
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
