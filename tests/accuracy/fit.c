/* Parameters of a plan (launch times, factors) searched on the rows of a set that are not kept for
 * validation: coordinate descent with golden sections on the mean squared log error, so that twice
 * too long weighs as much as twice too short. Deterministic. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/accuracy/accuracy.h"

/* constant: `unit` is its text */
typedef struct knob {
  char *name;
  const char *unit;
  double value, least, most;
  bool constant;
} knob;
typedef struct search {
  const acc_context *c;
  const acc_set *set;
  acc_rows rows;
  knob knobs[12];
  uint32_t count, asked;
  const char *group;
} search;

static double quantity(const char *text, const char **unit)
{
  char *end;
  double x = strtod(text, &end);
  while (*end == ' ')
    end++;
  *unit = end;
  return x;
}

static void read_knobs(search *s, const char *parameters)
{
  char *copy = ts_arena_printf(s->c->arena, "%s", parameters), *save = NULL;
  for (char *part = strtok_r(copy, ",", &save); part && s->count < 12;
       part = strtok_r(NULL, ",", &save)) {
    knob *k = &s->knobs[s->count++];
    char *equals = strchr(part, '='), *inner = NULL;
    if (!equals) {
      s->count--;
      continue;
    }
    *equals = 0;
    k->name = part;
    char *start = strtok_r(equals + 1, ":", &inner), *least = strtok_r(NULL, ":", &inner),
         *most = strtok_r(NULL, ":", &inner);
    const char *unit;
    k->value = quantity(start ? start : "0", &k->unit);
    k->constant = k->unit == start;
    k->least = least ? quantity(least, &unit) : 0;
    k->most = most ? quantity(most, &unit) : 2 * k->value;
  }
}

static double loss(search *s)
{
  ts_define extra[12];
  ts_arena *arena = ts_arena_new("loss");
  double sum = 0;
  /* of a large set, every so many rows */
  size_t n = 0, candidate = 0, stride = (s->rows.count + 119) / 120;
  s->asked++;
  for (uint32_t i = 0; i < s->count; i++)
    extra[i] = (ts_define){s->knobs[i].name,
                           s->knobs[i].constant ?
                             s->knobs[i].unit :
                             ts_arena_printf(arena, "%.9g%s", s->knobs[i].value, s->knobs[i].unit)};
  for (size_t i = 0; i < s->rows.count; i++) {
    acc_row *r = &s->rows.at[i];
    if (r->validation || (s->group && strncmp(r->group, s->group, strlen(s->group))) ||
        candidate++ % stride)
      continue;
    acc_predict(s->c, s->set, r, extra, s->count);
    if (!r->done)
      continue;
    double e = log(r->predicted / r->measured);
    sum += e * e;
    n++;
  }
  ts_arena_free(arena);
  return n ? sqrt(sum / (double)n) : INFINITY;
}

static double at(search *s, knob *k, double value)
{
  k->value = value;
  return loss(s);
}

static double descend(search *s, knob *k, double best, double width)
{
  const double golden = 0.6180339887498949;
  double start = k->value, low = fmax(k->least, start - width), high = fmin(k->most, start + width);
  double a = high - golden * (high - low), b = low + golden * (high - low), fa = at(s, k, a),
         fb = at(s, k, b);
  for (int i = 0; i < 5; i++) {
    if (fa < fb) {
      high = b, b = a, fb = fa;
      a = high - golden * (high - low);
      fa = at(s, k, a);
    } else {
      low = a, a = b, fa = fb;
      b = low + golden * (high - low);
      fb = at(s, k, b);
    }
  }
  double found = fa < fb ? a : b, value = fmin(fa, fb);
  k->value = value < best ? found : start;
  return fmin(value, best);
}

int acc_fit(const acc_context *c, const acc_set *set, const char *group, const char *parameters)
{
  search s = {.c = c, .set = set, .group = group};
  if (!acc_read(c, set, &s.rows))
    return 4;
  read_knobs(&s, parameters);
  double best = loss(&s);
  printf("%s%s%s: root mean square log error %.4f at the start\n", set->name, group ? "/" : "",
         group ? group : "", best);
  for (int round = 0; round < 4; round++) {
    double before = best;
    for (uint32_t i = 0; i < s.count; i++)
      if (!s.knobs[i].constant)
        best = descend(&s, &s.knobs[i], best,
                       (s.knobs[i].most - s.knobs[i].least) / (round ? 4 * round : 2));
    printf("  round %d: %.4f  ", round + 1, best);
    for (uint32_t i = 0; i < s.count; i++)
      if (!s.knobs[i].constant)
        printf(" %s=%.4g%s", s.knobs[i].name, s.knobs[i].value, s.knobs[i].unit);
    printf("\n");
    fflush(stdout);
    if (best > before * 0.999)
      break;
  }
  return 0;
}
