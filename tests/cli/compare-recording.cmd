# A plan beside a recording: of its own step there is no difference, of a changed one that change carries it.
kineto=$PWD/_kineto.py; small=$PWD/../traces/_small.json; traces=$PWD/../traces; cp _recorded.ts "$scratch"; cd "$scratch"
record() { tsrun --trace=play.json "$@" _recorded.ts >/dev/null 2>&1 && python3 "$kineto" play.json 3 >run.json; }
try() { echo "== $1"; shift; trainspec compare "$@" _recorded.ts run.json 2>&1; echo "exit $?"; }
first() { echo "== $1"; shift; trainspec compare --causes 1 "$@" _recorded.ts run.json 2>&1 | sed -n '2,3p;/explain\|chance/,$p'; }
record; try "its own" --causes 0
record -D attention='"flash2"'; first "attention by another library"
record -D nic='200 Gb/s'; first "interfaces at half their rate"
record -D overlap=false; try "without overlap" --causes 2
record -D seq=256 -D launch='120 us'; try "a slow host" --causes 0 -D seq=256
# Waits for other stages are calls that wait; ranks are those of the recording; it may be packed.
record -D pp=4 -D tp=2; gzip -c run.json >packed; echo "== a pipeline"
trainspec compare --format=json --causes 0 -D pp=4 -D tp=2 _recorded.ts packed 2>/dev/null | python3 -c '
import json, sys
r = json.load(sys.stdin)["recorded"]
for kinds in (["kernels"], ["calls", "idle"]):
    print(*kinds, *["%.1f ms" % (sum(p[side + "_alone_ns"] for p in r["parts"] if p["kind"] in kinds) / 1e6) for side in ("plan", "run")])'
# JSON: parts add up to the steps.
record -D overlap=false
trainspec compare --format=json --causes 0 _recorded.ts run.json | python3 -c '
import json, sys
r = json.load(sys.stdin)["recorded"]
print(r["carried_by"], *[sum(p[side + "_alone_ns"] for p in r["parts"]) == r[side + "_ns"] for side in ("plan", "run")])
print(r["exposed"][0])'
# Recordings of another job, of others (Nsight Systems), without times, damaged; a log in JSON is a log.
cp "$small" run.json; try "another job" --causes 0 | head -6
cp "$traces/_nsys.sqlite" run.json; try "Nsight Systems" --causes 0 | sed -n 2,4p
cp "$traces/_snapshot.json" run.json; try "a snapshot"
cp "$traces/_broken.json" run.json; try "damaged"
head -c 300 "$traces/_small.json" >run.json; try "cut off"
echo '{"log_history": [{"step": 1, "train_runtime": 3}, {"step": 2}]}' >run.json; try "a log in JSON" --causes 0
: >run.json; try "empty"
