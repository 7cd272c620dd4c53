# Networks by name; and what a hash costs where there are several spines: 64 pairs of ranks in two pods
# whose leaves pass on all that their nodes send.
for name in spectrum_x hpn hpn_dual_plane; do
  echo "== $name"; trainspec topo -D dp=8 -D "cluster=$name(256, kind: h100_sxm)" _spines.ts | sed -n '1,12p'
done
for name in dcn_plus dcn_plus_dual_tor; do
  echo "== $name"; trainspec topo -D dp=8 -D "cluster=$name(32, kind: h100_sxm)" _spines.ts | sed -n '1,12p'
done
for spines in 1 2 4 8; do
  for routing in ecmp adaptive spray; do
    printf "%s spines, %s: " $spines $routing
    tsrun --ignore-memory -D tp=64 -D dp=2 -D "routing=\"$routing\"" -D "cluster=spined(16, kind: h100_sxm, spines: $spines, port: 400 Gb/s, uplink: 3200 Gb/s / $spines, pod: 8)" _spines.ts 2>&1 | grep -E 'step time|^error'
  done
done
