/* The picture of a folded cluster. A part is a box with a cell for each member; boxes of an island
 * stand in a frame, others in rows above, by their distance. A link between two cells that are
 * there is a line; what a bundle carries stands on a label. Colours of lines and edges
 * are told apart on white and in the dark; pages set those of texts and boxes anew
 * (page/topology.css). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/format.h"
#include "base/heap.h"
#include "ir/names.h"
#include "runtime/report/topology.h"

enum {
  CELL = 14,
  PITCH = 19,       /* from cell to cell; */
  WIDE_PITCH = 30,  /* where there are links between them, */
  MANY_CELLS = 300, /* but not between this many */
  ARC_ROOM = 14,    /* above such cells */
  ROW_CELLS = 24,   /* of a box, unless it is a lattice */
  MOST_CELLS = 96,  /* of a box */
  MOST_LATTICE = 1024,
  PLANES = 4,        /* of a lattice, beside each other */
  MOST_LINES = 1200, /* of a bundle */
  HEAD = 40,         /* of a box: its two lines */
  PAD = 10,
  LINE = 15, /* of a label */
  FRAME_HEAD = 24,
  GAP = 40,    /* between rows, and what labels need */
  BESIDE = 24, /* between boxes of a row */
  STACK = 5,   /* frames behind a frame */
  MOST_KINDS = 6,
  RISERS = 6, /* beside each other */
  RISER = 11,
  MARGIN = 14
};

typedef struct label {
  const char *lines[4];
  int count;
  bool marked;
  double x, y, w, h;
} label;

typedef struct topology_svg_box {
  double x, y, w, h;
  uint32_t columns, rows, drawn;
  double pitch, top; /* of cells; above them */
  uint32_t dims[3];  /* of a lattice: planes, rows, columns; else 0 */
  bool left_out;     /* a kind that is not drawn */
  double inside;     /* height of labels of its own links */
  const char *head, *more, *under;
} topology_svg_box;

typedef struct topology_svg_row {
  double y, h, w, gap;
  uint32_t level, kind;
} topology_svg_row; /* gap: above it */

typedef struct frame {
  double x, y, w, h;
} frame;

typedef struct picture {
  FILE *out;
  ts_arena *arena;
  const ts_cluster_fold *f;
  topology_svg_box *boxes; /* [parts] */
  label *labels;    /* [bundles] */
  frame *frames;    /* [kinds] */
  uint32_t *place;  /* [vertices] cell in its box; TS_IR_NONE: not drawn */
  uint32_t kinds;   /* that are drawn */
  TS_VEC(topology_svg_row) rows; /* outer ones by level, then those of each kind by level */
  double width, height;
} picture;

static double text_width(const char *text) { return 6.4 * ts_report_columns(text); }

static const char *topology_svg_name_of(const picture *p, uint32_t array)
{
  return p->f->ir->strings + p->f->ir->arrays[array].name;
}

/* ---- Boxes ---- */

/* Parts whose members are linked to each other stand by their last three indices. */
static bool is_lattice(const picture *p, uint32_t part, uint32_t *dims)
{
  const ts_part *x = &p->f->parts[part];
  const ts_ir_array *a = &p->f->ir->arrays[x->array];
  uint32_t size = 1;
  for (uint32_t d = 0; d < 3; d++) {
    uint32_t n = size < x->shown_count && d < a->dims ? a->dim[a->dims - 1 - d] : 1;
    dims[2 - d] = n;
    size *= n;
  }
  return p->f->parts[part].own_links && size == x->shown_count && dims[2] <= 32 && dims[1] > 1;
}

static void place_cells(const picture *p, uint32_t part)
{
  const ts_part *x = &p->f->parts[part];
  topology_svg_box *b = &p->boxes[part];
  uint32_t last = 1, most = MOST_CELLS;
  const ts_ir_array *a = &p->f->ir->arrays[x->array];
  if (is_lattice(p, part, b->dims)) {
    uint32_t plane = b->dims[1] * b->dims[2], planes = b->dims[0] < PLANES ? b->dims[0] : PLANES;
    b->drawn = x->shown_count <= MOST_LATTICE ? x->shown_count : MOST_LATTICE / plane * plane;
    b->drawn = b->drawn ? b->drawn : MOST_LATTICE / b->dims[2] * b->dims[2];
    b->columns = planes * (b->dims[2] + 1) - 1;
    b->rows = ((b->drawn - 1) / plane / PLANES + 1) * (b->dims[1] + 1) - 1;
  } else {
    b->dims[2] = 0;
    last = a->dims ? a->dim[a->dims - 1] : 1;
    b->columns = last && last <= ROW_CELLS ? ROW_CELLS / last * last : ROW_CELLS;
    b->columns = x->shown_count < b->columns ? x->shown_count : b->columns;
    most = b->columns ? MOST_CELLS / b->columns * b->columns : 0;
    b->drawn = x->shown_count < most ? x->shown_count : most;
    b->rows = b->columns ? (b->drawn + b->columns - 1) / b->columns : 0;
  }
  for (uint32_t i = 0; i < b->drawn; i++)
    p->place[x->shown[i]] = i;
}

