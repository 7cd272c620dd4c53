; What editors colour. Of two patterns for one place Helix takes the first and Neovim the last, so none overlap.
(comment) @comment
(string) @string
(escape) @string.escape
(number) @constant.numeric
(unit) @type.unit
(truth) @constant.builtin.boolean

(type (identifier) @type)
(parameter name: (_) @variable.parameter)
(argument name: (_) @variable.other.member)
(field name: (_) @variable.other.member)
(member name: (_) @variable.other.member)
(call function: (identifier) @function)
(tagged function: (identifier) @function)
(communicate function: (identifier) @function)
(item function: (identifier) @function)
(label) @label
(path (dotted) @namespace)
(clause_name name: (identifier) @label)

(function name: (identifier) @function)
(extern name: (identifier) @function)
(op name: (identifier) @function)
(block name: (identifier) @function)
(model name: (identifier) @function)
(strategy name: (identifier) @function)
(schedule name: (identifier) @function)
(cluster name: (identifier) @function)
(plan name: (identifier) @function)
(record_type name: (identifier) @type)

["op" "block" "model" "strategy" "schedule" "protocol" "record" "cluster" "plan" "search" "gpu" "fn" "extern" "let" "param" "rule" "kernel"] @keyword
["import" "export" "language"] @keyword.control.import
["if" "then" "else"] @keyword.control.conditional
["for" "in" "repeat"] @keyword.control.repeat
["and" "or" "not"] @keyword.operator
["after" "any" "as" "at" "backward" "balanced" "before" "by" "cast" "chunks" "contracts" "copies" "depend" "device" "dim" "dtype" "expect" "forward" "from"
 "gradients" "input" "key" "limit" "link" "match" "maximize" "minimize" "moving" "of" "offload" "on" "optional" "order" "output" "over" "pair" "partner"
 "place" "policy" "prefer" "recompute" "remove" "replicate" "require" "saves" "sending" "set" "sha256" "shard" "slice" "slot" "slow" "source" "split" "stages" "step"
 "switch" "tie" "trained" "try" "uneven" "vary" "weight" "where" "whole" "with" "yield"] @keyword

["=" "==" "!=" "<" "<=" ">" ">=" ".." "+" "-" "*" "/" "%" "|" "->" "<->"] @operator
["(" ")" "[" "]" "{" "}"] @punctuation.bracket
["," ":" "." ";"] @punctuation.delimiter
