# Long. At the memory of zb_h1, zb_v, v_half and DualPipe: their step, what is found beside it, the bound; begun with their order, and without it. Equal times, for which they are made, then others.
four() { for s in 'zb_h1(p: 4, m: 8)' 'zb_v(p: 4, m: 8)' 'v_half(p: 4, m: 8)' 'dual_pipe(p: 4, m: 8)'; do
    for fresh in '' --fresh; do echo "== $s $*$fresh"; trainspec schedule --memory=own --budget=50000 $fresh -D "schedule=$s" "$@" ../../examples/schedule_lab.ts | sed -n '3,/^$/p' | grep .; done; done; }
four -D f=10us -D i=10us -D w=10us
four -D f=10us -D i=14us -D w=6us -D message=4us
