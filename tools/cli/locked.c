#include "tools/cli/locked.h"

#include <errno.h>
#include <string.h>

#include "base/format.h"
#include "base/source.h"
#include "compiler/eval/files.h"
#include "compiler/eval/stdlib_embed.h"
#include "runtime/account/memory.h"
#include "tools/cli/git.h"

/* ---- Files ---- */

const char *ts_lock_path(ts_arena *arena, const char *plan)
{
  static const char *const ends[] = {".ts", ".trainspec", ".tsir", ".ir"};
  size_t length = strlen(plan);
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
    size_t end = strlen(ends[i]);
    if (length > end && !strcmp(plan + length - end, ends[i]))
      return ts_arena_printf(arena, "%.*s.lock", (int)(length - end), plan);
  }
  return ts_arena_printf(arena, "%s.lock", plan);
}

const ts_lock *ts_lock_open(ts_session *s, const char *path)
{
  size_t size;
  int failed = 0;
  ts_error error;
  char *text = ts_read_file(s->arena, path, &size, &failed);
  if (!text) {
    ts_diag *d = ts_diag_add(s->diags, TS_E0701, TS_NO_SPAN, "cannot read `%s`: %s", path,
                             strerror(failed));
    if (failed == ENOENT)
      ts_diag_help(d, "`trainspec lock PLAN` writes it");
    return NULL;
  }
  const ts_lock *lock = ts_lock_read(s->arena, text, size, &error);
  if (!lock)
    ts_diag_add_error(s->diags, TS_E0711, &error, "cannot use `%s`", path);
  return lock;
}

static const ts_dependency *dependency_of(const ts_session *s, const ts_locked_input *input)
{
  for (size_t i = 0; i < s->files->dependencies.count; i++) {
    const ts_dependency *d = &s->files->dependencies.at[i];
    if (d->path && !strcmp(d->name, input->name) && !strcmp(d->role, input->role))
      return d;
  }
  return NULL;
}

/* Of a text of the language: its lines without comments, without blanks at their ends, and not
 * those that are then empty. */
static void code_digest(ts_arena *arena, const char *text, size_t size,
                        char hex[2 * TS_DIGEST_SIZE + 1])
{
  uint8_t digest[TS_DIGEST_SIZE];
  char *out = ts_arena_alloc(arena, size + 1);
  size_t used = 0;
  for (const char *at = text, *end = text + size; at < end;) {
    const char *line = memchr(at, '\n', (size_t)(end - at)), *stop = line ? line : end, *c = at;
    bool string = false;
    for (; c < stop && (string || c + 1 == stop || c[0] != '/' || c[1] != '/'); c++)
      if (string && *c == '\\' && c + 1 < stop)
        c++;
      else
        string ^= *c == '"';
    while (at < c && strchr(" \t\r", *at))
      at++;
    while (c > at && strchr(" \t\r", c[-1]))
      c--;
    memcpy(out + used, at, (size_t)(c - at));
    used += (size_t)(c - at);
    out[used] = '\n';
    used += c > at;
    at = stop + 1;
  }
  ts_digest_bytes(out, used, digest);
  ts_digest_hex(digest, hex);
}

static bool is_language(const char *name)
{
  const char *dot = strrchr(name, '.');
  return dot && (!strcmp(dot, ".ts") || !strcmp(dot, ".trainspec"));
}

/* ---- What is played ---- */

typedef struct locked_text {
  ts_arena *arena;
  TS_VEC(char) text;
} locked_text;

static void add_text(void *closure, const char *bytes, size_t size)
{
  locked_text *t = closure;
  for (size_t i = 0; i < size; i++)
    TS_PUSH(t->arena, &t->text, bytes[i]);
}

static bool begins(const char *line, const char *const *words)
{
  size_t length = strcspn(line, " ");
  while (*words && (length != strlen(*words) || strncmp(line, *words, length) != 0))
    words++;
  return *words;
}

/* Appends a line of an IR's text without its place in a file of the language. */
static char *copy_line(char *out, const char *line)
{
  for (bool quoted = false; *line; *out++ = *line++) {
    int place = 0;
    quoted ^= *line == '"';
    for (; quoted && line[1] == '\\' && line[2]; line += 2)
      out = memcpy(out, line, 2), out += 2;
    if (!quoted && strncmp(line, " at ", 4) == 0)
      sscanf(line, " at %*s %*u:%n", &place);
    if (place)
      line += (size_t)place + strspn(line + place, "-:0123456789");
    if (!*line)
      break;
  }
  *out++ = '\n';
  return out;
}

