tsrun -D batch=4 -D tp=4 examples/gpt2_large.ts
