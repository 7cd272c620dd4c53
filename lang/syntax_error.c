/* What the grammar did not expect, in human words. */
#include <string.h>

#include "lang/grammar.h"
#include "lang/parser.h"

void ts_too_deep(ts_parser *parser, ts_span span)
{
  if (parser->too_deep)
    return;
  parser->too_deep = true;
  ts_diag *d = ts_syntax_diag(parser, TS_E0108, span, "this is nested too deeply");
  ts_diag_help(d, "give parts of it names with `let`");
}

void ts_syntax_error(ts_parser *parser, const int *expected, int count)
{
  (void)expected; (void)count;
  parser->failed = true;
  ts_syntax_diag(parser, TS_E0110, parser->stream.at[parser->at].span, "unexpected token");
}
