sh _timeline.sh semantics_copies.tsir
