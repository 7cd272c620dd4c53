# Names that a file, a search or `-D` gives another meaning than the usual one mean that where bounds are worked out, too.
s() { echo "== $*"; trainspec sweep --search "$@" _names.ts 2>/dev/null | awk 'NR > 2 && NF == 0 { exit } 1' | cut -c1-40; }
s own_function; s own_figure; s own_figure --all; s given; s given -D dp=8
# Nobody divides by zero here but who works out bounds, which is no reason to say less.
trainspec sweep --search excluding _names.ts 2>&1
# Plans that a condition leaves out by their bounds are counted, also where all others are played.
for all in '' --all; do trainspec sweep --budget 8 $all --vary 'm=1..3000' --vary 'layers=2..400' --require 'cost < $0.0001' _money.ts 2>/dev/null | sed -n '/^Left/,/^$/p'; done
