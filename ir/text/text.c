#include "ir/text/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
static bool digit(char c) { return c >= '0' && c <= '9'; }

size_t ts_ir_word_length(const char *text, size_t size)
{
  size_t n = 0;
  bool bracket = false;
  if (!size || !letter(text[0]))
    return 0;
  for (; n < size; n++) {
    char c = text[n], after = n + 1 < size ? text[n + 1] : 0;
    if (letter(c) || digit(c))
      continue;
    if (c == '['             ? bracket :
        c == ']' || c == ',' ? !bracket :
        c == '-'             ? after == '-' || after == '>' :
                               c == '.' && after == '.')
      break;
    if (!c || !strchr("[],.-/", c))
      break;
    if (c == '[' || c == ']')
      bracket = c == '[';
  }
  return bracket ? 0 : n; /* a bracket must close */
}

/* ---- quantities ---- */

ts_ir_spelling ts_ir_spell_plain(double value)
{
  ts_ir_spelling s;
  for (int digits = 6; digits <= 17; digits += digits < 15 ? 9 : 1) {
    snprintf(s.text, sizeof s.text, "%.*g", digits, value);
    if (strtod(s.text, NULL) == value)
      break;
  }
  return s;
}

/* In the unit that needs the fewest characters, the largest of those. */
ts_ir_spelling ts_ir_spell_real(double value, ts_ir_dimension dimension)
{
  ts_ir_spelling best = {""};
  size_t shortest = SIZE_MAX;
  for (const ts_ir_unit *u = ts_ir_units; u->name; u++) {
    if (u->dimension != dimension || (value < (double)u->scale && u->scale > 1))
      continue;
    ts_ir_spelling number = ts_ir_spell_plain(value / (double)u->scale);
    size_t length = strlen(number.text) + strlen(u->name);
    if (strtod(number.text, NULL) * (double)u->scale != value || length >= shortest)
      continue;
    snprintf(best.text, sizeof best.text, "%.40s %s", number.text, u->name);
    shortest = length;
  }
  return shortest == SIZE_MAX ? ts_ir_spell_plain(value) : best;
}

/* The largest unit that goes into it without rest. */
ts_ir_spelling ts_ir_spell_bytes(uint64_t bytes)
{
  ts_ir_spelling s;
  const ts_ir_unit *best = NULL;
  for (const ts_ir_unit *u = ts_ir_units; u->name; u++)
    if (u->dimension == TS_IR_BYTES && bytes % u->scale == 0 && (!best || u->scale > best->scale) &&
        (bytes || u->scale == 1))
      best = u;
  snprintf(s.text, sizeof s.text, "%llu %s", (unsigned long long)(bytes / best->scale), best->name);
  return s;
}

/* The largest unit that is not larger, with a decimal fraction: always exact. */
ts_ir_spelling ts_ir_spell_time(uint64_t ps)
{
  ts_ir_spelling s;
  const ts_ir_unit *u = ts_ir_units;
  while (u->dimension != TS_IR_TIME || (u->scale > ps && u->scale > 1))
    u++;
  char fraction[16] = "";
  uint64_t rest = ps % u->scale;
  if (rest) {
    int digits = 0;
    for (uint64_t scale = u->scale; scale > 1; scale /= 10)
      digits++;
    int length = snprintf(fraction, sizeof fraction, ".%0*llu", digits, (unsigned long long)rest);
    while (fraction[length - 1] == '0')
      fraction[--length] = 0;
  }
  snprintf(s.text, sizeof s.text, "%llu%s %s", (unsigned long long)(ps / u->scale), fraction,
           u->name);
  return s;
}

/* ---- symbols ---- */

typedef struct text_wanted {
  const ts_ir_symbols *symbols;
  uint32_t space;
  const char *name;
} text_wanted;

static bool same_symbol(const void *closure, uint32_t number)
{
  const text_wanted *w = closure;
  const ts_ir_symbol *y = &w->symbols->all.at[number];
  return y->space == w->space && !strcmp(y->name, w->name);
}

static uint32_t hash_name(uint32_t space, const char *name)
{
  return ts_hash_bytes(name, strlen(name)) + space;
}

ts_ir_symbol *ts_ir_find_symbol(ts_ir_symbols *s, uint32_t space, const char *name)
{
  uint32_t found =
    ts_hash_find(&s->table, hash_name(space, name), same_symbol, &(text_wanted){s, space, name});
  return found == TS_HASH_NONE ? NULL : &s->all.at[found];
}

ts_ir_symbol *ts_ir_symbol_of(ts_ir_symbols *s, uint32_t space, const char *name)
{
  ts_ir_symbol *found = ts_ir_find_symbol(s, space, name);
  if (found)
    return found;
  ts_hash_add(s->arena, &s->table, hash_name(space, name), (uint32_t)s->all.count);
  TS_PUSH(s->arena, &s->all,
          (ts_ir_symbol){ts_arena_string(s->arena, name, strlen(name)), space, TS_IR_NONE});
  return &s->all.at[s->all.count - 1];
}
