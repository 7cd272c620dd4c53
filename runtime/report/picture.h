/* Pictures of a run, as SVG that needs no script and no network. Colours keep their meaning in all
 * of them: one for each kind of work, with a texture besides, so that they can be distinguished
 * without colour. Widths and heights are in pixels. */
#ifndef TS_RUNTIME_REPORT_PICTURE_H
#define TS_RUNTIME_REPORT_PICTURE_H

#include <stdbool.h>
#include <stdio.h>

#include "runtime/report/summary.h"
#include "runtime/report/window.h"

typedef struct ts_picture ts_picture;

/* What a fragment does, by a letter that names its colour: f, b, i, w as the schedules say, p
 * forward and backward as one, r recompute, o optimizer, c communication, x other. */
const char *ts_work_colour(const ts_ir *ir, uint32_t fragment);

/* What the pictures show: the busiest rank of each stage, of the stages at both ends where there
 * are many. window: NULL: all of the step */
const ts_picture *ts_picture_new(ts_arena *arena, const ts_summary *summary,
                                 const ts_window *window);

void ts_picture_style(FILE *out);    /* CSS rules that all of them need */
/* an <svg> without size: textures that fills refer to; once a document */
void ts_picture_textures(FILE *out);

/* The timeline: for each stage its work items and how busy each stream is, then what the fullest
 * rank holds, on one axis of time. */
unsigned ts_picture_timeline_width(const ts_picture *p);
unsigned ts_picture_timeline_height(const ts_picture *p);
void ts_picture_timeline(const ts_picture *p, FILE *out); /* <g>, from 0,0 */
enum { TS_PICTURE_NAMES = 150 };                          /* width of the names of rows */
/* <g>: as high, TS_PICTURE_NAMES wide */
void ts_picture_timeline_names(const ts_picture *p, FILE *out);

/* What the colours and textures that occur mean: a line of TS_PICTURE_KEYS pixels. */
typedef enum ts_picture_key {
  TS_KEY_WORK,
  TS_KEY_STREAMS,
  TS_KEY_MEMORY
} ts_picture_key;
enum { TS_PICTURE_KEYS = 20 };
void ts_picture_legend_line(const ts_picture *p, ts_picture_key key, double y, FILE *out);


#endif
