tsc --explain 'I(3, 1) at 2' ../../examples/schedule_lab.ts -D 'schedule=zb_v(p: 4, m: 8)'; tsc --explain 'F(1) at 2' _clauses.ts; tsc --explain 'F(1) at 2' _clauses.ts -D change=true
