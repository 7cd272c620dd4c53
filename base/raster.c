#include "base/raster.h"

#include <dlfcn.h>
#include <string.h>

#include "base/output.h"

enum {
  CAIRO_ARGB32 = 0,
  CAIRO_WRITE_ERROR = 11,
  CAIRO_PDF_CREATE_DATE = 5, /* cairo_pdf_metadata_t */
  MOST_PIXELS = 32767,       /* of a side: cairo's limit */
  SHARP = 8000               /* pixels: a picture up to there is drawn twice as large */
};

typedef struct rectangle { double x, y, width, height; } rectangle; /* RsvgRectangle */
typedef int writer(void *closure, const unsigned char *bytes, unsigned size);

/* What is used of the libraries; their interfaces are stable (librsvg 2.46, cairo 1.16). */
static struct library {
  void *(*handle_new)(const unsigned char *, size_t, void **);
  int (*size_in_pixels)(void *, double *, double *);
  int (*render)(void *, void *, const rectangle *, void **);
  void (*unref)(void *);
  void *(*image)(int, int, int);
  void *(*pdf)(writer *, void *, double, double);
  void (*pdf_metadata)(void *, int, const char *);
  int (*write_png)(void *, writer *, void *);
  void *(*context)(void *);
  void (*context_free)(void *);
  void (*scale)(void *, double, double);
  void (*finish)(void *);
  int (*status)(void *);
  void (*surface_free)(void *);
} library;

static const struct symbol {
  void *at;
  const char *name;
} symbols[] = {
  {&library.handle_new, "rsvg_handle_new_from_data"},
  {&library.size_in_pixels, "rsvg_handle_get_intrinsic_size_in_pixels"},
  {&library.render, "rsvg_handle_render_document"},
  {&library.unref, "g_object_unref"},
  {&library.image, "cairo_image_surface_create"},
  {&library.pdf, "cairo_pdf_surface_create_for_stream"},
  {&library.pdf_metadata, "cairo_pdf_surface_set_metadata"},
  {&library.write_png, "cairo_surface_write_to_png_stream"},
  {&library.context, "cairo_create"},
  {&library.context_free, "cairo_destroy"},
  {&library.scale, "cairo_scale"},
  {&library.finish, "cairo_surface_finish"},
  {&library.status, "cairo_surface_status"},
  {&library.surface_free, "cairo_surface_destroy"},
};

bool ts_raster_loads(ts_error *error)
{
  static const char *const names[] = {"librsvg-2.so.2", "librsvg-2.2.dylib"};
  void *loaded = NULL;
  for (size_t i = 0; !loaded && i < sizeof names / sizeof *names; i++)
    loaded = dlopen(names[i], RTLD_NOW | RTLD_GLOBAL); /* with cairo and gobject, which it needs */
  bool all = loaded;
  for (size_t i = 0; all && i < sizeof symbols / sizeof *symbols; i++) {
    void *found = dlsym(loaded, symbols[i].name);
    memcpy(symbols[i].at, &found, sizeof found);
    all = found;
  }
  return all || ts_fail(error, "install it (Debian: librsvg2-2), or take svg, which needs nothing",
                        "PNG and PDF are drawn by librsvg, which %s",
                        loaded ? "is too old here" : "is not installed");
}

static int raster_put(void *closure, const unsigned char *bytes, unsigned size)
{
  return ts_put_bytes(closure, bytes, size) ? 0 : CAIRO_WRITE_ERROR;
}

static bool raster_draw(void *picture, rectangle all, ts_raster_form form, FILE *out)
{
  const struct library *l = &library;
  double scale = form == TS_RASTER_PNG && all.width <= SHARP && all.height <= SHARP ? 2 : 1;
  void *surface = form == TS_RASTER_PDF ?
                    l->pdf(raster_put, out, all.width, all.height) :
                    l->image(CAIRO_ARGB32, (int)(scale * all.width), (int)(scale * all.height));
  if (form == TS_RASTER_PDF) /* the same picture, the same bytes */
    l->pdf_metadata(surface, CAIRO_PDF_CREATE_DATE, "2000-01-01T00:00:00Z");
  void *context = l->context(surface);
  l->scale(context, scale, scale);
  bool good = l->render(picture, context, &all, NULL);
  l->context_free(context);
  if (form == TS_RASTER_PNG)
    good = l->write_png(surface, raster_put, out) == 0 && good;
  l->finish(surface);
  good = l->status(surface) == 0 && good;
  l->surface_free(surface);
  return good;
}

bool ts_raster_draw(const char *svg, size_t size, ts_raster_form form, FILE *out, ts_error *error)
{
  rectangle all = {0};
  if (!ts_raster_loads(error))
    return false;
  void *picture = library.handle_new((const unsigned char *)svg, size, NULL);
  bool sized = picture && library.size_in_pixels(picture, &all.width, &all.height);
  if (sized && form == TS_RASTER_PNG && (all.width > MOST_PIXELS || all.height > MOST_PIXELS))
    ts_fail(error, "take pdf or svg, or a part of the step with `--from` and `--to`",
            "the picture is too large for PNG: %.0f x %.0f pixels", all.width, all.height);
  else if (!sized || !raster_draw(picture, all, form, out))
    ts_fail(error, NULL, "librsvg cannot draw the picture");
  if (picture)
    library.unref(picture);
  return !error->message[0];
}
