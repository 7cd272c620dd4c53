{ echo "let x = $(printf "%300s" | tr " " "(")1$(printf "%300s" | tr " " ")")"; cat ../cli/cli-unwritable.ts; } >"$scratch/deep.ts" && cd "$scratch" && tsc --check deep.ts
