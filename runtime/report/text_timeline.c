/* The timeline for a terminal: a row for each stage, a column for a part of the step, in the colour
 * of what most of it is. A column has two halves where colours can show them. */
#include <math.h>
#include <string.h>

#include "base/escape.h"
#include "base/format.h"
#include "ir/names.h"
#include "runtime/account/timeline.h"
#include "runtime/report/picture.h"
#include "runtime/report/report.h"

enum {
  NAME = 11,
  BUSY = 6,      /* "100 %" behind a row */
  MOST_ROWS = 32,
  TICK = 12,     /* columns between times, at least */
  LEAST_COLUMNS = 20
};

/* Kinds of work by the letters of ts_work_colour: two shades of the 256 colours, for odd and even
 * micro-batches, and what stands for them without colours. */
static const struct kind {
  const char *letter, *name;
  int shade[2];
  const char *block, *ascii;
} kinds[] = {
  {"f", "F forward", {75, 111}, "░", "="},
  {"b", "B backward", {72, 78}, "▓", "#"},
  {"i", "I gradients of inputs", {72, 78}, "▓", "#"},
  {"w", "W gradients of weights", {214, 178}, "▒", "+"},
  {"p", "forward and backward as one", {149, 113}, "▒", "*"},
  {"o", "optimizer", {175, 175}, "█", "@"},
  {"r", "recompute", {147, 141}, "▒", "~"},
  {"c", "communication", {209, 209}, "█", "%"},
  {"x", "other", {247, 247}, "█", "x"},
};
enum { KINDS = sizeof kinds / sizeof *kinds, IDLE = KINDS, WAITS };

/* What is no work: between items, and inside of them. */
static const struct pause { const char *name, *mark, *ascii; } pauses[] = {
  {"idle", "·", "."}, {"waits inside of work", "┄", "-"}};

typedef struct text_timeline_box {
  uint64_t begin, end;
  uint32_t item;
  uint8_t kind;
} text_timeline_box;

typedef struct half { uint8_t kind; bool even; } half;

static bool is_work(half h) { return h.kind < KINDS; }

typedef struct text_timeline_row {
  const char *name;
  uint32_t rank;
  TS_VEC(text_timeline_box) boxes;
  half *halves;      /* [2 * columns] */
  float *most, *work, *item; /* [2 * columns] shares of them: of a kind, of all work, of items */
  uint32_t *label;   /* [columns] item whose number begins here + 1; 0: none */
  double busy;       /* share of the window */
} text_timeline_row;

typedef struct picture {
  ts_arena *arena;
  const ts_summary *s;
  const ts_terminal *terminal;
  ts_window window;
  unsigned columns;
  uint64_t length;   /* of the window, ps */
  unsigned row_count;
  text_timeline_row *rows;
  text_timeline_row *row; /* that is being collected */
  text_timeline_box at;
  bool used[WAITS + 1], numbers, chunks;
} picture;

static bool coloured(const picture *p) { return p->terminal->color == TS_COLOR_ALWAYS; }

/* ---- Collecting ---- */

static uint8_t text_timeline_kind_of(const ts_ir *ir, uint32_t item)
{
  const char *letter = ts_work_colour(ir, ir->items[item].fragment);
  uint8_t k = 0;
  while (k + 1u < KINDS && strcmp(kinds[k].letter, letter) != 0)
    k++;
  return k;
}

static void take_box(picture *p)
{
  if (p->at.item != TS_IR_NONE && p->at.end > p->at.begin &&
      ts_window_has(&p->window, p->at.begin, p->at.end)) {
    p->at.kind = text_timeline_kind_of(p->s->ir, p->at.item);
    TS_PUSH(p->arena, &p->row->boxes, p->at);
  }
  p->at.item = TS_IR_NONE;
}

/* Of a time, in columns from the left. */
static double text_timeline_column_of(const picture *p, uint64_t time)
{
  double from = (double)p->window.from;
  return p->length ? ((double)time - from) / (double)p->length * p->columns : 0;
}

static double clipped(double x, double most) { return x < 0 ? 0 : x > most ? most : x; }

/* Adds a stretch of time to shares of halves; returns how many it is long. */
static double add_share(const picture *p, float *shares, uint64_t begin, uint64_t end)
{
  unsigned halves = 2 * p->columns;
  double from = clipped(2 * text_timeline_column_of(p, begin), halves),
         to = clipped(2 * text_timeline_column_of(p, end), halves);
  for (unsigned x = (unsigned)from; x < halves && x < to; x++)
    shares[x] += (float)((x + 1 < to ? x + 1 : to) - (x > from ? x : from));
  return to - from;
}

