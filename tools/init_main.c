/* trainspec init: a plan to begin with, that runs and fits in memory. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/diag_record.h"
#include "base/escape.h"
#include "base/format.h"
#include "base/heap.h"
#include "base/options.h"
#include "base/version.h"
#include "compiler/catalog.h"
#include "compiler/compile.h"
#include "compiler/eval/files.h"
#include "compiler/eval/function.h"
#include "compiler/eval/stdlib_embed.h"
#include "compiler/search.h"
#include "compiler/start.h"
#include "runtime/account/memory.h"
#include "runtime/report/report.h"
#include "tools/cli/plan_options.h"
#include "tools/cli/programs.h"
#include "tools/cli/progress.h"
#include "tools/sweep/budget.h"
#include "tools/sweep/listed.h"
#include "tools/sweep/rank.h"

enum { MODEL = 1, GPU, GPUS, FRAMEWORK, BUDGET, OUTPUT };
/* Of a step: what a choice of a profile is worth, to be mentioned. */
static const double min_gain = 0.001;

static const ts_option options[] = {
  {MODEL, 0, "model", "NAME",
   "what is trained: `trainspec list models`, a call of one, a name as Hugging Face has it, a "
   "config.json, a table of operators (.csv)",
   "Plan"},
  {GPU, 0, "machine", "NAME",
   "hardware to plan for (see `trainspec list machines` and `list gpus`)", NULL},
  {GPU, 0, "gpu", "NAME", "the same", NULL},
  {GPUS, 0, "gpus", "N", "number of GPUs (8)", NULL},
  {FRAMEWORK, 0, "framework", "NAME",
   "what runs it: `trainspec list frameworks` (megatron_lm, where a plan is of layers)", NULL},
  {BUDGET, 0, "budget", "N|TIME",
   "simulate at most N plans of each search, or begin none after TIME (60s): drawn, then near the "
   "best",
   NULL},
  {PLAN_DEFINE, 'D', "define", "NAME=EXPR", "set another parameter of the plan", NULL},
  {OUTPUT, 'o', "output", "FILE", "write to FILE instead of standard output", NULL},
  {PLAN_IMPORT, 'I', "import-dir", "DIR", "also look for imports and data in DIR", NULL},
  {PLAN_STDLIB, 0, "stdlib", "DIR", "read the standard library from DIR", NULL},
  {0},
};
static const char *const usage[] = {"[OPTION]... --model NAME --gpu NAME [FILE]...", NULL};
static const char *const notes[] = {
  "FILEs may declare models and machines of your own. The plans are those of",
  "std.tools.start. Up to some hundred of them are simulated, as `sweep --top 1` does; the",
  "fastest that fits in memory is written, with what was assumed as comments, and",
  "with the search that found it, for `trainspec sweep`.",
  "",
  "Exit codes: 0 done, 1 input rejected, 2 wrong usage, 3 no plan fits in memory,",
  "4 cannot read or write.",
  NULL,
};
static const char *const models[] = {":names Model", NULL},
                         *const machines[] = {":names Machine", NULL};
static const ts_option_values values[] = {{MODEL, models}, {GPU, machines}, {0}};
static const ts_program program = {
  .summary = "TrainSpec: writes a plan to begin with, for a model and a machine.",
  .usage = usage,
  .options = options,
  .values = values,
  .notes = notes,
  .manual = "trainspec(1)"};

/* ---- One plan ---- */

typedef struct init_task {
  ts_options options;
  ts_arena *arena;
  ts_session *session;
  ts_plan_options plan;
  const char *model, *gpu, *gpus, *output;
  TS_VEC(const char *) files;
  ts_catalog catalog;
  ts_start start;
  TS_VEC(ts_define) values; /* of parameters of the plan */
  const char *name;         /* of the plan that is written */
  ts_progress_bar bar;
  ts_progress progress;
  const char *text; /* of the plan under way, with its search */
  size_t size;
  ts_sweep sweep; /* the search under way */
  size_t done;    /* of its plans */
  /* all of them: plans that were looked at, and what became of them */
  size_t looked, too_large, refused;
  /* a plan that the compiler refuses, whose message is shown if none is played */
  const char *refused_text, *why;
  size_t refused_size;
  ts_compile_options refused_options;
  double smallest, smallest_limit;
  ts_sweep_budget budget;
  const char *budget_text;
  double begun;
  const char *lacking; /* a parameter that was given, and that some plan does not have */
} init_task;

