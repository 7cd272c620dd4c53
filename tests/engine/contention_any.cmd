sh _timeline.sh contention_any.tsir --contention
for o in "--overlap constant:1" "--contention --overlap constant:1" "--contention --overlap constant:1.5:1.25"; do echo "$o: $(tsrun $o contention_any.tsir | grep step.time), $(tsrun $o record_any.tsir | grep step.time)"; done
