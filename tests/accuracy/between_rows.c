/* The rows of a table of sweeps between nodes, as tests/accuracy/compare hands them over. */
#include "tests/accuracy/between_rows.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <string.h>

#include "base/source.h"
#include "calibrate/network_fit.h"
#include "compiler/machine/network_table.h"

const char *const btw_fabric_names[BTW_FABRICS] = {
  "infiniband", "roce", "efa_p4", "efa", "tcpx", "slingshot11", "slingshot11_shared", "nvl72"};

typedef struct hardware { /* methods of a library for GPUs, with or without a switch that reduces */
  const char *name;
  bool switches;
  const ts_network_file *file;
} hardware;
typedef struct reader {
  const acc_context *c;
  TS_VEC(hardware) hardware;
} reader;

static const char *text_of(const cJSON *o, const char *name)
{
  return cJSON_GetStringValue(cJSON_GetObjectItem(o, name));
}

static double number_of(const cJSON *o, const char *name)
{
  return cJSON_GetNumberValue(cJSON_GetObjectItem(o, name));
}

static const ts_network_file *hardware_of(reader *r, const char *name, bool switches)
{
  for (size_t i = 0; i < r->hardware.count; i++)
    if (!strcmp(r->hardware.at[i].name, name) && r->hardware.at[i].switches == switches)
      return r->hardware.at[i].file;
  ts_error error = {0};
  size_t size = 0;
  int failed = 0;
  const char *path = ts_arena_printf(r->c->arena, "%s/stdlib/networks/%s.json", r->c->source, name);
  char *text = ts_read_file(r->c->arena, path, &size, &failed);
  const ts_network_file *read =
    text ? ts_network_file_read(r->c->arena, text, size, &error) : NULL;
  ts_network_file *file = read ? ts_arena_copy(r->c->arena, read, sizeof *read) : NULL;
  bool changed;
  if (file && !switches)
    ts_network_variable(r->c->arena, "NCCL_NVLS_ENABLE", "0", file, &changed);
  TS_PUSH(r->c->arena, &r->hardware, ((hardware){name, switches, file}));
  return file;
}

static btw_cluster read_cluster(const cJSON *o)
{
  btw_cluster c = {.name = text_of(o, "name"), .fabric = BTW_FABRICS};
  for (uint32_t f = 0; f < BTW_FABRICS; f++)
    if (!strcmp(btw_fabric_names[f], text_of(o, "fabric")))
      c.fabric = f;
  return c;
}

/* False: there is no file of its library. */
static bool read_row(reader *r, const btw_table *t, const cJSON *o, btw_row *row)
{
  const ts_network_file *file =
    hardware_of(r, text_of(o, "hardware"), cJSON_IsTrue(cJSON_GetObjectItem(o, "switches")));
  ts_fit_links links = {number_of(o, "intra"), number_of(o, "inter")};
  *row = (btw_row){.cluster = (uint32_t)number_of(o, "cluster"),
                   .odd = cJSON_IsTrue(cJSON_GetObjectItem(o, "odd"))};
  row->call = (ts_fabric_row){.fabric = t->clusters.at[row->cluster].fabric,
                              .set = (uint32_t)number_of(o, "set"),
                              .kind = (uint32_t)ts_collective_named(text_of(o, "kind")),
                              .hardware = file,
                              .profile = ts_fit_profile(links, (uint32_t)number_of(o, "ranks"),
                                                        (uint32_t)number_of(o, "islands")),
                              .bytes = (uint64_t)number_of(o, "bytes"),
                              .seconds = number_of(o, "seconds")};
  return file != NULL;
}

bool btw_read(const acc_context *c, btw_table *out)
{
  reader r = {.c = c};
  size_t size = 0;
  int error = 0;
  char *text = c->rows ? ts_read_file(c->arena, c->rows, &size, &error) : NULL;
  const cJSON *all = text ? cJSON_ParseWithLength(text, size) : NULL, *item;
  *out = (btw_table){0};
  cJSON_ArrayForEach(item, cJSON_GetObjectItem(all, "clusters"))
    TS_PUSH(c->arena, &out->clusters, read_cluster(item));
  cJSON_ArrayForEach(item, cJSON_GetObjectItem(all, "rows"))
  {
    btw_row row;
    if (!read_row(&r, out, item, &row)) {
      printf("  stdlib/networks/%s.json cannot be read\n", text_of(item, "hardware"));
      return false;
    }
    TS_PUSH(c->arena, &out->rows, row);
  }
  return all != NULL;
}
