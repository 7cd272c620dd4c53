/* Workloads: AICB's CSV, a section for each stage of the pipeline, and SimAI's text, a line for
 * each computation with the communication behind it. */
#include <inttypes.h>
#include <string.h>

#include "base/escape.h"
#include "base/table.h"
#include "trace/write/export_form.h"

/* The last is what `dp` is where there are experts, whose gradients alone are summed over it. */
static const struct { const char *axes, *aicb, *simai; } groups[] = {
  {"tp", "tp_group", ""},       {"dp", "dp_group", ""},    {"ep", "ep_group", "_EP"},
  {"pp", "pp_group", ""},       {"tp*ep", "ep_tp_group", ""}, {"ep*dp", "dp_group", ""},
  {"dp", "ep_dp_group", "_DP_EP"}};
enum { GROUPS = sizeof groups / sizeof *groups, DP = 1, EXPERTS = GROUPS - 1 };

static const ts_event_comm *comm_of(const ts_events *e, const ts_event *v)
{
  return v->kind == TS_KERNEL_COMMUNICATION && v->detail != TS_EVENT_NONE ?
           &e->comms.at[v->detail] :
           NULL;
}

static bool is_message(const ts_event_comm *c)
{
  return c && (c->kind == TS_COMM_SEND || c->kind == TS_COMM_RECV);
}

/* "ep * dp" and "ep*dp" are the same. */
static bool same_axes(const char *a, const char *b)
{
  for (;; a++, b++) {
    while (*a == ' ') a++;
    while (*b == ' ') b++;
    if (*a != *b)
      return false;
    if (!*a)
      return true;
  }
}

/* The place in `groups`; -1: the formats have no name for it. */
static int group_of(const ts_form_writer *w, const ts_event_comm *c)
{
  for (int i = 0; i < EXPERTS; i++)
    if (same_axes(groups[i].axes, ts_events_text(w->e, c->group_label)))
      return i == DP && w->experts ? EXPERTS : i;
  return -1;
}

bool ts_has_experts(const ts_events *e)
{
  static const char *const axes[] = {"ep", "ep*dp", "tp*ep"};
  for (size_t i = 0; i < e->comms.count; i++)
    for (size_t k = 0; k < sizeof axes / sizeof *axes; k++)
      if (same_axes(ts_events_text(e, e->comms.at[i].group_label), axes[k]))
        return true;
  return false;
}

static bool no_group(ts_form_writer *w, const ts_event_comm *c)
{
  return ts_fail(w->error, "name the axes of the mesh tp, ep, dp and pp",
                 "a workload has no group for the axes `%.40s`",
                 ts_events_text(w->e, c->group_label));
}

/* ---- AICB ---- */

/* A section: the ranks of a program are those from w->e->rank to the next program's first. */
static void put_section(ts_form_writer *w)
{
  uint32_t ranks = w->world / (w->programs ? w->programs : 1), first = (uint32_t)w->e->rank;
  if (w->programs < 2) {
    fprintf(w->out, "[rank0 ~ rank%u]\n", w->world - 1);
  } else {
    fprintf(w->out, "[ pp_stage%u: [", first / ranks);
    for (uint32_t r = 0; r < ranks; r++) fprintf(w->out, r ? ", rank%u" : "rank%u", first + r);
    fputs("] ]\n", w->out);
  }
  fputs("comm_type,comm_group,comm_group_size,msg_size,stage,dst,src,additional,_elapsed_time,"
        "algbw,busbw,count\n"
        /* nothing prepares the job */
        "CommType.epoch_end,None,None,0,,None,None,,None,None,None,1\n",
        w->out);
}

static bool workload_put_row(ts_form_writer *w, uint32_t i)
{
  static const char *const types[] = {
    [TS_COMM_ALL_REDUCE] = "all_reduce", [TS_COMM_ALL_GATHER] = "all_gather",
    [TS_COMM_REDUCE_SCATTER] = "reduce_scatter", [TS_COMM_BROADCAST] = "broadcast",
    [TS_COMM_REDUCE] = "reduce", [TS_COMM_ALL_TO_ALL] = "all_to_all",
    [TS_COMM_GATHER] = "gather", [TS_COMM_SCATTER] = "scatter", [TS_COMM_BARRIER] = "barrier",
    [TS_COMM_SEND] = "isend", [TS_COMM_RECV] = "irecv", [TS_COMM_SEND_RECV] = "all_to_all"};
  TS_TABLE(types, TS_COMM_KINDS);
  const ts_events *e = w->e;
  const ts_event *v = ts_event_at(e, i);
  const ts_event_comm *c = comm_of(e, v);
  const char *name = ts_events_text(e, v->name);
  if (!c) {
    if (v->duration > 0)
      ts_put_csv(w->out, "CommType.computation,None,None,,%s,None,None,,%" PRId64 ",None,None,1\n",
                  name, v->duration);
    return true;
  }
  int64_t bytes = c->bytes > 0 ? c->bytes : 0;
  if (is_message(c)) {
    const char *end = c->peer > e->rank ? "next" : "prev";
    ts_put_csv(w->out, "CommType.%s,CommGroup.pp_group,1,%" PRId64 ",%s,None,None,%s_%s,None,"
                        "None,None,1\n",
                types[c->kind], bytes, name, c->kind == TS_COMM_SEND ? "send" : "recv", end);
    return true;
  }
  int group = group_of(w, c);
  bool all = c->size == w->world;
  if (group < 0 && !all)
    return no_group(w, c);
  ts_put_csv(w->out, "CommType.%s,CommGroup.%s,%" PRId64 ",%" PRId64 ",%s,None,None,,None,None,"
                      "None,1\n",
              types[c->kind], group < 0 ? "all_nodes" : groups[group].aicb, c->size, bytes, name);
  return true;
}

