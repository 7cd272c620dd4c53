tsc --list-ops _plan.ts
