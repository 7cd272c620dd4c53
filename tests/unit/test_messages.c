/* Messages against closed forms, and against queues written here by hand.
 *
 * To one peer they follow LogGP (Alexandrov et al., "LogGP: incorporating long messages into the
 * LogP model", SPAA 1995): with o what a call costs its sender, G the time of a byte and L the
 * latency, the k-th of messages that could all leave at 0 is there at k (o + G bytes) + L, and not
 * at k (o + G bytes + L).
 *
 * To several peers, each link takes the messages that cross it one after the other, each for bytes
 * / rate; a message is there when each link of its path has had its time, and L later. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "runtime/collective/network_internal.h"
#include "runtime/account/run.h"
#include "runtime/play/slowdown.h"
#include "tests/unit/ir_text.h"

enum { MOST_PEERS = 6, MOST_MESSAGES = 30 };

/* wait: ps of work before it is sent */
typedef struct message { int peer; uint64_t bytes, wait; } message;

typedef struct job { /* device 0 sends through a port of its own, and a link to each peer */
  int peers, count;
  double trunk, rate[MOST_PEERS]; /* GB/s */
  const char *models;             /* of the network */
  message at[MOST_MESSAGES];
} job;

static void put(ir_text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put(ir_text *t, const char *format, ...)
{
  char line[512];
  va_list list;
  va_start(list, format);
  ir_text_put(t, line, (size_t)vsnprintf(line, sizeof line, format, list));
  va_end(list);
}

static ts_ir_builder *builder_of(const job *j)
{
  ir_text t = {0};
  put(&t,
      "axis pp %d pipeline\nstream compute\nstream comm\ndevice_class d 1 TB/s\ndevices gpu[%d] of "
      "d\nswitches port[1]\n",
      j->peers + 1, j->peers + 1);
  put(&t, "link_class trunk %.17g GB/s latency 1 us\nlink gpu[0] -- port[0] trunk\n", j->trunk);
  for (int p = 0; p < j->peers; p++)
    put(&t, "link_class to%d %.17g GB/s latency 4 us\nlink port[0] -- gpu[%d] to%d\n", p,
        j->rate[p], p + 1, p);
  put(&t, "%s", j->models);
  for (int i = 0; i < j->count; i++)
    put(&t,
        "fragment S%d {\n w: compute %llu ps\n send %llu B over pp after w\n}\nfragment R%d { recv "
        "%llu B over pp }\n",
        i, (unsigned long long)j->at[i].wait, (unsigned long long)j->at[i].bytes, i,
        (unsigned long long)j->at[i].bytes);
  put(&t, "program {\n");
  for (int i = 0; i < j->count; i++)
    put(&t, " S%d %d to %d\n", i, i, j->at[i].peer + 1);
  put(&t, "}\n");
  for (int p = 0; p < j->peers; p++) {
    put(&t, "program {\n");
    for (int i = 0; i < j->count; i++)
      if (j->at[i].peer == p)
        put(&t, " R%d %d from 0\n", i, i);
    put(&t, "}\n");
  }
  ts_error error = {0};
  ts_ir_builder *b = ir_text_read(t.at, &error);
  cr_assert(b, "line %u: %s\n%s", error.line, error.message, t.at);
  free(t.at);
  return b;
}

typedef struct arrivals { uint64_t at[MOST_MESSAGES], held; } arrivals;

static void note(void *closure, const ts_span_event *e)
{
  arrivals *a = closure;
  if (e->node->op == TS_IR_RECV)
    a->at[e->tag] = e->end;
  if (e->node->op == TS_IR_SEND)
    a->held += e->end - e->start;
}

static void check_sums(const ts_run *run)
{
  const ts_result *r = ts_run_result(run);
  uint64_t path = 0;
  ts_critical_parts parts = ts_run_critical(run);
  for (uint32_t i = 0; i < parts.count; i++)
    path += parts.at[i].time;
  cr_assert_eq(path, r->step, "critical path");
  for (uint32_t c = 0; c < r->class_count; c++) {
    const ts_class_result *x = &r->classes[c];
    uint64_t sum = x->bubble + x->host + x->tail;
    for (uint32_t i = 0; i < TS_IR_PHASES; i++)
      sum += x->phase[i];
    for (uint32_t i = 0; i < x->comm_count; i++)
      sum += x->comms[i].exposed;
    cr_assert_eq(sum, r->step, "class %u", c);
  }
}

static arrivals played(const job *j, const ts_run_options *options, uint32_t order)
{
  ts_ir_builder *b = builder_of(j);
  ts_ir ir;
  ts_ir_builder_view(b, &ir);
  ts_stop stop = {.arena = ts_arena_new("test")};
  ts_run *run = ts_run_ordered(&ir, options, order, &stop);
  cr_assert(run, "%s", stop.title);
  arrivals a = {0};
  for (uint32_t r = 0; r <= (uint32_t)j->peers; r++)
    ts_run_timeline(run, r, note, &a);
  check_sums(run);
  ts_run_free(run);
  ts_arena_free(stop.arena);
  ts_ir_builder_free(b);
  return a;
}

static void check_close(const arrivals *got, const arrivals *expected, const job *j, uint64_t off,
                        const char *what)
{
  for (int i = 0; i < j->count; i++) {
    uint64_t d =
      got->at[i] > expected->at[i] ? got->at[i] - expected->at[i] : expected->at[i] - got->at[i];
    cr_assert_leq(d, off, "%s: message %d of %d at %llu, not %llu", what, i, j->count,
                  (unsigned long long)got->at[i], (unsigned long long)expected->at[i]);
  }
}

/* ---- One peer ---- */

static void check_pipeline(const char *models, double o, double latency, double rate)
{
  job j = {.peers = 1, .count = 20, .trunk = 25, .rate = {10}, .models = models};
  arrivals expected = {0};
  for (int i = 0; i < j.count; i++) {
    j.at[i].bytes = 1000000;
    expected.at[i] = (uint64_t)llround((i + 1) * (o + 1e6 / rate * 1e12) + latency);
  }
  const ts_run_options options[] = {{0},
                                    {.no_fold = true},
                                    {.overlap = &ts_slowdown_nothing},
                                    {.contention = true},
                                    {.overlap = &ts_slowdown_nothing, .contention = true}};
  for (size_t k = 0; k < sizeof options / sizeof *options; k++) {
    arrivals got = played(&j, &options[k], 0);
    check_close(&got, &expected, &j, 20, models);
    cr_assert(llabs((long long)(got.held - (expected.at[19] - (uint64_t)latency))) <= 20,
              "%s: a stream is held for o and the bytes", models);
  }
}

Test(messages, latency_pipelines)
{
  /* the links: 1 us and 4 us */
  check_pipeline("", 0, 5e6, 10e9);
  check_pipeline("net_model m alpha_beta for message efficiency 0.5 base 3 us hop 7 us\n", 3e6,
                 12e6, 5e9);
  /* hop and links */
  check_pipeline("net_model m flow for message base 3 us hop 7 us\n", 3e6, 12e6, 10e9);
  check_pipeline(
    "net_model m table for message {\n message 2 1 1 kB 6 us\n message 2 1 1 MB 105.9 us\n}\n", 0,
    5.9e6, 10e9);
  /* nothing tells */
  check_pipeline("net_model m table for message {\n message 2 1 1 MB 100 us\n}\n", 0, 0, 10e9);
  check_pipeline("net_model m white_box {\n method message pairs simple channels 2 threads 512 "
                 "connection 3 us believed 3 us intra_hop 7 us intra_rate 5 GB/s\n}\n",
                 3e6, 7e6, 5e9);
}

/* Packets of messages that are played together: as alone, but that one which follows on another
 * begins when that has arrived, its path's latency later. */
Test(messages, packets_together)
{
  if (!ts_packet_available())
    cr_skip_test("no ns-3 in this build");
  job j = {.peers = 1,
           .count = 20,
           .trunk = 25,
           .rate = {10},
           .models = "net_model m packet for message base 3 us hop 7 us\n"};
  for (int i = 0; i < j.count; i++)
    j.at[i].bytes = 1 << 20;
  arrivals alone = played(&j, &(ts_run_options){0}, 0),
           together = played(&j, &(ts_run_options){.contention = true}, 0);
  /* bytes over the slower link, a packet over the other; a device begins anew for each message */
  double each = 3e6 + (256 / 10e9 + 1 / 25e9) * (4096 + 82) * 1e12;
  cr_assert_float_eq((double)alone.at[19], 20 * each + 12e6, 1e5, "%f us", (double)alone.at[19] * 1e-6);
  for (int i = 0; i < j.count; i++)
    cr_assert(together.at[i] >= alone.at[i] && together.at[i] <= alone.at[i] + 5000000u * (unsigned)i,
              "%d: %f us, alone %f", i, (double)together.at[i] * 1e-6, (double)alone.at[i] * 1e-6);
}

Test(messages, latency_of_curves)
{
  ts_ir_net_curve c = {.collective = TS_IR_MESSAGE,
                       .least_ranks = 2,
                       .most_ranks = 2,
                       .least = 1,
                       .most = 1 << 30,
                       .intra_latency = 4000000,
                       .intra_limit = 10e9,
                       .intra_slope = 1,
                       .intra_middle = 1e-3,
                       .weights = {0, 1.5},
                       .late = {1.5},
                       .most_late = 2};
  ts_profile p = {.ranks = 2, .islands = 1, .per_island = 2, .intra = 10e9};
  ts_estimate e = ts_curve_estimate(&c, 1000000, &p);
  cr_assert_float_eq((double)e.latency, 4e6 * 1.5 * 1.5, 2);
  cr_assert_float_eq((double)(e.time - e.latency), 1e6 / 10e9 * 1e12 * 1.5 * 1.5, 1e6);
}

/* ---- Several ---- */

static uint32_t next(uint32_t *state)
{
  *state = *state * 1664525u + 1013904223u;
  return *state >> 8;
}

/* Links of 1 to 40 GB/s, a port of 2 to 100 GB/s, messages of up to 4 MB, sent at once or after a
 * while. */
static job random_job(uint32_t seed)
{
  uint32_t state = seed * 2654435761u + 1;
  job j = {.peers = 1 + (int)(next(&state) % MOST_PEERS),
           .count = 1 + (int)(next(&state) % MOST_MESSAGES),
           .trunk = 2 + next(&state) % 99,
           .models = ""};
  for (int p = 0; p < j.peers; p++)
    j.rate[p] = 1 + next(&state) % 40;
  for (int i = 0; i < j.count; i++)
    j.at[i] = (message){(int)(next(&state) % (uint32_t)j.peers), next(&state) % 4000000,
                        next(&state) % 3 ? 0 : next(&state) % 200 * UINT64_C(1000000)};
  return j;
}

static bool one_peer(const job *j)
{
  for (int i = 1; i < j->count; i++)
    if (j->at[i].peer != j->at[0].peer)
      return false;
  return true;
}

/* A stream that sends to a single peer sends one message after the other; so do links. */
static arrivals by_queues(const job *j)
{
  double now = 0, port = 0, link[MOST_PEERS] = {0};
  arrivals a = {0};
  for (int i = 0; i < j->count; i++) {
    const message *m = &j->at[i];
    double rate = j->rate[m->peer], slowest = rate < j->trunk ? rate : j->trunk;
    now += (double)m->wait;
    port = fmax(port, now) + (double)m->bytes / (one_peer(j) ? slowest : j->trunk) * 1e3;
    link[m->peer] = fmax(link[m->peer], now) + (double)m->bytes / rate * 1e3;
    a.at[i] = (uint64_t)llround(fmax(port, link[m->peer]) + 5e6);
  }
  return a;
}

Test(messages, peers_on_links_of_their_own_do_not_wait_for_each_other)
{
  job j = {.peers = 3, .count = 3, .trunk = 100, .rate = {10, 10, 10}, .models = ""};
  for (int i = 0; i < 3; i++)
    j.at[i] = (message){i, 1000000, 0};
  arrivals a = played(&j, &(ts_run_options){0}, 0);
  for (int i = 0; i < 3; i++)
    cr_assert_eq(a.at[i], 105000000, "message %d is there at %llu ps", i,
                 (unsigned long long)a.at[i]);
  j.trunk = 10; /* the only NIC: one after the other */
  a = played(&j, &(ts_run_options){0}, 0);
  for (int i = 0; i < 3; i++)
    cr_assert_eq(a.at[i], (uint64_t)(i + 1) * 100000000 + 5000000, "message %d is there at %llu ps",
                 i, (unsigned long long)a.at[i]);
}

Test(messages, queues)
{
  for (uint32_t seed = 1; seed <= 200; seed++) {
    job j = random_job(seed);
    arrivals expected = by_queues(&j);
    const ts_run_options options[] = {
      {0}, {.no_fold = true}, {.overlap = &ts_slowdown_nothing}, {.contention = true}};
    for (size_t k = 0; k < sizeof options / sizeof *options; k++) {
      arrivals got = played(&j, &options[k], k == 1 ? seed : 0);
      check_close(&got, &expected, &j, 2 * MOST_MESSAGES, "queues");
    }
  }
}

/* Where each message costs its sender, too, and waits in queues: the path is as long as the step. */
Test(messages, paths_go_through_what_messages_cost_their_sender)
{
  for (uint32_t seed = 1; seed <= 100; seed++) {
    job j = random_job(seed);
    j.models = seed % 2 ? "net_model m flow for message base 30 us hop 7 us\n" :
                          "net_model m alpha_beta for message base 300 us\n";
    played(&j, &(ts_run_options){0}, 0);
  }
}

/* No link carries more than it can, whoever plays: by flows, too, where a port is shared evenly and
 * not by turns. */
Test(messages, no_link_is_faster_than_it_is)
{
  for (uint32_t seed = 1; seed <= 100; seed++) {
    job j = random_job(seed);
    const ts_run_options options[] = {
      {0}, {.contention = true}, {.overlap = &ts_slowdown_nothing, .contention = true}};
    for (size_t k = 0; k < sizeof options / sizeof *options; k++) {
      j.models = k ? "net_model m flow for message\n" : "";
      arrivals got = played(&j, &options[k], 0);
      /* what is posted from here on needs its links */
      for (int first = 0; first < j.count; first++) {
        double begin = 0, port = 0, link[MOST_PEERS] = {0}, last = 0, last_of[MOST_PEERS] = {0};
        for (int i = 0; i <= first; i++)
          begin += (double)j.at[i].wait;
        for (int i = first; i < j.count; i++) {
          int p = j.at[i].peer;
          port += (double)j.at[i].bytes / j.trunk * 1e3;
          link[p] += (double)j.at[i].bytes / j.rate[p] * 1e3;
          last = fmax(last, (double)got.at[i]);
          last_of[p] = fmax(last_of[p], (double)got.at[i]);
        }
        cr_assert_geq(last + 100, begin + port + 5e6, "seed %u: port", seed);
        for (int p = 0; p < j.peers; p++)
          cr_assert(link[p] == 0 || last_of[p] + 100 >= begin + link[p] + 5e6,
                    "seed %u: link of peer %d", seed, p);
      }
    }
  }
}

/* Where the port has enough for all links together, flows and queues are the same: messages to each
 * peer go one after the other. */
Test(messages, flows_over_links_of_their_own)
{
  for (uint32_t seed = 1; seed <= 100; seed++) {
    job j = random_job(seed);
    j.trunk = 1e6;
    arrivals expected = by_queues(&j);
    j.models = "net_model m flow for message\n";
    const ts_run_options options[] = {
      {0}, {.contention = true}, {.overlap = &ts_slowdown_nothing, .contention = true}};
    for (size_t k = 0; k < sizeof options / sizeof *options; k++) {
      arrivals got = played(&j, &options[k], 0);
      check_close(&got, &expected, &j, 2000, "flows");
    }
  }
}


/* More latency moves arrivals by as much, and nothing else. */
Test(messages, latency_is_added_once)
{
  for (uint32_t seed = 1; seed <= 50; seed++) {
    job j = random_job(seed);
    j.models = "net_model m alpha_beta for message hop 1 us\n";
    arrivals near = played(&j, &(ts_run_options){0}, 0);
    j.models = "net_model m alpha_beta for message hop 901 us\n";
    arrivals far = played(&j, &(ts_run_options){0}, 0);
    for (int i = 0; i < j.count; i++)
      cr_assert_eq(far.at[i], near.at[i] + 900000000, "seed %u: message %d", seed, i);
    cr_assert_eq(far.held, near.held);
  }
}
