#include "runtime/account/allocator.h"

#include <stdlib.h>
#include <string.h>

#include "base/order.h"

static const uint64_t MIB = 1024 * 1024;
#define LEAST_BLOCK 512u
#define SMALL_SIZE MIB
#define SMALL_SEGMENT (2 * MIB)
#define LARGE_SEGMENT (20 * MIB)
#define LARGE_SIZE (10 * MIB)
#define ROUND_LARGE (2 * MIB)
#define NONE UINT32_MAX

typedef struct allocator_block {
  uint64_t address, size, requested;
  uint32_t before, after; /* neighbours in the segment, or NONE */
  uint32_t stream;
  bool small, taken;
} allocator_block;

struct ts_allocator {
  ts_arena *arena;
  ts_allocator_options options;
  uint64_t limit;
  TS_VEC(allocator_block) blocks;
  TS_VEC(uint32_t) unused; /* places in `blocks` */
  TS_VEC(uint32_t) free;   /* free blocks, by pool, stream, size, address */
  uint64_t next_address;
  ts_allocator_state now;
};

const char *ts_allocator_parse(const char *text, ts_allocator_options *o)
{
  static const struct unit {
    const char *name;
    uint64_t bytes;
  } units[] = {{"KiB", 1024}, {"MiB", 1 << 20}, {"GiB", 1 << 30}};
  *o = (ts_allocator_options){0};
  if (strncmp(text, "caching", 7) != 0)
    return "the allocator is `caching`";
  for (text += 7; *text;) {
    if (strncmp(text, ":expandable", 11) == 0) {
      o->expandable = true;
      text += 11;
      continue;
    }
    if (strncmp(text, ":streams", 8) == 0) {
      o->streams = true;
      text += 8;
      continue;
    }
    char *end;
    if (strncmp(text, ":channels=", 10) == 0) {
      unsigned long channels = strtoul(text + 10, &end, 10);
      if (channels < 1 || channels > 64 || (*end && *end != ':'))
        return "channels are from 1 to 64";
      o->channels = (uint32_t)channels;
      text = end;
      continue;
    }
    if (strncmp(text, ":max_split=", 11) != 0)
      return "after `caching` come `:expandable`, `:max_split=SIZE`, `:streams` and `:channels=N`";
    uint64_t number = strtoull(text + 11, &end, 10);
    uint32_t u = 0;
    while (u < 3 && strncmp(end, units[u].name, 3) != 0)
      u++;
    if (u == 3 || !number || number > UINT64_C(1) << 30)
      return "a size is a number and KiB, MiB or GiB";
    o->max_split_size = number * units[u].bytes;
    text = end + 3;
  }
  return o->max_split_size && o->max_split_size <= LARGE_SEGMENT ? "max_split is more than 20MiB" :
                                                                   NULL;
}

ts_allocator *ts_allocator_new(ts_arena *arena, const ts_allocator_options *options, uint64_t limit)
{
  ts_allocator *a = TS_NEW(arena, ts_allocator);
  *a = (ts_allocator){
    .arena = arena, .options = *options, .limit = limit ? limit : UINT64_MAX, .next_address = 1};
  return a;
}

ts_allocator_state ts_allocator_now(const ts_allocator *a) { return a->now; }

static uint64_t round_up(uint64_t size, uint64_t to) { return (size + to - 1) / to * to; }

static uint64_t max_split(const ts_allocator *a)
{
  return a->options.max_split_size ? a->options.max_split_size : UINT64_MAX;
}

/* ---- Free blocks ---- */

static int allocator_compare(const allocator_block *a, const allocator_block *b)
{
  if (a->small != b->small)
    return a->small ? -1 : 1;
  if (a->stream != b->stream)
    return a->stream < b->stream ? -1 : 1;
  if (a->size != b->size)
    return a->size < b->size ? -1 : 1;
  return a->address < b->address ? -1 : a->address > b->address;
}

static size_t allocator_place_of(const ts_allocator *a, const allocator_block *wanted)
{
  size_t at;
  TS_SEARCH(at, 0, a->free.count, allocator_compare(&a->blocks.at[a->free.at[at]], wanted) < 0);
  return at;
}

static void add_free(ts_allocator *a, uint32_t b)
{
  size_t at = allocator_place_of(a, &a->blocks.at[b]);
  TS_PUSH(a->arena, &a->free, b);
  memmove(a->free.at + at + 1, a->free.at + at, (a->free.count - 1 - at) * sizeof *a->free.at);
  a->free.at[at] = b;
}

