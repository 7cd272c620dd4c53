#include "compiler/machine/network_file.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_tree.h"
#include "base/order.h"
#include "base/table.h"
#include "compiler/machine/network_fabric.h"
#include "compiler/machine/network_table.h"
#include "ir/spelling.h"


#define FIELD(name, kind, field, unit) {name, kind, offsetof(ts_ir_net_method, field), unit}
const ts_network_field ts_network_fields[] = {FIELD("ranks", 'u', ranks, 1),
                                              FIELD("islands", 'u', islands, 1),
                                              FIELD("relay", 'u', relay, 1),
                                              FIELD("channels", 'u', channels, 1),
                                              FIELD("threads", 'u', threads, 1),
                                              FIELD("chunk", 'd', chunk, 1),
                                              FIELD("connection_us", 'l', connection, 1e6),
                                              FIELD("believed_us", 'l', believed, 1e6),
                                              FIELD("intra_hop_us", 'l', intra_hop, 1e6),
                                              FIELD("inter_hop_us", 'l', inter_hop, 1e6),
                                              FIELD("intra_gb_s", 'd', intra_rate, 1e9),
                                              FIELD("inter_gb_s", 'd', inter_rate, 1e9),
                                              FIELD("intra_share", 'd', intra_share, 1),
                                              FIELD("inter_share", 'd', inter_share, 1),
                                              FIELD("local", 'd', local, 1),
                                              FIELD("reduction_ps_per_byte", 'd', reduction, 1),
                                              FIELD("spread", 'd', spread, 1),
                                              FIELD("least_bytes", 'l', least, 1),
                                              FIELD("most_bytes", 'l', most, 1),
                                              FIELD("believed_intra_hop_us", 'l',
                                                    believed_intra_hop, 1e6),
                                              FIELD("believed_inter_hop_us", 'l',
                                                    believed_inter_hop, 1e6),
                                              FIELD("believed_share", 'd', believed_share, 1),
                                              FIELD("believed_gb_s", 'd', believed_rate, 1e9),
                                              FIELD("least_islands", 'u', least_islands, 1),
                                              FIELD("lanes", 'd', lanes, 1),
                                              FIELD("branching", 'd', branching, 1),
                                              FIELD("deal", 'd', deal, 1),
                                              FIELD("lane_gb_s", 'd', lane_rate, 1e9),
                                              {NULL, 0, 0, 0}};
#undef FIELD
#define FIELD(name, kind, field, unit) {name, kind, offsetof(ts_ir_net_curve, field), unit}
const ts_network_field ts_network_curve_fields[] = {
  FIELD("least_ranks", 'u', least_ranks, 1),
  FIELD("most_ranks", 'u', most_ranks, 1),
  FIELD("least_bytes", 'l', least, 1),
  FIELD("most_bytes", 'l', most, 1),
  FIELD("intra_latency_us", 'l', intra_latency, 1e6),
  FIELD("inter_latency_us", 'l', inter_latency, 1e6),
  FIELD("intra_limit_gb_s", 'd', intra_limit, 1e9),
  FIELD("intra_floor_gb_s", 'd', intra_floor, 1e9),
  FIELD("intra_slope", 'd', intra_slope, 1),
  FIELD("intra_middle_bytes", 'd', intra_middle, 1),
  FIELD("inter_limit_gb_s", 'd', inter_limit, 1e9),
  FIELD("inter_floor_gb_s", 'd', inter_floor, 1e9),
  FIELD("inter_slope", 'd', inter_slope, 1),
  FIELD("inter_middle_bytes", 'd', inter_middle, 1),
  FIELD("w_one", 's', weights[0], 1),
  FIELD("w_time", 's', weights[1], 1),
  FIELD("w_latency", 's', weights[2], 1),
  FIELD("w_ranks", 's', weights[3], 1),
  FIELD("w_bytes", 's', weights[4], 1),
  FIELD("w_time_bytes", 's', weights[5], 1),
  FIELD("w_time_ranks", 's', weights[6], 1),
  FIELD("w_latency_bytes", 's', weights[7], 1),
  FIELD("most_factor", 'd', most_factor, 1),
  FIELD("late_one", 's', late[0], 1),
  FIELD("late_ranks", 's', late[1], 1),
  FIELD("late_size", 's', late[2], 1),
  FIELD("late_ranks_size", 's', late[3], 1),
  FIELD("most_late", 'd', most_late, 1),
  {NULL, 0, 0, 0}};
#undef FIELD

