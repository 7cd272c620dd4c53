/* The fits that ship against the tables they were fitted to: rows that a fit keeps are answered as
 * measured and do not count. */
#ifndef TS_ACCURACY_KERNELS_H
#define TS_ACCURACY_KERNELS_H

#include "tests/accuracy/accuracy.h"

typedef struct acc_kernels {
  const char *name, *title, *family, *sources;
  const acc_ask *asks;
  const char *const *features;
  size_t feature_count;
} acc_kernels;

extern const acc_kernels acc_kernel_sets[];
extern const size_t acc_kernel_set_count;

void acc_kernels_report(const acc_context *c, const acc_kernels *set);

#endif
