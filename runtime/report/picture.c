#include "runtime/report/picture.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/format.h"
#include "base/order.h"
#include "base/table.h"
#include "base/text.h"
#include "ir/names.h"
#include "runtime/account/timeline.h"

enum {
  /* of the median work item, if the width allows */
  MOST_ROWS = 64,
  LEAST_WIDTH = 1000,
  MOST_WIDTH = 14000,
  BOX_WIDTH = 16,
  BOX = 20,
  LANE = 9,
  STEP = 3,
  LANE_GAP = 2,
  ROW_GAP = 8,
  AXIS = 22,
  MEMORY = 150,
  MEMORY_TOP = 30,
  LABEL_ROOM = 13,
  CHUNK_ROOM = 36,
  TITLE_ROOM = 3,
  LEAST_BOX = 8 /* of the median item: below, columns are coloured instead */,
  MOST_COLUMNS = 3500 /* of a stream */,
  LEAST_NODE = 2,
  KEY = 20,
  KEY_LETTER = 6
};

/* a work item, from the first to the last node that the compute stream has of it, and how much of
 * that they work */
typedef struct picture_box {
  uint32_t item;
  uint64_t begin, end, work;
} picture_box;

/* a node wide enough to be seen by itself */
typedef struct picture_node {
  uint64_t begin, end;
  const ts_ir_node *node;
} picture_node;

/* shares of each column, 0..1; nodes at the level of kernels */
typedef struct lane {
  uint32_t stream;
  float *busy, *waits;
  TS_VEC(picture_node) nodes;
} lane;

typedef struct picture_row {
  uint32_t stage; /* into the summary's stages */
  uint32_t class;
  TS_VEC(picture_box) boxes;
  float *work;    /* [width] shares of pixels that are work */
  uint32_t lane_count;
  lane *lanes;    /* of the streams that are anything but idle */
  unsigned top, height;
} picture_row;

struct ts_picture {
  ts_arena *arena;
  const ts_summary *s;
  ts_window window;
  uint64_t length; /* of the window, ps */
  unsigned row_count, width, rows_end; /* rows_end: height of all rows */
  unsigned column;  /* pixels of a lane's column */
  double middle;    /* pixels of the work item in the middle by length */
  picture_row *rows;
};

/* ---- Text ---- */

static const char *stage_name(const ts_picture *p, uint32_t stage)
{
  uint32_t program = p->s->stages[stage].program;
  const char *name = ts_summary_string(p->s, p->s->ir->programs[program].name);
  return *name ? name : ts_arena_printf(p->arena, "program %u", program);
}

static void label(FILE *out, double x, double y, const char *class, const char *text)
{
  ts_put_xml(out, "<text x=\"%.1f\" y=\"%.1f\" class=\"%s\">", x, y, class);
  ts_put_xml(out, "%s", text);
  fputs("</text>\n", out);
}

/* ---- Kinds of work ---- */

/* A rectangle's class, which is its colour and texture. A schedule's letters are known by name,
 * other work by what most of its time is for. */
static const char *const phase_class[] = {[TS_IR_PHASE_FORWARD] = "f",
                                                      [TS_IR_PHASE_BACKWARD_INPUT] = "i",
                                                      [TS_IR_PHASE_BACKWARD_WEIGHT] = "w",
                                                      [TS_IR_PHASE_RECOMPUTE] = "r",
                                                      [TS_IR_PHASE_OPTIMIZER] = "o",
                                                      [TS_IR_PHASE_COMMUNICATION] = "c",
                                                      [TS_IR_PHASE_OTHER] = "x"};
TS_TABLE(phase_class, TS_IR_PHASES);

static const char *const category_class[] = {
  [TS_IR_PARAMETERS] = "f",  [TS_IR_GRADIENTS] = "w",   [TS_IR_OPTIMIZER] = "o",
  [TS_IR_ACTIVATIONS] = "i", [TS_IR_TEMPORARIES] = "r", [TS_IR_BUFFERS] = "c"};
TS_TABLE(category_class, TS_IR_CATEGORIES);

const char *ts_work_colour(const ts_ir *ir, uint32_t fragment)
{
  const ts_ir_fragment *f = &ir->fragments[fragment];
  const char *work = ir->strings + f->work;
  if (*work && !work[1] && strchr("FIW", *work))
    return *work == 'F' ? "f" : *work == 'I' ? "i" : "w";
  if (strcmp(work, "B") == 0)
    return "b";
  double time[TS_IR_PHASES] = {0};
  uint32_t most = TS_IR_PHASE_OTHER;
  for (uint32_t n = 0; n < f->node_count; n++) {
    const ts_ir_node *node = &ir->nodes[f->first_node + n];
    if (node->op == TS_IR_COMPUTE)
      time[node->phase] += (double)ir->kernels[node->arg].time;
  }
  for (uint32_t phase = 0; phase < TS_IR_PHASES; phase++)
    if (time[phase] > time[most])
      most = phase;
  return time[TS_IR_PHASE_FORWARD] > 0 &&
             (time[TS_IR_PHASE_BACKWARD_INPUT] > 0 || time[TS_IR_PHASE_BACKWARD_WEIGHT] > 0) ?
           "p" :
           phase_class[most];
}

