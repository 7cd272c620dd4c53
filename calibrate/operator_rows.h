/* Rows of measured tables: equal kinds of kernels found across tables, and rows of one kind divided
 * into those that a fit keeps and the rest, which shows how good it is. */
#ifndef TS_CALIBRATE_OPERATOR_ROWS_H
#define TS_CALIBRATE_OPERATOR_ROWS_H

#include "base/digest.h"
#include "cost/operators.h"

typedef struct ts_fit_table {
  const char *name;                      /* of the file */
  char sha256[2 * TS_DIGEST_SIZE + 1];
  const ts_table *table;
  uint32_t device;                       /* that ran it, of several */
  /* that fits were made from, and those that stand in them */
  uint32_t rows, fitted;
} ts_fit_table;
typedef TS_VEC(ts_fit_table) ts_fit_tables;

/* What of the tables is fitted, and as what; NULL: all. */
typedef struct ts_op_choice {
  const char *family, *dtype;
  const ts_kernel_model *model;
  bool caches; /* several devices: all state their cache */
} ts_op_choice;

/* Adds a table. `text` is `bytes` inflated, which the digest is of. False: *why says what is
 * wrong. */
bool ts_fit_tables_add(ts_arena *arena, ts_fit_tables *tables, const char *name, const void *bytes,
                       size_t size, const char *text, size_t text_size, const ts_op_choice *choice,
                       uint32_t device, ts_error *why);

enum { TS_OP_MOST_ROWS = 4000 }; /* of a table and kind in a fit: its equations grow as the cube */

/* Growing rows of a model, and the same in the order of a fit file: by table, then features. */
typedef struct ts_op_row_list { TS_VEC(double) feature, us, table; } ts_op_row_list;
void ts_op_row_list_add(ts_arena *arena, ts_op_row_list *list, const double *feature,
                        uint32_t width, double us, uint32_t table);
ts_fit_rows ts_op_row_list_sorted(ts_op_row_list *list, uint32_t width);

/* ---- One device: a fit for each kind, which is a family of one type ---- */

/* Whether a group of table `t` is of a kind that was chosen and that no earlier table has. */
bool ts_op_first_chosen(const ts_fit_tables *tables, size_t t, const ts_table_group *g,
                        const ts_op_choice *choice);
/* Rows of a kind: those kept of this table and the later ones, in the order of a fit file, and the
 * rest of this one. `share` of them is kept. */
void ts_op_collect(ts_arena *arena, ts_fit_tables *tables, size_t first, const ts_table_group *kind,
                   const ts_kernel_model *model, double share, ts_fit_rows *fitted,
                   ts_fit_rows *rest);

/* ---- Several devices: a fit for each class, which is a physical model and a type ---- */

typedef struct ts_fit_class { const ts_kernel_model *model; const char *dtype; } ts_fit_class;
typedef TS_VEC(ts_fit_class) ts_fit_classes;
typedef TS_VEC(ts_op_rows) ts_op_gathered; /* a family each */

/* in the order of the tables */
ts_fit_classes ts_fit_classes_of(ts_arena *arena, const ts_fit_tables *tables,
                                 const ts_op_choice *choice);
typedef enum ts_op_part { TS_OP_ONLY, TS_OP_WITHOUT } ts_op_part;
/* Rows of one class that one device ran, or all others. */
ts_op_gathered ts_op_gather(ts_arena *arena, const ts_fit_tables *tables,
                            const ts_op_choice *choice, ts_fit_class kind, uint32_t device,
                            ts_op_part part);
/* All of them, which are counted in the tables. */
ts_op_gathered ts_op_gather_all(ts_arena *arena, ts_fit_tables *tables, const ts_op_choice *choice,
                                ts_fit_class kind);

/* Each family's rows in two halves, by a hash of their features, never of their times. A family all
 * of whose rows fall to one half is in that alone. */
void ts_op_halve(ts_arena *arena, const ts_op_gathered *all, const ts_kernel_model *model,
                 ts_op_gathered half[2]);

#endif