static void cell_centre(const picture *p, uint32_t vertex, double *x, double *y)
{
  const topology_svg_box *b = &p->boxes[p->f->part_of[vertex]];
  uint32_t i = p->place[vertex], column, line;
  if (b->dims[2]) {
    uint32_t plane = i / (b->dims[1] * b->dims[2]);
    column = i % b->dims[2] + plane % PLANES * (b->dims[2] + 1);
    line = i / b->dims[2] % b->dims[1] + plane / PLANES * (b->dims[1] + 1);
  } else {
    column = i % b->columns;
    line = i / b->columns;
  }
  double left = b->x + (b->w - (b->columns - 1.0) * b->pitch) / 2;
  *x = left + column * b->pitch;
  *y = b->y + b->top + b->pitch / 2 + line * b->pitch;
}

static void size_box(const picture *p, uint32_t part)
{
  const ts_cluster_fold *f = p->f;
  const ts_part *x = &f->parts[part];
  topology_svg_box *b = &p->boxes[part];
  place_cells(p, part);
  bool own = p->f->parts[part].own_links;
  b->pitch = own && b->drawn < MANY_CELLS ? WIDE_PITCH : PITCH;
  b->top = HEAD + (own ? ARC_ROOM : 0);
  b->head = x->shown_count == 1 ?
              topology_svg_name_of(p, x->array) :
              ts_arena_printf(p->arena, "%s \u00d7 %s", topology_svg_name_of(p, x->array),
                              ts_format_count(x->shown_count).text);
  b->under =
    ts_part_is_device(x) ? f->ir->strings + f->ir->device_classes[x->device_class].name : "switch";
  if (x->slower)
    b->under = ts_arena_printf(p->arena, "%s, %s slower: %.3g \u00d7", b->under,
                               ts_format_count(x->slower).text, x->speed);
  if (x->narrowing > 0)
    b->under = ts_arena_printf(p->arena, "%s, %.3g : 1 upwards", b->under, x->narrowing);
  if (b->drawn < x->shown_count)
    b->more =
      ts_arena_printf(p->arena, "and %s more", ts_format_count(x->shown_count - b->drawn).text);
  b->w = fmax(b->columns * b->pitch, text_width(b->under));
  b->w = fmax(b->w, 1.15 * text_width(b->head)) + 2 * PAD;
  b->h = b->top + b->rows * b->pitch + PAD + (b->more ? LINE : 0);
}

/* ---- Labels ---- */

static void add_line(label *l, const char *text)
{
  l->lines[l->count++] = text;
  l->w = fmax(l->w, text_width(text) + 14);
  l->h = l->count * LINE + 4;
}

static void make_label(const picture *p, uint32_t bundle)
{
  const ts_bundle *b = &p->f->bundles[bundle];
  label *l = &p->labels[bundle];
  uint32_t each = ts_bundle_each(p->f, b);
  const char *rate = ts_rate_text(p->arena, b->rate);
  if (b->slower && !b->unequal)
    rate = ts_arena_printf(p->arena, "%s to %s", ts_rate_text(p->arena, b->low),
                           ts_rate_text(p->arena, b->high));
  if (each > 1)
    rate = ts_arena_printf(p->arena, "%s \u00d7 %s", ts_format_count(each).text, rate);
  add_line(l, rate);
  if (b->unequal)
    add_line(l, ts_arena_printf(p->arena, "\u26a0 %s slower, to %s",
                                ts_format_count(b->slower).text, ts_rate_text(p->arena, b->low)));
  if (b->fewer)
    add_line(l,
             ts_arena_printf(p->arena, "\u26a0 %s without a link", ts_format_count(b->fewer).text));
  l->marked = b->unequal || b->fewer;
  if (p->f->use)
    add_line(l, ts_arena_printf(p->arena, "use %s, busiest %s", ts_format_share(b->use).text,
                                ts_format_share(b->most_use).text));
}

/* ---- Rows ---- */

static bool in_row(const picture *p, const topology_svg_row *r, uint32_t part)
{
  const ts_part *x = &p->f->parts[part];
  return !p->boxes[part].left_out && x->kind == r->kind && x->level == r->level;
}

/* Labels stand above the row of the lower end, inside of a frame if both ends are. */
static bool label_above(const picture *p, const topology_svg_row *r, uint32_t bundle)
{
  const ts_bundle *b = &p->f->bundles[bundle];
  const ts_part *from = &p->f->parts[b->from], *to = &p->f->parts[b->to];
  if (b->from == b->to || p->boxes[b->from].left_out || p->boxes[b->to].left_out)
    return false;
  bool out = from->kind != to->kind;
  return out ? r->kind == TS_IR_NONE && r->level == 0 :
               from->kind == r->kind &&
                 (r->kind != TS_IR_NONE && p->f->kinds[r->kind].turned ? to : from)->level ==
                   r->level;
}