/* Each kind of work has a colour (Okabe and Ito's, for those who see few) and, but for forward, a
 * texture. */
static const struct { const char *class, *colour, *texture;
} kinds[] = {{"f", "#56b4e9", NULL},           {"b", "#3cb88e", "M0 6L6 0M0 0L6 6"},
             {"i", "#3cb88e", "M0 6L6 0"},     {"w", "#e69f00", "M0 0L6 6"},
             {"r", "#b9a8d6", "M0 3H6"},       {"o", "#cc79a7", "M3 0V6"},
             {"p", "#9fcf6a", "M0 3H6M3 0V6"}, {"c", "#d55e00", NULL},
             {"x", "#9a9a9a", NULL},           {"busy", "#0072b2", NULL},
             {"waits", "#8886", NULL},         {"bubble", "#d8d8d8", "M0 0L6 6M0 6L6 0"},
             {"host", "#f0e442", NULL},        {"tail", "#8883", NULL}};
enum { KINDS = sizeof kinds / sizeof *kinds };

void ts_picture_style(FILE *out)
{
  fputs("text{font:11px "
        "system-ui,sans-serif;fill:currentColor}.small{font-size:9px}.in{font-size:9px;fill:#"
        "000;text-anchor:middle}"
        ".up{font-weight:bold}.pale{fill:#fff}.bare{fill:currentColor}.end{text-anchor:end}\n"
        ".hollow{fill:none;stroke:currentColor;stroke-opacity:.45;stroke-width:.8}.even{fill-opacity:."
        "78}.grid{stroke:currentColor;stroke-opacity:.15;fill:none}.limit{stroke:#"
        "d55e00;stroke-width:2;stroke-dasharray:5 3;fill:none}\n",
        out);
  for (size_t k = 0; k < KINDS; k++)
    ts_put_xml(out, kinds[k].texture ? ".%s{fill:url(#%s)}" : ".%s{fill:%s}", kinds[k].class,
               kinds[k].texture ? kinds[k].class : kinds[k].colour);
  fputc('\n', out);
}

void ts_picture_textures(FILE *out)
{
  fputs("<svg width=\"0\" height=\"0\" style=\"position:absolute\"><defs>\n", out);
  for (size_t k = 0; k < KINDS; k++)
    if (kinds[k].texture)
      ts_put_xml(
        out,
        "<pattern id=\"%s\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\"><rect "
        "width=\"6\" height=\"6\" fill=\"%s\"/><path d=\"%s\" "
        "stroke=\"#000\" stroke-opacity=\".22\" stroke-width=\".8\"/></pattern>\n",
        kinds[k].class, kinds[k].colour, kinds[k].texture);
  fputs("</defs></svg>\n", out);
}

/* Without its end: a title may follow. */
static void begin_rectangle(FILE *out, const char *class, double x, double y, double width,
                            double height)
{
  ts_put_xml(out, "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"", class,
             x, y, width, height);
}

static void rectangle(FILE *out, const char *class, double x, double y, double width, double height)
{
  begin_rectangle(out, class, x, y, width, height);
  fputs("/>\n", out);
}

/* ---- What is shown ---- */

typedef struct collector {
  const ts_picture *p;
  picture_row *row;
  double scale;            /* columns a picosecond */
  picture_box at;
} collector;

static void take_box(collector *c)
{
  const ts_picture *p = c->p;
  uint64_t end = p->window.from + p->length;
  if (c->at.item != TS_IR_NONE && c->at.end > p->window.from && c->at.begin < end)
    TS_PUSH(p->arena, &c->row->boxes, c->at);
  c->at.item = TS_IR_NONE;
}

static void collect_box(void *closure, const ts_span_event *e)
{
  collector *c = closure;
  if (!ts_event_works(e))
    return;
  if (c->at.item != e->item) {
    take_box(c);
    c->at = (picture_box){.item = e->item, .begin = ts_event_begun(e)};
  }
  c->at.end = e->end;
  c->at.work += e->end - ts_event_begun(e);
}

static unsigned columns_of(const ts_picture *p) { return (p->width + p->column - 1) / p->column; }

