#include "library/trainspec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag_record.h"
#include "base/output.h"
#include "base/version.h"
#include "compiler/command_line.h"
#include "compiler/eval/files.h"
#include "ir/spelling.h"
#include "library/workspace.h"
#include "runtime/report/plausible.h"
#include "runtime/report/report.h"

const char *trainspec_version(void) { return ts_version(); }

/* ---- Workspace ---- */

static trainspec *workspace(void)
{
  ts_arena *arena = ts_arena_new("workspace");
  trainspec *ts = TS_NEW(arena, trainspec);
  ts->arena = arena;
  ts->sources = ts_sources_new(arena);
  ts_library_session(ts); /* of messages about no plan */
  return ts;
}

trainspec *trainspec_new(void)
{
  trainspec *volatile ts = NULL;
  ts_heap_of_library();
  TS_LIBRARY_CALL(NULL, ts = workspace());
  return ts;
}

void trainspec_max_memory(uint64_t bytes) { ts_heap_limit_library(bytes); }

/* ---- Calls ---- */

bool ts_library_enter(ts_library_call *call, trainspec *ts)
{
  call->locale = ts_locale_enter();
  ts_heap_rescue_begin(&call->rescue);
  call->before = ts ? ts->call : NULL;
  if (ts)
    ts->call = call;
  return !ts || !ts->spent;
}

static void say_there_is_none(trainspec *ts)
{
  double most = (double)ts_heap_ceiling();
  ts_diags *diags = ts->sessions.at[0]->diags;
  ts_diag *d = most > 0 ?
                 ts_diag_add(diags, TS_E0707, TS_NO_SPAN, "more memory than %.4g %s is needed",
                             most < 1e9 ? most / 1e6 : most / 1e9, most < 1e9 ? "MB" : "GB") :
                 ts_diag_add(diags, TS_E0707, TS_NO_SPAN, "out of memory");
  ts_diag_help(d, "make the plan smaller, give back what is no longer needed, or allow more "
                  "(`trainspec_max_memory`; half of the machine's or the container's unless set)");
}

void ts_library_leave(ts_library_call *call, trainspec *ts)
{
  bool good = ts_heap_rescue_end(&call->rescue);
  if (ts)
    ts->call = call->before;
  if (!good && ts && !ts->spent) {
    ts->spent = true;
    ts_heap_rescue_begin(&call->rescue);
    call->rescue.little = true;
    if (!setjmp(call->rescue.none))
      say_there_is_none(ts);
    ts_heap_rescue_end(&call->rescue);
  }
  ts_locale_leave(call->locale);
}

ts_session *ts_library_session(trainspec *ts)
{
  ts_session *s = ts_session_beside(ts->arena, ts->sources);
  for (size_t i = 0; i < ts->warnings.count; i++)
    ts_diags_warning_option(s->diags, ts->warnings.at[i]);
  TS_PUSH(ts->arena, &ts->sessions, s);
  return s;
}

void trainspec_free(trainspec *ts)
{
  if (!ts)
    return;
  for (size_t i = 0; i < ts->plans.count; i++)
    trainspec_close(ts->plans.at[i]);
  for (size_t i = 0; i < ts->commons.count; i++)
    ts_common_free(ts->commons.at[i]);
  ts_arena_free(ts->arena);
}

static const char *copy(trainspec *ts, const char *text)
{
  return ts_arena_string(ts->arena, text, strlen(text));
}

static void define(trainspec *ts, const char *parameter, const char *expression)
{
  for (size_t i = 0; i < ts->defines.count; i++)
    if (!strcmp(ts->defines.at[i].name, parameter)) {
      ts->defines.at[i].expression = copy(ts, expression);
      return;
    }
  TS_PUSH(ts->arena, &ts->defines, (ts_define){copy(ts, parameter), copy(ts, expression)});
}

void trainspec_define(trainspec *ts, const char *parameter, const char *expression)
{
  TS_LIBRARY_CALL(ts, define(ts, parameter, expression));
}

