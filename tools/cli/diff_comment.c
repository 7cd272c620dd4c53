#include "tools/cli/diff_comment.h"

#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/format.h"
#include "base/output.h"
#include "base/text_diff.h"
#include "runtime/report/confidence.h"
#include "runtime/report/lock.h"

/* Bytes of a comment at most: GitHub takes 65,536 characters. */
enum { MOST = 60000 };

/* ---- The head ---- */

/* "slower by 3.2 %" */
static const char *verdict(ts_arena *arena, const ts_summary *before, const ts_summary *after)
{
  double was = (double)before->result->step, is = (double)after->result->step;
  if (was == is)
    return "the step takes as long";
  if (!was || !is)
    return "the step has no time";
  return ts_arena_printf(arena, is < was ? "%.2f %% faster" : "%.2f %% slower",
                         100 * (is < was ? 1 - is / was : is / was - 1));
}

static bool is_over(const ts_summary *s) { return s->memory->classes[s->memory->fullest].over; }

static void diff_comment_put_head(ts_arena *arena, const ts_diff_side sides[2], FILE *out)
{
  const ts_summary *before = sides[0].summary, *after = sides[1].summary;
  const char *name = after->ir->strings + after->ir->meta->plan;
  fputs("### ", out);
  if (*name)
    ts_put_code(out, "%s: ", name);
  ts_put_xml(out, "%s to %s, %s\n\n", ts_format_time(before->result->step).text,
              ts_format_time(after->result->step).text, verdict(arena, before, after));
  if (is_over(after))
    fputs(is_over(before) ? "**It does not fit in memory, as before.**\n\n" :
                            "**It does not fit in memory.**\n\n",
          out);
  else if (is_over(before))
    fputs("It fits in memory now.\n\n", out);
}

/* ---- What changed ---- */

static const char *value(ts_arena *arena, const ts_locked_input *input)
{
  char hex[2 * TS_DIGEST_SIZE + 1];
  if (!input)
    return "not there";
  ts_digest_hex(input->sha256, hex);
  return *input->text ? input->text : ts_arena_printf(arena, "%.8s", hex);
}

/* The plans' own files are compared, whatever they are called. */
static void call_plan(ts_arena *arena, ts_lock *lock)
{
  ts_locked_input *inputs = ts_arena_copy(arena, lock->inputs, lock->input_count * sizeof *inputs);
  uint32_t at = 0;
  while (at < lock->input_count && strcmp(inputs[at].role, "plan"))
    at++;
  if (at < lock->input_count) {
    ts_locked_input plan = inputs[at];
    memmove(inputs + 1, inputs, at * sizeof *inputs);
    inputs[0] = plan;
    inputs[0].name = "\1"; /* before all others */
  }
  lock->inputs = inputs;
}

static void put_inputs(ts_arena *arena, const ts_diff_side sides[2], FILE *out)
{
  ts_lock locks[2];
  for (int i = 0; i < 2; i++) {
    const ts_input *input = sides[i].input;
    uint8_t sha256[TS_DIGEST_SIZE];
    ts_input_digest(input, sha256);
    locks[i] = ts_lock_of_ir(arena, &input->ir, "IR", sha256);
    call_plan(arena, &locks[i]);
  }
  ts_lock_changes changes = ts_lock_compare(arena, &locks[0], &locks[1]);
  if (!changes.count)
    return;
  ts_put_xml(out, "<details><summary>Inputs: %s differ%s</summary>\n\n",
             ts_format_count(changes.count).text, changes.count == 1 ? "s" : "");
  ts_put_code(out, "| | %s | %s |\n|:--|:--|:--|\n", sides[0].name, sides[1].name);
  for (size_t i = 0; i < changes.count; i++) {
    const ts_lock_change *c = &changes.at[i];
    const char *name = (c->before ? c->before : c->now)->name;
    if (*name == '\1')
      fputs("| the plan ", out);
    else
      ts_put_code(out, "| %s ", name);
    ts_put_code(out, "| %s | %s |\n", value(arena, c->before), value(arena, c->now));
  }
  fputs("\n</details>\n", out);
}

typedef struct texts { ts_arena *arena; const char *name, *before, *after; } texts;

static void print_lines(void *closure, FILE *out)
{
  const texts *t = closure;
  ts_text_diff(out, t->arena, t->name, t->before, t->after);
}

