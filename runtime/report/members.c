#include "runtime/report/members.h"

#include <stdio.h>

#include "base/known.h"

cJSON *ts_add_element(cJSON *array)
{
  cJSON *object = cJSON_CreateObject();
  cJSON_AddItemToArray(array, object);
  return object;
}

void ts_add_number(cJSON *object, const char *name, double value)
{
  cJSON_AddItemToObject(object, name,
                        ts_is_stated(value) ? cJSON_CreateNumber(value) : cJSON_CreateNull());
}

void ts_add_integer(cJSON *object, const char *name, uint64_t value)
{
  char text[24];
  snprintf(text, sizeof text, "%llu", (unsigned long long)value);
  if (value <= (uint64_t)1 << 53)
    cJSON_AddNumberToObject(object, name, (double)value);
  else
    cJSON_AddStringToObject(object, name, text);
}

void ts_add_known(cJSON *object, const char *name, uint64_t value)
{
  if (value)
    ts_add_integer(object, name, value);
  else
    cJSON_AddNullToObject(object, name);
}