/* An item goes from the first to the last node that the compute stream has of it. */
static void text_timeline_collect(void *closure, const ts_span_event *e)
{
  picture *p = closure;
  if (!ts_event_works(e))
    return;
  uint64_t begun = ts_event_begun(e);
  if (p->at.item != e->item) {
    take_box(p);
    p->at = (text_timeline_box){.begin = begun, .item = e->item};
  }
  p->at.end = e->end;
  p->row->busy += add_share(p, p->row->work, begun, e->end);
}

/* Each half by the item that covers most of it, if at least half of it is work. */
static void fill_halves(picture *p, text_timeline_row *r)
{
  unsigned halves = 2 * p->columns;
  for (size_t b = 0; b < r->boxes.count; b++) {
    const text_timeline_box *at = &r->boxes.at[b];
    double from = clipped(2 * text_timeline_column_of(p, at->begin), halves),
           to = clipped(2 * text_timeline_column_of(p, at->end), halves);
    uint32_t micro = p->s->ir->items[at->item].micro_batch;
    add_share(p, r->item, at->begin, at->end);
    for (unsigned x = (unsigned)from; x < halves && x < to; x++) {
      float share = (float)((x + 1 < to ? x + 1 : to) - (x > from ? x : from));
      if (share <= r->most[x])
        continue;
      r->most[x] = share;
      r->halves[x] = (half){at->kind, micro != TS_IR_NONE && micro % 2};
    }
  }
  for (unsigned x = 0; x < halves; x++) {
    if (r->work[x] < 0.5f)
      r->halves[x] = (half){r->item[x] < 0.5f ? IDLE : WAITS, false};
    p->used[r->halves[x].kind] = true;
  }
  r->busy /= halves;
}

/* Columns that the number takes; 0: none is shown. */
static unsigned digits_of(const picture *p, uint32_t item)
{
  uint32_t micro = p->s->ir->items[item].micro_batch;
  unsigned digits = 1;
  if (micro == TS_IR_NONE)
    return 0;
  for (; micro >= 10; micro /= 10)
    digits++;
  return digits;
}

/* The longest run of columns that work, of those from `*from` to `*to`. */
static void find_work(const text_timeline_row *r, double *from, double *to)
{
  double begin = *from, longest = 0;
  for (double x = *from, end = *to; x < end; x++) {
    const half *h = &r->halves[2 * (unsigned)x];
    if (!is_work(h[0]) && !is_work(h[1]))
      begin = x + 1;
    else if (x + 1 - begin > longest) {
      longest = x + 1 - begin;
      *from = begin;
      *to = x + 1;
    }
  }
}

/* A number stands where the columns that are an item's own have room for it. */
static void place_labels(picture *p, text_timeline_row *r)
{
  r->label = TS_NEW_ARRAY(p->arena, uint32_t, p->columns + 1);
  for (size_t b = 0; b < r->boxes.count; b++) {
    const text_timeline_box *at = &r->boxes.at[b];
    unsigned digits = digits_of(p, at->item);
    double from = ceil(clipped(text_timeline_column_of(p, at->begin), p->columns) - 0.25),
           to = floor(clipped(text_timeline_column_of(p, at->end), p->columns) + 0.25);
    find_work(r, &from, &to);
    /* without colours, what it is must show beside its number */
    if (!digits || to - from < digits + !coloured(p))
      continue;
    unsigned room = (unsigned)(to - from) - digits;
    r->label[(unsigned)from + (room >= 2 ? room / 2 : 0)] = at->item + 1;
    p->numbers = true;
    p->chunks |= p->s->ir->items[at->item].chunk > 0;
  }
}

static void text_timeline_add_row(picture *p, const char *name, uint32_t rank)
{
  text_timeline_row *r = &p->rows[p->row_count++];
  *r = (text_timeline_row){.name = name,
                           .rank = rank,
                           .halves = TS_NEW_ARRAY(p->arena, half, 2 * p->columns),
                           .most = TS_NEW_ARRAY(p->arena, float, 2 * p->columns),
                           .work = TS_NEW_ARRAY(p->arena, float, 2 * p->columns),
                           .item = TS_NEW_ARRAY(p->arena, float, 2 * p->columns)};
  p->row = r;
  p->at.item = TS_IR_NONE;
  ts_run_timeline(p->s->run, rank, text_timeline_collect, p);
  take_box(p);
  fill_halves(p, r);
  place_labels(p, r);
}

