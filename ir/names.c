#include <stdlib.h>
#include <string.h>

#include "ir/names.h"

#include "base/format.h"
#include "base/text.h"

const char *ts_report_coordinates(ts_arena *arena, const ts_ir *ir, uint32_t rank)
{
  const char *text = "";
  for (uint32_t a = 0; a < ir->axes_count; a++) {
    const ts_ir_axis *axis = &ir->axes[a];
    text = ts_arena_printf(arena, "%s%s%s: %u%s", text, a ? ", " : "{ ", ir->strings + axis->name,
                           rank / axis->stride % axis->size, a + 1 == ir->axes_count ? " }" : "");
  }
  return text;
}

const char *ts_report_item(ts_arena *arena, const ts_ir *ir, uint32_t item)
{
  const ts_ir_item *it = &ir->items[item];
  const ts_ir_fragment *f = &ir->fragments[it->fragment];
  const char *letter = ir->strings + (f->work ? f->work : f->name);
  if (it->micro_batch == TS_IR_NONE)
    return letter;
  if (it->chunk)
    return ts_arena_printf(arena, "%s(%u, chunk %u)", letter, it->micro_batch, it->chunk);
  return ts_arena_printf(arena, "%s(%u)", letter, it->micro_batch);
}

const char *ts_report_fit(ts_arena *arena, const char *text, unsigned columns)
{
  char shown[9];
  unsigned width = 0, wide;
  size_t size = strlen(text), used = 0, cut = 0; /* cut: what leaves room for the dots */
  char *out = ts_arena_alloc(arena, 4 * size + 4);
  for (size_t at = 0; at < size;) {
    at += ts_text_show(text + at, size - at, shown, &wide);
    if (width + wide > columns) {
      strcpy(out + cut, "..");
      return out;
    }
    width += wide;
    strcpy(out + used, shown);
    used += strlen(shown);
    if (width + 2 <= columns)
      cut = used;
  }
  return out;
}

unsigned ts_report_columns(const char *text)
{
  char shown[9];
  unsigned width = 0, wide;
  size_t size = strlen(text);
  for (size_t at = 0; at < size; width += wide)
    at += ts_text_show(text + at, size - at, shown, &wide);
  return width;
}

const char *ts_report_vertex(ts_arena *arena, const ts_ir *ir, uint32_t vertex)
{
  const ts_ir_array *array = &ir->arrays[ir->devices[vertex].array];
  uint32_t index = vertex - array->first, at[4] = {0};
  for (uint32_t d = array->dims; d-- > 0; index /= array->dim[d])
    at[d] = index % array->dim[d];
  const char *text = ir->strings + array->name;
  for (uint32_t d = 0; d < array->dims; d++)
    text = ts_arena_printf(arena, "%s%s%u%s", text, d ? ", " : "[", at[d],
                           d + 1 == array->dims ? "]" : "");
  return text;
}

/* Axes of `min` coordinates and more. */
static const char *names_mesh(ts_arena *arena, const ts_ir *ir, uint32_t min)
{
  const char *text = "";
  for (uint32_t a = 0; a < ir->axes_count; a++)
    if (ir->axes[a].size >= min)
      text = ts_arena_printf(arena, "%s%s%s: %u", text, *text ? ", " : "{ ",
                             ir->strings + ir->axes[a].name, ir->axes[a].size);
  return *text ? ts_arena_printf(arena, "%s }", text) : text;
}

const char *ts_report_mesh(ts_arena *arena, const ts_ir *ir) { return names_mesh(arena, ir, 0); }

const char *ts_report_title(ts_arena *arena, const ts_ir *ir)
{
  const ts_ir_meta *meta = ir->meta;
  const char *mesh = names_mesh(arena, ir, 2), *framework = ir->strings + meta->framework,
             *on = ir->device_classes_count == 1 ?
                     ir->strings + ir->device_classes->name :
                   ir->device_classes_count ?
                     ts_arena_printf(arena, "%u kinds of device", ir->device_classes_count) :
                     "";
  return ts_arena_printf(arena, "%s: %s rank%s%s%s%s%s%s%s", ir->strings + meta->plan,
                         ts_format_count(meta->world).text, meta->world == 1 ? "" : "s",
                         *on ? " on " : "", on, *mesh ? " " : "", mesh, *framework ? ", " : "",
                         framework);
}

const char *ts_report_place(ts_arena *arena, const ts_ir *ir, uint32_t loc)
{
  const ts_ir_loc *l = loc < ir->locs_count ? &ir->locs[loc] : NULL;
  return l ? ts_arena_printf(arena, "%s:%u:%u", ir->strings + ir->sources[l->source].name, l->line,
                             l->column) :
             "";
}

static int names_larger(const void *a, const void *b)
{
  const ts_ir_format *x = a, *y = b;
  return x->model_flops != y->model_flops ? (x->model_flops < y->model_flops ? 1 : -1) :
         x->dtype < y->dtype              ? -1 :
                                            x->dtype > y->dtype;
}

const char *ts_report_formats(ts_arena *arena, const ts_ir *ir)
{
  ts_ir_format *formats = TS_NEW_ARRAY(arena, ts_ir_format, ir->formats_count + 1);
  const char *text = "";
  double sum = 0;
  for (uint32_t i = 0; i < ir->formats_count; i++)
    sum += ir->formats[i].model_flops;
  if (ir->formats_count)
    memcpy(formats, ir->formats, ir->formats_count * sizeof *formats);
  qsort(formats, ir->formats_count, sizeof *formats, names_larger);
  for (uint32_t i = 0; i < ir->formats_count && formats[i].model_flops > 0; i++) {
    const char *name = ir->strings + formats[i].dtype;
    if (!*name)
      continue;
    const char *share =
      formats[i].model_flops < sum ?
        ts_arena_printf(arena, " %s", ts_format_share(formats[i].model_flops / sum).text) :
        "";
    text = ts_arena_printf(arena, "%s%s%s%s", text, *text ? ", " : " in ", name, share);
  }
  return text;
}
