/* Data sheets of devices: a CSV with the columns device, tflops, terabytes_per_s, watts, units,
 * gigahertz. */
#ifndef TS_CALIBRATE_DEVICE_SHEETS_H
#define TS_CALIBRATE_DEVICE_SHEETS_H

#include "base/error.h"
#include "cost/operators.h"

enum { TS_DEVICE_SHEETS = 32 };
typedef struct ts_device_sheets {
  uint32_t count;
  ts_op_device at[TS_DEVICE_SHEETS];
} ts_device_sheets;

bool ts_device_sheets_read(ts_arena *arena, const char *text, size_t size, ts_device_sheets *sheets,
                           ts_error *error);
/* UINT32_MAX: none */
uint32_t ts_device_sheet_of(const ts_device_sheets *sheets, const char *name, size_t length);

#endif
