# Databases and recordings of strangers whose tables compute: refused at once, also by a plan.
cp _sizes.ts _plan.ts _ops.csv $scratch; cd $scratch; try() { timeout 20 "$@" 2>&1; echo "exit $?"; }
sql() { python3 -c 'import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); c.executescript(sys.argv[2]); c.close()' "$@"; }
rm -f *.db; trainspec db add --db good.db --device a100 _ops.csv; cp good.db gen.db; cp good.db view.db
sql gen.db "ALTER TABLE measurement RENAME COLUMN low_us TO was; ALTER TABLE measurement ADD COLUMN low_us REAL GENERATED ALWAYS AS (instr(hex(zeroblob(400000)), 'x')) VIRTUAL"
sql view.db "ALTER TABLE measurement RENAME TO was; CREATE VIEW measurement AS WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i) SELECT w.* FROM was w, i"
for f in gen view; do try trainspec db list --db $f.db; try trainspec db show --db $f.db; try trainspec db add --db $f.db --device a100 _ops.csv; sed "s/table \"_ops.csv\"/db(\"$f.db\")/" _plan.ts >plan.ts; try tsc -o p.ir plan.ts; done
cp "$OLDPWD/../traces/_nsys.sqlite" gen.sqlite; cp gen.sqlite view.sqlite; chmod u+w *.sqlite
sql gen.sqlite "ALTER TABLE StringIds RENAME COLUMN value TO was; ALTER TABLE StringIds ADD COLUMN value TEXT GENERATED ALWAYS AS (hex(zeroblob(400000))) VIRTUAL"
sql view.sqlite "ALTER TABLE StringIds RENAME TO was; CREATE VIEW StringIds AS WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i) SELECT n AS id, hex(zeroblob(400000)) AS value FROM i"
for f in gen view; do try trainspec trace $f.sqlite; done; sql wal.sqlite "PRAGMA journal_mode = WAL; CREATE TABLE x (a)"; try trainspec trace wal.sqlite; ls | grep -E 'db|sqlite'
