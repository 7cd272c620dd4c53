/* `extern fn`: functions of the user's own library, called through libffi. Int crosses as int64_t,
 * Bool as bool, Real and quantities as double, in seconds, bytes, FLOP, dollars, watts. */
#include "compiler/eval/files.h"
#include "compiler/eval/function.h"
#include "compiler/eval/module.h"
#include "compiler/eval/options.h"
#include "compiler/eval/report.h"

#ifdef TS_HAVE_FFI

#include <dlfcn.h>
#include <ffi.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "base/heap.h"

enum { MAX_ARGUMENTS = 32 };

struct ts_native {
  const char *name;
  const ts_ast *decl;
  const ts_type_info *result;
  void *symbol;
  ffi_cif cif;
  ffi_type *types[MAX_ARGUMENTS];
  const ts_type_info *formals[MAX_ARGUMENTS];
};

static ffi_type *type_for(const ts_type_info *info)
{
  switch (info->type) {
  case TS_T_INT: return &ffi_type_sint64;
  case TS_T_BOOL: return &ffi_type_uint8;
  case TS_T_REAL:
  case TS_T_QUANTITY: return &ffi_type_double;
  default: return NULL;
  }
}

/* Sizes are counted in bits inside and in bytes outside. */
static double outside(ts_dimension dimension) { return pow(8, dimension.bits); }

static const ts_type_info *crossing(ts_session *s, const ts_ast *type)
{
  const ts_type_info *info = ts_type_find(s, type->name);
  if (info && type_for(info))
    return info;
  ts_diag *d =
    ts_report(s, TS_E0231, type->span, "`%s` cannot cross to a native function", type->name);
  ts_diag_here(d, "not a number");
  ts_diag_note(
    d, "native functions take Int, Bool, Real, and quantities such as Time, Size, Rate and Work");
  return NULL;
}

static bool signature(ts_session *s, ts_native *n)
{
  const ts_ast *params = ts_ast_params(n->decl);
  if (params->count > MAX_ARGUMENTS) {
    ts_report(s, TS_E0231, params->span, "a native function takes at most %d arguments",
              MAX_ARGUMENTS);
    return false;
  }
  bool ok = true;
  for (uint32_t i = 0; i < params->count; i++) {
    n->formals[i] = crossing(s, ts_ast_type(params->child[i]));
    n->types[i] = n->formals[i] ? type_for(n->formals[i]) : NULL;
    ok &= n->formals[i] != NULL;
  }
  n->result = crossing(s, ts_ast_type(n->decl));
  return ok && n->result &&
         ffi_prep_cif(&n->cif, FFI_DEFAULT_ABI, params->count, type_for(n->result), n->types) ==
           FFI_OK;
}

/* lib/libcost.so is built from lib/cost.c: the command to paste. */
static void help_build(ts_session *s, ts_diag *d, uint32_t file, const char *library)
{
  const char *slash = strrchr(library, '/'), *base = slash ? slash + 1 : library,
             *dot = strstr(base, ".so");
  const char *stem = !strncmp(base, "lib", 3) ? base + 3 : base;
  size_t length = dot && dot > stem ? (size_t)(dot - stem) : strlen(stem);
  const ts_module *m = ts_module_of(s, file);
  const char *from = library[0] != '/' && m && m->path ? m->path : "", *end = strrchr(from, '/');
  const char *folder = ts_arena_printf(s->arena, "%.*s%.*s", end ? (int)(end - from + 1) : 0, from,
                                       (int)(base - library), library);
  ts_found found;
  const char *source =
    ts_arena_printf(s->arena, "%.*s%.*s.c", (int)(base - library), library, (int)length, stem);
  if (ts_session_resolve(s, file, source, &found) && found.path)
    source = found.path;
  else
    source = ts_arena_printf(s->arena, "%s%.*s.c", folder, (int)length, stem);
  ts_diag_help(d, "build it: `cc -shared -fPIC -o %s%s %s`", folder, base, source);
}

/* ---- Whether it may be loaded ---- */

