/* What a calibration to three measured steps does for the other steps of the same cluster. */
#ifndef TS_ACCURACY_CALIBRATED_H
#define TS_ACCURACY_CALIBRATED_H

#include "tests/accuracy/accuracy.h"

void acc_calibrated_report(const acc_context *c);
/* What a framework's profile learnt from three of its runs does for the others. */
void acc_learnt_report(const acc_context *c);

#endif
