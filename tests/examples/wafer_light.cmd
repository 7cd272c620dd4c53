run() { printf '%-44s' "$*"; tsrun "$@" examples/wafer.ts | sed -n 's/  step time *//p'; }
run -D light=true
run -D light=false
run --contention
run --contention -D light=false
run --contention -D ports=1 -D setup=100us