#define FIELD(name, kind, field, unit) {name, kind, offsetof(ts_ir_net_links, field), unit}
const ts_network_field ts_network_links_fields[] = {
  FIELD("intra_gb_s", 'd', intra_links, 1e9),
  FIELD("inter_gb_s", 'd', inter_links, 1e9),
  FIELD("intra_latency_us", 'l', intra_latency, 1e6),
  FIELD("inter_latency_us", 'l', inter_latency, 1e6),
  {NULL, 0, 0, 0}};
#undef FIELD

typedef struct network_file_reader {
  ts_arena *arena;
  const char *what;
  uint32_t index;
  ts_error *error;
} network_file_reader;

static int network_file_named(const char *const *names, uint32_t count, const char *name)
{
  for (uint32_t i = 0; i < count; i++)
    if (!strcmp(names[i], name))
      return (int)i;
  return -1;
}

int ts_network_algorithm_named(const char *name)
{
  return network_file_named(ts_ir_algorithm_names, TS_IR_NET_ALGORITHMS, name);
}
int ts_network_protocol_named(const char *name)
{
  return network_file_named(ts_ir_protocol_names, TS_IR_NET_PROTOCOLS, name);
}

double ts_network_field_get(const ts_network_field *f, const void *record)
{
  const char *at = (const char *)record + f->offset;
  if (f->kind == 'd' || f->kind == 's')
    return *(const double *)(const void *)at / f->unit;
  return (f->kind == 'u' ? (double)*(const uint32_t *)(const void *)at :
                           (double)*(const uint64_t *)(const void *)at) /
         f->unit;
}

bool ts_network_field_set(const ts_network_field *f, void *record, double value)
{
  char *at = (char *)record + f->offset;
  double x = value * f->unit;
  if (!isfinite(x) || (x < 0 && f->kind != 's') || fabs(x) > (f->kind == 'u' ? 16777216.0 : 7e16))
    return false;
  if (f->kind == 'd' || f->kind == 's')
    *(double *)(void *)at = x;
  else if (f->kind == 'u')
    *(uint32_t *)(void *)at = (uint32_t)x;
  else
    *(uint64_t *)(void *)at = (uint64_t)llround(x);
  return true;
}

static bool bad(network_file_reader *r, const char *text)
{
  if (!r->what)
    return ts_fail(r->error, NULL, "%s", text);
  if (r->index == UINT32_MAX)
    return ts_fail(r->error, NULL, "`%s`: %s", r->what, text);
  return ts_fail(r->error, NULL, "%s %u: %s", r->what, r->index + 1, text);
}

const char *ts_network_method_wrong(const ts_ir_net_method *m)
{
  const uint64_t most_ps = UINT64_C(1) << 36; /* 69 ms: more than any latency */
  if (!m->channels || m->channels > 4096 || !m->threads || m->threads > 4096)
    return "needs `channels` and `threads`, 1 to 4096";
  if (m->relay > 1)
    return "`relay` is 0 or 1";
  if (m->islands > m->ranks || (m->ranks && !m->islands))
    return "`ranks` and `islands` go together, with at least a rank in each island";
  if (m->connection > most_ps || m->believed > most_ps || m->intra_hop > most_ps ||
      m->inter_hop > most_ps || m->believed_intra_hop > most_ps ||
      m->believed_inter_hop > most_ps)
    return "a latency below 0, or of more than 69 ms";
  const double rates[] = {m->intra_rate, m->inter_rate, m->believed_rate, m->lane_rate},
               shares[] = {m->intra_share, m->inter_share, m->local, m->spread,
                           m->believed_share, m->lanes, m->branching};
  for (size_t i = 0; i < sizeof rates / sizeof *rates; i++)
    if (rates[i] != 0 && (rates[i] < 1e3 || rates[i] > 1e15))
      return "a rate below 1 kB/s or above 1 PB/s; leave it out if it is unlimited";
  for (size_t i = 0; i < sizeof shares / sizeof *shares; i++)
    if (shares[i] < 0 || shares[i] > 1000 || (shares[i] != 0 && shares[i] < 1e-6))
      return "a share that is out of range";
  const double most = (double)TS_IR_BYTES_MOST, parts[] = {m->chunk, m->deal};
  bool whole = m->reduction >= 0 && m->reduction <= 1e12 && m->most <= TS_IR_BYTES_MOST;
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    whole &= parts[i] == 0 || (parts[i] >= 1 && parts[i] <= most);
  if (!whole)
    return "`reduction_ps_per_byte`, `chunk`, `deal` or `most_bytes` is out of range";
  return m->least > m->most ? "`least_bytes` is above `most_bytes`" : NULL;
}