static void measure_row(const picture *p, topology_svg_row *r)
{
  double labels = 0, high = 0;
  for (uint32_t i = 0; i < p->f->part_count; i++)
    if (in_row(p, r, i)) {
      r->w += p->boxes[i].w + (r->w > 0 ? BESIDE : 0);
      r->h = fmax(r->h, p->boxes[i].h);
    }
  for (uint32_t b = 0; b < p->f->bundle_count; b++)
    if (label_above(p, r, b)) {
      labels += p->labels[b].w + 8;
      high = fmax(high, p->labels[b].h);
    }
  r->w = fmax(r->w, labels);
  r->gap = high > 0 ? GAP + high : 0;
}

static void put_boxes(const picture *p, const topology_svg_row *r, double left, double width)
{
  double w = 0;
  for (uint32_t i = 0; i < p->f->part_count; i++)
    if (in_row(p, r, i))
      w += p->boxes[i].w + (w > 0 ? BESIDE : 0);
  double x = left + (width - w) / 2;
  for (uint32_t i = 0; i < p->f->part_count; i++)
    if (in_row(p, r, i)) {
      p->boxes[i].x = x;
      p->boxes[i].y = r->y + (r->h - p->boxes[i].h) / 2;
      x += p->boxes[i].w + BESIDE;
    }
}

static bool has_frame(const picture *p, uint32_t kind)
{
  return p->f->kinds[kind].count > 1 || p->f->kind_count > 1 || p->f->top > 0;
}

/* Rows of a kind from `y` on; how high they are. */
static void lay_frame(picture *p, uint32_t kind, double x, double y)
{
  frame *f = &p->frames[kind];
  double at = y + (has_frame(p, kind) ? FRAME_HEAD + PAD : 0);
  uint32_t top = p->f->kinds[kind].top;
  bool turned = p->f->kinds[kind].turned;
  for (uint32_t i = 0; i <= top; i++) {
    topology_svg_row r = {.level = turned ? i : top - i, .kind = kind};
    measure_row(p, &r);
    if (!(r.w > 0))
      continue;
    at += r.gap;
    r.y = at;
    at += r.h;
    f->w = fmax(f->w, r.w + 2 * PAD);
    TS_PUSH(p->arena, &p->rows, r);
  }
  f->w = fmax(f->w, 280);
  for (uint32_t b = 0; b < p->f->bundle_count; b++)
    if (p->f->parts[p->f->bundles[b].from].kind == kind && p->f->bundles[b].rises) {
      f->w += 2 * RISERS * RISER;
      break;
    }
  f->x = x;
  f->y = y;
  f->h = at - y + (has_frame(p, kind) ? PAD : 0) + (p->f->kinds[kind].count > 1 ? LINE : 0);
}

/* Devices and switches in no island, in the row of the frames. */
static void lay_bottom(picture *p, topology_svg_row *r, double y)
{
  double x = MARGIN;
  for (uint32_t k = 0; k < p->kinds; k++) {
    lay_frame(p, k, x, y);
    x += p->frames[k].w + BESIDE + STACK * 2;
    r->h = fmax(r->h, p->frames[k].h);
  }
  for (uint32_t i = 0; i < p->f->part_count; i++)
    if (in_row(p, r, i)) {
      p->boxes[i].x = x;
      p->boxes[i].y = y;
      x += p->boxes[i].w + BESIDE;
      r->h = fmax(r->h, p->boxes[i].h);
    }
  r->w = x - MARGIN - BESIDE;
}

static void lay_out(picture *p)
{
  double y = MARGIN, widest = 0;
  size_t outer = 0;
  for (uint32_t level = p->f->top; level > 0; level--) {
    topology_svg_row r = {.level = level, .kind = TS_IR_NONE};
    measure_row(p, &r);
    if (!(r.w > 0))
      continue;
    y += r.gap;
    r.y = y;
    y += r.h;
    widest = fmax(widest, r.w);
    TS_PUSH(p->arena, &p->rows, r);
  }
  outer = p->rows.count;
  topology_svg_row bottom = {.level = 0, .kind = TS_IR_NONE}, labels = bottom;
  measure_row(p, &labels);
  y += labels.gap;
  widest = fmax(widest, labels.w);
  bottom.y = y;
  lay_bottom(p, &bottom, y);
  widest = fmax(widest, bottom.w);
  double shift = (widest - bottom.w) / 2;
  for (uint32_t k = 0; k < p->kinds; k++)
    p->frames[k].x += shift;
  for (uint32_t i = 0; i < p->f->part_count; i++)
    if (in_row(p, &bottom, i))
      p->boxes[i].x += shift;
  for (size_t i = 0; i < p->rows.count; i++) {
    const topology_svg_row *r = &p->rows.at[i];
    if (i < outer)
      put_boxes(p, r, MARGIN, widest);
    else
      put_boxes(p, r, p->frames[r->kind].x, p->frames[r->kind].w);
  }
  bottom.gap = labels.gap;
  TS_PUSH(p->arena, &p->rows, bottom);
  p->width = widest + 2 * MARGIN + STACK * 2;
  p->height = y + bottom.h + STACK * 2;
}

/* ---- Lines ---- */

/* Where a link leaves its member's box: above or below the cell, towards the other end; or the
 * cell's middle, inside one box. */
