# A terminal that knows ASCII alone gets ASCII, one of UTF-8 what is UTF-8; what is quoted of the reader's own text stands as it was written.
cp _mistakes.ts "$scratch/plan.ts"; cd "$scratch"; export XDG_CACHE_HOME=.
sed 's/^plan own/\/\/ Gr\xc3\xb6\xc3\x9fe\nplan own/' plan.ts >other.ts; printf 'plan \xc3\xa4 { }\n' >wrong.ts
said() { for locale in C C.UTF-8; do LC_ALL=$locale "$@" >"said.$locale" 2>&1; done
  LC_ALL=C grep -qP '[^\x00-\x7F]' said.C && echo "$*: not ASCII"; iconv -f utf-8 -t utf-8 said.C.UTF-8 >/dev/null || echo "$*: not UTF-8"
  cmp -s said.C said.C.UTF-8 && echo "same: $*" || echo "other signs: $*"; }
said trainspec run plan.ts
said trainspec run --format=timeline -D pp=2 -D dp=1 plan.ts
said trainspec sweep --vary tp=4,8 --set 'dp=8 / tp' plan.ts
said trainspec topo plan.ts
said trainspec list all
said trainspec --help
said trainspec diff plan.ts other.ts
said trainspec run wrong.ts
said trainspec run -D tp=ä plan.ts
head -5 said.C
