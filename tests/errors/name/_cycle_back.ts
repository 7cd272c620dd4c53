import "_cycle.ts"

let half_heads = div(heads, 2)
