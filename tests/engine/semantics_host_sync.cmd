sh _timeline.sh semantics_host_sync.tsir
