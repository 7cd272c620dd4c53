sh _timeline.sh semantics_overlap_member.tsir  --overlap constant:2:2