static void drop_free(ts_allocator *a, uint32_t b)
{
  size_t at = allocator_place_of(a, &a->blocks.at[b]);
  memmove(a->free.at + at, a->free.at + at + 1, (--a->free.count - at) * sizeof *a->free.at);
}

static uint32_t new_block(ts_allocator *a, allocator_block b)
{
  if (a->unused.count) {
    uint32_t at = a->unused.at[--a->unused.count];
    a->blocks.at[at] = b;
    return at;
  }
  TS_PUSH(a->arena, &a->blocks, b);
  return (uint32_t)a->blocks.count - 1;
}

/* ---- Segments ---- */

static uint64_t segment_size(uint64_t size)
{
  return size <= SMALL_SIZE ? SMALL_SEGMENT :
         size < LARGE_SIZE  ? LARGE_SEGMENT :
                              round_up(size, ROUND_LARGE);
}

static uint32_t new_segment(ts_allocator *a, uint64_t size, uint32_t stream, bool small)
{
  uint64_t bytes = segment_size(size);
  if (bytes > a->limit - a->now.reserved)
    return NONE;
  uint32_t b = new_block(a, (allocator_block){.address = a->next_address,
                                              .size = bytes,
                                              .before = NONE,
                                              .after = NONE,
                                              .stream = stream,
                                              .small = small});
  a->next_address += bytes + 1; /* segments have no common border */
  a->now.reserved += bytes;
  a->now.segments++;
  return b;
}

/* The last block of the pool's one segment, or NONE. */
static uint32_t last_block(const ts_allocator *a, uint32_t stream, bool small)
{
  for (uint32_t b = 0; b < a->blocks.count; b++) {
    const allocator_block *at = &a->blocks.at[b];
    if (at->size && at->after == NONE && at->stream == stream && at->small == small)
      return b;
  }
  return NONE;
}

/* Maps more at the end of the pool's segment, in pages of 2 or 20 MiB, until a free block of that
 * size is there. */
static uint32_t expand(ts_allocator *a, uint64_t size, uint32_t stream, bool small)
{
  uint32_t last = last_block(a, stream, small);
  uint64_t there = last != NONE && !a->blocks.at[last].taken ? a->blocks.at[last].size : 0;
  uint64_t bytes = round_up(size - there, small ? SMALL_SEGMENT : LARGE_SEGMENT);
  if (bytes > a->limit - a->now.reserved)
    return NONE;
  a->now.reserved += bytes;
  if (there) {
    drop_free(a, last);
    a->blocks.at[last].size += bytes;
    return last;
  }
  uint64_t address = last == NONE ? (uint64_t)(2 * stream + small + 1) << 50 :
                                    a->blocks.at[last].address + a->blocks.at[last].size;
  uint32_t b = new_block(a, (allocator_block){.address = address,
                                              .size = bytes,
                                              .before = last,
                                              .after = NONE,
                                              .stream = stream,
                                              .small = small});
  if (last != NONE)
    a->blocks.at[last].after = b;
  else
    a->now.segments++;
  return b;
}

/* Gives segments back that are free as a whole. False: there was none. */
static bool give_back(ts_allocator *a)
{
  size_t remaining = 0;
  for (size_t i = 0; i < a->free.count; i++) {
    uint32_t b = a->free.at[i];
    if (a->blocks.at[b].before != NONE || a->blocks.at[b].after != NONE) {
      a->free.at[remaining++] = b;
      continue;
    }
    a->now.reserved -= a->blocks.at[b].size;
    a->now.segments--;
    a->blocks.at[b].size = 0;
    TS_PUSH(a->arena, &a->unused, b);
  }
  bool some = remaining != a->free.count;
  a->free.count = remaining;
  a->now.retries += some;
  return some;
}

/* ---- Taking and releasing ---- */

static uint32_t best_fit(ts_allocator *a, uint64_t size, uint32_t stream, bool small)
{
  allocator_block wanted = {.size = size, .stream = stream, .small = small};
  size_t at = allocator_place_of(a, &wanted);
  if (at == a->free.count)
    return NONE;
  uint32_t b = a->free.at[at];
  const allocator_block *found = &a->blocks.at[b];
  if (found->stream != stream || found->small != small)
    return NONE;
  /* large blocks are for large requests, */
  if (!a->options.expandable && size < max_split(a) && found->size >= max_split(a))
    return NONE;
  /* and of about their size */
  if (!a->options.expandable && size >= max_split(a) && found->size >= size + LARGE_SEGMENT)
    return NONE;
  drop_free(a, b);
  return b;
}

static bool splits(const ts_allocator *a, const allocator_block *b, uint64_t size)
{
  uint64_t rest = b->size - size;
  if (b->small || a->options.expandable)
    return rest >= LEAST_BLOCK;
  return size < max_split(a) && rest > SMALL_SIZE;
}

