/* Environment variables of NCCL and its kin as users set them (NVIDIA, "NCCL User Guide",
 * Environment Variables). */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "compiler/machine/network_table.h"
#include "compiler/machine/network_file.h"
#include "ir/spelling.h"

/* What the library calls algorithms and protocols; NULL: it has no name. */
static const char *const algorithms[] = {
#define ALGORITHM(id, name, nccl, links) nccl,
#include "ir/algorithms.def"
#undef ALGORITHM
};

static const char *network_variables_name_of(int i, bool algorithm)
{
  return algorithm ? algorithms[i] : ts_ir_protocol_names[i];
}

static int count_of(bool algorithm)
{
  return algorithm ? TS_IR_NET_ALGORITHMS : TS_IR_NET_PROTOCOLS;
}

static const char *bad_value(ts_arena *arena, const char *name, const char *value, bool algorithm)
{
  const char *known[TS_IR_NET_ALGORITHMS];
  size_t count = 0;
  for (int i = 0; i < count_of(algorithm); i++)
    if (network_variables_name_of(i, algorithm))
      known[count++] = network_variables_name_of(i, algorithm);
  return ts_arena_printf(arena, "%s: `%s` is not known; known: %s", name, value,
                         ts_listed(arena, known, count));
}

static bool network_variables_same(const char *a, const char *b, size_t size)
{
  for (size_t i = 0; i < size; i++)
    if (tolower((unsigned char)a[i]) != b[i])
      return false;
  return !b[size];
}

/* Bits of ts_ir_net_algorithms or protocols; -1: unknown. */
static int bit_of(const char *word, size_t size, bool algorithm)
{
  if (algorithm && network_variables_same(word, "collnet", size))
    return 1 << TS_IR_NET_FABRIC_DIRECT | 1 << TS_IR_NET_FABRIC_CHAIN;
  for (int i = 0; i < count_of(algorithm); i++)
    if (network_variables_name_of(i, algorithm) &&
        network_variables_same(word, network_variables_name_of(i, algorithm), size))
      return 1 << i;
  return -1;
}

/* "ring,tree" or "^tree"; -1: a word that is unknown. */
static int mask_of(const char *list, size_t size, bool algorithm)
{
  int mask = 0;
  bool without = size && *list == '^';
  for (const char *at = list + without, *end = list + size; at < end; ) {
    const char *comma = memchr(at, ',', (size_t)(end - at)), *stop = comma ? comma : end;
    int bit = bit_of(at, (size_t)(stop - at), algorithm);
    if (bit < 0)
      return -1;
    mask |= bit;
    at = stop + 1;
  }
  return without ? ~mask & ((1 << TS_IR_NET_ALGORITHMS) - 1) : mask;
}

/* All-to-all and messages know no other way, and a barrier is a few bytes however it is done. */
static bool chosen(const ts_ir_net_method *m, int kind, int mask, bool algorithm)
{
  bool requested = (kind < 0 || (uint32_t)kind == m->collective) &&
                   m->collective != TS_IR_BARRIER &&
                   (!algorithm || m->algorithm != TS_IR_NET_PAIRS);
  return !requested || mask >> (algorithm ? m->algorithm : m->protocol) & 1;
}

/* Collectives of the file as bits; those alone that have methods chosen. */
static uint32_t kinds_of(const ts_network_file *f, int kind, int mask, bool algorithm)
{
  uint32_t kinds = 0;
  for (uint32_t i = 0; i < f->method_count; i++)
    if (chosen(&f->methods[i], kind, mask, algorithm))
      kinds |= 1u << f->methods[i].collective;
  return kinds;
}

/* Keeps methods of `kind` (-1: all) that the mask has. A list for all leaves a collective as it was
 * that has none of them, as the library falls back then; that a collective named for itself, or
 * every one, has none is an error: the collective, or -1. */
static int network_variables_keep(ts_network_file *f, int kind, int mask, bool algorithm,
                                  bool *changed)
{
  uint32_t all = kinds_of(f, TS_IR_BARRIER, 0, algorithm),
           left = kinds_of(f, kind, mask, algorithm), lost = all & ~left, remaining = 0,
           reported = 0;
  for (uint32_t i = 0; i < f->method_count; i++) {
    const ts_ir_net_method *m = &f->methods[i];
    if (mask >> (algorithm ? m->algorithm : m->protocol) & 1 &&
        (kind < 0 || (uint32_t)kind == m->collective))
      reported |= 1u << m->collective;
  }
  for (uint32_t k = 0; k < TS_IR_COLLECTIVE_KINDS; k++)
    if (lost >> k & 1 && (kind >= 0 || !reported))
      return (int)k;
  for (uint32_t i = 0; i < f->method_count; i++) {
    const ts_ir_net_method *m = &f->methods[i];
    if (lost >> m->collective & 1 || chosen(m, kind, mask, algorithm))
      f->methods[remaining++] = *m;
  }
  *changed |= remaining != f->method_count;
  f->method_count = remaining;
  return -1;
}

