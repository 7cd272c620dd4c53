#define _GNU_SOURCE /* sched_getaffinity */
#include "tools/sweep/wire.h"

#include <stdlib.h>
#include <string.h>

#ifdef TS_HAVE_MPI
#include <mpi.h>
#include <sched.h>
#include <unistd.h>

#include "base/heap.h"

typedef struct posted { MPI_Request request; int rank; void *bytes; } posted;

struct ts_sweep_wire {
  ts_arena *arena;
  MPI_Comm comm; /* errors are returned: of processes that are lost, which is noticed otherwise */
  int rank, size;
  char host[MPI_MAX_PROCESSOR_NAME];
  long processors;
  TS_VEC(posted) posted;
};

/* Launchers tell their processes where they are: Open MPI's, MPICH's and Intel's (PMI), Slurm's and
 * others' (PMIx). Without one MPI is left alone: it would start a daemon. */
static bool launched(void)
{
  static const char *const ranks[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"};
  for (size_t i = 0; i < sizeof ranks / sizeof *ranks; i++)
    if (getenv(ranks[i]))
      return true;
  return false;
}

/* Processes of one machine may be bound to some of its processors, each to its own or several to
 * the same: those with equal sets deal them. */
static long count_processors(int rank)
{
  MPI_Comm machine;
  cpu_set_t own, *all;
  int here, equal = 0;
  CPU_ZERO(&own);
  if (sched_getaffinity(0, sizeof own, &own) != 0)
    return 1;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &machine);
  MPI_Comm_size(machine, &here);
  all = ts_heap_new((size_t)here, sizeof own);
  MPI_Allgather(&own, sizeof own, MPI_BYTE, all, sizeof own, MPI_BYTE, machine);
  for (int i = 0; i < here; i++)
    equal += CPU_EQUAL(&own, &all[i]) != 0;
  free(all);
  MPI_Comm_free(&machine);
  return CPU_COUNT(&own) / equal > 1 ? CPU_COUNT(&own) / equal : 1;
}

bool ts_wire_missing(void) { return false; }

ts_sweep_wire *ts_wire_open(ts_arena *arena)
{
  int level, length;
  if (!launched() || MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level) != MPI_SUCCESS)
    return NULL;
  ts_sweep_wire *w = TS_NEW(arena, ts_sweep_wire);
  w->arena = arena;
  MPI_Comm_size(MPI_COMM_WORLD, &w->size);
  MPI_Comm_rank(MPI_COMM_WORLD, &w->rank);
  if (w->size == 1 || level < MPI_THREAD_FUNNELED) {
    MPI_Finalize();
    return NULL;
  }
  MPI_Get_processor_name(w->host, &length);
  w->processors = count_processors(w->rank);
  MPI_Comm_dup(MPI_COMM_WORLD, &w->comm);
  MPI_Comm_set_errhandler(w->comm, MPI_ERRORS_RETURN);
  return w;
}

int ts_wire_rank(const ts_sweep_wire *w) { return w->rank; }
int ts_wire_size(const ts_sweep_wire *w) { return w->size; }
const char *ts_wire_host(const ts_sweep_wire *w) { return w->host; }
long ts_wire_processors(const ts_sweep_wire *w) { return w->processors; }

/* Gives back what has left. A request with an error is of one who is lost. */
static void reap(ts_sweep_wire *w)
{
  size_t remaining = 0;
  for (size_t i = 0; i < w->posted.count; i++) {
    posted *p = &w->posted.at[i];
    int left = 0;
    if (MPI_Test(&p->request, &left, MPI_STATUS_IGNORE) != MPI_SUCCESS || left)
      free(p->bytes);
    else
      w->posted.at[remaining++] = *p;
  }
  w->posted.count = remaining;
}

void ts_wire_post(ts_sweep_wire *w, int rank, int tag, const void *bytes, size_t size)
{
  posted p = {.rank = rank, .bytes = ts_heap_new(size ? size : 1, 1)};
  if (size)
    memcpy(p.bytes, bytes, size);
  reap(w);
  if (MPI_Isend(p.bytes, (int)size, MPI_BYTE, rank, tag, w->comm, &p.request) == MPI_SUCCESS)
    TS_PUSH(w->arena, &w->posted, p);
  else
    free(p.bytes);
}

bool ts_wire_idle(ts_sweep_wire *w, int rank)
{
  reap(w);
  for (size_t i = 0; i < w->posted.count; i++)
    if (w->posted.at[i].rank == rank)
      return false;
  return true;
}

bool ts_wire_poll(ts_sweep_wire *w, ts_arena *arena, ts_wire_message *m)
{
  int there = 0, size = 0;
  MPI_Status status;
  if (MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, w->comm, &there, &status) != MPI_SUCCESS || !there ||
      MPI_Get_count(&status, MPI_BYTE, &size) != MPI_SUCCESS)
    return false;
  uint8_t *bytes = ts_arena_alloc_raw(arena, (size_t)size + 1);
  if (MPI_Recv(bytes, size, MPI_BYTE, status.MPI_SOURCE, status.MPI_TAG, w->comm,
               MPI_STATUS_IGNORE) != MPI_SUCCESS)
    return false;
  *m = (ts_wire_message){status.MPI_SOURCE, status.MPI_TAG, bytes, (size_t)size};
  return true;
}

void ts_wire_close(ts_sweep_wire *w, bool all)
{
  if (!all)
    return; /* MPI_Finalize would wait for those who are lost */
  while (w->posted.count) {
    reap(w);
    usleep(1000);
  }
  MPI_Comm_free(&w->comm);
  MPI_Finalize();
}

#else

static int wire_number(const char *name)
{
  const char *text = getenv(name);
  return text ? atoi(text) : 0;
}

bool ts_wire_missing(void)
{
  return wire_number("OMPI_COMM_WORLD_SIZE") > 1 || wire_number("PMI_SIZE") > 1;
}

ts_sweep_wire *ts_wire_open(ts_arena *arena) { return (void)arena, NULL; }

/* None is open, so none of these is called. */
int ts_wire_rank(const ts_sweep_wire *w) { return (void)w, 0; }
int ts_wire_size(const ts_sweep_wire *w) { return (void)w, 1; }
const char *ts_wire_host(const ts_sweep_wire *w) { return (void)w, ""; }
long ts_wire_processors(const ts_sweep_wire *w) { return (void)w, 1; }
void ts_wire_post(ts_sweep_wire *w, int rank, int tag, const void *bytes, size_t size)
{
  (void)w, (void)rank, (void)tag, (void)bytes, (void)size;
}
bool ts_wire_idle(ts_sweep_wire *w, int rank) { return (void)w, (void)rank, true; }
bool ts_wire_poll(ts_sweep_wire *w, ts_arena *arena, ts_wire_message *m)
{
  return (void)w, (void)arena, (void)m, false;
}
void ts_wire_close(ts_sweep_wire *w, bool all) { (void)w, (void)all; }
#endif
