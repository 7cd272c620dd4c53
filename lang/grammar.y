/* The grammar of the language (doc/language.md), and the tree that each rule builds (lang/ast.def).
 * */
%require "3.8"
%language "C"
%define api.prefix {ts_grammar_}
%define api.token.prefix {TS_T_}
%define api.pure full
%define api.push-pull push
%define api.location.type {ts_span}
%define api.value.type union
%define parse.lac full
%define parse.error custom
%locations
%expect 0
%parse-param {ts_parser *parser}

%code requires {
#include "lang/parser.h"
}
%code provides {
/* Would the grammar take this token next? */
bool ts_grammar_expects(ts_grammar_pstate *state, int token);
}
%code {
#include "base/heap.h"
#define YYMALLOC(size) ts_heap_new((size), 1)
/* Constructs that end in something optional and absent end where the last part ends. */
#define YYLLOC_DEFAULT(current, rhs, n)                                                                             \
  ((current) = (n) ? (ts_span){YYRHSLOC(rhs, n).file, YYRHSLOC(rhs, 1).begin, YYRHSLOC(rhs, n).end}                 \
                   : (ts_span){YYRHSLOC(rhs, 0).file, YYRHSLOC(rhs, 0).end, YYRHSLOC(rhs, 0).end})

#define NONE ((ts_word){0})
#define NODES(...) \
  ts_nodes_of(parser, sizeof((ts_ast *[]){__VA_ARGS__}) / sizeof(ts_ast *), (ts_ast *[]){__VA_ARGS__})
#define MAKE(kind, span, name, flags, children) ts_ast_make(parser, TS_AST_##kind, span, name, flags, children)
#define PUSH(list, node) ts_nodes_push(parser, list, node)
#define JOIN(list, more) ts_nodes_join(parser, list, more)
#define EMPTY ts_nodes_of(parser, 0, NULL)
#define BINARY(op, span, a, b) ts_ast_operator(parser, TS_OP_##op, span, a, b)
/* children of which the last is a value, and its source */
#define SOURCED(source, ...) ts_ast_sourced(parser, NODES(__VA_ARGS__), source)
#define NAMED(word) MAKE(NAME, (word).span, word, 0, NULL)
#define IDENTIFIER(word) MAKE(ID, (word).span, word, 0, NULL)

static void ts_grammar_error(ts_span *span, ts_parser *parser, const char *message);
}

%token END 0
%token <ts_word> ID STRING
%token <ts_ast *> NUMBER
%token NEWLINE
%token COMMA LPAREN RPAREN LBRACKET RBRACKET LBRACE RBRACE SEMICOLON DOT RANGE COLON ASSIGN EQ NE LT LE GT GE PLUS MINUS STAR SLASH PERCENT BAR ARROW
  BOTH_WAYS
%token AND ELSE FALSE FN FOR IF IMPORT IN LET NOT OR THEN TRUE
%token AFTER ANY AS AT BALANCED BEFORE BLOCK BY CHUNKS CLUSTER CONTRACTS COPIES DEPEND DEVICE DIM DTYPE EXPECT EXTERN FROM GPU KERNEL KEY LIMIT LINK MATCH
  MODEL OF ON OP OPTIONAL ORDER OUTPUT OVER PAIR PARAM PARTNER PLACE PLAN POLICY PREFER PROTOCOL RECOMPUTE REMOVE REPEAT REPLICATE REQUIRE RULE SAVES SCHEDULE SET SHARD
  SPLIT STAGES STRATEGY SWITCH TRY WHERE WHOLE WITH YIELD BACKWARD
%token MAXIMIZE MINIMIZE SEARCH VARY
%token CAST EXPORT LANGUAGE MOVING OFFLOAD RECORD SENDING SHA256 SLICE SLOT SLOW SOURCE TIE TRAINED UNEVEN
%token WITH_BRACE /* `with` before a brace */
%token <ts_word> FORWARD GRADIENTS INPUT STEP WEIGHT
%token JUNK /* characters outside the language, already reported */
%token START_FILE START_EXPRESSION /* not in files: tell the grammar what to read */

%type <ts_nodes *> declarations import_paths import_names import_list params formals cluster_items cluster_list array_items arrays loop_pair loops fields field_list
  op_items op_list phase_items phase_list graph_items graph_list strategy_items strategy_list rule_items rule_list match_names match_labels
  split_items search_items search_list names args arg_list schedule_items schedule_list work_items work_list policy_items policy_list preferences slots protocol_items protocol_list dimensions ref_indices
  elements generators record_fields arms arm_list arm_patterns overrides override_list open_fields cluster_open record_type_fields record_type_list
%type <ts_ast *> optional_type_arrow declaration_open declaration_closed import_path import_name let formal optional_type type array ref ref_index field
  op_open op_closed phase_name phase_open phase kernel optional_dtype optional_moving optional_trained optional_if graph_open graph_closed graph_body graph_else label optional_label
  strategy_open search_open rule match_ops optional_where match_label split_item action when call_args schedule_open
  schedule_closed work_open work_closed work_body work_else item policy_open preference slot depend dependence partner slow remove optional_copies optional_place optional_any optional_each cluster_closed cluster_body cluster_else link override
  expr primary postfix generator_condition arg arm arm_pattern record_field optional_sending optional_key phase_part string optional_digest optional_source require demand
%type <ts_word> dotted
%type <uint32_t> arrow optional_word