/* "allreduce:tree,ring;broadcast:ring" or a list for all. */
static const char *choice(ts_arena *arena, const char *name, const char *value, bool algorithm,
                          ts_network_file *f, bool *changed)
{
  for (const char *at = value; *at;) {
    size_t size = strcspn(at, ";");
    const char *colon = memchr(at, ':', size), *list = colon ? colon + 1 : at;
    int kind = colon ? ts_collective_named(ts_arena_string(arena, at, (size_t)(colon - at))) : -1;
    int mask = mask_of(list, (size_t)(at + size - list), algorithm);
    if (colon && kind < 0)
      return ts_arena_printf(arena, "%s: `%.*s` is not a collective", name, (int)(colon - at), at);
    if (mask < 0)
      return bad_value(arena, name, value, algorithm);
    int lost = network_variables_keep(f, kind, mask, algorithm, changed);
    if (lost >= 0)
      return ts_arena_printf(arena, "%s=%s leaves no algorithm for %s", name, value,
                             ts_collective_name((uint32_t)lost));
    at += size + (at[size] == ';');
  }
  return NULL;
}

static void scale(ts_ir_net_method *m, double by)
{
  m->intra_rate *= by;
  m->inter_rate *= by;
  m->intra_share *= by;
  m->inter_share *= by;
  m->believed_share *= by;
  m->believed_rate *= by;
}

/* Methods of these algorithms go: the user switches them off. */
static void drop(ts_network_file *f, int algorithms, bool *changed)
{
  uint32_t remaining = 0;
  for (uint32_t i = 0; i < f->method_count; i++)
    if (!(algorithms >> f->methods[i].algorithm & 1))
      f->methods[remaining++] = f->methods[i];
  *changed |= remaining != f->method_count;
  f->method_count = remaining;
}

static void add_optional(ts_arena *arena, const char *name, ts_network_file *f, bool *changed)
{
  for (uint32_t i = 0; i < f->option_count; i++) {
    const ts_network_option *o = &f->options[i];
    if (strcmp(o->variable, name) != 0 || !o->count)
      continue;
    ts_ir_net_method *all = TS_NEW_ARRAY(arena, ts_ir_net_method, f->method_count + o->count);
    memcpy(all, f->methods, f->method_count * sizeof *all);
    memcpy(all + f->method_count, o->methods, o->count * sizeof *all);
    f->methods = all;
    f->method_count += o->count;
    *changed = true;
  }
}

typedef enum effect {
  ALGORITHMS,
  PROTOCOLS,
  BUFFER,
  WORD_BUFFER,
  LINE_BUFFER,
  SWITCH_CHUNK,
  LEAST_CHANNELS,
  MOST_CHANNELS,
  LEAST_PAIR_CHANNELS,
  MOST_PAIR_CHANNELS,
  THREADS,
  LINE_THREADS,
  RELAY,
  NO_RELAY,
  FABRICS,
  SWITCHES,
  AGGREGATED
} effect;

typedef struct variable {
  const char *name;
  effect what;
  double min, max;
} variable;

/* Those that add methods come before those that choose among them. */
static const variable variables[] = {{"NCCL_COLLNET_ENABLE", FABRICS, 0, 1},
                                     {"NCCL_NVLS_ENABLE", SWITCHES, 0, 2},
                                     {"NCCL_PAT_ENABLE", AGGREGATED, 0, 2},
                                     {"NCCL_ALGO", ALGORITHMS, 0, 0},
                                     {"NCCL_PROTO", PROTOCOLS, 0, 0},
                                     {"NCCL_BUFFSIZE", BUFFER, 1024, 1073741824},
                                     {"NCCL_LL_BUFFSIZE", WORD_BUFFER, 1024, 1073741824},
                                     {"NCCL_LL128_BUFFSIZE", LINE_BUFFER, 1024, 1073741824},
                                     {"NCCL_NVLS_CHUNKSIZE", SWITCH_CHUNK, 1024, 1073741824},
                                     {"NCCL_MIN_NCHANNELS", LEAST_CHANNELS, 1, 64},
                                     {"NCCL_MAX_NCHANNELS", MOST_CHANNELS, 1, 64},
                                     {"NCCL_MIN_CTAS", LEAST_CHANNELS, 1, 64},
                                     {"NCCL_MAX_CTAS", MOST_CHANNELS, 1, 64},
                                     {"NCCL_MIN_P2P_NCHANNELS", LEAST_PAIR_CHANNELS, 1, 64},
                                     {"NCCL_MAX_P2P_NCHANNELS", MOST_PAIR_CHANNELS, 1, 64},
                                     {"NCCL_NTHREADS", THREADS, 64, 512},
                                     {"NCCL_LL128_NTHREADS", LINE_THREADS, 160, 640},
                                     {"NCCL_P2P_PXN_LEVEL", RELAY, 0, 2},
                                     {"NCCL_PXN_DISABLE", NO_RELAY, 0, 1}};
