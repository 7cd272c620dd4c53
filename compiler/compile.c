#include "compiler/compile.h"

#include <errno.h>
#include <string.h>

#include "base/diag_record.h"
#include "base/digest.h"
#include "base/heap.h"
#include "compiler/eval/defines.h"
#include "compiler/eval/file_store.h"
#include "compiler/eval/files.h"
#include "compiler/eval/plan_cache.h"
#include "compiler/eval/lifetime.h"
#include "compiler/eval/module.h"
#include "compiler/eval/options.h"
#include "compiler/eval/report.h"
#include "compiler/eval/reuse.h"
#include "compiler/eval/shared.h"
#include "compiler/eval/stdlib_embed.h"
#include "compiler/lower/lower.h"
#include "compiler/model/graph.h"
#include "compiler/plan/plan.h"
#include "compiler/replay/replay.h"

void ts_compile_settings(ts_session *s, const ts_compile_options *o)
{
  const ts_compile_options *b = s->options;
  bool same =
    b->stdlib_dir == o->stdlib_dir && b->import_dirs == o->import_dirs &&
    b->import_dir_count == o->import_dir_count &&
    (s->reuse->plan_cache || (b->defines == o->defines && b->define_count == o->define_count)) &&
    b->read_dirs == o->read_dirs && b->read_dir_count == o->read_dir_count &&
    b->natives == o->natives && b->native_count == o->native_count;
  if (!same) { /* what was read and evaluated with others does not hold: files are read again */
    s->modules = NULL;
    s->defined->ast = NULL;
    s->files->fits = (ts_names){0};
  }
  *s->options = *o;
}

/* ---- What compilations share ---- */

struct ts_common {
  ts_arena *arena;
  ts_session *session; /* that has read the plan's files, and does nothing any more */
  ts_file_store *files;
  ts_cache *shared;
};

ts_common *ts_common_new(const char *path, const ts_compile_options *o)
{
  ts_arena *arena = ts_arena_new("files of plans");
  ts_common *c = TS_NEW(arena, ts_common);
  *c = (ts_common){arena, ts_session_new(arena), ts_file_store_new(), ts_shared_new()};
  ts_compile_settings(c->session, o);
  c->session->files->given = o->given;
  c->session->files->given_count = o->given_count;
  if (ts_module_load(c->session, path))
    ts_module_of_library(c->session, "std/accuracy/errors.ts"); /* which each plan asks for */
  if (!c->session->diags->all.count) /* what is said of a file each session is to say */
    return c;
  ts_common_free(c);
  return NULL;
}

void ts_common_free(ts_common *c)
{
  if (!c)
    return;
  ts_file_store_free(c->files);
  ts_cache_free(c->shared);
  ts_arena_free(c->arena);
}

ts_session *ts_session_with(ts_arena *arena, const ts_common *common)
{
  if (!common)
    return ts_session_new(arena);
  ts_session *s = ts_session_over(arena, common->session);
  s->files->store = common->files;
  s->reuse->shared = common->shared;
  return s;
}

ts_session *ts_session_next(ts_session *before, ts_arena *arena, const ts_common *common)
{
  if (before)
    ts_shared_leave(before);
  if (before && ts_session_go_on(before))
    return before;
  ts_arena_reset(arena);
  ts_session *s = ts_session_with(arena, common);
  s->reuse->plan_cache = ts_plan_cache_new(s);
  s->scratch = ts_arena_inside(arena, "plan");
  return s;
}

/* What gives nothing and says nothing has a bug. */
static void say_something(ts_session *s, bool given, const char *pass)
{
  if (!given && !ts_diags_errors(s->diags))
    ts_diag_add(s->diags, TS_E0799, TS_NO_SPAN, "the compiler stopped in %s without a reason",
                pass);
}

static ts_pass_status compile(ts_session *s, const char *path, const ts_compile_options *o,
                              ts_lowered *to)
{
  ts_compile_settings(s, o);
  s->reports->before = s->diags->all.count;
  ts_heap_doing("reading the plan");
  ts_plan *plan = ts_plan_load(s, path, o->plan_name);
  say_something(s, plan, "reading the plan");
  if (!plan || ts_diags_errors(s->diags)) {
    s->options->listed = 0; /* with all rounds it would be refused just so */
    return TS_PASS_REFUSED;
  }
  ts_heap_doing("lowering the plan");
  bool replays = ts_plan_replays(s, plan);
  if (replays)
    s->options->listed = 0; /* ranks have programs of their own */
  ts_pass_status status = replays ? ts_plan_replay(s, plan, to) : ts_plan_lower(s, plan, to);
  say_something(s, status != TS_PASS_REFUSED, "lowering the plan");
  if (to->builder && ts_diags_errors(s->diags)) {
    ts_ir_builder_free(to->builder);
    to->builder = NULL;
    return TS_PASS_REFUSED;
  }
  return status;
}