%precedence ELSE
%left OR
%left AND
%precedence NOT
%nonassoc EQ NE LT LE GT GE
%nonassoc RANGE
%left PLUS MINUS
%left STAR SLASH PERCENT
%precedence NEGATIVE

%%

start
  : START_FILE declarations { parser->result = MAKE(FILE, ((ts_span){parser->file, 0, parser->size}), NONE, 0, $2); }
  | START_EXPRESSION expr end { parser->result = $2; }
  | START_EXPRESSION error
  ;

end: %empty | NEWLINE ;

/* In every list of statements: a line break ends a statement, except after its closing brace; what
 * could not be read is left out. */

declarations
  : %empty { $$ = EMPTY; }
  | declarations NEWLINE
  | declarations declaration_open NEWLINE { $$ = PUSH($1, $2); }
  | declarations declaration_closed { $$ = PUSH($1, $2); }
  | declarations error NEWLINE { yyerrok; }
  ;

declaration_open
  : LANGUAGE NUMBER { $$ = MAKE(LANGUAGE, @$, NONE, 0, NODES($2)); }
  | IMPORT import_paths { $$ = MAKE(IMPORT, @$, NONE, 0, $2); }
  | EXPORT IMPORT import_paths { $$ = MAKE(IMPORT, @$, NONE, 1, $3); }
  | let
  | PARAM ID COLON type ASSIGN expr optional_source { $$ = MAKE(PARAM, @$, $2, 0, SOURCED($7, $4, $6)); }
  | FN ID params optional_type_arrow ASSIGN expr { $$ = MAKE(FN, @$, $2, 0, NODES(MAKE(PARAMS, @3, NONE, 0, $3), $4, $6)); }
  | EXTERN FN ID params ARROW type FROM string optional_digest { $$ = MAKE(EXTERN, @$, $3, 0, NODES(MAKE(PARAMS, @4, NONE, 0, $4), $6, $8, $9)); }
  | GPU ID ASSIGN expr optional_source { $$ = MAKE(GPU_IS, @$, $2, 0, SOURCED($5, $4)); }
  | MODEL ID ASSIGN expr { $$ = MAKE(MODEL_IS, @$, $2, 0, NODES($4)); }
  ;

optional_type_arrow: %empty { $$ = NULL; } | ARROW type { $$ = $2; } ;

declaration_closed
  : OP ID params open op_items RBRACE { $$ = MAKE(OP, @$, $2, 0, JOIN(NODES(MAKE(PARAMS, @3, NONE, 0, $3)), $5)); }
  | BLOCK ID params open graph_items RBRACE { $$ = MAKE(BLOCK, @$, $2, 0, JOIN(NODES(MAKE(PARAMS, @3, NONE, 0, $3)), $5)); }
  | MODEL ID params open graph_items RBRACE { $$ = MAKE(MODEL, @$, $2, 0, JOIN(NODES(MAKE(PARAMS, @3, NONE, 0, $3)), $5)); }
  | STRATEGY ID params open strategy_items RBRACE { $$ = MAKE(STRATEGY, @$, $2, 0, JOIN(NODES(MAKE(PARAMS, @3, NONE, 0, $3)), $5)); }
  | SCHEDULE ID params open schedule_items RBRACE { $$ = MAKE(SCHEDULE, @$, $2, 0, JOIN(NODES(MAKE(PARAMS, @3, NONE, 0, $3)), $5)); }
  | PROTOCOL ID open protocol_items RBRACE { $$ = MAKE(PROTOCOL, @$, $2, 0, $4); }
  | RECORD ID open_for_fields record_type_fields RBRACE { $$ = MAKE(RECORD_TYPE, @$, $2, 0, $4); }
  | GPU ID optional_source open_fields { $$ = MAKE(GPU, @$, $2, 0, JOIN(NODES($3), $4)); }
  | CLUSTER ID params open cluster_items RBRACE { $$ = MAKE(CLUSTER, @$, $2, 0, JOIN(NODES(MAKE(PARAMS, @3, NONE, 0, $3)), $5)); }
  | PLAN ID params open_fields { $$ = MAKE(PLAN, @$, $2, 0, JOIN(NODES(MAKE(PARAMS, @3, NONE, 0, $3)), ts_renamed_fields(parser, $4))); }
  | SEARCH ID OF ID open search_items RBRACE { $$ = MAKE(SEARCH, @$, $2, 0, JOIN(NODES(NAMED($4)), $6)); }
  | PLAN ID open_fields { $$ = MAKE(PLAN, @$, $2, 0, JOIN(NODES(MAKE(PARAMS, ((ts_span){@2.file, @2.end, @2.end}), NONE, 0, NULL)), ts_renamed_fields(parser, $3))); }
  ;

/* A brace with statements or fields in it. */
open: LBRACE { parser->stream.at[parser->at].body = TS_BODY_STATEMENTS; } ;
open_for_fields: LBRACE { parser->stream.at[parser->at].body = TS_BODY_FIELDS; } ;

import_paths
  : import_path { $$ = NODES($1); }
  | import_paths COMMA import_path { $$ = PUSH($1, $3); }
  ;

import_path
  : dotted import_list { $$ = MAKE(PATH, @$, $1, 0, $2); }
  | STRING import_list { $$ = MAKE(PATH, @$, $1, 1, $2); }
  ;

import_list
  : %empty { $$ = NULL; }
  | LPAREN import_names comma RPAREN { $$ = $2; }
  ;

import_names
  : import_name { $$ = NODES($1); }
  | import_names COMMA import_name { $$ = PUSH($1, $3); }
  ;

