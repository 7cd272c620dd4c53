#include "compiler/eval/files.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

#include "base/diag_record.h"
#include "base/heap.h"
#include "base/order.h"
#include "compiler/eval/options.h"
#include "compiler/eval/report.h"
#include "compiler/eval/stdlib_embed.h"
#include "compiler/eval/value.h"

enum { MAX_LISTED = 4096 };

/* ---- Names of files ---- */

static bool starts(const char *text, const char *head)
{
  return !strncmp(text, head, strlen(head));
}

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

static const char *files_join(ts_arena *arena, const char *directory, const char *name)
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
  size_t at;
  TS_SEARCH(at, 0, ts_stdlib_file_count, strcmp(ts_stdlib_files[at].path, below) < 0);
  return at < ts_stdlib_file_count && !strcmp(ts_stdlib_files[at].path, below) ?
           &ts_stdlib_files[at] :
           NULL;
}

static const ts_embedded_file *given_at(const ts_session *s, const char *path)
{
  for (uint32_t i = 0; i < s->files->given_count; i++)
    if (!strcmp(s->files->given[i].path, path))
      return &s->files->given[i];
  return NULL;
}

static bool find_stdlib(ts_session *s, const char *name, ts_found *found)
{
  const char *tidied = tidy(s->arena, name);
  const char *shown[2] = {tidied, ts_arena_printf(s->arena, "%s.gz", tidied)};
  for (int i = 0; i < 2 && starts(tidied, "std/"); i++) {
    const char *path =
      s->options->stdlib_dir ? files_join(s->arena, s->options->stdlib_dir, shown[i] + 4) : NULL;
    const ts_embedded_file *file = path ? NULL : ts_session_embedded(shown[i]);
    *found = (ts_found){.path = path, .name = shown[i], .shown = shown[i], .embedded = file};
    if (path ? is_file(path) : file != NULL)
      return true;
  }
  return false;
}

/* ---- What may be read ---- */

/* `path` is `root` or below it; both resolved. */
static const char *below(const char *root, const char *path)
{
  size_t length = strlen(root);
  if (strncmp(root, path, length) != 0)
    return NULL;
  if (length && root[length - 1] == '/')
    return path + length; /* the root of all */
  return path[length] == '/' ? path + length + 1 : NULL;
}

static bool is_below(ts_session *s, const char *directory, const char *real, ts_found *found)
{
  char *root = ts_heap_real_path(*directory ? directory : ".");
  const char *rest = root ? below(root, real) : NULL;
  if (rest)
    *found = (ts_found){.path = found->path,
                        .name = found->name,
                        .shown = found->shown,
                        .root = ts_arena_string(s->arena, root, strlen(root)),
                        .below = ts_arena_string(s->arena, rest, strlen(rest))};
  free(root);
  return rest;
}

/* A plan travels: what it reads stays in its folder, those of -I and --allow-read, wherever links
 * lead. What was typed on the command line (`-D file="..."`) was named by the person who runs it,
 * who may. */
static void find_root(ts_session *s, const ts_dependency *from, ts_found *found)
{
  char *real = ts_heap_real_path(found->path);
  if (!real)
    return;
  bool done = (from && !strcmp(from->role, "command line") && is_below(s, "/", real, found)) ||
              (s->files->home && is_below(s, s->files->home, real, found));
  for (uint32_t i = 0; i < s->options->import_dir_count && !done; i++)
    done = is_below(s, s->options->import_dirs[i], real, found);
  for (uint32_t i = 0; i < s->options->read_dir_count && !done; i++)
    done = is_below(s, s->options->read_dirs[i], real, found);
  free(real);
}

