# Plans whose orders cannot be searched, limits that no order keeps, and mistakes on the command line.
lab=../../examples/schedule_lab.ts
refused() { echo "== $*"; trainspec schedule --budget=500 "$@" 2>&1; echo "exit $?"; }
refused -D 'schedule=one_f_one_b(p: 1, m: 4)' $lab
refused ../../examples/hop.ts
refused ../../examples/large.ts | head -3
refused ../../examples/gpt2_large.ts
tsc -D 'schedule=zb_h1(p: 2, m: 2)' -o "$scratch/lab.ir" $lab; (cd "$scratch" && refused lab.ir)
refused --memory=1500MiB -D 'schedule=zb_h1(p: 4, m: 6)' $lab
refused --memory=500MiB -D 'schedule=zb_v(p: 4, m: 6)' $lab
refused --from 'zb_v(p: 4, m: 8)' $lab
refused --from 'one_f_one_b(p: 4, m: 9)' $lab
refused --from 'no_such_schedule(4)' $lab
refused --from '1 +' $lab
refused --memory=lots $lab
refused --budget=soon $lab
refused --budget=0 $lab
refused --name=2nd $lab
refused --format=html $lab
refused
refused $lab $lab
refused -o /nonexistent/found.ts $lab
