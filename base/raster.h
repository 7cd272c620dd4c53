/* SVG as PNG or PDF, by librsvg and cairo. They are loaded when a picture is asked for: programs
 * need neither to be built nor to start. */
#ifndef TS_BASE_RASTER_H
#define TS_BASE_RASTER_H

#include <stdio.h>

#include "base/error.h"

typedef enum ts_raster_form { TS_RASTER_PNG, TS_RASTER_PDF } ts_raster_form;

/* Are the libraries at hand? False after filling *error, which may be NULL. */
bool ts_raster_loads(ts_error *error);
/* Draws the picture. `out` is a stream of bytes. False likewise. */
bool ts_raster_draw(const char *svg, size_t size, ts_raster_form form, FILE *out, ts_error *error);

#endif
