sh _timeline.sh semantics_stream_sync.tsir
