sh _timeline.sh semantics_graph_launch.tsir
