sh _timeline.sh semantics_event.tsir