enum { VARIABLES = sizeof variables / sizeof *variables };

/* What only logs, names interfaces of the start, or bounds retries. */
static const char *const harmless[] = {
  "NCCL_DEBUG",          "NCCL_DEBUG_SUBSYS",   "NCCL_DEBUG_FILE",       "NCCL_SOCKET_IFNAME",
  "NCCL_SOCKET_FAMILY",  "NCCL_COMM_ID",        "NCCL_TOPO_DUMP_FILE",   "NCCL_GRAPH_DUMP_FILE",
  "NCCL_IB_TIMEOUT",     "NCCL_IB_RETRY_CNT",   "NCCL_SET_THREAD_NAME",  "NCCL_COMM_BLOCKING"};
/* What changes paths, transports or chunks that no method has. */
static const char *const not_modelled[] = {
  "NCCL_P2P_DISABLE",           "NCCL_P2P_LEVEL",          "NCCL_P2P_DIRECT_DISABLE",
  "NCCL_SHM_DISABLE",           "NCCL_IB_DISABLE",         "NCCL_IB_HCA",
  "NCCL_IB_TC",                 "NCCL_IB_SL",              "NCCL_IB_GID_INDEX",
  "NCCL_IB_ADAPTIVE_ROUTING",   "NCCL_IB_QPS_PER_CONNECTION", "NCCL_IB_SPLIT_DATA_ON_QPS",
  "NCCL_IB_PCI_RELAXED_ORDERING", "NCCL_NET",              "NCCL_NET_PLUGIN",
  "NCCL_TUNER_PLUGIN",          "NCCL_NET_GDR_LEVEL",      "NCCL_NET_GDR_READ",
  "NCCL_CROSS_NIC",             "NCCL_P2P_NET_CHUNKSIZE",  "NCCL_P2P_NVL_CHUNKSIZE",
  "NCCL_P2P_PCI_CHUNKSIZE",     "NCCL_SOCKET_NTHREADS",    "NCCL_NSOCKS_PERTHREAD",
  "NCCL_TOPO_FILE",             "NCCL_GRAPH_FILE",         "NCCL_CGA_CLUSTER_SIZE",
  "NCCL_MNNVL_ENABLE"};
enum {
  HARMLESS = sizeof harmless / sizeof *harmless,
  NOT_MODELLED = sizeof not_modelled / sizeof *not_modelled
};

static bool is_among(const char *const *names, size_t count, const char *name)
{
  for (size_t i = 0; i < count; i++)
    if (!strcmp(names[i], name))
      return true;
  return false;
}

ts_network_left ts_network_variable_left(const char *name, const char *value)
{
  size_t size = strlen(name);
  if (is_among(harmless, HARMLESS, name))
    return TS_NETWORK_HARMLESS;
  if (!is_among(not_modelled, NOT_MODELLED, name))
    return TS_NETWORK_FOLLOWED;
  bool off = size > 8 && !strcmp(name + size - 8, "_DISABLE") && !strcmp(value, "0");
  return off ? TS_NETWORK_HARMLESS : TS_NETWORK_NOT_MODELLED;
}

/* A protocol's chunks are shares of its buffer. What it usually is: NCCL, src/include/device.h. */
static bool resize(ts_ir_net_method *m, effect what, double x)
{
  static const struct {
    uint32_t protocol;
    double usual;
  } buffers[] = {[BUFFER] = {TS_IR_NET_SIMPLE, 4194304},
                 [WORD_BUFFER] = {TS_IR_NET_LL, 524288},
                 [LINE_BUFFER] = {TS_IR_NET_LL128, 4915200}};
  if (what < BUFFER || what > LINE_BUFFER)
    return false;
  if (m->protocol == buffers[what].protocol && m->chunk > 0)
    m->chunk = fmax(1, m->chunk * x / buffers[what].usual);
  return true;
}

static bool by_switch(const ts_ir_net_method *m)
{
  return m->algorithm == TS_IR_NET_SWITCH || m->algorithm == TS_IR_NET_SWITCH_TREE;
}

/* Fewer channels or threads carry less; more of them do not carry more than the links do. Only
 * level 2 relays what has a path of its own. */
