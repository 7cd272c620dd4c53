# Spaces of more values than can be looked at one by one: as many plans as there are by hand, and any of them drawn.
n() { trainspec sweep --dry-run --vary 'm=1..2000' --vary 'tp=1..2000' --vary 'pp=1..2000' "$@" _space.ts 2>&1 | sed 's/,//g; s/ plans to compile.*//; s/^error.*: search/error: search/'; }
brute() { awk "BEGIN { for (m = 1; m < $1; m++) for (tp = 1; tp < $2; tp++) for (pp = 1; pp < $3; pp++) if ($4) c++; print c + 0 }"; }
n --require '16 % (tp * pp) == 0' --require 'm % 700 == 1'; brute 2000 17 17 '16 % (tp * pp) == 0 && m % 700 == 1'
n --require 'tp * pp * m <= 12' --require 'tp != pp'; brute 13 13 13 'tp * pp * m <= 12 && tp != pp'
n --require 'max(tp, pp) < 4 and min(m, tp) == 1' --require 'if m > 3 then m - tp == 5 else pp == 1'; brute 2000 4 4 '(m < tp ? m : tp) == 1 && (m > 3 ? m - tp == 5 : pp == 1)'
n --set 'dp=16 / (tp * pp)' --require 'dp > 2' --require 'not (m * dp != 12)'; brute 13 17 17 '16 % (tp * pp) == 0 && 16 / (tp * pp) > 2 && m * 16 / (tp * pp) == 12'
n --require 'dp == 1' --require 'm + tp < 4' --require '16 % (tp * pp) == 0'; brute 4 4 17 '16 % (tp * pp) == 0 && 16 / (tp * pp) == 1 && m + tp < 4'
echo "== nothing"; trainspec sweep --vary 'm=1..2000' --vary 'tp=1..2000' --vary 'pp=1..2000' --require '16 % (tp * pp) == 0' --require 'tp > 100' --require 'm * m % 7 == 5' --require 'm > tp' _space.ts 2>&1
echo "== drawn"; d() { trainspec sweep --budget "$@" --vary 'm=1..100000' --vary 'tp=1..100000' --vary 'pp=1..100000' --require '16 % (tp * pp) == 0' --require 'm % 997 == 3' --require 'm < 3000' _space.ts 2>/dev/null; }
d 100 | sed -n '1p; /Budget/,/^$/p'; d 20 -j1 >"$scratch/one"; d 20 -j4 | cmp - "$scratch/one"; sed -n 1,5p "$scratch/one"
echo "== nothing tried"; trainspec sweep --vary 'm=1..100000' --vary 'tp=1..100000' --budget 0.000000001s _space.ts 2>&1