/* A library is code that runs with the rights of whoever compiles the plan. So the person at the
 * keyboard names it, file by file; what a plan or an import says is not enough. */
static bool is_allowed(const ts_session *s, const char *path)
{
  char *real = ts_heap_real_path(path);
  bool allowed = false;
  for (uint32_t i = 0; real && i < s->options->native_count && !allowed; i++) {
    char *named = ts_heap_real_path(s->options->natives[i]);
    allowed = named && !strcmp(named, real);
    free(named);
  }
  free(real);
  return allowed;
}

static bool check_digest(ts_session *s, const ts_ast *library, const ts_ast *pinned,
                         const char *found)
{
  if (!pinned || !strcmp(pinned->literal, found))
    return true;
  ts_diag *d = ts_report(s, TS_E0236, pinned->span, "`%s` is not the library that the plan names",
                         library->literal);
  ts_diag_here(d, "another SHA-256");
  ts_diag_fact(d, "found", "%s", found);
  ts_diag_help(d, "if the library was changed on purpose, write its new SHA-256 here");
  return false;
}

static bool may_load(ts_session *s, const ts_ast *decl, const ts_found *found,
                     uint8_t digest[TS_DIGEST_SIZE])
{
  const ts_ast *library = ts_ast_library(decl), *pinned = ts_ast_digest(decl);
  char hex[2 * TS_DIGEST_SIZE + 1];
  int error = ts_digest_file(found->path, digest);
  if (error) {
    ts_diag_note(
      ts_report(s, TS_E0229, library->span, "the library `%s` cannot be read", library->literal),
      "%s", strerror(error));
    return false;
  }
  ts_digest_hex(digest, hex);
  if (!check_digest(s, library, pinned, hex))
    return false;
  if (is_allowed(s, found->path))
    return true;
  ts_diag *d = ts_report(s, TS_E0235, library->span,
                         "`%s` is native code, which is not allowed to run", library->literal);
  ts_diag_here(d, "would be loaded to call its `%s`", decl->name);
  ts_diag_fact(d, "file", "%s", found->path);
  ts_diag_fact(d, "sha256", "%s", hex);
  if (!pinned)
    ts_diag_note(d, "`from \"%s\" sha256 \"%.8s...\"` makes the plan accept this library alone",
                 library->literal, hex);
  ts_diag_help(d, "if you trust it, allow it with `--allow-native=%s`", found->path);
  return false;
}

static void *open_library(ts_session *s, const ts_ast *decl, const ts_ast *library,
                          const char **path)
{
  ts_found found;
  ts_dependency dependency = {.role = "library"};
  if (library->literal[0] == '/' || !strncmp(library->literal, "std/", 4)) {
    ts_diag *d = ts_report(s, TS_E0235, library->span,
                           "a library of native code is beside the plan or in a folder of `-I`");
    ts_diag_here(d, library->literal[0] == '/' ? "a path from the root" :
                                                 "the standard library has none");
    ts_diag_help(d, "name it relative to this file");
    return NULL;
  }
  if (!ts_session_resolve(s, decl->span.file, library->literal, &found) || !found.path) {
    ts_diag *d =
      ts_report(s, TS_E0229, library->span, "cannot find the library `%s`", library->literal);
    ts_diag_here(d, "no such file");
    help_build(s, d, decl->span.file, library->literal);
    return NULL;
  }
  *path = found.path;
  if (!may_load(s, decl, &found, dependency.sha256))
    return NULL;
  /* A path with a slash, so that the file meant is opened and none of the system's. */
  void *handle =
    dlopen(strchr(found.path, '/') ? found.path : ts_arena_printf(s->arena, "./%s", found.path),
           RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    ts_diag *d =
      ts_report(s, TS_E0229, library->span, "the library `%s` cannot be loaded", library->literal);
    const char *why = dlerror();
    ts_diag_note(d, "%s", why ? why : "the loader gave no reason");
    help_build(s, d, decl->span.file, library->literal);
    return NULL;
  }
  dependency.path = found.path;
  dependency.name = found.name;
  ts_session_depends(s, dependency);
  /* stays open: values of the language may refer to its functions as long as the process lives */
  return handle;
}