static void text_digest(const char *begin, const char *end, char hex[2 * TS_DIGEST_SIZE + 1])
{
  uint8_t digest[TS_DIGEST_SIZE];
  ts_digest_bytes(begin, (size_t)(end - begin), digest);
  ts_digest_hex(digest, hex);
}

/* Names of files and what is said of the plan move nothing. */
static void digest_parts(const ts_ir *ir, ts_lock *lock)
{
  static const char *const said[] = {"version", "source", "tool", "cost_source", "}", NULL},
                           *const times[] = {"kernel", "net_model",   "method", "curve",
                                             "point",  "calibration", NULL};
  ts_arena *arena = ts_arena_new("parts of a lock");
  ts_ir played = *ir;
  locked_text t = {.arena = arena};
  played.remarks_count = played.spreads_count = played.validations_count = 0;
  ts_ir_print(&played, add_text, &t);
  TS_PUSH(arena, &t.text, '\0');
  char *part[2], *end[2];
  for (int i = 0; i < 2; i++)
    part[i] = end[i] = ts_arena_alloc_raw(arena, t.text.count);
  for (char *line = t.text.at, *next; (next = strchr(line, '\n')); line = next + 1) {
    *next = '\0';
    const char *word = line + strspn(line, " ");
    char **of = &end[begins(word, times)];
    if (!begins(word, said))
      *of = copy_line(*of, word);
  }
  text_digest(part[0], end[0], lock->graph);
  text_digest(part[1], end[1], lock->times);
  ts_arena_free(arena);
}

ts_lock ts_lock_now(ts_session *s, const char *path, const ts_input *input)
{
  uint8_t sha256[TS_DIGEST_SIZE];
  ts_input_digest(input, sha256);
  ts_lock lock = ts_lock_of_ir(s->arena, &input->ir, ts_base_name(path), sha256);
  digest_parts(&input->ir, &lock);
  ts_locked_input *inputs =
    ts_arena_copy(s->arena, lock.inputs, lock.input_count * sizeof *inputs);
  for (uint32_t i = 0; i < lock.input_count; i++) {
    const ts_dependency *d = dependency_of(s, &inputs[i]);
    size_t size;
    int failed = 0;
    uint8_t digest[TS_DIGEST_SIZE];
    if (!d)
      continue;
    char *text = ts_read_file(s->arena, d->path, &size, &failed);
    if (!text) {
      ts_diag_add(s->diags, TS_E0701, TS_NO_SPAN, "cannot read `%s`: %s", d->path,
                  strerror(failed));
      continue;
    }
    ts_digest_bytes(text, size, digest); /* it may be of its rows, or another by now */
    if (memcmp(digest, inputs[i].sha256, sizeof digest) != 0)
      continue;
    ts_git_name(text, size, inputs[i].blob);
    if (is_language(inputs[i].name))
      code_digest(s->arena, text, size, inputs[i].code);
  }
  lock.inputs = inputs;
  return lock;
}

/* ---- What moved the answer ---- */

typedef struct locked_answer {
  uint64_t step, peak;
} locked_answer;

typedef struct locked_trial { /* one input as it was */
  const ts_locked_play *how;
  ts_compile_options compile;
  const char *plan; /* text of the plan's own file; NULL: as it is */
  size_t plan_size;
} locked_trial;

static bool locked_play(const locked_trial *t, locked_answer *a)
{
  ts_arena *arena = ts_arena_new("locked");
  ts_session *s = ts_session_new(arena);
  ts_stop stop = {.arena = arena};
  ts_input input = {0};
  ts_run *run = NULL;
  bool opened = t->plan ? ts_input_compile(s, t->how->path, t->plan, t->plan_size, &t->compile,
                                           &input) :
                          ts_input_open(s, t->how->path, &t->compile, &input);
  if (opened)
    run = ts_run_new(&input.ir, t->how->run, &stop);
  if (run) {
    const ts_memory *memory = ts_memory_new(arena, &input.ir, run);
    const ts_memory_class *fullest = &memory->classes[memory->fullest];
    *a = (locked_answer){ts_run_result(run)->step, fullest->peak + fullest->reserved};
  }
  ts_run_free(run);
  ts_input_close(&input);
  ts_arena_free(arena);
  return run;
}

