/* Why a work item stands where it stands: what placed it, what it waits for and by which clause,
 * and what waits for it. */
#include <stdlib.h>
#include <string.h>

#include "compiler/schedule/stage.h"

/* number: micro-batch, chunk; last: where */
typedef struct item_name { ts_work_kind kind; uint32_t number[3]; uint32_t count; } item_name;

static const char *skip(const char *at) { return at + strspn(at, " \t"); }

static bool explain_number(const char **at, uint32_t *n)
{
  char *end;
  *at = skip(*at);
  if (**at < '0' || **at > '9')
    return false;
  unsigned long value = strtoul(*at, &end, 10);
  *n = value < TS_NO_INDEX ? (uint32_t)value : TS_NO_INDEX;
  *at = skip(end);
  return true;
}

/* "F(3) at 2", "F(3, 1) at 2", "S at 2" or "S(3) at 2". */
static bool read_name(const char *text, item_name *name)
{
  int k = 0;
  text = skip(text);
  while (k < TS_WORK_KINDS && *ts_work_letter((ts_work_kind)k) != *text)
    k++;
  if (k == TS_WORK_KINDS)
    return false;
  *name = (item_name){.kind = (ts_work_kind)k};
  text = skip(text + 1);
  if (*text == '(') {
    do {
      text++;
      if (name->count == 2 || !explain_number(&text, &name->number[name->count++]))
        return false;
    } while (*text == ',');
    if (*text++ != ')')
      return false;
  }
  text = skip(text);
  if (text[0] != 'a' || text[1] != 't')
    return false;
  text += 2;
  return explain_number(&text, &name->number[name->count]) && !*text &&
         (name->kind == TS_STEP ? name->count < 2 : name->count > 0);
}

static uint32_t explain_find(const ts_schedule *sc, const item_name *name)
{
  uint32_t where = name->number[name->count];
  if (name->kind == TS_STEP && name->count)
    return ts_schedule_step(sc, where, name->number[0]);
  if (name->kind == TS_STEP)
    return where < sc->ranks ? sc->order[where].first + sc->order[where].count - 1 : TS_NO_INDEX;
  if (name->count == 2)
    where = where < sc->ranks && name->number[1] < sc->chunks ?
              sc->stage_of[where * sc->chunks + name->number[1]] :
              TS_NO_INDEX;
  if (where >= sc->stages)
    return TS_NO_INDEX;
  return ts_schedule_find(sc, name->kind, where, name->number[0]);
}

static const char *explain_place(ts_session *s, ts_span span)
{
  if (!span.file)
    return "no file";
  ts_position at = ts_sources_position(s->sources, span.file, span.begin);
  const ts_source *source = ts_sources_get(s->sources, span.file);
  const char *begin = source->text + span.begin, *end = memchr(begin, '\n', span.end - span.begin);
  int length = (int)(end ? end - begin : (long)(span.end - span.begin));
  return ts_arena_printf(s->arena, "%s:%u:%u: %.*s", source->name, at.line, at.column, length,
                         begin);
}

static const char *wait_line(ts_session *s, const ts_schedule *sc, const char *head, uint32_t other,
                             const ts_wait *wait)
{
  const char *clause = wait->clause.file ? explain_place(s, wait->clause) : wait->name;
  const char *some = wait->some ? ts_arena_printf(s->arena, ", any %u of these", wait->some) : "";
  return ts_arena_printf(s->arena, "  %-12s %s  by clause `%s`%s%s%s\n", head,
                         ts_placed_name(s, sc, other), wait->name, some,
                         wait->clause.file ? ", " : "", wait->clause.file ? clause : "");
}

static const char *neighbours(ts_session *s, const ts_schedule *sc, uint32_t item, uint32_t rank)
{
  const char *text = "";
  uint32_t first = sc->order[rank].first, last = first + sc->order[rank].count - 1;
  if (item > first && sc->items.at[item - 1].paired)
    text = ts_arena_printf(s->arena, "%s  %-12s %s\n", text, "overlaps",
                           ts_placed_name(s, sc, item - 1));
  else if (item > first)
    text = ts_arena_printf(s->arena, "%s  %-12s %s\n", text, "comes after",
                           ts_placed_name(s, sc, item - 1));
  if (item < last)
    text = ts_arena_printf(s->arena, "%s  %-12s %s\n", text,
                           sc->items.at[item].paired ? "overlaps" : "comes before",
                           ts_placed_name(s, sc, item + 1));
  return text;
}