static void allocator_split(ts_allocator *a, uint32_t b, uint64_t size)
{
  allocator_block rest = a->blocks.at[b];
  rest.address += size;
  rest.size -= size;
  rest.before = b;
  uint32_t r = new_block(a, rest);
  if (rest.after != NONE)
    a->blocks.at[rest.after].before = r;
  a->blocks.at[b].after = r;
  a->blocks.at[b].size = size;
  add_free(a, r);
}

static uint32_t more(ts_allocator *a, uint64_t size, uint32_t stream, bool small)
{
  return a->options.expandable ? expand(a, size, stream, small) :
                                 new_segment(a, size, stream, small);
}

uint32_t ts_allocator_take(ts_allocator *a, uint64_t bytes, uint32_t stream)
{
  uint64_t size = bytes < LEAST_BLOCK ? LEAST_BLOCK : round_up(bytes, LEAST_BLOCK);
  bool small = size <= SMALL_SIZE;
  uint32_t b = best_fit(a, size, stream, small);
  if (b == NONE)
    b = more(a, size, stream, small);
  if (b == NONE && give_back(a))
    b = more(a, size, stream, small);
  if (b == NONE)
    return NONE;
  if (splits(a, &a->blocks.at[b], size))
    allocator_split(a, b, size);
  a->blocks.at[b].taken = true;
  a->blocks.at[b].requested = bytes;
  a->now.requested += bytes;
  a->now.allocated += a->blocks.at[b].size;
  return b;
}

/* `b` takes in its neighbour `after`, which is free. */
static void allocator_join(ts_allocator *a, uint32_t b, uint32_t after)
{
  allocator_block *at = &a->blocks.at[b], *other = &a->blocks.at[after];
  at->size += other->size;
  at->after = other->after;
  if (other->after != NONE)
    a->blocks.at[other->after].before = b;
  other->size = 0;
  TS_PUSH(a->arena, &a->unused, after);
}

void ts_allocator_release(ts_allocator *a, uint32_t b)
{
  allocator_block *at = &a->blocks.at[b];
  a->now.requested -= at->requested;
  a->now.allocated -= at->size;
  at->taken = false;
  uint32_t after = at->after, before = at->before;
  if (after != NONE && !a->blocks.at[after].taken) {
    drop_free(a, after);
    allocator_join(a, b, after);
  }
  if (before != NONE && !a->blocks.at[before].taken) {
    drop_free(a, before);
    allocator_join(a, before, b);
    b = before;
  }
  add_free(a, b);
}

/* ---- A rank's step ---- */

/* until: when it may be released */
typedef struct held {
  uint64_t bytes;
  uint32_t category;
  ts_ir_str label;
  uint32_t micro_batch, block;
  uint64_t until;
} held;
/* freed in the IR, in other pieces than it was allocated */
typedef struct owed { uint32_t category; ts_ir_str label; uint64_t bytes; } owed;

typedef struct feeder {
  ts_arena *arena;
  const ts_ir *ir;
  ts_allocator *a;
  bool streams, issued;
  TS_VEC(held) live;
  TS_VEC(held) leaving; /* used last by a stream of their own */
  TS_VEC(owed) owed;
  const ts_ir_program *program;
  uint64_t *freed;      /* [holdings] of each, what the step before left and this one frees, ... */
  TS_VEC(ts_ir_mem) left; /* ... and when */
  bool learns;          /* those two */
  ts_reserved *out;
  uint64_t peak_held;   /* most that was allocated while `reserved` was at its peak */
  bool measured;
} feeder;

static void allocator_note(feeder *f)
{
  ts_allocator_state s = ts_allocator_now(f->a);
  if (!f->measured)
    return;
  f->out->allocated = s.allocated > f->out->allocated ? s.allocated : f->out->allocated;
  if (s.reserved > f->out->reserved)
    f->peak_held = 0;
  if (s.reserved >= f->out->reserved) {
    f->out->reserved = s.reserved;
    f->peak_held = s.allocated > f->peak_held ? s.allocated : f->peak_held;
  }
}

static void release_until(feeder *f, uint64_t now)
{
  size_t remaining = 0;
  for (size_t i = 0; i < f->leaving.count; i++) {
    if (f->leaving.at[i].until <= now)
      ts_allocator_release(f->a, f->leaving.at[i].block);
    else
      f->leaving.at[remaining++] = f->leaving.at[i];
  }
  f->leaving.count = remaining;
}

