/* Times of a traced table on another gpu, or at sizes that its rows do not have: the models of
 * cost/operators.h, trained on the rows of the table and of those named beside it. */
#ifndef TS_COMPILER_LOWER_TRACED_MODELS_H
#define TS_COMPILER_LOWER_TRACED_MODELS_H

#include "compiler/model/traced.h"

typedef struct ts_traced_models ts_traced_models;

/* *models: NULL where the plan does not name the gpu that ran the table. False after errors. */
bool ts_traced_models_train(ts_session *s, const ts_plan *plan, const ts_graph *g,
                            ts_traced_models **models);
/* What `work` takes in a direction on the plan's gpu over what the row took at its own sizes on the
 * gpu that ran it; 0: nothing tells, as the rows have no kernel like it. */
double ts_traced_models_ratio(const ts_traced_models *models, const ts_measured *row,
                              const ts_work *work, ts_direction direction);
/* The same of what only moves so many bytes. */
double ts_traced_models_moved(const ts_traced_models *models, double bytes);
/* The plan's gpu is another than the one that ran the table. */
bool ts_traced_models_other(const ts_traced_models *models);
/* "a100 to h100 by models of table.csv", for reports. */
const char *ts_traced_models_name(const ts_traced_models *models, const char *table);
/* The plan's gpu. */
const char *ts_traced_models_device(const ts_traced_models *models);

#endif