static bool is_define(const ts_locked_input *input)
{
  return strncmp(input->name, "-D ", 3) == 0 && *input->text;
}

/* -D of that name as it was, which may be not at all. */
static void put_back_define(ts_arena *arena, locked_trial *t, const ts_lock_change *c)
{
  const char *name = (c->before ? c->before : c->now)->name + 3;
  ts_define *defines = TS_NEW_ARRAY(arena, ts_define, t->compile.define_count + 1);
  uint32_t count = 0;
  for (uint32_t i = 0; i < t->compile.define_count; i++)
    if (strcmp(t->compile.defines[i].name, name) != 0)
      defines[count++] = t->compile.defines[i];
  if (c->before)
    defines[count++] = (ts_define){name, c->before->text};
  t->compile.defines = defines;
  t->compile.define_count = count;
}

static const char *folder_of(ts_arena *arena, const char *path)
{
  size_t folder = (size_t)(ts_base_name(path) - path);
  return folder ? ts_arena_string(arena, path, folder) : ".";
}

/* The old content from git. False: it is not at hand. */
static bool put_back_file(ts_session *s, locked_trial *t, const ts_lock_change *c)
{
  const ts_dependency *d = c->now && c->before ? dependency_of(s, c->now) : NULL;
  uint8_t digest[TS_DIGEST_SIZE];
  size_t size;
  if (!d || !*c->before->blob)
    return false;
  char *text = ts_git_content(s->arena, folder_of(s->arena, d->path), c->before->blob, &size);
  if (!text)
    return false;
  ts_digest_bytes(text, size, digest);
  if (memcmp(digest, c->before->sha256, sizeof digest) != 0)
    return false;
  ts_embedded_file *given = TS_NEW(s->arena, ts_embedded_file);
  *given = (ts_embedded_file){
    .path = d->path, .bytes = (const unsigned char *)text, .size = size};
  if (strcmp(d->path, t->how->path) == 0) {
    t->plan = text;
    t->plan_size = size;
  } else {
    t->compile.given = given;
    t->compile.given_count = 1;
  }
  return true;
}

/* "+3.4 %" */
static const char *by(ts_arena *arena, uint64_t before, uint64_t now)
{
  double share = before ? 100.0 * ((double)now - (double)before) / (double)before : 0;
  return now == before ? "0" : !before ? "from nothing" :
         ts_arena_printf(arena, share > -0.01 && share < 0.01 ? "%+.2g %%" : "%+.2f %%", share);
}

/* What it did to the answer, by itself. */
static const char *effect(ts_session *s, const ts_locked_play *how, const ts_lock *now,
                          const ts_lock_change *c)
{
  locked_trial t = {.how = how, .compile = *how->compile};
  locked_answer a;
  bool define = is_define(c->before ? c->before : c->now);
  if (!how->run)
    return "";
  if (define)
    put_back_define(s->arena, &t, c);
  else if (!put_back_file(s, &t, c))
    return "; its old content is not at hand";
  if (!locked_play(&t, &a))
    return "; the plan cannot be simulated with what it was, all else as it is now";
  if (a.step == now->step && a.peak == now->peak)
    return "; moved nothing";
  return ts_arena_printf(s->arena, "; moved the step by %s, the peak of memory by %s",
                         by(s->arena, a.step, now->step), by(s->arena, a.peak, now->peak));
}

/* ---- What differs ---- */

static const char *short_digest(ts_arena *arena, const ts_locked_input *input)
{
  char hex[2 * TS_DIGEST_SIZE + 1];
  ts_digest_hex(input->sha256, hex);
  return ts_arena_printf(arena, "%.8s", hex);
}

static const char *content(ts_arena *arena, const ts_locked_input *input)
{
  return !input ? "not there" : is_define(input) ? ts_arena_printf(arena, "`%s`", input->text) :
                                                   short_digest(arena, input);
}

static const char *joined(ts_arena *arena, const ts_lock *lock)
{
  const char *all = "";
  for (uint32_t i = 0; i < lock->option_count; i++)
    all = ts_arena_printf(arena, "%s%s%s", all, *all ? " " : "", lock->options[i]);
  return *all ? all : "none";
}

