tsrun together.tsir | grep step.time; tsrun --contention together.tsir | grep step.time
