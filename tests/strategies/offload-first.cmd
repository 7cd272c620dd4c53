for first in 0 1 2 9; do echo "first $first: $(tsc -S -o - -D first=$first _offload_first.ts 2>/dev/null | sed -nE 's/^  (layer\[[0-9]\])\..*on "to the host".*/\1/p' | sort -u | tr '\n' ' ')"; done
tsc --check -D first=-1 _offload_first.ts 2>&1 | head -n 5