const char *ts_network_curve_wrong(const ts_ir_net_curve *c)
{
  const uint64_t most_ps = UINT64_C(1) << 36;
  if (c->least_ranks < 2 || c->least_ranks > c->most_ranks || !c->least || c->least > c->most)
    return "needs `least_ranks`, `most_ranks`, `least_bytes` and `most_bytes` of what was measured";
  if (c->intra_latency > most_ps || c->inter_latency > most_ps)
    return "a latency of more than 69 ms";
  double rates[] = {c->intra_limit, c->intra_floor, c->inter_limit, c->inter_floor};
  for (int i = 0; i < 4; i++)
    if (rates[i] != 0 && (rates[i] < 1e3 || rates[i] > 1e15))
      return "a rate below 1 kB/s or above 1 PB/s; leave it out if it is unlimited";
  for (int i = 0; i < TS_IR_CURVE_WEIGHTS + TS_IR_CURVE_LATE; i++)
    if (!(fabs(i < TS_IR_CURVE_WEIGHTS ? c->weights[i] : c->late[i - TS_IR_CURVE_WEIGHTS]) <= 1e6))
      return "weights (`w_...`, `late_...`) are from -1e6 to 1e6";
  if (!(c->intra_limit > 0) && !(c->inter_limit > 0))
    return "needs `intra_limit_gb_s`, `inter_limit_gb_s` or both";
  if (c->intra_slope > 100 || c->inter_slope > 100 || c->most_late > 1000 || c->most_factor > 1e6)
    return "a slope above 100, `most_late` above 1000 or `most_factor` above 1e6";
  return NULL;
}

const char *ts_network_links_wrong(const ts_ir_net_links *k)
{
  double rates[] = {k->intra_links, k->inter_links};
  for (int i = 0; i < 2; i++)
    if (rates[i] != 0 && !(rates[i] >= 1e3 && rates[i] <= 1e15))
      return "a rate of links below 1 kB/s or above 1 PB/s; leave it out if it is unknown";
  if (k->intra_latency > UINT64_C(1) << 36 || k->inter_latency > UINT64_C(1) << 36)
    return "a latency of links of more than 69 ms";
  return NULL;
}

static bool network_file_is_word(const char *name)
{
  return !strcmp(name, "collective") || !strcmp(name, "algorithm") || !strcmp(name, "protocol") ||
         !strcmp(name, "believed_tenths");
}

static bool take_numbers(network_file_reader *r, const cJSON *in, const ts_network_field *fields,
                         void *record)
{
  const cJSON *item;
  if (in && !cJSON_IsObject(in)) /* items of a list have no names */
    return bad(r, "must be an object");
  cJSON_ArrayForEach(item, in) {
    const ts_network_field *f = fields;
    if (network_file_is_word(item->string))
      continue;
    while (f->name && strcmp(f->name, item->string) != 0)
      f++;
    if (!f->name)
      return bad(r, ts_arena_printf(r->arena, "no field is named `%s`", item->string));
    if (!cJSON_IsNumber(item) || !ts_network_field_set(f, record, item->valuedouble))
      return bad(r, ts_arena_printf(r->arena, "`%s` must be a number in its range", item->string));
  }
  return true;
}

static bool network_file_whole(const cJSON *item, double least, double most)
{
  return cJSON_IsNumber(item) && item->valuedouble >= least && item->valuedouble <= most &&
         item->valuedouble == floor(item->valuedouble);
}

static bool take_tenths(network_file_reader *r, const cJSON *in, uint8_t *out)
{
  const cJSON *list = cJSON_GetObjectItemCaseSensitive(in, "believed_tenths"), *item;
  uint32_t n = 0;
  if (list && !cJSON_IsArray(list))
    return bad(r, "`believed_tenths` must be a list");
  cJSON_ArrayForEach(item, list) {
    if (n == TS_IR_NET_SIZES || !network_file_whole(item, 1, 10))
      return bad(r, "`believed_tenths` are up to 24 whole numbers from 1 to 10");
    out[n++] = (uint8_t)item->valuedouble;
  }
  return true;
}

static bool method_numbers(network_file_reader *r, const cJSON *in, ts_ir_net_method *m)
{
  if (!take_numbers(r, in, ts_network_fields, m) || !take_tenths(r, in, m->believed_tenths))
    return false;
  if (!cJSON_GetObjectItemCaseSensitive(in, "believed_us"))
    m->believed = m->connection;
  const char *wrong = ts_network_method_wrong(m);
  return !wrong || bad(r, wrong);
}

