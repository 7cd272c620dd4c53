for model in none constant:1; do tsrun --overlap $model compute_streams.tsir | grep -E "step time|compute streams"; done
