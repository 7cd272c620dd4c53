[(op) (block) (model) (strategy) (schedule) (protocol) (record_type) (cluster) (plan) (search) (gpu)
 (rule) (phase) (kernel) (at) (policy) (repeat) (if_graph) (for_work) (for_machines) (with) (match_value) (record) (list) (comprehension)] @fold