const ts_native *ts_native_open(ts_session *s, const ts_ast *decl)
{
  ts_native *n = TS_NEW(s->arena, ts_native);
  n->name = decl->name;
  n->decl = decl;
  if (!signature(s, n))
    return NULL;
  const ts_ast *library = ts_ast_library(decl);
  const char *path = NULL;
  void *handle = open_library(s, decl, library, &path);
  if (!handle)
    return NULL;
  n->symbol = dlsym(handle, decl->name);
  if (n->symbol)
    return n;
  ts_diag *d = ts_report(s, TS_E0230, decl->name_span, "`%s` has no function `%s`",
                         library->literal, decl->name);
  ts_diag_here(d, "not found");
  ts_diag_label(d, library->span, "looked for here");
  ts_diag_help(d,
               "`nm -D %s` lists its functions; a C++ function needs `extern \"C\"`, and no "
               "function may be `static`",
               path);
  return NULL;
}

static ts_value not_finite(ts_session *s, const ts_native *n, const ts_value *args, ts_span span)
{
  ts_diag *d = ts_report(s, TS_E0232, span.file ? span : n->decl->name_span,
                         "`%s` returned a value that is not a finite number", n->name);
  ts_diag_here(d, "for these arguments");
  const char *text = "";
  for (uint32_t i = 0; i < ts_ast_params(n->decl)->count; i++)
    text =
      ts_arena_printf(s->arena, "%s%s%s: %s", text, i ? ", " : "",
                      ts_ast_params(n->decl)->child[i]->name, ts_value_print(s->arena, args[i]));
  ts_diag_fact(d, "called as", "%s(%s)", n->name, text);
  ts_diag_note_at(d, n->decl->name_span, "declared here");
  return ts_error_value();
}

ts_value ts_native_call(ts_session *s, const ts_native *n, const ts_value *args, ts_span span)
{
  union { int64_t integer; double real; uint8_t truth; } in[MAX_ARGUMENTS] = {0};
  union { ffi_arg small; int64_t integer; double real; } out = {0};
  void *pointers[MAX_ARGUMENTS];
  for (uint32_t i = 0; i < n->cif.nargs; i++) {
    pointers[i] = &in[i];
    if (n->formals[i]->type == TS_T_INT)
      in[i].integer = args[i].u.integer;
    else if (n->formals[i]->type == TS_T_BOOL)
      in[i].truth = args[i].u.truth;
    else
      in[i].real = args[i].u.real / outside(args[i].dimension);
  }
  ffi_cif cif = n->cif; /* libffi does not take it as const */
  void (*function)(void);
  memcpy(&function, &n->symbol, sizeof function); /* ISO C has no cast from void* to a function */
  ffi_call(&cif, function, &out, pointers);
  if (n->result->type == TS_T_INT)
    return ts_int_value(out.integer, span);
  if (n->result->type == TS_T_BOOL)
    return ts_bool_value((uint8_t)out.small != 0, span);
  if (!isfinite(out.real))
    return not_finite(s, n, args, span);
  return ts_quantity_value(out.real * outside(n->result->dimension), n->result->dimension, span);
}

#else

const ts_native *ts_native_open(ts_session *s, const ts_ast *decl)
{
  ts_diag *d = ts_report(s, TS_E0235, ts_ast_library(decl)->span,
                         "`%s` is native code, and this build calls none", decl->name);
  ts_diag_here(d, "cannot be loaded");
  ts_diag_help(d, "play the plan with a program that was built with libffi: `--version` says so");
  return NULL;
}

/* Never called: none was opened. */
ts_value ts_native_call(ts_session *s, const ts_native *n, const ts_value *args, ts_span span)
{
  (void)s;
  (void)n;
  (void)args;
  (void)span;
  return ts_error_value();
}

#endif