static int word(network_file_reader *r, const cJSON *in, const char *field,
                int (*named)(const char *))
{
  const cJSON *item = cJSON_IsString(in) ? in : cJSON_GetObjectItemCaseSensitive(in, field);
  int found = cJSON_IsString(item) ? named(item->valuestring) : -1;
  if (found < 0)
    bad(r, ts_arena_printf(r->arena,
                           cJSON_IsString(item) ? "`%s` is not a valid %s" : "%.0sneeds a %s",
                           cJSON_IsString(item) ? item->valuestring : "", field));
  return found;
}

typedef TS_VEC(ts_ir_net_method) method_list;
typedef struct lists {
  method_list methods;
  TS_VEC(ts_network_option) options;
  TS_VEC(ts_ir_net_point) points;
  TS_VEC(ts_ir_net_curve) curves;
  ts_ir_net_links links;
  const ts_fabric *between;
} lists;

static bool read_method(network_file_reader *r, const cJSON *in, method_list *out)
{
  int algorithm = word(r, in, "algorithm", ts_network_algorithm_named),
      protocol = word(r, in, "protocol", ts_network_protocol_named);
  const cJSON *of = cJSON_GetObjectItemCaseSensitive(in, "collective"),
              *one = cJSON_IsArray(of) ? of->child : of;
  ts_ir_net_method m = {.algorithm = (uint32_t)algorithm, .protocol = (uint32_t)protocol};
  if (algorithm < 0 || protocol < 0 || !method_numbers(r, in, &m))
    return false;
  if (!one)
    return bad(r, "needs a collective");
  for (; one; one = cJSON_IsArray(of) ? one->next : NULL) {
    int kind = word(r, one, "collective", ts_collective_named);
    if (kind < 0)
      return false;
    m.collective = (uint32_t)kind;
    TS_PUSH(r->arena, out, m);
  }
  return true;
}

/* {"variable": NAME, "methods": [...]} */
static bool read_option(network_file_reader *r, const cJSON *in, lists *out)
{
  const cJSON *variable = cJSON_GetObjectItemCaseSensitive(in, "variable"), *item;
  method_list methods = {0};
  if (!cJSON_IsString(variable))
    return bad(r, "needs a `variable`");
  cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(in, "methods"))
    if (!read_method(r, item, &methods))
      return false;
  TS_PUSH(r->arena, &out->options,
          (ts_network_option){
            ts_arena_string(r->arena, variable->valuestring, strlen(variable->valuestring)),
            methods.at, (uint32_t)methods.count});
  return true;
}

static bool read_curve(network_file_reader *r, const cJSON *in, lists *out)
{
  int kind = word(r, in, "collective", ts_collective_named);
  ts_ir_net_curve c = {.collective = (uint32_t)kind};
  if (kind < 0 || !take_numbers(r, in, ts_network_curve_fields, &c))
    return false;
  const char *wrong = ts_network_curve_wrong(&c);
  if (wrong)
    return bad(r, wrong);
  TS_PUSH(r->arena, &out->curves, c);
  return true;
}

static bool read_anchors(network_file_reader *r, const cJSON *in, lists *out)
{
  int kind = word(r, in, "collective", ts_collective_named);
  const cJSON *ranks = cJSON_GetObjectItemCaseSensitive(in, "ranks"),
              *islands = cJSON_GetObjectItemCaseSensitive(in, "islands"), *pair;
  if (kind < 0)
    return false;
  if (!network_file_whole(ranks, 1, 1e7) || !network_file_whole(islands, 1, ranks->valuedouble))
    return bad(r, "needs `ranks` and `islands`");
  cJSON_ArrayForEach(pair, cJSON_GetObjectItemCaseSensitive(in, "points")) {
    const cJSON *bytes = cJSON_GetArrayItem(pair, 0), *us = cJSON_GetArrayItem(pair, 1);
    if (!cJSON_IsArray(pair) || !network_file_whole(bytes, 1, 7e16) || !cJSON_IsNumber(us) ||
        !(us->valuedouble >= 1e-5 && us->valuedouble < 1e11))
      return bad(r, "points are pairs of bytes and microseconds");
    ts_ir_net_point p = {(uint32_t)kind,
                         (uint32_t)ranks->valuedouble,
                         (uint32_t)islands->valuedouble,
                         0,
                         (uint64_t)bytes->valuedouble,
                         (uint64_t)llround(us->valuedouble * 1e6)};
    TS_PUSH(r->arena, &out->points, p);
  }
  return true;
}

