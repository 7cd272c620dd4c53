# One's own names come before those of std (here a small one), private ones not at all; every kind of std has names.
std=--stdlib=../errors/_std
for kind in schedules gpus costs networks; do trainspec list $std $kind _discover.ts | sed -n '1,/^$/p'; done
trainspec list $std schedule --format=json _discover.ts | head -4; trainspec list $std Schedule --format=markdown _discover.ts | head -17
trainspec list $std models _discover.ts -o "$scratch/list"; head -3 "$scratch/list"
trainspec list | awk '$1 == 0 { print "none: " $2 }'; trainspec list models | grep -o 'llama3_70b(.*'; trainspec list gpus | grep -w h100_sxm; trainspec list strategies | grep -A2 '^  full('
trainspec list all --format=markdown | grep -c '^## std\.' | awk '$1 < 70 { print "few modules" }'
trainspec list modls; trainspec list $std models none.ts; trainspec list --format=xml
