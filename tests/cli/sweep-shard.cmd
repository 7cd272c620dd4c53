# Parts of a sweep, merged in any order, give the bytes of one process.
cp _sweep.ts $scratch/plan.ts; cd $scratch; mkdir shard; cp plan.ts shard; cd shard
all="--vary m=1..8 --set dp=2 --require m<7 --format csv"; unset SLURM_ARRAY_TASK_ID JOB_COMPLETION_INDEX
trainspec sweep $all plan.ts >all.csv 2>all.err; wc -l <all.csv
trainspec sweep $all --shard 1/3 --journal a.db plan.ts 2>/dev/null | wc -l
SLURM_ARRAY_TASK_ID=11 SLURM_ARRAY_TASK_MIN=10 SLURM_ARRAY_TASK_COUNT=3 trainspec sweep --vary m=1..8 --set dp=2 --shard auto --journal b.db plan.ts 2>/dev/null | head -1
JOB_COMPLETION_INDEX=2 trainspec sweep $all --shard auto/3 --journal c.db plan.ts 2>/dev/null | wc -l
report() { trainspec sweep $all --journal $1 --resume plan.ts 2>$1.err | cmp - all.csv; cmp all.err $1.err; trainspec sweep status $1 | tail -2 | head -1 | sed 's/;.*//'; }
trainspec sweep merge -o x.db a.db b.db c.db; report x.db
trainspec sweep merge -o y.db c.db a.db; trainspec sweep merge -o y.db b.db a.db; trainspec sweep merge -o y.db y.db a.db; report y.db # also bit by bit, twice, and into itself
echo "== refused"; try() { "$@" 2>&1; echo "exit $?"; }
for part in 0/3 4/3 3 1/0 x/y auto auto/x; do try trainspec sweep --shard $part --journal d.db plan.ts; done; try trainspec sweep --shard 1/2 plan.ts
SLURM_ARRAY_TASK_ID=3 try trainspec sweep --shard auto/2 --journal d.db plan.ts; try trainspec sweep --vary m=1..3 --shard 9/9 --journal d.db plan.ts
cp plan.ts other.ts; echo '// changed' >>other.ts; trainspec sweep $all --journal d.db other.ts >/dev/null 2>&1; try trainspec sweep merge -o z.db a.db d.db; try trainspec sweep merge -o z.db none.db; try trainspec sweep merge -o z.db plan.ts; try trainspec sweep merge a.db; try trainspec sweep merge -o z.db; ls
echo "== script"; trainspec sweep $all --sbatch 3 --journal "it's.db" -D 'name="x y"' plan.ts | tee script
mkdir bin; printf '#!/bin/sh\nfor a; do printf "<%%s>" "$a"; done; echo\n' >bin/trainspec; chmod +x bin/trainspec; SLURM_ARRAY_TASK_ID=2 PATH=$PWD/bin:$PATH sh script
