import "_cycle_back.ts"

let heads = 2 * half_heads
