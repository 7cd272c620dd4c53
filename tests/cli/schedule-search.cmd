# Orders that are found: with the costs of the laboratory at the memory of the plan's own order, begun without it, with whole backwards, and on two copies of a model.
lab=../../examples/schedule_lab.ts; costs='-D f=10us -D i=11us -D w=9us -D message=1us'
search() { echo "== $*"; trainspec schedule --budget=4000 $costs "$@" $lab; }
search --memory=own -D 'schedule=v_half(p: 4, m: 8)'
search --memory=own --fresh -D 'schedule=zb_v(p: 4, m: 8)'
search --whole --from 'eager_one_f_one_b(p: 3, m: 6)' -D 'schedule=one_f_one_b(p: 3, m: 6)'
search --whole -D 'schedule=zb_h1(p: 4, m: 8)'
search --fresh --budget=1 -D 'schedule=eager_one_f_one_b(p: 3, m: 1)' | head -7
search --memory=own -D 'schedule=dual_pipe(p: 4, m: 8)'
search --seed=7 --format=language --name=mine -D 'schedule=zb_h1(p: 3, m: 4)'
search --format=csv -D 'schedule=zb_h1(p: 3, m: 4)'
# figures of a real model move with the data of std
echo '== a real model'; trainspec schedule --budget=1500 ../../examples/my_schedule.ts | sed -E 's/ +[0-9.]+ (ms|s) .*/ .../; /Limit of memory/s/.*Limit/Limit/; /^ +[0-3] [FIW.]{96}$/s/ [FIW.]+/ .../; s/take [0-9.]+ m?s/take .../'
