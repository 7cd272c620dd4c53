/* Rows of ops/simumax_b200.csv as parameters of plans/simumax.ts. */
#include "tests/accuracy/simumax.h"

#include <ctype.h>
#include <string.h>

#define N(column) csv_number(t, i, column)
#define T(column) csv_cell(t, i, column)

/* Models whose sizes the plan has, by letters and digits. */
static const char *const known[] = {"llama370b", "llama3405b", "deepseekv2", "deepseekv3"};

static const char *plain(ts_arena *arena, const char *name)
{
  char *copy = ts_arena_printf(arena, "%s", name), *to = copy;
  for (const char *at = name; *at; at++)
    if (isalnum((unsigned char)*at))
      *to++ = (char)tolower((unsigned char)*at);
  *to = 0;
  return copy;
}

static bool is_known(const char *model)
{
  for (size_t k = 0; k < sizeof known / sizeof *known; k++)
    if (!strcmp(known[k], model))
      return true;
  return false;
}

static bool is_degree(double n) { return n >= 1; }

static const char *missing(const csv *t, size_t i, const char *model)
{
  if (!is_known(model))
    return "a model whose sizes are not known here";
  if (strcmp(T("precision"), "bf16") != 0)
    return "a precision that their tables have not";
  if (!is_degree(N("tp")) || !is_degree(N("cp")) || !is_degree(N("pp")) || !is_degree(N("layers")) ||
      !is_degree(N("seq")) || !is_degree(N("micro_batch")) || !is_degree(N("microbatches")))
    return "degrees or sizes not stated";
  return N("step_ms") > 0 ? NULL : "no measured step";
}

bool acc_simumax(const acc_context *c, const csv *t, size_t i, acc_row *row)
{
  const char *model = plain(c->arena, T("model"));
  row->measured = N("step_ms") / 1e3;
  row->memory = N("alloc_max_rank_gib") * 0x1p30;
  row->any_rank = true;
  row->group = model;
  row->name = T("case");
  row->validation = true;
  row->missing = missing(t, i, model);
  acc_define(c->arena, row, "model", ts_arena_printf(c->arena, "\"%s\"", model));
  acc_define(c->arena, row, "ep", *T("ep") ? T("ep") : "1");
  acc_define(c->arena, row, "chunks", *T("vp") ? T("vp") : "1");
  acc_define(c->arena, row, "fused_loss",
             csv_is(t, i, "fused_cross_entropy", "1") ? "true" : "false");
  return true;
}
