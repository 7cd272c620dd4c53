# Interrupted long before it can end: says so, dies of the signal, leaves no file.
cd "$scratch"
tsrun --no-fold --repeat 100000 --jitter lognormal:2% -o report.txt "$OLDPWD/../engine/straggler.tsir" 2>message & pid=$!
sleep 0.7; kill -TERM $pid; wait $pid; echo "exit $?"; sed 's/after [0-9.]* s/after T s/; s/[0-9]* % done/N % done/' message; ls