static int network_file_by_key(const void *left, const void *right)
{
  const ts_ir_net_point *a = left, *b = right;
  int by = ts_by_number(a->collective, b->collective);
  by = by ? by : ts_by_number(a->ranks, b->ranks);
  by = by ? by : ts_by_number(a->islands, b->islands);
  by = by ? by : ts_by_number(a->bytes, b->bytes);
  return by;
}

static const char *network_file_text_of(ts_arena *arena, const cJSON *root, const char *name)
{
  const cJSON *item = cJSON_GetObjectItemCaseSensitive(root, name);
  return cJSON_IsString(item) ?
           ts_arena_string(arena, item->valuestring, strlen(item->valuestring)) :
           "";
}

/* Names of fields that the object lacks, or NULL. */
static const char *missing(network_file_reader *r, const cJSON *in, const ts_network_field *fields)
{
  const char *list = NULL;
  for (const ts_network_field *f = fields; f->name; f++)
    if (!cJSON_GetObjectItemCaseSensitive(in, f->name))
      list = ts_arena_printf(r->arena, "%s%s`%s`", list ? list : "needs ", list ? ", " : "", f->name);
  return list;
}

static bool read_between(network_file_reader *r, const cJSON *in, lists *out)
{
  if (!in)
    return true;
  r->what = "between";
  ts_fabric *fabric = TS_NEW(r->arena, ts_fabric);
  if (!take_numbers(r, in, ts_fabric_fields, fabric))
    return false;
  const char *wrong = missing(r, in, ts_fabric_fields);
  wrong = wrong ? wrong : ts_fabric_wrong(fabric);
  out->between = fabric;
  return !wrong || bad(r, wrong);
}

static bool network_file_read_all(network_file_reader *r, const cJSON *root, lists *out)
{
  const cJSON *item;
  if (!network_file_whole(cJSON_GetObjectItemCaseSensitive(root, "trainspec-network"), 1, 1))
    return bad(r, "not a network file: must begin with {\"trainspec-network\": 1");
  r->what = "links";
  r->index = UINT32_MAX; /* there is one */
  if (!take_numbers(r, cJSON_GetObjectItemCaseSensitive(root, "links"), ts_network_links_fields,
                    &out->links))
    return false;
  const char *wrong = ts_network_links_wrong(&out->links);
  if (wrong)
    return bad(r, wrong);
  if (!read_between(r, cJSON_GetObjectItemCaseSensitive(root, "between"), out))
    return false;
  r->what = "method";
  r->index = 0;
  cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(root, "methods")) {
    if (!read_method(r, item, &out->methods))
      return false;
    r->index++;
  }
  r->what = "option";
  r->index = 0;
  cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(root, "optional")) {
    if (!read_option(r, item, out))
      return false;
    r->index++;
  }
  r->what = "curve";
  r->index = 0;
  cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(root, "curves")) {
    if (!read_curve(r, item, out))
      return false;
    r->index++;
  }
  r->what = "anchor";
  r->index = 0;
  cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(root, "anchors")) {
    if (!read_anchors(r, item, out))
      return false;
    r->index++;
  }
  r->what = NULL;
  if (!out->methods.count && !out->curves.count && !out->between)
    return bad(r, "no methods, no curves and no `between`");
  if (out->points.count)
    TS_SORT(&out->points, network_file_by_key);
  for (size_t i = 1; i < out->points.count; i++)
    if (!network_file_by_key(&out->points.at[i - 1], &out->points.at[i]))
      return bad(r, "two anchors of the same collective, ranks, islands and bytes");
  return true;
}

ts_network_file *ts_network_file_read(ts_arena *arena, const char *text, size_t size,
                                      ts_error *error)
{
  *error = (ts_error){0};
  const char *end = NULL;
  cJSON *root = ts_json_tree(text, size, &end);
  network_file_reader r = {.arena = arena, .error = error};
  lists out = {0};
  ts_network_file *file = NULL;
  if (!root) {
    size_t at = end ? (size_t)(end - text) : 0;
    ts_fail_at(error, text, at, at, NULL, "not JSON");
  } else if (network_file_read_all(&r, root, &out)) {
    file = TS_NEW(arena, ts_network_file);
    *file = (ts_network_file){network_file_text_of(arena, root, "device"),
                              network_file_text_of(arena, root, "library"),
                              out.methods.at,
                              (uint32_t)out.methods.count,
                              out.points.at,
                              (uint32_t)out.points.count,
                              out.options.at,
                              (uint32_t)out.options.count,
                              out.curves.at,
                              (uint32_t)out.curves.count,
                              out.links,
                              out.between};
  }
  cJSON_Delete(root);
  return file;
}