/* Clauses that speak of this kind of work and were changed. */
static const char *changes(ts_session *s, const ts_schedule *sc, ts_work_kind kind)
{
  const char *out = "", *letter = ts_work_letter(kind);
  for (size_t i = 0; i < sc->changes.count; i++) {
    const ts_clause_change *c = &sc->changes.at[i];
    bool speaks =
      c->before &&
      (!strcmp(ts_ast_item(c->before)->name, letter) ||
       (c->before->kind != TS_AST_SLOW && !strcmp(ts_ast_other(c->before)->name, letter)));
    if (!c->before)
      speaks = !strcmp(c->name, "activations") ? kind == TS_FORWARD :
               !strcmp(c->name, "gradients")   ? kind == TS_BACKWARD || kind == TS_INPUT_GRADIENT :
                                                 kind == TS_STEP;
    if (speaks)
      out = ts_arena_printf(s->arena, "%s  %-12s clause `%s`, %s%s%s\n", out,
                            c->after ? "replaced" : "removed", c->name, explain_place(s, c->span),
                            c->before ? "; was " : "",
                            c->before ? explain_place(s, c->before->span) : "");
  }
  return out;
}

const char *ts_schedule_explain(ts_session *s, const ts_schedule *sc, const char *text)
{
  item_name name;
  if (!read_name(text, &name))
    return NULL;
  uint32_t item = explain_find(sc, &name);
  if (item == TS_NO_INDEX) {
    ts_diag *d = ts_diag_add(s->diags, TS_E0401, sc->span, "the schedule has no %s", text);
    ts_diag_here(d, "%u ranks, %u chunks each, %u micro-batches", sc->ranks, sc->chunks,
                 sc->micro_batches);
    ts_diag_note(d, "`F(3) at 2` is at stage 2; `F(3, 1) at 2` is chunk 1 of rank 2");
    return NULL;
  }
  const ts_placed *p = &sc->items.at[item];
  uint32_t rank = ts_schedule_rank(sc, item), other;
  const char *out =
    ts_arena_printf(s->arena, "%s: item %u of %u on rank %u", ts_placed_name(s, sc, item),
                    item - sc->order[rank].first + 1, sc->order[rank].count, rank);
  if (p->kind != TS_STEP)
    out = ts_arena_printf(
      s->arena, "%s, stage %u%s", out, p->stage % sc->parts,
      sc->copies > 1 ? ts_arena_printf(s->arena, " of copy %u", p->stage / sc->parts) : "");
  out = ts_arena_printf(s->arena, "%s\n  %-12s %s\n%s", out, "placed by", explain_place(s, p->span),
                        neighbours(s, sc, item, rank));
  if (p->slowed)
    out = ts_arena_printf(s->arena, "%s  %-12s %g times as long by clause `%s`, %s\n", out, "takes",
                          sc->slowed.at[p->slowed - 1].by,
                          sc->slowed.at[p->slowed - 1].clause->name ?
                            sc->slowed.at[p->slowed - 1].clause->name :
                            "slow",
                          explain_place(s, sc->slowed.at[p->slowed - 1].clause->span));
  ts_wait wait;
  for (uint32_t k = 0; (other = ts_waits_for(sc, sc->built, item, k, &wait)) != TS_NO_INDEX; k++)
    out = ts_arena_printf(s->arena, "%s%s", out, wait_line(s, sc, "waits for", other, &wait));
  for (uint32_t i = 0; i < sc->items.count; i++)
    for (uint32_t k = 0; (other = ts_waits_for(sc, sc->built, i, k, &wait)) != TS_NO_INDEX; k++)
      if (other == item)
        out = ts_arena_printf(s->arena, "%s%s", out, wait_line(s, sc, "awaited by", i, &wait));
  return ts_arena_printf(s->arena, "%s%s", out, changes(s, sc, p->kind));
}
