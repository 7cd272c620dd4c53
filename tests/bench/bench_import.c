/* Speed of reading a trace of the PyTorch profiler: about 1 GB of events as a training step has
 * them (operators with shapes, calls, kernels, flows, functions of Python), made in a temporary
 * file, read and joined, then summed up; and the largest memory that took. The floor is the same
 * bytes read and looked at for line breaks. TS_BENCH_TRACE names a recording whose text is repeated
 * instead. */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "trace/summary.h"

enum { SIZE = 1000 * 1000 * 1000, BLOCK = 1 << 20 };

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* One operator with its call, kernel and flow. */
static void put_operator(FILE *out, long i)
{
  long us = 1700000000000000 + 40 * i;
  fprintf(out,
          "  {\n    \"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"aten::addmm\", \"pid\": 4711, "
          "\"tid\": 4711,\n    \"ts\": %ld.125, \"dur\": 31.250,\n    \"args\": {\n      "
          "\"External id\": %ld,"
          "\"Record function id\": 0, \"Sequence number\": %ld, \"Fwd thread id\": 0, \"Ev Idx\": "
          "%ld, \"Input Dims\": [[4096], [8192, 4096], [4096, 4096], [], []], "
          "\"Input type\": [\"c10::BFloat16\", \"c10::BFloat16\", \"c10::BFloat16\", \"Scalar\", "
          "\"Scalar\"]\n    }\n  },\n",
          us, i + 1, i, i);
  fprintf(out,
          "  {\n    \"ph\": \"X\", \"cat\": \"python_function\", \"name\": "
          "\"torch/nn/modules/linear.py(125): forward\", \"pid\": 4711, \"tid\": 4711,\n    "
          "\"ts\": %ld.000, \"dur\": 33.000,\n"
          "    \"args\": {\n      \"Python parent id\": %ld, \"Python id\": %ld, \"Ev Idx\": %ld\n "
          "   }\n  },\n",
          us, i, i + 1, i);
  fprintf(out,
          "  {\n    \"ph\": \"X\", \"cat\": \"cuda_runtime\", \"name\": \"cudaLaunchKernel\", "
          "\"pid\": 4711, \"tid\": 4711,\n    \"ts\": %ld.500, \"dur\": 4.250,\n    \"args\": {\n"
          "      \"External id\": %ld, \"cbid\": 211, \"correlation\": %ld\n    }\n  },\n",
          us + 10, i + 1, i + 1);
  fprintf(out,
          "  {\n    \"ph\": \"s\", \"id\": %ld, \"pid\": 4711, \"tid\": 4711, \"ts\": %ld.500,\n   "
          " \"cat\": \"ac2g\", \"name\": \"ac2g\"\n  },\n",
          i + 1, us + 10);
  fprintf(
    out,
    "  {\n    \"ph\": \"X\", \"cat\": \"kernel\", \"name\": "
    "\"sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_warpgroupsize1x1x1\", \"pid\": "
    "0, \"tid\": 7,\n    \"ts\": %ld.000, "
    "\"dur\": 35.125,\n    \"args\": {\n      \"External id\": %ld, \"queued\": 0, \"device\": 0, "
    "\"context\": 1, \"stream\": 7, \"correlation\": %ld, \"registers per thread\": 168,\n"
    "      \"shared memory\": 213120, \"blocks per SM\": 1.939394, \"warps per SM\": 23.272728, "
    "\"grid\": [32, 8, 1], \"block\": [384, 1, 1], \"est. achieved occupancy %%\": 19\n    }\n"
    "  },\n",
    us + 200, i + 1, i + 1);
  fprintf(out,
          "  {\n    \"ph\": \"f\", \"id\": %ld, \"pid\": 0, \"tid\": 7, \"ts\": %ld.000,\n    "
          "\"cat\": \"ac2g\", \"name\": \"ac2g\", \"bp\": \"e\"\n  },\n",
          i + 1, us + 200);
}

static void put_made(FILE *out)
{
  fputs("{\"schemaVersion\": 1, \"distributedInfo\": {\"backend\": \"nccl\", \"rank\": 0, "
        "\"world_size\": 8}, \"traceEvents\": [\n",
        out);
  for (long i = 0; ftell(out) < SIZE; i++) put_operator(out, i);
  fputs("  {\"ph\": \"i\", \"name\": \"Record Window End\", \"s\": \"g\", \"pid\": \"\", \"tid\": "
        "\"\", \"ts\": 1}\n]}\n",
        out);
}

/* The events of a recording (not packed) again and again. */
static void put_repeated(FILE *out, const char *path)
{
  FILE *in = fopen(path, "r");
  size_t length = 0, room = in && fseek(in, 0, SEEK_END) == 0 ? (size_t)ftell(in) : 0;
  char *text = calloc(room + 1, 1);
  if (!in || !text)
    abort();
  rewind(in);
  length = fread(text, 1, room, in);
  fclose(in);
  char *events = strstr(text, "\"traceEvents\""), *begin = events ? strchr(events, '[') : NULL,
       *end = text + length;
  while (begin && end > begin && *end != ']') end--;
  if (!begin)
    abort();
  fwrite(text, 1, (size_t)(begin + 1 - text), out);
  do {
    fwrite(begin + 1, 1, (size_t)(end - begin - 1), out);
    fputs(ftell(out) < SIZE ? "," : "", out);
  } while (ftell(out) < SIZE);
  fputs(end, out);
  free(text);
}

static double floor_of(const char *path)
{
  static char block[BLOCK];
  double start = now();
  size_t lines = 0;
  ssize_t got;
  int file = open(path, O_RDONLY);
  while ((got = read(file, block, sizeof block)) > 0)
    for (char *at = block; (at = memchr(at, '\n', (size_t)(block + got - at))); at++) lines++;
  close(file);
  return lines ? now() - start : 0;
}

int main(void)
{
  char path[] = "/tmp/bench_import.XXXXXX";
  const char *recording = getenv("TS_BENCH_TRACE");
  int file = mkstemp(path);
  FILE *out = file < 0 ? NULL : fdopen(file, "w");
  ts_error error;
  struct rusage used;
  if (!out)
    abort();
  if (recording)
    put_repeated(out, recording);
  else
    put_made(out);
  double megabytes = (double)ftell(out) * 1e-6;
  fclose(out);
  double floor = floor_of(path), start = now();
  ts_arena *arena = ts_arena_new("bench");
  ts_events *e = ts_events_read(arena, path, NULL, &error);
  double read = now() - start;
  if (!e)
    abort();
  const ts_trace_summary *s = ts_trace_summary_new(arena, e);
  double all = now() - start;
  getrusage(RUSAGE_SELF, &used);
  printf("%.0f MB, %.1f million events, %u kernels: read and joined %.2f s, %.0f MB/s; summed up, "
         "too %.2f s, %.0f MB/s; %.0f MB of memory\n",
         megabytes, (double)e->seen * 1e-6, s->events->device_count, read, megabytes / read, all,
         megabytes / all, (double)used.ru_maxrss * 1024e-6);
  printf("floor, the bytes read and searched for line breaks: %.2f s, %.0f MB/s\n", floor,
         megabytes / floor);
  ts_arena_free(arena);
  remove(path);
  return 0;
}