ts_ir_builder *ts_compile(ts_session *s, const char *path, const ts_compile_options *o)
{
  ts_lowered to = {0};
  compile(s, path, o, &to);
  return to.builder;
}

/* ---- What kind of file ---- */

/* The text of an IR begins with one of its statements or with a comment of its kind, `#`. `plan`
 * begins both: here a line break follows the name. */
static ts_input_kind compile_kind_of(const char *text, size_t size)
{
  if (size >= 4 && memcmp(text, TS_IR_MAGIC, 4) == 0)
    return TS_INPUT_IR;
  return ts_ir_is_text(text, size) ? TS_INPUT_IR_TEXT : TS_INPUT_PLAN;
}

/* ---- IR files ---- */

static ts_span line_span(const ts_sources *sources, uint32_t file, uint32_t line)
{
  const ts_source *source = ts_sources_get(sources, file);
  const char *begin = source->text, *end = begin + source->size, *next;
  for (; line > 1 && (next = memchr(begin, '\n', (size_t)(end - begin))); line--)
    begin = next + 1;
  while (begin < end && strchr(" \t", *begin))
    begin++;
  next = memchr(begin, '\n', (size_t)(end - begin));
  return (ts_span){file, (uint32_t)(begin - source->text),
                   (uint32_t)((next ? next : end) - source->text)};
}

static bool read_ir_text(ts_session *s, const char *name, const char *text, size_t size,
                         ts_input *input)
{
  ts_error error = {0};
  input->builder = ts_ir_parse(text, size, &error);
  if (input->builder) {
    ts_ir_builder_view(input->builder, &input->ir);
    if (ts_ir_verify(&input->ir, &error) == 0)
      return true;
  }
  uint32_t file = ts_sources_add(s->sources, name, "ir", text, size);
  if (error.line)
    ts_diag_add(s->diags, TS_E0703, line_span(s->sources, file, error.line), "%s", error.message);
  else
    ts_diag_add(s->diags, TS_E0703, TS_NO_SPAN, "cannot use `%s`: %s", name, error.message);
  return false;
}

static void help_too_much(ts_diag *d)
{
  ts_diag_help(d, "take fewer micro-batches in a step, or check the times of its kernels: `floor`, "
                  "and the units of stated times");
}

static bool read_ir(ts_session *s, const char *name, const char *bytes, size_t size,
                    ts_input *input)
{
  ts_error error = {0};
  if (ts_ir_view_bytes(bytes, size, &input->ir, &error) == 0)
    return true;
  ts_diag *d =
    ts_diag_add(s->diags, TS_E0704, TS_NO_SPAN, "cannot use `%s`: %s", name, error.message);
  if (error.begin)
    ts_diag_note(d, "found at byte %llu of %llu", (unsigned long long)error.begin,
                 (unsigned long long)size);
  if (error.kind == TS_ERROR_TOO_MUCH)
    help_too_much(d);
  else
    ts_diag_help(d, "compile the plan again with `tsc`");
  return false;
}

bool ts_input_compile(ts_session *s, const char *path, const char *text, size_t size,
                      const ts_compile_options *o, ts_input *input)
{
  *input = (ts_input){.kind = TS_INPUT_PLAN, .text = text, .size = size};
  ts_embedded_file *given = TS_NEW_ARRAY(s->arena, ts_embedded_file, o->given_count + 1);
  given[0] = (ts_embedded_file){.path = path, .bytes = (const unsigned char *)text, .size = size};
  for (uint32_t i = 0; i < o->given_count; i++)
    given[i + 1] = o->given[i];
  s->files->given = given;
  s->files->given_count = o->given_count + 1;
  ts_lowered lowered = {0};
  input->status = compile(s, path, o, &lowered);
  input->builder = lowered.builder;
  input->schedule = lowered.schedule;
  if (input->status != TS_PASS_DONE)
    return false;
  ts_error error = {0};
  ts_heap_doing("checking the IR");
  ts_ir_builder_view(input->builder, &input->ir);
  if (ts_ir_verify_compiled(&input->ir, input->schedule, &error) == 0)
    return true;
  if (error.kind == TS_ERROR_TOO_MUCH)
    help_too_much(ts_diag_add(s->diags, TS_E0226, TS_NO_SPAN,
                              "the step is too large to be simulated: %s", error.message));
  else
    ts_diag_add(s->diags, TS_E0799, TS_NO_SPAN, "the compiler wrote an invalid IR: %s",
                error.message);
  ts_input_close(input);
  input->status = TS_PASS_REFUSED;
  return false;
}