void trainspec_import_dir(trainspec *ts, const char *folder)
{
  TS_LIBRARY_CALL(ts, TS_PUSH(ts->arena, &ts->import_dirs, copy(ts, folder)));
}
void trainspec_read_dir(trainspec *ts, const char *folder)
{
  TS_LIBRARY_CALL(ts, TS_PUSH(ts->arena, &ts->read_dirs, copy(ts, folder)));
}
void trainspec_allow_native(trainspec *ts, const char *file)
{
  TS_LIBRARY_CALL(ts, TS_PUSH(ts->arena, &ts->natives, copy(ts, file)));
}
void trainspec_stdlib_dir(trainspec *ts, const char *folder)
{
  TS_LIBRARY_CALL(ts, ts->options.stdlib_dir = folder ? copy(ts, folder) : NULL);
}

static bool warning(trainspec *ts, const char *option)
{
  if (!ts_diags_warning_option(ts->sessions.at[0]->diags, option))
    return false;
  TS_PUSH(ts->arena, &ts->warnings, copy(ts, option));
  return true;
}

bool trainspec_warning(trainspec *ts, const char *option)
{
  volatile bool known = false;
  TS_LIBRARY_CALL(ts, known = warning(ts, option));
  return known;
}

/* Copies of the lists: sessions keep pointers to what they were given. */
ts_compile_options ts_library_options(trainspec *ts, const char *plan)
{
  ts_compile_options o = ts->options;
  o.plan_name = plan ? copy(ts, plan) : NULL;
  o.import_dirs = ts_arena_copy(ts->arena, ts->import_dirs.at,
                                ts->import_dirs.count * sizeof *ts->import_dirs.at);
  o.import_dir_count = (uint32_t)ts->import_dirs.count;
  o.read_dirs =
    ts_arena_copy(ts->arena, ts->read_dirs.at, ts->read_dirs.count * sizeof *ts->read_dirs.at);
  o.read_dir_count = (uint32_t)ts->read_dirs.count;
  o.natives = ts_arena_copy(ts->arena, ts->natives.at, ts->natives.count * sizeof *ts->natives.at);
  o.native_count = (uint32_t)ts->natives.count;
  o.defines = ts_arena_copy(ts->arena, ts->defines.at, ts->defines.count * sizeof *ts->defines.at);
  o.define_count = (uint32_t)ts->defines.count;
  return o;
}

/* ---- Messages ---- */

static bool is_help(const ts_diag_child *child)
{
  return child->kind == TS_CHILD_HELP || child->kind == TS_CHILD_EDIT;
}

/* All that were not silenced, in the order in which they were found. */
static ts_diags messages(const trainspec *ts, ts_arena *arena)
{
  ts_diags all = *ts->sessions.at[0]->diags;
  all.arena = arena;
  memset(&all.all, 0, sizeof all.all);
  for (size_t i = 0; i < ts->sessions.count; i++) {
    const ts_diags *diags = ts->sessions.at[i]->diags;
    for (size_t k = 0; k < diags->all.count; k++)
      if (!diags->all.at[k]->off)
        TS_PUSH(arena, &all.all, diags->all.at[k]);
  }
  return all;
}

/* The i-th of these, and how many there are. */
static const ts_diag *message(const trainspec *ts, size_t i, size_t *count)
{
  const ts_diag *found = NULL;
  *count = 0;
  for (size_t s = 0; s < ts->sessions.count; s++) {
    const ts_diags *diags = ts->sessions.at[s]->diags;
    for (size_t k = 0; k < diags->all.count; k++)
      if (!diags->all.at[k]->off && (*count)++ == i)
        found = diags->all.at[k];
  }
  return found;
}

size_t trainspec_message_count(const trainspec *ts)
{
  size_t count;
  message(ts, 0, &count);
  return count;
}

trainspec_message trainspec_message_at(const trainspec *ts, size_t i)
{
  size_t count;
  const ts_diag *d = message(ts, i, &count);
  if (!d)
    return (trainspec_message){0};
  trainspec_message m = {(trainspec_severity)d->severity,
                         ts_code_name(d->code),
                         ts_code_short_name(d->code),
                         d->message,
                         NULL,
                         0,
                         0,
                         NULL};
  const ts_source *source = ts_sources_get(ts->sources, d->primary.file);
  if (source) {
    ts_position at = ts_sources_position(ts->sources, d->primary.file, d->primary.begin);
    m.file = source->name;
    m.line = at.line;
    m.column = at.column;
  }
  for (size_t k = 0; k < d->children.count && !m.help; k++)
    if (is_help(&d->children.at[k]))
      m.help = d->children.at[k].text;
  return m;
}