static bool find_in(ts_session *s, const char *directory, const char *directory_name,
                    const char *name, ts_found *found)
{
  for (int packed = 0; packed < 2; packed++) {
    const char *full = packed ? ts_arena_printf(s->arena, "%s.gz", name) : name;
    const char *path =
      name[0] == '/' ? tidy(s->arena, full) : files_join(s->arena, directory, full);
    const ts_embedded_file *given = given_at(s, path);
    if (!given && !is_file(path))
      continue;
    *found = (ts_found){.path = path, .shown = path, .embedded = given};
    found->name =
      name[0] == '/' ? ts_session_written(path) : files_join(s->arena, directory_name, full);
    return true;
  }
  return false;
}

/* The file map knows a file by its number; where it lies is kept with the dependencies. */
static const ts_dependency *dependency_of(const ts_session *s, uint32_t file)
{
  uint32_t index = ts_session_dependency_of(s, file);
  return index == UINT32_MAX ? NULL : &s->files->dependencies.at[index];
}

static bool in_stdlib(const ts_dependency *d) { return d && starts(d->name, "std/"); }

bool ts_session_resolve(ts_session *s, uint32_t from_file, const char *name, ts_found *found)
{
  const ts_dependency *from = dependency_of(s, from_file);
  if (starts(name, "std/"))
    return find_stdlib(s, name, found);
  if (in_stdlib(from) && name[0] != '/')
    return find_stdlib(s, files_join(s->arena, directory_of(s->arena, from->name), name), found);
  const char *directory = from && from->path ? directory_of(s->arena, from->path) : "";
  const char *directory_name = from && from->path ? directory_of(s->arena, from->name) : "";
  bool there = find_in(s, directory, directory_name, name, found);
  for (uint32_t i = 0; i < s->options->import_dir_count && !there; i++)
    there = find_in(s, s->options->import_dirs[i], "", name, found);
  if (there && !found->embedded)
    find_root(s, from, found);
  return there;
}

/* False after a diagnostic: it may not be read. */
static bool may_read(ts_session *s, const ts_found *found, ts_span span)
{
  if (found->root || found->embedded || (s->options->stdlib_dir && starts(found->name, "std/")))
    return true;
  ts_diag *d = ts_report(s, TS_E0705, span, "`%s` is outside the plan's folder", found->shown);
  ts_diag_here(d, "not read");
  ts_diag_note(d, "a plan reads files in its own folder, in those of `-I` and in the standard "
                  "library; links cannot leave them");
  char *real = ts_heap_real_path(found->path); /* a link lies elsewhere than where it leads */
  struct stat link;
  bool links = real && lstat(found->path, &link) == 0 && S_ISLNK(link.st_mode);
  const char *folder = directory_of(s->arena, links ? real : found->shown);
  ts_diag_help(d, "to allow it: `--allow-read=%.*s`",
               (int)(strlen(folder) > 1 ? strlen(folder) - 1 : strlen(folder)), folder);
  free(real);
  return false;
}

const char *ts_session_written(const char *name)
{
  return name[0] == '/' ? ts_base_name(name) : name;
}

ts_found ts_session_given(ts_session *s, const char *path)
{
  s->files->home = strcmp(path, "-") ? directory_of(s->arena, path) : "";
  const ts_embedded_file *given = given_at(s, path);
  if (given && !strcmp(path, "-"))
    return (ts_found){.name = "<stdin>", .shown = "<stdin>", .embedded = given};
  return (ts_found){.path = path, .name = ts_base_name(path), .shown = path, .embedded = given};
}

/* ---- What was not found ---- */

typedef struct name_list {
  TS_VEC(const char *) names;
} name_list;

