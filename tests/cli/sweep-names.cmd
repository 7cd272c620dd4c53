# Names that a file, a search or `-D` gives another meaning than the usual one mean that where bounds are worked out, too.
s() { echo "== $*"; trainspec sweep --search "$@" _names.ts 2>/dev/null | awk 'NR > 2 && NF == 0 { exit } 1' | cut -c1-40; }
s own_function; s own_figure; s own_figure --all; s given; s given -D dp=8
# Nobody divides by zero here but who works out bounds, which is no reason to say less.
trainspec sweep --search excluding _names.ts 2>&1
