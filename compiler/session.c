#include "compiler/session.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

#include "base/digest.h"
#include "compiler/function.h"
#include "compiler/stdlib_embed.h"

enum { MAX_UNPACKED = 1 << 30, MAX_LISTED = 4096, MAX_FRAMES = 3 };

/* ---- Errors told once ---- */

typedef struct reported_key { ts_code code; ts_span span; ts_diag *diag; bool checked; } reported_key;

struct ts_reported {
  uint32_t count, room;
  reported_key *at;
  ts_diags *repeats; /* where repetitions go: never printed */
};

static reported_key *reported_slot(const struct ts_reported *r, ts_code code, ts_span span)
{
  uint64_t hash = ((uint64_t)span.file << 48 ^ (uint64_t)span.begin << 16 ^ span.end ^ (uint64_t)code << 40) * UINT64_C(0x9e3779b97f4a7c15);
  uint32_t i = (uint32_t)(hash >> 32) & (r->room - 1);
  while (r->at[i].diag &&
         (r->at[i].code != code || r->at[i].span.file != span.file || r->at[i].span.begin != span.begin || r->at[i].span.end != span.end))
    i = (i + 1) & (r->room - 1);
  return &r->at[i];
}

static void reported_grow(ts_arena *arena, struct ts_reported *r)
{
  struct ts_reported bigger = {.count = r->count, .room = r->room ? 2 * r->room : 64, .repeats = r->repeats};
  bigger.at = TS_NEW_ARRAY(arena, reported_key, bigger.room);
  for (uint32_t i = 0; i < r->room; i++)
    if (r->at[i].diag)
      *reported_slot(&bigger, r->at[i].code, r->at[i].span) = r->at[i];
  *r = bigger;
}

/* The calls that led to an error, innermost first; not those whose whole text holds the place anyway. */
static void note_calls(const ts_session *s, ts_diag *d, ts_span span)
{
  int told = 0;
  for (const ts_frame *f = s->frame; f && told < MAX_FRAMES; f = f->outer) {
    if (!f->span.file || (f->span.file == span.file && f->span.begin <= span.begin && f->span.end >= span.end))
      continue;
    ts_diag_note_at(d, f->span, "in this call of `%s`", f->name);
    told++;
  }
}

ts_diag *ts_report(ts_session *s, ts_code code, ts_span span, const char *format, ...)
{
  struct ts_reported *r = s->reported;
  va_list args;
  va_start(args, format);
  const char *text = ts_arena_vprintf(s->arena, format, args);
  va_end(args);
  if (2 * r->count >= r->room)
    reported_grow(s->arena, r);
  reported_key *key = reported_slot(r, code, span);
  if (key->diag && span.file) {
    if (!key->checked)
      ts_diag_more(key->diag, 1);
    return ts_diag_add(r->repeats, code, span, "%s", text);
  }
  r->count += !key->diag;
  *key = (reported_key){.code = code, .span = span, .checked = s->checking, .diag = ts_diag_add(s->diags, code, span, "%s", text)};
  note_calls(s, key->diag, span);
  return key->diag;
}

ts_session *ts_session_new(ts_arena *arena)
{
  ts_session *s = TS_NEW(arena, ts_session);
  s->arena = arena;
  s->sources = ts_sources_new(arena);
  s->diags = ts_diags_new(arena, s->sources);
  s->lang = ts_lang_new(arena, s->sources, s->diags);
  s->reported = TS_NEW(arena, struct ts_reported);
  s->reported->repeats = ts_diags_new(arena, s->sources);
  ts_builtins_install(s);
  return s;
}

/* ---- Names of files ---- */

static bool starts(const char *text, const char *head) { return !strncmp(text, head, strlen(head)); }

static const char *directory_of(ts_arena *arena, const char *path)
{
  return ts_arena_string(arena, path, (size_t)(ts_base_name(path) - path));
}

