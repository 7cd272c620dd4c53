sh _timeline.sh semantics_handle.tsir
