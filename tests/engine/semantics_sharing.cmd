sh _timeline.sh semantics_sharing.tsir
