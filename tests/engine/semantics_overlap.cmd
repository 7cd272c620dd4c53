sh _timeline.sh semantics_overlap.tsir  --overlap constant:2:1.25
