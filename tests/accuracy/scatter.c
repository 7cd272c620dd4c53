#include "tests/accuracy/scatter.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"

enum {
  LEFT = 62,
  TOP = 14,
  SIDE = 360, /* of the square between the axes */
  BELOW = 46,
  KEYS = 230,  /* width of the names of groups */
  NAME = 32,   /* of which so many characters are shown */
  MOST = 2500, /* points: coarser grids hold fewer */
};

/* Okabe and Ito's colours, which people with any sight can tell apart, and shades of them. */
static const char *const colours[] = {
  "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#444444", "#a6a600",
  "#5b3a8e", "#7f3b08", "#00695c", "#9c27b0", "#b0413e", "#1f4e79", "#808080", "#4caf50"};
enum { COLOURS = sizeof colours / sizeof *colours };

typedef struct axes {
  double low, high; /* log10 */
  acc_unit unit;
} axes;

static bool is_drawn(const acc_part *part) { return part->drawn && part->lines.count; }

bool acc_scatter_has(const acc_result *r)
{
  for (size_t i = 0; i < r->parts.count; i++)
    if (is_drawn(r->parts.at[i]))
      return true;
  return false;
}

/* Lines that sum up others are not groups. */
static bool is_group(const acc_part *part, const acc_line *line)
{
  return part->lines.count == 1 || strncmp(line->name, "all", 3) != 0;
}

static axes range_of(const acc_result *r)
{
  axes a = {INFINITY, -INFINITY, ACC_SECONDS};
  for (size_t p = 0; p < r->parts.count; p++)
    for (size_t l = 0; is_drawn(r->parts.at[p]) && l < r->parts.at[p]->lines.count; l++) {
      const acc_line *line = &r->parts.at[p]->lines.at[l];
      a.unit = r->parts.at[p]->unit;
      for (size_t i = 0; i < line->figures.rows; i++) {
        const acc_point *q = &line->points[i];
        if (!(q->measured > 0) || !(q->predicted > 0))
          continue;
        a.low = fmin(a.low, log10(fmin(q->measured, q->predicted)));
        a.high = fmax(a.high, log10(fmax(q->measured, q->predicted)));
      }
    }
  double margin = fmax(0.04 * (a.high - a.low), 0.03);
  a.low -= margin, a.high += margin;
  return a;
}

static double place(const axes *a, double value)
{
  return SIDE * (log10(value) - a->low) / (a->high - a->low);
}

/* -- bands and axes -- */

/* What lies between `share` below and above what was measured, cut to the square. */
static void put_band(const axes *a, double share, const char *opacity, FILE *out)
{
  double up = SIDE * log10(1 + share) / (a->high - a->low),
         down = -SIDE * log10(1 - share) / (a->high - a->low);
  fprintf(
    out,
    "<path fill=\"#3b6ea8\" fill-opacity=\"%s\" d=\"M%d %.1fL%.1f %dH%dV%.1fL%.1f %dH%dZ\"/>\n",
    opacity, LEFT, TOP + SIDE - up, LEFT + SIDE - up, TOP, LEFT + SIDE, TOP + down, LEFT + down,
    TOP + SIDE, LEFT);
}

static const char *label_of(ts_arena *arena, acc_unit unit, double value)
{
  static const char *const parts[] = {"ns", "us", "ms", "s"};
  int k = 3;
  if (unit == ACC_BYTES)
    return ts_arena_printf(arena, "%.4g GiB", value / 0x1p30);
  if (unit == ACC_PLAIN)
    return ts_arena_printf(arena, "%.4g", value);
  for (; k > 0 && value < 0.9999; k--)
    value *= 1000;
  return ts_arena_printf(arena, "%.4g %s", value, parts[k]);
}

static void put_tick(ts_arena *arena, const axes *a, double value, FILE *out)
{
  double at = place(a, value);
  if (at < 0 || at > SIDE)
    return;
  const char *label = label_of(arena, a->unit, value);
  fprintf(out, "<path stroke=\"#bbb\" stroke-width=\".5\" d=\"M%.1f %dv%dM%d %.1fh%d\"/>\n",
          LEFT + at, TOP, SIDE, LEFT, TOP + SIDE - at, SIDE);
  ts_put_xml(out, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>\n", LEFT + at,
             TOP + SIDE + 14, label);
  ts_put_xml(out, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n", LEFT - 5,
             TOP + SIDE - at + 3.5, label);
}

/* At decades where there are several, a few of them where there are many; else at 1, 2 and 5. */
static void put_ticks(ts_arena *arena, const axes *a, FILE *out)
{
  static const double fine[] = {1, 2, 5};
  double span = a->high - a->low, unit = a->unit == ACC_BYTES ? 0x1p30 : 1, shift = log10(unit);
  int step = span > 6 ? 2 : 1, inner = span > 2 ? 1 : 3;
  for (int decade = (int)floor((a->low - shift) / step) * step; decade <= a->high - shift;
       decade += step)
    for (int i = 0; i < inner; i++)
      put_tick(arena, a, unit * fine[i] * pow(10, decade), out);
}

