tsc -D tp:8 plan.ts
