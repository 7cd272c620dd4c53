# The same bytes each time.
tsrun --format json _two_nodes.ts >"$scratch/one"; tsrun --format json _two_nodes.ts | cmp - "$scratch/one" && echo equal
