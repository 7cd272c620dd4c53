; What there is to jump to.
(function name: (identifier) @name) @definition.function
(op name: (identifier) @name) @definition.function
(block name: (identifier) @name) @definition.function
(model name: (identifier) @name) @definition.function
(strategy name: (identifier) @name) @definition.function
(schedule name: (identifier) @name) @definition.function
(cluster name: (identifier) @name) @definition.function
(plan name: (identifier) @name) @definition.function
(record_type name: (identifier) @name) @definition.type
(call function: (identifier) @name) @reference.call