static int by_text(const void *a, const void *b)
{
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void list_stdlib(ts_session *s, name_list *list)
{
  for (size_t i = 0; i < ts_stdlib_file_count && !s->options->stdlib_dir; i++)
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
static bool help_folder(ts_session *s, ts_diag *d, const char *name, const name_list *list,
                        bool whole)
{
  size_t length = strlen(name);
  bool module = length > 3 && !strcmp(name + length - 3, ".ts");
  const char *folder = ts_arena_string(s->arena, name, length - (module ? 3 : 0)),
             *prefix = ts_arena_printf(s->arena, "%s/", folder), *text = NULL, *before = "";
  for (size_t i = 0; i < list->names.count; i++) {
    const char *shown = dotted_name(s->arena, list->names.at[i]), *dot = strrchr(shown, '.');
    if (whole ? module != (shown != list->names.at[i]) : !starts(list->names.at[i], prefix))
      continue;
    if (whole && module && dot - shown > 3) /* too many to list: std.models.* */
      shown = ts_arena_printf(s->arena, "%.*s.*", (int)(dot - shown), shown);
    if (strcmp(before, shown) != 0)
      text = ts_arena_printf(s->arena, "%s%s`%s`", text ? text : "", text ? ", " : "", shown);
    before = shown;
  }
  if (text && whole)
    ts_diag_note(d, "the standard library has %s", text);
  else if (text)
    ts_diag_help(d, "`%s` is a folder; its files are %s", dotted_name(s->arena, name), text);
  return text;
}

/* Without what files of the language end in. */
static size_t stem(const char *path)
{
  size_t length = strlen(path);
  static const char *const ends[] = {".ts", ".trainspec"};
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
    size_t end = strlen(ends[i]);
    if (length > end && !strcmp(path + length - end, ends[i]))
      return length - end;
  }
  return length;
}

/* Compared without what all names share. */
static bool help_near(ts_session *s, ts_diag *d, const char *name, const name_list *list)
{
  name_list bare = {0};
  const char *best[3];
  size_t head = starts(name, "std/") ? 4 : 0;
  for (size_t i = 0; i < list->names.count; i++) {
    const char *candidate = list->names.at[i];
    if (stem(candidate) == stem(name) && !strncmp(candidate, name, stem(name))) {
      ts_diag_help(d, "did you mean `%s`?", candidate);
      return true;
    }
    TS_PUSH(s->arena, &bare.names,
            ts_arena_string(s->arena, candidate + head, stem(candidate) - head));
  }
  if (!ts_suggest(ts_arena_string(s->arena, name + head, stem(name) - head), bare.names.at,
                  bare.names.count, best))
    return false;
  for (size_t i = 0; i < list->names.count; i++)
    if (bare.names.at[i] == best[0])
      ts_diag_help(d, "did you mean `%s`?", dotted_name(s->arena, list->names.at[i]));
  return true;
}

void ts_session_near(ts_session *s, ts_diag *d, const char *path)
{
  name_list list = {0};
  const char *folder = directory_of(s->arena, path);
  list_directory(s, *folder ? folder : ".", folder, &list);
  help_near(s, d, path, &list);
}

const char *const *ts_session_std_files(ts_session *s, const char *folder, size_t *count)
{
  name_list all = {0}, in = {0};
  if (s->options->stdlib_dir)
    list_directory(s, files_join(s->arena, s->options->stdlib_dir, folder + 4), folder, &all);
  else
    list_stdlib(s, &all);
  for (size_t i = 0; i < all.names.count; i++) {
    const char *name = all.names.at[i];
    if (starts(name, folder) && stem(name) < strlen(name) && !strchr(name + strlen(folder), '/'))
      TS_PUSH(s->arena, &in.names,
              ts_arena_string(s->arena, name + strlen(folder), stem(name) - strlen(folder)));
  }
  *count = in.names.count;
  return in.names.at;
}

const char *const *ts_session_std_modules(ts_session *s, size_t *count)
{
  name_list all = {0}, in = {0};
  list_stdlib(s, &all);
  if (s->options->stdlib_dir)
    list_directory(s, s->options->stdlib_dir, "std/", &all);
  for (size_t i = 0; i < all.names.count; i++) {
    const char *name = all.names.at[i];
    if (stem(name) < strlen(name))
      TS_PUSH(s->arena, &in.names, name);
    else if (s->options->stdlib_dir && !strchr(name, '.')) /* a folder, or nothing */
      list_directory(s, files_join(s->arena, s->options->stdlib_dir, name + 4),
                     ts_arena_printf(s->arena, "%s/", name), &all);
  }
  TS_SORT(&in.names, by_text);
  *count = in.names.count;
  return in.names.at;
}

void ts_session_missing(ts_session *s, ts_code code, uint32_t from_file, const char *name,
                        ts_span span)
{
  ts_diag *d = ts_report(s, code, span, "cannot find `%s`", dotted_name(s->arena, name));
  name_list list = {0};
  const ts_dependency *from = dependency_of(s, from_file);
  bool std = starts(name, "std/");
  ts_diag_here(d, std ? "not in the standard library" : "no such file");
  if (std && s->options->stdlib_dir) {
    const char *folder = directory_of(s->arena, name);
    list_directory(s, files_join(s->arena, s->options->stdlib_dir, folder + 4), folder, &list);
  } else if (std || in_stdlib(from)) {
    list_stdlib(s, &list);
  } else {
    const char *folder = directory_of(s->arena, name);
    const char *beside = from && from->path ? directory_of(s->arena, from->path) : "";
    list_directory(s, name[0] == '/' ? folder : files_join(s->arena, beside, folder), folder,
                   &list);
    for (uint32_t i = 0; i < s->options->import_dir_count; i++)
      list_directory(s, files_join(s->arena, s->options->import_dirs[i], folder), folder, &list);
  }
  if ((std && help_folder(s, d, name, &list, false)) || help_near(s, d, name, &list) ||
      (std && help_folder(s, d, name, &list, true)))
    return;
  if (!std)
    ts_diag_note(
      d, "files are searched beside the file that names them, then in the folders given with -I");
}

static bool begins_declaration(const char *line, const char *name)
{
  static const char *const words[] = {"fn ",    "let ",      "op ",       "block ",
                                      "model ", "strategy ", "schedule ", "protocol ",
                                      "gpu ",   "cluster ",  "record "};
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
    const char *after = line + strlen(words[i]);
    if (starts(line, words[i]) && starts(after, name) && strchr(" (:={\n", after[strlen(name)]))
      return true;
  }
  return false;
}

