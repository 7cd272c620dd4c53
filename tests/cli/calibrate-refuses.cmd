mkdir "$scratch/refused" && cp _calibrate.ts "$scratch/refused/plan.ts" && cd "$scratch/refused"
try() { printf '%b' "$1" >measured.csv; shift; trainspec calibrate -o out.json "$@" plan.ts measured.csv 2>&1; echo "exit $?"; }
try 'tp,mirco,step_s\n1,2,0.1\n2,2,0.1\n'
try 'tp,zzz,step_s\n1,2,0.1\n2,2,0.1\n'
try 'tp,tp,step_s\n1,2,0.1\n2,2,0.1\n'
try 'tp,micro\n1,2\n2,2\n'
try 'tp,step_s,step\n1,2 s,2\n'
try 'tp,step\n1,1.5\n2,1.5 s\n'
try 'tp,step\n1,1.5 parsec\n2,1.5 s\n'
try 'tp,step_s\n1,-1.5\n2,1.5\n'
try 'tp,step_s\n1,nan\n2,1.5\n'
try 'tp,step_s,memory\n1,1,12 Gi\n2,1.5,\n'
try 'tp,step_s\n1,1.5\n'
try 'tp,step_s\n1,1.5\n1,1.5\n'
try ''
try 'tp,step_s\n1,1.5\n2\n'
try 'tp,step_s\n1,1.5\n"2,1.5\n'
# A row that does not compile is named, at its place in the plan.
try 'micro,step_s\n1,1.5\n3,1.5\n'
try 'recipe,step_s\nbf16,0.01\nfp32,0.05\n' | grep -o '^Plan.*\|exit.*'
try 'tp,step_s\n1,1.5\n2,1.5\n' --noise 70%
try 'tp,step_s\n1,1.5\n2,1.5\n' -o -
trainspec calibrate plan.ts 2>&1; echo "exit $?"
trainspec calibrate plan.ts nowhere.csv 2>&1; echo "exit $?"
trainspec calibrate nowhere.ts measured.csv 2>&1; echo "exit $?"
printf 'version 3\nplan p\n' >p.tsir; trainspec calibrate p.tsir measured.csv 2>&1; echo "exit $?"
ls out.json
