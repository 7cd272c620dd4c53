# What an answer rests on, and what moved it.
cp _plan.ts "$scratch/plan.ts"; cp _sizes.ts _ops.csv "$scratch"; cd "$scratch"
shown() { sed -E 's/ [0-9]+ inputs,/ N inputs,/; s/"[0-9a-f]{64}"/"DIGEST"/g; s/"[0-9a-f]{40}"/"NAME"/; s/"version": "[^"]*"/"version": "VERSION"/; s/differs in [0-9]+ of/differs in N of/; s/(TrainSpec +)[0-9]+[.][0-9.a-z-]+,/\1VERSION,/'; }
try() { echo "== $*"; "$@" 2>&1 | shown; echo "exit ${PIPESTATUS[0]}"; }
quiet="-W no-roofline-costs -W no-assumed-network"
try trainspec lock plan.ts
shown <plan.lock | grep -v '"stdlib"'
try tsrun $quiet --locked -o /dev/null plan.ts
try tsc --locked -o /dev/null plan.ts
try trainspec lock --check plan.ts
# A parameter, whose old value the lock has.
try tsrun $quiet --locked -D dp=1 -o none plan.ts
try trainspec lock --check -D launch=9us plan.ts
try tsc --locked -D dp=1 -o none plan.ts
# Comments and blank lines are no difference; what looks like one in a string is.
cp plan.ts kept.ts; sed -i '1i // "later\n' plan.ts; sed -i '/model/s|$|  // 4 layers, "too|' plan.ts; try tsrun $quiet --locked -o /dev/null plan.ts; try trainspec lock --check plan.ts
sed -i '2s|^|let _of = "a//b"\n|' plan.ts; try trainspec lock -o text.lock plan.ts; sed -i 's|a//b|a//c|' plan.ts; try trainspec lock --check -o text.lock plan.ts; mv kept.ts plan.ts
# Files whose old content is nowhere; with git: lock-git.
sed -i "s@layers: Int = 2@layers: Int = 3@" plan.ts && sed -i "s@8@4@" _sizes.ts && echo "# later" >>_ops.csv
try trainspec lock --check plan.ts
# Options of the play, an IR, a lock of its own name.
try trainspec lock -o own.lock --contention plan.ts
try tsrun $quiet --lock-file own.lock -o none plan.ts
try tsrun $quiet --lock-file own.lock --contention -o /dev/null plan.ts
tsc -o plan.ir plan.ts 2>/dev/null; try trainspec lock -o ir.lock plan.ir; try tsrun $quiet --lock-file ir.lock -o /dev/null plan.ir
# Another answer of the same inputs, another version, and what is no lock.
sed 's/"step_time_ps": [0-9]*/"step_time_ps": 5/' own.lock >other.lock; try trainspec lock --check -o other.lock --contention plan.ts
sed 's/"version": "[^"]*"/"version": "0.0.9"/' own.lock >other.lock; try trainspec lock --check -o other.lock --contention plan.ts
# Another release: which part of it moved the answer.
moved() { sed -E "s/\"version\": \"[^\"]*\"/\"version\": \"0.0.9\"/; s/\"step_time_ps\": [0-9]*/\"step_time_ps\": 5/; $1" own.lock >other.lock; try trainspec lock --check -o other.lock --contention plan.ts; }
moved 's/(std.*sha256": ")..../\10000/'; moved 's/(graph": ")..../\10000/'; moved 's/(times": ")..../\10000/'; moved 's/((graph|times)": ")..../\10000/'; moved '/"graph"/d'
sed 's/"trainspec-lock": 1/"trainspec-lock": 2/' own.lock >other.lock; try tsc --lock-file other.lock -o none plan.ts
printf '<<<<<<< HEAD\n' >other.lock; try tsc --lock-file other.lock -o none plan.ts
printf '{}' >other.lock; try tsc --lock-file other.lock -o none plan.ts
try tsc --lock-file nowhere.lock -o none plan.ts
try tsrun --locked --network=all plan.ts; try trainspec lock - </dev/null; try trainspec lock
ls none 2>&1
