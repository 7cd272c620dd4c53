#!/bin/sh
# Elementwise kernels out of traced operator tables (columns kind, input_shapes, output_shape, dtype, forward_us), as a table for
# `trainspec fit ops --model stream`: bytes = every input read once and the output written once, in fp32. Rows of `size`, which launch nothing,
# show what measuring itself takes; their median is subtracted.
# usage: tools/elementwise_table.sh TABLE.csv.gz... > elementwise.csv
set -eu
export LC_ALL=C
for table; do
  printf '# source: %s sha256 %s\n' "$(basename "$table")" "$(sha256sum <"$table" | cut -d' ' -f1)"
done
echo 'family,dtype,bytes,time_us'
gzip -dc "$@" | awk -v size_us="$(gzip -dc "$@" | sed -n 's/^[0-9]*,[^,]*,size,.*,"(1,)",,\([0-9.]*\),.*/\1/p' | sort -n | awk '{ t[NR] = $1 } END { print t[int((NR + 1) / 2)] }')" '
  function cells(line,   i, c, quoted, n) {
    n = 1; split("", cell)
    for (i = 1; i <= length(line); i++) {
      c = substr(line, i, 1)
      if (c == "\"") quoted = !quoted
      else if (c == "," && !quoted) n++
      else cell[n] = cell[n] c
    }
    return n
  }
  function elements(shape,   dims, n, i, product) { # "(4, 1024, 1280)" or "4, 1024, 1280"
    gsub(/[()\[\] ]/, "", shape)
    n = split(shape, dims, ",")
    product = n > 0
    for (i = 1; i <= n; i++) if (dims[i] != "") product *= dims[i]
    return product
  }
  cells($0) < 8 { next }
  cell[1] == "index" { for (i in cell) column[cell[i]] = i; next }
  cell[column["dtype"]] != "float32" || cell[column["forward_us"]] - size_us <= 0 { next }
  cell[column["kind"]] ~ /^(add|mul|sub|pow|tanh|truediv|softmax|gelu|relu|silu|neg|rsqrt)$/ {
    total = elements(cell[column["output_shape"]])
    count = split(cell[column["input_shapes"]], shape, /\], *\[/)
    for (i = 1; i <= count; i++) total += elements(shape[i])
    printf "elementwise,fp32,%.0f,%s\n", 4 * total, cell[column["forward_us"]] - size_us
  }' | sort -t, -k3,3n -k4,4n
