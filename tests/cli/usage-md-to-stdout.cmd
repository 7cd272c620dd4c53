tsc -MD -S _plan.ts
