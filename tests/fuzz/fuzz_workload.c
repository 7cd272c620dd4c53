/* Any bytes behind a policy, and behind the head of a section of AICB, are read as a workload and
 * played without harm. */
#include <stdint.h>
#include <string.h>

#include "tests/fuzz/events_use.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void use_behind(const char *head, const uint8_t *bytes, size_t size)
{
  size_t length = strlen(head);
  char *whole = malloc(length + size + 1);
  if (!whole)
    return;
  memcpy(whole, head, length);
  if (size)
    memcpy(whole + length, bytes, size);
  use_trace(whole, length + size);
  free(whole);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
  use_behind("MICRO ", bytes, size);
  use_behind("[rank0 ~ rank7]\n"
             "comm_type,comm_group,comm_group_size,msg_size,stage,dst,src,additional,_elapsed_time\n"
             "CommType.all_reduce,CommGroup.tp_group,2,8,a,None,None,,1\n",
             bytes, size);
  return 0;
}
