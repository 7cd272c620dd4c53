awk 'BEGIN { print "family,dtype,count,k,n,m,time_us"; for (c = 2; c <= 8; c *= 2) for (m = 64; m <= 1024; m *= 2) for (n = 512; n <= 2048; n *= 2) printf "grouped_gemm,bf16,%d,1024,%d,%d,%.2f\n", c, n, m, 5 + 2 * c * m * n * 1024 / 4e8 }' >"$scratch/rows.csv"
trainspec fit ops "$scratch/rows.csv" --family grouped_gemm --model gemm --device any --units 132 --keep 0.5 -o "$scratch/order.fit.json" >"$scratch/log"
head -1 "$scratch/log"
tsrun -D "file=\"$scratch/order.fit.json\"" _experts_by_fit.ts | grep -E '^    .*order.fit.json +[0-9]|fitted [0-9]' | sed -E 's/ +[^ ]*(order.fit.json)/ \1/'
