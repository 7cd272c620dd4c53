# The same bytes each time, with the same call played by groups side by side, and once for studies.
tsrun --format json _two_nodes.ts >"$scratch/one"; tsrun --format json _two_nodes.ts | cmp - "$scratch/one" && echo equal
