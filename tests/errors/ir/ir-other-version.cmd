tsc -o "$scratch/whole.ir" _two_stages.tsir && cd "$scratch" && { head -c 8 whole.ir; printf "\011"; tail -c +10 whole.ir; } >new.ir && tsc -S new.ir