static void put_all(const trainspec *ts, FILE *out, trainspec_format format)
{
  ts_arena *scratch = ts_arena_new("messages");
  ts_diags all = messages(ts, scratch);
  if (format == TRAINSPEC_TEXT)
    ts_diags_print(&all, out, ts_color_auto(out));
  else if (format == TRAINSPEC_JSON)
    ts_diags_print_json(&all, out);
  ts_arena_free(scratch);
}

/* Also of a workspace that is spent: that is what its messages say. */
#define CALL_FOR_MESSAGES(work)              \
  do {                                       \
    ts_library_call call;                    \
    ts_library_enter(&call, NULL);           \
    call.rescue.little = true;               \
    if (!setjmp(call.rescue.none))           \
      work;                                  \
    ts_library_leave(&call, NULL);           \
  } while (0)

void trainspec_print_messages(const trainspec *ts, FILE *out, trainspec_format format)
{
  CALL_FOR_MESSAGES(put_all(ts, out, format));
}

/* What `put` prints, in the arena. */
static const char *printed(ts_arena *arena, ts_print *put, void *closure, size_t *size)
{
  size_t length;
  char *text = ts_printed(put, closure, &length);
  const char *own = ts_arena_string(arena, text, length);
  free(text);
  if (size)
    *size = length;
  return own;
}

typedef struct of_workspace { const trainspec *ts; trainspec_format format; } of_workspace;

static void put_messages(void *closure, FILE *out)
{
  const of_workspace *of = closure;
  put_all(of->ts, out, of->format);
}

const char *trainspec_messages_text(const trainspec *ts, trainspec_format format, size_t *size)
{
  const char *volatile text = NULL;
  of_workspace of = {ts, format};
  CALL_FOR_MESSAGES(text = printed(ts->arena, put_messages, &of, size));
  return text;
}

/* ---- Plans ---- */

static bool read_input(trainspec_plan *plan, ts_session *session, uint32_t listed, ts_input *input)
{
  plan->options.listed = listed;
  plan->options.orderless = true;
  return plan->text ?
           ts_input_compile(session, plan->path, plan->text, plan->size, &plan->options, input) :
           ts_input_open(session, plan->path, &plan->options, input);
}

/* NULL where there is an error; a warning that was made one counts like any other. `text`: NULL for
 * that of the file. */
static trainspec_plan *open_plan(trainspec *ts, const char *path, const char *text, size_t size,
                                 const char *name)
{
  trainspec_plan *plan = TS_NEW(ts->arena, trainspec_plan);
  *plan = (trainspec_plan){.ts = ts,
                           .session = ts_library_session(ts),
                           .options = ts_library_options(ts, name),
                           .path = copy(ts, path),
                           .text = text ? ts_arena_string(ts->arena, text, size) : NULL,
                           .size = size};
  bool again = text || strcmp(path, "-") != 0; /* it can be read again */
  bool opened = read_input(plan, plan->session, again ? TS_LISTED : 0, &plan->input);
  if (!opened && plan->session->options->listed) { /* perhaps as rounds are left out */
    ts->sessions.count--;
    plan->session = ts_library_session(ts);
    opened = read_input(plan, plan->session, 0, &plan->input);
  }
  if (!opened)
    return NULL;
  if (ts_diags_errors(plan->session->diags)) {
    ts_input_close(&plan->input);
    return NULL;
  }
  plan->open = true;
  plan->text = plan->input.text; /* whatever becomes of the file */
  plan->size = plan->input.size;
  TS_PUSH(ts->arena, &ts->plans, plan);
  return plan;
}

