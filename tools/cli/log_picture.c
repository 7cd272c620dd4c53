#include "tools/cli/log_picture.h"

#include <math.h>

#include "base/escape.h"
#include "base/format.h"
#include "base/table.h"

enum { WIDTH = 900, HEIGHT = 360, LEFT = 90, RIGHT = 20, TOP = 44, BOTTOM = 44, MOST_DOTS = 5000 };

typedef struct log_axes {
  double first, last; /* steps */
  double low, high;   /* seconds */
  bool beyond;        /* some step lies higher */
} log_axes;

static double x_of(const log_axes *a, double step)
{
  double span = a->last > a->first ? a->last - a->first : 1;
  return LEFT + (WIDTH - LEFT - RIGHT) * (step - a->first) / span;
}

static double y_of(const log_axes *a, double seconds)
{
  double share = (fmin(seconds, a->high) - a->low) / (a->high - a->low);
  return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * share;
}

/* From 0 to above what is counted; what lies higher stands at the upper edge. */
static log_axes axes_of(const ts_log *log, const ts_log_steady *s, const ts_log_band *band)
{
  log_axes a = {.first = INFINITY, .last = -INFINITY, .high = band ? band->high : 0};
  for (uint32_t i = 0; i < log->count; i++) {
    if (s->use[i] == TS_LOG_UNTIMED)
      continue;
    a.first = fmin(a.first, log->rows[i].of[TS_LOG_STEP]);
    a.last = fmax(a.last, log->rows[i].of[TS_LOG_STEP]);
    if (s->use[i] == TS_LOG_COUNTED)
      a.high = fmax(a.high, log->rows[i].of[TS_LOG_SECONDS]);
  }
  a.high *= 1.25;
  for (uint32_t i = 0; i < log->count; i++)
    a.beyond |= s->use[i] != TS_LOG_UNTIMED && log->rows[i].of[TS_LOG_SECONDS] > a.high;
  return a;
}

/* A step of 1, 2 or 5 times a power of ten: about four to eight of them. */
static double tick_of(double span)
{
  double ten = pow(10, floor(log10(span / 4)));
  double many = span / 4 / ten;
  return ten * (many >= 5 ? 5 : many >= 2 ? 2 : 1);
}

static void put_axes(const log_axes *a, FILE *out)
{
  double tick = tick_of(a->high);
  for (double t = 0; t <= a->high; t += tick) {
    ts_put_xml(out, "<path d=\"M%d %.1fH%d\" class=\"grid\"/>", LEFT, y_of(a, t), WIDTH - RIGHT);
    ts_put_xml(out, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n", LEFT - 8,
               y_of(a, t) + 4, ts_format_tick((uint64_t)llround(t * 1e12)).text);
  }
  tick = fmax(1, tick_of(fmax(a->last - a->first, 4)));
  for (double step = ceil(a->first / tick) * tick; step <= a->last; step += tick)
    ts_put_xml(out, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%.0f</text>\n", x_of(a, step),
               HEIGHT - BOTTOM + 18, step);
  ts_put_xml(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">step</text>\n",
             (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 8);
}

static void put_dots(const log_axes *a, const ts_log *log, const ts_log_steady *s, FILE *out)
{
  static const char *const classes[] = {"c", "", "w", "o"};
  TS_TABLE(classes, TS_LOG_USES);
  uint32_t every = log->count / MOST_DOTS + 1;
  for (uint32_t i = 0; i < log->count; i++) {
    bool shown = s->use[i] == TS_LOG_OUTLIER || i % every == 0;
    if (s->use[i] != TS_LOG_UNTIMED && shown)
      ts_put_xml(out, "<circle class=\"%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"2.5\"/>\n",
                 classes[s->use[i]], x_of(a, log->rows[i].of[TS_LOG_STEP]),
                 y_of(a, log->rows[i].of[TS_LOG_SECONDS]));
  }
  for (uint32_t i = 0; i < s->level_count; i++) {
    const ts_log_level *l = &s->levels[i];
    ts_put_xml(out, "<path class=\"level\" d=\"M%.1f %.1fH%.1f\"/>\n",
               x_of(a, log->rows[l->first].of[TS_LOG_STEP]), y_of(a, l->median),
               x_of(a, log->rows[l->last].of[TS_LOG_STEP]));
  }
}

static void put_band(const log_axes *a, const ts_log_band *band, FILE *out)
{
  double high = y_of(a, band->high), low = y_of(a, band->low);
  ts_put_xml(out,
             "<path class=\"band\" d=\"M%d %.1fH%dV%.1fH%dZ\"/>"
             "<path class=\"predicted\" d=\"M%d %.1fH%d\"/>\n",
             LEFT, high, WIDTH - RIGHT, low, LEFT, LEFT, y_of(a, band->predicted), WIDTH - RIGHT);
}

void ts_log_picture(const ts_log *log, const ts_log_steady *steady, const ts_log_band *band,
                    const char *title, FILE *out)
{
  const ts_log_level *now = &steady->levels[steady->level_count - 1];
  log_axes a = axes_of(log, steady, band);
  ts_put_xml(out,
             "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" "
             "height=\"%d\" font-family=\"sans-serif\" font-size=\"12\">\n",
             WIDTH, HEIGHT, WIDTH, HEIGHT);
  fputs("<style>rect{fill:#fff}text{fill:#333}.grid{stroke:#ddd;fill:none}.c{fill:#3b78c2}"
        ".w{fill:#b0b0b0}.o{fill:#e0532b}.level{stroke:#111;stroke-width:1.5;fill:none}"
        "@media (prefers-color-scheme:dark){rect{fill:#16181c}text{fill:#ddd}.grid{stroke:#333}"
        ".level{stroke:#eee}}",
        out);
  if (band)
    fputs(
      ".band{fill:#3a9a5c;opacity:.18}.predicted{stroke:#3a9a5c;stroke-dasharray:6 4;fill:none}",
      out);
  fputs("</style>\n", out);
  ts_put_xml(out, "<rect width=\"%d\" height=\"%d\"/>\n", WIDTH, HEIGHT);
  ts_put_xml(out, "<text x=\"%d\" y=\"18\" font-size=\"14\">%s: %s a step</text>\n", LEFT, title,
             ts_format_time((uint64_t)llround(now->median * 1e12)).text);
  ts_put_xml(
    out,
    "<text x=\"%d\" y=\"35\"><tspan class=\"c\">&#9679;</tspan> counted "
    "<tspan class=\"w\">&#9679;</tspan> warm-up <tspan class=\"o\">&#9679;</tspan> outlier; "
    "line: median of a level%s%s</text>\n",
    LEFT, band ? "; dashed: predicted, with its band" : "",
    a.beyond ? "; at the upper edge: longer still" : "");
  if (band)
    put_band(&a, band, out);
  put_axes(&a, out);
  put_dots(&a, log, steady, out);
  fputs("</svg>\n", out);
}
