# Interrupted while a plan is compiled: says so, dies of the signal, leaves no file. A plan that never comes keeps the compiler waiting; the pipe is opened when it is ready for signals.
mkdir "$scratch/own"; cd "$scratch/own"
for program in "tsc -o plan.ir" "tsrun -o report.txt" "trainspec sweep -o sweep.csv --format csv"; do mkfifo plan; $program plan 2>message & pid=$!; exec 3>plan; kill -TERM $pid; wait $pid; echo "exit $?"; exec 3>&-; rm plan; cat message; done; rm message; ls
