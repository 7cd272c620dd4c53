tsc --outptu=x plan.ts
