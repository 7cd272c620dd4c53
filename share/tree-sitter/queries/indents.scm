; Helix.
[(op) (strategy) (schedule) (protocol) (record_type) (plan) (search) (gpu) (graph) (machines) (work)
 (rule) (phase) (kernel) (policy) (with) (match_value) (record) (list) (comprehension) (arguments) (parameters) (link) (override)] @indent
["}" "]" ")"] @outdent
