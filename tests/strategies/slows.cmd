for slows in 1 2; do tsc -S -D slows=$slows _ring.ts | sed -nE 's/^kernel (gemm[.0-9]*) ([0-9.]* [a-z]s).* flops ([^ ]* [^ ]*) .*/\1 \2 \3/p'; done
