/* Files of topologies, by expat. They have elements and attributes; an entity of their own, which
 * could grow without bound, is refused where it is declared. */
#include "compiler/machine/nccl_topology.h"

#include <expat.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/heap.h"

enum { MOST_GPUS = 1024, MOST_PARTS = 65536, MOST_DEPTH = 64 };

typedef struct nccl_topology_place { /* an open element */
  const char *name;
  /* that it is, or that of the one around it; TS_TOPOLOGY_NO_PART: outside of all */
  int part;
  int gpu;         /* -1: in none */
  double rate;     /* of a PCIe device's link to the part around it */
  int above;       /* that part */
  const char *busid;
} nccl_topology_place;

typedef struct target { uint32_t gpu, count, line; const char *busid; bool is_switch; } target;

typedef struct nccl_topology_reader {
  ts_arena *arena;
  XML_Parser parser;
  const char *const *attributes; /* of the element being opened: names and values, NULL behind */
  ts_topology *t;
  TS_VEC(target) targets;
  nccl_topology_place at[MOST_DEPTH];
  uint32_t depth, line;
  ts_error *error;
} nccl_topology_reader;

static bool nccl_topology_fail(nccl_topology_reader *r, const char *error)
{
  r->error->line = r->line;
  return ts_fail(r->error, NULL, "%s", error);
}

static const char *copy(nccl_topology_reader *r, const char *text)
{
  return ts_arena_string(r->arena, text, strlen(text));
}

/* NULL: not there */
static const char *attribute_of(nccl_topology_reader *r, const char *name)
{
  for (const char *const *a = r->attributes; *a; a += 2)
    if (!strcmp(a[0], name))
      return copy(r, a[1]);
  return NULL;
}

/* A whole number of an attribute; `otherwise` when it is not there. */
static bool nccl_topology_whole(nccl_topology_reader *r, const char *attribute, long otherwise,
                                long least, long most, long *value)
{
  const char *text = attribute_of(r, attribute);
  char *end;
  *value = otherwise;
  if (!text)
    return true;
  *value = strtol(text, &end, 10);
  if (end == text || *end || *value < least || *value > most)
    return nccl_topology_fail(
      r, ts_arena_printf(r->arena, "`%s` of `%s` must be a whole number from %ld to %ld, not `%s`",
                         attribute, r->at[r->depth - 1].name, least, most, text));
  return true;
}

/* Rate of a PCIe link: width * rate of its generation / 80, GB/s (topo.cc, ncclTopoAddPci). */
static bool pci_rate(nccl_topology_reader *r, double *rate)
{
  static const struct {
    const char *text;
    double value;
  } speeds[] = {{"2.5 GT/s", 15},   {"5 GT/s", 30},   {"5.0 GT/s", 30},   {"8 GT/s", 60},
                {"8.0 GT/s", 60},   {"16 GT/s", 120}, {"16.0 GT/s", 120}, {"32 GT/s", 240},
                {"32.0 GT/s", 240}, {"64 GT/s", 480}, {"64.0 GT/s", 480}};
  const char *speed = attribute_of(r, "link_speed");
  double of = 60;
  long width;
  for (size_t i = 0; speed && i < sizeof speeds / sizeof *speeds; i++)
    if (!strncmp(speed, speeds[i].text, strlen(speeds[i].text)))
      of = speeds[i].value;
  if (!nccl_topology_whole(r, "link_width", 0, 0, 64, &width))
    return false;
  *rate = of * (double)(width ? width : 16) / 80 * 1e9;
  return true;
}

static bool new_part(nccl_topology_reader *r, int *part)
{
  if (r->t->part_count == MOST_PARTS)
    return nccl_topology_fail(r, "more than 65,536 processors, switches and NICs");
  *part = (int)r->t->part_count++;
  return true;
}

/* PCIe devices become parts when something that is no GPU hangs off them. */
static bool as_part(nccl_topology_reader *r, nccl_topology_place *p)
{
  if (strcmp(p->name, "pci") != 0 || p->part != p->above)
    return true;
  if (!new_part(r, &p->part))
    return false;
  TS_PUSH(r->arena, &r->t->links,
          (ts_topology_link){(uint32_t)p->above, (uint32_t)p->part, p->rate});
  return true;
}

static bool open_gpu(nccl_topology_reader *r, nccl_topology_place *p,
                     const nccl_topology_place *around)
{
  long dev, sm;
  if (strcmp(around->name, "pci") != 0 || around->above == TS_TOPOLOGY_NO_PART)
    return nccl_topology_fail(r, "a `gpu` must be inside a `pci` of a `cpu`");
  if (!nccl_topology_whole(r, "dev", -1, 0, 65535, &dev) ||
      !nccl_topology_whole(r, "sm", 0, 0, 9999, &sm))
    return false;
  if (dev < 0)
    return nccl_topology_fail(r, "a `gpu` needs `dev`");
  for (size_t g = 0; g < r->t->gpus.count; g++)
    if (r->t->gpus.at[g].dev == dev)
      return nccl_topology_fail(r, ts_arena_printf(r->arena, "two GPUs have number %ld", dev));
  if (r->t->gpus.count == MOST_GPUS)
    return nccl_topology_fail(r, "more than 1,024 GPUs in a node");
  p->gpu = (int)r->t->gpus.count;
  TS_PUSH(
    r->arena, &r->t->gpus,
    (ts_topology_gpu){(int)dev, (int)sm, around->busid, (uint32_t)around->above, around->rate});
  return true;
}

