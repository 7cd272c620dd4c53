# Long. What is learned by trees, of small made rows: by one feature follows the slowdown, and a device twice as fast is predicted from others. Figures of
# trees are those of a version of XGBoost's library, so only whether they are good is shown; without the library there is nothing to show.
here=$PWD; cd "$scratch"
awk 'BEGIN { print "slowdown,family,transfer,time,sms,source"
  for (i = 0; i < 90; i++) printf "%s,gemm,All_Reduce,%g,%s,%s\n", i % 3 == 0 ? 1.2 : i % 3 == 1 ? 1.5 : 1.9, 1e-5 * (1 + i % 7), i % 3 == 0 ? "0" : i % 3 == 1 ? "1" : "", i % 2 ? "a" : "b" }' >pairs.csv
awk -F, -v OFS=, 'NR > 2 { $6 /= 2 } { print }' "$here/_gemms.csv" >twice.csv
if trainspec fit slowdown -o m.ubj pairs.csv 2>&1 | grep -q 'library is missing'; then cat "$here/fit-learned.out"; exit; fi
trainspec fit slowdown -o m.ubj pairs.csv | sed -E '/^  (trees|gemm)/ s/ 0\.0[0-9]+$/ small/; s/^(errors up to).*/\1 .../'; tsrun --overlap=m.ubj "$here/../engine/two_stages.tsir" | grep -c 'step time'
# Names that no row has are told, and a model that does not say its names is not used.
tsrun --overlap=m.ubj "$here/../engine/two_stages.tsir" | grep 'never seen'
trainspec fit slowdown -o m.json pairs.csv >m.out; sed 's/trainspec_categories/trainspec_hashes/' m.json >old.json; tsrun --overlap=old.json "$here/../engine/two_stages.tsir" 2>&1
awk '/^1/ && ++n % 3 != 1 { next } { print }' pairs.csv | sed 's/,[ab]$/,a/' >alone.csv; trainspec fit slowdown alone.csv | sed -E '/^  trees/ s/ [0-9. ]+$/ figures/; /^  gemm/ s/%.*/figures/; s/^(errors up to).*/\1 .../'
trainspec fit ops "a=$here/_gemms.csv" "b=$here/_gemms.csv" c=twice.csv --devices "$here/_sheets.csv" --trees --device c -o c.fit.json | sed -E 's/[0-9]+\.[0-9]+/N/g; s/ +N/ N/g'
# Times that jump with a size are for trees, of one device and of any family with features; the report names who answers.
awk 'function next_() { seed = (seed * 1103 + 12345) % 65536; return seed / 65536 } BEGIN { print "family,dtype,m,n,k,time_us"
  for (i = 0; i < 400; i++) { m = int(128 * 2 ^ (5 * next_())); n = int(128 * 2 ^ (6 * next_()))
    printf "gemm,fp32,%d,%d,1024,%.6g\n", m, n, (n > 700 ? 3 : 1) * (m > 500 ? 2 : 1) * (n > 2900 ? 0.4 : 1) * (m > 1700 ? 0.6 : 1) * (8 + 2e-6 * m * n * 1024 / 9) } }' >steps.csv
awk -F, -v OFS=, 'NR == 1 { print "family,dtype,rows,width,time_us"; next } { print "reduction", $2, $3, $4, $6 }' steps.csv >reduction.csv
for table in steps reduction; do
  trainspec fit ops $table.csv --device mine --units 100 --keep 0.7 --trees -o $table.fit.json | sed -n '/taken/p; /fit  /p' | sed -E 's/[0-9]+\.[0-9]+/N/g; s/ +N/ N/g; s/(%:).*/\1/'
  grep -o '"learner": "[a-z ]*"' $table.fit.json; grep -c '"trees"' $table.fit.json
done
for fit in c steps; do sed "s|fit(table(\"_gemms.csv\"), gpu: a100_sxm_80g)|fit(\"$fit.fit.json\")|" "$here/_fit_table.ts" >plan.ts; cp "$here/_sizes.ts" .; tsrun plan.ts 2>/dev/null | sed -n '/^Compute time/,/^[NAP]/{/^[NAP]/d;p}' | sed -E 's/[0-9]+\.[0-9]+/N/g; s/ +N/ N/g'; done
# Left-out rows are of all widths of a grid, also of one with as many as there are folds.
awk 'BEGIN { split("1 2.5 0.6 3 1.2", f, " "); print "family,dtype,rows,width,time_us"; for (r = 1; r <= 40; r++) for (w = 1; w <= 5; w++) printf "scan,fp32,%d,%d,%.6g\n", 64 * r, 128 * w, f[w] * (8 + 1e-3 * 64 * r * w) }' >grid.csv
trainspec fit ops grid.csv --keep 1 --trees --device mine --units 100 -o grid.fit.json | grep -o 'Gaussian process 0[.]00'
# What Nsight Compute measures, GPU and CUDA are features, by the names of the papers. Plays take what rows of a family had, and say so.
awk 'BEGIN { print "slowdown,family,time,achieved_occupancy,l2_hit,transfer,gpu,cuda"
  for (i = 0; i < 90; i++) printf "%g,forward,1e-4,%g,0.5,all_reduce,%s,12.1\n", (i % 3 == 0 ? 1.2 : 1.8) + (i % 2 ? 0.5 : 0), i % 3 == 0 ? 0.2 : 0.9, i % 2 ? "h800" : "a800" }' >measured.csv
trainspec fit slowdown measured.csv -o measured.ubj | sed -n '/^kept/,/^$/p' | sed -E 's/ +[0-9.]+ %/ N/'
tsrun --overlap=measured.ubj "$here/../engine/two_stages.tsir" | grep -e 'never seen' -e 'same family' -e 'do not know'
