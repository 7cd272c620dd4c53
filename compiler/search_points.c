/* The plans of a search: rows of numbers, which say of each column which of its values it is.
 * Values stand once, so one of a million plans takes a few bytes. */
#include "compiler/eval/files.h"
#include "compiler/eval/options.h"
#include "compiler/search_internal.h"

#include <string.h>

enum { PAGE = 1 << 12 /* plans */, ENOUGH = 1 << 20 /* of a comparison of two values */ };

static const uint32_t *search_points_row_of(const ts_searcher *v, size_t point)
{
  return v->pages.at[point / PAGE] + point % PAGE * v->search->column_count;
}

static const ts_search_choice *choice_at(const ts_search *search, size_t point, uint32_t column)
{
  const ts_searcher *v = search->searcher;
  return &v->choices[column].all.at[search_points_row_of(v, point)[column]];
}

const char *ts_search_text_at(const ts_search *search, size_t point, uint32_t column)
{
  return choice_at(search, point, column)->text;
}

const ts_value *ts_search_value_at(const ts_search *search, size_t point, uint32_t column)
{
  return &choice_at(search, point, column)->value;
}

const ts_define *ts_search_defines_at(const ts_search *search, size_t point, ts_arena *arena,
                                      uint32_t *count)
{
  const ts_searcher *v = search->searcher;
  uint32_t given = v->s->options->define_count;
  ts_define *defines = TS_NEW_ARRAY(arena, ts_define, given + search->column_count + 1);
  if (given)
    memcpy(defines, v->s->options->defines, given * sizeof *defines);
  for (uint32_t c = 0; c < search->column_count; c++)
    if (!v->choices[c].pinned)
      defines[given++] = (ts_define){search->columns[c], ts_search_text_at(search, point, c)};
  *count = given;
  return defines;
}

/* ---- What passes ---- */

ts_search_passing ts_search_pass(ts_searcher *v, ts_arena *arena)
{
  ts_search_passing before = {v->s->arena, v->s->files->reads};
  v->s->arena = arena;
  return before;
}

/* What was read of a file stays, too. */
void ts_search_passed(ts_searcher *v, ts_search_passing before)
{
  v->keeps |= v->s->files->reads != before.reads;
  if (!v->keeps)
    ts_arena_reset(v->s->arena);
  v->s->arena = before.outer;
}

/* ---- New ones ---- */

typedef struct search_points_wanted {
  const ts_search_choices *among;
  const ts_given *given;
} search_points_wanted;

/* Values without an exact text may differ where their texts do not. */
static bool search_points_same(const void *closure, uint32_t number)
{
  const search_points_wanted *w = closure;
  const ts_search_choice *c = &w->among->all.at[number];
  ts_budget budget = {.left = ENOUGH};
  return !strcmp(c->text, w->given->text) && ts_value_equal(c->value, w->given->value, &budget) &&
         budget.left;
}

/* Those that point to other values are not copied: what their values are made of stays. */
static bool is_plain(const ts_value *value)
{
  switch (value->type) {
  case TS_T_INT: case TS_T_REAL: case TS_T_BOOL: case TS_T_STRING: case TS_T_LABEL: case TS_T_WORD:
  case TS_T_QUANTITY: case TS_T_DTYPE: return true;
  default: return false;
  }
}

static uint32_t choice_of(ts_searcher *v, uint32_t column)
{
  ts_search_choices *among = &v->choices[column];
  const ts_given *given = &v->given[column];
  uint32_t hash = ts_hash_bytes(given->text, strlen(given->text)),
           found = ts_hash_find(&among->by_text, hash, search_points_same,
                                &(search_points_wanted){among, given});
  if (found != TS_HASH_NONE)
    return found;
  ts_arena *arena = v->s->lasting;
  found = (uint32_t)among->all.count;
  v->keeps |= !is_plain(&given->value);
  TS_PUSH(arena, &among->all,
          ((ts_search_choice){ts_arena_string(arena, given->text, strlen(given->text)),
                              given->value}));
  ts_hash_add(arena, &among->by_text, hash, found);
  return found;
}

const int64_t *ts_search_places(const ts_search *search, size_t point)
{
  return search->searcher->places.at + point * search->column_count;
}

static void note_places(ts_searcher *v)
{
  size_t columns = v->search->column_count, first = v->search->point_count * columns;
  while (v->places.count < first + columns)
    TS_PUSH(v->s->lasting, &v->places, 0);
  for (size_t c = 0; c < columns; c++)
    v->places.at[first + c] = v->given[c].place;
}

void ts_search_put_point(ts_searcher *v)
{
  ts_search *search = v->search;
  uint32_t columns = search->column_count;
  if (search->point_count == v->pages.count * PAGE)
    TS_PUSH(v->s->lasting, &v->pages,
            TS_NEW_ARRAY(v->s->lasting, uint32_t, PAGE * (size_t)(columns ? columns : 1)));
  uint32_t *row = v->pages.at[search->point_count / PAGE] + search->point_count % PAGE * columns;
  for (uint32_t c = 0; c < columns; c++) {
    if (v->given[c].choice == TS_SEARCH_NO_CHOICE)
      v->given[c].choice = choice_of(v, c);
    row[c] = v->given[c].choice;
  }
  if (v->draw)
    note_places(v);
  search->point_count++;
}
