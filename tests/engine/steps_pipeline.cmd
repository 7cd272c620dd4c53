tsrun --steps 4 steps_pipeline.tsir | sed -n '/^4 steps/,/^$/p'; tsrun --steps 4 --overlap constant:1.2 steps_pipeline.tsir | sed -n '/^4 steps/,/^$/p'
