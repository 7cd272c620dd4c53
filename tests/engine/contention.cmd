tsrun contention.tsir | grep step.time; tsrun --contention contention.tsir | grep step.time
