# Long. Spaces that are not listed: drawn, then near the best; the same for any number of threads. A budget that is larger than the space tries all of it.
s() { echo "== $*"; trainspec sweep --top 3 "$@" _sweep.ts 2>&1 | sed 's/first one: about .*/first one: SOME TIME/'; }
big() { s --vary 'm=1..100000' --vary 'tp=1..100' --vary 'dp=1..1000' --set 'pp=8/(tp*dp)' --require 'm < 200' "$@"; }
big --budget 40 -j 1 > "$scratch/one"; big --budget 40 -j 3 > "$scratch/three"; sed 's/-j 3/-j 1/' "$scratch/three" | cmp "$scratch/one" - && cat "$scratch/one"
s --vary 'm=1..100000' --vary 'tp=1..100' --vary 'dp=1..1000' --require 'tp < 50'; big --budget 20 --seed 2 --format json | sed -n '/budget/,/}/p'; s --vary 'tp=[1, 2]' --set 'dp=1' --set 'pp=4' --budget 5
s --vary 'm=1..1000000' --require 'm * m == 2' --budget 10; s --budget 0; s --budget 5x; s --budget 10 --sbatch 3; s --vary 'm=1..1000000' --minimize 'step_time + 3' --budget 10

# The first one drawn is not the best. A journal knows what a larger budget tries first, and the report is the same.
big --budget 20 | grep -A3 '^ *m '; big --budget 20 --journal "$scratch/b.db" > "$scratch/twenty"; big --budget 40 --journal "$scratch/b.db" --resume > "$scratch/more"
sed '1d' "$scratch/more" | cmp - <(sed '1d' "$scratch/one") && trainspec sweep status "$scratch/b.db" | grep -oE '[0-9]+ of [0-9]+ plans'

# Parts of a budget are searches of their own: one process comes to what journals of all of them come to.
cd "$scratch"; cp "$OLDPWD/_sweep.ts" .; big --budget 30 --shard all/3 >whole
for i in 3 1 2; do big --budget 30 --shard $i/3 --journal part.$i | sed -n '2p; / played:/p'; done; trainspec sweep merge -o all.db part.2 part.3 part.1 | sed "s/[0-9]* plans/SOME plans/" # how many were played before bounds told depends on threads
big --budget 30 --shard all/3 --journal all.db --resume | sed 1d | cmp - <(sed 1d whole) && grep ' played:' whole
s --budget 2 --shard 1/3 --journal a; s --budget 5min --shard 1/3 --journal a; s --budget 9 --sbatch 3 --journal a | grep all/; s --shard 4/3 --journal a; s --shard all