static const char *title(ts_arena *arena, const ts_lock_changes *changes, const ts_lock *before,
                         const ts_lock *now, bool played)
{
  const char *moved =
    !played                                             ? "" :
    before->step == now->step && before->peak == now->peak ? "; the answer is the same" :
    before->step == now->step                              ? "; the step takes as long" :
      ts_arena_printf(arena, "; the step takes %s, not %s", ts_format_time(now->step).text,
                      ts_format_time(before->step).text);
  if (changes->count)
    return ts_arena_printf(arena, "%zu input%s differ%s%s", changes->count,
                           changes->count == 1 ? "" : "s", changes->count == 1 ? "s" : "", moved);
  if (strcmp(before->version, now->version) != 0)
    return ts_arena_printf(arena, "another version of TrainSpec%s", moved);
  if (!ts_lock_same_options(before, now))
    return ts_arena_printf(arena, "other options%s", moved);
  return ts_arena_printf(arena, "the same inputs%s", moved);
}

static void add_answer(ts_diag *d, ts_arena *arena, const ts_lock *before, const ts_lock *now)
{
  if (before->step != now->step)
    ts_diag_fact(d, "step time", "%s, was %s (%s)", ts_format_time(now->step).text,
                 ts_format_time(before->step).text, by(arena, before->step, now->step));
  if (before->peak != now->peak)
    ts_diag_fact(d, "peak memory", "%s, was %s (%s)", ts_format_bytes((double)now->peak).text,
                 ts_format_bytes((double)before->peak).text, by(arena, before->peak, now->peak));
}

/* What comes with TrainSpec, and is not at hand as it was in another release. */
static bool comes_along(const ts_lock_change *c)
{
  return strncmp((c->before ? c->before : c->now)->name, "std/", 4) == 0;
}

/* Which part of another release, or of another build, moved the answer. */
static void add_parts(ts_diag *d, const ts_lock_changes *changes, const ts_lock *before,
                      const ts_lock *now)
{
  uint32_t count[2] = {0};
  for (size_t i = 0; i < changes->count; i++) {
    const ts_lock_change *c = &changes->at[i];
    if (comes_along(c))
      count[!strcmp((c->before ? c->before : c->now)->role, "fit")]++;
  }
  if (count[0] + count[1])
    ts_diag_fact(d, "std", "differs in %u of its modules and %u of its fits", count[0], count[1]);
  if (!*before->graph || !*before->times)
    return;
  bool graph = strcmp(before->graph, now->graph) != 0,
       times = strcmp(before->times, now->times) != 0;
  ts_diag_fact(d, "moved by", "%s",
               graph && times ? "std or the compiler, and fits: another graph with other times" :
               graph          ? "std or the compiler: another graph with the same times" :
               times          ? "fits: other times of kernels or networks in the same graph" :
                                "the engine: the graph and its times are the same");
}

bool ts_lock_check(ts_session *s, const ts_locked_play *how, const ts_lock *before,
                   const ts_lock *now)
{
  ts_lock_changes changes = ts_lock_compare(s->arena, before, now);
  bool played = how->run, options = !played || ts_lock_same_options(before, now);
  bool answer = !played || (before->step == now->step && before->peak == now->peak);
  bool version = strcmp(before->version, now->version) == 0;
  if (!changes.count && version && options && answer)
    return true;
  ts_diag *d = ts_diag_add(s->diags, TS_E0710, TS_NO_SPAN, "`%s` is not as `%s` holds it: %s",
                           how->path, how->lock, title(s->arena, &changes, before, now, played));
  for (size_t i = 0; i < changes.count; i++) {
    const ts_lock_change *c = &changes.at[i];
    if (!version && comes_along(c))
      continue;
    ts_diag_fact(d, (c->before ? c->before : c->now)->name, "%s, was %s%s",
                 content(s->arena, c->now), content(s->arena, c->before), effect(s, how, now, c));
  }
  if (!options)
    ts_diag_fact(d, "options", "%s, was %s", joined(s->arena, now), joined(s->arena, before));
  if (!version)
    ts_diag_fact(d, "TrainSpec", "%s, was %s", now->version, before->version);
  if (!answer && (!version || !changes.count) && options)
    add_parts(d, &changes, before, now);
  if (!changes.count && version && options)
    ts_diag_note(d, "another build of TrainSpec %s, or another kind of machine, made the lock",
                 now->version);
  if (played)
    add_answer(d, s->arena, before, now);
  else
    ts_diag_help(d, "`tsrun --locked` says what it does to the answer");
  ts_diag_help(d, "if it is meant to differ, `trainspec lock` again");
  return false;
}
