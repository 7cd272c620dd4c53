# A plan too large for --max-memory is stopped, and the sweep goes on: with any number of jobs, with a journal, in which another run with more memory finds it unplayed.
cp _sweep.ts $scratch/equal.ts; cd $scratch; rm -rf memory; mkdir memory; cp equal.ts memory; cd memory; sed 's/one_f_one_b/gpipe/g' equal.ts >plan.ts; mv equal.ts ..
all="--all --vary m=[1,2,300000,3,4] --set dp=2 --format csv"; few="--max-memory 100MB"
shown() { cut -d, -f1-5 | sed 's/"[^"]*"$//'; }
trainspec sweep $few -j1 $all plan.ts >one.csv 2>one.err; echo "exit $?"; cut -d, -f1-4 one.csv
trainspec sweep $few -j3 $all plan.ts 2>/dev/null | cmp - one.csv
trainspec sweep $few -j2 $all --journal j.db plan.ts 2>err | cmp - one.csv; cmp err one.err; ls
trainspec sweep status j.db | tail -2 | head -1 | sed 's/, [0-9.]* a second//; s/, [0-9]* of them by this sweep/, N of them by this sweep/'
trainspec sweep $few --all --vary m=[300000,1] --set dp=2 --journal j.db --resume plan.ts 2>/dev/null | sed -n '/^Left/,/^$/p'
python3 -c 'import sqlite3; print(sqlite3.connect("j.db").execute("SELECT count(*), group_concat(DISTINCT state) FROM plan").fetchone())'
trainspec sweep $few --budget 8 --vary m=1..400000 --set dp=2 plan.ts >budget 2>/dev/null; echo "exit $?"; grep -c 'more memory' budget
trainspec sweep $few $all --journal j.db plan.ts 2>&1; echo "exit $?"
echo "== an evaluation that takes too much"; sed 's/name: String = "x"/n: Int = 1/; s/tokens = .*/tokens = 512 + 0 * len([[j for j in 0..1000] for i in 0..n])/' plan.ts >long.ts
for jobs in 1 2; do trainspec sweep -j$jobs --max-memory 300MB --all --format csv --vary n=[1,900000,2] --set dp=2 --journal long.$jobs.db long.ts 2>/dev/null | cut -d, -f1-4; done
python3 -c 'import sqlite3; print(sqlite3.connect("long.2.db").execute("SELECT count(*), group_concat(DISTINCT state) FROM plan").fetchone())'
echo "== equal rounds take none"; trainspec sweep $few --all --format csv --vary m=[300000,1] --set dp=2 ../equal.ts 2>&1 | sed -n '/^[m0-9]/p' | cut -d, -f1-4
