/* Operators of one device from tables of others, and of one batch from those of another: the models
 * of cost/operators.h. */
#ifndef TS_ACCURACY_OPERATORS_H
#define TS_ACCURACY_OPERATORS_H

#include "tests/accuracy/accuracy.h"

void acc_operators_report(const acc_context *c);

#endif