/* With all of its rounds; NULL after an error. It has said what it has to say. */
static const ts_input *whole(trainspec_plan *plan)
{
  trainspec *ts = plan->ts;
  if (!plan->input.ir.left_out)
    return &plan->input;
  if (plan->whole.builder)
    return &plan->whole;
  ts_session *session = ts_library_session(ts);
  bool read = read_input(plan, session, 0, &plan->whole);
  ts->sessions.count -= read;
  return read ? &plan->whole : NULL;
}

trainspec_plan *trainspec_open(trainspec *ts, const char *path, const char *plan)
{
  trainspec_plan *volatile opened = NULL;
  TS_LIBRARY_CALL(ts, opened = open_plan(ts, path, NULL, 0, plan));
  return opened;
}

trainspec_plan *trainspec_compile(trainspec *ts, const char *path, const char *text, size_t size,
                                  const char *plan)
{
  trainspec_plan *volatile opened = NULL;
  TS_LIBRARY_CALL(ts, opened = open_plan(ts, path, text, size, plan));
  return opened;
}

static const char *import_plan(trainspec *ts, ts_command_line line)
{
  ts_session *session = ts_library_session(ts);
  ts_compile_options o = ts_library_options(ts, NULL);
  size_t size = 0;
  const char **word = TS_NEW_ARRAY(ts->arena, const char *, line.word_count + 1);
  ts_compile_settings(session, &o);
  for (uint32_t i = 0; i < line.word_count; i++)
    word[i] = copy(ts, line.word[i]);
  line.word = word;
  return ts_command_line_plan(session, &line, &size);
}

const char *trainspec_import(trainspec *ts, const char *framework, const char *const *word,
                             size_t count, const char *gpus, const char *gpu)
{
  const char *volatile text = NULL;
  ts_command_line line = {framework, word, (uint32_t)count, gpus, gpu};
  TS_LIBRARY_CALL(ts, text = import_plan(ts, line));
  return text;
}

static bool write_plan(trainspec_plan *plan, const char *path)
{
  ts_error error = {0};
  const ts_input *input = whole(plan);
  if (!input)
    return false;
  if (ts_ir_write_file(&input->ir, path, &error) == 0)
    return true;
  ts_diag_add(plan->session->diags, TS_E0701, TS_NO_SPAN, "cannot write `%s`: %s", path,
              error.message);
  return false;
}

bool trainspec_write(const trainspec_plan *plan, const char *path)
{
  volatile bool good = false;
  TS_LIBRARY_CALL(plan->ts, good = write_plan((trainspec_plan *)(uintptr_t)plan, path));
  return good;
}

uint32_t trainspec_ranks(const trainspec_plan *plan) { return plan->input.ir.meta->world; }
const char *trainspec_plan_name(const trainspec_plan *plan)
{
  return plan->input.ir.strings + plan->input.ir.meta->plan;
}

/* The last definition of a name is used. */
static const char *value_of(const trainspec_plan *plan, const ts_parameter *p)
{
  const char *value = p->value;
  for (size_t i = 0; i < plan->options.define_count; i++)
    if (strcmp(plan->options.defines[i].name, p->name) == 0)
      value = plan->options.defines[i].expression;
  return value;
}

static bool parameter_at(trainspec_plan *plan, size_t i, trainspec_parameter *to)
{
  if (plan->input.kind != TS_INPUT_PLAN)
    return false;
  if (!plan->parameters.count)
    plan->parameters = ts_parameters_of(plan->session, trainspec_plan_name(plan));
  for (size_t k = 0; k < plan->parameters.count; k++) {
    const ts_parameter *p = &plan->parameters.at[k];
    if (!p->name || i-- > 0)
      continue;
    *to = (trainspec_parameter){p->name, p->type, p->value, value_of(plan, p)};
    return true;
  }
  return false;
}

bool trainspec_parameter_at(trainspec_plan *plan, size_t i, trainspec_parameter *parameter)
{
  volatile bool good = false;
  TS_LIBRARY_CALL(plan->ts, good = parameter_at(plan, i, parameter));
  return good;
}

void trainspec_close(trainspec_plan *plan)
{
  if (!plan || !plan->open)
    return;
  for (size_t i = 0; i < plan->runs.count; i++)
    trainspec_run_free(plan->runs.at[i]);
  ts_input_close(&plan->input);
  ts_input_close(&plan->whole);
  plan->open = false;
}

