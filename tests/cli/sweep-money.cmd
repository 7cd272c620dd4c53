# Energy, cost and carbon: columns, goals and conditions of all formats; what nobody stated is told.
s() { echo "== $*"; trainspec sweep "$@" 2>&1 | grep -v '^warning\|^ *|\|^ *-->\|^ *=\|^ *[0-9]* |'; }
s --minimize cost --minimize energy --vary 'tp=[1, 2]' _money.ts
s --minimize 'cost / tokens_per_step' --require 'energy / tokens_per_step * 1e12 < 20 MWh' --vary 'tp=[1, 2]' --format csv _money.ts
s --minimize carbon --vary 'tp=[1, 2]' --vary 'layers=[4, 1600]' --format json _money.ts | sed -n '/^{/,$p' | jq -c '.plans[] | [.state, .tokens_per_step, .energy_joules > 0, .cost_dollars > 0, .carbon_kg > 0, .lacks_bytes, .goals]'
s --minimize cost -D 'price=$0/h' --vary 'tp=[1, 2]' _money.ts; s --require 'cost < 5 MWh' --vary 'tp=[1, 2]' _money.ts; s --minimize 'energy + 3 s' --vary 'tp=[1, 2]' _money.ts
# A page has the figures of the other formats, in the units that it names.
trainspec sweep --all --vary 'tp=[1, 2]' --format html _money.ts 2>/dev/null | grep -o '"name":"\(energy\|cost\|carbon\)","unit":[^]]*'; trainspec sweep --all --vary 'tp=[1, 2]' --format json _money.ts 2>/dev/null | jq -c '.plans[] | [.energy_joules, .cost_dollars, .carbon_kg * 1000]'
tsrun _money.ts 2>/dev/null | sed -n '/^  energy/,/^$/p; /^Assumed/,$p'; tsrun --format json _money.ts 2>/dev/null | jq -c '[.energy_joules_per_step, .energy_mwh_per_trillion_tokens, .power_watts_per_device, .cost_dollars_per_step, .cost_dollars_per_trillion_tokens, .carbon_kg_per_step, .carbon_kg_per_trillion_tokens]'
tsrun --format csv _money.ts 2>/dev/null | head -1 | grep -o 'energy_joules,cost_dollars,carbon_kg'; tsrun --format html _money.ts 2>/dev/null | grep -o '<span>\(energy\|cost\|CO2\)[^/]*</span><b>[^<]*</b><small>[^<]*'; tsrun --what-if 'compute.speed*2' _money.ts 2>/dev/null | sed -n '/^With/,/^$/p'
tsc --emit=text -o - _money.ts | grep 'device_class\|^carbon'; tsc -o "$scratch/a.ir" _money.ts; tsc --emit=text -o "$scratch/a.tsir" "$scratch/a.ir"; tsc -o "$scratch/b.ir" "$scratch/a.tsir"; tsc --emit=text -o - "$scratch/b.ir" | cmp - "$scratch/a.tsir" && echo same
tsrun _prices.ts 2>/dev/null | grep -oE '^  cost .*|cost: a device.*'; tsrun -D 'price=aws_2026_11.h100' _prices.ts 2>&1 | grep -oE '^  cost .*|cost: a device.*'; tsrun -D 'price=hyperstack_2026_08.a100' _prices.ts 2>&1 | head -1
