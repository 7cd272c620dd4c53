tsc -S --plan passes _passes.ts | sed -nE 's/^kernel (gemm[.0-9]*) ([0-9.]* [a-z]s).*basis ([a-z]+).*/\1 \2 \3/p'
for hidden in true false; do tsrun --plan exposed -D hidden=$hidden _passes.ts 2>/dev/null | sed -nE 's/^  exposed tp .* ([0-9.]+ %)$/hidden '$hidden': \1/p'; done