/* ---- Playing ---- */

static const char *source_text(void *closure, ts_arena *arena, const char *name, size_t *size)
{
  (void)arena;
  return ts_session_text(closure, name, size);
}

static ts_source_reader reader_of(trainspec_plan *plan)
{
  return (ts_source_reader){source_text, plan->session};
}

static void report(trainspec_plan *plan, const ts_stop *stop)
{
  trainspec *ts = plan->ts;
  if (ts_stop_diagnose(stop, &plan->input.ir, reader_of(plan), ts->arena, ts->sources,
                       plan->session->diags))
    return;
  ts_diag *d = ts_diag_add(plan->session->diags, TS_E0701, TS_NO_SPAN, "%s", stop->title);
  for (uint32_t i = 0; i < stop->fact_count; i++)
    ts_diag_fact(d, stop->facts[i].name, "%s", stop->facts[i].text);
  if (stop->help)
    ts_diag_help(d, "%s", stop->help);
}

/* What the caller gave is called in its own locale. */
typedef struct trainspec_requested {
  const trainspec *ts;
  const trainspec_options *given;
} trainspec_requested;

static bool trainspec_ask(void *closure, const char *what, double share)
{
  const trainspec_requested *a = closure;
  ts_locale_pause(&a->ts->call->locale);
  bool go_on = a->given->progress(a->given->closure, what, share);
  ts_locale_resume(&a->ts->call->locale);
  return go_on;
}

static bool take_allocator(trainspec_run *run, const char *kind)
{
  ts_allocator_options *options = TS_NEW(run->arena, ts_allocator_options);
  const char *wrong = kind ? ts_allocator_parse(kind, options) : NULL;
  if (wrong)
    ts_diag_add(run->plan->session->diags, TS_E0701, TS_NO_SPAN, "allocator `%s`: %s", kind, wrong);
  run->allocator = kind ? options : NULL;
  return !wrong;
}

/* What is not an option is said. */
static bool take_options(trainspec_run *run, const trainspec_options *o)
{
  trainspec_plan *plan = run->plan;
  ts_arena *arena = run->arena;
  ts_run_options *out = &run->options;
  if (!o)
    return true;
  out->network = o->network ? ts_arena_string(arena, o->network, strlen(o->network)) : NULL;
  out->contention = o->contention;
  out->no_fold = o->no_fold;
  out->threads = o->threads;
  if (o->progress) {
    ts_progress *progress = TS_NEW(arena, ts_progress);
    trainspec_requested *a = TS_NEW(arena, trainspec_requested);
    *a = (trainspec_requested){plan->ts, ts_arena_copy(arena, o, sizeof *o)};
    *progress = (ts_progress){.tick = trainspec_ask, .closure = a};
    out->progress = progress;
  }
  const char *wrong = o->overlap ? ts_slowdown_open(arena, o->overlap, &out->overlap) : NULL;
  if (wrong)
    ts_diag_add(plan->session->diags, TS_E0701, TS_NO_SPAN, "overlap `%s`: %s", o->overlap, wrong);
  return !wrong && take_allocator(run, o->allocator);
}

/* Plays the input, in the stead of what was played before, and sums up. */
static bool play_input(trainspec_run *run, const ts_input *input, ts_stop *stop)
{
  const ts_ir *ir = &input->ir;
  ts_run *played = ts_run_new(ir, &run->options, stop);
  if (!played)
    return false;
  ts_run_free(run->run);
  run->run = played;
  run->input = input;
  run->memory = ts_memory_new(run->arena, ir, played);
  run->summary = ts_arena_copy(
    run->arena, ts_summary_new(run->arena, ir, played, run->memory, run->options.network),
    sizeof *run->summary);
  run->figures = ts_figures_of(run->summary);
  run->summary->extras.overlap = run->options.overlap;
  if (run->allocator)
    run->summary->extras.reserved =
      ts_reserved_new(run->arena, ir, played, run->memory, run->allocator);
  return true;
}

