sh _timeline.sh semantics_priority.tsir
