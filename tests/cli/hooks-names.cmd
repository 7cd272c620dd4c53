# Files with names of options are files to all that is given names of files; trainspec here prints what it was asked, options in brackets.
scratch=$(mktemp -d "$scratch/XXXXXX"); trap 'rm -rf "$scratch"' EXIT
share=$(cd ../.. && pwd)/share; from=$PWD; mkdir "$scratch/bin" "$scratch/plans"; cd "$scratch/plans"
cat >"$scratch/bin/trainspec" <<'END'
#!/bin/sh
for word; do
  case $ended$word in --) ended=yes ;; -*) printf '[%s] ' "$word" ;; *) printf '%s ' "$word" ;; esac
done; echo
END
chmod +x "$scratch/bin/trainspec"; PATH=$scratch/bin:$PATH
for file in --allow-native=x.trainspec -o.ts plan.trainspec 'a b.ts' '*.ts' $'::error::x\n::.ts' -.ts; do cp "$from/_plan.ts" "./$file"; echo '"trainspec-lock"' >"./${file%.*}.lock"; done
try() { echo "== $*"; "$@" 2>&1; echo "exit $?"; }
for hook in check locked; do
  try sh "$share/pre-commit/$hook" -Wno-assumed-network '-Dname=a b' --allow-native=x.trainspec -o.ts plan.trainspec 'a b.ts' '*.ts' | sed 's|.*/share/|share/|'
  try sh "$share/pre-commit/$hook" -Werror -- --allow-native=x.trainspec -o.ts -.ts gone.ts 2>&1 | sed 's|.*/share/|share/|'
  : >-Werror; try sh "$share/pre-commit/$hook" -Werror plan.trainspec | sed 's|.*/share/|share/|'; rm ./-Werror
done
(cd "$share/pre-commit"; sh check)
sed -n 's/^  entry: trainspec/entry:/p' "$share/../.pre-commit-hooks.yaml"
command -v jq >/dev/null || { sed '1,/^== check.sh/d' "$from/hooks-names.out"; exit; }
echo "== check.sh"; PLANS='*.ts *.trainspec' OPTIONS=-Werror RUNNER_TEMP="$scratch" bash "$share/github/check.sh" 2>&1