/* Plays all rounds, for who shows them. */
static bool play_whole(trainspec_run *run)
{
  ts_stop stop = {.arena = run->arena};
  const ts_input *input = whole(run->plan);
  if (!input || input == run->input)
    return input;
  if (!play_input(run, input, &stop)) {
    report(run->plan, &stop);
    return false;
  }
  if (run->looked)
    ts_plausible(run->summary, &run->options);
  return true;
}

/* Rounds may be left out where links have no queues of all devices. */
static const ts_input *to_be_played(trainspec_plan *plan, const ts_run_options *o)
{
  return o->contention || o->overlap ? whole(plan) : &plan->input;
}

static trainspec_run *play(trainspec_plan *plan, const trainspec_options *options)
{
  ts_arena *arena = ts_arena_new("run of the library");
  ts_stop stop = {.arena = arena};
  trainspec_run *run = TS_NEW(plan->ts->arena, trainspec_run);
  *run = (trainspec_run){.plan = plan, .arena = arena};
  bool good = take_options(run, options);
  const ts_input *input = good ? to_be_played(plan, &run->options) : NULL;
  bool played = input && play_input(run, input, &stop);
  if (input && !played && input->ir.left_out && (input = whole(plan))) {
    stop = (ts_stop){.arena = arena};
    played = play_input(run, input, &stop);
  }
  if (!played) {
    if (input)
      report(plan, &stop);
    ts_arena_free(arena);
    return NULL;
  }
  run->options.progress = NULL; /* whom it asks is there for this call alone */
  TS_PUSH(plan->ts->arena, &plan->runs, run);
  return run;
}

trainspec_run *trainspec_play(trainspec_plan *plan, const trainspec_options *options)
{
  trainspec_run *volatile played = NULL;
  TS_LIBRARY_CALL(plan->ts, played = play(plan, options));
  return played;
}

void trainspec_run_free(trainspec_run *run)
{
  if (!run || !run->arena)
    return;
  ts_run_free(run->run);
  ts_arena_free(run->arena);
  run->arena = NULL;
}

/* ---- Results ---- */

bool trainspec_figure_at(size_t i, trainspec_figure *figure)
{
  if (i < TS_FIGURES)
    *figure = (trainspec_figure){ts_figure_table[i].name,
                                 ts_figure_units[ts_figure_table[i].unit].symbol,
                                 ts_figure_table[i].better};
  return i < TS_FIGURES;
}

trainspec_result ts_library_result(const ts_summary *s, const ts_figures *figures)
{
  const ts_memory_class *fullest = &s->memory->classes[s->memory->fullest];
  return (trainspec_result){
    .step_ps = s->result->step,
    .time = {s->time.compute, s->time.exposed, s->time.bubble, s->time.host, s->time.tail},
    .figures = figures->of,
    .samples_per_second = s->samples_per_second,
    .fullest_rank = fullest->rank,
    .peak = fullest->peak,
    .reserved = fullest->reserved,
    .limit = fullest->limit,
    .nodes = s->result->nodes,
    .step_low_ps = s->confidence.step.on ? (uint64_t)llround(s->confidence.step.low * 1e12) : 0,
    .step_high_ps = s->confidence.step.on ? (uint64_t)llround(s->confidence.step.high * 1e12) : 0};
}

trainspec_result trainspec_result_of(const trainspec_run *run)
{
  return ts_library_result(run->summary, &run->figures);
}

trainspec_rank trainspec_rank_of(const trainspec_run *run, uint32_t rank)
{
  const ts_result *r = run->summary->result;
  uint32_t class = r->class_of[rank];
  const ts_class_result *c = &r->classes[class];
  const ts_memory_class *m = &run->memory->classes[class];
  return (trainspec_rank){.like = c->rank,
                          .end_ps = c->end,
                          .compute_ps = ts_class_compute(c),
                          .exposed_ps = ts_class_exposed(c),
                          .bubble_ps = c->bubble,
                          .host_ps = c->host,
                          .tail_ps = c->tail,
                          .peak = m->peak,
                          .limit = m->limit};
}

const char *trainspec_category(size_t category)
{
  return category < TS_IR_CATEGORIES ? ts_category_name((uint32_t)category) : NULL;
}