/* The oldest live block that was allocated with the same size, category and label; for the same
 * micro-batch if there is one. */
static size_t find_live(const feeder *f, const ts_ir_mem *mem, uint32_t micro_batch)
{
  size_t found = f->live.count, other = f->live.count;
  for (size_t i = 0; i < f->live.count; i++) {
    const held *h = &f->live.at[i];
    if ((int64_t)h->bytes != -mem->bytes || h->label != mem->label)
      continue;
    if (h->category != mem->category) {
      other = other < i ? other : i;
      continue;
    }
    if (h->micro_batch == micro_batch)
      return i;
    if (found == f->live.count)
      found = i;
  }
  /* a recording knows by the next step alone what the last one's were for */
  return found == f->live.count && f->issued ? other : found;
}

/* Frees what the program held before its first node. False: no such holding has as much left. */
static bool free_held(feeder *f, const ts_ir_mem *mem)
{
  const ts_ir_holding *holdings = f->ir->holdings + f->program->first_holding;
  for (uint32_t h = 0; h < f->program->holding_count; h++)
    if (holdings[h].category == mem->category && holdings[h].label == mem->label &&
        holdings[h].bytes - f->freed[h] >= (uint64_t)-mem->bytes) {
      f->freed[h] += (uint64_t)-mem->bytes;
      TS_PUSH(f->arena, &f->left, *mem);
      return true;
    }
  return false;
}

/* Takes block `i` from those that are live. */
static void let_go(feeder *f, size_t i, const ts_span_event *e)
{
  held h = f->live.at[i];
  memmove(f->live.at + i, f->live.at + i + 1, (--f->live.count - i) * sizeof h);
  h.until = e->end;
  if (e->stream == 0 || e->stream == TS_IR_NONE || f->issued)
    ts_allocator_release(f->a, h.block);
  else
    TS_PUSH(f->arena, &f->leaving, h);
}

/* Several blocks freed as one sum: the oldest of the category and label that it covers. */
static void let_some_go(feeder *f, const ts_ir_mem *mem, const ts_span_event *e)
{
  size_t o = 0;
  while (o < f->owed.count &&
         (f->owed.at[o].category != mem->category || f->owed.at[o].label != mem->label))
    o++;
  if (o == f->owed.count)
    TS_PUSH(f->arena, &f->owed, (owed){mem->category, mem->label, 0});
  f->owed.at[o].bytes += (uint64_t)-mem->bytes;
  for (size_t i = 0; i < f->live.count;) {
    const held *h = &f->live.at[i];
    if (h->category == mem->category && h->label == mem->label &&
        h->bytes <= f->owed.at[o].bytes) {
      f->owed.at[o].bytes -= h->bytes;
      let_go(f, i, e);
    } else {
      i++;
    }
  }
}

static void allocator_take(feeder *f, held h, uint32_t stream)
{
  h.block = ts_allocator_take(f->a, h.bytes, stream);
  f->out->failed |= h.block == NONE;
  if (h.block != NONE)
    TS_PUSH(f->arena, &f->live, h);
}

static void feed(void *closure, const ts_span_event *e)
{
  feeder *f = closure;
  const ts_ir_node *node = e->node;
  if (!node->mem_count)
    return;
  uint32_t micro_batch = f->ir->items[e->item].micro_batch;
  /* as if the host were not far ahead: frameworks keep it near when memory is short */
  release_until(f, e->start);
  for (uint32_t m = node->first_mem; m < node->first_mem + node->mem_count; m++) {
    const ts_ir_mem *mem = &f->ir->mems[m];
    if (mem->bytes > 0)
      allocator_take(f,
                     (held){(uint64_t)mem->bytes, mem->category, mem->label, micro_batch, NONE, 0},
                     f->streams && e->stream != TS_IR_NONE ? e->stream : 0);
  }
  allocator_note(f);
  for (uint32_t m = node->first_mem; m < node->first_mem + node->mem_count; m++) {
    if (f->ir->mems[m].bytes >= 0)
      continue;
    size_t i = find_live(f, &f->ir->mems[m], micro_batch);
    if (i < f->live.count)
      let_go(f, i, e);
    else if (!f->learns || !free_held(f, &f->ir->mems[m]))
      let_some_go(f, &f->ir->mems[m], e);
  }
}

/* What the program frees of its holdings, by a play of its own. Only recorded programs free any. */
static void learn(feeder *f, const ts_run *run, uint32_t rank)
{
  ts_reserved unused = {0};
  feeder own = *f;
  own.a = ts_allocator_new(f->arena, &(ts_allocator_options){0}, 0);
  own.out = &unused;
  own.learns = true;
  ts_run_timeline(run, rank, feed, &own);
  f->left.at = own.left.at;
  f->left.count = own.left.count;
}

