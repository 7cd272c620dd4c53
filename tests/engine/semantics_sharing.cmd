sh _timeline.sh semantics_sharing.tsir --overlap constant:1
