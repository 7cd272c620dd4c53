#include "runtime/study/spread.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "runtime/account/run.h"
#include "runtime/play/play.h"

/* "0.02" or "2%" at *at, up to `end`. */
static bool spread_number(const char **at, double *value)
{
  char *end;
  *value = strtod(*at, &end);
  if (end == *at || !(*value >= 0) || !isfinite(*value))
    return false;
  if (*end == '%') {
    *value /= 100;
    end++;
  }
  *at = end;
  return true;
}

const char *ts_jitter_parse(const char *text, ts_jitter *j)
{
  *j = (ts_jitter){.slow = 1};
  enum { TERMS = 5 };
  const struct term { const char *name; double *value;
  } terms[TERMS] = {{"lognormal:", &j->lognormal},
                    {"normal:", &j->normal},
                    {"exponential:", &j->exponential},
                    {"slow:", &j->slow_share},
                    {"network:", &j->network}};
  for (const char *at = text;; at++) {
    size_t t = 0;
    while (t < TERMS && strncmp(at, terms[t].name, strlen(terms[t].name)) != 0)
      t++;
    if (t == TERMS)
      return "a term is lognormal:SIGMA, normal:SIGMA, exponential:MEAN, slow:SHARE:FACTOR or "
             "network:SIGMA";
    at += strlen(terms[t].name);
    if (!spread_number(&at, terms[t].value) || *terms[t].value > 1)
      return "sigma, mean and share are from 0 to 1, or 0% to 100%";
    if (t == 3 &&
        (*at++ != ':' || !spread_number(&at, &j->slow) || !(j->slow >= 0.001 && j->slow <= 1000)))
      return "slow ranks have a share and a factor from 0.001 to 1000, as in slow:1%:1.5";
    if (!*at)
      return NULL;
    if (*at != ',')
      return "terms are separated by commas";
  }
}

/* Four numbers in (0, 1). */
static void uniform(const char *seed, uint32_t repetition, uint32_t rank, double out[4])
{
  uint8_t text[256 + 8] = {0}, digest[TS_DIGEST_SIZE];
  size_t length = strlen(seed) < 256 ? strlen(seed) : 256;
  memcpy(text, seed, length);
  for (int i = 0; i < 4; i++) {
    text[length + i] = (uint8_t)(repetition >> 8 * i);
    text[length + 4 + i] = (uint8_t)(rank >> 8 * i);
  }
  ts_digest_bytes(text, length + 8, digest);
  for (int k = 0; k < 4; k++) {
    uint64_t bits = 0;
    for (int i = 0; i < 8; i++)
      bits |= (uint64_t)digest[8 * k + i] << 8 * i;
    out[k] = ((double)(bits >> 12) + 0.5) * 0x1p-52;
  }
}

/* Factors are whole parts of so many, as ranks that are as fast are played once. Parts are a
 * twentieth of the least spread, so that none is rounded away, and a thousandth at most. */
static double parts(const ts_jitter *j)
{
  const double spreads[] = {j->lognormal, j->normal, j->exponential,
                            j->slow_share > 0 ? fabs(j->slow - 1) : 0};
  double min = 0.02;
  for (size_t i = 0; i < sizeof spreads / sizeof *spreads; i++)
    if (spreads[i] > 0)
      min = fmin(min, spreads[i]);
  return ceil(20 / fmax(min, 1e-9) - 1e-6);
}

double ts_jitter_draw(const ts_jitter *j, const char *seed, uint32_t repetition, uint32_t rank)
{
  double u[4];
  uniform(seed, repetition, rank, u);
  double z = sqrt(-2 * log(u[0])) * cos(2 * acos(-1) * u[1]); /* Box and Muller, 1958 */
  double factor = exp(j->lognormal * z - j->lognormal * j->lognormal / 2) *
                  fmax(0.1, 1 + j->normal * z) * (1 - j->exponential * log(u[2]));
  if (u[3] < j->slow_share)
    factor *= j->slow;
  double whole = parts(j);
  return fmax(round(factor * whole), whole / 1000) / whole;
}

double ts_jitter_call(const ts_jitter *j, const char *seed, uint32_t repetition, uint32_t call)
{
  double u[4];
  uniform(seed, repetition, ~call, u); /* ranks are far below */
  double z = sqrt(-2 * log(u[0])) * cos(2 * acos(-1) * u[1]);
  return exp(j->network * z - j->network * j->network / 2);
}

static int ascending(const void *x, const void *y)
{
  uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;
  return a < b ? -1 : a > b;
}

static bool repeat(const ts_prepared *usual, const ts_run_options *options, uint64_t *step,
                   ts_stop *stop)
{
  ts_arena *arena = ts_arena_new("repetition");
  ts_prepared p;
  const ts_facts *facts = ts_run_prepare_again(arena, usual, options, &p, stop) ?
                            ts_run_play(arena, &p, options, 0, stop) :
                            NULL;
  if (facts)
    *step = facts->end;
  ts_arena_free(arena);
  return facts != NULL;
}

const ts_spread *ts_spread_new(ts_arena *arena, const ts_ir *ir, const ts_run_options *options,
                               const ts_jitter *jitter, const char *seed, uint32_t repetitions,
                               ts_stop *stop)
{
  ts_spread *spread = TS_NEW(arena, ts_spread);
  uint64_t *steps = TS_NEW_ARRAY(arena, uint64_t, repetitions);
  ts_arena *scratch = ts_arena_new("spread");
  double *slower = TS_NEW_ARRAY(scratch, double, ir->meta->world), squares = 0;
  ts_run_options varied = *options;
  uint32_t calls = ir->collectives_count + ir->ports_count;
  double *transfer = TS_NEW_ARRAY(scratch, double, calls);
  varied.slower = slower;
  varied.transfer = jitter->network > 0 ? transfer : options->transfer;
  varied.progress = NULL; /* reports repetitions instead */
  ts_prepared usual;
  bool good = ts_run_prepare(scratch, ir, options, &usual, stop);
  for (uint32_t i = 0; i < repetitions && good; i++) {
    if (!ts_tick(options->progress, "repetitions", (double)i / repetitions)) {
      ts_stop_interrupted(stop);
      good = false;
      break;
    }
    for (uint32_t r = 0; r < ir->meta->world; r++)
      slower[r] = ts_jitter_draw(jitter, seed, i, r);
    for (uint32_t c = 0; jitter->network > 0 && c < calls; c++)
      transfer[c] =
        ts_jitter_call(jitter, seed, i, c) * (options->transfer ? options->transfer[c] : 1);
    good = repeat(&usual, &varied, &steps[i], stop);
    spread->mean += (double)steps[i] / repetitions;
  }
  ts_arena_free(scratch);
  if (!good)
    return NULL;
  for (uint32_t i = 0; i < repetitions; i++)
    squares += ((double)steps[i] - spread->mean) * ((double)steps[i] - spread->mean);
  spread->deviation = repetitions > 1 ? sqrt(squares / (repetitions - 1)) : 0;
  if (repetitions)
    qsort(steps, repetitions, sizeof *steps, ascending);
  spread->seed = seed;
  spread->count = repetitions;
  spread->steps = steps;
  return spread;
}

uint64_t ts_percentile(const ts_spread *spread, double share)
{
  double at = share * (spread->count - 1);
  uint32_t i = (uint32_t)at, next = i + 1 < spread->count ? i + 1 : i;
  return spread->steps[i] +
         (uint64_t)llround((at - i) * (double)(spread->steps[next] - spread->steps[i]));
}