static void cover(float *share, unsigned width, double from, double to)
{
  from = from > 0 ? from : 0;
  for (unsigned x = (unsigned)from; x < width && x < to; x++) {
    double begin = x > from ? x : from, end = x + 1 < to ? x + 1 : to;
    share[x] += (float)(end - begin);
  }
}

static void collect_work(const collector *c, const ts_span_event *e)
{
  double left = (double)c->p->window.from, scale = c->scale * c->p->column;
  if (ts_event_works(e))
    cover(c->row->work, c->p->width, ((double)ts_event_begun(e) - left) * scale,
          ((double)e->end - left) * scale);
}

static void collect_lanes(collector *c, const ts_span_event *e)
{
  if (e->stream == TS_IR_NONE || e->node->op == TS_IR_RECORD)
    return;
  lane *l = &c->row->lanes[e->stream];
  double left = (double)c->p->window.from;
  uint64_t begun = ts_event_begun(e);
  double from = ((double)begun - left) * c->scale, to = ((double)e->end - left) * c->scale;
  cover(l->waits, columns_of(c->p), ((double)e->ready - left) * c->scale, from);
  cover(l->busy, columns_of(c->p), from, to);
  if (c->p->window.level >= TS_LEVEL_KERNELS && to > 0 && from < columns_of(c->p) &&
      (to - from) * c->p->column >= LEAST_NODE)
    TS_PUSH(c->p->arena, &l->nodes, ((picture_node){begun, e->end, e->node}));
}

static void collect_shares(void *closure, const ts_span_event *e)
{
  collector *c = closure;
  collect_work(c, e);
  if (c->row->lanes)
    collect_lanes(c, e);
}

/* So wide that an item in the middle by length has BOX_WIDTH pixels. */
static void choose_width(ts_picture *p)
{
  TS_VEC(uint64_t) lengths = {0};
  for (unsigned r = 0; r < p->row_count; r++)
    for (size_t b = 0; b < p->rows[r].boxes.count; b++)
      TS_PUSH(p->arena, &lengths, p->rows[r].boxes.at[b].end - p->rows[r].boxes.at[b].begin);
  TS_SORT(&lengths, ts_by_u64);
  double median = lengths.count ? (double)lengths.at[lengths.count / 2] : 0;
  double width = median > 0 ? BOX_WIDTH * ((double)p->length / median) : LEAST_WIDTH;
  p->width = width < LEAST_WIDTH ? LEAST_WIDTH : width > MOST_WIDTH ? MOST_WIDTH : (unsigned)width;
  p->column = (p->width + MOST_COLUMNS - 1) / MOST_COLUMNS;
  p->middle = median > 0 ? median / (double)p->length * p->width : 0;
}

static void choose_rows(ts_picture *p)
{
  const ts_summary *s = p->s;
  p->row_count = s->stage_count < MOST_ROWS ? s->stage_count : MOST_ROWS;
  p->rows = TS_NEW_ARRAY(p->arena, picture_row, p->row_count + 1);
  for (unsigned r = 0; r < p->row_count; r++) {
    uint32_t stage = r < p->row_count - p->row_count / 2 ? r : s->stage_count - (p->row_count - r);
    p->rows[r].stage = stage;
    p->rows[r].class = s->stages[stage].busiest;
  }
}

static double sum_of_columns(const float *share, unsigned columns)
{
  double sum = 0;
  for (unsigned x = 0; x < columns; x++)
    sum += share[x];
  return sum;
}

/* Streams that have less than a column to show are left out. */
static void measure_row(collector *c)
{
  const ts_picture *p = c->p;
  picture_row *r = c->row;
  bool items = p->window.level == TS_LEVEL_ITEMS;
  uint32_t streams = items ? 0 : p->s->ir->streams_count;
  unsigned columns = columns_of(p);
  r->work = TS_NEW_ARRAY(p->arena, float, p->width + 1);
  r->lanes = items ? NULL : TS_NEW_ARRAY(p->arena, lane, streams + 1);
  for (uint32_t i = 0; i < streams; i++)
    r->lanes[i] =
      (lane){.stream = i,
             .busy = TS_NEW_ARRAY(p->arena, float, columns),
             .waits = TS_NEW_ARRAY(p->arena, float, columns)};
  ts_run_timeline(p->s->run, p->s->result->classes[r->class].rank, collect_shares, c);
  for (uint32_t i = 0; i < streams; i++)
    if (sum_of_columns(r->lanes[i].busy, columns) + sum_of_columns(r->lanes[i].waits, columns) >= 1)
      r->lanes[r->lane_count++] = r->lanes[i];
  r->height = BOX + ROW_GAP + (items ? 0 : LANE_GAP + r->lane_count * (LANE + LANE_GAP));
}

