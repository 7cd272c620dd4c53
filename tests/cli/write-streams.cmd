# Pipes, standard output and links stay what they are; the file behind a link keeps its mode.
plan=$PWD/_warned.ts; run="tsrun -o report.txt"; mkdir "$scratch/streams"; cd "$scratch/streams"; exec 2>&1; tsc -o plan.ir "$plan" 2>/dev/null
mkfifo pipe; head -c 22 pipe >read & $run --trace pipe plan.ir 2>/dev/null; wait; cat read; echo; test -p pipe && echo "a pipe"
$run --trace=- plan.ir 2>/dev/null | head -c 22; echo; test -e ./- || echo "no file named -"
tsrun --trace=- plan.ir; tsrun --trace=- -o - plan.ir
(echo before; $run --trace=/dev/stdout plan.ir 2>/dev/null) >log; head -c 29 log; echo
touch meant; chmod 640 meant; ln -s meant link; $run --trace=link plan.ir 2>/dev/null; stat -c '%a %F' meant; stat -c %F link
$run --trace=/dev/full plan.ir 2>full; echo "exit $?"; head -1 full; rm full; tsc -S -o - plan.ir | head -1; trainspec export -o - plan.ir; trainspec export --format goal -o - plan.ir 2>/dev/null | head -1; ls -A