uint64_t trainspec_held_at_peak(const trainspec_run *run, uint32_t rank, size_t category)
{
  const ts_memory_class *m = &run->memory->classes[run->summary->result->class_of[rank]];
  return category < TS_IR_CATEGORIES ? m->category[category] : 0;
}

typedef struct each_memory {
  const trainspec *ts;
  void (*each)(void *closure, uint64_t time_ps, const int64_t *by_category);
  void *closure;
} each_memory;

static void pass_memory(void *closure, uint64_t time, const int64_t category[TS_IR_CATEGORIES])
{
  const each_memory *v = closure;
  ts_locale_pause(&v->ts->call->locale);
  v->each(v->closure, time, category);
  ts_locale_resume(&v->ts->call->locale);
}

static void memory(trainspec_run *run, uint32_t rank, each_memory *v)
{
  if (play_whole(run))
    ts_memory_curve(&run->input->ir, run->run, rank, pass_memory, v);
}

void trainspec_memory(const trainspec_run *run, uint32_t rank,
                      void (*each)(void *closure, uint64_t time_ps, const int64_t *by_category),
                      void *closure)
{
  each_memory v = {run->plan->ts, each, closure};
  TS_LIBRARY_CALL(run->plan->ts, memory((trainspec_run *)(uintptr_t)run, rank, &v));
}

typedef struct each_event {
  const trainspec_run *run;
  void (*each)(void *closure, const trainspec_event *event);
  void *closure;
} each_event;

static trainspec_kind trainspec_kind_of(const ts_ir_node *node)
{
  switch (node->op) {
  case TS_IR_COMPUTE: return TRAINSPEC_COMPUTE;
  case TS_IR_COLLECTIVE: return TRAINSPEC_COLLECTIVE;
  case TS_IR_SEND: return TRAINSPEC_SEND;
  case TS_IR_RECV: return TRAINSPEC_RECEIVE;
  case TS_IR_HOST_WORK: case TS_IR_HOST_SYNC: return TRAINSPEC_HOST;
  default: return TRAINSPEC_OTHER;
  }
}

static const char *what_of(const ts_ir *ir, const ts_ir_node *node)
{
  if (node->op == TS_IR_COMPUTE)
    return ir->strings + ir->kernels[node->arg].family;
  return node->op == TS_IR_COLLECTIVE ? ts_ir_collective_names[ir->collectives[node->arg].kind] :
                                        "";
}

static void pass_event(void *closure, const ts_span_event *e)
{
  const each_event *v = closure;
  const ts_ir *ir = &v->run->input->ir;
  const ts_ir_node *node = e->node;
  trainspec_event event = {
    .kind = trainspec_kind_of(node),
    .label = ir->strings + node->label,
    .what = what_of(ir, node),
    .stream = e->stream == TS_IR_NONE ? "host" : ir->strings + ir->streams[e->stream].name,
    .issued_ps = e->issued,
    .ready_ps = e->ready,
    .start_ps = e->start,
    .end_ps = e->end,
    .peer = e->peer};
  const trainspec *ts = v->run->plan->ts;
  ts_locale_pause(&ts->call->locale);
  v->each(v->closure, &event);
  ts_locale_resume(&ts->call->locale);
}

static void timeline(trainspec_run *run, uint32_t rank, each_event *v)
{
  if (play_whole(run))
    ts_run_timeline(run->run, rank, pass_event, v);
}

void trainspec_timeline(const trainspec_run *run, uint32_t rank,
                        void (*each)(void *closure, const trainspec_event *event), void *closure)
{
  each_event v = {run, each, closure};
  TS_LIBRARY_CALL(run->plan->ts, timeline((trainspec_run *)(uintptr_t)run, rank, &v));
}

static void take_start(void *closure, const ts_span_event *e)
{
  uint64_t *first = closure;
  if (e->node->op == TS_IR_COMPUTE && e->start < *first)
    *first = e->start;
}

static uint64_t start_of(trainspec_run *run, uint32_t rank)
{
  uint64_t first = UINT64_MAX;
  if (play_whole(run))
    ts_run_timeline(run->run, rank, take_start, &first);
  return first == UINT64_MAX ? 0 : first;
}