static bool open_nvlink(nccl_topology_reader *r, const nccl_topology_place *around)
{
  const char *busid = attribute_of(r, "target"), *class = attribute_of(r, "tclass");
  long count;
  if (around->gpu < 0 || !busid)
    return nccl_topology_fail(r, "an `nvlink` must be inside a `gpu` and have a `target`");
  if (!nccl_topology_whole(r, "count", 1, 1, 1024, &count))
    return false;
  TS_PUSH(r->arena, &r->targets,
          (target){(uint32_t)around->gpu, (uint32_t)count, r->line, busid,
                   class && !strncmp(class, "0x0680", 6)});
  return true;
}

static bool open_net(nccl_topology_reader *r, nccl_topology_place *around)
{
  long speed;
  if (around->part == TS_TOPOLOGY_NO_PART)
    return nccl_topology_fail(r, "a `net` must be inside a `nic` of a `cpu` or `pci`");
  if (!nccl_topology_whole(r, "speed", 10000, -1, 100000000, &speed))
    return false;
  const char *name = attribute_of(r, "name");
  TS_PUSH(r->arena, &r->t->nets,
          (ts_topology_net){name ? name : "", (uint32_t)around->part,
                            (double)(speed > 0 ? speed : 10000) * 1e6 / 8});
  return true;
}

static bool open_c2c(nccl_topology_reader *r, const nccl_topology_place *around)
{
  long count, rate;
  if (around->gpu < 0)
    return nccl_topology_fail(r, "a `c2c` must be inside a `gpu`");
  if (!nccl_topology_whole(r, "count", 1, 1, 1024, &count) ||
      !nccl_topology_whole(r, "bw", 0, 1, 100000000, &rate))
    return false;
  /* the one that it stands in */
  uint32_t processor = r->t->processors.at[r->t->processors.count - 1];
  if (rate)
    TS_PUSH(
      r->arena, &r->t->direct,
      (ts_topology_link){(uint32_t)around->gpu, processor, (double)count * (double)rate * 1e6});
  return true;
}

static bool open_element(nccl_topology_reader *r, const char *name)
{
  nccl_topology_place outside = {.name = "",
                                 .part = TS_TOPOLOGY_NO_PART,
                                 .gpu = -1,
                                 .above = TS_TOPOLOGY_NO_PART},
                      *around = r->depth ? &r->at[r->depth - 1] : &outside;
  if (r->depth == MOST_DEPTH)
    return nccl_topology_fail(r, "elements are nested more than 64 deep");
  nccl_topology_place *p = &r->at[r->depth++];
  *p = *around;
  p->name = copy(r, name);
  if (r->depth == 1) {
    const char *version = attribute_of(r, "version");
    if (strcmp(name, "system") != 0)
      return nccl_topology_fail(
        r, ts_arena_printf(r->arena, "the file begins with `%s`, a topology with `system`", name));
    return (version && !strcmp(version, "1")) ||
           nccl_topology_fail(r, "this is not version 1 of topologies, the only known one");
  }
  if (!strcmp(name, "cpu")) {
    if (r->depth != 2)
      return nccl_topology_fail(r, "a `cpu` must be inside `system`");
    if (!new_part(r, &p->part))
      return false;
    TS_PUSH(r->arena, &r->t->processors, (uint32_t)p->part);
    return true;
  }
  if (!strcmp(name, "pci")) {
    if (around->part == TS_TOPOLOGY_NO_PART)
      return nccl_topology_fail(r, "a `pci` must be inside a `cpu`");
    if (!as_part(r, around) || !pci_rate(r, &p->rate))
      return false;
    p->part = p->above = around->part;
    p->busid = attribute_of(r, "busid");
    return true;
  }
  if (!strcmp(name, "gpu"))
    return open_gpu(r, p, around);
  if (!strcmp(name, "nvlink"))
    return open_nvlink(r, around);
  if (!strcmp(name, "c2c"))
    return open_c2c(r, around);
  if (!strcmp(name, "nic")) {
    if (!as_part(r, around))
      return false;
    p->part = around->part;
    return true;
  }
  return strcmp(name, "net") != 0 || open_net(r, around);
}

static int by_device(const void *left, const void *right)
{
  const ts_topology_gpu *a = left, *b = right;
  return (a->dev > b->dev) - (a->dev < b->dev);
}

