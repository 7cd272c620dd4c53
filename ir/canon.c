/* One order for one content: an IR built in any order becomes the same bytes. */
#include <stdlib.h>

#include "base/heap.h"
#include "ir/forms.h"
#include "ir/layout.h"

enum { MOST_TEXTS = 12 }; /* fields of a record that name strings and places */

typedef struct canon {
  const ts_ir *in;
  ts_ir_builder *out;
  uint32_t *new_string, *new_loc; /* by old index; TS_IR_NONE: not seen yet */
  /* of a run, by its old first: a run that many share is moved once */
  uint32_t *new_run[TS_IR_SECTION_KINDS];
  const ts_ir_field *texts[TS_IR_SECTION_KINDS][MOST_TEXTS + 1]; /* as they lie in the record */
} canon;

static uint32_t *unseen(uint32_t count)
{
  uint32_t *map = ts_heap_new(count, sizeof *map);
  memset(map, 0xff, (size_t)count * sizeof *map);
  return map;
}

static void add_text(const ts_ir_field **texts, const ts_ir_field *f)
{
  uint32_t count = 0;
  for (; texts[count]; count++)
    if (texts[count]->offset == f->offset)
      return; /* it has two spellings */
  for (; count && texts[count - 1]->offset > f->offset; count--)
    texts[count] = texts[count - 1];
  texts[count] = f;
}

static void find_texts(canon *c)
{
  for (const ts_ir_form *form = ts_ir_forms; form < ts_ir_forms + TS_IR_FORMS; form++)
    for (const ts_ir_field *f = form->fields; f->name; f++)
      if (ts_ir_target(f) == TS_IR_STRINGS || ts_ir_target(f) == TS_IR_LOCS)
        add_text(c->texts[form->kind], f);
}

static void canon_begin(canon *c, const ts_ir *in)
{
  *c = (canon){.in = in,
               .out = ts_ir_builder_new(),
               .new_string = unseen(in->strings_count),
               .new_loc = unseen(in->locs_count)};
  for (uint32_t r = 0; r < ts_ir_run_count; r++)
    if (!ts_ir_runs[r].own)
      c->new_run[ts_ir_runs[r].table] = unseen(ts_ir_count(in, ts_ir_runs[r].table));
  c->new_run[TS_IR_BINDINGS] = unseen(in->bindings_count);
  find_texts(c);
}

static void canon_end(canon *c)
{
  free(c->new_string);
  free(c->new_loc);
  for (uint32_t kind = 0; kind < TS_IR_SECTION_KINDS; kind++)
    free(c->new_run[kind]);
}

static uint32_t move_string(canon *c, uint32_t old)
{
  if (c->new_string[old] == TS_IR_NONE)
    c->new_string[old] = ts_ir_add_string(c->out, c->in->strings + old);
  return c->new_string[old];
}

static uint32_t move_loc(canon *c, uint32_t old)
{
  if (c->new_loc[old] == TS_IR_NONE)
    c->new_loc[old] = ts_ir_intern(c->out, TS_IR_LOCS, &c->in->locs[old]);
  return c->new_loc[old];
}

/* Moves the strings and places that records of `kind` use to the output, in the order of first use.
 * */
static void move_text(canon *c, uint32_t kind, void *records, uint32_t count)
{
  uint8_t *record = records;
  for (uint32_t i = 0; i < count; i++, record += ts_ir_tables[kind].record_size)
    for (const ts_ir_field **f = c->texts[kind]; *f; f++) {
      uint32_t *field = (uint32_t *)(void *)(record + (*f)->offset);
      if ((*f)->type != TS_IR_TYPE_LOC)
        *field = move_string(c, *field);
      else if (*field != TS_IR_NONE)
        *field = move_loc(c, *field);
    }
}

/* A copy of records with their text moved, to be freed by the caller. */
static void *copy_run(canon *c, uint32_t kind, uint32_t first, uint32_t count)
{
  size_t size = ts_ir_tables[kind].record_size;
  void *copy = ts_heap_new(count, size);
  if (count)
    memcpy(copy, ts_ir_records(c->in, kind) + size * first, size * count);
  move_text(c, kind, copy, count);
  return copy;
}

static void move_runs(canon *c, uint32_t kind, void *records, uint32_t count);

