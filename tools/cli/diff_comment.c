#include "tools/cli/diff_comment.h"

#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/format.h"
#include "base/output.h"
#include "base/text_diff.h"
#include "runtime/report/confidence.h"
#include "runtime/report/lock.h"

enum { LINES = 300 /* of a comment, at most */ };

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

static void put_head(ts_arena *arena, const ts_diff_side sides[2], FILE *out)
{
  const ts_summary *before = sides[0].summary, *after = sides[1].summary;
  const char *name = after->ir->strings + after->ir->meta->plan;
  ts_put_code(out, *name ? "### `%s`: " : "### ", name);
  ts_put_code(out, "%s to %s, %s\n\n", ts_format_time(before->result->step).text,
              ts_format_time(after->result->step).text, verdict(arena, before, after));
  if (is_over(after))
    ts_put_code(out, "**It does not fit in memory%s.**\n\n", is_over(before) ? ", as before" : "");
  else if (is_over(before))
    ts_put_code(out, "It fits in memory now.\n\n");
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
  ts_put_code(out, "| | `%s` | `%s` |\n|:--|:--|:--|\n", sides[0].name, sides[1].name);
  for (size_t i = 0; i < changes.count; i++) {
    const ts_lock_change *c = &changes.at[i];
    const char *name = (c->before ? c->before : c->now)->name;
    ts_put_code(out, *name == '\1' ? "| the plan " : "| `%s` ", name);
    ts_put_code(out, "| `%s` | `%s` |\n", value(arena, c->before), value(arena, c->now));
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
static void put_lines(ts_arena *arena, const ts_diff_side sides[2], FILE *out)
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
  size_t lines = 0, left = 0;
  char *end = diff;
  for (char *line = diff, *feed; *line; line = feed) {
    feed = line + strcspn(line, "\n");
    feed += *feed == '\n';
    if (++lines <= LINES)
      end = feed;
    else
      left++;
  }
  *end = '\0';
  fputs("<details><summary>Lines of the plan</summary>\n\n<pre lang=\"diff\">\n", out);
  ts_put_xml_lines(out, diff);
  if (left)
    ts_put_xml(out, "... and %s lines more\n", ts_format_count(left).text);
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

static void put_warnings(const ts_diff_side sides[2], FILE *out)
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

void ts_diff_comment(ts_arena *arena, const ts_diff_side sides[2], ts_fact_changes changes,
                     const ts_interval *ratio, FILE *out)
{
  if (changes.count) {
    put_head(arena, sides, out);
    ts_report_changes_markdown(changes, sides[0].name, sides[1].name, arena, out);
    ts_report_ratio_text(ratio, arena, out);
    if (ratio->on)
      fputc('\n', out);
  } else {
    const char *name = ts_summary_string(sides[1].summary, sides[1].summary->ir->meta->plan);
    ts_put_code(out, *name ? "### `%s`: no difference in the step\n\n" : "### No difference%s\n\n",
                name);
  }
  put_inputs(arena, sides, out);
  put_lines(arena, sides, out);
  put_warnings(sides, out);
  const char *tool = ts_summary_string(sides[1].summary, sides[1].summary->ir->meta->tool);
  ts_put_code(out, *tool ? "\n<sub>%s</sub>\n" : "%s", tool);
}
