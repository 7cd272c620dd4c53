# A class of links has one name in the IR's text, in sensitivities, in changes; `nic` is all ports of a device.
tsc -S -o - _nics.ts | grep '^link_class'
tsrun --sensitivity _nics.ts 2>/dev/null | grep 'leaf'
step() { tsrun --format=json "$@" _nics.ts 2>/dev/null | sed -n "s/^\t$key.*\t\([0-9]*\),*$/\1/p"; }
for change in 'leaf-leaf.2=10GB/s slow=10GB/s' 'leaf-leaf.2.bandwidth*2 slow=10GB/s' 'nic=80Gb/s nic=80Gb/s' 'nic/8 nic=50Gb/s'; do
  set -- $change
  key='\t"step_time_ps"'; after=$(step --what-if "$1")
  key='"step_time_ps"'; edited=$(step -D "$2") before=$(step)
  [ "$after" = "$edited" ] && echo "$1: the edit" || echo "$1: $after is not $edited, before $before"
done
echo "== a NIC that is slower than the others"
tsc -S -o - -D broken=true _nics.ts | grep '^link_class gpu-leaf'
tsrun -D broken=true --what-if nic=800Gb/s _nics.ts 2>/dev/null | sed -n '/^With/,/^$/p'
tsrun -D broken=true --what-if gpu-leaf.2=100Gb/s _nics.ts 2>/dev/null | sed -n '/^With/,/^$/p'
tsrun -D broken=true --what-if gpu-leaf.3*2 _nics.ts 2>&1 >/dev/null
tsrun -D broken=true --what-if gpu-leaf.sped*2 _nics.ts 2>&1 >/dev/null
true