static void topology_svg_end_of(const picture *p, uint32_t vertex, uint32_t other, double *x,
                                double *y)
{
  const topology_svg_box *b = &p->boxes[p->f->part_of[vertex]],
                         *to = &p->boxes[p->f->part_of[other]];
  cell_centre(p, vertex, x, y);
  if (b != to)
    *y = to->y > b->y + b->h ? b->y + b->h : b->y;
}

static void ends_of(const picture *p, uint32_t link, double at[4])
{
  const ts_ir_link *l = &p->f->ir->links[link];
  topology_svg_end_of(p, l->from, l->to, &at[0], &at[1]);
  topology_svg_end_of(p, l->to, l->from, &at[2], &at[3]);
}

/* A link out of an island from below other boxes goes up beside them: the last leg begins at the
 * frame's top edge. */
static bool rises(const picture *p, uint32_t link, double leg[4])
{
  const ts_ir_link *l = &p->f->ir->links[link];
  const ts_bundle *b = &p->f->bundles[p->f->bundle_of[link]];
  ends_of(p, link, leg);
  if (!b->rises)
    return false;
  bool first = p->f->part_of[l->from] == b->from;
  const frame *f = &p->frames[p->f->parts[b->from].kind];
  uint32_t place = p->place[first ? l->from : l->to] % RISERS;
  double far[2] = {leg[first ? 2 : 0], leg[first ? 3 : 1]};
  memcpy(leg, (double[]){f->x + f->w - (RISERS - place - 0.5) * RISER, f->y, far[0], far[1]},
         4 * sizeof *leg);
  return true;
}

static bool drawn(const picture *p, uint32_t link)
{
  const ts_ir_link *l = &p->f->ir->links[link];
  return p->place[l->from] != TS_IR_NONE && p->place[l->to] != TS_IR_NONE;
}

/* A label stands where its lines cross its height in the mean. */
static void settle_labels(const picture *p)
{
  double *sum = TS_NEW_ARRAY(p->arena, double, p->f->bundle_count + 1),
         *count = TS_NEW_ARRAY(p->arena, double, p->f->bundle_count + 1);
  for (size_t i = 0; i < p->rows.count; i++)
    for (uint32_t b = 0; b < p->f->bundle_count; b++)
      if (label_above(p, &p->rows.at[i], b))
        p->labels[b].y = p->rows.at[i].y - p->rows.at[i].gap / 2;
  for (uint32_t l = 0; l < p->f->ir->links_count; l++) {
    uint32_t b = p->f->bundle_of[l];
    double e[4];
    if (!drawn(p, l) || p->f->bundles[b].pairing)
      continue;
    rises(p, l, e);
    double at = e[1] == e[3] ? 0.5 : (p->labels[b].y - e[1]) / (e[3] - e[1]);
    sum[b] += e[0] + (e[2] - e[0]) * (at < 0 ? 0 : at > 1 ? 1 : at);
    count[b]++;
  }
  for (uint32_t b = 0; b < p->f->bundle_count; b++) {
    const topology_svg_box *from = &p->boxes[p->f->bundles[b].from],
                           *to = &p->boxes[p->f->bundles[b].to];
    double middle = (from->x + from->w / 2 + to->x + to->w / 2) / 2;
    p->labels[b].x = count[b] > 0 ? sum[b] / count[b] : middle;
  }
}

/* Labels of one height stand beside each other, in their order. */
static void spread_labels(const picture *p, const topology_svg_row *r)
{
  uint32_t *order = TS_NEW_ARRAY(p->arena, uint32_t, p->f->bundle_count + 1), count = 0;
  double total = 0, middle = 0;
  for (uint32_t b = 0; b < p->f->bundle_count; b++) {
    if (!label_above(p, r, b))
      continue;
    uint32_t at = count++;
    for (; at && p->labels[order[at - 1]].x > p->labels[b].x; at--)
      order[at] = order[at - 1];
    order[at] = b;
    total += p->labels[b].w + 8;
    middle += p->labels[b].x;
  }
  bool overlap = false;
  for (uint32_t i = 1; i < count; i++) {
    const label *a = &p->labels[order[i - 1]], *b = &p->labels[order[i]];
    overlap |= a->x + a->w / 2 + 8 > b->x - b->w / 2;
  }
  double x = count ? middle / count - total / 2 : 0;
  x = x < 4 ? 4 : x + total > p->width - 4 ? fmax(4, p->width - 4 - total) : x;
  for (uint32_t i = 0; overlap && i < count; i++) {
    label *l = &p->labels[order[i]];
    l->x = x + 4 + l->w / 2;
    x += l->w + 8;
  }
}

static void label_inside(const picture *p)
{
  for (uint32_t b = 0; b < p->f->bundle_count; b++) {
    topology_svg_box *x = &p->boxes[p->f->bundles[b].from];
    if (p->f->bundles[b].from != p->f->bundles[b].to)
      continue;
    x->inside += p->labels[b].h + 6;
    x->h += p->labels[b].h + 6;
    x->w = fmax(x->w, p->labels[b].w + 2 * PAD);
  }
}