/* Appends a run that has one owner. */
static uint32_t move_own(canon *c, uint32_t kind, uint32_t first, uint32_t count)
{
  void *records = copy_run(c, kind, first, count), *at;
  move_runs(c, kind, records, count);
  uint32_t moved = ts_ir_append(c->out, kind, count, &at);
  if (count)
    memcpy(at, records, (size_t)count * ts_ir_tables[kind].record_size);
  free(records);
  return moved;
}

/* Moves a run that others may share, once. */
static uint32_t move_shared(canon *c, uint32_t kind, uint32_t first, uint32_t count)
{
  if (!count)
    return 0;
  uint32_t *moved = &c->new_run[kind][first];
  if (*moved == TS_IR_NONE) {
    void *records = copy_run(c, kind, first, count);
    move_runs(c, kind, records, count);
    *moved = ts_ir_intern_run(c->out, kind, records, count);
    free(records);
  }
  return *moved;
}

static void move_run(canon *c, const ts_ir_run_fields *run, uint8_t *record)
{
  uint32_t first, count;
  uint16_t few;
  memcpy(&first, record + run->first, sizeof first);
  memcpy(&few, record + run->count, sizeof few);
  memcpy(&count, record + run->count, sizeof count);
  count = run->count_size == sizeof few ? few : count;
  first = (run->own ? move_own : move_shared)(c, run->table, first, count);
  memcpy(record + run->first, &first, sizeof first);
}

/* The runs that copied records name go to the output, in the order of the records. */
static void move_runs(canon *c, uint32_t kind, void *records, uint32_t count)
{
  uint8_t *record = records;
  for (uint32_t i = 0; i < count; i++, record += ts_ir_tables[kind].record_size)
    for (uint32_t r = 0; r < ts_ir_run_count; r++)
      if (ts_ir_runs[r].kind == kind)
        move_run(c, &ts_ir_runs[r], record);
  ts_ir_item *items = records;
  for (uint32_t i = 0; kind == TS_IR_ITEMS && i < count; i++)
    items[i].first_binding = move_shared(c, TS_IR_BINDINGS, items[i].first_binding,
                                         c->in->fragments[items[i].fragment].port_count);
}

static void move_table(canon *c, uint32_t kind)
{
  void *records;
  uint32_t count = ts_ir_count(c->in, kind);
  if (!count)
    return;
  ts_ir_append(c->out, kind, count, &records);
  memcpy(records, ts_ir_records(c->in, kind), (size_t)count * ts_ir_tables[kind].record_size);
  move_text(c, kind, records, count);
  move_runs(c, kind, records, count);
}

/* Tables whose content follows from what others name. */
static bool moved_with_owner(uint32_t kind)
{
  bool moved =
    kind == TS_IR_STRINGS || kind == TS_IR_META || kind == TS_IR_LOCS || kind == TS_IR_BINDINGS;
  for (uint32_t r = 0; r < ts_ir_run_count; r++)
    moved |= ts_ir_runs[r].table == kind;
  return moved;
}

static ts_ir_builder *gather_runs(const ts_ir *in)
{
  canon c;
  canon_begin(&c, in);
  *ts_ir_builder_meta(c.out) = *in->meta;
  move_text(&c, TS_IR_META, ts_ir_builder_meta(c.out), 1);
  for (uint32_t kind = TS_IR_META; kind < TS_IR_SECTION_KINDS; kind++)
    if (!moved_with_owner(kind))
      move_table(&c, kind);
  canon_end(&c);
  return c.out;
}

/* Once the runs lie in their final order, text is numbered in that order. */
static ts_ir_builder *order_text(const ts_ir *in)
{
  canon c;
  canon_begin(&c, in);
  *ts_ir_builder_meta(c.out) = *in->meta;
  move_text(&c, TS_IR_META, ts_ir_builder_meta(c.out), 1);
  for (uint32_t kind = TS_IR_SOURCES; kind < TS_IR_SECTION_KINDS; kind++) {
    uint32_t count = ts_ir_count(in, kind);
    if (kind == TS_IR_LOCS || !count)
      continue;
    void *records;
    ts_ir_append(c.out, kind, count, &records);
    memcpy(records, ts_ir_records(in, kind), (size_t)count * ts_ir_tables[kind].record_size);
    move_text(&c, kind, records, count);
  }
  canon_end(&c);
  return c.out;
}

ts_ir_builder *ts_ir_canonical(const ts_ir *ir)
{
  ts_ir_builder *gathered = gather_runs(ir);
  ts_ir view;
  ts_ir_builder_view(gathered, &view);
  ts_ir_builder *ordered = order_text(&view);
  ts_ir_builder_free(gathered);
  return ordered;
}