/* Of the plans' own files. A block of HTML, in which nothing is Markdown. */
static void diff_comment_put_lines(ts_arena *arena, const ts_diff_side sides[2], FILE *out)
{
  const ts_input *before = sides[0].input, *after = sides[1].input;
  if (!before->text || !after->text ||
      (before->size == after->size && !memcmp(before->text, after->text, before->size)))
    return;
  char *diff = ts_printed(print_lines,
                          &(texts){arena, sides[1].name,
                                   ts_arena_string(arena, before->text, before->size),
                                   ts_arena_string(arena, after->text, after->size)},
                          NULL);
  fputs("<details><summary>Lines of the plan</summary>\n\n<pre lang=\"diff\">\n", out);
  ts_put_xml_lines(out, diff);
  fputs("</pre>\n\n</details>\n", out);
  free(diff);
}

/* ---- Warnings ---- */

static bool has(const ts_summary *s, const ts_warning *w)
{
  for (size_t i = 0; i < s->warnings.at.count; i++)
    if (!strcmp(s->warnings.at.at[i].code, w->code) &&
        !strcmp(s->warnings.at.at[i].message, w->message))
      return true;
  return false;
}

static void diff_comment_put_warnings(const ts_diff_side sides[2], FILE *out)
{
  bool any = false;
  for (int side = 1; side >= 0; side--) {
    const ts_warnings *all = &sides[side].summary->warnings;
    for (size_t i = 0; i < all->at.count; i++) {
      bool other = has(sides[!side].summary, &all->at.at[i]);
      if (!side && other)
        continue;
      if (!any)
        fputs("<details open><summary>Warnings</summary>\n\n<pre>\n", out);
      ts_put_xml(out, "%-5s %s %s\n", other ? "both" : side ? "new" : "gone",
                 all->at.at[i].code, all->at.at[i].message);
      any = true;
    }
  }
  if (any)
    fputs("</pre>\n\n</details>\n", out);
}

/* ---- All of it ---- */

typedef struct comment {
  ts_arena *arena;
  const ts_diff_side *sides;
  ts_fact_changes changes;
  const ts_interval *ratio;
} comment;

static void put_all(void *closure, FILE *out)
{
  const comment *c = closure;
  const ts_diff_side *sides = c->sides;
  const char *name = ts_summary_string(sides[1].summary, sides[1].summary->ir->meta->plan);
  const char *tool = ts_summary_string(sides[1].summary, sides[1].summary->ir->meta->tool);
  if (c->changes.count) {
    diff_comment_put_head(c->arena, sides, out);
    ts_report_changes_markdown(c->changes, sides[0].name, sides[1].name, c->arena, out);
    ts_report_ratio_text(c->ratio, c->arena, out);
    if (c->ratio->on)
      fputc('\n', out);
  } else if (*name) {
    ts_put_code(out, "### %s: no difference in the step\n\n", name);
  } else {
    fputs("### No difference\n\n", out);
  }
  put_inputs(c->arena, sides, out);
  diff_comment_put_warnings(sides, out);
  if (*tool)
    ts_put_code(out, "\n<sub>%s</sub>\n\n", tool);
  diff_comment_put_lines(c->arena, sides, out);
}

/* Whether the tag is open behind the text. Tags begin their lines; names never do. */
static bool diff_comment_is_open(const char *text, const char *opens, const char *closes)
{
  bool open = false;
  for (const char *line = text; line; line = (line = strchr(line, '\n')) ? line + 1 : NULL)
    open = strncmp(line, opens, strlen(opens)) == 0 ||
           (open && strncmp(line, closes, strlen(closes)) != 0);
  return open;
}

/* Whole lines, as many as a comment may have. */
static void put_beginning(char *text, FILE *out)
{
  size_t left = 0;
  char *end = text + MOST;
  while (end > text && end[-1] != '\n') end--;
  for (const char *at = end; (at = strchr(at, '\n')); at++) left++;
  *end = '\0';
  ts_put_raw(out, text);
  if (diff_comment_is_open(text, "<pre", "</pre>"))
    fputs("</pre>\n", out);
  if (diff_comment_is_open(text, "<details", "</details>"))
    fputs("\n</details>\n", out);
  ts_put_xml(out, "\n%s lines more are cut: comments have %s bytes at most.\n",
             ts_format_count(left).text, ts_format_count(MOST).text);
}

void ts_diff_comment(ts_arena *arena, const ts_diff_side sides[2], ts_fact_changes changes,
                     const ts_interval *ratio, FILE *out)
{
  size_t size;
  char *text = ts_printed(put_all, &(comment){arena, sides, changes, ratio}, &size);
  if (size > MOST)
    put_beginning(text, out);
  else
    ts_put_raw(out, text);
  free(text);
}