/* "a/./b/../c" as "a/c"; leading ".." stay. */
static const char *tidy(ts_arena *arena, const char *path)
{
  char *out = ts_arena_alloc(arena, strlen(path) + 2);
  size_t used = 0, floor = path[0] == '/' ? 1 : 0;
  if (floor)
    out[used++] = '/';
  while (*path) {
    size_t length = strcspn(path, "/");
    if (length == 2 && path[0] == '.' && path[1] == '.' && used > floor) {
      do
        used--;
      while (used > floor && out[used - 1] != '/');
    } else if (length && !(length == 1 && path[0] == '.')) {
      bool up = length == 2 && path[0] == '.' && path[1] == '.';
      memcpy(out + used, path, length);
      used += length;
      out[used++] = '/';
      floor = up ? used : floor;
    }
    path += length + (path[length] == '/');
  }
  out[used > 1 || (used && out[0] != '/') ? used - 1 : used] = '\0';
  return out;
}

static const char *join(ts_arena *arena, const char *directory, const char *name)
{
  const char *slash = *directory && directory[strlen(directory) - 1] != '/' ? "/" : "";
  return tidy(arena, ts_arena_printf(arena, "%s%s%s", directory, slash, name));
}

static bool is_file(const char *path)
{
  struct stat info;
  return stat(path, &info) == 0 && !S_ISDIR(info.st_mode);
}

const ts_embedded_file *ts_session_embedded(const char *name)
{
  const char *below = strncmp(name, "std/", 4) ? "" : name + 4;
  size_t low = 0, high = ts_stdlib_file_count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    int order = strcmp(below, ts_stdlib_files[middle].path);
    if (!order)
      return &ts_stdlib_files[middle];
    if (order < 0)
      high = middle;
    else
      low = middle + 1;
  }
  return NULL;
}

static const ts_embedded_file *given_at(const ts_session *s, const char *path)
{
  for (uint32_t i = 0; i < s->given_count; i++)
    if (!strcmp(s->given[i].path, path))
      return &s->given[i];
  return NULL;
}

static bool find_stdlib(ts_session *s, const char *name, ts_found *found)
{
  const char *tidied = tidy(s->arena, name);
  const char *shown[2] = {tidied, ts_arena_printf(s->arena, "%s.gz", tidied)};
  for (int i = 0; i < 2 && starts(tidied, "std/"); i++) {
    const char *path = s->stdlib_dir ? join(s->arena, s->stdlib_dir, shown[i] + 4) : NULL;
    const ts_embedded_file *file = path ? NULL : ts_session_embedded(shown[i]);
    *found = (ts_found){.path = path, .name = shown[i], .shown = shown[i], .embedded = file};
    if (path ? is_file(path) : file != NULL)
      return true;
  }
  return false;
}

static bool find_in(ts_session *s, const char *directory, const char *directory_name, const char *name, ts_found *found)
{
  for (int packed = 0; packed < 2; packed++) {
    const char *full = packed ? ts_arena_printf(s->arena, "%s.gz", name) : name;
    const char *path = name[0] == '/' ? tidy(s->arena, full) : join(s->arena, directory, full);
    const ts_embedded_file *given = given_at(s, path);
    if (!given && !is_file(path))
      continue;
    *found = (ts_found){.path = path, .shown = path, .embedded = given};
    found->name = name[0] == '/' ? ts_base_name(path) : join(s->arena, directory_name, full);
    return true;
  }
  return false;
}

/* The file map knows a file by its number; where it lies is kept with the dependencies. */
static const ts_dependency *dependency_of(const ts_session *s, uint32_t file)
{
  for (size_t i = 0; file && i < s->dependencies.count; i++)
    if (s->dependencies.at[i].file == file)
      return &s->dependencies.at[i];
  return NULL;
}

static bool in_stdlib(const ts_dependency *d) { return d && starts(d->name, "std/"); }

