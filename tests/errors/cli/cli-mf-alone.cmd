tsc -MF plan.d plan.ts
