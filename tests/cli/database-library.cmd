# SQLite's library is opened with the first database: a plan needs none, and where it is missing a message says so.
mkdir "$scratch/broken" && : >"$scratch/broken/libsqlite3.so.0"
LD_LIBRARY_PATH=$scratch/broken tsrun ../../examples/gpt3_175b.ts | head -n 1
LD_LIBRARY_PATH=$scratch/broken trainspec db add --db "$scratch/a.db" --device a100 _ops.csv 2>&1 | sed "s|$scratch/||"
LD_LIBRARY_PATH=$scratch/broken trainspec sweep --journal "$scratch/a.journal" --vary "dp=[1, 2]" ../bench/plans/small.ts 2>&1 | sed "s|$scratch/||"
LD_LIBRARY_PATH=$scratch/broken trainspec trace ../traces/_nsys.sqlite 2>&1
find "$scratch" -type f | sed "s|$scratch/||"