import_name
  : ID { $$ = MAKE(IMPORT_NAME, @$, $1, 0, NODES(NULL)); }
  | ID AS ID { $$ = MAKE(IMPORT_NAME, @$, $1, 0, NODES(NAMED($3))); }
  ;

dotted
  : ID
  | dotted DOT ID { $$ = ts_word_dotted(parser, $1, $3); }
  ;

let: LET ID optional_type ASSIGN expr optional_source { $$ = MAKE(LET, @$, $2, 0, SOURCED($6, $3, $5)); } ;

optional_type: %empty { $$ = NULL; } | COLON type { $$ = $2; } ;

type
  : ID { $$ = MAKE(TYPE, @$, $1, 0, NODES(NULL)); }
  | ID LBRACKET type RBRACKET { $$ = MAKE(TYPE, @$, $1, 0, NODES($3)); }
  ;

params
  : LPAREN RPAREN { $$ = EMPTY; }
  | LPAREN formals RPAREN { $$ = $2; }
  | LPAREN formals COMMA RPAREN { $$ = $2; }
  ;

formals
  : formal { $$ = NODES($1); }
  | formals COMMA formal { $$ = PUSH($1, $3); }
  ;

formal
  : ID COLON type { $$ = MAKE(FORMAL, @$, $1, 0, NODES($3, NULL)); }
  | ID COLON type ASSIGN expr optional_source { $$ = MAKE(FORMAL, @$, $1, 0, SOURCED($6, $3, $5)); }
  ;

optional_source: %empty { $$ = NULL; } | SOURCE string { $$ = $2; } ;

string: STRING { $$ = ts_ast_string(parser, $1); } ;
optional_digest: %empty { $$ = NULL; } | SHA256 string { $$ = $2; } ;
require: REQUIRE expr COMMA string { $$ = MAKE(REQUIRE, @$, NONE, 0, NODES($2, $4)); } ;
demand: require | EXPECT expr COMMA string { $$ = MAKE(EXPECT, @$, NONE, 0, NODES($2, $4)); } ;

/* Fields of gpus, links, kernels and plans: `name = value`, where arguments and records have `name:
 * value`. */

open_fields: open_for_fields fields RBRACE { $$ = $2; } ;

fields
  : field_list
  | field_list field { $$ = PUSH($1, $2); }
  | field_list error
  ;

field_list
  : %empty { $$ = EMPTY; }
  | field_list NEWLINE
  | field_list field NEWLINE { $$ = PUSH($1, $2); }
  | field_list field COMMA { $$ = PUSH($1, $2); }
  | field_list error NEWLINE { yyerrok; }
  ;

field: ID ASSIGN expr optional_source { $$ = MAKE(FIELD, @$, $1, 0, SOURCED($4, $3)); } ;

/* Types of records: their fields are declared as parameters are. */

record_type_fields
  : record_type_list
  | record_type_list formal { $$ = PUSH($1, $2); }
  | record_type_list error
  ;

record_type_list
  : %empty { $$ = EMPTY; }
  | record_type_list NEWLINE
  | record_type_list formal NEWLINE { $$ = PUSH($1, $2); }
  | record_type_list formal COMMA { $$ = PUSH($1, $2); }
  | record_type_list error NEWLINE { yyerrok; }
  ;

/* Searches. */

search_items
  : search_list
  | search_list search_open { $$ = PUSH($1, $2); }
  | search_list error
  ;

search_list
  : %empty { $$ = EMPTY; }
  | search_list NEWLINE
  | search_list search_open NEWLINE { $$ = PUSH($1, $2); }
  | search_list error NEWLINE { yyerrok; }
  ;

search_open
  : let
  | VARY ID IN expr { $$ = MAKE(VARY, @$, $2, 0, NODES($4)); }
  | SET ID ASSIGN expr { $$ = MAKE(SET, @$, $2, 0, NODES($4)); }
  | MINIMIZE expr { $$ = MAKE(GOAL, @$, NONE, 0, NODES($2)); }
  | MAXIMIZE expr { $$ = MAKE(GOAL, @$, NONE, 1, NODES($2)); }
  | require
  ;

/* Ops. */

op_items
  : op_list
  | op_list op_open { $$ = PUSH($1, $2); }
  | op_list error
  ;

op_list
  : %empty { $$ = EMPTY; }
  | op_list NEWLINE
  | op_list op_open NEWLINE { $$ = PUSH($1, $2); }
  | op_list op_closed { $$ = PUSH($1, $2); }
  | op_list error NEWLINE { yyerrok; }
  ;

op_open
  : let
  | WEIGHT ID COLON expr optional_dtype optional_if optional_trained { $$ = MAKE(OP_WEIGHT, @$, $2, 0, NODES($4, $5, $6, $7)); }
  | OUTPUT ID COLON expr optional_dtype { $$ = MAKE(OP_OUTPUT, @$, $2, 0, NODES($4, $5)); }
  | SLICE ID COLON expr OF ID { $$ = MAKE(OP_SLICE, @$, $2, 0, NODES($4, NAMED($6))); }
  | CAST ID DTYPE expr optional_moving optional_if { $$ = MAKE(CAST, @$, $2, 0, NODES($4, $5, $6)); }
  | TIE ID WITH expr optional_if { $$ = MAKE(TIE, @$, $2, 0, NODES($4, $5)); }
  | SAVES expr optional_if { $$ = MAKE(SAVES, @$, NONE, 0, NODES($2, $3)); }
  | WHOLE ID DIM expr { $$ = MAKE(WHOLE, @$, $2, 0, NODES($4)); }
  | UNEVEN ID DIM expr { $$ = MAKE(UNEVEN, @$, $2, 0, NODES($4)); }
  | CONTRACTS ID DIM expr { $$ = MAKE(CONTRACTS, @$, $2, 0, NODES($4)); }
  | require
  ;

