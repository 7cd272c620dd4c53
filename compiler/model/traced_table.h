/* Traced tables as rows: one operator each, in the order of execution. Two layouts are read,
 * recognized by their header.
 *
 * Operator tables
 * (`name,kind,inputs,input_shapes,output_shape,dtype,forward_us,backward_us[,accumulate_us][,parameters][,again]`):
 * `inputs` are names of earlier rows, `;` between them; shapes as `(1, 1024)` and `[[1, 1024],
 * [1]]`; `parameters` the shapes of an operator's weights. Stage tables
 * (`OperatorName,Operator_input,Operator_output,<time>,stage` and a table of the tensors): rows of
 * the backward and the optimizer follow those of the forward; operators are joined by the ids of
 * tensors. */
#ifndef TS_COMPILER_MODEL_TRACED_TABLE_H
#define TS_COMPILER_MODEL_TRACED_TABLE_H

#include "compiler/eval/session.h"
#include "compiler/eval/value.h"

typedef enum ts_row_stage { TS_ROW_FORWARD, TS_ROW_BACKWARD, TS_ROW_OPTIMIZER } ts_row_stage;

typedef struct ts_row {
  const char *name, *kind;
  uint32_t input_count;
  const uint32_t *input;       /* rows; TS_ROW_NONE: something that is no tensor */
  const ts_shape *input_shape; /* as the row states them; rank 1 of size 1 for what is no tensor */
  uint32_t parameter_count;
  const ts_shape *parameter;   /* shapes of its own weights, when the table says */
  ts_shape output;
  const ts_dtype *dtype;       /* of the output; NULL: it is no tensor */
  double forward, backward;    /* seconds */
  double accumulate;           /* seconds to add the gradients of its weights to those there */
  uint32_t again;              /* the backward ran it again, with all of this number; 0: not */
  ts_row_stage stage;
  bool given;                  /* an input of the model: made by the reader of stage tables */
  uint32_t line;
  ts_span span;                /* of its line */
} ts_row;

#define TS_ROW_NONE UINT32_MAX

/* name: of the file, to people; listed: the same in an IR; device: on which it was recorded (`#
 * device: NAME`), NULL when it names none. */
/* batch_dim: which dimension of its inputs is the batch (`# batch_dim: N`), -1: not stated.
 * untimed: nobody measured (`# times: none`); times say that there was a kernel, and no more. */
typedef struct ts_rows {
  uint32_t count;
  ts_row *at;
  const char *name, *listed, *device;
  int32_t batch_dim;
  bool untimed;
  /* untimed: what an update of all parameters moves (`# update: N B`), and what copies of their
   * gradients into buckets and out of them (`# buckets: N B`) */
  double update_bytes, bucket_bytes;
} ts_rows;

typedef struct ts_table_source {
  uint32_t from_file;
  const char *file, *tensors, *column; /* tensors, column: of stage tables; NULL if not given */
  ts_span span;                        /* the trace(...) */
} ts_table_source;

/* False after errors. */
bool ts_rows_read(ts_session *s, const ts_table_source *source, ts_rows *rows);

/* NUL behind the text */
typedef struct ts_table_text { const char *name, *listed, *text; size_t size; } ts_table_text;
/* The same from memory; `tensors` has no text when there is no such table. */
bool ts_rows_parse(ts_session *s, const ts_table_source *source, ts_table_text table,
                   ts_table_text tensors, ts_rows *rows);

/* Which dimensions of `in` a dimension of `out` is made of, when an operator only moves elements
 * (reshape, transpose, slice): of[i] lists them, terminated by -1. Empty: none. */
enum { TS_FOLLOW_MAX = 4 };
typedef struct ts_follow { int32_t of[8][TS_FOLLOW_MAX + 1]; } ts_follow;
/* Where dimension 0 was merged with others and is taken apart again, what comes in goes to the
 * first part when it is the batch that changed (`batch`), else to the second, since strategies
 * split the others. */
void ts_shape_follow(ts_shape in, ts_shape out, bool batch, ts_follow *follow);

#endif