uint64_t trainspec_start_of(const trainspec_run *run, uint32_t rank)
{
  volatile uint64_t start = 0;
  TS_LIBRARY_CALL(run->plan->ts, start = start_of((trainspec_run *)(uintptr_t)run, rank));
  return start;
}

static bool critical_at(const trainspec_run *run, size_t i, trainspec_critical *part)
{
  ts_critical_parts path = ts_run_critical(run->run);
  if (i >= path.count)
    return false;
  const ts_critical_part *p = &path.at[i];
  *part = (trainspec_critical){ts_critical_name(p->kind), p->name,
                               run->input->ir.strings + p->label, p->time, p->count};
  return true;
}

bool trainspec_critical_at(const trainspec_run *run, size_t i, trainspec_critical *part)
{
  volatile bool there = false;
  TS_LIBRARY_CALL(run->plan->ts, there = critical_at(run, i, part));
  return there;
}

/* ---- Reports ---- */

/* Warnings of the played plan join the messages once. False when one of them was made an error. */
static bool trainspec_look(trainspec_run *run)
{
  trainspec_plan *plan = run->plan;
  trainspec *ts = plan->ts;
  if (!run->looked) {
    unsigned errors = ts_diags_errors(plan->session->diags);
    if (!ts_plausible(run->summary, &run->options) && play_whole(run))
      ts_plausible(run->summary, &run->options);
    ts_report_silence(run->summary, plan->session->diags);
    ts_warnings_diagnose(&run->summary->warnings, &run->input->ir,
                         plan->input.kind == TS_INPUT_PLAN, reader_of(plan), ts->arena, ts->sources,
                         plan->session->diags);
    run->looked = true;
    run->refused = ts_diags_errors(plan->session->diags) > errors;
  }
  return !run->refused;
}

static bool report_to(trainspec_run *run, FILE *out, trainspec_format format)
{
  bool shows_rounds = format == TRAINSPEC_HTML || format == TRAINSPEC_SVG;
  if ((shows_rounds && !play_whole(run)) || !trainspec_look(run))
    return false;
  switch (format) {
  case TRAINSPEC_TEXT: ts_report_text(run->summary, out); break;
  case TRAINSPEC_JSON: ts_report_json(run->summary, out); break;
  case TRAINSPEC_CSV: ts_report_csv(run->summary, out); break;
  case TRAINSPEC_HTML: ts_report_html(run->summary, out); break;
  case TRAINSPEC_SVG: ts_report_svg(run->summary, NULL, out); break;
  }
  if (fflush(out) == 0 && !ferror(out))
    return true;
  ts_diag_add(run->plan->session->diags, TS_E0701, TS_NO_SPAN, "the report could not be written");
  return false;
}

bool trainspec_report(trainspec_run *run, FILE *out, trainspec_format format)
{
  volatile bool good = false;
  TS_LIBRARY_CALL(run->plan->ts, good = report_to(run, out, format));
  return good;
}

typedef struct of_run { trainspec_run *run; trainspec_format format; bool good; } of_run;

static void trainspec_put_report(void *closure, FILE *out)
{
  of_run *of = closure;
  of->good = report_to(of->run, out, of->format);
}

const char *trainspec_report_text(trainspec_run *run, trainspec_format format, size_t *size)
{
  of_run of = {run, format, false};
  const char *volatile text = NULL;
  TS_LIBRARY_CALL(run->plan->ts, text = printed(run->arena, trainspec_put_report, &of, size));
  return of.good ? text : NULL;
}

static bool write_trace(trainspec_run *run, const char *path)
{
  ts_stop stop = {.arena = run->plan->ts->arena};
  if (!play_whole(run))
    return false;
  if (ts_report_trace(run->summary, &(ts_trace_options){0}, path, &stop) == 0)
    return true;
  report(run->plan, &stop);
  return false;
}

bool trainspec_trace(trainspec_run *run, const char *path)
{
  volatile bool good = false;
  TS_LIBRARY_CALL(run->plan->ts, good = write_trace(run, path));
  return good;
}