bool ts_input_open(ts_session *s, const char *path, const ts_compile_options *o, ts_input *input)
{
  size_t size = 0;
  int error = 0;
  bool standard = strcmp(path, "-") == 0, done;
  const char *name = standard ? "<stdin>" : path;
  *input = (ts_input){0};
  for (uint32_t i = 0; i < o->given_count; i++)
    if (!strcmp(o->given[i].path, path))
      return ts_input_compile(s, path, (const char *)o->given[i].bytes, o->given[i].size, o, input);
  const char *text = ts_read_file(s->arena, standard ? "/dev/stdin" : path, &size, &error);
  if (!text) {
    ts_diag *d =
      ts_diag_add(s->diags, TS_E0701, TS_NO_SPAN, "cannot read `%s`: %s", name, strerror(error));
    if (error == ENOENT)
      ts_session_near(s, d, name);
    return false;
  }
  input->kind = compile_kind_of(text, size);
  if (input->kind != TS_INPUT_PLAN && !standard)
    ts_session_depends(
      s, (ts_dependency){.path = path, .name = ts_session_given(s, path).name, .role = "ir"});
  if (input->kind != TS_INPUT_PLAN && o->define_count) {
    ts_diag_help(ts_diag_add(s->diags, TS_E0215, TS_NO_SPAN,
                             "`%s` is an IR, whose parameters are fixed: `%s` cannot be set", name,
                             o->defines[0].name),
                 "simulate its plan, or compile the plan again with `tsc -D %s=%s ...`",
                 o->defines[0].name, o->defines[0].expression);
    return false;
  }
  if (input->kind == TS_INPUT_IR)
    done = read_ir(s, name, text, size, input);
  else if (input->kind == TS_INPUT_IR_TEXT)
    done = read_ir_text(s, name, text, size, input);
  else
    done = ts_input_compile(s, path, text, size, o, input);
  input->read = text;
  input->read_size = size;
  if (done)
    input->status = TS_PASS_DONE;
  else
    ts_input_close(input);
  return done;
}

void ts_input_digest(const ts_input *input, uint8_t sha256[TS_DIGEST_SIZE])
{
  ts_digest_bytes(input->read, input->read_size, sha256);
}

void ts_input_close(ts_input *input)
{
  if (input->builder)
    ts_ir_builder_free(input->builder);
  input->builder = NULL;
}

/* ---- Parameters ---- */

static const char *compile_text_of(const ts_session *s, const ts_ast *node)
{
  const ts_source *source = ts_sources_get(s->sources, node->span.file);
  return source ? ts_arena_string(s->arena, source->text + node->span.begin,
                                  node->span.end - node->span.begin) :
                  "";
}

static void add_parameter(ts_session *s, ts_parameters *list, const char *plan, const ts_ast *decl,
                          const ts_ast *type, const ts_ast *value)
{
  TS_PUSH(s->arena, list,
          (ts_parameter){plan, decl->name, type ? compile_text_of(s, type) : "",
                         value ? compile_text_of(s, value) : NULL});
}

ts_parameters ts_parameters_of(ts_session *s, const char *plan_name)
{
  ts_parameters list = {0};
  for (size_t m = 0; m < ts_module_count(s); m++) {
    const ts_module *module = ts_module_at(s, m);
    for (size_t i = 0; i < module->own.count; i++) {
      const ts_ast *decl = module->own.at[i]->decl;
      if (decl->kind == TS_AST_PARAM)
        add_parameter(s, &list, NULL, decl, ts_ast_type(decl), ts_ast_value(decl));
      if (decl->kind != TS_AST_PLAN || (plan_name && strcmp(plan_name, decl->name) != 0))
        continue;
      const ts_ast *formals = ts_ast_params(decl);
      TS_PUSH(s->arena, &list, (ts_parameter){.plan = decl->name});
      for (uint32_t k = 0; formals && k < formals->count; k++)
        add_parameter(s, &list, decl->name, formals->child[k], ts_ast_type(formals->child[k]),
                      ts_ast_default(formals->child[k]));
    }
  }
  return list;
}

