/* Power of nodes at the wall during MLPerf's runs, against what the model of energy says. */
#ifndef TS_ACCURACY_POWER_H
#define TS_ACCURACY_POWER_H

#include "tests/accuracy/accuracy.h"

void acc_power_report(const acc_context *c);

#endif