const char *ts_session_declared_in(ts_session *s, const char *name)
{
  for (size_t i = 0; i < ts_stdlib_file_count && !s->options->stdlib_dir; i++) {
    const char *path = ts_stdlib_files[i].path, *suffix = strrchr(path, '.');
    const char *line =
      suffix && !strcmp(suffix, ".ts") ? (const char *)ts_stdlib_files[i].bytes : NULL;
    for (; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
      if (begins_declaration(line, name))
        return dotted_name(s->arena, ts_arena_printf(s->arena, "std/%s", path));
  }
  return NULL;
}

/* ---- Reading ---- */

/* NULL if it is damaged, and if it opens to more than `most` bytes, *size of which are then known
 * to be more. */
static char *unpack(ts_arena *arena, const char *packed, size_t packed_size, size_t most,
                    size_t *size)
{
  z_stream z = {.next_in = (Bytef *)(uintptr_t)packed,
                .avail_in = (uInt)packed_size,
                .zalloc = ts_heap_for_zlib,
                .zfree = ts_heap_from_zlib};
  size_t room = 4 * packed_size + 1024, used = 0;
  char *text = ts_arena_alloc(arena, room);
  *size = 0;
  if (inflateInit2(&z, 15 + 32) != Z_OK) /* 32: gzip or zlib, by its header */
    return NULL;
  int status = Z_OK;
  while (status == Z_OK && used <= most) {
    if (used + 1 == room) {
      text = ts_arena_grow(arena, text, room, 2 * room);
      room *= 2;
    }
    z.next_out = (Bytef *)text + used;
    size_t left = room - used - 1 < most + 1 - used ? room - used - 1 : most + 1 - used;
    z.avail_out = (uInt)left;
    status = inflate(&z, Z_NO_FLUSH);
    used += left - z.avail_out;
    if (status == Z_STREAM_END && z.avail_in) /* gzip files may be chained */
      status = inflateReset(&z);
    else if (status == Z_BUF_ERROR && !z.avail_out)
      status = Z_OK;
  }
  inflateEnd(&z);
  *size = used;
  if (status != Z_STREAM_END || used > most)
    return NULL;
  text[used] = '\0';
  return text;
}

static const char *dependency_key(ts_session *s, const char *path, const char *name,
                                  const char *role)
{
  const char *key = ts_arena_printf(s->arena, "%s\n%s", role, path ? path : name);
  return ts_lang_intern(s->lang, key, strlen(key));
}

void ts_session_mapped_as(ts_session *s, uint32_t file, size_t number)
{
  while (file && s->files->mapped.count <= file)
    TS_PUSH(s->lasting, &s->files->mapped, 0);
  if (file)
    s->files->mapped.at[file] = (uint32_t)number;
}

uint32_t ts_session_dependency_of(const ts_session *s, uint32_t file)
{
  return file < s->files->mapped.count ? s->files->mapped.at[file] - 1 : UINT32_MAX;
}

void ts_session_depends(ts_session *s, ts_dependency dependency)
{
  const char *key = dependency_key(s, dependency.path, dependency.name, dependency.role);
  s->files->reads++;
  if (ts_names_get(&s->files->named, key))
    return;
  TS_PUSH(s->lasting, &s->files->dependencies, dependency);
  ts_names_put(s->arena, &s->files->named, key, (void *)(uintptr_t)s->files->dependencies.count);
  ts_session_mapped_as(s, dependency.file, s->files->dependencies.count);
}

void ts_session_mapped(ts_session *s, const ts_found *found, const char *role, uint32_t file)
{
  uintptr_t number =
    (uintptr_t)ts_names_get(&s->files->named, dependency_key(s, found->path, found->name, role));
  s->files->dependencies.at[number - 1].file = file;
  ts_session_mapped_as(s, file, number);
}

/* Its name is one that the session below knows too, or it knows no such file. */
const ts_dependency *ts_session_read_below(const ts_session *s, const ts_found *found,
                                           const char *role, const char *text, size_t size)
{
  const ts_session *below = s->below;
  for (size_t i = 0; below && i < below->files->dependencies.count; i++) {
    const ts_dependency *d = &below->files->dependencies.at[i];
    const ts_source *source = ts_sources_get(below->sources, d->file);
    if (source && source->size == size && !strcmp(d->name, found->name) && !strcmp(d->role, role) &&
        !d->path == !found->path && (!d->path || !strcmp(d->path, found->path)) &&
        !memcmp(source->text, text, size))
      return d;
  }
  return NULL;
}

ts_file_text ts_session_file_text(const ts_found *found, const char *text, size_t size)
{
  bool stays = found->embedded && found->embedded == ts_session_embedded(found->name) &&
               text == (const char *)found->embedded->bytes;
  bool known = stays && ts_stdlib_trees.count;
  return (ts_file_text){text, size, stays,
                        known ? ts_stdlib_trees.tree[found->embedded - ts_stdlib_files].sha256 :
                                NULL};
}

static char *cannot_read(ts_session *s, const ts_found *found, ts_span span, int error)
{
  const char *why = error == EINVAL ? "it is not a regular file" :
                    error == EFBIG  ? "it is larger than 1 GiB" :
                    error           ? strerror(error) :
                                      "the compressed data are damaged or cut off";
  ts_diag *d = ts_report(s, TS_E0701, span, "cannot read `%s`: %s", found->shown, why);
  if (error == EFBIG)
    ts_diag_help(d, "keep the part of it that the plan needs");
  if (error == ENOENT)
    ts_session_near(s, d, found->shown);
  return NULL;
}

static char *opens_to_too_much(ts_session *s, const ts_found *found, ts_span span)
{
  ts_diag *d = ts_report(s, TS_E0701, span, "cannot read `%s`: it unpacks to more than %s bytes",
                         found->shown, ts_count_print(s->arena, (int64_t)s->limits.unpacked));
  ts_diag_help(d, "keep the part of it that the plan needs");
  return NULL;
}

char *ts_session_load(ts_session *s, const ts_found *found, const char *role, ts_span span,
                      size_t *size)
{
  if (span.file && !may_read(s, found, span))
    return NULL;
  int error = 0;
  *size = found->embedded ? found->embedded->size : 0;
  char *text = found->embedded ? (char *)(uintptr_t)found->embedded->bytes :
               found->root ? ts_read_beneath(s->arena, found->root, found->below, size, &error) :
                             ts_read_file(s->arena, found->path, size, &error);
  if (!text)
    return cannot_read(s, found, span, error);
  ts_dependency dependency = {.path = found->path, .name = found->name, .role = role};
  const ts_dependency *known = ts_session_read_below(s, found, role, text, *size);
  if (known)
    memcpy(dependency.sha256, known->sha256, sizeof dependency.sha256);
  else
    ts_file_store_digest(s->files->store, ts_session_file_text(found, text, *size),
                         dependency.sha256);
  ts_session_depends(s, dependency);
  if (*size < 2 || (unsigned char)text[0] != 0x1f || (unsigned char)text[1] != 0x8b)
    return text;
  if (*size > UINT32_MAX) /* that of the command line may be */
    return opens_to_too_much(s, found, span);
  text = unpack(s->arena, text, *size, s->limits.unpacked, size);
  return text                       ? text :
         *size > s->limits.unpacked ? opens_to_too_much(s, found, span) :
                                      cannot_read(s, found, span, 0);
}

char *ts_session_read(ts_session *s, uint32_t from_file, const char *name, const char *role,
                      ts_span span, size_t *size, ts_found *found)
{
  if (!ts_session_resolve(s, from_file, name, found)) {
    ts_session_missing(s, TS_E0701, from_file, name, span);
    return NULL;
  }
  return ts_session_load(s, found, role, span, size);
}

const char *ts_session_locate(ts_session *s, uint32_t from_file, const char *name, ts_span span,
                              ts_found *found)
{
  if (!ts_session_resolve(s, from_file, name, found)) {
    ts_session_missing(s, TS_E0701, from_file, name, span);
    return NULL;
  }
  if (!may_read(s, found, span))
    return NULL;
  int error = !found->path ? EINVAL : found->root ? ts_check_beneath(found->root, found->below) : 0;
  if (error)
    return cannot_read(s, found, span, error);
  return found->root ? ts_arena_printf(s->arena, "%s/%s", found->root, found->below) : found->path;
}

void ts_session_forget_files(ts_session *s)
{
  for (size_t i = s->files->loaded; i < s->files->dependencies.count; i++)
    if (s->files->dependencies.at[i].file < s->files->mapped.count)
      s->files->mapped.at[s->files->dependencies.at[i].file] = 0;
  s->files->dependencies.count = s->files->loaded;
  for (size_t i = s->files->loaded_named.count; i < s->files->loaded; i++) {
    const ts_dependency *d = &s->files->dependencies.at[i];
    ts_names_put(s->lasting, &s->files->loaded_named, dependency_key(s, d->path, d->name, d->role),
                 (void *)(uintptr_t)(i + 1));
  }
  s->files->named = s->files->loaded_named;
  s->files->named.at =
    ts_arena_copy(s->arena, s->files->loaded_named.at,
                  s->files->loaded_named.room * sizeof *s->files->loaded_named.at);
  s->files->fits = (ts_names){0};
}

const char *ts_session_text(const ts_session *s, const char *name, size_t *size)
{
  for (size_t i = s->files->dependencies.count; i-- > 0;) {
    const ts_source *source = ts_sources_get(s->sources, s->files->dependencies.at[i].file);
    if (source && !strcmp(s->files->dependencies.at[i].name, name))
      return *size = source->size, source->text;
  }
  return NULL;
}
