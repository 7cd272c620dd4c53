# Rows that are added to a fit. What only moves data is trained again: the same model as of all rows at once. Sizes that the fit has are joined,
# and other families stay as they are. Fits of several devices together keep no rows of their own; a table of something else is refused, and nothing is written.
here=$PWD; cd "$scratch"
awk 'BEGIN { print "family,dtype,bytes,time_us"; for (i = 0; i < 24; i++) { b = 100000 * 1.6 ^ i; printf "elementwise,fp32,%d,%.5g\n", b, 4 + b * 1e-6 / 1.5 * (i % 3 ? 1 : 1.1) } }' >all.csv
sed -n 1,17p all.csv >first.csv; { sed -n 1p all.csv; sed -n '18,$p' all.csv; } >later.csv
trainspec fit ops first.csv --device mine --units 10 --keep 1 -o first.json >/dev/null; trainspec fit ops all.csv --device mine --units 10 --keep 1 -o all.json >/dev/null
trainspec fit ops --update first.json later.csv -o updated.json
for file in all updated; do grep -oE '"(floor_us|terabytes_per_s|norm|cache_terabytes_per_s)": [0-9.]{6}|^ *\[[0-9.]+,[0-9.]+,0,0\]' $file.json >$file.part; done; cmp all.part updated.part && wc -l <updated.part
trainspec fit ops --update updated.json later.csv --weigh 1 -o again.json; grep -c '"file"' again.json; grep -o '"device": "[a-z]*"' again.json
trainspec fit ops "$here/_gemms.csv" --device mine --units 100 --keep 0.7 --family gemm -o gemm.json >/dev/null; trainspec fit ops --update gemm.json "$here/_gemms.csv" -o more.json | sed -E 's/[0-9]+\.[0-9]+/N/g'
trainspec fit ops a="$here/_gemms.csv" b="$here/_gemms.csv" --devices "$here/_sheets.csv" --device c -o c.json >/dev/null; trainspec fit ops --update c.json "$here/_gemms.csv" -o none.json; echo $?
trainspec fit ops --update gemm.json later.csv -o none.json; echo $?; trainspec fit ops --update all.csv later.csv -o none.json; echo $?; trainspec fit ops --update gemm.json later.csv --units 3 -o none.json; echo $?; trainspec fit ops --update gemm.json -o none.json; echo $?; ls none.json 2>/dev/null
# Options of the other forms are refused, not ignored; so are other sizes than the fit's, and more rows than a fit holds. A table of another device is taken with a warning.
trainspec fit ops --update gemm.json later.csv --keep 1 -o none.json; trainspec fit ops --update gemm.json later.csv --also bf16 -o none.json; trainspec fit ops first.csv --device mine --units 10 --weigh 1 -o none.json
awk 'BEGIN { print "family,dtype,m,n,k,time_us"; for (i = 1; i < 4102; i++) printf "gemm,fp32,%d,64,64,%g\n", i, 5 + i / 100 }' >many.csv; trainspec fit ops --update gemm.json many.csv -o none.json; grep -v "^#" "$here/_gemms.csv" | sed '1s/m,n,k/m,n,q/' >other.csv; trainspec fit ops --update gemm.json other.csv -o none.json; ls none.json 2>/dev/null
{ echo "# device: other"; cat later.csv; } >device.csv; trainspec fit ops --update first.json device.csv -o again.json
# Rows with a size of 0 are counted.
awk 'BEGIN { print "family,dtype,rows,width,time_us"; for (i = 1; i < 10; i++) printf "norm,fp32,%d,0,%d\n", i, i }' >zero.csv; trainspec fit ops zero.csv --device mine --units 10 --keep 1 -o none.json