const ts_picture *ts_picture_new(ts_arena *arena, const ts_summary *s, const ts_window *window)
{
  ts_picture *p = TS_NEW(arena, ts_picture);
  *p = (ts_picture){.arena = arena, .s = s, .window = window ? *window : (ts_window){0}};
  p->length = ts_window_length(&p->window, s->result->step);
  choose_rows(p);
  collector c = {.p = p, .at.item = TS_IR_NONE};
  for (unsigned r = 0; r < p->row_count; r++) {
    c.row = &p->rows[r];
    ts_run_timeline(s->run, s->result->classes[c.row->class].rank, collect_box, &c);
    take_box(&c);
  }
  choose_width(p);
  c.scale = p->length ? (double)p->width / p->column / (double)p->length : 0;
  p->rows_end = AXIS;
  for (unsigned r = 0; r < p->row_count; r++) {
    c.row = &p->rows[r];
    measure_row(&c);
    c.row->top = p->rows_end;
    p->rows_end += c.row->height;
  }
  return p;
}

/* ---- The timeline ---- */

unsigned ts_picture_timeline_width(const ts_picture *p) { return p->width + 1; }
unsigned ts_picture_timeline_height(const ts_picture *p)
{
  return p->rows_end + (p->s->memory->stated ? MEMORY_TOP + MEMORY + 6 : 0);
}

static double x_of(const ts_picture *p, uint64_t time)
{
  double after = (double)time - (double)p->window.from;
  return p->length ? after / (double)p->length * p->width : 0;
}

static double within(const ts_picture *p, uint64_t time)
{
  double x = x_of(p, time);
  return x < 0 ? 0 : x > p->width ? p->width : x;
}

/* 1, 2 or 5 times a power of ten, so that ticks are about 100 pixels apart. */
static uint64_t tick_of(const ts_picture *p)
{
  double min = (double)p->length * 100 / p->width;
  for (uint64_t power = 1;; power *= 10)
    for (unsigned i = 1; i <= 5; i += i == 1 ? 1 : 3)
      if ((double)power * i >= min || power > UINT64_MAX / 100)
        return power * i;
}

/* Times stand above the rows and, once more, above the memory. */
static void put_axis(const ts_picture *p, FILE *out)
{
  unsigned bottom = ts_picture_timeline_height(p);
  uint64_t tick = tick_of(p), first = (p->window.from + tick - 1) / tick * tick;
  for (uint64_t time = first; time <= p->window.from + p->length; time += tick) {
    double x = x_of(p, time);
    fprintf(out, "<path class=\"grid\" d=\"M%.1f %dV%u\"/>", x, AXIS - 6, bottom);
    if (x + 60 >= p->width)
      continue;
    label(out, x + 3, AXIS - 9, "small", ts_format_tick(time).text);
    if (p->s->memory->stated)
      label(out, x + 3, p->rows_end + MEMORY_TOP - 12, "small", ts_format_tick(time).text);
  }
}

/* Work of a row as coloured columns, each by what most of it is: a path for each kind. However many
 * items there are, it does not grow. */
static void put_columns(const ts_picture *p, const picture_row *r, FILE *out)
{
  const ts_ir *ir = p->s->ir;
  unsigned columns = p->width;
  float *share = TS_NEW_ARRAY(p->arena, float, (size_t)KINDS * columns);
  uint8_t *most = TS_NEW_ARRAY(p->arena, uint8_t, columns);
  double scale = p->length ? (double)columns / (double)p->length : 0,
         first = (double)p->window.from;
  for (size_t b = 0; b < r->boxes.count; b++) {
    size_t k = 0;
    for (const char *class = ts_work_colour(ir, ir->items[r->boxes.at[b].item].fragment);
         strcmp(kinds[k].class, class) != 0; k++)
      ;
    cover(share + k * columns, columns, ((double)r->boxes.at[b].begin - first) * scale,
          ((double)r->boxes.at[b].end - first) * scale);
  }
  for (unsigned x = 0; x < columns; x++) {
    float best = 0;
    for (size_t k = 0; k < KINDS && r->work[x] >= 0.5f; k++)
      if (share[k * columns + x] > best)
        best = share[k * columns + x], most[x] = (uint8_t)(k + 1);
  }
  for (size_t k = 0; k < KINDS; k++) {
    bool begun = false;
    for (unsigned x = 0, from; x < columns;) {
      for (from = x++; x < columns && most[x] == most[from]; x++)
        ;
      if (most[from] != k + 1)
        continue;
      if (!begun)
        ts_put_xml(out, "<path style=\"fill:%s\" d=\"", kinds[k].colour);
      begun = true;
      fprintf(out, "M%u %uh%uv%uh-%uz", from, r->top, x - from, BOX, x - from);
    }
    if (begun)
      fputs("\"/>\n", out);
  }
}

