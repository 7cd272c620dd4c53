# What cannot be written is told before anything is played, and no input is written over; a page that cannot be shown leaves no journal, and one that may not grow keeps what it has.
mkdir $scratch/outputs; cp _sweep.ts $scratch/outputs/plan.ts; cd $scratch/outputs; cp plan.ts before.ts; ln -s plan.ts link.ts
s() { echo "== $*"; trainspec sweep --vary m=1..4 --set dp=2 "$@" plan.ts >out 2>err; status=$?; [ $status = 0 ] || cat err; echo "exit $status"; }
s -o plan.ts; s -o ./link.ts; s --journal j.db -o j.db; s --journal j.db -o none/report; s --journal none/j.db; s --journal j.db --serve 99999; s -o .
for program in tsrun tsc; do $program -o plan.ts plan.ts; echo "exit $?"; done; tsrun --trace link.ts plan.ts; echo "exit $?"
cmp plan.ts before.ts; ls
s --journal j.db; s --journal j.db -o j.db --resume
(ulimit -f 40; trainspec sweep --vary m=1..400 --set dp=2 --journal small.db plan.ts >out 2>err; echo "exit $?"; sed 's/[0-9]* of 399/N of 399/' err)
trainspec sweep --vary m=1..9 --set dp=2 --journal small.db --resume plan.ts 2>/dev/null | head -1
