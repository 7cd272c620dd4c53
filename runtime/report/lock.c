#include "runtime/report/lock.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_tree.h"
#include "base/json_writer.h"
#include "base/text.h"
#include "base/version.h"

enum { FORMAT = 1 };

/* ---- Of an IR ---- */

static int order(const ts_locked_input *a, const ts_locked_input *b)
{
  int name = strcmp(a->name, b->name);
  return name ? name : strcmp(a->role, b->role);
}

/* Files of several folders may have one name. */
static int lock_by_name(const void *x, const void *y)
{
  const ts_locked_input *a = x, *b = y;
  int names = order(a, b);
  return names ? names : memcmp(a->sha256, b->sha256, TS_DIGEST_SIZE);
}

ts_lock ts_lock_of_ir(ts_arena *arena, const ts_ir *ir, const char *file,
                      const uint8_t sha256[TS_DIGEST_SIZE])
{
  TS_VEC(ts_locked_input) inputs = {0};
  for (uint32_t i = 0; i < ir->sources_count; i++) {
    const ts_ir_source *s = &ir->sources[i];
    ts_locked_input input = {.name = ir->strings + s->name,
                             .role = ir->strings + s->role,
                             .text = ir->strings + s->text};
    memcpy(input.sha256, s->sha256, TS_DIGEST_SIZE);
    TS_PUSH(arena, &inputs, input);
  }
  if (!ir->sources_count) {
    ts_locked_input input = {.name = file, .role = "ir", .text = ""};
    memcpy(input.sha256, sha256, TS_DIGEST_SIZE);
    TS_PUSH(arena, &inputs, input);
  }
  TS_SORT(&inputs, lock_by_name);
  return (ts_lock){.plan = ir->strings + ir->meta->plan,
                   .version = ts_version(),
                   .input_count = (uint32_t)inputs.count,
                   .inputs = inputs.at};
}

void ts_lock_answer(ts_lock *lock, const ts_run *run, const ts_memory *memory)
{
  const ts_memory_class *fullest = &memory->classes[memory->fullest];
  lock->step = ts_run_result(run)->step;
  lock->peak = fullest->peak + fullest->reserved;
}

/* ---- Writing ---- */

static void put_input(ts_json_writer *w, const ts_locked_input *input)
{
  char hex[2 * TS_DIGEST_SIZE + 1];
  ts_digest_hex(input->sha256, hex);
  ts_json_line(w, 2);
  ts_json_begin(w, NULL, '{');
  ts_json_put_text(w, "name", input->name);
  ts_json_put_text(w, "role", input->role);
  if (*input->text)
    ts_json_put_text(w, "text", input->text);
  ts_json_put_text(w, "sha256", hex);
  if (*input->blob)
    ts_json_put_text(w, "git", input->blob);
  if (*input->code)
    ts_json_put_text(w, "code", input->code);
  ts_json_end(w, '}');
}

/* Numbers that a double holds are numbers, others text, as in reports. */
static void put_integer(ts_json_writer *w, const char *key, uint64_t value)
{
  char text[24];
  snprintf(text, sizeof text, "%llu", (unsigned long long)value);
  if (value < UINT64_C(1) << 53)
    ts_json_put_count(w, key, value);
  else
    ts_json_put_text(w, key, text);
}

void ts_lock_write(const ts_lock *lock, FILE *out)
{
  ts_json_writer w = {.out = out, .spaced = true};
  ts_json_begin(&w, NULL, '{');
  ts_json_line(&w, 1);
  ts_json_put_count(&w, "trainspec-lock", FORMAT);
  ts_json_line(&w, 1);
  ts_json_put_text(&w, "plan", lock->plan);
  ts_json_line(&w, 1);
  ts_json_put_text(&w, "version", lock->version);
  ts_json_line(&w, 1);
  ts_json_begin(&w, "options", '[');
  for (uint32_t i = 0; i < lock->option_count; i++)
    ts_json_put_text(&w, NULL, lock->options[i]);
  ts_json_end(&w, ']');
  ts_json_line(&w, 1);
  put_integer(&w, "step_time_ps", lock->step);
  ts_json_line(&w, 1);
  put_integer(&w, "peak_memory_bytes", lock->peak);
  ts_json_line(&w, 1);
  ts_json_put_text(&w, "graph", lock->graph);
  ts_json_line(&w, 1);
  ts_json_put_text(&w, "times", lock->times);
  ts_json_line(&w, 1);
  ts_json_begin(&w, "inputs", '[');
  for (uint32_t i = 0; i < lock->input_count; i++)
    put_input(&w, &lock->inputs[i]);
  ts_json_last_line(&w, 1);
  ts_json_end(&w, ']');
  ts_json_last_line(&w, 0);
  ts_json_end(&w, '}');
  ts_json_end_document(&w);
}