/* Relative luminance of "#rrggbb" (WCAG 2.2). */
static double luminance(const char *colour)
{
  static const double weight[] = {0.2126, 0.7152, 0.0722};
  double sum = 0;
  for (int i = 0; i < 3; i++) {
    char two[] = {colour[1 + 2 * i], colour[2 + 2 * i], 0};
    double v = (double)strtol(two, NULL, 16) / 255;
    sum += weight[i] * (v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4));
  }
  return sum;
}

/* White has more contrast than black on what is darker than this: 1.05 / (x + 0.05) = (x + 0.05) /
 * 0.05. */
static bool takes_white(const char *class)
{
  for (size_t k = 0; k < KINDS; k++)
    if (strcmp(kinds[k].class, class) == 0)
      return luminance(kinds[k].colour) < 0.179;
  return false;
}

/* Whether most of a pixel is work of the box that lies from `left` to `right`. */
static bool is_filled(const picture_row *r, unsigned x, double left, double right)
{
  double from = x > left ? x : left, to = x + 1 < right ? x + 1 : right;
  return r->work[x] >= 0.5 * (to - from);
}

typedef struct picture_part {
  double left, wide;
} picture_part;

/* The parts of a box that are work, and a frame around all of it: waits are hollow. False, and
 * nothing is put: all of it is filled. */
static bool put_hollow(const picture_row *r, const char *class, double left, double right,
                       picture_part *longest, FILE *out)
{
  unsigned first = (unsigned)left, end = (unsigned)ceil(right), x = first;
  while (x < end && is_filled(r, x, left, right))
    x++;
  if (x >= end || end - first < 2)
    return false;
  begin_rectangle(out, "hollow", left + 0.4, r->top + 0.4, right - left - 0.8, BOX - 0.8);
  ts_put_xml(out, "/><path class=\"%s\" d=\"", class);
  for (x = first; x < end;) {
    unsigned from = x++;
    while (x < end && is_filled(r, x, left, right) == is_filled(r, from, left, right))
      x++;
    if (!is_filled(r, from, left, right))
      continue;
    double begin = from > left ? from : left, wide = (x < right ? x : right) - begin;
    fprintf(out, "M%.1f %uh%.1fv%uh-%.1fz", begin, r->top, wide, BOX, wide);
    if (wide > longest->wide)
      *longest = (picture_part){begin, wide};
  }
  fputc('"', out);
  return true;
}

/* "F(3): 1.234 ms from 5.678 ms, 0.8 ms of it work" where the pointer rests. Numbers of
 * micro-batches are bold on all chunks but a rank's first, and have the chunk's behind a dot where
 * there is room. */
static void put_box(const ts_picture *p, const picture_row *r, const picture_box *b, FILE *out)
{
  const ts_ir *ir = p->s->ir;
  const ts_ir_item *item = &ir->items[b->item];
  double x = within(p, b->begin), width = within(p, b->end) - x, y = r->top;
  const char *class = ts_work_colour(ir, item->fragment);
  bool known = item->micro_batch != TS_IR_NONE;
  if (known && item->micro_batch % 2)
    class = ts_arena_printf(p->arena, "%s even", class);
  picture_part filled = {0};
  double drawn = width > 4 ? width - 0.6 : width;
  bool hollow = put_hollow(r, class, x, x + drawn, &filled, out);
  if (!hollow)
    begin_rectangle(out, class, x, y, drawn, BOX);
  if (width >= TITLE_ROOM) {
    fputs("><title>", out);
    ts_put_xml(out, "%s", ts_report_item(p->arena, ir, b->item));
    ts_put_xml(out, ": %s from %s", ts_format_time(b->end - b->begin).text,
               ts_format_time(b->begin).text);
    if (b->work < b->end - b->begin)
      ts_put_xml(out, ", %s of it work", ts_format_time(b->work).text);
    ts_put_xml(out, hollow ? "</title></path>" : "</title></rect>");
  } else {
    fputs("/>", out);
  }
  bool bare = hollow && filled.wide < LABEL_ROOM;
  if (hollow && !bare) {
    x = filled.left;
    width = filled.wide;
  }
  if (width >= LABEL_ROOM && known) {
    ts_put_xml(out, "<text class=\"in%s%s\" x=\"%.1f\" y=\"%.1f\">", item->chunk ? " up" : "",
               bare                                            ? " bare" :
               takes_white(ts_work_colour(ir, item->fragment)) ? " pale" :
                                                                 "",
               x + width / 2,
               y + BOX / 2.0 + 3.5);
    if (width >= 2 * LABEL_ROOM)
      ts_put_xml(out, "%s", ir->strings + ir->fragments[item->fragment].work);
    fprintf(out, "%" PRIu32, item->micro_batch);
    if (item->chunk && width >= CHUNK_ROOM)
      fprintf(out, ".%" PRIu32, item->chunk);
    fputs("</text>", out);
  }
  fputc('\n', out);
}

