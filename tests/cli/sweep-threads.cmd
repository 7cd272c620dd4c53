# Plans with a fit learned at compile time, with tables, and with flows: played at once they come out as one after the other.
both() { for j in 1 4; do trainspec sweep -j $j --format=csv "$@" >"$scratch/$j.csv" || echo "exit $?"; done; cmp "$scratch/1.csv" "$scratch/4.csv" && grep -c ',ok,' "$scratch/4.csv"; }
both --vary 'layers=[1, 2, 3, 4]' _fit_table.ts; both --vary 'm=[1, 2, 3, 4]' ../../examples/local_sgd.ts; both --vary 'ports=[1, 2, 4, 8]' ../../examples/wafer.ts
