/* Members of objects of JSON, as reports write them. */
#ifndef TS_RUNTIME_REPORT_MEMBERS_H
#define TS_RUNTIME_REPORT_MEMBERS_H

#include <cjson/cJSON.h>
#include <stdint.h>

cJSON *ts_add_element(cJSON *array); /* an object */
void ts_add_number(cJSON *object, const char *name, double value); /* not known: null */
/* Integers that a double cannot hold exactly are written as strings. */
void ts_add_integer(cJSON *object, const char *name, uint64_t value);
void ts_add_known(cJSON *object, const char *name, uint64_t value); /* 0, not known: null */

#endif