/* -- points -- */

typedef struct spot {
  short x, y;
} spot;
typedef TS_VEC(spot) spots;

static int by_place(const void *a, const void *b)
{
  const spot *p = a, *q = b;
  return p->x != q->x ? p->x - q->x : p->y - q->y;
}

/* On a grid of `grid` tenths of a pixel, each place once. */
static spots spots_of(ts_arena *arena, const axes *a, const acc_line *line, int grid)
{
  spots all = {0};
  size_t kept = 0;
  for (size_t i = 0; i < line->figures.rows; i++) {
    const acc_point *p = &line->points[i];
    if (p->measured > 0 && p->predicted > 0)
      TS_PUSH(arena, &all,
              (spot){(short)(lround(10 * place(a, p->measured) / grid) * grid),
                     (short)(lround(10 * place(a, p->predicted) / grid) * grid)});
  }
  if (all.count)
    qsort(all.at, all.count, sizeof *all.at, by_place);
  for (size_t i = 0; i < all.count; i++)
    if (!i || by_place(&all.at[i], &all.at[i - 1]) != 0)
      all.at[kept++] = all.at[i];
  all.count = kept;
  return all;
}

static size_t spots_in_all(const acc_result *r, const axes *a, int grid)
{
  ts_arena *arena = ts_arena_new("spots");
  size_t n = 0;
  for (size_t p = 0; p < r->parts.count; p++)
    for (size_t l = 0; is_drawn(r->parts.at[p]) && l < r->parts.at[p]->lines.count; l++)
      if (is_group(r->parts.at[p], &r->parts.at[p]->lines.at[l]))
        n += spots_of(arena, a, &r->parts.at[p]->lines.at[l], grid).count;
  ts_arena_free(arena);
  return n;
}

static void put_line(ts_arena *arena, const axes *a, const acc_line *line, int grid, size_t index,
                     FILE *out)
{
  spots s = spots_of(arena, a, line, grid);
  const char *colour = colours[index % COLOURS];
  fprintf(out,
          "<path fill=\"none\" stroke=\"%s\" stroke-opacity=\".8\" stroke-width=\"%s\" "
          "stroke-linecap=\"round\" d=\"",
          colour, grid > 10 ? "2.6" : "4");
  for (size_t i = 0; i < s.count; i++)
    fprintf(out, "M%g %gh0", LEFT + s.at[i].x / 10.0, TOP + SIDE - s.at[i].y / 10.0);
  fprintf(out, "\"/>\n");
}

static void put_key(const char *name, size_t index, FILE *out)
{
  int x = LEFT + SIDE + 16, y = TOP + 8 + 16 * (int)index;
  fprintf(out, "<circle cx=\"%d\" cy=\"%d\" r=\"4\" fill=\"%s\"/>\n", x, y,
          colours[index % COLOURS]);
  ts_put_xml(out, "<text x=\"%d\" y=\"%d\">%.*s%s</text>\n", x + 9, y + 4, NAME, name,
             strlen(name) > NAME ? "..." : "");
}

void acc_scatter_write(ts_arena *arena, const acc_result *r, FILE *out)
{
  axes a = range_of(r);
  int grid = 10;
  size_t n = 0;
  while (grid < 80 && spots_in_all(r, &a, grid) > MOST)
    grid += 10;
  fprintf(out,
          "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" "
          "font-family=\"sans-serif\" font-size=\"10.5\" fill=\"#222\">\n",
          LEFT + SIDE + KEYS, TOP + SIDE + BELOW);
  ts_put_xml(out, "<title>%s: predicted against measured</title>\n", r->name);
  fprintf(out, "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n");
  put_band(&a, 0.2, ".09", out);
  put_band(&a, 0.1, ".12", out);
  put_band(&a, 0.05, ".16", out);
  put_ticks(arena, &a, out);
  fprintf(out, "<path fill=\"none\" stroke=\"#666\" d=\"M%d %dh%dv%dh-%dzM%d %dL%d %d\"/>\n", LEFT,
          TOP, SIDE, SIDE, SIDE, LEFT, TOP + SIDE, LEFT + SIDE, TOP);
  for (size_t p = 0; p < r->parts.count; p++)
    for (size_t l = 0; is_drawn(r->parts.at[p]) && l < r->parts.at[p]->lines.count; l++) {
      const acc_line *line = &r->parts.at[p]->lines.at[l];
      if (!is_group(r->parts.at[p], line))
        continue;
      put_line(arena, &a, line, grid, n, out);
      put_key(line->name, n++, out);
    }
  fprintf(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">measured</text>\n", LEFT + SIDE / 2,
          TOP + SIDE + 34);
  fprintf(
    out,
    "<text transform=\"translate(12 %d) rotate(-90)\" text-anchor=\"middle\">predicted</text>\n",
    TOP + SIDE / 2);
  fprintf(out, "<text x=\"%d\" y=\"%d\" fill=\"#666\">bands: 5, 10, 20 %%</text>\n</svg>\n",
          LEFT + SIDE + 12, TOP + SIDE);
}
