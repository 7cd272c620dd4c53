# What a traced table rests on when it is scaled. With the step of its own batch (638.8 ms were measured) its times add up to that step, here 7 % more, and another batch follows; it
# is told. Fits of the gpu that ran the table (`by`), of the plan's own gpu in `costs`, take the place of models of the table's rows where both know a kernel. Single products of other boards (`beside: [table(...)]`) join the rows of the op that their family names.
here=$PWD; cd "$scratch"
run() { tsrun --allow-read="$here/../../examples/data" --allow-read="$scratch" --format=json "$@" "$here/_scaled.ts" 2>errors; }
play() { run "$@" | tr -d '\t' | sed -nE 's/^"step_time_ps":([0-9]+)[0-9]{8},$/\1/p; s/^"name":"(.*csv)",$/\1/p' | sed -E '1s/(.)$/.\1 ms/' | awk '!seen[$0]++'; grep -E '^error|^warning' errors; }
play; play -D step='683.5 ms'; play -D batch=1; play -D batch=1 -D step='683.5 ms'
for gpu in a100 h100; do for b in 1 4; do
  kind=$([ $gpu = a100 ] && echo a100_pcie_80g || echo h100_sxm)
  tsc --allow-read="$here/../../examples/data" --list-measured -D file="\"gpt2_large_${gpu}_b$b.csv\"" -D from=$kind -D kind=$kind "$here/_scaled.ts" >$gpu$b.csv
done; done
{ echo device,tflops,terabytes_per_s,watts,units,gigahertz; echo a100_pcie_80g,19.5,1.935,300,108,1.41; echo h100_sxm,66.9,3.35,700,132,1.98; } >sheets.csv
for kind in a100_pcie_80g h100_sxm; do trainspec fit ops a100_pcie_80g=a1001.csv a100_pcie_80g=a1004.csv h100_sxm=h1001.csv h100_sxm=h1004.csv --devices sheets.csv --device $kind -o $kind.json >/dev/null; done
a100='-D file="gpt2_large_a100_b1.csv" -D from=a100_pcie_80g -D batch=1'
play $a100; play $a100 -D by="[fit(\"$scratch/a100_pcie_80g.json\")]" -D costs_first="[fit(\"$scratch/h100_sxm.json\")]"
# Where `costs` know no more than a roofline, a fit of the gpu that ran the table gives no factor: models do.
play $a100 -D by="[fit(\"$scratch/a100_pcie_80g.json\")]"
play $a100 -D by="[fit(\"$scratch/h100_sxm.json\")]"
{ echo dtype,m,n,k,time_us; for m in 512 1024 2048 4096; do for n in 1280 2560 5120; do awk -v m=$m -v n=$n 'BEGIN { printf "fp32,%d,%d,1280,%.5g\n", m, n, 30 + 2e-6 * m * n * 1280 / 7.9 }'; done; done; } >products.csv
play $a100 -D beside="[table(\"$scratch/products.csv\", family: \"linear\", from: l4)]"
{ echo family,dtype,m,time_us; echo odd,fp32,3,4; } >odd.csv; play $a100 -D beside="[table(\"$scratch/odd.csv\", from: l4)]"
play $a100 -D step='-1 ms'; play $a100 -D step='1 us'
