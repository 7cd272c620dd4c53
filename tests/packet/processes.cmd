# The same bytes for any number of processes that play calls.
tsrun --threads 1 --format json _two_nodes.ts >"$scratch/one"; tsrun --threads 3 --format json _two_nodes.ts | cmp - "$scratch/one" && echo equal
