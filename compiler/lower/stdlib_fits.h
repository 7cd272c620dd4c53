/* The fits of the standard library in the program, stored by the numbers of ts_stdlib_files. */
#ifndef TS_COMPILER_LOWER_STDLIB_FITS_H
#define TS_COMPILER_LOWER_STDLIB_FITS_H

#include "cost/stored_fit.h"

extern const ts_stored_fits ts_stdlib_fits;

#endif
