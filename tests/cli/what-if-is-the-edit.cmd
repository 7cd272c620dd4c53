# With every list of std.networks: the step after a change, and that of the plan edited so, to the picosecond.
step() { tsrun --format=json "$@" _other_links.ts 2>/dev/null | sed -n "s/^\t$key.*\t\([0-9]*\),*$/\1/p"; }
for net in h100_infiniband gb200_nvl72 nccl_hopper h100_statistical '[alpha_beta(base: 5 us)]' '[flow()]'; do
  key='"step_time_ps"'; before=$(step -D "net=$net")
  for change in 'tier0.bandwidth*2 nvlink=2' 'tier0.bandwidth/2 nvlink=0.5' 'tier0.latency*4 nvlink_wait=4' 'gpu-nvswitch.latency*0.5 nvlink_wait=0.5' 'nic.latency*8 nic_wait=8'; do
    set -- $change
    key='\t"step_time_ps"'; after=$(step -D "net=$net" --what-if "$1")
    key='"step_time_ps"'; edited=$(step -D "net=$net" -D "$2")
    [ "$after" = "$edited" ] && equal=equal || equal="$after is not $edited"
    [ "$after" = "$before" ] && equal="$equal, no change"
    echo "$net $1: $equal"
  done
done
tsrun -D net=h100_statistical --what-if tier0.latency*0.5 _other_links.ts 2>&1 | sed -n '/^With/,/^$/p'
sed 's/"links".*//' ../../stdlib/networks/h100_sxm_curves.json > "$scratch/curves.json"; cp _other_links.ts "$scratch/plan.ts"; cd "$scratch"
tsrun -D 'net=[statistical("curves.json", tier: 0)]' --what-if tier0.bandwidth*2 plan.ts 2>&1 | sed -n '/^With/,/^$/p;/names no links/p'
