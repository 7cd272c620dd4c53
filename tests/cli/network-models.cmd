# Networks of one's own: functions and SimAI's busbw.yaml. The times are their closed forms between the sizes that were asked, too.
here=$PWD; cd "$scratch"; cp "$here/_network_models.ts" own.ts
printf 'test\nTP:\nallreduce,: 300   # GB/s\nallgather,: 280\nalltoall,: null\nDP:\nallreduce,: 0\nEP:\nallreduce 3 4\nPP:\nbusbw: 47.5' >busbw.yaml
for of in mine busbw; do trainspec collective --sweep --over dp -D of=$of own.ts | awk 'NR < 4 || $1 ~ /^(1024|1048576|5368709120|1073741824)$/'; done
# A tier that is named: inside an island its function answers, of links between islands it does not.
for tier in -1 0 1; do echo "tier $tier: $(trainspec collective --sweep --over dp -D tier=$tier own.ts | sed -n 3p)"; done
for of in below none all_reduce nothing; do tsc -D of=$of -o x.ir own.ts; echo "exit $?"; done
for group in DP EP XP; do tsc -D of=busbw -D group=$group -o x.ir own.ts; done
tsc -D of=busbw -D 'file="nowhere.yaml"' -o x.ir own.ts