static const char *init_place(const init_task *t)
{
  return t->output && strcmp(t->output, "-") != 0 ? t->output : "plan.trainspec";
}

/* A warning that the plan's strategies are not for this model: rules match nothing, or replicas do
 * the same or exchange nothing. */
static bool is_misfit(const ts_diags *diags)
{
  for (size_t i = 0; i < diags->all.count; i++) {
    ts_code code = diags->all.at[i]->code;
    if (code == TS_W0312 || code == TS_W0321 || code == TS_W0323 || code == TS_W0802)
      return true;
  }
  return false;
}

/* `besides`: of another parameter, or NULL. */
static ts_compile_options options_of(const init_task *t, size_t point, const ts_define *besides)
{
  ts_compile_options o = t->sweep.compile;
  o.plan_name = t->sweep.search->plan;
  const ts_define *of_point =
    ts_search_defines_at(t->sweep.search, point, t->arena, &o.define_count);
  ts_define *defines = TS_NEW_ARRAY(t->arena, ts_define, o.define_count + 1);
  for (uint32_t i = 0; i < o.define_count; i++)
    defines[i] = of_point[i];
  if (besides)
    defines[o.define_count++] = *besides;
  o.defines = defines;
  return o;
}

/* The step of a plan, in ps; 0: it cannot be played. */
static uint64_t step_of(const init_task *t, size_t point, const ts_define *besides)
{
  ts_compile_options o = options_of(t, point, besides);
  ts_arena *arena = ts_arena_new("a plan to begin with");
  ts_session *s = ts_session_new(arena);
  ts_stop stop = {.arena = arena};
  ts_run_options how = {.threads = 1};
  ts_input input;
  uint64_t step = 0;
  if (ts_input_compile(s, init_place(t), t->text, t->size, &o, &input)) {
    ts_run *run = ts_run_new(&input.ir, &how, &stop);
    if (run) {
      step = ts_run_result(run)->step;
      ts_run_free(run);
    }
    ts_input_close(&input);
  }
  ts_arena_free(arena);
  return step;
}

/* ---- A search ---- */

static void init_done(void *closure, size_t index, double seconds)
{
  init_task *t = closure;
  (void)seconds;
  t->done++;
  ts_sweep_note(&t->sweep, index);
  ts_sweep_judge(&t->sweep);
}

static bool init_tick(void *closure)
{
  init_task *t = closure;
  return ts_sweep_judge(&t->sweep) && ts_tick(&t->progress, "simulating plans",
                                              (double)t->done / fmax(1, (double)t->sweep.count));
}

static bool misfit_at(const init_task *t, size_t point)
{
  ts_arena *arena = ts_arena_new("a plan to begin with");
  ts_session *s = ts_session_with(arena, t->sweep.common);
  ts_compile_options o = options_of(t, point, NULL);
  ts_input input;
  bool misfit = false;
  if (ts_input_open(s, t->sweep.path, &o, &input)) {
    misfit = is_misfit(s->diags);
    ts_input_close(&input);
  }
  ts_arena_free(arena);
  return misfit;
}

/* The first plan with each value of what varies first shows whether all are for another model. */
static bool misfits(const init_task *t)
{
  const char *before = NULL;
  for (size_t i = 0; i < t->sweep.search->point_count; i++) {
    const char *value = ts_search_text_at(t->sweep.search, i, 0);
    if ((!before || strcmp(value, before) != 0) && misfit_at(t, i))
      return true;
    before = value;
  }
  return false;
}

