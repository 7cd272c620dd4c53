/* The grammar of TOML 1.0, and the tree that it builds. */
%require "3.8"
%language "C"
%define api.prefix {ts_toml_}
%define api.token.prefix {TS_TOML_}
%define api.pure full
%define api.value.type union
%define parse.lac full
%expect 0
%parse-param {ts_toml_reader *t} {void *scanner}
%lex-param {void *scanner}

%code requires {
#include "base/toml.h"
}
%code {
#include "base/heap.h"
#define YYMALLOC(size) ts_heap_new((size), 1)

int ts_toml_lex(TS_TOML_STYPE *value, void *scanner);
static void ts_toml_error(ts_toml_reader *t, void *scanner, const char *message);
static ts_toml_part *part(ts_toml_reader *t, const char *name, ts_toml_part *before);
}

%token END 0
%token <const char *> NAME
%token <ts_setting *> VALUE
%token NEWLINE DOT EQUALS COMMA OPEN CLOSE MANY END_MANY BRACE END_BRACE JUNK

%type <ts_toml_part *> key
%type <ts_setting *> any array items table pairs

%%

file: line | file NEWLINE line;

line:
  %empty
  | key EQUALS any          { ts_toml_put(t, t->at, $key, $any); }
  | OPEN key CLOSE          { ts_toml_header(t, $key, false); }
  | MANY key END_MANY       { ts_toml_header(t, $key, true); };

key:
  NAME                      { $$ = part(t, $NAME, NULL); }
  | key[before] DOT NAME    { $$ = part(t, $NAME, $before); };

any: VALUE | array | table;

array:
  OPEN items CLOSE          { $$ = $items; }
  | OPEN items COMMA CLOSE  { $$ = $items; }
  | OPEN CLOSE              { $$ = ts_setting_new(t->r, TS_SETTING_LIST, t->line); };
items:
  any                       { $$ = ts_setting_new(t->r, TS_SETTING_LIST, $any->line); ts_setting_push(t->r, $$, $any); }
  | items[all] COMMA any    { $$ = $all; ts_setting_push(t->r, $$, $any); };

table:
  BRACE END_BRACE           { $$ = ts_setting_new(t->r, TS_SETTING_TABLE, t->line); ts_toml_close($$); }
  | BRACE pairs END_BRACE   { $$ = $pairs; ts_toml_close($$); };
pairs:
  key EQUALS any            { $$ = ts_setting_new(t->r, TS_SETTING_TABLE, t->line); ts_toml_put(t, $$, $key, $any); }
  | pairs[all] COMMA key EQUALS any  { $$ = $all; ts_toml_put(t, $$, $key, $any); };

%%

static void ts_toml_error(ts_toml_reader *t, void *scanner, const char *message)
{
  (void)scanner, (void)message;
  if (!t->r->wrong->why) {
    ts_settings_refuse(t->r, t->line, "no line of TOML: `name = value`, `[table]` or a comment");
    t->r->wrong->syntax = true;
  }
}

static ts_toml_part *part(ts_toml_reader *t, const char *name, ts_toml_part *before)
{
  ts_toml_part *p = TS_NEW(t->r->arena, ts_toml_part);
  *p = (ts_toml_part){name, before};
  return p;
}