/* Height of a share, in steps of STEP pixels: coarse, so that runs of columns have one height. */
static int height_of(float share) { return (int)(share * (LANE / STEP) + 0.5f) * STEP; }

/* How much of each column a stream is busy, as height; waits above. Runs of equal columns are one
 * rectangle of a path. */
static void put_share(const ts_picture *p, const float *share, const float *below, double y,
                      const char *class, FILE *out)
{
  bool begun = false;
  unsigned columns = columns_of(p);
  for (unsigned x = 0, from; x < columns;) {
    int low = below ? height_of(below[x]) : 0, high = height_of(share[x] + (below ? below[x] : 0));
    for (from = x++; x < columns && height_of(share[x] + (below ? below[x] : 0)) == high &&
                     (!below || height_of(below[x]) == low);
         x++)
      ;
    if (high <= low)
      continue;
    if (!begun)
      ts_put_xml(out, "<path class=\"%s\" transform=\"translate(0,%.0f)\" d=\"", class, y);
    begun = true;
    unsigned left = from * p->column,
             length = x * p->column < p->width ? (x - from) * p->column : p->width - left;
    fprintf(out, "M%u %dh%uv%dh-%uz", left, LANE - high, length, high - low, length);
  }
  if (begun)
    fputs("\"/>\n", out);
}

static void put_nodes(const ts_picture *p, const lane *l, double y, FILE *out)
{
  for (size_t i = 0; i < l->nodes.count; i++) {
    const picture_node *n = &l->nodes.at[i];
    double left = within(p, n->begin), right = within(p, n->end);
    begin_rectangle(out, phase_class[n->node->phase], left, y, right - left - 0.4, LANE);
    ts_put_xml(out, "><title>%s: ", ts_summary_string(p->s, n->node->label));
    ts_put_xml(out, "%s from %s</title></rect>\n", ts_format_time(n->end - n->begin).text,
               ts_format_time(n->begin).text);
  }
}

static void picture_put_row(const ts_picture *p, const picture_row *r, FILE *out)
{
  if (p->middle < LEAST_BOX && r->boxes.count > MOST_COLUMNS / 2)
    put_columns(p, r, out);
  else
    for (size_t b = 0; b < r->boxes.count; b++)
      put_box(p, r, &r->boxes.at[b], out);
  double y = r->top + BOX + LANE_GAP;
  for (uint32_t l = 0; l < r->lane_count; l++, y += LANE + LANE_GAP) {
    put_share(p, r->lanes[l].busy, NULL, y, r->lanes[l].stream ? "c" : "busy", out);
    put_share(p, r->lanes[l].waits, r->lanes[l].busy, y, "waits", out);
    put_nodes(p, &r->lanes[l], y, out);
  }
}

/* ---- Memory over time ---- */

typedef struct curve { /* what is held at the fullest moment of each column of pixels */
  const ts_picture *p;
  unsigned width;
  int64_t (*at)[TS_IR_CATEGORIES];
  int64_t now[TS_IR_CATEGORIES];
  unsigned done; /* columns before it are complete */
} curve;

static int64_t picture_sum_of(const int64_t held[TS_IR_CATEGORIES])
{
  int64_t sum = 0;
  for (unsigned c = 0; c < TS_IR_CATEGORIES; c++)
    sum += held[c];
  return sum;
}

static void hold_until(curve *c, unsigned column)
{
  for (; c->done < column && c->done < c->width; c->done++)
    if (picture_sum_of(c->now) > picture_sum_of(c->at[c->done]))
      memcpy(c->at[c->done], c->now, sizeof c->now);
}

static void collect_memory(void *closure, uint64_t time, const int64_t category[TS_IR_CATEGORIES])
{
  curve *c = closure;
  double x = x_of(c->p, time);
  if (x < 0)
    memcpy(c->now, category, sizeof c->now);
  if (x < 0 || time > c->p->window.from + c->p->length)
    return;
  unsigned column = x >= c->width ? c->width - 1 : (unsigned)x;
  hold_until(c, column + 1);
  c->done = column;
  memcpy(c->now, category, sizeof c->now);
  if (picture_sum_of(c->now) > picture_sum_of(c->at[column]))
    memcpy(c->at[column], c->now, sizeof c->now);
}

/* Memory that the picture is high: the device's, unless little of it is used. */
static double memory_top(const ts_memory_class *m)
{
  double used = (double)(m->peak + m->reserved);
  return m->limit && used > 0.2 * (double)m->limit && used <= (double)m->limit ? (double)m->limit :
         used > 0                                                              ? used * 1.05 :
                                                                                 1;
}

