# Interrupted long before it can end: says so, dies of the signal, leaves no file. The pipe is opened when the program is ready for signals.
plan=$PWD/../engine/straggler.tsir; mkdir "$scratch/own"; cd "$scratch/own"; mkfifo plan
tsrun --no-fold --repeat 1000000 --jitter lognormal:2% -o report.txt plan 2>message & pid=$!
cat "$plan" >plan; sleep 0.2; kill -TERM $pid; wait $pid; echo "exit $?"; rm plan; sed 's/after [0-9.]* s, [a-z ]*: [0-9]* %/after T s: N %/' message; ls