/* ---- Reading ---- */

typedef struct lock_reader {
  ts_arena *arena;
  ts_error *error;
} lock_reader;

static bool get_text(const lock_reader *r, const cJSON *in, const char *name, const char **value)
{
  const cJSON *item = cJSON_GetObjectItemCaseSensitive(in, name);
  if (!cJSON_IsString(item))
    return ts_fail(r->error, NULL, "there is no text `%s`", name);
  *value = ts_arena_string(r->arena, item->valuestring, strlen(item->valuestring));
  return true;
}

static bool get_integer(const lock_reader *r, const cJSON *in, const char *name, uint64_t *value)
{
  const cJSON *item = cJSON_GetObjectItemCaseSensitive(in, name);
  char *end = NULL;
  if (cJSON_IsNumber(item) && item->valuedouble >= 0 && item->valuedouble <= 0x1p53) {
    *value = (uint64_t)item->valuedouble;
    return true;
  }
  if (cJSON_IsString(item) && strspn(item->valuestring, "0123456789") > 0) {
    *value = strtoull(item->valuestring, &end, 10);
    if (!*end)
      return true;
  }
  return ts_fail(r->error, NULL, "there is no whole number `%s`", name);
}

static int digit(char c)
{
  return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool get_digest(const lock_reader *r, const cJSON *in, uint8_t digest[TS_DIGEST_SIZE])
{
  const char *hex;
  if (!get_text(r, in, "sha256", &hex))
    return false;
  size_t digits = strspn(hex, "0123456789abcdef");
  if (digits != 2 * TS_DIGEST_SIZE || hex[digits])
    return ts_fail(r->error, NULL, "`sha256` is not %d hexadecimal digits", 2 * TS_DIGEST_SIZE);
  for (int i = 0; i < TS_DIGEST_SIZE; i++)
    digest[i] = (uint8_t)(digit(hex[2 * i]) << 4 | digit(hex[2 * i + 1]));
  return true;
}

/* So many digits, as a name that is given to git has; else nothing. */
static void get_digits(const cJSON *in, const char *name, size_t digits, char *text)
{
  const cJSON *item = cJSON_GetObjectItemCaseSensitive(in, name);
  if (cJSON_IsString(item) && strlen(item->valuestring) == digits &&
      strspn(item->valuestring, "0123456789abcdef") == digits)
    memcpy(text, item->valuestring, digits + 1);
}

static bool read_input(const lock_reader *r, const cJSON *in, ts_locked_input *input)
{
  *input = (ts_locked_input){.text = ""};
  if (cJSON_HasObjectItem(in, "text") && !get_text(r, in, "text", &input->text))
    return false;
  get_digits(in, "git", sizeof input->blob - 1, input->blob);
  get_digits(in, "code", sizeof input->code - 1, input->code);
  return get_text(r, in, "name", &input->name) && get_text(r, in, "role", &input->role) &&
         get_digest(r, in, input->sha256);
}

static bool read_inputs(const lock_reader *r, const cJSON *list, ts_lock *lock)
{
  TS_VEC(ts_locked_input) inputs = {0};
  const cJSON *one;
  if (!cJSON_IsArray(list))
    return ts_fail(r->error, NULL, "there is no list `inputs`");
  cJSON_ArrayForEach(one, list)
  {
    ts_locked_input input;
    if (!read_input(r, one, &input))
      return false;
    TS_PUSH(r->arena, &inputs, input);
  }
  TS_SORT(&inputs, lock_by_name);
  lock->inputs = inputs.at;
  lock->input_count = (uint32_t)inputs.count;
  return true;
}

static bool lock_read_options(const lock_reader *r, const cJSON *list, ts_lock *lock)
{
  TS_VEC(const char *) options = {0};
  const cJSON *one;
  if (!cJSON_IsArray(list))
    return ts_fail(r->error, NULL, "there is no list `options`");
  cJSON_ArrayForEach(one, list)
  {
    if (!cJSON_IsString(one))
      return ts_fail(r->error, NULL, "`options` holds more than texts");
    TS_PUSH(r->arena, &options,
            ts_arena_string(r->arena, one->valuestring, strlen(one->valuestring)));
  }
  lock->options = options.at;
  lock->option_count = (uint32_t)options.count;
  return true;
}

static bool read_whole(const lock_reader *r, const cJSON *root, ts_lock *lock)
{
  uint64_t format;
  if (!cJSON_HasObjectItem(root, "trainspec-lock"))
    return ts_fail(r->error, "`trainspec lock PLAN` writes one", "this is no lock file");
  if (!get_integer(r, root, "trainspec-lock", &format))
    return false;
  if (format != FORMAT)
    return ts_fail(r->error, "lock the plan again with this one",
                   "another version of TrainSpec wrote it, in format %llu",
                   (unsigned long long)format);
  get_digits(root, "graph", sizeof lock->graph - 1, lock->graph);
  get_digits(root, "times", sizeof lock->times - 1, lock->times);
  return get_text(r, root, "plan", &lock->plan) && get_text(r, root, "version", &lock->version) &&
         get_integer(r, root, "step_time_ps", &lock->step) &&
         get_integer(r, root, "peak_memory_bytes", &lock->peak) &&
         lock_read_options(r, cJSON_GetObjectItemCaseSensitive(root, "options"), lock) &&
         read_inputs(r, cJSON_GetObjectItemCaseSensitive(root, "inputs"), lock);
}

ts_lock *ts_lock_read(ts_arena *arena, const char *text, size_t size, ts_error *error)
{
  lock_reader r = {arena, error};
  ts_lock *lock = TS_NEW(arena, ts_lock);
  const char *end = NULL;
  *error = (ts_error){0};
  if (ts_utf8_valid(text, size) != size)
    return ts_fail(error, NULL, "this is not UTF-8"), NULL;
  cJSON *root = ts_json_tree(text, size, &end);
  size_t at = end ? (size_t)(end - text) : 0;
  bool good = root ? read_whole(&r, root, lock) :
                     ts_fail_at(error, text, at, at, "`<<<<<<<` in it is of a merge: lock again",
                                "this is not JSON");
  cJSON_Delete(root);
  return good ? lock : NULL;
}

/* ---- Comparing ---- */

static bool same_content(const ts_locked_input *x, const ts_locked_input *y)
{
  return !memcmp(x->sha256, y->sha256, TS_DIGEST_SIZE) || (*x->code && !strcmp(x->code, y->code));
}

ts_lock_changes ts_lock_compare(ts_arena *arena, const ts_lock *before, const ts_lock *now)
{
  ts_lock_changes changes = {0};
  for (uint32_t b = 0, n = 0; b < before->input_count || n < now->input_count;) {
    const ts_locked_input *x = b < before->input_count ? &before->inputs[b] : NULL,
                          *y = n < now->input_count ? &now->inputs[n] : NULL;
    int which = !x ? 1 : !y ? -1 : order(x, y);
    if (which || !same_content(x, y))
      TS_PUSH(arena, &changes, ((ts_lock_change){which <= 0 ? x : NULL, which >= 0 ? y : NULL}));
    b += which <= 0;
    n += which >= 0;
  }
  return changes;
}

bool ts_lock_same_options(const ts_lock *before, const ts_lock *now)
{
  bool same = before->option_count == now->option_count;
  for (uint32_t i = 0; same && i < now->option_count; i++)
    same = !strcmp(before->options[i], now->options[i]);
  return same;
}