static void picture_put_memory(const ts_picture *p, double y, FILE *out)
{
  const ts_memory_class *m = &p->s->memory->classes[p->s->memory->fullest];
  curve c = {.p = p, .width = p->width};
  double scale = MEMORY / memory_top(m);
  c.at = ts_arena_alloc(p->arena, sizeof *c.at * p->width);
  ts_memory_curve(p->s->ir, p->s->run, m->rank, collect_memory, &c);
  hold_until(&c, c.width);
  double *floor = TS_NEW_ARRAY(p->arena, double, p->width);
  for (unsigned x = 0; x < p->width; x++)
    floor[x] = y + MEMORY - scale * (double)m->reserved;
  fprintf(out, "<rect class=\"x\" x=\"0\" y=\"%.1f\" width=\"%u\" height=\"%.1f\"/>\n",
          y + MEMORY - scale * (double)m->reserved, p->width, scale * (double)m->reserved);
  for (unsigned category = 0; category < TS_IR_CATEGORIES; category++) {
    double last = -1;
    bool any = false;
    for (unsigned x = 0; x < p->width && !any; x++)
      any = c.at[x][category] > 0;
    if (!any)
      continue;
    ts_put_xml(out, "<path class=\"%s\" d=\"M0 %.1f", category_class[category], floor[0]);
    for (unsigned x = 0; x < p->width; x++) {
      double top = floor[x] - scale * (double)c.at[x][category];
      if (top - last > 0.05 || last - top > 0.05)
        fprintf(out, "H%uV%.1f", x, top);
      last = top;
    }
    fprintf(out, "H%u", p->width);
    last = -1;
    for (unsigned x = p->width; x-- > 0;) {
      if (floor[x] - last > 0.05 || last - floor[x] > 0.05)
        fprintf(out, "H%uV%.1f", x + 1, floor[x]);
      last = floor[x];
      floor[x] -= scale * (double)c.at[x][category];
    }
    ts_put_xml(out, "H0z\"><title>%s</title></path>\n", ts_category_name(category));
  }
  if (m->limit && memory_top(m) >= (double)m->limit)
    ts_put_xml(
      out,
      "<path class=\"limit\" d=\"M0 %.1fH%u\"><title>memory of the device, %s</title></path>\n",
      y + MEMORY - scale * (double)m->limit, p->width, ts_format_bytes((double)m->limit).text);
}

void ts_picture_timeline(const ts_picture *p, FILE *out)
{
  fputs("<g>\n", out);
  put_axis(p, out);
  for (unsigned r = 0; r < p->row_count; r++)
    picture_put_row(p, &p->rows[r], out);
  if (p->s->memory->stated)
    picture_put_memory(p, p->rows_end + MEMORY_TOP, out);
  fputs("</g>\n", out);
}

void ts_picture_timeline_names(const ts_picture *p, FILE *out)
{
  const ts_ir *ir = p->s->ir;
  fputs("<g>\n", out);
  if (p->row_count < p->s->stage_count)
    label(out, 0, AXIS - 9, "small",
          ts_arena_printf(p->arena, "%u of %" PRIu32 " stages", p->row_count, p->s->stage_count));
  for (unsigned r = 0; r < p->row_count; r++) {
    const picture_row *row = &p->rows[r];
    label(out, 0, row->top + BOX / 2.0 + 4, "name",
          ts_report_fit(p->arena, stage_name(p, row->stage), 22));
    for (uint32_t l = 0; l < row->lane_count; l++)
      label(out, TS_PICTURE_NAMES - 6, row->top + BOX + LANE_GAP + l * (LANE + LANE_GAP) + LANE - 1,
            "small end",
            ts_report_fit(p->arena, ts_summary_string(p->s, ir->streams[row->lanes[l].stream].name),
                          24));
  }
  if (p->s->memory->stated) {
    const ts_memory_class *m = &p->s->memory->classes[p->s->memory->fullest];
    double y = p->rows_end + MEMORY_TOP;
    label(out, 0, y + 10, "name", "memory");
    label(out, 0, y + 24, "small",
          ts_arena_printf(p->arena, "rank %" PRIu32 ", the fullest", m->rank));
    label(out, TS_PICTURE_NAMES - 6, y + 6, "small end", ts_format_bytes(memory_top(m)).text);
    label(out, TS_PICTURE_NAMES - 6, y + MEMORY, "small end", "0");
  }
  fputs("</g>\n", out);
}

/* ---- Legend ---- */

typedef struct picture_entry {
  const char *class, *name;
} picture_entry;
typedef TS_VEC(picture_entry) entry_list;