static const char *stage_name(const picture *p, const ts_stage_summary *stage)
{
  const char *name = ts_summary_string(p->s, p->s->ir->programs[stage->program].name);
  return *name ? name : ts_arena_printf(p->arena, "program %u", stage->program);
}

/* The ranks that were asked for; else the busiest of each stage, or of evenly spaced ones, the last
 * among them. */
static unsigned choose_rows(picture *p)
{
  const ts_summary *s = p->s;
  uint32_t every = 1, stages = s->stage_count;
  while ((stages + every - 1) / every + (every > 1) > MOST_ROWS)
    every++;
  p->rows = TS_NEW_ARRAY(p->arena, text_timeline_row,
                         (p->window.ranks ? p->window.rank_count : stages) + 1);
  if (p->window.ranks) {
    for (uint32_t r = 0; r < p->window.rank_count; r++)
      text_timeline_add_row(p, ts_arena_printf(p->arena, "rank %u", p->window.ranks[r]),
                            p->window.ranks[r]);
    return 1;
  }
  for (uint32_t i = 0; i < stages; i++)
    if (i % every == 0 || i + 1 == stages)
      text_timeline_add_row(p, stage_name(p, &s->stages[i]),
                            s->result->classes[s->stages[i].busiest].rank);
  return every;
}

/* ---- Printing ---- */

static void put_shade(FILE *out, char ground, half h)
{
  if (!is_work(h))
    fputs(ground == 'f' ? "\033[38;5;240m" : "\033[49m", out);
  else
    fprintf(out, "\033[%d;5;%dm", ground == 'f' ? 38 : 48, kinds[h.kind].shade[h.even]);
}

static bool text_timeline_same(half a, half b)
{
  return is_work(a) ? a.kind == b.kind && a.even == b.even : !is_work(b);
}

/* Without a number in it. */
static void put_plain_cell(const picture *p, const half *h, FILE *out)
{
  bool unicode = p->terminal->unicode;
  const struct pause *pause = &pauses[h[0].kind == WAITS || h[1].kind == WAITS];
  if (!coloured(p)) {
    /* the half that is work */
    uint8_t kind = is_work(h[0]) ? h[0].kind : h[1].kind;
    ts_put_text(out, "%s",
                kind >= KINDS ? unicode ? pause->mark : pause->ascii :
                unicode       ? kinds[kind].block :
                                kinds[kind].ascii);
  } else if (text_timeline_same(h[0], h[1])) {
    put_shade(out, 'b', h[0]);
    if (!is_work(h[0]))
      put_shade(out, 'f', h[0]);
    ts_put_text(out, "%s", is_work(h[0]) ? " " : unicode ? pause->mark : pause->ascii);
  } else if (!unicode) {
    put_shade(out, 'b', h[!is_work(h[0])]);
    fputc(' ', out);
  } else { /* the left half is drawn, the right one is the ground; the ground may not be work */
    bool left = is_work(h[0]);
    put_shade(out, 'f', h[!left]);
    put_shade(out, 'b', h[left]);
    ts_put_text(out, "%s", left ? "▌" : "▐");
  }
}

static void text_timeline_put_row(const picture *p, const text_timeline_row *r, FILE *out)
{
  char digits[12] = "";
  const char *next = "";
  bool chunk = false;
  ts_put_text(out, "%-*s ", NAME - 1, ts_report_fit(p->arena, r->name, NAME - 1));
  for (unsigned x = 0; x < p->columns; x++) {
    if (r->label[x]) {
      const ts_ir_item *item = &p->s->ir->items[r->label[x] - 1];
      snprintf(digits, sizeof digits, "%u", item->micro_batch);
      next = digits;
      chunk = item->chunk > 0;
    }
    if (!*next) {
      put_plain_cell(p, &r->halves[2 * x], out);
      continue;
    }
    if (coloured(p)) {
      half h = r->halves[2 * x + !is_work(r->halves[2 * x])];
      put_shade(out, 'b', h);
      fputs(is_work(h) ? "\033[38;5;16m" : "\033[39m", out);
      fputs(chunk ? "\033[4m" : "", out);
    }
    ts_put_text(out, "%c", *next++);
    if (coloured(p) && chunk)
      fputs("\033[24m", out);
  }
  if (coloured(p))
    fputs("\033[0m", out);
  ts_put_text(out, " %3.0f %%\n", 100 * r->busy);
}

