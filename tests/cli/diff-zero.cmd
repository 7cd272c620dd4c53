# A figure that is 0 is known: a price of nothing against one, and the other way.
for price in 0 2.50; do tsc -D "price=\$$price/h" -D layers=2 -o "$scratch/p$price.ir" _money.ts 2>/dev/null; done; cd "$scratch"
trainspec diff p0.ir p2.50.ir; trainspec diff p2.50.ir p0.ir; trainspec diff --format=json p0.ir p2.50.ir | jq -c '.differences[]'
