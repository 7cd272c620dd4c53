#include "runtime/play/slowdown.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/source.h"
#include "base/table.h"
#include "ir/ir.h"
#include "runtime/play/slowdown_learned.h"

/* What an H800 gives to communication (20 of 132 processors, DeepSeek-V3 technical report, section
 * 3.2.2); each byte is read and written once. */
const ts_slowdown ts_slowdown_physical = {
  .kind = TS_SLOWDOWN_PHYSICAL, .slow = {1, 1}, .sms = 20.0 / 132, .traffic = 2};

const ts_slowdown ts_slowdown_nothing = {.kind = TS_SLOWDOWN_CONSTANT, .slow = {1, 1}};

static const char *const kind_names[] = {"constant", "table", "physical",
                                                          "learned"};
TS_TABLE(kind_names, TS_SLOWDOWN_KINDS);

const char *ts_slowdown_kind_name(ts_slowdown_kind kind) { return kind_names[kind]; }

/* ---- Prediction ---- */

static bool slowdown_fits(const char *pattern, const char *name)
{
  return strcmp(pattern, "*") == 0 || strcmp(pattern, name) == 0;
}

static ts_slowdowns by_physics(const ts_slowdown *m, const ts_pair *p)
{
  double memory = fmin(1, p->bytes / (p->time * p->bandwidth));
  double transfer = m->traffic * p->transfer_bytes / (p->transfer_time * p->bandwidth);
  if (isnan(memory)) /* not known: bound by the processors if it computes at all */
    memory = p->flops > 0 ? 0 : 1;
  if (isnan(transfer))
    transfer = 0;
  transfer = fmin(1, transfer);
  double crowd = fmax(1, memory + transfer), room = 1 - m->sms;
  /* a kernel that leaves room for the transfer's processors anyway is not */
  double squeezed = isnan(p->sms) ? 1 / room : fmax(1, fmin(1, p->sms) / room);
  return (ts_slowdowns){(1 - memory) * squeezed + memory * crowd, 1 + transfer * (crowd - 1)};
}

static ts_slowdowns by_table(const ts_slowdown *m, const ts_pair *p)
{
  for (uint32_t i = 0; i < m->row_count; i++)
    if (slowdown_fits(m->rows[i].family, p->family) &&
        slowdown_fits(m->rows[i].transfer, p->transfer))
      return m->rows[i].slow;
  return m->slow_stated ? m->slow : by_physics(m, p);
}

static double sane(double factor) { return factor > 1 ? fmin(factor, 100) : 1; }

ts_slowdowns ts_slowdown_of(const ts_slowdown *m, const ts_pair *p)
{
  ts_slowdowns s = m->kind == TS_SLOWDOWN_TABLE    ? by_table(m, p) :
                   m->kind == TS_SLOWDOWN_PHYSICAL ? by_physics(m, p) :
                                                     m->slow;
  return (ts_slowdowns){sane(s.compute), sane(s.transfer)};
}

const char *ts_slowdown_predict(ts_arena *arena, const ts_slowdown *m, const ts_pair *pairs,
                                uint32_t count, ts_slowdowns *out)
{
  if (m->kind == TS_SLOWDOWN_LEARNED) {
    const char *wrong = ts_learned_predict(arena, m, pairs, count, out);
    for (uint32_t i = 0; i < count && !wrong; i++)
      out[i] = (ts_slowdowns){sane(out[i].compute), sane(out[i].transfer)};
    return wrong;
  }
  for (uint32_t i = 0; i < count; i++)
    out[i] = ts_slowdown_of(m, &pairs[i]);
  return NULL;
}

/* ---- Files: a line each of `slowdown 1`, `model KIND`, `sms X`, `traffic X`, `slow COMPUTE
 * TRANSFER`, `pair FAMILY TRANSFER COMPUTE TRANSFER` ---- */

static bool factor(const char *text, double min, double max, double *value)
{
  char *end;
  if (!text)
    return false;
  *value = strtod(text, &end);
  return end != text && !*end && *value >= min && *value <= max;
}

typedef struct slowdown_reader {
  ts_arena *arena;
  ts_slowdown *out;
  TS_VEC(ts_slowdown_row) rows;
  const char *learned[2];
  bool headed, named;
} slowdown_reader;