bool ts_session_resolve(ts_session *s, uint32_t from_file, const char *name, ts_found *found)
{
  const ts_dependency *from = dependency_of(s, from_file);
  if (starts(name, "std/"))
    return find_stdlib(s, name, found);
  if (in_stdlib(from) && name[0] != '/')
    return find_stdlib(s, join(s->arena, directory_of(s->arena, from->name), name), found);
  const char *directory = from && from->path ? directory_of(s->arena, from->path) : "";
  const char *directory_name = from && from->path ? directory_of(s->arena, from->name) : "";
  if (find_in(s, directory, directory_name, name, found))
    return true;
  for (uint32_t i = 0; i < s->import_dir_count; i++)
    if (find_in(s, s->import_dirs[i], "", name, found))
      return true;
  return false;
}

ts_found ts_session_given(ts_session *s, const char *path)
{
  const ts_embedded_file *given = given_at(s, path);
  if (given && !strcmp(path, "-"))
    return (ts_found){.name = "<stdin>", .shown = "<stdin>", .embedded = given};
  const char *name = path[0] == '/' ? ts_base_name(path) : tidy(s->arena, path);
  return (ts_found){.path = path, .name = name, .shown = path, .embedded = given};
}

/* ---- What was not found ---- */

typedef struct name_list { TS_VEC(const char *) names; } name_list;

static int by_text(const void *a, const void *b) { return strcmp(*(const char *const *)a, *(const char *const *)b); }

static void list_stdlib(ts_session *s, name_list *list)
{
  for (size_t i = 0; i < ts_stdlib_file_count && !s->stdlib_dir; i++)
    TS_PUSH(s->arena, &list->names, ts_arena_printf(s->arena, "std/%s", ts_stdlib_files[i].path));
}

static void list_directory(ts_session *s, const char *path, const char *prefix, name_list *list)
{
  DIR *directory = opendir(*path ? path : ".");
  struct dirent *entry;
  size_t first = list->names.count;
  while (directory && (entry = readdir(directory)) && list->names.count < MAX_LISTED)
    if (entry->d_name[0] != '.')
      TS_PUSH(s->arena, &list->names, ts_arena_printf(s->arena, "%s%s", prefix, entry->d_name));
  if (directory)
    closedir(directory);
  if (list->names.count > first)
    qsort(list->names.at + first, list->names.count - first, sizeof *list->names.at, by_text);
}

/* "std/models/x.ts" as `std.models.x`; other files as they are. */
static const char *dotted_name(ts_arena *arena, const char *path)
{
  size_t length = strlen(path);
  if (!starts(path, "std/") || length < 3 || strcmp(path + length - 3, ".ts"))
    return path;
  char *text = ts_arena_string(arena, path, length - 3);
  for (char *c = text; *c; c++)
    *c = *c == '/' ? '.' : *c;
  return text;
}

/* The files of a folder, for `import std.models`; or of the whole library. */
static bool help_folder(ts_session *s, ts_diag *d, const char *name, const name_list *list, bool whole)
{
  size_t length = strlen(name);
  bool module = length > 3 && !strcmp(name + length - 3, ".ts");
  const char *folder = ts_arena_string(s->arena, name, length - (module ? 3 : 0)), *prefix = ts_arena_printf(s->arena, "%s/", folder), *text = NULL;
  for (size_t i = 0; i < list->names.count; i++)
    if ((whole || starts(list->names.at[i], prefix)) && (!whole || module == (dotted_name(s->arena, list->names.at[i]) != list->names.at[i])))
      text = ts_arena_printf(s->arena, "%s%s`%s`", text ? text : "", text ? ", " : "", dotted_name(s->arena, list->names.at[i]));
  if (text && whole)
    ts_diag_note(d, "the standard library has %s", text);
  else if (text)
    ts_diag_help(d, "`%s` is a folder; its files are %s", dotted_name(s->arena, name), text);
  return text;
}