static void settle_inside(const picture *p)
{
  double *used = TS_NEW_ARRAY(p->arena, double, p->f->part_count + 1);
  for (uint32_t b = 0; b < p->f->bundle_count; b++) {
    uint32_t part = p->f->bundles[b].from;
    const topology_svg_box *x = &p->boxes[part];
    if (part != p->f->bundles[b].to)
      continue;
    p->labels[b].x = x->x + x->w / 2;
    p->labels[b].y = x->y + x->h - x->inside + used[part] + p->labels[b].h / 2 - 2;
    used[part] += p->labels[b].h + 6;
  }
}

/* Colours and patterns: both themes have a contrast of 3 and more to each (WCAG 1.4.11). */
static const struct {
  const char *colour, *dash, *name;
} tiers[] = {{"#3b82c4", "", "tier 0"},
             {"#b0672a", "7 3", "tier 1"},
             {"#8e5bb5", "2 3", "tier 2"},
             {"#2f8f72", "9 3 2 3", "tier 3 and above"}};
static const struct {
  double from;
  const char *colour, *name;
} uses[] = {{0, "#7d8794", "unused"},
            {1e-9, "#3b82c4", "under 10 %"},
            {0.1, "#2f8f72", "10 to 30 %"},
            {0.3, "#b5760c", "30 to 60 %"},
            {0.6, "#d2452f", "60 % and more"}};
static const char *const mark = "#d2452f";
enum { TIERS = sizeof tiers / sizeof *tiers, USES = sizeof uses / sizeof *uses };

static uint32_t tier_of(const ts_bundle *b) { return b->tier < TIERS ? b->tier : TIERS - 1; }

static uint32_t use_of(double share)
{
  uint32_t k = USES - 1;
  while (k && share < uses[k].from)
    k--;
  return k;
}

static double link_use(const ts_cluster_fold *f, uint32_t link)
{
  return f->use ? fmax(f->use[2 * link], f->use[2 * link + 1]) : 0;
}

/* Neighbours in a box are joined straight, others by an arc, as are boxes of one row. */
static void put_line(const picture *p, uint32_t link)
{
  const ts_ir_link *l = &p->f->ir->links[link];
  bool inside = p->f->part_of[l->from] == p->f->part_of[l->to];
  double e[4], leg[4];
  ends_of(p, link, e);
  if (rises(p, link, leg)) {
    bool first = p->f->part_of[l->from] == p->f->bundles[p->f->bundle_of[link]].from;
    fprintf(p->out, "M%.1f %.1fV%.1fH%.1fV%.1fL%.1f %.1f", e[first ? 0 : 2], e[first ? 1 : 3],
            e[first ? 1 : 3] - RISER, leg[0], leg[1], leg[2], leg[3]);
    return;
  }
  double dx = fabs(e[2] - e[0]), dy = fabs(e[3] - e[1]), far = fmax(dx, dy),
         near = 1.5 * p->boxes[p->f->part_of[l->from]].pitch,
         bend = inside && far < near ? 0 :
                inside || dy < 1     ? fmax(far * 0.15, 26) :
                                       0;
  bend = bend > 44 ? 44 : bend;
  if (bend > 0)
    fprintf(p->out, "M%.1f %.1fQ%.1f %.1f %.1f %.1f", e[0], e[1],
            (e[0] + e[2]) / 2 - (dx >= dy ? 0 : bend), (e[1] + e[3]) / 2 - (dx >= dy ? bend : 0),
            e[2], e[3]);
  else
    fprintf(p->out, "M%.1f %.1fL%.1f %.1f", e[0], e[1], e[2], e[3]);
}

typedef bool meant(const picture *p, uint32_t link, uint32_t which);

static bool is_usual(const picture *p, uint32_t link, uint32_t which)
{
  (void)which;
  const ts_bundle *b = &p->f->bundles[p->f->bundle_of[link]];
  return !b->unequal ||
         p->f->ir->link_classes[p->f->ir->links[link].link_class].bandwidth >= b->rate;
}

static bool is_slower(const picture *p, uint32_t link, uint32_t which)
{
  return !is_usual(p, link, which) && (!p->f->use || use_of(link_use(p->f, link)) == which);
}

static bool is_used(const picture *p, uint32_t link, uint32_t which)
{
  return is_usual(p, link, 0) && use_of(link_use(p->f, link)) == which;
}

/* The end of a path. */
static void put_stroke(const picture *p, const char *colour, const char *dash, double width)
{
  ts_put_xml(p->out, "\" fill=\"none\" stroke=\"%s\" stroke-width=\"%.1f\"", colour, width);
  if (*dash)
    ts_put_xml(p->out, " stroke-dasharray=\"%s\"", dash);
  fputs("/>\n", p->out);
}

/* The drawn links of a bundle that are meant, as one path. */
static void topology_svg_put_lines(const picture *p, const uint32_t *links, uint32_t count,
                                   meant *is, uint32_t which, const char *colour, const char *dash,
                                   double width)
{
  bool begun = false;
  for (uint32_t i = 0; i < count; i++) {
    if (!is(p, links[i], which))
      continue;
    if (!begun)
      fputs("<path d=\"", p->out);
    begun = true;
    put_line(p, links[i]);
  }
  if (begun)
    put_stroke(p, colour, dash, width);
}