/* Counts what became of the plans; the best is the first of them. */
static void init_count(init_task *t)
{
  const ts_sweep *s = &t->sweep;
  t->looked += s->search->open ? s->looked : s->count;
  for (size_t i = 0; i < s->count; i++) {
    const ts_outcome *o = &s->outcomes[i];
    double bytes = o->figures.of[TS_FIGURE_MEMORY] / 8;
    bool too_large = o->state == TS_TOO_LARGE || o->state == TS_LEFT_OUT;
    t->too_large += too_large;
    t->refused += o->state == TS_REFUSED;
    if (o->state == TS_REFUSED && !t->refused_text) {
      t->why = o->why;
      t->refused_text = t->text;
      t->refused_size = t->size;
      t->refused_options = options_of(t, o->point, NULL);
    }
    if (too_large && (!(t->smallest > 0) || bytes < t->smallest)) {
      t->smallest = bytes;
      t->smallest_limit = o->limit;
    }
  }
}

/* Its plans are listed. False after errors. */
static bool open_search(init_task *t, size_t search)
{
  ts_sweep *s = &t->sweep;
  t->text = ts_start_text(&t->start, search, t->name, t->values.at, (uint32_t)t->values.count,
                          (uint32_t)t->values.count, "", &t->size);
  if (!t->text)
    return false;
  ts_embedded_file *given = TS_NEW(t->arena, ts_embedded_file);
  *given = (ts_embedded_file){
    .path = init_place(t), .bytes = (const unsigned char *)t->text, .size = t->size};
  *s = (ts_sweep){.arena = t->arena,
                  .session = ts_session_new(t->arena),
                  .path = init_place(t),
                  .compile = t->plan.compile,
                  .top = 1};
  s->session->files->given = s->compile.given = given;
  s->session->files->given_count = s->compile.given_count = 1;
  s->search = ts_search_load_within(s->session, s->path, &s->compile, NULL, NULL, false,
                                    ts_sweep_budget_lists(&t->budget));
  /* so many gpus may leave a search nothing to vary; the others still count */
  const ts_diags *said = s->session->diags;
  bool empty = !s->search && said->all.count == 1 && said->all.at[0]->code == TS_E0234;
  if (!s->search && !empty)
    t->options.status = ts_options_report(&t->options, said);
  return s->search || empty;
}

/* The best of its plans is the first outcome. False after an error. */
static bool play_search(init_task *t)
{
  ts_sweep *s = &t->sweep;
  ts_sweep_plays plays = {
    .jobs = ts_usual_jobs(), .done = init_done, .tick = init_tick, .closure = t};
  /* what a search before this one left of the time */
  ts_sweep_budget left = t->budget;
  left.seconds = left.seconds > 0 ? fmax(left.seconds - (ts_clock() - t->begun), 1e-9) : 0;
  t->done = 0;
  bool played = (!s->search->open || ts_sweep_search_here(s, &left, &plays)) &&
                ts_sweep_play_listed(s, &plays, NULL);
  if (ts_progress_interrupted())
    ts_progress_die(&t->bar, t->options.called);
  if (played && ts_sweep_rank(s))
    return true;
  t->options.status = ts_options_report(&t->options, s->session->diags);
  return false;
}

/* A parameter that was given and that the plan of a search does not have; NULL: none. */
static const char *init_lacking(const init_task *t, size_t search)
{
  for (size_t i = 0; i < t->plan.defines.count; i++)
    if (!ts_start_default(&t->start, search, t->plan.defines.at[i].name))
      return t->plan.defines.at[i].name;
  return NULL;
}

/* The search of std.tools.start whose best plan is written. False: none. */
static bool init_find(init_task *t, size_t *search)
{
  const char *passed = "";
  for (*search = 0; *search < t->start.searches.count; ++*search) {
    if (!strcmp(t->start.searches.at[*search].plan, passed))
      continue;
    const char *lacking = init_lacking(t, *search);
    t->lacking = lacking ? lacking : t->lacking;
    if (lacking)
      continue;
    if (!open_search(t, *search))
      return false;
    if (!t->sweep.search)
      continue;
    ts_sweep_prepare(&t->sweep);
    t->sweep.common = ts_common_new(t->sweep.path, &t->sweep.compile);
    bool misfit = misfits(t), good = misfit || play_search(t);
    ts_common_free(t->sweep.common);
    if (!good)
      return false;
    if (misfit)
      passed = t->start.searches.at[*search].plan;
    else
      init_count(t);
    if (!misfit && t->sweep.count && t->sweep.outcomes[0].state == TS_RANKED)
      return true;
  }
  return false;
}

