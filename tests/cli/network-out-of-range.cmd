# Numbers of network models that no IR may hold are refused where they stand, and are no bug of ours.
try() { tsrun --ignore-memory -D "network=[$1]" _networks.ts 2>&1 | grep -A4 '^error' | sed -n '1p;5s/^.*^ /  /p'; }
for model in 'alpha_beta(base: 1e30 s)' 'alpha_beta(base: -1 s)' 'alpha_beta(efficiency: 1e-9)' 'alpha_beta(hop: 1e9 s)' 'alpha_beta(inter_hop: 1 s)' 'flow(hop: 1e30 s)' 'whitebox(algorithm: "ring", chunk: 1e30 B)' 'whitebox(algorithm: "ring", connection: -1 s)'; do echo "$model"; try "$model"; done
