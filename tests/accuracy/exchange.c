/* Dispatch and combine of tokens by library, as DeepEP's pages print them: bandwidths whose meaning
 * differs by page, made times. */
#include "tests/accuracy/exchange.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define N(column) csv_number(t, i, column)
#define T(column) csv_cell(t, i, column)

/* Of `places`, how many a token goes to on average whose `top` experts are picked uniformly. */
static double met(double places, double top)
{
  return places * (1 - pow(1 - 1 / places, top));
}

typedef struct known_machine { const char *gpu, *kind; } known_machine;
static const known_machine machines[] = {
  {"GB200", "gb200"}, {"H800", "h800"}, {"H100", "h100"}, {"SM90", "h100"}, {"SM100", "b200"},
};

static const char *machine_of(const char *gpu)
{
  for (size_t k = 0; k < sizeof machines / sizeof *machines; k++)
    if (strstr(gpu, machines[k].gpu))
      return machines[k].kind;
  return NULL;
}

/* All pages count what a rank sends to nodes, or takes over NVLink, its own node or itself
 * included: tokens times the nodes or ranks that one goes to (`rdma_send_bytes`, `nvl_recv_bytes`
 * of the libraries' benchmarks; "logical bandwidth" in words). 8 bits carry a scale for 128. */
static double bytes_of(const csv *t, size_t i, double limit)
{
  double nodes = N("nodes_or_domains"), places = nodes > 1 ? nodes : N("ranks"),
         element = csv_is(t, i, "dtype", "fp8") ? 1 + 4.0 / 128 : 2;
  if (limit > 0)
    places = fmin(places, limit);
  return N("tokens_rank") * N("hidden") * element * met(places, N("topk"));
}

static const char *number_or(const char *cell, const char *otherwise)
{
  return *cell ? cell : otherwise;
}

/* One half validates: FNV-1a of the configuration, kernels and calls of one together. */
static bool of_validation(const char *name)
{
  uint32_t hash = 2166136261u;
  for (const char *at = name; *at; at++)
    hash = (hash ^ (unsigned char)*at) * 16777619u;
  return (hash ^ hash >> 16) & 1;
}

bool acc_exchange(const acc_context *c, const csv *t, size_t i, acc_row *row)
{
  bool second = csv_is(t, i, "library", "DeepEP V2"), low = strstr(T("library"), "low-latency"),
       hybrid = csv_is(t, i, "library", "HybridEP"), called = csv_is(t, i, "timing", "torch call");
  const char *kind = machine_of(T("gpu")),
             *name = ts_arena_printf(c->arena, "%s %s x%s, %s processors, %s %s", T("library"),
                                     T("gpu"), T("ranks"), number_or(T("sms"), "its"),
                                     T("operation"), T("dtype"));
  double limit = strstr(T("routing"), "top-4 groups") ? 4 : 0;
  row->memory = NAN;
  row->name = ts_arena_printf(c->arena, "%s, %s", name, called ? "called" : "kernel");
  row->group =
    ts_arena_printf(c->arena, "%s %s", second ? "second DeepEP" : T("library"), T("gpu"));
  row->validation = low || of_validation(name); /* its constants rest on other measurements */
  if (!kind)
    row->missing = "a gpu that std has not";
  else if (!(N(low ? "latency_us" : "gb_s") > 0) || !(N("tokens_rank") > 0) || !(N("ranks") > 1) ||
           !(N("nodes_or_domains") > 0))
    row->missing = "tokens, ranks or bandwidth not stated";
  if (row->missing)
    return true;
  row->measured = low ? N("latency_us") / 1e6 : bytes_of(t, i, limit) / (N("gb_s") * 1e9);
  acc_define(c->arena, row, "library", low    ? "\"deep_ep_low_latency\"" :
                                      hybrid ? "\"hybrid_ep\"" :
                                      second ? "\"deep_ep_2\"" :
                                               "\"deep_ep\"");
  acc_define(c->arena, row, "kind", ts_arena_printf(c->arena, "\"%s\"", kind));
  acc_define(c->arena, row, "nodes", T("nodes_or_domains"));
  acc_define(c->arena, row, "format", csv_is(t, i, "dtype", "fp8") ? "fp8_block" : "bf16");
  acc_define(c->arena, row, "called", called ? "true" : "false");
  if (*T("sms"))
    acc_define(c->arena, row, "sms", T("sms"));
  if (limit > 0)
    acc_define(c->arena, row, "limit", ts_arena_printf(c->arena, "%.0f", limit));
  return true;
}