/* The step ends with what it began with: where that is to be freed by the next one, the blocks that
 * this one has left for it. */
static void end_step(feeder *f)
{
  TS_VEC(held) remaining = {0};
  for (size_t k = 0; k < f->left.count; k++) {
    const ts_ir_mem *mem = &f->left.at[k];
    size_t i = find_live(f, mem, TS_IR_NONE);
    if (i == f->live.count) /* it is not seen where it comes from */
      allocator_take(
        f, (held){(uint64_t)-mem->bytes, mem->category, mem->label, TS_IR_NONE, NONE, 0}, 0);
    if (i < f->live.count) {
      TS_PUSH(f->arena, &remaining, f->live.at[i]);
      f->live.at[i] = f->live.at[--f->live.count];
    }
  }
  while (f->live.count)
    ts_allocator_release(f->a, f->live.at[--f->live.count].block);
  for (size_t k = 0; k < remaining.count; k++)
    TS_PUSH(f->arena, &f->live, remaining.at[k]);
  f->owed.count = 0;
}

static void allocator_measure(ts_arena *arena, const ts_ir *ir, const ts_run *run,
                              const ts_memory_class *class, uint32_t program_index,
                              const ts_allocator_options *options, ts_reserved *out)
{
  /* 0: no limit; nothing fits into 1 */
  uint64_t room = !class->limit                  ? 0 :
                  class->limit > class->reserved ? class->limit - class->reserved :
                                                   1;
  const ts_ir_program *program = &ir->programs[program_index];
  feeder f = {.arena = arena,
              .ir = ir,
              .a = ts_allocator_new(arena, options, room),
              .streams = options->streams,
              .issued = program->memory_order == TS_IR_MEMORY_ISSUED,
              .program = program,
              .freed = TS_NEW_ARRAY(arena, uint64_t, program->holding_count + 1),
              .out = out};
  if (f.issued)
    learn(&f, run, class->rank);
  for (uint32_t h = 0; h < program->holding_count; h++) {
    uint64_t bytes = ir->holdings[program->first_holding + h].bytes - f.freed[h];
    if (bytes)
      out->failed |= ts_allocator_take(f.a, bytes, 0) == NONE;
  }
  for (int step = 0; step < 2; step++) {
    f.measured = step == 1;
    allocator_note(&f);
    ts_run_timeline(run, class->rank, feed, &f);
    release_until(&f, UINT64_MAX);
    end_step(&f);
  }
  ts_allocator_state s = ts_allocator_now(f.a);
  out->segments = s.segments;
  out->retries = s.retries;
  out->fragmentation = out->reserved ? 1 - (double)f.peak_held / (double)out->reserved : 0;
}

/* Each channel of a communicator receives into a buffer of each protocol (NCCL 2.x: LL 8 x 512
 * lines of 16 bytes in 8 steps, LL128 120 x 640 x 8 words of 8 bytes, Simple 4 MiB); one neighbour
 * a channel, as in rings. */
static const uint64_t channel_buffers =
  UINT64_C(8) * 512 * 16 * 8 + UINT64_C(120) * 640 * 8 * 8 + (UINT64_C(4) << 20);

static uint32_t most_channels(const ts_ir *ir)
{
  uint32_t most = 0;
  for (uint32_t i = 0; i < ir->net_methods_count; i++)
    most = ir->net_methods[i].channels > most ? ir->net_methods[i].channels : most;
  return most;
}

static void add_buffers(const ts_ir *ir, const ts_class_result *class,
                        const ts_allocator_options *options, ts_reserved *out)
{
  for (uint32_t i = 0; i < class->comm_count; i++)
    out->communicators += !class->comms[i].messages;
  out->channels = options->channels ? options->channels : most_channels(ir);
  out->buffers = out->communicators * out->channels * channel_buffers;
}

const ts_reserved *ts_reserved_new(ts_arena *arena, const ts_ir *ir, const ts_run *run,
                                   const ts_memory *memory, const ts_allocator_options *options)
{
  ts_reserved *out = TS_NEW_ARRAY(arena, ts_reserved, memory->class_count);
  for (uint32_t c = 0; c < memory->class_count; c++) {
    ts_arena *scratch = ts_arena_new("allocator");
    allocator_measure(scratch, ir, run, &memory->classes[c], ts_run_result(run)->classes[c].program,
                      options, &out[c]);
    add_buffers(ir, &ts_run_result(run)->classes[c], options, &out[c]);
    ts_arena_free(scratch);
  }
  return out;
}