optional_dtype: %empty { $$ = NULL; } | DTYPE expr { $$ = $2; } ;

optional_moving: %empty { $$ = NULL; } | MOVING expr { $$ = $2; } ;
optional_trained: %empty { $$ = NULL; } | TRAINED IF expr { $$ = $3; } ;
optional_if: %empty { $$ = NULL; } | IF expr { $$ = $2; } ;

op_closed: phase ;

phase
  : phase_name open_for_fields phase_items RBRACE
    { $$ = MAKE(PHASE, @$, ((ts_word){$1->name, $1->name_span}), 0, $3); }
  ;

phase_name
  : FORWARD { $$ = NAMED($1); }
  | BACKWARD LPAREN phase_part RPAREN { $$ = $3; }
  ;

phase_part
  : INPUT { $$ = NAMED($1); }
  | WEIGHT { $$ = NAMED($1); }
  ;

phase_items
  : phase_list
  | phase_list phase_open { $$ = PUSH($1, $2); }
  | phase_list error
  ;

phase_list
  : %empty { $$ = EMPTY; }
  | phase_list NEWLINE
  | phase_list phase_open NEWLINE { $$ = PUSH($1, $2); }
  | phase_list phase_open COMMA { $$ = PUSH($1, $2); }
  | phase_list kernel { $$ = PUSH($1, $2); }
  | phase_list error NEWLINE { yyerrok; }
  ;

phase_open: field ;

kernel: KERNEL ID optional_if open_fields { $$ = MAKE(KERNEL, @$, $2, 0, JOIN(NODES($3), $4)); } ;

/* Blocks and models. */

graph_items
  : graph_list
  | graph_list graph_open { $$ = PUSH($1, $2); }
  | graph_list error
  ;

graph_list
  : %empty { $$ = EMPTY; }
  | graph_list NEWLINE
  | graph_list graph_open NEWLINE { $$ = PUSH($1, $2); }
  | graph_list graph_closed { $$ = PUSH($1, $2); }
  | graph_list error NEWLINE { yyerrok; }
  ;

graph_open
  : let
  | ID ASSIGN expr optional_label { $$ = MAKE(NODE, @$, $1, 0, NODES($3, $4)); }
  | expr AS label { $$ = MAKE(NODE, @$, NONE, 0, NODES($1, $3)); }
  | YIELD expr optional_label { $$ = MAKE(YIELD, @$, NONE, 0, NODES($2, $3)); }
  | demand
  ;

graph_closed
  : REPEAT expr AS label open graph_items RBRACE { $$ = MAKE(REPEAT, @$, NONE, 0, JOIN(NODES($2, $4), $6)); }
  | IF expr graph_body graph_else { $$ = MAKE(IF_STMT, @$, NONE, 0, NODES($2, $3, $4)); }
  ;

graph_body: open graph_items RBRACE { $$ = MAKE(THEN, @$, NONE, 0, $2); } ;

graph_else
  : %empty { $$ = NULL; }
  | ELSE open graph_items RBRACE { $$ = MAKE(ELSE, @$, NONE, 0, $3); }
  | ELSE IF expr graph_body graph_else
    { $$ = MAKE(ELSE, @$, NONE, 0, NODES(MAKE(IF_STMT, ts_span_join(@2, $5 ? @5 : @4), NONE, 0, NODES($3, $4, $5)))); }
  ;

label: dotted { $$ = MAKE(LABEL, @$, $1, 0, NULL); } ;

optional_label
  : %empty { $$ = NULL; }
  | AS label { $$ = $2; }
  ;

/* Strategies. */

strategy_items
  : strategy_list
  | strategy_list strategy_open { $$ = PUSH($1, $2); }
  | strategy_list error
  ;

strategy_list
  : %empty { $$ = EMPTY; }
  | strategy_list NEWLINE
  | strategy_list strategy_open NEWLINE { $$ = PUSH($1, $2); }
  | strategy_list rule { $$ = PUSH($1, $2); }
  | strategy_list error NEWLINE { yyerrok; }
  ;

strategy_open: let ;

rule
  : RULE ID optional_word open newlines match_ops rule_items RBRACE { $$ = MAKE(RULE, @$, $2, $3, JOIN(NODES($6), $7)); }
  | RULE ID optional_word open newlines error rule_items RBRACE { $$ = MAKE(RULE, @$, $2, $3, JOIN(NODES(NULL), $7)); }
  ;

newlines: %empty | newlines NEWLINE ;

optional_word
  : %empty { $$ = 0; }
  | OPTIONAL { $$ = 1; }
  ;

rule_items
  : %empty { $$ = EMPTY; }
  | NEWLINE rule_list { yyerrok; $$ = $2; }
  | NEWLINE rule_list action { $$ = PUSH($2, $3); }
  | NEWLINE rule_list error { $$ = $2; }
  ;

rule_list
  : %empty { $$ = EMPTY; }
  | rule_list NEWLINE
  | rule_list action NEWLINE { $$ = PUSH($1, $2); }
  | rule_list error NEWLINE { yyerrok; }
  ;

