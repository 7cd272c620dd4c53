tsc --color=red plan.ts