static void apply_number(ts_ir_net_method *m, effect what, double x)
{
  bool pairs = m->algorithm == TS_IR_NET_PAIRS, lines = m->protocol == TS_IR_NET_LL128;
  if (resize(m, what, x))
    return;
  if (what == SWITCH_CHUNK && by_switch(m) && m->chunk > 0) {
    m->chunk = x;
  } else if ((what == LEAST_CHANNELS || (what == LEAST_PAIR_CHANNELS && pairs)) &&
             m->channels < x) {
    m->channels = (uint32_t)x;
  } else if ((what == MOST_CHANNELS || (what == MOST_PAIR_CHANNELS && pairs)) && m->channels > x) {
    scale(m, x / m->channels);
    m->channels = (uint32_t)x;
  } else if (what == (lines ? LINE_THREADS : THREADS) && m->threads != x) {
    scale(m, fmin(1, x / m->threads));
    m->threads = (uint32_t)x;
  } else if (what == RELAY && m->collective == TS_IR_ALL_TO_ALL) {
    m->relay = x == 2;
  } else if (what == NO_RELAY && x > 0 && m->collective == TS_IR_ALL_TO_ALL) {
    m->relay = 0;
  }
}

static const char *network_variables_number_of(ts_arena *arena, const variable *v,
                                               const char *value, double *x)
{
  char *end;
  *x = strtod(value, &end);
  if (end != value && !*end && *x >= v->min && *x <= v->max && *x == floor(*x))
    return NULL;
  return ts_arena_printf(arena, "%s: `%s` is not a whole number from %.0f to %.0f", v->name, value,
                         v->min, v->max);
}

static const char *network_variables_unknown(ts_arena *arena, const char *name)
{
  const char *names[VARIABLES + HARMLESS + NOT_MODELLED], *list = NULL, *best[3];
  for (size_t i = 0; i < VARIABLES; i++) {
    names[i] = variables[i].name;
    list = ts_arena_printf(arena, "%s%s%s", list ? list : "", list ? ", " : "", names[i]);
  }
  memcpy(names + VARIABLES, harmless, sizeof harmless);
  memcpy(names + VARIABLES + HARMLESS, not_modelled, sizeof not_modelled);
  return ts_suggest(name, names, VARIABLES + HARMLESS + NOT_MODELLED, best) ?
           ts_arena_printf(arena, "no variable `%s`; did you mean %s?", name, best[0]) :
           ts_arena_printf(arena, "no variable `%s`; known: %s", name, list);
}

uint32_t ts_network_variable_rank(const char *name)
{
  uint32_t i = 0;
  while (i < VARIABLES && strcmp(variables[i].name, name) != 0)
    i++;
  return i;
}

/* Of a collective that has methods for any ranks, those fitted to some numbers of ranks go. */
void ts_network_forget_measured(ts_network_file *f)
{
  uint32_t any = 0, remaining = 0;
  for (uint32_t i = 0; i < f->method_count; i++)
    any |= f->methods[i].ranks ? 0 : 1u << f->methods[i].collective;
  for (uint32_t i = 0; i < f->method_count; i++)
    if (!f->methods[i].ranks || !(any >> f->methods[i].collective & 1))
      f->methods[remaining++] = f->methods[i];
  f->method_count = remaining;
  f->point_count = 0;
}

const char *ts_network_variable(ts_arena *arena, const char *name, const char *value,
                                ts_network_file *f, bool *changed)
{
  uint32_t rank = ts_network_variable_rank(name);
  if (rank == VARIABLES)
    return ts_network_variable_left(name, value) ? NULL : network_variables_unknown(arena, name);
  const variable *v = &variables[rank];
  if (v->what == ALGORITHMS || v->what == PROTOCOLS)
    return choice(arena, name, value, v->what == ALGORITHMS, f, changed);
  double x;
  const char *wrong = network_variables_number_of(arena, v, value, &x);
  if (wrong)
    return wrong;
  if (v->what == FABRICS && x > 0)
    add_optional(arena, name, f, changed);
  else if (v->what == SWITCHES && x == 0)
    drop(f, 1 << TS_IR_NET_SWITCH | 1 << TS_IR_NET_SWITCH_TREE, changed);
  else if (v->what == AGGREGATED && x == 0)
    drop(f, 1 << TS_IR_NET_AGGREGATED_TREES, changed);
  for (uint32_t m = 0; m < f->method_count; m++) {
    ts_ir_net_method before = f->methods[m];
    apply_number(&f->methods[m], v->what, x);
    *changed |= memcmp(&before, &f->methods[m], sizeof before) != 0;
  }
  return NULL;
}