/* Compared without what all names share. */
static bool help_near(ts_session *s, ts_diag *d, const char *name, const name_list *list)
{
  name_list bare = {0};
  const char *best[3];
  size_t head = starts(name, "std/") ? 4 : 0;
  for (size_t i = 0; i < list->names.count; i++) {
    const char *candidate = list->names.at[i];
    size_t length = strlen(candidate);
    bool module = head && length > 3 && !strcmp(candidate + length - 3, ".ts");
    TS_PUSH(s->arena, &bare.names, ts_arena_string(s->arena, candidate + head, length - head - (module ? 3 : 0)));
  }
  size_t length = strlen(name);
  bool module = head && length > 7 && !strcmp(name + length - 3, ".ts");
  if (!ts_suggest(ts_arena_string(s->arena, name + head, length - head - (module ? 3 : 0)), bare.names.at, bare.names.count, best))
    return false;
  for (size_t i = 0; i < list->names.count; i++)
    if (bare.names.at[i] == best[0])
      ts_diag_help(d, "did you mean `%s`?", dotted_name(s->arena, list->names.at[i]));
  return true;
}

void ts_session_missing(ts_session *s, ts_code code, uint32_t from_file, const char *name, ts_span span)
{
  ts_diag *d = ts_report(s, code, span, "cannot find `%s`", dotted_name(s->arena, name));
  name_list list = {0};
  const ts_dependency *from = dependency_of(s, from_file);
  bool std = starts(name, "std/");
  ts_diag_here(d, std ? "not in the standard library" : "no such file");
  if (std && s->stdlib_dir) {
    const char *folder = directory_of(s->arena, name);
    list_directory(s, join(s->arena, s->stdlib_dir, folder + 4), folder, &list);
  } else if (std || in_stdlib(from)) {
    list_stdlib(s, &list);
  } else {
    const char *folder = directory_of(s->arena, name);
    const char *beside = from && from->path ? directory_of(s->arena, from->path) : "";
    list_directory(s, name[0] == '/' ? folder : join(s->arena, beside, folder), folder, &list);
    for (uint32_t i = 0; i < s->import_dir_count; i++)
      list_directory(s, join(s->arena, s->import_dirs[i], folder), folder, &list);
  }
  if ((std && help_folder(s, d, name, &list, false)) || help_near(s, d, name, &list) || (std && help_folder(s, d, name, &list, true)))
    return;
  if (!std)
    ts_diag_note(d, "files are looked for beside the file that names them, then in the folders given with -I");
}

static bool begins_declaration(const char *line, const char *name)
{
  static const char *const words[] = {"fn ", "let ", "op ", "block ", "model ", "strategy ", "schedule ", "rules ", "gpu ", "cluster "};
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
    const char *after = line + strlen(words[i]);
    if (starts(line, words[i]) && starts(after, name) && strchr(" (:={\n", after[strlen(name)]))
      return true;
  }
  return false;
}

