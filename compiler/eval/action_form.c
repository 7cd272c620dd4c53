#include "compiler/eval/action_form.h"

#include "compiler/eval/report.h"

#include <string.h>

/* needs: must be given. subjects: the words that may stand first; NULL: the name of a tensor. */
typedef struct form {
  ts_kind kind;
  const char *does, *needs, *subjects[4], *names[17];
} form;

static const form forms[] = {
  {TS_AST_COMM,
   NULL,
   "over",
   {NULL},
   {"over", "dim", "overlap", "bucket", "group", "ahead", "every", "slows", "share", "fullest",
    "on", "copied", "exceed", "prefetch", "live", "reuse", "first"}},
  {TS_AST_SHARD, "sharded", "over", {"parameters", "gradients", "optimizer"}, {"over", "above"}},
  {TS_AST_OFFLOAD,
   "offloaded",
   "at",
   {"activations", "inputs", "optimizer"},
   {"at", "bucket", "group", "ahead", "updates"}},
  {TS_AST_RECOMPUTE, NULL, NULL, {NULL}, {"group", "discard"}},
};

static const form *form_of(ts_kind kind)
{
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
    if (forms[i].kind == kind)
      return &forms[i];
  return NULL;
}

const char *ts_action_argument(const char *called, size_t i)
{
  for (size_t k = 0; k < sizeof forms / sizeof *forms; k++)
    if (!strcmp(ts_kind_name(forms[k].kind), called))
      return i < sizeof forms[k].names / sizeof *forms[k].names ? forms[k].names[i] : NULL;
  return NULL;
}

static size_t action_form_length_of(const char *const *words, size_t room)
{
  size_t count = 0;
  while (count < room && words[count])
    count++;
  return count;
}

static const char *action_form_name_of(const ts_ast *action)
{
  return action->kind == TS_AST_COMM ? action->name : ts_kind_name(action->kind);
}

const ts_ast *ts_action_args(const ts_ast *action)
{
  return form_of(action->kind) ? ts_ast_options(action) : NULL;
}

const ts_ast *ts_action_subject(const ts_ast *action)
{
  const ts_ast *args = ts_action_args(action), *first = args && args->count ? args->child[0] : NULL;
  return first && !first->name ? ts_ast_value(first) : NULL;
}

const ts_ast *ts_action_given(const ts_ast *action, const char *name)
{
  const ts_ast *args = ts_action_args(action);
  for (uint32_t i = 0; args && i < args->count; i++)
    if (args->child[i]->name && !strcmp(args->child[i]->name, name))
      return ts_ast_value(args->child[i]);
  return NULL;
}

static bool action_form_known(ts_session *s, const form *f, const ts_ast *action, const ts_ast *arg)
{
  size_t count = action_form_length_of(f->names, sizeof f->names / sizeof *f->names);
  for (size_t i = 0; i < count; i++)
    if (!strcmp(f->names[i], arg->name))
      return true;
  const char *best[3];
  ts_diag *d = ts_report(s, TS_E0209, arg->name_span, "`%s` has no argument `%s`",
                         action_form_name_of(action), arg->name);
  if (ts_suggest(arg->name, f->names, count, best))
    ts_diag_edit(d, arg->name_span, best[0], "did you mean `%s`?", best[0]);
  ts_diag_note(d, "it takes %s", ts_listed(s->arena, f->names, count));
  return false;
}

static bool first_of_its_name(ts_session *s, const ts_ast *action, const ts_ast *args, uint32_t at)
{
  for (uint32_t i = 0; i < at; i++)
    if (args->child[i]->name == args->child[at]->name) {
      ts_diag *d = ts_report(s, TS_E0211, args->child[at]->name_span, "`%s` of `%s` is given twice",
                             args->child[at]->name, action_form_name_of(action));
      ts_diag_label(d, args->child[i]->span, "first here");
      return false;
    }
  return true;
}

/* One argument has no name, and stands first. */
static bool nameless(ts_session *s, const form *f, const ts_ast *action, uint32_t at)
{
  const ts_ast *arg = ts_action_args(action)->child[at];
  if (at == 0 && action->kind != TS_AST_RECOMPUTE)
    return true;
  ts_diag *d = ts_report(s, TS_E0211, arg->span, "this argument of `%s` needs its name",
                         action_form_name_of(action));
  if (at && ts_action_subject(action))
    ts_diag_label(d, ts_action_args(action)->child[0]->span,
                  "only the first argument, its subject, has no name");
  ts_diag_note(d, "it takes %s",
               ts_listed(s->arena, f->names,
                         action_form_length_of(f->names, sizeof f->names / sizeof *f->names)));
  return false;
}

static bool known_subject(ts_session *s, const form *f, const ts_ast *action)
{
  const ts_ast *subject = ts_action_subject(action);
  size_t count = action_form_length_of(f->subjects, sizeof f->subjects / sizeof *f->subjects);
  for (size_t i = 0; subject && subject->kind == TS_AST_ID && i < count; i++)
    if (!strcmp(f->subjects[i], subject->name))
      return true;
  if (!count)
    return true;
  const char *best[3], *name = subject && subject->kind == TS_AST_ID ? subject->name : NULL;
  ts_span at = subject ? subject->span : action->span;
  ts_diag *d = name ? ts_report(s, TS_E0219, at, "`%s` cannot be %s", name, f->does) :
                      ts_report(s, TS_E0219, at, "what is to be %s?", f->does);
  ts_diag_here(d, "known: %s", ts_listed(s->arena, f->subjects, count));
  if (name && ts_suggest(name, f->subjects, count, best))
    ts_diag_edit(d, at, best[0], "did you mean `%s`?", best[0]);
  return false;
}

static bool action_form_complete(ts_session *s, const form *f, const ts_ast *action)
{
  if (!f->needs || ts_action_given(action, f->needs))
    return true;
  ts_diag *d =
    ts_report(s, TS_E0210, action->span, "`%s` needs `%s`", action_form_name_of(action), f->needs);
  ts_diag_here(d, "not given");
  ts_diag_help(d, !strcmp(f->needs, "over") ?
                    "name an axis of the mesh, as in `over: d`" :
                    "give the rate of the link to the host, as in `at: 50 GB/s`");
  return false;
}

bool ts_action_fits(ts_session *s, const ts_ast *action)
{
  const form *f = form_of(action->kind);
  const ts_ast *args = ts_action_args(action);
  bool good = true;
  for (uint32_t i = 0; args && i < args->count; i++) {
    const ts_ast *arg = args->child[i];
    good &= arg->name ?
              action_form_known(s, f, action, arg) && first_of_its_name(s, action, args, i) :
              nameless(s, f, action, i);
  }
  return good && (!args || (known_subject(s, f, action) && action_form_complete(s, f, action)));
}