/* From 1 GB/s to 2 TB/s. */
static double line_width(const ts_bundle *b)
{
  double width = 0.7;
  for (double rate = b->rate; rate > 1e9 && width < 2.4; rate /= 4)
    width += 0.25;
  return width;
}

static void put_bundle_lines(const picture *p, uint32_t bundle, const uint32_t *links,
                             uint32_t count)
{
  const ts_bundle *b = &p->f->bundles[bundle];
  const char *colour = tiers[tier_of(b)].colour, *dash = tiers[tier_of(b)].dash;
  double width = line_width(b);
  if (!count || count > MOST_LINES || b->pairing) {
    const topology_svg_box *x = &p->boxes[b->from], *y = &p->boxes[b->to];
    if (b->from == b->to)
      return;
    bool below = y->y > x->y; /* in a frame that is turned */
    fprintf(p->out, "<path d=\"M%.1f %.1fL%.1f %.1f", x->x + x->w / 2, below ? x->y + x->h : x->y,
            y->x + y->w / 2, below ? y->y : y->y + y->h);
    put_stroke(p, p->f->use ? uses[use_of(b->most_use)].colour : colour, dash, 6);
    return;
  }
  for (uint32_t k = 0; p->f->use && k < USES; k++) {
    topology_svg_put_lines(p, links, count, is_used, k, uses[k].colour, dash,
                           k ? width + 0.4 : width);
    topology_svg_put_lines(p, links, count, is_slower, k, uses[k].colour, "3 2", 3);
  }
  if (!p->f->use) {
    topology_svg_put_lines(p, links, count, is_usual, 0, colour, dash, width);
    topology_svg_put_lines(p, links, count, is_slower, 0, mark, "3 2", 3);
  }
}

static void put_title(const picture *p, const char *text)
{
  ts_put_xml(p->out, "<title>%s</title>\n", text);
}

/* Where links of a bundle leave a frame: at its top edge, a port each. */
static void put_nics(const picture *p, uint32_t bundle, const uint32_t *links, uint32_t count)
{
  enum { PORT = 9 };
  const ts_bundle *b = &p->f->bundles[bundle];
  const ts_part *from = &p->f->parts[b->from];
  if (from->kind == TS_IR_NONE || from->kind == p->f->parts[b->to].kind ||
      !has_frame(p, from->kind) || !count || count > MOST_LINES)
    return;
  double top = p->frames[from->kind].y;
  fputs("<g class=\"nics\" fill=\"#fff\" stroke=\"#7d8794\">\n", p->out);
  for (uint32_t i = 0; i < count; i++) {
    double e[4], at;
    rises(p, links[i], e);
    at = e[1] == e[3] ? 0.5 : (top - e[1]) / (e[3] - e[1]);
    fprintf(p->out, "<rect class=\"nic\" x=\"%.1f\" y=\"%.1f\" width=\"%d\" height=\"%d\">",
            e[0] + (e[2] - e[0]) * at - PORT / 2.0, top - PORT / 2.0, PORT, PORT);
    put_title(p, ts_arena_printf(p->arena, "NIC: %s", ts_link_text(p->arena, p->f->ir, links[i])));
    fputs("</rect>\n", p->out);
  }
  fputs("</g>\n", p->out);
}

/* ---- Drawing ---- */

static void topology_svg_put_text(const picture *p, double x, double y, const char *more,
                                  const char *text)
{
  fprintf(p->out, "<text x=\"%.1f\" y=\"%.1f\"", x, y);
  ts_put_raw(p->out, more);
  ts_put_xml(p->out, ">%s</text>\n", text);
}

static void put_frame(const picture *p, uint32_t kind)
{
  const ts_island_kind *k = &p->f->kinds[kind];
  const frame *f = &p->frames[kind];
  if (!has_frame(p, kind))
    return;
  for (int behind = k->count > 2 ? 2 : k->count > 1; behind >= 0; behind--)
    fprintf(p->out,
            "<rect class=\"frame\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" rx=\"8\" "
            "fill=\"#f6f7f9\" stroke=\"#7d8794\"/>\n",
            f->x + behind * STACK, f->y + behind * STACK, f->w, f->h);
}

/* Over the lines that leave it. */
static void put_frame_text(const picture *p, uint32_t kind)
{
  const ts_island_kind *k = &p->f->kinds[kind];
  const frame *f = &p->frames[kind];
  if (!has_frame(p, kind))
    return;
  const char *what =
    k->count > 1 ? ts_arena_printf(p->arena, "island \u00d7 %s", ts_format_count(k->count).text) :
                   "island";
  topology_svg_put_text(p, f->x + PAD, f->y + 18, " class=\"over\" font-weight=\"bold\"", what);
  if (k->count > 1)
    topology_svg_put_text(p, f->x + PAD, f->y + f->h - 8, " class=\"over small\"",
                          ts_arena_printf(p->arena, "showing the one with %s",
                                          ts_report_vertex(p->arena, p->f->ir, k->shown)));
}

