sh _timeline.sh semantics_rendezvous.tsir
