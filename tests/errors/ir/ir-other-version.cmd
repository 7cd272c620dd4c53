tsc -o "$scratch/whole.ir" _two_stages.tsir && cd "$scratch" && for v in 5 11; do { head -c 8 whole.ir; printf "\0$v"; tail -c +10 whole.ir; } >new.ir && tsc -S new.ir; done