/* ---- What was asked for ---- */

#define WORD "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789"

static bool init_is_name(const char *text) { return *text && text[strspn(text, WORD)] == '\0'; }

/* Letters and digits alone, in small letters; of `owner/name`, the name. */
static const char *bare_of(ts_arena *arena, const char *text)
{
  const char *owner = strrchr(text, '/');
  char *out = ts_arena_string(arena, owner ? owner + 1 : text, strlen(owner ? owner + 1 : text)),
       *end = out;
  for (const char *c = out; *c; c++)
    if (isalnum((unsigned char)*c))
      *end++ = (char)tolower((unsigned char)*c);
  *end = '\0';
  return out;
}

/* `llama-3-70b`, `meta-llama/Llama-3-70B`: what no expression of a model is. */
static bool is_foreign_name(const char *text)
{
  return strpbrk(text, "-/") && text[strspn(text, WORD "-/.")] == '\0';
}

static const ts_catalog_item *init_item_of(const init_task *t, const char *type, const char *name)
{
  for (size_t i = 0; i < t->catalog.items.count; i++) {
    const ts_catalog_item *item = &t->catalog.items.at[i];
    const char *own = item->entry->name, *part = strchr(own, '_');
    if (item->type && !strcmp(item->type, type) &&
        (!strcmp(own, name) || (!strcmp(type, "Machine") && part && !strcmp(part + 1, name))))
      return item;
  }
  return NULL;
}

/* The only one that is spelled so but for case and signs. */
static const ts_catalog_item *item_alike(const init_task *t, const char *type, const char *name)
{
  const ts_catalog_item *found = NULL;
  const char *bare = bare_of(t->arena, name);
  for (size_t i = 0; i < t->catalog.items.count; i++) {
    const ts_catalog_item *item = &t->catalog.items.at[i];
    const char *own = item->entry->name, *part = strchr(own, '_');
    if (!item->type || strcmp(item->type, type) != 0 ||
        strcmp(bare_of(t->arena, !strcmp(type, "Machine") && part ? part + 1 : own), bare) != 0)
      continue;
    if (found)
      return NULL;
    found = item;
  }
  return found;
}

/* A list of records of the library; empty: it has none. */
static const ts_list *library_list(const init_task *t, const char *file, const char *name)
{
  static const ts_list none;
  ts_session *s = t->session;
  ts_module *m = ts_module_of_library(s, file);
  ts_value v = ts_none_value();
  if (m)
    ts_module_lookup(s, m, ts_lang_intern(s->lang, name, strlen(name)), TS_NO_SPAN, &v);
  return v.type == TS_T_LIST ? v.u.list : &none;
}

static const ts_value *member(const ts_value *v, const char *name)
{
  return v && v->type == TS_T_RECORD ? ts_record_find(v->u.record, name) : NULL;
}

static const char *text_of(const ts_value *v, const char *name)
{
  const ts_value *text = member(v, name);
  return text && text->type == TS_T_STRING ? text->u.string : "";
}

/* The model of what others call it; NULL: none. */
static const ts_catalog_item *item_elsewhere(const init_task *t, const char *name)
{
  const ts_list *names = library_list(t, "std/tools/names.ts", "names_elsewhere");
  const char *bare = bare_of(t->arena, name);
  for (uint32_t i = 0; i < names->count; i++) {
    const char *begins = text_of(&names->at[i], "begins");
    if (!strncmp(bare, begins, strlen(begins)))
      return init_item_of(t, "Model", text_of(&names->at[i], "model"));
  }
  return NULL;
}

/* The first machine whose gpu has that name. */
static const ts_catalog_item *item_with_gpu(const init_task *t, const char *gpu)
{
  for (size_t i = 0; i < t->catalog.items.count; i++) {
    const ts_catalog_item *item = &t->catalog.items.at[i];
    if (!item->type || strcmp(item->type, "Machine") != 0 || ts_decl_params(item->entry->decl))
      continue;
    ts_value machine = ts_entry_value(t->session, (ts_entry *)item->entry);
    const ts_value *kind = member(member(&machine, "costs"), "kind");
    if (kind && kind->type == TS_T_GPU && !strcmp(kind->u.record->name, gpu))
      return item;
  }
  return NULL;
}

