lab=../../examples/schedule_lab.ts
for s in 'gpipe(p: 4, m: 6)' 'breadth_first(p: 4, m: 6, v: 2)' 'one_f_one_b(p: 4, m: 7)' 'eager_one_f_one_b(p: 4, m: 7)' 'one_f_one_b(p: 4, m: 7, balanced: true)' \
  'interleaved_one_f_one_b(p: 4, m: 8, v: 3)' 'interleaved_one_f_one_b(p: 3, m: 11, v: 2, group: 4)' 'zb_1p(p: 4, m: 8, v: 2)' 'zb_v_fixed(p: 4, m: 7)' \
  'zb_h1(p: 4, m: 8)' 'zb_h2(p: 4, m: 8)' 'zb_memory(p: 4, m: 8, memory: 5 GiB)' 'zb_v(p: 4, m: 8)' 'v_half(p: 4, m: 8)' 'v_min(p: 4, m: 8)' 'one_f_one_b_v(p: 4, m: 8)' \
  'dual_pipe(p: 4, m: 12)' 'dual_pipe_v(p: 4, m: 9)' 'chimera(p: 4, m: 8)' 'hanayo(p: 4, m: 8, waves: 2)'; do
  copies=1; case $s in dual_pipe\(* | chimera*) copies=2 ;; esac
  tsc --emit=schedule-csv $lab -D "schedule=$s" -D f=10us -D i=11us -D w=9us -o "$scratch/a.csv" || exit
  back="schedule=from_csv(\"a.csv\", copies: $copies)"
  tsc --emit=schedule-csv $lab -I "$scratch" -D "$back" -D f=10us -D i=11us -D w=9us | cmp - "$scratch/a.csv" || exit
  tsrun $lab -D "schedule=$s" -D f=10us -D i=11us -D w=9us | sed -n 4p >"$scratch/time"
  tsrun $lab -I "$scratch" -D "$back" -D f=10us -D i=11us -D w=9us | sed -n 4p | cmp - "$scratch/time" || exit
  echo "$s: the same order and time"
done