static void end_section(ts_form_writer *w)
{
  fputs("CommType.epoch_end,None,None,0,,None,None,,None,None,None,1\n", w->out);
}

const ts_form ts_form_aicb = {put_section, workload_put_row, end_section};

/* ---- SimAI ---- */

/* What a line says of one pass; backward lines are kept until the end, because they run upwards. */
typedef struct workload_line {
  uint32_t name;
  int64_t time, bytes;
  const ts_event_comm *comm;
} workload_line;
typedef struct workload_lines {
  TS_VEC(workload_line) forward, backward;
  bool begun;
} workload_lines;

static workload_lines *lines_of(ts_form_writer *w)
{
  if (!w->state)
    w->state = TS_NEW(w->work, workload_lines);
  return w->state;
}

static bool put_line(ts_form_writer *w, uint32_t i)
{
  const ts_events *e = w->e;
  const ts_event *v = ts_event_at(e, i);
  const ts_event_comm *c = comm_of(e, v);
  workload_lines *all = lines_of(w);
  if (c && !is_message(c) && group_of(w, c) < 0)
    return no_group(w, c);
  if (is_message(c) || (!c && v->duration <= 0))
    return true;
  if (!c && v->flags & TS_EVENT_BACKWARD)
    all->begun = true;
  workload_line l = {v->name, c ? 0 : v->duration, c && c->bytes > 0 ? c->bytes : 0, c};
  if (all->begun)
    TS_PUSH(w->work, &all->backward, l);
  else
    TS_PUSH(w->work, &all->forward, l);
  return true;
}

/* Groups over data sum weights beside the computations, in the last three columns. */
static void print_line(ts_form_writer *w, const workload_line *l, bool backward)
{
  static const char *const types[] = {
    [TS_COMM_ALL_REDUCE] = "ALLREDUCE", [TS_COMM_ALL_GATHER] = "ALLGATHER",
    [TS_COMM_REDUCE_SCATTER] = "REDUCESCATTER", [TS_COMM_BROADCAST] = "BROADCAST",
    [TS_COMM_REDUCE] = "REDUCE", [TS_COMM_ALL_TO_ALL] = "ALLTOALL",
    [TS_COMM_SEND_RECV] = "ALLTOALL"};
  TS_TABLE(types, TS_COMM_KINDS);
  char type[32] = "NONE";
  const char *axes = l->comm ? ts_events_text(w->e, l->comm->group_label) : "";
  bool data = strcmp(axes, "dp") == 0 || strcmp(axes, "ep*dp") == 0;
  if (l->comm && types[l->comm->kind])
    snprintf(type, sizeof type, "%s%s", types[l->comm->kind],
             groups[group_of(w, l->comm)].simai);
  const char *name = ts_events_text(w->e, l->name);
  char *word = ts_arena_copy(w->work, *name ? name : "work", strlen(*name ? name : "work") + 1);
  for (char *at = word; *at; at++) *at = *at == ' ' || *at == '\t' ? '_' : *at;
  ts_put_text(w->out, "%s\t-1", word);
  for (int column = 0; column < 3; column++) {
    bool own = column == (data ? 2 : backward ? 1 : 0);
    ts_put_text(w->out, "\t%" PRId64 "\t%s\t%" PRId64, own ? l->time : 0, own ? type : "NONE",
                own ? l->bytes : 0);
  }
  fputs("\t0\n", w->out);
}

static void workload_put_lines(ts_form_writer *w)
{
  workload_lines *all = lines_of(w);
  uint32_t size[3] = {1, 1, w->programs > 1 ? w->programs : 1};
  static const char *const axes[] = {"tp", "ep"};
  for (size_t g = 0; g < w->e->groups.count; g++)
    for (int a = 0; a < 2; a++)
      if (strcmp(ts_events_text(w->e, w->e->groups.at[g].label), axes[a]) == 0)
        size[a] = (uint32_t)w->e->groups.at[g].size;
  fprintf(w->out,
          "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: %u ep: %u pp: %u vpp: 1 ga: 1 "
          "all_gpus: %u checkpoints: 0 checkpoint_initiates: 0\n%zu\n",
          size[0], size[1], size[2], w->world, all->forward.count + all->backward.count);
  for (size_t i = 0; i < all->forward.count; i++) print_line(w, &all->forward.at[i], false);
  for (size_t i = all->backward.count; i-- > 0;) print_line(w, &all->backward.at[i], true);
}

const ts_form ts_form_simai = {.node = put_line, .tail = workload_put_lines};
