tsc -o "$scratch/whole.ir" _two_stages.tsir && cd "$scratch" && { head -c 700 whole.ir; printf x; tail -c +702 whole.ir; } >altered.ir && tsc -S altered.ir