static void init_unknown(init_task *t, const char *type, const char *what, const char *name)
{
  TS_VEC(const char *) names = {0};
  for (size_t i = 0; i < t->catalog.items.count; i++) {
    const ts_catalog_item *item = &t->catalog.items.at[i];
    const char *part = strchr(item->entry->name, '_');
    if (item->type && !strcmp(item->type, type))
      TS_PUSH(t->arena, &names, part && !strcmp(type, "Machine") ? part + 1 : item->entry->name);
    if (item->type && !strcmp(item->type, "Gpu") && !strcmp(type, "Machine"))
      TS_PUSH(t->arena, &names, item->entry->name);
  }
  const char *best[3], *own = "";
  bool near = ts_suggest(name, names.at, names.count, best) > 0;
  TS_PUSH(t->arena, &names, NULL);
  for (size_t i = 0; i < t->catalog.items.count; i++) {
    const ts_catalog_item *item = &t->catalog.items.at[i];
    if (item->type && !strcmp(item->type, type) &&
        strncmp(ts_catalog_import(t->session, item->entry->module), "std.", 4) != 0)
      own = ts_arena_printf(t->arena, "%s, your file has `%s`", own, item->entry->name);
  }
  t->options.status =
    near ?
      ts_options_not_among(&t->options, what, name, names.at) :
      ts_options_wrong(&t->options,
                       "unknown %s `%s`: `trainspec list %ss` says which there are%s%s", what, name,
                       what, own, strcmp(type, "Model") ? "" : "; a config.json of any will do");
}

static bool init_give(init_task *t, const char *name, const char *expression)
{
  TS_PUSH(t->arena, &t->values, (ts_define){name, expression});
  return true;
}

/* The arguments of a call of the model by its name: `x: padded_x(default)`, where std.tools.start
 * has the function. All others are left to their defaults. */
static const char *padded_arguments(const init_task *t, const ts_ast *params)
{
  const char *text = "";
  for (uint32_t i = 0; i < params->count; i++) {
    const char *name = params->child[i]->name;
    const ts_ast *value = ts_ast_default(params->child[i]);
    const char *function = ts_arena_printf(t->arena, "padded_%s", name);
    function = ts_lang_intern(t->session->lang, function, strlen(function));
    if (value->kind == TS_AST_INT && ts_module_find(t->start.module, function))
      text = ts_arena_printf(t->arena, "%s%s%s: %s(%s)", text, *text ? ", " : "", name, function,
                             value->literal);
  }
  return text;
}

/* The model of a file: a configuration of Hugging Face's, or a table of operators. NULL: no file is
 * named. */
static const char *model_of_file(const init_task *t)
{
  const char *end = strrchr(t->model, '.');
  if (!end || strpbrk(t->model, "\"\\("))
    return NULL;
  return !strcmp(end, ".json") ? ts_arena_printf(t->arena, "hf(\"%s\")", t->model) :
         !strcmp(end, ".csv")  ? ts_arena_printf(t->arena, "trace(\"%s\", plain())", t->model) :
                                 NULL;
}

/* A name alone is called with what it takes by default. */
static bool give_model(init_task *t)
{
  const char *file = model_of_file(t);
  ts_found found;
  if (file && !ts_session_resolve(t->session, 0, t->model, &found)) {
    ts_diag_add(t->session->diags, TS_E0701, TS_NO_SPAN, "cannot find `%s`", t->model);
    t->options.status = ts_options_report(&t->options, t->session->diags);
    return false;
  }
  t->name = "start";
  if (file)
    return init_give(t, "model", file);
  const ts_catalog_item *alike =
    init_is_name(t->model) || is_foreign_name(t->model) ? item_alike(t, "Model", t->model) : NULL;
  if (!alike && is_foreign_name(t->model))
    alike = item_elsewhere(t, t->model);
  if (alike && !init_item_of(t, "Model", t->model))
    t->model = alike->entry->name;
  if (!init_is_name(t->model) && !is_foreign_name(t->model)) {
    const char *called = ts_arena_string(t->arena, t->model, strspn(t->model, WORD));
    t->name = init_item_of(t, "Model", called) ? called : "start";
    return init_give(t, "model", t->model);
  }
  const ts_catalog_item *item = init_item_of(t, "Model", t->model);
  if (!item) {
    init_unknown(t, "Model", "model", t->model);
    return false;
  }
  const ts_ast *params = ts_decl_params(item->entry->decl);
  for (uint32_t i = 0; params && i < params->count; i++)
    if (!ts_ast_default(params->child[i])) {
      ts_options_wrong(&t->options, "`%s` has no sizes of its own: `--model '%s(%s: ...)'`",
                       t->model, t->model, params->child[i]->name);
      return false;
    }
  t->name = t->model;
  const char *call = params ? ts_arena_printf(t->arena, "%s(%s)", t->model, padded_arguments(t, params)) :
                              t->model;
  return init_give(t, "model", call);
}

