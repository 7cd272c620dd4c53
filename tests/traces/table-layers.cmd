trainspec table _layers.json -o $scratch/ops.csv && cat $scratch/ops.csv && trainspec db add --db $scratch/gpu.db --device Toy $scratch/ops.csv && trainspec db list --db $scratch/gpu.db