static bool work_shown(const ts_picture *p, const char *class)
{
  for (unsigned r = 0; r < p->row_count; r++)
    for (size_t b = 0; b < p->rows[r].boxes.count; b++)
      if (strcmp(ts_work_colour(p->s->ir, p->s->ir->items[p->rows[r].boxes.at[b].item].fragment),
                 class) == 0)
        return true;
  for (unsigned r = 0; r < p->row_count; r++)
    for (uint32_t l = 0; l < p->rows[r].lane_count; l++)
      for (size_t i = 0; i < p->rows[r].lanes[l].nodes.count; i++)
        if (!strcmp(phase_class[p->rows[r].lanes[l].nodes.at[i].node->phase], class))
          return true;
  return false;
}

static bool any_waits(const ts_picture *p)
{
  for (unsigned r = 0; r < p->row_count; r++)
    for (size_t i = 0; i < p->rows[r].boxes.count; i++) {
      const picture_box *b = &p->rows[r].boxes.at[i];
      if (b->work < b->end - b->begin)
        return true;
    }
  return false;
}

static void work_entries(const ts_picture *p, entry_list *list)
{
  static const picture_entry named[] = {{"f", "F: forward"},
                                        {"b", "B: backward"},
                                        {"i", "I: gradients of inputs"},
                                        {"w", "W: gradients of weights"},
                                        {"p", "forward and backward as one"},
                                        {"o", "optimizer"},
                                        {"r", "recompute"},
                                        {"c", "communication"},
                                        {"x", "other"}};
  for (size_t k = 0; k < sizeof named / sizeof *named; k++)
    if (work_shown(p, named[k].class))
      TS_PUSH(p->arena, list, named[k]);
  if (any_waits(p))
    TS_PUSH(p->arena, list, ((picture_entry){"hollow", "waits inside of work"}));
}

static void stream_entries(const ts_picture *p, entry_list *list)
{
  bool transfers = false, waits = false;
  for (unsigned r = 0; r < p->row_count; r++)
    for (uint32_t l = 0; l < p->rows[r].lane_count; l++) {
      const lane *lane = &p->rows[r].lanes[l];
      transfers |= lane->stream && sum_of_columns(lane->busy, columns_of(p)) > 0;
      waits |= sum_of_columns(lane->waits, columns_of(p)) > 0;
    }
  if (p->window.level == TS_LEVEL_ITEMS)
    return;
  TS_PUSH(p->arena, list, (picture_entry){"busy", "compute stream busy"});
  if (transfers)
    TS_PUSH(p->arena, list, (picture_entry){"c", "transfers"});
  if (waits)
    TS_PUSH(p->arena, list, (picture_entry){"waits", "waits for peers"});
}

static void memory_entries(const ts_picture *p, entry_list *list)
{
  bool reserved = false, limit = false, held[TS_IR_CATEGORIES] = {false};
  for (uint32_t m = 0; m < p->s->memory->class_count; m++) {
    const ts_memory_class *class = &p->s->memory->classes[m];
    reserved |= class->reserved > 0;
    limit |= class->limit > 0 && memory_top(class) >= (double)class->limit;
    for (unsigned c = 0; c < TS_IR_CATEGORIES; c++)
      held[c] |= class->category[c] > 0;
  }
  if (reserved)
    TS_PUSH(p->arena, list, (picture_entry){"x", "driver and libraries"});
  for (unsigned c = 0; c < TS_IR_CATEGORIES; c++)
    if (held[c])
      TS_PUSH(p->arena, list, (picture_entry){category_class[c], ts_category_name(c)});
  if (limit)
    TS_PUSH(p->arena, list, (picture_entry){NULL, "memory of the device"});
}

static entry_list entries_of(const ts_picture *p, ts_picture_key key)
{
  static void (*const collect[])(const ts_picture *,
                                 entry_list *) = {[TS_KEY_WORK] = work_entries,
                                                  [TS_KEY_STREAMS] = stream_entries,
                                                  [TS_KEY_MEMORY] = memory_entries};
  entry_list list = {0};
  collect[key](p, &list);
  return list;
}

/* A line for a limit, a box for all else. */
static void put_sample(const picture_entry *e, double x, double y, FILE *out)
{
  if (e->class)
    rectangle(out, e->class, x, y, 14, 12);
  else
    fprintf(out, "<path class=\"limit\" d=\"M%.1f %.1fh14\"/>\n", x, y + 6);
}

void ts_picture_legend_line(const ts_picture *p, ts_picture_key key, double y, FILE *out)
{
  entry_list list = entries_of(p, key);
  double x = TS_PICTURE_NAMES;
  for (size_t i = 0; i < list.count; i++) {
    put_sample(&list.at[i], x, y, out);
    label(out, x + KEY, y + 10, "name", list.at[i].name);
    x += 2 * KEY + KEY_LETTER * (double)strlen(list.at[i].name);
  }
}