static bool give_machine(init_task *t)
{
  const ts_catalog_item *item = init_item_of(t, "Machine", t->gpu);
  if (!item)
    item = item_alike(t, "Machine", t->gpu);
  if (!item)
    item = item_with_gpu(t, t->gpu);
  if (item)
    return init_give(t, "machine", item->entry->name);
  if (init_item_of(t, "Gpu", t->gpu)) { /* nothing says how it is joined */
    t->start.declares = ts_arena_printf(
      t->arena, "fn nodes_of_%s(gpus: Int) -> Cluster = nodes_assumed(gpus, %s)", t->gpu, t->gpu);
    return init_give(t, "machine",
                     ts_arena_printf(t->arena, "machine_of(%s, nodes_of_%s)", t->gpu, t->gpu));
  }
  init_unknown(t, "Machine", "gpu", t->gpu);
  return false;
}

static bool takes(const init_task *t, const char *model, const char *name)
{
  const ts_catalog_item *item = init_item_of(t, "Model", model);
  const ts_ast *params = item ? ts_decl_params(item->entry->decl) : NULL;
  for (uint32_t i = 0; params && i < params->count; i++)
    if (!strcmp(params->child[i]->name, name))
      return true;
  return false;
}

static bool is_given(const init_task *t, const char *name)
{
  for (size_t i = 0; i < t->values.count; i++)
    if (!strcmp(t->values.at[i].name, name))
      return true;
  return false;
}

/* `megatron-lm` is megatron_lm; an expression stands as it is. NULL after an error. */
static const char *framework_of(init_task *t, const char *text)
{
  if (!init_is_name(text) && !is_foreign_name(text))
    return text;
  const ts_catalog_item *item = init_item_of(t, "Framework", text);
  item = item ? item : item_alike(t, "Framework", text);
  if (item)
    return item->entry->name;
  init_unknown(t, "Framework", "framework", text);
  return NULL;
}

static bool give_others(init_task *t)
{
  ts_name_list names = {0};
  ts_start_parameters(&t->start, &names);
  TS_PUSH(t->arena, &names.names, NULL);
  for (size_t i = 0; i < t->plan.defines.count; i++) {
    const ts_define *d = &t->plan.defines.at[i];
    size_t n = 0;
    while (names.names.at[n] && strcmp(names.names.at[n], d->name) != 0)
      n++;
    if (is_given(t, d->name)) {
      ts_options_wrong(&t->options, "`%s` is given twice", d->name);
      return false;
    }
    if (!names.names.at[n] && takes(t, t->model, d->name)) {
      ts_options_wrong(&t->options, "`%s` is an argument of the model: `--model '%s(%s: %s)'`",
                       d->name, t->model, d->name, d->expression);
      return false;
    }
    if (!names.names.at[n]) {
      ts_options_not_among(&t->options, "parameter", d->name, names.names.at);
      return false;
    }
    const char *value =
      strcmp(d->name, "framework") ? d->expression : framework_of(t, d->expression);
    if (!value)
      return false;
    init_give(t, d->name, value);
  }
  t->plan.compile.defines = NULL; /* they stand in the text now */
  t->plan.compile.define_count = 0;
  return true;
}

/* ---- The plan ---- */