const char *ts_session_declared_in(ts_session *s, const char *name)
{
  for (size_t i = 0; i < ts_stdlib_file_count && !s->stdlib_dir; i++) {
    const char *path = ts_stdlib_files[i].path, *suffix = strrchr(path, '.');
    const char *line = suffix && !strcmp(suffix, ".ts") ? (const char *)ts_stdlib_files[i].bytes : NULL;
    for (; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
      if (begins_declaration(line, name))
        return dotted_name(s->arena, ts_arena_printf(s->arena, "std/%s", path));
  }
  return NULL;
}

/* ---- Reading ---- */

static char *unpack(ts_arena *arena, const char *packed, size_t packed_size, size_t *size)
{
  z_stream z = {.next_in = (Bytef *)(uintptr_t)packed, .avail_in = (uInt)packed_size};
  size_t room = 4 * packed_size + 1024, used = 0;
  char *text = ts_arena_alloc(arena, room);
  if (inflateInit2(&z, 15 + 32) != Z_OK) /* 32: gzip or zlib, by its header */
    return NULL;
  int status = Z_OK;
  while (status == Z_OK && used < MAX_UNPACKED) {
    if (used + 1 == room) {
      text = ts_arena_grow(arena, text, room, 2 * room);
      room *= 2;
    }
    z.next_out = (Bytef *)text + used;
    z.avail_out = (uInt)(room - used - 1);
    status = inflate(&z, Z_NO_FLUSH);
    used = room - 1 - z.avail_out;
    if (status == Z_STREAM_END && z.avail_in) /* gzip files may be chained */
      status = inflateReset(&z);
    else if (status == Z_BUF_ERROR && !z.avail_out)
      status = Z_OK;
  }
  inflateEnd(&z);
  if (status != Z_STREAM_END)
    return NULL;
  text[used] = '\0';
  *size = used;
  return text;
}

void ts_session_depends(ts_session *s, ts_dependency dependency)
{
  for (size_t i = 0; i < s->dependencies.count; i++)
    if (!strcmp(s->dependencies.at[i].name, dependency.name) && !strcmp(s->dependencies.at[i].role, dependency.role))
      return;
  TS_PUSH(s->arena, &s->dependencies, dependency);
}

static char *cannot_read(ts_session *s, const ts_found *found, ts_span span, const char *why)
{
  ts_report(s, TS_E0701, span, "cannot read `%s`: %s", found->shown, why);
  return NULL;
}

char *ts_session_load(ts_session *s, const ts_found *found, const char *role, ts_span span, size_t *size)
{
  int error = 0;
  *size = found->embedded ? found->embedded->size : 0;
  char *text = found->embedded ? (char *)(uintptr_t)found->embedded->bytes : ts_read_file(s->arena, found->path, size, &error);
  if (!text)
    return cannot_read(s, found, span, strerror(error));
  ts_dependency dependency = {.path = found->path, .name = found->name, .role = role};
  ts_digest_bytes(text, *size, dependency.sha256);
  ts_session_depends(s, dependency);
  if (*size < 2 || (unsigned char)text[0] != 0x1f || (unsigned char)text[1] != 0x8b)
    return text;
  if (*size > MAX_UNPACKED)
    return cannot_read(s, found, span, "the compressed file is too large");
  text = unpack(s->arena, text, *size, size);
  return text ? text : cannot_read(s, found, span, "the compressed data are damaged, cut off or too large");
}

char *ts_session_read(ts_session *s, uint32_t from_file, const char *name, const char *role, ts_span span, size_t *size, const char **path)
{
  ts_found found;
  size_t read_size = 0;
  if (!ts_session_resolve(s, from_file, name, &found)) {
    ts_session_missing(s, TS_E0701, from_file, name, span);
    return NULL;
  }
  char *text = ts_session_load(s, &found, role, span, &read_size);
  if (size)
    *size = read_size;
  if (path)
    *path = found.shown;
  return text;
}

const char *ts_session_find(ts_session *s, uint32_t from_file, const char *name, ts_span span)
{
  ts_found found;
  if (ts_session_resolve(s, from_file, name, &found) && found.path)
    return found.path;
  ts_session_missing(s, TS_E0701, from_file, name, span);
  return NULL;
}

/* ---- -D ---- */

static void read_define(ts_session *s, uint32_t i)
{
  const ts_define *define = &s->defines[i];
  const char *name = ts_arena_printf(s->arena, "-D %s", define->name);
  ts_dependency dependency = {.name = name, .role = "command line"};
  ts_digest_bytes(define->expression, strlen(define->expression), dependency.sha256);
  s->define_file[i] = dependency.file = ts_sources_add(s->sources, name, dependency.role, define->expression, strlen(define->expression));
  TS_PUSH(s->arena, &s->dependencies, dependency);
  s->define_ast[i] = ts_parse_expr(s->lang, s->define_file[i]);
}

const ts_ast *ts_session_define(ts_session *s, const char *name, uint32_t *index)
{
  if (s->define_count && !s->define_ast) {
    s->define_ast = TS_NEW_ARRAY(s->arena, const ts_ast *, s->define_count);
    s->define_file = TS_NEW_ARRAY(s->arena, uint32_t, s->define_count);
  }
  for (uint32_t i = s->define_count; i-- > 0;) { /* the last one wins */
    if (strcmp(s->defines[i].name, name))
      continue;
    if (!s->define_file[i])
      read_define(s, i);
    *index = i;
    return s->define_ast[i];
  }
  *index = UINT32_MAX;
  return NULL;
}
