/* Rows of measured tables for fits of operators. */
#include "calibrate/operator_rows.h"

#include <stdlib.h>
#include <string.h>

bool ts_fit_tables_add(ts_arena *arena, ts_fit_tables *tables, const char *name, const void *bytes,
                       size_t size, const char *text, size_t text_size, const ts_op_choice *choice,
                       uint32_t device, ts_error *why)
{
  /* where the table does not say */
  ts_table_options stated = {.family = choice->family,
                             .dtype = choice->dtype ? ts_dtype_canonical(choice->dtype) : NULL};
  ts_fit_table t = {
    .name = name, .table = ts_table_read(arena, text, text_size, &stated, why), .device = device};
  if (!t.table)
    return false;
  uint8_t digest[TS_DIGEST_SIZE];
  ts_digest_bytes(bytes, size, digest);
  ts_digest_hex(digest, t.sha256);
  TS_PUSH(arena, tables, t);
  return true;
}

/* ---- One device ---- */

/* FNV-1a of the features, mixed: rows are kept by their shape alone, never by their time: the same
 * ones of every device, others of a second table. */
static uint64_t hash_row(const double *feature, uint32_t width, uint32_t table)
{
  uint64_t h = UINT64_C(0xcbf29ce484222325) + table;
  for (uint32_t f = 0; f < width; f++) {
    uint64_t v = (uint64_t)(feature[f] * 1024);
    for (int b = 0; b < 8; b++) h = (h ^ (v >> 8 * b & 255)) * UINT64_C(0x100000001b3);
  }
  h = (h ^ h >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  h = (h ^ h >> 27) * UINT64_C(0x94d049bb133111eb);
  return h ^ h >> 31;
}

typedef struct order { uint64_t hash; uint32_t row; } order;

static int compare_hash(const void *x, const void *y)
{
  const order *a = x, *b = y;
  return a->hash != b->hash ? (a->hash > b->hash) - (a->hash < b->hash) :
                              (a->row > b->row) - (a->row < b->row);
}

/* table and features */
typedef struct sorted { double cell[1 + TS_MODEL_MAX_FEATURES], us; } sorted;

static int compare_sorted(const void *x, const void *y)
{
  const sorted *a = x, *b = y;
  for (size_t i = 0; i < sizeof a->cell / sizeof *a->cell; i++)
    if (a->cell[i] != b->cell[i])
      return a->cell[i] > b->cell[i] ? 1 : -1;
  return (a->us > b->us) - (a->us < b->us);
}

void ts_op_row_list_add(ts_arena *arena, ts_op_row_list *list, const double *feature,
                        uint32_t width, double us, uint32_t table)
{
  for (uint32_t f = 0; f < width; f++) TS_PUSH(arena, &list->feature, feature[f]);
  TS_PUSH(arena, &list->us, us);
  TS_PUSH(arena, &list->table, table);
}

/* Adds the rows of a group to those that are kept or to the rest. */
static void operator_rows_divide(ts_arena *arena, const ts_table_group *g,
                                 const ts_kernel_model *model, double share, uint32_t table,
                                 ts_op_row_list *fitted, ts_op_row_list *rest)
{
  uint32_t width = model->feature_count, count = 0;
  double value[TS_MODEL_MAX_FEATURES];
  order *by_hash = TS_NEW_ARRAY(arena, order, g->count);
  bool *keep = TS_NEW_ARRAY(arena, bool, g->count);
  for (uint32_t i = 0; i < g->count; i++)
    if (ts_fit_row_features(g, i, model, value))
      by_hash[count++] = (order){hash_row(value, width, table), i};
  qsort(by_hash, count, sizeof *by_hash, compare_hash);
  uint32_t wanted = (uint32_t)(share * count + 0.5);
  for (uint32_t i = 0; i < wanted && i < TS_OP_MOST_ROWS; i++) keep[by_hash[i].row] = true;
  for (uint32_t i = 0; i < g->count; i++)
    if (ts_fit_row_features(g, i, model, value))
      ts_op_row_list_add(arena, keep[i] ? fitted : rest, value, width, 1e6 * g->seconds[i], table);
}

/* In order of the table, then of the features, as a fit file has them: groups of a table are in the
 * order of its columns. */
static void sort_rows(ts_op_row_list *list, uint32_t width)
{
  ts_arena *arena = ts_arena_new("rows");
  sorted *rows = TS_NEW_ARRAY(arena, sorted, list->us.count + 1);
  for (size_t i = 0; i < list->us.count; i++) {
    rows[i] = (sorted){.cell = {list->table.at[i]}, .us = list->us.at[i]};
    memcpy(rows[i].cell + 1, list->feature.at + i * width, width * sizeof *rows->cell);
  }
  qsort(rows, list->us.count, sizeof *rows, compare_sorted);
  for (size_t i = 0; i < list->us.count; i++) {
    list->table.at[i] = rows[i].cell[0];
    list->us.at[i] = rows[i].us;
    memcpy(list->feature.at + i * width, rows[i].cell + 1, width * sizeof *rows->cell);
  }
  ts_arena_free(arena);
}

static ts_fit_rows rows_of(const ts_op_row_list *list)
{
  ts_fit_rows rows = {(uint32_t)list->us.count, 0, list->feature.at, list->us.at, list->table.at};
  for (uint32_t i = 0; i < rows.count; i++) rows.own += rows.table[i] == 0;
  return rows;
}

ts_fit_rows ts_op_row_list_sorted(ts_op_row_list *list, uint32_t width)
{
  sort_rows(list, width);
  return rows_of(list);
}

static bool same_kind(const ts_table_group *a, const ts_table_group *b)
{
  return strcmp(a->family, b->family) == 0 &&
         strcmp(a->dtype ? a->dtype : "", b->dtype ? b->dtype : "") == 0;
}

bool ts_op_first_chosen(const ts_fit_tables *tables, size_t t, const ts_table_group *g,
                        const ts_op_choice *choice)
{
  if (choice->family && strcmp(choice->family, g->family) != 0)
    return false;
  if (choice->dtype && g->dtype && strcmp(ts_dtype_canonical(choice->dtype), g->dtype) != 0)
    return false;
  for (size_t earlier = 0; earlier < t; earlier++)
    for (uint32_t i = 0; i < tables->at[earlier].table->group_count; i++)
      if (same_kind(&tables->at[earlier].table->group[i], g))
        return false;
  return true;
}

void ts_op_collect(ts_arena *arena, ts_fit_tables *tables, size_t first, const ts_table_group *kind,
                   const ts_kernel_model *model, double share, ts_fit_rows *fitted,
                   ts_fit_rows *rest)
{
  ts_op_row_list fitted_list = {0}, rest_list = {0}, ignored = {0};
  uint32_t number = 0;
  for (size_t t = first; t < tables->count; t++) {
    ts_fit_table *file = &tables->at[t];
    size_t before = fitted_list.us.count, before_rest = rest_list.us.count + ignored.us.count;
    for (uint32_t i = 0; i < file->table->group_count; i++)
      if (same_kind(&file->table->group[i], kind))
        operator_rows_divide(arena, &file->table->group[i], model, share, number, &fitted_list,
                             number ? &ignored : &rest_list);
    uint32_t added = (uint32_t)(fitted_list.us.count - before);
    file->fitted += added;
    file->rows += added + (uint32_t)(rest_list.us.count + ignored.us.count - before_rest);
    number += added > 0;
  }
  sort_rows(&fitted_list, model->feature_count);
  *fitted = rows_of(&fitted_list);
  *rest = rows_of(&rest_list);
}

/* ---- Several devices ---- */

/* No model or no type: not fitted. */
static ts_fit_class operator_rows_kind_of(const ts_table_group *g, const ts_op_choice *choice)
{
  if ((choice->family && strcmp(choice->family, g->family) != 0) ||
      (choice->dtype && g->dtype && strcmp(choice->dtype, g->dtype) != 0))
    return (ts_fit_class){0};
  return (ts_fit_class){choice->model ? choice->model :
                                        ts_fit_model_for(g, choice->caches ? "cached" : "segments"),
                        g->dtype ? g->dtype : choice->dtype};
}

static bool is_kind(ts_fit_class a, ts_fit_class b)
{
  return a.model == b.model && a.dtype && strcmp(a.dtype, b.dtype) == 0;
}

ts_fit_classes ts_fit_classes_of(ts_arena *arena, const ts_fit_tables *tables,
                                 const ts_op_choice *choice)
{
  ts_fit_classes kinds = {0};
  for (size_t t = 0; t < tables->count; t++)
    for (uint32_t i = 0; i < tables->at[t].table->group_count; i++) {
      ts_fit_class kind = operator_rows_kind_of(&tables->at[t].table->group[i], choice);
      bool known = !kind.model || !kind.dtype;
      for (size_t k = 0; k < kinds.count && !known; k++) known = is_kind(kinds.at[k], kind);
      if (!known)
        TS_PUSH(arena, &kinds, kind);
    }
  return kinds;
}

/* Adds the rows of a group to those of its family; returns how many. */
static uint32_t add_group(ts_arena *arena, ts_op_gathered *all, const ts_table_group *g,
                          const ts_kernel_model *model, uint32_t device)
{
  size_t f = 0;
  while (f < all->count && strcmp(all->at[f].family, g->family) != 0) f++;
  ts_op_rows before = f < all->count ? all->at[f] : (ts_op_rows){.family = g->family};
  uint32_t width = model->feature_count, n = before.count;
  double *feature = TS_NEW_ARRAY(arena, double, (size_t)(n + g->count) * width),
         *us = TS_NEW_ARRAY(arena, double, n + g->count);
  uint32_t *on = TS_NEW_ARRAY(arena, uint32_t, n + g->count);
  if (n) {
    memcpy(feature, before.feature, (size_t)n * width * sizeof *feature);
    memcpy(us, before.us, n * sizeof *us);
    memcpy(on, before.device, n * sizeof *on);
  }
  for (uint32_t r = 0; r < g->count; r++)
    if (ts_fit_row_features(g, r, model, feature + (size_t)n * width))
      us[n] = 1e6 * g->seconds[r], on[n++] = device;
  ts_op_rows rows = {g->family, n, feature, us, on};
  if (n && f < all->count)
    all->at[f] = rows;
  else if (n)
    TS_PUSH(arena, all, rows);
  return n - before.count;
}

static uint32_t add_table(ts_arena *arena, ts_op_gathered *all, const ts_fit_table *t,
                          const ts_op_choice *choice, ts_fit_class kind)
{
  uint32_t added = 0;
  for (uint32_t i = 0; i < t->table->group_count; i++)
    if (is_kind(operator_rows_kind_of(&t->table->group[i], choice), kind))
      added += add_group(arena, all, &t->table->group[i], kind.model, t->device);
  return added;
}

ts_op_gathered ts_op_gather(ts_arena *arena, const ts_fit_tables *tables,
                            const ts_op_choice *choice, ts_fit_class kind, uint32_t device,
                            ts_op_part part)
{
  ts_op_gathered all = {0};
  for (size_t t = 0; t < tables->count; t++)
    if ((tables->at[t].device == device) == (part == TS_OP_ONLY))
      add_table(arena, &all, &tables->at[t], choice, kind);
  return all;
}

ts_op_gathered ts_op_gather_all(ts_arena *arena, ts_fit_tables *tables, const ts_op_choice *choice,
                                ts_fit_class kind)
{
  ts_op_gathered all = {0};
  for (size_t t = 0; t < tables->count; t++)
    tables->at[t].rows += add_table(arena, &all, &tables->at[t], choice, kind);
  return all;
}

static void add_half(ts_arena *arena, const ts_op_rows *r, uint32_t width, uint32_t wanted,
                     ts_op_gathered *out)
{
  double *feature = TS_NEW_ARRAY(arena, double, (size_t)r->count *width + 1),
         *us = TS_NEW_ARRAY(arena, double, r->count + 1);
  uint32_t *on = TS_NEW_ARRAY(arena, uint32_t, r->count + 1), n = 0;
  for (uint32_t i = 0; i < r->count; i++) {
    const double *x = r->feature + (size_t)i * width;
    if ((hash_row(x, width, 0) >> 32 & 1) != wanted)
      continue;
    memcpy(feature + (size_t)n * width, x, width * sizeof *x);
    us[n] = r->us[i], on[n++] = r->device[i];
  }
  if (n)
    TS_PUSH(arena, out, ((ts_op_rows){r->family, n, feature, us, on}));
}

void ts_op_halve(ts_arena *arena, const ts_op_gathered *all, const ts_kernel_model *model,
                 ts_op_gathered half[2])
{
  for (uint32_t h = 0; h < 2; h++) {
    half[h] = (ts_op_gathered){0};
    for (size_t f = 0; f < all->count; f++)
      add_half(arena, &all->at[f], model->feature_count, h, &half[h]);
  }
}