/* The expression of the profile that the plan takes; NULL: it takes none. */
static const char *profile_of(const init_task *t, size_t search)
{
  const char *profile = ts_start_default(&t->start, search, "framework");
  for (size_t i = 0; profile && i < t->values.count; i++)
    if (!strcmp(t->values.at[i].name, "framework"))
      profile = t->values.at[i].expression;
  return profile;
}

/* ps */
static uint64_t best_step(const init_task *t)
{
  return (uint64_t)llround(t->sweep.outcomes[0].figures.of[TS_FIGURE_STEP] * 1e12);
}

/* What the profile switches on, each with the time that a step takes less for it. */
static const char *worths(init_task *t, size_t search)
{
  const ts_outcome *best = &t->sweep.outcomes[0];
  const ts_list *choices = library_list(t, "std/tools/choices.ts", "choices");
  const char *profile = profile_of(t, search), *text = "";
  for (uint32_t i = 0; profile && i < choices->count; i++) {
    const ts_value *choice = &choices->at[i];
    ts_define without = {
      "framework", ts_arena_printf(t->arena, "(%s) with { %s }", profile, text_of(choice, "with"))};
    uint64_t step = step_of(t, best->point, &without);
    double more = (double)step - (double)best_step(t);
    if (step && fabs(more) >= min_gain * (double)best_step(t))
      text = ts_arena_printf(t->arena, "%s  %s: %s%s\n", text, text_of(choice, "name"),
                             more > 0 ? "-" : "+", ts_format_time((uint64_t)fabs(more)).text);
  }
  return *text ?
           ts_arena_printf(t->arena, "What the profile switches on, and its worth:\n%s", text) :
           "";
}

static const char *counted(const init_task *t, size_t count, const char *what)
{
  return ts_arena_printf(t->arena, "%zu %s%s", count, what, count == 1 ? "" : "s");
}

static double peak_of(const ts_outcome *o) { return o->figures.of[TS_FIGURE_MEMORY] / 8; }

static const char *about(const init_task *t, const char *worth)
{
  const ts_outcome *best = &t->sweep.outcomes[0];
  const char *quote = init_is_name(t->model) ? "" : "'";
  const char *requested =
    ts_arena_printf(t->arena, "trainspec init --model=%s%s%s --gpu=%s --gpus=%s", quote, t->model,
                    quote, t->gpu, t->gpus);
  if (t->budget_text)
    requested = ts_arena_printf(t->arena, "%s --budget=%s", requested, t->budget_text);
  for (size_t i = 0; i < t->plan.defines.count; i++)
    requested = ts_arena_printf(t->arena, "%s -D '%s=%s'", requested, t->plan.defines.at[i].name,
                                t->plan.defines.at[i].expression);
  return ts_arena_printf(
    t->arena,
    "Written by `%s` (%s).\nThe fastest of %s:\n%s a step, %s of %s on the fullest gpu.\n"
    "%sTo run the search again: `trainspec sweep` on this file.\n",
    requested, ts_version(), counted(t, t->looked, "plan"), ts_format_time(best_step(t)).text,
    ts_format_bytes(peak_of(best)).text, ts_format_bytes(best->limit).text, worth);
}

static void put_plan(void *closure, FILE *out) { ts_put_lines(out, *(const char **)closure); }

static void say_refused(const init_task *t)
{
  if (t->refused)
    ts_put_text(stderr, "%zu more are refused; the first: %s\n", t->refused, t->why);
}

static int write_plan(init_task *t, size_t search)
{
  const ts_search *found = t->sweep.search;
  const ts_outcome *best = &t->sweep.outcomes[0];
  const char *worth = worths(t, search);
  uint32_t fixed = (uint32_t)t->values.count;
  for (uint32_t c = 0; c < found->column_count; c++)
    init_give(t, found->columns[c], ts_search_text_at(found, best->point, c));
  size_t size;
  const char *text = ts_start_text(&t->start, search, t->name, t->values.at,
                                   (uint32_t)t->values.count, fixed, about(t, worth), &size);
  if (!text)
    return ts_options_report(&t->options, t->session->diags);
  int status = ts_options_write(&t->options, t->output, put_plan, &text);
  if (status)
    return status;
  ts_put_text(stderr, "%s on %s %s: %s a step, %s of %s; the fastest of %s\n", t->name, t->gpus,
              t->gpu, ts_format_time(best_step(t)).text, ts_format_bytes(peak_of(best)).text,
              ts_format_bytes(best->limit).text, counted(t, t->looked, "plan"));
  if (profile_of(t, search))
    ts_put_text(stderr,
                "framework: %s; another by `--framework NAME` (trainspec list frameworks)\n",
                profile_of(t, search));
  return TS_EXIT_DONE;
}

