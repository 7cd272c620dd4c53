#include "tests/accuracy/fabric_text.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

const char *const ts_fabric_names[TS_FABRIC_KINDS] = {
  "infiniband", "roce", "efa_p4", "efa", "tcpx", "slingshot11", "slingshot11_shared", "nvl72"};

static void lower(char *to, size_t room, const char *text)
{
  size_t n = 0;
  for (; text[n] && n + 1 < room; n++)
    to[n] = (char)tolower((unsigned char)text[n]);
  to[n] = 0;
}

/* "8x400 Gb/s", "8x2x400 Gb/s", "4-8x400 Gb/s" (the lower number counts): NICs and Gb/s together.
 */
static bool rate_in(const char *text, uint32_t *nics, double *gb_s)
{
  for (const char *at = text; *at; at++) {
    if (!isdigit((unsigned char)*at) || (at > text && isdigit((unsigned char)at[-1])))
      continue;
    char *end;
    double product = strtod(at, &end), last = 0, count = 1;
    if (*end == '-' && isdigit((unsigned char)end[1]))
      strtod(end + 1, &end);
    int factors = 0;
    while (*end == 'x' && isdigit((unsigned char)end[1])) {
      last = strtod(end + 1, &end);
      count = product;
      product *= last;
      factors++;
    }
    while (*end == ' ')
      end++;
    if (factors && !strncmp(end, "gb/s", 4) && product > 0 && product < 1e6) {
      *nics = (uint32_t)count;
      *gb_s = product;
      return true;
    }
  }
  return false;
}

/* The number before a phrase. */
static uint32_t number_before(const char *text, const char *phrase)
{
  const char *at = strstr(text, phrase), *digits = at;
  while (digits && digits > text && isdigit((unsigned char)digits[-1]))
    digits--;
  return at && digits < at ? (uint32_t)strtoul(digits, NULL, 10) : 0;
}

static ts_fabric_kind fabric_in(const char *text, uint32_t nics, double nic, uint32_t gpus)
{
  if (strstr(text, "nvl72"))
    return TS_FABRIC_NVL72;
  if (strstr(text, "tcpx"))
    return TS_FABRIC_TCPX;
  if (strstr(text, "slingshot"))
    return nics < gpus ? TS_FABRIC_SLINGSHOT_SHARED : TS_FABRIC_SLINGSHOT;
  if (strstr(text, "efa"))
    return nics <= 4 && nic <= 100 ? TS_FABRIC_EFA_P4 : TS_FABRIC_EFA;
  return strstr(text, "infiniband") ? TS_FABRIC_INFINIBAND : strstr(text, "roce") ? TS_FABRIC_ROCE : TS_FABRIC_KINDS;
}

ts_fabric_text ts_fabric_text_read(const char *fabric, uint32_t gpus)
{
  char text[256];
  ts_fabric_text l = {.fabric = TS_FABRIC_KINDS};
  double gb_s = 0;
  lower(text, sizeof text, fabric);
  if (rate_in(text, &l.nics, &gb_s))
    l.node = gb_s * 1e9 / 8;
  l.fabric = fabric_in(text, l.nics, l.nics ? gb_s / l.nics : 0, gpus);
  l.racks = number_before(text, " nvl72 racks");
  l.rack_nodes = number_before(text, " nodes used of each");
  return l;
}
