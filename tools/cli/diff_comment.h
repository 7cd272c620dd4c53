/* Two plans as a comment on a change, in Markdown as GitHub, GitLab and Gitea take it. */
#ifndef TS_TOOLS_CLI_DIFF_COMMENT_H
#define TS_TOOLS_CLI_DIFF_COMMENT_H

#include "compiler/compile.h"
#include "runtime/report/facts.h"

typedef struct ts_diff_side {
  const char *name;
  const ts_input *input;
  const ts_summary *summary;
} ts_diff_side;

/* Figures before and after, inputs that differ, lines of the plan, warnings that came and went. */
void ts_diff_comment(ts_arena *arena, const ts_diff_side sides[2], ts_fact_changes changes,
                     const ts_interval *ratio, FILE *out);

#endif