const char *ts_list_params(ts_session *s, const char *path, const ts_compile_options *o)
{
  ts_compile_settings(s, o);
  if (!ts_module_load(s, path) || ts_diags_errors(s->diags))
    return NULL;
  const char *text = "";
  ts_parameters list = ts_parameters_of(s, o->plan_name);
  for (size_t i = 0; i < list.count; i++) {
    const ts_parameter *p = &list.at[i];
    if (p->name)
      text = ts_arena_printf(s->arena, "%s%s%s: %s%s%s\n", text, p->plan ? "  " : "", p->name,
                             p->type, p->value ? " = " : "", p->value ? p->value : "");
    else
      text = ts_arena_printf(s->arena, "%splan %s\n", text, p->plan);
  }
  return text;
}

/* ---- Ops ---- */

typedef struct op_line { const char *label, *kind; uint32_t count; } op_line;
typedef struct op_lines { TS_VEC(op_line) at; int widest; } op_lines;

/* Numbers in brackets are the repeats: "layer[3].up" is one of "layer[*].up". */
static const char *any_repeat(ts_arena *arena, const char *label)
{
  char *text = ts_arena_alloc(arena, strlen(label) + 1), *to = text;
  while (*label) {
    *to++ = *label;
    if (*label++ == '[' && *label >= '0' && *label <= '9') {
      *to++ = '*';
      label += strspn(label, "0123456789");
    }
  }
  return text;
}

static void count_op(ts_session *s, op_lines *lines, const ts_op *op)
{
  const char *label = any_repeat(s->arena, op->label);
  for (size_t i = 0; i < lines->at.count; i++) {
    op_line *line = &lines->at.at[i];
    if (strcmp(line->label, label) == 0 && strcmp(line->kind, op->kind) == 0) {
      line->count++;
      return;
    }
  }
  TS_PUSH(s->arena, &lines->at, (op_line){label, op->kind, 1});
  lines->widest = (int)strlen(label) > lines->widest ? (int)strlen(label) : lines->widest;
}

const char *ts_list_ops(ts_session *s, const char *path, const ts_compile_options *o)
{
  ts_compile_settings(s, o);
  ts_plan *plan = ts_plan_load(s, path, o->plan_name);
  ts_graph *graph = plan && !ts_diags_errors(s->diags) ? ts_graph_build(s, plan) : NULL;
  if (!graph || ts_diags_errors(s->diags))
    return NULL;
  op_lines lines = {.widest = 0};
  for (size_t i = 0; i < graph->ops.count; i++)
    count_op(s, &lines, &graph->ops.at[i]);
  const char *list = "";
  for (size_t i = 0; i < lines.at.count; i++) {
    const op_line *line = &lines.at.at[i];
    list = ts_arena_printf(s->arena, "%s%-*s  %-20s  %u\n", list, lines.widest, line->label,
                           line->kind, line->count);
  }
  return list;
}

/* ---- Dependencies for make ---- */

/* Spaces, # and $ are the characters that make and ninja read otherwise. */
static char *make_name(ts_arena *arena, const char *path)
{
  char *name = ts_arena_alloc(arena, 2 * strlen(path) + 1), *to = name;
  for (; *path; path++) {
    if (*path == ' ' || *path == '#')
      *to++ = '\\';
    else if (*path == '$')
      *to++ = '$';
    *to++ = *path;
  }
  return name;
}

/* A line break would begin a rule of its own, and no escape of make's takes that away. Such a file
 * is left out. */
static bool has_make_name(const char *path)
{
  for (; *path; path++)
    if ((unsigned char)*path < ' ')
      return false;
  return true;
}

const char *ts_depfile(const ts_session *s, const char *target)
{
  const char *text = ts_arena_printf(s->arena, "%s:", make_name(s->arena, target));
  for (size_t i = 0; i < s->files->dependencies.count; i++) {
    const char *path = s->files->dependencies.at[i].path;
    if (path && has_make_name(path))
      text = ts_arena_printf(s->arena, "%s \\\n  %s", text, make_name(s->arena, path));
  }
  return ts_arena_printf(s->arena, "%s\n", text);
}
