sh _timeline.sh semantics_device_sync.tsir
