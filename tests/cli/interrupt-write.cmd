# Interrupted while a file is written (seen without a process of its own, which could come too late): dies of the signal, the old file stays, and nothing is left beside it.
mkdir "$scratch/write"; tsc -D layers=800 -D dp=8 -o "$scratch/big.ir" _plan.ts 2>/dev/null; cd "$scratch/write"; echo old >step.json
write() { for signal in INT TERM HUP; do
  for try in 1 2 3 4 5 6 7 8 9; do # one that is done before the signal comes begins again
    rm -f report.txt; echo old >step.json
    "$@" ../big.ir 2>../message & pid=$!
    until compgen -G '.trainspec*' >/dev/null; do kill -0 $pid 2>/dev/null || break; sleep 0.005; done; kill -$signal $pid; wait $pid; status=$?
    [ $status = 0 ] || break
  done
  echo "exit $status"; grep interrupted ../message; cat step.json; ls -A
done; }
set -m # or a shell's background processes ignore SIGINT
write tsrun --ignore-memory --no-fold --trace step.json --trace-ranks all -o report.txt
write trainspec export --format goal -o step.json
