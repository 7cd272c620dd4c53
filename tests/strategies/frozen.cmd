for how in 'data_parallel(dp)' 'zero1(dp)' 'zero2(dp)' 'fsdp(dp)'; do echo "== $how"; sed "s/data_parallel(dp)\]/$how]/" _frozen.ts | tsc -S -o - - 2>/dev/null | grep '^  hold'; done
