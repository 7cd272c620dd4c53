# Two plans as a comment on a change. What plans say is neither markup nor a mention.
sed 's/layers: Int = 2/layers: Int = 3/; s/dp: Int = 2/dp: Int = 4/; s/  host = /  \/\/ <\/pre>@user `|`\n&/' _plan.ts >_changed.ts; trap 'rm -f _changed.ts _more.ts' EXIT
comment() { echo "== $*"; trainspec diff --format=markdown "$@" 2>/dev/null | sed "s/^<sub>.trainspec .*/<sub>trainspec VERSION<\/sub>/"; echo "exit ${PIPESTATUS[0]}"; }
comment _plan.ts _changed.ts
comment _plan.ts _plan.ts
# An axis with an evil name, IRs of one program, memory that does not suffice, a long change.
one() { printf 'plan "p`|@x"\naxis "<b>|`" 2\ngroup all = "<b>|`"\nstream compute\nkernel k %s ms\nstream comm\nfragment F { compute k\nall_reduce 1 MB over all on comm }\nprogram { F }\n' "$1"; }
one 1 >"$scratch/one.tsir"; one 2 >"$scratch/two.tsir"; (cd "$scratch"; comment one.tsir two.tsir)
comment -D 'memory=80 GiB' _crowded.ts _crowded.ts | head -3
tsc -D 'memory=80 GiB' -o "$scratch/fits.ir" _crowded.ts 2>/dev/null; cp _crowded.ts "$scratch"; (cd "$scratch"; comment fits.ir _crowded.ts | head -4; comment _crowded.ts fits.ir | head -4)
# No comment is longer than GitHub takes: tags are closed where it ends.
for long in 2500 25000; do { cat _plan.ts; for i in $(seq $long); do echo "// <line> $i"; done; } >_more.ts; comment _plan.ts _more.ts >"$scratch/long"; wc -c <"$scratch/long"; tail -9 "$scratch/long"; done
{ one 1 | sed '/^fragment/,$d'; for i in $(seq 1500); do printf 'group "<details><pre>%s" = "<b>|`"\n' "$i"; done; echo 'fragment F { compute k'
  for i in $(seq 1500); do echo "all_reduce 1 MB over \"<details><pre>$i\" on comm"; done; printf '}\nprogram { F }\n'; } >"$scratch/many.tsir"; (cd "$scratch"; comment one.tsir many.tsir | tail -6)
# Markup, mentions and cells in the name of a tool.
(cd "$scratch"; sed '1a tool "<img src=x> @user ![x](http://x) `a` \\\\\\\\| @user"' two.tsir >tool.tsir; comment one.tsir tool.tsir | tail -3)
