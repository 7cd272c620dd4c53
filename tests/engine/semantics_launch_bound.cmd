sh _timeline.sh semantics_launch_bound.tsir