match_ops
  : MATCH match_names optional_where { $$ = MAKE(MATCH_OPS, @$, NONE, 0, JOIN(NODES($3), $2)); }
  | MATCH match_names AS match_labels optional_where { $$ = MAKE(MATCH_OPS, @$, NONE, 0, JOIN(JOIN(NODES($5), $2), $4)); }
  | MATCH STAR optional_where { $$ = MAKE(MATCH_OPS, @$, NONE, 0, NODES($3)); }
  | MATCH STAR AS match_labels optional_where { $$ = MAKE(MATCH_OPS, @$, NONE, 0, JOIN(NODES($5), $4)); }
  ;

match_names
  : ID { $$ = NODES(NAMED($1)); }
  | match_names BAR ID { $$ = PUSH($1, NAMED($3)); }
  ;

match_labels
  : match_label { $$ = NODES($1); }
  | match_labels BAR match_label { $$ = PUSH($1, $3); }
  ;

match_label
  : string
  | ID { $$ = IDENTIFIER($1); }
  ;

optional_where: %empty { $$ = NULL; } | WHERE expr { $$ = $2; } ;

/* What takes arguments is written as a call, `all_reduce(y, over: t)`: their names are known to
 * compiler/shard/comm.c. */
action
  : SPLIT split_items OVER expr { $$ = MAKE(SPLIT, @$, NONE, 0, JOIN(NODES($4), $2)); }
  | REPLICATE names { $$ = MAKE(REPLICATE, @$, NONE, 0, $2); }
  | BEFORE when COLON ID call_args { $$ = MAKE(COMM, @$, $4, 0, NODES($2, $5)); }
  | AFTER when COLON ID call_args { $$ = MAKE(COMM, @$, $4, 1, NODES($2, $5)); }
  | RECOMPUTE { $$ = MAKE(RECOMPUTE, @$, NONE, 0, NODES(NULL)); }
  | RECOMPUTE call_args { $$ = MAKE(RECOMPUTE, @$, NONE, 0, NODES($2)); }
  | SHARD call_args { $$ = MAKE(SHARD, @$, NONE, 0, NODES($2)); }
  | OFFLOAD call_args { $$ = MAKE(OFFLOAD, @$, NONE, 0, NODES($2)); }
  | TIE ID WITH match_label { $$ = MAKE(TIE, @$, $2, 0, NODES($4)); }
  | SET ID ASSIGN expr { $$ = MAKE(SET, @$, $2, 0, NODES($4)); }
  ;

split_items
  : split_item { $$ = NODES($1); }
  | split_items COMMA split_item { $$ = PUSH($1, $3); }
  ;

split_item
  : ID { $$ = MAKE(SPLIT_ITEM, @$, $1, 0, NODES(NULL)); }
  | ID DIM expr { $$ = MAKE(SPLIT_ITEM, @$, $1, 0, NODES($3)); }
  ;

names
  : ID { $$ = NODES(NAMED($1)); }
  | names COMMA ID { $$ = PUSH($1, NAMED($3)); }
  ;

when
  : phase_name
  | GRADIENTS { $$ = NAMED($1); }
  | STEP { $$ = NAMED($1); }
  ;

call_args: LPAREN args RPAREN { $$ = MAKE(ARGS, @$, NONE, 0, $2); } ;

/* Schedules. */

schedule_items
  : schedule_list
  | schedule_list schedule_open { $$ = PUSH($1, $2); }
  | schedule_list error
  ;

schedule_list
  : %empty { $$ = EMPTY; }
  | schedule_list NEWLINE
  | schedule_list schedule_open NEWLINE { $$ = PUSH($1, $2); }
  | schedule_list schedule_closed { $$ = PUSH($1, $2); }
  | schedule_list error NEWLINE { yyerrok; }
  ;

schedule_open
  : let
  | STAGES expr { $$ = MAKE(STAGES, @$, NONE, 0, NODES($2, NULL, NULL)); }
  | STAGES expr OF expr { $$ = MAKE(STAGES, @$, NONE, 0, NODES($2, $4, NULL)); }
  | STAGES expr BALANCED { $$ = MAKE(STAGES, @$, NONE, 1, NODES($2, NULL, NULL)); }
  | STAGES expr OF expr BALANCED IF expr { $$ = MAKE(STAGES, @$, NONE, 1, NODES($2, $4, $7)); }
  | CHUNKS expr optional_copies optional_place { $$ = MAKE(CHUNKS, @$, NONE, 0, NODES($2, $4, $3)); }
  | ORDER FROM expr { $$ = MAKE(ORDER, @$, NONE, 0, NODES($3)); }
  | PROTOCOL ID { $$ = MAKE(USE_PROTOCOL, @$, $2, 0, NULL); }
  | depend
  | partner
  | slow
  | remove
  | demand
  ;

optional_copies
  : %empty { $$ = NULL; }
  | COPIES expr { $$ = $2; }
  ;

optional_place
  : %empty { $$ = NULL; }
  | PLACE expr { $$ = $2; }
  ;

schedule_closed
  : AT expr open work_items RBRACE { $$ = MAKE(AT, @$, NONE, 0, JOIN(NODES($2), $4)); }
  | AT ID IN expr open work_items RBRACE { $$ = MAKE(AT, @$, $2, 0, JOIN(NODES($4), $6)); }
  | POLICY expr open policy_items RBRACE { $$ = MAKE(POLICY, @$, NONE, 0, JOIN(NODES($2, NULL), $4)); }
  | POLICY expr AT ID IN expr open policy_items RBRACE { $$ = MAKE(POLICY, @$, $4, 0, JOIN(NODES($2, $6), $8)); }
  ;

