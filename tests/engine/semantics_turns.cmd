# Kernels of several streams take turns: the highest priority first, then as issued, and none is interrupted.
sh ./_timeline.sh semantics_priority.tsir --overlap=turns
sh ./_timeline.sh semantics_sharing.tsir --overlap=turns; grep 'turns' "$scratch/report"
