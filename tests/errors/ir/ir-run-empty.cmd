: >"$scratch/empty.ir" && cd "$scratch" && tsrun empty.ir
