sh _timeline.sh semantics_priority.tsir --overlap constant:1