static void put_cell(const picture *p, uint32_t part, uint32_t vertex)
{
  const ts_part *x = &p->f->parts[part];
  bool device = ts_part_is_device(x);
  double cx, cy;
  cell_centre(p, vertex, &cx, &cy);
  bool slow = x->slower && p->f->ir->devices[vertex].speed <= x->speed;
  fprintf(p->out, "<rect data-v=\"%u\" x=\"%.1f\" y=\"%.1f\" width=\"%d\" height=\"%d\" rx=\"%d\"",
          vertex, cx - CELL / 2.0, cy - CELL / 2.0, CELL, CELL, device ? 2 : CELL / 2);
  fputs(slow ? " stroke=\"#d2452f\" stroke-width=\"3\"/>\n" : "/>\n", p->out);
}

/* `lines`: of the links inside of it. */
static void put_box(const picture *p, uint32_t part, const uint32_t *first, const uint32_t *links)
{
  const ts_part *x = &p->f->parts[part];
  const topology_svg_box *b = &p->boxes[part];
  bool device = ts_part_is_device(x);
  if (b->left_out)
    return;
  fprintf(p->out, "<g class=\"part\" data-array=\"%u\">\n", x->array);
  put_title(p, ts_part_text(p->arena, p->f, part));
  ts_put_xml(p->out,
             "<rect class=\"box\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" rx=\"5\" "
             "fill=\"#fff\" stroke=\"%s\"/>\n",
             b->x, b->y, b->w, b->h, x->narrowing > 0 || x->slower ? mark : "#7d8794");
  topology_svg_put_text(p, b->x + b->w / 2, b->y + 17,
                        " font-weight=\"bold\" text-anchor=\"middle\"", b->head);
  topology_svg_put_text(p, b->x + b->w / 2, b->y + 32, " class=\"small\" text-anchor=\"middle\"",
                        b->under);
  for (uint32_t k = 0; k < p->f->bundle_count; k++)
    if (p->f->bundles[k].from == part && p->f->bundles[k].to == part)
      put_bundle_lines(p, k, links + first[k], first[k + 1] - first[k]);
  ts_put_xml(p->out, "<g class=\"cells\" fill=\"%s\" stroke=\"%s\">\n",
             device ? "#cfe3f5" : "#e3e6ea", device ? "#3b82c4" : "#7d8794");
  for (uint32_t i = 0; i < b->drawn; i++)
    put_cell(p, part, x->shown[i]);
  fputs("</g>\n", p->out);
  if (b->more)
    topology_svg_put_text(p, b->x + b->w / 2, b->y + b->h - b->inside - 7,
                          " class=\"small\" text-anchor=\"middle\"", b->more);
  fputs("</g>\n", p->out);
}

static bool is_drawn(const picture *p, uint32_t bundle)
{
  const ts_bundle *b = &p->f->bundles[bundle];
  return !p->boxes[b->from].left_out && !p->boxes[b->to].left_out;
}

static void put_label(const picture *p, uint32_t bundle)
{
  const ts_bundle *b = &p->f->bundles[bundle];
  const label *l = &p->labels[bundle];
  if (!is_drawn(p, bundle))
    return;
  const char *colour = l->marked ? mark : tiers[tier_of(b)].colour;
  fprintf(p->out, "<g class=\"bundle\" data-bundle=\"%u\">\n", bundle);
  put_title(p, ts_bundle_text(p->arena, p->f, bundle));
  ts_put_xml(p->out,
             "<rect class=\"label\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" rx=\"5\" "
             "fill=\"#fff\" stroke=\"%s\" stroke-width=\"%s\"/>\n",
             l->x - l->w / 2, l->y - l->h / 2, l->w, l->h, colour, l->marked ? "2" : "1");
  for (int i = 0; i < l->count; i++)
    topology_svg_put_text(p, l->x, l->y - l->h / 2 + 13 + i * LINE, " text-anchor=\"middle\"",
                          l->lines[i]);
  fputs("</g>\n", p->out);
}

static bool tier_occurs(const picture *p, uint32_t tier)
{
  for (uint32_t b = 0; b < p->f->bundle_count; b++)
    if (tier_of(&p->f->bundles[b]) == tier)
      return true;
  return false;
}

static double put_key(const picture *p, double x, double y, const char *colour, const char *dash,
                      const char *text)
{
  fprintf(p->out, "<path d=\"M%.1f %.1fh26", x, y - 4);
  put_stroke(p, colour, dash, 3);
  topology_svg_put_text(p, x + 31, y, " class=\"small\"", text);
  return x + 31 + text_width(text) + 16;
}

