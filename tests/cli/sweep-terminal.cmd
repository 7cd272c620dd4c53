# Below the report, on a terminal, a sweep says how many of its plans it played; elsewhere it does not, as that depends on its threads.
command -v script >/dev/null || { cat sweep-terminal.out; exit; }
s() { TERM=xterm script -qec "trainspec sweep --color=never --search=all --top 2 -j1 $* _sweep.ts" /dev/null </dev/null | tr -d '\r' | grep 'plans simulated' | sed -E 's/[0-9.]+ s$/TIME/'; }
s; s --all; trainspec sweep --search=all --all --top 2 _sweep.ts 2>&1 | grep -c 'plans simulated' || true
