/* The white box of calls between nodes against published sweeps: clusters of a fabric that was
 * seen, of one that was not, and from one sweep of the cluster's own. */
#ifndef TS_ACCURACY_BETWEEN_NODES_H
#define TS_ACCURACY_BETWEEN_NODES_H

#include "tests/accuracy/accuracy.h"

void acc_between_report(const acc_context *c);
/* Fits the fabrics of the table on every second size and writes DIR/FABRIC.json. Exit status. */
int acc_between_fit(const acc_context *c, const char *directory);

#endif
