# A sweep that is killed and goes on gives the same bytes as one that is not; nothing is played twice, also by another sweep of the same plan.
cp _sweep.ts $scratch/plan.ts; cd $scratch; mkdir journal; cp plan.ts journal; cd journal
all="--vary m=10001..10031 --set dp=2 --format csv"; tell() { sed -E 's/, [0-9.,]+ a second//; s/(of 30 plans, )[0-9]+ of/\1N of/; s/^  [0-9]+ of/  N of/; s/nothing for [^:]*:/nothing for a while:/; s/about [0-9.]+ m?s to go/some time to go/'; }
trainspec sweep $all plan.ts >all.csv 2>all.err
for try in $(seq 60); do # one that was done before it was killed is begun again
  rm -f j.db*; trainspec sweep -j1 $all --journal j.db plan.ts >cut.csv 2>/dev/null & pid=$!
  until trainspec sweep status j.db 2>/dev/null | grep -q 'best so far'; do :; done # a reader while it runs
  kill -9 $pid; { wait $pid; } 2>/dev/null; [ -s cut.csv ] || break
done; wc -c <cut.csv
trainspec sweep $all --journal j.db --resume plan.ts >resumed.csv 2>resumed.err; cmp all.csv resumed.csv; cmp all.err resumed.err; ls
trainspec sweep status j.db | tell | tail -3
echo "== another sweep of the same inputs"; trainspec sweep --vary m=10020..10040 --set dp=2 --format csv --journal j.db --resume plan.ts 2>/dev/null | wc -l
trainspec sweep status --format json j.db | tail -1 | sed -E 's/"(silent_seconds|plans_per_second)": [0-9.e+]+, //g'
echo "== other inputs"; try() { trainspec sweep $all --journal "$@" 2>&1 >/dev/null; echo "exit $?"; }
try j.db plan.ts; echo '// changed' >>plan.ts; try j.db --resume plan.ts; cp plan.ts other.ts; try j.db --resume other.ts
echo text >text.db; try text.db --resume plan.ts; mkdir folder.db; try folder.db --resume plan.ts; trainspec sweep --resume plan.ts 2>&1; echo "exit $?"
cp ../plan.ts .
echo "== two at a time"
for again in $(seq 20); do # one that was done before it was stopped, or was stopped while it wrote, is begun again
  rm -f w.db*; trainspec sweep -j1 $all --journal w.db plan.ts >/dev/null 2>&1 & pid=$!
  until trainspec sweep status w.db 2>/dev/null | grep -q search; do :; done; kill -STOP $pid 2>/dev/null
  said=$(try w.db --resume plan.ts); kill $pid; kill -CONT $pid; { wait $pid; } 2>/dev/null
  case $said in *'exit 0' | *'database is locked'*) ;; *) break ;; esac
done 2>/dev/null; echo "$said"
trainspec sweep $all --journal w.db --resume plan.ts 2>/dev/null | cmp all.csv
echo "== a full disk"; (trap '' XFSZ; ulimit -f 60; try full.db plan.ts) | sed 's/: [0-9]* of/: N of/'; trainspec sweep $all --journal full.db --resume plan.ts 2>/dev/null | cmp all.csv; ls
trainspec sweep status none.db 2>&1; echo "exit $?"; trainspec sweep status 2>&1; echo "exit $?"
