#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "runtime/collective/packet_processes.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "base/heap.h"

/* What processes share of a task. */
typedef struct shared_task {
  _Atomic ts_packet_status status;
  _Atomic double share; /* of it that was played */
  size_t end, use;      /* where in the shared memory its results are, bytes */
} shared_task;

typedef struct workers {
  ts_packet_task *tasks;
  uint32_t count;
  uint32_t *order; /* the longest first */
  double *packets; /* of each task */
  char *memory;    /* shared: `next`, then the tasks, then results */
  size_t size;
  atomic_uint *next;
  shared_task *shared;
} workers;

/* ---- A process ---- */

static bool note_share(void *closure, const char *what, double share)
{
  (void)what;
  *(_Atomic double *)closure = share;
  return true;
}

static _Noreturn void play_some(const workers *c)
{
#ifdef __linux__
  prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
  signal(SIGINT, SIG_IGN); /* who waits for it is told, and ends it */
  signal(SIGTERM, SIG_DFL);
  ts_heap_of_helper(); /* what it cannot play the other one plays */
  for (unsigned i; (i = atomic_fetch_add(c->next, 1)) < c->count;) {
    shared_task *s = &c->shared[c->order[i]];
    ts_packet_job job = c->tasks[c->order[i]].job;
    job.progress = &(ts_progress){.tick = note_share, .closure = &s->share};
    s->status = ts_packet_play(&job, (uint64_t *)(void *)(c->memory + s->end),
                               (ts_packet_use *)(void *)(c->memory + s->use));
    s->share = 1;
  }
  _exit(0);
}

/* ---- Who waits ---- */

static size_t packet_processes_place(size_t *size, size_t bytes)
{
  size_t at = *size;
  *size += (bytes + 63) / 64 * 64;
  return at;
}

static bool share_memory(workers *c)
{
  size_t shared, next = packet_processes_place(&c->size, sizeof *c->next);
  shared = packet_processes_place(&c->size, c->count * sizeof *c->shared);
  size_t results = c->size;
  for (uint32_t i = 0; i < c->count; i++) {
    packet_processes_place(&c->size, c->tasks[i].job.flow_count * sizeof(uint64_t));
    packet_processes_place(&c->size,
                           2 * (size_t)c->tasks[i].job.link_count * sizeof(ts_packet_use));
  }
  c->memory = mmap(NULL, c->size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (c->memory == MAP_FAILED)
    return false;
  c->next = (atomic_uint *)(void *)(c->memory + next);
  c->shared = (shared_task *)(void *)(c->memory + shared);
  for (uint32_t i = 0; i < c->count; i++) {
    c->shared[i].status = TS_PACKET_STOPPED;
    c->shared[i].end =
      packet_processes_place(&results, c->tasks[i].job.flow_count * sizeof(uint64_t));
    c->shared[i].use = packet_processes_place(&results, 2 * (size_t)c->tasks[i].job.link_count *
                                                          sizeof(ts_packet_use));
  }
  return true;
}

static void order_tasks(workers *c)
{
  for (uint32_t i = 0; i < c->count; i++) {
    uint32_t at = i;
    c->packets[i] = ts_packet_count(&c->tasks[i].job);
    for (; at && c->packets[c->order[at - 1]] < c->packets[i]; at--)
      c->order[at] = c->order[at - 1];
    c->order[at] = i;
  }
}

static double played(const workers *c)
{
  double all = 0, done = 0;
  for (uint32_t i = 0; i < c->count; i++) {
    all += c->packets[i];
    done += c->packets[i] * c->shared[i].share;
  }
  return all > 0 ? done / all : 1;
}

static void wait_for(const workers *c, pid_t *process, uint32_t count, const ts_progress *progress)
{
  uint32_t left = count;
  while (left) {
    bool stop = !ts_tick(progress, "packets", played(c));
    for (uint32_t p = 0; p < count; p++) {
      if (process[p] && stop)
        kill(process[p], SIGKILL);
      if (process[p] && waitpid(process[p], NULL, stop ? 0 : WNOHANG) != 0) {
        process[p] = 0;
        left--;
      }
    }
    if (left)
      nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
  }
}

static void take_results(workers *c)
{
  for (uint32_t i = 0; i < c->count; i++) {
    ts_packet_task *t = &c->tasks[i];
    t->status = c->shared[i].status;
    if (t->status != TS_PACKET_DONE)
      continue;
    memcpy(t->end, c->memory + c->shared[i].end, t->job.flow_count * sizeof *t->end);
    memcpy(t->use, c->memory + c->shared[i].use, 2 * (size_t)t->job.link_count * sizeof *t->use);
  }
}

void ts_packet_processes_play(ts_packet_task *tasks, uint32_t count, uint32_t processes,
                              const ts_progress *progress)
{
  workers c = {.tasks = tasks,
               .count = count,
               .order = ts_heap_new(count, sizeof *c.order),
               .packets = ts_heap_new(count, sizeof *c.packets)};
  pid_t *process = ts_heap_new(processes, sizeof *process);
  uint32_t begun = 0;
  for (uint32_t i = 0; i < count; i++)
    tasks[i].status = TS_PACKET_STOPPED;
  order_tasks(&c);
  if (share_memory(&c)) {
    for (; begun < processes && begun < count; begun++) {
      pid_t child = fork();
      if (!child)
        play_some(&c);
      if (child < 0)
        break;
      process[begun] = child;
    }
    wait_for(&c, process, begun, progress);
    take_results(&c);
    munmap(c.memory, c.size);
  }
  free(c.order);
  free(c.packets);
  free(process);
}