policy_items
  : policy_list
  | policy_list policy_open { $$ = PUSH($1, $2); }
  | policy_list error
  ;

policy_list
  : %empty { $$ = EMPTY; }
  | policy_list NEWLINE
  | policy_list policy_open NEWLINE { $$ = PUSH($1, $2); }
  | policy_list error NEWLINE { yyerrok; }
  ;

policy_open
  : let
  | LIMIT expr { $$ = MAKE(LIMIT, @$, NONE, 0, NODES($2)); }
  | PREFER preferences { $$ = MAKE(PREFER, @$, NONE, 0, $2); }
  | SLOT slots { $$ = MAKE(SLOTS, @$, NONE, 0, $2); }
  | TRY ID IN expr { $$ = MAKE(TRY, @$, $2, 0, NODES($4)); }
  ;

slots
  : slot { $$ = NODES($1); }
  | slots COMMA slot { $$ = PUSH($1, $3); }
  ;

slot: item AT expr { $$ = MAKE(PREFERENCE, @$, NONE, 0, NODES($1, $3)); } ;

preferences
  : preference { $$ = NODES($1); }
  | preferences COMMA preference { $$ = PUSH($1, $3); }
  ;

preference: item optional_key { $$ = MAKE(PREFERENCE, @$, NONE, 0, NODES($1, $2)); } ;

work_items
  : work_list
  | work_list work_open { $$ = PUSH($1, $2); }
  | work_list error
  ;

work_list
  : %empty { $$ = EMPTY; }
  | work_list NEWLINE
  | work_list work_open NEWLINE { $$ = PUSH($1, $2); }
  | work_list work_closed { $$ = PUSH($1, $2); }
  | work_list error NEWLINE { yyerrok; }
  ;

work_open: let ;

work_closed
  : item
  | PAIR item WITH item { $$ = MAKE(PAIR, @$, NONE, 0, NODES($2, $4)); }
  | FOR ID IN expr optional_where open work_items RBRACE { $$ = MAKE(FOR, @$, $2, 0, JOIN(NODES($4, $5), $7)); }
  | IF expr work_body work_else { $$ = MAKE(IF_STMT, @$, NONE, 0, NODES($2, $3, $4)); }
  ;

work_body: open work_items RBRACE { $$ = MAKE(THEN, @$, NONE, 0, $2); } ;

work_else
  : %empty { $$ = NULL; }
  | ELSE open work_items RBRACE { $$ = MAKE(ELSE, @$, NONE, 0, $3); }
  | ELSE IF expr work_body work_else
    { $$ = MAKE(ELSE, @$, NONE, 0, NODES(MAKE(IF_STMT, ts_span_join(@2, $5 ? @5 : @4), NONE, 0, NODES($3, $4, $5)))); }
  ;

item
  : ID { $$ = MAKE(ITEM, @$, $1, 0, NULL); }
  | ID LPAREN args RPAREN { $$ = MAKE(ITEM, @$, $1, 0, $3); }
  ;

protocol_items
  : protocol_list
  | protocol_list depend { $$ = PUSH($1, $2); }
  | protocol_list partner { $$ = PUSH($1, $2); }
  | protocol_list slow { $$ = PUSH($1, $2); }
  | protocol_list remove { $$ = PUSH($1, $2); }
  | protocol_list error
  ;

protocol_list
  : %empty { $$ = EMPTY; }
  | protocol_list NEWLINE
  | protocol_list depend NEWLINE { $$ = PUSH($1, $2); }
  | protocol_list partner NEWLINE { $$ = PUSH($1, $2); }
  | protocol_list slow NEWLINE { $$ = PUSH($1, $2); }
  | protocol_list remove NEWLINE { $$ = PUSH($1, $2); }
  | protocol_list error NEWLINE { yyerrok; }
  ;

depend
  : DEPEND dependence { $$ = $2; $$->span = @$; }
  | DEPEND ID COLON dependence { $$ = $4; $$->span = @$; $$->name = $2.text; $$->name_span = $2.span; }
  ;

dependence
  : item AT expr ON optional_any item AT expr optional_each optional_sending optional_where
    { $$ = MAKE(DEPEND, @$, NONE, 0, NODES($1, $3, $6, $8, $10, $11, $5, $9)); }
  ;

optional_any
  : %empty { $$ = NULL; }
  | ANY expr OF { $$ = $2; }
  ;

optional_each
  : %empty { $$ = NULL; }
  | FOR ID IN expr { $$ = MAKE(EACH, @$, $2, 0, NODES($4)); }
  ;

slow
  : SLOW item AT expr BY expr optional_where { $$ = MAKE(SLOW, @$, NONE, 0, NODES($2, $4, $6, $7)); }
  | SLOW ID COLON item AT expr BY expr optional_where { $$ = MAKE(SLOW, @$, $2, 0, NODES($4, $6, $8, $9)); }
  ;

optional_sending: %empty { $$ = NULL; } | SENDING expr { $$ = $2; } ;
optional_key: %empty { $$ = NULL; } | KEY expr { $$ = $2; } ;

