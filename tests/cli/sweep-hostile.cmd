# Journals of strangers: schemas that compute, counts that are none, bytes that are no UTF-8, figures without end; a merge that fails leaves nothing.
cp _sweep.ts $scratch/plan.ts; cd $scratch; rm -rf hostile; mkdir hostile; cp plan.ts hostile; cd hostile
all="--all --vary m=1..3 --set dp=2 --format csv"; trainspec sweep $all --journal good.db plan.ts >/dev/null 2>&1
change() { cp good.db $1; python3 -c 'import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); c.text_factory = bytes; c.executescript(sys.argv[2]); c.close()' "$@"; }
try() { timeout 20 "$@" 2>&1; echo "exit $?"; }
change gen.db "ALTER TABLE plan RENAME COLUMN state TO was; ALTER TABLE plan ADD COLUMN state TEXT GENERATED ALWAYS AS (instr(hex(zeroblob(400000)), 'x')) VIRTUAL"
change view.db "CREATE VIEW v AS SELECT 1"; change counts.db "UPDATE sweep SET plans = -1"; change times.db "UPDATE sweep SET seen = 9e999"
for f in gen view counts times; do try trainspec sweep status $f.db; done
try trainspec sweep status --serve 0 gen.db; try trainspec sweep $all --journal gen.db --resume plan.ts
echo "== a page of what is no UTF-8 and no number"
change odd.db "UPDATE sweep SET title = cast(x'c3285b1bff' AS text), best = cast(x'ff22' AS text); UPDATE plan SET step_time = 9e999 WHERE parameters LIKE 'm=1%'; UPDATE plan SET peak_memory = 1e-320, parameters = cast(x'6d3d22ed' AS text) WHERE parameters LIKE 'm=2%'"
json() { python3 -c 'import json, sys; d = json.loads(sys.stdin.buffer.read().decode(), parse_constant=sys.exit); print(d["front"] if "front" in d else [s["title"] for s in d["sweeps"]])'; }
trainspec sweep status --format json odd.db | json; trainspec sweep status odd.db | sed -n 3p
trainspec sweep status --serve 0 odd.db >url 2>&1 & pid=$!
until [ -s url ]; do :; done
port=$(tr -dc 0-9: <url | cut -d: -f3); exec 3<>/dev/tcp/127.0.0.1/$port; printf 'GET /status.json HTTP/1.0\r\nHost: localhost\r\n\r\n' >&3; sed '1,/^\r$/d' <&3 | json; exec 3<&-
kill $pid; { wait $pid; } 2>/dev/null
echo "== merged"
rm url; cp good.db old.db; mkdir parts; trainspec sweep --all --vary m=3..5 --set dp=2 --journal parts/good.db plan.ts >/dev/null 2>&1; cp counts.db parts; change parts/other.db "UPDATE plan SET step_time = 1"; change parts/key.db "UPDATE plan SET key = x'01' WHERE parameters LIKE 'm=2%'"; chmod a-w parts/good.db; chmod a-w parts
for bad in counts key other none; do try trainspec sweep merge -o new.db good.db parts/good.db parts/$bad.db; try trainspec sweep merge -o old.db parts/good.db parts/$bad.db; cmp good.db old.db; done
: >empty.db; try trainspec sweep merge -o empty.db parts/good.db parts/none.db; wc -c <empty.db; try trainspec sweep merge -o /dev/null good.db; try trainspec sweep merge -o none/new.db good.db
try trainspec sweep merge -o new.db good.db parts/good.db; try trainspec sweep merge -o empty.db good.db parts/good.db; try trainspec sweep merge -o old.db old.db parts/good.db; ls -A . parts; chmod u+w parts