static const char *read_line(slowdown_reader *r, char *line)
{
  char *words[6] = {0}, *save = NULL;
  uint32_t n = 0;
  for (char *word = strtok_r(line, " \t\r", &save); word && n < 6;
       word = strtok_r(NULL, " \t\r", &save))
    words[n++] = word;
  ts_slowdown *m = r->out;
  if (!n || *words[0] == '#')
    return NULL;
  if (!r->headed) {
    r->headed = n == 2 && strcmp(words[0], "slowdown") == 0 && strcmp(words[1], "1") == 0;
    return r->headed ? NULL : "the first line is not `slowdown 1`";
  }
  if (strcmp(words[0], "model") == 0 && n == 2) {
    uint32_t k = 0;
    while (k < TS_SLOWDOWN_KINDS && strcmp(kind_names[k], words[1]) != 0)
      k++;
    m->kind = (ts_slowdown_kind)k;
    r->named = true;
    return k < TS_SLOWDOWN_KINDS ? NULL : "the model must be constant, table, physical or learned";
  }
  if (strcmp(words[0], "sms") == 0 && n == 2)
    return factor(words[1], 0, 0.95, &m->sms) ? NULL : "`sms` is a share from 0 to 0.95";
  if (strcmp(words[0], "traffic") == 0 && n == 2)
    return factor(words[1], 0, 100, &m->traffic) ? NULL : "`traffic` is a factor from 0 to 100";
  if (strcmp(words[0], "slow") == 0 && n == 3) {
    m->slow_stated = true;
    return factor(words[1], 1, 100, &m->slow.compute) &&
               factor(words[2], 1, 100, &m->slow.transfer) ?
             NULL :
             "`slow` takes two factors from 1 to 100";
  }
  if (strcmp(words[0], "learned") == 0 && (n == 2 || n == 3)) {
    r->learned[0] = ts_arena_printf(r->arena, "%s", words[1]);
    r->learned[1] = n == 3 ? ts_arena_printf(r->arena, "%s", words[2]) : NULL;
    return NULL;
  }
  if (strcmp(words[0], "pair") == 0 && n == 5) {
    ts_slowdown_row row = {
      ts_arena_printf(r->arena, "%s", words[1]), ts_arena_printf(r->arena, "%s", words[2]), {1, 1}};
    if (!factor(words[3], 1, 100, &row.slow.compute) ||
        !factor(words[4], 1, 100, &row.slow.transfer))
      return "`pair` takes a family, a transfer and two factors from 1 to 100";
    TS_PUSH(r->arena, &r->rows, row);
    return NULL;
  }
  return ts_arena_printf(r->arena, "`%s` is not expected here", words[0]);
}

const char *ts_slowdown_read(ts_arena *arena, const char *text, size_t size, ts_slowdown *out)
{
  slowdown_reader r = {.arena = arena, .out = out};
  uint32_t number = 0;
  *out = ts_slowdown_physical;
  for (const char *end = text + size; text < end;) {
    const char *newline = memchr(text, '\n', (size_t)(end - text));
    size_t length = (size_t)((newline ? newline : end) - text);
    const char *wrong = memchr(text, 0, length) ?
                          "a byte of 0: this is no text" :
                          read_line(&r, ts_arena_string(arena, text, length));
    number++;
    if (wrong)
      return ts_arena_printf(arena, "line %u: %s", number, wrong);
    text += length + (newline != NULL);
  }
  out->rows = TS_ITEMS(arena, &r.rows);
  out->row_count = (uint32_t)r.rows.count;
  out->learned = ts_arena_copy(arena, r.learned, sizeof r.learned);
  return !r.named                                          ? "no line `model KIND`" :
         out->kind == TS_SLOWDOWN_LEARNED && !r.learned[0] ? "no line `learned FILE`" :
                                                             NULL;
}

/* Up to two numbers after "name", each behind a colon. How many, or -1. */
static int numbers(const char *text, const char *name, double out[2])
{
  size_t length = strlen(name);
  char *end;
  int n = 0;
  if (strncmp(text, name, length) != 0)
    return -1;
  for (text += length; *text == ':' && n < 2; text = end) {
    out[n++] = strtod(text + 1, &end);
    if (end == text + 1)
      return -1;
  }
  return *text ? -1 : n;
}

static bool is_learned(const char *path)
{
  const char *dot = strrchr(path, '.');
  return dot && (strcmp(dot, ".ubj") == 0 || strcmp(dot, ".json") == 0);
}

const char *ts_slowdown_open(ts_arena *arena, const char *text, const ts_slowdown **out)
{
  double x[2] = {1, 1};
  ts_slowdown *m = TS_NEW(arena, ts_slowdown);
  *out = m;
  if (strcmp(text, "none") == 0) {
    *out = NULL;
    return NULL;
  }
  if (strcmp(text, "turns") == 0) {
    *m = ts_slowdown_nothing;
    m->turns = true;
    return NULL;
  }
  if (numbers(text, "constant", x) > 0) {
    *m = (ts_slowdown){.kind = TS_SLOWDOWN_CONSTANT, .slow = {x[0], x[1]}};
    return x[0] >= 1 && x[0] <= 100 && x[1] >= 1 && x[1] <= 100 ? NULL :
                                                                  "factors are from 1 to 100";
  }
  x[0] = ts_slowdown_physical.sms, x[1] = ts_slowdown_physical.traffic;
  if (numbers(text, "physical", x) >= 0) {
    *m = (ts_slowdown){.kind = TS_SLOWDOWN_PHYSICAL, .sms = x[0], .traffic = x[1]};
    return x[0] >= 0 && x[0] <= 0.95 && x[1] >= 0 && x[1] <= 100 ?
             NULL :
             "the share of processors is from 0 to 0.95, the traffic from 0 to 100";
  }
  if (is_learned(text)) {
    const char *learned[2] = {text, NULL};
    *m = ts_slowdown_physical;
    m->kind = TS_SLOWDOWN_LEARNED;
    m->learned = ts_arena_copy(arena, learned, sizeof learned);
    m->file = learned[0];
    int unread = ts_digest_file(text, m->sha256);
    return unread ? ts_arena_printf(arena, "it cannot be read (%s)", strerror(unread)) :
                    ts_learned_look(arena, m);
  }
  int error = 0;
  size_t size;
  const char *file = ts_read_file(arena, text, &size, &error);
  if (!file)
    return ts_arena_printf(
      arena, "it must be none, turns, constant:FACTOR, physical or a readable file (%s)",
      strerror(error));
  const char *wrong = ts_slowdown_read(arena, file, size, m);
  if (!wrong && m->kind == TS_SLOWDOWN_LEARNED)
    wrong = ts_learned_look(arena, m);
  m->file = ts_arena_string(arena, text, strlen(text));
  ts_digest_bytes(file, size, m->sha256);
  return wrong;
}