partner
  : PARTNER item AT expr WITH item AT expr optional_where { $$ = MAKE(PARTNER, @$, NONE, 0, NODES($2, $4, $6, $8, $9)); }
  | PARTNER ID COLON item AT expr WITH item AT expr optional_where { $$ = MAKE(PARTNER, @$, $2, 0, NODES($4, $6, $8, $10, $11)); }
  ;

remove: REMOVE ID { $$ = MAKE(REMOVE, @$, $2, 0, NULL); } ;

/* Clusters. */

cluster_items
  : cluster_list
  | cluster_list cluster_open { $$ = JOIN($1, $2); }
  | cluster_list error
  ;

cluster_list
  : %empty { $$ = EMPTY; }
  | cluster_list NEWLINE
  | cluster_list cluster_open NEWLINE { $$ = JOIN($1, $2); }
  | cluster_list cluster_closed { $$ = PUSH($1, $2); }
  | cluster_list error NEWLINE { yyerrok; }
  ;

cluster_open
  : let { $$ = NODES($1); }
  | arrays
  ;

/* The class of `device a[2], b[4]: kind` is that of every array in the statement. */
arrays
  : DEVICE array_items { $$ = ts_ast_arrays(parser, $2, NULL, 0); }
  | DEVICE array_items COLON expr { $$ = ts_ast_arrays(parser, $2, $4, 0); }
  | SWITCH array_items { $$ = ts_ast_arrays(parser, $2, NULL, 1); }
  | SWITCH array_items COLON expr { $$ = ts_ast_arrays(parser, $2, $4, 1); }
  ;

array_items
  : array { $$ = NODES($1); }
  | array_items COMMA array { $$ = PUSH($1, $3); }
  ;

array: ID LBRACKET dimensions RBRACKET { $$ = MAKE(ARRAY, @$, $1, 0, $3); } ;

dimensions
  : expr { $$ = NODES($1); }
  | dimensions COMMA expr { $$ = PUSH($1, $3); }
  ;

cluster_closed
  : FOR loops open cluster_items RBRACE { $$ = ts_ast_nest(parser, @$, $2, NULL, $4); }
  | IF expr cluster_body cluster_else { $$ = MAKE(IF_STMT, @$, NONE, 0, NODES($2, $3, $4)); }
  | link
  ;

loops: loop_pair | loops COMMA loop_pair { $$ = JOIN($1, $3); } ;
loop_pair: ID IN expr { $$ = NODES(IDENTIFIER($1), $3); } ;

cluster_body: open cluster_items RBRACE { $$ = MAKE(THEN, @$, NONE, 0, $2); } ;

cluster_else
  : %empty { $$ = NULL; }
  | ELSE open cluster_items RBRACE { $$ = MAKE(ELSE, @$, NONE, 0, $3); }
  | ELSE IF expr cluster_body cluster_else
    { $$ = MAKE(ELSE, @$, NONE, 0, NODES(MAKE(IF_STMT, ts_span_join(@2, $5 ? @5 : @4), NONE, 0, NODES($3, $4, $5)))); }
  ;

link: LINK ref arrow ref open_fields { $$ = MAKE(LINK, @$, NONE, $3, JOIN(NODES($2, $4), $5)); } ;

arrow: BOTH_WAYS { $$ = 0; } | ARROW { $$ = 1; } ;

ref: ID { $$ = MAKE(REF, @$, $1, 0, NULL); } | ID LBRACKET ref_indices RBRACKET { $$ = MAKE(REF, @$, $1, 0, $3); } ;

ref_indices
  : ref_index { $$ = NODES($1); }
  | ref_indices COMMA ref_index { $$ = PUSH($1, $3); }
  ;

ref_index
  : expr
  | STAR { $$ = MAKE(STAR, @$, NONE, 0, NULL); }
  ;

overrides
  : override_list
  | override_list field { $$ = PUSH($1, $2); }
  | override_list error
  ;

override_list
  : %empty { $$ = EMPTY; }
  | override_list NEWLINE
  | override_list COMMA
  | override_list override { $$ = PUSH($1, $2); }
  | override_list field NEWLINE { $$ = PUSH($1, $2); }
  | override_list field COMMA { $$ = PUSH($1, $2); }
  | override_list error NEWLINE { yyerrok; }
  ;

override
  : link
  | rule
  | remove
  | ref open_fields { $$ = MAKE(OVERRIDE, @$, NONE, 0, JOIN(NODES($1), $2)); }
  ;

/* Expressions. */

expr
  : postfix
  | IF expr THEN expr ELSE expr { $$ = MAKE(IF, @$, NONE, 0, NODES($2, $4, $6)); }
  | expr OR expr { $$ = BINARY(OR, @$, $1, $3); }
  | expr AND expr { $$ = BINARY(AND, @$, $1, $3); }
  | expr EQ expr { $$ = BINARY(EQ, @$, $1, $3); }
  | expr NE expr { $$ = BINARY(NE, @$, $1, $3); }
  | expr LT expr { $$ = BINARY(LT, @$, $1, $3); }
  | expr LE expr { $$ = BINARY(LE, @$, $1, $3); }
  | expr GT expr { $$ = BINARY(GT, @$, $1, $3); }
  | expr GE expr { $$ = BINARY(GE, @$, $1, $3); }
  | expr RANGE expr { $$ = BINARY(RANGE, @$, $1, $3); }
  | expr PLUS expr { $$ = BINARY(ADD, @$, $1, $3); }
  | expr MINUS expr { $$ = BINARY(SUB, @$, $1, $3); }
  | expr STAR expr { $$ = BINARY(MUL, @$, $1, $3); }
  | expr SLASH expr { $$ = BINARY(DIV, @$, $1, $3); }
  | expr PERCENT expr { $$ = BINARY(MOD, @$, $1, $3); }
  | MINUS expr %prec NEGATIVE { $$ = BINARY(NEGATE, @$, $2, NULL); }
  | NOT expr { $$ = BINARY(NOT, @$, $2, NULL); }
  ;