/* 1, 2 or 5 times a power of ten. */
static uint64_t tick_of(const picture *p)
{
  double min = (double)p->length * TICK / p->columns;
  for (uint64_t power = 1;; power *= 10)
    for (unsigned i = 1; i <= 5; i += i == 1 ? 1 : 3)
      if ((double)power * i >= min || power > UINT64_MAX / 100)
        return power * i;
}

static void put_axis(const picture *p, FILE *out)
{
  uint64_t tick = tick_of(p), first = (p->window.from + tick - 1) / tick * tick;
  unsigned x = 0;
  ts_put_text(out, "%-*s", NAME, "");
  for (uint64_t time = first; time - p->window.from <= p->length; time += tick) {
    unsigned at = (unsigned)(text_timeline_column_of(p, time) + 0.5);
    ts_text text = ts_format_tick(time);
    unsigned wide = 1 + (unsigned)strlen(text.text);
    if (at < x || at + wide > p->columns)
      continue;
    ts_put_text(out, "%*s%s%s", (int)(at - x), "", p->terminal->unicode ? "╷" : "|", text.text);
    x = at + wide;
  }
  ts_put_text(out, "%*s  busy\n", (int)(p->columns - x), "");
}

static void put_sample(const picture *p, unsigned k, FILE *out)
{
  if (coloured(p))
    fprintf(out, "\033[48;5;%dm  \033[0m", kinds[k].shade[0]);
  else
    for (int i = 0; i < 2; i++)
      ts_put_text(out, "%s", p->terminal->unicode ? kinds[k].block : kinds[k].ascii);
}

static void put_legend(const picture *p, FILE *out)
{
  unsigned column = 0;
  for (unsigned k = 0; k <= WAITS; k++) {
    const char *name = k < KINDS ? kinds[k].name : pauses[k - IDLE].name;
    unsigned wide = 3 + (unsigned)strlen(name);
    if (k != IDLE && !p->used[k])
      continue;
    if (column && column + 3 + wide > p->terminal->columns) {
      fputc('\n', out);
      column = 0;
    }
    ts_put_text(out, "%s", column ? "   " : "");
    column += wide + (column ? 3 : 0);
    if (k < KINDS)
      put_sample(p, k, out);
    for (int i = 0; k >= KINDS && i < 2; i++)
      ts_put_text(out, "%s", p->terminal->unicode ? pauses[k - IDLE].mark : pauses[k - IDLE].ascii);
    ts_put_text(out, " %s", name);
  }
  fputc('\n', out);
}

static void text_timeline_put_head(const picture *p, unsigned every, FILE *out)
{
  const ts_summary *s = p->s;
  const char *plan = ts_summary_string(s, s->ir->meta->plan);
  ts_put_text(out, "%s%s%s", plan, *plan ? ": " : "", ts_format_time(s->result->step).text);
  if (p->length < s->result->step)
    ts_put_text(out, ", from %s to %s", ts_format_time(p->window.from).text,
                ts_format_time(p->window.from + p->length).text);
  ts_put_text(out, "; a column is %s\n",
              ts_format_time((uint64_t)((double)p->length / p->columns + 0.5)).text);
  if (every > 1)
    ts_put_text(out, "%u of %s stages: one in %u, and the last; others with `--ranks`\n",
                p->row_count, ts_format_count(s->stage_count).text, every);
}

void ts_report_timeline(const ts_summary *s, const ts_window *window, const ts_terminal *terminal,
                        FILE *out)
{
  picture p = {.arena = ts_arena_new("timeline"), .s = s, .terminal = terminal, .window = *window};
  unsigned beside = NAME + BUSY + 1;
  p.columns = LEAST_COLUMNS;
  if (terminal->columns > beside + LEAST_COLUMNS)
    p.columns = terminal->columns - beside;
  p.length = ts_window_length(window, s->result->step);
  unsigned every = choose_rows(&p);
  text_timeline_put_head(&p, every, out);
  put_axis(&p, out);
  for (unsigned r = 0; r < p.row_count; r++)
    text_timeline_put_row(&p, &p.rows[r], out);
  put_legend(&p, out);
  if (p.numbers)
    ts_put_text(out, "numbers are micro-batches%s\n",
                p.chunks && coloured(&p) ? "; underlined: not a rank's first chunk" : "");
  ts_arena_free(p.arena);
}
