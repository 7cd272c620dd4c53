# A step of fewer tokens is shorter, and trains none the faster for it: without a goal plans are compared by token.
s() { echo "== $*"; trainspec sweep "$@" 2>&1 | grep -v '^warning.W0[58]0\|^ *|\|^ *-->\|^ *= plan\|: put a \|^$\|^ *[0-9]* |'; }
s --vary 'tp=[1, 2]' _money.ts
s --vary 'tp=[1, 2]' --vary 'pp=[1, 2, 4]' --top 1 _money.ts
s --vary 'tp=[1, 2]' --format csv _money.ts | cut -d, -f1-3,17-
# As many tokens each: by step, as people ask for it.
s --vary 'tp=[1, 2]' --set 'm=8*tp' _money.ts
s --vary 'tp=[1, 2]' --set 'm=8*tp' --format json _money.ts | sed -n '/^{/,$p' | jq -c '.goal, (.plans[] | [.step_time_ps, .goals])'
# Who asks for the step time gets it, and is told.
s --vary 'tp=[1, 2]' --minimize step_time _money.ts
s --vary 'tp=[1, 2]' --set 'm=8*tp' --minimize step_time _money.ts