postfix
  : primary
  | postfix LPAREN args RPAREN { $$ = MAKE(CALL, @$, NONE, 0, JOIN(NODES($1), $3)); }
  | postfix LBRACKET expr RBRACKET { $$ = MAKE(INDEX, @$, NONE, 0, NODES($1, $3)); }
  | postfix DOT ID { $$ = MAKE(MEMBER, @$, $3, 0, NODES($1)); }
  | postfix WITH_BRACE open overrides RBRACE { $$ = MAKE(WITH, @$, NONE, 0, JOIN(NODES($1), $4)); }
  ;

primary
  : NUMBER
  | string
  | TRUE { $$ = ts_ast_truth(parser, @$, true); }
  | FALSE { $$ = ts_ast_truth(parser, @$, false); }
  | ID { $$ = IDENTIFIER($1); }
  | ID string { $$ = MAKE(CALL, @$, NONE, 1, NODES(IDENTIFIER($1), MAKE(ARG, @2, NONE, 0, NODES($2)))); }
  | LBRACKET elements RBRACKET { $$ = MAKE(LIST, @$, NONE, 0, $2); }
  | LBRACKET expr generators generator_condition RBRACKET { $$ = MAKE(COMPREHENSION, @$, NONE, 0, JOIN(NODES($2, $4), $3)); }
  | LBRACE RBRACE { $$ = MAKE(RECORD, @$, NONE, 0, NULL); }
  | LBRACE record_fields comma RBRACE { $$ = MAKE(RECORD, @$, NONE, 0, $2); }
  | LPAREN expr RPAREN { $$ = $2; }
  | MATCH expr open_for_fields arms RBRACE { $$ = MAKE(MATCH, @$, NONE, 0, JOIN(NODES($2), $4)); }
  ;

arms: arm_list | arm_list arm { $$ = PUSH($1, $2); } | arm_list error ;

arm_list
  : %empty { $$ = EMPTY; }
  | arm_list NEWLINE
  | arm_list arm NEWLINE { $$ = PUSH($1, $2); }
  | arm_list arm COMMA { $$ = PUSH($1, $2); }
  | arm_list error NEWLINE { yyerrok; }
  ;

arm: arm_patterns ARROW expr { $$ = MAKE(ARM, @$, NONE, 0, JOIN(NODES($3), $1)); } ;

arm_patterns: arm_pattern { $$ = NODES($1); } | arm_patterns BAR arm_pattern { $$ = PUSH($1, $3); } ;
arm_pattern: expr { $$ = ts_ast_is_any($1) ? MAKE(STAR, @$, NONE, 0, NULL) : $1; } ;

comma: %empty | COMMA ;

elements
  : %empty { $$ = EMPTY; }
  | dimensions comma { $$ = $1; }
  ;

generators
  : FOR loop_pair { $$ = $2; }
  | generators FOR loop_pair { $$ = JOIN($1, $3); }
  ;

generator_condition
  : %empty { $$ = NULL; }
  | IF expr { $$ = $2; }
  ;

record_fields
  : record_field { $$ = NODES($1); }
  | record_fields COMMA record_field { $$ = PUSH($1, $3); }
  ;

record_field
  : ID COLON expr optional_source { $$ = MAKE(FIELD, @$, $1, 0, SOURCED($4, $3)); }
  | ID { $$ = MAKE(FIELD, @$, $1, 1, NODES(IDENTIFIER($1))); }
  ;

args
  : %empty { $$ = EMPTY; }
  | arg_list comma { $$ = $1; }
  ;

arg_list
  : arg { $$ = NODES($1); }
  | arg_list COMMA arg { $$ = PUSH($1, $3); }
  ;

arg
  : expr { $$ = MAKE(ARG, @$, NONE, 0, NODES($1)); }
  | ID COLON expr { $$ = MAKE(ARG, @$, $1, 0, NODES($3)); }
  ;

%%

enum { TOKENS = YYNTOKENS };

static int token_of(yysymbol_kind_t symbol)
{
  for (int token = 256; token < 256 + TOKENS; token++) {
    if (YYTRANSLATE(token) == symbol)
      return token;
  }
  return 0;
}

static int yyreport_syntax_error(const yypcontext_t *context, ts_parser *parser)
{
  yysymbol_kind_t symbols[TOKENS];
  int expected[TOKENS];
  int count = yypcontext_expected_tokens(context, symbols, TOKENS);
  for (int i = 0; i < count; i++)
    expected[i] = token_of(symbols[i]);
  ts_syntax_error(parser, expected, count > 0 ? count : 0);
  return 0;
}

/* Only called when the parser's stack is full. */
static void ts_grammar_error(ts_span *span, ts_parser *parser, const char *message)
{
  (void)message;
  ts_too_deep(parser, *span);
}

/* As yypstate_expected_tokens(), of one token: that one asks for each there is. */
bool ts_grammar_expects(ts_grammar_pstate *state, int token)
{
  return !yy_lac(state->yyesa, &state->yyes, &state->yyes_capacity, state->yyssp,
                 YYTRANSLATE(token));
}
