tsc -o "$scratch/whole.ir" _two_stages.tsir && head -c 500 "$scratch/whole.ir" >"$scratch/cut.ir" && cd "$scratch" && tsc -S cut.ir