/* Lines that tell what colours and dashes mean. */
static void put_keys(picture *p)
{
  double x = MARGIN, y = p->height + 26;
  for (uint32_t t = 0; t < TIERS; t++)
    if (tier_occurs(p, t))
      x = put_key(p, x, y, p->f->use ? "#7d8794" : tiers[t].colour, tiers[t].dash, tiers[t].name);
  p->width = fmax(p->width, x);
  for (uint32_t k = 0, begun = 0; p->f->use && k < USES; k++) {
    x = begun++ ? x : MARGIN;
    y = begun == 1 ? y + 20 : y;
    x = put_key(p, x, y, uses[k].colour, "", uses[k].name);
    p->width = fmax(p->width, x);
  }
  const char *bisection = ts_bisection_text(p->arena, &p->f->bisection);
  if (*bisection) {
    y += 20;
    topology_svg_put_text(p, MARGIN, y, " class=\"small\"",
                          ts_arena_printf(p->arena, "bisection %s", bisection));
    p->width = fmax(p->width, MARGIN + text_width(bisection) + 80);
  }
  if (p->kinds < p->f->kind_count) {
    y += 20;
    topology_svg_put_text(
      p, MARGIN, y, " class=\"small\"",
      ts_arena_printf(p->arena, "and %u more kinds of islands", p->f->kind_count - p->kinds));
  }
  p->height = y + 10;
}

/* Of each bundle the links whose two ends are drawn. */
static void put_all_lines(const picture *p)
{
  uint32_t links = p->f->ir->links_count, n = p->f->bundle_count,
           *first = TS_NEW_ARRAY(p->arena, uint32_t, (size_t)n + 2),
           *of = TS_NEW_ARRAY(p->arena, uint32_t, links);
  for (uint32_t l = 0; l < links; l++)
    first[p->f->bundle_of[l] + 2] += drawn(p, l);
  for (uint32_t b = 0; b < n; b++)
    first[b + 2] += first[b + 1];
  for (uint32_t l = 0; l < links; l++)
    if (drawn(p, l))
      of[first[p->f->bundle_of[l] + 1]++] = l;
  for (uint32_t b = 0; b < n; b++)
    if (is_drawn(p, b) && p->f->bundles[b].from != p->f->bundles[b].to)
      put_bundle_lines(p, b, of + first[b], first[b + 1] - first[b]);
  for (uint32_t b = 0; b < n; b++)
    put_nics(p, b, of + first[b], first[b + 1] - first[b]);
  for (uint32_t k = 0; k < p->kinds; k++)
    put_frame_text(p, k);
  for (uint32_t i = 0; i < p->f->part_count; i++)
    put_box(p, i, first, of);
}

static void print_picture(picture *p)
{
  for (uint32_t k = 0; k < p->kinds; k++)
    put_frame(p, k);
  put_all_lines(p);
  for (uint32_t b = 0; b < p->f->bundle_count; b++)
    put_label(p, b);
}

/* What prints into a string, which the caller frees. */
static char *printed(picture *p, void print(picture *))
{
  char *text;
  size_t size;
  p->out = ts_heap_print(&text, &size);
  print(p);
  ts_heap_printed(p->out);
  return text;
}

void ts_topology_svg(FILE *out, const ts_cluster_fold *f, const char *title)
{
  ts_arena *arena = ts_arena_new("topology");
  picture p = {.arena = arena, .f = f};
  p.boxes = TS_NEW_ARRAY(arena, topology_svg_box, f->part_count + 1);
  p.labels = TS_NEW_ARRAY(arena, label, f->bundle_count + 1);
  p.frames = TS_NEW_ARRAY(arena, frame, f->kind_count + 1);
  p.place = TS_NEW_ARRAY(arena, uint32_t, f->ir->devices_count + 1);
  p.kinds = f->kind_count < MOST_KINDS ? f->kind_count : MOST_KINDS;
  memset(p.place, 0xff, sizeof *p.place * f->ir->devices_count);
  for (uint32_t i = 0; i < f->part_count; i++) {
    p.boxes[i].left_out = f->parts[i].kind != TS_IR_NONE && f->parts[i].kind >= p.kinds;
    if (!p.boxes[i].left_out)
      size_box(&p, i);
  }
  for (uint32_t b = 0; b < f->bundle_count; b++)
    make_label(&p, b);
  label_inside(&p);
  lay_out(&p);
  settle_labels(&p);
  for (size_t i = 0; i < p.rows.count; i++)
    spread_labels(&p, &p.rows.at[i]);
  settle_inside(&p);
  double width = p.width;
  char *drawing = printed(&p, print_picture), *keys = printed(&p, put_keys);
  ts_put_xml(out,
             "<svg class=\"topology\" xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" "
             "height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\" font-family=\"system-ui, sans-serif\" "
             "font-size=\"11\" fill=\"#1b1f24\">\n<title>%s</title>\n"
             "<style>text.over{paint-order:stroke;stroke:#f6f7f9;stroke-width:4px}"
             "text.small{fill:#59616b}</style>\n"
             "<rect class=\"paper\" width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
             p.width, p.height, p.width, p.height, title);
  fprintf(out, "<g transform=\"translate(%.1f)\">\n", (p.width - width) / 2);
  ts_put_raw(out, drawing);
  fputs("</g>\n", out);
  ts_put_raw(out, keys);
  fputs("</svg>\n", out);
  free(drawing);
  free(keys);
  ts_arena_free(arena);
}
