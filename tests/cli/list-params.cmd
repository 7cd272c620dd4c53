tsc --list-params _plan.ts
