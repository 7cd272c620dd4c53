#include "compiler/eval/match.h"

#include "compiler/eval/eval.h"
#include "compiler/eval/report.h"

#include <string.h>

/* Values of a type that has few: Bool's, and words besides. */
static const char *const truths[] = {"true", "false", NULL}, *const no_words[] = {NULL};

/* NULL: the type has any number of values. */
static const char *const *words_of(const ts_ast *type)
{
  return type && !strcmp(type->name, "Overlap") ? ts_overlap_words :
         type && !strcmp(type->name, "Bool")    ? no_words :
                                                  NULL;
}

/* What the pattern says in the text, if it stands for one value whatever is called so. */
static const char *spelling(const ts_ast *pattern)
{
  switch (pattern->kind) {
  case TS_AST_BOOL: return pattern->u.truth ? "true" : "false";
  case TS_AST_ID: return pattern->name;
  case TS_AST_INT: return pattern->literal;
  default: return NULL;
  }
}

static bool same_pattern(const ts_ast *a, const ts_ast *b)
{
  if (a->kind != b->kind)
    return false;
  if (a->kind == TS_AST_STRING)
    return !strcmp(a->literal, b->literal);
  return a->kind == TS_AST_INT ? a->u.integer == b->u.integer :
                                 spelling(a) && !strcmp(spelling(a), spelling(b));
}

/* The first of the patterns before this one that takes all of its values; NULL: none does. */
static const ts_ast *taken_before(ts_ast_list arms, const ts_ast *pattern)
{
  for (uint32_t i = 0; i < arms.count; i++) {
    ts_ast_list patterns = ts_ast_patterns(arms.at[i]);
    for (uint32_t k = 0; k < patterns.count && patterns.at[k] != pattern; k++)
      if (patterns.at[k]->kind == TS_AST_STAR || same_pattern(patterns.at[k], pattern))
        return patterns.at[k];
    if (patterns.count && pattern->span.begin < arms.at[i]->span.end)
      return NULL;
  }
  return NULL;
}

static bool has_pattern(ts_ast_list arms, const char *value)
{
  for (uint32_t i = 0; i < arms.count; i++) {
    ts_ast_list patterns = ts_ast_patterns(arms.at[i]);
    for (uint32_t k = 0; k < patterns.count; k++)
      if (patterns.at[k]->kind == TS_AST_STAR ||
          (spelling(patterns.at[k]) && !strcmp(spelling(patterns.at[k]), value)))
        return true;
  }
  return false;
}

static void unreachable(ts_session *s, ts_ast_list arms)
{
  for (uint32_t i = 0; i < arms.count; i++) {
    ts_ast_list patterns = ts_ast_patterns(arms.at[i]);
    for (uint32_t k = 0; k < patterns.count; k++) {
      const ts_ast *before = taken_before(arms, patterns.at[k]);
      if (!before)
        continue;
      ts_diag *d = ts_report(s, TS_W0208, patterns.at[k]->span, "no value comes to this pattern");
      ts_diag_here(d, "has no effect");
      ts_diag_label(d, before->span, "%s",
                    before->kind == TS_AST_STAR ? "takes all values" : "takes the same values");
      ts_diag_help(d, before->kind == TS_AST_STAR ? "`_` stands in the last arm" : "remove one");
    }
  }
}

static void check_values(ts_session *s, const ts_ast *match, const ts_ast *type,
                         const char *const *values)
{
  for (; *values; values++) {
    if (has_pattern(ts_ast_arms(match), *values))
      continue;
    ts_diag *d =
      ts_report(s, TS_E0241, ts_ast_value(match)->span, "no arm of `match` is for `%s`", *values);
    ts_diag_here(d, "%s", type->name);
    ts_diag_help(d, "write an arm `%s -> ...`, or `_ -> ...` for all other values", *values);
  }
}

void ts_match_check(ts_session *s, const ts_ast *match, const ts_ast *type)
{
  const char *const *words = words_of(type);
  unreachable(s, ts_ast_arms(match));
  if (!words)
    return;
  check_values(s, match, type, truths);
  check_values(s, match, type, words);
}