static void add_nvlink(nccl_topology_reader *r, uint32_t gpu, int other, uint32_t count, bool sums)
{
  for (size_t i = 0; i < r->t->nvlinks.count; i++) {
    ts_topology_nvlink *l = &r->t->nvlinks.at[i];
    if (l->gpu == gpu && l->other == other) {
      l->count = sums ? l->count + count : count > l->count ? count : l->count;
      return;
    }
  }
  TS_PUSH(r->arena, &r->t->nvlinks, (ts_topology_nvlink){gpu, other, count});
}

/* GPUs are numbered by dev, targets become their numbers; links between two GPUs are listed at
 * both. */
static bool resolve(nccl_topology_reader *r)
{
  ts_topology *t = r->t;
  uint32_t *number = TS_NEW_ARRAY(r->arena, uint32_t, t->gpus.count);
  ts_topology_gpu *before = ts_arena_copy(r->arena, t->gpus.at, t->gpus.count * sizeof *t->gpus.at);
  qsort(t->gpus.at, t->gpus.count, sizeof *t->gpus.at, by_device);
  for (size_t g = 0; g < t->gpus.count; g++)
    for (size_t k = 0; k < t->gpus.count; k++)
      if (before[g].dev == t->gpus.at[k].dev)
        number[g] = (uint32_t)k;
  for (size_t i = 0; i < t->direct.count; i++)
    t->direct.at[i].from = number[t->direct.at[i].from];
  for (size_t i = 0; i < r->targets.count; i++) {
    target *link = &r->targets.at[i];
    uint32_t gpu = number[link->gpu], other = 0;
    r->line = link->line;
    if (link->is_switch) {
      add_nvlink(r, gpu, -1, link->count, true);
      continue;
    }
    while (other < t->gpus.count &&
           (!t->gpus.at[other].busid || strcmp(t->gpus.at[other].busid, link->busid) != 0))
      other++;
    if (other == gpu)
      return nccl_topology_fail(r, "an `nvlink` from a GPU to itself");
    if (other < t->gpus.count) /* else something that this node has none of, or a processor */
      add_nvlink(r, gpu < other ? gpu : other, (int)(gpu < other ? other : gpu), link->count,
                 false);
  }
  return true;
}

/* ---- What expat calls ---- */

static void XMLCALL on_open(void *closure, const char *name, const char **attributes)
{
  nccl_topology_reader *r = closure;
  r->attributes = attributes;
  r->line = (uint32_t)XML_GetCurrentLineNumber(r->parser);
  if (r->error->message[0] || !open_element(r, name))
    XML_StopParser(r->parser, XML_FALSE);
}

static void XMLCALL on_close(void *closure, const char *name)
{
  nccl_topology_reader *r = closure;
  (void)name;
  r->depth -= !r->error->message[0];
}

static void XMLCALL on_entity(void *closure, const char *name, int is_parameter, const char *value,
                              int length, const char *base, const char *system, const char *public,
                              const char *notation)
{
  nccl_topology_reader *r = closure;
  (void)name, (void)is_parameter, (void)value, (void)length;
  (void)base, (void)system, (void)public, (void)notation;
  r->line = (uint32_t)XML_GetCurrentLineNumber(r->parser);
  nccl_topology_fail(r, "entities of a file's own are not known");
  XML_StopParser(r->parser, XML_FALSE);
}

static bool parse(nccl_topology_reader *r, const char *text, size_t size)
{
  if (size > INT_MAX)
    return nccl_topology_fail(r, "the file is larger than 2 GiB");
  bool good = XML_Parse(r->parser, text, (int)size, XML_TRUE) == XML_STATUS_OK;
  if (r->error->message[0])
    return false;
  r->line = (uint32_t)XML_GetCurrentLineNumber(r->parser);
  return good ||
         nccl_topology_fail(r, ts_arena_printf(r->arena, "this is no XML: %s",
                                               XML_ErrorString(XML_GetErrorCode(r->parser))));
}

const ts_topology *ts_topology_read(ts_arena *arena, const char *text, size_t size, ts_error *error)
{
  static const XML_Memory_Handling_Suite memory = {ts_heap_for_expat, ts_heap_more_for_expat, free};
  nccl_topology_reader r = {.arena = arena,
                            .parser = XML_ParserCreate_MM(NULL, &memory, NULL),
                            .t = TS_NEW(arena, ts_topology),
                            .line = 1,
                            .error = error};
  *error = (ts_error){0};
  XML_SetUserData(r.parser, &r);
  XML_SetElementHandler(r.parser, on_open, on_close);
  XML_SetEntityDeclHandler(r.parser, on_entity);
  bool good = parse(&r, text, size);
  XML_ParserFree(r.parser);
  if (good && !r.t->gpus.count)
    good = nccl_topology_fail(&r, "the topology has no GPU");
  return good && resolve(&r) ? r.t : NULL;
}