static int say_none(init_task *t)
{
  if (t->too_large) {
    ts_put_text(stderr,
                "%s: none of %s fits in memory: the least needs %s of %s a gpu; ask for more gpus "
                "(`--gpus`) or for others (`--gpu`)\n",
                t->options.called, counted(t, t->too_large, "plan"),
                ts_format_bytes(t->smallest).text, ts_format_bytes(t->smallest_limit).text);
    say_refused(t);
    return TS_EXIT_NO;
  }
  if (t->refused_text) {
    ts_session *s = ts_session_new(t->arena);
    ts_input input;
    if (ts_input_compile(s, init_place(t), t->refused_text, t->refused_size, &t->refused_options,
                         &input))
      ts_input_close(&input);
    return ts_options_report(&t->options, s->diags);
  }
  if (t->lacking)
    ts_put_text(stderr,
                "%s: no plan of std.tools.start that is for this model has a parameter `%s`: leave "
                "it out\n",
                t->options.called, t->lacking);
  else
    ts_put_text(stderr, "%s: no plan of std.tools.start is for this model and so many gpus\n",
                t->options.called);
  return TS_EXIT_NO;
}

static int init(init_task *t)
{
  size_t search;
  t->session = ts_session_new(t->arena);
  ts_compile_settings(t->session, &t->plan.compile);
  ts_catalog_load(t->session, t->files.at, t->files.count, &t->catalog);
  bool ready = !ts_diags_errors(t->session->diags) &&
               ts_start_open(t->session, &t->catalog, &t->start);
  int status = ts_options_report(&t->options, t->session->diags);
  if (!ready)
    return status;
  init_give(t, "gpus", t->gpus);
  if (!give_model(t) || !give_machine(t) || !give_others(t))
    return t->options.status;
  t->progress = ts_progress_start(&t->bar);
  t->begun = ts_clock();
  bool found = init_find(t, &search);
  ts_progress_end(&t->bar);
  if (found)
    return write_plan(t, search);
  if (t->options.status)
    return t->options.status;
  return ts_diags_errors(t->session->diags) ? ts_options_report(&t->options, t->session->diags) :
                                              say_none(t);
}

/* ---- The command line ---- */

static void init_take(void *task, int id)
{
  init_task *t = task;
  long long number;
  switch (id) {
  case TS_OPERAND: TS_PUSH(t->arena, &t->files, t->options.argument); break;
  case MODEL: t->model = t->options.argument; break;
  case GPU: t->gpu = t->options.argument; break;
  case GPUS:
    ts_options_number(&t->options, 1, 10000000, &number);
    t->gpus = t->options.argument;
    break;
  case FRAMEWORK:
    TS_PUSH(t->arena, &t->plan.defines, (ts_define){"framework", t->options.argument});
    break;
  case BUDGET:
    t->budget_text = t->options.argument;
    ts_sweep_budget_read(&t->options, &t->budget);
    break;
  case OUTPUT: t->output = t->options.argument; break;
  default: ts_plan_option(&t->plan, t->arena, &t->options, id);
  }
}

int ts_init_main(int argc, char **argv)
{
  init_task t = {.arena = ts_arena_new("init"), .gpus = "8"};
  t.options = ts_options_start(&program, argc, argv);
  bool read = ts_options_read(&t.options, &t, init_take);
  if (read && (!t.model || !t.gpu)) {
    ts_options_wrong(&t.options, "`%s` is missing: %s", t.model ? "--gpu" : "--model",
                     t.model ? "`trainspec list machines` says which there are" :
                               "`trainspec list models` says which there are");
    read = false;
  }
  int status = read ? init(&t) : t.options.status;
  ts_arena_free(t.arena);
  return status;
}
