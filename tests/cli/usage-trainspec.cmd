trainspec comple plan.ts
