/* topology("system.xml"): a node as a collective library sees it, as a record of numbers and lists,
 * for a cluster of the library to be made of. */
#include "compiler/machine/topology.h"

#include <string.h>

#include "compiler/eval/files.h"
#include "compiler/eval/report.h"
#include "compiler/machine/nccl_topology.h"

typedef struct topology_lister {
  const ts_builtin_call *c;
  TS_VEC(ts_value) rows;
  TS_VEC(ts_field) fields;
} topology_lister;

static ts_value topology_number(const topology_lister *l, int64_t n)
{
  return ts_int_value(n, l->c->span);
}
static ts_value rate(const topology_lister *l, double bytes)
{
  return ts_quantity_value(8 * bytes, TS_DIM_RATE, l->c->span);
}

static void topology_add_row(topology_lister *l, ts_value a, ts_value b, ts_value c)
{
  ts_value *row = TS_NEW_ARRAY(l->c->s->arena, ts_value, 3);
  row[0] = a;
  row[1] = b;
  row[2] = c;
  TS_PUSH(l->c->s->arena, &l->rows, ts_list_value(l->c->s->arena, row, 3, l->c->span));
}

static void add_field(topology_lister *l, const char *name, ts_value value)
{
  ts_value *kept = TS_NEW(l->c->s->arena, ts_value);
  *kept = value;
  TS_PUSH(l->c->s->arena, &l->fields,
          (ts_field){ts_lang_intern(l->c->s->lang, name, strlen(name)), kept, l->c->span});
}

static void end_list(topology_lister *l, const char *name)
{
  add_field(
    l, name,
    ts_list_value(l->c->s->arena,
                  ts_arena_copy(l->c->s->arena, l->rows.at, l->rows.count * sizeof *l->rows.at),
                  (uint32_t)l->rows.count, l->c->span));
  l->rows.count = 0;
}

/* What joins a GPU to its part: PCIe, or the direct link to the processor where that is it. */
static double rate_of(const ts_topology *t, uint32_t gpu)
{
  for (size_t i = 0; i < t->direct.count; i++)
    if (t->direct.at[i].from == gpu && t->direct.at[i].to == t->gpus.at[gpu].part)
      return t->direct.at[i].rate;
  return t->gpus.at[gpu].rate;
}

static ts_value record_of(const ts_builtin_call *c, const ts_topology *t)
{
  topology_lister l = {.c = c};
  add_field(&l, "gpus", topology_number(&l, (int64_t)t->gpus.count));
  add_field(&l, "parts", topology_number(&l, t->part_count));
  add_field(&l, "sm", topology_number(&l, t->gpus.at[0].sm));
  for (size_t i = 0; i < t->processors.count; i++)
    TS_PUSH(c->s->arena, &l.rows, topology_number(&l, t->processors.at[i]));
  end_list(&l, "processors");
  for (size_t i = 0; i < t->links.count; i++)
    topology_add_row(&l, topology_number(&l, t->links.at[i].from),
                     topology_number(&l, t->links.at[i].to), rate(&l, t->links.at[i].rate));
  end_list(&l, "links");
  for (size_t i = 0; i < t->gpus.count; i++)
    topology_add_row(&l, topology_number(&l, (int64_t)i), topology_number(&l, t->gpus.at[i].part),
                     rate(&l, rate_of(t, (uint32_t)i)));
  end_list(&l, "gpu_links");
  for (size_t i = 0; i < t->nvlinks.count; i++)
    if (t->nvlinks.at[i].other >= 0)
      topology_add_row(&l, topology_number(&l, t->nvlinks.at[i].gpu),
                       topology_number(&l, t->nvlinks.at[i].other),
                       topology_number(&l, t->nvlinks.at[i].count));
  end_list(&l, "pairs");
  for (size_t i = 0; i < t->nvlinks.count; i++)
    if (t->nvlinks.at[i].other < 0)
      topology_add_row(&l, topology_number(&l, t->nvlinks.at[i].gpu), topology_number(&l, 0),
                       topology_number(&l, t->nvlinks.at[i].count));
  end_list(&l, "switched");
  for (size_t i = 0; i < t->nets.count; i++)
    topology_add_row(&l, topology_number(&l, t->nets.at[i].part), topology_number(&l, (int64_t)i),
                     rate(&l, t->nets.at[i].rate));
  end_list(&l, "nets");
  ts_record *record = TS_NEW(c->s->arena, ts_record);
  *record = (ts_record){.count = (uint32_t)l.fields.count, .at = l.fields.at};
  return (ts_value){.type = TS_T_RECORD, .span = c->span, .u.record = record};
}

ts_value ts_builtin_topology(const ts_builtin_call *c)
{
  const char *file = c->arg[0].u.string;
  ts_found found;
  size_t size;
  ts_error error;
  char *text =
    ts_session_read(c->s, c->arg[0].span.file, file, "topology", c->arg[0].span, &size, &found);
  if (!text)
    return ts_error_value();
  const ts_topology *t = ts_topology_read(c->s->arena, text, size, &error);
  if (t)
    return record_of(c, t);
  ts_diag *d = ts_report(c->s, TS_E0502, c->arg[0].span, "topology `%s` cannot be used", file);
  ts_diag_here(d, "%s", ts_error_words(c->s->arena, &error));
  return ts_error_value();
}
